// What a whole file does, told by several of its parts together: guards that are ended, packages that publish
// themselves, other agents set to look for secrets, containers that are given the host.
#include <algorithm>
#include <array>
#include <set>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/open_settings.h"
#include "code/places.h"
#include "code/shell_paths.h"
#include "code/sink_words.h"
#include "static/part_set.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMaxStrings = 200'000;  // of a file that are looked at

bool IsGuard(std::string_view text) {
  static constexpr FixedWords kGuards(std::to_array<std::string_view>(
      {"falco",       "osqueryd",    "auditd",      "crowdstrike",     "falcon-sensor", "clamd",         "freshclam",
       "sentinelone", "sentineld",   "wazuh-agent", "ossec",           "sysmon",        "sysmon64",      "msmpeng",
       "msmpeng.exe", "carbonblack", "cbdaemon",    "cbagentd",        "littlesnitch",  "little snitch", "lulu",
       "blockblock",  "xprotect",    "mcp-gateway", "rsyslogd",        "windefend",     "avastsvc",      "avgsvc",
       "ekrn",        "ekrn.exe",    "mbamservice", "csfalconservice", "knockknock"}));
  return text.size() >= 4 && text.size() <= 32 && kGuards.Has(LowerCase(text));
}

// Tells somebody to look for something: "Search the home folder for wallets", "your task is to list every key". What
// reports to the user ("Failed to write credentials", "unable to find a token") orders nothing.
bool OrdersSearch(std::string_view said) {
  constexpr auto kVerbs = std::to_array<std::string_view>(
      {"search",   "find",    "list",    "look",      "locate",    "collect", "gather",   "scan",     "enumerate",
       "read",     "copy",    "dump",    "send",      "extract",   "harvest", "cat",      "grep",     "walk",
       "traverse", "inspect", "hunt",    "grab",      "fetch",     "upload",  "write",    "save",     "output",
       "report",   "give",    "tell",    "steal",     "explore",   "crawl",   "discover", "identify", "retrieve",
       "take",     "record",  "index",   "inventory", "summarize", "export",  "post",     "append",   "put",
       "pull",     "zip",     "archive", "examine"});
  constexpr auto kReports =
      std::to_array<std::string_view>({"unable", "failed", "fails", "failing", "trying", "tried", "able", "attempted",
                                       "attempting", "refusing", "refused", "failure", "used", "error"});
  const std::string text = LowerCase(said);
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string_view last;         // the word before
  std::string_view before_last;  // and the one before that
  bool begins = true;            // a sentence, a line, a point of a list
  bool bracket = false;          // a bracket has just been opened
  for (std::size_t at = 0; at < text.size();) {
    if (!letter(text[at])) {
      const char c = text[at];
      const bool ends_word = c == '.' && at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\n';
      begins = begins || ((c == '.' && !ends_word) || c == '\n' || c == ':' || c == ';' || c == '!' || c == ',' ||
                          c == '(' || c == ')');
      bracket = c == '(';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && letter(text[end])) ++end;
    const std::string_view word = std::string_view(text).substr(at, end - at);
    // "(read from the key chain)": how it was come by.
    const bool told = bracket && SaysOneOf(word, {"read", "put"});
    const bool verb = std::ranges::find(kVerbs, word) != kVerbs.end() && !told;
    bracket = false;
    const bool ordered = begins || SaysOneOf(last, {"and", "then", "please", "must", "now", "should", "will", "you"}) ||
                         last.ends_with("ly") ||
                         (last == "to" && std::ranges::find(kReports, before_last) == kReports.end());
    // "(read from the keychain)": how it came, in a bracket.
    const bool came = word == "read" && at > 0 && text[at - 1] == '(' && text.substr(end, 6) == " from ";
    if (verb && ordered && !came) return true;
    before_last = last;
    last = word;
    begins = false;
    at = end;
  }
  return false;
}

}  // namespace

// What a program says of itself to whoever reads it, and to no agent.
bool Engine::IsDocstring(ExprId text) const {
  return std::ranges::find(code().functions, text, &Function::docstring) != code().functions.end() ||
         std::ranges::find(code().classes, text, &Class::docstring) != code().classes.end();
}

