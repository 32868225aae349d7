#include "code/engine.h"

#include <algorithm>

#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"
#include "interlock/base/check.h"
#include "static/literals.h"
#include "static/part_set.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words

namespace {

constexpr std::uint32_t kMaxNesting = 2000;  // of expressions
constexpr std::uint32_t kMaxCalls = 60;      // functions read inside each other's calls
constexpr std::uint8_t kPasses = 3;
constexpr auto kAnyName = std::to_array<std::string_view>({"__getattr__", "__getattribute__"});
constexpr auto kItem = std::to_array<std::string_view>({"__getitem__"});
constexpr std::uint64_t kStepsPerExpr = 24;  // of a file and pass
constexpr std::uint64_t kStepsOfAny = 10'000;
constexpr std::uint16_t kNotLooked = 0xFFFF;  // for an expression in the catalogue

// What an item of a list of paths is called at its end: "AGENTS.md", join(root, "AGENTS.md"), root / "AGENTS.md".
std::string_view LastName(const Module& module, ExprId item) {
  if (item >= module.exprs.size()) return {};
  const Expr& expr = module.exprs[item];
  if (expr.kind == ExprKind::kString) return expr.text;
  const bool joins = expr.kind == ExprKind::kCall && expr.base < module.exprs.size() &&
                     SaysOneOf(module.exprs[expr.base].text, {"join", "resolve", "joinpath", "Path"});
  const bool below = expr.kind == ExprKind::kBinary && expr.text == "/";
  if ((!joins && !below) || expr.arg_count == 0) return {};
  const ExprId last = module.ArgsOf(expr).back().value;
  return last < module.exprs.size() && module.exprs[last].kind == ExprKind::kString ? module.exprs[last].text
                                                                                    : std::string_view();
}

// new Proxy(process.env, {...})[name] is asked for one of its entries, as what stands behind it is.
ExprId BehindProxy(const ModuleView& view, ExprId table, FuncId function) {
  if (view.is_python() || table >= view.module().exprs.size() || view.module().exprs[table].kind != ExprKind::kName)
    return table;
  FuncId scope = function;
  const ExprId made = view.Origin(table, function, &scope);
  if (made >= view.module().exprs.size() || scope != kModuleBody || view.module().exprs[made].kind != ExprKind::kCall ||
      view.module().exprs[made].arg_count != 2 || view.Callee(made, scope).text != "globalThis.Proxy") {
    return table;
  }
  return view.module().ArgsOf(view.module().exprs[made])[0].value;
}

// Date.now() - asked.at: how long it took, whatever has kept when it began.
bool AsksTheTime(std::string_view text) {
  return SaysOneOf(text, {"Date.now()", "performance.now()", "time.time()", "time.perf_counter()", "time.monotonic()",
                          "perf_counter()", "monotonic()"});
}

}  // namespace

// What a list names: files that agents obey, stores of credentials, variables that hold them.
constexpr std::uint8_t kKindUnasked = 255;

void Engine::NoteListed(ExprId item, Taint* taint) {
  // "." + "netrc" is the word that it makes.
  const bool pieced = item < code().exprs.size() && code().exprs[item].kind == ExprKind::kConcat;
  const std::string_view word = pieced ? std::string_view(view().Text(item, function_)) : LastName(code(), item);
  if (word.empty() || (pieced && word.find(kHole) != std::string_view::npos)) return;
  const bool literal = pieced || code().exprs[item].kind == ExprKind::kString;
  // Tables of thousands of names are gone through in every pass.
  std::vector<std::uint8_t>& kinds = states_[module_].listed;
  if (kinds.empty()) kinds.assign(code().exprs.size(), kKindUnasked);
  if (kinds[item] == kKindUnasked) {
    const bool may = word.size() >= 4 && word.size() <= 80 && word.find(' ') != 0;
    const PathKind asked = may ? KindOfPath("~/" + std::string(word) + "/") : PathKind::kPlain;
    kinds[item] = static_cast<std::uint8_t>(asked);
  }
  const auto kind = static_cast<PathKind>(kinds[item]);
  if (kind == PathKind::kAgent) taint->Join(Source(kAgentName, item, "names " + std::string(word)));
  // A path that is put together says by itself what it is.
  if (!literal) return taint->Join(KeptAt(view().Text(item, function_), item));
  if (word.size() >= 5 && word.size() <= 64 && IsSecretName(word) &&
      std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    Taint name;
    name.labels = name.fresh = kEnvName;
    name.vendors = VendorOf(word);
    taint->Join(name);
  }
  if (kind == PathKind::kSecret) taint->Join(Source(kSecretName, item, "names " + std::string(word)));
  if (kind == PathKind::kWeakSecret) taint->Join(Source(kWeakSecretName, item, "names " + std::string(word)));
  // (".claude/projects", ".codex/sessions"), below the user's folder.
  if (word.starts_with('.') && word.find('/') != std::string_view::npos)
    taint->Join(KeptAt("~/" + std::string(word), item));
}

