#include "static/jsonc.h"

#include <string>
#include <utility>

namespace interlock::scan {

std::optional<base::JsonDoc> ParseJsonc(std::string_view text) {
  auto plain = base::JsonDoc::Parse(text);
  if (plain.ok()) return std::move(plain.value());
  std::string blank(text);
  bool in_string = false;
  std::size_t comma = std::string::npos;  // a comma after which only blanks and comments came
  for (std::size_t i = 0; i < blank.size(); ++i) {
    const char c = blank[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    if (c == '/' && i + 1 < blank.size() && (blank[i + 1] == '/' || blank[i + 1] == '*')) {
      const bool line = blank[i + 1] == '/';
      std::size_t end = line ? blank.find('\n', i) : blank.find("*/", i + 2);
      end = end == std::string::npos ? blank.size() : line ? end : end + 2;
      for (std::size_t k = i; k < end; ++k) {
        if (blank[k] != '\n') blank[k] = ' ';
      }
      i = end - 1;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if ((c == '}' || c == ']') && comma != std::string::npos) blank[comma] = ' ';
    comma = c == ',' ? i : std::string::npos;
    in_string = c == '"';
  }
  auto doc = base::JsonDoc::Parse(blank);
  if (!doc.ok()) return std::nullopt;
  return std::move(doc.value());
}

}  // namespace interlock::scan
