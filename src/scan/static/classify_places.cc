// What the place of a file says: whether it runs in the agent, is given to it, or lies aside.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "static/ascii.h"
#include "static/classify.h"
#include "static/started_scripts.h"

namespace interlock::scan {
namespace {

using std::string_view;

template <class Visit>
void ForEachSegment(string_view path, Visit visit) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const string_view part = path.substr(0, slash);
    if (!visit(part, slash == string_view::npos)) return;
    if (slash == string_view::npos) return;
    path.remove_prefix(slash + 1);
  }
}

bool IsDataType(FileType type) {
  return type == FileType::kJson || type == FileType::kYaml || type == FileType::kPlainText ||
         type == FileType::kUnknownText;
}

bool Has(string_view text, std::initializer_list<string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](string_view word) { return text.find(word) != string_view::npos; });
}

// What a guard is taught and measured by: datasets/attacks/encoded.json. Nothing of it is given as an order.
bool IsCollectionOfAttacks(string_view lower_path, FileType type) {
  return IsDataType(type) &&
         Has(lower_path, {"dataset", "corpus/", "data/patterns/", "data/embeddings/", "signatures/"}) &&
         Has(lower_path, {"attack", "injection", "jailbreak"});
}

// {"kind": "attack", ...} beside {"kind": "benign", ...}: rows that somebody has labelled, to measure by.
bool HoldsLabelledRows(const FileContext& file) {
  const string_view path = file.file->path;
  if (file.type != FileType::kJson || (!path.ends_with(".jsonl") && !path.ends_with(".ndjson"))) return false;
  constexpr std::size_t kMostRead = std::size_t{64} << 10;
  const std::string text = LowerCase(file.text().substr(0, kMostRead));
  const auto labels = [&](std::initializer_list<string_view> words) {
    std::size_t count = 0;
    for (const string_view key : {"\"kind\":", "\"label\":", "\"type\":", "\"category\":", "\"class\":"}) {
      for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
        const std::size_t open = text.find_first_not_of(' ', at + key.size());
        if (open == std::string::npos || text[open] != '"') continue;
        const string_view word = string_view(text).substr(open + 1, 24);
        if (std::ranges::any_of(words, [&](string_view one) { return word.starts_with(one); })) ++count;
      }
    }
    return count;
  };
  return labels({"attack", "injection", "jailbreak", "malicious", "unsafe", "adversarial"}) >= 2 &&
         labels({"benign", "twin", "safe", "clean", "honest", "control", "normal"}) >= 2;
}

// pattern: (?i)ignore\s+(all|previous)\s+..., many of them: what a guard looks for is written as patterns, and gives no
// order.
bool HoldsPatterns(const FileContext& file) {
  if (file.type != FileType::kYaml && file.type != FileType::kJson && file.type != FileType::kToml) return false;
  constexpr std::size_t kMostRead = std::size_t{64} << 10;
  constexpr std::size_t kFewest = 6;
  const string_view text = file.text().substr(0, kMostRead);
  if (!Has(text, {"pattern", "regex"}) || !Has(text, {"severity", "category", "remediation", "confidence"}))
    return false;
  std::size_t signs = 0;
  for (const string_view sign : {"(?i)", "\\s+", "\\b"}) {
    for (std::size_t at = text.find(sign); at != string_view::npos; at = text.find(sign, at + 1)) ++signs;
  }
  return signs >= kFewest;
}

// Settings and manifests say what runs, whatever stands beside them or in them.
bool IsConfiguration(const FileContext& file) {
  const string_view path = file.file->path;
  if (path.starts_with('.') || path.find("/.") != string_view::npos) return true;
  static constexpr auto kNames = std::to_array<string_view>(
      {"package.json", "composer.json", "deno.json", "mcp.json", "hooks.json", "plugin.json", "settings.json",
       "manifest.json", "server.json", "opencode.json", "gemini-extension.json", "claude_desktop_config.json",
       "smithery.yaml", "action.yml", "action.yaml", "pyproject.toml", "cargo.toml", "project.json", "tasks.json"});
  if (std::ranges::find(kNames, LowerCase(BaseName(path))) != kNames.end()) return true;
  return Has(file.text(), {"\"mcpServers\"", "\"hooks\"", "mcp_servers"});
}

