// What a file is (by content, not by name) and where in the package it stands. Engine room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/package.h"
#include "interlock/scan/scanner.h"
#include "static/analysis.h"

namespace interlock::scan {

// By the name alone.
[[nodiscard]] FileType TypeOfName(std::string_view path) noexcept;
// By magic numbers, shebang and shape; `claimed` decides between kinds of text.
[[nodiscard]] FileType TypeOfContent(std::string_view bytes, FileType claimed) noexcept;
// By the path alone, for a package of this kind.
[[nodiscard]] core::Reach ReachOfPath(std::string_view path, FileType type, PackageKind kind) noexcept;

// examples/malicious-skill/SKILL.md: what a scanner or a course shows is nobody's instruction.
[[nodiscard]] bool ShowsAttacks(std::string_view lower_path) noexcept;

// SKILL.md, AGENTS.md, prompts, commands: text that an agent is given to follow.
[[nodiscard]] bool IsInstructionFile(std::string_view path) noexcept;
// A script that a bundler made for a browser: named by a hash, among a page's assets. No model is given its texts.
[[nodiscard]] bool IsBrowserBundle(std::string_view path) noexcept;
[[nodiscard]] std::string_view BaseName(std::string_view path) noexcept;
// Whether a path is the one that is named, or that one below some folder.
[[nodiscard]] bool EndsInPath(std::string_view path, std::string_view named) noexcept;
// Without its last slash; "" for the root.
[[nodiscard]] std::string_view FolderOf(std::string_view path) noexcept;
// `folder` joined with a relative path; "" parts, "." and ".." undone. False: it leaves the package.
bool JoinPath(std::string_view folder, std::string_view relative, std::string& out);

[[nodiscard]] PackageKind KindOfPackage(const core::PackageView& view);

// One context a file, in order.
[[nodiscard]] std::vector<FileContext> ClassifyFiles(const core::PackageView& view, PackageKind kind);

}  // namespace interlock::scan
