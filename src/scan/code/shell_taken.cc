// What the user sees, says, copies and keeps, taken by a script; and what destroys backups or the machine's time.
#include <algorithm>

#include "code/credential_stores.h"
#include "code/payees.h"
#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {

constexpr std::string_view kOwnFolder = "the user's own folder";
constexpr std::string_view kWholeRepository = "a repository with all its past";

static bool Locks(std::string_view said) {
  return HasOneOf(said, {" openssl enc ", " gpg -c ", " gpg --symmetric ", " ccrypt ", " age -e ", " 7z a -p"});
}

// What lies under a path that is somebody's own to look into; "" for any other.
std::string_view KeptBy(std::string_view path) {
  if (path == "/etc/passwd") return "the list of the machine's users";
  if (path == ".git" || path.ends_with("/.git")) return kWholeRepository;
  const std::string text = HomePath(path);
  if (!text.starts_with("~")) return {};
  if (HasOneOf(text, {"/.claude/projects", "/.claude/history", "/.codex/sessions", "/.codex/history", "/.gemini/tmp",
                      "/.cursor/chats", "/.claude/transcripts", "/.config/opencode/sessions"})) {
    return "the conversations with agents";
  }
  if (HasOneOf(text, {"/.openclaw/workspace", "/.clawdbot/workspace", "/clawd/memory", "/.claude/memory"}) &&
      !HasOneOf(text, {"/skills/", "/node_modules/"})) {
    return "what an agent remembers of its user";
  }
  if (Is(text, {"~/.claude/claude.md", "~/.codex/agents.md", "~/.gemini/gemini.md"}))
    return "what the user tells every agent";
  if (StoreAt(text) == Store::kTalk || HasOneOf(text, {"/.local/share/signal", "/application support/signal",
                                                       "/telegram desktop", "/application support/slack"})) {
    return "the user's mail, messages or notes";
  }
  if (text == "~/.ssh/config" || text == "~/.ssh/known_hosts") return "which machines the user signs in to";
  if (HasOneOf(text, {"/claude_desktop_config.json", "/.cursor/mcp.json", "/windsurf/mcp_config.json", "~/.claude.json",
                      "/.gemini/settings.json"})) {
    return "what an agent is set up with, keys among it";
  }
  for (const std::string_view folder : {"~/documents", "~/desktop", "~/pictures", "~/downloads", "~/onedrive",
                                        "~/dropbox", "~/library/mobile documents"}) {
    if (text == folder || (text.starts_with(folder) && Is(text.substr(folder.size()), {"/*", "/.", "/**"}))) {
      return kOwnFolder;
    }
  }
  return text == "~" || text == "~/*" ? "the user's own folder" : std::string_view();
}

// "select * from users", no "select count(*)": rows as they are.
static bool AsksForRows(std::string_view said) {
  return HasOneOf(said, {"select *", "select t.*", ".dump ", "\\copy ", "copy "}) && !Has(said, "count(*)");
}

