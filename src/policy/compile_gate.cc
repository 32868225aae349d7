// `bind:` of a tool, `budgets:`, `autonomy:` and `break_glass:` of a policy.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler.h"
#include "names.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;
using core::BindingSource;

constexpr std::size_t kMaxBindings = 64;
constexpr std::size_t kMaxSources = 32;
constexpr double kMaxAmount = 1e15;

constexpr std::array<std::pair<std::string_view, core::Verdict>, 2> kRefusals{
    {{"escalate", core::Verdict::kEscalate}, {"block", core::Verdict::kBlock}}};

}  // namespace

std::vector<core::RoleBinding> PolicyCompiler::Bindings(const YamlNode& node) {
  constexpr std::array<std::string_view, 6> kKeys{"argument", "role", "from", "need", "otherwise", "unsourced"};
  constexpr std::array<std::pair<std::string_view, bool>, 2> kNeed{{{"any", false}, {"all", true}}};
  std::vector<core::RoleBinding> out;
  if (!node.is_sequence() || node.items.size() > kMaxBindings) {
    out_.Error(node.is_sequence() ? ErrorCode::kPolicyLimit : ErrorCode::kPolicyType, node,
               "`bind` must be a list of at most " + std::to_string(kMaxBindings));
    return out;
  }
  for (const YamlNode& item : node.items) {
    if (!CheckMap(item, "an entry of `bind`", kKeys, out_)) continue;
    core::RoleBinding binding;
    if (const YamlNode* n = Require(item, "argument", "an entry of `bind`", out_)) {
      binding.argument = OneArgument(*n, "`argument`");
    }
    if (const YamlNode* n = item.Find("role")) binding.role = std::string(ReadString(*n, "`role`", out_).value_or(""));
    if (const YamlNode* n = item.Find("need")) binding.all = ReadEnum<bool>(*n, "`need`", kNeed, out_).value_or(false);
    if (const YamlNode* n = item.Find("otherwise")) {
      binding.otherwise = ReadEnum<core::Verdict>(*n, "`otherwise`", kRefusals, out_).value_or(core::Verdict::kBlock);
    }
    if (const YamlNode* n = item.Find("unsourced")) {
      binding.unsourced = ReadEnum<core::Verdict>(*n, "`unsourced`", kRefusals, out_).value_or(core::Verdict::kBlock);
    }
    if (const YamlNode* n = Require(item, "from", "an entry of `bind`", out_)) {
      if (!n->is_sequence() || n->items.empty() || n->items.size() > kMaxSources) {
        out_.Error(ErrorCode::kPolicyType, *n,
                   "`from` must be a list of one to " + std::to_string(kMaxSources) + " sources");
      } else {
        for (const YamlNode& source : n->items) {
          if (auto read = Source(source)) binding.from.push_back(std::move(*read));
        }
      }
    }
    out.push_back(std::move(binding));
  }
  return out;
}

std::optional<BindingSource> PolicyCompiler::Source(const YamlNode& node) {
  constexpr std::array<std::string_view, 7> kKeys{"request", "fact",  "result",       "constant",
                                                  "path",    "where", "same_argument"};
  BindingSource source;
  if (node.is_scalar() && node.text == "request") return source;
  if (!CheckMap(node, "a source of a binding", kKeys, out_)) return std::nullopt;
  const YamlNode* fact = node.Find("fact");
  const YamlNode* result = node.Find("result");
  const YamlNode* constant = node.Find("constant");
  if ((fact != nullptr) + (result != nullptr) + (constant != nullptr) != 1) {
    out_.Error(ErrorCode::kPolicyValue, node,
               "a source is `request`, or a map with one of `fact`, `result` and `constant`");
    return std::nullopt;
  }
  const auto no = [&](std::string_view key, std::string_view why) {
    if (const YamlNode* n = node.Find(key)) out_.Error(ErrorCode::kPolicyValue, *n, Quote(key) + std::string(why));
  };
  if (constant != nullptr) {
    source.kind = BindingSource::Kind::kConstant;
    for (const std::string_view key : {"path", "where", "same_argument"}) no(key, " has no meaning for a constant");
    const auto one = [&](const YamlNode& item) {
      const auto json = ToJson(item, out_);
      if (!json) return;
      auto doc = base::JsonDoc::Parse(*json);
      if (doc.ok()) source.constants.push_back(base::CanonicalJson(doc.value().root()));
    };
    if (constant->is_sequence()) {
      for (const YamlNode& item : constant->items) one(item);
    } else {
      one(*constant);
    }
    return source;
  }
  const YamlNode& named = fact != nullptr ? *fact : *result;
  source.kind = fact != nullptr ? BindingSource::Kind::kFact : BindingSource::Kind::kResult;
  source.name = std::string(ReadString(named, fact != nullptr ? "`fact`" : "`result`", out_).value_or(""));
  if (source.name.empty()) out_.Error(ErrorCode::kPolicyValue, named, "a source needs a name");
  if (const YamlNode* n = Require(node, "path", "a source of a binding", out_)) {
    if (const auto text = ReadString(*n, "`path`", out_)) {
      (void)CompileArgument({*text, n}, false, out_);
      source.path = std::string(*text);
    }
  }
  if (fact != nullptr) no("same_argument", " is a matter of results");
  if (const YamlNode* n = node.Find("same_argument")) source.same_argument = OneArgument(*n, "`same_argument`");
  if (const YamlNode* n = node.Find("where")) source.where = Wheres(*n);
  return source;
}

