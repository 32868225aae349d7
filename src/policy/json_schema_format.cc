#include "json_schema_format.h"

#include <algorithm>
#include <array>
#include <utility>

namespace interlock::policy::schema {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// A cursor over the text; every Take moves only on success.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeEither(char a, char b) { return Take(a) || Take(b); }
  bool Number(std::size_t digits, int& out) {
    if (rest_.size() < digits) return false;
    out = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!IsDigit(c)) return false;
      out = out * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }
  std::size_t SkipDigits() {
    const auto end = std::ranges::find_if_not(rest_, IsDigit);
    const auto count = static_cast<std::size_t>(end - rest_.begin());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

bool ReadDate(Cursor& in) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!in.Number(4, year) || !in.Take('-') || !in.Number(2, month) || !in.Take('-') || !in.Number(2, day)) return false;
  if (month < 1 || month > 12 || day < 1) return false;
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

bool ReadTime(Cursor& in) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!in.Number(2, hour) || !in.Take(':') || !in.Number(2, minute) || !in.Take(':') || !in.Number(2, second)) {
    return false;
  }
  if (hour > 23 || minute > 59 || second > 60) return false;
  if (in.Take('.') && in.SkipDigits() == 0) return false;
  int shift = 0;
  if (!in.TakeEither('Z', 'z')) {
    const bool minus = in.Take('-');
    if (!minus && !in.Take('+')) return false;
    int shift_hours = 0;
    int shift_minutes = 0;
    if (!in.Number(2, shift_hours) || !in.Take(':') || !in.Number(2, shift_minutes)) return false;
    if (shift_hours > 23 || shift_minutes > 59) return false;
    shift = (shift_hours * 60 + shift_minutes) * (minus ? 1 : -1);
  }
  constexpr int kDay = 24 * 60;
  return second < 60 || (hour * 60 + minute + shift + kDay) % kDay == kDay - 1;
}

bool IsDateTime(std::string_view text) {
  Cursor in(text);
  return ReadDate(in) && in.TakeEither('T', 't') && ReadTime(in) && in.done();
}

bool IsIpv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos || dot == 0 || dot > 3) return false;
    int value = 0;
    for (const char c : text.substr(0, dot)) {
      if (!IsDigit(c)) return false;
      value = value * 10 + (c - '0');
    }
    if (value > 255 || (dot > 1 && text.front() == '0')) return false;
    text.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return true;
}

bool IsIpv6(std::string_view text) {
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == std::string_view::npos && group.find('.') != std::string_view::npos) {
      if (!IsIpv4(group)) return false;
      groups += 2;
      break;
    }
    if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, IsHex)) return false;
    ++groups;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
    if (text.starts_with(':')) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  return gap ? groups <= 7 : groups == 8;
}

bool IsHostLabel(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return IsAlpha(c) || IsDigit(c) || c == '-'; });
}

bool IsHostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsHostLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// RFC 5321 mailbox, ASCII.
bool IsEmail(std::string_view text) {
  std::size_t at = 0;
  if (text.starts_with('"')) {
    for (at = 1; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\') ++at;
      if (at >= text.size() || text[at] < 0x20 || text[at] > 0x7E) return false;
    }
    if (at >= text.size()) return false;
    ++at;
  } else {
    constexpr std::string_view kSpecial = "!#$%&'*+-/=?^_`{|}~.";
    while (at < text.size() && (IsAlpha(text[at]) || IsDigit(text[at]) || kSpecial.find(text[at]) != kSpecial.npos)) {
      ++at;
    }
    const std::string_view local = text.substr(0, at);
    if (local.empty() || local.front() == '.' || local.back() == '.') return false;
    if (local.find("..") != std::string_view::npos) return false;
  }
  if (at > 64 || at >= text.size() || text[at] != '@') return false;
  std::string_view domain = text.substr(at + 1);
  if (domain.starts_with('[') && domain.ends_with(']')) {
    domain = domain.substr(1, domain.size() - 2);
    if (domain.starts_with("IPv6:")) return IsIpv6(domain.substr(5));
    return IsIpv4(domain);
  }
  return IsHostname(domain);
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

bool IsUriPart(std::string_view text, std::string_view also) {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !IsHex(text[i + 1]) || !IsHex(text[i + 2])) return false;
      i += 2;
    } else if (!IsAlpha(c) && !IsDigit(c) && kPlain.find(c) == kPlain.npos && also.find(c) == also.npos) {
      return false;
    }
  }
  return true;
}

