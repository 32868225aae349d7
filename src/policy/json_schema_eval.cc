// Applies a program to a value. First silently, stopping at the first fault: that is the path of every valid value, and
// it keeps no books. Only a value that does not fit is gone through again, to say why.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "interlock/base/decimal.h"
#include "interlock/base/digest.h"
#include "interlock/base/text.h"
#include "json_schema_program.h"

namespace interlock::policy::schema {
namespace {

using base::JsonType;
using base::JsonValue;

// kStop: undecided. Never turned into either of the others.
enum class Fit : std::uint8_t { kYes, kNo, kStop };

// A value, or the name of a member (which is a string without a JsonValue of its own).
struct View {
  JsonValue value;
  JsonType type;
  std::string_view text;  // of a string or number

  explicit View(JsonValue v) : value(v), type(v.type()) {
    if (type == JsonType::kString) {
      text = v.string();
    } else if (type == JsonType::kNumber) {
      text = v.number_text();
    }
  }
  explicit View(std::string_view name) : type(JsonType::kString), text(name) {}
};

// Where a value lies, as a chain through the evaluation's stack; read only to describe a violation.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;
  bool is_key = false;
};

// The resources entered on the way here, for $dynamicRef.
struct Scope {
  const Scope* parent;
  Index resource;
};

// Which members or elements of one value have been spoken of.
class IndexSet {
 public:
  [[nodiscard]] bool Has(std::size_t i) const noexcept {
    if (all_) return true;
    const std::size_t word = i / 64;
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    if (word < near_.size()) return (near_[word] & bit) != 0;
    return word - near_.size() < far_.size() && (far_[word - near_.size()] & bit) != 0;
  }
  void Add(std::size_t i) {
    if (all_) return;
    const std::size_t word = i / 64;
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    if (word < near_.size()) {
      near_[word] |= bit;
      return;
    }
    const std::size_t far = word - near_.size();
    if (far >= far_.size()) far_.resize(far + 1, 0);
    far_[far] |= bit;
  }
  void AddAll() noexcept { all_ = true; }
  void AddAll(const IndexSet& other) {
    all_ = all_ || other.all_;
    if (all_) return;
    for (std::size_t i = 0; i < near_.size(); ++i) near_[i] |= other.near_[i];
    if (far_.size() < other.far_.size()) far_.resize(other.far_.size(), 0);
    for (std::size_t i = 0; i < other.far_.size(); ++i) far_[i] |= other.far_[i];
  }
  // What merging or clearing costs, for the budget.
  [[nodiscard]] std::uint64_t Words() const noexcept { return far_.size() / 4; }

 private:
  std::array<std::uint64_t, 2> near_{};
  std::vector<std::uint64_t> far_;
  bool all_ = false;
};

std::uint8_t BitsOf(JsonType type) {
  switch (type) {
    case JsonType::kMissing:
      return 0;
    case JsonType::kNull:
      return kTypeNull;
    case JsonType::kBool:
      return kTypeBool;
    case JsonType::kNumber:
      return kTypeNumber;
    case JsonType::kString:
      return kTypeString;
    case JsonType::kArray:
      return kTypeArray;
    case JsonType::kObject:
      return kTypeObject;
  }
  return 0;
}

bool IsIntegerText(std::string_view text) {
  // Digits alone need no decimal arithmetic.
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '-'; }) || base::IsInteger(text);
}

std::uint64_t CodePoints(std::string_view text) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

const Property* FindProperty(const std::vector<Property>& properties, std::string_view name) {
  const auto at = std::ranges::lower_bound(properties, name, NameLess(), &Property::name);
  return at != properties.end() && at->name == name ? &*at : nullptr;
}

bool Contains(const std::vector<std::string>& sorted, std::string_view text) {
  return std::ranges::binary_search(sorted, text, NameLess());
}

std::string NamesOfTypes(std::uint8_t types) {
  constexpr std::array<std::string_view, 7> kNames = {"null",   "boolean", "number", "integer",
                                                      "string", "array",   "object"};
  std::string out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if ((types >> i & 1) == 0) continue;
    if (!out.empty()) out += " or ";
    out += kNames[i];
  }
  return out;
}

