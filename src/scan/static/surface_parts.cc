#include "static/surface_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/base/digits.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxDepth = 256;
constexpr std::size_t kMinStringBytes = 16;
constexpr std::size_t kMinStringSpaces = 2;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

using base::HexValue;

using base::AppendUtf8;

// `digits` hexadecimal digits at `at`; -1: there are not so many.
std::int64_t HexRun(std::string_view raw, std::size_t at, std::size_t digits) {
  if (at + digits > raw.size()) return -1;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int digit = HexValue(raw[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool NamesPeople(std::string_view key) {
  return key == "author" || key == "authors" || key == "contributors" || key == "maintainers" || key == "publisher";
}

// "Ada Lovelace <ada@...> (https://...)": a few words, then where to find her.
bool IsPersonName(std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of("<("));
  constexpr std::ptrdiff_t kMostWords = 5;
  return text.size() <= 160 && std::count(name.begin(), name.end(), ' ') <= kMostWords;
}

struct Level {
  bool object = false;
  bool schema = false;  // inside a JSON schema
  bool tools = false;   // elements are tools, prompts, resources, servers
  bool source = false;  // lines of a notebook's cell
  bool person = false;  // who made it: names and addresses
  std::string_view key;
};

class JsonReader {
 public:
  JsonReader(SurfaceSink& sink, bool notebook) : sink_(sink), text_(sink.text()), notebook_(notebook) {}
  // A part of another text; its comments and settings are nobody's.
  JsonReader(SurfaceSink& sink, base::ByteSpan part)
      : sink_(sink), text_(sink.text().substr(0, part.end)), begin_(part.begin), shown_(true) {}

  void Run() {
    levels_.push_back({});
    std::size_t i = begin_;
    while (i < text_.size()) {
      const char c = text_[i];
      if (c == '"') {
        i = String(i);
      } else if (c == '{' || c == '[') {
        if (levels_.size() < kMaxDepth) Open(c == '{');
        ++i;
      } else if (c == '}' || c == ']') {
        if (levels_.size() > 1) {
          if (levels_.back().source) FlushCell();
          levels_.pop_back();
        }
        key_ = {};
        ++i;
      } else if (c == ',') {
        key_ = {};
        ++i;
      } else if (c == '/' && i + 1 < text_.size() && (text_[i + 1] == '/' || text_[i + 1] == '*')) {
        i = Comment(i);
      } else {
        ++i;
      }
    }
    FlushCell();
  }

 private:
  void Open(bool object) {
    const Level& parent = levels_.back();
    Level level;
    level.object = object;
    level.key = key_;
    level.schema = parent.schema || key_ == "inputSchema" || key_ == "input_schema" || key_ == "parameters" ||
                   key_ == "outputSchema" || key_ == "configSchema";
    level.tools = key_ == "tools" || key_ == "prompts" || key_ == "resources" || key_ == "resourceTemplates" ||
                  key_ == "mcpServers" || key_ == "servers" || (parent.tools && object && !parent.object);
    level.person = parent.person || NamesPeople(key_);
    level.source = notebook_ && !object && (key_ == "source" || key_ == "text" || key_ == "text/plain");
    levels_.push_back(level);
    key_ = {};
  }

  std::size_t String(std::size_t at) {
    std::size_t end = at + 1;
    bool escaped = false;
    while (end < text_.size() && text_[end] != '"') {
      if (text_[end] == '\\') {
        escaped = true;
        ++end;
      }
      ++end;
    }
    end = std::min(end, text_.size());
    const std::string_view raw = text_.substr(at + 1, end - at - 1);
    std::size_t next = std::min(end + 1, text_.size());
    std::size_t look = next;
    while (look < text_.size() && IsSpace(text_[look])) ++look;
    const Level& level = levels_.back();
    if (level.object && key_.empty() && look < text_.size() && text_[look] == ':') {
      key_ = raw;
      if (raw == "name" || raw == "title") subject_pending_ = true;
      // A name that a model sees, or a text in the place of a name.
      const bool name = level.tools && level.key != "tools" && !levels_.empty() &&
                        (level.key == "mcpServers" || level.key == "servers");
      if (name) {
        Emit(kSurfaceToolName, raw, at + 1, escaped);
      } else if (level.schema && level.key == "properties" && AsksForContent(raw)) {
        EmitWords(raw, at + 1);
      } else if (std::count(raw.begin(), raw.end(), ' ') >= 3) {
        Emit(level.schema ? kSurfaceSchema : kSurfaceConfig, raw, at + 1, escaped);
      }
      return look + 1;
    }
    if (level.source) {
      Cell(raw, at + 1);
      return next;
    }
    const std::string_view key = key_.empty() ? level.key : key_;
    if ((level.person || NamesPeople(key)) && IsPersonName(raw)) return next;
    SurfaceSet kind = KindOfKey(key);
    if (key == "cell_type") code_cell_ = raw == "code";
    if (notebook_ && key == "source") {  // a cell in one literal
      Cell(raw, at + 1);
      FlushCell();
      return next;
    }
    if (kind == kSurfaceToolName) {
      subject_.assign(raw.substr(0, 80));
    } else if (level.schema && kind == 0) {
      kind = kSurfaceSchema;
    } else if (kind == 0) {
      kind = kSurfaceConfig;
    }
    Emit(kind, raw, at + 1, escaped);
    return next;
  }

  // "content_from_reading_x": a name that tells the model what to put there.
  static bool AsksForContent(std::string_view name) {
    return name.size() <= 128 && std::count(name.begin(), name.end(), '_') >= 3 &&
           (name.find("content") != std::string_view::npos || name.find("text") != std::string_view::npos ||
            name.find("dump") != std::string_view::npos || name.find("copy") != std::string_view::npos);
  }
  void EmitWords(std::string_view name, std::size_t at) {
    TextSurface surface;
    surface.kind = kSurfaceSchema;
    surface.bytes = {at, at + name.size()};
    surface.subject = subject_;
    for (std::size_t i = 0; i < name.size(); ++i) {
      surface.owned.push_back(name[i] == '_' ? ' ' : name[i]);
      surface.map.push_back(static_cast<std::uint32_t>(at + i));
    }
    sink_.Add(std::move(surface));
  }

  void Emit(SurfaceSet kind, std::string_view raw, std::size_t at, bool escaped) {
    if (raw.empty() || (kind == kSurfaceConfig && (shown_ || !IsWorthReading(raw)))) return;
    TextSurface surface;
    surface.kind = kind;
    surface.bytes = {at, at + raw.size()};
    surface.subject = kind == kSurfaceToolName ? std::string(raw.substr(0, 80)) : subject_;
    if (escaped && !Unescape(raw, static_cast<std::uint32_t>(at), surface.owned, surface.map)) surface.owned.clear();
    sink_.Add(std::move(surface));
  }

  void Cell(std::string_view raw, std::size_t at) {
    if (cell_.owned.empty()) cell_.bytes = {at, at};
    cell_.bytes.end = at + raw.size();
    if (!Unescape(raw, static_cast<std::uint32_t>(at), cell_.owned, cell_.map)) {
      cell_.owned += raw;
      for (std::size_t i = 0; i < raw.size(); ++i) cell_.map.push_back(static_cast<std::uint32_t>(at + i));
    }
  }

  void FlushCell() {
    if (code_cell_ && !cell_.owned.empty()) {
      cell_.kind = kSurfaceCodeBlock;
      cell_.shape = TextShape::kCode;
      cell_.subject = "python";
      sink_.Add(std::move(cell_));
    } else if (!cell_.owned.empty()) {
      CollectMarkdownCell(sink_, cell_.owned, cell_.map, kSurfaceDocument);
    }
    cell_ = TextSurface{.text = {}, .bytes = {}};
  }

  std::size_t Comment(std::size_t at) {
    const bool block = text_[at + 1] == '*';
    std::size_t end = text_.find(block ? "*/" : "\n", at + 2);
    if (end == std::string_view::npos) end = text_.size();
    TextSurface surface;
    surface.kind = kSurfaceComment;
    surface.bytes = {at + 2, end};
    if (end > at + 2 && !shown_) sink_.Add(std::move(surface));
    return std::min(text_.size(), end + (block ? 2U : 1U));
  }

  SurfaceSink& sink_;
  std::string_view text_;
  std::size_t begin_ = 0;
  bool notebook_ = false;
  bool shown_ = false;  // a block of a page: what defines a tool counts, settings do not
  std::vector<Level> levels_;
  std::string_view key_;
  std::string subject_;
  bool subject_pending_ = false;
  bool code_cell_ = false;
  TextSurface cell_{.text = {}, .bytes = {}};
};

struct Line {
  std::size_t begin = 0;  // of the line
  std::size_t first = 0;  // first byte that is no space
  std::size_t end = 0;    // without the line break
  [[nodiscard]] bool empty() const { return first >= end; }
};

Line LineAt(std::string_view text, std::size_t at, std::size_t limit) {
  Line line;
  line.begin = at;
  line.end = std::min(text.find('\n', at), limit);
  if (line.end > limit) line.end = limit;
  if (line.end > at && text[line.end - 1] == '\r') --line.end;
  line.first = at;
  while (line.first < line.end && (text[line.first] == ' ' || text[line.first] == '\t')) ++line.first;
  return line;
}

std::size_t NextLine(std::string_view text, std::size_t end) {
  const std::size_t stop = text.find('\n', end);
  return stop == std::string_view::npos ? text.size() : stop + 1;
}

}  // namespace

bool IsWorthReading(std::string_view text) {
  if (text.size() < kMinStringBytes) return false;
  std::size_t spaces = 0;
  std::size_t wide = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n') ++spaces;
    if ((static_cast<unsigned char>(c) & 0x80) != 0) ++wide;
    if (spaces >= kMinStringSpaces || wide >= 12) return true;
  }
  return text.size() >= 40;
}

