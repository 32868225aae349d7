// The shipped rules' examples, one test a rule.
#include "interlock/scan/rule_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace interlock::scan {
namespace {

using testing::ElementsAre;
using testing::Field;

class RuleExamples : public testing::TestWithParam<std::string> {};

TEST_P(RuleExamples, AreAsTheyClaim) {
  const Rule* rule = RuleSet::Builtin().Find(GetParam());
  ASSERT_NE(rule, nullptr);
  for (const ExampleFailure& failure : TestExamples(RuleSet::Builtin(), *rule)) {
    const RuleExample& example = (failure.positive ? rule->positive : rule->negative)[failure.index];
    std::string seen;
    for (const core::Finding& finding : failure.findings) seen += "\n  " + finding.rule + ": " + finding.evidence;
    ADD_FAILURE() << rule->id << " should " << (failure.positive ? "" : "not ") << "be found in " << example.path
                  << ":\n"
                  << example.text << "\nseen:" << seen;
  }
}

std::vector<std::string> Ids() {
  std::vector<std::string> ids;
  for (const Rule& rule : RuleSet::Builtin().rules()) ids.push_back(rule.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Shipped, RuleExamples, testing::ValuesIn(Ids()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(RuleExamplesView, HoldsTheExampleAndItsOtherFilesInOrder) {
  const core::PackageView view = ExampleView({.path = "m.py", .text = "x", .files = {{"z.py", "yy"}, {"a.md", "zzz"}}});
  EXPECT_THAT(view.files, ElementsAre(Field(&core::PackageFile::path, "a.md"), Field(&core::PackageFile::path, "m.py"),
                                      Field(&core::PackageFile::path, "z.py")));
  EXPECT_EQ(view.total_bytes, 6U);
}

}  // namespace
}  // namespace interlock::scan
