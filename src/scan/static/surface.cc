#include "static/surface.h"

#include <algorithm>
#include <utility>

#include "static/classify.h"
#include "static/front_matter.h"
#include "static/literals.h"
#include "static/markdown.h"
#include "static/surface_parts.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxMarkdown = std::size_t{8} << 20;
// White space that pushes what follows out of sight.
constexpr std::size_t kFarSpaces = 200;
constexpr std::size_t kFarLines = 40;
static_assert(kFarLines <= kFarSpaces);

// The parser looks through all lines of a paragraph for each bracket in it: one of thousands of lines is read in parts,
// as if they were paragraphs. What looks like code may be as long as code is.
std::vector<std::string_view> PartsOfMarkdown(std::string_view text) {
  constexpr std::size_t kMostLines = 1000;  // with brackets, and none of them blank
  constexpr std::size_t kMostLinesOfCode = 4000;
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  std::size_t lines = 0;
  bool code = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r>"), line.size()));
    if (line.starts_with("```") || line.starts_with("~~~")) code = !code;
    if (line.empty()) lines = 0;
    if (line.find('[') != std::string_view::npos && ++lines > (code ? kMostLinesOfCode : kMostLines)) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at;
      lines = 0;
    }
    at = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// All but its text.
TextSurface SurfaceOfBlock(const MarkdownBlock& block, SurfaceSet body, const std::string& heading) {
  TextSurface surface;
  surface.bytes = block.bytes;
  surface.kind = body;
  surface.quoted = block.quoted;
  surface.subject = heading;
  switch (block.kind) {
    case BlockKind::kHeading:
      surface.shape = TextShape::kHeading;
      surface.level = block.level;
      break;
    case BlockKind::kItem:
      surface.shape = TextShape::kItem;
      break;
    case BlockKind::kCell:
      surface.shape = TextShape::kRow;
      break;
    case BlockKind::kCode:
      surface.shape = TextShape::kCode;
      surface.kind = kSurfaceCodeBlock;
      surface.subject = block.lang;
      break;
    case BlockKind::kUnseen:
    case BlockKind::kAttribute:
      surface.kind |= kSurfaceHidden;
      break;
    default:
      break;
  }
  surface.wraps = block.kind == BlockKind::kParagraph || block.kind == BlockKind::kItem;
  return surface;
}

// "Append to `~/.claude/CLAUDE.md`:": the block below it is what agents will be told from then on.
bool PlantsInstructions(std::string_view lead) {
  constexpr std::size_t kLongestLead = 600;
  const std::string said = LowerCase(lead.substr(lead.size() - std::min(lead.size(), kLongestLead)));
  return SaysAny(said, {"append", "add ", "write ", "put ", "insert", "paste", "copy ", "create", "save", "place "}) &&
         SaysAny(said, {"claude.md", "agents.md", "gemini.md", ".cursorrules", ".windsurfrules", ".clinerules", ".mdc",
                        "copilot-instructions", "memory.md", "system prompt", "custom instructions"});
}

bool IsProseLanguage(std::string_view language) {
  return language.empty() || language == "markdown" || language == "md" || language == "text" || language == "txt";
}

void Markdown(SurfaceSink& sink, std::string_view text, SurfaceSet body, std::size_t skip = 0) {
  const FrontMatter head = skip != 0 ? FrontMatter{} : FindFrontMatter(text);
  const std::size_t start = skip != 0 ? skip : head.body;
  if (head.found()) {
    // All fields of a skill's head are given to the agent, whatever they are called.
    const std::size_t first = sink.size();
    CollectKeyValues(sink, {head.begin, head.end}, ':');
    if (body == kSurfaceInstruction) sink.Reread(first, kSurfaceConfig | kSurfaceComment, kSurfaceInstruction);
  }
  const std::string_view rest = text.substr(start);
  if (rest.size() > kMaxMarkdown) {
    CollectParagraphs(sink, {start, text.size()}, body);
    return;
  }
  std::vector<MarkdownBlock> blocks;
  bool complete = true;
  for (const std::string_view part : PartsOfMarkdown(rest)) {
    const auto offset = static_cast<std::size_t>(part.data() - text.data());
    complete = ParseMarkdown(part, static_cast<std::uint32_t>(offset), blocks) && complete;
  }
  std::string heading;
  std::string lead;  // the block before
  std::size_t last = start;
  for (MarkdownBlock& block : blocks) {
    last = std::max(last, block.bytes.end);
    TextSurface surface = SurfaceOfBlock(block, body, heading);
    if (block.kind == BlockKind::kCode) {
      if (IsProseLanguage(block.lang) && PlantsInstructions(lead)) {
        surface.kind = kSurfaceInstruction;
        surface.shape = TextShape::kProse;
      }
    } else {
      lead = block.text.empty() ? text.substr(block.bytes.begin, block.bytes.end - block.bytes.begin) : block.text;
    }
    // Not where a quotation or a list indents its lines: the block is read where it stands.
    const bool whole = block.text.size() <= block.bytes.end - block.bytes.begin + 1;
    if (block.kind == BlockKind::kCode && whole) CollectShownTool(sink, block.bytes, block.lang);
    surface.owned = std::move(block.text);
    surface.map = std::move(block.map);
    if (surface.shape == TextShape::kHeading) {
      const std::string_view shown =
          surface.owned.empty() ? text.substr(block.bytes.begin, block.bytes.end - block.bytes.begin) : surface.owned;
      heading.assign(shown.substr(0, 120));
    }
    sink.Add(std::move(surface));
  }
  if (!complete && last < text.size()) CollectParagraphs(sink, {last, text.size()}, body);
}

}  // namespace

