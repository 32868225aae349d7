// Scopes of a package's modules: which variable a name means, which assignments it has, which module an import means.
#include "code/world.h"

#include <algorithm>

#include "code/catalogue.h"
#include "interlock/base/find_bytes.h"
#include "static/classify.h"

namespace interlock::scan::code {
namespace {

constexpr int kMaxScopes = 64;          // enclosing functions looked through
constexpr int kMaxTargets = 64;         // nesting of destructuring targets
constexpr std::size_t kMostStars = 64;  // `export * from` of one module, which is what indexes are made of
constexpr std::size_t kMaxBases = 16;   // classes looked through for a method
constexpr std::uint32_t kNotAsked = kNone - 1;

std::uint64_t Key(std::uint32_t scope, std::uint32_t name) { return (std::uint64_t{scope} << 32U) | name; }

std::string_view WithoutExtension(std::string_view path) {
  for (const std::string_view ending : {".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}) {
    if (path.size() > ending.size() && path.ends_with(ending)) {
      path.remove_suffix(ending.size());
      if (path.ends_with(".d")) path.remove_suffix(2);
      return path;
    }
  }
  return path;
}

std::string ModuleKey(std::string_view path) {
  path = WithoutExtension(path);
  for (const std::string_view last : {"/__init__", "/index"}) {
    if (path.ends_with(last)) return std::string(path.substr(0, path.size() - last.size()));
  }
  if (path == "__init__" || path == "index") return "";
  return std::string(path);
}

}  // namespace

World::World(const PackageModules* package)
    : package_(package), data_(package == nullptr ? std::vector<DataFile>() : package->data) {
  if (package_ != nullptr) modules_ = package_->modules;
  views_.resize(modules_.size());
  if (package_ == nullptr) return;
  for (std::uint32_t i = 0; i < modules_.size() && i < package_->paths.size(); ++i) {
    by_path_.emplace(ModuleKey(package_->paths[i]), i);
    if (modules_[i]->language == Language::kGo && !package_->paths[i].ends_with("_test.go"))
      go_folders_[std::string(FolderOf(package_->paths[i]))].push_back(i);
  }
}

World::World(const Module& module, const PackageModules* package) : World(package) {
  if (IndexOf(module) == kNone) {
    modules_.push_back(&module);
    views_.resize(modules_.size());
  }
}

std::uint32_t World::IndexOf(const Module& module) const {
  for (std::uint32_t i = 0; i < modules_.size(); ++i) {
    if (modules_[i] == &module) return i;
  }
  return kNone;
}

const ModuleView& World::View(std::uint32_t module) const {
  std::unique_ptr<ModuleView>& view = views_[module];
  if (view == nullptr) view = std::make_unique<ModuleView>(*this, *modules_[module], module);
  return *view;
}

const Value* World::DataAt(std::uint32_t from, std::string_view path) const {
  return data_.empty() ? nullptr : data_.Find(FolderOf(PathOf(from)), path);
}

std::string_view World::PathOf(std::uint32_t module) const {
  if (package_ == nullptr || module >= package_->paths.size()) return {};
  return package_->paths[module];
}

std::uint32_t World::Resolve(std::uint32_t from, std::string_view name) const {
  if (package_ == nullptr || name.empty() || name.size() > 512) return kNone;
  const auto find = [&](const std::string& path) {
    const auto at = by_path_.find(path);
    return at == by_path_.end() ? kNone : at->second;
  };
  if (modules_[from]->language == Language::kGo) return ResolveGo(name);
  if (modules_[from]->language == Language::kRust) return ResolveRust(from, name);
  const std::string_view folder = FolderOf(PathOf(from));
  std::string path;
  if (modules_[from]->language != Language::kPython) {
    if (!name.starts_with(".")) {
      const auto at = package_->by_import.find(std::string(name));
      return at != package_->by_import.end() ? at->second : ResolveAlias(name);
    }
    if (!JoinPath(folder, name, path)) return kNone;
    if (const std::uint32_t found = find(path); found != kNone) return found;
    return find(ModuleKey(path));
  }
  if (name.starts_with(".")) {
    std::size_t dots = 0;
    while (dots < name.size() && name[dots] == '.') ++dots;
    std::string relative;
    for (std::size_t i = 1; i < dots; ++i) relative += "../";
    for (const char c : name.substr(dots)) relative += c == '.' ? '/' : c;
    return JoinPath(folder, relative, path) ? find(path) : kNone;
  }
  const std::string_view root = name.substr(0, name.find('.'));
  const bool known = Catalogue::For(Language::kPython).KnowsModule(root);
  const auto at = package_->by_import.find(std::string(name));
  if (at != package_->by_import.end()) {
    // A file that is called like a library is not that library, unless it lies in a folder of that name.
    const std::string place = "/" + std::string(PathOf(at->second));
    if (!known || place.find("/" + std::string(root) + "/") != std::string::npos) return at->second;
  }
  std::string slashed(name);
  std::replace(slashed.begin(), slashed.end(), '.', '/');
  if (known && name == root) return kNone;
  if (const std::uint32_t found = find(slashed); found != kNone && found != from) return found;
  if (const std::uint32_t found = find("src/" + slashed); found != kNone && found != from) return found;
  // A script's folder comes first on the path, but what lies inside a Python package is not found that way.
  if (known || folder.empty() || by_path_.contains(std::string(folder))) return kNone;
  const std::uint32_t found = find(std::string(folder) + "/" + slashed);
  return found == from ? kNone : found;
}

// "#lib/net.js" by the `imports` of package.json, "@/lib/net" by the `paths` of tsconfig.json, or by what most projects
// mean by it.
std::uint32_t World::ResolveAlias(std::string_view name) const {
  const bool own = name.starts_with('#');
  if (!own && !name.starts_with("@/") && !name.starts_with("~/")) return kNone;
  const auto find = [&](std::string_view path) {
    std::string joined;
    if (!JoinPath({}, path, joined)) return kNone;
    for (const std::string& one : {joined, ModuleKey(joined)}) {
      if (const auto at = by_path_.find(one); at != by_path_.end()) return at->second;
    }
    return kNone;
  };
  const auto member = [](const Value* table, std::string_view key) -> const Value* {
    if (table == nullptr || table->kind != ValueKind::kDict) return nullptr;
    const auto at = std::find(table->keys.begin(), table->keys.end(), key);
    return at == table->keys.end() ? nullptr : &table->items[static_cast<std::size_t>(at - table->keys.begin())];
  };
  const Value* options = own ? nullptr : member(data_.Find({}, "tsconfig.json"), "compilerOptions");
  const Value* table = own ? member(data_.Find({}, "package.json"), "imports") : member(options, "paths");
  for (std::size_t i = 0; table != nullptr && table->kind == ValueKind::kDict && i < table->keys.size(); ++i) {
    const std::string_view pattern = table->keys[i];
    const std::size_t star = pattern.find('*');
    const std::string_view before = pattern.substr(0, star);
    if (star == std::string_view::npos ? name != pattern : !name.starts_with(before)) continue;
    // One path, the first of several, or one for each condition.
    const Value* target = &table->items[i];
    if (const Value* usual = member(target, "default")) target = usual;
    if (target->kind != ValueKind::kText && !target->items.empty()) target = &target->items.front();
    std::string path = target->text;
    if (const std::size_t at = path.find('*'); at != std::string::npos && star != std::string_view::npos) {
      path.replace(at, 1, name.substr(star));
    }
    if (const std::uint32_t found = find(path); found != kNone) return found;
  }
  const std::string rest(name.substr(own ? 1 : 2));
  if (const std::uint32_t found = find("src/" + rest); found != kNone) return found;
  return find(rest);
}

ModuleView::ModuleView(const World& world, const Module& module, std::uint32_t index)
    : world_(world), module_(module), index_(index), words_(WordsOf(module)), places_(PlacesOf(module)) {
  memo_.assign(module.exprs.size(), 0);
  Build();
}

std::uint32_t ModuleView::AddSlot(FuncId scope, ClassId owner, std::string_view name) {
  const std::uint32_t id = names_.emplace(name, static_cast<std::uint32_t>(names_.size())).first->second;
  auto& table = owner == kNone ? scope_slots_ : class_slots_;
  const auto [at, added] =
      table.emplace(Key(owner == kNone ? scope : owner, id), static_cast<std::uint32_t>(slots_.size()));
  if (added) {
    Slot slot;
    slot.scope = scope;
    slot.owner = owner;
    slot.name = name;
    slots_.push_back(slot);
  }
  return at->second;
}

// `let x = ...`; what follows a comma may be one of several that are declared.
bool ModuleView::Declares(std::size_t at) const {
  const std::string_view text = module_.text;
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  if (at > text.size()) return true;
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t' || text[at - 1] == '\r')) --at;
  if (at == 0) return false;
  if (text[at - 1] == ',') return true;
  std::size_t from = at;
  while (from > 0 && at - from < 8 && is_word(text[from - 1])) --from;
  const std::string_view word = text.substr(from, at - from);
  // x := ...; let mut x
  if (module_.language == Language::kGo) {
    const std::size_t end = text.find_first_of("=;\n", at);
    return word == "var" || (end != std::string_view::npos && end > 0 && text[end] == '=' && text[end - 1] == ':');
  }
  if (module_.language == Language::kRust) return word == "let" || word == "mut" || text[at - 1] == '(';
  return word == "let" || word == "const" || word == "var" || word == "using";
}

void ModuleView::Bind(ExprId target, ExprId value, FuncId scope, std::uint32_t end, std::string_view part,
                      std::uint32_t item, bool destructured, int depth) {
  if (target >= module_.exprs.size() || depth > kMaxTargets) return;
  const Expr& expr = module_.exprs[target];
  std::uint32_t slot = kNone;
  if (expr.kind == ExprKind::kName) {
    // A closure that assigns without declaring means the variable around it.
    if (!is_python() && !destructured && scope != kModuleBody && !Declares(expr.loc.begin)) {
      slot = SlotByName(expr.text, scope);
    }
    if (slot == kNone) slot = AddSlot(scope, kNone, expr.text);
  } else if (expr.kind == ExprKind::kMember && expr.base < module_.exprs.size()) {
    const Expr& base = module_.exprs[expr.base];
    if (base.kind == ExprKind::kName) {
      ClassId klass = SelfClass(base.text, scope);
      if (klass == kNone) {
        const std::uint32_t named = SlotByName(base.text, scope);
        if (named != kNone) klass = slots_[named].klass;
      }
      if (klass != kNone) {
        slot = AddSlot(scope, klass, expr.text);
      } else if (!is_python() && base.text == "exports" && scope == kModuleBody) {
        exports_.emplace(names_.emplace(expr.text, static_cast<std::uint32_t>(names_.size())).first->second, value);
      } else if (!is_python() && base.text == "module" && expr.text == "exports") {
        default_export_ = value;
        default_scope_ = scope;
      }
    } else if (!is_python() && base.kind == ExprKind::kMember && base.text == "exports" && scope == kModuleBody) {
      exports_.emplace(names_.emplace(expr.text, static_cast<std::uint32_t>(names_.size())).first->second, value);
    }
  } else if (expr.kind == ExprKind::kList || expr.kind == ExprKind::kDict) {
    std::uint32_t at = 0;
    for (const Arg& arg : module_.ArgsOf(expr)) {
      // Deeper patterns bind without a value: their names are known to be variables, nothing more.
      const bool plain = !destructured;
      Bind(arg.value, plain ? value : kNone, scope, end, expr.kind == ExprKind::kDict ? arg.name : std::string_view(),
           expr.kind == ExprKind::kList ? at : kNone, true, depth + 1);
      ++at;
    }
    return;
  } else if (expr.kind == ExprKind::kSpread || expr.kind == ExprKind::kChoice) {
    // ...rest, and `{a = fallback}` where it is lowered to a choice: the first is the name.
    for (const Arg& arg : module_.ArgsOf(expr)) {
      Bind(arg.value, expr.kind == ExprKind::kChoice ? value : kNone, scope, end, part, item, true, depth + 1);
      break;
    }
    return;
  }
  if (slot == kNone) return;
  Binding binding;
  binding.slot = slot;
  binding.end = end;
  binding.value = value;
  binding.scope = scope;
  binding.part = part;
  binding.item = item;
  binding.destructured = destructured;
  if (value < module_.exprs.size() && module_.exprs[value].kind == ExprKind::kConstant) {
    const std::string_view text = module_.exprs[value].text;
    binding.weak = text == "None" || text == "null" || text == "undefined";
  }
  bindings_.push_back(binding);
}

void ModuleView::BindAll(FuncId function) {
  std::vector<std::pair<std::uint16_t, std::size_t>> open;  // depths of branches, and bindings that stand in them
  for (const Stmt& stmt : module_.functions[function].body) {
    for (; !open.empty() && open.back().first > stmt.condition_depth; open.pop_back())
      bindings_[open.back().second].until = stmt.loc.begin;
    if (stmt.kind != StmtKind::kAssign) continue;
    const std::size_t first = bindings_.size();
    Bind(stmt.target, stmt.value, function, stmt.loc.end, {}, kNone, false, 0);
    for (std::size_t i = first; i < bindings_.size() && stmt.condition_depth > 0; ++i)
      open.emplace_back(stmt.condition_depth, i);
  }
  const std::uint32_t end = module_.functions[function].loc.end;
  for (const auto& [depth, binding] : open) bindings_[binding].until = end;
}

// &Beat{URL: "https://..."}: what a field is where objects of the type are made, as far as nothing else is known of it.
void ModuleView::BindFields() {
  if (!is_typed()) return;
  for (ExprId id = 0; id < module_.exprs.size(); ++id) {
    const Expr& made = module_.exprs[id];
    if (made.kind != ExprKind::kDict || made.text.empty()) continue;
    const std::uint32_t type = SlotByName(made.text, kModuleBody);
    if (type == kNone || slots_[type].klass == kNone) continue;
    for (const Arg& field : module_.ArgsOf(made)) {
      if (field.name.empty()) continue;
      Binding binding;
      binding.slot = AddSlot(kModuleBody, slots_[type].klass, field.name);
      binding.end = made.loc.end;
      binding.value = field.value;
      binding.scope = places_.scope[id] == kNone ? kModuleBody : places_.scope[id];
      binding.weak = true;
      bindings_.push_back(binding);
    }
  }
}

// asyncio.start_server(handle, ...), asyncio.start_server(self.handle, ...): the names of what is given there.
void ModuleView::NoteStreamHandlers() {
  constexpr std::string_view kServe = "start_server(";
  constexpr std::size_t kMost = 16;
  const std::string_view text = module_.text;
  std::size_t at = is_python() ? base::FindBytes(text, kServe) : std::string_view::npos;
  for (; at != std::string_view::npos && stream_handlers_.size() < kMost; at = text.find(kServe, at + 1)) {
    std::string_view given =
        text.substr(std::min(text.find_first_not_of(" \r\n", at + kServe.size()), text.size()), 100);
    given = given.substr(0, given.find_first_of(",) \r\n"));
    given.remove_prefix(given.starts_with("self.") ? 5 : 0);
    if (!given.empty()) stream_handlers_.push_back(given);
  }
}

void ModuleView::Build() {
  NoteStreamHandlers();
  first_param_.reserve(module_.functions.size());
  first_param_.push_back(0);  // the module itself has none
  for (FuncId id = 1; id < module_.functions.size(); ++id) {
    const Function& function = module_.functions[id];
    if (function.owner == kNone && !function.name.empty()) {
      slots_[AddSlot(function.parent == kNone ? kModuleBody : function.parent, kNone, function.name)].function = id;
    } else if (function.owner != kNone && function.owner < module_.classes.size()) {
      slots_[AddSlot(kModuleBody, function.owner, function.name)].function = id;
    }
    for (std::uint32_t i = 0; i < function.params.size(); ++i) {
      const std::string_view name = function.params[i].name;
      param_slots_.push_back(name.empty() ? kNone : AddSlot(id, kNone, name));
      if (!name.empty()) slots_[param_slots_.back()].param = i;
    }
    first_param_.push_back(static_cast<std::uint32_t>(param_slots_.size() - function.params.size()));
  }
  for (ClassId id = 0; id < module_.classes.size(); ++id) {
    const Class& klass = module_.classes[id];
    if (!klass.name.empty()) slots_[AddSlot(klass.parent, kNone, klass.name)].klass = id;
    for (const TypedField& field : klass.fields) slots_[AddSlot(kModuleBody, id, field.name)].type = field.type;
  }
  for (std::uint32_t i = 0; i < module_.imports.size(); ++i) {
    const Import& import = module_.imports[i];
    if (import.local == "*") {
      if (stars_.size() < kMostStars) stars_.push_back(i);
    } else if (!import.local.empty()) {
      slots_[AddSlot(import.scope, kNone, import.local)].import = i;
      hands_on_ = hands_on_ || import.local.starts_with("export ");
    }
  }
  for (const Expr& call : module_.exprs) {
    if (is_python() || call.kind != ExprKind::kCall || call.arg_count == 0 || call.base >= module_.exprs.size())
      continue;
    const Expr& method = module_.exprs[call.base];
    if (method.kind != ExprKind::kMember || method.text != "then") continue;
    const ExprId given = module_.ArgsOf(call)[0].value;
    if (given < module_.exprs.size() && module_.exprs[given].kind == ExprKind::kFunction) {
      waited_.emplace(module_.exprs[given].function, method.base);
    }
  }
  for (FuncId id = 0; id < module_.functions.size(); ++id) BindAll(id);
  BindFields();
  std::stable_sort(bindings_.begin(), bindings_.end(), [](const Binding& a, const Binding& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.end < b.end;
  });
  for (std::uint32_t i = 0; i < bindings_.size(); ++i) {
    Slot& slot = slots_[bindings_[i].slot];
    if (slot.count == 0) slot.first = i;
    bindings_[i].strong = !bindings_[i].weak ? i : slot.count == 0 ? kNone : bindings_[i - 1].strong;
    ++slot.count;
  }
  slot_memo_.assign(module_.exprs.size(), kNotAsked);
  for (ExprId id = 0; id < module_.exprs.size(); ++id) {
    if (module_.language == Language::kJavaScript) ReadLiteral(id);
    if (module_.exprs[id].kind == ExprKind::kName && places_.scope[id] != kNone)
      slot_memo_[id] = SlotByName(module_.exprs[id].text, places_.scope[id]);
  }
}

// {send(x) {...}}: whose method that is. Object.assign(exports, require("./more")): what is exported as well.
void ModuleView::ReadLiteral(ExprId id) {
  const Expr& expr = module_.exprs[id];
  if (expr.kind == ExprKind::kDict) {
    for (const Arg& field : module_.ArgsOf(expr)) {
      if (field.value < module_.exprs.size() && module_.exprs[field.value].kind == ExprKind::kFunction)
        literal_of_.emplace(module_.exprs[field.value].function, id);
    }
    return;
  }
  if (expr.kind != ExprKind::kCall || expr.arg_count < 2 || expr.base >= module_.exprs.size() ||
      module_.exprs[expr.base].text != "assign")
    return;
  const auto args = module_.ArgsOf(expr);
  const Expr& into = module_.exprs[args[0].value];
  if (into.text != "exports" || (into.kind != ExprKind::kName && into.kind != ExprKind::kMember)) return;
  for (const Arg& more : args.subspan(1)) added_exports_.push_back(more.value);
}

ClassId ModuleView::SelfClass(std::string_view name, FuncId scope) const {
  if (!is_python() && name != "this") return kNone;
  for (int i = 0; i < kMaxScopes && scope < module_.functions.size() && scope != kModuleBody; ++i) {
    const Function& function = module_.functions[scope];
    if (function.owner < module_.classes.size()) {
      if (is_python()) {
        if (!function.is_static && !function.params.empty() && function.params[0].name == name) return function.owner;
      } else {
        return function.owner;
      }
    }
    scope = function.parent;
  }
  return kNone;
}

std::uint32_t ModuleView::SlotByName(std::string_view name, FuncId scope) const {
  const auto named = names_.find(name);
  if (named == names_.end()) return kNone;
  for (int i = 0; i < kMaxScopes && scope < module_.functions.size() && scope != kModuleBody; ++i) {
    const auto at = scope_slots_.find(Key(scope, named->second));
    if (at != scope_slots_.end()) return at->second;
    scope = module_.functions[scope].parent;
  }
  const auto at = scope_slots_.find(Key(kModuleBody, named->second));
  return at == scope_slots_.end() ? kNone : at->second;
}

std::uint32_t ModuleView::SlotOf(ExprId name, FuncId scope) const {
  std::uint32_t& memo = slot_memo_[name];
  if (memo == kNotAsked) memo = SlotByName(module_.exprs[name].text, ScopeOf(name, scope));
  return memo;
}

std::uint32_t ModuleView::AttributeSlot(ClassId klass, std::string_view name) const {
  const auto named = names_.find(name);
  if (named == names_.end()) return kNone;
  std::vector<ClassId> open{klass};
  for (std::size_t i = 0; i < open.size() && i < kMaxBases; ++i) {
    const auto at = class_slots_.find(Key(open[i], named->second));
    if (at != class_slots_.end()) return at->second;
    for (const ExprId base : module_.classes[open[i]].bases) {
      if (base >= module_.exprs.size() || module_.exprs[base].kind != ExprKind::kName) continue;
      const std::uint32_t slot = SlotByName(module_.exprs[base].text, module_.classes[open[i]].parent);
      if (slot != kNone && slots_[slot].klass != kNone && open.size() < kMaxBases) open.push_back(slots_[slot].klass);
    }
  }
  return kNone;
}

FuncId ModuleView::MethodOf(ClassId klass, std::string_view name) const {
  const std::uint32_t slot = AttributeSlot(klass, name);
  return slot == kNone ? kNone : slots_[slot].function;
}

}  // namespace interlock::scan::code