Trail TrailOf(Labels label) {
  if ((label & (kEnvLabels | kSecretName | kWeakSecretName | kSecretFile | kWeakSecretFile | kFileContent | kStore |
                kClipboard | kHostFacts | kHomeEntry | kKept)) != 0) {
    return Trail::kPrivate;
  }
  if (label == kUnpacked) return Trail::kCode;
  if ((label & (kForeign | kModelAnswer | kMemory | kCommandOutput)) != 0) return Trail::kOutside;
  if ((label & (kDecoded | kDeserialized)) != 0) return Trail::kCode;
  if ((label & (kArguments | kInput | kState | kEvent | kSaid | kRows)) != 0) return Trail::kLocal;
  return Trail::kGiven;
}

Labels LabelsOf(Trail trail) {
  static const std::array<Labels, kTrails> labels = [] {
    std::array<Labels, kTrails> all = {};
    for (Labels bit = 1; bit != 0; bit <<= 1U) all[static_cast<std::size_t>(TrailOf(bit))] |= bit;
    return all;
  }();
  return labels[static_cast<std::size_t>(trail)];
}

bool IsCheck(std::string_view function) {
  static constexpr PartSet kChecks(
      std::to_array<std::string_view>({"valid", "sanit", "allow", "check", "safe", "ensure", "escape", "resolve",
                                       "within", "normal", "verify", "secure", "permit", "quote", "query_value"}));
  return kChecks.AnyIn(LowerCase(function.substr(0, 80)));
}

Taint Taint::SeenFromOutside() const {
  Taint out = *this;
  out.fresh = labels;
  out.params = 0;
  return out;
}

Taint Taint::Without(Labels mask) const {
  Taint out = *this;
  out.labels &= ~mask;
  out.fresh &= ~mask;
  if ((mask & kEnvSecret) != 0 && !out.Has(kEnvAll | kEnvName)) out.vendors.reset();  // of which nothing is left
  for (std::size_t p = 0; out.params >> p != 0 && p < kCutParams; ++p) {
    if ((out.params >> p & 1U) != 0) out.cut[p] |= mask;
  }
  return out;
}

Taint Taint::Through(std::size_t param, const Taint& given) const {
  const std::size_t bit = std::min<std::size_t>(param, 31);
  if ((params >> bit & 1U) == 0) return {};
  const Labels less = CutOf(param);
  return less != 0 ? given.Without(less) : given;
}

Engine::Engine(const World& world, const std::vector<EntryPoint>& entries, std::vector<bool> hooks)
    : EngineState(world, entries, std::move(hooks)) {
  states_.resize(world.size());
  facts_.resize(world.size());
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    ModuleState& state = states_[i];
    state.view = &world.View(i);
    const Module& module = state.view->module();
    state.slots.resize(state.view->slots().size());
    state.entries.assign(module.exprs.size(), kNotLooked);
    facts_[i].resize(module.functions.size());
    for (FuncId f = 0; f < module.functions.size(); ++f) {
      const std::size_t params = module.functions[f].params.size();
      facts_[i][f].in.resize(params);
    }
    for (const Import& import : module.imports) {
      if (import.module.find("langgraph") == std::string::npos) continue;
      graphs_.resize(world.size());
      graphs_[i] = 1;
    }
  }
}

// Afresh for each pass, so that the last one, which judges, reads all that the others could.
void Engine::GiveSteps() {
  for (ModuleState& state : states_) {
    const Module& module = state.view->module();
    state.steps_left = (module.exprs.size() + module.functions.size()) * kStepsPerExpr + kStepsOfAny;
  }
}

std::vector<std::uint32_t> Engine::Starved() const {
  std::vector<std::uint32_t> files;
  for (const ModuleState& state : states_) {
    if (state.view->starved()) files.push_back(state.view->module().file);
  }
  return files;
}

std::vector<std::uint32_t> Engine::Unfinished() const {
  std::vector<std::uint32_t> files;
  for (const ModuleState& state : states_) {
    if (state.unfinished) files.push_back(state.view->module().file);
  }
  return files;
}

// def summary(cohort: Cohort): the fields of the object are the caller's, too.
void Engine::FillFields(ExprId annotation, FuncId scope, const Taint& taint) {
  if (annotation >= code().exprs.size() || code().exprs[annotation].kind != ExprKind::kName) return;
  const Value& type = view().Evaluate(annotation, scope == kNone ? kModuleBody : scope);
  if (type.kind != ValueKind::kClass || type.module >= states_.size()) return;
  const ModuleView& there = *states_[type.module].view;
  for (std::uint32_t slot = 0; slot < there.slots().size(); ++slot) {
    if (there.slots()[slot].owner == type.index && there.slots()[slot].function == kNone)
      states_[type.module].slots[slot].Join(taint);
  }
}

