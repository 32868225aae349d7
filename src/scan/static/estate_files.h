// Files by which an estate lets others in: policies and roles of a cloud, pipelines that strangers start, keys that are
// fetched, a state that is kept elsewhere, repositories that come from elsewhere, servers that mirror their visitors,
// an environment in which nobody is asked for a certificate. Private to data_files.cc.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// Raises GRANT-002, VULN-010, SH-015, SH-008 and TAMPER-001 over a file of JSON, YAML, settings or Terraform. Linear
// but for locations of a web server, which are looked through for each mirror.
void JudgeEstateFile(const FileContext& file, std::vector<RawFinding>& out);

}  // namespace interlock::scan
