// Calls that speak to other machines: requests, connections, look-ups, mail; what is known of whom they speak to, and
// whose word the answer is.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/shell_paths.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using core::Permission;
using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

// `host`: of `address`; "": not known.
namespace {

// POST https://api.openai.com/v1/chat/completions: the same as the maker's library does. (Their other addresses give
// out files that anybody may have stored.)
bool AsksModel(std::string_view host, std::string_view address) {
  if (!SaysOneOf(host, {"api.openai.com", "api.anthropic.com", "openrouter.ai", "api.groq.com", "api.mistral.ai",
                        "api.deepseek.com", "api.together.xyz", "api.x.ai", "api.cerebras.ai", "api.fireworks.ai",
                        "api.perplexity.ai", "api.cohere.com", "generativelanguage.googleapis.com"})) {
    return false;
  }
  const std::string_view path = address.substr(0, address.find_first_of("?#"));
  return std::ranges::any_of(
      std::to_array<std::string_view>({"/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses",
                                       ":generateContent", ":streamGenerateContent", "/v2/chat"}),
      [&](std::string_view end) { return path.ends_with(end); });
}

}  // namespace

Taint Engine::AnswerOf(const std::string& host, std::string_view address, ExprId at) {
  if (host.empty() || IsInside(host, address))
    return Source(kNet, at, "answer of " + (host.empty() ? std::string("a host") : host));
  const HostKind kind = KindOfHost(host);
  const bool stranger = kind == HostKind::kOrdinary || IsBad(kind);
  if (AsksModel(host, address)) return Source(kModelAnswer, at, "answer of a model");
  Taint answer = Source(kNet, at, "answer of " + host);
  answer.Add(kNetFixed | (stranger ? kNetStranger : 0) | (kind == HostKind::kRawAddress ? kNetBare : 0));
  return answer;
}

// What a text that is put together begins with: `base` of f"{base}/x"; itself, where it is not.
ExprId Engine::HeadOf(ExprId text) const {
  const ExprId made = view().Origin(text, function_);
  if (made >= code().exprs.size()) return text;
  const Expr& shape = code().exprs[made];
  if (shape.kind != ExprKind::kFormat && shape.kind != ExprKind::kConcat) return text;
  for (const Arg& part : code().ArgsOf(shape)) {
    const bool empty = part.value >= code().exprs.size() ||
                       (code().exprs[part.value].kind == ExprKind::kString && code().exprs[part.value].text.empty());
    if (!empty) return part.value;
  }
  return text;
}

// for base in HOSTS: get(base + path), of constants that stand in the code: one that is neither a service of its own
// nor this machine, if there is one beside such.
std::string Engine::HostOfList(ExprId url) const {
  const ExprId head = HeadOf(url);
  std::string first;
  std::size_t hosts = 0;
  for (const std::string& one : TextsWithin(head)) {
    const std::string host = KnownHost(one);
    // A path, or the name of a variable. What a caller gives is whatever he says, if other texts are known as well.
    if (host.empty() && one.find("://") == std::string::npos && !IsParameter(head)) continue;
    if (host.empty()) return {};
    ++hosts;
    if (first.empty() || IsKnownService(first) || KindOfHost(first) == HostKind::kLocal) first = host;
  }
  // for url in [u for u in (chosen, FALLBACK) if u]: of two only one is known.
  const bool one_of = hosts == 1 && head < code().exprs.size() && code().exprs[head].kind == ExprKind::kName &&
                      !IsParameter(head);  // which is whatever the caller says
  return hosts >= 2 || one_of ? first : std::string();
}

