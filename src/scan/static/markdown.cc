#include "static/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <array>

#include "static/bytes.h"
#include "static/hidden_styles.h"

namespace interlock::scan {
std::string TextOfEntity(std::string_view piece) {
  struct Named {
    std::string_view name, text;
  };
  static constexpr std::array<Named, 10> kNamed = {{{"&amp;", "&"},
                                                    {"&lt;", "<"},
                                                    {"&gt;", ">"},
                                                    {"&quot;", "\""},
                                                    {"&apos;", "'"},
                                                    {"&nbsp;", " "},
                                                    {"&Tab;", " "},
                                                    {"&NewLine;", " "},
                                                    {"&sol;", "/"},
                                                    {"&colon;", ":"}}};
  for (const Named& entity : kNamed) {
    if (piece == entity.name) return std::string(entity.text);
  }
  if (piece.size() <= 3 || piece[0] != '&' || piece[1] != '#') return {};
  const bool hex = (piece[2] | 32) == 'x';
  std::uint32_t code = 0;
  for (const char c : piece.substr(hex ? 3 : 2)) {
    if (c == ';') break;
    const char l = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const int digit = l >= '0' && l <= '9' ? l - '0' : l >= 'a' && l <= 'f' ? l - 'a' + 10 : 0;
    code = std::min<std::uint32_t>(0x110000, code * (hex ? 16 : 10) + static_cast<std::uint32_t>(digit));
  }
  return code >= 0x20 && code < 0x7F ? std::string(1, static_cast<char>(code)) : std::string();
}

namespace {

constexpr std::size_t kMaxOpenTags = 64;
constexpr std::size_t kMinUnseenWords = 3;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsLower(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) { return Lower(a) == b; });
}

bool HasWords(std::string_view text, std::size_t wanted) {
  std::size_t words = 0;
  std::size_t run = 0;
  for (const char c : text) {
    if (IsAlpha(c) || (static_cast<unsigned char>(c) & 0x80) != 0) {
      if (++run == 2) ++words;
    } else {
      run = 0;
    }
    if (words >= wanted) return true;
  }
  // Scripts without spaces between words.
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }) >=
         24;
}

bool IsVoidTag(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kVoid = {
      "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"};
  return std::ranges::any_of(kVoid, [&](std::string_view v) { return EqualsLower(name, v); });
}

