#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "graph_command.h"
#include "interlock/base/text.h"
#include "interlock/bounds/learn.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"
#include "policy_files.h"
#include "trace_files.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Status;
using bounds::Day;
using bounds::Ruling;
using bounds::Side;

constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxReviewLine = std::size_t{64} << 10;
constexpr std::size_t kMaxToolsFile = std::size_t{64} << 20;

// What every worker reads and none changes.
struct LearnContext {
  const LearnArgs& args;
  bounds::ToolClasses classes;
  bounds::Reviews reviews;
  std::shared_ptr<const policy::PolicySnapshot> policy;
  std::optional<Side> label;
  std::optional<Day> as_of;
};

// Sessions that wait for a review. Names come from outside and may be many: the list is bounded, the count is not.
struct Waiting {
  static constexpr std::size_t kMaxListed = 1'000'000;
  std::map<std::string, bounds::Reviews::Answer> sessions;
};

struct LearnStats {
  std::uint64_t learned[2] = {0, 0};
  std::uint64_t without_side = 0;
  std::uint64_t waiting[4] = {0, 0, 0, 0};  // by ruling
  std::uint64_t malformed = 0;
  std::uint64_t bytes = 0;
  void Add(const LearnStats& other) {
    for (int i = 0; i < 2; ++i) learned[i] += other.learned[i];
    for (int i = 0; i < 4; ++i) waiting[i] += other.waiting[i];
    without_side += other.without_side;
    malformed += other.malformed;
    bytes += other.bytes;
  }
  [[nodiscard]] std::uint64_t sessions() const {
    return learned[0] + learned[1] + without_side + waiting[1] + waiting[2] + waiting[3];
  }
};

// What a record says of its session besides the conversation.
struct Notes {
  std::string_view time;
  std::string_view label;
  std::vector<std::string_view> injected;  // ids of calls
};

Notes NotesOf(const core::TraceAnnotations& annotations) {
  Notes notes{.time = annotations.session.Find("time").string(),
              .label = annotations.session.Find("label").string(),
              .injected = {}};
  for (const auto& [id, value] : annotations.calls) {
    if (value.Find("injections").size() > 0) notes.injected.push_back(id);
  }
  return notes;
}

// The ordinal of the first call after injected text was read: what came before is the user's own.
std::uint32_t FirstInfluencedCall(const core::TraceSession& session, const Notes& notes) {
  const std::set<std::string_view> injected(notes.injected.begin(), notes.injected.end());
  if (injected.empty()) return 0;
  std::uint32_t ordinal = 0;
  for (const core::TraceMessage& message : session.messages) {
    bool found = false;
    for (const core::TraceCall& call : message.calls) found |= injected.contains(call.id);
    ordinal += static_cast<std::uint32_t>(message.calls.size());
    if (found) return ordinal;
  }
  return 0;
}

// One thread's share: records in, a graph out.
class Worker {
 public:
  explicit Worker(const LearnContext& context) : context_(context), learner_(context.classes) {}

  Status Take(const TraceRecord& record, const std::string& path) {
    Status status = ReadAndLearn(record, path);
    if (status.ok()) return {};
    Error placed = PlacedIn(path, record, status.error());
    if (status.error().code() == ErrorCode::kGraphLimit || !context_.args.skip_malformed) return placed;
    ++stats_.malformed;
    PrintError(placed);
    return {};
  }

  [[nodiscard]] base::Result<bounds::FunctionalityGraph> Graph() { return learner_.Take(); }
  [[nodiscard]] const LearnStats& stats() const { return stats_; }
  [[nodiscard]] Waiting& waiting() { return waiting_; }

 private:
  Status ReadAndLearn(const TraceRecord& record, const std::string& path) {
    if (record.format == eval::TraceFormat::kCompact) {
      if (Status status = compact_.Read(record.text); !status.ok()) return status;
      return Learn(compact_.session(), {.time = {}, .label = compact_.label(), .injected = compact_.injected_calls()});
    }
    static const eval::SystemPrompts kNone;  // nothing is learned from system prompts
    const auto line = AsTraceV1(record, path, kNone, imported_);
    if (!line.ok()) return line.error();
    if (Status status = reader_.Read(line.value()); !status.ok()) return status;
    return Learn(reader_.session(), NotesOf(reader_.annotations()));
  }

