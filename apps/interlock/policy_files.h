// Policies, tool lists and pins as files: what several commands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "interlock/bounds/graph_index.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/load.h"

namespace interlock::app {

struct PolicyFile {
  policy::LoadedPolicy loaded;
  std::string path;  // "" when there is no file
};

// Splits NAME=VALUE variables and adds cwd and home. Usage errors are kUsage.
[[nodiscard]] base::Result<policy::LoadOptions> PolicyLoadOptions(const PolicyArgs& args);

// Reads and loads. An error only when the file cannot be read; what is wrong inside is in `loaded.diagnostics`.
[[nodiscard]] base::Result<PolicyFile> ReadPolicy(const PolicyArgs& args);

// The file that ReadPolicy reads; "" when there is none.
[[nodiscard]] std::string PolicyPath(const PolicyArgs& args);

// ReadPolicy, with every diagnostic on standard error; null after any error.
[[nodiscard]] std::shared_ptr<const policy::PolicySnapshot> RequirePolicy(const PolicyArgs& args);

// The tools of a file that holds a tools/list result (or its `tools` array). No file: the tools the policy names, and
// `also_listed` by name alone, so that what the policy says about them by glob applies (they have no schema then).
[[nodiscard]] base::Result<std::shared_ptr<const policy::ToolCatalogue>> CatalogueFor(
    std::shared_ptr<const policy::PolicySnapshot> policy, const std::string& tools_file,
    const std::vector<std::string>& also_listed = {});

// Where the pins of a policy live: `--pins`, else interlock.pins.json beside the policy file, else in the state folder.
[[nodiscard]] std::string PinsPath(const std::string& given, const std::string& policy_file);

// What a session is held against: the graph of `given` (--graph), else the one that the policy names, relative to the
// policy file's folder. `index` is null when neither names one. An error whenever one is named and cannot be had.
struct LearnedGraph {
  std::shared_ptr<const bounds::GraphIndex> index;
  std::string digest;
};
[[nodiscard]] base::Result<LearnedGraph> GraphFor(const std::string& given, const std::string& policy_file,
                                                  std::string_view named_by_policy);

void PrintError(const base::Error& error);

}  // namespace interlock::app
