// Addresses at which money arrives, and patterns that look for them.
#pragma once

#include <string_view>

namespace interlock::scan::code {

// The address of a wallet: Bitcoin, Litecoin, Ethereum, Tron. No checksum is asked.
[[nodiscard]] bool IsWallet(std::string_view text);

// A regular expression that matches such addresses: "0x[0-9a-fA-F]{40}", "bc1[a-z0-9]{25,59}".
[[nodiscard]] bool MatchesWallets(std::string_view pattern);

// s/PATTERN/ADDRESS/: an editing command that puts one address in the place of all. The address; "" for any other.
[[nodiscard]] std::string_view PutInPlaceOfWallets(std::string_view edit);

}  // namespace interlock::scan::code
