#include "interlock/runtime/mcp/client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "interlock/base/json.h"
#include "interlock/platform/signals.h"

namespace interlock::runtime::mcp {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr ClientLimits kQuick{.total = milliseconds(1500),
                              .max_message_bytes = 100'000,
                              .max_received_bytes = 3'000'000,
                              .lister = {.max_pages = 20,
                                         .probe_wait = milliseconds(200),
                                         .start_wait = milliseconds(400),
                                         .page_wait = milliseconds(300),
                                         .undeclared_wait = milliseconds(100)}};

// What ends the exchange is the server's answer or a size, never the clock: a loaded machine gives the same verdict.
constexpr ClientLimits kPatient{.total = std::chrono::seconds(60),
                                .max_message_bytes = kQuick.max_message_bytes,
                                .max_received_bytes = kQuick.max_received_bytes,
                                .lister = {.max_pages = 20,
                                           .probe_wait = std::chrono::seconds(20),
                                           .start_wait = std::chrono::seconds(20),
                                           .page_wait = std::chrono::seconds(20),
                                           .undeclared_wait = std::chrono::seconds(20)}};
const ClientLimits& LimitsFor(ErrorCode expected) { return expected == ErrorCode::kMcpTimeout ? kQuick : kPatient; }

const bool kSigpipeIgnored = [] {
  platform::IgnoreSigpipe();
  return true;
}();

// A server that is a shell script: `$id` is the id of the request that was read last.
base::Result<ServerListing> AskScript(const std::string& script, const ClientLimits& limits = kPatient) {
  EXPECT_TRUE(kSigpipeIgnored);
  const std::string prelude = R"(ask() { read -r line || exit 0; id=${line#*\"id\":}; id=${id%%,*}; }
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
unknown() { answer '"error":{"code":-32601,"message":"unknown"}'; }
hello() { ask; unknown; ask; answer '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'; ask; }
)";
  return ListServer({.command = {"/bin/sh", "-c", prelude + script}}, limits);
}

ErrorCode CodeOf(const base::Result<ServerListing>& listing) {
  return listing.ok() ? ErrorCode::kInternal : listing.error().code();
}

TEST(ClientStdio, ListsAServer) {
  const auto listing = AskScript(R"(echo starting up; echo '{"level":"info"}'
hello; ask; answer '"result":{"tools":[{"name":"t","description":"d"}]}'; while ask; do unknown; done)");
  ASSERT_TRUE(listing.ok()) << listing.error().ToString();
  EXPECT_EQ(listing.value().entries, 1u);
  EXPECT_THAT(listing.value().problems, IsEmpty());
  EXPECT_THAT(listing.value().json, HasSubstr(R"("tools":[{"name":"t","description":"d"}])"));
}

TEST(ClientStdio, EnvironmentIsAddedToOurs) {
  const auto listing = ListServer(
      {.command = {"/bin/sh", "-c", "echo \"$ONE:$HOME\" >&2; exit 3"}, .environment = {{"ONE", "two"}}}, kPatient);
  ASSERT_EQ(CodeOf(listing), ErrorCode::kMcpPeerClosed);
  EXPECT_THAT(listing.error().message(), HasSubstr("two:/"));
}

TEST(ClientStdio, PingIsAnswered) {
  const auto listing =
      AskScript(R"sh(hello; ask; was=$id; echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'; read -r pong
id=$was; answer '"result":{"tools":[{"name":"'"$(printf %s "$pong" | tr -d '"{}')"'"}]}'; while ask; do unknown; done)sh");
  ASSERT_TRUE(listing.ok()) << listing.error().ToString();
  EXPECT_THAT(listing.value().json, HasSubstr("id:p,result:"));
}

