// A copy of what a tool is given, sent beside the tool's work: what tells it from a tool whose work the sending is.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr int kDeepest = 12;

// The same again, as a text or as bytes.
bool IsEnvelope(std::string_view called) {
  return IsOneOf(called, {"dumps", "stringify", "encode", "str", "String", "bytes", "b64encode", "quote", "format",
                          "encodeURIComponent", "urlencode", "toString", "dict", "list", "from", "model_dump", "assign",
                          "entries", "join"});
}

// The names in a function that hold what it was given, and what it has made of that.
class Work {
 public:
  Work(const ModuleView& view, FuncId function) : view_(view), module_(view.module()), function_(function) {
    for (const Param& param : module_.functions[function].params) {
      if (!IsOneOf(param.name, {"self", "cls", "this", "ctx", "context"})) given_.insert(param.name);
    }
  }

  // Whether the statement does something with what was given: on this machine, or for the caller.
  bool Does(const Stmt& statement) {
    if (statement.value >= module_.exprs.size() || !Mentions(statement.value, 0)) return false;
    if (statement.kind == StmtKind::kAssign) Hold(statement.target, Computes(statement.value), 0);
    if (statement.kind == StmtKind::kReturn && Answers(statement.value, 0)) return true;
    return WorksHere(statement.value, 0);
  }

 private:
  const Expr& At(ExprId id) const { return module_.exprs[id]; }

  template <class Test>
  bool AnyPart(ExprId id, Test test) const {
    const Expr& expr = At(id);
    if (expr.base < module_.exprs.size() && test(expr.base)) return true;
    return std::ranges::any_of(module_.ArgsOf(expr),
                               [&](const Arg& arg) { return arg.value < module_.exprs.size() && test(arg.value); });
  }

  bool Mentions(ExprId id, int depth) const {
    if (depth > kDeepest) return false;
    const Expr& expr = At(id);
    if (expr.kind == ExprKind::kName && (given_.contains(expr.text) || made_.contains(expr.text))) return true;
    return AnyPart(id, [&](ExprId part) { return Mentions(part, depth + 1); });
  }

  // More than putting it in an envelope.
  bool Computes(ExprId id) const {
    const Expr& expr = At(id);
    switch (expr.kind) {
      case ExprKind::kBinary:
      case ExprKind::kConcat:
      case ExprKind::kIndex:
      case ExprKind::kSlice:
      case ExprKind::kComprehension:
        return true;
      case ExprKind::kAwait:
        return expr.arg_count > 0 && Computes(module_.ArgsOf(expr)[0].value);
      case ExprKind::kCall:
        return expr.base < module_.exprs.size() &&
               (!IsEnvelope(At(expr.base).text) || std::ranges::any_of(
                                                       module_.ArgsOf(expr),
                                                       [&](const Arg& arg) {
                                                         return arg.value < module_.exprs.size() &&
                                                                At(arg.value).kind != ExprKind::kDict &&
                                                                Computes(arg.value);
                                                       }));
      default:
        return false;
    }
  }

  void Hold(ExprId target, bool made, int depth) {
    if (target >= module_.exprs.size() || depth > kDeepest) return;
    const Expr& expr = At(target);
    if (expr.kind == ExprKind::kName) (made ? made_ : given_).insert(expr.text);
    if (expr.kind != ExprKind::kList && expr.kind != ExprKind::kDict) return;
    for (const Arg& arg : module_.ArgsOf(expr)) Hold(arg.value, made, depth + 1);
  }

  // What the caller gets was made of what was given: not said again, and not in a sentence about what was done.
  bool Answers(ExprId id, int depth) const {
    if (depth > kDeepest) return false;
    const Expr& expr = At(id);
    switch (expr.kind) {
      case ExprKind::kName:
        return made_.contains(expr.text);
      case ExprKind::kBinary:
        return Mentions(id, depth + 1);
      case ExprKind::kString:
      case ExprKind::kFormat:
      case ExprKind::kConcat:
        return false;
      default:
        return AnyPart(id, [&](ExprId part) { return Answers(part, depth + 1); });
    }
  }

  // A file, a data base or a program of this machine is given it.
  bool WorksHere(ExprId id, int depth) const {
    if (depth > kDeepest) return false;
    const Expr& expr = At(id);
    if (expr.kind == ExprKind::kCall && Mentions(id, depth + 1)) {
      if (IsWorkHere(id) || OnOpened(expr)) return true;
    }
    return AnyPart(id, [&](ExprId part) { return WorksHere(part, depth + 1); });
  }

  // open("notes.md", "a").write(text)
  bool OnOpened(const Expr& call) const {
    if (call.base >= module_.exprs.size() || At(call.base).kind != ExprKind::kMember) return false;
    ExprId on = At(call.base).base;
    FuncId scope = function_;
    if (on < module_.exprs.size() && At(on).kind == ExprKind::kName) on = view_.Origin(on, function_, &scope);
    return on < module_.exprs.size() && At(on).kind == ExprKind::kCall && IsWorkHere(on);
  }

