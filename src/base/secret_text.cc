#include "interlock/base/secret_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace interlock::base {
namespace {

enum Class : std::uint8_t {
  kOther = 0,
  kLower = 1,
  kUpper = 2,
  kDigit = 4,
  kMark = 8,  // '_' '-': part of names and of base64url
  kWord = kLower | kUpper | kDigit | kMark,
};

constexpr std::array<std::uint8_t, 256> MakeClasses() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = kLower;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = kUpper;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kDigit;
  table['_'] = kMark;
  table['-'] = kMark;
  return table;
}
constexpr std::array<std::uint8_t, 256> kClasses = MakeClasses();

std::uint8_t ClassOf(char c) noexcept { return kClasses[static_cast<unsigned char>(c)]; }
bool IsWord(char c) noexcept { return ClassOf(c) != kOther; }
bool IsHex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Words that make a name secret. Those that also stand for harmless counts and the like need to be the last word.
constexpr std::array<std::string_view, 23> kSecretWords = {
    "password",    "passwd",        "passphrase",   "passcode",     "secret",          "secrets",
    "apikey",      "authorization", "credential",   "credentials",  "cookie",          "bearer",
    "jwt",         "otp",           "privatekey",   "accesskey",    "secretkey",       "authtoken",
    "accesstoken", "refreshtoken",  "clientsecret", "sessiontoken", "connectionstring"};
constexpr std::array<std::string_view, 8> kSecretLastWords = {"token", "pwd", "pin", "auth",
                                                              "pass",  "cvv", "dsn", "cvc"};
// Two words in a row.
constexpr std::array<std::array<std::string_view, 2>, 9> kSecretPairs = {{{"api", "key"},
                                                                          {"private", "key"},
                                                                          {"access", "key"},
                                                                          {"secret", "key"},
                                                                          {"signing", "key"},
                                                                          {"encryption", "key"},
                                                                          {"account", "key"},
                                                                          {"connection", "string"},
                                                                          {"pass", "word"}}};

// Lengths of words that matter, as bits, by first letter: nearly every word is let go by one look.
constexpr std::array<std::uint32_t, 26> MakeWordLengths() {
  std::array<std::uint32_t, 26> lengths{};
  const auto add = [&lengths](std::string_view word) {
    lengths[static_cast<std::size_t>(word.front() - 'a')] |= 1U << word.size();
  };
  for (const std::string_view word : kSecretWords) add(word);
  for (const std::string_view word : kSecretLastWords) add(word);
  for (const auto& pair : kSecretPairs) add(pair[1]);
  return lengths;
}
constexpr std::array<std::uint32_t, 26> kWordLengths = MakeWordLengths();
constexpr std::size_t kLongestWord = 24;  // longer words are cut to this

// `word` is of small letters, at most kLongestWord of them.
bool MayMatter(std::string_view word) noexcept {
  return (kWordLengths[static_cast<std::size_t>(word.front() - 'a')] >> word.size() & 1U) != 0;
}

struct Shape {
  std::string_view prefix;
  std::size_t min_tail;
};
// Well-known tokens: fixed prefix, then word characters.
constexpr std::array<Shape, 34> kShapes = {{
    {"AKIA", 16},     {"ASIA", 16},        {"ghp_", 20},
    {"gho_", 20},     {"ghu_", 20},        {"ghs_", 20},
    {"ghr_", 20},     {"github_pat_", 20}, {"glpat-", 16},
    {"xoxb-", 10},    {"xoxp-", 10},       {"xoxa-", 10},
    {"xoxr-", 10},    {"xoxs-", 10},       {"xapp-", 10},
    {"sk-", 17},      {"sk_live_", 10},    {"sk_test_", 10},
    {"rk_live_", 10}, {"rk_test_", 10},    {"pk_live_", 10},
    {"whsec_", 16},   {"AIza", 30},        {"ya29", 20},
    {"npm_", 30},     {"pypi-", 30},       {"dop_v1_", 30},
    {"hf_", 20},      {"shpat_", 20},      {"glsa_", 20},
    {"lin_api_", 20}, {"sntrys_", 20},     {"AGE-SECRET-KEY-", 20},
    {"eyJ", 15},
}};

