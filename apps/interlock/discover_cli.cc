// The command line of `interlock discover`.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "discover_command.h"
#include "options.h"

namespace interlock::app {

void AddDiscoverCommand(CLI::App& app, std::function<int()>& run) {
  const auto a = std::make_shared<DiscoverArgs>();
  auto* c =
      app.add_subcommand("discover", "MCP servers, skills, hooks and plugins configured on this machine, scanned");
  c->footer(
      "Reads the files of Claude Code and Desktop, Cursor, VS Code, Codex, Gemini CLI, Windsurf and OpenCode: the\n"
      "user's, the system's and those of the current folder. Starts nothing without --start. Values of environment\n"
      "variables and headers are never printed.\n"
      "Exit codes: 0 fine, 1 something at or above --fail-on, 2 could not run.");
  c->add_option("--home", a->home, "home folder to look into; default: yours");
  c->add_option("--project", a->project, "folder whose project files are read; default: the current one");
  c->add_flag("--start", a->start, "start configured servers (runs their commands) and scan what they offer");
  c->add_flag("!--no-scan", a->scan, "list only");
  c->add_option("--fail-on", a->fail_on, "exit 1 from this verdict on: block | warn | never")
      ->check(CLI::IsMember({"block", "warn", "never"}))
      ->capture_default_str();
  c->add_option("--timeout", a->timeout_s, "seconds for one server")->check(CLI::Range(1, 3600))->capture_default_str();
  c->add_option("-j,--jobs", a->jobs, "threads; default: one a core")->check(CLI::Range(1, 256));
  AddFormat(c, a->format);
  c->callback([a, &run] { run = [a] { return RunDiscover(*a); }; });
}

}  // namespace interlock::app
