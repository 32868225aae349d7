// Proves that the gate blocks: calls that must be refused are sent through the real wiring (this program's own `proxy`,
// the real server), and the refusals are looked for in the answers and in the audit log. Nothing that could run is
// sent.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"
#include "interlock/base/text.h"
#include "interlock/platform/file.h"
#include "interlock/platform/random.h"
#include "interlock/runtime/audit/query.h"
#include "interlock/runtime/audit/verify.h"
#include "mcp_probe.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

namespace audit = runtime::audit;

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr std::string_view kBlockEverything =
    "version: 1\nprofile: default\nrules:\n  - {id: doctor, effect: block, when: {tool: \"**\"}, reason: \"doctor "
    "refuses everything\"}\n";
constexpr std::string_view kNoPolicyAtAll = "version: [this is not a policy\n";

enum class Mark : std::uint8_t { kOk, kWarn, kFail };

class Checklist {
 public:
  explicit Checklist(Format format) : format_(format) {}
  void Add(Mark mark, std::string_view check, std::string_view text) {
    failed_ = failed_ || mark == Mark::kFail;
    ++count_;
    const char* word = mark == Mark::kOk ? "ok" : mark == Mark::kWarn ? "warn" : "FAIL";
    if (format_ == Format::kText) {
      std::printf("%-5s %s: %.*s\n", word, std::string(check).c_str(), static_cast<int>(text.size()), text.data());
    } else {
      std::string out;
      base::JsonWriter w(out);
      w.BeginObject()
          .Key("check")
          .String(check)
          .Key("result")
          .String(mark == Mark::kFail ? "fail" : word)
          .Key("text")
          .String(text)
          .EndObject();
      std::printf("%s\n", out.c_str());
    }
    std::fflush(stdout);
  }
  void Check(bool good, std::string_view check, std::string_view text) {
    Add(good ? Mark::kOk : Mark::kFail, check, text);
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  Format format_;
  bool failed_ = false;
  int count_ = 0;
};

// A folder of our own that goes when we go.
class ScratchDir {
 public:
  ScratchDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "interlock-doctor-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~ScratchDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Answer {
  bool refused = false;  // by us: our own evidence is on it
  std::string reason;
  std::string rule;
  std::string raw;
};

Answer AnswerOf(const base::JsonDoc& doc) {
  Answer out;
  out.raw = std::string(doc.bytes());
  const base::JsonValue root = doc.root();
  base::JsonValue decision = root.Find("result").Find("_meta").Find("interlock/decision");
  if (!decision.exists()) decision = root.Find("error").Find("data").Find("interlock/decision");
  if (!decision.is_object()) return out;
  out.reason = std::string(decision.Find("reason").string());
  out.rule = std::string(decision.FindPointer("/evidence/0/rule").string());
  out.refused = root.Find("error").exists() || root.Find("result").Find("isError").AsBool() == true;
  return out;
}

std::string CallParams(std::string_view tool, std::string_view arguments) {
  std::string out;
  base::JsonWriter w(out);
  w.BeginObject().Key("name").String(tool).Key("arguments").Raw(arguments).EndObject();
  return out;
}

class Doctor {
 public:
  Doctor(const DoctorArgs& args, std::string self) : args_(args), self_(std::move(self)), list_(args.format) {}

  int Run() {
    if (scratch_.path().empty()) {
      PrintError(base::Error(base::ErrorCode::kIo, "no temporary folder"));
      return kExitCannotRun;
    }
    const auto nonce = platform::RandomHex(8);
    if (!nonce.ok()) {
      PrintError(nonce.error());
      return kExitCannotRun;
    }
    stranger_ = "interlock-doctor-" + nonce.value();
    Policy();
    UnderOwnPolicy();
    UnderBlockEverything();
    UnderUnreadablePolicy();
    Audit();
    if (args_.format == Format::kText) {
      std::printf(list_.failed() ? "the gate does NOT hold here\n" : "the gate holds: %d checks\n", list_.count());
    }
    return list_.failed() ? kExitRefused : kExitFine;
  }

 private:
  void Policy() {
    const auto file = ReadPolicy(args_.policy);
    if (!file.ok() || file.value().loaded.policy == nullptr) {
      list_.Add(Mark::kFail, "policy",
                file.ok() ? file.value().loaded.diagnostics.front().error.ToString() : file.error().ToString());
      return;
    }
    const auto& policy = *file.value().loaded.policy;
    shadow_ = policy.profile().shadow;
    list_.Add(Mark::kOk, "policy",
              (file.value().path.empty() ? "no policy file; profile alone" : file.value().path) + ", profile " +
                  policy.profile().name + ", " + std::to_string(policy.rule_count()) + " rules");
    if (shadow_) list_.Add(Mark::kFail, "shadow", "shadow mode: verdicts are recorded, nothing is enforced");
    for (std::size_t i = 0; i < core::kSideEffectCount; ++i) {
      const auto effect = static_cast<core::SideEffect>(i);
      if (effect != core::SideEffect::kRead && policy.profile().default_for(effect) == core::Verdict::kAllow) {
        list_.Add(Mark::kWarn, "defaults",
                  "side effect `" + std::string(core::NameOf(effect)) + "` is allowed when no rule speaks");
      }
    }
  }

