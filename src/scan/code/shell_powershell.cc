// PowerShell: enough of its syntax to see what is fetched, decoded, run and written. Commands, blocks, functions.
#include "code/shell_powershell.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::scan::code::shell {

void PowerShellParser::SkipBlanks(bool lines) {
  while (p_ < t_.size()) {
    char c = t_[p_];
    if (IsBlank(c) || (lines && c == '\n')) {
      ++p_;
    } else if (c == '`' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
      p_ += Peek(1) == '\n' ? 2U : 3U;
    } else if (c == '<' && Peek(1) == '#') {
      std::size_t begin = p_;
      std::size_t close = t_.find("#>", p_ + 2);
      p_ = close == std::string_view::npos ? t_.size() : close + 2;
      Comment(begin);
    } else {
      return;
    }
  }
}

PowerShellParser::BlockResult PowerShellParser::Block(char close, std::uint32_t pipe_in) {
  BlockResult result;
  if (b_.depth >= kMaxDepth) {
    b_.out().complete = false;
    p_ = t_.size();
    return result;
  }
  ++b_.depth;
  std::uint32_t pipe = pipe_in;
  std::uint32_t last = kNone;
  std::size_t elements = 0;
  auto finish = [&] {
    if (last != kNone && result.outputs.size() < kMaxLinks) result.outputs.push_back(last);
    last = kNone;
    pipe = pipe_in;
  };
  while (b_.Step()) {
    SkipBlanks(false);
    if (p_ >= t_.size()) break;
    char c = t_[p_];
    if (c == close && close != '\0') {
      ++p_;
      break;
    }
    if (c == ')' || c == '}') {
      if (close != '\0') break;  // unbalanced: the outer block closes
      ++p_;
      continue;
    }
    if (c == '\n' || c == ';') {
      ++p_;
      finish();
      continue;
    }
    if (c == '#') {
      std::size_t begin = p_;
      p_ = std::min(t_.find('\n', p_), t_.size());
      Comment(begin);
      continue;
    }
    if (c == '|') {
      ++p_;
      if (Peek() == '|') {
        ++p_;
        finish();
      } else {
        pipe = last;
        last = kNone;
        SkipBlanks(true);
      }
      continue;
    }
    if (c == '&') {
      ++p_;
      if (Peek() == '&') {
        ++p_;
        finish();
      }
      continue;
    }
    std::size_t before = p_;
    ++elements;
    std::uint32_t made = Element(pipe, result, close);
    if (made != kNone) last = made;
    if (p_ == before) ++p_;
  }
  finish();
  if (elements != 1) result.valued = false;
  --b_.depth;
  return result;
}

std::size_t PowerShellParser::BehindTypes() const {
  constexpr std::size_t kMostType = 200;
  std::size_t at = p_;
  while (at < t_.size() && t_[at] == '[') {
    int depth = 0;
    std::size_t end = at;
    for (; end < t_.size() && end < at + kMostType; ++end) {
      if (t_[end] == '[') ++depth;
      if (t_[end] == ']' && --depth == 0) break;
    }
    if (end >= t_.size() || t_[end] != ']' || depth != 0) return p_;
    at = end + 1;
    while (at < t_.size() && (IsBlank(t_[at]) || t_[at] == '\n')) ++at;
  }
  return at;
}

// param([string]$Url = "https://..."): what it is where nobody gives another.
bool PowerShellParser::Declares() {
  if ((Peek() | 32) != 'p' || LowerCase(t_.substr(p_, 5)) != "param") return false;
  std::size_t q = p_ + 5;
  while (q < t_.size() && (IsBlank(t_[q]) || t_[q] == '\n')) ++q;
  if (q >= t_.size() || t_[q] != '(' || declares_) return false;
  p_ = q + 1;
  declares_ = true;
  Block(')', kNone);
  declares_ = false;
  return true;
}

