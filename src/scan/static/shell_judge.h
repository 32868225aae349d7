// How bad is what a shell command does, where it stands? One judgement for scripts, install hooks, command lines in
// code and commands that a document has the agent or the user run. Engine room.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/flow.h"
#include "code/shell.h"
#include "static/analysis.h"

namespace interlock::scan {

enum class ShellPlace : std::uint8_t {
  kScript,       // a file that is a shell script
  kHook,         // runs by itself: install hook, agent hook, server command
  kCodeString,   // given to a shell by code
  kInstruction,  // a document has the agent or its user run it
};

// The subject of SH-005 where a script sets up a job that runs again: JudgeUndisclosed takes it off, and weighs it.
inline constexpr std::string_view kScheduled = "scheduled";

struct ShellContext {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;  // of the command's text in the file, where it stands there byte for byte
  base::ByteSpan whole;      // where it does not (an escaped string): reported for every finding
  const std::vector<std::uint32_t>* map = nullptr;  // offset in the file of each byte of the text; wins over both
  ShellPlace place = ShellPlace::kScript;
  bool has_reach = false;
  core::Reach reach = core::Reach::kRuntime;
  bool serves = false;  // a program of the package, which may be a server: what its tools are called with reaches it
  double described = 0.0;
};

// A start-up file of the user's is written that fetches and runs a program each time, or puts a library into all
// others.
[[nodiscard]] bool KeepsFetching(const code::ShellUse& act);

// Acts that have hardly an innocent reading, wherever the command stands: secrets that are sent, what is fetched or
// decoded and run, a shell for somebody else, a start-up file that keeps fetching.
[[nodiscard]] bool IsGrave(const code::ShellUse& act);
// Statements of a data base as a script that gives them to a client: what they let in, and the commands within them.
[[nodiscard]] std::string ScriptOfStatements(std::string_view statements);
// Whether a text names a program that such commands need; a cheap look before it is parsed.
[[nodiscard]] bool NamesProgramOfCommands(std::string_view text);

// Rules SH-* (rules/scan/shell.json). Capability uses (network, file, subprocess ...) go to `uses` when it is not null.
void JudgeShell(std::span<const code::ShellUse> acts, const ShellContext& context, std::vector<RawFinding>& out,
                std::vector<code::CapabilityUse>* uses);

// What kind of place a host (or URL) is, by what the public knows of it; data in rules/scan/hosts.json.
enum class HostKind : std::uint8_t {
  kOrdinary,
  kInstaller,  // publishes a widely known tool's installer
  kForge,      // anybody may host code there: github.com, raw.githubusercontent.com, gitlab.com ...
  kRegistry,   // package registries
  kPaste,      // paste and anonymous file hosts
  kTunnel,     // tunnels, dynamic DNS, request catchers, webhook inboxes
  kShortener,
  kRawAddress,  // an IP address that is not private or loopback
  kLocal,       // loopback, private networks, .local, .internal, localhost
};
[[nodiscard]] HostKind KindOfHost(std::string_view host_or_url);
// The host itself, or a name below it: not one that merely holds or ends with its letters.
[[nodiscard]] bool IsHostOrBelow(std::string_view host, std::string_view suffix);
// Anybody may run a program there under a name of their choice (hosts.json, `apps`).
[[nodiscard]] bool RunsAnybodysProgram(std::string_view host_or_url);
// Stands for a host that was left out or is to be filled in: "[removed]", "<host>", "...".
[[nodiscard]] bool IsPlaceholderHost(std::string_view host_or_url) noexcept;
[[nodiscard]] std::string HostOf(std::string_view url);  // lower case, no port; "" when there is none

}  // namespace interlock::scan
