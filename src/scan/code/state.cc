// State of graphs of agents: what is written into it from outside, and whether that steers the agents later.
#include <algorithm>

#include "code/engine.h"

namespace interlock::scan::code {
namespace {

bool Any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Keys that say what an agent is to do, or who goes next and what it may.
bool Steers(std::string_view key) {
  return Any(key, {"system_prompt",
                   "system",
                   "system_message",
                   "systemPrompt",
                   "instructions",
                   "instruction",
                   "persona",
                   "role",
                   "policy",
                   "policies",
                   "rules",
                   "goal",
                   "objective",
                   "task_instructions",
                   "agent_instructions",
                   "directive",
                   "directives",
                   "next",
                   "next_node",
                   "next_agent",
                   "next_step",
                   "route",
                   "goto",
                   "router",
                   "approved",
                   "is_admin",
                   "admin",
                   "authorized",
                   "permissions",
                   "permission_level",
                   "allowed_tools",
                   "trusted",
                   "trust_level",
                   "override",
                   "mode",
                   "prompt",
                   "prompt_template",
                   "guardrails",
                   "active_agent"});
}

bool ComesFromUsers(std::string_view key) {
  return Any(key, {"messages",     "input",       "user_input",  "query",    "question", "content",
                   "user_message", "user_query",  "documents",   "document", "context",  "search_results",
                   "retrieved",    "tool_output", "tool_result", "text",     "message",  "raw_input",
                   "request",      "observation", "page",        "email",    "body"});
}

// Keys that open a door, and keys that hold what others than the user wrote.
bool Permits(std::string_view key) {
  return Any(key, {"approved", "is_admin", "admin", "authorized", "permissions", "permission_level", "trusted",
                   "trust_level", "confirmed", "consent", "allowed", "verified"});
}
bool IsOthersText(std::string_view key) {
  return Any(key, {"mail", "email", "emails", "documents", "document", "search_results", "retrieved", "tool_output",
                   "tool_result", "page", "web_page", "observation", "ticket", "issue", "body", "html"});
}

}  // namespace

void Engine::ReadState(std::string_view key) {
  if (!last_ || key.empty() || key.size() > 128 || state_reads_.size() > 10'000) return;
  state_reads_.push_back({std::string(key), module_, function_});
}

// async function plan({ brief }): the part of the state that a variable is; "" for none.
std::string_view Engine::StatePart(std::uint32_t slot) const {
  if (!last_ || slot == kNone || !states_[module_].slots[slot].Has(kState)) return {};
  const Slot& variable = view().slots()[slot];
  if (variable.count == 0 || variable.first >= view().bindings().size()) return {};
  const Binding& given = view().bindings()[variable.first];
  return given.destructured ? given.part : std::string_view();
}

// Keys of the state that stand in what a model is told by whoever built it.
void Engine::NoteSystemKeys(ExprId said) {
  if (!last_ || graphs_.empty() || graphs_[module_] == 0 || system_keys_.size() > 1000) return;
  std::vector<ExprId> open{said};
  for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    if (code().exprs[open[i]].kind == ExprKind::kName) {
      const std::string_view key = StatePart(view().SlotOf(open[i], function_));
      if (!key.empty() && key.size() < 128) system_keys_.insert(std::string(key));
      if (!key.empty()) continue;
    }
    const ExprId origin = view().Origin(open[i], function_);
    if (origin >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[origin];
    const bool part = expr.kind == ExprKind::kMember || expr.kind == ExprKind::kIndex;
    if (part && expr.base < code().exprs.size() && code().exprs[expr.base].kind == ExprKind::kName &&
        Eval(expr.base).Has(kState)) {
      const std::string_view named = StatePart(view().SlotOf(expr.base, function_));  // brief.map(...)
      const std::string key = !named.empty()                   ? std::string(named)
                              : expr.kind == ExprKind::kMember ? std::string(expr.text)
                              : expr.arg_count > 0             ? view().Text(code().ArgsOf(expr)[0].value, function_)
                                                               : std::string();
      if (!key.empty() && key.size() < 128) system_keys_.insert(key);
      continue;
    }
    // state.get("key")
    if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size() &&
        code().exprs[expr.base].kind == ExprKind::kMember && code().exprs[expr.base].text == "get" &&
        expr.arg_count > 0 && Eval(code().exprs[expr.base].base).Has(kState)) {
      const std::string& key = view().Text(code().ArgsOf(expr)[0].value, function_);
      if (!key.empty() && key.size() < 128) system_keys_.insert(key);
      continue;
    }
    if (expr.base != kNone) open.push_back(expr.base);
    for (const Arg& arg : code().ArgsOf(expr)) open.push_back(arg.value);
  }
}

// Where a command goes: of `[Send(name, {...})]` the names, not what is taken along.
Taint Engine::DestinationOf(ExprId value) {
  Taint out;
  std::vector<ExprId> open{value};
  constexpr std::size_t kMost = 32;
  for (std::size_t i = 0; i < open.size() && i < kMost; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& part = code().exprs[open[i]];
    const auto args = code().ArgsOf(part);
    if (part.kind == ExprKind::kList) {
      for (const Arg& item : args) open.push_back(item.value);
    } else if (part.kind == ExprKind::kCall && !args.empty() && part.base < code().exprs.size() &&
               code().exprs[part.base].text == "Send") {
      open.push_back(args[0].value);
    } else {
      out.Join(Eval(open[i]));
    }
  }
  return out;
}

// if style in STYLES: update["style"] = style. A name that was looked up in a list of the program's own.
bool Engine::IsLookedUp(ExprId value) const {
  if (value >= code().exprs.size() || code().exprs[value].kind != ExprKind::kName) return false;
  constexpr std::size_t kMostBefore = 400;
  const std::size_t end = std::min<std::size_t>(code().exprs[value].loc.begin, code().text.size());
  const std::size_t from =
      std::max<std::size_t>(code().functions[function_].loc.begin, end > kMostBefore ? end - kMostBefore : 0);
  const std::string_view before = from < end ? code().text.substr(from, end - from) : std::string_view();
  const std::string name(code().exprs[value].text);
  for (const std::string& asks : {name + " in ", name + " not in ", ".includes(" + name + ")", ".has(" + name + ")"}) {
    const std::size_t asked = before.rfind(asks);
    if (asked != std::string_view::npos && before.substr(0, asked).ends_with("for ")) continue;  // goes through one
    if (asked != std::string_view::npos) return true;
  }
  return false;
}

void Engine::WriteState(std::string_view key, ExprId value, const Taint& taint, ExprId at) {
  if (!last_ || key.empty() || key.size() > 128 || state_writes_.size() > 10'000 || IsLookedUp(value)) return;
  constexpr Labels kFromOutside = kToolArgument | kForeign | kFileContent | kMemory | kInput | kArguments;
  StateWrite write;
  write.because = taint.labels & kFromOutside;
  if (write.because == 0 && taint.Has(kState)) {
    // From other parts of the state.
    std::vector<ExprId> open{value};
    for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const ExprId origin = view().Origin(open[i], function_);
      const Expr& expr = code().exprs[origin];
      const bool field = expr.kind == ExprKind::kMember && expr.base < code().exprs.size() &&
                         code().exprs[expr.base].kind == ExprKind::kName && Eval(expr.base).Has(kState);
      if ((field || expr.kind == ExprKind::kString) && expr.text != key && expr.text.size() < 64) {
        write.sources.emplace_back(expr.text);
      }
      if (expr.base != kNone) open.push_back(expr.base);
      for (const Arg& arg : code().ArgsOf(expr)) open.push_back(arg.value);
    }
  }
  if (write.because == 0 && write.sources.empty() && Permits(key)) {
    // approved = "approved" in mail: the words decide as much as the text would.
    std::vector<ExprId> open{value};
    for (std::size_t i = 0; i < open.size() && i < 32; ++i) {
      if (open[i] >= code().exprs.size()) continue;
      const Expr& expr = code().exprs[open[i]];
      if (expr.kind == ExprKind::kBinary && expr.arg_count == 2) {
        for (const Arg& side : code().ArgsOf(expr)) {
          const Taint said = Eval(side.value);
          write.because |= said.labels & (kForeign | kFileContent | kMemory);
          std::vector<ExprId> parts{side.value};
          for (std::size_t k = 0; said.Has(kState) && k < parts.size() && k < 32; ++k) {
            if (parts[k] >= code().exprs.size()) continue;
            const Expr& part = code().exprs[parts[k]];
            if (part.kind == ExprKind::kString && part.text.size() < 64 && IsOthersText(part.text)) {
              write.sources.emplace_back(part.text);
            }
            if (part.base != kNone) parts.push_back(part.base);
            for (const Arg& arg : code().ArgsOf(part)) parts.push_back(arg.value);
          }
        }
      }
      for (const Arg& arg : code().ArgsOf(expr)) open.push_back(arg.value);
    }
  }
  if (write.because == 0 && write.sources.empty()) return;
  write.key = std::string(key);
  write.module = module_;
  write.function = function_;
  write.taint = taint;
  write.loc = code().exprs[at].loc;
  state_writes_.push_back(std::move(write));
}

// {..., **known}: whose keys nobody here wrote.
void Engine::JudgeSpread(ExprId value) {
  JudgeNamedParts(value);
  const ExprId made = view().Origin(value, function_);
  if (made >= code().exprs.size()) return;
  if (code().exprs[made].kind == ExprKind::kDict) {
    // claim = {**DEFAULTS, **fields}
    for (const Arg& field : code().ArgsOf(code().exprs[made])) {
      if (field.value >= code().exprs.size() || code().exprs[field.value].kind != ExprKind::kSpread) continue;
      const Expr& spread = code().exprs[field.value];
      if (spread.arg_count == 1) JudgeTable(code().ArgsOf(spread)[0].value);
    }
    return;
  }
  if (const Expr& each = code().exprs[made]; each.kind == ExprKind::kComprehension && each.arg_count > 0) {
    // {name: known[name] for name in ("title", "author")}: names that stand here.
    const ExprId names = view().Origin(code().ArgsOf(each).back().value, function_);
    const bool own =
        names < code().exprs.size() && code().exprs[names].kind == ExprKind::kList &&
        std::ranges::all_of(
            code().ArgsOf(code().exprs[names]),
            [&](const Arg& name) {
              return name.value < code().exprs.size() && code().exprs[name.value].kind == ExprKind::kString;
            });
    if (own) return;
  }
  // All of the state, handed on, is nobody else's.
  const Taint taint = Eval(value);
  if ((taint.labels & (kForeign | kFileContent | kMemory)) != 0) {
    WriteState("*", value, taint, value);
  } else {
    JudgeTable(value);
  }
}

// A table that somebody wrote into his mail, which the state holds.
void Engine::JudgeTable(ExprId value) {
  Taint taint = Eval(value);
  if (!taint.Has(kState) || taint.Has(kModelAnswer) || !IsTableOfWords(value)) return;
  taint.labels |= kForeign;
  WriteState("*", value, taint, value);
}

// update["style"] = value, update[name] = value where name goes through a list that stands here.
void Engine::JudgeWrittenPart(const Stmt& stmt, std::uint32_t slot) {
  if (stmt.kind != StmtKind::kAssign || stmt.target >= code().exprs.size()) return;
  const Expr& target = code().exprs[stmt.target];
  const bool index = target.kind == ExprKind::kIndex && target.arg_count == 1;
  if ((!index && target.kind != ExprKind::kMember) || target.base >= code().exprs.size() ||
      code().exprs[target.base].kind != ExprKind::kName || view().SlotOf(target.base, function_) != slot) {
    return;
  }
  const std::string known = index ? view().Text(code().ArgsOf(target)[0].value, function_) : std::string(target.text);
  if (!known.empty()) return WriteState(known, stmt.value, Eval(stmt.value), stmt.value);
  const ExprId key = code().ArgsOf(target)[0].value;
  const std::uint32_t name =
      key < code().exprs.size() && code().exprs[key].kind == ExprKind::kName ? view().SlotOf(key, function_) : kNone;
  if (name == kNone || view().slots()[name].count != 1) return;
  const Binding& each = view().bindings()[view().slots()[name].first];
  const ExprId rows = view().Origin(each.value, function_);
  if (rows >= code().exprs.size() || code().exprs[rows].kind != ExprKind::kList) return;
  for (const Arg& row : code().ArgsOf(code().exprs[rows])) {
    ExprId one = row.value;
    if (one < code().exprs.size() && code().exprs[one].kind == ExprKind::kList &&
        each.item < code().exprs[one].arg_count)
      one = code().ArgsOf(code().exprs[one])[each.item].value;
    if (one >= code().exprs.size() || code().exprs[one].kind != ExprKind::kString) continue;
    WriteState(code().exprs[one].text, stmt.value, Eval(stmt.value), stmt.value);
  }
}

// known[name] = value, in what a node gives back: the name decides which part of the state it is.
void Engine::JudgeNamedParts(ExprId given) {
  if (given >= code().exprs.size() || code().exprs[given].kind != ExprKind::kName) return;
  const std::uint32_t slot = view().SlotOf(given, function_);
  if (slot == kNone) return;
  constexpr Labels kOthers = kForeign | kFileContent | kMemory | kState;
  const auto named = [&](const Stmt& stmt, FuncId where) {
    if (stmt.kind != StmtKind::kAssign || stmt.target >= code().exprs.size()) return kNone;
    const Expr& target = code().exprs[stmt.target];
    if (target.kind != ExprKind::kIndex || target.arg_count != 1 || target.base >= code().exprs.size() ||
        code().exprs[target.base].kind != ExprKind::kName || view().SlotOf(target.base, where) != slot)
      return kNone;
    const ExprId key = code().ArgsOf(target)[0].value;
    return view().Text(key, where).empty() ? key : kNone;
  };
  for (const Stmt& stmt : code().functions[function_].body) {
    JudgeWrittenPart(stmt, slot);
    const ExprId key = named(stmt, function_);
    if (key == kNone) continue;
    const Taint name = Eval(key);
    if (!name.Has(kOthers)) continue;
    Taint value = Eval(stmt.value);
    // "approved_by: me" in a mail: the line says which part of the state it is.
    if (name.Has(kState) && IsParsed(RootOf(key)) && ReadsOthersText()) value.labels |= kForeign;
    WriteState("*", stmt.value, value, stmt.value);
  }
  // page("meta").each((i, tag) => { known[tag.name] = tag.content })
  for (FuncId inner = function_ + 1; inner < code().functions.size(); ++inner) {
    if (code().functions[inner].parent != function_) continue;
    for (const Stmt& stmt : code().functions[inner].body) {
      if (named(stmt, inner) == kNone) continue;
      const Taint held = Eval(given);
      if (held.Has(kOthers)) WriteState("*", given, held, given);
      return;
    }
  }
}

void Engine::JudgeState(const Stmt& stmt) {
  if (!last_ || graphs_.empty()) return;
  FuncId scope = function_;
  ExprId origin = view().Origin(stmt.value, function_, &scope);
  if (origin >= code().exprs.size()) return;
  if (nodes_.find((std::uint64_t{module_} << 32U) | function_) == nodes_.end()) {
    // A tool writes the state of the graph that calls it, by a command.
    const Expr& given = code().exprs[origin];
    if (!IsEntry() || given.kind != ExprKind::kCall || given.base >= code().exprs.size() ||
        !Any(code().exprs[given.base].text, {"Command"})) {
      return;
    }
  }
  JudgeNamedParts(stmt.value);
  // Command(update={...}, goto=...)
  if (code().exprs[origin].kind == ExprKind::kCall) {
    const ExprId command = origin;
    std::vector<Arg> parts;
    for (const Arg& arg : code().ArgsOf(code().exprs[command])) {
      parts.push_back(arg);
      // new Command({goto: ..., update: {...}})
      if (!arg.name.empty() || arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict)
        continue;
      const auto fields = code().ArgsOf(code().exprs[arg.value]);
      parts.insert(parts.end(), fields.begin(), fields.end());
    }
    for (const Arg& arg : parts) {
      if (arg.name == "goto") JudgeNamedStep(arg.value);
      if (arg.name == "goto") WriteState("goto", arg.value, DestinationOf(arg.value), arg.value);
      if (arg.name != "update") continue;
      origin = view().Origin(arg.value, scope);
      if (origin < code().exprs.size() && code().exprs[origin].kind != ExprKind::kDict) {
        WriteState("*", arg.value, Eval(arg.value), arg.value);
      }
    }
  }
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kDict) return;
  for (const Arg& field : code().ArgsOf(code().exprs[origin])) {
    if (field.value >= code().exprs.size()) continue;
    if (const Expr& part = code().exprs[field.value]; part.kind == ExprKind::kSpread && part.arg_count == 1) {
      JudgeSpread(code().ArgsOf(part)[0].value);
      continue;
    }
    if (Any(field.name, {"messages", "chat_history", "history"})) JudgeLeftOrder(field.value);
    WriteState(field.name, field.value, Eval(field.value), field.value);
  }
}

