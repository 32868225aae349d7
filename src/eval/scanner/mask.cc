// Deriving and replacing literal indicators.
#include "interlock/eval/scanner/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "interlock/base/text.h"

namespace interlock::eval::scanner {
namespace {

constexpr std::size_t kMinWord = 6;
constexpr std::size_t kMaxToken = 120;
constexpr std::size_t kMinBase64 = 20;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsAlnum(char c) { return (c >= '0' && c <= '9') || (Lower(c) >= 'a' && Lower(c) <= 'z'); }
bool IsTokenChar(char c) { return IsAlnum(c) || c == '.' || c == '-' || c == '_'; }

// Calls `visit(offset, token)` for each run of letters, digits, '.', '-' and '_', without the punctuation at its ends.
template <class Visit>
void ForEachToken(std::string_view text, const Visit& visit) {
  for (std::size_t i = 0; i < text.size();) {
    if (!IsTokenChar(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && IsTokenChar(text[end])) ++end;
    std::size_t begin = i;
    std::size_t stop = end;
    while (begin < stop && !IsAlnum(text[begin])) ++begin;
    while (stop > begin && !IsAlnum(text[stop - 1])) --stop;
    if (stop > begin && stop - begin <= kMaxToken) visit(begin, text.substr(begin, stop - begin));
    i = end;
  }
}

std::string Lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), Lower);
  return out;
}

std::string_view Extension(std::string_view token) {
  const std::size_t dot = token.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : token.substr(dot + 1);
}

bool IsAddress(std::string_view token) {
  int dots = 0;
  for (const char c : token) {
    if (c == '.') {
      ++dots;
    } else if (c < '0' || c > '9') {
      return false;
    }
  }
  return dots == 3;
}
bool IsProgram(std::string_view token) {
  static constexpr std::array<std::string_view, 16> kEnds = {"zip",      "exe", "dmg", "pkg", "msi", "rar",
                                                             "7z",       "iso", "scr", "bat", "ps1", "app",
                                                             "appimage", "deb", "vbs", "gz"};
  return std::find(kEnds.begin(), kEnds.end(), Extension(token)) != kEnds.end();
}
// A dotted name that follows "//" or '@', or whose last part is one of the usual endings of hosts.
bool IsHost(std::string_view text, std::size_t at, std::string_view token) {
  const std::string_view end = Extension(token);
  if (end.empty() || end.size() < 2 || std::any_of(end.begin(), end.end(), [](char c) { return c < 'a' || c > 'z'; })) {
    return false;
  }
  if (at >= 2 && text.substr(at - 2, 2) == "//") return true;
  static constexpr std::array<std::string_view, 16> kEnds = {"com", "net",  "org",     "io",     "dev", "app",
                                                             "xyz", "site", "forum",   "online", "top", "ru",
                                                             "cc",  "me",   "example", "fun"};
  return token.find('.') != 0 && std::find(kEnds.begin(), kEnds.end(), end) != kEnds.end();
}

bool IsBase64Char(char c) { return IsAlnum(c) || c == '+' || c == '/' || c == '='; }

std::string Decoded(std::string_view token) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : token) {
    if (c == '=') break;
    const std::size_t digit = kDigits.find(c);
    bits = (bits << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFFFU;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xFFU));
    }
  }
  const bool printable = std::all_of(out.begin(), out.end(), [](char c) { return c == '\n' || (c >= 32 && c < 127); });
  return printable ? out : std::string{};
}
std::string Encoded(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) out.push_back(i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63U]);
  }
  return out;
}

// The text, then each base64 token in it decoded.
template <class Visit>
void ForEachLayer(std::string_view text, const Visit& visit) {
  visit(text);
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsBase64Char(text[end])) ++end;
    if (end - i >= kMinBase64) {
      if (const std::string inner = Decoded(text.substr(i, end - i)); !inner.empty()) visit(std::string_view(inner));
    }
    i = std::max(end, i + 1);
  }
}

std::string Neutral(const std::string& token, bool host, std::size_t number) {
  if (IsAddress(token)) return fmt::format("192.0.2.{}", number % 250 + 1);
  if (IsProgram(token)) return fmt::format("package{}.{}", number, Extension(token));
  if (host) return fmt::format("host{}.example", number);
  return fmt::format("neutral{}", number);
}

}  // namespace

IndicatorMask IndicatorMask::Derive(std::span<const ScanSample* const> malicious,
                                    std::span<const ScanSample* const> benign) {
  std::unordered_set<std::string> ordinary;
  for (const ScanSample* sample : benign) {
    for (const core::PackageFile& file : sample->view.files) {
      ForEachToken(file.bytes, [&](std::size_t, std::string_view token) { ordinary.insert(Lowered(token)); });
    }
  }
  struct Seen {
    std::set<std::string> clusters;
    bool literal = false;  // an indicator by its form
    bool host = false;
  };
  std::map<std::string, Seen> seen;
  for (const ScanSample* sample : malicious) {
    for (const core::PackageFile& file : sample->view.files) {
      ForEachLayer(file.bytes, [&](std::string_view text) {
        ForEachToken(text, [&](std::size_t at, std::string_view token) {
          std::string word = Lowered(token);
          const bool host = IsHost(text, at, word) && !IsProgram(word);
          const bool literal = host || IsAddress(word) || IsProgram(word);
          if (!literal && word.size() < kMinWord) return;
          if (ordinary.count(word) != 0) return;
          Seen& entry = seen[std::move(word)];
          entry.clusters.insert(sample->cluster);
          entry.literal = entry.literal || literal;
          entry.host = entry.host || host;
        });
      });
    }
  }
  IndicatorMask mask;
  for (const auto& [word, entry] : seen) {
    if (!entry.literal && entry.clusters.size() < 2) continue;
    mask.replacements_.emplace(word, Neutral(word, entry.host, mask.replacements_.size() + 1));
  }
  return mask;
}

std::string IndicatorMask::Apply(std::string_view text) const {
  const auto replaced = [&](std::string_view layer) {
    std::string out;
    std::size_t done = 0;
    ForEachToken(layer, [&](std::size_t at, std::string_view token) {
      const auto it = replacements_.find(Lowered(token));
      if (it == replacements_.end()) return;
      out += layer.substr(done, at - done);
      out += it->second;
      done = at + token.size();
    });
    out += layer.substr(done);
    return out;
  };
  std::string out;
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsBase64Char(text[end])) ++end;
    if (end - i >= kMinBase64) {
      const std::string inner = Decoded(text.substr(i, end - i));
      if (const std::string masked = replaced(inner); !inner.empty() && masked != inner) {
        out += replaced(text.substr(plain, i - plain));
        out += Encoded(masked);
        plain = end;
      }
    }
    i = std::max(end, i + 1);
  }
  out += replaced(text.substr(plain));
  return out;
}

ScanSample IndicatorMask::Apply(const ScanSample& sample) const {
  ScanSample out = sample;
  for (core::PackageFile& file : out.view.files) {
    if (base::IsValidUtf8(file.bytes)) file.bytes = Apply(file.bytes);
  }
  return out;
}

}  // namespace interlock::eval::scanner
