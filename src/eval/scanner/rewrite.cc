// Rewriting calls of Python and JavaScript by their tokens.
#include "interlock/eval/scanner/rewrite.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "scanner/rewrite_text.h"

namespace interlock::eval::scanner {
namespace {

using enum SourceLanguage;

constexpr std::array kRewritings = {
    Rewriting{"py-dictionary", kPython, "part$n = {\"v\": $a}", "part$n[\"v\"]"},
    Rewriting{"py-list", kPython, "part$n = [$a]", "part$n[0]"},
    Rewriting{"py-tuple", kPython, "part$n, other$n = ($a), 0", "part$n"},
    Rewriting{"py-closure", kPython, "part$n = lambda: ($a)", "part$n()"},
    Rewriting{"py-default", kPython, "def part$n(one=($a)): return one", "part$n()"},
    Rewriting{"py-attribute", kPython, "class Part$n: pass\nPart$n.v = ($a)", "Part$n.v"},
    Rewriting{"py-setattr", kPython, "class Part$n: pass\nsetattr(Part$n, \"v\", ($a))", "getattr(Part$n, \"v\")"},
    Rewriting{"py-namespace", kPython, "part$n = __import__(\"types\").SimpleNamespace(v=($a))", "part$n.v"},
    Rewriting{"py-iterator", kPython, "part$n = iter([$a])", "next(part$n)"},
    Rewriting{"py-generator", kPython, "part$n = (one for one in [$a])", "next(part$n)"},
    Rewriting{"py-queue", kPython, "part$n = __import__(\"collections\").deque([$a])", "part$n.popleft()"},
    Rewriting{"py-partial", kPython, "part$n = __import__(\"functools\").partial(lambda one: one, ($a))", "part$n()"},
    Rewriting{"py-globals", kPython, "globals()[\"part$n\"] = ($a)", "part$n"},
    Rewriting{"py-loop", kPython, "for part$n in [$a]: pass", "part$n"},
    Rewriting{"js-object", kJavaScript, "const part$n = { v: $a };", "part$n.v"},
    Rewriting{"js-array", kJavaScript, "const part$n = [$a];", "part$n[0]"},
    Rewriting{"js-destructured", kJavaScript, "const { v: part$n } = { v: $a };", "part$n"},
    Rewriting{"js-closure", kJavaScript, "const part$n = () => ($a);", "part$n()"},
    Rewriting{"js-bound", kJavaScript, "const part$n = ((one) => one).bind(null, $a);", "part$n()"},
    Rewriting{"js-map", kJavaScript, "const part$n = new Map([[\"v\", $a]]);", "part$n.get(\"v\")"},
    Rewriting{"js-set", kJavaScript, "const part$n = new Set([$a]);", "[...part$n][0]"},
    Rewriting{"js-key", kJavaScript, "const part$n = {}; part$n[\"v\"] = $a;", "part$n[\"v\"]"},
    Rewriting{"js-assign", kJavaScript, "const part$n = Object.assign({}, { v: $a });", "part$n.v"},
    Rewriting{"js-reflect", kJavaScript, "const part$n = {}; Reflect.set(part$n, \"v\", $a);",
              "Reflect.get(part$n, \"v\")"},
    Rewriting{"js-class", kJavaScript, "const part$n = new (class { constructor(one) { this.v = one; } })($a);",
              "part$n.v"},
    Rewriting{"js-iterator", kJavaScript, "const part$n = [$a].values();", "part$n.next().value"},
    Rewriting{"js-generator", kJavaScript, "const part$n = (function* (one) { yield one; })($a);",
              "part$n.next().value"},
    Rewriting{"js-global", kJavaScript, "globalThis.part$n = $a;", "globalThis.part$n"},
    Rewriting{"js-loop", kJavaScript, "let part$n; for (part$n of [$a]);", "part$n"},
    Rewriting{"md-quote", kMarkdown, "", ""},
    Rewriting{"md-items", kMarkdown, "", ""},
    Rewriting{"md-plain-fence", kMarkdown, "", ""},
    Rewriting{"md-text-fence", kMarkdown, "", ""},
    Rewriting{"md-tildes", kMarkdown, "", ""},
    Rewriting{"md-indented", kMarkdown, "", ""},
    Rewriting{"md-pre", kMarkdown, "", ""},
    Rewriting{"md-details", kMarkdown, "", ""},
    Rewriting{"md-line-ends", kMarkdown, "", ""},
    Rewriting{"md-headings", kMarkdown, "", ""},
    Rewriting{"folder-tests", kFolder, "", "tests"},
    Rewriting{"folder-examples", kFolder, "", "examples"},
    Rewriting{"folder-docs", kFolder, "", "docs"},
    Rewriting{"folder-vendor", kFolder, "", "vendor"},
    Rewriting{"folder-modules", kFolder, "", "node_modules/lib"},
    Rewriting{"folder-ci", kFolder, "", ".github/actions"},
};

constexpr std::size_t kMaxArgument = 400;
constexpr std::size_t kMaxPlaces = 2000;

enum class Kind : std::uint8_t { kWord, kNumber, kString, kSign, kLine };
struct Token {
  Kind kind = Kind::kSign;
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view text, SourceLanguage language) : text_(text), language_(language) {}

