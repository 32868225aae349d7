#include "interlock/policy/profile.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "diagnostics.h"
#include "interlock/policy/load.h"
#include "names.h"
#include "read.h"

namespace interlock::embedded {
std::string_view Find_profiles(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::policy {
namespace {

using base::ErrorCode;

// The first three are for everybody; the others are the configurations that GIRA compares (section 8.1), and ours for
// operations, in which role bindings speak.
constexpr std::array<std::string_view, 12> kShipped{
    "default",           "strict",       "monitor",   "unguarded",      "gira-policy", "gira-policy-schema",
    "gira-no-injection", "gira-no-risk", "gira-full", "gira-read-only", "gira-manual", "interlock"};

constexpr std::array<std::string_view, 23> kKeys{"version",
                                                 "impact",
                                                 "name",
                                                 "description",
                                                 "shadow",
                                                 "layers",
                                                 "defaults",
                                                 "strict_objects",
                                                 "validate_results",
                                                 "bad_result",
                                                 "unusable_schema",
                                                 "durable_writes",
                                                 "approval_timeout_s",
                                                 "grant_ttl_s",
                                                 "utility",
                                                 "max_risk",
                                                 "bounds",
                                                 "quarantine",
                                                 "injection",
                                                 "redact",
                                                 "free_form_shell",
                                                 "untrusted_value",
                                                 "early_return"};
constexpr double kMaxLogOdds = 100;

constexpr std::array<std::pair<std::string_view, LayerMode>, 3> kModes{
    {{"off", LayerMode::kOff}, {"on", LayerMode::kOn}, {"required", LayerMode::kRequired}}};

template <class T, class Field>
void Assign(std::optional<T> value, Field& field) {
  if (value) field = static_cast<Field>(*value);
}

void ReadUtility(const YamlNode& node, Profile& profile, Diagnostics& out) {
  constexpr std::array<std::string_view, 2> kUtility{"lambda", "mu"};
  if (!CheckMap(node, "`utility`", kUtility, out)) return;
  if (const YamlNode* n = node.Find("lambda")) Assign(ReadDouble(*n, "`lambda`", 0, 1e6, out), profile.lambda);
  if (const YamlNode* n = node.Find("mu")) Assign(ReadDouble(*n, "`mu`", 0, 1e6, out), profile.mu);
}

// One of `words` or a number of log-odds.
struct WordOrNumber {
  std::string_view word;
  std::optional<double> number;
};
std::optional<WordOrNumber> ReadThreshold(const YamlNode& node, std::string_view what,
                                          std::span<const std::string_view> words, Diagnostics& out) {
  if (node.is_scalar()) {
    for (const std::string_view word : words) {
      if (node.text == word) return WordOrNumber{word, {}};
    }
  }
  const auto number = ReadDouble(node, what, -kMaxLogOdds, kMaxLogOdds, out);
  if (!number) return std::nullopt;
  return WordOrNumber{{}, number};
}

void ReadImpact(const YamlNode& node, Profile& profile, Diagnostics& out) {
  std::vector<std::string_view> known;
  for (const auto& [name, effect] : kEffects) known.push_back(name);
  if (!CheckMap(node, "`impact`", known, out)) return;
  for (const auto& [name, effect] : kEffects) {
    if (const YamlNode* n = node.Find(name)) {
      Assign(ReadDouble(*n, "an impact weight", 0, 1, out), profile.impact[static_cast<std::size_t>(effect)]);
    }
  }
}

void ReadProfile(const YamlNode& root, Profile& profile, Diagnostics& out) {
  if (!CheckMap(root, "a profile", kKeys, out)) return;
  if (const YamlNode* n = Require(root, "version", "a profile", out)) {
    const auto version = ReadUint(*n, "`version`", 1'000'000, out);
    if (version && *version != 1) out.Error(ErrorCode::kPolicyVersion, *n, "version " + std::to_string(*version));
  }
  if (const YamlNode* n = Require(root, "name", "a profile", out)) {
    const auto name = ReadString(*n, "`name`", out);
    if (name && !IsName(*name)) out.Error(ErrorCode::kPolicyValue, *n, Quote(*name) + " is not a name");
    if (name) profile.name = std::string(*name);
  }
  const auto flag = [&](std::string_view key, bool& field) {
    if (const YamlNode* n = root.Find(key)) Assign(ReadBool(*n, Quote(key), out), field);
  };
  const auto verdict = [&](std::string_view key, core::Verdict& field) {
    if (const YamlNode* n = root.Find(key)) Assign(ReadEnum<core::Verdict>(*n, Quote(key), kFloors, out), field);
  };
  const auto seconds = [&](std::string_view key, std::uint32_t& field) {
    if (const YamlNode* n = root.Find(key)) Assign(ReadUint(*n, Quote(key), 7 * 86'400, out), field);
  };
  if (const YamlNode* n = root.Find("description")) (void)ReadString(*n, "`description`", out);
  flag("shadow", profile.shadow);
  flag("strict_objects", profile.strict_objects);
  flag("validate_results", profile.validate_results);
  flag("durable_writes", profile.durable_writes);
  flag("early_return", profile.early_return);
  verdict("bad_result", profile.bad_result);
  verdict("unusable_schema", profile.unusable_schema);
  seconds("approval_timeout_s", profile.approval_timeout_s);
  seconds("grant_ttl_s", profile.grant_ttl_s);
  if (const YamlNode* n = root.Find("impact")) ReadImpact(*n, profile, out);
  if (const YamlNode* n = root.Find("layers")) ReadLayers(*n, profile, out);
  if (const YamlNode* n = root.Find("defaults")) ReadDefaults(*n, profile, out);
  ReadThresholds(root, profile, out);
}

void ReadInjection(const YamlNode& node, Profile& profile, Diagnostics& out) {
  using Reach = InjectionSettings::Reach;
  constexpr std::array<std::string_view, 3> kInjectionKeys{"reach", "eta", "decay"};
  constexpr std::array<std::pair<std::string_view, Reach>, 3> kReach{
      {{"none", Reach::kNone}, {"context", Reach::kContext}, {"action", Reach::kAction}}};
  if (!CheckMap(node, "`injection`", kInjectionKeys, out)) return;
  InjectionSettings& settings = profile.injection;
  if (const YamlNode* n = node.Find("reach")) Assign(ReadEnum<Reach>(*n, "`reach`", kReach, out), settings.reach);
  if (const YamlNode* n = node.Find("eta")) Assign(ReadDouble(*n, "`eta`", 0, 1, out), settings.eta);
  if (const YamlNode* n = node.Find("decay")) Assign(ReadDouble(*n, "`decay`", 0, 1, out), settings.decay);
}

void ReadRedact(const YamlNode& node, Profile& profile, Diagnostics& out) {
  constexpr std::array<std::string_view, 2> kRedactKeys{"results", "arguments"};
  if (!CheckMap(node, "`redact`", kRedactKeys, out)) return;
  if (const YamlNode* n = node.Find("results")) Assign(ReadBool(*n, "`results`", out), profile.redact.results);
  if (const YamlNode* n = node.Find("arguments")) Assign(ReadBool(*n, "`arguments`", out), profile.redact.arguments);
}

}  // namespace

void ReadDefaults(const YamlNode& node, Profile& profile, Diagnostics& out) {
  std::vector<std::string_view> known;
  for (const auto& [name, effect] : kEffects) known.push_back(name);
  if (!CheckMap(node, "`defaults`", known, out)) return;
  for (const auto& [name, effect] : kEffects) {
    const YamlNode* verdict = node.Find(name);
    if (verdict == nullptr) continue;
    if (const auto value = ReadEnum<core::Verdict>(*verdict, "a default", kFloors, out)) {
      profile.defaults[static_cast<std::size_t>(effect)] = *value;
    }
  }
}

void ReadLayers(const YamlNode& node, Profile& profile, Diagnostics& out) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < core::kLayerCount; ++i) known.push_back(core::NameOf(static_cast<core::Layer>(i)));
  if (!CheckMap(node, "`layers`", known, out)) return;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const YamlNode* mode = node.Find(known[i]);
    if (mode == nullptr) continue;
    if (const auto value = ReadEnum<LayerMode>(*mode, "a layer's mode", kModes, out)) profile.layers[i] = *value;
  }
}

void ReadBounds(const YamlNode& node, Profile& profile, Diagnostics& out) {
  constexpr std::array<std::string_view, 2> kBoundsKeys{"escalate", "block"};
  constexpr std::array<std::string_view, 1> kEscalateWords{"model"};
  constexpr std::array<std::string_view, 2> kBlockWords{"model", "escalate"};
  if (!CheckMap(node, "`bounds`", kBoundsKeys, out)) return;
  if (const YamlNode* n = node.Find("escalate")) {
    if (const auto value = ReadThreshold(*n, "`escalate`", kEscalateWords, out))
      profile.bounds.escalate = value->number;
  }
  if (const YamlNode* n = node.Find("block")) {
    if (const auto value = ReadThreshold(*n, "`block`", kBlockWords, out)) {
      profile.bounds.block = value->number;
      profile.bounds.block_what_waits = value->word == "escalate";
    }
  }
}

void ReadQuarantine(const YamlNode& node, Profile& profile, Diagnostics& out) {
  constexpr std::array<std::string_view, 2> kWords{"model", "off"};
  const auto value = ReadThreshold(node, "`quarantine`", kWords, out);
  if (!value) return;
  profile.quarantine.on = value->word != "off";
  profile.quarantine.threshold = value->number;
}

void ReadThresholds(const YamlNode& map, Profile& profile, Diagnostics& out) {
  if (const YamlNode* n = map.Find("bounds")) ReadBounds(*n, profile, out);
  if (const YamlNode* n = map.Find("quarantine")) ReadQuarantine(*n, profile, out);
  if (const YamlNode* n = map.Find("injection")) ReadInjection(*n, profile, out);
  if (const YamlNode* n = map.Find("redact")) ReadRedact(*n, profile, out);
  if (const YamlNode* n = map.Find("utility")) ReadUtility(*n, profile, out);
  if (const YamlNode* n = map.Find("max_risk")) Assign(ReadDouble(*n, "`max_risk`", 0, 1, out), profile.max_risk);
  if (const YamlNode* n = map.Find("free_form_shell")) {
    Assign(ReadEnum<core::Verdict>(*n, "`free_form_shell`", kFloors, out), profile.free_form_shell);
  }
  if (const YamlNode* n = map.Find("untrusted_value")) {
    Assign(ReadEnum<core::Verdict>(*n, "`untrusted_value`", kFloors, out), profile.untrusted_value);
  }
}

std::string_view ShippedProfile(std::string_view name) {
  for (std::string_view shipped : kShipped) {
    if (shipped == name) return embedded::Find_profiles(std::string(name) + ".yaml");
  }
  return {};
}

std::vector<std::string_view> ShippedProfileNames() { return {kShipped.begin(), kShipped.end()}; }

base::Result<Profile> LoadProfile(std::string_view yaml, std::string_view file) {
  const base::Result<YamlDocument> document = ReadYaml(yaml, file);
  if (!document.ok()) return document.error();
  if (!document.value().duplicates.empty()) return document.value().duplicates.front();
  Profile profile;
  profile.layers[static_cast<std::size_t>(core::Layer::kPolicy)] = LayerMode::kRequired;
  profile.layers[static_cast<std::size_t>(core::Layer::kSchema)] = LayerMode::kRequired;
  Diagnostics diagnostics(file, yaml);
  ReadProfile(document.value().root, profile, diagnostics);
  for (Diagnostic& d : diagnostics.Take()) {
    if (d.severity == Severity::kError) return std::move(d.error);
  }
  return profile;
}

}  // namespace interlock::policy
