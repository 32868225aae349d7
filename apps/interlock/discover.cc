#include "discover.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <tuple>

#include "interlock/platform/file.h"

namespace interlock::app {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

constexpr std::size_t kMaxConfigBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxEntries = 2000;  // of one folder

enum class Root : std::uint8_t { kHome, kConfig, kProject, kSystem };
enum class What : std::uint8_t {
  kJson,
  kToml,
  kInstructions,  // a file
  kRules,         // a folder of instruction files
  kSkills,        // a folder of folders with a SKILL.md
  kExtensions,    // a folder of folders with a manifest
  kCodePlugins,   // a folder of scripts that the host loads
};

struct Location {
  std::string_view host;
  std::string_view scope;
  Root root;
  std::string_view path;
  What what;
};

// Where the hosts' documentation says. Paths of both systems are looked at on either: they do not collide.
constexpr std::array kLocations = {
    Location{"claude-code", "user", Root::kHome, ".claude.json", What::kJson},
    Location{"claude-code", "user", Root::kHome, ".claude/settings.json", What::kJson},
    Location{"claude-code", "user", Root::kHome, ".claude/settings.local.json", What::kJson},
    Location{"claude-code", "user", Root::kHome, ".claude/plugins/installed_plugins.json", What::kJson},
    Location{"claude-code", "user", Root::kHome, ".claude/CLAUDE.md", What::kInstructions},
    Location{"claude-code", "user", Root::kHome, ".claude/rules", What::kRules},
    Location{"claude-code", "user", Root::kHome, ".claude/agents", What::kRules},
    Location{"claude-code", "user", Root::kHome, ".claude/commands", What::kRules},
    Location{"claude-code", "user", Root::kHome, ".claude/skills", What::kSkills},
    Location{"claude-code", "project", Root::kProject, ".mcp.json", What::kJson},
    Location{"claude-code", "project", Root::kProject, ".claude/settings.json", What::kJson},
    Location{"claude-code", "project", Root::kProject, ".claude/settings.local.json", What::kJson},
    Location{"claude-code", "project", Root::kProject, "CLAUDE.md", What::kInstructions},
    Location{"claude-code", "project", Root::kProject, "CLAUDE.local.md", What::kInstructions},
    Location{"claude-code", "project", Root::kProject, ".claude/CLAUDE.md", What::kInstructions},
    Location{"claude-code", "project", Root::kProject, ".claude/rules", What::kRules},
    Location{"claude-code", "project", Root::kProject, ".claude/agents", What::kRules},
    Location{"claude-code", "project", Root::kProject, ".claude/commands", What::kRules},
    Location{"claude-code", "project", Root::kProject, ".claude/skills", What::kSkills},
    Location{"claude-code", "managed", Root::kSystem, "/etc/claude-code/managed-settings.json", What::kJson},
    Location{"claude-code", "managed", Root::kSystem, "/etc/claude-code/managed-mcp.json", What::kJson},
    Location{"claude-code", "managed", Root::kSystem, "/etc/claude-code/CLAUDE.md", What::kInstructions},
    Location{"claude-code", "managed", Root::kSystem, "/Library/Application Support/ClaudeCode/managed-settings.json",
             What::kJson},
    Location{"claude-code", "managed", Root::kSystem, "/Library/Application Support/ClaudeCode/managed-mcp.json",
             What::kJson},
    Location{"claude-code", "managed", Root::kSystem, "/Library/Application Support/ClaudeCode/CLAUDE.md",
             What::kInstructions},

    Location{"claude-desktop", "user", Root::kConfig, "Claude/claude_desktop_config.json", What::kJson},
    Location{"claude-desktop", "user", Root::kConfig, "Claude/Claude Extensions", What::kExtensions},
    Location{"claude-desktop", "user", Root::kHome, "Library/Application Support/Claude/claude_desktop_config.json",
             What::kJson},
    Location{"claude-desktop", "user", Root::kHome, "Library/Application Support/Claude/Claude Extensions",
             What::kExtensions},

    Location{"cursor", "user", Root::kHome, ".cursor/mcp.json", What::kJson},
    Location{"cursor", "user", Root::kHome, ".cursor/hooks.json", What::kJson},
    Location{"cursor", "user", Root::kHome, ".cursor/skills", What::kSkills},
    Location{"cursor", "user", Root::kHome, ".cursor/commands", What::kRules},
    Location{"cursor", "project", Root::kProject, ".cursor/mcp.json", What::kJson},
    Location{"cursor", "project", Root::kProject, ".cursor/hooks.json", What::kJson},
    Location{"cursor", "project", Root::kProject, ".cursor/rules", What::kRules},
    Location{"cursor", "project", Root::kProject, ".cursor/commands", What::kRules},
    Location{"cursor", "project", Root::kProject, ".cursor/skills", What::kSkills},
    Location{"cursor", "project", Root::kProject, ".cursorrules", What::kInstructions},
    Location{"cursor", "managed", Root::kSystem, "/etc/cursor/hooks.json", What::kJson},
    Location{"cursor", "managed", Root::kSystem, "/Library/Application Support/Cursor/hooks.json", What::kJson},

    Location{"vscode", "user", Root::kConfig, "Code/User/mcp.json", What::kJson},
    Location{"vscode", "user", Root::kConfig, "Code/User/settings.json", What::kJson},
    Location{"vscode", "user", Root::kConfig, "Code/User/prompts", What::kRules},
    Location{"vscode", "user", Root::kHome, "Library/Application Support/Code/User/mcp.json", What::kJson},
    Location{"vscode", "user", Root::kHome, "Library/Application Support/Code/User/settings.json", What::kJson},
    Location{"vscode", "user", Root::kHome, "Library/Application Support/Code/User/prompts", What::kRules},
    Location{"vscode", "user", Root::kHome, ".copilot/mcp-config.json", What::kJson},
    Location{"vscode", "user", Root::kHome, ".copilot/skills", What::kSkills},
    Location{"vscode", "project", Root::kProject, ".vscode/mcp.json", What::kJson},
    Location{"vscode", "project", Root::kProject, ".vscode/settings.json", What::kJson},
    Location{"vscode", "project", Root::kProject, ".github/copilot-instructions.md", What::kInstructions},
    Location{"vscode", "project", Root::kProject, ".github/instructions", What::kRules},
    Location{"vscode", "project", Root::kProject, ".github/prompts", What::kRules},
    Location{"vscode", "project", Root::kProject, ".github/agents", What::kRules},
    Location{"vscode", "project", Root::kProject, ".github/skills", What::kSkills},

    Location{"codex", "user", Root::kHome, ".codex/config.toml", What::kToml},
    Location{"codex", "user", Root::kHome, ".codex/hooks.json", What::kJson},
    Location{"codex", "user", Root::kHome, ".codex/AGENTS.md", What::kInstructions},
    Location{"codex", "user", Root::kHome, ".codex/prompts", What::kRules},
    Location{"codex", "user", Root::kHome, ".codex/skills", What::kSkills},
    Location{"codex", "project", Root::kProject, ".codex/config.toml", What::kToml},
    Location{"codex", "project", Root::kProject, ".codex/hooks.json", What::kJson},
    Location{"codex", "project", Root::kProject, ".codex/skills", What::kSkills},
    Location{"codex", "managed", Root::kSystem, "/etc/codex/config.toml", What::kToml},

    Location{"gemini", "user", Root::kHome, ".gemini/settings.json", What::kJson},
    Location{"gemini", "user", Root::kHome, ".gemini/GEMINI.md", What::kInstructions},
    Location{"gemini", "user", Root::kHome, ".gemini/extensions", What::kExtensions},
    Location{"gemini", "user", Root::kHome, ".gemini/skills", What::kSkills},
    Location{"gemini", "project", Root::kProject, ".gemini/settings.json", What::kJson},
    Location{"gemini", "project", Root::kProject, ".gemini/extensions", What::kExtensions},
    Location{"gemini", "project", Root::kProject, ".gemini/skills", What::kSkills},
    Location{"gemini", "project", Root::kProject, "GEMINI.md", What::kInstructions},
    Location{"gemini", "managed", Root::kSystem, "/etc/gemini-cli/settings.json", What::kJson},
    Location{"gemini", "managed", Root::kSystem, "/Library/Application Support/GeminiCli/settings.json", What::kJson},

    Location{"windsurf", "user", Root::kHome, ".codeium/windsurf/mcp_config.json", What::kJson},
    Location{"windsurf", "user", Root::kHome, ".codeium/windsurf/hooks.json", What::kJson},
    Location{"windsurf", "user", Root::kHome, ".codeium/windsurf/memories/global_rules.md", What::kInstructions},
    Location{"windsurf", "user", Root::kHome, ".codeium/windsurf/skills", What::kSkills},
    Location{"windsurf", "project", Root::kProject, ".windsurf/mcp_config.json", What::kJson},
    Location{"windsurf", "project", Root::kProject, ".windsurf/hooks.json", What::kJson},
    Location{"windsurf", "project", Root::kProject, ".windsurf/rules", What::kRules},
    Location{"windsurf", "project", Root::kProject, ".windsurf/workflows", What::kRules},
    Location{"windsurf", "project", Root::kProject, ".windsurf/skills", What::kSkills},
    Location{"windsurf", "project", Root::kProject, ".windsurfrules", What::kInstructions},

    Location{"opencode", "user", Root::kConfig, "opencode/opencode.json", What::kJson},
    Location{"opencode", "user", Root::kConfig, "opencode/opencode.jsonc", What::kJson},
    Location{"opencode", "user", Root::kConfig, "opencode/AGENTS.md", What::kInstructions},
    Location{"opencode", "user", Root::kConfig, "opencode/plugin", What::kCodePlugins},
    Location{"opencode", "user", Root::kConfig, "opencode/plugins", What::kCodePlugins},
    Location{"opencode", "user", Root::kConfig, "opencode/skill", What::kSkills},
    Location{"opencode", "user", Root::kConfig, "opencode/skills", What::kSkills},
    Location{"opencode", "project", Root::kProject, "opencode.json", What::kJson},
    Location{"opencode", "project", Root::kProject, "opencode.jsonc", What::kJson},
    Location{"opencode", "project", Root::kProject, ".opencode/plugin", What::kCodePlugins},
    Location{"opencode", "project", Root::kProject, ".opencode/plugins", What::kCodePlugins},
    Location{"opencode", "project", Root::kProject, ".opencode/skill", What::kSkills},
    Location{"opencode", "project", Root::kProject, ".opencode/skills", What::kSkills},

    // Read by several hosts.
    Location{"agents", "project", Root::kProject, "AGENTS.md", What::kInstructions},
    Location{"agents", "project", Root::kProject, ".agents/skills", What::kSkills},
    Location{"agents", "user", Root::kHome, ".agents/skills", What::kSkills},
};

class Discoverer {
 public:
  explicit Discoverer(const DiscoverRoots& roots) : roots_(roots) {}

