// Built-in data, loaded once.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "interlock/base/check.h"
#include "interlock/eval/oep.h"
#include "library.h"

namespace interlock::eval::oep {

inline const OepLibrary& BuiltIn() {
  static const std::shared_ptr<const OepLibrary> library = [] {
    auto loaded = OepLibrary::Load(BuiltInOepFiles());
    INTERLOCK_CHECK(loaded.ok(), loaded.ok() ? "" : loaded.error().ToString().c_str());
    return loaded.value();
  }();
  return *library;
}

}  // namespace interlock::eval::oep
