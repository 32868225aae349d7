#include "static/undisclosed.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "code/places.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

using core::Permission;
using core::Reach;

constexpr std::size_t kMostOfOne = std::size_t{64} << 10;  // bytes read of a document
constexpr std::size_t kMostOfAll = std::size_t{1} << 20;
constexpr std::size_t kMostRaised = 3;
constexpr std::size_t kShown = 80;

// A part of the path, and the words of which any package that has a reason to open it uses one.
struct Store {
  std::string_view part;
  std::array<std::string_view, 8> words;
};
constexpr auto kStores = std::to_array<Store>({
    {".ssh/", {"ssh", "sftp", "scp", "rsync", "private key", "git", "deploy", "remote host"}},
    {"id_rsa", {"ssh", "sftp", "scp", "rsync", "private key", "git", "deploy", "remote host"}},
    {"id_ed25519", {"ssh", "sftp", "scp", "rsync", "private key", "git", "deploy", "remote host"}},
    {".aws/", {"aws", "amazon", "s3", "bedrock", "dynamodb", "lambda", "cloud"}},
    {"gcloud", {"gcloud", "google", "gcp", "vertex", "gemini", "cloud"}},
    {"application_default", {"gcloud", "google", "gcp", "vertex", "gemini", "cloud"}},
    {".azure", {"azure", "microsoft", "cloud"}},
    {".gnupg", {"gpg", "gnupg", "pgp", "sign", "encrypt"}},
    {"/etc/shadow", {"shadow", "password", "audit", "account", "hardening"}},
    {".git-credentials", {"git"}},
    {"login data", {"chrome", "browser", "cookie", "password", "brave", "edge", "login"}},
    {"logins.json", {"firefox", "browser", "cookie", "password", "login"}},
    {"key4.db", {"firefox", "browser", "cookie", "password", "login"}},
    {"cookies.sqlite", {"firefox", "browser", "cookie", "login"}},
    {".mozilla", {"firefox", "browser", "cookie", "history"}},
    {"chrome", {"chrome", "browser", "cookie", "history"}},
    {"brave", {"brave", "browser", "cookie", "history"}},
    {"wallet", {"wallet", "crypto", "coin", "blockchain", "ethereum"}},
    {".ethereum", {"wallet", "crypto", "coin", "blockchain", "ethereum"}},
    {"solana", {"wallet", "crypto", "coin", "blockchain", "solana"}},
    {"keychain", {"keychain", "macos", "password"}},
    {"keyring", {"keyring", "password", "gnome"}},
    {".password-store", {"password"}},
    {"auth-profiles.json", {"openclaw", "auth-profiles", "auth profile", "clawd"}},
});

const Store* StoreOf(std::string_view path) {
  const std::string lower = LowerCase(path);
  const auto at =
      std::ranges::find_if(kStores, [&](const Store& store) { return lower.find(store.part) != std::string::npos; });
  return at == kStores.end() ? nullptr : &*at;
}

// The path that is read; of one out of a list, the first such path that stands in the file. Empty: not a store.
std::string PathOf(const code::CapabilityUse& use, const FileContext& file) {
  if (code::KindOfPath(use.detail) == code::PathKind::kSecret) return use.detail;
  if (use.detail.find('/') != std::string::npos) return {};
  std::string out;
  ForEachLiteral(file, [&](std::size_t, std::string_view text) {
    if (out.empty() && code::KindOfPath(text) == code::PathKind::kSecret) out = text;
  });
  return out;
}

// All that the package says of itself, in lower case.
std::string Said(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::string_view name) {
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
      add(file.text());
    }
  }
  return out;
}

// As a word or the beginning of one.
bool Says(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool inside = at > 0 && ((text[at - 1] >= 'a' && text[at - 1] <= 'z') || text[at - 1] == '.');
    if (!inside) return true;
  }
  return false;
}

}  // namespace

void JudgeUndisclosed(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::string_view name,
                      std::vector<RawFinding>& out) {
  std::string said;
  std::size_t raised = 0;
  std::vector<std::pair<std::uint32_t, const Store*>> done;
  for (const code::CapabilityUse& use : facts.uses) {
    if (raised == kMostRaised) return;
    if (use.permission != Permission::kSecretsRead || use.file >= files.size()) continue;
    if (files[use.file].reach > Reach::kRuntime) continue;
    const std::string path = PathOf(use, files[use.file]);
    const Store* const store = path.empty() ? nullptr : StoreOf(path);
    if (store == nullptr || std::ranges::find(done, std::pair{use.file, store}) != done.end()) continue;
    if (said.empty()) said = Said(files, facts, name);
    const auto spoken = [&](std::string_view word) { return !word.empty() && Says(said, word); };
    if (std::ranges::any_of(store->words, spoken)) continue;
    done.emplace_back(use.file, store);
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
