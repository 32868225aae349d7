// File types and places: tables of names, magic numbers and path segments.
#include "static/classify.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <initializer_list>
#include <set>
#include <string>

#include "interlock/base/find_bytes.h"
#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/bytes.h"

namespace interlock::scan {
namespace {

using std::string_view;

struct NameType {
  string_view name;
  FileType type;
};

// Extensions, lower case, without the dot.
constexpr NameType kExtensions[] = {
    {"md", FileType::kMarkdown},
    {"mdx", FileType::kMarkdown},
    {"mdc", FileType::kMarkdown},
    {"markdown", FileType::kMarkdown},
    {"py", FileType::kPython},
    {"pyw", FileType::kPython},
    {"pyi", FileType::kPython},
    {"js", FileType::kJavaScript},
    {"mjs", FileType::kJavaScript},
    {"cjs", FileType::kJavaScript},
    {"jsx", FileType::kJavaScript},
    {"ts", FileType::kTypeScript},
    {"tsx", FileType::kTypeScript},
    {"mts", FileType::kTypeScript},
    {"cts", FileType::kTypeScript},
    {"sh", FileType::kShell},
    {"bash", FileType::kShell},
    {"zsh", FileType::kShell},
    {"command", FileType::kShell},
    {"ps1", FileType::kShell},
    {"psm1", FileType::kShell},
    {"bats", FileType::kShell},
    {"bat", FileType::kShell},
    {"cmd", FileType::kShell},
    {"fish", FileType::kShell},
    {"ksh", FileType::kShell},
    {"json", FileType::kJson},
    {"jsonc", FileType::kJson},
    {"json5", FileType::kJson},
    {"jsonl", FileType::kJson},
    {"ndjson", FileType::kJson},
    {"webmanifest", FileType::kJson},
    {"yaml", FileType::kYaml},
    {"yml", FileType::kYaml},
    {"toml", FileType::kToml},
    {"ini", FileType::kIni},
    {"cfg", FileType::kIni},
    {"conf", FileType::kIni},
    {"env", FileType::kIni},
    {"properties", FileType::kIni},
    {"html", FileType::kHtml},
    {"htm", FileType::kHtml},
    {"xhtml", FileType::kHtml},
    {"vue", FileType::kHtml},
    {"svelte", FileType::kHtml},
    {"xml", FileType::kXml},
    {"svg", FileType::kXml},
    {"ipynb", FileType::kNotebook},
    {"go", FileType::kGo},
    {"rs", FileType::kRust},
    {"java", FileType::kOtherSource},
    {"kt", FileType::kOtherSource},
    {"c", FileType::kOtherSource},
    {"h", FileType::kOtherSource},
    {"cc", FileType::kOtherSource},
    {"cpp", FileType::kOtherSource},
    {"hpp", FileType::kOtherSource},
    {"cs", FileType::kOtherSource},
    {"rb", FileType::kOtherSource},
    {"php", FileType::kOtherSource},
    {"pl", FileType::kOtherSource},
    {"lua", FileType::kOtherSource},
    {"swift", FileType::kOtherSource},
    {"scala", FileType::kOtherSource},
    {"r", FileType::kOtherSource},
    {"sql", FileType::kOtherSource},
    {"ex", FileType::kOtherSource},
    {"exs", FileType::kOtherSource},
    {"dart", FileType::kOtherSource},
    {"sol", FileType::kOtherSource},
    {"tf", FileType::kOtherSource},
    {"hcl", FileType::kOtherSource},
    {"nix", FileType::kOtherSource},
    {"applescript", FileType::kOtherSource},
    {"css", FileType::kOtherSource},
    {"scss", FileType::kOtherSource},
    {"proto", FileType::kOtherSource},
    {"graphql", FileType::kOtherSource},
    {"txt", FileType::kPlainText},
    {"rst", FileType::kPlainText},
    {"adoc", FileType::kPlainText},
    {"csv", FileType::kPlainText},
    {"tsv", FileType::kPlainText},
    {"log", FileType::kPlainText},
    {"tmpl", FileType::kPlainText},
    {"j2", FileType::kPlainText},
    {"pyc", FileType::kPyc},
    {"pyo", FileType::kPyc},
    {"so", FileType::kElf},
    {"dll", FileType::kPe},
    {"exe", FileType::kPe},
    {"dylib", FileType::kMachO},
    {"wasm", FileType::kWasm},
    {"zip", FileType::kArchive},
    {"gz", FileType::kArchive},
    {"tgz", FileType::kArchive},
    {"tar", FileType::kArchive},
    {"bz2", FileType::kArchive},
    {"xz", FileType::kArchive},
    {"zst", FileType::kArchive},
    {"7z", FileType::kArchive},
    {"rar", FileType::kArchive},
    {"whl", FileType::kArchive},
    {"jar", FileType::kArchive},
    {"skill", FileType::kArchive},
    {"mcpb", FileType::kArchive},
    {"dxt", FileType::kArchive},
    {"png", FileType::kImage},
    {"jpg", FileType::kImage},
    {"jpeg", FileType::kImage},
    {"gif", FileType::kImage},
    {"webp", FileType::kImage},
    {"ico", FileType::kImage},
    {"bmp", FileType::kImage},
    {"avif", FileType::kImage},
    {"tiff", FileType::kImage},
    {"woff", FileType::kFont},
    {"woff2", FileType::kFont},
    {"ttf", FileType::kFont},
    {"otf", FileType::kFont},
    {"eot", FileType::kFont},
    {"mp3", FileType::kMedia},
    {"mp4", FileType::kMedia},
    {"wav", FileType::kMedia},
    {"webm", FileType::kMedia},
    {"mov", FileType::kMedia},
    {"ogg", FileType::kMedia},
    {"flac", FileType::kMedia},
    {"pdf", FileType::kPdf},
    {"docx", FileType::kOffice},
    {"xlsx", FileType::kOffice},
    {"pptx", FileType::kOffice},
    {"doc", FileType::kOffice},
    {"xls", FileType::kOffice},
    {"odt", FileType::kOffice},
    {"bin", FileType::kBinary},
    {"dat", FileType::kBinary},
    {"pkl", FileType::kBinary},
    {"parquet", FileType::kBinary},
    {"npy", FileType::kBinary},
    {"onnx", FileType::kBinary},
    {"db", FileType::kBinary},
    {"sqlite", FileType::kBinary},
};

constexpr NameType kNames[] = {
    {"dockerfile", FileType::kDockerfile},
    {"containerfile", FileType::kDockerfile},
    {"requirements.txt", FileType::kRequirements},
    {"pipfile", FileType::kToml},
    {"poetry.lock", FileType::kToml},
    {"uv.lock", FileType::kToml},
    {"cargo.lock", FileType::kToml},
    {"pipfile.lock", FileType::kJson},
    {".npmrc", FileType::kIni},
    {".pypirc", FileType::kIni},
    {".env", FileType::kIni},
    {".cursorrules", FileType::kMarkdown},
    {".windsurfrules", FileType::kMarkdown},
    {".clinerules", FileType::kMarkdown},
    {"yarn.lock", FileType::kPlainText},
    {".bashrc", FileType::kShell},
    {".zshrc", FileType::kShell},
    {".profile", FileType::kShell},
    {"gemfile", FileType::kOtherSource},
    {"makefile", FileType::kOtherSource},
    {"justfile", FileType::kOtherSource},
    {"jenkinsfile", FileType::kOtherSource},
};

bool StartsWith(string_view text, string_view start) { return text.substr(0, start.size()) == start; }

struct Magic {
  string_view bytes;
  std::size_t at;
  FileType type;
};

using namespace std::string_view_literals;
constexpr Magic kMagics[] = {
    {"\x7f"
     "ELF"sv,
     0, FileType::kElf},
    {"\xfe\xed\xfa\xce"sv, 0, FileType::kMachO},
    {"\xfe\xed\xfa\xcf"sv, 0, FileType::kMachO},
    {"\xcf\xfa\xed\xfe"sv, 0, FileType::kMachO},
    {"\xce\xfa\xed\xfe"sv, 0, FileType::kMachO},
    {"\0asm"sv, 0, FileType::kWasm},
    {"PK\x03\x04"sv, 0, FileType::kArchive},
    {"PK\x05\x06"sv, 0, FileType::kArchive},
    {"\x1f\x8b"sv, 0, FileType::kArchive},
    {"BZh"sv, 0, FileType::kArchive},
    {"\xfd"
     "7zXZ\0"sv,
     0, FileType::kArchive},
    {"\x28\xb5\x2f\xfd"sv, 0, FileType::kArchive},
    {"7z\xbc\xaf\x27\x1c"sv, 0, FileType::kArchive},
    {"Rar!\x1a\x07"sv, 0, FileType::kArchive},
    {"ustar"sv, 257, FileType::kArchive},
    {"\x89PNG\r\n\x1a\n"sv, 0, FileType::kImage},
    {"\xff\xd8\xff"sv, 0, FileType::kImage},
    {"GIF87a"sv, 0, FileType::kImage},
    {"GIF89a"sv, 0, FileType::kImage},
    {"WEBP"sv, 8, FileType::kImage},
    {"\0\0\x01\0"sv, 0, FileType::kImage},
    {"wOFF"sv, 0, FileType::kFont},
    {"wOF2"sv, 0, FileType::kFont},
    {"OTTO"sv, 0, FileType::kFont},
    {"\0\x01\0\0\0"sv, 0, FileType::kFont},
    {"%PDF-"sv, 0, FileType::kPdf},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, 0, FileType::kOffice},
    {"ID3"sv, 0, FileType::kMedia},
    {"ftyp"sv, 4, FileType::kMedia},
    {"OggS"sv, 0, FileType::kMedia},
    {"fLaC"sv, 0, FileType::kMedia},
};

// CPython's magic: two bytes of version, then CR LF.
bool LooksLikePyc(string_view bytes) {
  return bytes.size() >= 16 && bytes[2] == '\r' && bytes[3] == '\n' &&
         (bytes[1] == '\r' || bytes[1] == '\f' || bytes[1] == '\x0e');
}

bool IsOddControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' &&
         c != '\x1b';
}

