#include "static/build_pieces.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "code/shell.h"
#include "code/vendors.h"
#include "fmt/format.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/yaml_values.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMostPiece = std::size_t{512} << 10U;
constexpr std::size_t kMostPieces = 64'000;
constexpr std::size_t kMostText = std::size_t{512} << 10U;
constexpr std::string_view kAllSecrets = "ALL_SECRETS_TOKEN";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The last key of a path that is no number.
std::string_view KeyOf(const YamlValue& value) {
  for (std::size_t i = value.path.size(); i-- > 0;) {
    if (!IsNumber(value.path[i])) return value.path[i];
  }
  return {};
}

std::vector<YamlValue> ValuesOf(const FileContext& file, BuildSettings& settings) {
  YamlReading reading = ReadYaml(file.text());
  settings.stop = std::move(reading.stop);
  return std::move(reading.values);
}

void Add(BuildSettings& settings, std::string commands, base::ByteSpan bytes, bool at_once, bool installs) {
  if (settings.pieces.size() >= kMostPieces || Trim(commands).empty()) return;
  if (commands.size() > kMostPiece) commands.resize(kMostPiece);
  settings.pieces.push_back({std::move(commands), bytes, at_once, installs});
}

RawFinding& Raise(BuildSettings& settings, const FileContext& file, std::string_view rule, base::ByteSpan bytes,
                  std::string message) {
  RawFinding& finding = settings.findings.emplace_back();
  finding.rule = rule;
  finding.file = file.index;
  finding.bytes = bytes;
  finding.message = std::move(message);
  if (file.reach == Reach::kBuild || file.reach == Reach::kDocument) {
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
  }
  return finding;
}

// All secrets of a pipeline in a command that sends, stores or prints them.
bool GivesAway(std::string_view commands, bool keeps_files) {
  const std::string lower = LowerCase(commands);
  if (SaysAny(lower, {"curl ", "wget ", "invoke-webrequest", "invoke-restmethod", "iwr ", "irm ", "nc ", "ncat ",
                      "fetch(", "urlopen", "requests.", "https.request", "axios", "/dev/tcp/", "nslookup ", "dig "})) {
    return true;
  }
  const bool writes = lower.find('>') != std::string::npos || SaysAny(lower, {"tee ", "set-content", "out-file"});
  if (writes && keeps_files) return true;
  // Encoded, the log does not black it out.
  return SaysAny(lower, {"base64", "xxd", "openssl enc", "| rev"}) && !writes;
}

// Steps of GitHub, GitLab, CircleCI and others: whatever stands where a command does.
void ReadPipeline(const FileContext& file, BuildSettings& settings) {
  const std::vector<YamlValue> values = ValuesOf(file, settings);
  std::map<std::string, std::string, std::less<>> environment;  // variables that hold secrets
  bool keeps_files = false;
  for (const YamlValue& value : values) {
    keeps_files = keeps_files || (value.last() == "uses" && value.text.find("upload-artifact") != std::string::npos);
    if (value.path.size() < 2 || value.path[value.path.size() - 2] != "env" || environment.size() > 100) continue;
    const std::string given = WithoutExpressions(value.text);
    if (given.find('$') != std::string::npos) environment.insert_or_assign(value.path.back(), given);
  }
  const bool self_hosted = file.text().find("self-hosted") != std::string_view::npos;
  for (const YamlValue& value : values) {
    const std::string_view key = KeyOf(value);
    // `run: ...`, or `run: {command: ...}` of CircleCI.
    if (!Among(key, {"run", "script", "before_script", "after_script", "command", "commands", "bash", "pwsh",
                     "powershell", "inlineScript", "shellScript"})) {
      continue;
    }
    // A machine of somebody's own runs what anybody writes below a page.
    if (self_hosted && SaysAny(value.text, {"github.event.discussion.body", "github.event.comment.body",
                                            "github.event.issue.body", "github.event.discussion.title"})) {
      RawFinding& finding = Raise(settings, file, "VULN-001", value.bytes,
                                  "has a shell of a machine of one's own read what anybody may write into a comment");
      finding.severity = core::Severity::kCritical;
    }
    std::string commands;
    for (const auto& [name, given] : environment) {
      if (value.text.find(name) != std::string::npos) commands += fmt::format("{}=\"{}\"\n", name, given);
    }
    commands += WithoutExpressions(value.text);
    if (commands.find(kAllSecrets) != std::string::npos && GivesAway(commands, keeps_files)) {
      Raise(settings, file, "SH-004", value.bytes, "sends or stores all secrets of a pipeline").scale = 0.95;
    }
    const bool action = settings.place == BuildPlace::kAction;
    Add(settings, std::move(commands), value.bytes, false, action);
  }
}

