#include "static/together.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "code/places.h"
#include "code/vendors.h"
#include "fmt/format.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Permission;
using core::Reach;

constexpr std::size_t kMaxNeighbours = 25;  // files of code in a package in which the same folder means together
constexpr std::size_t kBefore = 160;        // bytes before a name in which a list of forbidden places says so
constexpr std::size_t kShown = 4;
constexpr std::string_view kInbox = "inbox:";

// Whose credentials a place holds: what one program has a reason to read is hardly ever of two of these.
constexpr std::array kOwners = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ssh", "ssh"},
    {"id_rsa", "ssh"},
    {"id_ed25519", "ssh"},
    {"aws", "cloud"},
    {"gcloud", "cloud"},
    {"azure", "cloud"},
    {"application_default", "cloud"},
    {"kube", "cluster"},
    {"serviceaccount", "cluster"},
    {"docker", "containers"},
    {"gnupg", "gnupg"},
    {"login data", "browser"},
    {"logins.json", "browser"},
    {"key4.db", "browser"},
    {"cookies", "browser"},
    {"chrome", "browser"},
    {"firefox", "browser"},
    {"brave", "browser"},
    {"local extension", "wallets"},
    {"wallet", "wallets"},
    {"solana", "wallets"},
    {"ethereum", "wallets"},
    {"keystore", "wallets"},
    {"keychain", "key rings"},
    {"keyring", "key rings"},
    {"password-store", "key rings"},
    {"git-credentials", "git"},
    {"/gh/", "git"},
    {"shadow", "system"},
    {"npmrc", "registries"},
    {"pypirc", "registries"},
    {"netrc", "netrc"},
    {"history", "histories"},
    {"claude", "agents"},
    {"cursor", "agents"},
    {"codex", "agents"},
});

struct Stores {
  std::uint64_t strong = 0;  // bits: rows of kOwners, the first of each owner
  std::uint64_t weak = 0;
  base::ByteSpan first;
  std::vector<std::string> shown;

  [[nodiscard]] int strong_count() const { return std::popcount(strong); }
  [[nodiscard]] int all_count() const { return std::popcount(strong | weak); }
};

std::uint64_t OwnerOf(std::string_view place) {
  for (const auto& [word, owner] : kOwners) {
    if (place.find(word) == std::string_view::npos) continue;
    const auto first =
        std::find_if(kOwners.begin(), kOwners.end(), [&](const auto& row) { return row.second == owner; });
    return std::uint64_t{1} << static_cast<unsigned>(first - kOwners.begin());
  }
  return 0;
}

// Places that guards name to keep an agent away from them.
bool IsForbidden(std::string_view text, std::size_t at) {
  const std::string before = LowerCase(text.substr(at > kBefore ? at - kBefore : 0, std::min(at, kBefore)));
  return SaysAny(before, {"deny", "denied", "block", "forbid", "exclude", "ignore", "sensitive", "protect", "redact",
                          "refuse", "disallow", "skip", "never", "not allowed", "unsafe", "restrict", "dangerous"});
}

void Note(std::string_view text, std::size_t at, std::string_view place, Stores& stores) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLongest = 200;
  constexpr std::ptrdiff_t kMostSpaces = 3;  // "Application Support/Google/Chrome"; more is a sentence
  if (place.size() < kShortest || place.size() > kLongest) return;
  if (std::count(place.begin(), place.end(), ' ') > kMostSpaces) return;
  const code::PathKind kind = code::KindOfPath(place);
  const bool strong = kind == code::PathKind::kSecret;
  if (!strong && kind != code::PathKind::kWeakSecret) return;
  const std::uint64_t owner = OwnerOf(LowerCase(place));
  if (owner == 0 || IsForbidden(text, at)) return;
  if (stores.shown.empty()) {
    stores.first = {at, at + place.size()};
  }
  if (((stores.strong | stores.weak) & owner) == 0 && stores.shown.size() < kShown) stores.shown.emplace_back(place);
  (strong ? stores.strong : stores.weak) |= owner;
}

Stores StoresIn(const FileContext& file) {
  Stores stores;
  ForEachLiteral(file, [&](std::size_t at, std::string_view place) { Note(file.text(), at, place, stores); });
  return stores;
}

struct Sending {
  const code::CapabilityUse* use = nullptr;
  std::string host;
  bool hides = false;  // a place that hides who is behind it
};

