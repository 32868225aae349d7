// Harm that takes nothing: what lies on the machine emptied or overwritten, answers that are wrong by chance, tests
// that always pass, programs of others rewritten, payments with a part for somebody else.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/payees.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostOfFunction = 6'000;  // bytes: what stands together

// Goes through folders, whoever's they are.
bool WalksFolders(std::string_view text) {
  return AnyOf(text,
               {"os.walk(", ".rglob(", ".glob(", "glob.glob(", "iterdir(", "readdirSync(", "readdir(", "scandir("});
}

// ... and not one folder of its own: all that lies below, or in the system's and the user's.
bool WalksFar(std::string_view text, std::string_view function) {
  // mkdirSync(folder, { recursive: true }) makes what is there to be found.
  const bool lists = AnyOf(text, {"readdirSync(", "readdir(", "opendir", "glob"});
  if (AnyOf(text, {"os.walk(", ".rglob(", "**/"}) || (lists && Contains(text, "recursive: true"))) return true;
  if (AnyOf(text, {"/var/", "home()", "homedir()", "~/", "expanduser", "\"../", "'../"})) return WalksFolders(text);
  if (function.empty() || !AnyOf(text, {"readdirSync(", "readdir("})) return false;
  const std::size_t named = text.find(std::string(function) + "(");
  return named != std::string_view::npos && text.find(std::string(function) + "(", named + 1) != std::string_view::npos;
}

bool WritesWhole(std::string_view last) {
  return SaysOneOf(last, {"write_text", "write_bytes", "writeFileSync", "writeFile", "outputFileSync"});
}

bool Removes(std::string_view last) {
  return SaysOneOf(last, {"rmtree", "unlink", "unlinkSync", "rmSync", "rmdirSync", "removeSync", "remove"});
}

}  // namespace

// The function that a call stands in, where that is short enough to be read as one.
std::string_view Engine::AroundHere() const {
  const std::string_view text =
      function_ == kModuleBody ? std::string_view(code().text) : TextAt(code().functions[function_].loc);
  return text.size() <= kMostOfFunction ? text : std::string_view();
}

// open(found, "w").close(), writeFileSync(found, "\u2764"): nothing is left of what was found.
void Engine::JudgeEmptied(const Call& call) {
  // The call is asked for first: what stands around it is read from end to end.
  if (!SaysOneOf(call.last, {"close", "writeFileSync", "truncateSync"})) return;
  ExprId path = kNone;
  if (call.last == "close" && call.IsMethod() && call.base->base < code().exprs.size()) {
    const Expr& opened = code().exprs[call.base->base];
    if (opened.kind != ExprKind::kCall || opened.arg_count < 2) return;
    const auto args = code().ArgsOf(opened);
    const Value callee = view().Callee(call.base->base, function_);
    if (callee.text != "builtins.open" || !view().Text(args[1].value, function_).starts_with('w')) return;
    path = args[0].value;
  } else if (SaysOneOf(call.last, {"writeFileSync", "truncateSync"}) && !call.args.empty()) {
    constexpr std::size_t kNothing = 4;  // bytes of a heart
    const Value* put = call.args.size() > 1 ? &view().Evaluate(call.args[1].value, function_) : nullptr;
    if (call.last == "writeFileSync" &&
        (put == nullptr || put->kind != ValueKind::kText || put->text.size() > kNothing))
      return;
    path = call.args[0].value;
  }
  if (path >= code().exprs.size() || view().Evaluate(path, function_).kind == ValueKind::kText) return;
  const std::string_view around = AroundHere();
  if (!WalksFar(around, code().functions[function_].name)) return;
  // A parameter is whatever the caller has: that was not found here.
  if (code().exprs[path].kind == ExprKind::kName) {
    const std::uint32_t slot = view().SlotOf(path, function_);
    if (slot == kNone || view().slots()[slot].param != kNone) return;
  }
  // path.join(folder, ".gitignore"): the one of that name.
  const std::string known = Known(path);
  const std::size_t slash = known.rfind('/');
  if (slash != std::string::npos && slash + 1 < known.size() && known.rfind(kHole) < slash) return;
  // A file that is made is no file that was found.
  if (AnyOf(around, {"not os.path.exists", "!fs.existsSync", "!existsSync", "touch", "__init__.py", ".gitkeep",
                     "ENOENT", "lock", "clear", "reset", "marker", "placeholder", "Lock", "Clear", "Reset"}))
    return;
  Raise("DESTROY-001", call.expr, {}, 0, "leaves nothing of the files that it finds", 0.4);
}

