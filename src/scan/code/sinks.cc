// What is made of a value where it leaves the program or becomes a program. Honest powers become uses; findings need a
// combination that has no good reason, or a mistake that an attacker can use.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {
using core::Permission;
using namespace sink_words;  // NOLINT: the engine room's own words

namespace {

constexpr double kSharedWay = 0.45;  // of several credentials that one function sends to the host of one of them

}  // namespace

Taint Engine::TaintOfArg(const Call& call, ExprId expr) const {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (call.args[i].value == expr) return call.taints[i];
  }
  return {};
}

void Engine::JudgeSend(Call& call, const Taint& data, std::string_view host_view, const Taint& target) {
  // Of what a helper sends for its callers, whether it waits for the answer is known there.
  if (!sent_on_) NoteSent(data, std::string(host_view), data.params != 0 && SendsAside());
  if (!last_) return;
  const bool inbox = host_view.starts_with(kInboxPrefix);
  const std::string host(inbox ? host_view.substr(kInboxPrefix.size()) : host_view);
  const HostKind kind = host.empty() ? HostKind::kOrdinary : inbox ? HostKind::kTunnel : KindOfHost(host);
  if (kind == HostKind::kLocal) return JudgeSendHere(call, data, host);
  const bool fixed = !host.empty();
  const bool bad = fixed && IsBad(kind);
  Taint all = data;
  all.Join(target);
  JudgeHookSend(call, all, host);
  const std::string to = fixed ? " to " + host : std::string(" over the network");
  if (all.Has(kSecretFile | kStore)) {
    // Cloud libraries trade their own key files for tokens at their own hosts.
    if (!fixed || inbox || !IsKnownService(host) || IsNoServicesKey(all)) {
      // A credential that is only in the options or the address may be the header where it belongs.
      const bool body = data.Has(kSecretFile | kStore) || fixed;
      Raise("EXFIL-001", call.expr, all, kSecretFile | kStore, "sends credentials read from their store" + to,
            fixed  ? 1.0
            : body ? 0.75
                   : 0.2,
            inbox ? std::string() : host);
      return;
    }
  }
  if (all.Has(kWeakSecretFile) && bad) {
    Raise("EXFIL-001", call.expr, all, kWeakSecretFile, "sends a file of credentials" + to, 0.9, host);
    return;
  }
  if ((all.fresh & kWeakSecretFile) != 0 && kind == HostKind::kOrdinary && fixed && !IsKnownService(host)) {
    Raise("EXFIL-001", call.expr, all, kWeakSecretFile, "sends a file of credentials" + to, HowSure(data), host);
    return;
  }
  if (JudgeRelay(call, data, host, bad)) return;
  if (all.Has(kEnvAll)) {
    Raise("EXFIL-002", call.expr, all, kEnvAll, "sends the whole environment" + to, fixed ? 1.0 : 0.75, host);
    return;
  }
  if (all.Has(kEnvSecret)) {
    const Vendors vendors = data.vendors | target.vendors;
    const std::size_t owners = vendors.count();
    const bool theirs = fixed && HostOfVendors(host, vendors);
    if (bad && !theirs && data.Has(kEnvSecret)) {
      Raise("EXFIL-003", call.expr, all, kEnvSecret, "sends a credential from the environment" + to, 1.0, host);
      return;
    }
    const Labels fresh = data.fresh | target.fresh;
    if (owners >= 2 && fixed && (fresh & kEnvSecret) != 0) {
      // Where one of them belongs, the others are likely those of other ways through shared functions.
      Raise("EXFIL-003", call.expr, all, kEnvSecret, "sends credentials of several services" + to,
            theirs ? kSharedWay : 0.9, host);
      return;
    }
    // A credential as all that is sent: a service is asked with it in a header, or beside the question.
    if (owners == 0 && fixed && kind == HostKind::kOrdinary && (data.fresh & kEnvSecret) != 0 && SendsAlone(call)) {
      Raise("EXFIL-003", call.expr, data, kEnvSecret, "sends nothing but a credential from the environment" + to, 0.6,
            host);
      return;
    }
    // Kept in between, by a queue or an object: where it comes from is less sure, and whose body it is in is not.
    if (owners == 1 && fixed && !theirs && !bad && kind == HostKind::kOrdinary && (fresh & kEnvSecret) == 0 &&
        data.Has(kEnvSecret) && AskedNowhereElse(data.vendors)) {
      Raise("EXFIL-003", call.expr, data, kEnvSecret, "sends a service's credential to another's host, " + host, 0.5,
            host);
      return;
    }
    if (owners == 1 && fixed && !theirs && (fresh & kEnvSecret) != 0) {
      Raise("EXFIL-003", call.expr, all, kEnvSecret, "sends a service's credential to another's host, " + host, 0.6,
            host);
      return;
    }
  }
  if (JudgeTapped(call, all, host, kind) || JudgeMirrored(call.expr, all, host)) return;
  if (JudgeMirroredRequest(call, all, host) || (!inbox && JudgeCopied(call, host))) return;
  // A page sends its own server what is typed on it.
  if (all.Has(kKeys) && (fixed || view().is_python()) && (bad || kind == HostKind::kOrdinary)) {
    Raise("EXFIL-004", call.expr, all, kKeys, "sends the keys that are pressed" + to, fixed ? 1.0 : 0.6, host);
    Worsen("EXFIL-004", core::Severity::kCritical);
    return;
  }
  if (all.Has(kKept) && fixed && !inbox && (bad || kind == HostKind::kOrdinary) && !IsKnownService(host) &&
      !HostOfModels(host)) {
    Raise("EXFIL-004", call.expr, all, kKept, "sends what the user keeps, or has said," + to, 1.0, host);
  }
  if (all.Has(kClipboard) && (fixed || Repeats()) && (bad || kind == HostKind::kOrdinary)) {
    Raise("EXFIL-004", call.expr, all, kClipboard, "sends the clipboard, keys pressed or the screen" + to,
          fixed && (bad || Repeats()) ? 1.0 : 0.58, host);
    return;
  }
  if (bad && data.Has(kFileContent) && !data.Has(kToolArgument)) {
    Raise("EXFIL-004", call.expr, data, kFileContent, "sends the content of files" + to, ToOwnChat(call) ? 0.2 : 0.7,
          host);
    return;
  }
  if (kind == HostKind::kRawAddress && data.Has(kHostFacts)) {
    Raise("EXFIL-004", call.expr, data, kHostFacts, "reports facts about the machine" + to, 0.7, host);
  } else if (fixed && (bad || kind == HostKind::kOrdinary)) {
    JudgeReport(call, all, host);
  }
  if (!sent_on_ && SendsAside()) (void)JudgeAside(call.expr, data, host);
}

