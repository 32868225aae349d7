// Shared by the tests of this module.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/json.h"

namespace interlock::base::testing {

// Writes `value` through JsonWriter, member by member.
inline void Rewrite(JsonWriter& w, JsonValue value) {
  switch (value.type()) {
    case JsonType::kObject:
      w.BeginObject();
      for (auto it = value.begin(); it != value.end(); ++it) {
        w.Key(it.key());
        Rewrite(w, *it);
      }
      w.EndObject();
      return;
    case JsonType::kArray:
      w.BeginArray();
      for (const JsonValue child : value) Rewrite(w, child);
      w.EndArray();
      return;
    case JsonType::kString:
      w.String(value.string());
      return;
    default:
      w.Raw(value.raw());
  }
}

inline std::string Rewritten(JsonValue value) {
  std::string out;
  JsonWriter w(out);
  Rewrite(w, value);
  return out;
}

// A document built from a list of choices, so that property tests shrink well. `Write` gives one text of it;
// `WriteOtherwise` another with the same meaning: members reversed, other white space, other spellings of numbers and
// strings.
class Tree {
 public:
  explicit Tree(const std::vector<std::uint8_t>& choices) : choices_(choices) { root_ = Build(0); }

  [[nodiscard]] std::string Write() const {
    std::string out;
    JsonWriter w(out);
    Write(w, root_);
    return out;
  }
  [[nodiscard]] std::string WriteOtherwise() const {
    std::string out = " \n";
    WriteOtherwise(out, root_);
    return out + "\t";
  }

 private:
  struct Node {
    JsonType type = JsonType::kNull;
    std::string text;
    std::vector<std::pair<std::string, Node>> members;
  };

  std::uint8_t Choose() { return at_ < choices_.size() ? choices_[at_++] : std::uint8_t{0}; }

  std::string BuildText() {
    static constexpr std::string_view kPieces[] = {"a",
                                                   "key",
                                                   "\"",
                                                   "\\",
                                                   "/",
                                                   "\n",
                                                   std::string_view("\0", 1),
                                                   "\x1f",
                                                   "\x7f",
                                                   "é",
                                                   "€",
                                                   "😀",
                                                   "\xEF\xAC\xB3",
                                                   "  ",
                                                   "0123456789abcdef",
                                                   "\\u0041"};
    std::string text;
    for (int count = Choose() % 6; count > 0; --count) text += kPieces[Choose() % std::size(kPieces)];
    return text;
  }

  Node Build(int depth) {
    Node node;
    const int kind = Choose() % (depth < 5 ? 7 : 5);
    switch (kind) {
      case 0:
        node.text = "null";
        break;
      case 1:
        node.type = JsonType::kBool;
        node.text = Choose() % 2 == 0 ? "true" : "false";
        break;
      case 2:
      case 3:
        node.type = JsonType::kNumber;
        if (Choose() % 2 == 0) node.text = "-";
        node.text += std::to_string(1 + Choose());
        for (int count = Choose() % 4; count > 0; --count) node.text += std::to_string(100 + Choose());
        break;
      case 4:
        node.type = JsonType::kString;
        node.text = BuildText();
        break;
      case 5:
        node.type = JsonType::kArray;
        for (int count = Choose() % 6; count > 0; --count) node.members.emplace_back("", Build(depth + 1));
        break;
      default: {
        node.type = JsonType::kObject;
        std::set<std::string> keys;
        for (int count = Choose() % 24; count > 0; --count) {
          std::string key = BuildText();
          if (keys.insert(key).second) node.members.emplace_back(std::move(key), Build(depth + 1));
        }
      }
    }
    return node;
  }

  static void Write(JsonWriter& w, const Node& node) {
    switch (node.type) {
      case JsonType::kObject:
        w.BeginObject();
        for (const auto& [key, child] : node.members) {
          w.Key(key);
          Write(w, child);
        }
        w.EndObject();
        return;
      case JsonType::kArray:
        w.BeginArray();
        for (const auto& [key, child] : node.members) Write(w, child);
        w.EndArray();
        return;
      case JsonType::kString:
        w.String(node.text);
        return;
      default:
        w.Raw(node.text);
    }
  }

  static void WriteEscaped(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    out += '"';
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        out += "\\u00";
        out += kHex[byte >> 4U];
        out += kHex[byte & 15U];
      } else {
        out += c;
      }
    }
    out += '"';
  }

  static void WriteOtherwise(std::string& out, const Node& node) {
    switch (node.type) {
      case JsonType::kObject: {
        out += "{ ";
        bool first = true;
        for (auto it = node.members.rbegin(); it != node.members.rend(); ++it) {
          if (!first) out += " ,\n";
          first = false;
          WriteEscaped(out, it->first);
          out += "\t: ";
          WriteOtherwise(out, it->second);
        }
        out += "\r}";
        return;
      }
      case JsonType::kArray: {
        out += "[\n";
        bool first = true;
        for (const auto& [key, child] : node.members) {
          if (!first) out += "\t,";
          first = false;
          WriteOtherwise(out, child);
        }
        out += " ]";
        return;
      }
      case JsonType::kString:
        WriteEscaped(out, node.text);
        return;
      case JsonType::kNumber:
        out += node.text + "00.000E-0" + "2";
        return;
      default:
        out += node.text;
    }
  }

  const std::vector<std::uint8_t>& choices_;
  std::size_t at_ = 0;
  Node root_;
};

}  // namespace interlock::base::testing
