// Names that callers and archives choose: paths under a folder, keys of an object; and files that others on the machine
// may change.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/sink_words.h"
#include "interlock/base/find_bytes.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostRead = std::size_t{1} << 20U;  // bytes of a module that schemas are looked for in

// A pattern whose matches are letters, digits and signs that mean nothing to a shell. `pattern`: as it is written, with
// its slashes or quotes; `whole`: it is asked for the whole text anyhow; `paths`: separators may be among them.
bool IsOfNames(std::string_view pattern, bool whole, bool paths) {
  pattern = OfWholeText(pattern, false, whole);
  // Among the letters themselves brackets open shells within shells, and whole programs are written of them.
  for (std::size_t i = pattern.find('['); i < pattern.size(); i = pattern.find('[', i + 1)) {
    const std::size_t end = EndOfSet(pattern, i + 1);
    if (end == std::string_view::npos || pattern.substr(i + 1, end - i - 1).find_first_of("([{!") != pattern.npos)
      return false;
    i = end;
  }
  const bool part = Contains(pattern, "(");
  return pattern.starts_with('[') && pattern.find_first_of(";&`$<>' \"|") == std::string_view::npos &&
         (paths || !Contains(pattern, "/")) && !AnyOf(pattern, {"[^", "\\s", "\\S", "\\W", "\\D", ".*", ".+"}) &&
         !(part && Contains(pattern, "."));
}

// What a schema lets through there cannot be a path: z.enum([...]), z.string().uuid(). A number may still be too large.
bool IsClosedSchema(std::string_view schema) {
  for (const std::string_view type : {"enum(", "nativeEnum(", "literal(", "boolean(", "date(", "uuid(", "iso.date("}) {
    if (schema.starts_with(type)) return true;
  }
  if (!schema.starts_with("string()")) return false;
  std::string_view chain = schema.substr(0, std::min(schema.find('\n'), schema.find("z.")));
  if (AnyOf(chain, {".uuid(", ".cuid", ".ulid(", ".date("})) return true;
  const std::size_t regex = chain.find(".regex(/");
  if (regex == std::string_view::npos) return false;
  chain.remove_prefix(regex + 7);
  return IsOfNames(chain.substr(0, chain.rfind('/') + 1), false, false);
}

}  // namespace

bool Scrubs(std::string_view text) {
  static constexpr auto kVerbs = std::to_array<std::string_view>(
      {"replace(/[^", "replaceAll(/[^", "sub(r\"[^", "sub(r'[^", "sub(\"[^", "sub('[^"});
  static constexpr PartSet kBegins(kVerbs);
  if (!kBegins.AnyIn(text)) return false;
  for (const std::string_view verb : kVerbs) {
    for (std::size_t at = text.find(verb); at != std::string_view::npos; at = text.find(verb, at + 1)) {
      const std::string_view kept = text.substr(at + verb.size(), 80);
      const std::size_t end = kept.find(']');
      if (end == std::string_view::npos) continue;
      const std::string_view set = kept.substr(0, end);
      const std::string_view rest = kept.substr(end + 1);
      const bool all =
          verb.starts_with("sub") || rest.starts_with("/g") || rest.starts_with("+/g") || rest.starts_with("{1,}/g");
      if (all && set.find('/') == std::string_view::npos && set.find("\\\\") == std::string_view::npos) return true;
    }
  }
  return false;
}

bool QuotesForShell(std::string_view text) {
  constexpr std::size_t kLongest = 400;  // a function of its own for it
  if (text.size() > kLongest) return false;
  const bool single = AnyOf(text, {"replace(/'/g", "replaceAll(\"'\"", "replaceAll('\\''", "replace(\"'\", "}) &&
                      AnyOf(text, {"'\\\\''", "'\\''", "'\"'\"'"});
  // In double quotes, all that a shell reads there.
  const std::size_t set = text.find("replace(/");
  const std::string_view escaped = set == std::string_view::npos ? std::string_view() : text.substr(set, 40);
  const bool two = Contains(escaped, "/g") && Contains(escaped, "$") && Contains(escaped, "`") &&
                   Contains(escaped, "\"") && AnyOf(text, {"\\\\$1", "\\\\$&"});
  return single || two;
}

// Literal["a", "b"], a class of names (Enum): no text that a caller makes up. A number may still be too large.
bool Engine::IsClosedType(ExprId annotation, FuncId scope) const {
  if (annotation >= code().exprs.size() || !view().is_python()) return false;
  constexpr std::size_t kLongest = 200;
  const std::string_view type = TextAt(code().exprs[annotation].loc).substr(0, kLongest);
  if (Contains(type, "Literal[") && !Contains(type, "str")) return true;
  const Value& value = view().Evaluate(annotation, scope == kNone ? kModuleBody : scope);
  if (value.kind != ValueKind::kClass || value.module >= states_.size()) return false;
  const Module& there = states_[value.module].view->module();
  return std::ranges::any_of(there.classes[value.index].bases, [&](ExprId base) {
    return base < there.exprs.size() && Contains(there.exprs[base].text, "Enum");
  });
}

