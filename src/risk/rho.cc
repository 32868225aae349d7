#include "interlock/risk/rho.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "interlock/base/glob.h"
#include "interlock/base/json.h"

namespace interlock::embedded {
std::string_view Find_risk_rules(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::risk {
namespace {

constexpr std::size_t kMaxTargets = 10'000;

bool IsWildcard(std::string_view text) {
  return text == "all" || text == "ALL" || std::ranges::any_of(text, [](char c) { return c == '*' || c == '?'; });
}

void AddFactor(std::string& out, std::string_view words, double factor) {
  if (factor == 1.0) return;
  out += ", ";
  out += words;
  out += " x";
  base::JsonWriter(out).Double(std::round(factor * 100) / 100);
}

}  // namespace

base::Result<RhoWeights> ReadRhoWeights(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  const base::JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.rho/v1") {
    return base::Error(base::ErrorCode::kJsonType, "the schema is not interlock.rho/v1");
  }
  RhoWeights weights;
  double fresh = 0;
  struct Field {
    std::string_view name;
    double* value;
    double min;
    double max;
  };
  const std::array<Field, 7> fields{{{"scope_per_doubling", &weights.scope_per_doubling, 0, 10},
                                     {"wildcard_targets", &weights.wildcard_targets, 1, 1e6},
                                     {"irreversible", &weights.irreversible, 1, 100},
                                     {"fresh_calls", &fresh, 0, 1e6},
                                     {"stale_per_call", &weights.stale_per_call, 0, 10},
                                     {"stale_most", &weights.stale_most, 1, 100},
                                     {"never_seen", &weights.never_seen, 1, 100}}};
  for (const Field& field : fields) {
    const auto value = root.Find(field.name).AsDouble();
    if (!value || !(*value >= field.min && *value <= field.max)) {
      return base::Error(base::ErrorCode::kJsonType, "`" + std::string(field.name) + "` is missing or out of range");
    }
    *field.value = *value;
  }
  weights.fresh_calls = static_cast<std::uint32_t>(fresh);
  return weights;
}

const RhoWeights& DefaultRhoWeights() {
  static const RhoWeights weights = [] {
    auto read = ReadRhoWeights(embedded::Find_risk_rules("rho.json"));
    INTERLOCK_CHECK(read.ok(), "the embedded weights are readable: a test says so");
    return read.value();
  }();
  return weights;
}

double CriticalityOf(const core::ToolSpec& spec, const core::Call& call) {
  double factor = 1.0;
  for (const core::Criticality& critical : spec.criticality) {
    if (critical.factor <= factor) continue;
    const base::JsonValue value = call.arguments.FindPointer(critical.argument);
    if (!value.exists()) continue;
    std::optional<base::Glob> own;
    if (!critical.compiled) {
      auto glob = base::Glob::Compile(critical.glob);
      if (!glob.ok()) return critical.factor;  // what cannot be read is taken to match
      own = std::move(glob.value());
    }
    const base::Glob& glob = critical.compiled ? *critical.compiled : *own;
    const auto hits = [&](base::JsonValue v) {
      if (!v.is_string()) return false;
      const std::string_view text = v.string();
      return glob.Matches(text) || IsWildcard(text);
    };
    bool hit = hits(value);
    if (value.is_array()) {
      for (const base::JsonValue element : value) hit = hit || hits(element);
    }
    if (hit) factor = critical.factor;
  }
  return factor;
}

RhoInputs InputsOf(const core::ToolSpec* spec, const core::Call& call, const RhoWeights& weights) {
  RhoInputs inputs;
  if (spec == nullptr) return inputs;
  inputs.sensitivity = spec->impact_weight;
  inputs.criticality = CriticalityOf(*spec, call);
  inputs.reversible = spec->reversible || spec->side_effect == core::SideEffect::kRead;
  inputs.has_target = !spec->target.empty();
  if (!inputs.has_target) return inputs;
  const base::JsonValue target = call.arguments.FindPointer(spec->target);
  const auto count = [&](base::JsonValue v) {
    return v.is_string() && IsWildcard(v.string()) ? weights.wildcard_targets : 1.0;
  };
  if (target.is_array()) {
    double targets = 0;
    std::size_t looked_at = 0;
    for (const base::JsonValue element : target) {
      if (++looked_at > kMaxTargets) break;
      targets += count(element);
    }
    inputs.targets = std::max(1.0, targets);
  } else {
    inputs.targets = count(target);
  }
  return inputs;
}

Rho ComputeRho(const RhoInputs& inputs, const RhoWeights& weights) {
  Rho rho;
  rho.inputs = inputs;
  rho.scope = 1.0 + weights.scope_per_doubling * std::log2(std::max(1.0, inputs.targets));
  rho.reversibility = inputs.reversible ? 1.0 : weights.irreversible;
  if (inputs.has_target) {
    if (!inputs.age) {
      rho.staleness = weights.never_seen;
    } else if (*inputs.age > weights.fresh_calls) {
      rho.staleness = std::min(weights.stale_most, 1.0 + weights.stale_per_call * (*inputs.age - weights.fresh_calls));
    }
  }
  const double value = inputs.sensitivity * inputs.criticality * rho.scope * rho.reversibility * rho.staleness;
  rho.value = std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 1.0;
  return rho;
}

std::string Rho::Explain() const {
  std::string out;
  base::JsonWriter(out).Double(std::round(value * 100) / 100);
  out += ": impact ";
  base::JsonWriter(out).Double(inputs.sensitivity);
  AddFactor(out, "critical target", inputs.criticality);
  AddFactor(out, "several targets", scope);
  AddFactor(out, "cannot be undone", reversibility);
  AddFactor(out, inputs.age ? "looked at long ago" : "not looked at in this session", staleness);
  return out;
}

}  // namespace interlock::risk
