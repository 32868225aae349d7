// From lowered modules to what the package's code does: capability uses, flows from sources to sinks, entry points that
// reach them. Engine room; the catalogue of functions is data (rules/scan/catalogue/*.json).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/ir.h"
#include "code/package_data.h"
#include "code/resolve.h"
#include "interlock/scan/scanner.h"
#include "static/analysis.h"

namespace interlock::scan::code {

// All modules of a package; imports between them resolve by Python module path or relative JS path.
struct PackageModules {
  std::vector<const Module*> modules;
  std::vector<std::string> paths;                            // file path of each
  std::unordered_map<std::string, std::uint32_t> by_import;  // "pkg.sub", "src/lib/util" -> index into modules
  std::vector<DataFile> data = {};                           // settings that programs may read
  std::vector<std::pair<std::string, std::string_view>> scripts = {};  // paths and texts of shell scripts
  std::vector<std::uint32_t> speakers;  // indexes of those that an agent's hooks start, and hear
  std::vector<std::uint32_t> hooks;  // indexes of those that an agent starts and tells what is said, on standard input
};

struct EntryPoint {
  std::string name;
  std::string kind;  // ToolSurface::kind
  std::uint32_t module = kNone;
  std::uint32_t file = kNone;  // FileContext::index
  FuncId function = kNone;     // kModuleBody for scripts
  std::string description;     // docstring, description argument
  Loc loc;
  core::PermissionSet declared = 0;
  bool declares = false;   // annotations such as readOnlyHint
  bool read_only = false;  // says so
};

struct CapabilityUse {
  core::Permission permission = core::Permission::kNetworkEgress;
  std::uint32_t file = 0;
  Loc loc;
  std::string callee;  // "requests.post"
  std::string detail;  // host, path, variable, command
  std::uint8_t obfuscation = 0;
  std::vector<std::uint32_t> entries;  // EntryPoint indexes that reach it
  bool import_time = false;            // runs when the module is loaded
};

// A text that code gives to an agent, as what a tool is (put together or kept elsewhere than where it is given), as its
// answer, or in a file that agents obey.
struct ToldText {
  std::uint32_t module = kNone;
  std::uint32_t file = kNone;  // FileContext::index
  Loc loc;                     // of what is given
  std::string text;
  // kAnswer: of a tool, or printed by a script. kInstruction: written into CLAUDE.md and its like. kGuide: what a
  // prompt or a resource of a server says.
  enum class Place : std::uint8_t { kTool, kParameter, kAnswer, kInstruction, kGuide };
  Place place = Place::kTool;
};

// What has been read, given to another program as words or as its input. Where that is a script of the package, what
// the script does with it is known elsewhere.
struct HandedOut {
  enum class What : std::uint8_t { kCredentials, kEnvironment, kKept };
  What what = What::kCredentials;
  std::uint32_t file = 0;  // FileContext::index
  Loc loc;                 // of the call
  std::string line;        // the command, "\x7f" for what is not known
};

struct CodeFacts {
  std::vector<EntryPoint> entries;
  std::vector<CapabilityUse> uses;
  std::vector<ToldText> told;
  std::vector<std::string> given;  // files of the package that its code puts into an agent's memory
  std::vector<HandedOut> handed;
  std::vector<std::uint32_t> lifted;      // files aside (tests, other people's code) that the package's own code loads
  std::vector<std::uint32_t> unfinished;  // files whose flows took more steps than their size allows
  std::vector<std::uint32_t> starved;     // ... that hold more constants than are kept
  std::vector<RawFinding> findings;       // flows (secret -> network ...), obfuscation, evasion, T7, T8; reach set
};

// The analysis in steps, so that what concerns one module alone may be done on several threads.
class CodeAnalysis {
 public:
  explicit CodeAnalysis(const PackageModules& package);  // which must outlive it
  ~CodeAnalysis();
  CodeAnalysis(const CodeAnalysis&) = delete;
  CodeAnalysis& operator=(const CodeAnalysis&) = delete;

  // What of a module needs no other: each once, in any order, at the same time on different threads. What is left out
  // is done by Run.
  void Prepare(std::uint32_t module);
  // `reach`: of each module's file. Budget: steps proportional to the size of the modules. Once, after all Prepare.
  [[nodiscard]] CodeFacts Run(const std::vector<core::Reach>& reach);
  // Lets go of what is known of a module; as Prepare, once all is said.
  void Drop(std::uint32_t module);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// All of it on this thread.
[[nodiscard]] CodeFacts AnalyzeCode(const PackageModules& package, const std::vector<core::Reach>& reach);

}  // namespace interlock::scan::code
