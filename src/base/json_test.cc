// Views of a document, and the writer.
#include "interlock/base/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "json_test_util.h"

namespace interlock::base {
namespace {

JsonDoc MustParse(std::string_view text) {
  Result<JsonDoc> doc = JsonDoc::Parse(text);
  EXPECT_TRUE(doc.ok()) << text;
  return doc.ok() ? std::move(doc.value()) : JsonDoc();
}

TEST(JsonValueTest, MissingValueAnswersEverythingSafely) {
  const JsonValue missing;
  EXPECT_EQ(missing.type(), JsonType::kMissing);
  EXPECT_FALSE(missing.exists());
  EXPECT_FALSE(missing.is_null());
  EXPECT_EQ(missing.string(), "");
  EXPECT_EQ(missing.number_text(), "");
  EXPECT_EQ(missing.raw(), "");
  EXPECT_EQ(missing.offset(), 0U);
  EXPECT_EQ(missing.size(), 0U);
  EXPECT_FALSE(missing.AsBool() || missing.AsInt64() || missing.AsDouble());
  EXPECT_FALSE(missing.Find("a").exists());
  EXPECT_FALSE(missing.FindPointer("/a").exists());
  EXPECT_TRUE(missing.begin() == missing.end());
}

TEST(JsonValueTest, TypesAndScalars) {
  const JsonDoc doc = MustParse(R"([null,true,false,12,"a\u00e9",[],{}])");
  const JsonType types[] = {JsonType::kNull,   JsonType::kBool,  JsonType::kBool,  JsonType::kNumber,
                            JsonType::kString, JsonType::kArray, JsonType::kObject};
  std::size_t i = 0;
  for (const JsonValue value : doc.root()) {
    ASSERT_LT(i, std::size(types));
    EXPECT_EQ(value.type(), types[i]);
    EXPECT_EQ(value.is_null(), types[i] == JsonType::kNull);
    EXPECT_EQ(value.AsBool().has_value(), types[i] == JsonType::kBool);
    EXPECT_EQ(value.AsInt64().has_value(), types[i] == JsonType::kNumber);
    EXPECT_EQ(value.AsDouble().has_value(), types[i] == JsonType::kNumber);
    EXPECT_EQ(value.number_text().empty(), types[i] != JsonType::kNumber);
    EXPECT_EQ(value.string().empty(), types[i] != JsonType::kString);
    ++i;
  }
  EXPECT_EQ(i, std::size(types));
  EXPECT_EQ(doc.root().size(), std::size(types));
  EXPECT_EQ(doc.root().FindPointer("/1").AsBool(), true);
  EXPECT_EQ(doc.root().FindPointer("/2").AsBool(), false);
  EXPECT_EQ(doc.root().FindPointer("/4").string(), "a\xC3\xA9");
  EXPECT_EQ(doc.root().FindPointer("/4").raw(), R"("a\u00e9")");
}

TEST(JsonValueTest, EveryTypeHasAName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(JsonType::kObject); ++i) names.insert(NameOf(static_cast<JsonType>(i)));
  EXPECT_EQ(names.size(), 7U);
}

TEST(JsonValueTest, UnescapedText) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("\u0041\u00e9\u20AC\ud83d\ude00\uFFFF")", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBF"},
      {R"("\udbff\udfff")", "\xF4\x8F\xBF\xBF"},
      {R"("\u0000")", std::string_view("\0", 1)},
      {R"("\u007f\u0080\u07ff\u0800")", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80"},
      {R"("plain")", "plain"},
      {R"("before\nafter")", "before\nafter"},
      {R"("0123456789012345678901234567890123456789\\x")", "0123456789012345678901234567890123456789\\x"},
      {R"("\\")", "\\"},
      {R"("")", ""},
  };
  for (const auto& [text, expected] : rows) {
    const JsonDoc doc = MustParse(text);
    EXPECT_EQ(doc.root().string(), expected) << text;
    EXPECT_EQ(doc.root().raw(), text);
    const JsonDoc object = MustParse("{" + std::string(text) + ":1}");
    EXPECT_EQ(object.root().Find(expected).AsInt64(), 1) << text;
    EXPECT_EQ(object.root().begin().key(), expected) << text;
  }
}