struct Service {
  base::ByteSpan root;    // where the host's root folder is mounted so that it can be written
  base::ByteSpan socket;  // the socket by which containers are made
  bool privileged = false;
  bool host_processes = false;
};

// ":ro", ":ro,z"
bool IsReadOnly(std::string_view mount) {
  const std::size_t at = mount.rfind(":ro");
  return at != std::string_view::npos && (at + 3 == mount.size() || mount[at + 3] == ',');
}

void ReadCompose(const FileContext& file, BuildSettings& settings) {
  std::map<std::string, Service> services;
  std::map<std::string, YamlValue> mounts;  // type: bind / source: / of one element, by its path
  for (const YamlValue& value : ValuesOf(file, settings)) {
    if (value.at(0) != "services" || value.path.size() < 3) continue;
    Service& service = services[value.path[1]];
    const std::string_view key = value.at(2);
    const std::string& text = value.text;
    if (key == "privileged" && text == "true") service.privileged = true;
    if (key == "pid" && text == "host") service.host_processes = true;
    if (key == "cap_add" && (text == "SYS_ADMIN" || text == "ALL" || text == "SYS_PTRACE" || text == "SYS_MODULE"))
      service.privileged = true;
    if (key == "volumes" && value.path.size() == 4) {
      const bool whole = text.starts_with("/:/") && !IsReadOnly(text);
      if (whole && service.root.end == 0) service.root = value.bytes;
      if (text.find("/docker.sock:") != std::string::npos || text.find("/containerd.sock:") != std::string::npos)
        service.socket = value.bytes;
    }
    if (key == "volumes" && value.path.size() == 5) {
      const std::string element = value.path[1] + "/" + value.path[3];
      if (value.last() == "source" && (text == "/" || text.ends_with("docker.sock"))) mounts[element] = value;
      if (value.last() == "read_only" && text == "true") mounts.erase(element);
    }
    if ((key == "command" || key == "entrypoint" || key == "post_start") && value.path.size() == 3) {
      Add(settings, text, value.bytes, false, true);
    } else if (key == "command" || key == "entrypoint") {
      // A list: a program and what it is given.
      const bool first = value.last() == "0";
      if (first) {
        Add(settings, text, value.bytes, false, true);
      } else if (!settings.pieces.empty() && settings.pieces.back().commands.size() < kMostPiece) {
        settings.pieces.back().commands += " " + code::ShellQuoted(text);
      }
    }
  }
  for (const auto& [element, value] : mounts) {
    Service& service = services[value.path[1]];
    (value.text == "/" ? service.root : service.socket) = value.bytes;
  }
  for (const auto& [name, service] : services) {
    if (service.root.end == 0 || (!service.privileged && !service.host_processes && service.socket.end == 0)) continue;
    std::string with;
    if (service.privileged) with += ", privileged";
    if (service.host_processes) with += ", among the host's processes";
    if (service.socket.end != 0) with += ", with the socket that makes containers";
    RawFinding& finding = Raise(settings, file, "ESCAPE-001", service.root,
                                fmt::format("`{}` is given the host's root folder to write{}", name, with));
    finding.subject = name.substr(0, 80);
    // Each of them alone has honest uses, all of them together are the host.
    finding.scale = service.privileged || service.host_processes ? 1.0 : 0.5;
  }
}

