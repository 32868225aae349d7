// Packages that are kept as text, many to a file: `## name`, `### path`, what stands in the file. For tests.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "interlock/core/package.h"

namespace interlock::scan {

struct NamedPackage {
  std::string name;
  core::PackageView view;
};

inline std::vector<NamedPackage> PackagesOf(const std::string& name) {
  std::ifstream file(std::string(INTERLOCK_TESTDATA) + "/packages/" + name + ".txt");
  EXPECT_TRUE(file) << name;
  std::vector<NamedPackage> out;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) {
      out.push_back({line.substr(3), {}});
    } else if (line.starts_with("### ") && !out.empty()) {
      out.back().view.files.push_back({.path = line.substr(4), .bytes = {}});
    } else if (!out.empty() && !out.back().view.files.empty()) {
      out.back().view.files.back().bytes += line + "\n";
    }
  }
  return out;
}

}  // namespace interlock::scan
