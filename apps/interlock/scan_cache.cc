#include "scan_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "interlock/base/digest.h"
#include "interlock/platform/file.h"
#include "scan_command.h"

namespace interlock::app {
namespace {

constexpr std::size_t kMaxEntry = std::size_t{32} << 20;
constexpr std::size_t kDigest = 64;

base::Error NotOurs(const std::string& path, std::string_view why) {
  return base::Error(base::ErrorCode::kInvalidArgument, fmt::format("cache folder {}", why)).Under(path);
}

}  // namespace

DirectoryCache::DirectoryCache(std::string path) : path_(std::move(path)) {
  salt_ = INTERLOCK_VERSION;
  struct stat self{};
  if (stat("/proc/self/exe", &self) == 0) {
    salt_ += fmt::format(" {} {}.{}", self.st_size, self.st_mtim.tv_sec, self.st_mtim.tv_nsec);
  }
}

base::Result<DirectoryCache> DirectoryCache::Open(const std::string& path) {
  if (const base::Status made = platform::CreateDirectories(path); !made.ok()) return made.error().Under(path);
  struct stat info{};
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return NotOurs(path, "is no folder");
  if (info.st_uid != geteuid()) return NotOurs(path, "belongs to somebody else");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return NotOurs(path, "may be written by others");
  return DirectoryCache(path);
}

std::optional<std::string> DirectoryCache::Get(const std::string& key) {
  if (key.size() != kDigest) return std::nullopt;
  base::Result<std::string> bytes =
      platform::ReadFile(fmt::format("{}/{}/{}", path_, key.substr(0, 2), key.substr(2)), kMaxEntry);
  if (!bytes.ok() || bytes.value().size() < kDigest) return std::nullopt;
  const std::string_view rest = std::string_view(bytes.value()).substr(kDigest);
  if (base::Sha256(rest).ToHex() != std::string_view(bytes.value()).substr(0, kDigest)) return std::nullopt;
  return std::string(rest);
}

void DirectoryCache::Put(const std::string& key, std::string_view bytes) {
  if (key.size() != kDigest || bytes.size() > kMaxEntry - kDigest) return;
  const std::string folder = fmt::format("{}/{}", path_, key.substr(0, 2));
  if (!platform::CreateDirectories(folder).ok()) return;
  (void)platform::AtomicWrite(folder + "/" + key.substr(2), base::Sha256(bytes).ToHex() + std::string(bytes));
}

base::Result<scan::RuleSet> LoadRules(const std::vector<std::string>& paths, DirectoryCache& cache) {
  const base::Result<std::vector<scan::RuleFile>> files = ReadRuleFiles(paths);
  if (!files.ok()) return files.error();
  base::Sha256Hasher hasher;
  hasher.Update("interlock.literals\n").Update(cache.salt());
  for (const scan::RuleFile& file : files.value()) hasher.Update("\n").Update(base::Sha256(file.bytes).ToHex());
  const std::string key = hasher.Finish().ToHex();
  const std::optional<std::string> kept = cache.Get(key);
  base::Result<scan::RuleSet> rules = scan::RuleSet::LoadWithBuiltin(
      files.value(), {.literals = kept ? std::string_view(*kept) : std::string_view(), .examples = false});
  if (rules.ok() && !kept) {
    if (const std::string literals = rules.value().SerializeLiterals(); !literals.empty()) cache.Put(key, literals);
  }
  return rules;
}

}  // namespace interlock::app
