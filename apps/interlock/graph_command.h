// `interlock learn` and `interlock graph`: options, and what both need of files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commands.h"
#include "interlock/bounds/graph.h"
#include "interlock/bounds/graph_diff.h"
#include "interlock/bounds/graph_index.h"
#include "interlock/bounds/graph_update.h"

namespace CLI {
class App;
}

namespace interlock::app {

struct LearnArgs {
  std::vector<std::string> files;
  std::string output;
  std::string label;    // "" : annotations say
  std::string reviews;  // review file
  std::vector<std::string> tools;
  PolicyArgs policy;  // roles and side effects; not read unless named
  std::string role_key = "none";
  std::string tenant;
  bool tenant_by_domain = false;
  std::string as_of;
  std::uint32_t jobs = 1;
  std::string update;  // graph to update
  std::string diff;
  std::string review_list;
  bounds::UpdatePolicy update_policy;
  bool keep_undated = false;
  bool skip_malformed = false;
  Format format = Format::kText;
};
int RunLearn(const LearnArgs& args);

struct GraphArgs {
  std::vector<std::string> files;
  std::string output;
  std::string graph_format = "agent-sentry";  // of import and export
  bounds::GraphPolicy policy;
  std::string view;
  std::string tool;
  std::string flow_class;
  std::uint64_t limit = 0;
  std::string tenant;
  std::vector<std::string> roles;
  std::string apply;
  std::string revert;
  std::string session;
  std::string session_name;
  std::vector<std::string> after;
  Format format = Format::kText;
};
int RunGraphShow(const GraphArgs& args);
int RunGraphDiff(const GraphArgs& args);
int RunGraphMerge(const GraphArgs& args);
int RunGraphExplain(const GraphArgs& args);
int RunGraphPropose(const GraphArgs& args);
int RunGraphImport(const GraphArgs& args);
int RunGraphExport(const GraphArgs& args);

// Adds both commands; `run` becomes what the chosen one does (see graph_cli.cc, whose table is where a further
// subcommand is added).
void AddGraphCommands(CLI::App& app, std::function<int()>& run);

// Errors of the file name it.
[[nodiscard]] base::Result<bounds::FunctionalityGraph> ReadGraphFile(const std::string& path);
[[nodiscard]] base::Result<bounds::GraphDiff> ReadGraphDiffFile(const std::string& path);
// Whole or not at all; "" is standard output.
[[nodiscard]] base::Status WriteOutput(const std::string& path, std::string_view bytes);

// "read_bill -> pay_bill", "pay_bill /to <- request (exact)": a flow in one line.
[[nodiscard]] std::string InWords(const bounds::Flow& flow);
[[nodiscard]] std::string InWords(const bounds::Scope& scope);  // "everybody", "tenant acme, role clerk"
// What a diff does, for people: counts, and the class before and after.
[[nodiscard]] std::string DiffInWords(const bounds::GraphDiff& diff, const bounds::FunctionalityGraph& before,
                                      const bounds::FunctionalityGraph& after, const bounds::GraphPolicy& policy);

}  // namespace interlock::app
