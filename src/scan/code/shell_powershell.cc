// PowerShell: enough of its syntax to see what is fetched, decoded, run and written.
#include <algorithm>
#include <utility>

#include "code/shell_internal.h"
#include "static/ascii.h"

namespace interlock::scan::code::shell {
namespace {

constexpr std::size_t kMaxLinks = 16;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class PowerShellParser {
 public:
  PowerShellParser(std::string_view text, const Loc* at, Builder& builder) : t_(text), b_(builder) {
    if (at != nullptr) {
      fixed_ = *at;
      is_fixed_ = true;
    }
  }

  void ParseAll() {
    while (p_ < t_.size()) {
      std::size_t before = p_;
      Block('\0', kNone);
      if (p_ == before) ++p_;
    }
  }

 private:
  struct BlockResult {
    std::vector<std::uint32_t> outputs;
    // The block is one constant and nothing else.
    bool constant = false;
    ShellWord word;
  };

  Loc At(std::size_t begin, std::size_t end) const {
    if (is_fixed_) return fixed_;
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  char Peek(std::size_t ahead = 0) const { return p_ + ahead < t_.size() ? t_[p_ + ahead] : '\0'; }

  void SkipBlanks(bool lines) {
    while (p_ < t_.size()) {
      char c = t_[p_];
      if (IsBlank(c) || (lines && c == '\n')) {
        ++p_;
      } else if (c == '`' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
        p_ += Peek(1) == '\n' ? 2U : 3U;
      } else if (c == '<' && Peek(1) == '#') {
        std::size_t begin = p_;
        std::size_t close = t_.find("#>", p_ + 2);
        p_ = close == std::string_view::npos ? t_.size() : close + 2;
        Comment(begin);
      } else {
        return;
      }
    }
  }
  void Comment(std::size_t begin) {
    if (is_fixed_) return;
    b_.out().comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(p_)}});
  }

  BlockResult Block(char close, std::uint32_t pipe_in) {
    BlockResult result;
    if (b_.depth >= kMaxDepth) {
      b_.out().complete = false;
      p_ = t_.size();
      return result;
    }
    ++b_.depth;
    std::uint32_t pipe = pipe_in;
    std::uint32_t last = kNone;
    std::size_t elements = 0;
    auto finish = [&] {
      if (last != kNone && result.outputs.size() < kMaxLinks) result.outputs.push_back(last);
      last = kNone;
      pipe = pipe_in;
    };
    while (b_.Step()) {
      SkipBlanks(false);
      if (p_ >= t_.size()) break;
      char c = t_[p_];
      if (c == close && close != '\0') {
        ++p_;
        break;
      }
      if (c == ')' || c == '}') {
        if (close != '\0') break;  // unbalanced: the outer block closes
        ++p_;
        continue;
      }
      if (c == '\n' || c == ';') {
        ++p_;
        finish();
        continue;
      }
      if (c == '#') {
        std::size_t begin = p_;
        p_ = std::min(t_.find('\n', p_), t_.size());
        Comment(begin);
        continue;
      }
      if (c == '|') {
        ++p_;
        if (Peek() == '|') {
          ++p_;
          finish();
        } else {
          pipe = last;
          last = kNone;
          SkipBlanks(true);
        }
        continue;
      }
      if (c == '&') {
        ++p_;
        if (Peek() == '&') {
          ++p_;
          finish();
        }
        continue;
      }
      std::size_t before = p_;
      ++elements;
      std::uint32_t made = Element(pipe, result, close);
      if (made != kNone) last = made;
      if (p_ == before) ++p_;
    }
    finish();
    if (elements != 1) result.constant = false;
    --b_.depth;
    return result;
  }

