// What is installed, what runs by itself, and which protections are taken down.
#include "code/open_settings.h"
#include "code/places.h"
#include "code/shell_analysis.h"
#include "code/walls.h"

namespace interlock::scan::code::shell {
namespace {

bool IsBuiltin(std::string_view program) {
  static constexpr FixedWords kBuiltins(std::to_array<std::string_view>(
      {"echo",         "printf",   "cd",      "test",    "[",         "[[",       "true",
       "false",        ":",        "export",  "set",     "unset",     "read",     "shift",
       "return",       "exit",     "local",   "declare", "readonly",  "typeset",  "let",
       "pwd",          "pushd",    "popd",    "alias",   "umask",     "wait",     "trap",
       "source",       ".",        "eval",    "exec",    "break",     "continue", "getopts",
       "hash",         "type",     "command", "shopt",   "setopt",    "ulimit",   "jobs",
       "bg",           "fg",       "builtin", "mapfile", "readarray", "complete", "sleep",
       "basename",     "dirname",  "date",    "seq",     "expr",      "yes",      "write-host",
       "write-output", "if",       "else",    "elseif",  "foreach",   "try",      "catch",
       "param",        "function", "throw",   "goto",    "rem",       "setlocal", "endlocal",
       "in",           "do",       "then",    "fi",      "done"}));
  return kBuiltins.Has(program);
}

// Takes the sight from whatever watches the machine: a scanner that looks away, records that are emptied. (Rights that
// an installer asks for, proxies and certificates of a company are another matter.)
bool Blinds(const ShellCommand& command, std::string_view program) {
  const auto says = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(command.words,
                               [&](const ShellWord& each) { return HasOneOf(LowerCase(each.text), parts); });
  };
  if (Is(program, {"set-mppreference", "add-mppreference"})) return says({"-exclusion", "-disable"});
  if (program == "spctl") return says({"--master-disable", "--global-disable"});
  if (program == "systemctl") return says({"auditd"});
  return program == "truncate" && says({"/var/log/wtmp", "/var/log/auth"});
}

bool NamesGuard(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& each) {
    return HasOneOf(LowerCase(each.text),
                    {"falco", "osquery", "auditd", "crowdstrike", "falcon-sensor", "clamd", "sentinelone", "sentineld",
                     "wazuh", "ossec", "sysmon", "msmpeng", "defender", "cbdaemon", "littlesnitch", "little snitch",
                     "lulu", "blockblock", "rsyslogd"});
  });
}

// An agent that is started with its questions switched off.
bool Unleashes(const ShellCommand& command, std::string_view program) {
  if (!Is(program, {"claude", "gemini", "codex", "q", "cursor-agent", "aider", "amp", "opencode", "copilot", "goose",
                    "qwen", "crush"})) {
    return false;
  }
  return std::ranges::any_of(command.words, [](const ShellWord& each) {
    return IsFreeFlag(each.text) || Is(each.text, {"--yes-always", "--full-auto"});
  });
}

bool SeeksSecrets(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& each) { return NamesLoot(each.text); });
}

// The record of what was done here.
bool ClearsTraces(const ShellCommand& command, std::string_view program) {
  const auto has = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(command.words,
                               [&](const ShellWord& each) { return HasOneOf(LowerCase(each.text), parts); });
  };
  if (program == "journalctl") return has({"--vacuum-time=1s", "--vacuum-size=1", "--vacuum-time=0"});
  if (program == "wevtutil") return command.words.size() > 1 && has({"cl", "clear-log"});
  if (program == "clear-eventlog" || program == "remove-eventlog") return true;
  if (Is(program, {"truncate", "shred", "rm", "unlink", "srm"})) {
    return std::ranges::any_of(command.words, [](const ShellWord& each) { return IsRecordPath(LowerCase(each.text)); });
  }
  return false;
}

