#include "interlock/eval/agent_sentry/bounds_protocol.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "interlock/base/seeded_random.h"
#include "interlock/bounds/intent.h"
#include "interlock/eval/agent_sentry/stress.h"

namespace interlock::eval::agent_sentry {
namespace {

struct Tested {
  const Trace* trace = nullptr;
  std::string prompt_group;
  std::string attack_group;
  TraceOutcome outcome;
};

std::uint64_t Fold(std::string_view text, std::uint64_t salt, std::uint64_t folds) {
  std::uint64_t hash = 1469598103934665603ULL ^ (salt * 0x9E3779B97F4A7C15ULL);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  hash ^= hash >> 32U;
  hash *= 0xD6E8FEB86659FD93ULL;
  return (hash ^ (hash >> 32U)) % folds;
}

void Say(const ProtocolOptions& options, const std::string& line) {
  static std::mutex mutex;
  if (!options.progress) return;
  const std::lock_guard lock(mutex);
  options.progress(line);
}

// Runs `work(0) ... work(count - 1)` on options.jobs threads. Results are put in place by index: order is the caller's.
template <class Work>
void InParallel(std::size_t count, unsigned jobs, Work&& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  for (unsigned k = 1; k < std::min<std::size_t>(std::max(1U, jobs), count); ++k) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
}

Tested Test(const Trace& trace, const TrainedBounds& trained, bool with_graph = false) {
  return {&trace, PromptGroup(trace), AttackGroup(trace), RunTrace(trace, trained, with_graph)};
}

bool Allowed(const Tested& tested, bool quarantine) {
  const TraceOutcome& o = tested.outcome;
  if (o.verdict != core::Verdict::kAllow) return false;
  if (!quarantine) return true;
  return tested.trace->attack ? !o.masked_whole : !o.masked;
}

struct Rate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::uint64_t n = 0;
};

// Share of `yes` a domain, the mean over domains with any, and its interval over groups.
struct Counted {
  std::size_t domain = 0;
  std::string group;
  bool yes = false;
};

Rate DomainMeanRate(const std::vector<Counted>& all, const ProtocolOptions& options) {
  // domain -> groups of (yes, count)
  std::array<std::map<std::string, std::pair<double, double>>, kDomainCount> groups;
  for (const Counted& counted : all) {
    auto& group = groups[counted.domain][counted.group];
    group.first += counted.yes ? 1 : 0;
    group.second += 1;
  }
  Rate rate;
  rate.n = all.size();
  std::array<std::vector<std::pair<double, double>>, kDomainCount> flat;
  const auto mean = [&](const auto& pick) {
    double sum = 0;
    double domains = 0;
    for (std::size_t d = 0; d < kDomainCount; ++d) {
      if (flat[d].empty()) continue;
      double yes = 0;
      double count = 0;
      for (std::size_t i = 0; i < flat[d].size(); ++i) {
        const auto& group = flat[d][pick(flat[d].size(), i)];
        yes += group.first;
        count += group.second;
      }
      sum += yes / count;
      ++domains;
    }
    return domains > 0 ? 100.0 * sum / domains : 0.0;
  };
  for (std::size_t d = 0; d < kDomainCount; ++d) {
    for (const auto& [name, group] : groups[d]) flat[d].push_back(group);
  }
  rate.value = mean([](std::size_t, std::size_t i) { return i; });
  base::SeededRandom random(options.seed + 991);
  std::vector<double> draws;
  for (int b = 0; b < options.bootstraps; ++b) {
    draws.push_back(mean([&](std::size_t size, std::size_t) { return random.Below(size); }));
  }
  std::sort(draws.begin(), draws.end());
  rate.low = rate.high = rate.value;
  if (!draws.empty()) {
    rate.low = draws[draws.size() * 25 / 1000];
    rate.high = draws[std::min(draws.size() - 1, draws.size() * 975 / 1000)];
  }
  return rate;
}

std::size_t DomainOf(const Trace& trace) {
  for (std::size_t i = 0; i < kDomainCount; ++i) {
    if (kDomains[i] == trace.domain) return i;
  }
  return 0;
}

class Rows {
 public:
  explicit Rows(const ProtocolOptions& options) : options_(options) {}

