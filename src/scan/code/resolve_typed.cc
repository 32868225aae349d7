// Names that other files bring (star imports; Go's packages of several files, Rust's crates of modules), and the few
// functions of Go and Rust that paths and addresses are put together with.
#include <algorithm>
#include <array>

#include "code/catalogue.h"
#include "code/resolve_internal.h"
#include "code/world.h"
#include "static/classify.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kMostBeside = 64;  // files of a package that a name is looked for in

template <std::size_t n>
bool Is(std::string_view name, const std::string_view (&names)[n]) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

// The folder of the crate's root: up to and with the first `src`.
std::string_view CrateOf(std::string_view path) {
  if (path.starts_with("src/")) return path.substr(0, 3);
  const std::size_t at = path.find("/src/");
  return at == std::string_view::npos ? FolderOf(path) : path.substr(0, at + 4);
}

std::string Below(std::string_view folder, std::string_view rest) {
  std::string out(folder);
  if (!out.empty() && !rest.empty()) out += '/';
  return out += rest;
}

}  // namespace

std::span<const std::uint32_t> World::BesideGo(std::uint32_t module) const {
  const auto at = go_folders_.find(std::string(FolderOf(PathOf(module))));
  if (at == go_folders_.end()) return {};
  return std::span<const std::uint32_t>(at->second).first(std::min(at->second.size(), kMostBeside));
}

// The first file of the folder that an import path ends with. A path without a dot in front is the standard library's
// or begins with the name of the own module, which has to be left out.
std::uint32_t World::ResolveGo(std::string_view name) const {
  if (go_folders_.empty()) return kNone;
  std::size_t at = name.find('/');
  const bool far = name.substr(0, at).find('.') != std::string_view::npos;
  if (far && at != std::string_view::npos) at = name.find('/', at + 1);
  for (; at != std::string_view::npos; at = name.find('/', at + 1)) {
    const std::string_view rest = name.substr(at + 1);
    for (const std::string_view root : {"", "package/"}) {
      const auto found = go_folders_.find(std::string(root) + std::string(rest));
      if (found != go_folders_.end()) return found->second.front();
    }
  }
  return kNone;
}

// "crate/a/b", "self/a", "super/a" (typed_lowering.h): a.rs, a/mod.rs, or what defines the item that the path ends
// with.
std::uint32_t World::ResolveRust(std::uint32_t from, std::string_view name) const {
  const std::string_view path = PathOf(from);
  const std::string_view file = BaseName(path);
  const std::string_view folder = FolderOf(path);
  const bool heads = Is(file, {"main.rs", "lib.rs", "mod.rs", "build.rs"});
  const std::size_t slash = name.find('/');
  const std::string_view root = name.substr(0, slash);
  std::string_view rest = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
  std::string base;
  if (root == "crate") {
    base = CrateOf(path);
  } else if (root == "self") {
    base = heads ? std::string(folder) : Below(folder, file.substr(0, file.rfind('.')));
  } else if (root == "super") {
    base = heads ? FolderOf(folder) : folder;
  } else {
    return kNone;
  }
  const auto find = [&](const std::string& key) {
    const auto at = by_path_.find(key);
    return at == by_path_.end() ? kNone : at->second;
  };
  for (int left = 3; left > 0; --left) {
    const std::string stem = Below(base, rest);
    if (!rest.empty()) {
      if (const std::uint32_t found = find(stem + ".rs"); found != kNone) return found;
    }
    for (const std::string_view head : {"mod.rs", "lib.rs", "main.rs"}) {
      if (const std::uint32_t found = find(Below(stem, head)); found != kNone) return found;
    }
    if (rest.empty()) break;
    const std::size_t cut = rest.rfind('/');
    rest = cut == std::string_view::npos ? std::string_view() : rest.substr(0, cut);
  }
  return kNone;
}

