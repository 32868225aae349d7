// The second pass: every subschema found by SchemaDocument becomes a node of the program.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "interlock/base/decimal.h"
#include "interlock/base/digest.h"
#include "interlock/base/text.h"
#include "json_schema_document.h"
#include "json_schema_program.h"

namespace interlock::policy::schema {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;
using base::Status;

constexpr std::size_t kMaxPatterns = 128;

// A count such as minLength; one beyond 64 bits is as good as no upper limit, and as a lower limit never reached.
std::optional<std::uint64_t> CountOf(JsonValue value) {
  if (!value.is_number() || !base::IsInteger(value.number_text())) return std::nullopt;
  if (const auto count = value.AsInt64()) {
    if (*count < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*count);
  }
  if (value.number_text().starts_with('-')) return std::nullopt;
  return kNoLimit;
}

std::uint8_t TypeOf(std::string_view name) {
  if (name == "null") return kTypeNull;
  if (name == "boolean") return kTypeBool;
  if (name == "number") return kTypeNumber;
  if (name == "integer") return kTypeInteger;
  if (name == "string") return kTypeString;
  if (name == "array") return kTypeArray;
  if (name == "object") return kTypeObject;
  return 0;
}

void AddValue(ValueSet& set, JsonValue value) {
  switch (value.type()) {
    case base::JsonType::kMissing:
      break;
    case base::JsonType::kNull:
      set.has_null = true;
      break;
    case base::JsonType::kBool:
      (*value.AsBool() ? set.has_true : set.has_false) = true;
      break;
    case base::JsonType::kNumber:
      set.numbers.push_back(base::NormalizeNumber(value.number_text()));
      break;
    case base::JsonType::kString:
      set.strings.emplace_back(value.string());
      break;
    case base::JsonType::kArray:
      set.has_array = true;
      set.composites.push_back(base::CanonicalJson(value));
      break;
    case base::JsonType::kObject:
      set.has_object = true;
      set.composites.push_back(base::CanonicalJson(value));
      break;
  }
}

void SortNames(std::vector<std::string>& names) {
  std::ranges::sort(names, NameLess());
  names.erase(std::ranges::unique(names).begin(), names.end());
}

ValueSet Sorted(ValueSet set) {
  SortNames(set.strings);
  SortNames(set.numbers);
  SortNames(set.composites);
  return set;
}

class Compiler {
 public:
  explicit Compiler(const SchemaOptions& options) : options_(options), program_(std::make_shared<Program>()) {}

  Result<std::shared_ptr<const Program>> Run(JsonValue schema) {
    if (Status s = document_.Read(schema, options_.default_dialect); !s.ok()) return s.error();
    // Following a reference may find subschemas where no keyword led, so the end moves.
    for (Index node = 0; node < document_.size(); ++node) {
      program_->nodes.emplace_back();
      if (Status s = CompileNode(node); !s.ok()) return s.error();
    }
    for (const std::string& name : anchor_names_) {
      program_->dynamic_anchors.push_back(document_.DynamicAnchors(name));
    }
    if (Status s = CheckSteps(); !s.ok()) return s.error();
    if (options_.strict_objects) CloseObjects();
    for (Index node = 0; node < document_.size(); ++node) {
      program_->places.push_back({.parent = document_.site(node).parent, .step = document_.site(node).step});
    }
    program_->dialect = document_.site(0).dialect;
    program_->budget = options_.budget;
    program_->max_violations = std::max<std::uint32_t>(options_.max_violations, 1);
    return std::shared_ptr<const Program>(std::move(program_));
  }

 private:
  // The tables that one node fills; moved into the program when the node is done.
  struct Draft {
    Index id = kNone;
    Node node;
    StringChecks string;
    NumberChecks number;
    ArrayChecks array;
    ObjectChecks object;
    std::map<std::string, Property, NameLess> properties;
    InPlaceChecks in_place;
  };