struct Hostile {
  const char* name;
  const char* script;
  ErrorCode code;
};
class HostileStdio : public ::testing::TestWithParam<Hostile> {};
TEST_P(HostileStdio, EndsInATypedError) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(CodeOf(AskScript(GetParam().script, LimitsFor(GetParam().code))), GetParam().code);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}
INSTANTIATE_TEST_SUITE_P(
    All, HostileStdio,
    ::testing::Values(
        Hostile{"silent", "sleep 60", ErrorCode::kMcpTimeout}, Hostile{"ends", "exit 0", ErrorCode::kMcpPeerClosed},
        Hostile{"ignores_signals", "trap '' TERM INT HUP; while :; do sleep 1; done", ErrorCode::kMcpTimeout},
        Hostile{"garbage", "head -c 100000 /dev/urandom | tr '\\n' ' '; echo; sleep 60", ErrorCode::kMcpTimeout},
        Hostile{"endless_lines", "yes", ErrorCode::kLimitExceeded},
        Hostile{"endless_line", "yes | tr -d '\\n'", ErrorCode::kLimitExceeded},
        Hostile{"endless_notifications", R"(yes '{"jsonrpc":"2.0","method":"notifications/message","params":{}}')",
                ErrorCode::kLimitExceeded},
        Hostile{"endless_requests", R"(yes '{"jsonrpc":"2.0","id":1,"method":"ping"}')", ErrorCode::kLimitExceeded},
        Hostile{"endless_stderr", "yes >&2", ErrorCode::kMcpTimeout},
        Hostile{"drip", "while :; do printf x; sleep 0.05; done", ErrorCode::kMcpTimeout},
        Hostile{"duplicate_keys",
                R"(ask; unknown; ask; printf '{"jsonrpc":"2.0","id":%s,"result":{},"result":{}}\n' $id; sleep 60)",
                ErrorCode::kJsonDuplicateKey},
        Hostile{
            "deep",
            "ask; unknown; ask; head -c 50000 /dev/zero | tr '\\0' '['; echo; printf '{\"a\":'; head -c 5000 /dev/zero "
            "| tr '\\0' '['; echo; sleep 60",
            ErrorCode::kJsonDepth}),
    [](const auto& row) { return row.param.name; });

TEST(ClientStdio, ManyPagesEnd) {
  const auto listing = AskScript(
      R"(hello; n=0; while ask; do n=$((n+1)); case "$line" in *tools/list*) answer '"result":{"tools":[{"name":"t'$n'"}],"nextCursor":"'$n'"}';; *) unknown;; esac; done)");
  ASSERT_TRUE(listing.ok()) << listing.error().ToString();
  EXPECT_EQ(listing.value().entries, 20u);
  ASSERT_THAT(listing.value().problems, SizeIs(1));
  EXPECT_EQ(listing.value().problems[0].error.code(), ErrorCode::kLimitExceeded);
}

TEST(Client, TargetIsOneOfTwo) {
  EXPECT_EQ(CodeOf(ListServer({})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(ListServer({.command = {"true"}, .url = "http://127.0.0.1/"})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(ListServer({.url = "http://127.0.0.1/", .headers = {{"A", "b\r\nc: d"}}})),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(ListServer({.command = {"/no/such/program"}})), ErrorCode::kSpawn);
  EXPECT_EQ(CodeOf(ListServer({.url = "file:///etc/passwd"}, kPatient)), ErrorCode::kMcpHttp);
}

// One connection after the other, one exchange each; `answer` gets the request and writes what it likes.
class HttpServer {
 public:
  explicit HttpServer(std::function<void(int fd, const std::string& request)> answer)
      : answer_(std::move(answer)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/mcp";
    thread_ = std::thread([this] { Serve(); });
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  void Serve() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      std::string request;
      char buffer[4096];
      while (!Complete(request)) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n <= 0) break;
        request.append(buffer, static_cast<std::size_t>(n));
      }
      answer_(fd, request);
      ::close(fd);
    }
  }
  static bool Complete(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const std::size_t at = request.find("Content-Length: ");
    return at == std::string::npos || request.size() >= end + 4 + std::stoul(request.substr(at + 16));
  }

  std::function<void(int, const std::string&)> answer_;
  int listener_;
  std::string url_;
  std::thread thread_;
};

