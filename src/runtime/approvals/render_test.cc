#include "interlock/runtime/approvals/render.h"

#include "gmock/gmock.h"
#include "interlock/platform/file.h"
#include "interlock/policy/json_schema.h"
#include "store_for_test.h"

namespace interlock::runtime::approvals {
namespace {

using testing::HasSubstr;
using testing::Not;

class RenderTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    auto text = platform::ReadFile(std::string(INTERLOCK_SOURCE_DIR) + "/schemas/interlock.approval.v1.json", 1 << 20);
    ASSERT_TRUE(text.ok());
    auto doc = base::JsonDoc::Parse(text.value());
    ASSERT_TRUE(doc.ok()) << doc.error().ToString();
    auto schema = policy::JsonSchema::Compile(doc.value().root());
    ASSERT_TRUE(schema.ok()) << schema.error().ToString();
    schema_.emplace(std::move(schema.value()));
  }
  void ExpectFits(const std::string& json) {
    auto doc = base::JsonDoc::Parse(json);
    ASSERT_TRUE(doc.ok()) << json;
    const auto outcome = schema_->Validate(doc.value().root());
    EXPECT_TRUE(outcome.valid()) << json << (outcome.valid() ? "" : outcome.ToError().ToString());
  }
  std::optional<policy::JsonSchema> schema_;
};

TEST_F(RenderTest, JsonFitsItsSchema) {
  auto store = Open();
  const std::string id = Put(*store, Ask(), At(0));
  ExpectFits(ToJson(Read(*store, id, At(1))));
  Ruling ruling = Yes(Scope::kPattern);
  ruling.constraint = R"({"properties":{"path":{}}})";
  ruling.reason = "fine";
  ASSERT_TRUE(store->Decide(id, ruling, At(1)).ok());
  ExpectFits(ToJson(Read(*store, id, At(2))));
  auto plans = store->Plans(At(2));
  ASSERT_TRUE(plans.ok());
  ExpectFits(ToJson(plans.value().at(0)));
  BreakGlass window;
  window.session = "s";
  window.reason = "r";
  window.opened_by = "bob";
  ASSERT_TRUE(store->OpenBreakGlass(window, kSecondUs, At(3)).ok());
  auto windows = store->BreakGlasses(At(3));
  ASSERT_TRUE(windows.ok());
  ExpectFits(ToJson(windows.value().at(0)));
  auto wrong = base::JsonDoc::Parse(R"({"schema":"interlock.approval/v1","type":"request","id":"a-0000000000"})");
  ASSERT_TRUE(wrong.ok());
  EXPECT_TRUE(schema_->Validate(wrong.value().root()).invalid());
}

TEST_F(RenderTest, ThePlanFileFitsTheSchemaToo) {
  ExpectFits(R"({"schema":"interlock.plan/v1","steps":[{"tool":"t","arguments":{"properties":{}},"max_uses":3}]})");
}

TEST_F(RenderTest, ShowsAllOfTheArgumentsSafeForATerminal) {
  auto store = Open();
  Question q = Ask();
  q.tool = "wr\x1b[2Jite";
  q.arguments = R"({"path":"\u001b]0;x\u0007","pad":")" + std::string(20'000, 'y') + R"(","end":"the-end"})";
  const std::string id = Put(*store, q, At(0));
  const std::string text = Describe(Read(*store, id, At(1)), At(1).wall);
  EXPECT_THAT(text, HasSubstr("the-end"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr(q.binding.call.ToHex()));
  EXPECT_THAT(text, HasSubstr(q.binding.policy.ToHex()));
  EXPECT_THAT(Line(Read(*store, id, At(1)), At(1).wall), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace interlock::runtime::approvals
