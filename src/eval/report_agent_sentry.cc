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

constexpr const char* kGate = " gate";
constexpr const char* kBoth = " gate+quarantine";

// A protocol of ours: its two tables of rates.
void AddRates(SectionLayout& section, const std::string& name, const std::string& title, const std::string& note) {
  section.tables.push_back(ByColumn(name + kGate, title + ": gate only", note));
  section.tables.push_back(ByColumn(name + kBoth, title + ": gate and quarantine",
                                    "Also stopped: attacks whose whole text is masked before the model reads it. Any "
                                    "masking in a session without attack is utility lost."));
}
std::vector<ChartSource> Both(const std::string& name) {
  return {{.table = name + kGate, .split = "", .label = ", gate"},
          {.table = name + kBoth, .split = "", .label = ", gate+quarantine"}};
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

ChartLayout Figure(const std::string& table, const std::string& column, std::string title, const std::string& what) {
  return {.kind = ChartLayout::Kind::kLines,
          .sources = {{.table = table, .split = "", .label = ""}},
          .column = column,
          .title = std::move(title),
          .description = what + " against the share of utility traces learned from, a line a domain. Hollow: printed.",
          .x_label = "coverage, %",
          .y_label = what + ", %",
          .published = {{50, "3"}, {90, "4"}, {100, "2"}}};
}

SectionLayout Figures() {
  return {.id = "figures",
          .title = "The paper's figures",
          .text =
              "Lines: ours, each trace with its own verdict, mean of three draws of the training utilities. Hollow "
              "points: what tables 3, 4 and 2 print; the figures themselves print no numbers.",
          .charts = {Figure("figure 2", "utility", "Figure 2: utility by coverage of the functionality graph",
                            "Utility success rate"),
                     Figure("figure 3", "asr", "Figure 3: attack success rate by coverage of the functionality graph",
                            "Attack success rate")},
          .tables = {BySplit("figure 2", "Figure 2 as a table", "Rows: domain and coverage in per cent."),
                     BySplit("figure 3", "Figure 3 as a table", "Rows: domain and coverage in per cent.")}};
}

SectionLayout Apart() {
  return {
      .id = "leak-free",
      .title = "The published method, training and test kept apart",
      .text =
          "The same graphs and rules where no test trace was learned from. Intervals: 95 %, by resampling "
          "groups (a utility's prompt, an attack's task) inside each domain.",
      .charts = {},
      .tables = {ByColumn("leak-free", "Training and test kept apart: mean of four domains", ""),
                 ByColumn("leak-free, earlier", "The same, measured earlier by another program on other folds", "")}};
}

ChartLayout Beside(const std::string& column, std::string title) {
  return {.kind = ChartLayout::Kind::kBars,
          .sources = {{.table = "leak-free", .split = "5x5 groups", .label = ""},
                      {.table = "grouped gate", .split = "mean", .label = ", gate"},
                      {.table = "grouped gate+quarantine", .split = "mean", .label = ", gate+quarantine"}},
          .column = column,
          .title = std::move(title),
          .description =
              "Neither the prompt nor the attack task was learned from; mean of four domains with 95 % "
              "intervals over groups. Folds of the two methods differ.",
          .x_label = column == "asr" ? "ASR, %" : "utility, %",
          .y_label = "",
          .published = {}};
}

SectionLayout Grouped() {
  SectionLayout section{
      .id = "grouped",
      .title = "Interlock: prompts and attack tasks unseen",
      .text =
          "Row `interlock`: the guard's own session code, trained on the other folds, no language model. Only "
          "`allow` counts as allowed; a call that waits for a person does not. `exposed_utility`: of sessions that "
          "act after untrusted text was read. `delegation`: requests that hand their content to a document, a row "
          "of their own and outside the means.",
      .charts = {Beside("asr", "Attack success rate, prompts and attack tasks unseen"),
                 Beside("utility", "Utility, prompts and attack tasks unseen")},
      .tables = {}};
  AddRates(section, "grouped", "Grouped folds", "");
  section.tables.push_back(ByColumn("grouped verdicts", "What the gate said: share of sessions by strictest verdict",
                                    "Domain means; `stopped_per_thousand_calls` counts calls without attack."));
  return section;
}

SectionLayout Cross() {
  SectionLayout section{.id = "cross",
                        .title = "Interlock: other data, other domains",
                        .text =
                            "Trained on bench alone, tested on AgentDojo run 1 (other model, other attack text; "
                            "bench holds runs of other models at the same tasks). Four folds: training also loses "
                            "the test fold's user tasks and every AgentDojo injection task. Leave one domain out: "
                            "three domains teach, the fourth is tested.",
                        .charts = {},
                        .tables = {}};
  AddRates(section, "bench to agentdojo", "Trained on bench, tested on AgentDojo run 1", "");
  section.tables.push_back(ByColumn("bench to agentdojo verdicts", "The same: what the gate said", ""));
  AddRates(section, "four-fold", "Four folds, AgentDojo's tasks unseen", "");
  section.tables.push_back(ByColumn("four-fold verdicts", "The same: what the gate said", ""));
  AddRates(section, "leave-one-domain-out", "Leave one domain out", "");
  section.tables.push_back(ByColumn("leave-one-domain-out verdicts", "The same: what the gate said", ""));
  return section;
}

SectionLayout Stress() {
  SectionLayout section{.id = "stress",
                        .title = "Stress suite and adaptive attacker",
                        .text =
                            "Test attacks of the grouped folds, rewritten; the same models. The adaptive attacker "
                            "knows the method and only writes data: `field`, a record with other content; `line`, "
                            "a data line that names another recipient.",
                        .charts = {{.kind = ChartLayout::Kind::kBars,
                                    .sources = Both("stress"),
                                    .column = "asr",
                                    .title = "Attack success rate by kind of rewriting",
                                    .description = "95 % intervals over groups. Filled: gate only; outlined: gate and "
                                                   "quarantine.",
                                    .x_label = "ASR, %",
                                    .y_label = "",
                                    .published = {}}},
                        .tables = {}};
  AddRates(section, "stress", "Stress suite", "");
  AddRates(section, "adaptive", "Adaptive attacker", "");
  return section;
}

ChartLayout Curve(const std::string& column, std::string title, std::string y_label) {
  return {.kind = ChartLayout::Kind::kLines,
          .sources = Both("learning curve"),
          .column = column,
          .title = std::move(title),
          .description = "Against the share of the training groups; bands are 95 % intervals over groups.",
          .x_label = "training groups, %",
          .y_label = std::move(y_label),
          .published = {}};
}

SectionLayout Curves() {
  SectionLayout section{.id = "curves",
                        .title = "Interlock: learning curves",
                        .text = "Prompts and attack tasks of the test unseen; split: share of the training groups.",
                        .charts = {Curve("utility", "Utility by share of the training groups", "utility, %"),
                                   Curve("asr", "Attack success rate by share of the training groups", "ASR, %")},
                        .tables = {}};
  AddRates(section, "learning curve", "Learning curve", "");
  return section;
}

SectionLayout Errors() {
  return {.id = "errors",
          .title = "Interlock: where it is wrong",
          .text =
              "Traces by what went wrong, gate only, delegation apart. `lost utility`: the strongest ground of the "
              "stopped call.",
          .charts = {},
          .tables = {ByColumn("grouped errors", "Error classes: grouped folds", ""),
                     ByColumn("bench to agentdojo errors", "Error classes: trained on bench, AgentDojo run 1", ""),
                     ByColumn("four-fold errors", "Error classes: four folds", ""),
                     ByColumn("leave-one-domain-out errors", "Error classes: leave one domain out", "")}};
}

}  // namespace

