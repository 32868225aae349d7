#include "static/started_scripts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "static/classify.h"
#include "static/part_set.h"

namespace interlock::scan {
namespace {

using std::string_view;

constexpr std::size_t kMaxReaders = 400;
constexpr std::size_t kMaxCandidates = 2'000;
constexpr std::size_t kMaxNames = 2'000;  // that are looked for among them
constexpr std::size_t kMaxText = std::size_t{256} << 10;

// The parts that make a line worth reading.
constexpr std::array kInterpreters =
    std::to_array<string_view>({"bash", "sh ", "zsh", "python", "node ", "bun ", "deno ", "source ", "pwsh", ". "});

bool MayBeProgram(const FileContext& file) {
  const bool plain = file.type == FileType::kPlainText || file.type == FileType::kUnknownText ||
                     file.type == FileType::kMarkdown || file.type == FileType::kIni;
  return plain && !file.text().empty() && file.text().size() <= kMaxText;
}

bool MayStart(FileType type) {
  return type == FileType::kMarkdown || type == FileType::kJson || type == FileType::kYaml || type == FileType::kToml ||
         type == FileType::kShell || type == FileType::kPlainText || type == FileType::kUnknownText ||
         type == FileType::kDockerfile || type == FileType::kIni;
}

FileType ProgramOf(string_view interpreter, bool script) {
  interpreter = interpreter.substr(interpreter.rfind('/') + 1);
  if (IsOneOf(interpreter, {"bash", "sh", "zsh", "dash", "ksh"})) return FileType::kShell;
  if (script && IsOneOf(interpreter, {"source", "."})) return FileType::kShell;
  if (IsOneOf(interpreter, {"python", "python3", "python2", "pythonw"})) return FileType::kPython;
  if (IsOneOf(interpreter, {"node", "nodejs", "bun", "deno"})) return FileType::kJavaScript;
  return FileType::kUnknownText;
}

bool IsBetween(char c) {
  return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '`' || c == ';' || c == '|' || c == '&' || c == '(' ||
         c == ')' || c == '<' || c == '>' || c == ',' || c == '[' || c == ']' || c == '\r';
}

// "${CLAUDE_PLUGIN_ROOT}/hooks/x.txt", "$DIR/x.txt", "./x.txt": without where it begins.
string_view Below(string_view path) {
  if (path.starts_with('$') || path.starts_with('~')) {
    const std::size_t slash = path.find('/');
    path.remove_prefix(slash == string_view::npos ? path.size() : slash + 1);
  }
  while (path.starts_with("./") || path.starts_with("../") || path.starts_with('/'))
    path.remove_prefix(path.find('/') + 1);
  while (path.ends_with('.') || path.ends_with(':')) path.remove_suffix(1);
  return path;
}

class Reader {
 public:
  Reader(std::vector<FileContext>& files, std::vector<std::uint32_t> candidates)
      : files_(files), candidates_(std::move(candidates)) {}

  void Line(string_view line, bool script) {
    FileType program = FileType::kUnknownText;
    bool waits = false;  // an interpreter stands there, and its program has not come yet
    for (std::size_t at = 0; at < line.size();) {
      while (at < line.size() && IsBetween(line[at])) {
        waits = waits && line[at] != ';' && line[at] != '|' && line[at] != '&' && line[at] != '<' && line[at] != '>';
        ++at;
      }
      std::size_t end = at;
      while (end < line.size() && !IsBetween(line[end])) ++end;
      const string_view word = line.substr(at, end - at);
      at = end;
      if (word.empty()) break;
      if (waits) {
        if (IsOneOf(word, {"-c", "-e", "-m", "-p", "--eval", "-"})) {
          waits = false;
        } else if (!word.starts_with('-') && word != "run") {
          waits = false;
          Named(Below(word), program);
        }
        continue;
      }
      program = ProgramOf(word, script);
      waits = program != FileType::kUnknownText;
    }
  }

 private:
  void Named(string_view path, FileType program) {
    if (path.size() < 3 || named_ >= kMaxNames || path.find_first_of("./") == string_view::npos) return;
    ++named_;
    for (const std::uint32_t index : candidates_) {
      FileContext& file = files_[index];
      if (EndsInPath(file.file->path, path)) file.started = program;
    }
  }

