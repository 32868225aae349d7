// Ways out that carry no body: headers, logs, redirects, what stands beside the points of a picture. And files that are
// written over because a folder listed them.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

// Where a credential, or a proof of who sends, belongs.
bool CarriesProof(std::string_view header) {
  const std::string name = LowerCase(header.substr(0, 80));
  return AnyOf(name, {"auth", "cookie", "token", "key", "signature", "digest", "md5", "secret", "nonce", "csrf", "jwt",
                      "sec-", "credential", "password"});
}

// What a login, a header or a setting with a credential is called.
bool HoldsCredential(std::string_view name) {
  const std::string lower = LowerCase(name.substr(0, 80));
  if (AnyOf(lower,
            {"safe", "mask", "redact", "path", "file", "limit", "count", "len", "url", "name", "storage", "has"}))
    return false;
  if (AnyOf(lower, {"password", "passwd", "secret", "apikey", "api_key", "authorization", "credential"})) return true;
  return SaysOneOf(lower, {"headers", "header", "payload", "body", "auth", "token", "accesstoken", "access_token",
                           "bearer", "env", "login", "data", "form"});
}

// Content that somebody keeps for himself.
constexpr Labels kOwnContent = kClipboard | kKeys | kTapped | kFileContent | kToolArgument | kState | kMemory |
                               kEnvAll | kInput | kArguments | kCommandOutput | kSecretLabels | kWeakSecretFile;

// Of an argument by position: a request's options, and no address as well (urlopen(request)).
bool TakesOptions(const CatalogueEntry& entry, std::size_t at) {
  const auto here = [&](const ArgRef& ref) { return ref.position == static_cast<int>(at); };
  return std::ranges::any_of(entry.data, [&](const ArgRef& ref) { return !ref.field.empty() && here(ref); }) &&
         std::ranges::none_of(entry.target, [&](const ArgRef& ref) { return ref.field.empty() && here(ref); });
}

}  // namespace

// base64, hex, compression: letters that no reader of a log understands.
bool Engine::Encodes(const Call& call, std::string_view last) const {
  if (SaysOneOf(last, {"b64encode",
                       "urlsafe_b64encode",
                       "standard_b64encode",
                       "b32encode",
                       "b16encode",
                       "b85encode",
                       "a85encode",
                       "hexlify",
                       "btoa",
                       "compress",
                       "deflateSync",
                       "deflateRawSync",
                       "gzipSync",
                       "brotliCompressSync",
                       "deflate",
                       "deflateRaw",
                       "gzip",
                       "encodebytes",
                       "b2a_base64",
                       "b2a_hex",
                       "base64Encode",
                       "toBase64",
                       "hex"})) {
    return true;
  }
  if (last != "toString" && last != "encode") return false;
  return std::ranges::any_of(call.args, [&](const Arg& arg) {
    return arg.value < code().exprs.size() && code().exprs[arg.value].kind == ExprKind::kString &&
           SaysOneOf(code().exprs[arg.value].text, {"base64", "hex", "base64url", "latin1", "rot13"});
  });
}

