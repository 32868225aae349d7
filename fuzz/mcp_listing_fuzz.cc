// links: base core policy gate runtime.audit runtime.session runtime.mcp
// A live server's answers, one a line ("-": silence, "!": it closed): the listing ends, is JSON, and holds no more than
// the limits. The same bytes as server-sent events give the same events whatever the chunks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/runtime/mcp/lister.h"
#include "interlock/runtime/mcp/sse.h"

namespace {

using namespace interlock;                // NOLINT: a fuzz target is one file
using namespace interlock::runtime::mcp;  // NOLINT

void Require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> Events(std::string_view bytes, std::size_t chunk) {
  SseParser parser(4096);
  std::vector<std::string> events;
  const auto on_event = [&](std::string_view data) {
    events.emplace_back(data);
    return true;
  };
  for (std::size_t at = 0; at < bytes.size(); at += chunk)
    if (!parser.Push(bytes.substr(at, chunk), on_event)) break;
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  Require(Events(bytes, 1) == Events(bytes, bytes.size() + 1));

  const ListerLimits limits{.max_pages = 20, .max_entries = 50, .max_listing_bytes = 10'000};
  ServerLister lister(static_cast<Era>(data[0] % 3), limits);
  ListerRequest request;
  std::size_t asked = 0;
  while (lister.Next(request)) {
    Require(++asked < 100);
    Require(base::JsonDoc::Parse(request.body).ok() && request.body.find('\n') == std::string::npos);
    if (request.id == 0) continue;
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    const auto doc = base::JsonDoc::Parse(line);
    if (doc.ok()) {
      lister.OnAnswer(doc.value());
    } else {
      lister.OnFailure(base::Error(line == "!" ? base::ErrorCode::kMcpPeerClosed : base::ErrorCode::kMcpTimeout));
    }
  }
  const auto listing = lister.Finish();
  if (!listing.ok()) return 0;
  Require(listing.value().entries <= limits.max_entries);
  const auto doc = base::JsonDoc::Parse(listing.value().json, {.max_depth = 140});
  Require(doc.ok());
  for (const std::string_view key : {"tools", "prompts", "resources", "resourceTemplates"})
    Require(doc.value().root().Find(key).is_array());
  return 0;
}
