// One call: what it is, what it gives back, what it does with what it is given.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

// settings.API_TOKEN, of what `.env` holds: that variable, as if the environment had been asked.
bool Engine::NarrowToVariable(std::string_view key, Taint* taint) const {
  if (!taint->Has(kWeakSecretFile) || taint->Has(kSecretFile | kStore)) return false;
  if (!IsNameOfVariable(key) || put_entries_.contains(std::string(key))) return false;
  *taint = OneOfAll(*taint, key);
  return true;
}

// A part of something is not all that the whole is.
void Engine::Narrow(const Expr& part, std::string_view key, Taint* taint) {
  (void)NarrowToVariable(key, taint);
  // keys["KIT_API_KEY"]: one key out of several.
  if (taint->Has(kEnvSecret) && taint->vendors.any() && part.kind == ExprKind::kIndex && IsSecretName(key)) {
    const Vendors one = VendorOf(key);
    if ((one & taint->vendors).any() || ReadsVariable(code().text, key)) taint->vendors = one;
  }
}

// What stands in this function behind a box.
Taint Engine::OfOrigin(ExprId id) {
  FuncId where = function_;
  const ExprId origin = view().Origin(id, function_, &where);
  if (origin == id || origin == kNone || where != function_) return {};
  // count = store.get("n") + 1; store.set("n", count): what is put into a box was made out of what was in it.
  constexpr std::size_t kDeepest = 64;
  const std::pair<std::uint32_t, ExprId> one{module_, origin};
  if (origins_.size() >= kDeepest || std::ranges::find(origins_, one) != origins_.end()) return {};
  origins_.push_back(one);
  const Taint taint = Eval(origin);
  origins_.pop_back();
  return taint;
}

// config.store.put(...), runtime.store.search(...): the store that a graph hands to its nodes.
const CatalogueEntry* Engine::EntryOfStore(const Expr& method) const {
  if (graphs_.empty() || graphs_[module_] == 0 || method.base >= code().exprs.size()) return nullptr;
  const Expr& store = code().exprs[method.base];
  if (store.kind != ExprKind::kMember || store.text != "store") return nullptr;
  if (!SaysOneOf(method.text, {"put", "aput", "get", "aget", "search", "asearch"})) return nullptr;
  const std::string_view known =
      view().is_python() ? "langgraph.config.get_store()." : "@langchain/langgraph.InMemoryStore().";
  return Catalogue::For(code().language).Find(std::string(known) + std::string(method.text));
}