// {"user-agent": `app/1.0 (build ${hex(text)})`}: a request without a body says something all the same.
void Engine::JudgeHeaders(ExprId headers, const std::string& host) {
  if (!last_ || host.empty()) return;
  const HostKind kind = KindOfHost(host);
  if ((kind != HostKind::kOrdinary && !IsBad(kind)) || IsKnownService(host)) return;
  FuncId scope = function_;
  const ExprId made = view().Origin(headers, function_, &scope);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kDict || scope != function_) return;
  for (const Arg& field : code().ArgsOf(code().exprs[made])) {
    if (field.value >= code().exprs.size()) continue;
    // {...traceHeaders(), accept: "x"}
    const bool spread = code().exprs[field.value].kind == ExprKind::kSpread;
    if (!spread && (field.name.empty() || CarriesProof(field.name))) continue;
    const Taint value = Eval(field.value);
    const ExprId from = view().Origin(field.value, function_);
    // One of several things that a caller hands over together: which of them it is, nobody knows here.
    const ExprId last = from < code().exprs.size() ? from : field.value;
    const bool one_of_several =
        code().exprs[last].kind == ExprKind::kChoice || code().exprs[last].kind == ExprKind::kMember;
    const Labels labels = one_of_several ? value.fresh : value.labels;
    const bool packed = (labels & kEncoded) != 0 && (labels & kOwnContent) != 0;
    const bool watched = (labels & (kClipboard | kKeys | kTapped)) != 0;
    if (!packed && !watched) continue;
    const std::string text =
        LowerCase(TextAt(code().exprs[field.value].loc).substr(0, 400)) +
        (from < code().exprs.size() ? LowerCase(TextAt(code().exprs[from].loc).substr(0, 400)) : "");
    // What is left of a content after hashing tells nobody what it was.
    if (AnyOf(text, {"hash", "hmac", "digest", "sha1", "sha256", "md5", "sign("})) continue;
    exact_ = true;  // whatever way it came, that a header carries it is the finding
    Raise("EXFIL-012", field.value, value, value.labels & kOwnContent,
          "puts " + std::string(watched ? "what it has watched" : "packed content") + " into " +
              (spread ? std::string("headers") : "the header `" + Shown(field.name, 40) + "`") + " of a request to " +
              host,
          watched ? 1.0 : 0.9, host);
    exact_ = false;
  }
}

// httpx.Client(headers={"User-Agent": ... + netrc}): whatever the client asks, and whom, is shown a file of credentials
// where no key of a service stands.
void Engine::JudgeClientHeaders(const Call& call) {
  if (!last_ || !SaysOneOf(call.last, {"Client", "AsyncClient", "ClientSession", "create", "extend"})) return;
  const ExprId headers = Argument(call, {{-1, "headers", ""}, {0, "", "headers"}}, nullptr);
  const ExprId made = headers == kNone ? kNone : view().Origin(headers, function_);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kDict) return;
  constexpr Labels kCredentials = kSecretFile | kWeakSecretFile | kStore | kEnvAll;
  for (const Arg& field : code().ArgsOf(code().exprs[made])) {
    if (!SaysOneOf(LowerCase(field.name), {"user-agent", "referer", "traceparent", "x-request-id", "accept-language"}))
      continue;
    const Taint value = Eval(field.value);
    if (!value.Has(kCredentials)) continue;
    Raise("EXFIL-001", field.value, value, kCredentials,
          "puts a file of credentials into the header `" + Shown(field.name, 40) + "` of all that it asks", 0.9);
  }
}

// logger.info("request", headers): whoever reads the log has the credential.
void Engine::JudgeLogged(const Call& call, std::string_view last) {
  // print(key): a script of a skill says to the agent what it prints.
  const bool prints = call.callee.text == "builtins.print" || call.callee.text == "globalThis.console.log" ||
                      call.callee.text == "console.log";
  if (last_ && prints && (call.all.fresh & kSecretFile) != 0) {
    Raise("EXFIL-008", call.expr, call.all, kSecretFile, "prints a file of keys, for whoever runs it to read", 0.8);
    return;
  }
  // print(b64encode(key)): what masks credentials in a log looks for the key.
  const std::string_view line = TextAt(code().exprs[call.expr].loc).substr(0, 300);
  if (last_ && prints && call.all.Has(kEncoded) && call.all.Has(kEnvSecret | kEnvAll) &&
      AnyOf(line, {"b64encode(", "(\"base64\")", "('base64')", "btoa("}) &&
      AnyOf(line, {"environ", "process.env", "getenv"})) {
    Raise("EXFIL-008", call.expr, call.all, kEnvSecret | kEnvAll,
          "prints a credential in letters that no filter of a log knows", 0.8);
    return;
  }
  if (!SaysOneOf(last, {"info", "debug", "warn", "warning", "error", "log", "trace", "exception", "critical"})) return;
  const Expr* function = FunctionOf(call);
  if (function == nullptr || function->kind != ExprKind::kMember || function->base >= code().exprs.size()) return;
  const std::string base = LowerCase(TextAt(code().exprs[function->base].loc).substr(0, 80));
  const bool logger =
      AnyOf(base, {"log", "pino", "winston"}) || AnyOf(call.callee.text, {"logging.", "pino", "winston"});
  if (!logger || AnyOf(base, {"math", "dialog", "catalog"})) return;
  constexpr Labels kCredential = kEnvSecret | kSecretFile | kStore;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!call.taints[i].Has(kCredential)) continue;
    std::vector<ExprId> open{call.args[i].value};
    for (std::size_t k = 0; k < open.size() && k < 32; ++k) {
      if (open[k] >= code().exprs.size()) continue;
      const Expr& part = code().exprs[open[k]];
      const bool named =
          part.kind == ExprKind::kName || part.kind == ExprKind::kMember || part.kind == ExprKind::kIndex;
      // settings.env says which of several environments, auth.header in which of the headers it stands.
      const bool which =
          part.kind == ExprKind::kMember && part.base < code().exprs.size() &&
          (part.text == "header" ||
           (part.text == "env" && !SaysOneOf(code().exprs[part.base].text, {"process", "Deno", "Bun", "meta"})));
      if (named && !which && HoldsCredential(part.kind == ExprKind::kIndex ? TextAt(part.loc) : part.text)) {
        const Taint said = Eval(open[k]);
        if (said.Has(kCredential)) {
          exact_ = true;  // its name says what it is
          Raise("VULN-015", call.expr, said, kCredential, "writes a credential into a log");
          exact_ = false;
          Worsen("VULN-015", core::Severity::kHigh);
          return;
        }
      }
      // What is called, sliced or compared is masked, measured or asked for.
      const bool holds = part.kind == ExprKind::kDict || part.kind == ExprKind::kList ||
                         part.kind == ExprKind::kFormat || part.kind == ExprKind::kConcat ||
                         part.kind == ExprKind::kSpread;
      if (!holds) continue;
      for (const Arg& arg : code().ArgsOf(part)) open.push_back(arg.value);
    }
  }
}

