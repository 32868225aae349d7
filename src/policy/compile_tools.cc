// `tools:` of a policy.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler.h"
#include "names.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;

constexpr std::array<std::string_view, 9> kToolKeys{"effect",   "result",   "labels",  "impact",           "hidden",
                                                    "critical", "requires", "dry_run", "trust_annotations"};
constexpr std::size_t kMaxTools = 20'000;
constexpr double kMaxFactor = 1000;

}  // namespace

void PolicyCompiler::ToolSection(const YamlNode& node) {
  if (!node.is_map()) {
    out_.Error(ErrorCode::kPolicyType, node, "`tools` must be a map from names to what is known of them");
    return;
  }
  if (node.keys.size() > kMaxTools) {
    out_.Error(ErrorCode::kPolicyLimit, node, "over " + std::to_string(kMaxTools) + " tools");
    return;
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) OneTool(node.keys[i], node.items[i]);
}

void PolicyCompiler::OneTool(const YamlNode& key, const YamlNode& node) {
  base::Result<NamePattern> pattern = NamePattern::Compile(key.text);
  if (!pattern.ok()) {
    out_.Error(ErrorCode::kPolicyValue, key, Quote(key.text) + ": " + pattern.error().message());
    return;
  }
  if (!CheckMap(node, "a tool", kToolKeys, out_)) return;
  ToolPolicy tool;
  tool.pattern = std::move(pattern.value());
  if (const YamlNode* n = node.Find("effect")) tool.effect = ReadEnum<core::SideEffect>(*n, "`effect`", kEffects, out_);
  if (const YamlNode* n = node.Find("result")) {
    constexpr std::array<std::pair<std::string_view, core::Trust>, 2> kTrust{
        {{"trusted", core::Trust::kTrusted}, {"untrusted", core::Trust::kUntrusted}}};
    tool.result_trust = ReadEnum<core::Trust>(*n, "`result`", kTrust, out_);
  }
  if (const YamlNode* n = node.Find("labels")) {
    const core::LabelSet labels = conditions_->Labels(*n, "`labels`");
    constexpr core::LabelSet kFixed = core::kLabelRequest | core::kLabelTrusted | core::kLabelUntrusted;
    if ((labels & kFixed) != 0) {
      out_.Error(ErrorCode::kPolicyValue, *n,
                 "`request`, `trusted` and `untrusted` are not a tool's to give: use `result`");
    }
    tool.labels = labels;
    given_labels_ |= labels;
  }
  if (const YamlNode* n = node.Find("impact")) tool.impact = ReadDouble(*n, "`impact`", 0, 1, out_);
  if (const YamlNode* n = node.Find("hidden")) tool.hidden = ReadBool(*n, "`hidden`", out_);
  if (const YamlNode* n = node.Find("trust_annotations"))
    tool.trust_annotations = ReadBool(*n, "`trust_annotations`", out_);
  if (const YamlNode* n = node.Find("critical")) tool.critical = Critical(*n);
  if (const YamlNode* n = node.Find("requires")) tool.preconditions = Requires(*n);
  if (const YamlNode* n = node.Find("dry_run")) tool.dry_run = Patch(*n, "`dry_run`");
  impl_->tools.push_back(std::move(tool));
}

std::vector<core::Criticality> PolicyCompiler::Critical(const YamlNode& node) {
  constexpr std::array<std::string_view, 3> kKeys{"argument", "glob", "factor"};
  std::vector<core::Criticality> out;
  if (!node.is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, node, "`critical` must be a list");
    return out;
  }
  for (const YamlNode& item : node.items) {
    if (!CheckMap(item, "an entry of `critical`", kKeys, out_)) continue;
    core::Criticality critical;
    if (const YamlNode* n = Require(item, "argument", "an entry of `critical`", out_)) {
      if (const auto text = ReadString(*n, "`argument`", out_)) {
        const auto path = CompileArgument({*text, n}, false, out_);
        if (path && std::ranges::find(path->each, true) != path->each.end()) {
          out_.Error(ErrorCode::kPolicyValue, *n, "`*` has no meaning here: name one argument");
        }
        critical.argument = std::string(*text);
      }
    }
    if (const YamlNode* n = Require(item, "glob", "an entry of `critical`", out_)) {
      if (const auto text = ReadString(*n, "`glob`", out_)) {
        if (auto expanded = variables_.Expand(*n, *text, Variables::Escape::kGlob, out_)) {
          const base::Result<base::Glob> glob = base::Glob::Compile(*expanded);
          if (!glob.ok()) out_.Error(ErrorCode::kPolicyValue, *n, Quote(*text) + ": " + glob.error().message());
          critical.glob = std::move(*expanded);
        }
      }
    }
    if (const YamlNode* n = Require(item, "factor", "an entry of `critical`", out_)) {
      critical.factor = ReadDouble(*n, "`factor`", 1, kMaxFactor, out_).value_or(1);
    }
    out.push_back(std::move(critical));
  }
  return out;
}

std::vector<core::Precondition> PolicyCompiler::Requires(const YamlNode& node) {
  constexpr std::array<std::string_view, 2> kKeys{"tool", "same_argument"};
  std::vector<core::Precondition> out;
  if (!node.is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, node, "`requires` must be a list");
    return out;
  }
  for (const YamlNode& item : node.items) {
    if (!CheckMap(item, "an entry of `requires`", kKeys, out_)) continue;
    core::Precondition precondition;
    if (const YamlNode* n = Require(item, "tool", "an entry of `requires`", out_)) {
      precondition.tool = std::string(ReadString(*n, "`tool`", out_).value_or(""));
      if (precondition.tool.empty()) out_.Error(ErrorCode::kPolicyValue, *n, "`tool` must name a tool");
    }
    if (const YamlNode* n = item.Find("same_argument")) {
      if (const auto text = ReadString(*n, "`same_argument`", out_)) {
        const auto path = CompileArgument({*text, n}, false, out_);
        if (path && std::ranges::find(path->each, true) != path->each.end()) {
          out_.Error(ErrorCode::kPolicyValue, *n, "`*` has no meaning here: name one argument");
        }
        precondition.same_argument = std::string(*text);
      }
    }
    out.push_back(std::move(precondition));
  }
  return out;
}

}  // namespace interlock::policy
