// The lines of a plain or compressed file, in memory bounded by the longest line allowed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "interlock/base/lines.h"
#include "interlock/base/result.h"
#include "interlock/platform/stream.h"

namespace interlock::platform {

// Calls `on_line(const base::Line&)` for each line of `source`. It returns Status (an error stops the reading and is
// returned) or bool (false stops the reading, and that is success). Lines over `max_line_bytes` arrive cut, with
// `too_long` set: it is the callback that knows whether they matter.
template <class OnLine>
[[nodiscard]] base::Status ForEachLine(ByteSource& source, std::size_t max_line_bytes, OnLine&& on_line) {
  base::LineSplitter splitter(max_line_bytes);
  base::Status status;
  const auto sink = [&](const base::Line& line) {
    if constexpr (std::is_same_v<std::invoke_result_t<OnLine&, const base::Line&>, bool>) {
      return on_line(line);
    } else {
      status = on_line(line);
      return status.ok();
    }
  };
  for (;;) {
    const base::Result<std::string_view> chunk = source.Next();
    if (!chunk.ok()) return chunk.error();
    if (chunk.value().empty()) {
      splitter.Finish(sink);
      return status;
    }
    if (!splitter.Push(chunk.value(), sink)) return status;
  }
}

// Opens `path` ("-" is standard input) and does the same. Errors of ByteSource, then those of the callback.
template <class OnLine>
[[nodiscard]] base::Status ForEachLine(const std::string& path, std::size_t max_line_bytes, OnLine&& on_line,
                                       const ByteSourceOptions& options = {}) {
  base::Result<ByteSource> source = ByteSource::Open(path, options);
  if (!source.ok()) return source.error();
  return ForEachLine(source.value(), max_line_bytes, std::forward<OnLine>(on_line));
}

}  // namespace interlock::platform
