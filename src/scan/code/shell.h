// Shell scripts and command lines: what they run, fetch and write. Used on scripts, on strings given to a shell by
// code, on package.json scripts, Dockerfile RUN lines and fenced shell blocks of Markdown. Engine room.
//
// tree-sitter-bash where it parses without errors; else an own lexer (quotes, $(), backticks, pipelines, lists,
// redirections, here-documents, ANSI-C strings, brace and ${IFS} tricks, line joins), linear and total.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code/ir.h"

namespace interlock::scan::code {

struct ShellWord {
  std::string text;      // quotes and escapes undone, constant variables put in; "\x01" stands for what is not known
  bool constant = true;  // no unknown part
  std::vector<std::uint32_t> commands = {};  // commands substituted into it, by index
  Loc loc;
};

struct ShellCommand {
  std::vector<ShellWord> words;  // [0] the program, wrappers (sudo, env, nohup, xargs, timeout) kept apart below
  std::vector<std::string> wrappers;
  std::uint32_t pipe_from = kNone;                           // command whose output it reads
  std::vector<std::pair<std::string, ShellWord>> redirects;  // ">" ">>" "<" "<<<" "<<"
  std::vector<std::pair<std::string_view, ShellWord>> assignments;
  bool background = false;
  std::uint16_t condition_depth = 0;
  Loc loc;
};

struct ShellScript {
  std::vector<ShellCommand> commands;  // in order, substituted ones too
  std::vector<Comment> comments;
  std::vector<std::unique_ptr<std::string>> strings;
  bool complete = true;
  bool lexical = false;  // the fallback was used
};

[[nodiscard]] ShellScript ParseShell(std::string_view text, const LowerLimits& limits = {});

// One thing a script does, as permission uses and flows see it.
enum class ShellAct : std::uint8_t {
  kFetch,         // curl, wget, Invoke-WebRequest ... : detail = URL
  kFetchAndRun,   // fetched content into an interpreter, directly, by file, by substitution or decoded: detail = URL
  kSend,          // upload of data: detail = destination
  kSendSecret,    // secrets, keys, environment, or files of them, sent out
  kDecodeAndRun,  // base64/xxd/openssl/rev decoded text into an interpreter
  kReverseShell,
  kRun,              // any other program: detail = its name
  kInstall,          // pip, npm, apt, brew ... install: detail = what
  kReadSecret,       // ~/.ssh, ~/.aws, .env, keychain, browser profiles ...
  kWriteFile,        // detail = path
  kWriteStartup,     // crontab, .bashrc, systemd, launchd, authorized_keys, git hooks: survives the session
  kWriteAgent,       // agent settings, memory, MCP configuration, hooks, CLAUDE.md ...
  kDelete,           // rm -rf and the like: detail = path
  kPermission,       // chmod, chown, sudoers, setuid, xattr -d quarantine, disabling protections
  kReadEnvironment,  // env, printenv whole
  kListen,           // servers, nc -l
};
struct ShellUse {
  ShellAct act = ShellAct::kRun;
  Loc loc;
  std::string detail;
  std::string decoded = {};
  std::uint8_t obfuscation = 0;
  std::vector<std::pair<Loc, std::string>> steps = {};
};
[[nodiscard]] std::vector<ShellUse> AnalyzeShellScript(const ShellScript& script, std::string_view text);

}  // namespace interlock::scan::code
