// What a variable may be: a loop gives it one value after another, a condition this one or that.
#include <algorithm>
#include <iterator>

#include "code/places.h"
#include "code/shell_internal.h"
#include "code/shell_paths.h"
#include "code/shell_words.h"

namespace interlock::scan::code::shell {
namespace {

constexpr std::size_t kMostNames = 128;  // of one branch

template <typename T>
void AddSome(std::vector<T>&& more, std::vector<T>& to) {
  const std::size_t room = kMaxLinks - std::min(to.size(), kMaxLinks);
  if (more.size() > room) more.resize(room);
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// A shell's words have no quotes any more, and its paths no folder before them.
Telling RankOf(std::string_view text, bool constant) {
  if (IsSecretPath(text) || IsStartupPath(text) || IsAgentPath(text)) return Telling::kSecret;
  const Telling telling = TellingOf(text);
  return telling == Telling::kWord && !constant ? Telling::kPlace : telling;
}

constexpr std::size_t kMostLines = 64;

}  // namespace

Variable Either(Variable before, Variable after) {
  if (before.text.empty() && before.commands.empty()) return after;
  AddSome(std::move(before.commands), after.commands);
  AddSome(std::move(before.variables), after.variables);
  after.obfuscation = std::max(after.obfuscation, before.obfuscation);
  const Telling says = RankOf(after.text, after.constant);
  for (std::string* const text : {&before.text, &before.other}) {
    if (StandsFor(RankOf(*text, true), says) && after.other.empty()) after.other = std::move(*text);
  }
  return after;
}

std::vector<ShellWord> LinesOf(const ShellWord& text, bool blanks) {
  const std::string_view ends = blanks ? " \t\n" : "\n";
  std::vector<ShellWord> out;
  for (std::size_t at = 0; at < text.text.size() && out.size() < kMostLines;) {
    const std::size_t end = std::min(text.text.find_first_of(ends, at), text.text.size());
    std::string line = text.text.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    ShellWord& one = out.emplace_back();
    one.constant = line.find(kUnknownChar) == std::string::npos;
    one.text = std::move(line);
    if (!one.constant) one.variables = text.variables;
    if (!one.constant) one.commands = text.commands;
    one.obfuscation = text.obfuscation;
    one.loc = text.loc;
  }
  return out;
}

std::vector<ShellWord> PrintedLines(const ShellScript& script, std::uint32_t command, bool blanks) {
  if (command >= script.commands.size()) return {};
  const ShellCommand& printing = script.commands[command];
  const std::string program = ProgramOf(printing);
  std::vector<ShellWord> out;
  const auto add = [&](const ShellWord& text) {
    for (ShellWord& line : LinesOf(text, blanks)) {
      if (out.size() < kMostLines) out.push_back(std::move(line));
    }
  };
  if (program == "echo" || program == "printf") {
    std::size_t first = program == "printf" && printing.words.size() > 2 ? 2 : 1;
    while (first < printing.words.size() && printing.words[first].text.starts_with('-')) ++first;
    for (std::size_t i = first; i < printing.words.size(); ++i) {
      ShellWord word = printing.words[i];
      // printf 'a\nb\n'
      if (word.text.find('\\') != std::string::npos) {
        std::string escaped;
        AppendEscaped(word.text, escaped, nullptr);
        word.text = std::move(escaped);
      }
      add(word);
    }
  } else if (program == "find" || program == "fd") {
    // Of what is found only keys say anything: who clears up finds much.
    ShellWord found;
    found.text = PlaceOfFound(printing);
    found.loc = printing.loc;
    if (IsSecretPath(found.text)) out.push_back(std::move(found));
  } else if (program == "cat") {
    for (const auto& [op, text] : printing.redirects) {
      if (op == "<<" || op == "<<<") add(text);
    }
  }
  return out;
}

std::string ReadBy(std::string_view rest) {
  constexpr std::size_t kMostWords = 8;
  rest = rest.substr(0, std::min(rest.find_first_of(";\n"), std::size_t{200}));
  bool reads = false;
  char between = ' ';
  std::string names;
  for (std::size_t i = 0; i < kMostWords && !rest.empty(); ++i) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(word.size());
    if (word.empty()) break;
    if (!reads) {
      if (word == "read") {
        reads = true;
      } else if (word.find('=') == std::string_view::npos) {
        return {};
      } else if (word.starts_with("IFS=") && word.size() > 4) {
        const std::size_t sign = word.find_first_not_of("$'\"", 4);
        if (sign == std::string_view::npos) continue;  // nothing parts the line
        between = word.substr(sign).starts_with("\\t") ? '\t' : word[sign];
      }
    } else if (!word.starts_with('-')) {
      const bool plain = std::ranges::all_of(word, [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
      if (!plain || IsLetter(between) || between == '_') return {};
      if (!names.empty()) names += between;
      names += word;
    }
  }
  return names;
}

void GiveTurn(std::unordered_map<std::string, Variable>& variables, std::string_view names, Variable value) {
  const auto part = [](char c) { return !IsLetter(c) && !IsDigit(c) && c != '_'; };
  std::string_view line = value.text;
  while (true) {
    const auto end = std::ranges::find_if(names, part);
    const auto size = static_cast<std::size_t>(end - names.begin());
    const std::string name(names.substr(0, size));
    if (end == names.end()) {
      Variable last = value;
      last.text = std::string(line);
      variables[name] = std::move(last);
      return;
    }
    const std::size_t stop = std::min(line.find(*end), line.size());
    Variable one = value;
    one.text = std::string(line.substr(0, stop));
    one.other.clear();
    variables[name] = std::move(one);
    line.remove_prefix(std::min(stop + 1, line.size()));
    while (*end == ' ' && line.starts_with(' ')) line.remove_prefix(1);
    names.remove_prefix(size + 1);
  }
}

std::string FolderAfter(const ShellCommand& command, const std::string& before) {
  const std::string_view program = command.words.empty() ? std::string_view() : command.words[0].text;
  if (program == "popd") return {};
  constexpr std::string_view kPowerShell = "set-location";
  if (program != "cd" && program != "pushd" && program != "chdir" &&
      (program.size() != kPowerShell.size() || LowerCase(program) != kPowerShell)) {
    return before;
  }
  std::size_t at = 1;
  const auto is_option = [](std::string_view word) { return word == "/d" || (word.size() > 1 && word.front() == '-'); };
  while (at < command.words.size() && is_option(command.words[at].text)) ++at;
  if (at >= command.words.size()) return program == "cd" ? "~" : "";
  std::string to = command.words[at].text;
  if (to.empty() || to == "-" || to.find(kUnknownChar) != std::string::npos) return {};
  if (to.front() == '/' || to.front() == '~') return to;
  return before.empty() || to.starts_with("..") ? std::string() : before + "/" + to;
}

void Branches::Open() { open_.emplace_back(); }

void Branches::Next() {
  if (open_.empty()) return;
  for (const Maybe& one : open_.back()) {
    if (one.before.has_value()) {
      variables_[one.name] = *one.before;
    } else {
      variables_.erase(one.name);
    }
  }
}

void Branches::Close() {
  if (open_.empty()) return;
  std::vector<Maybe> branches = std::move(open_.back());
  open_.pop_back();
  for (Maybe& one : branches) {
    Variable value = std::move(one.given);
    if (one.before.has_value()) value = Either(*std::move(one.before), std::move(value));
    Set(std::move(one.name), std::move(value), false);
  }
}

void Branches::Set(std::string name, Variable value, bool may) {
  const auto known = variables_.find(name);
  if (may && known != variables_.end()) value = Either(known->second, std::move(value));
  if (!open_.empty()) {
    const auto entry = std::ranges::find(open_.back(), name, &Maybe::name);
    if (entry != open_.back().end()) {
      entry->given = Either(std::move(entry->given), value);
    } else if (open_.back().size() < kMostNames) {
      open_.back().push_back({name, known == variables_.end() ? std::nullopt : std::optional(known->second), value});
    }
  }
  variables_[std::move(name)] = std::move(value);
}

std::vector<Variable> TurnsOf(std::vector<ShellWord> values) {
  constexpr std::size_t kMostTurns = 16;
  if (values.empty()) return {{.text = std::string(1, kUnknownChar), .constant = false}};
  std::ranges::stable_sort(values, {}, [](const ShellWord& word) { return RankOf(word.text, word.constant); });
  std::vector<Variable> out;
  for (ShellWord& value : values) {
    if (out.size() < kMostTurns) {
      out.push_back({.text = std::move(value.text), .constant = value.constant, .obfuscation = value.obfuscation});
    }
    // What makes a value that has no turn makes the last one that has.
    AddSome(std::move(value.commands), out.back().commands);
    AddSome(std::move(value.variables), out.back().variables);
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace interlock::scan::code::shell