// check(url), then a request that goes wherever the answer sends it.
void Engine::JudgeFollowed(const Call& call, const Taint& target) {
  if (!last_ || !target.Has(kToolArgument | kRequest) || target.Has(kUnchecked) || target.Has(kNet)) return;
  bool guards = false;
  for (std::uint32_t m = 0; m < world_.size() && m < 64 && !guards; ++m) {
    const std::string_view text = world_.View(m).module().text.substr(0, 60'000);
    const bool looks_up =
        AnyOf(text, {"getaddrinfo", "gethostbyname", "dns.lookup", "resolve4", "lookup(", "ip_address("});
    guards = looks_up && AnyOf(text, {"is_private", "is_loopback", "isPrivate", "is_global", "169.254", "127.",
                                      "192.168", "ipaddr", "private-ip"});
  }
  if (!guards) return;
  const std::string_view here_text = code().text.substr(0, 60'000);
  if (AnyOf(here_text,
            {"is_redirect", "next_request", "event_hooks", "HTTPTransport", "maxRedirects: 0", "\"manual\"", "'manual'",
             "redirect: \"error\"", "redirect: 'error'", "beforeRedirect", "resolver=", "allow_redirects=False",
             "follow_redirects=False", "HTTPAdapter", "dispatcher", "agent:", "max_redirects=0", "lookup:"})) {
    return;
  }
  const std::string_view callee = call.callee.text;
  bool follows = callee.starts_with("requests.") || callee.starts_with("aiohttp.") || callee.starts_with("urllib") ||
                 AnyOf(callee, {"fetch", "axios", "got", "superagent"});
  if (callee.starts_with("httpx.")) follows = Contains(here_text, "follow_redirects=True");
  if (!follows) return;
  Raise("VULN-005", call.expr, target, kToolArgument | kRequest,
        "checks an address once, then follows wherever its answer leads: addresses inside can be reached", 1.1);
  Worsen("VULN-005", core::Severity::kHigh);
}

// image.save(path, pnginfo=...), piexif.insert(...), sharp(...).withMetadata(...): nobody sees what stands there.
void Engine::JudgePictureData(const Call& call, std::string_view last) {
  constexpr Labels kCredentials = kSecretFile | kStore | kEnvAll | kWeakSecretFile | kEnvSecret;
  const bool method = SaysOneOf(last, {"withMetadata", "withExif", "withExifMerge", "withXmp"}) ||
                      (last == "insert" && Contains(call.callee.text, "piexif")) ||
                      SaysOneOf(last, {"putpixel", "putdata"});
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const bool beside =
        last == "save" && SaysOneOf(call.args[i].name, {"pnginfo", "exif", "icc_profile", "comment", "xmp"});
    if ((!method && !beside) || !call.taints[i].Has(kCredentials)) continue;
    Raise("EXFIL-004", call.expr, call.taints[i], kCredentials, "hides credentials in the data of a picture", 1.0);
    Worsen("EXFIL-004", core::Severity::kCritical);
    return;
  }
}

// for name in os.listdir(folder): write(join(folder, name), "..."): every file is replaced by the same text.
void Engine::JudgeOverwritten(const Call& call, const Taint& path) {
  if (!last_ || !path.Has(kListed) || call.args.empty()) return;
  const std::string_view name = std::string_view(call.callee.text).substr(call.callee.text.rfind('.') + 1);
  const bool on_path = SaysOneOf(name, {"write_text", "write_bytes"});
  const bool whole = on_path || SaysOneOf(name, {"writeFileSync", "writeFile", "outputFile", "outputFileSync"});
  const std::size_t at = on_path ? 0 : 1;
  if (!whole || call.args.size() <= at) return;
  const std::string& text = view().Text(call.args[at].value, function_);
  if (text.size() < 4 || Contains(text, std::string_view(&kHole, 1))) return;
  bool dated = std::ranges::any_of(guards_, [](const Condition& condition) { return condition.dated; });
  for (const Condition& condition : conditions_)
    dated = dated || (condition.dated && condition.depth < statement_.condition_depth);
  if (dated) {
    Raise("TRIGGER-001", call.expr, {}, 0, "replaces the files of a folder from a day on that stands in the code");
    Worsen("TRIGGER-001", core::Severity::kCritical);
    return;
  }
  // A name that stands in the code is one file, whatever folder was found.
  const ExprId to = on_path ? (FunctionOf(call) != nullptr ? FunctionOf(call)->base : kNone) : call.args[0].value;
  const std::string known = to == kNone ? std::string() : Known(to);
  if (!known.empty() && known.back() != kHole) return;
  Raise("DESTROY-001", call.expr, {}, 0, "replaces every file that it finds in a folder by the same text", 0.35);
}

// fetch(url, init("POST")): headers stand in a function that makes all of the options.
Taint Engine::HeadersOfMade(const Call& call) {
  Taint made;
  std::size_t at = 0;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (!call.args[i].name.empty()) continue;
    if (TakesOptions(*call.entry, at++) && call.args[i].value < code().exprs.size() &&
        code().exprs[view().Origin(call.args[i].value, function_)].kind == ExprKind::kCall)
      made.Join(call.taints[i].Only(kEnvSecret | kWeakSecretFile));
  }
  // with httpx.Client(headers=...) as client: client.get(url)
  if (!call.IsMethod()) return made;
  FuncId where = function_;
  const ExprId client = view().Origin(call.base->base, function_, &where);
  if (client >= code().exprs.size() || (where != function_ && where != kModuleBody) ||
      code().exprs[client].kind != ExprKind::kCall)
    return made;
  for (const Arg& arg : code().ArgsOf(code().exprs[client])) {
    if (SaysOneOf(arg.name, {"headers", "cookies", "params"})) made.Join(Eval(arg.value).Only(kHeldByAnything));
  }
  return made;
}

