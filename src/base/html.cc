#include "interlock/base/html.h"

#include "interlock/base/text.h"

namespace interlock::base {

std::string EscapeHtml(std::string_view text, std::size_t max_bytes) {
  std::string out;
  for (const char c : Printable(text, max_bytes)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

}  // namespace interlock::base
