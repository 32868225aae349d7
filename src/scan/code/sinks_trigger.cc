// When something is done: words, dates, identities that switch it on; and copies that nobody sees.
#include <algorithm>
#include <array>
#include <optional>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"
#include "code/value_parts.h"
#include "static/part_set.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// A number drawn at random.
bool IsDrawn(std::string_view callee) {
  return callee == "Math.random" || callee == "random.random" || callee == "random.randint" ||
         callee == "random.uniform" || callee == "random.randrange" || callee == "secrets.randbelow";
}

// A command of git that throws work away, by its words: ["git", "reset", "--hard"]. `said`: lower case.
bool ThrowsAway(std::string_view said) {
  if (!Contains(said, "git")) return false;
  return (Contains(said, "reset") && Contains(said, "--hard")) ||
         (Contains(said, "push") && AnyOf(said, {"--force\"", "--force'", "--force ", "\"-f\"", "'-f'", " -f "})) ||
         (Contains(said, "clean") && AnyOf(said, {"-fd", "-xfd", "-df", "-fxd", "-ffd"})) ||
         (Contains(said, "checkout") && AnyOf(said, {"-- .", "\"--\", \".\"", "'--', '.'"})) ||
         (Contains(said, "stash") && AnyOf(said, {"drop", "clear"}));
}

// def deliver(message, to): send_message(message, to_addrs=to): who is given is known where it is called.
void NoteReceivers(const ModuleView& view, FuncId function, ExprId list, FunctionFacts* about) {
  if (list >= view.module().exprs.size() || view.module().exprs[list].kind != ExprKind::kName) return;
  const std::uint32_t slot = view.SlotOf(list, function);
  if (slot == kNone || view.slots()[slot].scope != function || view.slots()[slot].param >= 31) return;
  about->mails |= 1U << view.slots()[slot].param;
}

}  // namespace

