// What the package's own programs load or start of what lies aside.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/entry.h"

namespace interlock::scan::code {
namespace {

using core::Reach;

constexpr std::size_t kLongestPath = 300;

// What a package manager has put there, from registries that have judged it.
bool IsInstalled(std::string_view path) {
  constexpr auto kPlaces =
      std::to_array<std::string_view>({"node_modules/", "site-packages/", "venv/", "bower_components/", ".yarn/"});
  return std::ranges::any_of(kPlaces,
                             [&](std::string_view place) { return path.find(place) != std::string_view::npos; });
}

bool IsProgramName(std::string_view text) {
  constexpr auto kEndings = std::to_array<std::string_view>({".js", ".cjs", ".mjs", ".ts"});
  return std::ranges::any_of(
      kEndings, [&](std::string_view ending) { return text.size() > ending.size() && text.ends_with(ending); });
}

// By its name, in a folder of helpers: "latest.js" is none, nor is what a package begins with.
bool StartsTests(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view folder = path.substr(path.rfind('/', slash - 1) + 1, slash - path.rfind('/', slash - 1) - 1);
  if (folder != "scripts" && folder != "tools" && folder != "ci" && folder != "dev") return false;
  const std::string_view name = path.substr(slash + 1);
  const std::size_t at = name.find("test");
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return at != std::string_view::npos && (at == 0 || !letter(name[at - 1]));
}

// Of programs that load one another.
Language Family(Language language) { return language == Language::kTypeScript ? Language::kJavaScript : language; }

// "./tests/run.py" as an import would say it.
std::string ModuleNameOf(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  std::string out(path.substr(0, path.size() - std::string_view(".py").size()));
  std::ranges::replace(out, '/', '.');
  return out;
}

// The last name of what is called.
std::string_view CalledName(const Module& module, const Expr& call) {
  if (call.base >= module.exprs.size()) return {};
  const Expr& callee = module.exprs[call.base];
  return callee.kind == ExprKind::kName || callee.kind == ExprKind::kMember ? callee.text : std::string_view{};
}

// path.join(__dirname, "test", "a.js"): the place beside the file; empty where a part is not known.
std::string JoinedPlace(const Module& module, const Expr& call) {
  const auto args = module.ArgsOf(call);
  if (args.size() < 2 || args.front().value >= module.exprs.size()) return {};
  const Expr& head = module.exprs[args.front().value];
  if (head.text != "__dirname" && head.text != "dirname") return {};
  std::string out = ".";
  for (const Arg& arg : args.subspan(1)) {
    if (arg.value >= module.exprs.size() || module.exprs[arg.value].kind != ExprKind::kString) return {};
    out.append("/").append(module.exprs[arg.value].text);
  }
  return out.size() > kLongestPath ? std::string{} : out;
}

// Modules that `module` names: as imports, as paths (`require`, `fork`, `new Worker`, `import()`, a program's
// argument), as names that a loader is given.
template <class Visit>
void ForEachNamed(const Module& module, Visit visit) {
  const bool python = module.language == Language::kPython;
  for (const Import& import : module.imports) {
    // A package by its name is installed from a registry.
    if (!python && (import.module.empty() || std::string_view(".#@~").find(import.module[0]) == std::string_view::npos))
      continue;
    visit(std::string(import.module));
    if (python && !import.symbol.empty()) visit(import.module + "." + import.symbol);
  }
  for (const Expr& expr : module.exprs) {
    if (expr.kind == ExprKind::kString && expr.text.size() <= kLongestPath) {
      const bool relative = expr.text.starts_with("./") || expr.text.starts_with("../");
      if (python) {
        if (expr.text.ends_with(".py")) visit(ModuleNameOf(expr.text));
      } else if (relative || IsProgramName(expr.text)) {
        visit(relative ? std::string(expr.text) : "./" + std::string(expr.text));
      }
    }
    if (expr.kind != ExprKind::kCall) continue;
    const std::string_view name = CalledName(module, expr);
    if (!python && (name == "join" || name == "resolve")) {
      if (std::string place = JoinedPlace(module, expr); !place.empty()) visit(std::move(place));
    }
    // require("#own"), by a name that the package's own manifest gives it.
    const auto args = module.ArgsOf(expr);
    if (!python && (name == "require" || name == "import") && !args.empty() &&
        args.front().value < module.exprs.size() && module.exprs[args.front().value].kind == ExprKind::kString) {
      visit(std::string(module.exprs[args.front().value].text));
    }
    if (!python || (name != "import_module" && name != "__import__" && name != "run_module")) continue;
    for (const Arg& arg : args) {
      if (arg.value < module.exprs.size() && module.exprs[arg.value].kind == ExprKind::kString)
        visit(std::string(module.exprs[arg.value].text));
    }
  }
}

}  // namespace

std::vector<std::uint32_t> LiftLoaded(const World& world, std::vector<Reach>& reach) {
  std::vector<std::uint32_t> files;
  const auto count = static_cast<std::uint32_t>(std::min(world.size(), reach.size()));
  if (std::ranges::none_of(reach, [](Reach place) { return place > Reach::kRuntime; })) return files;
  std::vector<std::uint32_t> loading;  // modules that run: what they name is to be followed
  std::vector<bool> known(count, false);
  for (std::uint32_t m = 0; m < count; ++m) {
    // scripts/run_tests.py starts tests, unless something else starts it.
    if (reach[m] > Reach::kRuntime || StartsTests(world.PathOf(m))) continue;
    known[m] = true;
    loading.push_back(m);
  }
  for (std::size_t i = 0; i < loading.size(); ++i) {
    const Module& loader = world.View(loading[i]).module();
    ForEachNamed(loader, [&](const std::string& name) {
      const std::uint32_t found = world.Resolve(loading[i], name);
      if (found >= count || known[found] || IsInstalled(world.PathOf(found))) return;
      // "./random" is no `random.py` to a program in JavaScript.
      if (Family(world.View(found).module().language) != Family(loader.language)) return;
      known[found] = true;
      loading.push_back(found);
      if (reach[found] <= Reach::kRuntime) return;
      reach[found] = Reach::kRuntime;
      files.push_back(world.View(found).module().file);
    });
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace interlock::scan::code
