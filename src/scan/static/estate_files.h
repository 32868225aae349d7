// Files by which an estate lets others in: policies of a cloud, pipelines that strangers start, a state that is kept
// elsewhere, an environment in which nobody is asked for a certificate. Private to data_files.cc.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// Raises GRANT-002, VULN-010, SH-015 and SH-008 over a file of JSON, YAML, settings or Terraform. Linear.
void JudgeEstateFile(const FileContext& file, std::vector<RawFinding>& out);

}  // namespace interlock::scan
