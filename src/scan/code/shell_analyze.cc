// What is fetched, decoded, run and sent.
#include "code/flow.h"
#include "code/places.h"
#include "code/rc_files.h"
#include "code/shell_analysis.h"
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

void Analysis::RunTaint(std::uint32_t index, const Taint& taint) {
  if (taint.fetched) {
    ShellUse& use = Emit(ShellAct::kFetchAndRun, index, taint.url, FetchGravity(taint.url));
    use.steps.emplace_back(taint.fetch_loc, "fetches " + Shown(taint.url));
    Widen(use, taint.fetch_loc);
    if (taint.decoded) use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
    use.steps.emplace_back(script_.commands[index].loc, "runs what was fetched");
    return;
  }
  if (taint.decoded) {
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

// The first address in a program; "*" where none stands there.
static std::string FirstUrl(const std::string& text) {
  const std::size_t at = std::min(text.find("http://"), text.find("https://"));
  return at == std::string::npos ? "*" : text.substr(at, text.find_first_of("'\" )\\", at) - at);
}

// Code given to python -c, node -e and the like, told by words: those languages have front ends of their own.
void Analysis::InlineCode(std::uint32_t index, std::string_view program, const ShellWord& code) {
  std::string text = LowerCase(std::string_view(code.text).substr(0, 32 << 10));
  // perl -MLWP::Simple -e ..., ruby -ropen-uri -e ...: libraries stand among the options.
  for (const ShellWord& word : script_.commands[index].words) {
    if (word.text.starts_with("-M") || word.text.starts_with("-r")) text += "\n" + LowerCase(word.text.substr(0, 64));
  }
  bool net = HasOneOf(
      text, {"urllib", "urlopen", "requests.", "http.client", "httpx", "fetch(", "http.get", "https.get", "net/http",
             "open-uri", "lwp", "file_get_contents(\"http", "file_get_contents('http", "curl_exec", "axios"});
  bool runs = HasOneOf(text, {"exec(", "eval(", "os.system(", "subprocess", "popen(", "new function(", "vm.run",
                              "system(", "execsync(", "eval ", "shell_exec(", "pty.spawn", "spawn("});
  bool socket = HasOneOf(text, {"socket", "net.connect", "createconnection", "fsockopen", "tcpsocket"});
  bool shell = HasOneOf(text, {"dup2", "pty.spawn", "/bin/sh", "/bin/bash", "cmd.exe", "sh -i", "proc_open"});
  bool decode = HasOneOf(text, {"b64decode", "fromhex", "unhexlify", "zlib.decompress", "marshal.loads", "atob(",
                                "buffer.from(", "base64_decode", "decode64", "decode_base64", "codecs.decode"});
  if (socket && shell) {
    Emit(ShellAct::kReverseShell, index, std::string(program), 2);
    return;
  }
  if (InlineFlow(index, program, code)) return;
  if (net && runs) {
    const std::string url = FirstUrl(code.text);
    // subprocess of something else is no running of what was fetched; exec and eval are.
    bool direct = HasOneOf(text, {"exec(", "eval(", "os.system(", "new function(", "vm.run", "eval "});
    if (direct) {
      Emit(ShellAct::kFetchAndRun, index, url, FetchGravity(url));
    } else {
      Emit(ShellAct::kFetch, index, url);
    }
    return;
  }
  if (decode && HasOneOf(text, {"exec(", "eval(", "os.system(", "new function(", "system("})) {
    ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
    use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
    return;
  }
  Taint taint = OfWord(code);
  RunTaint(index, taint);
}

// The same code as a program of its own.
bool Analysis::InlineFlow(std::uint32_t index, std::string_view program, const ShellWord& code) {
  static thread_local int depth = 0;  // of programs given to programs
  const bool python = program.starts_with("python");
  const bool javascript = program == "node" || program == "bun" || program == "deno";
  if ((!python && !javascript) || depth >= 2 || code.text.size() < 24 || code.text.size() > (64U << 10U)) return false;
  ++depth;
  std::string text = code.text;
  std::replace(text.begin(), text.end(), kUnknownChar, '_');
  const Module module = python ? LowerPython(text, 0) : LowerJavaScript(text, 0, false, false);
  PackageModules package;
  package.modules.push_back(&module);
  package.paths.emplace_back(python ? "inline.py" : "inline.js");
  const CodeFacts facts = AnalyzeCode(package, {core::Reach::kRuntime});
  --depth;
  for (const RawFinding& finding : facts.findings) {
    if (finding.scale < 0.6) continue;
    const std::string host = finding.host.empty() ? std::string(program) : finding.host;
    if (finding.rule == "RCE-001" || finding.rule == "RCE-004") {
      // No installer asks for this: those are handed to a shell.
      const std::string url = FirstUrl(code.text);
      Emit(ShellAct::kFetchAndRun, index, url == "*" ? host : url, 2);
    } else if (finding.rule == "RCE-002" || finding.rule == "RCE-003") {
      Emit(ShellAct::kReverseShell, index, host, 2);
    } else if (finding.rule == "EXFIL-001" || finding.rule == "EXFIL-002" || finding.rule == "EXFIL-003" ||
               finding.rule == "EXFIL-004" || finding.rule == "EXFIL-006") {
      Emit(ShellAct::kSendSecret, index, host, 1);
    } else if (finding.rule == "OBFUSC-001" || finding.rule == "OBFUSC-002") {
      Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
    } else {
      continue;
    }
    return true;
  }
  return false;
}

void Analysis::Interprets(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  if (program == "eval" || program == "source" || program == "." || program == "iex" ||
      program == "invoke-expression") {
    Taint taint;
    bool decoded = false;
    for (std::size_t i = 1; i < count; ++i) {
      bool file = program == "source" || program == ".";
      taint.Merge(file ? OfFile(command.words[i], index) : OfWord(command.words[i]));
      decoded |= !file && command.words[i].obfuscation >= 2;
      if (file) break;
    }
    if (program[0] == 'i') taint.Merge(input);
    if (program[0] == 'i' && (input.substituted || (count > 1 && !command.words[1].constant) || count == 1)) {
      taint.decoded = taint.decoded || MakesCharacters();
    }
    if (decoded && !taint.fetched && count > 1) {
      taint.decoded = true;
      ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
      use.obfuscation = 2;
      use.decoded = Shown(command.words[1].text);
      return;
    }
    RunTaint(index, taint);
    return;
  }
  if (program == "load" && HasOneOf(text_, {"Assembly]::Load", "assembly]::load", "CurrentDomain.Load"})) {
    // A program of the platform, out of bytes that never were a file.
    Taint bytes;
    for (std::size_t i = 1; i < count; ++i) bytes.Merge(OfWord(command.words[i]));
    return RunTaint(index, bytes);
  }
  if (!IsInterpreter(program)) {
    // A file that was fetched, run by its own name.
    if (count > 0 && !command.words[0].text.empty()) {
      const ShellWord& word = command.words[0];
      if (Has(word.text, "/") || word.variables.size() == 1 || script_.dialect == ShellDialect::kBatch ||
          Has(word.text, "\\")) {
        if (const Taint* file = File(word.text, word.variables)) RunTaint(index, *file);
      }
      if (word.constant || word.commands.empty()) return;
      // & (Get-Command i*x) $text: a command that is found by a pattern hides which it is.
      for (std::uint32_t made : word.commands) {
        if (made >= index || !Is(ProgramOf(script_.commands[made]), {"get-command", "gcm", "get-alias", "gal"}))
          continue;
        if (!std::ranges::any_of(script_.commands[made].words,
                                 [](const ShellWord& each) { return HasOneOf(each.text, {"*", "?"}); })) {
          continue;
        }
        Taint given = input;
        for (std::size_t i = 1; i < count; ++i) given.Merge(OfWord(command.words[i]));
        return RunTaint(index, given);
      }
      RunTaint(index, OfWord(word));  // $(curl ...) as a command of its own
    }
    return;
  }
  bool shell = IsShell(program);
  bool reads_input = true;
  Taint taint;
  for (std::size_t i = 1; i < count; ++i) {
    const ShellWord& word = command.words[i];
    std::string_view text = word.text;
    if (text == "-" || text == "-s" || text == "/dev/stdin") break;
    if (text.size() > 1 && (text[0] == '-' || text[0] == '+')) {
      bool code = false;
      if (shell) {
        code = text[0] == '-' && text[1] != '-' && Has(text, "c");
        if (text == "-o" || text == "+o") ++i;
      } else if (IsPowerShell(program)) {
        std::string flag = LowerCase(text);
        code = flag == "-c" || flag == "-command";
        if (flag == "-f" || flag == "-file") continue;
        if (flag.starts_with("-e") && !flag.starts_with("-ex") && flag != "-ep" && i + 1 < count) {
          ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
          use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
          if (auto bytes = DecodeBase64(command.words[i + 1].text)) {
            use.decoded = FromUtf16Le(std::string_view(*bytes).substr(0, 4096));
          }
          return;
        }
        if (flag == "-ep" || flag.starts_with("-exec") || flag.starts_with("-win") || flag == "-w") ++i;
      } else {
        code = text == "-c" || text == "-e" || text == "-r" || text == "--eval" || text == "-E" || text == "-p" ||
               text == "-pe" || text == "-ne" || text == "-le" || text == "-lne" || text == "eval" || text == "-p";
        if ((program == "node" || program == "nodejs") && (text == "-r" || text == "--require")) {
          ++i;
          continue;
        }
        if (text == "-m") reads_input = false;
      }
      if (code && i + 1 < count) {
        reads_input = false;
        const ShellWord& body = command.words[i + 1];
        if (shell) {
          Taint inner = OfWord(body);
          // Only where the text is the output: sh -c "$(curl ...)", not sh -c "echo $(curl ...)".
          std::string_view bare = body.text;
          while (!bare.empty() && (bare[0] == ' ' || bare[0] == '\n')) bare.remove_prefix(1);
          if (!bare.empty() && (bare[0] == kUnknownChar || body.obfuscation >= 2)) {
            if (body.obfuscation >= 2) inner.decoded = true;
            RunTaint(index, inner);
          }
        } else if (!IsPowerShell(program)) {
          InlineCode(index, program, body);
        }
        return;
      }
      continue;
    }
    // The script.
    reads_input = false;
    if (!IsPowerShell(program) || text.ends_with(".ps1")) taint = OfFile(word, index);
    taint.secret = false;
    if (LooksLikeUrl(text)) {
      taint.fetched = true;
      taint.url = std::string(text);
      taint.fetch_loc = word.loc;
    }
    if ((program == "deno" || program == "bun") && text == "run") {
      reads_input = true;
      continue;
    }
    break;
  }
  if (reads_input) {
    for (const auto& [op, word] : command.redirects) {
      if ((op == "<<" || op == "<<<") && !shell) InlineCode(index, program, word);
    }
    taint.Merge(input);
    // Through a socket or a named pipe.
    if (shell) {
      for (const auto& [op, word] : command.redirects) {
        bool device = Has(word.text, "/dev/tcp/") || Has(word.text, "/dev/udp/");
        if (device) {
          Emit(ShellAct::kReverseShell, index, word.text.substr(word.text.find("/dev/") + 9), 2);
          return;
        }
      }
    }
  }
  RunTaint(index, taint);
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
    }
    sent.Merge(OfFile(word, index));
    if (sent.secret && sent.secret_loc.end == 0) sent.secret_loc = command.loc;
  }
  Taint carried;
  for (const ShellWord* word : transfer.urls) carried.Merge(OfWord(*word));
  for (const ShellWord* word : transfer.headers) carried.Merge(OfWord(*word));
  if (carried.secret && carried.what.ends_with("\x02token")) carried.secret = false;
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
  if (text.empty() || text.starts_with("/dev/") || text.starts_with('&') || text == "-" || text == "nul" ||
      (text.size() == 1 && text[0] >= '0' && text[0] <= '9')) {
    return;
  }
  if (taint.any()) Remember(path.text, path.variables, taint);
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
    gravity = opens || TellsOthers(LowerCase(known) + SaidBy(script_.commands[index])) ? 2 : 1;
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

void Analysis::Command(std::uint32_t index) {
  const ShellCommand& command = script_.commands[index];
  std::string program = ProgramOf(command);
  inside_ = index < owner_.size() ? owner_[index] : nullptr;
  Taint input = Input(index);
  if (auto called = functions_.find(program); called != functions_.end()) HandOver(index, *called->second, input);
  if (program == "read" && input.any()) {
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      if (!command.words[i].text.starts_with('-')) read_[command.words[i].text].Merge(input);
    }
  }
  Hold(index);
  TakeGiven(index, program);
  System(index, program, input);
  Transfer transfer = TransferOf(command, program);
  if (transfer.is_transfer) Fetches(index, transfer, input);
  Network(index, program, input);
  Branches(index, input);
  Files(index, program, input);
  Output(index, program, input);
  Takes(index, program);
  Shows(index, program);
  Interprets(index, program, input);
  Redirects(index, program, input);
}

