// Strings are found without a tree of the document, so that a broken notebook is read as far as it goes and places stay
// those of the file.
#include "static/notebook.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "code/shell.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxCell = 256 * 1024;
constexpr std::size_t kMaxCommands = 2'000;

// Text of a cell, with the place in the file of each of its bytes.
struct Cell {
  std::string text;
  std::vector<std::uint32_t> map;
};

// Reads the literal that starts after the quote at `at`; gives back the offset behind it. Escapes beyond ASCII become
// "?": no command needs them.
std::size_t ReadString(std::string_view text, std::size_t at, Cell& out) {
  const auto add = [&](char c, std::size_t from) {
    if (out.text.size() >= kMaxCell) return;
    out.text += c;
    out.map.push_back(static_cast<std::uint32_t>(from));
  };
  while (at < text.size() && text[at] != '"') {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      add(text[at], at);
      ++at;
      continue;
    }
    const char kind = text[at + 1];
    if (kind == 'u' && at + 5 < text.size()) {
      unsigned code = 0;
      bool hex = true;
      for (const char c : text.substr(at + 2, 4)) {
        const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                      : 16U;
        hex = hex && digit < 16;
        code = code * 16 + (digit & 15U);
      }
      add(hex && code < 128 ? static_cast<char>(code) : '?', at);
      at += 6;
      continue;
    }
    add(kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind == 'b' || kind == 'f' ? ' ' : kind, at);
    at += 2;
  }
  return std::min(at + 1, text.size());
}

class Reader {
 public:
  Reader(const FileContext& file, FileResult& result) : file_(file), result_(result) {}

  void Judge(const Cell& cell) {
    const std::string_view text = cell.text;
    for (const std::string_view magic : {"%%bash", "%%sh", "%%script bash", "%%script sh", "%%!"}) {
      if (!text.starts_with(magic)) continue;
      const std::size_t line = text.find('\n');
      if (line != std::string_view::npos) Command(cell, line + 1, text.size());
      return;
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::size_t from = std::min(text.find_first_not_of(" \t", at), end);
      if (from < end && text[from] == '!') {
        while (from < end && (text[from] == '!' || text[from] == ' ')) ++from;
        Command(cell, from, end);
      } else if (text.substr(from, end - from).starts_with("%sx ") ||
                 text.substr(from, end - from).starts_with("%pip ")) {
        Command(cell, text[from + 1] == 's' ? from + 4 : from + 1, end);
      }
      at = end + 1;
    }
  }

 private:
  void Command(const Cell& cell, std::size_t from, std::size_t to) {
    if (from >= to || ++commands_ > kMaxCommands) return;
    const std::string text = cell.text.substr(from, to - from);
    const std::vector<std::uint32_t> map(cell.map.begin() + static_cast<std::ptrdiff_t>(from),
                                         cell.map.begin() + static_cast<std::ptrdiff_t>(to));
    ShellContext context;
    context.file = file_.index;
    context.map = &map;
    context.place = ShellPlace::kScript;
    JudgeShell(code::AnalyzeShellScript(code::ParseShell(text), text), context, result_.findings, nullptr);
  }

  const FileContext& file_;
  FileResult& result_;
  std::size_t commands_ = 0;
};

}  // namespace

void AnalyzeNotebook(const FileContext& file, FileResult& result) {
  const std::string_view text = file.text();
  Reader reader(file, result);
  std::string key;
  bool code = false;
  bool typed = false;
  std::vector<Cell> sources;  // of the present cell: what kind it is may be said after it
  const auto finish = [&] {
    if (code) {
      for (const Cell& cell : sources) reader.Judge(cell);
    }
    sources.clear();
    code = typed = false;
  };
  bool in_source = false;
  for (std::size_t at = text.find('"'); at < text.size(); at = text.find('"', at)) {
    Cell word;
    const std::size_t begin = at + 1;
    const bool source = in_source && key == "source";
    at = ReadString(text, begin, word);
    const std::size_t next = text.find_first_not_of(" \t\r\n", at);
    if (next != std::string_view::npos && text[next] == ':') {
      key = word.text.substr(0, 64);
      in_source = key == "source";
      if (key == "cell_type" && typed) finish();
      if (in_source) sources.emplace_back();
    } else if (key == "cell_type") {
      const bool before = !sources.empty();
      code = word.text == "code";
      typed = true;
      key.clear();
      if (before) finish();
    } else if (source && !sources.empty()) {
      Cell& cell = sources.back();
      if (cell.text.size() + word.text.size() > kMaxCell) continue;
      cell.text += word.text;
      cell.map.insert(cell.map.end(), word.map.begin(), word.map.end());
    }
  }
  finish();
}