SurfaceSet KindOfKey(std::string_view key) {
  std::array<char, 32> folded{};
  std::size_t size = 0;
  for (const char c : key) {
    if (c == '_' || c == '-') continue;
    if (size == folded.size()) return 0;
    folded[size++] = Lower(c);
  }
  const std::string_view name(folded.data(), size);
  if (name == "name" || name == "title" || name == "displayname") return kSurfaceToolName;
  // A constant of a language that nothing here parses: DESCRIPTION_SEARCH, TOOL_DESCRIPTION.
  const bool constant = key.size() > 12 && key.find('_') != std::string_view::npos &&
                        key.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
  if (constant && (name.starts_with("description") || name.ends_with("description"))) return kSurfaceDescription;
  if (name == "description" || name == "instructions" || name == "summary" || name == "longdescription" ||
      name == "shortdescription" || name == "descriptionformodel" || name == "descriptionforhuman" ||
      name == "whentouse" || name == "usage" || name == "tagline" || name == "withdescription" ||
      name == "setdescription" || name == "tooldescription" || name == "serverinstructions" ||
      name == "withinstructions" || name == "setinstructions") {
    return kSurfaceDescription;
  }
  if (name == "prompt" || name == "systemprompt" || name == "system" || name == "defaultprompt" || name == "persona") {
    return kSurfaceInstruction;
  }
  return 0;
}

