#include "stress_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace interlock::eval {
namespace {

std::string_view Cut(std::string_view text, base::ByteSpan span) {
  return text.substr(span.begin, span.end - span.begin);
}

// The longest phrase of `table` that starts at word `at`: how many words it has, and its entry. None of its words is a
// value, and no punctuation stands inside.
template <class Table>
const typename Table::mapped_type* LongestPhrase(std::string_view text, const std::vector<Word>& words, std::size_t at,
                                                 const Table& table, std::size_t& length) {
  std::string phrase;
  const typename Table::mapped_type* found = nullptr;
  for (std::size_t n = 0; n < kMaxPhraseWords && at + n < words.size(); ++n) {
    const Word& word = words[at + n];
    if (word.value || (n > 0 && word.whole.begin != word.core.begin)) break;
    if (n > 0) phrase += ' ';
    phrase += LowerAscii(Cut(text, word.core));
    if (const auto it = table.find(phrase); it != table.end()) {
      found = &it->second;
      length = n + 1;
    }
    if (word.whole.end != word.core.end) break;
  }
  return found;
}

std::string WithCaseOf(std::string_view model, std::string text) {
  if (!model.empty() && !text.empty() && model[0] >= 'A' && model[0] <= 'Z' && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 32);
  }
  return text;
}

// Words [first, last) with synonyms for half of the phrases that have some.
std::string Reworded(std::string_view text, const std::vector<Word>& words, std::size_t first, std::size_t last,
                     const StressWords& lists, Dice& dice) {
  std::string out;
  for (std::size_t i = first; i < last;) {
    if (i > first) out += ' ';
    std::size_t length = 1;
    const auto* choices = LongestPhrase(text, words, i, lists.synonyms, length);
    if (choices == nullptr || i + length > last || dice.OneIn(4)) {
      out += Cut(text, words[i].whole);
      ++i;
      continue;
    }
    const Word& begin = words[i];
    const Word& end = words[i + length - 1];
    out += Cut(text, {begin.whole.begin, begin.core.begin});
    out += WithCaseOf(Cut(text, begin.core), dice.Pick(*choices));
    out += Cut(text, {end.core.end, end.whole.end});
    i += length;
  }
  return out;
}

bool IsVerb(std::string_view word, const StressWords& lists) {
  return std::find(lists.verbs.begin(), lists.verbs.end(), LowerAscii(word)) != lists.verbs.end();
}

// "verb ... to VALUE ..." : the words [from, to) of the phrase "to VALUE", if there is one.
bool ToPhrase(std::string_view text, const std::vector<Word>& words, std::size_t first, std::size_t last,
              std::size_t& from, std::size_t& to) {
  for (std::size_t i = first + 1; i + 1 < last; ++i) {
    if (words[i].value || !words[i + 1].value || LowerAscii(Cut(text, words[i].whole)) != "to") continue;
    from = i;
    to = i + 2;
    while (to < last && words[to].value && words[to - 1].whole.end == words[to - 1].core.end) ++to;
    return words[to - 1].whole.end == words[to - 1].core.end || to == last;
  }
  return false;
}

void TrimEnd(std::string& text, std::string_view what) {
  while (!text.empty() && what.find(text.back()) != std::string_view::npos) text.pop_back();
}

}  // namespace

