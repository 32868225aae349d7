// What is known of a value beyond its own function: texts that callers give, hosts behind handles, calls that are made
// later or elsewhere, promises.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"
#include "code/vendors.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words

namespace {

constexpr std::uint32_t kDeepestKnown = 4;         // texts out of texts
constexpr std::string_view kOpenHost = "://\x01";  // an address of which only the scheme stands there
constexpr std::size_t kMaxGiven = 512;             // bytes of a text that is remembered for a parameter

// Of a table that a caller gives, its texts. Whether more is known now.
bool GiveTable(const ModuleView& view, std::uint32_t module, FuncId function, ExprId arg, GivenText& given) {
  const Module& code = view.module();
  FuncId scope = function;
  const ExprId table = view.Origin(arg, function, &scope);
  const std::uint64_t which = (std::uint64_t{module} << 32U | table) + 1;
  if (given.table == which) return false;
  const bool another = given.table != 0;  // callers differ: nothing is known
  given.table = which;
  if (another) given.fields.clear();
  if (another) return false;
  constexpr std::size_t kMostFields = 16;
  if (table < code.exprs.size() && code.exprs[table].kind == ExprKind::kCall) {
    // publish(describe(values)): what a function of the package gives back, where an address is in it.
    const Value& made = view.Evaluate(table, scope);
    for (std::size_t i = 0; made.kind == ValueKind::kDict && i < std::min(made.keys.size(), made.items.size()); ++i) {
      const Value& item = made.items[i];
      if (item.kind == ValueKind::kText && item.text.size() <= kMaxGiven && given.fields.size() < kMostFields)
        given.fields.emplace_back(made.keys[i], item.text);
    }
    return !given.fields.empty();
  }
  if (table >= code.exprs.size() || code.exprs[table].kind != ExprKind::kDict) return false;
  for (const Arg& field : code.ArgsOf(code.exprs[table])) {
    if (field.name.empty() || given.fields.size() >= kMostFields) continue;
    std::string text = view.Text(field.value, scope);
    if (text.size() > kMaxGiven && text.find_first_of(" \n.:<>(") == std::string::npos) text.resize(kMaxGiven);
    if (!text.empty() && text.size() <= kMaxGiven) given.fields.emplace_back(std::string(field.name), std::move(text));
  }
  return !given.fields.empty();
}

}  // namespace

std::string Engine::KnownParam(std::uint32_t module, std::uint32_t slot) {
  const ModuleView& view = *states_[module].view;
  if (slot == kNone || slot >= view.slots().size()) return {};
  const Slot& variable = view.slots()[slot];
  if (variable.param == kNone || variable.scope >= facts_[module].size()) return {};
  const FunctionFacts& about = facts_[module][variable.scope];
  if (variable.param >= about.in.size()) return {};
  const GivenText* given = variable.param < about.texts.size() ? &about.texts[variable.param] : nullptr;
  if (given != nullptr && given->state == GivenText::State::kKnown) return given->text;
  // Once all callers were seen, and none of them gives anything: what stands there for that.
  const bool left = (given == nullptr || given->state == GivenText::State::kNobody) && pass_ > 1 &&
                    about.in[variable.param].labels == 0;
  const Function& shape = view.module().functions[variable.scope];
  const ExprId fallback = left ? shape.params[variable.param].fallback : kNone;
  if (fallback == kNone) return {};
  std::string text = view.Text(fallback, shape.parent == kNone ? kModuleBody : shape.parent);
  if (text.empty() && module == module_ && nested_known_ < kDeepestKnown) {
    // def __init__(self, url=SETTINGS.url)
    ++nested_known_;
    text = Known(fallback);
    --nested_known_;
  }
  return text.size() <= kMaxGiven ? text : std::string();
}

