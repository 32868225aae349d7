#include "interlock/provenance/value_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "interlock/base/decimal.h"
#include "interlock/base/digest.h"
#include "interlock/base/text.h"

namespace interlock::provenance {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;

constexpr std::size_t kMinToken = 6;
constexpr std::size_t kMinLine = 16;                     // a shorter line inside a longer value identifies nothing
constexpr std::size_t kMaxLeaf = std::size_t{64} << 10;  // longer ones are kept by their lines and tokens only
constexpr int kMaxNestedJson = 2;                        // JSON inside a JSON string inside JSON: what servers do
constexpr int kMaxDepth = 1024;                          // the JSON reader's own limit is 1000

// The envelope of an MCP result is the same for all results, so it says nothing about where a value came from.
constexpr std::array<std::string_view, 9> kEnvelope{
    "content", "type", "text", "image", "audio", "resource", "resource_link", "isError", "structuredContent"};

bool IsEnvelope(std::string_view text) { return std::ranges::find(kEnvelope, text) != kEnvelope.end(); }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Ends a token wherever it stands: nothing that identifies contains it unescaped.
bool IsSeparator(char c) {
  return IsSpace(c) || static_cast<unsigned char>(c) < 0x20 ||
         std::string_view("\"'`<>()[]{}|,;\\*").find(c) != std::string_view::npos;
}

// Around a token it is punctuation, inside it belongs to the token.
bool IsTrimmed(char c) { return std::string_view(".:!?-_/+=#&%$@~^").find(c) != std::string_view::npos; }

bool IsIdentifying(std::string_view token) {
  return token.size() >= kMinToken && token.find_first_of("0123456789@:/._-+") != std::string_view::npos;
}

std::string_view Trimmed(std::string_view text, bool (*drop)(char)) {
  while (!text.empty() && drop(text.front())) text.remove_prefix(1);
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Calls `take(token)` for each identifying token; for `key=value` also for the value alone, as in `--to=a@b.test`.
template <class Take>
void ForEachToken(std::string_view text, Take&& take) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    if (IsSeparator(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !IsSeparator(text[end])) ++end;
    const std::string_view token = Trimmed(text.substr(begin, end - begin), IsTrimmed);
    begin = end;
    if (IsIdentifying(token)) take(token);
    const std::size_t equals = token.find('=');
    if (equals == std::string_view::npos || !std::ranges::all_of(token.substr(0, equals), IsWordChar)) continue;
    const std::string_view value = Trimmed(token.substr(equals + 1), IsTrimmed);
    if (IsIdentifying(value)) take(value);
  }
}

// Parts of a compound token that a call may use alone: the host of a URL, the file of a path, a query's value, the
// address in `mailto:`. Only texts are cut this way: an argument that merely shares a part with one did not come from
// it.
template <class Take>
void ForEachPart(std::string_view token, Take&& take) {
  if (const std::size_t scheme = token.find("://"); scheme != std::string_view::npos) {
    const std::string_view rest = Trimmed(token.substr(scheme + 3), IsTrimmed);
    if (IsIdentifying(rest)) take(rest);
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= token.size(); ++i) {
    if (i < token.size() && std::string_view("/?&=#:").find(token[i]) == std::string_view::npos) continue;
    const std::string_view part = Trimmed(token.substr(begin, i - begin), IsTrimmed);
    begin = i + 1;
    if (part.size() < token.size() && IsIdentifying(part)) take(part);
  }
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The form in which texts are compared: without regard to case, compatibility forms and invisible characters. ASCII
// needs only its letters folded, which `Print` does piece by piece; text that is not UTF-8 is compared as it stands.
std::string_view Comparable(std::string_view text, std::string& storage) {
  if (IsAscii(text)) return text;
  base::NormalizeOptions options;
  options.fold_case = true;
  options.max_bytes = text.size();
  const base::Result<base::NormalizedText> normal = base::Normalize(text, options);
  if (!normal.ok()) return text;
  storage = normal.value().text();
  return storage;
}

// Whole-leaf form: numbers by value, so that 1e3 and 1000 agree.
std::string_view Whole(std::string_view text, std::string& storage) {
  text = Trimmed(text, IsSpace);
  if (!base::IsJsonNumber(text)) return text;
  storage = base::NormalizeNumber(text);
  return storage;
}

std::uint64_t Print(const std::array<std::uint64_t, 2>& key, std::string_view leaf, std::string& scratch) {
  scratch.assign(leaf);
  for (char& c : scratch) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return base::SipHash(key, scratch);
}

template <class Take>
void ForEachLine(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trimmed(text.substr(0, end), IsSpace);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty() && line.size() <= kMaxLeaf) take(line);
  }
}

