// Texts that are made rather than written, files that are unpacked from them, and places where a text that is shown
// carries data away.
#include <algorithm>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"
#include "interlock/base/find_bytes.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

// TABLE[i], of a list of constant texts.
bool Engine::IsTableItem(ExprId expr) const {
  const ExprId origin = view().Origin(expr, function_);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kIndex) return false;
  const ExprId table = view().Origin(code().exprs[origin].base, function_);
  if (table >= code().exprs.size() || code().exprs[table].kind != ExprKind::kList) return false;
  const auto items = code().ArgsOf(code().exprs[table]);
  return items.size() >= 3 && std::all_of(items.begin(), items.begin() + 3, [&](const Arg& item) {
           return item.value < code().exprs.size() && code().exprs[item.value].kind == ExprKind::kString;
         });
}

// Buffer.from(x, "base64"), base64.b64decode(x), whatever x is.
bool Engine::Unpacks(ExprId data) const {
  const ExprId origin = view().Origin(data, function_);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall) return false;
  const std::string name = LowerCase(view().Callee(origin, function_).text);
  if (AnyOf(name, {"b64decode", "b85decode", "a85decode", "unhexlify", "fromhex", "atob"})) return true;
  if (!AnyOf(name, {"buffer.from"})) return false;
  const auto args = code().ArgsOf(code().exprs[origin]);
  return args.size() >= 2 && AnyOf(view().Text(args[1].value, function_), {"base64", "hex"});
}

// Buffer.from(table.flatMap(bytesOf)), String.fromCharCode(...table), with a table out of a file: letters of a text lie
// there as numbers.
bool Engine::LettersOfFile(const Call& call) const {
  constexpr Labels kLies = kFileContent | kDataFile | kTextFile | kCodedFile | kDecoded | kTapped;
  if (!call.all.Has(kFileContent) || (call.all.labels & ~kLies) != 0 || call.args.empty()) return false;
  const std::string_view name = call.callee.text;
  if (name.ends_with("String.fromCharCode") || name.ends_with("String.fromCodePoint")) return true;
  if (!SaysOneOf(name, {"builtins.bytes", "builtins.bytearray"}) && !name.ends_with("Buffer.from")) return false;
  const ExprId origin = view().Origin(call.args[0].value, function_);
  if (origin >= code().exprs.size()) return false;
  const Expr& made = code().exprs[origin];
  return made.kind == ExprKind::kComprehension ||
         AnyOf(TextAt(made.loc).substr(0, 200), {".map(", ".flatMap(", "map("});
}

// Where blocks of characters begin that no page shows: tags, variation selectors.
static bool IsUnseenBlock(std::string_view number) {
  std::string digits(number.substr(0, 20));
  std::erase(digits, '_');
  const long value = std::strtol(digits.c_str(), nullptr, 0);
  return value == 0xE0000 || value == 0xE0100 || value == 0xFE00;
}

// chr(0xE0000 + ord(c)) for c in TEXT: what is said is there for programs only. (Taken away again, it is looked for.)
void Engine::JudgeUnseenLetters(const Call& call) {
  if (!last_ || call.args.size() != 1 || call.args[0].value >= code().exprs.size()) return;
  const Expr& sum = code().exprs[call.args[0].value];
  const bool adds = sum.kind == ExprKind::kConcat || (sum.kind == ExprKind::kBinary && sum.text == "+");
  if (!adds || sum.arg_count != 2) return;
  const auto sides = code().ArgsOf(sum);
  for (std::size_t i = 0; i < 2; ++i) {
    const ExprId number = view().Origin(sides[i].value, function_);
    if (number >= code().exprs.size() || code().exprs[number].kind != ExprKind::kNumber ||
        sides[1 - i].value >= code().exprs.size() || !IsUnseenBlock(code().exprs[number].text)) {
      continue;
    }
    if (AnyOf(TextAt(code().exprs[sides[1 - i].value].loc).substr(0, 100), {"ord(", "charCodeAt", "codePointAt"}))
      Raise("PI-003", call.expr, {}, 0, "writes a text in letters that nobody sees", 0.8);
  }
}

