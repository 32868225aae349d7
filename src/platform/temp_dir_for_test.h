// A folder that is removed with everything in it. For tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "interlock/base/check.h"

namespace interlock::platform {

class TempDir {
 public:
  TempDir() {
    std::string path = (std::filesystem::temp_directory_path() / "interlock-XXXXXX").string();
    INTERLOCK_CHECK(::mkdtemp(path.data()) != nullptr, "tests have a place for temporary files");
    path_ = path;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string File(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace interlock::platform
