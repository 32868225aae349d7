// A profile: thresholds, floors and switches, as data (profiles/*.yaml). Ablations are profiles, not code paths.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "interlock/core/verdict.h"

namespace interlock::policy {

enum class LayerMode : std::uint8_t {
  kOff,       // not consulted
  kOn,        // consulted; when absent it says nothing, favourable or not
  kRequired,  // its absence escalates
};

// From which log-odds of bounds' combiner on a call waits or is refused. Nothing: the thresholds that its weights were
// chosen with.
struct BoundsSettings {
  std::optional<double> escalate;
  std::optional<double> block;
  bool block_what_waits = false;  // what would wait for a person is refused
};

// Spans of a result that address the agent are masked before the model reads them.
struct QuarantineSettings {
  bool on = true;
  std::optional<double> threshold;  // log-odds; nothing: the span model's own
};

// How a call meets the injection layer, beside what quarantine does to results (GIRA, equation 2: score <= eta or the
// call only reads).
struct InjectionSettings {
  enum class Reach : std::uint8_t {
    kNone,     // spans are a matter of bounds and quarantine alone
    kContext,  // a span anywhere in what the session has read speaks against every call that is not a read
    kAction,   // only a span of a text that a value of this call came from
  };
  Reach reach = Reach::kNone;
  double eta = 0.5;    // of the score in [0, 1]
  double decay = 0.0;  // scores of one source add up, each earlier one weighted by this (coaxing in small steps)
};

// Secrets in results and arguments: replaced before a model, or the tool, reads them.
struct RedactSettings {
  bool results = false;
  bool arguments = false;
};

struct Profile {
  std::string name;
  bool shadow = false;  // decide and record, enforce nothing
  std::array<LayerMode, core::kLayerCount> layers{};
  // When no rule speaks, by side-effect class.
  std::array<core::Verdict, core::kSideEffectCount> defaults{core::Verdict::kBlock, core::Verdict::kBlock,
                                                             core::Verdict::kBlock, core::Verdict::kBlock,
                                                             core::Verdict::kBlock};
  // Impact weight of tools for which the policy states none, by side-effect class.
  std::array<double, core::kSideEffectCount> impact{1.0, 0.0, 0.5, 0.7, 0.9};
  bool strict_objects = false;   // object schemas without additionalProperties refuse what they do not name
  bool validate_results = true;  // structuredContent against outputSchema
  core::Verdict bad_result =
      core::Verdict::kAllow;  // for a result that does not fit its outputSchema: allow = pass and note
  core::Verdict unusable_schema = core::Verdict::kEscalate;  // the tool's own schema does not compile
  bool durable_writes = false;                               // audit: wait for the sync before calls that are not reads
  BoundsSettings bounds;
  QuarantineSettings quarantine;
  InjectionSettings injection;
  RedactSettings redact;
  core::Verdict free_form_shell = core::Verdict::kAllow;  // for a call that carries one
  core::Verdict untrusted_value = core::Verdict::kAllow;  // a call that is no read and a value from untrusted text only
  bool early_return = false;  // Choose: the first proposal that waits for a person ends the round (GIRA, Algorithm 1)
  std::uint32_t approval_timeout_s = 300;
  std::uint32_t grant_ttl_s = 900;  // how long "for this session" approvals last
  // Choose: U = gain - lambda * risk - mu * human cost (GIRA, equation 2).
  double lambda = 1.0;
  double mu = 0.2;
  double max_risk = 1.0;  // rho_max

  [[nodiscard]] LayerMode layer(core::Layer l) const noexcept { return layers[static_cast<std::size_t>(l)]; }
  [[nodiscard]] double impact_for(core::SideEffect e) const noexcept { return impact[static_cast<std::size_t>(e)]; }
  [[nodiscard]] core::Verdict default_for(core::SideEffect e) const noexcept {
    return defaults[static_cast<std::size_t>(e)];
  }
};

}  // namespace interlock::policy