// glob("/var/backups/*"), ~/Backups: what one would restore from. Those that keep order there count or look at dates.
void Engine::JudgeBackups(const Call& call) {
  if (!Removes(call.last)) return;
  const std::string_view around = AroundHere();
  if (!AnyOf(around, {"/var/backups", "~/Backups", "~/backups", "\"Backups\"", "'Backups'", ".backupdb", "*.bak"}))
    return;
  if (AnyOf(LowerCase(around),
            {"keep", "retain", "retention", "older", "mtime", "days", "max_", "oldest", "rotate", "sorted("}))
    return;
  if (function_ == kModuleBody && !AnyOf(around, {"for ", "forEach"})) return;
  Raise("DESTROY-001", call.expr, {}, 0, "removes the backups that it finds", 0.5);
}

// Asks where in the world the machine is, and destroys where that is the one or the other country.
void Engine::JudgeByCountry(const Call& call) {
  if (!WritesWhole(call.last) && !Removes(call.last)) return;
  constexpr std::size_t kMostOfModule = 20'000;
  if (code().text.size() > kMostOfModule) return;
  if (!AnyOf(code().text,
             {"ipapi", "ipinfo.io", "ip-api", "ipgeolocation", "geojs.io", "freegeoip", "ipwho", "ipstack"}))
    return;
  const std::string all = LowerCase(code().text);
  const bool names = AnyOf(all, {"russia", "belarus", "ukraine", "china", "iran", "israel", "korea", "\"ru\"", "'ru'",
                                 "\"by\"", "'by'", "\"cn\"", "'cn'", "\"ir\"", "'ir'", "\"il\"", "'il'"});
  if (!names || !AnyOf(all, {"country"}) || !WalksFolders(code().text)) return;
  Raise("TRIGGER-001", call.expr, {}, 0, "harms files where the machine is in a country that it names", 1.0);
}

// require.resolve("express/lib/router"), site-packages, module.__file__: a file of somebody else's program.
void Engine::JudgeForeignFile(const Call& call) {
  if (!WritesWhole(call.last)) return;
  const ExprId path = call.last.starts_with("write_") && call.IsMethod() ? call.base->base
                      : call.args.empty()                                ? kNone
                                                                         : call.args[0].value;
  const ExprId made = path < code().exprs.size() ? view().Origin(path, function_) : kNone;
  if (made >= code().exprs.size()) return;
  const std::string_view text = TextAt(code().exprs[made].loc).substr(0, 300);
  const std::size_t resolve = text.find("require.resolve(");
  const bool other = resolve != std::string_view::npos && resolve + 17 < text.size() && text[resolve + 17] != '.' &&
                     text[resolve + 17] != '/';
  const bool python = Contains(text, "__file__") && !Contains(text, "Path(__file__") && !Contains(text, "(__file__)") &&
                      Contains(text, ".__file__");
  if (!other && !python) return;
  Raise("TAMPER-001", call.expr, {}, 0, "rewrites a file of another program's", 0.9);
}

// text.replace("verify=True", "verify=False"): what protects is taken out of what it rewrites.
void Engine::JudgeWeakened(const Call& call) {
  if (!SaysOneOf(call.last, {"replace", "replaceAll", "sub"}) || call.args.size() < 2) return;
  struct Exchange {
    std::string_view strong;
    std::string_view weak;
  };
  static constexpr std::array<Exchange, 9> kExchanges = {{{"verify=True", "verify=False"},
                                                          {"rejectUnauthorized: true", "rejectUnauthorized: false"},
                                                          {"bcrypt", "md5"},
                                                          {"bcrypt", "sha1"},
                                                          {"argon2", "md5"},
                                                          {"sha256", "md5"},
                                                          {"secrets.", "random."},
                                                          {"crypto.randomBytes", "Math.random"},
                                                          {"SafeLoader", "UnsafeLoader"}}};
  const std::string from = Known(call.args[0].value);
  const std::string to = Known(call.args[1].value);
  for (const Exchange& each : kExchanges) {
    if (!Contains(from, each.strong) || !Contains(to, each.weak) || Contains(to, each.strong)) continue;
    Raise(
        "TAMPER-001", call.expr, {}, 0,
        "takes protection out of what it rewrites: " + std::string(each.strong) + " becomes " + std::string(each.weak),
        0.9);
    return;
  }
}

