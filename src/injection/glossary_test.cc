#include "interlock/injection/glossary.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"
#include "tokens.h"

namespace interlock::injection {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// The senses of a text's words; `-` for a word that the one before it said.
std::vector<std::uint32_t> SensesOf(std::string_view text) {
  Folded folded;
  Tokens tokens;
  Fold(text, folded);
  Tokenize(folded, tokens);
  std::vector<std::uint32_t> senses;
  for (const Token& token : tokens.tokens) senses.push_back(token.kind == TokenKind::kWord ? token.sense : 1);
  return senses;
}

std::vector<std::uint32_t> Words(const std::vector<std::string>& words) {
  std::vector<std::uint32_t> out;
  for (const std::string& word : words) out.push_back(word == "-" ? 0 : HashWord(word));
  return out;
}

TEST(GlossaryTest, TheFileFollowsItsSchema) {
  const fs::path root = INTERLOCK_SOURCE_DIR;
  const std::string schema_text = ReadAll(root / "schemas" / "interlock.glossary.v1.json");
  const auto schema_doc = base::JsonDoc::Parse(schema_text);
  ASSERT_TRUE(schema_doc.ok());
  const auto schema = policy::JsonSchema::Compile(schema_doc.value().root());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  const std::string text = ReadAll(root / "src" / "injection" / "data" / "glossary.json");
  const auto doc = base::JsonDoc::Parse(text);
  ASSERT_TRUE(doc.ok());
  EXPECT_TRUE(schema.value().Validate(doc.value().root()).valid());
  EXPECT_TRUE(Glossary::Parse(text).ok());
}

TEST(GlossaryTest, NothingElseIsAGlossary) {
  for (const std::string_view bad :
       {"", "{}", R"({"schema":"interlock.glossary/v2","senses":{"a":{"de":"b"}}})",
        R"({"schema":"interlock.glossary/v1"})", R"({"schema":"interlock.glossary/v1","senses":{}})",
        R"({"schema":"interlock.glossary/v1","senses":{"send":"sende"}})",
        R"({"schema":"interlock.glossary/v1","senses":{"send":{"de":"sende  12"}}})",
        R"({"schema":"interlock.glossary/v1","senses":{"send":{"de":"a_b_c_d_e_f_g_h_i"}}})"}) {
    EXPECT_FALSE(Glossary::Parse(bad).ok()) << bad;
  }
}

TEST(GlossaryTest, WordsPhrasesAndElisions) {
  const Glossary& glossary = Glossary::Default();
  const auto of = [&](const std::vector<std::string>& words) {
    const Gloss gloss = glossary.Of(words);
    return std::string(gloss.english) + "/" + std::to_string(gloss.words);
  };
  EXPECT_EQ(of({"überweise", "geld"}), "transfer/1");
  EXPECT_EQ(of({"mot", "de", "passe", "du"}), "password/3");
  EXPECT_EQ(of({"mot"}), "/0");
  EXPECT_EQ(of({"l'utilisateur"}), "user/1");
  EXPECT_EQ(of({"пароль"}), "password/1");
  EXPECT_EQ(of({"kettle"}), "/0");
  EXPECT_EQ(of({}), "/0");
}

TEST(GlossaryTest, RunsWithoutBlanks) {
  const Glossary& glossary = Glossary::Default();
  EXPECT_EQ(glossary.AtStartOf("密码改成").english, "password");
  EXPECT_EQ(glossary.AtStartOf("密码改成").words, std::string_view("密码").size());
  EXPECT_TRUE(glossary.AtStartOf("醃密码").english.empty());
  EXPECT_TRUE(glossary.AtStartOf("").english.empty());
  EXPECT_TRUE(glossary.AtStartOf("\xE5\xAF").english.empty());
}

TEST(GlossaryTest, TokensHaveTheSenseOfTheEnglishWord) {
  EXPECT_EQ(SensesOf("Supprimez le fichier"), Words({"delete", "the", "file"}));
  EXPECT_EQ(SensesOf("Mot de passe"), Words({"password", "-", "-"}));
  EXPECT_EQ(SensesOf("请更新密码"), Words({"please", "update", "-", "password", "-"}));
  EXPECT_EQ(SensesOf("Delete the file"), Words({"delete", "the", "file"}));
}

TEST(GlossaryTest, APhraseEndsWithItsSentence) {
  const std::vector<std::uint32_t> senses = SensesOf("mot. de passe");
  ASSERT_EQ(senses.size(), 3U);
  EXPECT_EQ(senses[0], HashWord("mot"));
}

}  // namespace
}  // namespace interlock::injection
