// What an agent is told: by whoever built it, by the definitions of tools, by messages that say that they are the
// builder's.
#include <algorithm>
#include <cctype>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// What an agent is told is fetched. Name, description and parameters come together where a gateway offers what it has
// found elsewhere; of a text that stands here a part may be put in.
constexpr double kGateway = 0.45;
constexpr double kPart = 0.4;

// Of a text, what is known of it.
std::size_t KnownLetters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count(text, kHole));
}

bool SaysAssistant(std::string_view last) {
  return last == "add_ai_message" || last == "addAIMessage" || last == "addAIChatMessage" || last == "aadd_ai_message";
}

}  // namespace

// What an agent is told about a server and its tools, when it comes from somewhere else than the package.
void Engine::JudgeTold(const Call& call, std::string_view last) {
  if (!last_) return;
  if ((last == "update_state" || last == "aupdate_state" || last == "updateState") && call.args.size() >= 2 &&
      !graphs_.empty() && graphs_[module_] != 0 && call.taints[1].Has(kForeign) &&
      Contains(TextAt(code().exprs[call.expr].loc), "System")) {
    Raise("STATE-001", call.expr, call.taints[1], kForeign,
          "overwrites the state of a running graph with a system message from the network", 1.4);
  }
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!call.args[i].name.empty()) JudgeInstruction(call.args[i].name, call.args[i].value, call.taints[i]);
  }
  if (last == "UserMessage" && !call.args.empty() && SaysYes(view().Text(call.args[0].value, function_))) {
    Raise("STATE-004", call.expr, {}, 0,
          "puts a consent into the user's mouth: " + Shown(view().Text(call.args[0].value, function_), 80));
  }
  JudgeRank(call, last);
  if (SaysAssistant(last) && !call.args.empty() && call.taints[0].Has(kForeign)) {
    // What somebody else wrote, behind words of one's own, as what the assistant has said.
    const std::string text = view().Text(call.args[0].value, function_);
    if (text.find_first_not_of(kHole) != std::string::npos && text.size() > 12) {
      Raise("STATE-001", call.expr, call.taints[0], kForeign,
            "puts an answer from the network into the assistant's mouth", 1.3);
    }
  }
  if (last == "Command" && !graphs_.empty() && graphs_[module_] != 0) {
    // The answer that an interrupted graph waits for is a person's.
    const auto answer = [&](std::string_view name, ExprId value) {
      if (name != "resume" || value >= code().exprs.size()) return;
      const Expr& given = code().exprs[value];
      const bool yes = given.text == "True" || given.text == "true" ||
                       (given.kind == ExprKind::kString &&
                        AnyOf(LowerCase(given.text), {"yes", "approve", "accept", "continue", "confirm", "allow"}));
      // {"type": "accept"}
      const bool kind =
          given.kind == ExprKind::kDict && std::ranges::any_of(code().ArgsOf(given), [&](const Arg& field) {
            return SaysOneOf(field.name, {"type", "decision", "action", "approved"}) &&
                   field.value < code().exprs.size() &&
                   SaysOneOf(code().exprs[field.value].text, {"accept", "approve", "yes", "True", "true", "allow"});
          });
      if ((yes || kind) && !AsksForConsent())
        Raise("STATE-004", value, {}, 0, "answers for the person whom a graph has asked");
    };
    for (const Arg& arg : call.args) {
      answer(arg.name, arg.value);
      if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict) continue;
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) answer(field.name, field.value);
    }
  }
  if (last == "Tool") JudgeDefinition(call.args);  // types.Tool(name=..., description=...)
  const bool server = last == "FastMCP" || last == "McpServer" || last == "Server";
  const bool tool = last == "registerTool" || last == "addTool" || last == "add_tool" || last == "tool" ||
                    last == "StructuredTool" || last == "from_function" || last == "registerPrompt";
  if (!server && !tool) return;
  const auto fetched = std::ranges::count_if(call.args, [&](const Arg& arg) {
    return arg.value < code().exprs.size() && code().exprs[arg.value].kind != ExprKind::kDict &&
           Eval(arg.value).Has(kNetFixed);
  });
  const bool gateway = fetched >= 3;
  const auto judge = [&](ExprId value, std::string_view what) {
    const Taint taint = Eval(value);
    if (!taint.Has(kNetFixed) || taint.Has(kToolArgument)) return;
    constexpr std::size_t kLong = 200;
    const bool part = (taint.fresh & kNetFixed) == 0 && KnownLetters(Known(value)) >= kLong;
    Raise("DECL-002", value, taint, kNetFixed, std::string(what) + " is fetched from the network",
          gateway ? kGateway
          : part  ? kPart
                  : 1.0);
  };
  std::size_t position = 0;
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[arg.value];
    if (arg.name == "description" || arg.name == "instructions") {
      judge(arg.value, server ? "what the agent is told about the server" : "the description of a tool");
    } else if (arg.name.empty() && expr.kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(expr)) {
        if (field.name == "description" || field.name == "instructions") {
          judge(field.value, server ? "what the agent is told about the server" : "the description of a tool");
        }
      }
    } else if (arg.name.empty() && position == 1 && last == "tool" && call.args.size() >= 3) {
      judge(arg.value, "the description of a tool");
    }
    ++position;
  }
}

