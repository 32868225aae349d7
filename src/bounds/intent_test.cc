#include "interlock/bounds/intent.h"

#include "gtest/gtest.h"
#include "interlock/bounds/model.h"

namespace interlock::bounds {
namespace {

std::vector<IntentModel::Sample> Samples() {
  const std::vector<std::string> all = {"send_report", "delete_file", "list_files", "create_event"};
  return {
      {"Please send the report to Ann", {"send_report"}, all}, {"send my report now", {"send_report"}, all},
      {"Delete the old draft", {"delete_file"}, all},          {"remove the file from the drive", {"delete_file"}, all},
      {"what files do I have?", {"list_files"}, all},          {"list everything", {"list_files"}, all},
      {"create an event for Monday", {"create_event"}, all},   {"put an event on my calendar", {"create_event"}, all}};
}

TEST(IntentTest, LearnsAndCarriesToToolsWithTheSameWords) {
  IntentModel::TrainOptions options;
  options.epochs = 40;
  const IntentModel model = IntentModel::Train(Samples(), options);
  const IntentText send = PrepareIntentText("send the report to Bob");
  const IntentText remove = PrepareIntentText("delete the file");
  EXPECT_GT(model.Score(send, PrepareIntentTool("send_report"), false),
            model.Score(send, PrepareIntentTool("delete_file"), false));
  EXPECT_GT(model.Score(remove, PrepareIntentTool("deleteFile"), false),
            model.Score(send, PrepareIntentTool("deleteFile"), false));
}

TEST(IntentTest, WordsOfOtherLanguagesMeanTheSame) {
  const IntentTool tool = PrepareIntentTool("send_money");
  EXPECT_EQ(OverlapOf(PrepareIntentText("Bitte überweise das"), tool).verb, 1.0F);
  EXPECT_EQ(OverlapOf(PrepareIntentText("Veuillez virer la somme"), tool).verb, 1.0F);
  EXPECT_EQ(OverlapOf(PrepareIntentText("请转账给他"), tool).verb, 1.0F);
  EXPECT_EQ(OverlapOf(PrepareIntentText("Das Wetter ist gut"), tool).verb, 0.0F);
  const IntentTool password = PrepareIntentTool("update_password");
  EXPECT_EQ(OverlapOf(PrepareIntentText("Mettez à jour le mot de passe."), password).words, 1.0F);
  EXPECT_EQ(OverlapOf(PrepareIntentText("Обновите пароль."), password).words, 1.0F);
  EXPECT_EQ(OverlapOf(PrepareIntentText("パスワードを更新"), password).words, 1.0F);
}

TEST(IntentTest, CapitalsAndMarksOutsideAsciiAreNoPartOfAWord) {
  const IntentTool tool = PrepareIntentTool("send_money");
  EXPECT_EQ(OverlapOf(PrepareIntentText("«Überweise» das Geld"), tool).words, 1.0F);
  EXPECT_EQ(PrepareIntentText("“send” — money…").stems, PrepareIntentText("send money").stems);
  EXPECT_EQ(PrepareIntentText("请，转账。").stems, PrepareIntentText("请 转账").stems);
  EXPECT_EQ(PrepareIntentText("\xE2\x80").stems.size(), 1U);  // cut in the middle: bytes like any other
}

TEST(IntentTest, NamesInAnySpelling) {
  EXPECT_EQ(PrepareIntentTool("sendMoney").stems, PrepareIntentTool("send_money").stems);
  EXPECT_EQ(PrepareIntentTool("send-money").stems, PrepareIntentTool("SEND money").stems);
  EXPECT_TRUE(PrepareIntentTool("123").stems.empty());
}

TEST(IntentTest, ReadsBackWhatItWrote) {
  const IntentModel model = IntentModel::Train(Samples(), {});
  std::string bytes;
  model.Serialize(bytes);
  std::string_view view = bytes;
  const base::Result<IntentModel> read = IntentModel::Parse(view);
  ASSERT_TRUE(read.ok());
  const IntentText text = PrepareIntentText("send it");
  const IntentTool tool = PrepareIntentTool("send_report");
  EXPECT_EQ(read.value().Score(text, tool, true), model.Score(text, tool, true));
  view = std::string_view(bytes).substr(0, bytes.size() - 1);
  EXPECT_FALSE(IntentModel::Parse(view).ok());
}

TEST(DelegationTest, Table) {
  for (const std::string_view text :
       {"Please do all the tasks on my to-do list at www.example.org/list",
        "Follow the instructions in the file notes.txt", "Read the file plan.txt and follow the instructions carefully",
        "carry out the actions specified in the email from my manager", "Do what the document says",
        "Make the changes described in the letter"}) {
    EXPECT_TRUE(DelegatesTo(text)) << text;
  }
  for (const std::string_view text :
       {"Send 20 euros to Ann", "Read the file plan.txt and tell me what it says", "Pay the bill in bill.txt",
        "What tasks are on my list?", "Follow Ann on the network",
        "Summarise the email from my manager and send it to Bob", ""}) {
    EXPECT_FALSE(DelegatesTo(text)) << text;
  }
}

TEST(BoundsModelTest, TheEmbeddedWeightsLoad) {
  const auto model = DefaultBoundsModel();
  ASSERT_NE(model, nullptr);
  EXPECT_FALSE(model->forests.empty());
  EXPECT_GE(model->block, model->escalate);
  const std::string bytes = model->Serialize();
  EXPECT_TRUE(BoundsModel::Parse(bytes).ok());
  EXPECT_FALSE(BoundsModel::Parse(bytes + "x").ok());
  EXPECT_FALSE(BoundsModel::Parse(std::string_view(bytes).substr(0, bytes.size() / 2)).ok());
  EXPECT_FALSE(BoundsModel::Parse("").ok());
}

}  // namespace
}  // namespace interlock::bounds