// Recipes of `just` and of Task: as a makefile's.
void ReadJustfile(const FileContext& file, BuildSettings& settings) {
  const std::string_view text = file.text().substr(0, kMostText);
  BuildPiece piece;
  bool named = false;
  const auto close = [&] {
    Add(settings, std::move(piece.commands), piece.bytes, false, piece.installs);
    piece = {};
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t begin = at;
    at = end + 1;
    if (Trim(line).empty()) continue;
    if (line.front() == ' ' || line.front() == '\t') {
      std::string_view command = Trim(line);
      while (!command.empty() && (command.front() == '@' || command.front() == '-')) command.remove_prefix(1);
      if (piece.bytes.end == 0) piece.bytes.begin = begin;
      piece.bytes.end = end;
      if (piece.commands.size() < kMostPiece) piece.commands += std::string(command) + "\n";
      continue;
    }
    // `x := `command``: run whenever the file is read.
    const std::size_t open = line.find('`');
    const std::size_t shut = open == std::string_view::npos ? open : line.find('`', open + 1);
    if (shut != std::string_view::npos && line.find(":=") < open) {
      Add(settings, std::string(line.substr(open + 1, shut - open - 1)), {begin, end}, true, true);
      continue;
    }
    if (line.front() == '#' || line.find(':') == std::string_view::npos) continue;
    close();
    piece.installs = !named || line.starts_with("install") || line.starts_with("setup") || line.starts_with("build") ||
                     line.starts_with("default") || line.starts_with("all");
    named = true;
  }
  close();
}

void ReadTaskfile(const FileContext& file, BuildSettings& settings) {
  std::string first;
  for (const YamlValue& value : ValuesOf(file, settings)) {
    // tasks / name / cmds / 0, or / 0 / cmd; vars / x / sh is run when it is needed.
    const bool own = value.at(0) == "tasks";
    const bool sets = KeyOf(value) == "sh" && value.path.size() >= 3 && value.path[value.path.size() - 3] == "vars";
    if (own && first.empty()) first = value.at(1);
    if (!sets && (!own || !Among(KeyOf(value), {"cmds", "cmd", value.path.size() > 1 ? value.at(1) : "cmd"}))) continue;
    const std::string_view name = value.at(1);
    Add(settings, value.text, value.bytes, sets,
        sets || name == first || Among(name, {"default", "install", "setup", "build", "all"}));
  }
}

// `key = value` of an ini or TOML file in a section, a list over several lines or a block between three quotes as one.
void ReadIniCommands(const FileContext& file, BuildSettings& settings,
                     bool (*runs)(std::string_view section, std::string_view key)) {
  const std::string_view text = file.text().substr(0, kMostText);
  std::string section;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = Trim(text.substr(at, end - at));
    at = end + 1;
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      section = line.substr(0, line.find(']'));
      continue;
    }
    const std::size_t equal = line.find('=');
    if (equal == std::string_view::npos) continue;
    std::string key(Trim(line.substr(0, equal)));
    std::erase_if(key, [](char c) { return c == '"' || c == '\''; });
    if (!runs(section, key)) continue;
    std::string value(Trim(line.substr(equal + 1)));
    const bool block = value.starts_with("\"\"\"") || value.starts_with("'''");
    const bool list = value.starts_with("[") && value.find(']') == std::string::npos;
    while (at < text.size() && value.size() < kMostPiece) {
      const std::size_t next = std::min(text.find('\n', at), text.size());
      const std::string_view more = text.substr(at, next - at);
      const bool indented = !more.empty() && (more.front() == ' ' || more.front() == '\t');
      if (block ? value.size() > 3 && value.find(value.substr(0, 3), 3) != std::string::npos : !(list || indented))
        break;
      at = next + 1;
      end = next;
      value += '\n';
      value += Trim(more);
      if (list && more.find(']') != std::string_view::npos) break;
    }
    std::string commands;
    if (value.starts_with('[') || value.starts_with('{')) {
      // Each quoted text is a command.
      for (std::size_t i = 0; i < value.size();) {
        const std::size_t open = value.find_first_of("\"'", i);
        const std::size_t shut = open == std::string::npos ? open : value.find(value[open], open + 1);
        if (shut == std::string::npos) break;
        commands += value.substr(open + 1, shut - open - 1) + "\n";
        i = shut + 1;
      }
    } else {
      const std::size_t from = value.find_first_not_of("\"'\n");
      const std::size_t to = value.find_last_not_of("\"'\n");
      if (from != std::string::npos) commands = value.substr(from, to - from + 1);
    }
    const bool opens = settings.place == BuildPlace::kOpens;
    Add(settings, std::move(commands), {begin, end}, opens, opens);
  }
}

}  // namespace

