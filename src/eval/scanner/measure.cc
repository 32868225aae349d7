// Rows of the scanner's evaluation.
#include "interlock/eval/scanner/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "interlock/base/text.h"

namespace interlock::eval::scanner {

using core::ScanVerdict;
using core::ThreatClass;

namespace {

using Members = std::vector<const Measured*>;

bool Caught(const Measured& one) { return one.outcome.verdict >= ScanVerdict::kWarn; }
bool Blocked(const Measured& one) { return one.outcome.verdict == ScanVerdict::kBlock; }
bool Warned(const Measured& one) { return one.outcome.verdict == ScanVerdict::kWarn; }

Members Where(std::span<const Measured> all, const std::function<bool(const ScanSample&)>& keep) {
  Members out;
  for (const Measured& one : all) {
    if (keep(one.sample)) out.push_back(&one);
  }
  return out;
}

EvalRow Row(std::string table, std::string split, std::string row, std::string column, const Share& share,
            std::uint64_t n) {
  return {.table = std::move(table),
          .split = std::move(split),
          .row = std::move(row),
          .column = std::move(column),
          .value = share.value,
          .low = n == 0 ? std::nullopt : std::optional<double>(share.low),
          .high = n == 0 ? std::nullopt : std::optional<double>(share.high),
          .n = n,
          .published = std::nullopt,
          .reason = ""};
}

using Test = bool (*)(const Measured&);

void AddByRow(std::vector<EvalRow>& rows, const std::string& table, const std::string& split, const std::string& row,
              const Members& members, std::initializer_list<std::pair<const char*, Test>> columns) {
  if (members.empty()) return;
  for (const auto& [column, test] : columns) {
    const auto hits = static_cast<double>(
        std::count_if(members.begin(), members.end(), [&](const Measured* one) { return test(*one); }));
    rows.push_back(Row(table, split, row, column, WilsonShare(hits, members.size()), members.size()));
  }
}

// A cluster counts once: by the share of its members.
void AddByCluster(std::vector<EvalRow>& rows, const std::string& table, const std::string& split,
                  const std::string& row, const Members& members,
                  std::initializer_list<std::pair<const char*, Test>> columns) {
  std::map<std::string, Members> clusters;
  for (const Measured* one : members) {
    clusters[one->sample.set + "/" + (one->sample.cluster.empty() ? one->sample.id : one->sample.cluster)].push_back(
        one);
  }
  if (clusters.empty()) return;
  for (const auto& [column, test] : columns) {
    double hits = 0;
    for (const auto& [name, group] : clusters) {
      hits += static_cast<double>(
                  std::count_if(group.begin(), group.end(), [&](const Measured* one) { return test(*one); })) /
              static_cast<double>(group.size());
    }
    rows.push_back(Row(table, split, row, column, WilsonShare(hits, clusters.size()), clusters.size()));
  }
}

std::vector<std::string> Values(const Members& members, std::string ScanSample::* field) {
  std::vector<std::string> out;
  for (const Measured* one : members) out.push_back(one->sample.*field);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Members Among(const Members& members, const std::function<bool(const ScanSample&)>& keep) {
  Members out;
  std::copy_if(members.begin(), members.end(), std::back_inserter(out),
               [&](const Measured* one) { return keep(one->sample); });
  return out;
}

constexpr std::array kThreats = {ThreatClass::kT1, ThreatClass::kT2, ThreatClass::kT3, ThreatClass::kT4,
                                 ThreatClass::kT5, ThreatClass::kT6, ThreatClass::kT7, ThreatClass::kT8};
// The classes that a static layer is asked to tell; T3 rests on reading, T7 on what a node writes where.
bool IsStaticClass(ThreatClass threat) { return threat != ThreatClass::kT3 && threat != ThreatClass::kT7; }

void AddBenign(std::vector<EvalRow>& rows, std::span<const Measured> all) {
  const Members benign =
      Where(all, [](const ScanSample& s) { return s.label == SampleLabel::kBenign && s.set != "fixtures"; });
  const auto add = [&](const std::string& split, const std::string& row, const Members& members) {
    AddByRow(rows, "benign", split, row, members, {{"block", Blocked}, {"warn", Warned}});
  };
  for (const std::string& tier : Values(benign, &ScanSample::tier)) {
    const Members members = Among(benign, [&](const ScanSample& s) { return s.tier == tier; });
    add(tier, "all", members);
    for (const std::string& kind : Values(members, &ScanSample::kind)) {
      add(tier, kind, Among(members, [&](const ScanSample& s) { return s.kind == kind; }));
    }
    add(tier, "hard: powerful", Among(members, [](const ScanSample& s) { return s.hard_negative == 1; }));
    add(tier, "hard: about attacks", Among(members, [](const ScanSample& s) { return s.hard_negative == 2; }));
  }
  const Members real = Among(benign, [](const ScanSample& s) { return s.tier == "real" || s.tier == "registry"; });
  add("real and registry", "all", real);
  add("real and registry", "hard negatives", Among(real, [](const ScanSample& s) { return s.hard_negative != 0; }));
}

void AddMalicious(std::vector<EvalRow>& rows, std::span<const Measured> all) {
  const Members malicious =
      Where(all, [](const ScanSample& s) { return s.label == SampleLabel::kMalicious && s.set == "corpus"; });
  for (const bool by_cluster : {true, false}) {
    const auto add = [&](const std::string& row, const Members& members) {
      const auto append = by_cluster ? AddByCluster : AddByRow;
      append(rows, "malicious", by_cluster ? "by cluster" : "by row", row, members,
             {{"caught", Caught}, {"block", Blocked}});
    };
    add("all", malicious);
    add("all, nothing left out", Among(malicious, [](const ScanSample& s) { return !s.code_left_out; }));
    add("code left out", Among(malicious, [](const ScanSample& s) { return s.code_left_out; }));
    for (const std::string& tier : Values(malicious, &ScanSample::tier)) {
      add(tier, Among(malicious, [&](const ScanSample& s) { return s.tier == tier; }));
    }
    for (const ThreatClass threat : kThreats) {
      add(std::string(core::NameOf(threat)), Among(malicious, [&](const ScanSample& s) { return s.threat == threat; }));
    }
  }
  for (const auto& [split, set] : {std::pair{"corpus", "corpus"}, std::pair{"own", "fixtures"}}) {
    AddByRow(rows, "vulnerable", split, "all",
             Where(all, [&](const ScanSample& s) { return s.label == SampleLabel::kVulnerable && s.set == set; }),
             {{"warn", Warned}, {"block", Blocked}});
  }
}

void AddFixtures(std::vector<EvalRow>& rows, std::span<const Measured> all) {
  for (const bool held : {false, true}) {
    const std::string split = held ? "held" : "tune";
    const Members own = Where(all, [&](const ScanSample& s) { return s.set == "fixtures" && s.held == held; });
    const Members malicious = Among(own, [](const ScanSample& s) { return s.label == SampleLabel::kMalicious; });
    const auto pair = [&](const std::string& row, const Members& members) {
      AddByRow(rows, "fixtures", split, row, members, {{"caught", Caught}, {"block", Blocked}});
      std::vector<std::string> clusters = Values(members, &ScanSample::cluster);
      const Members twins = Among(own, [&](const ScanSample& s) {
        return s.twin && std::binary_search(clusters.begin(), clusters.end(), s.cluster);
      });
      AddByRow(rows, "fixtures", split, row, twins, {{"twin warn", Warned}, {"twin block", Blocked}});
    };
    pair("all", malicious);
    pair("static classes",
         Among(malicious, [](const ScanSample& s) { return IsStaticClass(s.threat) && !s.semantic_only; }));
    for (const ThreatClass threat : kThreats) {
      pair(std::string(core::NameOf(threat)),
           Among(malicious, [&](const ScanSample& s) { return s.threat == threat && !s.semantic_only; }));
    }
    pair("semantic only", Among(malicious, [](const ScanSample& s) { return s.semantic_only; }));
    AddByRow(rows, "fixtures", split, "hard negatives",
             Among(own, [](const ScanSample& s) { return s.hard_negative != 0; }),
             {{"twin warn", Warned}, {"twin block", Blocked}});
  }
}

// The class that a report is filed under: that of its worst finding that has one.
ThreatClass MainClass(const Measured& one) {
  for (const core::Finding& finding : one.outcome.findings) {
    if (finding.threat != ThreatClass::kNone && finding.suppressed.empty()) return finding.threat;
  }
  return ThreatClass::kNone;
}

void AddThreats(std::vector<EvalRow>& rows, std::span<const Measured> all) {
  const Members flagged = [&] {
    Members out;
    for (const Measured& one : all) {
      if (Caught(one)) out.push_back(&one);
    }
    return out;
  }();
  for (const ThreatClass threat : kThreats) {
    const std::string name(core::NameOf(threat));
    const Members of = Where(all, [&](const ScanSample& s) {
      return s.threat == threat && s.label == SampleLabel::kMalicious && !s.semantic_only;
    });
    Members said;
    std::copy_if(flagged.begin(), flagged.end(), std::back_inserter(said),
                 [&](const Measured* one) { return MainClass(*one) == threat; });
    const auto count = [](const Members& members, const auto& test) {
      return static_cast<double>(std::count_if(members.begin(), members.end(), test));
    };
    if (!said.empty()) {
      const double bad = count(said, [](const Measured* m) { return m->sample.label != SampleLabel::kBenign; });
      const double same = count(said, [&](const Measured* m) { return m->sample.threat == threat; });
      rows.push_back(Row("threats", "warn or block", name, "precision", WilsonShare(bad, said.size()), said.size()));
      rows.push_back(Row("threats", "warn or block", name, "same class", WilsonShare(same, said.size()), said.size()));
    }
    if (!of.empty()) {
      const double hit = count(of, [](const Measured* m) { return Caught(*m); });
      rows.push_back(Row("threats", "warn or block", name, "recall", WilsonShare(hit, of.size()), of.size()));
    }
  }
}

void AddExpected(std::vector<EvalRow>& rows, std::span<const Measured> all) {
  const auto right = [](const Measured& one) { return !IsMissed(one) && !IsFalseAlarm(one); };
  for (const char* set : {"corpus", "fixtures", "packages"}) {
    for (const SampleLabel label : {SampleLabel::kMalicious, SampleLabel::kVulnerable, SampleLabel::kBenign}) {
      AddByRow(rows, "expected", set, std::string(NameOf(label)),
               Where(all, [&](const ScanSample& s) { return s.set == set && s.label == label; }),
               {{"as asked", right}});
    }
  }
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, at == 0 ? 0 : at - 1)];
}

void AddSpeed(std::vector<EvalRow>& rows, std::span<const Measured> all, const ScannerRowsOptions& options) {
  constexpr double kMilli = 1e3;
  constexpr double kMega = 1e6;
  const auto add = [&](const std::string& split, const std::string& row, const Members& members) {
    if (members.empty()) return;
    std::vector<double> times;
    std::vector<double> walls;
    double seconds = 0;
    std::uint64_t bytes = 0;
    for (const Measured* one : members) {
      times.push_back(one->outcome.seconds * kMilli);
      if (one->outcome.wall > 0) walls.push_back(one->outcome.wall * kMilli);
      seconds += one->outcome.seconds;
      bytes += one->outcome.bytes;
    }
    const auto put = [&](const char* column, double value) {
      EvalRow figure = Row("speed", split, row, column, {}, members.size());
      figure.value = value;
      figure.low.reset();
      figure.high.reset();
      rows.push_back(std::move(figure));
    };
    put("median ms", Quantile(times, 0.5));
    put("p95 ms", Quantile(times, 0.95));
    put("max ms", Quantile(times, 1.0));
    put("mb/s a thread", seconds > 0 ? static_cast<double>(bytes) / kMega / seconds : 0);
    if (walls.size() != members.size()) return;
    put("wall median ms", Quantile(walls, 0.5));
    put("wall p95 ms", Quantile(walls, 0.95));
    put("wall max ms", Quantile(walls, 1.0));
  };
  const Members everything = Where(all, [](const ScanSample&) { return true; });
  for (const std::string& set : Values(everything, &ScanSample::set)) {
    const Members members = Among(everything, [&](const ScanSample& s) { return s.set == set; });
    add(set, "all", members);
    for (const std::string& kind : Values(members, &ScanSample::kind)) {
      add(set, kind, Among(members, [&](const ScanSample& s) { return s.kind == kind; }));
    }
  }
  struct Band {
    const char* name;
    std::uint64_t below;
  };
  std::uint64_t from = 1;
  for (const Band& band : {Band{"to 10 kB", 10'000}, Band{"to 100 kB", 100'000}, Band{"to 1 MB", 1'000'000},
                           Band{"to 10 MB", 10'000'000}, Band{"above", ~std::uint64_t{0}}}) {
    Members members;
    for (const Measured* one : everything) {
      if (one->sample.set == "packages" && one->outcome.code_bytes >= from && one->outcome.code_bytes < band.below) {
        members.push_back(one);
      }
    }
    add("packages by code", band.name, members);
    from = band.below;
  }
  if (options.seconds > 0) {
    EvalRow figure = Row("speed", "run", "all", "packages/s", {}, all.size());
    figure.value = static_cast<double>(all.size()) / options.seconds;
    figure.low.reset();
    figure.high.reset();
    rows.push_back(std::move(figure));
  }
}

std::string Rules(const Measured& one) {
  std::vector<std::string> ids;
  for (const core::Finding& finding : one.outcome.findings) {
    if (std::find(ids.begin(), ids.end(), finding.rule) == ids.end()) ids.push_back(finding.rule);
    if (ids.size() == 8) break;
  }
  return fmt::format("{}", fmt::join(ids, " "));
}

void AddItems(std::vector<EvalRow>& rows, std::span<const Measured> all) {
  for (const Measured& one : all) {
    EvalRow row = Row("items", one.sample.set, one.sample.id, "verdict", {}, 0);
    row.value = static_cast<double>(one.outcome.verdict);
    row.reason =
        fmt::format("{}{}{} {}: {}", NameOf(one.sample.label), one.sample.threat == ThreatClass::kNone ? "" : " ",
                    core::NameOf(one.sample.threat), core::NameOf(one.outcome.verdict), Rules(one));
    rows.push_back(std::move(row));
  }
}

}  // namespace

