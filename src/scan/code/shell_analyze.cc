// What is fetched, sent and written; one command after the other.
#include "code/flow.h"
#include "code/places.h"
#include "code/rc_files.h"
#include "code/shell_analysis.h"
#include "code/sink_words.h"
#include "code/vendors.h"

namespace interlock::scan::code {
namespace shell {

std::vector<const ShellWord*> Analysis::Operands(const ShellCommand& command, std::string_view valued) const {
  std::vector<const ShellWord*> out;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view text = command.words[i].text;
    if (text.size() > 1 && text[0] == '-') {
      if (text.size() == 2 && valued.find(text[1]) != std::string_view::npos) ++i;
      continue;
    }
    out.push_back(&command.words[i]);
  }
  return out;
}

// The place shown is the whole of it where that is short: `curl ... | sh`, not `sh`.
static void Widen(ShellUse& use, const Loc& from) {
  if (from.end > from.begin && from.begin < use.loc.begin && use.loc.end - from.begin <= 512)
    use.loc.begin = from.begin;
}

// A variable with the credential of one service, on its way to a host that is not that service's.
static bool IsForAnother(std::string_view variable, std::string_view host) {
  if (host.empty() || host.find(kUnknownChar) != std::string_view::npos) return false;
  const Vendors vendors = SecretVendorOf(variable);
  return vendors.any() && !HostOfVendors(host, vendors);
}

// Where credentials are exchanged for a token.
static bool AsksForToken(std::string_view url) {
  url = url.substr(0, url.find('?'));
  return url.ends_with("/oauth/token") || url.ends_with("/oauth2/token") || url.ends_with("/connect/token") ||
         url.ends_with("/auth/token") || url.ends_with("/api/token") || url.ends_with("/login/oauth/access_token");
}

void Analysis::RunTaint(std::uint32_t index, const Taint& taint) {
  if (taint.fetched) {
    ShellUse& use = Emit(ShellAct::kFetchAndRun, index, taint.url, FetchGravity(taint.url));
    use.steps.emplace_back(taint.fetch_loc, "fetches " + Shown(taint.url));
    Widen(use, taint.fetch_loc);
    if (taint.decoded) use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
    use.steps.emplace_back(script_.commands[index].loc, "runs what was fetched");
    HandsToFetched(index, taint.url);
    return;
  }
  if (taint.decoded) {
    // "FromBase64String('" + given + "')": a program wraps what it is given, and nothing is hidden in it.
    if (taint.decoder != kNone) {
      const auto& loc = script_.commands[taint.decoder].loc;
      const std::size_t begin = std::min<std::size_t>(loc.begin, text_.size());
      if (text_.substr(begin, loc.end - std::min<std::size_t>(loc.begin, loc.end)).find(kUnknownChar) !=
          std::string_view::npos)
        return;
    }
    ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, ProgramOf(script_.commands[index]), 2);
    use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
    if (taint.decoder != kNone) {
      use.steps.emplace_back(script_.commands[taint.decoder].loc, "decodes");
      Widen(use, script_.commands[taint.decoder].loc);
      unsigned decodes = 0;
      if (auto text = ConstantOutput(script_, taint.decoder, decodes)) use.decoded = text->substr(0, 2048);
    }
    use.steps.emplace_back(script_.commands[index].loc, "runs what was decoded");
  }
}

// wget -qO- https://host/up | GITHUB_TOKEN=$(gh auth token) sh: what is fetched is given what a store or a program of
// the user's prints.
void Analysis::HandsToFetched(std::uint32_t index, const std::string& url) {
  const std::string host = HostOf(url);
  for (const auto& [name, value] : script_.commands[index].assignments) {
    Taint given = OfWord(value);
    if (!given.secret || !IsFixedPlace(host, url)) continue;
    if (given.what.ends_with(kTokenMark) &&
        HostOfVendors(host, VendorOf(std::string_view(given.what).substr(0, given.what.size() - kTokenMark.size()))))
      continue;
    Sends(index, host, url, given, true);
  }
}

