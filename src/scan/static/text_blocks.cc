#include "static/text_blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace interlock::scan {
namespace {

constexpr auto kPrograms = std::to_array<std::string_view>(
    {"curl ",      "wget ",      "bash ",        "sh ",        "sudo ",       "echo ",       "nc ",
     "cat ",       "rm ",        "chmod ",       "base64 ",    "eval ",       "export ",     "find ",
     "env ",       "powershell", "iex ",         "iwr ",       "ncat ",       "tar ",        "scp ",
     "ssh ",       "openssl ",   "nohup ",       "crontab ",   "python3 -c",  "python -c",   "node -e",
     "perl -e",    "ruby -e",    "git ",         "gh ",        "docker ",     "podman ",     "kubectl ",
     "helm ",      "aws ",       "az ",          "gcloud ",    "gsutil ",     "truncate ",   "shred ",
     "dd ",        "mkfs",       "history ",     "auditctl ",  "journalctl ", "setenforce ", "spctl ",
     "csrutil ",   "launchctl ", "systemctl ",   "service ",   "chattr ",     "chown ",      "setcap ",
     "ufw ",       "iptables ",  "nft ",         "useradd ",   "usermod ",    "passwd ",     "chpasswd",
     "visudo",     "security ",  "secret-tool ", "osascript ", "defaults ",   "pbpaste",     "xclip ",
     "socat ",     "ngrok ",     "cloudflared ", "rclone ",    "rsync ",      "sftp ",       "ftp ",
     "dig ",       "nslookup ",  "host ",        "npm ",       "npx ",        "pip ",        "pip3 ",
     "uvx ",       "brew ",      "apt ",         "apt-get ",   "reg ",        "schtasks ",   "netsh ",
     "net user",   "sc ",        "vssadmin ",    "bcdedit ",   "wevtutil ",   "certutil ",   "mshta ",
     "rundll32 ",  "regsvr32 ",  "bitsadmin ",   "cp ",        "mv ",         "tee ",        "sed ",
     "kill ",      "pkill ",     "killall ",     "mount ",     "ssh-keygen ", "gpg ",        "grep ",
     "zip ",       "printenv",   "set ",         "at ",        "mysqldump ",  "pg_dump ",    "psql ",
     "redis-cli ", "mongodump "});
// Most lines begin with none of their letters.
constexpr std::uint32_t kProgramLetters = [] {
  std::uint32_t letters = 0;
  for (const std::string_view program : kPrograms) letters |= 1U << (program.front() - 'a');
  return letters;
}();

// Says of a command that it is not run.
constexpr auto kRefusals =
    std::to_array<std::string_view>({"blocked", "denied", "rejected", "refused", "prohibited", "forbidden", "banned",
                                     "disallowed", "dangerous", "destructive", "intercepted"});
constexpr auto kConditions = std::to_array<std::string_view>({"if", "when", "unless", "not", "never", "once", "isn't"});

}  // namespace

bool IsShellName(std::string_view lang) {
  for (const std::string_view name : {"bash", "sh", "shell", "zsh", "console", "terminal", "shellscript",
                                      "shell-session", "powershell", "ps1", "cmd", "bat", "fish", "ksh"}) {
    if (lang == name) return true;
  }
  return false;
}

// A block without a language whose first word is a program that fetches or runs.
bool LooksLikeShell(std::string_view text) {
  std::size_t at = 0;
  for (int lines = 0; at < text.size() && lines < 12; ++lines) {
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(at, end - at);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (line.starts_with("$ ") || line.starts_with("# ")) line.remove_prefix(2);
    const bool may = !line.empty() && line.front() >= 'a' && line.front() <= 'z' &&
                     (kProgramLetters >> (line.front() - 'a') & 1U) != 0;
    const auto begins = [&](std::string_view program) {
      return program.front() == line.front() && line.starts_with(program);
    };
    if (may && std::ranges::any_of(kPrograms, begins)) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

// A block in one of these is read as commands only where it begins with one: its other lines are inside strings.
bool IsProgramLanguage(std::string_view lang) {
  for (const std::string_view name : {"javascript", "js", "jsx", "typescript", "ts", "tsx", "python", "py", "go",
                                      "rust", "java", "csharp", "ruby", "php", "c", "cpp", "kotlin", "swift"}) {
    if (lang == name) return true;
  }
  return false;
}

std::string_view FirstLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) break;
    const std::size_t end = std::min(text.find('\n', first), text.size());
    const std::string_view line = text.substr(first, end - first);
    if (!line.starts_with('#') && !line.starts_with("//")) return line;
    text.remove_prefix(end);
  }
  return {};
}

// A whole word of a command line: `curl`, `python3`.
bool IsProgramName(std::string_view word) {
  if (word.size() < 2) return false;
  return std::ranges::any_of(kPrograms,
                             [&](std::string_view program) { return program.substr(0, program.find(' ')) == word; });
}

bool IsGivenAsExample(std::string_view shown, std::size_t tick) {
  std::string_view before = shown.substr(0, tick);
  const std::size_t last = before.find_last_not_of(" ,:\n");
  before = last == std::string_view::npos ? std::string_view() : before.substr(0, last + 1);
  return std::ranges::any_of(std::array<std::string_view, 5>{"(e.g.", "(e.g", "(for example", "(such as", "(like"},
                             [&](std::string_view lead) { return before.ends_with(lead); });
}

bool ForbiddenBefore(const TextCanvas& canvas, std::uint32_t index, std::uint32_t from) {
  static constexpr auto kBetween = std::to_array<std::string_view>(
      {"run", "execute", "use", "call", "type", "paste", "issue", "ever", "a", "any", "running", "executing", "using"});
  const TextSentence& sentence = canvas.sentences[index];
  std::uint32_t t = sentence.last;
  while (t > sentence.first && canvas.tokens[t - 1].begin >= from) --t;
  for (; t > sentence.first; --t) {
    const TextToken& token = canvas.tokens[t - 1];
    if ((token.set & Bit(kWNot)) != 0) return true;
    if (std::ranges::find(kBetween, canvas.Of(token)) == kBetween.end()) return false;
  }
  return false;
}

bool RefusedBehind(const TextCanvas& canvas, std::uint32_t index, std::uint32_t from) {
  constexpr std::uint32_t kNear = 12;  // words, those of the command among them
  const TextSentence& sentence = canvas.sentences[index];
  std::uint32_t seen = 0;
  for (std::uint32_t t = sentence.first; t < sentence.last && seen < kNear; ++t) {
    if (canvas.tokens[t].begin < from) continue;
    ++seen;
    if (std::ranges::find(kRefusals, canvas.Of(canvas.tokens[t])) == kRefusals.end()) continue;
    const std::string_view mood = t > sentence.first ? canvas.Of(canvas.tokens[t - 1]) : std::string_view();
    const std::string_view lead = t > sentence.first + 1 ? canvas.Of(canvas.tokens[t - 2]) : std::string_view();
    const auto open = [](std::string_view word) { return std::ranges::find(kConditions, word) != kConditions.end(); };
    return !open(mood) && !open(lead);
  }
  return false;
}

}  // namespace interlock::scan
