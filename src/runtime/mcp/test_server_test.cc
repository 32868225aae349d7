#include "test_server.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "interlock/base/json.h"
#include "interlock/base/lines.h"

namespace interlock::runtime::mcp {
namespace {

void Put(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(1, text.data() + done, text.size() - done);
    if (n <= 0) ::_exit(9);
    done += static_cast<std::size_t>(n);
  }
}

std::string Reply(base::JsonValue id, const std::string& result) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id.raw()) + ",\"result\":" + result + "}\n";
}

std::string TextResult(std::string_view text) {
  std::string out = "{\"content\":[{\"type\":\"text\",\"text\":";
  base::AppendJsonString(out, text);
  return out + "}]}";
}

void Call(base::JsonValue id, base::JsonValue params) {
  const std::string_view tool = params.Find("name").string();
  if (tool == "die") ::_exit(7);
  if (tool == "crash") ::raise(SIGKILL);
  if (tool == "hang") return;
  if (tool == "close_output") {
    ::close(1);
    for (;;) ::pause();
  }
  if (tool == "close_input") {
    ::close(0);
    for (;;) ::pause();
  }
  if (tool == "last_words") {
    Put(Reply(id, TextResult("bye")));
    ::_exit(0);
  }
  if (tool == "garbage") {
    Put("npm WARN something on the wrong stream\n\xff\xfe\n{\"jsonrpc\":\"2.0\"}\n[]\n");
    Put(Reply(id, TextResult("still here")));
    return;
  }
  if (tool == "long_answer") {
    Put(Reply(id, TextResult(std::string(std::size_t{2} << 20, 'x'))));
    return;
  }
  if (tool == "pid") {
    Put(Reply(id, TextResult(std::to_string(::getpid()))));
    return;
  }
  Put(Reply(id, TextResult(params.Find("arguments").raw())));
}

constexpr char kTools[] =
    R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"write","inputSchema":{"type":"object"}},)"
    R"({"name":"die"},{"name":"crash"},{"name":"hang"},{"name":"close_output"},{"name":"close_input"},)"
    R"({"name":"last_words"},{"name":"garbage"},{"name":"long_answer"},{"name":"pid"}]})";

[[noreturn]] void Serve(const std::string& mode) {
  if (mode == "stubborn") ::signal(SIGTERM, SIG_IGN);
  base::LineSplitter lines(std::size_t{64} << 20);
  std::string buffer(65536, '\0');
  for (;;) {
    const ssize_t n = ::read(0, buffer.data(), buffer.size());
    if (n <= 0) break;
    lines.Push(std::string_view(buffer.data(), static_cast<std::size_t>(n)), [](const base::Line& line) {
      const auto doc = base::JsonDoc::Parse(line.text, {.max_bytes = std::size_t{64} << 20});
      if (!doc.ok()) ::_exit(8);
      const base::JsonValue root = doc.value().root();
      const base::JsonValue id = root.Find("id");
      const std::string_view method = root.Find("method").string();
      if (method == "initialize") {
        Put(Reply(
            id,
            R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}})"));
      } else if (method == "tools/list") {
        Put(Reply(id, kTools));
      } else if (method == "tools/call") {
        Call(id, root.Find("params"));
      } else if (id.exists() && !method.empty()) {
        Put(Reply(id, "{}"));
      }
      return true;
    });
  }
  if (mode == "stubborn") {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  ::_exit(0);
}

const bool kIsServer = [] {
  if (const char* mode = std::getenv(kTestServerVariable); mode != nullptr) Serve(mode);
  return false;
}();

}  // namespace
}  // namespace interlock::runtime::mcp
