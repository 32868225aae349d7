// Who listens to what others tell: emitters of events, event targets, subjects, streams, sockets.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using sink_words::AnyOf;

namespace {

constexpr std::string_view kAnyEvent = "*";  // its name is known at run time only

// What tells: whatever a program of Python logs.
const std::string& Logging() {
  static const std::string kName = "logging";
  return kName;
}

bool MayBe(std::string_view told, std::string_view heard) {
  return told == heard || told == kAnyEvent || heard == kAnyEvent;
}

}  // namespace

// What an object tells under a name: every listener is given it, and so is whoever waits for it. `said`: the one thing
// that is told, where it is one.
void Engine::Tell(const std::string& object, std::string_view event, const Taint& given, ExprId at, ExprId said) {
  if (object.empty()) return;
  if (given.labels != 0) {
    Taint& told = channels_[object].told[std::string(event)];
    if ((told.labels | given.labels) != told.labels) changed_ = true;
    told.Join(given.SeenFromOutside());
  }
  const auto channel = channels_.find(object);
  if (channel == channels_.end()) return;
  Taint back;
  const std::vector<std::pair<std::string, Value>> listeners = channel->second.listeners;  // one may listen to more
  for (const auto& [heard, listener] : listeners) {
    if (MayBe(event, heard)) CallBack(listener, given, &back, given.Has(kSecretFile | kStore) ? kNone : at, said);
  }
}

void Engine::Hear(const std::string& object, std::string_view event, const Value& listener) {
  constexpr std::size_t kMostListeners = 32;
  if (object.empty()) return;
  auto& known = channels_[object].listeners;
  const bool there = std::ranges::any_of(known, [&](const auto& one) {
    return one.second.module == listener.module && one.second.index == listener.index && one.first == event;
  });
  if (there || known.size() >= kMostListeners) return;
  known.emplace_back(event, listener);
  changed_ = true;
}

// By which what an object tells is known; empty: nobody can say which object it is.
std::string Engine::TellerOf(ExprId object) const {
  const std::uint32_t attribute = OwnAttribute(object);
  const std::uint32_t slot = attribute != kNone ? attribute : view().SlotOf(object, function_);
  // class Bus extends EventEmitter: whichever object of it tells.
  const Value& owner = view().Evaluate(object, function_);
  const bool own_class = owner.kind == ValueKind::kInstance && owner.module < states_.size();
  if (slot == kNone && !own_class) return {};
  const std::uint64_t shared = attribute != kNone ? kNone : SharedVariable(object);
  constexpr std::uint64_t kOfClass = 1ULL << 63U;
  const std::uint64_t variable = own_class         ? Key(owner.module, owner.index) | kOfClass
                                 : shared == kNone ? Key(module_, slot)
                                                   : shared;
  return std::to_string(variable);
}

// new EventEmitter(), new Bus() of class Bus extends EventEmitter: what is told there is given to those who listen, and
// to nobody else.
bool Engine::IsEmitter(ExprId object) const {
  const Value& made = view().Evaluate(object, function_);
  if (made.kind != ValueKind::kInstance) return false;
  if (made.module >= states_.size()) return made.text.ends_with("EventEmitter");
  const ModuleView& there = *states_[made.module].view;
  if (made.index >= there.module().classes.size()) return false;
  const Class& own = there.module().classes[made.index];
  return std::ranges::any_of(own.bases, [&](ExprId base) {
    return base < there.module().exprs.size() && there.module().exprs[base].text.ends_with("EventEmitter");
  });
}

// A name as it is written; kAnyEvent of one that a wrapper is given: fire(name, ...data) { this.emit(name, ...data); }
std::string Engine::EventNamed(ExprId name) const {
  constexpr std::size_t kLongest = 80;
  std::string event = view().Text(name, function_);
  if (event.empty() && IsParameter(name)) return std::string(kAnyEvent);
  return event.size() > kLongest ? std::string() : event;
}

// "done", of new CustomEvent("done", {detail})
std::string Engine::NameOfEvent(ExprId event) const {
  const ExprId made = view().Origin(event, function_);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall || code().exprs[made].arg_count == 0)
    return {};
  return view().Text(code().ArgsOf(code().exprs[made])[0].value, function_);
}

