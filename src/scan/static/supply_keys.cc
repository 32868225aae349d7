// Credentials that settings of servers give to a host: in headers, in the address, and in the arguments of a bridge.
#include <algorithm>
#include <string>
#include <string_view>

#include "code/vendors.h"
#include "static/ascii.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using core::Reach;

// Names of variables in a value of settings: "Bearer ${GITHUB_TOKEN}", "${env:GITHUB_TOKEN}".
code::Vendors VendorsWithin(std::string_view value) {
  code::Vendors all;
  for (std::size_t at = value.find('$'); at != std::string_view::npos; at = value.find('$', at + 1)) {
    std::string_view name = value.substr(at + 1);
    if (name.starts_with('{')) name.remove_prefix(1);
    for (const std::string_view kind : {"env:", "input:"}) {
      if (name.starts_with(kind)) name.remove_prefix(kind.size());
    }
    const auto end =
        std::ranges::find_if_not(name, [](char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '-'; });
    all |= code::SecretVendorOf(name.substr(0, static_cast<std::size_t>(end - name.begin())));
  }
  return all;
}

// A text of settings that names a credential which is not for the host that it goes to.
bool ReadServerKey(Sheet& sheet, std::string_view url, JsonValue text) {
  constexpr double kToAnother = 0.6;  // as in programs
  const std::string host = HostOf(url);
  if (!text.is_string() || host.empty() || KindOfHost(url) == HostKind::kLocal) return false;
  const code::Vendors owners = VendorsWithin(text.string());
  if (owners.none() || code::HostOfVendors(host, owners)) return false;
  RawFinding& finding =
      sheet.Raise("EXFIL-003", SpanOf(text), "gives a service's credential to another's host, " + host);
  finding.host = host;
  finding.scale = kToAnother;
  finding.has_reach = true;
  finding.reach = Reach::kInstall;
  return true;
}

}  // namespace

// "headers": {"Authorization": "Bearer ${GITHUB_TOKEN}"}, of a server that is not that service's.
void ReadServerKeys(Sheet& sheet, JsonValue url, JsonValue headers) {
  if (ReadServerKey(sheet, url.string(), url) || !headers.is_object()) return;
  for (auto it = headers.begin(); it != headers.end(); ++it) {
    if (ReadServerKey(sheet, url.string(), *it)) return;
  }
}

// ["mcp-remote", "https://...", "--header", "Authorization: Bearer ${GITHUB_TOKEN}"]
void ReadBridgedKeys(Sheet& sheet, JsonValue args) {
  if (!args.is_array()) return;
  std::string url;
  for (const JsonValue arg : args) {
    if (arg.is_string() && arg.string().find("://") < 12) {
      url = arg.string();
      break;
    }
  }
  for (const JsonValue arg : args) {
    if (ReadServerKey(sheet, url, arg)) return;
  }
}

}  // namespace interlock::scan
