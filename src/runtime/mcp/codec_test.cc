#include "interlock/runtime/mcp/codec.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace interlock::runtime::mcp {
namespace {

using base::ErrorCode;

std::vector<std::string> Frames(const std::string& bytes, std::size_t chunk, std::size_t max_line,
                                std::size_t* left = nullptr) {
  LineFramer framer(max_line);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto space = framer.Space();
    const std::size_t n = std::min({chunk, space.size(), bytes.size() - at});
    std::copy_n(bytes.data() + at, n, space.data());
    framer.Filled(n);
    at += n;
    LineFramer::Frame frame;
    while (framer.Next(frame)) {
      out.push_back(frame.too_long ? "<" + std::to_string(frame.bytes) + ">" : std::string(frame.line));
    }
  }
  if (left != nullptr) *left = framer.unfinished();
  return out;
}

TEST(LineFramer, SameLinesWhateverTheChunks) {
  const std::string bytes = "a\n\nbb\r\n" + std::string(10, 'c') + "\n" + std::string(11, 'd') + "\ne\nrest";
  const std::vector<std::string> want = {"a\n", "\n", "bb\r\n", std::string(10, 'c') + "\n", "<12>", "e\n"};
  for (const std::size_t chunk : {1u, 2u, 3u, 7u, 1000u}) {
    std::size_t left = 0;
    EXPECT_EQ(Frames(bytes, chunk, 10, &left), want) << chunk;
    EXPECT_EQ(left, 4u);
  }
}

TEST(LineFramer, LinesAroundTheReadSize) {
  std::string bytes;
  std::vector<std::string> want;
  for (const std::size_t size : {std::size_t{1}, std::size_t{65535}, std::size_t{65536}, std::size_t{65537},
                                 std::size_t{300000}, std::size_t{2}}) {
    want.push_back(std::string(size, static_cast<char>('a' + want.size())) + "\n");
    bytes += want.back();
  }
  EXPECT_EQ(Frames(bytes, 50'000, 300'000), want);
  want[4] = "<300001>";
  EXPECT_EQ(Frames(bytes, 50'000, 299'999), want);
}

TEST(LineFramer, EndlessLineDoesNotGrow) {
  LineFramer framer(100'000);
  LineFramer::Frame frame;
  for (int i = 0; i < 1000; ++i) {
    const auto space = framer.Space();
    ASSERT_LE(space.size(), 400'000u);
    std::fill(space.begin(), space.end(), 'x');
    framer.Filled(space.size());
    EXPECT_FALSE(framer.Next(frame));
  }
  EXPECT_GT(framer.unfinished(), 0u);
  framer.Space()[0] = '\n';
  framer.Filled(1);
  ASSERT_TRUE(framer.Next(frame));
  EXPECT_TRUE(frame.too_long);
  EXPECT_EQ(framer.unfinished(), 0u);
}

struct Read {
  base::JsonDoc doc;
  Message message;
  base::Status status;
};
Read ReadLine(std::string_view line) {
  MessageReader reader(CodecLimits{.max_line_bytes = 1 << 20, .max_depth = 16, .max_id_bytes = 8, .max_batch = 2});
  Read out;
  out.status = reader.Read(line, out.doc, out.message);
  return out;
}

TEST(MessageReader, Kinds) {
  const std::vector<std::pair<std::string, MessageKind>> cases = {
      {R"({"jsonrpc":"2.0","id":1,"method":"x"})", MessageKind::kRequest},
      {R"({"method":"x","id":"","jsonrpc":"2.0","extra":1})", MessageKind::kRequest},
      {R"({"jsonrpc":"2.0","method":"x","params":[]})", MessageKind::kNotification},
      {R"({"jsonrpc":"2.0","id":-1.5,"result":null})", MessageKind::kResult},
      {R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})", MessageKind::kError},
      {R"({"jsonrpc":"2.0","id":null,"error":{}})", MessageKind::kError},
      {R"({"jsonrpc":"2.0","error":{}})", MessageKind::kError},
      {"[1,2]\r\n", MessageKind::kBatch},
  };
  for (const auto& [line, kind] : cases) {
    const Read read = ReadLine(line);
    ASSERT_TRUE(read.status.ok()) << line;
    EXPECT_EQ(read.message.kind, kind) << line;
  }
}

TEST(MessageReader, Refused) {
  const std::vector<std::pair<std::string, ErrorCode>> cases = {
      {"", ErrorCode::kJsonEmpty},
      {"x", ErrorCode::kJsonSyntax},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"x"})", ErrorCode::kJsonDuplicateKey},
      {R"({"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"x"})", ErrorCode::kJsonDuplicateKey},
      {R"({"jsonrpc":"2.0","method":"x"}{})", ErrorCode::kJsonTrailing},
      {"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", ErrorCode::kJsonUtf8},
      {"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\r\"params\":{}}", ErrorCode::kMcpFraming},
      {"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r\r\n", ErrorCode::kMcpFraming},
      {"7", ErrorCode::kMcpFraming},
      {"[]", ErrorCode::kMcpFraming},
      {"[1,2,3]", ErrorCode::kMcpFraming},
      {R"({"method":"x"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":2.0,"method":"x"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":null,"method":"x"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":true,"method":"x"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":"123456789","method":"x"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1,"method":""})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","result":1})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":null,"result":1})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","result":1})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1,"error":"x"})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":[],"error":{}})", ErrorCode::kMcpFraming},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","METHOD":"y"})", ErrorCode::kMcpFraming},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"param\xC5\xBF\":{}}", ErrorCode::kMcpFraming},
      {std::string(20, '[') + std::string(20, ']'), ErrorCode::kJsonDepth},
  };
  for (const auto& [line, code] : cases) {
    const Read read = ReadLine(line);
    ASSERT_FALSE(read.status.ok()) << line;
    EXPECT_EQ(read.status.error().code(), code) << line;
  }
}

TEST(IdKey, OneKeyForAllSpellings) {
  const auto key = [](std::string_view id) {
    const auto doc = base::JsonDoc::Parse(id);
    return doc.ok() ? IdKey(doc.value().root()) : std::string("bad");
  };
  EXPECT_EQ(key("1"), key("1.0"));
  EXPECT_EQ(key("10"), key("1e1"));
  EXPECT_EQ(key("0"), key("-0"));
  EXPECT_EQ(key("123456789012345678901"), key("123456789012345678901.0"));
  EXPECT_EQ(key(R"("a")"), key("\"\\u0061\""));
  EXPECT_NE(key("1"), key(R"("1")"));
  EXPECT_NE(key("9007199254740993"), key("9007199254740992"));
  EXPECT_EQ(key("null"), "");
}

TEST(HasCaseVariant, FoldsAsLenientReadersDo) {
  static constexpr std::array<std::string_view, 2> kNames = {"name", "task"};
  const auto variant = [](std::string_view json) {
    const auto doc = base::JsonDoc::Parse(json);
    return doc.ok() && HasCaseVariant(doc.value().root(), kNames);
  };
  EXPECT_FALSE(variant(R"({"name":1,"task":2,"nam":3,"names":4,"":5})"));
  EXPECT_TRUE(variant(R"({"Name":1})"));
  EXPECT_TRUE(variant("{\"ta\xC5\xBFk\":1}"));
  EXPECT_TRUE(variant("{\"tas\xE2\x84\xAA\":1}"));
  EXPECT_FALSE(variant("[1]"));
}

}  // namespace
}  // namespace interlock::runtime::mcp