std::string Paraphrase(std::string_view text, const StressWords& lists, Dice& dice) {
  const std::vector<Word> words = WordsOf(text);
  std::string out;
  for (std::size_t first = 0; first < words.size();) {
    std::size_t last = first;
    while (last + 1 < words.size() && !words[last].ends_sentence) ++last;
    ++last;
    if (first > 0)
      out += text.substr(words[first - 1].whole.end, words[first].whole.begin - words[first - 1].whole.end);
    // Please, kindly: politeness of the original in front of the verb goes.
    std::size_t verb = first;
    if (verb + 1 < last && LowerAscii(Cut(text, words[verb].core)) == "please") ++verb;
    if (words[verb].value || !IsVerb(Cut(text, words[verb].core), lists)) {
      out += Reworded(text, words, first, last, lists, dice);
      first = last;
      continue;
    }
    std::size_t from = last;
    std::size_t to = last;
    std::string front;
    std::string command;
    if (dice.OneIn(2) && ToPhrase(text, words, verb, last, from, to)) {
      front = "to " + Reworded(text, words, from + 1, to, lists, dice);
      TrimEnd(front, ".,!;:");
      command = Reworded(text, words, verb, from, lists, dice);
      if (to < last) command += ' ' + Reworded(text, words, to, last, lists, dice);
    } else {
      command = Reworded(text, words, verb, last, lists, dice);
    }
    std::string end;
    while (!command.empty() && std::string_view(".!?").find(command.back()) != std::string_view::npos) {
      end = ".";
      command.pop_back();
    }
    if (!words[verb].value && !command.empty())
      command[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(command[0])));
    std::string frame = dice.Pick(lists.frames);
    for (std::size_t hole = frame.find("{}"); hole != std::string::npos;
         hole = frame.find("{}", hole + command.size())) {
      frame.replace(hole, 2, command);
    }
    std::string sentence = front.empty() ? frame : front + ", " + frame;
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    out += sentence + end;
    first = last;
  }
  if (!dice.OneIn(3)) out += (out.empty() || out.back() == '.' ? " " : ". ") + dice.Pick(lists.politeness);
  return out;
}

std::string Translate(std::string_view text, std::size_t language, const StressWords& lists) {
  const std::vector<Word> words = WordsOf(text);
  const bool joins = language == kStressLanguages - 1;  // Chinese writes no spaces between its words
  bool glued = false;
  std::string out;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t gap = i == 0 ? words[0].whole.begin : words[i - 1].whole.end;
    std::size_t length = 1;
    const auto* forms = LongestPhrase(text, words, i, lists.translations, length);
    const std::string_view between = Cut(text, {gap, words[i].whole.begin});
    if (!(joins && glued && forms != nullptr && between == " ")) out += between;
    if (forms == nullptr) {
      out += Cut(text, words[i].whole);
      glued = false;
      ++i;
      continue;
    }
    const Word& begin = words[i];
    const Word& end = words[i + length - 1];
    const std::string_view tail = Cut(text, {end.core.end, end.whole.end});
    const std::string& form = (*forms)[language];
    out += Cut(text, {begin.whole.begin, begin.core.begin});
    out += WithCaseOf(Cut(text, begin.core), form);
    out += tail;
    glued = tail.empty();
    i += length;
  }
  return out;
}

std::string FillTemplate(std::string_view pattern, Dice& dice) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t close = pattern[i] == '{' ? pattern.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += pattern[i];
      continue;
    }
    const std::string_view what = pattern.substr(i + 1, close - i - 1);
    if (what == "date") {
      out += fmt::format("20{:02}-{:02}-{:02}", 18 + dice.Below(9), 1 + dice.Below(12), 1 + dice.Below(28));
    } else if (what == "time") {
      out += fmt::format("{:02}:{:02}", dice.Below(24), dice.Below(60));
    } else if (what.size() == 2 && what[0] == 'd' && what[1] >= '1' && what[1] <= '9') {
      for (char n = '0'; n < what[1]; ++n)
        out += static_cast<char>('0' + (n == '0' ? 1 + dice.Below(9) : dice.Below(10)));
    } else {
      out += pattern.substr(i, close - i + 1);
    }
    i = close;
  }
  return out;
}

std::string Pad(std::string_view text, std::size_t every, const StressWords& lists, Dice& dice) {
  const std::vector<Word> words = WordsOf(text);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += Cut(text, {i == 0 ? 0 : words[i - 1].whole.end, words[i].whole.end});
    if ((i + 1) % every != 0) continue;
    for (std::size_t n = 1 + dice.Below(3); n > 0; --n) out += ' ' + FillTemplate(dice.Pick(lists.padding), dice);
  }
  return out;
}

