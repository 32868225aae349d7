#include "interlock/policy/load.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler.h"
#include "interlock/base/text.h"
#include "names.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;

constexpr std::array<std::string_view, 26> kTopKeys{"version",
                                                    "profile",
                                                    "environment",
                                                    "principals",
                                                    "variables",
                                                    "labels",
                                                    "tools",
                                                    "rules",
                                                    "defaults",
                                                    "budgets",
                                                    "shadow",
                                                    "tests",
                                                    "trust_annotations",
                                                    "bounds",
                                                    "quarantine",
                                                    "layers",
                                                    "graph",
                                                    "autonomy",
                                                    "break_glass",
                                                    "injection",
                                                    "redact",
                                                    "utility",
                                                    "max_risk",
                                                    "free_form_shell",
                                                    "untrusted_value",
                                                    "scan"};
constexpr std::array<std::string_view, 1> kScanKeys{"first_use"};
constexpr std::array<std::pair<std::string_view, FirstUse>, 3> kFirstUses{
    {{"on", FirstUse::kOn}, {"strict", FirstUse::kStrict}, {"off", FirstUse::kOff}}};
constexpr std::size_t kMaxRules = 10'000;
constexpr std::size_t kMaxTests = 10'000;

// Adds `part` with its length in front, so that no two lists of parts read the same.
void AddPart(base::Sha256Hasher& hasher, std::string_view part) {
  hasher.Update(std::to_string(part.size())).Update(":").Update(part);
}

}  // namespace

PolicyCompiler::PolicyCompiler(std::string_view text, const LoadOptions& options, Diagnostics& out)
    : text_(text), options_(options), out_(out), impl_(std::make_unique<PolicySnapshot::Impl>()) {}

void PolicyCompiler::Compile(const YamlNode& root) {
  if (root.is_null()) {
    out_.Error(ErrorCode::kPolicyMissing, root, "the policy is empty: it needs at least `version: 1`");
    return;
  }
  if (!CheckMap(root, "the policy", kTopKeys, out_)) return;
  Version(root);
  ProfileAndDefaults(root);
  if (const YamlNode* n = root.Find("environment"))
    impl_->environment = std::string(ReadString(*n, "`environment`", out_).value_or(""));
  if (const YamlNode* n = root.Find("trust_annotations")) {
    impl_->trust_annotations = ReadBool(*n, "`trust_annotations`", out_).value_or(false);
  }
  if (const YamlNode* n = root.Find("scan"); n != nullptr && CheckMap(*n, "`scan`", kScanKeys, out_)) {
    if (const YamlNode* use = n->Find("first_use")) {
      impl_->first_use = ReadEnum<FirstUse>(*use, "`scan.first_use`", kFirstUses, out_).value_or(FirstUse::kUnsaid);
    }
  }
  if (const YamlNode* n = root.Find("principals")) PrincipalSection(*n);
  VariableSection(root.Find("variables"));
  if (const YamlNode* n = root.Find("graph")) GraphSection(*n);
  if (const YamlNode* n = root.Find("labels")) LabelSection(*n);

  ConditionCompiler::Names names{.label = [this](std::string_view name) { return LabelBit(name); },
                                 .labels = {"request", "trusted", "untrusted"},
                                 .roles = {}};
  names.labels.insert(names.labels.end(), impl_->labels.begin(), impl_->labels.end());
  for (const auto& [name, principal] : impl_->principals)
    names.roles.insert(principal.roles.begin(), principal.roles.end());
  conditions_ = std::make_unique<ConditionCompiler>(std::move(names), variables_, impl_->paths, out_);

  if (const YamlNode* n = root.Find("autonomy")) AutonomySection(*n);
  if (const YamlNode* n = root.Find("break_glass")) BreakGlassSection(*n);
  if (const YamlNode* n = root.Find("tools")) ToolSection(*n);
  if (const YamlNode* n = root.Find("rules")) RuleSection(*n);
  if (const YamlNode* n = root.Find("budgets")) BudgetSection(*n);
  if (const YamlNode* n = root.Find("tests")) TestSection(*n);
  CheckLabels();
  CheckReachable();
}

