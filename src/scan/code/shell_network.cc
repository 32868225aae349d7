// What goes to other machines, and who is let in from there.
#include <algorithm>
#include <string>
#include <vector>

#include "code/places.h"
#include "code/shell_analysis.h"
#include "code/vendors.h"
#include "static/shell_judge.h"

namespace interlock::scan::code::shell {
namespace {

// A socket's two operands, "host" and "port".
std::string Target(const std::vector<const ShellWord*>& operands) {
  if (operands.empty()) return "*";
  if (operands.size() == 1) return operands[0]->text;
  return operands[operands.size() - 2]->text + ":" + operands.back()->text;
}

}  // namespace

bool Analysis::NetCat(std::uint32_t index, std::string_view program, const Taint& input) {
  if (!Is(program, {"nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"})) return false;
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
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
  return true;
}

bool Analysis::Telnet(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (program != "telnet" && (program != "openssl" || word(1) != "s_client")) return false;
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
  return true;
}

bool Analysis::Socat(std::uint32_t index, std::string_view program, const Taint& input) {
  if (program != "socat") return false;
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
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
  return true;
}

// One name that is looked up, with something put in front of a domain's labels.
void Analysis::LooksUpName(std::uint32_t index, const ShellWord& name) {
  const ShellCommand& command = script_.commands[index];
  std::size_t unknown = name.text.find(kUnknownChar);
  if (name.text[0] == '@' || (name.commands.empty() && name.variables.empty())) return;
  if (unknown == std::string::npos || name.text.find('.', unknown) == std::string::npos) return;
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
  } else if (CodesFacts() || (taint.packed && taint.content)) {
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

bool Analysis::LooksUp(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
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
  if (!Is(program, {"dig", "nslookup", "host", "drill", "ping", "resolve-dnsname"})) return false;
  for (std::size_t i = 1; i < count; ++i) LooksUpName(index, command.words[i]);
  return true;
}

// gh secret set NAME --repo "$repo": where its user keeps credentials, by his own account. A repository that the script
// names itself is another's.
static bool KeepsCredential(const ShellCommand& command, std::string_view program, std::string_view script) {
  // Another account, repository or address by a variable: it is not its user who says.
  if (HasOneOf(script, {"GH_REPO=", "GH_HOST=", "GH_TOKEN=", "AWS_ACCESS_KEY_ID=", "AWS_ENDPOINT_URL", "--endpoint-url",
                        "GITLAB_HOST="}))
    return false;
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (Is(program, {"gh", "glab"})) {
    if (!(Is(word(1), {"secret", "variable"}) && Is(word(2), {"set", "update"}))) return false;
    for (std::size_t i = 3; i < command.words.size(); ++i) {
      const std::string& option = command.words[i].text;
      const bool apart = Is(option, {"-R", "--repo", "--org", "-o", "--group", "-g"});
      const bool joined =
          option.starts_with("--repo=") || option.starts_with("--org=") || option.starts_with("--group=");
      const std::string to = apart ? word(i + 1) : joined ? option.substr(option.find('=') + 1) : std::string();
      if ((apart || joined) && !Has(to, std::string_view(&kUnknownChar, 1))) return false;
    }
    return true;
  }
  return (program == "aws" && ((word(1) == "secretsmanager" && Is(word(2), {"put-secret-value", "create-secret"})) ||
                               (word(1) == "ssm" && word(2) == "put-parameter"))) ||
         (program == "gcloud" && word(1) == "secrets") ||
         (program == "az" && word(1) == "keyvault" && word(2) == "secret") ||
         (program == "wrangler" && word(1) == "secret");
}

// Clients of services, whatever their own words.
bool Analysis::AsksService(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (Is(program, {"gh", "glab", "hub", "http", "https", "xh", "aws", "gcloud", "az", "slack", "telegram-send", "ntfy",
                   "notify", "wrangler", "heroku"})) {
    if (KeepsCredential(command, program, text_)) return true;
    // A client of a service, whatever its own words: what stands in them goes there.
    Taint said = input;
    // What uploads files uploads those that are named; others open them to log in.
    const bool uploads = Is(program, {"slack", "telegram-send"}) || (program == "az" && word(1) == "storage");
    for (std::size_t i = 1; i < count; ++i)
      said.Merge(uploads ? OfFile(command.words[i], index) : OfWord(command.words[i]));
    if (said.secret || said.environment) {
      Sends(index, std::string(program), std::string(program) + " " + word(1), said, false);
      return true;
    }
    if (Is(program, {"http", "https", "xh"}) && said.Holds() && count > 1)
      Sends(index, HostInAddress(word(count - 1)), word(count - 1), said, false);
  }
  if (Is(program, {"pastebinit", "croc", "wormhole", "magic-wormhole", "ffsend", "transfer", "termbin"})) {
    Taint given = input;
    for (std::size_t i = 1; i < count; ++i) given.Merge(OfFile(command.words[i], index));
    if (given.secret || given.environment) Sends(index, std::string(program), std::string(program), given, false);
    return true;
  }
  if ((program == "ssh" || program == "lynx") && (input.secret || input.environment)) {
    // What it reads goes to the machine that it names.
    for (std::size_t i = 1; i < count; ++i) {
      std::string to = LooksLikeUrl(word(i)) ? HostOf(word(i)) : word(i).substr(word(i).find('@') + 1);
      if (to.empty() || to[0] == '-' || !Has(to, ".") || Has(to, "/")) continue;
      // sops -d .env.sops | ssh server "cat > .env": what is kept in the project for that server.
      if (program == "ssh" && Has(input.what, "sops")) return true;
      Sends(index, to, to, input, false);
      return true;
    }
  }
  if (program == "logger" && HasFlag(command, {"-n", "--server"})) {
    // logger -n host "...": the record of another machine.
    Taint said = input;
    std::string to;
    for (std::size_t i = 1; i < count; ++i) {
      if (Is(word(i - 1), {"-n", "--server"})) to = word(i);
      said.Merge(Is(word(i - 1), {"-f", "--file"}) ? OfFile(command.words[i], index) : OfWord(command.words[i]));
    }
    if (said.secret || said.environment) Sends(index, to, to, said, false);
    return true;
  }
  if (program == "azcopy" && Is(word(1), {"copy", "cp", "sync"})) {
    std::vector<const ShellWord*> operands = Operands(command);
    Taint taint = input;
    for (const ShellWord* operand : operands) taint.Merge(OfWord(*operand));
    const std::string to = operands.empty() ? std::string() : operands.back()->text;
    if (Has(to, "://")) Sends(index, HostOf(to), to, taint, false);
    return true;
  }
  return false;
}

// What a repository's next commit holds, and where it goes.
bool Analysis::Stages(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (program == "gh" && word(1) == "repo" && word(2) == "create" && (staged_.secret || staged_.environment)) {
    Sends(index, "github.com", "a repository of its own", staged_, false);
    return true;
  }
  if (program == "git" && word(1) == "remote" && Is(word(2), {"remove", "rm", "rename"})) {
    replaces_origin_ = true;
    return true;
  }
  if (program == "git" && count >= 5 && word(1) == "remote" && word(2) == "add") {
    // An origin can be added only where there is none: of a new repository, or of one that was written anew.
    // Nobody can push to another's repository at a forge but by a token in its address.
    const std::string& to = command.words[count - 1].text;
    const std::string host = HostOf(to);
    const bool bare = to.find('@') == std::string::npos || to.starts_with("git@");
    if (word(count - 2) == "origin" && !replaces_origin_ && bare && KindOfHost(host) == HostKind::kForge) return true;
    remotes_.try_emplace(word(count - 2), word(count - 1));  // git remote add backup https://...
    return true;
  }
  if (program == "git" && word(1) == "add") {
    for (std::size_t i = 2; i < count; ++i) {
      if (const Taint held = OfFile(command.words[i], index); held.secret || held.environment) staged_.Merge(held);
      if (!Is(command.words[i].text, {".", "-A", "--all"}) || files_.size() > 256) continue;
      for (const auto& [name, held] : files_) {
        if (held.secret || held.environment) staged_.Merge(held);
      }
    }
    return true;
  }
  return false;
}

void Analysis::Pushes(std::uint32_t index) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  std::string to;
  for (std::size_t i = 2; i < count; ++i) {
    const std::string text = word(i);
    // "$(mirror_host):stats/$name.git"
    const bool made = !text.empty() && text[0] == kUnknownChar && Has(text, ":") && text.ends_with(".git");
    if (made || Has(text, "://") || (Has(text, "@") && Has(text, ":"))) to = text;
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
  // git push -q https://git.host/stats/$(basename "$PWD").git: to a place that its user has never set up.
  if (Has(to, "://") && IsFixedPlace(host, to) && !IsKnownService(host) && KindOfHost(host) != HostKind::kForge) {
    ShellUse& use = Emit(ShellAct::kSendTaken, index, to, 1);
    use.steps.emplace_back(command.loc, "sends what was written in the repository");
    return;
  }
  Emit(ShellAct::kSend, index, "git push");
}

// rclone copy DIR ":webdav,url=https://host/in:", rclone sync DIR :sftp:in --sftp-host host: a place that the script
// brings along, where a user sets up his own by name.
void Analysis::CopiesElsewhere(std::uint32_t index) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  if (count < 3 || !Is(command.words[1].text, {"copy", "copyto", "sync", "move", "moveto", "rcat"})) return;
  std::string place;
  const bool reads = command.words[1].text == "rcat";  // what comes in, and not from an operand
  bool there = false;
  std::size_t operands = 0;
  for (std::size_t i = 2; i < count; ++i) {
    const std::string& text = command.words[i].text;
    if (text.starts_with("--") && HasOneOf(text, {"-url", "-host", "-endpoint"})) {
      const std::size_t equal = text.find('=');
      place =
          equal == std::string::npos ? i + 1 < count ? command.words[++i].text : std::string() : text.substr(equal + 1);
      continue;
    }
    if (text.starts_with('-')) continue;
    // The first operand is where it comes from.
    const bool from = operands++ == 0 && !reads;
    if (from || !text.starts_with(':')) continue;
    there = true;
    for (const std::string_view key : {"url=", "host=", "endpoint="}) {
      const std::size_t at = text.find(key);
      if (at != std::string::npos)
        place = text.substr(at + key.size(), text.find_first_of(",\"", at + key.size() + 1) - at - key.size());
    }
  }
  while (!place.empty() && place.front() == '"') place.erase(0, 1);
  const std::string host = Has(place, "://") ? HostOf(place) : place.substr(0, place.find_first_of(":/"));
  if (there && !place.empty() && IsFixedPlace(host, place)) Emit(ShellAct::kSendTaken, index, host, 2);
}

// Files that are handed to another machine.
bool Analysis::HandsFiles(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  const bool hands = Is(program, {"scp", "rsync", "sftp", "rclone", "mail", "mailx", "sendmail", "mutt", "ftp", "tftp",
                                  "s3cmd", "gsutil"}) ||
                     (program == "aws" && word(1) == "s3") || (program == "gh" && word(1) == "gist") ||
                     (program == "git" && word(1) == "push");
  if (!hands) return false;
  if (program == "rclone") CopiesElsewhere(index);
  Taint taint = input;
  std::vector<const ShellWord*> operands = Operands(command, "iPpoFecls");
  std::string destination = operands.empty() ? std::string() : operands.back()->text;
  bool remote = program != "scp" && program != "rsync" && program != "aws" && program != "gsutil";
  if (program == "rsync" || program == "scp") {
    std::size_t colon = destination.find(':');
    remote = colon != std::string::npos && colon > 1;
  } else if (program == "aws" || program == "gsutil") {
    // aws s3 cp FILE s3://bucket/ --endpoint-url https://host
    const auto bucket = std::ranges::find_if(
        operands, [](const ShellWord* one) { return Has(one->text, "s3://") || Has(one->text, "gs://"); });
    remote = bucket != operands.end() && bucket != operands.begin();
    if (remote) operands.erase(std::next(bucket), operands.end());
    for (std::size_t i = 1; remote && i < count; ++i) {
      const bool option = command.words[i].text.starts_with("--endpoint-url");
      const std::size_t equal = option ? command.words[i].text.find('=') : std::string::npos;
      if (option) destination = equal == std::string::npos ? word(i + 1) : command.words[i].text.substr(equal + 1);
    }
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
    Pushes(index);
  } else if (remote) {
    std::string host = destination.starts_with("http") ? HostOf(destination)
                       : Has(destination, "://")       ? std::string()
                                                       : destination.substr(0, destination.find(':'));
    std::size_t user = host.find('@');
    if (user != std::string::npos) host.erase(0, user + 1);
    Sends(index, host, destination, taint, false);
  }
  return true;
}

void Analysis::LetsIn(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
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

void Analysis::Network(std::uint32_t index, std::string_view program, const Taint& input) {
  if (script_.dialect == ShellDialect::kPowerShell && Socket(index, program)) return;
  if (Mails(index, program, input) || Opens(index, program)) return;
  if (Channels(index, program, input)) return;
  if (NetCat(index, program, input) || Telnet(index, program, input) || Socat(index, program, input)) return;
  if (LooksUp(index, program) || AsksService(index, program, input)) return;
  if (Stages(index, program) || HandsFiles(index, program, input)) return;
  LetsIn(index, program);
}

}  // namespace interlock::scan::code::shell