std::vector<BindingSource::Where> PolicyCompiler::Wheres(const YamlNode& node) {
  std::vector<BindingSource::Where> out;
  if (!node.is_map() || node.keys.empty()) {
    out_.Error(ErrorCode::kPolicyType, node, "`where` must be a map from members to values or arguments");
    return out;
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    BindingSource::Where where;
    where.member = node.keys[i].text;
    const YamlNode& value = node.items[i];
    if (value.is_scalar() && value.text.starts_with('/')) {
      where.argument = OneArgument(value, "a value of `where`");
    } else if (const auto json = ToJson(value, out_)) {
      auto doc = base::JsonDoc::Parse(*json);
      if (doc.ok()) where.constant = base::CanonicalJson(doc.value().root());
    }
    out.push_back(std::move(where));
  }
  // In one order, whatever the document's: facts are looked up by what this spells.
  std::ranges::sort(out, {}, &BindingSource::Where::member);
  return out;
}

void PolicyCompiler::BudgetSection(const YamlNode& node) {
  if (!node.is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, node, "`budgets` must be a list");
    return;
  }
  for (const YamlNode& item : node.items) OneBudget(item);
}

void PolicyCompiler::OneBudget(const YamlNode& node) {
  constexpr std::array<std::string_view, 9> kKeys{"id",        "effect",    "tool",     "argument", "per",
                                                  "max_calls", "max_blast", "max_risk", "max_sum"};
  constexpr std::array<std::pair<std::string_view, Budget::Kind>, 4> kKinds{{{"max_calls", Budget::Kind::kCalls},
                                                                             {"max_blast", Budget::Kind::kBlast},
                                                                             {"max_risk", Budget::Kind::kRisk},
                                                                             {"max_sum", Budget::Kind::kSum}}};
  constexpr std::array<std::pair<std::string_view, Budget::Per>, 2> kPer{
      {{"session", Budget::Per::kSession}, {"principal-day", Budget::Per::kPrincipalDay}}};
  if (!CheckMap(node, "a budget", kKeys, out_)) return;
  Budget budget;
  if (const YamlNode* n = Require(node, "id", "a budget", out_)) {
    budget.id = std::string(ReadString(*n, "`id`", out_).value_or(""));
    if (!budget.id.empty() && !IsName(budget.id))
      out_.Error(ErrorCode::kPolicyValue, *n, Quote(budget.id) + " is not a name");
    if (!budget.id.empty() && !budget_ids_.insert(budget.id).second) {
      out_.Error(ErrorCode::kPolicyDuplicateId, *n, "budget id " + Quote(budget.id) + " is used twice");
    }
  }
  if (const YamlNode* n = node.Find("effect"))
    budget.effect = ReadEnum<core::SideEffect>(*n, "`effect`", kEffects, out_);
  if (const YamlNode* n = node.Find("tool")) budget.tool = std::string(ReadString(*n, "`tool`", out_).value_or(""));
  if (const YamlNode* n = node.Find("per")) {
    budget.per = ReadEnum<Budget::Per>(*n, "`per`", kPer, out_).value_or(Budget::Per::kSession);
  }
  int kinds = 0;
  for (const auto& [key, kind] : kKinds) {
    const YamlNode* n = node.Find(key);
    if (n == nullptr) continue;
    ++kinds;
    budget.kind = kind;
    budget.max = kind == Budget::Kind::kCalls
                     ? static_cast<double>(ReadUint(*n, Quote(key), 1'000'000'000, out_).value_or(0))
                     : ReadDouble(*n, Quote(key), 0, kMaxAmount, out_).value_or(0);
  }
  if (kinds == 0) {
    out_.Error(ErrorCode::kPolicyMissing, node, "a budget needs `max_calls`, `max_sum`, `max_blast` or `max_risk`");
  } else if (kinds > 1) {
    out_.Error(ErrorCode::kPolicyValue, node, "a budget has one limit: write another budget for the other");
  }
  const YamlNode* argument = node.Find("argument");
  if (budget.kind == Budget::Kind::kSum && argument == nullptr && kinds == 1) {
    out_.Error(ErrorCode::kPolicyMissing, node, "`max_sum` needs the `argument` that is summed");
  } else if (argument != nullptr && budget.kind != Budget::Kind::kSum) {
    out_.Error(ErrorCode::kPolicyValue, *argument, "only `max_sum` has an `argument`");
  }
  if (argument != nullptr) budget.argument = OneArgument(*argument, "`argument`");
  impl_->budgets.push_back(std::move(budget));
}

void PolicyCompiler::AutonomySection(const YamlNode& node) {
  constexpr std::array<std::string_view, 6> kKeys{"id", "effects", "tools", "evidence", "min", "otherwise"};
  if (!node.is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, node, "`autonomy` must be a list");
    return;
  }
  for (const YamlNode& item : node.items) {
    if (!CheckMap(item, "an entry of `autonomy`", kKeys, out_)) continue;
    AutonomyRule rule;
    if (const YamlNode* n = Require(item, "id", "an entry of `autonomy`", out_)) {
      rule.unlock.id = std::string(ReadString(*n, "`id`", out_).value_or(""));
      if (!rule.unlock.id.empty() && !IsName(rule.unlock.id)) {
        out_.Error(ErrorCode::kPolicyValue, *n, Quote(rule.unlock.id) + " is not a name");
      }
    }
    if (const YamlNode* n = item.Find("effects")) {
      for (const ListItem& effect : ReadList(*n, "`effects`", out_)) {
        if (const auto value = ReadEnum<core::SideEffect>(*effect.node, "`effects`", kEffects, out_)) {
          rule.effects |= 1u << static_cast<unsigned>(*value);
        }
      }
    }
    if (const YamlNode* n = item.Find("tools")) {
      for (const ListItem& tool : ReadList(*n, "`tools`", out_)) {
        auto pattern = NamePattern::Compile(tool.text);
        if (pattern.ok()) {
          rule.tools.push_back(std::move(pattern.value()));
        } else {
          out_.Error(ErrorCode::kPolicyValue, *tool.node, Quote(tool.text) + ": " + pattern.error().message());
        }
      }
    }
    if (const YamlNode* n = Require(item, "evidence", "an entry of `autonomy`", out_)) {
      rule.unlock.evidence = Requires(*n, "`evidence`");
      if (n->is_sequence() && n->items.empty()) {
        out_.Error(ErrorCode::kPolicyValue, *n, "without evidence nothing is ever unlocked: use a rule to refuse it");
      }
    }
    if (const YamlNode* n = item.Find("min")) {
      rule.unlock.min = static_cast<std::uint32_t>(ReadUint(*n, "`min`", 1'000, out_).value_or(1));
      if (rule.unlock.min == 0 || rule.unlock.min > rule.unlock.evidence.size()) {
        out_.Error(ErrorCode::kPolicyValue, *n, "`min` is at least 1 and at most the number of entries of `evidence`");
      }
    } else {
      rule.unlock.min = static_cast<std::uint32_t>(rule.unlock.evidence.size());
    }
    if (const YamlNode* n = item.Find("otherwise")) {
      rule.unlock.otherwise =
          ReadEnum<core::Verdict>(*n, "`otherwise`", kRefusals, out_).value_or(core::Verdict::kBlock);
    }
    impl_->autonomy.push_back(std::move(rule));
  }
}

void PolicyCompiler::BreakGlassSection(const YamlNode& node) {
  constexpr std::array<std::string_view, 7> kKeys{"raise_max_risk", "lambda_factor", "ttl_s", "waives",
                                                  "impact",         "severe_steps",  "step_s"};
  if (!CheckMap(node, "`break_glass`", kKeys, out_)) return;
  BreakGlass glass;
  if (const YamlNode* n = node.Find("raise_max_risk")) {
    glass.raise_max_risk = ReadDouble(*n, "`raise_max_risk`", 0, 1, out_).value_or(0);
  }
  if (const YamlNode* n = node.Find("lambda_factor")) {
    glass.lambda_factor = ReadDouble(*n, "`lambda_factor`", 0, 1, out_).value_or(1);
  }
  if (const YamlNode* n = node.Find("ttl_s")) {
    glass.ttl_s = static_cast<std::uint32_t>(ReadUint(*n, "`ttl_s`", 86'400, out_).value_or(0));
  }
  if (const YamlNode* n = node.Find("waives")) {
    for (const ListItem& item : ReadList(*n, "`waives`", out_)) {
      if (item.text == "defaults") {
        glass.waives_defaults = true;
      } else if (item.text == "autonomy") {
        glass.waives_autonomy = true;
      } else {
        out_.Error(ErrorCode::kPolicyValue, *item.node,
                   "break-glass can waive `defaults` and `autonomy`, nothing else");
      }
    }
  }
  if (const YamlNode* n = node.Find("impact")) glass.impact = ReadDouble(*n, "`impact`", 0, kMaxAmount, out_);
  if (const YamlNode* n = node.Find("severe_steps")) {
    if (const auto steps = ReadUint(*n, "`severe_steps`", 1'000'000, out_)) {
      glass.severe_steps = static_cast<std::uint32_t>(*steps);
    }
  }
  if (const YamlNode* n = node.Find("step_s")) {
    constexpr std::uint32_t kMaxStep = 3600;
    glass.step_s = static_cast<std::uint32_t>(ReadUint(*n, "`step_s`", kMaxStep, out_).value_or(0));
    if (glass.step_s == 0) out_.Error(ErrorCode::kPolicyValue, *n, "a step lasts a second at least");
  }
  impl_->break_glass = glass;
}

}  // namespace interlock::policy
