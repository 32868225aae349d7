#include "interlock/eval/agent_sentry/train_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "interlock/bounds/learn.h"
#include "interlock/bounds/tool_class.h"
#include "interlock/eval/agent_sentry/authored.h"
#include "interlock/eval/agent_sentry/stress.h"
#include "interlock/eval/agent_sentry/train_spans.h"

namespace interlock::eval::agent_sentry {

using bounds::BoundsModel;
using bounds::BoundsSession;
using bounds::ProposedCall;

namespace {

constexpr std::size_t kDomainCount = std::size(kDomains);
constexpr std::size_t kOtherDomain = kDomainCount;  // of authored sessions, all in one

std::uint64_t HashText(std::string_view text, std::uint64_t salt) {
  std::uint64_t hash = 1469598103934665603ULL ^ (salt * 0x9E3779B97F4A7C15ULL);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  hash ^= hash >> 32U;
  hash *= 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 32U);
}

std::size_t DomainIndex(const Trace& trace) {
  if (trace.set == kAuthoredSet) return kOtherDomain;
  for (std::size_t i = 0; i < kDomainCount; ++i) {
    if (kDomains[i] == trace.domain) return i;
  }
  return 0;
}

// Shared by SpanFinders that must not own the model twice.
std::shared_ptr<const injection::SpanModel> Borrow(const injection::SpanModel& model) {
  return {std::shared_ptr<const void>(), &model};
}

// Replays a trace turn by turn. `on_call(session, call, index)` before a call goes ahead; `on_result(index, scan)`.
template <class OnCall, class OnResult>
void Replay(const Trace& trace, const BoundsModel& model, const injection::SpanModel& spans,
            std::shared_ptr<const bounds::GraphIndex> graph, OnCall&& on_call, OnResult&& on_result) {
  const std::shared_ptr<const BoundsModel> borrowed(std::shared_ptr<const void>(), &model);
  bounds::BoundsOptions of_session;
  of_session.graph = std::move(graph);
  of_session.roles = {trace.domain};
  BoundsSession session(borrowed, std::make_shared<injection::SpanFinder>(Borrow(spans)), std::move(of_session));
  session.SetRequest(trace.prompt);
  std::vector<base::JsonDoc> documents;
  documents.reserve(trace.calls.size());
  for (std::size_t begin = 0; begin < trace.calls.size();) {
    std::size_t end = begin;
    while (end < trace.calls.size() && trace.calls[end].turn == trace.calls[begin].turn) ++end;
    std::vector<ProposedCall> turn;
    for (std::size_t i = begin; i < end; ++i) {
      base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(trace.calls[i].arguments);
      documents.push_back(doc.ok() ? std::move(doc.value()) : base::JsonDoc());
      turn.push_back({.tool = trace.calls[i].name,
                      .tool_class = bounds::ClassifyName(trace.calls[i].name),
                      .arguments = documents.back().root()});
      on_call(session, turn.back(), i);
    }
    for (const ProposedCall& call : turn) session.OnCall(call);
    for (std::size_t i = begin; i < end; ++i) {
      if (!trace.calls[i].has_output) continue;
      on_result(i, session.OnResult({.tool = trace.calls[i].name,
                                     .tool_class = turn[i - begin].tool_class,
                                     .text = trace.calls[i].output,
                                     .arguments = turn[i - begin].arguments}));
    }
    begin = end;
  }
}

// The turn of the first call that has read an injection.
std::uint32_t FirstReader(const Trace& trace) {
  std::uint32_t turn = ~0U;
  for (const InjectedSpan& span : trace.injected) turn = std::min(turn, trace.calls[span.call].turn + 1);
  return turn;
}

struct HeldRow {
  FeatureRow row;
  std::size_t trace = 0;
  bool rewritten = false;
};

bounds::FeatureVector WithoutPath(bounds::FeatureVector features) {
  features[static_cast<std::size_t>(bounds::Feature::kPathOdds)] = 0.0F;
  features[static_cast<std::size_t>(bounds::Feature::kPathSupport)] = 0.0F;
  return features;
}

// Half of the traces without their paths: the one half for even forests, the other for odd ones.
std::vector<float> Flat(const std::vector<HeldRow>& rows, const std::vector<std::size_t>& which, int forest) {
  std::vector<float> flat;
  flat.reserve(which.size() * bounds::kFeatureCount);
  for (const std::size_t i : which) {
    const bool path = (rows[i].trace + static_cast<std::size_t>(forest)) % 2 == 0;
    const bounds::FeatureVector features = path ? rows[i].row.features : WithoutPath(rows[i].row.features);
    flat.insert(flat.end(), features.begin(), features.end());
  }
  return flat;
}

bounds::ForestSet Fit(const std::vector<HeldRow>& rows, const std::vector<std::size_t>& which,
                      std::span<const Trace* const> training, const TrainBoundsOptions& options) {
  std::vector<std::uint8_t> labels;
  std::vector<float> weights;
  // Each recorded domain and each side weighs the same: figures are means over domains, and so is the user's trouble.
  double count[2][kDomainCount + 1] = {};
  const auto weight_of = [&](const HeldRow& row) { return row.rewritten ? options.rewritten_weight : 1.0; };
  for (const std::size_t i : which) {
    count[rows[i].row.attack ? 1 : 0][DomainIndex(*training[rows[i].trace])] += weight_of(rows[i]);
  }
  for (const std::size_t i : which) {
    const bool attack = rows[i].row.attack;
    const std::size_t domain = DomainIndex(*training[rows[i].trace]);
    labels.push_back(attack ? 1 : 0);
    const double balanced = static_cast<double>(which.size()) / (2.0 * kDomainCount) * weight_of(rows[i]) *
                            (domain == kOtherDomain ? options.authored_weight : 1.0) /
                            std::max(count[attack ? 1 : 0][domain], 20.0);
    weights.push_back(static_cast<float>(balanced));
  }
  std::vector<bounds::Forest> forests;
  for (int k = 0; k < options.forests; ++k) {
    const std::vector<float> flat = Flat(rows, which, k);
    bounds::ForestOptions forest;
    if (options.monotone) forest.monotone = bounds::MonotoneDirections();
    forest.trees = options.trees;
    forest.seed = options.seed * 100 + static_cast<std::uint64_t>(k);
    forests.push_back(bounds::TrainForest(flat, bounds::kFeatureCount, labels, weights, forest));
  }
  return bounds::ForestSet(std::move(forests));
}

// As a gate without a graph would.
float ScoreOf(const bounds::ForestSet& forests, const FeatureRow& row) {
  return forests.Score(WithoutPath(row.features));
}

// Least threshold at which the domain mean of passing benign traces is `utility`.
float Threshold(std::vector<std::pair<float, std::size_t>> benign, const std::array<double, kDomainCount>& count,
                double utility) {
  std::sort(benign.begin(), benign.end(), std::greater<>());
  double domains = 0;
  for (const double n : count) domains += n > 0 ? 1 : 0;
  double lost = 0;
  float threshold = 50.0F;
  for (const auto& [score, domain] : benign) {
    if (score <= -99.0F) break;
    lost += 1.0 / count[domain] / std::max(domains, 1.0);
    if (lost > 1.0 - utility) return score + 1e-4F;
    threshold = score - 1e-4F;
  }
  return threshold;
}

}  // namespace