  void Share(const std::string& table, const std::string& split, const std::string& column,
             const std::vector<Counted>& counted, const std::string& reason = {}) {
    if (counted.empty()) return;
    const Rate rate = DomainMeanRate(counted, options_);
    rows_.push_back({table, split, "interlock", column, rate.value, rate.low, rate.high, rate.n, std::nullopt, reason});
  }
  void Number(const std::string& table, const std::string& split, const std::string& column, double value,
              std::uint64_t n, const std::string& reason = {}) {
    rows_.push_back({table, split, "interlock", column, value, std::nullopt, std::nullopt, n, std::nullopt, reason});
  }
  // Utility, ASR and exposed utility of a set.
  void Rates(const std::string& table, const std::string& split, const std::vector<const Tested*>& set, bool quarantine,
             const std::string& reason = {}) {
    std::vector<Counted> utility;
    std::vector<Counted> asr;
    std::vector<Counted> exposed;
    for (const Tested* t : set) {
      const bool allowed = Allowed(*t, quarantine);
      const std::size_t d = DomainOf(*t->trace);
      if (t->trace->attack) {
        asr.push_back({d, t->attack_group, allowed});
      } else {
        utility.push_back({d, t->prompt_group, allowed});
        if (t->outcome.exposed) exposed.push_back({d, t->prompt_group, allowed});
      }
    }
    Share(table, split, "utility", utility, reason);
    Share(table, split, "asr", asr, reason);
    Share(table, split, "exposed_utility", exposed, reason);
  }
  std::vector<EvalRow> Take() { return std::move(rows_); }

 private:
  const ProtocolOptions& options_;
  std::vector<EvalRow> rows_;
};

std::vector<const Tested*> Select(const std::vector<Tested>& all, const std::function<bool(const Tested&)>& keep) {
  std::vector<const Tested*> out;
  for (const Tested& t : all) {
    if (keep(t)) out.push_back(&t);
  }
  return out;
}

// The usual tables of a protocol.
void Standard(Rows& rows, const std::string& name, const std::vector<Tested>& all) {
  const auto usual = [](const Tested& t) { return !t.outcome.delegation; };
  for (const bool quarantine : {false, true}) {
    const std::string table = name + (quarantine ? " gate+quarantine" : " gate");
    rows.Rates(table, "mean", Select(all, usual), quarantine);
    for (const std::string_view domain : kDomains) {
      rows.Rates(table, std::string(domain),
                 Select(all, [&](const Tested& t) { return usual(t) && t.trace->domain == domain; }), quarantine);
    }
    rows.Rates(table, "delegation", Select(all, [](const Tested& t) { return t.outcome.delegation; }), quarantine,
               "requests that hand their content to a document; outside the means");
  }
  // What the gate did, apart.
  for (const bool attack : {false, true}) {
    for (const core::Verdict verdict : {core::Verdict::kAllow, core::Verdict::kEscalate, core::Verdict::kBlock}) {
      std::vector<Counted> counted;
      for (const Tested& t : all) {
        if (t.trace->attack != attack || t.outcome.delegation) continue;
        counted.push_back({DomainOf(*t.trace), attack ? t.attack_group : t.prompt_group, t.outcome.verdict == verdict});
      }
      rows.Share(name + " verdicts", attack ? "attack" : "utility", std::string(NameOf(verdict)), counted);
    }
  }
  double calls = 0;
  double stopped = 0;
  for (const Tested& t : all) {
    if (t.trace->attack || t.outcome.delegation) continue;
    calls += t.outcome.calls;
    stopped += t.outcome.escalated + t.outcome.blocked;
  }
  if (calls > 0) {
    rows.Number(name + " verdicts", "utility", "stopped_per_thousand_calls", 1000.0 * stopped / calls,
                static_cast<std::uint64_t>(calls), "benign calls escalated or blocked");
  }
  std::map<std::string, std::uint64_t> classes;
  for (const Tested& t : all) {
    const TraceOutcome& o = t.outcome;
    const bool allowed = Allowed(t, false);
    if (o.delegation || t.trace->attack != allowed) continue;
    std::string what;
    if (!t.trace->attack) {
      what = std::string("lost utility: ") + std::string(NameOf(o.ground));
    } else if (!o.judged) {
      what = "missed attack: no call to judge (the attack is an answer)";
    } else {
      what = o.masked_whole ? "missed attack: below the threshold, its text quarantined"
                            : "missed attack: below the threshold";
    }
    ++classes[what];
  }
  for (const auto& [what, count] : classes) {
    rows.Number(name + " errors", what, "traces", static_cast<double>(count), all.size());
  }
}

// The same gate with a graph that was learned from the training traces.
void WithGraph(Rows& rows, const std::string& name, const std::vector<Tested>& all) {
  const auto usual = [](const Tested& t) { return !t.outcome.delegation; };
  for (const bool quarantine : {false, true}) {
    rows.Rates(name + (quarantine ? " with graph gate+quarantine" : " with graph gate"), "mean", Select(all, usual),
               quarantine, "paths of the training traces, looked up by domain");
  }
}

std::string Normal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) out.push_back(static_cast<char>(std::tolower(byte)));
  }
  return out;
}