// Something is set up that runs again by itself.
bool RunsAgain(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) {
    return i < command.words.size() ? LowerCase(command.words[i].text) : std::string();
  };
  return (program == "schtasks" && HasFlag(command, {"/create", "/Create", "/CREATE"})) ||
         program == "register-scheduledtask" || (program == "at" && command.pipe_from != kNone) ||
         (program == "reg" && word(1) == "add" && Has(word(2), "\\run")) ||
         (Is(program, {"new-itemproperty", "set-itemproperty"}) &&
          std::ranges::any_of(
              command.words, [](const ShellWord& each) { return Has(LowerCase(each.text), "currentversion\\run"); })) ||
         (Is(program, {"new-ciminstance", "set-wmiinstance", "register-wmievent"}) &&
          std::ranges::any_of(command.words,
                              [](const ShellWord& each) { return Has(LowerCase(each.text), "eventconsumer"); })) ||
         (program == "update-rc.d") || (program == "git" && word(1) == "config" && GitRuns(command));
}

bool PlausibleProgram(std::string_view text) {
  if (text.empty() || text.size() > 128) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/' || c == '+' || c == '~' || c == '\\' || c == ':' || c == '@';
  });
}

// Whether each package that an installer is given from word `at` on has its version, and there is one.
bool AsksExactly(const ShellCommand& command, std::size_t at) {
  bool any = false;
  for (std::size_t i = at; i < command.words.size(); ++i) {
    const std::string_view text = command.words[i].text;
    if (text.empty()) continue;
    if (text.front() == '-') {
      const bool file = Is(text, {"-r", "--requirement"});
      any = any || file;
      if (file || Is(text, {"-i", "--index-url", "--extra-index-url", "--target", "-t", "--prefix", "--registry", "-c",
                            "--constraint", "--trusted-host", "--root", "--cache-dir"})) {
        ++i;
      }
      continue;
    }
    // kit@1.4.2, kit==1.4; kit@1 is whatever is the newest of them.
    const std::size_t version = text.find('@', 1);
    const std::string_view said = version == std::string_view::npos ? std::string_view() : text.substr(version + 1);
    const std::size_t pinned = text.find("==");
    const bool exact =
        (pinned != std::string_view::npos && text.substr(pinned + 2, 1).find_first_of("0123456789") == 0) ||
        (!said.empty() && said[0] >= '0' && said[0] <= '9' && said.find('.') != std::string_view::npos);
    if (!exact) return false;
    any = true;
  }
  return any;
}

}  // namespace