bounds::IntentModel TrainIntent(std::span<const Trace* const> training, std::uint64_t seed) {
  std::map<std::string, std::set<std::string>> tools;
  for (const Trace* trace : training) {
    for (const TraceCall& call : trace->calls) tools[trace->domain].insert(call.name);
  }
  std::map<std::pair<std::string, std::string>, std::set<std::string>> used;
  for (const Trace* trace : training) {
    std::set<std::string>* wanted = nullptr;
    std::size_t from = 0;
    if (!trace->attack) {
      wanted = &used[{trace->domain, trace->prompt}];
    } else if ((trace->set == "bench" || trace->set == kAuthoredSet) && !trace->injected.empty()) {
      // What follows an injection of the benchmark is the attacker's task and nothing else.
      const InjectedSpan& span = trace->injected.front();
      const std::string& out = trace->calls[span.call].output;
      wanted = &used[{trace->domain, out.substr(span.bytes.begin, span.bytes.end - span.bytes.begin)}];
      from = span.call + 1;
    }
    if (wanted == nullptr) continue;
    const bool authored = trace->set == kAuthoredSet;
    for (std::size_t i = from; i < trace->calls.size(); ++i) {
      if (!authored || trace->calls[i].carries_attack == trace->attack) wanted->insert(trace->calls[i].name);
    }
  }
  std::vector<bounds::IntentModel::Sample> samples;
  for (const auto& [key, names] : used) {
    const std::set<std::string>& all = tools[key.first];
    samples.push_back({key.second, {names.begin(), names.end()}, {all.begin(), all.end()}});
  }
  bounds::IntentModel::TrainOptions options;
  options.seed = seed;
  return bounds::IntentModel::Train(samples, options);
}

