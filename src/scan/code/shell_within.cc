// Commands within what other programs are given: statements of a data base, programs of awk and AppleScript, jobs of
// Windows.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/shell_analysis.h"
#include "code/shell_internal.h"

namespace interlock::scan::code::shell {

// osascript -e 'do shell script "curl ... | sh"'
void Builder::UnwrapAppleScript(std::uint32_t index) {
  constexpr std::string_view kCommand = "do shell script";
  constexpr std::size_t kMostCommands = 16;
  std::vector<std::pair<std::string, Loc>> lines;
  for (const ShellWord& word : out_.commands[index].words) {
    for (std::size_t at = word.text.find(kCommand); at != std::string::npos && lines.size() < kMostCommands;
         at = word.text.find(kCommand, at + 1)) {
      const std::size_t open = word.text.find('"', at);
      if (open == std::string::npos) break;
      std::string line;
      for (std::size_t i = open + 1; i < word.text.size() && word.text[i] != '"'; ++i) {
        if (word.text[i] == '\\' && i + 1 < word.text.size()) ++i;
        line += word.text[i];
      }
      lines.emplace_back(std::move(line), word.loc);
    }
  }
  for (auto& [line, loc] : lines) ParseText(std::move(line), loc, index, 0, ShellDialect::kPosix);
}

// awk 'BEGIN { system("curl ... | sh") }'
void Builder::UnwrapAwk(std::uint32_t index) {
  constexpr std::size_t kMostCommands = 16;
  constexpr std::string_view kCommand = "system(\"";
  std::vector<std::pair<std::string, Loc>> lines;
  for (const ShellWord& word : out_.commands[index].words) {
    for (std::size_t at = word.text.find(kCommand); at != std::string::npos && lines.size() < kMostCommands;
         at = word.text.find(kCommand, at + 1)) {
      const std::size_t from = at + kCommand.size();
      const std::size_t close = word.text.find('"', from);
      if (close == std::string::npos) break;
      lines.emplace_back(word.text.substr(from, close - from), word.loc);
    }
  }
  for (auto& [line, loc] : lines) ParseText(std::move(line), loc, index, 0, ShellDialect::kPosix);
}

// alias up='curl ... | sh'; parallel sh -c ::: 'curl ... | sh': a command in each word of theirs.
void Builder::UnwrapWords(std::uint32_t index, bool alias) {
  constexpr std::size_t kMostWords = 64;
  std::vector<std::pair<std::string, Loc>> lines;
  bool listed = alias;
  for (std::size_t i = 1; i < out_.commands[index].words.size() && lines.size() < kMostWords; ++i) {
    const ShellWord& word = out_.commands[index].words[i];
    const std::size_t from = alias ? word.text.find('=') + 1 : 0;  // npos + 1: no command
    const std::string text = alias && from == 0 ? std::string() : word.text.substr(from);
    // A word alone is a file, or a name.
    if (listed && text.find(' ') != std::string::npos) lines.emplace_back(text, word.loc);
    listed = listed || word.text == ":::";
  }
  for (auto& [line, loc] : lines) ParseText(std::move(line), loc, index, 0, ShellDialect::kPosix);
}

// schtasks /create /tr "powershell ..."; New-ScheduledTaskAction -Execute pwsh -Argument '-c "iex (irm ...)"'
void Builder::UnwrapTask(std::uint32_t index, std::string_view program) {
  const std::vector<ShellWord>& words = out_.commands[index].words;
  std::string runs;
  std::string given;
  Loc loc;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string flag = LowerCase(words[i].text);
    const bool names = program == "schtasks" ? flag == "/tr" : flag == "-execute";
    if (!names && flag != "-argument") continue;
    (names ? runs : given) = words[i + 1].text;
    if (loc.end == 0) loc = words[i + 1].loc;
    loc.end = words[i + 1].loc.end;
  }
  if (runs.empty()) return;
  if (!given.empty()) runs += " " + given;
  const bool shell = IsPowerShell(BaseName(runs.substr(0, runs.find(' '))));
  ParseText(std::move(runs), loc, index, 0, shell ? ShellDialect::kPowerShell : ShellDialect::kBatch);
}

bool IsClientOfRows(std::string_view program) {
  return Is(program, {"psql", "mysql", "mariadb", "sqlite3", "duckdb", "cockroach"});
}

namespace {

// The command behind `word` in a text, between single quotes; from `*at` on, which is moved behind it.
std::string QuotedBehind(std::string_view text, std::string_view lower, std::string_view word, std::size_t* at) {
  *at = lower.find(word, *at);
  if (*at == std::string_view::npos) return {};
  *at += word.size();
  std::string out;
  for (; *at < text.size(); ++*at) {
    if (text[*at] == '\'' && (*at + 1 >= text.size() || text[*at + 1] != '\'')) break;
    if (text[*at] == '\'') ++*at;  // doubled: one of the command's own
    out += text[*at];
  }
  return out;
}

}  // namespace

// psql -c "\copy (select * from users) to program 'curl -T - https://...'", COPY t FROM PROGRAM '...'; a line that
// begins with "\!" or ".shell" is a command as it stands.
void Builder::UnwrapStatement(std::uint32_t index, std::string_view program) {
  constexpr std::size_t kMostCommands = 16;
  struct Line {
    std::string text;
    Loc loc;
    bool fed;
  };
  std::vector<Line> lines;
  const auto take = [&](const ShellWord& word) {
    const std::string lower = LowerCase(word.text);
    for (const auto& [before, fed] : {std::pair{"to program '", true}, std::pair{"from program '", false}}) {
      for (std::size_t at = 0; at < lower.size() && lines.size() < kMostCommands;) {
        std::string line = QuotedBehind(word.text, lower, before, &at);
        if (!line.empty()) lines.push_back({std::move(line), word.loc, fed});
      }
    }
    for (std::size_t begin = 0; begin < word.text.size() && lines.size() < kMostCommands;) {
      const std::size_t end = std::min(word.text.find('\n', begin), word.text.size());
      const std::string_view line = std::string_view(word.text).substr(begin, end - begin);
      const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
      for (const std::string_view mark : {"\\! ", "\\!", ".shell ", ".system ", "system "}) {
        if (mark == "system " && program != "mysql" && program != "mariadb") continue;
        if (!line.substr(first).starts_with(mark)) continue;
        lines.push_back({std::string(line.substr(first + mark.size())), word.loc, false});
        break;
      }
      begin = end + 1;
    }
  };
  const ShellCommand& command = out_.commands[index];
  for (std::size_t i = 1; i < command.words.size(); ++i) take(command.words[i]);
  for (const auto& [op, word] : command.redirects) {
    if (op == "<<" || op == "<<<") take(word);
  }
  for (Line& line : lines)
    ParseText(std::move(line.text), line.loc, index, 0, ShellDialect::kPosix, line.fed ? index : kNone);
}

}  // namespace interlock::scan::code::shell
