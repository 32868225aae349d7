#include "read.h"

#include <algorithm>
#include <charconv>

#include "interlock/base/decimal.h"
#include "interlock/base/json.h"

namespace interlock::policy {
namespace {

using base::ErrorCode;

std::string_view KindName(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  switch (TypeOfScalar(node)) {
    case ScalarType::kString:
      return "a string";
    case ScalarType::kNull:
      return "nothing";
    case ScalarType::kTrue:
    case ScalarType::kFalse:
      return "a boolean";
    case ScalarType::kNumber:
    case ScalarType::kOddNumber:
      return "a number";
  }
  return "a value";
}

void WrongType(const YamlNode& node, std::string_view what, std::string_view wanted, Diagnostics& out) {
  std::string message = std::string(what) + " must be " + std::string(wanted) + ", not " + std::string(KindName(node));
  if (wanted == "a string" && node.is_scalar() && node.plain && TypeOfScalar(node) != ScalarType::kString) {
    message += ": quote it";
  }
  out.Error(ErrorCode::kPolicyType, node, std::move(message));
}

struct JsonTarget {
  std::string& text;
  base::JsonWriter& writer;
  JsonPlaces* places;
};

// SAFETY: as deep as the tree, whose depth ReadYaml caps.
bool WriteJson(const YamlNode& node, JsonTarget& target, Diagnostics& out) {
  base::JsonWriter& writer = target.writer;
  if (target.places != nullptr) target.places->emplace_back(target.text.size(), &node);
  bool good = true;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      writer.Null();
      return true;
    case YamlNode::Kind::kSequence:
      writer.BeginArray();
      for (const YamlNode& item : node.items) good = WriteJson(item, target, out) && good;
      writer.EndArray();
      return good;
    case YamlNode::Kind::kMap:
      writer.BeginObject();
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        writer.Key(node.keys[i].text);
        good = WriteJson(node.items[i], target, out) && good;
      }
      writer.EndObject();
      return good;
    case YamlNode::Kind::kScalar:
      break;
  }
  switch (TypeOfScalar(node)) {
    case ScalarType::kString:
      writer.String(node.text);
      return true;
    case ScalarType::kNull:
      writer.Null();
      return true;
    case ScalarType::kTrue:
      writer.Bool(true);
      return true;
    case ScalarType::kFalse:
      writer.Bool(false);
      return true;
    case ScalarType::kNumber:
      writer.Raw(node.text);
      return true;
    case ScalarType::kOddNumber:
      writer.Null();
      out.Error(ErrorCode::kPolicyValue, node,
                Quote(node.text) + " is a number that JSON cannot write: use decimal notation, or quote it");
      return false;
  }
  return false;
}

}  // namespace

bool CheckMap(const YamlNode& node, std::string_view what, std::span<const std::string_view> known, Diagnostics& out) {
  if (!node.is_map()) {
    WrongType(node, what, "a map", out);
    return false;
  }
  for (const YamlNode& key : node.keys) {
    if (std::ranges::find(known, key.text) != known.end()) continue;
    out.Error(ErrorCode::kPolicyUnknownKey, key,
              Quote(key.text) + " is not a key of " + std::string(what) + DidYouMean(key.text, known));
  }
  return true;
}

const YamlNode* Require(const YamlNode& map, std::string_view key, std::string_view what, Diagnostics& out) {
  const YamlNode* value = map.Find(key);
  if (value == nullptr) out.Error(ErrorCode::kPolicyMissing, map, std::string(what) + " needs the key " + Quote(key));
  return value;
}

std::optional<std::string_view> ReadString(const YamlNode& node, std::string_view what, Diagnostics& out) {
  if (node.is_scalar() && TypeOfScalar(node) == ScalarType::kString) return node.text;
  WrongType(node, what, "a string", out);
  return std::nullopt;
}

std::optional<bool> ReadBool(const YamlNode& node, std::string_view what, Diagnostics& out) {
  if (node.is_scalar()) {
    const ScalarType type = TypeOfScalar(node);
    if (type == ScalarType::kTrue) return true;
    if (type == ScalarType::kFalse) return false;
  }
  WrongType(node, what, "true or false", out);
  return std::nullopt;
}

std::optional<std::uint64_t> ReadUint(const YamlNode& node, std::string_view what, std::uint64_t max,
                                      Diagnostics& out) {
  if (!node.is_scalar() || TypeOfScalar(node) != ScalarType::kNumber) {
    WrongType(node, what, "a whole number", out);
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (error != std::errc() || stop != end || value > max) {
    out.Error(ErrorCode::kPolicyValue, node,
              std::string(what) + " must be a whole number from 0 to " + std::to_string(max));
    return std::nullopt;
  }
  return value;
}

std::optional<double> ReadDouble(const YamlNode& node, std::string_view what, double min, double max,
                                 Diagnostics& out) {
  if (!node.is_scalar() || TypeOfScalar(node) != ScalarType::kNumber) {
    WrongType(node, what, "a number", out);
    return std::nullopt;
  }
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= min && value <= max)) {
    std::string message = std::string(what) + " must be a number from ";
    base::JsonWriter(message).Double(min);
    message += " to ";
    base::JsonWriter(message).Double(max);
    out.Error(ErrorCode::kPolicyValue, node, std::move(message));
    return std::nullopt;
  }
  return value;
}

std::vector<ListItem> ReadList(const YamlNode& node, std::string_view what, Diagnostics& out) {
  std::vector<ListItem> items;
  if (!node.is_sequence()) {
    if (const auto text = ReadString(node, what, out)) items.push_back({*text, &node});
    return items;
  }
  if (node.items.empty()) out.Error(ErrorCode::kPolicyValue, node, std::string(what) + " must not be empty");
  for (const YamlNode& item : node.items) {
    if (const auto text = ReadString(item, what, out)) items.push_back({*text, &item});
  }
  return items;
}

bool IsName(std::string_view text) noexcept {
  const auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || text.size() > 64 || !is_alnum(text[0])) return false;
  return std::ranges::all_of(text, [&](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
}

std::optional<std::string> ToJson(const YamlNode& node, Diagnostics& out, JsonPlaces* places) {
  std::string json;
  base::JsonWriter writer(json);
  JsonTarget target{json, writer, places};
  if (!WriteJson(node, target, out)) return std::nullopt;
  return json;
}

}  // namespace interlock::policy