// A use that gives something to a fixed host that is nobody's in particular.
std::optional<Sending> SendingOf(const code::CapabilityUse& use, const FileContext& file) {
  if (use.permission != Permission::kNetworkEgress || use.detail.empty()) return std::nullopt;
  const bool inbox = use.detail.starts_with(kInbox);
  std::string host = inbox ? use.detail.substr(kInbox.size()) : HostOf(use.detail);
  if (host.empty()) host = use.detail.substr(0, use.detail.find_first_of("/:"));
  if (host.find('.') == std::string::npos) return std::nullopt;
  const HostKind kind = inbox ? HostKind::kTunnel : KindOfHost(host);
  if (kind == HostKind::kLocal || kind == HostKind::kInstaller || kind == HostKind::kRegistry ||
      (!inbox && code::IsKnownService(host))) {
    return std::nullopt;
  }
  const std::string_view text = file.text();
  const std::size_t begin = std::min<std::size_t>(use.loc.begin, text.size());
  constexpr std::size_t kCall = 400;
  const std::size_t size = use.loc.end > begin ? std::min<std::size_t>(use.loc.end - begin, kCall) : kCall;
  // A shell's use is the address alone: its options stand before it.
  const std::size_t from = file.type == FileType::kShell ? begin - std::min(begin, kBefore) : begin;
  const std::string call = LowerCase(text.substr(from, begin - from + size)) + LowerCase(use.callee);
  const bool gives = SaysAny(call, {"post", "put(", "patch", "body", "data", "upload", "send", " -t ", " -f ", "-f@",
                                    " -d ", "--form", "files="});
  if (!gives) return std::nullopt;
  const bool hides = inbox || kind == HostKind::kPaste || kind == HostKind::kTunnel || kind == HostKind::kRawAddress ||
                     kind == HostKind::kShortener;
  return Sending{&use, std::move(host), hides};
}

}  // namespace

NamedStores StoresNamedIn(const FileContext& file) {
  const Stores stores = StoresIn(file);
  NamedStores named;
  named.owners = stores.all_count();
  named.first = stores.first;
  for (const std::string_view place : {"login data", "wallet", "keychain"}) {
    named.personal += ((stores.strong | stores.weak) & OwnerOf(place)) != 0 ? 1 : 0;
  }
  return named;
}

void JudgeTogether(const std::vector<FileContext>& files, std::span<const code::CapabilityUse> uses,
                   std::vector<RawFinding>& out) {
  std::vector<Sending> sendings;
  for (const code::CapabilityUse& use : uses) {
    if (use.file >= files.size() || files[use.file].reach > Reach::kRuntime) continue;
    if (auto sending = SendingOf(use, files[use.file])) sendings.push_back(std::move(*sending));
  }
  if (sendings.empty()) return;
  const auto runs = [](const FileContext& file) { return file.reach <= Reach::kRuntime && IsCode(file.type); };
  const bool small = static_cast<std::size_t>(std::ranges::count_if(files, runs)) <= kMaxNeighbours;
  for (const FileContext& file : files) {
    if (!runs(file)) continue;
    const Sending* best = nullptr;
    bool same = false;
    for (const Sending& sending : sendings) {
      const FileContext& other = files[sending.use->file];
      const bool here = other.index == file.index;
      if (!here && !(small && FolderOf(other.file->path) == FolderOf(file.file->path))) continue;
      if (best != nullptr && (best->hides || !sending.hides) && (same || !here)) continue;
      best = &sending;
      same = here;
    }
    if (best == nullptr) continue;
    const Stores stores = StoresIn(file);
    const int strong = stores.strong_count();
    const int all = stores.all_count();
    if (strong == 0 || (!best->hides && all < 2)) continue;
    RawFinding finding;
    finding.rule = "EXFIL-009";
    finding.file = file.index;
    finding.bytes = stores.first;
    finding.scale = (same ? 1.0 : 0.9) * (best->hides || all >= 3 ? 1.0 : 0.7);
    if (best->hides || (strong >= 2 && all >= 3)) finding.severity = core::Severity::kCritical;
    finding.message = fmt::format("names stores of credentials of {} and sends to {}",
                                  all == 1 ? "another program" : "several programs", best->host);
    finding.evidence = fmt::format("{}", fmt::join(stores.shown, ", "));
    finding.host = best->host;
    finding.flow = {{file.index, static_cast<std::uint32_t>(stores.first.begin), "names " + stores.shown.front()},
                    {best->use->file, best->use->loc.begin, "sends to " + best->host}};
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
