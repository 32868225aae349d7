#include "interlock/runtime/mcp/lister.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "interlock/runtime/mcp/sse.h"

namespace interlock::runtime::mcp {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

JsonDoc Doc(std::string_view text) {
  auto doc = JsonDoc::Parse(text);
  EXPECT_TRUE(doc.ok()) << text;
  return std::move(doc.value());
}

constexpr std::string_view kUnknown = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown"}})";
constexpr std::string_view kLegacy =
    R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}},
        "serverInfo":{"name":"s","version":"1"},"instructions":"be \"kind\""}})";
constexpr std::string_view kModern =
    R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],
        "capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"2"}}}})";

// Answers by method; nothing: silence.
struct Talked {
  std::vector<std::string> asked;
  base::Result<ServerListing> listing;
};
Talked Talk(Era era, const std::function<std::string(const ListerRequest&)>& server, const ListerLimits& limits = {},
            ErrorCode silence = ErrorCode::kMcpTimeout) {
  ServerLister lister(era, limits);
  std::vector<std::string> asked;
  ListerRequest request;
  while (lister.Next(request)) {
    asked.push_back(request.method);
    EXPECT_LT(asked.size(), 10'000u);
    EXPECT_TRUE(JsonDoc::Parse(request.body).ok()) << request.body;
    if (request.id == 0) continue;
    const std::string answer = server(request);
    if (answer.empty()) {
      lister.OnFailure(Error(silence));
    } else {
      lister.OnAnswer(Doc(answer));
    }
  }
  return {.asked = std::move(asked), .listing = lister.Finish()};
}

TEST(ServerLister, LegacyServerIsListedPageByPage) {
  const Talked run = Talk(Era::kAuto, [](const ListerRequest& request) -> std::string {
    if (request.method == "initialize") return std::string(kLegacy);
    if (request.method == "tools/list" && request.body.find("cursor") == std::string::npos)
      return R"({"result":{"tools":[{"name":"a", "x":1}],"nextCursor":"p2"}})";
    if (request.method == "tools/list") return R"({"result":{"tools":[{"name":"b"}]}})";
    if (request.method == "prompts/list") return R"({"result":{"prompts":[]}})";
    return std::string(kUnknown);
  });
  EXPECT_THAT(run.asked, ElementsAre("server/discover", "initialize", "notifications/initialized", "tools/list",
                                     "tools/list", "prompts/list", "resources/list", "resources/templates/list"));
  ASSERT_TRUE(run.listing.ok());
  const ServerListing& listing = run.listing.value();
  EXPECT_FALSE(listing.modern);
  EXPECT_EQ(listing.protocol, "2025-06-18");
  EXPECT_THAT(listing.problems, IsEmpty());
  const JsonDoc doc = Doc(listing.json);
  EXPECT_EQ(doc.root().Find("schema").string(), "interlock.mcp-listing/v1");
  EXPECT_EQ(doc.root().Find("tools").raw(), R"([{"name":"a", "x":1},{"name":"b"}])");
  EXPECT_EQ(doc.root().Find("instructions").string(), "be \"kind\"");
  EXPECT_EQ(doc.root().FindPointer("/server/name").string(), "s");
  EXPECT_EQ(doc.root().Find("resourceTemplates").size(), 0u);
}

TEST(ServerLister, ModernServerKeepsTheEnvelopeOnEveryRequest) {
  const Talked run = Talk(Era::kAuto, [](const ListerRequest& request) -> std::string {
    EXPECT_TRUE(request.modern);
    EXPECT_EQ(request.version, "2026-07-28");
    EXPECT_THAT(request.body, HasSubstr("io.modelcontextprotocol/protocolVersion"));
    if (request.method == "server/discover") return std::string(kModern);
    if (request.method == "tools/list") return R"({"result":{"resultType":"complete","tools":[{"name":"t"}]}})";
    return std::string(kUnknown);
  });
  EXPECT_THAT(run.asked, ElementsAre("server/discover", "tools/list", "prompts/list", "resources/list",
                                     "resources/templates/list"));
  ASSERT_TRUE(run.listing.ok());
  EXPECT_TRUE(run.listing.value().modern);
  const JsonDoc doc = Doc(run.listing.value().json);
  EXPECT_EQ(doc.root().FindPointer("/server/name").string(), "m");
}

TEST(ServerLister, SlowModernServerIsAskedAgain) {
  int discovered = 0;
  const Talked run = Talk(Era::kAuto, [&](const ListerRequest& request) -> std::string {
    if (request.method == "server/discover") return ++discovered == 1 ? "" : std::string(kModern);
    return std::string(kUnknown);
  });
  EXPECT_THAT(run.asked, ElementsAre("server/discover", "initialize", "server/discover", "tools/list", "prompts/list",
                                     "resources/list", "resources/templates/list"));
  ASSERT_TRUE(run.listing.ok());
  ASSERT_THAT(run.listing.value().problems, SizeIs(1));
  EXPECT_EQ(run.listing.value().problems[0].list, "tools");
}

TEST(ServerLister, ServerThatEndsAtTheProbeIsStartedAgain) {
  ServerLister lister(Era::kAuto);
  ListerRequest request;
  ASSERT_TRUE(lister.Next(request));
  lister.OnFailure(Error(ErrorCode::kMcpPeerClosed));
  ASSERT_TRUE(lister.Next(request));
  EXPECT_TRUE(request.restart);
  EXPECT_EQ(request.method, "initialize");
  lister.OnFailure(Error(ErrorCode::kMcpPeerClosed));
  EXPECT_FALSE(lister.Next(request));
  EXPECT_EQ(lister.Finish().error().code(), ErrorCode::kMcpPeerClosed);
}

TEST(ServerLister, NoAgreementIsAnError) {
  const auto nothing = [](const ListerRequest&) { return std::string(); };
  const auto refuses = [](const ListerRequest&) { return std::string(kUnknown); };
  const auto echoes = [](const ListerRequest& request) { return request.body; };
  for (const Era era : {Era::kAuto, Era::kLegacy, Era::kModern}) {
    EXPECT_EQ(Talk(era, nothing).listing.error().code(), ErrorCode::kMcpTimeout);
    EXPECT_EQ(Talk(era, refuses).listing.error().code(), ErrorCode::kMcpFraming);
    EXPECT_EQ(Talk(era, echoes).listing.error().code(), ErrorCode::kMcpFraming);
  }
}

TEST(ServerLister, PagesAndEntriesEndAtTheLimits) {
  const auto endless = [](bool same, std::string_view entry) {
    return [=, n = 0](const ListerRequest& request) mutable -> std::string {
      if (request.method == "server/discover") return std::string(kModern);
      if (request.method != "tools/list") return std::string(kUnknown);
      return R"({"result":{"tools":[)" + std::string(entry) + R"(],"nextCursor":")" + std::to_string(same ? 1 : ++n) +
             R"("}})";
    };
  };
  const auto problem = [](const Talked& run) {
    EXPECT_TRUE(run.listing.ok());
    return run.listing.value().problems.size() == 1 ? run.listing.value().problems[0].error.code()
                                                    : ErrorCode::kInternal;
  };
  EXPECT_EQ(problem(Talk(Era::kAuto, endless(false, ""), {.max_pages = 50})), ErrorCode::kLimitExceeded);
  EXPECT_EQ(problem(Talk(Era::kAuto, endless(true, ""))), ErrorCode::kMcpFraming);
  const Talked entries = Talk(Era::kAuto, endless(false, R"({"name":"x"},{"name":"y"})"), {.max_entries = 7});
  EXPECT_EQ(problem(entries), ErrorCode::kLimitExceeded);
  EXPECT_EQ(entries.listing.value().entries, 7u);
  EXPECT_EQ(
      problem(Talk(Era::kAuto, endless(false, R"({"name":"xxxxxxxxxxxxxxxxxxxxxxxxx"})"), {.max_listing_bytes = 500})),
      ErrorCode::kLimitExceeded);
}