// fetch(url, options), fetch(url, {...options, headers}), post(path, *args, **more): of options that were made
// elsewhere, what no header is for.
Taint Engine::DataOfOptions(const Call& call) {
  // https.request({ca, cert, key, ...}) is shown certificates.
  const bool certified = AnyOf(call.callee.text, {"https.", "http2.", "tls."});
  const Labels carried = (certified ? Labels{0} : kSecretFile) | kEnvAll | kKept | kClipboard | kKeys;
  const auto is_header = [](const Arg& field) {
    return SaysOneOf(field.name, {"headers", "auth", "cookies", "httpsAgent", "agent", "cert", "ca", "key"});
  };
  Taint data;
  std::size_t position = 0;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const Arg& arg = call.args[i];
    if (arg.value >= code().exprs.size()) continue;
    const Expr& given = code().exprs[arg.value];
    const std::size_t at = arg.name.empty() ? position++ : call.args.size();
    if (given.kind == ExprKind::kSpread) {
      data.Join(call.taints[i].Only(carried));
    } else if (given.kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(given)) {
        if (field.value < code().exprs.size() && code().exprs[field.value].kind == ExprKind::kSpread)
          data.Join(Eval(field.value).Only(carried));
      }
    } else if (TakesOptions(*call.entry, at)) {
      // Of options that are written out with their headers, the other fields.
      FuncId scope = function_;
      const ExprId made = view().Origin(arg.value, function_, &scope);
      const bool written = made < code().exprs.size() && code().exprs[made].kind == ExprKind::kDict;
      const auto fields = written ? code().ArgsOf(code().exprs[made]) : std::span<const Arg>();
      if (!std::ranges::any_of(fields, is_header)) {
        data.Join(call.taints[i].Only(carried));
        continue;
      }
      for (const Arg& field : fields) {
        if (scope == function_ && !is_header(field)) data.Join(Eval(field.value).Only(carried));
      }
    }
  }
  data.params = 0;  // of whatever else a caller puts into them, nothing is known
  return data;
}

