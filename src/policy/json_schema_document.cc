#include "json_schema_document.h"

#include <algorithm>
#include <array>

#include "interlock/base/text.h"
#include "json_schema_uri.h"

namespace interlock::policy::schema {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;
using base::Status;

constexpr std::size_t kMaxNodes = 20'000;
constexpr std::uint32_t kMaxDepth = 64;
constexpr std::size_t kMaxUriBytes = 2048;
// Members stepped over while following pointers: members are found one by one.
constexpr std::uint64_t kMaxPointerWork = 20'000'000;

enum class Draft : std::uint8_t { kBoth, kNew, kOld, kNeither };

struct Row {
  std::string_view name;
  Draft draft;
  Shape shape;
};

// kNew and kOld rows are foreign to the other dialect; kNeither rows restrict values in drafts that are not supported.
constexpr std::array kRows = std::to_array<Row>({
    {"$anchor", Draft::kBoth, Shape::kAnnotation},  // in draft-07 no name: references to it do not resolve
    {"$comment", Draft::kBoth, Shape::kAnnotation},
    {"$defs", Draft::kBoth, Shape::kSchemaMap},
    {"$dynamicAnchor", Draft::kBoth, Shape::kAnnotation},
    {"$dynamicRef", Draft::kNew, Shape::kPlain},
    {"$id", Draft::kBoth, Shape::kAnnotation},
    {"$recursiveAnchor", Draft::kNeither, Shape::kPlain},
    {"$recursiveRef", Draft::kNeither, Shape::kPlain},
    {"$ref", Draft::kBoth, Shape::kPlain},
    {"$schema", Draft::kBoth, Shape::kAnnotation},
    {"$vocabulary", Draft::kBoth, Shape::kAnnotation},
    {"additionalProperties", Draft::kBoth, Shape::kSchema},
    {"allOf", Draft::kBoth, Shape::kSchemas},
    {"anyOf", Draft::kBoth, Shape::kSchemas},
    {"const", Draft::kBoth, Shape::kPlain},
    {"contains", Draft::kBoth, Shape::kSchema},
    {"contentEncoding", Draft::kBoth, Shape::kAnnotation},
    {"contentMediaType", Draft::kBoth, Shape::kAnnotation},
    {"contentSchema", Draft::kBoth, Shape::kAnnotation},
    {"default", Draft::kBoth, Shape::kAnnotation},
    {"definitions", Draft::kBoth, Shape::kSchemaMap},
    {"dependencies", Draft::kBoth, Shape::kDependencies},
    {"dependentRequired", Draft::kNew, Shape::kPlain},
    {"dependentSchemas", Draft::kNew, Shape::kSchemaMap},
    {"deprecated", Draft::kBoth, Shape::kAnnotation},
    {"description", Draft::kBoth, Shape::kAnnotation},
    {"disallow", Draft::kNeither, Shape::kPlain},
    {"divisibleBy", Draft::kNeither, Shape::kPlain},
    {"else", Draft::kBoth, Shape::kSchema},
    {"enum", Draft::kBoth, Shape::kPlain},
    {"examples", Draft::kBoth, Shape::kAnnotation},
    {"exclusiveMaximum", Draft::kBoth, Shape::kPlain},
    {"exclusiveMinimum", Draft::kBoth, Shape::kPlain},
    {"extends", Draft::kNeither, Shape::kPlain},
    {"format", Draft::kBoth, Shape::kPlain},
    {"if", Draft::kBoth, Shape::kSchema},
    {"maxContains", Draft::kNew, Shape::kPlain},
    {"maxItems", Draft::kBoth, Shape::kPlain},
    {"maxLength", Draft::kBoth, Shape::kPlain},
    {"maxProperties", Draft::kBoth, Shape::kPlain},
    {"maximum", Draft::kBoth, Shape::kPlain},
    {"minContains", Draft::kNew, Shape::kPlain},
    {"minItems", Draft::kBoth, Shape::kPlain},
    {"minLength", Draft::kBoth, Shape::kPlain},
    {"minProperties", Draft::kBoth, Shape::kPlain},
    {"minimum", Draft::kBoth, Shape::kPlain},
    {"multipleOf", Draft::kBoth, Shape::kPlain},
    {"not", Draft::kBoth, Shape::kSchema},
    {"oneOf", Draft::kBoth, Shape::kSchemas},
    {"pattern", Draft::kBoth, Shape::kPlain},
    {"patternProperties", Draft::kBoth, Shape::kSchemaMap},
    {"prefixItems", Draft::kNew, Shape::kSchemas},
    {"properties", Draft::kBoth, Shape::kSchemaMap},
    {"propertyNames", Draft::kBoth, Shape::kSchema},
    {"readOnly", Draft::kBoth, Shape::kAnnotation},
    {"required", Draft::kBoth, Shape::kPlain},
    {"then", Draft::kBoth, Shape::kSchema},
    {"title", Draft::kBoth, Shape::kAnnotation},
    {"type", Draft::kBoth, Shape::kPlain},
    {"unevaluatedItems", Draft::kNew, Shape::kSchema},
    {"unevaluatedProperties", Draft::kNew, Shape::kSchema},
    {"uniqueItems", Draft::kBoth, Shape::kPlain},
    {"writeOnly", Draft::kBoth, Shape::kAnnotation},
});
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

bool IsAnchorName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
}

}  // namespace

