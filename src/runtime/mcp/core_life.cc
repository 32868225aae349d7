#include <algorithm>
#include <bit>
#include <utility>

#include "core_impl.h"

namespace interlock::runtime::mcp {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::MonoTime;
using base::Now;
using core::Enforcement;
using core::Reason;
using Stage = Request::Stage;
using What = Request::What;

namespace {

constexpr std::size_t kMaxPendingBlobs = 256;
constexpr std::int64_t kProgressEveryUs = 5'000'000;

}  // namespace

ProxyCore::Impl::Impl(CoreOptions options, Ports ports, std::shared_ptr<const policy::PolicySnapshot> policy,
                      std::optional<Error> policy_error, Now now)
    : options_(std::move(options)),
      ports_(ports),
      policy_(std::move(policy)),
      policy_error_(std::move(policy_error)),
      state_(NewState()),
      client_reader_(options_.codec),
      server_reader_(options_.codec),
      book_(options_.server, ports.pins, options_.max_tools, ports.scan, options_.passport),
      desk_(options_.secret) {
  INTERLOCK_CHECK(ports_.sink != nullptr, "a proxy has somewhere to send to");
  TakeLabelNames();
  empty_delta_ = state_->TakeValueDelta();
  audit::Record record = BaseRecord(audit::Kind::kSessionStart, now);
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  if (options_.graph != nullptr) AuditNotice("graph", options_.graph_digest, now);
  TakeFirstUse();
  if (options_.passport != nullptr) {
    AuditNotice("passport", options_.passport->origin, now);
    if (!options_.passport->verifies) {
      constexpr std::string_view kText =
          "the passport has no tool's listed definition (it was made from source): tools are left to the pins";
      AuditNotice("passport-unverifiable", kText, now);
      ports_.sink->Notice(NoticeLevel::kWarning, "passport-unverifiable", kText);
    }
  }
  if (policy_error_.has_value()) {
    AuditNotice("policy-unavailable", policy_error_->ToString(), now);
    ports_.sink->Notice(NoticeLevel::kError, "policy-unavailable", policy_error_->ToString());
  }
}

std::unique_ptr<gate::SessionState> ProxyCore::Impl::NewState() const {
  return std::make_unique<gate::SessionState>(policy_, gate::SessionOptions{.principal = options_.principal,
                                                                            .environment = options_.environment,
                                                                            .key = options_.fingerprint_key,
                                                                            .graph = options_.graph});
}

void ProxyCore::Impl::TakeFirstUse() {
  FirstUseScan first_use = options_.first_use;
  if (!options_.first_use_fixed && policy_->first_use() != policy::FirstUse::kUnsaid) {
    first_use = policy_->first_use() == policy::FirstUse::kOff      ? FirstUseScan::kOff
                : policy_->first_use() == policy::FirstUse::kStrict ? FirstUseScan::kStrict
                                                                    : FirstUseScan::kOn;
  } else if (first_use == FirstUseScan::kOn && policy_->profile().name == "strict") {
    first_use = FirstUseScan::kStrict;
  }
  book_.SetFirstUse(first_use);
}

void ProxyCore::Impl::TakeLabelNames() {
  policy_label_names_.clear();
  for (int i = 0; i < core::kMaxPolicyLabels; ++i) {
    const auto name = policy_->LabelNames(core::LabelSet{1} << (core::kFirstPolicyLabel + i));
    if (name.empty()) break;
    policy_label_names_.emplace_back(name.front());
  }
}

audit::Record ProxyCore::Impl::BaseRecord(audit::Kind kind, Now now) const {
  audit::Record record;
  record.kind = kind;
  record.time = now.wall;
  record.session = options_.session;
  record.principal = options_.principal;
  record.environment = options_.environment;
  record.profile = policy_->profile().name;
  record.policy = policy_->digest();
  record.server = options_.server;
  return record;
}

base::Status ProxyCore::Impl::Append(const audit::Record& record, bool durable, std::uint64_t& row) {
  if (ports_.audit == nullptr) return {};
  base::Status written = ports_.audit->Append(record, durable, row);
  if (!written.ok()) {
    ++counters_.audit_failures;
    if (std::has_single_bit(counters_.audit_failures)) {
      ports_.sink->Notice(NoticeLevel::kError, "audit", written.error().ToString());
    }
  }
  return written;
}

void ProxyCore::Impl::AuditNotice(std::string_view name, std::string_view text, Now now, std::uint64_t count) {
  audit::Record record = BaseRecord(audit::Kind::kNotice, now);
  record.name = name;
  record.text = text;
  record.count = count;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
}

void ProxyCore::Impl::SayRarely(std::uint64_t count, NoticeLevel level, std::string_view name, std::string_view text,
                                Now now) {
  if (!std::has_single_bit(count)) return;
  AuditNotice(name, text, now, count);
  ports_.sink->Notice(level, name, std::string(text) + " (" + std::to_string(count) + " so far)");
}

std::span<const std::string_view> ProxyCore::Impl::LabelNames(core::LabelSet labels) const {
  if (!labels_cached_ || labels != cached_labels_) {
    label_names_ = policy_->LabelNames(labels);
    cached_labels_ = labels;
    labels_cached_ = true;
  }
  return label_names_;
}

void ProxyCore::Impl::AppendOutcome(const Request& request, audit::CallStatus status, JsonValue result,
                                    const gate::SessionState::ResultView* view, Now now) {
  if (ports_.audit == nullptr) return;
  audit::Record record = BaseRecord(audit::Kind::kOutcome, now);
  record.tool = request.tool;
  record.call = request.id;
  record.decision_row = request.row;
  record.status = status;
  record.latency_us = now.mono.us - request.started.us;
  if (view != nullptr) {
    record.labels = LabelNames(view->labels);
    record.trust = view->trust;
  }
  if (result.exists()) {
    record.result = result;
    record.result_bytes = result.raw().size();
    record.result_digest = base::Sha256(result.raw());
  }
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();  // the call ran; the failure refuses the next one
}

void ProxyCore::Impl::RecordEvents(const std::vector<ToolBook::Event>& events, Now now) {
  using Kind = ToolBook::Event::Kind;
  for (const ToolBook::Event& event : events) {
    switch (event.kind) {
      case Kind::kChanged:
      case Kind::kTwice: {
        audit::Record record = BaseRecord(audit::Kind::kToolsChanged, now);
        record.tool = event.tool;
        record.definition = event.definition;
        std::uint64_t row = 0;
        (void)Append(record, false, row).ok();
        std::string text = event.tool.empty() ? std::string("the server's instructions are")
                                              : "the definition of tool `" + event.tool + "` is";
        text += event.kind == Kind::kTwice ? " given twice, differently" : " not the one that was accepted";
        text += "; held back until `interlock policy accept`";
        ports_.sink->Notice(NoticeLevel::kWarning, "tools-changed", text);
        break;
      }
      case Kind::kPassport: {
        audit::Record record = BaseRecord(audit::Kind::kToolsChanged, now);
        record.tool = event.tool;
        record.definition = event.definition;
        std::uint64_t row = 0;
        (void)Append(record, false, row).ok();
        ports_.sink->Notice(NoticeLevel::kWarning, "passport-differs",
                            "the definition of tool " + QuotedTool(event.tool) +
                                " is not the passport's; held back until `interlock policy accept`");
        break;
      }
      case Kind::kScanHeld:
      case Kind::kScanNoted: {
        const bool held = event.kind == Kind::kScanHeld && !policy_->profile().shadow;
        const std::string_view name = held ? "scan-held" : "scan-noted";
        audit::Record record = BaseRecord(audit::Kind::kNotice, now);
        record.name = name;
        record.tool = event.tool;
        record.definition = event.definition;
        record.text = event.text;
        std::uint64_t row = 0;
        (void)Append(record, false, row).ok();
        ports_.sink->Notice(
            NoticeLevel::kWarning, name,
            QuotedTool(event.tool) +
                (held ? " is held back until `interlock policy accept`: " : " passes, but look at it: ") + event.text);
        break;
      }
      case Kind::kMalformed:
      case Kind::kTooMany:
        AuditNotice(event.kind == Kind::kMalformed ? "tool-malformed" : "tools-too-many", event.text, now);
        ports_.sink->Notice(NoticeLevel::kWarning, event.kind == Kind::kMalformed ? "tool-malformed" : "tools-too-many",
                            event.text);
        break;
      case Kind::kPinsUnusable:
        AuditNotice("pins-unusable", event.text, now);
        ports_.sink->Notice(NoticeLevel::kError, "pins-unusable", event.text);
        break;
    }
  }
}

base::Status ProxyCore::Impl::SyncStore(Now now) {
  if (ports_.store == nullptr) return {};
  if (store_overrun_) return Error(ErrorCode::kStoreIo, "what this session has seen could not be shared");
  if (AnythingPending()) {
    if (base::Status published = PublishStore(now); !published.ok()) return published;
  }
  if (base::Status polled = ports_.store->Poll(news_); !polled.ok()) return polled;
  if (news_.empty) return {};
  for (const std::string& name : news_.labels) {
    // A label this policy does not know is one no rule of it can ask about.
    if (const auto bits = policy_->LabelFromName(name); bits.has_value()) {
      state_->MergeLabels(*bits);
      published_labels_ |= *bits;
    }
  }
  for (const std::string& text : news_.requests) {
    // What was given here comes back, too: a request said twice is one request.
    if (std::find(own_requests_.begin(), own_requests_.end(), text) == own_requests_.end()) state_->SetRequest(text);
  }
  for (const auto& [channel, json] : news_.facts) {
    if (const auto taken = TakeFact(channel, json); !taken.ok()) return taken;
  }
  for (const session::Update::Entry& entry : news_.entries) {
    if (entry.blob.empty()) continue;
    const auto own = std::find(own_blobs_.begin(), own_blobs_.end(), base::Sha256(entry.blob));
    if (own != own_blobs_.end()) {
      own_blobs_.erase(own);
      continue;
    }
    if (base::Status merged = state_->MergeValues(entry.blob, entry.label_names); !merged.ok()) return merged;
  }
  return {};
}

base::Status ProxyCore::Impl::PublishStore(Now now) {
  std::string delta = state_->TakeValueDelta();
  if (ports_.store == nullptr) return {};
  // An empty delta differs from the one before only when the index has become incomplete: that is news too.
  if (delta != empty_delta_) {
    if (delta.size() == empty_delta_.size()) empty_delta_ = delta;
    pending_blobs_.push_back(std::move(delta));
  }
  if (pending_blobs_.size() > kMaxPendingBlobs) {
    store_overrun_ = true;
    pending_blobs_.clear();
  }
  if (store_overrun_) return Error(ErrorCode::kStoreIo, "what this session has seen could not be shared");
  const core::LabelSet fresh = state_->labels() & ~published_labels_;
  if (fresh == 0 && !AnythingPending()) return {};
  bool first = true;
  while (first || AnythingPending()) {
    session::SessionStore::Publication publication;
    if (first) {
      for (const std::string_view name : policy_->LabelNames(fresh)) publication.labels.emplace_back(name);
    }
    publication.label_names = policy_label_names_;
    if (!pending_blobs_.empty()) publication.blob = pending_blobs_.front();
    if (!pending_requests_.empty()) publication.request = pending_requests_.front();
    if (!pending_facts_.empty()) {
      publication.fact_channel = pending_facts_.front().first;
      publication.fact = pending_facts_.front().second;
    }
    if (base::Status published = ports_.store->Publish(publication, now); !published.ok()) return published;
    if (!pending_blobs_.empty()) {
      if (own_blobs_.size() >= kMaxPendingBlobs) own_blobs_.pop_front();
      own_blobs_.push_back(base::Sha256(pending_blobs_.front()));
      pending_blobs_.erase(pending_blobs_.begin());
    }
    if (!pending_requests_.empty()) pending_requests_.erase(pending_requests_.begin());
    if (!pending_facts_.empty()) pending_facts_.erase(pending_facts_.begin());
    if (first) published_labels_ |= fresh;
    first = false;
  }
  return {};
}

void ProxyCore::Impl::Arm(MonoTime at) { next_deadline_ = std::min(next_deadline_, at); }

void ProxyCore::Impl::Tick(Now now) {
  if (now.mono < next_deadline_ || finished_) return;
  next_deadline_ = {INT64_MAX};
  if (own_list_.active && own_list_.deadline <= now.mono) OwnListDone(false, now);
  std::vector<Request*> due;
  std::vector<Request*> polled;
  for (const auto& [key, request] : open_) {
    if (request->stage == Stage::kWaitsForPerson && request->next_poll.us != 0 && request->next_poll <= now.mono) {
      polled.push_back(request.get());
    }
    if (request->stage == Stage::kWaitsForPerson && request->next_progress.us != 0 &&
        request->next_progress <= now.mono) {
      // Tells a client with a timeout of its own that somebody is being waited for. The values stay below any that the
      // server will send later: progress must only grow.
      request->next_progress = {now.mono.us + kProgressEveryUs};
      scratch_.clear();
      base::JsonWriter w(scratch_);
      w.BeginObject().Key("jsonrpc").String("2.0").Key("method").String("notifications/progress").Key("params");
      w.BeginObject().Key("progressToken").Raw(request->params.Find("_meta").Find("progressToken").raw());
      w.Key("progress").Double(1e-9 * ++request->progress).Key("message").String("waiting for approval");
      w.EndObject().EndObject();
      scratch_ += '\n';
      SendClient(scratch_);
    }
  }
  std::sort(polled.begin(), polled.end(), [](const Request* a, const Request* b) { return a->order < b->order; });
  for (Request* request : polled) PollStore(*request, now);
  for (const auto& [key, request] : open_) {
    if (request->deadline.us != 0 && request->deadline <= now.mono) due.push_back(request.get());
  }
  std::sort(due.begin(), due.end(), [](const Request* a, const Request* b) { return a->order < b->order; });
  for (Request* request : due) {
    request->deadline = {};
    switch (request->stage) {
      case Stage::kNew:
        break;
      case Stage::kWaitsForList:
        request->stage = Stage::kNew;
        request->list_tried = true;
        Settle(*request, now);
        break;
      case Stage::kWaitsForPerson:
        NobodyAnswered(*request, now);
        break;
      case Stage::kForwarded: {
        scratch_.clear();
        base::JsonWriter w(scratch_);
        w.BeginObject().Key("jsonrpc").String("2.0").Key("method").String("notifications/cancelled").Key("params");
        w.BeginObject().Key("requestId").Raw(request->id).Key("reason").String("timed out").EndObject().EndObject();
        scratch_ += '\n';
        SendServer(scratch_);
        GiveUp(*request, "the server did not answer in time", audit::CallStatus::kTimeout, now);
        break;
      }
    }
  }
  for (const auto& [key, request] : open_) {
    if (request->deadline.us != 0) Arm(request->deadline);
    if (request->stage != Stage::kWaitsForPerson) continue;
    if (request->next_progress.us != 0) Arm(request->next_progress);
    if (request->next_poll.us != 0) Arm(request->next_poll);
  }
  if (own_list_.active) Arm(own_list_.deadline);
  if (stop_step_ == StopStep::kNone || stop_step_ == StopStep::kKilled) return;
  if (stop_deadline_ <= now.mono) {
    if (stop_step_ == StopStep::kInputClosed) {
      stop_step_ = StopStep::kTerminated;
      stop_deadline_ = {now.mono.us + options_.term_grace_us};
      ports_.sink->SignalServer(ServerSignal::kTerminate);
    } else {
      stop_step_ = StopStep::kKilled;
      ports_.sink->SignalServer(ServerSignal::kKill);
      return;
    }
  }
  Arm(stop_deadline_);
}

// The request gets its answer now; the place in the table stays, so that a late answer of the server goes nowhere.
void ProxyCore::Impl::GiveUp(Request& request, std::string_view why, audit::CallStatus status, Now now) {
  if (request.what == What::kCall) {
    AppendOutcome(request, status, {}, nullptr, now);
    const core::Decision decision = gate::FailClosed(Reason::kUpstreamGone, why);
    scratch_.clear();
    // A refusal says that nothing ran; here nobody knows.
    const std::string text = "Interlock let the call " + QuotedTool(request.tool) + " go ahead, but " +
                             std::string(why) +
                             ". It is not known whether the call ran: find out before you repeat it.";
    AppendToolError(scratch_, request.id, request.modern, text, DecisionJson(decision, {}, policy_->digest()));
    SendClient(scratch_);
  } else {
    ReplyError(request.id, kErrorUpstreamGone, "interlock: " + std::string(why));
  }
  request.cancelled = true;
  request.deadline = {};
}

void ProxyCore::Impl::AnswerAllOpen(std::string_view why, Now now) {
  std::vector<Request*> all;
  for (const auto& [key, request] : open_) all.push_back(request.get());
  std::sort(all.begin(), all.end(), [](const Request* a, const Request* b) { return a->order < b->order; });
  for (Request* request : all) {
    if (request->stage == Stage::kForwarded) {
      if (!request->cancelled) GiveUp(*request, why, audit::CallStatus::kUpstreamGone, now);
      Close(*request);
    } else {
      DropQuestion(*request, why);
      Refuse(*request, gate::FailClosed(Reason::kUpstreamGone, why), Enforcement::kFailed, now);
    }
  }
  own_list_ = {};
}

void ProxyCore::Impl::BeginStop(int exit_code, Now now) {
  if (!stopping_) exit_code_ = exit_code;
  stopping_ = true;
  if (stop_step_ != StopStep::kNone) return;
  stop_step_ = StopStep::kInputClosed;
  stop_deadline_ = {now.mono.us + options_.close_grace_us};
  Arm(stop_deadline_);
  ports_.sink->CloseServerInput();
}

void ProxyCore::Impl::ClientClosed(Now now) {
  if (client_gone_ || finished_) return;
  client_gone_ = true;
  // What still waits will not run: there is nobody left to answer. What runs may end within the grace.
  std::vector<Request*> waiting;
  for (const auto& [key, request] : open_) {
    if (request->stage != Stage::kForwarded) waiting.push_back(request.get());
  }
  for (Request* request : waiting) {
    Refuse(*request, gate::FailClosed(Reason::kNotApproved, "the client closed the connection"), Enforcement::kFailed,
           now);
  }
  if (server_gone_) return;
  BeginStop(kExitOk, now);
}

void ProxyCore::Impl::ServerClosed(Now now) {
  if (server_gone_ || finished_) return;
  if (!stopping_) {
    AuditNotice("server-closed", "the server closed its pipes", now);
    ports_.sink->Notice(NoticeLevel::kError, "server-closed", "the server closed its pipes");
  }
  AnswerAllOpen("the server closed its pipes", now);
  BeginStop(kExitServerGone, now);
}

void ProxyCore::Impl::ServerExit(std::string_view how, Now now) {
  if (server_gone_ || finished_) return;
  const std::string text = "the server ended (" + std::string(how) + ")";
  if (!stopping_) {
    exit_code_ = kExitServerGone;
    AuditNotice("server-exit", text, now);
    ports_.sink->Notice(NoticeLevel::kError, "server-exit", text);
  }
  AnswerAllOpen(text, now);
  server_gone_ = true;
  finished_ = true;
  audit::Record record = BaseRecord(audit::Kind::kSessionEnd, now);
  record.text = client_gone_ ? std::string_view("the client closed the connection") : std::string_view(text);
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  ports_.sink->Finish(exit_code_);
}

void ProxyCore::Impl::Signal(int number, Now now) {
  if (server_gone_ || finished_) return;
  AnswerAllOpen("the proxy is being stopped", now);
  if (!stopping_) AuditNotice("signal", "stopped by signal " + std::to_string(number), now);
  BeginStop(kExitSignal + number, now);
  // Whoever signals us is in a hurry: no grace for a closed input.
  if (stop_step_ == StopStep::kInputClosed) {
    stop_step_ = StopStep::kTerminated;
    stop_deadline_ = {now.mono.us + options_.term_grace_us};
    Arm(stop_deadline_);
    ports_.sink->SignalServer(ServerSignal::kTerminate);
  }
}

void ProxyCore::Impl::ListMayDiffer() {
  if (!server_notifies_lists_ || !initialized_ || server_gone_) return;
  SendClient("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
}

void ProxyCore::Impl::SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy, Now now) {
  // Label bits are the policy's own numbering: carried over by name.
  std::vector<std::string> names;
  for (const std::string_view name : policy_->LabelNames(state_->labels())) names.emplace_back(name);
  policy_ = std::move(policy);
  policy_error_.reset();
  state_->SetPolicy(policy_);
  TakeFirstUse();
  TakeLabelNames();
  for (const std::string& name : names) {
    if (const auto bits = policy_->LabelFromName(name); bits.has_value()) state_->MergeLabels(*bits);
  }
  labels_cached_ = false;
  RefreshCatalogue();
  audit::Record record = BaseRecord(audit::Kind::kPolicyLoaded, now);
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  ports_.sink->Notice(NoticeLevel::kInfo, "policy-loaded", "policy " + policy_->digest().ToHex().substr(0, 12));
  ListMayDiffer();
}

void ProxyCore::Impl::ReloadPins(Now now) {
  std::vector<ToolBook::Event> events;
  const bool changed = book_.ReloadPins(events);
  RecordEvents(events, now);
  RefreshCatalogue();
  if (changed) {
    AuditNotice("pins-reloaded", "what is held back has changed", now);
    ListMayDiffer();
  }
}

ProxyCore::ProxyCore(CoreOptions options, Ports ports, std::shared_ptr<const policy::PolicySnapshot> policy,
                     std::optional<Error> policy_error, Now now)
    : impl_(std::make_unique<Impl>(std::move(options), ports, std::move(policy), std::move(policy_error), now)) {}
ProxyCore::~ProxyCore() = default;

void ProxyCore::OnClientLine(std::string_view line, Now now) { impl_->ClientLine(line, now, false); }
void ProxyCore::OnServerLine(std::string_view line, Now now) { impl_->ServerLine(line, now, false); }

void ProxyCore::OnClientOversized(std::uint64_t bytes, Now now) {
  ++impl_->counters_.oversized;
  impl_->ClientGarbage(Error(ErrorCode::kMcpLineTooLong, "a message of " + std::to_string(bytes) + " bytes"), Message{},
                       now);
}

void ProxyCore::OnServerOversized(std::uint64_t bytes, Now now) {
  ++impl_->counters_.oversized;
  impl_->ServerGarbage("server-oversized", "a message of " + std::to_string(bytes) + " bytes was dropped", true, now);
}

void ProxyCore::OnTick(Now now) { impl_->Tick(now); }
void ProxyCore::OnClientClosed(Now now) { impl_->ClientClosed(now); }
void ProxyCore::OnServerClosed(Now now) { impl_->ServerClosed(now); }
void ProxyCore::OnServerExit(std::string_view how, Now now) { impl_->ServerExit(how, now); }
void ProxyCore::OnSignal(int signal_number, Now now) { impl_->Signal(signal_number, now); }

void ProxyCore::SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy, Now now) {
  impl_->SetPolicy(std::move(policy), now);
}

