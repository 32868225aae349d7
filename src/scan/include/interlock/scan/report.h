// Scan reports for people and programs. Pure: text in, text out; nothing in a report is trusted (it quotes the
// package).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "interlock/scan/scanner.h"

namespace interlock::scan {

inline constexpr std::string_view kScanSchema = "interlock.scan/v1";

struct TextReportOptions {
  bool colour = false;
  int width = 100;   // columns
  bool all = false;  // every finding with flow and remedy; else the worst ten a package, one or two lines each
  std::size_t limit = 10;
};
// Summary first, then findings with place, evidence, flow and remedy, permissions, what was skipped. Safe for a
// terminal whatever the package holds.
[[nodiscard]] std::string TextReport(std::span<const ScanReport> reports, const RuleSet& rules,
                                     const TextReportOptions& options);

// One object, schemas/interlock.scan.v1.json.
[[nodiscard]] std::string JsonReport(std::span<const ScanReport> reports, const RuleSet& rules,
                                     std::string_view version);

// SARIF 2.1.0: one run; rules with help, taxa (T1-T8, CWE), results with code flows, partial fingerprints,
// suppressions; notifications for what was skipped.
[[nodiscard]] std::string SarifReport(std::span<const ScanReport> reports, const RuleSet& rules,
                                      std::string_view version);

// One self-contained page: no script from elsewhere, no font, no request; all quoted text escaped.
[[nodiscard]] std::string HtmlReport(std::span<const ScanReport> reports, const RuleSet& rules,
                                     std::string_view version);

// CycloneDX 1.6 JSON: the package, its dependencies, tools as services, known vulnerabilities. `serial` is a UUID,
// `time` RFC 3339; both come from the caller and may be empty (left out).
[[nodiscard]] std::string CycloneDxReport(std::span<const ScanReport> reports, std::string_view version,
                                          std::string_view serial, std::string_view time);

}  // namespace interlock::scan
