#include <algorithm>
#include <charconv>
#include <cstdint>

#include "code/fold_python_codecs.h"
#include "code/python_nodes.h"
#include "interlock/base/digits.h"

namespace interlock::scan::code::python {
namespace {

// Digits of an escape at `at`: true and past them, or false and nothing read.
bool ReadNumber(std::string_view body, std::size_t* at, std::size_t least, std::size_t most, int base,
                std::uint32_t* value) {
  const char* first = body.data() + *at;
  const char* last = first + std::min(most, body.size() - *at);
  const auto [end, error] = std::from_chars(first, last, *value, base);
  if (error != std::errc() || end < first + least || *first == '-') return false;
  *at += static_cast<std::size_t>(end - first);
  return true;
}

// One escape; `at` behind the backslash. What is no escape stays as it stands, backslash included.
void AppendEscape(std::string_view body, Literal literal, std::size_t* at, std::string* out) {
  if (*at >= body.size()) {
    out->push_back('\\');
    return;
  }
  const char c = body[*at];
  std::uint32_t value = 0;
  const auto append = [&](std::uint32_t code) {
    if (literal.bytes) {
      out->push_back(static_cast<char>(code & 0xFF));
    } else {
      base::AppendUtf8(code, out);
    }
  };
  constexpr std::string_view kShort = "\\'\"abfnrtv";
  constexpr std::string_view kShortValue = "\\'\"\a\b\f\n\r\t\v";
  if (const std::size_t i = kShort.find(c); i != std::string_view::npos) {
    out->push_back(kShortValue[i]);
    ++*at;
    return;
  }
  if (c == '\n' || c == '\r') {
    *at += c == '\r' && *at + 1 < body.size() && body[*at + 1] == '\n' ? std::size_t{2} : 1;
    return;
  }
  if (c >= '0' && c <= '7') {
    if (ReadNumber(body, at, 1, 3, 8, &value)) append(value);
    return;
  }
  std::size_t next = *at + 1;
  const std::size_t digits = c == 'x' ? 2 : literal.bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits != 0 && next < body.size() && ReadNumber(body, &next, digits, digits, 16, &value)) {
    append(value);
    *at = next;
    return;
  }
  out->push_back('\\');
}

}  // namespace