// Whom a request goes to, whose address is `text` as far as that is known; "": not known.
std::string Engine::HostOfRequest(const Call& call, ExprId url, const std::string& text) {
  std::string host = KnownHost(text);
  // What a bot or a web hook of a chat is given, its owner reads, whoever that is.
  if (IsInbox(text)) host = std::string(kInboxPrefix) + host;
  if (host.empty() && !Contains(text, "://")) {
    // http.request({hostname, ...}); https.get("api.x", ...) names no scheme.
    const std::string bare = KnownAddress(text);
    if (Contains(bare, ".") && !bare.starts_with("/") && !bare.starts_with(".")) host = bare;
  }
  if (host.empty() && call.callee.text.starts_with("http.client.")) host = HostOfConnection(call);
  if (const Expr* method = FunctionOf(call); host.empty() && method != nullptr && method->kind == ExprKind::kMember &&
                                             (text.empty() ? url == kNone : text.front() == '/')) {
    // client("https://host").send(text): whom the client was made for.
    host = HostOfHandle(method->base);
  }
  // u, _ := url.Parse("https://host/in"); u.RawQuery = q.Encode(); http.Get(u.String())
  if (host.empty() && text.empty() && url < code().exprs.size() && code().exprs[url].kind == ExprKind::kCall) {
    const ExprId method = code().exprs[url].base;
    if (method < code().exprs.size() && code().exprs[method].kind == ExprKind::kMember &&
        SaysOneOf(code().exprs[method].text, {"String", "toString"}))
      host = HostOfHandle(code().exprs[method].base);
  }
  // Of several it may be any; what is known of the variable is the first.
  if (url != kNone &&
      (text.empty() || text.front() == kHole || IsKnownService(host) || KindOfHost(host) == HostKind::kLocal)) {
    if (std::string among = HostOfList(url); !among.empty()) host = std::move(among);
  }
  // http://127.0.0.1:{port}/: what is chosen is a port.
  const bool here_only = text.starts_with("http://127.0.0.1:") || text.starts_with("http://localhost:");
  if (host.empty() && here_only) host = "localhost";
  return host;
}

namespace {

// Files of credentials and of the user's life, and words of the hosts at which somebody may show them.
struct OthersStore {
  std::string_view part;
  std::string_view hosts;  // words, a blank between them
};
constexpr OthersStore kStoresOfOthers[] = {
    {".kube/config", "kube"},
    {"_history", ""},
    {".docker/config", "docker"},
    {".config/gh", "github"},
    {".config/hub", "github"},
    {".claude", "claude anthropic"},
    {".codex", "openai chatgpt codex"},
    {".cursor", "cursor"},
    {"state.vscdb", "cursor vscode visualstudio github windsurf codeium"},
    {".ssh", ""},
    {".aws", "amazon aws"},
    {".config/gcloud", "google"},
    {"rclone", ""},
    {".pgpass", ""},
    {".my.cnf", ""},
    {".terraform.d", "terraform hashicorp"},
    {".vault-token", "vault hashicorp"},
    {".npmrc", "npm registry"},
    {".pypirc", "pypi registry"},
    {".git-credentials", "git bitbucket"},
    {".cargo/credentials", "crates cargo registry"},
    {"/etc/passwd", ""},
    {"tdata", "telegram"},
};

// "https://" + what is not known + ".collect.example/": whoever answers for the domain reads what stands in front of
// it.
// "": none.
std::string DomainBehind(const std::string& text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos || scheme + 3 >= text.size() || text[scheme + 3] != kHole) return {};
  const std::size_t end = std::min(text.find_first_of("/?#", scheme + 3), text.size());
  const std::size_t hole = text.rfind(kHole, end - 1);
  const std::string rest = text.substr(hole + 1, end - hole - 1);
  // A whole domain of two names at least: `https://{region}.com` is nobody's.
  if (rest.size() < 4 || rest[0] != '.' || rest.find('.', 1) == std::string::npos) return {};
  return HostOf("https://" + rest.substr(1));
}

// Whether the text has an address of one of the vendors' own hosts.
bool NamesHostOf(const Vendors& vendors, std::string_view text) {
  constexpr std::size_t kMostAddresses = 64;
  constexpr std::size_t kMostOfHost = 100;
  for (std::size_t i = 0, at = text.find("https://"); i < kMostAddresses && at != std::string_view::npos; ++i) {
    if (HostOfVendors(HostOf(text.substr(at, kMostOfHost)), vendors)) return true;
    at = text.find("https://", at + 1);
  }
  return false;
}

}  // namespace