void ProxyCore::KeepPolicy(const Error& why, Now now) {
  ++impl_->counters_.stale_policy;
  if (impl_->policy_error_.has_value()) impl_->policy_error_ = why;
  impl_->AuditNotice("policy-kept", why.ToString(), now, impl_->counters_.stale_policy);
  impl_->ports_.sink->Notice(NoticeLevel::kError, "policy-kept", "the policy in force stays: " + why.ToString());
}

void ProxyCore::ReloadPins(Now now) { impl_->ReloadPins(now); }

base::Status ProxyCore::JoinSession(std::string name, const std::array<std::uint64_t, 2>& fingerprint_key, Now now) {
  Impl& impl = *impl_;
  if (impl.has_content_ || impl.counters_.forwarded != 0) {
    return Error(ErrorCode::kInvalidArgument, "the session has begun under another name");
  }
  impl.options_.session = std::move(name);
  impl.options_.session_named = true;
  impl.options_.fingerprint_key = fingerprint_key;
  const core::LabelSet labels = impl.state_->labels();
  impl.state_ = impl.NewState();
  impl.empty_delta_ = impl.state_->TakeValueDelta();
  impl.state_->CarryLabels(labels);
  impl.published_labels_ = 0;
  impl.pending_blobs_.clear();
  impl.pending_facts_.clear();
  impl.RefreshCatalogue();
  audit::Record record = impl.BaseRecord(audit::Kind::kSessionStart, now);
  std::uint64_t row = 0;
  (void)impl.Append(record, false, row).ok();
  for (const auto& [channel, fact] : impl.facts_) {
    INTERLOCK_CHECK(impl.state_->AddFact(channel, fact.root()).ok(), "it was taken before");
    if (impl.ports_.store != nullptr) impl.pending_facts_.emplace_back(channel, fact.root().raw());
  }
  for (const std::string& text : std::exchange(impl.own_requests_, {})) SetRequest(text, now);
  for (const auto& [method, text] : impl.greetings_) {
    std::string quoted;
    base::AppendJsonString(quoted, text);
    const auto doc = base::JsonDoc::Parse(quoted);
    if (!doc.ok()) continue;
    gate::SessionState::ResultView view;
    const core::Call call{.id = {}, .server = impl.options_.server, .tool = method, .arguments = {}};
    if (impl.Feed(call, doc.value().root(), Impl::Words::kGuidance, view, now).has_value()) {
      impl.AuditNotice("instructions-unshared", "the session store does not take them", now);
    }
  }
  impl.has_content_ = false;
  return {};
}