TEST(JsonValueTest, AsInt64TakesMathematicalIntegersInRange) {
  const std::pair<std::string_view, std::optional<std::int64_t>> rows[] = {
      {"0", 0},
      {"-0", 0},
      {"0.000", 0},
      {"0e999999999999999999", 0},
      {"1.0", 1},
      {"1e2", 100},
      {"-12.50e1", -125},
      {"1200e-2", 12},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"9223372036854775808", std::nullopt},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {"-9223372036854775809", std::nullopt},
      {"9999999999999999999", std::nullopt},
      {"18446744073709551616", std::nullopt},
      {"1e18", 1'000'000'000'000'000'000},
      {"1e19", std::nullopt},
      {"1e999999999999999999", std::nullopt},
      {"1e-999999999999999999", std::nullopt},
      {"0.5", std::nullopt},
      {"1.00000000000000000000001", std::nullopt},
      {"922337203685477580.7e1", std::numeric_limits<std::int64_t>::max()},
  };
  for (const auto& [text, expected] : rows) {
    const JsonDoc doc = MustParse(text);
    EXPECT_EQ(doc.root().AsInt64(), expected) << text;
    EXPECT_EQ(doc.root().number_text(), text);
  }
  const JsonDoc zeros = MustParse("1." + std::string(100'000, '0'));
  EXPECT_EQ(zeros.root().AsInt64(), 1);
}

TEST(JsonValueTest, AsDouble) {
  const auto as_double = [](std::string_view text) {
    const JsonDoc doc = MustParse(text);
    return doc.root().AsDouble();
  };
  EXPECT_EQ(as_double("0.1"), 0.1);
  EXPECT_EQ(as_double("-1E+2"), -100.0);
  EXPECT_EQ(as_double("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(as_double("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(as_double("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(as_double("1e-400"), 0.0);
  EXPECT_EQ(as_double("1e-999999999999999999"), 0.0);
  EXPECT_EQ(as_double("1e400"), std::nullopt);
  EXPECT_EQ(as_double("-1e999999999999999999"), std::nullopt);
  EXPECT_EQ(as_double("0e999999999999999999"), 0.0);
}

TEST(JsonValueTest, FindTakesOnlyExactKeysOfThisObject) {
  const JsonDoc doc = MustParse(R"({"a":{"inner":1},"":2,"ab":[3],"a\u0000":4})");
  EXPECT_EQ(doc.root().size(), 4U);
  EXPECT_TRUE(doc.root().Find("a").is_object());
  EXPECT_EQ(doc.root().Find("").AsInt64(), 2);
  EXPECT_EQ(doc.root().Find(std::string_view("a\0", 2)).AsInt64(), 4);
  EXPECT_FALSE(doc.root().Find("inner").exists());
  EXPECT_FALSE(doc.root().Find("A").exists());
  EXPECT_FALSE(doc.root().Find("abc").exists());
  EXPECT_FALSE(doc.root().Find("ab").Find("0").exists());
}

// The example of RFC 6901, section 5.
TEST(JsonValueTest, Pointers) {
  const JsonDoc doc = MustParse(
      R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"0":{"01":9}})");
  const JsonValue root = doc.root();
  EXPECT_EQ(root.FindPointer("").raw(), root.raw());
  EXPECT_EQ(root.FindPointer("/foo/0").string(), "bar");
  EXPECT_EQ(root.FindPointer("/foo/1").string(), "baz");
  const std::pair<std::string_view, std::int64_t> rows[] = {{"/", 0},     {"/a~1b", 1}, {"/c%d", 2},  {"/e^f", 3},
                                                            {"/g|h", 4},  {"/i\\j", 5}, {"/k\"l", 6}, {"/ ", 7},
                                                            {"/m~0n", 8}, {"/0/01", 9}};
  for (const auto& [pointer, expected] : rows) EXPECT_EQ(root.FindPointer(pointer).AsInt64(), expected) << pointer;
  for (const std::string_view pointer :
       {"foo", "/foo/2", "/foo/-", "/foo/01", "/foo/+1", "/foo/", "/foo/0/0", "/foo/18446744073709551616",
        "/foo/4294967296", "/m~n", "/m~2n", "/m~", "//", "/a/b", "/nothing/at/all"}) {
    EXPECT_FALSE(root.FindPointer(pointer).exists()) << pointer;
  }
}

TEST(JsonValueTest, IterationGivesKeysAndValuesInOrder) {
  const JsonDoc doc = MustParse(R"({"b":{"x":[1,[2]]},"a":[],"c":{}, "d" : "e" })");
  std::string seen;
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it) {
    seen += std::string(it.key()) + "=" + std::string((*it).raw()) + ";";
  }
  EXPECT_EQ(seen, R"(b={"x":[1,[2]]};a=[];c={};d="e";)");
  const JsonDoc array = MustParse("[[1,2],[],3]");
  seen.clear();
  for (auto it = array.root().begin(); it != array.root().end(); ++it) {
    EXPECT_EQ(it.key(), "");
    seen += std::string((*it).raw()) + "@" + std::to_string((*it).offset()) + ";";
  }
  EXPECT_EQ(seen, "[1,2]@1;[]@7;3@10;");
  JsonValue::Iterator end = array.root().end();
  ++end;
  EXPECT_TRUE(end == array.root().end());
}

TEST(JsonDocTest, DefaultAndMovedFromDocumentsAreNull) {
  JsonDoc doc;
  EXPECT_TRUE(doc.root().is_null());
  EXPECT_EQ(doc.bytes(), "null");
  doc = MustParse(R"({"key":"te\txt"})");
  const JsonValue view = doc.root().Find("key");
  const JsonDoc moved = std::move(doc);
  EXPECT_EQ(view.string(), "te\txt");
  EXPECT_EQ(moved.root().Find("key").raw(), view.raw());
  EXPECT_TRUE(doc.root().is_null());  // NOLINT(bugprone-use-after-move): the header promises it
}

TEST(JsonDocTest, ManyThreadsMayReadOneDocument) {
  const JsonDoc doc = MustParse(R"({"a":[1,2,{"b":"c\n"}],"d":1.50})");
  std::vector<std::thread> threads;
  std::vector<std::string> seen(4);
  for (std::string& out : seen) threads.emplace_back([&] { out = testing::Rewritten(doc.root()); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& out : seen) EXPECT_EQ(out, R"({"a":[1,2,{"b":"c\n"}],"d":1.50})");
}

TEST(JsonWriterTest, CompactText) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("id").Int(-7).Key("u").Uint(std::numeric_limits<std::uint64_t>::max());
  w.Key("min").Int(std::numeric_limits<std::int64_t>::min()).Key("ok").Bool(true).Key("no").Bool(false).Key("n").Null();
  w.Key("a").BeginArray().String("x").BeginArray().EndArray().BeginObject().EndObject().Int(0).EndArray();
  w.Key("raw").Raw("[1, 2]").Key("missing").Raw("").EndObject();
  EXPECT_EQ(out, R"({"id":-7,"u":18446744073709551615,"min":-9223372036854775808,"ok":true,"no":false,"n":null,)"
                 R"("a":["x",[],{},0],"raw":[1, 2],"missing":null})");
}

TEST(JsonWriterTest, DoublesReadBackTheSame) {
  for (const double value : {0.0, -0.0, 1.0, 0.1, -1e-7, 1e21, 1e300, 5e-324, 1.7976931348623157e308, 1.0 / 3}) {
    std::string out;
    JsonWriter(out).Double(value);
    const JsonDoc doc = MustParse(out);
    EXPECT_EQ(doc.root().AsDouble(), value) << out;
  }
  std::string out;
  JsonWriter w(out);
  w.BeginArray()
      .Double(std::numeric_limits<double>::infinity())
      .Double(std::numeric_limits<double>::quiet_NaN())
      .EndArray();
  EXPECT_EQ(out, "[null,null]");
}

TEST(JsonWriterTest, SeveralDocumentsMayFollowEachOther) {
  std::string out;
  JsonWriter w(out);
  w.BeginArray().Int(1).EndArray();
  out += '\n';
  w.BeginObject().EndObject();
  EXPECT_EQ(out, "[1]\n{}");
}

TEST(JsonWriterDeathTest, MisuseEndsTheProcess) {
  std::string out;
  EXPECT_DEATH(JsonWriter(out).BeginObject().Int(1), "check failed");
  EXPECT_DEATH(JsonWriter(out).BeginArray().Key("a"), "check failed");
  EXPECT_DEATH(JsonWriter(out).Key("a"), "check failed");
  EXPECT_DEATH(JsonWriter(out).BeginObject().Key("a").Key("b"), "check failed");
  EXPECT_DEATH(JsonWriter(out).BeginObject().Key("a").EndObject(), "check failed");
  EXPECT_DEATH(JsonWriter(out).BeginObject().EndArray(), "check failed");
  EXPECT_DEATH(JsonWriter(out).BeginArray().EndObject(), "check failed");
  EXPECT_DEATH(JsonWriter(out).EndArray(), "check failed");
}

TEST(AppendJsonStringTest, EscapesOnlyWhatMustBe) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", R"("")"},
      {"plain text, longer than eight bytes", R"("plain text, longer than eight bytes")"},
      {"\"\\\b\f\n\r\t", R"("\"\\\b\f\n\r\t")"},
      {std::string_view("\0\x01\x1f", 3), R"("\u0000\u0001\u001f")"},
      {"/\x7f<>&'", "\"/\x7f<>&'\""},
      {"é€😀\xE2\x80\xA8", "\"é€😀\xE2\x80\xA8\""},
      {"1234567\n12345678\"", R"("1234567\n12345678\"")"},
  };
  for (const auto& [text, expected] : rows) {
    std::string out = "x";
    AppendJsonString(out, text);
    EXPECT_EQ(out, "x" + std::string(expected));
  }
}

TEST(AppendJsonStringTest, EveryByteAtEveryPositionReadsBack) {
  for (int byte = 0; byte < 128; ++byte) {
    for (std::size_t position = 0; position < 17; ++position) {
      std::string text(17, 'a');
      text[position] = static_cast<char>(byte);
      std::string out;
      AppendJsonString(out, text);
      const JsonDoc doc = MustParse(out);
      ASSERT_EQ(doc.root().string(), text) << byte << " at " << position;
    }
  }
}

TEST(AppendJsonStringTest, InvalidUtf8BecomesReplacementCharacters) {
  const std::string_view r = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> rows[] = {
      {"a\x80z", "a" + std::string(r) + "z"},
      {"\xC3", std::string(r)},
      {"\xC0\xAF", std::string(r) + std::string(r)},
      {"\xED\xA0\x80", std::string(r) + std::string(r) + std::string(r)},
      {"\xF4\x90\x80\x80", std::string(r) + std::string(r) + std::string(r) + std::string(r)},
      {"\xE2\x82", std::string(r) + std::string(r)},
      {"\xC3\"", std::string(r) + "\\\""},
  };
  for (const auto& [text, expected] : rows) {
    std::string out;
    AppendJsonString(out, text);
    EXPECT_EQ(out, "\"" + expected + "\"");
    EXPECT_TRUE(JsonDoc::Parse(out).ok());
  }
}

}  // namespace
}  // namespace interlock::base
