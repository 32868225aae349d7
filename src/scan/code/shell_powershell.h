// The parser of PowerShell. Private to shell_powershell*.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/shell_internal.h"

namespace interlock::scan::code::shell {

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
  static constexpr std::size_t kMaxLinks = 16;
  static constexpr std::size_t kMostTables = 256;
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  struct BlockResult {
    std::vector<std::uint32_t> outputs;
    // The block is one value and nothing else, known as far as `word` says.
    bool valued = false;
    ShellWord word;
  };
  // What an assignment does to what a variable holds.
  enum class Put : std::uint8_t { kAnew, kMore, kPart };
  Loc At(std::size_t begin, std::size_t end) const {
    if (is_fixed_) return fixed_;
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  char Peek(std::size_t ahead = 0) const { return p_ + ahead < t_.size() ? t_[p_ + ahead] : '\0'; }
  void SkipBlanks(bool lines);
  void Comment(std::size_t begin) {
    if (is_fixed_) return;
    b_.out().comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(p_)}});
  }
  BlockResult Block(char close, std::uint32_t pipe_in);
  // One command, assignment or expression. Expressions that are no command leave their value in `result`.
  std::uint32_t Element(std::uint32_t pipe, BlockResult& result, char close);
  // Behind what is said of a variable's type: [string], [Parameter(Mandatory)][int]; where it stands if nothing is.
  [[nodiscard]] std::size_t BehindTypes() const;
  bool Declares();
  // Behind the properties and places of a variable: $p.Body, $p["Body"].
  [[nodiscard]] std::size_t PartEnd(std::size_t at) const;
  // What the words of an expression are: one value, or several that are all known, with blanks between them.
  void Value(const ShellCommand& command, BlockResult& result);
  // Join-Path A B: a value. Where it is handed on, a command as any other.
  bool JoinPath(const ShellCommand& command, BlockResult& result);
  // All that `from` is but its text.
  static void Carry(const ShellWord& from, ShellWord& to);
  // At `word` and a blank or an opening parenthesis behind it; moves behind the word.
  bool Keyword(std::string_view word) {
    if (t_.size() < p_ + word.size() + 1 || LowerCase(t_.substr(p_, word.size())) != word) return false;
    const char next = t_[p_ + word.size()];
    if (!IsBlank(next) && next != '(') return false;
    p_ += word.size();
    return true;
  }
  // foreach ($f in "a", "b") { ... }: the variable is any of them.
  bool ForEach(std::uint32_t pipe, BlockResult& result);
  // Names of parameters in a list that begins at `at`, behind its parenthesis; `at` comes to stand behind its end.
  std::vector<std::string> Parameters(std::size_t& at) const;
  // function Send($data) { ... }, or with param(...) within: what it is given goes by position.
  bool Function();
  // Send -Data $x -Force: as the function's parameters stand.
  void Reorder(ShellCommand& command) const;
  // Invoke-RestMethod @p, where $p is a table that the script has written: its entries are parameters.
  bool Splat(ShellCommand& command);
  // @{ Uri = "..."; Body = $x }, behind its brace: the entries, and a command that gives out all of them.
  std::uint32_t Table(std::size_t begin, std::vector<std::pair<std::string, ShellWord>>& entries);
  // Elements that hand on to one another: the last one's command; kNone where it is a value.
  std::uint32_t Pipeline(BlockResult& result, char close, std::uint32_t pipe = kNone);
  // "{1}{0}" -f "x", "ie": the words in the places that the first one gives them.
  void Format(ShellCommand& command);
  std::uint32_t Assign(std::size_t begin, std::size_t name_end, std::size_t value_begin, Put put);
  void Unknown(ShellWord& word) {
    word.text += kUnknownChar;
    word.constant = false;
  }
  void Join(ShellWord& word, const BlockResult& block);
  // `$name` at p_.
  void PutVariable(ShellWord& word);
  void DoubleQuoted(ShellWord& word);
  // Method arguments, `(` eaten: a command of its own with the method's name.
  void Method(ShellWord& word, std::string name, std::size_t begin);
  // $list.Add(x): what is put into it, it holds.
  static bool IsFilling(std::string_view method) {
    constexpr std::array<std::string_view, 12> kFills = {"add",       "addrange", "append",  "appendline",
                                                         "write",     "push",     "enqueue", "insert",
                                                         "writeline", "setvalue", "tryadd",  "appendformat"};
    return std::ranges::find(kFills, method) != kFills.end();
  }
  void Fill(std::size_t begin, const ShellWord& word) {
    std::size_t end = begin + 1;
    while (end < t_.size() && (IsNameStart(t_[end]) || IsDigit(t_[end]))) ++end;
    const auto found = b_.variables.find(LowerCase(t_.substr(begin + 1, end - begin - 1)));
    if (found == b_.variables.end() || word.commands.empty() || found->second.commands.size() >= kMaxLinks) return;
    found->second.commands.push_back(word.commands.front());
  }
  bool Word(ShellWord& word, std::uint32_t pipe);
  std::string_view t_;
  std::size_t p_ = 0;
  Builder& b_;
  Loc fixed_;
  bool is_fixed_ = false;
  bool declares_ = false;                                               // what stands here are a script's parameters
  std::vector<std::uint32_t> piped_;                                    // what each block around hands on as $_
  std::vector<std::string> params_;                                     // of the function whose body is being read
  std::unordered_map<std::string, std::vector<std::string>> declared_;  // functions, with their parameters
  std::unordered_map<std::string, std::vector<std::pair<std::string, ShellWord>>> tables_;  // variables that are tables
};

}  // namespace interlock::scan::code::shell
