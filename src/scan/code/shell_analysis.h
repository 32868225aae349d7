// The analysis of a script's commands: data is followed through pipes, substitutions, variables and files named alike.
// Private to shell*.cc.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "code/shell.h"
#include "code/shell_internal.h"
#include "code/shell_paths.h"
#include "code/shell_transfer.h"
#include "interlock/base/find_bytes.h"
#include "static/part_set.h"

namespace interlock::scan::code::shell {

inline constexpr std::size_t kMostOfAct = 2048;  // of each kind: one kind crowds out no other

// What a command's output, a file or a word carries.
struct Taint {
  bool fetched = false;
  bool decoded = false;
  bool secret = false;
  bool environment = false;
  bool content = false;      // of some file
  bool packed = false;       // written in other letters: base64, compressed, backwards
  bool substituted = false;  // output of some command, of whatever kind
  std::string url = {};
  std::string what = {};        // the secret
  std::string_view taken = {};  // of what the user sees, says and keeps; "": nothing of it
  Loc fetch_loc = {};
  Loc secret_loc = {};
  std::uint32_t decoder = kNone;

  void Merge(const Taint& other) {
    if (other.fetched && !fetched) {
      fetched = true;
      url = other.url;
      fetch_loc = other.fetch_loc;
    }
    if (other.secret && !secret) {
      secret = true;
      what = other.what;
      secret_loc = other.secret_loc;
    }
    if (other.decoded && !decoded) {
      decoded = true;
      decoder = other.decoder;
    }
    if (!other.taken.empty() && taken.empty()) {
      taken = other.taken;
      if (!secret) secret_loc = other.secret_loc;
    }
    environment |= other.environment;
    substituted |= other.substituted;
    packed |= other.packed;
    content |= other.content;
  }
  // Something that is not to leave the machine.
  [[nodiscard]] bool Holds() const { return secret || environment || !taken.empty(); }
  [[nodiscard]] bool any() const { return fetched || decoded || secret || environment || !taken.empty(); }
};

inline bool Has(std::string_view text, std::string_view part) {
  return base::FindBytes(text, part) != std::string_view::npos;
}
inline bool HasOneOf(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return Has(text, part); });
}
inline bool IsAmong(std::string_view text, std::initializer_list<std::string_view> set) {
  return std::ranges::find(set, text) != set.end();
}
template <std::size_t n>
inline bool Is(std::string_view text, const std::string_view (&set)[n]) {
  return IsOneOf(text, set);
}

inline std::string Shown(std::string_view text) {
  std::string out(text.substr(0, 512));
  std::ranges::replace(out, kUnknownChar, '*');
  return out;
}

// shell_given.cc
[[nodiscard]] bool TakesPlaceOf(std::string_view path);
[[nodiscard]] bool StopsGuard(const ShellCommand& command);
[[nodiscard]] bool StopsGuardOfCluster(const ShellCommand& command);
[[nodiscard]] bool PushesAll(const ShellCommand& command);
// shell_handed.cc: all words of a command and its here-documents, in lower case, a blank before and behind each.
[[nodiscard]] std::string SaidBy(const ShellCommand& command);
[[nodiscard]] bool IsMirror(std::string_view host);
[[nodiscard]] bool OpensQuestions(std::string_view said);  // shell_handed.cc; lower case
[[nodiscard]] bool TellsOthers(std::string_view said);
[[nodiscard]] bool ObeysFar(std::string_view said);
[[nodiscard]] bool GitRuns(const ShellCommand& command);
// shell_channels.cc: the first host that a text names, "" where it names none.
[[nodiscard]] std::string HostInAddress(std::string_view text);
// Of a file that some program runs, what is written into it fetches and runs something.
[[nodiscard]] bool Harms(std::string_view path, std::string_view content);
[[nodiscard]] std::string RoutesTo(std::string_view path, std::string_view content);
[[nodiscard]] bool FindsKeys(std::string_view place);
[[nodiscard]] bool ListsVariables(std::string_view flag);  // declare -xp, export -p
[[nodiscard]] std::string HelperSends(const ShellCommand& command);
[[nodiscard]] std::string PushedWithKey(const ShellCommand& command, std::string_view program);
[[nodiscard]] bool Reroutes(const ShellCommand& command, std::string_view program);