void PolicyCompiler::Version(const YamlNode& root) {
  const YamlNode* n = Require(root, "version", "the policy", out_);
  if (n == nullptr) return;
  const auto version = ReadUint(*n, "`version`", 1'000'000, out_);
  if (version && *version != 1) out_.Error(ErrorCode::kPolicyVersion, *n, "version " + std::to_string(*version));
}

void PolicyCompiler::ProfileAndDefaults(const YamlNode& root) {
  const YamlNode* named = root.Find("profile");
  std::string name = "default";
  if (named != nullptr) name = std::string(ReadString(*named, "`profile`", out_).value_or("default"));
  const YamlNode& at = named == nullptr ? root : *named;
  // The document's own name is checked even when it is overridden.
  for (const std::string& wanted : {name, options_.profile.empty() ? name : options_.profile}) {
    profile_text_ = ShippedProfile(wanted);
    if (profile_text_.empty()) {
      out_.Error(ErrorCode::kPolicyReference, at,
                 "no profile " + Quote(wanted) + DidYouMean(wanted, ShippedProfileNames()));
      return;
    }
  }
  base::Result<Profile> profile = LoadProfile(profile_text_, "profile");
  if (!profile.ok()) {
    out_.Error(profile.error().code(), at, "the profile: " + profile.error().ToString());
    return;
  }
  impl_->profile = std::move(profile.value());
  if (const YamlNode* n = root.Find("defaults")) ReadDefaults(*n, impl_->profile, out_);
  if (const YamlNode* n = root.Find("layers")) ReadLayers(*n, impl_->profile, out_);
  ReadThresholds(root, impl_->profile, out_);
  if (const YamlNode* n = root.Find("shadow"))
    impl_->profile.shadow = ReadBool(*n, "`shadow`", out_).value_or(impl_->profile.shadow);
  if (options_.force_shadow) impl_->profile.shadow = true;
}

void PolicyCompiler::PrincipalSection(const YamlNode& node) {
  if (!node.is_map()) {
    out_.Error(ErrorCode::kPolicyType, node, "`principals` must be a map from names to roles");
    return;
  }
  constexpr std::array<std::string_view, 1> kKeys{"roles"};
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    core::Principal principal;
    principal.name = node.keys[i].text;
    if (principal.name.empty()) out_.Error(ErrorCode::kPolicyValue, node.keys[i], "a principal needs a name");
    if (node.items[i].is_null()) {
      impl_->principals.emplace(principal.name, principal);
      continue;
    }
    if (!CheckMap(node.items[i], "a principal", kKeys, out_)) continue;
    if (const YamlNode* roles = node.items[i].Find("roles")) {
      for (const ListItem& role : ReadList(*roles, "`roles`", out_)) {
        if (!IsName(role.text)) out_.Error(ErrorCode::kPolicyValue, *role.node, Quote(role.text) + " is not a name");
        principal.roles.emplace_back(role.text);
      }
    }
    impl_->principals.emplace(principal.name, std::move(principal));
  }
}

void PolicyCompiler::GraphSection(const YamlNode& node) {
  const auto value = ReadString(node, "`graph`", out_);
  if (!value) return;
  if (auto expanded = variables_.Expand(node, *value, Variables::Escape::kNone, out_)) {
    if (expanded->empty()) out_.Error(ErrorCode::kPolicyValue, node, "`graph` names a file");
    impl_->graph = std::move(*expanded);
  }
}