std::uint32_t PowerShellParser::Element(std::uint32_t pipe, BlockResult& result, char close) {
  std::size_t begin = p_;
  if (Peek() == '.' && IsBlank(Peek(1))) ++p_;
  SkipBlanks(false);
  if (Declares()) return kNone;
  if (const std::size_t typed = BehindTypes(); typed != p_ && typed < t_.size() && t_[typed] == '$') {
    // [string]$key = ...
    std::size_t q = typed + 1;
    while (q < t_.size() && (IsNameStart(t_[q]) || IsDigit(t_[q]))) ++q;
    const std::size_t name_end = q;
    while (q < t_.size() && IsBlank(t_[q])) ++q;
    if (name_end > typed + 1 && q + 1 < t_.size() && t_[q] == '=' && t_[q + 1] != '=')
      return Assign(typed, name_end, q + 1, Put::kAnew);
  }
  if (Peek() == '$' && (IsNameStart(Peek(1)) || Peek(1) == '{')) {
    std::size_t q = p_ + 1;
    while (q < t_.size() && (IsNameStart(t_[q]) || IsDigit(t_[q]) || t_[q] == ':')) ++q;
    std::size_t name_end = q;
    q = PartEnd(q);
    const bool part = q != name_end;
    while (q < t_.size() && IsBlank(t_[q])) ++q;
    bool append = q + 1 < t_.size() && t_[q] == '+' && t_[q + 1] == '=';
    if (append) ++q;
    if (name_end > p_ + 1 && q < t_.size() && t_[q] == '=' && !(q + 1 < t_.size() && t_[q + 1] == '=')) {
      return Assign(begin, name_end, q + 1, part ? Put::kPart : append ? Put::kMore : Put::kAnew);
    }
  }
  if (ForEach(pipe, result) || Function()) return kNone;
  ShellCommand command;
  bool expression = Peek() == '"' || Peek() == '\'' || Peek() == '$' || Peek() == '(' || Peek() == '[' || Peek() == '@';
  bool called = begin > 0 && t_.substr(0, begin).find_last_not_of(" \t") != std::string_view::npos &&
                t_[t_.substr(0, begin).find_last_not_of(" \t")] == '&';
  if (called || t_[begin] == '.') expression = false;
  std::size_t last_end = p_;
  bool plus = false;
  while (b_.Step()) {
    SkipBlanks(false);
    if (p_ >= t_.size()) break;
    char c = t_[p_];
    if (c == '\n' || c == ';' || c == '|' || c == ')' || c == '}' || (c == close && close != '\0')) break;
    if (c == '#') break;
    if (c == '&') break;
    if (c == ',' && declares_) break;
    if (c == ',') {
      ++p_;
      SkipBlanks(true);
      continue;
    }
    if (c == '>' || ((c == '2' || c == '*' || c == '1') && Peek(1) == '>')) {
      bool error = c == '2';
      if (c != '>') ++p_;
      ++p_;
      bool append = Peek() == '>';
      if (append) ++p_;
      SkipBlanks(false);
      if (Peek() == '&') {
        p_ = std::min(p_ + 2, t_.size());
        continue;
      }
      ShellWord word;
      if (Word(word, pipe)) command.redirects.emplace_back((error ? "2>" : append ? ">>" : ">"), std::move(word));
      last_end = p_;
      continue;
    }
    if (c == '+' &&
        (IsBlank(Peek(1)) || Peek(1) == '\'' || Peek(1) == '"' || Peek(1) == '(' || Peek(1) == '$' || Peek(1) == '[')) {
      ++p_;
      SkipBlanks(true);
      plus = true;
      continue;
    }
    if (c == '@' && Splat(command)) {
      last_end = p_;
      continue;
    }
    ShellWord word;
    std::size_t before = p_;
    if (!Word(word, pipe)) {
      if (p_ == before) ++p_;
      continue;
    }
    last_end = p_;
    if (plus && !command.words.empty()) {
      ShellWord& left = command.words.back();
      if (b_.Spend(word.text.size())) left.text += word.text;
      left.constant &= word.constant;
      left.obfuscation = std::max({left.obfuscation, word.obfuscation, std::uint8_t{1}});
      left.commands.insert(left.commands.end(), word.commands.begin(), word.commands.end());
      if (left.commands.size() > kMaxLinks) left.commands.resize(kMaxLinks);
      left.variables.insert(left.variables.end(), word.variables.begin(), word.variables.end());
      left.loc.end = word.loc.end;
      plus = false;
      continue;
    }
    plus = false;
    command.words.push_back(std::move(word));
  }
  if (command.words.empty()) return kNone;
  if (expression) {
    Format(command);
    // A value: what runs in it is linked already.
    if (command.redirects.empty()) Value(command, result);
    for (const ShellWord& word : command.words) {
      for (std::uint32_t link : word.commands) {
        if (result.outputs.size() < kMaxLinks) result.outputs.push_back(link);
      }
    }
    bool piped = false;
    std::size_t q = p_;
    while (q < t_.size() && IsBlank(t_[q])) ++q;
    piped = q < t_.size() && t_[q] == '|';
    if (!piped && command.redirects.empty()) return kNone;
    // Its value goes on: as if it were echoed.
    ShellWord echo;
    echo.text = "echo";
    echo.loc = At(begin, begin);
    command.words.insert(command.words.begin(), std::move(echo));
  }
  command.loc = At(begin, last_end);
  command.pipe_from = pipe;
  if (!expression && JoinPath(command, result)) return kNone;
  Reorder(command);
  return b_.Add(std::move(command));
}

