// Functions as values: what a call of a package's function gives to its parameters, and functions that are handed to
// others and called there: `poll(token, self.answer)`, `CODECS[kind](data)`.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words

Taint Engine::CallFunction(const Value& callee, std::span<const Arg> args, std::span<const Taint> taints,
                           const Taint& receiver, ExprId at) {
  const std::uint32_t module = callee.module;
  const FuncId function = callee.index;
  if (module >= facts_.size() || function >= facts_[module].size()) return {};
  here().calls.push_back(Key(module, function));
  const Module& other = states_[module].view->module();
  const Function& shape = other.functions[function];
  FunctionFacts& about = facts(module, function);
  const bool method = shape.owner != kNone && !shape.is_static && other.language == Language::kPython;
  const std::size_t count = shape.params.size();
  std::vector<Taint> given(count);
  std::vector<std::size_t> places(args.size(), count);  // parameters that arguments are
  std::size_t next = method ? 1 : 0;
  if (method && count > 0) given[0] = receiver;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::size_t to = count;
    if (!args[i].name.empty() && other.language == Language::kPython) {
      for (std::size_t p = 0; p < count; ++p) {
        if (shape.params[p].name == args[i].name) to = p;
      }
      if (to == count && count > 0 && shape.params[count - 1].variadic) to = count - 1;
    } else {
      to = next < count ? next : count;
      if (to == count && count > 0 && shape.params[count - 1].variadic) to = count - 1;
      if (to < count && !shape.params[to].variadic) ++next;
    }
    places[i] = to;
    if (to < count) {
      given[to].Join(taints[i]);
      given[to].Join(NamedPlace(args[i].value));
      if (taints[i].Has(kFieldLabels))
        NoteGivenFields(module, function, to, shape.params[to].variadic ? kNone : args[i].value, taints[i]);
      NoteLent(module, function, to, args[i].value);
      GiveObject(module, function, to, args[i].value);
    }
    if (to < count && !shape.params[to].variadic) GiveText(module, function, to, args[i].value);
  }
  for (std::size_t p = 0; p < count; ++p) {
    if (given[p].labels == 0) continue;
    Taint& in = about.in[p];
    if ((in.labels | given[p].labels) == in.labels && (in.vendors | given[p].vendors) == in.vendors) continue;
    changed_ = true;
    Taint entering = given[p];
    entering.params = 0;
    for (std::size_t t = 0; t < kTrails; ++t) {
      if (entering.trail[t] == 0 || in.trail[t] != 0 || trail_.size() >= kMaxTrail) continue;
      trail_.push_back({entering.trail[t], module_, code().exprs[at].loc.begin,
                        "passed to `" + std::string(shape.name.empty() ? "function" : shape.name) + "`"});
      entering.trail[t] = static_cast<std::uint32_t>(trail_.size());
    }
    in.Join(entering);
  }
  ReadFunction(module, function);
  if (const auto thrown = thrown_by_.find(Key(module, function)); thrown != thrown_by_.end())
    thrown_.Join(thrown->second);
  HandOver(about, args, places, given, at);
  JudgeSpawned(about.spawns, args, places, taints, at);
  for (std::size_t i = 0; about.mails != 0 && i < args.size(); ++i) {
    if (places[i] < 31 && (about.mails >> places[i] & 1U) != 0)
      JudgeReceiverList(module_, function_, args[i].value, at);
  }
  const Taint asked = AnswerAsked(about, args, places, taints, at);
  const std::uint32_t fetched = about.fetches_to | (asked.Has(kNetStranger) ? about.keeps_at : 0);
  for (std::size_t i = 0; fetched != 0 && i < args.size(); ++i) {
    if (places[i] < 31 && (fetched >> places[i] & 1U) != 0)
      MarkPath(args[i].value, Source(kNetStranger, at, "fetches a file"));
  }
  bool hidden = false;
  for (std::size_t i = 0; about.computes != 0 && i < args.size() && i < 31; ++i) {
    const std::size_t to = i + (method ? 1 : 0);
    if (to >= 31 || (about.computes >> to & 1U) == 0 || taints[i].params != 0 || (taints[i].labels & ~kDecoded) != 0)
      continue;
    FuncId where = function_;
    const ExprId origin = view().Origin(args[i].value, function_, &where);
    if (origin >= code().exprs.size()) continue;
    const Expr& constant = code().exprs[origin];
    hidden = hidden || (constant.kind == ExprKind::kString && constant.text.size() >= 12) ||
             (constant.kind == ExprKind::kList && constant.arg_count >= 8);
  }
  if (last_ && !about.runner.empty()) {
    RunnerLine(about.runner, args, shape, method, at);
  }
  for (std::size_t i = 0; i < about.sends.size(); ++i) {
    const SentParam sent = about.sends[i];
    if (sent.param >= count) continue;
    if (JudgeMirrored(at, given[sent.param], sent.host)) continue;
    JudgeSentOn(sent, given[sent.param], at);
  }
  Taint result;
  // Of a function that asks at addresses which stand in the program; which of them it is, is known here.
  if ((about.out.fresh & kNetFixed) != 0) result = asked;
  result.labels = result.fresh = result.fresh | about.out.fresh;
  result.vendors = about.out.vendors;
  // What comes through a parameter has this caller's history, not that of whoever called before.
  for (std::size_t t = 0; t < kTrails; ++t) {
    const bool own = (about.out.fresh & LabelsOf(static_cast<Trail>(t))) != 0;
    if (own && result.trail[t] == 0) result.trail[t] = about.out.trail[t];
  }
  for (std::size_t p = 0; p < count; ++p) {
    Taint part = about.out.Through(p, given[p]);
    GoThrough(shape.name, at, &part);
    result.Join(part);
  }
  if (hidden) result.Join(Source(kDecoded, at, "computes a text from a constant"));
  return result;
}

