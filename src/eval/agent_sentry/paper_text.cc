#include "paper_text.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "interlock/base/byte_classes.h"

namespace interlock::eval::agent_sentry {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAlnum(char c) { return IsAlpha(c) || IsDigit(c); }
constexpr bool IsAsciiSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }
constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

using ByteSet = std::array<bool, 256>;
constexpr ByteSet SetOf(std::string_view bytes) {
  ByteSet set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}

// The lower-case letter or digit a byte stands for, else 0.
constexpr std::array<char, 256> kKept = [] {
  std::array<char, 256> table{};
  for (int c = 0; c < 128; ++c) {
    if (IsAlnum(static_cast<char>(c))) table[static_cast<std::size_t>(c)] = Lower(static_cast<char>(c));
  }
  return table;
}();

// Two letters outside ASCII have ASCII lower case: U+0130 (i and a mark) and U+212A (k).
char KeptOutsideAscii(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "\xC4\xB0") return 'i';
  if (text.substr(at, 3) == "\xE2\x84\xAA") return 'k';
  return 0;
}

UChar32 CodePointAt(std::string_view text, std::size_t at, std::size_t& next) {
  UChar32 c = 0;
  auto i = static_cast<std::int32_t>(at);
  U8_NEXT(reinterpret_cast<const std::uint8_t*>(text.data()), i, static_cast<std::int32_t>(text.size()), c);
  next = static_cast<std::size_t>(i);
  return c;
}

// Length of the white space character at `at`, 0 if there is none.
std::size_t SpaceAt(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (static_cast<unsigned char>(text[at]) < 0x80) return IsAsciiSpace(text[at]) ? 1 : 0;
  std::size_t next = 0;
  const UChar32 c = CodePointAt(text, at, next);
  return c >= 0 && u_isUWhiteSpace(c) ? next - at : 0;
}

bool IsWord(UChar32 c) {
  if (c < 0) return false;
  if (c < 0x80) return IsAlnum(static_cast<char>(c)) || c == '_';
  return (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}
bool WordAt(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  if (static_cast<unsigned char>(text[at]) < 0x80) return IsWord(text[at]);
  std::size_t next = 0;
  return IsWord(CodePointAt(text, at, next));
}
bool WordBefore(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  if (static_cast<unsigned char>(text[at - 1]) < 0x80) return IsWord(text[at - 1]);
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  return WordAt(text, begin);
}
bool BoundaryAt(std::string_view text, std::size_t at) { return WordBefore(text, at) != WordAt(text, at); }

template <class Function>
std::string Mapped(std::string_view text, Function function) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), function);
  return out;
}

bool DigitsAt(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at),
                     text.begin() + static_cast<std::ptrdiff_t>(at + count), IsDigit);
}

// Two letters, two digits, four to thirty letters or digits; a whole word.
void FindIbans(std::string_view text, std::vector<std::string>& out) {
  for (std::size_t i = 0; i + 8 <= text.size();) {
    if (!IsAlnum(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && IsAlnum(text[end])) ++end;
    const std::size_t size = end - i;
    if (size >= 8 && size <= 34 && IsAlpha(text[i]) && IsAlpha(text[i + 1]) && DigitsAt(text, i + 2, 2) &&
        !WordBefore(text, i) && !WordAt(text, end)) {
      out.push_back(Mapped(text.substr(i, size), Upper));
    }
    i = end;
  }
}

constexpr bool IsLocal(char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '%' || c == '+' || c == '-'; }
constexpr bool IsDomain(char c) { return IsAlnum(c) || c == '.' || c == '-'; }
constexpr bool IsTop(char c) { return IsAlpha(c) || c == '|'; }  // the original's class holds the bar

// End of the longest `domain.top` that begins at `from`, or npos: the last dot whose top part is long enough.
std::size_t DomainEnd(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && IsDomain(text[end])) ++end;
  for (std::size_t dot = end; dot-- > from + 1;) {
    if (text[dot] != '.') continue;
    std::size_t top = dot + 1;
    while (top < text.size() && IsTop(text[top])) ++top;
    for (; top >= dot + 3; --top) {
      if (BoundaryAt(text, top)) return top;
    }
  }
  return std::string_view::npos;
}

void FindEmails(std::string_view text, std::vector<std::string>& out) {
  std::size_t from = 0;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    if (at < from) continue;
    std::size_t begin = at;
    while (begin > from && IsLocal(text[begin - 1])) --begin;
    while (begin < at && !BoundaryAt(text, begin)) ++begin;
    if (begin == at) continue;
    const std::size_t end = DomainEnd(text, at + 1);
    if (end == std::string_view::npos) continue;
    out.push_back(Mapped(text.substr(begin, end - begin), Lower));
    from = end;
  }
}

