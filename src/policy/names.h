// Names that policies and profiles share.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "interlock/core/verdict.h"
#include "interlock/policy/profile.h"

namespace interlock::policy {

class Diagnostics;
struct YamlNode;

inline constexpr std::array<std::pair<std::string_view, core::SideEffect>, core::kSideEffectCount> kEffects{
    {{"unknown", core::SideEffect::kUnknown},
     {"read", core::SideEffect::kRead},
     {"write", core::SideEffect::kWrite},
     {"deploy", core::SideEffect::kDeploy},
     {"security", core::SideEffect::kSecurity}}};

inline constexpr std::array<std::pair<std::string_view, core::Verdict>, 4> kVerdicts{
    {{"allow", core::Verdict::kAllow},
     {"rewrite", core::Verdict::kRewrite},
     {"escalate", core::Verdict::kEscalate},
     {"block", core::Verdict::kBlock}}};

// Verdicts that need nothing else: a rewrite without a patch has no meaning.
inline constexpr std::array<std::pair<std::string_view, core::Verdict>, 3> kFloors{
    {{"allow", core::Verdict::kAllow}, {"escalate", core::Verdict::kEscalate}, {"block", core::Verdict::kBlock}}};

// `defaults:` of a policy or a profile, over what `profile` holds already.
void ReadDefaults(const YamlNode& node, Profile& profile, Diagnostics& out);
void ReadLayers(const YamlNode& node, Profile& profile, Diagnostics& out);
void ReadBounds(const YamlNode& node, Profile& profile, Diagnostics& out);
void ReadQuarantine(const YamlNode& node, Profile& profile, Diagnostics& out);
// Every key that a policy may say in its profile's place, besides defaults and layers.
void ReadThresholds(const YamlNode& map, Profile& profile, Diagnostics& out);

}  // namespace interlock::policy
