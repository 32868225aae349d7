// What a call gives back of which nobody knows what it does: all that it is given, less what its name says it keeps.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

// source.pipe(request), pipeline(source, gzip, request): what is read here is sent there.
void Engine::JudgePiped(const Call& call, ExprId into, const Taint& what) {
  const Value& sink = view().Evaluate(into, function_);
  const CatalogueEntry* entry =
      sink.text.empty() ? nullptr : Catalogue::For(code().language).Find(sink.text + ".write");
  if (entry != nullptr && entry->role == Role::kSocketSend) {
    Call sent = call;
    sent.entry = entry;
    JudgeSend(sent, what, HostOfHandle(into), {});
  }
  // answer.pipe(createWriteStream(file)): the file holds it.
  const ExprId stream = view().Origin(into, function_);
  if (what.Has(kNet | kSecretFile | kStore) && stream < code().exprs.size() &&
      code().exprs[stream].kind == ExprKind::kCall && code().exprs[stream].arg_count > 0 &&
      view().Callee(stream, function_).text.ends_with("createWriteStream")) {
    MarkPath(code().ArgsOf(code().exprs[stream])[0].value, what);
  }
}

// What is done with the ends of a process by piping them.
void Engine::NotePiped(const Call& call) {
  here().deeds |= (here().deeds & kDidPipe) != 0 ? kDidPipeTwice : kDidPipe;
  const auto part = [&](ExprId of) {
    return of < code().exprs.size() && code().exprs[of].kind == ExprKind::kMember
               ? std::string_view(code().exprs[of].text)
               : std::string_view();
  };
  if (!call.args.empty() && part(call.args[0].value) == "stdin") here().deeds |= kDidFeed;
  if (SaysOneOf(part(call.base->base), {"stdout", "stderr"})) here().deeds |= kDidDrain;
}

// Of the arguments, what comes out of the call again.
// Of Go's own libraries: the same again, in other letters, in parts, or in an envelope.
static bool ChangesText(std::string_view name) {
  return name == "string" || name.starts_with("strings.") || name.starts_with("bytes.") ||
         name.starts_with("encoding/") || name.starts_with("fmt.Sprint") || name.starts_with("net/url.") ||
         name.starts_with("io.ReadAll") || name.starts_with("bufio.");
}

// asyncio.run(main()), future.result(): the same, once it is there; chain.from_iterable(parts), itemgetter("a")(table).
static bool Awaits(std::string_view name, std::string_view last) {
  return SaysOneOf(name,
                   {"asyncio.run", "asyncio.gather", "asyncio.wait_for", "asyncio.shield", "asyncio.wait",
                    "asyncio.as_completed", "asyncio.create_task", "asyncio.ensure_future", "anyio.run", "trio.run",
                    "concurrent.futures.as_completed", "concurrent.futures.wait", "itertools.chain.from_iterable",
                    "collections.Counter", "heapq.heappop", "operator.itemgetter()", "operator.attrgetter()"}) ||
         last == "run_until_complete" || last == "result";
}

Taint Engine::KeptOfArguments(const Call& call) const {
  const std::string_view name = call.callee.text;
  Taint kept = call.all;
  // What others may call begins with a capital in Go, whatever it does.
  const bool go = code().language == Language::kGo;
  const bool named_so =
      go ? call.last.starts_with("New") : !call.last.empty() && call.last[0] >= 'A' && call.last[0] <= 'Z';
  const bool makes = code().exprs[call.expr].is_new || named_so;
  if (go && ChangesText(name)) return kept;
  // R = namedtuple("R", "env n"); R(dict(os.environ), 1)
  const bool record = name.ends_with("namedtuple()");
  if (makes && !record && !Transforms(call.last) && !IsEnvelope(call.last)) kept = kept.Without(kEnvLabels);
  // A schema's `parse` takes settings out of what it is given; JSON's gives all of it back.
  const bool again = name.ends_with("JSON.parse") || name == "json.loads" || name.starts_with("globalThis.Promise.") ||
                     SaysOneOf(call.last, {"add_header", "set_content", "set_payload", "attach"}) ||
                     Awaits(name, call.last);
  // request.Header.Set(name, all), buffer.Write(all)
  const bool filled =
      go && SaysOneOf(call.last, {"Set", "Add", "Write", "WriteString", "WriteField", "Encode", "NopCloser",
                                  "SetBasicAuth", "AddCookie", "NewBufferString", "NewBuffer"});
  const bool whole_of_it = again || filled || record || (makes && IsEnvelope(call.last));
  if (!Transforms(name.empty() ? call.last : name) && !Transforms(call.last) && !whole_of_it)
    kept = kept.Without(kEnvAll);
  // A connection was opened with a credential and does not hand it out: what it answers is the other side's. Given as
  // the one thing to open, it may be the file itself: sqlite3.connect(cookies).
  const bool whole = !call.args.empty() && call.args[0].name.empty() && call.args[0].value < code().exprs.size() &&
                     code().exprs[call.args[0].value].kind != ExprKind::kSpread &&
                     code().exprs[call.args[0].value].kind != ExprKind::kDict;
  if (OpensConnection(call.last) && !(whole && call.taints[0].Has(kSecretFile | kStore | kEnvLabels)))
    kept = kept.Without(kSecretFile | kStore | kEnvLabels);
  return kept;
}

