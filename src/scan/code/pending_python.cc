// Not there yet: delete this file when LowerPython is defined.
#include "code/ir.h"
namespace interlock::scan::code {
Module LowerPython(std::string_view text, std::uint32_t file, const LowerLimits&) {
  Module module;
  module.file = file;
  module.text = text;
  module.functions.emplace_back();
  return module;
}
}  // namespace interlock::scan::code
