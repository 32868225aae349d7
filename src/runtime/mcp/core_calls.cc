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
constexpr std::size_t kMaxShownArguments = 2000;
constexpr std::size_t kMaxRefusedKept = 64;
constexpr std::size_t kMaxRefusedBytes = std::size_t{256} << 10;
constexpr std::int64_t kProgressEveryUs = 5'000'000;
constexpr std::int64_t kListRetryUs = 10'000'000;

constexpr std::string_view kNobodyHint =
    "Nobody could be asked: this client shows no questions. To let the call through, allow it in the policy, or use a "
    "client with MCP elicitation.";

std::int64_t ApprovalUs(const policy::PolicySnapshot& policy) {
  return std::int64_t{policy.profile().approval_timeout_s} * 1'000'000;
}

}  // namespace

core::Call ProxyCore::Impl::CallOf(const Request& request) const {
  return {.id = request.id, .server = options_.server, .tool = request.tool, .arguments = request.arguments};
}

const policy::ToolEntry* ProxyCore::Impl::EntryOf(const Request& request) const {
  return state_->catalogue() == nullptr ? nullptr : state_->catalogue()->Find(request.tool);
}

TicketScope ProxyCore::Impl::ScopeOf(const Request& request) const {
  const policy::ToolEntry* entry = EntryOf(request);
  return {.call = gate::CallDigest(CallOf(request)),
          .policy = policy_->digest(),
          .definition = entry == nullptr ? base::Digest{} : entry->spec.definition,
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

std::string ProxyCore::Impl::QuestionText(const Request& request, const Decision& decision) const {
  std::string text = decision.Explain(request.tool);
  text += "\n\nServer: ";
  text += base::Printable(options_.server.empty() ? std::string_view("(unnamed)") : options_.server);
  text += "\nTool: ";
  text += base::Printable(request.tool);
  text += "\nArguments: ";
  const std::string_view arguments = request.arguments.exists() ? request.arguments.raw() : std::string_view("{}");
  text += base::Printable(arguments, kMaxShownArguments);
  if (arguments.size() > kMaxShownArguments) {
    text += "\n(" + std::to_string(arguments.size()) + " bytes in all; only the beginning is shown)";
  }
  text += "\nCall digest: " + gate::CallDigest(CallOf(request)).ToHex();
  return text;
}

void ProxyCore::Impl::Escalate(Request& request, const Decision& decision, Now now) {
  ++counters_.escalated;
  if (request.asked) {
    Refuse(request, decision, Enforcement::kDenied, now,
           "It was approved, but what it was approved for has changed since.");
    return;
  }
  const JsonValue capabilities = request.params.Find("_meta").Find(kMetaCapabilities);
  const JsonValue elicitation = capabilities.Find("elicitation");
  if (request.modern && elicitation.is_object() && (elicitation.size() == 0 || elicitation.Find("form").exists())) {
    AskByInputRequired(request, decision, now);
  } else if (!request.modern && client_elicits_) {
    AskByElicitation(request, decision, now);
  } else {
    // Kept, so that a person can approve it through the session socket and the agent can try again.
    if (request.arguments.raw().size() <= kMaxRefusedBytes) {
      auto arguments = base::JsonDoc::Parse(request.arguments.exists() ? request.arguments.raw() : "{}");
      if (arguments.ok()) {
        if (refused_.size() >= kMaxRefusedKept) refused_.pop_front();
        refused_.push_back({gate::CallDigest(CallOf(request)).ToHex(), request.tool, std::move(arguments.value())});
      }
    }
    Refuse(request, decision, Enforcement::kDenied, now, kNobodyHint);
  }
}

void ProxyCore::Impl::AskByElicitation(Request& request, const Decision& decision, Now now) {
  request.stage = Stage::kWaitsForPerson;
  request.scope = ScopeOf(request);
  request.deadline = {now.mono.us + ApprovalUs(*policy_)};
  request.elicitation = options_.to_client_prefix + std::to_string(next_own_id_++);
  questions_.emplace(request.elicitation, request.key);
  Arm(request.deadline);
  if (request.params.Find("_meta").Find("progressToken").exists()) {
    request.next_progress = {now.mono.us + kProgressEveryUs};
    Arm(request.next_progress);
  }
  const std::string question = QuestionText(request, decision);
  scratch_.clear();
  base::JsonWriter w(scratch_);
  w.BeginObject().Key("jsonrpc").String("2.0").Key("id").String(request.elicitation);
  w.Key("method").String("elicitation/create").Key("params").Raw(ApprovalParams(question, protocol_ >= "2025-11-25"));
  w.EndObject();
  scratch_ += '\n';
  audit::Record record = BaseRecord(audit::Kind::kApprovalAsked, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = "client";
  record.text = question;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  SendClient(scratch_);
}

void ProxyCore::Impl::AskByInputRequired(Request& request, const Decision& decision, Now now) {
  Carried carried;
  const JsonValue state = request.params.Find("requestState");
  // A ticket that was good for nothing is not carried on; what the server gave the client is.
  if (!TicketDesk::LooksLikeTicket(state.string())) {
    carried.request_state = state.raw();
    carried.input_responses = request.params.Find("inputResponses").raw();
  }
  auto ticket = desk_.Issue(ScopeOf(request), carried, now, ApprovalUs(*policy_));
  if (!ticket.ok()) {
    Refuse(request, decision, Enforcement::kDenied, now, "Nobody could be asked: " + ticket.error().ToString());
    return;
  }
  const std::string question = QuestionText(request, decision);
  scratch_.clear();
  base::JsonWriter w(scratch_);
  w.BeginObject().Key("jsonrpc").String("2.0").Key("id").Raw(request.id).Key("result").BeginObject();
  w.Key("resultType").String("input_required").Key("inputRequests").BeginObject().Key(kApprovalKey).BeginObject();
  w.Key("method").String("elicitation/create").Key("params").Raw(ApprovalParams(question, true));
  w.EndObject().EndObject().Key("requestState").String(ticket.value()).EndObject().EndObject();
  scratch_ += '\n';
  audit::Record record = BaseRecord(audit::Kind::kApprovalAsked, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = "client";
  record.text = question;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  SendClient(scratch_);
  Close(request);
}

// False when the request was refused.
bool ProxyCore::Impl::RedeemTicket(Request& request, Now now) {
  request.strip = true;
  request.asked = true;
  auto redeemed = desk_.Redeem(request.params.Find("requestState").string(), ScopeOf(request), now);
  const JsonValue answer = request.params.Find("inputResponses").Find(kApprovalKey);
  const Answer said = redeemed.ok() ? ReadAnswer(answer) : Answer::kDeclined;
  audit::Record record = BaseRecord(audit::Kind::kApprovalAnswered, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = "client";
  record.name = said == Answer::kDeclined ? "declined" : "approved";
  const std::string why = redeemed.ok() ? std::string() : redeemed.error().message();
  record.text = why;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  if (said == Answer::kDeclined) {
    Refuse(request,
           gate::FailClosed(Reason::kNotApproved,
                            redeemed.ok() ? "it was declined" : "the approval does not count: " + why),
           Enforcement::kDenied, now);
    return false;
  }
  request.carried = std::move(redeemed.value());
  state_->AddGrant(CallOf(request), said == Answer::kOnce, now);
  return true;
}

void ProxyCore::Impl::Answered(Request& request, Answer answer, Now now) {
  request.stage = Stage::kNew;
  request.deadline = {};
  request.next_progress = {};
  request.asked = true;
  audit::Record record = BaseRecord(audit::Kind::kApprovalAnswered, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = "client";
  record.name = answer == Answer::kDeclined ? "declined" : "approved";
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  if (answer == Answer::kDeclined) {
    Refuse(request, gate::FailClosed(Reason::kNotApproved, "it was declined"), Enforcement::kDenied, now);
    return;
  }
  // The person agreed to what was shown: nothing of it may have changed while the question stood.
  RefreshCatalogue();
  const TicketScope scope = ScopeOf(request);
  if (scope.call == request.scope.call && scope.policy == request.scope.policy &&
      scope.definition == request.scope.definition) {
    state_->AddGrant(CallOf(request), answer == Answer::kOnce, now);
  }
  Settle(request, now);
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
  if (entry != nullptr) record.definition = entry->spec.definition;
  return record;
}

void ProxyCore::Impl::Forward(Request& request, const Decision& decision, Enforcement enforcement, Now now) {
  const audit::Record record = DecisionRecord(request, decision, enforcement, now);
  const bool durable = policy_->profile().durable_writes && record.side_effect != core::SideEffect::kRead;
  // SAFETY: no call goes ahead that the log does not know of.
  if (base::Status written = Append(record, durable, request.row); !written.ok()) {
    Refuse(request, gate::FailClosed(Reason::kAuditUnavailable, written.error().ToString()), Enforcement::kFailed, now,
           {}, false);
    return;
  }
  ++next_step_;
  ++counters_.forwarded;
  if (enforcement == Enforcement::kShadowed) ++counters_.shadowed;
  state_->Commit(CallOf(request), now);
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