const NodeKinds& Kinds() {
  static const NodeKinds kinds(Grammar::kPython,
                               {{"module", kModule},
                                {"block", kBlock},
                                {"comment", kComment, true, true},
                                {"line_continuation", kLineContinuation, true, true},
                                {"import_statement", kImport},
                                {"import_from_statement", kImportFrom},
                                {"future_import_statement", kFutureImport},
                                {"print_statement", kPrint},
                                {"assert_statement", kAssert},
                                {"expression_statement", kExpressionStatement},
                                {"return_statement", kReturn},
                                {"delete_statement", kDelete},
                                {"raise_statement", kRaise},
                                {"global_statement", kGlobal},
                                {"nonlocal_statement", kNonlocal},
                                {"exec_statement", kExec},
                                {"type_alias_statement", kTypeAlias},
                                {"if_statement", kIf},
                                {"elif_clause", kElif},
                                {"else_clause", kElse},
                                {"match_statement", kMatch},
                                {"case_clause", kCase},
                                {"for_statement", kFor},
                                {"while_statement", kWhile},
                                {"try_statement", kTry},
                                {"except_clause", kExcept},
                                {"finally_clause", kFinally},
                                {"with_statement", kWith},
                                {"with_clause", kWithClause},
                                {"with_item", kWithItem},
                                {"function_definition", kFunctionDef},
                                {"class_definition", kClassDef},
                                {"decorated_definition", kDecorated},
                                {"decorator", kDecorator},
                                {"pass_statement", kSimpleNothing},
                                {"break_statement", kSimpleNothing},
                                {"continue_statement", kSimpleNothing},
                                {"aliased_import", kAliasedImport},
                                {"dotted_name", kDottedName},
                                {"relative_import", kRelativeImport},
                                {"import_prefix", kImportPrefix},
                                {"wildcard_import", kWildcard},
                                {"parameters", kParameters},
                                {"lambda_parameters", kParameters},
                                {"default_parameter", kDefaultParameter},
                                {"typed_parameter", kTypedParameter},
                                {"typed_default_parameter", kTypedDefaultParameter},
                                {"keyword_separator", kSeparator},
                                {"positional_separator", kSeparator},
                                {"type_parameter", kTypeParameter},
                                {"argument_list", kArgumentList},
                                {"keyword_argument", kKeywordArgument},
                                {"pair", kPair},
                                {"for_in_clause", kForIn},
                                {"if_clause", kIfClause},
                                {"slice", kSlice},
                                {"assignment", kAssignment},
                                {"augmented_assignment", kAugmented},
                                {"string_start", kStringStart},
                                {"string_content", kStringContent, true, true},
                                {"string_end", kStringEnd},
                                {"interpolation", kInterpolation},
                                {"format_expression", kInterpolation},
                                {"format_specifier", kFormatSpecifier},
                                {"type_conversion", kTypeConversion},
                                {"case_pattern", kCasePattern},
                                {"class_pattern", kClassPattern},
                                {"keyword_pattern", kKeywordPattern},
                                {"dict_pattern", kSequence},
                                {"union_pattern", kSequence},
                                {"splat_pattern", kSplat},
                                {"chevron", kChevron},
                                {"identifier", kIdentifier},
                                {"string", kString},
                                {"concatenated_string", kConcatenated},
                                {"integer", kNumber},
                                {"float", kNumber},
                                {"true", kConstant},
                                {"false", kConstant},
                                {"none", kConstant},
                                {"ellipsis", kConstant},
                                {"attribute", kAttribute},
                                {"subscript", kSubscript},
                                {"call", kCall},
                                {"binary_operator", kBinary, true, false, true},
                                {"boolean_operator", kBoolean},
                                {"not_operator", kNot},
                                {"unary_operator", kUnary},
                                {"comparison_operator", kComparison},
                                {"conditional_expression", kConditional},
                                {"lambda", kLambda},
                                {"named_expression", kNamed},
                                {"await", kAwait},
                                {"yield", kYield},
                                {"list", kSequence},
                                {"tuple", kSequence},
                                {"set", kSequence},
                                {"expression_list", kSequence},
                                {"pattern_list", kSequence},
                                {"tuple_pattern", kSequence},
                                {"list_pattern", kSequence},
                                {"list_splat", kSplat},
                                {"dictionary_splat", kSplat},
                                {"list_splat_pattern", kSplat},
                                {"dictionary_splat_pattern", kSplat},
                                {"dictionary", kDictionary},
                                {"list_comprehension", kComprehension},
                                {"dictionary_comprehension", kComprehension},
                                {"set_comprehension", kComprehension},
                                {"generator_expression", kComprehension},
                                {"parenthesized_expression", kPassThrough},
                                {"type", kPassThrough},
                                {"as_pattern_target", kPassThrough},
                                {"as_pattern", kAsPattern},
                                {"generic_type", kGenericType},
                                {"union_type", kCompositeType},
                                {"constrained_type", kCompositeType},
                                {"member_type", kCompositeType},
                                {"splat_type", kCompositeType}},
                               {{"name", kFieldName},
                                {"alias", kFieldAlias},
                                {"module_name", kFieldModule},
                                {"body", kFieldBody},
                                {"left", kFieldLeft},
                                {"right", kFieldRight},
                                {"type", kFieldType},
                                {"value", kFieldValue},
                                {"key", kFieldKey},
                                {"condition", kFieldCondition},
                                {"subject", kFieldSubject},
                                {"function", kFieldFunction},
                                {"arguments", kFieldArguments},
                                {"object", kFieldObject},
                                {"attribute", kFieldAttribute},
                                {"subscript", kFieldSubscript},
                                {"parameters", kFieldParameters},
                                {"superclasses", kFieldSuperclasses},
                                {"expression", kFieldExpression},
                                {"cause", kFieldCause},
                                {"guard", kFieldGuard},
                                {"code", kFieldCode}});
  return kinds;
}

Literal LiteralOf(std::string_view start) {
  Literal literal;
  for (const char c : start) {
    if (c == '\'' || c == '"') break;
    literal.raw |= c == 'r' || c == 'R';
    literal.bytes |= c == 'b' || c == 'B';
    literal.format |= c == 'f' || c == 'F' || c == 't' || c == 'T';
  }
  return literal;
}

bool NeedsUnescape(std::string_view body, Literal literal) {
  if (!literal.raw && body.find('\\') != std::string_view::npos) return true;
  return literal.format && body.find_first_of("{}") != std::string_view::npos;
}

void AppendUnescaped(std::string_view body, Literal literal, std::string* out) {
  for (std::size_t at = 0; at < body.size();) {
    const char c = body[at++];
    if (c == '\\' && !literal.raw) {
      AppendEscape(body, literal, &at, out);
      continue;
    }
    out->push_back(c);
    if (literal.format && (c == '{' || c == '}') && at < body.size() && body[at] == c) ++at;
  }
}

}  // namespace interlock::scan::code::python