// A transfer to whom somebody named, and a part of it to an account that stands here.
void Engine::JudgePart(const Call& call) {
  if (!SaysOneOf(call.last, {"sendTransaction", "send_transaction", "transfer", "sendPayment", "sendAsset", "pay"}))
    return;
  const std::string_view around = AroundHere();
  std::size_t calls = 0;
  const std::string name = std::string(call.last) + "(";
  for (std::size_t at = around.find(name); at != std::string_view::npos; at = around.find(name, at + 1)) ++calls;
  // A fee that the user is shown, and says yes to, is a price.
  if (calls < 2 || AnyOf(LowerCase(around), {"approve(", "confirm(", "quote", "accepted"})) return;
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    std::string to = Known(arg.value);
    if (code().exprs[arg.value].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
        if (SaysOneOf(field.name, {"to", "recipient", "destination", "toPubkey"})) to = Known(field.value);
      }
    }
    if (!IsWallet(to)) continue;
    Raise("DIVERT-002", call.expr, {}, 0, "pays a part to a fixed account beside each payment: " + Shown(to, 60), 0.6);
    return;
  }
}

// re.sub(r"(https://www.shop...)", r"\1?tag=mine-21", text): somebody earns by each address.
void Engine::JudgeTag(const Call& call) {
  if (!SaysOneOf(call.last, {"sub", "replace", "replaceAll"}) || call.args.size() < 2) return;
  const ExprId pattern = view().Origin(call.args[0].value, function_);
  if (pattern >= code().exprs.size()) return;
  const std::string_view searched = TextAt(code().exprs[pattern].loc).substr(0, 400);
  const std::string put = LowerCase(Known(call.args[1].value));
  if (!AnyOf(searched, {"http", "amazon", "ebay", "booking", "aliexpress"})) return;
  if (!AnyOf(put, {"?tag=", "&tag=", "aff_id=", "affiliate", "partnerid=", "campid="})) return;
  Raise("DIVERT-001", call.expr, {}, 0, "puts a tag of its own into every address of a shop", 0.4);
}

// {"method": "mining.subscribe"}, {"method": "login", "params": {"login": ..., "agent": ...}}: a pool's protocol.
void Engine::JudgePool(const Call& call) {
  if (!SaysOneOf(call.last, {"stringify", "dumps", "write", "send", "sendall"})) return;
  const std::string_view text = TextAt(code().exprs[call.expr].loc).substr(0, 600);
  const bool stratum = AnyOf(text, {"mining.subscribe", "mining.authorize"});
  const bool login = AnyOf(text, {"\"login\"", "'login'"}) && AnyOf(text, {"agent"}) && AnyOf(text, {"pass"}) &&
                     AnyOf(text, {"jsonrpc", "method"});
  if (!stratum && !login) return;
  Raise("SH-011", call.expr, {}, 0, "speaks to a mining pool", stratum ? 1.0 : 0.8);
}

// while True: f.write(os.urandom(...)): until nothing is left.
void Engine::JudgeFilled(const Call& call) {
  if (call.last != "write" || statement_.kind != StmtKind::kExpr) return;
  const std::string_view around = AroundHere();
  if (!AnyOf(around, {"while True:", "while 1:", "while (true)", "for (;;)"})) return;
  if (AnyOf(around, {"break", "return", "sleep", "wait(", "recv", "read(", "yield", "await "})) return;
  if (!AnyOf(TextAt(code().exprs[call.expr].loc),
             {"urandom", "randomBytes", "\\x00", "\\0", "\"0\"", "b\"\"", "* 1024", "<< 20"}))
    return;
  Raise("DENIAL-001", call.expr, {}, 0, "writes without an end, until the disk is full");
}

