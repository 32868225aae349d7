// Calls by which agents are led: clients sent to another host, logs that leave, the state and the examples of a graph,
// definitions of tools that are exchanged; and parsers and sandboxes that are left open.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using core::Permission;
using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

bool IsFarHost(const std::string& host) {
  if (host.empty()) return false;
  const HostKind kind = KindOfHost(host);
  return kind == HostKind::kOrdinary || IsBad(kind);
}

bool IsModelClient(std::string_view last) {
  return SaysOneOf(last, {"OpenAI", "AsyncOpenAI", "ChatOpenAI", "Anthropic", "AsyncAnthropic", "ChatAnthropic",
                          "OpenAIEmbeddings", "AzureOpenAI", "ChatGoogleGenerativeAI", "ChatMistralAI", "createOpenAI",
                          "createAnthropic", "MistralClient", "Mistral", "Groq", "ChatGroq"});
}

bool IsLogHandler(std::string_view name) {
  return Contains(name, "Handler") &&
         AnyOf(name, {"HTTPHandler", "SocketHandler", "DatagramHandler", "SMTPHandler", "SysLogHandler"});
}

// The first words of a form, in lower case, that ask for a secret; "": none. "never a password" asks for none.
std::string_view AskedSecret(std::string_view lower) {
  constexpr auto kSecrets = std::to_array<std::string_view>(
      {"password",        "passphrase",  "seed phrase", "seed_phrase", "seedphrase",     "recovery phrase",
       "recovery_phrase", "mnemonic",    "private key", "private_key", "privatekey",     "secret key",
       "secret_key",      "secretkey",   "api key",     "api_key",     "apikey",         "access token",
       "access_token",    "accesstoken", "auth token",  "auth_token",  "bearer token",   "session cookie",
       "session token",   "card number", "card_number", "cardnumber",  "security code",  "cvv",
       "one-time code",   "2fa code",    "mfa code",    "otp code",    "social security"});
  constexpr std::size_t kBefore = 48;
  for (const std::string_view secret : kSecrets) {
    for (std::size_t at = lower.find(secret); at != std::string_view::npos; at = lower.find(secret, at + 1)) {
      std::string_view before = lower.substr(at > kBefore ? at - kBefore : 0, std::min(at, kBefore));
      before = before.substr(std::min(before.find_last_of(".!?\"'`\n") + 1, before.size()));
      if (!AnyOf(before, {"never", "not ", "no ", "n't", "without", "forgot", "reset", "min", "max"})) return secret;
    }
  }
  return {};
}

}  // namespace

// What the user is asked for by way of the client: MCP forbids servers to ask for secrets so (specification 2025-06-18,
// "Elicitation"), since nobody sees whose question it is. The answer is such a secret from here on.
void Engine::JudgeElicited(const Call& call, Taint* result) {
  constexpr std::size_t kMostOfForm = 4096;
  const auto source = [&](ExprId asked) -> std::string_view {
    const Value& value = view().Evaluate(asked, function_);
    if (value.kind == ValueKind::kClass && value.module < world_.size()) {
      const Module& module = world_.View(value.module).module();
      const Loc loc = module.classes[value.index].loc;
      return module.text.substr(loc.begin, loc.end - loc.begin);
    }
    FuncId scope = function_;
    const ExprId origin = view().Origin(asked, function_, &scope);
    return TextAt(code().exprs[origin < code().exprs.size() ? origin : asked].loc);
  };
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    const std::string form = LowerCase(source(arg.value).substr(0, kMostOfForm));
    const std::string_view secret = AskedSecret(form);
    if (secret.empty()) continue;
    Taint asked = Source(kStore, call.expr, "asks the user for a secret");
    for (const std::string_view word : {"github", "gitlab", "npm", "slack", "openai", "anthropic", "aws", "google"}) {
      if (Contains(form, word)) asked.vendors |= VendorOf(word);
    }
    result->Join(asked);
    Raise("VULN-017", call.expr, {}, 0, "asks the user, by way of the client, for a secret: " + std::string(secret));
    return;
  }
}

