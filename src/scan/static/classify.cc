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
#include "static/part_set.h"

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
    {"kts", FileType::kOtherSource},
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
    {"gradle", FileType::kOtherSource},
    {"sbt", FileType::kOtherSource},
    {"cmake", FileType::kOtherSource},
    {"bzl", FileType::kOtherSource},
    {"bazel", FileType::kOtherSource},
    {"podspec", FileType::kOtherSource},
    {"gemspec", FileType::kOtherSource},
    {"rake", FileType::kOtherSource},
    {"rprofile", FileType::kOtherSource},
    {"exrc", FileType::kOtherSource},
    {"pro", FileType::kOtherSource},
    {"pri", FileType::kOtherSource},
    {"pbxproj", FileType::kOtherSource},
    {"spec", FileType::kOtherSource},
    {"targets", FileType::kXml},
    {"props", FileType::kXml},
    {"csproj", FileType::kXml},
    {"fsproj", FileType::kXml},
    {"vbproj", FileType::kXml},
    {"vcxproj", FileType::kXml},
    {"hook", FileType::kJson},
    {"replit", FileType::kToml},
    {"gitmodules", FileType::kIni},
    {"envrc", FileType::kShell},
    {"applescript", FileType::kOtherSource},
    {"vbs", FileType::kOtherSource},
    {"jl", FileType::kOtherSource},
    {"el", FileType::kOtherSource},
    {"vim", FileType::kOtherSource},
    {"hta", FileType::kHtml},
    {"plist", FileType::kXml},
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
    {"gguf", FileType::kBinary},  // numbers of a model: a format that holds no code
    {"ggml", FileType::kBinary},
    {"safetensors", FileType::kBinary},
    {"tflite", FileType::kBinary},
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
    {".gitconfig", FileType::kIni},
    {"gitconfig", FileType::kIni},
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
    {"rakefile", FileType::kOtherSource},
    {"vagrantfile", FileType::kOtherSource},
    {"podfile", FileType::kOtherSource},
    {"fastfile", FileType::kOtherSource},
    {"brewfile", FileType::kOtherSource},
    {"guardfile", FileType::kOtherSource},
    {"procfile", FileType::kOtherSource},
    {"tiltfile", FileType::kPython},  // its language is a part of Python's
    {"build", FileType::kOtherSource},
    {"workspace", FileType::kOtherSource},
    {"meson.build", FileType::kOtherSource},
    {"cmakelists.txt", FileType::kOtherSource},
    {"sconstruct", FileType::kPython},
    {"sconscript", FileType::kPython},
    {"wscript", FileType::kPython},
    {"pkgbuild", FileType::kShell},
    {"apkbuild", FileType::kShell},
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

// A program for a machine.
bool IsNative(string_view bytes) {
  return bytes.starts_with("MZ") || std::ranges::any_of(kMagics, [&](const Magic& magic) {
           return (magic.type == FileType::kElf || magic.type == FileType::kMachO) && bytes.starts_with(magic.bytes);
         });
}

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

bool DefinesInstall(string_view head) {
  return StartsWith(head, "post_install()") || head.find("\npost_install()") != string_view::npos;
}

constexpr std::size_t kMostOfHead = std::size_t{256} << 10;  // bytes of a file that tell the kind of its package
constexpr std::size_t kSmallTable = std::size_t{64} << 10;

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
  // A script with a stray zero byte in a string runs as one; it is read as one. So is a page.
  if ((IsCode(claimed) || claimed == FileType::kMarkdown) && MostlyText(bytes)) return claimed;
  if (LooksBinary(bytes))
    return IsText(claimed) ? FileType::kBinary : (claimed == FileType::kUnknownText ? FileType::kBinary : claimed);
  // Text from here on.
  const FileType shebang = FromShebang(bytes);
  if (IsText(claimed) && claimed != FileType::kUnknownText && claimed != FileType::kPlainText) return claimed;
  if (claimed == FileType::kUnknownText && DefinesInstall(bytes.substr(0, 8192)))
    return FileType::kShell;                                       // of a package of Arch
  if (StartsWith(bytes, "#cloud-config")) return FileType::kYaml;  // what a machine does when it starts first
  if (shebang != FileType::kUnknownText) return shebang;
  if (IsText(claimed)) return claimed;
  return FileType::kUnknownText;
}

