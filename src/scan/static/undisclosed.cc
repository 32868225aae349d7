#include "static/undisclosed.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "code/places.h"
#include "fmt/format.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/shell_judge.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

using core::Permission;
using core::Reach;

constexpr std::size_t kMostOfOne = std::size_t{64} << 10;  // bytes read of a document
constexpr std::size_t kMostOfAll = std::size_t{1} << 20;
constexpr std::size_t kMostRaised = 3;
constexpr std::size_t kShown = 80;
constexpr std::string_view kTakesDown = "GRANT-003";
constexpr std::string_view kRuins = "DESTROY-002";
constexpr std::string_view kUnanswered = "PE-DELTA-003";
constexpr std::size_t kLeastSaid = 40;  // bytes
constexpr auto kConnections = std::to_array<std::string_view>({"socket.", "net.", "tls.", "ssl.", "asyncio.open_"});

// What a package that has a reason to open such a place speaks of: words of which it uses one.
using Words = std::span<const std::string_view>;
constexpr auto kOfSsh =
    std::to_array<std::string_view>({"ssh", "sftp", "scp", "rsync", "private key", "git", "deploy", "remote host"});
constexpr auto kOfAmazon =
    std::to_array<std::string_view>({"aws", "amazon", "s3", "bedrock", "dynamodb", "lambda", "cloud"});
constexpr auto kOfGoogle = std::to_array<std::string_view>({"gcloud", "google", "gcp", "vertex", "gemini", "cloud"});
constexpr auto kOfMicrosoft = std::to_array<std::string_view>({"azure", "microsoft", "cloud"});
constexpr auto kOfGpg = std::to_array<std::string_view>({"gpg", "gnupg", "pgp", "sign", "encrypt"});
constexpr auto kOfAccounts = std::to_array<std::string_view>({"shadow", "password", "audit", "account", "hardening"});
constexpr auto kOfGit = std::to_array<std::string_view>({"git"});
constexpr auto kOfLogins =
    std::to_array<std::string_view>({"chrome", "firefox", "brave", "edge", "browser", "cookie", "password", "login"});
constexpr auto kOfBrowsers =
    std::to_array<std::string_view>({"chrome", "firefox", "brave", "browser", "cookie", "history"});
constexpr auto kOfWallets =
    std::to_array<std::string_view>({"wallet", "crypto", "coin", "blockchain", "ethereum", "solana"});
constexpr auto kOfKeyRings = std::to_array<std::string_view>({"keychain", "keyring", "macos", "gnome", "password"});
constexpr auto kOfAgents = std::to_array<std::string_view>({"openclaw", "auth-profiles", "auth profile", "clawd"});

constexpr auto kOfReports = std::to_array<std::string_view>(
    {"telemetry", "analytics", "usage data", "usage statistics", "usage stats", "crash report", "crash reports",
     "error report", "error reports", "error reporting", "opt out", "opt-out", "tracking", "metrics", "counts which",
     "usage counts"});

constexpr auto kOfSchedules = std::to_array<std::string_view>(
    {"launchagent", "launch agent", "launchd", "launchctl", "systemd", "cron", "crontab", "scheduler", "scheduled task",
     "on a schedule", "autostart", "at login", "on login", "at startup", "on startup", "daemon", "background service",
     "on reboot", "at boot"});
constexpr double kToldOfSchedule = 0.4;

// A part of the path, in lower case. Not together.cc's owners: there two clouds are one owner, since programs read
// both; here who speaks of one cloud has named no other.
struct Store {
  std::string_view part;
  Words words;
};
constexpr auto kStores = std::to_array<Store>({
    {".ssh/", kOfSsh},
    {"id_rsa", kOfSsh},
    {"id_ed25519", kOfSsh},
    {".aws/", kOfAmazon},
    {"gcloud", kOfGoogle},
    {"application_default", kOfGoogle},
    {".azure", kOfMicrosoft},
    {".gnupg", kOfGpg},
    {"/etc/shadow", kOfAccounts},
    {".git-credentials", kOfGit},
    {"login data", kOfLogins},
    {"logins.json", kOfLogins},
    {"key4.db", kOfLogins},
    {"cookies.sqlite", kOfLogins},
    {".mozilla", kOfBrowsers},
    {"chrome", kOfBrowsers},
    {"brave", kOfBrowsers},
    {"wallet", kOfWallets},
    {".ethereum", kOfWallets},
    {"solana", kOfWallets},
    {"keychain", kOfKeyRings},
    {"keyring", kOfKeyRings},
    {".password-store", kOfKeyRings},
    {"auth-profiles.json", kOfAgents},
});

const Store* StoreOf(std::string_view path) {
  const std::string lower = LowerCase(path);
  const auto at =
      std::ranges::find_if(kStores, [&](const Store& store) { return lower.find(store.part) != std::string::npos; });
  return at == kStores.end() ? nullptr : &*at;
}