// The stream that is read here is written to a file: its path stands for a download from here on.
void Engine::MarkHandle(ExprId handle, const Taint& taint) {
  FuncId scope = function_;
  const ExprId origin = view().Origin(handle, function_, &scope);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall) return;
  const Expr& made = code().exprs[origin];
  const Value callee = view().Callee(origin, scope);
  if (made.arg_count == 0 || !(callee.text.ends_with("createWriteStream") || callee.text.ends_with("open"))) return;
  const bool method = callee.text.starts_with(".") && made.base < code().exprs.size();
  MarkPath(method ? code().exprs[made.base].base : code().ArgsOf(made)[0].value, taint);
}

namespace {

// for f in (read, classify): graph.add_node(f.__name__, f), and `read` takes what the graph is made of.
bool IsNodeOfLoop(const Module& module, const Function& shape, std::string_view text) {
  if (!AnyOf(module.text,
             {"add_node(fn", "add_node(f.", "add_node(node.", "add_node(func.", "add_node(step.", "add_node(name, "}))
    return false;
  const std::size_t made = module.text.find("StateGraph(");
  if (made == std::string_view::npos || shape.params.size() > 2) return false;
  if (shape.parent != kModuleBody) {
    // Inside the function that builds the graph.
    const Loc outer = shape.parent < module.functions.size() ? module.functions[shape.parent].loc : Loc{};
    if (made < outer.begin || made >= outer.end) return false;
  }
  const std::string_view kind = module.text.substr(made + 11, module.text.find_first_of(",)", made) - made - 11);
  const ExprId annotation = shape.params[0].annotation;
  if (kind.empty() || annotation >= module.exprs.size() || module.exprs[annotation].text != kind) return false;
  const std::string_view head = text.substr(0, text.find(":\n"));
  return !Contains(head, "-> str") && !Contains(head, "-> Literal");
}

// `uses == 40`, `calls >= 12`: a number above what a length is compared with, behind a comparison.
bool ComparesCount(std::string_view test) {
  constexpr std::size_t kMostRead = 160;
  test = test.substr(0, std::min(test.find('\n'), kMostRead));
  for (std::size_t at = test.find_first_of("=><"); at != std::string_view::npos;
       at = test.find_first_of("=><", at + 1)) {
    const std::size_t from = test.find_first_not_of("=>< ", at);
    if (from == std::string_view::npos) return false;
    const std::size_t end = std::min(test.find_first_not_of("0123456789", from), test.size());
    if (end - from >= 2 && test[from] != '0') return true;
  }
  return false;
}

}  // namespace

// A function that gives back where a graph goes next is a node, however it was put into the graph.
void Engine::MarkRouters() {
  for (std::uint32_t m = 0; m < states_.size(); ++m) {
    if (graphs_.empty() || graphs_[m] == 0) continue;
    const Module& module = states_[m].view->module();
    for (FuncId f = 1; f < module.functions.size(); ++f) {
      const Function& shape = module.functions[f];
      if (shape.params.empty() || shape.owner != kNone || nodes_.contains(Key(m, f))) continue;
      const std::string_view text = module.text.substr(shape.loc.begin, shape.loc.end - shape.loc.begin);
      const bool by_loop = IsNodeOfLoop(module, shape, text);
      if (!by_loop && (text.size() > 8000 || !Contains(text, "Command(") || !Contains(text, "goto"))) continue;
      // One that makes such functions is none itself.
      if (std::ranges::any_of(module.functions, [&](const Function& inner) { return inner.parent == f; })) continue;
      nodes_.insert(Key(m, f));
      Taint state;
      state.labels = kState;
      trail_.push_back({0, m, shape.params[0].loc.begin, "state given to `" + std::string(shape.name) + "`"});
      state.trail[static_cast<std::size_t>(TrailOf(kState))] = static_cast<std::uint32_t>(trail_.size());
      facts_[m][f].in[0].Join(state);
    }
  }
}

