// Who is meant: keys, accounts and names that stand in code, and those that a reader is to replace. Engine room.
#pragma once

#include <string_view>

namespace interlock::scan::code {

// A public key of SSH, as it stands in `authorized_keys`.
[[nodiscard]] bool HoldsPublicKey(std::string_view text);
// Lower case. A name that manuals write for the reader's own.
[[nodiscard]] bool IsPlaceholderName(std::string_view lower);
// Twelve digits in a row, alone or in the name of a role: an account of a cloud, other than those of manuals.
[[nodiscard]] bool NamesCloudAccount(std::string_view text);

}  // namespace interlock::scan::code
