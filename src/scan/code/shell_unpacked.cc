// What is fetched in one piece and holds programs: archives that are unpacked, repositories that are cloned.
#include <algorithm>

#include "code/shell_analysis.h"
#include "static/shell_judge.h"

namespace interlock::scan::code::shell {
namespace {

bool IsUnknown(std::string_view path) { return path.find(kUnknownChar) != std::string_view::npos; }

std::string_view WithoutSlashes(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// kit-1.2.tar.gz, kit.git: the folder that comes of it where nobody says another.
std::string Stem(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  std::string name = BaseName(path);
  for (const std::string_view end :
       {".git", ".gz", ".xz", ".bz2", ".zst", ".tar", ".tgz", ".txz", ".tbz2", ".zip", ".7z", ".whl", ".crate"}) {
    if (name.size() > end.size() && name.ends_with(end)) name.resize(name.size() - end.size());
  }
  return name;
}

// Configured and built on this machine out of its sources, as everything is that no distribution has.
bool IsBuildStep(std::string_view path) {
  return Is(LowerCase(BaseName(path)), {"configure", "config", "autogen.sh", "bootstrap", "bootstrap.sh", "buildconf",
                                        "gradlew", "mvnw", "waf", "b2", "setup.py", "build.sh", "x.py"});
}

// Folders in which much lies beside what is unpacked there.
bool HoldsOthers(std::string_view folder) {
  return Is(HomePath(folder), {"/", "/tmp", "/var/tmp", "/opt", "/usr", "/usr/local", "/usr/local/bin", "~", "~/.local",
                               "~/.local/bin", "~/bin"});
}

// What a command unpacks or clones, and into which folder.
struct Unpacking {
  const ShellWord* from = nullptr;  // the archive, or the address of the repository; nullptr: the input
  const ShellWord* into = nullptr;  // nullptr: where it stands
  bool clones = false;
};

std::optional<Unpacking> OfTar(const ShellCommand& command) {
  Unpacking out;
  bool unpacks = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view text = command.words[i].text;
    const ShellWord* const next = i + 1 < command.words.size() ? &command.words[i + 1] : nullptr;
    if (Is(text, {"--extract", "--get"})) unpacks = true;
    if (Is(text, {"-C", "--directory"}) && next != nullptr) out.into = next;
    if (text.starts_with("--file=") && next == nullptr) return std::nullopt;
    const bool letters = (i == 1 && !text.starts_with("--")) || (text.starts_with('-') && !text.starts_with("--"));
    if (!letters) continue;
    unpacks = unpacks || Has(text, "x");
    if (text.ends_with('f') && next != nullptr && next->text != "-") out.from = next;
    if (text.ends_with('C') && next != nullptr) out.into = next;
  }
  if (!unpacks) return std::nullopt;
  return out;
}

std::optional<Unpacking> OfZip(const ShellCommand& command, std::string_view program) {
  const bool seven = Is(program, {"7z", "7za", "7zz"});
  Unpacking out;
  bool unpacks = !seven;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const std::string flag = LowerCase(word.text);
    if (seven && i == 1) {
      unpacks = Is(flag, {"x", "e"});
      continue;
    }
    const bool valued = Is(flag, {"-d", "-destinationpath", "-path", "-literalpath"}) && i + 1 < command.words.size();
    if (valued) {
      (Is(flag, {"-d", "-destinationpath"}) ? out.into : out.from) = &command.words[++i];
    } else if (!flag.starts_with('-')) {
      (out.from == nullptr ? out.from : out.into) = &word;
      if (program == "unzip" && out.from != &word) out.into = nullptr;  // members that are asked for
    }
  }
  if (!unpacks || out.from == nullptr) return std::nullopt;
  return out;
}

std::optional<Unpacking> OfClone(const ShellCommand& command) {
  std::size_t at = 1;
  while (at < command.words.size() && command.words[at].text.starts_with('-')) ++at;
  if (at >= command.words.size() || !Is(command.words[at].text, {"clone", "checkout", "co", "export"}))
    return std::nullopt;
  Unpacking out;
  out.clones = true;
  for (std::size_t i = at + 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (Is(word.text, {"-b", "--branch", "--depth", "-c", "--config", "-o", "--origin", "-j", "--jobs", "--filter",
                       "--reference", "-r", "--revision", "--shallow-since"})) {
      ++i;
    } else if (!word.text.starts_with('-')) {
      (out.from == nullptr ? out.from : out.into) = &word;
    }
  }
  if (out.from == nullptr || !(Has(out.from->text, "://") || Has(out.from->text, "@"))) return std::nullopt;
  return out;
}

std::optional<Unpacking> UnpackingOf(const ShellCommand& command, std::string_view program) {
  if (Is(program, {"tar", "bsdtar", "gtar"})) return OfTar(command);
  if (Is(program, {"unzip", "7z", "7za", "7zz", "expand-archive"})) return OfZip(command, program);
  if (Is(program, {"git", "svn", "hg"})) return OfClone(command);
  return std::nullopt;
}

// git@host:owner/name.git: as an address.
std::string AddressOf(std::string_view repository) {
  if (Has(repository, "://")) return std::string(repository);
  const std::string_view rest = repository.substr(repository.find('@') + 1);
  const std::size_t colon = rest.find(':');
  return "ssh://" + std::string(rest.substr(0, colon)) + "/" +
         std::string(colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1));
}

}  // namespace

