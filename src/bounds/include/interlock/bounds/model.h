// The learned part of bounds in one file: intent, combiner, thresholds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/base/result.h"
#include "interlock/bounds/forest.h"
#include "interlock/bounds/intent.h"

namespace interlock::bounds {

struct BoundsModel {
  IntentModel intent;
  ForestSet forests;
  float escalate = 0.0F;  // combined log-odds above which a call waits for a person
  float block = 2.0F;     // ... is refused

  // Mean of the forests.
  [[nodiscard]] float Score(std::span<const float> features) const noexcept { return forests.Score(features); }
  [[nodiscard]] std::string Serialize() const;
  // kInvalidArgument.
  [[nodiscard]] static base::Result<std::shared_ptr<const BoundsModel>> Parse(std::string_view bytes);
};

// The embedded weights; their card is docs/models/bounds.md.
[[nodiscard]] std::shared_ptr<const BoundsModel> DefaultBoundsModel();

}  // namespace interlock::bounds
