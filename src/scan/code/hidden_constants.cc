// Programs that stand in the package as texts which nobody reads as programs: backwards, in parts, as numbers.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr int kMostSteps = 6;

}  // namespace

// A program, once its letters stand the other way round.
bool sink_words::ReadsBackwards(std::string text) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"import ", "exec(", "eval(", "os.", "curl ", "wget ", "require(", "http://", "https://", "system(", "subprocess",
       "child_process", "powershell", "/bin/sh", "function(", "=>"});
  const auto is_program = [&] {
    return std::ranges::any_of(kWords, [&](std::string_view word) { return text.find(word) != std::string::npos; });
  };
  if (text.size() < 8 || is_program()) return false;
  std::ranges::reverse(text);
  return is_program();
}

// x.split("").reverse().join(""): x.
ExprId sink_words::TurnedRound(const Module& module, const Expr* join) {
  constexpr auto kChain = std::to_array<std::string_view>({"reverse", "split"});
  ExprId at = join != nullptr && join->kind == ExprKind::kMember ? join->base : kNone;
  for (const std::string_view name : kChain) {
    if (at >= module.exprs.size() || module.exprs[at].kind != ExprKind::kCall) return kNone;
    const ExprId method = module.exprs[at].base;
    if (method >= module.exprs.size() || module.exprs[method].kind != ExprKind::kMember ||
        module.exprs[method].text != name) {
      return kNone;
    }
    at = module.exprs[method].base;
  }
  return at;
}

// The constant that an expression stands on: what a parameter's only caller gives, an entry of a table or of a list
// that is gone through, the default of a variable of the environment; as text or as bytes. "": none that is known.
std::string Engine::ConstantBehind(ExprId expr) {
  for (int step = 0; step < kMostSteps; ++step) {
    if (std::string text = Known(expr); !text.empty() && text.front() != kHole) return text;
    FuncId scope = function_;
    const ExprId origin = view().Origin(expr, function_, &scope);
    if (origin >= code().exprs.size()) return {};
    const Expr& at = code().exprs[origin];
    const auto args = code().ArgsOf(at);
    switch (at.kind) {
      case ExprKind::kName: {  // for part in PARTS
        const std::uint32_t slot = view().SlotOf(origin, scope);
        if (slot == kNone || view().slots()[slot].count == 0) return {};
        const ExprId value = view().bindings()[view().slots()[slot].first].value;
        if (value == expr || value >= code().exprs.size()) return {};
        expr = value;
        break;
      }
      case ExprKind::kList:
        if (args.empty()) return {};
        expr = args.front().value;
        break;
      case ExprKind::kIndex: {
        // cfg["boot"], of a parameter; PARTS[0]
        if (args.empty()) return {};
        const std::string& key = view().Text(args.front().value, scope);
        if (std::string text = KnownField(at.base, key, scope); !text.empty()) return text;
        const ExprId table = view().Origin(at.base, scope);
        if (table >= code().exprs.size() || code().exprs[table].kind != ExprKind::kList) return {};
        expr = table;
        break;
      }
      case ExprKind::kSlice:
        expr = at.base;
        break;
      case ExprKind::kChoice:  // process.env.BOOT || "..."
        if (args.empty()) return {};
        expr = args.back().value;
        break;
      case ExprKind::kCall: {
        if (at.base >= code().exprs.size()) return {};
        const Expr& called = code().exprs[at.base];
        if (const ExprId turned = TurnedRound(code(), &called); called.text == "join" && turned != kNone) {
          expr = turned;
          break;
        }
        const std::string& name = view().Callee(origin, scope).text;
        if (args.size() == 2 && (name.ends_with("environ.get") || name.ends_with("getenv"))) {
          expr = args[1].value;
        } else if (called.kind == ExprKind::kMember &&
                   SaysOneOf(called.text, {"encode", "strip", "rstrip", "trim", "toString", "replace"})) {
          expr = called.base;
        } else if (called.kind == ExprKind::kName && SaysOneOf(called.text, {"bytes", "bytearray", "str", "String"}) &&
                   !args.empty()) {
          expr = args[0].value;
        } else {
          return {};
        }
        break;
      }
      default:
        return {};
    }
  }
  return {};
}

}  // namespace interlock::scan::code
