#include "splice_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"

namespace interlock::eval {

using base::ByteSpan;
using base::JsonDoc;
using base::JsonValue;

namespace {

constexpr std::size_t kMaxSpots = 4096;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool IsAlnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Where a quotation that opens at `open` closes: the same mark before something that is no letter. npos: nowhere near.
std::size_t CloseOfQuote(std::string_view text, std::size_t open) {
  constexpr std::size_t kLongest = 600;
  const char mark = text[open];
  const std::size_t limit = std::min(text.size(), open + kLongest);
  for (std::size_t i = open + 1; i < limit; ++i) {
    if (text[i] == mark && (i + 1 == text.size() || !IsAlnum(text[i + 1]))) return i;
  }
  return std::string_view::npos;
}

bool LooksLikeValue(std::string_view core) {
  for (std::size_t i = 0; i < core.size(); ++i) {
    const char c = core[i];
    if ((c >= '0' && c <= '9') || c == '@' || c == '/' || c == '_' || c == '#' || c == '\\' || c == '=') return true;
    if ((c == '.' || c == ':') && i + 1 < core.size() && IsAlnum(core[i + 1])) return true;
  }
  return false;
}

std::string IndentOfLine(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::size_t end = begin;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  return std::string(text.substr(begin, end - begin));
}

void JsonSpots(std::string_view text, ByteSpan document, std::vector<Spot>& spots) {
  const auto doc = JsonDoc::Parse(text.substr(document.begin, document.end - document.begin));
  if (!doc.ok()) return;
  std::vector<JsonValue> open = {doc.value().root()};
  while (!open.empty() && spots.size() < kMaxSpots) {
    const JsonValue value = open.back();
    open.pop_back();
    std::shared_ptr<std::vector<std::string>> keys;
    if (value.is_object()) {
      keys = std::make_shared<std::vector<std::string>>();
      for (auto it = value.begin(); it != value.end(); ++it) keys->emplace_back(it.key());
    }
    const bool pretty = value.raw().find('\n') != std::string_view::npos;
    for (const JsonValue child : value) {
      if (spots.size() >= kMaxSpots) break;
      const std::size_t begin = document.begin + child.offset();
      const std::size_t end = begin + child.raw().size();
      if (value.is_object() || child.is_string()) {
        spots.push_back({.at = end,
                         .form = value.is_object() ? SpotForm::kJsonMember : SpotForm::kJsonElement,
                         .indent = pretty ? "\n" + IndentOfLine(text, begin) : " ",
                         .keys = keys});
      }
      if (child.size() != 0) open.push_back(child);
    }
  }
}

// Lines like `key: value`, at any depth.
void YamlSpots(std::string_view text, std::vector<Spot>& spots) {
  for (std::size_t begin = 0; begin < text.size() && spots.size() < kMaxSpots;) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view line = text.substr(begin, end - begin);
    std::size_t first = line.find_first_not_of(' ');
    if (first != std::string_view::npos && line.substr(first, 2) == "- ") first += 2;
    if (first != std::string_view::npos) {
      std::size_t i = first;
      while (i < line.size() && (IsAlnum(line[i]) || line[i] == '_' || line[i] == '-')) ++i;
      const bool field = i > first && i < line.size() && line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' ');
      // After a complete one-line value only: block and multi-line scalars go on below.
      const std::string_view value = field ? line.substr(std::min(i + 2, line.size())) : std::string_view();
      const bool whole = !value.empty() && value.find_first_of("|>\"'{[") == std::string_view::npos;
      if (whole)
        spots.push_back({.at = end, .form = SpotForm::kYamlLine, .indent = std::string(first, ' '), .keys = {}});
    }
    begin = end + 1;
  }
}

void LineSpots(std::string_view text, std::vector<Spot>& spots) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos && spots.size() < kMaxSpots;
       at = text.find('\n', at + 1)) {
    spots.push_back({.at = at, .form = SpotForm::kLine, .indent = {}, .keys = {}});
  }
}

}  // namespace

Dice::Dice(std::uint64_t seed, std::string_view salt) : state_(base::SipHash({seed, 0x1d1ce5eed5a17ed5ULL}, salt)) {}

std::uint64_t Dice::Next() {  // SplitMix64
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

std::size_t Dice::Below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(Next() % n); }

void SpanText::Insert(std::size_t at, std::string_view piece) {
  text_.insert(at, piece);
  for (ByteSpan& span : spans_) {
    if (span.begin >= at) span.begin += piece.size();
    if (span.end > at) span.end += piece.size();
  }
}

void SpanText::InsertMarked(std::size_t at, std::string_view piece, ByteSpan mark) {
  Insert(at, piece);
  spans_.push_back({at + mark.begin, at + mark.end});
}

void SpanText::Erase(ByteSpan range) {
  text_.erase(range.begin, range.end - range.begin);
  const auto moved = [&](std::size_t at) {
    return at <= range.begin ? at : at >= range.end ? at - (range.end - range.begin) : range.begin;
  };
  for (ByteSpan& span : spans_) span = {moved(span.begin), moved(span.end)};
  std::erase_if(spans_, [](const ByteSpan& span) { return span.begin >= span.end; });
}

void SpanText::Replace(ByteSpan range, std::string_view piece, ByteSpan mark) {
  Erase(range);
  InsertMarked(range.begin, piece, mark);
}

