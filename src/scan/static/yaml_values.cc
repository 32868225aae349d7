#include "static/yaml_values.h"

#include <algorithm>
#include <utility>

namespace interlock::scan {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 10U;
constexpr std::size_t kMostValues = 20'000;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kMostOfFlow = 16'384;  // bytes of `[...]` and `{...}`, over however many lines

std::string_view Trim(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

// Where the quoted text that begins at `at` ends, its closing quote included; npos: not on this line.
std::size_t EndOfQuoted(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\' && quote == '"') {
      ++i;
    } else if (line[i] == quote) {
      if (quote != '\'' || i + 1 >= line.size() || line[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

std::string Unquoted(std::string_view text) {
  text = Trim(text);
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'') || text.back() != text.front()) {
    return std::string(text);
  }
  const char quote = text.front();
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'' && c == '\'' && i + 2 < text.size() && text[i + 1] == '\'') ++i;
    if (quote == '"' && c == '\\' && i + 2 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    } else {
      out += c;
    }
  }
  return out;
}

// Without a comment behind it.
std::string_view Plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '"' || text[i] == '\'') && Trim(text.substr(0, i)).empty()) {
      const std::size_t end = EndOfQuoted(text, i);
      return end == std::string_view::npos ? Trim(text) : Trim(text.substr(0, end));
    }
    if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) return Trim(text.substr(0, i));
  }
  return Trim(text);
}