bool PowerShellParser::ForEach(std::uint32_t pipe, BlockResult& result) {
  const std::size_t begin = p_;
  const auto other = [&] {
    p_ = begin;
    return false;
  };
  if ((Peek() | 32) != 'f' || !Keyword("foreach")) return other();
  SkipBlanks(false);
  if (Peek() != '(') return other();
  ++p_;
  SkipBlanks(false);
  if (Peek() != '$') return other();
  const std::size_t name = ++p_;
  while (IsNameStart(Peek()) || IsDigit(Peek())) ++p_;
  const std::size_t name_end = p_;
  SkipBlanks(false);
  if (name_end == name || !Keyword("in")) return other();
  BlockResult items = Block(')', kNone);
  Variable variable;
  variable.text = items.valued ? items.word.text : std::string(1, kUnknownChar);
  variable.constant = items.valued && items.word.constant;
  variable.variables = std::move(items.word.variables);
  variable.commands = std::move(items.outputs);
  b_.variables[LowerCase(t_.substr(name, name_end - name))] = std::move(variable);
  SkipBlanks(true);
  if (Peek() != '{') return true;
  ++p_;
  if (b_.condition_depth < 0xFFFF) ++b_.condition_depth;
  const BlockResult body = Block('}', pipe);
  if (b_.condition_depth > 0) --b_.condition_depth;
  for (const std::uint32_t link : body.outputs) {
    if (result.outputs.size() < kMaxLinks) result.outputs.push_back(link);
  }
  return true;
}

std::vector<std::string> PowerShellParser::Parameters(std::size_t& at) const {
  constexpr std::size_t kMostList = 4'000;
  constexpr std::size_t kMostParameters = 9;  // positions that are followed
  std::vector<std::string> out;
  const std::size_t stop = std::min(t_.size(), at + kMostList);
  int depth = 1;
  bool fresh = true;  // a name that stands here is a parameter's
  for (; at < stop && depth > 0; ++at) {
    const char c = t_[at];
    if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 1) {
      fresh = true;
    } else if (c == '$' && depth == 1 && fresh) {
      std::size_t end = at + 1;
      while (end < stop && (IsNameStart(t_[end]) || IsDigit(t_[end]))) ++end;
      if (out.size() < kMostParameters) out.push_back(LowerCase(t_.substr(at + 1, end - at - 1)));
      fresh = false;
    }
  }
  return out;
}

bool PowerShellParser::Function() {
  const std::size_t begin = p_;
  if ((Peek() | 32) != 'f' || (!Keyword("function") && !Keyword("filter"))) return false;
  SkipBlanks(false);
  std::size_t name_end = p_;
  while (name_end < t_.size() &&
         (IsNameStart(t_[name_end]) || IsDigit(t_[name_end]) || t_[name_end] == '-' || t_[name_end] == ':')) {
    ++name_end;
  }
  std::string name = LowerCase(t_.substr(p_, name_end - p_));
  name.erase(0, name.rfind(':') + 1);
  p_ = name_end;
  SkipBlanks(true);
  std::vector<std::string> params;
  if (Peek() == '(') {
    ++p_;
    params = Parameters(p_);
    SkipBlanks(true);
  }
  if (name.empty() || Peek() != '{') {
    p_ = begin;
    return false;
  }
  ++p_;
  std::size_t q = p_;
  while (q < t_.size() && (IsBlank(t_[q]) || t_[q] == '\n')) ++q;
  if (LowerCase(t_.substr(q, 5)) == "param") {
    q = t_.find_first_not_of(" \t\r\n", q + 5);
    if (q != std::string_view::npos && t_[q] == '(') {
      p_ = q + 1;
      params = Parameters(p_);
    }
  }
  const auto first = static_cast<std::uint32_t>(b_.out().commands.size());
  auto outer = std::exchange(params_, params);
  Block('}', kNone);
  params_ = std::move(outer);
  const auto end = static_cast<std::uint32_t>(b_.out().commands.size());
  if (end > first) b_.out().functions.push_back({name, first, end});
  declared_[std::move(name)] = std::move(params);
  return true;
}

