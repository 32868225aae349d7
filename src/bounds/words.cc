#include "words.h"

#include <algorithm>
#include <span>

#include "interlock/injection/glossary.h"

namespace interlock::bounds {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLetter(char c) { return IsUpper(c) || IsLower(c) || (static_cast<unsigned char>(c) & 0x80U) != 0; }

std::uint8_t Byte(char c) { return static_cast<std::uint8_t>(c); }

// Bytes of the punctuation outside ASCII that starts at `at`: quotes, dashes, and the marks of Chinese and Japanese.
std::size_t MarkAt(std::string_view text, std::size_t at) {
  const std::uint8_t lead = Byte(text[at]);
  if (lead == 0xC2U && at + 1 < text.size() && Byte(text[at + 1]) < 0xC0U && Byte(text[at + 1]) != 0xAAU &&
      Byte(text[at + 1]) != 0xB5U && Byte(text[at + 1]) != 0xBAU) {
    return 2;
  }
  if (at + 2 >= text.size()) return 0;
  const std::uint8_t next = Byte(text[at + 1]);
  const bool general = lead == 0xE2U && next >= 0x80U && next <= 0xAFU;
  const bool ideographic = lead == 0xE3U && next == 0x80U && Byte(text[at + 2]) != 0x85U;  // U+3005 repeats a letter
  const bool full_width = lead == 0xEFU && next == 0xBCU && (Byte(text[at + 2]) < 0x90U || Byte(text[at + 2]) > 0x99U);
  return general || ideographic || full_width ? 3 : 0;
}

// Capitals of two bytes: Latin-1 and Cyrillic. ASCII is lower already.
void LowerLetters(std::string& word) {
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    const std::uint8_t lead = Byte(word[i]);
    const std::uint8_t next = Byte(word[i + 1]);
    if (lead == 0xC3U && next >= 0x80U && next <= 0x9EU && next != 0x97U) {
      word[i + 1] = static_cast<char>(next + 0x20U);
    } else if (lead == 0xD0U && next >= 0x90U && next <= 0x9FU) {
      word[i + 1] = static_cast<char>(next + 0x20U);
    } else if (lead == 0xD0U && next >= 0xA0U && next <= 0xAFU) {
      word[i] = static_cast<char>(0xD1U);
      word[i + 1] = static_cast<char>(next - 0x20U);
    }
  }
}

bool HasWideScript(std::string_view run) noexcept {
  return std::any_of(run.begin(), run.end(), [](char c) { return Byte(c) >= 0xE3U; });
}

// The listed words of a run without blanks, longest first; what no word claims stays together.
void ReadRun(const injection::Glossary& glossary, std::string_view run, std::size_t max_words,
             std::vector<Reading>& readings) {
  std::size_t begin = 0;
  const auto flush = [&](std::size_t end) {
    if (end > begin && readings.size() < max_words)
      readings.push_back({std::string(run.substr(begin, end - begin)), {}});
  };
  for (std::size_t i = 0; i < run.size() && readings.size() < max_words;) {
    const injection::Gloss gloss = glossary.AtStartOf(run.substr(i));
    if (gloss.words == 0) {
      ++i;
      while (i < run.size() && (Byte(run[i]) & 0xC0U) == 0x80U) ++i;
      continue;
    }
    flush(i);
    if (readings.size() < max_words) readings.push_back({std::string(run.substr(i, gloss.words)), gloss.english});
    i += gloss.words;
    begin = i;
  }
  flush(run.size());
}

bool Ends(std::string_view word, std::string_view tail) {
  return word.size() > tail.size() + 2 && word.substr(word.size() - tail.size()) == tail;
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view text, std::size_t max_words) {
  std::vector<std::string> words;
  std::string word;
  char previous = ' ';
  const auto flush = [&] {
    if (!word.empty()) {
      LowerLetters(word);
      words.push_back(std::move(word));
    }
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (words.size() >= max_words) return words;
    const char c = text[i];
    if (const std::size_t mark = MarkAt(text, i); mark != 0) {
      flush();
      i += mark - 1;
      previous = ' ';
      continue;
    }
    if (!IsLetter(c)) {
      flush();
    } else {
      if (IsUpper(c) && IsLower(previous)) flush();  // camelCase
      word.push_back(IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c);
    }
    previous = c;
  }
  flush();
  return words;
}

std::vector<Reading> ReadingsOf(std::string_view text, std::size_t max_words) {
  const injection::Glossary& glossary = injection::Glossary::Default();
  std::vector<std::string> words = WordsOf(text, max_words);
  std::vector<Reading> readings;
  readings.reserve(words.size());
  for (std::size_t i = 0; i < words.size() && readings.size() < max_words;) {
    if (HasWideScript(words[i])) {
      ReadRun(glossary, words[i], max_words, readings);
      ++i;
      continue;
    }
    const injection::Gloss gloss = glossary.Of(std::span<const std::string>(words).subspan(i));
    readings.push_back({std::move(words[i]), gloss.english});
    i += std::max<std::size_t>(gloss.words, 1);
  }
  return readings;
}

std::string StemOf(std::string_view word) {
  if (Ends(word, "ies")) return std::string(word.substr(0, word.size() - 3)) + "y";
  for (const std::string_view tail : {std::string_view("ing"), std::string_view("ed"), std::string_view("es")}) {
    if (!Ends(word, tail)) continue;
    std::string stem(word.substr(0, word.size() - tail.size()));
    const std::size_t n = stem.size();
    if (tail != "es" && n > 3 && stem[n - 1] == stem[n - 2] && stem[n - 1] != 'l' && stem[n - 1] != 's')
      stem.pop_back();
    if (stem.size() > 3 && stem.back() == 'e') stem.pop_back();
    return stem;
  }
  if (Ends(word, "s") && word[word.size() - 2] != 's') word.remove_suffix(1);
  if (word.size() > 4 && word.back() == 'e') word.remove_suffix(1);
  return std::string(word);
}

std::uint32_t HashOf(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  hash ^= hash >> 29U;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

}  // namespace interlock::bounds