void Engine::JudgeCondition(const Stmt& stmt) {
  Condition condition;
  condition.depth = stmt.condition_depth;
  condition.loc = stmt.loc;
  // What the test asks, looked for in its first parts.
  constexpr std::size_t kMostParts = 48;
  std::array<ExprId, kMostParts> open{stmt.value};
  std::size_t count = 1;
  const auto look_into = [&](ExprId part) {
    if (count < kMostParts) open[count++] = part;
  };
  bool words = false;
  bool argument = false;
  bool number = false;
  bool time = false;
  bool elapsed = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[open[i]];
    if (expr.kind == ExprKind::kNumber) number = true;
    condition.dated = condition.dated || NamesDay(open[i]);
    if (expr.kind == ExprKind::kName || expr.kind == ExprKind::kMember || expr.kind == ExprKind::kCall) {
      std::optional<Value> callee;
      if (expr.kind == ExprKind::kCall) callee = view().Callee(open[i], function_);
      std::string_view name = callee ? callee->text : view().Evaluate(open[i], function_).text;
      if (name.starts_with("globalThis.")) name.remove_prefix(11);
      if (expr.kind == ExprKind::kCall && IsDrawn(name)) condition.chance = true;
      static constexpr std::uint32_t kTimes = (1U << 6U) - 1;
      static constexpr PartSet kAsked(std::to_array<std::string_view>(
          {"datetime.now", "datetime.utcnow", "date.today", "time.localtime", "Date().get", "Date.now",
           "process.env.CI", "process.env.GITHUB_ACTIONS", "gethostname", "getuser", "getlogin", "os.hostname",
           "os.userInfo", "platform.node", "uuid.getnode"}));
      constexpr std::size_t kShortest = 7;  // of those
      const std::uint32_t asked = name.size() < kShortest ? 0 : kAsked.AllIn(name);
      if ((asked & kTimes) != 0) time = true;
      if (expr.is_new && expr.arg_count == 0 && TextAt(expr.loc).starts_with("new Date")) time = true;
      if (name == "datetime.datetime" || name == "datetime.date" || name == "Date") number = true;
      // Whose machine it is, or whether a pipeline runs it.
      if ((asked & ~kTimes) != 0) condition.trigger = Trigger::kIdentity;
    }
    if (expr.kind == ExprKind::kBinary && expr.text == "-" && expr.arg_count == 2) {
      // now - start: how long this very run has taken.
      const ExprId since = view().Origin(code().ArgsOf(expr)[1].value, function_);
      elapsed = elapsed || (since < code().exprs.size() && code().exprs[since].kind == ExprKind::kCall &&
                            AnyOf(view().Callee(since, function_).text, {"Date.now", "time.time", "datetime.now"}));
      // ... and how old a lock or an entry of a cache is that lies in a file.
      elapsed = elapsed || AnyOf(TextAt(code().exprs[code().ArgsOf(expr)[1].value].loc).substr(0, 80),
                                 {".mtime", ".st_mtime", "getmtime(", ".birthtime", ".ctime"});
    }
    if (expr.kind == ExprKind::kBinary && (expr.text == "in" || expr.text == "not in") && expr.arg_count == 2) {
      const auto args = code().ArgsOf(expr);
      const Value& left = view().Evaluate(args[0].value, function_);
      if (left.kind == ValueKind::kText && left.text.size() >= 5) words = true;
      if (Eval(args[1].value).Has(kToolArgument | kState | kInput)) argument = true;
    }
    if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size() &&
        code().exprs[expr.base].kind == ExprKind::kMember &&
        AnyOf(code().exprs[expr.base].text, {"includes", "indexOf", "startswith", "startsWith", "search", "find"}) &&
        expr.arg_count >= 1) {
      const auto args = code().ArgsOf(expr);
      const Value& left = view().Evaluate(args[0].value, function_);
      if (left.kind == ValueKind::kText && left.text.size() >= 5 && !Contains(left.text, "http") &&
          !Contains(left.text, "/")) {
        words = true;
      }
      if (Eval(code().exprs[expr.base].base).Has(kToolArgument | kState | kInput)) argument = true;
    }
    if (expr.base != kNone) look_into(expr.base);
    for (const Arg& arg : code().ArgsOf(expr)) look_into(arg.value);
  }
  condition.amount = ComparesAmount(stmt.value);
  if (stmt.value < code().exprs.size()) condition.test = code().exprs[stmt.value].loc;
  if (condition.trigger == Trigger::kAlways) {
    if (words && argument) condition.trigger = Trigger::kText;
    if (time && (condition.dated || (number && !elapsed))) condition.trigger = Trigger::kTime;
  }
  JudgeHiddenDoor(stmt);
  JudgeHashedWord(stmt, std::span(open).first(count));
  conditions_.push_back(condition);
}