void ProxyCore::SetRequest(std::string_view text, Now now) {
  impl_->state_->SetRequest(text);
  impl_->own_requests_.emplace_back(text);
  (void)impl_->state_->TakeValueDelta();  // the text itself is shared, every guard cuts it by its own policy
  if (impl_->ports_.store == nullptr) return;
  impl_->pending_requests_.emplace_back(text);
  if (base::Status published = impl_->PublishStore(now); !published.ok()) ++impl_->counters_.store_failures;
}

base::Status ProxyCore::Impl::TakeFact(std::string_view channel, std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  if (base::Status added = state_->AddFact(channel, doc.value().root()); !added.ok()) return added;
  std::erase_if(facts_, [&](const auto& fact) { return fact.first == channel; });
  facts_.emplace_back(std::string(channel), std::move(doc.value()));
  return {};
}

base::Status ProxyCore::AddFact(std::string_view channel, std::string_view json, Now now) {
  if (channel.empty()) return Error(ErrorCode::kInvalidArgument, "a fact has a channel");
  if (base::Status taken = impl_->TakeFact(channel, json); !taken.ok()) return taken;
  if (impl_->ports_.store == nullptr) return {};
  impl_->pending_facts_.emplace_back(channel, json);
  if (base::Status published = impl_->PublishStore(now); !published.ok()) ++impl_->counters_.store_failures;
  return {};
}

bool ProxyCore::AddLabel(std::string_view name, Now now) {
  const auto bits = impl_->policy_->LabelFromName(name);
  if (!bits.has_value()) return false;
  impl_->state_->MergeLabels(*bits);
  if (base::Status published = impl_->PublishStore(now); !published.ok()) ++impl_->counters_.store_failures;
  return true;
}

std::optional<MonoTime> ProxyCore::NextDeadline() const {
  if (impl_->next_deadline_.us == INT64_MAX) return std::nullopt;
  return impl_->next_deadline_;
}
const Counters& ProxyCore::counters() const { return impl_->counters_; }
std::size_t ProxyCore::open_requests() const { return impl_->open_.size(); }
std::size_t ProxyCore::inflight_bytes() const { return impl_->inflight_bytes_; }
const gate::SessionState& ProxyCore::session() const { return *impl_->state_; }

}  // namespace interlock::runtime::mcp
