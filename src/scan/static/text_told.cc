#include "static/text_told.h"

#include <algorithm>
#include <string>
#include <utility>

#include "static/shell_judge.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of all texts of a package

// Answers say how to go on, and honest ones do so at length.
constexpr double kAnswer = 0.8;
// ... and their wording alone proves little: prices, pages, next steps.
constexpr double kAnswerWords = 0.45;
// How the work is to look is what many tools are asked for.
constexpr double kAnswerShapes = 0.4;

std::string Listing(std::string_view text, bool parameter) {
  std::string out = parameter ? R"({"tools":[{"name":"tool","inputSchema":{"properties":{"value":{"description":")"
                              : R"({"tools":[{"name":"tool","description":")";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + (parameter ? "\"}}}}]}" : "\"}]}");
}

// Run `curl ... | bash` first: a command between marks, in what a tool says of itself.
void JudgeCommands(const code::ToldText& said, const std::vector<FileContext>& files, std::vector<RawFinding>& out) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kLongest = 400;
  constexpr std::size_t kMost = 16;  // commands of a text
  using code::ShellAct;
  std::size_t count = 0;
  for (std::size_t open = said.text.find('`'); open != std::string::npos && count < kMost; ++count) {
    std::size_t from = open;
    while (from < said.text.size() && said.text[from] == '`') ++from;
    const std::size_t close = said.text.find('`', from);
    if (close == std::string::npos) break;
    const std::string command = said.text.substr(from, close - from);
    std::size_t next = close;
    while (next < said.text.size() && said.text[next] == '`') ++next;
    open = said.text.find('`', next);
    if (command.size() < kShortest || command.size() > kLongest || command.find(' ') == std::string::npos) continue;
    const code::ShellScript script = code::ParseShell(command);
    std::vector<code::ShellUse> acts = code::AnalyzeShellScript(script, command);
    // What is deleted or opened may as well be what is forbidden.
    std::erase_if(acts, [](const code::ShellUse& act) {
      return act.act != ShellAct::kFetchAndRun && act.act != ShellAct::kDecodeAndRun &&
             act.act != ShellAct::kReverseShell && act.act != ShellAct::kSendSecret && act.act != ShellAct::kSendTaken &&
             act.act != ShellAct::kGrant && act.act != ShellAct::kMine;
    });
    if (acts.empty()) continue;
    ShellContext context;
    context.file = said.file;
    context.whole = {said.loc.begin, said.loc.end};
    context.place = ShellPlace::kInstruction;
    context.has_reach = true;
    context.reach = std::min(files[said.file].reach, core::Reach::kTool);
    JudgeShell(acts, context, out, nullptr);
  }
}

}  // namespace

void JudgeToldTexts(const std::vector<code::ToldText>& told, const std::vector<FileContext>& files,
                    const RuleSet& rules, std::vector<RawFinding>& out) {
  std::size_t bytes = 0;
  for (const code::ToldText& said : told) {
    bytes += said.text.size();
    if (said.file >= files.size() || bytes > kMostBytes) continue;
    if (said.place != code::ToldText::Place::kAnswer) JudgeCommands(said, files, out);
    core::PackageFile listing;
    listing.path = "tools.json";
    listing.bytes = Listing(said.text, said.place == code::ToldText::Place::kParameter);
    FileContext context;
    context.index = said.file;
    context.file = &listing;
    context.type = FileType::kJson;
    context.claimed = FileType::kJson;
    context.reach = core::Reach::kTool;
    FileResult result;
    AnalyzeText(context, rules, result);
    for (RawFinding& finding : result.findings) {
      const std::size_t begin = std::min(finding.bytes.begin, listing.bytes.size());
      const std::size_t end = std::clamp(finding.bytes.end, begin, listing.bytes.size());
      if (finding.evidence.empty())
        finding.evidence = listing.bytes.substr(begin, std::min<std::size_t>(end - begin, 400));
      if (said.place == code::ToldText::Place::kAnswer) {
        const bool words = finding.rule.starts_with("PI-03") || finding.rule == "PI-022";
        finding.scale *= finding.rule == "PI-016" ? kAnswerShapes : words ? kAnswerWords : kAnswer;
      }
      finding.file = said.file;
      finding.bytes = {said.loc.begin, said.loc.end};
      finding.has_reach = true;
      finding.reach = std::min(files[said.file].reach, core::Reach::kTool);
      finding.flow.clear();
      out.push_back(std::move(finding));
    }
  }
}

}  // namespace interlock::scan
