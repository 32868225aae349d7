#include <algorithm>

#include "interlock/injection/span_finder.h"

namespace interlock::injection {
namespace {

// No quotes, backslashes or line ends: it may stand inside a JSON string or a table.
constexpr std::string_view kNotice = "[removed by Interlock: text addressed to the assistant]";

}  // namespace

std::string MaskSpans(std::string_view text, const std::vector<Span>& spans) {
  std::vector<base::ByteSpan> cuts;
  cuts.reserve(spans.size());
  for (const Span& span : spans) {
    if (span.bytes.begin < span.bytes.end && span.bytes.begin < text.size()) cuts.push_back(span.bytes);
  }
  std::sort(cuts.begin(), cuts.end());
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  for (const base::ByteSpan& cut : cuts) {
    if (cut.begin >= at) {
      out.append(text.substr(at, cut.begin - at)).append(kNotice);
    }
    at = std::max(at, std::min(cut.end, text.size()));
  }
  out.append(text.substr(at));
  return out;
}

}  // namespace interlock::injection
