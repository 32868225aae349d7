// links: base core policy gate platform runtime.audit runtime.session runtime.mcp own-main
//
// What the proxy adds to a tool call's round trip. Three pipelines are driven in turn, call by call, in the same run,
// so that whatever else the machine does falls on all three alike:
//   direct   client <-> server
//   relay    client <-> plain relay <-> server        what any process in the middle costs
//   proxy    client <-> interlock proxy <-> server    audit log on, schema and provenance rules in the policy
// The server is this program too, and so cheap that the pipes are most of its answer.
//
//   proxy_bench [--rounds N] [--size BYTES] [--warmup N] [--json] [--no-audit]
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/platform/process.h"
#include "interlock/platform/signals.h"
#include "interlock/runtime/mcp/proxy.h"

namespace {

using Clock = std::chrono::steady_clock;
namespace mcp = interlock::runtime::mcp;
namespace platform = interlock::platform;

constexpr char kPolicy[] = R"(version: 1
labels: [private]
tools:
  lookup: {effect: read, labels: [private]}
  send: {effect: write}
rules:
  - {id: lookups, effect: allow, when: {tool: lookup, arguments: {properties: {query: {maxLength: 100000}}}}}
  - {id: no-secrets, effect: block, when: {tool: lookup, arguments: {properties: {kind: {const: secret}}, required: [kind]}}}
  - {id: own-words, effect: escalate, when: {tool: "*", provenance: {argument: /to, not_from: request}}}
  - {id: private-out, effect: block, when: {tool: send, flow: {seen: private}}}
)";

constexpr char kTools[] =
    R"({"tools":[{"name":"lookup","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}},{"name":"send"}]})";

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n <= 0) std::exit(4);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

// Answers by looking for the id and the method in the text: the bench's own messages only.
int ServerMain(std::size_t size) {
  std::string words;
  while (words.size() + 160 < size) words += "result item " + std::to_string(words.size() * 7919) + ": all is well; ";
  std::string body;
  interlock::base::AppendJsonString(body, words);
  const std::string result = R"({"content":[{"type":"text","text":)" + body + "}]}";
  std::string buffer;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = ::read(0, chunk.data(), chunk.size());
    if (n <= 0) return 0;
    buffer.append(chunk.data(), static_cast<std::size_t>(n));
    for (std::size_t at; (at = buffer.find('\n')) != std::string::npos; buffer.erase(0, at + 1)) {
      const std::string_view line = std::string_view(buffer).substr(0, at);
      const std::size_t id_at = line.find("\"id\":");
      if (id_at == std::string_view::npos) continue;
      const std::string_view id = line.substr(id_at + 5, line.find_first_of(",}", id_at) - id_at - 5);
      std::string answer = "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) + ",\"result\":";
      if (line.find("\"initialize\"") != std::string_view::npos) {
        answer +=
            R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}})";
      } else if (line.find("\"tools/list\"") != std::string_view::npos) {
        answer += kTools;
      } else {
        answer += result;
      }
      answer += "}\n";
      WriteAll(1, answer);
    }
  }
}