inline bool HasFlag(const ShellCommand& command, std::initializer_list<std::string_view> flags) {
  return std::ranges::any_of(command.words, [&](const ShellWord& word) { return IsAmong(word.text, flags); });
}
// shell_stores.cc: the program prints what a store of credentials holds, or a token of its own.
[[nodiscard]] bool AsksStore(const ShellCommand& command, std::string_view program);
// What a taint says of such a token: the program that prints it, then this.
inline constexpr std::string_view kTokenMark = "\x02token";
[[nodiscard]] bool AsksToken(const ShellCommand& command, std::string_view program);
// shell_stores.cc: a variable that is set to where a key lies, by its name (KEYSTORE_FILE, SSH_KEY_PATH, KUBECONFIG).
[[nodiscard]] bool NamesKeyFile(std::string_view variable);
// shell_whole.cc. The script has commands.
void JudgeWholePowerShell(const ShellScript& script, std::string_view text, std::vector<ShellUse>& uses);

class Analysis {
 public:
  // `text`: of the script; the parameters that it declares are read from it.
  Analysis(const ShellScript& script, std::string_view text)
      : script_(script), text_(text), out_(script.commands.size()) {
    if (script.dialect == ShellDialect::kPowerShell) Declared(text);
    owner_.resize(script.functions.empty() ? 0 : script.commands.size());
    for (const ShellFunction& function : script.functions) {
      functions_[function.name] = &function;
      // Inner ones come first.
      for (std::uint32_t i = function.first; i < function.end && i < owner_.size(); ++i) {
        if (owner_[i] == nullptr) owner_[i] = &function;
      }
    }
  }

  // `all`: set to false where there were more than are kept.
  std::vector<ShellUse> Run(bool* all) {
    constexpr int kPasses = 4;  // a function hands on to another, and that to a third
    Pass();
    bool again = ReadsLater();
    for (int pass = 1; pass < kPasses && (again || handed_); ++pass) {
      // What comes later in the text is known by now.
      uses_.clear();
      count_ = {};
      seen_.clear();
      unpacked_.clear();
      standing_in_ = nullptr;
      again = handed_ = false;
      Pass();
    }
    if (all != nullptr) *all = std::ranges::none_of(count_, [](std::size_t count) { return count > kMostOfAct; });
    return std::move(uses_);
  }

 private:
  void Pass() {
    for (std::uint32_t i = 0; i < script_.commands.size(); ++i) {
      Command(i);
      // What a text run by another command writes, that command writes.
      std::uint32_t parent = script_.commands[i].parent;
      if (parent < i) out_[parent].Merge(out_[i]);
    }
  }

  // `while read x; do ...; done < <(command)`: the command stands behind those that read from it.
  [[nodiscard]] bool ReadsLater() const {
    for (std::uint32_t i = 0; i < script_.commands.size(); ++i) {
      for (const auto& [op, word] : script_.commands[i].redirects) {
        for (std::uint32_t from : word.commands) {
          if (from > i) return true;
        }
      }
    }
    return false;
  }

  // ---- giving out

  ShellUse& Emit(ShellAct act, std::uint32_t index, std::string_view detail, std::uint8_t gravity = 0) {
    const ShellCommand& command = script_.commands[index];
    ShellUse use;
    use.act = act;
    use.loc = command.loc;
    use.detail = Shown(detail);
    use.gravity = gravity;
    use.command = index;
    use.obfuscation = command.obfuscation;
    if (!command.words.empty()) use.obfuscation = std::max(use.obfuscation, command.words[0].obfuscation);
    if (++count_[static_cast<std::size_t>(act)] > kMostOfAct) return dropped_ = std::move(use);
    uses_.push_back(std::move(use));
    return uses_.back();
  }

  // ---- taint

  static std::string Key(std::string_view text, const std::vector<std::string>& variables) {
    while (text.starts_with("./")) text.remove_prefix(2);
    std::string key(text);
    if (Has(key, std::string_view(&kUnknownChar, 1))) {
      for (const std::string& name : variables) {
        key += '\0';
        key += name;
      }
    }
    return key;
  }

