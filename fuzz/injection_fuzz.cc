// links: base core injection
// Whatever the text says: spans lie inside it, in order of score and apart from each other, and masking keeps its
// bounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "interlock/injection/span_finder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using interlock::base::JsonDoc;
  namespace injection = interlock::injection;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const injection::SpanFinder finder(injection::DefaultSpanModel());
  static const std::vector<std::string> tools = {"send_email", "deleteFile", "transfer.money", "", "x"};

  injection::ScanOptions options;
  options.tool_names = &tools;
  options.echo = text.substr(0, size / 3);
  options.max_bytes = 1 << 16;
  const injection::ScanResult found = finder.Scan(text, options);
  std::vector<interlock::base::ByteSpan> bytes;
  for (std::size_t i = 0; i < found.spans.size(); ++i) {
    const injection::Span& span = found.spans[i];
    INTERLOCK_CHECK(span.bytes.begin < span.bytes.end && span.bytes.end <= size, "a span lies inside the text");
    INTERLOCK_CHECK(span.score > 0 && span.score <= found.max_score, "the best span has the best score");
    INTERLOCK_CHECK(i == 0 || span.score <= found.spans[i - 1].score, "best first");
    INTERLOCK_CHECK(span.flags != 0, "a span has a reason");
    bytes.push_back(span.bytes);
  }
  std::sort(bytes.begin(), bytes.end());
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    INTERLOCK_CHECK(bytes[i - 1].end <= bytes[i].begin, "spans do not overlap");
  }
  for (std::size_t i = 0; i < found.segments.size(); ++i) {
    INTERLOCK_CHECK(found.segments[i].bytes.end <= size, "a segment lies inside the text");
  }
  const std::string masked = injection::MaskSpans(text, found.spans);
  if (found.spans.empty()) INTERLOCK_CHECK(masked == text, "nothing to mask changes nothing");
  INTERLOCK_CHECK(masked.size() <= size + 64 * (size + 1), "masking is bounded");
  if (JsonDoc::Parse(text).ok()) INTERLOCK_CHECK(JsonDoc::Parse(masked).ok(), "JSON stays JSON");
  (void)injection::SpanModel::Parse(text);
  return 0;
}
