// What is read, written, deleted, installed, listened on, and which protections are taken down.
#include "code/open_settings.h"
#include "code/places.h"
#include "code/shell_analysis.h"
#include "code/vendors.h"

namespace interlock::scan::code::shell {
namespace {

// A socket's two operands, "host" and "port".
std::string Target(const std::vector<const ShellWord*>& operands) {
  if (operands.empty()) return "*";
  if (operands.size() == 1) return operands[0]->text;
  return operands[operands.size() - 2]->text + ":" + operands.back()->text;
}

bool IsBuiltin(std::string_view program) {
  static constexpr FixedWords kBuiltins(std::to_array<std::string_view>(
      {"echo",         "printf",   "cd",      "test",    "[",         "[[",       "true",
       "false",        ":",        "export",  "set",     "unset",     "read",     "shift",
       "return",       "exit",     "local",   "declare", "readonly",  "typeset",  "let",
       "pwd",          "pushd",    "popd",    "alias",   "umask",     "wait",     "trap",
       "source",       ".",        "eval",    "exec",    "break",     "continue", "getopts",
       "hash",         "type",     "command", "shopt",   "setopt",    "ulimit",   "jobs",
       "bg",           "fg",       "builtin", "mapfile", "readarray", "complete", "sleep",
       "basename",     "dirname",  "date",    "seq",     "expr",      "yes",      "write-host",
       "write-output", "if",       "else",    "elseif",  "foreach",   "try",      "catch",
       "param",        "function", "throw",   "goto",    "rem",       "setlocal", "endlocal",
       "in",           "do",       "then",    "fi",      "done"}));
  return kBuiltins.Has(program);
}

bool NamesGuard(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& each) {
    return HasOneOf(LowerCase(each.text),
                    {"falco", "osquery", "auditd", "crowdstrike", "falcon-sensor", "clamd", "sentinelone", "sentineld",
                     "wazuh", "ossec", "sysmon", "msmpeng", "defender", "cbdaemon", "littlesnitch", "little snitch",
                     "lulu", "blockblock", "rsyslogd"});
  });
}

// An agent that is started with its questions switched off.
bool Unleashes(const ShellCommand& command, std::string_view program) {
  if (!Is(program, {"claude", "gemini", "codex", "q", "cursor-agent", "aider", "amp", "opencode", "copilot", "goose",
                    "qwen", "crush"})) {
    return false;
  }
  return std::ranges::any_of(command.words, [](const ShellWord& each) {
    return IsFreeFlag(each.text) || Is(each.text, {"--yes-always", "--full-auto"});
  });
}

bool SeeksSecrets(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& each) { return NamesLoot(each.text); });
}

// The record of what was done here.
bool ClearsTraces(const ShellCommand& command, std::string_view program) {
  const auto has = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(command.words,
                               [&](const ShellWord& each) { return HasOneOf(LowerCase(each.text), parts); });
  };
  if (program == "journalctl") return has({"--vacuum-time=1s", "--vacuum-size=1", "--vacuum-time=0"});
  if (program == "wevtutil") return command.words.size() > 1 && has({"cl", "clear-log"});
  if (program == "clear-eventlog" || program == "remove-eventlog") return true;
  if (Is(program, {"truncate", "shred", "rm", "unlink", "srm"})) {
    return std::ranges::any_of(command.words, [](const ShellWord& each) { return IsRecordPath(LowerCase(each.text)); });
  }
  return false;
}

bool PlausibleProgram(std::string_view text) {
  if (text.empty() || text.size() > 128) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/' || c == '+' || c == '~' || c == '\\' || c == ':' || c == '@';
  });
}

}  // namespace