namespace {

// Of PowerShell: gives out what comes in through the pipe, or a part of it, or the same in other letters.
bool HandsOn(std::string_view program) {
  return Is(program,
            {"foreach-object", "foreach",        "%",           "where-object",     "where",         "?",
             "select-object",  "select",         "sort-object", "group-object",     "convertto-csv", "convertto-xml",
             "format-list",    "tee-object",     "join-string", "convertfrom-json", "format-table",  "convertto-html",
             "out-host",       "measure-object", "get-unique",  "export-csv"});
}

}  // namespace

// What is found where keys lie, or by what they are called: Get-ChildItem ~ -Recurse -Include *.pem, .env
void Analysis::Listed(std::uint32_t index, Taint& out) const {
  const ShellCommand& command = script_.commands[index];
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const std::string name = LowerCase(BaseName(word.text));
    const bool keys = name.ends_with(".pem") || name.ends_with(".ppk") || name.ends_with(".kdbx") ||
                      name.starts_with("id_rsa") || name.starts_with("id_*") || name == "wallet.dat";
    const Taint found = OfFile(word, index);
    if (!found.taken.empty() && out.taken.empty()) {
      out.taken = found.taken;
      if (!out.secret) out.secret_loc = command.loc;
    }
    if (!keys && !found.secret) continue;
    out.secret = true;
    out.what = found.secret ? found.what : word.text;
    out.secret_loc = word.loc.end != 0 ? word.loc : command.loc;
    return;
  }
}

