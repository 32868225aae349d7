// A table of a report as lines and columns, for text and HTML alike. Private to the module.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interlock/eval/report.h"

namespace interlock::eval {

struct Pivot {
  struct Line {
    std::string first;  // the row, or the split
    std::string second;
    std::vector<const EvalRow*> cells;  // one for each of `across`; nullptr where there is no figure
    std::uint64_t n = 0;                // the largest of the cells
  };
  std::vector<std::string> across;
  std::vector<Line> lines;
  std::vector<std::pair<std::string, std::string>> notes;  // what it is about, the reason
};
// Lines, columns and notes in the order in which they first appear. Rows must outlive it.
[[nodiscard]] Pivot MakePivot(const std::vector<EvalRow>& rows, std::string_view table, TableShape shape);

// The layout's sections with the tables that have rows; tables of no section as a last one. What text and HTML show.
[[nodiscard]] std::vector<SectionLayout> SectionsShown(const EvalReport& report, const ReportLayout& layout);

// Two decimals; counts of whole tables ("utilities", "attacks", "total") and everything beyond a million without any.
[[nodiscard]] std::string FigureText(const EvalRow& row);
[[nodiscard]] std::string IntervalText(const EvalRow& row);  // "[96.20, 98.11]" or ""

[[nodiscard]] const EvalRow* FindRow(const std::vector<EvalRow>& rows, const SummaryPick& pick,
                                     std::string_view column);

}  // namespace interlock::eval