// A file that belongs to others than the host: what the first step of its history names.
bool Engine::IsStoreOfOthers(const Taint& data, Labels of, std::string_view host) const {
  std::uint32_t at = data.trail[static_cast<std::size_t>(TrailOf(of))];
  while (at != 0 && trail_[at - 1].before != 0) at = trail_[at - 1].before;
  if (at == 0) return false;
  const std::string_view read = trail_[at - 1].text;
  const auto own = [&](std::string_view words) {
    while (!words.empty()) {
      const std::size_t blank = words.find(' ');
      if (Contains(host, words.substr(0, blank))) return true;
      words.remove_prefix(blank == std::string_view::npos ? words.size() : blank + 1);
    }
    return false;
  };
  return std::ranges::any_of(kStoresOfOthers,
                             [&](const OthersStore& store) { return Contains(read, store.part) && !own(store.hosts); });
}

// ~/.kit/config.json, sent to api.kit.example: a program's own store, and its own service.
bool Engine::IsStoreOfHost(const Taint& data, Labels of, std::string_view host) const {
  std::uint32_t at = data.trail[static_cast<std::size_t>(TrailOf(of))];
  while (at != 0 && trail_[at - 1].before != 0) at = trail_[at - 1].before;
  if (at == 0) return false;
  const std::string_view read = trail_[at - 1].text;
  const std::size_t path = read.find("~/.");
  return path != std::string_view::npos && shell::IsStoreOf(read.substr(path, read.find(' ', path) - path), host);
}

// What the headers of a request carry to the host.
void Engine::JudgeCarried(const Call& call, const Taint& headers, const std::string& host) {
  if (!last_ || host.empty()) return;
  if (const Taint taken = headers.Only(kKept | kClipboard | kKeys); taken.labels != 0) {
    Call sent = call;
    JudgeSend(sent, taken, host, {});
  }
  if (headers.Has(kWeakSecretFile) && KindOfHost(host) != HostKind::kLocal && !IsKnownService(host) &&
      IsStoreOfOthers(headers, kWeakSecretFile, host)) {
    // Whoever is shown a key to somebody else's service has it.
    Raise("EXFIL-001", call.expr, headers, kWeakSecretFile, "shows a file of others' credentials to " + host, 0.9,
          host);
    return;
  }
  const bool own_key = HostOfModels(host) && !IsStatistics(host) && !headers.Has(kSecretFile | kEnvAll);
  const Labels files = IsStoreOfHost(headers, kSecretFile | kStore, host) ? Labels{0} : kSecretFile | kStore;
  if (headers.Has(files | kEnvAll) && !own_key && !IsKnownService(host) && KindOfHost(host) != HostKind::kLocal) {
    // A header carries the credential of its own service, and no file of keys.
    const bool all = headers.Has(kEnvAll);
    Raise(all ? "EXFIL-002" : "EXFIL-001", call.expr, headers, kSecretFile | kStore | kEnvAll,
          "sends " + std::string(all ? "the whole environment" : "credentials read from their store") +
              " in headers to " + host,
          0.9, host);
  }
  if ((headers.fresh & kEnvSecret) != 0 && headers.vendors.count() >= 2 && !HostOfVendors(host, headers.vendors)) {
    Raise("EXFIL-003", call.expr, headers, kEnvSecret, "sends credentials of several services to " + host, 0.9, host);
  }
  if (headers.Has(kEnvSecret) && headers.vendors.count() == 1 && AskedNowhereElse(headers.vendors) &&
      !HostOfVendors(host, headers.vendors) && KindOfHost(host) == HostKind::kOrdinary && !IsKnownService(host) &&
      !(own_key && IsKeyOfModels(headers.vendors))) {
    // Where the service itself is asked as well, the other is none of its gateways; and it is one service's credential,
    // whoever brings it here.
    exact_ = std::ranges::any_of(states_, [&](const ModuleState& state) {
      const Module& module = state.view->module();
      return NamesHostOf(headers.vendors, module.text) ||
             std::ranges::any_of(module.imports, [&](const Import& import) {
               return (VendorOfLibrary(import.module) & headers.vendors).any();
             });
    });
    // def hint(headers): requests.get("https://other", headers=headers), of the same service's headers.
    if (exact_ || (headers.fresh & kEnvSecret) != 0)
      Raise("EXFIL-003", call.expr, headers, kEnvSecret, "shows a service's credential to another's host, " + host,
            exact_ ? 1.2 : 0.55, host);
    exact_ = false;
  }
  if ((headers.fresh & kWeakSecretFile) != 0 && KindOfHost(host) == HostKind::kOrdinary && !IsKnownService(host) &&
      AnyOf(TextAt(code().exprs[call.expr].loc).substr(0, 600),
            {"User-Agent", "user-agent", "Referer", "traceparent"})) {
    Raise("EXFIL-001", call.expr, headers, kWeakSecretFile,
          "puts a file of credentials into the name of the program, for " + host, 0.8, host);
  }
}

