// The static layer's order of work: one unit a file, then the steps that need the whole package.
#include "interlock/scan/scanner.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "code/flow.h"
#include "code/ir.h"
#include "code/shell.h"
#include "interlock/base/digest.h"
#include "interlock/base/find_bytes.h"
#include "static/agent_hooks.h"
#include "static/analysis.h"
#include "static/ascii.h"
#include "static/asked_rights.h"
#include "static/build_files.h"
#include "static/classify.h"
#include "static/front_matter.h"
#include "static/installs.h"
#include "static/listing.h"
#include "static/notebook.h"
#include "static/permissions.h"
#include "static/promises.h"
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
constexpr std::size_t kMaxMentions = 200'000;

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

constexpr std::array<bool, 256> kPathChars = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();
bool PathChar(char c) { return kPathChars[static_cast<unsigned char>(c)]; }

// Words of a text that look like paths of files, without leading "./".
void CollectMentions(std::string_view text, std::unordered_set<std::string_view>& out) {
  std::size_t done = 0;
  while (out.size() < kMaxMentions) {
    // Each has a dot.
    const std::size_t dot = text.find('.', done);
    if (dot == std::string_view::npos) return;
    std::size_t begin = dot;
    while (begin > done && PathChar(text[begin - 1])) --begin;
    done = dot;
    while (done < text.size() && PathChar(text[done])) ++done;
    std::string_view word = text.substr(begin, done - begin);
    while (word.starts_with("./")) word.remove_prefix(2);
    while (!word.empty() && (word.back() == '.' || word.back() == '/')) word.remove_suffix(1);
    if (word.size() >= 3 && word.size() <= 300) out.insert(word);
  }
}

// `. "$here/lib.sh"`, `source ../lib/common.sh`: files that a script takes into itself, without what is unknown of
// their folder.
void CollectSourced(std::string_view text, std::vector<std::string_view>& out) {
  for (std::size_t at = 0; at < text.size() && out.size() < kMaxMentions;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(". ") && !line.starts_with("source ")) continue;
    line.remove_prefix(line.find(' ') + 1);
    line = line.substr(0, line.find_first_of(";|&#"));
    while (!line.empty() && std::string_view(" \"'").find(line.back()) != std::string_view::npos) line.remove_suffix(1);
    std::size_t begin = line.size();
    while (begin > 0 && PathChar(line[begin - 1])) --begin;
    if (begin > 0 && line[begin - 1] == '$') begin = std::min(line.find('/', begin), line.size());
    line.remove_prefix(begin);
    while (line.starts_with("../") || line.starts_with("./") || line.starts_with('/'))
      line.remove_prefix(line.find('/') + 1);
    if (line.size() >= 3 && line.size() <= 300) out.push_back(line);
  }
}

// Folders that a text names: `references/`, guides/*.md.
void CollectFolders(std::string_view text, std::unordered_set<std::string_view>& out) {
  constexpr std::size_t kMostFolders = 64;
  for (std::size_t at = text.find('/'); at != std::string_view::npos && out.size() < kMostFolders;
       at = text.find('/', at + 1)) {
    if (at + 1 < text.size() && PathChar(text[at + 1]) && text[at + 1] != '*') continue;
    std::size_t begin = at;
    while (begin > 0 && at - begin < 100 && PathChar(text[begin - 1])) --begin;
    std::string_view word = text.substr(begin, at + 1 - begin);
    while (word.starts_with("./")) word.remove_prefix(2);
    if (word.size() > 2 && word.front() != '/') out.insert(word);
  }
}

// What a document says of the package itself is no step of a task.
bool IsAboutPackage(std::string_view path) {
  const std::string base = LowerCase(BaseName(path));
  constexpr std::array<std::string_view, 8> kAbout = {"readme",  "changelog",       "changes", "contributing",
                                                      "license", "code_of_conduct", "history", "security"};
  return std::ranges::any_of(kAbout, [&](std::string_view name) { return base.starts_with(name); });
}

// Of the folder that it lies in, with its slash.
std::string_view PrefixOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash + 1);
}

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

bool IsAside(std::string_view folder) {
  const Reach reach = ReachOfPath(folder, FileType::kJavaScript, PackageKind::kCode);
  return reach == Reach::kVendored || reach == Reach::kTest || reach == Reach::kExample;
}

