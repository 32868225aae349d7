// PowerShell's words: strings, variables, methods, tables, and what of them is known.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/shell_powershell.h"

namespace interlock::scan::code::shell {

std::size_t PowerShellParser::PartEnd(std::size_t at) const {
  constexpr std::size_t kMostPlace = 200;
  while (at < t_.size()) {
    if (t_[at] == '.' && at + 1 < t_.size() && IsNameStart(t_[at + 1])) {
      ++at;
      while (at < t_.size() && (IsNameStart(t_[at]) || IsDigit(t_[at]))) ++at;
    } else if (t_[at] == '[') {
      const std::size_t close = t_.substr(0, std::min(t_.size(), at + kMostPlace)).find(']', at);
      if (close == std::string_view::npos) return at;
      at = close + 1;
    } else {
      return at;
    }
  }
  return at;
}

void PowerShellParser::Value(const ShellCommand& command, BlockResult& result) {
  const ShellWord& first = command.words[0];
  result.word = first;
  if (command.words.size() == 1) {
    // What runs in it may have put it in front of all that is known.
    result.valued = first.constant || first.commands.empty() || first.text[0] != kUnknownChar;
    return;
  }
  for (const ShellWord& word : command.words) {
    if (!word.constant || word.text.starts_with('-')) return;
  }
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!b_.Spend(command.words[i].text.size() + 1) || result.word.text.size() > kMaxWordBytes) return;
    result.word.text += ' ' + command.words[i].text;
  }
  result.word.constant = false;  // which of them is not known
  result.valued = true;
}

bool PowerShellParser::JoinPath(const ShellCommand& command, BlockResult& result) {
  if (command.words.size() < 3 || LowerCase(command.words[0].text) != "join-path") return false;
  std::size_t q = p_;
  while (q < t_.size() && IsBlank(t_[q])) ++q;
  if (q < t_.size() && t_[q] == '|') return false;
  ShellWord path;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (word.text.starts_with('-')) continue;
    if (!b_.Spend(word.text.size() + 1)) return false;
    if (!path.text.empty() && !path.text.ends_with('/') && !path.text.ends_with('\\')) path.text += '/';
    path.text += word.text;
    Carry(word, path);
  }
  path.loc = command.loc;
  for (const std::uint32_t link : path.commands) {
    if (result.outputs.size() < kMaxLinks) result.outputs.push_back(link);
  }
  result.valued = true;
  result.word = std::move(path);
  return true;
}

void PowerShellParser::Carry(const ShellWord& from, ShellWord& to) {
  to.constant &= from.constant;
  to.obfuscation = std::max(to.obfuscation, from.obfuscation);
  for (const std::uint32_t link : from.commands) {
    if (to.commands.size() < kMaxLinks) to.commands.push_back(link);
  }
  for (const std::string& name : from.variables) {
    if (to.variables.size() < kMaxLinks) to.variables.push_back(name);
  }
}

bool PowerShellParser::Splat(ShellCommand& command) {
  if (!IsNameStart(Peek(1)) || command.words.empty()) return false;
  std::size_t end = p_ + 1;
  while (end < t_.size() && (IsNameStart(t_[end]) || IsDigit(t_[end]))) ++end;
  const auto table = tables_.find(LowerCase(t_.substr(p_ + 1, end - p_ - 1)));
  if (table == tables_.end()) return false;
  for (const auto& [key, value] : table->second) {
    if (!b_.Spend(key.size() + value.text.size() + 1)) break;
    ShellWord flag;
    flag.text = "-" + key;
    flag.loc = At(p_, end);
    command.words.push_back(std::move(flag));
    command.words.push_back(value);
  }
  p_ = end;
  return true;
}

std::uint32_t PowerShellParser::Table(std::size_t begin, std::vector<std::pair<std::string, ShellWord>>& entries) {
  constexpr std::size_t kMostEntries = 64;
  if (b_.depth >= kMaxDepth) return kNone;
  ++b_.depth;
  ShellCommand all;
  ShellWord echo;
  echo.text = "echo";
  echo.loc = At(begin, begin);
  all.words.push_back(std::move(echo));
  while (b_.Step()) {
    SkipBlanks(true);
    if (Peek() == ';') {
      ++p_;
      continue;
    }
    if (p_ >= t_.size()) break;
    if (Peek() == '}') {
      ++p_;
      break;
    }
    if (Peek() == '#') {
      p_ = std::min(t_.find('\n', p_), t_.size());
      continue;
    }
    const std::size_t key = p_;
    while (p_ < t_.size() && std::string_view("=\n;}").find(t_[p_]) == std::string_view::npos) ++p_;
    std::string_view name = t_.substr(key, p_ - key);
    if (Peek() != '=') continue;
    ++p_;
    while (!name.empty() && (IsBlank(name.back()) || name.back() == '\'' || name.back() == '"')) name.remove_suffix(1);
    while (!name.empty() && (name.front() == '\'' || name.front() == '"')) name.remove_prefix(1);
    BlockResult result;
    const std::uint32_t made = Pipeline(result, '}');
    ShellWord value;
    if (made == kNone && result.valued) {
      value = std::move(result.word);
    } else {
      Carry(result.word, value);
      Unknown(value);
    }
    value.loc = At(key, p_);
    if (made != kNone) value.commands.insert(value.commands.begin(), made);
    for (const std::uint32_t output : result.outputs) {
      if (value.commands.size() < kMaxLinks) value.commands.push_back(output);
    }
    if (entries.size() >= kMostEntries || !b_.Spend(value.text.size())) continue;
    all.words.push_back(value);
    entries.emplace_back(std::string(name.substr(0, 64)), std::move(value));
  }
  --b_.depth;
  all.loc = At(begin, p_);
  return b_.Add(std::move(all));
}