bool Send(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}
void Reply(int fd, std::string_view status, std::string_view headers, std::string_view body) {
  (void)Send(fd, "HTTP/1.1 " + std::string(status) + "\r\nConnection: close\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
}
std::string IdOf(const std::string& request) {
  const std::size_t at = request.find("\"id\":");
  return at == std::string::npos ? "" : request.substr(at + 5, request.find_first_of(",}", at + 5) - at - 5);
}
std::string ResultOf(const std::string& request, std::string_view result) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + IdOf(request) + ",\"result\":" + std::string(result) + "}";
}
constexpr std::string_view kJson = "Content-Type: application/json\r\n";

TEST(ClientHttp, LegacyServerWithASessionAndEvents) {
  std::vector<std::string> seen;
  {
    HttpServer server([&](int fd, const std::string& request) {
      seen.push_back(request);
      if (request.find("server/discover") != std::string::npos)
        return Reply(fd, "400 Bad Request", kJson,
                     R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}})");
      if (request.find("\"initialize\"") != std::string::npos)
        return Reply(fd, "200 OK", "Content-Type: text/event-stream\r\nMcp-Session-Id: abc\r\n",
                     ": hi\n\nid: 1\ndata: \n\nevent: message\ndata: " +
                         ResultOf(request, R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}}})") + "\n\n");
      if (request.starts_with("DELETE")) return Reply(fd, "405 Method Not Allowed", "", "");
      if (IdOf(request).empty()) return Reply(fd, "202 Accepted", "", "");
      if (request.find("tools/list") != std::string::npos)
        return Reply(fd, "200 OK", kJson, ResultOf(request, "{\"tools\":\n[{\"name\":\"t\"}]\n}"));
      return Reply(fd, "200 OK", kJson,
                   R"({"jsonrpc":"2.0","id":)" + IdOf(request) + R"(,"error":{"code":-32601,"message":"x"}})");
    });
    const auto listing = ListServer({.url = server.url(), .headers = {{"X-Own", "1"}}}, kPatient);
    ASSERT_TRUE(listing.ok()) << listing.error().ToString();
    EXPECT_EQ(listing.value().entries, 1u);
    EXPECT_EQ(listing.value().protocol, "2025-06-18");
    EXPECT_THAT(listing.value().problems, IsEmpty());
  }
  ASSERT_GE(seen.size(), 4u);
  EXPECT_THAT(seen[0], HasSubstr("Mcp-Method: server/discover\r\n"));
  EXPECT_THAT(seen[0], HasSubstr("MCP-Protocol-Version: 2026-07-28\r\n"));
  EXPECT_THAT(seen[0], HasSubstr("X-Own: 1\r\n"));
  EXPECT_THAT(seen[3], HasSubstr("Mcp-Session-Id: abc\r\n"));
  EXPECT_THAT(seen[3], HasSubstr("MCP-Protocol-Version: 2025-06-18\r\n"));
  EXPECT_TRUE(seen.back().starts_with("DELETE"));
}

TEST(ClientHttp, StreamIsLeftAsSoonAsTheAnswerIsThere) {
  HttpServer server([](int fd, const std::string& request) {
    (void)Send(
        fd,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " +
            ResultOf(
                request,
                R"({"supportedVersions":["2026-07-28"],"capabilities":{},"tools":[{"name":"t"}],"prompts":[],"resources":[],"resourceTemplates":[]})") +
            "\n\n");
    while (Send(fd, ": and so on\n\n")) std::this_thread::sleep_for(milliseconds(5));
  });
  const auto listing = ListServer({.url = server.url()}, kPatient);
  ASSERT_TRUE(listing.ok()) << listing.error().ToString();
  EXPECT_TRUE(listing.value().modern);
  EXPECT_EQ(listing.value().entries, 1u);
}