// server.tool("a", {kind: z.enum([...])}, async ({kind}) => ...): the library lets nothing else through. Where one of
// the module's schemas of that name is open, all of them are.
bool Engine::ShapedBySchema(std::string_view key) {
  if (view().is_python() || key.empty() || code().text.size() > kMostRead) return false;
  const auto [known, fresh] = shaped_.try_emplace({module_, std::string(key)}, false);
  if (!fresh) return known->second;
  const std::string_view text = code().text;
  constexpr std::string_view kSchema = ": z.";
  std::optional<std::vector<std::uint32_t>>& schemas = states_[module_].schemas;
  if (!schemas) {
    schemas.emplace();
    for (std::size_t at = base::FindBytes(text, kSchema); at != std::string_view::npos;) {
      schemas->push_back(static_cast<std::uint32_t>(at));
      const std::size_t next = base::FindBytes(text.substr(at + 1), kSchema);
      at = next == std::string_view::npos ? next : at + 1 + next;
    }
  }
  bool closed = false;
  for (const std::uint32_t at : *schemas) {
    if (!text.substr(0, at).ends_with(key)) continue;
    const char before = at == key.size() ? ' ' : text[at - key.size() - 1];
    if ((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_') continue;
    closed = IsClosedSchema(text.substr(at + kSchema.size(), 200));
    if (!closed) break;
  }
  return known->second = closed;
}

namespace {

// The text of group `number` of a regular expression that has no groups within groups; "": none.
std::string_view GroupOf(std::string_view regex, int number) {
  bool in_class = false;
  for (std::size_t i = 0; i < regex.size(); ++i) {
    if (regex[i] == '\\') {
      ++i;
    } else if (in_class || regex[i] == '[') {
      in_class = regex[i] != ']';
    } else if (regex[i] == '(' && regex.substr(i + 1, 1) != "?" && --number == 0) {
      const std::size_t end = regex.find_first_of("()", i + 1);
      return end == std::string_view::npos || regex[end] == '(' ? std::string_view() : regex.substr(i + 1, end - i - 1);
    }
  }
  return {};
}

}  // namespace

// const m = data.match(/^data:image\/(png|jpeg|gif);base64,(.+)$/); m[1]: one of a few words, and no path.
bool Engine::IsOneOfWords(ExprId part) const {
  const Expr& index = code().exprs[part];
  if (view().is_python() || index.kind != ExprKind::kIndex || index.arg_count != 1) return false;
  const std::string_view number = code().exprs[code().ArgsOf(index)[0].value].text;
  if (number.size() != 1 || number[0] < '1' || number[0] > '9') return false;
  FuncId where = function_;
  const ExprId origin = view().Origin(index.base, function_, &where);
  if (origin >= code().exprs.size() || code().exprs[origin].kind != ExprKind::kCall ||
      code().exprs[origin].base >= code().exprs.size())
    return false;
  constexpr std::size_t kMostOfCall = 400;
  const std::string_view call = TextAt(code().exprs[origin].loc).substr(0, kMostOfCall);
  constexpr std::string_view kMatch = "match(/";
  const std::size_t match = call.find(kMatch);
  const std::size_t at = call.starts_with('/') ? 1 : match == std::string_view::npos ? match : match + kMatch.size();
  if (at == std::string_view::npos) return false;
  const std::string_view group = GroupOf(call.substr(at), number[0] - '0');
  return group.find('|') != std::string_view::npos && std::ranges::all_of(group, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '|' || c == '_' ||
                  c == '-';
         });
}

// What a call makes of a name is no path any more.
bool Engine::Reshapes(const Call& call, std::string_view last) const {
  if (SaysOneOf(last, {"toISOString", "strftime", "isoformat", "toLocaleDateString"})) return true;
  const std::string_view text = TextAt(code().exprs[call.expr].loc).substr(0, 400);
  if (SaysOneOf(last, {"replace", "replaceAll", "sub"})) {
    if (Scrubs(text)) return true;
    // _UNWANTED = re.compile(r"[^a-z0-9]+"), _UNWANTED.sub("-", name)
    if (last != "sub") return false;
    const std::string_view pattern = PatternOf(call);
    return pattern.starts_with("re.compile(") && AnyOf(pattern, {"(r\"[^", "(r'[^", "(\"[^", "('[^"}) &&
           !Contains(pattern, "/") && !Contains(pattern, "\\\\");
  }
  // "".join(c for c in name if c.isalnum() or c in "-_")
  return last == "join" && Contains(text, ".isalnum()") && !Contains(text, "/");
}

// if (...) throw ...: whoever gets past the condition that ends at `end` has met it.
bool Engine::LeavesBehind(std::size_t end) const {
  constexpr std::size_t kNear = 120;
  if (statement_.kind != StmtKind::kCondition || end >= code().text.size()) return false;
  std::string_view rest = code().text.substr(end, kNear);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n):{"), rest.size()));
  return std::ranges::any_of(
      std::array<std::string_view, 6>{"raise", "return", "throw", "continue", "process.exit", "sys.exit"},
      [&](std::string_view leaves) { return rest.starts_with(leaves); });
}

// if (!names.includes(name)) throw ..., if (name.includes("..")) throw ...: only what is listed, or does not climb,
// gets past. PATTERN.fullmatch(name), of Python.
bool Engine::AsksWhetherListed(const Call& call, std::string_view last) const {
  if (call.args.size() != 1 || call.args[0].value >= code().exprs.size()) return false;
  const Expr& given = code().exprs[call.args[0].value];
  if (view().is_python()) {
    if (!SaysOneOf(last, {"match", "fullmatch"})) return false;
    const std::string_view pattern = PatternOf(call);
    return pattern.starts_with("re.compile(") && IsOfNames(pattern, last == "fullmatch", false);
  }
  if (!SaysOneOf(last, {"includes", "has"}) || !LeavesBehind(code().exprs[call.expr].loc.end)) return false;
  if (given.kind == ExprKind::kString) return given.text.starts_with("..");
  const std::size_t begin = code().exprs[call.expr].loc.begin;
  return given.kind == ExprKind::kName && begin > 0 && code().text[begin - 1] == '!';
}

// ... and what gets past is one of a list, or letters that mean nothing to a shell or a database: /^[\w.-]+$/.
bool Engine::LetsOnlyNamesPast(const Call& call, std::string_view last) const {
  if (call.args.size() != 1 || call.args[0].value >= code().exprs.size() ||
      code().exprs[call.args[0].value].kind != ExprKind::kName || !LeavesBehind(code().exprs[call.expr].loc.end)) {
    return false;
  }
  if (SaysOneOf(last, {"includes", "has"})) return true;
  return IsOfNames(PatternOf(call), last == "fullmatch", true);
}

// if (/[;&|`$<>\n]/.test(line)) throw ...: nothing that a shell reads as more than words gets past.
bool Engine::RefusesSigns(const Call& call) const {
  if (view().is_python() || call.args.size() != 1 || call.args[0].value >= code().exprs.size() ||
      code().exprs[call.args[0].value].kind != ExprKind::kName || !LeavesBehind(code().exprs[call.expr].loc.end)) {
    return false;
  }
  const std::size_t begin = code().exprs[call.expr].loc.begin;
  if (begin > 0 && code().text[begin - 1] == '!') return false;
  const std::string_view pattern = PatternOf(call);
  const std::size_t end = pattern.find(']');
  if (!pattern.starts_with("/[") || pattern.starts_with("/[^") || end == std::string_view::npos) return false;
  const std::string_view set = pattern.substr(2, end - 2);
  return std::ranges::all_of(std::string_view(";&|`$"), [&](char sign) { return set.find(sign) != set.npos; }) &&
         (Contains(set, "\\n") || Contains(set, "\\s"));
}

// From here on it is known what a name may hold.
void Engine::Settled(ExprId name) {
  const std::uint32_t slot = view().SlotOf(name, function_);
  if (slot != kNone) states_[module_].slots[slot] = states_[module_].slots[slot].Without(kCaller);
}

// A function of the package that compares a path with the folder it has to lie in, and refuses others.
bool Engine::KeepsInside(std::string_view body) {
  static constexpr PartSet kCompares(std::to_array<std::string_view>(
      {"is_relative_to(", ".relative_to(", "commonpath(", ".parents", "path.relative(", "commonprefix("}));
  const bool compares =
      kCompares.AnyIn(body) || (AnyOf(body, {"realpath", "resolve("}) && AnyOf(body, {".startswith(", ".startsWith("}));
  return compares && AnyOf(body, {"raise ", "throw ", "return None", "return null", "return False", "return false"});
}

// Go: for _, f := range zip.NewReader(r, n).File
bool Engine::ListsArchive(std::string_view member) const {
  return member == "File" && code().language == Language::kGo && Contains(code().text, "\"archive/zip\"");
}

// join(folder, name), and the names that an archive gives its members.
void Engine::MarkJoined(const Call& call, Taint* result) const {
  const std::string& callee = call.callee.text;
  if (callee.ends_with(".join") && Contains(callee, "path") && call.args.size() >= 2) {
    Taint rest;
    for (std::size_t i = 1; i < call.taints.size(); ++i) rest.Join(call.taints[i]);
    if (ChosenBelow(call.taints[0], rest)) result->Add(kBelow);
  } else if (callee.ends_with(".joinpath")) {
    if (ChosenBelow(call.receiver, call.all)) result->Add(kBelow);
  }
  const Expr* function = FunctionOf(call);
  if (function == nullptr || function->kind != ExprKind::kMember) return;
  // Go: header, err := tar.NewReader(r).Next()
  const bool next =
      code().language == Language::kGo && function->text == "Next" && Contains(code().text, "\"archive/tar\"");
  if (next || AnyOf(function->text, {"infolist", "namelist", "getmembers", "getnames"}) ||
      function->text == "getEntries") {
    result->Add(kEntryName);
  }
}

// chmod(token_file, 0o666)
void Engine::JudgeShared(const Call& call, std::string_view last) {
  if (!last_ || (last != "chmod" && last != "chmodSync") || call.args.empty()) return;
  const auto number = [&](ExprId expr) {
    const std::string_view text = expr < code().exprs.size() ? code().exprs[expr].text : std::string_view();
    const bool octal =
        code().exprs[expr].kind == ExprKind::kNumber && (text.starts_with("0o") || text.starts_with("0O"));
    const bool quoted = code().exprs[expr].kind == ExprKind::kString && text.find_first_not_of("01234567") == text.npos;
    return (octal || quoted) && !text.empty() && (text.back() == '6' || text.back() == '7' || text.back() == '2');
  };
  const bool set_id = std::ranges::any_of(call.args, [&](const Arg& arg) {
    if (arg.value >= code().exprs.size() || code().exprs[arg.value].kind != ExprKind::kNumber) return false;
    std::string_view text = code().exprs[arg.value].text;
    if (!text.starts_with("0o") && !text.starts_with("0O")) return false;
    text.remove_prefix(2);
    return text.size() == 4 && text[0] >= '2' && text[0] <= '7' && text[0] != '3' && text[0] != '1';
  });
  if (set_id) {
    Raise("SH-008", call.expr, {}, 0, "has whoever starts a program get the rights of its owner", 0.9);
    return;
  }
  const bool open = std::ranges::any_of(
      call.args, [&](const Arg& arg) { return arg.value < code().exprs.size() && number(arg.value); });
  if (!open) return;
  const Expr* function = FunctionOf(call);
  const ExprId named = call.args.size() > 1 ? call.args[0].value : function != nullptr ? function->base : kNone;
  if (named >= code().exprs.size()) return;
  const ExprId origin = view().Origin(named, function_);
  std::string path = LowerCase(Known(named));
  if (origin < code().exprs.size()) path += " " + LowerCase(TextAt(code().exprs[origin].loc).substr(0, 300));
  const bool secret =
      AnyOf(path, {"token", "secret", "credential", "password", "private", ".pem", "api_key", "apikey"});
  const bool shared = KindOfPath(Known(named)) == PathKind::kTemporary;
  if (!secret && !shared) return;
  Raise("VULN-008", call.expr, {}, 0,
        secret ? "lets everybody on the machine read and change credentials"
               : "lets everybody on the machine change a file that it uses");
}

// into[key] = value, where a caller chooses the key: `__proto__` is one.
void Engine::JudgeKeys(ExprId target, const Taint& value) {
  if (!last_ || view().is_python() || !value.Has(kUnchecked)) return;
  const Expr& at = code().exprs[target];
  if (at.kind != ExprKind::kIndex || at.arg_count != 1 || function_ == kModuleBody) return;
  const ExprId key = code().ArgsOf(at)[0].value;
  if (!view().Text(key, function_).empty() || !Eval(key).Has(kUnchecked)) return;
  const Function& shape = code().functions[function_];
  const std::string_view body = TextAt(shape.loc);
  constexpr std::size_t kLongest = 2'000;
  if (body.size() > kLongest || AnyOf(body, {"__proto__", "hasOwn", "constructor", "Object.create(null)", "prototype"}))
    return;
  const std::string_view base = at.base < code().exprs.size() ? TextAt(code().exprs[at.base].loc) : std::string_view();
  if (base.empty() || base.size() > 60) return;
  // Only a merge that goes deeper, or a walk along a path of keys, gets to what all objects share.
  const std::string into(base);
  const bool walks = Contains(body, into + " = " + into + "[");
  const bool deeper = shape.name.size() > 1 && Contains(body, std::string(shape.name) + "(" + into + "[");
  if (!walks && !deeper) return;
  Raise("VULN-009", target, value, kToolArgument, "writes to keys of an object that an argument chooses, at any depth");
}

}  // namespace interlock::scan::code