void PowerShellParser::Format(ShellCommand& command) {
  std::vector<ShellWord>& words = command.words;
  if (words.size() < 3 || words.size() > 64 || LowerCase(words[1].text) != "-f" || !command.redirects.empty()) return;
  std::string made;
  const std::string form = words[0].text;
  for (std::size_t i = 0; i < form.size() && made.size() < kMaxWordBytes; ++i) {
    std::size_t end = form[i] == '{' ? form.find('}', i) : std::string::npos;
    std::size_t number = 0;
    bool digits = end != std::string::npos && end > i + 1 && end - i <= 3;
    for (std::size_t k = i + 1; digits && k < end; ++k) {
      digits = IsDigit(form[k]);
      number = number * 10 + static_cast<std::size_t>(form[k] - '0');
    }
    if (!digits || number + 2 >= words.size()) {
      made += form[i];
      continue;
    }
    made += words[number + 2].text;
    i = end;
  }
  if (!b_.Spend(made.size())) return;
  words[0].text = std::move(made);
  for (std::size_t i = 2; i < words.size(); ++i) Carry(words[i], words[0]);
  if (words[0].constant) words[0].obfuscation = std::max<std::uint8_t>(words[0].obfuscation, 1);
  words.resize(1);
}

void PowerShellParser::Join(ShellWord& word, const BlockResult& block) {
  if (block.valued) {
    if (b_.Spend(block.word.text.size()) && word.text.size() < kMaxWordBytes) word.text += block.word.text;
    Carry(block.word, word);
    return;
  }
  Unknown(word);
  for (std::uint32_t link : block.outputs) {
    if (word.commands.size() < kMaxLinks) word.commands.push_back(link);
  }
}

void PowerShellParser::PutVariable(ShellWord& word) {
  std::size_t q = p_ + 1;
  bool braces = q < t_.size() && t_[q] == '{';
  if (braces) ++q;
  std::size_t begin = q;
  while (q < t_.size() && (IsNameStart(t_[q]) || IsDigit(t_[q]) || t_[q] == ':')) {
    if (t_[q] == ':' && !(q + 1 < t_.size() && IsNameStart(t_[q + 1]))) break;
    ++q;
  }
  std::string name = LowerCase(t_.substr(begin, q - begin));
  if (braces && q < t_.size() && t_[q] == '}') ++q;
  p_ = std::max(q, p_ + 1);
  // $file.FullName is where it lies.
  for (const std::string_view whole : {".fullname", ".pspath"}) {
    if (LowerCase(t_.substr(p_, whole.size())) == whole && !IsNameStart(Peek(whole.size())) &&
        Peek(whole.size()) != '(') {
      p_ += whole.size();
    }
  }
  if ((name == "_" || name == "psitem") && !piped_.empty() && word.commands.size() < kMaxLinks)
    word.commands.push_back(piped_.back());
  if (const auto given = std::ranges::find(params_, name); given != params_.end()) {
    Unknown(word);
    word.variables.emplace_back(1, static_cast<char>('1' + (given - params_.begin())));
    return;
  }
  auto found = b_.variables.find(name);
  if (found != b_.variables.end()) {
    const Variable& variable = found->second;
    if (b_.Spend(variable.text.size() + 1) && word.text.size() + variable.text.size() < kMaxWordBytes) {
      if (!variable.other.empty() && word.other.empty()) word.other = word.text + variable.other;
      word.text += variable.text;
    } else {
      Unknown(word);
    }
    word.constant &= variable.constant;
    word.obfuscation = std::max(word.obfuscation, variable.obfuscation);
    for (std::uint32_t link : variable.commands) {
      if (word.commands.size() < kMaxLinks) word.commands.push_back(link);
    }
    if (!variable.constant) word.variables.push_back(name);
    for (const std::string& one : variable.variables) {
      if (word.variables.size() < kMaxLinks) word.variables.push_back(one);
    }
    return;
  }
  if (name == "env:userprofile" || name == "home" || name == "env:home") {
    word.text += '~';
    return;
  }
  if (name == "env:appdata" || name == "env:localappdata" || name == "env:temp") {
    word.text += name == "env:temp" ? "/tmp" : "~/AppData";
    return;
  }
  if (name == "profile") {
    word.text += "~/Documents/PowerShell/profile.ps1";
    return;
  }
  Unknown(word);
  if (word.variables.size() < kMaxLinks) word.variables.push_back(name.starts_with("env:") ? name.substr(4) : name);
}