void PowerShellParser::Reorder(ShellCommand& command) const {
  if (declared_.empty() || command.words.empty()) return;
  const auto found = declared_.find(LowerCase(command.words[0].text));
  if (found == declared_.end() || found->second.empty()) return;
  const std::vector<std::string>& params = found->second;
  std::vector<ShellWord> placed(params.size());
  std::vector<bool> taken(params.size());
  std::vector<ShellWord> rest;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    ShellWord& word = command.words[i];
    const std::string flag = word.text.starts_with('-') ? LowerCase(word.text.substr(1)) : std::string();
    std::size_t at = params.size();
    for (std::size_t p = 0; p < params.size() && !flag.empty() && at == params.size(); ++p) {
      if (params[p].starts_with(flag)) at = p;
    }
    if (at < params.size() && i + 1 < command.words.size()) {
      placed[at] = std::move(command.words[++i]);
      taken[at] = true;
    } else {
      rest.push_back(std::move(word));
    }
  }
  std::size_t next = 0;
  for (ShellWord& word : rest) {
    while (next < params.size() && taken[next]) ++next;
    if (next == params.size()) break;
    placed[next] = std::move(word);
    taken[next] = true;
  }
  command.words.resize(1);
  for (ShellWord& word : placed) command.words.push_back(std::move(word));
}

std::uint32_t PowerShellParser::Pipeline(BlockResult& result, char close, std::uint32_t pipe) {
  SkipBlanks(true);
  std::uint32_t made = pipe;
  while (b_.Step() && p_ < t_.size()) {
    const std::size_t before = p_;
    const std::uint32_t next = Element(pipe, result, close);
    if (next != kNone) made = next;
    SkipBlanks(false);
    if (Peek() == '|' && Peek(1) != '|') {
      ++p_;
      pipe = made;
      SkipBlanks(true);
      continue;
    }
    if (p_ == before && Peek() != close) ++p_;
    break;
  }
  return made;
}

std::uint32_t PowerShellParser::Assign(std::size_t begin, std::size_t name_end, std::size_t value_begin, Put put) {
  std::string name = LowerCase(t_.substr(begin + 1, name_end - begin - 1));
  p_ = value_begin;
  BlockResult result;
  SkipBlanks(true);
  std::uint32_t made = kNone;
  if (put == Put::kAnew) tables_.erase(name);
  if (Peek() == '@' && Peek(1) == '{') {
    const std::size_t table = p_;
    p_ += 2;
    std::vector<std::pair<std::string, ShellWord>> entries;
    made = Table(table, entries);
    if (put == Put::kAnew && tables_.size() < kMostTables) tables_[name] = std::move(entries);
    SkipBlanks(false);
    if (Peek() == '|' && Peek(1) != '|') {
      ++p_;
      made = Pipeline(result, '\0', made);
    }
  } else {
    made = Pipeline(result, '\0');
  }
  Variable variable;
  if (put != Put::kAnew) {
    auto found = b_.variables.find(name);
    if (found != b_.variables.end()) variable = found->second;
  }
  const bool value = made == kNone && result.valued && b_.Spend(result.word.text.size()) &&
                     variable.text.size() + result.word.text.size() < kMaxWordBytes;
  if (put == Put::kPart) {
    if (variable.text.empty()) variable.text = std::string(1, kUnknownChar);
    variable.constant = false;
  } else if (value) {
    variable.text += result.word.text;
    variable.constant &= result.word.constant;
    variable.obfuscation = std::max(variable.obfuscation, result.word.obfuscation);
  } else {
    variable.text = std::string(1, kUnknownChar);
    variable.constant = false;
  }
  for (const std::string& one : result.word.variables) {
    if (variable.variables.size() < kMaxLinks) variable.variables.push_back(one);
  }
  if (made != kNone) variable.commands.push_back(made);
  for (std::uint32_t output : value ? result.word.commands : result.outputs) {
    if (variable.commands.size() < kMaxLinks) variable.commands.push_back(output);
  }
  if (declares_) variable.constant = false;
  Variable& held = b_.variables[name];
  held = b_.condition_depth > 0 ? Either(std::move(held), std::move(variable)) : std::move(variable);
  return kNone;
}

void ParsePowerShell(std::string_view text, const Loc* at, Builder& builder) {
  PowerShellParser(text, at, builder).ParseAll();
}

}  // namespace interlock::scan::code::shell
