// The static layer's order of work: what concerns one file in pieces that may run side by side, and between them the
// steps that need the whole package.
#include "interlock/scan/scanner.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "code/flow.h"
#include "code/ir.h"
#include "code/shell.h"
#include "fmt/format.h"
#include "interlock/base/digest.h"
#include "interlock/base/find_bytes.h"
#include "static/agent_hooks.h"
#include "static/analysis.h"
#include "static/ascii.h"
#include "static/asked_rights.h"
#include "static/build_files.h"
#include "static/classify.h"
#include "static/command_lines.h"
#include "static/disguised_hosts.h"
#include "static/front_matter.h"
#include "static/installs.h"
#include "static/joined_scripts.h"
#include "static/listing.h"
#include "static/notebook.h"
#include "static/permissions.h"
#include "static/plain_flow.h"
#include "static/promises.h"
#include "static/reach.h"
#include "static/rights.h"
#include "static/shell_judge.h"
#include "static/supply.h"
#include "static/surface.h"
#include "static/text_told.h"
#include "static/together.h"
#include "static/toolset.h"
#include "static/undisclosed.h"
#include "static/unit_cache.h"
#include "static/verdict.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxCodeBytes = std::size_t{8} << 20;
constexpr std::size_t kMostScripts = 1'024;  // whose output programs may take

struct Unit {
  FileResult result;
  std::string code;  // of a notebook; the module's text
  std::unique_ptr<code::Module> module;
  std::vector<code::CapabilityUse> uses;  // of shell scripts
  std::string sha256;
  std::vector<core::SkippedPart> lowering;  // what the code analyser could not read
};

bool IsUtf16(std::string_view text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }

bool IsJsx(std::string_view path) { return path.ends_with(".jsx") || path.ends_with(".tsx"); }

// Common parts of names that say nothing about who made a package.
bool SaysNothing(std::string_view word) {
  constexpr std::array<std::string_view, 40> common = {
      "https",  "http",   "github",      "gitlab", "npmjs",  "pypi", "main",    "master", "skill",    "skills",
      "server", "agent",  "agents",      "tool",   "tools",  "docs", "package", "with",   "that",     "this",
      "from",   "plugin", "plugins",     "client", "python", "node", "file",    "files",  "data",     "code",
      "helper", "readme", "readthedocs", "cloud",  "apps",   "blob", "tree",    "your",   "official", "source"};
  return std::find(common.begin(), common.end(), word) != common.end();
}

void AddWords(std::string_view text, std::vector<std::string>& out) {
  std::string word;
  const auto flush = [&] {
    if (word.size() >= 4 && !SaysNothing(word) && std::find(out.begin(), out.end(), word) == out.end())
      out.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    const char lower = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
      word += lower;
    } else {
      flush();
    }
  }
  flush();
}

// Code that a front end can read.
bool HasProgram(const FileContext& file) {
  return (IsCode(file.runs()) && file.runs() != FileType::kShell) || file.type == FileType::kNotebook;
}

// The largest first, so that threads that take one after the other end together.
void LargestFirst(std::vector<std::uint32_t>& order, const std::vector<FileContext>& files) {
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return files[a].text().size() > files[b].text().size(); });
}

// One scan. Stages follow each other on the thread that asked; within a stage pieces run side by side. What a piece may
// write is its own: one unit, one module, one list of findings. Everything else is read only while a stage runs.
class Job {
 public:
  Job(const core::PackageView& view, const ScanOptions& options, const Spread& spread);
  [[nodiscard]] ScanReport Run();

 private:
  void ForEach(std::size_t count, const std::function<void(std::size_t)>& piece) const;
  void LookUpCode();
  void ReadPrograms();
  void LeaveOut(std::vector<std::uint32_t>& programs);
  void LinkPrograms(const std::vector<AgentHook>& hooks);
  void ReadFiles();
  void ReadGiven();
  void ReadUnit(const FileContext& file, Unit& unit) const;
  void AnalyzeFile(const FileContext& file, Unit& unit) const;
  static void Lower(const FileContext& file, Unit& unit);
  void ReadTold();
  void JudgeFiles(const ScanReport& report, std::vector<RawFinding>& raw) const;

  void RunHooks(std::vector<RawFinding>& raw, std::vector<code::CapabilityUse>& uses);
  [[nodiscard]] Identity IdentityOf(const ScanReport& report) const;
  void FillFiles(ScanReport& report);