bool LooksLikeJson(std::string_view text) {
  text = Trimmed(text, IsSpace);
  return text.size() >= 2 &&
         ((text.front() == '{' && text.back() == '}') || (text.front() == '[' && text.back() == ']'));
}

// The delta: magic, version, flags, eight bytes that tell keys apart, then records of print and labels, little-endian.
constexpr std::string_view kMagic = "IVX1";
constexpr std::size_t kHeaderBytes = 4 + 1 + 8;
constexpr std::size_t kRecordBytes = 8 + 4;
constexpr unsigned char kFlagIncomplete = 1;

template <class T>
void PutLittle(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

template <class T>
T GetLittle(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i));
  return value;
}

std::uint64_t KeyCheck(const std::array<std::uint64_t, 2>& key) { return base::SipHash(key, "interlock value index"); }

}  // namespace

ValueIndex::ValueIndex(ValueIndexOptions options) : options_(options) {}

void ValueIndex::Add(std::string_view leaf, core::LabelSet labels) {
  AddPrint(Print(options_.key, leaf, scratch_), labels);
}

void ValueIndex::AddPrint(std::uint64_t print, core::LabelSet labels) {
  const auto it = labels_by_print_.find(print);
  if (it != labels_by_print_.end()) {
    if ((it->second | labels) == it->second) return;
    it->second |= labels;
  } else {
    if (labels_by_print_.size() >= options_.max_entries) {
      complete_ = false;
      return;
    }
    labels_by_print_.emplace(print, labels);
  }
  PutLittle(delta_, print);
  PutLittle(delta_, labels);
}

void ValueIndex::AddText(std::string_view text, core::LabelSet labels) { AddText(text, labels, 0); }

void ValueIndex::AddText(std::string_view text, core::LabelSet labels, int nested) {
  if (labels == 0) return;
  if (text.size() > options_.max_text_bytes) {
    complete_ = false;
    text = text.substr(0, options_.max_text_bytes);
  }
  if (nested < kMaxNestedJson && LooksLikeJson(text)) {
    const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(text);
    if (doc.ok()) AddJson(doc.value().root(), labels, nested + 1, 0);
  }
  std::string normal;
  text = Comparable(text, normal);
  std::string number;
  if (const std::string_view whole = Whole(text, number); !whole.empty() && whole.size() <= kMaxLeaf)
    Add(whole, labels);
  ForEachLine(text, [&](std::string_view line) {
    if (line.size() < text.size()) Add(line, labels);
  });
  ForEachToken(text, [&](std::string_view token) {
    if (token.size() > kMaxLeaf) return;
    Add(token, labels);
    ForEachPart(token, [&](std::string_view part) { Add(part, labels); });
  });
}

void ValueIndex::AddJson(JsonValue value, core::LabelSet labels) { AddJson(value, labels, 0, 0); }

// SAFETY: no deeper than the bounded JSON reader allows; `depth` is a second lock.
void ValueIndex::AddJson(JsonValue value, core::LabelSet labels, int nested, int depth) {
  if (depth > kMaxDepth) {
    complete_ = false;
    return;
  }
  if (value.is_string()) {
    AddText(value.string(), labels, nested);
  } else if (value.is_number()) {
    AddText(value.number_text(), labels, kMaxNestedJson);
  } else {
    for (auto it = value.begin(); it != value.end(); ++it) {
      const bool is_member = value.is_object();
      if (is_member && !IsEnvelope(it.key())) AddText(it.key(), labels, kMaxNestedJson);
      if (is_member && it.key() == "type" && IsEnvelope((*it).string())) continue;
      AddJson(*it, labels, nested, depth + 1);
    }
  }
}