// verify=False, with a credential of the environment.
void Engine::JudgeUnverified(const Call& call, const Taint& data, const std::string& host) {
  for (const Arg& arg : call.args) {
    if (!last_ || arg.name != "verify" || arg.value >= code().exprs.size() || code().exprs[arg.value].text != "False") {
      continue;
    }
    Taint secret = data;
    Taint given;
    if (Argument(call, {{-1, "headers", ""}}, &given) != kNone) secret.Join(given);
    if (Argument(call, {{-1, "auth", ""}}, &given) != kNone) secret.Join(given);
    if (secret.Has(kEnvSecret) && KindOfHost(host) != HostKind::kLocal && !host.empty()) {
      Raise("VULN-007", call.expr, secret, kEnvSecret, "sends a credential without asking whose certificate it is");
      if (choosing_ == 0) Worsen("VULN-007", core::Severity::kHigh);
    }
  }
}

// A request to wherever the caller says. `headers`: those that it is given, nullptr: none.
void Engine::JudgeChosenAddress(const Call& call, ExprId url, bool no_text, const Taint& target, const Taint* headers) {
  if (!target.Has(kUnchecked) || (here().deeds & kDidPathCheck) != 0) return;
  const bool all = headers != nullptr && headers->Has(kUnchecked) && IsEntry();
  Raise("VULN-005", call.expr, target, kToolArgument,
        all ? "requests an address chosen by the caller, with headers chosen by the caller"
            : "requests an address chosen by the caller",
        all || RefusesSomeNames(url) ? 1.1
        : no_text                    ? 0.5
                                     : 0.8);
  if (all) Worsen("VULN-005", core::Severity::kHigh);
  if (RefusesSomeNames(url)) Worsen("VULN-005", core::Severity::kHigh);
}

