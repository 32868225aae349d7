// Programs that are nearly right: parts of a text removed, doubled and exchanged by tokens, so that most results still
// parse and lack what an analysis takes for granted (calls of nothing, parts without a name, programs of no words).
// Bytes that are changed at random seldom get that far. For tests and fuzz targets; the same seed, the same mutants.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::tests {

using Tokens = std::vector<std::string_view>;  // of a text that outlives them

inline bool IsNameByte(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// Names, quoted texts of one line, and single bytes: together the text, byte by byte.
inline Tokens TokensOf(std::string_view text) {
  Tokens out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (IsNameByte(text[i])) {
      while (end < text.size() && IsNameByte(text[end])) ++end;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') ++end;
      end = end < text.size() && text[end] == text[i] ? end + 1 : i + 1;
    }
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

inline std::string Joined(const Tokens& tokens) {
  std::string out;
  for (const std::string_view token : tokens) out += token;
  return out;
}

class TokenMutator {
 public:
  explicit TokenMutator(std::uint32_t seed) : random_(seed) {}

  // A number below `bound`; 0 where that is 0.
  std::size_t Below(std::size_t bound) { return random_() % std::max<std::size_t>(bound, 1); }

  // `text`, changed at one to three places; what is put in comes from `other` in part.
  std::string Mutant(std::string_view text, std::string_view other) {
    Tokens tokens = TokensOf(text);
    const Tokens others = TokensOf(other);
    for (std::size_t left = 1 + Below(3); left-- > 0 && !tokens.empty();) Change(tokens, others);
    return Joined(tokens);
  }

 private:
  using Offset = Tokens::difference_type;

  static Tokens::iterator At(Tokens& tokens, std::size_t index) { return tokens.begin() + static_cast<Offset>(index); }

  static bool IsOneOf(std::string_view token, std::string_view bytes) {
    return token.size() == 1 && bytes.find(token[0]) != std::string_view::npos;
  }
  static bool IsName(std::string_view token) { return IsNameByte(token[0]); }
  static bool IsQuoted(std::string_view token) { return token.size() > 1 && IsOneOf(token.substr(0, 1), "'\""); }

  static std::vector<std::pair<std::size_t, std::size_t>> PairsOf(const Tokens& tokens) {
    std::vector<std::size_t> open;
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (IsOneOf(tokens[i], "([{")) open.push_back(i);
      if (IsOneOf(tokens[i], ")]}") && !open.empty()) {
        out.emplace_back(open.back(), i);
        open.pop_back();
      }
    }
    return out;
  }

  void Change(Tokens& tokens, const Tokens& others) {
    constexpr std::array<std::string_view, 9> kOdd = {"\"\"", "\"-\"", "\"|\"", "\"-c\"", "...[]",
                                                      "*[]",  "**{}",  "null",  "()"};
    constexpr std::size_t kMostTaken = 40;
    const std::size_t at = Below(tokens.size());
    switch (Below(7)) {
      case 0:
      case 1:
        return ChangeInside(tokens);
      case 2:
        tokens.erase(At(tokens, at));
        return;
      case 3: {
        const std::string_view doubled = tokens[Below(tokens.size())];
        tokens.insert(At(tokens, at), doubled);
        return;
      }
      case 4:
        if (std::string_view* one = AnyThat(tokens, IsName)) *one = *AnyThat(tokens, IsName);
        return;
      case 5:
        if (std::string_view* one = AnyThat(tokens, IsQuoted)) *one = kOdd[Below(kOdd.size())];
        return;
      default: {
        if (others.empty()) return;
        const std::size_t from = Below(others.size());
        const std::size_t count = std::min(others.size() - from, 1 + Below(kMostTaken));
        tokens.insert(At(tokens, at), others.begin() + static_cast<Offset>(from),
                      others.begin() + static_cast<Offset>(from + count));
      }
    }
  }

  // Nothing between two brackets, one argument fewer, or what stands between two others.
  void ChangeInside(Tokens& tokens) {
    constexpr std::size_t kMostMoved = 200;
    const auto pairs = PairsOf(tokens);
    if (pairs.empty()) return;
    const auto [open, close] = pairs[Below(pairs.size())];
    const auto [from, to] = pairs[Below(pairs.size())];
    const std::size_t how = Below(3);
    Tokens inside;
    if (how == 1) {
      const auto comma = std::find(At(tokens, open), At(tokens, close), ",");
      if (comma != At(tokens, close)) inside.assign(comma + 1, At(tokens, close));
    } else if (how == 2 && to - from < kMostMoved) {
      inside.assign(At(tokens, from), At(tokens, to) + 1);
    }
    tokens.erase(At(tokens, open) + 1, At(tokens, close));
    tokens.insert(At(tokens, open) + 1, inside.begin(), inside.end());
  }

  template <typename Is>
  std::string_view* AnyThat(Tokens& tokens, Is is) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (is(tokens[i])) found.push_back(i);
    }
    return found.empty() ? nullptr : &tokens[found[Below(found.size())]];
  }

  std::mt19937 random_;
};

}  // namespace interlock::tests
