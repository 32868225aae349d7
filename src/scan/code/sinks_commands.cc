// Data that leaves by way of another program (curl, nc, scp), a database of somebody's, a page that is opened; and
// archives that carry what is put into them.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// What nobody gives a program to send but to be rid of it; a credential of the environment is how one logs in.
constexpr Labels kTaken =
    kSecretFile | kStore | kEnvAll | kWeakSecretFile | kKept | kClipboard | kKeys | kTapped | kEncoded | kEvent | kSaid;

// Programs that bring what they are given to another machine.
bool BringsAway(std::string_view program) {
  program = program.substr(program.rfind('/') + 1);
  if (program.ends_with(".exe")) program.remove_suffix(4);
  return SaysOneOf(program, {"curl", "wget", "nc", "ncat", "netcat", "socat", "http", "https", "xh", "openssl", "ssh",
                             "scp", "rsync", "sftp", "ftp", "lftp", "telnet", "mail", "sendmail", "aws", "gsutil",
                             "rclone", "mosquitto_pub", "websocat", "gh", "glab",
                             // by names that are asked
                             "ping", "nslookup", "dig", "host", "drill", "getent", "resolvectl", "tracepath"});
}

// "user@host:path", "host", "https://host/..."
std::string HostOfWord(const std::string& word) {
  if (Contains(word, "://"))
    return KnownHost(word.substr(word.find("://") - std::min<std::size_t>(word.find("://"), 5)));
  std::string_view rest = word;
  // f"{part}.q.host.example": a name that carries something.
  if (const std::size_t hole = rest.rfind(kHole);
      hole != std::string_view::npos && rest.substr(hole + 1).starts_with('.'))
    rest.remove_prefix(hole + 2);
  if (rest.starts_with('-') || rest.starts_with('@') || rest.starts_with('/') || rest.starts_with('.')) return {};
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  rest = rest.substr(0, rest.find_first_of(":/ "));
  return Contains(rest, ".") && !rest.ends_with('.') ? KnownAddress(std::string(rest)) : std::string();
}

// Of a connection string or a client: keys that stand in the code, so that the account is the author's.
bool BringsItsKeys(std::string_view squeezed) {
  return AnyOf(squeezed, {"aws_secret_access_key=\"", "AccountKey=", "secretAccessKey:\"", "auth:\"gh", "Github(\"gh",
                          "auth_token=\"", "Token(\"gh"});
}

}  // namespace

// curl -d DATA URL; what a program reads is `input`.
void Engine::JudgeSentBy(const Call& call, std::string_view program, std::span<const ExprId> words, FuncId scope) {
  if (!last_ || !BringsAway(program)) return;
  Taint data;
  std::string host;
  std::string before;
  Taint headers;
  // gh issue create --body ...: where others read it. Secrets of a repository are put there by its owner.
  const bool forge = SaysOneOf(program, {"gh", "glab"});
  if (forge) {
    const std::string what = words.size() > 2 ? KnownIn(words[1], scope) : std::string();
    if (!SaysOneOf(what, {"issue", "gist", "snippet", "pr", "mr", "release", "discussion"})) return;
    host = std::string(program) + " " + what;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = KnownIn(words[i], scope);
    if (host.empty()) host = HostOfWord(word);
    Taint given = scope == function_ ? Eval(words[i]) : Taint();
    // --data-binary @FILE, -F "rc=<FILE", of a list of files that hold credentials
    if (given.Has(kSecretName | kWeakSecretName) && (word.starts_with('@') || AnyOf(word, {"=@", "=<"})) &&
        Contains(word, std::string_view(&kHole, 1)))
      given.Join(Source(given.Has(kSecretName) ? kSecretFile : kWeakSecretFile, words[i], "has such a file read"));
    // A header, a name and a password: how one logs in. No file of keys is.
    if (SaysOneOf(before, {"-H", "--header", "-u", "--user", "-b", "--cookie", "-E", "--cert", "--key", "-i"})) {
      headers.Join(given);
      given = given.Without(kWeakSecretFile | kEnvSecret | kStore);
    }
    data.Join(given);
    before = word;
  }
  for (const Arg& arg : call.args) {
    if (arg.name == "input") data.Join(TaintOfArg(call, arg.value));
    if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict) continue;
    for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
      if (field.name == "input") data.Join(Eval(field.value));
    }
  }
  if (data.Has(kToolArgument) && !data.Has(kTaken & ~kEncoded) && !host.empty() && SendsBesideWork(host)) {
    (void)JudgeAside(call.expr, data, host);
    return;
  }
  data.labels &= kTaken | kEnvSecret;
  data.fresh &= kTaken | kEnvSecret;
  if (data.labels == 0) JudgeCarried(call, headers, host);
  if (data.labels != 0 && !host.empty()) {
    Call sent = call;
    JudgeSend(sent, data, host, {});
  }
}

