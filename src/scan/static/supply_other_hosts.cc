// Servers in settings that are no JSON: TOML (Codex), YAML (Continue, Goose). Each entry is written as JSON would have
// it and read by the one reader of entries; where its texts stand is kept, so that what is found is shown where it is.
#include "static/supply_other_hosts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "static/yaml_values.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostServers = 256;
constexpr int kDeepest = 6;

// Keys that say the same under another name.
std::string_view KeyOf(std::string_view key) {
  if (key == "cmd") return "command";
  if (key == "envs") return "env";
  if (key == "uri") return "url";
  if (key == "http_headers") return "headers";
  return key;
}

// An entry as JSON, and where each of its values was found.
class Entry {
 public:
  void Raw(std::string_view text) { json_ += text; }
  void Key(std::string_view key) {
    if (json_.back() != '{') json_ += ',';
    base::AppendJsonString(json_, KeyOf(key));
    json_ += ':';
  }
  void Item() {
    if (json_.back() != '[') json_ += ',';
  }
  void Text(std::string_view text, base::ByteSpan bytes) {
    const std::size_t begin = json_.size();
    if (text == "true" || text == "false") {
      json_ += text;
    } else {
      base::AppendJsonString(json_, text);
    }
    pieces_.push_back({{begin, json_.size()}, bytes});
  }
  [[nodiscard]] const std::string& json() const noexcept { return json_; }

  // From the first value in the span to the last.
  [[nodiscard]] base::ByteSpan Back(base::ByteSpan span, base::ByteSpan otherwise) const {
    base::ByteSpan out{0, 0};
    for (const auto& [at, bytes] : pieces_) {
      if (at.end <= span.begin || at.begin >= span.end) continue;
      if (out.end == 0) out = bytes;
      out = {std::min(out.begin, bytes.begin), std::max(out.end, bytes.end)};
    }
    return out.end == 0 ? otherwise : out;
  }

 private:
  std::string json_ = "{";
  std::vector<std::pair<base::ByteSpan, base::ByteSpan>> pieces_;
};

void ReadEntry(Sheet& sheet, std::string_view name, const Entry& entry, base::ByteSpan whole) {
  const auto doc = base::JsonDoc::Parse(entry.json());
  if (!doc.ok() || !doc.value().root().is_object()) return;
  SupplyFacts& facts = sheet.facts();
  const std::size_t findings = facts.findings.size();
  const std::size_t hooks = facts.hooks.size();
  const std::size_t places = sheet.state().places.size();
  ReadServer(sheet, name, doc.value().root());
  for (std::size_t i = findings; i < facts.findings.size(); ++i)
    facts.findings[i].bytes = entry.Back(facts.findings[i].bytes, whole);
  for (std::size_t i = hooks; i < facts.hooks.size(); ++i)
    facts.hooks[i].bytes = entry.Back(facts.hooks[i].bytes, whole);
  for (std::size_t i = places; i < sheet.state().places.size(); ++i)
    sheet.state().places[i].bytes = entry.Back(sheet.state().places[i].bytes, whole);
}

void Write(const Sheet& sheet, const toml::node& node, int depth, Entry& entry) {
  const base::ByteSpan bytes = SpanOf(sheet, node);
  if (depth > kDeepest) {
    entry.Raw("null");
  } else if (const toml::table* const table = node.as_table()) {
    entry.Raw("{");
    for (const auto& [key, value] : *table) {
      entry.Key(key.str());
      Write(sheet, value, depth + 1, entry);
    }
    entry.Raw("}");
  } else if (const toml::array* const array = node.as_array()) {
    entry.Raw("[");
    for (const toml::node& item : *array) {
      entry.Item();
      Write(sheet, item, depth + 1, entry);
    }
    entry.Raw("]");
  } else if (node.is_string()) {
    entry.Text(node.value_or(std::string()), bytes);
  } else if (node.is_boolean()) {
    entry.Raw(node.value_or(false) ? "true" : "false");
  } else {
    entry.Raw("null");
  }
}

// The values of one entry, from `depth` on, all below the same key there: a map, or a list where the keys are numbers.
void Write(const std::vector<YamlValue>& values, std::size_t from, std::size_t to, std::size_t depth, Entry& entry) {
  if (depth >= values[from].path.size()) {
    entry.Text(values[from].text, values[from].bytes);
    return;
  }
  const bool list = values[from].path[depth] == "0";
  entry.Raw(list ? "[" : "{");
  for (std::size_t i = from; i < to;) {
    std::size_t end = i + 1;
    while (end < to && values[end].at(depth) == values[i].at(depth)) ++end;
    if (list) {
      entry.Item();
    } else {
      entry.Key(values[i].at(depth));
    }
    if (depth > static_cast<std::size_t>(kDeepest) + 2) {
      entry.Raw("null");
    } else {
      Write(values, i, end, depth + 1, entry);
    }
    i = end;
  }
  entry.Raw(list ? "]" : "}");
}

}  // namespace

void ReadTomlServers(Sheet& sheet, const toml::table& servers) {
  std::size_t count = 0;
  for (const auto& [name, node] : servers) {
    const toml::table* const server = node.as_table();
    if (server == nullptr || ++count > kMostServers) continue;
    Entry entry;
    for (const auto& [key, value] : *server) {
      entry.Key(key.str());
      Write(sheet, value, 0, entry);
    }
    // The name of a variable whose value is shown as a key.
    if (const toml::node* const bearer = server->get("bearer_token_env_var");
        bearer != nullptr && bearer->is_string()) {
      entry.Key("headers");
      entry.Raw("{\"Authorization\":");
      entry.Text("Bearer ${" + bearer->value_or(std::string()) + "}", SpanOf(sheet, *bearer));
      entry.Raw("}");
    }
    entry.Raw("}");
    ReadEntry(sheet, name.str(), entry, SpanOf(sheet, node));
  }
}

// mcpServers: a map by names, or a list of entries with a `name`; `extensions` of Goose.
void ReadYamlServers(Sheet& sheet, const std::vector<YamlValue>& values) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size();) {
    const std::string_view top = values[i].at(0);
    std::size_t end = i + 1;
    if ((top != "mcpServers" && top != "mcp_servers" && top != "extensions") || values[i].path.size() < 3) {
      i = end;
      continue;
    }
    while (end < values.size() && values[end].at(0) == top && values[end].at(1) == values[i].at(1)) ++end;
    if (++count > kMostServers) return;
    Entry entry;
    std::string name(values[i].at(1));
    for (std::size_t from = i; from < end;) {
      std::size_t to = from + 1;
      while (to < end && values[to].at(2) == values[from].at(2)) ++to;
      if (values[from].at(2) == "name" && values[from].path.size() == 3) name = values[from].text;
      entry.Key(values[from].at(2));
      Write(values, from, to, 3, entry);
      from = to;
    }
    entry.Raw("}");
    ReadEntry(sheet, name, entry, {values[i].bytes.begin, values[end - 1].bytes.end});
    i = end;
  }
}

}  // namespace interlock::scan
