#include "static/command_lines.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/shell.h"
#include "interlock/base/find_bytes.h"
#include "static/ascii.h"
#include "static/build_pieces.h"
#include "static/classify.h"
#include "static/markdown.h"
#include "static/plain_statements.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using std::string_view;

constexpr std::size_t kMostLines = 400;
constexpr std::size_t kMostOfLine = 4'000;

bool IsTable(string_view path) {
  const std::string lower = LowerCase(BaseName(path));
  return lower.ends_with(".csv") || lower.ends_with(".tsv");
}

// Files of a system: nobody reads them as prose, wherever they lie.
bool IsOfSystem(const FileContext& file) {
  const std::string base = LowerCase(BaseName(file.file->path));
  return std::ranges::any_of(
      std::to_array<string_view>({".service", ".timer", ".desktop", ".plist", ".reg", ".hta", ".inf", ".nu"}),
      [&](string_view ending) { return base.ends_with(ending); });
}

// Files whose commands somebody's machine runs. Prose and shell scripts have readers of their own; so have makefiles
// and other build files, and programs that are followed.
bool HoldsCommands(const FileContext& file) {
  if (file.reach == core::Reach::kDocument && IsOfSystem(file)) return true;
  const bool builds = file.reach == core::Reach::kBuild;
  if (file.reach > core::Reach::kRuntime && !builds) return false;
  if (IsOfSystem(file)) return true;
  const std::string base = LowerCase(BaseName(file.file->path));
  switch (file.type) {
    case FileType::kOtherSource:
      return PlainLanguageOf(file.file->path) == PlainLanguage::kNone && !base.ends_with(".mk") &&
             base.find("makefile") == std::string::npos && base.find("justfile") == std::string::npos;
    case FileType::kXml:
    case FileType::kIni:
      return true;
    case FileType::kUnknownText:
    case FileType::kPlainText:
      return base.find("cron") != std::string::npos || base.ends_with(".conf") || base.ends_with(".awk");
    case FileType::kYaml:
      // Pipelines and what starts containers have readers of their own.
      return !builds || !(IsPipelinePath(LowerCase(file.file->path)) || base.starts_with("docker-compose") ||
                          base.starts_with("taskfile"));
    default:
      return false;
  }
}

// Of an XML or quoted text.
std::string Plain(string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && string_view("\"'\\").find(text[i + 1]) != string_view::npos) {
      out += text[++i];
      continue;
    }
    if (text.substr(i, 2) == "''") ++i;
    if (text[i] == '&') {
      constexpr std::size_t kLongestEntity = 10;
      const string_view piece = text.substr(i, text.substr(i, kLongestEntity).find(';') + 1);
      if (const std::string meant = TextOfEntity(piece); !meant.empty()) {
        out += meant;
        i += piece.size() - 1;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

// The parts of a line between quotation marks, one mark or three. '' within single ones is one of YAML's.
template <class Add>
void ForEachQuoted(string_view line, Add add) {
  const auto twice = [&](string_view mark) { return line.find(mark) != line.rfind(mark); };
  const bool long_marks = twice(R"(""")") || twice("'''");
  for (const string_view mark : {R"(""")", "'''", "\"", "'"}) {
    if ((mark.size() == 1) == long_marks) continue;
    for (std::size_t at = line.find(mark); at != string_view::npos;) {
      const std::size_t from = at + mark.size();
      std::size_t end = from;
      while (end < line.size()) {
        const bool doubled = mark == "'" && line.substr(end, 2) == "''";
        if (!doubled && line.substr(end, mark.size()) == mark) break;
        end += doubled || line[end] == '\\' ? 2U : 1U;
      }
      if (end >= line.size()) break;
      add(line.substr(from, end - from));
      at = line.find(mark, end + mark.size());
    }
  }
}