  // One command, assignment or expression. Expressions that are no command leave their value in `result`.
  std::uint32_t Element(std::uint32_t pipe, BlockResult& result, char close) {
    std::size_t begin = p_;
    if (Peek() == '.' && IsBlank(Peek(1))) ++p_;
    SkipBlanks(false);
    if (Peek() == '$' && (IsNameStart(Peek(1)) || Peek(1) == '{')) {
      std::size_t q = p_ + 1;
      while (q < t_.size() && (IsNameStart(t_[q]) || IsDigit(t_[q]) || t_[q] == ':')) ++q;
      std::size_t name_end = q;
      while (q < t_.size() && IsBlank(t_[q])) ++q;
      bool append = q + 1 < t_.size() && t_[q] == '+' && t_[q + 1] == '=';
      if (append) ++q;
      if (name_end > p_ + 1 && q < t_.size() && t_[q] == '=' && !(q + 1 < t_.size() && t_[q + 1] == '=')) {
        return Assign(begin, name_end, q + 1, append);
      }
    }
    ShellCommand command;
    bool expression =
        Peek() == '"' || Peek() == '\'' || Peek() == '$' || Peek() == '(' || Peek() == '[' || Peek() == '@';
    bool called = begin > 0 && t_.substr(0, begin).find_last_not_of(" \t") != std::string_view::npos &&
                  t_[t_.substr(0, begin).find_last_not_of(" \t")] == '&';
    if (called || t_[begin] == '.') expression = false;
    std::size_t last_end = p_;
    bool plus = false;
    while (b_.Step()) {
      SkipBlanks(false);
      if (p_ >= t_.size()) break;
      char c = t_[p_];
      if (c == '\n' || c == ';' || c == '|' || c == ')' || c == '}' || (c == close && close != '\0')) break;
      if (c == '#') break;
      if (c == '&') break;
      if (c == ',') {
        ++p_;
        SkipBlanks(true);
        continue;
      }
      if (c == '>' || ((c == '2' || c == '*' || c == '1') && Peek(1) == '>')) {
        bool error = c == '2';
        if (c != '>') ++p_;
        ++p_;
        bool append = Peek() == '>';
        if (append) ++p_;
        SkipBlanks(false);
        if (Peek() == '&') {
          p_ = std::min(p_ + 2, t_.size());
          continue;
        }
        ShellWord word;
        if (Word(word, pipe)) command.redirects.emplace_back((error ? "2>" : append ? ">>" : ">"), std::move(word));
        last_end = p_;
        continue;
      }
      if (c == '+' && (IsBlank(Peek(1)) || Peek(1) == '\'' || Peek(1) == '"' || Peek(1) == '(' || Peek(1) == '$' ||
                       Peek(1) == '[')) {
        ++p_;
        SkipBlanks(true);
        plus = true;
        continue;
      }
      ShellWord word;
      std::size_t before = p_;
      if (!Word(word, pipe)) {
        if (p_ == before) ++p_;
        continue;
      }
      last_end = p_;
      if (plus && !command.words.empty()) {
        ShellWord& left = command.words.back();
        if (b_.Spend(word.text.size())) left.text += word.text;
        left.constant &= word.constant;
        left.obfuscation = std::max({left.obfuscation, word.obfuscation, std::uint8_t{1}});
        left.commands.insert(left.commands.end(), word.commands.begin(), word.commands.end());
        if (left.commands.size() > kMaxLinks) left.commands.resize(kMaxLinks);
        left.variables.insert(left.variables.end(), word.variables.begin(), word.variables.end());
        left.loc.end = word.loc.end;
        plus = false;
        continue;
      }
      plus = false;
      command.words.push_back(std::move(word));
    }
    if (command.words.empty()) return kNone;
    if (expression) {
      Format(command);
      // A value: what runs in it is linked already.
      ShellWord& first = command.words[0];
      if (command.words.size() == 1 && first.constant && command.redirects.empty()) {
        result.constant = true;
        result.word = first;
      }
      for (const ShellWord& word : command.words) {
        for (std::uint32_t link : word.commands) {
          if (result.outputs.size() < kMaxLinks) result.outputs.push_back(link);
        }
      }
      bool piped = false;
      std::size_t q = p_;
      while (q < t_.size() && IsBlank(t_[q])) ++q;
      piped = q < t_.size() && t_[q] == '|';
      if (!piped && command.redirects.empty()) return kNone;
      // Its value goes on: as if it were echoed.
      ShellWord echo;
      echo.text = "echo";
      echo.loc = At(begin, begin);
      command.words.insert(command.words.begin(), std::move(echo));
    }
    command.loc = At(begin, last_end);
    command.pipe_from = pipe;
    return b_.Add(std::move(command));
  }

