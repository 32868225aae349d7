// What the readers of manifests share. Engine room of supply.cc; not for others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "static/ascii.h"
#include "static/jsonc.h"
#include "static/supply.h"

namespace interlock::scan {

inline constexpr std::string_view kPypi = "PyPI";
inline constexpr std::string_view kNpm = "npm";
// Listed and looked up; their names are compared with nothing, and the builders check digests by themselves.
inline constexpr std::string_view kGoModules = "Go";
inline constexpr std::string_view kCrates = "crates.io";
constexpr bool HasKnownNames(std::string_view ecosystem) { return ecosystem == kPypi || ecosystem == kNpm; }

// Where a value of a JSON manifest stands.
[[nodiscard]] inline base::ByteSpan SpanOf(base::JsonValue value) {
  return {value.offset(), value.offset() + value.raw().size()};
}

// One requirement as a manifest states it.
struct Requirement {
  std::string_view ecosystem;
  std::string name;
  std::string version;  // exact, or the constraint as written
  bool pinned = false;
  bool hashed = false;
  bool direct = true;
  bool development = false;  // not installed for whoever uses the package
  base::ByteSpan bytes;
};

// Where facts of the whole package go; one Sheet a file writes into it.
struct SupplyState {
  SupplyFacts facts;
  // Beside facts.dependencies: what name findings need.
  struct Place {
    std::uint32_t file = 0;
    base::ByteSpan bytes;
    bool development = false;
  };
  std::vector<Place> places;
  std::string_view ecosystem = {};  // of the package's own name; "": it has none
  Place named = {};                 // where it stands
  RawFinding dropped;               // beyond the limit of findings
};

// One manifest: its text, where it stands, and what it adds.
class Sheet {
 public:
  Sheet(const FileContext& file, SupplyState& state) : file_(file), state_(state) {}

  [[nodiscard]] std::string_view text() const noexcept { return file_.text(); }
  [[nodiscard]] std::string_view path() const noexcept { return file_.file->path; }
  [[nodiscard]] std::uint32_t index() const noexcept { return file_.index; }
  [[nodiscard]] core::Reach reach() const noexcept { return file_.reach; }
  [[nodiscard]] FileType type() const noexcept { return file_.type; }
  [[nodiscard]] SupplyFacts& facts() noexcept { return state_.facts; }
  [[nodiscard]] SupplyState& state() noexcept { return state_; }
  // The manifest of the package itself, not one of its tests, examples or vendored parts.
  [[nodiscard]] bool is_own() const noexcept;

  void Add(Requirement requirement);
  void Hook(std::string name, std::string_view command, base::ByteSpan bytes, core::Reach reach, bool opens = false);
  // What the package itself is called; the first manifest that says so is heard.
  void OwnName(std::string_view ecosystem, std::string_view name, base::ByteSpan bytes);
  void Entry(std::string_view path, bool installs = false);
  // A module of Python that something starts: `package.tool`.
  void EntryOfModule(std::string_view module);
  // "name = package.tool:main", of the text's entry points.
  void EntryPoints(std::string_view text);
  // Files that a command names: `node check.js`.
  void Entries(std::string_view command, bool installs);
  RawFinding& Raise(std::string_view rule, base::ByteSpan bytes, std::string message, std::string_view subject = {});
  // A place that something is fetched from: SC-001 when it is not HTTPS, SC-002 when it is a bare address.
  void Source(std::string_view url, base::ByteSpan bytes, std::string_view subject, bool development = false);
  // A package index, registry or mirror that installs ask. `only`: instead of the public one, not beside it.
  // `only`: nothing is asked of the public one. What starts by itself from there weighs more (`scale`).
  void Index(std::string_view url, base::ByteSpan bytes, bool only, double scale = 1.0);
  // Of an archive that no registry keeps: a document for people has nothing installed by itself.
  [[nodiscard]] core::Severity SeverityOfArchive() const noexcept;
  // An installer is told, by `option`, to believe whoever answers for this host (SC-012).
  void Unchecked(std::string_view host, base::ByteSpan bytes, std::string_view option);
  // The rest of the file was not read as what it is: text rules only.
  void Unread(std::string why);
  // Something of it was left out, for there was too much: told once a file, and has a person look.
  void Dropped(std::string why);
  // Byte offset of a 1-based line and column (in bytes).
  [[nodiscard]] std::size_t OffsetOf(std::uint32_t line, std::uint32_t column) const;

 private:
  const FileContext& file_;
  [[nodiscard]] const std::vector<std::uint32_t>& line_starts() const;

  SupplyState& state_;
  bool dropped_ = false;
  mutable std::vector<std::uint32_t> line_starts_;  // filled when first asked for: most files are no manifests
};

// By its name: it says what was fetched, mostly with its digest.
[[nodiscard]] bool IsLockFile(std::string_view path);
// Dependencies of one exact version, held against the database: SC-008 and SupplyFacts::vulnerabilities.
void CheckVulnerabilities(SupplyState& state, const VulnerabilityIndex& index);

// A program that a host starts as a server (or in its place), as its configuration says.
struct StartedServer {
  std::string name;
  std::string command;
  std::vector<std::string> args;
  base::ByteSpan bytes;
  bool secrets = false;  // credentials are put into its environment
};
// It runs whenever the folder is opened: its command line, what it fetches, whether it can be a server at all.
void AddStartedServer(Sheet& sheet, const StartedServer& server);

// Names that are installed beside what the code imports (SC-039), and names asked from two indexes (SC-036).
void CheckImports(SupplyState& state, const std::vector<FileContext>& files);
void CheckSharedIndexes(SupplyState& state, const std::vector<FileContext>& files);

// Entries of one lock file: where most come from tells which one does not belong.
class Locked {
 public:
  void Add(std::string name, std::string_view resolved, bool hashed, base::ByteSpan bytes);
  void Check(Sheet& sheet) const;

