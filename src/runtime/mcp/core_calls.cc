#include <algorithm>
#include <array>
#include <utility>

#include "core_impl.h"
#include "interlock/base/text.h"

namespace interlock::runtime::mcp {

using base::JsonValue;
using base::Now;
using core::Decision;
using core::Enforcement;
using core::Reason;
using core::Verdict;
using Stage = Request::Stage;
using What = Request::What;

namespace {

constexpr int kMaxRewrites = 4;
constexpr std::uint32_t kMaxOvertaken = 16;
constexpr std::int64_t kListRetryUs = 10'000'000;

}  // namespace

core::Call ProxyCore::Impl::CallOf(const Request& request) const {
  return {.id = request.id, .server = options_.server, .tool = request.tool, .arguments = request.arguments};
}

const policy::ToolEntry* ProxyCore::Impl::EntryOf(const Request& request) const {
  return state_->catalogue() == nullptr ? nullptr : state_->catalogue()->Find(request.tool);
}

TicketScope ProxyCore::Impl::ScopeOf(const core::Call& call) const {
  const policy::ToolEntry* entry = state_->catalogue() == nullptr ? nullptr : state_->catalogue()->Find(call.tool);
  return {.call = gate::CallDigest(call),
          .policy = policy_->digest(),
          .definition = entry == nullptr ? base::Digest{} : entry->spec.definition,
          .preconditions = state_->PreconditionDigest(call),
          .principal = options_.principal};
}

void ProxyCore::Impl::StartCall(Request& request, Now now) {
  static constexpr std::array<std::string_view, 6> kNames = {"name",           "arguments",    "_meta",
                                                             "inputResponses", "requestState", "task"};
  ++counters_.calls;
  const JsonValue name = request.params.Find("name");
  const JsonValue arguments = request.params.Find("arguments");
  request.tool = name.string();
  if (!name.is_string() || name.string().empty() || (arguments.exists() && !arguments.is_object()) ||
      HasCaseVariant(request.params, kNames)) {
    Refuse(request,
           gate::FailClosed(Reason::kMalformed,
                            "a tools/call has a `name`, `arguments` that are an object, and no look-alikes of either"),
           Enforcement::kBlocked, now);
    return;
  }
  request.arguments = arguments;
  if (options_.request_from_meta) {
    const JsonValue text = request.params.Find("_meta").Find("interlock/request");
    if (text.is_string()) state_->SetRequest(text.string());
  }
  Settle(request, now);
}

// INVARIANT: on return the request is answered, forwarded, or waits with a deadline.
void ProxyCore::Impl::Settle(Request& request, Now now) {
  if (policy_error_.has_value()) {
    Refuse(request, gate::FailClosed(Reason::kPolicyUnavailable, policy_error_->ToString()), Enforcement::kFailed, now);
    return;
  }
  if (base::Status synced = SyncStore(now); !synced.ok()) {
    ++counters_.store_failures;
    Refuse(request, gate::FailClosed(Reason::kStoreUnavailable, synced.error().ToString()), Enforcement::kFailed, now);
    return;
  }
  if (NeedsList(request, now)) {
    WaitForList(request, now);
    return;
  }
  if (base::Status read = ReadShared(now); !read.ok()) {
    ++counters_.store_failures;
    Refuse(request, gate::FailClosed(read.error()), Enforcement::kFailed, now);
    return;
  }
  RefreshCatalogue();
  request.arguments = request.params.Find("arguments");
  request.is_rewritten = false;

  Decision first;
  for (int round = 0;; ++round) {
    Decision decision = state_->DecideNow(CallOf(request), now);
    if (decision.verdict != Verdict::kRewrite || decision.shadow) {
      Decided(request, decision, round == 0 ? nullptr : &first, now);
      return;
    }
    if (round == 0) first = decision;
    auto rewritten = base::JsonDoc::Parse(decision.rewritten_arguments);
    const bool usable = rewritten.ok() && rewritten.value().root().is_object();
    if (!usable || round == kMaxRewrites ||
        (request.arguments.exists() &&
         base::CanonicalJson(rewritten.value().root()) == base::CanonicalJson(request.arguments))) {
      Refuse(request,
             gate::FailClosed(Reason::kInternalError,
                              usable ? "the rewrite does not settle: its rule still matches what it has rewritten"
                                     : "the rewritten arguments are not an object"),
             Enforcement::kFailed, now);
      return;
    }
    request.rewritten = std::move(rewritten.value());
    request.arguments = request.rewritten.root();
    request.is_rewritten = true;
  }
}

void ProxyCore::Impl::Decided(Request& request, const Decision& decision, const Decision* rewrite, Now now) {
  const bool has_ticket = TicketDesk::LooksLikeTicket(request.params.Find("requestState").string());
  if (has_ticket && !request.strip && (decision.verdict != Verdict::kBlock || decision.shadow)) {
    if (!RedeemTicket(request, now)) return;
    if (decision.verdict == Verdict::kEscalate) {  // decided before the grant was there
      Settle(request, now);
      return;
    }
  }
  if (decision.verdict == Verdict::kEscalate && !decision.shadow && !request.asked) {
    // The next round of a call that a person let go ahead, to which the server had a question of its own.
    const JsonValue state = request.params.Find("requestState");
    if (state.is_string() && !has_ticket) {
      const std::pair<std::string, std::string> round{base::Sha256(state.string()).ToHex(),
                                                      gate::CallDigest(CallOf(request)).ToHex()};
      const auto known = std::find(continuations_.begin(), continuations_.end(), round);
      if (known != continuations_.end()) {
        continuations_.erase(known);
        request.asked = true;
        state_->AddGrant(CallOf(request), true, now);
        Settle(request, now);
        return;
      }
    }
  }
  if (decision.shadow) {
    request.arguments = request.params.Find("arguments");
    request.is_rewritten = false;
    Forward(request, decision, decision.verdict == Verdict::kAllow ? Enforcement::kForwarded : Enforcement::kShadowed,
            now);
    return;
  }
  switch (decision.verdict) {
    case Verdict::kAllow: {
      const bool approved = decision.reason == Reason::kApproved;
      request.approved_once = approved;
      const Enforcement enforcement = approved             ? Enforcement::kApproved
                                      : rewrite != nullptr ? Enforcement::kRewritten
                                                           : Enforcement::kForwarded;
      // The record tells of the decision that changed the call.
      Forward(request, rewrite != nullptr && !approved ? *rewrite : decision, enforcement, now);
      return;
    }
    case Verdict::kEscalate:
      Escalate(request, decision, now);
      return;
    case Verdict::kRewrite:
    case Verdict::kBlock:
      Refuse(request, decision, Enforcement::kBlocked, now);
      return;
  }
}

void ProxyCore::Impl::RefreshCatalogue() {
  state_->SetCatalogue(book_.Catalogue(policy_), book_.instructions_changed());
}

bool ProxyCore::Impl::NeedsList(const Request& request, Now now) const {
  if (request.list_tried || !server_lists_tools_ || now.mono < own_list_.not_before) return false;
  if (!book_.fresh()) return true;
  return !book_.complete() && !book_.Knows(request.tool);
}

void ProxyCore::Impl::WaitForList(Request& request, Now now) {
  request.stage = Stage::kWaitsForList;
  request.deadline = {now.mono.us + options_.list_timeout_us};
  Arm(request.deadline);
  if (own_list_.active) return;
  own_list_.wanted = true;
  own_list_.modern_version.clear();
  if (request.modern) own_list_.modern_version = request.params.Find("_meta").Find(kMetaVersion).string();
  if (request.modern || initialized_) SendOwnList(now);
}

void ProxyCore::Impl::SendOwnList(Now now) {
  if (!own_list_.active) {
    own_list_.active = true;
    own_list_.wanted = false;
    own_list_.cursor.clear();
    own_list_.pages = 0;
    own_list_.epoch = book_.epoch();
  }
  own_list_.deadline = {now.mono.us + options_.list_timeout_us};
  Arm(own_list_.deadline);
  own_list_.id = options_.to_server_prefix + std::to_string(next_own_id_++);
  scratch_.clear();
  base::JsonWriter w(scratch_);
  w.BeginObject().Key("jsonrpc").String("2.0").Key("id").String(own_list_.id).Key("method").String("tools/list");
  w.Key("params").BeginObject();
  if (!own_list_.modern_version.empty()) {
    w.Key("_meta").BeginObject().Key(kMetaVersion).String(own_list_.modern_version);
    w.Key(kMetaCapabilities).BeginObject().EndObject().EndObject();
  }
  if (!own_list_.cursor.empty()) w.Key("cursor").String(own_list_.cursor);
  w.EndObject().EndObject();
  scratch_ += '\n';
  SendServer(scratch_);
}

void ProxyCore::Impl::OwnListAnswer(const Message& message, Now now) {
  own_list_.id.clear();
  const JsonValue tools = message.result.Find("tools");
  if (message.kind != MessageKind::kResult || !tools.is_array()) {
    OwnListDone(false, now);
    return;
  }
  const std::string next(message.result.Find("nextCursor").string());
  const ToolBook::Page page = book_.TakePage(tools, own_list_.cursor, next, own_list_.epoch, *policy_);
  RecordEvents(page.events, now);
  ++own_list_.pages;
  if (next.empty()) {
    OwnListDone(true, now);
    return;
  }
  if (own_list_.pages >= options_.max_list_pages) {
    AuditNotice("tools-list-endless", "the server's tool list has too many pages", now);
    OwnListDone(false, now);
    return;
  }
  own_list_.cursor = next;
  SendOwnList(now);
}

void ProxyCore::Impl::OwnListDone(bool ok, Now now) {
  own_list_.active = false;
  own_list_.wanted = false;
  own_list_.id.clear();
  if (!ok) own_list_.not_before = {now.mono.us + kListRetryUs};
  std::vector<Request*> waiting;
  for (const auto& [key, request] : open_) {
    if (request->stage == Stage::kWaitsForList) waiting.push_back(request.get());
  }
  std::sort(waiting.begin(), waiting.end(), [](const Request* a, const Request* b) { return a->order < b->order; });
  for (Request* request : waiting) {
    request->stage = Stage::kNew;
    request->deadline = {};
    request->list_tried = true;
    Settle(*request, now);
  }
}

audit::Record ProxyCore::Impl::DecisionRecord(const Request& request, const Decision& decision, Enforcement enforcement,
                                              Now now) {
  const policy::ToolEntry* entry = EntryOf(request);
  audit::Record record = BaseRecord(audit::Kind::kDecision, now);
  record.tool = request.tool;
  record.call = request.id;
  record.decision = &decision;
  record.enforcement = enforcement;
  record.arguments = request.params.Find("arguments");
  if (record.arguments.exists()) record.arguments_digest = base::DigestOf(record.arguments);
  record.side_effect = entry == nullptr ? core::SideEffect::kUnknown : entry->spec.side_effect;
  record.request_known = state_->request_state() == core::RequestState::kKnown;
  record.step = next_step_;
  record.labels = LabelNames(state_->labels());
  if (entry == nullptr) return record;
  record.definition = entry->spec.definition;
  record.secret_arguments = entry->spec.secret_arguments;
  return record;
}

void ProxyCore::Impl::Forward(Request& request, const Decision& decision, Enforcement enforcement, Now now) {
  const auto charged = ChargeShared(request, now);
  if (!charged.ok()) {
    ++counters_.store_failures;
    Refuse(request, gate::FailClosed(charged.error()), Enforcement::kFailed, now);
    return;
  }
  if (!charged.value()) {
    // Another guard of this principal was faster: what was decided on is not what stands there now.
    if (++request.overtaken > kMaxOvertaken) {
      Refuse(request, gate::FailClosed(Reason::kOverloaded, "the day's budgets change too fast; try again later"),
             Enforcement::kFailed, now);
    } else {
      Settle(request, now);
    }
    return;
  }
  const audit::Record record = DecisionRecord(request, decision, enforcement, now);
  const bool durable = policy_->profile().durable_writes && record.side_effect != core::SideEffect::kRead;
  // SAFETY: no call goes ahead that the log does not know of.
  if (base::Status written = Append(record, durable, request.row); !written.ok()) {
    Refuse(request, gate::FailClosed(Reason::kAuditUnavailable, written.error().ToString()), Enforcement::kFailed, now,
           {}, false);
    return;
  }
  if (base::Status written = RecordBreakGlass(request, decision, enforcement, now); !written.ok()) {
    Refuse(request, gate::FailClosed(Reason::kAuditUnavailable, written.error().ToString()), Enforcement::kFailed, now,
           {}, false);
    return;
  }
  ++next_step_;
  ++counters_.forwarded;
  if (enforcement == Enforcement::kShadowed) ++counters_.shadowed;
  state_->Commit(CallOf(request), now, &decision);
  if (ports_.approvals != nullptr) (void)state_->TakeBudgetDelta();  // charged already
  request.stage = Stage::kForwarded;
  request.started = now.mono;
  request.deadline = {};
  if (options_.call_timeout_us > 0) {
    request.deadline = {now.mono.us + options_.call_timeout_us};
    Arm(request.deadline);
  }
  if (!request.is_rewritten && !request.strip) {
    SendServer(request.doc.bytes());
    return;
  }
  if (!request.strip && request.params.Find("arguments").exists()) {
    SendServer(ReplaceValue(request.doc.bytes(), request.params.Find("arguments"), request.arguments.raw()));
    return;
  }
  // The envelope is written anew, member by member; the members' own bytes stay.
  std::string params;
  base::JsonWriter w(params);
  w.BeginObject();
  bool has_arguments = false;
  for (auto it = request.params.begin(); it != request.params.end(); ++it) {
    const std::string_view name = it.key();
    if (request.strip && (name == "inputResponses" || name == "requestState")) continue;
    if (name == "arguments") {
      has_arguments = true;
      w.Key(name).Raw(request.arguments.raw());
    } else {
      w.Key(name).Raw((*it).raw());
    }
  }
  if (!has_arguments && request.is_rewritten) w.Key("arguments").Raw(request.arguments.raw());
  if (!request.carried.input_responses.empty()) w.Key("inputResponses").Raw(request.carried.input_responses);
  if (!request.carried.request_state.empty()) w.Key("requestState").Raw(request.carried.request_state);
  w.EndObject();
  SendServer(ReplaceValue(request.doc.bytes(), request.params, params));
}

void ProxyCore::Impl::Refuse(Request& request, const Decision& decision, Enforcement enforcement, Now now,
                             std::string_view hint, bool record_it) {
  ++counters_.refused;
  const base::Digest call = gate::CallDigest(CallOf(request));
  if (record_it) {
    const audit::Record record = DecisionRecord(request, decision, enforcement, now);
    std::uint64_t row = 0;
    (void)Append(record, false, row).ok();  // it does not run either way; the failure is counted and said
    (void)RecordBreakGlass(request, decision, enforcement, now).ok();
  }
  std::string text = decision.Explain(request.tool);
  if (decision.reason == Reason::kToolChanged) {
    if (const std::string why = book_.WhyHeld(request.tool); !why.empty()) text += "\n" + why;
  }
  if (!hint.empty()) {
    text += "\n";
    text += hint;
    if (decision.verdict == Verdict::kEscalate) text += "\nCall digest: " + call.ToHex();
  }
  const std::string evidence = DecisionJson(decision, call, policy_->digest());
  scratch_.clear();
  if (options_.refuse_as == RefuseAs::kToolResult) {
    AppendToolError(scratch_, request.id, request.modern, text, evidence);
  } else {
    AppendError(scratch_, request.id, kErrorRefused, text, "{\"interlock/decision\":" + evidence + "}");
  }
  SendClient(scratch_);
  Close(request);
}

}  // namespace interlock::runtime::mcp