// chr(n ^ 7) for n in TABLE: a text is computed from constants, character by character.
bool Engine::ComputesText(const Call& call, bool* letters) {
  if (!last_ && pass_ > 2) return false;
  const std::string_view name = call.callee.text;
  if (name.ends_with("chr") || name.ends_with("fromCodePoint")) JudgeUnseenLetters(call);
  if (name.ends_with(".to_bytes") && !call.receiver.Has(~(kDecoded | kFileContent | kDataFile | kCodedFile)))
    return true;
  // "".join(map(chr, NUMBERS)), String.fromCharCode(...numbers), new TextDecoder().decode(new Uint8Array(numbers))
  const bool maps = name == "builtins.map" && call.args.size() == 2 &&
                    view().Evaluate(call.args[0].value, function_).text == "builtins.chr";
  const bool spreads = (name.ends_with("fromCharCode") || name.ends_with("fromCodePoint")) && call.args.size() == 1 &&
                       call.args[0].value < code().exprs.size() &&
                       code().exprs[call.args[0].value].kind == ExprKind::kSpread;
  const bool decodes = name.ends_with("TextDecoder().decode") && call.args.size() == 1;
  if ((maps || spreads || decodes) && (call.all.labels & ~(kDecoded | kTapped)) == 0) {
    const ExprId numbers = call.args[maps ? 1 : 0].value;
    if (StandsOnConstant(numbers)) return true;
    here().computes |= call.all.params | ParamsWithin(numbers);
    // A part of the memory of a compiled program is what that says.
    const bool memory = decodes && numbers < code().exprs.size() && Contains(code().text, "WebAssembly") &&
                        Contains(TextAt(code().exprs[numbers].loc).substr(0, 200), ".subarray(");
    *letters = !memory;
    return false;
  }
  const bool makes = SaysOneOf(name, {"builtins.bytes", "builtins.bytearray", "builtins.chr", "String.fromCharCode",
                                      "String.fromCodePoint", "Buffer.from", "buffer.Buffer.from"}) ||
                     name.ends_with("Buffer.from") || name.ends_with("String.fromCharCode") ||
                     name.ends_with("String.fromCodePoint");
  if (!makes || call.args.empty() || (call.all.labels & ~(kDecoded | kTapped)) != 0) return false;

  const ExprId origin = view().Origin(call.args[0].value, function_);
  if (origin >= code().exprs.size()) return false;
  const Expr& made = code().exprs[origin];
  const std::string_view text = TextAt(made.loc).substr(0, 600);
  if (made.kind == ExprKind::kCall && (text.starts_with("ord('") || text.starts_with("ord(\"")))
    return false;  // counts on
  const bool loops = made.kind == ExprKind::kComprehension || Contains(text, ".map(") || Contains(text, " for ");
  bool computes = false;
  if (name.ends_with("chr") || name.ends_with("Code") || name.ends_with("CodePoint")) {
    computes = Contains(text, "ord(") || Contains(text, "charCodeAt") || Contains(text, "codePointAt") ||
               (made.kind == ExprKind::kBinary && SaysOneOf(made.text, {"^", "-", "%"})) ||
               (loops && AnyOf(text, {"^", " - ", "%"})) || AnyOf(text, {", 2)", ", 16)", ",16)"});
  } else {
    computes = loops && AnyOf(text, {"^", " - ", "codePointAt", "charCodeAt", "ord(", "-0x", "% 256"});
  }
  // What a parameter brings is known to be a constant where the function is called.
  if (!computes) return false;
  if (StandsOnConstant(origin)) return true;
  here().computes |= call.all.params | ParamsWithin(origin);
  *letters = true;
  return false;
}

// setTimeout(atob("..."), 0): a timer runs a text as code. Most are given functions, which may hold anything.
void Engine::JudgeTimer(const Call& call) {
  const auto makes_text = [&](ExprId expr) {
    FuncId scope = function_;
    const ExprId made = view().Origin(expr, function_, &scope);
    if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall) return false;
    const ExprId base = code().exprs[made].base;
    if (base >= code().exprs.size()) return false;
    if (SaysOneOf(code().exprs[base].text, {"atob", "unescape", "decodeURIComponent"})) return true;
    // Buffer.from(x, "base64").toString()
    return code().exprs[base].kind == ExprKind::kMember && code().exprs[base].text == "toString" &&
           Unpacks(code().exprs[base].base);
  };
  if (call.args.empty() || view().is_python() || !call.IsNamed() ||
      !SaysOneOf(call.last, {"setTimeout", "setInterval"})) {
    return;
  }
  const Value& value = view().Evaluate(call.args[0].value, function_);
  if (value.kind == ValueKind::kFunction) return;
  const bool folded = value.kind == ValueKind::kText && (value.decodes > 0 || value.obfuscation >= 2);
  if (!folded && !(call.taints[0].Has(kDecoded) && makes_text(call.args[0].value))) return;
  Raise("OBFUSC-001", call.expr, call.taints[0], kDecoded, "has a timer run code that is hidden by encoding", 0.9, {},
        folded ? value.text : std::string());
}

// numbers.map((n) => String.fromCharCode(n ^ 7)), reduce(lambda text, n: text + chr(n ^ 7), NUMBERS): a function that
// is given computes letters from what it is given.
Taint Engine::ComputedBy(const Call& call, std::span<const std::pair<std::uint32_t, Value>> functions) {
  const bool computes = std::ranges::any_of(functions, [&](const auto& given) {
    const Value& function = given.second;
    return function.module < facts_.size() && function.index < facts_[function.module].size() &&
           facts_[function.module][function.index].computes != 0;
  });
  if (!computes) return {};
  const Expr* function = FunctionOf(call);
  std::vector<ExprId> numbers;
  if (function != nullptr && function->kind == ExprKind::kMember) numbers.push_back(function->base);
  for (const Arg& arg : call.args) {
    if (arg.value < code().exprs.size() && code().exprs[arg.value].kind != ExprKind::kFunction)
      numbers.push_back(arg.value);
  }
  for (const ExprId id : numbers) {
    const ExprId origin = view().Origin(id, function_);
    if (origin < code().exprs.size() && StandsOnConstant(origin))
      return Source(kDecoded, call.expr, "computes a text from numbers");
    here().computes |= ParamsWithin(id);
  }
  return Source(kComputed, call.expr, "computes letters from numbers");
}

