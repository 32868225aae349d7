// What is found in one text, while it is being read: the canvas, the surfaces that it was made of, and how a finding of
// a passage comes to stand in the result. Private to text*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "static/surface.h"
#include "static/text_canvas.h"

namespace interlock::scan {

class TextFindings {
 public:
  struct Mark {
    std::size_t finding;  // in out().findings
    std::uint32_t section;
    std::uint32_t passage;  // as many as there are: no passage's
  };

  // All three must outlive it.
  TextFindings(const FileContext& file, const RuleSet& rules, FileResult& out)
      : file_(file), rules_(rules), out_(out) {}

  // Whether there is room for it: what is no ground to look crowds out nothing that is, and what describes is not worth
  // a line in a report.
  [[nodiscard]] bool Admits(const RawFinding& finding);
  void Push(RawFinding finding, std::uint32_t passage);
  // Bytes [begin, end) of the canvas, which lie in `passage`.
  [[nodiscard]] RawFinding Make(std::string_view rule, const TextPassage& passage, std::uint32_t begin,
                                std::uint32_t end) const;

 protected:
  friend class TextCommands;
  const FileContext& file_;
  const RuleSet& rules_;
  FileResult& out_;
  std::vector<TextSurface> surfaces_;
  TextCanvas canvas_;
  std::vector<Mark> marks_;

 private:
  std::size_t weak_ = 0;    // findings that are no ground to look, ...
  std::size_t strong_ = 0;  // ... and others
};

}  // namespace interlock::scan