bool IsUuid(std::string_view run) noexcept {
  if (run.size() != 36) return false;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? run[i] != '-' : !IsHex(run[i])) return false;
  }
  return true;
}

// Random-looking: long, letters and digits mixed through each other. Words and identifiers change class seldom.
bool LooksRandom(std::string_view run) noexcept {
  if (run.size() < 24 || IsUuid(run)) return false;
  std::size_t hex = 0;
  std::size_t digits = 0;
  std::size_t letters = 0;
  std::size_t changes = 0;
  std::array<bool, 128> seen{};
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const std::uint8_t kind = ClassOf(run[i]);
    if (IsHex(run[i])) ++hex;
    if (kind == kDigit) ++digits;
    if (kind == kLower || kind == kUpper) ++letters;
    if (i > 0 && kind != ClassOf(run[i - 1]) && kind != kMark && ClassOf(run[i - 1]) != kMark) ++changes;
    bool& mark = seen[static_cast<unsigned char>(run[i]) & 127U];
    if (!mark) ++distinct;
    mark = true;
  }
  if (hex == run.size()) return run.size() >= 32 && digits > 0 && letters > 0 && distinct >= 8;
  return digits >= 3 && letters >= 3 && distinct >= 10 && changes * 4 >= run.size();
}

bool HasTokenShape(std::string_view run) noexcept {
  for (const Shape& shape : kShapes) {
    if (run.size() >= shape.prefix.size() + shape.min_tail && run.starts_with(shape.prefix)) return true;
  }
  return false;
}

bool IsSpaceOrQuote(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '`' || c == ',' || c == ';' ||
         c == '&' || c == '<' || c == '>' || c == ')' || c == '}' || c == ']';
}

// `at` is the first byte after "name=" or "name:". The value, without quotes and an authentication scheme in front.
SecretSpan ValueAfter(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  bool quoted = false;
  char quote = 0;
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
    quoted = true;
    quote = text[at++];
  }
  for (const std::string_view scheme : {"Bearer ", "Basic ", "Token ", "bearer ", "basic ", "token "}) {
    if (text.substr(at).starts_with(scheme)) {
      at += scheme.size();
      break;
    }
  }
  std::size_t end = at;
  while (end < text.size() && (quoted ? text[end] != quote && text[end] != '\n' : !IsSpaceOrQuote(text[end]))) ++end;
  return {at, end};
}

// "://user:pass@host": the part between "://" and the last '@' before the next '/', white space or quote.
SecretSpan UserInfoAfter(std::string_view text, std::size_t at) noexcept {
  std::size_t last_at = std::string_view::npos;
  bool colon = false;
  bool colon_before_at = false;
  std::size_t end = at;
  for (; end < text.size() && end - at < 256; ++end) {
    const char c = text[end];
    if (c == '/' || c == '?' || c == '#' || IsSpaceOrQuote(c)) break;
    if (c == ':') colon = true;
    if (c == '@') {
      last_at = end;
      colon_before_at = colon;
    }
  }
  if (last_at == std::string_view::npos || !colon_before_at) return {at, at};
  return {at, last_at};
}

// "-----BEGIN ... PRIVATE KEY-----" to the end of its END line (or of the text).
SecretSpan PemAt(std::string_view text, std::size_t at) noexcept {
  constexpr std::string_view kBegin = "-----BEGIN ";
  if (!text.substr(at).starts_with(kBegin)) return {at, at};
  const std::size_t dashes = text.substr(at, 110).find("-----", kBegin.size());
  if (dashes == std::string_view::npos) return {at, at};
  const std::size_t line_end = at + dashes;
  const std::string_view label = text.substr(at + kBegin.size(), line_end - at - kBegin.size());
  if (label.find("PRIVATE KEY") == std::string_view::npos) return {at, at};
  const std::size_t close = text.find("-----END ", line_end);
  if (close == std::string_view::npos) return {at, text.size()};
  const std::size_t tail = text.find("-----", close + 9);
  return {at, tail == std::string_view::npos ? text.size() : tail + 5};
}

char Lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

bool IsSecretName(std::string_view name) noexcept {
  // Words: runs of letters, split at other characters and before an upper-case letter that follows a lower-case one or
  // starts a capitalised word ("APIKey": "api" "key").
  if (name.size() > 128) name.remove_prefix(name.size() - 128);
  if (name.empty()) return false;
  // Most names are one word of small letters.
  if (name.size() < kLongestWord && std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; })) {
    return MayMatter(name) && (std::ranges::find(kSecretWords, name) != kSecretWords.end() ||
                               std::ranges::find(kSecretLastWords, name) != kSecretLastWords.end());
  }
  std::array<std::array<char, kLongestWord>, 2> words{};  // the previous and the current word, lower case
  std::array<std::size_t, 2> sizes{};
  std::size_t current = 0;
  bool secret = false;
  const auto finish = [&](bool last) {
    if (sizes[current] == 0) return;
    const std::string_view word(words[current].data(), sizes[current]);
    if (!MayMatter(word)) {
      current = 1 - current;
      sizes[current] = 0;
      return;
    }
    for (const std::string_view w : kSecretWords) secret = secret || w == word;
    if (last) {
      for (const std::string_view w : kSecretLastWords) secret = secret || w == word;
    }
    const std::size_t before = 1 - current;
    const std::string_view previous(words[before].data(), sizes[before]);
    for (const auto& pair : kSecretPairs) secret = secret || (pair[0] == previous && pair[1] == word);
    current = before;
    sizes[current] = 0;
  };
  for (std::size_t i = 0; i < name.size() && !secret; ++i) {
    const std::uint8_t kind = ClassOf(name[i]);
    if (kind != kLower && kind != kUpper) {
      // Digits and separators at the very end do not make the last word another one ("password2").
      bool rest = true;
      for (std::size_t j = i; j < name.size(); ++j) {
        const std::uint8_t k = ClassOf(name[j]);
        if (k == kLower || k == kUpper) rest = false;
      }
      finish(rest);
      continue;
    }
    const bool after_lower = i > 0 && ClassOf(name[i - 1]) == kLower;
    const bool before_lower = i + 1 < name.size() && ClassOf(name[i + 1]) == kLower;
    const bool after_upper = i > 0 && ClassOf(name[i - 1]) == kUpper;
    if (kind == kUpper && (after_lower || (after_upper && before_lower))) finish(false);
    if (sizes[current] < words[current].size()) words[current][sizes[current]++] = Lower(name[i]);
  }
  if (!secret) finish(true);
  return secret;
}

namespace {

constexpr std::size_t kMinRun = 10;
constexpr std::size_t kMaxName = 64;

// Non-zero when one of the eight bytes is '=', ':' or 'B'. May be so without one, never the other way round.
std::uint64_t HasSign(std::uint64_t word) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHighs = 0x8080808080808080ULL;
  const auto zero = [](std::uint64_t x) { return (x - kOnes) & ~x; };
  return (zero(word ^ (kOnes * '=')) | zero(word ^ (kOnes * ':')) | zero(word ^ (kOnes * 'B'))) & kHighs;
}

// The name that ends before `at`, out of quotes if it stands in quotes: `token=`, `"token":`, `'token' =` not.
std::string_view NameBefore(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  if (end > 0 && (text[end - 1] == '"' || text[end - 1] == '\'')) --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin <= kMaxName && IsWord(text[begin - 1])) --begin;
  return end - begin > kMaxName ? std::string_view() : text.substr(begin, end - begin);
}