  const core::PackageView& view_;
  const ScanOptions& options_;
  const Spread& spread_;
  const RuleSet& rules_;
  const PackageKind kind_;
  const std::vector<FileContext> files_;  // as their places say
  std::vector<FileContext> placed_;       // ... and as the package says: reach may be raised
  std::vector<Unit> units_;
  std::unordered_set<std::string_view> opened_;  // archives whose members are files of the view
  std::string code_key_;
  bool code_known_ = false;  // of a run before
  SupplyFacts supply_;
  std::vector<std::uint32_t> hook_scripts_;  // of agents, by file
  code::PackageModules package_;
  std::vector<Reach> reach_;  // by module
  std::optional<code::CodeAnalysis> analysis_;
  code::CodeFacts facts_;
  std::vector<core::SkippedPart> lowering_;
};

Job::Job(const core::PackageView& view, const ScanOptions& options, const Spread& spread)
    : view_(view),
      options_(options),
      spread_(spread),
      rules_(options.rules != nullptr ? *options.rules : RuleSet::Builtin()),
      kind_(KindOfPackage(view)),
      files_(ClassifyFiles(view, kind_)),
      placed_(files_),
      units_(files_.size()) {
  for (const core::PackageFile& file : view.files) {
    for (std::size_t at = file.path.find("!/"); at != std::string::npos; at = file.path.find("!/", at + 1)) {
      opened_.insert(std::string_view(file.path).substr(0, at));
    }
  }
}

void Job::ForEach(std::size_t count, const std::function<void(std::size_t)>& piece) const {
  if (spread_ && count > 1) {
    spread_(count, piece);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) piece(i);
}

void Job::ReadUnit(const FileContext& file, Unit& unit) const {
  FileResult& result = unit.result;
  const std::string_view text = file.text();
  if (unit.sha256.empty()) unit.sha256 = base::Sha256(text).ToHex();
  ScanCache* const cache = options_.cache;
  std::string key;
  bool known = false;
  if (cache != nullptr) {
    key = UnitKey(file, unit.sha256, options_, rules_);
    KeptUnit kept;
    if (const std::optional<std::string> bytes = cache->Get(key);
        bytes.has_value() && DecodeUnit(*bytes, file, rules_, kept)) {
      result = std::move(kept.result);
      unit.uses = std::move(kept.uses);
      known = true;
    }
  }
  if (!known) {
    AnalyzeFile(file, unit);
    if (cache != nullptr) cache->Put(key, EncodeUnit(result, unit.uses));
  }
  if (file.type == FileType::kArchive && opened_.contains(file.file->path)) result.analysed = text.size();
  if (!IsText(file.type)) {
    // Bytecode and native programs are read by the artifact analyser; pictures and the like by nobody.
    if (result.analysed == 0) {
      result.skipped.push_back(
          {file.file->path, core::SkipReason::kUnsupported, text.size(), std::string(NameOf(file.type))});
    }
    return;
  }
  if (IsUtf16(text)) {
    result.skipped.push_back({file.file->path, core::SkipReason::kUnsupported, text.size(), "UTF-16 text"});
    return;
  }
  if (file.type == FileType::kOtherSource && TypeOfName(file.file->path) == file.type &&
      file.reach <= Reach::kRuntime) {
    result.skipped.push_back(
        {file.file->path, core::SkipReason::kUnsupported, 0, "no parser for this language: text and shell rules only"});
  }
  if ((IsCode(file.type) || file.type == FileType::kNotebook) && text.size() > kMaxCodeBytes) {
    result.skipped.push_back(
        {file.file->path, core::SkipReason::kParserBudget, text.size(), "code over 8 MiB: text rules only"});
  }
}

// Everything that needs no other file, short of the code's meaning.
void Job::AnalyzeFile(const FileContext& file, Unit& unit) const {
  FileResult& result = unit.result;
  const std::string_view text = file.text();
  AnalyzeArtifacts(file, result);
  if (!IsText(file.type) || IsUtf16(text)) return;
  AnalyzeText(file, rules_, result);
  result.analysed = text.size();
  JudgeBuildFile(file, result);
  JudgePlainProgram(file, result);
  JudgeCommandLines(file, result);
  JudgeCommandValues(file, result);
  RaiseDisguisedHosts(file, result.findings);
  if (file.runs() != FileType::kShell || text.size() > kMaxCodeBytes) return;
  const code::ShellScript script = code::ParseShell(text, {}, file.file->path);
  ShellContext context;
  context.file = file.index;
  context.place = ShellPlace::kScript;
  context.serves = file.reach <= Reach::kRuntime;
  bool all = true;
  JudgeShell(code::AnalyzeShellScript(script, text, &all), context, result.findings, &unit.uses);
  if (!script.complete || !all) {
    result.skipped.push_back(
        {file.file->path, core::SkipReason::kParserBudget, 0, "shell script too long or too deep"});
  }
}

