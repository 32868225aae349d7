#include "static/agent_hooks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "code/shell.h"
#include "fmt/format.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr char kUnknown = '\x01';  // in words of shells

using core::Reach;

constexpr std::string_view kHookRule = "SC-041";
constexpr std::size_t kMostScript = std::size_t{256} << 10U;

// Events whose hook is told what the user says, what a tool is given or answers, or what a file holds.
bool CarriesContent(std::string_view name) {
  if (!name.starts_with("hooks.")) return false;
  const std::string lower = LowerCase(name);
  return SaysAny(lower, {"prompt", "tool", "permission", "readfile", "fileedit", "shell", "mcp", "response", "thought",
                         "stop", "compact", "sessionend", "message"});
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

// The files of the package by the last part of their paths.
using FilesByName = std::unordered_multimap<std::string_view, const FileContext*>;

FilesByName ByName(const std::vector<FileContext>& files) {
  FilesByName by_name;
  for (const FileContext& file : files) by_name.emplace(BaseName(file.file->path), &file);
  return by_name;
}

// The first of them where several lie at the end of that path.
const FileContext* FileOf(const FilesByName& files, std::string_view path) {
  if (path.size() < 4) return nullptr;
  const FileContext* first = nullptr;
  const auto [begin, end] = files.equal_range(BaseName(path));
  for (auto one = begin; one != end; ++one) {
    if ((first == nullptr || one->second->index < first->index) && EndsInPath(one->second->file->path, path))
      first = one->second;
  }
  return first;
}

void JudgeShellHook(std::string_view text, std::optional<base::ByteSpan>& sent, std::string& host) {
  const code::ShellScript script = code::ParseShell(text);
  std::set<std::string, std::less<>> told;
  std::set<std::string, std::less<>>
      teller;          // functions that give out a part of it: field() { jq -r "$1" <<<"$input"; }
  std::string socket;  // exec 3<>/dev/tcp/host/port
  const auto names_told = [&](const code::ShellWord& word) {
    return std::ranges::any_of(word.variables, [&](const std::string& used) { return told.contains(used); });
  };
  // ... or what a command gives out that stands in the word: "$(jq -n --arg text "$prompt" '{text: $text}')".
  const auto uses_told = [&](const code::ShellWord& word) {
    return names_told(word) || std::ranges::any_of(word.commands, [&](std::uint32_t inner) {
             return inner < script.commands.size() && std::ranges::any_of(script.commands[inner].words, names_told);
           });
  };
  const auto device = [](std::string_view path) {
    const std::string target = code::shell::SocketTarget(path);
    return target.substr(0, target.find('/'));
  };
  std::uint32_t next = 0;
  for (const code::ShellCommand& command : script.commands) {
    const std::uint32_t index = next++;
    const bool about = std::ranges::any_of(command.words, uses_told) ||
                       std::ranges::any_of(command.redirects, [&](const auto& one) { return uses_told(one.second); });
    for (const code::ShellFunction& function : script.functions) {
      if (about && index >= function.first && index < function.end) teller.emplace(function.name);
    }
    for (const auto& [op, word] : command.redirects) {
      if (socket.empty() && command.words.size() == 1 && command.words[0].text == "exec") socket = device(word.text);
    }
    for (const auto& [name, value] : command.assignments) {
      // INPUT=$(cat), BODY=$(jq -c .)
      for (const std::uint32_t inner : value.commands) {
        if (inner >= script.commands.size() || script.commands[inner].words.empty()) continue;
        const std::string_view program = script.commands[inner].words[0].text;
        const bool whole = script.commands[inner].words.size() == 1 || program == "jq";
        if ((program == "cat" || program == "jq" || program == "tee") && whole) told.emplace(name);
        // field prompt <<<"$input"
        const auto reads = [&](const auto& one) { return one.first.starts_with('<') && names_told(one.second); };
        if (teller.contains(program) || std::ranges::any_of(script.commands[inner].redirects, reads))
          told.emplace(name);
      }
      if (uses_told(value)) told.emplace(name);
    }
    if (!command.words.empty() && command.words[0].text == "read" && command.words.size() > 1)
      told.emplace(command.words.back().text);
  }
  // send "$prompt": $1 in the body of that function is what the hook is told.
  std::vector<const code::ShellFunction*> given;
  for (const code::ShellCommand& command : script.commands) {
    if (command.words.size() < 2) continue;
    const auto function = std::ranges::find(script.functions, command.words[0].text, &code::ShellFunction::name);
    if (function != script.functions.end() && std::ranges::any_of(command.words, uses_told))
      given.push_back(&*function);
  }
  const auto is_argument = [](const std::string& name) {
    return name == "@" || name == "*" || (name.size() == 1 && IsDigit(name[0]) && name[0] != '0');
  };
  const auto uses_argument = [&](const code::ShellWord& word, std::uint32_t index) {
    if (std::ranges::none_of(given, [&](const auto* one) { return index >= one->first && index < one->end; }))
      return false;
    return std::ranges::any_of(word.variables, is_argument) ||
           std::ranges::any_of(word.commands, [&](std::uint32_t inner) {
             return inner < script.commands.size() &&
                    std::ranges::any_of(
                        script.commands[inner].words,
                        [&](const code::ShellWord& part) { return std::ranges::any_of(part.variables, is_argument); });
           });
  };
  next = 0;
  for (const code::ShellCommand& command : script.commands) {
    const std::uint32_t index = next++;
    if (command.words.empty()) continue;
    std::string_view program = command.words[0].text;
    program.remove_prefix(program.rfind('/') + 1);
    for (const auto& [op, word] : command.redirects) {
      // gzip -c "$log" >&3, cat >/dev/tcp/host/port
      const bool handle = code::shell::GoesToHandle(op, word.text);
      const std::string to = handle ? socket : op.starts_with('>') ? device(word.text) : std::string();
      const bool passes = program == "cat" && command.words.size() == 1;
      if (to.empty() || (!passes && !std::ranges::any_of(command.words, uses_told))) continue;
      sent = base::ByteSpan{command.loc.begin, command.loc.end};
      host = HostIn("'" + to + "'");
      return;
    }
    if (program != "curl" && program != "wget" && program != "nc" && program != "ncat") continue;
    bool whole = program == "nc" || program == "ncat";
    bool named = false;
    for (const code::ShellWord& word : command.words) {
      if (host.empty()) host = HostIn(word.text);
      whole = whole || word.text == "@-" || word.text == "-T-" || word.text == "--post-file=-" || word.text == "-d@-" ||
              word.text == "--data-binary=@-" || word.text == "/dev/stdin" || word.text == "@/dev/stdin";
      named = named || uses_told(word) || uses_argument(word, index);
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
      const bool echoes = (head == "echo" || head == "printf") && std::ranges::any_of(first->words, uses_told);
      passes = passes || echoes;
    }
    if (named || (whole && passes)) {
      sent = base::ByteSpan{command.loc.begin, command.loc.end};
      if (!host.empty()) return;
    }
  }
}

// . "$here/lib.sh", source lib.sh: the text of the scripts beside it that it reads.
std::string SourcedBy(const FileContext& script, const std::vector<FileContext>& files) {
  constexpr std::size_t kMost = std::size_t{64} << 10U;
  std::string out;
  const std::string_view text = script.text();
  const std::string_view path = script.file->path;
  const std::string_view folder = path.substr(0, path.rfind('/') + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(". ") && !line.starts_with("source ")) continue;
    std::string_view named = line.substr(line.find(' ') + 1);
    named = named.substr(0, named.find_last_not_of(" \"'\r") + 1);
    named.remove_prefix(std::min(named.rfind('/') + 1, named.size()));
    for (const FileContext& file : files) {
      const std::string_view there = file.file->path;
      if (file.runs() != FileType::kShell || !there.starts_with(folder) || BaseName(there) != named) continue;
      if (&file != &script && out.size() + file.text().size() <= kMost) out += std::string(file.text()) + "\n";
    }
  }
  return out;
}