  Discovery Run() {
    for (const Location& location : kLocations) {
      const std::string path = PathOf(location);
      if (!path.empty()) Look(location, path);
    }
    std::stable_sort(out_.items.begin(), out_.items.end(), [](const DiscoveredItem& a, const DiscoveredItem& b) {
      return std::tie(a.host, a.scope, a.kind, a.name, a.file) < std::tie(b.host, b.scope, b.kind, b.name, b.file);
    });
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string PathOf(const Location& location) const {
    const std::string path(location.path);
    switch (location.root) {
      case Root::kHome:
        return roots_.home.empty() ? "" : roots_.home + "/" + path;
      case Root::kConfig:
        if (!roots_.config_home.empty()) return roots_.config_home + "/" + path;
        return roots_.home.empty() ? "" : roots_.home + "/.config/" + path;
      case Root::kProject:
        return roots_.project.empty() ? "" : roots_.project + "/" + path;
      case Root::kSystem:
        return roots_.system + path;
    }
    return {};
  }

  void Look(const Location& location, const std::string& path) {
    std::error_code ignored;
    switch (location.what) {
      case What::kJson:
        return Config(location, path, scan::HostSyntax::kJson);
      case What::kToml:
        return Config(location, path, scan::HostSyntax::kToml);
      case What::kInstructions:
        if (fs::is_regular_file(path, ignored)) Add(location, "instructions", fs::path(path).filename(), path);
        return;
      case What::kRules:
        for (const fs::path& entry : List(path))
          if (fs::is_regular_file(entry, ignored)) Add(location, "instructions", entry.filename(), entry);
        return;
      case What::kSkills:
        for (const fs::path& entry : List(path))
          if (fs::is_regular_file(entry / "SKILL.md", ignored)) Add(location, "skill", entry.filename(), entry);
        return;
      case What::kExtensions:
        for (const fs::path& entry : List(path)) Extension(location, entry);
        return;
      case What::kCodePlugins:
        for (const fs::path& entry : List(path)) {
          const std::string suffix = entry.extension();
          if (suffix == ".ts" || suffix == ".js" || suffix == ".mjs") Add(location, "plugin", entry.filename(), entry);
        }
        return;
    }
  }

  [[nodiscard]] std::vector<fs::path> List(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (entries.size() >= kMaxEntries) {
        out_.problems.push_back({folder, base::Error(ErrorCode::kLimitExceeded, "more entries than are listed")});
        break;
      }
      entries.push_back(it->path());
    }
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  DiscoveredItem& Add(const Location& location, std::string_view kind, std::string name, const std::string& path) {
    DiscoveredItem item;
    item.host = location.host;
    item.scope = location.scope;
    item.kind = kind;
    item.name = std::move(name);
    item.file = path;
    item.package = path;
    out_.items.push_back(std::move(item));
    return out_.items.back();
  }

  void Extension(const Location& location, const fs::path& folder) {
    std::error_code ignored;
    for (const std::string_view manifest : {"manifest.json", "gemini-extension.json"}) {
      const fs::path file = folder / manifest;
      if (!fs::is_regular_file(file, ignored)) continue;
      DiscoveredItem& item = Add(location, "plugin", folder.filename(), folder);
      item.file = file;
      Config(location, file, scan::HostSyntax::kJson);
    }
  }

  void Config(const Location& location, const std::string& path, scan::HostSyntax syntax) {
    auto bytes = platform::ReadFile(path, kMaxConfigBytes);
    if (!bytes.ok()) {
      if (bytes.error().code() != ErrorCode::kFileNotFound) out_.problems.push_back({path, bytes.error()});
      return;
    }
    out_.files.push_back(path);
    const auto config = scan::ParseHostConfig(syntax, bytes.value());
    if (!config.ok()) {
      out_.problems.push_back({path, config.error()});
      return;
    }
    for (const scan::ConfiguredServer& server : config.value().servers) Server(location, path, server);
    for (const scan::ConfiguredHook& hook : config.value().hooks) Hook(location, path, hook);
    for (const scan::ConfiguredPlugin& plugin : config.value().plugins) Plugin(location, path, plugin);
  }

  void Server(const Location& location, const std::string& path, const scan::ConfiguredServer& server) {
    DiscoveredItem& item = Add(location, "mcp-server", server.name, path);
    item.line = server.line;
    item.enabled = server.enabled;
    item.detail = server.command.empty() ? scan::PrintableUrl(server.url) : scan::PrintableCommand(server.command);
    if (!server.project.empty()) item.scope = "project";
    for (const auto& [name, value] : server.environment) item.environment.push_back(name);
    for (const auto& [name, value] : server.headers) item.header_names.push_back(name);
    item.server = server;
    if (item.server.cwd.empty()) item.server.cwd = !server.project.empty() ? server.project : FolderOfStart(location);
    item.package = SourceOf(item.server);
  }

  [[nodiscard]] std::string FolderOfStart(const Location& location) const {
    return location.root == Root::kProject ? roots_.project : "";
  }

  void Hook(const Location& location, const std::string& path, const scan::ConfiguredHook& hook) {
    DiscoveredItem& item =
        Add(location, "hook", hook.event + (hook.matcher.empty() ? "" : "(" + hook.matcher + ")"), path);
    item.line = hook.line;
    item.detail = hook.type == "http" || hook.type == "url" ? scan::PrintableUrl(hook.command)
                                                            : scan::PrintableShell(hook.command);
    item.package = "";
  }

  void Plugin(const Location& location, const std::string& path, const scan::ConfiguredPlugin& plugin) {
    std::error_code ignored;
    DiscoveredItem& item = Add(location, "plugin", plugin.name, path);
    item.line = plugin.line;
    item.enabled = plugin.enabled;
    item.package = !plugin.path.empty() && fs::is_directory(plugin.path, ignored) ? plugin.path : "";
    if (item.package.empty() || !folders_.insert(plugin.path).second) return;
    // What it brings along is set up with it.
    const Location inside{location.host, "plugin", Root::kSystem, "", What::kJson};
    Config(inside, plugin.path + "/.mcp.json", scan::HostSyntax::kJson);
    Config(inside, plugin.path + "/hooks/hooks.json", scan::HostSyntax::kJson);
  }

  // The server's own files, where the command names them: the package around the script, or the script.
  [[nodiscard]] std::string SourceOf(const scan::ConfiguredServer& server) const {
    constexpr int kLevels = 3;
    std::error_code ignored;
    for (const std::string& word : server.command) {
      if (word.empty() || word.starts_with('-')) continue;
      fs::path script(word);
      if (script.is_relative()) {
        if (server.cwd.empty() || word.find('/') == std::string::npos) continue;
        script = fs::path(server.cwd) / script;
      }
      static constexpr std::array kScripts = {std::string_view(".js"),  std::string_view(".mjs"),
                                              std::string_view(".cjs"), std::string_view(".ts"),
                                              std::string_view(".py"),  std::string_view(".sh")};
      const std::string suffix = script.extension();
      if (std::find(kScripts.begin(), kScripts.end(), suffix) == kScripts.end()) continue;
      if (!fs::is_regular_file(script, ignored)) continue;
      fs::path folder = script.parent_path();
      for (int level = 0; level < kLevels && folder != folder.root_path() && folder != roots_.home; ++level) {
        for (const std::string_view manifest : {"package.json", "pyproject.toml", "setup.py"})
          if (fs::is_regular_file(folder / manifest, ignored)) return folder;
        folder = folder.parent_path();
      }
      return script;
    }
    return {};
  }

  const DiscoverRoots& roots_;
  Discovery out_;
  std::set<std::string> folders_;
};

}  // namespace

Discovery Discover(const DiscoverRoots& roots) { return Discoverer(roots).Run(); }

}  // namespace interlock::app