std::string Homoglyphs(std::string_view text, const StressWords& lists, Dice& dice) {
  std::string out;
  std::size_t done = 0;
  for (const Word& word : WordsOf(text)) {
    if (word.value) continue;
    out += text.substr(done, word.core.begin - done);
    for (const char c : Cut(text, word.core)) {
      const auto it =
          std::find_if(lists.homoglyphs.begin(), lists.homoglyphs.end(), [&](const auto& h) { return h.first == c; });
      if (it != lists.homoglyphs.end() && !dice.OneIn(4)) {
        out += it->second;
      } else {
        out += c;
      }
    }
    done = word.core.end;
  }
  return out += text.substr(done);
}

std::string ZeroWidth(std::string_view text, const StressWords& lists, Dice& dice) {
  std::string out;
  std::size_t done = 0;
  for (const Word& word : WordsOf(text)) {
    if (word.value) continue;
    out += text.substr(done, word.core.begin - done);
    const std::string_view core = Cut(text, word.core);
    for (std::size_t i = 0; i < core.size(); ++i) {
      out += core[i];
      const bool border = i + 1 < core.size() && (static_cast<unsigned char>(core[i + 1]) & 0xC0U) != 0x80U;
      if (border && !dice.OneIn(3)) out += dice.Pick(lists.invisible);
    }
    done = word.core.end;
  }
  return out += text.substr(done);
}

std::string SpacedLetters(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (const Word& word : WordsOf(text)) {
    out += text.substr(done, word.whole.begin - done);
    if (done != 0) out += ' ';  // words stay apart by more than letters do
    const std::string_view core = Cut(text, word.core);
    out += Cut(text, {word.whole.begin, word.core.begin});
    for (std::size_t i = 0; i < core.size(); ++i) {
      out += core[i];
      const bool border = i + 1 < core.size() && (static_cast<unsigned char>(core[i + 1]) & 0xC0U) != 0x80U;
      if (!word.value && border) out += ' ';
    }
    out += Cut(text, {word.core.end, word.whole.end});
    done = word.whole.end;
  }
  return out += text.substr(done);
}

std::string Base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const auto byte = [&](std::size_t n) -> std::uint32_t {
      return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U;
    };
    const std::uint32_t bits = byte(0) << 16U | byte(1) << 8U | byte(2);
    out += kDigits[bits >> 18U];
    out += kDigits[(bits >> 12U) & 63U];
    out += i + 1 < text.size() ? kDigits[(bits >> 6U) & 63U] : '=';
    out += i + 2 < text.size() ? kDigits[bits & 63U] : '=';
  }
  return out;
}

std::string Hex(std::string_view text) {
  std::string out;
  for (const char c : text) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string UrlEncoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80U) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string HtmlEntities(std::string_view text, Dice& dice) {
  const bool hex = dice.OneIn(2);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    std::size_t size = lead < 0x80U ? 1 : lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
    size = std::min(size, text.size() - i);
    std::uint32_t point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t n = 1; n < size; ++n) point = point << 6U | (static_cast<unsigned char>(text[i + n]) & 0x3FU);
    out += hex ? fmt::format("&#x{:x};", point) : fmt::format("&#{};", point);
    i += size;
  }
  return out;
}

std::string QuotedMail(std::string_view text, const StressWords& lists, Dice& dice) {
  std::string out =
      fmt::format("---------- Forwarded message ----------\nFrom: {}\nDate: {}\nSubject: {}\n\n> ",
                  dice.Pick(lists.mail_from), FillTemplate("{date} {time}", dice), dice.Pick(lists.mail_subjects));
  std::size_t column = 0;
  for (const Word& word : WordsOf(text)) {
    const std::string_view whole = Cut(text, word.whole);
    if (column != 0 && column + whole.size() > 70) {
      out += "\n> ";
      column = 0;
    }
    if (column != 0) out += ' ';
    out += whole;
    column += whole.size() + 1;
  }
  return out;
}

std::vector<std::string> Pieces(std::string_view text, Dice& dice) {
  const std::vector<Word> words = WordsOf(text);
  std::vector<std::string> pieces;
  for (std::size_t first = 0; first < words.size();) {
    std::size_t last = std::min(words.size(), first + 3 + dice.Below(5));
    if (words.size() - last < 3) last = words.size();
    pieces.emplace_back(Cut(text, {words[first].whole.begin, words[last - 1].whole.end}));
    first = last;
  }
  return pieces;
}

}  // namespace interlock::eval