// spawn("sh").stdin.write("curl ... | sh"), Popen(["bash"], stdin=PIPE).communicate(script), answer.pipe(shell.stdin):
// a shell, and what it is told.
void Engine::JudgeToldShell(const Call& call) {
  if (!last_ || !call.IsMethod() || call.args.empty() ||
      !SaysOneOf(call.last, {"write", "end", "communicate", "sendline", "pipe", "pipeTo"})) {
    return;
  }
  const bool piped = call.last.starts_with("pipe");
  ExprId handle = piped ? call.args[0].value : call.base->base;
  // Popen(..., stdin=PIPE).stdin: of the program, not of what that option says.
  if (handle < code().exprs.size() && code().exprs[handle].kind == ExprKind::kMember &&
      code().exprs[handle].text == "stdin")
    handle = code().exprs[handle].base;
  Maker made = MakerOf(handle);
  while (made.expr != kNone && code().exprs[made.expr].kind == ExprKind::kMember) made = MakerBehind(made);
  if (made.expr == kNone || code().exprs[made.expr].kind != ExprKind::kCall) return;
  const auto words = code().ArgsOf(code().exprs[made.expr]);
  if (words.empty() ||
      !AnyOf(view().Callee(made.expr, made.scope).text, {"spawn", "Popen", "exec", "create_subprocess"}))
    return;
  const ExprId first = view().Origin(words[0].value, made.scope);
  const bool listed = first < code().exprs.size() && code().exprs[first].kind == ExprKind::kList;
  const auto parts = listed ? code().ArgsOf(code().exprs[first]) : words;
  const std::string program = parts.empty() ? std::string() : KnownIn(parts[0].value, made.scope);
  const bool shell = IsShellName(program);
  // python3, node with a file or an option of their own read no program there.
  const bool reads = parts.size() < 2 || KnownIn(parts[1].value, made.scope) == "-" || !listed;
  if (!shell && !(reads && SaysOneOf(program, {"python", "python3", "node", "perl", "ruby", "php"}))) return;
  const Taint& given = piped ? call.receiver : call.taints[0];
  if (given.Has(kNetFixed)) {
    Raise("RCE-001", call.expr, given, kNetFixed,
          "has " + Shown(program, 20) + " read what is fetched from the network");
    return;
  }
  if (piped || !shell) return;
  if (const std::string text = Known(call.args[0].value); text.size() > 2) JudgeLine(call, text);
}

// cmd := exec.Command("bash"); cmd.Stdin = answer.Body
void Engine::JudgeFedProgram(const Expr& target, const Taint& fed) {
  const ExprId maker = view().Origin(target.base, function_);
  if (maker >= code().exprs.size() || code().exprs[maker].kind != ExprKind::kCall ||
      !Contains(view().Callee(maker, function_).text, "exec.Command")) {
    return;
  }
  for (const Arg& word : code().ArgsOf(code().exprs[maker])) {
    const std::string program = Known(word.value);
    if (!IsShellName(program) && !SaysOneOf(program, {"python", "python3", "node", "perl", "ruby", "php"})) continue;
    Raise("RCE-001", maker, fed, kNetFixed, "has an interpreter read a program fetched from the network");
    return;
  }
}

