// What a package does to the powers of others, told by what stands together in one file of its code: an agent's
// instruction files that it names and writes, servers of an agent that it wraps; who is let in: access.h. Where the
// package says that this is its business, it is. Engine room.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "interlock/scan/scanner.h"
#include "static/analysis.h"

namespace interlock::scan {

// Raises PERSIST-003, PERSIST-004, GRANT-001, MEM-001, MEM-005, EXFIL-010, EXFIL-013, SH-011, DESTROY-001, STATE-002,
// GRANT-002, DIVERT-001 and DECL-004. Made after names, descriptions and permissions are known; each file that is at
// work is judged by itself, on any thread. Linear in the text of the package's own code.
class Rights {
 public:
  Rights(const std::vector<FileContext>& files, const ScanReport& report);
  void Judge(const FileContext& file, std::vector<RawFinding>& out) const;

 private:
  // Some file of the package writes where agents keep their servers.
  [[nodiscard]] bool WritesServers() const;

  const std::vector<FileContext>& files_;
  std::string purpose_;  // what the package and its tools say they are for
  std::string page_;     // what its page says
  std::string name_;
  std::string own_;  // name and description
  bool only_reads_ = false;
  bool evaluates_ = false;
  mutable std::once_flag asked_;
  mutable bool writes_servers_ = false;
};

}  // namespace interlock::scan
