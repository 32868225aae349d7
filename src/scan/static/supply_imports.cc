// What is installed, held against what the code imports: a made-up name in the place of the one that is meant, and
// names that only an organisation's own index has, asked from the public one as well.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/classify.h"
#include "static/supply_internal.h"
#include "static/surface.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxRead = std::size_t{128} << 10U;  // of one file, for its imports
constexpr std::size_t kMaxImports = 2000;
constexpr std::uint32_t kKnown = 10'000;  // rank of a package that a module of its name comes from
constexpr std::size_t kMostFindings = 5;

// Modules whose package has another name.
constexpr auto kPackages =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"pil", "pillow"},
                                                                  {"cv2", "opencv-python"},
                                                                  {"bs4", "beautifulsoup4"},
                                                                  {"yaml", "pyyaml"},
                                                                  {"sklearn", "scikit-learn"},
                                                                  {"skimage", "scikit-image"},
                                                                  {"pptx", "python-pptx"},
                                                                  {"docx", "python-docx"},
                                                                  {"dotenv", "python-dotenv"},
                                                                  {"dateutil", "python-dateutil"},
                                                                  {"fitz", "pymupdf"},
                                                                  {"jwt", "pyjwt"},
                                                                  {"magic", "python-magic"},
                                                                  {"serial", "pyserial"},
                                                                  {"crypto", "pycryptodome"},
                                                                  {"openssl", "pyopenssl"},
                                                                  {"markdown-it", "markdown-it-py"},
                                                                  {"git", "gitpython"},
                                                                  {"github", "pygithub"},
                                                                  {"telegram", "python-telegram-bot"},
                                                                  {"googleapiclient", "google-api-python-client"},
                                                                  {"psycopg2", "psycopg2-binary"},
                                                                  {"mysqldb", "mysqlclient"},
                                                                  {"zmq", "pyzmq"},
                                                                  {"jose", "python-jose"},
                                                                  {"multipart", "python-multipart"},
                                                                  {"slugify", "python-slugify"},
                                                                  {"nacl", "pynacl"},
                                                                  {"faiss", "faiss-cpu"},
                                                                  {"whisper", "openai-whisper"},
                                                                  {"usb", "pyusb"},
                                                                  {"levenshtein", "levenshtein"}});

// Names of the language's own modules that packages have too.
constexpr auto kOwn = std::to_array<std::string_view>(
    {"typing",   "dataclasses",  "argparse",  "logging",     "uuid",    "enum",     "pathlib", "contextvars",
     "asyncio",  "configparser", "futures",   "json",        "time",    "datetime", "email",   "html",
     "http",     "io",           "random",    "statistics",  "string",  "test",     "types",   "csv",
     "calendar", "code",         "select",    "signal",      "socket",  "ssl",      "struct",  "tokenize",
     "trace",    "unittest",     "wave",      "xml",         "secrets", "queue",    "profile", "platform",
     "parser",   "numbers",      "math",      "copy",        "cmd",     "re",       "os",      "sys",
     "ast",      "functools",    "itertools", "collections", "tomllib", "zoneinfo"});

std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool SaysNothing(std::string_view word) { return word == "python" || word == "py" || word == "lib" || word.size() < 3; }

// Every word of `target` that says something is one of `name`'s.
bool Speaks(const std::vector<std::string>& name, std::string_view target) {
  bool any = false;
  for (const std::string& word : WordsOf(target)) {
    if (SaysNothing(word)) continue;
    any = true;
    if (std::ranges::find(name, word) == name.end()) return false;
  }
  return any;
}

// "pdf-plumber-tools" speaks of pdfplumber.
bool SpeaksJoined(std::string_view name, std::string_view module) {
  constexpr std::size_t kLong = 6;
  std::string joined(name);
  std::erase(joined, '-');
  std::string target(module);
  std::erase(target, '-');
  return target.size() >= kLong && joined.find(target) != std::string::npos;
}

// The same package built otherwise: "pillow-simd", "opencv-python-headless".
bool IsBuild(const std::vector<std::string>& name, std::string_view target) {
  constexpr auto kBuilds = std::to_array<std::string_view>(
      {"simd", "headless", "gpu",  "cpu",  "binary", "contrib", "rolling", "nightly", "dev",
       "fork", "ng",       "lite", "ft",   "free",   "cuda",    "rocm",    "metal",   "mps",
       "slim", "full",     "base", "core", "bin",    "wheel",   "fips",    "arm64",   "macos"});
  const std::vector<std::string> words = WordsOf(target);
  return std::ranges::all_of(name, [&](const std::string& word) {
    const bool cuda = word.starts_with("cu") && word.find_first_not_of("0123456789", 2) == std::string::npos;
    return cuda || SaysNothing(word) || std::ranges::find(words, word) != words.end() ||
           std::ranges::find(kBuilds, std::string_view(word)) != kBuilds.end();
  });
}

// Modules of other people that Python files import, normalised, each with a place.
std::set<std::string> ImportsOf(const std::vector<FileContext>& files) {
  std::set<std::string> imports;
  for (const FileContext& file : files) {
    if (file.type != FileType::kPython || file.reach == Reach::kTest || file.reach == Reach::kVendored) continue;
    const std::string_view text = file.text().substr(0, kMaxRead);
    for (std::size_t at = 0; at < text.size() && imports.size() < kMaxImports;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = Trim(text.substr(at, end - at));
      at = end + 1;
      if (line.starts_with("import ")) {
        line.remove_prefix(7);
      } else if (line.starts_with("from ")) {
        line.remove_prefix(5);
      } else {
        continue;
      }
      line = Trim(line);
      const std::string_view module = line.substr(0, line.find_first_of(" .,;#\r"));
      if (module.size() >= 2 && module.size() < 60) imports.insert(NormalPypiName(module));
    }
  }
  return imports;
}

}  // namespace