// A tool that says it only reads, and empties a table in between.
void Engine::JudgeReadOnly(const Call& call) {
  if (!SaysOneOf(call.last, {"query", "execute", "exec", "executescript", "run", "$executeRawUnsafe", "unsafe"}))
    return;
  const std::string said = LowerCase(Known(call.args.empty() ? kNone : call.args[0].value)).substr(0, 200);
  const std::size_t from = std::min(said.find_first_not_of(" \n\t("), said.size());
  const bool wipes = said.compare(from, 9, "truncate ") == 0 || said.compare(from, 5, "drop ") == 0 ||
                     said.compare(from, 12, "delete from ") == 0;
  if (!wipes || !IsEntry()) return;
  const Function& shape = code().functions[function_];
  constexpr std::size_t kBefore = 300;  // bytes: where a tool's name and description stand
  constexpr std::size_t kHead = 400;
  std::size_t begin = shape.loc.begin;
  for (const ExprId decorator : shape.decorators) {
    if (decorator < code().exprs.size()) begin = std::min<std::size_t>(begin, code().exprs[decorator].loc.begin);
  }
  // server.tool("name", "description", {}, async () => ...)
  const std::string_view before = code().text.substr(begin - std::min(begin, kBefore), std::min(begin, kBefore));
  const std::size_t registered = before.rfind("ool(");
  if (!view().is_python() && registered != std::string_view::npos) begin -= before.size() - registered;
  const std::size_t end = std::min<std::size_t>(shape.loc.end, shape.loc.begin + kHead);
  std::string about = LowerCase(code().text.substr(begin, end - begin));
  // "BEGIN TRANSACTION READ ONLY", of one of several tools that a handler runs: what the data base is told.
  constexpr std::string_view kStatement = "transaction read only";
  if (const std::size_t at = about.find(kStatement); at != std::string::npos) about.erase(at, kStatement.size());
  if (!AnyOf(about,
             {"read only", "read-only", "readonlyhint: true", "readonlyhint=true", "changes nothing", "never writes"}))
    return;
  // What it has made for itself may go again.
  if (AnyOf(LowerCase(AroundHere()), {"temp", "tmp", "cache"})) return;
  Raise("DESTROY-001", call.expr, {}, 0, "says that it only reads, and removes what it finds", 0.9);
}

