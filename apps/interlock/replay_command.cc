#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <unordered_map>

#include "commands.h"
#include "interlock/base/text.h"
#include "interlock/gate/session.h"
#include "policy_files.h"
#include "trace_files.h"

namespace interlock::app {
namespace {

using Clock = std::chrono::steady_clock;

// Decide times in bins of 1/8 octave: quantiles of any number of calls in fixed memory.
class Histogram {
 public:
  void Add(std::uint64_t nanos) {
    ++count_;
    ++bins_[BinOf(nanos)];
  }
  [[nodiscard]] double QuantileUs(double q) const {
    const auto target = static_cast<std::uint64_t>(q * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      seen += bins_[i];
      if (seen > target) return UpperNanos(i) / 1000.0;
    }
    return 0;
  }

 private:
  static constexpr unsigned kSub = 8;
  static std::size_t BinOf(std::uint64_t nanos) {
    if (nanos < kSub) return static_cast<std::size_t>(nanos);
    const unsigned octave = 63u - static_cast<unsigned>(__builtin_clzll(nanos));
    const std::uint64_t sub = (nanos >> (octave - 3)) & (kSub - 1);
    return std::min<std::size_t>((octave - 2) * kSub + static_cast<std::size_t>(sub), 511);
  }
  static double UpperNanos(std::size_t bin) {
    if (bin < kSub) return static_cast<double>(bin);
    const std::size_t octave = bin / kSub + 2;
    return static_cast<double>((std::uint64_t{1} << octave) + ((bin % kSub + 1) << (octave - 3)));
  }
  std::array<std::uint64_t, 512> bins_{};
  std::uint64_t count_ = 0;
};

struct Totals {
  std::uint64_t sessions = 0;
  std::uint64_t sessions_stopped = 0;  // with at least one call that would not have gone ahead
  std::uint64_t calls = 0;
  std::uint64_t results_masked = 0;  // that a live session would have masked; the recorded agent read them as they were
  std::array<std::uint64_t, 4> verdicts{};
  std::unordered_map<std::string, std::uint64_t> reasons;
  Histogram decide;
};

class Replayer {
 public:
  Replayer(const ReplayArgs& args, std::shared_ptr<const policy::PolicySnapshot> policy,
           std::shared_ptr<const policy::ToolCatalogue> catalogue, std::shared_ptr<const bounds::GraphIndex> graph)
      : args_(args), policy_(std::move(policy)), catalogue_(std::move(catalogue)), graph_(std::move(graph)) {}

  void Session(const core::TraceSession& trace) {
    ++totals_.sessions;
    gate::SessionState state(policy_,
                             {.principal = std::string(trace.principal), .graph = graph_, .as_recorded = true});
    state.SetCatalogue(catalogue_, false);
    calls_.clear();
    std::uint64_t index = 0;
    bool stopped = false;
    if (args_.tools.empty() && LearnNames(trace)) state.SetCatalogue(catalogue_, false);
    // One that is too large is not there, and then a bound call waits.
    for (auto fact = trace.facts.begin(); fact != trace.facts.end(); ++fact) (void)state.AddFact(fact.key(), *fact);
    for (const core::TraceMessage& message : trace.messages) {
      if (message.role == core::Role::kUser) state.SetRequest(message.content);
      for (const core::TraceCall& recorded : message.calls) {
        const core::Call call{.id = recorded.id, .server = {}, .tool = recorded.tool, .arguments = recorded.arguments};
        calls_[recorded.id] = call;
        stopped |= One(state, trace, call, index++);
      }
      if (message.role != core::Role::kTool) continue;
      const auto call = calls_.find(message.call_id);
      if (call == calls_.end()) continue;
      // What the trace does not know about a result's trust, the policy says.
      const auto trust = message.trust == core::Trust::kUnknown ? std::nullopt : std::optional(message.trust);
      const auto view = state.OnResult(
          call->second,
          {.tool = call->second.tool, .payload = {}, .text = message.content, .is_error = message.is_error}, trust);
      if (view.decision.verdict == core::Verdict::kRewrite) ++totals_.results_masked;
    }
    if (stopped) ++totals_.sessions_stopped;
  }

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  // Traces carry no tool lists: a name that is called counts as listed, so that what the policy says of it applies. At
  // most kMaxNames; names past that stay unknown, which is never favourable. True when the catalogue changed.
  bool LearnNames(const core::TraceSession& trace) {
    constexpr std::size_t kMaxNames = 10'000;
    const std::size_t before = names_.size();
    for (const core::TraceMessage& message : trace.messages) {
      for (const core::TraceCall& call : message.calls) {
        if (catalogue_->Find(call.tool) != nullptr || names_.size() >= kMaxNames) continue;
        if (std::find(names_.begin() + static_cast<std::ptrdiff_t>(before), names_.end(), call.tool) == names_.end())
          names_.emplace_back(call.tool);
      }
    }
    if (names_.size() == before) return false;
    auto catalogue = CatalogueFor(policy_, {}, names_);
    if (!catalogue.ok()) return false;
    catalogue_ = catalogue.value();
    return true;
  }