// The file of the package that a hook's command starts.
const FileContext* ScriptOf(const FilesByName& files, const HookCommand& hook) {
  const code::ShellScript line = code::ParseShell(hook.command);
  for (const code::ShellCommand& command : line.commands) {
    for (const code::ShellWord& word : command.words) {
      std::string_view path = word.text;
      if (const std::size_t unknown = path.rfind(kUnknown); unknown != std::string_view::npos)
        path.remove_prefix(unknown + 1);
      while (path.starts_with("./") || path.starts_with('/')) path.remove_prefix(path.starts_with('/') ? 1 : 2);
      if (path.find('.') == std::string_view::npos) continue;
      if (const FileContext* file = FileOf(files, path)) return file;
    }
  }
  return nullptr;
}

// Asked before a tool runs, about any tool or about the one that runs commands.
bool IsAskedFirst(const HookCommand& hook) {
  if (!hook.name.starts_with("hooks.")) return false;
  const std::string name = LowerCase(hook.name);
  if (!SaysAny(name, {"pretooluse", "permissionrequest", "beforetool", "beforeshellexecution", "beforemcpexecution"}))
    return false;
  const std::string matcher = LowerCase(hook.matcher);
  return matcher.empty() || matcher == "*" || matcher == ".*" || SaysAny(matcher, {"bash", "shell", "mcp__.*", "^.*$"});
}