// What comes back from a request.
Taint Engine::AnswerOfRequest(const Call& call, const std::string& text, const std::string& host, const Taint& target) {
  const std::string& name = call.callee.text;
  const bool posts = name.ends_with(".post") || name.ends_with(".put") || name.ends_with(".patch");
  if (GivesRoleKeys(text)) {
    Taint keys = Source(kStore | kNet, call.expr, "asks the cloud for the keys of this machine's role");
    return keys;
  }
  Taint result = AnswerOf(host, text, call.expr);
  // What somebody answers to what he was sent is his work, not a text that he publishes; a program it is all the same.
  if (posts) {
    result = result.Without(kNetStranger);
    if (KindOfHost(host) != HostKind::kOrdinary || IsKnownService(host)) result = result.Without(kNetFixed);
  }
  // (await fetch("https://host/index.json")).json().url: what a host's answer says to ask next is that host's answer.
  if (host.empty() && !posts && target.Has(kNetStranger) && !target.Has(kToolArgument)) {
    result.Join(target.Only(kNetStranger | kNetFixed));
  }
  // def fetch(url): whose answer it is, each caller says.
  if (host.empty() && !posts && (here().asks | target.params) != here().asks) {
    here().asks |= target.params;
    changed_ = true;
  }
  // urlretrieve(url, path): a file holds the answer.
  if (call.callee.text.ends_with("urlretrieve") && call.args.size() >= 2) {
    MarkPath(call.args[1].value, result);
  }
  // What was asked for by the caller is the caller's business: the answer is his.
  if (target.Has(kToolArgument)) {
    result.labels |= kToolArgument;
    result.trail[static_cast<std::size_t>(Trail::kGiven)] = target.trail[static_cast<std::size_t>(Trail::kGiven)];
  }
  return result;
}

Taint Engine::JudgeHttp(Call& call) {
  Taint target;
  const ExprId url = Argument(call, call.entry->target, &target);
  std::string text = url == kNone ? std::string() : Known(url);
  std::string host = HostOfRequest(call, url, text);
  if (url < code().exprs.size() && (KindOfHost(host) == HostKind::kLocal || IsKnownService(host))) {
    if (std::string other = view().TellingText(url, function_, true); !other.empty()) {
      text = std::move(other);
      host = HostOfRequest(call, url, text);
    }
  }
  JudgeHiddenAddress(call, url);
  bool none = true;
  Taint data = DataOf(call, &none);
  if (data.Has(kSecretFile | kStore) && host.empty() && MakesBodilessRequest(url)) {
    target.Join(data);
    data = {};
  }
  Use(call, Permission::kNetworkEgress, host.empty() ? text : host);
  here().deeds |= kDidSend;
  // Where nothing but the scheme stands there, a caller or a constructor may have been given the host: of what comes
  // back, that is too little to say whose it is.
  const std::string to = host.empty() ? FilledHost(url) : host;
  JudgeSend(call, data, to, target);
  Taint headers;
  static const std::vector<ArgRef> kHeaders = {{-1, "headers", ""},       {1, "", "headers"},
                                               {0, "", "headers"},        {-1, "header", ""},
                                               {-1, "extra_headers", ""}, {-1, "additional_headers", ""}};
  const bool has_headers = Argument(call, kHeaders, &headers) != kNone;
  static const std::vector<ArgRef> kCookies = {{-1, "cookies", ""}};
  static const std::vector<ArgRef> kAuth = {{-1, "auth", ""}, {1, "", "auth"}};
  Taint cookies;
  if (Argument(call, kCookies, &cookies) != kNone) headers.Join(cookies);
  Taint carried = headers;
  if (!has_headers) carried.Join(HeadersOfMade(call));
  if (Taint keys; Argument(call, kAuth, &keys) != kNone) carried.Join(keys);
  if (call.IsMethod()) {
    // A client holds the key of its own service; keys of several are no single service's.
    const Taint held = Eval(call.base->base);
    carried.Join(held.Only(held.vendors.count() >= 2 ? kHeldByAnything | kEnvSecret : kHeldByAnything));
  }
  JudgeCarried(call, carried, to);
  JudgeTrigger(call, data, !host.empty(), host);
  if (has_headers) JudgeHeaders(Argument(call, kHeaders, nullptr), host);
  if (const std::string domain = host.empty() ? DomainBehind(text) : std::string(); !domain.empty())
    JudgeSend(call, target.Only(kHeldByAnything), domain, {});
  if (host.empty()) JudgeFollowed(call, target);
  JudgeUnverified(call, data, host);
  if (host.empty()) JudgeChosenAddress(call, url, text.empty(), target, has_headers ? &headers : nullptr);
  return AnswerOfRequest(call, text, host, target);
}

