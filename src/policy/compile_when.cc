#include "compile_when.h"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/base/json.h"
#include "names.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;

constexpr int kMaxNesting = 8;
constexpr int kMaxConditions = 1000;  // of one rule
constexpr std::size_t kMaxList = 4096;
constexpr std::size_t kMaxExpanded = 4096;
constexpr std::uint64_t kSchemaSteps = 200'000;  // of one `arguments` condition on one call

constexpr std::array<std::string_view, 13> kWhenKeys{"tool",        "server",    "effect", "principal", "role",
                                                     "environment", "arguments", "path",   "flow",      "provenance",
                                                     "any",         "all",       "not"};

enum Cost : int { kCheap = 0, kPaths = 1, kSchema = 2, kOrigins = 3 };

template <class Test>
Condition Make(Test test, int cost) {
  return Condition{.test = std::move(test), .cost = cost};
}

int DearestOf(const std::vector<Condition>& children) {
  int cost = 0;
  for (const Condition& child : children) cost = std::max(cost, child.cost);
  return cost;
}

}  // namespace

const std::string* Variables::Use(std::string_view name) {
  const auto it = values_.find(name);
  if (it == values_.end()) return nullptr;
  used_.emplace(name);
  return &it->second;
}

std::vector<std::string_view> Variables::Names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, value] : values_) out.push_back(name);
  return out;
}

std::optional<std::string> Variables::Expand(const YamlNode& at, std::string_view text, Escape escape,
                                             Diagnostics& out) {
  std::string expanded;
  while (!text.empty()) {
    const std::size_t dollar = text.find("${");
    expanded += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    const std::size_t close = text.find('}', dollar);
    if (close == std::string_view::npos) {
      out.Error(ErrorCode::kPolicyValue, at, "`${` without `}`");
      return std::nullopt;
    }
    const std::string_view name = text.substr(dollar + 2, close - dollar - 2);
    const std::string* value = Use(name);
    if (value == nullptr) {
      out.Error(ErrorCode::kPolicyReference, at,
                "variable " + Quote(name) + " is not defined" + DidYouMean(name, Names()));
      return std::nullopt;
    }
    expanded += escape == Escape::kGlob ? EscapeGlob(*value) : *value;
    text.remove_prefix(close + 1);
    if (expanded.size() > kMaxExpanded) {
      out.Error(ErrorCode::kPolicyLimit, at, "too long after its variables are filled in");
      return std::nullopt;
    }
  }
  return expanded;
}

std::optional<ArgumentPath> CompileArgument(const ListItem& item, bool allow_any, Diagnostics& out) {
  ArgumentPath path;
  path.text = std::string(item.text);
  if (allow_any && item.text == "*") {
    path.any_leaf = true;
    return path;
  }
  if (!item.text.starts_with('/')) {
    out.Error(ErrorCode::kPolicyValue, *item.node,
              Quote(item.text) + " is not a JSON pointer: it starts with `/`" + (allow_any ? ", or is `*`" : ""));
    return std::nullopt;
  }
  std::string_view rest = item.text;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = rest.find('/');
    const std::string_view raw = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
    std::string part;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '~') {
        part += raw[i];
        continue;
      }
      const char code = i + 1 < raw.size() ? raw[++i] : '\0';
      if (code != '0' && code != '1') {
        out.Error(ErrorCode::kPolicyValue, *item.node, "`~` in a JSON pointer is written `~0`, and `/` in a key `~1`");
        return std::nullopt;
      }
      part += code == '0' ? '~' : '/';
    }
    path.each.push_back(raw == "*");
    path.parts.push_back(std::move(part));
  }
  if (path.parts.size() > 64) {
    out.Error(ErrorCode::kPolicyLimit, *item.node, "the pointer has over 64 parts");
    return std::nullopt;
  }
  return path;
}

std::vector<ArgumentPath> CompileArguments(const YamlNode& node, bool allow_any, Diagnostics& out) {
  std::vector<ArgumentPath> paths;
  for (const ListItem& item : ReadList(node, "`argument`", out)) {
    if (auto path = CompileArgument(item, allow_any, out)) paths.push_back(std::move(*path));
  }
  return paths;
}

Condition ConditionCompiler::Compile(const YamlNode& when, core::Verdict effect) {
  conditions_ = 0;
  effect_ = effect;
  return All(when, 0);
}

