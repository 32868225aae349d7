// Mutants of the test packages: whatever is missing in a program, its scan ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "interlock/scan/scanner.h"
#include "static/packages_for_test.h"
#include "token_mutator.h"

namespace interlock::scan {
namespace {

// The files of all test packages, by their extension.
std::map<std::string, std::vector<std::string>> Pools() {
  constexpr std::size_t kLongest = 4000;
  std::map<std::string, std::vector<std::string>> out;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(INTERLOCK_TESTDATA) + "/packages"))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  for (const std::string& name : names) {
    for (const NamedPackage& package : PackagesOf(name)) {
      for (const core::PackageFile& file : package.view.files) {
        const std::string extension = std::filesystem::path(file.path).extension().string();
        const bool code = extension == ".js" || extension == ".mjs" || extension == ".ts" || extension == ".py" ||
                          extension == ".sh" || extension == ".go" || extension == ".rs" || extension == ".rb" ||
                          extension == ".ps1" || extension == ".php" || extension == ".json";
        if (code && !file.bytes.empty() && file.bytes.size() < kLongest) out[extension].emplace_back(file.bytes);
      }
    }
  }
  return out;
}

TEST(Packages, MutantsEnd) {
  constexpr std::size_t kPackages = 400;
  constexpr std::size_t kFiles = 40;
  const auto pools = Pools();
  ASSERT_GE(pools.size(), 6U);
  tests::TokenMutator mutator(1);
  const auto any = [&](const std::vector<std::string>& pool) -> const std::string& {
    return pool[mutator.Below(pool.size())];
  };
  std::size_t findings = 0;
  for (std::size_t i = 0; i < kPackages; ++i) {
    core::PackageView view;
    for (std::size_t k = 0; k < kFiles; ++k) {
      const auto pool = std::next(pools.begin(), static_cast<std::ptrdiff_t>(mutator.Below(pools.size())));
      const std::string& text = any(pool->second);
      view.files.push_back(
          {.path = "m" + std::to_string(k) + pool->first, .bytes = mutator.Mutant(text, any(pool->second))});
    }
    findings += Scan(view, {}).findings.size();
  }
  EXPECT_GT(findings, kPackages);  // most of what they were is left in them
}

}  // namespace
}  // namespace interlock::scan