std::size_t TagEnd(std::string_view html, std::size_t at) {
  char quote = 0;
  for (std::size_t i = at + 1; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    } else if (c == '<') {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

// Which elements are open, as far as it matters for what is seen.
class OpenTags {
 public:
  void Apply(const HtmlTag& tag) {
    if (tag.name.empty() || tag.alone) return;
    if (tag.closing) {
      for (std::size_t i = open_.size(); i > 0; --i) {
        if (!EqualsLower(tag.name, open_[i - 1].name)) continue;
        while (open_.size() >= i) {
          if (open_.back().hidden) --hidden_;
          if (open_.back().name == "pre") --verbatim_;
          open_.pop_back();
        }
        return;
      }
      return;
    }
    if (open_.size() >= kMaxOpenTags) return;
    std::string name;
    for (const char c : tag.name) name.push_back(Lower(c));
    if (tag.hidden) ++hidden_;
    if (name == "pre") ++verbatim_;
    open_.push_back({std::move(name), tag.hidden});
  }
  [[nodiscard]] bool hidden() const { return hidden_ > 0; }
  [[nodiscard]] bool verbatim() const { return verbatim_ > 0; }  // inside <pre>

 private:
  struct Entry {
    std::string name;
    bool hidden;
  };
  std::vector<Entry> open_;
  std::size_t hidden_ = 0;
  std::size_t verbatim_ = 0;
};

class Builder {
 public:
  Builder(std::string_view source, std::uint32_t offset, std::vector<MarkdownBlock>& out)
      : source_(source), offset_(offset), out_(out), budget_(8 * source.size() + 4096) {}

  int EnterBlock(MD_BLOCKTYPE type, void* detail) {
    if (!Spend()) return 1;
    switch (type) {
      case MD_BLOCK_QUOTE:
        Flush();
        ++quotes_;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        Flush();
        ++lists_;
        break;
      case MD_BLOCK_LI:
        Flush();
        Start(BlockKind::kItem);
        break;
      case MD_BLOCK_P:
        Flush();
        Start(lists_ > 0 ? BlockKind::kItem : BlockKind::kParagraph);
        break;
      case MD_BLOCK_H:
        Flush();
        Start(BlockKind::kHeading);
        current_.level = static_cast<std::uint8_t>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_CODE: {
        Flush();
        Start(BlockKind::kCode);
        const MD_ATTRIBUTE& lang = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang;
        for (MD_SIZE i = 0; i < std::min<MD_SIZE>(lang.size, 24); ++i) current_.lang.push_back(Lower(lang.text[i]));
        break;
      }
      case MD_BLOCK_HTML:
        Flush();
        html_ = {source_.size(), 0};
        in_html_ = true;
        break;
      case MD_BLOCK_TR:
        Flush();
        Start(BlockKind::kCell);
        break;
      case MD_BLOCK_TD:
      case MD_BLOCK_TH:
        if (!Shown(current_).empty()) AppendMade(" | ");
        break;
      default:
        break;
    }
    return 0;
  }

  int LeaveBlock(MD_BLOCKTYPE type) {
    if (!Spend()) return 1;
    switch (type) {
      case MD_BLOCK_QUOTE:
        Flush();
        --quotes_;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        Flush();
        --lists_;
        break;
      case MD_BLOCK_HTML:
        in_html_ = false;
        if (html_.begin < html_.end) Html(source_.substr(html_.begin, html_.end - html_.begin), html_.begin);
        break;
      case MD_BLOCK_TD:
      case MD_BLOCK_TH:
        break;
      default:
        Flush();
        break;
    }
    return 0;
  }

  int EnterSpan(MD_SPANTYPE type, void* detail) {
    if (!Spend()) return 1;
    if (type == MD_SPAN_CODE) {
      Tick();
    } else if (type == MD_SPAN_IMG) {
      if (images_++ == 0) alt_ = MarkdownBlock{.kind = BlockKind::kAttribute, .bytes = {}};
    } else if (type == MD_SPAN_A) {
      const auto* a = static_cast<MD_SPAN_A_DETAIL*>(detail);
      Title(a->title);
    }
    return 0;
  }

  int LeaveSpan(MD_SPANTYPE type, void* detail) {
    if (!Spend()) return 1;
    if (type == MD_SPAN_CODE) {
      Tick();
    } else if (type == MD_SPAN_IMG) {
      if (images_ > 0 && --images_ == 0 && HasWords(alt_.text, kMinUnseenWords)) {
        alt_.bytes.begin += offset_;
        alt_.bytes.end += offset_;
        asides_.push_back(std::move(alt_));
      }
      const auto* image = static_cast<MD_SPAN_IMG_DETAIL*>(detail);
      Title(image->title);
      Address(image->src);
    } else if (type == MD_SPAN_A) {
      Address(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    }
    return 0;
  }

  int Text(MD_TEXTTYPE type, const char* text, std::size_t size) {
    if (!Spend()) return 1;
    const std::string_view piece(text, size);
    if (in_html_) {
      const std::size_t at = PlaceOf(piece);
      if (at != kNowhere) {
        Seen(at, at + size);
        html_.begin = std::min(html_.begin, at);
        html_.end = std::max(html_.end, at + size);
      }
      return 0;
    }
    switch (type) {
      case MD_TEXT_HTML:
        InlineHtml(piece);
        break;
      case MD_TEXT_BR:
      case MD_TEXT_SOFTBR:
        if (in_comment_) break;
        Break();
        break;
      case MD_TEXT_NULLCHAR:
        AppendMade(" ");
        break;
      case MD_TEXT_ENTITY:
        Entity(piece);
        break;
      default:
        Append(piece);
        break;
    }
    return 0;
  }

  void Finish() {
    Flush();
    Gap(source_.size());
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // A table of few bytes can have more cells than the document has letters.
  bool Spend() { return budget_ > 0 && --budget_ > 0; }

  std::size_t PlaceOf(std::string_view piece) const {
    if (piece.data() < source_.data() || piece.data() >= source_.data() + source_.size()) return kNowhere;
    return static_cast<std::size_t>(piece.data() - source_.data());
  }

  void Start(BlockKind kind) {
    Clear(current_);
    current_.kind = kind;
    current_.quoted = quotes_ > 0;
    open_ = true;
    exact_ = true;
  }

  // Keeps the room that text and map have taken: blocks are copied as they come, and their parts grow but once.
  static void Clear(MarkdownBlock& block) {
    block.kind = BlockKind::kParagraph;
    block.quoted = false;
    block.level = 0;
    block.lang.clear();
    block.text.clear();
    block.map.clear();
    block.bytes = {};
  }

  void Flush() {
    if (open_) {
      if (!Shown(current_).empty()) Push(current_);
      Clear(current_);
    }
    open_ = false;
    exact_ = true;
    for (MarkdownBlock& aside : asides_) out_.push_back(std::move(aside));
    asides_.clear();
    if (!unseen_.text.empty()) {
      unseen_.kind = BlockKind::kUnseen;
      Push(unseen_);
    }
    Clear(unseen_);
  }

  void Push(const MarkdownBlock& block) {
    MarkdownBlock& out = out_.emplace_back(block);
    out.bytes.begin += offset_;
    out.bytes.end += offset_;
  }

  void PushPlain(BlockKind kind, std::size_t begin, std::size_t end) {
    MarkdownBlock block{.kind = kind, .quoted = quotes_ > 0, .bytes = {begin, end}};
    Push(std::move(block));
  }

  MarkdownBlock& Target() {
    if (images_ > 0) return alt_;
    if (tags_.hidden()) return unseen_;
    if (!open_) Start(BlockKind::kParagraph);
    return current_;
  }

  void Append(std::string_view piece) {
    MarkdownBlock& block = Target();
    const std::size_t at = PlaceOf(piece);
    if (at == kNowhere) {
      AppendMade(piece);
      return;
    }
    Seen(at, at + piece.size());
    if (Shown(block).empty()) {
      block.bytes = {at, at};
    } else if (at != block.bytes.end) {
      if (&block == &current_) Inexact();
    }
    if (&block == &current_ && exact_) {
      block.bytes.end = at + piece.size();
      return;
    }
    block.text += piece;
    block.bytes.end = std::max(block.bytes.end, at + piece.size());
    const std::size_t old = block.map.size();
    block.map.resize(old + piece.size());
    CountUp(block.map.data() + old, piece.size(), static_cast<std::uint32_t>(at) + offset_);
  }

  // What a block holds so far. The one that is being read holds nothing of its own as long as it is its bytes.
  [[nodiscard]] std::string_view Shown(const MarkdownBlock& block) const {
    if (&block != &current_ || !exact_) return block.text;
    return source_.substr(block.bytes.begin, block.bytes.end - block.bytes.begin);
  }

  // A block that is its bytes needs no text and no map; they are made up for once it turns out to be something else.
  void Inexact() {
    if (!exact_) return;
    current_.text = Shown(current_);
    exact_ = false;
    current_.map.resize(current_.text.size());
    CountUp(current_.map.data(), current_.map.size(), static_cast<std::uint32_t>(current_.bytes.begin) + offset_);
  }

  void AppendMade(std::string_view text) {
    MarkdownBlock& block = Target();
    if (&block == &current_) Inexact();
    block.text += text;
    // Made text has no bytes of its own: the next one stands for it, at the end of the source the last.
    const std::size_t next = block.bytes.end == 0 ? seen_ : block.bytes.end;
    const auto at = static_cast<std::uint32_t>(std::min(next, source_.empty() ? 0 : source_.size() - 1));
    if (block.bytes.end == 0) block.bytes = {at, at};
    block.map.insert(block.map.end(), text.size(), at + offset_);
  }

  void Tick() {
    const std::size_t end = Target().bytes.end;
    if (!Shown(Target()).empty() && end < source_.size() && source_[end] == '`') {
      Append(source_.substr(end, 1));
    } else if (Shown(Target()).empty() && seen_ < source_.size() && source_[seen_] == '`') {
      Append(source_.substr(seen_, 1));
    } else {
      AppendMade("`");
    }
  }

  void Break() {
    const std::size_t end = Target().bytes.end;
    if (!Shown(Target()).empty() && end < source_.size() && source_[end] == '\n') {
      Append(source_.substr(end, 1));
    } else {
      AppendMade("\n");
    }
  }

  void Entity(std::string_view piece) {
    if (const std::string text = TextOfEntity(piece); !text.empty()) {
      Jump(piece);
      AppendMade(text);
      return;
    }
    Append(piece);
  }

  // What follows is made from `piece`.
  void Jump(std::string_view piece) {
    const std::size_t at = PlaceOf(piece);
    if (at == kNowhere) return;
    Seen(at, at + piece.size());
    MarkdownBlock& block = Target();
    if (&block == &current_) Inexact();
    if (block.text.empty()) block.bytes.begin = at;
    block.bytes.end = at + piece.size();
  }

  void Address(const MD_ATTRIBUTE& address) {
    if (address.size == 0 || address.size > 2048) return;
    const std::string_view text(address.text, address.size);
    if (text.front() == '#') return;
    // An autolink shows its address already.
    MarkdownBlock& block = Target();
    if (Shown(block).ends_with(text)) return;
    AppendMade(" <");
    Append(text);
    AppendMade(">");
  }

  void Title(const MD_ATTRIBUTE& title) {
    const std::string_view text(title.text, title.size);
    if (!HasWords(text, kMinUnseenWords)) return;
    const std::size_t at = PlaceOf(text);
    if (at == kNowhere) return;
    MarkdownBlock block{.kind = BlockKind::kAttribute, .bytes = {at + offset_, at + text.size() + offset_}};
    asides_.push_back(std::move(block));
  }

  void InlineHtml(std::string_view piece) {
    const std::size_t at = PlaceOf(piece);
    if (at == kNowhere) return;
    Seen(at, at + piece.size());
    if (in_comment_ || piece.starts_with("<!--")) {
      if (!in_comment_) comment_ = at;
      in_comment_ = true;
      if (piece.find("-->") != std::string_view::npos) {
        in_comment_ = false;
        const std::size_t end = at + piece.size();
        Comment(comment_ + 4, end >= 3 ? end - 3 : end);
      }
      return;
    }
    const HtmlTag tag = ReadHtmlTag(piece);
    for (const base::ByteSpan& text : tag.texts) Attribute(at + text.begin, at + text.end);
    tags_.Apply(tag);
    if (!tag.alone && EqualsLower(tag.name, "code")) Tick();
  }

  void Comment(std::size_t begin, std::size_t end) {
    if (begin < end && end <= source_.size() && HasWords(source_.substr(begin, end - begin), kMinUnseenWords)) {
      MarkdownBlock block{.kind = BlockKind::kUnseen, .bytes = {begin + offset_, end + offset_}};
      asides_.push_back(std::move(block));
    }
  }
  void Attribute(std::size_t begin, std::size_t end) {
    if (begin < end && HasWords(source_.substr(begin, end - begin), kMinUnseenWords)) {
      MarkdownBlock block{.kind = BlockKind::kAttribute, .bytes = {begin + offset_, end + offset_}};
      asides_.push_back(std::move(block));
    }
  }

  void Html(std::string_view html, std::size_t at) {
    std::size_t i = 0;
    std::size_t text = 0;
    const auto flush = [&](std::size_t end) {
      std::size_t a = text;
      std::size_t b = end;
      while (a < b && IsSpace(html[a])) ++a;
      while (b > a && IsSpace(html[b - 1])) --b;
      // What <pre> shows is code as much as what fences do.
      const BlockKind shown = tags_.verbatim() ? BlockKind::kCode : BlockKind::kHtml;
      if (a < b) PushPlain(tags_.hidden() ? BlockKind::kUnseen : shown, at + a, at + b);
    };
    while (i < html.size()) {
      if (html[i] != '<') {
        ++i;
        continue;
      }
      if (html.substr(i).starts_with("<!--")) {
        flush(i);
        const std::size_t close = html.find("-->", i + 4);
        const std::size_t end = close == std::string_view::npos ? html.size() : close;
        if (HasWords(html.substr(i + 4, end - i - 4), kMinUnseenWords)) {
          PushPlain(BlockKind::kUnseen, at + i + 4, at + end);
        }
        i = close == std::string_view::npos ? html.size() : close + 3;
        text = i;
        continue;
      }
      const bool tagged = i + 1 < html.size() && (IsAlpha(html[i + 1]) || html[i + 1] == '/');
      const std::size_t end = tagged ? TagEnd(html, i) : std::string_view::npos;
      if (end == std::string_view::npos) {
        ++i;
        continue;
      }
      const HtmlTag tag = ReadHtmlTag(html.substr(i, end - i));
      flush(i);
      for (const base::ByteSpan& value : tag.texts) {
        if (HasWords(html.substr(i + value.begin, value.end - value.begin), kMinUnseenWords)) {
          PushPlain(BlockKind::kAttribute, at + i + value.begin, at + i + value.end);
        }
      }
      tags_.Apply(tag);
      i = end;
      text = i;
    }
    flush(html.size());
  }

  // md4c reports what is rendered; definitions of links are not, and serve as comments.
  void Seen(std::size_t begin, std::size_t end) {
    if (begin > seen_) Gap(begin);
    seen_ = std::max(seen_, end);
  }

  void Gap(std::size_t end) {
    const std::string_view gap = source_.substr(seen_, end - seen_);
    if (gap.size() >= 8 && gap.find("]:") != std::string_view::npos) {
      std::size_t line = 0;
      while (line < gap.size()) {
        std::size_t stop = gap.find('\n', line);
        if (stop == std::string_view::npos) stop = gap.size();
        Definition(gap.substr(line, stop - line), seen_ + line);
        line = stop + 1;
      }
    }
    seen_ = std::max(seen_, end);
  }

  void Definition(std::string_view line, std::size_t at) {
    const std::size_t open = line.find('[');
    const std::size_t close = line.find("]:");
    if (open == std::string_view::npos || close == std::string_view::npos || open > 8 || close < open) return;
    std::size_t rest = close + 2;
    while (rest < line.size() && IsSpace(line[rest])) ++rest;
    std::size_t title = rest;
    while (title < line.size() && !IsSpace(line[title])) ++title;
    const std::string_view words = line.substr(title);
    if (HasWords(words, kMinUnseenWords)) {
      MarkdownBlock block{.kind = BlockKind::kUnseen, .bytes = {at + title + offset_, at + line.size() + offset_}};
      asides_.push_back(std::move(block));
    }
  }

  std::string_view source_;
  std::uint32_t offset_;
  std::vector<MarkdownBlock>& out_;
  std::size_t budget_;
  MarkdownBlock current_{.bytes = {}};
  MarkdownBlock alt_{.bytes = {}};
  MarkdownBlock unseen_{.bytes = {}};
  std::vector<MarkdownBlock> asides_;
  OpenTags tags_;
  bool open_ = false;
  bool exact_ = true;
  bool in_html_ = false;
  bool in_comment_ = false;
  std::size_t comment_ = 0;
  base::ByteSpan html_;
  int quotes_ = 0;
  int lists_ = 0;
  int images_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace

HtmlTag ReadHtmlTag(std::string_view tag) {
  HtmlTag out;
  if (tag.size() < 3 || tag.front() != '<') return out;
  std::size_t i = 1;
  if (tag[i] == '/') {
    out.closing = true;
    ++i;
  }
  const std::size_t name = i;
  while (i < tag.size() && (IsAlpha(tag[i]) || (tag[i] >= '0' && tag[i] <= '9') || tag[i] == '-')) ++i;
  out.name = tag.substr(name, i - name);
  out.alone = tag.ends_with("/>") || IsVoidTag(out.name);
  if (EqualsLower(out.name, "template") || EqualsLower(out.name, "noscript") || EqualsLower(out.name, "metadata") ||
      EqualsLower(out.name, "desc")) {
    out.hidden = !out.closing;
  }
  bool meta_description = !EqualsLower(out.name, "meta");
  while (i < tag.size() && tag[i] != '>') {
    while (i < tag.size() && (IsSpace(tag[i]) || tag[i] == '/')) ++i;
    const std::size_t key = i;
    while (i < tag.size() && !IsSpace(tag[i]) && tag[i] != '=' && tag[i] != '>' && tag[i] != '/') ++i;
    const std::string_view attribute = tag.substr(key, i - key);
    while (i < tag.size() && IsSpace(tag[i])) ++i;
    std::size_t begin = i;
    std::size_t end = i;
    if (i < tag.size() && tag[i] == '=') {
      ++i;
      while (i < tag.size() && IsSpace(tag[i])) ++i;
      if (i < tag.size() && (tag[i] == '"' || tag[i] == '\'')) {
        const char quote = tag[i++];
        begin = i;
        while (i < tag.size() && tag[i] != quote) ++i;
        end = i;
        if (i < tag.size()) ++i;
      } else {
        begin = i;
        while (i < tag.size() && !IsSpace(tag[i]) && tag[i] != '>') ++i;
        end = i;
      }
    } else if (attribute.empty() && i == key) {
      ++i;
      continue;
    }
    const std::string_view value = tag.substr(begin, end - begin);
    if (EqualsLower(attribute, "hidden") && !EqualsLower(value, "false")) out.hidden = true;
    if (EqualsLower(attribute, "style") && HidesText(value)) out.hidden = true;
    if (EqualsLower(attribute, "class")) out.classes = value;
    if (EqualsLower(attribute, "id")) out.id = value;
    if (EqualsLower(attribute, "name") && value.find("escription") != std::string_view::npos) meta_description = true;
    if (EqualsLower(attribute, "alt") || EqualsLower(attribute, "title") || EqualsLower(attribute, "aria-label") ||
        EqualsLower(attribute, "placeholder") || (EqualsLower(attribute, "content") && meta_description) ||
        attribute.starts_with("data-")) {
      if (end > begin) out.texts.push_back({begin, end});
    }
    if ((EqualsLower(attribute, "opacity") || EqualsLower(attribute, "font-size")) && !value.empty() &&
        std::ranges::all_of(value, [](char c) { return c == '0' || c == '.'; })) {
      out.hidden = true;
    }
  }
  if (out.closing) out.hidden = false;
  return out;
}

std::vector<HtmlPiece> ScanHtml(std::string_view html) {
  std::vector<HtmlPiece> out;
  const HiddenStyles styles(html);
  OpenTags tags;
  std::size_t i = 0;
  std::size_t text = 0;
  const auto flush = [&](std::size_t end) {
    std::size_t a = text;
    std::size_t b = end;
    while (a < b && IsSpace(html[a])) ++a;
    while (b > a && IsSpace(html[b - 1])) --b;
    if (a < b) out.push_back({tags.hidden() ? HtmlPiece::Kind::kHidden : HtmlPiece::Kind::kText, {a, b}});
  };
  while (i < html.size()) {
    const std::size_t next = html.find('<', i);
    if (next == std::string_view::npos) break;
    i = next;
    if (html.substr(i, 4) == "<!--") {
      flush(i);
      const std::size_t close = html.find("-->", i + 4);
      const std::size_t end = close == std::string_view::npos ? html.size() : close;
      if (end > i + 4) out.push_back({HtmlPiece::Kind::kComment, {i + 4, end}});
      i = close == std::string_view::npos ? html.size() : close + 3;
      text = i;
      continue;
    }
    const bool tagged = i + 1 < html.size() && (IsAlpha(html[i + 1]) || html[i + 1] == '/');
    const std::size_t end = tagged ? TagEnd(html, i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      ++i;
      continue;
    }
    HtmlTag tag = ReadHtmlTag(html.substr(i, end - i));
    tag.hidden = !tag.closing && (tag.hidden || styles.Hide(tag.classes, tag.id));
    flush(i);
    for (const base::ByteSpan& value : tag.texts) {
      out.push_back({HtmlPiece::Kind::kAttribute, {i + value.begin, i + value.end}});
    }
    i = end;
    text = i;
    const bool script = EqualsLower(tag.name, "script") || EqualsLower(tag.name, "style");
    if (script && !tag.closing && !tag.alone) {
      const std::string_view close = EqualsLower(tag.name, "script") ? "</script" : "</style";
      const std::size_t stop = std::min(html.find(close, i), html.size());
      if (stop > i && EqualsLower(tag.name, "script")) out.push_back({HtmlPiece::Kind::kScript, {i, stop}});
      i = stop;
      text = stop;
      continue;
    }
    tags.Apply(tag);
  }
  flush(html.size());
  return out;
}

bool ParseMarkdown(std::string_view source, std::uint32_t offset, std::vector<MarkdownBlock>& out) {
  Builder builder(source, offset, out);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    return static_cast<Builder*>(self)->EnterBlock(type, detail);
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
    return static_cast<Builder*>(self)->LeaveBlock(type);
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return static_cast<Builder*>(self)->EnterSpan(type, detail);
  };
  parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return static_cast<Builder*>(self)->LeaveSpan(type, detail);
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
    return static_cast<Builder*>(self)->Text(type, text, size);
  };
  const int failed = md_parse(source.data(), static_cast<MD_SIZE>(source.size()), &parser, &builder);
  builder.Finish();
  return failed == 0;
}

}  // namespace interlock::scan
