// Windows batch: enough of its syntax to see what is fetched, run and written.
#include <algorithm>
#include <utility>

#include "code/shell_internal.h"
#include "static/ascii.h"

namespace interlock::scan::code::shell {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class BatchParser {
 public:
  BatchParser(std::string_view text, const Loc* at, Builder& builder) : t_(text), at_(at), b_(builder) {}

  void ParseAll() {
    while (p_ < t_.size() && b_.Step()) {
      char c = t_[p_];
      if (IsBlank(c) || c == '\n' || c == '@' || c == '(' || c == ')' || c == '&') {
        if (c == '\n' || c == '&') pipe_ = kNone;
        ++p_;
        continue;
      }
      if (c == '|') {
        ++p_;
        if (p_ < t_.size() && t_[p_] == '|') {
          ++p_;
          pipe_ = kNone;
        } else {
          pipe_ = last_;
        }
        continue;
      }
      std::string_view rest = t_.substr(p_, 4);
      if (rest.starts_with("::") || LowerCase(rest) == "rem ") {
        std::size_t begin = p_;
        p_ = std::min(t_.find('\n', p_), t_.size());
        if (at_ == nullptr) {
          b_.out().comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(p_)}});
        }
        continue;
      }
      Line();
      pipe_ = kNone;
    }
  }

 private:
  Loc At(std::size_t begin, std::size_t end) const {
    if (at_ != nullptr) return *at_;
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void Line() {
    ShellCommand command;
    std::size_t begin = p_;
    while (p_ < t_.size() && b_.Step()) {
      char c = t_[p_];
      if (c == '\n' || c == '&' || c == '|' || c == ')') break;
      if (c == '(' && IsList(command)) {
        List(command);
        continue;
      }
      if (IsBlank(c) || c == '(') {
        ++p_;
        continue;
      }
      if (c == '>' || (c == '2' && p_ + 1 < t_.size() && t_[p_ + 1] == '>')) {
        bool error = c == '2';
        p_ += error ? 2 : 1;
        bool append = p_ < t_.size() && t_[p_] == '>';
        if (append) ++p_;
        while (p_ < t_.size() && IsBlank(t_[p_])) ++p_;
        if (p_ < t_.size() && t_[p_] == '&') {
          p_ += 2;
          p_ = std::min(p_, t_.size());
          continue;
        }
        ShellWord word = Word();
        command.redirects.emplace_back(error ? "2>" : append ? ">>" : ">", std::move(word));
        continue;
      }
      std::size_t before = p_;
      command.words.push_back(Word());
      if (p_ == before) ++p_;
    }
    if (command.words.empty()) return;
    std::string program = LowerCase(command.words[0].text);
    if (program == "set" && command.words.size() > 1) {
      std::string text = command.words[1].text;
      for (std::size_t i = 2; i < command.words.size() && text.size() < 4096; ++i) text += ' ' + command.words[i].text;
      std::size_t equal = text.find('=');
      if (equal != std::string::npos && equal > 0) {
        b_.variables[LowerCase(text.substr(0, equal))] = {.text = text.substr(equal + 1),
                                                          .constant = text.find(kUnknownChar) == std::string::npos};
      }
      return;
    }
    DropConditions(command);
    if (command.words.empty()) return;
    command.loc = At(begin, p_);
    command.pipe_from = pipe_;
    last_ = b_.Add(std::move(command));
  }

  // for %%f in (a b): the list comes.
  static bool IsList(const ShellCommand& command) {
    const auto& words = command.words;
    return words.size() >= 3 && LowerCase(words[0].text) == "for" && LowerCase(words.back().text) == "in";
  }

  // Of its values the variable is the one that says most.
  void List(const ShellCommand& command) {
    ++p_;
    std::vector<ShellWord> values;
    while (p_ < t_.size() && t_[p_] != ')' && t_[p_] != '\n' && b_.Step()) {
      const std::size_t before = p_;
      if (!IsBlank(t_[p_]) && t_[p_] != ',') values.push_back(Word());
      if (p_ == before) ++p_;
    }
    if (p_ < t_.size() && t_[p_] == ')') ++p_;
    const std::string& name = command.words[command.words.size() - 2].text;
    if (name.size() == 3 && name.starts_with("%%")) b_.variables[LowerCase(name)] = TurnsOf(std::move(values)).back();
  }

  // `if exist x cmd`, `for ... do cmd`: what is left is what runs.
  static void DropConditions(ShellCommand& command) {
    for (int guard = 0; guard < 4; ++guard) {
      std::string program = LowerCase(command.words[0].text);
      std::size_t drop = 0;
      if (program == "if") {
        std::size_t at = 1;
        while (at < command.words.size() &&
               (LowerCase(command.words[at].text) == "not" || LowerCase(command.words[at].text) == "/i")) {
          ++at;
        }
        if (at >= command.words.size()) return;
        std::string test = LowerCase(command.words[at].text);
        if (test == "exist" || test == "defined" || test == "errorlevel") {
          drop = at + 2;
        } else {
          drop = test.find("==") != std::string::npos ? at + 1 : at + 3;
        }
      } else if (program == "for") {
        for (std::size_t i = 1; i < command.words.size(); ++i) {
          if (LowerCase(command.words[i].text) == "do") drop = i + 1;
        }
      } else if (program == "else") {
        drop = 1;
      }
      if (drop == 0) return;
      drop = std::min(drop, command.words.size());
      command.words.erase(command.words.begin(), command.words.begin() + static_cast<std::ptrdiff_t>(drop));
      if (command.words.empty()) return;
    }
  }

  ShellWord Word() {
    ShellWord word;
    std::size_t begin = p_;
    bool quoted = false;
    while (p_ < t_.size()) {
      char c = t_[p_];
      if (c == '\n') break;
      if (c == '"') {
        quoted = !quoted;
        ++p_;
        continue;
      }
      if (!quoted && (IsBlank(c) || c == '&' || c == '|' || c == '>' || c == ')' || c == '(')) break;
      if (c == '^' && !quoted && p_ + 1 < t_.size()) {
        if (IsNameStart(t_[p_ + 1])) word.obfuscation = std::max<std::uint8_t>(word.obfuscation, 1);
        p_ += t_[p_ + 1] == '\r' ? 3U : 2U;
        p_ = std::min(p_, t_.size());
        if (t_[p_ - 1] != '\n' && word.text.size() < kMaxWordBytes) word.text += t_[p_ - 1];
        continue;
      }
      if (c == '%') {
        Expand(word);
        continue;
      }
      if (word.text.size() < kMaxWordBytes) word.text += static_cast<unsigned char>(c) <= 5 ? '\x7F' : c;
      ++p_;
    }
    word.loc = At(begin, p_);
    return word;
  }

  void Expand(ShellWord& word) {
    // %%f, %%~ff
    if (t_.substr(p_, 2) == "%%") {
      std::size_t at = p_ + 2;
      if (at < t_.size() && t_[at] == '~') {
        while (at + 2 < t_.size() && IsNameStart(t_[at + 1]) && IsNameStart(t_[at + 2])) ++at;
        ++at;
      }
      const auto found = at < t_.size() ? b_.variables.find("%%" + LowerCase(t_.substr(at, 1))) : b_.variables.end();
      if (found != b_.variables.end() && b_.Spend(found->second.text.size()) &&
          word.text.size() + found->second.text.size() < kMaxWordBytes) {
        word.text += found->second.text;
        word.constant &= found->second.constant;
        p_ = at + 1;
        return;
      }
    }
    std::size_t q = p_ + 1;
    while (q < t_.size() && q < p_ + 64 && (IsNameStart(t_[q]) || IsDigit(t_[q]))) ++q;
    if (q > p_ + 1 && q < t_.size() && t_[q] == '%') {
      std::string name = LowerCase(t_.substr(p_ + 1, q - p_ - 1));
      p_ = q + 1;
      auto found = b_.variables.find(name);
      if (found != b_.variables.end() && b_.Spend(found->second.text.size()) &&
          word.text.size() + found->second.text.size() < kMaxWordBytes) {
        word.text += found->second.text;
        word.constant &= found->second.constant;
        word.obfuscation = std::max<std::uint8_t>(word.obfuscation, 1);
      } else if (name == "userprofile") {
        word.text += '~';
      } else if (name == "appdata" || name == "localappdata") {
        word.text += "~/AppData";
      } else if (name == "temp" || name == "tmp") {
        word.text += "/tmp";
      } else {
        word.text += kUnknownChar;
        word.constant = false;
        word.variables.push_back(name);
      }
      return;
    }
    word.text += '%';
    ++p_;
  }

  std::string_view t_;
  const Loc* at_;
  Builder& b_;
  std::size_t p_ = 0;
  std::uint32_t pipe_ = kNone;
  std::uint32_t last_ = kNone;
};

}  // namespace

void ParseBatch(std::string_view text, const Loc* at, Builder& builder) { BatchParser(text, at, builder).ParseAll(); }

}  // namespace interlock::scan::code::shell