bool LooksBinary(string_view bytes) {
  const string_view head = bytes.substr(0, 8192);
  if (head.find('\0') != string_view::npos) return true;
  std::size_t odd = 0;
  std::size_t i = 0;
  // Nearly all sixteen have none of them; then there is nothing to count.
  for (; i + 16 <= head.size(); i += 16) {
    const Bytes16 c = LoadBytes(head.data() + i);
    if (!AnyHigh(reinterpret_cast<Bytes16>((c < 0x20) & (c != '\n')))) continue;
    for (std::size_t k = i; k < i + 16; ++k) odd += IsOddControl(head[k]) ? 1U : 0U;
  }
  for (; i < head.size(); ++i) odd += IsOddControl(head[i]) ? 1U : 0U;
  return odd * 20 > head.size();
}

// At most one byte in two hundred is none of a text's.
bool MostlyText(string_view bytes) {
  const string_view head = bytes.substr(0, 8192);
  const auto odd = std::ranges::count_if(head, IsOddControl);
  return static_cast<std::size_t>(odd) * 200 <= head.size();
}

FileType FromShebang(string_view bytes) {
  if (!StartsWith(bytes, "#!")) return FileType::kUnknownText;
  const string_view line = bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 200));
  const auto has = [&](string_view word) { return line.find(word) != string_view::npos; };
  if (has("python") || has("uv run") || has("pypy")) return FileType::kPython;
  if (has("ts-node") || has("tsx") || has("deno")) return FileType::kTypeScript;
  if (has("node") || has("bun")) return FileType::kJavaScript;
  if (has("sh")) return FileType::kShell;
  return FileType::kOtherSource;
}

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