std::size_t UrlEnd(std::string_view text, std::size_t from) {
  static constexpr ByteSet kEnds = SetOf("<>\"{}|\\^`[]");
  while (from < text.size()) {
    if (kEnds[static_cast<unsigned char>(text[from])]) break;
    if (SpaceAt(text, from) != 0) break;
    ++from;
  }
  return from;
}

void FindUrls(std::string_view text, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != 'h' && text[i] != 'w') {
      ++i;
      continue;
    }
    const std::string_view rest = text.substr(i);
    std::size_t head = 0;
    for (const std::string_view start : {"http://", "https://", "www."}) {
      if (rest.starts_with(start)) head = start.size();
    }
    const std::size_t end = head == 0 ? 0 : UrlEnd(text, i + head);
    if (end <= i + head) {
      ++i;
      continue;
    }
    std::string url = Mapped(text.substr(i, end - i), Lower);
    while (!url.empty() && std::string_view(".,;:").find(url.back()) != std::string_view::npos) url.pop_back();
    out.push_back(std::move(url));
    i = end;
  }
}

// `+? d{1,3} sep? (? d{2,4} )? sep? d{3,4} sep? d{3,4}`, greedy with backtracking: at most a few dozen tries.
struct PhonePattern {
  std::string_view text;

  // Groups 0..3 from `at`; `npos` if nothing fits.
  [[nodiscard]] std::size_t Group(unsigned group, std::size_t at) const {
    struct Limits {
      std::size_t least;
      std::size_t most;
    };
    constexpr std::array<Limits, 4> kLimits{{{1, 3}, {2, 4}, {3, 4}, {3, 4}}};
    std::size_t digits = 0;
    while (digits < kLimits[group].most && at + digits < text.size() && IsDigit(text[at + digits])) ++digits;
    for (; digits >= kLimits[group].least; --digits) {
      const std::size_t end = group == 3 ? at + digits : After(group, at + digits);
      if (end != std::string_view::npos) return end;
    }
    return std::string_view::npos;
  }
  // What may stand between this group and the next, longest first.
  [[nodiscard]] std::size_t After(unsigned group, std::size_t at) const {
    if (group == 1 && at < text.size() && text[at] == ')') {
      if (const std::size_t end = Separated(group, at + 1); end != std::string_view::npos) return end;
    }
    return Separated(group, at);
  }
  [[nodiscard]] std::size_t Separated(unsigned group, std::size_t at) const {
    const bool sign = at < text.size() && (text[at] == '-' || text[at] == '.');
    if (const std::size_t size = sign ? 1 : SpaceAt(text, at); size != 0) {
      if (const std::size_t end = Opened(group, at + size); end != std::string_view::npos) return end;
    }
    return Opened(group, at);
  }
  [[nodiscard]] std::size_t Opened(unsigned group, std::size_t at) const {
    if (group == 0 && at < text.size() && text[at] == '(') {
      if (const std::size_t end = Group(1, at + 1); end != std::string_view::npos) return end;
    }
    return Group(group + 1, at);
  }
};

void FindPhones(std::string_view text, std::vector<std::string>& out) {
  const PhonePattern pattern{text};
  for (std::size_t i = 0; i < text.size();) {
    const bool plus = text[i] == '+';
    std::size_t end = std::string_view::npos;
    if (plus || IsDigit(text[i])) end = pattern.Group(0, i + (plus ? 1 : 0));
    if (end == std::string_view::npos) {
      ++i;
      continue;
    }
    std::string digits;  // nine at least, so the original's test for seven never fails
    for (; i < end; ++i) {
      if (IsDigit(text[i]) || text[i] == '+') digits.push_back(text[i]);
    }
    out.push_back(std::move(digits));
  }
}

// D?M?Y with one of three signs between, each searched for on its own, and Y-M-D.
void FindDates(std::string_view text, std::vector<std::string>& out) {
  // From sign to sign, each the first of a date of ten bytes.
  constexpr std::size_t kSize = 10;
  const auto next_date = [&](char sign, std::size_t before, std::size_t from) {
    const std::size_t at = text.find(sign, from + before);
    return at == std::string_view::npos || at - before + kSize > text.size() ? std::string_view::npos : at - before;
  };
  for (std::size_t i = 0; (i = next_date('-', 4, i)) != std::string_view::npos;) {
    if (DigitsAt(text, i, 4) && DigitsAt(text, i + 5, 2) && text[i + 7] == '-' && DigitsAt(text, i + 8, 2)) {
      out.emplace_back(text.substr(i, kSize));
      i += kSize;
    } else {
      ++i;
    }
  }
  for (const char sign : {'/', '.', '-'}) {
    for (std::size_t i = 0; (i = next_date(sign, 2, i)) != std::string_view::npos;) {
      if (text[i + 5] != sign || !DigitsAt(text, i, 2) || !DigitsAt(text, i + 3, 2) || !DigitsAt(text, i + 6, 4)) {
        ++i;
        continue;
      }
      const std::string_view first = text.substr(i, 2);
      const std::string_view second = text.substr(i + 3, 2);
      std::string date(text.substr(i + 6, 4));
      if (sign == '-' && first == "20") {
        date = std::string(text.substr(i, kSize));
      } else {
        const bool month_first = sign == '/';
        date.append("-").append(month_first ? first : second).append("-").append(month_first ? second : first);
      }
      out.push_back(std::move(date));
      i += kSize;
    }
  }
}