  void Remember(const std::string& written, const std::vector<std::string>& variables, const Taint& taint) {
    const std::string text = Slashed(written);
    if (text.empty() || text == "-" || text.starts_with("/dev/")) return;
    std::string key = Key(text, variables);
    files_[key].Merge(taint);
    bool relative = key.find('/') == std::string::npos;
    std::string base = BaseName(key);
    if (!base.empty() && base != std::string(1, kUnknownChar)) by_name_[base] = {key, relative};
    if (!taint.secret && taint.taken.empty()) return;
    // out=$3; cp -r ~/.aws "$out/": in the folder of whoever called.
    if (inside_ != nullptr && text[0] == kUnknownChar) {
      for (const std::string& name : variables) {
        if (name.size() != 1 || name[0] < '1' || name[0] > '9') continue;
        Taint& put = put_into_[{inside_, name[0]}];
        handed_ = handed_ || (taint.secret && !put.secret) || (!taint.taken.empty() && put.taken.empty());
        put.Merge(taint);
      }
    }
    // A folder is what is put into it: cp -r ~/.aws "$work/aws"; tar c "$work".
    constexpr int kLevels = 3;
    std::string_view folder = text;
    for (int i = 0; i < kLevels; ++i) {
      while (folder.ends_with('/')) folder.remove_suffix(1);
      const std::size_t slash = folder.rfind('/');
      if (slash == std::string_view::npos || slash == 0) break;
      folder = folder.substr(0, slash);
      if (folder == "/tmp" || folder == "/var" || folder == "/var/tmp" || folder == "~" || folder == ".") break;
      folders_[Key(folder, variables)].Merge(taint);
    }
  }

  // Windows writes folders the other way.
  static std::string Slashed(std::string text) {
    std::ranges::replace(text, '\\', '/');
    return text;
  }

  [[nodiscard]] const Taint* File(const std::string& written, const std::vector<std::string>& variables) const {
    const std::string text = Slashed(written);
    std::string key = Key(text, variables);
    auto found = files_.find(key);
    if (found != files_.end()) return &found->second;
    std::string_view folder = text;
    if (folder.ends_with("/.") || folder.ends_with("/*")) folder.remove_suffix(1);
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    if (!folders_.empty()) {
      found = folders_.find(Key(folder, variables));
      if (found != folders_.end()) return &found->second;
    }
    if (folder.size() != text.size()) {
      found = files_.find(Key(folder, variables));
      if (found != files_.end()) return &found->second;
    }
    // `cd /tmp; curl -O u/f; sh f`: one of the two names has no folder.
    auto named = by_name_.find(BaseName(key));
    if (named == by_name_.end()) return nullptr;
    if (!named->second.second && key.find('/') != std::string::npos) return nullptr;
    found = files_.find(named->second.first);
    return found == files_.end() ? nullptr : &found->second;
  }

  Taint OfWord(const ShellWord& word) const {
    Taint taint;
    for (std::uint32_t index : word.commands) {
      if (index < out_.size()) taint.Merge(out_[index]);
      taint.substituted = true;
    }
    for (const std::string& name : word.variables) {
      auto found = read_.find(name);
      if (found != read_.end()) taint.Merge(found->second);
      if (const Handed* handed = HandedAs(name)) taint.Merge(handed->value);
      // What is set outside of a function, below it or by whoever starts it.
      if (inside_ == nullptr || !word.commands.empty()) continue;
      if (const auto held = held_.find(name); held != held_.end()) taint.Merge(held->second);
    }
    return taint;
  }

  // What the callers of the function that is being read hand it under this name: "1" to "9", "@", "*", "" what it
  // reads.
  struct Handed {
    Taint value;
    Taint file;  // what the file holds whose name is handed over
  };
  [[nodiscard]] const Handed* HandedAs(std::string_view name) const {
    if (name.size() > 1) return nullptr;  // of the script itself: what `set --` put there
    const auto found = given_to_.find({inside_, name.empty() ? '\0' : name[0]});
    return found == given_to_.end() ? nullptr : &found->second;
  }
  void Hold(std::uint32_t index);
  // A function of the script is called (shell_given.cc).
  void HandOver(std::uint32_t index, const ShellFunction& function, const Taint& input);

