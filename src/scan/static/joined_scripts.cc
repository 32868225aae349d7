#include "static/joined_scripts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "code/shell.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostJoined = std::size_t{1} << 20U;
constexpr std::size_t kMostOfPackage = std::size_t{8} << 20U;
constexpr std::size_t kMostNames = 1'024;  // of other scripts, in one

bool InName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}
bool InVariable(char c) { return InName(c) && c != '-' && c != '.'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Where a script names another.
struct Named {
  std::uint32_t file = 0;
  bool read_in = false;      // `source x`: its text is this script's own
  std::size_t shell_at = 0;  // of `bash x`: [shell_at, shell_end) is the shell's name and its flags
  std::size_t shell_end = 0;
};

// A piece of the joined text, and the file it is of.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t file = 0;
};

class Joined {
 public:
  Joined(const std::vector<FileContext>& files, std::vector<RawFinding>& raw) : files_(files), raw_(raw) {
    for (const FileContext& file : files) {
      if (file.runs() != FileType::kShell || file.reach > core::Reach::kRuntime) continue;
      by_name_[std::string(BaseName(file.file->path))].push_back(file.index);
    }
  }

  bool Run() {
    std::size_t scripts = 0;
    for (const auto& [name, all] : by_name_) scripts += all.size();
    if (scripts < 2) return true;
    for (const FileContext& file : files_) {
      if (!IsScript(file.index)) continue;
      const std::vector<Named>& named = NamedBy(file);
      if (named.empty()) continue;
      if (file.text().size() > kMostJoined) {
        all_ = false;
        continue;
      }
      std::vector<std::uint32_t> seen = {file.index};
      text_.clear();
      pieces_.clear();
      for (const Named& other : named) Bring(other, seen);
      AddOwn(file, named);
      if (pieces_.size() < 2) continue;
      left_ -= std::min(left_, text_.size());
      if (left_ == 0) return false;
      Judge(file);
    }
    InTurn();
    return all_ && left_ > 0;
  }

 private:
  [[nodiscard]] bool IsScript(std::uint32_t index) const {
    const auto found = by_name_.find(BaseName(files_[index].file->path));
    return found != by_name_.end() && std::ranges::find(found->second, index) != found->second.end();
  }

  // 1-collect.sh, 2-pack.sh, 3-attach.sh: scripts of one folder that are numbered are run one after another, and what
  // one leaves in a file the next one takes.
  void InTurn() {
    std::map<std::string, std::set<std::pair<std::uint32_t, std::uint32_t>>, std::less<>> steps;  // number and file
    for (const auto& [name, all] : by_name_) {
      std::uint32_t number = 0;
      std::size_t digits = 0;
      for (; digits < name.size() && digits < 4 && name[digits] >= '0' && name[digits] <= '9'; ++digits)
        number = number * 10 + static_cast<std::uint32_t>(name[digits] - '0');
      if (digits == 0 || digits >= name.size() || InVariable(name[digits])) continue;
      for (const std::uint32_t index : all)
        steps[std::string(FolderOf(files_[index].file->path))].emplace(number, index);
    }
    in_turn_ = true;
    for (const auto& [folder, numbered] : steps) {
      all_ = all_ && numbered.size() <= kMostFiles;
      if (numbered.size() < 2 || numbered.size() > kMostFiles) continue;
      text_.clear();
      pieces_.clear();
      for (const auto& [number, index] : numbered) {
        if (text_.size() + files_[index].text().size() > kMostJoined) {
          all_ = false;
          break;
        }
        AddOwn(files_[index], {});
        text_ += '\n';
      }
      left_ -= std::min(left_, text_.size());
      if (left_ == 0) return;
      Judge(files_[numbered.rbegin()->second]);
    }
  }

  // Of several of one name the one that lies beside the script.
  [[nodiscard]] std::uint32_t Find(const FileContext& from, std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return code::kNone;
    if (found->second.size() == 1) return found->second[0];
    for (const std::uint32_t index : found->second) {
      if (FolderOf(files_[index].file->path) == FolderOf(from.file->path)) return index;
    }
    return code::kNone;
  }

