// Dialects, wrappers, and texts that are handed to a shell.
#include "code/shell.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/shell_internal.h"
#include "code/shell_paths.h"
#include "static/part_set.h"

namespace interlock::scan::code {
namespace shell {
namespace {

constexpr std::array<std::string_view, 12> kShells = {"sh",   "bash", "zsh", "dash", "ksh",   "ash",
                                                      "mksh", "fish", "csh", "tcsh", "rbash", "bash.exe"};
constexpr std::array<std::string_view, 15> kInterpreters = {"python", "node", "perl", "ruby",      "php",
                                                            "lua",    "deno", "bun",  "osascript", "tclsh",
                                                            "nodejs", "iex",  "pypy", "rscript",   "invoke-expression"};

// Programs that run the rest of their line; how many operands of their own they take first.
struct Wrapper {
  std::string_view name;
  std::string_view value_flags;  // short options with a value
  int operands = 0;
};
constexpr std::array<Wrapper, 26> kWrappers = {{
    {"sudo", "ugpChrtUDRT"},
    {"doas", "uC"},
    {"env", "uCS"},
    {"nohup", ""},
    {"timeout", "ks", 1},
    {"gtimeout", "ks", 1},
    {"xargs", "IinLPsdEaJ"},
    {"time", "fo"},
    {"exec", "a"},
    {"command", ""},
    {"builtin", ""},
    {"nice", "n"},
    {"ionice", "cn"},
    {"stdbuf", "ioe"},
    {"setsid", ""},
    {"unbuffer", ""},
    {"busybox", ""},
    {"caffeinate", "tw"},
    {"proxychains", "f"},
    {"proxychains4", "f"},
    {"torsocks", ""},
    {"cross-env", ""},
    {"chronic", ""},
    {"then", ""},
    {"call", ""},
    {"systemd-run", "puEMH"},
}};

const Wrapper* WrapperOf(std::string_view program) {
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.name == program) return &wrapper;
  }
  return nullptr;
}

bool IsAssignment(std::string_view text) {
  std::size_t equal = text.find('=');
  if (equal == 0 || equal == std::string_view::npos) return false;
  return std::ranges::all_of(text.substr(0, equal), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void StripWrappers(ShellCommand& command) {
  for (int guard = 0; guard < 8; ++guard) {
    std::string program = ProgramOf(command);
    const Wrapper* wrapper = WrapperOf(program);
    if (wrapper == nullptr || command.words.size() < 2) return;
    std::size_t at = 1;
    while (at < command.words.size()) {
      const std::string& text = command.words[at].text;
      if (text == "--") {
        ++at;
        break;
      }
      if (text.size() > 1 && text[0] == '-') {
        if (program == "command" && (text == "-v" || text == "-V")) return;
        bool value = text.size() == 2 && wrapper->value_flags.find(text[1]) != std::string_view::npos;
        if (program == "env" && text == "-S") value = false;
        at += value ? 2 : 1;
        continue;
      }
      if ((program == "env" || program == "sudo" || program == "cross-env") && IsAssignment(text)) {
        ++at;
        continue;
      }
      break;
    }
    at += static_cast<std::size_t>(wrapper->operands);
    if (at >= command.words.size()) return;
    command.wrappers.push_back(program);
    command.words.erase(command.words.begin(), command.words.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// "${words[@]}" in the place of a program: its elements are the program and its words.
void SplitArray(ShellCommand& command, std::string_view source) {
  constexpr std::size_t kMostElements = 64;
  if (command.words.empty() || command.words[0].text.find(' ') == std::string::npos) return;
  const ShellWord all = command.words[0];
  if (all.loc.end > source.size() || all.loc.end < all.loc.begin) return;
  std::string_view written = source.substr(all.loc.begin, all.loc.end - all.loc.begin);
  if (written.ends_with('"')) written.remove_suffix(1);
  if (!written.ends_with("[@]}") && !written.ends_with("[*]}")) return;
  std::vector<ShellWord> words;
  for (std::size_t at = 0; at < all.text.size() && words.size() < kMostElements;) {
    const std::size_t end = std::min(all.text.find(' ', at), all.text.size());
    if (end > at) {
      words.push_back(all);
      words.back().text = all.text.substr(at, end - at);
    }
    at = end + 1;
  }
  command.words.erase(command.words.begin());
  command.words.insert(command.words.begin(), words.begin(), words.end());
}

// printf '%s\n' a b | xargs tar cf x: its words, where they stand in the script. Of those put in the place of {} the
// one that says most.
void PutFed(ShellCommand& command, const ShellScript& script) {
  if (command.pipe_from >= script.commands.size() || command.words.empty()) return;
  if (std::ranges::find(command.wrappers, "xargs") == command.wrappers.end()) return;
  std::vector<ShellWord> fed = PrintedLines(script, command.pipe_from, true);
  if (fed.empty()) return;
  const auto is_place = [](const ShellWord& word) { return word.text == "{}" || word.text == "%"; };
  if (std::ranges::none_of(command.words, is_place)) {
    command.words.insert(command.words.end(), fed.begin(), fed.end());
    return;
  }
  const Variable most = TurnsOf(std::move(fed)).back();
  for (ShellWord& word : command.words) {
    if (!is_place(word)) continue;
    word.text = most.text;
    word.constant = most.constant;
    word.commands = most.commands;
    word.variables = most.variables;
  }
}

// git -c key=value ...: settings for this one command, which are left out of its words.
std::vector<ShellWord> SettingsOfGit(const ShellCommand& command) {
  std::vector<ShellWord> out;
  if (ProgramOf(command) != "git") return out;
  for (std::size_t i = 1; i + 1 < command.words.size() && command.words[i].text.starts_with('-'); ++i) {
    if (command.words[i].text == "-c") out.push_back(command.words[++i]);
  }
  return out;
}

std::string Join(const ShellCommand& command, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < command.words.size() && text.size() < kMaxWordBytes; ++i) {
    if (i > from) text += ' ';
    text += command.words[i].text;
  }
  return text;
}

}  // namespace

std::string BaseName(std::string_view path) {
  std::size_t slash = path.find_last_of("/\\");
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string ProgramOf(const ShellCommand& command) {
  if (command.words.empty() || command.words[0].text.size() > 512) return {};
  const std::string& text = command.words[0].text;
  if (text.find(kUnknownChar) != std::string::npos) {
    // "$BIN/curl" is still curl.
    std::string base = BaseName(text);
    return base.find(kUnknownChar) == std::string::npos && base.size() < text.size() ? LowerCase(base) : std::string();
  }
  std::string program = LowerCase(BaseName(text));
  if (program.ends_with(".exe") || program.ends_with(".cmd")) program.resize(program.size() - 4);
  return program;
}

bool IsShell(std::string_view program) {
  static constexpr FixedWords kWords(kShells);
  return kWords.Has(program);
}
bool IsPowerShell(std::string_view program) { return program == "powershell" || program == "pwsh"; }
bool IsInterpreter(std::string_view program) {
  static constexpr FixedWords kWords(kInterpreters);
  if (IsShell(program) || IsPowerShell(program) || kWords.Has(program)) return true;
  for (std::string_view name : {"python", "pypy", "ruby", "perl", "php", "lua"}) {
    if (program.starts_with(name) && program.size() <= name.size() + 5 &&
        program.find_first_not_of("0123456789.", name.size()) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

Builder::Builder(ShellScript& out, std::string_view text, const LowerLimits& limits)
    : out_(out),
      text_(text),
      steps_left_(limits.max_nodes),
      scan_left_(text.size() * 4 + (64 << 10)),
      reread_left_(text.size() * 4 + (64 << 10)),
      text_left_(text.size() * 2 + (256 << 10)) {}

std::string_view Builder::Keep(std::string text) {
  out_.strings.push_back(std::make_unique<std::string>(std::move(text)));
  return *out_.strings.back();
}

std::uint32_t Builder::Add(ShellCommand command) {
  SplitArray(command, text_);
  StripWrappers(command);
  PutFed(command, out_);
  const std::vector<ShellWord> settings = SettingsOfGit(command);
  FrontVerb(command);
  command.condition_depth = condition_depth;
  command.parent = parent;
  command.obfuscation = obfuscation;
  command.folder = folder;
  folder = FolderAfter(command, folder);
  auto index = static_cast<std::uint32_t>(out_.commands.size());
  out_.commands.push_back(std::move(command));
  if (depth >= kMaxDepth) return index;
  Unwrap(index);
  for (const ShellWord& setting : settings) {
    const std::string_view text = setting.text;
    const std::size_t equals = std::min(text.find('='), text.size());
    UnwrapSetting(index, text.substr(0, equals), text.substr(std::min(equals + 1, text.size())), setting.loc);
  }
  return index;
}

void Builder::AddWithin(std::uint32_t index, ShellCommand inner) {
  const std::uint32_t outer = std::exchange(parent, index);
  ++depth;
  Add(std::move(inner));
  --depth;
  parent = outer;
}

void Builder::ParseText(std::string text, Loc loc, std::uint32_t in, std::uint8_t level, ShellDialect dialect,
                        std::uint32_t fed_by) {
  if (text.empty() || depth >= kMaxDepth || !Spend(text.size() + 16)) return;
  // A quoted argument stands in the file as it is: then its parts have places of their own.
  std::string_view place;
  std::size_t shift = 0;
  if (in != kNone && out_.commands[in].parent == kNone && loc.end <= text_.size() &&
      loc.end - loc.begin >= text.size() && loc.end - loc.begin <= text.size() + 2) {
    for (std::size_t skip = 0; skip <= 1 && place.empty(); ++skip) {
      if (loc.begin + skip + text.size() <= text_.size() && text_.substr(loc.begin + skip, text.size()) == text) {
        place = text_.substr(0, loc.begin + skip + text.size());
        shift = loc.begin + skip;
      }
    }
  }
  std::uint32_t outer = std::exchange(parent, in);
  std::uint8_t outer_level = std::exchange(obfuscation, std::max(obfuscation, level));
  ++depth;
  const std::uint32_t pipe_from = fed_by != kNone ? fed_by : in == kNone ? kNone : out_.commands[in].pipe_from;
  if (!place.empty() && dialect == ShellDialect::kPosix) {
    ParsePosixPart(place, shift, *this, pipe_from);
  } else {
    std::string_view kept = Keep(std::move(text));
    switch (dialect) {
      case ShellDialect::kPosix:
        ParsePosix(kept, &loc, *this, pipe_from);
        break;
      case ShellDialect::kPowerShell:
        ParsePowerShell(kept, &loc, *this);
        break;
      case ShellDialect::kBatch:
        ParseBatch(kept, &loc, *this);
        break;
    }
  }
  --depth;
  parent = outer;
  obfuscation = outer_level;
}

// sh -c "...", and a script on the standard input.
void Builder::UnwrapShell(std::uint32_t index) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  bool stdin_text = true;
  for (std::size_t i = 1; i < count; ++i) {
    const std::string& text = word(i).text;
    if (text == "-s" || text == "-" || text == "/dev/stdin") break;
    if (text.size() > 1 && (text[0] == '-' || text[0] == '+')) {
      if (text[0] == '-' && text[1] != '-' && text.find('c') != std::string::npos && i + 1 < count) {
        ParseText(word(i + 1).text, word(i + 1).loc, index, word(i + 1).obfuscation, ShellDialect::kPosix);
        return;
      }
      if (text == "-o" || text == "+o") ++i;
      continue;
    }
    stdin_text = false;
    RunWritten(index, text);
    break;
  }
  if (!stdin_text) return;
  std::string body;
  Loc loc;
  for (const auto& [op, value] : out_.commands[index].redirects) {
    if (op == "<<" || op == "<<<") {
      body = value.text;
      loc = value.loc;
    }
  }
  if (!body.empty()) {
    ParseText(std::move(body), loc, index, 0, ShellDialect::kPosix);
    return;
  }
  std::uint32_t from = out_.commands[index].pipe_from;
  if (from == kNone) return;
  unsigned decodes = 0;
  if (std::optional<std::string> text = ConstantOutput(out_, from, decodes)) {
    Loc whole{out_.commands[from].loc.begin, out_.commands[index].loc.end};
    ParseText(std::move(*text), whole, index, decodes > 0 ? 2 : 1, ShellDialect::kPosix);
  }
}

void Builder::UnwrapEval(std::uint32_t index) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  std::uint8_t level = 0;
  for (std::size_t i = 1; i < count; ++i) level = std::max(level, word(i).obfuscation);
  if (count == 2) {
    ParseText(word(1).text, word(1).loc, index, level, ShellDialect::kPosix);
  } else if (count > 2) {
    Loc loc{word(1).loc.begin, word(count - 1).loc.end};
    ParseText(Join(out_.commands[index], 1), loc, index, level, ShellDialect::kPosix);
  }
}

// What is run later, or again and again.
void Builder::UnwrapTrap(std::uint32_t index, std::string_view program) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  for (std::size_t i = 1; i < count; ++i) {
    if (word(i).text.empty() || word(i).text[0] == '-') continue;
    if (program == "watch" && word(i).text.find_first_not_of("0123456789.") == std::string::npos) continue;
    ParseText(program == "watch" ? Join(out_.commands[index], i) : word(i).text, word(i).loc, index, 0,
              ShellDialect::kPosix);
    return;
  }
}

// su -c "..."
void Builder::UnwrapOption(std::uint32_t index) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  for (std::size_t i = 1; i + 1 < count; ++i) {
    if (word(i).text == "-c" || word(i).text == "-qc" || word(i).text == "--command") {
      ParseText(word(i + 1).text, word(i + 1).loc, index, 0, ShellDialect::kPosix);
      return;
    }
  }
}

void Builder::UnwrapFind(std::uint32_t index) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const std::string& text = word(i).text;
    if (text != "-exec" && text != "-execdir" && text != "-ok" && text != "-x") continue;
    ShellCommand inner;
    inner.loc = {word(i + 1).loc.begin, word(i + 1).loc.end};
    const std::string place = PlaceOfFound(out_.commands[index]);
    for (std::size_t k = i + 1; k < count; ++k) {
      if (word(k).text == ";" || word(k).text == "+") break;
      inner.words.push_back(word(k));
      inner.loc.end = word(k).loc.end;
      std::string& text_of = inner.words.back().text;  // file=@{}
      if (const std::size_t at = text_of.find("{}"); at != std::string::npos && !place.empty())
        text_of.replace(at, 2, place);
    }
    // The files found are its operands; of what asks for addresses they are none.
    const bool asks = !inner.words.empty() && (inner.words[0].text == "curl" || inner.words[0].text == "wget");
    for (std::size_t k = 1; k < i && !asks; ++k) {
      if (!word(k).text.empty() && word(k).text[0] != '-') inner.words.push_back(word(k));
    }
    if (inner.words.empty()) return;
    AddWithin(index, std::move(inner));
    return;
  }
}

void Builder::UnwrapPowerShell(std::uint32_t index) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  for (std::size_t i = 1; i < count; ++i) {
    std::string flag = LowerCase(word(i).text);
    if (flag.empty()) continue;
    if (flag[0] == '/') flag[0] = '-';
    if (flag[0] != '-') {
      // powershell "iex ..." : -Command is what is meant.
      if (!flag.ends_with(".ps1")) {
        Loc loc{word(i).loc.begin, word(count - 1).loc.end};
        ParseText(Join(out_.commands[index], i), loc, index, 0, ShellDialect::kPowerShell);
      }
      return;
    }
    if (std::string_view("-encodedcommand").starts_with(flag) && flag.size() >= 2 && flag[1] == 'e' && i + 1 < count) {
      if (std::optional<std::string> bytes = DecodeBase64(word(i + 1).text)) {
        ParseText(FromUtf16Le(*bytes), word(i + 1).loc, index, 2, ShellDialect::kPowerShell);
      }
      return;
    }
    if (std::string_view("-command").starts_with(flag) && flag.size() >= 2 && i + 1 < count) {
      Loc loc{word(i + 1).loc.begin, word(count - 1).loc.end};
      ParseText(Join(out_.commands[index], i + 1), loc, index, 0, ShellDialect::kPowerShell);
      return;
    }
    if (flag == "-file" || flag == "-f") return;
    for (std::string_view valued : {"-executionpolicy", "-windowstyle", "-version", "-inputformat", "-outputformat",
                                    "-ep", "-ex", "-exec", "-w", "-psconsolefile", "-configurationname"}) {
      if (valued == flag || (flag.size() >= 4 && valued.starts_with(flag))) {
        ++i;
        break;
      }
    }
  }
}

// What is started, with its arguments.
void Builder::UnwrapStart(std::uint32_t index, std::string_view program) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  ShellCommand inner;
  for (std::size_t i = 1; i < count; ++i) {
    const std::string& text = word(i).text;
    std::string flag = LowerCase(text);
    if (program == "start" && !text.empty() && text[0] == '/' && inner.words.empty() && text.size() < 6) continue;
    if (flag.starts_with("-argumentlist") || flag == "-args" || flag.starts_with("-filepath")) continue;
    if (program == "start-process" && (flag == "-windowstyle" || flag == "-verb" || flag == "-workingdirectory")) {
      ++i;
      continue;
    }
    if (program == "start-process" && (flag == "-wait" || flag == "-nonewwindow" || flag == "-passthru")) continue;
    if (text.empty()) continue;  // the title
    if (inner.words.empty()) {
      inner.words.push_back(word(i));
      inner.loc = word(i).loc;
    } else {
      // One string may hold several arguments.
      std::size_t from = 0;
      while (from <= text.size() && inner.words.size() < 64) {
        std::size_t blank = std::min(text.find(' ', from), text.size());
        if (blank > from) {
          ShellWord part = word(i);
          part.text = text.substr(from, blank - from);
          inner.words.push_back(std::move(part));
        }
        from = blank + 1;
      }
      inner.loc.end = std::max(inner.loc.end, word(i).loc.end);
    }
  }
  if (inner.words.empty()) return;
  AddWithin(index, std::move(inner));
}

