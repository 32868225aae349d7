// Labelled packages for measuring the scanner, and the readers of the two formats that hold them.
//
//   auto samples = ParseScanFixture(bytes);      // one interlock.scan-fixture/v1 file: a sample and its clean twin
//   auto sample = ParseCorpusRecord(line);       // one line of corpus.jsonl
//
// Everything in a sample is hostile text, kept as data. Pure; thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/finding.h"
#include "interlock/core/package.h"

namespace interlock::eval::scanner {

enum class SampleLabel : std::uint8_t { kBenign, kMalicious, kVulnerable };
[[nodiscard]] std::string_view NameOf(SampleLabel label) noexcept;

struct ScanSample {
  std::string set;  // "corpus" "fixtures" "packages"
  std::string id;   // unique in its set; of fixtures "t6-env-telemetry/malicious", "t6-env-telemetry/clean"
  SampleLabel label = SampleLabel::kBenign;
  core::ThreatClass threat = core::ThreatClass::kNone;  // of malicious and vulnerable ones
  std::string kind;                                     // "skill" "mcp-server" ...
  std::string tier;                 // "real" "wild" "bench" "synthetic" "constructed" "own" "registry"
  std::string technique;            // the corpus's attack class, a fixture's technique
  std::string cluster;              // near-duplicates share one
  bool held = false;                // not to be looked at while rules are written
  std::uint32_t hard_negative = 0;  // 1: powerful, 2: talks about attacks
  bool twin = false;                // the clean half of a malicious or vulnerable fixture
  bool semantic_only = false;       // no static layer is asked to tell
  bool code_left_out = false;       // the data set holds its text only
  // What is asked of the static layer.
  core::ScanVerdict at_least = core::ScanVerdict::kSafe;
  core::ScanVerdict at_most = core::ScanVerdict::kBlock;
  std::string path;        // where the view is to be loaded from, by the caller; "": `view` is complete
  core::PackageView view;  // archives among the files are not opened
};

// kImportShape, or an error of the JSON reader. One sample for a hard negative, else two: the malicious (vulnerable)
// one first. At most 64 MiB.
[[nodiscard]] base::Result<std::vector<ScanSample>> ParseScanFixture(std::string_view bytes);

// The third that is held back: decided by the name alone, so that nobody chooses it.
[[nodiscard]] bool FixtureIsHeld(std::string_view id);

// kImportShape, or an error of the JSON reader. `held`: the first digit of SHA-1 of the cluster is a to f.
[[nodiscard]] base::Result<ScanSample> ParseCorpusRecord(std::string_view line);

// The threat class of an attack class of the corpus, found by reading samples of it; kNone: not known. `id` tells where
// the data set leaves the attack class empty.
[[nodiscard]] core::ThreatClass ThreatOfAttackClass(std::string_view attack_class, std::string_view id);

}  // namespace interlock::eval::scanner