void Analysis::Sends(std::uint32_t index, const std::string& host, const std::string& destination, Taint taint,
                     bool headers_only) {
  // A listener of this machine is no stranger to settings and data; files of keys are nobody's there either.
  if (IsLocalHost(host) && !(taint.secret && !headers_only && IsSecretPath(taint.what))) {
    if (!headers_only) Emit(ShellAct::kSend, index, destination);
    return;
  }
  // echo "{\"token\": \"$VERCEL_TOKEN\"}" | curl -d @- https://api.vercel.com: where it belongs.
  if (taint.secret && taint.what.starts_with('$') && HostOfVendors(host, VendorOf(taint.what.substr(1)))) {
    taint.secret = false;
  }
  // "$JAMF_URL/api/oauth/token": its user says where he logs in.
  if (taint.secret && Has(host, std::string_view(&kUnknownChar, 1)) && AsksForToken(destination) &&
      !IsSecretPath(taint.what))
    taint.secret = false;
  // The service that a program's own credential is for: ~/.terraform.d in a header to terraform.io.
  if (taint.secret && headers_only && IsStoreOf(taint.what, host)) return;
  if (taint.secret || (taint.environment && !headers_only)) {
    ShellUse& use = Emit(ShellAct::kSendSecret, index, destination, 2);
    use.steps.emplace_back(taint.secret ? taint.secret_loc : script_.commands[index].loc,
                           taint.secret
                               ? "reads " + Shown(std::string_view(taint.what).substr(0, taint.what.find(kSplitChar)))
                               : "reads the environment");
    use.steps.emplace_back(script_.commands[index].loc, "sends it to " + Shown(destination));
    return;
  }
  if (!taint.taken.empty() && !headers_only && IsFixedPlace(host, destination)) {
    ShellUse& use = Emit(ShellAct::kSendTaken, index, destination, 1);
    use.steps.emplace_back(taint.secret_loc, "takes " + std::string(taint.taken));
    use.steps.emplace_back(script_.commands[index].loc, "sends it to " + Shown(destination));
    return;
  }
  if (!headers_only) Emit(ShellAct::kSend, index, destination);
}

