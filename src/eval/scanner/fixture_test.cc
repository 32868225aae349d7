#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "interlock/base/json.h"
#include "interlock/eval/scanner/sample.h"
#include "interlock/policy/json_schema.h"

namespace interlock::eval::scanner {
namespace {

using core::ScanVerdict;
using core::ThreatClass;

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::filesystem::path> FixtureFiles() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(INTERLOCK_SOURCE_DIR "/tests/scan-fixtures")) {
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ScanFixtures, AllLoadAndFollowTheSchema) {
  const auto text = base::JsonDoc::Parse(ReadAll(INTERLOCK_SOURCE_DIR "/schemas/interlock.scan-fixture.v1.json"));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  const auto schema = policy::JsonSchema::Compile(text.value().root());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  std::set<std::string> ids;
  for (const auto& path : FixtureFiles()) {
    const std::string bytes = ReadAll(path);
    auto document = base::JsonDoc::Parse(bytes);
    ASSERT_TRUE(document.ok()) << path << document.error().ToString();
    EXPECT_TRUE(schema.value().Validate(document.value().root()).valid()) << path;
    auto samples = ParseScanFixture(bytes);
    ASSERT_TRUE(samples.ok()) << path << samples.error().ToString();
    EXPECT_EQ(document.value().root().Find("id").string(), path.stem().string());
    for (const ScanSample& sample : samples.value()) EXPECT_TRUE(ids.insert(sample.id).second) << sample.id;
  }
}

TEST(ScanFixtures, EveryClassHasEnoughAndATwinForEach) {
  std::map<ThreatClass, int> classes;
  std::map<ThreatClass, int> held;
  int malicious = 0;
  int vulnerable = 0;
  int hard_negatives = 0;
  int semantic_only = 0;
  for (const auto& path : FixtureFiles()) {
    const auto samples = ParseScanFixture(ReadAll(path));
    ASSERT_TRUE(samples.ok());
    const ScanSample& first = samples.value().front();
    const ScanSample& last = samples.value().back();
    EXPECT_EQ(last.label, SampleLabel::kBenign);
    if (samples.value().size() == 1) {
      ++hard_negatives;
      continue;
    }
    EXPECT_TRUE(last.twin);
    EXPECT_EQ(last.at_most, ScanVerdict::kSafe);
    EXPECT_EQ(first.cluster, last.cluster);
    bool differs = first.view.files.size() != last.view.files.size();
    for (std::size_t i = 0; !differs && i < first.view.files.size(); ++i) {
      differs =
          first.view.files[i].bytes != last.view.files[i].bytes || first.view.files[i].path != last.view.files[i].path;
    }
    EXPECT_TRUE(differs) << first.id;
    vulnerable += first.label == SampleLabel::kVulnerable;
    if (first.label != SampleLabel::kMalicious) continue;
    ++malicious;
    semantic_only += first.semantic_only;
    ++classes[first.threat];
    held[first.threat] += first.held;
  }
  EXPECT_GE(malicious, 120);
  EXPECT_GE(vulnerable, 8);
  EXPECT_GE(hard_negatives, 12);
  EXPECT_GE(semantic_only, 5) << "E016 to E020";
  EXPECT_EQ(classes.size(), 8U);
  for (const auto& [threat, count] : classes) {
    EXPECT_GE(count, 12) << core::NameOf(threat);
    EXPECT_GE(held[threat], 4) << core::NameOf(threat);
    EXPECT_LE(held[threat], count / 2) << core::NameOf(threat);
  }
}

TEST(ScanFixtures, HostsAreReserved) {
  // Addresses in fixtures lie in the ranges for documentation; names end in .example unless they are a specification's.
  for (const auto& path : FixtureFiles()) {
    const auto samples = ParseScanFixture(ReadAll(path));
    ASSERT_TRUE(samples.ok());
    for (const ScanSample& sample : samples.value()) {
      for (const core::PackageFile& file : sample.view.files) {
        for (std::size_t at = file.bytes.find("://"); at != std::string::npos; at = file.bytes.find("://", at + 3)) {
          std::string host =
              file.bytes.substr(at + 3, file.bytes.find_first_of("/ \"'`)>,:;\\\n\r?$}{|", at + 3) - at - 3);
          if (const std::size_t user = host.find('@'); user != std::string::npos) host.erase(0, user + 1);
          const bool name = host.find('.') != std::string::npos &&
                            host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos;
          // "https://..." names none; one name is only finished when the sample runs.
          const bool none = host.find_first_not_of('.') == std::string::npos;
          const bool unfinished = host == "tz." && sample.id.starts_with("t5-locale-proxy");
          if (!name || none || unfinished) continue;
          const bool reserved = host.size() > 8 && host.compare(host.size() - 8, 8, ".example") == 0;
          const bool number = host.rfind("192.0.2.", 0) == 0 || host.rfind("198.51.100.", 0) == 0 ||
                              host.rfind("203.0.113.", 0) == 0 || host == "127.0.0.1" ||
                              host == "169.254.169.254";  // of the machine itself, like the one before
          // A form at a service that everybody may use is what `t6-google-form` is about; its form does not exist.
          const bool known =
              host == "www.w3.org" || (host == "docs.google.com" && sample.id.starts_with("t6-google-form"));
          EXPECT_TRUE(reserved || number || known) << sample.id << " " << host;
        }
      }
    }
  }
}

constexpr const char* kGood =
    R"({"schema":"interlock.scan-fixture/v1","id":"t1-x","title":"t","label":"malicious","threat":"T1","technique":"q",)"
    R"("split":"SPLIT","layers":["static"],"channel":"c","note":"","expect":{"malicious":"WARN+","clean":"SAFE"},)"
    R"("malicious":{"a/b.sh":["#!/bin/sh","x"],"c.bin":{"base64":"AAEC/w=="}},"clean":{"d.md":"text"}})";

std::string Good() {
  std::string text = kGood;
  text.replace(text.find("SPLIT"), 5, FixtureIsHeld("t1-x") ? "held" : "tune");
  return text;
}

TEST(ScanFixture, ReadsTextLinesAndBytes) {
  const auto samples = ParseScanFixture(Good());
  ASSERT_TRUE(samples.ok()) << samples.error().ToString();
  ASSERT_EQ(samples.value().size(), 2U);
  const ScanSample& bad = samples.value()[0];
  EXPECT_EQ(bad.id, "t1-x/malicious");
  EXPECT_EQ(bad.threat, ThreatClass::kT1);
  EXPECT_EQ(bad.at_least, ScanVerdict::kWarn);
  ASSERT_EQ(bad.view.files.size(), 2U);
  EXPECT_EQ(bad.view.files[0].bytes, "#!/bin/sh\nx");
  EXPECT_TRUE(bad.view.files[0].executable);
  EXPECT_EQ(bad.view.files[1].bytes, std::string("\0\1\2\xff", 4));
  EXPECT_EQ(samples.value()[1].threat, ThreatClass::kNone);
}

TEST(ScanFixture, RefusesWhatItDoesNotKnow) {
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"scan-fixture/v1", "scan-fixture/v2"},
                                                        {"\"T1\"", "\"T9\""},
                                                        {"a/b.sh", "../b.sh"},
                                                        {"a/b.sh", "/b.sh"},
                                                        {"AAEC/w==", "AAEC/w="},
                                                        {"AAEC/w==", "A=EC/w=="},
                                                        {"WARN+", "MAYBE"},
                                                        {"\"clean\":{\"d.md\":\"text\"}", "\"clean\":{}"},
                                                        {"\"text\"", "7"},
                                                        {"\"label\":\"malicious\"", "\"label\":\"odd\""}}) {
    std::string text = Good();
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    EXPECT_FALSE(ParseScanFixture(text).ok()) << from << " -> " << to;
  }
  std::string other = kGood;
  other.replace(other.find("SPLIT"), 5, FixtureIsHeld("t1-x") ? "tune" : "held");
  EXPECT_FALSE(ParseScanFixture(other).ok()) << "nobody chooses the split";
}