Taint Engine::JudgeConnect(Call& call) {
  Taint target;
  std::string text;
  for (const ArgRef& ref : call.entry->target) {
    const ExprId to = Argument(call, {ref}, &target);
    if (to == kNone) continue;
    ExprId address = view().Origin(to, function_);  // (host, port)
    if (address < code().exprs.size() && code().exprs[address].kind == ExprKind::kList &&
        code().exprs[address].arg_count > 0) {
      address = code().ArgsOf(code().exprs[address])[0].value;
    } else {
      address = to;
    }
    const std::string part = Known(address);
    JudgeHiddenAddress(call, address);
    // net.connect(port, host): a number is no host.
    if (text.empty() || text.find_first_not_of("0123456789") == std::string::npos) text = part;
  }
  const std::string host = KnownAddress(text);
  Use(call, Permission::kNetworkEgress, host.empty() ? text : host);
  JudgeBase(call);
  // new WebSocket(url + secret, [secret], {headers}); new Client({auth}) is given its own key.
  const bool plain = !call.args.empty() && call.args[0].value < code().exprs.size() &&
                     code().exprs[call.args[0].value].kind != ExprKind::kDict && text.find("://") != std::string::npos;
  if (const Taint shown = call.all.Only(kHeldByAnything); plain && shown.labels != 0) {
    if (target.Has(kHeldByAnything)) {
      Call sent = call;
      JudgeSend(sent, target.Only(kHeldByAnything), host, {});
    } else {
      JudgeCarried(call, shown, host);
    }
  }
  const bool logs =
      std::ranges::any_of(std::to_array<std::string_view>({"logging.handlers.", "logging_loki.", "logtail.", "graypy.",
                                                           "fluent.", "winston.transports."}),
                          [&](std::string_view root) { return call.callee.text.starts_with(root); });
  if (logs && !host.empty() && KindOfHost(host) != HostKind::kLocal) {
    log_hosts_[module_] = host;
  }
  const bool socket = call.callee.text.starts_with("socket.") || call.callee.text.starts_with("net.") ||
                      call.callee.text.starts_with("tls.") || call.callee.text.starts_with("crypto/tls.");
  here().host = host;
  if (socket) {
    if (host.empty() || KindOfHost(host) != HostKind::kLocal) here().deeds |= kDidConnect;
    if (here().connect.end == 0) here().connect = code().exprs[call.expr].loc;
    JudgeTrigger(call, call.all, !host.empty(), host);
  }
  // conn, err := net.Dial("tcp", "host:1"): whatever reads from it has what the other end says.
  const bool of_machine =
      KindOfHost(host) == HostKind::kLocal || (!call.args.empty() && Known(call.args[0].value) == "unix");
  const bool stream = socket || Contains(call.callee.text, "TcpStream");
  if (stream && view().is_typed() && !of_machine)
    return Source(kSocketData, call.expr, "receives data from a connection");
  return {};
}

Taint Engine::JudgeSocketSend(Call& call) {
  Use(call, Permission::kNetworkEgress, "");
  Taint data;
  for (const Taint& taint : call.taints) data.Join(taint);
  const Expr* function = FunctionOf(call);
  Taint answer;
  std::string host;
  if (function != nullptr && function->base != kNone) host = HostOfHandle(function->base);
  if (AnyOf(call.callee.text, {"dgram", ".sendto"})) {
    for (const Arg& arg : call.args) {
      ExprId address = view().Origin(arg.value, function_);  // (host, port)
      if (address >= code().exprs.size() || code().exprs[address].kind != ExprKind::kList ||
          code().exprs[address].arg_count == 0) {
        address = arg.value;
      } else {
        address = code().ArgsOf(code().exprs[address])[0].value;
      }
      const std::string to = address == kNone ? std::string() : KnownAddress(Known(address));
      if (Contains(to, ".")) host = to;
    }
  }
  if (call.callee.text.starts_with("net/http.") && !call.args.empty()) {
    // client.Do(request): what the request is made of is judged there; here what its headers were filled with.
    data = data.Only(kHeldByAnything);
    host = HostOfHandle(call.args[0].value);
    const ExprId made = view().Origin(call.args[0].value, function_);
    const std::string_view asked = made < code().exprs.size() ? TextAt(code().exprs[made].loc).substr(0, 200) : "";
    if (!host.empty()) answer = AnswerOf(host, {}, call.expr);
    if (AnyOf(asked, {"POST", "PUT", "MethodP"})) answer = answer.Without(kNetStranger);
  }
  if (host.empty()) host = HostHere();
  JudgeSend(call, data, host, {});
  JudgeTrigger(call, data, true, host);
  return answer;
}

