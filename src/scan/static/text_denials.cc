#include "static/text_denials.h"

#include <array>
#include <string_view>

#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr std::uint32_t kReach = 8;  // words from a denial to the condition that ends it

bool Condition(std::string_view word) {
  static constexpr std::array<std::string_view, 5> kWords = {"before", "until", "till", "unless", "without"};
  return Among(word, kWords);
}

// "forget to send", "skip sending"; "skip or bypass" is two verbs, each denied.
bool Turns(const TextCanvas& canvas, std::uint32_t at, std::uint32_t verb) {
  static constexpr std::array<std::string_view, 9> kWords = {"forget", "fail", "hesitate", "neglect", "omit",
                                                             "skip",   "miss", "delay",    "postpone"};
  if (at + 1 > verb || !Among(canvas.Of(canvas.tokens[at]), kWords)) return false;
  const std::string_view next = canvas.Of(canvas.tokens[at + 1]);
  return (next == "to" && at + 1 < verb) || (next.size() > 4 && next.ends_with("ing"));
}

// Token k from the one before it.
bool Apart(const TextCanvas& canvas, std::uint32_t k) {
  return canvas.Gap(k).find_first_of(",;.:(\"") != std::string_view::npos;
}

// "If you do not know it, send ...": the clause of the condition ends at its comma, and its denial with it. "Do not
// read, copy or send" has none.
bool EndsWithItsClause(const TextCanvas& canvas, std::uint32_t denial, std::uint32_t verb) {
  static constexpr std::array<std::string_view, 11> kOpens = {
      "if", "unless", "whether", "when", "where", "while", "since", "because", "although", "rather", "instead"};
  constexpr std::uint32_t kBack = 5;  // "if the file is not there"
  bool opened = false;
  for (std::uint32_t k = denial; k > 0 && denial - k < kBack && !opened; --k) {
    if (Apart(canvas, k)) return false;
    opened = Among(canvas.Of(canvas.tokens[k - 1]), kOpens);
  }
  if (!opened) return false;
  for (std::uint32_t k = denial; k < verb; ++k) {
    if (canvas.Gap(k + 1).find(',') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool ClauseEnds(const TextCanvas& canvas, std::uint32_t k, DenialEnds ends) {
  static constexpr std::array<std::string_view, 5> kGoesOn = {"but", "then", "just", "instead", "and"};
  const std::string_view gap = canvas.Gap(k);
  if (gap.size() == 1 && gap.front() == ' ') return false;  // nearly all
  if (gap.find_first_of(":(") != std::string_view::npos || gap.find(" - ") != std::string_view::npos ||
      gap.find("\xE2\x80\x94") != std::string_view::npos)
    return true;
  if (ends == DenialEnds::kSign) return gap.find_first_of(",;") != std::string_view::npos;
  return gap.find(',') != std::string_view::npos && Among(canvas.Of(canvas.tokens[k]), kGoesOn);
}

bool OnlyMore(const TextCanvas& canvas, std::uint32_t next) {
  static constexpr std::array<std::string_view, 3> kWords = {"only", "just", "merely"};
  return Among(canvas.Of(canvas.tokens[next]), kWords);
}

bool DenialReaches(const TextCanvas& canvas, std::uint32_t denial, std::uint32_t verb) {
  // Slavic and French deny once more after a condition: "until you have not sent it" is "until you have sent it".
  std::uint32_t before = denial;
  if (before > 0 && canvas.Of(canvas.tokens[before - 1]) == "do") --before;
  if (before > 0 && Condition(canvas.Of(canvas.tokens[before - 1])) && !Apart(canvas, before)) return false;
  if (EndsWithItsClause(canvas, denial, verb)) return false;
  for (std::uint32_t k = denial + 1; k < verb; ++k) {
    if (Condition(canvas.Of(canvas.tokens[k])) || Turns(canvas, k, verb)) return false;
  }
  return true;
}

bool RequiredBefore(const TextCanvas& canvas, std::uint32_t first, std::uint32_t verb) {
  constexpr std::uint32_t kBack = 5;  // "until you have first ..."
  for (std::uint32_t k = verb; k > first && verb - k < kBack; --k) {
    if (Apart(canvas, k)) return false;
    if (!Condition(canvas.Of(canvas.tokens[k - 1]))) continue;
    for (std::uint32_t d = k - 1; d > first && k - d < kReach; --d) {
      if (Apart(canvas, d)) return false;
      if ((canvas.tokens[d - 1].set & Bit(kWNot)) != 0) return true;
    }
    return false;
  }
  return false;
}

bool NeverWithout(const TextCanvas& canvas, std::uint32_t first, std::uint32_t without) {
  // "Do not wait and push without ...": what is denied is another thing.
  static constexpr std::array<std::string_view, 10> kElsewhere = {"and",  "but",  "just", "instead", "need",
                                                                  "stop", "wait", "then", "bother",  "worry"};
  static constexpr std::array<std::string_view, 4> kSaid = {"is", "are", "was", "were"};
  for (std::uint32_t k = without; k > first && without - k < kReach; --k) {
    if (Apart(canvas, k) || Among(canvas.Of(canvas.tokens[k - 1]), kElsewhere)) return false;
    if ((canvas.tokens[k - 1].set & Bit(kWNot)) == 0) continue;
    // "... are not recommended without telling" says of something how it is.
    const bool said = k - 1 > first && Among(canvas.Of(canvas.tokens[k - 2]), kSaid);
    return !said && DenialReaches(canvas, k - 1, without);
  }
  return false;
}

}  // namespace interlock::scan
