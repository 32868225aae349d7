// Words of POSIX shells.
#include "code/shell_words.h"

#include <algorithm>
#include <array>

namespace interlock::scan::code::shell {
namespace {

constexpr char kBraceOpen = '\x03';  // while lexing: unquoted brace characters, for brace expansion
constexpr char kBraceComma = '\x04';
constexpr char kBraceClose = '\x05';
constexpr std::size_t kMaxBraceWords = 64;

// `{a,b}` at one level, with what stands around it; false: not a brace expansion.
bool ExpandBraces(const std::string& text, std::vector<std::string>& out) {
  std::size_t open = text.find(kBraceOpen);
  if (open == std::string::npos) return false;
  std::size_t close = text.find(kBraceClose, open);
  if (close == std::string::npos || text.find(kBraceComma, open) > close) return false;
  if (text.find(kBraceOpen, open + 1) < close) return false;
  std::string head = text.substr(0, open);
  std::string tail = text.substr(close + 1);
  std::size_t start = open + 1;
  while (out.size() < kMaxBraceWords) {
    std::size_t comma = std::min(text.find(kBraceComma, start), close);
    out.push_back(head + text.substr(start, comma - start) + tail);
    if (comma == close) return true;
    start = comma + 1;
  }
  return true;
}

bool Slice(std::string& text, std::string_view spec) {
  std::array<long, 2> numbers{0, -1};
  std::size_t count = 0;
  std::size_t i = 0;
  while (i < spec.size() && count < 2) {
    while (i < spec.size() && spec[i] == ' ') ++i;
    bool negative = i < spec.size() && spec[i] == '-';
    if (negative) ++i;
    if (i >= spec.size() || !IsDigit(spec[i])) return false;
    long value = 0;
    while (i < spec.size() && IsDigit(spec[i]) && value < 1000000) value = value * 10 + (spec[i++] - '0');
    numbers[count++] = negative ? -value : value;
    if (i < spec.size() && spec[i] != ':') return false;
    ++i;
  }
  if (count == 0) return false;
  long size = static_cast<long>(text.size());
  long from = numbers[0] < 0 ? std::max(0L, size + numbers[0]) : std::min(numbers[0], size);
  long many = count < 2 ? size - from : numbers[1] < 0 ? std::max(0L, size + numbers[1] - from) : numbers[1];
  text = text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(many));
  return true;
}

void Replace(std::string& text, std::string_view spec) {
  bool all = spec.starts_with('/');
  if (all) spec.remove_prefix(1);
  std::size_t slash = spec.find('/');
  std::string from(spec.substr(0, slash));
  std::string to(slash == std::string_view::npos ? std::string_view() : spec.substr(slash + 1));
  if (from.empty()) return;
  std::string out;
  std::size_t at = 0;
  while (at <= text.size() && out.size() < kMaxWordBytes) {
    std::size_t hit = text.find(from, at);
    if (hit == std::string::npos) break;
    out.append(text, at, hit - at);
    out += to;
    at = hit + from.size();
    if (!all) break;
  }
  if (at <= text.size()) out.append(text, at);
  text = std::move(out);
}

}  // namespace

void WordLexer::LexBody(Piece& piece) {
  while (p_ < end_) {
    char c = t_[p_];
    char next = Peek(1);
    if (c == '\\' && (next == '$' || next == '`' || next == '\\' || next == '\n')) {
      if (next != '\n') piece.Put(next);
      p_ += 2;
    } else if (c == '$') {
      LexDollar(piece, true);
    } else if (c == '`') {
      LexBacktick(piece, true);
    } else {
      piece.Put(c);
      ++p_;
    }
  }
}

ShellWord WordLexer::Finish(Piece piece, std::size_t begin) {
  ShellWord word;
  word.text = std::move(piece.text);
  if (piece.braces) {
    for (char& c : word.text) {
      if (c == kBraceOpen) c = '{';
      if (c == kBraceComma) c = ',';
      if (c == kBraceClose) c = '}';
    }
  }
  word.constant = piece.constant;
  word.commands = std::move(piece.commands);
  word.variables = std::move(piece.variables);
  word.obfuscation = piece.obfuscation;
  word.other = std::move(piece.other);
  word.loc = At(begin, p_);
  return word;
}