 private:
  struct Entry {
    std::string name;
    std::string host;
    bool hashed = false;
    base::ByteSpan bytes;
  };
  std::vector<Entry> entries_;
};
// An archive that is not the package's, or not the version's (SC-033).
void CheckLockedNpm(Sheet& sheet, std::string_view name, std::string_view version, std::string_view resolved,
                    base::ByteSpan bytes);
void CheckLockedPypi(Sheet& sheet, std::string_view name, std::string_view file, base::ByteSpan bytes);

// Readers by file name; false: not a file of theirs.
bool ReadNpmManifest(Sheet& sheet, std::string_view base);
bool ReadPythonManifest(Sheet& sheet, std::string_view base);
bool ReadTomlManifest(Sheet& sheet, std::string_view base);
bool ReadHostConfig(Sheet& sheet, std::string_view base);
bool ReadContainerFile(Sheet& sheet, std::string_view base);
// PIP_EXTRA_INDEX_URL and its like, wherever the file sets them.
void ReadIndexVariables(Sheet& sheet);
void ReadInstructionCommands(Sheet& sheet);
void ReadInstructionEndpoints(Sheet& sheet);
bool ReadBuildFile(Sheet& sheet, std::string_view base);
bool ReadOtherManifest(Sheet& sheet, std::string_view base);
// Sources without encryption in the manifests of other languages (SC-001).
void ReadBuildSources(Sheet& sheet, std::string_view base);
bool ReadPatch(Sheet& sheet, std::string_view base);
bool ReadYamlManifest(Sheet& sheet, std::string_view base);
void ReadShownCommands(Sheet& sheet);
// Commands that run by themselves, all of the package's: what they start.
void ReadHookCommands(SupplyState& state, const std::vector<FileContext>& files);
// Where each of `names` stands in the text, at its head or right behind one of the bytes `before`: `most` places of
// each, ascending. Names begin with a letter, `before` has neither letters nor digits. One pass for all names.
[[nodiscard]] std::vector<std::vector<std::size_t>> CallsOf(std::string_view text,
                                                            std::span<const std::string_view> names,
                                                            std::string_view before, std::size_t most);
// `pip install x`, `npm i x`, `npx x`, `uvx x` in documents, scripts and commands. `development`: in a document that
// only people read.
void ReadInstallCommands(Sheet& sheet, std::string_view text, std::size_t offset, const base::ByteSpan* whole);

// A PEP 508 requirement ("name[extra] >= 1; marker", "name @ url"); nothing when it is none.
void AddPep508(Sheet& sheet, std::string_view text, base::ByteSpan bytes, bool development, bool hashed = false);
// An npm dependency as package.json states it.
void AddNpmSpec(Sheet& sheet, std::string_view name, std::string_view spec, base::ByteSpan bytes, bool development,
                bool instead = false);

// Lower case, runs of - _ . as one - (PEP 503).
[[nodiscard]] std::string NormalPypiName(std::string_view name);
[[nodiscard]] bool IsExactNpmVersion(std::string_view version) noexcept;
// Between quotes of any kind, or nothing.
[[nodiscard]] std::string_view Unquote(std::string_view text) noexcept;

// supply_keys.cc: credentials of one service that a server's settings give to another's host, by headers, ...
void ReadServerKeys(Sheet& sheet, base::JsonValue url, base::JsonValue headers);
// One server of a host's settings: its command, its address, and all else.
void ReadServer(Sheet& sheet, std::string_view name, base::JsonValue server);
// ... in other notations.
struct YamlValue;
void ReadYamlServers(Sheet& sheet, const std::vector<YamlValue>& values);
// What else the entry of a server says: variables, calls that are let through, folders, helpers.
void JudgeServerEntry(Sheet& sheet, std::string_view name, base::JsonValue server, base::JsonValue url);
// ... or by the arguments of a program that goes there.
void ReadBridgedKeys(Sheet& sheet, base::JsonValue args);

// Popular names (rules/scan/names) and what looks like them.
struct NameLikeness {
  enum class Kind : std::uint8_t { kHomoglyph, kEdit, kScope, kClaim };
  Kind kind = Kind::kEdit;
  std::string target;
  std::uint32_t rank = 0;  // of the target, from 1
  std::string how;         // "two letters swapped"
};
// From 1; 0: not among the popular names.
[[nodiscard]] std::uint32_t RankOf(std::string_view ecosystem, std::string_view name);
// Whether `name` comes from `target` by one slip of the hand.
[[nodiscard]] bool IsSlipOf(std::string_view ecosystem, std::string_view name, std::string_view target);
// "owner/name" of an action of pipelines, in lower case.
[[nodiscard]] std::optional<NameLikeness> LooksLikeAction(std::string_view name);
// The well-known owner that an owner of repositories is one slip from.
[[nodiscard]] std::optional<std::string> LooksLikeOwner(std::string_view owner);
// Whether the two are one to the eye and not the same.
[[nodiscard]] bool IsOtherOwner(std::string_view owner, std::string_view target);
// Nothing for popular names and for those that merely resemble one.
[[nodiscard]] std::optional<NameLikeness> LooksLike(std::string_view ecosystem, std::string_view name);

// Whether hooks of settings are an agent's, by the names of their events.
[[nodiscard]] bool TellsAgent(base::JsonValue hooks);

}  // namespace interlock::scan
