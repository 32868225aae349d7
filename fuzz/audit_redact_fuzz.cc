// links: base core platform runtime.audit
// A JSON document on its way into the log: its redacted form is JSON of the same shape, and no secret that stands under
// a key named "password" comes through.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../src/runtime/audit/redact.h"
#include "interlock/base/json.h"

using interlock::base::JsonDoc;
using interlock::base::Result;
using interlock::runtime::audit::KeyedHasher;
using interlock::runtime::audit::Redactor;

namespace {
void Require(bool holds) {
  if (!holds) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KeyedHasher kHasher(std::array<std::uint8_t, 32>{7});
  const Result<JsonDoc> doc = JsonDoc::Parse({reinterpret_cast<const char*>(data), size});
  if (!doc.ok()) return 0;
  Redactor redactor(kHasher);
  std::string out;
  bool found = false;
  if (!redactor.AppendJson(doc.value().root(), std::size_t{1} << 20, out, found)) return 0;
  const Result<JsonDoc> redacted = JsonDoc::Parse(out);
  // Two keys that were secrets may not have become one.
  Require(redacted.ok());
  Require(redacted.value().root().size() == doc.value().root().size() || doc.value().root().is_string());
  const auto secret = redacted.value().root().Find("password");
  Require(!secret.is_string() || secret.string().empty());
  Require(!secret.is_number());
  if (!found) Require(out.size() <= size);
  return 0;
}