namespace {

// Words by which programs in other languages than Python and JavaScript offer tools to agents: names of libraries, and
// of what they mark a tool with.
bool OffersTools(string_view head) {
  static constexpr PartSet kWords(std::to_array<string_view>({"modelcontextprotocol",
                                                              "ModelContextProtocol",
                                                              "springframework.ai.tool",
                                                              "springaicommunity.mcp",
                                                              "quarkiverse.mcp",
                                                              "micronaut.mcp",
                                                              "McpSchema.",
                                                              "@McpTool",
                                                              "mark3labs/mcp-go",
                                                              "metoro-io/mcp-golang",
                                                              "rmcp::",
                                                              "rust_mcp_sdk",
                                                              "McpServerTool",
                                                              "AddMcpServer",
                                                              "MCP::Tool",
                                                              "MCP::Server",
                                                              "FastMcp::",
                                                              "ActionMCP",
                                                              "#[McpTool",
                                                              "PhpMcp\\",
                                                              "Laravel\\Mcp",
                                                              "Mcp\\Server",
                                                              "import MCP",
                                                              "mcp_dart",
                                                              "dart_mcp",
                                                              "Hermes.Server",
                                                              "Anubis.Server"}));
  return kWords.AnyIn(head);
}

// What a manifest of such a program says that it is built with.
bool DependsOnServers(string_view base, string_view head) {
  const bool manifest =
      Among(base, {"pom.xml", "build.gradle", "build.gradle.kts", "libs.versions.toml", "gemfile", "package.swift",
                   "pubspec.yaml", "mix.exs", "build.sbt", "go.mod", "cargo.toml", "composer.json"}) ||
      base.ends_with(".gemspec") || base.ends_with(".csproj") || base.ends_with(".fsproj");
  static constexpr PartSet kWords(std::to_array<string_view>({"modelcontextprotocol",
                                                              "ModelContextProtocol",
                                                              "spring-ai-starter-mcp",
                                                              "spring-ai-mcp",
                                                              "quarkus-mcp-server",
                                                              "micronaut-mcp",
                                                              "mcp-go",
                                                              "mcp-golang",
                                                              "rmcp",
                                                              "rust-mcp-sdk",
                                                              "fast-mcp",
                                                              "fast_mcp",
                                                              "\"mcp\"",
                                                              "'mcp'",
                                                              "actionmcp",
                                                              "php-mcp/",
                                                              "mcp/sdk",
                                                              "laravel/mcp",
                                                              "swift-sdk",
                                                              "mcp_dart",
                                                              "dart_mcp",
                                                              "mcp_server",
                                                              "hermes_mcp",
                                                              "anubis_mcp"}));
  return manifest && kWords.AnyIn(head);
}

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
  bool native = false;    // a compiled program
  bool installs = false;  // ... and a manifest that installs one
  for (const core::PackageFile& file : view.files) {
    const std::string base = LowerCase(BaseName(file.path));
    const FileType type = TypeOfName(file.path);
    native = native || IsNative(file.bytes);
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
      if (base == "package.json" && has("\"bin\"")) {
        installs = true;
        // What is too large to be read, and is named here, is a program as well.
        native = native || std::ranges::any_of(view.skipped, [&](const core::SkippedPart& part) {
                   const string_view name = BaseName(part.path);
                   return !name.empty() && has(name);
                 });
      }
      // The manifest of a bundle that clients install: its tools are a server's, whatever the program is called.
      if (base == "manifest.json" && has("\"entry_point\"") && has("\"server\"") &&
          (has("\"dxt_version\"") || has("\"manifest_version\"") || has("\"mcpb_version\""))) {
        mcp = true;
      }
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
      mcp = mcp || OffersTools(head) || (has("tools/list") && has("tools/call")) ||
            (has("inputSchema") && has("description") && has("tools"));
      tools =
          tools || has("dev.langchain4j") || has("KernelFunction") || has("RubyLLM::Tool") || has("AIFunctionFactory");
    }
    mcp = mcp || DependsOnServers(base, head);
    offers = offers || SaysAgents(file, base);
    any_text = any_text || IsText(type);
  }
  code = code || (native && installs);
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
