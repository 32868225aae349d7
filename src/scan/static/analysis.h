// Engine room of the static layer: what analysers are given and what they give back. Not public.
//
// An analyser raises RawFindings; only verdict.cc turns them into weighted findings, using the file's reach, so that no
// analyser decides on its own how much a hit counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"
#include "interlock/core/finding.h"
#include "interlock/core/package.h"
#include "interlock/scan/scanner.h"

namespace interlock::scan {

enum class FileType : std::uint8_t {
  kUnknownText,
  kMarkdown,
  kPython,
  kJavaScript,  // js, mjs, cjs, jsx
  kTypeScript,  // ts, tsx, mts, cts
  kGo,
  kRust,
  kShell,
  kJson,
  kYaml,
  kToml,
  kIni,
  kHtml,
  kXml,  // svg too
  kNotebook,
  kRequirements,
  kDockerfile,
  kOtherSource,  // a programming language without an analyser: text rules only
  kPlainText,
  kPyc,
  kElf,
  kPe,
  kMachO,
  kWasm,
  kArchive,  // left packed
  kImage,
  kFont,
  kMedia,
  kPdf,
  kOffice,
  kBinary,  // anything else that is not text
};
[[nodiscard]] std::string_view NameOf(FileType type) noexcept;
[[nodiscard]] bool IsText(FileType type) noexcept;
[[nodiscard]] bool IsCode(FileType type) noexcept;

// A file as analysers see it. `reach` is what its place in the package suggests; the package step may raise it (a
// script that SKILL.md tells the agent to run becomes kAgent).
struct FileContext {
  std::uint32_t index = 0;  // in PackageView::files
  const core::PackageFile* file = nullptr;
  FileType type = FileType::kUnknownText;
  FileType claimed = FileType::kUnknownText;  // by its name; differs from `type` for files that pretend
  FileType started = FileType::kUnknownText;  // as what an interpreter is told to run it; kUnknownText: as nothing else
  core::Reach reach = core::Reach::kRuntime;
  [[nodiscard]] std::string_view text() const noexcept { return file->bytes; }
  // What it is when it runs. Its text is read as `type` all the same: a line that runs a document takes nothing from
  // it.
  [[nodiscard]] FileType runs() const noexcept { return started == FileType::kUnknownText ? type : started; }
};

struct RawFlowStep {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  std::string text;
};

struct RawFinding {
  std::string_view rule;      // id; storage must outlive the job (a literal, or the rule set's)
  std::uint32_t file = 0;     // FileContext::index
  base::ByteSpan bytes;       // in the file; empty at 0: the whole file
  double scale = 1.0;         // times the rule's confidence, from the analyser's own certainty
  std::string message = {};   // "" : the rule's title
  std::string evidence = {};  // "" : the bytes themselves
  std::string decoded = {};
  std::string subject = {};
  std::vector<RawFlowStep> flow = {};
  bool has_reach = false;  // `reach` replaces the file's
  core::Reach reach = core::Reach::kRuntime;
  // Describing rather than performing: quoted, in a code block, negated, in a passage about attacks. [0,1]; the verdict
  // multiplies confidence by (1 - described).
  double described = 0.0;
  // Host that is fetched from or sent to. The verdict weighs the finding less where that host belongs to the package's
  // own maker (its repository, home page, name), more for raw addresses, paste sites, tunnels. "" : no host in it.
  std::string host = {};
  // An order whose sentence names an address or a file of keys. One that does not may be part of an honest manual
  // ("submit it, and receive the API key").
  bool concrete = false;
  bool told = false;  // a document tells a person or an agent to do it; nothing of the package does it by itself
  std::optional<core::Severity> severity = {};  // of this very finding, instead of the rule's
  bool listed_only = false;                     // reported, and no reason for a verdict unless the profile is strict
};

inline RawFinding& AddFinding(std::vector<RawFinding>& out, const FileContext& file, std::string_view rule,
                              base::ByteSpan bytes, std::string message, double scale) {
  RawFinding finding;
  finding.rule = rule;
  finding.file = file.index;
  finding.bytes = bytes;
  finding.message = std::move(message);
  finding.scale = scale;
  out.push_back(std::move(finding));
  return out.back();
}

// What one unit (a file) leaves. Units do not see each other.
struct FileResult {
  std::vector<RawFinding> findings;
  std::uint64_t analysed = 0;  // bytes read by at least one analyser
  std::vector<core::SkippedPart> skipped;
};

// Byte offset -> line and column, both from 1. The text must outlive it.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;        // bytes
    std::uint32_t utf16_column = 1;  // UTF-16 units, as editors count
  };
  [[nodiscard]] Place At(std::size_t offset) const noexcept;

 private:
  std::string_view text_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace interlock::scan
