// What building a package runs and no analyser of code sees: commands that gyp expands, and those of go:generate.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "interlock/base/find_bytes.h"
#include "static/classify.h"
#include "static/front_matter.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxBuildText = std::size_t{2} << 20U;
constexpr std::size_t kMaxChain = 2000;  // bytes from a command's name to its last argument
constexpr int kMaxCommands = 64;

// "<!(command)", "<!@(command)": run while the build is configured, which is when it is installed.
void ReadGyp(Sheet& sheet) {
  const std::string_view text = sheet.text();
  int found = 0;
  for (std::size_t at = text.find("<!"); at != std::string_view::npos && found < kMaxCommands;
       at = text.find("<!", at + 1)) {
    std::size_t open = at + 2;
    if (open < text.size() && text[open] == '@') ++open;
    if (open >= text.size() || text[open] != '(') continue;
    int depth = 0;
    std::size_t end = open;
    for (; end < text.size() && end < open + kMaxChain && text[end] != '\n'; ++end) {
      if (text[end] == '(') ++depth;
      if (text[end] == ')' && --depth == 0) break;
    }
    if (depth != 0) continue;
    std::string command;
    for (const char c : text.substr(open + 1, end - open - 1)) {
      if (c != '\\') command += c;
    }
    ++found;
    sheet.Hook("gyp", command, {open + 1, end}, Reach::kInstall);
    sheet.Entries(command, true);
  }
  // "action": ["sh", "-c", "..."]: run as a part of the build.
  for (std::size_t at = text.find("action"); at != std::string_view::npos && found < kMaxCommands;
       at = text.find("action", at + 1)) {
    if (at == 0 || (text[at - 1] != '"' && text[at - 1] != '\'')) continue;
    const std::size_t colon = at + 7;
    if (colon >= text.size() || text[colon - 1] != text[at - 1]) continue;
    const std::size_t open = text.find_first_not_of(": \t\r\n", colon);
    if (open == std::string_view::npos || text[open] != '[') continue;
    std::string command;
    std::size_t end = open + 1;
    char quote = 0;
    for (; end < text.size() && end < open + kMaxChain; ++end) {
      const char c = text[end];
      if (quote == 0 && c == ']') break;
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
        command += command.empty() ? "'" : " '";
      } else if (quote != 0 && c == quote) {
        quote = 0;
        command += '\'';
      } else if (quote != 0) {
        command += c == '\'' ? ' ' : c;
      }
    }
    if (command.empty()) continue;
    ++found;
    sheet.Hook("gyp", command, {open + 1, end}, Reach::kInstall);
    sheet.Entries(command, true);
  }
}

void ReadGoGenerate(Sheet& sheet) {
  const std::string_view text = sheet.text();
  constexpr std::string_view kMark = "//go:generate ";
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::size_t from = at + kMark.size();
    const std::size_t end = std::min(text.find('\n', from), text.size());
    sheet.Hook("go:generate", text.substr(from, end - from), {from, end}, Reach::kBuild);
  }
}

}  // namespace

bool ReadBuildFile(Sheet& sheet, std::string_view base) {
  if (sheet.text().size() > kMaxBuildText) return false;
  if (base.ends_with(".gyp") || base.ends_with(".gypi")) {
    ReadGyp(sheet);
    return true;
  }
  if (base.ends_with(".go")) {
    ReadGoGenerate(sheet);
    return false;
  }
  return false;
}

namespace {

// A value without its quotes and where it stands; "" where the line has none of its own.
std::string_view ValueOf(std::string_view rest) {
  std::string_view value = Trim(rest);
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'');
  if (quoted && value.back() == value.front()) value = value.substr(1, value.size() - 2);
  return value;
}

// "endpoints:", "network_hosts:": what is listed below it is talked to.
bool NamesEndpoints(std::string_view key) {
  const std::string lower = LowerCase(key);
  return lower.find("endpoint") != std::string::npos || lower.find("network") != std::string::npos;
}

}  // namespace

// Addresses that the head of an instruction file says it talks to, and which nobody encrypts.
void ReadInstructionEndpoints(Sheet& sheet) {
  const std::string_view text = sheet.text();
  const FrontMatter head = FindFrontMatter(text);
  std::size_t group = std::string_view::npos;  // indentation of the list of endpoints that is open
  for (std::size_t at = head.begin; at < head.end;) {
    const std::size_t end = std::min(text.find('\n', at), head.end);
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t indent = line.find_first_not_of(" \t\r");
    if (indent == std::string_view::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t-", indent);
    if (begin == std::string_view::npos) continue;
    if (group != std::string_view::npos && indent <= group && line[indent] != '-') group = std::string_view::npos;
    const std::size_t colon = line.find(':', begin);
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(begin, colon - begin);
    const bool listed = key == "http" || key == "\"http" || key == "'http";
    const std::string_view value = ValueOf(line.substr(listed ? begin : colon + 1));
    if (value.empty() && NamesEndpoints(key)) {
      group = indent;
    } else if ((group != std::string_view::npos || NamesEndpoints(key)) && value.starts_with("http://")) {
      const std::string host = HostOf(LowerCase(value.substr(0, 300)));
      if (host.empty() || KindOfHost(host) == HostKind::kLocal) continue;
      const auto where = static_cast<std::size_t>(value.data() - text.data());
      RawFinding& finding = sheet.Raise("SC-001", {where, where + value.size()},
                                        "the agent reads what comes from " + host + " without encryption");
      // What anybody on the way may replace is what the agent acts on.
      finding.severity = core::Severity::kHigh;
      finding.reach = core::Reach::kAgent;
    }
  }
}

// What the head of an instruction file has its host run (`command:` of an installer or a hook), and !`command`, which
// a host runs before the agent reads a word.
void ReadInstructionCommands(Sheet& sheet) {
  constexpr auto kKeys = std::to_array<std::string_view>({"command", "cmd", "run", "exec", "script", "install",
                                                          "postinstall", "preinstall", "setup", "init", "on_install",
                                                          "post_install", "pre_install", "onload", "on_load"});
  const std::string_view text = sheet.text();
  const FrontMatter head = FindFrontMatter(text);
  for (std::size_t at = head.begin; at < head.end;) {
    const std::size_t end = std::min(text.find('\n', at), head.end);
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t begin = line.find_first_not_of(" \t-");
    const std::size_t colon = begin == std::string_view::npos ? begin : line.find(':', begin);
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(begin, colon - begin);
    if (std::ranges::find(kKeys, key) == kKeys.end()) continue;
    const std::string_view value = ValueOf(line.substr(colon + 1));
    if (value.size() < 4 || value.front() == '|' || value.front() == '>') continue;
    const auto where = static_cast<std::size_t>(value.data() - text.data());
    sheet.Hook(std::string(key), value, {where, where + value.size()}, core::Reach::kAgent);
  }
  for (std::size_t at = base::FindBytes(text, "!`", head.body); at != std::string_view::npos;
       at = base::FindBytes(text, "!`", at + 2)) {
    // "Done!`x`" is prose.
    if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '\n' && text[at - 1] != '\t') continue;
    const std::size_t end = text.find('`', at + 2);
    if (end == std::string_view::npos) return;
    const std::string_view command = text.substr(at + 2, end - at - 2);
    if (command.find('\n') == std::string_view::npos) {
      sheet.Hook("context", command, {at + 2, end}, core::Reach::kAgent);
    }
    at = end;
  }
}

}  // namespace interlock::scan
