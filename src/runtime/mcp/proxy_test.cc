// The runner over real pipes with a real child (test_server_test.cc): every way to end, and the wiring.
#include "interlock/runtime/mcp/proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interlock/platform/fd.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/audit/query.h"
#include "interlock/runtime/audit/verify.h"
#include "test_server.h"

namespace interlock::runtime::mcp {
namespace {

using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(20);

constexpr char kPolicy[] = R"(version: 1
tools:
  "*": {effect: read}
  write: {effect: write}
rules:
  - {id: no-writes, effect: block, when: {tool: write}}
)";

// The proxy in a process of its own (RunProxy takes signals and descriptors for itself).
class Proxy {
 public:
  using Change = std::function<void(ProxyOptions&)>;

  explicit Proxy(const std::string& dir, const std::string& server_mode = "plain", const Change& change = nullptr) {
    auto in = platform::MakePipe();
    auto out = platform::MakePipe();
    auto err = platform::MakePipe();
    INTERLOCK_CHECK(in.ok() && out.ok() && err.ok(), "pipes can be made");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv(kTestServerVariable, server_mode.c_str(), 1);
      in.value().write_end.Reset();
      out.value().read_end.Reset();
      err.value().read_end.Reset();
      ProxyOptions options;
      options.command = {"/proc/self/exe"};
      options.policy_file = dir + "/interlock.yaml";
      options.pins_file = dir + "/pins.json";
      options.audit_dir = dir + "/audit";
      options.core.server = "t";
      options.core.session = "s";
      options.core.close_grace_us = 150'000;
      options.core.term_grace_us = 150'000;
      options.poll_us = 50'000;
      options.client_in = in.value().read_end.get();
      options.client_out = out.value().write_end.get();
      options.notice_fd = err.value().write_end.get();
      if (change) change(options);
      ::_exit(RunProxy(options));
    }
    in_ = std::move(in.value().write_end);
    out_ = std::move(out.value().read_end);
    err_ = std::move(err.value().read_end);
  }
  ~Proxy() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  void Send(const std::string& text) { EXPECT_TRUE(platform::WriteAll(in_.get(), text + "\n").ok()); }
  void SendRaw(const std::string& text) { (void)platform::WriteAll(in_.get(), text).ok(); }
  void CloseInput() { in_.Reset(); }
  void CloseOutput() { out_.Reset(); }

  // The next line, or "" at the end of the stream or of our patience.
  std::string Receive() { return ReceiveFrom(out_.get(), received_); }
  std::string Complaint() { return ReceiveFrom(err_.get(), complaints_); }

  int Wait() {
    const auto end = Clock::now() + kPatience;
    int status = 0;
    while (Clock::now() < end) {
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return -1000;
  }

  void Greet() {
    Send(
        R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})");
    EXPECT_THAT(Receive(), HasSubstr("\"serverInfo\""));
    Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  void Call(const std::string& id, const std::string& tool, const std::string& arguments = "{}") {
    Send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","arguments":)" + arguments + "}}");
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  static std::string ReceiveFrom(int fd, std::string& buffer) {
    const auto end = Clock::now() + kPatience;
    for (;;) {
      if (const auto at = buffer.find('\n'); at != std::string::npos) {
        std::string line = buffer.substr(0, at);
        buffer.erase(0, at + 1);
        return line;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
      if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) return {};
      char chunk[65536];
      const ssize_t n = ::read(fd, chunk, sizeof(chunk));
      if (n <= 0) return {};
      buffer.append(chunk, static_cast<std::size_t>(n));
    }
  }

  pid_t pid_ = -1;
  platform::UniqueFd in_;
  platform::UniqueFd out_;
  platform::UniqueFd err_;
  std::string received_;
  std::string complaints_;
};

class ProxyTest : public testing::Test {
 protected:
  ProxyTest() {
    std::string pattern = testing::TempDir() + "/mcp-proxy-XXXXXX";
    dir_ = ::mkdtemp(pattern.data());
    WritePolicy(kPolicy);
  }
  ~ProxyTest() override { std::filesystem::remove_all(dir_); }
  void WritePolicy(const std::string& yaml) { ASSERT_TRUE(platform::AtomicWrite(dir_ + "/interlock.yaml", yaml).ok()); }
  // Asks until the answer to a call of `tool` has `want` in it: for what happens at the next look at a file.
  static bool Eventually(Proxy& proxy, const std::string& tool, const std::string& want) {
    const auto end = Clock::now() + kPatience;
    for (int i = 0; Clock::now() < end; ++i) {
      proxy.Call("\"e" + std::to_string(i) + "\"", tool);
      if (proxy.Receive().find(want) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  std::string dir_;
};

TEST_F(ProxyTest, DecidesForwardsBlocksAndEndsWithTheClient) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "echo", R"({"a":1})");
  EXPECT_THAT(proxy.Receive(), HasSubstr(R"({\"a\":1})"));
  proxy.Call("2", "write");
  EXPECT_THAT(proxy.Receive(), HasSubstr("no-writes"));
  proxy.Send(R"({"jsonrpc":"2.0","id":3,"method":"x/unknown","params":{}})");
  EXPECT_EQ(proxy.Receive(), R"({"jsonrpc":"2.0","id":3,"result":{}})");
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);

