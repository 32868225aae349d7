// Lines of a text that others wrote, read as settings: "approved: yes" in a mail sets what a person or a rule should.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kLongestBody = 8'000;
constexpr std::size_t kMostOfModule = 100'000;
constexpr std::size_t kNearby = 800;  // bytes of a module before what is judged

// Parts that open a door, choose the way or speak with the operator's voice.
bool Controls(std::string_view key) {
  const std::string lower = LowerCase(key.substr(0, 60));
  return AnyOf(lower, {"approv", "verif",   "trust",   "admin",   "signoff", "sign_off",   "permi",
                       "allow",  "consent", "confirm", "authori", "escalat", "may_",       "role",
                       "route",  "next",    "policy",  "system",  "prompt",  "instruction"});
}

// Words by which programs call what others wrote.
bool IsOthers(std::string_view lower) {
  return AnyOf(
      lower, {"body",       "mail",     "message", "comment", "issue",   "ticket", "description", "html",    "page",
              "event",      "document", "review",  "post",    "reply",   "topic",  "invite",      "subject", "content",
              "transcript", "lead",     "resume",  "cv",      "invoice", "pull",   "result",      "output"});
}

bool IsSettings(std::string_view lower) {
  return AnyOf(
      lower, {"config_file", "configparser", "settings", "dotenv", "\".env", "'.env", ".ini", "cfg_file", "argparse"});
}

bool IsAgent(std::string_view text) {
  return AnyOf(text, {"langgraph", "langchain", "openai", "anthropic", "autogen", "crewai", "llama_index",
                      "from agents import", "\"ai\"", "'ai'", "litellm", "ollama", "pydantic_ai", "smolagents",
                      "haystack", "semantic_kernel", "google.genai"});
}

bool Parses(std::string_view last) {
  return SaysOneOf(last, {"findall", "finditer", "matchAll", "partition", "split", "match", "exec", "search",
                          "rpartition", "groups"});
}

}  // namespace

// for key, value in LINE.findall(body): into[key] = value
void Engine::JudgeAssignedByText() {
  if (!last_) return;
  const Function& shape = code().functions[function_];
  for (const Stmt& stmt : shape.body) {
    if (stmt.kind != StmtKind::kAssign || stmt.target >= code().exprs.size()) continue;
    const Expr& target = code().exprs[stmt.target];
    if (target.kind != ExprKind::kIndex || target.arg_count != 1 || target.base >= code().exprs.size()) continue;
    // Of an answer's head every line is a field.
    if (code().exprs[target.base].kind != ExprKind::kName ||
        Contains(LowerCase(code().exprs[target.base].text), "header"))
      continue;
    const ExprId key = code().ArgsOf(target)[0].value;
    if (key >= code().exprs.size() || !view().Text(key, function_).empty()) continue;
    const std::uint32_t named = RootOf(key);
    if (named == kNone || !IsParsed(named)) continue;
    // What is written into has parts that decide.
    std::string part;
    const ExprId into = view().Origin(target.base, function_);
    const auto fields = into < code().exprs.size() && code().exprs[into].kind == ExprKind::kDict
                            ? code().ArgsOf(code().exprs[into])
                            : std::span<const Arg>();
    for (const Arg& field : fields) {
      if (part.empty() && Controls(field.name)) part = field.name;
    }
    if (part.empty()) part = ControlledBy(target.base);
    if (part.empty()) continue;
    const std::string body =
        LowerCase(function_ == kModuleBody ? Around(stmt.loc) : TextAt(shape.loc).substr(0, kLongestBody));
    // A module reads the environment for many reasons; a function that does is after its settings.
    const bool settings = IsSettings(body) || (function_ != kModuleBody && body.find("environ") != std::string::npos);
    if (!IsOthers(body) || settings || !IsAgent(code().text.substr(0, kMostOfModule))) return;
    Raise("STATE-001", stmt.loc, {}, 0, "lets lines of a text that others wrote set `" + Shown(part, 40) + "`", 1.4);
    return;
  }
}