// What of a line may be a command: between quotation marks, behind `=`, within an element, behind the `!` of an editor
// or of git, or all of it.
std::vector<string_view> Candidates(string_view line) {
  constexpr std::size_t kMost = 6;
  std::vector<string_view> out;
  const auto add = [&](string_view part) {
    part = Trim(part);
    while (part.starts_with('!')) part.remove_prefix(1);
    if (part.size() > 8 && NamesProgramOfCommands(part) && out.size() < kMost) out.push_back(part);
  };
  // <argument>...</argument>, one after the other.
  const bool elements = line.find('<') < line.find('>') && line.find('>') != string_view::npos;
  if (!elements || base::HasBytes(line, "=\"") || base::HasBytes(line, "='")) ForEachQuoted(line, add);
  if (!out.empty()) return out;
  if (elements) {
    for (std::size_t open = line.find('>'); open != string_view::npos; open = line.find('>', open + 1))
      add(line.substr(open + 1, line.find("</", open) - open - 1));
    return out;
  }
  if (line.starts_with("silent") || line.starts_with("autocmd") || line.starts_with(":!")) {
    add(line.substr(std::min(line.find('!'), line.size())));
    if (!out.empty()) return out;
  }
  if (const std::size_t equal = line.find_first_of("=:");
      equal != string_view::npos && equal < 40 && Trim(line.substr(0, equal)).find(' ') == string_view::npos) {
    add(line.substr(equal + 1));
    return out;
  }
  // */5 * * * * command
  string_view rest = line;
  int fields = 0;
  while (!rest.empty() && string_view("*0123456789/,-").find(rest[0]) != string_view::npos && fields < 5) {
    const std::size_t end = rest.find(' ');
    if (end == string_view::npos) break;
    rest = Trim(rest.substr(end));
    ++fields;
  }
  add(fields == 5 ? rest : line);
  return out;
}

// ExecStartPre=-/usr/bin/curl -o FILE ..., ExecStart=FILE: one after the other, as the unit is started.
std::string CommandsOfUnit(string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    string_view line = Trim(text.substr(at, end - at));
    at = end + 1;
    const std::size_t equal = line.find('=');
    if (!line.starts_with("ExecStart") || equal == string_view::npos) continue;
    line = Trim(line.substr(equal + 1));
    while (!line.empty() && string_view("-@+!:").find(line.front()) != string_view::npos) line.remove_prefix(1);
    out.append(line).append("\n");
  }
  return out;
}

// =cmd|'/C ...'!A0, =HYPERLINK("https://...?d="&A1): what opens the table starts a program, or sends what stands in it.
void JudgeFormula(const FileContext& file, string_view line, std::size_t at, FileResult& result) {
  const std::string lower = LowerCase(line.substr(0, kMostOfLine));
  for (const char sign : {'=', '+', '-', '@'}) {
    for (std::size_t i = lower.find(sign); i != std::string::npos; i = lower.find(sign, i + 1)) {
      if (i > 0 && lower[i - 1] != '"' && lower[i - 1] != ',' && lower[i - 1] != '\t') continue;
      const string_view rest = string_view(lower).substr(i + 1);
      const std::size_t bar = rest.find('|');
      const bool starts = bar < 16 &&
                          rest.substr(0, bar).find_first_not_of("abcdefghijklmnopqrstuvwxyz") == string_view::npos &&
                          bar >= 2 && rest.find('!') != string_view::npos;
      const bool sends = (rest.starts_with("hyperlink(") || rest.starts_with("webservice(") ||
                          rest.starts_with("importdata(") || rest.starts_with("image(")) &&
                         rest.find("://") != string_view::npos && rest.find('&') != string_view::npos;
      if (!starts && !sends) continue;
      RawFinding& finding = AddFinding(
          result.findings, file, starts ? "RCE-001" : "EXFIL-001", {at, at + line.size()},
          starts ? "a formula of a table starts a program" : "a formula sends what stands in the table", 0.9);
      finding.has_reach = file.reach == core::Reach::kDocument;
      finding.reach = core::Reach::kRuntime;
      return;
    }
  }
}