  std::vector<Token> Run() {
    while (at_ < text_.size()) One();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool Starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void Skip(std::size_t to) { at_ = std::min(to, text_.size()); }
  void Push(Kind kind, std::size_t end) {
    out_.push_back({kind, at_, std::min(end, text_.size())});
    at_ = out_.back().end;
  }

  void One() {
    const char c = text_[at_];
    const bool python = language_ == kPython;
    if (c == '\n') {
      // One for any number of them.
      if (!out_.empty() && out_.back().kind == Kind::kLine) return Skip(at_ + 1);
      return Push(Kind::kLine, at_ + 1);
    }
    if (python && c == '\\') return Skip(at_ + (Starts("\\\r\n") ? 3 : 2));
    if (c == ' ' || c == '\t' || c == '\r') return Skip(at_ + 1);
    if (python ? c == '#' : Starts("//")) return Skip(text_.find('\n', at_));
    if (!python && Starts("/*")) return Skip(After(text_.find("*/", at_ + 2), 2));
    if (c == '"' || c == '\'' || (!python && c == '`')) return String(at_);
    if (IsWordStart(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (IsWordStart(text_[end]) || IsDigit(text_[end]))) ++end;
      // A short word right before a quotation mark is the string's prefix.
      if (python && end - at_ <= 2 && end < text_.size() && (text_[end] == '"' || text_[end] == '\''))
        return String(end);
      return Push(Kind::kWord, end);
    }
    if (IsDigit(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (IsWordStart(text_[end]) || IsDigit(text_[end]) || text_[end] == '.')) ++end;
      return Push(Kind::kNumber, end);
    }
    if (!python && c == '/' && RegexMayStand()) return Regex();
    if (!python && Starts("=>")) return Push(Kind::kSign, at_ + 2);
    Push(Kind::kSign, at_ + 1);
  }

  static std::size_t After(std::size_t found, std::size_t size) {
    return found == std::string_view::npos ? found : found + size;
  }

  void String(std::size_t quote) {
    const char mark = text_[quote];
    const std::string_view three = text_.substr(quote, 3);
    if (language_ == kPython && three.size() == 3 && three[1] == mark && three[2] == mark) {
      std::size_t end = quote + 3;
      while (end < text_.size() && text_.substr(end, 3) != three) end += text_[end] == '\\' ? 2U : 1U;
      return Push(Kind::kString, end + 3);
    }
    std::size_t end = quote + 1;
    std::size_t depth = 0;  // of ${ } in a template
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '\\') {
        ++end;
      } else if (mark == '`' && c == '$' && text_.substr(end, 2) == "${") {
        ++depth;
        ++end;
      } else if (depth > 0) {
        if (c == '{') ++depth;
        if (c == '}') --depth;
      } else if (c == mark || (c == '\n' && mark != '`')) {
        break;
      }
    }
    Push(Kind::kString, end + 1);
  }