// Lines of a module about a place, to tell what a loop there reads.
std::string_view Engine::Around(const Loc& loc) const {
  const std::size_t begin = loc.begin > kNearby ? loc.begin - kNearby : 0;
  return std::string_view(code().text).substr(begin, loc.end - begin);
}

// What this function reads of the state is a text that came from outside, not what was said in the conversation.
bool Engine::ReadsOthersText() const {
  const std::string body = LowerCase(TextAt(code().functions[function_].loc).substr(0, kLongestBody));
  return IsOthers(body) && !AnyOf(body, {"messages", ".invoke(", "settings", "config"});
}

// {model, system_prompt: "...", ...page.data}: a document's own header is the last word on how a graph runs.
void Engine::JudgeConfigured(ExprId dict) {
  if (graphs_.empty() || graphs_[module_] == 0) return;
  bool rules = false;
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    rules = rules || SaysOneOf(field.name, {"system_prompt", "systemPrompt", "model", "prompt", "instructions",
                                            "approved", "may_delete"});
    if (!rules || field.value >= code().exprs.size() || code().exprs[field.value].kind != ExprKind::kSpread ||
        code().exprs[field.value].arg_count == 0) {
      continue;
    }
    const Taint given = Eval(code().ArgsOf(code().exprs[field.value])[0].value);
    constexpr Labels kOthers = kForeign | kFileContent;
    if (!given.Has(kOthers) || given.Has(kModelAnswer)) continue;
    Raise("STATE-001", field.value, given, kOthers, "lets a text that others wrote set how a graph runs", 1.4);
    return;
  }
}

// key.strip().lower(): the variable at the root.
std::uint32_t Engine::RootOf(ExprId expr) const {
  for (int i = 0; i < 8 && expr < code().exprs.size(); ++i) {
    const Expr& part = code().exprs[expr];
    if (part.kind == ExprKind::kName) return view().SlotOf(expr, function_);
    if (part.kind == ExprKind::kCall || part.kind == ExprKind::kMember || part.kind == ExprKind::kIndex) {
      expr = part.base;
      continue;
    }
    return kNone;
  }
  return kNone;
}

// The variable is one of several that a parse gives.
bool Engine::IsParsed(std::uint32_t slot) const {
  for (const Stmt& stmt : code().functions[function_].body) {
    if (stmt.kind != StmtKind::kAssign || stmt.target >= code().exprs.size() || stmt.value >= code().exprs.size())
      continue;
    const Expr& target = code().exprs[stmt.target];
    const bool several = target.kind == ExprKind::kList || target.kind == ExprKind::kDict;
    if (!several) continue;
    const bool there = std::ranges::any_of(code().ArgsOf(target), [&](const Arg& arg) {
      return arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kName &&
             view().SlotOf(arg.value, function_) == slot;
    });
    if (!there) continue;
    std::vector<ExprId> open{stmt.value};
    for (std::size_t i = 0; i < open.size() && i < 32; ++i) {
      const ExprId origin = view().Origin(open[i], function_);
      const Expr& expr = code().exprs[origin < code().exprs.size() ? origin : open[i]];
      if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size() && Parses(code().exprs[expr.base].text))
        return true;
      if (expr.base < code().exprs.size()) open.push_back(expr.base);
    }
  }
  return false;
}