void PowerShellParser::DoubleQuoted(ShellWord& word) {
  ++p_;
  while (p_ < t_.size()) {
    char c = t_[p_];
    if (c == '"') {
      ++p_;
      if (Peek() != '"') return;
      word.text += '"';
      ++p_;
    } else if (c == '`' && p_ + 1 < t_.size()) {
      word.text += t_[p_ + 1] == 'n' ? '\n' : t_[p_ + 1];
      p_ += 2;
    } else if (c == '$' && Peek(1) == '(') {
      p_ += 2;
      Join(word, Block(')', kNone));
    } else if (c == '$' && (IsNameStart(Peek(1)) || Peek(1) == '{')) {
      PutVariable(word);
    } else {
      word.text += static_cast<unsigned char>(c) <= 5 ? '\x7F' : c;
      ++p_;
    }
  }
}

void PowerShellParser::Method(ShellWord& word, std::string name, std::size_t begin) {
  std::string lower = LowerCase(name);
  ShellCommand call;
  ShellWord first;
  first.text = std::move(name);
  first.loc = At(begin, p_);
  call.words.push_back(std::move(first));
  if (b_.depth >= kMaxDepth) {
    b_.out().complete = false;
    p_ = t_.size();
    return;
  }
  ++b_.depth;
  bool plus = false;
  while (b_.Step()) {
    SkipBlanks(true);
    if (p_ >= t_.size()) break;
    char c = t_[p_];
    if (c == ')') {
      ++p_;
      break;
    }
    if (c == ',' || c == ';' || c == '|' || c == '}' || c == '&') {
      ++p_;
      continue;
    }
    if (c == '+') {
      ++p_;
      plus = true;
      continue;
    }
    ShellWord arg;
    std::size_t before = p_;
    if (Word(arg, kNone)) {
      if (plus && call.words.size() > 1) {
        call.words.back().text += arg.text;
        call.words.back().constant &= arg.constant;
        call.words.back().obfuscation = std::max<std::uint8_t>(1, arg.obfuscation);
        call.words.back().commands.insert(call.words.back().commands.end(), arg.commands.begin(), arg.commands.end());
      } else {
        call.words.push_back(std::move(arg));
      }
    }
    plus = false;
    if (p_ == before) ++p_;
  }
  --b_.depth;
  call.loc = At(begin, p_);
  std::optional<std::string> folded;
  std::uint8_t level = 2;
  if (call.words.size() == 2 && call.words[1].constant) {
    if (lower == "frombase64string") {
      folded = DecodeBase64(call.words[1].text);
    } else if (lower == "getstring") {
      bool wide = LowerCase(word.text).find("unicode") != std::string::npos;
      folded = wide ? FromUtf16Le(call.words[1].text) : call.words[1].text;
      level = call.words[1].obfuscation;
    }
  }
  std::vector<std::uint32_t> inner;
  for (const ShellWord& arg : call.words) inner.insert(inner.end(), arg.commands.begin(), arg.commands.end());
  inner.insert(inner.end(), word.commands.begin(), word.commands.end());
  call.words[0].commands = std::move(inner);
  if (call.words[0].commands.size() > kMaxLinks) call.words[0].commands.resize(kMaxLinks);
  std::uint32_t index = b_.Add(std::move(call));
  word.commands.insert(word.commands.begin(), index);
  if (word.commands.size() > kMaxLinks) word.commands.resize(kMaxLinks);
  if (folded && b_.Spend(folded->size())) {
    word.text = std::move(*folded);
    word.constant = true;
    word.obfuscation = std::max(word.obfuscation, level);
  } else {
    Unknown(word);
  }
}