// `host`: of `address`; "": not known.
Taint Engine::AnswerOf(const std::string& host, std::string_view address, ExprId at) {
  if (host.empty() || IsInside(host, address))
    return Source(kNet, at, "answer of " + (host.empty() ? std::string("a host") : host));
  const HostKind kind = KindOfHost(host);
  const bool stranger = kind == HostKind::kOrdinary || IsBad(kind);
  Taint answer = Source(kNet, at, "answer of " + host);
  answer.Add(stranger ? kNetFixed | kNetStranger : kNetFixed);
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

// for base in HOSTS: get(base + path), of constants that stand in the code: the one that is no service of its own, if
// there is one beside such.
std::string Engine::HostOfList(ExprId url) const {
  const ExprId head = HeadOf(url);
  std::string first;
  std::size_t hosts = 0;
  for (const std::string& one : TextsWithin(head)) {
    const std::string host = KnownHost(one);
    if (host.empty()) return {};
    ++hosts;
    if (first.empty() || IsKnownService(first)) first = host;
  }
  return hosts >= 2 ? first : std::string();
}

Taint Engine::JudgeHttp(Call& call) {
  Taint target;
  const ExprId url = Argument(call, call.entry->target, &target);
  const std::string text = url == kNone ? std::string() : Known(url);
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
  // Of several it may be any; what is known of the variable is the first.
  if (url != kNone && (text.empty() || text.front() == kHole || IsKnownService(host))) {
    if (std::string among = HostOfList(url); !among.empty()) host = std::move(among);
  }
  // http://127.0.0.1:{port}/: what is chosen is a port.
  const bool here_only = text.starts_with("http://127.0.0.1:") || text.starts_with("http://localhost:");
  if (host.empty() && here_only) host = "localhost";
  JudgeHiddenAddress(call, url);
  bool none = true;
  Taint data = DataOf(call, &none);
  if (data.Has(kSecretFile | kStore) && host.empty() && MakesBodilessRequest(url)) {
    target.Join(data);
    data = {};
  }
  Use(call, Permission::kNetworkEgress, host.empty() ? text : host);
  here().deeds |= kDidSend;
  JudgeSend(call, data, host, target);
  Taint headers;
  static const std::vector<ArgRef> kHeaders = {{-1, "headers", ""}, {1, "", "headers"}, {0, "", "headers"}};
  const bool has_headers = Argument(call, kHeaders, &headers) != kNone;
  static const std::vector<ArgRef> kCookies = {{-1, "cookies", ""}};
  Taint cookies;
  if (Argument(call, kCookies, &cookies) != kNone) headers.Join(cookies);
  if (last_ && has_headers && !host.empty() && headers.Has(kSecretFile | kStore | kEnvAll) && !IsKnownService(host) &&
      KindOfHost(host) != HostKind::kLocal) {
    // A header carries the credential of its own service, and no file of keys.
    const bool all = headers.Has(kEnvAll);
    Raise(all ? "EXFIL-002" : "EXFIL-001", call.expr, headers, kSecretFile | kStore | kEnvAll,
          "sends " + std::string(all ? "the whole environment" : "credentials read from their store") +
              " in headers to " + host,
          0.9, host);
  }
  if (last_ && has_headers && !host.empty() && (headers.fresh & kEnvSecret) != 0 && headers.vendors.count() >= 2 &&
      !HostOfVendors(host, headers.vendors)) {
    Raise("EXFIL-003", call.expr, headers, kEnvSecret, "sends credentials of several services to " + host, 0.9, host);
  }
  if (last_ && has_headers && !host.empty() && (headers.fresh & kEnvSecret) != 0 && headers.vendors.count() == 1 &&
      AskedNowhereElse(headers.vendors) && !HostOfVendors(host, headers.vendors) &&
      KindOfHost(host) == HostKind::kOrdinary && !IsKnownService(host)) {
    Raise("EXFIL-003", call.expr, headers, kEnvSecret, "shows a service's credential to another's host, " + host, 0.55,
          host);
  }
  if (last_ && has_headers && (headers.fresh & kWeakSecretFile) != 0 && KindOfHost(host) == HostKind::kOrdinary &&
      !IsKnownService(host) && !host.empty() &&
      AnyOf(TextAt(code().exprs[call.expr].loc).substr(0, 600),
            {"User-Agent", "user-agent", "Referer", "traceparent"})) {
    Raise("EXFIL-001", call.expr, headers, kWeakSecretFile,
          "puts a file of credentials into the name of the program, for " + host, 0.8, host);
  }
  JudgeTrigger(call, data, !host.empty(), host);
  if (has_headers) JudgeHeaders(Argument(call, kHeaders, nullptr), host);
  if (host.empty()) JudgeFollowed(call, target);
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
    }
  }
  if (host.empty() && target.Has(kUnchecked) && (here().deeds & kDidPathCheck) == 0) {
    const bool all = has_headers && headers.Has(kUnchecked) && IsEntry();
    Raise("VULN-005", call.expr, target, kToolArgument,
          all ? "requests an address chosen by the caller, with headers chosen by the caller"
              : "requests an address chosen by the caller",
          all || RefusesSomeNames(url) ? 1.1
          : text.empty()               ? 0.5
                                       : 0.8);
    if (all) Worsen("VULN-005", core::Severity::kHigh);
    if (RefusesSomeNames(url)) Worsen("VULN-005", core::Severity::kHigh);
  }
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

