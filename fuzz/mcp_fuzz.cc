// links: base core policy gate runtime.audit runtime.session runtime.mcp
// The codec: bytes in chunks whose sizes are part of the input. Lines come out the same whatever the chunks, a message
// that was read is one the writer's rules allow, and its id has one key however it is spelled.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/runtime/mcp/codec.h"

namespace {

using namespace interlock::runtime::mcp;  // NOLINT: a fuzz target is one file

void Require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> Split(std::string_view bytes, std::size_t chunk, std::size_t max_line) {
  LineFramer framer(max_line);
  std::vector<std::string> out;
  while (!bytes.empty()) {
    const auto space = framer.Space();
    const std::size_t n = std::min({chunk, space.size(), bytes.size()});
    std::copy_n(bytes.data(), n, space.data());
    framer.Filled(n);
    bytes.remove_prefix(n);
    LineFramer::Frame frame;
    while (framer.Next(frame)) {
      Require(frame.too_long || frame.line.ends_with('\n'));
      Require(frame.too_long || frame.line.size() - 1 <= max_line);
      out.push_back(frame.too_long ? "<too long " + std::to_string(frame.bytes) + ">" : std::string(frame.line));
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t chunk = 1 + data[0];
  const std::size_t max_line = 16 + std::size_t{data[1]} * 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const auto lines = Split(bytes, chunk, max_line);
  Require(lines == Split(bytes, bytes.size() + 1, max_line));

  MessageReader reader(CodecLimits{.max_line_bytes = max_line, .max_depth = 32, .max_values = 10'000});
  interlock::base::JsonDoc doc;
  for (const std::string& line : lines) {
    Message message;
    if (!reader.Read(line, doc, message).ok()) continue;
    switch (message.kind) {
      case MessageKind::kRequest:
        Require(!message.method.empty() && !IdKey(message.id).empty());
        Require(!message.result.exists() && !message.error.exists());
        break;
      case MessageKind::kNotification:
        Require(!message.method.empty() && !message.id.exists());
        break;
      case MessageKind::kResult:
        Require(message.method.empty() && message.result.exists() && !IdKey(message.id).empty());
        break;
      case MessageKind::kError:
        Require(message.method.empty() && message.error.is_object() && !message.result.exists());
        break;
      case MessageKind::kBatch:
        Require(message.root.is_array() && message.root.size() > 0);
        break;
    }
    if (message.id.exists() && !message.id.is_null()) {
      // Written anew and read again, an id keeps its key.
      std::string again;
      interlock::base::AppendCanonicalJson(again, message.id);
      const auto copy = interlock::base::JsonDoc::Parse(again);
      Require(copy.ok() && IdKey(copy.value().root()) == IdKey(message.id));
    }
  }
  return 0;
}
