#include "code/javascript_nodes.h"

namespace interlock::scan::code::javascript {

// The three grammars share most of their names; a table may hold only names that its grammar has.
#define INTERLOCK_COMMON_NODES                                                                                         \
  {"program", kProgram}, {"comment", kComment, true, true}, {"html_comment", kComment, true, true},                    \
      {"import_statement", kImportStatement}, {"export_statement", kExportStatement},                                  \
      {"expression_statement", kExpressionStatement}, {"lexical_declaration", kDeclaration},                           \
      {"variable_declaration", kDeclaration}, {"variable_declarator", kDeclarator}, {"return_statement", kReturn},     \
      {"throw_statement", kThrow}, {"if_statement", kIf}, {"else_clause", kElse}, {"while_statement", kWhile},         \
      {"do_statement", kDo}, {"for_statement", kFor}, {"for_in_statement", kForIn}, {"switch_statement", kSwitch},     \
      {"switch_body", kSwitchBody}, {"switch_case", kCase}, {"switch_default", kCase}, {"try_statement", kTry},        \
      {"catch_clause", kCatch}, {"finally_clause", kFinally}, {"with_statement", kWith},                               \
      {"labeled_statement", kLabeled}, {"statement_block", kBlock}, {"import_clause", kImportClause},                  \
      {"namespace_import", kNamespaceImport}, {"named_imports", kNamedImports},                                        \
      {"import_specifier", kImportSpecifier}, {"export_clause", kExportClause},                                        \
      {"export_specifier", kExportSpecifier}, {"namespace_export", kNamespaceExport},                                  \
      {"formal_parameters", kParameters}, {"arguments", kArguments}, {"pair", kPair}, {"pair_pattern", kPairPattern},  \
      {"object_assignment_pattern", kObjectAssignPattern}, {"assignment_pattern", kAssignPattern},                     \
      {"rest_pattern", kRestPattern}, {"computed_property_name", kComputedName},                                       \
      {"property_identifier", kPropertyName}, {"private_property_identifier", kPropertyName},                          \
      {"class_heritage", kClassHeritage}, {"class_body", kClassBody}, {"class_static_block", kStaticBlock},            \
      {"decorator", kDecorator}, {"string_fragment", kFragment, true, true}, {"escape_sequence", kEscape, true, true}, \
      {"function_declaration", kFunctionDeclaration}, {"generator_function_declaration", kFunctionDeclaration},        \
      {"function_expression", kFunctionExpression}, {"generator_function", kFunctionExpression},                       \
      {"arrow_function", kArrow}, {"method_definition", kMethod}, {"class_declaration", kClassDeclaration},            \
      {"class", kClassExpression}, {"identifier", kIdentifier}, {"this", kIdentifier}, {"super", kIdentifier},         \
      {"import", kIdentifier}, {"shorthand_property_identifier", kShorthand},                                          \
      {"shorthand_property_identifier_pattern", kShorthandPattern}, {"string", kString},                               \
      {"template_string", kTemplate}, {"template_substitution", kSubstitution}, {"number", kNumber},                   \
      {"true", kConstant}, {"false", kConstant}, {"null", kConstant}, {"undefined", kConstant},                        \
      {"regex", kRegex, true, true}, {"member_expression", kMember, true, false, true},                                \
      {"subscript_expression", kSubscript, true, false, true}, {"call_expression", kCall, true, false, true},          \
      {"new_expression", kNew}, {"binary_expression", kBinary, true, false, true}, {"unary_expression", kUnary},       \
      {"update_expression", kUpdate}, {"ternary_expression", kTernary}, {"assignment_expression", kAssignment},        \
      {"augmented_assignment_expression", kAugmented}, {"sequence_expression", kSequence, true, false, true},          \
      {"parenthesized_expression", kPassThrough}, {"object", kObject}, {"array", kArray},                              \
      {"object_pattern", kObjectPattern}, {"array_pattern", kArrayPattern}, {"spread_element", kSpread},               \
      {"await_expression", kAwait}, {"yield_expression", kYield}, {                                                    \
    "meta_property", kMeta, true, true                                                                                 \
  }

#define INTERLOCK_TYPESCRIPT_NODES                                                                          \
  {"public_field_definition", kField}, {"enum_declaration", kEnum}, {"enum_body", kEnumBody},               \
      {"enum_assignment", kEnumAssignment}, {"internal_module", kNamespace}, {"module", kNamespace},        \
      {"ambient_declaration", kAmbient}, {"import_require_clause", kImportRequire},                         \
      {"required_parameter", kParameter}, {"optional_parameter", kParameter}, {"extends_clause", kExtends}, \
      {"abstract_class_declaration", kClassDeclaration}, {"as_expression", kPassThrough},                   \
      {"satisfies_expression", kPassThrough}, {"non_null_expression", kPassThrough}, {                      \
    "instantiation_expression", kPassThrough                                                                \
  }

#define INTERLOCK_TAG_NODES                                                                        \
  {"jsx_element", kJsx}, {"jsx_self_closing_element", kJsx}, {"jsx_opening_element", kJsxOpening}, \
      {"jsx_attribute", kJsxAttribute}, {                                                          \
    "jsx_expression", kPassThrough                                                                 \
  }

#define INTERLOCK_FIELDS                                                                                            \
  {"left", kFieldLeft}, {"right", kFieldRight}, {"body", kFieldBody}, {"parameter", kFieldParameter},               \
      {"parameters", kFieldParameters}, {"name", kFieldName}, {"value", kFieldValue}, {"key", kFieldKey},           \
      {"object", kFieldObject}, {"property", kFieldProperty}, {"index", kFieldIndex}, {"function", kFieldFunction}, \
      {"arguments", kFieldArguments}, {"constructor", kFieldConstructor}, {"argument", kFieldArgument},             \
      {"condition", kFieldCondition}, {"consequence", kFieldConsequence}, {"alternative", kFieldAlternative},       \
      {"initializer", kFieldInitializer}, {"increment", kFieldIncrement}, {"source", kFieldSource},                 \
      {"alias", kFieldAlias}, {"declaration", kFieldDeclaration}, {"decorator", kFieldDecorator}, {                 \
    "pattern", kFieldPattern                                                                                        \
  }

const NodeKinds& Kinds(bool typescript, bool tags) {
  if (!typescript) {
    static const NodeKinds kJavaScriptKinds(Grammar::kJavaScript,
                                            {INTERLOCK_COMMON_NODES, INTERLOCK_TAG_NODES, {"field_definition", kField}},
                                            {INTERLOCK_FIELDS});
    return kJavaScriptKinds;
  }
  if (tags) {
    static const NodeKinds kTsxKinds(
        Grammar::kTsx, {INTERLOCK_COMMON_NODES, INTERLOCK_TYPESCRIPT_NODES, INTERLOCK_TAG_NODES}, {INTERLOCK_FIELDS});
    return kTsxKinds;
  }
  static const NodeKinds kTypeScriptKinds(
      Grammar::kTypeScript, {INTERLOCK_COMMON_NODES, INTERLOCK_TYPESCRIPT_NODES, {"type_assertion", kPassThrough}},
      {INTERLOCK_FIELDS});
  return kTypeScriptKinds;
}

#undef INTERLOCK_COMMON_NODES
#undef INTERLOCK_TYPESCRIPT_NODES
#undef INTERLOCK_TAG_NODES
#undef INTERLOCK_FIELDS

}  // namespace interlock::scan::code::javascript
