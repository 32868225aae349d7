#include <algorithm>

#include "interlock/base/json.h"
#include "interlock/injection/span_finder.h"

namespace interlock::injection {
namespace {

// No quotes, backslashes or line ends: it may stand inside a JSON string or a table.
constexpr std::string_view kNotice = "[removed by Interlock: an order inside data]";

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// True when text[at] is taken by a backslash before it.
bool Escaped(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && text[at - slashes - 1] == '\\') ++slashes;
  return slashes % 2 == 1;
}

// Cuts lie between characters and between escapes; they only grow.
base::ByteSpan Align(std::string_view text, base::ByteSpan cut) {
  while (cut.begin > 0 && IsContinuation(text[cut.begin])) --cut.begin;
  while (cut.end < text.size() && IsContinuation(text[cut.end])) ++cut.end;
  const auto in_unicode = [&](std::size_t at) {  // the begin of \uXXXX that `at` lies in, or npos
    for (std::size_t back = 1; back <= 5 && back <= at; ++back) {
      const std::size_t from = at - back;
      if (text[from] == '\\') {
        return from + 5 < text.size() && text[from + 1] == 'u' && !Escaped(text, from) ? from : std::string_view::npos;
      }
      if (text[from] != 'u' && !IsHex(text[from])) return std::string_view::npos;
    }
    return std::string_view::npos;
  };
  if (const std::size_t from = in_unicode(cut.begin); from != std::string_view::npos) cut.begin = from;
  if (cut.begin < text.size() && Escaped(text, cut.begin)) --cut.begin;
  if (const std::size_t from = in_unicode(cut.end); from != std::string_view::npos) {
    cut.end = std::min(text.size(), from + 6);
  } else if (cut.end < text.size() && Escaped(text, cut.end)) {
    cut.end = std::min(text.size(), cut.end + (text[cut.end] == 'u' ? 5 : 1));
  }
  // Both halves of a surrogate pair, or none.
  const auto half = [&](std::size_t at, char low, char high) {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u' || Escaped(text, at)) return false;
    if (text[at + 2] != 'd' && text[at + 2] != 'D') return false;
    const char digit = static_cast<char>(text[at + 3] >= 'a' ? text[at + 3] - 'a' + 'A' : text[at + 3]);
    return digit >= low && digit <= high;
  };
  const auto splits = [&](std::size_t at) { return at >= 6 && half(at, 'C', 'F') && half(at - 6, '8', 'B'); };
  if (splits(cut.begin)) cut.begin -= 6;
  if (splits(cut.end)) cut.end += 6;
  return cut;
}

// Contents of the string values of a JSON text, keys left out.
std::vector<base::ByteSpan> StringValues(std::string_view json) {
  std::vector<base::ByteSpan> out;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '"') continue;
    const std::size_t begin = ++at;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2U : 1U;
    std::size_t next = std::min(at + 1, json.size());
    while (next < json.size() &&
           (json[next] == ' ' || json[next] == '\n' || json[next] == '\t' || json[next] == '\r')) {
      ++next;
    }
    if (next < json.size() && json[next] == ':') continue;
    out.push_back({begin, std::min(at, json.size())});
  }
  return out;
}

bool IsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[' && text[first] != '"')) return false;
  return base::JsonDoc::Parse(text).ok();
}

}  // namespace

std::string MaskSpans(std::string_view text, const std::vector<Span>& spans) {
  std::vector<base::ByteSpan> cuts;
  cuts.reserve(spans.size());
  for (const Span& span : spans) {
    if (span.bytes.begin >= span.bytes.end || span.bytes.begin >= text.size()) continue;
    cuts.push_back(Align(text, {span.bytes.begin, std::min(span.bytes.end, text.size())}));
  }
  if (cuts.empty()) return std::string(text);
  std::sort(cuts.begin(), cuts.end());
  if (IsJson(text)) {
    // Only inside of values: keys, marks and numbers stay, so that it is JSON afterwards.
    const std::vector<base::ByteSpan> values = StringValues(text);
    std::vector<base::ByteSpan> inside;
    std::size_t value = 0;
    for (const base::ByteSpan& cut : cuts) {
      while (value < values.size() && values[value].end <= cut.begin) ++value;
      for (std::size_t i = value; i < values.size() && values[i].begin < cut.end; ++i) {
        const base::ByteSpan part{std::max(cut.begin, values[i].begin), std::min(cut.end, values[i].end)};
        if (part.begin < part.end) inside.push_back(part);
      }
    }
    cuts = std::move(inside);
  }
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  for (const base::ByteSpan& cut : cuts) {
    if (cut.begin >= at) out.append(text.substr(at, cut.begin - at)).append(kNotice);
    at = std::max(at, cut.end);
  }
  out.append(text.substr(at));
  return out;
}

}  // namespace interlock::injection