int RelayMain(const std::vector<std::string>& command) {
  platform::IgnoreSigpipe();
  auto child = platform::Spawn({.argv = command,
                                .env = std::nullopt,
                                .cwd = {},
                                .stdin_mode = platform::Stdio::kPipe,
                                .stdout_mode = platform::Stdio::kPipe});
  if (!child.ok()) return 2;
  std::array<pollfd, 2> fds{pollfd{.fd = 0, .events = POLLIN, .revents = 0},
                            pollfd{.fd = child.value().stdout_fd(), .events = POLLIN, .revents = 0}};
  std::vector<char> buffer(65536);
  for (;;) {
    if (::poll(fds.data(), fds.size(), -1) < 0) return 0;
    for (std::size_t i = 0; i < 2; ++i) {
      if (fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (n <= 0) return 0;
      WriteAll(i == 0 ? child.value().stdin_fd() : 1, {buffer.data(), static_cast<std::size_t>(n)});
    }
  }
}

int ProxyMain(const std::string& dir, bool with_audit, const std::vector<std::string>& command) {
  mcp::ProxyOptions options;
  options.command = command;
  options.policy_file = dir + "/interlock.yaml";
  options.pins_file = dir + "/pins.json";
  if (with_audit) options.audit_dir = dir + "/audit";
  options.core.server = "bench";
  options.quiet = true;
  return mcp::RunProxy(options);
}

struct Pipeline {
  std::string name;
  platform::Process process;
  std::string received;
  std::vector<std::int64_t> ns;
  std::int64_t start_us = 0;

  void Send(std::string_view line) { WriteAll(process.stdin_fd(), line); }
  std::string Receive() {
    std::array<char, 65536> chunk;
    for (;;) {
      if (const auto at = received.find('\n'); at != std::string::npos) {
        std::string line = received.substr(0, at);
        received.erase(0, at + 1);
        return line;
      }
      const ssize_t n = ::read(process.stdout_fd(), chunk.data(), chunk.size());
      if (n <= 0) {
        std::fprintf(stderr, "%s ended early\n", name.c_str());
        std::exit(3);
      }
      received.append(chunk.data(), static_cast<std::size_t>(n));
    }
  }
};

Pipeline Start(std::string name, const std::vector<std::string>& command) {
  const auto begin = Clock::now();
  auto process = platform::Spawn({.argv = command,
                                  .env = std::nullopt,
                                  .cwd = {},
                                  .stdin_mode = platform::Stdio::kPipe,
                                  .stdout_mode = platform::Stdio::kPipe});
  if (!process.ok()) {
    std::fprintf(stderr, "%s\n", process.error().ToString().c_str());
    std::exit(2);
  }
  Pipeline pipeline{std::move(name), std::move(process.value()), {}, {}, 0};
  pipeline.Send(
      "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
      "\"capabilities\":{}}}\n");
  (void)pipeline.Receive();
  pipeline.start_us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  pipeline.Send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  pipeline.Send("{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"tools/list\"}\n");
  (void)pipeline.Receive();
  return pipeline;
}

double Percentile(std::vector<std::int64_t> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(p / 100.0 * static_cast<double>(values.size() - 1));
  return static_cast<double>(values[at]) / 1000.0;
}

std::int64_t RssKiB(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6);
  }
  return 0;
}