// {"permissionDecision": "allow"}, in whatever quotes; {decision: "approve"}, behavior: allow.
bool AnswersYes(std::string_view text) {
  const std::string lower = LowerCase(text);
  const bool decides = SaysAny(lower, {"permissiondecision", "\"permission\"", "behavior", "decision"});
  bool yes = false;
  for (const std::string_view word : {"allow", "approve"}) {
    for (std::size_t at = lower.find(word); at != std::string::npos && !yes; at = lower.find(word, at + 1)) {
      const char before = at > 0 ? lower[at - 1] : ' ';
      const char after = at + word.size() < lower.size() ? lower[at + word.size()] : ' ';
      yes = (before == '"' || before == '\'' || before == '-' || before == ' ' || before == '=') &&
            (after == '"' || after == '\'' || after == '}' || after == '\\' || after == '\n' || after == ' ');
    }
  }
  return decides && yes;
}

// What a script says at its end, where nothing has led elsewhere: a line of no block, or a function that it calls
// there.
bool EndsInYes(std::string_view text) {
  std::string_view last;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == '#' || line.front() == '}')
      continue;
    if (line.starts_with("exit") || line == "fi" || line == "done" || line == "esac") {
      if (line.starts_with("exit")) continue;
      last = {};
      continue;
    }
    last = line;
  }
  if (last.empty() || last.ends_with("{") || last.ends_with("then") || last.ends_with("do")) return false;
  if (AnswersYes(last)) return true;
  const std::string name(last.substr(0, last.find_first_of(" (;")));
  if (name.empty() ||
      (last.size() > name.size() && last[name.size()] == ' ' && !AnswersYes("decision " + std::string(last))))
    return false;
  const std::size_t made = text.find("\n" + name + "()");
  if (made == std::string_view::npos) return false;
  return AnswersYes(text.substr(made, text.find("\n}", made) - made));
}

// Whether a line of a script looks at what is asked: it names it, and does more than write it down.
bool LooksAtCall(std::string_view text) {
  constexpr auto kAsked =
      std::to_array<std::string_view>({"tool_name", "toolName", ".command", "\"command\"", "'command'", "tool_input\"]",
                                       "tool_input')", "toolInput", "tool_input.get"});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    // What goes to the standard output is the answer.
    const bool noted =
        SaysAny(line, {".write(", "appendFile", "writeFile", "console.error", ".info(", ".debug(", ">> "}) &&
        !SaysAny(line, {"stdout", "if ", "if(", " ? ", "&& ", "|| "});
    if (!noted && SaysAny(line, kAsked)) return true;
  }
  return false;
}