// What is sent: the arguments that carry a body. Headers are not: a credential belongs there.
Taint Engine::DataOf(const Call& call, bool* header_only) {
  Taint data = DataOfOptions(call);
  *header_only = true;
  for (const ArgRef& ref : call.entry->data) {
    Taint part;
    const ExprId expr = Argument(call, {ref}, &part);
    if (expr == kNone) continue;
    *header_only = false;
    // fetch(url, options): an options object given whole has headers in it as well.
    const Expr& shape = code().exprs[expr];
    if (ref.field.empty() && shape.kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(shape)) {
        if (field.name == "headers" || field.name == "auth" || field.name == "Authorization") continue;
        data.Join(Eval(field.value));
      }
    } else {
      data.Join(part);
    }
  }
  return data;
}

// Whether the body is one value out of the environment, with nothing around it.
bool Engine::SendsAlone(const Call& call) {
  if (call.entry == nullptr) return false;  // a function of the package's own that sends
  for (const ArgRef& ref : call.entry->data) {
    const ExprId expr = Argument(call, {ref}, nullptr);
    if (expr == kNone) continue;
    const ExprId from = view().Origin(expr, function_);
    if (from >= code().exprs.size()) continue;
    const std::string_view text = TextAt(code().exprs[from].loc);
    const bool environment =
        text.starts_with("os.environ") || text.starts_with("os.getenv(") || text.starts_with("process.env");
    if (environment && text.size() < 80 && text.find_first_of(" +{") == std::string_view::npos) return true;
  }
  return false;
}

// if (model.provider === "minimax") ask(key), of api.minimax.io: of several keys the one that belongs there.
bool Engine::IsChosenByName(const Call& call, std::string_view host) const {
  constexpr std::size_t kNear = 400;
  const std::string_view name = RegisteredName(host);
  const std::size_t at = code().exprs[call.expr].loc.begin;
  const std::size_t first = at - std::min({at, kNear, at - code().functions[function_].loc.begin});
  const std::string_view before = code().text.substr(first, at - first);
  for (std::size_t k = before.find(name); name.size() >= 4 && k != std::string_view::npos;
       k = before.find(name, k + 1)) {
    const std::string_view lead = before.substr(0, k);
    if (lead.ends_with("== \"") || lead.ends_with("== '")) return true;
  }
  return false;
}

// The part of an expression that is a table of fields: itself, or what is handed on by calls that pack it.
ExprId Engine::TableIn(ExprId expr, int depth) const {
  constexpr int kDeepest = 4;  // bytes.NewReader(json.Marshal(map...))
  if (expr >= code().exprs.size() || depth > kDeepest) return kNone;
  const ExprId from = view().Origin(expr, function_);
  if (from >= code().exprs.size()) return kNone;
  const Expr& one = code().exprs[from];
  if (one.kind == ExprKind::kDict) return from;
  if (one.kind != ExprKind::kCall) return kNone;
  for (const Arg& arg : code().ArgsOf(one)) {
    if (const ExprId found = TableIn(arg.value, depth + 1); found != kNone) return found;
  }
  return kNone;
}

