// Readers of single formats behind CollectSurfaces. They read what an agent would see, so they are tolerant: a value
// in a broken JSON or YAML file is still text that a model is shown. Linear; no recursion.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "static/surface.h"

namespace interlock::scan {

constexpr bool IsSpace(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool IsWordByte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class SurfaceSink {
 public:
  static constexpr std::size_t kMaxSurfaces = std::size_t{1} << 20;
  SurfaceSink(std::string_view text, std::vector<TextSurface>& out) : text_(text), out_(out) {}
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  // `bytes` and `owned`/`map` are set; the rest of the surface is found from them.
  void Add(TextSurface surface);
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }
  // Surfaces from `first` on that are of the kinds `from` are `to` after all.
  void Reread(std::size_t first, SurfaceSet from, SurfaceSet to);

 private:
  std::string_view text_;
  std::vector<TextSurface>& out_;
};

// By what begins a comment. kTyped: as kC, and tools are marked (Java, C#, PHP, Go, Rust). kScript: `#`, and texts have
// keys (Ruby, Elixir), which those of shells have not.
enum class CodeStyle : std::uint8_t { kPython, kC, kTyped, kHash, kDash, kScript };

void CollectJson(SurfaceSink& sink, bool notebook);
// A tool's definition that a page shows: its descriptions and schemas. `part`: the inside of the block.
void CollectShownTool(SurfaceSink& sink, base::ByteSpan part, std::string_view language);
// YAML by ':', TOML and INI by '='.
void CollectKeyValues(SurfaceSink& sink, base::ByteSpan part, char separator);
void CollectParagraphs(SurfaceSink& sink, base::ByteSpan part, SurfaceSet kind);
// A part of a document of an office program (word/document.xml, xl/sharedStrings.xml, content.xml), by its root; its
// paragraphs, whatever runs they are cut into.
[[nodiscard]] bool IsOfficeText(std::string_view text);
void CollectOffice(SurfaceSink& sink, SurfaceSet body);
// Comments and string literals.
void CollectCode(SurfaceSink& sink, base::ByteSpan part, CodeStyle style);

// What a value under this key is to an agent; 0: no special field.
[[nodiscard]] SurfaceSet KindOfKey(std::string_view key);

// Markdown that was put together from literals: `map` has the place in the file of each byte of `cell`.
void CollectMarkdownCell(SurfaceSink& sink, std::string_view cell, const std::vector<std::uint32_t>& map,
                         SurfaceSet body);

// Whether a text is long enough, and of words.
[[nodiscard]] bool IsWorthReading(std::string_view text);

// Text of a quoted literal with its escapes undone; `map` gets the place of each byte. False: it has none.
[[nodiscard]] bool Unescape(std::string_view raw, std::uint32_t at, std::string& out, std::vector<std::uint32_t>& map);

}  // namespace interlock::scan
