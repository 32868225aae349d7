#include "interlock/base/check.h"
#include "interlock/injection/span_finder.h"

namespace interlock::embedded {
std::string_view Find_span_models(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::injection {

std::shared_ptr<const SpanModel> DefaultSpanModel() {
  static const std::shared_ptr<const SpanModel> model = [] {
    auto parsed = SpanModel::Parse(embedded::Find_span_models("span_model.bin"));
    INTERLOCK_CHECK(parsed.ok(), "the embedded weights are checked by a test");
    return parsed.value();
  }();
  return model;
}

}  // namespace interlock::injection
