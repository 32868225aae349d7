#include "static/plain_statements.h"

#include <algorithm>
#include <array>

#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 20U;
constexpr std::size_t kMostStatements = 200'000;
constexpr std::size_t kMostOfText = 8'000;  // bytes of one text
constexpr std::size_t kMostOfCode = 4'000;  // ... of one statement
constexpr std::size_t kMostNames = 256;     // of one statement

bool IsWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

class Reader {
 public:
  Reader(std::string_view text, PlainLanguage language) : t_(text.substr(0, kMostBytes)), language_(language) {}

  std::vector<PlainStatement> Run(bool* complete) {
    while (p_ < t_.size() && out_.size() < kMostStatements) Step();
    Finish(p_);
    if (complete != nullptr) *complete = p_ >= t_.size() && t_.size() < kMostBytes;
    return std::move(out_);
  }

 private:
  [[nodiscard]] char Peek(std::size_t ahead = 0) const { return p_ + ahead < t_.size() ? t_[p_ + ahead] : '\0'; }
  [[nodiscard]] bool At(std::string_view what) const { return t_.substr(p_, what.size()) == what; }
  [[nodiscard]] bool Is(std::initializer_list<PlainLanguage> some) const {
    return std::ranges::find(some, language_) != some.end();
  }
  [[nodiscard]] bool Slashes() const {
    return Is({PlainLanguage::kJava, PlainLanguage::kCSharp, PlainLanguage::kSwift, PlainLanguage::kPhp,
               PlainLanguage::kDart});
  }
  [[nodiscard]] bool Hashes() const {
    return Is({PlainLanguage::kRuby, PlainLanguage::kPerl, PlainLanguage::kPhp, PlainLanguage::kR,
               PlainLanguage::kAppleScript, PlainLanguage::kElixir, PlainLanguage::kJulia});
  }
  [[nodiscard]] bool Dashes() const { return Is({PlainLanguage::kLua, PlainLanguage::kAppleScript}); }

  void SkipTo(std::string_view end) {
    const std::size_t at = t_.find(end, p_);
    p_ = at == std::string_view::npos ? t_.size() : at + end.size();
  }
  void SkipLine() { p_ = std::min(t_.find('\n', p_), t_.size()); }

  bool Comment() {
    if (language_ == PlainLanguage::kVisualBasic && Peek() == '\'') {
      SkipLine();
    } else if (Slashes() && At("//")) {
      SkipLine();
    } else if (Slashes() && At("/*")) {
      SkipTo("*/");
    } else if (language_ == PlainLanguage::kLua && At("--[[")) {
      SkipTo("]]");
    } else if (language_ == PlainLanguage::kAppleScript && At("(*")) {
      SkipTo("*)");
    } else if (Dashes() && At("--")) {
      SkipLine();
    } else if (Hashes() && Peek() == '#' && !At("#{")) {
      SkipLine();
    } else {
      return false;
    }
    return true;
  }

  void Begin() {
    if (!open_) {
      open_ = true;
      now_ = PlainStatement();
      now_.bytes.begin = p_;
    }
  }

  void Put(char c) {
    Begin();
    if (now_.code.size() < kMostOfCode) now_.code += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }

  void Name(std::string_view name) {
    if (!name.empty() && !IsDigit(name[0]) && now_.names.size() < kMostNames) now_.names.emplace_back(name);
  }

  void Finish(std::size_t end) {
    if (!open_) return;
    open_ = false;
    now_.bytes.end = end;
    out_.push_back(std::move(now_));
  }

  // The statement so far ends with an equals sign of its own.
  [[nodiscard]] bool Assigns() const {
    const std::size_t last = open_ ? now_.code.find_last_not_of(' ') : std::string::npos;
    return last != std::string::npos && last > 0 && now_.code[last] == '=' &&
           std::string_view("=<>!~").find(now_.code[last - 1]) == std::string_view::npos;
  }

