#include "formats.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace interlock::provenance::internal {
namespace {

constexpr std::size_t kMaxGroups = 8;  // of one number; also of a telephone number
constexpr std::size_t kPhoneTail = 9;  // national numbers have this many digits or more nearly everywhere

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Small letters as a set.
constexpr std::uint32_t LetterSet(std::string_view letters) {
  std::uint32_t set = 0;
  for (const char letter : letters) set |= 1u << (letter - 'a');
  return set;
}
// Whether a word of a list whose words start with one of `letters` can start with `c`.
bool MayStart(std::uint32_t letters, char c) {
  return c >= 'a' && c <= 'z' && (letters >> static_cast<unsigned>(c - 'a') & 1u) != 0;
}

class Finder {
 public:
  Finder(std::string_view raw, const TokenList& list, bool plain_numbers, std::vector<FormatHit>& hits)
      : raw_(raw), list_(list), plain_numbers_(plain_numbers), hits_(hits) {}

  void Run() {
    const std::size_t n = size();
    const Token* const tokens = list_.tokens.data();
    for (std::size_t i = 0; i < n;) {
      std::size_t digit = i;
      while (digit < n && !tokens[digit].has_digit) ++digit;
      if (digit == n) break;
      const bool before_digit = digit > i;  // a month, perhaps
      if (before_digit) i = digit - 1;
      const Token& token = tokens[i];
      std::size_t taken = 0;
      if (!before_digit || Month(i) != 0) taken = Date(i);
      if (taken == 0 && token.has_digit) taken = Grouped(i);
      if (taken == 0 && token.all_digits) taken = Phone(i);
      if (taken == 0 && token.has_digit) taken = Number(i);
      i += std::max<std::size_t>(taken, 1);
    }
  }

 private:
  [[nodiscard]] std::size_t size() const { return list_.tokens.size(); }
  [[nodiscard]] std::string_view word(std::size_t i) const { return list_.word(i); }
  [[nodiscard]] bool digits(std::size_t i) const { return i < size() && list_.tokens[i].all_digits; }
  // What stands between word i and the next; empty past the end.
  [[nodiscard]] std::string_view Between(std::size_t i) const {
    if (i + 1 >= size()) return {};
    const std::size_t from = list_.tokens[i].end;
    const std::size_t to = list_.tokens[i + 1].begin;
    return from < to ? raw_.substr(from, to - from) : std::string_view();
  }
  [[nodiscard]] char Before(std::size_t i) const {
    const std::size_t at = list_.tokens[i].begin;
    return at > 0 ? raw_[at - 1] : ' ';
  }
  [[nodiscard]] char After(std::size_t i) const {
    const std::size_t at = list_.tokens[i].end;
    return at < raw_.size() ? raw_[at] : ' ';
  }

  // 1 to 12 for the name of a month in English, or its first three letters.
  [[nodiscard]] int Month(std::size_t i) const {
    if (i >= size()) return 0;
    static constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                              "may",       "june",     "july",     "august",
                                                              "september", "october",  "november", "december"};
    constexpr std::uint32_t kStarts = LetterSet("adfjmnos");
    const std::string_view name = word(i);
    if (name.size() < 3 || !MayStart(kStarts, name[0])) return 0;
    for (std::size_t m = 0; m < kMonths.size(); ++m) {
      if (name == kMonths[m] || name == kMonths[m].substr(0, 3) || (m == 8 && name == "sept")) {
        return static_cast<int>(m) + 1;
      }
    }
    return 0;
  }

  [[nodiscard]] static int Value(std::string_view number) {
    int value = 0;
    for (const char c : number) value = value * 10 + (c - '0');
    return value;
  }
  [[nodiscard]] int Year(std::size_t i) const {
    if (!digits(i) || word(i).size() != 4) return 0;
    const int year = Value(word(i));
    return year >= 1800 && year <= 2200 ? year : 0;
  }
  // One or two digits, "1st", "22nd", ...
  [[nodiscard]] int Small(std::size_t i, bool ordinal) const {
    if (i >= size()) return 0;
    std::string_view text = word(i);
    if (ordinal && text.size() > 2 && text.size() <= 4) {
      const std::string_view tail = text.substr(text.size() - 2);
      if (tail == "st" || tail == "nd" || tail == "rd" || tail == "th") text.remove_suffix(2);
    }
    if (text.empty() || text.size() > 2 || !std::ranges::all_of(text, IsDigit)) return 0;
    return Value(text);
  }
  [[nodiscard]] int Day(std::size_t i, bool ordinal = false) const {
    const int day = Small(i, ordinal);
    return day <= 31 ? day : 0;
  }
  [[nodiscard]] bool Loose(std::size_t i) const {  // "May 5, 2024", "5-May-2024", "5. May 2024"
    const std::string_view between = Between(i);
    return !between.empty() && between.size() <= 3 && between.find_first_not_of(" ,.-/") == std::string_view::npos;
  }

