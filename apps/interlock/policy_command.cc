#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include "commands.h"
#include "interlock/gate/session.h"
#include "interlock/platform/file.h"
#include "interlock/policy/draft.h"
#include "interlock/policy/pins.h"
#include "mcp_probe.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

constexpr auto kProbeTimeout = std::chrono::seconds(30);
constexpr std::size_t kMaxPinsBytes = std::size_t{16} << 20;

int CannotRun(const base::Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

void DiagnosticJson(base::JsonWriter& w, const policy::Diagnostic& d) {
  w.BeginObject().Key("severity").String(d.severity == policy::Severity::kError ? "error" : "warning");
  w.Key("code").String(d.error.id()).Key("message").String(d.error.message()).Key("file").String(d.error.place().file);
  w.Key("line").Uint(d.error.place().line).Key("column").Uint(d.error.place().column).EndObject();
}

std::uint64_t CountErrors(const policy::LoadedPolicy& loaded) {
  return static_cast<std::uint64_t>(
      std::count_if(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                    [](const auto& d) { return d.severity == policy::Severity::kError; }));
}

struct TestOutcome {
  bool passed = false;
  core::Decision decision;
  std::string trouble;
};

TestOutcome RunCase(const policy::PolicyTestCase& test, const std::shared_ptr<const policy::PolicySnapshot>& policy,
                    const std::shared_ptr<const policy::ToolCatalogue>& catalogue) {
  TestOutcome out;
  const auto arguments = base::JsonDoc::Parse(test.arguments_json.empty() ? "{}" : test.arguments_json);
  if (!arguments.ok()) {
    out.trouble = arguments.error().ToString();
    return out;
  }
  // The case says what the session has read: nothing of it is masked.
  gate::SessionState session(policy,
                             {.principal = test.principal, .environment = test.environment, .as_recorded = true});
  session.SetCatalogue(catalogue, false);
  if (!test.request.empty()) session.SetRequest(test.request);
  for (const std::string& label : test.seen) {
    const auto bits = policy->LabelFromName(label);
    if (bits.has_value()) session.MergeLabels(*bits);
  }
  for (const auto& [channel, json] : test.facts) {
    const auto value = base::JsonDoc::Parse(json);
    const base::Status added = value.ok() ? session.AddFact(channel, value.value().root()) : value.error();
    if (!added.ok()) {
      out.trouble = added.error().ToString();
      return out;
    }
  }
  for (const policy::PolicyTestResult& seen : test.results) {
    if (!seen.label.empty()) {
      // A label alone does not say who wrote the text: what is not called trusted is not.
      const core::LabelSet label = policy->LabelFromName(seen.label).value_or(core::kLabelUntrusted);
      if (seen.tool.empty()) {
        session.AddSeenText(seen.text, label);
        continue;
      }
      session.MergeLabels(label & ~core::kLabelUntrusted);
    }
    const auto seen_arguments = base::JsonDoc::Parse(seen.arguments_json);
    if (!seen_arguments.ok()) {
      out.trouble = seen_arguments.error().ToString();
      return out;
    }
    const core::Call earlier{.id = "seen", .server = {}, .tool = seen.tool, .arguments = seen_arguments.value().root()};
    session.Commit(earlier, {});
    (void)session.OnResult(earlier, {.tool = seen.tool, .payload = {}, .text = seen.text});
  }
  const core::Call call{.id = "test", .server = {}, .tool = test.tool, .arguments = arguments.value().root()};
  out.decision = session.DecideNow(call, {});
  out.passed = out.decision.verdict == test.want;
  if (test.want_layer.has_value()) {
    out.passed = out.passed &&
                 std::any_of(out.decision.evidence.begin(), out.decision.evidence.end(), [&](const core::Evidence& e) {
                   return e.layer == *test.want_layer && e.verdict == test.want;
                 });
  }
  if (!test.want_rule.empty()) {
    out.passed = out.passed &&
                 std::any_of(out.decision.evidence.begin(), out.decision.evidence.end(), [&](const core::Evidence& e) {
                   return e.rule == test.want_rule && e.verdict == test.want;
                 });
  }
  return out;
}

}  // namespace

