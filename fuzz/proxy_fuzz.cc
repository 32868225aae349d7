// links: base core policy gate runtime.audit runtime.session runtime.mcp
// The whole sans-IO proxy under any interleaving of lines from both sides, time, faults and ends. Input: steps, one a
// line: a letter says who speaks, the rest is what they say (`$i` in it is our last own id towards the client, `$j` the
// one towards the server, `$t` our last requestState).
//   c client   s server   t time passes   f ports fail or work   p policy reload   e an end
// Held against it: no tools/call reaches the server that the audit port was not told of before; nothing is sent that is
// not one line of valid JSON; what is held in memory stays within the options and is gone when everything is answered.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/policy/load.h"
#include "interlock/runtime/mcp/proxy_core.h"

namespace {

using namespace interlock;                // NOLINT: a fuzz target is one file
using namespace interlock::runtime::mcp;  // NOLINT

void Require(bool holds) {
  if (!holds) std::abort();
}

struct World final : Sink, AuditPort, SessionStorePort, PinsPort {
  // Sink.
  void ToClient(std::string_view line) override {
    const auto doc = Check(line);
    Remember(doc.root().Find("id").string(), "il-c-", last_question);
    const auto state = doc.root().Find("result").Find("requestState").string();
    if (!state.empty()) last_state = state;
  }
  void ToServer(std::string_view line) override {
    const auto doc = Check(line);
    Remember(doc.root().Find("id").string(), "il-s-", last_list);
    if (doc.root().Find("method").string() == "tools/call") {
      Require(forwarded_records > calls_seen);
      ++calls_seen;
    }
  }
  void Notice(NoticeLevel, std::string_view, std::string_view) override {}
  void CloseServerInput() override {}
  void SignalServer(ServerSignal) override {}
  void Finish(int) override { ++finished; }
  // AuditPort.
  base::Status Append(const runtime::audit::Record& record, bool, std::uint64_t& row) override {
    if (fail) return base::Error(base::ErrorCode::kAuditWrite, "fuzz");
    row = ++rows;
    const bool runs =
        record.enforcement == core::Enforcement::kForwarded || record.enforcement == core::Enforcement::kRewritten ||
        record.enforcement == core::Enforcement::kApproved || record.enforcement == core::Enforcement::kShadowed;
    if (record.kind == runtime::audit::Kind::kDecision && runs) ++forwarded_records;
    return {};
  }
  // SessionStorePort.
  base::Status Poll(runtime::session::Update& news) override {
    news = {};
    if (store_fail) return base::Error(base::ErrorCode::kStoreIo, "fuzz");
    return {};
  }
  base::Status Publish(const runtime::session::SessionStore::Publication&, base::Now) override {
    if (store_fail) return base::Error(base::ErrorCode::kStoreIo, "fuzz");
    return {};
  }
  // PinsPort.
  base::Result<policy::Pins> Load() override { return pins; }
  base::Result<policy::Pins> Add(const policy::Pins& more) override {
    for (const auto& [server, entry] : more.servers()) {
      for (const auto& [tool, digest] : entry.tools) pins.PinTool(server, tool, digest);
      if (entry.instructions.has_value()) pins.PinInstructions(server, *entry.instructions);
    }
    return pins;
  }
  void Held(const policy::Pins&) override {}
  bool Changed() override { return false; }

  static base::JsonDoc Check(std::string_view line) {
    Require(line.ends_with('\n') && line.find('\n') == line.size() - 1);
    auto doc = base::JsonDoc::Parse(line, {.max_depth = 1000});
    Require(doc.ok());
    return std::move(doc.value());
  }
  static void Remember(std::string_view id, std::string_view prefix, std::string& into) {
    if (id.starts_with(prefix)) into = id;
  }

