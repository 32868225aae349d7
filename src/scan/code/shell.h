// Shell scripts and command lines: what they run, fetch and write. Used on scripts, on strings given to a shell by
// code, on package.json scripts, Dockerfile RUN lines and fenced shell blocks of Markdown. Engine room.
//
// An own parser, linear and total: quotes, $(), backticks, pipelines, lists, redirections, here-documents, ANSI-C
// strings, brace and ${IFS} tricks, line joins; PowerShell and Windows batch well enough for what they fetch, decode
// and run. tree-sitter-bash gives up on one real script in ten and reads 1 to 2 MB/s; nothing here needs its tree.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/ir.h"

namespace interlock::scan::code {

struct ShellWord {
  std::string text;        // quotes and escapes undone, constant variables put in; "\x01" stands for what is not known
  std::string other = {};  // ... what it may be instead, and says more: a place of secrets, an address
  bool constant = true;    // no unknown part
  std::vector<std::uint32_t> commands = {};  // commands substituted into it, by index; through variables too
  std::vector<std::string> variables = {};   // names of the variables in it whose value is not known
  std::uint8_t obfuscation = 0;              // as Value::obfuscation: 1 split by quotes or variables, 2 decoded
  Loc loc;
};

struct ShellCommand {
  std::vector<ShellWord> words;  // [0] the program, wrappers (sudo, env, nohup, xargs, timeout) kept apart below
  std::vector<std::string> wrappers;
  std::uint32_t pipe_from = kNone;   // command whose output it reads
  std::uint32_t pipe_first = kNone;  // a group or loop is read: its commands are pipe_first to pipe_from
  std::uint32_t parent = kNone;      // command in whose argument (-c, eval, here-document, decoded text) it stands
  std::vector<std::pair<std::string, ShellWord>> redirects;  // ">" ">>" "<" "<<<" "<<"
  std::vector<std::pair<std::string_view, ShellWord>> assignments;
  bool background = false;
  std::uint8_t obfuscation = 0;  // of the text it stands in: 2 when that was decoded
  std::uint16_t condition_depth = 0;
  std::string folder;  // in which it runs: of a `cd` before it; "": not known
  Loc loc;
};

struct ShellFunction {
  std::string name;
  std::uint32_t first = 0;  // commands of its body: [first, end)
  std::uint32_t end = 0;
};

enum class ShellDialect : std::uint8_t { kPosix, kPowerShell, kBatch };

struct ShellScript {
  std::vector<ShellCommand> commands;  // in order; substituted ones before the command that they are part of
  std::vector<ShellFunction> functions;
  ShellDialect dialect = ShellDialect::kPosix;
  std::vector<Comment> comments;
  std::vector<std::unique_ptr<std::string>> strings;
  bool complete = true;
  bool lexical = true;  // no syntax tree was used
};

// The dialect is told from the name of the file where it has one that says so (.ps1, .bat), else from the text. Total
// on any bytes. Text must outlive the script.
[[nodiscard]] ShellScript ParseShell(std::string_view text, const LowerLimits& limits = {}, std::string_view path = {});

namespace shell {
// Name of what a command starts, in lower case, without its folder; "" where it is not known.
[[nodiscard]] std::string ProgramOf(const ShellCommand& command);
// "host/port" of a path that is a socket, /dev/tcp/host/port; "" for any other.
[[nodiscard]] std::string SocketTarget(std::string_view path);
// A redirection to what `exec` has opened before: >&3.
[[nodiscard]] bool GoesToHandle(std::string_view op, std::string_view target);
}  // namespace shell
// As one word of a line.
[[nodiscard]] std::string ShellQuoted(std::string_view word);
// Words quoted so that a shell would give the program the same ones; `program` as it stands.
[[nodiscard]] std::string CommandLine(std::string_view program, std::span<const std::string> words);

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
  kTakeover,         // the host from inside a container, a second root: detail = how
  kMine,             // a mining pool's worker
  kInject,           // calls made in another process
  kRunArgument,      // words that the script was given, put into a text that is run: detail = how; gravity 1: that a
                     // server's tool is called with
  kUncheckedPeer,    // a credential sent without asking whose certificate it is: detail = URL
  kGrant,            // access given to somebody whose name stands in the script: detail = how
  kSendTaken,        // the screen, the clipboard, recordings, the user's own folders, sent out: detail = destination
  kRuin,             // backups, all room of a disk, everybody's files: detail = what
  kDivert,           // payment addresses in a text replaced by one that stands in the script: detail = it
  kShowSecret,       // the environment printed in letters that no filter of a log knows: detail = how
  kUnleash,          // an agent started with its questions off: gravity 2 where it is to look for secrets
  kTakeDown,         // what keeps an estate safe (walls.h): content = its key
};
struct ShellUse {
  ShellAct act = ShellAct::kRun;
  Loc loc;
  std::string detail;
  std::string decoded = {};
  std::uint8_t obfuscation = 0;
  std::vector<std::pair<Loc, std::string>> steps = {};
  // What the operands alone say: 0 as honest scripts do it every day (rm -rf dist, chmod +x, export PATH in .bashrc);
  // 1 worth a look; 2 hardly an innocent reading (rm -rf ~, authorized_keys, fetched over plain http from a bare
  // address and run); 3, of kPermission: takes the sight from whatever watches the machine. Whose host it is, is for
  // the judge.
  std::uint8_t gravity = 0;
  std::string content = {};       // kWriteFile, kWriteStartup, kWriteAgent: text written, where it is constant
  std::uint32_t command = kNone;  // index into ShellScript::commands; kNone: of the script as a whole
};
// What a command prints is a credential, by what it asks: `security find-generic-password`, `op item get`. Not by files
// that it reads.
[[nodiscard]] bool PrintsSecret(std::string_view command);
// What whoever starts the script reads of it: a credential or a file of them, the whole environment, what the user
// keeps. Scripts over 1 MiB are not asked.
enum class Printed : std::uint8_t { kNothing, kSecret, kEnvironment, kTaken };
[[nodiscard]] Printed PrintedBy(std::string_view script);
// The first 2,048 of each kind. `all`: set to whether there were no more; may be null.
[[nodiscard]] std::vector<ShellUse> AnalyzeShellScript(const ShellScript& script, std::string_view text,
                                                       bool* all = nullptr);

}  // namespace interlock::scan::code
