// Text of word processors, slides and sheets: a sentence is cut into runs wherever its letters look different, and is
// read as the one that it is.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "static/markdown.h"
#include "static/surface_parts.h"

namespace interlock::scan {
namespace {

using std::string_view;

// Behind which a paragraph is over: of Word, PowerPoint, Excel and OpenDocument.
bool EndsParagraph(string_view name) {
  constexpr auto kEnds = std::to_array<string_view>(
      {"w:p", "a:p", "si", "text:p", "text:h", "w:comment", "w:footnote", "table:table-cell", "is", "c"});
  return std::ranges::find(kEnds, name) != kEnds.end();
}

class Reader {
 public:
  Reader(SurfaceSink& sink, SurfaceSet body) : sink_(sink), body_(body) {}

  void Read() {
    const string_view text = sink_.text();
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '<') {
        const std::size_t end = std::min(text.find('<', at), text.size());
        Text(at, end);
        at = end;
        continue;
      }
      const std::size_t close = text.find('>', at);
      if (close == string_view::npos) break;
      Tag(text.substr(at + 1, close - at - 1));
      at = close + 1;
    }
    Flush();
  }

 private:
  void Text(std::size_t at, std::size_t end) {
    const string_view text = sink_.text();
    while (at < end) {
      std::size_t size = 1;
      char letter = text[at];
      constexpr std::size_t kLongestEntity = 10;
      if (letter == '&') {
        const string_view piece = text.substr(at, text.substr(at, kLongestEntity).find(';') + 1);
        if (const std::string meant = TextOfEntity(piece); !meant.empty()) {
          letter = meant[0];
          size = piece.size();
        }
      }
      Put(letter, at);
      at += size;
    }
  }

  void Tag(string_view tag) {
    const bool closing = tag.starts_with('/');
    if (closing) tag.remove_prefix(1);
    const bool alone = tag.ends_with('/');
    const string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    if (closing && EndsParagraph(name)) Flush();
    const auto here = static_cast<std::size_t>(tag.data() - sink_.text().data());
    if (alone && (name == "w:br" || name == "w:tab" || name == "a:br" || name == "text:s" || name == "text:tab"))
      Put(' ', here);
    // Letters that Word does not show.
    if (name == "w:vanish" && alone && tag.find("=\"0\"") == string_view::npos) hidden_ = true;
  }

  void Put(char letter, std::size_t at) {
    if (shown_.letters.empty()) shown_.begin = at;
    shown_.letters += letter;
    shown_.map.push_back(static_cast<std::uint32_t>(at));
  }

  void Flush() {
    if (!shown_.letters.empty()) {
      TextSurface surface;
      surface.kind = body_ | (hidden_ ? kSurfaceHidden : SurfaceSet{0});
      surface.bytes = {shown_.begin, std::size_t{shown_.map.back()} + 1};
      surface.owned = std::move(shown_.letters);
      surface.map = std::move(shown_.map);
      sink_.Add(std::move(surface));
    }
    shown_ = {};
    hidden_ = false;
  }

  struct Shown {
    std::size_t begin = 0;
    std::string letters;
    std::vector<std::uint32_t> map;
  };

  SurfaceSink& sink_;
  const SurfaceSet body_;
  Shown shown_;
  bool hidden_ = false;  // a run of the paragraph is
};

}  // namespace

bool IsOfficeText(string_view text) {
  constexpr auto kRoots =
      std::to_array<string_view>({"<w:document", "<w:comments", "<w:footnotes", "<w:endnotes", "<w:hdr", "<w:ftr",
                                  "<p:sld", "<p:notes", "<sst", "<worksheet", "<office:document"});
  const string_view head = text.substr(0, 4096);
  return std::ranges::any_of(kRoots, [&](string_view root) { return head.find(root) != string_view::npos; });
}

void CollectOffice(SurfaceSink& sink, SurfaceSet body) { Reader(sink, body).Read(); }

}  // namespace interlock::scan
