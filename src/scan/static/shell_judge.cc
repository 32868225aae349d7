// What a shell does, judged by where it stands. The host's kind and whether it is the maker's own is weighed in
// verdict.cc.
#include "static/shell_judge.h"

#include <algorithm>
#include <array>

#include "code/walls.h"
#include "fmt/format.h"
#include "interlock/base/find_bytes.h"
#include "static/ascii.h"
#include "static/build_pieces.h"
#include "static/undisclosed.h"

namespace interlock::scan {
namespace {

using code::ShellAct;
using code::ShellUse;
using core::Permission;

constexpr double kNowhereToGo = 0.95;  // a command whose host was taken out fetches nothing

struct Row {
  ShellAct act;
  std::string_view rule;
  // Scale by gravity 0, 1, 2; 0: no finding.
  double scale[3];
  std::string_view what;
};

constexpr Row kRows[] = {
    {ShellAct::kFetchAndRun, "SH-001", {0.8, 0.9, 1.2}, "fetches {} and runs it"},
    {ShellAct::kDecodeAndRun, "SH-002", {0.9, 1.0, 1.1}, "decodes hidden text and runs it: {}"},
    {ShellAct::kReverseShell, "SH-003", {1.0, 1.0, 1.0}, "opens a shell to {}"},
    {ShellAct::kSendSecret, "SH-004", {0.9, 1.0, 1.1}, "sends secrets to {}"},
    {ShellAct::kWriteStartup, "SH-005", {0.0, 0.7, 1.2}, "writes {}, which runs again later"},
    {ShellAct::kWriteAgent, "SH-006", {0.0, 0.35, 1.2}, "changes the agent's own settings or memory: {}"},
    {ShellAct::kDelete, "SH-007", {0.0, 0.0, 1.25}, "deletes {}"},
    {ShellAct::kPermission, "SH-008", {0.0, 0.6, 1.2}, "weakens protection: {}"},
    {ShellAct::kTakeover, "SH-010", {0.5, 0.7, 1.0}, "takes over the host: {}"},
    {ShellAct::kMine, "SH-011", {1.0, 1.0, 1.0}, "works for a mining pool: {}"},
    {ShellAct::kInject, "SH-012", {0.6, 0.8, 1.0}, "makes calls in another process: {}"},
    {ShellAct::kRunArgument, "VULN-001", {1.0, 1.0, 1.0}, "puts an argument into a text that it runs, by {}"},
    {ShellAct::kUncheckedPeer,
     "VULN-007",
     {1.0, 1.0, 1.0},
     "sends a credential to {} without asking whose certificate it is"},
    {ShellAct::kGrant, "SH-014", {0.0, 0.8, 1.15}, "gives somebody access whose name stands here: {}"},
    {ShellAct::kSendTaken, "SH-015", {0.0, 0.9, 1.1}, "sends what the user sees or keeps to {}"},
    {ShellAct::kRuin, "SH-016", {0.0, 0.7, 1.1}, "destroys {}"},
    {ShellAct::kDivert, "DIVERT-001", {1.0, 1.0, 1.0}, "puts its own payment address in another's place: {}"},
    {ShellAct::kShowSecret, "SH-004", {0.7, 0.7, 0.9}, "prints the whole environment in other letters, by {}"},
    {ShellAct::kUnleash, "SH-013", {0.0, 0.3, 1.0}, "has {} look for secrets, with its questions off"},
};

void AddUse(Permission permission, const ShellUse& act, const ShellContext& context,
            std::vector<code::CapabilityUse>& uses, std::string_view callee) {
  code::CapabilityUse use;
  use.permission = permission;
  use.file = context.file;
  use.loc = {static_cast<std::uint32_t>(context.offset + act.loc.begin),
             static_cast<std::uint32_t>(context.offset + act.loc.end)};
  if (context.whole.end > context.whole.begin) {
    use.loc = {static_cast<std::uint32_t>(context.whole.begin), static_cast<std::uint32_t>(context.whole.end)};
  }
  use.callee = callee;
  use.detail = act.detail;
  use.obfuscation = act.obfuscation;
  uses.push_back(std::move(use));
}

void AddUses(const ShellUse& act, const ShellContext& context, std::vector<code::CapabilityUse>& uses) {
  switch (act.act) {
    case ShellAct::kFetch:
    case ShellAct::kSend:
    case ShellAct::kInstall:
      AddUse(Permission::kNetworkEgress, act, context, uses, "shell");
      break;
    case ShellAct::kFetchAndRun:
    case ShellAct::kReverseShell:
      AddUse(Permission::kNetworkEgress, act, context, uses, "shell");
      AddUse(Permission::kDynamicCode, act, context, uses, "shell");
      break;
    case ShellAct::kSendSecret:
      AddUse(Permission::kNetworkEgress, act, context, uses, "shell");
      AddUse(Permission::kSecretsRead, act, context, uses, "shell");
      break;
    case ShellAct::kSendTaken:
      AddUse(Permission::kNetworkEgress, act, context, uses, "shell");
      AddUse(Permission::kFilesystemRead, act, context, uses, "shell");
      break;
    case ShellAct::kDecodeAndRun:
      AddUse(Permission::kDynamicCode, act, context, uses, "shell");
      break;
    case ShellAct::kRun:
    case ShellAct::kTakeover:
    case ShellAct::kMine:
    case ShellAct::kInject:
    case ShellAct::kTakeDown:
    case ShellAct::kGrant:
    case ShellAct::kUnleash:
    case ShellAct::kDivert:
    case ShellAct::kRunArgument:
      AddUse(Permission::kSubprocess, act, context, uses, "shell");
      break;
    case ShellAct::kReadSecret:
      AddUse(Permission::kSecretsRead, act, context, uses, "shell");
      break;
    case ShellAct::kWriteFile:
    case ShellAct::kWriteStartup:
    case ShellAct::kRuin:
    case ShellAct::kDelete:
    case ShellAct::kPermission:
      AddUse(Permission::kFilesystemWrite, act, context, uses, "shell");
      break;
    case ShellAct::kWriteAgent:
      AddUse(Permission::kMemoryWrite, act, context, uses, "shell");
      break;
    case ShellAct::kShowSecret:
    case ShellAct::kReadEnvironment:
      AddUse(Permission::kEnvironmentRead, act, context, uses, "shell");
      break;
    case ShellAct::kUncheckedPeer:
      break;
    case ShellAct::kListen:
      AddUse(Permission::kNetworkIngress, act, context, uses, "shell");
      break;
  }
}

base::ByteSpan Place(const code::Loc& loc, const ShellContext& context) {
  if (context.map != nullptr && !context.map->empty()) {
    const auto at = [&](std::size_t offset) -> std::size_t {
      return (*context.map)[std::min(offset, context.map->size() - 1)];
    };
    return {at(loc.begin), at(loc.end > loc.begin ? loc.end - 1 : loc.begin) + 1};
  }
  if (context.whole.end > context.whole.begin) return context.whole;
  return {context.offset + loc.begin, context.offset + loc.end};
}

bool HasHost(ShellAct act) {
  return act == ShellAct::kFetch || act == ShellAct::kFetchAndRun || act == ShellAct::kSend ||
         act == ShellAct::kSendSecret || act == ShellAct::kSendTaken || act == ShellAct::kReverseShell;
}

}  // namespace

bool KeepsFetching(const ShellUse& act) {
  if (act.act != ShellAct::kWriteStartup || act.gravity < 2) return false;
  const auto says = [&](std::string_view word) { return act.content.find(word) != std::string::npos; };
  const bool piped = (says("curl") || says("wget")) && says("|");
  const bool cradle = (says("iex") || says("invoke-expression")) &&
                      (says("iwr") || says("irm") || says("download") || says("invoke-webrequest"));
  return piped || cradle || says("LD_PRELOAD");
}

// A job of the machine's own scheduler, under a name that is not the system's.
static bool IsSchedule(std::string_view path) {
  const std::string lower = LowerCase(path);
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  return (has("launchagents/") || has("systemd/") || has("autostart/") || has("cron")) &&
         !(has("com.apple.") || has("com.microsoft.") || has("com.google."));
}

bool IsGrave(const ShellUse& act) {
  switch (act.act) {
    case ShellAct::kFetchAndRun:
    case ShellAct::kSendSecret:
    case ShellAct::kReverseShell:
    case ShellAct::kDecodeAndRun:
    case ShellAct::kSendTaken:
      return true;
    default:
      return KeepsFetching(act);
  }
}

std::string ScriptOfStatements(std::string_view statements) {
  constexpr std::string_view kEnd = "END_OF_STATEMENTS";
  std::string out = "psql <<'";
  out.append(kEnd).append("'\n").append(statements);
  if (!out.ends_with('\n')) out += '\n';
  return out.append(kEnd).append("\n");
}

bool NamesProgramOfCommands(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kPrograms = {"curl ",      "wget ",     "iwr ",       "irm ",
                                                                 "base64 ",    "/dev/tcp/", "nc ",        "ncat ",
                                                                 "powershell", "invoke-",   "python3 -c", "openssl "};
  return std::ranges::any_of(kPrograms, [&](std::string_view one) { return base::HasBytes(text, one); });
}

void JudgeShell(std::span<const ShellUse> acts, const ShellContext& context, std::vector<RawFinding>& out,
                std::vector<code::CapabilityUse>* uses) {
  for (const ShellUse& act : acts) {
    if (uses != nullptr) AddUses(act, context, *uses);
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.act == act.act; });
    RawFinding finding;
    if (row != std::end(kRows)) {
      finding.rule = row->rule;
      finding.scale = row->scale[std::min<int>(act.gravity, 2)];
      finding.message = fmt::format(fmt::runtime(row->what), act.detail.empty() ? "something" : act.detail);
    } else if (const code::Wall* const wall = act.act == ShellAct::kTakeDown ? code::WallNamed(act.content) : nullptr;
               wall != nullptr) {
      finding = OfWall(*wall, act.detail);
    } else if (act.act == ShellAct::kFetch || act.act == ShellAct::kSend) {
      // Fetching is honest; from a bare address, a paste site or a tunnel it is worth a word.
      const HostKind kind = KindOfHost(act.detail);
      const bool app = act.act == ShellAct::kSend && kind == HostKind::kOrdinary && RunsAnybodysProgram(act.detail);
      if (kind != HostKind::kRawAddress && kind != HostKind::kPaste && kind != HostKind::kTunnel && !app) continue;
      finding.rule = "SH-009";
      finding.scale = app ? 1.9 : act.act == ShellAct::kSend ? 1.3 : 0.8;
      finding.message = fmt::format("{} {}, where nobody answers for what lies there",
                                    act.act == ShellAct::kSend ? "sends data to" : "fetches from", act.detail);
      // A bot whose token does not stand here is the user's own.
      if (act.detail.find("api.telegram.org/bot*") != std::string::npos) finding.host = act.detail;
    } else if (act.act == ShellAct::kInstall && act.gravity > 0 && act.detail.find("://") != std::string::npos) {
      // A package from a bare address is run on being installed, and nobody vouches for it.
      const HostKind kind = KindOfHost(act.detail);
      const bool package = act.detail.find(".whl") != std::string::npos ||
                           act.detail.find(".tgz") != std::string::npos || act.detail.starts_with("git+") ||
                           act.detail.find(".tar.gz") != std::string::npos;
      if (kind == HostKind::kForge || kind == HostKind::kRegistry || kind == HostKind::kLocal ||
          kind == HostKind::kInstaller || (kind == HostKind::kOrdinary && !package)) {
        continue;
      }
      finding.rule = "SH-001";
      finding.scale = 0.6;
      finding.host = act.detail;
      finding.message = fmt::format("installs a package from {}", act.detail);
    } else if (act.act == ShellAct::kWriteFile && IsPipelinePath(LowerCase(act.detail)) &&
               SendsAllSecrets(LowerCase(act.content)) != std::string_view::npos) {
      finding.rule = "SH-004";
      finding.scale = 0.95;
      finding.message = fmt::format("writes {}, which sends all secrets of a repository", act.detail);
    } else {
      continue;
    }
    if (finding.scale == 0.0) continue;
    // What runs again by itself fetches a program each time.
    if (KeepsFetching(act) || act.gravity > 2) finding.severity = core::Severity::kCritical;
    // To be weighed beside what the package says (static/undisclosed.cc).
    const bool quiet = act.act == ShellAct::kWriteStartup && act.gravity < 2 &&
                       (context.place == ShellPlace::kScript || context.place == ShellPlace::kCodeString);
    if (quiet && IsSchedule(act.detail)) finding.subject = kScheduled;
    if (act.act == ShellAct::kInject && act.detail.starts_with("machine code"))
      finding.severity = core::Severity::kCritical;
    if (act.act == ShellAct::kUncheckedPeer) finding.severity = core::Severity::kHigh;
    if (act.obfuscation >= 2) finding.scale *= 1.3;
    // Nobody types the command of a hook: it runs unseen.
    if (context.place == ShellPlace::kHook) finding.scale *= 1.35;
    finding.file = context.file;
    finding.bytes = Place(act.loc, context);
    finding.decoded = act.decoded;
    // A shell in the network around is still somebody else's; only the machine itself is nobody.
    const bool near = act.act == ShellAct::kReverseShell && KindOfHost(act.detail) == HostKind::kLocal &&
                      !act.detail.starts_with("127.") && !act.detail.starts_with("localhost");
    if (HasHost(act.act) && !near) finding.host = act.detail;
    // A document that shows a command is not yet a program that runs it.
    finding.told = context.place == ShellPlace::kInstruction;
    if (finding.told && act.act != ShellAct::kReverseShell) finding.scale *= 0.75;
    finding.described = context.described;
    if (finding.told && HasHost(act.act) && IsPlaceholderHost(act.detail)) {
      finding.described = std::max(finding.described, kNowhereToGo);
    }
    finding.has_reach = context.has_reach;
    finding.reach = context.reach;
    if (act.act == ShellAct::kRunArgument && act.gravity > 0 && context.serves) {
      finding.has_reach = true;
      finding.reach = core::Reach::kTool;
    }
    for (const auto& [loc, text] : act.steps) {
      finding.flow.push_back({context.file, static_cast<std::uint32_t>(Place(loc, context).begin), text});
    }
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