Taint Engine::EvalCall(ExprId id) {
  const Expr& expr = code().exprs[id];
  std::span<const Arg> args = code().ArgsOf(expr);
  std::vector<Arg> bound;  // those of functools.partial, then those of the call
  Call call;
  call.expr = id;
  call.callee = view().Callee(id, function_);
  call.args = args;
  const bool own = call.callee.kind == ValueKind::kFunction || call.callee.kind == ValueKind::kClass;
  call.entry = own ? nullptr : EntryOf(id, call.callee);
  const ExprId reflected = call.callee.text.ends_with("Reflect.construct") && args.size() >= 2 ? args[0].value : kNone;
  if (!own && MakesFunctions(reflected == kNone ? expr.base : reflected)) {
    call.entry = Catalogue::For(code().language).Find("Function");
    call.callee.text = "Function";
    if (last_) JudgeMaker(call, reflected == kNone ? expr.base : reflected);
    // Reflect.construct(maker, [text])
    if (reflected != kNone) call.args = args = args.subspan(1, 1);
  }
  const Expr* base = expr.base < code().exprs.size() ? &code().exprs[expr.base] : nullptr;
  if (call.entry == nullptr && !own && base != nullptr && base->kind == ExprKind::kMember && base->text == "open" &&
      view().is_python()) {
    // CONFIG.open("a"), where what CONFIG is called is known to be a path.
    const std::string path = Known(base->base);
    if (path.starts_with("~/") || path.starts_with("/"))
      call.entry = Catalogue::For(code().language).Find("pathlib.Path().open");
  }
  if (call.entry == nullptr && !own && base != nullptr && base->kind == ExprKind::kMember)
    call.entry = EntryOfStore(*base);
  if (call.entry == nullptr && !own && base != nullptr) {
    if (std::string lent = LentAs(expr.base); !lent.empty()) {
      call.entry = Catalogue::For(code().language).Find(lent);
      call.callee.kind = ValueKind::kQualified;
      call.callee.text = std::move(lent);
    }
  }
  if (base != nullptr && base->kind == ExprKind::kName) {
    ExprId origin = kNone;
    if (view().is_python()) {
      const CatalogueEntry* partial = PartialOf(expr.base, &origin);
      if (!own && partial == nullptr) origin = kNone;
      if (!own && partial != nullptr) call.entry = partial;
    } else if (own) {
      origin = BoundAt(expr.base);
    }
    if (origin != kNone) {
      const auto first = code().ArgsOf(code().exprs[origin]).subspan(1);
      bound.assign(first.begin(), first.end());
      bound.insert(bound.end(), args.begin(), args.end());
      args = bound;
      call.args = args;
    }
  }

  std::vector<Taint> taints(args.size());
  std::vector<std::pair<std::uint32_t, Value>> functions;
  for (std::uint32_t i = 0; i < args.size(); ++i) {
    if (args[i].value >= code().exprs.size()) continue;
    const Expr& arg = code().exprs[args[i].value];
    if (arg.kind == ExprKind::kFunction || arg.kind == ExprKind::kName || arg.kind == ExprKind::kMember) {
      const Value& value = view().Evaluate(args[i].value, function_);
      if (value.kind == ValueKind::kFunction) {
        functions.emplace_back(i, value);
        if (arg.kind == ExprKind::kFunction) continue;  // read below, with what it is given
      }
    }
    taints[i] = Eval(args[i].value);
    if (IsCommandLine(args[i].value)) taints[i] = taints[i].Without(kNetFixed | kNetStranger);
    call.all.Join(taints[i]);
  }
  call.taints = taints;
  if (base != nullptr) {
    if (base->kind == ExprKind::kMember || base->kind == ExprKind::kIndex) {
      // The receiver of a known function of a module is the module: nothing flows from there.
      const bool plain = call.entry != nullptr && call.callee.kind == ValueKind::kQualified &&
                         (call.entry->role == Role::kEnvRead || call.entry->role == Role::kEnvAll);
      if (!plain) call.receiver = Eval(base->base);
      // A copy of the environment asked for one variable.
      if (call.receiver.Has(kEnvAll) && !args.empty() && SaysOneOf(base->text, {"get", "pop"})) {
        const std::string key = view().Text(args[0].value, function_);
        if (!key.empty()) call.receiver = OneOfAll(call.receiver, key);
      }
    } else if (base->kind != ExprKind::kName) {
      call.receiver = Eval(expr.base);
    } else if (call.callee.kind == ValueKind::kUnknown || call.callee.kind == ValueKind::kInstance ||
               call.callee.text.ends_with("()")) {
      // $ = load(page); $("title"): an object that is called.
      call.receiver = Eval(expr.base);
    }
  }
  Taint result;
  bool handled = false;
  if (call.callee.kind == ValueKind::kFunction) {
    if (!CallsItself(call, taints, &result)) result = CallFunction(call.callee, args, taints, call.receiver, id);
    if (AsksForRoleKeys(args)) result.Join(Source(kStore, id, "asks the cloud for the keys of this machine's role"));
    result.Join(OfRunner(call));
    handled = true;
  } else if (call.callee.kind == ValueKind::kClass && call.callee.module < states_.size()) {
    const ModuleView& owner = *states_[call.callee.module].view;
    for (const std::string_view name : {"__init__", "constructor", "__post_init__"}) {
      const FuncId init = owner.MethodOf(call.callee.index, name);
      if (init == kNone) continue;
      Value function = call.callee;
      function.index = init;
      (void)CallFunction(function, args, taints, {}, id);
    }
    if (owner.MethodOf(call.callee.index, "__init__") == kNone && owner.is_python())
      FillRecord(call.callee, args, taints);
    result = call.all.Without(kEnvLabels);
    handled = true;
  } else if (call.callee.kind == ValueKind::kInstance && call.callee.module < states_.size() && base != nullptr &&
             base->kind != ExprKind::kMember) {
    // send = Sender(); send(v)
    Value function = call.callee;
    function.kind = ValueKind::kFunction;
    function.index = states_[call.callee.module].view->MethodOf(call.callee.index, "__call__");
    if (function.index != kNone) result = CallFunction(function, args, taints, call.receiver, id);
  } else if (call.entry == nullptr && (call.callee.kind == ValueKind::kUnknown || CallsAbove(expr))) {
    result = CallByName(call, taints, &handled);
  } else if (call.entry == nullptr && base != nullptr && !own) {
    result = CallElements(call, taints, &handled);
  }
  if (call.entry != nullptr) {
    Taint whole = call.all;
    whole.Join(call.receiver);
    std::swap(call.all, whole);
    result = Judge(call, &handled);
  }
  if (!own) {
    const std::string_view name = call.callee.text;
    const bool method = base != nullptr && base->kind == ExprKind::kMember;
    const std::string_view last = method ? base->text : name.substr(name.rfind('.') + 1);
    JudgeAgentCall(call, last, method);
    if (last_) JudgeTold(call, last);
    if (last_) JudgeLogged(call, last);
    if (last_) JudgePictureData(call, last);
    if (last_) JudgeSettingsCall(call, last);
    if (last_) JudgeDropped(call, last);
    if (last_) JudgeRanked(call, last);
    NoteLogHandler(call, last);
    JudgePushedAlong(call);
    JudgeSentAlong(call, last);
    JudgeStateGiven(call, last);
    result.Join(ToolAnswer(call, last));
    if (last_) JudgeLikeFetch(call);
    if (last_ && call.entry == nullptr) JudgeRemoteCommand(call, last);
    if (SaysOneOf(last, {"createMessage", "create_message"}) && Contains(code().text, "allServers")) {
      call.receiver.Join(Source(kKept, id, "has a model write out what has been said to the agent"));
    }
  }
  JudgeGrants(call);
  if (last_ && base != nullptr && (!own || base->kind == ExprKind::kMember)) {
    JudgeSeeds(call,
               base->kind == ExprKind::kMember
                   ? base->text
                   : std::string_view(call.callee.text).substr(call.callee.text.rfind('.') + 1),
               own);
  }
  if (!own && !log_hosts_.empty() && base != nullptr && base->kind == ExprKind::kMember &&
      SaysOneOf(base->text, {"info", "debug", "warning", "error", "critical", "log", "exception"})) {
    // What is logged goes where the logs are sent.
    const auto sent = log_hosts_.find(module_);
    Taint logged;
    for (const Taint& taint : taints) logged.Join(taint);
    if (sent != log_hosts_.end()) JudgeSend(call, logged, sent->second, {});
  }
  if (!own && !args.empty() && call.callee.text.starts_with("webbrowser.open")) {
    // What a browser is sent to, the host learns.
    const std::string host = KnownHost(Known(args[0].value));
    if (!host.empty()) JudgeSend(call, taints[0], host, {});
  }
  // const read = plain ? asList : asText: either may be called.
  if (own && base != nullptr && base->kind == ExprKind::kName && call.all.Has(kForeign | kSecretLabels)) {
    Dispatch(call);
  }
  if (!own && call.entry == nullptr) {
    NoteHanded(call);
    DispatchNamed(call);
    // answer.then(eval): a library's function that is given what the receiver holds.
    if (last_ && base != nullptr && base->kind == ExprKind::kMember &&
        SaysOneOf(base->text, {"then", "map", "forEach"})) {
      for (const Arg& arg : args) {
        if (arg.value >= code().exprs.size() ||
            (code().exprs[arg.value].kind != ExprKind::kName && code().exprs[arg.value].kind != ExprKind::kMember)) {
          continue;
        }
        const Value& given = view().Evaluate(arg.value, function_);
        if (given.kind == ValueKind::kQualified) JudgeGiven(EntryOf(arg.value, given), given, call.receiver, id);
      }
    }
  }
  if (!own) {
    NoteTapCall(call);
    NoteInterceptors(call);
  }
  bool letters = false;
  bool whether = false;
  if (!own && ComputesText(call, &letters)) result.Join(Source(kDecoded, id, "computes a text from numbers"));
  if (!taps_.empty() && call.callee.kind == ValueKind::kQualified && TappedHere() == call.callee.text) {
    result.Join(Source(kTapped, id, "takes what was meant for " + call.callee.text));
  }
  if (!handled && call.entry == nullptr && !own) {
    Settles(call);
    (void)Deferred(call, &result);
  }
  if (!handled) {
    const std::string_view name = call.callee.text;
    const bool method = base != nullptr && base->kind == ExprKind::kMember;
    const std::string_view last = method ? base->text : name.substr(name.rfind('.') + 1);
    if (last == "__subclasses__" && base != nullptr && last_ &&
        (TextAt(expr.loc).find("__base__") != std::string_view::npos ||
         TextAt(expr.loc).find("__mro__") != std::string_view::npos ||
         TextAt(expr.loc).find("__bases__") != std::string_view::npos)) {
      Raise("OBFUSC-002", id, {}, 0, "goes through all classes of the program for one that it does not name");
    }
    // A path out of a listed folder of keys.
    if (method && SaysOneOf(last, {"open", "read_text", "read_bytes"}) &&
        call.receiver.Has(kSecretName | kWeakSecretName)) {
      result.Join(Source(call.receiver.Has(kSecretName) ? kSecretFile : kWeakSecretFile, id, "reads such a file"));
    }
    JudgeHandedOver(call, last);
    JudgeServed(call);
    if (SaysOneOf(last, {"copy", "write", "writeSync", "writeText", "SetClipboardText", "setClipboardText"}) &&
        !args.empty() && (name.find("clip") != std::string_view::npos || name.find("Clip") != std::string_view::npos)) {
      JudgeDiverted(id, args[0].value, true);
    }
    Taint from_args = call.all;
    Taint from_receiver = call.receiver;
    // source.pipe(request): what is read here is sent there.
    if (method && last == "pipe" && !args.empty() && call.receiver.labels != 0) {
      const Value& sink = view().Evaluate(args[0].value, function_);
      const CatalogueEntry* entry =
          sink.text.empty() ? nullptr : Catalogue::For(code().language).Find(sink.text + ".write");
      if (entry != nullptr && entry->role == Role::kSocketSend) {
        Call sent = call;
        sent.entry = entry;
        JudgeSend(sent, call.receiver, HostOfHandle(args[0].value), {});
      }
      // answer.pipe(createWriteStream(file)): the file holds the answer.
      const ExprId stream = view().Origin(args[0].value, function_);
      if (call.receiver.Has(kNet) && stream < code().exprs.size() && code().exprs[stream].kind == ExprKind::kCall &&
          code().exprs[stream].arg_count > 0 && view().Callee(stream, function_).text.ends_with("createWriteStream")) {
        MarkPath(code().ArgsOf(code().exprs[stream])[0].value, call.receiver);
      }
    }
    if (call.entry != nullptr) from_receiver = {};
    const bool makes = expr.is_new || (!last.empty() && last[0] >= 'A' && last[0] <= 'Z');
    if (makes && !Transforms(last)) from_args = from_args.Without(kEnvLabels);
    // A schema's `parse` takes settings out of what it is given; JSON's gives all of it back.
    const bool again = name.ends_with("JSON.parse") || name == "json.loads" ||
                       SaysOneOf(last, {"add_header", "set_content", "set_payload", "attach"});
    if (!Transforms(name.empty() ? last : name) && !Transforms(last) && !again) from_args = from_args.Without(kEnvAll);
    // A connection was opened with a credential and does not hand it out: what it answers is the other side's. Given as
    // the one thing to open, it may be the file itself: sqlite3.connect(cookies).
    const bool whole = !args.empty() && args[0].name.empty() && args[0].value < code().exprs.size() &&
                       code().exprs[args[0].value].kind != ExprKind::kSpread &&
                       code().exprs[args[0].value].kind != ExprKind::kDict;
    if (OpensConnection(last) && !(whole && call.taints[0].Has(kSecretFile | kStore | kEnvLabels))) {
      from_args = from_args.Without(kSecretFile | kStore | kEnvLabels);
    }
    if (method && !KeepsContent(last)) from_receiver = from_receiver.Without(kEnvLabels);
    result.Join(from_args);
    result.Join(from_receiver);
    if (method && AnswersRows(last, base->base)) result.Join(Source(kRows, id, "asks a data base"));
    if (method && last == "format" && base->base < code().exprs.size()) {
      MarkPieced(view().Text(base->base, function_), &result);
    }
    if (method && last == "join" && view().is_python() && !args.empty() && view().Text(base->base, function_) == " ") {
      // Words of a command, some of which stand here.
      const ExprId words = view().Origin(args[0].value, function_);
      if (words < code().exprs.size() && code().exprs[words].kind == ExprKind::kList &&
          code().exprs[words].arg_count > 0) {
        MarkPieced(view().Text(code().ArgsOf(code().exprs[words])[0].value, function_), &result);
      }
    }
    if (method && SaysOneOf(last, {"elicit", "elicitInput"}) &&
        AnyOf(TextAt(expr.loc).substr(0, 600),
              {"password", "Password", "passphrase", "seed phrase", "recovery phrase", "private key"})) {
      result.Join(Source(kStore, id, "asks the user for a password"));
    }
    if (method && ComputesText(call, &letters)) result.Join(Source(kDecoded, id, "computes a text from numbers"));
    // f.write(answer): the file that `f` was opened for holds it.
    if (method && last == "write" && from_args.Has(kNet | kSecretFile | kStore)) {
      FuncId scope = function_;
      const ExprId handle = view().Origin(base->base, function_, &scope);
      if (handle < code().exprs.size() && code().exprs[handle].kind == ExprKind::kCall && scope == function_ &&
          TextAt(code().exprs[handle].loc).find("NamedTemporaryFile") != std::string_view::npos) {
        MarkPath(base->base, from_args);  // handle.name is its path
      } else if (handle < code().exprs.size() && code().exprs[handle].kind == ExprKind::kCall &&
                 code().exprs[handle].arg_count > 0 && scope == function_) {
        const ExprId path = code().ArgsOf(code().exprs[handle])[0].value;
        MarkPath(path, from_args);
        if (from_args.Has(kNetStranger) && IsOwnPath(path)) {
          Raise("RCE-001", id, from_args, kNetStranger, "replaces its own program by what it has fetched");
        }
      }
    }
    // A path of secrets given to whoever reads it: archive.add(path), sqlite3.connect(path).
    if (SaysOneOf(last, {"add", "connect", "write", "append", "load", "make_archive", "addFile"})) {
      for (const Arg& arg : args) {
        if (arg.value >= code().exprs.size()) continue;
        const std::string& shown = view().Text(arg.value, function_);
        PathKind kind = IsKeyFolder(shown) ? PathKind::kSecret : KindOfPath(shown);
        if (last == "add" && (shown.empty() || shown.find(kHole) != std::string::npos)) {
          const Taint named = Eval(arg.value);
          if (named.Has(kSecretName)) kind = PathKind::kSecret;
          if (kind == PathKind::kPlain && named.Has(kWeakSecretName)) kind = PathKind::kWeakSecret;
        }
        if (last == "write" && method && base->base < code().exprs.size()) {
          const ExprId archive = view().Origin(base->base, function_);
          const std::string_view made = archive < code().exprs.size() ? TextAt(code().exprs[archive].loc) : "";
          if (made.find("ZipFile(") == std::string_view::npos) continue;
          const Taint named = Eval(arg.value);
          if (named.Has(kSecretName)) kind = PathKind::kSecret;
          if (kind == PathKind::kPlain && named.Has(kWeakSecretName)) kind = PathKind::kWeakSecret;
        }
        if (const Taint kept = KeptAt(shown, id); kept.labels != 0 && last != "append") {
          from_args.Join(kept);
          result.Join(from_args);
          if (last == "make_archive" && view().Text(args[0].value, function_).size() > 3 && kept_paths_.size() < 64) {
            const std::string& made = view().Text(args[0].value, function_);
            for (const std::string_view end : {".zip", ".tar.gz", ".tar"})
              kept_paths_.try_emplace(made + std::string(end), kept);
          }
        }
        if (kind != PathKind::kSecret && kind != PathKind::kWeakSecret) continue;
        if (last == "append") continue;
        from_args.Join(Source(kind == PathKind::kSecret ? kSecretFile : kWeakSecretFile, id,
                              "takes " + view().Text(arg.value, function_).substr(0, 100)));
        result.Join(from_args);
      }
    }
    if (method) MarkArchive(call, last, from_args);
    // x.append(secret): what is put into a thing stays in it.
    const std::uint32_t attribute = method ? OwnAttribute(base->base) : kNone;
    if (method && from_args.labels != 0 && base->base < code().exprs.size() &&
        (code().exprs[base->base].kind == ExprKind::kName || attribute != kNone || IsQueryOf(base->base)) &&
        SaysOneOf(last, {"append",         "push",       "put",         "put_nowait",
                         "appendleft",     "enqueue",    "add",         "extend",
                         "update",         "write",      "set",         "insert",
                         "unshift",        "setdefault", "set_content", "writestr",
                         "add_attachment", "attach",     "set_payload", "add_field",
                         "field",          "feed",       "add_header",  "add_unredirected_header"})) {
      // url.searchParams.set(name, value)
      const bool query = IsQueryOf(base->base) || last.ends_with("_header");
      const ExprId into = IsQueryOf(base->base) ? code().exprs[base->base].base : base->base;
      const std::uint32_t slot = attribute != kNone ? attribute : view().SlotOf(into, function_);
      if (slot != kNone) {
        Taint kept = from_args;
        if (query) {
          // An address takes its parts encoded: they leave with it, and break out of nothing.
          constexpr Labels kLeaves =
              kSecretLabels | kWeakSecretFile | kKept | kClipboard | kKeys | kTapped | kEncoded | kEvent | kSaid;
          kept = kept.Only(kLeaves);
        }
        if (view().slots()[slot].scope != function_) {
          kept.fresh = kept.labels;
          kept.params = 0;
        }
        if ((states_[module_].slots[slot].labels | kept.labels) != states_[module_].slots[slot].labels) changed_ = true;
        states_[module_].slots[slot].Join(kept);
        if (view().slots()[slot].scope == kModuleBody && function_ != kModuleBody) {
          states_[module_].outside[slot].Join(kept);
        }
        // An archive over a buffer: what is put into the one is in the other.
        FuncId scope = function_;
        const ExprId handle = view().Origin(base->base, function_, &scope);
        if (kept.Has(kSecretLabels | kWeakSecretFile) && scope == function_ && handle < code().exprs.size() &&
            code().exprs[handle].kind == ExprKind::kCall) {
          for (const Arg& arg : code().ArgsOf(code().exprs[handle])) {
            if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kName) continue;
            const std::uint32_t buffer = view().SlotOf(arg.value, function_);
            if (buffer != kNone) states_[module_].slots[buffer].Join(kept);
          }
        }
      }
    }
    if (method) Fill(call, last);
    if (method && last == "get" && call.receiver.Has(kInput) && !args.empty() &&
        TellsHook(view().Text(args[0].value, function_), call.receiver)) {
      result.Join(Source(kKept, id, "takes what an agent tells its hook of the user's talk"));
    }
    if (method && last == "get" && call.receiver.Has(kEvent) && !args.empty())
      result = PartOfEvent(view().Text(args[0].value, function_), result);
    if (method && last == "get" && call.receiver.Has(kState) && !args.empty()) {
      ReadState(view().Text(args[0].value, function_));
    }
    if (last == "add_conditional_edges" || last == "addConditionalEdges") {
      for (const auto& [index, function] : functions) {
        routers_.insert(Key(function.module, function.index));
        Taint state;
        state.labels = kState;
        for (Taint& in : facts(function.module, function.index).in) in.Join(state);
      }
    }
    if (method && last == "pipe") {
      here().deeds |= (here().deeds & kDidPipe) != 0 ? kDidPipeTwice : kDidPipe;
      const auto part = [&](ExprId of) {
        return of < code().exprs.size() && code().exprs[of].kind == ExprKind::kMember
                   ? std::string_view(code().exprs[of].text)
                   : std::string_view();
      };
      if (!args.empty() && part(args[0].value) == "stdin") here().deeds |= kDidFeed;
      if (SaysOneOf(part(base->base), {"stdout", "stderr"})) here().deeds |= kDidDrain;
    }
    MarkJoined(call, &result);
    whether = method && AnswersWhether(last);
    if (whether) result = result.Without(kOfUser);
    // server.address().port: where a server listens, whoever asks it does not choose.
    if (method && last == "address" && args.empty()) result = result.Without(kCaller);
    if (IsCheck(last) || TestsWhole(call, last) || AsksWhetherListed(call, last)) {
      here().deeds |= kDidPathCheck;
      Checked(args);
      result = result.Without(kUnchecked);
      if (LetsOnlyNamesPast(call, last)) Settled(args[0].value);
    }
    if (last == "test" && RefusesSigns(call)) Settled(args[0].value);
    if (result.Has(kUnchecked) && Reshapes(call, last)) result = result.Without(kUnchecked);
  }
  if (call.callee.kind == ValueKind::kFunction && call.callee.module < states_.size()) {
    const Function& shape = states_[call.callee.module].view->module().functions[call.callee.index];
    const std::string_view body = states_[call.callee.module].view->module().text.substr(
        shape.loc.begin, std::min<std::size_t>(shape.loc.end - shape.loc.begin, 2'000));
    if (IsCheck(shape.name) || (result.Has(kUnchecked) && KeepsInside(body))) {
      here().deeds |= kDidPathCheck;
      Checked(args);
      result = result.Without(kUnchecked);
    } else if (result.Has(kUnchecked) && Scrubs(body)) {
      result = result.Without(kUnchecked);
    }
    if (result.Has(kToolArgument) && QuotesForShell(body)) result = result.Without(kCaller);
  }
  if (!own) {
    const std::string_view name = call.callee.text;
    const bool method = base != nullptr && base->kind == ExprKind::kMember;
    TakeGuards(call, method ? base->text : name.substr(name.rfind('.') + 1), &result);
  }
  // setattr(box, "name", value), getattr(box, "name"): what an object is given and gives.
  if (call.callee.text == "builtins.getattr" && !args.empty() && view().Origin(id, function_) != id)
    result.Join(taints[0]);
  // What is taken out of any other box.
  if (result.labels == 0 && args.size() <= 2 && call.entry == nullptr && !whether) result.Join(OfOrigin(id));
  if (call.callee.text == "builtins.setattr" && args.size() == 3 && taints[2].labels != 0 &&
      args[0].value < code().exprs.size() && code().exprs[args[0].value].kind == ExprKind::kName) {
    const std::uint32_t slot = view().SlotOf(args[0].value, function_);
    if (slot != kNone) {
      Taint& kept = states_[module_].slots[slot];
      changed_ = changed_ || (kept.labels | taints[2].labels) != kept.labels;
      kept.Join(taints[2]);
    }
  }
  if (letters) result.Join(Source(kComputed, id, "computes letters from numbers"));
  if (!own) Listen(call, functions);
  if (!functions.empty()) {
    Taint given = result;
    given.Join(call.receiver);
    for (std::uint32_t i = 0; i < args.size(); ++i) given.Join(taints[i]);
    Taint back;
    // graph.addNode("read", read).addNode("write", write): what one node gives, the other gets by name only.
    const bool node = base != nullptr &&
                      SaysOneOf(base->text, {"addNode", "add_node", "addConditionalEdges", "add_conditional_edges"});
    for (const auto& [index, function] : functions) {
      if (!node) CallBack(function, given, &back, id);
    }
    if (base != nullptr && base->text == "map" && GiveConstants(functions)) result = {};
    result.Join(back);
    result.Join(ComputedBy(call, functions));
    if (call.callee.text.ends_with("interceptors.request.use") && base != nullptr && base->base < code().exprs.size()) {
      // What an interceptor adds, every request carries.
      Call sent = call;
      JudgeSend(sent, back.Without(kTapped), HostOfHandle(code().exprs[code().exprs[base->base].base].base), {});
    }
    if (result.Has(kEnvAll) && base != nullptr && base->text == "filter" && PicksItsOwn(TextAt(expr.loc))) {
      result = result.Without(kEnvAll);
    }
  }
  if (!own && result.labels != 0) {
    const std::string_view name = call.callee.text;
    const bool method = base != nullptr && base->kind == ExprKind::kMember;
    // Whatever a fingerprint is made of, nobody chooses what it says; a method of the package's own may say anything.
    if (method && SaysOneOf(base->text, {"hexdigest", "digest"}) && call.callee.kind != ValueKind::kFunction &&
        AnyOf(code().text, {"hashlib", "createHash(", "createHmac(", "hmac.", "crypto.subtle"})) {
      result = result.Without(kForeign | kUnchecked | kBelow);
      if (AnyOf(TextAt(expr.loc).substr(0, 400), {"createHash(", "hashlib."})) result.params = 0;
    }
    if (Encodes(call, method ? base->text : name.substr(name.rfind('.') + 1))) result.Add(kEncoded);
  }
  return result;
}

}  // namespace interlock::scan::code