// once(bus, "ready"), on(bus, "ready") of Node's events: what is told there.
Taint Engine::Awaited(const Call& call) {
  if (view().is_python() || call.args.size() < 2 || !SaysOneOf(call.callee.text, {"events.once", "events.on"}))
    return {};
  Taint all;
  const auto channel = channels_.find(TellerOf(call.args[0].value));
  if (channel == channels_.end()) return all;
  const std::string event = EventNamed(call.args[1].value);
  for (const auto& [name, told] : channel->second.told) {
    if (MayBe(name, event)) all.Join(told);
  }
  return all;
}

// pass.write(data), pass.end(data): functions that a stream was made with are given it, and whoever reads from it.
void Engine::FeedStream(const Call& call, const Expr& method) {
  if (!SaysOneOf(method.text, {"write", "end"}) || call.taints[0].labels == 0) return;
  const Value& stream = view().Evaluate(method.base, function_);
  const std::string_view made = stream.text;
  const bool own = stream.kind == ValueKind::kInstance && stream.module < states_.size();
  if (!own && (!made.starts_with("stream.") || !AnyOf(made, {"Transform", "Writable", "Duplex", "PassThrough"})))
    return;
  Taint back;
  if (own) {
    // class Ship extends Writable { _write(chunk, encoding, done) {} }
    const ModuleView& there = *states_[stream.module].view;
    Value function = stream;
    function.kind = ValueKind::kFunction;
    for (const std::string_view name : {"_write", "_transform"}) {
      function.index = there.MethodOf(stream.index, name);
      if (function.index != kNone) CallBack(function, call.taints[0], &back, call.expr);
    }
  } else {
    FuncId scope = function_;
    const ExprId maker = view().Origin(method.base, function_, &scope);
    const bool with =
        maker < code().exprs.size() && code().exprs[maker].kind == ExprKind::kCall && code().exprs[maker].arg_count > 0;
    const Value options = with ? view().Evaluate(code().ArgsOf(code().exprs[maker])[0].value, scope) : Value();
    for (std::size_t i = 0; i < options.items.size() && i < options.keys.size(); ++i) {
      if (SaysOneOf(options.keys[i], {"write", "transform"}) && options.items[i].kind == ValueKind::kFunction)
        CallBack(options.items[i], call.taints[0], &back, call.expr);
    }
  }
  Taint out = call.taints[0];
  out.Join(back);
  Tell(TellerOf(method.base), "data", out, call.expr);
}

// archive.pipe(stream); archive.directory(folder): what is put in later flows on as well.
void Engine::PourOn(const Call& call, const Taint& put) {
  const Expr* function = FunctionOf(call);
  if (function == nullptr || function->kind != ExprKind::kMember) return;
  const std::uint32_t slot = view().SlotOf(function->base, function_);
  if (slot == kNone) return;
  std::vector<ExprId>& targets = pipes_[Key(module_, slot)];
  if (call.last == "pipe") {
    constexpr std::size_t kMost = 4;
    const ExprId to = call.args.empty() ? kNone : call.args[0].value;
    if (to != kNone && targets.size() < kMost && std::ranges::find(targets, to) == targets.end()) targets.push_back(to);
    return;
  }
  for (const ExprId to : targets) JudgePiped(call, to, put);
}

