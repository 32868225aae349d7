#include "mcp_probe.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxLine = std::size_t{64} << 20;
constexpr std::size_t kMaxTools = 10'000;
constexpr std::string_view kLegacyInitialize =
    R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"interlock","version":")" INTERLOCK_VERSION
    R"("}})";
constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"interlock","version":")" INTERLOCK_VERSION R"("}})";

}  // namespace

McpProbe::McpProbe(platform::Process process, std::chrono::milliseconds timeout)
    : process_(std::move(process)), timeout_(timeout) {}

base::Result<McpProbe> McpProbe::Start(const std::vector<std::string>& command, std::chrono::milliseconds timeout) {
  auto child = platform::Spawn({.argv = command,
                                .env = std::nullopt,
                                .cwd = {},
                                .stdin_mode = platform::Stdio::kPipe,
                                .stdout_mode = platform::Stdio::kPipe,
                                .stderr_mode = platform::Stdio::kInherit});
  if (!child.ok()) return child.error();
  McpProbe probe(std::move(child.value()), timeout);
  const auto status = probe.Handshake();
  if (!status.ok()) return status.error();
  return probe;
}

base::Status McpProbe::Handshake() {
  auto answer = Request("initialize", kLegacyInitialize);
  if (!answer.ok()) return answer.error();
  if (answer.value().root().Find("result").is_object())
    return Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  modern_ = true;
  answer = Request("server/discover", "{}");
  if (!answer.ok()) return answer.error();
  if (!answer.value().root().Find("result").is_object()) {
    return Error(ErrorCode::kMcpFraming, "the server answers neither `initialize` nor `server/discover`");
  }
  return {};
}

base::Status McpProbe::Send(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t n = ::write(process_.stdin_fd(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error(ErrorCode::kMcpPeerClosed, "the server does not read its input");
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

base::Result<std::string> McpProbe::ReadLine(SteadyClock::time_point deadline) {
  for (;;) {
    if (const std::size_t at = buffer_.find('\n'); at != std::string::npos) {
      std::string line = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return line;
    }
    if (buffer_.size() > kMaxLine) return Error(ErrorCode::kMcpLineTooLong);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
    if (left <= 0) return Error(ErrorCode::kMcpTimeout, "no answer within " + std::to_string(timeout_.count()) + " ms");
    pollfd fd{.fd = process_.stdout_fd(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&fd, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return Error(ErrorCode::kIo, "poll failed");
    if (ready <= 0) continue;
    std::array<char, 65536> chunk;
    const ssize_t n = ::read(process_.stdout_fd(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Error(ErrorCode::kMcpPeerClosed, "the server closed its output");
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

base::Result<base::JsonDoc> McpProbe::Request(std::string_view method, std::string_view params) {
  const std::uint64_t id = next_id_++;
  std::string line;
  base::JsonWriter w(line);
  std::string with_meta;
  if (modern_) {
    // The envelope goes first; what follows are the caller's own members.
    with_meta = "{";
    with_meta += kModernMeta;
    const std::string_view inner = params.size() > 2 ? params.substr(1, params.size() - 2) : std::string_view();
    if (!inner.empty()) with_meta += ",";
    with_meta += inner;
    with_meta += "}";
    params = with_meta;
  }
  w.BeginObject()
      .Key("jsonrpc")
      .String("2.0")
      .Key("id")
      .Uint(id)
      .Key("method")
      .String(method)
      .Key("params")
      .Raw(params)
      .EndObject();
  const auto sent = Send(line);
  if (!sent.ok()) return sent.error();
  const auto deadline = SteadyClock::now() + timeout_;
  for (;;) {
    const auto answer = ReadLine(deadline);
    if (!answer.ok()) return answer.error().Under(method);
    auto doc = base::JsonDoc::Parse(answer.value(), {.max_bytes = kMaxLine, .max_depth = 256, .max_values = 4'000'000});
    if (!doc.ok()) continue;  // a server's stray line on stdout: not our message
    if (doc.value().root().Find("id").AsInt64() == static_cast<std::int64_t>(id) &&
        !doc.value().root().Find("method").exists()) {
      return std::move(doc.value());
    }
  }
}

base::Result<std::vector<core::ToolSpec>> McpProbe::ListTools() {
  std::vector<core::ToolSpec> tools;
  std::string params = "{}";
  while (tools.size() < kMaxTools) {
    const auto page = Request("tools/list", params);
    if (!page.ok()) return page.error();
    const base::JsonValue result = page.value().root().Find("result");
    if (!result.Find("tools").is_array()) return Error(ErrorCode::kMcpFraming, "tools/list gives no array of tools");
    for (const auto tool : result.Find("tools")) {
      auto spec = core::ToolSpecFromMcp(tool, "");
      if (!spec.ok()) return spec.error();
      tools.push_back(std::move(spec.value()));
    }
    const base::JsonValue cursor = result.Find("nextCursor");
    if (!cursor.is_string()) return tools;
    params = "{\"cursor\":" + std::string(cursor.raw()) + "}";
  }
  return Error(ErrorCode::kLimitExceeded, "more than 10000 tools");
}

void McpProbe::Stop() {
  process_.CloseStdin();
  const auto end = process_.WaitFor(std::chrono::seconds(2));
  if (!end.ok() || !end.value().has_value()) (void)process_.Stop(std::chrono::seconds(1));
}

}  // namespace interlock::app
