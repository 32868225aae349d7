#include "static/text_addressed.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

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

// "For AI assistants", "Notes to coding agents", "Agent instructions".
bool Dedicates(const TextCanvas& canvas, const TextPassage& heading) {
  bool to = false;
  bool reader = false;
  for (std::uint32_t s = heading.first; s < heading.last; ++s) {
    const TextSentence& sentence = canvas.sentences[s];
    for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
      const std::string_view word = canvas.Of(canvas.tokens[t]);
      if (to && IsReader(word)) return true;
      if (reader && Is(word, {"instructions", "notes", "guidance", "directives"})) return true;
      to = Is(word, {"for", "to"}) || (to && Is(word, {"ai", "coding", "llm", "the", "any", "all", "other"}));
      reader = reader || IsReader(word);
    }
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

}  // namespace

std::vector<bool> AddressedToAgents(const TextCanvas& canvas) {
  std::vector<bool> out(canvas.passages.size(), false);
  std::vector<bool> sections(canvas.sections.size(), false);
  for (const TextPassage& passage : canvas.passages) {
    if (passage.shape == TextShape::kHeading && Dedicates(canvas, passage)) sections[passage.section] = true;
  }
  for (std::size_t p = 0; p < canvas.passages.size(); ++p) {
    const TextPassage& passage = canvas.passages[p];
    bool addressed = sections[passage.section];
    for (std::uint32_t s = passage.first; s < passage.last && !addressed; ++s)
      addressed = Opens(canvas, canvas.sentences[s]);
    out[p] = addressed;
  }
  return out;
}

}  // namespace interlock::scan