// sha1(word).hexdigest().startswith("3b1f6a"), crc32(name) == 0x5f3e91a2: a word that opens something, known by a part
// of its digest so that nobody reads it. Whole digests are compared to see whether a file has arrived.
void Engine::JudgeHashedWord(const Stmt& stmt, std::span<const ExprId> parts) {
  if (!last_ || stmt.value >= code().exprs.size()) return;
  const Loc asked = code().exprs[stmt.value].loc;
  if (!AnyOf(TextAt(asked), {"igest", "crc", "adler", "fnv", "hash", "Hash", "djb"})) return;
  const auto expr_of = [&](ExprId id) -> const Expr* {
    const ExprId origin = view().Origin(id, function_);
    return origin < code().exprs.size() ? &code().exprs[origin] : nullptr;
  };
  const auto last_of = [&](const Expr& call) {
    return call.kind == ExprKind::kCall && call.base < code().exprs.size() ? code().exprs[call.base].text
                                                                           : std::string_view();
  };
  const auto digests = [&](ExprId id) {
    const Expr* const made = expr_of(id);
    return made != nullptr && SaysOneOf(last_of(*made), {"hexdigest", "digest"});
  };
  const auto part_of_digest = [&](ExprId id) {
    const Expr* const made = expr_of(id);
    if (made == nullptr) return false;
    if (made->kind == ExprKind::kSlice) return digests(made->base);
    return SaysOneOf(last_of(*made), {"slice", "substring", "substr"}) && digests(code().exprs[made->base].base);
  };
  // Some letters of one; zeros are what is looked for in a proof of work.
  const auto some_letters = [&](ExprId id) {
    const Value& known = view().Evaluate(id, function_);
    constexpr std::size_t kShortest = 4;
    constexpr std::size_t kLongest = 24;
    return known.kind == ValueKind::kText && known.text.size() >= kShortest && known.text.size() <= kLongest &&
           known.text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
           known.text.find_first_not_of('0') != std::string::npos;
  };
  const auto sums_word = [&](ExprId id) {
    const Expr* made = expr_of(id);
    // crc32(word) & 0xfffff, fnv(word) % 4096
    if (made != nullptr && made->kind == ExprKind::kBinary && made->arg_count == 2 &&
        SaysOneOf(made->text, {"&", "%", ">>", ">>>"})) {
      id = code().ArgsOf(*made)[0].value;
      made = expr_of(id);
    }
    if (made == nullptr) return false;
    const std::string name = LowerCase(last_of(*made));
    return AnyOf(name, {"crc", "adler", "fnv", "djb", "murmur", "hash"}) &&
           Eval(id).Has(kToolArgument | kRequest | kInput);
  };
  const auto large = [&](ExprId id) {
    const Expr* const number = expr_of(id);
    constexpr std::size_t kDigits = 6;
    return number != nullptr && number->kind == ExprKind::kNumber && number->text.size() >= kDigits;
  };
  for (const ExprId id : parts) {
    if (id >= code().exprs.size()) continue;
    const Expr& test = code().exprs[id];
    const auto args = code().ArgsOf(test);
    bool hidden = false;
    if (test.kind == ExprKind::kCall && args.size() == 1 && SaysOneOf(last_of(test), {"startswith", "startsWith"})) {
      hidden = digests(code().exprs[test.base].base) && some_letters(args[0].value);
    } else if (test.kind == ExprKind::kBinary && args.size() == 2 && SaysOneOf(test.text, {"==", "==="})) {
      for (std::size_t side = 0; side < 2; ++side) {
        const ExprId one = args[side].value;
        const ExprId other = args[1 - side].value;
        hidden = hidden || (part_of_digest(one) && some_letters(other)) || (sums_word(one) && large(other));
      }
    }
    if (!hidden) continue;
    Raise("TRIGGER-001", asked, {}, 0, "looks for a word of which it only knows a digest");
    return;
  }
}

// known = crc32(word) == 0x5f3e91a2: what a condition asks later.
void Engine::JudgeHashedAnswer(const Stmt& stmt) {
  if (!last_ || stmt.value >= code().exprs.size()) return;
  constexpr std::size_t kMostParts = 16;
  std::array<ExprId, kMostParts> open{stmt.value};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& part = code().exprs[open[i]];
    if (part.kind != ExprKind::kBinary && part.kind != ExprKind::kUnknown && part.kind != ExprKind::kChoice) continue;
    for (const Arg& arg : code().ArgsOf(part)) {
      if (count < kMostParts) open[count++] = arg.value;
    }
  }
  if (count > 1) JudgeHashedWord(stmt, std::span(open).first(count));
}