void WordLexer::Words(std::vector<ShellWord>& out, bool plain) {
  std::size_t begin = p_;
  Piece piece;
  Word(piece);
  if (p_ == begin) {
    ++p_;  // never stuck
    return;
  }
  if (!piece.seen) return;
  bool split = piece.text.find(kSplitChar) != std::string::npos;
  if (piece.braces && !plain) {
    std::vector<std::string> texts;
    if (ExpandBraces(piece.text, texts)) {
      for (std::string& text : texts) {
        Piece part = piece;
        part.text = std::move(text);
        out.push_back(Finish(std::move(part), begin));
      }
      return;
    }
  }
  if (!split) {
    out.push_back(Finish(std::move(piece), begin));
    return;
  }
  std::string text = std::move(piece.text);
  std::size_t start = 0;
  std::size_t made = 0;
  while (start <= text.size()) {
    std::size_t next = std::min(text.find(kSplitChar, start), text.size());
    if (next > start) {
      Piece part = piece;
      part.text = text.substr(start, next - start);
      part.constant = part.text.find(kUnknownChar) == std::string::npos;
      out.push_back(Finish(std::move(part), begin));
      if (++made >= 256) break;
    }
    start = next + 1;
  }
}

void WordLexer::Word(Piece& piece) {
  std::size_t begin = p_;
  while (p_ < end_) {
    char c = t_[p_];
    switch (c) {
      case '\'': {
        std::size_t close = t_.find('\'', p_ + 1);
        bool middle = p_ > begin;
        if (close >= end_) close = end_;
        for (std::size_t q = p_ + 1; q < close; ++q) piece.Put(t_[q]);
        p_ = std::min(close + 1, end_);
        piece.seen = true;
        MarkSplit(piece, begin, middle);
        break;
      }
      case '"': {
        bool middle = p_ > begin;
        LexDouble(piece);
        MarkSplit(piece, begin, middle);
        break;
      }
      case '\\':
        if (Peek(1) == '\n') {
          p_ += 2;
          break;
        }
        if (p_ + 1 >= end_) {
          ++p_;
          break;
        }
        // c\url: an escape that changes nothing.
        if (IsNameStart(t_[p_ + 1]) && piece.text.size() < 32) piece.Raise(1);
        piece.Put(t_[p_ + 1]);
        p_ += 2;
        break;
      case '$':
        LexDollar(piece, false);
        break;
      case '`':
        LexBacktick(piece, false);
        break;
      case '<':
      case '>':
        if (Peek(1) != '(') return;
        fed_ = c == '>';
        p_ += 2;
        Substitute(piece, true, true);
        fed_ = false;
        break;
      case '{':
      case ',':
      case '}':
        if (piece.text.size() < kMaxWordBytes) {
          piece.text += c == '{' ? kBraceOpen : c == ',' ? kBraceComma : kBraceClose;
        }
        piece.braces = true;
        piece.seen = true;
        ++p_;
        break;
      case '(':
        // @(a|b) and the like.
        if (p_ > begin && (t_[p_ - 1] == '@' || t_[p_ - 1] == '?' || t_[p_ - 1] == '*' || t_[p_ - 1] == '+')) {
          while (p_ < end_ && t_[p_] != ')' && t_[p_] != '\n') ++p_;
          if (Peek() == ')') ++p_;
          piece.Unknown();
          break;
        }
        return;
      default:
        if (IsMeta(c)) return;
        piece.Put(c);
        ++p_;
    }
  }
}

void WordLexer::MarkSplit(Piece& piece, std::size_t begin, bool middle) const {
  bool more = p_ < end_ && IsNameStart(t_[p_]);
  bool letter_before = middle && IsNameStart(t_[begin]);
  if (more && letter_before && piece.text.size() < 24) piece.Raise(1);
}

