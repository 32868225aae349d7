// Who is let in by what a package's own files say: roles, accounts and policies that its code or its statements give,
// and the rights that it asks for. Engine room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// The package, as far as access is concerned.
struct AccessPurpose {
  std::string_view says;    // what it and its tools say they are for, in lower case
  bool only_reads = false;  // that it changes nothing is among it
};

// In lower case.
[[nodiscard]] bool SaysOnlyReads(std::string_view said);

// Raises GRANT-001, GRANT-002, DECL-001 and DECL-004 over a file of code, statements or settings; `text` is its text in
// lower case, as far as it is to be read. Linear in it.
void JudgeAccess(const FileContext& file, const AccessPurpose& purpose, std::string_view text,
                 std::vector<RawFinding>& out);

}  // namespace interlock::scan