std::string Quoted(std::string_view text) { return "`" + base::Printable(text, 60) + "`"; }

class Evaluator {
 public:
  Evaluator(const Program& program, std::uint64_t budget, std::vector<SchemaViolation>* report)
      : p_(program), left_(budget), report_(report) {}

  Fit Start(JsonValue instance) {
    const Scope scope{.parent = nullptr, .resource = p_.nodes[0].resource};
    return Eval(0, View(instance), &scope, nullptr, nullptr, true);
  }

 private:
  // Makes what happens inside tentative: faults are not reported.
  class [[nodiscard]] Quietly {
   public:
    explicit Quietly(Evaluator& e) : e_(e), report_(std::exchange(e.report_, nullptr)) {}
    Quietly(const Quietly&) = delete;
    Quietly& operator=(const Quietly&) = delete;
    ~Quietly() { e_.report_ = report_; }

   private:
    Evaluator& e_;
    std::vector<SchemaViolation>* report_;
  };

  bool Charge(std::uint64_t steps) {
    if (left_ < steps) {
      left_ = 0;
      return false;
    }
    left_ -= steps;
    return true;
  }

  [[nodiscard]] bool Full() const { return report_ == nullptr || report_->size() >= p_.max_violations; }

  // Takes note of a fault; true when there is no reason to go on.
  template <class Say>
  bool Miss(Fit& out, Index node, std::string_view keyword, const Place* place, Say&& say) {
    out = Fit::kNo;
    if (report_ == nullptr) return true;
    Add(node, keyword, place, say());
    return Full();
  }

  // Adds a part's answer to that of the whole; true when there is no reason to go on.
  bool Join(Fit& out, Fit part) const {
    if (part == Fit::kYes) return false;
    out = part;
    return part == Fit::kStop || Full();
  }