  bool One(gate::SessionState& state, const core::TraceSession& trace, const core::Call& call, std::uint64_t index) {
    // Recorded time is not kept in traces: grants do not occur, so any fixed instant will do.
    constexpr base::Now kThen{};
    const auto begin = Clock::now();
    core::SignalMap signals;
    const core::Decision decision = state.DecideNow(call, kThen, &signals);
    const auto nanos =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
    ++totals_.calls;
    ++totals_.verdicts[static_cast<std::size_t>(decision.verdict)];
    totals_.decide.Add(nanos);
    const bool goes_ahead = decision.verdict <= core::Verdict::kRewrite;
    if (!goes_ahead) ++totals_.reasons[std::string(core::IdOf(decision.reason))];
    if (goes_ahead) state.Commit(call, kThen);
    if (!args_.quiet) {
      if (args_.format == Format::kJson) {
        PrintJson(trace, call, index, decision, signals, nanos);
      } else if (args_.calls || !goes_ahead) {
        std::printf(
            "%s #%llu: %s\n", base::Printable(trace.session, 120).c_str(), static_cast<unsigned long long>(index),
            goes_ahead
                ? ("`" + base::Printable(call.tool, 120) + "` " + std::string(core::NameOf(decision.verdict))).c_str()
                : decision.Explain(call.tool).c_str());
      }
    }
    return !goes_ahead;
  }

  void PrintJson(const core::TraceSession& trace, const core::Call& call, std::uint64_t index,
                 const core::Decision& decision, const core::SignalMap& signals, std::uint64_t nanos) {
    line_.clear();
    base::JsonWriter w(line_);
    w.BeginObject().Key("session").String(trace.session).Key("index").Uint(index).Key("tool").String(call.tool);
    w.Key("verdict").String(core::NameOf(decision.verdict)).Key("risk").Null().Key("reasons").BeginArray();
    for (const core::Evidence& e : decision.evidence) {
      w.BeginObject().Key("layer").String(core::NameOf(e.layer)).Key("reason").String(core::IdOf(e.reason));
      w.Key("verdict").String(core::NameOf(e.verdict));
      if (!e.rule.empty()) w.Key("rule").String(e.rule);
      if (!e.pointer.empty()) w.Key("argument").String(e.pointer);
      if (!e.text.empty()) w.Key("text").String(e.text);
      w.EndObject();
    }
    w.EndArray().Key("signals").BeginObject();
    for (std::size_t i = 0; i < core::kLayerCount; ++i) {
      const auto layer = static_cast<core::Layer>(i);
      const core::Signal& signal = signals[layer];
      if (signal.state == core::Signal::State::kAbsent) continue;
      w.Key(core::NameOf(layer));
      signal.state == core::Signal::State::kError ? w.Null() : w.Double(signal.score);
    }
    w.EndObject().Key("us").Double(static_cast<double>(nanos) / 1000.0).EndObject();
    line_ += '\n';
    std::fwrite(line_.data(), 1, line_.size(), stdout);
  }

