#include "static/hidden_styles.h"

#include <algorithm>

#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxNames = 256;
constexpr std::size_t kMaxRules = 4'096;
constexpr std::size_t kMaxSheet = std::size_t{256} << 10U;
constexpr std::size_t kMaxBody = 2'000;  // of one rule, as far as it is read

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool IsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

// Colours count only with the same colour behind, or with white: pages are white.
bool HidesText(std::string_view style) {
  std::string flat;
  flat.reserve(style.size());
  for (const char c : style) {
    if (!IsSpace(c)) flat.push_back(Lower(c));
  }
  const auto has = [&](std::string_view what) { return flat.find(what) != std::string::npos; };
  if (has("display:none") || has("visibility:hidden") || has("visibility:collapse") || has("clip-path:inset(100%)") ||
      has("clip:rect(0") || has("transform:scale(0)") || has("text-indent:-9") || has("left:-9") || has("top:-9")) {
    return true;
  }
  const auto zero = [&](std::string_view property) {
    for (std::size_t at = flat.find(property); at != std::string::npos; at = flat.find(property, at + 1)) {
      if (at != 0 && flat[at - 1] != ';' && flat[at - 1] != '"' && flat[at - 1] != '\'') continue;
      const std::string_view value = std::string_view(flat).substr(at + property.size());
      if (value.empty() || (value[0] != '0' && value[0] != '.')) continue;
      std::size_t i = 0;
      while (i < value.size() && (value[i] == '0' || value[i] == '.')) ++i;
      // 0, 0px, 0.0em: nothing; 0.01 too is nothing to the eye.
      if (i == value.size() || value[i] < '1' || value[i] > '9' || (i >= 3 && value[0] == '0')) return true;
      if (property == "font-size:" && value.starts_with("1px")) return true;
    }
    return false;
  };
  if (zero("font-size:") || zero("opacity:")) return true;
  if ((zero("height:") || zero("width:") || zero("max-height:") || zero("max-width:")) && has("overflow:hidden")) {
    return true;
  }
  const auto value_of = [&](std::string_view property) -> std::string_view {
    for (std::size_t at = flat.find(property); at != std::string::npos; at = flat.find(property, at + 1)) {
      if (at != 0 && flat[at - 1] != ';' && flat[at - 1] != '"' && flat[at - 1] != '\'') continue;
      const std::string_view rest = std::string_view(flat).substr(at + property.size());
      return rest.substr(0, rest.find(';'));
    }
    return {};
  };
  const std::string_view colour = value_of("color:");
  std::string_view back = value_of("background-color:");
  if (back.empty()) back = value_of("background:");
  if (!colour.empty() && colour == back) return true;
  if (colour == "transparent" || colour == "rgba(0,0,0,0)") return true;
  const bool white = colour == "white" || colour == "#fff" || colour == "#ffffff" || colour == "rgb(255,255,255)";
  return white && back.empty();
}

HiddenStyles::HiddenStyles(std::string_view html) {
  for (std::size_t at = html.find("<style"); at != std::string_view::npos; at = html.find("<style", at + 6)) {
    const std::size_t open = html.find('>', at);
    if (open == std::string_view::npos) return;
    const std::size_t close = std::min(html.find("</style", open), html.size());
    Read(html.substr(open + 1, std::min(close - open - 1, kMaxSheet)));
    at = close;
    if (close == html.size()) return;
  }
}

void HiddenStyles::Read(std::string_view sheet) {
  std::size_t begin = 0;  // of the selector
  for (std::size_t rule = 0; rule < kMaxRules && names_.size() < kMaxNames; ++rule) {
    const std::size_t open = sheet.find('{', begin);
    if (open == std::string_view::npos) return;
    const std::size_t end = std::min(sheet.find_first_of("{}", open + 1), sheet.size());
    if (end < sheet.size() && sheet[end] == '{') {  // @media ... { .a { ... } }
      begin = open + 1;
      continue;
    }
    const std::string_view body = sheet.substr(open + 1, std::min(end - open - 1, kMaxBody));
    std::string_view selectors = sheet.substr(begin, open - begin);
    begin = std::min(end + 1, sheet.size());
    if (!HidesText(body)) continue;
    while (!selectors.empty()) {
      std::string_view one = selectors.substr(0, selectors.find(','));
      selectors.remove_prefix(std::min(one.size() + 1, selectors.size()));
      while (!one.empty() && IsSpace(one.back())) one.remove_suffix(1);
      std::size_t from = one.size();
      while (from > 0 && IsName(one[from - 1])) --from;
      if (from == 0 || from == one.size() || (one[from - 1] != '.' && one[from - 1] != '#')) continue;
      if (from > 1 && !IsSpace(one[from - 2]) && one[from - 2] != '}' && !IsName(one[from - 2])) continue;
      names_.emplace(one.substr(from - 1));
    }
  }
}

bool HiddenStyles::Hide(std::string_view classes, std::string_view id) const {
  if (names_.empty()) return false;
  if (!id.empty() && names_.contains("#" + std::string(id))) return true;
  while (!classes.empty()) {
    const std::size_t end = std::min(classes.find_first_of(" \t\r\n"), classes.size());
    if (end > 0 && names_.contains("." + std::string(classes.substr(0, end)))) return true;
    classes.remove_prefix(std::min(end + 1, classes.size()));
  }
  return false;
}

}  // namespace interlock::scan