void Engine::Run() {
  GiveDecorated();
  for (const EntryPoint& entry : entry_points_) {
    if (entry.module >= states_.size() || entry.function == kModuleBody || entry.function == kNone) continue;
    module_ = entry.module;
    function_ = entry.function;
    const Function& function = code().functions[entry.function];
    const bool node = entry.kind == "graph-node";
    if (node) {
      nodes_.insert(Key(entry.module, entry.function));
      if (!graphs_.empty()) graphs_[entry.module] = 1;  // whichever module adds it to the graph
    }
    for (std::uint32_t i = 0; i < function.params.size(); ++i) {
      const std::string_view name = function.params[i].name;
      if (i == 0 && function.owner != kNone && !function.is_static && view().is_python()) continue;
      if (SaysOneOf(name, {"ctx", "run_manager", "config", "runtime", "extra", "_extra"})) continue;
      if (name == "context" && (i > 0 || function.params[i].annotation != kNone) &&
          (function.params[i].annotation >= code().exprs.size() ||
           code().exprs[function.params[i].annotation].text.find("Context") != std::string_view::npos)) {
        continue;
      }
      Taint taint;
      taint.labels = node ? kState : kToolArgument | kUnchecked;
      if (!node && IsClosedType(function.params[i].annotation, function.parent)) continue;
      const std::string shown = name.empty() ? std::string("argument") : "argument `" + std::string(name) + "`";
      trail_.push_back(
          {0, module_, function.params[i].loc.begin, (node ? "state given to `" : shown + " of `") + entry.name + "`"});
      taint.trail[static_cast<std::size_t>(TrailOf(taint.labels))] = static_cast<std::uint32_t>(trail_.size());
      facts(entry.module, entry.function).TakeWhole(i, taint);
      if (!node) FillFields(function.params[i].annotation, function.parent, taint);
    }
  }
  TapCallbacks();
  TapDecorators();
  TapKeepers();
  TakeRequests();
  FindKeepers();
  FindLogHandlers();
  MarkRouters();
  for (pass_ = 1; pass_ <= kPasses; ++pass_) {
    last_ = pass_ == kPasses || (pass_ > 1 && !changed_);
    changed_ = false;
    GiveSteps();
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      for (FuncId f = 0; f < facts_[i].size(); ++f) ReadFunction(i, f);
    }
    if (last_) break;
  }
  // Once it is known what each module runs.
  for (module_ = 0; module_ < states_.size(); ++module_) {
    function_ = kModuleBody;
    JudgeCommandTables();
  }
  FinishState();
}

void Engine::ReadFunction(std::uint32_t module, FuncId function) {
  FunctionFacts& about = facts(module, function);
  if (about.running || about.pass == pass_ || nested_ >= kMaxCalls) return;
  about.running = true;
  about.pass = pass_;
  const std::uint32_t before_module = std::exchange(module_, module);
  const FuncId before_function = std::exchange(function_, function);
  const Stmt before_statement = statement_;
  const std::uint32_t before_depth = std::exchange(depth_, 0);
  std::vector<Condition> before_conditions = std::exchange(conditions_, {});
  std::vector<Condition> before_guards = std::exchange(guards_, {});
  std::vector<std::pair<Loc, std::string>> before_script = std::exchange(script_, {});
  Taint before_thrown = std::exchange(thrown_, {});
  ++nested_;

  const Function& shape = code().functions[function];
  for (std::uint32_t i = 0; i < shape.params.size(); ++i) {
    const std::uint32_t slot = view().SlotOfParam(function, i);
    if (slot == kNone) continue;
    Taint& taint = states_[module].slots[slot];
    taint = about.in[i];
    taint.fresh = 0;
    taint.params = 1U << std::min<std::uint32_t>(i, 31);
    if (shape.params[i].fallback != kNone) (void)Eval(shape.params[i].fallback);
  }
  ReadBody(function);
  const Deeds deeds = about.deeds;
  if (thrown_.Has(kThrown)) thrown_by_[Key(module, function)].Join(thrown_.Only(kThrown).SeenFromOutside());
  --nested_;
  module_ = before_module;
  function_ = before_function;
  statement_ = before_statement;
  depth_ = before_depth;
  conditions_ = std::move(before_conditions);
  guards_ = std::move(before_guards);
  script_ = std::move(before_script);
  thrown_ = before_thrown;
  about.running = false;
  // What a nested function does, its parent had done.
  if (shape.parent != kNone && shape.parent < facts_[module].size() && shape.parent != function &&
      IsSmall(module, shape.parent) && (shape.parent != kModuleBody || shape.name.empty())) {
    FunctionFacts& parent = facts_[module][shape.parent];
    parent.deeds |= deeds;
    if (parent.connect.end == 0) parent.connect = about.connect;
    if (parent.execute.end == 0) parent.execute = about.execute;
  }
}

