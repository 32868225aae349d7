// CVSS v3.0 and v3.1 base scores. Engine room.
#pragma once

#include <optional>
#include <string_view>

#include "interlock/core/finding.h"

namespace interlock::scan {

// Base score of a vector ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"), [0,10]; further metrics are passed over.
// Nothing where a base metric is missing, repeated or unknown, or for other versions of CVSS.
[[nodiscard]] std::optional<double> CvssBaseScore(std::string_view vector);
// The specification's qualitative scale: low below 4, medium below 7, high below 9; 0 is info.
[[nodiscard]] core::Severity SeverityOfScore(double score) noexcept;

}  // namespace interlock::scan