  Taint OfFile(const ShellWord& word, std::uint32_t index) const {
    Taint taint = OfWord(word);
    if (const Taint* file = File(word.text, word.variables)) taint.Merge(*file);
    for (const std::string& name : word.variables) {
      if (const Handed* handed = HandedAs(name)) taint.Merge(handed->file);
      // @("notes.txt", "~/.ssh/id_rsa") | ForEach-Object { ... $_ }
      if (name != "_") continue;
      for (const ShellWord& line : PrintedLines(script_, script_.commands[index].pipe_from, true)) {
        if (!IsSecretPath(line.text)) continue;
        taint.secret = true;
        taint.what = line.text;
        taint.secret_loc = script_.commands[index].loc;
      }
    }
    if (const std::size_t star = word.text.find('*'); star != std::string::npos && star > 4 && files_.size() <= 256) {
      // A pattern finds what was written under such a name.
      const std::string stem = word.text.substr(0, star);
      for (const auto& [name, held] : files_) {
        if (name.starts_with(stem)) taint.Merge(held);
      }
    }
    if (const std::string_view kept = KeptBy(word.text); !kept.empty() && taint.taken.empty()) {
      taint.taken = kept;
      taint.secret_loc = script_.commands[index].loc;
    }
    // A path with the folder in which the command runs.
    const std::string& folder = script_.commands[index].folder;
    const std::string below = folder.empty() ? std::string() : Below(folder, word.text);
    const bool other = !word.other.empty() && IsSecretPath(word.other);
    const std::string& place = other ? word.other : below.empty() ? word.text : below;
    if (IsSecretPath(place)) {
      taint.secret = true;
      taint.what = place;
      taint.secret_loc = script_.commands[index].loc;
    }
    // -F store=@"$KEYSTORE_FILE": what is in the file, its name says.
    for (const std::string& name : word.variables) {
      if (taint.secret || !NamesKeyFile(name)) continue;
      taint.secret = true;
      taint.what = "$" + name;
      taint.secret_loc = script_.commands[index].loc;
    }
    return taint;
  }

  // What `path` is, of a program that was told to go to `folder` first.
  static ShellWord InFolder(const ShellWord& folder, const ShellWord& path) {
    ShellWord out = path;
    out.text = path.text == "." ? folder.text : folder.text + "/" + path.text;
    return out;
  }

  // "" of what is no path relative to it.
  static std::string Below(const std::string& folder, std::string_view path) {
    if (path.empty() || Has(path, ":") || path.find_first_of("/~-\x01") == 0) return {};
    if (path == "." || path == "./") return folder;
    if (path.starts_with("./")) path.remove_prefix(2);
    return folder + "/" + std::string(path);
  }

  Taint Input(std::uint32_t index) const {
    const ShellCommand& command = script_.commands[index];
    Taint taint;
    if (command.pipe_from < index) {
      taint.Merge(out_[command.pipe_from]);
      if (command.pipe_first != kNone) {
        for (std::uint32_t i = command.pipe_first; i < command.pipe_from && i < command.pipe_first + 64; ++i) {
          if (i < index) taint.Merge(out_[i]);
        }
      }
    }
    if (const Handed* handed = command.pipe_from < index ? nullptr : HandedAs("")) taint.Merge(handed->value);
    for (const auto& [op, word] : command.redirects) {
      if (op == "<" || op == "<>") taint.Merge(OfFile(word, index));
      if (op == "<<<" || op == "<<") {
        taint.Merge(OfWord(word));
        if (word.obfuscation >= 2) taint.decoded = true;
      }
    }
    return taint;
  }

  // ---- one command