int RunPolicyInit(const PolicyInitArgs& args) {
  auto probe = McpProbe::Start(args.command, kProbeTimeout);
  if (!probe.ok()) return CannotRun(probe.error());
  const auto tools = probe.value().ListTools();
  probe.value().Stop();
  if (!tools.ok()) return CannotRun(tools.error());
  policy::DraftOptions options;
  for (const std::string& word : args.command)
    options.server_command += (options.server_command.empty() ? "" : " ") + word;
  options.workspace = args.workspace;
  const std::string draft = policy::DraftPolicy(tools.value(), options);
  if (args.output.empty()) {
    std::fwrite(draft.data(), 1, draft.size(), stdout);
    return kExitFine;
  }
  std::error_code ignored;
  if (std::filesystem::exists(args.output, ignored)) {
    return CannotRun(base::Error(base::ErrorCode::kUsage, "`" + args.output + "` exists; it is not overwritten"));
  }
  const auto written = platform::AtomicWrite(args.output, draft, 0644);
  if (!written.ok()) return CannotRun(written.error());
  std::printf("drafted %s from %zu tools: read it, edit it, then `interlock policy test %s`\n", args.output.c_str(),
              tools.value().size(), args.output.c_str());
  return kExitFine;
}

int RunPolicyCheck(const PolicyCheckArgs& args) {
  const auto file = ReadPolicy(args.policy);
  if (!file.ok()) return CannotRun(file.error());
  const policy::LoadedPolicy& loaded = file.value().loaded;
  const bool good = loaded.policy != nullptr;
  if (args.format == Format::kJson) {
    std::string out;
    base::JsonWriter w(out);
    w.BeginObject()
        .Key("schema")
        .String("interlock.policy.check/v1")
        .Key("file")
        .String(file.value().path)
        .Key("ok")
        .Bool(good);
    if (good)
      w.Key("digest")
          .String(loaded.policy->digest().ToHex())
          .Key("rules")
          .Uint(loaded.policy->rule_count())
          .Key("tests")
          .Uint(loaded.tests.size());
    w.Key("diagnostics").BeginArray();
    for (const auto& d : loaded.diagnostics) DiagnosticJson(w, d);
    w.EndArray().EndObject();
    std::printf("%s\n", out.c_str());
    return good ? kExitFine : kExitRefused;
  }
  for (const auto& d : loaded.diagnostics) std::printf("%s\n", d.ToString().c_str());
  if (good) {
    std::printf("%s: %zu rules, %zu tests, profile %s%s\n",
                file.value().path.empty() ? "(no policy file)" : file.value().path.c_str(), loaded.policy->rule_count(),
                loaded.tests.size(), loaded.policy->profile().name.c_str(),
                loaded.policy->profile().shadow ? ", SHADOW: nothing is enforced" : "");
  } else {
    std::printf("%llu errors\n", static_cast<unsigned long long>(CountErrors(loaded)));
  }
  return good ? kExitFine : kExitRefused;
}