Share WilsonShare(double hits, std::uint64_t n) {
  if (n == 0) return {};
  constexpr double kZ = 1.959963984540054;
  const auto count = static_cast<double>(n);
  const double p = hits / count;
  const double scale = 1 + kZ * kZ / count;
  const double centre = (p + kZ * kZ / (2 * count)) / scale;
  const double half = kZ * std::sqrt(p * (1 - p) / count + kZ * kZ / (4 * count * count)) / scale;
  return {100 * p, std::max(0.0, 100 * (centre - half)), std::min(100.0, 100 * (centre + half))};
}

std::vector<EvalRow> ScannerRows(std::span<const Measured> measured, const ScannerRowsOptions& options) {
  std::vector<EvalRow> rows;
  AddBenign(rows, measured);
  AddMalicious(rows, measured);
  AddFixtures(rows, measured);
  AddThreats(rows, measured);
  AddExpected(rows, measured);
  if (options.timing) AddSpeed(rows, measured, options);
  if (options.items) AddItems(rows, measured);
  return rows;
}

std::vector<EvalRow> MaskedRows(std::span<const Measured> before, std::span<const Measured> masked) {
  std::vector<EvalRow> rows;
  for (const auto& [split, samples] : {std::pair{"as published", before}, std::pair{"masked", masked}}) {
    const Members all = Where(samples, [](const ScanSample& s) { return s.label == SampleLabel::kMalicious; });
    AddByCluster(rows, "masked", split, "wild, by cluster", all, {{"caught", Caught}, {"block", Blocked}});
    AddByRow(rows, "masked", split, "wild, by row", all, {{"caught", Caught}, {"block", Blocked}});
  }
  return rows;
}

