// The paper's tables as rows: published, reproduced, corrected; and the published method under protocols that keep
// training and test apart.
//
//   PaperCorpus corpus(tools);                              // the four domains' lists
//   corpus.Add(trace) for every trace of bench and run 1;   // matches, keeps flows only
//   std::vector<EvalRow> rows = PaperTables(corpus, samples, options);
//
// Deterministic: equal input and seed give equal rows. Some seconds for everything.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/agent_sentry/dataset.h"
#include "interlock/eval/agent_sentry/paper_graph.h"
#include "interlock/eval/agent_sentry/paper_match.h"
#include "interlock/eval/report.h"

namespace interlock::eval::agent_sentry {

using eval::AppendEvalRow;
using eval::EvalRow;

inline constexpr std::size_t kDomainCount = std::size(kDomains);

// What the protocols need of a trace.
struct PaperTrace {
  std::string id;
  std::uint8_t domain = 0;
  bool bench = false;
  bool attack = false;
  int judge = -1;
  std::string prompt_group;
  std::string attack_group;
  TraceFlow flow;
};

class PaperCorpus {
 public:
  explicit PaperCorpus(std::span<const DomainTools> tools);
  // Matches and keeps a trace that counts (dataset.h); others only move the totals. kInvalidArgument for a domain
  // without lists; errors of PaperMatcher.
  [[nodiscard]] base::Status Add(const Trace& trace);

  [[nodiscard]] const std::vector<PaperTrace>& traces() const noexcept { return traces_; }
  [[nodiscard]] const PairTable& pairs() const noexcept { return pairs_; }
  struct Totals {
    std::array<std::array<std::uint64_t, 2>, kDomainCount> read{};  // by domain; utility, attack
    std::array<std::array<std::uint64_t, 2>, kDomainCount> kept{};
  };
  [[nodiscard]] const Totals& bench() const noexcept { return bench_; }
  [[nodiscard]] const Totals& run() const noexcept { return run_; }

 private:
  std::vector<std::optional<PaperTools>> tools_;
  PaperMatcher matcher_;
  PairTable pairs_;
  std::vector<PaperTrace> traces_;
  Totals bench_;
  Totals run_;
};

// Graphs and thresholds of the four domains.
struct PaperModel {
  std::array<PaperGraph, kDomainCount> graphs;
  std::array<double, kDomainCount> thresholds{};
};
enum class PaperProtocol : std::uint8_t { kBench, kAgentDojo };  // which threshold, which of the artifact's rules
[[nodiscard]] PaperModel TrainPaperModel(const PaperCorpus& corpus, std::span<const std::uint32_t> training,
                                         PaperProtocol protocol);
// `judge`: instead of the trace's own (mis-paired verdicts).
[[nodiscard]] bool PaperBlocks(const PaperModel& model, const PaperTrace& trace, PaperDecision decision, int judge);

// What the reference tables count, of one domain.
struct PaperCounts {
  struct Side {
    std::uint64_t total = 0;
    std::uint64_t graph_allowed = 0;
    std::uint64_t judge_allowed = 0;
    std::uint64_t combined_allowed = 0;
    std::uint64_t unresolved_traces = 0;  // some action ambiguous or unseen, none of an attack
    std::uint64_t misclassified_traces = 0;
    std::array<std::uint64_t, kFlowClasses> actions{};  // by class of the control flow
  };
  double threshold = 0;
  std::uint64_t train_utilities = 0;
  Side utility;
  Side attack;
};
// Bench traces of one domain after training on all its attacks and the named utilities. `judges`: by trace index of the
// corpus; empty: the traces' own.
[[nodiscard]] PaperCounts CountBench(const PaperCorpus& corpus, std::size_t domain,
                                     std::span<const std::string> train_utilities, std::span<const int> judges = {});

// The utilities that the artifact's sampler picks: train_samples.json.
struct TrainSamples {
  // fraction in tenths -> domain -> seed -> ids without the domain
  std::map<int, std::map<std::string, std::map<std::string, std::vector<std::string>>>> picks;
};
[[nodiscard]] base::Result<TrainSamples> ParseTrainSamples(std::string_view json);
// Adds the coverage of 1.0, which needs no sampler, where it is missing: all bench utilities, under the seed "any".
void AddFullCoverage(const PaperCorpus& corpus, TrainSamples& samples);

struct PaperTablesOptions {
  std::uint64_t seed = 42;
  std::uint32_t shuffles = 200;     // of the mis-paired verdicts
  std::uint32_t bootstraps = 1000;  // of the groups
};
// Tables 1-13 and the two figures; full coverage is added to the samples. Tables whose data is missing are left out.
[[nodiscard]] std::vector<EvalRow> PaperTables(const PaperCorpus& corpus, TrainSamples samples,
                                               const PaperTablesOptions& options = {});
// The same method where no test trace was learned from: five folds by trace, five by five groups (prompts and attack
// tasks unseen), trained on bench and tested on run 1.
[[nodiscard]] std::vector<EvalRow> PaperLeakFree(const PaperCorpus& corpus, const PaperTablesOptions& options = {});

// Means over domains of allowed shares, with 95 % intervals by resampling groups (a utility's prompt, an attack's task)
// inside each domain. `traces` and `allowed` go together.
struct RateWithInterval {
  double value = 0;
  double low = 0;
  double high = 0;
  std::uint64_t n = 0;
};
[[nodiscard]] RateWithInterval DomainMean(const PaperCorpus& corpus, std::span<const std::uint32_t> traces,
                                          std::span<const double> allowed, const PaperTablesOptions& options);

}  // namespace interlock::eval::agent_sentry
