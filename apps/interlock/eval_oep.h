// `interlock eval oep`: the incident simulator.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace interlock::app {

struct EvalOepArgs {
  std::string suite = "paper";
  std::uint32_t seeds = 10;
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;  // 0: one a core
  std::vector<std::string> agents;
  std::vector<std::string> data;  // own files, each laid over the built-in ones
  std::string planner;            // command that answers questions
  std::uint32_t planner_timeout = 60;
  std::string replay;  // transcript
  std::string record;  // transcript to write
  std::string traces;
  std::string out;
  bool sweeps = true;
  std::string format = "text";
};
int RunEvalOep(const EvalOepArgs& args);
void AddEvalOepCommand(CLI::App& group, std::function<int()>& run);

}  // namespace interlock::app