// cmd := exec.Command("curl", "--data-binary", "@-", url); cmd.Stdin = strings.NewReader(secret)
void Engine::JudgeStdin(const Expr& target, const Taint& given) {
  if (!last_ || code().language != Language::kGo || target.text != "Stdin") return;
  if (given.Has(kNetFixed)) JudgeFedProgram(target, given);
  Taint data = given;
  data.labels &= kTaken | kEnvSecret;
  data.fresh &= kTaken | kEnvSecret;
  if (data.labels == 0) return;
  const ExprId maker = view().Origin(target.base, function_);
  if (maker >= code().exprs.size() || code().exprs[maker].kind != ExprKind::kCall ||
      !Contains(view().Callee(maker, function_).text, "exec.Command")) {
    return;
  }
  bool away = false;
  std::string host;
  for (const Arg& word : code().ArgsOf(code().exprs[maker])) {
    const std::string text = Known(word.value);
    away = away || BringsAway(text);
    if (host.empty()) host = HostOfWord(text);
  }
  if (!away || host.empty()) return;
  Call sent;
  sent.expr = maker;
  JudgeSend(sent, data, host, {});
}

// f"curl -d '{data}' https://...", of a shell.
void Engine::JudgeSentByLine(const Call& call, const std::string& line, const Taint& taint) {
  constexpr std::size_t kLongest = 4'096;
  const bool taken = taint.Has(kTaken & ~kEncoded);
  if (!last_ || !(taken || taint.Has(kToolArgument))) return;
  const ShellScript script = ParseShell(std::string_view(line).substr(0, kLongest));
  std::string host;
  for (std::size_t i = 0; i < script.commands.size() && host.empty(); ++i) {
    const ShellCommand& command = script.commands[i];
    if (!BringsAway(shell::ProgramOf(command))) continue;
    for (std::size_t word = 1; word < command.words.size() && host.empty(); ++word)
      host = HostOfWord(command.words[word].text);
  }
  if (host.empty()) return;
  if (!taken) {
    if (SendsBesideWork(host)) (void)JudgeAside(call.expr, taint, host);
    return;
  }
  Taint data = taint;
  data.labels &= kTaken;
  data.fresh &= kTaken;
  Call sent = call;
  JudgeSend(sent, data, host, {});
}

// cursor.execute("insert ...", (data,)): a database of a fixed host; page.goto(url + data).
void Engine::JudgeSentAlong(const Call& call, std::string_view last) {
  if (!last_ || call.args.empty()) return;
  const Expr* method = FunctionOf(call);
  if (method == nullptr || method->kind != ExprKind::kMember) return;
  if (SaysOneOf(last, {"goto", "navigate"})) {
    const std::string host = KnownHost(Known(call.args[0].value));
    Call sent = call;
    if (!host.empty()) JudgeSend(sent, call.taints[0], host, {});
    return;
  }
  // https.request(...).setHeader(name, value), connection.putheader(name, value)
  if (SaysOneOf(last, {"setHeader", "appendHeader", "putheader"}) ||
      (last == "set" && Contains(call.callee.text, "superagent"))) {
    Taint carried;
    for (const Taint& taint : call.taints) carried.Join(taint);
    if (carried.Has(kHeldByAnything)) JudgeCarried(call, carried, HostOfHandle(method->base));
    return;
  }
  if (!SaysOneOf(last, {"execute", "executemany", "query", "insert_one", "insert_many", "insertOne", "insertMany",
                        "set", "setex", "lpush", "rpush", "xadd", "publish", "hset", "upload_blob", "uploadData",
                        "upload", "put_object", "putObject"})) {
    return;
  }
  Taint data;
  for (std::size_t i = SaysOneOf(last, {"execute", "executemany", "query"}) ? 1 : 0; i < call.taints.size(); ++i)
    data.Join(call.taints[i]);
  // What a tool reads, kept at a place that stands here, and nobody is told where that fails.
  const bool aside = !data.Has(kTaken & ~kEncoded) && data.Has(kRows | kFileContent) && IsHushed();
  if (!aside) {
    data.labels &= kTaken;
    data.fresh &= kTaken;
    if (!data.Has(kTaken & ~kEncoded)) return;
  }
  // connect(...).cursor().execute(...): whose client it is stands at the beginning.
  std::string client;
  for (Maker made = MakerOf(method->base); made.expr != kNone; made = MakerBehind(made))
    client += LowerCase(TextAt(code().exprs[made.expr].loc).substr(0, 400)) + " ";
  if (!AnyOf(client, {"redis", "mongo", "psycopg", "asyncpg", "mysql", "pg.", "postgres", "azure", "boto", "s3", "blob",
                      "storage", "bucket", "valkey", "database", "sql"})) {
    return;
  }
  std::string host = HostOfHandle(method->base);
  if (const std::string account = HostOfAccount(call); !account.empty()) host = account;
  if (host.empty()) return;
  if (aside) {
    (void)JudgeAside(call.expr, data, host);
    return;
  }
  Call sent = call;
  JudgeSend(sent, data, host, {});
}