std::string InjectedText(const Trace& trace) {
  std::string text;
  for (const InjectedSpan& span : trace.injected) {
    text += std::string_view(trace.calls[span.call].output).substr(span.bytes.begin, span.bytes.end - span.bytes.begin);
  }
  return text;
}

}  // namespace

std::vector<EvalRow> GroupedProtocol(std::span<const Trace> bench, const ProtocolOptions& options,
                                     const GroupedExtras& extras) {
  const auto folds = static_cast<std::uint64_t>(std::max(2, options.folds));
  struct Cell {
    std::uint64_t prompt = 0;
    std::uint64_t attack = 0;
    bool utilities = false;  // tested once a prompt fold
    std::vector<Tested> tested;
    std::vector<Tested> graphed;
    std::map<StressKind, std::vector<Tested>> stressed;
    std::vector<Tested> adaptive;
  };
  std::vector<Cell> cells;
  for (int shift = 0; shift < options.shifts; ++shift) {
    for (std::uint64_t p = 0; p < folds; ++p) {
      Cell cell;
      cell.prompt = p;
      cell.attack = (p + static_cast<std::uint64_t>(shift)) % folds;
      cell.utilities = shift == 0;
      cells.push_back(std::move(cell));
    }
  }
  const std::vector<Trace> adaptive = extras.adaptive ? AdaptiveAttacks(bench, options.seed) : std::vector<Trace>();
  std::vector<std::uint64_t> prompt_fold;
  std::vector<std::uint64_t> attack_fold;
  for (const Trace& trace : bench) {
    prompt_fold.push_back(Fold(PromptGroup(trace), options.seed, folds));
    attack_fold.push_back(trace.attack ? Fold(AttackGroup(trace), options.seed + 1, folds) : folds);
  }
  // Rewritten traces must outlive the rows that point to them.
  std::vector<std::vector<std::unique_ptr<Trace>>> kept(cells.size());
  InParallel(cells.size(), options.jobs, [&](std::size_t c) {
    Cell& cell = cells[c];
    std::vector<const Trace*> training;
    std::vector<const Trace*> test;
    for (std::size_t i = 0; i < bench.size(); ++i) {
      const bool prompt = prompt_fold[i] == cell.prompt;
      if (!bench[i].attack) {
        if (!prompt) training.push_back(&bench[i]);
        if (prompt && cell.utilities) test.push_back(&bench[i]);
      } else {
        if (!prompt && attack_fold[i] != cell.attack) training.push_back(&bench[i]);
        if (prompt && attack_fold[i] == cell.attack) test.push_back(&bench[i]);
      }
    }
    const TrainedBounds trained = TrainBounds(training, options.training);
    for (const Trace* trace : test) {
      cell.tested.push_back(Test(*trace, trained));
      cell.graphed.push_back(Test(*trace, trained, true));
    }
    Say(options, "grouped: fold " + std::to_string(c + 1) + " of " + std::to_string(cells.size()));
    if (extras.stress) {
      for (const Tested& tested : cell.tested) {
        if (!tested.trace->attack || Fold(tested.trace->id, options.seed + 2,
                                          static_cast<std::uint64_t>(std::max(1, options.stress_share))) != 0) {
          continue;
        }
        for (const StressKind kind : AllStressKinds()) {
          kept[c].push_back(std::make_unique<Trace>(Stress(*tested.trace, kind, options.seed)));
          cell.stressed[kind].push_back(Test(*kept[c].back(), trained));
        }
      }
    }
    for (const Trace& trace : adaptive) {
      if (cell.utilities && Fold(PromptGroup(trace), options.seed, folds) == cell.prompt) {
        cell.adaptive.push_back(Test(trace, trained));
      }
    }
  });
  std::vector<Tested> all;
  std::vector<Tested> utilities;
  std::vector<Tested> graphed;
  std::map<StressKind, std::vector<Tested>> stressed;
  std::vector<Tested> adapted;
  for (Cell& cell : cells) {
    for (Tested& t : cell.tested) {
      if (!t.trace->attack) utilities.push_back(t);
      all.push_back(std::move(t));
    }
    std::move(cell.graphed.begin(), cell.graphed.end(), std::back_inserter(graphed));
    for (auto& [kind, tested] : cell.stressed)
      std::move(tested.begin(), tested.end(), std::back_inserter(stressed[kind]));
    std::move(cell.adaptive.begin(), cell.adaptive.end(), std::back_inserter(adapted));
  }
  Rows rows(options);
  Standard(rows, "grouped", all);
  WithGraph(rows, "grouped", graphed);
  const auto usual = [](const Tested& t) { return !t.outcome.delegation; };
  for (const auto& [kind, tested] : stressed) {
    for (const bool quarantine : {false, true}) {
      const std::string table = quarantine ? "stress gate+quarantine" : "stress gate";
      std::vector<const Tested*> set = Select(tested, usual);
      const std::vector<const Tested*> benign = Select(utilities, usual);
      set.insert(set.end(), benign.begin(), benign.end());
      rows.Rates(table, std::string(NameOf(kind)), set, quarantine);
    }
  }
  for (const std::string_view form : {std::string_view("/field"), std::string_view("/line")}) {
    for (const bool quarantine : {false, true}) {
      std::vector<const Tested*> set =
          Select(adapted, [&](const Tested& t) { return usual(t) && t.trace->id.ends_with(form); });
      if (set.empty()) continue;
      rows.Rates(quarantine ? "adaptive gate+quarantine" : "adaptive gate", std::string(form.substr(1)), set,
                 quarantine,
                 form == "/field" ? "a record with other content: nothing but its content is untrue"
                                  : "a data line that names another recipient; no order, no foreign tool");
    }
  }
  return rows.Take();
}

