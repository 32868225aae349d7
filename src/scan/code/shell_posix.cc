// POSIX shells (and what bash, zsh and ksh add): one pass over the text, recursive only in substitutions, whose depth
// is capped. Compound commands are a stack of frames; their commands come out flat, in program order.
#include <algorithm>
#include <tuple>
#include <utility>

#include "code/shell_internal.h"
#include "code/shell_words.h"

namespace interlock::scan::code::shell {
namespace {

struct Frame {
  enum Kind : std::uint8_t { kRoot, kGroup, kSubshell, kIf, kLoop, kCase };
  Kind kind = kRoot;
  bool raised = false;   // counts in condition_depth
  bool pattern = false;  // kCase: a pattern comes next
  std::uint32_t pipe_in = kNone;
  std::uint32_t pipe_in_first = kNone;
  std::uint32_t first = 0;
  std::string function = {};
  std::string folder = {};           // in which it begins
  std::string variable = {};         // kLoop: of `for`, `while read` (ReadBy()), ...
  std::vector<Variable> turns = {};  // ... what it is when the body is read again, the next one last
  std::size_t body = 0;              // ... and where that begins
  bool fed = false;                  // kLoop: read for the lines that stand behind it
};

class Parser final : public WordLexer {
 public:
  using WordLexer::WordLexer;

  void ParseAll(std::uint32_t pipe_from) {
    std::vector<std::uint32_t> outputs;
    while (p_ < end_) {
      std::size_t before = p_;
      ParseList('\0', pipe_from, outputs);
      if (p_ == before) ++p_;  // a stray parenthesis
      outputs.clear();
    }
  }

 private:
  void SkipBlanks() {
    while (p_ < end_) {
      if (IsBlank(t_[p_])) {
        ++p_;
      } else if (t_[p_] == '\\' && Peek(1) == '\n') {
        p_ += 2;
      } else if (t_[p_] == '\\' && Peek(1) == '\r' && Peek(2) == '\n') {
        p_ += 3;
      } else {
        return;
      }
    }
  }

