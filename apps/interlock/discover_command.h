// `interlock discover`: what this machine's agents are set up with, scanned.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "commands.h"

namespace CLI {
class App;
}

namespace interlock::app {

struct DiscoverArgs {
  std::string home;     // "": $HOME
  std::string project;  // "": the current folder
  bool start = false;   // start the configured servers and list what they offer
  bool scan = true;
  std::string fail_on = "block";
  std::uint32_t timeout_s = 60;  // a server
  std::uint32_t jobs = 0;
  Format format = Format::kText;
};

int RunDiscover(const DiscoverArgs& args);
void AddDiscoverCommand(CLI::App& app, std::function<int()>& run);

}  // namespace interlock::app