void Analysis::Network(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (script_.dialect == ShellDialect::kPowerShell && Socket(index, program)) return;
  if (Channels(index, program, input)) return;
  if (Is(program, {"nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"})) {
    bool listen = false;
    bool run = false;
    bool probe = false;
    for (std::size_t i = 1; i < count; ++i) {
      std::string_view text = command.words[i].text;
      if (text == "--listen") listen = true;
      if (text == "--exec" || text == "--sh-exec" || text == "--lua-exec" || text.starts_with("--exec=")) run = true;
      if (text.size() < 2 || text[0] != '-' || text[1] == '-') continue;
      if (Has(text, "l")) listen = true;
      if (Has(text, "z")) probe = true;
      if (Has(text, "e") || Has(text, "c")) run = true;
    }
    std::vector<const ShellWord*> operands = Operands(command, "wpsxXqiIGTOPeco");
    std::string target = Target(operands);
    bool to_shell = false;
    if (command.pipe_from < index) {
      to_shell = IsShell(ProgramOf(script_.commands[command.pipe_from]));
    }
    for (const auto& [op, path] : command.redirects) to_shell |= op[0] == '>' && !fifo_.empty() && path.text == fifo_;
    if (run || (to_shell && !listen)) {
      Emit(ShellAct::kReverseShell, index, target, 2);
    } else if (listen) {
      Emit(ShellAct::kListen, index, target);
    } else if (!probe) {
      Taint taint = input;
      for (const auto& [op, path] : command.redirects) {
        if (op == "<") taint.Merge(OfFile(path, index));
      }
      bool sends = command.pipe_from != kNone || !command.redirects.empty();
      std::string host = operands.empty() ? std::string() : LowerCase(operands[0]->text);
      if (sends) Sends(index, host, target, taint, false);
      Taint got;
      got.fetched = !IsLocalHost(host);
      got.url = target;
      got.fetch_loc = command.loc;
      out_[index].Merge(got);
    }
    return;
  }
  if (program == "telnet" || (program == "openssl" && word(1) == "s_client")) {
    std::vector<const ShellWord*> operands = Operands(command);
    bool to_shell = command.pipe_from < index && IsShell(ProgramOf(script_.commands[command.pipe_from]));
    if (to_shell) {
      Emit(ShellAct::kReverseShell, index, Target(operands), 2);
    } else {
      Taint got;
      got.fetched = true;
      got.url = Target(operands);
      got.fetch_loc = command.loc;
      out_[index].Merge(got);
      if (input.Holds()) Sends(index, HostInAddress(Target(operands)), Target(operands), input, false);
    }
    return;
  }
  if (program == "socat") {
    std::string all;
    for (std::size_t i = 1; i < count; ++i) all += LowerCase(command.words[i].text) + " ";
    bool run = (Has(all, "exec:") && !Has(all, "exec:/bin/cat") && !Has(all, "exec:cat ")) || Has(all, "system:");
    bool listen = Has(all, "-listen:") || Has(all, "tcp-l:") || Has(all, "-recvfrom:");
    if (run && !listen) {
      Emit(ShellAct::kReverseShell, index, Shown(all), 2);
    } else if (listen) {
      Emit(ShellAct::kListen, index, Shown(all), run ? 2 : 0);
    } else if (command.pipe_from != kNone || input.Holds()) {
      Sends(index, HostInAddress(all), Shown(all), input, false);
    }
    return;
  }
  if (program == "ping") {
    // Bytes that an echo carries.
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (!Is(word(i), {"-p", "--pattern"})) continue;
      const Taint carried = OfWord(command.words[i + 1]);
      if (carried.Holds()) Sends(index, word(count - 1), word(count - 1), carried, false);
    }
  }
  if (Is(program, {"dig", "nslookup", "host", "drill", "resolve-dnsname"})) {
    // A record of text carries no programs: one that is run was hidden in it.
    for (std::size_t i = 1; i < count; ++i) {
      if (!Is(LowerCase(word(i)), {"txt", "-type=txt", "-q=txt", "-querytype=txt"})) continue;
      out_[index].decoded = true;
      out_[index].decoder = index;
    }
  }
  if (Is(program, {"dig", "nslookup", "host", "drill", "ping", "resolve-dnsname"})) {
    for (std::size_t i = 1; i < count; ++i) {
      const ShellWord& name = command.words[i];
      // Something put in front of a domain's labels.
      std::size_t unknown = name.text.find(kUnknownChar);
      if (name.text[0] == '@' || (name.commands.empty() && name.variables.empty())) continue;
      if (unknown == std::string::npos || name.text.find('.', unknown) == std::string::npos) continue;
      Taint taint = OfWord(name);
      for (const std::string& variable : name.variables) {
        if (!IsSecretName(variable)) continue;
        taint.secret = true;
        taint.what = "$" + variable;
        taint.secret_loc = name.loc;
      }
      std::string domain = name.text.substr(name.text.rfind(kUnknownChar) + 1);
      while (domain.starts_with('.')) domain.erase(0, 1);
      if (taint.Holds()) {
        Sends(index, domain, domain, taint, false);
      } else if (CodesFacts()) {
        ShellUse& use = Emit(ShellAct::kSendTaken, index, domain, 1);
        use.steps.emplace_back(command.loc, "puts what it has encoded into names that it looks up");
      } else if (Has(domain, ".") && std::ranges::any_of(name.commands, [&](std::uint32_t each) {
                   return each < script_.commands.size() &&
                          Is(ProgramOf(script_.commands[each]), {"whoami", "id", "uname"});
                 })) {
        // No host is called by who the user is.
        ShellUse& use = Emit(ShellAct::kSendTaken, index, domain, 1);
        use.steps.emplace_back(command.loc, "puts facts about the machine into a name that it looks up");
      } else if (taint.substituted) {
        Emit(ShellAct::kSend, index, domain, 1);
      }
    }
    return;
  }
  if (Is(program, {"gh", "glab", "hub", "http", "https", "xh", "aws", "gcloud", "az", "slack", "telegram-send", "ntfy",
                   "notify", "wrangler", "heroku"})) {
    // A client of a service, whatever its own words: what stands in them goes there.
    Taint said = input;
    // What uploads files uploads those that are named; others open them to log in.
    const bool uploads = Is(program, {"slack", "telegram-send"}) || (program == "az" && word(1) == "storage");
    for (std::size_t i = 1; i < count; ++i)
      said.Merge(uploads ? OfFile(command.words[i], index) : OfWord(command.words[i]));
    if (said.secret || said.environment) {
      Sends(index, std::string(program), std::string(program) + " " + word(1), said, false);
      return;
    }
    if (Is(program, {"http", "https", "xh"}) && said.Holds() && count > 1)
      Sends(index, HostInAddress(word(count - 1)), word(count - 1), said, false);
  }
  if (Is(program, {"pastebinit", "croc", "wormhole", "magic-wormhole", "ffsend", "transfer", "termbin"})) {
    Taint given = input;
    for (std::size_t i = 1; i < count; ++i) given.Merge(OfFile(command.words[i], index));
    if (given.secret || given.environment) Sends(index, std::string(program), std::string(program), given, false);
    return;
  }
  if ((program == "ssh" || program == "lynx") && (input.secret || input.environment)) {
    // What it reads goes to the machine that it names.
    for (std::size_t i = 1; i < count; ++i) {
      std::string to = LooksLikeUrl(word(i)) ? HostOf(word(i)) : word(i).substr(word(i).find('@') + 1);
      if (to.empty() || to[0] == '-' || !Has(to, ".") || Has(to, "/")) continue;
      // sops -d .env.sops | ssh server "cat > .env": what is kept in the project for that server.
      if (program == "ssh" && Has(input.what, "sops")) return;
      Sends(index, to, to, input, false);
      return;
    }
  }
  if (program == "azcopy" && Is(word(1), {"copy", "cp", "sync"})) {
    std::vector<const ShellWord*> operands = Operands(command);
    Taint taint = input;
    for (const ShellWord* operand : operands) taint.Merge(OfWord(*operand));
    const std::string to = operands.empty() ? std::string() : operands.back()->text;
    if (Has(to, "://")) Sends(index, HostOf(to), to, taint, false);
    return;
  }
  if (program == "gh" && word(1) == "repo" && word(2) == "create" && (staged_.secret || staged_.environment)) {
    Sends(index, "github.com", "a repository of its own", staged_, false);
    return;
  }
  if (program == "git" && count >= 5 && word(1) == "remote" && word(2) == "add") {
    remotes_.try_emplace(word(count - 2), word(count - 1));  // git remote add backup https://...
    return;
  }
  if (program == "git" && word(1) == "add") {
    for (std::size_t i = 2; i < count; ++i) {
      if (const Taint held = OfFile(command.words[i], index); held.secret || held.environment) staged_.Merge(held);
      if (!Is(command.words[i].text, {".", "-A", "--all"}) || files_.size() > 256) continue;
      for (const auto& [name, held] : files_) {
        if (held.secret || held.environment) staged_.Merge(held);
      }
    }
    return;
  }
  if (Is(program,
         {"scp", "rsync", "sftp", "rclone", "mail", "mailx", "sendmail", "mutt", "ftp", "tftp", "s3cmd", "gsutil"}) ||
      (program == "aws" && word(1) == "s3") || (program == "gh" && word(1) == "gist") ||
      (program == "git" && word(1) == "push")) {
    Taint taint = input;
    std::vector<const ShellWord*> operands = Operands(command, "iPpoFecls");
    std::string destination = operands.empty() ? std::string() : operands.back()->text;
    bool remote = program != "scp" && program != "rsync" && program != "aws" && program != "gsutil";
    if (program == "rsync" || program == "scp") {
      std::size_t colon = destination.find(':');
      remote = colon != std::string::npos && colon > 1;
    } else if (program == "aws" || program == "gsutil") {
      remote = Has(destination, "s3://") || Has(destination, "gs://");
    }
    for (const ShellWord* operand : operands) {
      if (operand != operands.back() || program == "gh" || program == "mail" || program == "mutt") {
        taint.Merge(OfFile(*operand, index));
      }
    }
    if (program == "mutt" || program == "mail" || program == "mailx") {
      for (std::size_t i = 1; i + 1 < count; ++i) {
        if (command.words[i].text == "-a" || command.words[i].text == "-A")
          taint.Merge(OfFile(command.words[i + 1], index));
      }
    }
    if (program == "git") {
      std::string to;
      for (std::size_t i = 2; i < count; ++i) {
        if (Has(word(i), "://") || (Has(word(i), "@") && Has(word(i), ":"))) to = word(i);
        if (const auto named = remotes_.find(word(i)); named != remotes_.end() && to.empty()) to = named->second;
      }
      if ((staged_.secret || staged_.environment) && !to.empty()) {
        Sends(index, HostOf(to), to, staged_, false);
        return;
      }
      const std::string host = to.empty() ? std::string() : HostOf(to);
      if (!host.empty() && !Has(host, std::string_view(&kUnknownChar, 1)) && !IsLocalHost(host) && PushesAll(command)) {
        // Everything that was ever written, to an address that the script's user has not chosen.
        ShellUse& use = Emit(ShellAct::kSendSecret, index, to, 1);
        use.steps.emplace_back(command.loc, "sends all branches of the repository");
        return;
      }
      Emit(ShellAct::kSend, index, "git push");
    } else if (remote) {
      std::string host = Has(destination, "://") ? std::string() : destination.substr(0, destination.find(':'));
      std::size_t user = host.find('@');
      if (user != std::string::npos) host.erase(0, user + 1);
      Sends(index, host, destination, taint, false);
    }
    return;
  }
  if ((IsInterpreter(program) &&
       (HasFlag(command, {"http.server", "SimpleHTTPServer"}) || (program == "php" && HasFlag(command, {"-S"})))) ||
      program == "http-server" || program == "serve") {
    // A folder of keys for whoever asks.
    Taint served;
    for (std::size_t i = 1; i < count; ++i) served.Merge(OfFile(command.words[i], index));
    if (served.secret) Sends(index, std::string(program), "whoever asks", served, false);
    Emit(ShellAct::kListen, index, std::string(program));
  } else if (program == "ssh" && OpensDoor(index)) {
    // said
  } else if (Is(program, {"ngrok", "localtunnel", "bore"}) || (program == "cloudflared" && word(1) == "tunnel")) {
    Emit(ShellAct::kListen, index, std::string(program), 1);
  }
}

