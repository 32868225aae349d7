// Whoever answers is not asked who it is: certificates and keys of hosts that nobody looks at, by one request, by one
// client, by the whole program.
#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// req.Header.Set("Authorization", "Bearer " + c.token)
bool AuthorizesItself(std::string_view text) {
  return Contains(text, "Authorization") &&
         AnyOf(text, {"\"Bearer ", "'Bearer ", "`Bearer ", "\"token ", "SetBasicAuth("});
}

bool IsOff(std::string_view said) { return SaysOneOf(said, {"False", "false", "CERT_NONE", "0", "nil"}); }

}  // namespace

// The certificate or the key of whoever answers is not looked at, and a credential goes there.
void Engine::JudgePeer(ExprId at) {
  if (!last_ || !conditions_.empty() || choosing_ > 0) return;
  if (!keyed_.contains(module_) && !AuthorizesItself(code().text)) return;
  Raise("VULN-007", at, {}, 0, "does not ask whose certificate it is, in a program that sends credentials");
  Worsen("VULN-007", core::Severity::kHigh);
}

// ... by every request of the program, those of its libraries too.
void Engine::JudgePeerOfAll(ExprId at) {
  if (!last_) return;
  const bool keyed = keyed_.contains(module_) || view().words().signs_in;
  const bool always = conditions_.empty() && choosing_ == 0 && keyed;
  Raise("VULN-007", at, {}, 0, "switches off the check of certificates for the whole program", always ? 1.0 : 0.8);
  if (always) Worsen("VULN-007", core::Severity::kHigh);
}

// {rejectUnauthorized: false}, &tls.Config{InsecureSkipVerify: true}
void Engine::JudgePeerField(ExprId dict) {
  if (view().is_python()) return;
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    if (field.value >= code().exprs.size()) continue;
    const std::string_view said = code().exprs[field.value].text;
    if ((SaysOneOf(field.name, {"rejectUnauthorized", "strictSSL"}) && said == "false") ||
        (field.name == "InsecureSkipVerify" && said == "true")) {
      JudgePeer(field.value);
    }
  }
}

// session.verify = False, context.verify_mode = ssl.CERT_NONE; https.globalAgent.options.rejectUnauthorized = false
void Engine::JudgeLoosened(ExprId target, ExprId value) {
  if (!last_ || value >= code().exprs.size()) return;
  const Expr& at = code().exprs[target];
  const std::string_view said = code().exprs[value].text;
  const std::string_view name = KeyOf(at);
  if (name.empty()) return;
  if (name == "_create_default_https_context") {
    if (Contains(TextAt(code().exprs[value].loc).substr(0, 200), "_create_unverified_context")) JudgePeerOfAll(target);
  } else if (name == "checkServerIdentity") {
    const ExprKind kind = code().exprs[value].kind;
    const ExprId owner = at.base;
    const bool library = owner < code().exprs.size() && code().exprs[owner].text == "tls";
    if (kind == ExprKind::kFunction && library) JudgePeerOfAll(target);
  } else if (SaysOneOf(name, {"rejectUnauthorized", "InsecureSkipVerify"})) {
    const bool off = name == "InsecureSkipVerify" ? said == "true" : said == "false";
    const bool all = Contains(TextAt(at.loc).substr(0, 120), "globalAgent");
    if (off && all) JudgePeerOfAll(target);
    if (off && !all) JudgePeer(target);
  } else if (view().is_python() && IsOff(said)) {
    // options["verify"] = False; a default of settings (`verify_ssl: bool = False`) is the user's to change.
    const bool option = at.kind == ExprKind::kIndex && SaysOneOf(name, {"cert_reqs", "ssl_verify", "verify_ssl"});
    if (option || SaysOneOf(name, {"verify", "verify_mode"})) JudgePeer(target);
  }
}