void CollectMarkdownCell(SurfaceSink& sink, std::string_view cell, const std::vector<std::uint32_t>& map,
                         SurfaceSet body) {
  std::vector<MarkdownBlock> blocks;
  std::size_t last = 0;
  bool complete = true;
  for (const std::string_view part : PartsOfMarkdown(cell)) {
    complete = ParseMarkdown(part, static_cast<std::uint32_t>(part.data() - cell.data()), blocks) && complete;
  }
  const auto add = [&](TextSurface surface, base::ByteSpan at) {
    if (at.begin >= at.end || at.end > map.size()) return;
    surface.bytes = {map[at.begin], map[at.end - 1] + std::size_t{1}};
    sink.Add(std::move(surface));
  };
  std::string heading;
  for (MarkdownBlock& block : blocks) {
    last = std::max(last, block.bytes.end);
    TextSurface surface = SurfaceOfBlock(block, body, heading);
    if (block.text.empty()) {
      surface.owned.assign(cell.substr(block.bytes.begin, block.bytes.end - block.bytes.begin));
      for (std::size_t i = block.bytes.begin; i < block.bytes.begin + surface.owned.size(); ++i)
        surface.map.push_back(map[i]);
    } else {
      surface.owned = std::move(block.text);
      for (const std::uint32_t at : block.map) surface.map.push_back(map[std::min<std::size_t>(at, map.size() - 1)]);
    }
    if (surface.shape == TextShape::kHeading) heading = surface.owned.substr(0, 120);
    add(std::move(surface), block.bytes);
  }
  if (complete || last >= cell.size()) return;
  TextSurface rest;
  rest.kind = body;
  rest.owned.assign(cell.substr(last));
  rest.map.assign(map.begin() + static_cast<std::ptrdiff_t>(last), map.end());
  add(std::move(rest), {last, cell.size()});
}

namespace {

void Html(SurfaceSink& sink, std::string_view text, SurfaceSet body) {
  for (const HtmlPiece& piece : ScanHtml(text)) {
    if (piece.kind == HtmlPiece::Kind::kScript) {
      CollectCode(sink, piece.bytes, CodeStyle::kC);
      continue;
    }
    TextSurface surface;
    surface.bytes = piece.bytes;
    surface.kind = body;
    // Tool tips and labels are seen by those who use the page.
    if (piece.kind == HtmlPiece::Kind::kComment || piece.kind == HtmlPiece::Kind::kHidden)
      surface.kind |= kSurfaceHidden;
    sink.Add(std::move(surface));
  }
}

// Where the first run of at least `least` blanks and line ends begins that reaches to `at` or beyond; the size of the
// text where there is none. Every such run covers one of every `least`-th bytes.
std::size_t NextBlank(std::string_view text, std::size_t at, std::size_t least) {
  const auto blank = [&](std::size_t i) {
    return text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
  };
  for (std::size_t probe = at + least - 1; probe < text.size();) {
    if (!blank(probe)) {
      probe += least;
      continue;
    }
    std::size_t begin = probe;
    while (begin > at && blank(begin - 1)) --begin;
    std::size_t end = probe + 1;
    while (end < text.size() && blank(end) && end - begin < least) ++end;
    if (end - begin >= least) return begin;
    at = end;
    probe = at + least - 1;
  }
  return text.size();
}

CodeStyle StyleOf(const FileContext& file) {
  switch (file.type) {
    case FileType::kPython:
      return CodeStyle::kPython;
    case FileType::kShell:
    case FileType::kRequirements:
    case FileType::kDockerfile:
      return CodeStyle::kHash;
    case FileType::kOtherSource: {
      const std::string_view name = BaseName(file.file->path);
      const std::size_t dot = name.rfind('.');
      const std::string_view ext = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
      if (ext.empty()) return CodeStyle::kHash;
      for (const std::string_view hash : {"pl", "r", "R", "tf", "hcl", "nix"}) {
        if (ext == hash) return CodeStyle::kHash;
      }
      if (ext == "rb" || ext == "ex" || ext == "exs") return CodeStyle::kScript;
      if (ext == "sql" || ext == "lua") return CodeStyle::kDash;
      return CodeStyle::kTyped;
    }
    case FileType::kGo:
    case FileType::kRust:
      return CodeStyle::kTyped;
    default:
      return CodeStyle::kC;
  }
}

}  // namespace