void Analysis::Files(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  bool reader =
      Is(program,
         {"cat",     "tac",         "head",   "tail",    "less",        "more",    "cp",      "mv",
          "tar",     "zip",         "base64", "xxd",     "od",          "grep",    "egrep",   "awk",
          "sed",     "dd",          "rsync",  "scp",     "curl",        "openssl", "strings", "sqlite3",
          "jq",      "gzip",        "7z",     "type",    "get-content", "gc",      "copy",    "xcopy",
          "hexdump", "sort",        "nc",     "ncat",    "copy-item",   "gpg",     "find",    "rclone",
          "bat",     "readalltext", "wget",   "python3", "python",      "ls",      "install", "compress-archive"});
  std::unordered_set<std::string> told;
  auto read = [&](const ShellWord& each) {
    std::string path = each.text;
    std::size_t at = path.find('@');
    if ((program == "curl" || program == "wget") && at != std::string::npos) path.erase(0, at + 1);
    if (path.starts_with("if=")) path.erase(0, 3);
    if (!IsSecretPath(path) || !told.insert(path).second) return;
    Emit(ShellAct::kReadSecret, index, path, BaseName(path).starts_with(".env") || program == "ls" ? 0 : 1);
  };
  // find ... -name id_rsa -print: files that lie where they should not are named, and nobody opens them.
  const bool names =
      program == "find" && HasFlag(command, {"-print"}) && !HasFlag(command, {"-exec", "-execdir", "-ok"}) &&
      std::ranges::none_of(script_.commands, [&](const ShellCommand& next) { return next.pipe_from == index; });
  if (reader && program != "ls" && !names) {
    for (std::size_t i = 1; i < count; ++i) {
      // The last operand of a copy is where it goes.
      if ((program == "cp" || program == "mv" || program == "install" || program == "copy") && i + 1 == count) break;
      if (program == "find" && i > 1 && command.words[i - 1].text != "-name" && command.words[i - 1].text != "-iname" &&
          command.words[i - 1].text != "-path") {
        continue;
      }
      read(command.words[i]);
    }
  }
  for (const auto& [op, word] : command.redirects) {
    if (op == "<") read(word);
  }
  auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if ((program == "security" && HasOneOf(word(1), {"find-generic", "find-internet", "dump-keychain"})) ||
      (program == "gpg" && HasFlag(command, {"--export-secret-keys"})) ||
      (program == "secret-tool" && word(1) == "lookup") || (program == "cmdkey" && count > 1)) {
    Emit(ShellAct::kReadSecret, index, std::string(program) + " " + word(1), 1);
  }
  // Copies, and archives of what is secret or fetched.
  if (Is(program, {"cp", "mv", "install", "ln", "copy", "xcopy", "copy-item", "move", "move-item"})) {
    std::vector<const ShellWord*> operands = Operands(command, "mogtS");
    if (operands.size() >= 2) {
      Taint taint;
      for (std::size_t i = 0; i + 1 < operands.size(); ++i) taint.Merge(OfFile(*operands[i], index));
      const ShellWord& target = *operands.back();
      Wrote(index, target, taint, nullptr);
      if (TakesPlaceOf(target.text)) Emit(ShellAct::kWriteStartup, index, "the place of " + target.text, 1);
      if (taint.fetched && HasOneOf(target.text, {"ca-certificates", "ca-trust", "/etc/ssl/certs", "/etc/sudoers"})) {
        Emit(ShellAct::kPermission, index, "trusts what it has fetched, " + target.text, 2);
      }
      if (taint.any() && (target.text.ends_with('/') || Has(target.text, "/bin") || target.text == ".")) {
        for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
          std::string inside = target.text + (target.text.ends_with('/') ? "" : "/") + BaseName(operands[i]->text);
          Remember(inside, target.variables, taint);
        }
      }
    }
  } else if (program == "tee" || program == "sponge") {
    std::optional<std::string> content;
    unsigned decodes = 0;
    if (command.pipe_from < index) content = ConstantOutput(script_, command.pipe_from, decodes);
    for (const auto& [op, body] : command.redirects) {
      if ((op == "<<" || op == "<<<") && body.constant) content = body.text;
    }
    for (const ShellWord* operand : Operands(command)) Wrote(index, *operand, input, content ? &*content : nullptr);
  } else if (program == "sed" && (HasFlag(command, {"-i", "-i.bak", "-ie", "-Ei", "-i''"}))) {
    std::vector<const ShellWord*> operands = Operands(command, "e");
    const std::string written = operands.empty() ? std::string() : SedReplacement(operands.front()->text);
    if (operands.size() > 1) Wrote(index, *operands.back(), {}, written.empty() ? nullptr : &written);
  } else if (program == "dd") {
    for (std::size_t i = 1; i < count; ++i) {
      if (!command.words[i].text.starts_with("of=")) continue;
      ShellWord target = command.words[i];
      target.text.erase(0, 3);
      if (DeleteGravity(target.text) == 2) Emit(ShellAct::kDelete, index, target.text, 2);
      Wrote(index, target, input, nullptr);
    }
  } else if (Is(program, {"set-content", "add-content", "out-file", "new-item"})) {
    const ShellWord* path = nullptr;
    std::optional<std::string> content;
    for (std::size_t i = 1; i < count; ++i) {
      std::string flag = LowerCase(word(i));
      if ((flag == "-path" || flag == "-filepath" || flag == "-literalpath") && i + 1 < count) {
        path = &command.words[++i];
      } else if ((flag == "-value" || flag == "-inputobject") && i + 1 < count) {
        if (command.words[++i].constant) content = word(i);
      } else if (flag == "-itemtype" || flag == "-encoding") {
        ++i;
      } else if (!flag.empty() && flag[0] != '-' && path == nullptr) {
        path = &command.words[i];
      }
    }
    if (path != nullptr) Wrote(index, *path, input, content ? &*content : nullptr);
  } else if (Is(program, {"tar", "zip", "7z", "gpg", "openssl", "base64", "gzip", "compress-archive"})) {
    // The archive carries what is put into it.
    Taint taint;
    const ShellWord* archive = nullptr;
    bool creates = program != "tar";
    for (std::size_t i = 1; i < count; ++i) {
      std::string_view text = command.words[i].text;
      if (program == "tar" && i == 1 && !text.starts_with("--")) {
        creates = Has(text, "c");
        if (Has(text, "f") && i + 1 < count) archive = &command.words[++i];
        continue;
      }
      if (program == "tar" && text.size() > 1 && text[0] == '-' && text[1] != '-' && text.back() == 'f' &&
          i + 1 < count) {
        creates |= Has(text, "c");
        archive = &command.words[++i];
        continue;
      }
      if ((text == "-o" || text == "-out" || text == "--output" || text == "-DestinationPath") && i + 1 < count) {
        archive = &command.words[++i];
        continue;
      }
      if (text.size() > 1 && text[0] == '-') continue;
      if (program == "zip" && archive == nullptr) {
        archive = &command.words[i];
        continue;
      }
      taint.Merge(OfFile(command.words[i], index));
    }
    if (creates && archive != nullptr && archive->text != "-" && taint.any()) {
      Remember(archive->text, archive->variables, taint);
      if (program == "zip" && !Has(BaseName(archive->text), "."))
        Remember(archive->text + ".zip", archive->variables, taint);
    }
  } else if (program == "mkfifo" || program == "mknod") {
    if (count > 1) fifo_ = word(program == "mknod" ? 1 : count - 1);
  }
  // Deleting.
  if (program == "rm" || program == "srm" || program == "remove-item" || program == "rd" || program == "rmdir" ||
      program == "del" || program == "shred" || program == "rimraf") {
    bool recursive = program == "srm" || program == "shred" || program == "rimraf";
    for (std::size_t i = 1; i < count; ++i) {
      std::string text = LowerCase(word(i));
      if (text == "-recurse" || text == "--recursive" || text == "/s" ||
          (text.size() > 1 && text[0] == '-' && text[1] != '-' && text.find('r') != std::string::npos)) {
        recursive = true;
      }
    }
    for (const ShellWord* operand : Operands(command)) {
      if (operand->text.starts_with('/') && operand->text.size() == 2 && program[0] != 'r') continue;
      std::uint8_t gravity = DeleteGravity(operand->text);
      if (!operand->variables.empty() && operand->text.find_first_not_of("\x01/*") == std::string::npos) gravity = 0;
      if (recursive || gravity == 2) Emit(ShellAct::kDelete, index, operand->text, recursive ? gravity : 1);
    }
    if (command.pipe_from < index && std::ranges::find(command.wrappers, "xargs") != command.wrappers.end()) {
      // find ~ ... | xargs rm
      const ShellCommand& from = script_.commands[command.pipe_from];
      const bool picks = HasFlag(
          from, {"-name", "-iname", "-path", "-mtime", "-ctime", "-mmin", "-newer", "-empty", "-size", "-regex"});
      const std::string root = from.words.size() > 1 ? from.words[1].text : std::string();
      if (ProgramOf(from) == "find" && !picks && !root.empty() && DeleteGravity(root) == 2) {
        Emit(ShellAct::kDelete, index, "everything below " + root, 2);
      }
    }
  } else if (program.starts_with("mkfs") || program == "wipefs" ||
             (program == "format" && script_.dialect == ShellDialect::kBatch)) {
    // Which disk, somebody says; one that stands in the code is nobody's choice.
    const std::string disk = count > 1 ? command.words.back().text : std::string();
    if (disk.starts_with("/dev/") && command.words.back().constant && disk.find(kUnknownChar) == std::string::npos) {
      Emit(ShellAct::kDelete, index, disk, 2);
    } else if (program == "format" && count > 1) {
      Emit(ShellAct::kDelete, index, disk, 2);
    }
  } else if (program == "find" && HasFlag(command, {"-delete"})) {
    Emit(ShellAct::kDelete, index, word(1), DeleteGravity(word(1)) == 2 ? 1 : 0);
  }
}

