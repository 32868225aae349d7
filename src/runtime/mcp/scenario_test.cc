// Runs testdata/*.mcp against the core. Each line is one step:
//
//   policy ... end             YAML up to a line `end`; before the first other step it is the policy to start with,
//   later
//                              it is a reload. `policy broken` is an unreadable one
//   option NAME VALUE          before the first step: server, session, refuse_as, request_from_meta, call_timeout,
//                              max_open, max_inflight, instructions_are_results
//   C> JSON   S> JSON          the client, the server sends a line; `C>raw` TEXT: as it stands, `{n}xN` repeats not
//   >C WHAT   >S WHAT          the next line that the client, the server gets: `same` (the bytes of the last input), `=
//   TEXT`
//                              (exactly), or JSON that is a subset: objects may have more members, "*" is anything,
//                              "-" is nothing, "~x" is text with x in it, "$x" binds raw JSON to $x, which later inputs
//                              may use, "@x" is what $x was bound to, "..." at the end of an array is whatever else
//   tick 5s | 20ms             time passes
//   client-closed, server-closed, exit HOW, signal N, oversized client|server
//   fact CHANNEL JSON          told here; `store fact CHANNEL JSON`: by another guard; `published-fact CHANNEL JSON`
//   impact JSON                how bad the incident is, as the socket takes it; `wrong-impact JSON`: it is refused
//   request TEXT, label NAME, approve DIGEST, reload-pins, accept-pins
//   option scan none|off|on|strict: the scripted scanner (fake_ports.h); `scan fail`: it answers for nothing;
//   `looked N`: entries it was given; `passport NAME [DEFINITION]`: the passport knows this tool
//   `held TOOLS`, `held-accepted TOOLS`: what is offered to `policy accept`, by the pins or by passport and scanner
//   option approvals on        the core has a real approvals file; then
//     answer grant [once|session] [TTL s] | deny WORDS | pattern USES SCHEMA      the newest pending request is
//     answered answer revoke            the newest granted one is taken back plan JSON                a plan for
//     principal alice; break-glass SECONDS: a window for principal alice reviewed: what is over is overtaken BUDGET N
//     another guard charges the budget just before our next charge; charged BUDGET N: the sum requests STATE N so many
//     requests are in that state restart                  the process ends and another one takes over, with the same
//     files
//   audit|store|pins|approvals fail|ok   faults; `store news LABELS`: another guard publishes labels
//   ! EVENT                    the next of close-server-input, terminate, kill, finish N
//   ~ kind=decision verdict=block ...   the next audit record of that kind (and call) has these fields
//   notice NAME                a notice of that name has come
//   published LABELS           the last publication added these labels, before the client got anything since the last
//   step count NAME N               a counter; open, inflight as well
//
// Whatever is sent and not asked for is a failure at the next input.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>

#include "approvals_for_test.h"
#include "fake_ports.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interlock/policy/load.h"
#include "interlock/runtime/mcp/proxy_core.h"

namespace interlock::runtime::mcp {
namespace {

using base::JsonDoc;
using base::JsonValue;

std::string Trimmed(std::string text) {
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0)) text.pop_back();
  std::size_t i = 0;
  while (i < text.size() && (std::isspace(static_cast<unsigned char>(text[i])) != 0)) ++i;
  return text.substr(i);
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

class Scenario {
 public:
  explicit Scenario(std::string file) : file_(std::move(file)) {}

  void Run() {
    std::ifstream in(file_);
    ASSERT_TRUE(in.good()) << file_;
    std::string text;
    while (std::getline(in, text)) {
      ++line_;
      const std::string trimmed = Trimmed(text);
      if (trimmed.empty() || trimmed.starts_with('#')) continue;
      SCOPED_TRACE(file_ + ":" + std::to_string(line_) + ": " + trimmed.substr(0, 200));
      const std::size_t space = trimmed.find(' ');
      const std::string verb = trimmed.substr(0, space);
      const std::string rest = space == std::string::npos ? "" : Trimmed(trimmed.substr(space));
      if (verb == "policy") {
        std::string yaml;
        if (rest != "broken") {
          while (std::getline(in, text)) {
            ++line_;
            if (Trimmed(text) == "end") break;
            yaml += text + "\n";
          }
        }
        Policy(rest == "broken", yaml);
      } else {
        Step(verb, rest);
      }
      ++steps_;
      if (testing::Test::HasFatalFailure()) return;
    }
    SCOPED_TRACE(file_ + ": end");
    ExpectQuiet();
    EXPECT_GT(expectations_, 0) << "a scenario that expects nothing proves nothing";
  }

