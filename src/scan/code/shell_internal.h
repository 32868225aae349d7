// What the shell parsers and the analysis share. Private to shell*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/shell.h"
#include "static/ascii.h"

namespace interlock::scan::code::shell {

inline constexpr char kUnknownChar = '\x01';  // in word texts: something that is not known
inline constexpr char kSplitChar = '\x02';    // while lexing: an expansion's blank, where the word is split
inline constexpr std::size_t kMaxWordBytes = 64 << 10;
inline constexpr unsigned kMaxDepth = 24;  // substitutions and texts within texts

struct Variable {
  std::string text;
  std::string other = {};  // what it may be instead (ShellWord::other)
  bool constant = true;
  std::vector<std::uint32_t> commands = {};
  std::vector<std::string> variables = {};
  std::uint8_t obfuscation = 0;
};

// The later one, with what makes either, and the earlier text as its `other` where that says more.
[[nodiscard]] Variable Either(Variable before, Variable after);
// What a loop's variable is, the first turn last; at most 16, those that say most first.
[[nodiscard]] std::vector<Variable> TurnsOf(std::vector<ShellWord> values);

// The lines of a text, or its words with `blanks`.
[[nodiscard]] std::vector<ShellWord> LinesOf(const ShellWord& text, bool blanks);
// ... of what the command prints, where that stands in the script: echo, printf, cat <<END.
[[nodiscard]] std::vector<ShellWord> PrintedLines(const ShellScript& script, std::uint32_t command, bool blanks);
// Of `while read -r NAME; do`, from behind `while`: the name; "" where it is not that.
// Of several names, which each take a part of the line, all, with the sign between them that parts it: "user host",
// "member|role".
[[nodiscard]] std::string ReadBy(std::string_view rest);
// One turn of a loop, for the name or names of ReadBy().
void GiveTurn(std::unordered_map<std::string, Variable>& variables, std::string_view names, Variable value);

// Values given in parts that need not run. Behind them a variable is what the last of them gave, with what it was
// before or another gave as its `other` where that says more, and with the commands that make any.
class Branches {
 public:
  explicit Branches(std::unordered_map<std::string, Variable>& variables) : variables_(variables) {}
  void Open();
  void Next();   // else, elif, ;;: what the branch before gave holds no more
  void Close();  // fi, esac, done
  // `may`: only if the command before it says so.
  void Set(std::string name, Variable value, bool may);

 private:
  struct Maybe {
    std::string name;
    std::optional<Variable> before;
    Variable given;
  };
  std::unordered_map<std::string, Variable>& variables_;
  std::vector<std::vector<Maybe>> open_;
};

// The folder behind `cd` and its like; `before`: the one in which it runs.
[[nodiscard]] std::string FolderAfter(const ShellCommand& command, const std::string& before);

// Collects commands; knows the variables, unwraps `sudo`, reads the texts given to shells, keeps the budgets.
class Builder {
 public:
  Builder(ShellScript& out, std::string_view text, const LowerLimits& limits);

  // Of the command just lexed. Wrappers are split off, and texts that it hands to a shell are parsed behind it.
  std::uint32_t Add(ShellCommand command);
  // One that the command at `index` starts.
  void AddWithin(std::uint32_t index, ShellCommand inner);
  // Parses text that is not the file's own: everything in it is at `loc`.
  // `fed_by`: the command whose output its first reads; kNone: what the one at `parent` reads.
  void ParseText(std::string text, Loc loc, std::uint32_t parent, std::uint8_t obfuscation, ShellDialect dialect,
                 std::uint32_t fed_by = kNone);

  // False when the budget is used up.
  bool Step() {
    if (steps_left_ == 0) {
      out_.complete = false;
      return false;
    }
    --steps_left_;
    return true;
  }
  bool Spend(std::size_t bytes) {
    if (bytes > text_left_) {
      out_.complete = false;
      return false;
    }
    text_left_ -= bytes;
    return true;
  }
  // What is read once more is not missing where it is not: nothing is said of it.
  bool Reread(std::size_t bytes) {
    if (bytes > reread_left_) return false;
    reread_left_ -= bytes;
    return true;
  }
  // One byte of looking ahead that may have to be done again.
  bool Scan() {
    if (scan_left_ == 0) {
      out_.complete = false;
      return false;
    }
    --scan_left_;
    return true;
  }
  std::string_view Keep(std::string text);

