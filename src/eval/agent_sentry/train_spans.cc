#include "interlock/eval/agent_sentry/train_spans.h"

#include <algorithm>
#include <map>
#include <set>

#include "interlock/base/check.h"
#include "interlock/bounds/intent.h"
#include "interlock/eval/agent_sentry/authored.h"
#include "operations.h"

namespace interlock::eval::agent_sentry {
namespace {

std::uint64_t HashText(std::string_view text) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash ^ (hash >> 31U);
}

std::shared_ptr<const injection::SpanModel> Fit(std::span<const Trace* const> training,
                                                const TrainSpansOptions& options, float quarantine) {
  injection::SpanTrainer trainer(options.texts);
  for (const Trace* trace : training) {
    trainer.AddCommand(trace->prompt);
    // After an injection was read, outputs may echo it: they are neither.
    std::uint32_t first = static_cast<std::uint32_t>(trace->calls.size());
    for (const InjectedSpan& span : trace->injected) first = std::min(first, span.call);
    for (std::uint32_t i = 0; i < trace->calls.size() && i <= first; ++i) {
      const TraceCall& call = trace->calls[i];
      if (!call.has_output) continue;
      std::string rest = call.output;
      for (auto span = trace->injected.rbegin(); span != trace->injected.rend(); ++span) {
        if (span->call != i) continue;
        trainer.AddCommand(
            std::string_view(call.output).substr(span->bytes.begin, span->bytes.end - span->bytes.begin));
        rest.erase(span->bytes.begin, span->bytes.end - span->bytes.begin);
      }
      trainer.AddData(rest);
    }
  }
  for (const std::string& text : options.ordinary) trainer.AddData(text);
  if (options.operations > 0.0F) {
    const OperationsTexts& operations = EmbeddedOperationsTexts();
    for (const std::string& text : operations.orders) trainer.AddCommand(text, options.operations);
    for (const std::string& text : operations.facts) trainer.AddData(text, options.operations);
  }
  injection::SpanTrainer::Options train;
  train.seed = options.seed;
  train.quarantine = quarantine;
  return trainer.Train(train);
}

float BestScore(const injection::SpanFinder& finder, const Trace& trace, const std::vector<std::string>& tools) {
  float best = -20.0F;
  for (const TraceCall& call : trace.calls) {
    if (!call.has_output) continue;
    injection::ScanOptions scan;
    scan.echo = call.arguments;
    scan.tool_names = &tools;
    best = std::max(best, finder.Scan(call.output, scan).max_score);
  }
  return best;
}

}  // namespace

std::vector<std::string> ToolNames(std::span<const Trace* const> traces, std::string_view domain) {
  std::set<std::string> names;
  for (const Trace* trace : traces) {
    if (trace->domain != domain) continue;
    for (const TraceCall& call : trace->calls) names.insert(call.name);
  }
  return {names.begin(), names.end()};
}

std::shared_ptr<const injection::SpanModel> TrainSpans(std::span<const Trace* const> training,
                                                       const TrainSpansOptions& options) {
  float threshold = options.quarantine;
  if (options.inner_folds >= 2) {
    std::vector<float> benign;
    std::map<std::string, std::vector<std::string>> tools;
    for (const std::string_view domain : kDomains) tools[std::string(domain)] = ToolNames(training, domain);
    for (int fold = 0; fold < options.inner_folds; ++fold) {
      std::vector<const Trace*> inner;
      std::vector<const Trace*> held;
      for (const Trace* trace : training) {
        const auto folds = static_cast<std::uint64_t>(options.inner_folds);
        const auto mine = static_cast<std::uint64_t>(fold);
        const bool prompt = HashText(PromptGroup(*trace)) % folds == mine;
        const bool attack = trace->attack && HashText(AttackGroup(*trace)) % folds == mine;
        if (!prompt && !attack) inner.push_back(trace);
        // Masking is promised for recorded sessions: authored ones quote orders to talk about them.
        if (prompt && !trace->attack && trace->set != kAuthoredSet) held.push_back(trace);
      }
      const injection::SpanFinder finder(Fit(inner, options, threshold));
      for (const Trace* trace : held) {
        if (!bounds::DelegatesTo(trace->prompt)) benign.push_back(BestScore(finder, *trace, tools[trace->domain]));
      }
    }
    if (!benign.empty()) {
      std::sort(benign.begin(), benign.end(), std::greater<>());
      const auto allowed = static_cast<std::size_t>(options.quarantine_rate * static_cast<double>(benign.size()));
      threshold = benign[std::min(allowed, benign.size() - 1)] + 1e-3F;
    }
  }
  return Fit(training, options, threshold);
}

}  // namespace interlock::eval::agent_sentry