  // "$here/geo.sh", . ./lib.sh, bash tools/run: names behind a slash, or that a shell or `source` is given. Linear.
  const std::vector<Named>& NamedBy(const FileContext& file) {
    const auto [known, added] = named_.try_emplace(file.index);
    std::vector<Named>& out = known->second;
    if (!added) return out;
    const std::string_view text = file.text();
    for (std::size_t at = 0; at < text.size() && out.size() < kMostNames;) {
      if (!InName(text[at])) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text.size() && InName(text[at])) ++at;
      if (begin == 0 || (text[begin - 1] != '/' && !IsBlank(text[begin - 1]))) continue;
      const std::uint32_t other = Find(file, text.substr(begin, at - begin));
      if (other == code::kNone || other == file.index) continue;
      Named named;
      named.file = other;
      if (Place(text, begin, named)) out.push_back(named);
    }
    all_ = all_ && out.size() < kMostNames;
    return out;
  }

  // How the command begins that the name stands in. False: it is an operand of something else, or in a comment.
  static bool Place(std::string_view text, std::size_t name, Named& named) {
    constexpr std::size_t kFarthest = 200;
    std::size_t begin = name;
    // $( within the word belongs to it: "$(dirname "$0")/x.sh".
    int depth = 0;
    while (begin > 0 && name - begin < kFarthest) {
      const char c = text[begin - 1];
      if (c == '\n') break;
      if (c == ')') ++depth;
      if (c == '(' && --depth < 0) break;
      if (depth == 0 && (c == ';' || c == '|' || c == '&' || c == '`')) break;
      --begin;
    }
    while (begin < name && (IsBlank(text[begin]) || text[begin] == '{' || text[begin] == '!')) ++begin;
    if (text[begin] == '#') return false;
    // Words before the one that the name is in: what is set for it, `then`, `exec`, the shell that runs it.
    std::size_t at = begin;
    while (at < name) {
      std::size_t end = at;
      int inner = 0;
      char quote = 0;
      for (; end < name; ++end) {
        const char c = text[end];
        if (inner == 0 && quote == 0 && IsBlank(c)) break;
        if (c == '(') ++inner;
        if (c == ')') --inner;
        if (inner == 0 && (c == '"' || c == '\'')) quote = quote == c ? '\0' : quote == 0 ? c : quote;
      }
      if (end >= name) return true;
      const std::string_view word = text.substr(at, end - at);
      while (end < name && IsBlank(text[end])) ++end;
      if (Among(word, {".", "source"})) {
        named.read_in = true;
      } else if (Among(word, {"bash", "sh", "zsh", "dash", "/bin/sh", "/bin/bash"})) {
        named.shell_at = at;
        named.shell_end = end;
      } else if (named.shell_end == at && word[0] == '-' && word.find('c') == std::string_view::npos) {
        named.shell_end = end;
      } else if (word.find('=') == std::string_view::npos &&
                 !Among(word,
                        {"then", "do", "exec", "if", "else", "while", "time", "nohup", "sudo", "env", "command"})) {
        return false;
      }
      at = end;
    }
    return true;
  }

  // What is read in stands as it is; what is run is a function of its name.
  void Bring(const Named& named, std::vector<std::uint32_t>& seen) {
    if (std::ranges::find(seen, named.file) != seen.end()) return;
    if (seen.size() >= kMostFiles) {
      all_ = false;
      return;
    }
    const FileContext& file = files_[named.file];
    // A script that is made long is not made harmless.
    if (text_.size() + file.text().size() > kMostJoined) {
      all_ = false;
      return;
    }
    seen.push_back(named.file);
    const std::vector<Named>& others = NamedBy(file);
    for (const Named& other : others) Bring(other, seen);
    if (text_.size() + file.text().size() > kMostJoined) {
      all_ = false;
      return;
    }
    if (!named.read_in) text_ += LowerCase(BaseName(file.file->path)) + "() {\n";
    AddOwn(file, others);
    text_ += named.read_in ? "\n" : "\n}\n";
  }

  void AddOwn(const FileContext& file, const std::vector<Named>& named) {
    Piece piece;
    piece.begin = text_.size();
    text_ += file.text();
    for (const Named& other : named) {
      std::fill(text_.begin() + static_cast<std::ptrdiff_t>(piece.begin + other.shell_at),
                text_.begin() + static_cast<std::ptrdiff_t>(piece.begin + other.shell_end), ' ');
    }
    piece.end = text_.size();
    piece.file = file.index;
    pieces_.push_back(piece);
  }

  [[nodiscard]] const Piece* PieceAt(std::size_t offset) const {
    for (const Piece& piece : pieces_) {
      if (offset >= piece.begin && offset < piece.end) return &piece;
    }
    return nullptr;
  }

  // A variable that the sending script sets itself is its own, whatever another script calls so; but not where it is
  // set to what that script prints.
  [[nodiscard]] bool SetsItself(const Piece& piece, const code::ShellCommand& command, const Piece& from) const {
    const std::string_view own = std::string_view(text_).substr(piece.begin, piece.end - piece.begin);
    const std::string_view other = BaseName(files_[from.file].file->path);
    return std::ranges::any_of(command.words, [&](const code::ShellWord& word) {
      return std::ranges::any_of(word.variables, [&](const std::string& name) {
        const std::size_t at = own.find(name + "=");
        if (at == std::string_view::npos || (at > 0 && InName(own[at - 1]))) return false;
        return own.substr(at, own.find('\n', at) - at).find(other) == std::string_view::npos;
      });
    });
  }

  void Judge(const FileContext& file) {
    set_by_.clear();
    const code::ShellScript script = code::ParseShell(text_, {}, file.file->path);
    if (script.dialect != code::ShellDialect::kPosix) return;
    std::vector<code::ShellUse> acts = code::AnalyzeShellScript(script, text_);
    std::erase_if(acts, [&](const code::ShellUse& act) { return !ComesFromElsewhere(script, act); });
    if (acts.empty()) return;
    ShellContext context;
    context.file = file.index;
    context.place = ShellPlace::kScript;
    std::vector<RawFinding> found;
    JudgeShell(acts, context, found, nullptr);
    for (RawFinding& finding : found) {
      const Piece* piece = PieceAt(finding.bytes.begin);
      if (piece == nullptr || IsKnown(finding.rule)) continue;
      finding.file = piece->file;
      finding.bytes = {finding.bytes.begin - piece->begin, std::min(finding.bytes.end, piece->end) - piece->begin};
      std::erase_if(finding.flow, [&](const RawFlowStep& step) { return PieceAt(step.offset) == nullptr; });
      for (RawFlowStep& step : finding.flow) {
        const Piece& of = *PieceAt(step.offset);
        step.file = of.file;
        step.offset -= static_cast<std::uint32_t>(of.begin);
      }
      raw_.push_back(std::move(finding));
    }
  }

  // Only what passes from one script to another.
  [[nodiscard]] bool ComesFromElsewhere(const code::ShellScript& script, const code::ShellUse& act) {
    const Piece* piece = PieceAt(act.loc.begin);
    if (piece == nullptr) return false;
    if (act.act == code::ShellAct::kFetchAndRun) {
      return !in_turn_ || std::ranges::any_of(act.steps, [&](const auto& step) {
        const Piece* from = PieceAt(step.first.begin);
        return from != nullptr && from->file != piece->file;
      });
    }
    if (act.act != code::ShellAct::kSendSecret && act.act != code::ShellAct::kSendTaken) return false;
    for (const auto& [at, said] : act.steps) {
      const Piece* from = PieceAt(at.begin);
      if (from == nullptr || from->file == piece->file) continue;
      // By a file that both name: their variables are nobody else's.
      if (in_turn_) return true;
      return act.command >= script.commands.size() || !SetsItself(*piece, script.commands[act.command], *from);
    }
    return !in_turn_ && UsesFrom(*piece, act.loc);
  }

  // curl -F "config=@$KUBE", where another script that is read in says which file that is, and this one does not.
  [[nodiscard]] bool UsesFrom(const Piece& piece, code::Loc command) {
    if (set_by_.empty()) ReadSettings();
    const std::string_view said = std::string_view(text_).substr(command.begin, command.end - command.begin);
    for (std::size_t at = said.find('$'); at != std::string_view::npos; at = said.find('$', at + 1)) {
      std::size_t begin = at + 1;
      if (begin < said.size() && said[begin] == '{') ++begin;
      std::size_t end = begin;
      while (end < said.size() && InVariable(said[end])) ++end;
      const auto set = set_by_.find(said.substr(begin, end - begin));
      if (set != set_by_.end() && std::ranges::find(set->second, piece.file) == set->second.end()) return true;
    }
    return false;
  }

  // Which files set a variable, in one pass over the joined text.
  void ReadSettings() {
    constexpr std::size_t kMostVariables = 4'096;
    const std::string_view text = text_;
    for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && InVariable(text[begin - 1])) --begin;
      const Piece* const piece = PieceAt(at);
      if (begin == at || piece == nullptr || set_by_.size() >= kMostVariables) continue;
      std::vector<std::uint32_t>& files = set_by_[text.substr(begin, at - begin)];
      if (std::ranges::find(files, piece->file) == files.end()) files.push_back(piece->file);
    }
  }

  [[nodiscard]] bool IsKnown(std::string_view rule) const {
    return std::ranges::any_of(raw_, [&](const RawFinding& known) {
      return known.rule == rule &&
             std::ranges::any_of(pieces_, [&](const Piece& piece) { return piece.file == known.file; });
    });
  }

  const std::vector<FileContext>& files_;
  std::vector<RawFinding>& raw_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> by_name_;
  std::unordered_map<std::uint32_t, std::vector<Named>> named_;  // by script; its nodes stay where they are
  std::string text_;
  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> set_by_;  // variables of the text, by files
  std::size_t left_ = kMostOfPackage;
  bool all_ = true;
  bool in_turn_ = false;  // the pieces are run one after another, each by itself
};

}  // namespace

