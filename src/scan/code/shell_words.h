// Words of POSIX shells: quotes, expansions, substitutions. Private to shell_words.cc and shell_posix.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "code/shell_internal.h"
#include "static/ascii.h"

namespace interlock::scan::code::shell {

inline constexpr std::size_t kMaxLinks = 16;

inline bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }
inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == kSplitChar; }
inline bool IsMeta(char c) {
  return IsBlank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')';
}

// A word while it is read.
struct Piece {
  std::string text = {};
  bool constant = true;
  bool seen = false;      // a word is there even if it is empty ('')
  bool braces = false;    // has unquoted brace characters
  bool no_split = false;  // expansions are not split at blanks
  std::vector<std::uint32_t> commands = {};
  std::vector<std::string> variables = {};
  std::uint8_t obfuscation = 0;
  std::string other = {};  // ShellWord::other

  void Unknown() {
    if (text.size() < kMaxWordBytes) text += kUnknownChar;
    constant = false;
    seen = true;
  }
  void Raise(std::uint8_t level) {
    if (level > obfuscation) obfuscation = level;
  }
  void Put(char c) {
    if (static_cast<unsigned char>(c) <= 5) c = '\x7F';  // the marks cannot be forged
    if (text.size() < kMaxWordBytes) text += c;
    seen = true;
  }
};

class WordLexer {
 public:
  WordLexer(std::string_view text, std::size_t begin, std::size_t end, const Loc* at, Builder& builder)
      : t_(text), p_(begin), end_(end), b_(builder) {
    if (at != nullptr) {
      fixed_ = *at;
      is_fixed_ = true;
    }
  }
  virtual ~WordLexer() = default;
  WordLexer(const WordLexer&) = delete;
  WordLexer& operator=(const WordLexer&) = delete;

  // The text of a here-document: only $ and ` mean anything.
  void LexBody(Piece& piece);

 protected:
  // After `$(`: commands up to the parenthesis that closes it, which is consumed; those whose output it yields.
  virtual std::vector<std::uint32_t> Commands() = 0;
  // Commands of a piece of this text, or of another one whose place is `at`.
  virtual std::vector<std::uint32_t> CommandsIn(std::string_view text, std::size_t begin, std::size_t end,
                                                const Loc* at) = 0;
  // Of a here-document of this text.
  virtual void BodyOf(Piece& piece, std::size_t begin, std::size_t end) = 0;

  [[nodiscard]] Loc At(std::size_t begin, std::size_t end) const {
    if (is_fixed_) return fixed_;
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  [[nodiscard]] char Peek(std::size_t ahead = 0) const { return p_ + ahead < end_ ? t_[p_ + ahead] : '\0'; }

  ShellWord Finish(Piece piece, std::size_t begin);
  // One word of the text, as the words it expands to.
  void Words(std::vector<ShellWord>& out, bool plain);
  void Word(Piece& piece);
  // Quotes inside a bare word, as in c"ur"l: 1 where letters stand on both sides.
  void MarkSplit(Piece& piece, std::size_t begin, bool middle) const;
  void LexDouble(Piece& piece);
  void PutValue(Piece& piece, const Variable& variable, bool quoted);
  void PutVariable(Piece& piece, std::string_view name, bool quoted);
  void LexDollar(Piece& piece, bool quoted);
  // After `$(` or `<(`: the commands, and their output where it is constant.
  void Substitute(Piece& piece, bool quoted, bool process);
  void Link(Piece& piece, const std::vector<std::uint32_t>& outputs, bool quoted, bool process);
  void LexBacktick(Piece& piece, bool quoted);
  // ${...}
  void Parameter(Piece& piece, bool quoted);
  void Expand(Piece& piece, std::string_view name, Piece& word, bool quoted, bool opaque);
  // After `<<`: the text, which begins behind this line.
  ShellWord HereDocument(bool strip);
  // After `((`: to the closing `))`; false when there is none.
  bool SkipArithmetic(std::size_t from);

  std::string_view t_;
  std::size_t p_;
  std::size_t end_;
  Builder& b_;
  Loc fixed_;
  bool is_fixed_ = false;
  std::size_t heredoc_line_ = std::string_view::npos;  // behind which a here-document begins, ...
  std::size_t heredoc_resume_ = 0;                     // ... and where it ends
  std::size_t no_newline_ = std::string_view::npos;    // none from here on
  bool fed_ = false;                                   // the substitution that is being read is `>(...)`
};

}  // namespace interlock::scan::code::shell
