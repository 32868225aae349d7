// Known vulnerabilities of published packages, from a database in the OSV format (ossf.github.io/osv-schema).
//
//   VulnerabilityIndex index;
//   index.Add(text);                                        // an entry, a list of them, or one a line; any number of
//   times ScanReport report = Scan(view, {.vulnerabilities = &index}); for (const KnownVulnerability& known :
//   index.Lookup("PyPI", "acme", "1.2.0")) ...
//
// Keeps what is needed to judge one exact version of a package of PyPI, npm, Go or crates.io; others, withdrawn entries
// and ranges of commits are left out. Works in memory and asks nobody. Hostile input is bounded: an entry that is no
// OSV entry, too large or not to be ordered is counted in `counts()` and left out, and the rest is read. Thread rule:
// Add from one thread; afterwards any number of threads may look up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/finding.h"

namespace interlock::scan {

struct KnownVulnerability {
  std::string id;       // "GHSA-...", "PYSEC-...", "MAL-..."
  std::string summary;  // as the database says it: text of others, to be shown printable
  core::Severity severity = core::Severity::kMedium;
  double score = -1.0;  // CVSS v3 base score, [0,10]; below 0: none
  std::string vector;   // the CVSS v3 vector behind `score`
  std::vector<std::uint32_t> cwe;
  std::string fixed;  // the first fixed version above the one looked up; "": none is known
  // Of the dependency, where this is part of a report.
  std::string ecosystem;
  std::string name;
  std::string version;
  std::string purl;
  bool direct = true;
  bool development = false;
};

class VulnerabilityIndex {
 public:
  struct Counts {
    std::uint64_t kept = 0;       // entries that say something of PyPI or npm
    std::uint64_t others = 0;     // of other ecosystems, or withdrawn
    std::uint64_t broken = 0;     // not JSON, not an OSV entry, or beyond a limit
    std::uint64_t unordered = 0;  // ranges left out: their versions cannot be put in order
  };

  VulnerabilityIndex();
  VulnerabilityIndex(VulnerabilityIndex&&) noexcept;
  VulnerabilityIndex& operator=(VulnerabilityIndex&&) noexcept;
  ~VulnerabilityIndex();

  // One entry, a JSON list of entries, or entries after each other (JSON lines). Entries over 4 MiB are broken.
  void Add(std::string_view text);
  // What is known of this very version, worst first. `ecosystem` is "PyPI", "npm", "Go" or "crates.io", the name as a
  // manifest writes it. A version that cannot be ordered matches only where it is listed as written.
  [[nodiscard]] std::vector<KnownVulnerability> Lookup(std::string_view ecosystem, std::string_view name,
                                                       std::string_view version) const;
  [[nodiscard]] const Counts& counts() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::scan
