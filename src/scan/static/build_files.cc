#include "static/build_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/places.h"
#include "code/shell.h"
#include "interlock/base/json.h"
#include "static/ascii.h"
#include "static/build_pieces.h"
#include "static/classify.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

// ["/bin/x", "--"]: the program and what it is given, as a line.
std::optional<std::string> ExecForm(std::string_view rest) {
  if (!rest.starts_with('[')) return std::nullopt;
  const auto doc = base::JsonDoc::Parse(rest);
  if (!doc.ok() || !doc.value().root().is_array()) return std::nullopt;
  std::vector<std::string> words;
  for (const base::JsonValue word : doc.value().root()) words.emplace_back(word.string());
  if (words.empty()) return std::nullopt;
  return code::CommandLine(words.front(), std::span<const std::string>(words).subspan(1));
}

constexpr std::size_t kMostBytes = std::size_t{512} << 10U;
constexpr std::size_t kMostPiece = std::size_t{512} << 10U;  // of commands that are judged together
constexpr std::size_t kMostPieces = 64'000;
constexpr std::size_t kMostWork = std::size_t{4} << 20U;  // bytes that references of one makefile stand for
constexpr std::size_t kOfReference = 64;                  // of each, however little it stands for
constexpr int kDeepest = 6;

// Where the bracket that opens before `from` closes.
std::size_t Closing(std::string_view text, std::size_t from, char open, char close) {
  int depth = 1;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

class Makefile {
 public:
  explicit Makefile(std::string_view text) : text_(text.substr(0, kMostBytes)) {}

  // False: its references stand for more than is put in.
  [[nodiscard]] bool complete() const noexcept { return work_ <= kMostWork; }

  std::vector<BuildPiece> Read() {
    // Variables first: a recipe may use one that is set below it.
    for (const bool variables : {true, false}) {
      std::size_t at = 0;
      recipe_ = {};
      while (at < text_.size()) {
        const std::size_t begin = at;
        std::string line;
        for (;;) {
          const std::size_t end = std::min(text_.find('\n', at), text_.size());
          const std::string_view part = text_.substr(at, end - at);
          at = end + 1;
          const bool goes_on = part.ends_with('\\') && at < text_.size();
          line += goes_on ? part.substr(0, part.size() - 1) : part;
          if (!goes_on) break;
          line += ' ';
        }
        const base::ByteSpan bytes{begin, std::min(at, text_.size())};
        if (variables) {
          Set(line);
        } else {
          Line(line, bytes);
        }
      }
    }
    Close();
    return std::move(pieces_);
  }

 private:
  void Set(std::string_view line) {
    if (line.starts_with('\t') || line.starts_with('#')) return;
    const std::size_t equal = line.find('=');
    if (equal == std::string_view::npos || equal == 0) return;
    const std::size_t last = line.find_last_not_of(":?+!", equal - 1);
    if (last == std::string_view::npos) return;
    std::string_view name = Trim(line.substr(0, last + 1));
    for (const std::string_view word : {"export ", "override "}) {
      if (name.starts_with(word)) name = Trim(name.substr(word.size()));
    }
    if (name.empty() || name.find_first_of(" \t$(){}:") != std::string_view::npos || variables_.size() > 2'000) return;
    variables_.insert_or_assign(std::string(name), std::string(Trim(line.substr(equal + 1))));
  }

  // What make puts for references; commands of `$(shell ...)` are pieces of their own.
  std::string Expand(std::string_view text, const base::ByteSpan& bytes, int depth) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() < kMostPiece; ++at) {
      if (text[at] != '$' || at + 1 >= text.size()) {
        out += text[at];
        continue;
      }
      const char open = text[++at];
      if (open == '$') {
        out += '$';
        continue;
      }
      if (open != '(' && open != '{') {
        out += '_';  // $@ and its like
        continue;
      }
      const std::size_t end = Closing(text, at + 1, open, open == '(' ? ')' : '}');
      if (end == std::string_view::npos) return out;
      out += Reference(text.substr(at + 1, end - at - 1), bytes, depth + 1);
      at = end;
    }
    return out;
  }

  std::string Reference(std::string_view inner, const base::ByteSpan& bytes, int depth) {
    if (depth > kDeepest || work_ > kMostWork) return "_";
    const std::size_t space = inner.find_first_of(" \t");
    const std::string_view name = inner.substr(0, space);
    if (space != std::string_view::npos) {
      const std::string given = Expand(Trim(inner.substr(space)), bytes, depth);
      if (name == "shell") {
        if (pieces_.size() < kMostPieces)
          pieces_.push_back({.commands = given, .bytes = bytes, .at_once = true, .installs = true});
        return "_";
      }
      if (name == "firstword") return given.substr(0, given.find(' '));
      if (name == "strip" || name == "value" || name == "lastword") return given;
      return "_";
    }
    const auto found = variables_.find(std::string(name));
    if (found == variables_.end()) return name == "SHELL" ? "sh" : "_";
    const std::string given = Expand(std::string(found->second), bytes, depth);
    // Variables that name each other many times over, or long ones that are named often.
    work_ += given.size() + kOfReference;
    return given;
  }

  void Line(std::string_view line, const base::ByteSpan& bytes) {
    if (line.starts_with('\t')) {
      std::string_view command = Trim(line);
      while (!command.empty() && std::string_view("@-+").find(command.front()) != std::string_view::npos)
        command = Trim(command.substr(1));
      if (recipe_.bytes.end == 0) recipe_.bytes = bytes;
      recipe_.bytes.end = bytes.end;
      if (recipe_.commands.size() < kMostPiece) recipe_.commands += Expand(command, bytes, 0) + "\n";
      return;
    }
    if (line.empty() || line.front() == '#') return;
    const std::size_t colon = line.find(':');
    const std::size_t equal = line.find('=');
    if (equal != std::string_view::npos && (colon == std::string_view::npos || equal <= colon + 2)) {
      (void)Expand(line.substr(equal + 1), bytes, 0);
      return;
    }
    if (colon == std::string_view::npos) return;
    Close();
    const std::string_view target = Trim(line.substr(0, colon));
    if (target.empty() || target.front() == '.') return;
    recipe_.installs = !named_ || target.starts_with("install") || target.starts_with("all") ||
                       target.starts_with("setup") || target.starts_with("build");
    named_ = true;  // the first is what `make` alone makes
  }

  void Close() {
    if (!recipe_.commands.empty() && pieces_.size() < kMostPieces) pieces_.push_back(std::move(recipe_));
    recipe_ = {};
  }

  std::string_view text_;
  std::map<std::string, std::string> variables_;
  std::vector<BuildPiece> pieces_;
  BuildPiece recipe_;
  bool named_ = false;
  std::size_t work_ = 0;  // bytes put for references
};