 private:
  static std::shared_ptr<const policy::PolicySnapshot> Load(const std::string& yaml) {
    auto loaded = policy::LoadPolicy(yaml);
    for (const auto& d : loaded.diagnostics) {
      if (d.severity == policy::Severity::kError) ADD_FAILURE() << d.ToString();
    }
    return loaded.policy;
  }

  void Policy(bool broken, const std::string& yaml) {
    if (core_ == nullptr) {
      broken_ = broken;
      yaml_ = yaml;
      return;
    }
    ExpectQuiet();
    if (broken) {
      core_->KeepPolicy(base::Error(base::ErrorCode::kPolicySyntax, "scripted"), now_);
    } else {
      auto policy = Load(yaml);
      ASSERT_NE(policy, nullptr);
      core_->SetPolicy(policy, now_);
    }
  }

  ProxyCore& Core() {
    if (core_ == nullptr) {
      options_.server = options_.server.empty() ? "srv" : options_.server;
      options_.to_server_prefix = "il-s-";
      options_.to_client_prefix = "il-c-";
      auto policy = Load(broken_ ? "version: 1\n" : yaml_);
      std::optional<base::Error> error;
      if (broken_) error = base::Error(base::ErrorCode::kPolicySyntax, "scripted");
      store_.sink = &sink_;
      if (use_approvals_ && approvals_ == nullptr) approvals_ = std::make_unique<ApprovalsForTest>();
      core_ = std::make_unique<ProxyCore>(options_,
                                          Ports{.sink = &sink_,
                                                .audit = &audit_,
                                                .store = use_store_ ? &store_ : nullptr,
                                                .pins = &pins_,
                                                .approvals = approvals_.get(),
                                                .scan = use_scan_ ? &scan_ : nullptr},
                                          policy, error, now_);
    }
    return *core_;
  }

  void ExpectQuiet() {
    ProxyCore& core = Core();
    (void)core;
    for (const std::string& line : sink_.to_client) ADD_FAILURE() << "the client got: " << line;
    for (const std::string& line : sink_.to_server) ADD_FAILURE() << "the server got: " << line;
    for (const std::string& event : sink_.events) ADD_FAILURE() << "unexpected: " << event;
    sink_.to_client.clear();
    sink_.to_server.clear();
    sink_.events.clear();
  }

  std::string Substituted(std::string text) const {
    for (const auto& [name, value] : variables_) {
      for (std::size_t at = 0; (at = text.find("\"" + name + "\"", at)) != std::string::npos; at += value.size()) {
        text.replace(at, name.size() + 2, value);
      }
    }
    return text;
  }

  static void Option(CoreOptions& o, bool& use_store, const std::string& rest) {
    const std::vector<std::string> words = Words(rest);
    ASSERT_EQ(words.size(), 2u);
    if (words[0] == "server") {
      o.server = words[1];
    } else if (words[0] == "session") {
      o.session = words[1];
    } else if (words[0] == "principal") {
      o.principal = words[1];
    } else if (words[0] == "refuse_as") {
      o.refuse_as = words[1] == "error" ? RefuseAs::kJsonRpcError : RefuseAs::kToolResult;
    } else if (words[0] == "request_from_meta") {
      o.request_from_meta = words[1] == "on";
    } else if (words[0] == "instructions_are_results") {
      o.instructions_are_results = words[1] == "on";
    } else if (words[0] == "call_timeout") {
      o.call_timeout_us = std::stoll(words[1]) * 1'000'000;
    } else if (words[0] == "max_open") {
      o.max_open_requests = std::stoul(words[1]);
    } else if (words[0] == "max_inflight") {
      o.max_inflight_bytes = std::stoul(words[1]);
    } else if (words[0] == "max_pages") {
      o.max_list_pages = std::stoul(words[1]);
    } else if (words[0] == "store") {
      use_store = words[1] == "on";
    } else if (words[0] == "session_named") {
      o.session_named = words[1] == "on";
    } else if (words[0] == "approval_wait") {
      o.approval_wait_us = std::stoll(words[1]) * 1'000'000;
    } else {
      FAIL() << "unknown option " << words[0];
    }
  }