std::vector<EvalRow> RewrittenRows(std::string_view rewriting, std::span<const Measured> after) {
  std::vector<EvalRow> rows;
  const std::string split(rewriting.substr(0, rewriting.find('-')));
  AddByRow(rows, "rewritten", split, std::string(rewriting),
           Where(after, [](const ScanSample& s) { return s.label != SampleLabel::kBenign; }),
           {{"still caught", Caught}});
  AddByRow(rows, "rewritten", split, std::string(rewriting),
           Where(after, [](const ScanSample& s) { return s.label == SampleLabel::kBenign; }), {{"twin warn", Caught}});
  return rows;
}

ReportLayout ScannerLayout() {
  const auto table = [](std::string name, std::string title, std::string note) {
    return TableLayout{
        .table = std::move(name), .title = std::move(title), .note = std::move(note), .shape = TableShape::kByColumn};
  };
  ReportLayout layout;
  layout.title = "The scanner's static layer, measured";
  layout.lead =
      "Labelled packages through the static layer with the shipped rules. Shares are in per cent with 95 % Wilson "
      "intervals; docs/scanner-evaluation.md says what is in each row and what was held out.";
  layout.headings = {"benign, real", "malicious"};
  layout.figures = {"block", "warn", "caught"};
  layout.summary = {
      {.title = "development corpus",
       .picks = {{.table = "benign", .split = "real and registry", .row = "all"},
                 {.table = "malicious", .split = "by cluster", .row = "all"}}},
      {.title = "own fixtures, held", .picks = {{}, {.table = "fixtures", .split = "held", .row = "static classes"}}}};
  layout.sections = {
      {.id = "benign",
       .title = "Benign packages",
       .text = "Any BLOCK is a mistake that somebody pays for; a WARN costs a look. `real` is first-party and vendor "
               "code; synthetic benign packages say nothing about false alarms.",
       .charts = {},
       .tables = {table("benign", "Benign: BLOCK and WARN", "By tier and kind; registry: whole packages with code.")}},
      {.id = "malicious",
       .title = "Malicious packages",
       .text = "A cluster of near-duplicates counts once. The corpus holds text only: where code was left out, part or "
               "all of the attack is not there to be seen.",
       .charts = {},
       .tables = {table("malicious", "Malicious: WARN or BLOCK, and BLOCK", ""),
                  table("masked", "Wild malicious with the campaign's literal indicators masked",
                        "Hosts, addresses, archive names and shared words replaced by neutral ones."),
                  table("vulnerable", "Vulnerable: WARN is right", "")}},
      {.id = "fixtures",
       .title = "Own fixtures",
       .text =
           "Each malicious sample beside its clean twin of the same purpose. `held`: not looked at while rules were "
           "written. Static classes: all but T3, T7 and what only meaning can tell.",
       .charts = {},
       .tables = {table("fixtures", "Own fixtures and their clean twins", "")}},
      {.id = "rewritten",
       .title = "The same programs written otherwise",
       .text = "Fixtures whose verdict is right, once more with every argument of every call put into a box first "
               "(eval/scanner/rewrite.h). What they do is the same.",
       .charts = {},
       .tables = {table("rewritten", "By rewriting", "")}},
      {.id = "threats",
       .title = "By threat class",
       .text = "Precision: of what is flagged under this class, the share that is not benign; same class: that is of "
               "this very class. Recall: of this class, flagged under any.",
       .charts = {},
       .tables = {table("threats", "Precision and recall by class", ""),
                  table("expected", "Verdicts as asked for", "Share of samples whose verdict is within its bounds.")}},
      {.id = "speed",
       .title = "Speed",
       .text = "Processor time of the scanning thread alone; packages/s by the clock, reading files included.",
       .charts = {},
       .tables = {table("speed", "Time a package", "")}}};
  return layout;
}