Taint Engine::JudgeSocketReceive(Call& call) {
  Use(call, Permission::kNetworkEgress, "");
  if (!view().is_python()) {
    // Channels to the own user interface are everywhere: only a far host's words are another machine's.
    const Expr* function = FunctionOf(call);
    std::string host = function != nullptr && function->base != kNone ? HostOfHandle(function->base) : std::string();
    if (host.empty()) host = HostHere();
    // The own interface is spoken to over web sockets; a bare connection to a host that is not told is to a far
    // one.
    const bool bare = host.empty() && call.callee.text.starts_with("net.");
    if (!bare && (host.empty() || KindOfHost(host) == HostKind::kLocal)) {
      return Source(kNet, call.expr, "receives data from a connection");
    }
  }
  // connection.recv() of a pipe to a process of one's own: a socket is told how much.
  if (call.args.empty() && view().is_python() && AnyOf(code().text, {"Pipe("}) &&
      !AnyOf(code().text, {"socket", "Client", "Listener", "zmq", "pynng", "nnpy"})) {
    return Source(kNet, call.expr, "receives data from another process");
  }
  if (Contains(code().text, "SSH_AUTH_SOCK")) return Source(kStore, call.expr, "asks the user's agent of keys");
  return Source(kSocketData, call.expr, "receives data from a socket");
}

Taint Engine::JudgeNetwork(Call& call) {
  Taint target;
  switch (call.entry->role) {
    case Role::kHttp:
      return JudgeHttp(call);
    case Role::kConnect:
      return JudgeConnect(call);
    case Role::kSocketSend:
      return JudgeSocketSend(call);
    case Role::kSocketReceive:
      return JudgeSocketReceive(call);
    case Role::kDns:
      return JudgeLookup(call);
    case Role::kMail: {
      Use(call, Permission::kNetworkEgress, "mail");
      JudgeReceivers(call);
      bool none = true;
      std::string host = HostHere();
      if (const Expr* method = FunctionOf(call); host.empty() && method != nullptr && method->base != kNone)
        host = HostOfHandle(method->base);
      JudgeSend(call, DataOf(call, &none), host, {});
      return {};
    }
    case Role::kListen: {
      const ExprId to = Argument(call, call.entry->target, &target);
      Use(call, Permission::kNetworkIngress, to == kNone ? std::string() : view().Text(to, function_));
      if (call.callee.text.ends_with("createServer") || call.callee.text.ends_with("serve")) {
        return Source(kCaller, call.expr, "takes what a request says");
      }
      // net.Listen("tcp", ":6061"), TcpListener::bind("0.0.0.0:7777"): whoever comes says what is read from it.
      const std::string at = to == kNone ? std::string() : Known(to);
      const bool near = AnyOf(at, {"127.0.0.1", "localhost", "[::1]"}) ||
                        (!call.args.empty() && SaysOneOf(Known(call.args[0].value), {"unix", "npipe"}));
      if (view().is_typed() && !near && AnyOf(call.callee.text, {"TcpListener.bind", "net.Listen", "tls.Listen"}))
        return Source(kSocketData, call.expr, "receives data from whoever connects");
      return {};
    }
    default:
      return {};
  }
}

}  // namespace interlock::scan::code