// The line of an instruction file's front matter that names its licence; empty where there is none.
std::pair<std::size_t, std::size_t> LicenceLine(std::string_view text) {
  constexpr std::string_view kKey = "\nlicense:";
  const FrontMatter head = FindFrontMatter(text);
  const std::size_t key = head.lines(text).find(kKey);
  if (key == std::string_view::npos) return {0, 0};
  const std::size_t at = head.begin - 1 + key;
  return {at, std::min(text.find('\n', at + kKey.size()), text.size())};
}

}  // namespace

struct ScanJob::Impl {
  const core::PackageView* view;
  ScanOptions options;
  const RuleSet* rules;
  PackageKind kind;
  std::vector<FileContext> files;
  std::vector<Unit> units;
  std::unordered_set<std::string_view> opened;  // archives whose members are files of the view
  std::string code_key;
  std::optional<code::CodeFacts> known_code;  // of a run before
  std::vector<core::SkippedPart> known_lowering;

  void LookUpCode();
  void AnalyzeFile(const FileContext& file, Unit& unit) const;
  static void Lower(const FileContext& file, Unit& unit);

  void RaiseReach(const SupplyFacts& supply);
  void RunHooks(const SupplyFacts& supply, std::vector<RawFinding>& raw, std::vector<code::CapabilityUse>& uses);
  code::CodeFacts RunCode(const std::vector<AgentHook>& hooks);
  [[nodiscard]] Identity IdentityOf(const ScanReport& report) const;
  void FillFiles(ScanReport& report);
};

ScanJob::ScanJob(const core::PackageView& view, const ScanOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->view = &view;
  impl_->options = options;
  impl_->rules = options.rules != nullptr ? options.rules : &RuleSet::Builtin();
  impl_->kind = KindOfPackage(view);
  impl_->files = ClassifyFiles(view, impl_->kind);
  impl_->units.resize(impl_->files.size());
  for (const core::PackageFile& file : view.files) {
    for (std::size_t at = file.path.find("!/"); at != std::string::npos; at = file.path.find("!/", at + 1)) {
      impl_->opened.insert(std::string_view(file.path).substr(0, at));
    }
  }
  if (options.cache != nullptr) impl_->LookUpCode();
}

ScanJob::~ScanJob() = default;

std::size_t ScanJob::units() const noexcept { return impl_->units.size(); }

void ScanJob::RunUnit(std::size_t index) {
  const Impl& job = *impl_;
  const FileContext& file = job.files[index];
  Unit& unit = impl_->units[index];
  FileResult& result = unit.result;
  const std::string_view text = file.text();
  if (unit.sha256.empty()) unit.sha256 = base::Sha256(text).ToHex();
  ScanCache* const cache = job.options.cache;
  std::string key;
  bool known = false;
  if (cache != nullptr) {
    key = UnitKey(file, unit.sha256, job.options, *job.rules);
    KeptUnit kept;
    if (const std::optional<std::string> bytes = cache->Get(key);
        bytes.has_value() && DecodeUnit(*bytes, file, *job.rules, kept)) {
      result = std::move(kept.result);
      unit.uses = std::move(kept.uses);
      known = true;
    }
  }
  if (!known) {
    job.AnalyzeFile(file, unit);
    if (cache != nullptr) cache->Put(key, EncodeUnit(result, unit.uses));
  }
  if (file.type == FileType::kArchive && job.opened.contains(file.file->path)) result.analysed = text.size();
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
  if (!IsCode(file.type) && file.type != FileType::kNotebook) return;
  if (text.size() > kMaxCodeBytes) {
    result.skipped.push_back(
        {file.file->path, core::SkipReason::kParserBudget, text.size(), "code over 8 MiB: text rules only"});
    return;
  }
  if (!job.known_code) Impl::Lower(file, unit);
}

// Everything that needs no other file, short of the code's meaning.
void ScanJob::Impl::AnalyzeFile(const FileContext& file, Unit& unit) const {
  FileResult& result = unit.result;
  const std::string_view text = file.text();
  AnalyzeArtifacts(file, result);
  if (!IsText(file.type) || IsUtf16(text)) return;
  AnalyzeText(file, *rules, result);
  result.analysed = text.size();
  JudgeBuildFile(file, result);
  if (!IsCode(file.type) || text.size() > kMaxCodeBytes || file.type == FileType::kPython ||
      file.type == FileType::kJavaScript || file.type == FileType::kTypeScript) {
    return;
  }
  const code::ShellScript script = code::ParseShell(text, {}, file.file->path);
  ShellContext context;
  context.file = file.index;
  context.place = ShellPlace::kScript;
  bool all = true;
  JudgeShell(code::AnalyzeShellScript(script, text, &all), context, result.findings, &unit.uses);
  if (!script.complete || !all) {
    result.skipped.push_back(
        {file.file->path, core::SkipReason::kParserBudget, 0, "shell script too long or too deep"});
  }
}