// The account of a service that the code brings the keys of: whose it is, nobody else knows.
std::string Engine::HostOfAccount(const Call& call) {
  const Expr* method = FunctionOf(call);
  if (method == nullptr) return {};
  for (Maker made = MakerOf(method->base); made.expr != kNone; made = MakerBehind(made)) {
    if (BringsItsKeys(Squeezed(TextAt(code().exprs[made.expr].loc).substr(0, 400))))
      return std::string(kInboxPrefix).append(kOwnAccount);
  }
  return {};
}

// fetch(`https://api.telegram.org/bot${settings.token}/...`): the chat of whoever has set the program up. A stranger's
// stands in the program, plain or packed.
bool Engine::ToOwnChat(const Call& call) {
  if (call.args.empty() || call.taints.empty() || call.taints[0].Has(kDecoded | kComputed | kNetFixed)) return false;
  const std::string url = Known(call.args[0].value);
  for (const std::string_view place : {"api.telegram.org/bot", "/webhooks/", "hooks.slack.com/"}) {
    const std::size_t at = url.find(place);
    if (at == std::string::npos || url.substr(at + place.size(), 1) != std::string(1, kHole)) continue;
    // 123456789:AA...
    const std::string_view text = code().text;
    for (std::size_t colon = text.find(":AA"); colon != std::string_view::npos; colon = text.find(":AA", colon + 1)) {
      constexpr std::size_t kNumber = 8;
      const std::string_view before = text.substr(colon < kNumber ? 0 : colon - kNumber, std::min(colon, kNumber));
      if (before.size() == kNumber && before.find_first_not_of("0123456789") == std::string_view::npos) return false;
    }
    return true;
  }
  return false;
}

// spawn("nc", [host, port]).stdin.write(data)
void Engine::JudgeFed(const Call& call, const Taint& data) {
  if (!last_ || !data.Has(kTaken & ~kEncoded)) return;
  const Expr* method = FunctionOf(call);
  Maker made = method != nullptr ? MakerOf(method->base) : Maker();
  while (made.expr != kNone && code().exprs[made.expr].kind == ExprKind::kMember) made = MakerBehind(made);
  if (made.expr == kNone || code().exprs[made.expr].kind != ExprKind::kCall) return;
  std::string line;
  for (const Arg& arg : code().ArgsOf(code().exprs[made.expr])) {
    const ExprId from = view().Origin(arg.value, made.scope);
    if (from >= code().exprs.size() || code().exprs[from].kind == ExprKind::kDict) continue;
    if (code().exprs[from].kind == ExprKind::kList) {
      for (const Arg& word : code().ArgsOf(code().exprs[from]))
        line += ShellQuoted(KnownIn(word.value, made.scope)) + " ";
    } else {
      line += KnownIn(arg.value, made.scope) + " ";
    }
  }
  HandOut(call, line, data);
  JudgeSentByLine(call, line, data);
}

