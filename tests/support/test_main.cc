// One main for every test binary: a suite that ran no test is a failure, not a pass.
#include <cstdio>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int rc = RUN_ALL_TESTS();
  const auto* unit = testing::UnitTest::GetInstance();
  if (!testing::GTEST_FLAG(list_tests) && unit->test_to_run_count() == 0) {
    std::fprintf(stderr, "no test ran\n");
    return 1;
  }
  return rc;
}