int RunPolicyTest(const PolicyCheckArgs& args) {
  const auto file = ReadPolicy(args.policy);
  if (!file.ok()) return CannotRun(file.error());
  const policy::LoadedPolicy& loaded = file.value().loaded;
  for (const auto& d : loaded.diagnostics) std::fprintf(stderr, "%s\n", d.ToString().c_str());
  if (loaded.policy == nullptr) return kExitCannotRun;
  if (loaded.tests.empty())
    return CannotRun(
        base::Error(base::ErrorCode::kPolicyMissing, "the policy has no tests: a suite that ran nothing is a failure"));
  std::vector<std::string> names;
  for (const auto& test : loaded.tests) {
    names.push_back(test.tool);
    for (const auto& seen : test.results) {
      if (!seen.tool.empty()) names.push_back(seen.tool);
    }
  }
  const auto catalogue = CatalogueFor(loaded.policy, {}, names);
  if (!catalogue.ok()) return CannotRun(catalogue.error());
  std::size_t failed = 0;
  for (const auto& test : loaded.tests) {
    const TestOutcome outcome = RunCase(test, loaded.policy, catalogue.value());
    if (!outcome.passed) ++failed;
    if (args.format == Format::kJson) {
      std::string out;
      base::JsonWriter w(out);
      w.BeginObject().Key("test").String(test.name).Key("line").Uint(test.line).Key("passed").Bool(outcome.passed);
      w.Key("want")
          .String(core::NameOf(test.want))
          .Key("got")
          .String(core::NameOf(outcome.decision.verdict))
          .EndObject();
      std::printf("%s\n", out.c_str());
    } else if (outcome.passed) {
      std::printf("ok    %s\n", test.name.c_str());
    } else {
      std::printf("FAIL  %s (line %u): want %s%s%s, got %s\n      %s\n", test.name.c_str(), test.line,
                  std::string(core::NameOf(test.want)).c_str(), test.want_rule.empty() ? "" : " by ",
                  test.want_rule.c_str(), std::string(core::NameOf(outcome.decision.verdict)).c_str(),
                  outcome.trouble.empty() ? outcome.decision.Explain(test.tool).c_str() : outcome.trouble.c_str());
    }
  }
  if (args.format == Format::kText) std::printf("%zu passed, %zu failed\n", loaded.tests.size() - failed, failed);
  return failed == 0 ? kExitFine : kExitRefused;
}

int RunPolicyExplain(const PolicyExplainArgs& args) {
  const auto policy = RequirePolicy(args.policy);
  if (policy == nullptr) return kExitCannotRun;
  const auto catalogue = CatalogueFor(policy, args.tools, {args.tool});
  if (!catalogue.ok()) return CannotRun(catalogue.error());
  const auto arguments = base::JsonDoc::Parse(args.arguments);
  if (!arguments.ok()) return CannotRun(arguments.error().Under("arguments"));
  gate::SessionState session(policy, {.principal = args.principal, .environment = args.environment});
  session.SetCatalogue(catalogue.value(), false);
  for (const std::string& label : args.seen) {
    const auto bits = policy->LabelFromName(label);
    if (!bits.has_value())
      return CannotRun(base::Error(base::ErrorCode::kUsage, "the policy has no label `" + label + "`"));
    session.MergeLabels(*bits);
  }
  const core::Decision decision =
      session.DecideNow({.id = "explain", .server = {}, .tool = args.tool, .arguments = arguments.value().root()}, {});
  if (args.format == Format::kJson) {
    std::string out;
    base::JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.policy.explain/v1").Key("tool").String(args.tool);
    w.Key("verdict")
        .String(core::NameOf(decision.verdict))
        .Key("reason")
        .String(core::IdOf(decision.reason))
        .Key("evidence")
        .BeginArray();
    for (const auto& e : decision.evidence) {
      w.BeginObject()
          .Key("layer")
          .String(core::NameOf(e.layer))
          .Key("reason")
          .String(core::IdOf(e.reason))
          .Key("verdict")
          .String(core::NameOf(e.verdict));
      w.Key("rule").String(e.rule).Key("argument").String(e.pointer).Key("text").String(e.text).EndObject();
    }
    w.EndArray().Key("errored_rules").BeginArray();
    for (const auto& rule : decision.errored_rules) w.String(rule);
    w.EndArray().EndObject();
    std::printf("%s\n", out.c_str());
  } else {
    std::printf("%s\n", decision.Explain(args.tool).c_str());
    for (const auto& e : decision.evidence) {
      std::printf("  %-8s %-20s %s%s%s%s\n", std::string(core::NameOf(e.verdict)).c_str(),
                  std::string(core::IdOf(e.reason)).c_str(), e.rule.empty() ? "" : ("rule " + e.rule + " ").c_str(),
                  e.pointer.empty() ? "" : ("at " + e.pointer + " ").c_str(), e.text.empty() ? "" : ": ",
                  e.text.c_str());
    }
    for (const auto& rule : decision.errored_rules) std::printf("  could not be evaluated: rule %s\n", rule.c_str());
  }
  return decision.verdict <= core::Verdict::kRewrite ? kExitFine : kExitRefused;
}

