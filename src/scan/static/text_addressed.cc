#include "static/text_addressed.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "static/ascii.h"
#include "static/part_set.h"

namespace interlock::scan {
namespace {

constexpr std::array kReaders = std::to_array<std::string_view>(
    {"agents", "assistants", "llms", "copilots", "chatbots", "models", "agent", "assistant", "llm", "ai"});
constexpr std::size_t kPlural = 6;  // of kReaders: they need no colon to be spoken to

bool IsReader(std::string_view word, std::size_t count = kReaders.size()) {
  return std::find(kReaders.begin(), kReaders.begin() + static_cast<std::ptrdiff_t>(count), word) !=
         kReaders.begin() + static_cast<std::ptrdiff_t>(count);
}

bool Is(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// "For AI assistants", "Notes to coding agents", "Agent instructions", "Coding agents", "If an agent installs this".
bool Dedicates(const TextCanvas& canvas, const TextPassage& heading) {
  bool to = false;
  bool reader = false;
  bool other = false;
  bool supposes = false;
  std::string_view last;
  for (std::uint32_t s = heading.first; s < heading.last; ++s) {
    const TextSentence& sentence = canvas.sentences[s];
    for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
      const std::string_view word = canvas.Of(canvas.tokens[t]);
      if ((to || supposes) && IsReader(word)) return true;
      supposes = supposes || Is(word, {"if", "when"});
      if ((reader || IsReader(last)) && Is(word, {"instructions", "notes", "guidance", "directives"})) return true;
      last = word;
      to = Is(word, {"for", "to"}) || (to && Is(word, {"ai", "coding", "llm", "the", "any", "all", "other"}));
      reader = reader || IsReader(word, kPlural);
      other = other || !(IsReader(word) || Is(word, {"coding", "and", "other", "all"}));
    }
  }
  return reader && !other;
}

// "To the language model summarising this page: ...", "Note for any AI reading this file: ...": who is meant stands
// before what he is told.
bool Calls(const TextCanvas& canvas, const TextSentence& sentence) {
  constexpr std::uint32_t kMostBefore = 6;   // words up to the reader
  constexpr std::uint32_t kMostBehind = 10;  // ... and from there to the colon
  std::uint32_t t = sentence.first;
  const auto word = [&](std::uint32_t at) { return canvas.Of(canvas.tokens[at]); };
  while (t < sentence.last && Is(word(t), {"note", "notice", "message", "instructions", "attention", "important"})) ++t;
  if (t >= sentence.last || !Is(word(t), {"to", "for"})) return false;
  const std::uint32_t most = std::min(sentence.last, t + kMostBefore);
  const auto is_reader = [&](std::uint32_t at) {
    return IsReader(word(at)) || (word(at) == "model" && word(at - 1) == "language");
  };
  while (t < most && !is_reader(t)) ++t;
  if (t == most) return false;
  const std::uint32_t end = std::min(sentence.last, t + kMostBehind);
  for (; t + 1 < end; ++t) {
    const std::uint32_t from = canvas.tokens[t].end();
    const std::string_view gap = std::string_view(canvas.text).substr(from, canvas.tokens[t + 1].begin - from);
    if (gap.find(':') != std::string_view::npos) return true;
  }
  return false;
}

// "Assistants doing the upgrade start it first", "Coding agents: run ..."; not "agents are listed below".
bool Opens(const TextCanvas& canvas, const TextSentence& sentence) {
  std::uint32_t t = sentence.first;
  while (t < sentence.last && Is(canvas.Of(canvas.tokens[t]), {"ai", "coding", "any", "all", "note", "to", "for"})) ++t;
  if (t + 1 >= sentence.last || !IsReader(canvas.Of(canvas.tokens[t]))) return false;
  const TextToken& reader = canvas.tokens[t];
  const TextToken& next = canvas.tokens[t + 1];
  const std::string_view gap = std::string_view(canvas.text).substr(reader.end(), next.begin - reader.end());
  if (gap.find(':') != std::string_view::npos) return true;
  return IsReader(canvas.Of(reader), kPlural) &&
         !Is(canvas.Of(next), {"are", "is", "can", "may",  "have", "has",   "use", "get", "will", "and",
                               "or",  "of", "in",  "with", "were", "could", "for", "to",  "on",   "by"});
}

// Hidden from whoever reads the document, and told to be kept from him: it is meant for a program that reads it, and
// what package it stands in makes no difference.
void RaiseHushed(std::vector<RawFinding>& findings) {
  std::vector<std::uint32_t> hushed;  // where each such sentence begins
  for (const RawFinding& finding : findings) {
    if (finding.rule == "PI-010") hushed.push_back(static_cast<std::uint32_t>(finding.bytes.begin));
  }
  std::ranges::sort(hushed);
  for (RawFinding& finding : findings) {
    if (finding.rule != "PI-009" || finding.has_reach) continue;
    const auto within = std::ranges::lower_bound(hushed, finding.bytes.begin);
    if (within == hushed.end() || *within >= finding.bytes.end) continue;
    finding.has_reach = true;
    finding.reach = core::Reach::kAgent;
  }
}

bool CallsIn(const TextCanvas& canvas, const TextPassage& passage) {
  for (std::uint32_t s = passage.first; s < passage.last; ++s) {
    if (Calls(canvas, canvas.sentences[s])) return true;
  }
  return false;
}

// One entry a passage of the canvas.
std::vector<bool> Addressed(const TextCanvas& canvas) {
  std::vector<bool> out(canvas.passages.size(), false);
  std::vector<bool> sections(canvas.sections.size(), false);
  for (const TextPassage& passage : canvas.passages) {
    if (passage.shape == TextShape::kHeading && Dedicates(canvas, passage)) sections[passage.section] = true;
  }
  for (std::size_t p = 0; p < canvas.passages.size(); ++p) {
    const TextPassage& passage = canvas.passages[p];
    out[p] = sections[passage.section] || SpeaksToAgents(canvas, passage);
  }
  return out;
}

}  // namespace

bool SpeaksToAgents(const TextCanvas& canvas, const TextPassage& passage) {
  for (std::uint32_t s = passage.first; s < passage.last; ++s) {
    if (Opens(canvas, canvas.sentences[s])) return true;
  }
  return CallsIn(canvas, passage);
}

bool IsGivenText(const FileContext& file, const TextCanvas& canvas, const TextPassage& passage) {
  constexpr std::uint32_t kManyWords = 40;
  if ((passage.kind & (kSurfaceConfig | kSurfaceComment)) != 0 && !IsCode(file.type)) return true;
  if ((passage.kind & kSurfaceComment) != 0 && SpeaksToAgents(canvas, passage)) return true;
  if ((passage.kind & kSurfaceString) == 0 || passage.last <= passage.first) return false;
  return canvas.sentences[passage.last - 1].last - canvas.sentences[passage.first].first >= kManyWords;
}

bool IsShownProse(const FileContext& file, const TextPassage& passage, const TextSurface& surface) {
  if (passage.shape != TextShape::kCode || file.type != FileType::kMarkdown) return false;
  return Is(surface.subject, {"", "markdown", "md", "text", "txt", "plaintext", "prompt"});
}

void RaiseAddressed(const TextCanvas& canvas, bool whole, std::vector<RawFinding>& findings) {
  if (findings.empty()) return;
  RaiseHushed(findings);
  const std::vector<bool> addressed = Addressed(canvas);
  struct Span {
    base::ByteSpan bytes;
    bool calls = false;
  };
  std::vector<Span> spans;
  for (std::size_t p = 0; p < addressed.size(); ++p) {
    if (whole || addressed[p]) spans.push_back({canvas.passages[p].bytes, CallsIn(canvas, canvas.passages[p])});
  }
  const auto begin_of = [](const Span& span) { return span.bytes.begin; };
  std::ranges::sort(spans, {}, begin_of);
  for (RawFinding& finding : findings) {
    if (finding.has_reach) continue;
    const auto after = std::ranges::upper_bound(spans, finding.bytes.begin, {}, begin_of);
    if (after == spans.begin() || finding.bytes.begin >= std::prev(after)->bytes.end) continue;
    // By its wording alone, what agents are told in a section of theirs is how to work on the project, mostly.
    if (finding.rule.starts_with("PI-03") && !std::prev(after)->calls) continue;
    finding.has_reach = true;
    finding.reach = core::Reach::kAgent;
  }
}

double WeightOfFirstStep(const RawFinding& finding, std::string_view text) {
  constexpr double kOfFirstStep = 0.5;
  constexpr std::size_t kHead = 800;  // from a function's name to what its text opens with
  if ((finding.rule != "PI-012" && finding.rule != "PI-026") || finding.concrete) return 1.0;
  if (!finding.has_reach || finding.reach != core::Reach::kTool) return 1.0;
  std::string name = LowerCase(finding.subject);
  if (name.empty()) {
    const std::string_view before = text.substr(0, finding.bytes.begin);
    const std::size_t at = before.rfind("def ");
    if (at != std::string_view::npos && before.size() - at <= kHead)
      name = LowerCase(before.substr(at + 4, before.find('(', at) - at - 4));
  }
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] >= 'a' && name[i] <= 'z') {
      word += name[i];
      continue;
    }
    if (IsOneOf(word, {"init", "initialize", "initialise", "start", "setup", "connect", "login", "authenticate", "auth",
                       "session", "activate", "onboarding", "open", "register", "instructions", "quickstart"})) {
      return kOfFirstStep;
    }
    word.clear();
  }
  return 1.0;
}

}  // namespace interlock::scan
