// Tables from runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "guard.h"
#include "interlock/eval/oep.h"
#include "interlock/policy/snapshot.h"
#include "library.h"
#include "metrics.h"
#include "published.h"

namespace interlock::eval {
namespace oep {
namespace {

using Runs = std::vector<const OepRun*>;

template <class Keep>
Runs Select(const std::vector<OepRun>& runs, Keep&& keep) {
  Runs out;
  for (const OepRun& run : runs) {
    if (keep(run)) out.push_back(&run);
  }
  return out;
}
Runs OfAgent(const std::vector<OepRun>& runs, std::string_view agent) {
  return Select(runs, [&](const OepRun& run) { return run.agent == agent; });
}

int DigitsOf(std::string_view metric) {
  constexpr std::array<std::string_view, 8> kShort{"ttd",       "ttm",    "ttm_star",         "bua",
                                                   "approvals", "impact", "time_to_approval", "break_glass"};
  return std::ranges::find(kShort, metric) == kShort.end() ? 3 : 2;
}

class Writer {
 public:
  Writer(const Library& library, std::vector<EvalRow>& rows) : library_(library), rows_(rows) {}

  void Add(std::string table, std::string split, std::string row, std::string column, const Figure& figure,
           std::optional<double> published = {}, std::string reason = {}) {
    rows_.push_back({.table = std::move(table),
                     .split = std::move(split),
                     .row = std::move(row),
                     .column = std::move(column),
                     .value = figure.value,
                     .low = figure.low,
                     .high = figure.high,
                     .n = figure.n,
                     .published = published,
                     .reason = std::move(reason)});
    rows_.back().digits = DigitsOf(rows_.back().column);
  }
  void Mean(std::string table, std::string split, std::string row, std::string_view column, const Runs& runs,
            std::string_view metric, std::optional<double> published = {}, std::string reason = {}) {
    if (const auto figure = MeanOf(runs, MetricOf(metric))) {
      Add(std::move(table), std::move(split), std::move(row), std::string(column), *figure, published,
          std::move(reason));
    }
  }
  void Published(std::string table, std::string row, std::string column, double value, double half = kNotPrinted) {
    if (std::isnan(value)) return;
    Figure figure{.value = value};
    if (!std::isnan(half)) {
      figure.low = value - half;
      figure.high = value + half;
    }
    Add(std::move(table), "published", std::move(row), std::move(column), figure, {}, "as printed");
  }
  [[nodiscard]] std::string Title(std::string_view agent) const {
    // Our own method's row is always `interlock`.
    if (agent == "interlock") return "interlock";
    const auto it = library_.agents.find(agent);
    return it == library_.agents.end() ? std::string(agent) : it->second.title;
  }

