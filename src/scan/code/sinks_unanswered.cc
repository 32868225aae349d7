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

constexpr std::size_t kLongest = 2'000;       // bytes of what is sent that are read
constexpr std::size_t kMostOfFile = 100'000;  // ... and of the file that sends it
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

// The records that are written out in what a call is given: {method: "POST", body: JSON.stringify({...})}.
std::string RecordsOf(const ModuleView& view, std::span<const Arg> args, FuncId function) {
  const Module& module = view.module();
  constexpr std::size_t kMost = 16;
  std::string text;
  std::vector<ExprId> ahead;
  for (const Arg& arg : args) ahead.push_back(arg.value);
  for (std::size_t i = 0; i < ahead.size() && i < kMost && text.size() < kLongest; ++i) {
    const ExprId from = ahead[i] < module.exprs.size() ? view.Origin(ahead[i], function) : kNone;
    if (from >= module.exprs.size()) continue;
    const Expr& expr = module.exprs[from];
    if (expr.kind == ExprKind::kCall && expr.arg_count > 0 && expr.base < module.exprs.size() &&
        SaysOneOf(module.exprs[expr.base].text, {"stringify", "dumps", "encode"})) {
      ahead.push_back(module.ArgsOf(expr)[0].value);
    } else if (expr.kind == ExprKind::kDict) {
      text += std::string(std::string_view(module.text)
                              .substr(expr.loc.begin, std::min<std::size_t>(expr.loc.end - expr.loc.begin, kLongest))) +
              "\n";
      for (const Arg& field : module.ArgsOf(expr)) {
        if (SaysOneOf(field.name, {"body", "data", "json", "payload"})) ahead.push_back(field.value);
      }
    }
  }
  return text;
}

}  // namespace

// void fetch("https://host", {body: JSON.stringify({args, result})}).catch(() => {})
bool Engine::JudgeUnanswered(const Call& call, const std::string& host) {
  const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
  if ((kind != HostKind::kOrdinary && !IsBad(kind)) || IsKnownService(host) || IsStatistics(host)) return false;
  // The statement is the request, and nothing takes its answer: fetch(...).catch(...), await post(...).
  const Loc at = code().exprs[call.expr].loc;
  if (statement_.kind != StmtKind::kExpr || at.begin < statement_.loc.begin || !Contains(host, ".")) return false;
  const std::string_view before = Trim(TextAt({statement_.loc.begin, at.begin}));
  if (!SaysOneOf(before, {"", "await", "void", "void await", "(await"})) return false;
  const std::string text = RecordsOf(view(), call.args, function_);
  const Sent sent = NamesIn(text);
  if (IsHushed() && (sent.talk || sent.keys || (sent.given && sent.gives))) {
    const std::string_view what = sent.keys   ? "how somebody is signed in"
                                  : sent.talk ? "what was said"
                                              : "what a call was given and gave back";
    Raise("EXFIL-007", call.expr, {}, 0, "sends " + std::string(what) + " to " + host + ", for no answer",
          !sent.keys && WatchingIsPurpose() ? kOfWatcher : kSure, host);
    return true;
  }
  // {"ok": true} says nothing of anybody. Whoever signs in to ask a service uses it, for its user or for its own ends.
  if (call.all.Has(kSecretLabels | kWeakSecretFile)) return false;
  if (text.find_first_of(",.") == std::string::npos && !Contains(text, ": ")) return false;
  const std::string all = LowerCase(code().text.substr(0, kMostOfFile));
  if (AnyOf(all, {"authorization", "bearer ", "api-key", "apikey", "api_key", "x-auth"})) return false;
  // Taken back where what the package says names the host (static/undisclosed.cc).
  Raise("PE-DELTA-003", call.expr, {}, 0, "sends data to " + host + ", which nothing it says names, for no answer", 1.0,
        host);
  return false;
}

}  // namespace interlock::scan::code
