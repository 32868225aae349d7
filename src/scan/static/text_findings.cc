#include "static/text_findings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "interlock/scan/rules.h"
#include "static/classify.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxStrong = 2000;  // findings of one file
constexpr std::size_t kMaxWeak = 1500;
constexpr double kGroundToLook = 0.45;  // confidence
constexpr double kMinWeight = 0.2;
constexpr double kMostOfGlossed = 0.45;  // below a ground of BLOCK

std::string Excerpt(const TextCanvas& canvas, const TextPassage& passage) {
  return canvas.text.substr(passage.begin, std::min<std::size_t>(300, passage.end - passage.begin));
}

}  // namespace

bool TextFindings::Admits(const RawFinding& finding) {
  const Rule* const rule = rules_.Find(finding.rule);
  const double weight = finding.scale * (1.0 - finding.described);
  if (rule == nullptr || weight < kMinWeight) return false;
  return weight * rule->confidence < kGroundToLook ? ++weak_ <= kMaxWeak : ++strong_ <= kMaxStrong;
}

void TextFindings::Push(RawFinding finding, std::uint32_t passage) {
  // Read word by word in a string of a program, it has somebody look, and is no ground to refuse.
  const TextPassage& where = canvas_.passages[passage];
  if (where.glossed && !where.joined && (where.kind & kSurfaceInstruction) == 0)
    finding.scale = std::min(finding.scale, kMostOfGlossed);
  if (!Admits(finding)) return;
  marks_.push_back({out_.findings.size(), canvas_.passages[passage].section, passage});
  out_.findings.push_back(std::move(finding));
}

RawFinding TextFindings::Make(std::string_view rule, const TextPassage& passage, std::uint32_t begin,
                              std::uint32_t end) const {
  RawFinding finding;
  finding.rule = rule;
  finding.file = file_.index;
  if (IsPackageMetadata(file_)) {
    finding.has_reach = true;
    finding.reach = core::Reach::kDocument;
  }
  if (IsCode(file_.type) && file_.reach <= core::Reach::kRuntime) {
    // What a tool says about itself in code is given to the model, as in a listing.
    if ((passage.kind & (kSurfaceDescription | kSurfaceSchema | kSurfaceToolName)) != 0) {
      finding.has_reach = true;
      finding.reach = std::min(file_.reach, core::Reach::kTool);
    } else if ((passage.kind & kSurfaceInstruction) != 0) {
      finding.has_reach = true;
      finding.reach = std::min(file_.reach, core::Reach::kAgent);
    }
  }
  finding.bytes = canvas_.Back(passage, begin, end);
  // A file of characters that are not seen has no surface, and a passage all the same.
  if (!surfaces_.empty()) {
    const TextSurface& surface = surfaces_[std::min<std::size_t>(passage.surface, surfaces_.size() - 1)];
    if (passage.shape != TextShape::kCode && surface.subject.size() <= 120) finding.subject = surface.subject;
  }
  if ((passage.kind & kSurfaceDecoded) != 0 || passage.glossed) finding.decoded = Excerpt(canvas_, passage);
  return finding;
}

}  // namespace interlock::scan