  bool TakeDate(std::size_t first, std::size_t last, int year, int month, int day) {
    if (year == 0 || month < 1 || month > 12 || day < 1) return false;
    std::string key = std::to_string((year * 100 + month) * 100 + day);
    Take(Format::kDate, first, last, std::move(key));
    return true;
  }

  std::size_t Date(std::size_t i) {
    if (i + 2 >= size()) return 0;
    const std::string_view gap = Between(i);
    const char sep = gap.size() == 1 ? gap[0] : '\0';
    if ((sep == '-' || sep == '/' || sep == '.') && Between(i + 1) == gap && digits(i)) {
      if (Year(i) != 0) return TakeIso(i);
      const int year = Year(i + 2);
      if (year == 0) return TakeNamed(i);
      const int a = Small(i, false);
      const int b = Small(i + 1, false);
      bool taken = a <= 31 && TakeDate(i, i + 3, year, b, a);
      if (sep != '.' && a != b && b <= 31) taken = TakeDate(i, i + 3, year, a, b) || taken;
      return taken ? 3 : 0;
    }
    return TakeNamed(i);
  }

  std::size_t TakeIso(std::size_t i) {  // also 2024-05-15t10:00: the day's word is "15t10"
    std::string_view day = word(i + 2);
    const std::size_t t = day.find('t');
    if (t == 2 && !digits(i + 2)) day = day.substr(0, t);
    if (day.empty() || day.size() > 2 || !std::ranges::all_of(day, IsDigit) || Value(day) > 31) return 0;
    return TakeDate(i, i + 3, Year(i), Small(i + 1, false), Value(day)) ? 3 : 0;
  }

  std::size_t TakeNamed(std::size_t i) {
    if (const int month = Month(i); month != 0) {
      if (!Loose(i) || !Loose(i + 1)) return 0;
      return TakeDate(i, i + 3, Year(i + 2), month, Day(i + 1, true)) ? 3 : 0;
    }
    const int day = Day(i, true);
    if (day == 0 || !Loose(i)) return 0;
    const std::size_t m = word(i + 1) == "of" ? i + 2 : i + 1;
    if (m + 1 >= size() || Month(m) == 0 || !Loose(m)) return 0;
    return TakeDate(i, m + 2, Year(m + 1), Month(m), day) ? m + 2 - i : 0;
  }

  // Account and card numbers in groups of four, the last one shorter perhaps: GB29 NWBK 6016 1331 9268 19.
  std::size_t Grouped(std::size_t i) {
    if (word(i).size() != 4) return 0;
    const std::string_view gap = Between(i);
    if (gap != " " && gap != "-") return 0;
    std::size_t end = i + 1;
    std::size_t figures = Figures(i);
    std::size_t total = 4;
    while (end < size() && end - i < kMaxGroups + 1 && Between(end - 1) == gap) {
      const std::string_view group = word(end);
      const bool upper = IsUpperGroup(end);
      if (group.size() > 4 || !upper) break;
      figures += Figures(end);
      total += group.size();
      ++end;
      if (group.size() < 4) break;
    }
    const bool card = std::ranges::all_of(word(i), IsDigit);
    if (end - i < 3 || total < 12 || total > 34 || figures * 2 < total) return 0;
    if (!card && !(IsUpperGroup(i) && IsLetter(word(i)[0]) && IsLetter(word(i)[1]) && IsDigit(word(i)[2]) &&
                   IsDigit(word(i)[3]))) {
      return 0;
    }
    std::string key;
    for (std::size_t k = i; k < end; ++k) key += word(k);
    Take(Format::kGrouped, i, end, std::move(key));
    return end - i;
  }
  [[nodiscard]] std::size_t Figures(std::size_t i) const {
    return static_cast<std::size_t>(std::ranges::count_if(word(i), IsDigit));
  }
  // Digits and capital letters, or small letters with digits: words of a sentence end a number in groups.
  [[nodiscard]] bool IsUpperGroup(std::size_t i) const {
    const Token& token = list_.tokens[i];
    if (token.has_digit) return true;
    return std::ranges::all_of(raw_.substr(token.begin, token.end - token.begin),
                               [](char c) { return c >= 'A' && c <= 'Z'; });
  }

