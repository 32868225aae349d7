// What agents are left with: memories that nobody gave them, orders in a state that all of them share, decisions that a
// table makes while a state is loaded; accounts that depend on an amount; and programs that are kept in a text.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/principals.h"
#include "code/sink_words.h"
#include "code/value_parts.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostParts = 200;          // of an expression that is looked into
constexpr std::size_t kLongestProgram = 64'000;  // bytes of a text that is read as a program

std::size_t WordsIn(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    words += letter && !inside ? 1 : 0;
    inside = letter;
  }
  return words;
}

// What nobody has to ask, and what may be read: consent, not taste.
bool GivesConsent(std::string_view text) {
  return AnyOf(LowerCase(text.substr(0, 400)),
               {"without ask", "without confirm", "without approv", "not ask", "never ask", "be asked", "has agreed",
                "consent", "permission", "approv", "credential", "password", ".env", "id_rsa", "api key", "token",
                "--index-url", "--registry", "trusts"});
}

// A sentence about what somebody wants, and what need not be asked.
bool SpeaksForSomebody(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  if (WordsIn(text) < 5 || text.size() > kLongest || Contains(text, "\n")) return false;
  const std::string lower = " " + LowerCase(text.substr(0, 400)) + " ";
  const bool somebody = AnyOf(lower, {" user", " owner", " customer", " i ", " me ", " my ", " we ", " admin",
                                      " operator", " human", " boss", " team ", " maintainer", " project "});
  // "Has agreed that ...", "Wants ... read in full": who it is goes without saying where a profile is kept.
  const std::string_view begin = std::string_view(lower).substr(1, lower.find(' ', 1));
  const bool unsaid = SaysOneOf(begin, {"has ", "wants ", "prefers ", "likes ", "allows ", "agrees ", "agreed ",
                                        "trusts ", "expects ", "accepts ", "always ", "never "});
  if (!somebody && unsaid) return GivesConsent(text);
  return somebody && AnyOf(lower, {"confirm",       "approv",   "permission", "consent",        "without ask",
                                   "not ask",       "be asked", "never ask",  "trust",          "authori",
                                   "allowed",       "warn",     "verif",      "do not mention", "don't mention",
                                   "never mention", "prefers",  "wants",      "always ",        "copy of",
                                   "right away",    "not tell", "never tell", "review",         "agreed "});
}

bool NamesAccount(std::string_view name) {
  const std::string lower = LowerCase(name.substr(0, 60));
  return AnyOf(lower, {"iban", "account", "payee", "beneficiar", "creditor", "wallet", "payto", "pay_to", "bban"});
}

bool NamesAmount(std::string_view text) {
  return AnyOf(LowerCase(text.substr(0, 300)), {"amount", "gross", "total", "sum", "value", "price", "betrag"});
}

}  // namespace

// `blocked = [...]`, `DANGEROUS_COMMANDS: list[str] = [...]`, `blocked: list = field(\n default_factory=lambda:
// [...])`: what a guard looks for, not what is run.
bool IsListOfForbidden(std::string_view text, std::size_t list) {
  if (IsExample(text, list)) return true;
  constexpr std::size_t kBefore = 140;
  const std::size_t from = list > kBefore ? list - kBefore : 0;
  const std::string_view near = text.substr(from, std::min(list, text.size()) - from);
  std::size_t line = near.rfind('\n') + 1;
  // An open bracket at the end of the line before: the statement began there.
  while (line > 1 && (near[line - 2] == '(' || near[line - 2] == '=' || near[line - 2] == '\\'))
    line = near.substr(0, line - 1).rfind('\n') + 1;
  return AnyOf(LowerCase(near.substr(line)),
               {"block", "deny", "denied", "danger", "forbid", "blacklist", "unsafe", "disallow", "malicious",
                "suspicious", "injection", "attack", "exploit", "adversar"});
}

bool IsExample(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 400;
  const std::size_t from = at > kBefore ? at - kBefore : 0;
  std::string_view near = text.substr(from, std::min(at + 1, text.size()) - from);
  const std::size_t list = near.rfind('[');
  if (list == std::string_view::npos || near.find(']', list) != std::string_view::npos) return false;
  near = near.substr(0, list);
  while (near.ends_with(' ')) near.remove_suffix(1);
  if (!near.ends_with("\"examples\":") && !near.ends_with("'examples':")) return false;
  // Beside it stands what a schema says of a parameter, and nobody takes the examples out of it.
  return AnyOf(near, {"\"type\":", "'type':"}) &&
         !AnyOf(text, {"[\"examples\"]", "['examples']", ".examples", "(\"examples\"", "('examples'"});
}