Taint Engine::Judge(Call& call, bool* handled) {
  *handled = true;
  const CatalogueEntry& entry = *call.entry;
  // A name put together from pieces, for something dangerous.
  if (last_ && call.callee.obfuscation >= 2) {
    const bool dangerous = entry.role == Role::kEval || entry.role == Role::kShell || entry.role == Role::kSpawn ||
                           entry.role == Role::kConnect || entry.role == Role::kDeserialize ||
                           entry.role == Role::kNative;
    if (dangerous) {
      Raise("OBFUSC-002", call.expr, {}, 0, "calls " + Shown(call.callee.text) + " by a name put together from pieces",
            call.callee.obfuscation >= 3 ? 1.0 : 0.9, {}, call.callee.text);
    }
  }
  Taint target;
  switch (entry.role) {
    case Role::kHttp:
      return JudgeHttp(call);
    case Role::kConnect: {
      std::string text;
      for (const ArgRef& ref : entry.target) {
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
        // net.connect(port, host): a number is no host.
        if (text.empty() || text.find_first_not_of("0123456789") == std::string::npos) text = part;
      }
      const std::string host = KnownAddress(text);
      Use(call, Permission::kNetworkEgress, host.empty() ? text : host);
      JudgeBase(call);
      const bool logs =
          std::ranges::any_of(std::to_array<std::string_view>({"logging.handlers.", "logging_loki.", "logtail.",
                                                               "graypy.", "fluent.", "winston.transports."}),
                              [&](std::string_view root) { return call.callee.text.starts_with(root); });
      if (logs && !host.empty() && KindOfHost(host) != HostKind::kLocal) {
        log_hosts_[module_] = host;
      }
      const bool socket = call.callee.text.starts_with("socket.") || call.callee.text.starts_with("net.") ||
                          call.callee.text.starts_with("tls.");
      here().host = host;
      if (socket) {
        if (host.empty() || KindOfHost(host) != HostKind::kLocal) here().deeds |= kDidConnect;
        if (here().connect.end == 0) here().connect = code().exprs[call.expr].loc;
        JudgeTrigger(call, call.all, !host.empty(), host);
      }
      return {};
    }
    case Role::kSocketSend: {
      Use(call, Permission::kNetworkEgress, "");
      Taint data;
      for (const Taint& taint : call.taints) data.Join(taint);
      const Expr* function = FunctionOf(call);
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
      if (host.empty()) host = HostHere();
      JudgeSend(call, data, host, {});
      JudgeTrigger(call, data, true, host);
      return {};
    }
    case Role::kSocketReceive: {
      Use(call, Permission::kNetworkEgress, "");
      if (!view().is_python()) {
        // Channels to the own user interface are everywhere: only a far host's words are another machine's.
        const Expr* function = FunctionOf(call);
        std::string host =
            function != nullptr && function->base != kNone ? HostOfHandle(function->base) : std::string();
        if (host.empty()) host = HostHere();
        // The own interface is spoken to over web sockets; a bare connection to a host that is not told is to a far
        // one.
        const bool bare = host.empty() && call.callee.text.starts_with("net.");
        if (!bare && (host.empty() || KindOfHost(host) == HostKind::kLocal)) {
          return Source(kNet, call.expr, "receives data from a connection");
        }
      }
      if (Contains(code().text, "SSH_AUTH_SOCK")) return Source(kStore, call.expr, "asks the user's agent of keys");
      return Source(kSocketData, call.expr, "receives data from a socket");
    }
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
      const ExprId to = Argument(call, entry.target, &target);
      Use(call, Permission::kNetworkIngress, to == kNone ? std::string() : view().Text(to, function_));
      if (call.callee.text.ends_with("createServer") || call.callee.text.ends_with("serve")) {
        return Source(kCaller, call.expr, "takes what a request says");
      }
      return {};
    }
    case Role::kShell: {
      const ExprId command = Argument(call, entry.target, &target);
      if (command != kNone) {
        JudgeShellText(call, command, target);
        JudgeTrigger(call, target, false, {});
      }
      Taint result = Source(kCommandOutput, call.expr, "output of a command");
      if (command != kNone) result.Join(OutputOf(call, view().Text(command, function_)));
      return result;
    }
    case Role::kSpawn: {
      JudgeSpawn(call);
      const ExprId command = Argument(call, entry.target, &target);
      JudgeTrigger(call, target, false, {});
      Taint result = Source(kCommandOutput, call.expr, "output of a program");
      std::string line = command == kNone ? std::string() : view().Text(command, function_);
      for (const ExprId list : {command, Argument(call, entry.data, nullptr)}) {
        if (list == kNone) continue;
        FuncId scope = function_;
        const ExprId origin = view().Origin(list, function_, &scope);
        if (origin < code().exprs.size() && code().exprs[origin].kind == ExprKind::kList) {
          if (list == command) line.clear();
          for (const Arg& word : code().ArgsOf(code().exprs[origin])) {
            if (line.size() > 2000) break;
            line += (line.empty() ? "" : " ") + view().Text(word.value, scope);
          }
        } else if (list != command) {
          line += " " + view().Text(list, function_);
        }
      }
      result.Join(OutputOf(call, line));
      return result;
    }
    case Role::kEval:
      JudgeEval(call);
      (void)Argument(call, entry.target, &target);
      JudgeTrigger(call, target, false, {});
      return call.all;
    case Role::kImport: {
      JudgeImport(call);
      // require(os.homedir() + "/.docker/config.json")
      const ExprId name = Argument(call, entry.target, &target);
      const std::string path = name == kNone ? std::string() : view().Text(name, function_);
      const PathKind kind = KindOfPath(path);
      if (!path.ends_with(".json") || (kind != PathKind::kSecret && kind != PathKind::kWeakSecret)) return {};
      return Source(kind == PathKind::kSecret ? kSecretFile : kWeakSecretFile, call.expr, "reads " + Shown(path, 100));
    }
    case Role::kYaml: {
      for (const Arg& arg : call.args) {
        if (arg.value < code().exprs.size() &&
            (Contains(code().exprs[arg.value].text, "Safe") || Contains(code().exprs[arg.value].text, "Base") ||
             IsSafeLoader(arg.value))) {
          return call.all;
        }
      }
      if (call.callee.text.ends_with("full_load")) return call.all;
      [[fallthrough]];
    }
    case Role::kDeserialize: {
      (void)Argument(call, entry.target, &target);
      const bool marshal = call.callee.text.starts_with("marshal.");
      if (marshal) {  // what is made of it counts
        Taint objects = call.all;
        objects.Join(Source(kMarshalled, call.expr, "makes code objects of bytes"));
        return objects;
      }
      if (target.Has(kForeign)) {
        // cache.set(key, pickle.dumps(data)): what the program has packed itself is what it unpacks.
        std::string packs = call.callee.text;
        if (packs.ends_with(".loads")) packs.replace(packs.size() - 5, 5, "dumps(");
        const bool own = packs.ends_with(".dumps(") && Contains(code().text, packs);
        Raise("VULN-006", call.expr, target, kForeign, "unpacks objects from the network; unpacking runs code",
              own                     ? 0.4
              : target.Has(kNetFixed) ? 1.0
                                      : 0.8);
      } else if (target.Has(kToolArgument)) {
        Raise("VULN-006", call.expr, target, kToolArgument, "unpacks objects given as an argument; unpacking runs code",
              0.8);
      } else if (target.Has(kArguments) && Contains(call.callee.text, "pickle")) {
        Raise("VULN-006", call.expr, target, 0, "unpacks objects of a file that the command line names", 0.7);
      } else if (target.Has(kDecoded)) {
        Raise("OBFUSC-001", call.expr, target, kDecoded, "unpacks objects hidden by encoding; unpacking runs code",
              Direct(target, 0.7));
      }
      Taint result = call.all;
      result.Join(Source(kDeserialized, call.expr, "unpacked objects"));
      return result;
    }
    case Role::kNative:
      JudgeNative(call);
      return {};
    case Role::kExecutableMemory: {
      bool executable = call.callee.text.find("mmap.mmap") == std::string::npos || !view().is_python();
      for (const Arg& arg : call.args) {
        std::vector<ExprId> open{arg.value};
        for (std::size_t i = 0; i < open.size() && i < 16; ++i) {
          if (open[i] >= code().exprs.size()) continue;
          const Expr& part = code().exprs[open[i]];
          if (part.text == "PROT_EXEC" || part.text == "0x40") executable = true;
          // mmap.mmap(-1, n, prot=7): read, write and execute.
          if (arg.name == "prot" && i == 0 && part.text.size() == 1 && part.text[0] >= '4' && part.text[0] <= '7')
            executable = true;
          for (const Arg& inner : code().ArgsOf(part)) open.push_back(inner.value);
        }
      }
      if (!executable) return {};
      if (call.callee.text.ends_with(".func")) {
        // A prototype: koffi.load("libc").func("void *mmap(...)").
        std::string prototype;
        for (const Arg& arg : call.args) prototype += view().Text(arg.value, function_) + " ";
        if (!AnyOf(prototype, {"mmap", "mprotect", "VirtualAlloc", "VirtualProtect", "ptrace", "process_vm_"}))
          return {};
      }
      here().deeds |= kDidExecutable;
      if (AnyOf(call.callee.text, {"WriteProcessMemory", "CreateRemoteThread", "RtlMoveMemory", "process_vm_writev"})) {
        here().deeds |= kDidRawMemory;
      }
      if (here().execute.end == 0) here().execute = code().exprs[call.expr].loc;
      if (call.callee.text.ends_with("ReadProcessMemory")) {
        // Tools that drive windows look up a process's name and command line so.
        Raise("MEM-003", call.expr, call.all, call.all.labels & (kForeign | kToolArgument),
              "reads the memory of another process", 0.5);
        return {};
      }
      Use(call, Permission::kDynamicCode, "executable memory");
      Raise("MEM-003", call.expr, call.all, call.all.labels & (kForeign | kToolArgument),
            "asks for memory that is writable and executable, or changes another process");
      return {};
    }
    case Role::kRawMemory:
      if (Contains(call.callee.text, "allocUnsafe")) {
        const std::string_view body = TextAt(code().functions[function_].loc);
        if (call.all.Has(kUnchecked) && !AnyOf(body, {".fill(", ".copy(", ".set(", "FillSync", "randomFill"})) {
          Raise("MEM-004", call.expr, call.all, kToolArgument,
                "an argument chooses how much memory is taken that is not cleared", 0.7);
        }
        return call.all;
      }
      if (!call.callee.text.ends_with("cast")) here().deeds |= kDidRawMemory;
      if (call.callee.text.ends_with("memmove") || call.callee.text.ends_with("memset") ||
          call.callee.text.ends_with("cast")) {
        std::vector<ExprId> open;
        if (!call.args.empty()) open.push_back(call.args[0].value);
        for (std::size_t i = 0; i < open.size() && i < 16; ++i) {
          if (open[i] >= code().exprs.size()) continue;
          const Expr& part = code().exprs[open[i]];
          if (part.kind == ExprKind::kCall && view().Callee(open[i], function_).text == "builtins.id") {
            Raise("MEM-005", call.expr, {}, 0, "changes an object of the interpreter in place");
          }
          for (const Arg& inner : code().ArgsOf(part)) open.push_back(inner.value);
        }
      }
      if (call.all.Has(kToolArgument) && !call.callee.text.ends_with("cast")) {
        Raise("MEM-004", call.expr, call.all, kToolArgument,
              "reads or writes memory at a place or of a size that an argument chooses");
      }
      return call.all;
    case Role::kFileOpen:
    case Role::kFileRead:
    case Role::kFileWrite:
    case Role::kFileList:
      return JudgeFile(call);
    case Role::kFileDelete: {
      const Expr* function = FunctionOf(call);
      const ExprId path = Argument(call, entry.target, &target);
      std::string text = path != kNone ? Known(path) : std::string();
      if (path == kNone && function != nullptr) text = view().Text(function->base, function_);
      Use(call, Permission::kFilesystemWrite, text);
      JudgeTrigger(call, target, false, {});
      if (path == kNone) target.Join(call.receiver);
      JudgeDelete(call, text, target);
      return {};
    }
    case Role::kEnvRead: {
      const ExprId name = Argument(call, entry.target, &target);
      Taint result = EnvRead(name == kNone ? std::string() : view().Text(name, function_), call.expr);
      TakeNamed(target, call.expr, &result);
      JudgeNamedVariable(call, name, target);
      if (call.callee.text.ends_with(".setdefault") && name != kNone && call.args.size() > 1) {
        JudgeEnvironmentWrite(call.expr, view().Text(name, function_), call.args[1].value);
      }
      return result;
    }
    case Role::kEnvAll:
      Use(call, Permission::kEnvironmentRead, "*");
      return Source(kEnvAll, call.expr, "reads the whole environment");
    case Role::kEnvWrite: {
      const ExprId name = Argument(call, entry.target, &target);
      Use(call, Permission::kEnvironmentWrite, name == kNone ? std::string() : view().Text(name, function_));
      if (name != kNone)
        JudgeEnvironmentWrite(call.expr, view().Text(name, function_),
                              call.args.size() > 1 ? call.args[1].value : kNone);
      return call.callee.text == "dotenv.config" ? Source(kWeakSecretFile, call.expr, "reads .env") : Taint();
    }
    case Role::kSecretStore:
      // sys._current_frames(): where threads stand, unless their variables are looked at.
      if (call.callee.text.starts_with("sys.")) {
        std::optional<bool>& frames = states_[module_].frames;
        if (!frames) frames = AnyOf(code().text, {"f_locals", "f_globals"});
        if (!*frames) return {};
      }
      if (call.callee.text.starts_with("gc.") || call.callee.text.starts_with("sys.")) {
        return Source(kStore, call.expr, "goes through all objects of the process");
      }
      Use(call, Permission::kSecretsRead, call.callee.text);
      // An extension asks the browser, which asked its user.
      if (AnyOf(call.callee.text, {"chrome.cookies", "browser.cookies"}))
        return Source(kKept, call.expr, "takes the browser's cookies");
      return OfKeyChain(call);
    case Role::kClipboard:
    case Role::kStdin:
    case Role::kArgv:
    case Role::kHostInfo:
      return JudgeTaken(call);
    case Role::kSql: {
      const ExprId statement = Argument(call, entry.target, &target);
      if (last_ && statement != kNone && call.all.Has(kForeign) && !KeepingIsPurpose()) {
        const std::string text = LowerCase(view().Text(statement, function_));
        if (AnyOf(text, {"insert ", "update ", "replace "}) &&
            AnyOf(text, {"memor", "instruction", "preference", "system_prompt", "facts", "checkpoint"})) {
          Raise("STATE-002", call.expr, call.all, kForeign, "keeps an answer from the network in the agent's memory");
          Worsen("STATE-002", core::Severity::kHigh);
        }
      }
      if (statement != kNone && target.Has(kToolArgument) && last_) {
        const std::string text = LowerCase(Known(statement));
        const bool written = Contains(text, std::string_view(&kHole, 1)) &&
                             AnyOf(text, {"select ", "insert ", "update ", "delete ", "drop ", "alter ", "where "});
        if (text.find_first_not_of(kHole) == std::string::npos && call.callee.text.ends_with("executescript") &&
            GuardsByWords(statement)) {
          Raise("VULN-004", call.expr, target, kToolArgument,
                "lets a statement pass by how it begins, and runs all that stand in it", 1.4);
        }
        if (written || (text.empty() && target.Has(kQueried))) {
          // A value between quotes or behind a comparison could have been bound; a name of a table could not.
          const bool value = (text.empty() && target.Has(kQuoted)) ||
                             AnyOf(text, {"'\x01", "\"\x01", "=\x01", "= \x01", "where \x01", "like \x01", "'%\x01"});
          Raise("VULN-004", call.expr, target, kToolArgument, "puts an argument into an SQL statement",
                value && target.Has(kUnchecked) ? 1.4 : 0.85);
        }
      }
      return call.receiver.Without(kEnvLabels);
    }
    case Role::kTemplate:
      (void)Argument(call, entry.target, &target);
      if (call.callee.text.find("string.Template") != std::string::npos) return call.all;
      if (target.Has(kForeign))  // also where the caller has chosen what is fetched
        Raise("VULN-002", call.expr, target, kForeign, "uses fetched words as a template; templates run code", 0.9);
      else if (target.Has(kToolArgument))
        Raise("VULN-002", call.expr, target, kToolArgument, "uses an argument as a template; templates run code", 0.6);
      return call.all;
    case Role::kDecode: {
      Taint result = call.all;
      Taint data;
      const ExprId from = Argument(call, entry.target, &data);
      if (from != kNone) {
        // A constant that is decoded; short ones are icons, keys, magic bytes.
        const Value& value = view().Evaluate(from, function_);
        const bool plain_buffer =
            !view().is_python() && call.args.size() < 2 && AnyOf(call.callee.text, {"Buffer.from"});
        bool constant =
            (value.kind == ValueKind::kText && value.text.size() >= 16) || (data.labels == 0 && WrapsCoded(from));
        if (!constant && value.kind != ValueKind::kText && (data.labels & ~kUnchecked) == 0) {
          // (code => Function(atob(code))())("..."): what the only caller gives.
          const std::string given = Known(from);
          constant = given.size() >= 16 && given.find_first_of(std::string(" .:/") + kHole) == std::string::npos;
        }
        if (constant && !plain_buffer) {
          result.Join(Source(kDecoded, call.expr, "decodes a constant"));
        } else if (!plain_buffer && data.Has(kFileContent | kCommandOutput | kNet) && !data.Has(kToolArgument)) {
          result.Join(Source(kCodedFile, call.expr, "decodes what stands in a file"));
        } else if (!plain_buffer && OfSettings(from)) {
          result.Join(Source(kCodedFile, call.expr, "decodes what stands in a file of settings"));
        } else if (!plain_buffer && IsTableItem(from)) {
          result.Join(Source(kDecoded, call.expr, "decodes an entry of a table of constants"));
        } else if (!plain_buffer && PicksFromWords(from)) {
          result.Join(Source(kDecoded, call.expr, "decodes a word of a list"));
        }
      }
      return result;
    }
    case Role::kSanitize:
    case Role::kSafe: {
      // A number out of a picture is still a piece of what the picture hides.
      const bool number = call.callee.text == "builtins.int";
      // What a pattern finds in a text is a part of it; what a caller gives is checked by one.
      const bool found =
          call.callee.text == "re.search" || call.callee.text == "re.match" || call.callee.text == "re.fullmatch";
      const Labels stays = found    ? ~(kCaller | kArguments | kEntryName | kBelow | kPieced | kQueried | kQuoted)
                           : number ? kDecoded | kCodedFile
                           : call.callee.text.ends_with("encodeURIComponent")
                               ? kNetFixed | kNetStranger | kSecretFile | kStore | kWeakSecretFile | kEnvAll | kKept |
                                     kClipboard | kKeys | kTapped | kEncoded | kEvent | kSaid
                               : Labels{0};
      return stays != 0 ? call.all.Only(stays) : Taint();
    }
    case Role::kPathCheck:
      here().deeds |= kDidPathCheck;
      Checked(call.args);
      return call.all.Without(kUnchecked | kEntryName | kBelow |
                              (call.callee.text.ends_with(".startsWith") ? kOfUser : Labels{0}));
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
    case Role::kPrompt: {
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
      if (call.callee.text.ends_with("SystemMessage") && call.all.Has(kForeign) && !call.args.empty() &&
          !graphs_.empty() && graphs_[module_] != 0) {
        Raise("STATE-001", call.expr, call.all, kForeign,
              "gives an answer from the network the rank of a system message",
              view().Text(call.args[0].value, function_).find_first_not_of(kHole) == std::string::npos ? 0.9 : 0.4);
      }
      if (call.callee.text.ends_with("HumanMessage") && !call.args.empty() && !graphs_.empty() &&
          graphs_[module_] != 0) {
        const Value& said = view().Evaluate(call.args[0].value, function_);
        if (said.kind == ValueKind::kText && SaysYes(said.text)) {
          Raise("STATE-004", call.expr, {}, 0, "puts a consent into the user's mouth: " + Shown(said.text, 80));
        }
      }
      if (call.callee.text.ends_with("Message")) return call.all;
      return Source(kModelAnswer, call.expr, "answer of a model");
    }
    case Role::kDuplicate:
      here().deeds |= kDidDuplicate;
      return {};
    case Role::kTerminal:
      here().deeds |= kDidTerminal;
      if (here().execute.end == 0) here().execute = code().exprs[call.expr].loc;
      Use(call, Permission::kSubprocess, "terminal");
      return {};
    case Role::kUpload:
    case Role::kFeed:
    case Role::kModulePath:
    case Role::kWorker:
    case Role::kWasm:
    case Role::kContainer:
    case Role::kRegistry:
    case Role::kFetched:
    case Role::kRequest:
      return JudgeMachine(call);
    case Role::kUnlisted:
      break;
  }
  *handled = false;
  return {};
}

}  // namespace interlock::scan::code