// f.write(answer): the file that `f` was opened for holds it.
void Engine::MarkWritten(const Call& call, Taint written) {
  if (written.Has(kDecoded)) written.Join(Source(kUnpacked, call.expr, "writes a file that it unpacks from a text"));
  FuncId scope = function_;
  const ExprId handle = view().Origin(call.base->base, function_, &scope);
  if (handle >= code().exprs.size() || code().exprs[handle].kind != ExprKind::kCall || scope != function_) return;
  if (Contains(TextAt(code().exprs[handle].loc), "NamedTemporaryFile")) {
    MarkPath(call.base->base, written);  // handle.name is its path
    return;
  }
  if (code().exprs[handle].arg_count == 0) return;
  const ExprId path = code().ArgsOf(code().exprs[handle])[0].value;
  MarkPath(path, written);
  if (written.Has(kNetStranger) && IsOwnPath(path))
    Raise("RCE-001", call.expr, written, kNetStranger, "replaces its own program by what it has fetched");
}

// A path of secrets given to whoever reads it: archive.add(path), sqlite3.connect(path).
void Engine::TakeGivenPaths(const Call& call, Taint* given, Taint* result) {
  const bool packs = call.last == "write" && call.IsMethod() && call.base->base < code().exprs.size();
  if (packs) {
    const ExprId archive = view().Origin(call.base->base, function_);
    if (archive >= code().exprs.size() || !Contains(TextAt(code().exprs[archive].loc), "ZipFile(")) return;
  }
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    const std::string& shown = view().Text(arg.value, function_);
    PathKind kind = IsKeyFolder(shown) ? PathKind::kSecret : KindOfPath(shown);
    const bool unsaid = shown.empty() || Contains(shown, std::string_view(&kHole, 1));
    if (packs || (call.last == "add" && unsaid)) {
      const Taint named = Eval(arg.value);
      if (named.Has(kSecretName)) kind = PathKind::kSecret;
      if (kind == PathKind::kPlain && named.Has(kWeakSecretName)) kind = PathKind::kWeakSecret;
    }
    if (const Taint kept = KeptAt(shown, call.expr); kept.labels != 0) {
      given->Join(kept);
      result->Join(*given);
      if (call.last == "make_archive") NoteArchive(view().Text(call.args[0].value, function_), kept);
    }
    if (kind != PathKind::kSecret && kind != PathKind::kWeakSecret) continue;
    given->Join(
        Source(kind == PathKind::kSecret ? kSecretFile : kWeakSecretFile, call.expr, "takes " + shown.substr(0, 100)));
    result->Join(*given);
  }
}

// shutil.make_archive(name, ...): the file that it makes holds what was packed.
void Engine::NoteArchive(const std::string& name, const Taint& packed) {
  constexpr std::size_t kMaxArchived = 64;
  if (name.size() <= 3 || kept_paths_.size() >= kMaxArchived) return;
  for (const std::string_view end : {".zip", ".tar.gz", ".tar"})
    kept_paths_.try_emplace(name + std::string(end), packed);
}