void ScanJob::Impl::Lower(const FileContext& file, Unit& unit) {
  switch (file.type) {
    case FileType::kPython:
      unit.module = std::make_unique<code::Module>(code::LowerPython(file.text(), file.index));
      break;
    case FileType::kJavaScript:
    case FileType::kTypeScript:
      unit.module = std::make_unique<code::Module>(
          code::LowerJavaScript(file.text(), file.index, file.type == FileType::kTypeScript,
                                file.type == FileType::kJavaScript || IsJsx(file.file->path)));
      break;
    case FileType::kNotebook:
      unit.code = NotebookCode(file.text());
      if (unit.code.empty()) return;
      unit.module = std::make_unique<code::Module>(code::LowerPython(unit.code, file.index));
      break;
    default:
      return;
  }
  if (!unit.module->complete) {
    unit.lowering.push_back({file.file->path, core::SkipReason::kParserBudget, 0, unit.module->stop});
  }
}

// The same files have the same meaning: nothing of the code need be parsed.
void ScanJob::Impl::LookUpCode() {
  std::vector<std::string> hashes;
  hashes.reserve(files.size());
  for (const FileContext& file : files) {
    units[file.index].sha256 = base::Sha256(file.text()).ToHex();
    hashes.push_back(units[file.index].sha256);
  }
  code_key = CodeKey(*view, hashes, options, *rules);
  const std::optional<std::string> bytes = options.cache->Get(code_key);
  if (!bytes.has_value()) return;
  code::CodeFacts facts;
  std::vector<core::SkippedPart> skipped;
  if (!DecodeCode(*bytes, files, *rules, facts, skipped)) return;
  known_code = std::move(facts);
  known_lowering = std::move(skipped);
}

// What an instruction file names, and what manifests start, runs in the agent whatever folder it lies in.
void ScanJob::Impl::RaiseReach(const SupplyFacts& supply) {
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_name;
  for (const FileContext& file : files) by_name[BaseName(file.file->path)].push_back(file.index);
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_folder;  // documents
  for (const FileContext& file : files) {
    if (file.reach == Reach::kDocument && !IsAboutPackage(file.file->path))
      by_folder[std::string(PrefixOf(file.file->path))].push_back(file.index);
  }
  std::vector<std::uint32_t> readers;  // texts that an agent is given, in the order in which they are come upon
  std::vector<std::uint32_t> scripts;  // of shells, that run
  const auto lift = [&](FileContext& file, Reach reach) {
    if (file.reach <= reach) return;
    if (file.type == FileType::kShell && reach <= Reach::kRuntime) scripts.push_back(file.index);
    const bool reads = reach == Reach::kAgent && file.reach == Reach::kDocument && !IsAboutPackage(file.file->path);
    file.reach = reach;
    if (reads && file.type == FileType::kMarkdown) readers.push_back(file.index);
  };
  const auto raise = [&](std::string_view folder, std::string_view mention, Reach reach) {
    const auto found = by_name.find(BaseName(mention));
    if (found == by_name.end()) return;
    for (const std::uint32_t index : found->second) {
      FileContext& file = files[index];
      const std::string_view path = file.file->path;
      const bool relative =
          path.size() == folder.size() + mention.size() && path.starts_with(folder) && path.ends_with(mention);
      // A name alone means the file wherever it lies below the instruction; a path must agree to its end.
      const bool below = path.starts_with(folder) && EndsInPath(path, mention);
      if (!relative && !below) continue;
      // A manifest's entry that lies in somebody else's package, or in a test's, is that one's.
      if (folder.empty() && !relative && IsAside(path.substr(0, path.size() - mention.size()))) continue;
      lift(file, reach);
    }
  };
  for (const FileContext& file : files) {
    if (files.size() > 1 && file.reach == Reach::kAgent && IsText(file.type) && IsInstructionFile(file.file->path))
      readers.push_back(file.index);
    if (file.type == FileType::kShell && file.reach <= Reach::kRuntime) scripts.push_back(file.index);
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    // By value: reach changes while we go.
    const FileContext file = files[readers[i]];
    std::unordered_set<std::string_view> mentions;
    // "license: complete terms in LICENSE.txt" has nobody follow the terms.
    const auto [begin, end] = LicenceLine(file.text());
    CollectMentions(file.text().substr(0, begin), mentions);
    CollectMentions(file.text().substr(end), mentions);
    if (base::HasBytes(file.text(), "`make ") || base::HasBytes(file.text(), "\nmake "))
      raise(PrefixOf(file.file->path), "Makefile", Reach::kAgent);
    for (const std::string_view mention : mentions) {
      if (BaseName(mention) != BaseName(file.file->path)) raise(PrefixOf(file.file->path), mention, Reach::kAgent);
    }
    if (!IsInstructionFile(file.file->path)) continue;
    std::unordered_set<std::string_view> folders;
    CollectFolders(file.text(), folders);
    for (const std::string_view folder : folders) {
      const auto inside = by_folder.find(std::string(PrefixOf(file.file->path)).append(folder));
      if (inside == by_folder.end()) continue;
      for (const std::uint32_t index : std::exchange(inside->second, {})) lift(files[index], Reach::kAgent);
    }
  }
  for (const std::string& entry : supply.entry_files) raise("", entry, Reach::kRuntime);
  for (const std::string& entry : supply.install_files) raise("", entry, Reach::kInstall);
  std::vector<std::string_view> sourced;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    sourced.clear();
    CollectSourced(files[scripts[i]].text(), sourced);
    const std::string_view folder = PrefixOf(files[scripts[i]].file->path);
    for (const std::string_view mention : sourced) {
      raise(folder, mention, files[scripts[i]].reach);
      if (!folder.empty()) raise(PrefixOf(folder.substr(0, folder.size() - 1)), mention, files[scripts[i]].reach);
    }
  }
}