ReportLayout AgentSentryLayout() {
  ReportLayout layout;
  layout.title = "Agent-Sentry: published, reproduced, corrected, and Interlock";
  layout.lead =
      "Utility: share of sessions without attack in which nothing was stopped. ASR: share of attack sessions in which "
      "nothing was stopped. Means over four domains, in per cent.";
  layout.headings = {"published", "reproduced", "corrected", "interlock, gate", "interlock, gate+quarantine"};
  layout.figures = {"utility", "asr"};
  const auto line = [&](std::string title, std::vector<SummaryPick> picks) {
    picks.resize(layout.headings.size());
    layout.summary.push_back({.title = std::move(title), .picks = std::move(picks)});
  };
  const auto ours = [](const std::string& name, const std::string& split, const std::string& paper) {
    std::vector<SummaryPick> picks(3);
    if (!paper.empty()) picks[2] = {"leak-free", paper, "paper, artifact rule"};
    picks.push_back({name + kGate, split, "interlock"});
    picks.push_back({name + kBoth, split, "interlock"});
    return picks;
  };
  const auto published = [](const std::string& table, const std::string& row) {
    return std::vector<SummaryPick>{{table, "published", row}, {table, "artifact", row}, {table, "corrected", row}};
  };
  line("coverage 100 %, tested on what was learned (table 2)", published("2", "overall"));
  line("coverage 90 % (table 4)", published("4", "overall"));
  line("coverage 50 % (table 3)", published("3", "overall"));
  line("judge alone (table 6)", published("6", "overall"));
  line("AgentDojo run 1 times baseline (table 7)", published("7", "paper"));
  line("5 folds by trace", {{}, {}, {"leak-free", "5-fold by trace", "paper, artifact rule"}});
  line("prompts and attack tasks unseen", ours("grouped", "mean", "5x5 groups"));
  line("trained on bench, AgentDojo run 1", ours("bench to agentdojo", "mean", "train bench, test run 1"));
  line("four folds, AgentDojo's tasks unseen", ours("four-fold", "mean", ""));
  line("a domain unseen", ours("leave-one-domain-out", "mean", ""));
  line("stress suite, worst kind", ours("stress", "worst", ""));
  line("adaptive attacker, a field", ours("adaptive", "field", ""));
  line("adaptive attacker, a line", ours("adaptive", "line", ""));
  line("delegating requests (prompts unseen)", ours("grouped", "delegation", ""));
  layout.sections = {Grouped(), Cross(), Stress(), Curves(), Errors(), Paper(), Figures(), Apart()};
  return layout;
}

}  // namespace interlock::eval
