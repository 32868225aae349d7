#include "static/agent_hooks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "code/shell.h"
#include "fmt/format.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Reach;

constexpr std::size_t kMostScript = std::size_t{48} << 10U;
constexpr std::size_t kMostHooks = 16;
constexpr std::size_t kMostLine = 2000;
constexpr std::size_t kMostNames = 200;
constexpr std::size_t kCall = 700;  // bytes of a call that are looked at
constexpr int kPasses = 3;          // names may be used above the line that fills them

// Events whose hook is told what the user says, what a tool is given or answers, or what a file holds.
bool CarriesContent(std::string_view name) {
  if (!name.starts_with("hooks.")) return false;
  const std::string lower = LowerCase(name);
  return SaysAny(lower, {"prompt", "tool", "readfile", "fileedit", "shell", "mcp", "response", "thought", "stop",
                         "compact", "sessionend", "message"});
}

bool IsContentField(std::string_view field) {
  constexpr auto kFields = std::to_array<std::string_view>(
      {"prompt", "content",  "text",       "tool_input",  "toolInput", "tool_response", "toolResponse", "tool_output",
       "output", "messages", "transcript", "message",     "input",     "args",          "arguments",    "response",
       "edits",  "body",     "data",       "attachments", "command",   "result",        "new_string",   "old_string"});
  return std::ranges::find(kFields, field) != kFields.end();
}

bool KeepsContent(std::string_view method) {
  constexpr auto kMethods =
      std::to_array<std::string_view>({"subarray", "slice", "toString", "encode", "decode", "read", "join", "map",
                                       "concat", "strip", "trim", "forEach", "items", "values", "copy", "flat", "hex"});
  return std::ranges::find(kMethods, method) != kMethods.end();
}

bool IsNameByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