 private:
  const Library& library_;
  std::vector<EvalRow>& rows_;
};

std::vector<std::string> AgentsIn(const std::vector<OepRun>& runs) {
  std::vector<std::string> out;
  for (const OepRun& run : runs) {
    if (std::ranges::find(out, run.agent) == out.end()) out.push_back(run.agent);
  }
  return out;
}
std::vector<std::string> SettingsIn(const std::vector<OepRun>& runs) {
  std::vector<std::string> out;
  for (const OepRun& run : runs) {
    if (std::ranges::find(out, run.setting) == out.end()) out.push_back(run.setting);
  }
  return out;
}

constexpr std::string_view kUnderdetermined =
    "the paper leaves the approval model and T open: shape only (docs/oep.md)";

void PaperTables(Writer& out, const std::vector<OepRun>& runs) {
  for (const PublishedAgent& agent : kPublished) {
    const Runs mine = OfAgent(runs, agent.agent);
    if (mine.empty()) continue;
    const std::string row(agent.title);
    const bool gated = agent.layers != "-----";
    struct Column {
      std::string_view column, metric;
      double printed, half;
      std::string_view reason;
    };
    const std::array<Column, 7> columns{{
        {"ttd", "ttd", agent.ttd, kNotPrinted, ""},
        {"ttm", "ttm", agent.ttm, agent.ttm_half, gated ? kUnderdetermined : ""},
        {"uar", "uar_act", agent.uar, agent.uar_half,
         "mean share of unauthorised calls, which is what the printed figure is; uar_run is the text's definition"},
        {"isr", "isr_all", agent.isr, agent.isr_half,
         "over all runs, as printed; isr_attacked is the text's definition"},
        {"bua", "bua", agent.bua, kNotPrinted, "never defined in the paper"},
        {"blast", "blast", agent.blast, agent.blast_half, gated ? kUnderdetermined : ""},
        {"approvals", "approvals", agent.approvals, agent.approvals_half, gated ? kUnderdetermined : ""},
    }};
    for (const Column& column : columns) {
      const std::optional<double> printed =
          std::isnan(column.printed) ? std::optional<double>() : std::optional<double>(column.printed);
      out.Published("1", row, std::string(column.column), column.printed, column.half);
      out.Mean("1", "reproduced", row, column.column, mine, column.metric, printed, std::string(column.reason));
      if (column.column == "ttd" || column.column == "bua") continue;
      out.Published("4", row, std::string(column.column), column.printed, column.half);
      out.Mean("4", "reproduced", row, column.column, mine, column.metric, printed, std::string(column.reason));
    }
    constexpr std::array<std::string_view, 5> kLayers{"policy", "schema", "risk", "injection", "escalation"};
    for (const char* split : {"published", "reproduced"}) {
      for (std::size_t i = 0; i < kLayers.size(); ++i) {
        out.Add("2", split, row, std::string(kLayers[i]), {.value = agent.layers[i] == '-' ? 0.0 : 1.0});
      }
      const bool print = std::string_view(split) == "published";
      for (const auto& [column, metric, printed] :
           {std::tuple("isr", "isr_all", agent.isr), {"blast", "blast", agent.blast}, {"ttm", "ttm", agent.ttm}}) {
        if (print) {
          out.Published("2", row, column, printed);
        } else {
          out.Mean("2", split, row, column, mine, metric,
                   std::isnan(printed) ? std::optional<double>() : std::optional<double>(printed));
        }
      }
    }
  }
}

// Two agents are of one class when the gate let the same calls through in every run.
void Classes(Writer& out, const std::vector<OepRun>& runs) {
  for (const auto& agents : kClasses) {
    std::string name;
    std::vector<Runs> members;
    for (const std::string_view agent : agents) {
      if (agent.empty()) continue;
      members.push_back(OfAgent(runs, agent));
      name += (name.empty() ? "" : " = ") + out.Title(agent);
    }
    if (std::ranges::any_of(members, [](const Runs& one) { return one.empty(); })) continue;
    for (const NamedMetric& metric : Metrics()) {
      bool equal = true;
      for (const Runs& member : members) {
        for (std::size_t i = 0; i < member.size(); ++i) {
          equal = equal && metric.of(*member[i]) == metric.of(*members.front()[i]);
        }
      }
      out.Add("classes", "reproduced", name, std::string(metric.name),
              {.value = equal ? 1.0 : 0.0, .low = {}, .high = {}, .n = members.front().size()});
    }
  }
}

void AllMetrics(Writer& out, const std::string& table, const std::vector<OepRun>& runs) {
  for (const std::string& agent : AgentsIn(runs)) {
    const Runs mine = OfAgent(runs, agent);
    for (const NamedMetric& metric : Metrics()) {
      out.Mean(table, "all runs", out.Title(agent), metric.name, mine, metric.name);
    }
  }
}

void ByAttack(Writer& out, const std::string& table, const std::vector<OepRun>& runs, bool paper) {
  for (const std::string& agent : AgentsIn(runs)) {
    for (const std::string& setting : SettingsIn(runs)) {
      const Runs mine =
          Select(runs, [&](const OepRun& run) { return run.agent == agent && run.setting == setting && run.attacked; });
      if (mine.empty()) continue;
      std::optional<double> printed;
      if (const auto* it = std::ranges::find(kPublishedAttacks, agent, &PublishedAttack::agent);
          paper && it != kPublishedAttacks.end()) {
        printed = setting == "direct"        ? it->direct
                  : setting == "indirect"    ? it->indirect
                  : setting == "tool_output" ? it->tool_output
                                             : it->cross_incident;
      }
      const auto figure = MeanOf(mine, MetricOf("isr_attacked"));
      if (figure) out.Add(table, setting, out.Title(agent), "isr_attacked", *figure, printed);
    }
  }
}

void Distribution(Writer& out, const std::vector<OepRun>& runs) {
  constexpr int kPoints = 10;
  for (const std::string& agent : AgentsIn(runs)) {
    std::vector<double> values;
    for (const OepRun* run : OfAgent(runs, agent)) values.push_back(MetricOf("blast").of(*run).value_or(0));
    std::ranges::sort(values);
    for (int i = 0; i <= kPoints && !values.empty(); ++i) {
      const std::size_t at = std::min(values.size() - 1, values.size() * static_cast<std::size_t>(i) / kPoints);
      out.Add("blast distribution", std::to_string(i * 100 / kPoints), out.Title(agent), "blast",
              {.value = values[at], .low = {}, .high = {}, .n = values.size()});
    }
  }
}

void Differences(Writer& out, const std::vector<OepRun>& runs, std::string_view from) {
  const Runs base = OfAgent(runs, from);
  if (base.empty()) return;
  for (const std::string& agent : AgentsIn(runs)) {
    if (agent == from) continue;
    const Runs mine = OfAgent(runs, agent);
    for (const char* metric : {"ttm_star", "mitigated", "isr_attacked", "blast", "blast_sum", "approvals", "impact",
                               "invalid_executed", "stale"}) {
      if (const auto figure = DifferenceOf(mine, base, MetricOf(metric))) {
        out.Add("differences", fmt::format("minus {}", out.Title(from)), out.Title(agent), metric, *figure);
      }
    }
  }
}

void Sweeps(Writer& out, const std::vector<OepRuns::Point>& points) {
  for (const OepRuns::Point& point : points) {
    Runs mine;
    for (const OepRun& run : point.runs) mine.push_back(&run);
    if (mine.empty()) continue;
    for (const char* metric :
         {"isr_attacked", "unapproved", "mitigated", "ttm", "ttm_star", "approvals", "blast", "benign_blocks"}) {
      out.Mean("frontier " + point.name, fmt::format("{:.2f}", point.value), out.Title(mine.front()->agent), metric,
               mine, metric);
    }
  }
}

void Phases(Writer& out, const Library& library, const Suite& suite, const std::vector<OepRun>& runs) {
  for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
    std::set<std::string> labelled;
    for (const std::string& id : suite.incidents) {
      for (const Phase& one : library.incidents.at(id).phases) {
        if (one.phase == phase) labelled.insert(id);
      }
    }
    if (labelled.empty()) continue;
    out.Add("phases", std::string(kPhases[phase]), "incidents", "count",
            {.value = static_cast<double>(labelled.size()), .low = {}, .high = {}, .n = suite.incidents.size()});
    for (const std::string& agent : AgentsIn(runs)) {
      const Runs mine =
          Select(runs, [&](const OepRun& run) { return run.agent == agent && labelled.contains(run.incident); });
      const NamedMetric done{.name = "phases", .of = [&](const OepRun& run) -> std::optional<double> {
                               return (run.phases >> phase & 1U) != 0 ? 1.0 : 0.0;
                             }};
      if (const auto figure = MeanOf(mine, done)) {
        out.Add("phases", std::string(kPhases[phase]), out.Title(agent), "completed", *figure);
      }
    }
  }
}

void ByPayload(Writer& out, const Library& library, const std::vector<OepRun>& runs) {
  std::map<std::string, std::vector<std::string>> techniques;
  for (const OepRun& run : runs) {
    if (run.attacked) {
      const Payload& payload = library.payloads.at(run.payload);
      auto& list = techniques[payload.technique];
      if (std::ranges::find(list, run.payload) == list.end()) list.push_back(run.payload);
    }
  }
  for (const auto& [technique, payloads] : techniques) {
    for (const std::string& agent : AgentsIn(runs)) {
      const Runs mine = Select(runs, [&](const OepRun& run) {
        return run.agent == agent && std::ranges::find(payloads, run.payload) != payloads.end();
      });
      if (const auto figure = MeanOf(mine, MetricOf("isr_attacked"))) {
        out.Add("techniques", technique, out.Title(agent), "isr_attacked", *figure);
      }
    }
  }
}

}  // namespace
}  // namespace oep