void Engine::JudgeAgentCall(const Call& call, std::string_view last, bool method) {
  constexpr std::size_t kFewWords = 20;  // bytes: of a text that is no label
  const Expr& expr = code().exprs[call.expr];
  const Expr* base = expr.base < code().exprs.size() ? &code().exprs[expr.base] : nullptr;
  // Downloads by stream.
  if (call.args.size() >= 2 && call.all.Has(kNet) && SaysOneOf(last, {"copyfileobj", "pipeline"})) {
    for (std::size_t i = 1; i < call.args.size(); ++i) MarkHandle(call.args[i].value, call.taints[0]);
  }
  if (method && last == "pipe" && !call.args.empty() && call.receiver.Has(kNet)) {
    MarkHandle(call.args[0].value, call.receiver);
  }
  if (call.all.labels != 0) Dispatch(call);
  if (last == "dictConfig" && !call.args.empty()) NoteLogConfig(call.args[0].value);
  if (last == "init" && view().is_python()) JudgeReportHook(call.args, call.expr);
  if (IsLogHandler(last)) {
    for (const Arg& arg : call.args) {
      const std::string host = KnownAddress(Known(arg.value));
      if (Contains(host, ".") && IsFarHost(host)) log_hosts_[module_] = host;
    }
  }
  if (!last_) return;
  if (last_) JudgeApproval(call);
  JudgeRelayedClient(call,
                     base != nullptr && base->kind == ExprKind::kName && IsModelClient(base->text) ? base->text : last);
  JudgeGraphCall(call, last);
  if (method && last == "repeat" && base != nullptr && call.args.size() == 1 &&
      call.args[0].value < code().exprs.size()) {
    JudgePadding(call.expr, view().Text(base->base, function_), code().exprs[call.args[0].value].text);
  }
  // tool.update({description: ...}), of a tool that was registered.
  if (method && last == "update" && call.args.size() == 1 && base != nullptr && function_ != kModuleBody &&
      call.args[0].value < code().exprs.size() && code().exprs[call.args[0].value].kind == ExprKind::kDict) {
    const ExprId made = view().Origin(base->base, function_);
    const bool tool = made < code().exprs.size() && code().exprs[made].kind == ExprKind::kCall &&
                      code().exprs[made].base < code().exprs.size() &&
                      SaysOneOf(code().exprs[code().exprs[made].base].text, {"registerTool", "tool"});
    // One that was handed on, by its name: what it is said to be from now on stands here.
    const bool handed = !tool && base->base < code().exprs.size() && code().exprs[base->base].kind == ExprKind::kName &&
                        LowerCase(code().exprs[base->base].text).ends_with("tool");
    for (const Arg& field : code().ArgsOf(code().exprs[call.args[0].value])) {
      const bool said = field.name == "description" && view().Text(field.value, function_).size() > kFewWords;
      if (tool ? !SaysOneOf(field.name, {"description", "paramsSchema", "inputSchema", "callback"}) : !handed || !said)
        continue;
      const Loc own = tool ? code().exprs[made].loc : Loc();
      const bool inside = tool && expr.loc.begin >= own.begin && expr.loc.end <= own.end;  // from its own handler
      Raise("DECL-003", call.expr, {}, 0, "a tool changes what it is said to be while it is in use",
            inside || IsEntry() || !conditions_.empty() ? 1.0 : 0.4);
      break;
    }
  }
  // if uses == 40: send_tool_list_changed(). What is listed from then on was not there when somebody looked.
  const auto counted = [&](const Condition& one) { return ComparesCount(TextAt(one.loc)); };
  if (SaysOneOf(last, {"send_tool_list_changed", "sendToolListChanged"}) && std::ranges::any_of(conditions_, counted)) {
    Raise("DECL-003", call.expr, {}, 0, "lists its tools anew after it has been used so often");
  }
  JudgeOpenParser(call, last);
  JudgeDocumentQuery(call, last);
  JudgeWeak(call, last, method);
}