// What makes functions makes them of texts: the constructor of any function, of [].flat, of an async arrow.
bool Engine::MakesFunctions(ExprId callee) const {
  if (view().is_python()) return false;
  const ExprId maker = view().Origin(callee, function_);
  if (maker >= code().exprs.size()) return false;
  const auto named = [&](const Expr& expr) {
    return expr.kind == ExprKind::kMember ? expr.text
           : expr.kind == ExprKind::kIndex && expr.arg_count == 1
               ? std::string_view(view().Text(code().ArgsOf(expr)[0].value, function_))
               : std::string_view();
  };
  const Expr& made = code().exprs[maker];
  if (named(made) != "constructor" || made.base >= code().exprs.size()) return false;
  // Function.constructor, Object["constructor"]: what makes the language's own classes.
  const Value& klass = view().Evaluate(made.base, function_);
  if (klass.kind == ValueKind::kQualified &&
      SaysOneOf(klass.text, {"globalThis.Function", "globalThis.Object", "globalThis.Array", "globalThis.String",
                             "globalThis.Number", "globalThis.Promise", "globalThis.Map", "globalThis.Set",
                             "globalThis.Date", "globalThis.RegExp", "globalThis.Error", "globalThis.eval"})) {
    return true;
  }
  const ExprId from = view().Origin(made.base, function_);
  const Expr& base = code().exprs[from < code().exprs.size() ? from : made.base];
  if (base.kind == ExprKind::kFunction || view().Evaluate(made.base, function_).kind == ValueKind::kFunction)
    return true;
  if (base.kind == ExprKind::kCall) return TextAt(base.loc).starts_with("Object.getPrototypeOf(");
  // [].flat.constructor, "".at["constructor"], x.constructor.constructor
  const std::string_view method = named(base);
  if (method == "constructor") return true;
  if (method.empty() || base.base >= code().exprs.size()) return false;
  const ExprKind owner = code().exprs[base.base].kind;
  return owner == ExprKind::kList || owner == ExprKind::kString || owner == ExprKind::kNumber ||
         owner == ExprKind::kDict;
}

// Parameters that the names in an expression come from, whatever is done to them.
std::uint32_t Engine::ParamsWithin(ExprId expr) {
  std::uint32_t params = 0;
  std::vector<ExprId> open{expr};
  for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& part = code().exprs[open[i]];
    if (part.kind == ExprKind::kName) params |= Eval(open[i]).params;
    if (part.kind == ExprKind::kFunction) continue;
    if (part.base != kNone) open.push_back(part.base);
    for (const Arg& arg : code().ArgsOf(part)) open.push_back(arg.value);
  }
  return params;
}

// Some part of the expression is a constant long enough to hide a text in.
bool Engine::StandsOnConstant(ExprId expr) const {
  const auto hides = [&](ExprId id) {
    if (id >= code().exprs.size()) return false;
    const Expr& part = code().exprs[id];
    if (part.kind == ExprKind::kList) return part.arg_count >= 8;
    if (part.kind != ExprKind::kString && part.kind != ExprKind::kCall) return false;
    const Value& value = view().Evaluate(id, function_);
    return value.kind == ValueKind::kText && value.text.size() >= 8;
  };
  std::vector<ExprId> open{expr};
  for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
    if (open[i] >= code().exprs.size()) continue;
    const Expr& part = code().exprs[open[i]];
    // A name stands for what it was given, not for what that was made of.
    if (part.kind == ExprKind::kName ? hides(view().Origin(open[i], function_)) : hides(open[i])) return true;
    if (part.kind == ExprKind::kFunction) continue;
    if (part.base != kNone) open.push_back(part.base);
    for (const Arg& arg : code().ArgsOf(part)) open.push_back(arg.value);
  }
  return false;
}

// [].flat.constructor("..."): who means `Function` says so.
void Engine::JudgeMaker(const Call& call, ExprId callee) {
  const ExprId maker = view().Origin(callee, function_);
  const ExprId from = maker < code().exprs.size() ? view().Origin(code().exprs[maker].base, function_) : kNone;
  if (from >= code().exprs.size() || call.args.empty()) return;
  const Expr& base = code().exprs[from];
  const ExprKind owner = base.base < code().exprs.size() ? code().exprs[base.base].kind : ExprKind::kUnknown;
  if ((base.kind != ExprKind::kMember && base.kind != ExprKind::kIndex) ||
      (owner != ExprKind::kList && owner != ExprKind::kString && owner != ExprKind::kNumber)) {
    return;
  }
  const std::string& text = view().Text(call.args.back().value, function_);
  if (text == "return this") return;  // the global object, as old libraries ask for it
  Raise("OBFUSC-002", call.expr, {}, 0, "reaches the maker of functions through the method of a literal", 0.9, {},
        text);
}

