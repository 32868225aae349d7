// One step of a JSON pointer. Private to the module.
#pragma once

#include <string>
#include <string_view>

namespace interlock::bounds {

inline void AppendPointerStep(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace interlock::bounds