// A day that stands in the code: datetime.date(2027, 3, 1), new Date("2027-03-01"), seconds since 1970.
bool Engine::NamesDay(ExprId at) const {
  ExprId from = at;
  if (code().exprs[at].kind == ExprKind::kName) from = view().Origin(at, function_);
  if (from >= code().exprs.size()) return false;
  const Expr& expr = code().exprs[from];
  const auto day = [](std::string_view text) {
    return text.size() >= 8 && text.starts_with("20") && text[2] >= '2' && text[2] <= '4' && text[3] >= '0' &&
           text[3] <= '9' && (text[4] == '-' || text[4] == '/' || (text.size() == 8 && text[4] <= '1'));
  };
  if (expr.kind == ExprKind::kString) return day(expr.text);
  if (expr.kind == ExprKind::kNumber && expr.text.size() == 6 && expr.text[0] == '7' &&
      Contains(TextAt({expr.loc.begin > 80 ? expr.loc.begin - 80 : 0, expr.loc.begin}), "toordinal()")) {
    return true;
  }
  if (expr.kind == ExprKind::kNumber) return expr.text.size() >= 10 && expr.text.size() <= 17 && expr.text[0] == '1';
  if (expr.kind != ExprKind::kCall || expr.arg_count == 0) return false;
  if (expr.arg_count == 1) {
    const ExprId text = code().ArgsOf(expr)[0].value;
    return text < code().exprs.size() && code().exprs[text].kind == ExprKind::kString && day(code().exprs[text].text);
  }
  const ExprId year = code().ArgsOf(expr)[0].value;
  const bool makes = AnyOf(TextAt(expr.loc).substr(0, 40), {"date(", "datetime(", "Date(", "UTC("});
  return expr.arg_count >= 3 && makes && year < code().exprs.size() && code().exprs[year].kind == ExprKind::kNumber &&
         code().exprs[year].text.size() == 4;
}

bool Engine::ClearsTree(const Call& call) {
  const std::string name = LowerCase(call.callee.text);
  const std::string text = LowerCase(TextAt(code().exprs[call.expr].loc).substr(0, 300));
  if (AnyOf(text, {"cache", "tmp", "temp", "log", "backup", "stale", "expired", "old"})) return false;
  const Role role = call.entry->role;
  if (role == Role::kFileDelete) {
    return AnyOf(name, {"rmtree", "rimraf", "emptydir", "remove"}) || Contains(text, "recursive");
  }
  return (role == Role::kShell || role == Role::kSpawn) &&
         AnyOf(text, {"rm -rf", "rm -fr", "'-rf'", "\"-rf\"", "rd /s", "remove-item"});
}

// if today >= date(2027, 1, 1): git("reset", "--hard"); if random() < .1: ...; rows.filter(() => Math.random() > .03)
// from a day on: work is lost, and nobody knows why.
void Engine::JudgeThrownAway(const Call& call) {
  constexpr std::size_t kMostOfCall = 300;
  if (!last_ || (conditions_.empty() && guards_.empty())) return;
  const auto holds = [&](const auto& about) {
    return std::ranges::any_of(guards_, about) || std::ranges::any_of(conditions_, [&](const Condition& condition) {
             return condition.depth < statement_.condition_depth && about(condition);
           });
  };
  const bool dated = holds([](const Condition& condition) { return condition.dated; });
  const bool timed = dated || holds([](const Condition& condition) { return condition.trigger == Trigger::kTime; });
  const bool chance = holds([](const Condition& condition) { return condition.chance; });
  if (!timed && !chance) return;
  const std::string_view text = TextAt(code().exprs[call.expr].loc).substr(0, kMostOfCall);
  if (timed && call.last == "filter" && Contains(text, "Math.random()")) {
    Raise("TRIGGER-001", call.expr, {}, 0, "loses parts of its data by chance, from a day on");
    return;
  }
  if ((!dated && !chance) || call.args.empty()) return;
  const bool clears = call.entry != nullptr && ClearsTree(call);
  if (!clears && !ThrowsAway(LowerCase(text))) return;
  Raise("TRIGGER-001", call.expr, {}, 0,
        std::string(clears ? "deletes whole folders" : "throws work away") +
            (dated ? " from a day on that stands in the code" : " by chance"));
  Worsen("TRIGGER-001", core::Severity::kCritical);
}