// CREATE ROLE x LOGIN PASSWORD 'known' BYPASSRLS; GRANT pg_execute_server_program TO x: who may see every row, or run
// programs of the server, by a password that stands here.
void JudgeMasters(const FileContext& file, string_view lower, FileResult& result) {
  const std::size_t right =
      std::min(base::FindBytes(lower, "pg_execute_server_program"), base::FindBytes(lower, "bypassrls"));
  const std::size_t word = base::FindBytes(lower, "password '");
  if (right == string_view::npos || word == string_view::npos || base::HasBytes(lower, "nobypassrls")) return;
  const std::size_t value = word + 10;
  if (value >= lower.size() || string_view("$:{%'<").find(lower[value]) != string_view::npos) return;
  AddFinding(result.findings, file, "GRANT-002", {word, word + 10},
             "makes an account with more than its share of a data base, whose password stands here", 1.0);
}

}  // namespace

std::vector<std::string> CommandsOfLine(string_view line) {
  std::vector<std::string> out;
  for (const string_view part : Candidates(Trim(line))) out.push_back(Plain(part));
  return out;
}

void JudgeCommand(const FileContext& file, base::ByteSpan place, string_view command, FileResult& result) {
  const code::ShellScript script = code::ParseShell(command);
  std::vector<code::ShellUse> grave;
  for (code::ShellUse& use : code::AnalyzeShellScript(script, command)) {
    if (IsGrave(use)) grave.push_back(std::move(use));
  }
  if (grave.empty()) return;
  ShellContext context;
  context.file = file.index;
  context.whole = place;
  context.place = ShellPlace::kCodeString;
  context.has_reach = file.reach == core::Reach::kDocument;
  context.reach = core::Reach::kRuntime;
  JudgeShell(grave, context, result.findings, nullptr);
}

void JudgeCommandLines(const FileContext& file, FileResult& result) {
  if (file.reach <= core::Reach::kRuntime && LowerCase(BaseName(file.file->path)).ends_with(".sql")) {
    // COPY t FROM PROGRAM 'curl ... | sh'
    const string_view statements = file.text().substr(0, kMostBytesOfCommands);
    if (base::HasBytes(LowerCase(statements), " program '") || base::HasBytes(statements, "\\!"))
      JudgeCommand(file, {0, statements.size()}, ScriptOfStatements(statements), result);
    JudgeMasters(file, LowerCase(statements), result);
  }
  const bool table =
      IsTable(file.file->path) && (file.reach <= core::Reach::kRuntime || file.reach == core::Reach::kDocument);
  if (!table && !HoldsCommands(file)) return;
  const string_view text = file.text().substr(0, kMostBytesOfCommands);
  if (!table && !NamesProgramOfCommands(text)) return;
  if (LowerCase(BaseName(file.file->path)).ends_with(".service"))
    JudgeCommand(file, {0, text.size()}, CommandsOfUnit(text), result);
  std::size_t looked = 0;
  for (std::size_t at = 0; at < text.size() && looked < kMostLines;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    string_view line = text.substr(at, std::min(end - at, kMostOfLine));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t begin = at;
    at = end + 1;
    if (table) {
      if (line.find_first_of("=+@") != string_view::npos) {
        ++looked;
        JudgeFormula(file, line, begin, result);
      }
      continue;
    }
    const string_view bare = Trim(line);
    if (!NamesProgramOfCommands(bare) || bare.starts_with('#') || bare.starts_with("//") || bare.starts_with("--") ||
        bare.starts_with('*')) {
      if (!bare.starts_with("*/") && !bare.starts_with("* ")) continue;
      if (!NamesProgramOfCommands(bare)) continue;
    }
    ++looked;
    for (const string_view part : Candidates(bare)) {
      const auto from = static_cast<std::size_t>(part.data() - text.data());
      JudgeCommand(file, {from, from + part.size()}, Plain(part), result);
    }
  }
}

}  // namespace interlock::scan