int RunPolicyAccept(const PolicyAcceptArgs& args) {
  std::error_code ignored;
  std::string policy_file = args.policy.file;
  if (policy_file.empty() && std::filesystem::exists("interlock.yaml", ignored)) policy_file = "interlock.yaml";
  const std::string path = PinsPath(args.pins, policy_file);
  const std::string held_path = path + ".held";
  if (!std::filesystem::exists(held_path, ignored)) {
    std::printf("nothing is held\n");
    return kExitFine;
  }
  // The lock that proxies take when they pin a first use: neither overwrites the other's pins.
  constexpr int kLockTries = 100;
  std::optional<platform::FileLock> lock;
  for (int i = 0; i < kLockTries && !lock.has_value(); ++i) {
    auto taken = platform::FileLock::TryAcquire(path + ".lock");
    if (taken.ok()) {
      lock.emplace(std::move(taken.value()));
    } else if (taken.error().code() != base::ErrorCode::kFileLocked || i + 1 == kLockTries) {
      return CannotRun(taken.error());
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  const auto held_bytes = platform::ReadFile(held_path, kMaxPinsBytes);
  if (!held_bytes.ok()) {
    if (held_bytes.error().code() != base::ErrorCode::kFileNotFound) return CannotRun(held_bytes.error());
    std::printf("nothing is held\n");
    return kExitFine;
  }
  const auto held = policy::Pins::Parse(held_bytes.value());
  if (!held.ok()) return CannotRun(held.error().Under(held_path));
  policy::Pins pins;
  if (const auto bytes = platform::ReadFile(path, kMaxPinsBytes); bytes.ok()) {
    auto parsed = policy::Pins::Parse(bytes.value());
    if (!parsed.ok()) return CannotRun(parsed.error().Under(path));
    pins = std::move(parsed.value());
  } else if (bytes.error().code() != base::ErrorCode::kFileNotFound) {
    return CannotRun(bytes.error());
  }
  if (!args.list && !args.all && args.tools.empty()) {
    return CannotRun(base::Error(base::ErrorCode::kUsage, "name the tools, or say --all; --list shows what is held"));
  }
  policy::Pins rest;
  std::size_t accepted = 0;
  std::size_t waiting = 0;
  for (const auto& [server, changes] : held.value().servers()) {
    const bool mine = args.server.empty() || server == args.server || server == args.server + "@accepted";
    if (changes.instructions.has_value()) {
      const bool take = mine && args.all && !args.list;
      if (args.list) std::printf("%s: instructions -> %s\n", server.c_str(), changes.instructions->ToHex().c_str());
      if (take) pins.PinInstructions(server, *changes.instructions);
      if (!take) rest.PinInstructions(server, *changes.instructions);
      ++(take ? accepted : waiting);
    }
    for (const auto& [tool, digest] : changes.tools) {
      const bool named = std::find(args.tools.begin(), args.tools.end(), tool) != args.tools.end();
      const bool take = mine && !args.list && (args.all || named);
      if (args.list) std::printf("%s: tool %s -> %s\n", server.c_str(), tool.c_str(), digest.ToHex().c_str());
      if (take) pins.PinTool(server, tool, digest);
      if (!take) rest.PinTool(server, tool, digest);
      ++(take ? accepted : waiting);
    }
  }
  if (args.list) {
    std::printf("%zu held\n", waiting);
    return kExitFine;
  }
  if (accepted == 0) {
    std::printf("nothing held fits; %zu are held\n", waiting);
    return kExitRefused;
  }
  // Pins first: a crash between the two leaves something offered that is accepted already, never the other way.
  if (const auto status = platform::AtomicWrite(path, pins.ToJson(), 0600); !status.ok())
    return CannotRun(status.error());
  const auto status =
      waiting == 0 ? platform::RemoveFile(held_path) : platform::AtomicWrite(held_path, rest.ToJson(), 0600);
  if (!status.ok()) return CannotRun(status.error());
  std::printf("accepted %zu definitions (%zu still held); running proxies take them at once\n", accepted, waiting);
  return kExitFine;
}

}  // namespace interlock::app
