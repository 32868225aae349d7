// Server-sent events, sans-IO: bytes in chunks, the data of each event out.
//
// Lines end at LF, CR or CRLF; `data` lines of one event are joined by LF; an event without data is none; `event`,
// `id`, `retry` and comments are passed over. Total on any bytes; no more than `max_event_bytes` are held. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace interlock::runtime::mcp {

class SseParser {
 public:
  explicit SseParser(std::size_t max_event_bytes) : max_event_bytes_(max_event_bytes) {}

  // Calls `on_event` for each event that ends in `bytes`; it returns false to stop. False when stopped, or when an
  // event is over the limit (`too_long`): then nothing more may be pushed.
  [[nodiscard]] bool Push(std::string_view bytes, const std::function<bool(std::string_view data)>& on_event);
  [[nodiscard]] bool too_long() const noexcept { return too_long_; }

 private:
  [[nodiscard]] bool EndLine(const std::function<bool(std::string_view)>& on_event);

  std::size_t max_event_bytes_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool first_line_ = true;
  bool too_long_ = false;
};

}  // namespace interlock::runtime::mcp