  bool fail = false;
  bool store_fail = false;
  std::uint64_t rows = 0;
  std::uint64_t forwarded_records = 0;
  std::uint64_t calls_seen = 0;
  int finished = 0;
  policy::Pins pins;
  std::string last_question = "il-c-0";
  std::string last_list = "il-s-0";
  std::string last_state;
};

std::shared_ptr<const policy::PolicySnapshot> PolicyOf(bool shadow) {
  static const auto load = [](const char* yaml) { return policy::LoadPolicy(yaml).policy; };
  static const auto enforced = load(
      "version: 1\nlabels: [private]\ntools: {read: {effect: read, labels: [private]}, write: {effect: write}, hid: "
      "{hidden: true}, run: {effect: read}}\nrules:\n  - {id: dry, effect: rewrite, when: {tool: run, arguments: {not: "
      "{required: [dry]}}}, rewrite: {dry: true}}\n  - {id: out, effect: block, when: {tool: send, flow: {seen: "
      "private}}}\n  - {id: own, effect: escalate, when: {tool: read, provenance: {argument: /to, not_from: "
      "request}}}\n");
  static const auto shadowed = load("version: 1\nprofile: monitor\n");
  Require(enforced != nullptr && shadowed != nullptr);
  return shadow ? shadowed : enforced;
}

std::string Filled(std::string_view text, const World& world) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size()) {
      const char which = text[i + 1];
      if (which == 'i' || which == 'j' || which == 't') {
        out += which == 'i' ? world.last_question : which == 'j' ? world.last_list : world.last_state;
        ++i;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world;
  CoreOptions options;
  options.server = "srv";
  options.to_server_prefix = "il-s-";
  options.to_client_prefix = "il-c-";
  options.max_open_requests = 16;
  options.max_inflight_bytes = 64 << 10;
  options.call_timeout_us = 3'000'000;
  options.codec.max_depth = 64;
  options.max_tools = 64;
  options.max_list_pages = 4;
  base::Now now{{1'000'000'000'000}, {1'000'000}};
  ProxyCore core(options, {.sink = &world, .audit = &world, .store = &world, .pins = &world}, PolicyOf(false),
                 std::nullopt, now);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (int steps = 0; !rest.empty() && steps < 200; ++steps) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view step = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (step.empty()) continue;
    const char who = step.front();
    step.remove_prefix(1);
    now.mono.us += 1000;
    now.wall.us += 1000;
    switch (who) {
      case 'c':
        core.OnClientLine(Filled(step, world), now);
        break;
      case 's':
        core.OnServerLine(Filled(step, world), now);
        break;
      case 't': {
        const std::int64_t us =
            step.empty() ? 1'000'000 : std::int64_t{static_cast<unsigned char>(step[0])} * 2'000'000;
        now.mono.us += us;
        now.wall.us += us;
        core.OnTick(now);
        break;
      }
      case 'f':
        world.fail = step.starts_with('a') ? !world.fail : world.fail;
        world.store_fail = step.starts_with('s') ? !world.store_fail : world.store_fail;
        break;
      case 'p':
        if (step.starts_with('k')) {
          core.KeepPolicy(base::Error(base::ErrorCode::kPolicySyntax, "fuzz"), now);
        } else if (step.starts_with('r')) {
          core.ReloadPins(now);
        } else {
          core.SetPolicy(PolicyOf(step.starts_with('s')), now);
        }
        break;
      case 'e':
        if (step.starts_with('c')) core.OnClientClosed(now);
        if (step.starts_with('s')) core.OnServerClosed(now);
        if (step.starts_with('x')) core.OnServerExit("fuzz", now);
        if (step.starts_with('t')) core.OnSignal(15, now);
        if (step.starts_with('o')) core.OnServerOversized(1, now);
        if (step.starts_with('O')) core.OnClientOversized(1, now);
        break;
      default:
        break;
    }
    Require(core.open_requests() <= options.max_open_requests + 1);
    Require(core.inflight_bytes() <= options.max_inflight_bytes);
    Require(world.calls_seen == world.forwarded_records);
  }
  core.OnServerExit("the end", now);
  Require(core.open_requests() == 0 && core.inflight_bytes() == 0 && world.finished == 1);
  return 0;
}
