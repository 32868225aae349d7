#include "words.h"

namespace interlock::bounds {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLetter(char c) { return IsUpper(c) || IsLower(c) || (static_cast<unsigned char>(c) & 0x80U) != 0; }

bool Ends(std::string_view word, std::string_view tail) {
  return word.size() > tail.size() + 2 && word.substr(word.size() - tail.size()) == tail;
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view text, std::size_t max_words) {
  std::vector<std::string> words;
  std::string word;
  char previous = ' ';
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (words.size() >= max_words) return words;
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