void PolicyCompiler::VariableSection(const YamlNode* node) {
  // What the adapter gives comes first: the document's variables may build on it, and never replace it.
  for (const auto& [name, value] : options_.variables) variables_.Set(name, value);
  if (node != nullptr && !node->is_map()) {
    out_.Error(ErrorCode::kPolicyType, *node, "`variables` must be a map from names to strings");
  } else if (node != nullptr) {
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
      const YamlNode& key = node->keys[i];
      if (!IsName(key.text)) out_.Error(ErrorCode::kPolicyValue, key, Quote(key.text) + " is not a name");
      const auto value = ReadString(node->items[i], "a variable", out_);
      if (!value || options_.variables.contains(key.text)) continue;
      if (auto expanded = variables_.Expand(node->items[i], *value, Variables::Escape::kNone, out_)) {
        variables_.Set(key.text, std::move(*expanded));
      } else {
        variables_.Set(key.text, "");  // defined, though badly: said once
      }
    }
  }
  // Relative paths are resolved against the adapter's words only.
  const auto base = [this](const char* name) {
    const auto it = options_.variables.find(name);
    return it == options_.variables.end() ? std::string() : it->second;
  };
  impl_->paths = {.cwd = base("cwd"), .home = base("home")};
}

void PolicyCompiler::LabelSection(const YamlNode& node) {
  if (node.is_sequence() && node.items.empty()) return;
  for (const ListItem& item : ReadList(node, "`labels`", out_)) {
    if (!IsName(item.text)) {
      out_.Error(ErrorCode::kPolicyValue, *item.node, Quote(item.text) + " is not a name");
    } else if (LabelBit(item.text)) {
      out_.Error(ErrorCode::kPolicyDuplicateId, *item.node, "label " + Quote(item.text) + " exists already");
    } else if (impl_->labels.size() == core::kMaxPolicyLabels) {
      out_.Error(ErrorCode::kPolicyLimit, *item.node, "over " + std::to_string(core::kMaxPolicyLabels) + " labels");
      return;
    } else {
      impl_->labels.emplace_back(item.text);
      label_nodes_.push_back(item.node);
    }
  }
}

std::optional<core::LabelSet> PolicyCompiler::LabelBit(std::string_view name) const {
  if (name == "request") return core::kLabelRequest;
  if (name == "trusted") return core::kLabelTrusted;
  if (name == "untrusted") return core::kLabelUntrusted;
  const auto it = std::ranges::find(impl_->labels, name);
  if (it == impl_->labels.end()) return std::nullopt;
  return core::LabelSet{1} << (core::kFirstPolicyLabel + static_cast<int>(it - impl_->labels.begin()));
}

std::optional<std::string> PolicyCompiler::Patch(const YamlNode& node, std::string_view what) {
  if (!node.is_map() || node.keys.empty()) {
    out_.Error(ErrorCode::kPolicyType, node, std::string(what) + " must be a map of arguments to change");
    return std::nullopt;
  }
  return ToJson(node, out_);
}

void PolicyCompiler::RuleSection(const YamlNode& node) {
  if (!node.is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, node, "`rules` must be a list");
    return;
  }
  if (node.items.size() > kMaxRules) {
    out_.Error(ErrorCode::kPolicyLimit, node, "over " + std::to_string(kMaxRules) + " rules");
    return;
  }
  impl_->rules.reserve(node.items.size());
  for (const YamlNode& item : node.items) OneRule(item);
}