std::vector<EvalRow> CrossProtocol(std::span<const Trace> bench, std::span<const Trace> agentdojo,
                                   const ProtocolOptions& options) {
  std::vector<const Trace*> training;
  for (const Trace& trace : bench) training.push_back(&trace);
  const TrainedBounds trained = TrainBounds(training, options.training);
  std::vector<Tested> all;
  std::vector<Tested> graphed;
  for (const Trace& trace : agentdojo) {
    if (!Counts(trace)) continue;
    all.push_back(Test(trace, trained));
    graphed.push_back(Test(trace, trained, true));
  }
  Say(options, "trained on bench, tested on AgentDojo");
  Rows rows(options);
  Standard(rows, "bench to agentdojo", all);
  WithGraph(rows, "bench to agentdojo", graphed);
  double lost[2] = {0, 0};
  double count = 0;
  for (const Tested& t : all) {
    if (t.trace->attack) continue;
    ++count;
    lost[0] += Allowed(t, false) ? 0 : 1;
    lost[1] += Allowed(t, true) ? 0 : 1;
  }
  rows.Number("bench to agentdojo gate", "all", "lost_utilities", lost[0], static_cast<std::uint64_t>(count),
              "delegation included");
  rows.Number("bench to agentdojo gate+quarantine", "all", "lost_utilities", lost[1], static_cast<std::uint64_t>(count),
              "delegation included");
  return rows.Take();
}

std::vector<EvalRow> FourFoldProtocol(std::span<const Trace> bench, std::span<const Trace> agentdojo,
                                      const ProtocolOptions& options) {
  constexpr std::uint64_t kFolds = 4;
  std::set<std::string> injections;
  std::array<std::set<std::string>, kFolds> prompts;
  const auto fold_of = [&](const Trace& t) { return Fold(t.domain + "/" + t.user_task, options.seed + 5, kFolds); };
  for (const Trace& trace : agentdojo) {
    prompts[fold_of(trace)].insert(PromptGroup(trace));
    if (trace.attack) injections.insert(Normal(InjectedText(trace)));
  }
  // An attack of bench is an AgentDojo task when a run's injected text holds it.
  std::map<std::string, bool> is_task;
  std::vector<bool> excluded(bench.size(), false);
  for (std::size_t i = 0; i < bench.size(); ++i) {
    if (!bench[i].attack) continue;
    const auto [known, fresh] = is_task.emplace(AttackGroup(bench[i]), false);
    if (fresh) {
      const std::string text = Normal(InjectedText(bench[i]));
      known->second = std::any_of(injections.begin(), injections.end(), [&](const std::string& injection) {
        return injection.find(text) != std::string::npos;
      });
    }
    excluded[i] = known->second;
  }
  std::array<std::vector<Tested>, kFolds> tested;
  InParallel(kFolds, options.jobs, [&](std::size_t fold) {
    std::vector<const Trace*> training;
    for (std::size_t i = 0; i < bench.size(); ++i) {
      if (!excluded[i] && prompts[fold].count(PromptGroup(bench[i])) == 0) training.push_back(&bench[i]);
    }
    const TrainedBounds trained = TrainBounds(training, options.training);
    for (const Trace& trace : agentdojo) {
      if (Counts(trace) && fold_of(trace) == fold) tested[fold].push_back(Test(trace, trained));
    }
    Say(options, "four folds: fold " + std::to_string(fold + 1) + ", trained on " + std::to_string(training.size()));
  });
  std::vector<Tested> all;
  for (std::vector<Tested>& part : tested) std::move(part.begin(), part.end(), std::back_inserter(all));
  Rows rows(options);
  Standard(rows, "four-fold", all);
  return rows.Take();
}