bool IsMissed(const Measured& one) {
  return one.sample.label != SampleLabel::kBenign && one.outcome.verdict < one.sample.at_least;
}
bool IsFalseAlarm(const Measured& one) {
  return one.outcome.verdict > one.sample.at_most && one.sample.label != SampleLabel::kMalicious;
}

std::string Describe(const Measured& one, std::size_t max_findings) {
  const ScanSample& sample = one.sample;
  std::string out = fmt::format("{} {}/{}  {}", core::NameOf(one.outcome.verdict), sample.set,
                                base::Printable(sample.id), NameOf(sample.label));
  for (const std::string_view part : {std::string_view(core::NameOf(sample.threat)), std::string_view(sample.kind),
                                      std::string_view(sample.tier), std::string_view(sample.technique)}) {
    if (!part.empty()) out += " | " + base::Printable(part);
  }
  if (sample.code_left_out) out += " | code left out";
  out += fmt::format("  score {:.2f}\n", one.outcome.score);
  if (!one.outcome.summary.empty()) out += "    " + base::Printable(one.outcome.summary) + "\n";
  std::size_t shown = 0;
  for (const core::Finding& finding : one.outcome.findings) {
    if (shown++ == max_findings) {
      out += fmt::format("    and {} more\n", one.outcome.findings.size() - max_findings);
      break;
    }
    out += fmt::format("    {} {} {} {:.2f} {}  {}:{}  {}\n", finding.rule, core::NameOf(finding.threat),
                       core::NameOf(finding.severity), finding.confidence, core::NameOf(finding.reach),
                       base::Printable(finding.file), finding.line, base::Printable(finding.message));
    if (!finding.evidence.empty()) out += "        " + base::Printable(finding.evidence) + "\n";
  }
  return out;
}

}  // namespace interlock::eval::scanner
