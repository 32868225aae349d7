#include "code/payees.h"

#include <algorithm>
#include <array>

namespace interlock::scan::code {

bool IsWallet(std::string_view text) {
  const auto all = [](std::string_view part, std::string_view set) {
    return part.find_first_not_of(set) == std::string_view::npos;
  };
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  constexpr std::string_view kBech = "0123456789abcdefghijklmnopqrstuvwxyz";
  if (text.size() == 42 && text.starts_with("0x")) return all(text.substr(2), kHex);
  if ((text.starts_with("bc1") || text.starts_with("ltc1")) && text.size() >= 26 && text.size() <= 64)
    return all(text, kBech);
  if (text.size() == 34 && text.front() == 'T') return all(text, kBase58);
  if (text.size() >= 26 && text.size() <= 35 && (text.front() == '1' || text.front() == '3')) return all(text, kBase58);
  return false;
}

bool MatchesWallets(std::string_view pattern) {
  const auto says = [&](std::string_view part) { return pattern.find(part) != std::string_view::npos; };
  if ((says("0x") || says("0X")) && says("{40}")) return true;
  // Two letters of a country, two digits, groups: an account in a bank.
  if (says("[A-Z]{2}") && (says("\\d{2}") || says("[0-9]{2}"))) return true;
  if ((says("bc1") || says("ltc1")) && says("{")) return true;
  // Base 58: neither 0 nor O, I, l.
  return says("{") && (says("a-km-z") || says("A-HJ-NP-Z"));
}

std::string_view PutInPlaceOfWallets(std::string_view edit) {
  if (edit.size() < 4 || edit.front() != 's') return {};
  const char mark = edit[1];
  if ((mark >= 'a' && mark <= 'z') || (mark >= 'A' && mark <= 'Z') || (mark >= '0' && mark <= '9')) return {};
  const std::size_t middle = edit.find(mark, 2);
  if (middle == std::string_view::npos || !MatchesWallets(edit.substr(2, middle - 2))) return {};
  const std::string_view address = edit.substr(middle + 1, edit.find(mark, middle + 1) - middle - 1);
  return IsWallet(address) ? address : std::string_view();
}

}  // namespace interlock::scan::code
