// Push-style line splitting in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/result.h"

namespace interlock::base {

// One line, without its end ("\n" or "\r\n"). `text` is valid until the callback returns.
struct Line {
  std::string_view text;
  std::uint64_t number = 0;  // from 1
  std::uint64_t offset = 0;  // of the first byte
  bool too_long = false;     // longer than the limit: `text` holds the first bytes only, the rest was dropped
};

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}
  // Calls `sink(const Line&)` for each complete line in `chunk`; stops early when the sink returns false and then
  // returns false itself. Lines that lie whole in one chunk are not copied.
  template <class Sink>
  bool Push(std::string_view chunk, Sink&& sink);
  // The last line, if the input did not end with a line end. An empty rest gives no line.
  template <class Sink>
  bool Finish(Sink&& sink);

 private:
  std::size_t max_line_bytes_;
  std::string rest_;
  bool overflow_ = false;
  std::uint64_t line_number_ = 0;
  std::uint64_t line_offset_ = 0;
  std::uint64_t pending_bytes_ = 0;  // of the open line, dropped ones included
};

template <class Sink>
bool LineSplitter::Push(std::string_view chunk, Sink&& sink) {
  while (!chunk.empty()) {
    const std::size_t at = chunk.find('\n');
    const std::string_view part = chunk.substr(0, at);
    if (at == std::string_view::npos) {
      const std::size_t room = max_line_bytes_ - (rest_.size() < max_line_bytes_ ? rest_.size() : max_line_bytes_);
      if (part.size() > room) overflow_ = true;
      rest_.append(part.substr(0, room));
      pending_bytes_ += part.size();
      return true;
    }
    ++line_number_;
    Line line{.text = {}, .number = line_number_, .offset = line_offset_, .too_long = overflow_};
    if (rest_.empty() && !overflow_) {
      line.text = part;
    } else {
      const std::size_t room = max_line_bytes_ - (rest_.size() < max_line_bytes_ ? rest_.size() : max_line_bytes_);
      if (part.size() > room) line.too_long = true;
      rest_.append(part.substr(0, room));
      line.text = rest_;
    }
    if (line.text.size() > max_line_bytes_) {
      line.too_long = true;
      line.text = line.text.substr(0, max_line_bytes_);
    }
    if (!line.too_long && line.text.ends_with('\r')) line.text.remove_suffix(1);
    line_offset_ += pending_bytes_ + part.size() + 1;
    pending_bytes_ = 0;
    chunk.remove_prefix(at + 1);
    const bool go_on = sink(static_cast<const Line&>(line));
    rest_.clear();
    overflow_ = false;
    if (!go_on) return false;
  }
  return true;
}

template <class Sink>
bool LineSplitter::Finish(Sink&& sink) {
  if (pending_bytes_ == 0) return true;
  ++line_number_;
  Line line{.text = rest_, .number = line_number_, .offset = line_offset_, .too_long = overflow_};
  if (!line.too_long && line.text.ends_with('\r')) line.text.remove_suffix(1);
  const bool go_on = sink(static_cast<const Line&>(line));
  line_offset_ += pending_bytes_;
  pending_bytes_ = 0;
  rest_.clear();
  overflow_ = false;
  return go_on;
}

}  // namespace interlock::base
