// What every evaluation prints: tidy rows, one figure each, as JSON, as text for people, and as one HTML file.
//
//   EvalReport report{.eval = "agent-sentry", .command = ..., .data = ..., .seed = 42, .facts = ..., .rows = ...};
//   std::string json = ReportJson(report);                 // interlock.eval/v1, one object and a newline
//   std::string html = ReportHtml(report, AgentSentryLayout());
//
// Equal reports give equal bytes: no clock, no machine, no locale. Nothing here fails; names and reasons may hold any
// bytes (escaped; what is not UTF-8 becomes U+FFFD).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::eval {

// One figure. Shares are in per cent. `reason`: why it is not the published figure, or what it is; one line.
struct EvalRow {
  std::string table;   // "2", "7", "leak-free"
  std::string split;   // "published" "artifact" "corrected" or a protocol
  std::string row;     // the paper's row, such as a domain; our own method is always `interlock`
  std::string column;  // the paper's column in lower case, such as "asr"
  double value = 0;
  std::optional<double> low;  // 95 % interval
  std::optional<double> high;
  std::uint64_t n = 0;  // what the share is of; 0 where the paper does not say
  std::optional<double> published;
  std::string reason;
  int digits = 2;  // of the figure, where people read it
};
void AppendEvalRow(std::string& out, const EvalRow& row);  // one JSON object; figures to four decimals

struct EvalReport {
  std::string eval;  // name of the evaluation, such as "agent-sentry"
  std::string command;
  std::string data;  // the folder that was read
  std::uint64_t seed = 0;
  // What else a reader needs to repeat it: sizes of the data, how it was split. HTML and text only.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<EvalRow> rows;  // those of a table stand together
};

// {"schema":"interlock.eval/v1","eval","command","data","seed","rows":[...]}, as schemas/interlock.eval.v1.json says.
[[nodiscard]] std::string ReportJson(const EvalReport& report);

// How a table is shown: one line for each value of `lines`, one column of figures for each value of `across`.
enum class TableShape : std::uint8_t {
  kBySplit,   // a line a (row, column); across: splits, so that published stands beside reproduced
  kByColumn,  // a line a (split, row); across: columns
};
struct TableLayout {
  std::string table;  // EvalRow::table
  std::string title;
  std::string note;  // one sentence; ""
  TableShape shape = TableShape::kByColumn;
};
// Where a chart takes its figures from.
struct ChartSource {
  std::string table;
  std::string split;  // only this one; "": every one
  std::string label;  // what its names end with; ""
};
// Lines: x is the number that EvalRow::row ends with ("slack 50") and the series what is before it; where there is
// none, x is the split and the series the row. Bars: named by row where the source names a split, else by split.
struct ChartLayout {
  enum class Kind : std::uint8_t { kLines, kBars };
  Kind kind = Kind::kLines;
  std::vector<ChartSource> sources;
  std::string column;
  std::string title;
  std::string description;  // what a reader who does not see it should know
  std::string x_label;
  std::string y_label;  // of lines
  // Hollow points from other tables: x and the table whose rows of split `published` have them, by series.
  std::vector<std::pair<double, std::string>> published;
};
struct SectionLayout {
  std::string id;  // of the fragment, [a-z-]+
  std::string title;
  std::string text;
  std::vector<ChartLayout> charts;
  std::vector<TableLayout> tables;
};
// A line of the summary: pairs of figures, each picked by table, split and row.
struct SummaryPick {
  std::string table;
  std::string split;
  std::string row;
};
struct SummaryLine {
  std::string title;
  std::vector<SummaryPick> picks;  // one for each heading of the layout; an empty table: no such figure
};
struct ReportLayout {
  std::string title;
  std::string lead;                   // what was measured, in two sentences
  std::vector<std::string> headings;  // of the summary: "published", "reproduced", ...
  std::vector<std::string> figures;   // columns that a summary cell shows: {"utility", "asr"}
  std::vector<SummaryLine> summary;   // lines without any figure are left out
  std::vector<SectionLayout>
      sections;  // tables without rows are left out, and sections without tables; tables of no section come last
};
[[nodiscard]] ReportLayout AgentSentryLayout();

// Aligned tables, then the summary.
[[nodiscard]] std::string ReportText(const EvalReport& report, const ReportLayout& layout);
// One file without any reference to another: style, charts (SVG) and text in it; no script. Readable without colour, in
// light and dark.
[[nodiscard]] std::string ReportHtml(const EvalReport& report, const ReportLayout& layout);

}  // namespace interlock::eval