bool Analysis::Install(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string_view(); };
  std::size_t at = 0;
  auto verb = [&](std::size_t i, std::initializer_list<std::string_view> verbs) {
    while (i < count && word(i).starts_with('-')) ++i;
    if (!IsAmong(word(i), verbs)) return false;
    at = i + 1;
    return true;
  };
  bool python = program.starts_with("python") && word(1) == "-m" && word(2) == "pip";
  bool found = false;
  if (program == "pip" || program == "pip3" || program.starts_with("pip3.") || program == "pipx" || program == "gem" ||
      program == "cargo" || program == "go" || program == "conda" || program == "mamba" || program == "brew" ||
      program == "choco" || program == "winget" || program == "scoop" || program == "snap" || program == "flatpak" ||
      program == "apt" || program == "apt-get" || program == "dnf" || program == "yum" || program == "zypper" ||
      program == "port" || program == "microdnf" || program == "install-module" || program == "poetry") {
    found = verb(1, {"install", "add", "localinstall", "groupinstall", "reinstall"});
    if (program == "pipx" && !found) found = verb(1, {"run"});
  } else if (python) {
    found = verb(3, {"install"});
  } else if (program == "uv") {
    found = word(1) == "pip" ? verb(2, {"install", "sync"}) : verb(1, {"add", "sync"});
    if (!found && word(1) == "tool") found = verb(2, {"install", "run"});
  } else if (program == "npm" || program == "pnpm" || program == "yarn" || program == "bun") {
    found = verb(1, {"install", "i", "add", "ci", "exec", "dlx", "x"});
  } else if (program == "npx" || program == "uvx" || program == "bunx" || program == "pnpx") {
    at = 1;
    while (at < count && word(at).starts_with('-')) ++at;
    if (at < count) Emit(ShellAct::kInstall, index, std::string(word(at)), Has(word(at), "://") ? 1 : 0);
    return at < count;
  } else if (program == "apk") {
    found = verb(1, {"add"});
  } else if (program == "pacman" || program == "yay") {
    found = word(1).starts_with("-S") || word(1).starts_with("-U");
    at = 2;
  } else if (program == "dpkg" || program == "rpm" || program == "installer") {
    found = HasFlag(command, {"-i", "-ivh", "-Uvh", "--install", "-pkg", "-U"});
    at = 1;
  } else if (program == "code" || program == "cursor" || program == "claude") {
    if (HasFlag(command, {"--install-extension"})) {
      at = 1;
      found = true;
    }
  }
  if (!found) return false;
  bool any = false;
  std::uint8_t gravity = 0;
  for (std::size_t i = at; i < count; ++i) {
    // npm install kit --registry=https://stranger: what that host gives is run on being installed.
    const std::size_t equal = word(i).find('=');
    const std::string_view name = word(i).substr(0, equal);
    if (!Is(name, {"--registry", "--index-url"}) || (equal == std::string_view::npos && i + 1 >= count)) continue;
    const std::string url(equal == std::string_view::npos ? word(i + 1) : word(i).substr(equal + 1));
    const std::string host = HostOf(url);
    if (Has(url, std::string_view(&kUnknownChar, 1)) || !Has(host, ".") || IsLocalHost(host) || IsMirror(host))
      continue;
    // An index of one's own that answers for exact versions is a place of packages, not a program.
    if (url.starts_with("https://") && AsksExactly(command, at)) continue;
    Emit(ShellAct::kFetchAndRun, index, url, url.starts_with("http://") ? 2 : 0);
  }
  for (std::size_t i = at; i < count; ++i) {
    if (Is(word(i), {"--trusted-host"}) || (word(i).starts_with("--index-url=http://")) ||
        ((word(i) == "--index-url" || word(i) == "-i" || word(i) == "--extra-index-url") &&
         word(i + 1).starts_with("http://"))) {
      gravity = 1;
    }
  }
  for (std::size_t i = at; i < count && i < at + 64; ++i) {
    std::string_view text = word(i);
    if (text.empty()) continue;
    if (text[0] == '-') {
      if (Is(text, {"-r", "--requirement", "-e", "--editable", "-c"}) && i + 1 < count) {
        Emit(ShellAct::kInstall, index, std::string(text) + " " + std::string(word(i + 1)), gravity);
        any = true;
        ++i;
      } else if (Is(text, {"-i", "--index-url", "--extra-index-url", "--target", "-t", "--prefix", "--registry",
                           "--version", "--trusted-host", "--python", "-p", "-n", "--root", "--cache-dir"}) &&
                 program != "apt" && program != "apt-get" && program != "dpkg") {
        ++i;
      }
      continue;
    }
    bool address = Has(text, "://") || text.starts_with("git+");
    std::uint8_t own = gravity;
    if (address) own = std::max<std::uint8_t>(own, text.find("http://") != std::string_view::npos ? 2 : 1);
    ShellUse& use = Emit(ShellAct::kInstall, index, std::string(text), own);
    if (const Taint* file = File(command.words[i].text, command.words[i].variables); file != nullptr && file->fetched) {
      use.steps.emplace_back(file->fetch_loc, "fetches " + Shown(file->url));
      // A package under whatever name, put over another one or fetched where anybody may exchange it.
      const bool forced = HasFlag(command, {"--force-reinstall", "--no-deps", "--break-system-packages", "--force"});
      if ((python || program.starts_with("pip") || program == "uv" || program == "npm") &&
          (forced || file->url.starts_with("http://"))) {
        RunTaint(index, Taint(*file));
      }
    }
    any = true;
  }
  if (!any) Emit(ShellAct::kInstall, index, "", gravity);
  return true;
}

// `exec 5<>/dev/tcp/h/p`, and something that reads or writes that descriptor while a shell or an unknown program runs.
void Analysis::RunsOverSocket(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  if (socket_.empty()) return;
  bool on_socket = false;
  for (const auto& [op, target] : command.redirects) {
    on_socket |= (op == "<&" || op == ">&") && !target.text.empty() && target.text[0] >= '3' && target.text[0] <= '9';
  }
  bool unknown = !command.words.empty() && !command.words[0].constant;
  if (on_socket && (IsShell(program) || unknown || program == "eval")) {
    Emit(ShellAct::kReverseShell, index, socket_, 2);
    socket_.clear();
  }
}

