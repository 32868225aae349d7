// Commands in the settings of pipelines, containers and runners of tasks, and in files that run when a folder is
// entered. Engine room of build_files.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// Commands that one shell is given.
struct BuildPiece {
  std::string commands;
  base::ByteSpan bytes;
  bool at_once = false;   // run whenever the file is read
  bool installs = false;  // of a target or an instruction that somebody who uses the package has run
};

enum class BuildPlace : std::uint8_t {
  kMake,       // recipes that somebody starts by name: makefile, justfile, Taskfile.yml
  kContainer,  // what makes or starts a container
  kPipeline,   // on somebody's server, with the repository's secrets
  kAction,     // a part of other people's pipelines
  kOpens,      // whoever enters or opens the folder runs it
};

struct BuildSettings {
  BuildPlace place = BuildPlace::kMake;
  std::vector<BuildPiece> pieces;
  std::vector<RawFinding> findings;  // what the settings say without a shell
  std::string stop;                  // why they were not read to their end
};

// Nothing for files of other kinds.
[[nodiscard]] BuildSettings PiecesOfSettings(const FileContext& file);

// Whether a file of this path holds steps that somebody's server runs with the repository's secrets.
[[nodiscard]] bool IsPipelinePath(std::string_view lower_path);
// Where all secrets of a pipeline are handed to something that sends; npos: nowhere. In lower case.
[[nodiscard]] std::size_t SendsAllSecrets(std::string_view lower);

// "${{ secrets.X }}" and its like as variables of a shell; other expressions become "_".
[[nodiscard]] std::string WithoutExpressions(std::string_view text);

}  // namespace interlock::scan