std::shared_ptr<const bounds::GraphIndex> LearnPaths(std::span<const Trace* const> traces) {
  bounds::GraphLearner learner;
  for (const Trace* trace : traces) {
    core::TraceSession session;
    std::vector<std::string> ids(trace->calls.size());
    session.messages.push_back({.role = core::Role::kUser, .content = {}, .calls = {}, .call_id = {}});
    for (std::size_t i = 0; i < trace->calls.size(); ++i) {
      if (i == 0 || trace->calls[i].turn != trace->calls[i - 1].turn) {
        session.messages.push_back({.role = core::Role::kAssistant, .content = {}, .calls = {}, .call_id = {}});
      }
      ids[i] = std::to_string(i);
      session.messages.back().calls.push_back(
          {.id = ids[i], .tool = trace->calls[i].name, .arguments = {}, .decision = {}});
    }
    bounds::ObserveOptions observe;
    observe.side = trace->attack ? bounds::Side::kAttack : bounds::Side::kBenign;
    const std::uint32_t reader = FirstReader(*trace);
    while (trace->attack && observe.first_call < trace->calls.size() &&
           trace->calls[observe.first_call].turn < reader) {
      ++observe.first_call;
    }
    const bounds::Scope scope{.tenant = {}, .role = trace->domain};
    observe.scopes = std::span(&scope, 1);
    // A session that cannot be learned from is left out, as `interlock learn` does.
    (void)learner.Observe(session, observe);
  }
  base::Result<bounds::FunctionalityGraph> graph = learner.Take();
  return graph.ok() ? bounds::GraphIndex::Build(graph.value()) : nullptr;
}

std::vector<FeatureRow> RowsOf(const Trace& trace, const BoundsModel& model, const injection::SpanModel& spans,
                               std::shared_ptr<const bounds::GraphIndex> graph) {
  std::vector<FeatureRow> rows;
  const std::uint32_t reader = FirstReader(trace);
  Replay(
      trace, model, spans, std::move(graph),
      [&](const BoundsSession& session, const ProposedCall& call, std::size_t i) {
        if (!bounds::IsGated(call.tool_class) || !session.exposed()) return;
        const bool authored = trace.set == kAuthoredSet;
        const bool attack = authored ? trace.calls[i].carries_attack : trace.attack && trace.calls[i].turn >= reader;
        // Before it read the injection an attack's trace is the carrier's; its benign run is in the data already.
        if (trace.attack && !attack && !authored) return;
        rows.push_back({session.Extract(call), attack});
      },
      [](std::size_t, const injection::ScanResult&) {});
  return rows;
}