  // "{1}{0}" -f "x", "ie": the words in the places that the first one gives them.
  void Format(ShellCommand& command) {
    std::vector<ShellWord>& words = command.words;
    if (words.size() < 3 || words.size() > 64 || LowerCase(words[1].text) != "-f" || !command.redirects.empty()) return;
    for (const ShellWord& word : words) {
      if (!word.constant) return;
    }
    std::string made;
    const std::string form = words[0].text;
    for (std::size_t i = 0; i < form.size() && made.size() < kMaxWordBytes; ++i) {
      std::size_t end = form[i] == '{' ? form.find('}', i) : std::string::npos;
      std::size_t number = 0;
      bool digits = end != std::string::npos && end > i + 1 && end - i <= 3;
      for (std::size_t k = i + 1; digits && k < end; ++k) {
        digits = IsDigit(form[k]);
        number = number * 10 + static_cast<std::size_t>(form[k] - '0');
      }
      if (!digits || number + 2 >= words.size()) {
        made += form[i];
        continue;
      }
      made += words[number + 2].text;
      i = end;
    }
    if (!b_.Spend(made.size())) return;
    words[0].text = std::move(made);
    words[0].obfuscation = std::max<std::uint8_t>(words[0].obfuscation, 1);
    words.resize(1);
  }

  std::uint32_t Assign(std::size_t begin, std::size_t name_end, std::size_t value_begin, bool append) {
    std::string name = LowerCase(t_.substr(begin + 1, name_end - begin - 1));
    p_ = value_begin;
    BlockResult result;
    SkipBlanks(true);
    std::uint32_t made = kNone;
    std::uint32_t pipe = kNone;
    while (b_.Step() && p_ < t_.size()) {
      std::size_t before = p_;
      std::uint32_t next = Element(pipe, result, '\0');
      if (next != kNone) made = next;
      SkipBlanks(false);
      if (Peek() == '|' && Peek(1) != '|') {
        ++p_;
        pipe = made;
        SkipBlanks(true);
        continue;
      }
      if (p_ == before) ++p_;
      break;
    }
    Variable variable;
    if (append) {
      auto found = b_.variables.find(name);
      if (found != b_.variables.end()) variable = found->second;
    }
    if (made == kNone && result.constant && b_.Spend(result.word.text.size()) &&
        variable.text.size() + result.word.text.size() < kMaxWordBytes) {
      variable.text += result.word.text;
      variable.obfuscation = std::max(variable.obfuscation, result.word.obfuscation);
    } else {
      variable.text = std::string(1, kUnknownChar);
      variable.constant = false;
    }
    if (made != kNone) variable.commands.push_back(made);
    for (std::uint32_t output : result.outputs) {
      if (variable.commands.size() < kMaxLinks) variable.commands.push_back(output);
    }
    b_.variables[name] = std::move(variable);
    return kNone;
  }

  void Unknown(ShellWord& word) {
    word.text += kUnknownChar;
    word.constant = false;
  }

  void Join(ShellWord& word, const BlockResult& block) {
    if (block.constant) {
      if (b_.Spend(block.word.text.size()) && word.text.size() < kMaxWordBytes) word.text += block.word.text;
      word.obfuscation = std::max(word.obfuscation, block.word.obfuscation);
    } else {
      Unknown(word);
    }
    for (std::uint32_t link : block.outputs) {
      if (word.commands.size() < kMaxLinks) word.commands.push_back(link);
    }
  }

  // `$name` at p_.
  void PutVariable(ShellWord& word) {
    std::size_t q = p_ + 1;
    bool braces = q < t_.size() && t_[q] == '{';
    if (braces) ++q;
    std::size_t begin = q;
    while (q < t_.size() && (IsNameStart(t_[q]) || IsDigit(t_[q]) || t_[q] == ':')) {
      if (t_[q] == ':' && !(q + 1 < t_.size() && IsNameStart(t_[q + 1]))) break;
      ++q;
    }
    std::string name = LowerCase(t_.substr(begin, q - begin));
    if (braces && q < t_.size() && t_[q] == '}') ++q;
    p_ = std::max(q, p_ + 1);
    auto found = b_.variables.find(name);
    if (found != b_.variables.end()) {
      const Variable& variable = found->second;
      if (b_.Spend(variable.text.size() + 1) && word.text.size() + variable.text.size() < kMaxWordBytes) {
        word.text += variable.text;
      } else {
        Unknown(word);
      }
      word.constant &= variable.constant;
      word.obfuscation = std::max(word.obfuscation, variable.obfuscation);
      for (std::uint32_t link : variable.commands) {
        if (word.commands.size() < kMaxLinks) word.commands.push_back(link);
      }
      if (!variable.constant) word.variables.push_back(name);
      return;
    }
    if (name == "env:userprofile" || name == "home" || name == "env:home") {
      word.text += '~';
      return;
    }
    if (name == "env:appdata" || name == "env:localappdata" || name == "env:temp") {
      word.text += name == "env:temp" ? "/tmp" : "~/AppData";
      return;
    }
    if (name == "profile") {
      word.text += "~/Documents/PowerShell/profile.ps1";
      return;
    }
    Unknown(word);
    if (word.variables.size() < kMaxLinks) word.variables.push_back(name.starts_with("env:") ? name.substr(4) : name);
  }