int BenchMain(int rounds, int warmup, std::size_t size, bool json, bool with_audit) {
  platform::IgnoreSigpipe();
  std::string pattern = (std::filesystem::temp_directory_path() / "interlock-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 2;
  const std::string dir = pattern;
  std::ofstream(dir + "/interlock.yaml") << kPolicy;

  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::vector<std::string> server = {self, "--as-server", std::to_string(size)};
  const auto in_front = [&](std::vector<std::string> words) {
    words.insert(words.end(), server.begin(), server.end());
    return words;
  };
  std::vector<Pipeline> lines;
  lines.push_back(Start("direct", server));
  lines.push_back(Start("relay", in_front({self, "--as-relay"})));
  lines.push_back(Start("proxy", in_front({self, with_audit ? "--as-proxy" : "--as-proxy-no-audit", dir})));

  std::string filler;
  std::vector<std::int64_t> added;
  added.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < warmup + rounds; ++i) {
    // Every call is another one: caches of whole calls would measure themselves.
    std::string query = "question " + std::to_string(i) + ": ";
    while (query.size() + 130 < size)
      query += "what is known of item " + std::to_string(query.size() * 31 + static_cast<std::size_t>(i)) + "? ";
    const std::string call = "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(i + 1) +
                             ",\"method\":\"tools/call\",\"params\":{\"name\":\"lookup\",\"arguments\":{\"query\":\"" +
                             query + "\",\"limit\":10}}}\n";
    std::array<std::int64_t, 3> took{};
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const std::size_t which = (k + static_cast<std::size_t>(i)) % lines.size();
      const auto begin = Clock::now();
      lines[which].Send(call);
      const std::string answer = lines[which].Receive();
      took[which] = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
      if (answer.find("isError") != std::string::npos) {
        std::fprintf(stderr, "refused: %s\n", answer.c_str());
        return 3;
      }
    }
    if (i < warmup) continue;
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k].ns.push_back(took[k]);
    added.push_back(took[2] - took[1]);
  }
  const std::int64_t rss = RssKiB(lines[2].process.pid());
  const double added_p50 = Percentile(lines[2].ns, 50) - Percentile(lines[1].ns, 50);
  const double added_p99 = Percentile(lines[2].ns, 99) - Percentile(lines[1].ns, 99);
  std::string out;
  interlock::base::JsonWriter w(out);
  w.BeginObject().Key("bench").String("proxy").Key("rounds").Int(rounds).Key("bytes").Uint(size);
  w.Key("audit").Bool(with_audit);
  for (const Pipeline& line : lines) {
    w.Key(line.name).BeginObject();
    w.Key("p50_us").Double(Percentile(line.ns, 50)).Key("p90_us").Double(Percentile(line.ns, 90));
    w.Key("p99_us").Double(Percentile(line.ns, 99)).Key("p999_us").Double(Percentile(line.ns, 99.9));
    w.Key("max_us").Double(Percentile(line.ns, 100)).Key("start_us").Int(line.start_us).EndObject();
  }
  w.Key("added").BeginObject().Key("p50_us").Double(added_p50).Key("p99_us").Double(added_p99);
  w.Key("paired_p50_us").Double(Percentile(added, 50)).Key("paired_p99_us").Double(Percentile(added, 99)).EndObject();
  w.Key("rss_kib").Int(rss).EndObject();
  if (json) {
    std::printf("%s\n", out.c_str());
  } else {
    std::printf("%d round trips of a %zu byte tools/call, audit %s\n", rounds, size, with_audit ? "on" : "off");
    std::printf("%-8s %10s %10s %10s %10s %10s %12s\n", "", "p50 us", "p90 us", "p99 us", "p99.9 us", "max us",
                "start us");
    for (const Pipeline& line : lines) {
      std::printf("%-8s %10.1f %10.1f %10.1f %10.1f %10.1f %12lld\n", line.name.c_str(), Percentile(line.ns, 50),
                  Percentile(line.ns, 90), Percentile(line.ns, 99), Percentile(line.ns, 99.9), Percentile(line.ns, 100),
                  static_cast<long long>(line.start_us));
    }
    std::printf(
        "added by the proxy over the relay: p50 %.1f us, p99 %.1f us (call by call: %.1f, %.1f); RSS %lld KiB\n",
        added_p50, added_p99, Percentile(added, 50), Percentile(added, 99), static_cast<long long>(rss));
  }
  for (Pipeline& line : lines) {
    line.process.CloseStdin();
    (void)line.process.WaitFor(std::chrono::seconds(10)).ok();
  }
  std::filesystem::remove_all(dir);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto rest = [&words](std::size_t from) {
    return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
  };
  if (words.size() > 1 && words[0] == "--as-server") return ServerMain(std::stoul(words[1]));
  if (words.size() > 1 && words[0] == "--as-relay") return RelayMain(rest(1));
  if (words.size() > 2 && words[0] == "--as-proxy") return ProxyMain(words[1], true, rest(2));
  if (words.size() > 2 && words[0] == "--as-proxy-no-audit") return ProxyMain(words[1], false, rest(2));
  int rounds = 20'000;
  int warmup = 1'000;
  std::size_t size = 1024;
  bool json = false;
  bool with_audit = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--json") {
      json = true;
    } else if (words[i] == "--no-audit") {
      with_audit = false;
    } else if (words[i] == "--rounds" && has_value) {
      rounds = std::stoi(words[++i]);
    } else if (words[i] == "--warmup" && has_value) {
      warmup = std::stoi(words[++i]);
    } else if (words[i] == "--size" && has_value) {
      size = std::stoul(words[++i]);
    } else {
      std::fprintf(stderr, "usage: proxy_bench [--rounds N] [--size BYTES] [--warmup N] [--json] [--no-audit]\n");
      return 2;
    }
  }
  return BenchMain(rounds, warmup, size, json, with_audit);
}
