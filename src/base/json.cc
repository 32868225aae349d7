// Views into a parsed document.
#include "interlock/base/json.h"

#include <charconv>
#include <cstring>
#include <utility>

#include "decimal_view.h"
#include "json_rep.h"
#include "number_scan.h"

namespace interlock::base {
namespace {

using internal::JsonNode;
using internal::JsonRep;

const JsonRep& NullRep() {
  static const JsonRep* const kRep = [] {
    auto* rep = new JsonRep;  // lives as long as the process: views of it never dangle
    rep->source.Reserve(4 + internal::kPadding);
    std::memcpy(rep->source.data.get(), "null", 4);
    rep->source_size = 4;
    rep->nodes.Reserve(1);
    rep->nodes.data[0] = {.begin = 0, .end = 4, .link = 0, .tag = JsonNode::Tag(JsonType::kNull)};
    rep->node_count = 1;
    return rep;
  }();
  return *kRep;
}

const JsonNode& NodeOf(const JsonRep* rep, std::uint32_t index) noexcept { return rep->nodes.data[index]; }

JsonType TypeOf(const JsonRep* rep, std::uint32_t index) noexcept {
  return rep == nullptr ? JsonType::kMissing : NodeOf(rep, index).type();
}

// The member's node, 0 for none. `object` is one.
std::uint32_t MemberOf(const JsonRep* rep, std::uint32_t object, std::string_view key) noexcept {
  const std::uint32_t end = NodeOf(rep, object).link;
  for (std::uint32_t at = object + 1; at < end; at = rep->After(at + 1)) {
    if (rep->Text(NodeOf(rep, at)) == key) return at + 1;
  }
  return 0;
}

// The step of a pointer that names a member: "~1" is '/', "~0" is '~'. False for any other use of '~'.
bool UnescapeStep(std::string_view step, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      out.push_back(step[i]);
      continue;
    }
    const char which = i + 1 < step.size() ? step[i + 1] : '\0';
    if (which != '0' && which != '1') return false;
    out.push_back(which == '0' ? '~' : '/');
    ++i;
  }
  return true;
}

JsonValue FindEscaped(JsonValue object, std::string_view step) {
  std::string key;
  return UnescapeStep(step, key) ? object.Find(key) : JsonValue();
}

