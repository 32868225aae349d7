#include "interlock/platform/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace interlock::platform {
namespace {

TEST(Workers, EachPieceOnceAndAllDoneBeforeItComesBack) {
  for (const std::uint32_t threads : {1U, 2U, 7U}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    for (std::size_t count = 0; count < 60; ++count) {
      std::vector<int> done(count);  // no piece writes another's
      workers.ForEach(count, [&](std::size_t i) { ++done[i]; });
      EXPECT_EQ(done, std::vector<int>(count, 1));
    }
  }
}

TEST(Workers, AloneInOrder) {
  Workers workers(1);
  std::vector<std::size_t> order;
  workers.ForEach(5, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Workers, ThreadsHelpWhileOnePieceIsLong) {
  Workers workers(2);
  std::atomic<int> others = 0;
  workers.ForEach(10, [&](std::size_t i) {
    if (i != 0) {
      ++others;
      others.notify_all();
      return;
    }
    for (int seen = others; seen < 9; seen = others) others.wait(seen);
  });
  EXPECT_EQ(others, 9);
}

TEST(Workers, OnePieceForEveryCoreRunsOnTheCaller) {
  Workers workers(0);
  EXPECT_GE(workers.threads(), 1U);
  int runs = 0;
  workers.ForEach(1, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace interlock::platform
