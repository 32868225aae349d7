// `interlock scan --cache DIR`: findings of files that have not changed, and the compiled literals of the rules, kept
// between runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/scan/scanner.h"

namespace interlock::app {

// Entries are files named by their key, each with its own digest in front: what is damaged is not taken. The folder
// must be the user's own: a folder that somebody else may write to is refused, because entries say what was found.
class DirectoryCache final : public scan::ScanCache {
 public:
  // Makes the folder (0700) where there is none. kInvalidArgument: not a folder, somebody else's, or writable by
  // others.
  [[nodiscard]] static base::Result<DirectoryCache> Open(const std::string& path);

  [[nodiscard]] std::optional<std::string> Get(const std::string& key) override;
  void Put(const std::string& key, std::string_view bytes) override;  // failures are silent: the next run reads anew

  // For ScanOptions::cache_salt: of this very program file.
  [[nodiscard]] const std::string& salt() const noexcept { return salt_; }

 private:
  explicit DirectoryCache(std::string path);
  std::string path_;
  std::string salt_;
};

// As LoadRules; compiled literals are taken from the cache, or compiled and kept there.
[[nodiscard]] base::Result<scan::RuleSet> LoadRules(const std::vector<std::string>& paths, DirectoryCache& cache);

}  // namespace interlock::app
