// links: base
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"

namespace {

using interlock::base::CanonicalJson;
using interlock::base::DigestOf;
using interlock::base::JsonDoc;
using interlock::base::JsonLimits;
using interlock::base::JsonParser;
using interlock::base::JsonValue;
using interlock::base::Result;
using interlock::base::Status;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? text.substr(0, 0)
                                         : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Reads everything there is to read of `value`; the parser's depth limit bounds the recursion.
std::size_t Visit(const JsonDoc& doc, JsonValue value) {
  const std::string_view raw = value.raw();
  Require(!raw.empty() && raw == Trimmed(raw));
  Require(raw.data() == doc.bytes().data() + value.offset() && value.offset() + raw.size() <= doc.bytes().size());
  Require(value.number_text().empty() || value.number_text() == raw);
  (void)value.AsInt64();
  (void)value.AsDouble();
  std::size_t values = 1;
  std::size_t children = 0;
  for (auto it = value.begin(); it != value.end(); ++it, ++children) {
    if (value.is_object()) Require(value.Find(it.key()).raw().data() == (*it).raw().data());
    values += Visit(doc, *it);
  }
  Require(children == value.size());
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Small limits, so that the fuzzer reaches them. Finding a member is linear, so few values keep the visit fast.
  const JsonLimits limits{.max_bytes = 8192, .max_depth = 32, .max_values = 500};
  const Result<JsonDoc> parsed = JsonDoc::Parse(bytes, limits);

  // A parser that has read something else answers the same.
  static JsonParser parser(limits);
  static JsonDoc doc;
  const Status status = parser.ParseInto(doc, bytes);
  Require(status.ok() == parsed.ok());
  if (!parsed.ok()) {
    Require(status.error().code() == parsed.error().code());
    Require(parsed.error().place().offset <= size);
    Require(!doc.root().exists());
    return 0;
  }

  const JsonValue root = parsed.value().root();
  Require(root.raw() == Trimmed(bytes));
  Require(Visit(parsed.value(), root) <= limits.max_values);

  const std::string canonical = CanonicalJson(root);
  const Result<JsonDoc> again = JsonDoc::Parse(canonical);
  Require(again.ok());
  Require(CanonicalJson(again.value().root()) == canonical);
  Require(DigestOf(again.value().root()) == DigestOf(doc.root()));
  return 0;
}