void WordLexer::LexDouble(Piece& piece) {
  ++p_;
  piece.seen = true;
  while (p_ < end_) {
    char c = t_[p_];
    if (c == '"') {
      ++p_;
      return;
    }
    if (c == '\\' && p_ + 1 < end_) {
      char next = t_[p_ + 1];
      if (next == '$' || next == '`' || next == '"' || next == '\\') {
        piece.Put(next);
      } else if (next != '\n') {
        piece.Put(c);
        piece.Put(next);
      }
      p_ += 2;
    } else if (c == '$') {
      LexDollar(piece, true);
    } else if (c == '`') {
      LexBacktick(piece, true);
    } else {
      piece.Put(c);
      ++p_;
    }
  }
}

void WordLexer::PutValue(Piece& piece, const Variable& variable, bool quoted) {
  piece.seen = true;
  if (!b_.Spend(variable.text.size() + 1) || piece.text.size() + variable.text.size() > kMaxWordBytes) {
    piece.Unknown();
    return;
  }
  bool split = !quoted && !piece.no_split;
  for (char c : variable.text) {
    piece.text += split && (IsBlank(c) || c == '\n') ? kSplitChar : c;
  }
  piece.constant &= variable.constant;
  for (std::uint32_t command : variable.commands) {
    if (piece.commands.size() < kMaxLinks) piece.commands.push_back(command);
  }
  for (const std::string& name : variable.variables) {
    if (piece.variables.size() < kMaxLinks) piece.variables.push_back(name);
  }
  piece.Raise(variable.obfuscation);
  // Of the one variable of a word: @$file, "$root/notes".
  if (!variable.other.empty() && piece.other.empty())
    piece.other = piece.text.substr(0, piece.text.size() - variable.text.size()) + variable.other;
}

void WordLexer::PutVariable(Piece& piece, std::string_view name, bool quoted) {
  auto found = b_.variables.find(std::string(name));
  if (found != b_.variables.end()) {
    PutValue(piece, found->second, quoted);
    if (!found->second.constant && piece.variables.size() < kMaxLinks) piece.variables.emplace_back(name);
    return;
  }
  if (name == "HOME") {
    piece.Put('~');
    return;
  }
  if (name == "IFS") {
    if (quoted || piece.no_split) {
      piece.Put(' ');
    } else {
      piece.text += kSplitChar;
    }
    piece.seen = true;
    piece.Raise(2);
    return;
  }
  piece.Unknown();
  if (piece.variables.size() < kMaxLinks) piece.variables.emplace_back(name);
}

void WordLexer::LexDollar(Piece& piece, bool quoted) {
  char next = Peek(1);
  if (next == '(') {
    if (Peek(2) == '(' && SkipArithmetic(p_ + 3)) {
      piece.Unknown();
      return;
    }
    p_ += 2;
    Substitute(piece, quoted, false);
  } else if (next == '{') {
    Parameter(piece, quoted);
  } else if (next == '\'' && !quoted) {
    std::size_t begin = p_ + 2;
    std::size_t q = begin;
    while (q < end_ && t_[q] != '\'') q += t_[q] == '\\' ? 2U : 1U;
    q = std::min(q, end_);
    bool spelled = false;
    std::string text;
    AppendEscaped(t_.substr(begin, q - begin), text, &spelled);
    for (char c : text) piece.Put(c);
    piece.seen = true;
    if (spelled) piece.Raise(2);
    p_ = std::min(q + 1, end_);
  } else if (next == '"' && !quoted) {
    ++p_;
    LexDouble(piece);
  } else if (IsNameStart(next)) {
    std::size_t q = p_ + 1;
    while (q < end_ && IsNameChar(t_[q])) ++q;
    std::string_view name = t_.substr(p_ + 1, q - p_ - 1);
    p_ = q;
    PutVariable(piece, name, quoted);
  } else if (IsDigit(next) || next == '@' || next == '*' || next == '#' || next == '?' || next == '$' || next == '!' ||
             next == '-') {
    // $@ and $1 of nothing are what ca$@t and w$1get hide behind.
    if ((next == '@' || next == '*' || IsDigit(next)) && !quoted && !piece.text.empty() &&
        IsNameStart(piece.text.back()) && p_ + 2 < end_ && IsNameStart(t_[p_ + 2])) {
      piece.Raise(2);
      p_ += 2;
      return;
    }
    if (piece.variables.size() < kMaxLinks) piece.variables.emplace_back(1, next);
    piece.Unknown();
    p_ += 2;
  } else {
    piece.Put('$');
    ++p_;
  }
}

