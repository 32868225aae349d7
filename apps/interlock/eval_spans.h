// `interlock eval spans`: how often real text that nobody attacked is taken for an order to the agent.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands.h"

namespace CLI {
class App;
}

namespace interlock::app {

struct EvalSpansArgs {
  std::string data;                // "": $INTERLOCK_DATA; "-": none
  std::vector<std::string> lines;  // files, each line of which is a text of its own
  std::size_t show = 0;            // flagged texts to print
  Format format = Format::kText;
};
int RunEvalSpans(const EvalSpansArgs& args);
void AddEvalSpansCommand(CLI::App& group, std::function<int()>& run);

}  // namespace interlock::app
