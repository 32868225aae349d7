// What the report shows, in which order.
#include <string>

#include "interlock/eval/oep.h"

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
  SectionLayout section{.id = "paper", .title = "The paper's tables", .text = {}, .charts = {}, .tables = {}};
  section.text =
      "Left as printed, right as reproduced. ISR and UAR of gated agents are exact; what the paper leaves open "
      "(T, approvals, the planner's second choices) is fixed in data files and not tuned to the third digit.";
  section.tables = {
      BySplit("1", "Table 1: means over all runs", "TTM is the mean of mitigated runs only, as in the paper."),
      BySplit("2", "Table 2: layers", "1: the layer is on."),
      BySplit("4", "Table 4: intervals over seeds", "Mean of each seed first, then a t-interval over seeds."),
      ByColumn("classes", "Rows that are equal in print", "1: equal in every run, not only on average.")};
  section.charts = {{.kind = ChartLayout::Kind::kBars,
                     .sources = {{.table = "1", .split = "reproduced", .label = ""}},
                     .column = "ttd",
                     .title = "Figure 2a: time to detect",
                     .description = "Steps until the affected service is named, by agent.",
                     .x_label = "steps"},
                    {.kind = ChartLayout::Kind::kBars,
                     .sources = {{.table = "1", .split = "reproduced", .label = ""}},
                     .column = "ttm",
                     .title = "Figure 2b: time to mitigate",
                     .description = "Steps until every call of the playbook ran, mean of the runs that got there.",
                     .x_label = "steps"}};
  return section;
}

SectionLayout All() {
  SectionLayout section{.id = "all", .title = "All metrics", .text = {}, .charts = {}, .tables = {}};
  section.text =
      "`isr_all` is over all runs, `isr_attacked` over attacked ones; `uar_act` is the mean share of unauthorised "
      "calls, `uar_run` the share of runs with one; `ttm_star` counts a run that was not mitigated as T+1; "
      "`blast_one_read` is equation 3 at one read a run, because equation 3 falls when reads are padded.";
  section.tables = {ByColumn("all", "Every agent", ""), ByColumn("differences", "Paired by seed against GIRA Full",
                                                                 "An interval that does not hold 0 is a difference.")};
  return section;
}

SectionLayout Attacks() {
  SectionLayout section{
      .id = "attacks", .title = "Injection success by attack", .text = {}, .charts = {}, .tables = {}};
  section.tables = {BySplit("attacks", "Figure 3: share of attacked runs in which the attacker's call ran", ""),
                    BySplit("techniques", "By technique", "")};
  for (const char* attack : {"direct", "indirect", "tool_output", "cross_incident"}) {
    section.charts.push_back({.kind = ChartLayout::Kind::kBars,
                              .sources = {{.table = "attacks", .split = attack, .label = ""}},
                              .column = "isr_attacked",
                              .title = std::string("Figure 3: ") + attack,
                              .description = "Injection success rate by agent.",
                              .x_label = "share of attacked runs"});
  }
  return section;
}

SectionLayout Blast() {
  SectionLayout section{.id = "blast", .title = "Blast radius", .text = {}, .charts = {}, .tables = {}};
  section.tables = {BySplit("blast distribution", "Figure 4: deciles of a run's blast radius", "")};
  section.charts = {{.kind = ChartLayout::Kind::kLines,
                     .sources = {{.table = "blast distribution", .split = "", .label = ""}},
                     .column = "blast",
                     .title = "Figure 4: blast radius of runs, sorted",
                     .description = "Each line is an agent; x is the share of runs with at most this blast radius.",
                     .x_label = "per cent of runs",
                     .y_label = "blast radius"}};
  return section;
}

SectionLayout Frontier() {
  SectionLayout section{.id = "frontier", .title = "Frontier", .text = {}, .charts = {}, .tables = {}};
  section.text =
      "A gate with another threshold, everything else and all randomness the same; at most five seeds. For rho_max the "
      "gate asks a person above it and nobody below: where every change is asked about, as in the tables, the "
      "threshold "
      "says nothing. `unapproved` is the share of calls that are changes no person agreed to.";
  for (const auto& [table, symbol] : {std::pair("frontier rho_max", "rho_max"), std::pair("frontier eta", "eta")}) {
    section.tables.push_back(ByColumn(table, std::string("Figure 5: sweep of ") + symbol, ""));
    for (const auto& [column, label] :
         {std::pair("ttm_star", "TTM*, steps"), std::pair("approvals", "approvals a run"),
          std::pair("isr_attacked", "ISR of attacked runs"), std::pair("unapproved", "share of unapproved calls")}) {
      section.charts.push_back({.kind = ChartLayout::Kind::kLines,
                                .sources = {{.table = table, .split = "", .label = ""}},
                                .column = column,
                                .title = std::string("Figure 5: ") + column + " over " + symbol,
                                .description = "One point a threshold, with its interval.",
                                .x_label = symbol,
                                .y_label = label});
    }
  }
  return section;
}

SectionLayout Coverage() {
  SectionLayout section{.id = "phases", .title = "Phases of NIST SP 800-61", .text = {}, .charts = {}, .tables = {}};
  section.text = "Incidents that have a checkable artefact of the phase, and the share of runs that left it.";
  section.tables = {BySplit("phases", "Coverage and completion", "")};
  return section;
}

}  // namespace

ReportLayout OepLayout(std::string_view suite) {
  ReportLayout layout;
  layout.title = "OEP: incidents, attacks and a gate";
  layout.lead =
      "A seeded simulator of incidents in which a planner proposes calls and the real gate decides about them. The "
      "scripted planner does what texts ask of it, so that what is measured is the gate.";
  layout.headings = {"published", "measured"};
  layout.figures = {"isr", "blast", "ttm", "approvals"};
  for (const char* row : {"Unguarded", "Unguarded (Robust Prompt)", "GIRA Policy Only", "GIRA Full"}) {
    layout.summary.push_back({.title = row, .picks = {{"1", "published", row}, {"1", "reproduced", row}}});
  }
  if (suite != "paper") {
    layout.headings = {"measured"};
    layout.figures = {"isr_attacked", "mitigated", "ttm_star", "approvals", "blast"};
    layout.summary.clear();
    for (const char* row : {"Unguarded", "GIRA Policy Only", "GIRA No Risk", "GIRA Full", "interlock"}) {
      layout.summary.push_back({.title = row, .picks = {{"all", "all runs", row}}});
    }
  }
  layout.sections = {Paper(), All(), Attacks(), Blast(), Frontier(), Coverage()};
  return layout;
}

}  // namespace interlock::eval