void Analysis::Fetches(std::uint32_t index, const Transfer& transfer, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::string url = transfer.urls.empty() ? "*" : transfer.urls[0]->text;
  std::string host = HostOf(url);
  if (!transfer.urls.empty() && !transfer.urls[0]->other.empty() && (IsLocalHost(host) || IsKnownService(host))) {
    url = transfer.urls[0]->other;
    host = HostOf(url);
  }
  if (input.any() && transfer.urls.empty() && !command.wrappers.empty() && !input.url.empty()) url = input.url;
  Taint sent;
  if (HasFlag(command, {"-k", "--insecure", "-sk", "-ks", "-skL", "-kL", "-fsSLk", "--no-check-certificate"}) &&
      !IsLocalHost(host)) {
    for (const ShellWord* header : transfer.headers) {
      const bool named = HasOneOf(LowerCase(header->text), {"authorization", "token", "api-key", "apikey"}) ||
                         Has(header->text, ":\x01");
      if (named && !header->variables.empty()) {
        Emit(ShellAct::kUncheckedPeer, index, url);
        break;
      }
    }
  }
  if (transfer.data_stdin) sent.Merge(input);
  // xargs: the input is among the operands.
  bool xargs = std::ranges::find(command.wrappers, "xargs") != command.wrappers.end();
  if (xargs && (transfer.sends || input.secret)) sent.Merge(input);
  if (transfer.sends && script_.dialect == ShellDialect::kPowerShell) sent.Merge(OfScreen());
  for (const ShellWord* word : transfer.data) {
    // ... | ForEach-Object { Invoke-RestMethod -Body $_ }
    if (std::ranges::find(word->variables, "_") != word->variables.end()) sent.Merge(input);
    sent.Merge(OfWord(*word));
    for (const std::string& name : word->variables) {
      if (!IsForAnother(name, host)) continue;
      sent.secret = true;
      sent.what = "$" + name;
      sent.secret_loc = word->loc;
    }
  }
  for (const std::string& file : transfer.data_files) {
    ShellWord word;
    word.text = file;
    // Of several fields, the one that names the file.
    for (const ShellWord* data : transfer.data) {
      if (data->text == file || Has(data->text, "@" + file) || Has(data->text, "<" + file) ||
          (data->text.starts_with("--") && data->text.ends_with("=" + file)))
        word.variables.insert(word.variables.end(), data->variables.begin(), data->variables.end());
      // (@$file: what stands before the name is no part of it.)
      if (!data->other.empty()) word.other = data->other.substr(data->other.find_last_of("@<=") + 1);
    }
    sent.Merge(OfFile(word, index));
    if (sent.secret && sent.secret_loc.end == 0) sent.secret_loc = command.loc;
  }
  Taint carried;
  // -H "Authorization: Bearer $NEON_API_KEY", to neon.tech: the service's own, read from settings. So is a token out of
  // such a file that is shown, in a header, to a host that the settings name as well. No key of a person's is either.
  const auto names_host = [&](const std::string& name) {
    return HostOfVendors(host, VendorOf(name)) || IsStoreOf("~/." + LowerCase(name.substr(0, name.find('_'))), host);
  };
  const auto carry = [&](const ShellWord& word, bool header) {
    Taint one = OfWord(word);
    const bool own = (header && !IsFixedPlace(host, url)) || std::ranges::any_of(word.variables, names_host);
    const PathKind kept = KindOfPath(HomePath(one.what));
    // KEY=$(grep -o 'sk-.*' .env): a key out of a program's settings asks the service that everybody asks with one.
    const bool asks = header && kept == PathKind::kWeakSecret && one.what.ends_with(".env") &&
                      (IsKnownService(host) || sink_words::HostOfModels(host));
    if ((own && kept != PathKind::kSecret) || asks) one.secret = false;
    // What `gh auth token` prints is how GitHub is asked, and nobody else; gcloud, az and aws print for many services.
    if (one.secret && one.what.ends_with(kTokenMark)) {
      const Vendors whose = VendorOf(std::string_view(one.what).substr(0, one.what.size() - kTokenMark.size()));
      one.secret = AskedNowhereElse(whose) && IsFixedPlace(host, url) && !HostOfVendors(host, whose);
    }
    carried.Merge(one);
  };
  for (const ShellWord* word : transfer.urls) carry(*word, false);
  for (const ShellWord* word : transfer.headers) carry(*word, true);
  for (const auto* list : {&transfer.urls, &transfer.headers}) {
    for (const ShellWord* word : *list) {
      for (const std::string& name : word->variables) {
        if (!IsForAnother(name, host)) continue;
        carried.secret = true;
        carried.what = "$" + name;
        carried.secret_loc = word->loc;
      }
    }
  }
  if (transfer.sends) {
    sent.Merge(carried);
    Sends(index, host, url, sent, false);
  } else {
    for (const ShellWord* word : transfer.urls) Emit(ShellAct::kFetch, index, word->text);
    if (transfer.urls.empty()) Emit(ShellAct::kFetch, index, url);
    if (carried.secret || carried.environment || sent.secret || !carried.taken.empty()) {
      carried.Merge(sent);
      Sends(index, host, url, carried, !carried.environment && carried.taken.empty());
    }
  }
  Taint got;
  got.fetched = true;
  got.url = url;
  got.fetch_loc = command.loc;
  if (IsLocalHost(host)) got.fetched = false;
  if (GivesRoleKeys(url)) {
    got.fetched = false;
    got.secret = true;
    got.what = "the keys of this machine's role";
    got.secret_loc = command.loc;
  }
  std::vector<std::string> variables;
  for (const ShellWord& word : command.words) {
    variables.insert(variables.end(), word.variables.begin(), word.variables.end());
  }
  for (const std::string& output : transfer.outputs) {
    // The variables of the operand that names it, so that it is found again.
    std::vector<std::string> named;
    for (const ShellWord& word : command.words) {
      if (word.text.ends_with(output)) named = word.variables;
    }
    Remember(output, named, got);
    ShellWord path;
    path.text = output;
    path.variables = named;
    Wrote(index, path, got, nullptr);
  }
  if (transfer.to_stdout) out_[index].Merge(got);
  if (transfer.runs) RunTaint(index, got);
}

namespace {

// Lines for a table of hosts that all point here, or nowhere.
bool NamesThisMachine(std::string_view lines) { return HasOneOf(lines, {"127.", "::1", "0.0.0.0", "localhost"}); }

}  // namespace