// The first path of a store that stands in each file, read once.
class Listed {
 public:
  explicit Listed(const std::vector<FileContext>& files) : files_(files), paths_(files.size()) {}
  const std::string& Of(std::uint32_t file) {
    std::optional<std::string>& path = paths_[file];
    if (path) return *path;
    path.emplace();
    ForEachLiteral(files_[file], [&](std::size_t, std::string_view text) {
      // What a pattern looks for (`(?:cat|open)\s+.*/\.aws/`) is read by nobody.
      const bool pattern = text.find("(?:") != std::string_view::npos || text.find("\\s") != std::string_view::npos ||
                           text.find("[^") != std::string_view::npos || text.find(".*") != std::string_view::npos;
      if (path->empty() && !pattern && code::KindOfPath(text) == code::PathKind::kSecret) *path = text;
    });
    return *path;
  }

 private:
  const std::vector<FileContext>& files_;
  std::vector<std::optional<std::string>> paths_;
};

// The path that is read; of one out of a list, the first such path that stands in the file. Empty: not a store.
std::string PathOf(const code::CapabilityUse& use, Listed& listed) {
  if (code::KindOfPath(use.detail) == code::PathKind::kSecret) return use.detail;
  return use.detail.find('/') != std::string::npos ? std::string() : listed.Of(use.file);
}

// A document without the commands and programs that it shows.
std::string WithoutCode(std::string_view text) {
  std::string out;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::string_view first = Trim(line);
    if (first.starts_with("```") || first.starts_with("~~~")) {
      inside = !inside;
      continue;
    }
    if (inside) continue;
    bool span = false;
    for (const char c : line) {
      if (c == '`') {
        span = !span;
      } else if (!span) {
        out += c;
      }
    }
    out += '\n';
  }
  return out;
}

// "When the user asks to publish it, confirm, then run `gh repo edit --visibility public`": what stands around a span
// of code in its line.
bool IsUpToUser(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1: the first line
  const std::string_view line = text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
  if (line.find('`') == std::string_view::npos) return false;
  const std::string around = LowerCase(WithoutCode(line));
  return SaysAny(around, {"user ", "user's", "user.", " ask", "confirm", "approv"}) &&
         !SaysAny(around,
                  {"without", "no need", "not ask", "n't ask", "never ask", "not confirm", "skip", "instead of"});
}

// All that the package says of itself, in lower case. `shown`: with what its documents show.
std::string Said(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::string_view name,
                 bool shown) {
  std::string out = LowerCase(name);
  const auto add = [&](std::string_view text) {
    if (out.size() > kMostOfAll) return;
    out += '\n';
    out += LowerCase(text.substr(0, kMostOfOne));
  };
  for (const code::EntryPoint& entry : facts.entries) {
    add(entry.name);
    add(entry.description);
  }
  for (const FileContext& file : files) {
    if (file.reach == Reach::kVendored || file.reach == Reach::kTest) continue;
    const bool manifest = file.type == FileType::kJson || file.type == FileType::kToml || file.type == FileType::kYaml;
    if (file.type == FileType::kMarkdown || file.type == FileType::kPlainText || IsPackageMetadata(file) || manifest) {
      const bool document = !shown && file.type == FileType::kMarkdown;
      add(document ? WithoutCode(file.text().substr(0, kMostOfOne)) : file.text());
    }
  }
  return out;
}

// "api.acme.example" or "acme.example" of a host below it.
bool NamesDomain(std::string_view said, std::string_view host) {
  const std::string lower = LowerCase(host);
  const std::size_t top = lower.rfind('.');
  const std::size_t dot = top == std::string::npos || top == 0 ? std::string::npos : lower.rfind('.', top - 1);
  const std::string_view domain = std::string_view(lower).substr(dot == std::string::npos ? 0 : dot + 1);
  return said.find(domain) != std::string_view::npos;
}

// The request whose body is sent at `finding`, where another call opened it: `const q = https.request(...);
// q.end(body)`.
const code::CapabilityUse* OpenedFor(const code::CodeFacts& facts, const RawFinding& finding) {
  const code::CapabilityUse* opened = nullptr;
  for (const code::CapabilityUse& use : facts.uses) {
    if (use.file != finding.file || use.loc.end > finding.bytes.begin || !use.callee.ends_with(".request")) continue;
    if (use.detail.find(finding.host) == std::string::npos) continue;
    if (opened == nullptr || use.loc.begin > opened->loc.begin) opened = &use;
  }
  return opened;
}