// All constant texts that a value may hold, through names, lists, functions and other files.
std::vector<std::string> Engine::TextsWithin(ExprId value) const {
  std::vector<std::string> out;
  const auto take = [&](const Value& known) {
    std::vector<const Value*> values{&known};
    for (std::size_t i = 0; i < values.size() && i < kMostParts; ++i) {
      if (values[i]->kind == ValueKind::kText) out.push_back(values[i]->text);
      for (const Value& item : values[i]->items) values.push_back(&item);
    }
  };
  ValueParts parts(world_, module_, function_, value, kMostParts);
  while (out.size() < kMostParts && parts.Next()) {
    const ModuleView& there = parts.view();
    const Value& known = there.Evaluate(parts.id(), parts.scope());
    const Expr& expr = parts.expr();
    // Of a table that is known in parts, the parts say more.
    const bool in_parts =
        std::ranges::any_of(known.items, [](const Value& item) { return item.kind != ValueKind::kText; });
    if (known.kind == ValueKind::kText || (!known.items.empty() && !in_parts)) {
      take(known);
      continue;
    }
    if (expr.kind == ExprKind::kCall || expr.kind == ExprKind::kFormat || expr.kind == ExprKind::kConcat) {
      // What is known in parts: join(home, ".config", name).
      if (const std::string& said = there.Text(parts.id(), parts.scope()); said.size() > 3) out.push_back(said);
    }
    if (expr.kind == ExprKind::kCall) parts.AddReturns(there.Callee(parts.id(), parts.scope()));
    if (expr.kind == ExprKind::kName) {
      // for player in PLAYERS: one of several.
      const std::uint32_t slot = there.SlotOf(parts.id(), parts.scope());
      if (slot == kNone || there.slots()[slot].param != kNone) continue;
      const FuncId owner = there.slots()[slot].scope;
      const Module& module = parts.module();
      for (const Stmt& stmt : module.functions[owner].body) {
        if (stmt.kind != StmtKind::kAssign || stmt.target >= module.exprs.size() || stmt.value == parts.id()) continue;
        const Expr& target = module.exprs[stmt.target];
        const auto is_it = [&](ExprId name) {
          return name < module.exprs.size() && module.exprs[name].kind == ExprKind::kName &&
                 there.SlotOf(name, owner) == slot;
        };
        // for kind, text in ROWS: one of the words of a row.
        const bool among =
            target.kind == ExprKind::kList &&
            std::ranges::any_of(module.ArgsOf(target), [&](const Arg& part) { return is_it(part.value); });
        if (is_it(stmt.target) || among) parts.Add(stmt.value, owner);
      }
      continue;
    }
    parts.AddOwn();
  }
  return out;
}

// insert into memories ... values (DEFAULTS): an agent remembers what nobody has told it.
// A tool of the package remembers.
bool Engine::OffersMemory() {
  if (!offers_memory_.has_value()) {
    offers_memory_ = std::ranges::any_of(entry_points_, [](const EntryPoint& entry) {
      return AnyOf(LowerCase(entry.name), {"remember", "recall", "memor", "forget"});
    });
  }
  return *offers_memory_;
}

