#include "interlock/runtime/mcp/sse.h"

#include <algorithm>

namespace interlock::runtime::mcp {

bool SseParser::Push(std::string_view bytes, const std::function<bool(std::string_view data)>& on_event) {
  if (too_long_) return false;
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') {
      after_cr_ = false;
      bytes.remove_prefix(1);
      continue;
    }
    after_cr_ = false;
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (end > max_event_bytes_ - std::min(max_event_bytes_, line_.size() + data_.size())) {
      too_long_ = true;
      return false;
    }
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) return true;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!EndLine(on_event)) return false;
  }
  return true;
}

bool SseParser::EndLine(const std::function<bool(std::string_view)>& on_event) {
  std::string_view line = line_;
  if (first_line_ && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  first_line_ = false;
  bool go_on = true;
  if (line.empty()) {
    if (has_data_) go_on = on_event(data_);
    data_.clear();
    has_data_ = false;
  } else if (line == "data" || line.starts_with("data:")) {
    line.remove_prefix(std::min<std::size_t>(5, line.size()));
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (has_data_) data_ += '\n';
    data_ += line;
    has_data_ = true;
  }
  line_.clear();
  return go_on;
}

}  // namespace interlock::runtime::mcp