template <class T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void AppendEscaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto unit = [&](std::uint32_t value) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kHex[(value >> shift) & 15U]);
  };
  out.push_back('"');
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i;
    const UChar32 decoded = CodePointAt(text, i, next);
    const auto c = static_cast<std::uint32_t>(decoded < 0 ? 0xFFFD : decoded);
    i = next;
    const std::size_t short_form = std::string_view("\"\\\b\f\n\r\t").find(static_cast<char>(c));
    if (c < 0x80 && short_form != std::string_view::npos) {
      out.push_back('\\');
      out.push_back("\"\\bfnrt"[short_form]);
    } else if (c >= 0x20 && c < 0x7F) {
      out.push_back(static_cast<char>(c));
    } else if (c < 0x10000) {
      unit(c);
    } else {
      unit(0xD800 + ((c - 0x10000) >> 10));
      unit(0xDC00 + ((c - 0x10000) & 0x3FFU));
    }
  }
  out.push_back('"');
}

void AppendDumps(std::string& out, base::JsonValue value) {
  switch (value.type()) {
    case base::JsonType::kMissing:
    case base::JsonType::kNull:
      out.append("null");
      return;
    case base::JsonType::kBool:
      out.append(value.AsBool().value_or(false) ? "true" : "false");
      return;
    case base::JsonType::kNumber: {
      const std::string text = PythonNumber(value.number_text());
      out.append(text == "inf" ? "Infinity" : text == "-inf" ? "-Infinity" : text);
      return;
    }
    case base::JsonType::kString:
      AppendEscaped(out, value.string());
      return;
    case base::JsonType::kArray:
    case base::JsonType::kObject:
      break;
  }
  const bool object = value.is_object();
  out.push_back(object ? '{' : '[');
  bool first = true;
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (!first) out.append(", ");
    first = false;
    if (object) {
      AppendEscaped(out, it.key());
      out.append(": ");
    }
    AppendDumps(out, *it);
  }
  out.push_back(object ? '}' : ']');
}

// Of a text whose letters are ASCII or no letters to the original.
CanonForms CanonOfAsciiWords(std::string_view text) {
  constexpr std::size_t kBlock = base::ByteClasses::kBlock;
  constexpr std::size_t kRoom = 8;  // that copying may write past the end
  CanonForms forms{.padded = std::string(text.size() + 2 + kRoom, ' '), .norm = std::string(text.size() + kRoom, ' ')};
  char* const padded = forms.padded.data();
  char* const norm = forms.norm.data();
  std::size_t size = 1;
  std::size_t norm_size = 0;
  bool goes_on = false;  // the last word reached the end of its block
  base::ByteClasses classes(text);
  for (std::size_t block = 0; block < text.size(); block += kBlock) {
    classes.LoadAt(block);
    std::uint64_t words = classes.word();
    std::size_t at = 0;
    for (; words != 0; goes_on = false) {
      const auto gap = static_cast<std::size_t>(std::countr_zero(words));
      words >>= gap;
      at += gap;
      const auto run = static_cast<std::size_t>(std::countr_one(words));
      if (size > 1 && !(goes_on && at == 0)) padded[size++] = ' ';
      base::CopyLowered(text.substr(block + at), run, padded + size);
      base::CopyLowered(text.substr(block + at), run, norm + norm_size);
      size += run;
      norm_size += run;
      at += run;
      if (at == kBlock) break;
      words >>= run;
    }
    goes_on = at == kBlock;
  }
  if (size > 1) padded[size++] = ' ';
  forms.padded.resize(size);
  forms.norm.resize(norm_size);
  return forms;
}

}  // namespace

