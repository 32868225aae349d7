// Kinds of hosts: rules/hosts/hosts.json as a table, and addresses by their shape.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "static/shell_judge.h"

namespace interlock::embedded {
std::string_view Find_scan_hosts(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

struct Table {
  std::unordered_map<std::string, HostKind> hosts;
  std::vector<std::pair<std::string, HostKind>> paths;  // "host/path"
};

const Table& Hosts() {
  static const Table table = [] {
    Table built;
    const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(embedded::Find_scan_hosts("hosts.json"));
    INTERLOCK_CHECK(doc.ok(), "the shipped list of hosts is valid");
    constexpr std::array<std::pair<std::string_view, HostKind>, 6> kinds = {{{"installer", HostKind::kInstaller},
                                                                             {"forge", HostKind::kForge},
                                                                             {"registry", HostKind::kRegistry},
                                                                             {"paste", HostKind::kPaste},
                                                                             {"tunnel", HostKind::kTunnel},
                                                                             {"shortener", HostKind::kShortener}}};
    for (const auto& [key, kind] : kinds) {
      const base::JsonValue list = doc.value().root().Find(key);
      for (auto it = list.begin(); it != list.end(); ++it) {
        std::string host((*it).string());
        if (host.find('/') != std::string::npos) {
          built.paths.emplace_back(std::move(host), kind);
        } else {
          built.hosts.emplace(std::move(host), kind);
        }
      }
    }
    return built;
  }();
  return table;
}

// Dotted quad, also as one number or in hex, as browsers and curl read it.
bool ParseAddress(std::string_view host, std::uint32_t& address) {
  std::uint32_t parts[4] = {};
  int count = 0;
  while (count < 4) {
    const std::size_t dot = host.find('.');
    std::string_view part = host.substr(0, dot);
    int base = 10;
    if (part.starts_with("0x") || part.starts_with("0X")) {
      part.remove_prefix(2);
      base = 16;
    }
    if (part.empty()) return false;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), parts[count], base);
    if (error != std::errc{} || end != part.data() + part.size()) return false;
    ++count;
    if (dot == std::string_view::npos) {
      host = {};
      break;
    }
    host.remove_prefix(dot + 1);
  }
  if (!host.empty() || (count != 4 && count != 1)) return false;
  if (count == 1) {
    address = parts[0];
    return parts[0] > 0xFFFFFF;
  }
  for (const std::uint32_t part : parts) {
    if (part > 255) return false;
  }
  address = parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3];
  return true;
}

bool IsPrivate(std::uint32_t a) {
  return (a >> 24) == 10 || (a >> 24) == 127 || (a >> 20) == 0xAC1 || (a >> 16) == 0xC0A8 || (a >> 16) == 0xA9FE ||
         a == 0;
}

}  // namespace

std::string HostOf(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#\\ \"'`"));
  if (const std::size_t user = url.rfind('@'); user != std::string_view::npos) url.remove_prefix(user + 1);
  if (!url.empty() && url.front() == '[') return std::string(url.substr(0, url.find(']') + 1));
  url = url.substr(0, url.find(':'));
  std::string host(url);
  for (char& c : host) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  while (!host.empty() && host.back() == '.') host.pop_back();
  return host;
}

HostKind KindOfHost(std::string_view url) {
  const std::string host = HostOf(url);
  if (host.empty()) return HostKind::kOrdinary;
  if (host.front() == '[')
    return host == "[::1]" || host.starts_with("[fe80") || host.starts_with("[fd") ? HostKind::kLocal
                                                                                   : HostKind::kRawAddress;
  std::uint32_t address = 0;
  if (ParseAddress(host, address)) return IsPrivate(address) ? HostKind::kLocal : HostKind::kRawAddress;
  if (host == "localhost" || host.ends_with(".localhost") || host.ends_with(".local") || host.ends_with(".internal") ||
      host.ends_with(".lan") || host == "host.docker.internal") {
    return HostKind::kLocal;
  }
  const Table& table = Hosts();
  std::string lower(url);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  for (const auto& [path, kind] : table.paths) {
    const std::size_t at = lower.find(path);
    if (at == std::string::npos) continue;
    if (at == 0 || lower[at - 1] == '/' || lower[at - 1] == '.') return kind;
  }
  for (std::string_view rest = host;;) {
    const auto found = table.hosts.find(std::string(rest));
    if (found != table.hosts.end()) return found->second;
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos) return HostKind::kOrdinary;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace interlock::scan
