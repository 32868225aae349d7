// Patches that an installation puts over its dependencies: what they add is a program that nobody sees again.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "static/literals.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxPatch = std::size_t{2} << 20U;
constexpr std::size_t kMaxAdded = std::size_t{64} << 10U;  // of one file that is changed

struct Change {
  std::string path;
  std::string added;    // lower case
  std::string removed;  // lower case; and what stands around
  std::string host;     // that added code names
  base::ByteSpan bytes;
};

// The host of an address that a line of code names; a comment may say where to read more.
std::string HostIn(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '#' || line[first] == '*' || line.substr(first, 2) == "//" ||
      line.substr(first, 2) == "/*") {
    return {};
  }
  for (const std::string_view scheme : {"https://", "http://", "wss://", "ws://"}) {
    const std::size_t at = line.find(scheme);
    if (at == std::string_view::npos || line.substr(0, at).find("// ") != std::string_view::npos) continue;
    const std::string host = HostOf(line.substr(at, 300));
    if (host.find('.') == std::string::npos) continue;
    const HostKind kind = KindOfHost(host);
    if (kind == HostKind::kLocal || kind == HostKind::kForge || kind == HostKind::kRegistry ||
        kind == HostKind::kInstaller) {
      continue;
    }
    return host;
  }
  // { host: "x.example" }
  for (const std::string_view key : {"host: ", "hostname: ", "host:", "hostname:", "host=", "\"host\": ", "connect("}) {
    const std::size_t at = line.find(key);
    const std::size_t open = at == std::string_view::npos ? at : at + key.size();
    if (open == std::string_view::npos || open >= line.size() || (line[open] != '"' && line[open] != '\'')) continue;
    const std::string_view rest = line.substr(open + 1, 200);
    const std::string host = HostOf(rest.substr(0, rest.find(line[open])));
    const HostKind kind = host.find('.') == std::string::npos ? HostKind::kLocal : KindOfHost(host);
    if (kind != HostKind::kLocal && kind != HostKind::kForge && kind != HostKind::kRegistry) return host;
  }
  return {};
}

void Judge(Sheet& sheet, const Change& change) {
  if (change.added.empty()) return;
  const std::string& added = change.added;
  const bool calls = SaysAny(added, {"fetch(", "fetch?.(", "xmlhttprequest", "sendbeacon", "axios", "request(",
                                     "https.get", "http.get", "got(", "requests.", "urlopen", "curl ", "websocket(",
                                     "new image", ".src =", "createsocket", "connect(", "httpx."});
  const bool secrets =
      SaysAny(added, {"authorization", "cookie",      "token",    "password",    "passwd",     "apikey",
                      "api_key",       "api-key",     "secret",   "process.env", "os.environ", "localstorage",
                      "privatekey",    "private_key", "mnemonic", "credential",  ".headers",   ".ssh",
                      ".npmrc",        ".aws",        "keychain", "seed"});
  const bool runs = SaysAny(added, {"eval(", "new function(", "child_process", "exec(", "execsync(", "spawn(", "vm.run",
                                    "os.system", "subprocess", "__import__("});
  const bool hides =
      SaysAny(added, {"atob(", "fromcharcode", "b64decode", "'base64'", "\"base64\"", "\\x6", "unescape("});
  // Whoever changes where a program goes has it go somewhere already.
  const bool moves = SaysAny(change.removed, {"https://", "http://"});
  double scale = 0.0;
  std::string what;
  if (calls && !change.host.empty() && !moves) {
    // A token alone may be what the host gave out itself.
    const bool grave = SaysAny(added, {"process.env", "os.environ", "cookie", "localstorage", "password", "passwd",
                                       "mnemonic", "private", ".ssh", ".npmrc", ".aws", "keychain"}) ||
                       SaysAny(added, {"encodeuricomponent", "json.stringify(", "btoa(", "b64encode"});
    scale = runs || (secrets && grave) ? 1.0 : secrets ? 0.8 : 0.55;
    what = secrets ? "sends credentials or the environment to " + change.host
           : runs  ? "runs what comes from " + change.host
                   : "talks to " + change.host;
  } else if (runs && hides) {
    scale = 0.8;
    what = "runs what it decodes";
  }
  if (scale == 0.0) return;
  RawFinding& finding =
      sheet.Raise("SC-038", change.bytes, fmt::format("makes `{}` a program that {}", change.path, what), change.path);
  finding.scale = scale;
  finding.host = change.host;
  // What a package manager applies is applied at every installation; another patch waits for somebody.
  const bool applied = SaysAny(LowerCase(sheet.path()), {"patches/", ".yarn/"});
  finding.reach = applied && finding.reach != core::Reach::kTest && finding.reach != core::Reach::kExample
                      ? core::Reach::kInstall
                  : finding.reach == core::Reach::kInstall ? core::Reach::kBuild
                                                           : finding.reach;
}

}  // namespace

bool ReadPatch(Sheet& sheet, std::string_view base) {
  if (!base.ends_with(".patch") && !base.ends_with(".diff")) return false;
  const std::string_view text = sheet.text().substr(0, kMaxPatch);
  Change change;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const base::ByteSpan bytes{at, end};
    at = end + 1;
    if (line.starts_with("+++ ")) {
      Judge(sheet, change);
      change = {};
      std::string_view path = Trim(line.substr(4));
      if (path.starts_with("b/")) path.remove_prefix(2);
      change.path = path.substr(0, 200);
      continue;
    }
    if (line.empty() || line.starts_with("--- ") || line.starts_with("@@") || change.path.empty()) continue;
    // Documents and lists of versions run nowhere.
    if (change.path.ends_with(".md") || change.path.ends_with(".json") || change.path.ends_with(".txt")) continue;
    if (line.front() == '+') {
      const std::string code = LowerCase(line.substr(1, 4000));
      if (change.added.size() < kMaxAdded) change.added += code + "\n";
      std::string host = HostIn(code);
      if (change.host.empty() && !host.empty()) {
        change.host = std::move(host);
        change.bytes = bytes;
      }
      if (change.bytes.end == 0) change.bytes = bytes;
    } else if (line.front() == '-' && change.removed.size() < kMaxAdded) {
      change.removed += LowerCase(line.substr(1, 4000)) + "\n";
    }
  }
  Judge(sheet, change);
  return true;
}

}  // namespace interlock::scan