namespace {

// The rows of every training trace, each from inner models that saw neither its prompt nor its attack task.
std::vector<HeldRow> CrossRows(std::span<const Trace* const> training, const TrainBoundsOptions& options,
                               const std::shared_ptr<injection::SpanTexts>& texts) {
  const auto folds = static_cast<std::uint64_t>(std::max(2, options.inner_folds));
  std::vector<HeldRow> rows;
  const auto prompt_fold = [&](const Trace& t) { return HashText(PromptGroup(t), options.seed + 11) % folds; };
  const auto attack_fold = [&](const Trace& t) { return HashText(AttackGroup(t), options.seed + 12) % folds; };
  for (std::uint64_t p = 0; p < folds; ++p) {
    for (std::uint64_t shift = 0; shift < folds; ++shift) {
      const std::uint64_t a = (p + shift) % folds;
      std::vector<const Trace*> inner;
      for (const Trace* t : training) {
        if (prompt_fold(*t) != p && (!t->attack || attack_fold(*t) != a)) inner.push_back(t);
      }
      TrainSpansOptions span_options;
      span_options.seed = options.seed;
      span_options.inner_folds = 0;
      span_options.ordinary = options.ordinary;
      span_options.texts = texts;
      const std::shared_ptr<const injection::SpanModel> spans = TrainSpans(inner, span_options);
      BoundsModel model;
      model.intent = TrainIntent(inner, options.seed);
      const std::shared_ptr<const bounds::GraphIndex> graph = LearnPaths(inner);
      for (std::size_t i = 0; i < training.size(); ++i) {
        const Trace& t = *training[i];
        if (prompt_fold(t) != p || (t.attack ? attack_fold(t) != a : shift != 0)) continue;
        for (const FeatureRow& row : RowsOf(t, model, *spans, graph)) rows.push_back({row, i});
        // The same order in other clothes, so that the combiner does not lean on spans alone.
        if (!t.attack || options.rewritten <= 0) continue;
        const std::span<const StressKind> kinds = AllStressKinds();
        for (int k = 0; k < options.rewritten; ++k) {
          const StressKind kind =
              kinds[HashText(t.id, options.seed + 20 + static_cast<std::uint64_t>(k)) % kinds.size()];
          for (const FeatureRow& row : RowsOf(Stress(t, kind, options.seed), model, *spans, graph)) {
            rows.push_back({row, i, true});
          }
        }
      }
    }
  }
  return rows;
}

}  // namespace

TrainedBounds TrainBounds(std::span<const Trace* const> recorded, const TrainBoundsOptions& options) {
  TrainedBounds out;
  std::vector<const Trace*> training(recorded.begin(), recorded.end());
  for (const Trace& trace : options.authored) training.push_back(&trace);
  const auto texts = options.texts != nullptr ? options.texts : std::make_shared<injection::SpanTexts>();
  const std::vector<HeldRow> rows = CrossRows(training, options, texts);
  // Thresholds from scores of traces that the combiner has not seen.
  constexpr std::uint64_t kThresholdFolds = 5;
  std::vector<float> held(training.size(), -100.0F);
  const auto threshold_fold = [&](std::size_t i) {
    return HashText(PromptGroup(*training[i]), options.seed + 13) % kThresholdFolds;
  };
  std::vector<std::size_t> usable;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!bounds::DelegatesTo(training[rows[k].trace]->prompt)) usable.push_back(k);
  }
  for (std::uint64_t fold = 0; fold < kThresholdFolds; ++fold) {
    std::vector<std::size_t> fit;
    for (const std::size_t k : usable) {
      if (threshold_fold(rows[k].trace) != fold) fit.push_back(k);
    }
    const bounds::ForestSet forests = Fit(rows, fit, training, options);
    for (const HeldRow& row : rows) {
      if (threshold_fold(row.trace) == fold && !row.rewritten)
        held[row.trace] = std::max(held[row.trace], ScoreOf(forests, row.row));
    }
  }
  std::vector<std::pair<float, std::size_t>> benign;
  std::array<double, kDomainCount> count{};
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (training[i]->attack || bounds::DelegatesTo(training[i]->prompt)) continue;
    if (DomainIndex(*training[i]) == kOtherDomain) continue;  // thresholds are promised for recorded sessions
    ++count[DomainIndex(*training[i])];
    benign.emplace_back(held[i], DomainIndex(*training[i]));
  }
  auto model = std::make_shared<BoundsModel>();
  model->intent = TrainIntent(training, options.seed);
  model->forests = Fit(rows, usable, training, options);
  model->escalate = Threshold(benign, count, options.utility);
  model->block = std::max(model->escalate, Threshold(benign, count, options.block_utility));
  std::size_t attacks = 0;
  std::size_t missed = 0;
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (!training[i]->attack) continue;
    ++attacks;
    missed += held[i] <= model->escalate ? 1U : 0U;
  }
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (DomainIndex(*training[i]) != kOtherDomain || bounds::DelegatesTo(training[i]->prompt)) continue;
    (training[i]->attack ? out.authored_attacks : out.authored_benign).push_back(held[i]);
  }
  out.held_out_asr = attacks == 0 ? 0.0 : static_cast<double>(missed) / static_cast<double>(attacks);
  out.held_out_utility = options.utility;
  out.model = std::move(model);
  out.graph = LearnPaths(training);
  TrainSpansOptions span_options;
  span_options.seed = options.seed;
  span_options.quarantine_rate = options.quarantine_rate;
  span_options.ordinary = options.ordinary;
  span_options.texts = texts;
  out.spans = TrainSpans(training, span_options);
  return out;
}

