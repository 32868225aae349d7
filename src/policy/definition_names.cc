#include "interlock/policy/definition_names.h"

#include <algorithm>
#include <array>
#include <limits>

#include "interlock/base/json.h"

namespace interlock::policy {
namespace {

constexpr std::size_t kLongest = 512;
constexpr std::size_t kShortestName = 4;
constexpr std::size_t kMaxDepth = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlnum(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80U;
}
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
void AppendLower(std::string_view text, std::string& out) {
  for (const char c : text) out.push_back(Lower(c));
}

constexpr std::string_view kBetween = " \t\r\n\"'`<>()[]{},;|*";

// The word that begins at or after `at`, without the punctuation that ends a sentence; empty at the end of the text.
std::string_view NextWord(std::string_view text, std::size_t& at) {
  const std::size_t begin = std::min(text.find_first_not_of(kBetween, at), text.size());
  at = std::min(text.find_first_of(kBetween, begin), text.size());
  std::string_view word = text.substr(begin, at - begin);
  while (!word.empty() && (word.back() == '.' || word.back() == ':' || word.back() == '!' || word.back() == '?')) {
    word.remove_suffix(1);
  }
  return word;
}

bool IsLink(std::string_view word) {
  const std::size_t scheme = word.find("://");
  return scheme != std::string_view::npos && scheme > 0 && word.size() > scheme + 6;
}

bool IsMail(std::string_view word) {
  const std::size_t at = word.find('@');
  if (at == std::string_view::npos || at == 0 || at + 3 >= word.size()) return false;
  return word.find('.', at + 1) != std::string_view::npos && IsAlnum(word.back());
}

// 2024-01-31, 10:30, 2024-01-31T10:30:00Z: forms of values, not names of anything.
bool IsTime(std::string_view word) {
  std::size_t digits = 0;
  std::size_t letters = 0;
  std::size_t marks = 0;
  for (const char c : word) {
    digits += IsDigit(c) ? 1U : 0U;
    letters += !IsDigit(c) && IsAlnum(c) ? 1U : 0U;
    marks += c == '-' || c == ':' || c == '/' || c == '.' ? 1U : 0U;
  }
  return marks > 0 && letters <= 2 && digits >= 3 && digits + letters + marks >= word.size() - 1;
}

struct Kind {
  bool address = false;
  bool link = false;
  bool identifier = false;
};
Kind KindOf(std::string_view word) {
  Kind kind;
  if (word.size() < kShortestName || word.size() > kLongest) return kind;
  kind.link = IsLink(word);
  kind.address = kind.link || IsMail(word);
  if (kind.address) return kind;
  std::size_t digits = 0;
  std::size_t others = 0;
  for (const char c : word) {
    digits += IsDigit(c) ? 1U : 0U;
    others += !IsDigit(c) ? 1U : 0U;
    if (!IsAlnum(c) && c != '-' && c != '_' && c != '.' && c != '+' && c != '/' && c != '#' && c != ':') return kind;
  }
  if (digits < 3 || (others == 0 && digits < 6) || IsTime(word)) return kind;
  kind.identifier = true;
  // Accounts, telephone numbers.
  kind.address = word.size() >= 12 && digits >= 9;
  return kind;
}

bool StartsExample(std::string_view lower) {
  constexpr std::array<std::string_view, 8> kWords{"e.g", "eg",      "example",  "examples",
                                                   "ex",  "default", "defaults", "format"};
  return std::ranges::find(kWords, lower) != kWords.end();
}

void CollectTexts(base::JsonValue schema, std::size_t depth, std::string& out) {
  if (depth > kMaxDepth || out.size() > DefinitionNames::kMaxText) return;
  if (schema.is_array()) {
    for (auto item = schema.begin(); item != schema.end(); ++item) CollectTexts(*item, depth + 1, out);
    return;
  }
  if (!schema.is_object()) return;
  for (auto member = schema.begin(); member != schema.end(); ++member) {
    const std::string_view key = member.key();
    if (key == "enum" || key == "const" || key == "default" || key == "examples") continue;
    const base::JsonValue value = *member;
    if (!value.is_string()) {
      CollectTexts(value, depth + 1, out);
    } else if (key == "description" || key == "title") {
      out += value.string();
      out += ".\n";
    }
  }
}

std::string TextsOf(const core::ToolSpec& spec) {
  std::string out = spec.title + "\n" + spec.description + "\n";
  if (!spec.input_schema.empty()) {
    const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(spec.input_schema);
    if (doc.ok()) CollectTexts(doc.value().root(), 0, out);
  }
  if (out.size() > DefinitionNames::kMaxText) out.resize(DefinitionNames::kMaxText);
  return out;
}

}  // namespace

DefinitionNames::DefinitionNames(std::span<const core::ToolSpec* const> tools) {
  for (const core::ToolSpec* spec : tools.first(std::min(tools.size(), kMaxTools))) {
    if (spec->result_trust == core::Trust::kTrusted) continue;
    Tool tool{.name = spec->name, .words = {}};
    const std::string text = TextsOf(*spec);
    std::size_t found = 0;
    std::size_t example = std::numeric_limits<std::size_t>::max();  // where the last words that announce one ended
    constexpr std::size_t kNear = 24;
    const auto index = static_cast<std::uint32_t>(tools_.size());
    for (std::size_t at = 0; at < text.size() && found < kMaxNames;) {
      const std::string_view word = NextWord(text, at);
      if (word.empty()) continue;
      std::string lower;
      AppendLower(word.substr(0, kLongest), lower);
      const auto begin = static_cast<std::size_t>(word.data() - text.data());
      if (StartsExample(lower) || (lower == "as" && text.substr(0, begin).ends_with("such "))) {
        example = at;
        continue;
      }
      if (lower.size() >= kShortestName && lower.size() <= 64) tool.words.push_back(lower);
      const Kind kind = KindOf(word);
      if (!kind.address && !kind.identifier) continue;
      if (example != std::numeric_limits<std::size_t>::max() && begin - example <= kNear) {
        example = at;  // a list of them
        continue;
      }
      Name name{.text = std::move(lower), .tool = index, .address = kind.address, .link = kind.link};
      if (kind.link) links_.push_back(name);
      names_.push_back(std::move(name));
      ++found;
    }
    if (found == 0) continue;
    std::ranges::sort(tool.words);
    tool.words.erase(std::ranges::unique(tool.words).begin(), tool.words.end());
    tools_.push_back(std::move(tool));
  }
  std::ranges::stable_sort(names_, {}, &Name::text);
}

const std::string* DefinitionNames::NamedWord(std::string_view tool, std::string_view argument,
                                              std::string_view word) const {
  const auto speaks_of = [&](const Tool& by) {
    const auto has = [&](std::string_view name) {
      if (name.size() < kShortestName) return false;
      std::string lower;
      AppendLower(name, lower);
      return std::ranges::binary_search(by.words, lower);
    };
    return has(tool) || has(argument);
  };
  const auto [first, last] = std::ranges::equal_range(names_, word, {}, &Name::text);
  for (auto name = first; name != last; ++name) {
    const Tool& by = tools_[name->tool];
    if (by.name != tool && (name->address || speaks_of(by))) return &by.name;
  }
  for (const Name& link : links_) {
    const Tool& by = tools_[link.tool];
    if (by.name != tool && word.starts_with(link.text)) return &by.name;
  }
  return nullptr;
}

const std::string* DefinitionNames::NamedBy(std::string_view tool, std::string_view argument,
                                            std::string_view value) const {
  if (names_.empty() || value.size() < kShortestName || value.size() > kLongest) return nullptr;
  std::string lower;
  lower.reserve(value.size());
  AppendLower(value, lower);
  for (std::size_t at = 0; at < lower.size();) {
    const std::string_view word = NextWord(lower, at);
    if (word.size() < kShortestName) continue;
    if (const std::string* by = NamedWord(tool, argument, word)) return by;
  }
  return nullptr;
}

}  // namespace interlock::policy
