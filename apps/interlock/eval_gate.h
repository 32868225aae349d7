// `interlock eval gate`: recorded agents through the complete gate.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace interlock::app {

struct EvalGateArgs {
  std::string data;
  std::vector<std::string> sets;      // "run1", "bench"; empty: both
  std::vector<std::string> profiles;  // empty: all
  std::uint64_t seed = 42;
  unsigned jobs = 1;
  std::string out;
  std::string format = "text";
};
int RunEvalGate(const EvalGateArgs& args);
void AddEvalGateCommand(CLI::App& group, std::function<int()>& run);

}  // namespace interlock::app