  void Step(const std::string& verb, const std::string& rest) {
    if (verb == "option") {
      ASSERT_EQ(core_, nullptr) << "options come first";
      if (rest.starts_with("scan ")) {
        use_scan_ = rest != "scan none";
        options_.first_use = rest == "scan off"      ? FirstUseScan::kOff
                             : rest == "scan strict" ? FirstUseScan::kStrict
                                                     : FirstUseScan::kOn;
        options_.first_use_fixed = rest != "scan policy";
        return;
      }
      if (rest == "approvals on") {
        use_approvals_ = true;
        return;
      }
      Option(options_, use_store_, rest);
      return;
    }
    if (verb == "scan") {
      scan_.fail = rest == "fail";
      return;
    }
    if (verb == "passport") {
      // NAME JSON: the listed definition; NAME alone: known from source only.
      ASSERT_EQ(core_, nullptr) << "the passport comes first";
      auto passport = options_.passport == nullptr ? std::make_shared<PassportTools>()
                                                   : std::make_shared<PassportTools>(*options_.passport);
      const std::size_t space = rest.find(' ');
      auto& digests = passport->tools[rest.substr(0, space)];
      if (space != std::string::npos) {
        auto doc = JsonDoc::Parse(rest.substr(space));
        ASSERT_TRUE(doc.ok());
        digests.push_back(base::DigestOf(doc.value().root()));
        passport->verifies = true;
      }
      options_.passport = passport;
      return;
    }
    if (verb == "looked") {
      ++expectations_;
      EXPECT_EQ(scan_.looked_at, std::stoul(rest));
      return;
    }
    if (verb == "approvals") {
      Core();
      approvals_->fail = rest == "fail";
      return;
    }
    if (verb == "audit" || verb == "pins" || (verb == "store" && (rest == "fail" || rest == "ok"))) {
      (verb == "audit" ? audit_.fail : verb == "pins" ? pins_.fail : store_.fail) = rest == "fail";
      return;
    }
    if (verb == "store" && rest.starts_with("fact ")) {
      const auto words = Words(rest);
      store_.next.facts.emplace_back(words.at(1), words.at(2));
      store_.next.empty = false;
      return;
    }
    if (verb == "published-fact") {
      ++expectations_;
      ASSERT_FALSE(store_.published.empty());
      EXPECT_EQ(store_.published.back().fact_channel + " " + store_.published.back().fact, rest);
      return;
    }
    if (verb == "store") {
      store_.next.labels = Words(rest.substr(4));
      store_.next.empty = false;
      return;
    }
    if (verb == ">C" || verb == ">S") {
      ++expectations_;
      Core();
      ExpectLine(verb == ">C" ? sink_.to_client : sink_.to_server, rest);
      return;
    }
    if (verb == "!") {
      ++expectations_;
      ASSERT_FALSE(sink_.events.empty()) << "nothing happened";
      EXPECT_EQ(sink_.events.front(), rest);
      sink_.events.pop_front();
      return;
    }
    if (verb == "~") {
      ++expectations_;
      ExpectAudit(rest);
      return;
    }
    if (verb == "notice") {
      ++expectations_;
      EXPECT_THAT(sink_.notices, testing::Contains(rest));
      sink_.notices.clear();
      return;
    }
    if (verb == "published") {
      ++expectations_;
      ASSERT_FALSE(store_.published.empty());
      EXPECT_EQ(store_.published.back().labels, Words(rest));
      EXPECT_EQ(store_.client_lines_before.back(), 0u) << "published after the client had its answer";
      return;
    }
    if (verb == "held" || verb == "held-accepted") {
      ++expectations_;
      const std::string server = options_.server + (verb == "held" ? "" : "@accepted");
      ASSERT_TRUE(pins_.held.servers().contains(server));
      std::vector<std::string> names;
      for (const auto& [tool, digest] : pins_.held.servers().find(server)->second.tools) names.push_back(tool);
      EXPECT_EQ(names, Words(rest));
      return;
    }
    if (verb == "requests") {
      ++expectations_;
      const auto words = Words(rest);
      ASSERT_EQ(words.size(), 2u);
      auto list = approvals_->store->List({.state = approvals::StateFromName(words[0])}, now_);
      ASSERT_TRUE(list.ok());
      EXPECT_EQ(list.value().size(), std::stoul(words[1]));
      return;
    }
    if (verb == "charged") {
      ++expectations_;
      const auto words = Words(rest);
      auto sums = approvals_->store->Budgets("", "alice", now_);
      ASSERT_TRUE(sums.ok());
      EXPECT_EQ(sums.value()[words.at(0)], std::stod(words.at(1)));
      return;
    }
    if (verb == "answer" || verb == "plan" || verb == "break-glass" || verb == "reviewed" || verb == "overtaken") {
      Core();
      People(verb, rest);
      return;
    }
    if (verb == "count") {
      ++expectations_;
      ExpectCount(rest);
      return;
    }
    ExpectQuiet();
    Input(verb, rest);
  }

