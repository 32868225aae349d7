// The first pass over a schema: which values of the document are subschemas, and what names (`$id`, `$anchor`) they go
// by. Internal to the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "json_schema_program.h"

namespace interlock::policy::schema {

// What kind of thing a keyword's value is.
enum class Shape : std::uint8_t {
  kAnnotation,    // says nothing about validity
  kPlain,         // an assertion without subschemas, or a reference
  kSchema,        // one subschema
  kSchemas,       // an array of them
  kSchemaMap,     // an object of them
  kItems,         // draft-07 `items`: one or an array
  kDependencies,  // an object of subschemas and arrays of names
};

enum class Standing : std::uint8_t {
  kUsed,     // defined by the dialect
  kForeign,  // not by this dialect, but it would restrict values in another one: refused
  kUnknown,
};

struct Keyword {
  Standing standing = Standing::kUnknown;
  Shape shape = Shape::kAnnotation;
};
[[nodiscard]] Keyword FindKeyword(std::string_view name, SchemaDialect dialect) noexcept;

// One subschema and what its place gives it.
struct Site {
  base::JsonValue value;
  Index parent = kNone;
  std::string step;  // from the parent, escaped, without the first '/'
  Index base = 0;    // into bases(): the URI that references are resolved against
  Index resource = 0;
  SchemaDialect dialect = SchemaDialect::kDraft2020;
  std::uint32_t depth = 0;
  bool ref_only = false;  // draft-07: `$ref` hides everything beside it
};

class SchemaDocument {
 public:
  // Finds every subschema reachable through keywords, the root first.
  [[nodiscard]] base::Status Read(base::JsonValue root, SchemaDialect default_dialect);

  [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }
  [[nodiscard]] const Site& site(Index node) const noexcept { return sites_[node]; }
  // The node of a value that Read or Resolve found.
  [[nodiscard]] Index NodeAt(base::JsonValue value) const;

  struct Target {
    Index node = kNone;
    bool dynamic = false;  // reached by the name of a `$dynamicAnchor`
    std::string anchor;    // that name
  };
  // What `reference` means at `from`. May find a subschema where no keyword led (and so add nodes). kSchemaRef.
  [[nodiscard]] base::Result<Target> Resolve(Index from, std::string_view reference);
  // (resource, node) of every `$dynamicAnchor` called `name`.
  [[nodiscard]] std::vector<std::pair<Index, Index>> DynamicAnchors(std::string_view name) const;

  [[nodiscard]] std::string PointerOf(Index node) const;
  // An error at `value` (the node itself when missing).
  [[nodiscard]] base::Error Bad(Index node, base::ErrorCode code, std::string_view what,
                                base::JsonValue value = {}) const;

 private:
  struct Anchor {
    Index node = kNone;
    bool dynamic = false;
  };
  struct Resource {
    Index root = kNone;
    std::map<std::string, Anchor, std::less<>> anchors;
  };

  base::Result<Index> Collect(Site site);
  base::Status Identify(Index node);
  base::Status SetDialect(Index node, bool is_resource_root);
  base::Status AddAnchor(Index node, std::string_view name, bool dynamic);
  base::Status CollectChildren(Index node);
  base::Status CollectChild(Index node, base::JsonValue value, std::string step);

  std::vector<Site> sites_;
  std::vector<std::string> bases_;
  std::vector<Resource> resources_;
  std::map<std::string, Index, std::less<>> resource_by_uri_;
  std::unordered_map<std::size_t, Index> node_by_offset_;
  std::uint64_t pointer_work_ = 0;
};

}  // namespace interlock::policy::schema