void Job::Lower(const FileContext& file, Unit& unit) {
  switch (file.runs()) {
    case FileType::kPython:
      unit.module = std::make_unique<code::Module>(code::LowerPython(file.text(), file.index));
      break;
    case FileType::kJavaScript:
    case FileType::kTypeScript:
      unit.module = std::make_unique<code::Module>(
          code::LowerJavaScript(file.text(), file.index, file.runs() == FileType::kTypeScript,
                                file.runs() == FileType::kJavaScript || IsJsx(file.file->path)));
      break;
    case FileType::kNotebook:
      unit.code = NotebookCode(file.text());
      if (unit.code.empty()) return;
      unit.module = std::make_unique<code::Module>(code::LowerPython(unit.code, file.index));
      break;
    case FileType::kGo:
      unit.module = std::make_unique<code::Module>(code::LowerGo(file.text(), file.index));
      break;
    case FileType::kRust:
      unit.module = std::make_unique<code::Module>(code::LowerRust(file.text(), file.index));
      break;
    default:
      return;
  }
  if (!unit.module->complete) {
    unit.lowering.push_back({file.file->path, core::SkipReason::kParserBudget, 0, unit.module->stop});
  }
}

// The same files have the same meaning: nothing of the code need be parsed.
void Job::LookUpCode() {
  ForEach(files_.size(), [&](std::size_t i) { units_[i].sha256 = base::Sha256(files_[i].text()).ToHex(); });
  std::vector<std::string> hashes;
  hashes.reserve(files_.size());
  for (const Unit& unit : units_) hashes.push_back(unit.sha256);
  code_key_ = CodeKey(view_, hashes, options_, rules_);
  const std::optional<std::string> bytes = options_.cache->Get(code_key_);
  if (!bytes.has_value()) return;
  code::CodeFacts facts;
  std::vector<core::SkippedPart> skipped;
  if (!DecodeCode(*bytes, files_, rules_, facts, skipped)) return;
  code_known_ = true;
  facts_ = std::move(facts);
  lowering_ = std::move(skipped);
}

// Of a package with more code than is followed: what an agent, an installation or a server runs comes first, and small
// programs before large ones, so that none is hidden behind a bundle.
void Job::LeaveOut(std::vector<std::uint32_t>& programs) {
  constexpr std::size_t kMostNamed = 64;
  std::uint64_t total = 0;
  for (const std::uint32_t file : programs) total += files_[file].text().size();
  if (total <= options_.max_code_bytes) return;
  std::ranges::sort(programs, {}, [&](std::uint32_t file) {
    return std::tuple(files_[file].reach, files_[file].text().size(), file);
  });
  total = 0;
  std::size_t kept = 0;
  while (kept < programs.size() && total + files_[programs[kept]].text().size() <= options_.max_code_bytes)
    total += files_[programs[kept++]].text().size();
  for (std::size_t i = kept; i < programs.size() && i - kept < kMostNamed; ++i) {
    lowering_.push_back(
        {files_[programs[i]].file->path, core::SkipReason::kParserBudget, 0,
         fmt::format("more code than is followed in one package: this and {} other files by text rules only",
                     programs.size() - kept - 1)});
  }
  programs.resize(kept);
}

// First stage: what each program says, and beside it what manifests say.
void Job::ReadPrograms() {
  std::vector<std::uint32_t> programs;
  for (const FileContext& file : files_) {
    if (!code_known_ && HasProgram(file) && !IsUtf16(file.text()) && file.text().size() <= kMaxCodeBytes)
      programs.push_back(file.index);
  }
  LeaveOut(programs);
  LargestFirst(programs, files_);
  ForEach(programs.size() + 1, [&](std::size_t i) {
    if (i < programs.size()) {
      Lower(files_[programs[i]], units_[programs[i]]);
    } else {
      supply_ = AnalyzeSupply(view_, files_, options_.vulnerabilities);
    }
  });
}