  // What people do elsewhere, while the proxy runs.
  void People(const std::string& verb, const std::string& rest) {
    now_.mono.us += 1000;
    now_.wall.us += 1000;
    approvals::ApprovalStore& store = *approvals_->store;
    const auto words = Words(rest);
    if (verb == "overtaken") {
      approvals_->overtake[words.at(0)] = std::stod(words.at(1));
    } else if (verb == "plan") {
      approvals::Plan plan;
      auto parsed = approvals::ParsePlan(rest);
      ASSERT_TRUE(parsed.ok()) << parsed.error().ToString();
      plan.text = parsed.value();
      plan.principal = "alice";
      plan.approver = "bob";
      ASSERT_TRUE(store.AddPlan(plan, 600'000'000, now_).ok());
    } else if (verb == "reviewed") {
      const auto windows = store.BreakGlasses(now_);
      ASSERT_TRUE(windows.ok());
      for (const approvals::BreakGlass& window : windows.value()) {
        if (window.active || !window.reviewed_by.empty()) continue;
        EXPECT_TRUE(store.ReviewBreakGlass(window.id, "bob", now_).ok());
      }
    } else if (verb == "break-glass") {
      approvals::BreakGlass window;
      window.principal = "alice";
      window.reason = "checkout is down";
      window.opened_by = "bob";
      ASSERT_TRUE(store.OpenBreakGlass(window, std::stoll(words.at(0)) * 1'000'000, now_).ok());
    } else {
      const bool revoke = words.at(0) == "revoke";
      auto list = store.List({.state = revoke ? approvals::State::kGranted : approvals::State::kPending}, now_);
      ASSERT_TRUE(list.ok());
      ASSERT_FALSE(list.value().empty()) << "nothing waits";
      const std::string id = list.value().front().id;
      if (revoke) {
        ASSERT_TRUE(store.Revoke(id, "bob", "", now_).ok());
        return;
      }
      approvals::Ruling ruling{.granted = words[0] != "deny", .approver = "bob", .ttl_us = 900'000'000};
      if (words[0] == "deny") {
        ruling.reason = Trimmed(rest.substr(4));
      } else if (words[0] == "pattern") {
        ruling.scope = approvals::Scope::kPattern;
        ruling.max_uses = static_cast<std::uint32_t>(std::stoul(words.at(1)));
        ruling.constraint = rest.substr(rest.find('{'));
      } else {
        if (words.size() > 1) ruling.scope = *approvals::ScopeFromName(words[1]);
        if (words.size() > 2) ruling.ttl_us = std::stoll(words[2]) * 1'000'000;
      }
      auto decided = store.Decide(id, ruling, now_);
      ASSERT_TRUE(decided.ok()) << decided.error().ToString();
    }
  }