void Engine::FinishState() {
  const auto literal = [](std::string_view space) {
    const std::size_t first = space.find_first_not_of("([");
    return first != std::string_view::npos && (space[first] == '"' || space[first] == '\'');
  };
  for (std::size_t i = 0; memory_leads_ && i < hits_.size(); ++i) {
    // What strangers wrote is kept, and what is kept gives the agent its orders.
    Hit& hit = hits_[i];
    if (hit.finding.rule != "STATE-002") continue;
    // ... unless it is kept in another place than any that is read.
    const auto kept = kept_spaces_.find(i);
    const bool apart = kept != kept_spaces_.end() && literal(kept->second) && !read_spaces_.contains(kept->second) &&
                       std::ranges::all_of(read_spaces_, literal);
    if (apart) continue;
    hit.finding.severity = core::Severity::kHigh;
    hit.finding.scale = std::max(hit.finding.scale, 1.0);
  }
  std::unordered_set<std::string> outside;
  for (const StateWrite& write : state_writes_) {
    if (write.because != 0) outside.insert(write.key);
  }
  for (const StateWrite& write : state_writes_) {
    module_ = write.module;
    function_ = write.function;
    Labels because = write.because;
    for (const std::string& source : write.sources) {
      if (because == 0 && IsOthersText(source)) because = kState;
      if (because == 0 && (ComesFromUsers(source) || outside.contains(source))) because = kState;
    }
    if (because == 0) continue;
    bool prompt = false;
    bool route = write.key == "goto";
    for (const StateRead& read : state_reads_) {
      if (read.key != write.key) continue;
      if ((facts_[read.module][read.function].deeds & kDidPrompt) != 0) prompt = true;
      if (routers_.contains((std::uint64_t{read.module} << 32U) | read.function)) route = true;
    }
    const bool system = system_keys_.contains(write.key) && write.key != "messages";
    prompt = prompt || system;
    double scale = 0.0;
    if (system && (because & (kForeign | kFileContent | kMemory | kState)) != 0) {
      scale = 1.0;
    } else if (Steers(write.key)) {
      scale = prompt || route ? 1.0 : 0.6;
    } else if (route || write.key == "*") {
      scale = 0.8;
    }
    // A door that opens to whoever writes the mail.
    if (write.key == "goto" && std::any_of(write.sources.begin(), write.sources.end(),
                                           [](const std::string& source) { return IsOthersText(source); })) {
      scale = 1.3;
    }
    // Untrusted text as a message of its own is how it should be: no finding.
    if (scale == 0.0) continue;
    Raise("STATE-001", write.loc, write.taint, because,
          (write.key == "*" ? std::string("the whole state") : "state `" + write.key + "`") +
              " is written from untrusted input" +
              (route    ? " and chooses the way through the graph"
               : prompt ? " and reaches a prompt"
                        : ""),
          scale);
  }
}

}  // namespace interlock::scan::code