  [[nodiscard]] bool RegexMayStand() const {
    if (out_.empty()) return true;
    const Token& last = out_.back();
    const std::string_view word = text_.substr(last.begin, last.end - last.begin);
    if (last.kind == Kind::kWord) return word == "return" || word == "typeof" || word == "case";
    if (last.kind == Kind::kNumber || last.kind == Kind::kString) return false;
    return word != ")" && word != "]" && word != "}";
  }
  void Regex() {
    bool in_class = false;
    std::size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != '\n'; ++end) {
      if (text_[end] == '\\') {
        ++end;
      } else if (text_[end] == '[') {
        in_class = true;
      } else if (text_[end] == ']') {
        in_class = false;
      } else if (text_[end] == '/' && !in_class) {
        break;
      }
    }
    Push(Kind::kString, end + 1);
  }

  std::string_view text_;
  SourceLanguage language_;
  std::size_t at_ = 0;
  std::vector<Token> out_;
};

template <std::size_t n>
bool In(std::string_view word, const std::array<std::string_view, n>& list) {
  return std::ranges::find(list, word) != list.end();
}

// Statements before which nothing can be put, or whose calls are none.
constexpr std::array<std::string_view, 13> kNotPython = {"elif",   "else", "except", "finally", "case",  "def", "class",
                                                         "import", "from", "async",  "while",   "match", "try"};
constexpr std::array<std::string_view, 18> kNotJavaScript = {
    "else",  "case",   "default", "catch",     "finally", "while",    "do",      "import",  "function",
    "class", "static", "async",   "interface", "type",    "abstract", "declare", "private", "public"};
constexpr std::array<std::string_view, 22> kNoCallee = {
    "if", "for", "while", "switch", "catch", "function", "return", "typeof", "await", "async",  "in",
    "of", "and", "or",    "not",    "is",    "import",   "super",  "yield",  "else",  "lambda", "require"};
// An argument that must be evaluated where it stands.
constexpr std::array<std::string_view, 10> kBound = {"await", "yield", "lambda",    "for",    "function",
                                                     "super", "async", "arguments", "locals", "as"};
constexpr std::array<std::string_view, 5> kPlain = {"True", "False", "None", "null", "undefined"};

class Rewriter {
 public:
  Rewriter(std::string_view text, const Rewriting& how)
      : text_(text), how_(how), python_(how.language == kPython), tokens_(Lexer(text, how.language).Run()) {
    Match();
  }

  std::string Run(std::uint32_t& places) {
    if (python_) {
      Python();
    } else {
      JavaScript();
    }
    places = count_;
    out_ += text_.substr(copied_);
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kNo = static_cast<std::size_t>(-1);

  [[nodiscard]] std::string_view Of(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin) : std::string_view{};
  }
  [[nodiscard]] bool Is(std::size_t i, char c) const {
    return i < tokens_.size() && tokens_[i].kind == Kind::kSign && text_[tokens_[i].begin] == c &&
           tokens_[i].end == tokens_[i].begin + 1;
  }
  [[nodiscard]] bool IsArrow(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == Kind::kSign && Of(i) == "=>";
  }
  [[nodiscard]] std::size_t NextOf(std::size_t i) const {
    for (++i; i < tokens_.size() && tokens_[i].kind == Kind::kLine;) ++i;
    return i;
  }