  Error Invalid(const Draft& d, std::string_view keyword, std::string_view what, JsonValue value) const {
    return document_.Bad(d.id, ErrorCode::kSchemaInvalid, "`" + std::string(keyword) + "` " + std::string(what), value);
  }

  Status CompileNode(Index id) {
    const Site site = document_.site(id);
    Draft d;
    d.id = id;
    d.node.resource = site.resource;
    if (site.value.is_bool()) {
      if (!*site.value.AsBool()) d.node.keywords = kFalse;
    } else {
      d.array.old_names = site.dialect == SchemaDialect::kDraft07;
      for (auto it = site.value.begin(); it != site.value.end(); ++it) {
        if (site.ref_only && it.key() != "$ref") continue;
        if (Status s = CompileKeyword(d, site, it.key(), *it); !s.ok()) return s;
      }
      // Without its condition, a branch says nothing.
      if (d.in_place.if_node == kNone) d.in_place.then_node = d.in_place.else_node = kNone;
    }
    Store(d);
    return {};
  }

  Status CompileKeyword(Draft& d, const Site& site, std::string_view name, JsonValue value) {
    const Keyword keyword = FindKeyword(name, site.dialect);
    if (keyword.standing == Standing::kForeign) {
      return document_.Bad(d.id, ErrorCode::kSchemaKeyword,
                           "`" + std::string(name) + "` restricts values in another draft, not in this schema's",
                           value);
    }
    if (keyword.standing == Standing::kUnknown) {
      if (name.starts_with("x-") || options_.unknown_keywords == UnknownKeyword::kAnnotate) return {};
      return document_.Bad(d.id, ErrorCode::kSchemaKeyword, "unknown keyword `" + base::Printable(name) + "`", value);
    }
    if (keyword.shape == Shape::kAnnotation) return {};
    if (name == "type") return CompileType(d, value);
    if (name == "enum" || name == "const") return CompileValues(d, name, value);
    if (name == "$ref" || name == "$dynamicRef") return CompileReference(d, name, value);
    if (name == "pattern" || name == "format" || name.ends_with("Length")) return CompileString(d, name, value);
    if (const auto slot = NumberSlot(d.number, name)) return CompileNumber(d, **slot, name, value);
    if (IsInPlace(name)) return CompileInPlace(d, name, value);
    if (const std::optional<Status> s = CompileArray(d, name, value)) return *s;
    if (const std::optional<Status> s = CompileObject(d, name, value)) return *s;
    if (name == "$defs" || name == "definitions") return {};
    return document_.Bad(d.id, ErrorCode::kInternal, "keyword without a compiler", value);
  }

  Status CompileType(Draft& d, JsonValue value) {
    const auto add = [&](JsonValue name) {
      const std::uint8_t bit = TypeOf(name.string());
      if (bit == 0 || (d.node.types & bit) != 0) return false;
      d.node.types = static_cast<std::uint8_t>(d.node.types | bit);
      return true;
    };
    bool ok = value.is_string() ? add(value) : value.is_array() && value.size() > 0;
    if (value.is_array()) {
      for (const JsonValue name : value) ok = ok && add(name);
    }
    if (!ok) return Invalid(d, "type", "is not a type or an array of different types", value);
    d.node.keywords |= kType;
    return {};
  }

  Status CompileValues(Draft& d, std::string_view name, JsonValue value) {
    ValueSet set;
    const bool is_const = name == "const";
    if (is_const) {
      AddValue(set, value);
    } else {
      if (!value.is_array()) return Invalid(d, name, "is not an array", value);
      for (const JsonValue element : value) AddValue(set, element);
    }
    (is_const ? d.node.constant : d.node.values) = static_cast<Index>(program_->value_sets.size());
    program_->value_sets.push_back(Sorted(std::move(set)));
    d.node.keywords |= is_const ? kConst : kEnum;
    return {};
  }