void Analysis::Wrote(std::uint32_t index, const ShellWord& path, const Taint& taint, const std::string* content) {
  std::string_view text = path.text;
  if (const std::string target = SocketTarget(text); !target.empty() && taint.any())
    return Sends(index, target.substr(0, target.find('/')), target, taint, false);
  if (text.empty() || text.starts_with("/dev/") || text.starts_with('&') || text == "-" || text == "nul" ||
      (text.size() == 1 && text[0] >= '0' && text[0] <= '9')) {
    return;
  }
  if (taint.any()) Remember(path.text, path.variables, taint);
  // \\host\share\file: another machine's.
  if (text.starts_with("\\\\") && taint.Holds()) {
    const std::string host(text.substr(2, text.find_first_of("\\/", 2) - 2));
    if (Has(host, ".")) Sends(index, LowerCase(host), std::string(text), taint, false);
  }
  std::string known = content == nullptr ? std::string() : *content;
  ShellAct act = ShellAct::kWriteFile;
  std::uint8_t gravity = 0;
  if (HasOneOf(text, {"/etc/sudoers", "/etc/pam.d/"})) {
    act = ShellAct::kPermission;
    gravity = 2;
  } else if ((text == "/etc/hosts" || LowerCase(text).ends_with("drivers\\etc\\hosts")) && !NamesThisMachine(known)) {
    // Names of hosts that mean other machines from now on.
    act = ShellAct::kPermission;
    gravity = known.empty() ? 1 : 2;
  } else if (taint.fetched && taint.url.starts_with("http://") &&
             HasOneOf(text, {"ca-certificates/", "ca-trust/", "/etc/ssl/certs/", "/usr/share/pki/"})) {
    // Whom the machine believes, from whoever answers on the way.
    act = ShellAct::kPermission;
    gravity = 2;
  } else if (!RoutesTo(text, known).empty()) {
    act = ShellAct::kPermission;
    gravity = 2;
  } else if (IsStartupPath(text)) {
    act = ShellAct::kWriteStartup;
    gravity = StartupGravity(text, known, content != nullptr);
    if (taint.fetched || taint.decoded) gravity = 2;
    // read -r answer; case $answer in [yY]*) ...: whoever runs it was asked.
    const auto confirms = [](std::string_view whole) {
      return HasOneOf(whole, {"[y/N]", "[Y/n]", "[y/n]", "(y/n)", "(y/N)"}) && HasOneOf(whole, {"read ", "\nread"});
    };
    if (gravity == 1 && Whether(OfWhole::kConfirms, confirms)) gravity = 0;
  } else if (taint.fetched || taint.decoded ? IsRcFile(HomePath(text)) : Harms(text, known)) {
    act = ShellAct::kWriteStartup;
    gravity = 2;
  } else if (IsAgentPath(text)) {
    act = ShellAct::kWriteAgent;
    const bool opens = known.empty() ? Whether(OfWhole::kOpens, OpensQuestions) : OpensQuestions(LowerCase(known));
    gravity =
        opens || ObeysFar(LowerCase(known)) || TellsOthers(LowerCase(known) + SaidBy(script_.commands[index])) ? 2 : 1;
    if (taint.fetched || taint.decoded) gravity = 2;
  }
  ShellUse& use = Emit(act, index, path.text, gravity);
  use.content = known.substr(0, 4096);
}

void Analysis::Redirects(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::optional<std::string> content;
  bool content_known = false;
  for (const auto& [op, word] : command.redirects) {
    bool output = op == ">" || op == ">>" || op == "&>" || op == "&>>" || op == ">&" || op == "<>";
    if (!output) continue;
    if (const std::string target = SocketTarget(word.text); !target.empty()) {
      std::string host = target.substr(0, target.find('/'));
      if (program == "exec" && command.words.size() <= 1) {
        socket_ = target;
        continue;
      }
      if (IsShell(program)) continue;  // reported where interpreters are
      Taint taint = out_[index];
      taint.Merge(input);
      if (taint.any() || command.pipe_from != kNone || program == "cat" || program == "tar" || program == "base64") {
        Sends(index, host, target, taint, false);
      }
      continue;
    }
    // exec 3<>/dev/tcp/h/p; gzip -c "$log" >&3
    if (GoesToHandle(op, word.text) && !socket_.empty() && !IsShell(program)) {
      Taint taint = out_[index];
      taint.Merge(input);
      if (taint.any() || Is(program, {"cat", "tar", "base64"}))
        Sends(index, socket_.substr(0, socket_.find('/')), socket_, taint, false);
    }
    if (op == ">&" && word.text.size() <= 2) continue;
    if (!content_known) {
      content_known = true;
      unsigned decodes = 0;
      content = ConstantOutput(script_, index, decodes);
      // echo "export KEY=$1": what kind of line it is stands there all the same.
      const bool says = program == "echo" || program == "printf";
      if (!content && says && command.words.size() > 1 && IsStartupPath(word.text)) content = command.words[1].text;
    }
    Taint taint = out_[index];
    Wrote(index, word, taint, content ? &*content : nullptr);
  }
}