// {"handlers": {"x": {"class": "logging.handlers.HTTPHandler", "host": "..."}}}
void Engine::NoteLogConfig(ExprId config) {
  std::vector<ExprId> open{config};
  for (std::size_t i = 0; i < open.size() && i < 200; ++i) {
    const ExprId origin = open[i] < code().exprs.size() ? view().Origin(open[i], function_) : kNone;
    if (origin >= code().exprs.size()) continue;
    const Expr& part = code().exprs[origin];
    bool handler = false;
    std::string host;
    for (const Arg& field : code().ArgsOf(part)) {
      open.push_back(field.value);
      if (part.kind != ExprKind::kDict) continue;
      const std::string text = view().Text(field.value, function_);
      if (SaysOneOf(field.name, {"class", "()"}) && IsLogHandler(text)) handler = true;
      if (SaysOneOf(field.name, {"host", "mailhost", "url", "address"}) && Contains(KnownAddress(text), ".")) {
        host = KnownAddress(text);
      }
    }
    if (handler && Contains(host, ".") && IsFarHost(host)) log_hosts_[module_] = host;
  }
}

// CodeExecutorAgent("runner", approval_func=approve), where `approve` says yes to everything: a framework that asks
// before it acts is told that somebody was asked.
void Engine::JudgeApproval(const Call& call) {
  const auto says_yes = [&](ExprId given) {
    const Value& value = view().Evaluate(given, function_);
    if (value.kind != ValueKind::kFunction || value.module >= world_.size()) return false;
    const ModuleView& there = world_.View(value.module);
    const Module& module = there.module();
    const Function& shape = module.functions[value.index];
    const auto yes = [&](ExprId id) {
      if (id >= module.exprs.size()) return false;
      const Expr& said = module.exprs[id];
      if (said.kind == ExprKind::kConstant) return SaysOneOf(said.text, {"True", "true"});
      return std::ranges::any_of(module.ArgsOf(said), [&](const Arg& arg) {
        return SaysOneOf(arg.name, {"approved", "approve", "allow", "allowed"}) && arg.value < module.exprs.size() &&
               SaysOneOf(module.exprs[arg.value].text, {"True", "true"});
      });
    };
    bool any = false;
    for (const Stmt& stmt : shape.body) {
      if (stmt.kind == StmtKind::kCondition) return false;
      if (stmt.kind != StmtKind::kReturn) continue;
      if (!yes(stmt.value)) return false;
      any = true;
    }
    const std::string_view body = module.text.substr(shape.loc.begin, shape.loc.end - shape.loc.begin);
    return any && !AnyOf(body, {"input(", "prompt", "question", "confirm(", "ask"});
  };
  const auto judge = [&](std::string_view name, ExprId given) {
    if (!SaysOneOf(name, {"approval_func", "approval_function", "approval_callback", "approval_fn", "approval_handler",
                          "should_approve", "human_approval", "onApproval", "onApprovalRequest", "approvalFunc",
                          "requestApproval", "approvalCallback"}))
      return;
    if (given < code().exprs.size() && says_yes(given))
      Raise("VULN-018", given, {}, 0, "answers yes where a framework asks for somebody's consent");
  };
  for (const Arg& arg : call.args) {
    judge(arg.name, arg.value);
    if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict) continue;
    for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) judge(field.name, field.value);
  }
}