bool Analysis::SetsCrontab(std::uint32_t index, std::string_view program) {
  if (program != "crontab") return false;
  const ShellCommand& command = script_.commands[index];
  bool list = HasFlag(command, {"-l", "-e"});  // -e asks the user
  bool remove = HasFlag(command, {"-r"});
  if (list || remove) return true;
  std::optional<std::string> content;
  std::string all;
  if (command.pipe_from < index) {
    std::uint32_t first = command.pipe_first == kNone ? command.pipe_from : command.pipe_first;
    for (std::uint32_t i = first; i <= command.pipe_from && i < first + 16; ++i) {
      unsigned decodes = 0;
      if (auto text = ConstantOutput(script_, i, decodes)) all += *text + "\n";
    }
  }
  for (const auto& [op, body] : command.redirects) {
    if (op == "<<" || op == "<<<") all += body.text;
  }
  ShellUse& use = Emit(ShellAct::kWriteStartup, index, "crontab",
                       std::max<std::uint8_t>(1, StartupGravity("crontab", all, !all.empty())));
  use.content = all.substr(0, 4096);
  return true;
}

// What of the system runs, and what of it no longer does.
bool Analysis::StartsOrStops(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  const auto word = [&](std::size_t i) { return LowerCase(raw(i)); };
  if (program == "systemctl" && (word(1) == "enable" || (word(1) == "--user" && word(2) == "enable"))) {
    Emit(ShellAct::kWriteStartup, index, "systemctl enable " + raw(count - 1), 0);
  } else if (Is(program, {"pkill", "killall", "taskkill", "kill"}) && NamesGuard(command)) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(count - 1), 2);
  } else if (Unleashes(command, program)) {
    Emit(ShellAct::kUnleash, index, std::string(program), SeeksSecrets(command) ? 2 : 0);
  } else if (ClearsTraces(command, program)) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(count - 1), Blinds(command, program) ? 3 : 2);
  } else if ((program == "systemctl" && StopsGuard(command)) ||
             (Is(program, {"kubectl", "oc"}) && StopsGuardOfCluster(command))) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(1) + " " + raw(count - 1),
         Blinds(command, program) ? 3 : 2);
  } else if (program == "launchctl" && Is(word(1), {"load", "bootstrap", "submit"})) {
    Emit(ShellAct::kWriteStartup, index, "launchctl " + raw(count - 1), 1);
  } else {
    return false;
  }
  return true;
}

bool Analysis::Schedules(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (!RunsAgain(command, program)) return false;
  const bool everywhere = program != "git" || HasFlag(command, {"--global", "--system"});
  std::string given;
  for (std::size_t i = 1; i < count; ++i) given += LowerCase(command.words[i].text) + "\n";
  const bool fetches = HasOneOf(
      given, {"curl ", "wget ", "iwr ", "iex ", "invoke-webrequest", "downloadstring", "/dev/tcp/", "eventconsumer"});
  // git clone https://host/hooks ~/.hooks; git config --global core.hooksPath ~/.hooks
  const bool fetched = program == "git" && OfUnpacked(command.words.back()).fetched;
  ShellUse& use = Emit(ShellAct::kWriteStartup, index, std::string(program) + " " + raw(count - 1),
                       fetches || (fetched && everywhere) ? 2
                       : everywhere                       ? 1
                                                          : 0);
  use.content = given.substr(0, 4096);
  if (const std::string to = HelperSends(command); !to.empty()) Emit(ShellAct::kSendSecret, index, to, 2);
  return true;
}

// What agents have of servers, and where what others send goes.
bool Analysis::LeadsElsewhere(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  const auto word = [&](std::size_t i) { return LowerCase(raw(i)); };
  if (Is(program, {"claude", "codex", "gemini", "cursor", "code", "opencode"}) &&
      ((word(1) == "mcp" && Is(word(2), {"add", "add-json", "add-from-claude-desktop"})) ||
       HasFlag(command, {"--add-mcp"}) || (word(1) == "config" && Is(word(2), {"set", "add"})))) {
    Emit(ShellAct::kWriteAgent, index, std::string(program) + " " + raw(1) + " " + raw(2) + " " + raw(3), 1);
  } else if (const std::string host = PushedWithKey(command, program); !host.empty()) {
    Emit(ShellAct::kSendTaken, index, host, 1);
  } else if (Reroutes(command, program)) {
    const auto to = std::ranges::find_if(command.words.rbegin(), command.words.rend() - 1,
                                         [](const ShellWord& each) { return !each.text.starts_with('-'); });
    Emit(ShellAct::kPermission, index,
         std::string(program) + " has what others fetch or send go through " +
             (to == command.words.rend() - 1 ? raw(count - 1) : to->text),
         2);
  } else {
    return false;
  }
  return true;
}