void Engine::ReadBody(FuncId function) {
  const std::vector<Stmt>& body = code().functions[function].body;
  for (const Stmt& stmt : body) {
    if (states_[module_].steps_left == 0) {
      states_[module_].unfinished = true;
      break;
    }
    statement_ = stmt;
    while (!conditions_.empty() && conditions_.back().depth >= stmt.condition_depth) conditions_.pop_back();
    switch (stmt.kind) {
      case StmtKind::kAssign: {
        Taint taint = Eval(stmt.value);
        if (stmt.binds == Binds::kCaught && IsSmall(module_, function_)) taint.Join(thrown_);
        if (stmt.binds == Binds::kEntered || stmt.binds == Binds::kEach) taint.Join(GivenByObject(stmt));
        Assign(stmt.target, stmt.value, taint, stmt.condition_depth == 0, 0);
        JudgeAccount(stmt);
        JudgeHashedAnswer(stmt);
        break;
      }
      case StmtKind::kReturn:
      case StmtKind::kYield: {
        if (stmt.kind == StmtKind::kReturn && !conditions_.empty() &&
            (conditions_.back().dated || conditions_.back().chance))
          guards_.push_back(conditions_.back());
        const Taint taint = Eval(stmt.value);
        Taint& out = here().out;
        const Taint before = out;
        out.Join(taint);
        out.Join(NamedPlace(stmt.value));  // of several, it may be this one
        if (out.labels != before.labels || out.params != before.params || out.fresh != before.fresh ||
            out.cut != before.cut) {
          changed_ = true;
        }
        if (stmt.value < code().exprs.size()) {
          const Value& value = view().Evaluate(stmt.value, function);
          if (value.kind == ValueKind::kFunction && value.module < facts_.size()) {
            here().calls.push_back(Key(value.module, value.index));
          }
        }
        JudgeAnswer(stmt, taint);
        JudgeLoaded(stmt, taint);
        JudgeReduced(stmt);
        JudgeHashedAnswer(stmt);
        JudgeChance(stmt.value);
        JudgeState(stmt);
        JudgeAccount(stmt);
        break;
      }
      case StmtKind::kCondition:
        (void)Eval(stmt.value);
        PickByName(stmt.value);
        if (PicksItsOwn(TextAt(stmt.loc).substr(0, 200))) {
          for (std::uint32_t slot = 0; slot < states_[module_].slots.size(); ++slot) {
            if (view().slots()[slot].scope == function && states_[module_].slots[slot].Has(kEnvAll)) {
              states_[module_].slots[slot] = states_[module_].slots[slot].Without(kEnvAll);
            }
          }
        }
        JudgeCondition(stmt);
        break;
      case StmtKind::kRaise:
        // throw {token}: what is caught here, or by whoever called.
        Throw(stmt.value);
        break;
      default:
        (void)Eval(stmt.value);
        break;
    }
  }
  if (!last_) return;
  JudgeScript();
  JudgeHabits();
  JudgeDeeds();
  if (function == kModuleBody) {
    JudgeModule();
    JudgeLookAlikeNames();
    JudgeOpenServer();
    JudgePrograms();
  }
}

const CatalogueEntry* Engine::EntryOf(ExprId expr, const Value& value) {
  ModuleState& state = states_[module_];
  if (const std::uint16_t known = state.entries[expr]; known != kNotLooked) return entries_[known];
  const CatalogueEntry* entry = nullptr;
  const Catalogue& catalogue = Catalogue::For(code().language);
  if ((value.kind == ValueKind::kQualified || value.kind == ValueKind::kInstance) && value.module == kNone) {
    entry = catalogue.Find(value.text);
    if (entry == nullptr && code().exprs[expr].kind == ExprKind::kCall) {
      const std::size_t dot = value.text.rfind('.');
      if (dot != std::string::npos) entry = catalogue.Find(value.text.substr(dot));
    }
  } else if (value.kind == ValueKind::kUnknown && !value.text.empty()) {
    entry = catalogue.Find(value.text);
  }
  const auto [number, added] = numbers_.try_emplace(entry, static_cast<std::uint16_t>(entries_.size()));
  if (added) entries_.push_back(entry);
  INTERLOCK_CHECK(number->second != kNotLooked, "a catalogue has few entries");
  state.entries[expr] = number->second;
  return entry;
}

