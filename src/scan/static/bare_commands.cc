#include "static/bare_commands.h"

#include <algorithm>
#include <array>

#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr auto kBarePrograms = std::to_array<std::string_view>(
    {"curl",       "wget",    "bash",     "sh",       "zsh",        "sudo",      "nc",        "ncat",     "socat",
     "rm",         "chmod",   "chown",    "crontab",  "python",     "python3",   "node",      "perl",     "ruby",
     "npm",        "pip",     "pip3",     "pwsh",     "iwr",        "irm",       "iex",       "git",      "gh",
     "docker",     "kubectl", "aws",      "gcloud",   "az",         "ssh",       "scp",       "rsync",    "sftp",
     "rclone",     "base64",  "openssl",  "echo",     "printf",     "cat",       "tar",       "env",      "printenv",
     "certutil",   "mshta",   "regsvr32", "schtasks", "nohup",      "systemctl", "launchctl", "iptables", "ufw",
     "setenforce", "useradd", "usermod",  "chattr",   "powershell", "eval",      "tee",       "sed",      "dd",
     "mkfs",       "ngrok",   "csrutil",  "spctl",    "setcap",     "history"});

// A sentence goes on with one of these; no command of interest has them as an argument.
constexpr auto kSentenceWords = std::to_array<std::string_view>(
    {"and",      "then",        "to",       "without",  "before",  "so",     "on",     "when",  "for",
     "as",       "after",       "which",    "with",     "from",    "into",   "if",     "while", "or",
     "but",      "first",       "once",     "silently", "quietly", "every",  "each",   "at",    "is",
     "are",      "was",         "will",     "that",     "because", "until",  "unless", "again", "now",
     "it",       "this",        "the",      "a",        "an",      "your",   "you",    "never", "automatically",
     "in",       "during",      "via",      "by",       "always",  "should", "must",   "can",   "may",
     "yourself", "immediately", "directly", "whenever", "aus",     "und",    "ohne",   "bevor", "dann",
     "et",       "puis",        "sans",     "avant",    "pour",    "y",      "luego",  "sin",   "antes",
     "para",     "e",           "sem",      "depois",   "poi",     "senza"});

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool IsQuote(char c) { return c == '"' || c == '\''; }

bool IsShell(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos) word.remove_prefix(slash + 1);
  return word == "sh" || word == "bash" || word == "zsh" || word == "dash" || word == "iex";
}

// Reads one word of a shell: quotes, `$(...)` and `<(...)` belong to it whole.
class Reader {
 public:
  Reader(std::string_view text, std::size_t from) : text_(text), at_(from) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool ended() const { return at_ >= text_.size(); }
  // Over blanks; says whether a line ended there.
  bool Blanks() {
    bool line = false;
    for (; at_ < text_.size() && IsSpace(text_[at_]); ++at_) line = line || text_[at_] == '\n';
    return line;
  }
  std::string_view Word() {
    const std::size_t begin = at_;
    char quote = 0;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
        continue;
      }
      // An apostrophe inside a word is none of a shell's quotes.
      const bool apostrophe =
          c == '\'' && at_ > begin && IsLetter(text_[at_ - 1]) && at_ + 1 < text_.size() && IsLetter(text_[at_ + 1]);
      if (IsQuote(c) && !apostrophe && text_.find(c, at_ + 1) != std::string_view::npos) {
        quote = c;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')') {
        if (depth == 0) break;
        --depth;
      } else if (IsSpace(c) && depth == 0) {
        break;
      } else if (c == '`') {
        break;
      }
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

// The end of a word without the sentence's stop behind it.
std::size_t WithoutStop(std::string_view word) {
  const std::size_t last = word.find_last_not_of(".,;:!?");
  return last == std::string_view::npos ? 0 : last + 1;
}

bool OpensArguments(char c) { return std::string_view("-|<>&$~/\"'@(").find(c) != std::string_view::npos; }

}  // namespace

std::span<const std::string_view> BareProgramWords() { return kBarePrograms; }

BareCommand BareCommandAt(std::string_view shown, std::size_t program) {
  BareCommand out;
  out.begin = program;
  const std::string_view text = shown.substr(0, std::min(shown.size(), program + kLongestBareCommand));
  std::size_t stop = text.size();
  const char before = program > 0 ? text[program - 1] : ' ';
  if (before == '(') {
    out.begin = program - 1;
  } else if (IsQuote(before)) {
    stop = std::min(stop, text.find(before, program));
  } else if (!IsSpace(before) && static_cast<unsigned char>(before) < 0x80 && before != '*' && before != ':' &&
             before != '`') {
    return out;  // within a path, a word
  }
  Reader reader(text.substr(0, stop), out.begin);
  std::size_t end = out.begin;
  bool piped = false;     // the last word was a pipe's sign ...
  bool finished = false;  // ... or the shell that is given what comes through it: its arguments are signs
  for (int words = 0; !reader.ended(); ++words) {
    const std::size_t from = reader.at();
    const bool line = reader.Blanks();
    const std::size_t begin = reader.at();
    const std::string_view word = reader.Word();
    if (word.empty()) break;
    const bool sign = OpensArguments(word.front());
    if (words > 0 && !piped) {
      const bool starts = Among(word, kBarePrograms);
      if (static_cast<unsigned char>(word.front()) >= 0x80 || (finished && !sign)) break;
      if (!sign && Among(word.substr(0, WithoutStop(word)), kSentenceWords)) break;
      if (line && !starts && text.substr(from, begin - from).find("\n\n") != std::string_view::npos) break;
    }
    const std::size_t kept = WithoutStop(word);
    end = begin + kept;
    const bool shell = IsShell(word.substr(0, kept));
    finished = shell && piped;
    // "... | sh; rm -rf x" goes on where a program follows; a sentence does not.
    if (kept < word.size()) {
      Reader next = reader;
      next.Blanks();
      const std::string_view follows = next.Word();
      const bool goes_on = word.substr(kept) == ";" && Among(follows, kBarePrograms);
      if (!goes_on) break;
      end = begin + word.size();
      finished = false;
    }
    piped = word == "|" || word == "&&" || word == "||" || (piped && word == "sudo");
    if (piped) finished = false;
  }
  const std::string_view command = text.substr(out.begin, end - out.begin);
  const std::size_t blank = command.find(' ');
  if (blank == std::string_view::npos || blank + 1 >= command.size()) return out;
  out.text = command;
  // A wrapped line is one command, two lines that begin with a program are two.
  for (std::size_t i = 0; i < out.text.size(); ++i) {
    if (out.text[i] != '\n') continue;
    Reader next(out.text, i);
    next.Blanks();
    if (!Among(next.Word(), kBarePrograms)) out.text[i] = ' ';
  }
  return out;
}

}  // namespace interlock::scan