// The files beside one of them: what else the guard looks for.
void FindCollections(std::vector<FileContext>& files) {
  std::set<string_view> folders;
  const auto folder_of = [](const FileContext& file) {
    const string_view path = file.file->path;
    return path.substr(0, path.size() - BaseName(path).size());
  };
  for (const FileContext& file : files) {
    const bool rows = file.reach == core::Reach::kRuntime && HoldsLabelledRows(file);
    if (rows || IsCollectionOfAttacks(LowerCase(file.file->path), file.type)) folders.insert(folder_of(file));
  }
  for (FileContext& file : files) {
    if (file.reach != core::Reach::kRuntime || IsConfiguration(file)) continue;
    if ((IsDataType(file.type) && folders.contains(folder_of(file))) || HoldsPatterns(file))
      file.reach = core::Reach::kTest;
  }
}

constexpr std::size_t kMaxReaders = 64;                      // code files that are asked what they read
constexpr std::size_t kReaderHead = std::size_t{64} * 1024;  // ... and how far into each
constexpr std::size_t kMaxRead = 400;                        // documents that are asked about

bool AsksModel(string_view text) {
  return Has(text, {"chat.completions", "messages.create(", "SystemMessage(", "generate_content(", "responses.create(",
                    "generateText(", "streamText(", "\"role\": \"system\"", "role: \"system\"", "role: 'system'"});
}

// Prose that stands among the code and that code names is no document about the package: it is what the code hands out
// (prompts, resources, templates).
// `asks_only`: of programs that ask a model.
void FindProseThatCodeReads(std::vector<FileContext>& files, bool asks_only) {
  std::vector<string_view> heads;
  std::size_t asked = 0;
  for (FileContext& prose : files) {
    if (prose.reach != core::Reach::kDocument || asked >= kMaxRead) continue;
    if (prose.type != FileType::kMarkdown && prose.type != FileType::kPlainText) continue;
    const string_view folder = FolderOf(prose.file->path);
    const std::string base = LowerCase(BaseName(prose.file->path));
    const bool top = folder.empty() || folder == "package";
    const string_view stem = string_view(base).substr(0, base.find('.'));
    if (Among(stem, {"readme", "changelog", "changes", "history", "contributing", "license", "licence", "security",
                     "todo", "requirements", "code_of_conduct", "authors", "notice", "robots", "llms", "top_level",
                     "entry_points", "sources", "dependency_links"})) {
      continue;
    }
    const std::string lower = LowerCase(folder);
    bool docs = lower.ends_with("-info");
    ForEachSegment(lower + "/", [&](string_view part, bool) {
      // Plans and notes of those who write the package; .claude and its like are read by agents as they are.
      docs = docs || part.starts_with('.') ||
             Among(part, {"docs", "doc", "documentation", "site", "website", "plans", "plan", "specs", "adr", "adrs",
                          "rfcs", "rfc", "planning", "roadmap"});
      return true;
    });
    if (docs) continue;
    ++asked;
    if (heads.empty()) {
      for (const FileContext& code : files) {
        if (IsCode(code.type) && code.reach <= core::Reach::kRuntime && heads.size() < kMaxReaders &&
            BaseName(code.file->path) != "setup.py" && (!asks_only || AsksModel(code.text().substr(0, kReaderHead)))) {
          heads.push_back(code.text().substr(0, kReaderHead));
        }
      }
      if (heads.empty()) return;
    }
    const string_view last = BaseName(folder);
    const string_view name = BaseName(prose.file->path);
    const string_view extension = name.substr(std::min(name.rfind('.'), name.size()));
    const auto quoted = [](string_view text, string_view word) {
      for (std::size_t at = text.find(word); at != string_view::npos; at = text.find(word, at + 1)) {
        const char before = at == 0 ? ' ' : text[at - 1];
        const char after = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        const auto ends = [](char c) { return c == '"' || c == '\'' || c == '/' || c == '`'; };
        if (ends(before) && ends(after)) return true;
      }
      return false;
    };
    const bool read = std::ranges::any_of(heads, [&](string_view text) {
      return quoted(text, name) || (!top && !extension.empty() && last != "src" && quoted(text, last) &&
                                    text.find(extension) != string_view::npos);
    });
    if (read) prose.reach = core::Reach::kRuntime;
  }
}