constexpr std::size_t kMostOfHead = std::size_t{256} << 10;  // bytes of a file that tell the kind of its package
constexpr std::size_t kSmallTable = std::size_t{64} << 10;

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
    if (file.reach == core::Reach::kRuntime && IsDataType(file.type) && folders.contains(folder_of(file)))
      file.reach = core::Reach::kTest;
  }
}

}  // namespace

std::string_view NameOf(FileType type) noexcept {
  constexpr std::array<string_view, 31> names = {
      "text",       "markdown", "python", "javascript", "typescript", "go",     "rust",     "shell",
      "json",       "yaml",     "toml",   "ini",        "html",       "xml",    "notebook", "requirements",
      "dockerfile", "source",   "plain",  "pyc",        "elf",        "pe",     "macho",    "wasm",
      "archive",    "image",    "font",   "media",      "pdf",        "office", "binary"};
  const auto i = static_cast<std::size_t>(type);
  return i < names.size() ? names[i] : string_view{};
}

bool IsText(FileType type) noexcept { return type <= FileType::kPlainText; }

bool IsCode(FileType type) noexcept {
  return type == FileType::kPython || type == FileType::kJavaScript || type == FileType::kTypeScript ||
         type == FileType::kGo || type == FileType::kRust || type == FileType::kShell;
}