namespace {

// Whether each package that an installer is given from word `at` on has its version, and there is one.
bool AsksExactly(const ShellCommand& command, std::size_t at) {
  bool any = false;
  for (std::size_t i = at; i < command.words.size(); ++i) {
    const std::string_view text = command.words[i].text;
    if (text.empty()) continue;
    if (text.front() == '-') {
      const bool file = Is(text, {"-r", "--requirement"});
      any = any || file;
      if (file || Is(text, {"-i", "--index-url", "--extra-index-url", "--target", "-t", "--prefix", "--registry", "-c",
                            "--constraint", "--trusted-host", "--root", "--cache-dir"})) {
        ++i;
      }
      continue;
    }
    // kit@1.4.2, kit==1.4; kit@1 is whatever is the newest of them.
    const std::size_t version = text.find('@', 1);
    const std::string_view said = version == std::string_view::npos ? std::string_view() : text.substr(version + 1);
    const std::size_t pinned = text.find("==");
    const bool exact =
        (pinned != std::string_view::npos && text.substr(pinned + 2, 1).find_first_of("0123456789") == 0) ||
        (!said.empty() && said[0] >= '0' && said[0] <= '9' && said.find('.') != std::string_view::npos);
    if (!exact) return false;
    any = true;
  }
  return any;
}

}  // namespace

