// What a script was called with and puts into texts that it runs; and where it has other programs fetch from.
#include <algorithm>
#include <cctype>

#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {

// Where other programs fetch from, or send to, from now on: a host that stands here and is nobody's mirror.
bool Reroutes(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) {
    return i < command.words.size() ? Lower(command.words[i].text) : std::string();
  };
  bool sets = false;
  if (Is(program, {"npm", "pnpm", "yarn", "bun"})) {
    sets = word(1) == "config" && word(2) == "set" && HasOneOf(word(3), {"registry", "proxy"});
  } else if (Is(program, {"pip", "pip3"})) {
    sets = word(1) == "config" && word(2) == "set" && HasOneOf(word(3), {"index-url", "proxy"});
  } else if (program == "git") {
    const bool config =
        word(1) == "config" && std::ranges::any_of(command.words, [](const ShellWord& each) {
          const std::string key = Lower(each.text);
          return key == "http.proxy" || key == "https.proxy" || (key.starts_with("url.") && key.ends_with("insteadof"));
        });
    const bool push = word(1) == "remote" && word(2) == "set-url" &&
                      std::ranges::any_of(command.words, [](const ShellWord& each) { return each.text == "--push"; });
    sets = config || push;
  } else if (program == "go") {
    sets = word(1) == "env" && word(2) == "-w" && word(3).starts_with("goproxy=");
  }
  if (!sets) return false;
  return std::ranges::any_of(command.words, [](const ShellWord& each) {
    const std::string text = Lower(each.text);
    const std::size_t at = text.find("://");
    if (at == std::string::npos || !each.constant) return false;
    const std::string host = HostOf(text.substr(at - std::min<std::size_t>(at, 5)));
    return !host.empty() && !IsLocalHost(host) && host.find(kUnknownChar) == std::string::npos && Has(host, ".") &&
           !HasOneOf(host, {"npmjs.",     "pypi.",  "pythonhosted",   "yarnpkg", "npmmirror",   "taobao",
                            "tsinghua",   "aliyun", "ustc.edu",       "tencent", "huaweicloud", "goproxy.",
                            "golang.org", "jsr.io", "pkg.github.com", "pkg.dev", "jfrog.io",    "amazonaws.com",
                            "azure.com",  "gitlab", "sjtu.edu",       "bfsu.edu"});
  });
}

// param([string]$Filter, ...)
void Analysis::Declared(std::string_view text) {
  const std::string lower = Lower(text.substr(0, 4096));
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
    return (position && script_.dialect == ShellDialect::kPosix) || given_.contains(Lower(name));
  });
}

// eval "mv $f $1": words of whoever called stand in a text that is run.
void Analysis::TakeGiven(std::uint32_t index, std::string_view program) {
  const bool inside = std::ranges::any_of(script_.functions, [&](const ShellFunction& function) {
    return function.first <= index && index < function.end;
  });
  if (inside) return;  // its words are those of whoever calls the function
  const ShellCommand& command = script_.commands[index];
  for (const auto& [name, value] : command.assignments) {
    if (IsGiven(value)) given_.insert(Lower(name));
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
    if (letters < 2 || !IsGiven(word)) continue;
    Emit(ShellAct::kRunArgument, index, std::string(program));
    return;
  }
}

}  // namespace interlock::scan::code::shell