  Status CompileReference(Draft& d, std::string_view name, JsonValue value) {
    if (!value.is_string()) return Invalid(d, name, "is not a string", value);
    const Result<SchemaDocument::Target> target = document_.Resolve(d.id, value.string());
    if (!target.ok()) return target.error();
    d.node.keywords |= kInPlace;
    if (name == "$ref") {
      d.in_place.ref = target.value().node;
      return {};
    }
    DynamicRef ref;
    ref.fallback = target.value().node;
    if (target.value().dynamic) {
      const auto [at, added] =
          anchor_index_.try_emplace(target.value().anchor, static_cast<Index>(anchor_names_.size()));
      if (added) anchor_names_.push_back(target.value().anchor);
      ref.anchor = at->second;
    }
    d.in_place.dynamic_ref = static_cast<Index>(program_->dynamic_refs.size());
    program_->dynamic_refs.push_back(ref);
    return {};
  }

  Status CompilePattern(const Draft& d, std::string_view text, JsonValue value, Index& out) {
    const auto known = pattern_index_.find(text);
    if (known != pattern_index_.end()) {
      out = known->second;
      return {};
    }
    if (program_->patterns.size() >= kMaxPatterns) {
      return document_.Bad(d.id, ErrorCode::kLimitExceeded, "more than 128 different patterns", value);
    }
    Result<Pattern> pattern = Pattern::Compile(text);
    if (!pattern.ok()) {
      return document_.Bad(d.id, pattern.error().code(),
                           "`" + base::Printable(text) + "`: " + pattern.error().message(), value);
    }
    out = static_cast<Index>(program_->patterns.size());
    program_->patterns.push_back(std::move(pattern.value()));
    pattern_index_.emplace(text, out);
    return {};
  }

  Status CompileString(Draft& d, std::string_view name, JsonValue value) {
    if (name == "minLength" || name == "maxLength") {
      const auto count = CountOf(value);
      if (!count) return Invalid(d, name, "is not a count", value);
      (name == "minLength" ? d.string.min_length : d.string.max_length) = *count;
      d.node.keywords |= kString;
      return {};
    }
    if (!value.is_string()) return Invalid(d, name, "is not a string", value);
    if (name == "pattern") {
      d.node.keywords |= kString;
      return CompilePattern(d, value.string(), value, d.string.pattern);
    }
    if (!options_.assert_formats) return {};
    switch (FindFormat(value.string(), d.string.format)) {
      case FormatName::kAsserted:
        d.node.keywords |= kString;
        return {};
      case FormatName::kKnownOnly:
        return document_.Bad(d.id, ErrorCode::kSchemaKeyword, "`format` that cannot be checked", value);
      case FormatName::kUnknown:
        break;
    }
    return {};
  }

  static std::optional<Bound*> NumberSlot(NumberChecks& n, std::string_view name) {
    if (name == "minimum") return &n.minimum;
    if (name == "maximum") return &n.maximum;
    if (name == "exclusiveMinimum") return &n.exclusive_minimum;
    if (name == "exclusiveMaximum") return &n.exclusive_maximum;
    if (name == "multipleOf") return &n.multiple_of;
    return std::nullopt;
  }

  Status CompileNumber(Draft& d, Bound& slot, std::string_view name, JsonValue value) {
    if (!value.is_number()) return Invalid(d, name, "is not a number", value);
    if (name == "multipleOf" && base::CompareNumbers(value.number_text(), "0") <= 0) {
      return Invalid(d, name, "is not greater than 0", value);
    }
    slot.text = base::NormalizeNumber(value.number_text());
    slot.small = SmallInteger(slot.text);
    d.node.keywords |= kNumber;
    return {};
  }

  static bool IsInPlace(std::string_view name) {
    return name == "allOf" || name == "anyOf" || name == "oneOf" || name == "not" || name == "if" || name == "then" ||
           name == "else";
  }