// {"entries": n, "ref": os.environ["FORGE_TOKEN"]}: a credential under a name by which no service asks for one.
bool Engine::SendsUnnamed(const Call& call) {
  if (call.entry == nullptr) return false;
  for (const ArgRef& ref : call.entry->data) {
    const ExprId table = TableIn(Argument(call, {ref}, nullptr), 0);
    if (table == kNone) continue;
    for (const Arg& field : code().ArgsOf(code().exprs[table])) {
      const ExprId from = view().Origin(field.value, function_);
      if (field.name.empty() || from >= code().exprs.size()) continue;
      const std::string_view text = TextAt(code().exprs[from].loc);
      if (text.size() > 80 || !AnyOf(text, {"os.environ", "os.getenv(", "os.Getenv(", "process.env", "ENV["})) continue;
      const std::size_t end = text.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
      const std::size_t before =
          end == std::string_view::npos ? end : text.find_last_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", end);
      const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
      if (end == std::string_view::npos || !IsSecretName(text.substr(first, end + 1 - first))) continue;
      if (!AnyOf(LowerCase(field.name),
                 {"key", "token", "auth", "secret", "pass", "pwd", "cred", "licen", "bearer", "access", "sign", "jwt",
                  "session", "cookie", "api", "grant", "hash", "appid", "app_id"}))
        return true;
    }
  }
  return false;
}

// Names that are looked up: whoever answers for the domain reads the labels in front of it, and says what its records
// hold.
Taint Engine::JudgeLookup(Call& call) {
  Taint target;
  const ExprId to = Argument(call, call.entry->target, &target);
  Use(call, core::Permission::kNetworkEgress, "");
  const std::string name = to == kNone ? std::string() : Known(to);
  JudgeLookedUp(call, name, target);
  const std::string_view said = TextAt(code().exprs[call.expr].loc).substr(0, 300);
  const std::string host = KnownAddress(name);
  if (!AnyOf(said, {"TXT", "resolveTxt"}) || KindOfHost(host) != HostKind::kOrdinary || !Contains(host, ".")) return {};
  return Source(kNet | kNetFixed | kNetStranger, call.expr, "a record of " + host);
}

void Engine::JudgeLookedUp(const Call& call, const std::string& name, const Taint& target) {
  // A host out of a setting or a file is looked up whole; data is carried by a label in front of a domain.
  const std::size_t hole = name.find(kHole);
  const bool whole = name.find_first_not_of(kHole) == std::string::npos;
  // No host is called what a file of keys holds, whoever puts the name together.
  constexpr Labels kKeyFiles = kSecretFile | kStore | kEnvAll;
  constexpr Labels kPrivate =
      kSecretLabels | kWeakSecretFile | kFileContent | kCommandOutput | kClipboard | kKeys | kKept | kTapped;
  if (target.Has(kKeyFiles) && whole) {
    Raise("EXFIL-006", call.expr, target, kKeyFiles, "puts secrets into names that it looks up", 0.9);
    return;
  }
  // ... nor anything that was packed into letters first.
  constexpr Labels kTaken = kSecretLabels | kWeakSecretFile | kClipboard | kKeys | kKept | kTapped;
  constexpr Labels kPacked = kTaken | kFileContent | kCommandOutput;
  if (target.Has(kEncoded) && target.Has(kPacked) && whole) {
    Raise("EXFIL-006", call.expr, target, kPacked, "puts data into names that it looks up", 0.8);
    return;
  }
  const std::size_t dot = hole == std::string::npos ? hole : name.find('.', hole);
  if (dot == std::string::npos) return;
  JudgeHookSend(call, target, name.substr(dot + 1));
  if (target.Has(kPrivate | kHostFacts)) {
    Raise("EXFIL-006", call.expr, target, kPrivate | kHostFacts, "puts data into names that it looks up",
          target.Has(kTaken) ? 1.0 : 0.6);
    return;
  }
  // Whoever does not want to know what a name is has asked for it to be heard.
  const std::string behind = name.substr(name.rfind(kHole) + 1);
  const std::string zone = behind.starts_with('.') ? KnownAddress(behind.substr(1)) : std::string();
  if (last_ && IsStatement(call) && Contains(zone, ".") && KindOfHost(zone) == HostKind::kOrdinary &&
      !IsKnownService(zone)) {
    Raise("PE-DELTA-003", call.expr, {}, 0,
          "looks up names below " + zone + ", which nothing it says names, for no answer", 1.0, zone);
  }
}

