// Texts as far as they are known: where a value comes from, and what of it is constant.
#include <algorithm>
#include <span>

#include "code/places.h"
#include "code/resolve_internal.h"
#include "code/vendors.h"
#include "code/world.h"

namespace interlock::scan::code {

namespace {

// What is known of an expression's text, else the number of that.
constexpr std::uint32_t kNotAsked = 0;
constexpr std::uint32_t kNothing = 1;
constexpr std::uint32_t kFirstText = 2;

}  // namespace

const std::string& ModuleView::Text(ExprId id, FuncId scope) const {
  static const std::string kEmpty;
  if (id >= module_.exprs.size()) return kEmpty;
  if (text_memo_.empty()) text_memo_.assign(module_.exprs.size(), kNotAsked);
  if (const std::uint32_t known = text_memo_[id]; known != kNotAsked)
    return known == kNothing ? kEmpty : texts_[known - kFirstText];
  if (world_.depth_ >= kMaxDepth) return kEmpty;
  text_memo_[id] = kNothing;  // cycles find nothing
  ++world_.depth_;
  std::string text = ComputeText(id, ScopeOf(id, scope));
  --world_.depth_;
  if (text.empty()) return kEmpty;
  if (text.size() > kMaxPartial) text.resize(kMaxPartial);
  texts_.push_back(std::move(text));
  text_memo_[id] = static_cast<std::uint32_t>(texts_.size() - 1) + kFirstText;
  return texts_.back();
}

// for name, path in places.items(), of Object.entries(places): any of the values.
std::string ModuleView::TextOfValues(ExprId id, FuncId scope) const {
  const std::uint32_t slot = SlotOf(id, scope);
  if (slot == kNone) return {};
  const Slot& variable = slots_[slot];
  for (std::uint32_t i = variable.count; i-- > 0;) {
    const Binding& binding = bindings_[variable.first + i];
    if (!binding.destructured || binding.item != 1 || binding.value >= module_.exprs.size()) continue;
    const Expr& call = module_.exprs[binding.value];
    if (call.kind != ExprKind::kCall || call.base >= module_.exprs.size()) return {};
    const Expr& method = module_.exprs[call.base];
    const auto given = module_.ArgsOf(call);
    const bool items = is_python() && method.kind == ExprKind::kMember && method.text == "items";
    const bool entries = !is_python() && method.text == "entries" && given.size() == 1;
    if (!items && !entries) return {};
    FuncId from = binding.scope;
    const ExprId table = Origin(items ? method.base : given[0].value, from, &from);
    if (table >= module_.exprs.size() || module_.exprs[table].kind != ExprKind::kDict) return {};
    std::string text;
    for (const Arg& field : module_.ArgsOf(module_.exprs[table])) {
      const std::string& value = Text(field.value, from);
      if (!text.empty() && !value.empty()) text += ' ';
      text += value;
      if (text.size() > kMaxPartial) break;
    }
    return text;
  }
  return {};
}

// settings.endpoint, of an object of the package: what its class says that it is, where nobody says otherwise.
std::string ModuleView::TextOfAttribute(const Expr& member, FuncId scope) const {
  const Value& owner = Evaluate(member.base, scope);
  if ((owner.kind != ValueKind::kInstance && owner.kind != ValueKind::kClass) || owner.module >= world_.size())
    return TextOfSetting(member, owner, scope);
  const ModuleView& there = owner.module == index_ ? *this : world_.View(owner.module);
  const std::uint32_t slot = there.AttributeSlot(owner.index, member.text);
  if (slot == kNone) return {};
  const Slot& attribute = there.slots_[slot];
  if (attribute.function != kNone && there.IsProperty(attribute.function)) {
    Value read = owner;
    read.kind = ValueKind::kFunction;
    read.index = attribute.function;
    return TextOfFunction(read);
  }
  constexpr std::uint32_t kMostBindings = 4;
  for (std::uint32_t i = 0; i < std::min(attribute.count, kMostBindings); ++i) {
    const Binding& binding = there.bindings_[attribute.first + i];
    if (binding.value >= there.module_.exprs.size() || binding.destructured) continue;
    const std::string& text = there.Text(binding.value, binding.scope);
    // Of a field that a literal fills, an address at home says nothing: another may be put in its place.
    if (!text.empty() && !(binding.weak && IsAtHome(text))) return text;
  }
  return {};
}

// constructor(private readonly base = "https://..."): where objects are made, mostly nobody gives another address.
std::string ModuleView::TextOfDefault(ExprId name, FuncId scope) const {
  const std::uint32_t given = SlotOf(name, scope);
  if (given == kNone || slots_[given].param == kNone || slots_[given].scope >= module_.functions.size()) return {};
  const Function& maker = module_.functions[slots_[given].scope];
  if ((maker.name != "constructor" && maker.name != "__init__") || slots_[given].param >= maker.params.size())
    return {};
  const ExprId fallback = maker.params[slots_[given].param].fallback;
  if (fallback == kNone) return {};
  const std::string& text = Text(fallback, maker.parent == kNone ? kModuleBody : maker.parent);
  return text.find("://") == std::string::npos ? std::string() : text;
}

// field(default="..."), Field("..."), field(default_factory=lambda: environ.get("X", "...")): what a field is at first.
std::string ModuleView::TextOfField(std::span<const Arg> args, FuncId scope) const {
  for (const Arg& arg : args) {
    if (arg.name == "default" || (arg.name.empty() && &arg == args.data())) {
      if (const std::string& text = Text(arg.value, scope); !text.empty()) return text;
    }
    if (arg.name != "default_factory" || arg.value >= module_.exprs.size()) continue;
    const Value& made = Evaluate(arg.value, scope);
    if (made.kind != ValueKind::kFunction || made.module != index_ || made.index >= module_.functions.size()) continue;
    const Stmt* only = OnlyGiven(module_.functions[made.index]);
    if (only != nullptr) return Text(only->value, made.index);
  }
  return {};
}

// "https://{}/{}".format(host, key), "https://%s/%s" % (host, key): with holes for what is not known.
std::string ModuleView::Filled(std::string_view text, std::span<const Arg> given, bool percent, FuncId scope) const {
  if (percent && given.size() == 1 && given[0].value < module_.exprs.size() &&
      module_.exprs[given[0].value].kind == ExprKind::kList)
    given = module_.ArgsOf(module_.exprs[given[0].value]);
  std::string out;
  std::size_t next = 0;
  const auto put = [&](std::string_view name) {
    const Arg* arg = nullptr;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool number = !name.empty() && name[0] == static_cast<char>('0' + std::min<std::size_t>(i, 9));
      if (given[i].name.empty() ? number || (name.empty() && i == next) : given[i].name == name) arg = &given[i];
    }
    if (name.empty()) ++next;
    const std::string& piece = arg == nullptr ? std::string() : Text(arg->value, scope);
    out += piece.empty() ? std::string(1, kHole) : piece;
  };
  for (std::size_t i = 0; i < text.size() && out.size() <= kMaxPartial; ++i) {
    if (percent && text[i] == '%' && i + 1 < text.size() && text[i + 1] != '%') {
      put({});
      ++i;
    } else if (!percent && text[i] == '{') {
      const std::size_t close = text.find('}', i);
      if (close == std::string_view::npos) break;
      put(text.substr(i + 1, std::min(text.find_first_of(":!.[", i), close) - i - 1));
      i = close;
    } else {
      out += text[i];
    }
  }
  return out;
}