Taint Engine::Source(Labels label, ExprId at, std::string text) {
  Taint taint;
  taint.labels = taint.fresh = label;
  const std::uint64_t key =
      (std::uint64_t{module_} << 40U) ^ (std::uint64_t{at} << 8U) ^ static_cast<unsigned>(TrailOf(label));
  auto [known, added] = steps_.emplace(key, 0);
  if (added && trail_.size() < kMaxTrail) {
    trail_.push_back({0, module_, code().exprs[at].loc.begin, std::move(text)});
    known->second = static_cast<std::uint32_t>(trail_.size());
  }
  taint.trail[static_cast<std::size_t>(TrailOf(label))] = known->second;
  return taint;
}

namespace {

// account.address, key.public_key of a library of keys: what everybody may know of one.
bool IsPublicPart(std::string_view name) {
  return SaysOneOf(name, {"address", "public_key", "publicKey", "verify_key"});
}

// values.next().value
bool IsAnswerOfNext(const Module& module, const Expr& part, std::string_view key) {
  if (key != "value" || part.base >= module.exprs.size() || module.exprs[part.base].kind != ExprKind::kCall)
    return false;
  const ExprId method = module.exprs[part.base].base;
  return method < module.exprs.size() && module.exprs[method].text == "next";
}

// lines[0]: which of several, and no name of a variable.
bool IsNumberOfPlace(std::string_view key) {
  return !key.empty() && key.find_first_not_of("-0123456789") == std::string_view::npos;
}

}  // namespace