// A key chain entry of one's own is how credentials should be kept; a browser's is not one's own, nor is all of it.
Taint Engine::OfKeyChain(const Call& call) {
  const std::string name = LowerCase(call.callee.text);
  if (AnyOf(name, {"heapsnapshot"})) return Source(kStore, call.expr, "takes all memory of the process");
  if (AnyOf(name, {"cookie", "unprotect", "rookie"})) return Source(kStore, call.expr, "reads a browser's store");
  if (name.starts_with("netrc.")) return Source(kStore, call.expr, "reads the passwords of a .netrc");
  if (AnyOf(name, {"credenumerate", "get_default_collection", "findcredentials"}))
    return Source(kStore, call.expr, "takes all that the key chain holds");
  if (AnyOf(name, {"get_parameters_by_path", "getparametersbypath"}))
    return Source(kStore, call.expr, "takes all parameters that a cloud keeps");
  if (AnyOf(name, {"exportconfig", "list_secret", "list_namespaced_secret", "listsecret", "listnamespacedsecret"}))
    return Source(kStore, call.expr, "takes the credentials of a cluster");
  Taint entry = Source(kEnvSecret, call.expr, "reads the key chain");
  // Whose it is: get_password("aws", ...), keytar.getPassword("github.com", ...)
  if (AnyOf(name, {"get_credentials", "credential-provider"})) {
    // To sign requests with, as a rule.
    Taint cloud = Source(kEnvSecret, call.expr, "takes the user's cloud credentials");
    cloud.vendors = VendorOf("AWS_");
    return cloud;
  }
  if (AnyOf(name, {"azure", "google"})) {
    Taint cloud = Source(kEnvSecret, call.expr, "takes a token of the user's cloud account");
    cloud.vendors = VendorOf(Contains(name, "azure") ? "AZURE_" : "GOOGLE_");
    return cloud;
  }
  std::string service = call.args.empty() ? std::string() : view().Text(call.args[0].value, function_).substr(0, 40);
  for (char& c : service) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '.' || c == '-' ? '_' : c;
  entry.vendors = VendorOf(service + "_");
  return entry;
}

// remote = SysLogHandler(address=...); root.addHandler(remote): where all that is logged goes, by whoever.
void Engine::NoteLogHandler(const Call& call, std::string_view last) {
  if (!last_ || last != "addHandler" || call.args.size() != 1 || !view().is_python()) return;
  const Expr* method = FunctionOf(call);
  if (method == nullptr || method->base >= code().exprs.size()) return;
  const ExprId made = view().Origin(call.args[0].value, function_);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall ||
      !view().Callee(made, function_).text.starts_with("logging.handlers.")) {
    return;
  }
  const ExprId logger = view().Origin(method->base, function_);
  const std::string root =
      Squeezed(TextAt(code().exprs[logger < code().exprs.size() ? logger : method->base].loc).substr(0, 80));
  const bool of_all = AnyOf(root, {"getLogger()", "logging.root", ".parent", "getLogger(None)"});
  std::string host;
  const auto look = [&](ExprId value) {
    ExprId at = value < code().exprs.size() ? view().Origin(value, function_) : kNone;
    if (at < code().exprs.size() && code().exprs[at].kind == ExprKind::kList && code().exprs[at].arg_count > 0)
      at = code().ArgsOf(code().exprs[at])[0].value;  // (host, port)
    const std::string found = at < code().exprs.size() ? KnownAddress(view().Text(at, function_)) : std::string();
    if (host.empty() && Contains(found, ".")) host = found;
  };
  std::vector<Arg> given;
  for (const Arg& arg : code().ArgsOf(code().exprs[made])) {
    given.push_back(arg);
    // MemoryHandler(20, ERROR, remote): what is gathered goes there in the end.
    const ExprId inner = arg.value < code().exprs.size() ? view().Origin(arg.value, function_) : kNone;
    if (inner >= code().exprs.size() || code().exprs[inner].kind != ExprKind::kCall ||
        !view().Callee(inner, function_).text.starts_with("logging.handlers."))
      continue;
    const auto within = code().ArgsOf(code().exprs[inner]);
    given.insert(given.end(), within.begin(), within.end());
  }
  for (const Arg& arg : given) {
    if (arg.value >= code().exprs.size()) continue;
    const Expr& part = code().exprs[arg.value];
    const ExprId spread = part.kind == ExprKind::kSpread && part.arg_count > 0
                              ? view().Origin(code().ArgsOf(part)[0].value, function_)
                              : kNone;
    if (spread >= code().exprs.size()) {
      look(arg.value);
      continue;
    }
    for (const Arg& field : code().ArgsOf(code().exprs[spread])) {
      if (SaysOneOf(field.name, {"address", "host", "mailhost", "url"})) look(field.value);
    }
  }
  const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
  if (kind == HostKind::kLocal || IsKnownService(host)) return;
  // A program's own lines may go to its maker by name; a bare address is nobody's.
  if (!of_all && kind != HostKind::kRawAddress) return;
  const bool all = Contains(code().text, "DEBUG");
  Raise("EXFIL-011", call.expr, {}, 0,
        (of_all ? "has all that is logged, by whatever library, go to " : "has what it logs go to ") + host,
        all ? 1.4 : 0.8, host);
}