void ScanJob::Impl::RunHooks(const SupplyFacts& supply, std::vector<RawFinding>& raw,
                             std::vector<code::CapabilityUse>& uses) {
  for (const HookCommand& hook : supply.hooks) {
    if (hook.file >= files.size()) continue;
    const code::ShellScript script = code::ParseShell(hook.command);
    ShellContext context;
    context.file = hook.file;
    context.whole = hook.bytes;
    context.place = ShellPlace::kHook;
    context.has_reach = true;
    const Reach own = files[hook.file].reach;
    const bool aside = own > Reach::kRuntime && !(hook.opens && (own == Reach::kBuild || own == Reach::kDocument));
    context.reach = aside ? std::max(hook.reach, own) : hook.reach;
    const std::size_t before = raw.size();
    JudgeShell(code::AnalyzeShellScript(script, hook.command), context, raw, &uses);
    if (hook.name != "prepare" || context.reach != Reach::kBuild) continue;
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

static std::optional<code::DataFormat> DataFormatOf(FileType type) {
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

code::CodeFacts ScanJob::Impl::RunCode(const std::vector<AgentHook>& hooks) {
  code::PackageModules package;
  std::vector<Reach> reach;
  for (const FileContext& file : files) {
    const Unit& unit = units[file.index];
    if (const std::optional<code::DataFormat> format = DataFormatOf(file.type)) {
      package.data.push_back({file.file->path, file.text(), *format});
    }
    if (unit.module == nullptr) continue;
    const auto index = static_cast<std::uint32_t>(package.modules.size());
    package.modules.push_back(unit.module.get());
    package.paths.push_back(file.file->path);
    reach.push_back(file.reach);
    const bool hook = std::ranges::any_of(
        hooks, [&](const AgentHook& own) { return own.script != nullptr && own.script->index == file.index; });
    if (hook) package.hooks.push_back(index);
    std::string name = file.file->path;
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos) name.resize(dot);
    if (unit.module->language == code::Language::kPython) {
      if (name.ends_with("/__init__")) name.resize(name.size() - 9);
      // "src/pkg/mod" is imported as pkg.mod: every suffix is a candidate, the first file keeps a name.
      std::replace(name.begin(), name.end(), '/', '.');
      for (std::size_t at = 0; at != std::string::npos; at = name.find('.', at)) {
        if (at != 0) ++at;
        package.by_import.emplace(name.substr(at), index);
        if (at == 0) at = 1;
      }
    } else {
      package.by_import.emplace(name, index);
    }
  }
  if (package.modules.empty()) return {};
  code::CodeFacts facts = code::AnalyzeCode(package, reach);
  for (const std::uint32_t file : facts.unfinished) {
    units[file].lowering.push_back({files[file].file->path, core::SkipReason::kParserBudget, 0,
                                    "flows too entangled to be followed to their end"});
  }
  JudgeToldTexts(facts.told, files, *rules, facts.findings);
  return facts;
}

Identity ScanJob::Impl::IdentityOf(const ScanReport& report) const {
  Identity identity;
  AddWords(report.name, identity.words);
  for (const FileContext& file : files) {
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

void ScanJob::Impl::FillFiles(ScanReport& report) {
  for (const FileContext& file : files) {
    Unit& unit = units[file.index];
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
  for (const core::SkippedPart& part : view->skipped) {
    report.coverage.bytes += part.bytes;
    report.coverage.skipped.push_back(part);
  }
}

ScanReport ScanJob::Finish() {
  Impl& job = *impl_;
  ScanReport report;
  report.target = job.view->target;
  report.kind = job.kind;
  report.layers = {"static"};
  report.rules_version = job.rules->version();

  std::vector<RawFinding> raw;
  SupplyFacts supply = AnalyzeSupply(*job.view, job.files, job.options.vulnerabilities);
  job.RaiseReach(supply);
  ReadIdentity(job.files, supply, report);
  std::vector<code::CapabilityUse> uses;
  for (Unit& unit : job.units) {
    std::move(unit.result.findings.begin(), unit.result.findings.end(), std::back_inserter(raw));
    std::move(unit.uses.begin(), unit.uses.end(), std::back_inserter(uses));
  }
  std::move(supply.findings.begin(), supply.findings.end(), std::back_inserter(raw));
  AnalyzeBytecode(*job.view, job.files, raw);
  job.RunHooks(supply, raw, uses);
  const std::vector<AgentHook> hooks = AgentHooksOf(supply, job.files);
  std::vector<core::SkippedPart> lowering = std::move(job.known_lowering);
  for (Unit& unit : job.units) {
    std::move(unit.lowering.begin(), unit.lowering.end(), std::back_inserter(lowering));
  }
  code::CodeFacts facts = job.known_code ? std::move(*job.known_code) : job.RunCode(hooks);
  if (job.options.cache != nullptr && !job.known_code)
    job.options.cache->Put(job.code_key, EncodeCode(facts, lowering));
  std::move(lowering.begin(), lowering.end(), std::back_inserter(report.coverage.skipped));
  // What is put into an agent's memory, the agent reads.
  for (const std::string& path : facts.given) {
    std::string_view name = path;
    while (name.starts_with("./")) name.remove_prefix(2);
    for (FileContext& file : job.files) {
      if (name.size() >= 3 && EndsInPath(file.file->path, name) && file.reach > Reach::kAgent)
        file.reach = Reach::kAgent;
    }
  }
  std::move(facts.findings.begin(), facts.findings.end(), std::back_inserter(raw));
  JudgeAgentHooks(hooks, job.files, raw);
  std::move(uses.begin(), uses.end(), std::back_inserter(facts.uses));
  JudgeTogether(job.files, facts.uses, raw);
  JudgeInstalls(job.files, facts.uses, raw);
  JudgePromises(job.files, facts, raw);
  JudgeUndisclosed(job.files, facts, report.name, raw);
  ReadListings(job.files, report);
  ComparePermissions(job.files, facts, ReadDeclaration(job.files), report, raw);
  AnalyzeToolSet(job.files, report, raw);
  JudgeRights(job.files, report, raw);
  JudgeAskedRights(job.files, raw);

  report.dependencies = std::move(supply.dependencies);
  report.vulnerabilities = std::move(supply.vulnerabilities);
  job.FillFiles(report);
  for (core::SkippedPart& part : supply.skipped) {
    // Named once, however many analysers read the file as settings.
    const bool known = std::ranges::any_of(report.coverage.skipped, [&](const core::SkippedPart& other) {
      return other.path == part.path && other.detail == part.detail;
    });
    if (!known) report.coverage.skipped.push_back(std::move(part));
  }
  VerdictInput input;
  input.files = &job.files;
  input.rules = job.rules;
  input.options = &job.options;
  input.identity = job.IdentityOf(report);
  Judge(std::move(raw), input, report);
  return report;
}

ScanReport Scan(const core::PackageView& view, const ScanOptions& options) {
  ScanJob job(view, options);
  for (std::size_t i = 0; i < job.units(); ++i) job.RunUnit(i);
  return job.Finish();
}

}  // namespace interlock::scan