bool PowerShellParser::Word(ShellWord& word, std::uint32_t pipe) {
  std::size_t begin = p_;
  bool seen = false;
  std::size_t variable = std::string_view::npos;  // the last one in it
  while (p_ < t_.size() && b_.Step()) {
    char c = t_[p_];
    if (IsBlank(c) || c == '\n' || c == ';' || c == '|' || c == ')' || c == '}' || c == ',' || c == '>' || c == '&') {
      break;
    }
    if (c == '+' && seen && p_ + 1 < t_.size() && p_ > begin &&
        (t_[p_ - 1] == '\'' || t_[p_ - 1] == '"' || t_[p_ - 1] == ')')) {
      break;  // 'a'+'b': the caller joins
    }
    if (c == '(' && seen && declared_.contains(LowerCase(t_.substr(begin, p_ - begin)))) break;  // Send($x)
    seen = true;
    if (word.text.size() > kMaxWordBytes) {
      ++p_;
    } else if (c == '\'') {
      ++p_;
      while (p_ < t_.size()) {
        if (t_[p_] == '\'') {
          ++p_;
          if (Peek() != '\'') break;
        }
        word.text += static_cast<unsigned char>(t_[p_]) <= 5 ? '\x7F' : t_[p_];
        ++p_;
      }
    } else if (c == '"') {
      DoubleQuoted(word);
    } else if (c == '@' && (Peek(1) == '\'' || Peek(1) == '"') && (Peek(2) == '\n' || Peek(2) == '\r')) {
      std::size_t close = t_.find(Peek(1) == '"' ? "\n\"@" : "\n'@", p_ + 2);
      std::size_t stop = std::min(close, t_.size());
      word.text += t_.substr(p_ + 2, stop - p_ - 2);
      p_ = std::min(stop + 3, t_.size());
    } else if (c == '$' && Peek(1) == '(') {
      p_ += 2;
      Join(word, Block(')', kNone));
    } else if (c == '$' && (IsNameStart(Peek(1)) || Peek(1) == '{')) {
      variable = p_;
      PutVariable(word);
    } else if (c == '@' && Peek(1) == '(') {
      ++p_;
    } else if (c == '@' && Peek(1) == '{') {
      const std::size_t table = p_;
      p_ += 2;
      std::vector<std::pair<std::string, ShellWord>> entries;
      const std::uint32_t made = Table(table, entries);
      if (made != kNone && word.commands.size() < kMaxLinks) word.commands.push_back(made);
      Unknown(word);
    } else if (c == '(') {
      std::size_t name = p_;
      while (name > begin && (IsNameStart(t_[name - 1]) || IsDigit(t_[name - 1]))) --name;
      if (name < p_ && name > begin && (t_[name - 1] == '.' || t_[name - 1] == ':')) {
        std::string method(t_.substr(name, p_ - name));
        ++p_;
        const bool fills = variable != std::string_view::npos && IsFilling(LowerCase(method));
        Method(word, std::move(method), name);
        if (fills) Fill(variable, word);
      } else {
        ++p_;
        Join(word, Block(')', kNone));
      }
    } else if (c == '{') {
      ++p_;
      if (b_.condition_depth < 0xFFFF) ++b_.condition_depth;
      if (pipe != kNone) piped_.push_back(pipe);
      const BlockResult block = Block('}', pipe);
      if (pipe != kNone) piped_.pop_back();
      if (b_.condition_depth > 0) --b_.condition_depth;
      for (const std::uint32_t link : block.outputs) {
        if (word.commands.size() < kMaxLinks) word.commands.push_back(link);
      }
      Unknown(word);
    } else if (c == '[') {
      std::size_t close = p_;
      while (close < t_.size() && close < p_ + 200 && t_[close] != ']' && t_[close] != '\n') ++close;
      std::string_view type = t_.substr(p_, close - p_);
      p_ = close < t_.size() && t_[close] == ']' ? close + 1 : p_ + 1;
      if (LowerCase(type) == "[char") {
        int base = Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') ? 16 : 10;
        if (base == 16) p_ += 2;
        unsigned value = 0;
        while (p_ < t_.size() && value < 0x1000) {
          char d = t_[p_];
          int digit = IsDigit(d) ? d - '0' : base == 16 && IsNameStart(d) ? (d | 32) - 'a' + 10 : -1;
          if (digit < 0 || digit >= base) break;
          value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
          ++p_;
        }
        if (value > 5 && value < 128) {
          word.text += static_cast<char>(value);
          word.obfuscation = 2;
        }
      } else {
        word.text += type.substr(1);
      }
    } else if (c == '`' && p_ + 1 < t_.size()) {
      if (t_[p_ + 1] == '\n' || t_[p_ + 1] == '\r') break;
      if (IsNameStart(t_[p_ + 1])) word.obfuscation = std::max<std::uint8_t>(word.obfuscation, 1);
      word.text += t_[p_ + 1];
      p_ += 2;
    } else {
      word.text += static_cast<unsigned char>(c) <= 5 ? '\x7F' : c;
      ++p_;
    }
  }
  word.loc = At(begin, p_);
  return seen;
}

}  // namespace interlock::scan::code::shell
