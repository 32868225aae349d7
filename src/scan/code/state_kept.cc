// Programs that keep what agents and people have said (checkpoints, memories, histories) and change it on the way.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostModules = 64;  // of a package that is there to keep state

// What only a person, or a guard, decides.
bool IsDecision(std::string_view key) {
  const std::string name = LowerCase(key.substr(0, 60));
  return AnyOf(name, {"approv", "consent", "confirm", "authoriz", "permi", "guardrail", "interrupt", "review",
                      "verdict", "decision", "trusted", "allowed"});
}

bool IsQuestion(std::string_view key) {
  const std::string name = LowerCase(key.substr(0, 60));
  return AnyOf(name, {"require", "needs_", "needsa", "needsc", "must_", "ask_"}) &&
         AnyOf(name, {"confirm", "approv", "consent", "review", "permission"});
}

bool Agrees(std::string_view text) {
  const std::string lower = LowerCase(text.substr(0, 20));
  return lower == "approved" || lower == "approve" || lower == "allow" || lower == "allowed" || lower == "accepted" ||
         lower == "accept" || lower == "granted" || lower == "authorized" || lower == "confirmed" || lower == "pass";
}

std::size_t CountWords(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    words += letter && !inside ? 1 : 0;
    inside = letter || (inside && c != ' ' && c != '\n');
  }
  return words;
}

}  // namespace

void Engine::FindKeepers() {
  if (states_.size() > kMostModules) return;
  for (const ModuleState& state : states_) {
    const Module& module = state.view->module();
    for (const Class& klass : module.classes) {
      for (const ExprId base : klass.bases) {
        if (base >= module.exprs.size()) continue;
        const Loc loc = module.exprs[base].loc;
        if (loc.end > module.text.size() || loc.begin >= loc.end) continue;
        // A class of the package that happens to be called so keeps what the package says.
        if (state.view->Evaluate(base, kModuleBody).kind == ValueKind::kClass) continue;
        const std::string_view name = module.text.substr(loc.begin, loc.end - loc.begin);
        keeps_state_ = keeps_state_ || AnyOf(name, {"CheckpointSaver", "MemorySaver", "ChatMessageHistory", "BaseStore",
                                                    "BaseMemory", "BaseChatMemory", "SqliteSaver", "PostgresSaver"});
      }
    }
  }
}