  void Add(Index node, std::string_view keyword, const Place* place, std::string message) {
    SchemaViolation v;
    std::vector<const Place*> chain;
    for (; place != nullptr; place = place->parent) chain.push_back(place);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      v.instance_pointer += '/';
      v.instance_pointer += (*it)->is_key ? EscapePointerStep((*it)->key) : std::to_string((*it)->index);
    }
    v.schema_pointer = p_.PointerOf(node);
    if (keyword != "false") v.schema_pointer += "/" + std::string(keyword);
    v.keyword = keyword;
    v.message = std::move(message);
    report_->push_back(std::move(v));
  }

  // `seen`: where to note what was spoken of; null when nobody asks. `entry`: the value is entered by this node.
  Fit Eval(Index id, const View& v, const Scope* scope, IndexSet* seen, const Place* place, bool entry) {
    const Node& n = p_.nodes[id];
    if (!Charge(1) || depth_ >= kMaxEvaluationDepth) return Fit::kStop;
    if (n.keywords == 0) return Fit::kYes;
    ++depth_;
    Fit out = Fit::kStop;
    if (n.resource == scope->resource) {
      out = EvalNode(id, n, v, scope, seen, place, entry);
    } else {
      const Scope inner{.parent = scope, .resource = n.resource};
      out = EvalNode(id, n, v, &inner, seen, place, entry);
    }
    --depth_;
    return out;
  }

  Fit EvalNode(Index id, const Node& n, const View& v, const Scope* scope, IndexSet* seen, const Place* place,
               bool entry) {
    const bool closed = entry && n.Has(kClosed) && v.type == JsonType::kObject;
    const bool asks = (v.type == JsonType::kObject && n.Has(kUnevaluatedProperties)) ||
                      (v.type == JsonType::kArray && n.Has(kUnevaluatedItems));
    if (!asks && !(closed && HasSteps(n))) return EvalChecks(id, n, v, scope, seen, place, closed);
    return EvalRest(id, n, v, scope, seen, place);
  }

  [[nodiscard]] bool HasSteps(const Node& n) const {
    return n.in_place != kNone || (n.object != kNone && !p_.objects[n.object].dependencies.empty());
  }

  // A node that has a say about what the rest of it, and what it refers to, did not speak of.
  [[gnu::noinline]] Fit EvalRest(Index id, const Node& n, const View& v, const Scope* scope, IndexSet* seen,
                                 const Place* place) {
    IndexSet local;
    Fit out = EvalChecks(id, n, v, scope, &local, place, false);
    // After a fault the set is not complete, and what it lacks would be blamed wrongly.
    if (out != Fit::kYes) return out;
    const bool object = v.type == JsonType::kObject;
    const Index rest = object ? n.unevaluated_properties : n.unevaluated_items;
    std::size_t i = 0;
    for (auto it = v.value.begin(), end = v.value.end(); it != end; ++it, ++i) {
      if (!Charge(1)) return Fit::kStop;
      if (local.Has(i)) continue;
      if (rest == kNone) {
        const Place here{.parent = place, .key = it.key(), .is_key = true};
        if (Miss(out, id, "additionalProperties", &here, [] { return std::string("is not in the schema"); }))
          return out;
        continue;
      }
      const Place here{.parent = place, .key = it.key(), .index = i, .is_key = object};
      if (Join(out, Eval(rest, View(*it), scope, nullptr, &here, true))) return out;
    }
    if (seen != nullptr && out == Fit::kYes) {
      // With a say about the rest, everything has been spoken of.
      seen->AddAll();
    }
    return out;
  }

  Fit EvalChecks(Index id, const Node& n, const View& v, const Scope* scope, IndexSet* seen, const Place* place,
                 bool closed) {
    Fit out = Fit::kYes;
    if (n.Has(kFalse) && Miss(out, id, "false", place, [] { return std::string("is not allowed"); })) return out;
    if (n.Has(kType) && !HasType(n, v) && Miss(out, id, "type", place, [&] {
          return "is " + std::string(base::NameOf(v.type)) + ", not " + NamesOfTypes(n.types);
        })) {
      return out;
    }
    if (n.Has(kConst)) {
      const Fit in = IsIn(p_.value_sets[n.constant], v);
      if (in == Fit::kStop) return in;
      if (in == Fit::kNo && Miss(out, id, "const", place, [] { return std::string("is not the value asked for"); })) {
        return out;
      }
    }
    if (n.Has(kEnum)) {
      const Fit in = IsIn(p_.value_sets[n.values], v);
      if (in == Fit::kStop) return in;
      if (in == Fit::kNo && Miss(out, id, "enum", place, [] { return std::string("is none of the values allowed"); })) {
        return out;
      }
    }
    Fit part = Fit::kYes;
    switch (v.type) {
      case JsonType::kString:
        if (n.Has(kString)) part = EvalString(id, p_.strings[n.string], v, place);
        break;
      case JsonType::kNumber:
        if (n.Has(kNumber)) part = EvalNumber(id, p_.numbers[n.number], v, place);
        break;
      case JsonType::kArray:
        if (n.Has(kArray)) part = EvalArray(id, p_.arrays[n.array], v, scope, seen, place);
        break;
      case JsonType::kObject:
        if (n.object != kNone) part = EvalObject(id, p_.objects[n.object], v, scope, seen, place, closed);
        break;
      default:
        break;
    }
    if (Join(out, part)) return out;
    if (n.Has(kInPlace)) Join(out, EvalInPlace(id, p_.in_places[n.in_place], v, scope, seen, place));
    return out;
  }

  static bool HasType(const Node& n, const View& v) {
    if ((n.types & BitsOf(v.type)) != 0) return true;
    return v.type == JsonType::kNumber && (n.types & kTypeInteger) != 0 && IsIntegerText(v.text);
  }

  Fit IsIn(const ValueSet& set, const View& v) {
    bool in = false;
    switch (v.type) {
      case JsonType::kNull:
        in = set.has_null;
        break;
      case JsonType::kBool:
        in = *v.value.AsBool() ? set.has_true : set.has_false;
        break;
      case JsonType::kString:
        if (!Charge(1 + v.text.size() / 64)) return Fit::kStop;
        in = Contains(set.strings, v.text);
        break;
      case JsonType::kNumber:
        if (!Charge(1 + v.text.size() / 16)) return Fit::kStop;
        in = !set.numbers.empty() && Contains(set.numbers, base::NormalizeNumber(v.text));
        break;
      case JsonType::kArray:
      case JsonType::kObject:
        if (v.type == JsonType::kArray ? !set.has_array : !set.has_object) break;
        if (!Charge(1 + v.value.raw().size() / 8)) return Fit::kStop;
        in = Contains(set.composites, base::CanonicalJson(v.value));
        break;
      case JsonType::kMissing:
        break;
    }
    return in ? Fit::kYes : Fit::kNo;
  }

  Fit EvalString(Index id, const StringChecks& s, const View& v, const Place* place) {
    Fit out = Fit::kYes;
    // Bytes bound code points from both sides; counting is needed only in between.
    const std::uint64_t bytes = v.text.size();
    if (bytes < s.min_length || bytes / 4 < s.min_length || bytes > s.max_length) {
      if (!Charge(1 + bytes / 64)) return Fit::kStop;
      const std::uint64_t length = CodePoints(v.text);
      if (length < s.min_length &&
          Miss(out, id, "minLength", place, [&] { return "is shorter than " + std::to_string(s.min_length); })) {
        return out;
      }
      if (length > s.max_length &&
          Miss(out, id, "maxLength", place, [&] { return "is longer than " + std::to_string(s.max_length); })) {
        return out;
      }
    }
    if (s.pattern != kNone) {
      const Pattern& pattern = p_.patterns[s.pattern];
      if (!Charge(pattern.CostOf(v.text))) return Fit::kStop;
      if (!pattern.Matches(v.text) &&
          Miss(out, id, "pattern", place, [] { return std::string("does not match the pattern"); })) {
        return out;
      }
    }
    if (s.format != Format::kNone) {
      if (!Charge(1 + bytes / 16)) return Fit::kStop;
      if (!HasFormat(s.format, v.text)) {
        Miss(out, id, "format", place, [] { return std::string("does not have the format"); });
      }
    }
    return out;
  }

  Fit EvalNumber(Index id, const NumberChecks& n, const View& v, const Place* place) {
    Fit out = Fit::kYes;
    if (!Charge(1 + v.text.size() / 16)) return Fit::kStop;
    const std::optional<std::int64_t> small = SmallInteger(v.text);
    const auto check = [&](const Bound& bound, std::string_view keyword, std::string_view what, auto fits) {
      if (bound.text.empty()) return false;
      const auto order = small && bound.small ? *small <=> *bound.small : base::CompareNumbers(v.text, bound.text);
      if (fits(order)) return false;
      return Miss(out, id, keyword, place, [&] { return std::string(what) + bound.text; });
    };
    if (check(n.minimum, "minimum", "is less than ", [](auto order) { return order >= 0; })) return out;
    if (check(n.maximum, "maximum", "is greater than ", [](auto order) { return order <= 0; })) return out;
    if (check(n.exclusive_minimum, "exclusiveMinimum", "is not greater than ", [](auto order) { return order > 0; })) {
      return out;
    }
    if (check(n.exclusive_maximum, "exclusiveMaximum", "is not less than ", [](auto order) { return order < 0; })) {
      return out;
    }
    if (!n.multiple_of.text.empty()) {
      if (!Charge(1 + v.text.size())) return Fit::kStop;
      const std::optional<bool> multiple = base::IsMultipleOf(v.text, n.multiple_of.text);
      if (!multiple) return Fit::kStop;
      if (!*multiple) Miss(out, id, "multipleOf", place, [&] { return "is not a multiple of " + n.multiple_of.text; });
    }
    return out;
  }

  Fit EvalArray(Index id, const ArrayChecks& a, const View& v, const Scope* scope, IndexSet* seen, const Place* place) {
    Fit out = Fit::kYes;
    const std::size_t size = v.value.size();
    if (size < a.min_items &&
        Miss(out, id, "minItems", place, [&] { return "has fewer than " + std::to_string(a.min_items) + " items"; })) {
      return out;
    }
    if (size > a.max_items &&
        Miss(out, id, "maxItems", place, [&] { return "has more than " + std::to_string(a.max_items) + " items"; })) {
      return out;
    }
    if (a.rest != kNone || !a.prefix.empty()) {
      std::size_t i = 0;
      for (auto it = v.value.begin(), end = v.value.end(); it != end; ++it, ++i) {
        const Index item = i < a.prefix.size() ? a.prefix[i] : a.rest;
        if (item == kNone) break;
        const Place here{.parent = place, .key = {}, .index = i};
        if (Join(out, Eval(item, View(*it), scope, nullptr, &here, true))) return out;
        if (seen != nullptr && i < a.prefix.size()) seen->Add(i);
      }
      if (seen != nullptr && a.rest != kNone) seen->AddAll();
    }
    if (a.contains != kNone && Join(out, EvalContains(id, a, v, scope, seen, place))) return out;
    if (a.unique) Join(out, EvalUnique(id, v, place));
    return out;
  }

  Fit EvalContains(Index id, const ArrayChecks& a, const View& v, const Scope* scope, IndexSet* seen,
                   const Place* place) {
    Fit out = Fit::kYes;
    std::uint64_t count = 0;
    std::size_t i = 0;
    for (auto it = v.value.begin(), end = v.value.end(); it != end; ++it, ++i) {
      // Enough is enough, unless somebody needs to know which ones.
      if (seen == nullptr && count >= a.min_contains && a.max_contains == kNoLimit) break;
      const Quietly quietly(*this);
      const Fit fit = Eval(a.contains, View(*it), scope, nullptr, nullptr, true);
      if (fit == Fit::kStop) return fit;
      if (fit == Fit::kNo) continue;
      ++count;
      if (seen != nullptr) seen->Add(i);
    }
    if (count < a.min_contains &&
        Miss(
            out, id, a.min_contains == 1 ? "contains" : "minContains", place,
            [&] { return "holds fewer than " + std::to_string(a.min_contains) + " items of the kind asked for"; })) {
      return out;
    }
    if (count > a.max_contains) {
      Miss(out, id, "maxContains", place,
           [&] { return "holds more than " + std::to_string(a.max_contains) + " items of one kind"; });
    }
    return out;
  }

  Fit EvalUnique(Index id, const View& v, const Place* place) {
    Fit out = Fit::kYes;
    if (v.value.size() < 2) return out;
    // Twice: once for the canonical text, once for the order.
    if (!Charge(v.value.size() * 4 + v.value.raw().size() / 4)) return Fit::kStop;
    std::vector<std::string> items;
    items.reserve(v.value.size());
    for (const JsonValue item : v.value) items.push_back(base::CanonicalJson(item));
    std::ranges::sort(items, NameLess());
    if (std::ranges::adjacent_find(items) != items.end()) {
      Miss(out, id, "uniqueItems", place, [] { return std::string("holds an item twice"); });
    }
    return out;
  }

  Fit EvalObject(Index id, const ObjectChecks& o, const View& v, const Scope* scope, IndexSet* seen, const Place* place,
                 bool closed) {
    Fit out = Fit::kYes;
    const std::size_t size = v.value.size();
    if (size < o.min_properties &&
        Miss(
            out, id, "minProperties", place,
            [&] { return "has fewer than " + std::to_string(o.min_properties) + " members"; })) {
      return out;
    }
    if (size > o.max_properties && Miss(out, id, "maxProperties", place, [&] {
          return "has more than " + std::to_string(o.max_properties) + " members";
        })) {
      return out;
    }
    std::uint64_t required = 0;
    std::size_t i = 0;
    for (auto it = v.value.begin(), end = v.value.end(); it != end; ++it, ++i) {
      const std::string_view key = it.key();
      if (!Charge(1 + key.size() / 64)) return Fit::kStop;
      const Place here{.parent = place, .key = key, .is_key = true};
      bool known = false;
      const auto apply = [&](Index node) {
        known = true;
        return Join(out, Eval(node, View(*it), scope, nullptr, &here, true));
      };
      if (const Property* property = FindProperty(o.properties, key)) {
        required += property->required ? 1 : 0;
        if (property->node != kNone && apply(property->node)) return out;
      }
      for (const auto& [index, node] : o.patterns) {
        const Pattern& pattern = p_.patterns[index];
        if (!Charge(pattern.CostOf(key))) return Fit::kStop;
        if (pattern.Matches(key) && apply(node)) return out;
      }
      if (!known && o.additional != kNone && apply(o.additional)) return out;
      if (!known && closed &&
          Miss(out, id, "additionalProperties", &here, [] { return std::string("is not in the schema"); })) {
        return out;
      }
      if (o.names != kNone && Join(out, Eval(o.names, View(key), scope, nullptr, &here, true))) return out;
      if (known && seen != nullptr) seen->Add(i);
    }
    if (required < o.required && MissRequired(out, id, o, v, place)) return out;
    if (!o.dependencies.empty()) Join(out, EvalDependencies(id, o, v, scope, seen, place));
    return out;
  }

  // Some are missing: `out` becomes kNo. True when there is no reason to go on.
  bool MissRequired(Fit& out, Index id, const ObjectChecks& o, const View& v, const Place* place) {
    out = Fit::kNo;
    if (report_ == nullptr) return true;
    for (const Property& property : o.properties) {
      if (!property.required) continue;
      if (!Charge(1 + v.value.size())) {
        out = Fit::kStop;
        return true;
      }
      if (v.value.Find(property.name).exists()) continue;
      if (Miss(out, id, "required", place, [&] { return "member " + Quoted(property.name) + " is missing"; })) {
        return true;
      }
    }
    return false;
  }

  Fit EvalDependencies(Index id, const ObjectChecks& o, const View& v, const Scope* scope, IndexSet* seen,
                       const Place* place) {
    Fit out = Fit::kYes;
    for (const auto& dependency : o.dependencies) {
      if (!Charge(1 + v.value.size() / 2)) return Fit::kStop;
      if (!v.value.Find(dependency.name).exists()) continue;
      for (const std::string& name : dependency.required) {
        if (!Charge(1 + v.value.size() / 2)) return Fit::kStop;
        if (v.value.Find(name).exists()) continue;
        if (Miss(out, id, dependency.keyword, place,
                 [&] { return "has " + Quoted(dependency.name) + " without " + Quoted(name); })) {
          return out;
        }
      }
      if (dependency.node != kNone && Join(out, Eval(dependency.node, v, scope, seen, place, false))) return out;
    }
    return out;
  }

  // Applies `node` without reporting; what it spoke of counts only if it fits.
  Fit Try(Index node, const View& v, const Scope* scope, IndexSet* seen) {
    const Quietly quietly(*this);
    return seen == nullptr ? Eval(node, v, scope, nullptr, nullptr, false) : TryNoting(node, v, scope, *seen);
  }
  [[gnu::noinline]] Fit TryNoting(Index node, const View& v, const Scope* scope, IndexSet& seen) {
    IndexSet branch;
    const Fit fit = Eval(node, v, scope, &branch, nullptr, false);
    if (fit == Fit::kYes) {
      if (!Charge(1 + branch.Words())) return Fit::kStop;
      seen.AddAll(branch);
    }
    return fit;
  }

  Fit EvalInPlace(Index id, const InPlaceChecks& c, const View& v, const Scope* scope, IndexSet* seen,
                  const Place* place) {
    Fit out = Fit::kYes;
    if (c.ref != kNone && Join(out, Eval(c.ref, v, scope, seen, place, false))) return out;
    if (c.dynamic_ref != kNone &&
        Join(out, Eval(DynamicTarget(p_.dynamic_refs[c.dynamic_ref], scope), v, scope, seen, place, false))) {
      return out;
    }
    for (const Index part : c.all_of) {
      if (Join(out, Eval(part, v, scope, seen, place, false))) return out;
    }
    if (!c.any_of.empty() && Join(out, EvalAnyOf(id, c, v, scope, seen, place))) return out;
    if (!c.one_of.empty() && Join(out, EvalOneOf(id, c, v, scope, seen, place))) return out;
    if (c.negated != kNone) {
      const Fit fit = Try(c.negated, v, scope, nullptr);
      if (fit == Fit::kStop) return fit;
      if (fit == Fit::kYes && Miss(out, id, "not", place, [] { return std::string("fits what it must not fit"); })) {
        return out;
      }
    }
    if (c.if_node != kNone && (seen != nullptr || c.then_node != kNone || c.else_node != kNone)) {
      const Fit fit = Try(c.if_node, v, scope, seen);
      if (fit == Fit::kStop) return fit;
      const Index branch = fit == Fit::kYes ? c.then_node : c.else_node;
      if (branch != kNone) Join(out, Eval(branch, v, scope, seen, place, false));
    }
    return out;
  }

  // The outermost resource on the way here that has the anchor; else what the reference means lexically.
  Index DynamicTarget(const DynamicRef& ref, const Scope* scope) const {
    Index target = ref.fallback;
    if (ref.anchor == kNone) return target;
    const DynamicAnchor& anchors = p_.dynamic_anchors[ref.anchor];
    for (; scope != nullptr; scope = scope->parent) {
      const auto at = std::ranges::lower_bound(anchors, scope->resource, {}, &std::pair<Index, Index>::first);
      if (at != anchors.end() && at->first == scope->resource) target = at->second;
    }
    return target;
  }

  Fit EvalAnyOf(Index id, const InPlaceChecks& c, const View& v, const Scope* scope, IndexSet* seen,
                const Place* place) {
    bool any = false;
    for (const Index branch : c.any_of) {
      const Fit fit = Try(branch, v, scope, seen);
      if (fit == Fit::kStop) return fit;
      any = any || fit == Fit::kYes;
      if (any && seen == nullptr) return Fit::kYes;
    }
    Fit out = Fit::kYes;
    if (!any) Miss(out, id, "anyOf", place, [] { return std::string("fits none of the alternatives"); });
    return out;
  }

  Fit EvalOneOf(Index id, const InPlaceChecks& c, const View& v, const Scope* scope, IndexSet* seen,
                const Place* place) {
    std::size_t count = 0;
    for (const Index branch : c.one_of) {
      const Fit fit = Try(branch, v, scope, seen);
      if (fit == Fit::kStop) return fit;
      count += fit == Fit::kYes ? 1 : 0;
      if (count > 1) break;
    }
    Fit out = Fit::kYes;
    if (count != 1) {
      Miss(out, id, "oneOf", place, [count] {
        return std::string(count == 0 ? "fits none of the alternatives" : "fits more than one of the alternatives");
      });
    }
    return out;
  }

  const Program& p_;
  std::uint64_t left_;
  std::uint32_t depth_ = 0;
  std::vector<SchemaViolation>* report_;
};

}  // namespace

SchemaOutcome::Kind KindOf(const Program& program, JsonValue instance, std::uint64_t budget) {
  if (!instance.exists()) return SchemaOutcome::Kind::kUndecided;
  const Fit fit = Evaluator(program, budget, nullptr).Start(instance);
  if (fit == Fit::kStop) return SchemaOutcome::Kind::kUndecided;
  return fit == Fit::kYes ? SchemaOutcome::Kind::kValid : SchemaOutcome::Kind::kInvalid;
}

SchemaOutcome Run(const Program& program, JsonValue instance, std::uint64_t budget) {
  SchemaOutcome out;
  out.kind = KindOf(program, instance, budget);
  if (!out.invalid()) return out;
  // What this adds is description; that the value does not fit is settled.
  (void)Evaluator(program, budget, &out.violations).Start(instance);
  if (out.violations.empty()) {
    out.violations.push_back({.instance_pointer = {},
                              .schema_pointer = {},
                              .keyword = {},
                              .message = "does not fit; the budget did not reach to say where"});
  }
  return out;
}

}  // namespace interlock::policy::schema
