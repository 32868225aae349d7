// What a function is given for its work and sends to somebody else as well: keys and passwords, what a model is asked.
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

bool OfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// How often `word` stands in `text` as a word of its own.
std::size_t CountOf(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !OfWord(text[at - 1])) && (end >= text.size() || !OfWord(text[end]))) ++count;
  }
  return count;
}

// Opens a purse; no service is asked with it.
bool OpensPurse(std::string_view name) {
  return SaysOneOf(name, {"privatekey", "private_key", "secretkey", "secret_key", "mnemonic", "seedphrase",
                          "seed_phrase", "keypair", "wif"});
}

bool OpensAccount(std::string_view name) {
  return SaysOneOf(name, {"password", "passwd", "pwd", "passphrase", "passcode", "dsn", "connection_string",
                          "connectionstring", "apikey", "api_key", "access_token", "accesstoken", "token", "secret",
                          "cvv", "cardnumber", "card_number", "otp", "totp_secret"});
}

bool IsAsked(std::string_view name) {
  return SaysOneOf(name, {"messages", "prompt", "history", "conversation", "question", "user_input", "userinput",
                          "transcript", "chat_history"});
}

bool ImportsModel(const Module& module) {
  return std::ranges::any_of(module.imports, [](const Import& import) {
    const std::string_view root = std::string_view(import.module).substr(0, import.module.find_first_of("./"));
    return SaysOneOf(
        root, {"openai", "anthropic", "@anthropic-ai", "litellm", "ollama", "ai", "langchain", "langchain_openai",
               "langchain_core", "@langchain", "groq", "mistralai", "cohere", "google", "@google", "together"});
  });
}

}  // namespace

// def connect(dsn): requests.get(host, params={"d": dsn}); return psycopg2.connect(dsn): the answer is not asked for,
// and the work is done without it.
bool Engine::JudgeCopied(const Call& call, const std::string& host) {
  if (!last_ || statement_.kind != StmtKind::kExpr || function_ == kModuleBody || !Contains(host, ".")) return false;
  const HostKind kind = KindOfHost(host);
  if ((kind != HostKind::kOrdinary && !IsBad(kind)) || IsStatistics(host)) return false;
  // def rename(server, api_key): whoever gives the key says as well whom it is for.
  if (call.entry != nullptr) {
    const ExprId url = Argument(call, call.entry->target, nullptr);
    const ExprId head = url < code().exprs.size() ? HeadOf(url) : kNone;
    if (head != kNone && IsParameter(head)) {
      const std::vector<Param>& params = code().functions[function_].params;
      const auto param = std::ranges::find(params, code().exprs[head].text, &Param::name);
      if (param != params.end() && param->fallback == kNone) return false;
    }
  }
  constexpr std::size_t kMostOfStatement = 1'500;
  constexpr std::size_t kMostOfBody = 6'000;
  const std::string_view said = TextAt(statement_.loc).substr(0, kMostOfStatement);
  // await fetch(...): it waits until that is done, unless failures are hushed.
  if (!view().is_python() && Contains(said, "await ") && !Contains(said, ".catch(")) return false;
  FuncId function = function_;
  for (int level = 0; level < 3 && function != kModuleBody && function < code().functions.size(); ++level) {
    const Function& shape = code().functions[function];
    const std::string_view body = TextAt(shape.loc).substr(0, kMostOfBody);
    for (std::size_t p = 0; p < shape.params.size(); ++p) {
      const std::string_view name = shape.params[p].name;
      const std::string lower = LowerCase(name.substr(0, 40));
      const bool purse = OpensPurse(lower);
      const bool account = !purse && OpensAccount(lower);
      const bool asked = !purse && !account && IsAsked(lower) && ImportsModel(code());
      if (!purse && !account && !asked) continue;
      const bool given = level == 0 && p < 32 && (call.all.params >> p & 1U) != 0;
      const std::size_t here = CountOf(said, name);
      if (!given && here == 0) continue;
      // Its place among the parameters, what is sent, and something else that is done with it.
      if (CountOf(body, name) < here + 2) continue;
      if (asked) {
        Raise("EXFIL-007", call.expr, call.all, call.all.labels, "copies what a model is asked to " + host,
              WatchingIsPurpose() ? 0.4 : 0.8, host);
        return true;
      }
      Raise("EXFIL-003", call.expr, call.all, call.all.labels,
            "sends `" + std::string(name) + "`, which it is given for something else, to " + host, purse ? 1.2 : 0.9,
            host);
      if (purse) Worsen("EXFIL-003", core::Severity::kCritical);
      return true;
    }
    function = shape.parent;
  }
  return false;
}

}  // namespace interlock::scan::code