// What the command's output carries.
void Analysis::Output(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  if (program.empty() && command.words.empty()) {
    out.Merge(input);  // $(<file)
    return;
  }
  if (auto found = functions_.find(std::string(program)); found != functions_.end() && !command.words.empty()) {
    for (std::uint32_t i = found->second->first; i < found->second->end && i < index; ++i) {
      if (i >= found->second->first + 64) break;
      out.Merge(out_[i]);
    }
    // get "iam/security-credentials/$role", of a function that asks the machine's own metadata.
    const bool asks = command.words.size() > 1 && !out.secret && Whether(OfWhole::kMetadata, [](std::string_view text) {
                        return HasOneOf(text, {"169.254.169.254", "metadata.google.internal", "169.254.170.2"});
                      });
    for (std::size_t i = 1; asks && i < command.words.size(); ++i) {
      if (!GivesRoleKeys("http://169.254.169.254/latest/meta-data/" + command.words[i].text)) continue;
      out.secret = true;
      out.what = "the keys of this machine's role";
      out.secret_loc = command.loc;
    }
    return;
  }
  if (program == "echo" || program == "printf" || program == "write-output" || program == "write-host") {
    for (const ShellWord& word : command.words) {
      out.Merge(OfWord(word));
      if (word.obfuscation >= 2) out.decoded = true;
      for (const std::string& name : word.variables) {
        if (SecretVendorOf(name).none()) continue;
        out.secret = true;
        out.what = "$" + name;
        out.secret_loc = word.loc;
      }
    }
    return;
  }
  auto token = [&](std::string_view what) {
    out.secret = true;
    out.what = std::string(what) + "\x02token";
    out.secret_loc = command.loc;
  };
  auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (program == "find") {
    // for f in $(find / -name id_rsa), find ... | xargs tar: what is found is what it is called.
    if (const std::string place = PlaceOfFound(command); !place.empty() && (IsSecretPath(place) || FindsKeys(place))) {
      out.secret = true;
      out.what = "files called " + BaseName(place);
      out.secret_loc = command.loc;
    }
    return;
  }
  if (program == "jq" || program == "yq") {
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      const std::string text = word(i);
      if (text == "env" || text == "$ENV" || text == "env | tojson" || text == "$ENV|tojson") out.environment = true;
    }
  }
  if (program == "getenvironmentvariables") {
    out.environment = true;
    return;
  }
  if (program == "env" || program == "printenv" || program == "getenv" || program == "getenvironmentvariable" ||
      ((program == "export" || program == "declare" || program == "set") && command.assignments.empty() &&
       (command.words.size() == 1 ? program != "declare" : ListsVariables(word(1))))) {
    if (command.words.size() == 1 || ListsVariables(word(1)) || word(1) == "-0") {
      out.environment = true;
    } else {
      // Of several names, any.
      const std::string names = word(1);
      for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(' ', at), names.size());
        if (SecretVendorOf(std::string_view(names).substr(at, end - at)).any()) {
          out.secret = true;
          out.what = "$" + names.substr(at, end - at);
          out.secret_loc = command.loc;
        }
        at = end + 1;
      }
    }
    return;
  }
  if (AsksToken(command, program)) {
    return token(program);
  }
  if (AsksStore(command, program)) {
    out.secret = true;
    out.what = std::string(program) + " " + word(1);
    out.secret_loc = command.loc;
    return;
  }
  if (program == "gci" || program == "get-childitem" || program == "dir" || program == "ls") {
    if (LowerCase(word(1)).starts_with("env:")) out.environment = true;
    if (script_.dialect == ShellDialect::kPowerShell) Listed(index, out);
    return;
  }
  // $(AWS_SECRET_ACCESS_KEY): meant as a variable.
  if (command.words.size() == 1 && SecretVendorOf(command.words[0].text).any()) {
    out.secret = true;
    out.what = "$" + command.words[0].text;
    out.secret_loc = command.loc;
    return;
  }
  bool file_reader = Is(program, {"cat",
                                  "tac",
                                  "head",
                                  "tail",
                                  "less",
                                  "more",
                                  "tee",
                                  "base64",
                                  "gbase64",
                                  "base32",
                                  "xxd",
                                  "od",
                                  "hexdump",
                                  "gzip",
                                  "gunzip",
                                  "zcat",
                                  "bzip2",
                                  "xz",
                                  "zstd",
                                  "tar",
                                  "zip",
                                  "sed",
                                  "awk",
                                  "gawk",
                                  "grep",
                                  "egrep",
                                  "cut",
                                  "sort",
                                  "uniq",
                                  "tr",
                                  "rev",
                                  "openssl",
                                  "gpg",
                                  "jq",
                                  "strings",
                                  "dd",
                                  "nl",
                                  "paste",
                                  "fold",
                                  "column",
                                  "bat",
                                  "type",
                                  "get-content",
                                  "gc",
                                  "uudecode",
                                  "sqlite3",
                                  "perl",
                                  "python",
                                  "python3",
                                  "node",
                                  "ruby",
                                  "xargs",
                                  "read",
                                  "findstr",
                                  "select-string",
                                  "convertto-json",
                                  "out-string",
                                  "frombase64string",
                                  "getstring",
                                  "getbytes",
                                  "tobase64string",
                                  "readalltext",
                                  "readallbytes",
                                  "readtoend",
                                  "brotli",
                                  "lz4",
                                  "7z",
                                  "bunzip2"});
  if (!file_reader) {
    if (HandsOn(program)) out.Merge(input);
    // Methods and unknown filters: what goes in may come out.
    for (const ShellWord& each : command.words) {
      if (&each == &command.words[0] && script_.dialect != ShellDialect::kPowerShell) continue;
      if (script_.dialect == ShellDialect::kPowerShell) out.Merge(OfWord(each));
    }
    return;
  }
  out.Merge(input);
  bool first = true;
  for (const ShellWord& each : command.words) {
    if (!std::exchange(first, false)) {
      bool pattern =
          Is(program, {"grep", "egrep", "sed", "awk", "gawk", "tr", "findstr", "jq"}) && &each == &command.words[1];
      if (!pattern) out.Merge(OfFile(each, index));
    } else {
      out.Merge(OfWord(each));
    }
    if (each.text.starts_with("if=")) {
      ShellWord file = each;
      file.text.erase(0, 3);
      out.Merge(OfFile(file, index));
    }
  }
  bool decodes = false;
  if (program == "base64" || program == "gbase64" || program == "base32") {
    decodes = HasFlag(command, {"-d", "-D", "--decode", "-di", "-id", "-dw0"});
  } else if (program == "xxd") {
    decodes = HasFlag(command, {"-r", "-rp", "-pr"});
  } else if (program == "openssl") {
    decodes = HasFlag(command, {"-d"});
  } else if (program == "rev" || program == "uudecode" || program == "frombase64string") {
    decodes = true;
  } else if (program == "tr") {
    std::string from = word(1);
    decodes = Is(from, {"A-Za-z", "a-zA-Z", "[A-Za-z]", "[a-zA-Z]", "a-z", "!-~"}) && word(2) != "A-Z" &&
              word(2) != "a-z" && word(2).size() > 3 && word(2) != "[A-Z]";
  }
  if (!decodes || program == "rev")
    out.packed |=
        Is(program, {"base64", "gbase64", "base32", "xxd", "od", "hexdump", "gzip", "xz", "zstd", "openssl", "rev"});
  if (decodes) {
    out.decoded = true;
    out.decoder = index;
  }
}

}  // namespace shell

std::vector<ShellUse> AnalyzeShellScript(const ShellScript& script, std::string_view text, bool* all) {
  std::vector<ShellUse> uses = shell::Analysis(script, text).Run(all);
  if (script.dialect == ShellDialect::kPowerShell && !script.commands.empty())
    shell::JudgeWholePowerShell(script, text, uses);
  return uses;
}

}  // namespace interlock::scan::code