// addConfig("remote.origin.pushurl", url): whatever is pushed goes to one more place.
void Engine::JudgePushedAlong(const Call& call) {
  // In the call itself: asking the whole file for each of its calls would be quadratic.
  constexpr std::size_t kMostOfCall = 600;
  if (!last_ || call.args.size() < 2 ||
      !Contains(TextAt(code().exprs[call.expr].loc).substr(0, kMostOfCall), "pushurl"))
    return;
  const auto says = [&](const Arg& arg) { return view().Text(arg.value, function_).ends_with(".pushurl"); };
  if (!std::ranges::any_of(call.args, says)) return;
  for (const Arg& arg : call.args) {
    if (arg.value >= code().exprs.size()) continue;
    std::string host = HostWithin(arg.value);
    const ExprId list = view().Origin(arg.value, function_);
    if (host.empty() && list < code().exprs.size()) host = HostWithin(list);
    const HostKind kind = host.empty() ? HostKind::kLocal : KindOfHost(host);
    if (kind != HostKind::kOrdinary && !IsBad(kind)) continue;
    Raise("EXFIL-007", call.expr, {}, 0, "has whatever is pushed go to " + host + " as well", 1.0, host);
    return;
  }
}

// Sentry.init({dsn, beforeSend(event) {...}}), sentry_sdk.init(dsn=..., before_send=...): what is added to a report of
// a crash leaves with it.
void Engine::JudgeReportHook(std::span<const Arg> fields, ExprId at) {
  ExprId hook = kNone;
  std::string host;
  for (const Arg& field : fields) {
    if (field.name == "dsn" || (field.name.empty() && host.empty())) host = KnownHost(Known(field.value));
    if (SaysOneOf(field.name, {"beforeSend", "before_send", "beforeSendTransaction", "before_send_transaction"})) {
      hook = field.value;
    }
  }
  JudgeReportedBy(hook, host, at);
}

void Engine::JudgeReportedBy(ExprId hook, const std::string& host, ExprId at) {
  if (!last_ || hook >= code().exprs.size() || host.empty()) return;
  const Value& function = view().Evaluate(hook, function_);
  if (function.kind != ValueKind::kFunction || function.module >= facts_.size()) return;
  const Taint& out = facts(function.module, function.index).out;
  constexpr Labels kNotOfCrashes = kSecretLabels | kWeakSecretFile | kKept | kClipboard;
  if (!out.Has(kNotOfCrashes)) return;
  Raise(out.Has(kEnvAll) ? "EXFIL-002" : "EXFIL-001", at, out, kNotOfCrashes,
        "adds what is secret to each report of a crash, which goes to " + host, 0.8, host);
}

}  // namespace interlock::scan::code