// tar czf /tmp/k.tgz ~/.ssh: the archive holds keys, whoever reads it.
void Engine::MarkArchivedBy(const Call& call, const std::string& line) {
  constexpr std::size_t kLongest = 2'000;
  if (line.size() > kLongest || !AnyOf(line, {"tar", "zip", "7z"})) return;
  std::string archive;
  std::string keys;
  bool packs = false;
  const auto look = [&](const std::string& word) {
    if (archive.empty() && AnyOf(word, {".tgz", ".tar", ".zip", ".7z"})) archive = word;
    if (keys.empty() && word.size() > 3 && (IsKeyFolder(word) || KindOfPath(word) == PathKind::kSecret)) keys = word;
  };
  // `cd ~/.ssh && tar czf /tmp/k.tgz .`, `tar c ~/.ssh | gzip > /tmp/k.tgz`: of all commands together.
  for (const ShellCommand& command : ParseShell(line).commands) {
    packs = packs || SaysOneOf(shell::ProgramOf(command), {"tar", "bsdtar", "gtar", "zip", "7z", "7za", "7zz"});
    for (const ShellWord& word : command.words) look(word.text);
    for (const auto& [op, word] : command.redirects) look(word.text);
  }
  if (!packs || archive.empty() || keys.empty()) return;
  MarkCopied(archive, Source(kSecretFile, call.expr, "packs " + Shown(keys, 60)));
}

// tarfile.open(path, "w").add(key): the file that the archive is carries what is put into it.
void Engine::MarkArchive(const Call& call, std::string_view last, const Taint& put) {
  if (!SaysOneOf(last, {"add", "write", "writestr", "append", "addFile", "addLocalFile", "addLocalFolder"})) return;
  if (!put.Has(kSecretFile | kStore | kWeakSecretFile)) return;
  const Expr* method = FunctionOf(call);
  if (method == nullptr || method->base >= code().exprs.size()) return;
  FuncId scope = function_;
  const ExprId made = view().Origin(method->base, function_, &scope);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall || code().exprs[made].arg_count == 0 ||
      scope != function_) {
    return;
  }
  const std::string& callee = view().Callee(made, scope).text;
  if (!AnyOf(callee, {"tarfile.", "zipfile.", "ZipFile", "py7zr"})) return;
  MarkPath(code().ArgsOf(code().exprs[made])[0].value, put);
}

// cmd = installCommand(manager, name, version): a function of the package whose every answer begins with a fixed
// program.
bool Engine::FormsCommand(ExprId command) const {
  FuncId scope = function_;
  const ExprId origin = view().Origin(command, function_, &scope);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall) return false;
  const Value callee = view().Callee(origin, scope);
  if (callee.kind != ValueKind::kFunction || callee.module >= states_.size()) return false;
  const ModuleView& there = *states_[callee.module].view;
  int answers = 0;
  for (const Stmt& stmt : there.module().functions[callee.index].body) {
    if (stmt.kind != StmtKind::kReturn) continue;
    const std::string& text = there.Text(stmt.value, callee.index);
    const std::string_view program = std::string_view(text).substr(0, text.find(' '));
    if (program.empty() || program.size() == text.size() || program.find(kHole) != std::string_view::npos) return false;
    // What reads the rest as its program has not been chosen by anybody here.
    if (IsShellName(program) || AnyOf(program, {"python", "node", "perl", "ruby", "eval", "exec", "sudo", "env", "pwsh",
                                                "powershell", "cmd"})) {
      return false;
    }
    ++answers;
  }
  return answers > 0;
}

// COMMANDS[name].line, of a table that a function of the package makes: which of its commands it is, whoever asks
// chooses; what they are, he does not.
bool Engine::TakesFromTable(ExprId command) const {
  FuncId scope = function_;
  ExprId at = view().Origin(command, function_, &scope);
  bool indexed = false;
  for (int depth = 0; depth < 6 && at < code().exprs.size(); ++depth) {
    const Expr& part = code().exprs[at];
    if (part.kind == ExprKind::kCall) return indexed && view().Callee(at, scope).kind == ValueKind::kFunction;
    if (part.kind != ExprKind::kMember && part.kind != ExprKind::kIndex) return false;
    indexed = indexed || part.kind == ExprKind::kIndex;
    at = view().Origin(part.base, scope, &scope);
  }
  return false;
}

}  // namespace interlock::scan::code
