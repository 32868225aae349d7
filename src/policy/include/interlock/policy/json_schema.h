// JSON Schema 2020-12 and draft-07, compiled once and then applied without allocating (schemas made of types,
// properties, required, ranges, lengths and enumerations of strings).
//
//   base::Result<JsonSchema> schema = JsonSchema::Compile(doc.root());
//   if (!schema.ok()) return schema.error();                 // says what is wrong and where: a schema is a program
//   SchemaOutcome outcome = schema.value().Validate(arguments);
//   if (!outcome.valid()) ...                                 // violated, or not decided within the budget
//
// Never silently wrong: what this cannot honour is refused by Compile, not skipped.
//   * `$ref`, `$dynamicRef`, `$id`, `$anchor` resolve inside the document; anything else is kSchemaRef. No network.
//   * Patterns are ECMA-262 translated to RE2: linear time; look-around and back-references are kSchemaPattern.
//   * Keywords of other drafts that would restrict the value (`$recursiveRef`, `disallow`, 2020-12 keywords in a
//   draft-07
//     schema, ...) are kSchemaKeyword whatever the options say; so is a `$schema` other than the two drafts.
//   * Numbers are exact (2^53 and 2^53+1 differ, 1.0 equals 1); lengths count code points.
//   * `format` is an annotation unless `assert_formats`; `contentEncoding` and its kin are annotations.
//
// Limits: 20,000 subschemas, 64 deep; 128 different patterns of up to 4 KiB; 256 references or other in-place steps
// before a deeper value is reached (kLimitExceeded). A cycle of those is kSchemaRef.
//
// Thread rule: immutable; any number of threads may validate with one JsonSchema. Copies share the program. Neither the
// schema's document nor the options need to outlive Compile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/base/json.h"
#include "interlock/base/result.h"

namespace interlock::policy {

enum class SchemaDialect : std::uint8_t { kDraft2020, kDraft07 };

// A keyword that neither draft defines, such as a misspelt one. Names that start with "x-" are always annotations.
enum class UnknownKeyword : std::uint8_t {
  kRefuse,    // kSchemaKeyword: for schemas people write as policy
  kAnnotate,  // ignored, as the specification says: for schemas that tools bring along
};

struct SchemaOptions {
  SchemaDialect default_dialect = SchemaDialect::kDraft2020;  // when the schema names none in `$schema`
  UnknownKeyword unknown_keywords = UnknownKeyword::kRefuse;
  // A value whose schema (allOf, $ref and the like included) lists `properties` may have no others, unless the schema
  // speaks of them itself (`additionalProperties`, `patternProperties`, `unevaluatedProperties`).
  bool strict_objects = false;
  // Check date-time, date, time, email, ipv4, ipv6, uri and uuid; the other formats of the specification are then
  // kSchemaKeyword, names it does not define stay annotations.
  bool assert_formats = false;
  // Work for one validation, in steps: about one a subschema applied, a member, a dozen bytes compared, a few bytes
  // matched with a pattern (the larger the pattern, the fewer). A million steps are well below a second.
  std::uint64_t budget = 1'000'000;
  std::uint32_t max_violations = 8;  // reported; at least 1
};

struct SchemaViolation {
  std::string instance_pointer;  // RFC 6901, of the value at fault; of the object when a member is missing
  std::string schema_pointer;    // of the keyword in the schema's document
  std::string keyword;           // "required", ...; "false" for a schema that is plainly false
  std::string message;           // one short line; text from the value is printable and cut
};

struct [[nodiscard]] SchemaOutcome {
  enum class Kind : std::uint8_t {
    kValid,
    kInvalid,
    kUndecided,  // the budget, the nesting or a number's size did not allow an answer: never to be read as valid
  };
  Kind kind = Kind::kUndecided;
  std::vector<SchemaViolation> violations;  // kInvalid: 1 to max_violations, in schema order at each value

  [[nodiscard]] bool valid() const noexcept { return kind == Kind::kValid; }
  [[nodiscard]] bool invalid() const noexcept { return kind == Kind::kInvalid; }
  [[nodiscard]] bool undecided() const noexcept { return kind == Kind::kUndecided; }
  // kSchemaViolation (first violation) or kSchemaBudget. Only when not valid.
  [[nodiscard]] base::Error ToError() const;
};

namespace schema {
struct Program;
}  // namespace schema

class JsonSchema {
 public:
  // kSchemaInvalid, kSchemaKeyword, kSchemaRef, kSchemaPattern, kLimitExceeded; the place is the byte offset in the
  // schema's document, the message starts with the pointer of the subschema.
  [[nodiscard]] static base::Result<JsonSchema> Compile(base::JsonValue schema, const SchemaOptions& options = {});

  // A missing value is undecided.
  [[nodiscard]] SchemaOutcome Validate(base::JsonValue instance) const;
  // With another budget than the options'. Finding and then describing a violation may each use it once.
  [[nodiscard]] SchemaOutcome Validate(base::JsonValue instance, std::uint64_t budget) const;
  // The answer of Validate alone, for who does not ask why.
  [[nodiscard]] SchemaOutcome::Kind KindOf(base::JsonValue instance) const;

  [[nodiscard]] SchemaDialect dialect() const noexcept;

 private:
  explicit JsonSchema(std::shared_ptr<const schema::Program> program);
  std::shared_ptr<const schema::Program> program_;
};

}  // namespace interlock::policy
