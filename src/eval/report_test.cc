#include "interlock/eval/report.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"
#include "report_pivot.h"
#include "report_svg.h"

namespace interlock::eval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr const char* kHostile = "<script>alert('x')</script>&\"\x1b[31m\xff\xe2\x80\xae";

EvalRow Row(std::string table, std::string split, std::string row, std::string column, double value) {
  return {.table = std::move(table),
          .split = std::move(split),
          .row = std::move(row),
          .column = std::move(column),
          .value = value,
          .low = std::nullopt,
          .high = std::nullopt,
          .n = 7,
          .published = std::nullopt,
          .reason = ""};
}

// Every kind of section, chart and table of the layout has something to show.
EvalReport FullReport() {
  EvalReport report{.eval = "agent-sentry",
                    .command = "interlock eval agent-sentry --data d",
                    .data = "d",
                    .seed = 42,
                    .facts = {{"traces", "12 without attack"}},
                    .rows = {}};
  const auto rates = [&](const std::string& table, const std::string& split, const std::string& row, double utility) {
    for (const bool attack : {false, true}) {
      EvalRow one = Row(table, split, row, attack ? "asr" : "utility", attack ? 100 - utility : utility);
      one.low = one.value - 1;
      one.high = one.value + 1;
      one.reason = "of " + split;
      report.rows.push_back(one);
    }
  };
  for (const char* table : {"2", "3", "4"}) {
    rates(table, "published", "overall", 90);
    rates(table, "artifact", "overall", 91);
    rates(table, "corrected", "overall", 92);
  }
  for (const char* row : {"overall 50", "overall 90", "overall 100", "slack 50", "slack 100"}) {
    report.rows.push_back(Row("figure 2", "corrected", row, "utility", 80));
    report.rows.push_back(Row("figure 3", "corrected", row, "asr", 12));
  }
  rates("leak-free", "5x5 groups", "paper, artifact rule", 70);
  for (const char* mode : {" gate", " gate+quarantine"}) {
    rates(std::string("grouped") + mode, "mean", "interlock", 98);
    rates(std::string("stress") + mode, "padded", "interlock", 97);
    for (const char* share : {"5", "100", "25"}) rates(std::string("learning curve") + mode, share, "interlock", 95);
  }
  report.rows.push_back(Row("grouped errors", "lost utility: taint", "interlock", "traces", 3));
  return report;
}

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// Tags that close in order, attributes in quotes, no bare < & or >: what a browser need not guess.
::testing::AssertionResult WellFormed(std::string_view html) {
  std::vector<std::string> open;
  const auto fail = [&](std::size_t at, std::string_view why) {
    return ::testing::AssertionFailure() << why << " at " << at << ": " << html.substr(at, 80);
  };
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (html[i] == '>') return fail(i, "bare >");
    if (html[i] == '&') {
      const std::size_t end = html.find(';', i);
      if (end == std::string_view::npos || end - i > 6) return fail(i, "bare &");
    }
    if (html[i] != '<') continue;
    bool quoted = false;
    std::size_t end = i + 1;
    for (; end < html.size() && (quoted || html[end] != '>'); ++end) {
      if (html[end] == '"') quoted = !quoted;
      if (html[end] == '<') return fail(i, "< in a tag");
    }
    if (end == html.size()) return fail(i, "tag without end");
    const std::string_view tag = html.substr(i + 1, end - i - 1);
    const std::string name(tag.substr(0, tag.find_first_of(" \n")));
    if (name == "style") end = html.find("</style>", end) + 7;  // its content is not markup
    if (name[0] == '/') {
      if (open.empty() || open.back() != name.substr(1)) return fail(i, "closes what is not open");
      open.pop_back();
    } else if (name != "!doctype" && name != "meta" && name != "style" && tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "never closed: " << open.back();
  return ::testing::AssertionSuccess();
}

TEST(ReportJsonTest, FitsItsSchema) {
  std::ifstream in(std::string(INTERLOCK_SOURCE_DIR) + "/schemas/interlock.eval.v1.json");
  std::stringstream text;
  text << in.rdbuf();
  const auto schema_doc = base::JsonDoc::Parse(text.str());
  ASSERT_TRUE(schema_doc.ok());
  const auto schema = policy::JsonSchema::Compile(schema_doc.value().root());
  ASSERT_TRUE(schema.ok()) << schema.error().ToString();
  EvalReport report = FullReport();
  report.command += kHostile;
  report.rows.front().value = std::numeric_limits<double>::quiet_NaN();
  report.rows.front().published = 94.61;
  const auto doc = base::JsonDoc::Parse(ReportJson(report));
  ASSERT_TRUE(doc.ok()) << doc.error().ToString();
  const auto outcome = schema.value().Validate(doc.value().root());
  EXPECT_TRUE(outcome.valid()) << outcome.ToError().ToString();
  EXPECT_EQ(doc.value().root().Find("rows").size(), report.rows.size());
  EXPECT_TRUE(doc.value().root().FindPointer("/rows/0/value").is_null());
  EXPECT_EQ(doc.value().root().FindPointer("/rows/0/published").AsDouble(), 94.61);
  EXPECT_TRUE(doc.value().root().FindPointer("/rows/0/n").AsInt64() == 7);
  // The schema can refuse: a column in capitals, a row without interval members.
  for (const char* bad : {R"({"table":"2","split":"a","row":"b","column":"ASR","value":1,"low":null,"high":null,"n":1,)"
                          R"("published":null,"reason":""})",
                          R"({"table":"2","split":"a","row":"b","column":"asr","value":1,"n":1})"}) {
    const std::string json =
        std::string(
            R"({"schema":"interlock.eval/v1","eval":"agent-sentry","command":"c","data":"d","seed":1,"rows":[)") +
        bad + "]}";
    const auto bad_doc = base::JsonDoc::Parse(json);
    ASSERT_TRUE(bad_doc.ok());
    EXPECT_FALSE(schema.value().Validate(bad_doc.value().root()).valid()) << bad;
  }
}

TEST(ReportTest, EqualReportsGiveEqualBytes) {
  const EvalReport report = FullReport();
  const ReportLayout layout = AgentSentryLayout();
  EXPECT_EQ(ReportHtml(report, layout), ReportHtml(FullReport(), AgentSentryLayout()));
  EXPECT_EQ(ReportText(report, layout), ReportText(FullReport(), AgentSentryLayout()));
  EXPECT_EQ(ReportJson(report), ReportJson(FullReport()));
  EvalReport other = FullReport();
  other.rows.back().value += 1;
  EXPECT_NE(ReportHtml(report, layout), ReportHtml(other, layout));
}

TEST(ReportHtmlTest, IsWellFormedAndStandsAlone) {
  const std::string html = ReportHtml(FullReport(), AgentSentryLayout());
  EXPECT_TRUE(WellFormed(html));
  EXPECT_EQ(Count(html, "<svg "), 7U);  // two figures, two beside the paper's, stress, two curves
  EXPECT_EQ(Count(html, "<svg "), Count(html, "<title id="));
  EXPECT_EQ(Count(html, "<svg "), Count(html, "<desc id="));
  EXPECT_EQ(Count(html, "<table>"), Count(html, "<caption "));
  EXPECT_EQ(Count(html, "<polygon class=\"band"), 4U);  // intervals of two curves, gate and gate+quarantine
  EXPECT_THAT(html, HasSubstr("class=\"hollow s0\""));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("interlock eval agent-sentry --data d"));
  // Nothing is fetched: no script, no address but the name of SVG, no url() in the style.
  EXPECT_EQ(Count(html, "http"), Count(html, "xmlns=\"http://www.w3.org/2000/svg\"") + Count(html, "http-equiv"));
  for (const char* part : {"<script", "src=", "url(", "@import", "<link", "<img"})
    EXPECT_EQ(Count(html, part), 0U) << part;
  EXPECT_EQ(Count(html, " href=\""), Count(html, " href=\"#"));
}