// git config filter.x.smudge "...", git -c alias.x='!...' x: what git runs by itself or by another name.
void Builder::UnwrapSetting(std::uint32_t index, std::string_view key, std::string_view text, Loc loc) {
  static constexpr auto kKeys = std::to_array<std::string_view>(
      {"filter.", "alias.", "diff.", "merge.", "pager.", "credential", "core.sshcommand", "core.fsmonitor",
       "core.pager", "core.editor", "core.gitproxy", "sequence.editor", "gpg.program"});
  const std::string lower = LowerCase(key);
  if (std::ranges::none_of(kKeys, [&](std::string_view one) { return lower.starts_with(one); })) return;
  if (text.starts_with('!')) text.remove_prefix(1);
  // A program alone is named, not told what to do.
  if (text.find(' ') == std::string_view::npos) return;
  // A filter is fed the files that git stages, a `textconv` those that it shows.
  const bool fed = lower.starts_with("filter.") || lower.starts_with("diff.");
  ParseText(std::string(text), loc, index, 0, ShellDialect::kPosix, fed ? index : kNone);
}

void Builder::UnwrapGit(std::uint32_t index) {
  const std::vector<ShellWord>& words = out_.commands[index].words;
  if (words.size() < 4 || words[1].text != "config") return;
  // By value: parsing adds commands.
  const ShellWord key = words[words.size() - 2];
  const ShellWord value = words.back();
  UnwrapSetting(index, key.text, value.text, value.loc);
}

