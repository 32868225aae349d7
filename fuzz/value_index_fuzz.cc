// links: base core policy provenance
// First line: a text that was seen. Rest: what is asked, and the same bytes as JSON and as a delta from the store.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/provenance/value_index.h"

namespace core = interlock::core;
using interlock::provenance::ValueIndex;

namespace {
void Require(bool holds) {
  if (!holds) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = all.find('\n');
  const std::string_view seen = all.substr(0, cut);
  const std::string_view rest = cut == std::string_view::npos ? std::string_view() : all.substr(cut + 1);

  ValueIndex index({.key = {1, 2}, .max_entries = 4096, .max_text_bytes = 1 << 16});
  index.AddText(seen, core::kLabelUntrusted);
  (void)index.OriginsOf(rest);
  const auto whole = index.OriginsOf(seen);
  // What was seen whole is found whole, unless there was nothing to see.
  if (index.size() > 0 && index.complete() && seen.size() < 4096) Require(whole.labels == core::kLabelUntrusted);

  const auto doc = interlock::base::JsonDoc::Parse(rest);
  if (doc.ok()) index.AddJson(doc.value().root(), core::kLabelTrusted);
  Require(index.size() <= 4096);

  ValueIndex other({.key = {1, 2}, .max_entries = 4096});
  Require(other.MergeDelta(index.TakeDelta()).ok());
  Require(other.size() == index.size() && other.complete() == index.complete());
  (void)other.MergeDelta(rest);
  return 0;
}