policy::OriginLookup::Answer ValueIndex::OriginsOf(std::string_view text) const {
  Answer answer{.labels = 0, .complete = complete_};
  if (text.size() > options_.max_text_bytes) {
    answer.complete = false;
    text = text.substr(0, options_.max_text_bytes);
  }
  std::string normal;
  std::string number;
  std::string scratch;
  text = Comparable(text, normal);
  const auto look = [&](std::string_view leaf) {
    const auto it = labels_by_print_.find(Print(options_.key, leaf, scratch));
    if (it != labels_by_print_.end()) answer.labels |= it->second;
  };
  if (const std::string_view whole = Whole(text, number); !whole.empty() && whole.size() <= kMaxLeaf) look(whole);
  ForEachLine(text, [&](std::string_view line) {
    if (line.size() >= kMinLine && line.size() < text.size()) look(line);
  });
  ForEachToken(text, [&](std::string_view token) {
    if (token.size() <= kMaxLeaf) look(token);
  });
  return answer;
}

std::string ValueIndex::TakeDelta() {
  std::string out(kMagic);
  out += static_cast<char>(complete_ ? 0 : kFlagIncomplete);
  PutLittle(out, KeyCheck(options_.key));
  out += delta_;
  delta_.clear();
  return out;
}

namespace {

core::LabelSet Translate(core::LabelSet labels, std::span<const core::LabelSet> policy_labels) {
  core::LabelSet here = labels & ((core::LabelSet{1} << core::kFirstPolicyLabel) - 1);
  for (std::size_t i = 0; i < policy_labels.size() && i < core::kMaxPolicyLabels; ++i) {
    if ((labels >> (core::kFirstPolicyLabel + static_cast<int>(i)) & 1u) != 0) here |= policy_labels[i];
  }
  return here;
}

}  // namespace

void ValueIndex::Relabel(std::span<const core::LabelSet> policy_labels) {
  for (auto& [print, labels] : labels_by_print_) labels = Translate(labels, policy_labels);
}

base::Status ValueIndex::MergeDelta(std::string_view blob) { return Merge(blob, nullptr); }

base::Status ValueIndex::MergeDelta(std::string_view blob, std::span<const core::LabelSet> policy_labels) {
  return Merge(blob, &policy_labels);
}

base::Status ValueIndex::Merge(std::string_view blob, const std::span<const core::LabelSet>* policy_labels) {
  if (blob.size() < kHeaderBytes || !blob.starts_with(kMagic) || (blob.size() - kHeaderBytes) % kRecordBytes != 0) {
    return Error(ErrorCode::kInvalidArgument, "not a delta of a value index");
  }
  const auto flags = static_cast<unsigned char>(blob[kMagic.size()]);
  if (flags > kFlagIncomplete) return Error(ErrorCode::kInvalidArgument, "unknown flags in the delta of a value index");
  if (GetLittle<std::uint64_t>(blob.substr(kMagic.size() + 1)) != KeyCheck(options_.key)) {
    return Error(ErrorCode::kInvalidArgument, "the delta of a value index was made under another key");
  }
  const std::string_view records = blob.substr(kHeaderBytes);
  for (std::size_t at = 0; at < records.size(); at += kRecordBytes) {
    if (GetLittle<core::LabelSet>(records.substr(at + 8)) == 0) {
      return Error(ErrorCode::kInvalidArgument, "a record without labels in the delta of a value index");
    }
  }
  if (flags == kFlagIncomplete) complete_ = false;
  const std::size_t own = delta_.size();
  for (std::size_t at = 0; at < records.size(); at += kRecordBytes) {
    core::LabelSet labels = GetLittle<core::LabelSet>(records.substr(at + 8));
    if (policy_labels != nullptr) {
      labels = Translate(labels, *policy_labels);
      if (labels == 0) continue;  // every label it had means nothing to this policy
    }
    AddPrint(GetLittle<std::uint64_t>(records.substr(at)), labels);
  }
  delta_.resize(own);  // what came from the store need not go back to it
  return {};
}

}  // namespace interlock::provenance