// fields = form_fields(mail): a table that is read out of a text, here or in the function that is asked for it. What a
// model answers is none of it.
bool Engine::IsTableOfWords(ExprId value) const {
  const auto reads = [](std::string_view last) {
    return SaysOneOf(last, {"safe_load", "loads", "parse_qs", "parse_qsl", "parse_toml", "frontmatter", "yaml_load"});
  };
  std::vector<ExprId> open{value};
  constexpr std::size_t kMost = 32;
  for (std::size_t i = 0; i < open.size() && i < kMost; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& shown = code().exprs[open[i]];
    if (shown.kind == ExprKind::kName) {
      // fields, story = split_block(text)
      const std::uint32_t slot = view().SlotOf(open[i], function_);
      if (slot == kNone || view().slots()[slot].count != 1) continue;
      const Binding& made = view().bindings()[view().slots()[slot].first];
      if (made.value != open[i] && made.value != kNone) open.push_back(made.value);
      continue;
    }
    if (shown.kind == ExprKind::kChoice || shown.kind == ExprKind::kBinary || shown.kind == ExprKind::kAwait) {
      for (const Arg& arg : code().ArgsOf(shown)) open.push_back(arg.value);
      continue;
    }
    if (shown.kind != ExprKind::kCall || shown.base >= code().exprs.size()) continue;
    const std::string_view last = code().exprs[shown.base].text;
    if (reads(last) || (last == "parse" && !view().is_python())) return true;
    const Value called = view().Callee(open[i], function_);
    if (called.kind != ValueKind::kFunction || called.module >= states_.size()) continue;
    const Module& module = states_[called.module].view->module();
    if (called.index >= module.functions.size()) continue;
    const Loc loc = module.functions[called.index].loc;
    const std::string_view body =
        std::string_view(module.text).substr(loc.begin, std::min<std::size_t>(loc.end - loc.begin, kLongestBody));
    if (AnyOf(body, {"yaml.safe_load(", "json.loads(", "parse_qs(", "JSON.parse(", "YAML.parse(", "yaml.load(",
                     "tomllib.loads(", "frontmatter.loads(", "matter("}) &&
        !AnyOf(body, {".invoke(", ".create(", ".generate"})) {
      return true;
    }
  }
  return false;
}

// A part that decides, of a dictionary that is kept elsewhere: prefs.autoApprove, run["signoff"].
std::string Engine::ControlledBy(ExprId container) const {
  const std::string_view name = code().exprs[container].text;
  for (const Expr& expr : code().exprs) {
    if (expr.kind != ExprKind::kMember && expr.kind != ExprKind::kIndex) continue;
    if (expr.base >= code().exprs.size() || code().exprs[expr.base].kind != ExprKind::kName ||
        code().exprs[expr.base].text != name)
      continue;
    std::string_view key = expr.kind == ExprKind::kMember ? expr.text : std::string_view();
    if (expr.kind == ExprKind::kIndex && expr.arg_count == 1) {
      const ExprId at = code().ArgsOf(expr)[0].value;
      if (at < code().exprs.size() && code().exprs[at].kind == ExprKind::kString) key = code().exprs[at].text;
    }
    if (!key.empty() && Controls(key)) return std::string(key);
  }
  return {};
}

// goto = re.search(...)[1]: a text that others wrote names the step.
void Engine::JudgeNamedStep(ExprId value) {
  std::vector<ExprId> open{value};
  bool parses = false;
  for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
    const ExprId origin = view().Origin(open[i], function_);
    if (origin >= code().exprs.size()) continue;
    const Expr& expr = code().exprs[origin];
    if (expr.kind == ExprKind::kCall && expr.base < code().exprs.size()) {
      const std::string_view last = code().exprs[expr.base].text;
      parses = parses ||
               SaysOneOf(last, {"search", "match", "exec", "findall", "fullmatch", "loads", "safe_load", "partition",
                                "matchAll"}) ||
               (last == "parse" && !view().is_python());
    }
    if (expr.base != kNone) open.push_back(expr.base);
    for (const Arg& arg : code().ArgsOf(expr)) open.push_back(arg.value);
  }
  // meta[key] = JSON.parse(...); goto: meta.next
  const std::string_view body =
      function_ == kModuleBody ? std::string_view() : TextAt(code().functions[function_].loc).substr(0, 6'000);
  const Expr& shown = code().exprs[value];
  const bool member =
      shown.kind == ExprKind::kMember || shown.kind == ExprKind::kChoice || shown.kind == ExprKind::kIndex;
  parses = parses || (member && AnyOf(body, {"JSON.parse(", "json.loads(", ".exec(state.", "yaml.safe_load("}));
  const Taint taint = Eval(value);
  if (!parses || taint.Has(kModelAnswer) || AnyOf(body, {"messages", ".invoke(", "with_structured_output"})) return;
  constexpr Labels kOthers = kForeign | kFileContent | kState;
  if (!taint.Has(kOthers)) return;
  Raise("STATE-001", value, taint, kOthers, "lets a text that others wrote name the next step of a graph", 1.4);
}