  const ReplayArgs& args_;
  std::shared_ptr<const policy::PolicySnapshot> policy_;
  std::shared_ptr<const policy::ToolCatalogue> catalogue_;
  std::shared_ptr<const bounds::GraphIndex> graph_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, core::Call> calls_;
  Totals totals_;
  std::string line_;
};

void PrintSummary(const ReplayArgs& args, const policy::PolicySnapshot& policy, const Totals& totals,
                  const TraceFileStats& files, double seconds) {
  const auto rate = [seconds](double n) { return seconds > 0 ? n / seconds : 0.0; };
  const double calls_per_s = rate(static_cast<double>(totals.calls));
  const double mb_per_s = rate(static_cast<double>(files.bytes) / 1e6);
  if (args.format == Format::kJson) {
    std::string out;
    base::JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.replay.summary/v1").Key("policy").String(policy.digest().ToHex());
    w.Key("profile")
        .String(policy.profile().name)
        .Key("sessions")
        .Uint(totals.sessions)
        .Key("sessions_stopped")
        .Uint(totals.sessions_stopped);
    w.Key("calls").Uint(totals.calls).Key("malformed").Uint(files.malformed).Key("verdicts").BeginObject();
    for (std::size_t i = 0; i < totals.verdicts.size(); ++i) {
      w.Key(core::NameOf(static_cast<core::Verdict>(i))).Uint(totals.verdicts[i]);
    }
    w.EndObject()
        .Key("results_masked")
        .Uint(totals.results_masked)
        .Key("bytes")
        .Uint(files.bytes)
        .Key("seconds")
        .Double(seconds)
        .Key("calls_per_second")
        .Double(calls_per_s);
    w.Key("mb_per_second")
        .Double(mb_per_s)
        .Key("decide_us")
        .BeginObject()
        .Key("p50")
        .Double(totals.decide.QuantileUs(0.5));
    w.Key("p99").Double(totals.decide.QuantileUs(0.99)).EndObject().EndObject();
    std::printf("%s\n", out.c_str());
    return;
  }
  std::printf(
      "replayed %llu sessions, %llu calls: %llu allow, %llu rewrite, %llu escalate, %llu block (%llu sessions "
      "stopped)\n",
      static_cast<unsigned long long>(totals.sessions), static_cast<unsigned long long>(totals.calls),
      static_cast<unsigned long long>(totals.verdicts[0]), static_cast<unsigned long long>(totals.verdicts[1]),
      static_cast<unsigned long long>(totals.verdicts[2]), static_cast<unsigned long long>(totals.verdicts[3]),
      static_cast<unsigned long long>(totals.sessions_stopped));
  std::vector<std::pair<std::string, std::uint64_t>> reasons(totals.reasons.begin(), totals.reasons.end());
  std::sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [id, count] : reasons)
    std::printf("  %8llu  %s\n", static_cast<unsigned long long>(count), id.c_str());
  if (totals.results_masked != 0) {
    std::printf("  %8llu  results that a live session would have masked\n",
                static_cast<unsigned long long>(totals.results_masked));
  }
  if (files.malformed != 0)
    std::printf("  %8llu  malformed records skipped\n", static_cast<unsigned long long>(files.malformed));
  std::printf("%.2f s, %.1f MB/s, %.0f calls/s reading included; one decision p50 %.2f us, p99 %.2f us\n", seconds,
              mb_per_s, calls_per_s, totals.decide.QuantileUs(0.5), totals.decide.QuantileUs(0.99));
}

}  // namespace

int RunReplay(const ReplayArgs& args) {
  const auto policy = RequirePolicy(args.policy);
  if (policy == nullptr) return kExitCannotRun;
  auto catalogue = CatalogueFor(policy, args.tools);
  if (!catalogue.ok()) {
    PrintError(catalogue.error());
    return kExitCannotRun;
  }
  auto graph = GraphFor(args.graph, PolicyPath(args.policy), policy->graph());
  if (!graph.ok()) {
    PrintError(graph.error());
    return kExitCannotRun;
  }
  Replayer replayer(args, policy, catalogue.value(), std::move(graph.value().index));
  TraceFileStats stats;
  const auto begin = Clock::now();
  for (std::uint64_t round = 0; round < args.repeat; ++round) {
    for (const std::string& file : args.files) {
      const auto status = ForEachSession(
          file, {.systems_file = args.systems, .skip_malformed = args.skip_malformed}, stats,
          [&](core::TraceSession& session) {
            replayer.Session(session);
            return true;
          },
          [](const base::Error& error) { PrintError(error); });
      if (!status.ok()) {
        PrintError(status.error());
        return kExitCannotRun;
      }
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  PrintSummary(args, *policy, replayer.totals(), stats, seconds);
  return kExitFine;
}

}  // namespace interlock::app