  void DoubleQuoted(ShellWord& word) {
    ++p_;
    while (p_ < t_.size()) {
      char c = t_[p_];
      if (c == '"') {
        ++p_;
        if (Peek() != '"') return;
        word.text += '"';
        ++p_;
      } else if (c == '`' && p_ + 1 < t_.size()) {
        word.text += t_[p_ + 1] == 'n' ? '\n' : t_[p_ + 1];
        p_ += 2;
      } else if (c == '$' && Peek(1) == '(') {
        p_ += 2;
        Join(word, Block(')', kNone));
      } else if (c == '$' && (IsNameStart(Peek(1)) || Peek(1) == '{')) {
        PutVariable(word);
      } else {
        word.text += static_cast<unsigned char>(c) <= 5 ? '\x7F' : c;
        ++p_;
      }
    }
  }

  // Method arguments, `(` eaten: a command of its own with the method's name.
  void Method(ShellWord& word, std::string name, std::size_t begin) {
    std::string lower = LowerCase(name);
    ShellCommand call;
    ShellWord first;
    first.text = std::move(name);
    first.loc = At(begin, p_);
    call.words.push_back(std::move(first));
    if (b_.depth >= kMaxDepth) {
      b_.out().complete = false;
      p_ = t_.size();
      return;
    }
    ++b_.depth;
    bool plus = false;
    while (b_.Step()) {
      SkipBlanks(true);
      if (p_ >= t_.size()) break;
      char c = t_[p_];
      if (c == ')') {
        ++p_;
        break;
      }
      if (c == ',' || c == ';' || c == '|' || c == '}' || c == '&') {
        ++p_;
        continue;
      }
      if (c == '+') {
        ++p_;
        plus = true;
        continue;
      }
      ShellWord arg;
      std::size_t before = p_;
      if (Word(arg, kNone)) {
        if (plus && call.words.size() > 1) {
          call.words.back().text += arg.text;
          call.words.back().constant &= arg.constant;
          call.words.back().obfuscation = std::max<std::uint8_t>(1, arg.obfuscation);
          call.words.back().commands.insert(call.words.back().commands.end(), arg.commands.begin(), arg.commands.end());
        } else {
          call.words.push_back(std::move(arg));
        }
      }
      plus = false;
      if (p_ == before) ++p_;
    }
    --b_.depth;
    call.loc = At(begin, p_);
    std::optional<std::string> folded;
    std::uint8_t level = 2;
    if (call.words.size() == 2 && call.words[1].constant) {
      if (lower == "frombase64string") {
        folded = DecodeBase64(call.words[1].text);
      } else if (lower == "getstring") {
        bool wide = LowerCase(word.text).find("unicode") != std::string::npos;
        folded = wide ? FromUtf16Le(call.words[1].text) : call.words[1].text;
        level = call.words[1].obfuscation;
      }
    }
    std::vector<std::uint32_t> inner;
    for (const ShellWord& arg : call.words) inner.insert(inner.end(), arg.commands.begin(), arg.commands.end());
    inner.insert(inner.end(), word.commands.begin(), word.commands.end());
    call.words[0].commands = std::move(inner);
    if (call.words[0].commands.size() > kMaxLinks) call.words[0].commands.resize(kMaxLinks);
    std::uint32_t index = b_.Add(std::move(call));
    word.commands.insert(word.commands.begin(), index);
    if (word.commands.size() > kMaxLinks) word.commands.resize(kMaxLinks);
    if (folded && b_.Spend(folded->size())) {
      word.text = std::move(*folded);
      word.constant = true;
      word.obfuscation = std::max(word.obfuscation, level);
    } else {
      Unknown(word);
    }
  }