// Services that draw what stands in an address: diagrams, formulas, charts, badges.
static bool DrawsPictures(std::string_view host) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"mermaid.ink", "kroki.io", "quickchart.io", "plantuml.com", "shields.io",
                                       "badgen.net", "codecogs.com", "chart.googleapis.com", "image-charts.com",
                                       "yuml.me", "qrserver.com", "graphviz.org", "imgix.net", "cloudinary.com"}),
      [&](std::string_view one) {
        return host == one || (host.ends_with(one) && host[host.size() - one.size() - 1] == '.');
      });
}

// ![x](https://host/p.png?d={secret}): whoever shows the text asks the host for the picture.
void Engine::JudgePicture(ExprId text, const Taint& taint) {
  if (!last_) return;
  const std::string& whole = view().Text(text, function_);
  std::size_t at = whole.find("](http");
  char close = ')';
  // <img src="https://host/p.gif?d=...">
  for (const char quote : {'"', '\''}) {
    if (at != std::string::npos) break;
    at = whole.find(std::string("src=") + quote + "http");
    if (at == std::string::npos) continue;
    at += 3;
    close = quote;
  }
  if (at == std::string::npos) return;
  const std::size_t end = std::min(whole.find(close, at + 2), whole.size());
  const std::string url = whole.substr(at + 2, end - at - 2);
  const std::string host = KnownHost(url);
  if (host.empty() || !Contains(url, std::string_view(&kHole, 1)) || KindOfHost(host) == HostKind::kLocal) return;
  // A link to a page of a service that is known to everybody: whoever made it may once have asked there with a key.
  if (whole[at] == ']' && (at == 0 || whole.rfind("![", at) == std::string::npos) && IsKnownService(host)) return;
  const Labels secret = kSecretFile | kStore | kEnvAll | kWeakSecretFile | kEnvSecret;
  // Who shows the answer fetches the picture, and tells the host what it was given.
  if ((taint.fresh & kKept) != 0 && (taint.fresh & secret) == 0 && KindOfHost(host) == HostKind::kOrdinary) {
    Raise("EXFIL-010", text, taint, kKept, "puts what the user keeps into the address of a picture at " + host, 1.0,
          host);
    return;
  }
  // ![](https://host/p.svg?d=${base64url(deflate(files))}): in letters that nobody can read.
  constexpr Labels kShown = kToolArgument | kFileContent | kRows | kCommandOutput | kForeign | kState | kKept;
  const bool picture = whole[at] == ']' && at > 0 && whole.rfind("![", at) != std::string::npos;
  // ?ref=${encodeURIComponent(passage)}: what lies in files and tables has no business in the query of one.
  const std::size_t query = url.find('?');
  const bool asked = query != std::string::npos && url.find(kHole, query) != std::string::npos &&
                     taint.Has(kFileContent | kRows) &&
                     AnyOf(TextAt(code().functions[function_].loc), {"quote(", "urlencode(", "encodeURIComponent("});
  if (picture && (taint.fresh & secret) == 0 && (taint.Has(kEncoded) || asked) && taint.Has(kShown) &&
      KindOfHost(host) == HostKind::kOrdinary && !IsKnownService(host) && !DrawsPictures(host)) {
    Raise("EXFIL-010", text, taint, taint.labels & kShown,
          "packs what it was given or has read into the address of a picture at " + host, 0.6, host);
    return;
  }
  // A page that is written: a key in its address is how one service after another is asked for a map.
  if (close != ')' && (taint.fresh & (kSecretFile | kStore | kEnvAll)) == 0) return;
  if ((taint.fresh & secret) == 0 ||
      (taint.Has(kEnvSecret) && !taint.Has(secret & ~kEnvSecret) && HostOfVendors(host, taint.vendors))) {
    return;
  }
  Raise("EXFIL-001", text, taint, secret, "puts credentials into the address of a picture or link at " + host,
        taint.Has(secret & ~kEnvSecret) ? 1.0 : 0.7, host);
}