  bool IsWorkHere(ExprId call) const {
    const CatalogueEntry* const entry = Catalogue::For(module_.language).Find(view_.Callee(call, function_).text);
    if (entry == nullptr) return false;
    switch (entry->role) {
      case Role::kFileOpen:
      case Role::kFileRead:
      case Role::kFileWrite:
      case Role::kFileList:
      case Role::kFileDelete:
      case Role::kSql:
      case Role::kShell:
      case Role::kSpawn:
        return true;
      default:
        return false;
    }
  }

  const ModuleView& view_;
  const Module& module_;
  const FuncId function_;
  std::unordered_set<std::string_view> given_;
  std::unordered_set<std::string_view> made_;
};

// A tool that says so much sends what it is given because it was asked to.
bool SpeaksOfSending(std::string_view lower) {
  return AnyOf(lower,
               {"upload",  "send",     "post",    "push",     "publish", "sync",   "notif",   "share",     "submit",
                "report",  "export",   "hook",    "deliver",  "emit",    "relay",  "forward", "telemetr",  "analytic",
                "track",   "remote",   "cloud",   "mail",     "messag",  "http",   " api",    "web ",      "website",
                "online",  "fetch",    "request", "backend",  "service", "server", "subscri", "broadcast", "ingest",
                "alert",   "tweet",    "chat",    "ticket",   "issue",   "order",  "invite",  "remind",    "audit",
                "monitor", "feedback", "webpage", "internet", "url",     "link"});
}

// A tool's own words speak of sending, or of the host.
bool SpeaksOfHost(const EntryPoint& entry, std::string_view host) {
  const std::string_view label = host.substr(0, host.rfind('.'));
  const std::string_view name = label.substr(label.rfind('.') + 1);
  const std::string said = LowerCase(entry.name + " " + entry.description.substr(0, 600));
  return SpeaksOfSending(said) || (name.size() > 3 && Contains(said, name));
}

// Whether one of a function's statements does something with what it is given; `counts`: which are asked.
template <class Counts>
bool HasWork(const ModuleView& view, FuncId function, Counts counts) {
  constexpr std::size_t kMostStatements = 400;
  const std::vector<Stmt>& body = view.module().functions[function].body;
  if (body.size() > kMostStatements) return false;
  Work work(view, function);
  return std::ranges::any_of(body, [&](const Stmt& statement) { return counts(statement) && work.Does(statement); });
}

}  // namespace

bool Engine::SendsBesideWork(std::string_view host) {
  if (statement_.kind != StmtKind::kExpr || !IsEntry()) return false;
  if (OpensPage(TextAt(statement_.loc))) return false;
  for (const EntryPoint& entry : entry_points_) {
    if (entry.module == module_ && entry.function == function_ && SpeaksOfHost(entry, host)) return false;
  }
  const std::uint32_t sending = statement_.loc.begin;
  return HasWork(view(), function_, [&](const Stmt& statement) { return statement.loc.begin != sending; });
}

// items.append(text), and elsewhere, on a timer, in a thread, at the end: post(host, items). What a tool was given is
// kept, and leaves without its answer being asked for, though the tool has other work and says nothing of sending.
void Engine::JudgeKeptAside(ExprId at_call, const Taint& data, const std::string& host) {
  if (!last_ || host.empty() || statement_.kind == StmtKind::kReturn || statement_.kind == StmtKind::kAssign) return;
  // What a node of a graph of agents is given is the conversation.
  const Labels given_label = data.Has(kToolArgument) ? kToolArgument : kState;
  if (!data.Has(given_label) || data.params != 0 || IsEntry() || IsStatistics(host) || IsKnownService(host)) return;
  const HostKind kind = KindOfHost(host);
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return;
  // A socket's answer is read by another call.
  if (std::ranges::any_of(code().imports, [](const Import& import) {
        return import.module == "socket" || import.module == "net" || import.module == "tls" ||
               import.module == "dgram";
      }))
    return;
  std::uint32_t at = data.trail[static_cast<std::size_t>(TrailOf(given_label))];
  while (at != 0 && trail_[at - 1].before != 0) at = trail_[at - 1].before;
  if (at == 0) return;
  const std::string_view given = trail_[at - 1].text;
  for (const EntryPoint& entry : entry_points_) {
    const std::string whose = (given_label == kState ? " to `" : " of `") + entry.name + "`";
    if (entry.module >= states_.size() || !given.ends_with(whose)) continue;
    const ModuleView& there = *states_[entry.module].view;
    if (entry.function >= there.module().functions.size() || SpeaksOfHost(entry, host)) continue;
    // A function within the tool waits for the answer, or the tool does.
    bool within = false;
    for (FuncId f = function_; entry.module == module_ && f < code().functions.size() && f != kModuleBody;
         f = code().functions[f].parent)
      within = within || f == entry.function;
    if (within) continue;
    if (!HasWork(there, entry.function, [](const Stmt&) { return true; })) continue;
    Raise(
        "EXFIL-007", at_call, data, given_label,
        "keeps what the " + std::string(given_label == kState ? "node" : "tool") + " is given and sends it to " + host,
        WatchingIsPurpose() ? 0.3 : 0.7, host);
    return;
  }
}

}  // namespace interlock::scan::code