Keyword FindKeyword(std::string_view name, SchemaDialect dialect) noexcept {
  const bool old = dialect == SchemaDialect::kDraft07;
  // `items` is the one keyword whose shape differs. Its companion is draft-07's alone, but says nothing in either
  // dialect unless `items` is an array, which 2020-12 refuses.
  if (name == "items") return {Standing::kUsed, old ? Shape::kItems : Shape::kSchema};
  if (name == "additionalItems") return {Standing::kUsed, old ? Shape::kSchema : Shape::kAnnotation};
  const auto row = std::ranges::lower_bound(kRows, name, {}, &Row::name);
  if (row == kRows.end() || row->name != name) return {};
  const bool foreign = row->draft == Draft::kNeither || row->draft == (old ? Draft::kNew : Draft::kOld);
  return {foreign ? Standing::kForeign : Standing::kUsed, row->shape};
}

std::string EscapePointerStep(std::string_view step) {
  std::string out;
  out.reserve(step.size());
  for (const char c : step) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string SchemaDocument::PointerOf(Index node) const {
  std::vector<std::string_view> steps;
  for (Index at = node; sites_[at].parent != kNone; at = sites_[at].parent) steps.push_back(sites_[at].step);
  std::string out;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    out += '/';
    out += *it;
  }
  return out;
}

Error SchemaDocument::Bad(Index node, ErrorCode code, std::string_view what, JsonValue value) const {
  const JsonValue at = value.exists() ? value : sites_[node].value;
  std::string message = "`" + base::Printable("#" + PointerOf(node)) + "`: ";
  message += what;
  return Error(code, std::move(message), {.offset = at.offset()});
}

Index SchemaDocument::NodeAt(JsonValue value) const {
  const auto found = node_by_offset_.find(value.offset());
  return found == node_by_offset_.end() ? kNone : found->second;
}

Status SchemaDocument::Read(JsonValue root, SchemaDialect default_dialect) {
  if (!root.exists()) return Error(ErrorCode::kSchemaInvalid, "no schema");
  bases_.emplace_back();
  resources_.emplace_back();
  resources_[0].root = 0;
  resource_by_uri_.emplace("", 0);
  const Result<Index> node = Collect({.value = root, .step = {}, .dialect = default_dialect});
  if (!node.ok()) return node.error();
  return {};
}

Result<Index> SchemaDocument::Collect(Site site) {
  if (const Index known = NodeAt(site.value); known != kNone) return known;
  const auto node = static_cast<Index>(sites_.size());
  const JsonValue value = site.value;
  sites_.push_back(std::move(site));
  if (sites_.size() > kMaxNodes) return Bad(node, ErrorCode::kLimitExceeded, "more than 20,000 subschemas");
  if (sites_[node].depth > kMaxDepth) return Bad(node, ErrorCode::kLimitExceeded, "subschemas nested too deeply");
  node_by_offset_.emplace(value.offset(), node);
  if (value.is_bool()) return node;
  if (!value.is_object()) return Bad(node, ErrorCode::kSchemaInvalid, "a schema is an object or a boolean");
  if (Status s = Identify(node); !s.ok()) return s.error();
  if (Status s = CollectChildren(node); !s.ok()) return s.error();
  return node;
}