// The texts of a table that a parameter of this function was given; nullptr: it is none.
const GivenText::Fields* Engine::FieldsGiven(ExprId name, FuncId scope) const {
  if (name >= code().exprs.size() || code().exprs[name].kind != ExprKind::kName) return nullptr;
  const std::uint32_t slot = view().SlotOf(name, scope);
  if (slot == kNone || view().slots()[slot].param == kNone || view().slots()[slot].scope >= facts_[module_].size())
    return nullptr;
  const FunctionFacts& about = facts_[module_][view().slots()[slot].scope];
  const std::uint32_t param = view().slots()[slot].param;
  return param < about.texts.size() && !about.texts[param].fields.empty() ? &about.texts[param].fields : nullptr;
}

// (cfg => run(atob(cfg.boot)))({boot: "..."}): a text of the table that a parameter is given.
std::string Engine::KnownField(ExprId table, std::string_view key, FuncId scope) const {
  const auto* const fields = FieldsGiven(table, scope);
  if (fields == nullptr) return {};
  const auto found = std::ranges::find_if(*fields, [&](const auto& field) { return field.first == key; });
  return found == fields->end() ? std::string() : found->second;
}

// Path(name), Path(name).expanduser(), home / name, path.resolve(name), path.join(home, name): a path of what callers
// give; "" where nothing of it is known.
std::string Engine::KnownPath(ExprId id) {
  const Expr& at = code().exprs[id];
  const auto args = code().ArgsOf(at);
  const auto joined = [&](std::span<const Arg> parts) {
    std::string out;
    bool any = false;
    for (const Arg& part : parts) {
      const std::string one = Known(part.value);
      any = any || one.find_first_not_of(kHole) != std::string::npos;
      if (!out.empty() && !out.ends_with('/')) out += '/';
      out += one.empty() ? std::string(1, kHole) : one;
    }
    return any ? out : std::string();
  };
  if (at.kind == ExprKind::kBinary) return at.text == "/" && view().is_python() ? joined(args) : std::string();
  if (at.kind != ExprKind::kCall || at.base >= code().exprs.size()) return {};
  const Expr& how = code().exprs[at.base];
  const std::string callee = view().Callee(id, function_).text;
  if (view().is_python()) {
    if (SaysOneOf(callee, {"pathlib.Path", "pathlib.PurePath", "os.path.join"})) return joined(args);
    if (SaysOneOf(callee, {"os.path.expanduser", "os.path.expandvars", "os.path.abspath", "os.path.realpath",
                           "os.path.normpath", "os.fspath", "builtins.str", "shutil.which"}) &&
        !args.empty() && (args.size() == 1 || callee == "shutil.which"))
      return Known(args[0].value);
    const bool same = how.kind == ExprKind::kMember &&
                      SaysOneOf(how.text, {"expanduser", "resolve", "absolute", "strip", "as_posix"}) &&
                      how.base < code().exprs.size();
    return same ? Known(how.base) : std::string();
  }
  if (SaysOneOf(callee, {"path.join", "path.resolve", "path.normalize", "path.posix.join", "path/filepath.Join",
                         "path/filepath.Clean", "globalThis.String"}))
    return joined(args);
  return {};
}