  void Comment() {
    std::size_t begin = p_;
    std::size_t line = t_.find('\n', p_);
    p_ = std::min(line, end_);
    const auto& known = b_.out().comments;  // of a loop's body that is read again
    if (!is_fixed_ && (known.empty() || known.back().loc.begin < begin)) {
      b_.out().comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(p_)}});
    }
  }

  void Newline() {
    if (heredoc_line_ == p_ && heredoc_line_ != std::string_view::npos) {
      p_ = heredoc_resume_;
      heredoc_line_ = std::string_view::npos;
    } else {
      ++p_;
    }
  }

  // ---- commands

  // Commands up to `close` (')' of a substitution, which is consumed) or the end. `outputs`: those whose output the
  // list's own output is.
  void ParseList(char close, std::uint32_t pipe_in, std::vector<std::uint32_t>& outputs) {
    std::size_t base = frames_.size();
    frames_.push_back({.kind = Frame::kRoot, .pipe_in = pipe_in, .first = Count()});
    std::uint16_t condition_before = b_.condition_depth;
    pipe_ = pipe_in;
    pipe_first_ = kNone;
    last_ = kNone;
    last_first_ = kNone;
    auto finish = [&] {
      if (last_ != kNone && outputs.size() < kMaxLinks) outputs.push_back(last_);
      last_ = last_first_ = kNone;
      pipe_ = frames_.back().pipe_in;
      pipe_first_ = frames_.back().pipe_in_first;
    };
    bool after_pipe = false;
    while (b_.Step()) {
      SkipBlanks();
      if (p_ >= end_) break;
      char c = t_[p_];
      if (frames_.size() > base + 1 && frames_.back().kind == Frame::kCase && frames_.back().pattern) {
        CasePattern(base);
        continue;
      }
      if (c == '\n') {
        Newline();
        if (!after_pipe) finish();
        continue;
      }
      if (c == '#') {
        Comment();
        continue;
      }
      if (c == ';') {
        ++p_;
        if (Peek() == ';' || Peek() == '&') {
          while (Peek() == ';' || Peek() == '&') ++p_;
          if (frames_.back().kind == Frame::kCase) {
            frames_.back().pattern = true;
            branches_.Next();
          }
        }
        finish();
        continue;
      }
      if (c == '&' && Peek(1) != '>') {
        ++p_;
        if (Peek() == '&') {
          ++p_;
          may_ = true;
        } else if (last_ != kNone) {
          b_.out().commands[last_].background = true;
        }
        finish();
        continue;
      }
      if (c == '|') {
        ++p_;
        if (Peek() == '|') {
          ++p_;
          may_ = true;
          finish();
        } else {
          if (Peek() == '&') ++p_;
          pipe_ = last_;
          pipe_first_ = last_first_;
          last_ = last_first_ = kNone;
          after_pipe = true;
        }
        continue;
      }
      after_pipe = false;
      if (c == '(') {
        if (Peek(1) == '(' && SkipArithmetic(p_ + 2)) continue;
        ++p_;
        Push(Frame::kSubshell);
        continue;
      }
      if (c == ')') {
        if (Pop(Frame::kSubshell, base)) {
          ++p_;
          TrailingRedirects();
          continue;
        }
        if (close != ')') ++p_;  // stray
        if (close == ')') {
          ++p_;
          break;
        }
        continue;
      }
      if (Keyword(base)) continue;
      Simple();
    }
    finish();
    while (frames_.size() > base) Drop();
    b_.condition_depth = condition_before;
  }

  std::vector<std::uint32_t> Commands() override {
    auto saved = std::tuple(pipe_, pipe_first_, last_, last_first_, std::exchange(function_, {}));
    const std::string folder = b_.folder;
    std::vector<std::uint32_t> outputs;
    // ... | tee >(nc host 9): what is in the brackets reads what the command does.
    ParseList(')', std::exchange(fed_, false) ? pipe_ : kNone, outputs);
    std::tie(pipe_, pipe_first_, last_, last_first_, function_) = std::move(saved);
    b_.folder = folder;
    return outputs;
  }

  std::vector<std::uint32_t> CommandsIn(std::string_view text, std::size_t begin, std::size_t end,
                                        const Loc* at) override {
    std::vector<std::uint32_t> outputs;
    Parser inner(text, begin, end, at, b_);
    inner.ParseList('\0', kNone, outputs);
    return outputs;
  }

  void BodyOf(Piece& piece, std::size_t begin, std::size_t end) override {
    Parser(t_, begin, end, is_fixed_ ? &fixed_ : nullptr, b_).LexBody(piece);
  }

  std::uint32_t Count() const { return static_cast<std::uint32_t>(b_.out().commands.size()); }

  static bool MayBeLeftOut(Frame::Kind kind) {
    return kind == Frame::kIf || kind == Frame::kLoop || kind == Frame::kCase;
  }

  void Push(Frame::Kind kind) {
    if (MayBeLeftOut(kind)) branches_.Open();
    frames_.push_back({.kind = kind, .pipe_in = pipe_, .pipe_in_first = pipe_first_, .first = Count()});
    if (kind == Frame::kGroup || kind == Frame::kSubshell) frames_.back().function = std::exchange(function_, {});
    frames_.back().folder = b_.folder;
    last_ = last_first_ = kNone;
  }

  void Drop() {
    if (MayBeLeftOut(frames_.back().kind)) branches_.Close();
    if (frames_.back().kind == Frame::kSubshell || !frames_.back().function.empty()) b_.folder = frames_.back().folder;
    frames_.pop_back();
  }

  void RaiseTop() {
    if (!frames_.back().raised && b_.condition_depth < 0xFFFF) {
      frames_.back().raised = true;
      ++b_.condition_depth;
    }
  }

  // Closes the innermost frame of that kind, and what was left open in it.
  bool Pop(Frame::Kind kind, std::size_t base) {
    // What is open beyond a few frames was never meant to be closed here; looking at all of them would be quadratic.
    std::size_t at = frames_.size();
    std::size_t limit = std::max(base + 1, at > 8 ? at - 8 : 0);
    while (at > limit && frames_[at - 1].kind != kind) --at;
    if (at <= limit) return false;
    --at;
    std::uint32_t first = frames_[at].first;
    pipe_ = frames_[at].pipe_in;
    pipe_first_ = frames_[at].pipe_in_first;
    std::string function = frames_[at].function;
    while (frames_.size() > at) {
      if (frames_.back().raised && b_.condition_depth > 0) --b_.condition_depth;
      Drop();
    }
    last_ = Count() > first ? Count() - 1 : kNone;
    last_first_ = last_ == kNone ? kNone : first;
    if (!function.empty()) {
      b_.out().functions.push_back({std::move(function), first, Count()});
      last_ = last_first_ = kNone;
    }
    return true;
  }

  static bool IsOutput(std::string_view op) {
    return op == ">" || op == ">>" || op == "&>" || op == "1>" || op == "1>>";
  }
  // Its output goes into a pipe, or to a place of its own.
  [[nodiscard]] bool IsTaken(std::uint32_t command) const {
    const auto& commands = b_.out().commands;
    for (std::uint32_t i = command + 1; i <= last_; ++i) {
      const std::uint32_t from = commands[i].pipe_from;
      const std::uint32_t first = commands[i].pipe_first == kNone ? from : commands[i].pipe_first;
      if (from != kNone && first <= command && command <= from) return true;
    }
    return std::ranges::any_of(commands[command].redirects, [](const auto& one) { return IsOutput(one.first); });
  }

  void Feed(std::string_view op, const ShellWord& from) {
    if (op == "<<" || op == "<<<") {
      fed_lines_ = LinesOf(from, false);
    } else if (from.commands.size() == 1) {
      fed_lines_ = PrintedLines(b_.out(), from.commands[0], false);
    }
  }

  // `done < file`, `} | x`: the redirections of a compound command.
  void TrailingRedirects() {
    fed_lines_.clear();
    while (b_.Step()) {
      SkipBlanks();
      std::size_t digits = 0;
      while (IsDigit(Peek(digits)) && digits < 4) ++digits;
      char c = Peek(digits);
      if (!(c == '<' || c == '>' || (c == '&' && Peek(1) == '>'))) return;
      ShellCommand holder;
      Redirect(holder, digits);
      if (last_ == kNone || holder.redirects.empty()) continue;
      auto& commands = b_.out().commands;
      const std::string& op = holder.redirects[0].first;
      const bool input = op.starts_with('<');
      const bool output = IsOutput(op);
      if (input) Feed(op, holder.redirects[0].second);
      std::uint32_t first = (input || output) && last_first_ != kNone ? last_first_ : last_;
      // { env; cat notes; } > all: every one of them, but for what goes into a pipe or has a place of its own.
      const std::uint32_t most = input ? 16 : 64;
      if (output && last_ - first >= most) first = last_ - most + 1;
      for (std::uint32_t i = first; i <= last_ && i < first + most; ++i) {
        if (input && (commands[i].pipe_from != kNone || commands[i].words.empty())) continue;
        if (output && i != last_ && IsTaken(i)) continue;
        commands[i].redirects.push_back(holder.redirects[0]);
      }
    }
  }

  void CasePattern(std::size_t base) {
    while (p_ < end_ && (IsBlank(t_[p_]) || t_[p_] == '\n')) {
      if (t_[p_] == '\n') {
        Newline();
      } else {
        ++p_;
      }
    }
    if (Peek() == '#') {
      Comment();
      return;
    }
    if (RawWord() == "esac") {
      p_ += 4;
      if (!Pop(Frame::kCase, base)) frames_.back().pattern = false;
      TrailingRedirects();
      return;
    }
    if (Peek() == '(') ++p_;
    while (p_ < end_ && t_[p_] != ')' && t_[p_] != '\n') {
      if (t_[p_] == '\\') ++p_;
      ++p_;
    }
    p_ = std::min(p_, end_);
    if (Peek() == ')') ++p_;
    frames_.back().pattern = false;
  }

  std::string_view RawWord() const {
    std::size_t q = p_;
    while (q < end_ && q < p_ + 16 && !IsMeta(t_[q])) ++q;
    return t_.substr(p_, q - p_);
  }

  bool Keyword(std::size_t base) {
    std::string_view word = RawWord();
    if (word.empty() || word.size() > 8) return false;
    auto eat = [&] { p_ += word.size(); };
    switch (word[0]) {
      case 'i':
        if (word != "if") return false;
        eat();
        Push(Frame::kIf);
        return true;
      case 't':
        if (word != "then") return false;
        eat();
        RaiseTop();
        return true;
      case 'e':
        if (word == "else" || word == "elif") {
          eat();
          if (frames_.back().kind == Frame::kIf) branches_.Next();
          return true;
        }
        if (word == "esac") {
          eat();
          if (Pop(Frame::kCase, base)) TrailingRedirects();
          return true;
        }
        return false;
      case 'f':
        if (word == "fi") {
          eat();
          if (Pop(Frame::kIf, base)) TrailingRedirects();
          return true;
        }
        if (word == "for") {
          eat();
          For();
          return true;
        }
        if (word == "function") {
          eat();
          SkipBlanks();
          std::string_view name = RawWord();
          p_ += name.size();
          function_ = std::string(name);
          SkipBlanks();
          if (Peek() == '(') {
            ++p_;
            SkipBlanks();
            if (Peek() == ')') ++p_;
          }
          return true;
        }
        return false;
      case 's':
        if (word != "select") return false;
        eat();
        For();
        return true;
      case 'w':
      case 'u':
        if (word != "while" && word != "until") return false;
        eat();
        WhileRead();
        return true;
      case 'd':
        if (word == "do") {
          eat();
          RaiseTop();
          return true;
        }
        if (word == "done") {
          Done(base);
          return true;
        }
        return false;
      case 'c':
        if (word == "coproc") {
          eat();
          return true;
        }
        if (word != "case") return false;
        eat();
        Case();
        return true;
      case '{':
        if (word != "{") return false;
        eat();
        Push(Frame::kGroup);
        return true;
      case '}':
        if (word != "}") return false;
        eat();
        if (Pop(Frame::kGroup, base)) TrailingRedirects();
        return true;
      case '!':
        if (word != "!") return false;
        eat();
        return true;
      case '$':
        // A prompt in front of a command, as manuals write it.
        if (word != "$" || !IsBlank(Peek(1))) return false;
        eat();
        return true;
      default:
        return false;
    }
  }

  void For() {
    SkipBlanks();
    if (Peek() == '(' && Peek(1) == '(') {
      SkipArithmetic(p_ + 2);
      Push(Frame::kLoop);
      return;
    }
    std::string name(RawWord());
    p_ += name.size();
    SkipBlanks();
    std::vector<ShellWord> values;
    if (RawWord() == "in") {
      p_ += 2;
      while (b_.Step()) {
        SkipBlanks();
        if (p_ >= end_ || IsMeta(t_[p_])) break;
        Words(values, false);
      }
    }
    Loop(std::move(name), TurnsOf(std::move(values)));
  }

  // A body that is read for each value of the variable; no value: for what it is.
  void Loop(std::string name, std::vector<Variable> turns) {
    if (!name.empty() && !turns.empty()) {
      GiveTurn(b_.variables, name, std::move(turns.back()));
      turns.pop_back();
    }
    Push(Frame::kLoop);
    Frame& loop = frames_.back();
    loop.variable = std::move(name);
    loop.turns = std::move(turns);
    loop.body = p_;
  }

  // while read -r file; do ... done: for each line of what is printed into it, ...
  void WhileRead() {
    std::string name = ReadBy(t_.substr(p_, end_ - p_));
    std::vector<ShellWord> lines;
    if (!name.empty() && pipe_ != kNone) lines = PrintedLines(b_.out(), pipe_, false);
    Loop(std::move(name), lines.empty() ? std::vector<Variable>() : TurnsOf(std::move(lines)));
  }

  // ... or that stands behind it: done <<END, done < <(printf ...).
  void Done(std::size_t base) {
    if (Again()) return;
    p_ += std::string_view("done").size();
    const bool is_loop = frames_.back().kind == Frame::kLoop;
    const std::size_t body = frames_.back().body;
    std::string name = is_loop && !frames_.back().fed ? frames_.back().variable : std::string();
    if (!Pop(Frame::kLoop, base)) return;
    TrailingRedirects();
    if (name.empty() || fed_lines_.empty() || !b_.Reread(p_ - body)) return;
    Reread(body);
    Loop(std::move(name), TurnsOf(std::move(fed_lines_)));
    frames_.back().fed = true;
  }

  void Reread(std::size_t from) {
    p_ = from;
    heredoc_line_ = std::string_view::npos;
  }

  // At `done`: once more, with the variable's next value.
  bool Again() {
    Frame& loop = frames_.back();
    if (loop.kind != Frame::kLoop || loop.turns.empty()) return false;
    if (!b_.Reread(p_ - loop.body)) return false;
    GiveTurn(b_.variables, loop.variable, std::move(loop.turns.back()));
    loop.turns.pop_back();
    Reread(loop.body);
    pipe_ = loop.pipe_in;
    pipe_first_ = loop.pipe_in_first;
    last_ = last_first_ = kNone;
    return true;
  }

  void Case() {
    SkipBlanks();
    std::vector<ShellWord> words;
    if (p_ < end_ && !IsMeta(t_[p_])) Words(words, true);
    while (p_ < end_ && (IsBlank(t_[p_]) || t_[p_] == '\n')) ++p_;
    if (RawWord() == "in") p_ += 2;
    Push(Frame::kCase);
    frames_.back().pattern = true;
    RaiseTop();
  }

  static bool DeclaresNames(std::string_view program) {
    return program == "export" || program == "local" || program == "declare" || program == "readonly" ||
           program == "typeset";
  }

  void Simple() {
    ShellCommand command;
    std::size_t begin = p_;
    std::size_t last_end = p_;
    bool test = false;
    const bool may = std::exchange(may_, false);
    while (b_.Step()) {
      SkipBlanks();
      if (p_ >= end_) break;
      char c = t_[p_];
      if (test) {
        // Inside [[ ]] the operators are words.
        if (c == '\n' && !command.words.empty() && command.words.back().text == "]]") break;
        if (IsMeta(c)) {
          if (c == '\n') {
            Newline();
          } else {
            ++p_;
          }
          continue;
        }
        std::size_t size = command.words.size();
        Words(command.words, true);
        last_end = p_;
        if (command.words.size() > size && command.words.back().text == "]]") break;
        continue;
      }
      if (c == '#') {
        Comment();
        break;
      }
      std::size_t digits = 0;
      while (IsDigit(Peek(digits)) && digits < 4) ++digits;
      char after = Peek(digits);
      if (((after == '<' || after == '>') && !(Peek(digits + 1) == '(' && digits == 0)) ||
          (c == '&' && Peek(1) == '>')) {
        Redirect(command, digits);
        last_end = p_;
        continue;
      }
      if ((c == '<' || c == '>') && Peek(1) == '(') {
        Words(command.words, true);
        last_end = p_;
        continue;
      }
      if (c == '(' && command.words.size() == 1 && command.assignments.empty()) {
        std::size_t q = p_ + 1;
        while (q < end_ && IsBlank(t_[q])) ++q;
        if (q < end_ && t_[q] == ')') {
          p_ = q + 1;
          function_ = command.words[0].text;
          return;
        }
      }
      if (IsMeta(c)) break;
      bool names = command.words.empty() || DeclaresNames(command.words[0].text);
      if (names && Assignment(command, may)) {
        last_end = p_;
        continue;
      }
      std::size_t size = command.words.size();
      Words(command.words, false);
      last_end = p_;
      if (size == 0 && command.words.size() == 1 && command.words[0].text == "[[") test = true;
    }
    if (command.words.empty() && command.assignments.empty() && command.redirects.empty()) {
      if (p_ < end_ && p_ == begin) ++p_;
      return;
    }
    command.loc = At(begin, last_end);
    command.pipe_from = pipe_;
    command.pipe_first = pipe_first_;
    last_ = b_.Add(std::move(command));
    last_first_ = kNone;
  }

  // NAME=value, NAME+=value, NAME[i]=value, NAME=(a b c).
  bool Assignment(ShellCommand& command, bool may) {
    if (!IsNameStart(Peek())) return false;
    std::size_t q = p_;
    while (q < end_ && IsNameChar(t_[q])) ++q;
    std::string_view name = t_.substr(p_, q - p_);
    if (q < end_ && t_[q] == '[') {
      std::size_t stop = std::min(end_, q + 256);
      std::size_t r = q;
      while (r < stop && t_[r] != ']' && t_[r] != '\n') ++r;
      if (r >= stop || t_[r] != ']') return false;
      q = r + 1;
    }
    bool append = q + 1 < end_ && t_[q] == '+' && t_[q + 1] == '=';
    if (append) ++q;
    if (q >= end_ || t_[q] != '=') return false;
    std::size_t begin = p_;
    p_ = q + 1;
    Variable variable;
    if (append) {
      auto found = b_.variables.find(std::string(name));
      if (found != b_.variables.end()) variable = found->second;
      if (!variable.text.empty()) variable.obfuscation = std::max<std::uint8_t>(variable.obfuscation, 1);
    }
    auto add = [&](ShellWord& word, bool blank) {
      if (blank) variable.text += ' ';
      if (b_.Spend(word.text.size()) && variable.text.size() + word.text.size() < kMaxWordBytes) {
        variable.text += word.text;
        variable.constant &= word.constant;
      } else {
        variable.text += kUnknownChar;
        variable.constant = false;
      }
      variable.obfuscation = std::max(variable.obfuscation, word.obfuscation);
      if (variable.other.empty()) variable.other = word.other;
      variable.commands.insert(variable.commands.end(), word.commands.begin(), word.commands.end());
      if (variable.commands.size() > kMaxLinks) variable.commands.resize(kMaxLinks);
      variable.variables.insert(variable.variables.end(), word.variables.begin(), word.variables.end());
      if (variable.variables.size() > kMaxLinks) variable.variables.resize(kMaxLinks);
    };
    if (Peek() == '(') {
      ++p_;
      bool any = append && !variable.text.empty();
      while (b_.Step()) {
        while (p_ < end_ && (IsBlank(t_[p_]) || t_[p_] == '\n')) ++p_;
        if (p_ >= end_ || t_[p_] == ')') break;
        if (t_[p_] == '#') {
          Comment();
          continue;
        }
        if (IsMeta(t_[p_])) {
          ++p_;
          continue;
        }
        std::vector<ShellWord> words;
        Words(words, true);
        for (ShellWord& word : words) {
          add(word, any);
          any = true;
        }
      }
      if (Peek() == ')') ++p_;
    } else if (p_ < end_ && !IsMeta(t_[p_])) {
      Piece piece;
      piece.no_split = true;
      Word(piece);
      ShellWord word = Finish(std::move(piece), begin);
      add(word, false);
    }
    ShellWord value;
    value.text = variable.text;
    value.constant = variable.constant;
    value.commands = variable.commands;
    value.variables = variable.variables;
    value.obfuscation = variable.obfuscation;
    value.loc = At(begin, p_);
    branches_.Set(std::string(name), std::move(variable), may);
    command.assignments.emplace_back(name, std::move(value));
    return true;
  }

  void Redirect(ShellCommand& command, std::size_t digits) {
    std::string op;
    std::string_view number = t_.substr(p_, digits);
    p_ += digits;
    auto take = [&](std::string_view candidate) {
      if (t_.substr(p_, std::min(candidate.size(), end_ - p_)) != candidate) return false;
      op = candidate;
      p_ += candidate.size();
      return true;
    };
    for (std::string_view candidate : {"&>>", "<<<", "<<-", "&>", "<<", ">>", "<&", ">&", "<>", ">|", "<", ">"}) {
      if (take(candidate)) break;
    }
    if (op == "<<" || op == "<<-") {
      SkipBlanks();
      ShellWord body = HereDocument(op == "<<-");
      command.redirects.emplace_back("<<", std::move(body));
      return;
    }
    if (op == ">|") op = ">";
    SkipBlanks();
    std::vector<ShellWord> words;
    if (p_ < end_ && (!IsMeta(t_[p_]) || ((t_[p_] == '<' || t_[p_] == '>') && Peek(1) == '('))) Words(words, true);
    if (words.empty()) return;
    if (number == "2" && op[0] == '>') op.insert(0, "2");
    command.redirects.emplace_back(std::move(op), std::move(words[0]));
  }

  std::vector<Frame> frames_;
  Branches branches_{b_.variables};
  std::vector<ShellWord> fed_lines_;  // lines of what stood behind a compound command, where they are known
  bool may_ = false;                  // the command that comes runs if the one before it says so
  std::uint32_t pipe_ = kNone;
  std::uint32_t pipe_first_ = kNone;
  std::uint32_t last_ = kNone;
  std::uint32_t last_first_ = kNone;
  std::string function_;  // name seen, body to come
};

}  // namespace

void ParsePosix(std::string_view text, const Loc* at, Builder& builder, std::uint32_t pipe_from) {
  Parser parser(text, 0, text.size(), at, builder);
  parser.ParseAll(pipe_from);
}

void ParsePosixPart(std::string_view text, std::size_t begin, Builder& builder, std::uint32_t pipe_from) {
  Parser parser(text, begin, text.size(), nullptr, builder);
  parser.ParseAll(pipe_from);
}

}  // namespace interlock::scan::code::shell
