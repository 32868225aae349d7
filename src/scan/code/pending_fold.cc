// Not there yet: delete this file when FoldPythonCall and FoldJavaScriptCall are defined.
#include "code/resolve.h"
namespace interlock::scan::code {
__attribute__((weak)) std::optional<Value> FoldPythonCall(std::string_view, const Value*, std::span<const Value>,
                                                          std::span<const std::string_view>) {
  return std::nullopt;
}
__attribute__((weak)) std::optional<Value> FoldJavaScriptCall(std::string_view, const Value*, std::span<const Value>) {
  return std::nullopt;
}
}  // namespace interlock::scan::code
