#include "adaptive_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "../import_common.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"

namespace interlock::embedded {
std::string_view Find_eval_data(std::string_view file);
}

namespace interlock::eval {

using base::JsonDoc;
using base::JsonValue;
using base::Result;
using base::Status;

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsWordByte(char c) { return IsDigit(c) || IsUpper(c) || IsLower(c) || static_cast<unsigned char>(c) >= 0x80U; }

Status Strings(JsonValue array, std::vector<std::string>& out) {
  if (!array.is_array() || array.size() == 0) return ShapeError(array, "a word list is missing or empty");
  for (const JsonValue entry : array) {
    if (entry.string().empty()) return ShapeError(entry, "not a word");
    out.emplace_back(entry.string());
  }
  return {};
}

std::string Capital(std::string word) {
  if (!word.empty() && IsLower(word[0])) word[0] = static_cast<char>(word[0] - 32);
  return word;
}

bool LooksLikeIban(std::string_view v) {
  return v.size() >= 14 && v.size() <= 34 && IsUpper(v[0]) && IsUpper(v[1]) && IsDigit(v[2]) && IsDigit(v[3]) &&
         std::all_of(v.begin(), v.end(), [](char c) { return IsUpper(c) || IsDigit(c); });
}

// ISO 13616: country and check digits move to the end, letters count from 10, modulo 97 is 1.
std::string IbanLike(std::string_view value, Dice& dice) {
  std::string out(value);
  for (std::size_t i = 4; i < out.size(); ++i) {
    if (IsDigit(out[i])) out[i] = static_cast<char>('0' + dice.Below(10));
  }
  out[2] = out[3] = '0';
  unsigned rest = 0;
  for (const char c : out.substr(4) + out.substr(0, 4)) {
    rest = IsDigit(c) ? (rest * 10 + static_cast<unsigned>(c - '0')) % 97
                      : (rest * 100 + static_cast<unsigned>(c - 'A') + 10) % 97;
  }
  const unsigned check = 98 - rest;
  out[2] = static_cast<char>('0' + check / 10);
  out[3] = static_cast<char>('0' + check % 10);
  return out;
}

// Every digit and letter another one of its class, whole words other words; what stands between stays.
std::string ShapeLike(std::string_view value, const AdaptiveWords& words, Dice& dice) {
  std::string out;
  bool first = true;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    std::size_t run = i;
    while (run < value.size() && (IsLower(value[run]) || (run == i && IsUpper(c)))) ++run;
    if (run - i >= 3) {
      const std::string& word = dice.Pick(words.words);
      out += IsUpper(c) ? Capital(word) : word;
      i = run - 1;
    } else if (IsDigit(c)) {
      out +=
          static_cast<char>(first ? '1' + static_cast<char>(dice.Below(9)) : '0' + static_cast<char>(dice.Below(10)));
      first = false;
    } else if (IsUpper(c)) {
      out += static_cast<char>('A' + static_cast<char>(dice.Below(26)));
    } else if (IsLower(c)) {
      out += static_cast<char>('a' + static_cast<char>(dice.Below(26)));
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += byte < 0x20U || byte >= 0x7FU || c == '"' || c == '\\' ? 'x' : c;
    }
  }
  return out;
}