// A client of a known model that is sent to somebody else's host, and takes the user's key from where it always lies.
void Engine::JudgeRelayedClient(const Call& call, std::string_view last) {
  if (!IsModelClient(last)) return;
  ExprId base = kNone;
  bool key = false;
  const auto take = [&](std::string_view name, ExprId value) {
    if (SaysOneOf(name, {"base_url", "baseURL", "api_base", "openai_api_base", "anthropic_api_url", "basePath"})) {
      base = value;
    }
    key = key || AnyOf(LowerCase(name), {"api_key", "apikey"});
  };
  for (const Arg& arg : call.args) {
    if (!arg.name.empty()) {
      take(arg.name, arg.value);
    } else if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) take(field.name, field.value);
    }
  }
  if (base == kNone || key) return;
  const std::string host = HostWithin(base);
  if (!IsFarHost(host) || IsKnownService(host)) return;
  Raise("EXFIL-003", call.expr, {}, 0, "sends the user's model key, and all that is said to the model, to " + host, 0.7,
        host);
}

void Engine::JudgeGraphCall(const Call& call, std::string_view last) {
  const bool graph = !graphs_.empty() && graphs_[module_] != 0;
  if (graph && call.args.size() >= 2 && SaysOneOf(last, {"update_state", "aupdate_state", "updateState"}) &&
      call.taints[1].Has(kNetFixed) && !call.taints[1].Has(kToolArgument)) {
    Raise("STATE-001", call.expr, call.taints[1], kNetFixed,
          "overwrites the state of a running graph by an answer from the network", 1.2);
  }
  // Examples that prompts are built from.
  if (SaysOneOf(last, {"add_example", "aadd_example", "addExample", "add_examples"}) && call.all.Has(kForeign) &&
      !call.all.Has(kToolArgument)) {
    Raise("STATE-002", call.expr, call.all, kForeign,
          "takes the examples that prompts are built from out of an answer from the network", 1.5);
    Worsen("STATE-002", core::Severity::kHigh);
  }
  if (last == "FewShotPromptTemplate" || last == "FewShotChatMessagePromptTemplate") {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      if (call.args[i].name != "examples" || !call.taints[i].Has(kForeign)) continue;
      Raise("STATE-002", call.expr, call.taints[i], kForeign,
            "takes the examples that a prompt is built from out of an answer from the network", 1.5);
      Worsen("STATE-002", core::Severity::kHigh);
    }
  }
  // SystemMessage(content=m.content), where m is what a tool has answered.
  if (last == "SystemMessage" && !call.args.empty() && function_ != kModuleBody) {
    ExprId said = call.args[0].value;
    for (const Arg& arg : call.args) {
      if (arg.name == "content") said = arg.value;
    }
    if (said < code().exprs.size() && code().exprs[said].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[said])) {
        if (field.name == "content") said = field.value;
      }
    }
    if (said < code().exprs.size() && code().exprs[said].kind == ExprKind::kMember &&
        code().exprs[said].text == "content") {
      const std::string name(TextAt(code().exprs[code().exprs[said].base].loc).substr(0, 60));
      const std::string body = Squeezed(TextAt(code().functions[function_].loc));
      // if (m.type === "system") return new SystemMessage(...): what had the rank gets it back.
      const bool had = std::ranges::any_of(conditions_, [&](const Condition& one) {
        return AnyOf(TextAt(one.test).substr(0, 200), {"\"system\"", "'system'", "SystemMessage"});
      });
      if (!had &&
          AnyOf(body, {"isinstance(" + name + ",ToolMessage", name + "instanceofToolMessage", name + ".type==\"tool\"",
                       name + ".getType()===\"tool\"", name + "._getType()===\"tool\"", name + ".type===\"tool\"",
                       "isinstance(" + name + ",(ToolMessage", "isToolMessage(" + name + ")"})) {
        Raise("STATE-006", call.expr, {}, 0, "gives what a tool has answered the rank of a system message");
      }
    }
  }
  if (last == "Command" && graph && nodes_.contains(Key(module_, function_))) {
    // A word found in the state says where to go, whatever found it.
    const auto judge = [&](ExprId value) {
      const ExprId origin = view().Origin(value, function_);
      if (origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kChoice) return;  // all written down
      const Taint said = DestinationOf(value);
      if (said.Has(kState)) WriteState("goto", value, said, value);
    };
    for (const Arg& arg : call.args) {
      if (arg.name == "goto") judge(arg.value);
      if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kDict) continue;
      for (const Arg& field : code().ArgsOf(code().exprs[arg.value])) {
        if (field.name == "goto") judge(field.value);
      }
    }
  }
}