Condition ConditionCompiler::All(const YamlNode& when, int depth) {
  AllTest all;
  if (depth > kMaxNesting) {
    out_.Error(ErrorCode::kPolicyLimit, when, "conditions are nested over " + std::to_string(kMaxNesting) + " deep");
    return Make(std::move(all), 0);
  }
  if (!CheckMap(when, "`when`", kWhenKeys, out_)) return Make(std::move(all), 0);
  if (depth > 0 && when.keys.empty())
    out_.Error(ErrorCode::kPolicyValue, when, "an empty condition holds for everything");
  for (std::size_t i = 0; i < when.keys.size(); ++i) {
    if (++conditions_ > kMaxConditions) {
      out_.Error(ErrorCode::kPolicyLimit, when.keys[i],
                 "over " + std::to_string(kMaxConditions) + " conditions in one rule");
      break;
    }
    if (auto condition = One(when.keys[i].text, when.items[i], depth)) all.children.push_back(std::move(*condition));
  }
  std::ranges::stable_sort(all.children, {}, &Condition::cost);
  const int cost = DearestOf(all.children);
  return Make(std::move(all), cost);
}

std::vector<Condition> ConditionCompiler::Children(const YamlNode& list, std::string_view what, int depth) {
  std::vector<Condition> children;
  if (!list.is_sequence() || list.items.empty()) {
    out_.Error(list.is_sequence() ? ErrorCode::kPolicyValue : ErrorCode::kPolicyType, list,
               std::string(what) + " must be a list of at least one condition");
    return children;
  }
  for (const YamlNode& item : list.items) children.push_back(All(item, depth + 1));
  std::ranges::stable_sort(children, {}, &Condition::cost);
  return children;
}

std::optional<Condition> ConditionCompiler::One(std::string_view key, const YamlNode& value, int depth) {
  if (key == "tool") return Tool(value);
  if (key == "server") return Server(value);
  if (key == "effect") return Effect(value);
  if (key == "principal") return Make(PrincipalTest{Strings(value, "`principal`")}, kCheap);
  if (key == "role") return Role(value);
  if (key == "environment") return Make(EnvironmentTest{Strings(value, "`environment`")}, kCheap);
  if (key == "flow") return Flow(value);
  if (key == "path") return Path(value);
  if (key == "arguments") return Arguments(value);
  if (key == "provenance") return Provenance(value);
  if (key == "all" || key == "any") {
    std::vector<Condition> children = Children(value, Quote(key), depth);
    const int cost = DearestOf(children);
    return key == "all" ? Make(AllTest{std::move(children)}, cost) : Make(AnyTest{std::move(children)}, cost);
  }
  if (key == "not") {
    NotTest test;
    negated_ = !negated_;
    test.child.push_back(All(value, depth + 1));
    negated_ = !negated_;
    const int cost = DearestOf(test.child);
    return Make(std::move(test), cost);
  }
  return std::nullopt;  // CheckMap has said so
}

std::vector<std::string> ConditionCompiler::Strings(const YamlNode& node, std::string_view what) {
  std::vector<std::string> out;
  for (const ListItem& item : ReadList(node, what, out_)) {
    if (item.text.empty()) {
      out_.Error(ErrorCode::kPolicyValue, *item.node, std::string(what) + " must not be empty");
    } else {
      out.emplace_back(item.text);
    }
  }
  return out;
}

std::optional<Condition> ConditionCompiler::Tool(const YamlNode& node) {
  ToolTest test;
  const std::vector<ListItem> items = ReadList(node, "`tool`", out_);
  if (items.size() > kMaxList) {
    out_.Error(ErrorCode::kPolicyLimit, node, "over " + std::to_string(kMaxList) + " names");
    return std::nullopt;
  }
  for (const ListItem& item : items) {
    base::Result<NamePattern> pattern = NamePattern::Compile(item.text);
    if (!pattern.ok()) {
      out_.Error(ErrorCode::kPolicyValue, *item.node, Quote(item.text) + ": " + pattern.error().message());
    } else if (pattern.value().is_exact()) {
      test.exact.push_back(pattern.value().prefix());
    } else {
      test.globs.push_back(std::move(pattern.value()));
    }
  }
  std::ranges::sort(test.exact);
  const auto again = std::ranges::unique(test.exact);
  test.exact.erase(again.begin(), again.end());
  return Make(std::move(test), kCheap);
}