// ADD address file, RUN commands: one script, in the order of the layers.
std::vector<BuildPiece> ReadContainer(std::string_view text) {
  text = text.substr(0, kMostBytes);
  BuildPiece all;
  all.installs = true;
  std::size_t at = 0;
  while (at < text.size() && all.commands.size() < kMostPiece) {
    const std::size_t begin = at;
    std::string line;
    for (;;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view part = Trim(text.substr(at, end - at));
      at = end + 1;
      if (!line.empty() && part.starts_with('#')) continue;
      const bool goes_on = part.ends_with('\\') && at < text.size();
      line += goes_on ? part.substr(0, part.size() - 1) : part;
      if (!goes_on) break;
      line += ' ';
    }
    const std::size_t space = line.find_first_of(" \t");
    if (space == std::string::npos) continue;
    std::string word = line.substr(0, space);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
    std::string rest(Trim(std::string_view(line).substr(space)));
    while (rest.starts_with("--")) {
      rest = std::string(Trim(std::string_view(rest).substr(std::min(rest.find(' '), rest.size()))));
    }
    const bool runs = word == "RUN" || word == "ENTRYPOINT" || word == "CMD";
    if (runs) {
      all.commands += ExecForm(rest).value_or(rest) + "\n";
    } else if (word == "ADD" && (rest.starts_with("https://") || rest.starts_with("http://"))) {
      const std::size_t to = rest.find_last_of(" \t");
      if (to == std::string::npos) continue;
      const std::string url = rest.substr(0, rest.find_first_of(" \t"));
      std::string file = rest.substr(to + 1);
      if (file.ends_with('/')) file += url.substr(url.rfind('/') + 1);
      all.commands += "curl -o " + file + " " + url + "\n";
    } else {
      continue;
    }
    if (all.bytes.end == 0) all.bytes.begin = begin;
    all.bytes.end = std::min(at, text.size());
  }
  std::vector<BuildPiece> pieces;
  if (!all.commands.empty()) pieces.push_back(std::move(all));
  return pieces;
}