void Engine::JudgePeerCall(const Call& call, std::string_view last) {
  const auto off = [&](const Arg& arg) {
    return SaysOneOf(arg.name, {"verify", "ssl", "verify_ssl"}) && arg.value < code().exprs.size() &&
           code().exprs[arg.value].text == "False";
  };
  if (last == "danger_accept_invalid_certs") {
    const bool always = call.args.size() == 1 && call.args[0].value < code().exprs.size() &&
                        code().exprs[call.args[0].value].text == "true";
    if (always) JudgePeer(call.expr);
    return;
  }
  if (!view().is_python()) {
    // Object.assign(process.env, flags)
    const bool into = last == "assign" && call.args.size() > 1 && call.args[0].value < code().exprs.size() &&
                      TextAt(code().exprs[call.args[0].value].loc) == "process.env";
    for (std::size_t i = 1; into && i < call.args.size(); ++i) JudgeEnvironmentTable(call.expr, call.args[i].value);
    return;
  }
  if (SaysOneOf(last, {"Client", "AsyncClient", "Session", "ClientSession", "TCPConnector"})) {
    for (const Arg& arg : call.args) {
      if (off(arg)) JudgePeer(arg.value);
    }
  } else if (last == "partial") {
    // requests.get = functools.partial(requests.get, verify=False)
    if (std::ranges::any_of(call.args, off)) JudgePeer(call.expr);
  } else if (last == "_create_unverified_context") {
    JudgePeer(call.expr);
  } else if (last == "set_missing_host_key_policy" && !call.args.empty() &&
             Contains(TextAt(code().exprs[call.args[0].value].loc).substr(0, 80), "AutoAdd") &&
             Contains(code().text, "password=")) {
    JudgePeer(call.expr);
  }
}

// PYTHONHTTPSVERIFY=0, NODE_TLS_REJECT_UNAUTHORIZED=0, CURL_CA_BUNDLE=
void Engine::JudgePeerVariable(ExprId at, std::string_view name, ExprId value) {
  if (value >= code().exprs.size()) return;
  const std::string_view literal = code().exprs[value].text;
  const std::string text = code().exprs[value].kind == ExprKind::kString ? std::string(literal) : Known(value);
  if (SaysOneOf(name, {"CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"})) {
    if (code().exprs[value].kind == ExprKind::kString && literal.empty()) JudgePeerOfAll(at);
  } else if (LeavesPeersUnasked(name, text) || LeavesPeersUnasked(name, literal)) {
    JudgePeerOfAll(at);
  }
}

// Several variables at once: os.environ.update(FLAGS), Object.assign(process.env, flags), process.env = {...}.
void Engine::JudgeEnvironmentTable(ExprId at, ExprId table) {
  constexpr std::size_t kMost = 64;
  FuncId scope = function_;
  const ExprId made = table < code().exprs.size() ? view().Origin(table, function_, &scope) : kNone;
  if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kDict && scope == function_) {
    for (const Arg& field : code().ArgsOf(code().exprs[made])) {
      if (!field.name.empty()) JudgeEnvironmentWrite(at, field.name, field.value);
    }
    return;
  }
  if (!last_ || table >= code().exprs.size()) return;
  // A table of another function, or whose keys stand in pieces.
  const Value known = view().Evaluate(table, function_);
  if (known.kind != ValueKind::kDict || known.keys.size() != known.items.size() || known.keys.size() > kMost) return;
  for (std::size_t i = 0; i < known.keys.size(); ++i) {
    if (known.items[i].kind == ValueKind::kText) JudgeEnvironmentText(at, known.keys[i], known.items[i].text);
  }
}

// for (const [k, v] of Object.entries(FLAGS)) process.env[k] = v; for k, v in FLAGS.items(): os.environ[k] = v
void Engine::JudgeEnvironmentLoop(ExprId at, ExprId key) {
  if (const ExprId table = TableOfLoop(key); table != kNone) JudgeEnvironmentTable(at, table);
}

// The table that a loop goes through, by the name of its keys; kNone: something else.
ExprId Engine::TableOfLoop(ExprId key) const {
  const std::uint32_t slot =
      key < code().exprs.size() && code().exprs[key].kind == ExprKind::kName ? view().SlotOf(key, function_) : kNone;
  if (slot == kNone || view().slots()[slot].count == 0) return kNone;
  const Binding& binding = view().bindings()[view().slots()[slot].first];
  if (binding.value >= code().exprs.size() || binding.scope != function_) return kNone;
  const Expr& entries = code().exprs[binding.value];
  if (entries.kind != ExprKind::kCall || entries.base >= code().exprs.size()) return kNone;
  const Expr& how = code().exprs[entries.base];
  if (how.kind != ExprKind::kMember || !SaysOneOf(how.text, {"entries", "items"})) return kNone;
  return entries.arg_count > 0 ? code().ArgsOf(entries)[0].value : how.base;
}

}  // namespace interlock::scan::code
