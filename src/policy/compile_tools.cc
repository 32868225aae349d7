// `tools:` of a policy.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler.h"
#include "names.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;

constexpr std::array<std::string_view, 14> kToolKeys{
    "effect", "result", "labels",     "impact", "hidden", "critical", "requires", "dry_run", "trust_annotations",
    "bind",   "target", "reversible", "secret", "shell"};
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
  if (const YamlNode* n = node.Find("requires")) tool.preconditions = Requires(*n, "`requires`");
  if (const YamlNode* n = node.Find("bind")) tool.bindings = Bindings(*n);
  if (const YamlNode* n = node.Find("target")) tool.target = OneArgument(*n, "`target`");
  if (const YamlNode* n = node.Find("reversible")) tool.reversible = ReadBool(*n, "`reversible`", out_);
  if (const YamlNode* n = node.Find("shell")) tool.shell = ReadBool(*n, "`shell`", out_);
  if (const YamlNode* n = node.Find("secret")) {
    tool.secrets.emplace();
    for (const ArgumentPath& path : CompileArguments(*n, false, out_)) tool.secrets->push_back(path.text);
  }
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
      critical.argument = OneArgument(*n, "`argument`");
    }
    if (const YamlNode* n = Require(item, "glob", "an entry of `critical`", out_)) {
      if (const auto text = ReadString(*n, "`glob`", out_)) {
        if (auto expanded = variables_.Expand(*n, *text, Variables::Escape::kGlob, out_)) {
          base::Result<base::Glob> glob = base::Glob::Compile(*expanded);
          if (glob.ok()) {
            critical.compiled = std::move(glob.value());
          } else {
            out_.Error(ErrorCode::kPolicyValue, *n, Quote(*text) + ": " + glob.error().message());
          }
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

std::string PolicyCompiler::OneArgument(const YamlNode& node, std::string_view what) {
  const auto text = ReadString(node, what, out_);
  if (!text) return {};
  const auto path = CompileArgument({*text, &node}, false, out_);
  if (path && std::ranges::find(path->each, true) != path->each.end()) {
    out_.Error(ErrorCode::kPolicyValue, node, "`*` has no meaning here: name one argument");
  }
  return std::string(*text);
}

std::vector<core::Precondition> PolicyCompiler::Requires(const YamlNode& node, std::string_view what) {
  constexpr std::array<std::string_view, 3> kKeys{"tool", "same_argument", "max_age"};
  const std::string entry = "an entry of " + std::string(what);
  std::vector<core::Precondition> out;
  if (!node.is_sequence()) {
    out_.Error(ErrorCode::kPolicyType, node, std::string(what) + " must be a list");
    return out;
  }
  for (const YamlNode& item : node.items) {
    if (!CheckMap(item, entry, kKeys, out_)) continue;
    core::Precondition precondition;
    if (const YamlNode* n = Require(item, "tool", entry, out_)) {
      precondition.tool = std::string(ReadString(*n, "`tool`", out_).value_or(""));
      if (precondition.tool.empty()) out_.Error(ErrorCode::kPolicyValue, *n, "`tool` must name a tool");
    }
    if (const YamlNode* n = item.Find("same_argument")) precondition.same_argument = OneArgument(*n, "`same_argument`");
    if (const YamlNode* n = item.Find("max_age")) {
      precondition.max_age = static_cast<std::uint32_t>(ReadUint(*n, "`max_age`", 1'000'000, out_).value_or(0));
    }
    out.push_back(std::move(precondition));
  }
  return out;
}

}  // namespace interlock::policy