// bus.on("used", f); bus.emit("used", data): f is given the data.
void Engine::Listen(const Call& call, std::span<const std::pair<std::uint32_t, Value>> functions) {
  const Expr* function = FunctionOf(call);
  if (function == nullptr || function->kind != ExprKind::kMember || call.args.empty()) return;
  if (!view().is_python()) FeedStream(call, *function);
  // samples.subscribe(f), samples.pipe(mergeMap(f)); samples.next(data)
  const bool subject = view().Evaluate(function->base, function_).text.ends_with("Subject()");
  const bool event_object = function->text == "dispatchEvent";
  if (call.args.size() < 2 && !subject && !event_object) return;
  const bool listens = SaysOneOf(function->text, {"on", "once", "addListener", "addEventListener", "subscribe"}) ||
                       (subject && function->text == "pipe");
  const bool tells = event_object || SaysOneOf(function->text, {"emit", "publish", "dispatch", "notify"}) ||
                     (subject && function->text == "next");
  if (!listens && !tells) return;
  if (listens && function->base < code().exprs.size() &&
      SaysOneOf(code().exprs[function->base].text, {"document", "window"}) &&
      SaysOneOf(view().Text(call.args[0].value, function_), {"keydown", "keypress", "keyup", "input", "paste"})) {
    // All that is typed on a page.
    Taint back;
    for (const auto& [index, value] : functions) {
      CallBack(value, Source(kClipboard | kKeys, call.expr, "watches the keys that are pressed"), &back);
    }
  }
  const std::string event = subject        ? "next"
                            : event_object ? NameOfEvent(call.args[0].value)
                                           : EventNamed(call.args[0].value);
  const std::string object = event.empty() ? std::string() : TellerOf(function->base);
  if (object.empty()) return;
  if (listens) {
    std::vector<std::pair<std::uint32_t, Value>> all(functions.begin(), functions.end());
    for (std::size_t i = 0; subject && i < call.args.size(); ++i) {
      if (call.args[i].value >= code().exprs.size()) continue;
      const Expr& part = code().exprs[call.args[i].value];  // an operator with its function, {next: f}
      if (part.kind != ExprKind::kCall && part.kind != ExprKind::kDict) continue;
      for (const Arg& given : code().ArgsOf(part)) {
        if (const Value& value = view().Evaluate(given.value, function_); value.kind == ValueKind::kFunction)
          all.emplace_back(static_cast<std::uint32_t>(i), value);
      }
    }
    for (const auto& [index, value] : all) Hear(object, event, value);
    // when(name, fn) { this.on(name, fn); }
    const ExprId last = call.args.back().value;
    const std::uint32_t slot = IsParameter(last) ? view().SlotOf(last, function_) : kNone;
    if (slot != kNone && view().slots()[slot].param != kNone) {
      const auto known = callables_.find({Key(module_, view().slots()[slot].scope), view().slots()[slot].param});
      for (const auto& [module, listener] : known == callables_.end() ? Targets() : known->second)
        Hear(object, event, FunctionAt(module, listener));
    }
    return;
  }
  Taint given;
  for (std::size_t i = subject || event_object ? 0 : 1; i < call.taints.size(); ++i) given.Join(call.taints[i]);
  Tell(object, event, given, call.expr, !event_object && call.args.size() == 2 ? call.args[1].value : kNone);
}

// class Ship(logging.Handler): def emit(self, record): whatever the program logs.
void Engine::FindLogHandlers() {
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    const ModuleView& there = *states_[m].view;
    const Module& module = there.module();
    if (module.language != Language::kPython) continue;
    for (ClassId c = 0; c < module.classes.size(); ++c) {
      const bool handler = std::ranges::any_of(module.classes[c].bases, [&](ExprId base) {
        const std::string& made = there.Evaluate(base, module.classes[c].parent).text;
        return made.starts_with("logging.") && made.ends_with("Handler");
      });
      const FuncId emit = handler ? there.MethodOf(c, "emit") : kNone;
      if (emit != kNone) Hear(Logging(), kAnyEvent, FunctionAt(m, emit));
    }
  }
}

// log.info("done", extra={"text": text})
void Engine::TellLog(const Call& call) {
  if (!view().is_python() || call.all.labels == 0 || !call.callee.text.starts_with("logging.")) return;
  if (!SaysOneOf(call.last, {"debug", "info", "warning", "error", "critical", "exception", "log"})) return;
  Taint said;
  for (const Taint& part : call.taints) said.Join(part);
  if (said.labels != 0 && channels_.contains(Logging())) Tell(Logging(), kAnyEvent, said, call.expr);
}

// socket.onmessage = f, client.on_message = f: whoever is connected to says what `f` is given, where that is far away.
void Engine::ListenByName(ExprId target, ExprId value) {
  const Expr& member = code().exprs[target];
  if (member.kind != ExprKind::kMember || !SaysOneOf(member.text, {"onmessage", "on_message"})) return;
  const std::string& made = view().Evaluate(member.base, function_).text;
  const bool far =
      SaysOneOf(made, {"globalThis.WebSocket", "globalThis.EventSource", "ws", "ws.WebSocket", "ws.default",
                       "globalThis.WebSocket()", "globalThis.EventSource()", "ws()", "ws.WebSocket()", "ws.default()"});
  const bool broker = made.starts_with("paho.mqtt.client.");
  if (!far && !broker) return;
  const Value function = view().Evaluate(value, function_);
  const std::string host = HostOfHandle(member.base);
  if (function.kind != ValueKind::kFunction || (far && (host.empty() || KindOfHost(host) == HostKind::kLocal))) return;
  Taint back;
  CallBack(function, Source(kSocketData, target, "receives data from a socket"), &back, target);
}

}  // namespace interlock::scan::code