void Builder::UnwrapBatch(std::uint32_t index) {
  const std::size_t count = out_.commands[index].words.size();
  const auto word = [&](std::size_t i) -> const ShellWord& { return out_.commands[index].words[i]; };
  for (std::size_t i = 1; i + 1 < count; ++i) {
    std::string flag = LowerCase(word(i).text);
    if (flag == "/c" || flag == "/k" || flag == "//c") {
      Loc loc{word(i + 1).loc.begin, word(count - 1).loc.end};
      ParseText(Join(out_.commands[index], i + 1), loc, index, 0, ShellDialect::kBatch);
      return;
    }
  }
}

namespace {

// A shell reads it: by its name, its first line, or since every shell reads it when it starts.
bool IsShellSource(std::string_view path, std::string_view body) {
  const std::string_view line = body.substr(0, body.find('\n'));
  if (line.starts_with("#!")) {
    const std::string_view program = line.substr(line.find_last_of(" /") + 1);
    return IsShell(program);
  }
  const std::string name = BaseName(path);
  for (const std::string_view ending : {".sh", ".bash", ".zsh", ".command"}) {
    if (name.ends_with(ending)) return true;
  }
  static constexpr PartSet kFolders(
      std::to_array<std::string_view>({"/hooks/", "cron.hourly/", "cron.daily/", "profile.d/"}));
  return IsShellStartup(name) || kFolders.AnyIn(path);
}

}  // namespace

