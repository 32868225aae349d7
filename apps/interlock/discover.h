// What agent hosts on this machine are set up with: MCP servers, skills, hooks, plugins and instruction files of Claude
// Code and Desktop, Cursor, VS Code, Codex, Gemini CLI, Windsurf and OpenCode, for Linux and macOS. Reads their files
// and starts nothing.
#pragma once

#include <string>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/scan/host_config.h"

namespace interlock::app {

struct DiscoverRoots {
  std::string home;         // of the user
  std::string project;      // folder whose project files are read; "": none
  std::string config_home;  // XDG_CONFIG_HOME; "": home + "/.config"
  std::string system;       // in front of absolute paths ("/etc/..."): "" but in tests
};

struct DiscoveredItem {
  std::string host;  // "claude-code" "claude-desktop" "cursor" "vscode" "codex" "gemini" "windsurf" "opencode" "agents"
  std::string scope;  // "user" "project" "managed" "plugin"
  std::string kind;   // "mcp-server" "skill" "hook" "plugin" "instructions"
  std::string name;
  std::string file;  // that says so
  std::uint32_t line = 0;
  std::string detail;                     // the command, URL or event: without secrets
  std::vector<std::string> environment;   // names of variables that it is given
  std::vector<std::string> header_names;  // of HTTP headers that it is given
  bool enabled = true;
  std::string package;            // file or folder on this machine that holds it; "": none known
  scan::ConfiguredServer server;  // of an mcp-server; holds secrets
};

struct DiscoverProblem {
  std::string file;
  base::Error error;
};

struct Discovery {
  std::vector<DiscoveredItem> items;  // by host, scope, kind, name
  std::vector<DiscoverProblem> problems;
  std::vector<std::string> files;  // that were there and read
};

[[nodiscard]] Discovery Discover(const DiscoverRoots& roots);

}  // namespace interlock::app