namespace {

// Writes the literal that starts at `begin` into `out`, each character at or next to its place.
std::size_t CopySource(std::string_view text, std::size_t begin, std::string& out) {
  std::size_t at = begin;
  bool quoted = false;  // inside "..." on this line
  while (at < text.size() && text[at] != '"') {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out[at] = text[at] == '\n' || text[at] == '\r' ? ' ' : text[at];
      ++at;
      continue;
    }
    const char kind = text[at + 1];
    if (kind == 'n') {
      out[at + 1] = '\n';
      quoted = false;
    } else if (kind == '"') {
      out[quoted ? at : at + 1] = '"';
      quoted = !quoted;
    } else if (kind == 'u' && at + 5 < text.size()) {
      out[at + 5] = '?';
      at += 6;
      continue;
    } else {
      out[at + 1] = kind == 't' ? '\t' : kind == 'r' || kind == 'b' || kind == 'f' ? ' ' : kind;
    }
    at += 2;
  }
  return std::min(at + 1, text.size());
}

}  // namespace

std::string NotebookCode(std::string_view text) {
  std::string out(text.size(), ' ');
  if (const std::size_t language = text.find("\"language\""); language != std::string_view::npos) {
    if (text.substr(language, 40).find("python") == std::string_view::npos) return {};
  }
  std::string key;
  bool code = false;
  bool typed = false;
  bool any = false;
  std::string cell(text.size(), ' ');
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // of the present cell
  const auto finish = [&] {
    bool foreign = false;
    if (!parts.empty()) {
      const std::string_view first = std::string_view(text).substr(parts[0].first, 16);
      foreign = first.starts_with("%%") && !first.starts_with("%%time") && !first.starts_with("%%capture");
    }
    if (code && !foreign) {
      bool fresh = true;
      for (const auto& [from, to] : parts) {
        if (fresh && from > 0) out[from - 1] = '\n';
        std::copy(cell.begin() + static_cast<std::ptrdiff_t>(from), cell.begin() + static_cast<std::ptrdiff_t>(to),
                  out.begin() + static_cast<std::ptrdiff_t>(from));
        fresh = to > from && out[to - 1] == '\n';
        any = true;
      }
    }
    parts.clear();
    code = typed = false;
  };
  bool in_source = false;
  for (std::size_t at = text.find('"'); at < text.size(); at = text.find('"', at)) {
    const std::size_t begin = at + 1;
    const bool source = in_source && key == "source";
    at = CopySource(text, begin, cell);
    const std::string_view word = text.substr(begin, at - begin > 0 ? at - begin - 1 : 0);
    const std::size_t next = text.find_first_not_of(" \t\r\n", at);
    if (next != std::string_view::npos && text[next] == ':') {
      key = word.substr(0, 64);
      in_source = key == "source";
      if (key == "cell_type" && typed) finish();
    } else if (key == "cell_type") {
      const bool before = !parts.empty();
      code = word == "code";
      typed = true;
      key.clear();
      if (before) finish();
    } else if (source && at > begin) {
      parts.emplace_back(begin, at - 1);
    }
  }
  finish();
  if (!any) return {};
  // Commands and magics are no Python.
  bool line_start = true;
  for (char& c : out) {
    if (line_start && (c == '!' || c == '%' || c == '?')) c = '#';
    if (c == '\n') {
      line_start = true;
    } else if (c != ' ' && c != '\t') {
      line_start = false;
    }
  }
  return out;
}

}  // namespace interlock::scan