// Where all programs lie among tests and examples, they are what there is to run.
void LiftOnlyPrograms(std::vector<FileContext>& files) {
  const auto program = [](const FileContext& file) { return IsCode(file.runs()) && !file.text().empty(); };
  const bool own = std::ranges::any_of(files, [&](const FileContext& file) {
    return (program(file) && file.reach <= core::Reach::kRuntime) || file.type == FileType::kOtherSource;
  });
  if (own) return;
  for (FileContext& file : files) {
    if (program(file) && (file.reach == core::Reach::kTest || file.reach == core::Reach::kExample))
      file.reach = core::Reach::kRuntime;
  }
}

// What builds, checks and releases the package; by the name, lower case.
bool IsOfBuild(string_view base) {
  static constexpr auto kNames = std::to_array<string_view>(
      {"makefile",     "justfile",       "noxfile.py",   "tasks.py",      "gulpfile.js",
       "gruntfile.js", "jenkinsfile",    "tox.ini",      "fabfile.py",    ".pre-commit-config.yaml",
       "taskfile.yml", "cmakelists.txt", "meson.build",  "rakefile",      "fastfile",
       "tiltfile",     "sconstruct",     "sconscript",   "wscript",       "build",
       "workspace",    "pom.xml",        "nodemon.json", "project.json",  "vercel.json",
       "netlify.toml", ".replit",        "vagrantfile",  "skaffold.yaml", "appveyor.yml"});
  static constexpr auto kEndings = std::to_array<string_view>(
      {".gradle", ".gradle.kts", ".sbt", ".cmake", ".bzl", ".bazel", ".targets", ".props", ".csproj", ".fsproj",
       ".vbproj", ".vcxproj", ".pbxproj", ".pro", ".pri", ".podspec", ".podspec.json", ".spec"});
  static constexpr auto kStarts = std::to_array<string_view>({".eslintrc", ".prettierrc", "docker-compose"});
  return std::ranges::find(kNames, base) != kNames.end() ||
         std::ranges::any_of(kEndings, [&](string_view ending) { return base.ends_with(ending); }) ||
         std::ranges::any_of(kStarts, [&](string_view start) { return base.starts_with(start); });
}

}  // namespace

bool ShowsAttacks(string_view lower_path) noexcept {
  for (const string_view word :
       {"malicious", "vulnerable", "poisoned", "insecure", "evil-", "evil_", "attack", "unsafe"}) {
    if (lower_path.find(word) != string_view::npos) return true;
  }
  return false;
}