  const auto report = audit::Verify(dir_ + "/audit");
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().outcome, audit::VerifyReport::Outcome::kIntact);
  EXPECT_GT(report.value().rows, 4u);
}

TEST_F(ProxyTest, ServerThatCannotBeStarted) {
  Proxy proxy(dir_, "plain", [](ProxyOptions& o) { o.command = {"/no/such/program"}; });
  EXPECT_EQ(proxy.Wait(), kExitCannotRun);
  EXPECT_THAT(proxy.Complaint(), HasSubstr("/no/such/program"));
  Proxy empty(dir_, "plain", [](ProxyOptions& o) { o.command.clear(); });
  EXPECT_EQ(empty.Wait(), kExitCannotRun);
}

TEST_F(ProxyTest, ServerDiesInACall) {
  for (const std::string tool : {"die", "crash"}) {
    Proxy proxy(dir_);
    proxy.Greet();
    proxy.Send(R"({"jsonrpc":"2.0","id":"other","method":"prompts/list"})");
    EXPECT_THAT(proxy.Receive(), HasSubstr("other"));
    proxy.Call("1", tool);
    const std::string answer = proxy.Receive();
    EXPECT_THAT(answer, HasSubstr("\"isError\":true"));
    EXPECT_THAT(answer, HasSubstr(tool == "die" ? "exit code 7" : "signal 9"));
    EXPECT_EQ(proxy.Receive(), "") << "nothing after the end";
    EXPECT_EQ(proxy.Wait(), kExitServerGone);
  }
}

TEST_F(ProxyTest, LastWordsOfAServerArrive) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "last_words");
  EXPECT_THAT(proxy.Receive(), HasSubstr("bye"));
  EXPECT_EQ(proxy.Wait(), kExitServerGone);
}

TEST_F(ProxyTest, ServerClosesItsPipes) {
  for (const std::string tool : {"close_output", "close_input"}) {
    Proxy proxy(dir_);
    proxy.Greet();
    proxy.Call("1", tool);
    EXPECT_THAT(proxy.Receive(), HasSubstr("closed its pipes")) << tool;
    EXPECT_EQ(proxy.Wait(), kExitServerGone) << tool;
  }
}