std::vector<EvalRow> LeaveDomainOutProtocol(std::span<const Trace> bench, const ProtocolOptions& options) {
  std::array<std::vector<Tested>, kDomainCount> tested;
  InParallel(kDomainCount, options.jobs, [&](std::size_t d) {
    std::vector<const Trace*> training;
    for (const Trace& trace : bench) {
      if (trace.domain != kDomains[d]) training.push_back(&trace);
    }
    const TrainedBounds trained = TrainBounds(training, options.training);
    for (const Trace& trace : bench) {
      // Every attack task several times over says little more than once: a third of the rows.
      if (trace.domain != kDomains[d]) continue;
      if (trace.attack && Fold(trace.id, options.seed + 3, 3) != 0) continue;
      tested[d].push_back(Test(trace, trained));
    }
    Say(options, "leave one domain out: " + std::string(kDomains[d]));
  });
  std::vector<Tested> all;
  for (std::vector<Tested>& part : tested) std::move(part.begin(), part.end(), std::back_inserter(all));
  Rows rows(options);
  Standard(rows, "leave-one-domain-out", all);
  return rows.Take();
}

std::vector<EvalRow> LearningCurve(std::span<const Trace> bench, const ProtocolOptions& options) {
  constexpr std::array<int, 5> kShares = {5, 10, 25, 50, 100};
  constexpr std::uint64_t kFolds = 5;
  struct Run {
    int share = 0;
    std::uint64_t fold = 0;
    std::vector<Tested> tested;
    std::size_t trained_on = 0;
  };
  std::vector<Run> runs;
  for (const int share : kShares) {
    for (std::uint64_t fold = 0; fold < 2; ++fold) {
      Run run;
      run.share = share;
      run.fold = fold;
      runs.push_back(std::move(run));
    }
  }
  InParallel(runs.size(), options.jobs, [&](std::size_t r) {
    Run& run = runs[r];
    std::vector<const Trace*> training;
    std::vector<const Trace*> test;
    for (const Trace& trace : bench) {
      const std::string prompt_group = PromptGroup(trace);
      const std::string attack_group = AttackGroup(trace);
      const bool prompt = Fold(prompt_group, options.seed, kFolds) == run.fold;
      const bool attack = trace.attack && Fold(attack_group, options.seed + 1, kFolds) == run.fold;
      if (prompt && (!trace.attack || attack)) test.push_back(&trace);
      if (prompt || attack) continue;
      const auto share = static_cast<std::uint64_t>(run.share);
      if (Fold(prompt_group, options.seed + 7, 100) >= share) continue;
      if (trace.attack && Fold(attack_group, options.seed + 8, 100) >= std::max<std::uint64_t>(share, 10)) continue;
      training.push_back(&trace);
    }
    run.trained_on = training.size();
    const TrainedBounds trained = TrainBounds(training, options.training);
    for (const Trace* trace : test) run.tested.push_back(Test(*trace, trained));
    Say(options, "learning curve: " + std::to_string(run.share) + " %");
  });
  Rows rows(options);
  const auto usual = [](const Tested& t) { return !t.outcome.delegation; };
  for (const int share : kShares) {
    std::vector<Tested> all;
    std::size_t trained_on = 0;
    for (Run& run : runs) {
      if (run.share != share) continue;
      trained_on += run.trained_on;
      std::move(run.tested.begin(), run.tested.end(), std::back_inserter(all));
    }
    const std::string reason = "trained on about " + std::to_string(trained_on / 2) + " traces";
    rows.Rates("learning curve gate", std::to_string(share), Select(all, usual), false, reason);
    rows.Rates("learning curve gate+quarantine", std::to_string(share), Select(all, usual), true, reason);
  }
  return rows.Take();
}

}  // namespace interlock::eval::agent_sentry