  void Input(const std::string& verb, const std::string& rest) {
    if (verb == "restart") {
      core_.reset();
      if (!options_.session_named) options_.session = "another-process";
      Core();
      return;
    }
    ProxyCore& core = Core();
    now_.mono.us += 1000;
    now_.wall.us += 1000;
    if (verb == "C>" || verb == "S>") {
      last_input_ = Substituted(rest) + "\n";
      verb == "C>" ? core.OnClientLine(last_input_, now_) : core.OnServerLine(last_input_, now_);
    } else if (verb == "tick") {
      const std::int64_t amount = std::stoll(rest);
      const std::int64_t us = rest.ends_with("ms") ? amount * 1000 : amount * 1'000'000;
      now_.mono.us += us;
      now_.wall.us += us;
      core.OnTick(now_);
    } else if (verb == "wall") {
      now_.wall.us += std::stoll(rest) * 1'000'000;
    } else if (verb == "client-closed") {
      core.OnClientClosed(now_);
    } else if (verb == "server-closed") {
      core.OnServerClosed(now_);
    } else if (verb == "exit") {
      core.OnServerExit(rest, now_);
    } else if (verb == "signal") {
      core.OnSignal(std::stoi(rest), now_);
    } else if (verb == "oversized") {
      rest == "client" ? core.OnClientOversized(99, now_) : core.OnServerOversized(99, now_);
    } else if (verb == "request") {
      core.SetRequest(rest, now_);
    } else if (verb == "fact") {
      const auto words = Words(rest);
      EXPECT_TRUE(core.AddFact(words.at(0), words.at(1), now_).ok());
    } else if (verb == "impact" || verb == "wrong-impact") {
      const auto told = JsonDoc::Parse(rest);
      ASSERT_TRUE(told.ok());
      EXPECT_EQ(core.SetImpact(told.value().root(), now_).ok(), verb == "impact");
    } else if (verb == "label") {
      EXPECT_TRUE(core.AddLabel(rest, now_));
    } else if (verb == "approve") {
      std::string digest = Substituted("\"" + rest + "\"");
      if (digest.starts_with('"')) digest = digest.substr(1, digest.size() - 2);
      const base::Status status = core.ApproveRefused(digest, true, now_);
      EXPECT_TRUE(status.ok());
    } else if (verb == "reload-pins") {
      core.ReloadPins(now_);
    } else if (verb == "accept-pins") {
      for (const auto& [server, held] : pins_.held.servers()) {
        if (held.instructions.has_value()) pins_.pins.PinInstructions(server, *held.instructions);
        for (const auto& [tool, digest] : held.tools) pins_.pins.PinTool(server, tool, digest);
      }
      core.ReloadPins(now_);
    } else {
      FAIL() << "unknown step " << verb;
    }
  }

  void ExpectLine(std::deque<std::string>& lines, const std::string& want) {
    ASSERT_FALSE(lines.empty()) << "nothing was sent";
    const std::string got = lines.front();
    lines.pop_front();
    EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 1) << got;
    EXPECT_TRUE(got.ends_with('\n')) << got;
    if (want == "same") {
      EXPECT_EQ(got, last_input_);
      return;
    }
    if (want.starts_with("=")) {
      EXPECT_EQ(got, Trimmed(want.substr(1)) + "\n");
      return;
    }
    auto got_doc = JsonDoc::Parse(got);
    ASSERT_TRUE(got_doc.ok()) << got;
    auto want_doc = JsonDoc::Parse(want);
    ASSERT_TRUE(want_doc.ok()) << want << want_doc.error().ToString();
    std::string where;
    EXPECT_TRUE(Matches(got_doc.value().root(), want_doc.value().root(), where)) << "at " << where << "\n  " << got;
  }