  Status Learn(const core::TraceSession& session, const Notes& notes) {
    bounds::ObserveOptions options;
    std::optional<Day> day = bounds::DayFromText(notes.time);
    std::optional<Side> side = context_.label;
    if (context_.args.update.empty() ? !context_.args.reviews.empty() : true) {
      const bounds::Reviews::Answer answer = context_.reviews.Of(session.session, context_.args.update_policy);
      if (answer.ruling == Ruling::kLearn) {
        side = answer.side;
        if (!day) day = answer.day;
      } else {
        // Whatever else the session says of itself: nobody has judged it.
        ++stats_.waiting[static_cast<std::size_t>(answer.ruling)];
        if (waiting_.sessions.size() < Waiting::kMaxListed) waiting_.sessions.emplace(session.session, answer);
        return {};
      }
    } else if (!side) {
      side = bounds::SideFromName(notes.label);
    }
    if (!side) {
      ++stats_.without_side;
      return {};
    }
    options.side = *side;
    options.day = day ? *day : context_.as_of.value_or(bounds::kUndated);
    if (*side == Side::kAttack) options.first_call = FirstInfluencedCall(session, notes);
    const std::vector<bounds::Scope> scopes = ScopesOf(session);
    options.scopes = scopes;
    if (Status status = learner_.Observe(session, options); !status.ok()) return status;
    ++stats_.learned[static_cast<std::size_t>(*side)];
    return {};
  }

  [[nodiscard]] std::vector<bounds::Scope> ScopesOf(const core::TraceSession& session) const {
    const std::string tenant = context_.args.tenant_by_domain ? std::string(session.domain) : context_.args.tenant;
    std::vector<std::string> roles;
    if (context_.args.role_key == "principal") roles.emplace_back(session.principal);
    if (context_.args.role_key == "domain") roles.emplace_back(session.domain);
    if (context_.args.role_key == "role" && context_.policy != nullptr) {
      roles = context_.policy->ResolvePrincipal(session.principal).roles;
    }
    std::vector<bounds::Scope> scopes;
    if (!tenant.empty()) scopes.push_back({.tenant = tenant, .role = ""});
    for (const std::string& role : roles) {
      if (!role.empty()) scopes.push_back({.tenant = tenant, .role = role});
    }
    return scopes;
  }

  const LearnContext& context_;
  bounds::GraphLearner learner_;
  core::AnnotatedTraceReader reader_;
  eval::CompactTraceReader compact_;
  std::string imported_;
  LearnStats stats_;
  Waiting waiting_;
};

struct Batch {
  struct Item {
    std::size_t begin;
    std::size_t size;
    TraceRecord record;  // its text is set when it is taken
  };
  std::string path;
  std::string bytes;
  std::vector<Item> items;
};

// Workers on batches of records. The reader waits while all of them are busy, so memory stays bounded.
class Pool {
 public:
  Pool(const LearnContext& context, std::uint32_t jobs) {
    for (std::uint32_t i = 0; i < jobs; ++i) workers_.push_back(std::make_unique<Worker>(context));
    if (jobs == 1) return;
    for (auto& worker : workers_) threads_.emplace_back([this, &worker = *worker] { Work(worker); });
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { Close(); }

  // The first error of any worker so far.
  Status Put(const TraceRecord& record, const std::string& path) {
    if (threads_.empty()) return workers_.front()->Take(record, path);
    if (batch_.bytes.size() + record.text.size() > kBatchBytes || batch_.path != path) {
      if (Status status = Send(); !status.ok()) return status;
    }
    batch_.path = path;
    batch_.items.push_back({.begin = batch_.bytes.size(), .size = record.text.size(), .record = record});
    batch_.bytes += record.text;
    return {};
  }

  Status Finish() {
    if (threads_.empty()) return {};
    (void)Send();
    Close();
    return error_ ? Status(*error_) : Status();
  }

  [[nodiscard]] std::vector<std::unique_ptr<Worker>>& workers() { return workers_; }

 private:
  Status Send() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return queue_.size() < workers_.size() + 1 || error_; });
    if (error_) return *error_;
    if (!batch_.items.empty()) queue_.push_back(std::move(batch_));
    batch_ = Batch();
    work_.notify_one();
    return {};
  }

  void Work(Worker& worker) {
    for (;;) {
      Batch batch;
      {
        std::unique_lock lock(mutex_);
        work_.wait(lock, [this] { return !queue_.empty() || closed_; });
        if (queue_.empty()) return;
        batch = std::move(queue_.front());
        queue_.pop_front();
      }
      room_.notify_one();
      for (Batch::Item& item : batch.items) {
        item.record.text = std::string_view(batch.bytes).substr(item.begin, item.size);
        if (Status status = worker.Take(item.record, batch.path); !status.ok()) {
          const std::lock_guard lock(mutex_);
          if (!error_) error_ = status.error();
          room_.notify_one();
          break;
        }
      }
    }
  }

  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  Batch batch_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable room_;
  std::deque<Batch> queue_;
  std::optional<Error> error_;
  bool closed_ = false;
};