  bool Word(ShellWord& word, std::uint32_t pipe) {
    std::size_t begin = p_;
    bool seen = false;
    while (p_ < t_.size() && b_.Step()) {
      char c = t_[p_];
      if (IsBlank(c) || c == '\n' || c == ';' || c == '|' || c == ')' || c == '}' || c == ',' || c == '>' || c == '&') {
        break;
      }
      if (c == '+' && seen && p_ + 1 < t_.size() && p_ > begin &&
          (t_[p_ - 1] == '\'' || t_[p_ - 1] == '"' || t_[p_ - 1] == ')')) {
        break;  // 'a'+'b': the caller joins
      }
      seen = true;
      if (word.text.size() > kMaxWordBytes) {
        ++p_;
      } else if (c == '\'') {
        ++p_;
        while (p_ < t_.size()) {
          if (t_[p_] == '\'') {
            ++p_;
            if (Peek() != '\'') break;
          }
          word.text += static_cast<unsigned char>(t_[p_]) <= 5 ? '\x7F' : t_[p_];
          ++p_;
        }
      } else if (c == '"') {
        DoubleQuoted(word);
      } else if (c == '@' && (Peek(1) == '\'' || Peek(1) == '"') && (Peek(2) == '\n' || Peek(2) == '\r')) {
        std::size_t close = t_.find(Peek(1) == '"' ? "\n\"@" : "\n'@", p_ + 2);
        std::size_t stop = std::min(close, t_.size());
        word.text += t_.substr(p_ + 2, stop - p_ - 2);
        p_ = std::min(stop + 3, t_.size());
      } else if (c == '$' && Peek(1) == '(') {
        p_ += 2;
        Join(word, Block(')', kNone));
      } else if (c == '$' && (IsNameStart(Peek(1)) || Peek(1) == '{')) {
        PutVariable(word);
      } else if (c == '@' && Peek(1) == '(') {
        ++p_;
      } else if (c == '@' && Peek(1) == '{') {
        ++p_;
      } else if (c == '(') {
        std::size_t name = p_;
        while (name > begin && (IsNameStart(t_[name - 1]) || IsDigit(t_[name - 1]))) --name;
        if (name < p_ && name > begin && (t_[name - 1] == '.' || t_[name - 1] == ':')) {
          std::string method(t_.substr(name, p_ - name));
          ++p_;
          Method(word, std::move(method), name);
        } else {
          ++p_;
          Join(word, Block(')', kNone));
        }
      } else if (c == '{') {
        ++p_;
        if (b_.condition_depth < 0xFFFF) ++b_.condition_depth;
        Block('}', pipe);
        if (b_.condition_depth > 0) --b_.condition_depth;
        Unknown(word);
      } else if (c == '[') {
        std::size_t close = p_;
        while (close < t_.size() && close < p_ + 200 && t_[close] != ']' && t_[close] != '\n') ++close;
        std::string_view type = t_.substr(p_, close - p_);
        p_ = close < t_.size() && t_[close] == ']' ? close + 1 : p_ + 1;
        if (LowerCase(type) == "[char") {
          int base = Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') ? 16 : 10;
          if (base == 16) p_ += 2;
          unsigned value = 0;
          while (p_ < t_.size() && value < 0x1000) {
            char d = t_[p_];
            int digit = IsDigit(d) ? d - '0' : base == 16 && IsNameStart(d) ? (d | 32) - 'a' + 10 : -1;
            if (digit < 0 || digit >= base) break;
            value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
            ++p_;
          }
          if (value > 5 && value < 128) {
            word.text += static_cast<char>(value);
            word.obfuscation = 2;
          }
        } else {
          word.text += type.substr(1);
        }
      } else if (c == '`' && p_ + 1 < t_.size()) {
        if (t_[p_ + 1] == '\n' || t_[p_ + 1] == '\r') break;
        if (IsNameStart(t_[p_ + 1])) word.obfuscation = std::max<std::uint8_t>(word.obfuscation, 1);
        word.text += t_[p_ + 1];
        p_ += 2;
      } else {
        word.text += static_cast<unsigned char>(c) <= 5 ? '\x7F' : c;
        ++p_;
      }
    }
    word.loc = At(begin, p_);
    return seen;
  }

  std::string_view t_;
  std::size_t p_ = 0;
  Builder& b_;
  Loc fixed_;
  bool is_fixed_ = false;
};

}  // namespace

void ParsePowerShell(std::string_view text, const Loc* at, Builder& builder) {
  PowerShellParser(text, at, builder).ParseAll();
}

}  // namespace interlock::scan::code::shell