// "https://" + host + "/in", f"https://{self.host}/in": whose host it is, where a caller or a constructor was given it.
std::string Engine::FilledHost(ExprId address) {
  if (address >= code().exprs.size() || view().Text(address, function_).find(kOpenHost) == std::string::npos) return {};
  std::uint32_t module = module_;
  FuncId scope = function_;
  ExprId text = view().Origin(address, function_, &scope);
  if (text >= code().exprs.size()) return {};
  if (const Expr& expr = code().exprs[text]; expr.kind == ExprKind::kMember) {
    const Value& owner = view().Evaluate(expr.base, scope);
    if ((owner.kind != ValueKind::kInstance && owner.kind != ValueKind::kClass) || owner.module >= states_.size())
      return {};
    const ModuleView& there = *states_[owner.module].view;
    const std::uint32_t slot = there.AttributeSlot(owner.index, expr.text);
    if (slot == kNone || there.slots()[slot].count == 0) return {};
    const Binding& binding = there.bindings()[there.slots()[slot].first];
    module = owner.module;
    text = binding.value;
    scope = binding.scope;
  }
  const ModuleView& there = *states_[module].view;
  if (text >= there.module().exprs.size()) return {};
  const Expr& made = there.module().exprs[text];
  if (made.kind != ExprKind::kFormat && made.kind != ExprKind::kConcat) return {};
  std::string out;
  for (const Arg& part : there.module().ArgsOf(made)) {
    const bool name =
        part.value < there.module().exprs.size() && there.module().exprs[part.value].kind == ExprKind::kName;
    const std::uint32_t slot = name ? there.SlotOf(part.value, scope) : kNone;
    std::string said = slot == kNone ? std::string() : KnownParam(module, slot);
    if (said.empty()) said = there.Text(part.value, scope);
    out += said.empty() ? std::string(1, kHole) : said;
  }
  return sink_words::KnownHost(out);
}

std::string Engine::Known(ExprId expr) {
  const std::string& text = view().Text(expr, function_);
  if (!text.empty() && text.front() != kHole) return text;
  FuncId scope = function_;
  const ExprId origin = view().Origin(expr, function_, &scope);
  if (origin >= code().exprs.size()) return text;
  const Expr& at = code().exprs[origin];
  std::string given;
  if (at.kind == ExprKind::kName) {
    const std::uint32_t slot = view().SlotOf(origin, scope);
    given = KnownParam(module_, slot);
    // post({url: "https://...", body}), of ({url, body}) => ...: a part of what a parameter is given.
    const bool variable = given.empty() && slot != kNone && view().slots()[slot].count != 0;
    if (const Binding* part = variable ? &view().bindings()[view().slots()[slot].first] : nullptr;
        part != nullptr && part->destructured && !part->part.empty())
      given = KnownField(part->value, part->part, part->scope);
  } else if (at.kind == ExprKind::kMember) {
    given = KnownField(at.base, at.text, scope);
    // An attribute that a constructor was given.
    const Value& owner = view().Evaluate(at.base, scope);
    if (given.empty() && (owner.kind == ValueKind::kInstance || owner.kind == ValueKind::kClass) &&
        owner.module < states_.size()) {
      const ModuleView& there = *states_[owner.module].view;
      const std::uint32_t slot = there.AttributeSlot(owner.index, at.text);
      if (slot != kNone) {
        const Slot& attribute = there.slots()[slot];
        for (std::uint32_t i = 0; i < attribute.count && given.empty(); ++i) {
          const Binding& binding = there.bindings()[attribute.first + i];
          if (binding.value >= there.module().exprs.size()) continue;
          given = KnownParam(owner.module, there.SlotOf(binding.value, binding.scope));
          if (given.empty()) given = there.Text(binding.value, binding.scope);
          if (binding.weak && IsAtHome(given)) given.clear();
        }
        if (given.empty()) given = FieldText(module_, scope, origin);
      }
    }
  } else if ((at.kind == ExprKind::kFormat || at.kind == ExprKind::kConcat) && at.arg_count > 0 && scope == function_ &&
             !text.empty() && nested_known_ < kDeepestKnown) {
    ++nested_known_;
    given = Known(code().ArgsOf(at)[0].value);
    --nested_known_;
  }
  if (given.empty() && at.kind == ExprKind::kCall && at.arg_count > 0 && scope == function_ &&
      nested_known_ < kDeepestKnown &&
      SaysOneOf(view().Callee(origin, scope).text, {"urllib.request.Request", "globalThis.Request"})) {
    // Request(url, data): its address, which a caller may have given.
    ++nested_known_;
    given = Known(code().ArgsOf(at)[0].value);
    --nested_known_;
    return given.find("://") == std::string::npos ? text : given;
  }
  if (given.empty() && scope == function_ && text.empty() && nested_known_ < kDeepestKnown) {
    ++nested_known_;
    given = KnownPath(origin);
    --nested_known_;
  }
  if (given.empty() && at.kind == ExprKind::kCall && at.arg_count == 2 && scope == function_ &&
      nested_known_ < kDeepestKnown && view().Callee(origin, scope).text == "globalThis.URL") {
    // new URL("/v3/in", settings.base)
    ++nested_known_;
    const std::string base = Known(code().ArgsOf(at)[1].value);
    --nested_known_;
    if (base.find("://") != std::string::npos) return base;
  }
  if (given.empty()) return text;
  return text.empty() ? given : given + text.substr(1);
}