namespace {

// meta.add_itxt(...), chunks.splice(...), sheet.setCell(...): no list has all of them. A client is given its key.
bool FillsByName(std::string_view method) {
  constexpr std::array<std::string_view, 7> kBegins = {"add", "set", "put", "append", "insert", "write", "splice"};
  if (std::ranges::none_of(kBegins, [&](std::string_view begin) { return method.starts_with(begin); })) return false;
  return !AnyOf(LowerCase(method), {"auth", "cred", "token", "key", "cookie", "proxy", "session", "config", "option",
                                    "header", "listener", "handler", "timeout", "url", "client"});
}

}  // namespace

bool Engine::WritesToFirst(const Call& call) const {
  return code().language == Language::kGo && call.args.size() >= 2 &&
         SaysOneOf(call.callee.text,
                   {"fmt.Fprintf", "fmt.Fprint", "fmt.Fprintln", "io.Copy", "io.CopyN", "io.WriteString"});
}

// fmt.Fprintf(w, "...", secret), io.Copy(w, from): what is written to the first argument, a buffer keeps and a
// connection takes away.
void Engine::KeepInFirst(const Call& call) {
  // Object.assign(report, process.env), Object.defineProperty(report, "all", {value: process.env})
  const bool assigns = SaysOneOf(call.callee.text, {"globalThis.Object.assign", "globalThis.Object.defineProperty"}) &&
                       call.args.size() >= 2;
  if (!assigns && !WritesToFirst(call)) return;
  Taint given;
  for (const Taint& taint : call.taints.subspan(1)) given.Join(taint);
  const ExprId first = call.args[0].value;
  // f, err := os.OpenFile(path, ...); io.Copy(f, answer.Body): the file holds the answer.
  if (const Taint fetched = given.Only(kNet | kNetFixed | kNetStranger); fetched.labels != 0 && first != kNone) {
    FuncId made_in = function_;
    const ExprId opened = view().Origin(first, function_, &made_in);
    if (made_in == function_ && opened < code().exprs.size() && code().exprs[opened].kind == ExprKind::kCall &&
        code().exprs[opened].arg_count > 0 &&
        SaysOneOf(view().Callee(opened, function_).text, {"os.Create", "os.OpenFile"})) {
      MarkPath(code().ArgsOf(code().exprs[opened])[0].value, fetched);
    }
  }
  given = given.Only(kHeldByAnything);
  if (given.labels == 0 || first >= code().exprs.size() || code().exprs[first].kind != ExprKind::kName) return;
  if (const std::string host = HostOfHandle(first); !host.empty()) {
    Call sent = call;
    return JudgeSend(sent, given, host, {});
  }
  const std::uint32_t slot = view().SlotOf(first, function_);
  if (slot == kNone) return;
  Taint& kept = states_[module_].slots[slot];
  if ((kept.labels | given.labels) != kept.labels) changed_ = true;
  kept.Join(given);
  KeepInContainers(first, given);  // w, err := form.CreateFormFile(...); io.Copy(w, f): the form's body
}

// An archive over a buffer, an encoder over a compressor over a buffer: what is put into the one is in the others. So
// is what is put into a part of it that a method of it has made.
void Engine::KeepInContainers(ExprId receiver, const Taint& kept) {
  const Labels carried =
      kSecretLabels | kWeakSecretFile | (code().language == Language::kGo ? kKept | kClipboard | kEnvAll : Labels{0});
  if (!kept.Has(carried)) return;
  constexpr std::size_t kMostMakers = 8;
  const auto named = [&](ExprId expr) {
    return expr < code().exprs.size() && code().exprs[expr].kind == ExprKind::kName;
  };
  std::vector<ExprId> open = {receiver};
  for (std::size_t i = 0; i < open.size() && i < kMostMakers; ++i) {
    FuncId made_in = function_;
    const bool call = open[i] < code().exprs.size() && code().exprs[open[i]].kind == ExprKind::kCall;
    const ExprId handle = call ? open[i] : view().Origin(open[i], function_, &made_in);
    if (made_in != function_ || handle >= code().exprs.size() || code().exprs[handle].kind != ExprKind::kCall) continue;
    for (const Arg& arg : code().ArgsOf(code().exprs[handle])) {
      if (!named(arg.value)) continue;
      const std::uint32_t buffer = view().SlotOf(arg.value, function_);
      if (buffer == kNone) continue;
      states_[module_].slots[buffer].Join(kept);
      open.push_back(arg.value);
    }
    const ExprId maker = code().exprs[handle].base;
    if (maker < code().exprs.size() && code().exprs[maker].kind == ExprKind::kMember && named(code().exprs[maker].base))
      open.push_back(code().exprs[maker].base);
  }
}

