// Bounded JSON: the only JSON reader of the project.
//
// Refused, each with its own error code: duplicate keys (compared after unescaping), too deep, too large, too many
// values, invalid UTF-8, unpaired surrogates, bytes after the document. Numbers keep their text: nothing is rounded.
// Every value knows the exact bytes it was read from (`raw()`), so what was judged is what is forwarded.
//
//   Result<JsonDoc> doc = JsonDoc::Parse(bytes);
//   if (!doc.ok()) return doc.error();
//   JsonValue name = doc.value().root().Find("params").Find("name");     // a missing value finds nothing, safely
//   if (name.is_string()) Use(name.string());
//
// Thread rule: a JsonDoc is immutable once parsed; any number of threads may read it. JsonValue is a view: it must not
// outlive its JsonDoc. Moving a JsonDoc keeps its views valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::base {

enum class JsonType : std::uint8_t { kMissing, kNull, kBool, kNumber, kString, kArray, kObject };
[[nodiscard]] std::string_view NameOf(JsonType type) noexcept;

// Larger limits than the stated caps act as the cap. Numbers whose exponent has over 18 digits, as written or in
// canonical form, are kJsonNumber.
struct JsonLimits {
  std::size_t max_bytes = std::size_t{16} << 20;  // at most 256 MiB - 1
  std::uint32_t max_depth = 128;                  // arrays and objects open at once; at most 1000
  std::uint32_t max_values = 1'000'000;           // scalars, arrays and objects; keys do not count
};

namespace internal {
struct JsonNode;
struct JsonRep;
}  // namespace internal

class JsonValue {
 public:
  JsonValue() = default;  // missing

  [[nodiscard]] JsonType type() const noexcept;
  [[nodiscard]] bool exists() const noexcept { return rep_ != nullptr; }
  [[nodiscard]] bool is_null() const noexcept { return type() == JsonType::kNull; }
  [[nodiscard]] bool is_bool() const noexcept { return type() == JsonType::kBool; }
  [[nodiscard]] bool is_number() const noexcept { return type() == JsonType::kNumber; }
  [[nodiscard]] bool is_string() const noexcept { return type() == JsonType::kString; }
  [[nodiscard]] bool is_array() const noexcept { return type() == JsonType::kArray; }
  [[nodiscard]] bool is_object() const noexcept { return type() == JsonType::kObject; }

  // Unescaped text of a string; empty for every other type.
  [[nodiscard]] std::string_view string() const noexcept;
  // A number exactly as written ("1e3", "9007199254740993"); empty for every other type.
  [[nodiscard]] std::string_view number_text() const noexcept;
  [[nodiscard]] std::optional<bool> AsBool() const noexcept;
  // The value if it is a number that is mathematically an integer within range ("1.0" and "1e2" are), else nothing.
  [[nodiscard]] std::optional<std::int64_t> AsInt64() const noexcept;
  // Nearest double: for display and scores only, never to compare identity. Nothing beyond the range of doubles.
  [[nodiscard]] std::optional<double> AsDouble() const noexcept;

  // Elements of an array, members of an object, else 0.
  [[nodiscard]] std::size_t size() const noexcept;
  // Member by key (linear; objects are small), or a missing value. Safe on any type.
  [[nodiscard]] JsonValue Find(std::string_view key) const noexcept;
  // RFC 6901 pointer ("" is the value itself, "/a/0/b~1c"), or a missing value.
  [[nodiscard]] JsonValue FindPointer(std::string_view pointer) const noexcept;

  // The bytes this value was read from, without surrounding white space.
  [[nodiscard]] std::string_view raw() const noexcept;
  // Byte offset of `raw()` in the document.
  [[nodiscard]] std::size_t offset() const noexcept;

  class Iterator;
  // Children in document order: elements of an array, values of an object (see Iterator::key).
  [[nodiscard]] Iterator begin() const noexcept;
  [[nodiscard]] Iterator end() const noexcept;