// `https://host/p.gif?d=${cookies}`, `background:url(https://host/${environment}.svg)`: wherever an address goes that
// holds such a thing, whoever opens it tells its host. Credentials of a service may be its own, and are no such thing.
void Engine::JudgeAddress(ExprId text, const Taint& taint) {
  // Of what the user keeps there is a little in all that is read: it has to come from here.
  const Labels held = (taint.labels & (kSecretFile | kEnvAll)) | (taint.fresh & (kKept | kClipboard | kKeys));
  if (!last_ || held == 0) return;
  const std::string& whole = view().Text(text, function_);
  std::size_t at = whole.find("url(http");
  at = at == std::string::npos ? 0 : at + 4;
  const std::string_view url = std::string_view(whole).substr(at, whole.find(')', at) - at);
  const std::string host = KnownHost(std::string(url));
  if (host.empty() || !Contains(url, std::string_view(&kHole, 1)) || IsKnownService(host)) return;
  const HostKind kind = KindOfHost(host);
  if (kind != HostKind::kOrdinary && !IsBad(kind)) return;
  if (taint.Has(kSecretFile)) {
    Raise("EXFIL-001", text, taint, kSecretFile, "puts a file of credentials into an address of " + host, 1.0, host);
  } else if (taint.Has(kEnvAll)) {
    Raise("EXFIL-002", text, taint, kEnvAll, "puts the whole environment into an address of " + host, 1.0, host);
  } else {
    Raise("EXFIL-004", text, taint, held, "puts what the user sees or keeps into an address of " + host, 1.0, host);
  }
}

// new Image().src = "https://host/p.gif?d=" + data: whoever shows a picture asks for it.
void Engine::JudgeBeacon(const Expr& target, ExprId value, const Taint& taint) {
  if (!last_ || view().is_python() || target.kind != ExprKind::kMember || target.text != "src") return;
  const ExprId made = view().Origin(target.base, function_);
  if (made >= code().exprs.size()) return;
  const std::string_view maker = TextAt(code().exprs[made].loc).substr(0, 60);
  if (!maker.starts_with("new Image(") && !Contains(maker, "createElement(")) return;
  const std::string host = KnownHost(Known(value));
  if (host.empty() || KindOfHost(host) == HostKind::kLocal || IsKnownService(host)) return;
  const Labels files = kSecretFile | kStore | kWeakSecretFile;
  if (taint.Has(files)) {
    Raise("EXFIL-001", value, taint, files, "sends credentials as the address of a picture to " + host, 1.0, host);
  } else if (taint.Has(kEnvAll)) {
    Raise("EXFIL-002", value, taint, kEnvAll, "sends the environment as the address of a picture to " + host, 1.0,
          host);
  } else if (taint.Has(kKept | kClipboard | kKeys)) {
    Raise("EXFIL-004", value, taint, kKept | kClipboard | kKeys,
          "sends what the user sees or keeps as the address of a picture to " + host, 0.8, host);
  }
}

// The user's own folder, given to whoever asks.
void Engine::JudgeServed(const Call& call) {
  if (!last_ || call.args.empty()) return;
  const std::string_view name = call.callee.text;
  const std::string_view text = TextAt(code().exprs[call.expr].loc).substr(0, 200);
  const bool python = Contains(text, "SimpleHTTPRequestHandler");
  if (!python && !name.ends_with("express.static") && !name.ends_with("serve-static") &&
      !name.ends_with(".serveStatic")) {
    return;
  }
  for (const Arg& arg : call.args) {
    if (python ? arg.name != "directory" : !arg.name.empty()) continue;
    if (!IsHome(Known(arg.value))) continue;
    Raise("EXFIL-004", call.expr, {}, 0, "gives the user's own folder to whoever asks", 1.0);
    return;
  }
}

bool Engine::FetchesAndRuns(std::string_view text, bool decodes) const {
  if (text.size() < 8 || text.size() > 4096) return false;
  const ShellScript script = ParseShell(text);
  const std::vector<ShellUse> acts = AnalyzeShellScript(script, text);
  return std::any_of(acts.begin(), acts.end(), [&](const ShellUse& act) {
    return act.act == ShellAct::kFetchAndRun || act.act == ShellAct::kReverseShell ||
           (decodes && act.act == ShellAct::kDecodeAndRun) || act.act == ShellAct::kSendSecret;
  });
}

// Somewhere in this function stands a text that fetches a program and runs it.
// A file may write a thousand times, and what its functions hold is the same each time.
template <class Answer>
Answer Engine::Once(std::optional<Answer> Held::* known, Answer (Engine::*ask)() const) {
  std::optional<Answer>& answer = held_[Key(module_, function_)].*known;
  if (!answer) answer = (this->*ask)();
  return *answer;
}

bool Engine::WritesRunner() { return Once(&Held::runner, &Engine::HoldsRunner); }
bool Engine::WritesHarm() { return Once(&Held::harm, &Engine::HoldsHarm); }
bool Engine::WritesFetched() { return Once(&Held::fetched, &Engine::HoldsFetched); }
bool Engine::WritesOpenMode() { return Once(&Held::open_mode, &Engine::HoldsOpenMode); }
double Engine::EmptiesGuards() { return Once(&Held::emptied, &Engine::HoldsEmptied); }