void Job::RunHooks(std::vector<RawFinding>& raw, std::vector<code::CapabilityUse>& uses) {
  for (const HookCommand& hook : supply_.hooks) {
    if (hook.file >= placed_.size()) continue;
    const code::ShellScript script = code::ParseShell(hook.command);
    ShellContext context;
    context.file = hook.file;
    context.whole = hook.bytes;
    context.place = ShellPlace::kHook;
    context.has_reach = true;
    const Reach own = placed_[hook.file].reach;
    const bool aside = own > Reach::kRuntime && !(hook.opens && (own == Reach::kBuild || own == Reach::kDocument));
    context.reach = aside ? std::max(hook.reach, own) : hook.reach;
    const std::size_t before = raw.size();
    JudgeShell(code::AnalyzeShellScript(script, hook.command), context, raw, &uses);
    if (context.reach != Reach::kBuild) continue;
    if (hook.name.starts_with("run ")) {
      // A script of the package by its name: secrets that leave, and a shell for somebody else, are of no build.
      for (std::size_t i = before; i < raw.size(); ++i) {
        if (raw[i].rule == "SH-003" || raw[i].rule == "SH-004") raw[i].reach = Reach::kRuntime;
      }
      continue;
    }
    if (hook.name != "prepare") continue;
    // Whoever installs in a folder of sources, or from a repository, runs it: to run what a stranger answers is no step
    // of a build.
    for (std::size_t i = before; i < raw.size(); ++i) {
      const HostKind host = raw[i].host.empty() ? HostKind::kLocal : KindOfHost(raw[i].host);
      const bool known = host == HostKind::kLocal || host == HostKind::kForge || host == HostKind::kRegistry ||
                         host == HostKind::kInstaller;
      if (raw[i].rule == "SH-002" || raw[i].rule == "SH-003" || raw[i].rule == "SH-004" ||
          (raw[i].rule == "SH-001" && !known)) {
        raw[i].reach = Reach::kInstall;
      }
    }
  }
}

std::optional<code::DataFormat> DataFormatOf(FileType type) {
  switch (type) {
    case FileType::kJson:
      return code::DataFormat::kJson;
    case FileType::kYaml:
      return code::DataFormat::kYaml;
    case FileType::kToml:
      return code::DataFormat::kToml;
    default:
      return std::nullopt;
  }
}

// How the modules are called, and what of each needs no other.
void Job::LinkPrograms(const std::vector<AgentHook>& hooks) {
  for (const FileContext& file : placed_) {
    const Unit& unit = units_[file.index];
    if (const std::optional<code::DataFormat> format = DataFormatOf(file.type)) {
      package_.data.push_back({file.file->path, file.text(), *format});
    }
    if (file.runs() == FileType::kShell && package_.scripts.size() < kMostScripts)
      package_.scripts.emplace_back(file.file->path, file.text());
    if (unit.module == nullptr) continue;
    const auto index = static_cast<std::uint32_t>(package_.modules.size());
    package_.modules.push_back(unit.module.get());
    package_.paths.push_back(file.file->path);
    reach_.push_back(file.reach);
    const bool hook = std::ranges::any_of(
        hooks, [&](const AgentHook& own) { return own.script != nullptr && own.script->index == file.index; });
    if (hook) package_.hooks.push_back(index);
    if (std::ranges::find(hook_scripts_, file.index) != hook_scripts_.end()) package_.speakers.push_back(index);
    std::string name = file.file->path;
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos) name.resize(dot);
    if (unit.module->language == code::Language::kPython) {
      if (name.ends_with("/__init__")) name.resize(name.size() - 9);
      // "src/pkg/mod" is imported as pkg.mod: every suffix is a candidate, the first file keeps a name.
      std::replace(name.begin(), name.end(), '/', '.');
      for (std::size_t at = 0; at != std::string::npos; at = name.find('.', at)) {
        if (at != 0) ++at;
        package_.by_import.emplace(name.substr(at), index);
        if (at == 0) at = 1;
      }
    } else if (!code::IsTyped(unit.module->language)) {
      package_.by_import.emplace(name, index);
    }
  }
  if (package_.modules.empty()) return;
  analysis_.emplace(package_);
  std::vector<std::uint32_t> order(package_.modules.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return package_.modules[a]->exprs.size() > package_.modules[b]->exprs.size();
  });
  ForEach(order.size(), [&](std::size_t i) { analysis_->Prepare(order[i]); });
}

// Second stage: all that is read of files but their meaning as programs, and beside it what the programs do, which is
// one piece: flows go from file to file.
void Job::ReadFiles() {
  std::vector<std::uint32_t> order;
  order.reserve(files_.size());
  for (const FileContext& file : files_) order.push_back(file.index);
  LargestFirst(order, files_);
  const std::size_t first = analysis_ ? 1 : 0;
  ForEach(order.size() + first, [&](std::size_t i) {
    if (i < first) {
      facts_ = analysis_->Run(reach_);
    } else {
      ReadUnit(files_[order[i - first]], units_[order[i - first]]);
    }
  });
}