// fetch("https://..."), of a function of the package: whose answer it gets where this caller says the address.
Taint Engine::AnswerAsked(const FunctionFacts& about, std::span<const Arg> args, std::span<const std::size_t> places,
                          std::span<const Taint> taints, ExprId at) {
  for (std::size_t i = 0; about.asks != 0 && i < args.size(); ++i) {
    if (places[i] >= 31 || (about.asks >> places[i] & 1U) == 0) continue;
    const std::string address = Known(args[i].value);
    if (const std::string host = sink_words::KnownHost(address); !host.empty()) return AnswerOf(host, address, at);
    if ((here().asks | taints[i].params) == here().asks) continue;
    here().asks |= taints[i].params;  // this caller is asked itself
    changed_ = true;
  }
  return {};
}

// The history of what a function has given back out of what it was given.
void Engine::GoThrough(std::string_view function, ExprId at, Taint* part) {
  for (std::uint32_t& end : part->trail) {
    if (end == 0 || trail_.size() >= kMaxTrail) continue;
    auto [known, added] = through_.try_emplace({Key(module_, at), end}, end);
    if (added) {
      trail_.push_back({end, module_, code().exprs[at].loc.begin,
                        "through `" + std::string(function.empty() ? "function" : function) + "`"});
      known->second = static_cast<std::uint32_t>(trail_.size());
    }
    end = known->second;
  }
}

void Engine::CallBack(const Value& function, const Taint& taint, Taint* result, ExprId at, ExprId said) {
  if (function.module >= facts_.size() || function.index >= facts_[function.module].size()) return;
  here().calls.push_back(Key(function.module, function.index));
  FunctionFacts& about = facts(function.module, function.index);
  const Function& shape = states_[function.module].view->module().functions[function.index];
  for (std::size_t p = 0; p < about.in.size(); ++p) {
    if (p == 0 && shape.owner != kNone && !shape.is_static && view().is_python()) continue;
    Taint entering = taint;
    entering.params = 0;
    if ((about.in[p].labels | entering.labels) != about.in[p].labels) changed_ = true;
    if (entering.Has(kFieldLabels)) NoteGivenFields(function.module, function.index, p, said, entering);
    about.in[p].Join(entering);
  }
  ReadFunction(function.module, function.index);
  // collect().then(deliver): what it sends of its parameters, it sends of this.
  for (std::size_t i = 0; at != kNone && i < about.sends.size(); ++i) {
    JudgeSentOn(SentParam(about.sends[i]), taint, at);
  }
  Taint back = about.out;
  back.params = 0;
  result->Join(back);
}