TEST(ReportHtmlTest, EveryStringIsEscaped) {
  EvalReport report = FullReport();
  report.command = report.data = kHostile;
  report.facts = {{kHostile, kHostile}};
  for (EvalRow& row : report.rows) row.reason = kHostile;
  for (const char* table : {"2", "grouped gate", "stress gate", "of no section"}) {
    report.rows.push_back(Row(table, kHostile, kHostile, kHostile, 1));
    report.rows.push_back(Row(table, kHostile, std::string(kHostile) + " 10", "asr", 1));
  }
  report.rows.push_back(Row("figure 2", "corrected", std::string(kHostile) + " 10", "utility", 1));
  report.rows.push_back(Row(kHostile, "a", "b", "c", 1));
  ReportLayout layout = AgentSentryLayout();
  layout.title = layout.lead = kHostile;
  layout.headings.front() = layout.figures.front() = layout.summary.front().title = kHostile;
  for (SectionLayout& section : layout.sections) {
    section.text = section.title = kHostile;
    for (ChartLayout& chart : section.charts) {
      chart.title = chart.description = chart.x_label = chart.y_label = kHostile;
      chart.sources.front().label = kHostile;
    }
    for (TableLayout& table : section.tables) table.title = table.note = kHostile;
  }
  const std::string html = ReportHtml(report, layout);
  EXPECT_TRUE(WellFormed(html));
  EXPECT_EQ(Count(html, "<script"), 0U);
  EXPECT_GT(Count(html, "&lt;script&gt;"), 30U);
  for (const char* raw : {"\x1b", "\xff", "\xe2\x80\xae"}) {
    EXPECT_EQ(Count(html, raw), 0U);
    EXPECT_EQ(Count(ReportText(report, layout), raw), 0U);
  }
}