void PolicyCompiler::OneRule(const YamlNode& node) {
  constexpr std::array<std::string_view, 5> kKeys{"id", "effect", "when", "reason", "rewrite"};
  if (!CheckMap(node, "a rule", kKeys, out_)) return;
  Rule rule;
  rule.line = node.line;
  if (const YamlNode* n = Require(node, "id", "a rule", out_)) {
    rule.id = std::string(ReadString(*n, "`id`", out_).value_or(""));
    if (!rule.id.empty() && !IsName(rule.id))
      out_.Error(ErrorCode::kPolicyValue, *n, Quote(rule.id) + " is not a name");
    if (!rule.id.empty() && !rule_ids_.insert(rule.id).second) {
      out_.Error(ErrorCode::kPolicyDuplicateId, *n, "rule id " + Quote(rule.id) + " is used twice");
    }
  }
  std::optional<core::Verdict> effect;
  if (const YamlNode* n = Require(node, "effect", "a rule", out_))
    effect = ReadEnum<core::Verdict>(*n, "`effect`", kVerdicts, out_);
  if (effect) rule.effect = *effect;
  if (const YamlNode* n = node.Find("reason")) rule.reason = std::string(ReadString(*n, "`reason`", out_).value_or(""));
  const YamlNode* rewrite = node.Find("rewrite");
  if (rewrite != nullptr) rule.rewrite_patch = Patch(*rewrite, "`rewrite`").value_or("");
  if (effect == core::Verdict::kRewrite && rewrite == nullptr) {
    out_.Error(ErrorCode::kPolicyMissing, node, "a rule with the effect `rewrite` needs the key `rewrite`");
  } else if (effect && effect != core::Verdict::kRewrite && rewrite != nullptr) {
    out_.Error(ErrorCode::kPolicyValue, *rewrite, "only a rule with the effect `rewrite` has the key `rewrite`");
  }
  rule.when = Condition{.test = AllTest{}, .cost = 0};
  if (const YamlNode* n = node.Find("when")) rule.when = conditions_->Compile(*n, rule.effect);
  if (std::get<AllTest>(rule.when.test).children.empty() && effect == core::Verdict::kAllow &&
      node.Find("when") == nullptr) {
    out_.Warning(ErrorCode::kPolicyWide, node, "this rule allows every call: give it a `when`");
  }
  impl_->rules.push_back(std::move(rule));
  rule_nodes_.push_back(&node);
}

void PolicyCompiler::TestSection(const YamlNode& node) {
  if (!node.is_sequence() || node.items.size() > kMaxTests) {
    out_.Error(node.is_sequence() ? ErrorCode::kPolicyLimit : ErrorCode::kPolicyType, node,
               "`tests` must be a list of at most " + std::to_string(kMaxTests));
    return;
  }
  for (const YamlNode& item : node.items) OneTest(item);
}

// ${name} in every string below `node`, so that a test says the same in every folder. As deep as the capped tree.
bool PolicyCompiler::ExpandStrings(YamlNode& node) {
  bool good = true;
  if (node.is_scalar() && node.text.find("${") != std::string::npos) {
    auto expanded = variables_.Expand(node, node.text, Variables::Escape::kNone, out_);
    if (!expanded) return false;
    node.text = std::move(*expanded);
    node.plain = false;
  }
  for (YamlNode& item : node.items) good = ExpandStrings(item) && good;
  return good;
}

void PolicyCompiler::OneTest(const YamlNode& node) {
  constexpr std::array<std::string_view, 6> kKeys{"name", "call", "principal", "environment", "session", "want"};
  constexpr std::array<std::string_view, 2> kCallKeys{"tool", "arguments"};
  if (!CheckMap(node, "a test", kKeys, out_)) return;
  PolicyTestCase test;
  test.line = node.line;
  const auto text = [this](const YamlNode& map, std::string_view key) {
    const YamlNode* n = map.Find(key);
    return n == nullptr ? std::string() : std::string(ReadString(*n, Quote(key), out_).value_or(""));
  };
  (void)Require(node, "name", "a test", out_);
  test.name = text(node, "name");
  test.principal = text(node, "principal");
  test.environment = text(node, "environment");
  test.arguments_json = "{}";
  if (const YamlNode* call = Require(node, "call", "a test", out_);
      call != nullptr && CheckMap(*call, "`call`", kCallKeys, out_)) {
    (void)Require(*call, "tool", "`call`", out_);
    test.tool = text(*call, "tool");
    test.arguments_json = TestArguments(*call);
  }
  if (const YamlNode* n = node.Find("session")) TestSession(*n, test);
  if (const YamlNode* n = Require(node, "want", "a test", out_)) TestWant(*n, test);
  tests_.push_back(std::move(test));
}