// XML whose own text names the files and addresses that are read into it.
void Engine::JudgeOpenParser(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"XMLParser", "parseXml", "parseXmlString", "parseXmlAsync", "setFeature", "iterparse"})) return;
  std::string text = Squeezed(TextAt(code().exprs[call.expr].loc).substr(0, 600));
  for (const Arg& arg : call.args) {
    const ExprId origin = arg.value < code().exprs.size() ? view().Origin(arg.value, function_) : kNone;
    if (origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kDict) {
      text += Squeezed(TextAt(code().exprs[origin].loc).substr(0, 300));
    }
  }
  const bool lxml = (last == "XMLParser" || last == "iterparse") && Contains(text, "resolve_entities=True") &&
                    AnyOf(text, {"load_dtd=True", "no_network=False", "dtd_validation=True"});
  const bool libxml = last.starts_with("parseXml") && AnyOf(text, {"noent:true", "replaceEntities:true"});
  const bool sax = last == "setFeature" && AnyOf(text, {"feature_external_ges,True", "feature_external_ges,1"});
  if (!lxml && !libxml && !sax) return;
  Raise("VULN-011", call.expr, {}, 0, "reads XML that may name files and addresses which are put into it");
}

// $where and its kin are programs; a filter that takes in whatever is given has no fixed part.
void Engine::JudgeDocumentQuery(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"find", "findOne", "find_one", "aggregate", "countDocuments", "count_documents", "deleteMany",
                        "delete_many", "updateMany", "update_many"}) ||
      call.args.empty() || !call.taints[0].Has(kToolArgument)) {
    return;
  }
  const ExprId filter = view().Origin(call.args[0].value, function_);
  if (filter >= code().exprs.size() || code().exprs[filter].kind != ExprKind::kDict) return;
  bool fixed = false;
  bool spread = false;
  for (const Arg& field : code().ArgsOf(code().exprs[filter])) {
    if (field.value >= code().exprs.size()) continue;
    const std::string_view text = TextAt(code().exprs[field.value].loc);
    if (field.name == "$where" && Eval(field.value).Has(kToolArgument)) {
      Raise("VULN-004", field.value, Eval(field.value), kToolArgument,
            "puts an argument into a program that the database runs", 1.4);
      return;
    }
    fixed = fixed || (!field.name.empty() && !field.name.starts_with("$"));
    spread = spread || (AnyOf(text, {"JSON.parse(", "json.loads("}) && Eval(field.value).Has(kToolArgument) &&
                        (field.name.empty() || code().exprs[field.value].kind == ExprKind::kSpread));
  }
  if (fixed && spread) {
    Raise("VULN-004", call.expr, call.taints[0], kToolArgument,
          "lets an argument replace the conditions of a query that were fixed", 1.4);
  }
}