// def read_all(path): return read(path): what `path` is, whoever calls that says, and nobody has yet.
bool Engine::IsGivenByNobody(ExprId arg) const {
  if (arg >= code().exprs.size() || code().exprs[arg].kind != ExprKind::kName) return false;
  const std::uint32_t slot = view().SlotOf(arg, function_);
  if (slot == kNone || view().slots()[slot].param == kNone || view().slots()[slot].count != 0 ||
      view().slots()[slot].scope >= facts_[module_].size())
    return false;
  const FunctionFacts& about = facts_[module_][view().slots()[slot].scope];
  const std::uint32_t param = view().slots()[slot].param;
  // What one caller says may not be what the next one does: not before all were seen.
  const bool nobody =
      pass_ <= 1 || param >= about.texts.size() || about.texts[param].state == GivenText::State::kNobody;
  const Function& shape = code().functions[view().slots()[slot].scope];
  return nobody && param < shape.params.size() && shape.params[param].fallback == kNone;
}

void Engine::GiveText(std::uint32_t module, FuncId function, std::size_t param, ExprId arg) {
  using State = GivenText::State;
  FunctionFacts& about = facts(module, function);
  if (param >= about.in.size()) return;
  if (about.texts.empty()) about.texts.resize(about.in.size());
  if (GiveTable(view(), module_, function_, arg, about.texts[param])) changed_ = true;
  // send(options), of what was given itself.
  if (const GivenText::Fields* fields = FieldsGiven(arg, function_);
      fields != nullptr && about.texts[param].fields.empty()) {
    about.texts[param].fields = *fields;
    changed_ = true;
  }
  if (about.texts[param].state == State::kUnknown && !about.texts[param].place.empty()) return;
  if (IsGivenByNobody(arg)) {
    if (pass_ <= 1) changed_ = true;  // once more, when all callers were seen
    return;
  }
  std::string text = Known(arg);
  GivenText& given = about.texts[param];
  // One caller's path is enough, where it is of a kind that nobody else's is.
  if (given.place.empty() && text.size() <= kMaxGiven && text.find('/') != std::string::npos) {
    const PathKind kind = KindOfPath(text);
    if (kind == PathKind::kStartup || kind == PathKind::kAgent) {
      given.place = text;
      changed_ = true;
    }
  }
  if (given.state == State::kUnknown) return;
  // A program in base64: of what is one long word, its beginning will do.
  if (text.size() > kMaxGiven && text.find_first_of(" \n.:<>(") == std::string::npos) text.resize(kMaxGiven);
  if (text.empty() || text.front() == kHole || text.size() > kMaxGiven) {
    given.state = State::kUnknown;
  } else if (given.state == State::kNobody) {
    given.state = State::kKnown;
    given.text = std::move(text);
    changed_ = true;
  } else if (given.text != text) {
    // Several paths at one host are one host.
    const std::string host = sink_words::KnownHost(text);
    if (host.empty() || host != sink_words::KnownHost(given.text)) given.state = State::kUnknown;
  }
}

