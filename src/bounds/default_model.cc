#include "interlock/base/check.h"
#include "interlock/bounds/model.h"

namespace interlock::embedded {
std::string_view Find_bounds_models(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::bounds {

std::shared_ptr<const BoundsModel> DefaultBoundsModel() {
  static const std::shared_ptr<const BoundsModel> model = [] {
    auto parsed = BoundsModel::Parse(embedded::Find_bounds_models("bounds_model.bin"));
    INTERLOCK_CHECK(parsed.ok(), "the embedded weights are checked by a test");
    return parsed.value();
  }();
  return model;
}

}  // namespace interlock::bounds