// What programs give to agents out of files of the package - a resource, a tool's answer, an agent's memory - is read
// once more, as what agents are told.
void Job::ReadGiven() {
  std::vector<std::uint32_t> given;
  for (const std::string& path : facts_.given) {
    std::string_view name = path;
    while (name.starts_with("./")) name.remove_prefix(2);
    for (FileContext& file : placed_) {
      if (name.size() < 3 || file.reach <= Reach::kAgent || !EndsInPath(file.file->path, name)) continue;
      file.reach = Reach::kAgent;
      if (IsText(file.type) && !IsCode(file.type)) given.push_back(file.index);
    }
  }
  ForEach(given.size(), [&](std::size_t i) {
    Unit& unit = units_[given[i]];
    unit.result = {};
    unit.uses.clear();
    ReadUnit(placed_[given[i]], unit);
  });
}

Identity Job::IdentityOf(const ScanReport& report) const {
  Identity identity;
  AddWords(report.name, identity.words);
  for (const FileContext& file : placed_) {
    const std::string_view base = BaseName(file.file->path);
    const bool metadata = IsPackageMetadata(file) && std::ranges::count(file.file->path, '/') <= 1;
    if (!metadata && base != "package.json" && base != "pyproject.toml" && base != "server.json" &&
        base != "manifest.json") {
      continue;
    }
    if (file.reach > Reach::kRuntime && !metadata) continue;
    // Repository and home page lines: their owner and domain are the maker's.
    std::string_view text = file.text().substr(0, 64 * 1024);
    if (metadata) text = text.substr(0, text.find("\n\n"));
    for (const std::string_view key : {"repository", "homepage", "\"url\"", "Repository", "Homepage", "author"}) {
      const std::size_t at = base::FindBytes(text, key);
      if (at == std::string_view::npos) continue;
      AddWords(text.substr(at + key.size(), 160).substr(0, text.substr(at + key.size(), 160).find('\n')),
               identity.words);
    }
  }
  return identity;
}

void Job::FillFiles(ScanReport& report) {
  for (const FileContext& file : placed_) {
    Unit& unit = units_[file.index];
    FileRecord record;
    record.path = file.file->path;
    record.sha256 = std::move(unit.sha256);
    record.bytes = file.file->bytes.size();
    record.analysed = std::min<std::uint64_t>(unit.result.analysed, record.bytes);
    record.type = NameOf(file.type);
    record.reach = file.reach;
    report.coverage.analysed += record.analysed;
    report.coverage.bytes += record.bytes;
    for (core::SkippedPart& part : unit.result.skipped) report.coverage.skipped.push_back(std::move(part));
    report.files.push_back(std::move(record));
  }
  for (const core::SkippedPart& part : view_.skipped) {
    report.coverage.bytes += part.bytes;
    report.coverage.skipped.push_back(part);
  }
}

// Third stage: the texts that programs give to agents are read, and the programs are let go.
void Job::ReadTold() {
  for (const std::uint32_t script : hook_scripts_) {
    if (!code_known_ && placed_[script].runs() == FileType::kShell) TellPrinted(placed_[script], facts_.told);
  }
  const std::vector<std::uint32_t> told = code_known_ ? std::vector<std::uint32_t>() : ToldTextsToRead(facts_.told);
  std::vector<std::vector<RawFinding>> found(told.size());
  const std::size_t modules = package_.modules.size();
  ForEach(told.size() + modules, [&](std::size_t i) {
    if (i < told.size()) {
      JudgeToldText(facts_.told[told[i]], placed_, rules_, found[i]);
    } else {
      const auto module = static_cast<std::uint32_t>(i - told.size());
      analysis_->Drop(module);
      units_[package_.modules[module]->file].module.reset();
    }
  });
  for (std::vector<RawFinding>& some : found) std::ranges::move(some, std::back_inserter(facts_.findings));
}

// Last stage: what each file shows of itself, once it is known what the package is for.
void Job::JudgeFiles(const ScanReport& report, std::vector<RawFinding>& raw) const {
  const Rights rights(placed_, report);
  std::vector<std::vector<RawFinding>> found(placed_.size());
  std::vector<std::uint32_t> order;
  for (const FileContext& file : placed_) {
    if (file.reach <= Reach::kRuntime) order.push_back(file.index);
  }
  LargestFirst(order, placed_);
  ForEach(order.size(), [&](std::size_t i) { rights.Judge(placed_[order[i]], found[order[i]]); });
  for (std::vector<RawFinding>& some : found) std::ranges::move(some, std::back_inserter(raw));
}