bool Engine::HoldsRunner() const {
  const Loc body = code().functions[function_].loc;
  int parsed = 0;
  for (ExprId id = 0; id < code().exprs.size(); ++id) {
    const Expr& part = code().exprs[id];
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    if ((part.kind != ExprKind::kString && part.kind != ExprKind::kFormat) || !inside) continue;
    const std::string_view written = part.kind == ExprKind::kString ? part.text : TextAt(part.loc);
    if (written.size() < 12 || written.size() > 2000) continue;
    if (!AnyOf(written, {"|", "$(", "`"}) || !AnyOf(written, {"curl", "wget", "base64", "/dev/tcp"})) continue;
    if (++parsed > 32) break;
    // `curl ${place} | sh`: whatever place that is.
    std::string text = part.kind == ExprKind::kString ? std::string(part.text) : view().Text(id, function_);
    std::replace(text.begin(), text.end(), kHole, '_');
    if (FetchesAndRuns(text)) return true;
  }
  return false;
}

// In this function stands a text that does harm wherever it runs by itself.
bool Engine::HoldsHarm() const {
  const Loc body = code().functions[function_].loc;
  for (const Expr& part : code().exprs) {
    const bool inside = function_ == kModuleBody || (part.loc.begin >= body.begin && part.loc.end <= body.end);
    if (part.kind != ExprKind::kString || !inside || part.text.size() < 8 || part.text.size() > 4000) continue;
    if (AnyOf(part.text, {"shutdown -", "poweroff", "rm -rf ~", "rm -rf $HOME", "LD_PRELOAD=", "PROMPT_COMMAND=",
                          "sudo -S", "NODE_OPTIONS=--require", "exec(urllib", "exec(requests", "exec(u.urlopen",
                          "DownloadString(", "|iex", "| iex", "IEX(", "LocalCommand ", "DYLD_INSERT_LIBRARIES="})) {
      return true;
    }
    if (Contains(part.text, "ProxyCommand ") && AnyOf(part.text, {"curl", "wget", "sh -c", "base64", "python"}))
      return true;
  }
  return false;
}

// b64decode({2: str, 3: encode}[version]("aW1wb3J0...")): a call that only changes the type of a coded constant.
bool Engine::WrapsCoded(ExprId expr) const {
  constexpr std::size_t kLong = 60;
  if (expr >= code().exprs.size() || code().exprs[expr].kind != ExprKind::kCall) return false;
  return std::ranges::any_of(code().ArgsOf(code().exprs[expr]), [&](const Arg& arg) {
    if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kString) return false;
    const std::string_view text = code().exprs[arg.value].text;
    return text.size() >= kLong &&
           text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-\r\n") ==
               std::string_view::npos;
  });
}

// fetch(atob("aHR0cHM6Ly...")), connect(443, String.fromCharCode(99, 50, ...)): nobody hides where a program of his own
// sends its requests.
void Engine::JudgeHiddenAddress(const Call& call, ExprId url) {
  if (!last_ || url >= code().exprs.size()) return;
  const Value& value = view().Evaluate(url, function_);
  if (value.kind != ValueKind::kText || value.obfuscation < 2 || !Contains(value.text, ".")) return;
  if (KindOfHost(KnownHost(value.text)) == HostKind::kLocal) return;
  Raise("OBFUSC-101", call.expr, {}, 0, "hides by encoding where it sends requests to", 0.6, {}, value.text);
}

// What a listener on the same machine is sent may go anywhere from there.
void Engine::JudgeSendHere(const Call& call, const Taint& data, const std::string& host) {
  constexpr Labels kCredentials = kSecretFile | kStore | kWeakSecretFile | kEnvAll;
  constexpr double kHere = 0.4;
  constexpr double kKeysHere = 0.75;  // no program hands another one files of keys
  constexpr double kOwnHere = 0.2;    // ... and signs in with what lies in an `.env` all the time
  if (!data.Has(kCredentials) || data.Has(kToolArgument)) return;
  const bool all = data.Has(kEnvAll);
  Raise(all ? "EXFIL-002" : "EXFIL-001", call.expr, data, kCredentials,
        std::string(all ? "hands the whole environment" : "hands a file of credentials") + " to whoever listens at " +
            host,
        data.Has(kSecretFile)                                ? kKeysHere
        : !data.Has(kStore | kEnvAll) && !data.Has(kEncoded) ? kOwnHere
                                                             : kHere);
}

namespace {

constexpr std::size_t kMostOfPacker = 20'000;  // bytes of a function that are read for it

// Buffer.from(text, "utf16le").toString("base64"): as PowerShell takes it.
bool Packs(std::string_view body) {
  const std::string text = Squeezed(body.substr(0, kMostOfPacker));
  return AnyOf(text, {"\"utf16le\").toString(\"base64\")", "\"utf-16le\").toString(\"base64\")",
                      "\"ucs2\").toString(\"base64\")"}) ||
         (Contains(text, "b64encode(") &&
          AnyOf(text, {".encode(\"utf-16le\")", ".encode(\"utf-16-le\")", ".encode(\"utf_16_le\")"}));
}

// "IEX (New-Object Net.WebClient).DownloadString(...)"
bool IsFetcher(const Expr& part) {
  constexpr std::size_t kShortest = 12;
  constexpr std::size_t kLongest = 2'000;
  if (part.kind != ExprKind::kString || part.text.size() < kShortest || part.text.size() > kLongest) return false;
  const std::string text = LowerCase(part.text);
  return AnyOf(text, {"iex", "invoke-expression", "start-process", "[reflection.assembly]", "scriptblock"}) &&
         AnyOf(text, {"downloadstring", "downloadfile", "downloaddata", "webclient", "invoke-webrequest", "iwr ",
                      "irm ", "invoke-restmethod", "frombase64string"});
}

}  // namespace