bool IsBrowserBundle(string_view path) noexcept {
  const string_view base = BaseName(path);
  const std::size_t dot = base.rfind('.');
  const std::size_t dash = base.find_last_of("-.", dot == string_view::npos ? dot : dot - 1);
  constexpr std::size_t kHash = 8;
  if (dot == string_view::npos || dash == string_view::npos || dot - dash - 1 < kHash) return false;
  bool assets = false;
  ForEachSegment(path, [&](string_view part, bool last) {
    assets = assets || (!last && Among(part, {"assets", "_next", "chunks", "static", "_app", "immutable"}));
    return !assets;
  });
  const string_view hash = base.substr(dash + 1, dot - dash - 1);
  // A word is no hash: those mix cases or digits.
  const bool mixed = std::ranges::any_of(hash, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
  return assets && mixed;
}

bool IsInstructionFile(string_view path) noexcept {
  const std::string base = LowerCase(BaseName(path));
  if (Among(base, {"skill.md", "skills.md", "agents.md", "agent.md", "claude.md", "gemini.md", ".cursorrules",
                   ".windsurfrules", ".clinerules", "copilot-instructions.md", "system_prompt.md", "system-prompt.md",
                   "prompt.md", "instructions.md"})) {
    return true;
  }
  if (base.ends_with(".mdc") || base.ends_with(".prompt.md") || base.ends_with(".instructions.md")) return true;
  bool hit = false;
  const std::string lower = LowerCase(path);
  ForEachSegment(lower, [&](string_view part, bool last) {
    if (!last && Among(part, {"commands", "agents", "prompts", "rules", "instructions"})) hit = base.ends_with(".md");
    return !hit;
  });
  return hit;
}

namespace {

// src/main/java/com/example/demo/Tool.java: the folders of a package of Java are its name, no places.
string_view WithoutPackageOfJava(string_view lower) {
  for (const string_view main : {"src/main/java/", "src/main/kotlin/", "src/main/scala/", "src/main/groovy/"}) {
    const std::size_t at = lower.find(main);
    if (at != string_view::npos) return lower.substr(0, at + main.size());
  }
  const bool java = lower.ends_with(".java") || lower.ends_with(".kt") || lower.ends_with(".scala");
  const string_view first = lower.substr(0, lower.find('/'));
  return java && Among(first, {"com", "org", "io", "net", "dev", "ai", "me"}) ? string_view() : lower;
}

}  // namespace

core::Reach ReachOfPath(string_view path, FileType type, PackageKind kind) noexcept {
  const std::string lower = LowerCase(path);
  const string_view base = BaseName(lower);
  core::Reach reach = core::Reach::kRuntime;
  bool decided = false;
  const auto decide = [&](core::Reach value) {
    reach = value;
    decided = true;
  };
  if (IsInstructionFile(path)) decide(core::Reach::kAgent);
  bool docs = false;
  const string_view places = WithoutPackageOfJava(lower);
  ForEachSegment(places, [&](string_view part, bool last) {
    if (last) return true;
    if (Among(part, {"node_modules", "vendor", "third_party", "third-party", "vendored", "site-packages", ".venv",
                     "venv", "bower_components", ".yarn"})) {
      decide(core::Reach::kVendored);
      return false;
    }
    if (Among(part, {"test",         "tests",      "__tests__",   "spec",          "specs",        "e2e",
                     "testdata",     "test-data",  "test_data",   "test-vectors",  "test_vectors", "fixtures",
                     "__fixtures__", "mocks",      "__mocks__",   "cypress",       "benchmark",    "benchmarks",
                     "bench",        "evals",      "evaluations", "__snapshots__", "testing",      "eval",
                     "test-utils",   "test_utils", "testutils",   "test-support",  "test_support", "redteam",
                     "red-team",     "red_team"})) {
      decide(core::Reach::kTest);
      return false;
    }
    if (Among(part, {".github", ".gitlab", ".circleci", ".husky", ".devcontainer", ".buildkite", ".azure-pipelines",
                     "ci", ".ci", ".changeset", ".idea"}) &&
        reach != core::Reach::kAgent) {  // .github/copilot-instructions.md, .github/prompts/
      // What whoever opens an issue starts from, and an agent that sorts issues is given.
      const bool form = (type == FileType::kMarkdown || type == FileType::kPlainText) &&
                        (lower.find("issue_template") != string_view::npos ||
                         lower.find("pull_request_template") != string_view::npos);
      decide(form ? core::Reach::kDocument : core::Reach::kBuild);
      return false;
    }
    if (Among(part,
              {"examples", "example", "samples", "sample", "demo", "demos", "cookbook", "playground", "tutorials"}) &&
        (reach != core::Reach::kAgent || ShowsAttacks(lower))) {
      decide(core::Reach::kExample);
      return false;
    }
    if (Among(part, {"docs", "doc", "documentation", "site", "website"}) && !decided) docs = true;
    // The helper scripts of a repository are not what runs in the agent; those of a skill are.
    if (part == "scripts" && kind != PackageKind::kSkill && kind != PackageKind::kCode &&
        kind != PackageKind::kUnknown && !decided) {
      decide(core::Reach::kBuild);
    }
    return true;
  });
  if (decided) return reach;
  if (IsCollectionOfAttacks(lower, type)) return core::Reach::kTest;
  if (base.starts_with("test_") || base == "conftest.py" || base.find("_test.") != string_view::npos ||
      base.find(".test.") != string_view::npos || base.find(".spec.") != string_view::npos) {
    return core::Reach::kTest;
  }
  if (base == "setup.py" || base == "binding.gyp" || base == "build.rs") return core::Reach::kInstall;

  if (IsOfBuild(base) || base.find(".config.") != string_view::npos || type == FileType::kDockerfile)
    return core::Reach::kBuild;
  if (base.ends_with(".map")) return core::Reach::kVendored;
  // What describes the package (Python's METADATA, licences) or was made from its sources (source maps, declarations).
  if (Among(base, {"metadata", "pkg-info", "record", "license", "licence", "copying", "notice", "authors", "changelog",
                   "changes"}) ||
      base.ends_with(".d.ts") || base.ends_with(".d.mts") || base.ends_with(".d.cts") ||
      type == FileType::kUnknownText) {
    return core::Reach::kDocument;
  }
  // skill/references/format.md is looked into by whoever follows the skill, named in it or not.
  const bool prose = (type == FileType::kMarkdown || type == FileType::kPlainText) && !base.starts_with("readme");
  if (kind == PackageKind::kSkill && prose &&
      Among(BaseName(FolderOf(lower)), {"references", "reference", "rules", "prompts", "workflows", "instructions"})) {
    return core::Reach::kAgent;
  }
  if (type == FileType::kMarkdown || type == FileType::kPlainText || type == FileType::kHtml ||
      type == FileType::kPdf || type == FileType::kOffice || docs) {
    return IsCode(type) ? core::Reach::kExample : core::Reach::kDocument;
  }
  return core::Reach::kRuntime;
}

std::vector<FileContext> ClassifyFiles(const core::PackageView& view, PackageKind kind) {
  std::vector<FileContext> files;
  files.reserve(view.files.size());
  for (std::size_t i = 0; i < view.files.size(); ++i) {
    const core::PackageFile& file = view.files[i];
    FileContext context;
    context.index = static_cast<std::uint32_t>(i);
    context.file = &file;
    context.claimed = TypeOfName(file.path);
    context.type = TypeOfContent(file.bytes, context.claimed);
    context.reach = ReachOfPath(file.path, context.type, kind);
    // A target that is nothing but a document or a single file is what the agent will be given.
    if (context.reach == core::Reach::kDocument && (kind == PackageKind::kText || view.files.size() == 1)) {
      context.reach = core::Reach::kAgent;
    }
    if (view.files.size() == 1 && context.reach > core::Reach::kRuntime) context.reach = core::Reach::kRuntime;
    // What a server lists is what the model reads; without a program there is nothing that would be tested by it.
    const bool listed = kind == PackageKind::kMcpListing && context.type == FileType::kJson &&
                        (view.files.size() == 1 || context.reach == core::Reach::kTest);
    if (listed) context.reach = core::Reach::kTool;
    files.push_back(context);
  }
  FindStartedScripts(files);
  FindEvaluatedTexts(files);
  if (files.size() > 1) FindCollections(files);
  const bool offers =
      kind == PackageKind::kMcpServer || kind == PackageKind::kToolModule || kind == PackageKind::kSkill;
  if (offers || kind == PackageKind::kCode) FindProseThatCodeReads(files, !offers);
  LiftOnlyPrograms(files);
  return files;
}

}  // namespace interlock::scan