std::string PolicyCompiler::TestArguments(const YamlNode& map) {
  const YamlNode* n = map.Find("arguments");
  if (n == nullptr) return "{}";
  if (!n->is_map()) {
    out_.Error(ErrorCode::kPolicyType, *n, "`arguments` must be a map");
    return "{}";
  }
  YamlNode expanded = *n;
  return ExpandStrings(expanded) ? ToJson(expanded, out_).value_or("{}") : "{}";
}

void PolicyCompiler::TestSession(const YamlNode& node, PolicyTestCase& test) {
  constexpr std::array<std::string_view, 4> kKeys{"request", "seen", "results", "facts"};
  constexpr std::array<std::string_view, 4> kResultKeys{"label", "text", "tool", "arguments"};
  if (!CheckMap(node, "`session`", kKeys, out_)) return;
  if (const YamlNode* n = node.Find("request"))
    test.request = std::string(ReadString(*n, "`request`", out_).value_or(""));
  if (const YamlNode* n = node.Find("seen")) {
    (void)conditions_->Labels(*n, "`seen`");  // reports unknown ones
    for (const ListItem& item : ReadList(*n, "`seen`", out_)) test.seen.emplace_back(item.text);
  }
  if (const YamlNode* n = node.Find("facts")) {
    if (!n->is_map()) out_.Error(ErrorCode::kPolicyType, *n, "`facts` must be a map from channels to values");
    for (std::size_t i = 0; i < n->keys.size() && n->is_map(); ++i) {
      if (auto json = ToJson(n->items[i], out_)) test.facts.emplace_back(n->keys[i].text, std::move(*json));
    }
  }
  const YamlNode* results = node.Find("results");
  if (results == nullptr) return;
  if (!results->is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, *results, "`results` must be a list");
    return;
  }
  for (const YamlNode& item : results->items) {
    if (!CheckMap(item, "a result", kResultKeys, out_)) continue;
    PolicyTestResult result;
    const YamlNode* tool = item.Find("tool");
    if (tool != nullptr) {
      result.tool = std::string(ReadString(*tool, "`tool`", out_).value_or(""));
      result.arguments_json = TestArguments(item);
    } else if (const YamlNode* n = item.Find("arguments")) {
      out_.Error(ErrorCode::kPolicyValue, *n, "`arguments` are those of a `tool`");
    }
    // The tool's entry in the policy says what its results carry; a text that is no tool's needs a label.
    const YamlNode* label = tool == nullptr ? Require(item, "label", "a result", out_) : item.Find("label");
    const YamlNode* body = Require(item, "text", "a result", out_);
    if ((label == nullptr && tool == nullptr) || body == nullptr) continue;
    if (label != nullptr) {
      const auto name = ReadString(*label, "`label`", out_);
      if (!name) continue;
      result.label = std::string(*name);
      (void)conditions_->Labels(*label, "`label`");
    }
    const auto content = ReadString(*body, "`text`", out_);
    if (!content) continue;
    result.text = std::string(*content);
    test.results.push_back(std::move(result));
  }
}

void PolicyCompiler::TestWant(const YamlNode& node, PolicyTestCase& test) {
  constexpr std::array<std::string_view, 3> kKeys{"verdict", "rule", "layer"};
  if (!CheckMap(node, "`want`", kKeys, out_)) return;
  if (const YamlNode* n = Require(node, "verdict", "`want`", out_)) {
    test.want = ReadEnum<core::Verdict>(*n, "`verdict`", kVerdicts, out_).value_or(core::Verdict::kBlock);
  }
  if (const YamlNode* n = node.Find("layer")) {
    const auto name = ReadString(*n, "`layer`", out_);
    if (name) test.want_layer = core::LayerFromName(*name);
    if (name && !test.want_layer) out_.Error(ErrorCode::kPolicyValue, *n, "no layer " + Quote(*name));
  }
  if (const YamlNode* n = node.Find("rule")) {
    test.want_rule = std::string(ReadString(*n, "`rule`", out_).value_or(""));
    if (!test.want_rule.empty() && !rule_ids_.contains(test.want_rule)) {
      const std::vector<std::string_view> known(rule_ids_.begin(), rule_ids_.end());
      out_.Error(ErrorCode::kPolicyReference, *n,
                 "no rule " + Quote(test.want_rule) + DidYouMean(test.want_rule, known));
    }
  }
}

