// Programs in languages without a front end that take any certificate for the right one. Engine room.
#pragma once

#include "static/analysis.h"
#include "static/plain_statements.h"

namespace interlock::scan {

// Raises VULN-007 where a program that speaks of credentials has the check of certificates off in every case: not
// behind a condition, as whoever lets the user decide writes it. Linear in the file.
void JudgePlainPeers(const FileContext& file, PlainLanguage language, FileResult& result);

}  // namespace interlock::scan
