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
  std::vector<std::string> apps;
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
    const base::JsonValue apps = doc.value().root().Find("apps");
    for (auto it = apps.begin(); it != apps.end(); ++it) built.apps.emplace_back((*it).string());
    return built;
  }();
  return table;
}

// As inet_aton reads it, and with it curl and browsers: decimal, hexadecimal or octal parts; where `short_forms`, the
// last of two or three parts fills what is left ("127.1"), which outside a URL is rather a version number.
bool ParseAddress(std::string_view host, bool short_forms, std::uint32_t& address) {
  std::uint32_t parts[4] = {};
  int count = 0;
  while (count < 4) {
    const std::size_t dot = host.find('.');
    std::string_view part = host.substr(0, dot);
    int base = 10;
    if (part.starts_with("0x") || part.starts_with("0X")) {
      part.remove_prefix(2);
      base = 16;
    } else if (part.size() > 1 && part.front() == '0') {
      base = 8;
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
  if (!host.empty()) return false;
  if (count == 1) {
    address = parts[0];
    return parts[0] > 0xFFFFFF;
  }
  if (count < 4 && !short_forms) return false;
  address = 0;
  for (int i = 0; i + 1 < count; ++i) {
    if (parts[i] > 255) return false;
    address |= parts[i] << (24 - 8 * i);
  }
  const std::uint32_t last = parts[count - 1];
  if (static_cast<std::uint64_t>(last) >= std::uint64_t{1} << (8 * (5 - count))) return false;
  address |= last;
  return true;
}

bool IsPrivate(std::uint32_t a) {
  return (a >> 24) == 10 || (a >> 24) == 127 || (a >> 20) == 0xAC1 || (a >> 16) == 0xC0A8 || (a >> 16) == 0xA9FE ||
         a == 0 || (a >> 28) == 0xE || a == 0xFFFFFFFF;  // whoever listens in the same network
}

char LowerOf(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); }

// The path as a server will see it, lower case, without an end slash: "/a/./b/../c%2E" is "/a/c.".
std::string PathOf(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  const std::size_t slash = url.find_first_of("/?#\\ \"'`");
  if (slash == std::string_view::npos || url[slash] != '/') return {};
  url = url.substr(slash, url.find_first_of("?# \"'`", slash) - slash);
  std::string path;
  while (!url.empty()) {
    url.remove_prefix(1);
    const std::size_t next = std::min(url.find_first_of("/\\"), url.size());
    std::string part;
    for (std::size_t i = 0; i < next; ++i) {
      const bool dot = url[i] == '%' && i + 2 < next && url[i + 1] == '2' && LowerOf(url[i + 2]) == 'e';
      part += dot ? '.' : LowerOf(url[i]);
      if (dot) i += 2;
    }
    url.remove_prefix(next);
    if (part == "..") {
      path.resize(path.empty() ? 0 : path.rfind('/'));
    } else if (!part.empty() && part != ".") {
      path += '/';
      path += part;
    }
  }
  return path;
}

bool IsPathOrBelow(std::string_view path, std::string_view start) {
  return path.starts_with(start) && (path.size() == start.size() || path[start.size()] == '/');
}

// Loopback, link-local, unique local; an IPv4 address in IPv6's clothes is judged as what it is.
HostKind KindOfAddress6(std::string_view host) {
  if (host == "[::1]" || host == "[::]" || host.starts_with("[fe80:")) return HostKind::kLocal;
  if (host.size() > 5 && host[5] == ':' && (host.starts_with("[fd") || host.starts_with("[fc")))
    return HostKind::kLocal;
  constexpr std::string_view kMapped = "[::ffff:";
  std::uint32_t address = 0;
  if (host.starts_with(kMapped) && host.ends_with(']') &&
      ParseAddress(host.substr(kMapped.size(), host.size() - kMapped.size() - 1), false, address) &&
      IsPrivate(address)) {
    return HostKind::kLocal;
  }
  return HostKind::kRawAddress;
}

}  // namespace

bool IsPlaceholderHost(std::string_view host_or_url) noexcept {
  if (const std::size_t scheme = host_or_url.find("://"); scheme != std::string_view::npos) {
    host_or_url.remove_prefix(scheme + 3);
  }
  std::string_view host = host_or_url.substr(0, host_or_url.find_first_of("/?#\\"));
  if (host.find('@') != std::string_view::npos) return false;  // what stands before it is no host
  if (host.starts_with('[') && host.find(':') != std::string_view::npos) return false;  // an address
  host = host.substr(0, host.find(':'));
  if (host.empty() || host.ends_with(".xxx")) return false;
  // The whole host, not a part that goes before somebody's domain.
  if (host.front() == '<') return host.back() == '>';
  if (host.front() == '[') return host.back() == ']';
  return host.find_first_not_of(".*x\xE2\x80\xA6") == std::string_view::npos;
}

std::string HostOf(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  // "a\@b": some clients go to a, others to b; it is left as it is, which no list knows.
  const std::string_view authority = url.substr(0, url.find_first_of("/?# \"'`"));
  if (authority.find('\\') < authority.find('@') && authority.find('@') != std::string_view::npos) {
    return std::string(authority);
  }
  url = authority.substr(0, authority.find('\\'));
  if (const std::size_t user = url.rfind('@'); user != std::string_view::npos) url.remove_prefix(user + 1);
  const bool address6 = !url.empty() && url.front() == '[';
  std::string host(address6 ? url.substr(0, url.find(']') + 1) : url.substr(0, url.find(':')));
  for (char& c : host) c = LowerOf(c);
  while (!host.empty() && host.back() == '.') host.pop_back();
  return host;
}

bool IsHostOrBelow(std::string_view host, std::string_view suffix) {
  return host.ends_with(suffix) && (host.size() == suffix.size() || host[host.size() - suffix.size() - 1] == '.');
}

bool RunsAnybodysProgram(std::string_view url) {
  const std::string host = HostOf(url);
  // abc.execute-api.eu-west-1.amazonaws.com
  if (host.ends_with(".amazonaws.com") && host.find(".execute-api.") != std::string::npos) return true;
  return std::ranges::any_of(Hosts().apps, [&](const std::string& app) { return IsHostOrBelow(host, app); });
}

HostKind KindOfHost(std::string_view url) {
  const std::string host = HostOf(url);
  if (host.empty()) return HostKind::kOrdinary;
  if (host.front() == '[') return KindOfAddress6(host);
  std::uint32_t address = 0;
  if (ParseAddress(host, url.find("://") != std::string_view::npos, address)) {
    return IsPrivate(address) ? HostKind::kLocal : HostKind::kRawAddress;
  }
  if (host == "localhost" || host.ends_with(".localhost") || host.ends_with(".local") || host.ends_with(".internal") ||
      host.ends_with(".lan") || host == "host.docker.internal") {
    return HostKind::kLocal;
  }
  // Names below these are anybody's; the services themselves change who answers to a name, and keep nothing.
  for (const std::string_view names : {"duckdns.org", "no-ip.org", "dyndns.org"}) {
    if (host == names || (host.starts_with("www.") && host.substr(4) == names)) return HostKind::kOrdinary;
  }
  const Table& table = Hosts();
  // A known place in somebody else's path or query is not that place.
  const std::string path = PathOf(url);
  for (const auto& [place, kind] : table.paths) {
    const std::size_t slash = place.find('/');
    const std::string_view known(place);
    if (IsHostOrBelow(host, known.substr(0, slash)) && IsPathOrBelow(path, known.substr(slash))) return kind;
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
