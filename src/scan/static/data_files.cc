#include "static/data_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "code/places.h"
#include "fmt/format.h"
#include "static/ascii.h"
#include "static/build_pieces.h"
#include "static/classify.h"
#include "static/estate_files.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxRead = std::size_t{256} << 10U;  // bytes of one file
constexpr double kOfNode = 0.5;                            // daemons of a node have to see it
constexpr double kOfReader = 1.0;                          // the highest role, for who says that he only reads ...
constexpr double kOfShared = 0.7;                          // ... for all that have no account of their own
constexpr double kOfServer = 0.45;                         // ... and for a server that manages

RawFinding& Raise(std::vector<RawFinding>& out, const FileContext& file, std::string_view rule, base::ByteSpan bytes,
                  std::string message) {
  RawFinding& finding = out.emplace_back();
  finding.rule = rule;
  finding.file = file.index;
  finding.bytes = bytes;
  finding.message = std::move(message);
  return finding;
}

// One document of a manifest, from its kind to the next.
struct ManifestPart {
  std::string_view text;
  std::size_t at = 0;
};

std::vector<ManifestPart> PartsOf(std::string_view text) {
  constexpr std::string_view kNext = "\n---";
  std::vector<ManifestPart> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(kNext, at), text.size());
    parts.push_back({text.substr(at, end - at), at});
    at = std::min(end + kNext.size(), text.size());
  }
  return parts;
}

// hostPath: {path: /}
bool MountsRoot(std::string_view text) {
  for (std::size_t at = text.find("hostpath:"); at != std::string_view::npos; at = text.find("hostpath:", at + 1)) {
    const std::string_view rest = text.substr(at, 80);
    const std::size_t path = rest.find("path: ", 9);
    if (path == std::string_view::npos) continue;
    std::string_view value = rest.substr(path + 6, rest.find_first_of("\r\n},", path) - path - 6);
    value = value.substr(0, value.find('#'));
    while (!value.empty() && std::string_view(" \"'").find(value.back()) != std::string_view::npos)
      value.remove_suffix(1);
    while (!value.empty() && std::string_view(" \"'").find(value.front()) != std::string_view::npos)
      value.remove_prefix(1);
    if (value == "/") return true;
  }
  return false;
}

// What a chart asks for the package itself: all that the node has, the highest role of the cluster.
void JudgeChart(const FileContext& file, std::string_view text, bool only_reads, std::vector<RawFinding>& out) {
  constexpr std::string_view kPrivileged = "privileged: true";
  constexpr std::string_view kBinding = "kind: clusterrolebinding";
  for (const ManifestPart& part : PartsOf(text)) {
    const std::size_t privileged = part.text.find(kPrivileged);
    if (privileged != std::string_view::npos && MountsRoot(part.text)) {
      const std::size_t at = part.at + privileged;
      Raise(out, file, "ESCAPE-001", {at, at + kPrivileged.size()},
            "a privileged container is given the node's root folder")
          .scale = SaysAny(part.text, {"kind: daemonset"}) ? kOfNode : 1.0;
    }
    const std::size_t binding = part.text.find(kBinding);
    if (binding != std::string_view::npos && SaysAny(part.text, {"name: cluster-admin"})) {
      const std::size_t at = part.at + binding;
      const bool everybody =
          SaysAny(part.text, {"system:unauthenticated", "system:anonymous", "name: system:authenticated"});
      const bool shared = SaysAny(part.text, {"serviceaccount, name: default,", "serviceaccount\n    name: default\n",
                                              "serviceaccount\n  name: default\n"});
      Raise(out, file, "GRANT-001", {at, at + kBinding.size()},
            everybody ? "gives everybody the highest role of a cluster"
            : shared  ? "gives the highest role of a cluster to whatever runs there without an account of its own"
                      : "takes the highest role of the cluster")
          .scale = everybody    ? 1.2
                   : only_reads ? kOfReader
                   : shared     ? kOfShared
                                : kOfServer;
    }
  }
}

