// The report as one HTML file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interlock/base/html.h"
#include "report_pivot.h"
#include "report_svg.h"

namespace interlock::eval {
namespace {

// Colours: at least 4.5:1 for text and 3:1 for lines against the page, in light and in dark.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --tint: #f3f5f8;
  --c0: #0b5cad; --c1: #a34100; --c2: #0f6b4f; --c3: #7b3294; --c4: #b3202c; --c5: #4d4d4d; }
@media (prefers-color-scheme: dark) { :root { --page: #14171c; --ink: #e6e9ee; --soft: #a3adb8; --rule: #3a424c;
  --tint: #1d222a; --c0: #79b8ff; --c1: #f5a65b; --c2: #56d3a6; --c3: #d7a3ea; --c4: #ff9492; --c5: #c4c9d0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 1rem 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1rem 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
p, ul, dl { max-width: 48rem; }
a { color: var(--c0); }
a:focus-visible, .scroll:focus-visible, summary:focus-visible { outline: 3px solid var(--c0); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: .25rem .5rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; max-width: none; }
.scroll { overflow-x: auto; margin: 1.25rem 0 .5rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
caption small { display: block; font-weight: 400; color: var(--soft); }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top; }
th[scope=row], thead th.key { text-align: left; }
thead th { border-bottom: 2px solid var(--soft); white-space: nowrap; vertical-align: bottom; }
th[scope=row] { font-weight: 400; min-width: 6rem; }
#summary th[scope=row] { min-width: 17rem; }
th[scope=colgroup] { text-align: center; border-left: 1px solid var(--rule); white-space: normal; }
tr.ours > * { background: var(--tint); font-weight: 600; }
td small { color: var(--soft); font-weight: 400; white-space: nowrap; display: block; }
.notes { font-size: .85rem; color: var(--soft); margin: .25rem 0 1.5rem; padding-left: 1.1rem; }
figure { margin: 1.5rem 0; }
figcaption { font-weight: 600; }
figcaption small { display: block; font-weight: 400; color: var(--soft); }
svg { width: 100%; max-width: 52rem; height: auto; font: 13px system-ui, sans-serif; }
svg .axis { fill: var(--soft); } svg .label { fill: var(--ink); }
svg .grid { stroke: var(--rule); } svg .tick { stroke: var(--soft); }
svg .line { fill: none; stroke-width: 2; } svg .lead { fill: none; stroke-width: .75; opacity: .6; }
svg .band { stroke: none; opacity: .14; } svg .whisker { stroke-width: 1.5; } svg .ink { stroke: var(--ink); }
svg .filled { fill: var(--c0); }
svg .outlined { fill: var(--tint); stroke: var(--c0); stroke-width: 1.25; } svg .mark { stroke: none; }
svg .hollow { fill: var(--page); stroke-width: 1.75; vector-effect: non-scaling-stroke; }
svg .s0 { stroke: var(--c0); } svg .mark.s0, svg .band.s0 { fill: var(--c0); }
svg .s1 { stroke: var(--c1); stroke-dasharray: 7 3; } svg .mark.s1, svg .band.s1 { fill: var(--c1); }
svg .s2 { stroke: var(--c2); stroke-dasharray: 2 3; } svg .mark.s2, svg .band.s2 { fill: var(--c2); }
svg .s3 { stroke: var(--c3); stroke-dasharray: 9 3 2 3; } svg .mark.s3, svg .band.s3 { fill: var(--c3); }
svg .s4 { stroke: var(--c4); stroke-dasharray: 4 2; } svg .mark.s4, svg .band.s4 { fill: var(--c4); }
svg .s5 { stroke: var(--c5); stroke-dasharray: 12 4; } svg .mark.s5, svg .band.s5 { fill: var(--c5); }
svg .hollow, svg .whisker, svg .lead { stroke-dasharray: none; }
svg .mark, svg .band { stroke: none; }
dt { font-weight: 600; } dd { margin: 0 0 .5rem; }
pre { background: var(--tint); padding: .75rem; overflow-x: auto; }
code { font: .9em ui-monospace, monospace; }
@media print { .skip, nav { display: none; } .scroll { overflow: visible; } }
)css";

// Escaped text in which `words` stand as code.
std::string Prose(std::string_view text) {
  std::string out;
  bool code = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('`', begin), text.size());
    out += base::EscapeHtml(text.substr(begin, end - begin));
    begin = end + 1;
    if (end == text.size()) break;
    out += code ? "</code>" : "<code>";
    code = !code;
  }
  return code ? out + "</code>" : out;
}

bool IsOurs(std::string_view name) { return name.substr(0, 9) == "interlock"; }

std::string Cell(const EvalRow* row, bool with_n) {
  if (row == nullptr) return "<td>–</td>";
  std::string out = "<td>" + FigureText(*row);
  if (const std::string interval = IntervalText(*row); !interval.empty()) out += "<small>" + interval + "</small>";
  if (with_n && row->n != 0) out += fmt::format("<small>of {}</small>", row->n);
  return out + "</td>";
}

// A scrolling region that a keyboard reaches, named by the table's caption.
void OpenTable(std::string& out, const std::string& id, std::string_view title, std::string_view note) {
  out += fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{0}\">\n<table>\n<caption "
      "id=\"{0}\">{1}",
      id, base::EscapeHtml(title));
  if (!note.empty()) out += "<small>" + Prose(note) + "</small>";
  out += "</caption>\n";
}

