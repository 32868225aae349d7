#include "policy_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "graph_command.h"
#include "interlock/platform/file.h"

namespace interlock::app {
namespace {

constexpr std::size_t kMaxPolicyBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxToolsBytes = std::size_t{64} << 20;
constexpr const char* kDefaultPolicy = "interlock.yaml";

}  // namespace

std::string StateDir() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/')
    return std::string(state) + "/interlock";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr && home[0] == '/' ? home : "/tmp") + "/.local/state/interlock";
}

base::Result<policy::LoadOptions> PolicyLoadOptions(const PolicyArgs& args) {
  policy::LoadOptions options;
  options.profile = args.profile;
  options.force_shadow = args.shadow;
  std::error_code ignored;
  options.variables["cwd"] = std::filesystem::current_path(ignored).string();
  if (const char* home = std::getenv("HOME"); home != nullptr) options.variables["home"] = home;
  for (const std::string& variable : args.variables) {
    const std::size_t at = variable.find('=');
    if (at == 0 || at == std::string::npos) {
      return base::Error(base::ErrorCode::kUsage, "--var takes NAME=VALUE, not `" + variable + "`");
    }
    options.variables[variable.substr(0, at)] = variable.substr(at + 1);
  }
  return options;
}

std::string PolicyPath(const PolicyArgs& args) {
  std::error_code ignored;
  if (!args.file.empty()) return args.file;
  return std::filesystem::exists(kDefaultPolicy, ignored) ? kDefaultPolicy : "";
}

base::Result<PolicyFile> ReadPolicy(const PolicyArgs& args) {
  auto options = PolicyLoadOptions(args);
  if (!options.ok()) return options.error();
  PolicyFile out;
  std::string text = "version: 1\n";
  out.path = PolicyPath(args);
  if (!out.path.empty()) {
    auto bytes = platform::ReadFile(out.path, kMaxPolicyBytes);
    if (!bytes.ok()) return bytes.error();
    text = std::move(bytes.value());
    options.value().file = out.path;
  } else {
    options.value().file = "(no policy file)";
  }
  out.loaded = policy::LoadPolicy(text, options.value());
  return out;
}

std::shared_ptr<const policy::PolicySnapshot> RequirePolicy(const PolicyArgs& args) {
  auto file = ReadPolicy(args);
  if (!file.ok()) {
    PrintError(file.error());
    return nullptr;
  }
  for (const auto& diagnostic : file.value().loaded.diagnostics)
    std::fprintf(stderr, "%s\n", diagnostic.ToString().c_str());
  return file.value().loaded.policy;
}

base::Result<std::shared_ptr<const policy::ToolCatalogue>> CatalogueFor(
    std::shared_ptr<const policy::PolicySnapshot> policy, const std::string& tools_file,
    const std::vector<std::string>& also_listed) {
  std::vector<policy::ToolCatalogue::Listed> listed;
  if (tools_file.empty()) {
    for (auto& spec : policy->NamedTools()) listed.push_back({std::move(spec), policy::PinState::kUnpinned});
    for (const std::string& name : also_listed) {
      const bool there =
          std::any_of(listed.begin(), listed.end(), [&](const auto& tool) { return tool.spec.name == name; });
      if (there || name.empty()) continue;
      core::ToolSpec spec;
      spec.name = name;
      listed.push_back({std::move(spec), policy::PinState::kUnpinned});
    }
    return policy::ToolCatalogue::Build(std::move(policy), std::move(listed));
  }
  const auto bytes = platform::ReadFile(tools_file, kMaxToolsBytes);
  if (!bytes.ok()) return bytes.error();
  const auto doc = base::JsonDoc::Parse(bytes.value());
  if (!doc.ok()) return doc.error().Under(tools_file);
  base::JsonValue tools = doc.value().root();
  if (tools.Find("result").is_object()) tools = tools.Find("result");
  if (tools.is_object()) tools = tools.Find("tools");
  if (!tools.is_array()) return base::Error(base::ErrorCode::kJsonType, tools_file + ": no array of tools");
  for (const auto tool : tools) {
    auto spec = core::ToolSpecFromMcp(tool, "");
    if (!spec.ok()) return spec.error().Under(tools_file);
    listed.push_back({std::move(spec.value()), policy::PinState::kUnpinned});
  }
  return policy::ToolCatalogue::Build(std::move(policy), std::move(listed));
}

std::string PinsPath(const std::string& given, const std::string& policy_file) {
  if (!given.empty()) return given;
  if (policy_file.empty()) return StateDir() + "/interlock.pins.json";
  const auto folder = std::filesystem::path(policy_file).parent_path();
  return (folder / "interlock.pins.json").string();
}

base::Result<LearnedGraph> GraphFor(const std::string& given, const std::string& policy_file,
                                    std::string_view named_by_policy) {
  std::string path = given;
  if (path.empty() && !named_by_policy.empty())
    path = (std::filesystem::path(policy_file).parent_path() / named_by_policy).string();
  if (path.empty()) return LearnedGraph{};
  if (path == "-") return base::Error(base::ErrorCode::kUsage, "a graph is a file: standard input is the client's");
  auto graph = ReadGraphFile(path);
  if (!graph.ok()) return graph.error();
  return LearnedGraph{bounds::GraphIndex::Build(graph.value()), graph.value().Digest().ToHex()};
}

void PrintError(const base::Error& error) { std::fprintf(stderr, "interlock: %s\n", error.ToString().c_str()); }

}  // namespace interlock::app