// What a caller gives for such a parameter is judged at the call, where it is known whose it is.
void Engine::NoteSent(const Taint& data, const std::string& host, bool aside) {
  if (data.params == 0 || host.empty()) return;
  std::vector<SentParam>& sends = here().sends;
  for (std::uint32_t p = 0; p < 31; ++p) {
    if ((data.params >> p & 1U) == 0) continue;
    const auto known =
        std::ranges::find_if(sends, [&](const SentParam& sent) { return sent.param == p && sent.host == host; });
    const Labels cut = data.CutOf(p);
    if (known == sends.end()) {
      if (sends.size() >= 8) continue;
      sends.push_back({p, host, cut, aside});
    } else if ((known->cut & cut) != known->cut || (aside && !known->aside)) {
      known->cut &= cut;
      known->aside = known->aside || aside;
    } else {
      continue;
    }
    changed_ = true;
  }
}

Engine::Maker Engine::Made(const Maker& handle) const {
  if (handle.left == 0 || handle.expr >= code().exprs.size()) return {};
  FuncId scope = handle.scope;
  const ExprId made = view().Origin(handle.expr, handle.scope, &scope);
  return made < code().exprs.size() ? Maker{.expr = made, .scope = scope, .left = handle.left - 1} : Maker();
}

Engine::Maker Engine::MakerBehind(const Maker& made) const {
  const Expr& expr = code().exprs[made.expr];
  ExprId next = expr.base;
  if (expr.kind == ExprKind::kCall) {
    // x.y(): behind the call is x; behind f() is f.
    const bool method = next < code().exprs.size() && code().exprs[next].kind == ExprKind::kMember;
    if (method) next = code().exprs[next].base;
  } else if (expr.kind != ExprKind::kMember) {
    return {};
  }
  return Made({.expr = next, .scope = made.scope, .left = made.left});
}

// Host that a connection, request or stream was made for.
// {hostname: "host", method: "POST"}, {...SINK, headers: {...}}: the last of its fields that names one.
std::string Engine::HostOfOptions(ExprId options, FuncId scope, int depth) {
  constexpr int kDeepest = 3;
  std::string host;
  // Of several, one that is nobody's own machine: which of them counts, the library knows.
  const auto take = [&](std::string named) {
    if (named.empty() || (!host.empty() && KindOfHost(named) == HostKind::kLocal)) return;
    host = std::move(named);
  };
  for (const Arg& field : code().ArgsOf(code().exprs[options])) {
    if (field.value < code().exprs.size() && code().exprs[field.value].kind == ExprKind::kSpread &&
        code().exprs[field.value].arg_count == 1 && depth < kDeepest) {
      FuncId from = scope;
      const ExprId others = view().Origin(code().ArgsOf(code().exprs[field.value])[0].value, scope, &from);
      if (others >= code().exprs.size() || code().exprs[others].kind != ExprKind::kDict) continue;
      take(HostOfOptions(others, from, depth + 1));
      continue;
    }
    if (!SaysOneOf(field.name,
                   {"host", "hostname", "url", "uri", "baseURL", "baseUrl", "base_url", "prefixUrl", "connectionString",
                    "datasourceUrl", "endpoint", "endPoint", "endpoint_url", "api_base", "node", "servers"}))
      continue;
    take(sink_words::KnownAddress(view().Text(field.value, scope)));
  }
  return host;
}