// A name that `from m import *` brings.
Value ModuleView::OfStars(std::string_view name) const {
  for (const std::uint32_t star : stars_) {
    const Import& import = module_.imports[star];
    const std::uint32_t other = world_.Resolve(index_, import.module);
    if (other != kNone) {
      Value value = world_.View(other).Symbol(name);
      if (value.kind != ValueKind::kUnknown) return value;
    } else if (const std::string whole = import.module + "." + std::string(name);
               Catalogue::For(module_.language).Find(whole) != nullptr) {
      return Qualified(whole);
    }
  }
  return {};
}

// Of Go: a name of another file of the package.
Value ModuleView::OfPackage(std::string_view name) const {
  for (const std::uint32_t other : world_.BesideGo(index_)) {
    if (other == index_) continue;
    const ModuleView& beside = world_.View(other);
    const std::uint32_t slot = beside.SlotByName(name, kModuleBody);
    if (slot == kNone || beside.slots_[slot].import != kNone) continue;
    return beside.OfSlot(slot, kNone, kNone - 1);
  }
  return {};
}

std::string ModuleView::TextOfTypedCall(std::string_view callee, const Expr& call, FuncId scope) const {
  const auto args = module_.ArgsOf(call);
  const auto joined = [&](std::string text) {
    for (const Arg& arg : args) {
      if (text.size() > kMaxPartial) break;
      const std::string& piece = Text(arg.value, scope);
      if (!text.empty() && !text.ends_with('/')) text += '/';
      text += piece.empty() ? std::string(1, kHole) : piece;
    }
    return text;
  };
  if (Is(callee, {"path/filepath.Join", "path.Join"})) return joined({});
  if (Is(callee, {"os.UserHomeDir", "dirs.home_dir", "dirs_next.home_dir", "home.home_dir", "std.env.home_dir"}))
    return "~";
  if (Is(callee, {"os.UserConfigDir", "dirs.config_dir", "dirs.config_local_dir"})) return "~/.config";
  if (Is(callee, {"os.TempDir", "std.env.temp_dir"})) return "/tmp";
  if (Is(callee, {"os.Getenv", "std.env.var", "std.env.var_os"}) && args.size() == 1) {
    const std::string& name = Text(args[0].value, scope);
    return name == "HOME" || name == "USERPROFILE" ? "~" : std::string();
  }
  const std::string_view last = callee.substr(callee.rfind('.') + 1);
  if (args.size() == 1 && (Is(callee, {"path/filepath.Clean", "path/filepath.FromSlash", "strings.TrimSpace", "string",
                                       "os.ExpandEnv", "std.path.Path.new", "std.path.PathBuf.from", "String.from",
                                       "shellexpand.tilde", "Some", "Ok", "std.ffi.OsString.from", "Box.new"}) ||
                           Is(last, {"from_static"})))
    return Text(args[0].value, scope);
  if (call.base >= module_.exprs.size() || module_.exprs[call.base].kind != ExprKind::kMember) return {};
  const ExprId receiver = module_.exprs[call.base].base;
  const std::string_view method = module_.exprs[call.base].text;
  if (receiver == kNone) return {};
  if (method == "join" && args.size() == 1) {
    const std::string& folder = Text(receiver, scope);
    return folder.empty() ? std::string() : joined(folder);
  }
  if (args.empty() && Is(method, {"String", "Bytes", "display", "trim", "to_lowercase", "path", "as_os_str", "to_str"}))
    return Text(receiver, scope);
  // Of a value that may be missing: what is made of it.
  if (Is(method, {"map", "and_then"}) && args.size() == 1 && args[0].value < module_.exprs.size() &&
      module_.exprs[args[0].value].kind == ExprKind::kFunction) {
    const FuncId made = module_.exprs[args[0].value].function;
    const std::vector<Stmt>& body = module_.functions[made].body;
    if (body.size() == 1 && body[0].kind == StmtKind::kReturn && body[0].value != kNone) {
      std::string text = Text(body[0].value, made);
      const std::string& of = Text(receiver, scope);
      if (!of.empty() && text.starts_with(kHole)) text = of + text.substr(1);
      return text;
    }
  }
  return {};
}

}  // namespace interlock::scan::code