// SimpleNamespace(all=environ), fields.set("all", process.env), namedtuple("R", "name all")("x", environ)
void Engine::NoteFields(const Call& call) {
  if (!call.all.Has(kEnvAll)) return;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!call.args[i].name.empty()) NotePutEntry(call.args[i].name, call.taints[i], call.args[i].value);
  }
  if (call.last == "set" && call.args.size() == 2 && call.taints[1].Has(kEnvAll))
    NotePutEntry(view().Text(call.args[0].value, function_), call.taints[1], call.args[1].value);
  if (!call.callee.text.ends_with("namedtuple()")) return;
  const ExprId maker = MakerOf(code().exprs[call.expr].base).expr;
  if (maker >= code().exprs.size() || code().exprs[maker].arg_count < 2) return;
  const std::string& names = view().Text(code().ArgsOf(code().exprs[maker])[1].value, function_);
  std::size_t from = 0;
  for (std::size_t i = 0; i < call.args.size() && from < names.size(); ++i) {
    const std::size_t end = std::min(names.find_first_of(" ,", from), names.size());
    NotePutEntry(std::string_view(names).substr(from, end - from), call.taints[i], call.args[i].value);
    from = std::min(names.find_first_not_of(" ,", end), names.size());
  }
}

// bs58.encode(wallet.secretKey), Buffer.from(pair.secretKey).toString("hex"): the private half of a pair of keys in
// letters, which nothing that signs with it needs. A function that makes a wallet gives it back.
Taint Engine::WrittenKey(const Call& call) {
  constexpr std::size_t kLongest = 200;
  if (statement_.kind == StmtKind::kReturn) return {};
  if (!SaysOneOf(call.last, {"encode", "toString", "stringify", "hexlify", "toHex", "bytesToHex", "encodeBase64",
                             "encodeBase58", "b58encode"}))
    return {};
  const std::string_view text = TextAt(code().exprs[call.expr].loc);
  if (text.size() > kLongest || !Contains(text, ".secretKey") || !UsesKeyPairs(code())) return {};
  return Source(kSecretFile, call.expr, "writes out the private half of a pair of keys");
}

// seen["a"].append(x), seen.setdefault("a", []).append(x): what is put into a part, the whole holds.
ExprId Engine::HolderOf(ExprId part) const {
  constexpr int kDeepest = 4;
  for (int i = 0; i < kDeepest; ++i) {
    const Expr& expr = code().exprs[part];
    ExprId whole = kNone;
    if (expr.kind == ExprKind::kIndex) whole = expr.base;
    if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size() &&
        code().exprs[expr.base].kind == ExprKind::kMember && code().exprs[expr.base].text == "setdefault")
      whole = code().exprs[expr.base].base;
    if (whole >= code().exprs.size()) break;
    part = whole;
  }
  return part;
}