// What manifests of clusters and pipelines hand over: the whole machine, every secret, a shell for whoever comments.
void JudgeManifest(const FileContext& file, bool only_reads, std::vector<RawFinding>& out) {
  const std::string text = LowerCase(file.text().substr(0, kMaxRead));
  const auto raise = [&](std::string_view rule, std::size_t at, std::size_t size, std::string message, double scale) {
    Raise(out, file, rule, {at, at + size}, std::move(message)).scale = scale;
  };
  const std::size_t privileged = text.find("privileged: true");
  const bool enters =
      SaysAny(text, {"nsenter -t 1", "nsenter --target 1", "chroot /host", "/host/etc/", "release_agent"});
  if (privileged != std::string::npos && enters && SaysAny(text, {"hostpath:", "/:/host", "- /:/"})) {
    raise("ESCAPE-001", privileged, 16, "a privileged container enters the machine that it runs on", 0.95);
  }
  JudgeChart(file, text, only_reads, out);
  if (const std::size_t all = SendsAllSecrets(text); all != std::string_view::npos) {
    raise("SH-004", all, 15, "sends all secrets of a pipeline out", 0.95);
  }
  // run: echo "${{ github.event.issue.title }}"
  for (const std::string_view given :
       {"github.event.comment.body", "github.event.issue.title", "github.event.issue.body",
        "github.event.pull_request.title", "github.event.pull_request.body", "github.head_ref"}) {
    for (std::size_t at = text.find(given); at != std::string::npos; at = text.find(given, at + 1)) {
      // Where a variable of the environment or a condition takes it, no shell reads it.
      const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
      std::string_view before = std::string_view(text).substr(line, at - line);
      before.remove_prefix(std::min(before.find_first_not_of(" -"), before.size()));
      if (before.find("${{") == std::string_view::npos || before.starts_with("if:")) continue;
      const std::size_t colon = before.find(": ");
      const bool field = colon != std::string_view::npos && colon < before.find("${{") &&
                         before.substr(0, colon).find_first_of(" \"'=$") == std::string_view::npos;
      if (field && !before.starts_with("run:")) continue;
      raise("VULN-001", at, given.size(), "has a shell read what anybody may write into a comment or a title", 1.0);
      return;
    }
  }
}

// Whether `called` opens with a function of Python that runs, loads or deletes what it is given.
bool NamesHarm(std::string_view called) {
  constexpr auto kHarmful = std::to_array<std::string_view>(
      {"subprocess.", "os.system", "os.popen", "os.exec", "os.spawn", "os.remove", "os.kill", "posix.system",
       "builtins.exec", "builtins.eval", "builtins.compile", "__builtin__.e", "runpy.", "pty.spawn", "shutil.rmtree",
       "ctypes.", "pickle.", "marshal.", "code.interact"});
  return std::ranges::any_of(kHarmful, [&](std::string_view name) { return called.starts_with(name); });
}

// {"()": "subprocess.getoutput", "cmd": "..."}: whoever sets up logging by the file calls what it names.
void JudgeLogFactories(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text().substr(0, kMaxRead);
  for (std::size_t at = text.find("()"); at != std::string_view::npos; at = text.find("()", at + 1)) {
    if (at == 0 || (text[at - 1] != '"' && text[at - 1] != '\'')) continue;
    const std::size_t from = text.find_first_not_of("\"' :\t", at + 2);
    if (from == std::string_view::npos || from > at + 12) continue;
    const std::string_view called = text.substr(from, 60);
    if (!NamesHarm(called)) continue;
    Raise(out, file, "OBFUSC-002", {at - 1, from + called.find_first_of("\"' \r\n,")},
          "has a file of settings call " + std::string(called.substr(0, called.find_first_of("\"' \r\n,"))));
    return;
  }
}

// {"class": "logging.handlers.HTTPHandler", "host": "..."}, or `class=handlers.SocketHandler` and `args=("...", 9020)`,
// in a file of settings: each line that is logged leaves.
void JudgeLogSettings(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr std::string_view kHandlers = "handlers.";
  constexpr std::size_t kNear = 400;  // bytes from the handler's name to its host
  const std::string_view text = file.text().substr(0, kMaxRead);
  for (std::size_t at = text.find(kHandlers); at != std::string_view::npos; at = text.find(kHandlers, at + 1)) {
    const std::string_view name = text.substr(at + kHandlers.size(), 16);
    if (!std::ranges::any_of(std::array{"HTTPHandler", "SocketHandler", "DatagramHandler", "SMTPHandler"},
                             [&](std::string_view sends) { return name.starts_with(sends); })) {
      continue;
    }
    std::string_view rest = text.substr(at + kHandlers.size(), kNear);
    rest = rest.substr(0, std::min(rest.find(kHandlers), rest.find('}')));
    std::size_t key = rest.find("host");
    if (key == std::string_view::npos) key = rest.find("args");
    if (key == std::string_view::npos) continue;
    key = rest.find_first_of(":=", key);
    const std::size_t from = key == std::string_view::npos ? key : rest.find_first_not_of(" '\"(,:=", key);
    if (from == std::string_view::npos) continue;
    std::string host = LowerCase(rest.substr(from, rest.find_first_of(" '\",:)\r\n", from) - from));
    const bool plain = host.find('.') != std::string::npos && host.find_first_of("${}/<") == std::string::npos;
    const HostKind kind = plain ? KindOfHost(host) : HostKind::kLocal;
    if (kind != HostKind::kOrdinary && kind != HostKind::kRawAddress && kind != HostKind::kTunnel) continue;
    Raise(out, file, "EXFIL-011", {at, at + kHandlers.size() + name.find("Handler") + 7},
          "sends what is logged to " + host)
        .host = host;
    return;
  }
}