void WordLexer::Substitute(Piece& piece, bool quoted, bool process) {
  piece.seen = true;
  if (b_.depth >= kMaxDepth) {
    b_.out().complete = false;
    int open = 1;
    while (p_ < end_ && open > 0) {
      if (t_[p_] == '(') ++open;
      if (t_[p_] == ')') --open;
      ++p_;
    }
    piece.Unknown();
    return;
  }
  ++b_.depth;
  std::vector<std::uint32_t> outputs = Commands();
  --b_.depth;
  Link(piece, outputs, quoted, process);
}

void WordLexer::Link(Piece& piece, const std::vector<std::uint32_t>& outputs, bool quoted, bool process) {
  for (std::uint32_t output : outputs) {
    if (piece.commands.size() < kMaxLinks) piece.commands.push_back(output);
  }
  if (process) {
    piece.text += "/dev/fd/63";
    piece.constant = false;
    return;
  }
  unsigned decodes = 0;
  std::optional<std::string> constant;
  if (outputs.size() == 1) constant = ConstantOutput(b_.out(), outputs[0], decodes);
  if (!constant || constant->size() > kMaxWordBytes || !b_.Spend(constant->size())) {
    piece.Unknown();
    return;
  }
  while (!constant->empty() && constant->back() == '\n') constant->pop_back();
  PutValue(piece, {.text = std::move(*constant), .obfuscation = static_cast<std::uint8_t>(decodes > 0 ? 2 : 1)},
           quoted);
}

void WordLexer::LexBacktick(Piece& piece, bool quoted) {
  std::size_t begin = p_ + 1;
  std::size_t q = begin;
  bool escaped = false;
  while (q < end_ && t_[q] != '`') {
    if (t_[q] == '\\') {
      escaped = true;
      ++q;
    }
    ++q;
  }
  q = std::min(q, end_);
  p_ = std::min(q + 1, end_);
  if (b_.depth >= kMaxDepth || !b_.Spend(escaped ? q - begin : 0)) {
    piece.Unknown();
    return;
  }
  ++b_.depth;
  std::vector<std::uint32_t> outputs;
  if (escaped) {
    std::string text;
    for (std::size_t i = begin; i < q; ++i) {
      if (t_[i] == '\\' && i + 1 < q && (t_[i + 1] == '`' || t_[i + 1] == '\\' || t_[i + 1] == '$')) ++i;
      text += t_[i];
    }
    std::string_view kept = b_.Keep(std::move(text));
    Loc loc = At(begin, q);
    outputs = CommandsIn(kept, 0, kept.size(), &loc);
  } else {
    outputs = CommandsIn(t_, begin, q, is_fixed_ ? &fixed_ : nullptr);
  }
  --b_.depth;
  Link(piece, outputs, quoted, false);
}

void WordLexer::Parameter(Piece& piece, bool quoted) {
  std::size_t begin = p_;
  p_ += 2;
  bool length = Peek() == '#' && Peek(1) != '}';
  bool indirect = Peek() == '!';
  if (length || indirect) ++p_;
  std::size_t q = p_;
  while (q < end_ && IsNameChar(t_[q])) ++q;
  if (q == p_ && q < end_ && t_[q] != '}') ++q;  // ${@}, ${?}
  std::string_view name = t_.substr(p_, q - p_);
  p_ = q;
  if (Peek() == '[') {
    std::size_t stop = std::min(end_, p_ + 256);
    while (p_ < stop && t_[p_] != ']') ++p_;
    if (Peek() == ']') ++p_;
  }
  // The operator's word: expanded, up to the closing brace.
  Piece word;
  if (b_.depth >= kMaxDepth) b_.out().complete = false;
  ++b_.depth;
  while (p_ < end_) {
    char c = t_[p_];
    if (c == '}') {
      ++p_;
      break;
    }
    if (c == '\\' && p_ + 1 < end_) {
      word.Put(t_[p_ + 1]);
      p_ += 2;
    } else if (c == '$' && b_.depth < kMaxDepth) {
      LexDollar(word, true);
    } else if (c == '`') {
      LexBacktick(word, true);
    } else if (c == '"' && b_.depth < kMaxDepth) {
      LexDouble(word);
    } else if (c == '\'' && !quoted) {
      std::size_t close = std::min(t_.find('\'', p_ + 1), end_);
      for (std::size_t i = p_ + 1; i < close; ++i) word.Put(t_[i]);
      p_ = std::min(close + 1, end_);
    } else if (c == '\n' && p_ - begin > 4096) {
      break;  // never closed
    } else {
      word.Put(c);
      ++p_;
    }
  }
  --b_.depth;
  if (indirect && word.text.empty()) {
    // ${!name}: of the variable that it names.
    const auto pointer = b_.variables.find(std::string(name));
    const std::string named = pointer == b_.variables.end() ? std::string() : pointer->second.text;
    if (b_.variables.contains(named)) {
      PutVariable(piece, named, quoted);
      return;
    }
  }
  Expand(piece, name, word, quoted, length || indirect);
}

