// links: base core eval
// The published layout of functionality graphs: whatever is accepted is written in a form that is read again as the
// same graph and written as the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/eval/agent_sentry/paper_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock::eval::agent_sentry;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = ParsePaperPolicy(text);
  if (!first.ok()) return 0;
  const std::string written = PaperPolicyJson(first.value().pairs, first.value().graph);
  const auto second = ParsePaperPolicy(written);
  if (!second.ok() || second.value().pairs.size() != first.value().pairs.size()) std::abort();
  if (PaperPolicyJson(second.value().pairs, second.value().graph) != written) std::abort();
  return 0;
}
