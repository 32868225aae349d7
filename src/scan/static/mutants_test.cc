// Programs that are nearly right: parts of the test packages removed, doubled and exchanged, so that most still parse
// and lack what an analysis takes for granted (calls of nothing, parts without a name, programs of no words). Bytes
// that are changed at random, as the fuzz targets change them, seldom get that far.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/scan/scanner.h"
#include "static/packages_for_test.h"

namespace interlock::scan {
namespace {

using Tokens = std::vector<std::string>;

bool IsNameByte(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// Names, quoted texts of one line, and single bytes.
Tokens TokensOf(std::string_view text) {
  Tokens out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (IsNameByte(text[i])) {
      while (end < text.size() && IsNameByte(text[end])) ++end;
    } else if (text[i] == '"' || text[i] == '\'') {
      const std::size_t close = text.find_first_of(std::string(1, text[i]) + "\n", end);
      if (close != std::string_view::npos && text[close] == text[i]) end = close + 1;
    }
    out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

bool IsOneOf(const std::string& token, std::string_view bytes) {
  return token.size() == 1 && bytes.find(token[0]) != std::string_view::npos;
}

std::vector<std::pair<std::size_t, std::size_t>> PairsOf(const Tokens& tokens) {
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

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::size_t Below(std::size_t bound) { return random_() % std::max<std::size_t>(bound, 1); }

  std::string Mutant(const std::vector<std::string>& pool) {
    Tokens tokens = TokensOf(pool[Below(pool.size())]);
    for (std::size_t left = 1 + Below(3); left-- > 0 && !tokens.empty();) Change(tokens, pool);
    std::string out;
    for (const std::string& token : tokens) out += token;
    return out;
  }

 private:
  using Offset = Tokens::difference_type;

  static Tokens::iterator At(Tokens& tokens, std::size_t index) { return tokens.begin() + static_cast<Offset>(index); }

  void Change(Tokens& tokens, const std::vector<std::string>& pool) {
    const std::size_t at = Below(tokens.size());
    switch (Below(7)) {
      case 0:
        return Inside(tokens);
      case 1:
        return Inside(tokens);
      case 2:
        tokens.erase(At(tokens, at));
        return;
      case 3:
        tokens.insert(At(tokens, at), std::string(tokens[Below(tokens.size())]));
        return;
      case 4:
        return Exchange(tokens, [](const std::string& token) { return IsNameByte(token[0]); }, nullptr);
      case 5:
        return Exchange(
            tokens, [](const std::string& token) { return token.size() > 1 && IsOneOf({token[0]}, "'\""); }, &kOdd);
      default: {
        const Tokens other = TokensOf(pool[Below(pool.size())]);
        const std::size_t from = Below(other.size());
        const std::size_t count = std::min(other.size() - from, 1 + Below(40));
        tokens.insert(At(tokens, at), other.begin() + static_cast<Offset>(from),
                      other.begin() + static_cast<Offset>(from + count));
      }
    }
  }

  // Nothing between two brackets, one argument fewer, or what stands between two others.
  void Inside(Tokens& tokens) {
    const auto pairs = PairsOf(tokens);
    if (pairs.empty()) return;
    const auto [open, close] = pairs[Below(pairs.size())];
    const auto [from, to] = pairs[Below(pairs.size())];
    const std::size_t how = Below(3);
    Tokens inside;
    if (how == 1) {
      const auto comma = std::find(At(tokens, open), At(tokens, close), ",");
      if (comma != At(tokens, close)) inside.assign(comma + 1, At(tokens, close));
    } else if (how == 2 && to - from < 200) {
      inside.assign(At(tokens, from), At(tokens, to) + 1);
    }
    tokens.erase(At(tokens, open) + 1, At(tokens, close));
    tokens.insert(At(tokens, open) + 1, inside.begin(), inside.end());
  }

  template <typename Is>
  void Exchange(Tokens& tokens, Is is, const std::array<std::string_view, 9>* odd) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (is(tokens[i])) found.push_back(i);
    }
    if (found.empty()) return;
    std::string& one = tokens[found[Below(found.size())]];
    one = odd != nullptr ? std::string((*odd)[Below(odd->size())]) : std::string(tokens[found[Below(found.size())]]);
  }

  static constexpr std::array<std::string_view, 9> kOdd = {"\"\"", "\"-\"", "\"|\"", "\"-c\"", "...[]",
                                                           "*[]",  "**{}",  "null",  "()"};
  std::mt19937 random_;
};

// The files of all test packages, by their extension.
std::map<std::string, std::vector<std::string>> Pools() {
  constexpr std::size_t kLongest = 4000;
  std::map<std::string, std::vector<std::string>> out;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(INTERLOCK_TESTDATA) + "/packages"))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  for (const std::string& name : names) {
    for (const NamedPackage& package : PackagesOf(name)) {
      for (const core::PackageFile& file : package.view.files) {
        const std::string extension = std::filesystem::path(file.path).extension().string();
        const bool code = extension == ".js" || extension == ".mjs" || extension == ".ts" || extension == ".py" ||
                          extension == ".sh" || extension == ".go" || extension == ".rs" || extension == ".rb" ||
                          extension == ".ps1" || extension == ".php" || extension == ".json";
        if (code && !file.bytes.empty() && file.bytes.size() < kLongest) out[extension].emplace_back(file.bytes);
      }
    }
  }
  return out;
}

TEST(Packages, MutantsEnd) {
  constexpr std::size_t kPackages = 400;
  constexpr std::size_t kFiles = 40;
  const auto pools = Pools();
  ASSERT_GE(pools.size(), 6U);
  Mutator mutator(1);
  std::size_t findings = 0;
  for (std::size_t i = 0; i < kPackages; ++i) {
    core::PackageView view;
    for (std::size_t k = 0; k < kFiles; ++k) {
      const auto pool = std::next(pools.begin(), static_cast<std::ptrdiff_t>(mutator.Below(pools.size())));
      view.files.push_back({.path = "m" + std::to_string(k) + pool->first, .bytes = mutator.Mutant(pool->second)});
    }
    findings += Scan(view, {}).findings.size();
  }
  EXPECT_GT(findings, kPackages);  // most of what they were is left in them
}

}  // namespace
}  // namespace interlock::scan