void Engine::JudgeModule() {
  if (!last_) return;
  bool starts = false;
  bool publishes = false;
  bool ends = false;
  for (const UseAt& use : uses_) {
    if (use.module != module_) continue;
    const bool runs = use.role == Role::kSpawn || use.role == Role::kShell;
    starts = starts || runs;
    publishes = publishes || (runs && AnyOf(use.use.detail, {"npm publish", "npm' 'publish", "twine upload",
                                                             "twine' 'upload", "cargo publish", "pnpm publish"}));
  }
  bool free = false;
  std::set<std::string> guards;
  const Expr* loot = nullptr;
  const Expr* guard = nullptr;
  const Expr* workflow = nullptr;
  const Expr* hook = nullptr;
  bool workflows = false;
  bool own = false;
  std::size_t seen = 0;
  for (const Expr& part : code().exprs) {
    if (part.kind == ExprKind::kMember) {
      ends = ends || part.text == "kill" || part.text == "terminate";
      continue;
    }
    if (part.kind == ExprKind::kDict && publishes) {
      for (const Arg& field : code().ArgsOf(part)) {
        if (field.name == "postinstall" || field.name == "preinstall") hook = &part;
      }
      continue;
    }
    if (part.kind == ExprKind::kName && publishes) {
      own = own || part.text == "__filename" || part.text == "__file__";
      continue;
    }
    if (part.kind != ExprKind::kString || part.text.size() < 4) continue;
    if (++seen > kMaxStrings) break;
    const std::string_view text = part.text;
    if (IsFreeFlag(text)) free = true;
    if (starts && text.size() >= 24 && loot == nullptr && text.size() < 4096 && Contains(text, " ") &&
        shell::NamesLoot(text) && OrdersSearch(text) &&
        !IsDocstring(static_cast<ExprId>(&part - code().exprs.data()))) {
      loot = &part;
    }
    if (IsGuard(text)) {
      guards.insert(LowerCase(text));
      guard = &part;
    }
    if (Contains(text, ".github/workflows")) workflows = true;
    if (Contains(text, "toJSON(secrets)") && AnyOf(text, {"curl", "wget", "fetch(", "requests.", "http"}))
      workflow = &part;
    ends = ends || AnyOf(text, {"pkill", "killall", "taskkill"});
  }
  // An order to look for secrets, for an agent that asks nobody.
  if (free && starts && loot != nullptr) {
    // The three together in a bundle may be of three programs.
    constexpr std::size_t kBundle = 256'000;
    Raise("SH-013", loot->loc, {}, 0, "has another agent look for secrets, with its questions off",
          code().text.size() > kBundle ? 0.5 : 1.0);
  }
  if (guards.size() >= 2 && ends && guard != nullptr) {
    Raise("EVADE-002", guard->loc, {}, 0,
          "ends programs that watch over the machine (" + std::to_string(guards.size()) + " names)");
  }
  if (publishes && own && hook != nullptr) {
    Raise("WORM-001", hook->loc, {}, 0, "puts itself into other packages and publishes them");
  }
  if (workflow != nullptr && workflows) {
    Raise("EXFIL-001", workflow->loc, {}, 0, "writes a workflow that sends all secrets of a repository");
  }
}

// {HostConfig: {Binds: ["/:/h"], Privileged: true}}, {"volumes": {"/": ...}, "privileged": True}, whoever it is given
// to.
void Engine::JudgeContainerSpec(ExprId dict) {
  const Expr& spec = code().exprs[dict];
  const bool named = std::any_of(code().ArgsOf(spec).begin(), code().ArgsOf(spec).end(), [](const Arg& field) {
    return SaysOneOf(field.name, {"HostConfig", "host_config", "privileged", "volumes"});
  });
  if (named && MastersHost(Squeezed(TextAt(spec.loc))))
    Raise("ESCAPE-001", dict, {}, 0, "starts a container that is master of the host");
}

// A program that only the end of a text is: "; curl ... | sh" behind what somebody else wrote.
void Engine::JudgeAppended(ExprId part) {
  const std::string_view text = code().exprs[part].text;
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || text.size() > 2000) return;
  if (text[first] != ';' && text[first] != '&') return;
  if (!AnyOf(text, {"curl", "wget", "/dev/tcp", "iwr"})) return;
  const std::string_view command = text.substr(text.find_first_not_of(";&| \t", first) == std::string_view::npos
                                                   ? first
                                                   : text.find_first_not_of(";&| \t", first));
  if (!FetchesAndRuns(command)) return;
  Raise("RCE-001", part, {}, 0, "adds to somebody else's command one that fetches a program and runs it");
}

