// The published layout of the graphs: reading, writing, and the Python list in its keys.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "../import_common.h"
#include "interlock/base/json.h"
#include "interlock/eval/agent_sentry/paper_graph.h"

namespace interlock::eval::agent_sentry {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

namespace {

constexpr std::array<std::string_view, kFlowMaps> kMapNames{"cfg_ret_to_action", "cfg_action_to_action",
                                                            "dfg_arg_sources"};
constexpr std::array kParts{FlowClass::kUtility, FlowClass::kAmbiguous, FlowClass::kAttack};

void AppendPythonString(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool doubled = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = doubled ? '"' : '\'';
  out.push_back(quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out.append(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    } else if (byte < 0x20 || byte == 0x7F) {
      out.append("\\x");
      out.push_back(kHex[byte >> 4U]);
      out.push_back(kHex[byte & 15U]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back(quote);
}

// `['a', "b"]`: strings only, with the escapes that AppendPythonString writes.
class PythonList {
 public:
  explicit PythonList(std::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> Read() {
    std::vector<std::string> out;
    if (!Eat('[')) return std::nullopt;
    Spaces();
    while (!Eat(']')) {
      if (!out.empty()) {
        if (!Eat(',')) return std::nullopt;
        Spaces();
      }
      std::optional<std::string> one = String();
      if (!one) return std::nullopt;
      out.push_back(std::move(*one));
      Spaces();
    }
    if (at_ != text_.size()) return std::nullopt;
    return out;
  }

 private:
  bool Eat(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Spaces() {
    while (Eat(' ')) {
    }
  }
  std::optional<std::string> String() {
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != quote) {
      const char c = text_[at_++];
      if (c != '\\') {
        out.push_back(c);
        continue;
      }
      const std::optional<char> escaped = Escape();
      if (!escaped) return std::nullopt;
      out.push_back(*escaped);
    }
    if (!Eat(quote)) return std::nullopt;
    return out;
  }
  std::optional<char> Escape() {
    if (at_ >= text_.size()) return std::nullopt;
    const char c = text_[at_++];
    switch (c) {
      case '\\':
      case '\'':
      case '"':
        return c;
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'x':
        break;
      default:
        return std::nullopt;
    }
    unsigned value = 0;
    for (int n = 0; n < 2; ++n) {
      if (at_ >= text_.size()) return std::nullopt;
      const std::size_t digit = std::string_view("0123456789abcdef").find(text_[at_++]);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(digit);
    }
    if (value >= 0x80) return std::nullopt;  // would not be UTF-8 on its own
    return static_cast<char>(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::size_t> MapFromName(std::string_view name) {
  const auto* const it = std::find(kMapNames.begin(), kMapNames.end(), name);
  if (it == kMapNames.end()) return std::nullopt;
  return static_cast<std::size_t>(it - kMapNames.begin());
}

std::optional<FlowClass> PartFromName(std::string_view name) {
  for (const FlowClass part : kParts) {
    if (NameOf(part) == name) return part;
  }
  return std::nullopt;
}

}  // namespace

std::string ReadSetKey(std::vector<std::string> tools) {
  std::sort(tools.begin(), tools.end());
  tools.erase(std::unique(tools.begin(), tools.end()), tools.end());
  std::string out = "[";
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (i != 0) out.append(", ");
    AppendPythonString(out, tools[i]);
  }
  out.push_back(']');
  return out;
}

std::optional<std::vector<std::string>> ToolsOfReadSetKey(std::string_view key) {
  std::optional<std::vector<std::string>> tools = PythonList(key).Read();
  if (!tools) return std::nullopt;
  std::sort(tools->begin(), tools->end());
  tools->erase(std::unique(tools->begin(), tools->end()), tools->end());
  return tools;
}

Result<PaperPolicy> ParsePaperPolicy(std::string_view json) {
  Result<JsonDoc> doc = JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return ShapeError(root, "not an object of graphs");
  PaperPolicy policy;
  for (auto part_it = root.begin(); part_it != root.end(); ++part_it) {
    const std::optional<FlowClass> part = PartFromName(part_it.key());
    if (!part || !(*part_it).is_object()) return ShapeError(*part_it, "not one of the three graphs");
    const JsonValue maps = *part_it;
    for (auto map_it = maps.begin(); map_it != maps.end(); ++map_it) {
      const std::optional<std::size_t> map = MapFromName(map_it.key());
      if (!map || !(*map_it).is_object()) return ShapeError(*map_it, "not one of a graph's three maps");
      const JsonValue entries = *map_it;
      for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        std::string key(entry.key());
        if (static_cast<FlowMap>(*map) == FlowMap::kReadToAction) {
          std::optional<std::vector<std::string>> tools = ToolsOfReadSetKey(key);
          if (!tools) return ShapeError(*entry, "the key is no list of tool names");
          key = ReadSetKey(std::move(*tools));
        }
        if (!(*entry).is_array()) return ShapeError(*entry, "not a list of names");
        for (const JsonValue value : *entry) {
          if (!value.is_string()) return ShapeError(value, "not a name");
          const PairId id = policy.pairs.Intern({static_cast<FlowMap>(*map), key, std::string(value.string())});
          const FlowClass known = policy.graph.Of(id);
          if (known != FlowClass::kNovel && known != *part) return ShapeError(value, "stands in two graphs");
          policy.graph.Put(id, *part);
        }
      }
    }
  }
  return policy;
}

std::string PaperPolicyJson(const PairTable& pairs, const PaperGraph& graph) {
  using Entries = std::map<std::string_view, std::set<std::string_view>>;
  std::array<std::array<Entries, kFlowMaps>, kParts.size()> parts;
  for (PairId id = 0; id < pairs.size(); ++id) {
    const auto* const part = std::find(kParts.begin(), kParts.end(), graph.Of(id));
    if (part == kParts.end()) continue;
    const PaperPair& pair = pairs.at(id);
    parts[static_cast<std::size_t>(part - kParts.begin())][static_cast<std::size_t>(pair.map)][pair.key].insert(
        pair.value);
  }
  std::string out = "{\n";
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    out.append("  \"").append(NameOf(kParts[part])).append("\": {\n");
    for (std::size_t map = 0; map < kFlowMaps; ++map) {
      out.append("    \"").append(kMapNames[map]).append("\": {");
      bool first = true;
      for (const auto& [key, values] : parts[part][map]) {
        out.append(first ? "\n      " : ",\n      ");
        first = false;
        base::AppendJsonString(out, key);
        out.append(": ");
        base::JsonWriter writer(out);
        writer.BeginArray();
        for (const std::string_view value : values) writer.String(value);
        writer.EndArray();
      }
      out.append(first ? "}" : "\n    }").append(map + 1 < kFlowMaps ? ",\n" : "\n");
    }
    out.append("  }").append(part + 1 < kParts.size() ? ",\n" : "\n");
  }
  out.append("}\n");
  return out;
}

}  // namespace interlock::eval::agent_sentry
