// `interlock graph import|export`: published graph layouts to ours and back.
#include <cstdio>

#include "graph_command.h"
#include "interlock/eval/agent_sentry/paper_convert.h"
#include "interlock/platform/stream.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

int Fail(const base::Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

}  // namespace

int RunGraphImport(const GraphArgs& args) {
  const std::string& path = args.files.front();
  const auto bytes = platform::ReadStream(path, bounds::GraphLimits().max_bytes - 1);
  if (!bytes.ok()) return Fail(bytes.error());
  const auto policy = eval::agent_sentry::ParsePaperPolicy(bytes.value());
  if (!policy.ok()) return Fail(policy.error().Under(path));
  const auto graph = eval::agent_sentry::GraphFromPaperPolicy(policy.value());
  if (!graph.ok()) return Fail(graph.error().Under(path));
  const base::Status status = WriteOutput(args.output, graph.value().ToJson());
  return status.ok() ? kExitFine : Fail(status.error());
}

int RunGraphExport(const GraphArgs& args) {
  const auto graph = ReadGraphFile(args.files.front());
  if (!graph.ok()) return Fail(graph.error());
  const eval::agent_sentry::PaperPolicy policy = eval::agent_sentry::PaperPolicyFromGraph(graph.value());
  const base::Status status = WriteOutput(args.output, eval::agent_sentry::PaperPolicyJson(policy.pairs, policy.graph));
  return status.ok() ? kExitFine : Fail(status.error());
}

}  // namespace interlock::app