// store.upsert(metadatas=[{"kind": "clip", **front}]): what others wrote says itself what it is, over what the program
// says of it.
void Engine::JudgeSelfRanked(const Call& call) {
  constexpr Labels kOthers = kForeign | kFileContent | kToolArgument | kState;
  const auto ranks = [](const Arg& part) {
    return SaysOneOf(part.name, {"kind", "type", "trust", "weight", "role", "author", "priority", "source"});
  };
  const auto is_metadata = [](const Arg& arg) { return SaysOneOf(arg.name, {"metadatas", "metadata", "payload"}); };
  const auto judge = [&](ExprId value) {
    ExprId origin = value < code().exprs.size() ? view().Origin(value, function_) : kNone;
    if (origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kList &&
        code().exprs[origin].arg_count > 0)
      origin = view().Origin(code().ArgsOf(code().exprs[origin])[0].value, function_);
    if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kDict) return;
    bool own = false;  // parts that the program itself has set before
    for (const Arg& field : code().ArgsOf(code().exprs[origin])) {
      if (field.value >= code().exprs.size()) continue;
      const Expr& part = code().exprs[field.value];
      if (part.kind != ExprKind::kSpread || part.arg_count != 1) {
        own = own || ranks(field);
        continue;
      }
      const ExprId spread = code().ArgsOf(part)[0].value;
      const ExprId set = view().Origin(spread, function_);
      if (set < code().exprs.size() && code().exprs[set].kind == ExprKind::kDict) {
        own = own || std::ranges::any_of(code().ArgsOf(code().exprs[set]), ranks);
        continue;
      }
      const Taint given = Eval(spread);
      if (!own || !given.Has(kOthers)) continue;
      Raise("STATE-002", spread, given, kOthers, "lets what others wrote say itself what it is and how much it counts",
            1.4);
      Worsen("STATE-002", core::Severity::kHigh);
      return;
    }
  };
  for (const Arg& arg : call.args) {
    if (is_metadata(arg)) judge(arg.value);
    if (!arg.name.empty() || arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict)
      continue;
    for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
      if (is_metadata(field)) judge(field.value);
    }
  }
}

// store.upsert(documents=[rule], metadatas=[{"author": "operator"}]): what others wrote gets the rank of a rule.
void Engine::JudgeRanked(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"upsert", "add", "put", "aput", "add_texts", "addDocuments", "add_documents", "insert",
                        "insert_one", "insertOne", "store", "remember"})) {
    return;
  }
  if (last_) JudgeSelfRanked(call);
  std::string said;
  for (const char c : LowerCase(TextAt(code().exprs[call.expr].loc).substr(0, 1'500))) {
    if (c != ' ' && c != '\n' && c != '"' && c != '\'') said += c;
  }
  if (!AnyOf(said, {"author:operator", "author:admin", "kind:policy", "source:operator", "source:system",
                    "trust:verified", "trust:operator", "source:policy", "type:policy", "rank:operator",
                    "verified:true", "trusted:true", "authority:operator"})) {
    return;
  }
  const std::string name = LowerCase(code().functions[function_].qualified);
  if (function_ == kModuleBody ||
      AnyOf(name, {"policy", "rule", "admin", "operator", "seed", "review", "approve", "verify"}))
    return;
  constexpr Labels kOthers = kForeign | kFileContent | kToolArgument | kState | kMemory;
  const bool others = call.all.Has(kOthers) || AnyOf(TextAt(code().functions[function_].loc).substr(0, 6'000),
                                                     {".findall(", "re.search(", ".match("});
  if (!others) return;
  Raise("STATE-002", call.expr, call.all, kOthers, "keeps what others wrote with the rank of a rule", 1.4);
  Worsen("STATE-002", core::Severity::kHigh);
}

}  // namespace interlock::scan::code
