#include "code/principals.h"

#include <algorithm>
#include <array>

namespace interlock::scan::code {
namespace {

template <std::size_t N>
bool HasAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

constexpr auto kKeys = std::to_array<std::string_view>({"ssh-ed25519 AAAA", "ssh-rsa AAAA", "ecdsa-sha2-"});
constexpr auto kPlaceholders = std::to_array<std::string_view>(
    {"example.com", "example.org", "your", "<", "{", "%", "user@", "you@", "xxx", "placeholder", "username", "changeme",
     "someone", "test@", "foo@", "bob@", "jane", "alice", "noreply"});
constexpr auto kOfManuals = std::to_array<std::string_view>(
    {"123456789012", "111122223333", "000000000000", "111111111111", "444455556666", "210987654321", "999999999999"});

}  // namespace

bool HoldsPublicKey(std::string_view text) { return HasAny(text, kKeys); }

bool IsPlaceholderName(std::string_view lower) { return lower.empty() || HasAny(lower, kPlaceholders); }

bool NamesCloudAccount(std::string_view text) {
  constexpr std::size_t kDigits = 12;
  std::size_t run = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] >= '0' && text[i] <= '9') {
      ++run;
      continue;
    }
    if (run == kDigits && std::ranges::find(kOfManuals, text.substr(i - kDigits, kDigits)) == kOfManuals.end())
      return true;
    run = 0;
  }
  return false;
}

}  // namespace interlock::scan::code
