#include <algorithm>
#include <cctype>
#include <memory>

#include "interlock/base/json.h"
#include "interlock/scan/host_config.h"

namespace interlock::scan {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxNodes = 20'000;

struct Node {
  enum class Kind : std::uint8_t { kScalar, kArray, kTable } kind = Kind::kTable;
  bool raw = false;   // scalar that is JSON already: true, false
  bool made = false;  // array of tables
  std::string text;
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> members;
  std::vector<std::unique_ptr<Node>> items;
};

class TomlReader {
 public:
  explicit TomlReader(std::string_view bytes) : bytes_(bytes) {
    if (bytes_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  Result<std::string> Read() {
    Node* table = &root_;
    for (SkipBlank(true); at_ < bytes_.size(); SkipBlank(true)) {
      if (Peek() == '[') {
        const bool array = bytes_.substr(at_, 2) == "[[";
        at_ += array ? 2 : 1;
        std::vector<std::string> path;
        if (Status status = ReadKey(path); !status.ok()) return status.error();
        if (!Take(array ? "]]" : "]")) return Broken("a table's name does not end");
        table = Descend(&root_, path, array);
        if (table == nullptr) return Broken("a table that is something else already");
      } else {
        if (Status status = ReadMember(*table, 0); !status.ok()) return status.error();
      }
      SkipBlank(false);
      if (at_ < bytes_.size() && Peek() != '\n' && Peek() != '\r') return Broken("something after the value");
    }
    std::string out;
    base::JsonWriter w(out);
    Write(w, root_);
    return out;
  }

 private:
  [[nodiscard]] char Peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  [[nodiscard]] bool Take(std::string_view text) {
    if (bytes_.substr(std::min(at_, bytes_.size()), text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  [[nodiscard]] Error Broken(std::string message, ErrorCode code = ErrorCode::kJsonSyntax) const {
    const std::string_view before = bytes_.substr(0, at_);
    return Error(
        code, std::move(message),
        {.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n')), .offset = at_});
  }

  void SkipBlank(bool over_lines) {
    while (at_ < bytes_.size()) {
      const char c = bytes_[at_];
      if (c == '#') {
        at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      } else if (c == ' ' || c == '\t' || (over_lines && (c == '\n' || c == '\r'))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Status ReadKey(std::vector<std::string>& path) {
    do {
      SkipBlank(false);
      std::string part;
      if (Peek() == '"' || Peek() == '\'') {
        if (Status status = ReadString(part); !status.ok()) return status;
      } else {
        const std::size_t begin = at_;
        while (at_ < bytes_.size() &&
               (std::isalnum(static_cast<unsigned char>(bytes_[at_])) != 0 || bytes_[at_] == '_' || bytes_[at_] == '-'))
          ++at_;
        if (at_ == begin) return Broken("a key is missing");
        part = bytes_.substr(begin, at_ - begin);
      }
      path.push_back(std::move(part));
      if (path.size() > kMaxDepth) return Broken("nested too deeply", ErrorCode::kJsonDepth);
      SkipBlank(false);
    } while (Take("."));
    return {};
  }

  // The table at `path`, made where it is missing; nullptr where something else stands in the way.
  Node* Descend(Node* from, const std::vector<std::string>& path, bool array_at_end) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      const bool as_array = array_at_end && i + 1 == path.size();
      Node* next = FindMember(*from, path[i]);
      if (next == nullptr) {
        next = AddMember(*from, path[i]);
        if (next == nullptr) return nullptr;
        if (as_array) {
          next->kind = Node::Kind::kArray;
          next->made = true;
        }
      }
      if (next->kind == Node::Kind::kArray && next->made) {
        if (as_array || next->items.empty()) {
          if (++nodes_ > kMaxNodes) return nullptr;
          next->items.push_back(std::make_unique<Node>());
        }
        next = next->items.back().get();
      } else if (next->kind != Node::Kind::kTable || as_array) {
        return nullptr;
      }
      from = next;
    }
    return from;
  }

  static Node* FindMember(Node& table, const std::string& key) {
    for (auto& [name, node] : table.members)
      if (name == key) return node.get();
    return nullptr;
  }
  Node* AddMember(Node& table, const std::string& key) {
    if (++nodes_ > kMaxNodes) return nullptr;
    table.members.emplace_back(key, std::make_unique<Node>());
    return table.members.back().second.get();
  }

  Status ReadMember(Node& table, int depth) {
    std::vector<std::string> path;
    if (Status status = ReadKey(path); !status.ok()) return status;
    if (!Take("=")) return Broken("`=` is missing");
    const std::string last = path.back();
    path.pop_back();
    Node* into = Descend(&table, path, false);
    if (into == nullptr) return Broken("a key below something that is no table");
    if (FindMember(*into, last) != nullptr) return Broken("key occurs twice", ErrorCode::kJsonDuplicateKey);
    Node* value = AddMember(*into, last);
    if (value == nullptr) return Broken("too many values", ErrorCode::kJsonValues);
    return ReadValue(*value, depth);
  }

  Status ReadValue(Node& node, int depth) {
    if (depth > kMaxDepth) return Broken("nested too deeply", ErrorCode::kJsonDepth);
    SkipBlank(false);
    if (Peek() == '"' || Peek() == '\'') {
      node.kind = Node::Kind::kScalar;
      return ReadString(node.text);
    }
    if (Take("[")) {
      node.kind = Node::Kind::kArray;
      for (SkipBlank(true); !Take("]"); SkipBlank(true)) {
        if (++nodes_ > kMaxNodes) return Broken("too many values", ErrorCode::kJsonValues);
        node.items.push_back(std::make_unique<Node>());
        if (Status status = ReadValue(*node.items.back(), depth + 1); !status.ok()) return status;
        SkipBlank(true);
        if (!Take(",") && Peek() != ']') return Broken("an array does not end");
      }
      return {};
    }
    if (Take("{")) {
      node.kind = Node::Kind::kTable;
      for (SkipBlank(true); !Take("}"); SkipBlank(true)) {
        if (Status status = ReadMember(node, depth + 1); !status.ok()) return status;
        SkipBlank(true);
        if (!Take(",") && Peek() != '}') return Broken("an inline table does not end");
      }
      return {};
    }
    const std::size_t end = std::min(bytes_.find_first_of(",]}#\r\n", at_), bytes_.size());
    std::string_view word = bytes_.substr(at_, end - at_);
    while (word.ends_with(' ') || word.ends_with('\t')) word.remove_suffix(1);
    if (word.empty()) return Broken("a value is missing");
    at_ = end;
    node.kind = Node::Kind::kScalar;
    node.text = word;
    node.raw = word == "true" || word == "false";
    return {};
  }

  Status ReadString(std::string& out) {
    const char quote = Peek();
    const std::string triple(3, quote);
    const bool is_long = bytes_.substr(at_, 3) == triple;
    at_ += is_long ? 3 : 1;
    if (is_long) {
      if (Peek() == '\r') ++at_;
      if (Peek() == '\n') ++at_;
    }
    while (at_ < bytes_.size()) {
      if (is_long ? Take(triple) : Take(std::string_view(&quote, 1))) return {};
      const char c = bytes_[at_];
      if (!is_long && c == '\n') break;
      ++at_;
      if (c != '\\' || quote == '\'') {
        out += c;
        continue;
      }
      if (Status status = ReadEscape(out, is_long); !status.ok()) return status;
    }
    return Broken("a string does not end");
  }

  Status ReadEscape(std::string& out, bool is_long) {
    const char c = Peek();
    ++at_;
    switch (c) {
      case 'b':
        out += '\b';
        return {};
      case 't':
        out += '\t';
        return {};
      case 'n':
        out += '\n';
        return {};
      case 'f':
        out += '\f';
        return {};
      case 'r':
        out += '\r';
        return {};
      case '"':
      case '\\':
        out += c;
        return {};
      case 'u':
      case 'U':
        return ReadCodePoint(out, c == 'u' ? 4 : 8);
      default:
        break;
    }
    if (is_long && (c == '\n' || c == '\r' || c == ' ' || c == '\t')) {
      SkipWhite();
      return {};
    }
    return Broken("unknown escape", ErrorCode::kJsonString);
  }

  void SkipWhite() {
    while (at_ < bytes_.size() && std::string_view(" \t\r\n").find(bytes_[at_]) != std::string_view::npos) ++at_;
  }

  Status ReadCodePoint(std::string& out, std::size_t digits) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char c = Peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return Broken("unknown escape", ErrorCode::kJsonString);
      value = value << 4 | static_cast<std::uint32_t>(digit);
      ++at_;
    }
    if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return Broken("no character", ErrorCode::kJsonString);
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (value < 0x80) {
      put(value);
    } else if (value < 0x800) {
      put(0xc0 | value >> 6);
      put(0x80 | (value & 0x3f));
    } else if (value < 0x10000) {
      put(0xe0 | value >> 12);
      put(0x80 | (value >> 6 & 0x3f));
      put(0x80 | (value & 0x3f));
    } else {
      put(0xf0 | value >> 18);
      put(0x80 | (value >> 12 & 0x3f));
      put(0x80 | (value >> 6 & 0x3f));
      put(0x80 | (value & 0x3f));
    }
    return {};
  }

  // Depth is bounded by the reader: kMaxDepth for keys and for values.
  static void Write(base::JsonWriter& w, const Node& node) {
    switch (node.kind) {
      case Node::Kind::kScalar:
        if (node.raw) {
          w.Raw(node.text);
        } else {
          w.String(node.text);
        }
        return;
      case Node::Kind::kArray:
        w.BeginArray();
        for (const auto& item : node.items) Write(w, *item);
        w.EndArray();
        return;
      case Node::Kind::kTable:
        w.BeginObject();
        for (const auto& [name, member] : node.members) Write(w.Key(name), *member);
        w.EndObject();
        return;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
  Node root_;
};

}  // namespace

base::Result<std::string> TomlToJson(std::string_view bytes) { return TomlReader(bytes).Read(); }

}  // namespace interlock::scan