  // The next line begins with what goes on with this one: .post(...), ->send(...), + "...".
  [[nodiscard]] bool GoesOn() const {
    std::size_t at = p_;
    while (at < t_.size() && (t_[at] == ' ' || t_[at] == '\t' || t_[at] == '\r' || t_[at] == '\n')) ++at;
    if (at >= t_.size()) return false;
    if (t_[at] == '.' || t_[at] == '+' || t_[at] == '?' || t_.substr(at, 2) == "->" || t_.substr(at, 2) == "&&")
      return true;
    const std::size_t last = now_.code.find_last_not_of(' ');
    if (last == std::string::npos) return false;
    const char c = now_.code[last];
    return c == ',' || c == '+' || c == '=' || c == '\\' || c == '&' ||
           (c == '|' && language_ != PlainLanguage::kRuby) || (c == '.' && language_ != PlainLanguage::kRuby) ||
           now_.code.ends_with("\xc2\xac");
  }

  // #{name}, ${name}, $name, \(name): the names in it, and a hole.
  void Interpolated(PlainText& out) {
    const std::size_t begin = p_;
    const bool brace = At("#{") || At("${") || At("{$") || At("@{") || At("%{");
    const bool paren = At("\\(");
    if (brace || paren) {
      p_ += 2;
      int depth = 1;
      while (p_ < t_.size() && depth > 0 && p_ - begin < kMostOfText) {
        const char c = t_[p_];
        if (c == (brace ? '{' : '(')) ++depth;
        if (c == (brace ? '}' : ')')) --depth;
        if (IsLetter(c) || c == '_') {
          const std::size_t from = p_;
          while (p_ < t_.size() && IsWord(t_[p_])) ++p_;
          Name(t_.substr(from, p_ - from));
          continue;
        }
        ++p_;
      }
    } else {
      ++p_;
      const std::size_t from = p_;
      while (p_ < t_.size() && IsWord(t_[p_])) ++p_;
      Name(t_.substr(from, p_ - from));
    }
    if (out.text.empty() || out.text.back() != kPlainHole) out.text += kPlainHole;
  }

  void Text(char close, bool interpolates, bool runs) {
    Begin();
    PlainText text;
    text.runs = runs;
    const std::size_t begin = p_;
    while (p_ < t_.size() && t_[p_] != close) {
      const char c = t_[p_];
      const bool hole =
          interpolates && ((c == '#' && Peek(1) == '{' && Is({PlainLanguage::kRuby, PlainLanguage::kElixir})) ||
                           ((c == '$' || (c == '@' && language_ == PlainLanguage::kPerl)) &&
                            (IsLetter(Peek(1)) || Peek(1) == '_' || Peek(1) == '{') &&
                            Is({PlainLanguage::kPerl, PlainLanguage::kPhp, PlainLanguage::kJava, PlainLanguage::kDart,
                                PlainLanguage::kJulia})) ||
                           (c == '{' && (Peek(1) == '$' || (language_ == PlainLanguage::kCSharp && dollar_)) &&
                            Is({PlainLanguage::kPhp, PlainLanguage::kCSharp})) ||
                           (c == '\\' && Peek(1) == '(' && language_ == PlainLanguage::kSwift));
      if (hole && language_ == PlainLanguage::kCSharp) {
        // $"...{name}..."
        ++p_;
        while (p_ < t_.size() && t_[p_] != '}' && t_[p_] != close) {
          const std::size_t from = p_;
          while (p_ < t_.size() && IsWord(t_[p_])) ++p_;
          Name(t_.substr(from, p_ - from));
          if (p_ == from) ++p_;
        }
        if (Peek() == '}') ++p_;
        text.text += kPlainHole;
      } else if (hole) {
        Interpolated(text);
      } else if (c == '\\' && p_ + 1 < t_.size() && language_ != PlainLanguage::kVisualBasic && !verbatim_) {
        const char next = t_[p_ + 1];
        if (text.text.size() < kMostOfText) text.text += next == 'n' ? '\n' : next == 't' ? '\t' : next;
        p_ += 2;
      } else {
        if (text.text.size() < kMostOfText) text.text += static_cast<unsigned char>(c) <= 5 ? '\x7f' : c;
        ++p_;
      }
      if (p_ - begin > kMostOfText * 4) break;
    }
    if (p_ < t_.size()) ++p_;
    verbatim_ = false;
    now_.texts.push_back(std::move(text));
    Put('"');
    Put('"');
  }

