// meaning/words.txt to the table that WordModel asks.
#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "bake/bake.h"
#include "interlock/base/check.h"
#include "static/text_lexicon.h"
#include "static/word_model.h"

namespace interlock::scan {
namespace {

// "-1.03": with two decimals, as all weights but the bias have.
float HundredthsIn(std::string_view number) {
  const bool minus = number.starts_with('-');
  int hundredths = 0;
  for (const char c : number.substr(minus ? 1 : 0)) {
    if (c == '.') continue;
    INTERLOCK_CHECK(c >= '0' && c <= '9', "the shipped weights of words are numbers");
    hundredths = hundredths * 10 + (c - '0');
  }
  return static_cast<float>(minus ? -hundredths : hundredths) / 100.0F;
}

}  // namespace

// Lines of weight, a tab, and one or two words; between words that have another between them stands "_".
void BakeWords(std::string_view text, BakedWriter& out) {
  double bias = 0.0;
  std::vector<std::pair<std::uint64_t, float>> keys;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;  // a comment
    const std::string_view words = line.substr(tab + 1);
    if (words.empty()) {
      float number = 0.0F;
      const auto read = std::from_chars(line.data(), line.data() + tab, number);
      INTERLOCK_CHECK(read.ec == std::errc{}, "the shipped bias is a number");
      bias = number;
      continue;
    }
    INTERLOCK_CHECK(tab > 3 && line[tab - 3] == '.', "the shipped weights of words have two decimals");
    const float weight = HundredthsIn(line.substr(0, tab));
    const std::size_t first = words.find(' ');
    if (first == std::string_view::npos) {
      keys.emplace_back(WordModel::KeyOf(HashWord(words)), weight);
      continue;
    }
    const std::size_t last = words.rfind(' ');
    keys.emplace_back(WordModel::KeyOf(HashWord(words.substr(0, first)), HashWord(words.substr(last + 1)),
                                       last == first ? WordModel::kNext : WordModel::kSkip),
                      weight);
  }
  std::vector<WordModel::Slot> slots(std::bit_ceil(std::max<std::size_t>(keys.size() * 2, 64)));
  std::vector<std::uint64_t> known(WordModel::kKnownBits / 64);
  const std::uint64_t mask = slots.size() - 1;
  for (const auto& [key, weight] : keys) {
    const std::uint32_t tag = WordModel::TagOf(key);
    std::size_t i = key & mask;
    while (slots[i].tag != 0 && slots[i].tag != tag) i = (i + 1) & mask;
    slots[i] = {tag, std::bit_cast<std::uint32_t>(weight)};
    const std::size_t bit = WordModel::BitOf(key);
    known[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  out.Put(bias);
  out.PutAll(slots);
  out.PutAll(known);
}

}  // namespace interlock::scan
