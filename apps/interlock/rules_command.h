// `interlock rules`: options.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands.h"

namespace CLI {
class App;
}

namespace interlock::app {

struct RulesArgs {
  std::vector<std::string> rules;  // own files or folders, beside the shipped ones
  std::string threat;              // filters of list; "": any
  std::string nature;
  std::string engine;
  std::string maturity;
  std::string severity;
  std::vector<std::string> ids;    // explain
  std::vector<std::string> files;  // test: only the rules of these files
  Format format = Format::kText;
};

int RunRulesList(const RulesArgs& args);
int RunRulesExplain(const RulesArgs& args);
int RunRulesTest(const RulesArgs& args);
void AddRulesCommands(CLI::App& app, std::function<int()>& run);

}  // namespace interlock::app
