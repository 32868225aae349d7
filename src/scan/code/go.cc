// Go's grammar in the words of typed_lowering.h.
#include "code/typed_lowering.h"

namespace interlock::scan::code {
namespace {

using namespace typed;  // NOLINT: the kinds

const NodeKinds& Kinds() {
  static const NodeKinds kinds(Grammar::kGo,
                               {{"comment", kComment, true, true},
                                {"function_declaration", kFunctionDef},
                                {"method_declaration", kMethodDef},
                                {"func_literal", kClosure},
                                {"type_spec", kTypeDef},
                                {"field_declaration", kFieldDeclaration},
                                {"parameter_list", kParameters},
                                {"parameter_declaration", kParameter},
                                {"variadic_parameter_declaration", kVariadicParameter},
                                {"import_spec", kImport},
                                {"expression_statement", kExpressionStatement},
                                {"go_statement", kExpressionStatement},
                                {"defer_statement", kExpressionStatement},
                                {"return_statement", kReturn},
                                {"assignment_statement", kAssign},
                                {"short_var_declaration", kDeclare},
                                {"var_spec", kDeclare},
                                {"const_spec", kDeclare},
                                {"range_clause", kDeclare},
                                {"receive_statement", kDeclare},
                                {"send_statement", kSend},
                                {"expression_case", kBranch},
                                {"type_case", kBranch},
                                {"default_case", kBranch},
                                {"communication_case", kBranch},
                                {"argument_list", kArguments},
                                {"literal_value", kFields},
                                {"keyed_element", kField},
                                {"literal_element", kElement},
                                {"field_identifier", kFieldName},
                                {"identifier", kIdentifier},
                                {"type_identifier", kIdentifier},
                                {"package_identifier", kIdentifier},
                                {"interpreted_string_literal", kString, true, true},
                                {"raw_string_literal", kRawString, true, true},
                                {"rune_literal", kString, true, true},
                                {"int_literal", kNumber},
                                {"float_literal", kNumber},
                                {"true", kConstant},
                                {"false", kConstant},
                                {"nil", kConstant},
                                {"selector_expression", kMember, true, false, true},
                                {"qualified_type", kMember},
                                {"index_expression", kIndex},
                                {"slice_expression", kSlice},
                                {"call_expression", kCall, true, false, true},
                                {"binary_expression", kBinary, true, false, true},
                                {"unary_expression", kUnary},
                                {"parenthesized_expression", kPassThrough},
                                {"type_assertion_expression", kPassThrough},
                                {"variadic_argument", kPassThrough},
                                {"pointer_type", kPassThrough},
                                {"generic_type", kPassThrough},
                                {"type_conversion_expression", kConversion},
                                {"composite_literal", kComposite},
                                {"map_type", kContainerType},
                                {"slice_type", kContainerType},
                                {"array_type", kContainerType},
                                {"implicit_length_array_type", kContainerType},
                                {"expression_list", kExpressionList},
                                {"block", kBlock},
                                {"if_statement", kIf}},
                               {{"name", kName},
                                {"value", kValue},
                                {"left", kLeft},
                                {"right", kRight},
                                {"condition", kCondition},
                                {"body", kBody},
                                {"parameters", kParams},
                                {"receiver", kOwner},
                                {"type", kType},
                                {"function", kFunction},
                                {"arguments", kGiven},
                                {"operand", kOperand},
                                {"channel", kTarget},
                                {"key", kKey},
                                {"path", kPath},
                                {"start", kStart},
                                {"end", kStop},
                                {"operator", kOperator}});
  return kinds;
}

}  // namespace

Module LowerGo(std::string_view text, std::uint32_t file, const LowerLimits& limits) {
  return Lowering(Language::kGo, Kinds(), text, text, file, limits).Run();
}

}  // namespace interlock::scan::code