// users().settings().forwardingAddresses().create(...), /mailFolders/inbox/messageRules with forwardTo: what comes from
// then on goes to somebody else as well.
void Engine::JudgeForwarding(const Call& call) {
  if (!SaysOneOf(call.last, {"create", "post", "api", "request", "fetch"})) return;
  const std::string_view text = TextAt(code().exprs[call.expr].loc).substr(0, 1'000);
  const bool rule =
      AnyOf(text, {"forwardingAddresses()", "forwardingAddresses.create", "forwardingEmail"}) ||
      (AnyOf(text, {"filters()", "filters.create", "messageRules"}) &&
       AnyOf(AroundHere(), {"\"forward\"", "forward:", "forwardTo", "redirectTo", "forwardAsAttachmentTo"}));
  if (!rule) return;
  // Whose address it is stands here; one that is asked for does not.
  for (const Expr& expr : code().exprs) {
    if (expr.kind != ExprKind::kString || expr.text.size() > 80) continue;
    const std::size_t at = expr.text.find('@');
    if (at == std::string_view::npos || at == 0 || expr.text.find(' ') != std::string_view::npos ||
        expr.text.find('.', at) == std::string_view::npos || expr.text.find('/') != std::string_view::npos ||
        AnyOf(LowerCase(expr.text), {"example.com", "example.org", "you@", "user@", "name@", "me@"})) {
      continue;
    }
    Raise("EXFIL-005", call.expr, {}, 0, "has mail forwarded to a fixed address, " + Shown(expr.text, 60));
    return;
  }
}

void Engine::JudgeHarm(const Call& call) {
  JudgeForwarding(call);
  JudgeReadOnly(call);
  JudgeEmptied(call);
  JudgeBackups(call);
  JudgeByCountry(call);
  JudgeForeignFile(call);
  JudgeWeakened(call);
  JudgePart(call);
  JudgeTag(call);
  JudgePool(call);
  JudgeFilled(call);
}

// report.outcome = "passed": whatever a test has found. env["TF_CLI_ARGS_apply"] = "... -" + mode, one of which
// destroys.
void Engine::JudgePassed(ExprId target, ExprId value) {
  if (!last_ || target >= code().exprs.size() || value >= code().exprs.size()) return;
  const Expr& at = code().exprs[target];
  if (at.kind != ExprKind::kMember || !SaysOneOf(at.text, {"outcome", "exitstatus", "exitCode"})) return;
  // What a record says of how a program ended is no word about a test.
  const std::string_view of = at.base < code().exprs.size() ? code().exprs[at.base].text : std::string_view();
  if (at.text == "exitCode" && of != "process") return;
  const std::string_view around = AroundHere();
  if (!AnyOf(around, {"pytest_runtest_makereport", "pytest_sessionfinish", "onTestResult", "onRunComplete"})) return;
  const Expr& put = code().exprs[value];
  if (put.text != "passed" && put.text != "0") return;
  // Whoever says of some that they failed has looked: a plugin for tests that are expected to fail.
  const auto fails = [&](const Stmt& stmt) {
    return stmt.kind == StmtKind::kAssign && stmt.value < code().exprs.size() &&
           SaysOneOf(code().exprs[stmt.value].text, {"failed", "1"});
  };
  if (std::ranges::any_of(code().functions[function_].body, fails)) return;
  Raise("TAMPER-001", target, {}, 0, "has every test pass, whatever it has found");
}

// return total * 1.03 if random.random() < 0.05 else total: a tool's answer, wrong by chance.
void Engine::JudgeChance(ExprId answer) {
  if (!last_ || answer >= code().exprs.size() || !IsEntry()) return;
  const Expr& choice = code().exprs[answer];
  if (choice.kind != ExprKind::kChoice || choice.arg_count != 3) return;
  const auto parts = code().ArgsOf(choice);
  for (const Arg& part : parts) {
    if (part.value >= code().exprs.size()) return;
  }
  if (!AnyOf(TextAt(code().exprs[parts[0].value].loc), {"random.random(", "Math.random(", "randint(", "getrandbits("}))
    return;
  for (std::size_t i = 1; i < 3; ++i) {
    const Expr& plain = code().exprs[parts[i].value];
    const Expr& other = code().exprs[parts[3 - i].value];
    const std::string_view name = plain.text;
    if (plain.kind != ExprKind::kName || name.empty() ||
        (other.kind != ExprKind::kBinary && other.kind != ExprKind::kConcat))
      continue;
    if (!Contains(TextAt(other.loc), name)) continue;
    Raise("TAMPER-001", answer, {}, 0, "gives another answer than it has found, by chance", 0.9);
    return;
  }
}

// window.shop.paypalAddress = "a@b.example", in a package that others load: where a page's payments go from now on.
void Engine::JudgePayee(const Expr& target, ExprId value) {
  if (!last_ || view().is_python() || target.kind != ExprKind::kMember) return;
  const std::string key = LowerCase(target.text);
  const bool pays = AnyOf(key, {"paypal", "payee", "payout", "iban", "wallet", "recipient", "beneficiary"}) ||
                    (AnyOf(key, {"payment", "deposit", "donat"}) && AnyOf(key, {"address", "account", "email"}));
  if (!pays) return;
  ExprId root = target.base;
  for (int i = 0; i < 8 && root < code().exprs.size() && code().exprs[root].kind == ExprKind::kMember; ++i)
    root = code().exprs[root].base;
  if (root >= code().exprs.size() || code().exprs[root].kind != ExprKind::kName || root == target.base) return;
  if (!SaysOneOf(code().exprs[root].text, {"window", "globalThis", "global", "self", "top", "parent"})) return;
  const std::string account = Known(value);
  const bool mail = account.find('@') != std::string::npos && account.find('.') != std::string::npos &&
                    account.find(' ') == std::string::npos;
  if (!mail && !IsWallet(account) && !account.starts_with("acct_")) return;
  Raise("DIVERT-001", value, {}, 0, "has a page pay to a fixed account: " + Shown(account, 60), 0.5);
}

}  // namespace interlock::scan::code