// x.append(secret): what is put into a thing stays in it.
void Engine::KeepInReceiver(const Call& call, const Taint& given) {
  ExprId receiver = call.base->base;
  if (given.labels == 0 || receiver >= code().exprs.size()) return;
  std::string last(call.last);
  if (code().language == Language::kGo) {
    last = LowerCase(last.substr(0, 1)) + last.substr(1);
    // request.Header.Set(name, value): the request carries it.
    const Expr& part = code().exprs[receiver];
    if (part.kind == ExprKind::kMember && part.text == "Header" && part.base < code().exprs.size())
      receiver = part.base;
  } else if (const Expr& part = code().exprs[receiver]; part.kind == ExprKind::kMember && part.text == "headers") {
    receiver = part.base;  // session.headers.update({...})
    if (receiver >= code().exprs.size()) return;
  }
  if (SaysOneOf(last, {"append", "push", "add", "extend", "insert", "unshift", "appendleft", "put"}))
    receiver = HolderOf(receiver);
  const std::uint32_t attribute = OwnAttribute(receiver);
  const bool query = IsQueryOf(receiver);  // url.searchParams.set(name, value)
  if (code().language == Language::kGo && last == "encode" && code().exprs[receiver].kind == ExprKind::kCall)
    return KeepInContainers(receiver, given);
  const Expr& holder = code().exprs[receiver];
  std::uint32_t far_module = kNone;
  std::uint32_t far_slot = kNone;
  // store.items.append(x), client.queue.put(x), of another module or an object of one
  const bool far = attribute == kNone && !query && holder.kind == ExprKind::kMember &&
                   FindElsewhere(view().Evaluate(holder.base, function_), holder.text, &far_module, &far_slot);
  if (holder.kind != ExprKind::kName && attribute == kNone && !query && !far) return;
  const bool listed = SaysOneOf(last, {"append",
                                       "push",
                                       "put",
                                       "put_nowait",
                                       "appendleft",
                                       "enqueue",
                                       "add",
                                       "extend",
                                       "update",
                                       "write",
                                       "set",
                                       "insert",
                                       "unshift",
                                       "setdefault",
                                       "set_content",
                                       "writestr",
                                       "add_attachment",
                                       "attach",
                                       "set_payload",
                                       "add_field",
                                       "field",
                                       "feed",
                                       "add_header",
                                       "add_unredirected_header",
                                       "push_str",
                                       "write_str",
                                       "extend_from_slice"});
  // json.NewEncoder(w).Encode(v), request.SetBasicAuth(name, v)
  const bool encodes = code().language == Language::kGo && SaysOneOf(last, {"encode", "setBasicAuth", "addCookie"});
  if (!listed && !encodes && !FillsByName(last)) return;
  if (far) return StoreElsewhere(far_module, far_slot, listed ? given : given.Only(kHeldByAnything));
  if (const std::uint64_t shared = listed && holder.kind == ExprKind::kName ? SharedVariable(receiver) : kNone;
      shared != kNone && (shared >> 32U) != module_)
    StoreElsewhere(static_cast<std::uint32_t>(shared >> 32U), static_cast<std::uint32_t>(shared), given);
  const std::uint32_t slot =
      attribute != kNone ? attribute : view().SlotOf(query ? code().exprs[receiver].base : receiver, function_);
  if (slot == kNone) return;
  ModuleState& state = states_[module_];
  const FuncId scope = view().slots()[slot].scope;
  Taint kept = given;
  if (!listed) kept = kept.Only(kHeldByAnything);
  if (query || last.ends_with("_header")) {
    // An address takes its parts encoded: they leave with it, and break out of nothing.
    constexpr Labels kLeaves =
        kSecretLabels | kWeakSecretFile | kKept | kClipboard | kKeys | kTapped | kEncoded | kEvent | kSaid;
    kept = kept.Only(kLeaves);
  }
  if (scope != function_) {
    kept.fresh = kept.labels;
    kept.params = 0;
  }
  if ((state.slots[slot].labels | kept.labels) != state.slots[slot].labels) changed_ = true;
  state.slots[slot].Join(kept);
  if (scope == kModuleBody) (function_ == kModuleBody ? state.added : state.outside)[slot].Join(kept);
  KeepInContainers(receiver, kept);
}

// " ".join(["git", "clone", url]): words of a command, some of which stand here.
void Engine::MarkJoinedWords(const Call& call, Taint* result) {
  if (call.last != "join" || !view().is_python() || call.args.empty()) return;
  if (view().Text(call.base->base, function_) != " ") return;
  const ExprId words = view().Origin(call.args[0].value, function_);
  if (words < code().exprs.size() && code().exprs[words].kind == ExprKind::kList && code().exprs[words].arg_count > 0)
    MarkPieced(view().Text(code().ArgsOf(code().exprs[words])[0].value, function_), result);
}