// Requests to the host from somewhere else in the package, and for an answer: a service that is used. That a connection
// is opened on which something is sent asks for nothing yet. `all`: what is found, the unanswered among it.
bool AskedInPlaces(const code::CodeFacts& facts, const std::string& host, const std::vector<RawFinding>& all) {
  constexpr std::size_t kMostSends = 64;  // more of them are a service's client
  std::vector<const RawFinding*> sends;
  std::vector<const code::CapabilityUse*> opened;
  for (const RawFinding& other : all) {
    if (other.rule != kUnanswered || other.host != host || sends.size() >= kMostSends) continue;
    sends.push_back(&other);
    if (const code::CapabilityUse* const by = OpenedFor(facts, other); by != nullptr) opened.push_back(by);
  }
  const auto connects = [](std::string_view callee) {
    return std::ranges::any_of(kConnections, [&](std::string_view part) { return callee.starts_with(part); });
  };
  const auto is_one = [&](const code::CapabilityUse& use) {
    return std::ranges::find(opened, &use) != opened.end() || std::ranges::any_of(sends, [&](const RawFinding* send) {
             return use.file == send->file && use.loc.end > send->bytes.begin && use.loc.begin < send->bytes.end;
           });
  };
  return std::ranges::any_of(facts.uses, [&](const code::CapabilityUse& use) {
    return !connects(use.callee) && use.permission == Permission::kNetworkEgress &&
           use.detail.find(host) != std::string::npos && !is_one(use);
  });
}

// A tool whose work is to bring something to others.
bool SaysThatItSends(const code::EntryPoint& entry) {
  const std::string said = LowerCase(entry.name + " " + entry.description.substr(0, kMostOfOne));
  return SaysAny(said, {"send", "post", "publish", "notif", "upload", "submit", "share", "forward", "backup", "back up",
                        "backs up", "sync"});
}

}  // namespace

RawFinding OfWall(const code::Wall& wall, std::string_view how) {
  RawFinding finding;
  finding.rule = wall.ruins ? kRuins : kTakesDown;
  finding.subject = wall.key;
  finding.scale = wall.scale;
  finding.message = fmt::format("{}: {}", wall.what, how);
  return finding;
}

void JudgeUndisclosed(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::string_view name,
                      std::vector<RawFinding>& out) {
  std::string said;
  std::string prose;
  std::erase_if(out, [&](RawFinding& finding) {
    if (finding.rule != kTakesDown && finding.rule != kRuins) return false;
    const code::Wall* const wall = code::WallNamed(finding.subject);
    finding.subject.clear();
    if (wall == nullptr) return true;
    // A command that a guide shows does not say of itself what it is for: "gh api -X DELETE .../protection".
    const bool guide = finding.file < files.size() && files[finding.file].type == FileType::kMarkdown &&
                       !IsUpToUser(files[finding.file].text(), finding.bytes.begin);
    std::string& text = guide ? prose : said;
    if (text.empty()) text = Said(files, facts, name, !guide);
    return std::ranges::any_of(wall->told, [&](std::string_view word) { return SaysWord(text, word); });
  });
  // A job that runs again, in a package that says so.
  for (RawFinding& finding : out) {
    if (finding.subject != kScheduled) continue;
    finding.subject.clear();
    if (said.empty()) said = Said(files, facts, name, true);
    if (std::ranges::any_of(kOfSchedules, [&](std::string_view word) { return SaysWord(said, word); }))
      finding.scale *= kToldOfSchedule;
  }
  // What is sent for no answer, to a host that the documents name, that is asked elsewhere as well, or of which they
  // say what it is for. A package that says nothing at all keeps nothing back.
  std::map<std::string, bool, std::less<>> asked;  // by host
  const auto asked_at = [&](const std::string& host) {
    const auto known = asked.find(host);
    if (known != asked.end()) return known->second;
    return asked.emplace(host, AskedInPlaces(facts, host, out)).first->second;
  };
  const auto answered = [&](const RawFinding& finding) {
    if (said.empty()) said = Said(files, facts, name, true);
    return said.size() < name.size() + kLeastSaid || NamesDomain(said, finding.host) || asked_at(finding.host) ||
           std::ranges::any_of(
               kOfReports, [&](std::string_view word) { return SaysWord(said, word); }) ||
           std::ranges::any_of(facts.entries, SaysThatItSends);
  };
  std::vector<bool> back(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) back[i] = out[i].rule == kUnanswered && answered(out[i]);
  std::size_t at = 0;
  std::erase_if(out, [&](const RawFinding&) { return back[at++]; });
  Listed listed(files);
  std::size_t raised = 0;
  std::vector<std::pair<std::uint32_t, const Store*>> done;
  for (const code::CapabilityUse& use : facts.uses) {
    if (raised == kMostRaised) return;
    if (use.permission != Permission::kSecretsRead || use.file >= files.size()) continue;
    if (files[use.file].reach > Reach::kRuntime) continue;
    const std::string path = PathOf(use, listed);
    const Store* const store = path.empty() ? nullptr : StoreOf(path);
    if (store == nullptr || std::ranges::find(done, std::pair{use.file, store}) != done.end()) continue;
    if (said.empty()) said = Said(files, facts, name, true);
    done.emplace_back(use.file, store);
    if (std::ranges::any_of(store->words, [&](std::string_view word) { return SaysWord(said, word); })) continue;
    ++raised;
    RawFinding finding;
    finding.rule = "PE-DELTA-002";
    finding.file = use.file;
    finding.bytes = {use.loc.begin, use.loc.end};
    finding.message = "reads " + path.substr(0, kShown) + ", and nothing in its texts is about that";
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