// read -rsp '[sudo] password for ...': asked unseen, in the words in which the machine itself asks.
bool Analysis::AsksAsMachine(const ShellCommand& command) {
  // `stty -echo` before it hides what is typed as `read -s` does.
  const auto index = static_cast<std::size_t>(&command - script_.commands.data());
  const bool quiet = index > 0 && index < script_.commands.size() && script_.commands[index - 1].words.size() > 1 &&
                     script_.commands[index - 1].words[0].text == "stty" &&
                     script_.commands[index - 1].words[1].text == "-echo";
  const bool unseen =
      quiet || std::ranges::any_of(command.words, [](const ShellWord& word) {
        return word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' && Has(word.text, "s");
      });
  return unseen && Whether(OfWhole::kMachine, [](std::string_view text) {
           return HasOneOf(text, {"[sudo] password", "sudo() {", "sudo(){", "sudo () {", "login keychain",
                                  "enter your mac password"});
         });
}

void Analysis::Command(std::uint32_t index) {
  const ShellCommand& command = script_.commands[index];
  std::string program = ProgramOf(command);
  inside_ = index < owner_.size() ? owner_[index] : nullptr;
  Taint input = Input(index);
  if (auto called = functions_.find(program); called != functions_.end()) HandOver(index, *called->second, input);
  if (Is(program, {"read", "mapfile", "readarray"})) {
    Taint read = input;
    if (program == "read" && AsksAsMachine(command)) {
      read.secret = true;
      read.what = "the password that the machine seems to ask for";
      read.secret_loc = command.loc;
    }
    for (std::size_t i = 1; i < command.words.size() && (read.any() || read.packed); ++i) {
      if (!command.words[i].text.starts_with('-')) read_[command.words[i].text].Merge(read);
    }
  }
  // set -- "$(env)"
  if (program == "set" && command.words.size() > 2 && command.words[1].text == "--" && inside_ == nullptr) {
    constexpr std::size_t kPositions = 9;
    for (std::size_t i = 2; i < command.words.size() && i < kPositions + 2; ++i) {
      const Handed put{OfWord(command.words[i]), OfFile(command.words[i], index)};
      for (const char name : {static_cast<char>('0' + i - 1), '@', '*'}) {
        Handed& held = given_to_[{nullptr, name}];
        held.value.Merge(put.value);
        held.file.Merge(put.file);
      }
    }
  }
  // printf -v name '%s' "$(curl ...)"
  if (program == "printf" && command.words.size() > 3 && command.words[1].text == "-v") {
    Taint& named = read_[command.words[2].text];
    for (std::size_t i = 3; i < command.words.size(); ++i) named.Merge(OfWord(command.words[i]));
  }
  Hold(index);
  TakeGiven(index, program);
  System(index, program, input);
  Transfer transfer = TransferOf(command, program);
  if (transfer.is_transfer) Fetches(index, transfer, input);
  Network(index, program, input);
  Branches(index, input);
  Files(index, program, input);
  Unpacks(index, program, input);
  Output(index, program, input);
  Takes(index, program);
  Shows(index, program);
  Interprets(index, program, input);
  Redirects(index, program, input);
}

}  // namespace shell

std::vector<ShellUse> AnalyzeShellScript(const ShellScript& script, std::string_view text, bool* all) {
  std::vector<ShellUse> uses = shell::Analysis(script, text).Run(all);
  if (script.dialect == ShellDialect::kPowerShell && !script.commands.empty())
    shell::JudgeWholePowerShell(script, text, uses);
  return uses;
}

}  // namespace interlock::scan::code
