// links: base core eval
// The first byte chooses the importer. What an importer accepts the trace reader must read, as one line; what it
// refuses must leave the output alone.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/core/trace.h"
#include "interlock/eval/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock;
  if (size == 0) return 0;
  const std::string_view record(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string line;
  base::Status status;
  switch (data[0] % 5) {
    case 0:
      status = eval::ImportCompactTrace(record, {}, line);
      break;
    case 1:
      status = eval::ImportCompactTrace(record, {{"k", "be careful"}}, line);
      break;
    case 2:
      status = eval::ImportChatDump(record, line);
      break;
    case 3:
      status = eval::ImportAgentDojoRun(record, line);
      break;
    default:
      (void)eval::DetectTraceFormat(record);
      (void)eval::ParseSystemPrompts(record);
      return 0;
  }
  if (!status.ok()) {
    if (!line.empty()) std::abort();
    return 0;
  }
  if (line.find_first_of("\r\n") != std::string::npos) std::abort();
  if (!core::ParseTraceLine(line).ok()) std::abort();
  return 0;
}