ScanReport Job::Run() {
  ScanReport report;
  report.target = view_.target;
  report.kind = kind_;
  report.layers = {"static"};
  report.rules_version = rules_.version();

  if (options_.cache != nullptr) LookUpCode();
  ReadPrograms();
  hook_scripts_ = HookScripts(supply_, placed_);
  RaiseReach(supply_, hook_scripts_, placed_);
  const std::vector<AgentHook> hooks = AgentHooksOf(supply_, placed_);
  if (!code_known_) LinkPrograms(hooks);
  ReadFiles();
  ReadGiven();

  std::vector<RawFinding> raw;
  ReadIdentity(placed_, supply_, report);
  std::vector<code::CapabilityUse> uses;
  for (Unit& unit : units_) {
    std::move(unit.result.findings.begin(), unit.result.findings.end(), std::back_inserter(raw));
    std::move(unit.uses.begin(), unit.uses.end(), std::back_inserter(uses));
  }
  std::move(supply_.findings.begin(), supply_.findings.end(), std::back_inserter(raw));
  AnalyzeBytecode(view_, placed_, raw);
  RunHooks(raw, uses);
  if (!JudgeJoinedScripts(placed_, raw)) {
    report.coverage.skipped.push_back(
        {"", core::SkipReason::kParserBudget, 0,
         "too many or too long scripts that name one another: some were only read alone"});
  }
  for (Unit& unit : units_) {
    std::move(unit.lowering.begin(), unit.lowering.end(), std::back_inserter(lowering_));
  }
  ReadTold();
  code::CodeFacts& facts = facts_;
  if (!code_known_) {  // else they are among what was kept
    for (const std::uint32_t file : facts.unfinished) {
      lowering_.push_back({files_[file].file->path, core::SkipReason::kParserBudget, 0,
                           "flows too entangled to be followed to their end"});
    }
    for (const std::uint32_t file : facts.starved) {
      lowering_.push_back(
          {files_[file].file->path, core::SkipReason::kParserBudget, 0, std::string(core::kConstantsLeftOut)});
    }
  }
  if (options_.cache != nullptr && !code_known_) options_.cache->Put(code_key_, EncodeCode(facts, lowering_));
  std::move(lowering_.begin(), lowering_.end(), std::back_inserter(report.coverage.skipped));
  for (const std::uint32_t file : facts.lifted) placed_[file].reach = std::min(placed_[file].reach, Reach::kRuntime);
  std::move(facts.findings.begin(), facts.findings.end(), std::back_inserter(raw));
  JudgeAgentHooks(hooks, placed_, raw);
  std::move(uses.begin(), uses.end(), std::back_inserter(facts.uses));
  JudgeTogether(placed_, facts.uses, raw);
  JudgeHandedOut(placed_, facts.handed, facts.uses, raw);
  JudgeInstalls(placed_, facts.uses, raw);
  JudgePromises(placed_, facts, raw);
  JudgeUndisclosed(placed_, facts, report.name, raw);
  ReadListings(placed_, report, raw);
  ComparePermissions(placed_, facts, ReadDeclaration(placed_), report, raw);
  AnalyzeToolSet(placed_, report, raw);
  JudgeFiles(report, raw);
  JudgeAskedRights(placed_, raw);

  report.dependencies = std::move(supply_.dependencies);
  report.vulnerabilities = std::move(supply_.vulnerabilities);
  FillFiles(report);
  for (core::SkippedPart& part : supply_.skipped) {
    // Named once, however many analysers read the file as settings.
    const bool known = std::ranges::any_of(report.coverage.skipped, [&](const core::SkippedPart& other) {
      return other.path == part.path && other.detail == part.detail;
    });
    if (!known) report.coverage.skipped.push_back(std::move(part));
  }
  VerdictInput input;
  input.files = &placed_;
  input.rules = &rules_;
  input.options = &options_;
  input.identity = IdentityOf(report);
  Judge(std::move(raw), input, report);
  return report;
}

}  // namespace

ScanReport Scan(const core::PackageView& view, const ScanOptions& options, const Spread& spread) {
  return Job(view, options, spread).Run();
}

}  // namespace interlock::scan