// cat > ~/bin/sync.sh <<'EOF': the script that is written does what stands in it.
void Builder::UnwrapWritten(std::uint32_t index) {
  std::string_view path;
  const ShellWord* body = nullptr;
  for (const auto& [op, word] : out_.commands[index].redirects) {
    if (op == ">" || op == ">>") path = word.text;
    if (op == "<<") body = &word;
  }
  for (std::size_t i = 1; i < out_.commands[index].words.size() && path.empty(); ++i) {
    if (!out_.commands[index].words[i].text.starts_with('-')) path = out_.commands[index].words[i].text;  // tee FILE
  }
  if (body == nullptr || !IsShellSource(path, body->text)) return;
  const Loc loc = body->loc;
  ParseText(std::string(body->text), loc, index, 0, ShellDialect::kPosix);
}

// printf '...' > /tmp/r; sh /tmp/r: what the script has written, under a name that does not say that a shell reads it.
void Builder::NoteWritten(std::uint32_t index) {
  constexpr std::size_t kMostFiles = 64;
  constexpr std::size_t kLongest = std::size_t{16} << 10U;
  for (const auto& [op, path] : out_.commands[index].redirects) {
    if ((op != ">" && op != ">>") || !path.constant || written_.size() >= kMostFiles) continue;
    unsigned decodes = 0;
    const std::optional<std::string> text = ConstantOutput(out_, index, decodes);
    if (!text || text->size() > kLongest || IsShellSource(path.text, *text)) return;
    Written& file = written_[path.text];
    if (op == ">") file.text.clear();
    if (file.text.size() + text->size() <= kLongest) file.text += *text + "\n";
    file.loc = out_.commands[index].loc;
    file.obfuscation = decodes > 0 ? 2 : 0;
    return;
  }
}