  std::size_t Phone(std::size_t i) {
    const bool plus = Before(i) == '+';
    std::string all(word(i));
    std::size_t end = i + 1;
    bool spaced_only = true;
    while (end < size() && digits(end) && end - i < kMaxGroups) {
      const std::string_view gap = Between(end - 1);
      if (gap.empty() || gap.size() > 3 || gap.find_first_not_of(" -.()/") != std::string_view::npos ||
          gap.find("  ") != std::string_view::npos) {
        break;
      }
      const std::size_t size = word(end).size();
      if (size < 2 || size > 5 || all.size() + size > 15) break;
      spaced_only = spaced_only && gap == " ";
      all += word(end);
      ++end;
    }
    const std::size_t groups = end - i;
    if (all.size() < 7 || all.size() > 15) return 0;
    if (groups == 1 && !plus) return 0;
    const bool bracket = Before(i) == '(';
    const bool american = all.size() == 10 && groups == 3 && word(i).size() == 3 && word(i + 1).size() == 3;
    if (!plus && !bracket && !american && (spaced_only || word(i).size() > 5)) {
      if (word(i)[0] != '0' || word(i).size() > 5) return 0;
    }
    if (!plus && groups == 2 && all.size() > 8) {
      if (word(i)[0] != '0') return 0;
    }
    // One dot between groups is a decimal number.
    if (!plus && groups == 2 && Between(i) == ".") return 0;
    Take(Format::kPhone, i, end, std::move(all));
    return groups;
  }

  // A currency sign or three-letter code right before or after.
  [[nodiscard]] bool HasCurrency(std::size_t first, std::size_t last) const {
    static constexpr std::array<std::string_view, 6> kSigns{"$",        "\xE2\x82\xAC", "\xC2\xA3",
                                                            "\xC2\xA5", "\xE2\x82\xB9", "\xE2\x82\xBF"};
    static constexpr std::array<std::string_view, 12> kCodes{"usd", "eur", "gbp",   "jpy",  "chf",     "cad",
                                                             "aud", "inr", "euros", "euro", "dollars", "pounds"};
    const std::string_view before = raw_.substr(0, list_.tokens[first].begin);
    std::string_view after = raw_.substr(list_.tokens[last - 1].end);
    const std::string_view after_space = after.starts_with(' ') ? after.substr(1) : after;
    const auto may_be_sign = [](char c) { return c == '$' || (static_cast<unsigned char>(c) & 0x80) != 0; };
    if ((!before.empty() && may_be_sign(before.back())) || (!after_space.empty() && may_be_sign(after_space.front()))) {
      for (const std::string_view sign : kSigns) {
        if (before.ends_with(sign) || after_space.starts_with(sign)) return true;
      }
    }
    constexpr std::uint32_t kStarts = LetterSet("acdegijpu");
    const auto is_code = [&](std::size_t i) {
      const std::string_view text = word(i);
      return text.size() >= 3 && text.size() <= 7 && MayStart(kStarts, text[0]) &&
             std::ranges::find(kCodes, text) != kCodes.end();
    };
    if (first > 0 && is_code(first - 1) && Between(first - 1).size() == 1) return true;
    return last < size() && is_code(last) && Between(last - 1).size() == 1;
  }

  static void AppendPlain(std::string& key, std::string_view whole, std::string_view fraction) {
    const std::size_t from = std::min(whole.find_first_not_of('0'), whole.size());
    whole.remove_prefix(from);
    key += whole.empty() ? std::string_view("0") : whole;
    const std::size_t used = fraction.find_last_not_of('0');
    fraction = used == std::string_view::npos ? std::string_view() : fraction.substr(0, used + 1);
    if (fraction.empty()) return;
    key += '.';
    key += fraction;
  }