void Engine::JudgeSeeds(const Call& call, std::string_view last, bool own) {
  if (call.args.empty()) return;
  while (last.starts_with('_') || last.starts_with('#')) last.remove_prefix(1);
  const bool statement = SaysOneOf(last, {"execute", "executemany", "run", "exec", "query", "prepare", "all"});
  const bool keeps = SaysOneOf(
      last, {"add",      "put",          "aput",      "upsert",        "insert",       "insert_many",   "insertMany",
             "remember", "save_context", "add_texts", "add_documents", "addDocuments", "add_memory",    "store",
             "append",   "extend",       "push",      "set",           "update_state", "aupdate_state", "updateState"});
  if (!statement && !keeps) return;
  const std::string_view whole = TextAt(code().exprs[call.expr].loc).substr(0, 500);
  // Of a statement all of it, of a call what is called.
  const std::string about = LowerCase(statement ? whole : whole.substr(0, whole.find('(')));
  if (statement && !AnyOf(about, {"insert", "replace into", "upsert"})) return;
  const bool any_list = SaysOneOf(last, {"append", "extend", "push", "set", "add", "all", "run", "query"});
  const std::string_view called = std::string_view(about).substr(0, about.find('('));
  // c = client.get_or_create_collection("memory"); c.add(...): by what the box was made.
  const auto of_memory = [&] {
    constexpr std::size_t kMostOfMaker = 200;
    if (!keeps || !call.IsMethod()) return false;
    const ExprId made = view().Origin(call.base->base, function_);
    return made < code().exprs.size() && code().exprs[made].kind == ExprKind::kCall &&
           Contains(LowerCase(TextAt(code().exprs[made].loc).substr(0, kMostOfMaker)), "memor");
  };
  const bool named = of_memory() || AnyOf(called, {"memor", "facts", "preference", "belief", "long_term"}) ||
                     (statement && AnyOf(about, {"memor", "facts", "preference", "belief", "checkpoint"}));
  // store.add(text, kind="preference") of a program that remembers is no list's `add`.
  const bool filed = SaysOneOf(last, {"add", "set", "put"}) && call.args.size() >= 2 && OffersMemory() &&
                     AnyOf(called, {"store", "memor", "db.", "vault", "profile", "entries", "notes"});
  if (!named && !filed && (any_list || !(keeps_state_ || OffersMemory()))) return;
  std::size_t said = 0;
  std::string first;
  for (const Arg& arg : call.args) {
    for (const std::string& text : TextsWithin(arg.value)) {
      // A method of the package's own may be shown at work: "the user prefers dark mode".
      if (!SpeaksForSomebody(text) || (own && !GivesConsent(text)) ||
          AnyOf(LowerCase(text.substr(0, 40)), {"insert ", "select ", "create "}))
        continue;
      if (first.empty()) first = text;
      ++said;
    }
  }
  if (said == 0) return;
  Raise("STATE-007", call.expr, {}, 0, "fills the memory of agents with what nobody has said: " + Shown(first, 80),
        said >= 2 ? 1.0 : 0.8);
}

// {kind: "preference", text: "I do not want to be asked ..."}: an entry of a memory that stands in the program which
// keeps what its user tells it.
void Engine::JudgeMadeMemory(ExprId dict) {
  bool entry = false;
  std::string said;
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    if (field.value >= code().exprs.size() || code().exprs[field.value].kind != ExprKind::kString) continue;
    const std::string_view text = code().exprs[field.value].text;
    if (SaysOneOf(field.name, {"kind", "type", "category", "role", "source", "namespace", "scope"})) {
      entry = entry || SaysOneOf(text, {"preference", "preferences", "fact", "facts", "memory", "belief", "instruction",
                                        "user", "user_preference", "profile", "rule"});
    } else if (SaysOneOf(field.name, {"text", "content", "value", "fact", "memory", "body"}) &&
               SpeaksForSomebody(text)) {
      said = text;
    }
  }
  if (!entry || said.empty()) return;
  const bool remembers =
      keeps_state_ || std::ranges::any_of(entry_points_, [](const EntryPoint& point) {
        return point.kind != "script" && AnyOf(LowerCase(point.name), {"remember", "recall", "memor", "forget"});
      });
  if (!remembers) return;
  Raise("STATE-007", dict, {}, 0, "fills the memory of agents with what nobody has said: " + Shown(said, 80), 0.9);
}

// return {"messages": [SystemMessage(...)]} of a node: all agents after it obey.
void Engine::JudgeLeftOrder(ExprId value) {
  const auto raise = [&] {
    Raise("STATE-001", value, {}, 0, "leaves an order with the rank of a system message in the state of all agents",
          0.9);
  };
  ValueParts parts(world_, module_, function_, value, kMostParts);
  while (parts.Next()) {
    const Expr& expr = parts.expr();
    const Module& module = parts.module();
    if (expr.kind == ExprKind::kCall) {
      const Value callee = parts.view().Callee(parts.id(), parts.scope());
      const bool system = callee.text.ends_with("SystemMessage") ||
                          (expr.base < module.exprs.size() && module.exprs[expr.base].text == "SystemMessage");
      if (system) return raise();
      parts.AddReturns(callee);
      continue;  // what a model is asked with is not left behind
    }
    if (expr.kind == ExprKind::kMember || expr.kind == ExprKind::kIndex) continue;
    for (const Arg& arg : module.ArgsOf(expr)) {
      if (expr.kind == ExprKind::kDict && arg.name == "role" && arg.value < module.exprs.size() &&
          SaysOneOf(module.exprs[arg.value].text, {"system", "developer"})) {
        return raise();
      }
      parts.Add(arg.value, parts.scope());
    }
  }
}