// file = "~/.ssh/id_rsa"; if there: file = "notes.txt". Behind the branch it is what that gives, or what holds without
// it.
std::string ModuleView::TellingText(ExprId id, FuncId scope, bool address) const {
  constexpr std::uint32_t kMostBack = 6;
  const Expr& expr = module_.exprs[id];
  std::string best;
  const auto ask = [&](ExprId value, FuncId from) {
    const std::string& text = Text(value, from);
    if (!best.empty() || text.empty() || text.front() == kHole) return;
    const Telling telling = TellingOf(text);
    if (address ? telling == Telling::kStranger : telling < Telling::kStranger) best = text;
  };
  const auto ask_all = [&](ExprId choice, FuncId from) {
    if (choice >= module_.exprs.size() || module_.exprs[choice].kind != ExprKind::kChoice) return;
    const auto args = module_.ArgsOf(module_.exprs[choice]);
    for (std::size_t i = args.size() >= 3 ? 1 : 0; i < args.size(); ++i) ask(args[i].value, from);
  };
  ask_all(id, scope);
  const std::uint32_t slot = expr.kind == ExprKind::kName ? SlotOf(id, scope) : kNone;
  if (slot == kNone || slots_[slot].owner != kNone || slots_[slot].scope != scope) return best;
  const Binding* const chosen = Chosen(slots_[slot], expr.loc.begin, scope);
  if (chosen == nullptr || chosen->destructured) return best;
  ask_all(chosen->value, chosen->scope);
  if (chosen->until > expr.loc.begin) return best;
  const auto at = static_cast<std::uint32_t>(chosen - bindings_.data());
  for (std::uint32_t i = at; i > slots_[slot].first && at - i < kMostBack; --i) {
    const Binding& before = bindings_[i - 1];
    if (before.weak || before.destructured) continue;
    ask(before.value, before.scope);
    if (before.until == kNone) break;
  }
  return best;
}