// What a function sends of a parameter to a host that stands in it, given here: whose credentials they are is known
// here only. The rest of what it carries was judged where it is sent.
void Engine::JudgeSentOn(const SentParam& sent, const Taint& given, ExprId at) {
  constexpr Labels kOwners = kEnvSecret | kWeakSecretFile;
  NoteSent(given.Only(~sent.cut), sent.host, sent.aside);
  if (last_ && (sent.aside || SendsBesideWork(sent.host)) && JudgeAside(at, given.Only(~sent.cut), sent.host)) return;
  const Taint part = given.Only(kOwners & ~sent.cut);
  if (part.labels == 0 && part.params == 0) return;
  Call call;
  call.expr = at;
  exact_ = sent_on_ = true;
  JudgeSend(call, part, sent.host, {});
  exact_ = sent_on_ = false;
}

// Names that were given to a check are checked from there on.
void Engine::Checked(std::span<const Arg> args) {
  for (const Arg& arg : args) {
    if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kName) continue;
    const std::uint32_t slot = view().SlotOf(arg.value, function_);
    if (slot != kNone) states_[module_].slots[slot] = states_[module_].slots[slot].Without(kUnchecked);
  }
}

// HOME / ".ssh", expanduser("~/.aws/credentials"): a place of secrets in a list, a table, or given to a function that
// reads what it is given.
Taint Engine::NamedPlace(ExprId path) {
  if (path >= code().exprs.size()) return {};
  const Expr& expr = code().exprs[path];
  const bool joined = expr.kind == ExprKind::kBinary && expr.text == "/";
  const bool called =
      expr.kind == ExprKind::kCall && expr.base < code().exprs.size() &&
      SaysOneOf(code().exprs[expr.base].text, {"expanduser", "join", "joinpath", "Path", "resolve", "Join"});
  const bool pieces = expr.kind == ExprKind::kFormat || expr.kind == ExprKind::kConcat;
  if (!joined && !called && !pieces) return {};
  const std::string& text = view().Text(path, function_);
  if (!text.starts_with("~") && !text.starts_with("/")) return {};
  switch (KindOfPath(text)) {
    case PathKind::kSecret:
      return Source(kSecretName, path, "names " + text.substr(0, 80));
    case PathKind::kWeakSecret:
      return Source(kWeakSecretName, path, "names " + text.substr(0, 80));
    default:
      return {};
  }
}

// def run(argv): subprocess.run(argv)
void Engine::NoteSpawned(ExprId words) {
  if (words >= code().exprs.size() || code().exprs[words].kind != ExprKind::kName || !view().is_python()) return;
  const std::uint32_t slot = view().SlotOf(words, function_);
  if (slot == kNone || view().slots()[slot].scope != function_ || view().slots()[slot].param >= 31) return;
  const std::uint32_t bit = 1U << view().slots()[slot].param;
  changed_ = changed_ || (here().spawns & bit) == 0;
  here().spawns |= bit;
}

// run(["bash", "-c", f"..."]): the words stand here, and not where they are run.
void Engine::JudgeSpawned(std::uint32_t params, std::span<const Arg> args, std::span<const std::size_t> places,
                          std::span<const Taint> taints, ExprId at) {
  if (params == 0 || !view().is_python()) return;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (places[i] >= 31 || (params >> places[i] & 1U) == 0 || args[i].value >= code().exprs.size()) continue;
    const ExprId list = view().Origin(args[i].value, function_);
    if (list >= code().exprs.size() || code().exprs[list].kind != ExprKind::kList) continue;
    const Arg words{args[i].value, {}};
    Call call;
    call.expr = at;
    call.entry = Catalogue::For(code().language).Find("subprocess.run");
    call.args = std::span<const Arg>(&words, 1);
    call.taints = taints.subspan(i, 1);
    call.all = taints[i];
    if (call.entry != nullptr) JudgeSpawn(call);
  }
}

// deliver(requests.post, data): what `deliver` calls by the name of its parameter is that function.
void Engine::NoteLent(std::uint32_t module, FuncId function, std::size_t param, ExprId arg) {
  constexpr std::size_t kMost = 8;
  if (arg >= code().exprs.size()) return;
  const ExprKind kind = code().exprs[arg].kind;
  if (kind != ExprKind::kName && kind != ExprKind::kMember) return;
  const Value& value = view().Evaluate(arg, function_);
  if (value.kind != ValueKind::kQualified || value.module != kNone || EntryOf(arg, value) == nullptr) return;
  std::vector<LentParam>& lent = facts(module, function).lent;
  auto known = std::ranges::find(lent, param, &LentParam::param);
  if (known == lent.end()) {
    if (lent.size() >= kMost) return;
    lent.push_back({static_cast<std::uint32_t>(param), value.text});
    changed_ = true;
  } else if (known->callee != value.text && !known->callee.empty()) {
    known->callee.clear();
    changed_ = true;
  }
}

