// Node kinds of tree-sitter-python that lowering tells apart. Part of python.cc.
#pragma once

#include "code/tree.h"

namespace interlock::scan::code::python {

enum Kind : NodeKind {
  kOther = kOtherNode,
  kModule,
  kBlock,
  kComment,
  kLineContinuation,
  // Statements
  kImport,
  kImportFrom,
  kFutureImport,
  kPrint,
  kAssert,
  kExpressionStatement,
  kReturn,
  kDelete,
  kRaise,
  kGlobal,
  kNonlocal,
  kExec,
  kTypeAlias,
  kIf,
  kElif,
  kElse,
  kMatch,
  kCase,
  kFor,
  kWhile,
  kTry,
  kExcept,
  kFinally,
  kWith,
  kWithClause,
  kWithItem,
  kFunctionDef,
  kClassDef,
  kDecorated,
  kDecorator,
  kSimpleNothing,  // pass, break, continue
  // Parts
  kAliasedImport,
  kDottedName,
  kRelativeImport,
  kImportPrefix,
  kWildcard,
  kParameters,
  kDefaultParameter,
  kTypedParameter,
  kTypedDefaultParameter,
  kSeparator,  // `*` and `/` in parameters
  kTypeParameter,
  kArgumentList,
  kKeywordArgument,
  kPair,
  kForIn,
  kIfClause,
  kSlice,
  kAssignment,
  kAugmented,
  kStringStart,
  kStringContent,
  kStringEnd,
  kInterpolation,
  kFormatSpecifier,
  kTypeConversion,
  kCasePattern,
  kClassPattern,
  kKeywordPattern,
  kChevron,
  // Expressions
  kFirstExpression,
  kIdentifier = kFirstExpression,
  kString,
  kConcatenated,
  kNumber,
  kConstant,
  kAttribute,
  kSubscript,
  kCall,
  kBinary,
  kBoolean,
  kNot,
  kUnary,
  kComparison,
  kConditional,
  kLambda,
  kNamed,
  kAwait,
  kYield,
  kSequence,  // list, tuple, set, expression and pattern lists
  kSplat,
  kDictionary,
  kComprehension,
  kPassThrough,  // parentheses, annotations
  kAsPattern,
  kGenericType,
  kCompositeType,  // unions and the like: parts only
};

enum Field : NodeField {
  kNoField = kOtherField,
  kFieldName,
  kFieldAlias,
  kFieldModule,
  kFieldBody,
  kFieldLeft,
  kFieldRight,
  kFieldType,
  kFieldValue,
  kFieldKey,
  kFieldCondition,
  kFieldSubject,
  kFieldFunction,
  kFieldArguments,
  kFieldObject,
  kFieldAttribute,
  kFieldSubscript,
  kFieldParameters,
  kFieldSuperclasses,
  kFieldExpression,
  kFieldCause,
  kFieldGuard,
  kFieldCode,
};

[[nodiscard]] const NodeKinds& Kinds();

// What a literal's `body` says: escapes undone, `{{` and `}}` of f-strings halved. `prefix` in lower case, without
// quotes.
struct Literal {
  bool raw = false;
  bool bytes = false;
  bool format = false;
};
[[nodiscard]] Literal LiteralOf(std::string_view start);
// False: the bytes themselves are the value.
[[nodiscard]] bool NeedsUnescape(std::string_view body, Literal literal);
void AppendUnescaped(std::string_view body, Literal literal, std::string* out);

}  // namespace interlock::scan::code::python
