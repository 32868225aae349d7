// Comments and strings of source files, without a tree.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "static/classify.h"
#include "static/surface_parts.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kLongestJoined = 8000;
constexpr std::uint32_t kMostShifts = 64;  // each looks for its end in the whole file

// Comments and strings of a source file, as far as one can tell without a tree: the text an agent or a developer's
// assistant would read.
class CodeReader {
 public:
  CodeReader(SurfaceSink& sink, base::ByteSpan part, CodeStyle style)
      : sink_(sink), text_(sink.text()), end_(part.end), at_(part.begin), style_(style) {}

  void Run() {
    while (at_ < end_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        word_ = {};
        // class Add < MCP::Tool, newline, description "..."
        if (style_ == CodeStyle::kScript && last_ != ':' && last_ != '=' && last_ != '>') key_ = {};
        continue;
      }
      if (IsSpace(c)) {
        ++at_;
        continue;
      }
      if (Comment() || (c == '<' && Heredoc())) continue;
      if (c == '"' || c == '\'' || (c == '`' && IsC())) {
        if (style_ == CodeStyle::kHash) {
          Plain(c);
        } else {
          String(c);
        }
        continue;
      }
      if (c != '+' && !(c == ',' && at_ < joined_)) FlushString();  // a sum of literals goes on
      if (c == '[' || c == '(') Joined();
      if (c == ')' || c == ';') describes_ = false;
      if (c == '/' && style_ == CodeStyle::kC && RegexMayStart()) {
        SkipRegex();
        continue;
      }
      if (IsWordByte(c)) {
        const std::size_t begin = at_;
        while (at_ < end_ && IsWordByte(text_[at_])) ++at_;
        Word(text_.substr(begin, at_ - begin));
        continue;
      }
      if (c == '@') {
        decorator_ = true;
        if (style_ == CodeStyle::kPython) hands_ = false;
      }
      if (c == '(') ++depth_;
      if (c == ')' && depth_ > 0 && --depth_ <= hands_depth_ && IsC()) hands_ = false;
      if (c == ',' || c == ';' || c == '{' || c == '}') {
        key_ = {};
        word_ = {};
      }
      if (c == ':' || c == '=') key_ = word_;
      last_ = c;
      ++at_;
    }
    FlushString();
  }

 private:
  [[nodiscard]] bool IsC() const { return style_ == CodeStyle::kC || style_ == CodeStyle::kTyped; }

  // "inquirer.prompt(" asks a person.
  static bool IsServer(std::string_view name) {
    return name.ends_with("erver") || name.ends_with("mcp") || name.ends_with("Mcp") || name.ends_with("MCP");
  }

  // `description = D`, `Description(D)`: the names of what tools are said to be, where it stands elsewhere in the file.
  bool IsNamedSaid(std::string_view name) {
    constexpr std::size_t kMostNames = 64;
    if (style_ != CodeStyle::kTyped || name.empty()) return false;
    if (!said_names_) {
      said_names_.emplace();
      constexpr std::string_view kKey = "escription";
      for (std::size_t at = text_.find(kKey); at < end_ && said_names_->size() < kMostNames;
           at = text_.find(kKey, at + 1)) {
        std::size_t i = at + kKey.size();
        while (i < end_ && (text_[i] == ' ' || text_[i] == '=' || text_[i] == ':' || text_[i] == '(')) ++i;
        const std::size_t begin = i;
        while (i < end_ && IsWordByte(text_[i])) ++i;
        if (i > begin && begin > at + kKey.size()) said_names_->push_back(text_.substr(begin, i - begin));
      }
    }
    return std::ranges::find(*said_names_, name) != said_names_->end();
  }

  // Marks of Java and C# whose one text is what a tool or its parameter is said to be.
  static bool IsSaid(std::string_view mark) {
    return mark == "Tool" || mark == "ToolParam" || mark == "ToolArg" || mark == "Description" ||
           mark == "LLMDescription";
  }

  void Word(std::string_view word) {
    if (decorator_ && (word == "tool" || word == "prompt" || word == "resource")) tool_ = true;
    // What a prompt or a resource of a server hands out is given to the model.
    if (decorator_ && (word == "prompt" || word == "resource")) gives_ = true;
    const bool method = last_ == '.' && at_ < end_ && text_[at_] == '(';
    if (IsC() && method && (word == "registerPrompt" || (word == "prompt" && IsServer(word_)))) {
      hands_ = true;
      hands_depth_ = depth_;
    }
    if (word == "def" || word == "class" || word == "function") {
      if (style_ == CodeStyle::kPython) hands_ = gives_;
      gives_ = false;
      described_ = tool_;
      tool_ = false;
      decorator_ = false;
    }
    // A prefix of a string (f"", r"", b"") is no word of its own.
    if (at_ < end_ && (text_[at_] == '"' || text_[at_] == '\'') && word.size() <= 2) return;
    // z.string().describe("..."): a parameter's description; describe("...") alone is a test's.
    if (word == "describe") describes_ = last_ == '.';
    word_ = word;
    last_ = 'a';
  }

  bool Comment() {
    const char c = text_[at_];
    std::size_t mark = 0;
    const bool hash = style_ == CodeStyle::kHash || style_ == CodeStyle::kScript;
    if (c == '#' && (style_ == CodeStyle::kPython || hash)) {
      if (hash && at_ > 0 && !IsSpace(text_[at_ - 1])) return false;
      mark = 1;
    } else if (c == '/' && IsC() && at_ + 1 < end_ && text_[at_ + 1] == '/') {
      mark = 2;
    } else if (c == '-' && style_ == CodeStyle::kDash && at_ + 1 < end_ && text_[at_ + 1] == '-') {
      mark = 2;
    } else if (c == '/' && style_ != CodeStyle::kPython && at_ + 1 < end_ && text_[at_ + 1] == '*' && !hash) {
      std::size_t stop = text_.find("*/", at_ + 2);
      if (stop > end_) stop = end_;
      Emit(IsOfTool(stop + 2) ? kSurfaceDescription : kSurfaceComment, at_ + 2, stop);
      at_ = std::min(end_, stop + 2);
      return true;
    }
    if (mark == 0) return false;
    // Comments that follow each other are one text.
    const char sign = c;
    const std::size_t begin = at_ + mark;
    std::size_t stop = at_;
    for (;;) {
      std::size_t line = text_.find('\n', at_);
      if (line > end_) line = end_;
      stop = line;
      at_ = line;
      std::size_t next = line;
      std::size_t breaks = 0;
      while (next < end_ && IsSpace(text_[next])) breaks += text_[next++] == '\n' ? 1U : 0U;
      if (next + mark > end_ || breaks > 1 || text_[next] != sign || (mark == 2 && text_[next + 1] != sign)) break;
      at_ = next;
    }
    Emit(IsOfTool(stop) ? kSurfaceDescription : kSurfaceComment, begin, stop);
    return true;
  }

  // `/** ... */ #[McpTool]`, `/// ...` newline `#[tool]`: what is said before a tool is what the tool is said to be.
  bool IsOfTool(std::size_t at) const {
    if (style_ != CodeStyle::kTyped) return false;
    while (at < end_ && IsSpace(text_[at])) ++at;
    if (at >= end_) return false;
    static constexpr std::array kTools =
        std::to_array<std::string_view>({"#[tool]", "#[tool(", "#[rmcp::tool", "#[McpTool", "#[McpPrompt", "@Tool",
                                         "@McpTool", "[McpServerTool", "#[AsTool"});
    const std::string_view rest = text_.substr(at, 16);
    return std::ranges::any_of(kTools, [&](std::string_view tool) { return rest.starts_with(tool); });
  }

  void Emit(SurfaceSet kind, std::size_t begin, std::size_t end) {
    if (end <= begin || !IsWorthReading(text_.substr(begin, end - begin))) return;
    TextSurface surface;
    surface.kind = kind;
    surface.bytes = {begin, end};
    sink_.Add(std::move(surface));
  }

  // What a script prints is read by whoever ran it; what it hands to programs is no sentence as a rule.
  void Plain(char quote) {
    const bool block = at_ > 0 && text_[at_ - 1] == '@';  // PowerShell: @" to "@ at the head of a line
    const std::size_t begin = at_ + 1;
    std::size_t i = begin;
    if (block) {
      const char stop[] = {'\n', quote, '@'};
      i = std::min(end_, text_.find(std::string_view(stop, 3), begin));
    } else {
      while (i < end_ && text_[i] != quote && (text_[i] != '\n' || quote != '\''))
        i += text_[i] == '\\' && quote != '\'' ? 2U : 1U;
      i = std::min(i, end_);
    }
    Emit(kSurfaceString, begin, i);
    at_ = std::min(end_, i + (block ? 3U : 1U));
  }

  // cat >> "$HOME/.claude/CLAUDE.md" <<EOF, on the line that ends at `end`; or >> "$file", where such a file is named.
  bool IsWrittenForAgents(std::size_t end) {
    const auto names_one = [](std::string_view text) {
      constexpr std::string_view kApart = " \t\r\n\"'=<>;|&(){}$";
      for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = std::min(text.find_first_of(kApart, from), text.size());
        const std::string_view word = text.substr(from, to - from);
        if (word.find('.') != std::string_view::npos && IsInstructionFile(word)) return true;
        from = to + 1;
      }
      return false;
    };
    const std::size_t start = text_.rfind('\n', end - 1) + 1;
    const std::string_view line = text_.substr(start, end - start);
    if (line.find('>') == std::string_view::npos && line.find("tee ") == std::string_view::npos) return false;
    if (names_one(line)) return true;
    if (line.find("$") == std::string_view::npos) return false;
    if (!names_obeyed_) names_obeyed_ = names_one(text_);
    return *names_obeyed_;
  }

  // cat <<EOF: all lines up to the one that says EOF.
  bool Heredoc() {
    if ((style_ != CodeStyle::kHash && style_ != CodeStyle::kScript) || text_.substr(at_, 2) != "<<" ||
        text_.substr(at_, 3) == "<<<" || shifts_ > kMostShifts)
      return false;
    std::size_t i = at_ + 2;
    const bool tabs = i < end_ && (text_[i] == '-' || text_[i] == '~');
    if (tabs) ++i;
    while (i < end_ && (text_[i] == ' ' || text_[i] == '"' || text_[i] == '\'' || text_[i] == '\\')) ++i;
    const std::size_t name = i;
    while (i < end_ && IsWordByte(text_[i])) ++i;
    const std::string_view word = text_.substr(name, i - name);
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return false;
    const std::size_t begin = text_.find('\n', i);
    if (begin >= end_) return false;
    for (std::size_t line = begin + 1; line < end_;) {
      const std::size_t stop = std::min(end_, text_.find('\n', line));
      std::size_t from = line;
      while (tabs && from < stop && (text_[from] == '\t' || text_[from] == ' ')) ++from;
      if (text_.substr(from, stop - from) == word) {
        // description <<~TEXT
        const SurfaceSet named = style_ == CodeStyle::kScript ? KindOfKey(key_.empty() ? word_ : key_) : 0;
        Emit(IsWrittenForAgents(begin)                                      ? kSurfaceInstruction
             : named == kSurfaceDescription || named == kSurfaceInstruction ? named
                                                                            : kSurfaceString,
             begin + 1, line);
        at_ = stop;
        return true;
      }
      line = stop + 1;
    }
    ++shifts_;  // 1 << n
    return false;
  }

  bool RegexMayStart() const {
    return last_ == '(' || last_ == ',' || last_ == '=' || last_ == ':' || last_ == '[' || last_ == '!' ||
           last_ == '&' || last_ == '|' || last_ == '?' || last_ == '{' || last_ == '}' || last_ == ';' ||
           (last_ == 'a' && word_ == "return");
  }

  void SkipRegex() {
    bool set = false;
    std::size_t i = at_ + 1;
    for (; i < end_ && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (c == '[') {
        set = true;
      } else if (c == ']') {
        set = false;
      } else if (c == '/' && !set) {
        ++i;
        last_ = '/';
        at_ = std::min(i, end_);
        return;
      }
    }
    ++at_;
    last_ = '/';
  }

  void String(char quote) {
    // Text blocks of Java and Kotlin are written as in Python.
    const bool block = style_ == CodeStyle::kPython || ((IsC() || style_ == CodeStyle::kScript) && quote == '"');
    const bool triple = block && text_.substr(at_, 3) == std::string(3, quote);
    const std::size_t mark = triple ? 3U : 1U;
    const std::size_t begin = at_ + mark;
    std::size_t i = begin;
    bool escaped = false;
    while (i < end_) {
      const char c = text_[i];
      if (c == '\\') {
        escaped = true;
        i += 2;
        continue;
      }
      if (c == quote && (!triple || text_.substr(i, 3) == text_.substr(at_, 3))) break;
      if (c == '\n' && !triple && quote != '`') break;
      ++i;
    }
    i = std::min(i, end_);
    const bool statement = triple && (last_ == ':' || last_ == 0 || pending_.owned.empty()) && key_ != word_;
    SurfaceSet kind = kSurfaceString;
    if (triple && (last_ == ':' || last_ == 0) && statement) {
      kind = described_ ? kSurfaceDescription : kSurfaceComment;
      described_ = false;
    } else {
      // var tool = builder.description("..."): what is called says more than what keeps it.
      SurfaceSet special = KindOfKey(key_.empty() ? word_ : key_);
      if (special == 0 && last_ == '(' && style_ == CodeStyle::kTyped) special = KindOfKey(word_);
      if (special == 0 && IsNamedSaid(key_)) special = kSurfaceDescription;
      if (special == kSurfaceDescription || special == kSurfaceInstruction) kind = special;
      // @Tool("..."), [KernelFunction("..."), Description("...")], @P("...")
      if (style_ == CodeStyle::kTyped && last_ == '(' && key_.empty() && IsSaid(word_)) kind = kSurfaceDescription;
      if (describes_) kind = kSurfaceSchema;
      if (kind == kSurfaceString && hands_) kind = kSurfaceInstruction;
    }
    if (quote == '`' && style_ == CodeStyle::kTyped && Tag(begin, i)) {
      at_ = std::min(end_, i + 1);
      last_ = '"';
      return;
    }
    Piece(kind, begin, i, escaped);
    at_ = std::min(end_, i + (i < end_ && text_[i] == quote ? mark : std::size_t{0}));
    if (i >= end_) at_ = end_;
    // {"description": ...}: a key between quotation marks.
    constexpr std::size_t kLongestKey = 32;
    const std::size_t next = at_ < end_ ? text_.find_first_not_of(' ', at_) : end_;
    const bool arrow = style_ == CodeStyle::kTyped || style_ == CodeStyle::kScript;  // "description" => "..."
    const bool names = next < end_ && (text_[next] == ':' || (arrow && text_.substr(next, 2) == "=>"));
    if (i - begin <= kLongestKey && names) word_ = text_.substr(begin, i - begin);
    last_ = '"';
  }

  // A int `json:"a" jsonschema:"what it is said to be"`, of Go.
  bool Tag(std::size_t begin, std::size_t end) {
    const std::string_view raw = text_.substr(begin, end - begin);
    bool any = false;
    for (const std::string_view key : {"jsonschema:\"", "jsonschema_description:\"", "description:\""}) {
      const std::size_t at = raw.find(key);
      if (at == std::string_view::npos) continue;
      const std::size_t from = at + key.size();
      const std::size_t to = std::min(raw.find('"', from), raw.size());
      Emit(kSurfaceSchema, begin + from, begin + to);
      any = true;
    }
    return any;
  }

  // Literals side by side, or joined by '+', are one text.
  void Piece(SurfaceSet kind, std::size_t begin, std::size_t end, bool escaped) {
    const std::string_view raw = text_.substr(begin, end - begin);
    if (pending_.owned.empty()) {
      pending_ = TextSurface{.kind = kind, .text = {}, .bytes = {begin, end}};
    }
    pending_.bytes.end = std::max(pending_.bytes.end, end);
    if (!escaped || !Unescape(raw, static_cast<std::uint32_t>(begin), pending_.owned, pending_.map)) {
      pending_.owned += raw;
      const std::size_t old = pending_.map.size();
      pending_.map.resize(old + raw.size());
      for (std::size_t k = 0; k < raw.size(); ++k) pending_.map[old + k] = static_cast<std::uint32_t>(begin + k);
    }
    // Look ahead: does another literal follow?
    std::size_t i = std::min(end_, end + 1);
    bool next = false;
    while (i < end_ && (IsSpace(text_[i]) || text_[i] == '+' || text_[i] == '\\' || (text_[i] == ',' && i < joined_))) {
      next = next || text_[i] == ',';
      ++i;
    }
    if (i < end_ && (text_[i] == 'f' || text_[i] == 'r') && i + 1 < end_) ++i;
    if (i >= end_ || (text_[i] != '"' && text_[i] != '\'' && !(next && text_[i] == '`'))) {
      FlushString();
    } else if (next) {
      pending_.owned += '\n';
      pending_.map.push_back(static_cast<std::uint32_t>(end));
    }
  }

  // ["...", "..."].join("\n") and "\n".join(["...", "..."]): one text in lines. So is a list whose items go on with
  // each other's sentences, whoever joins it.
  void Joined() {
    const bool python = last_ == '(' && word_ == "join";
    const bool square = text_[at_] == '[';
    std::size_t& unclosed = unclosed_[square ? 0 : 1];
    if (at_ < joined_ || at_ < unclosed) return;
    std::size_t i = at_ + 1;
    while (i < end_ && IsSpace(text_[i])) ++i;
    if (i >= end_ || (text_[i] != '"' && text_[i] != '\'')) return;
    const char close = square ? ']' : ')';
    const std::size_t far = std::min(end_, i + kLongestJoined);
    std::string_view before;  // the item before
    bool runs_on = false;
    while (i < far && text_[i] != close) {
      if (const char quote = text_[i]; quote == '"' || quote == '\'' || quote == '`') {
        const std::size_t from = ++i;
        for (; i < far && text_[i] != quote && (text_[i] != '\n' || quote == '`'); ++i) i += text_[i] == '\\' ? 1U : 0U;
        const std::string_view item = text_.substr(from, std::min(i, end_) - from);
        runs_on = runs_on || GoesOn(before, item);
        before = item;
      }
      ++i;
    }
    if (i >= far) {
      unclosed = far;
      return;
    }
    std::size_t after = i + 1;
    while (after < end_ && IsSpace(text_[after])) ++after;
    if (python || runs_on || (square && text_.substr(after, 6) == ".join(")) joined_ = i;
  }

  // "... before this tool is used, call the" "calendar of the other servers": a sentence in two pieces.
  static bool GoesOn(std::string_view before, std::string_view item) {
    constexpr std::ptrdiff_t kFewestSpaces = 4;
    const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
    if (before.empty() || item.empty() || !small(item.front()) || !(small(before.back()) || before.back() == ','))
      return false;
    return std::count(before.begin(), before.end(), ' ') >= kFewestSpaces &&
           std::count(item.begin(), item.end(), ' ') >= kFewestSpaces;
  }

  void FlushString() {
    if (pending_.owned.empty()) return;
    if (IsWorthReading(pending_.owned)) {
      if (pending_.owned.size() == pending_.bytes.end - pending_.bytes.begin) {
        pending_.owned.clear();
        pending_.map.clear();
      }
      sink_.Add(std::move(pending_));
    }
    pending_ = TextSurface{.text = {}, .bytes = {}};
  }

  SurfaceSink& sink_;
  std::string_view text_;
  std::size_t end_;
  std::size_t at_;
  CodeStyle style_;
  std::string_view word_;
  std::string_view key_;
  std::uint32_t shifts_ = 0;
  std::optional<std::vector<std::string_view>> said_names_;  // once asked
  std::optional<bool> names_obeyed_;                         // whether the file names one that agents obey; once asked
  std::array<std::size_t, 2> unclosed_ = {};                 // up to here nothing that began with `[`, `(` ends
  std::size_t joined_ = 0;                                   // end of a list whose texts become one
  char last_ = 0;
  bool decorator_ = false;
  bool tool_ = false;
  bool described_ = false;
  bool describes_ = false;  // inside the brackets of .describe()
  bool gives_ = false;      // decorated as a prompt or a resource
  bool hands_ = false;      // inside of one
  std::uint32_t depth_ = 0;
  std::uint32_t hands_depth_ = 0;
  TextSurface pending_{.text = {}, .bytes = {}};
};

}  // namespace

void CollectCode(SurfaceSink& sink, base::ByteSpan part, CodeStyle style) { CodeReader(sink, part, style).Run(); }

}  // namespace interlock::scan
