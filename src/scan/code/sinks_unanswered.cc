// What is sent to a fixed host that is not asked for anything: by the names of what is sent, and whether anything that
// the package says of itself names the host. Whose the data is no flow tells where it comes through contexts that are
// handed around.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"
#include "static/ascii.h"

namespace interlock::scan::code {
namespace {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

constexpr std::size_t kLongest = 2'000;  // bytes of what is sent that are read
constexpr double kSure = 0.6;
constexpr double kOfWatcher = 0.3;  // a program that is there to show what agents do

// What the fields of a record that is sent are called.
struct Sent {
  bool given = false;  // what a call was given
  bool gives = false;  // ... and what it gave back
  bool talk = false;
  bool keys = false;  // how somebody is signed in
};

Sent NamesIn(std::string_view text) {
  Sent sent;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (IsLetter(text[end]) || IsDigit(text[end]) || text[end] == '_')) ++end;
    const std::string word = LowerCase(text.substr(at, end - at));
    sent.given = sent.given || SaysOneOf(word, {"args", "arguments", "input", "inputs", "prompt", "question"});
    sent.gives = sent.gives || SaysOneOf(word, {"result", "results", "output", "outputs", "rows", "answer", "reply"});
    sent.talk = sent.talk || SaysOneOf(word, {"messages", "conversation", "transcript"});
    sent.keys = sent.keys || SaysOneOf(word, {"tokens", "access_token", "accesstoken", "refresh_token", "refreshtoken",
                                              "credentials", "passwords", "cookies"});
    at = end + 1;
  }
  return sent;
}

// How a request is made, other than what is sent.
bool IsOption(std::string_view name) {
  return SaysOneOf(name, {"headers", "method", "timeout", "keepalive", "signal", "mode", "agent", "host", "hostname",
                          "port", "cache", "credentials", "redirect", "verify", "proxies", "cookies"});
}

struct Records {
  std::string text;
  bool varies = false;  // some field holds what is not written there: {"version": "1.2.0"} says nothing of anybody
};

// What a call is given, and how.
struct Given {
  std::span<const Arg> args;
  std::size_t first = 1;  // that is sent: of http the address stands before it
  bool posts = false;     // what stands behind the address is sent; of get(address, path) it says where the answer goes
};

// Made elsewhere, or handed in.
bool IsMade(ExprKind kind) {
  return kind == ExprKind::kMember || kind == ExprKind::kIndex || kind == ExprKind::kName || kind == ExprKind::kCall;
}

// The records that are written out in what a call is given: {method: "POST", body: JSON.stringify({...})}.
Records RecordsOf(const ModuleView& view, const Given& given, FuncId function) {
  constexpr std::size_t kMost = 16;
  const Module& module = view.module();
  Records out;
  std::vector<ExprId> ahead;
  for (const Arg& arg : given.args) {
    if (!IsOption(arg.name)) ahead.push_back(arg.value);
  }
  const auto unnamed = static_cast<std::size_t>(std::ranges::count(given.args, std::string_view(), &Arg::name));
  for (std::size_t i = 0; i < ahead.size() && i < kMost && out.text.size() < kLongest; ++i) {
    const ExprId from = ahead[i] < module.exprs.size() ? view.Origin(ahead[i], function) : kNone;
    if (from >= module.exprs.size()) continue;
    const Expr& expr = module.exprs[from];
    if (expr.kind == ExprKind::kCall && expr.arg_count > 0 && expr.base < module.exprs.size() &&
        SaysOneOf(module.exprs[expr.base].text, {"stringify", "dumps", "encode"})) {
      ahead.push_back(module.ArgsOf(expr)[0].value);
      continue;
    }
    if (expr.kind != ExprKind::kDict) {
      const bool sent = i >= given.first && (given.posts || i >= unnamed);
      out.varies = out.varies || (sent && IsMade(expr.kind));
      continue;
    }
    out.text += std::string_view(module.text)
                    .substr(expr.loc.begin, std::min<std::size_t>(expr.loc.end - expr.loc.begin, kLongest));
    out.text += '\n';
    for (const Arg& field : module.ArgsOf(expr)) {
      if (IsOption(field.name) || field.value >= module.exprs.size()) continue;
      const ExprKind kind = module.exprs[view.Origin(field.value, function)].kind;
      if (kind == ExprKind::kDict || SaysOneOf(field.name, {"body", "data", "json", "payload"})) {
        ahead.push_back(field.value);
      } else {
        out.varies =
            out.varies || (kind != ExprKind::kString && kind != ExprKind::kNumber && kind != ExprKind::kConstant);
      }
    }
  }
  return out;
}

}  // namespace

// void fetch("https://host", {body: JSON.stringify({args, result})}).catch(() => {})
bool Engine::IsStatement(const Call& call) const {
  // The statement is the request, and nothing takes its answer: fetch(...).catch(...), await post(...).
  const Loc at = code().exprs[call.expr].loc;
  if (statement_.kind != StmtKind::kExpr || at.begin < statement_.loc.begin) return false;
  return SaysOneOf(Trim(TextAt({statement_.loc.begin, at.begin})), {"", "await", "void", "void await", "(await"});
}

bool Engine::JudgeUnanswered(const Call& call, const Taint& data, const std::string& host) {
  const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
  if ((kind != HostKind::kOrdinary && !IsBad(kind)) || IsKnownService(host) || IsStatistics(host)) return false;
  // "example_blob.txt"
  if (!IsStatement(call) || !Contains(host, ".") || Contains(host, "_")) return false;
  Given given{.args = call.args};
  const bool socket = call.entry != nullptr && call.entry->role == Role::kSocketSend;
  if (socket) given.first = 0;
  // urlopen(address, data)
  const bool opens = call.last == "urlopen" && call.args.size() > 1 && call.args[1].name.empty();
  given.posts = socket || opens || SaysOneOf(call.last, {"post", "put", "patch", "sendBeacon", "send", "Post"});
  const Records records = RecordsOf(view(), given, function_);
  const Sent sent = NamesIn(records.text);
  if (IsHushed() && (sent.talk || sent.keys || (sent.given && sent.gives))) {
    const std::string_view what = sent.keys   ? "how somebody is signed in"
                                  : sent.talk ? "what was said"
                                              : "what a call was given and gave back";
    Raise("EXFIL-007", call.expr, {}, 0, "sends " + std::string(what) + " to " + host + ", for no answer",
          !sent.keys && WatchingIsPurpose() ? kOfWatcher : kSure, host);
    return true;
  }
  // Whoever signs in to ask a service uses it, for its user or for its own ends; whoever listens is answered.
  // (A credential among what is sent signs nobody in.)
  constexpr Labels kSigns = kSecretLabels | kWeakSecretFile;
  if ((call.all.Has(kSigns) && !data.Has(kSigns)) || !records.varies) return false;
  if (view().words().signs_in || (socket && view().words().hears)) return false;
  // Taken back where what the package says names the host (static/undisclosed.cc).
  Raise("PE-DELTA-003", call.expr, {}, 0, "sends data to " + host + ", which nothing it says names, for no answer", 1.0,
        host);
  return false;
}

}  // namespace interlock::scan::code