CanonForms CanonOf(std::string_view text) {
  if (text.find("\xC4\xB0") == std::string_view::npos && text.find("\xE2\x84\xAA") == std::string_view::npos) {
    return CanonOfAsciiWords(text);
  }
  // Without branches: each byte writes, and what no step forward follows is overwritten. Of other than letters and
  // digits only the first steps forward.
  CanonForms forms{.padded = std::string(text.size() + 2, ' '), .norm = std::string(text.size() + 1, ' ')};
  std::size_t size = 1;
  std::size_t norm_size = 0;
  bool after_kept = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    char kept = kKept[byte];
    if (byte >= 0x80) {
      kept = KeptOutsideAscii(text, i);
      if (kept != 0 && byte == 0xE2) i += 2;  // of the other one the second byte makes the space that its mark is
    }
    const bool keep = kept != 0;
    const char written = keep ? kept : ' ';
    forms.padded[size] = written;
    forms.norm[norm_size] = written;
    size += static_cast<std::size_t>(keep | after_kept);
    norm_size += static_cast<std::size_t>(keep);
    after_kept = keep;
  }
  if (after_kept) forms.padded[size++] = ' ';
  forms.padded.resize(size);
  forms.norm.resize(norm_size);
  return forms;
}

std::string Norm(std::string_view text) { return CanonOf(text).norm; }

std::string Canon(std::string_view text) {
  std::string padded = CanonOf(text).padded;
  return padded.size() < 2 ? std::string() : padded.substr(1, padded.size() - 2);
}

std::vector<std::string> FindFormats(FormatKind kind, std::string_view text) {
  std::vector<std::string> found;
  switch (kind) {
    case FormatKind::kIban:
      FindIbans(text, found);
      break;
    case FormatKind::kEmail:
      FindEmails(text, found);
      break;
    case FormatKind::kUrl:
      FindUrls(text, found);
      break;
    case FormatKind::kDate:
      FindDates(text, found);
      break;
    case FormatKind::kPhone:
      FindPhones(text, found);
      break;
  }
  SortUnique(found);
  return found;
}

std::vector<double> FindNumbers(std::string_view text) {
  static constexpr ByteSet kStarts = SetOf("+-$0123456789");
  std::vector<double> found;
  std::string digits;
  for (std::size_t i = 0; i < text.size();) {
    if (!kStarts[static_cast<unsigned char>(text[i])]) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    if (text[i] == '+' || text[i] == '-') ++i;
    if (i < text.size() && text[i] == '$') ++i;
    if (i >= text.size() || !IsDigit(text[i])) {
      i = begin + 1;
      continue;
    }
    digits.clear();
    if (text[begin] == '-') digits.push_back('-');
    bool zero = true;
    const auto take = [&] {
      zero = zero && text[i] == '0';
      digits.push_back(text[i++]);
    };
    for (int n = 0; n < 3 && i < text.size() && IsDigit(text[i]); ++n) take();
    while (i < text.size() && text[i] == ',' && DigitsAt(text, i + 1, 3)) {
      ++i;
      for (int n = 0; n < 3; ++n) take();
    }
    const bool whole_zero = zero;
    if (i + 1 < text.size() && text[i] == '.' && IsDigit(text[i + 1])) {
      digits.push_back(text[i++]);
      while (i < text.size() && IsDigit(text[i])) take();
    }
    if (i < text.size() && text[i] == '%') ++i;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) {
      value = whole_zero ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), digits[0] == '-' ? -1.0 : 1.0);
    }
    found.push_back(value);
  }
  SortUnique(found);
  return found;
}

std::string PythonNumber(std::string_view json_number) {
  if (json_number.find_first_of(".eE") == std::string_view::npos) {
    return json_number == "-0" ? "0" : std::string(json_number);
  }
  double value = 0;
  const auto [rest, error] = std::from_chars(json_number.data(), json_number.data() + json_number.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too large or too small: the exponent's sign tells. Without exponent only the whole part can be too large.
    const bool small =
        json_number.find("e-") != std::string_view::npos || json_number.find("E-") != std::string_view::npos;
    const bool negative = json_number[0] == '-';
    if (!small && json_number.find_first_of("123456789") < json_number.find_first_of(".eE")) {
      return negative ? "-inf" : "inf";
    }
    return negative ? "-0.0" : "0.0";
  }
  // Python's repr: the shortest digits; an exponent below 1e-4 and from 1e16 on.
  std::array<char, 64> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view shortest(buffer.data(), static_cast<std::size_t>(scientific.ptr - buffer.data()));
  const std::size_t mark = shortest.find('e');
  int exponent = 0;
  const char* digits = shortest.data() + mark + 1;
  std::from_chars(*digits == '+' ? digits + 1 : digits, shortest.data() + shortest.size(), exponent);
  if (value != 0 && (exponent < -4 || exponent >= 16)) return std::string(shortest);
  std::array<char, 64> plain{};
  const auto fixed = std::to_chars(plain.data(), plain.data() + plain.size(), value, std::chars_format::fixed);
  std::string out(plain.data(), fixed.ptr);
  if (out.find('.') == std::string::npos) out.append(".0");
  return out;
}

std::string PythonDumps(base::JsonValue value) {
  std::string out;
  AppendDumps(out, value);
  return out;
}

}  // namespace interlock::eval::agent_sentry