// Who may do what with a file.
bool Analysis::Permits(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  const auto word = [&](std::size_t i) { return LowerCase(raw(i)); };
  if (program == "chmod") {
    std::vector<const ShellWord*> operands = Operands(command);
    std::string mode = operands.empty() ? std::string() : operands[0]->text;
    bool all = mode == "777" || mode == "0777" || mode == "a+rwx" || mode == "ugo+rwx" || mode == "666" ||
               mode == "o+w" || mode == "a+w";
    bool set_id = Has(mode, "+s") || (mode.size() == 4 && mode[0] >= '2' && mode[0] <= '7' && mode[0] != '1');
    for (std::size_t i = 1; i < operands.size(); ++i) {
      std::uint8_t gravity = set_id ? 2 : DeleteGravity(operands[i]->text) == 2 ? 2 : 1;
      if (all || set_id) Emit(ShellAct::kPermission, index, "chmod " + mode + " " + operands[i]->text, gravity);
    }
  } else if (program == "xattr") {
    bool quarantine = false;
    for (const ShellWord& each : command.words) quarantine |= Has(each.text, "com.apple.quarantine");
    bool clear = HasFlag(command, {"-c", "-cr", "-rc"});
    if ((quarantine && HasFlag(command, {"-d", "-dr", "-rd"})) || clear) {
      // Libraries that the package itself brought along are its own to clear; a program that was fetched is not.
      const bool own = Has(word(count - 1), "node_modules") || Has(word(count - 1), "site-packages");
      Emit(ShellAct::kPermission, index, "xattr " + raw(count - 1), own ? 1 : 2);
    }
  } else if (program == "chattr" && HasFlag(command, {"+i", "+ia", "+a"}) && IsStartupPath(raw(count - 1))) {
    Emit(ShellAct::kPermission, index, "chattr " + raw(1) + " " + raw(count - 1), 2);
  } else if (Is(program, {"sed", "gsed"}) && HasFlag(command, {"-i", "-i.bak", "-i''", "--in-place"}) &&
             HasOneOf(raw(count - 1), {"/etc/pam.d/", "/etc/sudoers", "/etc/ssh/sshd_config"})) {
    Emit(ShellAct::kPermission, index, "edits " + raw(count - 1), 2);
  } else {
    return false;
  }
  return true;
}

// iptables -F, and further down `iptables -P INPUT DROP`: rules are written anew, and nothing is let in or out but what
// they name. The last word on it counts.
static bool ClosesAgain(const ShellScript& script, std::size_t index) {
  bool closed = false;
  for (std::size_t i = index + 1; i < script.commands.size(); ++i) {
    const ShellCommand& later = script.commands[i];
    if (later.words.empty() || ProgramOf(later) != "iptables") continue;
    const bool policy = HasFlag(later, {"-P", "--policy"}) && HasFlag(later, {"INPUT", "OUTPUT"});
    if (policy) closed = HasFlag(later, {"DROP", "REJECT"});
    if (HasFlag(later, {"-F", "--flush"}) && !HasFlag(later, {"-t"})) closed = false;
  }
  return closed;
}