struct HostileHttpCase {
  const char* name;
  void (*answer)(int, const std::string&);
  ErrorCode code;
};
class HostileHttp : public ::testing::TestWithParam<HostileHttpCase> {};
TEST_P(HostileHttp, EndsInATypedError) {
  const auto begin = std::chrono::steady_clock::now();
  {
    HttpServer server(GetParam().answer);
    EXPECT_EQ(CodeOf(ListServer({.url = server.url()}, LimitsFor(GetParam().code))), GetParam().code);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}
void Drip(int fd, std::string_view head, std::string_view piece, milliseconds pause) {
  for (bool going = Send(fd, head); going; going = Send(fd, piece)) std::this_thread::sleep_for(pause);
}
INSTANTIATE_TEST_SUITE_P(
    All, HostileHttp,
    ::testing::Values(
        HostileHttpCase{"redirect",
                        [](int fd, const std::string&) {
                          Reply(fd, "307 Temporary Redirect", "Location: http://h.example/\r\n", "");
                        },
                        ErrorCode::kMcpHttp},
        HostileHttpCase{"unauthorized",
                        [](int fd, const std::string&) { Reply(fd, "401 Unauthorized", kJson, "{\"error\":\"x\"}"); },
                        ErrorCode::kMcpHttp},
        HostileHttpCase{
            "page", [](int fd, const std::string&) { Reply(fd, "200 OK", "Content-Type: text/html\r\n", "<html>"); },
            ErrorCode::kMcpHttp},
        HostileHttpCase{"no_json", [](int fd, const std::string&) { Reply(fd, "200 OK", kJson, "{\"a\":"); },
                        ErrorCode::kJsonSyntax},
        HostileHttpCase{"closes", [](int, const std::string&) {}, ErrorCode::kMcpHttp},
        HostileHttpCase{"no_http", [](int fd, const std::string&) { (void)Send(fd, "SSH-2.0-x\r\n"); },
                        ErrorCode::kMcpHttp},
        HostileHttpCase{"stream_without_answer",
                        [](int fd, const std::string&) {
                          Reply(fd, "200 OK", "Content-Type: text/event-stream\r\n",
                                "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n");
                        },
                        ErrorCode::kMcpHttp},
        HostileHttpCase{"drip",
                        [](int fd, const std::string&) {
                          Drip(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", ":\n\n",
                               milliseconds(20));
                        },
                        ErrorCode::kMcpTimeout},
        HostileHttpCase{
            "drip_headers",
            [](int fd, const std::string&) { Drip(fd, "HTTP/1.1 200 OK\r\n", "X: y\r\n", milliseconds(20)); },
            ErrorCode::kMcpTimeout},
        HostileHttpCase{"endless_headers",
                        [](int fd, const std::string&) {
                          Drip(fd, "HTTP/1.1 200 OK\r\n", "X: " + std::string(1000, 'y') + "\r\n", milliseconds(0));
                        },
                        ErrorCode::kLimitExceeded},
        HostileHttpCase{"endless_body",
                        [](int fd, const std::string&) {
                          Drip(fd, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", std::string(9000, ' '),
                               milliseconds(0));
                        },
                        ErrorCode::kMcpLineTooLong},
        HostileHttpCase{"endless_stream",
                        [](int fd, const std::string&) {
                          Drip(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
                               "data: {\"jsonrpc\":\"2.0\",\"method\":\"" + std::string(9000, 'n') + "\"}\n\n",
                               milliseconds(0));
                        },
                        ErrorCode::kLimitExceeded},
        HostileHttpCase{"bomb",
                        [](int fd, const std::string&) {
                          Reply(fd, "200 OK", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
                                "\x1f\x8b\x08");
                        },
                        ErrorCode::kJsonUtf8}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace interlock::runtime::mcp
