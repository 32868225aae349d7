// `interlock eval`: options of the evaluations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commands.h"
#include "interlock/base/result.h"

namespace CLI {
class App;
}

namespace interlock::app {

struct EvalArgs {
  std::string data;      // "": $INTERLOCK_DATA
  std::string out;       // folder for report.html and rows.json; "": none
  std::string weights;   // folder for the embedded weights, made again; then nothing else is done
  std::string authored;  // folder: sessions written for training (*.jsonl)
  std::string ordinary;  // folder: two of three README.md below it teach the span finder what manuals look like
  std::uint64_t seed = 42;
  bool quick = false;
  bool full = false;              // the default, spelled out
  std::vector<std::string> only;  // sections; none: all
  std::uint32_t jobs = 1;
  Format format = Format::kText;
};
int RunEvalAgentSentry(const EvalArgs& args);

// The folder of the data set: the one given, or $INTERLOCK_DATA, or a folder agent_sentry in it.
[[nodiscard]] base::Result<std::string> FindData(std::string folder);

// The command line of `interlock eval`; `run` becomes what the chosen evaluation does.
void AddEvalCommands(CLI::App& app, std::function<int()>& run);

}  // namespace interlock::app