void Builder::RunWritten(std::uint32_t index, const std::string& path) {
  const auto found = written_.find(path);
  if (found == written_.end()) return;
  const Written file = found->second;  // by value: what it holds may write it anew
  ParseText(file.text, file.loc, index, file.obfuscation, ShellDialect::kPosix);
}

// cat > config <<EOF ... ProxyCommand bash -c '...': what ssh runs for a host.
void Builder::UnwrapSshConfig(std::uint32_t index) {
  constexpr std::size_t kMostCommands = 16;
  std::vector<std::pair<std::string, Loc>> lines;
  for (const auto& [op, body] : out_.commands[index].redirects) {
    if (op != "<<") continue;
    for (const std::string_view option : {"ProxyCommand ", "LocalCommand ", "KnownHostsCommand "}) {
      for (std::size_t at = body.text.find(option); at != std::string::npos && lines.size() < kMostCommands;
           at = body.text.find(option, at + 1)) {
        const std::size_t from = at + option.size();
        lines.emplace_back(body.text.substr(from, body.text.find('\n', from) - from), body.loc);
      }
    }
  }
  for (auto& [line, loc] : lines) ParseText(std::move(line), loc, index, 0, ShellDialect::kPosix);
}

// PROMPT_COMMAND='...': what a shell runs before each prompt.
void Builder::UnwrapPrompt(std::uint32_t index) {
  const auto runs = [](std::string_view name) { return name == "PROMPT_COMMAND" || name == "precmd"; };
  std::vector<std::pair<std::string, Loc>> lines;
  for (const auto& [name, value] : out_.commands[index].assignments) {
    if (runs(name)) lines.emplace_back(value.text, value.loc);
  }
  for (const ShellWord& word : out_.commands[index].words) {
    const std::size_t equal = word.text.find('=');
    if (equal != std::string::npos && runs(std::string_view(word.text).substr(0, equal)))
      lines.emplace_back(word.text.substr(equal + 1), word.loc);
  }
  for (auto& [line, loc] : lines) ParseText(std::move(line), loc, index, 0, ShellDialect::kPosix);
}