  bool Matches(JsonValue got, JsonValue want, std::string& where) {
    if (want.is_string() && want.string() == "*") return got.exists();
    if (want.is_string() && want.string() == "-") return !got.exists();
    if (want.is_string() && want.string().starts_with("$")) {
      if (!got.exists()) return false;
      variables_[std::string(want.string())] = std::string(got.raw());
      return true;
    }
    if (want.is_string() && want.string().starts_with("@")) {
      const auto known = variables_.find("$" + std::string(want.string().substr(1)));
      return known != variables_.end() && got.raw() == known->second;
    }
    if (want.is_string() && want.string().starts_with("~")) {  // contains
      return got.is_string() && got.string().find(want.string().substr(1)) != std::string_view::npos;
    }
    if (want.is_object()) {
      if (!got.is_object()) return false;
      for (auto it = want.begin(); it != want.end(); ++it) {
        std::string inner = where + "/" + std::string(it.key());
        if (!Matches(got.Find(it.key()), *it, inner)) {
          where = inner;
          return false;
        }
      }
      return true;
    }
    if (want.is_array()) {
      if (!got.is_array()) return false;
      auto g = got.begin();
      for (const JsonValue w : want) {
        if (w.string() == "...") return true;  // and whatever else
        if (g == got.end() || !Matches(*g, w, where)) return false;
        ++g;
      }
      return g == got.end();
    }
    return got.exists() && base::CanonicalJson(got) == base::CanonicalJson(want);
  }

  void ExpectAudit(const std::string& want) {
    std::map<std::string, std::string, std::less<>> fields;
    for (const std::string& word : Words(want)) {
      const std::size_t eq = word.find('=');
      ASSERT_NE(eq, std::string::npos) << word;
      fields[word.substr(0, eq)] = word.substr(eq + 1);
    }
    auto& records = audit_.records;
    while (!records.empty() && (records.front()["kind"] != fields["kind"] ||
                                (fields.contains("call") && records.front()["call"] != fields["call"]))) {
      records.pop_front();
    }
    ASSERT_FALSE(records.empty()) << "no further record of kind " << fields["kind"];
    for (const auto& [name, value] : fields) EXPECT_EQ(records.front()[name], value) << name;
    records.pop_front();
  }

  void ExpectCount(const std::string& rest) {
    const std::vector<std::string> words = Words(rest);
    ASSERT_EQ(words.size(), 2u);
    const Counters& c = Core().counters();
    const std::map<std::string, std::uint64_t> counts = {{"calls", c.calls},
                                                         {"forwarded", c.forwarded},
                                                         {"refused", c.refused},
                                                         {"shadowed", c.shadowed},
                                                         {"escalated", c.escalated},
                                                         {"withheld", c.withheld},
                                                         {"masked", c.masked},
                                                         {"client_garbage", c.client_garbage},
                                                         {"server_garbage", c.server_garbage},
                                                         {"unmatched_responses", c.unmatched_responses},
                                                         {"oversized", c.oversized},
                                                         {"audit_failures", c.audit_failures},
                                                         {"store_failures", c.store_failures},
                                                         {"stale_policy", c.stale_policy},
                                                         {"open", Core().open_requests()},
                                                         {"inflight", Core().inflight_bytes()}};
    ASSERT_TRUE(counts.contains(words[0])) << words[0];
    EXPECT_EQ(counts.at(words[0]), std::stoull(words[1])) << words[0];
  }

  std::string file_;
  int line_ = 0;
  int steps_ = 0;
  int expectations_ = 0;
  bool broken_ = false;
  bool use_store_ = false;
  bool use_approvals_ = false;
  std::unique_ptr<ApprovalsForTest> approvals_;  // outlives the core
  std::string yaml_ = "version: 1\n";
  CoreOptions options_;
  FakeSink sink_;
  FakeAudit audit_;
  FakeStore store_;
  FakePins pins_;
  FakeScan scan_;
  bool use_scan_ = false;
  std::unique_ptr<ProxyCore> core_;
  base::Now now_{{1'700'000'000'000'000}, {1'000'000'000}};
  std::string last_input_;
  std::map<std::string, std::string> variables_;
};

class ScenarioTest : public testing::Test {
 public:
  explicit ScenarioTest(std::string file) : file_(std::move(file)) {}
  void TestBody() override { Scenario(file_).Run(); }

 private:
  std::string file_;
};

// Registered before main runs: one test a file.
const bool kRegistered = [] {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(INTERLOCK_TESTDATA)) {
    if (entry.path().extension() == ".mcp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    testing::RegisterTest("McpScenario", file.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [path = file.string()]() -> testing::Test* { return new ScenarioTest(path); });
  }
  return !files.empty();
}();

TEST(McpScenarios, AreThere) { EXPECT_TRUE(kRegistered); }

}  // namespace
}  // namespace interlock::runtime::mcp