// What the file has that packs commands for PowerShell, or that is worth packing; looked for once, when first asked.
static constexpr std::size_t kShortPacker = 600;  // bytes of a function that packs, and does little else

const Packing& Engine::PackingOf() {
  constexpr std::size_t kMostPackers = 16;
  std::optional<Packing>& known = states_[module_].packing;
  if (known) return *known;
  known.emplace();
  for (const Function& made : code().functions) {
    const std::string_view body = TextAt(made.loc);
    if (made.name.size() > 1 && body.size() < kShortPacker && known->packers.size() < kMostPackers && Packs(body))
      known->packers.push_back(std::string(made.name) + "(");
  }
  for (const Expr& part : code().exprs) {
    if (IsFetcher(part)) known->fetchers.push_back(part.loc.begin);
  }
  std::ranges::sort(known->fetchers);
  return *known;
}

// What is packed has a reason to be.
bool Engine::PacksFetcher() {
  constexpr std::size_t kWhole = std::size_t{64} << 10U;  // a bundle holds everything, and nothing together
  const std::vector<std::uint32_t>& fetchers = PackingOf().fetchers;
  if (code().text.size() <= kWhole) return !fetchers.empty();
  const Loc body = code().functions[function_].loc;
  const auto first = std::ranges::lower_bound(fetchers, body.begin);
  return first != fetchers.end() && *first < body.end;
}

// powershell -EncodedCommand ${text}, where this very function packs the text, or one that it calls: nothing lies
// packed in the program. What the text was made of is judged by where that comes from.
bool Engine::EncodesHere(std::string_view line) {
  const auto says_encoded = [](std::string_view text) {
    std::string before = LowerCase(text);
    std::erase(before, '\'');
    return AnyOf(before, {"-encodedcommand ", " -enc ", " -e ", " -ec "});
  };
  constexpr std::size_t kBefore = 24;  // letters of a line, where the option stands
  std::size_t hole = line.find(kHole);
  const bool known = hole == std::string_view::npos;
  bool encoded = known && says_encoded(line.substr(0, 400));
  // The path of the program may have a hole of its own.
  for (; !encoded && hole != std::string_view::npos; hole = line.find(kHole, hole + 1))
    encoded = says_encoded(line.substr(hole > kBefore ? hole - kBefore : 0, std::min(hole, kBefore)));
  if (!encoded) return false;
  constexpr std::size_t kLittle = 16;  // letters: `-EncodedCommand AQ==`
  if (known && line.size() - line.rfind(' ') > kLittle) return false;
  // Base64 of what is not known here may be known here as far as it goes: nothing of it stands in the program.
  if (known && !EncodedHere(line).empty()) return false;
  const auto [packs, fresh] = packs_.try_emplace(Key(module_, function_), false);
  if (!fresh) return packs->second;
  const std::string_view body = TextAt(code().functions[function_].loc).substr(0, kMostOfPacker);
  packs->second = Packs(body) || std::ranges::any_of(PackingOf().packers,
                                                     [&](const std::string& called) { return Contains(body, called); });
  // ... of another file.
  const Loc here_at = code().functions[function_].loc;
  for (ExprId id = 0; !packs->second && id < code().exprs.size(); ++id) {
    const Expr& call = code().exprs[id];
    if (call.kind != ExprKind::kCall || call.loc.begin < here_at.begin || call.loc.end > here_at.end) continue;
    const Value callee = view().Callee(id, function_);
    if (callee.kind != ValueKind::kFunction || callee.module == module_ || callee.module >= states_.size()) continue;
    const Module& other = states_[callee.module].view->module();
    if (callee.index >= other.functions.size()) continue;
    const Loc made = other.functions[callee.index].loc;
    if (made.end <= other.text.size() && made.begin < made.end)
      packs->second = Packs(other.text.substr(made.begin, std::min<std::size_t>(made.end - made.begin, kShortPacker)));
  }
  return packs->second;
}

// HTTPConnection("host").request("GET", path): the host stands where the connection was made.
std::string Engine::HostOfConnection(const Call& call) {
  const Expr* function = FunctionOf(call);
  if (function == nullptr || function->base >= code().exprs.size()) return {};
  const ExprId made = view().Origin(function->base, function_);
  if (made >= code().exprs.size() || code().exprs[made].kind != ExprKind::kCall || code().exprs[made].arg_count == 0)
    return {};
  const std::string host = KnownAddress(Known(code().ArgsOf(code().exprs[made])[0].value));
  return Contains(host, ".") ? host : std::string();
}