// A function of the package that is called `confirm` and asks nobody confirms nothing.
bool Engine::AsksInside(ExprId test) const {
  std::vector<ExprId> open{test};
  constexpr std::size_t kMost = 16;
  for (std::size_t i = 0; i < open.size() && i < kMost; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& part = code().exprs[open[i]];
    for (const Arg& arg : code().ArgsOf(part)) open.push_back(arg.value);
    if (part.kind != ExprKind::kCall) continue;
    const Value called = view().Callee(open[i], function_);
    if (called.kind != ValueKind::kFunction || called.module >= states_.size()) continue;
    const Module& there = states_[called.module].view->module();
    if (called.index >= there.functions.size()) continue;
    const Loc loc = there.functions[called.index].loc;
    const std::string_view body = std::string_view(there.text).substr(loc.begin, loc.end - loc.begin).substr(0, 4'000);
    if (!AnyOf(body, {"question", "prompt", "readline", "input(", "inquirer", "stdin", ".confirm("})) return false;
  }
  return true;
}

// if (!(await confirm("Install it now?"))) return; if not click.confirm(...): whoever sits there is asked before what
// follows in this function is done.
bool Engine::Confirms(FuncId function, std::size_t before) const {
  if (function == kModuleBody || function >= code().functions.size()) return false;
  for (const Stmt& stmt : code().functions[function].body) {
    if (stmt.loc.begin > before) return false;
    if (stmt.kind != StmtKind::kCondition) continue;
    const std::string text = Squeezed(TextAt(stmt.loc).substr(0, 200));
    if (AnyOf(text, {"!(awaitconfirm(", "!awaitconfirm(", "!confirm(", "notconfirm(", "notclick.confirm(",
                     "nottyper.confirm(", "notConfirm.ask("}) &&
        AsksInside(stmt.value)) {
      return true;
    }
  }
  return false;
}

// `if not approve: return` of a command: whoever calls it has said yes, or nothing is answered in his name. What a
// model gives as an argument is no person's yes.
bool Engine::AsksForConsent() {
  for (const Stmt& stmt : code().functions[function_].body) {
    if (stmt.kind != StmtKind::kCondition || stmt.value >= code().exprs.size()) continue;
    if (stmt.loc.begin > statement_.loc.begin) break;
    std::vector<ExprId> open{stmt.value};
    for (std::size_t i = 0; i < open.size() && i < 8; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& part = code().exprs[open[i]];
      for (const Arg& arg : code().ArgsOf(part)) open.push_back(arg.value);
      if (part.kind != ExprKind::kName) continue;
      const std::uint32_t slot = view().SlotOf(open[i], function_);
      if (slot == kNone || view().slots()[slot].param == kNone) continue;
      const std::string name = LowerCase(part.text);
      const bool consent = AnyOf(name, {"approve", "confirm", "consent", "accept"}) || name == "yes" || name == "force";
      if (consent && !Eval(open[i]).Has(kToolArgument | kState)) return true;
    }
  }
  return false;
}

// values["approved"] = True, in what was kept.
void Engine::JudgeDecision(std::string_view key, ExprId target, ExprId value) {
  if (!last_ || function_ == kModuleBody || value >= code().exprs.size()) return;
  const std::string_view whole = TextAt(code().exprs[target].loc).substr(0, 60);
  if (whole.starts_with("self.") || whole.starts_with("this.") || whole.starts_with("cls.")) return;
  std::vector<std::string> keys{std::string(key)};
  const Expr& at = code().exprs[target];
  if (key.empty() && at.kind == ExprKind::kIndex && at.arg_count == 1) {
    // for key in ("approved", ...): values[key] = True
    const std::uint32_t slot = view().SlotOf(code().ArgsOf(at)[0].value, function_);
    for (std::uint32_t i = 0; slot != kNone && i < view().slots()[slot].count && i < 4; ++i) {
      const ExprId list = view().bindings()[view().slots()[slot].first + i].value;
      if (list >= code().exprs.size()) continue;
      for (const Arg& item : code().ArgsOf(code().exprs[list])) {
        if (item.value < code().exprs.size() && code().exprs[item.value].kind == ExprKind::kString)
          keys.emplace_back(code().exprs[item.value].text);
      }
    }
  }
  std::vector<ExprId> open{value};
  bool yes = false;
  bool no = false;
  bool agrees = false;
  for (std::size_t i = 0; i < open.size() && i < 8; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& given = code().exprs[open[i]];
    yes = yes || given.text == "True" || given.text == "true";
    no = no || given.text == "False" || given.text == "false";
    agrees = agrees || (given.kind == ExprKind::kString && Agrees(given.text));
    if (given.kind == ExprKind::kChoice) {
      for (const Arg& arg : code().ArgsOf(given)) open.push_back(arg.value);
    }
  }
  const bool consents = std::ranges::any_of(keys, [&](const std::string& name) {
    return IsQuestion(name) ? no : IsDecision(name) && (agrees || (yes && !AnyOf(LowerCase(name), {"review"})));
  });
  if (!consents) return;
  Raise("STATE-005", target, {}, 0, "decides in a person's place while it keeps or loads the state of agents");
}

// message.content = message.content.replace("ask first", "need not ask")
void Engine::JudgeReworded(std::string_view key, ExprId target, ExprId value) {
  if (!last_ || function_ == kModuleBody || value >= code().exprs.size()) return;
  if (key != "content" && key != "text") return;
  const Expr& given = code().exprs[value];
  bool rewords = false;
  if (given.kind == ExprKind::kString) rewords = CountWords(given.text) >= 4;
  if (given.kind == ExprKind::kCall && given.base < code().exprs.size() &&
      code().exprs[given.base].kind == ExprKind::kMember &&
      AnyOf(code().exprs[given.base].text, {"replace", "replaceAll"}) && given.arg_count >= 2) {
    const auto args = code().ArgsOf(given);
    rewords = CountWords(view().Text(args[0].value, function_)) >= 2 &&
              CountWords(view().Text(args[1].value, function_)) >= 2;
  }
  if (!rewords) return;
  Raise("STATE-005", target, {}, 0, "changes what was said while it keeps or loads the state of agents");
}

// create(system=f"{RULES} {known}"): what is kept gives the agent its orders.
void Engine::NoteLeading(const Call& call) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (SaysOneOf(call.args[i].name, {"system", "instructions", "system_prompt", "system_instruction"}) &&
        call.taints[i].Has(kMemory)) {
      memory_leads_ = true;
    }
    if (call.args[i].value >= code().exprs.size() || code().exprs[call.args[i].value].kind != ExprKind::kDict) continue;
    for (const Arg& field : code().ArgsOf(code().exprs[call.args[i].value])) {
      if (SaysOneOf(field.name, {"system", "instructions", "systemInstruction"}) && Eval(field.value).Has(kMemory))
        memory_leads_ = true;
    }
  }
}

// tool.invoke(call.args): what a tool answers to a model, anybody may have written.
Taint Engine::ToolAnswer(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"invoke", "ainvoke", "run", "arun"}) || call.args.empty()) return {};
  if (call.args[0].value >= code().exprs.size()) return {};
  const std::string_view given = TextAt(code().exprs[call.args[0].value].loc);
  if (!given.ends_with(".args") && !given.ends_with("[\"args\"]") && !given.ends_with("['args']")) return {};
  return Source(kToolAnswer, call.expr, "takes what a tool answers");
}

// graph.update_state(config, body): whoever asks writes what state he likes.
void Engine::JudgeStateGiven(const Call& call, std::string_view last) {
  if (!last_ || call.args.size() < 2 || !SaysOneOf(last, {"update_state", "aupdate_state", "updateState"})) return;
  if (call.args[1].value >= code().exprs.size() || !call.taints[1].Has(kRequest)) return;
  const ExprId given = view().Origin(call.args[1].value, function_);
  if (given < code().exprs.size() && code().exprs[given].kind == ExprKind::kDict) {
    const auto fields = code().ArgsOf(code().exprs[given]);
    if (std::ranges::all_of(fields, [](const Arg& field) { return !field.name.empty(); })) return;
  }
  Raise("STATE-001", call.expr, call.taints[1], kRequest, "writes whatever a request brings into the state of a graph");
}

}  // namespace interlock::scan::code
