#include "static/reach.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "interlock/base/find_bytes.h"
#include "static/ascii.h"
#include "static/build_pieces.h"
#include "static/classify.h"
#include "static/front_matter.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMaxMentions = 200'000;

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

// "docs/content/": a guide to work on a package says where its documents are written; a skill, what to read.
bool IsDocumentation(std::string_view folder) {
  bool docs = false;
  for (std::size_t at = 0; at < folder.size() && !docs; at = std::min(folder.find('/', at), folder.size()) + 1) {
    const std::string_view part = folder.substr(at, folder.find('/', at) - at);
    docs = part == "docs" || part == "doc" || part == "documentation" || part == "website" || part == "site";
  }
  return docs;
}

// Of the folder that it lies in, with its slash.
std::string_view PrefixOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash + 1);
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

// An archive or a document that an agent is told to read is read with what is in it.
static void LiftMembers(std::vector<FileContext>& files) {
  constexpr std::string_view kInside = "!/";
  std::unordered_set<std::string_view> given;
  for (const FileContext& file : files) {
    if (file.reach == Reach::kAgent && !IsText(file.type)) given.insert(file.file->path);
  }
  if (given.empty()) return;
  for (FileContext& file : files) {
    const std::string_view path = file.file->path;
    if (file.reach <= Reach::kAgent || !IsText(file.type)) continue;
    for (std::size_t at = path.find(kInside); at != std::string_view::npos; at = path.find(kInside, at + 1)) {
      if (given.contains(path.substr(0, at))) file.reach = Reach::kAgent;
    }
  }
}

void RaiseReach(const SupplyFacts& supply, const std::vector<std::uint32_t>& hook_scripts,
                std::vector<FileContext>& files) {
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
    if (file.runs() == FileType::kShell && reach <= Reach::kRuntime) scripts.push_back(file.index);
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
    if (file.runs() == FileType::kShell && file.reach <= Reach::kRuntime) scripts.push_back(file.index);
  }
  const bool program = std::ranges::any_of(files, [](const FileContext& file) {
    return std::ranges::count(file.file->path, '/') <= 1 &&
           (BaseName(file.file->path) == "pyproject.toml" || BaseName(file.file->path) == "package.json" ||
            BaseName(file.file->path) == "setup.py" || BaseName(file.file->path) == "Cargo.toml");
  });
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
    // A guide for those who change a program (CLAUDE.md of a repository) names its documentation as well.
    const bool aside = IsDocumentation(PrefixOf(file.file->path));
    const bool guide = program && (aside || !LowerCase(BaseName(file.file->path)).starts_with("skill"));
    for (const std::string_view mention : mentions) {
      // ... and the pipelines in which versions stand that are to agree.
      if (guide && (aside || IsDocumentation(mention) || IsPipelinePath(LowerCase(mention)))) continue;
      if (BaseName(mention) != BaseName(file.file->path)) raise(PrefixOf(file.file->path), mention, Reach::kAgent);
    }
    if (!IsInstructionFile(file.file->path)) continue;
    std::unordered_set<std::string_view> folders;
    CollectFolders(file.text(), folders);
    const bool skill = LowerCase(BaseName(file.file->path)).starts_with("skill");
    for (const std::string_view folder : folders) {
      if ((!skill && IsDocumentation(folder)) || (guide && aside)) continue;
      const auto inside = by_folder.find(std::string(PrefixOf(file.file->path)).append(folder));
      if (inside == by_folder.end()) continue;
      for (const std::uint32_t index : std::exchange(inside->second, {})) lift(files[index], Reach::kAgent);
    }
  }
  LiftMembers(files);
  for (const std::string& entry : supply.entry_files) raise("", entry, Reach::kRuntime);
  for (const std::string& entry : supply.install_files) raise("", entry, Reach::kInstall);
  for (const std::uint32_t script : hook_scripts) lift(files[script], Reach::kAgent);
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

}  // namespace interlock::scan