// The folder that holds it is kept, under the name by which later commands know it.
void Analysis::Unpacks(std::uint32_t index, std::string_view program, const Taint& input) {
  constexpr std::size_t kMost = 64;
  const ShellCommand& command = script_.commands[index];
  if (program == "cd" || program == "pushd") {
    const std::string_view folder = command.words.size() > 1 ? command.words.back().text : std::string_view();
    const Taint* const held = folder.empty() ? nullptr : Within(command.words.back());
    const bool deeper = !folder.empty() && !folder.starts_with("..") && folder != "-" && folder[0] != '/' &&
                        folder[0] != '~' && !IsUnknown(folder.substr(0, 1));
    if (held != nullptr || !deeper) standing_in_ = held;
    return;
  }
  const std::optional<Unpacking> unpacking = UnpackingOf(command, program);
  if (!unpacking || unpacked_.size() >= kMost) return;
  Taint held;
  if (unpacking->clones) {
    held.fetched = true;
    held.url = AddressOf(unpacking->from->text);
    held.fetch_loc = command.loc;
    if (IsLocalHost(HostOf(held.url))) return;
  } else {
    held = unpacking->from == nullptr ? input : OfFile(*unpacking->from, index);
  }
  // What a forge keeps is how most programs are had and built, strangers' among them; a script of one that is run as
  // it comes is another matter.
  if (!held.fetched || KindOfHost(HostOf(held.url)) == HostKind::kForge) return;
  const auto keep = [&](std::string folder, std::vector<std::string> variables) {
    if (!folder.empty()) unpacked_.push_back({std::move(folder), std::move(variables), held});
  };
  const ShellWord* const into = unpacking->into;
  const ShellWord* const from = unpacking->from;
  const std::string stem = Stem(from == nullptr || IsUnknown(from->text) ? held.url : from->text);
  if (into != nullptr) {
    std::string folder(WithoutSlashes(into->text));
    if (HoldsOthers(folder)) folder += "/" + stem;
    keep(std::move(folder), into->variables);
  }
  if (into == nullptr || !unpacking->clones) keep(stem, {});
}

// What was fetched, where the path lies in a folder that came of it; nullptr: it does not.
const Taint* Analysis::Within(const ShellWord& path) const {
  const std::string text = Slashed(path.text);
  const std::string_view place = WithoutSlashes(text);
  for (const Unpacked& one : unpacked_) {
    const bool below =
        place.starts_with(one.folder) && (place.size() == one.folder.size() || place[one.folder.size()] == '/');
    // kit-main, of an archive of kit.
    const bool like = one.variables.empty() && one.folder.find('/') == std::string::npos &&
                      place.starts_with(one.folder + "-") && one.folder.size() > 2;
    if (!below && !like) continue;
    const bool same = !IsUnknown(one.folder) || std::ranges::all_of(one.variables, [&](const std::string& name) {
      return std::ranges::find(path.variables, name) != path.variables.end();
    });
    if (same) return &one.held;
  }
  return nullptr;
}

// A program that lies in such a folder, named by its whole path or from within.
Taint Analysis::OfUnpacked(const ShellWord& program) const {
  if (unpacked_.empty() || IsBuildStep(program.text)) return {};
  const Taint* held = Within(program);
  const bool from_within = standing_in_ != nullptr && !program.text.starts_with('/') &&
                           !program.text.starts_with('~') && !program.text.starts_with("../") &&
                           !program.text.starts_with('-') && !IsUnknown(program.text.substr(0, 1));
  if (held == nullptr && from_within) held = standing_in_;
  return held == nullptr ? Taint() : *held;
}

}  // namespace interlock::scan::code::shell