Status LoadReviews(const std::string& path, bounds::Reviews& reviews) {
  return platform::ForEachLine(path, kMaxReviewLine, [&](const base::Line& line) -> Status {
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    auto review = line.too_long ? base::Result<bounds::Review>(Error(ErrorCode::kGraphReview, "a line is too long"))
                                : bounds::ParseReview(line.text);
    if (review.ok()) {
      reviews.Add(std::move(review.value()));
      return {};
    }
    return Error(review.error().code(), review.error().message(),
                 {.file = path,
                  .line = static_cast<std::uint32_t>(line.number),
                  .column = 0,
                  .offset = line.offset + review.error().place().offset});
  });
}

Status Prepare(LearnContext& context) {
  const LearnArgs& args = context.args;
  context.label = bounds::SideFromName(args.label);
  if (!args.as_of.empty()) {
    context.as_of = bounds::DayFromText(args.as_of);
    if (!context.as_of) return Error(ErrorCode::kUsage, "--as-of is a date such as 2026-01-31");
  }
  if (!args.update.empty()) {
    if (!args.label.empty()) return Error(ErrorCode::kUsage, "an update takes sides from --reviews only, not --label");
    if (args.reviews.empty()) return Error(ErrorCode::kUsage, "an update needs --reviews");
    if (!context.as_of) return Error(ErrorCode::kUsage, "an update needs --as-of");
  }
  if (args.role_key == "role" && args.policy.file.empty()) {
    return Error(ErrorCode::kUsage, "--role-key role needs the policy that says who has which role (--policy)");
  }
  if (!args.policy.file.empty()) {
    context.policy = RequirePolicy(args.policy);
    if (context.policy == nullptr) return Error(ErrorCode::kUsage, "the policy does not load");
    for (const core::ToolSpec& tool : context.policy->NamedTools()) context.classes.Describe(tool);
  }
  for (const std::string& path : args.tools) {
    const auto bytes = platform::ReadFile(path, kMaxToolsFile);
    if (!bytes.ok()) return bytes.error();
    const auto classes = bounds::ToolClasses::Parse(bytes.value());
    if (!classes.ok()) return classes.error().Under(path);
    context.classes.Overlay(classes.value());
  }
  return args.reviews.empty() ? Status() : LoadReviews(args.reviews, context.reviews);
}

std::string ReviewListLines(const Waiting& waiting) {
  std::string out;
  for (const auto& [session, answer] : waiting.sessions) {
    base::JsonWriter w(out);
    w.BeginObject().Key("session").String(session).Key("why").String(bounds::NameOf(answer.ruling));
    if (answer.ruling == Ruling::kLowConfidence) {
      w.Key("label").String(bounds::NameOf(answer.side)).Key("confidence").Double(answer.confidence);
    }
    w.EndObject();
    out += '\n';
  }
  return out;
}

struct UpdateOutcome {
  std::vector<bounds::Promotion> promotions;
  std::uint64_t decayed = 0;
  std::optional<bounds::GraphDiff> diff;
  std::string words;
};

void PrintSummary(const LearnArgs& args, const LearnStats& stats, const bounds::FunctionalityGraph& graph,
                  const UpdateOutcome& update, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(stats.sessions()) / seconds : 0;
  if (args.format == Format::kJson) {
    std::string out;
    base::JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.learn.summary/v1").Key("graph").String(graph.Digest().ToHex());
    w.Key("sessions").Uint(stats.sessions()).Key("benign").Uint(stats.learned[0]).Key("attack").Uint(stats.learned[1]);
    w.Key("without_side").Uint(stats.without_side).Key("review").BeginObject();
    for (std::size_t i = 1; i < 4; ++i) w.Key(bounds::NameOf(static_cast<Ruling>(i))).Uint(stats.waiting[i]);
    w.EndObject().Key("malformed").Uint(stats.malformed).Key("tools").Uint(graph.tools().size());
    w.Key("flows").Uint(graph.flow_count()).Key("promoted").Uint(update.promotions.size());
    w.Key("decayed").Uint(update.decayed).Key("bytes").Uint(stats.bytes).Key("seconds").Double(seconds);
    w.Key("sessions_per_second").Double(rate).Key("jobs").Uint(args.jobs).EndObject();
    std::fprintf(args.output.empty() ? stderr : stdout, "%s\n", out.c_str());
    return;
  }
  std::FILE* to = args.output.empty() ? stderr : stdout;
  std::fprintf(to, "learned from %llu benign sessions and %llu attacks: %zu tools, %zu flows\n",
               static_cast<unsigned long long>(stats.learned[0]), static_cast<unsigned long long>(stats.learned[1]),
               graph.tools().size(), graph.flow_count());
  if (stats.without_side != 0) {
    std::fprintf(to, "  %8llu  left out: neither --label, a review nor an annotation gives a side\n",
                 static_cast<unsigned long long>(stats.without_side));
  }
  for (std::size_t i = 1; i < 4; ++i) {
    if (stats.waiting[i] == 0) continue;
    std::fprintf(to, "  %8llu  on the review list: %s\n", static_cast<unsigned long long>(stats.waiting[i]),
                 std::string(bounds::NameOf(static_cast<Ruling>(i))).c_str());
  }
  if (stats.malformed != 0) {
    std::fprintf(to, "  %8llu  malformed records skipped\n", static_cast<unsigned long long>(stats.malformed));
  }
  for (const bounds::Promotion& promotion : update.promotions) {
    std::fprintf(to, "  settled as %s: %s (%s), after %llu sessions; %llu older ones of the other side dropped\n",
                 std::string(bounds::NameOf(promotion.to)).c_str(), InWords(promotion.flow).c_str(),
                 InWords(promotion.scope).c_str(), static_cast<unsigned long long>(promotion.sessions),
                 static_cast<unsigned long long>(promotion.dropped));
  }
  if (update.decayed != 0) {
    std::fprintf(to, "  %llu old counts have faded\n", static_cast<unsigned long long>(update.decayed));
  }
  std::fprintf(to, "%s%.2f s, %.1f MB/s, %.0f sessions/s\n", update.words.c_str(), seconds,
               seconds > 0 ? static_cast<double>(stats.bytes) / 1e6 / seconds : 0.0, rate);
}

