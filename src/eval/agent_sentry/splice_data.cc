// Preambles and carriers: data files of the splicer.
#include <algorithm>

#include "../import_common.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "interlock/eval/splice.h"

namespace interlock::embedded {
std::string_view Find_eval_data(std::string_view file);
}

namespace interlock::eval {

using base::JsonDoc;
using base::JsonValue;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxEntries = 1000;

// The named array of a document of this schema, every entry an object with a unique `id` and members of `known` only,
// all strings.
Result<JsonValue> Entries(const JsonDoc& doc, std::string_view schema, std::string_view name,
                          std::initializer_list<std::string_view> known) {
  const JsonValue root = doc.root();
  if (root.Find("schema").string() != schema) return ShapeError(root, "`schema` is not " + std::string(schema));
  const JsonValue entries = root.Find(name);
  if (!entries.is_array() || entries.size() == 0) return ShapeError(root, "`" + std::string(name) + "` has no entries");
  if (entries.size() > kMaxEntries) return ShapeError(entries, "more than 1,000 entries");
  std::vector<std::string_view> ids;
  for (const JsonValue entry : entries) {
    const std::string_view id = entry.Find("id").string();
    if (id.empty()) return ShapeError(entry, "an entry without `id`");
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) return ShapeError(entry, "an id that is used twice");
    ids.push_back(id);
    for (auto member = entry.begin(); member != entry.end(); ++member) {
      if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
        return ShapeError(*member, "a member that is not known");
      }
      if (!(*member).is_string()) return ShapeError(*member, "not a string");
    }
  }
  return entries;
}

template <class T>
const std::vector<T>& Embedded(std::string_view file, Result<std::vector<T>> (*parse)(std::string_view)) {
  static const std::vector<T> kAll = [&] {
    Result<std::vector<T>> all = parse(embedded::Find_eval_data(file));
    INTERLOCK_CHECK(all.ok(), "an embedded data file is broken: its test would fail");
    return std::move(all.value());
  }();
  return kAll;
}

}  // namespace

Result<std::vector<Preamble>> ParsePreambles(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const Result<JsonValue> entries =
      Entries(doc.value(), "interlock.preambles/v1", "preambles", {"id", "text", "after"});
  if (!entries.ok()) return entries.error();
  std::vector<Preamble> all;
  for (const JsonValue entry : entries.value()) {
    all.push_back({.id = std::string(entry.Find("id").string()),
                   .text = std::string(entry.Find("text").string()),
                   .after = std::string(entry.Find("after").string())});
  }
  return all;
}

Result<std::vector<Carrier>> ParseCarriers(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const Result<JsonValue> entries =
      Entries(doc.value(), "interlock.carriers/v1", "carriers", {"id", "before", "line_prefix", "after", "escape"});
  if (!entries.ok()) return entries.error();
  std::vector<Carrier> all;
  for (const JsonValue entry : entries.value()) {
    Carrier carrier{.id = std::string(entry.Find("id").string()),
                    .before = std::string(entry.Find("before").string()),
                    .line_prefix = std::string(entry.Find("line_prefix").string()),
                    .after = std::string(entry.Find("after").string())};
    const JsonValue escape = entry.Find("escape");
    if (escape.string() == "json") {
      carrier.escape = Escape::kJson;
    } else if (escape.string() == "line") {
      carrier.escape = Escape::kOneLine;
    } else if (escape.exists()) {
      return ShapeError(escape, "`escape` is json or line");
    }
    all.push_back(std::move(carrier));
  }
  return all;
}

const std::vector<Preamble>& DefaultPreambles() { return Embedded<Preamble>("preambles.json", &ParsePreambles); }
const std::vector<Carrier>& DefaultCarriers() { return Embedded<Carrier>("carriers.json", &ParseCarriers); }

}  // namespace interlock::eval