bool EndsInPath(string_view path, string_view named) noexcept {
  return path.ends_with(named) && (path.size() == named.size() || path[path.size() - named.size() - 1] == '/');
}

string_view FolderOf(string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == string_view::npos ? string_view() : path.substr(0, slash);
}

bool JoinPath(string_view folder, string_view relative, std::string& out) {
  std::vector<string_view> parts;
  for (string_view text : {folder, relative}) {
    while (!text.empty()) {
      const std::size_t slash = text.find('/');
      const string_view part = text.substr(0, slash);
      text = slash == string_view::npos ? string_view() : text.substr(slash + 1);
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (parts.empty()) return false;
        parts.pop_back();
      } else {
        parts.push_back(part);
      }
    }
  }
  out.clear();
  for (const string_view part : parts) {
    if (!out.empty()) out += '/';
    out += part;
  }
  return true;
}

string_view BaseName(string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == string_view::npos ? path : path.substr(slash + 1);
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

FileType TypeOfName(string_view path) noexcept {
  const std::string base = LowerCase(BaseName(path));
  for (const NameType& row : kNames) {
    if (base == row.name) return row.type;
  }
  if (StartsWith(base, "dockerfile")) return FileType::kDockerfile;
  if (StartsWith(base, "requirements") && base.ends_with(".txt")) return FileType::kRequirements;
  if (StartsWith(base, ".env")) return FileType::kIni;
  const std::size_t dot = base.rfind('.');
  if (dot == std::string::npos) return FileType::kUnknownText;
  const string_view extension = string_view(base).substr(dot + 1);
  for (const NameType& row : kExtensions) {
    if (extension == row.name) return row.type;
  }
  return FileType::kUnknownText;
}

FileType TypeOfContent(string_view bytes, FileType claimed) noexcept {
  if (bytes.empty()) return claimed;
  for (const Magic& magic : kMagics) {
    if (bytes.size() >= magic.at + magic.bytes.size() && bytes.substr(magic.at, magic.bytes.size()) == magic.bytes) {
      // Office documents are zip archives with a claim; "ID3" and the like are short enough to start a text.
      if (magic.type == FileType::kArchive && claimed == FileType::kOffice) return claimed;
      if (magic.bytes.size() <= 3 && !LooksBinary(bytes)) continue;
      return magic.type;
    }
  }
  if (bytes.size() > 0x40 && StartsWith(bytes, "MZ") && LooksBinary(bytes)) return FileType::kPe;
  if (LooksLikePyc(bytes)) return FileType::kPyc;
  if (StartsWith(bytes, "\xff\xfe") || StartsWith(bytes, "\xfe\xff"))
    return IsText(claimed) ? claimed : FileType::kUnknownText;
  // A script with a stray zero byte in a string runs as one; it is read as one.
  if (IsCode(claimed) && MostlyText(bytes)) return claimed;
  if (LooksBinary(bytes))
    return IsText(claimed) ? FileType::kBinary : (claimed == FileType::kUnknownText ? FileType::kBinary : claimed);
  // Text from here on.
  const FileType shebang = FromShebang(bytes);
  if (IsText(claimed) && claimed != FileType::kUnknownText && claimed != FileType::kPlainText) return claimed;
  if (shebang != FileType::kUnknownText) return shebang;
  if (IsText(claimed)) return claimed;
  return FileType::kUnknownText;
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
  ForEachSegment(lower, [&](string_view part, bool last) {
    if (last) return true;
    if (Among(part, {"node_modules", "vendor", "third_party", "third-party", "vendored", "site-packages", ".venv",
                     "venv", "bower_components", ".yarn"})) {
      decide(core::Reach::kVendored);
      return false;
    }
    if (Among(part, {"test",         "tests",     "__tests__",   "spec",          "specs",        "e2e",
                     "testdata",     "test-data", "test_data",   "test-vectors",  "test_vectors", "fixtures",
                     "__fixtures__", "mocks",     "__mocks__",   "cypress",       "benchmark",    "benchmarks",
                     "bench",        "evals",     "evaluations", "__snapshots__", "testing"})) {
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
        reach != core::Reach::kAgent) {
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
  if (StartsWith(base, "test_") || base == "conftest.py" || base.find("_test.") != string_view::npos ||
      base.find(".test.") != string_view::npos || base.find(".spec.") != string_view::npos) {
    return core::Reach::kTest;
  }
  if (base == "setup.py" || base == "binding.gyp" || base == "build.rs") return core::Reach::kInstall;

  if (Among(base, {"makefile", "justfile", "noxfile.py", "tasks.py", "gulpfile.js", "gruntfile.js", "jenkinsfile",
                   "tox.ini", ".pre-commit-config.yaml", "fabfile.py", "taskfile.yml"}) ||
      base.find(".config.") != string_view::npos || StartsWith(base, ".eslintrc") || StartsWith(base, ".prettierrc") ||
      StartsWith(base, "docker-compose") || type == FileType::kDockerfile) {
    return core::Reach::kBuild;
  }
  if (base.ends_with(".map")) return core::Reach::kVendored;
  // What describes the package (Python's METADATA, licences) or was made from its sources (source maps, declarations).
  if (Among(base, {"metadata", "pkg-info", "record", "license", "licence", "copying", "notice", "authors", "changelog",
                   "changes"}) ||
      base.ends_with(".d.ts") || base.ends_with(".d.mts") || base.ends_with(".d.cts") ||
      type == FileType::kUnknownText) {
    return core::Reach::kDocument;
  }
  if (type == FileType::kMarkdown || type == FileType::kPlainText || type == FileType::kHtml ||
      type == FileType::kPdf || type == FileType::kOffice || docs) {
    return IsCode(type) ? core::Reach::kExample : core::Reach::kDocument;
  }
  return core::Reach::kRuntime;
}

namespace {

// The package's own first words say that it is for agents.
bool SaysAgents(const core::PackageFile& file, string_view base) {
  constexpr std::size_t kFirstWords = 1200;
  const std::size_t folder = file.path.find('/');
  const bool near = folder == std::string::npos || file.path.find('/', folder + 1) == std::string::npos;
  const bool about = Among(base, {"package.json", "pyproject.toml", "setup.cfg", "cargo.toml", "composer.json"}) ||
                     StartsWith(base, "readme") || base.ends_with(".gemspec") || base.ends_with(".csproj");
  if (!near || !about) return false;
  const std::string text = LowerCase(string_view(file.bytes).substr(0, kFirstWords));
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  for (const string_view name : {"agent", "agents", "llm", "llms", "mcp", "assistants", "toolpack"}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool begins = at == 0 || (!word(text[at - 1]) && text[at - 1] != '-');
      const bool ends = end == text.size() || (!word(text[end]) && text[end] != '-');
      if (begins && ends) return true;
    }
  }
  return false;
}

}  // namespace

PackageKind KindOfPackage(const core::PackageView& view) {
  bool skill = false;
  bool manifest = false;
  bool listing = false;
  bool config = false;
  bool code = false;
  bool mcp = false;
  bool tools = false;
  bool offers = false;
  bool tables = false;
  bool any_text = false;
  for (const core::PackageFile& file : view.files) {
    const std::string base = LowerCase(BaseName(file.path));
    const FileType type = TypeOfName(file.path);
    if (base == "skill.md") skill = true;
    if (file.path == core::kMcpListingPath) listing = true;
    const string_view head = string_view(file.bytes).substr(0, kMostOfHead);
    const auto has = [&](string_view word) { return base::FindBytes(head, word) != string_view::npos; };
    if (type == FileType::kJson) {
      if (has("\"mcpServers\"") || (base == "mcp.json" && has("\"servers\""))) config = true;
      // Beside code a table of tools counts where a package keeps its manifests: models of services speak of tools and
      // parameters too.
      const bool small = file.bytes.size() <= kSmallTable && std::count(file.path.begin(), file.path.end(), '/') <= 3;
      // A list of tools as the protocol spells them, with a key around it or without.
      const bool prompts = has("\"prompts\"") && has("\"messages\"") && has("\"description\"");
      manifest = manifest || prompts;
      tables = tables || (small && prompts);
      const bool listed = has("\"tools\"");
      const bool protocol = has("\"inputSchema\"") && (listed || (has("\"description\"") && has("\"name\"")));
      if (protocol || listed) {
        const bool other = has("\"input_schema\"") || (has("\"parameters\"") && has("\"description\""));
        manifest = manifest || protocol || (small && other);
        tables = tables || (small && (protocol || other));
      }
      if (base == "package.json" && has("modelcontextprotocol")) mcp = true;
    }
    if (type == FileType::kPython || type == FileType::kJavaScript || type == FileType::kTypeScript) {
      code = true;
      mcp = mcp || has("modelcontextprotocol") || has("FastMCP") || has("fastmcp") || has("from mcp") ||
            has("import mcp") || (has("tools/list") && (has("tools/call") || has("protocolVersion"))) ||
            (has("inputSchema") && has("\"tools\"") && has("\"description\""));
      tools = tools || has("langchain") || has("langgraph") || has("crewai") || has("autogen") || has("smolagents");
    }
    code = code || IsCode(type) || type == FileType::kOtherSource;
    if (type == FileType::kOtherSource || type == FileType::kGo || type == FileType::kRust) {
      mcp = mcp || has("modelcontextprotocol") || has("springframework.ai.tool") || has("mark3labs/mcp-go") ||
            has("rmcp::") || has("McpServerTool") || (has("tools/list") && has("tools/call"));
    }
    offers = offers || SaysAgents(file, base);
    any_text = any_text || IsText(type);
  }
  if (listing) return PackageKind::kMcpListing;
  if (skill) return PackageKind::kSkill;
  if (mcp) return PackageKind::kMcpServer;
  if (tools || (code && (tables || offers))) return PackageKind::kToolModule;
  if (manifest && !code) return PackageKind::kMcpListing;
  if (config && !code) return PackageKind::kClientConfig;
  if (code) return PackageKind::kCode;
  return any_text ? PackageKind::kText : PackageKind::kUnknown;
}

std::string_view NameOf(PackageKind kind) noexcept {
  constexpr std::array<string_view, 8> names = {"unknown",       "skill",       "mcp-server", "mcp-listing",
                                                "client-config", "tool-module", "code",       "text"};
  const auto i = static_cast<std::size_t>(kind);
  return i < names.size() ? names[i] : string_view{};
}

namespace {

constexpr std::size_t kMaxReaders = 64;                      // code files that are asked what they read
constexpr std::size_t kReaderHead = std::size_t{64} * 1024;  // ... and how far into each
constexpr std::size_t kMaxRead = 400;                        // documents that are asked about

// Prose that stands among the code and that code names is no document about the package: it is what the code hands out
// (prompts, resources, templates).
void FindProseThatCodeReads(std::vector<FileContext>& files) {
  std::vector<string_view> heads;
  std::size_t asked = 0;
  for (FileContext& prose : files) {
    if (prose.reach != core::Reach::kDocument || asked >= kMaxRead) continue;
    if (prose.type != FileType::kMarkdown && prose.type != FileType::kPlainText) continue;
    const string_view folder = FolderOf(prose.file->path);
    const std::string base = LowerCase(BaseName(prose.file->path));
    if (folder.empty() || folder == "package") continue;
    const string_view stem = string_view(base).substr(0, base.find('.'));
    if (Among(stem, {"readme", "changelog", "changes", "history", "contributing", "license", "licence", "security",
                     "todo", "requirements", "code_of_conduct", "authors", "notice", "robots", "llms", "top_level",
                     "entry_points", "sources", "dependency_links"})) {
      continue;
    }
    const std::string lower = LowerCase(folder);
    bool docs = lower.ends_with("-info");
    ForEachSegment(lower + "/", [&](string_view part, bool) {
      docs = docs || Among(part, {"docs", "doc", "documentation", "site", "website"});
      return true;
    });
    if (docs) continue;
    ++asked;
    if (heads.empty()) {
      for (const FileContext& code : files) {
        if (IsCode(code.type) && code.reach <= core::Reach::kRuntime && heads.size() < kMaxReaders) {
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
      return quoted(text, name) ||
             (!extension.empty() && last != "src" && quoted(text, last) && text.find(extension) != string_view::npos);
    });
    if (read) prose.reach = core::Reach::kRuntime;
  }
}

}  // namespace

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
  if (kind == PackageKind::kMcpServer || kind == PackageKind::kToolModule || kind == PackageKind::kSkill)
    FindProseThatCodeReads(files);
  if (files.size() > 1) FindCollections(files);
  return files;
}

LineIndex::LineIndex(string_view text) : text_(text) {
  starts_.push_back(0);
  const char* begin = text.data();
  const char* at = begin;
  const char* end = begin + text.size();
  while (at < end) {
    const void* line = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (line == nullptr) break;
    at = static_cast<const char*>(line) + 1;
    starts_.push_back(static_cast<std::uint32_t>(at - begin));
  }
}

LineIndex::Place LineIndex::At(std::size_t offset) const noexcept {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(next - starts_.begin());
  const std::size_t begin = starts_[line - 1];
  const std::size_t end = std::min(offset, text_.size());
  // Continuation bytes add nothing; a four-byte sequence is a surrogate pair. Columns far out on one line are left as
  // bytes, so that many findings on a line of megabytes stay linear.
  constexpr std::size_t kFar = std::size_t{64} * 1024;
  std::uint32_t units = 0;
  if (end - begin > kFar) {
    units = static_cast<std::uint32_t>(end - begin);
  } else {
    for (std::size_t i = begin; i < end; ++i) {
      const auto byte = static_cast<unsigned char>(text_[i]);
      units += (byte & 0xC0) != 0x80 ? 1 : 0;
      units += byte >= 0xF0 ? 1 : 0;
    }
  }
  return {line, static_cast<std::uint32_t>(offset - begin) + 1, units + 1};
}

}  // namespace interlock::scan