void CheckImports(SupplyState& state, const std::vector<FileContext>& files) {
  const std::vector<Dependency>& all = state.facts.dependencies;
  std::set<std::string> declared;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].ecosystem != kPypi) continue;
    const std::string name = NormalPypiName(all[i].name);
    const bool first = declared.insert(name).second;
    const bool own = name == NormalPypiName(state.facts.package_name);
    const bool address = all[i].version.find("://") != std::string::npos;
    if (first && !own && !address && all[i].direct && !state.places[i].development && RankOf(kPypi, name) == 0) {
      unknown.push_back(i);
    }
  }
  if (unknown.empty()) return;
  const std::set<std::string> imports = ImportsOf(files);
  if (imports.empty()) return;
  std::size_t found = 0;
  for (const std::size_t index : unknown) {
    if (found >= kMostFindings) return;
    const std::string name = NormalPypiName(all[index].name);
    const std::vector<std::string> words = WordsOf(name);
    if (words.empty()) continue;  // "-": no name of anything
    // acme-common-mcp of acme-draw-mcp: the same hand's, which brings what it needs.
    constexpr std::size_t kName = 4;
    const std::vector<std::string> own_words = WordsOf(NormalPypiName(state.facts.package_name));
    if (own_words.size() > 1 && words.size() > 1 && words[0].size() >= kName && words[0] == own_words[0]) continue;
    // Its own module is imported: it is what is meant.
    std::string short_name = name;
    for (const std::string_view lead : {"python-", "py-", "py"}) {
      if (name.starts_with(lead) && name.size() > lead.size() + 2) short_name = name.substr(lead.size());
    }
    if (imports.contains(name) || imports.contains(short_name) || imports.contains(words.front() + "-" + "py"))
      continue;
    for (const std::string& module : imports) {
      if (std::ranges::find(kOwn, std::string_view(module)) != kOwn.end()) continue;
      const auto* const mapped =
          std::ranges::find(kPackages, std::string_view(module), &std::pair<std::string_view, std::string_view>::first);
      const std::string package = mapped != kPackages.end() ? std::string(mapped->second) : module;
      const std::uint32_t rank = RankOf(kPypi, package);
      if (rank == 0 || rank > kKnown ||
          (!Speaks(words, package) && !Speaks(words, module) && !SpeaksJoined(name, module)))
        continue;
      if (IsBuild(words, package)) continue;
      // Any other known package of that name may bring the module.
      const bool given = std::ranges::any_of(declared, [&](const std::string& other) {
        return other == package || other == module ||
               (RankOf(kPypi, other) != 0 &&
                (Speaks(WordsOf(other), package) || Speaks(WordsOf(other), module) || SpeaksJoined(other, module)));
      });
      if (given) continue;
      ++found;
      RawFinding finding;
      finding.rule = "SC-039";
      // A wheel says all that it needs, and what it needs brings what it is made for: streamlit-quill.
      if (IsPackageMetadata(files[state.places[index].file])) finding.scale = 0.45;
      finding.file = state.places[index].file;
      finding.bytes = state.places[index].bytes;
      finding.subject = all[index].name;
      finding.message =
          base::Printable(fmt::format("`{}` is installed where the code imports `{}`, which comes from `{}`",
                                      all[index].name, module, package),
                          300);
      finding.has_reach = true;
      finding.reach = Reach::kInstall;
      state.facts.findings.push_back(std::move(finding));
      break;
    }
  }
}

void CheckSharedIndexes(SupplyState& state, const std::vector<FileContext>& files) {
  const auto is_list = [&](std::uint32_t file) {
    return file < files.size() && LowerCase(BaseName(files[file].file->path)).find("requirements") != std::string::npos;
  };
  const auto asks_in_order = [&](std::uint32_t file) {
    // uv and Poetry bind or order their indexes.
    const std::string base = file < files.size() ? LowerCase(BaseName(files[file].file->path)) : std::string();
    return base == "pyproject.toml" || base == "uv.toml" || base == "uv.lock";
  };
  std::map<std::uint32_t, std::string> asking;  // file -> the other index
  for (const RawFinding& finding : state.facts.findings) {
    if (finding.rule == "SC-010" && !asks_in_order(finding.file)) asking.emplace(finding.file, finding.host);
  }
  for (const auto& [file, host] : asking) {
    std::vector<std::size_t> names;
    for (std::size_t i = 0; i < state.facts.dependencies.size(); ++i) {
      const Dependency& dependency = state.facts.dependencies[i];
      const std::uint32_t place = state.places[i].file;
      // A command or a setting of pip's goes for lists of requirements as well.
      if (place != file && (is_list(file) || !is_list(place))) continue;
      if (dependency.ecosystem != kPypi || dependency.pinned || dependency.hashed || !dependency.direct ||
          dependency.version.find("://") != std::string::npos || RankOf(kPypi, NormalPypiName(dependency.name)) != 0) {
        continue;
      }
      names.push_back(i);
    }
    if (names.empty()) continue;
    RawFinding finding;
    finding.rule = "SC-036";
    finding.file = state.places[names.front()].file;
    finding.bytes = state.places[names.front()].bytes;
    finding.subject = state.facts.dependencies[names.front()].name;
    finding.message = base::Printable(
        fmt::format("`{}`{} is asked from {} and from the public index, in any version", finding.subject,
                    names.size() > 1 ? fmt::format(" (and {} more)", names.size() - 1) : std::string(), host),
        300);
    finding.has_reach = true;
    finding.reach = Reach::kInstall;
    state.facts.findings.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