  base::Result<McpProbe> Guarded(const std::vector<std::string>& policy_options) {
    std::vector<std::string> command{self_,
                                     "proxy",
                                     "--no-approvals",
                                     "--audit-dir",
                                     scratch_.path() + "/audit",
                                     "--pins",
                                     scratch_.path() + "/pins.json"};
    command.insert(command.end(), policy_options.begin(), policy_options.end());
    command.emplace_back("--");
    command.insert(command.end(), args_.command.begin(), args_.command.end());
    return McpProbe::Start(command, kTimeout);
  }

  std::vector<std::string> OwnPolicyOptions() const {
    std::vector<std::string> out;
    if (!args_.policy.file.empty()) out.insert(out.end(), {"--policy", args_.policy.file});
    if (!args_.policy.profile.empty()) out.insert(out.end(), {"--profile", args_.policy.profile});
    for (const auto& variable : args_.policy.variables) out.insert(out.end(), {"--var", variable});
    if (args_.policy.shadow) out.emplace_back("--shadow");
    return out;
  }

  void UnderOwnPolicy() {
    auto probe = Guarded(OwnPolicyOptions());
    if (!probe.ok()) {
      list_.Add(Mark::kFail, "server", probe.error().ToString());
      return;
    }
    const auto tools = probe.value().ListTools();
    list_.Check(tools.ok(), "server",
                tools.ok() ? "answers through the guard and lists " + std::to_string(tools.value().size()) + " tools"
                           : tools.error().ToString());
    if (shadow_) {
      probe.value().Stop();
      return;
    }
    Expect(probe.value(), "malformed call",
           tools.ok() && !tools.value().empty() ? tools.value().front().name : stranger_, "[]", {});
    Expect(probe.value(), "tool nobody listed", stranger_, "{}", {});
    probe.value().Stop();
  }

  void UnderBlockEverything() {
    const std::string file = scratch_.path() + "/block.yaml";
    if (!platform::AtomicWrite(file, kBlockEverything).ok())
      return list_.Add(Mark::kFail, "block everything", "cannot write " + file);
    auto probe = Guarded({"--policy", file});
    if (!probe.ok()) return list_.Add(Mark::kFail, "block everything", probe.error().ToString());
    const auto tools = probe.value().ListTools();
    if (!tools.ok()) {
      probe.value().Stop();
      return list_.Add(Mark::kFail, "block everything", tools.error().ToString());
    }
    std::size_t refused = 0;
    for (const auto& tool : tools.value()) {
      const auto answer = probe.value().Request("tools/call", CallParams(tool.name, "{}"));
      if (answer.ok() && AnswerOf(answer.value()).refused) ++refused;
    }
    refusals_ += refused;
    list_.Check(refused == tools.value().size() && refused != 0, "block everything",
                "a rule that blocks all: " + std::to_string(refused) + " of " + std::to_string(tools.value().size()) +
                    " tools refused before the server saw the call");
    probe.value().Stop();
  }

  void UnderUnreadablePolicy() {
    const std::string file = scratch_.path() + "/broken.yaml";
    if (!platform::AtomicWrite(file, kNoPolicyAtAll).ok())
      return list_.Add(Mark::kFail, "unreadable policy", "cannot write " + file);
    auto probe = Guarded({"--policy", file});
    if (!probe.ok()) {
      // Not starting at all is closed as well.
      return list_.Add(Mark::kOk, "unreadable policy", "the proxy does not start: " + probe.error().ToString());
    }
    Expect(probe.value(), "unreadable policy", stranger_, "{}", core::IdOf(core::Reason::kPolicyUnavailable));
    probe.value().Stop();
  }

  void Expect(McpProbe& probe, std::string_view check, std::string_view tool, std::string_view arguments,
              std::string_view reason) {
    const auto answer = probe.Request("tools/call", CallParams(tool, arguments));
    if (!answer.ok()) return list_.Add(Mark::kFail, check, answer.error().ToString());
    const Answer seen = AnswerOf(answer.value());
    const bool good = seen.refused && (reason.empty() || seen.reason == reason);
    if (good) ++refusals_;
    list_.Check(good, check,
                good ? "refused: " + seen.reason : "NOT refused by the gate: " + base::Printable(seen.raw, 300));
  }

  void Audit() {
    const std::string dir = scratch_.path() + "/audit";
    const auto rows = audit::Query(dir, {.kind = audit::Kind::kDecision});
    if (!rows.ok()) return list_.Add(Mark::kFail, "audit", rows.error().ToString());
    list_.Check(
        rows.value().size() >= refusals_ && refusals_ != 0, "audit",
        std::to_string(rows.value().size()) + " decisions recorded for " + std::to_string(refusals_) + " refusals");
    const auto report = audit::Verify(dir);
    if (!report.ok()) return list_.Add(Mark::kFail, "audit verify", report.error().ToString());
    list_.Check(
        report.value().outcome != audit::VerifyReport::Outcome::kBroken, "audit verify",
        std::to_string(report.value().rows) + " rows, " + std::to_string(report.value().signatures) + " signatures");
  }

  const DoctorArgs& args_;
  std::string self_;
  Checklist list_;
  ScratchDir scratch_;
  std::string stranger_;
  bool shadow_ = false;
  std::size_t refusals_ = 0;
};

}  // namespace

int RunDoctor(const DoctorArgs& args, const std::string& self) {
  // The very program that runs now, not whatever the name finds.
  std::error_code error;
  const auto exe = std::filesystem::read_symlink("/proc/self/exe", error);
  return Doctor(args, error ? self : exe.string()).Run();
}

}  // namespace interlock::app