std::vector<EvalRow> OepRows(const OepLibrary& library, const OepOptions& options, const OepRuns& runs) {
  using namespace oep;
  const Library& data = library.data();
  std::vector<EvalRow> rows;
  Writer out(data, rows);
  const bool paper = options.suite == "paper";
  const auto suite = data.suites.find(options.suite);
  if (suite == data.suites.end()) return rows;
  if (paper) PaperTables(out, runs.runs);
  AllMetrics(out, "all", runs.runs);
  ByAttack(out, "attacks", runs.runs, paper);
  if (paper) Classes(out, runs.runs);
  Differences(out, runs.runs, "gira_full");
  Distribution(out, runs.runs);
  Sweeps(out, runs.sweeps);
  Phases(out, data, suite->second, runs.runs);
  if (!paper) ByPayload(out, data, runs.runs);
  for (const auto& [id, companion] : runs.companions) {
    AllMetrics(out, "companion " + id, companion);
    ByAttack(out, "companion attacks " + id, companion, false);
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> OepFacts(const OepLibrary& library, const OepOptions& options) {
  using namespace oep;
  const Library& data = library.data();
  std::vector<std::pair<std::string, std::string>> facts;
  const auto suite = data.suites.find(options.suite);
  if (suite == data.suites.end()) return facts;
  facts.emplace_back(
      "suite", fmt::format("{}: {} incidents, {} settings, {} agents, {} steps, seeds {} to {}", options.suite,
                           suite->second.incidents.size(), suite->second.settings.size(), suite->second.agents.size(),
                           suite->second.steps, options.seed, options.seed + options.seeds - 1));
  for (const std::string& id : suite->second.agents) {
    const Agent& agent = data.agents.at(id);
    const auto gate = LoadGatePolicy(data, agent);
    if (!gate.ok()) continue;
    std::string name = agent.policy;
    for (const std::string& overlay : agent.overlays) name += "+" + overlay;
    facts.emplace_back("policy of " + id, fmt::format("{} with profile {}, {}", name, agent.profile,
                                                      gate.value().policy->digest().ToHex().substr(0, 16)));
  }
  return facts;
}

}  // namespace interlock::eval