bool Analysis::Install(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string_view(); };
  std::size_t at = 0;
  auto verb = [&](std::size_t i, std::initializer_list<std::string_view> verbs) {
    while (i < count && word(i).starts_with('-')) ++i;
    if (!IsAmong(word(i), verbs)) return false;
    at = i + 1;
    return true;
  };
  bool python = program.starts_with("python") && word(1) == "-m" && word(2) == "pip";
  bool found = false;
  if (program == "pip" || program == "pip3" || program.starts_with("pip3.") || program == "pipx" || program == "gem" ||
      program == "cargo" || program == "go" || program == "conda" || program == "mamba" || program == "brew" ||
      program == "choco" || program == "winget" || program == "scoop" || program == "snap" || program == "flatpak" ||
      program == "apt" || program == "apt-get" || program == "dnf" || program == "yum" || program == "zypper" ||
      program == "port" || program == "microdnf" || program == "install-module" || program == "poetry") {
    found = verb(1, {"install", "add", "localinstall", "groupinstall", "reinstall"});
    if (program == "pipx" && !found) found = verb(1, {"run"});
  } else if (python) {
    found = verb(3, {"install"});
  } else if (program == "uv") {
    found = word(1) == "pip" ? verb(2, {"install", "sync"}) : verb(1, {"add", "sync"});
    if (!found && word(1) == "tool") found = verb(2, {"install", "run"});
  } else if (program == "npm" || program == "pnpm" || program == "yarn" || program == "bun") {
    found = verb(1, {"install", "i", "add", "ci", "exec", "dlx", "x"});
  } else if (program == "npx" || program == "uvx" || program == "bunx" || program == "pnpx") {
    at = 1;
    while (at < count && word(at).starts_with('-')) ++at;
    if (at < count) Emit(ShellAct::kInstall, index, std::string(word(at)), Has(word(at), "://") ? 1 : 0);
    return at < count;
  } else if (program == "apk") {
    found = verb(1, {"add"});
  } else if (program == "pacman" || program == "yay") {
    found = word(1).starts_with("-S") || word(1).starts_with("-U");
    at = 2;
  } else if (program == "dpkg" || program == "rpm" || program == "installer") {
    found = HasFlag(command, {"-i", "-ivh", "-Uvh", "--install", "-pkg", "-U"});
    at = 1;
  } else if (program == "code" || program == "cursor" || program == "claude") {
    if (HasFlag(command, {"--install-extension"})) {
      at = 1;
      found = true;
    }
  }
  if (!found) return false;
  bool any = false;
  std::uint8_t gravity = 0;
  for (std::size_t i = at; i < count; ++i) {
    // npm install kit --registry=https://stranger: what that host gives is run on being installed.
    const std::size_t equal = word(i).find('=');
    const std::string_view name = word(i).substr(0, equal);
    if (!Is(name, {"--registry", "--index-url"}) || (equal == std::string_view::npos && i + 1 >= count)) continue;
    const std::string url(equal == std::string_view::npos ? word(i + 1) : word(i).substr(equal + 1));
    const std::string host = HostOf(url);
    if (Has(url, std::string_view(&kUnknownChar, 1)) || !Has(host, ".") || IsLocalHost(host) || IsMirror(host))
      continue;
    // An index of one's own that answers for exact versions is a place of packages, not a program.
    if (url.starts_with("https://") && AsksExactly(command, at)) continue;
    Emit(ShellAct::kFetchAndRun, index, url, url.starts_with("http://") ? 2 : 0);
  }
  for (std::size_t i = at; i < count; ++i) {
    if (Is(word(i), {"--trusted-host"}) || (word(i).starts_with("--index-url=http://")) ||
        ((word(i) == "--index-url" || word(i) == "-i" || word(i) == "--extra-index-url") &&
         word(i + 1).starts_with("http://"))) {
      gravity = 1;
    }
  }
  for (std::size_t i = at; i < count && i < at + 64; ++i) {
    std::string_view text = word(i);
    if (text.empty()) continue;
    if (text[0] == '-') {
      if (Is(text, {"-r", "--requirement", "-e", "--editable", "-c"}) && i + 1 < count) {
        Emit(ShellAct::kInstall, index, std::string(text) + " " + std::string(word(i + 1)), gravity);
        any = true;
        ++i;
      } else if (Is(text, {"-i", "--index-url", "--extra-index-url", "--target", "-t", "--prefix", "--registry",
                           "--version", "--trusted-host", "--python", "-p", "-n", "--root", "--cache-dir"}) &&
                 program != "apt" && program != "apt-get" && program != "dpkg") {
        ++i;
      }
      continue;
    }
    bool address = Has(text, "://") || text.starts_with("git+");
    std::uint8_t own = gravity;
    if (address) own = std::max<std::uint8_t>(own, text.find("http://") != std::string_view::npos ? 2 : 1);
    ShellUse& use = Emit(ShellAct::kInstall, index, std::string(text), own);
    if (const Taint* file = File(command.words[i].text, command.words[i].variables); file != nullptr && file->fetched) {
      use.steps.emplace_back(file->fetch_loc, "fetches " + Shown(file->url));
      // A package under whatever name, put over another one or fetched where anybody may exchange it.
      const bool forced = HasFlag(command, {"--force-reinstall", "--no-deps", "--break-system-packages", "--force"});
      if ((python || program.starts_with("pip") || program == "uv" || program == "npm") &&
          (forced || file->url.starts_with("http://"))) {
        RunTaint(index, Taint(*file));
      }
    }
    any = true;
  }
  if (!any) Emit(ShellAct::kInstall, index, "", gravity);
  return true;
}