// ("system", text) of a prompt's messages.
void Engine::JudgePair(ExprId list) {
  const auto items = code().ArgsOf(code().exprs[list]);
  if (items.size() != 2 || items[0].value >= code().exprs.size()) return;
  const Expr& role = code().exprs[items[0].value];
  if (role.kind != ExprKind::kString || (role.text != "system" && role.text != "developer")) return;
  JudgeInstruction("instructions", items[1].value, Eval(items[1].value));
}

// {name, description, inputSchema}: one of the tools that a server lists.
void Engine::JudgeDefinition(std::span<const Arg> fields) {
  constexpr std::size_t kSentence = 80;
  ExprId description = kNone;
  std::size_t told = 0;
  std::size_t fetched = 0;
  std::size_t documents = 0;
  bool schema = false;
  for (const Arg& field : fields) {
    documents += SaysOneOf(field.name, {"returns", "syntax", "remarks", "namespace", "deprecated"}) ? 1U : 0U;
    schema = schema || SaysOneOf(field.name, {"inputSchema", "input_schema"});
    if (!SaysOneOf(field.name, {"name", "description", "inputSchema", "input_schema", "parameters"})) continue;
    if (field.name == "description") description = field.value;
    ++told;
  }
  if (told < 3 || description == kNone) return;
  // {name, syntax, description, parameters, returns}: an entry of a reference, as pages of it are read.
  constexpr std::size_t kReference = 2;
  if (!schema && documents >= kReference) return;
  // One definition within another is judged where it stands, not once more for each that is around it.
  if (defines_) return;
  defines_ = true;
  for (const Arg& field : fields) {
    if (SaysOneOf(field.name, {"name", "inputSchema", "input_schema", "parameters"}))
      fetched += Eval(field.value).Has(kNetFixed) ? std::size_t{1} : 0;
  }
  const Taint taint = Eval(description);
  defines_ = false;
  if (!taint.Has(kNetFixed) || taint.Has(kToolArgument)) return;
  Raise("DECL-002", description, taint, kNetFixed, "the description of a tool is fetched from the network",
        fetched >= 2                                    ? kGateway
        : KnownLetters(Known(description)) >= kSentence ? kPart
                                                        : 1.0);
}

// A message, a block or a setter that says by its own words that what it is given is the builder's voice:
// ChatMessage(role=SYSTEM, content=x), set_system_prompt(x), modify(block_label="persona", value=x).
void Engine::JudgeRank(const Call& call, std::string_view last) {
  const std::string name = LowerCase(last.substr(0, 60));
  const bool setter = AnyOf(name, {"system_message", "systemmessage", "system_prompt", "systemprompt",
                                   "set_instructions", "setinstructions", "system_instruction"}) &&
                      call.args.size() <= 2;
  bool rank = false;
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size() ||
        (!arg.name.empty() && !AnyOf(arg.name, {"role", "type", "label", "sender"}))) {
      continue;
    }
    const Expr& given = code().exprs[arg.value];
    if (given.kind == ExprKind::kString && !arg.name.empty()) {
      rank = rank || given.text == "system" || given.text == "developer" ||
             (arg.name.ends_with("label") && (given.text == "persona" || given.text == "human"));
    } else if (given.kind == ExprKind::kMember) {
      // LogCategory.SYSTEM says where a line of a log belongs.
      const std::string of =
          given.base < code().exprs.size() ? LowerCase(code().exprs[given.base].text) : std::string();
      const bool logs = AnyOf(of, {"log", "categor", "severity", "level", "theme", "font"});
      rank = rank || (!logs && (given.text == "SYSTEM" || given.text == "System" || given.text == "DEVELOPER"));
    }
  }
  if (!setter && !rank) return;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const std::string_view field = call.args[i].name;
    if (!field.empty() && !AnyOf(field, {"content", "text", "value", "message", "prompt", "body"})) continue;
    if (call.entry != nullptr && call.entry->role == Role::kPrompt) continue;
    const Taint& said = call.taints[i];
    if (rank && said.Has(kForeign) &&
        view().Text(call.args[i].value, function_).find_first_not_of(kHole) == std::string::npos) {
      Raise("STATE-001", call.args[i].value, said, kForeign,
            "gives an answer from the network the rank of a system message", 1.2);
    }
    JudgeInstruction("instructions", call.args[i].value, said);
  }
}

// What an agent is told by whoever built it, when a stranger's answer stands there.
void Engine::JudgeInstruction(std::string_view name, ExprId value, const Taint& said) {
  if (!last_ || value >= code().exprs.size()) return;
  const bool tells = name == "system_prompt" || name == "instructions" || name == "system_message" ||
                     name == "systemPrompt" || name == "systemMessage" || name == "system_instruction" ||
                     name == "backstory" || name == "persona";
  if (!tells) return;
  NoteSystemKeys(value);
  if (!said.Has(kForeign)) return;
  const bool whole = view().Text(value, function_).find_first_not_of(kHole) == std::string::npos;
  Raise("STATE-001", value, said, kForeign, "an agent's " + std::string(name) + " come from the network",
        said.Has(kNetStranger) ? (whole ? 1.4 : 0.8) : 0.5);
}

}  // namespace interlock::scan::code