std::string_view Trim(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

bool ReadsInput(std::string_view line) {
  return SaysAny(line, {"sys.stdin", "readFileSync(0", "'/dev/stdin'", "\"/dev/stdin\"", "process.stdin", "Bun.stdin",
                        "Deno.stdin", "stdin.fd", "text(stdin", "fileinput.input"});
}

using Names = std::set<std::string, std::less<>>;

// Whether `text` uses one of `names` whole, or the part of it that carries content.
bool Uses(std::string_view text, const Names& names) {
  for (std::size_t at = 0; at < text.size();) {
    if (!IsNameByte(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && IsNameByte(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (!names.contains(word)) continue;
    const bool member = begin > 0 && text[begin - 1] == '.' && !(begin > 2 && text.substr(begin - 3, 3) == "...");
    if (member) continue;
    std::size_t next = at;
    if (next + 1 < text.size() && text[next] == '?' && text[next + 1] == '.') ++next;
    const char after = next < text.size() ? text[next] : ' ';
    if (after == '(') continue;  // a function of that name
    if (after == ':' && text.substr(next, 2) != "::") {
      // A key of an object, or the end of a condition.
      const std::size_t before = text.substr(0, begin).find_last_not_of(" \t\n");
      if (before != std::string_view::npos && (text[before] == '{' || text[before] == ',')) continue;
    }
    if (after != '.' && after != '[') return true;
    std::size_t from = next + 1;
    while (from < text.size() && (text[from] == '"' || text[from] == '\'')) ++from;
    std::size_t end = from;
    while (end < text.size() && IsNameByte(text[end])) ++end;
    std::string_view field = text.substr(from, end - from);
    if (field == "get" && end + 2 < text.size()) {
      from = end + 2;
      end = from;
      while (end < text.size() && IsNameByte(text[end])) ++end;
      field = text.substr(from, end - from);
    }
    if (IsContentField(field) || KeepsContent(field)) return true;
    // Of "[i]" nothing is known.
    if (after == '[' && text[next + 1] != '"' && text[next + 1] != '\'') return true;
  }
  return false;
}

// The text between the bracket at `open` and its fellow, or what there is of it.
std::string_view Within(std::string_view text, std::size_t open) {
  int depth = 0;
  const std::size_t limit = std::min(text.size(), open + kCall);
  for (std::size_t at = open; at < limit; ++at) {
    if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
    if ((text[at] == ')' || text[at] == ']' || text[at] == '}') && --depth == 0)
      return text.substr(open + 1, at - open - 1);
  }
  return text.substr(open, limit - open);
}

std::vector<std::string_view> Arguments(std::string_view inner) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= inner.size(); ++at) {
    const char c = at < inner.size() ? inner[at] : ',';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(Trim(inner.substr(from, at - from)));
      from = at + 1;
    }
  }
  return out;
}

std::string_view LeadingName(std::string_view text) {
  text = Trim(text);
  std::size_t end = 0;
  while (end < text.size() && IsNameByte(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view TrailingName(std::string_view text) {
  text = Trim(text);
  std::size_t begin = text.size();
  while (begin > 0 && IsNameByte(text[begin - 1])) --begin;
  return text.substr(begin);
}

// A host that a script names: in an address, or as a text of its own.
std::string HostIn(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://", "wss://"}) {
    for (std::size_t at = text.find(scheme); at != std::string_view::npos; at = text.find(scheme, at + 1)) {
      const std::string host = HostOf(text.substr(at, 300));
      if (host.find('.') != std::string::npos && host.find_first_of("{}$") == std::string::npos &&
          KindOfHost(host) != HostKind::kLocal) {
        return host;
      }
    }
  }
  std::string found;
  for (std::size_t open = text.find_first_of("\"'"); open != std::string_view::npos;) {
    const std::size_t shut = text.find(text[open], open + 1);
    if (shut == std::string_view::npos) break;
    const std::string host = LowerCase(text.substr(open + 1, std::min(shut - open - 1, std::size_t{200})));
    const std::size_t dot = host.rfind('.');
    const bool plain = dot != std::string::npos && dot > 0 &&
                       host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos;
    const std::string ending = plain ? host.substr(dot + 1) : std::string();
    const bool name = ending.size() >= 2 && ending.find_first_of("0123456789") == std::string::npos &&
                      host.front() != '.' &&
                      !SaysAny("js mjs cjs ts json py md txt log toml yml yaml sh env pem key db csv html ",
                               {std::string_view(ending + " ")});
    const bool number = plain && KindOfHost(host) == HostKind::kRawAddress && std::ranges::count(host, '.') == 3;
    if ((name || number) && KindOfHost(host) != HostKind::kLocal) return host;
    open = text.find_first_of("\"'", shut + 1);
  }
  return found;
}

struct Script {
  const FileContext* file = nullptr;
  std::string_view text;
  Names names;
  base::ByteSpan sent;
};

void Add(Names& names, std::string_view name) {
  constexpr auto kNone = std::to_array<std::string_view>({"const", "let", "var", "await", "self", "this", "e", "_"});
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || names.size() >= kMostNames) return;
  if (std::ranges::find(kNone, name) == kNone.end()) names.emplace(name);
}

// Names that one line fills from what is known to be told.
void Fill(std::string_view line, std::string_view next, Names& names) {
  const bool input = ReadsInput(line);
  // name = ..., name += ..., for (const name of ...), for name in ...
  for (std::size_t at = line.find('='); at != std::string_view::npos; at = line.find('=', at + 1)) {
    const char before = at > 0 ? line[at - 1] : ' ';
    const char after = at + 1 < line.size() ? line[at + 1] : ' ';
    if (after == '=' || after == '>' || before == '=' || before == '!' || before == '<' || before == '>') continue;
    const std::string_view right = line.substr(at + 1);
    if (!input && !Uses(right, names)) continue;
    std::string_view left = line.substr(0, at);
    while (!left.empty() && (left.back() == '+' || left.back() == ' ' || left.back() == ':')) left.remove_suffix(1);
    if (left.ends_with('}')) {
      // { prompt, cwd } = event
      const std::size_t open = left.rfind('{');
      if (open == std::string_view::npos) continue;
      for (const std::string_view one : Arguments(left.substr(open + 1, left.size() - open - 2))) {
        if (IsContentField(LeadingName(one))) Add(names, TrailingName(one));
      }
      continue;
    }
    Add(names, TrailingName(left));
  }
  for (const std::string_view in : {" of ", " in "}) {
    const std::size_t at = line.find(in);
    if (at == std::string_view::npos || line.substr(0, at).find("for") == std::string_view::npos) continue;
    if (input || Uses(line.substr(at + in.size()), names)) Add(names, TrailingName(line.substr(0, at)));
  }
  const bool hands = SaysAny(line, {".map(", ".forEach(", ".on(", ".then(", ".flatMap("});
  if (hands && (input || Uses(line, names))) {
    for (const std::string_view one : {line, next}) {
      const std::size_t arrow = one.find("=>");
      if (arrow == std::string_view::npos) continue;
      std::string_view given = Trim(one.substr(0, arrow));
      if (given.ends_with(')')) {
        const std::size_t open = given.rfind('(');
        if (open != std::string_view::npos) Add(names, LeadingName(given.substr(open + 1)));
      } else {
        Add(names, TrailingName(given));
      }
      break;
    }
  }
  for (const std::string_view puts : {".push(", ".append(", ".update("}) {
    const std::size_t at = line.find(puts);
    if (at != std::string_view::npos && Uses(Within(line, at + puts.size() - 1), names))
      Add(names, TrailingName(line.substr(0, at)));
  }
}

// A call that gives something to another machine, with something told among what it is given.
std::optional<base::ByteSpan> Sends(std::string_view text, const Names& names) {
  const bool request = SaysAny(text, {"http.request(", "https.request(", "net.connect(", "createConnection(",
                                      "HTTPSConnection(", "HTTPConnection(", "new WebSocket(", "tls.connect("});
  for (const std::string_view call : {"fetch(",         "requests.post(", "requests.put(", "requests.request(",
                                      "requests.get(",  "httpx.post(",    "httpx.put(",    "httpx.get(",
                                      "httpx.request(", "urlopen(",       "Request(",      "axios.post(",
                                      "axios.put(",     "axios(",         "got.post(",     "got(",
                                      ".post(",         ".put(",          ".sendto(",      ".sendall(",
                                      ".send(",         "sendBeacon(",    "ky.post(",      ".request(",
                                      ".write(",        ".end(",          "resolve4(",     "resolveTxt(",
                                      ".lookup(",       "gethostbyname("}) {
    if ((call == ".write(" || call == ".end(") && !request) continue;
    for (std::size_t at = text.find(call); at != std::string_view::npos; at = text.find(call, at + call.size())) {
      const std::size_t open = at + call.size() - 1;
      const std::string_view inner = Within(text, open);
      // The answer to the host goes to its own output.
      if (call == ".write(" && at >= 6 && text.substr(at - 6, 6) == "stdout") continue;
      if (Uses(inner, names)) return base::ByteSpan{at, open + inner.size() + 2};
    }
  }
  return std::nullopt;
}

void Follow(Script& script) {
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::size_t before = script.names.size();
    for (std::size_t at = 0; at < script.text.size();) {
      const std::size_t end = std::min(script.text.find('\n', at), script.text.size());
      const std::size_t after = std::min(end + 1, script.text.size());
      const std::string_view next =
          script.text.substr(after, std::min(script.text.find('\n', after), script.text.size()) - after);
      Fill(script.text.substr(at, std::min(end - at, kMostLine)), next.substr(0, kMostLine), script.names);
      at = end + 1;
    }
    if (script.names.size() == before) break;
  }
}

// What a function calls its arguments: "function name(a, b)", "def name(a, b)", "const name = (a, b) =>".
std::vector<std::string_view> Parameters(std::string_view text, std::string_view name) {
  for (const std::string_view form :
       {"function {}(", "def {}(", "const {} = (", "const {} = async (", "{} = lambda "}) {
    const std::string head = fmt::format(fmt::runtime(form), name);
    const std::size_t at = text.find(head);
    if (at == std::string_view::npos) continue;
    std::vector<std::string_view> names;
    for (const std::string_view one : Arguments(Within(text, at + head.size() - 1))) names.push_back(LeadingName(one));
    return names;
  }
  return {};
}

// Functions that are given what is told: their parameters are told it too.
void Give(std::string_view from, const Names& told, std::string_view to, Names& names) {
  int given_on = 0;
  int looked = 0;
  constexpr int kMostCalls = 20;
  constexpr int kMostLooked = 1500;
  for (std::size_t open = from.find('('); open != std::string_view::npos && given_on < kMostCalls;
       open = from.find('(', open + 1)) {
    if (++looked > kMostLooked) return;
    const std::string_view name = TrailingName(from.substr(0, open));
    if (name.size() < 3 || (open > 0 && !IsNameByte(from[open - 1]))) continue;
    const std::vector<std::string_view> given = Arguments(Within(from, open));
    if (!std::ranges::any_of(given, [&](std::string_view one) { return Uses(one, told); })) continue;
    ++given_on;
    const std::vector<std::string_view> parameters = Parameters(to, name);
    for (std::size_t i = 0; i < given.size() && i < parameters.size(); ++i) {
      if (Uses(given[i], told)) Add(names, parameters[i]);
    }
  }
}

const FileContext* FileOf(const std::vector<FileContext>& files, std::string_view path) {
  if (path.size() < 4) return nullptr;
  for (const FileContext& file : files) {
    const std::string_view own = file.file->path;
    if (own == path || (own.ends_with(path) && own.size() > path.size() && own[own.size() - path.size() - 1] == '/'))
      return &file;
  }
  return nullptr;
}

void JudgeShellHook(std::string_view text, std::optional<base::ByteSpan>& sent, std::string& host) {
  const code::ShellScript script = code::ParseShell(text);
  Names told;
  for (const code::ShellCommand& command : script.commands) {
    for (const auto& [name, value] : command.assignments) {
      // INPUT=$(cat), BODY=$(jq -c .)
      for (const std::uint32_t inner : value.commands) {
        if (inner >= script.commands.size() || script.commands[inner].words.empty()) continue;
        const std::string_view program = script.commands[inner].words[0].text;
        const bool whole = script.commands[inner].words.size() == 1 || program == "jq";
        if ((program == "cat" || program == "jq" || program == "tee") && whole) told.emplace(name);
      }
      if (std::ranges::any_of(value.variables, [&](const std::string& used) { return told.contains(used); }))
        told.emplace(name);
    }
    if (!command.words.empty() && command.words[0].text == "read" && command.words.size() > 1)
      told.emplace(command.words.back().text);
  }
  for (const code::ShellCommand& command : script.commands) {
    if (command.words.empty()) continue;
    const std::string_view program = command.words[0].text.substr(command.words[0].text.rfind('/') + 1);
    if (program != "curl" && program != "wget" && program != "nc" && program != "ncat") continue;
    bool whole = program == "nc" || program == "ncat";
    bool named = false;
    for (const code::ShellWord& word : command.words) {
      if (host.empty()) host = HostIn(word.text);
      whole = whole || word.text == "@-" || word.text == "-T-" || word.text == "--post-file=-" || word.text == "-d@-" ||
              word.text == "--data-binary=@-" || word.text == "/dev/stdin" || word.text == "@/dev/stdin";
      named =
          named || std::ranges::any_of(word.variables, [&](const std::string& used) { return told.contains(used); });
    }
    if ((program == "nc" || program == "ncat") && command.words.size() > 1)
      host = HostIn("'" + command.words[1].text + "'");
    // What comes in at the head of the pipe: a program that passes on what it is given.
    const code::ShellCommand* first = &command;
    for (int step = 0; step < 16 && first->pipe_from < script.commands.size(); ++step)
      first = &script.commands[first->pipe_from];
    bool passes = first == &command;
    if (!passes && !first->words.empty()) {
      const std::string_view head = first->words[0].text;
      passes = SaysAny(" jq cat tee gzip base64 sed tr grep head tail xxd openssl ",
                       {std::string_view(" " + std::string(head) + " ")}) &&
               !std::ranges::any_of(first->words, [&](const code::ShellWord& word) {
                 return head != "jq" && word.text.size() > 1 && word.text.front() != '-' && &word != &first->words[0];
               });
      const bool echoes =
          (head == "echo" || head == "printf") && std::ranges::any_of(first->words, [&](const code::ShellWord& word) {
            return std::ranges::any_of(word.variables, [&](const std::string& used) { return told.contains(used); });
          });
      passes = passes || echoes;
    }
    if (named || (whole && passes)) {
      sent = base::ByteSpan{command.loc.begin, command.loc.end};
      if (!host.empty()) return;
    }
  }
}

// Files of the same folder that a script imports.
std::vector<const FileContext*> ImportsOf(const FileContext& file, const std::vector<FileContext>& files) {
  std::vector<const FileContext*> out;
  const std::string_view path = file.file->path;
  const std::string_view folder = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  for (const FileContext& other : files) {
    const std::string_view own = other.file->path;
    if (&other == &file || !IsCode(other.type) || !own.starts_with(folder) || out.size() >= 4) continue;
    const std::string_view base = own.substr(folder.size());
    const std::string_view stem = base.substr(0, base.rfind('.'));
    const std::string_view text = file.text().substr(0, kMostScript);
    const bool named = text.find(fmt::format("./{}'", base)) != std::string_view::npos ||
                       text.find(fmt::format("./{}\"", base)) != std::string_view::npos ||
                       text.find(fmt::format("./{}'", stem)) != std::string_view::npos ||
                       text.find(fmt::format("./{}\"", stem)) != std::string_view::npos ||
                       text.find(fmt::format("from {} import", stem)) != std::string_view::npos ||
                       text.find(fmt::format("import {}\n", stem)) != std::string_view::npos ||
                       text.find(fmt::format("from .{} import", stem)) != std::string_view::npos;
    if (named && base.find('/') == std::string_view::npos) out.push_back(&other);
  }
  return out;
}

// Whether a page or a manifest says where it goes.
bool IsTold(const std::vector<FileContext>& files, std::string_view host) {
  return std::ranges::any_of(files, [&](const FileContext& file) {
    const std::string base = LowerCase(BaseName(file.file->path));
    const bool says = base.starts_with("readme") || base == "package.json" || base == "plugin.json" ||
                      base == "pyproject.toml" || base == "privacy.md" || base == "skill.md";
    return says && file.text().find(host) != std::string_view::npos;
  });
}

}  // namespace