std::string Engine::HostOfHandle(ExprId handle) {
  for (Maker made = MakerOf(handle); made.expr != kNone; made = MakerBehind(made)) {
    const Expr& maker = code().exprs[made.expr];
    if (maker.kind == ExprKind::kMember) continue;
    if (maker.kind != ExprKind::kCall || OpensFile(view().Callee(made.expr, made.scope).text)) return {};
    for (const Arg& arg : code().ArgsOf(maker)) {
      FuncId scope = made.scope;  // of options that stand in a variable, or are spread: connect(**STANDBY)
      const bool spread = arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kSpread &&
                          code().exprs[arg.value].arg_count == 1;
      const ExprId given = spread ? code().ArgsOf(code().exprs[arg.value])[0].value : arg.value;
      const ExprId options = view().Origin(given, made.scope, &scope);
      if (arg.value >= code().exprs.size() || options >= code().exprs.size()) continue;
      const Expr& value = code().exprs[options];
      if (value.kind == ExprKind::kDict) {
        if (std::string host = HostOfOptions(options, scope, 0); !host.empty()) return host;
        continue;
      }
      if (value.kind == ExprKind::kFunction) continue;
      std::string text = KnownIn(arg.value, made.scope);
      if (text.empty() && value.kind == ExprKind::kName && made.scope != function_) {
        // def __init__(self, url): self.client = connect(url)
        const std::uint32_t slot = view().SlotOf(options, made.scope);
        if (slot != kNone && view().slots()[slot].param != kNone) text = KnownParam(module_, slot);
      }
      std::string host = sink_words::KnownAddress(text);
      if (sink_words::Contains(host, ".") || host == "localhost") return host;
    }
  }
  return {};
}

// Last connected to in this function or one that it stands in.
std::string Engine::HostHere() const {
  FuncId function = function_;
  for (int i = 0; i < 8 && function < facts_[module_].size(); ++i) {
    if (!facts_[module_][function].host.empty()) return facts_[module_][function].host;
    if (function == kModuleBody) break;
    function = code().functions[function].parent;
  }
  // self.client.connect(...) when the object is made, self.client.publish(...) later
  const ClassId owner = code().functions[function_].owner;
  if (owner >= code().classes.size()) return {};
  for (const FuncId method : code().classes[owner].methods) {
    if (method < facts_[module_].size() && !facts_[module_][method].host.empty()) return facts_[module_][method].host;
  }
  return {};
}

bool Engine::IsEntry() const {
  return std::any_of(entry_points_.begin(), entry_points_.end(), [&](const EntryPoint& entry) {
    return entry.module == module_ && entry.function == function_ && entry.kind != "script";
  });
}

ExprId Engine::Argument(const Call& call, const std::vector<ArgRef>& refs, Taint* taint) {
  // request({host: ...}): a field says more than the options that it stands in.
  for (const ArgRef& ref : refs) {
    if (const ExprId field = ref.field.empty() ? kNone : OneArgument(call, ref, taint); field != kNone) return field;
  }
  for (const ArgRef& ref : refs) {
    if (const ExprId whole = ref.field.empty() ? OneArgument(call, ref, taint) : kNone; whole != kNone) return whole;
  }
  return kNone;
}

std::span<const Arg> Engine::SpreadItems(ExprId value) const {
  if (value >= code().exprs.size() || code().exprs[value].kind != ExprKind::kSpread ||
      code().exprs[value].arg_count == 0)
    return {};
  const ExprId list = view().Origin(code().ArgsOf(code().exprs[value])[0].value, function_);
  if (list >= code().exprs.size() || code().exprs[list].kind != ExprKind::kList) return {};
  return code().ArgsOf(code().exprs[list]);
}

ExprId Engine::OneArgument(const Call& call, const ArgRef& ref, Taint* taint) {
  std::size_t position = 0;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const Arg& arg = call.args[i];
    const bool named = !arg.name.empty();
    // connect(*BROKER), of a list that is written out.
    if (const std::span<const Arg> items = SpreadItems(arg.value); !items.empty() && ref.field.empty()) {
      const int at = ref.position - static_cast<int>(position);
      if (ref.name.empty() && at >= 0 && at < static_cast<int>(items.size())) {
        if (taint != nullptr) *taint = call.taints[i];
        return items[static_cast<std::size_t>(at)].value;
      }
      position += items.size();
      continue;
    }
    if (!ref.name.empty() ? arg.name != ref.name : named || static_cast<int>(position) != ref.position) {
      if (!named) ++position;
      continue;
    }
    if (!named) ++position;
    if (ref.field.empty()) {
      if (taint != nullptr) *taint = call.taints[i];
      return arg.value;
    }
    FuncId scope = function_;
    const ExprId origin = view().Origin(arg.value, function_, &scope);
    if (origin >= code().exprs.size()) continue;
    // urlopen(Request(url, data=body)): the request's parts are those of what made it.
    const Expr& made = code().exprs[origin];
    const bool request = made.kind == ExprKind::kCall && view().is_python();
    if (made.kind != ExprKind::kDict && !request) continue;
    std::size_t at = 0;
    for (const Arg& field : code().ArgsOf(made)) {
      const bool second = request && field.name.empty() && at++ == 1 && ref.field == "data";
      if (field.name != ref.field && !second) continue;
      if (taint != nullptr) *taint = scope == function_ ? Eval(field.value) : call.taints[i];
      return field.value;
    }
  }
  return kNone;
}

