// The word lists of the stress suite (data/stress_words.json); private to the module.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::eval {

inline constexpr std::size_t kStressLanguages = 4;  // de, fr, es, zh
inline constexpr std::size_t kMaxPhraseWords = 5;

struct StressWords {
  // Keys are lower case, words separated by one space, at most kMaxPhraseWords.
  std::unordered_map<std::string, std::array<std::string, kStressLanguages>> translations;
  std::unordered_map<std::string, std::vector<std::string>> synonyms;
  std::vector<std::string> verbs;
  std::vector<std::string> frames;  // "{}" is the command
  std::vector<std::string> politeness;
  std::vector<std::string> padding;  // templates: {dN} digits, {date}, {time}
  std::vector<std::string> base64_labels;
  std::vector<std::string> hex_labels;
  std::vector<std::string> url_labels;
  std::vector<std::string> html_labels;
  std::vector<std::string> fields;
  std::vector<std::string> split_fields;
  std::vector<std::string> mail_from;
  std::vector<std::string> mail_subjects;
  std::vector<std::pair<char, std::string>> homoglyphs;
  std::vector<std::string> invisible;
};

// kImportShape and every JSON error.
[[nodiscard]] base::Result<StressWords> ParseStressWords(std::string_view json);
// The embedded lists. A test loads them; an error here is a bug.
[[nodiscard]] const StressWords& EmbeddedStressWords();

}  // namespace interlock::eval