void Table(std::string& out, const EvalReport& report, const TableLayout& layout, const std::string& id) {
  const Pivot pivot = MakePivot(report.rows, layout.table, layout.shape);
  const bool by_split = layout.shape == TableShape::kBySplit;
  OpenTable(out, id, layout.title, layout.note);
  out += fmt::format("<thead><tr><th scope=\"col\" class=\"key\">{}</th><th scope=\"col\" class=\"key\">{}</th>",
                     by_split ? "row" : "split", by_split ? "figure" : "row");
  for (const std::string& name : pivot.across) out += "<th scope=\"col\">" + base::EscapeHtml(name) + "</th>";
  if (by_split) out += "<th scope=\"col\">n</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const Pivot::Line& line : pivot.lines) {
    const bool ours = IsOurs(by_split ? line.first : line.second);
    out += fmt::format("<tr{}><th scope=\"row\">{}</th><th scope=\"row\">{}</th>", ours ? " class=\"ours\"" : "",
                       base::EscapeHtml(line.first), base::EscapeHtml(line.second));
    for (const EvalRow* cell : line.cells) out += Cell(cell, !by_split);
    if (by_split) out += line.n == 0 ? "<td></td>" : fmt::format("<td>{}</td>", line.n);
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n</div>\n";
  if (pivot.notes.empty()) return;
  out += "<ul class=\"notes\">\n";
  for (const auto& [about, reason] : pivot.notes) {
    out += "<li><b>" + base::EscapeHtml(about) + "</b>: " + base::EscapeHtml(reason) + "</li>\n";
  }
  out += "</ul>\n";
}