// {"approved": lambda v: v["approved"] or ...}: what a table makes of a decision, it makes in a person's place.
void Engine::JudgeKeptTable(ExprId dict) {
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    const std::string name = LowerCase(field.name.substr(0, 60));
    if (!AnyOf(name,
               {"approv", "consent", "confirm", "authoriz", "permi", "verdict", "decision", "trusted", "allowed"}))
      continue;
    std::vector<ExprId> open{field.value};
    for (std::size_t i = 0; i < open.size() && i < 24; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& part = code().exprs[open[i]];
      const Value& value = view().Evaluate(open[i], function_);
      if (value.kind == ValueKind::kFunction && value.module == module_) {
        for (const Stmt& stmt : code().functions[value.index].body) {
          if (stmt.kind != StmtKind::kReturn && stmt.kind != StmtKind::kExpr) continue;
          if (stmt.value >= code().exprs.size()) continue;
          const Expr& given = code().exprs[stmt.value];
          const std::string_view text = TextAt(given.loc).substr(0, 300);
          // What was decided before, or something else.
          const bool widens = (given.kind == ExprKind::kChoice || given.kind == ExprKind::kBinary) &&
                              AnyOf(text, {" or ", "||", "??"}) && Contains(text, field.name);
          const bool grants = given.text == "True" || given.text == "true";
          if (!widens && !grants) continue;
          Raise("STATE-005", field.value, {}, 0,
                "decides in a person's place while it keeps or loads the state of agents, by a table");
          return;
        }
        continue;
      }
      for (const Arg& arg : code().ArgsOf(part)) open.push_back(arg.value);
    }
  }
}

// The account that is given back for large amounts is not the one that was given.
void Engine::JudgePayee() {
  // return [], True: of a list without a word in it, none is an account.
  const auto holds_no_text = [&](const Expr& list) {
    return list.kind == ExprKind::kList && std::ranges::all_of(code().ArgsOf(list), [&](const Arg& part) {
             if (part.value >= code().exprs.size()) return false;
             const Expr& one = code().exprs[part.value];
             return one.kind == ExprKind::kConstant || one.kind == ExprKind::kNumber ||
                    (one.kind == ExprKind::kList && one.arg_count == 0);
           });
  };
  const Function& shape = code().functions[function_];
  if (function_ == kModuleBody || shape.params.empty() || shape.body.size() > 60) return;
  std::uint32_t accounts = 0;
  bool amounts = false;
  for (std::size_t i = 0; i < shape.params.size() && i < 31; ++i) {
    const std::string name = LowerCase(shape.params[i].name.substr(0, 60));
    const bool address = SaysOneOf(name, {"address", "addr", "to", "recipient", "destination", "dest"});
    if (NamesAccount(name) || (address && view().words().chains)) accounts |= 1U << i;
    amounts = amounts || NamesAmount(shape.params[i].name);
  }
  bool compares = false;
  bool own = false;
  ExprId other = kNone;
  std::vector<std::string> sources;
  std::vector<ExprId> returned;
  const auto compare = [&](ExprId test) {
    if (test >= code().exprs.size()) return;
    const std::string_view text = TextAt(code().exprs[test].loc).substr(0, 300);
    compares = compares || ((ComparesAmount(test) || AnyOf(text, {"<", ">"})) && (amounts || NamesAmount(text)));
  };
  for (const Stmt& stmt : shape.body) {
    if (stmt.kind == StmtKind::kCondition) compare(stmt.value);
    if (stmt.kind != StmtKind::kReturn || stmt.value >= code().exprs.size()) continue;
    const Expr& value = code().exprs[stmt.value];
    if (value.kind == ExprKind::kChoice && value.arg_count == 3) {
      const auto parts = code().ArgsOf(value);
      compare(parts[0].value);
      returned.push_back(parts[1].value);
      returned.push_back(parts[2].value);
    } else {
      returned.push_back(stmt.value);
    }
  }
  if (!compares) return;
  for (const ExprId id : returned) {
    if (id >= code().exprs.size()) continue;
    const ExprId origin = view().Origin(id, function_);
    const Expr& value = code().exprs[origin < code().exprs.size() ? origin : id];
    const Taint taint = Eval(id);
    if (accounts != 0) {
      if ((taint.params & accounts) != 0) {
        own = true;
      } else if (taint.params == 0 && value.kind != ExprKind::kConstant && value.kind != ExprKind::kNumber &&
                 value.kind != ExprKind::kDict && !holds_no_text(value) && !Contains(view().Text(id, function_), " ") &&
                 !(value.kind == ExprKind::kString && value.text.size() < 10)) {
        other = id;
      }
    }
    // c["iban"] beside invoice["iban"]
    const std::string key = value.kind == ExprKind::kMember ? std::string(value.text)
                            : value.kind == ExprKind::kIndex && value.arg_count == 1
                                ? view().Text(code().ArgsOf(value)[0].value, function_)
                                : std::string();
    if (NamesAccount(key) && value.base < code().exprs.size())
      sources.emplace_back(TextAt(code().exprs[value.base].loc).substr(0, 60));
  }
  const bool two = sources.size() >= 2 &&
                   std::ranges::any_of(sources, [&](const std::string& text) { return text != sources.front(); });
  if (own && other != kNone) {
    Raise("DIVERT-002", other, {}, 0, "gives back another account than it was given, by how large an amount is", 0.9);
  } else if (two) {
    Raise("DIVERT-002", shape.name_loc, {}, 0, "takes the account from another table, by how large an amount is", 0.6);
  }
}