// Protections of the system and of programs, and whom they trust.
bool Analysis::LowersGuard(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  const auto word = [&](std::size_t i) { return LowerCase(raw(i)); };
  if ((program == "spctl" && HasFlag(command, {"--master-disable", "--global-disable"})) ||
      (program == "csrutil" && word(1) == "disable") ||
      (program == "setenforce" && (raw(1) == "0" || word(1) == "permissive")) ||
      (program == "ufw" && HasFlag(command, {"disable"})) ||
      (program == "iptables" && HasFlag(command, {"-F", "--flush"}) && !ClosesAgain(script_, index)) ||
      (program == "netsh" && word(1) == "advfirewall" && HasFlag(command, {"off"})) ||
      (Is(program, {"set-mppreference", "add-mppreference"}) &&
       HasOneOf(SaidBy(command), {"-exclusion", "-disable", "-maps", "-submitsamples", "-puaprotection", "allow"})) ||
      (program == "auditctl" && HasFlag(command, {"-e"}) && HasFlag(command, {"0"}))) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(1), Blinds(command, program) ? 3 : 2);
  } else if ((program == "set-executionpolicy" && count > 1) ||
             (program == "history" && HasFlag(command, {"-c", "-cw"})) ||
             (program == "unset" && raw(1) == "HISTFILE") ||
             (program == "usermod" && HasFlag(command, {"sudo", "wheel", "root"})) || program == "visudo" ||
             (program == "git" && word(1) == "config" && HasFlag(command, {"http.sslVerify", "http.sslverify"}) &&
              HasFlag(command, {"false"})) ||
             program == "update-ca-certificates" || program == "update-ca-trust" ||
             (program == "security" && word(1) == "add-trusted-cert") ||
             (program == "certutil" && HasFlag(command, {"-addstore"})) ||
             (program == "npm" && word(1) == "config" && HasFlag(command, {"strict-ssl"})) || program == "setcap") {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(1), 1);
  } else {
    return false;
  }
  return true;
}

// What keeps clouds, forges, data bases and machines safe, by the commands that take it down.
bool Analysis::TakesDown(std::uint32_t index, std::string_view program) {
  if (!MayTakeDown(program)) return false;
  const ShellCommand& command = script_.commands[index];
  std::string said = SaidBy(command);
  for (const auto& [op, target] : command.redirects) {
    if (op.starts_with('>')) said += LowerCase(target.text) + " ";
  }
  const Wall* const wall = WallOfCommand(program, said);
  if (wall == nullptr) return false;
  std::string shown;
  for (const ShellWord& each : command.words) shown += (shown.empty() ? "" : " ") + each.text;
  Emit(ShellAct::kTakeDown, index, shown.substr(0, 100)).content = wall->key;
  return true;
}

// Start-up, the agent's own configuration, protections; and, for the rest, that it runs.
void Analysis::System(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  auto word = [&](std::size_t i) { return LowerCase(raw(i)); };
  for (const auto& [name, value] : command.assignments) {
    if (LeavesPeersUnasked(name, value.text) || name == "LD_PRELOAD" ||
        (name == "HISTFILE" && (value.text == "/dev/null" || value.text.empty())) ||
        (name == "HISTSIZE" && value.text == "0")) {
      Emit(ShellAct::kPermission, index, std::string(name) + "=" + value.text, 1);
    }
  }
  RunsOverSocket(index, program);
  if (index == 0) Bombs();
  if (program.empty()) {
    Overpowers(index, program);  // by its words, whatever it is called
    return;
  }
  if (Install(index, program)) return;
  const bool reported = Diverts(index, program) || Overpowers(index, program) || HandsOver(index, program) ||
                        Ruins(index, program) || LocksFiles(index, program) ||
                        (script_.dialect == ShellDialect::kPowerShell && Windows(index, program)) ||
                        SetsCrontab(index, program) || StartsOrStops(index, program) || Schedules(index, program) ||
                        LeadsElsewhere(index, program) || Permits(index, program) || LowersGuard(index, program) ||
                        TakesDown(index, program);
  if ((program == "env" || program == "printenv") && (count == 1 || raw(1) == "-0")) {
    Emit(ShellAct::kReadEnvironment, index, std::string(program));
  } else if ((program == "export" && raw(1) == "-p") ||
             (Is(program, {"gci", "get-childitem", "dir", "ls"}) && word(1).starts_with("env:"))) {
    Emit(ShellAct::kReadEnvironment, index, std::string(program));
  }
  (void)input;
  if (reported || IsBuiltin(program) || functions_.contains(raw(0)) || TransferOf(command, program).is_transfer) return;
  if (!PlausibleProgram(raw(0)) || !seen_.insert(raw(0)).second) return;
  Emit(ShellAct::kRun, index, raw(0));
}

}  // namespace interlock::scan::code::shell