TraceOutcome RunTrace(const Trace& trace, const TrainedBounds& trained, bool with_graph) {
  TraceOutcome outcome;
  outcome.delegation = bounds::DelegatesTo(trace.prompt);
  const std::uint32_t reader = FirstReader(trace);
  std::vector<bool> covered(trace.injected.size(), false);
  Replay(
      trace, *trained.model, *trained.spans, with_graph ? trained.graph : nullptr,
      [&](const BoundsSession& session, const ProposedCall& call, std::size_t i) {
        ++outcome.calls;
        if (!bounds::IsGated(call.tool_class)) return;
        outcome.acts = true;
        outcome.exposed = outcome.exposed || session.exposed();
        const bounds::Judgement judgement = session.Judge(call);
        outcome.escalated += judgement.verdict == core::Verdict::kEscalate ? 1 : 0;
        outcome.blocked += judgement.verdict == core::Verdict::kBlock ? 1 : 0;
        // A block before the injection was even read stops the agent, not the attack.
        if (trace.attack && trace.calls[i].turn < reader) return;
        if (!session.exposed()) return;
        if (!outcome.judged || judgement.score > outcome.score) outcome.ground = judgement.ground;
        outcome.judged = true;
        outcome.score = std::max(outcome.score, judgement.score);
        outcome.verdict = core::Join(outcome.verdict, judgement.verdict);
      },
      [&](std::size_t i, const injection::ScanResult& scan) {
        for (const injection::Span& span : scan.spans) {
          if (span.score < trained.spans->quarantine_threshold()) continue;
          outcome.masked = true;
        }
        for (std::size_t k = 0; k < trace.injected.size(); ++k) {
          if (trace.injected[k].call != i) continue;
          const std::string_view out = trace.calls[i].output;
          std::size_t begin = trace.injected[k].bytes.begin;
          std::size_t end = trace.injected[k].bytes.end;
          // White space and markup around an order carry nothing.
          while (begin < end && static_cast<unsigned char>(out[begin]) <= ' ') ++begin;
          while (end > begin && static_cast<unsigned char>(out[end - 1]) <= ' ') --end;
          std::vector<base::ByteSpan> masks;
          for (const injection::Span& span : scan.spans) {
            if (span.score >= trained.spans->quarantine_threshold()) masks.push_back(span.bytes);
          }
          std::sort(masks.begin(), masks.end());
          for (const base::ByteSpan& mask : masks) {
            if (mask.begin <= begin) begin = std::max(begin, mask.end);
          }
          covered[k] = begin >= end;
        }
      });
  outcome.masked_whole = !covered.empty() && std::all_of(covered.begin(), covered.end(), [](bool c) { return c; });
  return outcome;
}

}  // namespace interlock::eval::agent_sentry
