// What a path, a variable's name or a host stands for. Private to src/scan/code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::scan::code {

// NODE_TLS_REJECT_UNAUTHORIZED=0 and its like: a program that has it asks nobody whose certificate it is.
[[nodiscard]] bool LeavesPeersUnasked(std::string_view variable, std::string_view value);

// Settings say what an agent has; what it is to do stands in its instructions. `lower`: a path in small letters.
[[nodiscard]] inline bool IsSettingsPath(std::string_view lower) {
  return lower.ends_with(".json") || lower.ends_with(".jsonc") || lower.ends_with(".toml");
}

enum class PathKind : std::uint8_t {
  kPlain,
  kSecret,      // private keys, cloud credentials, browser profiles, wallets: read by their own programs only
  kWeakSecret,  // .env, .npmrc, shell history, tokens of tools: read by many for good reasons
  kStartup,     // what runs again at login, boot or in every shell
  kAgent,       // settings, memory and instructions of agents
  kTemporary,   // anybody may write there
};
// Of a path as far as it is known (kHole for the rest).
[[nodiscard]] PathKind KindOfPath(std::string_view path);
// The name that somebody registered, of a host by its name: "terraform" of app.terraform.io; "" for none.
[[nodiscard]] std::string_view RegisteredName(std::string_view host);
// How much a text says, of several that a variable may be: the most telling first. Secrets and settings, then what
// stands on the network, strangers first, then other places, then plain words.
enum class Telling : std::uint8_t { kSecret, kWatched, kStranger, kService, kPlace, kWord };
[[nodiscard]] Telling TellingOf(std::string_view text);
// Whether another text that a variable may be is worth a look beside the one that holds last.
[[nodiscard]] constexpr bool StandsFor(Telling other, Telling last) {
  return other < Telling::kService && last >= Telling::kService;
}
// Lower case. The folder that the file lies in is a cache or holds logs: what a program keeps in an agent's folder for
// itself, and no agent reads as its own. Programs of plugins lie in a cache too.
[[nodiscard]] bool IsKeptAside(std::string_view lower);
// The metadata of a cloud, asked for the keys of the machine's role.
[[nodiscard]] bool GivesRoleKeys(std::string_view url);
// Lower case. The record of what was done on a machine; of an agent's, all that was said.
[[nodiscard]] bool IsRecordPath(std::string_view lower);

// `/bot` + token, `chat_id: id`: what names the bot or the chat in a chat service's interface says who talks where and
// carries nothing; `before`: the literal text before the piece, `key`: the name it is given under.
[[nodiscard]] bool IsChatAddress(std::string_view before, std::string_view key);
// `mode === "bypassPermissions"`, `case "bypassPermissions":`: the literal of [begin, end), quotes and all, is asked
// for, and written nowhere.
[[nodiscard]] bool IsCompared(std::string_view text, std::size_t begin, std::size_t end);
// `DANGEROUS_COMMANDS = [`, `blocked: list = field(` and its list on the next line: what a guard looks for begins at
// `list`, or what a schema shows (IsExample).
[[nodiscard]] bool IsListOfForbidden(std::string_view text, std::size_t list);
// `"examples": ["ls", ...]` of a parameter's schema: what stands at `at`, the list or an item of it, is shown and not
// run.
[[nodiscard]] bool IsExample(std::string_view text, std::size_t at);

// .psql_history, fish_history: what was typed at a prompt. `name`: of a file, lower case.
[[nodiscard]] bool IsHistoryOfCommands(std::string_view name);

// What a browser keeps in the folder of its secrets, and is none: its history, its bookmarks.
[[nodiscard]] bool LiesBesideSecrets(std::string_view path);

// The host of a module that is fetched anew each time it is imported, `https://host/module.mjs`; "" where none is, and
// for the networks that hand out published packages.
[[nodiscard]] std::string HostOfFarModule(std::string_view module);

}  // namespace interlock::scan::code
