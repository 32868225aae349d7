// What the report of the Agent-Sentry evaluation shows, in which order and under which headings.
#include "interlock/eval/report.h"

namespace interlock::eval {
namespace {

TableLayout BySplit(std::string table, std::string title, std::string note) {
  return {.table = std::move(table), .title = std::move(title), .note = std::move(note), .shape = TableShape::kBySplit};
}
TableLayout ByColumn(std::string table, std::string title, std::string note) {
  return {
      .table = std::move(table), .title = std::move(title), .note = std::move(note), .shape = TableShape::kByColumn};
}

SectionLayout Paper() {
  SectionLayout section{
      .id = "paper",
      .title = "The published method: tables 1-13",
      .text =
          "`published`: as printed. `artifact`: what the authors' program computes, which pairs verdicts with the "
          "wrong traces; the interval holds 95 % of seeded shuffles. `corrected`: each trace with its own verdict. "
          "At full coverage every trace of these tables was learned from, and every attack always was.",
      .charts = {},
      .tables = {}};
  section.tables = {
      BySplit("1", "Table 1: traces of the data set", ""),
      BySplit("2", "Table 2: utility and ASR at a coverage of 100 %", "Traces as they are."),
      BySplit("3", "Table 3: utility and ASR at a coverage of 50 %", "Traces as they are."),
      BySplit("4", "Table 4: utility and ASR at a coverage of 90 %", "Traces as they are."),
      BySplit("5", "Table 5: ambiguous and misclassified flows", "Rows: domain and coverage in per cent."),
      BySplit("6", "Table 6: the judge alone", "A recorded language model's verdict of the finished trace."),
      BySplit("7", "Table 7: AgentDojo beside other defences",
              "Rows of CaMeL and Progent are as printed. `run 1`: before multiplying with a baseline."),
      BySplit("8", "Table 8: balanced setting (1:1), coverage 100 %", ""),
      BySplit("9", "Table 9: deployment setting (9:1), coverage 100 %", ""),
      BySplit("10", "Table 10: balanced setting (1:1), coverage 50 %", ""),
      BySplit("11", "Table 11: deployment setting (9:1), coverage 50 %", ""),
      BySplit("12", "Table 12: balanced setting (1:1), coverage 90 %", ""),
      BySplit("13", "Table 13: deployment setting (9:1), coverage 90 %", "")};
  return section;
}

SectionLayout Figures() {
  SectionLayout section{.id = "figures",
                        .title = "The paper's figures",
                        .text =
                            "Lines: ours, each trace with its own verdict, mean of three draws of the training "
                            "utilities. Hollow points: what tables 2, 3 and 4 print; the figures print no numbers.",
                        .charts = {},
                        .tables = {}};
  const std::vector<std::pair<double, std::string>> published{{50, "3"}, {90, "4"}, {100, "2"}};
  section.charts.push_back({.kind = ChartLayout::Kind::kLines,
                            .table = "figure 2",
                            .column = "utility",
                            .title = "Figure 2: utility by coverage of the functionality graph",
                            .description = "Utility success rate against the share of utility traces learned from, a "
                                           "line a domain. The figures are in the table below.",
                            .x_label = "coverage, %",
                            .y_label = "utility, %",
                            .by_split = false,
                            .published = published});
  section.charts.push_back({.kind = ChartLayout::Kind::kLines,
                            .table = "figure 3",
                            .column = "asr",
                            .title = "Figure 3: attack success rate by coverage of the functionality graph",
                            .description = "Attack success rate against the share of utility traces learned from, a "
                                           "line a domain. The figures are in the table below.",
                            .x_label = "coverage, %",
                            .y_label = "ASR, %",
                            .by_split = false,
                            .published = published});
  section.tables = {BySplit("figure 2", "Figure 2 as a table", "Rows: domain and coverage in per cent."),
                    BySplit("figure 3", "Figure 3 as a table", "Rows: domain and coverage in per cent.")};
  return section;
}

SectionLayout Apart() {
  return {.id = "leak-free",
          .title = "The published method, training and test kept apart",
          .text =
              "The same graphs and rules where no test trace was learned from. Intervals: 95 %, by resampling "
              "groups (a utility's prompt, an attack's task) inside each domain.",
          .charts = {},
          .tables = {ByColumn("leak-free", "Training and test kept apart: mean of four domains", "")}};
}

}  // namespace

ReportLayout AgentSentryLayout() {
  ReportLayout layout;
  layout.title = "Agent-Sentry: published, reproduced, corrected, and Interlock";
  layout.lead =
      "Utility: share of sessions without attack in which no call was stopped. ASR: share of attack sessions of which "
      "nothing was stopped. Means over four domains, in per cent.";
  layout.headings = {"published", "reproduced", "corrected", "interlock"};
  layout.figures = {"utility", "asr"};
  const auto rates = [&](std::string title, const std::string& table) {
    layout.summary.push_back(
        {.title = std::move(title),
         .picks = {
             {table, "published", "overall"}, {table, "artifact", "overall"}, {table, "corrected", "overall"}, {}}});
  };
  rates("coverage 100 %, tested on what was learned (table 2)", "2");
  rates("coverage 90 % (table 4)", "4");
  rates("coverage 50 % (table 3)", "3");
  rates("judge alone (table 6)", "6");
  layout.summary.push_back(
      {.title = "AgentDojo run 1 times baseline (table 7)",
       .picks = {{"7", "published", "paper"}, {"7", "artifact", "paper"}, {"7", "corrected", "paper"}, {}}});
  layout.summary.push_back(
      {.title = "5 folds by trace", .picks = {{}, {}, {"leak-free", "5-fold by trace", "paper, artifact rule"}, {}}});
  layout.summary.push_back({.title = "prompts and attack tasks unseen",
                            .picks = {{}, {}, {"leak-free", "5x5 groups", "paper, artifact rule"}, {}}});
  layout.summary.push_back({.title = "trained on bench, AgentDojo run 1",
                            .picks = {{}, {}, {"leak-free", "train bench, test run 1", "paper, artifact rule"}, {}}});
  layout.sections = {Paper(), Figures(), Apart()};
  return layout;
}

}  // namespace interlock::eval