 private:
  friend class JsonDoc;
  friend class Iterator;
  JsonValue(const internal::JsonRep* rep, std::uint32_t index) : rep_(rep), index_(index) {}
  const internal::JsonRep* rep_ = nullptr;
  std::uint32_t index_ = 0;
};

// `for (auto it = v.begin(); it != v.end(); ++it) { it.key(); *it; }`
class JsonValue::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = JsonValue;
  using difference_type = std::ptrdiff_t;
  using pointer = const JsonValue*;
  using reference = JsonValue;

  Iterator() = default;
  [[nodiscard]] JsonValue operator*() const noexcept { return JsonValue(rep_, value_); }
  // Unescaped key of the current member; empty inside an array.
  [[nodiscard]] std::string_view key() const noexcept;
  Iterator& operator++() noexcept;
  [[nodiscard]] bool operator==(const Iterator& other) const noexcept { return cursor_ == other.cursor_; }

 private:
  friend class JsonValue;
  Iterator(const internal::JsonRep* rep, std::uint32_t cursor, std::uint32_t end, bool is_object) noexcept;
  const internal::JsonRep* rep_ = nullptr;
  std::uint32_t cursor_ = 0;  // node index of the key (object) or element
  std::uint32_t end_ = 0;
  std::uint32_t value_ = 0;
  bool is_object_ = false;
};

class JsonDoc {
 public:
  // Copies `bytes`. O(bytes).
  [[nodiscard]] static Result<JsonDoc> Parse(std::string_view bytes, const JsonLimits& limits = {});

  JsonDoc();  // the document `null`, and so is a document that was moved from
  JsonDoc(JsonDoc&&) noexcept;
  JsonDoc& operator=(JsonDoc&&) noexcept;
  ~JsonDoc();

  [[nodiscard]] JsonValue root() const& noexcept;
  JsonValue root() && = delete;
  // The whole document as given.
  [[nodiscard]] std::string_view bytes() const& noexcept;

 private:
  friend class JsonParser;
  std::unique_ptr<internal::JsonRep> rep_;
};

// Parses many documents with the same buffers: the hot path's parser. Not thread safe; one a connection.
class JsonParser {
 public:
  explicit JsonParser(JsonLimits limits = {});
  JsonParser(JsonParser&&) noexcept;
  JsonParser& operator=(JsonParser&&) noexcept;
  ~JsonParser();

  // Reads `bytes` into `doc`, whose earlier content (and views of it) ends here; allocates only when it must grow.
  // `bytes` must not lie in `doc`. After an error `doc` is empty: its root is missing. Scratch memory for documents
  // over 1 MiB is given back at once.
  [[nodiscard]] Status ParseInto(JsonDoc& doc, std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes compact JSON into a string it does not own. Keys are not checked for repetition; several documents may follow
// each other, what stands between them is the caller's. Misuse (a value where a key belongs) is a bug and ends the
// process.
//
//   JsonWriter w(out);
//   w.BeginObject().Key("id").Int(7).Key("ok").Bool(true).EndObject();     // {"id":7,"ok":true}
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}
  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view text);  // invalid UTF-8 is written as U+FFFD
  JsonWriter& Int(std::int64_t value);
  JsonWriter& Uint(std::uint64_t value);
  JsonWriter& Double(double value);  // shortest text that reads back the same; not finite -> null
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  // Bytes that are JSON already, such as JsonValue::raw(). No bytes (the raw() of a missing value) are written as null.
  JsonWriter& Raw(std::string_view json);

 private:
  void Separate();
  std::string& out_;
  std::vector<char> stack_;  // '{' '[' and whether something was written
  bool need_comma_ = false;
  bool after_key_ = false;
};

// Appends `text` as a JSON string, quotes included, with the escapes of RFC 8785: only what must be escaped is. Bytes
// that are not UTF-8 become U+FFFD, one each.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace interlock::base
