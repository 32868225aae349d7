#include "static/versions.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "static/cvss.h"

namespace interlock::scan {
namespace {

using Parser = std::optional<Version> (*)(std::string_view);

std::vector<std::string> Lines(const std::string& name) {
  std::ifstream in(std::string(INTERLOCK_TESTDATA) + "/osv/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

// Every version with every other one of the table.
void TestOrder(const std::string& table, Parser parse) {
  struct Row {
    std::size_t place;
    std::string text;
    Version version;
  };
  std::vector<Row> rows;
  const std::vector<std::string> lines = Lines(table);
  ASSERT_GT(lines.size(), 20U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::istringstream words(lines[i]);
    for (std::string word; words >> word;) {
      std::optional<Version> version = parse(word);
      ASSERT_TRUE(version) << word;
      rows.push_back({i, word, *version});
    }
  }
  for (const Row& a : rows) {
    for (const Row& b : rows) {
      EXPECT_EQ(a.version <=> b.version, a.place <=> b.place) << a.text << " and " << b.text;
      EXPECT_EQ(a.version.Canonical() == b.version.Canonical(), a.place == b.place) << a.text << " and " << b.text;
    }
  }
}

TEST(Versions, Pep440IsInOrder) { TestOrder("pep440_order.txt", &Version::ParsePep440); }
TEST(Versions, SemverIsInOrder) { TestOrder("semver_order.txt", &Version::ParseSemver); }

TEST(Versions, WhatIsNoneIsRefused) {
  for (const char* text : {"", " ", "abc", "1.", ".1", "1..2", "1.0+", "1.0+a..b", "1.0+a b", "1!", "!1", "1.0-",
                           "1.0-x", "1.0.*", "1.0a1a2", "1.0 0", "1.0\n", "==1.0"}) {
    EXPECT_FALSE(Version::ParsePep440(text)) << text;
  }
  for (const char* text : {"", " ", "x", "1.", "1.2.3.4", "1.2.x", "1.2.3-", "1.2.3-a..b", "1.2.3-a_b", "1.2.3+",
                           "^1.2.3", "latest", "1.2.3 || 2", "*"}) {
    EXPECT_FALSE(Version::ParseSemver(text)) << text;
  }
  EXPECT_FALSE(Version::ParsePep440(std::string(257, '1')));
  EXPECT_FALSE(Version::ParseSemver(std::string(257, '1')));
}

TEST(Cvss, BaseScoresAreThePublishedOnes) {
  const std::vector<std::string> lines = Lines("cvss_scores.txt");
  ASSERT_GT(lines.size(), 10U);
  for (const std::string& line : lines) {
    const std::size_t space = line.find(' ');
    const std::optional<double> score = CvssBaseScore(std::string_view(line).substr(space + 1));
    ASSERT_TRUE(score) << line;
    EXPECT_DOUBLE_EQ(*score, std::stod(line.substr(0, space))) << line;
  }
}

TEST(Cvss, WhatIsNoVectorHasNoScore) {
  for (const char* text :
       {"", "CVSS:3.1/", "CVSS:2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P", "AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
        "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H", "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
        "CVSS:3.1/AV:N/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", "CVSS:3.1/AV:NN/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
        "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A",
        "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N"}) {
    EXPECT_FALSE(CvssBaseScore(text)) << text;
  }
}

TEST(Cvss, SeverityHasTheSpecificationsSteps) {
  using core::Severity;
  EXPECT_EQ(SeverityOfScore(0.0), Severity::kInfo);
  EXPECT_EQ(SeverityOfScore(0.1), Severity::kLow);
  EXPECT_EQ(SeverityOfScore(3.9), Severity::kLow);
  EXPECT_EQ(SeverityOfScore(4.0), Severity::kMedium);
  EXPECT_EQ(SeverityOfScore(6.9), Severity::kMedium);
  EXPECT_EQ(SeverityOfScore(7.0), Severity::kHigh);
  EXPECT_EQ(SeverityOfScore(8.9), Severity::kHigh);
  EXPECT_EQ(SeverityOfScore(9.0), Severity::kCritical);
}

}  // namespace
}  // namespace interlock::scan