  // line.scan(/[a-z']+/), when /"/: what stands in an expression opens no text. Where it would be a division, or has no
  // end on its line, it is none.
  bool Expression() {
    if (!Is({PlainLanguage::kRuby, PlainLanguage::kPerl})) return false;
    const std::size_t last = now_.code.find_last_not_of(' ');
    const char before = !open_ || last == std::string::npos ? '(' : now_.code[last];
    bool may = std::string_view("(,=~[{|&!;:?+*<>-").find(before) != std::string_view::npos;
    int parts = 1;  // s/one/other/ has two
    if (!may && IsLetter(before)) {
      static constexpr std::array<std::string_view, 19> kBefore = {
          "if",    "unless", "when", "and",  "or", "not", "return", "split", "scan", "match",
          "while", "until",  "gsub", "grep", "m",  "qr",  "s",      "tr",    "y"};
      std::size_t from = last;
      while (from > 0 && IsWord(now_.code[from - 1])) --from;
      const std::string_view word = std::string_view(now_.code).substr(from, last + 1 - from);
      const bool perl = word.size() <= 2 && word != "if" && word != "or";
      may = std::ranges::find(kBefore, word) != kBefore.end() && (!perl || language_ == PlainLanguage::kPerl);
      if (perl && word != "m" && word != "qr") parts = 2;
    }
    if (!may) return false;
    for (std::size_t at = p_ + 1; at < t_.size() && t_[at] != '\n'; ++at) {
      if (t_[at] == '\\') {
        ++at;
      } else if (t_[at] == '/' && --parts == 0) {
        Begin();
        Put('/');
        Put('/');
        p_ = at + 1;
        return true;
      }
    }
    return false;
  }

  // function () {, (x) => {, x -> {: within parentheses.
  [[nodiscard]] bool OpensFunction() const {
    if (!Is({PlainLanguage::kPhp, PlainLanguage::kJava, PlainLanguage::kCSharp, PlainLanguage::kDart})) return false;
    constexpr std::size_t kMostNested = 64;
    const std::size_t last = now_.code.find_last_not_of(' ');
    return last != std::string::npos && (now_.code[last] == ')' || now_.code[last] == '>') &&
           outer_.size() < kMostNested;
  }

  // <<~SH, <<-'CMD', <<<EOT: the lines up to the word. What follows on the line is taken for no more than parentheses.
  bool HereText() {
    if (!Is({PlainLanguage::kRuby, PlainLanguage::kPerl, PlainLanguage::kPhp}) || !At("<<")) return false;
    std::size_t at = p_ + 2;
    const auto skip = [&](std::string_view any) {
      if (at < t_.size() && any.find(t_[at]) != std::string_view::npos) ++at;
    };
    skip("<");
    skip("~-");
    skip("\"'");
    const std::size_t from = at;
    while (at < t_.size() && IsWord(t_[at])) ++at;
    const std::string_view word = t_.substr(from, at - from);
    constexpr std::size_t kMostOfWord = 40;
    if (word.size() < 2 || word.size() > kMostOfWord || word[0] < 'A' || word[0] > 'Z') return false;
    Begin();
    std::size_t line = std::min(t_.find('\n', at), t_.size());
    for (; at < line; ++at) depth_ += t_[at] == '(' ? 1 : t_[at] == ')' ? -1 : 0;
    depth_ = std::max(0, depth_);
    PlainText text;
    while (line < t_.size()) {
      const std::size_t end = std::min(t_.find('\n', line + 1), t_.size());
      std::string_view row = t_.substr(line + 1, end - line - 1);
      line = end;
      std::string_view bare = row.substr(std::min(row.find_first_not_of(" \t"), row.size()));
      if (bare.starts_with(word) && (bare.size() == word.size() || !IsWord(bare[word.size()]))) break;
      if (text.text.size() + row.size() < kMostOfText) text.text.append(row).append("\n");
    }
    p_ = line;
    now_.texts.push_back(std::move(text));
    Put('"');
    Put('"');
    return true;
  }

