#include "interlock/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interlock/base/check.h"
#include "interlock/base/result.h"

namespace interlock::base {
namespace {

TEST(ErrorTable, EveryEnumeratorFindsItsRow) {
  ASSERT_FALSE(AllErrors().empty());
  std::size_t index = 0;
  for (const ErrorInfo& row : AllErrors()) {
    EXPECT_EQ(static_cast<std::size_t>(row.code), index++) << row.id;
    EXPECT_EQ(&InfoOf(row.code), &row) << row.id;
    EXPECT_EQ(Error(row.code).id(), row.id);
  }
}

TEST(ErrorTable, IdsAreUniqueAndWellFormed) {
  std::set<std::string_view> ids;
  for (const ErrorInfo& row : AllErrors()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    ASSERT_EQ(row.id.size(), 5U) << row.id;
    EXPECT_EQ(row.id.front(), 'E');
    EXPECT_EQ(row.id.find_first_not_of("0123456789", 1), std::string_view::npos) << row.id;
    EXPECT_FALSE(row.title.empty()) << row.id;
    EXPECT_FALSE(row.title.ends_with('.')) << row.id;
  }
}

// Ids are stable once released: a new row appends, it does not renumber.
TEST(ErrorTable, ReleasedIdsStay) {
  EXPECT_EQ(InfoOf(ErrorCode::kInternal).id, "E0001");
  EXPECT_EQ(InfoOf(ErrorCode::kJsonSyntax).id, "E0101");
  EXPECT_EQ(InfoOf(ErrorCode::kJsonDuplicateKey).id, "E0102");
  EXPECT_EQ(InfoOf(ErrorCode::kJsonEmpty).id, "E0111");
  EXPECT_EQ(InfoOf(ErrorCode::kPolicySyntax).id, "E0401");
  EXPECT_EQ(InfoOf(ErrorCode::kUsage).id, "E1201");
}

TEST(ErrorTest, UnderPutsContextInFront) {
  const Error error(ErrorCode::kNotFound, "no such key", {.file = "f", .line = 2, .column = 3, .offset = 9});
  const Error outer = error.Under("loading").Under("start");
  EXPECT_EQ(outer.code(), ErrorCode::kNotFound);
  EXPECT_EQ(outer.message(), "start: loading: no such key");
  EXPECT_EQ(outer.place().line, 2U);
  EXPECT_EQ(outer.place().offset, 9U);
  EXPECT_EQ(Error(ErrorCode::kNotFound).Under("loading").message(), "loading");
  EXPECT_EQ(error.Under("").message(), "no such key");
}

TEST(ErrorTest, ToStringLeavesOutWhatIsNotKnown) {
  const auto text = [](SourcePlace place, std::string message) {
    return Error(ErrorCode::kJsonEmpty, std::move(message), std::move(place)).ToString();
  };
  const std::string row = "E0111 " + std::string(InfoOf(ErrorCode::kJsonEmpty).title);
  EXPECT_EQ(text({}, ""), row);
  EXPECT_EQ(text({}, "m"), row + ": m");
  EXPECT_EQ(text({.file = "a.json"}, "m"), "a.json: " + row + ": m");
  EXPECT_EQ(text({.file = "a.json", .line = 3}, "m"), "a.json:3: " + row + ": m");
  EXPECT_EQ(text({.file = "a.json", .line = 3, .column = 4}, "m"), "a.json:3:4: " + row + ": m");
  EXPECT_EQ(text({.line = 3, .column = 4}, "m"), "3:4: " + row + ": m");
  EXPECT_EQ(text({.column = 4}, "m"), row + ": m");
}

TEST(ResultTest, HoldsAValueOrAnError) {
  Result<std::string> good(std::string("v"));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value(), "v");
  good.value() += "w";
  EXPECT_EQ(good.value(), "vw");
  const Result<std::string> bad(Error(ErrorCode::kIo, "m"));
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code(), ErrorCode::kIo);
  EXPECT_TRUE(Status().ok());
  const Status failed = Error(ErrorCode::kIo);
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code(), ErrorCode::kIo);
}

TEST(CheckDeathTest, BugsEndTheProcess) {
  EXPECT_DEATH(INTERLOCK_CHECK(1 + 1 == 3, "arithmetic"), "check failed");
  INTERLOCK_CHECK(1 + 1 == 2, "arithmetic");
  const Result<int> bad = Error(ErrorCode::kIo);
  EXPECT_DEATH((void)bad.value(), "check failed");
  const Result<int> good(1);
  EXPECT_DEATH((void)good.error(), "check failed");
  EXPECT_DEATH((void)Status().error(), "check failed");
  EXPECT_DEATH((void)InfoOf(static_cast<ErrorCode>(65535)), "check failed");
}

}  // namespace
}  // namespace interlock::base