base::ByteSpan TextSurface::Back(std::size_t begin, std::size_t end) const noexcept {
  const std::size_t size = shown().size();
  begin = std::min(begin, size);
  end = std::clamp(end, begin, size);
  if (map.empty()) {
    if (!owned.empty()) return bytes;
    return {bytes.begin + begin, bytes.begin + end};
  }
  if (begin == end) return bytes;
  return {map[begin], std::size_t{map[end - 1]} + 1};
}

void SurfaceSink::Add(TextSurface surface) {
  if (out_.size() >= kMaxSurfaces) return;
  surface.text = text_.substr(surface.bytes.begin, surface.bytes.end - surface.bytes.begin);
  if (surface.shown().empty()) return;
  // Split where white space pushes the rest out of sight.
  if (surface.shape != TextShape::kCode && surface.shown().size() > kFarLines) {
    const std::string_view shown = surface.shown();
    std::size_t spaces = 0;
    std::size_t lines = 0;
    for (std::size_t i = NextBlank(shown, 0, kFarLines); i < shown.size(); ++i) {
      const char c = shown[i];
      if (c == ' ' || c == '\t') {
        ++spaces;
      } else if (c == '\n') {
        ++lines;
        spaces = 0;
      } else if (c != '\r') {
        // Columns of a wide table are no hiding place.
        if ((spaces >= kFarSpaces && c != '|' && surface.shape != TextShape::kRow) || lines >= kFarLines) {
          TextSurface far = surface;
          far.kind |= kSurfaceHidden;
          far.bytes = {surface.Back(i, i + 1).begin, surface.bytes.end};
          if (!far.owned.empty()) {
            far.owned.erase(0, i);
            if (!far.map.empty()) far.map.erase(far.map.begin(), far.map.begin() + static_cast<std::ptrdiff_t>(i));
          }
          far.text = text_.substr(far.bytes.begin, far.bytes.end - far.bytes.begin);
          if (surface.owned.empty()) {
            surface.bytes.end = surface.bytes.begin + i;
            surface.text = surface.text.substr(0, i);
          } else {
            surface.owned.resize(i);
            if (!surface.map.empty()) surface.map.resize(i);
          }
          out_.push_back(std::move(surface));
          out_.push_back(std::move(far));
          return;
        }
        spaces = 0;
        lines = 0;
        i = NextBlank(shown, i + 1, kFarLines) - 1;
      }
    }
  }
  out_.push_back(std::move(surface));
}

void SurfaceSink::Reread(std::size_t first, SurfaceSet from, SurfaceSet to) {
  for (std::size_t i = first; i < out_.size(); ++i) {
    if ((out_[i].kind & from) != 0) out_[i].kind = (out_[i].kind & ~from) | to;
  }
}

bool IsPackageMetadata(const FileContext& file) noexcept {
  const std::string_view name = BaseName(file.file->path);
  return name == "METADATA" || name == "PKG-INFO";
}

void CollectSurfaces(const FileContext& file, std::vector<TextSurface>& out) {
  const std::string_view text = file.text();
  if (text.size() > 0xFFFFFFFEU) return;
  SurfaceSink sink(text, out);
  const bool followed = file.reach == core::Reach::kAgent || IsInstructionFile(file.file->path);
  const SurfaceSet body = followed ? kSurfaceInstruction : kSurfaceDocument;
  switch (file.type) {
    case FileType::kMarkdown:
      Markdown(sink, text, body);
      break;
    case FileType::kXml:
      if (IsOfficeText(text)) {
        CollectOffice(sink, body);
        break;
      }
      [[fallthrough]];
    case FileType::kHtml:
      Html(sink, text, body);
      break;
    case FileType::kJson:
      CollectJson(sink, false);
      break;
    case FileType::kNotebook:
      CollectJson(sink, true);
      break;
    case FileType::kYaml:
      CollectKeyValues(sink, {0, text.size()}, ':');
      break;
    case FileType::kToml:
    case FileType::kIni:
      CollectKeyValues(sink, {0, text.size()}, '=');
      break;
    case FileType::kPython:
    case FileType::kJavaScript:
    case FileType::kTypeScript:
    case FileType::kGo:
    case FileType::kRust:
    case FileType::kShell:
    case FileType::kRequirements:
    case FileType::kDockerfile:
    case FileType::kOtherSource:
      CollectCode(sink, {0, text.size()}, StyleOf(file));
      if (IsBrowserBundle(file.file->path)) {
        for (TextSurface& surface : out) {
          constexpr SurfaceSet kGiven = kSurfaceDescription | kSurfaceInstruction;
          if ((surface.kind & kGiven) != 0) surface.kind = (surface.kind & ~kGiven) | kSurfaceString;
        }
      }
      break;
    case FileType::kUnknownText:
    case FileType::kPlainText:
      if (IsPackageMetadata(file)) {
        // Mail headers, an empty line, the document.
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        Markdown(sink, text, kSurfaceDocument, end);
        break;
      }
      CollectParagraphs(sink, {0, text.size()}, body);
      break;
    default:
      break;
  }
}

}  // namespace interlock::scan