// The output of a command, or the file that it makes, is a picture of the screen, the clipboard, a recording ...
void Analysis::Takes(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto has = [&](std::initializer_list<std::string_view> flags) { return HasFlag(command, flags); };
  const auto taken = [&](std::string_view what, bool file) {
    Taint taint;
    taint.taken = what;
    taint.secret_loc = command.loc;
    out_[index].Merge(taint);
    if (!file) return;
    for (std::size_t i = 1; i < count; ++i) {
      const ShellWord& word = command.words[i];
      if (word.text.size() > 2 && word.text[0] != '-' && Has(word.text, "."))
        Remember(word.text, word.variables, taint);
    }
  };
  if (Is(program, {"screencapture", "scrot", "gnome-screenshot", "grim", "maim", "spectacle", "xwd"}) ||
      (program == "import" && has({"root"}))) {
    taken("a picture of the screen", true);
  } else if (Is(program, {"pbpaste", "wl-paste", "get-clipboard"}) ||
             (Is(program, {"xclip", "xsel"}) && has({"-o", "-ob", "-bo", "--output", "-out"}))) {
    taken("the clipboard", false);
  } else if ((program == "ffmpeg" && has({"avfoundation", "alsa", "pulse", "dshow", "v4l2", "x11grab", "gdigrab"})) ||
             Is(program, {"arecord", "parec", "parecord", "imagesnap", "fswebcam"}) ||
             (Is(program, {"rec", "sox"}) && (program == "rec" || has({"-d", "--default-device"})))) {
    taken("what microphone or camera hear and see", true);
  } else if ((program == "ps" && has({"aux", "-ef", "-aux", "auxww", "-e", "-A"})) ||
             Is(program, {"tasklist", "get-process"})) {
    taken("the list of all processes", false);
  } else if ((program == "nmap" && count > 2) || (program == "arp" && has({"-a", "-an"})) || program == "arp-scan" ||
             (program == "ip" && has({"neigh", "neighbour"}))) {
    taken("what is in the network around", false);
  } else if (program == "whoami" || (program == "id" && (count == 1 || has({"-un"})))) {
    taken("who the user is", false);
  } else if ((program == "netsh" && has({"key=clear"})) || (program == "cmdkey" && has({"/list"}))) {
    Taint taint;
    taint.secret = true;
    taint.what = program == "netsh" ? "passwords of networks" : "stored credentials";
    taint.secret_loc = command.loc;
    out_[index].Merge(taint);
  } else if (Is(program, {"get-psreadlineoption", "get-credential"})) {
    // (Get-PSReadLineOption).HistorySavePath
    Taint taint;
    taint.secret = true;
    taint.what = program == "get-credential" ? "a password that a dialog asks for" : "the record of commands";
    taint.secret_loc = command.loc;
    out_[index].Merge(taint);
  } else if (program == "new-object" && Has(SaidBy(command), " outlook.application ")) {
    taken("the mail", false);
  } else if (Is(program, {"osascript", "zenity", "kdialog", "systemd-ask-password"})) {
    std::string said;
    for (const ShellWord& word : command.words) said += word.text.substr(0, 4'000) + " ";
    for (const auto& [op, word] : command.redirects) said += word.text.substr(0, 4'000) + " ";
    std::string lower = LowerCase(said);
    std::erase_if(lower, [](char c) { return c == '"' || c == '\\'; });
    if (program == "osascript" &&
        HasOneOf(lower, {"application contacts", "application messages", "application notes", "application mail",
                         "application calendar", "application reminders"})) {
      taken("the user's contacts, messages, notes or dates", false);
    }
    if (!HasOneOf(said, {"hidden answer", "--password", "ask-password"})) return;
    Taint taint;
    taint.secret = true;
    taint.what = "a password that a dialog asks for";
    taint.secret_loc = command.loc;
    out_[index].Merge(taint);
  } else if (program == "history" && count == 1) {
    taken("the commands that were typed", false);
  } else if (program == "git" && count > 3 && command.words[1].text == "bundle" && command.words[2].text == "create") {
    taken(kWholeRepository, false);  // `create -`
    const auto file = std::find_if(command.words.begin() + 3, command.words.end(),
                                   [](const ShellWord& word) { return !word.text.starts_with('-'); });
    if (file != command.words.end()) Remember(file->text, file->variables, out_[index]);
  } else if (Is(program, {"pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump"}) ||
             (IsClientOfRows(program) && AsksForRows(SaidBy(command)))) {
    taken("what a data base keeps", false);
  } else if (program == "git" && count > 3 && command.words[1].text == "config" &&
             std::ranges::any_of(command.words, [](const ShellWord& word) {
               return word.text.starts_with("filter.") ||
                      (word.text.starts_with("diff.") && word.text.ends_with(".textconv"));
             })) {
    taken("the files that git stages or shows", false);
  } else if ((program == "az" && has({"grant-access"}))) {
    taken("a disk of the user's", false);
  } else if (Is(program,
                {"tar", "zip", "7z", "rsync", "cp", "gzip", "bsdtar", "compress-archive", "find", "cat", "base64"})) {
    for (std::size_t i = 1; i < count; ++i) {
      const std::string_view what = KeptBy(command.words[i].text);
      if (what.empty()) continue;
      // `find ~ -name '*.md'` looks for one kind of thing.
      const bool all = program != "find" && !(program == "cat" && i + 1 == count && count > 2);
      if (!all || (program == "cp" && i + 1 == count) || (program == "rsync" && i + 1 == count)) continue;
      Taint taint;
      taint.taken = what;
      taint.secret_loc = command.loc;
      out_[index].Merge(taint);
      // The archive, or the folder that it is copied to.
      const ShellWord* archive = nullptr;
      for (std::size_t k = 1; k < count && archive == nullptr; ++k) {
        const std::string& text = command.words[k].text;
        if (k != i && !text.empty() && text[0] != '-' && HasOneOf(text, {".tar", ".tgz", ".zip", ".7z", ".gz"}))
          archive = &command.words[k];
      }
      if (archive == nullptr && program == "cp") archive = &command.words.back();
      if (archive != nullptr) Remember(archive->text, archive->variables, taint);
      break;
    }
  }
}

// A place whose name stands here, and is no mirror, tunnel end or folder of this machine.
bool Analysis::IsFixedPlace(const std::string& host, const std::string& destination) const {
  if (Has(destination, std::string_view(&kUnknownChar, 1)) && Has(host, std::string_view(&kUnknownChar, 1)))
    return false;
  if (!host.empty()) return Has(host, ".") && !Has(host, std::string_view(&kUnknownChar, 1)) && !IsLocalHost(host);
  return HasOneOf(destination, {"s3://", "gs://"}) &&
         !HasOneOf(LowerCase(destination), {"my-", "your", "example", "<"}) &&
         !Has(destination.substr(0, std::min<std::size_t>(destination.size(), 12)), std::string_view(&kUnknownChar, 1));
}

namespace {

// A line that names the variable runs what it holds.
bool RunsValue(std::string_view whole, std::string_view name) {
  for (std::size_t at = whole.find(name); at != std::string_view::npos; at = whole.find(name, at + 1)) {
    const std::size_t begin = whole.rfind('\n', at) + 1;  // npos + 1: the first line
    const std::string_view before = whole.substr(begin, at - begin);
    if (!before.ends_with('$') && !before.ends_with("${")) continue;
    const std::string_view line = whole.substr(begin, whole.find('\n', at) - begin);
    // $REFUSED, as a command; what a loop or another variable makes of it is not followed.
    const std::string_view ahead = before.substr(0, before.find_last_not_of("\"${") + 1);
    const bool alone = ahead.find_first_not_of(" \t") == std::string_view::npos;
    if (alone || ahead.ends_with('=') ||
        HasOneOf(line, {"eval", "-c ", "sh", "xargs", "for ", "source ", ". /", " >", "tee "}))
      return true;
  }
  return false;
}

// :(){ :|:& };: as a command. A text between quotes is what a guard looks for, unless a shell is given it; so is what a
// comment says.
bool HoldsBomb(std::string_view whole) {
  for (const std::string_view bomb : {":(){ :|:& };:", ":(){:|:&};:", ":(){ :|: & };:"}) {
    for (std::size_t at = whole.find(bomb); at != std::string_view::npos; at = whole.find(bomb, at + 1)) {
      std::string_view before = whole.substr(0, at);
      before = before.substr(before.rfind('\n') + 1);
      const std::string_view after = whole.substr(at + bomb.size(), 1);
      if (before.find('#') != std::string_view::npos) continue;
      // REFUSED="rm -rf /,:(){ :|:& };:"
      const std::string_view name = before.substr(0, before.find_first_of("= \t"));
      if (name.size() < before.size() && before[name.size()] == '=' && std::ranges::count(before, '"') % 2 == 1 &&
          !RunsValue(whole, name))
        continue;
      if (before.empty() || !(before.ends_with('\'') || before.ends_with('"')) ||
          after != before.substr(before.size() - 1))
        return true;
      before = before.substr(0, before.find_last_not_of(" '\"") + 1);
      if (before.ends_with("c") || before.ends_with("eval") || before.ends_with("<<<")) return true;
    }
  }
  return false;
}

}  // namespace

void Analysis::Bombs() {
  if (HoldsBomb(Whole())) Emit(ShellAct::kRuin, 0, "the machine's time, by a fork bomb", 2);
}

// for file in ~/Documents/*; do openssl enc -in "$file" -out "$file.enc" && rm "$file"; done
bool Analysis::LocksFiles(std::uint32_t index, std::string_view program) {
  const std::vector<ShellWord>& words = script_.commands[index].words;
  if (Is(program, {"openssl", "gpg", "ccrypt", "age", "7z"})) {
    const std::string said = SaidBy(script_.commands[index]);
    for (const ShellWord& word : words) {
      if (KeptBy(word.text) == kOwnFolder && Locks(said) && !Has(said, " -d ")) locked_.insert(word.text);
    }
    return false;
  }
  const bool gone = Is(program, {"rm", "shred", "unlink", "srm"}) && !locked_.empty() &&
                    std::ranges::any_of(words, [&](const ShellWord& word) { return locked_.contains(word.text); });
  if (gone) Emit(ShellAct::kRuin, index, "the user's files, by locking them", 2);
  return gone;
}

// What takes away the way back, or the machine's room and time.
bool Analysis::Ruins(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  if (!Is(program,
          {"vssadmin", "wmic", "wbadmin", "bcdedit", "fsutil", "restic", "tmutil", "borg", "zfs", "dd", "find", "git"}))
    return false;
  const std::string said = SaidBy(command);
  const auto ruin = [&](std::string detail, std::uint8_t gravity) {
    Emit(ShellAct::kRuin, index, std::move(detail), gravity);
    return true;
  };
  if ((program == "vssadmin" && Has(said, " delete ")) ||
      (program == "wmic" && Has(said, " shadowcopy ") && Has(said, " delete ")) ||
      (program == "wbadmin" && Has(said, " delete ")) ||
      (program == "bcdedit" && Has(said, "recoveryenabled") && Has(said, " no ")) ||
      (program == "fsutil" && Has(said, "deletejournal"))) {
    return ruin("the copies that Windows would restore from", 2);
  }
  if (program == "git") {
    // while true; do ... git push --force origin HEAD:main; done
    const bool forced = Has(said, " push ") && HasOneOf(said, {" --force ", " -f ", " +head:", " +main"});
    const bool endless =
        command.condition_depth > 0 && Whether(OfWhole::kEndless, [](std::string_view text) {
          return HasOneOf(text, {"while true", "while :", "while [ 1 ]", "for (( ; ; ))", "for ((;;))"});
        });
    if (forced && HasOneOf(said, {" --all ", " --mirror "})) return ruin("every branch of a repository", 1);
    return forced && endless && ruin("the history of a repository, without an end", 1);
  }
  const bool fed = command.pipe_from < index && std::ranges::find(command.wrappers, "xargs") != command.wrappers.end();
  if (program == "restic" && Has(said, " forget ") &&
      (fed || HasOneOf(said, {"--keep-last 0", "--unsafe-allow-remove-all"})) && !Has(said, "--dry-run")) {
    return ruin("all snapshots of a backup", 2);
  }
  if (program == "tmutil" && (Has(said, " disable ") || Has(said, " deletelocalsnapshots / ") ||
                              (fed && HasOneOf(said, {" delete ", " deletelocalsnapshots "})))) {
    return ruin("the backups of Time Machine", 1);
  }
  if (program == "borg" && Has(said, " delete ") && fed) return ruin("all archives of a backup", 2);
  if (program == "zfs" && Has(said, " destroy ") && fed) return ruin("all snapshots of a file system", 2);
  // Holds are what somebody put on snapshots that are to stay.
  if (program == "zfs" && Has(said, " release ") && fed) return ruin("the holds that keep snapshots", 1);
  if (program == "dd") {
    const bool endless = HasOneOf(said, {" if=/dev/zero ", " if=/dev/urandom ", " if=/dev/random "});
    const std::size_t at = said.find(" of=");
    const std::string to =
        at == std::string::npos ? std::string() : said.substr(at + 4, said.find(' ', at + 4) - at - 4);
    const bool disk = to.starts_with("/dev/sd") || to.starts_with("/dev/nvme") || to.starts_with("/dev/disk") ||
                      to.starts_with("/dev/vd") || to.starts_with("/dev/mmcblk");
    if (endless && disk && to.find(kUnknownChar) == std::string::npos) return ruin("the disk " + to, 2);
    const bool named = !to.empty() && to[0] != kUnknownChar && !to.starts_with("/dev/");
    if (endless && named && !Has(said, " count=")) return ruin("all room of a disk, by " + to, 2);
  }
  if (program == "find" && count > 2) {
    const bool wide = !KeptBy(command.words[1].text).empty() || DeleteGravity(command.words[1].text) == 2;
    if (wide && Locks(said) && HasOneOf(said, {" rm ", " shred ", " -delete ", " unlink "}))
      return ruin("the user's files, by locking them", 2);
    const bool documents = HasOneOf(said, {".doc", ".xls", ".ppt", ".odt", ".pdf", ".jpg", ".jpeg", ".heic", ".psd",
                                           ".kdbx", ".sql", ".mp4", ".mov"});
    if (wide && HasOneOf(said, {" truncate ", " shred "})) return ruin("the user's files, by emptying them", 2);
    if (wide && documents && HasOneOf(said, {" -delete ", " rm ", " unlink "}) && !Has(said, " -mtime "))
      return ruin("the user's documents", 1);
  }
  return false;
}

// Calls of the platform that take the screen or the keys leave no word that a pipe would carry.
Taint Analysis::OfScreen() {
  Taint taint;
  const std::string& text = Whole();
  if (Has(text, "copyfromscreen(")) taint.taken = "a picture of the screen";
  if (Has(text, "getasynckeystate")) taint.taken = "the keys that are pressed";
  return taint;
}

// What only Windows has: its firewall, its registry's locks, its copies, its record of commands.
bool Analysis::Windows(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const bool first = index == 0 && HasOneOf(Whole(), {"amsiinitfailed", "amsiutils'", "amsiscanbuffer"});
  if (!first && !Is(program, {"set-netfirewallprofile", "set-itemproperty", "new-itemproperty", "sp",
                              "import-certificate", "remove-item", "clear-content", "ri", "del", "rm", "get-wmiobject",
                              "gwmi", "get-ciminstance", "get-childitem", "gci", "dir", "ls"})) {
    return false;
  }
  const std::string said = SaidBy(command);
  const std::string here =
      command.loc.end <= text_.size() && command.loc.begin < command.loc.end
          ? LowerCase(
                text_.substr(command.loc.begin, std::min<std::size_t>(command.loc.end - command.loc.begin, 2'000)))
          : std::string();
  const auto opens = [&](std::string detail, std::uint8_t gravity) {
    Emit(ShellAct::kPermission, index, std::move(detail), gravity);
    return true;
  };
  if (first) return opens("the scanner of scripts", 2);
  if (program == "set-netfirewallprofile" && HasOneOf(said, {" false", "$false", "\x01"}) && Has(said, "-enabled")) {
    return opens("the firewall", 2);
  }
  if (Is(program, {"set-itemproperty", "new-itemproperty", "sp"})) {
    if (Has(said, "policies\\system") && Has(said, "enablelua") && Has(said, " 0 "))
      return opens("the question before rights are raised", 2);
    if (Has(said, "internet settings") && HasOneOf(said, {" proxyserver ", " autoconfigurl "}) && Has(said, ".")) {
      return opens("what others fetch or send goes through another host", 2);
    }
    if (Has(said, "windows defender") && Has(said, "disable")) return opens("the virus scanner", 2);
  }
  if (program == "import-certificate" && Has(said, "\\root")) return opens("whose certificates are believed", 1);
  if (Is(program, {"remove-item", "clear-content", "ri", "del", "rm"}) &&
      HasOneOf(here, {"historysavepath", "consolehost_history"})) {
    return opens("the record of commands", 2);
  }
  if (Is(program, {"get-wmiobject", "gwmi", "get-ciminstance"}) && Has(said, "win32_shadowcopy") &&
      Whether(OfWhole::kDeletesCopies, [](std::string_view text) {
        return HasOneOf(text, {".delete()", "remove-ciminstance", "remove-wmiobject"});
      })) {
    Emit(ShellAct::kRuin, index, "the copies that Windows would restore from", 2);
    return true;
  }
  if (Is(program, {"get-childitem", "gci", "dir", "ls"})) {
    const bool wide = HasOneOf(said, {" ~ ", " ~\\", " ~/"});
    if (wide && Whether(OfWhole::kLocksFiles, [](std::string_view text) {
          return HasOneOf(text, {"createencryptor", "aesmanaged", "aes]::create"}) &&
                 HasOneOf(text, {"writeallbytes", "set-content"}) && HasOneOf(text, {"remove-item", ".delete("});
        })) {
      Emit(ShellAct::kRuin, index, "the user's files, by locking them", 2);
      return true;
    }
  }
  return false;
}

// sed -E 's/0x[0-9a-fA-F]{40}/0x.../': whatever address stands in a text, one's own is put there.
bool Analysis::Diverts(std::uint32_t index, std::string_view program) {
  if (!Is(program, {"sed", "gsed", "perl"})) return false;
  for (const ShellWord& word : script_.commands[index].words) {
    std::string_view left = word.text;
    while (!left.empty()) {
      const std::string_view edit = left.substr(0, left.find_first_of(";\n"));
      // 1,$s/.../: lines may be named before it.
      constexpr std::size_t kLongestAddress = 40;
      const std::string_view head = edit.substr(0, kLongestAddress);
      std::string_view address;
      for (std::size_t at = head.find('s'); at != std::string_view::npos && address.empty();
           at = head.find('s', at + 1))
        address = PutInPlaceOfWallets(edit.substr(at));
      if (!address.empty()) {
        Emit(ShellAct::kDivert, index, std::string(address), 1);
        return true;
      }
      left.remove_prefix(std::min(edit.size() + 1, left.size()));
    }
  }
  return false;
}

// Whether a command's output becomes a word of another, or a variable.
bool Analysis::Captured(std::uint32_t index) {
  if (captured_.empty()) {
    captured_.resize(script_.commands.size());
    const auto take = [&](const ShellWord& word) {
      for (const std::uint32_t from : word.commands) captured_[from] = true;
    };
    for (const ShellCommand& command : script_.commands) {
      for (const ShellWord& word : command.words) take(word);
      for (const auto& [name, word] : command.assignments) take(word);
    }
  }
  return captured_[index];
}

// env | base64, echo "$(env | gzip | base64)": the environment where all read it, and no filter of a log knows it.
void Analysis::Shows(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  if (!command.redirects.empty()) return;
  Taint shown;
  if (Is(program, {"echo", "printf", "write-host", "write-output"})) {
    for (const ShellWord& word : command.words) shown.Merge(OfWord(word));
  } else if (out_[index].environment && out_[index].packed) {
    // The end of a pipe whose output is nobody's word.
    if (!Captured(index)) shown = out_[index];
  }
  if (!shown.environment || !shown.packed) return;
  const bool piped = index + 1 < script_.commands.size() && script_.commands[index + 1].pipe_from == index;
  if (!piped) Emit(ShellAct::kShowSecret, index, std::string(program), 1);
}

}  // namespace interlock::scan::code::shell