void JudgeHandedOut(const std::vector<FileContext>& files, std::span<const code::HandedOut> handed,
                    std::span<const code::CapabilityUse> uses, std::vector<RawFinding>& raw) {
  if (handed.empty()) return;
  std::map<std::uint32_t, std::string_view> sends;  // by file, to which host
  for (const code::CapabilityUse& use : uses) {
    if (use.permission != core::Permission::kNetworkEgress || use.detail.empty() || use.file >= files.size()) continue;
    const HostKind kind = KindOfHost(use.detail);
    if (kind != HostKind::kLocal && files[use.file].reach <= core::Reach::kRuntime) sends.emplace(use.file, use.detail);
  }
  for (const code::HandedOut& one : handed) {
    const std::string_view line = one.line;
    for (const auto& [file, host] : sends) {
      const std::string_view name = BaseName(files[file].file->path);
      const std::size_t at = line.find(name);
      if (file == one.file || name.size() < 4 || at == std::string_view::npos) continue;
      const bool begins = at == 0 || !InName(line[at - 1]);
      const bool ends = at + name.size() == line.size() || !InName(line[at + name.size()]);
      if (!begins || !ends) continue;
      using What = code::HandedOut::What;
      RawFinding finding;
      finding.rule = one.what == What::kCredentials   ? "EXFIL-001"
                     : one.what == What::kEnvironment ? "EXFIL-002"
                                                      : "EXFIL-004";
      const std::string_view what = one.what == What::kCredentials   ? "credentials read from their store"
                                    : one.what == What::kEnvironment ? "the whole environment"
                                                                     : "what the user keeps, or has said,";
      finding.file = one.file;
      finding.bytes = {one.loc.begin, one.loc.end};
      finding.host = HostOf(host);
      if (finding.host.empty()) finding.host = host;
      finding.message =
          "gives " + std::string(what) + " to " + std::string(name) + ", which sends to " + finding.host.substr(0, 80);
      finding.scale = 0.8;
      raw.push_back(std::move(finding));
      break;
    }
  }
}

bool JudgeJoinedScripts(const std::vector<FileContext>& files, std::vector<RawFinding>& raw) {
  return Joined(files, raw).Run();
}

}  // namespace interlock::scan