std::string WithoutExpressions(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("${{", at);
    const std::size_t shut = open == std::string_view::npos ? open : text.find("}}", open);
    if (shut == std::string_view::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, open - at);
    const std::string_view inner = Trim(text.substr(open + 3, shut - open - 3));
    const std::string lower = LowerCase(inner);
    constexpr std::string_view kSecrets = "secrets.";
    if (lower.starts_with("tojson(secrets") || lower.starts_with("tojson( secrets")) {
      out += fmt::format("${{{}}}", kAllSecrets);
    } else if (lower == "github.token") {
      out += "${GITHUB_TOKEN}";
    } else if (lower.starts_with(kSecrets)) {
      std::string name(inner.substr(kSecrets.size()));
      name = name.substr(0, name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"));
      if (!code::IsSecretName(name)) name += "_TOKEN";
      out += "${" + name + "}";
    } else {
      out += '_';
    }
    at = shut + 2;
  }
  return out;
}

BuildSettings PiecesOfSettings(const FileContext& file) {
  BuildSettings settings;
  const std::string path = LowerCase(file.file->path);
  const std::string_view base = BaseName(path);
  if (base == "justfile" || base == ".justfile" || base.ends_with(".just")) {
    ReadJustfile(file, settings);
    return settings;
  }
  if (base == ".envrc") {
    settings.place = BuildPlace::kOpens;
    Add(settings, std::string(file.text().substr(0, kMostPiece)), {0, file.text().size()}, true, true);
    return settings;
  }
  // Run by git at each commit and push of whoever works in the folder.
  const bool hooks = path.find(".husky/") != std::string::npos || path.find(".githooks/") != std::string::npos ||
                     path.find(".git-hooks/") != std::string::npos;
  if (hooks && path.find("/_/") == std::string::npos && IsText(file.type) && file.type != FileType::kMarkdown &&
      file.type != FileType::kJavaScript && file.type != FileType::kPython) {
    settings.place = BuildPlace::kOpens;
    Add(settings, std::string(file.text().substr(0, kMostPiece)), {0, file.text().size()}, true, true);
    return settings;
  }
  if (base == "mise.toml" || base == ".mise.toml" || path.ends_with("mise/config.toml")) {
    settings.place = BuildPlace::kOpens;
    ReadIniCommands(file, settings, [](std::string_view section, std::string_view) {
      return section.starts_with("[hooks") || section.starts_with("[[hooks");
    });
    return settings;
  }
  if (base == "tox.ini") {
    ReadIniCommands(file, settings, [](std::string_view, std::string_view key) {
      return key == "commands" || key == "commands_pre" || key == "install_command";
    });
    return settings;
  }
  if (!base.ends_with(".yml") && !base.ends_with(".yaml")) return settings;
  const std::string_view text = file.text().substr(0, kMostText);
  const auto says = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (base == ".pre-commit-config.yaml") {
    for (const YamlValue& value : ValuesOf(file, settings)) {
      if (value.last() == "entry") Add(settings, value.text, value.bytes, false, true);
    }
    return settings;
  }
  if (Among(base, {"taskfile.yml", "taskfile.yaml", "taskfile.dist.yml"})) {
    ReadTaskfile(file, settings);
  } else if ((base.find("compose") != std::string_view::npos || says("\n    image:") || says("\n    build:")) &&
             (says("\nservices:") || text.starts_with("services:"))) {
    settings.place = BuildPlace::kContainer;
    ReadCompose(file, settings);
  } else if ((base == "action.yml" || base == "action.yaml") && says("runs:")) {
    settings.place = BuildPlace::kAction;
    ReadPipeline(file, settings);
  } else if ((says("runs-on:") && says("steps:")) || IsPipelinePath(path)) {
    settings.place = BuildPlace::kPipeline;
    ReadPipeline(file, settings);
  }
  return settings;
}

bool IsPipelinePath(std::string_view lower_path) {
  const std::string_view base = BaseName(lower_path);
  return SaysAny(lower_path, {".github/workflows/", ".gitea/workflows/"}) ||
         lower_path.ends_with(".circleci/config.yml") || base.starts_with("azure-pipelines") ||
         Among(base, {".gitlab-ci.yml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml"});
}

std::size_t SendsAllSecrets(std::string_view lower) {
  const std::size_t all = lower.find("tojson(secrets)");
  const bool sends = SaysAny(lower, {"curl ", "wget ", "invoke-webrequest", " nc ", "fetch("});
  return sends ? all : std::string_view::npos;
}

}  // namespace interlock::scan