void JudgeAgentHooks(const SupplyFacts& supply, const std::vector<FileContext>& files, std::vector<RawFinding>& out) {
  const auto raise = [&](std::uint32_t index, base::ByteSpan bytes, const std::string& host, std::string_view hook) {
    // What the code's own flow shows already is one case, not two.
    if (std::ranges::any_of(
            out, [&](const RawFinding& known) { return known.file == index && known.rule.starts_with("EXFIL-"); })) {
      return;
    }
    RawFinding finding;
    finding.rule = "SC-041";
    finding.file = index;
    finding.bytes = bytes;
    finding.host = host;
    finding.subject = hook.substr(0, 80);
    finding.message = fmt::format("sends what `{}` is told to {}", hook.substr(0, 80), host);
    if (IsTold(files, host)) finding.scale = 0.4;
    finding.has_reach = true;
    finding.reach = Reach::kAgent;
    out.push_back(std::move(finding));
  };
  std::set<std::uint32_t> done;
  std::size_t looked = 0;
  for (const HookCommand& hook : supply.hooks) {
    if (hook.file >= files.size() || files[hook.file].reach > Reach::kRuntime || !CarriesContent(hook.name)) continue;
    if (++looked > kMostHooks) return;
    std::optional<base::ByteSpan> sent;
    std::string host;
    JudgeShellHook(hook.command, sent, host);
    if (sent && !host.empty()) {
      raise(hook.file, hook.bytes, host, hook.name);
      continue;
    }
    const FileContext* file = nullptr;
    const code::ShellScript line = code::ParseShell(hook.command);
    for (const code::ShellCommand& command : line.commands) {
      for (const code::ShellWord& word : command.words) {
        std::string_view path = word.text;
        if (const std::size_t unknown = path.rfind('\x01'); unknown != std::string_view::npos)
          path.remove_prefix(unknown + 1);
        while (path.starts_with("./") || path.starts_with('/')) path.remove_prefix(path.starts_with('/') ? 1 : 2);
        if (file == nullptr && path.find('.') != std::string_view::npos) file = FileOf(files, path);
      }
    }
    if (file == nullptr || !done.insert(file->index).second || file->text().size() > kMostScript) continue;
    if (file->type == FileType::kShell) {
      JudgeShellHook(file->text(), sent, host);
      if (sent && !host.empty()) raise(file->index, *sent, host, hook.name);
      continue;
    }
    if (!IsCode(file->type)) continue;
    Script script{.file = file, .text = file->text(), .names = {}, .sent = {}};
    Follow(script);
    Give(script.text, script.names, script.text, script.names);
    Follow(script);
    if (script.names.empty()) continue;
    if (const auto place = Sends(script.text, script.names)) {
      if (host = HostIn(script.text); !host.empty()) raise(file->index, *place, host, hook.name);
      continue;
    }
    for (const FileContext* other : ImportsOf(*file, files)) {
      if (other->text().size() > kMostScript) continue;
      Script inner{.file = other, .text = other->text(), .names = {}, .sent = {}};
      Give(script.text, script.names, inner.text, inner.names);
      if (inner.names.empty()) continue;
      Follow(inner);
      const auto place = Sends(inner.text, inner.names);
      if (!place) continue;
      if (host = HostIn(inner.text); !host.empty()) raise(other->index, *place, host, hook.name);
    }
  }
}

}  // namespace interlock::scan
