#include "static/text_told.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "static/surface.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of all texts of a package, and of all instructions

// Answers say how to go on, and honest ones do so at length.
constexpr double kAnswer = 0.8;
// ... and their wording alone proves little: prices, pages, next steps.
constexpr double kAnswerWords = 0.45;
// ... those of a prompt or a resource somewhat more: a model is given them to go by.
constexpr double kGuideWords = 0.7;
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

}  // namespace

std::vector<std::uint32_t> ToldTextsToRead(const std::vector<code::ToldText>& told) {
  std::vector<std::uint32_t> out;
  std::array<std::size_t, 2> bytes = {};  // what tools say crowds out no instruction
  for (std::uint32_t i = 0; i < told.size(); ++i) {
    std::size_t& of = bytes[told[i].place == code::ToldText::Place::kInstruction ? 1 : 0];
    of += told[i].text.size();
    if (of <= kMostBytes) out.push_back(i);
  }
  return out;
}

void JudgeToldText(const code::ToldText& said, const std::vector<FileContext>& files, const RuleSet& rules,
                   std::vector<RawFinding>& out) {
  if (said.file >= files.size()) return;
  const bool instruction = said.place == code::ToldText::Place::kInstruction;
  const bool guide = said.place == code::ToldText::Place::kGuide;
  const bool page = instruction || guide;
  core::PackageFile listing;
  listing.path = page ? "AGENTS.md" : "tools.json";
  listing.bytes = page ? said.text : Listing(said.text, said.place == code::ToldText::Place::kParameter);
  FileContext context;
  context.index = said.file;
  context.file = &listing;
  context.type = context.claimed = page ? FileType::kMarkdown : FileType::kJson;
  context.reach = instruction ? core::Reach::kAgent : core::Reach::kTool;
  FileResult result;
  AnalyzeText(context, rules, result);
  for (RawFinding& finding : result.findings) {
    const std::size_t begin = std::min(finding.bytes.begin, listing.bytes.size());
    const std::size_t end = std::clamp(finding.bytes.end, begin, listing.bytes.size());
    if (finding.evidence.empty())
      finding.evidence = listing.bytes.substr(begin, std::min<std::size_t>(end - begin, 400));
    if (said.place == code::ToldText::Place::kAnswer || guide) {
      const bool words = finding.rule.starts_with("PI-03") || finding.rule == "PI-022";
      const double of_words = guide ? kGuideWords : kAnswerWords;
      finding.scale *= finding.rule == "PI-016" ? kAnswerShapes : words ? of_words : kAnswer;
    }
    finding.file = said.file;
    finding.bytes = {said.loc.begin, said.loc.end};
    finding.has_reach = true;
    const core::Reach reach = files[said.file].reach;
    const bool runs = reach <= core::Reach::kRuntime;  // and what it writes, every agent is told
    finding.reach = !instruction ? std::min(reach, core::Reach::kTool) : runs ? core::Reach::kAgent : reach;
    finding.flow.clear();
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