  void Command(std::uint32_t index);
  void Redirects(std::uint32_t index, std::string_view program, const Taint& input);
  void Fetches(std::uint32_t index, const Transfer& transfer, const Taint& input);
  void HandsToFetched(std::uint32_t index, const std::string& url);
  void Sends(std::uint32_t index, const std::string& host, const std::string& destination, Taint taint,
             bool headers_only);
  // shell_interprets.cc
  void Interprets(std::uint32_t index, std::string_view program, const Taint& input);
  bool Evaluates(std::uint32_t index, std::string_view program, const Taint& input);
  void RunsByName(std::uint32_t index, const Taint& input);
  void RunsEncoded(std::uint32_t index, std::string_view program, const ShellWord& body);
  void RunsCode(std::uint32_t index, std::string_view program, const ShellWord& body, const Taint& input);
  bool RunsInput(std::uint32_t index, std::string_view program, const Taint& input, Taint* taint);
  void InlineCode(std::uint32_t index, std::string_view program, const ShellWord& code);
  bool InlineFlow(std::uint32_t index, std::string_view program, const ShellWord& code);
  void Declared(std::string_view text);
  [[nodiscard]] bool IsGiven(const ShellWord& word) const;
  bool TakesCall(const ShellWord& word);
  [[nodiscard]] static bool IsPosition(const ShellWord& word);
  [[nodiscard]] bool IsCalledWith(const ShellWord& word) const;
  [[nodiscard]] bool IsKept(const ShellWord& word) const;
  void TakeGiven(std::uint32_t index, std::string_view program);
  void RunTaint(std::uint32_t index, const Taint& taint);
  // shell_channels.cc: clients of file servers, brokers and data bases, and programs in one line.
  bool Channels(std::uint32_t index, std::string_view program, const Taint& input);
  void Branches(std::uint32_t index, const Taint& input);
  [[nodiscard]] Taint HeldIn(std::string_view text) const;
  [[nodiscard]] Taint NamedIn(std::string_view text, std::uint32_t index) const;
  // shell_network.cc. Those that answer: whether the command is of their kind, and all is said of it.
  void Network(std::uint32_t index, std::string_view program, const Taint& input);
  bool NetCat(std::uint32_t index, std::string_view program, const Taint& input);
  bool Telnet(std::uint32_t index, std::string_view program, const Taint& input);
  bool Socat(std::uint32_t index, std::string_view program, const Taint& input);
  bool LooksUp(std::uint32_t index, std::string_view program);
  void LooksUpName(std::uint32_t index, const ShellWord& name);
  bool AsksService(std::uint32_t index, std::string_view program, const Taint& input);
  bool Stages(std::uint32_t index, std::string_view program);
  void CopiesElsewhere(std::uint32_t index);
  bool HandsFiles(std::uint32_t index, std::string_view program, const Taint& input);
  void Pushes(std::uint32_t index);
  void LetsIn(std::uint32_t index, std::string_view program);
  // shell_files.cc
  void Files(std::uint32_t index, std::string_view program, const Taint& input);
  void ReadsSecrets(std::uint32_t index, std::string_view program);
  void Carries(std::uint32_t index, std::string_view program, const Taint& input);
  void Copied(std::uint32_t index);
  void SetsContent(std::uint32_t index, const Taint& input);
  void Archives(std::uint32_t index, std::string_view program);
  void Deletes(std::uint32_t index, std::string_view program);
  void Removes(std::uint32_t index, std::string_view program);
  // shell_unpacked.cc
  struct Unpacked {
    std::string folder;
    std::vector<std::string> variables;  // those in its name
    Taint held;
  };
  void Unpacks(std::uint32_t index, std::string_view program, const Taint& input);
  [[nodiscard]] const Taint* Within(const ShellWord& path) const;
  [[nodiscard]] Taint OfUnpacked(const ShellWord& program) const;
  // shell_acts.cc
  void System(std::uint32_t index, std::string_view program, const Taint& input);
  void RunsOverSocket(std::uint32_t index, std::string_view program);
  bool SetsCrontab(std::uint32_t index, std::string_view program);
  bool StartsOrStops(std::uint32_t index, std::string_view program);
  bool Schedules(std::uint32_t index, std::string_view program);
  bool LeadsElsewhere(std::uint32_t index, std::string_view program);
  bool Permits(std::uint32_t index, std::string_view program);
  bool LowersGuard(std::uint32_t index, std::string_view program);
  bool TakesDown(std::uint32_t index, std::string_view program);
  bool Install(std::uint32_t index, std::string_view program);
  bool Overpowers(std::uint32_t index, std::string_view program);
  bool HandsOver(std::uint32_t index, std::string_view program);
  void Bombs();
  bool LocksFiles(std::uint32_t index, std::string_view program);
  bool Ruins(std::uint32_t index, std::string_view program);
  bool Diverts(std::uint32_t index, std::string_view program);
  bool OpensDoor(std::uint32_t index);
  void Shows(std::uint32_t index, std::string_view program);
  [[nodiscard]] bool Captured(std::uint32_t index);
  // The whole text in lower case, up to a bound; made once.
  const std::string& Whole() {
    constexpr std::size_t kMost = 64'000;
    if (whole_.empty() && !text_.empty()) whole_ = LowerCase(text_.substr(0, kMost));
    return whole_;
  }
  // Characters made of numbers by an exclusive or, somewhere in the script. Found out once: asked for each text that is
  // run, it made long scripts quadratic.
  [[nodiscard]] bool MakesCharacters() {
    if (!makes_characters_) {
      const std::string all = LowerCase(text_.substr(0, std::size_t{256} << 10U));
      makes_characters_ = Has(all, "-bxor") && Has(all, "[char]");
    }
    return *makes_characters_;
  }
  // What is asked of the whole text is found out once: asked for each command, it made long scripts quadratic.
  enum class OfWhole : std::uint8_t {
    kOpens,
    kAgentSettings,
    kMetadata,
    kEndless,
    kDeletesCopies,
    kLocksFiles,
    kCodes,
    kSockets,
    kMachine,
    kConfirms
  };
  [[nodiscard]] bool Whether(OfWhole question, auto find) {
    std::optional<bool>& known = of_whole_[static_cast<std::size_t>(question)];
    if (!known) known = find(std::string_view(Whole()));
    return *known;
  }
  [[nodiscard]] bool AsksAsMachine(const ShellCommand& command);
  // The script asks the machine who it is, and encodes: what a name that is looked up carries.
  [[nodiscard]] bool CodesFacts() {
    return Whether(OfWhole::kCodes, [](std::string_view text) {
      return HasOneOf(text, {"xxd", "base64", "base32", "hexdump", "od -"}) &&
             HasOneOf(text, {"whoami", "hostname", "uname", "$(id"});
    });
  }
  [[nodiscard]] Taint OfScreen();
  bool Windows(std::uint32_t index, std::string_view program);
  void Takes(std::uint32_t index, std::string_view program);
  [[nodiscard]] bool IsFixedPlace(const std::string& host, const std::string& destination) const;
  void Wrote(std::uint32_t index, const ShellWord& path, const Taint& taint, const std::string* content);
  // shell_output.cc
  void Output(std::uint32_t index, std::string_view program, const Taint& input);
  bool OutputOfFunction(std::uint32_t index, std::string_view program);
  bool Says(std::uint32_t index, std::string_view program);
  bool PrintsEnvironment(std::uint32_t index, std::string_view program);
  bool PrintsCredentials(std::uint32_t index, std::string_view program);
  void OutputOfReader(std::uint32_t index, std::string_view program, const Taint& input);
  void Listed(std::uint32_t index, Taint& out) const;
  bool Socket(std::uint32_t index, std::string_view program);
  bool Dumps(std::uint32_t index, std::string_view program);
  bool Mails(std::uint32_t index, std::string_view program, const Taint& input);
  bool Opens(std::uint32_t index, std::string_view program);
  [[nodiscard]] std::string RequestOf(std::uint32_t index, unsigned depth) const;
  std::vector<const ShellWord*> Operands(const ShellCommand& command, std::string_view valued = "") const;