Status SchemaDocument::SetDialect(Index node, bool is_resource_root) {
  Site& site = sites_[node];
  const JsonValue value = site.value.Find("$schema");
  if (!value.exists()) return {};
  if (!value.is_string()) return Bad(node, ErrorCode::kSchemaInvalid, "`$schema` is not a string", value);
  std::string_view name = value.string();
  if (name.ends_with('#')) name.remove_suffix(1);
  if (name.starts_with("https:")) {
    name.remove_prefix(6);
  } else if (name.starts_with("http:")) {
    name.remove_prefix(5);
  }
  SchemaDialect dialect{};
  if (name == "//json-schema.org/draft/2020-12/schema") {
    dialect = SchemaDialect::kDraft2020;
  } else if (name == "//json-schema.org/draft-07/schema") {
    dialect = SchemaDialect::kDraft07;
  } else {
    return Bad(node, ErrorCode::kSchemaKeyword, "`$schema` names neither 2020-12 nor draft-07", value);
  }
  if (dialect != site.dialect && !is_resource_root) {
    return Bad(node, ErrorCode::kSchemaKeyword, "`$schema` changes the draft inside a schema", value);
  }
  site.dialect = dialect;
  return {};
}

Status SchemaDocument::AddAnchor(Index node, std::string_view name, bool dynamic) {
  if (!IsAnchorName(name)) return Bad(node, ErrorCode::kSchemaInvalid, "not a name for an anchor");
  auto& anchors = resources_[sites_[node].resource].anchors;
  const auto [at, added] = anchors.try_emplace(std::string(name), Anchor{node, dynamic});
  if (added) return {};
  if (at->second.node != node) return Bad(node, ErrorCode::kSchemaInvalid, "anchor used twice");
  at->second.dynamic = at->second.dynamic || dynamic;
  return {};
}

Status SchemaDocument::Identify(Index node) {
  const JsonValue value = sites_[node].value;
  // Which draft it is decides whether `$ref` hides `$id`, and `$id` decides whether `$schema` may change the draft.
  JsonValue id = value.Find("$id");
  if (id.exists() && !id.is_string()) return Bad(node, ErrorCode::kSchemaInvalid, "`$id` is not a string", id);
  if (Status s = SetDialect(node, node == 0 || (id.exists() && !id.string().starts_with('#'))); !s.ok()) return s;
  const bool old = sites_[node].dialect == SchemaDialect::kDraft07;
  sites_[node].ref_only = old && value.Find("$ref").exists();
  if (sites_[node].ref_only) return {};

  if (id.exists()) {
    const SplitUri split = SplitFragment(id.string());
    if (!split.absolute.empty()) {
      std::string uri = ResolveUri(bases_[sites_[node].base], split.absolute);
      if (uri.size() > kMaxUriBytes) return Bad(node, ErrorCode::kLimitExceeded, "`$id` is too long", id);
      if (node == 0) {
        resource_by_uri_.emplace(uri, 0);
        bases_[0] = std::move(uri);
      } else {
        const auto resource = static_cast<Index>(resources_.size());
        if (!resource_by_uri_.emplace(uri, resource).second) {
          return Bad(node, ErrorCode::kSchemaInvalid, "`$id` used twice", id);
        }
        resources_.emplace_back();
        resources_.back().root = node;
        sites_[node].resource = resource;
        sites_[node].base = static_cast<Index>(bases_.size());
        bases_.push_back(std::move(uri));
      }
    }
    if (split.fragment && !split.fragment->empty()) {
      if (!old) return Bad(node, ErrorCode::kSchemaInvalid, "`$id` has a fragment", id);
      if (Status s = AddAnchor(node, *split.fragment, false); !s.ok()) return s;
    }
  }
  if (old) return {};
  for (const bool dynamic : {false, true}) {
    const JsonValue anchor = value.Find(dynamic ? "$dynamicAnchor" : "$anchor");
    if (!anchor.exists()) continue;
    if (!anchor.is_string()) return Bad(node, ErrorCode::kSchemaInvalid, "an anchor is a string", anchor);
    if (Status s = AddAnchor(node, anchor.string(), dynamic); !s.ok()) return s;
  }
  return {};
}

Status SchemaDocument::CollectChild(Index node, JsonValue value, std::string step) {
  const Site& parent = sites_[node];
  const Result<Index> child = Collect({.value = value,
                                       .parent = node,
                                       .step = std::move(step),
                                       .base = parent.base,
                                       .resource = parent.resource,
                                       .dialect = parent.dialect,
                                       .depth = parent.depth + 1});
  if (!child.ok()) return child.error();
  return {};
}