const Expr* Engine::FunctionOf(const Call& call) const {
  ExprId function = call.function;
  if (function == kNone && call.expr < code().exprs.size()) function = code().exprs[call.expr].base;
  return function < code().exprs.size() ? &code().exprs[function] : nullptr;
}

// Thread(target=f, args=(...)), to_thread(f, x), submit(f, x): the call is made by somebody else.
bool Engine::Deferred(const Call& call, Taint* result) {
  for (std::size_t i = 0; i < call.args.size() && i < 8; ++i) {
    const Arg& arg = call.args[i];
    if (arg.value >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[arg.value];
    if (expr.kind != ExprKind::kName && expr.kind != ExprKind::kMember) continue;
    if (!arg.name.empty() && !SaysOneOf(arg.name, {"target", "func", "fn", "function", "callback"})) continue;
    const Value& value = view().Evaluate(arg.value, function_);
    if (value.kind == ValueKind::kFunction || value.kind == ValueKind::kClass) continue;
    const CatalogueEntry* entry = EntryOf(arg.value, value);
    if (entry == nullptr && expr.kind == ExprKind::kMember && value.kind == ValueKind::kUnknown) {
      entry = Catalogue::For(code().language).Find("." + std::string(expr.text));
    }
    if (entry == nullptr) continue;
    switch (entry->role) {
      case Role::kShell:
      case Role::kSpawn:
      case Role::kEval:
      case Role::kHttp:
      case Role::kFileRead:
      case Role::kFileOpen:
      case Role::kFileDelete:
      case Role::kDeserialize:
      case Role::kSecretStore:
      case Role::kUpload:
        break;
      default:
        continue;
    }
    std::vector<Arg> args;
    std::vector<Taint> taints;
    for (std::size_t k = 0; k < call.args.size(); ++k) {
      const Arg& given = call.args[k];
      if (k == i || given.value >= code().exprs.size()) continue;
      const Expr& shape = code().exprs[given.value];
      if (given.name == "args" && shape.kind == ExprKind::kList) {
        for (const Arg& item : code().ArgsOf(shape)) {
          args.push_back(item);
          taints.push_back(Eval(item.value));
        }
      } else if (given.name == "kwargs" && shape.kind == ExprKind::kDict) {
        for (const Arg& item : code().ArgsOf(shape)) {
          args.push_back(item);
          taints.push_back(Eval(item.value));
        }
      } else if (k > i && (given.name.empty() || arg.name.empty())) {
        args.push_back(given);
        taints.push_back(call.taints[k]);
      }
    }
    Call later;
    later.expr = call.expr;
    later.function = arg.value;
    later.callee = value;
    later.entry = entry;
    later.args = args;
    later.taints = taints;
    if (expr.kind == ExprKind::kMember) later.receiver = Eval(expr.base);
    for (const Taint& taint : taints) later.all.Join(taint);
    bool handled = false;
    result->Join(Judge(later, &handled));
    return true;
  }
  return false;
}

namespace {

// save, savefig, to_parquet, write_csv, dump, exportAs ...: no list has all of them.
bool WritesByName(std::string_view method) {
  constexpr std::array<std::string_view, 8> kBegins = {"to_",    "save",      "write",  "dump",
                                                       "export", "serialize", "encode", "copyfileobj"};
  return method == "tofile" || std::ranges::any_of(kBegins, [&](auto begin) { return method.starts_with(begin); });
}

}  // namespace

// picture.save(buffer), json.dump(data, buffer): what is written into a buffer in memory is in it. So are the rows that
// csv.writer(buffer) is given.
void Engine::Fill(const Call& call, std::string_view last) {
  const bool rows = SaysOneOf(last, {"writerow", "writerows"});
  if (!rows && !WritesByName(last)) return;
  std::vector<ExprId> buffers;
  for (const Arg& arg : call.args) buffers.push_back(rows ? kNone : arg.value);
  if (rows) {
    const ExprId writer = view().Origin(call.base->base, function_);
    if (writer < code().exprs.size() && code().exprs[writer].kind == ExprKind::kCall &&
        code().exprs[writer].arg_count > 0) {
      buffers.push_back(code().ArgsOf(code().exprs[writer])[0].value);
    }
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const ExprId buffer = buffers[i];
    if (buffer >= code().exprs.size() || code().exprs[buffer].kind != ExprKind::kName) continue;
    FuncId scope = function_;
    const ExprId made = view().Origin(buffer, function_, &scope);
    if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall) continue;
    const std::string& maker = view().Callee(made, scope).text;
    if (!maker.ends_with("BytesIO") && !maker.ends_with("StringIO")) continue;
    const std::uint32_t slot = view().SlotOf(buffer, function_);
    if (slot == kNone) continue;
    Taint kept = rows ? Taint() : call.receiver;
    for (std::size_t k = 0; k < call.taints.size(); ++k) {
      if (k != i) kept.Join(call.taints[k]);
    }
    Taint& there = states_[module_].slots[slot];
    if ((there.labels | kept.labels) != there.labels) changed_ = true;
    there.Join(kept);
  }
}