// Length of the key at the head of `body`, its colon not counted; npos: there is none.
std::size_t KeyIn(std::string_view body) {
  if (body.empty()) return std::string_view::npos;
  std::size_t colon = 0;
  if (body.front() == '"' || body.front() == '\'') {
    colon = EndOfQuoted(body, 0);
    if (colon == std::string_view::npos || colon >= body.size() || body[colon] != ':') return std::string_view::npos;
  } else {
    if (std::string_view("[{|>&*!%@`#").find(body.front()) != std::string_view::npos) return std::string_view::npos;
    for (colon = body.find(':'); colon != std::string_view::npos; colon = body.find(':', colon + 1)) {
      if (colon > kLongestKey) return std::string_view::npos;
      if (colon + 1 >= body.size() || body[colon + 1] == ' ' || body[colon + 1] == '\t' || body[colon + 1] == '\r') {
        break;
      }
    }
  }
  if (colon == std::string_view::npos || colon > kLongestKey) return std::string_view::npos;
  return colon;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text.substr(0, kMostBytes)) {}

  std::vector<YamlValue> Read() {
    while (at_ < text_.size() && values_.size() < kMostValues) {
      const std::size_t begin = at_;
      const std::string_view line = NextLine();
      std::size_t column = line.find_first_not_of(" \t");
      if (column == std::string_view::npos || line[column] == '#') continue;
      if (line.starts_with("---")) {
        levels_.clear();
        continue;
      }
      std::size_t outer = column;  // of the last dash: what belongs to it stands farther right
      // "- - key: value": each dash opens or goes on with a sequence.
      while (column < line.size() && line[column] == '-' &&
             (column + 1 >= line.size() || line[column + 1] == ' ' || line[column + 1] == '\r')) {
        Element(column);
        outer = column;
        column = std::min(line.find_first_not_of(" \t", column + 1), line.size());
      }
      const std::string_view body = line.substr(std::min(column, line.size()));
      if (Trim(body).empty()) continue;
      const std::size_t key = KeyIn(body);
      if (key == std::string_view::npos) {
        Value(body, begin + column, outer);
        continue;
      }
      Key(column, Unquoted(body.substr(0, key)));
      const std::string_view rest = body.substr(key + 1);
      const std::string_view value = Trim(rest);
      if (!value.empty() && value.front() != '#') {
        Value(rest, begin + column + key + 1, column);
      }
    }
    return std::move(values_);
  }

 private:
  struct Level {
    std::size_t indent = 0;
    bool sequence = false;
    std::size_t index = 0;
    std::string key;
  };

  std::string_view NextLine() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  void Element(std::size_t column) {
    while (!levels_.empty() && levels_.back().indent > column) levels_.pop_back();
    if (!levels_.empty() && levels_.back().indent == column && levels_.back().sequence) {
      ++levels_.back().index;
    } else if (levels_.size() < kDeepest) {
      levels_.push_back({column, true, 0, {}});
    }
  }

  void Key(std::size_t column, std::string key) {
    while (!levels_.empty() &&
           (levels_.back().indent > column || (levels_.back().indent == column && levels_.back().sequence))) {
      levels_.pop_back();
    }
    if (!levels_.empty() && levels_.back().indent == column) {
      levels_.back().key = std::move(key);
    } else if (levels_.size() < kDeepest) {
      levels_.push_back({column, false, 0, std::move(key)});
    }
  }

  [[nodiscard]] std::vector<std::string> Path() const {
    std::vector<std::string> path;
    path.reserve(levels_.size() + 2);
    for (const Level& level : levels_) path.push_back(level.sequence ? std::to_string(level.index) : level.key);
    return path;
  }

  void Add(std::vector<std::string> path, std::string text, base::ByteSpan bytes) {
    if (values_.size() < kMostValues && !text.empty()) values_.push_back({std::move(path), std::move(text), bytes});
  }

  void Value(std::string_view raw, std::size_t begin, std::size_t indent) {
    const std::size_t lead = raw.find_first_not_of(" \t");
    if (lead == std::string_view::npos) return;
    begin += lead;
    const std::string_view value = Plain(raw);
    if (value.empty()) return;
    if (value.front() == '|' || value.front() == '>') {
      Block(begin, indent, value.front() == '>');
      return;
    }
    if (value.front() == '[' || value.front() == '{') {
      std::string whole(value);
      for (std::ptrdiff_t open = Opened(whole); open > 0 && at_ < text_.size() && whole.size() < kMostOfFlow;) {
        const std::string_view more = Plain(NextLine());
        open += Opened(more);
        whole += ' ';
        whole += more;
      }
      std::size_t from = 0;
      Flow(whole, from, Path(), {begin, std::min(at_, text_.size())}, 0);
      return;
    }
    const std::size_t end = begin + value.size();
    std::string text = Unquoted(value);
    // A quoted text that goes on, and a plain one whose lines stand farther right.
    const bool open =
        (value.front() == '"' || value.front() == '\'') && EndOfQuoted(value, 0) == std::string_view::npos;
    if (open) {
      text = std::string(value.substr(1));
      while (at_ < text_.size() && text.size() < kMostOfFlow) {
        const std::string_view more = Trim(NextLine());
        const bool last = more.ends_with(value.front());
        text += ' ';
        text += last ? more.substr(0, more.size() - 1) : more;
        if (last) break;
      }
    }
    Add(Path(), std::move(text), {begin, open ? std::min(at_, text_.size()) : end});
  }

  void Block(std::size_t begin, std::size_t indent, bool folded) {
    std::string text;
    std::size_t own = std::string_view::npos;  // indentation of the block
    std::size_t end = at_;
    while (at_ < text_.size()) {
      const std::size_t from = at_;
      const std::string_view line = NextLine();
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos) {
        if (own != std::string_view::npos) text += '\n';
        continue;
      }
      if (own == std::string_view::npos) own = first;
      if (first <= indent || (own <= indent)) {
        at_ = from;
        break;
      }
      std::string_view part = line.substr(std::min(own, first));
      if (part.ends_with('\r')) part.remove_suffix(1);
      text += part;
      text += folded ? ' ' : '\n';
      end = std::min(at_, text_.size());
    }
    Add(Path(), std::move(text), {begin, std::max(begin, end)});
  }

  // Brackets that stay open. Counted without regard for quotes: one in a text makes the value longer, not wrong.
  static std::ptrdiff_t Opened(std::string_view text) {
    std::ptrdiff_t open = 0;
    for (const char c : text) {
      if (c == '[' || c == '{') ++open;
      if (c == ']' || c == '}') --open;
    }
    return open;
  }

  // From the value at `from` to behind it.
  void Flow(std::string_view text, std::size_t& from, std::vector<std::string> path, base::ByteSpan bytes,
            std::size_t depth) {
    while (from < text.size() && (text[from] == ' ' || text[from] == '\t')) ++from;
    if (from >= text.size()) return;
    const char open = text[from];
    if ((open == '[' || open == '{') && depth < kDeepest) {
      ++from;
      std::size_t index = 0;
      while (from < text.size()) {
        while (from < text.size() && (text[from] == ' ' || text[from] == ',' || text[from] == '\t')) ++from;
        if (from >= text.size()) return;
        if (text[from] == ']' || text[from] == '}') {
          ++from;
          return;
        }
        std::vector<std::string> inner = path;
        if (open == '[') {
          inner.push_back(std::to_string(index++));
        } else {
          const std::size_t colon = text.find(':', from);
          if (colon == std::string_view::npos || colon - from > kLongestKey) {
            from = text.size();
            return;
          }
          inner.push_back(Unquoted(text.substr(from, colon - from)));
          from = colon + 1;
        }
        const std::size_t before = from;
        Flow(text, from, std::move(inner), bytes, depth + 1);
        if (from == before) ++from;
      }
      return;
    }
    std::size_t end = from;
    if (open == '"' || open == '\'') {
      end = std::min(EndOfQuoted(text, from), text.size());
    } else {
      // "${{ x }}" is a text with brackets.
      int inside = 0;
      for (; end < text.size(); ++end) {
        if (text[end] == '{' || text[end] == '[') ++inside;
        if ((text[end] == '}' || text[end] == ']') && inside-- == 0) break;
        if (text[end] == ',' && inside == 0) break;
      }
    }
    Add(std::move(path), Unquoted(text.substr(from, end - from)), bytes);
    from = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Level> levels_;
  std::vector<YamlValue> values_;
};

}  // namespace

std::vector<YamlValue> YamlValuesOf(std::string_view text) { return Reader(text).Read(); }

}  // namespace interlock::scan