TEST(ServerLister, ServerThatEndsInTheMiddleIsSaidForEveryDeclaredList) {
  const Talked run = Talk(
      Era::kLegacy,
      [](const ListerRequest& request) { return request.method == "initialize" ? std::string(kLegacy) : ""; }, {},
      ErrorCode::kMcpPeerClosed);
  EXPECT_THAT(run.asked, ElementsAre("initialize", "notifications/initialized", "tools/list"));
  ASSERT_TRUE(run.listing.ok());
  EXPECT_THAT(run.listing.value().problems, SizeIs(2));
}

std::vector<std::string> Events(std::string_view bytes, std::size_t chunk, std::size_t limit = 1000) {
  SseParser parser(limit);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    const auto on_event = [&](std::string_view data) {
      events.emplace_back(data);
      return true;
    };
    if (!parser.Push(bytes.substr(at, chunk), on_event)) break;
  }
  if (parser.too_long()) events.emplace_back("<too long>");
  return events;
}

TEST(SseParser, EventsAreTheSameWhateverTheChunks) {
  const std::string_view bytes =
      "\xef\xbb\xbf: hello\r\nevent: message\r\ndata: one\r\ndata:two\r\n\r\nid: 1\n\ndata\n\ndata:  x\rretry: "
      "5\r\rdata: lost";
  for (std::size_t chunk = 1; chunk <= bytes.size(); ++chunk)
    EXPECT_THAT(Events(bytes, chunk), ElementsAre("one\ntwo", "", " x")) << chunk;
}

TEST(SseParser, EventOverTheLimitEndsIt) {
  EXPECT_THAT(Events("data: 1\n\ndata: " + std::string(100, 'x') + "\n\n", 7, 50), ElementsAre("1", "<too long>"));
  EXPECT_THAT(Events(std::string(1000, 'x'), 7, 50), ElementsAre("<too long>"));
  std::string many;
  for (int i = 0; i < 50; ++i) many += "data: 1234567890\n";
  EXPECT_THAT(Events(many, 5, 100), ElementsAre("<too long>"));
}

}  // namespace
}  // namespace interlock::runtime::mcp