// An agent's settings written so that nothing is asked and nobody watches.
namespace {

// `delete settings.hooks;`
// `if not hooks: settings.pop("hooks")`, `if (Object.keys(settings.hooks).length === 0) delete settings.hooks`: what is
// left when its own have been taken out is nothing.
bool IsEmptied(std::string_view before) {
  constexpr std::size_t kNear = 80;
  before = before.substr(before.size() > kNear ? before.size() - kNear : 0);
  if (before.ends_with('{')) before.remove_suffix(1);
  if (before.ends_with(':')) {
    const std::size_t asks = before.rfind("ifnot");
    return asks != std::string_view::npos && Contains(before.substr(asks), "hooks") &&
           before.substr(asks, before.size() - asks - 1).find(':') == std::string_view::npos;
  }
  if (!before.ends_with(')')) return false;
  const std::size_t asks = before.rfind("if(");
  const std::string_view test = asks == std::string_view::npos ? std::string_view() : before.substr(asks);
  return AnyOf(test, {".length===0)", ".length==0)", ".length<1)", "!Object.keys("}) && Contains(test, "hooks") &&
         !Contains(test, ";");
}

// settings.pop("hooks")
bool PopsHooks(std::string_view body) {
  constexpr std::string_view kPop = ".pop(\"hooks\"";
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  for (std::size_t at = body.find(kPop); at != std::string_view::npos; at = body.find(kPop, at + 1)) {
    const std::string_view before = body.substr(0, at);
    if (!IsEmptied(before.substr(0, before.find_last_not_of(kName) + 1))) return true;
  }
  return false;
}

bool DeletesHooks(std::string_view body) {
  for (std::size_t at = body.find("delete"); at != std::string_view::npos; at = body.find("delete", at + 1)) {
    const std::size_t end = body.find(';', at);
    if (end != std::string_view::npos && body.substr(at, end - at).ends_with(".hooks") &&
        !IsEmptied(body.substr(0, at))) {
      return true;
    }
  }
  return false;
}

// `if "hooks" not in settings: settings["hooks"] = {}`, `if (!settings.hooks) settings.hooks = {}`: puts a place where
// there was none; whatever watches stays. `body` is without spaces, its quotes double.
bool EmptiesHooks(std::string_view body) {
  constexpr std::string_view kDot = ".hooks={}";
  constexpr std::string_view kKey = "[\"hooks\"]={}";
  const auto name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
  };
  for (const std::string_view empty : {kDot, kKey}) {
    for (std::size_t at = body.find(empty); at != std::string_view::npos; at = body.find(empty, at + 1)) {
      std::size_t from = at;
      while (from > 0 && name(body[from - 1])) --from;
      const std::string owner(body.substr(from, at - from));
      const std::string_view before = body.substr(0, from);
      const bool absent =
          before.ends_with("if\"hooks\"notin" + owner + ":") || before.ends_with("if(!" + owner + ".hooks)") ||
          before.ends_with("if(!" + owner + ".hooks){") || before.ends_with("if(!" + owner + "[\"hooks\"])") ||
          before.ends_with("if(!" + owner + "[\"hooks\"]){") || before.ends_with("if(!(\"hooks\"in" + owner + "))") ||
          before.ends_with("if(!(\"hooks\"in" + owner + ")){");
      if (owner.empty() || !absent) return true;
    }
  }
  return false;
}

}  // namespace

double Engine::HoldsEmptied() const {
  const Function& shape = code().functions[function_];
  std::string body;
  const std::string_view text =
      function_ == kModuleBody ? code().text.substr(0, 16'384) : TextAt(shape.loc).substr(0, 16'384);
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') body += c == '\'' || c == '`' ? '"' : c;
  }
  const bool hooks = EmptiesHooks(body) || PopsHooks(body) ||
                     AnyOf(body, {"disableAllHooks\":true", "disableAllHooks:true", "disableAllHooks=true"});
  if (hooks || AnyOf(body, {"allow:[\"*\"]", "\"allow\":[\"*\"]", "\"allow\"]=[\"*\"]",
                            "enableAllProjectMcpServers\":true", "enableAllProjectMcpServers=true"})) {
    return 1.0;
  }
  // They may be its own, of an older version: worth a look, no more.
  return DeletesHooks(body) ? 0.6 : 0.0;
}

}  // namespace interlock::scan::code
