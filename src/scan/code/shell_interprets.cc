// What is run: texts, files, and programs that other programs are given.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "code/flow.h"
#include "code/shell_analysis.h"
#include "code/walls.h"

namespace interlock::scan::code::shell {

constexpr std::size_t kLongestShown = 100;
constexpr std::size_t kMostOfContent = 4096;

// What a program that a shell is given does, as an act of the shell.
struct ActOfRule {
  std::string_view rule;
  ShellAct act;
  std::uint8_t gravity;
  bool by_program = false;  // the program is shown, and no host
};
constexpr auto kActs = std::to_array<ActOfRule>({
    {"RCE-001", ShellAct::kFetchAndRun, 2},
    {"RCE-004", ShellAct::kFetchAndRun, 2},
    {"RCE-002", ShellAct::kReverseShell, 2},
    {"RCE-003", ShellAct::kReverseShell, 2},
    {"SH-003", ShellAct::kReverseShell, 2},
    {"SH-004", ShellAct::kSendSecret, 1},
    {"SH-015", ShellAct::kSendTaken, 1},
    {"EXFIL-001", ShellAct::kSendSecret, 1},
    {"EXFIL-002", ShellAct::kSendSecret, 1},
    {"EXFIL-003", ShellAct::kSendSecret, 1},
    {"EXFIL-004", ShellAct::kSendSecret, 1},
    {"EXFIL-006", ShellAct::kSendSecret, 1},
    {"EXFIL-012", ShellAct::kSendSecret, 1},
    {"SH-002", ShellAct::kDecodeAndRun, 2, true},
    {"OBFUSC-001", ShellAct::kDecodeAndRun, 2, true},
    {"OBFUSC-002", ShellAct::kDecodeAndRun, 2, true},
    {"SH-005", ShellAct::kWriteStartup, 2, true},
    {"PERSIST-001", ShellAct::kWriteStartup, 2, true},
    {"SH-006", ShellAct::kWriteAgent, 2, true},
    {"PERSIST-003", ShellAct::kWriteAgent, 2, true},
    {"SH-007", ShellAct::kDelete, 2, true},
    {"DESTROY-001", ShellAct::kDelete, 2, true},
    {"SH-008", ShellAct::kPermission, 2, true},
    {"SH-014", ShellAct::kGrant, 1, true},
    {"SH-016", ShellAct::kRuin, 1, true},
});

// The first address in a program; "*" where none stands there.
static std::string FirstUrl(const std::string& text) {
  const std::size_t at = std::min(text.find("http://"), text.find("https://"));
  return at == std::string::npos ? "*" : text.substr(at, text.find_first_of("'\" )\\", at) - at);
}

// Code given to python -c, node -e and the like, told by words: those languages have front ends of their own.
void Analysis::InlineCode(std::uint32_t index, std::string_view program, const ShellWord& code) {
  std::string text = LowerCase(std::string_view(code.text).substr(0, 32 << 10));
  // perl -MLWP::Simple -e ..., ruby -ropen-uri -e ...: libraries stand among the options.
  for (const ShellWord& word : script_.commands[index].words) {
    if (word.text.starts_with("-M") || word.text.starts_with("-r")) text += "\n" + LowerCase(word.text.substr(0, 64));
  }
  bool net = HasOneOf(text, {"urllib",
                             "urlopen",
                             "requests.",
                             "http.client",
                             "httpx",
                             "fetch(",
                             "http.get",
                             "https.get",
                             "net/http",
                             "open-uri",
                             "lwp",
                             "copy('http",
                             "copy(\"http",
                             "fopen('http",
                             "`curl ",
                             "`wget ",
                             "file_get_contents(\"http",
                             "file_get_contents('http",
                             "curl_exec",
                             "axios"});
  bool runs =
      HasOneOf(text, {"exec(", "eval(", "os.system(", "subprocess", "popen(", "new function(", "vm.run", "system(",
                      "execsync(", "eval ", "shell_exec(", "pty.spawn", "spawn(", "include '", "include \""});
  bool socket = HasOneOf(text, {"socket", "net.connect", "createconnection", "fsockopen", "tcpsocket"});
  bool shell = HasOneOf(text, {"dup2", "pty.spawn", "/bin/sh", "/bin/bash", "cmd.exe", "sh -i", "proc_open"});
  bool decode = HasOneOf(text, {"b64decode", "fromhex", "unhexlify", "zlib.decompress", "marshal.loads", "atob(",
                                "buffer.from(", "base64_decode", "decode64", "decode_base64", "codecs.decode"});
  if (socket && shell) {
    Emit(ShellAct::kReverseShell, index, std::string(program), 2);
    return;
  }
  if (InlineFlow(index, program, code)) return;
  if (net && runs) {
    const std::string url = FirstUrl(code.text);
    // subprocess of something else is no running of what was fetched; exec and eval are.
    bool direct = HasOneOf(text, {"exec(", "eval(", "os.system(", "new function(", "vm.run", "eval ", "include ",
                                  "require '", "include_once"});
    if (direct) {
      Emit(ShellAct::kFetchAndRun, index, url, FetchGravity(url));
    } else {
      Emit(ShellAct::kFetch, index, url);
    }
    return;
  }
  if (decode && HasOneOf(text, {"exec(", "eval(", "os.system(", "new function(", "system("})) {
    ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
    use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
    return;
  }
  Taint taint = OfWord(code);
  RunTaint(index, taint);
}

// The same code as a program of its own.
bool Analysis::InlineFlow(std::uint32_t index, std::string_view program, const ShellWord& code) {
  static thread_local int depth = 0;  // of programs given to programs
  const bool python = program.starts_with("python");
  const bool javascript = program == "node" || program == "bun" || program == "deno";
  if ((!python && !javascript) || depth >= 2 || code.text.size() < 24 || code.text.size() > (64U << 10U)) return false;
  ++depth;
  std::string text = code.text;
  std::replace(text.begin(), text.end(), kUnknownChar, '_');
  const Module module = python ? LowerPython(text, 0) : LowerJavaScript(text, 0, false, false);
  PackageModules package;
  package.modules.push_back(&module);
  package.paths.emplace_back(python ? "inline.py" : "inline.js");
  const CodeFacts facts = AnalyzeCode(package, {core::Reach::kRuntime});
  --depth;
  for (const RawFinding& finding : facts.findings) {
    if (finding.scale < 0.6) continue;
    const std::string host = finding.host.empty() ? std::string(program) : finding.host;
    if (finding.rule == "SH-001") {
      // os.system("curl ... | sh"): a shell inside the program.
      const std::string url = FirstUrl(code.text);
      Emit(ShellAct::kFetchAndRun, index, url, FetchGravity(url));
      return true;
    }
    if (finding.rule == "GRANT-003" || finding.rule == "DESTROY-002") {
      if (WallNamed(finding.subject) == nullptr) continue;
      Emit(ShellAct::kTakeDown, index, finding.message.substr(0, kLongestShown)).content = finding.subject;
      return true;
    }
    const auto same = std::ranges::find(kActs, finding.rule, &ActOfRule::rule);
    if (same == kActs.end()) continue;
    const bool fetched = same->act == ShellAct::kFetchAndRun;
    // No installer asks for this: those are handed to a shell.
    const std::string url = fetched ? FirstUrl(code.text) : "*";
    std::string detail = same->by_program ? std::string(program) : url == "*" ? host : url;
    // What is written, for whoever asks whether it fetches.
    Emit(same->act, index, std::move(detail), same->gravity).content = LowerCase(code.text.substr(0, kMostOfContent));
    return true;
  }
  return false;
}

bool Analysis::Evaluates(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  if (program == "eval" || program == "source" || program == "." || program == "iex" ||
      program == "invoke-expression") {
    Taint taint;
    bool decoded = false;
    for (std::size_t i = 1; i < count; ++i) {
      bool file = program == "source" || program == ".";
      if (file && command.words[i].text == "/dev/stdin") {
        taint.Merge(input);
        for (const auto& [op, word] : command.redirects) {
          if (op == "<<<" || op == "<<") taint.Merge(OfWord(word));
        }
        break;
      }
      taint.Merge(file ? OfFile(command.words[i], index) : OfWord(command.words[i]));
      decoded |= !file && command.words[i].obfuscation >= 2;
      if (file) break;
    }
    if (program[0] == 'i') taint.Merge(input);
    if (program[0] == 'i' && (input.substituted || (count > 1 && !command.words[1].constant) || count == 1)) {
      taint.decoded = taint.decoded || MakesCharacters();
    }
    if (decoded && !taint.fetched && count > 1) {
      taint.decoded = true;
      ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
      use.obfuscation = 2;
      use.decoded = Shown(command.words[1].text);
      return true;
    }
    RunTaint(index, taint);
    return true;
  }
  if (program == "load" && HasOneOf(text_, {"Assembly]::Load", "assembly]::load", "CurrentDomain.Load"})) {
    // A program of the platform, out of bytes that never were a file.
    Taint bytes;
    for (std::size_t i = 1; i < count; ++i) bytes.Merge(OfWord(command.words[i]));
    RunTaint(index, bytes);
    return true;
  }
  return false;
}

// A file that was fetched, run by its own name.
void Analysis::RunsByName(std::uint32_t index, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  if (count == 0 || command.words[0].text.empty()) return;
  const ShellWord& word = command.words[0];
  if (Has(word.text, "/") || word.variables.size() == 1 || script_.dialect == ShellDialect::kBatch ||
      Has(word.text, "\\")) {
    if (const Taint* file = File(word.text, word.variables)) {
      RunTaint(index, *file);
    } else {
      RunTaint(index, OfUnpacked(word));
    }
  }
  if (word.constant || word.commands.empty()) return;
  // & (Get-Command i*x) $text: a command that is found by a pattern hides which it is.
  for (std::uint32_t made : word.commands) {
    if (made >= index || !Is(ProgramOf(script_.commands[made]), {"get-command", "gcm", "get-alias", "gal"})) continue;
    if (!std::ranges::any_of(script_.commands[made].words,
                             [](const ShellWord& each) { return HasOneOf(each.text, {"*", "?"}); })) {
      continue;
    }
    Taint given = input;
    for (std::size_t i = 1; i < count; ++i) given.Merge(OfWord(command.words[i]));
    return RunTaint(index, given);
  }
  RunTaint(index, OfWord(word));  // $(curl ...) as a command of its own
}

namespace {

enum class Option : std::uint8_t {
  kOther,
  kCode,     // the next word is a program
  kEncoded,  // ... in base64
};

// What an interpreter's option at `*at`, which is moved on over the word that belongs to it, says of what is run.
Option OptionOf(const ShellCommand& command, std::string_view program, std::size_t* at, bool* reads_input) {
  const std::size_t count = command.words.size();
  std::size_t& i = *at;
  const std::string_view text = command.words[i].text;
  bool code = false;
  if (IsShell(program)) {
    code = text[0] == '-' && text[1] != '-' && Has(text, "c");
    if (text == "-o" || text == "+o") ++i;
  } else if (IsPowerShell(program)) {
    std::string flag = LowerCase(text);
    code = flag == "-c" || flag == "-command";
    if (flag == "-f" || flag == "-file") return Option::kOther;
    if (flag.starts_with("-e") && !flag.starts_with("-ex") && flag != "-ep" && i + 1 < count) {
      return Option::kEncoded;
    }
    if (flag == "-ep" || flag.starts_with("-exec") || flag.starts_with("-win") || flag == "-w") ++i;
  } else {
    code = text == "-c" || text == "-e" || text == "-r" || text == "--eval" || text == "-E" || text == "-p" ||
           text == "-pe" || text == "-ne" || text == "-le" || text == "-lne" || text == "eval" || text == "-p";
    if ((program == "node" || program == "nodejs") && (text == "-r" || text == "--require")) {
      ++i;
      return Option::kOther;
    }
    if (text == "-m") *reads_input = false;
  }
  return code && i + 1 < count ? Option::kCode : Option::kOther;
}

}  // namespace

// powershell -EncodedCommand
void Analysis::RunsEncoded(std::uint32_t index, std::string_view program, const ShellWord& body) {
  ShellUse& use = Emit(ShellAct::kDecodeAndRun, index, std::string(program), 2);
  use.obfuscation = std::max<std::uint8_t>(use.obfuscation, 2);
  if (auto bytes = DecodeBase64(body.text)) {
    use.decoded = FromUtf16Le(std::string_view(*bytes).substr(0, 4096));
  }
}

void Analysis::RunsCode(std::uint32_t index, std::string_view program, const ShellWord& body, const Taint& input) {
  if (IsShell(program)) {
    Taint inner = OfWord(body);
    // xargs -I{} sh -c '{}'
    const std::vector<std::string>& wrappers = script_.commands[index].wrappers;
    if (Is(body.text, {"{}", "%", "$0", "$1", "$@"}) && std::ranges::find(wrappers, "xargs") != wrappers.end())
      return RunTaint(index, input);
    // Only where the text is the output: sh -c "$(curl ...)", not sh -c "echo $(curl ...)".
    std::string_view bare = body.text;
    while (!bare.empty() && (bare[0] == ' ' || bare[0] == '\n')) bare.remove_prefix(1);
    if (!bare.empty() && (bare[0] == kUnknownChar || body.obfuscation >= 2)) {
      if (body.obfuscation >= 2) inner.decoded = true;
      RunTaint(index, inner);
    }
  } else if (!IsPowerShell(program)) {
    InlineCode(index, program, body);
  }
}

// A program on the standard input. Whether all is said of it.
bool Analysis::RunsInput(std::uint32_t index, std::string_view program, const Taint& input, Taint* taint) {
  const ShellCommand& command = script_.commands[index];
  const bool shell = IsShell(program);
  for (const auto& [op, word] : command.redirects) {
    if ((op == "<<" || op == "<<<") && !shell) InlineCode(index, program, word);
  }
  taint->Merge(input);
  // Through a socket or a named pipe.
  if (shell) {
    for (const auto& [op, word] : command.redirects) {
      bool device = Has(word.text, "/dev/tcp/") || Has(word.text, "/dev/udp/");
      if (device) {
        Emit(ShellAct::kReverseShell, index, word.text.substr(word.text.find("/dev/") + 9), 2);
        return true;
      }
    }
  }
  return false;
}

void Analysis::Interprets(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  if (Evaluates(index, program, input)) return;
  if (!IsInterpreter(program)) return RunsByName(index, input);
  bool reads_input = true;
  Taint taint;
  for (std::size_t i = 1; i < count; ++i) {
    const ShellWord& word = command.words[i];
    std::string_view text = word.text;
    if (text == "-" || text == "-s" || text == "/dev/stdin") break;
    if (text.size() > 1 && (text[0] == '-' || text[0] == '+')) {
      switch (OptionOf(command, program, &i, &reads_input)) {
        case Option::kCode:
          return RunsCode(index, program, command.words[i + 1], input);
        case Option::kEncoded:
          return RunsEncoded(index, program, command.words[i + 1]);
        case Option::kOther:
          continue;
      }
    }
    // The script.
    reads_input = false;
    if (!IsPowerShell(program) || text.ends_with(".ps1")) taint = OfFile(word, index);
    if (!taint.any()) taint = OfUnpacked(word);
    taint.secret = false;
    if (LooksLikeUrl(text)) {
      taint.fetched = true;
      taint.url = std::string(text);
      taint.fetch_loc = word.loc;
    }
    if ((program == "deno" || program == "bun") && text == "run") {
      reads_input = true;
      continue;
    }
    break;
  }
  if (reads_input && RunsInput(index, program, input, &taint)) return;
  RunTaint(index, taint);
}

}  // namespace interlock::scan::code::shell
