// Not there yet: delete this file when LowerJavaScript is defined.
#include "code/ir.h"
namespace interlock::scan::code {
Module LowerJavaScript(std::string_view text, std::uint32_t file, bool, bool, const LowerLimits&) {
  Module module;
  module.language = Language::kJavaScript;
  module.file = file;
  module.text = text;
  module.functions.emplace_back();
  return module;
}
}  // namespace interlock::scan::code