  Status CompileInPlace(Draft& d, std::string_view name, JsonValue value) {
    d.node.keywords |= kInPlace;
    InPlaceChecks& p = d.in_place;
    if (name == "not") {
      p.negated = document_.NodeAt(value);
    } else if (name == "if") {
      p.if_node = document_.NodeAt(value);
    } else if (name == "then") {
      p.then_node = document_.NodeAt(value);
    } else if (name == "else") {
      p.else_node = document_.NodeAt(value);
    } else {
      if (value.size() == 0) return Invalid(d, name, "is empty", value);
      auto& list = name == "allOf" ? p.all_of : name == "anyOf" ? p.any_of : p.one_of;
      for (const JsonValue element : value) list.push_back(document_.NodeAt(element));
    }
    return {};
  }

  std::optional<Status> CompileArray(Draft& d, std::string_view name, JsonValue value) {
    ArrayChecks& a = d.array;
    std::uint32_t bit = kArray;
    std::uint64_t* count = name == "minItems"      ? &a.min_items
                           : name == "maxItems"    ? &a.max_items
                           : name == "minContains" ? &a.min_contains
                           : name == "maxContains" ? &a.max_contains
                                                   : nullptr;
    if (count != nullptr) {
      const auto given = CountOf(value);
      if (!given) return Invalid(d, name, "is not a count", value);
      *count = *given;
    } else if (name == "uniqueItems") {
      if (!value.is_bool()) return Invalid(d, name, "is not a boolean", value);
      a.unique = *value.AsBool();
    } else if (name == "prefixItems" || (name == "items" && value.is_array())) {
      if (name == "prefixItems" && value.size() == 0) return Invalid(d, name, "is empty", value);
      for (const JsonValue element : value) a.prefix.push_back(document_.NodeAt(element));
    } else if (name == "items") {
      a.rest = document_.NodeAt(value);
    } else if (name == "additionalItems") {
      // Says nothing unless `items` is an array.
      if (document_.site(d.id).value.Find("items").is_array()) a.rest = document_.NodeAt(value);
    } else if (name == "contains") {
      a.contains = document_.NodeAt(value);
    } else if (name == "unevaluatedItems") {
      d.node.unevaluated_items = document_.NodeAt(value);
      bit = kUnevaluatedItems;
    } else {
      return std::nullopt;
    }
    d.node.keywords |= bit;
    return Status();
  }

  // A list of different names; null when it is not one.
  static std::optional<std::vector<std::string>> NamesOf(JsonValue value) {
    if (!value.is_array()) return std::nullopt;
    std::vector<std::string> out;
    for (const JsonValue name : value) {
      if (!name.is_string()) return std::nullopt;
      out.emplace_back(name.string());
    }
    const std::size_t given = out.size();
    SortNames(out);
    if (out.size() != given) return std::nullopt;
    return out;
  }

  Property& PropertyOf(Draft& d, std::string_view name) {
    Property& property = d.properties[std::string(name)];
    property.name = name;
    return property;
  }

  std::optional<Status> CompileObject(Draft& d, std::string_view name, JsonValue value) {
    ObjectChecks& o = d.object;
    std::uint32_t bit = kObject;
    if (name == "properties") {
      o.lists_properties = true;
      for (auto it = value.begin(); it != value.end(); ++it) PropertyOf(d, it.key()).node = document_.NodeAt(*it);
    } else if (name == "required") {
      const auto names = NamesOf(value);
      if (!names) return Invalid(d, name, "is not an array of different strings", value);
      for (const std::string& required : *names) PropertyOf(d, required).required = true;
      o.required = names->size();
    } else if (name == "patternProperties") {
      for (auto it = value.begin(); it != value.end(); ++it) {
        Index pattern = kNone;
        if (Status s = CompilePattern(d, it.key(), *it, pattern); !s.ok()) return s;
        o.patterns.emplace_back(pattern, document_.NodeAt(*it));
      }
    } else if (name == "additionalProperties") {
      o.additional = document_.NodeAt(value);
    } else if (name == "propertyNames") {
      o.names = document_.NodeAt(value);
    } else if (name == "minProperties" || name == "maxProperties") {
      const auto count = CountOf(value);
      if (!count) return Invalid(d, name, "is not a count", value);
      (name == "minProperties" ? o.min_properties : o.max_properties) = *count;
    } else if (name == "dependentRequired" || name == "dependentSchemas" || name == "dependencies") {
      return CompileDependencies(d, name, value);
    } else if (name == "unevaluatedProperties") {
      d.node.unevaluated_properties = document_.NodeAt(value);
      bit = kUnevaluatedProperties;
    } else {
      return std::nullopt;
    }
    d.node.keywords |= bit;
    return Status();
  }

