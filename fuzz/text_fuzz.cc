// links: base
// First byte: the steps to take. Rest: the text. Whatever comes in, the map back must stay inside the original and
// rise.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/base/glob.h"
#include "interlock/base/text.h"

using interlock::base::ByteSpan;

namespace {
void Require(bool holds) {
  if (!holds) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned bits = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const interlock::base::NormalizeOptions options = {.nfkc = (bits & 1) != 0,
                                                     .strip_invisible = (bits & 2) != 0,
                                                     .strip_bidi = (bits & 4) != 0,
                                                     .skeleton = (bits & 8) != 0,
                                                     .fold_case = (bits & 16) != 0,
                                                     .max_bytes = 1 << 16};
  const auto out = interlock::base::Normalize(text, options);
  if (out.ok()) {
    const std::string& norm = out.value().text();
    Require(interlock::base::IsValidUtf8(norm));
    ByteSpan last;
    for (std::size_t i = 0; i < norm.size(); ++i) {
      const ByteSpan span = out.value().MapBack(i, i + 1);
      Require(span.begin < span.end && span.end <= text.size());
      if (norm.size() > 1) Require(span.begin >= last.begin && span.end >= last.end);
      last = span;
    }
    if (!norm.empty()) Require(out.value().MapBack(0, norm.size()) == ByteSpan{0, text.size()});
  } else {
    Require(text.size() > options.max_bytes || !interlock::base::IsValidUtf8(text));
  }
  const std::string shown = interlock::base::Printable(text);
  Require(shown.size() <= 203 && interlock::base::IsValidUtf8(shown));

  // The same bytes as a glob and its text.
  const std::size_t cut = text.find('\n');
  if (cut != std::string_view::npos) {
    const auto glob = interlock::base::Glob::Compile(text.substr(0, cut));
    if (glob.ok()) (void)glob.value().Matches(text.substr(cut + 1));
  }
  const auto path = interlock::base::CanonicalPath(text);
  if (path.ok()) {
    const auto again = interlock::base::CanonicalPath(path.value());
    Require(again.ok() && again.value() == path.value());
  }
  return 0;
}
