// links: base core
// Trace lines are outside bytes. What reads as a session must read the same with and without its annotations.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interlock/core/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const core::TraceLimits limits{.max_line_bytes = 1 << 20, .max_messages = 1'000, .max_calls = 1'000};
  const base::Result<core::TraceSession> session = core::ParseTraceLine(line, limits);
  const base::Result<core::AnnotatedTrace> annotated = core::ParseAnnotatedTraceLine(line, limits);
  if (session.ok() != annotated.ok()) std::abort();
  if (!session.ok()) {
    if (session.error().code() != annotated.error().code()) std::abort();
    return 0;
  }
  if (session.value().doc.bytes() != annotated.value().session.doc.bytes()) std::abort();
  // Reading what was stripped once strips nothing more.
  const base::Result<core::AnnotatedTrace> again = core::ParseAnnotatedTraceLine(session.value().doc.bytes(), limits);
  if (!again.ok() || again.value().session.doc.bytes() != session.value().doc.bytes()) std::abort();
  if (again.value().annotations.session.size() != 0) std::abort();
  for (const auto& [id, value] : again.value().annotations.calls) {
    if (value.size() != 0) std::abort();
  }
  return 0;
}
