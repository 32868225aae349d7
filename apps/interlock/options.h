// What several subcommands ask for in the same way, and how help shows it.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "commands.h"

namespace interlock::app {

// `--format text|json`, text unless asked.
void AddFormat(CLI::App* command, Format& format);

// Help without the library's inner notation: the words of a choice (`text|json`), the name of a switch alone
// (`--no-colour`).
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace interlock::app