  std::vector<FileContext>& files_;
  std::vector<std::uint32_t> candidates_;
  std::size_t named_ = 0;
};

// What makes a program of a text; `require` and its like of a file.
constexpr std::array kEvaluators = std::to_array<string_view>(
    {"exec(", "eval(", "compile(", "Function(", "runInThisContext", "runInNewContext", "runInContext", "_compile(",
     "SourceFileLoader(", "run_path(", "load_source(", "spec_from_file_location(", "execfile("});
constexpr std::array kLoaders = std::to_array<string_view>({"require(", "import("});

bool EndsInOneOf(string_view text, std::span<const string_view> ends) {
  return std::ranges::any_of(ends, [&](string_view end) { return text.ends_with(end); });
}

// The texts in quotes of a line; whether each is what `require` or `import` is given.
template <class Visit>
void ForEachLiteral(string_view line, Visit visit) {
  constexpr std::size_t kLongest = 200;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char quote = line[at];
    if (quote != '"' && quote != '\'' && quote != '`') continue;
    const std::size_t end = line.find(quote, at + 1);
    if (end == string_view::npos) return;
    if (end - at - 1 <= kLongest) visit(line.substr(at + 1, end - at - 1), EndsInOneOf(line.substr(0, at), kLoaders));
    at = end;
  }
}

}  // namespace

void FindEvaluatedTexts(std::vector<FileContext>& files) {
  static constexpr PartSet kEvaluates(kEvaluators);
  static constexpr PartSet kLoads(kLoaders);
  std::unordered_multimap<string_view, std::uint32_t> by_name;
  for (const FileContext& file : files) {
    if (by_name.size() < kMaxCandidates && MayBeProgram(file)) by_name.emplace(BaseName(file.file->path), file.index);
  }
  if (by_name.empty()) return;
  std::size_t read = 0;
  for (const FileContext& code : files) {
    const bool python = code.type == FileType::kPython;
    if (!python && code.type != FileType::kJavaScript && code.type != FileType::kTypeScript) continue;
    if (++read > kMaxReaders) return;
    const string_view text = code.text().substr(0, kMaxText);
    const bool loads = !python && kLoads.AnyIn(text);
    if (!loads && !kEvaluates.AnyIn(text)) continue;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const string_view line = text.substr(at, std::min<std::size_t>(end - at, 2000));
      at = end + 1;
      const bool evaluates = kEvaluates.AnyIn(line);
      if (!evaluates && !(loads && kLoads.AnyIn(line))) continue;
      ForEachLiteral(line, [&](string_view literal, bool loaded) {
        const string_view below = Below(literal);
        const auto [first, last] = by_name.equal_range(BaseName(below));
        for (auto it = first; it != last && (loaded ? literal.starts_with('.') : evaluates); ++it) {
          FileContext& file = files[it->second];
          // A loader of texts takes the words of a `.md`, and runs nothing.
          if (loaded && file.type != FileType::kUnknownText) continue;
          if (!EndsInPath(file.file->path, below)) continue;
          file.started = python ? FileType::kPython : FileType::kJavaScript;
          if (code.reach <= core::Reach::kRuntime) file.reach = std::min(file.reach, core::Reach::kRuntime);
        }
      });
    }
  }
}

void FindStartedScripts(std::vector<FileContext>& files) {
  static constexpr PartSet kWords(kInterpreters);
  std::vector<std::uint32_t> candidates;
  for (const FileContext& file : files) {
    if (candidates.size() < kMaxCandidates && MayBeProgram(file)) candidates.push_back(file.index);
  }
  if (candidates.empty() || files.size() < 2) return;
  Reader reader(files, std::move(candidates));
  std::size_t read = 0;
  for (std::size_t i = 0; i < files.size() && read < kMaxReaders; ++i) {
    if (!MayStart(files[i].type)) continue;
    ++read;
    const bool script = files[i].type == FileType::kShell;
    const string_view text = files[i].text().substr(0, kMaxText);
    if (!kWords.AnyIn(text)) continue;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const string_view line = text.substr(at, std::min<std::size_t>(end - at, 2000));
      if (kWords.AnyIn(line)) reader.Line(line, script);
      at = end + 1;
    }
  }
}

}  // namespace interlock::scan
