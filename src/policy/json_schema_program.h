// What a JSON Schema compiles to. Internal: use interlock/policy/json_schema.h.
//
// A node is one subschema; `keywords` says which groups of checks it has, each held in a table of its own, so that a
// node stays small and a check that is not there costs one bit test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/policy/json_schema.h"
#include "json_schema_format.h"
#include "json_schema_pattern.h"

namespace interlock::policy::schema {

using Index = std::uint32_t;
constexpr Index kNone = std::numeric_limits<Index>::max();
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Deepest chain of steps that stay at one value ($ref, allOf, ...), and deepest nesting of an evaluation in all.
constexpr std::uint32_t kMaxInPlaceSteps = 256;
constexpr std::uint32_t kMaxEvaluationDepth = 640;

enum TypeBit : std::uint8_t {
  kTypeNull = 1,
  kTypeBool = 2,
  kTypeNumber = 4,  // any number
  kTypeInteger = 8,
  kTypeString = 16,
  kTypeArray = 32,
  kTypeObject = 64,
};

enum KeywordBit : std::uint32_t {
  kFalse = 1U << 0U,
  kType = 1U << 1U,
  kEnum = 1U << 2U,
  kString = 1U << 3U,
  kNumber = 1U << 4U,
  kArray = 1U << 5U,
  kObject = 1U << 6U,
  kInPlace = 1U << 7U,
  kUnevaluatedItems = 1U << 8U,
  kUnevaluatedProperties = 1U << 9U,
  // strict_objects: members that nothing speaks of are violations when this node is what a value is entered by.
  kClosed = 1U << 10U,
  kConst = 1U << 11U,
};

// Sorted by (size, bytes): most comparisons end at the size, and hostile names cannot make a search longer than log n.
struct NameLess {
  bool operator()(std::string_view a, std::string_view b) const noexcept {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

struct ValueSet {
  std::vector<std::string> strings;     // sorted by NameLess
  std::vector<std::string> numbers;     // canonical, sorted by NameLess
  std::vector<std::string> composites;  // arrays and objects, canonical JSON, sorted by NameLess
  bool has_null = false;
  bool has_true = false;
  bool has_false = false;
  bool has_array = false;
  bool has_object = false;
};

struct StringChecks {
  std::uint64_t min_length = 0;  // code points
  std::uint64_t max_length = kNoLimit;
  Index pattern = kNone;
  Format format = Format::kNone;
};

struct Bound {
  std::string text;  // canonical; empty: none
  std::optional<std::int64_t> small;
};

struct NumberChecks {
  Bound minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;
};

// The value of a number written with up to 18 digits and nothing else: most need no decimal arithmetic.
[[nodiscard]] constexpr std::optional<std::int64_t> SmallInteger(std::string_view text) noexcept {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

struct ArrayChecks {
  std::vector<Index> prefix;
  Index rest = kNone;  // items after the prefix
  Index contains = kNone;
  std::uint64_t min_contains = 1;
  std::uint64_t max_contains = kNoLimit;
  std::uint64_t min_items = 0;
  std::uint64_t max_items = kNoLimit;
  bool unique = false;
  bool old_names = false;  // draft-07: the prefix is `items`, the rest `additionalItems`
};

struct Property {
  std::string name;
  Index node = kNone;  // none: only required
  bool required = false;
};

struct ObjectChecks {
  std::vector<Property> properties;               // sorted by NameLess
  std::uint64_t required = 0;                     // how many of them are
  std::vector<std::pair<Index, Index>> patterns;  // (pattern, node)
  Index additional = kNone;
  Index names = kNone;
  std::uint64_t min_properties = 0;
  std::uint64_t max_properties = kNoLimit;
  struct Dependency {
    std::string name;
    std::vector<std::string> required;
    Index node = kNone;  // applied to the whole object
    std::string_view keyword;
  };
  std::vector<Dependency> dependencies;
  bool lists_properties = false;  // has `properties`
};

struct DynamicRef {
  Index fallback = kNone;  // what the reference means lexically
  Index anchor = kNone;    // into Program::dynamic_anchors; none: a plain reference after all
};

// (resource, node) of every dynamic anchor of one name, by resource.
using DynamicAnchor = std::vector<std::pair<Index, Index>>;

struct InPlaceChecks {
  Index ref = kNone;
  Index dynamic_ref = kNone;  // into Program::dynamic_refs
  std::vector<Index> all_of, any_of, one_of;
  Index negated = kNone;
  Index if_node = kNone, then_node = kNone, else_node = kNone;
};

struct Node {
  std::uint32_t keywords = 0;
  std::uint8_t types = 0;
  Index values = kNone;
  Index constant = kNone;
  Index string = kNone;
  Index number = kNone;
  Index array = kNone;
  Index object = kNone;
  Index in_place = kNone;
  Index unevaluated_items = kNone;
  Index unevaluated_properties = kNone;
  Index resource = 0;
  [[nodiscard]] bool Has(std::uint32_t bits) const noexcept { return (keywords & bits) != 0; }
};

// Where a node lies in the schema's document: the parent's pointer plus `step` ("properties/a~1b"), "" at the root.
struct NodePlace {
  Index parent = kNone;
  std::string step;
};

struct Program {
  std::vector<Node> nodes;  // the root is 0
  std::vector<NodePlace> places;
  std::vector<ValueSet> value_sets;
  std::vector<StringChecks> strings;
  std::vector<NumberChecks> numbers;
  std::vector<ArrayChecks> arrays;
  std::vector<ObjectChecks> objects;
  std::vector<InPlaceChecks> in_places;
  std::vector<DynamicRef> dynamic_refs;
  std::vector<DynamicAnchor> dynamic_anchors;
  std::vector<Pattern> patterns;
  SchemaDialect dialect = SchemaDialect::kDraft2020;
  std::uint64_t budget = 0;
  std::uint32_t max_violations = 1;

  // RFC 6901 pointer of a node in the schema's document.
  [[nodiscard]] std::string PointerOf(Index node) const;
};

// "~" and "/" escaped as a pointer wants them.
[[nodiscard]] std::string EscapePointerStep(std::string_view step);

[[nodiscard]] base::Result<std::shared_ptr<const Program>> CompileProgram(base::JsonValue schema,
                                                                          const SchemaOptions& options);
[[nodiscard]] SchemaOutcome Run(const Program& program, base::JsonValue instance, std::uint64_t budget);
[[nodiscard]] SchemaOutcome::Kind KindOf(const Program& program, base::JsonValue instance, std::uint64_t budget);

}  // namespace interlock::policy::schema
