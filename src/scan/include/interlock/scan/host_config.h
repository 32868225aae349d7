// Configuration files of agent hosts, as values: which MCP servers, hooks and plugins they name.
//
// Reads what Claude Code and Desktop, Cursor, VS Code, Codex, Gemini CLI, Windsurf and OpenCode write: JSON (with
// comments and trailing commas, as some of them allow) and Codex's TOML. The members are told by name, so that one
// reader serves all; members it does not know are passed over. A key that occurs twice is an error, not a choice.
// Hostile input is the norm: sizes, depth and counts are bounded. Works in memory; any number of threads.
//
// Values of environment variables and headers, and arguments that look like secrets, are here because a configured
// server cannot be started without them. They must never be printed: print what Printable* return.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::scan {

struct ConfiguredServer {
  std::string name;
  std::string project;               // folder that it is for, where one file serves several
  std::vector<std::string> command;  // stdio: program and arguments
  std::string url;                   // HTTP
  std::string cwd;
  std::vector<std::pair<std::string, std::string>> environment;  // secret values
  std::vector<std::pair<std::string, std::string>> headers;      // secret values
  bool enabled = true;
  std::uint32_t line = 0;
};

struct ConfiguredHook {
  std::string event;
  std::string matcher;
  std::string type;     // "command" "http" "prompt" ...
  std::string command;  // what is run, or the URL
  std::uint32_t line = 0;
};

struct ConfiguredPlugin {
  std::string name;
  std::string path;  // where it is installed, if the file says so
  bool enabled = true;
  std::uint32_t line = 0;
};

struct HostConfig {
  std::vector<ConfiguredServer> servers;
  std::vector<ConfiguredHook> hooks;
  std::vector<ConfiguredPlugin> plugins;
};

enum class HostSyntax : std::uint8_t { kJson, kToml };

// E01xx with the line; kLimitExceeded over 8 MiB or 10,000 entries.
[[nodiscard]] base::Result<HostConfig> ParseHostConfig(HostSyntax syntax, std::string_view bytes);

// JSON with // and /* */ comments and commas before a closing bracket, as JSON: what is left out becomes spaces, so
// that every offset and line stays. Strings are untouched; a leading byte order mark goes too.
[[nodiscard]] std::string StripJsonComments(std::string_view bytes);

// TOML as JSON: tables, arrays of tables, inline tables, arrays, all strings; dates and numbers become strings. Members
// of the top level's tables keep their order. E0101 with the line, E0103 when nested too deeply.
[[nodiscard]] base::Result<std::string> TomlToJson(std::string_view bytes);

// The command line with secrets replaced by "***": values of flags and NAME=value pairs whose name says key, token,
// secret, password or auth, well-known token shapes, user and password in URLs.
[[nodiscard]] std::string PrintableCommand(const std::vector<std::string>& command);
// Without user, password, fragment and the values of the query.
[[nodiscard]] std::string PrintableUrl(std::string_view url);
// Shell text of a hook, word by word as above.
[[nodiscard]] std::string PrintableShell(std::string_view text);

}  // namespace interlock::scan