  std::size_t Number(std::size_t i) {
    if (!digits(i)) return 0;
    std::array<char, kMaxGroups> seps{};
    std::size_t groups = 1;
    while (groups < kMaxGroups && digits(i + groups)) {
      const char sep = NumberSeparator(Between(i + groups - 1));
      if (sep == 0) break;
      seps[groups - 1] = sep;
      ++groups;
    }
    const std::size_t end = i + groups;
    const std::string_view first = word(i);
    const bool ends_in_more = digits(end) && NumberSeparator(Between(end - 1)) != 0;
    if (ends_in_more || Before(i) == '_' || After(end - 1) == '_') return groups;
    const char last_sep = groups > 1 ? seps[groups - 2] : '\0';
    const auto thousands = [&](std::size_t count, char sep) {  // first `count` groups are one whole number
      if (first.size() > 3) return false;
      for (std::size_t k = 1; k < count; ++k) {
        if (seps[k - 1] != sep || word(i + k).size() != 3) return false;
      }
      return true;
    };
    const auto join = [&](std::size_t count) {
      std::string whole;
      for (std::size_t k = 0; k < count; ++k) whole += word(i + k);
      return whole;
    };
    if (groups == 1) {
      const bool marked = HasCurrency(i, end);
      const bool percent = After(i) == '%';
      if (plain_numbers_ || marked || percent) TakeNumber(i, end, first, {}, marked, percent);
      return 1;
    }
    if (groups == 2 && (last_sep == '.' || last_sep == ',')) {
      const std::string_view second = word(i + 1);
      const bool three = second.size() == 3 && first.size() <= 3 && first[0] != '0';
      if (last_sep == '.' || second.size() <= 2) TakeNumber(i, end, first, second, true, After(end - 1) == '%');
      if (three) TakeNumber(i, end, join(2), {}, true, false);
      return 2;
    }
    if (seps[0] != '.' && thousands(groups, seps[0])) {
      TakeNumber(i, end, join(groups), {}, true, false);
    } else if (thousands(groups, '.')) {
      TakeNumber(i, end, join(groups), {}, true, false);
    } else if ((last_sep == '.' || last_sep == ',') && last_sep != seps[0] && thousands(groups - 1, seps[0])) {
      TakeNumber(i, end, join(groups - 1), word(end - 1), true, After(end - 1) == '%');
    }
    return groups;
  }

  // The separator as one character, ' ' for the spaces that typesetters put into numbers; 0 for others.
  [[nodiscard]] static char NumberSeparator(std::string_view gap) {
    if (gap == "." || gap == "," || gap == "'") return gap[0];
    return gap == "\xC2\xA0" || gap == "\xE2\x80\xAF" || gap == "\xE2\x80\x89" ? ' ' : '\0';
  }

  void TakeNumber(std::size_t first, std::size_t last, std::string_view whole, std::string_view fraction, bool marked,
                  bool percent) {
    std::string key;
    AppendPlain(key, whole, fraction);
    Take(Format::kNumber, first, last, std::move(key));
    hits_.back().marked = marked || HasCurrency(first, last);
    hits_.back().percent = percent;
  }

  void Take(Format format, std::size_t first, std::size_t last, std::string key) {
    hits_.push_back({.format = format,
                     .first = static_cast<std::uint32_t>(first),
                     .last = static_cast<std::uint32_t>(last),
                     .key = std::move(key)});
  }

  std::string_view raw_;
  const TokenList& list_;
  bool plain_numbers_;
  std::vector<FormatHit>& hits_;
};

}  // namespace

void FindFormats(std::string_view raw, const TokenList& list, bool plain_numbers, std::vector<FormatHit>& hits) {
  hits.clear();
  Finder(raw, list, plain_numbers, hits).Run();
}

std::optional<std::int64_t> ScaledNumber(std::string_view number) {
  const std::size_t dot = number.find('.');
  const std::string_view whole = number.substr(0, dot);
  const std::string_view fraction = dot == std::string_view::npos ? std::string_view() : number.substr(dot + 1);
  if (whole.size() > 12 || fraction.size() > 4) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : whole) value = value * 10 + (c - '0');
  for (std::size_t i = 0; i < 4; ++i) value = value * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return value;
}

std::string_view PhoneTail(std::string_view digits) noexcept {
  return digits.size() > kPhoneTail ? digits.substr(digits.size() - kPhoneTail) : digits;
}

}  // namespace interlock::provenance::internal