std::optional<Condition> ConditionCompiler::Server(const YamlNode& node) {
  ServerTest test;
  for (const ListItem& item : ReadList(node, "`server`", out_)) {
    base::Result<NamePattern> pattern = NamePattern::Compile(item.text);
    if (pattern.ok()) {
      test.names.push_back(std::move(pattern.value()));
    } else {
      out_.Error(ErrorCode::kPolicyValue, *item.node, Quote(item.text) + ": " + pattern.error().message());
    }
  }
  return Make(std::move(test), kCheap);
}

std::optional<Condition> ConditionCompiler::Effect(const YamlNode& node) {
  EffectTest test;
  std::vector<std::string_view> known;
  for (const auto& [name, effect] : kEffects) known.push_back(name);
  for (const ListItem& item : ReadList(node, "`effect`", out_)) {
    const auto effect = core::SideEffectFromName(item.text);
    if (effect) {
      test.mask |= 1u << static_cast<unsigned>(*effect);
    } else {
      out_.Error(ErrorCode::kPolicyValue, *item.node,
                 Quote(item.text) + " is not a side-effect class (unknown, read, write, deploy, security)" +
                     DidYouMean(item.text, known));
    }
  }
  return Make(test, kCheap);
}

std::optional<Condition> ConditionCompiler::Role(const YamlNode& node) {
  RoleTest test;
  const std::vector<std::string_view> known(names_.roles.begin(), names_.roles.end());
  for (const ListItem& item : ReadList(node, "`role`", out_)) {
    if (!names_.roles.contains(item.text)) {
      out_.Error(ErrorCode::kPolicyReference, *item.node,
                 "no principal has the role " + Quote(item.text) + DidYouMean(item.text, known));
    }
    test.roles.emplace_back(item.text);
  }
  return Make(std::move(test), kCheap);
}

core::LabelSet ConditionCompiler::Labels(const YamlNode& node, std::string_view what) {
  core::LabelSet labels = 0;
  for (const ListItem& item : ReadList(node, what, out_)) {
    const auto bit = names_.label(item.text);
    if (bit) {
      labels |= *bit;
    } else {
      out_.Error(ErrorCode::kPolicyReference, *item.node,
                 "label " + Quote(item.text) + " is not defined" + DidYouMean(item.text, names_.labels));
    }
  }
  return labels;
}

std::optional<Condition> ConditionCompiler::Flow(const YamlNode& node) {
  constexpr std::array<std::string_view, 3> kKeys{"seen", "seen_any", "not_seen"};
  if (!CheckMap(node, "`flow`", kKeys, out_)) return std::nullopt;
  FlowTest test;
  if (const YamlNode* n = node.Find("seen")) test.seen_all = Labels(*n, "`seen`");
  if (const YamlNode* n = node.Find("seen_any")) test.seen_any = Labels(*n, "`seen_any`");
  if (const YamlNode* n = node.Find("not_seen")) test.not_seen = Labels(*n, "`not_seen`");
  if (node.keys.empty()) out_.Error(ErrorCode::kPolicyMissing, node, "`flow` needs `seen`, `seen_any` or `not_seen`");
  if ((test.seen_all & test.not_seen) != 0 || (test.seen_any != 0 && (test.seen_any & ~test.not_seen) == 0)) {
    out_.Warning(ErrorCode::kPolicyUnreachable, node, "a label cannot be seen and not seen");
  }
  asked_labels_ |= test.seen_all | test.seen_any | test.not_seen;
  return Make(test, kCheap);
}

