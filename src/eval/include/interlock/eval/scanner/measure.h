// Figures of a scanner over labelled packages, as rows of interlock.eval/v1, and what changed against older rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/finding.h"
#include "interlock/eval/report.h"
#include "interlock/eval/scanner/sample.h"

namespace interlock::eval::scanner {

// What a scanner said about one sample.
struct ScanOutcome {
  core::ScanVerdict verdict = core::ScanVerdict::kSafe;
  core::ScanReason reason = core::ScanReason::kNone;
  double score = 0;
  std::string summary;
  std::vector<core::Finding> findings;  // worst first
  double seconds = 0;                   // of the scan alone, processor time; 0: not measured
  double wall = 0;                      // of the scan alone on all threads, by the clock; 0: not measured
  std::uint64_t bytes = 0;              // of all files
  std::uint64_t code_bytes = 0;         // of source files
};

struct Measured {
  ScanSample sample;  // its view may be empty by now
  ScanOutcome outcome;
};

// Wilson's interval for `hits` of `n`, in per cent, 95 %. Hits may be fractional (means over clusters).
struct Share {
  double value = 0;
  double low = 0;
  double high = 0;
};
[[nodiscard]] Share WilsonShare(double hits, std::uint64_t n);

struct ScannerRowsOptions {
  bool timing = false;  // rows of table "speed": these differ from run to run
  double seconds = 0;   // wall clock of the whole run, for packages a second
  bool items = false;   // a row a sample, for --compare
};

// Tables "benign", "malicious", "vulnerable", "fixtures", "threats", "expected", "speed", "items"; see
// docs/scanner-evaluation.md for what each row means. Order and bytes depend on `measured` alone.
[[nodiscard]] std::vector<EvalRow> ScannerRows(std::span<const Measured> measured, const ScannerRowsOptions& options);
// Table "masked": the malicious samples again after an IndicatorMask; `before` holds the same samples unmasked.
[[nodiscard]] std::vector<EvalRow> MaskedRows(std::span<const Measured> before, std::span<const Measured> masked);
// Table "rewritten": samples that were right, after a rewriting (rewrite.h): how many are still caught, and how many
// clean ones now warn.
[[nodiscard]] std::vector<EvalRow> RewrittenRows(std::string_view rewriting, std::span<const Measured> after);

[[nodiscard]] ReportLayout ScannerLayout();

// Whether the verdict is wrong: a malicious or vulnerable sample below what is asked, a benign one above.
[[nodiscard]] bool IsMissed(const Measured& one);
[[nodiscard]] bool IsFalseAlarm(const Measured& one);
// A paragraph for reading by hand: id, labels, verdict, and at most `max_findings` findings with place and evidence.
// Printable whatever the sample holds.
[[nodiscard]] std::string Describe(const Measured& one, std::size_t max_findings = 6);

// Verdicts of an older run: the table "items" of a rows file. kImportShape or JSON errors.
using OldVerdicts = std::map<std::pair<std::string, std::string>, core::ScanVerdict>;  // (set, id)
[[nodiscard]] base::Result<OldVerdicts> ReadOldVerdicts(std::string_view rows_json);
// Text: samples gained (now right), lost (now wrong), changed otherwise, by set and label; and what is new.
[[nodiscard]] std::string CompareText(const OldVerdicts& old, std::span<const Measured> now);

// Another scanner's findings, by the name of the package: a part of each result's path must be one of `names`. A
// package without results is SAFE; level error is BLOCK, warning is WARN, note and none are SAFE. kImportShape or JSON
// errors.
[[nodiscard]] base::Result<std::map<std::string, ScanOutcome>> ReadSarif(std::string_view sarif,
                                                                         std::span<const std::string> names);
// The name under which a sample is written to disk for another scanner: its id with everything but [A-Za-z0-9._-] as
// '_', after its set.
[[nodiscard]] std::string ExportName(const ScanSample& sample);

}  // namespace interlock::eval::scanner
