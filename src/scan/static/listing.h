// What a package says it is: name, description, tools of its manifests and listings. Engine room.
#pragma once

#include <vector>

#include "interlock/scan/scanner.h"
#include "static/analysis.h"
#include "static/supply.h"

namespace interlock::scan {

// Name and description: the front matter of its SKILL.md, else its manifest's, else its listing's.
void ReadIdentity(const std::vector<FileContext>& files, const SupplyFacts& supply, ScanReport& report);

// Tools, prompts and resources of manifests and live listings, each with the digest of its canonical definition; and
// what their definitions alone give away: resources that are files of credentials, copies that go to somebody by
// default.
void ReadListings(const std::vector<FileContext>& files, ScanReport& report, std::vector<RawFinding>& out);

}  // namespace interlock::scan
