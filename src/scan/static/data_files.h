// What files of data and settings have programs do that read them: manifests of clusters and pipelines, logging that
// sends or calls, values that are programs. Engine room.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// The package that reads the file.
struct DataReader {
  bool evaluates = false;   // has code:dynamic
  bool only_reads = false;  // says so of itself
};

// Raises ESCAPE-001, GRANT-001, SH-004, VULN-001, OBFUSC-002, EXFIL-011 and SC-043 over a file of JSON, YAML, TOML or
// INI. Linear in its text.
void JudgeDataFile(const FileContext& file, const DataReader& reader, std::vector<RawFinding>& out);

}  // namespace interlock::scan
