// Pieces of text that an agent or its user may read, each with where it came from: the attack surface of
// contribution 2. Engine room; not public.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/scan/rules.h"
#include "static/analysis.h"

namespace interlock::scan {

// Bits of SurfaceSet. One surface has one of the low bits, and any of the marks.
inline constexpr SurfaceSet kSurfaceToolName = 1u << 0;     // names of tools, servers, prompts, skills
inline constexpr SurfaceSet kSurfaceDescription = 1u << 1;  // tool, prompt, skill, server descriptions, `instructions`
inline constexpr SurfaceSet kSurfaceSchema = 1u << 2;       // titles, defaults, enums, examples of schemas
inline constexpr SurfaceSet kSurfaceInstruction = 1u << 3;  // body of SKILL.md, prompts, agent files
inline constexpr SurfaceSet kSurfaceDocument = 1u << 4;     // README, references, other documents
inline constexpr SurfaceSet kSurfaceComment = 1u << 5;      // comments and docstrings of code
inline constexpr SurfaceSet kSurfaceString = 1u << 6;       // string literals of code (error texts, prompts in code)
inline constexpr SurfaceSet kSurfaceCodeBlock = 1u << 7;    // fenced or indented code in Markdown
inline constexpr SurfaceSet kSurfaceConfig = 1u << 8;       // values of configuration files
inline constexpr SurfaceSet kSurfaceSource = 1u << 9;       // the file as it is, code included
inline constexpr SurfaceSet kSurfaceHidden = 1u << 16;      // mark: not visible where people read it
inline constexpr SurfaceSet kSurfaceDecoded = 1u << 17;     // mark: only after decoding

// What a surface is in its document: decides how sentences and sections are put together.
enum class TextShape : std::uint8_t {
  kProse,    // paragraph, value, string
  kHeading,  // opens a section
  kItem,     // of a list
  kRow,      // of a table
  kCode,     // fenced or indented; `subject` holds its language
};

struct TextSurface {
  SurfaceSet kind = 0;
  std::string_view text;                // as in the file; see shown() where `owned` is set
  std::string owned = {};               // unescaped or decoded text, where it differs from the bytes
  base::ByteSpan bytes;                 // of the whole surface in the file
  std::vector<std::uint32_t> map = {};  // for `owned`: offset in the file of each byte; empty: text is the bytes
  std::string subject = {};             // tool, parameter, section heading
  TextShape shape = TextShape::kProse;
  bool quoted = false;     // in a block quote
  bool wraps = false;      // a line's end in it is shown as a blank
  std::uint8_t level = 0;  // of a heading
  [[nodiscard]] std::string_view shown() const noexcept { return owned.empty() ? text : std::string_view(owned); }
  // The bytes of the file that shown()[begin, end) came from.
  [[nodiscard]] base::ByteSpan Back(std::size_t begin, std::size_t end) const noexcept;
};

// Splits a file into its surfaces (Markdown by md4c, JSON manifests and listings by their fields, code by the strings
// and comments that `CodeText` gives, everything else whole). Linear; bounded.
void CollectSurfaces(const FileContext& file, std::vector<TextSurface>& out);

// The README of a Python package as its metadata carries it.
[[nodiscard]] bool IsPackageMetadata(const FileContext& file) noexcept;

// Runs the text rules and the span finder over a file's surfaces.
void AnalyzeText(const FileContext& file, const RuleSet& rules, FileResult& out);

}  // namespace interlock::scan