SecretSpan AtSign(std::string_view text, std::size_t at) noexcept {
  if (text[at] == 'B') {
    if (at > 0 && IsWord(text[at - 1])) return {at, at};
    const std::string_view rest = text.substr(at);
    if (!rest.starts_with("Bearer ") && !rest.starts_with("Basic ")) return {at, at};
    const SecretSpan value = ValueAfter(text, at);
    return value.end >= value.begin + 8 ? value : SecretSpan{at, at};
  }
  if (text[at] == ':' && text.substr(at).starts_with("://")) return UserInfoAfter(text, at + 3);
  if (IsSecretName(NameBefore(text, at))) return ValueAfter(text, at + 1);
  return {at, at};
}

// What a run of token characters [begin, end) is.
SecretSpan AtRun(std::string_view text, std::size_t begin, std::size_t end, std::size_t floor,
                 SecretFinder::Looks looks) noexcept {
  std::string_view run = text.substr(begin, end - begin);
  if (run.starts_with("-----BEGIN")) return PemAt(text, begin);
  while (run.starts_with('-')) run.remove_prefix(1);  // "--sk-..."
  begin = end - run.size();
  if (run.size() >= 14 && HasTokenShape(run)) {
    while (end + 1 < text.size() && text[end] == '.' && IsWord(text[end + 1])) {  // a JWT goes on after its dots
      ++end;
      while (end < text.size() && IsWord(text[end])) ++end;
    }
    return {begin, end};
  }
  if (looks == SecretFinder::Looks::kKnownForms || !LooksRandom(run)) return {begin, begin};
  // The rest of standard base64.
  while (end < text.size() && (IsWord(text[end]) || text[end] == '+' || text[end] == '/' || text[end] == '=')) ++end;
  while (begin > floor && text[begin - 1] == '+') --begin;
  return {begin, end};
}

}  // namespace

void SecretFinder::SeekSign() noexcept {
  const std::size_t size = text_.size();
  has_sign_ = true;
  while (sign_at_ < size) {
    if (size - sign_at_ >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text_.data() + sign_at_, sizeof(word));
      if (HasSign(word) == 0) {
        sign_at_ += 8;
        continue;
      }
    }
    const std::size_t stop = std::min(sign_at_ + 8, size);
    for (; sign_at_ < stop; ++sign_at_) {
      const char c = text_[sign_at_];
      if (c != '=' && c != ':' && c != 'B') continue;
      sign_ = AtSign(text_, sign_at_);
      if (sign_.end > sign_.begin) return;
    }
  }
  sign_ = {size, size};
}

void SecretFinder::SeekRun() noexcept {
  const std::size_t size = text_.size();
  has_run_ = true;
  // A run of kMinRun characters covers one of every kMinRun places: looking at those is enough.
  for (std::size_t probe = run_at_ + kMinRun - 1; probe < size;) {
    if (!IsWord(text_[probe])) {
      probe += kMinRun;
      continue;
    }
    std::size_t begin = probe;
    while (begin > run_at_ && IsWord(text_[begin - 1])) --begin;
    std::size_t end = probe + 1;
    while (end < size && IsWord(text_[end])) ++end;
    if (end - begin >= kMinRun) {
      run_ = AtRun(text_, begin, end, run_at_, looks_);
      if (run_.end > run_.begin) return;
    }
    run_at_ = end;
    probe = end + kMinRun;  // text_[end] is no word character
  }
  run_ = {size, size};
}

SecretSpan SecretFinder::Next() noexcept {
  if (!has_sign_) SeekSign();
  if (!has_run_) SeekRun();
  SecretSpan next = sign_.begin < run_.begin || (sign_.begin == run_.begin && sign_.end >= run_.end) ? sign_ : run_;
  // One may reach into the other.
  for (bool grown = true; grown;) {
    grown = false;
    for (const SecretSpan& other : {sign_, run_}) {
      if (other.begin <= next.end && other.end > next.end && other.begin >= next.begin && other.begin < next.end) {
        next.end = other.end;
        grown = true;
      }
    }
  }
  if (sign_.begin < next.end) {
    has_sign_ = false;
    sign_at_ = std::max(sign_at_ + 1, next.end);
  }
  if (run_.begin < next.end) {
    has_run_ = false;
    run_at_ = next.end;
  }
  return next;
}

}  // namespace interlock::base