TEST_F(ProxyTest, HangingCallTimesOut) {
  Proxy proxy(dir_, "plain", [](ProxyOptions& o) { o.core.call_timeout_us = 100'000; });
  proxy.Greet();
  proxy.Call("1", "hang");
  EXPECT_THAT(proxy.Receive(), HasSubstr("did not answer in time"));
  proxy.Call("2", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"id\":2"));
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, GarbageFromTheServerIsDropped) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "garbage");
  const std::string answer = proxy.Receive();
  // The broken message may have been the answer: the call is given up on rather than left hanging.
  EXPECT_THAT(answer, HasSubstr("\"id\":1"));
  EXPECT_THAT(proxy.Complaint(), HasSubstr("server-garbage"));
  proxy.Call("2", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"id\":2"));
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, OversizedLinesBothWays) {
  Proxy proxy(dir_, "plain", [](ProxyOptions& o) { o.core.codec.max_line_bytes = 100'000; });
  proxy.Greet();
  proxy.Call("1", "echo", "{\"a\":\"" + std::string(200'000, 'x') + "\"}");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"code\":-32700"));
  proxy.Call("2", "long_answer");
  EXPECT_THAT(proxy.Receive(), HasSubstr("could not be read"));
  proxy.Call("3", "echo", "{\"a\":\"" + std::string(50'000, 'x') + "\"}");
  EXPECT_GT(proxy.Receive().size(), 50'000u);
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, BigMessagesAndASlowReader) {
  Proxy proxy(dir_, "plain", [](ProxyOptions& o) { o.high_water_bytes = 64 << 10; });
  proxy.Greet();
  constexpr int kCalls = 20;
  std::thread sender([&proxy] {
    for (int i = 1; i <= kCalls; ++i) proxy.Call(std::to_string(i), "long_answer");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // everything fills up
  for (int i = 1; i <= kCalls; ++i) EXPECT_GT(proxy.Receive().size(), std::size_t{2} << 20);
  sender.join();
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, ClientClosesTheReadingEnd) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.CloseOutput();
  proxy.SendRaw(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                "\n");
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, UnfinishedMessageIsNotSent) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.SendRaw(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  proxy.CloseInput();
  EXPECT_EQ(proxy.Receive(), "");
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, StubbornServerIsKilled) {
  Proxy proxy(dir_, "stubborn");
  proxy.Greet();
  proxy.Call("1", "pid");
  const std::string answer = proxy.Receive();
  const auto at = answer.find("\"text\":\"");
  ASSERT_NE(at, std::string::npos);
  const pid_t server = std::stoi(answer.substr(at + 8));
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
  EXPECT_NE(::kill(server, 0), 0);
}

TEST_F(ProxyTest, Signals) {
  for (const int number : {SIGTERM, SIGINT}) {
    Proxy proxy(dir_, "stubborn");
    proxy.Greet();
    proxy.Call("1", "hang");
    proxy.Call("2", "echo");
    EXPECT_THAT(proxy.Receive(), HasSubstr("\"id\":2"));
    ::kill(proxy.pid(), number);
    EXPECT_THAT(proxy.Receive(), HasSubstr("being stopped"));
    EXPECT_EQ(proxy.Wait(), kExitSignal + number);
  }
}

TEST_F(ProxyTest, PolicyIsReadAgain) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "write");
  EXPECT_THAT(proxy.Receive(), HasSubstr("no-writes"));
  WritePolicy("version: 1\ntools: {\"*\": {effect: read}}\n");
  EXPECT_TRUE(Eventually(proxy, "write", "content\":[{\"type\":\"text\",\"text\":\"{}\"}]}}"));
  // A broken one changes nothing.
  WritePolicy("version: [1\n");
  EXPECT_THAT(proxy.Complaint(), testing::AnyOf(HasSubstr("policy"), HasSubstr("policy-loaded")));
  ::kill(proxy.pid(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  proxy.Call("\"x\"", "write");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"text\":\"{}\""));
  // A good one is taken at once on SIGHUP.
  WritePolicy("version: 1\nrules: [{id: nothing, effect: block, when: {tool: \"**\"}}]\n");
  ::kill(proxy.pid(), SIGHUP);
  EXPECT_TRUE(Eventually(proxy, "write", "nothing"));
  std::filesystem::remove(dir_ + "/interlock.yaml");
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  proxy.Call("\"y\"", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("nothing"));
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, NoPolicyAtStart) {
  WritePolicy("version: [1\n");
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"echo\""));
  proxy.Call("2", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("policy.unavailable"));
  WritePolicy(kPolicy);
  EXPECT_TRUE(Eventually(proxy, "echo", "\"text\":\"{}\""));
}

TEST_F(ProxyTest, NoAuditNoCalls) {
  std::ofstream(dir_ + "/audit") << "not a folder";
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("audit.unavailable"));
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
}

TEST_F(ProxyTest, AFullDiskStopsTheNextCall) {
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"text\":\"{}\""));
  // From now on no file of the proxy may be written: what a full disk looks like to it. The server is not concerned.
  const rlimit none{.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(proxy.pid(), RLIMIT_FSIZE, &none, nullptr), 0);
  proxy.Call("2", "echo");
  const std::string refused = proxy.Receive();
  EXPECT_THAT(refused, HasSubstr("\"id\":2"));
  EXPECT_THAT(refused, HasSubstr("audit.unavailable"));
  EXPECT_THAT(refused, Not(HasSubstr("\"text\":\"{}\""))) << "the server never saw it";
  // And again: the first failure latches.
  proxy.Call("3", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("audit.unavailable"));
}

TEST_F(ProxyTest, ChangedToolIsHeldUntilAccepted) {
  {
    Proxy proxy(dir_);
    proxy.Greet();
    proxy.Call("1", "echo");
    EXPECT_THAT(proxy.Receive(), HasSubstr("\"text\":\"{}\""));
    proxy.CloseInput();
    EXPECT_EQ(proxy.Wait(), kExitOk);
  }
  // The same server, but the accepted definition of `echo` was another one.
  auto text = platform::ReadFile(dir_ + "/pins.json", 1 << 20);
  ASSERT_TRUE(text.ok());
  auto pins = policy::Pins::Parse(text.value());
  ASSERT_TRUE(pins.ok());
  pins.value().PinTool("t", "echo", base::Sha256("something else"));
  ASSERT_TRUE(platform::AtomicWrite(dir_ + "/pins.json", pins.value().ToJson()).ok());
  Proxy proxy(dir_);
  proxy.Greet();
  proxy.Call("1", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"isError\":true"));
  proxy.Send(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  EXPECT_THAT(proxy.Receive(), testing::Not(HasSubstr("\"echo\"")));
  const auto held = platform::ReadFile(dir_ + "/pins.json.held", 1 << 20);
  ASSERT_TRUE(held.ok());
  EXPECT_THAT(held.value(), HasSubstr("echo"));
  auto accepted = policy::Pins::Parse(held.value());
  ASSERT_TRUE(accepted.ok());
  pins.value().PinTool("t", "echo", accepted.value().servers().find("t")->second.tools.at("echo"));
  ASSERT_TRUE(platform::AtomicWrite(dir_ + "/pins.json", pins.value().ToJson()).ok());
  EXPECT_TRUE(Eventually(proxy, "echo", "\"text\":\"{}\""));
}

std::string Ask(const std::string& path, const std::string& line) {
  platform::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto end = Clock::now() + kPatience;
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    if (Clock::now() > end) return "no connection";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (!platform::WriteAll(fd.get(), line + "\n").ok()) return "not sent";
  std::string answer;
  char c = 0;
  while (::read(fd.get(), &c, 1) == 1 && c != '\n') answer += c;
  return answer;
}

TEST_F(ProxyTest, SessionSocket) {
  WritePolicy(
      "version: 1\nlabels: [private]\ntools: {echo: {effect: read}, write: {effect: write}}\nrules:\n"
      "  - {id: private, effect: block, when: {tool: echo, flow: {seen: private}}}\n");
  const std::string path = dir_ + "/socket";
  Proxy proxy(dir_, "plain", [&path](ProxyOptions& o) { o.socket_path = path; });
  proxy.Greet();
  EXPECT_EQ(Ask(path, R"({"request":"do something"})"), R"({"ok":true})");
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  proxy.Call("1", "write");  // escalates; this client cannot be asked
  const std::string refused = proxy.Receive();
  const auto at = refused.find("\"call\":\"");
  ASSERT_NE(at, std::string::npos) << refused;
  const std::string digest = refused.substr(at + 8, 64);
  EXPECT_THAT(Ask(path, R"({"approve":")" + std::string(64, '0') + "\"}"), HasSubstr("error"));
  EXPECT_EQ(Ask(path, R"({"approve":")" + digest + "\"}"), R"({"ok":true})");
  proxy.Call("2", "write");
  EXPECT_THAT(proxy.Receive(), HasSubstr("\"text\":\"{}\""));
  proxy.Call("3", "write");
  EXPECT_THAT(proxy.Receive(), HasSubstr("isError"));
  EXPECT_THAT(Ask(path, R"({"labels":["nonsense"]})"), HasSubstr("error"));
  EXPECT_EQ(Ask(path, R"({"labels":["private"]})"), R"({"ok":true})");
  proxy.Call("4", "echo");
  EXPECT_THAT(proxy.Receive(), HasSubstr("isError"));
  EXPECT_THAT(Ask(path, "nonsense"), HasSubstr("error"));
  EXPECT_THAT(Ask(path, R"({"status":true})"), HasSubstr("\"forwarded\":1"));
  proxy.CloseInput();
  EXPECT_EQ(proxy.Wait(), kExitOk);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ProxyTest, TwoServersOneSession) {
  WritePolicy(
      "version: 1\nlabels: [private]\ntools: {echo: {effect: read, labels: [private]}, pid: {effect: read}}\n"
      "rules:\n  - {id: no-egress, effect: block, when: {tool: pid, flow: {seen: private}}}\n");
  const auto shared = [this](ProxyOptions& o) { o.store_file = dir_ + "/sessions.db"; };
  Proxy reader(dir_, "plain", shared);
  reader.Greet();
  Proxy sender(dir_, "plain", shared);
  sender.Greet();
  sender.Call("1", "pid");
  EXPECT_THAT(sender.Receive(), testing::Not(HasSubstr("isError")));
  reader.Call("1", "echo");
  EXPECT_THAT(reader.Receive(), testing::Not(HasSubstr("isError")));
  sender.Call("2", "pid");
  EXPECT_THAT(sender.Receive(), HasSubstr("no-egress"));
}

TEST(ServerName, FromTheCommand) {
  EXPECT_EQ(ServerNameOf({"npx", "-y", "@scope/server-files@1.2", "/srv"}), "server-files");
  EXPECT_EQ(ServerNameOf({"/usr/bin/python3", "-u", "/opt/x/weather.py"}), "weather");
  EXPECT_EQ(ServerNameOf({"./server"}), "server");
  EXPECT_EQ(ServerNameOf({"uvx", "mcp-git"}), "mcp-git");
  EXPECT_EQ(ServerNameOf({"node"}), "node");
  EXPECT_EQ(ServerNameOf({}), "server");
}

}  // namespace
}  // namespace interlock::runtime::mcp
