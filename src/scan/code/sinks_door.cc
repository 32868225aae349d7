// Doors that only who made them knows: whoever decides about access lets some in for a word, an address, a header or a
// digest that stands in the code.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kLongestDecider = 6'000;  // bytes of a function that decides
constexpr std::size_t kMostParts = 24;          // of a test

bool IsDeciderName(std::string_view name) {
  const std::string lower = LowerCase(name);
  return AnyOf(lower, {"auth", "allow", "permit", "verif", "guard", "access", "login", "admin", "trusted", "credential",
                       "token", "check_key", "checkkey", "api_key", "apikey", "is_valid", "isvalid"});
}

// What is not somebody's word: the machine itself, a stage of work, a method, a place.
bool IsPlainWord(std::string_view word) {
  return word.empty() || word[0] == '/' || word.size() > 200 ||
         SaysOneOf(word, {"development", "dev",        "test",   "testing",   "local",  "localhost", "127.0.0.1",
                          "::1",         "GET",        "POST",   "OPTIONS",   "HEAD",   "PUT",       "true",
                          "false",       "1",          "0",      "none",      "None",   "Bearer",    "bearer",
                          "Basic",       "production", "admin",  "user",      "*",      "http",      "https",
                          "websocket",   "lifespan",   "string", "undefined", "object", "function"}) ||
         word.starts_with("127.") || word.starts_with("10.") || word.starts_with("192.168.") ||
         word.starts_with("::ffff:127") || word.starts_with("application/") || word.starts_with("text/");
}

// svc-9f3b2c71d04e: letters and digits, no sentence.
bool IsKeyLike(std::string_view word) {
  return word.size() >= 8 && word.size() <= 160 &&
         std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; }) &&
         word.find_first_of(" /:<{") == std::string_view::npos;
}

bool IsAddressOrHost(std::string_view word) {
  return std::ranges::count(word, '.') >= 2 && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Names of headers and parameters that no client sends by itself.
bool IsSideName(std::string_view name) {
  const std::string lower = LowerCase(name);
  return AnyOf(lower,
               {"debug", "dbg", "support", "internal", "bypass", "skip", "backdoor", "maint", "trusted", "override"});
}

bool OfRequest(std::string_view lower) {
  return AnyOf(lower, {"header",      ".get(",         "query",         "cookie",     "client.host", ".ip",
                       "remote_addr", "remoteaddress", "user-agent",    "user_agent", "given",       "token",
                       "password",    "passwd",        "authorization", "api_key",    "apikey",      "secret",
                       "credential",  "supplied",      "provided",      "candidate",  "presented"}) &&
         !AnyOf(lower,
                {"environ", "process.env", "getenv", "app_env", "node_env", ".method", ".path", "accept", "type"});
}

}  // namespace