void PolicyCompiler::CheckLabels() {
  for (std::size_t i = 0; i < label_nodes_.size(); ++i) {
    const core::LabelSet bit = core::LabelSet{1} << (core::kFirstPolicyLabel + static_cast<int>(i));
    const std::string name = Quote(impl_->labels[i]);
    if ((conditions_->asked_labels() & bit) == 0) {
      out_.Warning(ErrorCode::kPolicyUnused, *label_nodes_[i], "no rule asks about the label " + name);
    } else if ((given_labels_ & bit) == 0) {
      out_.Warning(ErrorCode::kPolicyUnused, *label_nodes_[i], "no tool's results carry the label " + name);
    }
  }
}

// Cheap cases only: a rule that names its tools exactly and asks for a side effect that none of them has.
void PolicyCompiler::CheckReachable() {
  impl_->Index();
  for (std::size_t i = 0; i < impl_->rules.size(); ++i) {
    const ToolTest* tools = nullptr;
    for (const Condition& child : std::get<AllTest>(impl_->rules[i].when.test).children) {
      if (const auto* test = std::get_if<ToolTest>(&child.test)) tools = test;
    }
    if (tools == nullptr || tools->exact.empty() || !tools->globs.empty()) continue;
    const bool can_match = std::ranges::any_of(tools->exact, [&](const std::string& name) {
      core::SideEffect effect = core::SideEffect::kUnknown;
      impl_->ForEachEntry(name, [&](const ToolPolicy& entry) { effect = entry.effect.value_or(effect); });
      return EvaluateStatic(impl_->rules[i].when, "", name, effect) != Match::kNo;
    });
    if (!can_match) {
      out_.Warning(ErrorCode::kPolicyUnreachable, *rule_nodes_[i],
                   "rule " + Quote(impl_->rules[i].id) + " can never match: its tools have another side effect");
    }
  }
}

base::Digest PolicyCompiler::DigestOfAll() const {
  base::Sha256Hasher hasher;
  AddPart(hasher, "interlock.policy/v1");
  AddPart(hasher, text_);
  AddPart(hasher, profile_text_);
  AddPart(hasher, impl_->profile.shadow ? "shadow" : "enforce");
  // Only what the policy reads: the same file in two folders is the same policy unless it speaks of the folder.
  for (const auto& [name, value] : options_.variables) {
    const bool is_base = (name == "cwd" || name == "home") && conditions_->uses_paths();
    if (!is_base && !variables_.used().contains(name)) continue;
    AddPart(hasher, name);
    AddPart(hasher, value);
  }
  return hasher.Finish();
}

std::shared_ptr<const PolicySnapshot> PolicyCompiler::TakeSnapshot() {
  impl_->uses_provenance = conditions_->uses_provenance();
  impl_->digest = DigestOfAll();
  return std::shared_ptr<const PolicySnapshot>(new PolicySnapshot(std::move(impl_)));
}

LoadedPolicy LoadPolicy(std::string_view yaml, const LoadOptions& options) {
  LoadedPolicy out;
  Diagnostics diagnostics(options.file, yaml);
  const base::Result<YamlDocument> document = ReadYaml(yaml, options.file, {.max_bytes = options.max_bytes});
  if (!document.ok()) {
    diagnostics.Error(document.error());
    out.diagnostics = diagnostics.Take();
    return out;
  }
  for (const base::Error& duplicate : document.value().duplicates) diagnostics.Error(duplicate);
  PolicyCompiler compiler(yaml, options, diagnostics);
  compiler.Compile(document.value().root);
  if (!diagnostics.has_errors()) {
    out.policy = compiler.TakeSnapshot();
    out.tests = compiler.TakeTests();
  }
  out.diagnostics = diagnostics.Take();
  return out;
}

}  // namespace interlock::policy