// docker run -v /:/host alpine sh -c '...': a container that holds the whole machine keeps nothing from it.
void Builder::UnwrapContainer(std::uint32_t index) {
  const std::vector<ShellWord>& words = out_.commands[index].words;
  const bool opens = std::ranges::any_of(words, [](const ShellWord& word) {
    const std::string_view text = word.text;
    const std::size_t root = text.starts_with("/:/") ? 0 : text.find("=/:/");
    // -v ~/.ssh:/keys
    const std::string_view from = text.substr(0, text.find(':'));
    const bool gives = from.size() < text.size() && from.find('/') != std::string_view::npos && IsSecretPath(from);
    return text == "--privileged" || gives || (root != std::string_view::npos && !text.ends_with(":ro"));
  });
  if (!opens) return;
  for (std::size_t i = 2; i + 2 < words.size(); ++i) {
    if (!IsShell(BaseName(words[i].text)) || words[i + 1].text != "-c") continue;
    const Loc loc = words[i + 2].loc;
    return ParseText(std::string(words[i + 2].text), loc, index, 0, ShellDialect::kPosix);
  }
}

// Texts that the command hands to a shell.
void Builder::Unwrap(std::uint32_t index) {
  // By value: parsing adds commands.
  const std::string program = ProgramOf(out_.commands[index]);
  if (program.empty()) return UnwrapPrompt(index);
  if (IsShell(program)) return UnwrapShell(index);
  if (program == "export" || program == "declare") UnwrapPrompt(index);
  if (program == "eval") return UnwrapEval(index);
  if (program == "trap" || program == "watch") return UnwrapTrap(index, program);
  if (program == "su" || program == "script" || program == "flock" || program == "runuser") return UnwrapOption(index);
  if (program == "find" || program == "fd") return UnwrapFind(index);
  if (IsPowerShell(program)) return UnwrapPowerShell(index);
  if (program == "iex" || program == "invoke-expression") {
    const auto& words = out_.commands[index].words;
    if (words.size() == 2 && words[1].constant) {
      ParseText(words[1].text, words[1].loc, index, words[1].obfuscation, ShellDialect::kPowerShell);
    }
    return;
  }
  if (program == "start" || program == "start-process") return UnwrapStart(index, program);
  if (program == "cmd") UnwrapBatch(index);
  if (program == "git") UnwrapGit(index);
  if (program == "docker" || program == "podman") UnwrapContainer(index);
  if (program == "osascript") UnwrapAppleScript(index);
  if (program == "awk" || program == "gawk" || program == "mawk" || program == "nawk") UnwrapAwk(index);
  if (program == "echo" || program == "printf" || program == "cat" || program == "base64") NoteWritten(index);
  if ((program == "source" || program == ".") && out_.commands[index].words.size() > 1)
    return RunWritten(index, std::string(out_.commands[index].words[1].text));
  RunWritten(index, out_.commands[index].words[0].text);
  if (program == "alias" || program == "parallel") UnwrapWords(index, program == "alias");
  if (program == "new-scheduledtaskaction" || program == "schtasks") UnwrapTask(index, program);
  if (IsClientOfRows(program)) UnwrapStatement(index, program);
  if (program == "cat" || program == "tee") {
    UnwrapWritten(index);
    UnwrapSshConfig(index);
  }
}

}  // namespace shell

