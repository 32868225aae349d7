// Manifests in YAML: environments of conda, pipelines and the actions that they use, settings of Yarn and pnpm.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "static/build_pieces.h"
#include "static/supply_internal.h"
#include "static/yaml_values.h"

namespace interlock::scan {
namespace {

using core::Reach;

bool Says(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::vector<YamlValue> ValuesOf(Sheet& sheet) {
  YamlReading reading = ReadYaml(sheet.text());
  if (!reading.stop.empty()) sheet.Unread(std::move(reading.stop));
  return std::move(reading.values);
}

// A name of conda's: most are not PyPI's, so that only letters that no name may have say anything.
void AddConda(Sheet& sheet, const YamlValue& value) {
  std::string_view name = value.text;
  if (const std::size_t channel = name.find("::"); channel != std::string_view::npos) name.remove_prefix(channel + 2);
  name = Trim(name.substr(0, name.find_first_of("=<>!~ [")));
  if (std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
  AddPep508(sheet, name, value.bytes, false);
}

bool ReadConda(Sheet& sheet, const std::vector<YamlValue>& values) {
  for (const YamlValue& value : values) {
    const std::string_view top = value.at(0);
    if (top == "channels" && value.path.size() == 2 && Says(value.text, "://")) {
      sheet.Source(value.text, value.bytes, "package channel");
    }
    if (top != "dependencies") continue;
    if (value.path.size() == 2) AddConda(sheet, value);
    if (value.path.size() != 4 || value.at(2) != "pip") continue;
    const std::string_view line = value.text;
    const auto after = [&](std::string_view option) {
      return line.starts_with(option) ? Trim(line.substr(std::min(option.size() + 1, line.size())))
                                      : std::string_view();
    };
    if (const std::string_view url = after("--extra-index-url"); !url.empty()) sheet.Index(url, value.bytes, false);
    if (const std::string_view url = after("--index-url"); !url.empty()) sheet.Index(url, value.bytes, true);
    if (!line.starts_with('-')) AddPep508(sheet, line, value.bytes, false);
  }
  return true;
}

// `uses: owner/name@ref` of a look-alike of a well-known action, and what the steps install.
void ReadSteps(Sheet& sheet, const std::vector<YamlValue>& values) {
  for (const YamlValue& value : values) {
    if (value.last() == "run") {
      const std::string commands = WithoutExpressions(value.text);
      ReadInstallCommands(sheet, commands, 0, &value.bytes);
      continue;
    }
    if (value.last() != "uses") continue;
    const std::string_view used = Trim(value.text);
    const std::size_t slash = used.find('/');
    if (slash == std::string_view::npos || used.starts_with('.') || Says(used, "://")) continue;
    const std::string name = LowerCase(used.substr(0, std::min(used.find('@'), used.find('/', slash + 1))));
    const std::optional<NameLikeness> like = LooksLikeAction(name);
    if (!like) continue;
    RawFinding& finding =
        sheet.Raise("SC-003", value.bytes,
                    fmt::format("the action `{}` is one slip from `{}` ({})", name, like->target, like->how), name);
    // On a server, with the secrets of whoever takes the pipeline over; not on the reader's machine.
    finding.scale = 0.8;
    if (sheet.is_own()) finding.reach = Reach::kInstall;
  }
}

bool ReadYarnSettings(Sheet& sheet, const std::vector<YamlValue>& values) {
  for (const YamlValue& value : values) {
    if (value.last() == "npmRegistryServer") {
      // One scope's own registry is how private packages are meant to be fetched.
      if (value.at(0) == "npmScopes") {
        sheet.Source(value.text, value.bytes, "package registry");
      } else {
        sheet.Index(value.text, value.bytes, true);
      }
    }
    if (value.last() == "enableStrictSsl" && value.text == "false") {
      sheet.Raise("SC-012", value.bytes, "installs do not check who they talk to (enableStrictSsl: false)");
    }
  }
  return true;
}

bool ReadPnpmWorkspace(Sheet& sheet, const std::vector<YamlValue>& values) {
  for (const YamlValue& value : values) {
    if (value.at(0) != "overrides" || value.path.size() != 2) continue;
    if (!Says(value.text, "://") && !value.text.starts_with("npm:")) continue;
    std::string_view name = value.last();
    name = name.substr(name.rfind('>') + 1);
    AddNpmSpec(sheet, name.substr(0, name.find('@', 1)), value.text, value.bytes, false, true);
  }
  return true;
}

// `repo:` of pre-commit, `repository:` of a chart, `url:` and `git:` of Dart: what is fetched from there is run.
bool ReadSources(Sheet& sheet, const std::vector<YamlValue>& values) {
  for (const YamlValue& value : values) {
    const std::string_view key = value.last();
    if (key == "repo" || key == "repository" || key == "url" || key == "git" || key == "hosted")
      sheet.Source(value.text, value.bytes, value.text);
  }
  return true;
}

}  // namespace

bool ReadYamlManifest(Sheet& sheet, std::string_view base) {
  if (!base.ends_with(".yml") && !base.ends_with(".yaml")) return false;
  const std::string_view text = sheet.text();
  if (base == ".yarnrc.yml") return ReadYarnSettings(sheet, ValuesOf(sheet));
  if (base == "pnpm-workspace.yaml") return ReadPnpmWorkspace(sheet, ValuesOf(sheet));
  if (base == ".pre-commit-config.yaml" || base == "chart.yaml" || base == "pubspec.yaml")
    return ReadSources(sheet, ValuesOf(sheet));
  if (Says(text, "mcpServers:") || Says(text, "mcp_servers:") ||
      (Says(text, "extensions:") && (Says(text, "cmd:") || Says(text, "uri:")))) {
    ReadYamlServers(sheet, ValuesOf(sheet));
    return true;
  }
  if (Says(text, "dependencies:") && (Says(text, "channels:") || Says(text, "pip:"))) {
    return ReadConda(sheet, ValuesOf(sheet));
  }
  if (Says(text, "steps:") && (Says(text, "uses:") || Says(text, "run:"))) {
    ReadSteps(sheet, ValuesOf(sheet));
    return true;
  }
  return false;
}

}  // namespace interlock::scan
