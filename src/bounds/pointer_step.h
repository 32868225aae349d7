// One step of a JSON pointer. Private to the module.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace interlock::bounds {

inline void AppendPointerStep(std::string& pointer, std::string_view key) {
  pointer += '/';
  if (std::none_of(key.begin(), key.end(), [](char c) { return c == '~' || c == '/'; })) {
    pointer += key;
    return;
  }
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