std::optional<std::size_t> ParseIndex(std::string_view step) noexcept {
  if (step.empty() || step.size() > 10 || (step.size() > 1 && step.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  for (const char c : step) {
    if (!internal::IsDigit(c)) return std::nullopt;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index;
}

}  // namespace

std::string_view NameOf(JsonType type) noexcept {
  switch (type) {
    case JsonType::kMissing:
      return "missing";
    case JsonType::kNull:
      return "null";
    case JsonType::kBool:
      return "boolean";
    case JsonType::kNumber:
      return "number";
    case JsonType::kString:
      return "string";
    case JsonType::kArray:
      return "array";
    case JsonType::kObject:
      return "object";
  }
  return "missing";
}

JsonType JsonValue::type() const noexcept { return TypeOf(rep_, index_); }

std::string_view JsonValue::string() const noexcept {
  return TypeOf(rep_, index_) == JsonType::kString ? rep_->Text(NodeOf(rep_, index_)) : std::string_view();
}

std::string_view JsonValue::number_text() const noexcept { return is_number() ? raw() : std::string_view(); }

std::optional<bool> JsonValue::AsBool() const noexcept {
  if (!is_bool()) return std::nullopt;
  return raw().front() == 't';
}

std::optional<std::int64_t> JsonValue::AsInt64() const noexcept {
  if (!is_number()) return std::nullopt;
  const std::optional<internal::DecimalView> number = internal::ParseDecimal(raw());
  if (!number || !number->is_integer() || number->point > 19) return std::nullopt;
  // At most 19 digits: fits 64 bits without a sign.
  std::uint64_t magnitude = 0;
  const auto append = [&magnitude](char c) { magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0'); };
  for (const char c : number->head) append(c);
  for (const char c : number->tail) append(c);
  for (std::int64_t i = number->size(); i < number->point; ++i) append('0');
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
  if (number->negative) {
    if (magnitude > kLimit) return std::nullopt;
    return static_cast<std::int64_t>(~magnitude + 1);
  }
  if (magnitude >= kLimit) return std::nullopt;
  return static_cast<std::int64_t>(magnitude);
}

std::optional<double> JsonValue::AsDouble() const noexcept {
  if (!is_number()) return std::nullopt;
  const std::string_view text = raw();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return value;
  // Out of range either way; only what is too small has a nearest double.
  const std::optional<internal::DecimalView> number = internal::ParseDecimal(text);
  if (!number || number->point > 0) return std::nullopt;
  return number->negative ? -0.0 : 0.0;
}

std::size_t JsonValue::size() const noexcept {
  if (rep_ == nullptr) return 0;
  const JsonNode& node = NodeOf(rep_, index_);
  return node.is_container() ? node.count() : 0;
}

JsonValue JsonValue::Find(std::string_view key) const noexcept {
  if (TypeOf(rep_, index_) != JsonType::kObject) return {};
  const std::uint32_t member = MemberOf(rep_, index_, key);
  return member == 0 ? JsonValue() : JsonValue(rep_, member);
}

JsonValue JsonValue::FindPointer(std::string_view pointer) const noexcept {
  JsonValue value = *this;
  while (!pointer.empty() && value.exists()) {
    if (pointer.front() != '/') return {};
    const char* const begin = pointer.data() + 1;
    const char* const last = pointer.data() + pointer.size();
    const char* end = begin;
    bool escaped = false;
    for (; end != last && *end != '/'; ++end) escaped |= *end == '~';
    const std::string_view step(begin, static_cast<std::size_t>(end - begin));
    pointer = {end, static_cast<std::size_t>(last - end)};
    if (TypeOf(value.rep_, value.index_) == JsonType::kObject) {
      if (escaped) {
        value = FindEscaped(value, step);
        continue;
      }
      const std::uint32_t member = MemberOf(value.rep_, value.index_, step);
      if (member == 0) return {};
      value.index_ = member;
    } else if (const std::optional<std::size_t> index = ParseIndex(step); index && *index < value.size()) {
      Iterator it = value.begin();
      for (std::size_t i = 0; i < *index; ++i) ++it;
      value = *it;
    } else {
      return {};
    }
  }
  return value;
}

std::string_view JsonValue::raw() const noexcept {
  if (rep_ == nullptr) return {};
  const JsonNode& node = NodeOf(rep_, index_);
  return rep_->Bytes().substr(node.begin, node.end - node.begin);
}

std::size_t JsonValue::offset() const noexcept { return rep_ == nullptr ? 0 : NodeOf(rep_, index_).begin; }

inline JsonValue::Iterator::Iterator(const JsonRep* rep, std::uint32_t cursor, std::uint32_t end,
                                     bool is_object) noexcept
    : rep_(rep), cursor_(cursor), end_(end), value_(is_object ? cursor + 1 : cursor), is_object_(is_object) {}

JsonValue::Iterator JsonValue::begin() const noexcept {
  if (rep_ == nullptr) return {};
  const JsonNode& node = NodeOf(rep_, index_);
  if (!node.is_container()) return {};
  return Iterator(rep_, index_ + 1, node.link, node.type() == JsonType::kObject);
}

JsonValue::Iterator JsonValue::end() const noexcept {
  if (rep_ == nullptr) return {};
  const JsonNode& node = NodeOf(rep_, index_);
  if (!node.is_container()) return {};
  return Iterator(rep_, node.link, node.link, node.type() == JsonType::kObject);
}

std::string_view JsonValue::Iterator::key() const noexcept {
  return is_object_ && cursor_ < end_ ? rep_->Text(NodeOf(rep_, cursor_)) : std::string_view();
}

JsonValue::Iterator& JsonValue::Iterator::operator++() noexcept {
  if (cursor_ < end_) {
    cursor_ = rep_->After(value_);
    value_ = is_object_ ? cursor_ + 1 : cursor_;
  }
  return *this;
}

JsonDoc::JsonDoc() = default;
JsonDoc::JsonDoc(JsonDoc&&) noexcept = default;
JsonDoc& JsonDoc::operator=(JsonDoc&&) noexcept = default;
JsonDoc::~JsonDoc() = default;

JsonValue JsonDoc::root() const& noexcept {
  if (rep_ == nullptr) return JsonValue(&NullRep(), 0);
  return rep_->node_count == 0 ? JsonValue() : JsonValue(rep_.get(), 0);
}

std::string_view JsonDoc::bytes() const& noexcept { return rep_ == nullptr ? NullRep().Bytes() : rep_->Bytes(); }

}  // namespace interlock::base