namespace {

// What a module says somewhere, looked for in one reading.
// clang-format off
constexpr auto kModuleWords = std::to_array<std::string_view>({
    ".write(", "write_text", "writeFile", "appendFile", "exec(", "\"-c\"", "'-c'", "\"-e\"", "'-e'", "spawn", "Popen",
    "eval(", "outputFile", "copyfileobj",
    "uthorization", "UTHORIZATION", "earer ", "api-key", "apikey", "api_key", "Api-Key", "apiKey", "ApiKey", "API_KEY",
    "API-Key", "APIKEY", "APIKey", "X-API", "x-auth", "X-Auth", "X-AUTH",
    "recv", "makefile(", "'message'", "\"message\"", "'data'", "\"data\"", "onmessage", "readline", "open_connection",
    ".Read(",
    ".claude", ".codex", ".gemini", ".cursor",
    "parseEther", "parseUnits", "sendTransaction", "web3", "viem", "ethers", "@solana", "bitcoinjs", "eth_account",
    "169.254.169.254", "metadata.google.internal", "169.254.170.2", "100.100.100.200"});
// clang-format on
constexpr std::size_t kSignsInFrom = 14;
constexpr std::size_t kHearsFrom = 31;
constexpr std::size_t kAgentsFrom = 41;
constexpr std::size_t kChainsFrom = 45;
constexpr std::size_t kRolesFrom = 54;
static_assert(kModuleWords[kSignsInFrom] == "uthorization" && kModuleWords[kHearsFrom] == "recv" &&
              kModuleWords[kAgentsFrom] == ".claude" && kModuleWords[kChainsFrom] == "parseEther" &&
              kModuleWords[kRolesFrom] == "169.254.169.254");

constexpr std::uint64_t BitsBetween(std::size_t from, std::size_t to) {
  return ((std::uint64_t{1} << to) - 1) & ~((std::uint64_t{1} << from) - 1);
}

}  // namespace

ModuleWords WordsOf(const Module& module) {
  constexpr std::size_t kMostRead = 400'000;
  static constexpr PartSet kWords(kModuleWords);
  const std::string_view text = module.text;
  const std::uint64_t said = kWords.AllIn(text.substr(0, kMostRead));
  return {.leaves = (said & BitsBetween(0, kSignsInFrom)) != 0,
          .grants = Contains(text, "authorized_keys") && HoldsPublicKey(text),
          .connects = Contains(text, "/dev/tcp/"),
          .signs_in = (said & BitsBetween(kSignsInFrom, kHearsFrom)) != 0,
          .hears = (said & BitsBetween(kHearsFrom, kAgentsFrom)) != 0,
          .agents = (said & BitsBetween(kAgentsFrom, kChainsFrom)) != 0,
          .chains = (said & BitsBetween(kChainsFrom, kRolesFrom)) != 0,
          .roles = (said & BitsBetween(kRolesFrom, kModuleWords.size())) != 0};
}