std::string ModuleView::ComputeText(ExprId id, FuncId scope) const {
  const Value& value = Evaluate(id, scope);
  if (value.kind == ValueKind::kText && !JoinsGrownList(module_.exprs[id], scope))
    return value.text.substr(0, kMaxPartial);
  if (value.kind == ValueKind::kQualified &&
      (value.text.ends_with("process.env.HOME") || value.text.ends_with("process.env.USERPROFILE"))) {
    return "~";
  }
  if (value.kind == ValueKind::kQualified && (value.text == "path.sep" || value.text == "os.sep")) return "/";
  if (value.kind == ValueKind::kQualified && value.text == "sys.executable") return "python3";
  if (value.kind == ValueKind::kQualified && value.text.ends_with("process.execPath")) return "node";
  FuncId at_scope = scope;
  const ExprId at = Origin(id, scope, &at_scope);
  if (at != id) return Text(at, at_scope);
  const Expr& expr = module_.exprs[id];
  const auto args = module_.ArgsOf(expr);
  const auto join = [&](std::span<const Arg> parts, std::string_view between) {
    std::string text;
    bool any = false;
    for (const Arg& arg : parts) {
      if (!arg.name.empty()) continue;
      const std::string& piece = Text(arg.value, scope);
      any = any || !piece.empty();
      if (&arg != parts.data() && !text.ends_with(between)) text += between;
      if (piece.empty()) {
        if (!text.ends_with(kHole)) text += kHole;
      } else {
        text += piece;
      }
      if (text.size() > kMaxPartial) break;
    }
    return any ? text : std::string();
  };
  switch (expr.kind) {
    case ExprKind::kName: {
      std::string text = TextOfValues(id, scope);
      return text.empty() ? TextOfDefault(id, scope) : text;
    }
    case ExprKind::kConcat:
    case ExprKind::kFormat:
      return join(args, "");
    case ExprKind::kBinary:
      if (expr.text == "/" && is_python()) return join(args, "/");
      if (expr.text == "%" && is_python() && !args.empty()) {
        return Filled(Text(args[0].value, scope), args.subspan(1), true, scope);
      }
      return {};
    case ExprKind::kAwait:
      return args.empty() ? std::string() : Text(args[0].value, scope);
    case ExprKind::kChoice:
      for (std::size_t i = args.size() >= 3 ? 1 : 0; i < args.size(); ++i) {
        const std::string& text = Text(args[i].value, scope);
        if (!text.empty()) return text;
      }
      return {};
    case ExprKind::kList: {
      if (args.size() > 64) return {};
      std::string text = join(args, " ");
      return text;
    }
    case ExprKind::kMember: {
      if (expr.text == "parent" && is_python()) {
        const std::string& inner = Text(expr.base, scope);
        const std::size_t slash = inner.rfind('/');
        return slash == std::string::npos ? std::string() : inner.substr(0, slash);
      }
      // new URL("https://host/path").hostname
      if (!is_python() && (expr.text == "hostname" || expr.text == "host")) {
        const std::string& address = Text(expr.base, scope);
        const std::size_t start = address.starts_with("http") ? address.find("://") : std::string::npos;
        if (start == std::string::npos) return {};
        const std::string_view host = std::string_view(address).substr(start + 3);
        return std::string(host.substr(0, host.find_first_of("/?#:")));
      }
      return TextOfAttribute(expr, scope);
    }
    case ExprKind::kIndex: {
      if (!is_python() || args.empty()) return {};
      const Value& of = Evaluate(expr.base, scope);
      const Value& key = Evaluate(args[0].value, scope);
      if (of.kind == ValueKind::kQualified && of.text == "os.environ" && key.kind == ValueKind::kText &&
          (key.text == "HOME" || key.text == "USERPROFILE")) {
        return "~";
      }
      return {};
    }
    case ExprKind::kCall:
      break;
    default:
      return {};
  }
  const Value callee = Callee(id, scope);
  if (callee.kind == ValueKind::kFunction) return TextOfFunction(callee);
  std::string_view name = callee.text;
  if (name.starts_with("globalThis.")) name.remove_prefix(11);
  const Expr* base = expr.base < module_.exprs.size() ? &module_.exprs[expr.base] : nullptr;
  if (is_python()) {
    if (name == "os.path.join" || name == "pathlib.Path" || name == "pathlib.PurePath" || name == "pathlib.PosixPath") {
      return join(args, "/");
    }
    if (name == "dataclasses.field" || name == "pydantic.Field" || name == "attrs.field" || name == "attr.ib")
      return TextOfField(args, scope);
    if (name == "pathlib.Path.home" || name == "pathlib.Path().home") return "~";
    if (name == "tempfile.gettempdir") return "/tmp";
    if (name == "tempfile.mkdtemp") return std::string("/tmp/") + kHole;
    if ((name == "os.getenv" || name == "os.environ.get") && args.size() == 1) {
      const Value& key = Evaluate(args[0].value, scope);
      if (key.kind == ValueKind::kText && (key.text == "HOME" || key.text == "USERPROFILE")) return "~";
    }
    if (name == "os.path.expanduser" || name == "os.path.expandvars" || name == "os.path.abspath" ||
        name == "os.path.realpath" || name == "os.path.normpath" || name == "shutil.which" || name == "os.fspath" ||
        name == "builtins.str" || name == "urllib.request.Request" || name == "httpx.URL" || name == "yarl.URL" ||
        name == "urllib.parse.urljoin") {
      return join(args.first(std::min<std::size_t>(args.size(), name.ends_with("urljoin") ? 2 : 1)), "");
    }
    // urlunparse(("https", host, path, "", "", "")), urlunsplit
    if (name.starts_with("urllib.parse.urlun") && args.size() == 1 && args[0].value < module_.exprs.size()) {
      const Expr& parts = module_.exprs[Origin(args[0].value, scope)];
      const auto part = module_.ArgsOf(parts);
      if (parts.kind != ExprKind::kList || part.size() < 3) return {};
      const std::string scheme = Text(part[0].value, scope) + "://";
      return join(part.subspan(1, 2), "").insert(0, scheme);
    }
    if (base != nullptr && base->kind == ExprKind::kMember) {
      const std::string_view method = base->text;
      if (method == "join" && name == "httpx.URL().join") return Text(base->base, scope);
      if (method == "joinpath") {
        std::string text = Text(base->base, scope);
        const std::string below = join(args, "/");
        if (text.empty()) return {};
        return text.append("/").append(below.empty() ? std::string(1, kHole) : below);
      }
      if (method == "expanduser" || method == "resolve" || method == "absolute" || method == "strip" ||
          method == "rstrip" || method == "encode" || method == "as_posix" || method == "lower") {
        return Text(base->base, scope);
      }
      if (method == "format") return Filled(Text(base->base, scope), args, false, scope);
      if (method == "join" && !args.empty()) {
        const Value& separator = Evaluate(base->base, scope);
        if (separator.kind == ValueKind::kText) return join(GrownList(args[0].value, scope), separator.text);
      }
      // os.environ.get("X", "fallback"), os.getenv: the fallback is what is known.
      if ((method == "get" || method == "getenv") && args.size() >= 2) return Text(args[1].value, scope);
    }
    return {};
  }
  if (is_typed()) return TextOfTypedCall(name, expr, scope);
  if (name == "path.join" || name == "path.resolve" || name == "path.posix.join") return join(args, "/");
  if (name == "os.homedir") return "~";
  if (name == "os.tmpdir") return "/tmp";
  // new URL("/path", "https://host")
  if (name == "URL" && args.size() == 2) {
    const std::string& path = Text(args[0].value, scope);
    const std::string& whose = Text(args[1].value, scope);
    if (path.find("://") == std::string::npos) return (whose.empty() ? std::string(1, kHole) : whose) + path;
  }
  if (name == "URL" || name == "String" || name == "path.normalize" || name == "url.fileURLToPath") {
    return join(args.first(std::min<std::size_t>(args.size(), 1)), "");
  }
  if (base != nullptr && base->kind == ExprKind::kMember) {
    if (base->text == "toString" || base->text == "trim" || base->text == "replace" || base->text == "toLowerCase") {
      return Text(base->base, scope);
    }
    if (base->text == "concat") {
      std::string text = Text(base->base, scope);
      return text.empty() ? text : text + join(args, "");
    }
    // ["curl ", host, "/p/", process.arch].join(""): what is not known is a hole.
    if (base->text == "join" && args.size() <= 1) {
      const std::vector<Arg> list = GrownList(base->base, scope);
      const std::string between = args.empty() ? "," : Evaluate(args[0].value, scope).text;
      if (!list.empty()) return join(list, between);
    }
  }
  return {};
}

}  // namespace interlock::scan::code