bool IsMakefile(std::string_view path) {
  const std::string base = LowerCase(BaseName(path));
  return base == "makefile" || base == "gnumakefile" || base.ends_with(".mk") || base.ends_with(".make");
}

// What nobody who builds a package has asked for, however it is built.
bool IsHarm(std::string_view rule, BuildPlace place) {
  // A pipeline gives tokens to the services that they are for, and the machine that it runs on is thrown away.
  if (place == BuildPlace::kPipeline) return rule == "SH-002" || rule == "SH-003" || rule == "SH-011";
  if (rule == "SH-004") return true;
  return rule == "SH-002" || rule == "SH-003" || rule == "SH-010" || rule == "SH-011" || rule == "SH-012" ||
         rule == "SH-013";
}

void JudgePiece(const FileContext& file, const BuildPiece& piece, BuildPlace place, FileResult& result) {
  const code::ShellScript script = code::ParseShell(piece.commands);
  ShellContext context;
  context.file = file.index;
  context.whole = piece.bytes;
  context.place = ShellPlace::kScript;
  std::vector<RawFinding> findings;
  JudgeShell(code::AnalyzeShellScript(script, piece.commands), context, findings, nullptr);
  const bool contained = place == BuildPlace::kContainer || place == BuildPlace::kAction;
  for (RawFinding& finding : findings) {
    const HostKind kind = finding.host.empty() ? HostKind::kLocal : KindOfHost(finding.host);
    const bool stranger = (kind == HostKind::kOrdinary && HostOf(finding.host).find('.') != std::string::npos) ||
                          kind == HostKind::kRawAddress || kind == HostKind::kPaste || kind == HostKind::kTunnel ||
                          kind == HostKind::kShortener;
    const bool rights =
        place == BuildPlace::kMake && finding.rule == "SH-008" && piece.commands.find("sudoers") != std::string::npos;
    const bool fetched = finding.rule == "SH-001" && stranger && (piece.at_once || piece.installs);
    const bool built = file.reach == core::Reach::kBuild || file.reach == core::Reach::kDocument;
    if (built && (IsHarm(finding.rule, place) || rights || fetched)) {
      // Whoever builds, installs or opens it runs it.
      finding.has_reach = true;
      finding.reach = core::Reach::kInstall;
    } else if (file.reach == core::Reach::kRuntime && place != BuildPlace::kMake && place != BuildPlace::kContainer &&
               !IsHarm(finding.rule, place) && !fetched) {
      // A description of work that somebody may start; nothing of the package starts it.
      finding.has_reach = true;
      finding.reach = core::Reach::kBuild;
    }
    // Into a container, and no farther.
    if (contained && finding.rule == "SH-001") finding.scale *= 0.7;
    result.findings.push_back(std::move(finding));
  }
}

}  // namespace

void JudgeBuildFile(const FileContext& file, FileResult& result) {
  const bool container = file.type == FileType::kDockerfile;
  if (container || IsMakefile(file.file->path)) {
    Makefile makefile(file.text());
    const std::vector<BuildPiece> pieces = container ? ReadContainer(file.text()) : makefile.Read();
    if (file.text().size() > kMostBytes || !makefile.complete()) {
      result.skipped.push_back({file.file->path, core::SkipReason::kParserBudget, 0, "recipes too long to be read"});
    }
    for (const BuildPiece& piece : pieces) {
      JudgePiece(file, piece, container ? BuildPlace::kContainer : BuildPlace::kMake, result);
    }
    return;
  }
  BuildSettings settings = PiecesOfSettings(file);
  if (!settings.stop.empty()) {
    result.skipped.push_back({file.file->path, core::SkipReason::kUnsupported, 0, std::move(settings.stop)});
  }
  for (const BuildPiece& piece : settings.pieces) JudgePiece(file, piece, settings.place, result);
  for (const RawFinding& finding : settings.findings) result.findings.push_back(finding);
}

}  // namespace interlock::scan