Taint Engine::EvalMember(ExprId id) {
  const Expr& expr = code().exprs[id];
  const Value& value = view().Evaluate(id, function_);
  if (value.kind == ValueKind::kQualified && value.module == kNone) {
    if (const CatalogueEntry* entry = EntryOf(id, value)) {
      switch (entry->role) {
        case Role::kEnvRead: {
          // settings.token, where that was set to process.env.GITHUB_TOKEN: what is read is the variable.
          const bool direct =
              expr.base < code().exprs.size() && view().Evaluate(expr.base, function_).kind == ValueKind::kQualified;
          const bool keyed = direct && expr.kind == ExprKind::kIndex && expr.arg_count > 0;
          const ExprId name = keyed ? code().ArgsOf(expr)[0].value : kNone;
          Taint read = EnvRead(keyed ? std::string_view(view().Text(name, function_))
                                     : std::string_view(value.text).substr(value.text.rfind('.') + 1),
                               id);
          // for name in ("GITHUB_TOKEN", "GITLAB_TOKEN"): os.environ[name]
          if (keyed) TakeNamed(Eval(name), id, &read);
          return read;
        }
        case Role::kEnvAll: {
          Call call;
          call.expr = id;
          Use(call, core::Permission::kEnvironmentRead, "*");
          return Source(kEnvAll, id, "reads the whole environment");
        }
        case Role::kArgv:
          return Source(kArguments, id, "reads the command line");
        case Role::kStdin:
          return StandardInput(id);
        case Role::kRequest:
          return Source(kCaller, id, "takes what a request says");
        case Role::kHostInfo:
          return Source(kHostFacts, id, "asks the machine who it is");
        default:
          break;
      }
    }
  }
  Taint taint;
  std::string_view key = expr.kind == ExprKind::kMember ? expr.text : std::string_view();
  const Expr* base = expr.base < code().exprs.size() ? &code().exprs[expr.base] : nullptr;
  if (base == nullptr) return taint;
  if (SaysOneOf(key, {"length", "size", "status_code", "status", "statusCode", "ok", "type"})) {
    (void)Eval(expr.base);
    return taint;
  }
  if (const Taint event = HookField(id, key); event.labels != 0) return event;
  if (const Taint told = ToldFrom(id, key); told.labels != 0) return told;
  // slack.token, of new WebClient(process.env.SLACK_TOKEN): a client gives out what it was made with.
  if (SaysOneOf(key, {"token", "apiKey", "api_key", "accessToken", "access_token", "auth_token"})) {
    const ExprId made = view().Origin(expr.base, function_);
    if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kCall &&
        view().Callee(made, function_).module == kNone) {
      for (const Arg& arg : code().ArgsOf(code().exprs[made])) taint.Join(Eval(arg.value).Only(kSecretLabels));
      if (taint.labels != 0) return taint;
    }
  }
  if (key == "__dict__" && view().is_python()) return WholeOf(expr.base);
  if (key == "f_locals" && view().is_python()) {
    (void)Eval(expr.base);
    // An interpreter that runs what is typed runs it among the variables of where it was started.
    std::optional<bool>& interprets = states_[module_].interprets;
    if (!interprets) {
      const std::string_view text = code().text;
      interprets = text.find("f_globals") != std::string_view::npos && text.find("exec(") != std::string_view::npos;
    }
    if (*interprets) return taint;
    return Source(kStore, id, "reads the variables of whoever called");
  }
  // Attributes of classes of the package are variables of their own.
  if (!key.empty()) {
    const Value& owner = view().Evaluate(expr.base, function_);
    if ((owner.kind == ValueKind::kInstance || owner.kind == ValueKind::kClass) && owner.module < states_.size()) {
      const std::uint32_t slot = states_[owner.module].view->AttributeSlot(owner.index, key);
      if (slot != kNone) {
        taint = states_[owner.module].slots[slot].SeenFromOutside();
        taint.Join(OfProperty(owner, slot, Eval(expr.base), id));
      } else if (view().is_python() && owner.kind == ValueKind::kInstance) {
        taint = CallImplicit(owner, kAnyName, Eval(expr.base), id);
      }
      const bool self = base->kind == ExprKind::kName && view().SelfClass(base->text, function_) != kNone;
      // note = Note(); note.key = v, of a class that says of no such attribute: the object has it.
      const std::vector<Class>& classes = states_[owner.module].view->module().classes;
      const bool put = slot == kNone && owner.index < classes.size() && classes[owner.index].bases.empty();
      if (!self) taint.Join(Eval(expr.base).Without(put ? Labels{0} : kEnvLabels));
      return taint;
    }
    std::uint32_t module = kNone;
    std::uint32_t slot = kNone;
    if (FindElsewhere(owner, key, &module, &slot) && states_[module].slots[slot].labels != 0)
      return states_[module].slots[slot].SeenFromOutside();
  }
  if (expr.kind == ExprKind::kIndex) {
    Taint named;
    for (const Arg& arg : code().ArgsOf(expr)) named.Join(Eval(arg.value));
    const ExprId table = BehindProxy(view(), expr.base, function_);
    const Value& base_value = view().Evaluate(table, function_);
    const CatalogueEntry* entry = base_value.kind == ValueKind::kQualified ? EntryOf(table, base_value) : nullptr;
    if (entry != nullptr && entry->role == Role::kEnvAll && named.Has(kEnvName)) {
      TakeNamed(named, id, &taint);
      return taint;
    }
    if (entry != nullptr && entry->role == Role::kEnvAll && named.Has(kEnvAll))
      return Source(kEnvAll, id, "reads one variable after another");  // for (const name in process.env)
    if (entry != nullptr && entry->role == Role::kEnvAll) {
      return EnvRead(expr.arg_count > 0 ? view().Text(code().ArgsOf(expr)[0].value, function_) : std::string(), id);
    }
    if (expr.arg_count > 0) key = view().Text(code().ArgsOf(expr)[0].value, function_);
    if (const Taint told = ToldByCall(id, expr.base, key); told.labels != 0) return told;
    if (key == "transcript_path") {
      if (const Taint event = HookField(id, key); event.labels != 0) return event;
    }
  }
  taint = Eval(expr.base);
  if (base->kind == ExprKind::kName && taint.Has(kFieldLabels)) NarrowToField(expr.base, key, &taint);
  if (expr.kind == ExprKind::kIndex && view().is_python()) {
    // profile["state"] of a class that answers so itself.
    const Taint item = CallImplicit(view().Evaluate(expr.base, function_), kItem, taint, id);
    if (item.labels != 0) return item;
  }
  if (taint.Has(kEnvSecret) && (taint.fresh & kEnvSecret) == 0) {
    // Of a table that is written out here, the field itself.
    const Taint field = OfOrigin(id);
    if ((field.fresh & kEnvSecret) != 0) taint = field;
  }
  taint.Join(FieldOfShared(expr.base, key));
  if (taint.labels == 0 && (base->kind == ExprKind::kCall || base->text == "globalThis")) taint.Join(OfOrigin(id));
  if (expr.kind == ExprKind::kMember && IsPublicPart(key) && UsesKeyPairs(code()))
    taint = taint.Without(kSecretLabels | kWeakSecretFile);
  if (taint.Has(kUnchecked) && IsOneOfWords(id)) taint = taint.Without(kUnchecked | kBelow);
  // The last part of a path stays where it is.
  if (SaysOneOf(key, {"name", "stem", "suffix"}) && (view().is_python() || !taint.Has(kRequest)))
    taint = taint.Without(kUnchecked);
  if (ListsArchive(key)) taint.Add(kEntryName);
  if (taint.Has(kState) && base->kind == ExprKind::kName) ReadState(key);
  if (taint.Has(kRequest) && IsCredentialHeader(key))
    taint.Join(Source(kTapped, id, "takes the credentials of whoever asks"));
  Narrow(expr, key, &taint);
  if (taint.Has(kUnchecked) && ShapedBySchema(key)) taint = taint.Without(kCaller);
  taint = PartOfEvent(key, taint);
  const bool place = (expr.kind == ExprKind::kIndex && IsNumberOfPlace(key)) || IsAnswerOfNext(code(), expr, key);
  if (taint.Has(kEnvAll) && !key.empty() && !place && !HoldsWhole(key) &&
      !SaysOneOf(key, {"stdout", "stderr", "output", "environmentVariables", "args", "cause", "detail"})) {
    // facts["env"], of a table that is written out: the field, and that may be all of it.
    const Taint field = SaysOneOf(key, {"env", "environ", "environment"}) ? OfOrigin(id) : Taint();
    taint = field.Has(kEnvAll) ? field : OneOfAll(taint, key);
  }
  return taint;
}