// A server that everybody in the network reaches, with tools that start programs, and no word about who may.
void Engine::JudgeOpenServer() {
  if (!last_) return;
  const std::string_view text = code().text;
  if (text.size() > 200'000 || !Contains(text, "0.0.0.0")) return;
  const bool http = AnyOf(text, {"StreamableHTTPServerTransport", "SSEServerTransport", "streamable-http",
                                 "streamable_http", "transport=\"sse\"", "transport='sse'", "transport=\"http\"",
                                 "transport='http'", "sse_app(", "http_app("});
  if (!http) return;
  if (Locked()) return;
  const bool runs = std::any_of(uses_.begin(), uses_.end(), [&](const UseAt& use) {
    return use.module == module_ && (use.role == Role::kSpawn || use.role == Role::kShell || use.role == Role::kEval);
  });
  if (!runs) {
    if (!AnyOf(text, {"execFile", "child_process", "import subprocess", "from subprocess", "create_subprocess"}))
      return;
  }
  for (const Expr& part : code().exprs) {
    if (part.kind != ExprKind::kString || part.text != "0.0.0.0") continue;
    const bool anywhere = AnyOf(Squeezed(text.substr(0, 8192)), {"origin:\"*\"", "allow_origins=[\"*\"]"});
    Raise("VULN-010", part.loc, {}, 0, "lets everybody who reaches this machine start programs, without asking who",
          anywhere ? 1.0 : 0.8);
    return;
  }
}

Taint Engine::JudgePrompt(const Call& call) {
  here().deeds |= kDidPrompt;
  JudgeEndless(call);
  if (call.callee.text.ends_with("SystemMessage") && call.all.Has(kMemory)) memory_leads_ = true;
  NoteLeading(call);
  if (call.callee.text.ends_with("SystemMessage") && call.all.Has(kToolAnswer)) {
    Raise("STATE-001", call.expr, call.all, kToolAnswer, "gives what a tool answers the rank of a system message");
  }
  if (call.callee.text.ends_with("SystemMessage") && !call.args.empty()) {
    NoteSystemKeys(call.args[0].value);
    constexpr std::size_t kSentence = 30;
    const std::vector<std::string> said =
        keeps_state_ && function_ != kModuleBody ? TextsWithin(call.args[0].value) : std::vector<std::string>();
    if (std::ranges::any_of(said, [](const std::string& text) {
          return text.size() >= kSentence && text.find(' ') != std::string::npos;
        })) {
      Raise("STATE-005", call.expr, {}, 0, "adds an order of its own to what it keeps of a conversation");
    }
  }
  if (call.callee.text.ends_with("SystemMessage") && call.all.Has(kForeign) && !call.args.empty() && !graphs_.empty() &&
      graphs_[module_] != 0) {
    Raise("STATE-001", call.expr, call.all, kForeign, "gives an answer from the network the rank of a system message",
          view().Text(call.args[0].value, function_).find_first_not_of(kHole) == std::string::npos ? 0.9 : 0.4);
  }
  if (call.callee.text.ends_with("HumanMessage") && !call.args.empty() && !graphs_.empty() && graphs_[module_] != 0) {
    const Value& said = view().Evaluate(call.args[0].value, function_);
    if (said.kind == ValueKind::kText && SaysYes(said.text)) {
      Raise("STATE-004", call.expr, {}, 0, "puts a consent into the user's mouth: " + Shown(said.text, 80));
    }
  }
  if (call.callee.text.ends_with("Message")) return call.all;
  return Source(kModelAnswer, call.expr, "answer of a model");
}

// What agents are made of: other agents, tools, memories, what models are told.
Taint Engine::JudgeAgent(Call& call) {
  switch (call.entry->role) {
    case Role::kAgentSpawn:
      Use(call, Permission::kAgentSpawn, call.callee.text);
      return call.all;
    case Role::kToolRegister:
      Use(call, Permission::kToolRegister, "");
      return {};
    case Role::kMemoryRead:
      Use(call, Permission::kMemoryRead, "");
      if (!call.args.empty() && call.args[0].value < code().exprs.size()) {
        read_spaces_.emplace(TextAt(code().exprs[call.args[0].value].loc).substr(0, 120));
      }
      return Source(kMemory, call.expr, "reads the agent's memory");
    case Role::kMemoryWrite: {
      Use(call, Permission::kMemoryWrite, "");
      JudgeMemory(call);
      return {};
    }
    case Role::kPrompt:
      return JudgePrompt(call);
    default:
      return {};
  }
}

}  // namespace interlock::scan::code