std::optional<double> NumberAtEnd(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Rows of a source that a chart's column asks for.
template <class OnRow>
void ForEachRow(const EvalReport& report, const ChartSource& source, std::string_view column, OnRow&& on_row) {
  for (const EvalRow& row : report.rows) {
    if (row.table == source.table && row.column == column && (source.split.empty() || row.split == source.split)) {
      on_row(row);
    }
  }
}

std::vector<ChartSeries> SeriesOf(const EvalReport& report, const ChartLayout& chart) {
  std::vector<ChartSeries> series;
  for (const ChartSource& source : chart.sources) {
    ForEachRow(report, source, chart.column, [&](const EvalRow& row) {
      std::string name = row.row;
      const std::size_t space = row.row.rfind(' ');
      std::optional<double> x =
          space == std::string::npos ? std::nullopt : NumberAtEnd(std::string_view(row.row).substr(space + 1));
      if (x) {
        name.resize(space);
      } else {
        x = NumberAtEnd(row.split);
      }
      if (!x) return;
      const std::string shown = name + source.label;
      auto it = std::find_if(series.begin(), series.end(), [&](const ChartSeries& one) { return one.name == shown; });
      if (it == series.end()) {
        it = series.insert(series.end(), ChartSeries{.name = shown, .points = {}, .published = {}});
        for (const auto& [at, table] : chart.published) {
          if (const EvalRow* const printed = FindRow(report.rows, {table, "published", name}, chart.column)) {
            it->published.push_back({.x = at, .y = printed->value, .low = std::nullopt, .high = std::nullopt});
          }
        }
      }
      it->points.push_back({.x = *x, .y = row.value, .low = row.low, .high = row.high});
    });
  }
  for (ChartSeries& one : series) {
    std::stable_sort(one.points.begin(), one.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  return series;
}

// Bars of one name from several sources stand together.
std::vector<ChartBar> BarsOf(const EvalReport& report, const ChartLayout& chart) {
  struct Named {
    std::string name;
    ChartBar bar;
  };
  std::vector<Named> found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < chart.sources.size(); ++i) {
    const ChartSource& source = chart.sources[i];
    ForEachRow(report, source, chart.column, [&](const EvalRow& row) {
      const std::string& name = source.split.empty() ? row.split : row.row;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      found.push_back({name,
                       {.name = name + source.label,
                        .style = i + 1 == chart.sources.size() ? 1U : 0U,
                        .apart = false,
                        .value = row.value,
                        .low = row.low,
                        .high = row.high}});
    });
  }
  std::vector<ChartBar> bars;
  for (const std::string& name : names) {
    bool first = true;
    for (Named& one : found) {
      if (one.name != name) continue;
      one.bar.apart = first && !bars.empty();
      first = false;
      bars.push_back(std::move(one.bar));
    }
  }
  return bars;
}

void Chart(std::string& out, const EvalReport& report, const ChartLayout& chart, const std::string& id) {
  const ChartText text{.id = id,
                       .title = chart.title,
                       .description = chart.description,
                       .x_label = chart.x_label,
                       .y_label = chart.y_label};
  const std::string svg = chart.kind == ChartLayout::Kind::kLines ? LineChart(text, SeriesOf(report, chart))
                                                                  : BarChart(text, BarsOf(report, chart));
  if (svg.empty()) return;
  out += "<figure>\n<figcaption>" + base::EscapeHtml(chart.title) + "<small>" + Prose(chart.description) +
         "</small></figcaption>\n" + svg + "</figure>\n";
}

void Summary(std::string& out, const EvalReport& report, const ReportLayout& layout) {
  OpenTable(out, "summary-table", "Utility and attack success rate, per cent", "– : there is no such figure.");
  out += "<thead>\n<tr><th scope=\"col\" rowspan=\"2\" class=\"key\">protocol</th>";
  for (const std::string& heading : layout.headings) {
    out +=
        fmt::format("<th scope=\"colgroup\" colspan=\"{}\">{}</th>", layout.figures.size(), base::EscapeHtml(heading));
  }
  out += "</tr>\n<tr>";
  for (std::size_t i = 0; i < layout.headings.size(); ++i) {
    for (const std::string& figure : layout.figures) out += "<th scope=\"col\">" + base::EscapeHtml(figure) + "</th>";
  }
  out += "</tr>\n</thead>\n<tbody>\n";
  for (const SummaryLine& line : layout.summary) {
    std::string cells;
    bool any = false;
    for (const SummaryPick& pick : line.picks) {
      for (const std::string& figure : layout.figures) {
        const EvalRow* const row = FindRow(report.rows, pick, figure);
        any = any || row != nullptr;
        cells += Cell(row, false);
      }
    }
    if (any) out += "<tr><th scope=\"row\">" + base::EscapeHtml(line.title) + "</th>" + cells + "</tr>\n";
  }
  out += "</tbody>\n</table>\n</div>\n";
}

}  // namespace

std::string ReportHtml(const EvalReport& report, const ReportLayout& layout) {
  const std::vector<SectionLayout> sections = SectionsShown(report, layout);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      base::EscapeHtml(layout.title), kStyle);
  out += "<a class=\"skip\" href=\"#summary\">Skip to the summary</a>\n<header>\n<h1>" +
         base::EscapeHtml(layout.title) + "</h1>\n<p>" + Prose(layout.lead) +
         "</p>\n<nav aria-label=\"Contents\"><ul>\n";
  out += "<li><a href=\"#summary\">Summary</a></li>\n";
  for (const SectionLayout& section : sections) {
    out +=
        fmt::format("<li><a href=\"#{}\">{}</a></li>\n", base::EscapeHtml(section.id), base::EscapeHtml(section.title));
  }
  out += "<li><a href=\"#how\">Data, seeds, command</a></li>\n</ul></nav>\n</header>\n<main>\n";
  out += "<section id=\"summary\">\n<h2>Summary</h2>\n";
  Summary(out, report, layout);
  out += "</section>\n";
  std::size_t id = 0;
  for (const SectionLayout& section : sections) {
    out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", base::EscapeHtml(section.id),
                       base::EscapeHtml(section.title));
    if (!section.text.empty()) out += "<p>" + Prose(section.text) + "</p>\n";
    for (const ChartLayout& chart : section.charts) Chart(out, report, chart, fmt::format("c{}", ++id));
    for (const TableLayout& table : section.tables) Table(out, report, table, fmt::format("t{}", ++id));
    out += "</section>\n";
  }
  out += "<section id=\"how\">\n<h2>Data, seeds, command</h2>\n<pre><code>" + base::EscapeHtml(report.command) +
         "</code></pre>\n<dl>\n";
  out += "<dt>data</dt><dd>" + base::EscapeHtml(report.data) + "</dd>\n" +
         fmt::format("<dt>seed</dt><dd>{}</dd>\n", report.seed);
  for (const auto& [name, value] : report.facts) {
    out += "<dt>" + base::EscapeHtml(name) + "</dt><dd>" + base::EscapeHtml(value) + "</dd>\n";
  }
  out += fmt::format("<dt>figures</dt><dd>{} rows; the same as JSON: rows.json (interlock.eval/v1)</dd>\n",
                     report.rows.size());
  return out + "</dl>\n</section>\n</main>\n</body>\n</html>\n";
}

}  // namespace interlock::eval