// What `box.get("name")` takes out of an event, of a graph's state, of what an agent tells its hook.
void Engine::TakePart(const Call& call, Taint* result) {
  if (call.last != "get" || call.args.empty()) return;
  const ExprId key = call.args[0].value;
  if (call.receiver.Has(kInput) && TellsHook(view().Text(key, function_), call.receiver))
    result->Join(Source(kKept, call.expr, "takes what an agent tells its hook of the user's talk"));
  if (call.receiver.Has(kEvent)) *result = PartOfEvent(view().Text(key, function_), *result);
  if (call.receiver.Has(kState)) ReadState(view().Text(key, function_));
}

// graph.add_conditional_edges("read", choose): what chooses the next node is given the graph's state.
void Engine::NoteRouters(const Call& call) {
  if (call.last != "add_conditional_edges" && call.last != "addConditionalEdges") return;
  for (const auto& [index, function] : call.functions) {
    routers_.insert(Key(function.module, function.index));
    Taint state;
    state.labels = kState;
    for (Taint& in : facts(function.module, function.index).in) in.Join(state);
  }
}

// const api = new Octokit({auth: token}); api.rest.pulls.list(): what a service answers to its client is not the key.
bool Engine::IsClientWithKey(ExprId object) const {
  constexpr int kMostMembers = 6;
  for (int i = 0; i < kMostMembers && object < code().exprs.size() && code().exprs[object].kind == ExprKind::kMember;
       ++i) {
    object = code().exprs[object].base;
  }
  FuncId where = function_;
  const ExprId made = view().Origin(object, function_, &where);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall ||
      view().Callee(made, where).kind != ValueKind::kQualified)
    return false;
  const auto is_key = [](const Arg& arg) {
    return SaysOneOf(arg.name, {"auth", "token", "accessToken", "access_token", "apiKey", "api_key", "key", "password",
                                "secret", "credentials"});
  };
  return std::ranges::any_of(code().ArgsOf(code().exprs[made]), [&](const Arg& arg) {
    if (is_key(arg)) return true;
    return arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kDict &&
           std::ranges::any_of(code().ArgsOf(code().exprs[arg.value]), is_key);
  });
}