// ${KUBE%%:*} of a path without a colon: what is to be cut off is not there.
static bool CutsNothing(std::string_view op, std::string_view text) {
  if (op.size() < 2 || (op[0] != '%' && op[0] != '#') || op.find('[') != std::string_view::npos) return false;
  return std::ranges::any_of(op.substr(op[1] == op[0] ? 2 : 1), [&](char c) {
    return c != '*' && c != '?' && c != '\\' && text.find(c) == std::string_view::npos;
  });
}

void WordLexer::Expand(Piece& piece, std::string_view name, Piece& word, bool quoted, bool opaque) {
  for (std::uint32_t command : word.commands) {
    if (piece.commands.size() < kMaxLinks) piece.commands.push_back(command);
  }
  if (opaque) {
    piece.Unknown();
    return;
  }
  std::string_view op = word.text;
  if (op.empty()) {
    PutVariable(piece, name, quoted);
    return;
  }
  auto found = b_.variables.find(std::string(name));
  Variable value;
  bool known = found != b_.variables.end();
  if (known) {
    value = found->second;
  } else if (name == "HOME" || name == "PATH" || name == "PWD") {
    value.text = name == "HOME" ? "/home/user" : "/usr/bin";  // for ${HOME:0:1}
    known = op[0] == ':' && op.size() > 1 && IsDigit(op[1]);
  }
  std::string_view test = op[0] == ':' ? op.substr(1) : op;
  if (!test.empty() && (test[0] == '-' || test[0] == '=')) {
    if (known && !(op[0] == ':' && value.text.empty())) {
      PutValue(piece, value, quoted);
      return;
    }
    Variable fallback;
    fallback.text = std::string(test.substr(1));
    fallback.constant = word.constant;
    fallback.commands = word.commands;
    fallback.variables = word.variables;
    if (test[0] == '=') b_.variables[std::string(name)] = fallback;
    // ${1:--}: what the function is given, or standard input.
    const bool input = fallback.text == "-" && name.size() == 1 && IsDigit(name[0]);
    if (name == "HOME" || fallback.text.empty() || input) {
      PutVariable(piece, name, quoted);
    } else {
      PutValue(piece, fallback, quoted);
    }
    return;
  }
  if (!test.empty() && test[0] == '+') {
    PutValue(piece, {.text = std::string(test.substr(1)), .constant = word.constant}, quoted);
    return;
  }
  if (!test.empty() && test[0] == '?') {
    PutVariable(piece, name, quoted);
    return;
  }
  if (known && word.constant && CutsNothing(op, value.text)) {
    PutValue(piece, value, quoted);
    return;
  }
  if (!known || !value.constant || !word.constant) {
    Variable unknown = std::move(value);
    unknown.text = std::string(1, kUnknownChar);
    unknown.constant = false;
    if (unknown.variables.empty()) unknown.variables.emplace_back(name);
    PutValue(piece, unknown, quoted);
    return;
  }
  value.obfuscation = std::max<std::uint8_t>(value.obfuscation, 1);
  if (op[0] == ':' && Slice(value.text, op.substr(1))) {
    value.obfuscation = 2;
  } else if (op == "^^" || op == ",,") {
    for (char& c : value.text) {
      if (op == "^^" && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
      if (op == ",," && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
  } else if (op[0] == '/') {
    Replace(value.text, op.substr(1));
  } else if (op[0] == '#' || op[0] == '%') {
    std::string_view pattern = op.substr(op.size() > 1 && op[1] == op[0] ? 2 : 1);
    if (pattern.find_first_of("*?[") != std::string_view::npos) {
      value.text = std::string(1, kUnknownChar);
      value.constant = false;
    } else if (op[0] == '#' && value.text.starts_with(pattern)) {
      value.text.erase(0, pattern.size());
    } else if (op[0] == '%' && value.text.ends_with(pattern)) {
      value.text.erase(value.text.size() - pattern.size());
    }
  } else {
    value.text = std::string(1, kUnknownChar);
    value.constant = false;
  }
  PutValue(piece, value, quoted);
}

bool WordLexer::SkipArithmetic(std::size_t from) {
  int open = 0;
  std::size_t close = from;
  for (;; ++close) {
    if (close >= end_ || !b_.Scan()) return false;
    char c = t_[close];
    if (c == '(') ++open;
    if (c == ')' && open-- == 0) break;
  }
  if (close + 1 >= end_ || t_[close + 1] != ')') return false;
  // Substitutions run inside arithmetic too.
  p_ = from;
  Piece ignored;
  while (p_ < close) {
    if (t_[p_] == '$' && Peek(1) == '(' && Peek(2) != '(') {
      LexDollar(ignored, true);
    } else if (t_[p_] == '`') {
      LexBacktick(ignored, true);
    } else {
      ++p_;
    }
  }
  p_ = std::max(p_, close + 2);
  return true;
}

ShellWord WordLexer::HereDocument(bool strip) {
  std::size_t begin = p_;
  std::string delimiter;
  bool quoted = false;
  while (p_ < end_ && !IsMeta(t_[p_]) && delimiter.size() < 256) {
    char c = t_[p_++];
    if (c == '\'' || c == '"') {
      quoted = true;
      while (p_ < end_ && t_[p_] != c && t_[p_] != '\n') delimiter += t_[p_++];
      if (Peek() == c) ++p_;
    } else if (c == '\\') {
      quoted = true;
    } else {
      delimiter += c;
    }
  }
  ShellWord body;
  body.loc = At(begin, p_);
  if (heredoc_line_ == std::string_view::npos || heredoc_line_ < p_) {
    std::size_t line = p_ <= no_newline_ ? std::min(t_.find('\n', p_), end_) : end_;
    if (line >= end_) {
      no_newline_ = std::min(no_newline_, p_);
      return body;
    }
    heredoc_line_ = line;
    heredoc_resume_ = line + 1;
  }
  std::size_t start = heredoc_resume_;
  std::size_t line = start;
  std::size_t stop = end_;
  while (line < end_) {
    std::size_t newline = std::min(t_.find('\n', line), end_);
    std::string_view text = t_.substr(line, newline - line);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (strip) {
      while (!text.empty() && text[0] == '\t') text.remove_prefix(1);
    }
    if (text == delimiter) {
      stop = line;
      line = std::min(newline + 1, end_);
      break;
    }
    line = newline + 1;
  }
  stop = std::min(stop, end_);
  heredoc_resume_ = std::min(std::max(line, stop), end_);
  body.loc = At(start, stop);
  Piece piece;
  if (quoted) {
    if (b_.Spend((stop - start) / 8)) piece.text = std::string(t_.substr(start, stop - start));
  } else if (b_.depth < kMaxDepth) {
    ++b_.depth;
    BodyOf(piece, start, stop);
    --b_.depth;
  } else {
    piece.Unknown();
  }
  if (strip) {
    std::string stripped;
    bool line_start = true;
    for (char c : piece.text) {
      if (line_start && c == '\t') continue;
      line_start = c == '\n';
      stripped += c;
    }
    piece.text = std::move(stripped);
  }
  body.text = std::move(piece.text);
  body.constant = piece.constant;
  body.commands = std::move(piece.commands);
  body.variables = std::move(piece.variables);
  return body;
}

}  // namespace interlock::scan::code::shell
