// Markdown as a reader sees it: blocks of rendered text with their places in the source, and what is written in the
// source but never shown. Engine room of surface.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::scan {

enum class BlockKind : std::uint8_t {
  kParagraph,
  kHeading,
  kItem,       // of a list
  kCell,       // of a table
  kCode,       // fenced or indented
  kHtml,       // text inside an HTML block
  kUnseen,     // in the source only: comments, hidden elements, unused definitions
  kAttribute,  // alt texts and titles: seen on hover or by a screen reader
  kNone,       // no Markdown
};

struct MarkdownBlock {
  BlockKind kind = BlockKind::kParagraph;
  bool quoted = false;     // in a block quote
  std::uint8_t level = 0;  // of a heading, 1..6
  std::string lang = {};   // of a fenced block, lower case
  // Rendered text: emphasis gone, code spans between backticks, a link's address in angle brackets after its text.
  // Empty when it is exactly source[bytes].
  std::string text = {};
  std::vector<std::uint32_t> map = {};  // of each byte of `text`: its offset in the source
  base::ByteSpan bytes;
};

// Blocks in the order of the source. `false`: md4c gave up (a hostile document); `out` then holds what came before.
// `offset` is added to all places.
[[nodiscard]] bool ParseMarkdown(std::string_view source, std::uint32_t offset, std::vector<MarkdownBlock>& out);

// Text pieces of HTML (also inside Markdown or SVG), in order.
struct HtmlPiece {
  enum class Kind : std::uint8_t { kText, kComment, kHidden, kAttribute, kScript } kind = Kind::kText;
  base::ByteSpan bytes;
};
[[nodiscard]] std::vector<HtmlPiece> ScanHtml(std::string_view html);

// What a tag means for what is inside it. `tag` is "<name ...>" or "</name>".
struct HtmlTag {
  std::string_view name;  // as written
  bool closing = false;
  bool alone = false;             // <br>, <img/>: has no inside
  bool hidden = false;            // attributes or styles make its inside invisible
  std::string_view classes = {};  // value of `class`
  std::string_view id = {};
  std::vector<base::ByteSpan> texts;  // values of alt, title, aria-label, content, placeholder; relative to `tag`
};
[[nodiscard]] HtmlTag ReadHtmlTag(std::string_view tag);

// What "&amp;", "&#65;" or "&#x41;" stands for, of letters that are not above ASCII; "": none that is known.
[[nodiscard]] std::string TextOfEntity(std::string_view piece);

}  // namespace interlock::scan