TEST(ReportHtmlTest, NothingMeasuredIsStillAReport) {
  const EvalReport report{.eval = "agent-sentry", .command = "c", .data = "d", .seed = 0, .facts = {}, .rows = {}};
  EXPECT_TRUE(WellFormed(ReportHtml(report, AgentSentryLayout())));
  EXPECT_THAT(ReportText(report, AgentSentryLayout()), HasSubstr("seed: 0"));
}

TEST(ReportTextTest, PublishedStandsBesideReproducedAndCorrected) {
  const std::string text = ReportText(FullReport(), AgentSentryLayout());
  EXPECT_THAT(text, HasSubstr("overall utility  90.00 [89.00, 91.00]  91.00 [90.00, 92.00]  92.00 [91.00, 93.00]  7"));
  const std::size_t summary = text.find("== Summary ==");
  ASSERT_NE(summary, std::string::npos);
  EXPECT_GT(summary, text.find("Table 2"));
  EXPECT_THAT(text.substr(summary), HasSubstr("90.00 / 10.00"));
  EXPECT_THAT(text.substr(summary), Not(HasSubstr("judge alone")));  // no such rows
}

TEST(ReportPivotTest, LinesColumnsAndReasonsInOrder) {
  std::vector<EvalRow> rows = {Row("t", "published", "b", "asr", 1), Row("t", "corrected", "b", "asr", 2),
                               Row("other", "x", "y", "z", 9), Row("t", "corrected", "a", "asr", 3)};
  rows[0].reason = "as printed";
  rows[1].reason = "first";
  rows[3].reason = "second";
  rows[3].n = 11;
  const Pivot by_split = MakePivot(rows, "t", TableShape::kBySplit);
  EXPECT_THAT(by_split.across, ElementsAre("published", "corrected"));
  ASSERT_EQ(by_split.lines.size(), 2U);
  EXPECT_EQ(by_split.lines[0].first, "b");
  EXPECT_EQ(by_split.lines[0].cells, (std::vector<const EvalRow*>{&rows[0], &rows[1]}));
  EXPECT_EQ(by_split.lines[1].cells, (std::vector<const EvalRow*>{nullptr, &rows[3]}));
  EXPECT_EQ(by_split.lines[1].n, 11U);
  EXPECT_THAT(by_split.notes, ElementsAre(Pair("corrected (b asr)", "first"), Pair("corrected (a asr)", "second")));
  const Pivot by_column = MakePivot(rows, "t", TableShape::kByColumn);
  EXPECT_THAT(by_column.across, ElementsAre("asr"));
  EXPECT_EQ(by_column.lines.size(), 3U);
}

TEST(ReportSvgTest, ChartsKeepToTheirFrame) {
  const ChartText text{.id = "c", .title = "t", .description = "d", .x_label = "x", .y_label = "y"};
  EXPECT_EQ(LineChart(text, {}), "");
  EXPECT_EQ(BarChart(text, {}), "");
  // One point, equal points, and labels that would stand on each other.
  std::vector<ChartSeries> series;
  for (int i = 0; i < 9; ++i) {
    series.push_back(
        {.name = "s", .points = {{.x = 1, .y = 5, .low = std::nullopt, .high = std::nullopt}}, .published = {}});
  }
  const std::string lines = LineChart(text, series);
  EXPECT_TRUE(WellFormed(lines));
  EXPECT_EQ(Count(lines, "nan"), 0U);
  EXPECT_EQ(Count(lines, "inf"), 0U);
  EXPECT_EQ(Count(lines, "<text class=\"label\""), 9U);
  const std::string bars =
      BarChart(text, {{.name = "a", .style = 0, .apart = false, .value = 0, .low = 0.0, .high = 0.0},
                      {.name = "b", .style = 1, .apart = true, .value = 0, .low = std::nullopt, .high = std::nullopt}});
  EXPECT_TRUE(WellFormed(bars));
  EXPECT_EQ(Count(bars, "nan"), 0U);
  EXPECT_EQ(Count(bars, "<rect"), 2U);
}

}  // namespace
}  // namespace interlock::eval