  // Pairs of brackets; one without its other half is no bracket.
  void Match() {
    pair_.assign(tokens_.size(), kNo);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (Is(i, '(') || Is(i, '[') || Is(i, '{')) open.push_back(i);
      for (const auto& [left, right] : {std::pair{'(', ')'}, std::pair{'[', ']'}, std::pair{'{', '}'}}) {
        if (!Is(i, right) || open.empty() || !Is(open.back(), left)) continue;
        pair_[open.back()] = i;
        pair_[i] = open.back();
        open.pop_back();
      }
    }
  }

  // Logical lines.
  void Python() {
    std::size_t first = kNo;
    for (std::size_t i = 0; i <= tokens_.size(); ++i) {
      if (i < tokens_.size() && tokens_[i].kind != Kind::kLine) {
        if (first == kNo) first = i;
        if (pair_[i] != kNo && pair_[i] > i) i = pair_[i];
        continue;
      }
      if (first != kNo) Statement(first, i);
      first = kNo;
    }
  }

  // Statements of blocks. What an expression holds in braces is read for blocks of functions only.
  void JavaScript() {
    struct Block {
      std::size_t end = 0;
      bool statements = true;
    };
    std::vector<Block> blocks{{tokens_.size(), true}};
    std::size_t first = kNo;
    std::size_t last = kNo;           // the token before, lines left out
    std::vector<std::size_t> firsts;  // of the blocks around
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == Kind::kLine) continue;
      const bool fresh = last != kNo && HasLine(last, i) && Ends(last) && Begins(i);
      if (blocks.back().statements && first == kNo) first = i;
      if (blocks.back().statements && fresh && depth_ == 0 && first != i) {
        spans_.emplace_back(first, i);
        first = i;
      }
      last = i;
      if (i == blocks.back().end) {
        if (blocks.back().statements && first != kNo && first != i) spans_.emplace_back(first, i);
        blocks.pop_back();
        first = firsts.empty() ? kNo : firsts.back();
        if (!firsts.empty()) firsts.pop_back();
        depth_ = depths_.empty() ? 0 : depths_.back();
        if (!depths_.empty()) depths_.pop_back();
        // A block that ends a statement by itself.
        if (depth_ == 0 && first != kNo && blocks.back().statements && ClosesStatement(first, i)) {
          spans_.emplace_back(first, i);
          first = kNo;
        }
        continue;
      }
      if (Is(i, '{') && pair_[i] != kNo) {
        const std::size_t before = Before(i);
        const bool is_class = first != kNo && HasWord(first, i, "class");
        const bool code = before == kNo || Is(before, ')') || IsArrow(before) || Of(before) == "else" ||
                          Of(before) == "try" || Of(before) == "finally" || Of(before) == "do" || first == i;
        firsts.push_back(first);
        depths_.push_back(depth_);
        blocks.push_back({pair_[i], code && !is_class});
        first = kNo;
        depth_ = 0;
        continue;
      }
      if ((Is(i, '(') || Is(i, '[')) && pair_[i] != kNo) ++depth_;
      if ((Is(i, ')') || Is(i, ']')) && pair_[i] != kNo && depth_ > 0) --depth_;
      if (Is(i, ';') && depth_ == 0 && blocks.back().statements) {
        if (first != kNo && first != i) spans_.emplace_back(first, i);
        first = kNo;
      }
    }
    if (first != kNo) spans_.emplace_back(first, tokens_.size());
    // Statements were met from the inside out.
    std::ranges::sort(spans_);
    for (const auto& [from, to] : spans_) Statement(from, to);
  }

  [[nodiscard]] std::size_t Before(std::size_t i) const {
    while (i > 0) {
      if (tokens_[--i].kind != Kind::kLine) return i;
    }
    return kNo;
  }
  [[nodiscard]] bool HasLine(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (tokens_[i].kind == Kind::kLine) return true;
    }
    return false;
  }
  [[nodiscard]] bool HasWord(std::size_t from, std::size_t to, std::string_view word) const {
    for (std::size_t i = from; i < to; ++i) {
      if (tokens_[i].kind == Kind::kWord && Of(i) == word) return true;
    }
    return false;
  }
  // Whether a statement may end with this token.
  [[nodiscard]] bool Ends(std::size_t i) const {
    if (Is(i, ')')) {
      const std::size_t before = pair_[i] == kNo ? kNo : Before(pair_[i]);
      const std::string_view word = before == kNo ? std::string_view{} : Of(before);
      return word != "if" && word != "for" && word != "while";
    }
    if (tokens_[i].kind == Kind::kSign) return Is(i, ']') || Is(i, '}');
    return Of(i) != "else" && Of(i) != "return" && Of(i) != "new" && Of(i) != "await";
  }
  [[nodiscard]] bool Begins(std::size_t i) const {
    return tokens_[i].kind == Kind::kWord && Of(i) != "in" && Of(i) != "of" && Of(i) != "instanceof" && Of(i) != "as";
  }
  // `if (...) {...}`, `function f() {...}`, `class X {...}`, a bare block: nothing follows on.
  [[nodiscard]] bool ClosesStatement(std::size_t first, std::size_t end) const {
    const std::string_view word = Of(first);
    static constexpr std::array<std::string_view, 15> kHeads = {"if",  "for",   "while",     "function", "class",
                                                                "try", "else",  "catch",     "finally",  "switch",
                                                                "do",  "async", "interface", "export",   "{"};
    return In(word, kHeads) && !Is(NextOf(end), '.') && !Is(NextOf(end), '(') && !Is(NextOf(end), ',') &&
           !Is(NextOf(end), ')');
  }

  // Boxes the arguments of the statement's own calls; blocks inside it have statements of their own.
  void Statement(std::size_t first, std::size_t last) {
    const std::string_view head = Of(first);
    if (tokens_[first].kind != Kind::kWord || tokens_[first].begin < copied_) return;
    if (python_ ? In(head, kNotPython) : In(head, kNotJavaScript)) return;
    if (python_ && (HasWord(first + 1, last, "for") || HasWord(first, last, "lambda"))) return;
    if (!python_ && (HasWord(first, last, "class") || (head == "export" && HasWord(first, first + 3, "function"))))
      return;
    // What the loop declares is known in its body only.
    if (!python_ && head == "for")
      last = Is(NextOf(first), '(') && pair_[NextOf(first)] != kNo ? pair_[NextOf(first)] : first;
    const std::size_t line = tokens_[first].begin == 0 ? kNo : text_.rfind('\n', tokens_[first].begin - 1);
    const std::size_t start = line == kNo ? 0 : line + 1;
    const std::string_view indent = text_.substr(start, tokens_[first].begin - start);
    const bool own_line = indent.find_first_not_of(" \t") == std::string_view::npos;
    if (python_ && !own_line) return;
    std::vector<std::pair<std::size_t, std::size_t>> boxed;  // bytes
    for (std::size_t i = first; i < last; ++i) {
      if (!python_ && (IsArrow(i) || Of(i) == "function")) break;  // what follows may be bound there
      if (!Is(i, '(') || pair_[i] == kNo || i == first) continue;
      const std::size_t callee = Before(i);
      if (tokens_[callee].kind != Kind::kWord || In(Of(callee), kNoCallee)) continue;
      const std::size_t after = NextOf(pair_[i]);
      if (!python_ && (Is(after, '{') || IsArrow(after) || Is(after, ':'))) continue;
      Arguments(i, boxed);
    }
    if (boxed.empty()) return;
    std::ranges::sort(boxed);
    std::string edited;
    std::size_t at = tokens_[first].begin;
    std::string lines;
    for (const auto& [begin, end] : boxed) {
      if (begin < at || count_ >= kMaxPlaces) continue;  // inside one that is boxed already
      ++count_;
      edited += text_.substr(at, begin - at);
      Fill(how_.use, {}, {}, edited);
      at = end;
      Fill(how_.before, text_.substr(begin, end - begin), own_line ? indent : std::string_view{}, lines);
      lines += own_line ? "\n" : " ";
      if (own_line) lines += indent;
    }
    out_ += text_.substr(copied_, tokens_[first].begin - copied_);
    out_ += lines;
    out_ += edited;
    copied_ = at;
  }

  void Arguments(std::size_t open, std::vector<std::pair<std::size_t, std::size_t>>& boxed) const {
    const std::size_t close = pair_[open];
    std::size_t first = open + 1;
    for (std::size_t i = open + 1; i <= close; ++i) {
      if (i < close && pair_[i] != kNo && pair_[i] > i) {
        i = pair_[i];
        continue;
      }
      if (i != close && !Is(i, ',')) continue;
      Argument(first, i, boxed);
      first = i + 1;
    }
  }

  void Argument(std::size_t first, std::size_t last, std::vector<std::pair<std::size_t, std::size_t>>& boxed) const {
    while (first < last && tokens_[first].kind == Kind::kLine) ++first;
    while (last > first && tokens_[last - 1].kind == Kind::kLine) --last;
    if (python_ && last > first + 2 && tokens_[first].kind == Kind::kWord && Is(first + 1, '=') &&
        !Is(first + 2, '=')) {
      first += 2;
    }
    if (first >= last || Is(first, '*') || Is(first, '.')) return;
    const std::size_t begin = tokens_[first].begin;
    const std::size_t end = tokens_[last - 1].end;
    if (end - begin > kMaxArgument) return;
    bool says = false;
    std::size_t depth = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (tokens_[i].kind == Kind::kWord && In(Of(i), kBound)) return;
      if (IsArrow(i)) return;
      if (pair_[i] != kNo) depth += pair_[i] > i ? 1U : std::size_t(-1);
      // A type, or an assignment.
      if (depth == 0 && (Is(i, ':') || Is(i, '=')) && !HasTernary(first, i)) return;
      if (tokens_[i].kind == Kind::kString || (tokens_[i].kind == Kind::kWord && !In(Of(i), kPlain))) says = true;
    }
    if (says) boxed.emplace_back(begin, end);
  }
  [[nodiscard]] bool HasTernary(std::size_t first, std::size_t i) const {
    for (std::size_t k = first; k < i; ++k) {
      if (Is(k, '?')) return true;
    }
    // `a == b`, `a >= b`, `a != b`
    return Is(i, '=') && (Is(i + 1, '=') || Is(i - 1, '=') || Is(i - 1, '<') || Is(i - 1, '>') || Is(i - 1, '!'));
  }

  void Fill(std::string_view pattern, std::string_view argument, std::string_view indent, std::string& out) const {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern.substr(i, 2) == "$n") {
        out += std::to_string(count_);
        ++i;
      } else if (pattern.substr(i, 2) == "$a") {
        out += argument;
        ++i;
      } else {
        out += pattern[i];
        if (pattern[i] == '\n') out += indent;
      }
    }
  }

  std::string_view text_;
  const Rewriting& how_;
  bool python_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> pair_;
  std::vector<std::size_t> depths_;
  std::vector<std::pair<std::size_t, std::size_t>> spans_;
  std::size_t depth_ = 0;
  std::string out_;
  std::size_t copied_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace

SourceLanguage LanguageOf(std::string_view path) noexcept {
  if (path.ends_with(".py")) return kPython;
  if (path.ends_with(".md")) return kMarkdown;
  static constexpr std::array<std::string_view, 8> kEnds = {".js",  ".ts",  ".mjs", ".cjs",
                                                            ".mts", ".cts", ".jsx", ".tsx"};
  if (path.ends_with(".d.ts")) return kNone;
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return path.ends_with(end); }) ? kJavaScript : kNone;
}

std::span<const Rewriting> Rewritings() noexcept { return kRewritings; }

std::string Rewrite(std::string_view source, const Rewriting& how, std::uint32_t& places) {
  if (how.language == kMarkdown) return RewriteMarkdown(source, how.id, places);
  return Rewriter(source, how).Run(places);
}

ScanSample Apply(const ScanSample& sample, const Rewriting& how, std::uint32_t& places) {
  if (how.language == kFolder) return MoveScripts(sample, how.use, places);
  ScanSample out = sample;
  places = 0;
  for (core::PackageFile& file : out.view.files) {
    if (LanguageOf(file.path) != how.language || file.path.find("!/") != std::string::npos) continue;
    std::uint32_t here = 0;
    file.bytes = Rewrite(file.bytes, how, here);
    places += here;
  }
  return out;
}

}  // namespace interlock::eval::scanner
