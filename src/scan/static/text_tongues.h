// Languages that have a list of words of their own (meaning/languages/*.txt), read only for texts of that language:
// stems with the endings that may follow them, words that hang on others, verbs that stand last.
//
// A file has lines `English: word word ...`. In a word `_` stands for a blank. A word that ends in `-` or `~` is a
// stem; what may follow it says `endings -:`, or `parts -:` where endings are put together from parts. `word=not` and
// an ending `xyz=and` say more than the stem; so do `prefixes:`. `order: verb-last` and a verb's `English*:` have verbs
// put where English has them. `#` begins a comment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace interlock::scan {

enum class Tongue : std::uint8_t {
  kPolish,
  kCzech,
  kSwedish,
  kDanish,  // and Norwegian
  kTurkish,
  kIndonesian,
  kVietnamese,
  kUkrainian,
  kKorean,
  kArabic,
  kHindi,
};
inline constexpr std::size_t kTongues = 11;

// What the form of a word says beside the word.
enum class WordForm : std::uint8_t { kPlain, kNot, kWithout, kAnd, kMust, kIng };

struct TongueGloss {
  std::string_view english;  // empty: not listed
  std::size_t words = 0;     // that it stands for
  std::size_t rest = 0;      // bytes of the last of them that were not read: a word written together with the next
  WordForm form = WordForm::kPlain;
  bool verb = false;
  bool after_and = false;  // "and" hangs before it
};

class TongueWords {
 public:
  // Read when it is first asked for.
  [[nodiscard]] static const TongueWords& Of(Tongue tongue);
  // The file as it stands in meaning/languages; what is wrong with it is fatal, and a test loads all of them.
  explicit TongueWords(Tongue tongue, std::string_view file);
  ~TongueWords();

  // A word in the one form that lists have: lower case, without the marks that people leave out, composed.
  void Fold(std::string_view word, std::string& out) const;
  // The longest phrase that `folded` begins with.
  [[nodiscard]] TongueGloss Find(std::span<const std::string> folded) const;
  // A clause ends with the word, whatever it means.
  [[nodiscard]] bool EndsClause(std::string_view folded) const;
  [[nodiscard]] bool verb_last() const noexcept;
  [[nodiscard]] std::size_t longest() const noexcept;  // words of a phrase

 private:
  struct Lists;
  Tongue tongue_;
  const Lists* lists_;
};

}  // namespace interlock::scan