// A module that is loaded by a name: hidden, computed, far away, or whatever somebody says.
void Engine::JudgeImport(Call& call) {
  Taint target;
  const ExprId name = Argument(call, call.entry->target, &target);
  // Data, whoever wrote them, where nobody has them read as code.
  if (name != kNone && !view().is_python() && Known(name).ends_with(".json") && !Contains(code().text, "extensions"))
    return;
  JudgeNetFile(call, call.all);
  if (name != kNone) JudgeFarModule(call, view().Text(name, function_));
  if (name != kNone && !view().is_python() && target.Has(kNet | kNetFixed | kNetStranger)) {
    const std::vector<std::string> texts = TextsWithin(name);
    // import(`data:text/javascript,${answer}`)
    if (std::ranges::any_of(texts, [](const std::string& text) { return text.starts_with("data:"); })) {
      Raise("RCE-001", call.expr, target, kNet | kNetFixed | kNetStranger,
            "imports an answer from the network as a module");
      return;
    }
  }
  if (target.Has(kDecoded) && !view().is_python()) {
    Raise("OBFUSC-002", call.expr, target, kDecoded, "loads a module whose name is hidden by encoding",
          Direct(target, 1.0));
  }
  if (name != kNone && view().Evaluate(name, function_).kind != ValueKind::kText) {
    Use(call, core::Permission::kDynamicCode, view().Text(name, function_));
    if (target.Has(kDecoded)) {
      Raise("OBFUSC-002", call.expr, target, kDecoded, "loads a module whose name is hidden by encoding");
    } else if (target.Has(kComputed) && last_) {
      Raise("OBFUSC-002", call.expr, target, kComputed, "loads a module by letters computed from numbers", 0.8);
    } else if (target.Has(kNetFixed) && !target.Has(kToolArgument)) {
      Raise("RCE-001", call.expr, target, kNetFixed, "loads a module named by an answer from the network", 0.7);
    } else if (target.Has(kUnchecked) && target.params != 0 && IsEntry() && view().is_python() &&
               view().Text(name, function_).empty()) {
      Raise("VULN-002", call.expr, target, kToolArgument, "loads whatever module an argument names", 0.7);
    }
  }
}

// compare_digest with another script's first letter: it reads like a function that everybody knows, and is another.
void Engine::JudgeLookAlikeNames() {
  const auto cyrillic = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xD0 && byte <= 0xD4;
  };
  if (!last_ || base::IsAscii(code().text) || std::ranges::none_of(code().text, cyrillic)) return;
  const auto mixed = [&](std::string_view name) {
    constexpr std::ptrdiff_t kLatin = 2;
    const auto latin = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return std::ranges::any_of(name, cyrillic) && std::ranges::count_if(name, latin) >= kLatin;
  };
  const auto raise = [&](std::string_view name, Loc at) {
    Raise("PI-006", at, {}, 0, "`" + std::string(name.substr(0, 80)) + "` has letters of two scripts");
  };
  for (const Function& function : code().functions) {
    if (mixed(function.name)) return raise(function.name, function.name_loc);
  }
  for (const Expr& part : code().exprs) {
    if ((part.kind == ExprKind::kName || part.kind == ExprKind::kMember) && mixed(part.text))
      return raise(part.text, part.loc);
  }
}

// import("data:text/javascript;base64,..."), import("https://..."): a program that stands in its name, or far away.
void Engine::JudgeFarModule(const Call& call, std::string_view name) {
  constexpr std::size_t kShortestProgram = 40;
  if (!last_) return;
  if (view().is_python()) {
    // (CACHE / "pack.py").write_text(answer); sys.path.insert(0, str(CACHE)); import_module("pack")
    const std::string file = "/" + std::string(name.substr(0, name.find('.'))) + ".py";
    for (const auto& [written, taint] : fetched_paths_) {
      if (name.size() < 3 || !written.ends_with(file) || !taint.Has(kNetFile)) continue;
      Raise("RCE-004", call.expr, taint, kNetFile, "imports a module that it has downloaded");
      return;
    }
    return;
  }
  if (name.starts_with("data:") && name.size() >= kShortestProgram &&
      Contains(name.substr(0, kShortestProgram), ";base64,")) {
    Raise("OBFUSC-001", call.expr, {}, 0, "runs a program that stands encoded in the name of a module", 0.8);
    return;
  }
  const std::string host = HostOfFarModule(name);
  // `const m = await import("https://...")` stands among the file's imports.
  const Loc at = code().exprs[call.expr].loc;
  const bool listed = std::ranges::any_of(code().imports, [&](const Import& import) {
    return import.module == name && import.loc.begin <= at.begin && at.end <= import.loc.end;
  });
  if (!host.empty() && !listed) Raise("RCE-001", call.expr, {}, 0, "imports its code from " + host, 0.5, host);
}

}  // namespace interlock::scan::code