TEST(ScannerCorpus, ReadsARecord) {
  const auto sample = ParseCorpusRecord(
      R"({"id":"x_A05_001","kind":"skill","label":"malicious","tier":"synthetic","attack_class":"","hard_negative":"0",)"
      R"("cluster":"c2","files":{"b.md":"B","a.md":"A"},"omitted":["run.py"]})");
  ASSERT_TRUE(sample.ok()) << sample.error().ToString();
  EXPECT_EQ(sample.value().threat, ThreatClass::kT4);
  EXPECT_EQ(sample.value().view.files.front().path, "a.md");
  EXPECT_TRUE(sample.value().code_left_out);
  EXPECT_FALSE(ParseCorpusRecord(R"({"id":"x","label":"odd","files":{}})").ok());
  EXPECT_FALSE(ParseCorpusRecord(R"({"id":"x","label":"benign"})").ok());
  EXPECT_FALSE(ParseCorpusRecord(R"({"id":"x","label":"benign","files":{"a":1}})").ok());
}

TEST(ScannerCorpus, HeldFollowsTheFirstDigitOfTheClustersHash) {
  const auto held = [](const std::string& cluster) {
    const auto sample = ParseCorpusRecord(R"({"id":"x","label":"benign","files":{},"cluster":")" + cluster + "\"}");
    return sample.ok() && sample.value().held;
  };
  EXPECT_FALSE(held("c1"));  // SHA-1 2f...
  EXPECT_TRUE(held("c3"));   // SHA-1 a6...
}

TEST(ScannerCorpus, AttackClassesAreMapped) {
  const std::vector<std::pair<std::string_view, ThreatClass>> cases = {
      {"trojan_prerequisite_install", ThreatClass::kT1},
      {"contextual: MCP Logging Server Instruction", ThreatClass::kT6},
      {"contextual: Chmod 777 Instruction", ThreatClass::kT4},
      {"contextual: Flat Earth Instruction", ThreatClass::kT2},
      {"obvious: Download and Execute Instruction", ThreatClass::kT1},
      {"obvious: Prompt Exfiltration", ThreatClass::kT6},
      {"tool_shadowing", ThreatClass::kT3},
      {"never heard of", ThreatClass::kNone}};
  for (const auto& [name, threat] : cases) EXPECT_EQ(ThreatOfAttackClass(name, "x"), threat) << name;
  EXPECT_EQ(ThreatOfAttackClass("", "openclaw_mal_A12_002"), ThreatClass::kT5);
  EXPECT_EQ(ThreatOfAttackClass("", "mcp_mal_A99_002"), ThreatClass::kT2);
  EXPECT_EQ(ThreatOfAttackClass("", "short_A1"), ThreatClass::kT2);
}

}  // namespace
}  // namespace interlock::eval::scanner