bool IsUriAuthority(std::string_view text) {
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (!IsUriPart(text.substr(0, at), ":")) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return false;
    const std::string_view host = text.substr(1, close - 1);
    if (host.starts_with('v') || host.starts_with('V')) {
      const std::size_t dot = host.find('.');
      if (dot == std::string_view::npos || dot < 2 || !std::ranges::all_of(host.substr(1, dot - 1), IsHex))
        return false;
      if (dot + 1 == host.size() || host.find('%') != host.npos || !IsUriPart(host.substr(dot + 1), ":")) return false;
    } else if (!IsIpv6(host)) {
      return false;
    }
    text.remove_prefix(close + 1);
    if (text.empty()) return true;
    return text.front() == ':' && std::ranges::all_of(text.substr(1), IsDigit);
  }
  const std::size_t colon = text.find(':');
  if (!IsUriPart(text.substr(0, colon), "")) return false;
  return colon == std::string_view::npos || std::ranges::all_of(text.substr(colon + 1), IsDigit);
}

// RFC 3986 `URI`: absolute, with an optional fragment.
bool IsUri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !IsAlpha(text.front())) return false;
  if (!std::ranges::all_of(text.substr(0, colon),
                           [](char c) { return IsAlpha(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; })) {
    return false;
  }
  text.remove_prefix(colon + 1);
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    if (!IsUriPart(text.substr(hash + 1), ":@/?")) return false;
    text = text.substr(0, hash);
  }
  if (const std::size_t query = text.find('?'); query != std::string_view::npos) {
    if (!IsUriPart(text.substr(query + 1), ":@/?")) return false;
    text = text.substr(0, query);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t slash = text.find('/');
    if (!IsUriAuthority(text.substr(0, slash))) return false;
    text.remove_prefix(slash == std::string_view::npos ? text.size() : slash);
  }
  return IsUriPart(text, ":@/");
}

constexpr std::array kAsserted = std::to_array<std::pair<std::string_view, Format>>({
    {"date-time", Format::kDateTime},
    {"date", Format::kDate},
    {"time", Format::kTime},
    {"email", Format::kEmail},
    {"ipv4", Format::kIpv4},
    {"ipv6", Format::kIpv6},
    {"uri", Format::kUri},
    {"uuid", Format::kUuid},
});

constexpr std::array kKnownOnly = std::to_array<std::string_view>(
    {"duration", "idn-email", "hostname", "idn-hostname", "uri-reference", "iri", "iri-reference", "uri-template",
     "json-pointer", "relative-json-pointer", "regex"});

}  // namespace

FormatName FindFormat(std::string_view name, Format& format) noexcept {
  for (const auto& [text, value] : kAsserted) {
    if (name == text) {
      format = value;
      return FormatName::kAsserted;
    }
  }
  return std::ranges::find(kKnownOnly, name) != kKnownOnly.end() ? FormatName::kKnownOnly : FormatName::kUnknown;
}

bool HasFormat(Format format, std::string_view text) noexcept {
  Cursor in(text);
  switch (format) {
    case Format::kNone:
      return true;
    case Format::kDateTime:
      return IsDateTime(text);
    case Format::kDate:
      return ReadDate(in) && in.done();
    case Format::kTime:
      return ReadTime(in) && in.done();
    case Format::kEmail:
      return IsEmail(text);
    case Format::kIpv4:
      return IsIpv4(text);
    case Format::kIpv6:
      return IsIpv6(text);
    case Format::kUri:
      return IsUri(text);
    case Format::kUuid:
      return IsUuid(text);
  }
  return false;
}

}  // namespace interlock::policy::schema