std::string Once(std::string_view value, const AdaptiveWords& words, Dice& dice) {
  const auto host = [&] { return dice.Pick(words.hosts) + "." + dice.Pick(words.top_levels); };
  if (value.find("://") != std::string_view::npos || value.substr(0, 4) == "www.") {
    const std::size_t scheme = value.find("://");
    const std::string prefix = scheme == std::string_view::npos ? "www." : std::string(value.substr(0, scheme + 3));
    return prefix + host() + (dice.OneIn(2) ? "/" + dice.Pick(words.words) : "");
  }
  if (value.find('@') != std::string_view::npos && value.find(' ') == std::string_view::npos) {
    return dice.Pick(words.first_names) + "." + dice.Pick(words.last_names) + "@" + host();
  }
  if (LooksLikeIban(value)) return IbanLike(value, dice);
  const bool digits = std::any_of(value.begin(), value.end(), IsDigit);
  const std::size_t dot = value.rfind('.');
  if (dot != std::string_view::npos && dot > 0 && value.size() - dot >= 3 && value.size() - dot <= 5 &&
      std::all_of(value.begin() + static_cast<std::ptrdiff_t>(dot) + 1, value.end(), IsWordByte)) {
    const std::size_t slash = value.rfind('/', dot);
    const std::string folder(slash == std::string_view::npos ? std::string_view() : value.substr(0, slash + 1));
    return folder + dice.Pick(words.words) + "-" + dice.Pick(words.words) + std::string(value.substr(dot));
  }
  if (digits) return ShapeLike(value, words, dice);
  const std::string mark = !value.empty() && value[0] == '#' ? "#" : "";
  const bool capital = std::any_of(value.begin(), value.end(), IsUpper);
  const auto spaces = static_cast<std::size_t>(std::count(value.begin(), value.end(), ' '));
  if (spaces == 0) {
    const bool joined = value.find_first_of("-_") != std::string_view::npos;
    std::string name = joined ? dice.Pick(words.words) + "-" + dice.Pick(words.words) : dice.Pick(words.first_names);
    return mark + (capital ? Capital(name) : name);
  }
  std::string out = mark;
  for (std::size_t i = 0; i <= std::min<std::size_t>(spaces, 5); ++i) {
    if (i > 0) out += ' ';
    const std::string& word =
        i == 0 ? dice.Pick(words.first_names) : dice.Pick(i == 1 ? words.last_names : words.words);
    out += capital ? Capital(word) : word;
  }
  return out;
}

}  // namespace

Result<AdaptiveWords> ParseAdaptiveWords(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.adaptive-words/v1")
    return ShapeError(root, "not an adaptive word list");
  AdaptiveWords words;
  const std::pair<std::string_view, std::vector<std::string>*> lists[] = {
      {"retrieval_prefixes", &words.retrieval_prefixes},
      {"first_names", &words.first_names},
      {"last_names", &words.last_names},
      {"words", &words.words},
      {"hosts", &words.hosts},
      {"top_levels", &words.top_levels},
  };
  for (const auto& [name, list] : lists) {
    if (Status status = Strings(root.Find(name), *list); !status.ok()) return status.error();
  }
  const JsonValue critical = root.Find("critical_arguments");
  for (auto it = critical.begin(); it != critical.end(); ++it) {
    if (Status status = Strings(*it, words.critical[std::string(it.key())]); !status.ok()) return status.error();
  }
  return words;
}

const AdaptiveWords& EmbeddedAdaptiveWords() {
  static const AdaptiveWords kWords = [] {
    Result<AdaptiveWords> words = ParseAdaptiveWords(embedded::Find_eval_data("adaptive_words.json"));
    INTERLOCK_CHECK(words.ok(), "an embedded data file is broken: its test would fail");
    return std::move(words.value());
  }();
  return kWords;
}

std::string LikeValue(std::string_view value, const AdaptiveWords& words, Dice& dice) {
  for (int tries = 0; tries < 8; ++tries) {
    if (std::string made = Once(value, words, dice); made != value) return made;
  }
  return fmt::format("{}-{}", dice.Pick(words.words), 100 + dice.Below(900));
}

std::size_t FindValue(std::string_view text, std::string_view value, std::size_t from) {
  if (value.empty()) return std::string_view::npos;
  for (std::size_t at = text.find(value, from); at != std::string_view::npos; at = text.find(value, at + 1)) {
    const std::size_t end = at + value.size();
    const bool left = at == 0 || !IsWordByte(value.front()) || !IsWordByte(text[at - 1]);
    const bool right = end == text.size() || !IsWordByte(value.back()) || !IsWordByte(text[end]);
    if (left && right) return at;
  }
  return std::string_view::npos;
}

}  // namespace interlock::eval