  void Step() {
    const char c = Peek();
    if (Comment() || HereText()) return;
    if (c == '\n' || c == ';') {
      ++p_;
      if (c == '\n' && (depth_ > 0 || (open_ && GoesOn()))) {
        if (open_) Put(' ');
      } else if (depth_ == 0 || c == '\n') {
        Finish(p_ - 1);
      } else {
        Put(';');
      }
      return;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
      ++p_;
      if (open_ && !now_.code.empty() && now_.code.back() != ' ') Put(' ');
      return;
    }
    if (c == '/' && Expression()) return;
    dollar_ = p_ > 0 && t_[p_ - 1] == '$';
    // @"C:\", of C#: a backslash is one.
    verbatim_ = language_ == PlainLanguage::kCSharp && p_ > 0 && c == '"' &&
                (t_[p_ - 1] == '@' || (p_ > 1 && t_[p_ - 2] == '@' && dollar_));
    if (c == '"') {
      if (At("\"\"\"")) {
        p_ += 3;
        Begin();
        const std::size_t end = std::min(t_.find("\"\"\"", p_), t_.size());
        now_.texts.push_back({std::string(t_.substr(p_, std::min(end - p_, kMostOfText)))});
        p_ = std::min(end + 3, t_.size());
        Put('"');
        Put('"');
        return;
      }
      ++p_;
      return Text('"', true, false);
    }
    if (c == '\'' && !Is({PlainLanguage::kAppleScript, PlainLanguage::kSwift, PlainLanguage::kJulia})) {
      ++p_;
      return Text('\'', false, false);
    }
    if (c == '`' && Is({PlainLanguage::kRuby, PlainLanguage::kPerl, PlainLanguage::kPhp})) {
      ++p_;
      return Text('`', true, true);
    }
    // %w[a b], %x(command), qq{...}
    if (language_ == PlainLanguage::kRuby && c == '%' && (Peek(1) == 'w' || Peek(1) == 'x' || Peek(1) == 'q') &&
        std::string_view("[({<|").find(Peek(2)) != std::string_view::npos) {
      const char open = Peek(2);
      const bool runs = Peek(1) == 'x';
      p_ += 3;
      return Text(open == '[' ? ']' : open == '(' ? ')' : open == '{' ? '}' : open == '<' ? '>' : '|', runs, runs);
    }
    if (language_ == PlainLanguage::kLua && At("[[")) {
      p_ += 2;
      return Text(']', false, false);
    }
    if (c == '(' || c == '[') {
      ++depth_;
    } else if (c == ')' || c == ']') {
      depth_ = std::max(0, depth_ - 1);
    } else if (c == '{' && depth_ > 0 && OpensFunction()) {
      // add_action("init", function () { ... }): what it does are statements.
      outer_.push_back({depth_, 0});
      depth_ = 0;
      Put(c);
      return Finish(++p_);
    } else if (literal_ > 0 && (c == '{' || c == '}')) {
      literal_ += c == '{' ? 1 : -1;
      if (literal_ == 0) depth_ = std::max(0, depth_ - 1);
    } else if (c == '{' && depth_ == 0 && language_ == PlainLanguage::kRuby && Assigns()) {
      // body = { files: paths.to_h { |path| ... } }: a table, blocks within it and all.
      literal_ = depth_ = 1;
    } else if ((c == '{' || c == '}') && depth_ == 0) {
      Put(c);
      ++p_;
      if (c == '{' && !outer_.empty()) ++outer_.back().braces;
      if (c == '}' && !outer_.empty() && --outer_.back().braces < 0) {
        Finish(p_);
        depth_ = outer_.back().depth;
        outer_.pop_back();
        return;
      }
      // { |name| ... }: the parameters belong to what is before it.
      if (c == '{' && language_ == PlainLanguage::kRuby) {
        std::size_t at = p_;
        while (at < t_.size() && (t_[at] == ' ' || t_[at] == '\t')) ++at;
        if (at < t_.size() && t_[at] == '|') return;
      }
      Finish(p_);
      return;
    }
    if (IsLetter(c) || c == '_') {
      Begin();
      const std::size_t from = p_;
      while (p_ < t_.size() && IsWord(t_[p_])) ++p_;
      const std::string_view word = t_.substr(from, p_ - from);
      Name(word);
      for (const char each : word) Put(each);
      return;
    }
    // A parenthesis that is never closed does not swallow the file.
    if (depth_ > 0 && open_ && p_ - now_.bytes.begin > kMostOfText) {
      depth_ = literal_ = 0;
      Finish(p_);
    }
    Put(c);
    ++p_;
  }