void Engine::JudgeTrigger(Call& call, const Taint& data, bool fixed, std::string_view host) {
  if (!last_ || (conditions_.empty() && guards_.empty())) return;
  const bool ignored = statement_.kind == StmtKind::kExpr;
  const Role role = call.entry->role;
  const bool runs = role == Role::kShell || role == Role::kSpawn || role == Role::kEval || role == Role::kFileDelete;
  std::vector<Condition> open = conditions_;
  for (Condition guard : guards_) {
    guard.guards = true;
    open.push_back(guard);
  }
  for (const Condition& condition : open) {
    if ((!condition.guards && condition.depth >= statement_.condition_depth) || condition.trigger == Trigger::kAlways)
      continue;
    double scale = 0.0;
    if (condition.trigger == Trigger::kText) {
      // One word in what the agent says switches on that the same text goes elsewhere.
      if (ignored && fixed && data.Has(kToolArgument | kState | kInput)) scale = 0.8;
    } else if (ignored || runs) {
      // What a path is called that is deleted runs nowhere.
      const bool starts = runs && role != Role::kFileDelete;
      if ((role != Role::kFileDelete && data.Has(kSecretLabels | kWeakSecretFile)) ||
          (starts && data.Has(kNetFixed | kDecoded))) {
        scale = 1.0;
      } else if (condition.trigger == Trigger::kTime && fixed && data.Has(kToolArgument | kFileContent)) {
        scale = 0.5;
      } else if (condition.trigger == Trigger::kIdentity && (role == Role::kShell || role == Role::kEval)) {
        scale = 0.5;
      }
    }
    bool fetches = false;
    if (condition.trigger != Trigger::kText && role == Role::kShell) {
      const ExprId command = Argument(call, call.entry->target, nullptr);
      const std::string text = command == kNone ? std::string() : Known(command);
      fetches = FetchesAndRuns(text);
      if (fetches) scale = 1.0;
    } else if (condition.trigger == Trigger::kIdentity &&
               TextAt(condition.loc).find("env.CI") != std::string_view::npos) {
      continue;  // many programs are quiet there
    }
    if (scale == 0.0) continue;
    const std::string what = condition.trigger == Trigger::kText   ? "a word in its input"
                             : condition.trigger == Trigger::kTime ? "a date or time"
                                                                   : "which machine or user it is";
    Raise("TRIGGER-001", call.expr, data, data.labels & (kToolArgument | kSecretLabels | kState | kNetFixed),
          "does this only on " + what, scale, std::string(host));
    if (fetches) Worsen("TRIGGER-001", core::Severity::kCritical);
    return;
  }
}

// send_message(m, to_addrs=[to, "x@y"]), sendmail(from, [to, "x@y"], text)
void Engine::JudgeReceivers(const Call& call) {
  const bool message = call.callee.text.ends_with("send_message");
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const bool place = call.args[i].name == "to_addrs" || call.args[i].name == "recipients" ||
                       (call.args[i].name.empty() && i == (message ? 2U : 1U));
    if (place) JudgeReceiverList(module_, function_, call.args[i].value, call.expr);
  }
}

// Whoever is given, and somebody whose address stands here: [to, "x@y"], new Set([to]) with .add(`dsn+${d}@y`).
void Engine::JudgeReceiverList(std::uint32_t module, FuncId scope, ExprId receivers, ExprId at) {
  constexpr std::size_t kMostParts = 48;
  constexpr std::size_t kLongest = 100;
  if (module == module_ && scope == function_) NoteReceivers(view(), function_, receivers, &here());
  if (!last_) return;
  bool given = false;
  std::string fixed;
  ValueParts parts(world_, module, scope, receivers, kMostParts);
  for (bool first = true; parts.Next(); first = false) {
    if (first) parts.AddPutInto(receivers);  // all = list(to); all.append("x@y")
    const Expr& item = parts.expr();
    // to + ["x@y"]: two lists, no text that is put together.
    const bool lists =
        item.kind == ExprKind::kConcat && std::ranges::any_of(parts.module().ArgsOf(item), [&](const Arg& part) {
          const ExprId made = parts.view().Origin(part.value, parts.scope());
          return made < parts.module().exprs.size() && parts.module().exprs[made].kind == ExprKind::kList;
        });
    const Value& value = parts.view().Evaluate(parts.id(), parts.scope());
    std::string text = value.kind == ValueKind::kText ? value.text : std::string();
    if (text.empty() && (item.kind == ExprKind::kFormat || (item.kind == ExprKind::kConcat && !lists)))
      text = parts.view().Text(parts.id(), parts.scope());
    if (text.empty() && item.kind == ExprKind::kMember) text = FieldText(parts.module_id(), parts.scope(), parts.id());
    // What is put in before the sign may be the user's; the domain says whose box it is.
    const std::size_t sign = text.find('@');
    if (sign != std::string::npos && text.size() < kLongest && text.find(kHole, sign) == std::string::npos) {
      if (text.front() != kHole) fixed = text;
      continue;
    }
    given = given || item.kind == ExprKind::kName || item.kind == ExprKind::kMember;
    if (item.kind == ExprKind::kCall && parts.AddReturns(parts.view().Callee(parts.id(), parts.scope()))) continue;
    if (item.kind == ExprKind::kMember) continue;
    for (const Arg& part : parts.module().ArgsOf(item)) parts.AddPutInto(part.value);
    parts.AddOwn();
  }
  if (given && !fixed.empty()) {
    std::ranges::replace(fixed, kHole, '*');
    Raise("EXFIL-005", at, {}, 0, "every message is copied to a fixed address, " + Shown(fixed, 60));
  }
}