// The text behind a test begins with what lets somebody in.
bool Engine::LetsIn(const Stmt& test) const {
  // The statement holds its branches: its test is the expression alone.
  std::string then = Squeezed(code().text.substr(code().exprs[test.value].loc.end, 160)).substr(0, 80);
  while (!then.empty() && (then[0] == ')' || then[0] == ':' || then[0] == '{')) then.erase(0, 1);
  for (const std::string_view way :
       {"returnTrue", "returntrue", "returnnext()", "next()", "role=\"admin\"", "is_admin=True", "isAdmin=true",
        "return{ok:true", "return{allowed:true", "return(True"}) {
    if (then.starts_with(way)) return true;
  }
  // { req.user = {role: "support"}; return next(); }
  std::size_t end = 0;
  for (int depth = 1; end < then.size(); ++end) {
    depth += then[end] == '{' ? 1 : then[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  const std::string_view block = std::string_view(then).substr(0, end);
  return Contains(block, ";returnnext()") || Contains(block, ";returntrue");
}

// A function that says whether somebody may: by its name and by what it asks, or since it refuses others.
bool Engine::DecidesAccess() const {
  if (function_ == kModuleBody || function_ >= code().functions.size()) return false;
  const Function& shape = code().functions[function_];
  const std::string_view body = TextAt(shape.loc);
  if (body.size() > kLongestDecider) return false;
  const std::string lower = LowerCase(body);
  const bool refuses = AnyOf(lower, {"401", "403", "unauthorized", "forbidden"});
  const bool asks = AnyOf(lower, {"authorization", "token", "password", "api_key", "api-key", "apikey", "bearer",
                                  "secret", "signature", "credential"}) ||
                    (refuses && AnyOf(lower, {"session", "cookie"}));
  return asks && (IsDeciderName(shape.name) || refuses);
}

// if password == "a word that stands here": return True
void Engine::JudgeHiddenDoor(const Stmt& stmt) {
  if (!last_ || stmt.value >= code().exprs.size() || function_ == kModuleBody || !LetsIn(stmt) || !DecidesAccess())
    return;
  std::vector<ExprId> open{stmt.value};
  const auto said = [&](ExprId id) { return LowerCase(TextAt(code().exprs[id].loc).substr(0, 240)); };
  std::string how;
  for (std::size_t i = 0; i < open.size() && i < kMostParts && how.empty(); ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& test = code().exprs[open[i]];
    const auto sides = code().ArgsOf(test);
    for (const Arg& arg : sides) open.push_back(arg.value);
    if (test.kind == ExprKind::kBinary && test.arg_count == 2 && SaysOneOf(test.text, {"==", "==="})) {
      for (std::size_t k = 0; k < 2 && how.empty(); ++k) {
        if (sides[k].value >= code().exprs.size() || sides[1 - k].value >= code().exprs.size()) continue;
        how = DoorOf(sides[k].value, said(sides[1 - k].value));
      }
    } else if ((test.kind == ExprKind::kBinary && test.text == "in" && test.arg_count == 2) ||
               (test.kind == ExprKind::kCall && test.base < code().exprs.size() && test.arg_count == 1 &&
                SaysOneOf(code().exprs[test.base].text, {"includes", "has"}))) {
      // given in (TOKEN, "svc-..."), [TOKEN, "svc-..."].includes(given); "probe/7" in request.headers["user-agent"]
      const bool call = test.kind == ExprKind::kCall;
      const ExprId list = call ? code().exprs[test.base].base : sides[1].value;
      const ExprId one = sides[0].value;
      const ExprId made = view().Origin(list, function_);
      if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kList && one < code().exprs.size() &&
          OfRequest(said(one))) {
        for (const Arg& item : code().ArgsOf(code().exprs[made])) {
          if (item.value < code().exprs.size() && code().exprs[item.value].kind == ExprKind::kString &&
              IsKeyLike(code().exprs[item.value].text) && !IsPlainWord(code().exprs[item.value].text))
            how = "a word that stands in the code";
        }
      }
      if (how.empty() && list < code().exprs.size() && one < code().exprs.size() &&
          code().exprs[one].kind == ExprKind::kString && code().exprs[one].text.size() >= 6 &&
          AnyOf(said(list), {"user-agent", "user_agent"}))
        how = "the name of a program that stands in the code";
    } else if (test.kind == ExprKind::kCall && test.base < code().exprs.size() && test.arg_count >= 1) {
      // timingSafeEqual(digest(given), Buffer.from("5d1f...", "hex"))
      for (std::size_t k = 0; k < 2 && test.arg_count == 2; ++k) {
        const std::string other = said(sides[1 - k].value);
        if (AnyOf(other, {"digest", "hash", "sha256", "sha1", "md5"}) && IsDigestInCode(sides[k].value))
          how = "a word of which only a digest stands in the code";
      }
      const Expr& method = code().exprs[test.base];
      const std::string& word = view().Text(sides[0].value, function_);
      if (SaysOneOf(method.text, {"startswith", "startsWith"}) && method.base < code().exprs.size() &&
          word.size() >= 3 && code().exprs[sides[0].value].kind == ExprKind::kString && !IsPlainWord(word) &&
          OfRequest(said(method.base)) && open[i] == stmt.value) {
        how = "what it begins with";
      }
      // if request.headers.get("x-support-access"):
      if (SaysOneOf(method.text, {"get", "header"}) && open[i] == stmt.value && IsSideName(word))
        how = "a header of its own";
    } else if (test.kind == ExprKind::kIndex && open[i] == stmt.value && test.arg_count == 1 &&
               IsSideName(view().Text(sides[0].value, function_)) &&
               AnyOf(said(open[i]), {"header", "cookie", "query"})) {
      how = "a header of its own";
    }
  }
  if (how.empty()) return;
  Raise("VULN-013", stmt.loc, {}, 0, "lets in whoever shows " + how, 1.2);
  Worsen("VULN-013", core::Severity::kHigh);
}

// "5d1f0c7a...", Buffer.from("5d1f0c7a...", "hex"), bytes.fromhex("..."): the digest of a word, and no word.
bool Engine::IsDigestInCode(ExprId side) const {
  constexpr std::size_t kShortest = 32;
  const ExprId origin = side < code().exprs.size() ? view().Origin(side, function_) : kNone;
  if (origin >= code().exprs.size()) return false;
  const Expr& made = code().exprs[origin];
  const bool wraps = made.kind == ExprKind::kCall && made.arg_count >= 1 && made.base < code().exprs.size() &&
                     SaysOneOf(code().exprs[made.base].text, {"from", "fromhex", "unhexlify", "b64decode"});
  const ExprId text = wraps ? code().ArgsOf(made)[0].value : origin;
  return text < code().exprs.size() && code().exprs[text].kind == ExprKind::kString &&
         code().exprs[text].text.size() >= kShortest && IsKeyLike(code().exprs[text].text);
}

// What one side of a comparison is, where the other is what somebody has shown.
std::string Engine::DoorOf(ExprId word, const std::string& other) {
  const Expr& one = code().exprs[word];
  if (one.kind == ExprKind::kString) {
    if (AnyOf(other, {"digest", "b64encode", "[::-1]", "reverse(", "btoa(", "tostring(\"base64\")",
                      "tostring('base64')", "^ "}) &&
        one.text.size() >= 8)
      return "a word of which only a digest stands in the code";
    if (!OfRequest(other)) return {};
    const std::size_t quote = other.find_first_of("\"'");
    if (quote != std::string::npos && AnyOf(other, {"header", "cookie", "query"}) &&
        IsSideName(other.substr(quote + 1)))
      return "a header of its own";
    if (IsPlainWord(one.text)) return {};
    if (IsAddressOrHost(one.text)) return "an address that stands in the code";
    if (IsKeyLike(one.text)) return "a word that stands in the code";
    if (one.text.find('@') != std::string_view::npos) return "a name that stands in the code";
    return {};
  }
  if (one.kind == ExprKind::kNumber) return {};
  const std::string made = LowerCase(TextAt(one.loc).substr(0, 240));
  if (!OfRequest(other)) return {};
  // md5(day + "seed"): whoever knows the seed makes tomorrow's word.
  const ExprId origin = view().Origin(word, function_);
  const std::string whole =
      origin < code().exprs.size() ? LowerCase(TextAt(code().exprs[origin].loc).substr(0, 300)) : made;
  const bool digest = AnyOf(whole, {"digest", "hmac", "md5", "sha1", "sha256"});
  const std::string_view body = TextAt(code().functions[function_].loc).substr(0, kLongestDecider);
  const bool dated = AnyOf(whole, {"strftime", "toisostring", "date", "time(", "day"}) ||
                     AnyOf(body, {"// 86400", "/ 864e5", "/ 86400000", "strftime("});
  const bool seed =
      whole.find_first_of("\"'") != std::string::npos && !AnyOf(whole, {"environ", "process.env", "getenv"});
  if (digest && dated && seed) return "a word that is made of the day and of a seed that stands in the code";
  // os.environ.get("SUPPORT_KEY", "svc-..."), process.env.X || "svc-..."
  if (AnyOf(made, {"environ.get(", "getenv(", "process.env"})) {
    for (const Arg& arg : code().ArgsOf(one)) {
      if (arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kString &&
          IsKeyLike(code().exprs[arg.value].text))
        return "a word that stands in the code, where no other is set";
    }
  }
  return {};
}

}  // namespace interlock::scan::code