  Status CompileDependencies(Draft& d, std::string_view name, JsonValue value) {
    if (!value.is_object()) return Invalid(d, name, "is not an object", value);
    for (auto it = value.begin(); it != value.end(); ++it) {
      ObjectChecks::Dependency dependency;
      dependency.name = it.key();
      dependency.keyword = name == "dependencies"       ? "dependencies"
                           : name == "dependentSchemas" ? "dependentSchemas"
                                                        : "dependentRequired";
      if (name == "dependentRequired" || (name == "dependencies" && (*it).is_array())) {
        auto names = NamesOf(*it);
        if (!names) return Invalid(d, name, "is not an array of different strings", *it);
        dependency.required = std::move(*names);
      } else {
        dependency.node = document_.NodeAt(*it);
      }
      d.object.dependencies.push_back(std::move(dependency));
    }
    d.node.keywords |= kObject;
    return {};
  }

  void Store(Draft& d) {
    Program& p = *program_;
    const auto keep = [&d](std::uint32_t bit, auto& table, auto& checks, Index& slot) {
      if (!d.node.Has(bit)) return;
      slot = static_cast<Index>(table.size());
      table.push_back(std::move(checks));
    };
    for (auto& [name, property] : d.properties) d.object.properties.push_back(std::move(property));
    keep(kString, p.strings, d.string, d.node.string);
    keep(kNumber, p.numbers, d.number, d.node.number);
    keep(kArray, p.arrays, d.array, d.node.array);
    keep(kObject, p.objects, d.object, d.node.object);
    keep(kInPlace, p.in_places, d.in_place, d.node.in_place);
    p.nodes[d.id] = d.node;
  }

  // Nodes that are applied to the same value. `positive`: leave out `not`, whose success says nothing about members.
  template <class Use>
  void ForEachStep(const Node& node, bool positive, Use&& use) const {
    const auto one = [&use](Index to) {
      if (to != kNone) use(to);
    };
    if (node.in_place != kNone) {
      const InPlaceChecks& in_place = program_->in_places[node.in_place];
      one(in_place.ref);
      if (in_place.dynamic_ref != kNone) one(program_->dynamic_refs[in_place.dynamic_ref].fallback);
      for (const auto* list : {&in_place.all_of, &in_place.any_of, &in_place.one_of}) {
        for (const Index to : *list) use(to);
      }
      if (!positive) one(in_place.negated);
      one(in_place.if_node);
      one(in_place.then_node);
      one(in_place.else_node);
    }
    if (node.object != kNone) {
      for (const auto& dependency : program_->objects[node.object].dependencies) one(dependency.node);
    }
  }