// script("#!/bin/sh", "curl ...", ". file"), ["#!/bin/sh", ...]: a script of a shell, kept as its lines.
void Engine::JudgeKeptLines() {
  constexpr std::size_t kMostScripts = 16;
  std::size_t read = 0;
  for (ExprId id = 0; id < code().exprs.size() && read < kMostScripts; ++id) {
    const Expr& expr = code().exprs[id];
    if ((expr.kind != ExprKind::kList && expr.kind != ExprKind::kCall) || expr.arg_count < 2 || expr.arg_count > 200)
      continue;
    const auto args = code().ArgsOf(expr);
    // "run `cat ...`" is told to somebody, and no line of a script.
    const bool lines = std::ranges::all_of(args, [&](const Arg& arg) {
      return arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kString &&
             code().exprs[arg.value].text.find('`') == std::string_view::npos;
    });
    const bool fetches = lines && std::ranges::any_of(args, [&](const Arg& arg) {
                           const std::string_view text = code().exprs[arg.value].text;
                           return text.find(' ') != std::string_view::npos &&
                                  AnyOf(text, {"curl ", "wget ", "/dev/tcp/", "base64 -", "git push"});
                         });
    if (!fetches || IsListOfForbidden(code().text, expr.loc.begin)) continue;
    ++read;
    std::string script;
    for (const Arg& arg : args) script += std::string(code().exprs[arg.value].text) + "\n";
    // A hook that brings what was written somewhere else each time.
    const bool pushes = script.starts_with("#!") && Contains(script, "git push") && Contains(script, "://");
    if (!FetchesAndRuns(script) && !pushes) continue;
    Call call;
    call.expr = id;
    const std::size_t known = hits_.size();
    JudgeLine(call, script);
    if (!Confirms(view().ScopeOf(id, kModuleBody), expr.loc.begin)) continue;
    for (std::size_t i = known; i < hits_.size(); ++i) {
      if (hits_[i].finding.rule == "SH-001") hits_[i].finding.scale *= kConfirmed;
    }
  }
}

// "*/15 * * * * command": what a crontab runs.
namespace {
std::string_view BehindSchedule(std::string_view line) {
  constexpr int kFields = 5;
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return line;
  std::string_view rest = line.substr(begin);
  if (rest.starts_with("@reboot ")) return rest.substr(8);
  for (int i = 0; i < kFields; ++i) {
    const std::size_t end = rest.find_first_not_of("0123456789*/,-");
    if (end == 0 || end == std::string_view::npos || (rest[end] != ' ' && rest[end] != '\t')) return line;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t", end), rest.size()));
  }
  return rest;
}
}  // namespace

// A line that hands a shell to another machine, kept by a program that can have it run: for a crontab, for a machine
// that it logs in to. Who keeps several of them has a list, to look for or to show. And a key that lets its owner in.
void Engine::JudgeKeptCommands() {
  constexpr std::size_t kList = 3;
  constexpr std::size_t kLongest = 4000;
  const bool keys = view().words().grants;
  if (!keys && !view().words().connects) return;
  const bool acts = AnyOf(code().text, {"subprocess", "os.system", "popen", "child_process", "execa", "crontab", "ssh",
                                        "write_text", "writeFile", "appendFile", ".write(", "cron.d"});
  if (!acts) return;
  std::vector<ExprId> lines;
  ExprId key = kNone;
  std::uint32_t last_end = 0;
  for (ExprId id = 0; id < code().exprs.size(); ++id) {
    const Expr& expr = code().exprs[id];
    if (expr.kind != ExprKind::kString && expr.kind != ExprKind::kFormat && expr.kind != ExprKind::kConcat) continue;
    const std::string_view written = TextAt(expr.loc);
    if (written.size() > kLongest) continue;
    if (keys && key == kNone && expr.kind == ExprKind::kString && HoldsPublicKey(expr.text)) key = id;
    if (expr.loc.begin < last_end || !Contains(written, "/dev/tcp/")) continue;
    lines.push_back(id);
    last_end = expr.loc.end;
  }
  // A length that no example has.
  constexpr std::size_t kKey = 60;
  if (key != kNone && code().exprs[key].text.size() >= kKey &&
      !IsListOfForbidden(code().text, code().exprs[key].loc.begin)) {
    Raise("GRANT-002", key, {}, 0, "keeps a public key, and puts it where it lets its owner in", 0.9);
  }
  if (lines.empty() || lines.size() >= kList) return;
  for (const ExprId id : lines) {
    if (IsListOfForbidden(code().text, code().exprs[id].loc.begin)) continue;
    const std::string text = Known(id);
    const std::string_view command = BehindSchedule(text);
    if (command.empty()) continue;
    Call call;
    call.expr = id;
    JudgeLine(call, std::string(command));
  }
}