// Start-up, the agent's own configuration, protections; and, for the rest, that it runs.
void Analysis::System(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  auto raw = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  auto word = [&](std::size_t i) { return LowerCase(raw(i)); };
  for (const auto& [name, value] : command.assignments) {
    if ((name == "NODE_TLS_REJECT_UNAUTHORIZED" && value.text == "0") || name == "LD_PRELOAD" ||
        (name == "HISTFILE" && (value.text == "/dev/null" || value.text.empty())) ||
        (name == "HISTSIZE" && value.text == "0")) {
      Emit(ShellAct::kPermission, index, std::string(name) + "=" + value.text, 1);
    }
  }
  // `exec 5<>/dev/tcp/h/p`, and something that reads or writes that descriptor while a shell or an unknown program
  // runs.
  if (!socket_.empty()) {
    bool on_socket = false;
    for (const auto& [op, target] : command.redirects) {
      on_socket |= (op == "<&" || op == ">&") && !target.text.empty() && target.text[0] >= '3' && target.text[0] <= '9';
    }
    bool unknown = !command.words.empty() && !command.words[0].constant;
    if (on_socket && (IsShell(program) || unknown || program == "eval")) {
      Emit(ShellAct::kReverseShell, index, socket_, 2);
      socket_.clear();
    }
  }
  if (program.empty()) return;
  if (Install(index, program)) return;
  bool reported = true;
  if (Diverts(index, program) || Overpowers(index, program) || HandsOver(index, program) || Ruins(index, program) ||
      (script_.dialect == ShellDialect::kPowerShell && Windows(index, program))) {
    // said
  } else if (program == "crontab") {
    bool list = HasFlag(command, {"-l", "-e"});  // -e asks the user
    bool remove = HasFlag(command, {"-r"});
    if (!list && !remove) {
      std::optional<std::string> content;
      std::string all;
      if (command.pipe_from < index) {
        std::uint32_t first = command.pipe_first == kNone ? command.pipe_from : command.pipe_first;
        for (std::uint32_t i = first; i <= command.pipe_from && i < first + 16; ++i) {
          unsigned decodes = 0;
          if (auto text = ConstantOutput(script_, i, decodes)) all += *text + "\n";
        }
      }
      for (const auto& [op, body] : command.redirects) {
        if (op == "<<" || op == "<<<") all += body.text;
      }
      ShellUse& use = Emit(ShellAct::kWriteStartup, index, "crontab",
                           std::max<std::uint8_t>(1, StartupGravity("crontab", all, !all.empty())));
      use.content = all.substr(0, 4096);
    }
  } else if (program == "systemctl" && (word(1) == "enable" || (word(1) == "--user" && word(2) == "enable"))) {
    Emit(ShellAct::kWriteStartup, index, "systemctl enable " + raw(count - 1), 0);
  } else if (Is(program, {"pkill", "killall", "taskkill", "kill"}) && NamesGuard(command)) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(count - 1), 2);
  } else if (Unleashes(command, program)) {
    Emit(ShellAct::kUnleash, index, std::string(program), SeeksSecrets(command) ? 2 : 0);
  } else if (ClearsTraces(command, program)) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(count - 1), 2);
  } else if (program == "systemctl" && StopsGuard(command)) {
    Emit(ShellAct::kPermission, index, "systemctl " + raw(1) + " " + raw(count - 1), 2);
  } else if (program == "launchctl" && Is(word(1), {"load", "bootstrap", "submit"})) {
    Emit(ShellAct::kWriteStartup, index, "launchctl " + raw(count - 1), 1);
  } else if ((program == "schtasks" && HasFlag(command, {"/create", "/Create", "/CREATE"})) ||
             program == "register-scheduledtask" || (program == "at" && command.pipe_from != kNone) ||
             (program == "reg" && word(1) == "add" && Has(word(2), "\\run")) ||
             (Is(program, {"new-itemproperty", "set-itemproperty"}) &&
              [&] {
                return std::ranges::any_of(command.words, [](const ShellWord& each) {
                  return Has(LowerCase(each.text), "currentversion\\run");
                });
              }()) ||
             (Is(program, {"new-ciminstance", "set-wmiinstance", "register-wmievent"}) &&
              std::ranges::any_of(command.words,
                                  [](const ShellWord& each) { return Has(LowerCase(each.text), "eventconsumer"); })) ||
             (program == "update-rc.d") || (program == "git" && word(1) == "config" && GitRuns(command))) {
    const bool everywhere = program != "git" || HasFlag(command, {"--global", "--system"});
    std::string given;
    for (std::size_t i = 1; i < count; ++i) given += LowerCase(command.words[i].text) + "\n";
    const bool fetches = HasOneOf(
        given, {"curl ", "wget ", "iwr ", "iex ", "invoke-webrequest", "downloadstring", "/dev/tcp/", "eventconsumer"});
    ShellUse& use = Emit(ShellAct::kWriteStartup, index, std::string(program) + " " + raw(count - 1),
                         fetches      ? 2
                         : everywhere ? 1
                                      : 0);
    use.content = given.substr(0, 4096);
    if (const std::string to = HelperSends(command); !to.empty()) Emit(ShellAct::kSendSecret, index, to, 2);
  } else if (Is(program, {"claude", "codex", "gemini", "cursor", "code", "opencode"}) &&
             ((word(1) == "mcp" && Is(word(2), {"add", "add-json", "add-from-claude-desktop"})) ||
              HasFlag(command, {"--add-mcp"}) || (word(1) == "config" && Is(word(2), {"set", "add"})))) {
    Emit(ShellAct::kWriteAgent, index, std::string(program) + " " + raw(1) + " " + raw(2) + " " + raw(3), 1);
  } else if (const std::string host = PushedWithKey(command, program); !host.empty()) {
    Emit(ShellAct::kSendTaken, index, host, 1);
  } else if (Reroutes(command, program)) {
    Emit(ShellAct::kPermission, index,
         std::string(program) + " has what others fetch or send go through " + raw(count - 1), 2);
  } else if (program == "chmod") {
    std::vector<const ShellWord*> operands = Operands(command);
    std::string mode = operands.empty() ? std::string() : operands[0]->text;
    bool all = mode == "777" || mode == "0777" || mode == "a+rwx" || mode == "ugo+rwx" || mode == "666" ||
               mode == "o+w" || mode == "a+w";
    bool set_id = Has(mode, "+s") || (mode.size() == 4 && mode[0] >= '2' && mode[0] <= '7' && mode[0] != '1');
    for (std::size_t i = 1; i < operands.size(); ++i) {
      std::uint8_t gravity = set_id ? 2 : DeleteGravity(operands[i]->text) == 2 ? 2 : 1;
      if (all || set_id) Emit(ShellAct::kPermission, index, "chmod " + mode + " " + operands[i]->text, gravity);
    }
  } else if (program == "xattr") {
    bool quarantine = false;
    for (const ShellWord& each : command.words) quarantine |= Has(each.text, "com.apple.quarantine");
    bool clear = HasFlag(command, {"-c", "-cr", "-rc"});
    if ((quarantine && HasFlag(command, {"-d", "-dr", "-rd"})) || clear) {
      // Libraries that the package itself brought along are its own to clear; a program that was fetched is not.
      const bool own = Has(word(count - 1), "node_modules") || Has(word(count - 1), "site-packages");
      Emit(ShellAct::kPermission, index, "xattr " + raw(count - 1), own ? 1 : 2);
    }
  } else if (program == "chattr" && HasFlag(command, {"+i", "+ia", "+a"}) && IsStartupPath(raw(count - 1))) {
    Emit(ShellAct::kPermission, index, "chattr " + raw(1) + " " + raw(count - 1), 2);
  } else if (Is(program, {"sed", "gsed"}) && HasFlag(command, {"-i", "-i.bak", "-i''", "--in-place"}) &&
             HasOneOf(raw(count - 1), {"/etc/pam.d/", "/etc/sudoers", "/etc/ssh/sshd_config"})) {
    Emit(ShellAct::kPermission, index, "edits " + raw(count - 1), 2);
  } else if ((program == "spctl" && HasFlag(command, {"--master-disable", "--global-disable"})) ||
             (program == "csrutil" && word(1) == "disable") ||
             (program == "setenforce" && (raw(1) == "0" || word(1) == "permissive")) ||
             (program == "ufw" && HasFlag(command, {"disable"})) ||
             (program == "iptables" && HasFlag(command, {"-F", "--flush"})) ||
             (program == "netsh" && word(1) == "advfirewall" && HasFlag(command, {"off"})) ||
             (Is(program, {"set-mppreference", "add-mppreference"}) && count > 1) ||
             (program == "auditctl" && HasFlag(command, {"-e"}) && HasFlag(command, {"0"}))) {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(1), 2);
  } else if ((program == "set-executionpolicy" && count > 1) ||
             (program == "history" && HasFlag(command, {"-c", "-cw"})) ||
             (program == "unset" && raw(1) == "HISTFILE") ||
             (program == "usermod" && HasFlag(command, {"sudo", "wheel", "root"})) || program == "visudo" ||
             (program == "git" && word(1) == "config" && HasFlag(command, {"http.sslVerify", "http.sslverify"}) &&
              HasFlag(command, {"false"})) ||
             program == "update-ca-certificates" || program == "update-ca-trust" ||
             (program == "security" && word(1) == "add-trusted-cert") ||
             (program == "certutil" && HasFlag(command, {"-addstore"})) ||
             (program == "npm" && word(1) == "config" && HasFlag(command, {"strict-ssl"})) || program == "setcap") {
    Emit(ShellAct::kPermission, index, std::string(program) + " " + raw(1), 1);
  } else {
    reported = false;
  }
  if ((program == "env" || program == "printenv") && (count == 1 || raw(1) == "-0")) {
    Emit(ShellAct::kReadEnvironment, index, std::string(program));
  } else if ((program == "export" && raw(1) == "-p") ||
             (Is(program, {"gci", "get-childitem", "dir", "ls"}) && word(1).starts_with("env:"))) {
    Emit(ShellAct::kReadEnvironment, index, std::string(program));
  }
  (void)input;
  if (reported || IsBuiltin(program) || functions_.contains(raw(0)) || TransferOf(command, program).is_transfer) return;
  if (!PlausibleProgram(raw(0)) || !seen_.insert(raw(0)).second) return;
  Emit(ShellAct::kRun, index, raw(0));
}

}  // namespace interlock::scan::code::shell