bool Unescape(std::string_view raw, std::uint32_t at, std::string& out, std::vector<std::uint32_t>& map) {
  if (raw.find('\\') == std::string_view::npos) return false;
  out.reserve(out.size() + raw.size());
  map.reserve(map.size() + raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t from = i;
    const std::size_t old = out.size();
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      out.push_back(raw[i++]);
    } else {
      const char c = raw[i + 1];
      std::int64_t code = -1;
      std::size_t used = 2;
      if (c == 'u' && i + 2 < raw.size() && raw[i + 2] == '{') {
        const std::size_t close = raw.find('}', i + 3);
        if (close != std::string_view::npos && close - i - 3 >= 1 && close - i - 3 <= 6) {
          code = HexRun(raw, i + 3, close - i - 3);
          used = close + 1 - i;
        }
      } else if (c == 'u') {
        code = HexRun(raw, i + 2, 4);
        used = 6;
        if (code >= 0xD800 && code < 0xDC00 && raw.substr(i + 6, 2) == "\\u") {
          const std::int64_t low = HexRun(raw, i + 8, 4);
          if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            used = 12;
          }
        }
      } else if (c == 'U') {
        code = HexRun(raw, i + 2, 8);
        used = 10;
      } else if (c == 'x') {
        code = HexRun(raw, i + 2, 2);
        used = 4;
      }
      if (code >= 0 && code < 0x110000 && (code < 0xD800 || code >= 0xE000)) {
        AppendUtf8(static_cast<std::uint32_t>(code), &out);
        i += used;
      } else {
        switch (c) {
          case 'n':
            out.push_back('\n');
            break;
          case 't':
            out.push_back('\t');
            break;
          case 'r':
            out.push_back(' ');
            break;
          case 'b':
          case 'f':
            out.push_back(' ');
            break;
          default:
            out.push_back(c);
            break;
        }
        i += 2;
      }
    }
    map.insert(map.end(), out.size() - old, at + static_cast<std::uint32_t>(from));
  }
  return true;
}

