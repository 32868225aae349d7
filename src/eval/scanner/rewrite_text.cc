#include "scanner/rewrite_text.h"

#include <algorithm>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::eval::scanner {
namespace {

constexpr std::string_view kScripts = "scripts/";

struct Line {
  std::string_view text;  // without its end
  bool code = false;      // between fences
  bool fence = false;
};

// Where the body begins: behind the head, if there is one.
std::size_t BodyOf(std::string_view source) {
  if (!source.starts_with("---\n")) return 0;
  const std::size_t end = source.find("\n---\n", 3);
  return end == std::string_view::npos ? 0 : end + 5;
}

std::vector<Line> LinesOf(std::string_view body) {
  std::vector<Line> out;
  bool code = false;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    Line line{.text = body.substr(0, end), .code = code, .fence = body.starts_with("```")};
    if (line.fence) code = !code;
    out.push_back(line);
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string Replaced(std::string_view text, std::string_view from, std::string_view to, std::uint32_t& places) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t next = text.find(from, at);
    out += text.substr(at, next == std::string_view::npos ? next : next - at);
    if (next == std::string_view::npos) return out;
    // A folder of this name below another one is another folder.
    const bool whole = next == 0 || (!IsLetter(text[next - 1]) && text[next - 1] != '/' && text[next - 1] != '_' &&
                                     text[next - 1] != '-');
    const bool dotted = next >= 2 && text[next - 1] == '/' && text[next - 2] == '.';
    out += whole || dotted ? to : from;
    places += whole || dotted ? 1 : 0;
    at = next + from.size();
  }
}

}  // namespace

std::string RewriteMarkdown(std::string_view source, std::string_view id, std::uint32_t& places) {
  places = 0;
  if (id == "md-line-ends") {
    std::string out;
    for (const char c : source) {
      if (c == '\n') {
        out += '\r';
        ++places;
      }
      out += c;
    }
    return out;
  }
  const std::size_t begin = BodyOf(source);
  std::string out(source.substr(0, begin));
  const auto line_of = [&](std::string_view before, std::string_view text) { out.append(before).append(text) += '\n'; };
  if (id == "md-details") line_of("", "\n<details>\n<summary>More</summary>\n");
  for (const Line& line : LinesOf(source.substr(begin))) {
    const std::string_view text = line.text;
    const bool prose = !line.code && !line.fence && !text.empty() && IsLetter(text.front());
    const bool opens = line.fence && !line.code;
    if (id == "md-quote") {
      line_of("> ", text);
      ++places;
    } else if (id == "md-items" && prose) {
      line_of("- ", text);
      ++places;
    } else if (id == "md-plain-fence" && opens) {
      line_of("```", "");
      ++places;
    } else if (id == "md-text-fence" && opens) {
      line_of("```", "text");
      ++places;
    } else if (id == "md-tildes" && line.fence) {
      line_of("~~~~", text.substr(3));
      ++places;
    } else if (id == "md-indented" && line.fence) {
      line_of("", "");
      ++places;
    } else if (id == "md-indented" && line.code) {
      line_of("    ", text);
    } else if (id == "md-pre" && line.fence) {
      line_of(opens ? "<pre><code>" : "</code></pre>", "");
      ++places;
    } else if (id == "md-headings" && !line.code && text.starts_with("## ")) {
      line_of("## ", "Security checks against attacks");
      ++places;
    } else {
      line_of("", text);
    }
  }
  if (id == "md-details") {
    line_of("", "\n</details>");
    ++places;
  }
  return out;
}

ScanSample MoveScripts(const ScanSample& sample, std::string_view folder, std::uint32_t& places) {
  ScanSample out = sample;
  places = 0;
  const std::string to = std::string(folder) + "/";
  for (core::PackageFile& file : out.view.files) {
    if (file.path.find("!/") != std::string::npos) continue;
    std::uint32_t moved = 0;
    file.path = Replaced(file.path, kScripts, to, moved);
    places += moved;
  }
  if (places == 0) return out;
  for (core::PackageFile& file : out.view.files) {
    std::uint32_t named = 0;
    if (base::IsValidUtf8(file.bytes)) file.bytes = Replaced(file.bytes, kScripts, to, named);
  }
  return out;
}

}  // namespace interlock::eval::scanner
