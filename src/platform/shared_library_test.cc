#include "interlock/platform/shared_library.h"

#include <gtest/gtest.h>

namespace interlock::platform {
namespace {

TEST(SharedLibrary, GivesFunctionsByTheirNames) {
  const SharedLibrary library("libc.so.6");
  ASSERT_TRUE(library.loaded());
  int (*absolute)(int) = nullptr;
  ASSERT_TRUE(library.Take("abs", absolute));
  EXPECT_EQ(absolute(-3), 3);
  EXPECT_FALSE(library.Take("interlock_has_no_such_function", absolute));
  EXPECT_EQ(absolute, nullptr);
}

TEST(SharedLibrary, WhatIsNotInstalledHasNoFunctions) {
  const SharedLibrary library("libinterlock-is-not-installed.so.1");
  EXPECT_FALSE(library.loaded());
  int (*absolute)(int) = nullptr;
  EXPECT_FALSE(library.Take("abs", absolute));
}

}  // namespace
}  // namespace interlock::platform