// text[::-1]
static bool IsBackwards(const Module& module, const Expr& slice) {
  const auto bounds = module.ArgsOf(slice);
  if (bounds.size() < 3 || bounds[2].value >= module.exprs.size() || slice.base == kNone) return false;
  const Loc at = module.exprs[bounds[2].value].loc;
  return module.text.substr(at.begin, at.end - at.begin) == "-1";
}

Taint Engine::Eval(ExprId id) {
  Taint taint;
  if (id >= code().exprs.size() || depth_ >= kMaxNesting) return taint;
  ModuleState& reading = states_[module_];
  if (reading.steps_left == 0) {
    reading.unfinished = true;
    return taint;
  }
  --reading.steps_left;
  ++depth_;
  const Expr& expr = code().exprs[id];
  switch (expr.kind) {
    case ExprKind::kString:
    case ExprKind::kNumber:
    case ExprKind::kConstant:
      break;
    case ExprKind::kName: {
      const std::uint32_t slot = view().SlotOf(id, function_);
      if (slot == kNone) {
        taint = OfOrigin(id);
        if (!view().is_python()) break;
      } else {
        const Slot& variable = view().slots()[slot];
        taint = states_[module_].slots[slot];
        ReadState(StatePart(slot));
        if (variable.scope != function_) {
          // Thread(target=work).start(); queue.put(key): a function may run later than it is named.
          if (const auto more = states_[module_].added.find(slot); more != states_[module_].added.end())
            taint.Join(more->second);
          taint.fresh = taint.labels;
          taint.params = 0;
        }
        if (variable.import != kNone) {
          const Value& value = view().Evaluate(id, function_);
          if (value.kind == ValueKind::kQualified && value.module == kNone) {
            taint.Join(EvalMember(id));
          } else {
            const Import& import = code().imports[variable.import];
            const std::uint32_t other = world_.Resolve(module_, import.module);
            if (other != kNone && !import.symbol.empty()) {
              const std::uint32_t there = states_[other].view->SlotByName(import.symbol, kModuleBody);
              if (there != kNone) {
                Taint global = states_[other].slots[there];
                global.fresh = global.labels;
                global.params = 0;
                taint.Join(global);
              }
            }
          }
        }
      }
      break;
    }
    case ExprKind::kMember:
    case ExprKind::kIndex:
      taint = EvalMember(id);
      break;
    case ExprKind::kCall:
      taint = EvalCall(id);
      break;
    case ExprKind::kFunction:
      if (expr.function < facts_[module_].size()) {
        here().calls.push_back(Key(module_, expr.function));
        ReadFunction(module_, expr.function);
      }
      break;
    case ExprKind::kBinary: {
      if (last_ && expr.text == "*") JudgeProduct(id);
      bool below = false;
      for (const Arg& arg : code().ArgsOf(expr)) {
        const Taint side = Eval(arg.value);
        below = expr.text == "/" && view().is_python() && ChosenBelow(taint, side);  // folder / name
        taint.Join(side);
      }
      if (below) taint.Add(kBelow);
      if (expr.text == "-" && expr.arg_count == 2 &&
          AsksTheTime(TextAt(code().exprs[code().ArgsOf(expr)[0].value].loc)))
        return {};
      if ((expr.text == "in" || expr.text == "not in") && expr.arg_count == 2) {
        const ExprId part = code().ArgsOf(expr)[0].value;  // if ".." in name.parts: refuse
        const bool climbs = part < code().exprs.size() && code().exprs[part].kind == ExprKind::kString &&
                            code().exprs[part].text.starts_with("..");
        // if name not in KNOWN: raise
        const bool listed = expr.text == "not in" && part < code().exprs.size() &&
                            code().exprs[part].kind == ExprKind::kName && LeavesBehind(expr.loc.end);
        if (listed) {
          SettleLetters(part, code().ArgsOf(expr)[1].value);
          Settled(part);
        }
        if (climbs || listed) here().deeds |= kDidPathCheck;
      }
      if (expr.text == "<=" && view().is_python()) SettleSubset(id);
      if (expr.text == "%" && expr.arg_count > 0)
        MarkPieced(TextAt(code().exprs[code().ArgsOf(expr)[0].value].loc), &taint);
      if (SaysOneOf(expr.text,
                    {"==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in", "is", "is not", "instanceof"})) {
        taint = {};
      }
      break;
    }
    case ExprKind::kUnknown: {
      for (const Arg& arg : code().ArgsOf(expr)) taint.Join(Eval(arg.value));
      if (!expr.text.empty()) taint = {};  // a truth or the name of a type: nothing of the value is in it
      break;
    }
    default: {
      if (expr.base != kNone) taint.Join(Eval(expr.base));
      if (expr.kind == ExprKind::kSlice && IsBackwards(code(), expr) &&
          sink_words::ReadsBackwards(ConstantBehind(expr.base)))
        taint.Join(Source(kDecoded, id, "reads a text backwards"));
      const bool pieces = expr.kind == ExprKind::kConcat || expr.kind == ExprKind::kFormat;
      std::string_view before;  // the piece before: folder + "/notes/" + name
      bool below = false;
      for (const Arg& arg : code().ArgsOf(expr)) {
        const bool choice = expr.kind == ExprKind::kChoice && expr.arg_count == 3;
        const bool asked = choice && &arg == code().ArgsOf(expr).data();
        choosing_ += choice && !asked ? 1 : 0;
        Taint part = Eval(arg.value);
        choosing_ -= choice && !asked ? 1 : 0;
        below = below || (before.ends_with('/') && ChosenBelow(taint, part));
        if (IsChatAddress(before, arg.name)) part = part.Without(kFileContent);
        // test ? one : other: what is asked is no part of the answer; but in the state of a graph it decides where that
        // goes.
        if (asked && (graphs_.empty() || graphs_[module_] == 0)) part = {};
        // [one.name for one in rows if one.key]: what is made of each, for which the name stands.
        if (expr.kind == ExprKind::kComprehension && arg.name == kEachOf) part = {};
        taint.Join(part);
        const bool said =
            pieces && arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kString;
        before = said ? std::string_view(code().exprs[arg.value].text) : std::string_view();
        if (pieces || expr.kind == ExprKind::kSpread) taint.Join(SaidInPlace(arg.value, expr.kind));
        if (expr.kind == ExprKind::kList) NoteListed(arg.value, &taint);
        if (expr.kind == ExprKind::kDict) NotePutEntry(arg.name, part, arg.value);
        if (expr.kind == ExprKind::kDict || expr.kind == ExprKind::kList) taint.Join(NamedPlace(arg.value));
        if ((expr.kind == ExprKind::kDict || expr.kind == ExprKind::kList) && arg.value < code().exprs.size() &&
            code().exprs[arg.value].kind == ExprKind::kName) {
          const Value& value = view().Evaluate(arg.value, function_);
          if (value.kind == ValueKind::kFunction && value.module < facts_.size()) {
            here().calls.push_back(Key(value.module, value.index));
          }
        }
      }
      if (below) taint.Add(kBelow);
      if (expr.kind == ExprKind::kConcat || expr.kind == ExprKind::kFormat) {
        for (const Arg& arg : code().ArgsOf(expr)) {
          if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kString) {
            MarkPieced(code().exprs[arg.value].text, &taint);
          }
        }
      }
      if (expr.kind == ExprKind::kList && last_) {
        JudgePair(id);
        JudgeIndexWords(id);
      }
      if (last_ && (expr.kind == ExprKind::kConcat || expr.kind == ExprKind::kFormat)) {
        for (const Arg& arg : code().ArgsOf(expr)) {
          if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kString) continue;
          JudgeAppended(arg.value);
          const std::string_view piece = code().exprs[arg.value].text;
          if (piece.find("](") != std::string_view::npos || piece.find("src=") != std::string_view::npos)
            JudgePicture(id, taint);
          if (&arg == code().ArgsOf(expr).data() || piece.ends_with("url(") || sink_words::Contains(piece, "url(http"))
            JudgeAddress(id, taint);
        }
      }
      if (expr.kind == ExprKind::kChoice && last_) JudgeExchanged(id);
      if (expr.kind == ExprKind::kDict && last_) {
        JudgeContainerSpec(id);
        JudgeFields(id);
        JudgeRole(id);
        JudgeSwapped(id);
        JudgePeerField(id);
        if (keeps_state_) JudgeKeptTable(id);
        JudgeSettings(id);
      }
      if (expr.kind == ExprKind::kComprehension) taint = OfEach(expr, taint);
      break;
    }
  }
  --depth_;
  return taint;
}

}  // namespace interlock::scan::code
