// What paths and names that shell commands mention are. Private to shell*.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::scan::code::shell {

// Of a host, folder or file as a command names it; `~` is the user's home.
// Lower case, forward slashes, without trailing ones; "/home/x/" and "/root/" become "~/".
[[nodiscard]] std::string HomePath(std::string_view path);
// `path` is where a program keeps the credential for the service at `host`, by both their names.
[[nodiscard]] bool IsStoreOf(std::string_view path, std::string_view host);
// shell_taken.cc: what lies under a path that is somebody's own to look into, "" for any other.
[[nodiscard]] std::string_view KeptBy(std::string_view path);
[[nodiscard]] bool IsSecretPath(std::string_view path);
// A sentence that names several kinds of things which are secret: wallets, keys, variables.
[[nodiscard]] bool NamesLoot(std::string_view text);
[[nodiscard]] bool IsStartupPath(std::string_view path);
// A file that a shell reads when it starts, by its own name: ".zshrc", or "zshrc" as people keep it among their
// settings.
[[nodiscard]] bool IsShellStartup(std::string_view name);
[[nodiscard]] bool IsAgentPath(std::string_view path);
[[nodiscard]] std::uint8_t StartupGravity(std::string_view path, std::string_view content, bool known);
// What `s/from/to/` writes: "to"; "" for any other script of sed.
[[nodiscard]] std::string SedReplacement(std::string_view script);
[[nodiscard]] std::uint8_t DeleteGravity(std::string_view path);
[[nodiscard]] std::uint8_t FetchGravity(std::string_view url);  // of running what it yields
[[nodiscard]] bool IsLocalHost(std::string_view host);
[[nodiscard]] std::string HostOf(std::string_view url);  // lower case; "" when there is none
[[nodiscard]] bool LooksLikeUrl(std::string_view text);

}  // namespace interlock::scan::code::shell