  std::string_view t_;
  PlainLanguage language_;
  std::size_t p_ = 0;
  int depth_ = 0;    // of parentheses and brackets
  int literal_ = 0;  // of braces since one that opens a table
  // Around functions that stand inside parentheses: their depth, and the braces open since.
  struct Outer {
    int depth = 0;
    int braces = 0;
  };
  std::vector<Outer> outer_;
  bool open_ = false;
  bool verbatim_ = false;
  bool dollar_ = false;
  PlainStatement now_;
  std::vector<PlainStatement> out_;
};

}  // namespace

PlainLanguage PlainLanguageOf(std::string_view path) {
  struct Ending {
    std::string_view ending;
    PlainLanguage language;
  };
  static constexpr std::array<Ending, 33> kEndings = {{{".rb", PlainLanguage::kRuby},
                                                       {".gemspec", PlainLanguage::kRuby},
                                                       {".rake", PlainLanguage::kRuby},
                                                       {"rakefile", PlainLanguage::kRuby},
                                                       {"gemfile", PlainLanguage::kRuby},
                                                       {"vagrantfile", PlainLanguage::kRuby},
                                                       {"podfile", PlainLanguage::kRuby},
                                                       {"fastfile", PlainLanguage::kRuby},
                                                       {"brewfile", PlainLanguage::kRuby},
                                                       {".podspec", PlainLanguage::kRuby},
                                                       {".gradle", PlainLanguage::kJava},
                                                       {".sbt", PlainLanguage::kJava},
                                                       {".rprofile", PlainLanguage::kR},
                                                       {".pl", PlainLanguage::kPerl},
                                                       {".pm", PlainLanguage::kPerl},
                                                       {".php", PlainLanguage::kPhp},
                                                       {".phtml", PlainLanguage::kPhp},
                                                       {".lua", PlainLanguage::kLua},
                                                       {".applescript", PlainLanguage::kAppleScript},
                                                       {".scpt", PlainLanguage::kAppleScript},
                                                       {".java", PlainLanguage::kJava},
                                                       {".kt", PlainLanguage::kJava},
                                                       {".kts", PlainLanguage::kJava},
                                                       {".scala", PlainLanguage::kJava},
                                                       {".groovy", PlainLanguage::kJava},
                                                       {".cs", PlainLanguage::kCSharp},
                                                       {".swift", PlainLanguage::kSwift},
                                                       {".r", PlainLanguage::kR},
                                                       {".vbs", PlainLanguage::kVisualBasic},
                                                       {".dart", PlainLanguage::kDart},
                                                       {".ex", PlainLanguage::kElixir},
                                                       {".exs", PlainLanguage::kElixir},
                                                       {".jl", PlainLanguage::kJulia}}};
  const std::string lower = LowerCase(path.substr(path.size() - std::min<std::size_t>(path.size(), 16)));
  for (const Ending& each : kEndings) {
    if (lower.ends_with(each.ending)) return each.language;
  }
  return PlainLanguage::kNone;
}

std::vector<PlainStatement> ReadPlainStatements(std::string_view text, PlainLanguage language, bool* complete) {
  return Reader(text, language).Run(complete);
}

}  // namespace interlock::scan
