// Texts that a program has unless somebody says otherwise: defaults of command lines and of schemas that settings are
// read by.
#include <algorithm>

#include "code/engine_words.h"
#include "code/world.h"

namespace interlock::scan::code {
namespace {

using engine_words::SaysOneOf;

constexpr std::size_t kMostOptions = 512;  // of a module
constexpr int kMostChained = 16;           // calls of one schema

bool DeclaresOption(std::string_view method) {
  return method == "add_argument" || method == "option" || method == "requiredOption";
}

// "--dry-run <when>", "-d, --dry-run", "url": whether that is the option whose value `name` is.
bool IsOption(std::string_view flags, std::string_view name) {
  while (!flags.empty()) {
    const std::size_t end = flags.find_first_of(", ");
    std::string_view flag = flags.substr(0, end);
    flags.remove_prefix(end == std::string_view::npos ? flags.size() : end + 1);
    while (flag.starts_with('-')) flag.remove_prefix(1);
    // dry-run is dry_run there and dryRun here.
    std::size_t at = 0;
    bool same = !flag.empty();
    for (std::size_t i = 0; same && i < flag.size(); ++i) {
      if (flag[i] == '-' && at < name.size() && name[at] != '_') continue;
      const char wanted = flag[i] == '-' ? '_' : flag[i];
      const bool raised = i > 0 && flag[i - 1] == '-' && at < name.size() && (name[at] | 0x20) == wanted;
      same = at < name.size() && (name[at] == wanted || raised);
      ++at;
    }
    if (same && at == name.size()) return true;
  }
  return false;
}

}  // namespace

// options().url, of parser.add_argument("--url", default="https://..."), program.option("--url <u>", "where",
// "https://...").
std::string ModuleView::TextOfOption(std::string_view name, FuncId scope) const {
  if (!options_read_) {
    options_read_ = true;
    for (ExprId id = 0; id < module_.exprs.size() && options_.size() < kMostOptions; ++id) {
      const Expr& call = module_.exprs[id];
      if (call.kind == ExprKind::kCall && call.arg_count != 0 && call.base < module_.exprs.size() &&
          module_.exprs[call.base].kind == ExprKind::kMember && DeclaresOption(module_.exprs[call.base].text))
        options_.push_back(id);
    }
  }
  for (const ExprId id : options_) {
    const auto args = module_.ArgsOf(module_.exprs[id]);
    const auto says = [&](const Arg& arg) {
      return arg.name.empty() && arg.value < module_.exprs.size() &&
             module_.exprs[arg.value].kind == ExprKind::kString && IsOption(module_.exprs[arg.value].text, name);
    };
    if (!std::ranges::any_of(args.first(std::min<std::size_t>(args.size(), 2)), says)) continue;
    for (const Arg& arg : args.subspan(1)) {
      if (arg.name == "default") return Text(arg.value, scope);
      if (arg.value >= module_.exprs.size() || module_.exprs[arg.value].kind != ExprKind::kDict) continue;
      for (const Arg& field : module_.ArgsOf(module_.exprs[arg.value])) {
        if (field.name == "default") return Text(field.value, scope);
      }
    }
    return !is_python() && args.size() >= 3 ? Text(args[2].value, scope) : std::string();
  }
  return {};
}

// settings.url, of z.object({url: z.string().default("https://...")}).parse(process.env).
std::string ModuleView::TextOfSchema(const Expr& member, FuncId scope) const {
  FuncId at = scope;
  const ExprId made = Origin(member.base, scope, &at);
  const auto method_of = [&](ExprId call) -> const Expr* {
    if (call >= module_.exprs.size() || module_.exprs[call].kind != ExprKind::kCall) return nullptr;
    const ExprId base = module_.exprs[call].base;
    return base < module_.exprs.size() && module_.exprs[base].kind == ExprKind::kMember ? &module_.exprs[base]
                                                                                        : nullptr;
  };
  const Expr* how = method_of(made);
  if (how == nullptr || !SaysOneOf(how->text, {"parse", "parseAsync"})) return {};
  ExprId schema = Origin(how->base, at, &at);
  for (int step = 0; step < kMostChained; ++step) {
    how = method_of(schema);
    if (how == nullptr) return {};
    if (SaysOneOf(how->text, {"object", "strictObject", "looseObject"})) break;
    schema = how->base;
  }
  const auto args = module_.ArgsOf(module_.exprs[schema]);
  if (args.empty() || args[0].value >= module_.exprs.size() || module_.exprs[args[0].value].kind != ExprKind::kDict)
    return {};
  for (const Arg& field : module_.ArgsOf(module_.exprs[args[0].value])) {
    if (field.name != member.text) continue;
    ExprId type = field.value;
    for (int step = 0; step < kMostChained; ++step) {
      how = method_of(type);
      if (how == nullptr) return {};
      const auto given = module_.ArgsOf(module_.exprs[type]);
      if (SaysOneOf(how->text, {"default", "prefault", "catch"}) && !given.empty()) return Text(given[0].value, at);
      type = how->base;
    }
  }
  return {};
}

// settings.url, where nobody has said otherwise.
std::string ModuleView::TextOfSetting(const Expr& member, const Value& owner, FuncId scope) const {
  if (owner.kind == ValueKind::kInstance && owner.module == kNone) {
    if (owner.text.ends_with(".parse_args()") || owner.text.ends_with(".opts()"))
      return TextOfOption(member.text, scope);
  }
  return is_python() || is_typed() ? std::string() : TextOfSchema(member, scope);
}

// get url(), @property def url(self): reading it is calling it.
bool ModuleView::IsProperty(FuncId function) const {
  if (function >= module_.functions.size()) return false;
  const Function& shape = module_.functions[function];
  if (module_.text.substr(std::min<std::size_t>(shape.loc.begin, module_.text.size()), 4) == "get ") return true;
  return std::ranges::any_of(shape.decorators, [&](ExprId decorator) {
    return decorator < module_.exprs.size() &&
           SaysOneOf(module_.exprs[decorator].text, {"property", "cached_property"});
  });
}

// self.address(), target(key): what a function of the package puts together, where it gives back one thing; of several,
// the first that is an address. What it is given is not known.
std::string ModuleView::TextOfFunction(const Value& function) const {
  if (function.module >= world_.size()) return {};
  const ModuleView& owner = function.module == index_ ? *this : world_.View(function.module);
  if (function.index >= owner.module_.functions.size()) return {};
  const Function& shape = owner.module_.functions[function.index];
  if (const Stmt* only = OnlyGiven(shape); only != nullptr)
    return only->kind == StmtKind::kReturn ? owner.Text(only->value, function.index) : std::string();
  constexpr int kMostReturns = 8;
  int returns = 0;
  for (const Stmt& stmt : shape.body) {
    if (stmt.kind != StmtKind::kReturn || stmt.value == kNone || ++returns > kMostReturns) continue;
    const std::string& text = owner.Text(stmt.value, function.index);
    if (text.find("://") != std::string::npos) return text;
  }
  return {};
}

}  // namespace interlock::scan::code