// The library's function that a parameter is, or an attribute that keeps one; "" where nothing is known.
std::string Engine::LentAs(ExprId callee) const {
  if (callee >= code().exprs.size()) return {};
  FuncId scope = function_;
  ExprId name = callee;
  if (code().exprs[callee].kind == ExprKind::kMember) {
    // self.post = post
    const std::uint32_t attribute = OwnAttribute(callee);
    if (attribute == kNone || view().slots()[attribute].count != 1) return {};
    const Binding& binding = view().bindings()[view().slots()[attribute].first];
    if (binding.destructured) return {};
    name = binding.value;
    scope = binding.scope;
  }
  if (name >= code().exprs.size() || code().exprs[name].kind != ExprKind::kName) return {};
  const std::uint32_t slot = view().SlotOf(name, scope);
  if (slot == kNone || view().slots()[slot].param == kNone) return {};
  const Slot& variable = view().slots()[slot];
  if (variable.scope >= facts_[module_].size()) return {};
  const std::vector<LentParam>& lent = facts_[module_][variable.scope].lent;
  const auto known = std::ranges::find(lent, variable.param, &LentParam::param);
  return known == lent.end() ? std::string() : known->callee;
}

// A parameter is called: whoever gives the function, its parameters hold what stands here.
void Engine::NoteHanded(const Call& call) {
  constexpr std::size_t kMost = 8;
  const Expr& expr = code().exprs[call.expr];
  if (call.all.labels == 0 && call.all.params == 0) return;
  if (expr.base >= code().exprs.size() || code().exprs[expr.base].kind != ExprKind::kName) return;
  const std::uint32_t slot = view().SlotOf(expr.base, function_);
  if (slot == kNone || view().slots()[slot].param == kNone) return;
  const Slot& variable = view().slots()[slot];
  if (variable.scope >= facts_[module_].size()) return;
  FunctionFacts& about = facts(module_, variable.scope);
  auto known = std::ranges::find(about.handed, variable.param, &HandedParam::param);
  if (known == about.handed.end()) {
    if (about.handed.size() >= kMost) return;
    about.handed.push_back({variable.param, {}});
    known = std::prev(about.handed.end());
  }
  Taint given = call.all;
  if (variable.scope != function_) given.params = 0;  // those of a function inside
  if (TakesAnswer()) given = given.Without(kTapped);  // whoever wraps it hands on what was meant for it
  const bool more = (known->given.labels | given.labels) != known->given.labels ||
                    (known->given.params | given.params) != known->given.params;
  if (!more) return;
  changed_ = true;
  known->given.Join(given);
}

// return await fn(args); const answer = await fn(args), which is used: not report(args), beside it.
bool Engine::TakesAnswer() const {
  if (statement_.kind == StmtKind::kReturn) return true;
  if (statement_.kind != StmtKind::kAssign || statement_.target >= code().exprs.size()) return false;
  const std::string_view name = code().exprs[statement_.target].text;
  const std::string_view body = TextAt(code().functions[function_].loc);
  const std::size_t first = name.empty() ? std::string_view::npos : body.find(name);
  return first != std::string_view::npos && body.find(name, first + name.size()) != std::string_view::npos;
}

// ... and here are the functions. `places`: which parameter each argument is.
void Engine::HandOver(const FunctionFacts& about, std::span<const Arg> args, std::span<const std::size_t> places,
                      std::span<const Taint> given, ExprId at) {
  // A copy: the function that is called may call this one.
  const std::vector<HandedParam> all = about.handed;
  for (const HandedParam& handed : all) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (places[i] != handed.param || args[i].value >= code().exprs.size()) continue;
      Taint entering = handed.given;
      for (std::size_t p = 0; p < given.size(); ++p) {
        entering.Join(handed.given.Through(p, given[p]));
      }
      entering.params = 0;
      const Value value = view().Evaluate(args[i].value, function_);
      Taint back;
      if (value.kind == ValueKind::kFunction) {
        CallBack(value, entering, &back, at);
      } else if (value.kind != ValueKind::kClass) {
        JudgeGiven(EntryOf(args[i].value, value), value, entering, at);
      }
    }
  }
}

