// Evidence that stands in different places of a package. A flow that an analyser can follow is reported as one; here
// the two ends are enough: code that names other programs' stores of credentials, and code beside it that sends to a
// fixed foreign host. Engine room.
#pragma once

#include <span>
#include <vector>

#include "code/flow.h"
#include "static/analysis.h"

namespace interlock::scan {

// The stores of credentials that the constants of a file name, but for lists of what is not to be touched.
struct NamedStores {
  int owners = 0;    // kinds of programs and services whose they are
  int personal = 0;  // browsers, wallets, key rings among them
  base::ByteSpan first;
};
[[nodiscard]] NamedStores StoresNamedIn(const FileContext& file);

// Raises EXFIL-009. `uses` of code, shell scripts and hooks alike. Linear in the text of the package's own code, which
// is only read where something is sent.
void JudgeTogether(const std::vector<FileContext>& files, std::span<const code::CapabilityUse> uses,
                   std::vector<RawFinding>& out);

}  // namespace interlock::scan