Status SchemaDocument::CollectChildren(Index node) {
  const JsonValue value = sites_[node].value;
  for (auto it = value.begin(); it != value.end(); ++it) {
    const std::string name(it.key());
    const JsonValue v = *it;
    if (sites_[node].ref_only && name != "definitions" && name != "$defs") continue;
    const Keyword keyword = FindKeyword(name, sites_[node].dialect);
    if (keyword.standing != Standing::kUsed) continue;  // the compiler says what becomes of it
    Shape shape = keyword.shape;
    if (shape == Shape::kItems) shape = v.is_array() ? Shape::kSchemas : Shape::kSchema;
    switch (shape) {
      case Shape::kSchema:
        if (Status s = CollectChild(node, v, name); !s.ok()) return s;
        break;
      case Shape::kSchemas: {
        if (!v.is_array()) return Bad(node, ErrorCode::kSchemaInvalid, "`" + name + "` is not an array", v);
        std::size_t i = 0;
        for (const JsonValue element : v) {
          if (Status s = CollectChild(node, element, name + "/" + std::to_string(i++)); !s.ok()) return s;
        }
        break;
      }
      case Shape::kSchemaMap:
      case Shape::kDependencies:
        if (!v.is_object()) return Bad(node, ErrorCode::kSchemaInvalid, "`" + name + "` is not an object", v);
        for (auto member = v.begin(); member != v.end(); ++member) {
          if (shape == Shape::kDependencies && (*member).is_array()) continue;
          if (Status s = CollectChild(node, *member, name + "/" + EscapePointerStep(member.key())); !s.ok()) return s;
        }
        break;
      case Shape::kAnnotation:
      case Shape::kPlain:
      case Shape::kItems:
        break;
    }
  }
  return {};
}

Result<SchemaDocument::Target> SchemaDocument::Resolve(Index from, std::string_view reference) {
  const auto bad = [&](const char* what) {
    return Bad(from, ErrorCode::kSchemaRef, std::string(what) + ": `" + base::Printable(reference) + "`");
  };
  const SplitUri split = SplitFragment(reference);
  if (split.absolute.size() > kMaxUriBytes) return bad("reference too long");
  const auto found = resource_by_uri_.find(ResolveUri(bases_[sites_[from].base], split.absolute));
  if (found == resource_by_uri_.end()) return bad("not a resource of this document");
  const Resource& resource = resources_[found->second];
  Target out;
  out.node = resource.root;
  if (!split.fragment || split.fragment->empty()) return out;
  const std::optional<std::string> fragment = PercentDecode(*split.fragment);
  if (!fragment || !base::IsValidUtf8(*fragment)) return bad("broken escape in reference");

  if (!fragment->starts_with('/')) {
    const auto anchor = resource.anchors.find(*fragment);
    if (anchor == resource.anchors.end()) return bad("no such anchor");
    return Target{.node = anchor->second.node, .dynamic = anchor->second.dynamic, .anchor = *fragment};
  }
  // Down the pointer, keeping the last subschema on the way: it says what the target's references are relative to.
  std::string_view rest = *fragment;
  JsonValue value = sites_[out.node].value;
  std::string_view since_node = rest;
  while (!rest.empty()) {
    pointer_work_ += value.size() + 1;
    if (pointer_work_ > kMaxPointerWork)
      return Bad(from, ErrorCode::kLimitExceeded, "references take too long to find");
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    value = value.FindPointer(rest.substr(0, end));
    rest.remove_prefix(end);
    if (!value.exists()) return bad("nothing at the end of the pointer");
    if (const Index node = NodeAt(value); node != kNone) {
      out.node = node;
      since_node = rest;
    }
  }
  if (since_node.empty()) return out;
  if (Status s = CollectChild(out.node, value, std::string(since_node.substr(1))); !s.ok()) return s.error();
  out.node = NodeAt(value);
  return out;
}

std::vector<std::pair<Index, Index>> SchemaDocument::DynamicAnchors(std::string_view name) const {
  std::vector<std::pair<Index, Index>> out;
  for (Index r = 0; r < resources_.size(); ++r) {
    const auto anchor = resources_[r].anchors.find(name);
    if (anchor != resources_[r].anchors.end() && anchor->second.dynamic) out.emplace_back(r, anchor->second.node);
  }
  return out;
}

}  // namespace interlock::policy::schema