// A function of a library that is called somewhere else than where it is named.
void Engine::JudgeGiven(const CatalogueEntry* entry, const Value& function, const Taint& given, ExprId at) {
  if (entry == nullptr || !last_) return;
  constexpr double kElsewhere = 0.8;  // it is given all that is given there
  switch (entry->role) {
    case Role::kDeserialize:
      if (function.text.starts_with("marshal.")) return;
      if (given.Has(kForeign)) {
        Raise("VULN-006", at, given, kForeign, "unpacks objects from the network; unpacking runs code", kElsewhere);
      } else if (given.Has(kToolArgument)) {
        Raise("VULN-006", at, given, kToolArgument, "unpacks objects given as an argument; unpacking runs code",
              kElsewhere);
      }
      return;
    case Role::kEval:
      if (!entry->permission) return;
      if (given.Has(kSocketData)) {
        Raise("RCE-003", at, given, kSocketData, "runs code that another machine sends", kElsewhere);
      } else if (given.Has(kNetFixed) && !given.Has(kToolArgument)) {
        Raise("RCE-001", at, given, kNetFixed, "runs code fetched from the network", kElsewhere);
      } else if ((given.fresh & kDecoded) != 0) {
        Raise("OBFUSC-001", at, given, kDecoded, "runs code that is hidden by encoding", kElsewhere);
      }
      return;
    case Role::kShell:
      if (given.Has(kSocketData)) {
        Raise("RCE-003", at, given, kSocketData, "runs commands that another machine sends", kElsewhere);
      } else if (given.Has(kNetFixed) && !given.Has(kToolArgument)) {
        Raise("RCE-001", at, given, kNetFixed, "runs a command fetched from the network", kElsewhere);
      }
      return;
    default:
      return;
  }
}

// CODECS[kind](data); _, decode = CODECS[kind]; decode(data): any of a table of functions.
void Engine::DispatchNamed(const Call& call) {
  constexpr std::size_t kMost = 200;
  const Expr& expr = code().exprs[call.expr];
  if (!last_ || !call.all.Has(kForeign | kToolArgument | kDecoded) || expr.base >= code().exprs.size()) return;
  ExprId picked = expr.base;
  FuncId scope = function_;
  std::uint32_t column = kNone;
  if (code().exprs[picked].kind == ExprKind::kName) {
    const std::uint32_t slot = view().SlotOf(picked, function_);
    if (slot == kNone || view().slots()[slot].count != 1) return;
    const Binding& binding = view().bindings()[view().slots()[slot].first];
    if (binding.value == kNone) return;
    if (binding.destructured) column = binding.item;
    picked = binding.value;
    scope = binding.scope;
  }
  if (picked >= code().exprs.size()) return;
  const Expr* from = &code().exprs[picked];
  if (from->kind == ExprKind::kCall && from->base < code().exprs.size() && code().exprs[from->base].text == "get")
    from = &code().exprs[from->base];
  if (from->kind != ExprKind::kIndex && (from->kind != ExprKind::kMember || from->text != "get")) return;
  FuncId where = scope;
  const ExprId table = from->base < code().exprs.size() ? view().Origin(from->base, scope, &where) : kNone;
  if (table >= code().exprs.size()) return;
  const Expr& rows = code().exprs[table];
  if (rows.kind != ExprKind::kDict && rows.kind != ExprKind::kList) return;
  std::size_t seen = 0;
  for (const Arg& row : code().ArgsOf(rows)) {
    if (++seen > kMost || row.value >= code().exprs.size()) break;
    ExprId value = row.value;
    if (column != kNone) {
      const Expr& cells = code().exprs[value];
      if (cells.kind != ExprKind::kList || column >= cells.arg_count) continue;
      value = code().ArgsOf(cells)[column].value;
      if (value >= code().exprs.size()) continue;
    }
    const Value& function = view().Evaluate(value, where);
    if (function.kind == ValueKind::kQualified && function.module == kNone) {
      JudgeGiven(Catalogue::For(code().language).Find(function.text), function, call.all, call.expr);
    }
  }
}

}  // namespace interlock::scan::code
