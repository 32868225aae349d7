// Where programs keep what signs their user in, and what the user has said or is told. Both places.cc (code) and
// shell_paths.cc (shells) ask this table beside the shorter lists of their own.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::scan::code {

enum class Store : std::uint8_t {
  kNone,
  kOwn,    // profiles of browsers, wallets, sessions of messengers, passwords: read by their own programs only
  kToken,  // of a tool for its service: read by others for good reasons
  kTalk,   // messages, mail, notes, address books
};
// `path`: in small letters, with forward slashes. Total on any text.
[[nodiscard]] Store StoreAt(std::string_view path);

}  // namespace interlock::scan::code