Status Update(const LearnContext& context, bounds::FunctionalityGraph& graph, UpdateOutcome& outcome) {
  auto before = ReadGraphFile(context.args.update);
  if (!before.ok()) return before.error();
  bounds::FunctionalityGraph after = before.value();
  if (Status status = after.Merge(graph); !status.ok()) return status;
  bounds::UpdatePolicy policy = context.args.update_policy;
  policy.promote_undated = !context.args.keep_undated;
  if (Status status = bounds::CheckUpdatePolicy(policy); !status.ok()) return status;
  outcome.promotions = bounds::Promote(after, policy, *context.as_of);
  outcome.decayed = bounds::Decay(after, policy, *context.as_of);
  outcome.diff = bounds::GraphDiff::Between(before.value(), after);
  outcome.words = DiffInWords(*outcome.diff, before.value(), after, {});
  graph = std::move(after);
  return {};
}

}  // namespace

int RunLearn(const LearnArgs& args) {
  const auto fail = [](const Error& error) {
    PrintError(error);
    return kExitCannotRun;
  };
  LearnContext context{.args = args, .classes = {}, .reviews = {}, .policy = nullptr, .label = {}, .as_of = {}};
  if (Status status = Prepare(context); !status.ok()) return fail(status.error());
  if (!args.update.empty()) {
    // What the graph knows of a tool stays: its flows mean that class.
    const auto known = ReadGraphFile(args.update);
    if (!known.ok()) return fail(known.error());
    for (const auto& [tool, tool_class] : known.value().tools()) context.classes.State(tool, tool_class);
  }
  const auto begin = std::chrono::steady_clock::now();
  TraceFileStats files;
  Pool pool(context, args.jobs);
  for (const std::string& file : args.files) {
    const Status status = ForEachRecord(
        file, {.systems_file = "", .skip_malformed = args.skip_malformed}, files,
        [&](const TraceRecord& record) { return pool.Put(record, file); },
        [](const Error& error) { PrintError(error); });
    if (!status.ok()) return fail(status.error());
  }
  if (Status status = pool.Finish(); !status.ok()) return fail(status.error());

  bounds::FunctionalityGraph graph;
  LearnStats stats;
  Waiting waiting;
  for (const auto& worker : pool.workers()) {
    const auto shard = worker->Graph();
    if (!shard.ok()) return fail(shard.error());
    if (Status status = graph.Merge(shard.value()); !status.ok()) return fail(status.error());
    stats.Add(worker->stats());
    waiting.sessions.merge(worker->waiting().sessions);
  }
  stats.bytes = files.bytes;
  stats.malformed += files.malformed;
  UpdateOutcome outcome;
  if (!args.update.empty()) {
    if (Status status = Update(context, graph, outcome); !status.ok()) return fail(status.error());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (outcome.diff && !args.diff.empty()) {
    if (Status status = WriteOutput(args.diff, outcome.diff->ToJson()); !status.ok()) return fail(status.error());
  }
  if (!args.review_list.empty()) {
    if (Status status = WriteOutput(args.review_list, ReviewListLines(waiting)); !status.ok()) {
      return fail(status.error());
    }
  }
  if (Status status = WriteOutput(args.output, graph.ToJson()); !status.ok()) return fail(status.error());
  PrintSummary(args, stats, graph, outcome, seconds);
  return kExitFine;
}

}  // namespace interlock::app