// [...(list(bcc) ?? []), ARCHIVE]: the one of several that stands in the code.
std::string Engine::FixedAmong(ExprId list) {
  ExprId origin = view().Origin(list, function_);
  // [mail.bcc, "x@y"].flat().filter(Boolean)
  for (int peeled = 0; peeled < 4 && origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kCall;
       ++peeled) {
    const ExprId how = code().exprs[origin].base;
    if (how >= code().exprs.size() || !SaysOneOf(code().exprs[how].text, {"flat", "filter", "concat", "join"}))
      return {};
    origin = view().Origin(code().exprs[how].base, function_);
  }
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kList) return {};
  for (const Arg& item : code().ArgsOf(code().exprs[origin])) {
    const Value& known = view().Evaluate(item.value, function_);
    const std::size_t sign = known.kind == ValueKind::kText ? known.text.find('@') : std::string::npos;
    if (sign == std::string::npos || sign == 0 || known.text.find('.', sign) == std::string::npos) continue;
    if (!AnyOf(known.text.substr(sign), {"@example.com", "@example.org", "@example.net"})) return known.text;
  }
  return {};
}

void Engine::JudgeMailCopy(ExprId dict) {
  for (const Arg& arg : code().ArgsOf(code().exprs[dict])) {
    if (arg.name == "envelope") JudgeEnvelope(arg.value);
    const std::string name = arg.name.size() == 3 ? LowerCase(arg.name) : std::string();
    if (name != "bcc") continue;
    const Value& value = view().Evaluate(arg.value, function_);
    const bool one = value.kind == ValueKind::kList && value.items.size() == 1;
    const std::string text = one && value.items[0].kind == ValueKind::kText ? value.items[0].text
                             : one                                          ? std::string()
                                                                            : view().Text(arg.value, function_);
    const bool whole = Contains(text, "@") && !Contains(text, std::string_view(&kHole, 1));
    const std::string fixed = whole ? text : FixedAmong(arg.value);
    if (!Contains(fixed, "@") || fixed.size() > 200) continue;
    Raise("EXFIL-005", arg.value, {}, 0, "every message is copied to a fixed address, " + Shown(fixed, 60));
  }
}

// envelope: {from, to: [...to, "x@y"]}: who gets a message, whatever its head says. Made here, or by a function of the
// package.
void Engine::JudgeEnvelope(ExprId envelope) {
  constexpr std::size_t kMostParts = 8;
  ValueParts parts(world_, module_, function_, envelope, kMostParts);
  while (parts.Next()) {
    if (parts.expr().kind == ExprKind::kCall) {
      parts.AddReturns(parts.view().Callee(parts.id(), parts.scope()));
      continue;
    }
    if (parts.expr().kind != ExprKind::kDict) continue;
    for (const Arg& field : parts.module().ArgsOf(parts.expr())) {
      if (field.name == "to") JudgeReceiverList(parts.module_id(), parts.scope(), field.value, envelope);
    }
  }
}

}  // namespace interlock::scan::code