// Whether it says yes without a look at what it is asked about.
bool SaysYesToAll(std::string_view text, bool shell) {
  if (!AnswersYes(text)) return false;
  return (shell && EndsInYes(text)) || !LooksAtCall(text);
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

std::vector<AgentHook> AgentHooksOf(const SupplyFacts& supply, const std::vector<FileContext>& files) {
  std::vector<AgentHook> hooks;
  std::optional<FilesByName> by_name;
  for (const HookCommand& hook : supply.hooks) {
    if (hook.file >= files.size() || files[hook.file].reach > Reach::kRuntime || !CarriesContent(hook.name)) continue;
    if (!by_name) by_name = ByName(files);
    hooks.push_back({&hook, ScriptOf(*by_name, hook)});
  }
  return hooks;
}

std::vector<std::uint32_t> HookScripts(const SupplyFacts& supply, const std::vector<FileContext>& files) {
  std::vector<std::uint32_t> out;
  std::optional<FilesByName> by_name;
  for (const HookCommand& hook : supply.hooks) {
    if (hook.file >= files.size() || files[hook.file].reach > Reach::kRuntime || !hook.name.starts_with("hooks."))
      continue;
    if (!by_name) by_name = ByName(files);
    if (const FileContext* script = ScriptOf(*by_name, hook)) out.push_back(script->index);
  }
  return out;
}

void TellPrinted(const FileContext& script, std::vector<code::ToldText>& out) {
  constexpr std::size_t kShortest = 40;  // less is a label
  const code::ShellScript parsed = code::ParseShell(script.text());
  const auto tell = [&](const code::ShellWord& word) {
    // A word alone is a name or an option; braces are a filter's or a form's.
    if (word.text.size() < kShortest || word.text.find(' ') == std::string::npos || word.text.front() == '{') return;
    code::ToldText& told = out.emplace_back();
    told.file = script.index;
    told.loc = word.loc;
    told.text = word.text;
    std::ranges::replace(told.text, kUnknown, ' ');
    told.place = code::ToldText::Place::kGuide;
  };
  for (const code::ShellCommand& command : parsed.commands) {
    const std::string program = code::shell::ProgramOf(command);
    // note="..."; read -r -d '' note <<'END'
    for (const auto& [name, value] : command.assignments) tell(value);
    if (program != "echo" && program != "printf" && program != "cat" && program != "jq" && program != "read") continue;
    for (std::size_t i = 1; i < command.words.size(); ++i) tell(command.words[i]);
    for (const auto& [op, text] : command.redirects) {
      if (op == "<<" || op == "<<<") tell(text);
    }
  }
}

void JudgeAgentHooks(const std::vector<AgentHook>& hooks, const std::vector<FileContext>& files,
                     std::vector<RawFinding>& out) {
  const auto weigh = [&](RawFinding& finding, std::string_view hook) {
    finding.subject = hook.substr(0, 80);
    finding.message = fmt::format("sends what `{}` is told to {}", hook.substr(0, 80), finding.host);
    if (IsTold(files, finding.host)) finding.scale = 0.4;
    finding.has_reach = true;
    finding.reach = Reach::kAgent;
  };
  // What the code's own flow shows already is one case, not two; one file is one case.
  std::set<std::uint32_t> shown;
  for (const RawFinding& finding : out) {
    if (finding.rule.starts_with("EXFIL-")) shown.insert(finding.file);
  }
  std::erase_if(out, [&](RawFinding& finding) {
    if (finding.rule != kHookRule) return false;
    if (hooks.empty() || !shown.insert(finding.file).second) return true;
    const auto own = std::ranges::find_if(
        hooks, [&](const AgentHook& hook) { return hook.script != nullptr && hook.script->index == finding.file; });
    weigh(finding, own != hooks.end() ? own->command->name : hooks.front().command->name);
    return false;
  });
  // `before`: bytes of other scripts that stand in front.
  const auto judge = [&](std::uint32_t file, std::string_view text, base::ByteSpan bytes, bool whole,
                         std::string_view hook, std::size_t before = 0) {
    std::optional<base::ByteSpan> sent;
    std::string host;
    JudgeShellHook(text, sent, host);
    if (!sent || host.empty() || !shown.insert(file).second) return;
    RawFinding& finding = out.emplace_back();
    finding.rule = kHookRule;
    finding.file = file;
    finding.bytes = whole                  ? bytes
                    : sent->begin < before ? base::ByteSpan{0, text.substr(before).find('\n')}
                                           : base::ByteSpan{sent->begin - before, sent->end - before};
    finding.host = host;
    weigh(finding, hook);
  };
  std::set<const FileContext*> judged;  // scripts: several hooks may start one
  for (const AgentHook& hook : hooks) {
    if (IsAskedFirst(*hook.command)) {
      const bool inline_yes = SaysYesToAll(hook.command->command, false);
      const bool script_yes = hook.script != nullptr && hook.script->text().size() <= kMostScript &&
                              SaysYesToAll(hook.script->text(), hook.script->runs() == FileType::kShell);
      if (inline_yes || script_yes) {
        RawFinding& finding = out.emplace_back();
        finding.rule = "PERSIST-003";
        finding.file = hook.command->file;
        finding.bytes = hook.command->bytes;
        finding.subject = hook.command->name.substr(0, 80);
        finding.message = "answers `allow` in the user's place, whatever the tool is asked to do";
        finding.has_reach = true;
        finding.reach = Reach::kAgent;
      }
    }
    judge(hook.command->file, hook.command->command, hook.command->bytes, true, hook.command->name);
    const FileContext* script = hook.script;
    if (script == nullptr || script->runs() != FileType::kShell || script->text().size() > kMostScript) continue;
    if (!judged.insert(script).second) continue;
    const std::string library = SourcedBy(*script, files);
    judge(script->index, library + std::string(script->text()), {}, false, hook.command->name, library.size());
  }
}

}  // namespace interlock::scan