// `done(value)` inside `new Promise((done, failed) => ...)`: what is given to a parameter that is called comes out of
// whoever was given the function.
void Engine::Settles(const Call& call) {
  const Expr* function = FunctionOf(call);
  if (view().is_python() || function == nullptr || function->kind != ExprKind::kName || call.all.labels == 0) return;
  const std::uint32_t slot = view().SlotOf(code().exprs[call.expr].base, function_);
  if (slot == kNone) return;
  const Slot& variable = view().slots()[slot];
  // const { promise, resolve } = Promise.withResolvers(); resolve(v)
  if (variable.param == kNone && variable.count == 1) {
    const Binding& settler = view().bindings()[variable.first];
    const bool made = settler.destructured && SaysOneOf(settler.part, {"resolve", "reject"}) &&
                      settler.value < code().exprs.size() && code().exprs[settler.value].kind == ExprKind::kCall &&
                      view().Callee(settler.value, settler.scope).text.ends_with("Promise.withResolvers");
    for (std::uint32_t other = 0; made && other < view().slots().size(); ++other) {
      if (view().slots()[other].count != 1) continue;
      const Binding& promise = view().bindings()[view().slots()[other].first];
      if (promise.value == settler.value && promise.part == "promise") StoreElsewhere(module_, other, call.all);
    }
    return;
  }
  if (variable.param == kNone || variable.scope >= facts_[module_].size()) return;
  if (!code().functions[variable.scope].name.empty()) return;
  Taint settled = TakesAnswer() ? call.all.Without(kTapped) : call.all;  // as in NoteHanded
  settled.fresh = settled.labels;
  settled.params = 0;
  Taint& out = facts(module_, variable.scope).out;
  if ((out.labels | settled.labels) != out.labels) changed_ = true;
  out.Join(settled);
}

}  // namespace interlock::scan::code