void Engine::JoinAnswerOfUnknown(Call* asked, Taint* result) {
  Call& call = *asked;
  const bool method = call.IsMethod();
  const std::string_view text = TextAt(code().exprs[call.expr].loc);
  if (call.last == "__subclasses__" && call.base != nullptr && last_ &&
      AnyOf(text, {"__base__", "__mro__", "__bases__"}))
    Raise("OBFUSC-002", call.expr, {}, 0, "goes through all classes of the program for one that it does not name");
  if (SaysOneOf(call.callee.text,
                {"builtins.items", "builtins.values", "builtins.__dict__.items", "builtins.__dict__.values"}) &&
      last_ && AnyOf(TextAt(statement_.loc), {"[:", "[-", "[0]", "startswith", "endswith", "len("}))
    Raise("OBFUSC-002", call.expr, {}, 0, "goes through all builtins for one that it does not name");
  // A path out of a listed folder of keys.
  if (method && SaysOneOf(call.last, {"open", "read_text", "read_bytes"}) &&
      call.receiver.Has(kSecretName | kWeakSecretName)) {
    result->Join(
        Source(call.receiver.Has(kSecretName) ? kSecretFile : kWeakSecretFile, call.expr, "reads such a file"));
  }
  JudgeHandedOver(call, call.last);
  JudgeServed(call);
  if (SaysOneOf(call.last, {"copy", "write", "writeSync", "writeText", "SetClipboardText", "setClipboardText"}) &&
      !call.args.empty() && AnyOf(call.callee.text, {"clip", "Clip"})) {
    JudgeDiverted(call.expr, call.args[0].value, true);
  }
  if (method && call.last == "pipe" && !call.args.empty() && call.receiver.labels != 0)
    JudgePiped(call, call.args[0].value, call.receiver);
  if (call.last == "pipeline" && call.args.size() > 1 && call.taints[0].labels != 0 && !view().is_python()) {
    const auto into = std::ranges::find_if(call.args.rbegin(), call.args.rend(), [&](const Arg& arg) {
      return arg.value < code().exprs.size() && code().exprs[arg.value].kind != ExprKind::kFunction;
    });
    if (into != call.args.rend()) JudgePiped(call, into->value, call.taints[0]);
  }

  NoteFields(call);
  Taint given = KeptOfArguments(call);
  Taint receiver = call.entry != nullptr ? Taint() : call.receiver;
  // future.result() is what was computed; a client's answer does not hold the key that it was made with.
  if (method && !KeepsContent(call.last))
    receiver = receiver.Without(call.last == "result" ? kEnvLabels & ~kEnvAll : kEnvLabels);
  if (method && receiver.Has(kSecretFile | kStore) && IsClientWithKey(call.base->base)) {
    receiver = receiver.Without(kSecretFile | kStore);
    // api.paginate(api.rest.pulls.listFiles, {...}): what is asked for is named by a part of the client.
    const ExprId first = call.args.empty() ? kNone : call.args[0].value;
    if (first < code().exprs.size() && code().exprs[first].kind == ExprKind::kMember && IsClientWithKey(first))
      given = given.Without(kSecretFile | kStore);
  }
  // out.replace(token, "***"), out.split(token).join("***"): what is looked for is not in what comes out.
  if (method && !call.args.empty() && SaysOneOf(call.last, {"replace", "replaceAll", "split"}) &&
      (call.taints[0].labels & kSecretLabels) != 0 &&
      (call.args.size() < 2 || (call.taints[1].labels & kSecretLabels) == 0)) {
    given = given.Without(kSecretLabels);
    receiver = receiver.Without(call.taints[0].labels & kSecretLabels);
  }
  // What a library has signed with a key is not the key.
  if ((method && call.last == "detached") || call.last.starts_with("sign")) {
    constexpr Labels kKeysOf = kSecretLabels | kWeakSecretFile;
    receiver = receiver.Without(kKeysOf);
    given = given.Without(kKeysOf);
  }
  result->Join(given);
  result->Join(receiver);
  if (method && AnswersRows(call.last, call.base->base)) result->Join(Source(kRows, call.expr, "asks a data base"));
  if (method && call.last == "format" && call.base->base < code().exprs.size())
    MarkPieced(view().Text(call.base->base, function_), result);
  if (method) MarkJoinedWords(call, result);
  if (method && SaysOneOf(call.last, {"elicit", "elicitInput", "elicit_form"})) JudgeElicited(call, result);
  if (method && SaysOneOf(call.last, {"write", "writelines"})) JudgeWrittenByHandle(call);
  if (method && call.last == "write" && given.Has(kNet | kSecretFile | kStore | kDecoded)) MarkWritten(call, given);
  if (SaysOneOf(call.last, {"add", "connect", "write", "load", "make_archive", "addFile", "addLocalFolder",
                            "addLocalFile", "directory"}) ||
      OpensFile(call.callee.text))
    TakeGivenPaths(call, &given, result);
  KeepInFirst(call);
  if (WritesToFirst(call)) *result = {};  // a number, and what went wrong
  if (method) {
    MarkArchive(call, call.last, given);
    KeepInReceiver(call, given);
    Fill(call, call.last);
    TakePart(call, result);
  }
  NoteRouters(call);
  if (call.last == "chdir" && !call.args.empty()) folders_[module_] = Known(call.args[0].value);
  if (method && call.last == "pipe") NotePiped(call);
  if (method && SaysOneOf(call.last, {"pipe", "directory", "file", "append", "glob", "entry"}))
    PourOn(call, given.Only(kSecretFile | kStore | kWeakSecretFile | kEnvAll));
  MarkJoined(call, result);
  if (method && AnswersWhether(call.last)) *result = result->Without(kOfUser);
  // server.address().port: where a server listens, whoever asks it does not choose.
  if (method && call.last == "address" && call.args.empty()) *result = result->Without(kCaller);
  if (IsCheck(call.last) || TestsWhole(call, call.last) || AsksWhetherListed(call, call.last)) {
    here().deeds |= kDidPathCheck;
    Checked(call.args);
    *result = result->Without(kUnchecked);
    if (LetsOnlyNamesPast(call, call.last)) Settled(call.args[0].value);
  }
  if (call.last == "test" && RefusesSigns(call)) Settled(call.args[0].value);
  if (result->Has(kUnchecked) && Reshapes(call, call.last)) *result = result->Without(kUnchecked);
}

}  // namespace interlock::scan::code