std::vector<Word> WordsOf(std::string_view text) {
  std::vector<Word> words;
  bool sentence = true;
  std::size_t quoted_until = 0;  // words that begin before this are quoted
  for (std::size_t at = 0; at < text.size();) {
    if (IsSpace(text[at])) {
      if (text[at] == '\n' && !words.empty()) sentence = words.back().ends_sentence = true;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !IsSpace(text[end])) ++end;
    Word word;
    word.whole = word.core = {at, end};
    while (word.core.begin < end && !IsAlnum(text[word.core.begin])) ++word.core.begin;
    while (word.core.end > word.core.begin && !IsAlnum(text[word.core.end - 1])) --word.core.end;
    for (std::size_t i = at; i < end && at >= quoted_until; ++i) {
      if ((text[i] != '"' && text[i] != '\'') || (i > at && IsAlnum(text[i - 1]))) continue;
      if (const std::size_t close = CloseOfQuote(text, i); close != std::string_view::npos) quoted_until = close + 1;
    }
    const std::string_view core = text.substr(word.core.begin, word.core.end - word.core.begin);
    word.begins_sentence = sentence;
    const bool name = !sentence && core.size() > 1 && IsUpper(core[0]) &&
                      std::any_of(core.begin() + 1, core.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    word.value = at < quoted_until || core.empty() || LooksLikeValue(core) || name;
    const std::string_view tail = text.substr(word.core.end, end - word.core.end);
    word.ends_sentence = tail.find_first_of(".!?") != std::string_view::npos;
    sentence = word.ends_sentence || tail.find(':') != std::string_view::npos;
    words.push_back(word);
    at = end;
  }
  if (!words.empty()) words.back().ends_sentence = true;
  return words;
}

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = IsUpper(c) ? static_cast<char>(c + 32) : c;
  return out;
}

std::string UpperAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}

std::string JsonEscaped(std::string_view text) {
  std::string out;
  base::AppendJsonString(out, text);
  return out.substr(1, out.size() - 2);
}

std::optional<std::string> JsonUnescaped(std::string_view content) {
  std::string quoted = "\"";
  quoted.append(content).push_back('"');
  const auto doc = JsonDoc::Parse(quoted);
  if (!doc.ok()) return std::nullopt;
  return std::string(doc.value().root().string());
}

bool FindJson(std::string_view text, ByteSpan& document) {
  const std::size_t first = text.find_first_of("{[");
  const std::size_t last = text.find_last_of("}]");
  if (first == std::string_view::npos || last == std::string_view::npos || last < first) return false;
  // The text may go on after the document and hold brackets of its own: try the last few closing brackets.
  std::size_t end = last;
  for (int tries = 0; tries < 8; ++tries) {
    if (JsonDoc::Parse(text.substr(first, end + 1 - first)).ok()) {
      document = {first, end + 1};
      return true;
    }
    if (end == 0 || (end = text.find_last_of("}]", end - 1)) == std::string_view::npos || end <= first) return false;
  }
  return false;
}

std::vector<Spot> SpotsOf(std::string_view text) {
  std::vector<Spot> spots;
  if (ByteSpan document; FindJson(text, document)) JsonSpots(text, document, spots);
  if (spots.empty()) YamlSpots(text, spots);
  if (spots.size() < 2) {
    spots.clear();
    LineSpots(text, spots);
  }
  if (spots.empty()) spots.push_back({.at = text.size(), .form = SpotForm::kLine, .indent = {}, .keys = {}});
  std::stable_sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.at < b.at; });
  return spots;
}

Piece FieldAt(const Spot& spot, std::string_view key, std::string_view value, bool whole) {
  Piece piece;
  std::size_t field = 0;
  const auto put = [&](std::string_view text) {
    piece.value.begin = piece.text.size();
    piece.text += text;
    piece.value.end = piece.text.size();
  };
  const auto flat = [](std::string_view text) {
    std::string out(text);
    std::replace_if(out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return out;
  };
  switch (spot.form) {
    case SpotForm::kJsonMember:
      piece.text = "," + spot.indent;
      field = piece.text.size();
      piece.text += "\"" + JsonEscaped(key) + "\": \"";
      put(JsonEscaped(value));
      piece.text += '"';
      break;
    case SpotForm::kJsonElement:
      piece.text = "," + spot.indent;
      field = piece.text.size();
      piece.text += '"';
      put(JsonEscaped(value));
      piece.text += '"';
      break;
    case SpotForm::kYamlLine:
      piece.text = "\n" + spot.indent;
      field = piece.text.size();
      piece.text += std::string(key) + ": ";
      put(flat(value));
      break;
    case SpotForm::kLine:
      piece.text = "\n";
      field = 1;
      if (!key.empty()) piece.text += std::string(key) + ": ";
      put(value);
      break;
  }
  if (whole) piece.value = {field, piece.text.size()};
  return piece;
}

std::string FreeKey(const Spot& spot, const std::vector<std::string>& wanted, Dice& dice) {
  const std::size_t start = dice.Below(wanted.size());
  const auto taken = [&](const std::string& key) {
    return spot.keys != nullptr && std::find(spot.keys->begin(), spot.keys->end(), key) != spot.keys->end();
  };
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& key = wanted[(start + i) % wanted.size()];
    if (!taken(key)) return key;
  }
  for (std::size_t i = 2;; ++i) {
    std::string key = (wanted.empty() ? std::string("note") : wanted.back()) + "_" + std::to_string(i);
    if (!taken(key)) return key;
  }
}

std::size_t OnBorder(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

}  // namespace interlock::eval