  // A cycle of in-place steps never ends; a long chain of them costs stack for nothing. (A cycle through `$dynamicRef`
  // shows only during evaluation, which is bounded.)
  Status CheckSteps() const {
    enum class State : std::uint8_t { kNew, kOpen, kDone };
    struct Frame {
      Index node;
      std::vector<Index> steps;
      std::size_t next = 0;
    };
    const std::size_t count = program_->nodes.size();
    std::vector<State> state(count, State::kNew);
    std::vector<std::uint32_t> height(count, 0);
    std::vector<Frame> stack;
    const auto open = [&](Index node) {
      state[node] = State::kOpen;
      Frame frame{.node = node, .steps = {}};
      ForEachStep(program_->nodes[node], false, [&frame](Index to) { frame.steps.push_back(to); });
      stack.push_back(std::move(frame));
    };
    for (Index start = 0; start < count; ++start) {
      if (state[start] != State::kNew) continue;
      open(start);
      while (!stack.empty()) {
        Frame& top = stack.back();
        if (top.next == top.steps.size()) {
          for (const Index to : top.steps) height[top.node] = std::max(height[top.node], height[to] + 1);
          if (height[top.node] > kMaxInPlaceSteps) {
            return document_.Bad(top.node, ErrorCode::kLimitExceeded,
                                 "more than 256 references to follow at one value");
          }
          state[top.node] = State::kDone;
          stack.pop_back();
          continue;
        }
        const Index to = top.steps[top.next++];
        if (state[to] == State::kOpen) return document_.Bad(to, ErrorCode::kSchemaRef, "refers to itself endlessly");
        if (state[to] == State::kNew) open(to);
      }
    }
    return {};
  }

  [[nodiscard]] Index DynamicAnchorOf(const Node& node) const {
    if (node.in_place == kNone) return kNone;
    const Index ref = program_->in_places[node.in_place].dynamic_ref;
    return ref == kNone ? kNone : program_->dynamic_refs[ref].anchor;
  }

  // strict_objects: a node is closed when it, or what it applies to the same value, lists properties. Enforced only
  // where a value is entered by that node, so that the parts of an allOf do not exclude each other's members.
  void CloseObjects() {
    const std::size_t count = program_->nodes.size();
    const auto& anchors = program_->dynamic_anchors;
    // A dynamic anchor stands, behind the nodes, for whatever it may turn out to mean.
    std::vector<std::vector<Index>> users(count + anchors.size());
    std::vector<Index> work;
    std::vector<bool> lists(users.size(), false);
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      for (const auto& [resource, node] : anchors[a]) users[node].push_back(static_cast<Index>(count + a));
    }
    for (Index node = 0; node < count; ++node) {
      const Node& n = program_->nodes[node];
      ForEachStep(n, true, [&](Index to) { users[to].push_back(node); });
      if (const Index anchor = DynamicAnchorOf(n); anchor != kNone) users[count + anchor].push_back(node);
      if (n.object != kNone && program_->objects[n.object].lists_properties) {
        lists[node] = true;
        work.push_back(node);
      }
    }
    while (!work.empty()) {
      const Index node = work.back();
      work.pop_back();
      for (const Index user : users[node]) {
        if (lists[user]) continue;
        lists[user] = true;
        work.push_back(user);
      }
    }
    for (Index node = 0; node < count; ++node) {
      Node& n = program_->nodes[node];
      const bool speaks =
          n.Has(kUnevaluatedProperties) || (n.object != kNone && program_->objects[n.object].additional != kNone);
      if (lists[node] && !speaks) n.keywords |= kClosed;
    }
  }

  const SchemaOptions& options_;
  SchemaDocument document_;
  std::shared_ptr<Program> program_;
  std::map<std::string, Index, std::less<>> pattern_index_;
  std::map<std::string, Index> anchor_index_;
  std::vector<std::string> anchor_names_;
};

}  // namespace

std::string Program::PointerOf(Index node) const {
  std::vector<std::string_view> steps;
  for (Index at = node; places[at].parent != kNone; at = places[at].parent) steps.push_back(places[at].step);
  std::string out;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    out += '/';
    out += *it;
  }
  return out;
}

Result<std::shared_ptr<const Program>> CompileProgram(JsonValue schema, const SchemaOptions& options) {
  return Compiler(options).Run(schema);
}

}  // namespace interlock::policy::schema