void CollectJson(SurfaceSink& sink, bool notebook) { JsonReader(sink, notebook).Run(); }

namespace {

// @mcp.tool() def name(...): """...""": what the tool says of itself.
void CollectDocstrings(SurfaceSink& sink, base::ByteSpan part) {
  const std::string_view text = sink.text().substr(0, part.end);
  for (std::size_t at = text.find('@', part.begin); at != std::string_view::npos; at = text.find('@', at + 1)) {
    const std::size_t line = text.find('\n', at);
    if (line == std::string_view::npos) return;
    if (text.substr(at, line - at).find("tool") == std::string_view::npos) continue;
    const std::size_t next = std::min(text.find("\n@", line), text.size());
    const std::size_t quote = text.substr(line, next - line).find("\"\"\"");
    if (quote == std::string_view::npos || text.substr(line, quote).find("def ") == std::string_view::npos) continue;
    const std::size_t open = line + quote;
    const std::size_t close = text.find("\"\"\"", open + 3);
    if (close == std::string_view::npos) return;
    TextSurface surface;
    surface.kind = kSurfaceDescription;
    surface.bytes = {open + 3, close};
    if (close > open + 3) sink.Add(std::move(surface));
    at = close;
  }
}

}  // namespace

void CollectShownTool(SurfaceSink& sink, base::ByteSpan part, std::string_view language) {
  const std::string_view text = sink.text().substr(part.begin, part.end - part.begin);
  if (language == "python" || language == "py") {
    CollectDocstrings(sink, part);
    return;
  }
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const bool json =
      language == "json" || language == "jsonc" || language == "json5" || (language.empty() && text.starts_with('{'));
  if (json && has("\"description\"") &&
      (has("nputSchema\"") || has("input_schema\"") || has("\"parameters\"") || has("\"tools\""))) {
    JsonReader(sink, part).Run();
  }
}

void CollectParagraphs(SurfaceSink& sink, base::ByteSpan part, SurfaceSet kind) {
  const std::string_view text = sink.text();
  std::size_t begin = part.begin;
  std::size_t end = part.begin;
  bool open = false;
  const auto flush = [&] {
    if (open && end > begin) {
      TextSurface surface;
      surface.kind = kind;
      surface.bytes = {begin, end};
      sink.Add(std::move(surface));
    }
    open = false;
  };
  for (std::size_t at = part.begin; at < part.end; at = NextLine(text, at)) {
    const Line line = LineAt(text, at, part.end);
    if (line.empty()) {
      // Blank lines stay inside until it is known whether text follows far below.
      if (open && line.begin > end + 2) flush();
      continue;
    }
    if (!open) begin = line.first;
    open = true;
    end = line.end;
  }
  flush();
}

