// Rust's grammar in the words of typed_lowering.h.
#include <algorithm>
#include <array>

#include "code/typed_lowering.h"

namespace interlock::scan::code {
namespace {

using namespace typed;  // NOLINT: the kinds

const NodeKinds& Kinds() {
  static const NodeKinds kinds(Grammar::kRust,
                               {{"line_comment", kComment, true, true},
                                {"block_comment", kComment, true, true},
                                {"function_item", kFunctionDef},
                                {"closure_expression", kClosure},
                                {"struct_item", kTypeDef},
                                {"enum_item", kTypeDef},
                                {"field_declaration", kFieldDeclaration},
                                {"impl_item", kImpl},
                                {"mod_item", kModule},
                                {"parameters", kParameters},
                                {"closure_parameters", kParameters},
                                {"parameter", kParameter},
                                {"self_parameter", kSelfParameter},
                                {"attribute_item", kAttribute},
                                {"use_declaration", kImport, true, true},
                                {"expression_statement", kExpressionStatement},
                                {"return_expression", kReturn},
                                {"assignment_expression", kAssign},
                                {"compound_assignment_expr", kAugmented},
                                {"let_declaration", kDeclare},
                                {"let_condition", kDeclare},
                                {"const_item", kDeclare},
                                {"static_item", kDeclare},
                                {"for_expression", kFor},
                                {"match_arm", kBranch},
                                {"arguments", kArguments},
                                {"field_initializer_list", kFields},
                                {"field_initializer", kField},
                                {"shorthand_field_initializer", kElement},
                                {"base_field_initializer", kElement},
                                {"token_tree", kTokens},
                                {"match_block", kMatchBlock},
                                {"tuple_pattern", kPattern},
                                {"tuple_struct_pattern", kPattern},
                                {"ref_pattern", kPattern},
                                {"mut_pattern", kPattern},
                                {"reference_pattern", kPattern},
                                {"captured_pattern", kPattern},
                                {"match_pattern", kPattern},
                                {"field_identifier", kFieldName},
                                {"identifier", kIdentifier},
                                {"type_identifier", kIdentifier},
                                {"primitive_type", kIdentifier},
                                {"crate", kIdentifier},
                                {"super", kIdentifier},
                                {"self", kSelf},
                                {"string_literal", kString, true, true},
                                {"char_literal", kString, true, true},
                                {"raw_string_literal", kRawString, true, true},
                                {"integer_literal", kNumber},
                                {"float_literal", kNumber},
                                {"boolean_literal", kConstant, true, true},
                                {"field_expression", kMember, true, false, true},
                                {"scoped_identifier", kMember, true, false, true},
                                {"scoped_type_identifier", kMember, true, false, true},
                                {"index_expression", kIndex},
                                {"call_expression", kCall, true, false, true},
                                {"macro_invocation", kMacro},
                                {"binary_expression", kBinary, true, false, true},
                                {"unary_expression", kUnary},
                                {"parenthesized_expression", kPassThrough},
                                {"reference_expression", kPassThrough},
                                {"try_expression", kPassThrough, true, false, true},
                                {"type_cast_expression", kPassThrough},
                                {"generic_function", kPassThrough},
                                {"generic_type", kPassThrough},
                                {"generic_type_with_turbofish", kPassThrough},
                                {"reference_type", kPassThrough},
                                {"bracketed_type", kPassThrough},
                                {"struct_expression", kComposite},
                                {"array_expression", kSequence},
                                {"tuple_expression", kSequence},
                                {"await_expression", kAwait},
                                {"block", kBlock},
                                {"async_block", kPassThrough},
                                {"unsafe_block", kPassThrough},
                                {"if_expression", kIf},
                                {"else_clause", kElse},
                                {"match_expression", kMatch},
                                {"while_expression", kLoop},
                                {"loop_expression", kLoop}},
                               {{"name", kName},
                                {"value", kValue},
                                {"left", kLeft},
                                {"right", kRight},
                                {"condition", kCondition},
                                {"body", kBody},
                                {"parameters", kParams},
                                {"type", kType},
                                {"function", kFunction},
                                {"arguments", kGiven},
                                {"pattern", kTarget},
                                {"field", kKey},
                                {"path", kPath},
                                {"macro", kFunction},
                                {"operator", kOperator}});
  return kinds;
}

bool IsWordByte(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

// The end of a text in quotes, of a raw one, or of a remark that begins at `at`; `at` where none does.
std::size_t EndOfOpaque(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  if (text[at] == 'r' && (at == 0 || !IsWordByte(text[at - 1]))) {
    std::size_t hashes = at + 1;
    while (hashes < text.size() && text[hashes] == '#') ++hashes;
    if (hashes < text.size() && text[hashes] == '"') {
      const std::string close = '"' + std::string(hashes - at - 1, '#');
      return std::min(text.find(close, hashes + 1), text.size() - close.size()) + close.size();
    }
  }
  if (text[at] == '\'' && at + 2 < text.size() && text[at + 2] == '\'') return at + 3;
  if (text[at] != '"') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? std::size_t{2} : std::size_t{1};
  return std::min(end + 1, text.size());
}

// json!({"a": x, "b": [y]}): what only the macro can read, as the tuples ("a", x, "b", [y]) of the same length.
void WithTuples(std::string& text) {
  constexpr std::string_view kMacro = "json!(";
  constexpr std::size_t kDeepest = 200;
  std::size_t at = 0;
  for (std::size_t found = text.find(kMacro); found != std::string::npos; found = text.find(kMacro, at)) {
    std::string open;  // brackets that are open: 'o' an object
    for (at = found + kMacro.size() - 1; at < text.size();) {
      if (const std::size_t end = EndOfOpaque(text, at); end > at) {
        at = end;
        continue;
      }
      const char c = text[at];
      if (c == '{') {
        const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
        const bool object = next != std::string::npos && (text[next] == '"' || text[next] == '}');
        open += object ? 'o' : '{';
        if (object) text[at] = '(';
      } else if (c == '(' || c == '[') {
        open += c;
      } else if (c == ')' || c == ']' || c == '}') {
        if (open.empty()) break;
        if (open.back() == 'o') text[at] = ')';
        open.pop_back();
        if (open.empty()) break;
      } else if (c == ':' && open.ends_with('o')) {
        if (text.substr(at, 2) == "::") {
          at += 2;
          continue;
        }
        text[at] = ',';
      }
      ++at;
      if (open.size() > kDeepest) break;
    }
  }
}

// Macros that are called like functions: the grammar keeps what a macro is given as loose words, so it is shown a call
// of the same length, `format_(...)`.
std::string WithCalls(std::string_view text) {
  constexpr auto kCalled = std::to_array<std::string_view>(
      {"format", "print",  "println",    "eprint", "eprintln", "write", "writeln", "panic",       "bail",
       "anyhow", "ensure", "trace",      "debug",  "info",     "warn",  "error",   "include_str", "include_bytes",
       "concat", "env",    "option_env", "vec",    "dbg",      "todo",  "json"});
  std::string out(text);
  WithTuples(out);
  for (std::size_t at = out.find('!'); at != std::string::npos; at = out.find('!', at + 1)) {
    if (at + 1 >= out.size() || out[at + 1] != '(') continue;
    std::size_t from = at;
    while (from > 0 && ((out[from - 1] >= 'a' && out[from - 1] <= 'z') || out[from - 1] == '_')) --from;
    if (std::ranges::find(kCalled, std::string_view(out).substr(from, at - from)) != kCalled.end()) out[at] = '_';
  }
  return out;
}

}  // namespace

Module LowerRust(std::string_view text, std::uint32_t file, const LowerLimits& limits) {
  const std::string parsed = WithCalls(text);
  return Lowering(Language::kRust, Kinds(), text, parsed, file, limits).Run();
}

}  // namespace interlock::scan::code