// `!!python/object/apply:os.system [...]`, {"py/function": "os.system"}: whoever loads the file with a loader that
// makes objects calls what it names. Files that honest programs write name types, and no function of these.
void JudgeObjectTags(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr auto kTags = std::to_array<std::string_view>(
      {"python/object/apply:", "python/object/new:", "python/name:", "\"py/function\":", "_$$ND_FUNC$$_"});
  const std::string_view text = file.text().substr(0, kMaxRead);
  for (const std::string_view tag : kTags) {
    for (std::size_t at = text.find(tag); at != std::string_view::npos; at = text.find(tag, at + 1)) {
      const std::size_t from = std::min(text.find_first_not_of(" \"", at + tag.size()), text.size());
      const std::string_view called = text.substr(from, 60);
      if (tag != kTags.back() && !NamesHarm(called)) continue;
      const std::string_view name = called.substr(0, called.find_first_of("\"' \r\n,[({"));
      Raise(out, file, "SC-043", {at, from + name.size()}, fmt::format("has whoever loads it run {}", name));
      return;
    }
  }
}

// "7 + len(__import__('os').popen(...).read())", "process.getBuiltinModule('child_process').exec(...)" among the values
// of a table. A program that evaluates what it reads runs it; elsewhere it is a word in a list.
void JudgeEvaluated(const FileContext& file, std::vector<RawFinding>& out) {
  struct Loader {
    std::string_view call;
    bool python;
  };
  constexpr auto kPython = std::to_array<std::string_view>(
      {"os", "subprocess", "pty", "socket", "shutil", "ctypes", "builtins", "urllib", "importlib"});
  constexpr auto kNode =
      std::to_array<std::string_view>({"child_process", "node:child_process", "fs", "node:fs", "vm", "node:vm"});
  constexpr auto kLoaders = std::to_array<Loader>(
      {{"__import__(", true}, {"getBuiltinModule?.(", false}, {"getBuiltinModule(", false}, {"require(", false}});
  constexpr std::size_t kMostOfPath = 40;                   // "os.path')"
  if (BaseName(file.file->path) == "package.json") return;  // its scripts are judged as commands
  const std::string_view text = file.text().substr(0, kMaxRead);
  for (const Loader& loader : kLoaders) {
    for (std::size_t at = text.find(loader.call); at != std::string_view::npos; at = text.find(loader.call, at + 1)) {
      const std::size_t from = text.find_first_not_of("\\\"' ", at + loader.call.size());
      if (from == std::string_view::npos) break;
      const std::string_view rest = text.substr(from, kMostOfPath);
      const std::string_view module = rest.substr(0, rest.find_first_of("\\\"'."));
      const auto harms = [&](const auto& modules) { return std::ranges::find(modules, module) != modules.end(); };
      if (loader.python ? !harms(kPython) : !harms(kNode)) continue;
      const std::size_t shut = rest.find(')');
      const std::string_view next = shut == std::string_view::npos ? std::string_view() : rest.substr(shut + 1, 2);
      if (!next.starts_with('.') && next != "?.") continue;
      Raise(out, file, "SC-043", {at, from + shut + 1},
            fmt::format("a value that is evaluated runs functions of `{}`", module));
      return;
    }
  }
}

}  // namespace

void JudgeDataFile(const FileContext& file, const DataReader& reader, std::vector<RawFinding>& out) {
  JudgeEstateFile(file, out);
  if (file.type != FileType::kJson && file.type != FileType::kYaml && file.type != FileType::kToml &&
      file.type != FileType::kIni) {
    return;
  }
  JudgeLogSettings(file, out);
  JudgeLogFactories(file, out);
  JudgeObjectTags(file, out);
  if (reader.evaluates) JudgeEvaluated(file, out);
  if (file.type == FileType::kYaml) JudgeManifest(file, reader.only_reads, out);
}

}  // namespace interlock::scan