void CollectKeyValues(SurfaceSink& sink, base::ByteSpan part, char separator) {
  const std::string_view text = sink.text();
  std::string subject;
  for (std::size_t at = part.begin; at < part.end;) {
    const Line line = LineAt(text, at, part.end);
    std::size_t next = std::min(NextLine(text, at), part.end);
    if (next <= at) break;
    if (line.empty()) {
      at = next;
      continue;
    }
    if (text[line.first] == '#' || (separator == '=' && text[line.first] == ';')) {
      // Comments that follow each other are one text.
      std::size_t end = line.end;
      while (next < part.end) {
        const Line more = LineAt(text, next, part.end);
        if (more.empty() || text[more.first] != text[line.first]) break;
        end = more.end;
        next = std::min(NextLine(text, next), part.end);
      }
      TextSurface surface;
      surface.kind = kSurfaceComment;
      surface.bytes = {line.first + 1, end};
      if (end > line.first + 1) sink.Add(std::move(surface));
      at = next;
      continue;
    }
    std::size_t first = line.first;
    while (first + 1 < line.end && text[first] == '-' && text[first + 1] == ' ') {
      first += 2;
      while (first < line.end && text[first] == ' ') ++first;
    }
    // Key, then the separator.
    std::size_t colon = std::string_view::npos;
    for (std::size_t i = first; i < line.end && i < first + 100; ++i) {
      const char c = text[i];
      if (c == separator && (separator == '=' || i + 1 == line.end || text[i + 1] == ' ')) {
        colon = i;
        break;
      }
      if (!IsWordByte(c) && c != '-' && c != '.' && c != ' ' && c != '"' && c != '\'' && c != '/' && c != '@' &&
          c != '$' && c != '<') {
        break;
      }
    }
    std::string_view key;
    std::size_t value = first;
    if (colon != std::string_view::npos) {
      key = text.substr(first, colon - first);
      while (!key.empty() && (key.back() == ' ' || key.back() == '"' || key.back() == '\'')) key.remove_suffix(1);
      while (!key.empty() && (key.front() == '"' || key.front() == '\'')) key.remove_prefix(1);
      value = colon + 1;
      while (value < line.end && text[value] == ' ') ++value;
    }
    std::size_t end = line.end;
    const bool block = value < line.end && (text[value] == '|' || text[value] == '>') && separator == ':';
    const bool triple = text.substr(value, 3) == "\"\"\"" || text.substr(value, 3) == "'''";
    if (triple) {
      const std::size_t close = text.find(text.substr(value, 3), value + 3);
      end = std::min(close, part.end);
      value += 3;
      next = std::min(NextLine(text, std::min(end, text.size())), part.end);
    } else {
      // Lines that are further in and are no keys themselves belong to the value.
      const std::size_t indent = line.first - line.begin;
      bool started = false;
      while (next < part.end) {
        const Line more = LineAt(text, next, part.end);
        if (more.empty()) {
          next = std::min(NextLine(text, next), part.end);
          if (next >= part.end) break;
          continue;
        }
        const std::size_t deep = more.first - more.begin;
        if (deep <= indent || colon == std::string_view::npos) break;
        if (!block) {
          if (value >= line.end || text[more.first] == '-' || text[more.first] == '#') break;
          const std::size_t inner = text.substr(more.first, more.end - more.first).find(": ");
          if (inner != std::string_view::npos && inner < 40 &&
              text.substr(more.first, inner).find(' ') == std::string_view::npos) {
            break;
          }
        } else if (!started) {
          value = more.first;
          started = true;
        }
        end = more.end;
        next = std::min(NextLine(text, next), part.end);
      }
      if (block && !started) value = end;
    }
    if (value < end) {
      SurfaceSet kind = KindOfKey(key);
      if (kind == 0) kind = kSurfaceConfig;
      std::size_t from = value;
      std::size_t to = end;
      TextSurface surface;
      if (!block && !triple && to > from + 1 && (text[from] == '"' || text[from] == '\'')) {
        const char quote = text[from];
        ++from;
        std::size_t i = from;
        while (i < to && text[i] != quote) i += text[i] == '\\' && quote == '"' ? 2U : 1U;
        const bool whole = i < to;
        to = std::min(i, to);
        if (whole && to + 1 < end) {
          // What stands behind the closing quote: a comment, or not YAML at all.
          std::size_t rest = to + 1;
          while (rest < end && IsSpace(text[rest])) ++rest;
          if (rest < end && text[rest] == '#') {
            TextSurface comment;
            comment.kind = kSurfaceComment;
            comment.bytes = {rest + 1, end};
            if (end > rest + 1) sink.Add(std::move(comment));
          }
        }
        surface.bytes = {from, to};
        const bool unescaped = quote == '"' && Unescape(text.substr(from, to - from), static_cast<std::uint32_t>(from),
                                                        surface.owned, surface.map);
        if (!unescaped) surface.owned.clear();
      }
      surface.bytes = {from, to};
      surface.kind = kind;
      if (kind == kSurfaceToolName) subject.assign(text.substr(from, std::min<std::size_t>(80, to - from)));
      surface.subject = subject;
      if (to > from && (kind != kSurfaceConfig || IsWorthReading(text.substr(from, to - from))))
        sink.Add(std::move(surface));
    }
    at = next;
  }
}

}  // namespace interlock::scan