  ShellScript& out() { return out_; }
  [[nodiscard]] std::string_view text() const { return text_; }

  std::unordered_map<std::string, Variable> variables;
  std::string folder;  // in which the next command runs, as far as that is known
  unsigned depth = 0;
  std::uint16_t condition_depth = 0;
  std::uint32_t parent = kNone;
  std::uint8_t obfuscation = 0;

 private:
  void Unwrap(std::uint32_t index);
  void UnwrapShell(std::uint32_t index);
  void NoteWritten(std::uint32_t index);
  void RunWritten(std::uint32_t index, const std::string& path);
  void UnwrapEval(std::uint32_t index);
  void UnwrapTrap(std::uint32_t index, std::string_view program);
  void UnwrapOption(std::uint32_t index);
  void UnwrapAppleScript(std::uint32_t index);
  void UnwrapWritten(std::uint32_t index);
  void UnwrapSshConfig(std::uint32_t index);
  void UnwrapPrompt(std::uint32_t index);
  void UnwrapContainer(std::uint32_t index);
  void UnwrapFind(std::uint32_t index);
  void UnwrapPowerShell(std::uint32_t index);
  void UnwrapStart(std::uint32_t index, std::string_view program);
  void UnwrapBatch(std::uint32_t index);
  void UnwrapGit(std::uint32_t index);
  void UnwrapSetting(std::uint32_t index, std::string_view key, std::string_view text, Loc loc);
  void UnwrapAwk(std::uint32_t index);
  void UnwrapWords(std::uint32_t index, bool alias);
  void UnwrapTask(std::uint32_t index, std::string_view program);
  void UnwrapStatement(std::uint32_t index, std::string_view program);

  struct Written {
    std::string text;
    Loc loc;
    std::uint8_t obfuscation = 0;
  };

  ShellScript& out_;
  std::unordered_map<std::string, Written> written_;  // by path
  std::string_view text_;
  std::size_t steps_left_;
  std::size_t scan_left_;
  std::size_t reread_left_;
  std::size_t text_left_;  // bytes of expansions and of texts within the text
};

// `at`: where everything in `text` is, for texts that are not the file's own; nullptr: offsets are the file's.
void ParsePosix(std::string_view text, const Loc* at, Builder& builder, std::uint32_t pipe_from);
// The file's own text up to the end of `text`, from `begin`.
void ParsePosixPart(std::string_view text, std::size_t begin, Builder& builder, std::uint32_t pipe_from);
void ParsePowerShell(std::string_view text, const Loc* at, Builder& builder);
void ParseBatch(std::string_view text, const Loc* at, Builder& builder);
[[nodiscard]] ShellDialect DialectOf(std::string_view text, std::string_view path = {});

// Program name without folder and ".exe", lower case; "" when not known.
[[nodiscard]] inline bool IsNameStart(char c) noexcept { return IsLetter(c) || c == '_'; }
[[nodiscard]] std::string BaseName(std::string_view path);
[[nodiscard]] bool IsShell(std::string_view program);        // sh, bash, zsh ...
[[nodiscard]] bool IsPowerShell(std::string_view program);   // powershell, pwsh
[[nodiscard]] bool IsInterpreter(std::string_view program);  // shells, and python, node, perl ...

// Decoders; nullopt: not of that coding.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);
[[nodiscard]] std::optional<std::string> DecodeHex(std::string_view text);
[[nodiscard]] std::string FromUtf16Le(std::string_view bytes);
// What the command writes to its output, where that follows from constants: echo, printf, cat of a here-document,
// through base64 -d, xxd -r, rev, tr. `decodes` counts the decoders.
[[nodiscard]] std::optional<std::string> ConstantOutput(const ShellScript& script, std::uint32_t command,
                                                        unsigned& decodes);
// Escapes of echo -e, printf and $'..'.
void AppendEscaped(std::string_view text, std::string& out, bool* spelled = nullptr);

// shell_within.cc
[[nodiscard]] bool IsClientOfRows(std::string_view program);  // psql, mysql ...
// shell_verbs.cc
void FrontVerb(ShellCommand& command);
[[nodiscard]] std::string PlaceOfFound(const ShellCommand& command);

}  // namespace interlock::scan::code::shell