// What of a program in a text does harm. `runs`: where the text is run, what its commands do as well.
std::optional<RawFinding> sink_words::HarmOfProgram(std::string_view text, bool python, bool runs) {
  static constexpr auto kHarm =
      std::to_array<std::string_view>({"RCE-001", "RCE-002", "RCE-003", "EXFIL-001", "EXFIL-002", "EXFIL-003",
                                       "EXFIL-006", "OBFUSC-001", "DESTROY-001", "MEM-001", "EXFIL-007"});
  static constexpr auto kCommands = std::to_array<std::string_view>({"SH-001", "SH-002", "SH-003", "SH-004"});
  std::string body(text);
  std::replace(body.begin(), body.end(), kHole, '_');
  const Module module = python ? LowerPython(body, 0) : LowerJavaScript(body, 0, false, false);
  PackageModules package;
  package.modules.push_back(&module);
  package.paths.emplace_back(python ? "kept.py" : "kept.js");
  CodeFacts facts = AnalyzeCode(package, {core::Reach::kRuntime});
  for (RawFinding& finding : facts.findings) {
    if (finding.scale < 0.6) continue;
    const auto* rule = std::ranges::find(kHarm, finding.rule);
    const auto* command = std::ranges::find(kCommands, finding.rule);
    if (rule == kHarm.end() && (!runs || command == kCommands.end())) continue;
    finding.rule = rule != kHarm.end() ? *rule : *command;
    finding.flow.clear();
    return std::move(finding);
  }
  return std::nullopt;
}

// A program that stands in a text, and is written or given to an interpreter by this file.
void Engine::JudgePrograms() {
  static thread_local int depth = 0;  // of programs in programs
  if (!last_ || depth >= 2) return;
  JudgeKeptLines();
  JudgeKeptCommands();
  if (!view().words().leaves) return;
  std::size_t read = 0;
  std::uint32_t last_end = 0;
  for (ExprId id = 0; id < code().exprs.size() && read < 8; ++id) {
    const Expr& expr = code().exprs[id];
    const bool lines = expr.kind == ExprKind::kList && expr.arg_count >= 2;
    if (expr.kind != ExprKind::kString && expr.kind != ExprKind::kConcat && expr.kind != ExprKind::kFormat &&
        expr.kind != ExprKind::kCall && !lines) {
      continue;
    }
    // "\n".join(LINES) is short, and what it makes is not.
    const bool joined =
        expr.kind == ExprKind::kCall && expr.base < code().exprs.size() && code().exprs[expr.base].text == "join";
    if ((expr.loc.end - expr.loc.begin < 60 && !joined) || expr.loc.end <= last_end) continue;
    const Value& value = view().Evaluate(id, view().ScopeOf(id, kModuleBody));
    std::string whole;
    // ("import x", "exec(...)"): what is joined where it is written.
    for (const Value& line : lines ? value.items : SharedList<Value>()) {
      if (line.kind != ValueKind::kText || whole.size() > kLongestProgram) break;
      whole += line.text + "\n";
    }
    const std::string_view text = lines                            ? std::string_view(whole)
                                  : value.kind == ValueKind::kText ? std::string_view(value.text)
                                                                   : std::string_view();
    if (text.size() < 60 || text.size() > kLongestProgram || !AnyOf(text, {"\n", ";"})) continue;
    const bool python = Contains(text, "import ") && AnyOf(text, {"exec(", "urlopen", "requests", "socket",
                                                                  "subprocess", "os.system", "httpx", "os.environ"});
    const bool script = !python && AnyOf(text, {"require(", "import("}) &&
                        AnyOf(text, {"eval(", "exec", "http", "net.", "Function(", "fetch("});
    if (!python && !script) continue;
    ++read;
    last_end = expr.loc.end;
    ++depth;
    const std::optional<RawFinding> harm = sink_words::HarmOfProgram(text, python, false);
    --depth;
    if (harm) Raise(harm->rule, id, {}, 0, "keeps a program in a text that " + harm->message, harm->scale, harm->host);
  }
}

}  // namespace interlock::scan::code
