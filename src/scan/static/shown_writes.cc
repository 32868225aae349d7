#include "static/shown_writes.h"

#include <algorithm>
#include <array>

#include "code/shell.h"
#include "code/shell_paths.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/last_word.h"
#include "static/part_set.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kLongestLine = 400;
constexpr std::size_t kLongestBlock = std::size_t{16} << 10;

// "Add", in the languages that skills are written in: how such a word begins.
constexpr std::array<std::string_view, 37> kWrites = {
    "add ",   "add:",   "append",    "insert",  "put ",     "write",   "save ",     "install", "create", "prepend",
    "place ", "paste ", "füge ",     "schreib", "speicher", "trage ",  "añad",      "agreg",   "guarda", "escrib",
    "ajout",  "écri",   "enregistr", "aggiung", "inseri",   "adicion", "acrescent", "salv",    "добав",  "допиш",
    "запиш",  "сохран", "添加",      "加入",    "写入",     "追加",    "추가"};

bool SaysItIsWritten(std::string_view line) {
  const std::string lower = LowerCase(line);
  return std::ranges::any_of(kWrites, [&](std::string_view word) {
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const unsigned char before = at == 0 ? ' ' : static_cast<unsigned char>(lower[at - 1]);
      const bool inside = (before >= 'a' && before <= 'z') || before == '-' || before == '_' || before == '/';
      if (!inside) return true;
    }
    return false;
  });
}

// What runs by itself.
std::string_view StartedNamed(std::string_view line, std::string_view except) {
  if (!MayNameStarted(line)) return {};
  return LastWordThat(line, except,
                      [](std::string_view word) { return word == "crontab" || code::shell::IsStartupPath(word); });
}

// The last line of what stands before a block.
std::string_view LastLine(std::string_view lead) {
  while (!lead.empty() && (lead.back() == '\n' || lead.back() == ' ')) lead.remove_suffix(1);
  const std::size_t line = lead.rfind('\n');
  if (line != std::string_view::npos) lead.remove_prefix(line + 1);
  if (lead.size() > kLongestLine) lead.remove_prefix(lead.size() - kLongestLine);
  return lead;
}

std::string Write(std::string_view path, std::string_view text) {
  const std::string to = path == "crontab" ? " | crontab -" : " >> " + std::string(path);
  return "printf '%s\\n' " + code::ShellQuoted(text) + to;
}

bool IsPlainPath(std::string_view path) {
  return std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
           c == '_' || c == '-' || c == '~' || c == '$';
  });
}

}  // namespace

bool MayNameStarted(std::string_view text) {
  static constexpr PartSet kMay(std::to_array<std::string_view>(
      {"shrc", "profile", "cron", "hook", "authorized_", "autostart", "systemd", "aunch", "tartup", "/etc/", ".bash_",
       ".zsh", ".fish", "init", "logi", ".ssh/rc", "customize"}));
  return kMay.AnyIn(text);
}

std::string WriteSaid(std::string_view line, std::string_view span) {
  if (span.find(' ') == std::string_view::npos || line.size() > kLongestLine) return {};
  const std::string_view path = StartedNamed(line, span);
  if (path.empty() || !IsPlainPath(path) || !SaysItIsWritten(line)) return {};
  return Write(path, span);
}

std::string WriteShown(std::string_view lead, std::string_view block, std::string_view lang) {
  if (block.size() > kLongestBlock) return {};
  if (!lang.empty() && !Among(lang, {"sh", "bash", "zsh", "shell", "console", "text", "txt", "cron", "crontab", "fish",
                                     "ini", "systemd", "service", "powershell", "ps1", "pub", "plaintext"}))
    return {};
  lead = LastLine(lead);
  const std::string_view path = StartedNamed(lead, {});
  if (path.empty() || !IsPlainPath(path) || !SaysItIsWritten(lead)) return {};
  // Commands that write it themselves are judged as they stand.
  if (block.find(path) != std::string_view::npos) return {};
  return Write(path, block);
}

std::string OrdersShown(std::string_view lead, std::string_view lang) {
  if (!lang.empty() && !Among(lang, {"md", "markdown", "text", "txt", "plaintext"})) return {};
  lead = LastLine(lead);
  const std::string_view path = LastWordThat(lead, {}, [](std::string_view word) { return IsInstructionFile(word); });
  if (path.empty() || path.find("..") != std::string_view::npos || !SaysItIsWritten(lead)) return {};
  return std::string(BaseName(path));
}

}  // namespace interlock::scan
