#include "code/package_data.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "interlock/base/json.h"
#include "static/classify.h"
#include "static/toml_library.h"
#include "static/yaml_values.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kMostDataValues = 4000;  // of one file
constexpr int kDeepest = 16;
constexpr std::size_t kLongest = 4096;  // of one text
constexpr std::size_t kLongestPath = 512;

Value TextOf(std::string_view text) {
  Value value;
  value.kind = ValueKind::kText;
  value.text = text.substr(0, kLongest);
  return value;
}

Value FromJson(const base::JsonValue& json, int depth, std::size_t* left) {
  Value value;
  if (depth > kDeepest || *left == 0) return value;
  --*left;
  if (json.is_string()) return TextOf(json.string());
  if (json.is_number()) return TextOf(json.number_text());
  if (!json.is_array() && !json.is_object()) return value;
  value.kind = json.is_array() ? ValueKind::kList : ValueKind::kDict;
  for (auto at = json.begin(); at != json.end(); ++at) {
    value.items.push_back(FromJson(*at, depth + 1, left));
    if (json.is_object()) value.keys.emplace_back(at.key());
  }
  return value;
}

// ... as hidden as the text that it was read from.
Value Marked(Value value, const Value& from) {
  if (from.obfuscation == 0 && from.decodes == 0) return value;
  value.obfuscation = from.obfuscation;
  value.decodes = from.decodes;
  std::vector<Value> items = value.items.ToVector();
  for (Value& item : items) item = Marked(std::move(item), from);
  value.items = std::move(items);
  return value;
}

Value FromToml(const toml::node& node, int depth, std::size_t* left) {
  Value value;
  if (depth > kDeepest || *left == 0) return value;
  --*left;
  if (const auto* text = node.as_string()) return TextOf(text->get());
  if (const auto* number = node.as_integer()) return TextOf(std::to_string(number->get()));
  if (const toml::array* array = node.as_array()) {
    value.kind = ValueKind::kList;
    for (const toml::node& item : *array) value.items.push_back(FromToml(item, depth + 1, left));
  } else if (const toml::table* table = node.as_table()) {
    value.kind = ValueKind::kDict;
    for (const auto& [key, item] : *table) {
      value.keys.emplace_back(key.str());
      value.items.push_back(FromToml(item, depth + 1, left));
    }
  }
  return value;
}

Value OfToml(std::string_view text) {
  std::size_t left = kMostDataValues;
  try {
    return FromToml(toml::parse(text), 0, &left);
  } catch (const std::exception&) {
    return {};  // no TOML: no program gets anything from it either
  }
}

// A table while it is put together.
struct Table {
  Value value;
  std::vector<std::string> keys = {};
  std::vector<Table> items = {};
};

// Puts a text at the end of a path of keys; what lies on the way becomes tables.
void Put(Table* table, const std::vector<std::string>& path, std::string_view text) {
  if (path.size() > static_cast<std::size_t>(kDeepest)) return;
  for (const std::string& key : path) {
    table->value.kind = ValueKind::kDict;
    // The last one: readers give what stands in a file from its beginning to its end.
    if (table->keys.empty() || table->keys.back() != key) {
      table->keys.push_back(key);
      table->items.emplace_back();
    }
    table = &table->items.back();
  }
  *table = {.value = TextOf(text)};
}

// "0", "1", ... in turn are the elements of a list.
Value ValueOf(Table table) {
  std::vector<Value> items;
  items.reserve(table.items.size());
  for (Table& item : table.items) items.push_back(ValueOf(std::move(item)));
  Value value = std::move(table.value);
  value.items = std::move(items);
  bool list = value.kind == ValueKind::kDict;
  for (std::size_t i = 0; list && i < table.keys.size(); ++i) list = table.keys[i] == std::to_string(i);
  if (list) {
    value.kind = ValueKind::kList;
  } else {
    value.keys = std::move(table.keys);
  }
  return value;
}

Value FromScalars(const std::vector<YamlValue>& scalars) {
  Table table;
  for (std::size_t i = 0; i < scalars.size() && i < kMostDataValues; ++i) Put(&table, scalars[i].path, scalars[i].text);
  return ValueOf(std::move(table));
}

}  // namespace

Value ValueOfJson(const Value& text) {
  const base::Result<base::JsonDoc> json = base::JsonDoc::Parse(text.text);
  std::size_t left = kMostDataValues;
  return json.ok() ? Marked(FromJson(json.value().root(), 0, &left), text) : Value();
}

PackageData::PackageData(std::vector<DataFile> files) : files_(std::move(files)) {
  for (std::size_t i = 0; i < files_.size(); ++i) by_path_.emplace(files_[i].path, i);
}

const Value* PackageData::Read(std::size_t index) {
  const auto [at, added] = read_.try_emplace(index);
  const std::string_view text = files_[index].text;
  if (!added || text.size() > std::min(kMostDataBytes, bytes_left_)) return &at->second;
  bytes_left_ -= text.size();
  if (files_[index].format == DataFormat::kYaml) {
    at->second = FromScalars(ReadYaml(text).values);
  } else if (files_[index].format == DataFormat::kToml) {
    at->second = OfToml(text);
  } else if (const base::Result<base::JsonDoc> json = base::JsonDoc::Parse(text); json.ok()) {
    std::size_t left = kMostDataValues;
    at->second = FromJson(json.value().root(), 0, &left);
  }
  return &at->second;
}

const Value* PackageData::Find(std::string_view folder, std::string_view path) {
  if (files_.empty() || path.empty() || path.size() > kLongestPath) return nullptr;
  const std::size_t hole = path.rfind(kHole);
  const bool whole = hole == std::string_view::npos;
  // Somebody's own folder, or the machine's.
  if (whole && (path.front() == '/' || path.front() == '~' || path.find(':') != std::string_view::npos)) return nullptr;
  if (!whole) path.remove_prefix(hole + 1);
  if (path.empty() || (!whole && path.front() != '/')) return nullptr;
  std::string joined;
  for (const std::string_view from : {folder, std::string_view()}) {
    if (!JoinPath(from, path, joined)) continue;
    if (const auto at = by_path_.find(joined); at != by_path_.end()) return Read(at->second);
  }
  // From a folder that is not known: the only file whose path ends so.
  while (path.starts_with('/') || path.starts_with('.')) path.remove_prefix(1);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string_view one = files_[i].path;
    if (one.size() <= path.size() || !one.ends_with(path) || one[one.size() - path.size() - 1] != '/') continue;
    if (found) return nullptr;
    found = i;
  }
  return found ? Read(*found) : nullptr;
}

}  // namespace interlock::scan::code