  const ShellScript& script_;
  std::string_view text_;
  std::vector<Taint> out_;
  std::vector<bool> captured_;  // by command; empty: not asked yet
  std::unordered_map<std::string, Taint> files_;
  std::unordered_map<std::string, Taint> folders_;  // in which such files lie
  std::deque<Unpacked> unpacked_;                   // of what was fetched
  const Taint* standing_in_ = nullptr;              // the current folder is one of them
  Taint staged_;                                    // what a working copy's next commit holds
  std::map<std::string, std::string> remotes_;      // of a repository, by name
  bool replaces_origin_ = false;                    // where the repository came from was taken off it
  std::unordered_map<std::string, std::pair<std::string, bool>> by_name_;
  std::unordered_map<std::string, const ShellFunction*> functions_;
  std::unordered_set<std::string> given_;        // variables that hold what the script was called with
  std::unordered_set<std::string> seen_;         // programs named already
  std::unordered_map<std::string, Taint> read_;  // variables that `read` filled
  std::unordered_map<std::string, Taint> held_;  // variables that no function sets, for the functions
  bool takes_call_ = false;                      // the script is a server, and takes its tools' calls apart
  std::set<std::pair<const ShellFunction*, char>> called_with_;       // positions: what a call of a tool holds
  std::map<std::pair<const ShellFunction*, char>, Handed> given_to_;  // by function and position
  // ... and what a function puts into the folder that it is given there.
  std::map<std::pair<const ShellFunction*, char>, Taint> put_into_;
  std::vector<const ShellFunction*> owner_;  // of each command; empty: no functions
  const ShellFunction* inside_ = nullptr;    // whose body is being read
  bool handed_ = false;                      // something new since the pass began
  std::unordered_set<std::string> locked_;   // files of the user that were written anew in letters that nobody reads
  std::string socket_;                       // that exec opened: host/port
  std::string asked_;                        // address that an object of COM or .NET was opened for
  std::string fifo_;                         // made by mkfifo
  std::string whole_;                        // Whole()
  std::array<std::optional<bool>, static_cast<std::size_t>(OfWhole::kConfirms) + 1> of_whole_;
  std::optional<bool> makes_characters_;  // MakesCharacters()
  std::vector<ShellUse> uses_;
  std::array<std::size_t, static_cast<std::size_t>(ShellAct::kTakeDown) + 1> count_{};
  ShellUse dropped_;
};

}  // namespace interlock::scan::code::shell
