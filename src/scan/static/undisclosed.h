// Credentials that a package reads though nothing it says of itself is about whose they are: a formatter of tables that
// opens a private key. Private to src/scan/static.
#pragma once

#include <string_view>
#include <vector>

#include "code/flow.h"
#include "code/walls.h"
#include "static/analysis.h"

namespace interlock::scan {

// GRANT-003 or DESTROY-002, to be taken back by JudgeUndisclosed; `how` is shown. File, place and reach are the
// caller's.
[[nodiscard]] RawFinding OfWall(const code::Wall& wall, std::string_view how);

// Raises PE-DELTA-002. What a package says: its documents, manifests, `name` and the descriptions of its tools, not its
// code. Linear in these, which are not read unless a store of credentials is.
// Also takes back GRANT-003 and DESTROY-002 where what the package says is about the wall that is taken down
// (code/walls.h), and PE-DELTA-003 where it names the host that something is sent to, or speaks of what it reports.
void JudgeUndisclosed(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::string_view name,
                      std::vector<RawFinding>& out);

}  // namespace interlock::scan
