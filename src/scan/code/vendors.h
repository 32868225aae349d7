// Whose credential a variable of the environment holds, by its name, and which hosts are theirs. One table for
// programs and for shell commands. Private to src/scan/code.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::scan::code {

inline constexpr std::size_t kMostVendors = 128;
using Vendors = std::bitset<kMostVendors>;

// Whether a variable of the environment, by its name, holds a credential.
[[nodiscard]] bool IsSecretName(std::string_view variable);
// Whose a variable is, at most one bit; none: nobody's in particular. What no service is ever asked with (a database's
// password, a private key, the words of a wallet) has an owner as well, who has no hosts.
[[nodiscard]] Vendors VendorOf(std::string_view variable);
// VendorOf, of names that hold a credential.
[[nodiscard]] Vendors SecretVendorOf(std::string_view variable);
// Whether a host belongs to one of the vendors.
[[nodiscard]] bool HostOfVendors(std::string_view host, const Vendors& vendors);
// Whether the credentials are those of a maker of models, whose interface many others speak.
[[nodiscard]] bool IsKeyOfModels(const Vendors& vendors);
// Whether no service but the vendors' own is asked with such credentials: a token of GitHub, not a key of a model.
[[nodiscard]] bool AskedNowhereElse(const Vendors& vendors);
// Whose service a library asks, by the name that it is imported by: "@octokit/rest", "slack_sdk.web".
[[nodiscard]] Vendors VendorOfLibrary(std::string_view import);
// The vendor whose whole domain stands in front of somebody else's, api-openai.com.gw.example; "": no such disguise.
[[nodiscard]] std::string_view DisguisedAs(std::string_view host);
// Whether a host belongs to one of the large vendors, whose own libraries read their own files of credentials.
[[nodiscard]] bool IsKnownService(std::string_view host);
// An address of this machine, or of such a service.
[[nodiscard]] bool IsAtHome(std::string_view address);
// What a variable of the environment routes: whatever is sent, packages that are fetched, or what a model is asked.
enum class Route : std::uint8_t { kNowhere, kProxy, kIndex, kModel };
[[nodiscard]] Route RouteOf(std::string_view variable);
// The name that a vendor is known by, of a short one: "gh" to "github". The word itself when it is no vendor's.
[[nodiscard]] std::string_view VendorName(std::string_view lower);

}  // namespace interlock::scan::code