namespace {

// q() { dig +short "$@"; } and then `q "$part.host" A`: the call is that command with its words, wherever it stands.
void PutForwarded(ShellScript& script) {
  constexpr std::size_t kMostWords = 64;
  constexpr std::size_t kMostCalls = 2000;
  std::unordered_map<std::string_view, std::uint32_t> forwards;  // the one command of a function, by its name
  const auto all_words = [](const ShellWord& word) {
    return word.variables.size() == 1 && word.variables[0] == "@" && word.text.size() == 1;
  };
  for (const ShellFunction& function : script.functions) {
    if (function.end != function.first + 1 || function.end > script.commands.size()) continue;
    const std::vector<ShellWord>& words = script.commands[function.first].words;
    if (std::ranges::count_if(words, all_words) == 1 && (words.size() == 1 || words[0].text != function.name))
      forwards.emplace(function.name, function.first);
  }
  std::size_t calls = 0;
  for (std::uint32_t i = 0; i < script.commands.size() && !forwards.empty(); ++i) {
    ShellCommand& call = script.commands[i];
    const auto found = call.words.empty() ? forwards.end() : forwards.find(call.words[0].text);
    if (found == forwards.end() || found->second == i || ++calls > kMostCalls) continue;
    const ShellCommand& body = script.commands[found->second];
    if (body.words.size() + call.words.size() > kMostWords) continue;
    std::vector<ShellWord> words;
    for (const ShellWord& word : body.words) {
      if (all_words(word)) {
        words.insert(words.end(), call.words.begin() + 1, call.words.end());
      } else {
        words.push_back(word);
      }
    }
    if (words.empty()) continue;
    call.words = std::move(words);
    call.wrappers.insert(call.wrappers.end(), body.wrappers.begin(), body.wrappers.end());
  }
}

}  // namespace

ShellScript ParseShell(std::string_view text, const LowerLimits& limits, std::string_view path) {
  ShellScript script;
  if (text.size() > limits.max_bytes) {
    text = text.substr(0, limits.max_bytes);
    script.complete = false;
  }
  script.dialect = shell::DialectOf(text, path);
  shell::Builder builder(script, text, limits);
  switch (script.dialect) {
    case ShellDialect::kPosix:
      shell::ParsePosixPart(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0, builder, kNone);
      PutForwarded(script);
      break;
    case ShellDialect::kPowerShell:
      shell::ParsePowerShell(text, nullptr, builder);
      break;
    case ShellDialect::kBatch:
      shell::ParseBatch(text, nullptr, builder);
      break;
  }
  return script;
}

std::string ShellQuoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string CommandLine(std::string_view program, std::span<const std::string> words) {
  std::string line(program);
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"$`\\;&|<>()*?#~") == std::string::npos;
    line.append(" ").append(plain ? word : ShellQuoted(word));
  }
  return line;
}

}  // namespace interlock::scan::code