std::optional<Condition> ConditionCompiler::Path(const YamlNode& node) {
  constexpr std::array<std::string_view, 4> kKeys{"argument", "inside", "outside", "touches"};
  if (!CheckMap(node, "`path`", kKeys, out_)) return std::nullopt;
  uses_paths_ = true;
  PathTest test;
  if (const YamlNode* n = Require(node, "argument", "`path`", out_)) test.arguments = CompileArguments(*n, false, out_);
  constexpr std::array<std::pair<std::string_view, PathTest::Mode>, 3> kModes{{{"inside", PathTest::Mode::kInside},
                                                                               {"outside", PathTest::Mode::kOutside},
                                                                               {"touches", PathTest::Mode::kTouches}}};
  const YamlNode* globs = nullptr;
  std::string_view mode;
  for (const auto& [name, value] : kModes) {
    const YamlNode* n = node.Find(name);
    if (n == nullptr) continue;
    if (globs != nullptr) {
      out_.Error(ErrorCode::kPolicyValue, node, "`path` takes one of `inside`, `outside` and `touches`");
      return std::nullopt;
    }
    globs = n;
    mode = name;
    test.mode = value;
  }
  if (globs == nullptr) {
    out_.Error(ErrorCode::kPolicyMissing, node, "`path` needs `inside`, `outside` or `touches`");
    return std::nullopt;
  }
  for (const ListItem& item : ReadList(*globs, Quote(mode), out_)) {
    const auto expanded = variables_.Expand(*item.node, item.text, Variables::Escape::kGlob, out_);
    if (!expanded) continue;
    base::Result<PathPattern> pattern = PathPattern::Compile(*expanded, paths_);
    if (pattern.ok()) {
      test.globs.push_back(std::move(pattern.value()));
    } else {
      out_.Error(ErrorCode::kPolicyValue, *item.node, Quote(item.text) + ": " + pattern.error().message());
    }
  }
  if (test.globs.empty() || test.arguments.empty()) return std::nullopt;  // reported above
  const bool addresses_many =
      test.arguments.size() > 1 || std::ranges::any_of(test.arguments, [](const ArgumentPath& a) {
        return std::ranges::find(a.each, true) != a.each.end();
      });
  if (test.mode == PathTest::Mode::kInside && addresses_many && !negated_ && effect_ >= core::Verdict::kEscalate) {
    out_.Warning(
        ErrorCode::kPolicyWide, node,
        "`inside` holds only when every value is inside, so one other value turns this rule off: use `touches`");
  }
  return Make(std::move(test), kPaths);
}

std::optional<Condition> ConditionCompiler::Arguments(const YamlNode& node) {
  JsonPlaces places;
  const auto text = ToJson(node, out_, &places);
  if (!text) return std::nullopt;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(*text);
  if (!doc.ok()) {  // a duplicate key, reported by the reader already, or a string that JSON cannot hold
    out_.Error(ErrorCode::kPolicySchema, node, doc.error().message());
    return std::nullopt;
  }
  base::Result<JsonSchema> schema =
      JsonSchema::Compile(doc.value().root(), {.budget = kSchemaSteps, .max_violations = 1});
  if (!schema.ok()) {
    const std::size_t offset = schema.error().place().offset;
    const auto after = std::ranges::upper_bound(places, offset, {}, &JsonPlaces::value_type::first);
    const YamlNode& at = after == places.begin() ? node : *std::prev(after)->second;
    out_.Error(ErrorCode::kPolicySchema, at, std::string(schema.error().id()) + ": " + schema.error().message());
    return std::nullopt;
  }
  if (effect_ == core::Verdict::kAllow && !negated_ && node.is_map() && node.Find("properties") != nullptr &&
      node.Find("required") == nullptr) {
    out_.Warning(ErrorCode::kPolicyWide, node,
                 "a call that leaves these arguments out is allowed too: say which are `required` (or `required: []`)");
  }
  return Make(ArgumentsTest{std::move(schema.value())}, kSchema);
}

std::optional<Condition> ConditionCompiler::Provenance(const YamlNode& node) {
  constexpr std::array<std::string_view, 3> kKeys{"argument", "from", "not_from"};
  if (!CheckMap(node, "`provenance`", kKeys, out_)) return std::nullopt;
  uses_provenance_ = true;
  ProvenanceTest test;
  if (const YamlNode* n = Require(node, "argument", "`provenance`", out_))
    test.arguments = CompileArguments(*n, true, out_);
  if (const YamlNode* n = node.Find("from")) test.from = Labels(*n, "`from`");
  if (const YamlNode* n = node.Find("not_from")) test.not_from = Labels(*n, "`not_from`");
  if (node.Find("from") == nullptr && node.Find("not_from") == nullptr) {
    out_.Error(ErrorCode::kPolicyMissing, node, "`provenance` needs `from` or `not_from`");
  }
  if (test.from != 0 && (test.from & ~test.not_from) == 0) {
    out_.Warning(ErrorCode::kPolicyUnreachable, node, "a value cannot come from a label and not come from it");
  }
  asked_labels_ |= test.from | test.not_from;
  return Make(std::move(test), kOrigins);
}

}  // namespace interlock::policy
