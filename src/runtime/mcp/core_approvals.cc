// Who agrees to a call: stored approvals, a person asked through the client, an answer from elsewhere. And what else
// the approvals file holds: the day's budgets and break-glass. Part of ProxyCore::Impl (core_impl.h).
#include <algorithm>
#include <memory>
#include <utility>

#include "core_impl.h"
#include "interlock/base/text.h"
#include "interlock/runtime/approvals/constraint.h"
#include "interlock/runtime/audit/redaction.h"

namespace interlock::runtime::mcp {

using approvals::Taken;
using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Now;
using base::Status;
using core::Decision;
using core::Enforcement;
using core::Reason;
using Stage = Request::Stage;

namespace {

constexpr std::size_t kMaxShownArguments = 2000;
constexpr std::size_t kMaxRefusedKept = 64;
constexpr std::size_t kMaxRefusedBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxEvidence = 16;
constexpr std::size_t kMaxEvidenceText = 400;
constexpr std::int64_t kProgressEveryUs = 5'000'000;

constexpr std::string_view kNobodyHint =
    "Nobody could be asked: this client shows no questions. To let the call through, allow it in the policy, or use a "
    "client with MCP elicitation.";
constexpr std::string_view kChangedHint = "It was approved, but what it was approved for has changed since.";

std::int64_t Micros(std::uint32_t seconds) { return std::int64_t{seconds} * 1'000'000; }

std::int64_t ApprovalUs(const policy::PolicySnapshot& policy) { return Micros(policy.profile().approval_timeout_s); }

bool PerDay(const policy::Budget& budget) { return budget.per == policy::Budget::Per::kPrincipalDay; }

Decision NotApproved(std::string_view why) { return gate::FailClosed(Reason::kNotApproved, why); }

std::string DeniedText(std::string_view id, std::string_view approver, std::string_view reason) {
  std::string text = base::Printable(approver) + " declined it (" + std::string(id) + ")";
  if (!reason.empty()) text += ": " + base::Printable(reason, kMaxEvidenceText);
  return text;
}

}  // namespace

approvals::Subject ProxyCore::Impl::Subject() const {
  return {.tenant = options_.tenant,
          .principal = options_.principal,
          .session = options_.session,
          .named = options_.session_named,
          .server = options_.server};
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
  if (!request.approval.empty()) text += "\nApproval: " + request.approval;
  return text;
}

// What is kept for a person to decide on: without secrets, which the file is no place for.
approvals::Question ProxyCore::Impl::QuestionOf(const core::Call& call, const TicketScope& scope,
                                                const Decision* decision) const {
  approvals::Question question{.subject = Subject(),
                               .tool = std::string(call.tool),
                               .binding = {.call = scope.call,
                                           .definition = scope.definition,
                                           .policy = scope.policy,
                                           .preconditions = scope.preconditions}};
  question.arguments_bytes = call.arguments.raw().size();
  if (call.arguments.exists()) {
    const policy::ToolEntry* entry = state_->catalogue() == nullptr ? nullptr : state_->catalogue()->Find(call.tool);
    auto shown = audit::RedactedJson(call.arguments, approvals::kMaxArgumentsBytes,
                                     entry == nullptr ? std::span<const std::string>() : entry->spec.secret_arguments);
    // Too large is refused by the store: nobody agrees to what cannot be shown whole.
    question.arguments = shown.has_value() ? std::move(*shown) : std::string(call.arguments.raw());
    if (!shown.has_value()) question.arguments.resize(approvals::kMaxArgumentsBytes + 1, ' ');
  }
  if (decision == nullptr) return question;
  std::string text;
  base::JsonWriter w(text);
  w.BeginObject().Key("explanation").String(decision->Explain(call.tool)).Key("evidence").BeginArray();
  for (std::size_t i = 0; i < std::min(decision->evidence.size(), kMaxEvidence); ++i) {
    const core::Evidence& e = decision->evidence[i];
    w.BeginObject().Key("layer").String(core::NameOf(e.layer)).Key("reason").String(core::IdOf(e.reason));
    w.Key("verdict").String(core::NameOf(e.verdict));
    if (!e.rule.empty()) w.Key("rule").String(base::Printable(e.rule));
    if (!e.pointer.empty()) w.Key("pointer").String(base::Printable(e.pointer));
    if (!e.text.empty()) w.Key("text").String(base::Printable(e.text, kMaxEvidenceText));
    w.EndObject();
  }
  w.EndArray().EndObject();
  auto doc = base::JsonDoc::Parse(text);
  if (!doc.ok()) return question;
  const auto redacted = audit::RedactedJson(doc.value().root(), approvals::kMaxTextBytes);
  auto clean = base::JsonDoc::Parse(redacted.value_or("{}"));
  if (!clean.ok()) return question;
  question.explanation = clean.value().root().Find("explanation").string();
  question.evidence = clean.value().root().Find("evidence").raw();
  return question;
}

std::string ProxyCore::Impl::StoreHint(const Request& request) const {
  std::string hint = request.approval_note;
  if (request.approval.empty()) return hint.empty() ? std::string(kNobodyHint) : hint;
  if (!hint.empty()) hint += '\n';
  hint += "It waits for a person as " + request.approval + ". A person runs `interlock approve grant " +
          request.approval + options_.approve_flags + "`; then repeat the call with the same arguments.";
  return hint;
}

void ProxyCore::Impl::RecordQuestion(const Request& request, std::string_view whom, std::string_view question,
                                     Now now) {
  audit::Record record = BaseRecord(audit::Kind::kApprovalAsked, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = whom;
  record.name = request.approval;
  record.text = question;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
}

void ProxyCore::Impl::RememberRefused(const Request& request) {
  // Kept, so that a person can approve it through the session socket and the agent can try again.
  if (request.arguments.raw().size() > kMaxRefusedBytes) return;
  auto arguments = base::JsonDoc::Parse(request.arguments.exists() ? request.arguments.raw() : "{}");
  if (!arguments.ok()) return;
  if (refused_.size() >= kMaxRefusedKept) refused_.pop_front();
  refused_.push_back({gate::CallDigest(CallOf(request)).ToHex(), request.tool, std::move(arguments.value())});
}

void ProxyCore::Impl::Escalate(Request& request, const Decision& decision, Now now) {
  ++counters_.escalated;
  if (ports_.approvals != nullptr) {
    if (!ConsultStore(request, decision, now)) return;
  } else if (request.asked) {
    Refuse(request, decision, Enforcement::kDenied, now, kChangedHint);
    return;
  }
  const JsonValue capabilities = request.params.Find("_meta").Find(kMetaCapabilities);
  const JsonValue elicitation = capabilities.Find("elicitation");
  if (request.modern && elicitation.is_object() && (elicitation.size() == 0 || elicitation.Find("form").exists())) {
    AskByInputRequired(request, decision, now);
  } else if (!request.modern && client_elicits_) {
    AskByElicitation(request, decision, now);
  } else if (!request.approval.empty()) {
    WaitForStore(request, decision, now);
  } else {
    RememberRefused(request);
    Refuse(request, decision, Enforcement::kDenied, now, StoreHint(request));
  }
}

Status ProxyCore::Impl::RecordTaken(const Request& request, const Taken& taken, Now now) {
  std::uint64_t row = 0;
  for (const Taken::Voided& voided : taken.voided) {
    audit::Record record = BaseRecord(audit::Kind::kApprovalVoid, now);
    record.tool = request.tool;
    record.call = request.id;
    record.name = voided.id;
    record.text = voided.why;
    if (Status written = Append(record, false, row); !written.ok()) return written;
  }
  if (taken.kind != Taken::Kind::kGranted) return {};
  audit::Record record = BaseRecord(audit::Kind::kApprovalUsed, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = taken.approver;
  record.name = taken.id;
  record.text = approvals::NameOf(taken.scope);
  return Append(record, false, row);
}

// The gate decides with the grant as a value: once, since the store counts the uses.
void ProxyCore::Impl::AddStoredGrant(const Request& request, const Taken& taken, Now now) {
  gate::Grant grant = state_->MakeGrant(CallOf(request), gate::GrantScope::kOnce, now);
  grant.given_wall = taken.given;
  grant.expires_wall = taken.expires_wall;
  grant.expires_mono = taken.expires_mono;
  grant.id = taken.id;
  if (taken.scope == approvals::Scope::kPattern) {
    auto bounds = approvals::CompileConstraint(taken.constraint);
    if (!bounds.ok()) return;  // the call then waits as if there were no grant
    grant.scope = gate::GrantScope::kPattern;
    grant.arguments = std::make_shared<const policy::JsonSchema>(std::move(bounds.value()));
    grant.uses_left = 1;
    grant.plan = base::Sha256(taken.id);
  }
  state_->AddGrant(std::move(grant));
}

bool ProxyCore::Impl::ConsultStore(Request& request, const Decision& decision, Now now) {
  const auto refuse_changed = [&] {
    std::string hint(kChangedHint);
    if (!request.approval_note.empty()) hint = request.approval_note;
    Refuse(request, decision, Enforcement::kDenied, now, hint);
    return false;
  };
  if (request.taken) return refuse_changed();
  const core::Call call = CallOf(request);
  const TicketScope scope = ScopeOf(call);
  const approvals::Question question = QuestionOf(call, scope, &decision);
  // SAFETY: no record, no use: the witness runs before the use is final.
  auto taken = ports_.approvals->Take(question.subject, request.tool, question.binding, request.arguments, now,
                                      [&](const Taken& t) { return RecordTaken(request, t, now); });
  if (!taken.ok()) {
    ++counters_.store_failures;
    Refuse(request, gate::FailClosed(taken.error()), Enforcement::kFailed, now);
    return false;
  }
  const Taken& t = taken.value();
  request.approval_note.clear();
  for (const Taken::Voided& voided : t.voided) {
    request.approval_note = "Approval " + voided.id + " no longer holds: " + voided.why + ".";
  }
  if (request.approval_note.empty() && !t.near.empty()) {
    request.approval_note =
        "Approval " + t.near + " for this tool is for other arguments: it covers the exact call that was shown, only.";
  }
  switch (t.kind) {
    case Taken::Kind::kGranted:
      request.taken = true;
      request.approval = t.id;
      AddStoredGrant(request, t, now);
      Settle(request, now);
      return false;
    case Taken::Kind::kDenied:
      Refuse(request, NotApproved(DeniedText(t.id, t.approver, t.reason)), Enforcement::kDenied, now);
      return false;
    case Taken::Kind::kNone:
      break;
  }
  if (request.asked) return refuse_changed();
  auto filed = ports_.approvals->Put(question, now);
  if (!filed.ok() && filed.error().code() != ErrorCode::kLimitExceeded) {
    ++counters_.store_failures;
    Refuse(request, gate::FailClosed(filed.error()), Enforcement::kFailed, now);
    return false;
  }
  if (filed.ok()) {
    request.approval = filed.value().id;
  } else {
    // Whoever sits at the client may still be asked.
    request.approval.clear();
    request.approval_note = "It cannot be kept for a person elsewhere: " + filed.error().message() + ".";
  }
  if (request.waited) {
    Refuse(request, decision, Enforcement::kDenied, now, StoreHint(request));
    return false;
  }
  return true;
}

void ProxyCore::Impl::WaitForStore(Request& request, const Decision& decision, Now now) {
  RecordQuestion(request, "approvals", QuestionText(request, decision), now);
  const std::int64_t wait_us = std::min(ApprovalUs(*policy_), options_.approval_wait_us);
  if (wait_us <= 0) {
    RememberRefused(request);
    Refuse(request, decision, Enforcement::kDenied, now, StoreHint(request));
    return;
  }
  ports_.sink->Notice(
      NoticeLevel::kInfo, "approval-wanted",
      request.approval + ": " + QuotedTool(request.tool) + "; interlock approve show " + request.approval);
  request.stage = Stage::kWaitsForPerson;
  request.scope = ScopeOf(CallOf(request));
  request.deadline = {now.mono.us + wait_us};
  request.next_poll = {now.mono.us + options_.approval_poll_us};
  Arm(request.next_poll);
  if (request.params.Find("_meta").Find("progressToken").exists()) {
    request.next_progress = {now.mono.us + kProgressEveryUs};
    Arm(request.next_progress);
  }
}

void ProxyCore::Impl::PollStore(Request& request, Now now) {
  request.next_poll = {now.mono.us + options_.approval_poll_us};
  const auto seen = ports_.approvals->Get(request.approval, now);
  if (!seen.ok()) {
    // It may be a moment's lock. If it lasts, the time runs out and the call is refused.
    ++counters_.store_failures;
    return;
  }
  const approvals::Request& answer = seen.value();
  if (answer.state == approvals::State::kPending) return;
  DropQuestion(request, "it was answered elsewhere");
  request.stage = Stage::kNew;
  request.deadline = request.next_poll = request.next_progress = {};
  request.waited = true;
  if (answer.state == approvals::State::kDenied) {
    Refuse(request, NotApproved(DeniedText(answer.id, answer.approver, answer.reason)), Enforcement::kDenied, now);
    return;
  }
  // Granted, or used by the same call on another way: whatever there is, is taken or asked for there.
  Settle(request, now);
}

void ProxyCore::Impl::NobodyAnswered(Request& request, Now now) {
  const bool client_asked = !request.elicitation.empty();
  DropQuestion(request, "nobody answered in time");
  audit::Record record = BaseRecord(audit::Kind::kApprovalAnswered, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = client_asked ? "client" : "approvals";
  record.name = "timeout";
  record.text = request.approval;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  RememberRefused(request);
  Refuse(request, NotApproved("nobody answered in time"), Enforcement::kDenied, now,
         request.approval.empty() ? std::string() : StoreHint(request));
}

void ProxyCore::Impl::AskByElicitation(Request& request, const Decision& decision, Now now) {
  request.stage = Stage::kWaitsForPerson;
  request.scope = ScopeOf(CallOf(request));
  request.deadline = {now.mono.us + ApprovalUs(*policy_)};
  request.elicitation = options_.to_client_prefix + std::to_string(next_own_id_++);
  questions_.emplace(request.elicitation, request.key);
  Arm(request.deadline);
  if (!request.approval.empty()) {
    request.next_poll = {now.mono.us + options_.approval_poll_us};
    Arm(request.next_poll);
  }
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
  RecordQuestion(request, "client", question, now);
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
  auto ticket = desk_.Issue(ScopeOf(CallOf(request)), carried, now, ApprovalUs(*policy_));
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
  RecordQuestion(request, "client", question, now);
  SendClient(scratch_);
  Close(request);
}

bool ProxyCore::Impl::FileAnswer(Request& request, const TicketScope& scope, Answer answer, Now now) {
  // What was shown is what is answered: a change since then shows when the grant is taken.
  const auto filed = ports_.approvals->Answered(
      QuestionOf(CallOf(request), scope, nullptr),
      {.granted = answer != Answer::kDeclined,
       .scope = answer == Answer::kSession ? approvals::Scope::kSession : approvals::Scope::kOnce,
       .approver = "client",
       .reason = {},
       .ttl_us = answer == Answer::kDeclined ? 0 : Micros(policy_->profile().grant_ttl_s),
       .constraint = {}},
      now);
  if (filed.ok()) return true;
  // An answer that cannot be kept for later is still one for now.
  if (filed.error().code() == ErrorCode::kLimitExceeded) {
    if (answer != Answer::kDeclined) state_->AddGrant(CallOf(request), answer == Answer::kOnce, now);
    return true;
  }
  ++counters_.store_failures;
  Refuse(request, gate::FailClosed(filed.error()), Enforcement::kFailed, now);
  return false;
}

// False when the request was refused.
bool ProxyCore::Impl::RedeemTicket(Request& request, Now now) {
  request.strip = true;
  request.asked = true;
  const TicketScope scope = ScopeOf(CallOf(request));
  auto redeemed = desk_.Redeem(request.params.Find("requestState").string(), scope, now);
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
  // A ticket that is good for nothing is no answer of anybody.
  if (ports_.approvals != nullptr && redeemed.ok() && !FileAnswer(request, scope, said, now)) return false;
  if (said == Answer::kDeclined) {
    Refuse(request, NotApproved(redeemed.ok() ? "it was declined" : "the approval does not count: " + why),
           Enforcement::kDenied, now);
    return false;
  }
  request.carried = std::move(redeemed.value());
  if (ports_.approvals == nullptr) state_->AddGrant(CallOf(request), said == Answer::kOnce, now);
  return true;
}

void ProxyCore::Impl::Answered(Request& request, Answer answer, Now now) {
  request.stage = Stage::kNew;
  request.deadline = {};
  request.next_progress = {};
  request.next_poll = {};
  request.asked = true;
  audit::Record record = BaseRecord(audit::Kind::kApprovalAnswered, now);
  record.tool = request.tool;
  record.call = request.id;
  record.actor = "client";
  record.name = answer == Answer::kDeclined ? "declined" : "approved";
  record.text = request.approval;
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  if (ports_.approvals != nullptr && !FileAnswer(request, request.scope, answer, now)) return;
  if (answer == Answer::kDeclined) {
    Refuse(request, NotApproved("it was declined"), Enforcement::kDenied, now);
    return;
  }
  if (ports_.approvals == nullptr) {
    // The person agreed to what was shown: nothing of it may have changed while the question stood.
    RefreshCatalogue();
    const TicketScope scope = ScopeOf(CallOf(request));
    if (scope.call == request.scope.call && scope.policy == request.scope.policy &&
        scope.definition == request.scope.definition && scope.preconditions == request.scope.preconditions) {
      state_->AddGrant(CallOf(request), answer == Answer::kOnce, now);
    }
  }
  Settle(request, now);
}

void ProxyCore::Impl::OpenIfDue(Now now) {
  const policy::BreakGlass* glass = policy_->break_glass();
  if (ports_.approvals == nullptr || glass == nullptr || !opened_by_us_.empty() || !impact_.is_known(now.mono)) return;
  const ImpactClock::Sum sum = impact_.At(now.mono, Micros(glass->step_s));
  if (!gate::BreakGlassDue(*policy_, sum.impact, sum.severe_steps)) return;
  std::string reason = "integrated impact ";
  base::JsonWriter(reason).Double(sum.impact);
  reason += ", " + std::to_string(sum.severe_steps) + " steps at the highest severity";
  // SAFETY: no record, no opening.
  auto opened = ports_.approvals->OpenByPolicy(Subject(), reason, Micros(glass->ttl_s), now, [&](std::string_view id) {
    audit::Record record = BaseRecord(audit::Kind::kBreakGlass, now);
    record.actor = approvals::kOpenedByPolicy;
    record.name = id;
    record.text = reason;
    std::uint64_t row = 0;
    return Append(record, true, row);
  });
  if (!opened.ok()) {
    ++counters_.store_failures;
    SayRarely(counters_.store_failures, NoticeLevel::kError, "approvals", opened.error().ToString(), now);
    return;
  }
  if (opened.value().has_value()) {
    opened_by_us_ = *opened.value();
    ports_.sink->Notice(NoticeLevel::kWarning, "break-glass",
                        opened_by_us_ + " opened by the policy: " + reason + "; interlock approve break-glass list");
  } else if (!due_told_) {
    due_told_ = true;
    ports_.sink->Notice(NoticeLevel::kWarning, "break-glass",
                        "not opened, as one that the policy opened is open or waits for its review: " + reason);
  }
}

void ProxyCore::Impl::EndIfOpened(Now now) {
  due_told_ = false;
  if (opened_by_us_.empty() || ports_.approvals == nullptr) return;
  const Status ended = ports_.approvals->EndByPolicy(opened_by_us_, "the impact is over", now, [&]() -> Status {
    audit::Record record = BaseRecord(audit::Kind::kBreakGlass, now);
    record.actor = approvals::kOpenedByPolicy;
    record.name = opened_by_us_;
    record.text = "the impact is over";
    std::uint64_t row = 0;
    return Append(record, false, row);
  });
  // It is over already, or somebody took it back: all the same. One that cannot be ended ends by its time.
  if (!ended.ok() && ended.error().code() != ErrorCode::kApprovalDecided) ++counters_.store_failures;
  opened_by_us_.clear();
}

Status ProxyCore::SetImpact(JsonValue impact, Now now) {
  auto told = ImpactClock::Parse(impact);
  if (!told.ok()) return told.error();
  if (told.value().has_value()) {
    impl_->impact_.Tell(*told.value(), now.mono);
  } else {
    impl_->impact_.Clear();
    impl_->EndIfOpened(now);
  }
  return {};
}

Status ProxyCore::Impl::ReadShared(Now now) {
  if (ports_.approvals == nullptr) return {};
  if (const policy::BreakGlass* glass = policy_->break_glass(); glass != nullptr) {
    break_glass_.clear();
    OpenIfDue(now);
    auto window = ports_.approvals->BreakGlass(Subject(), now);
    if (!window.ok() || !window.value().has_value()) {
      // What cannot be read opens nothing.
      state_->SetBreakGlass(std::nullopt);
      if (!window.ok()) {
        ++counters_.store_failures;
        SayRarely(counters_.store_failures, NoticeLevel::kError, "approvals", window.error().ToString(), now);
      }
    } else {
      const auto& open = *window.value();
      const std::int64_t ttl_us = Micros(glass->ttl_s);
      break_glass_ = open.id;
      state_->SetBreakGlass(gate::BreakGlassOpening{
          .until_mono = std::min(open.expires_mono, base::MonoTime{open.opened_mono.us + ttl_us}),
          .given_wall = open.opened_wall,
          .until_wall = std::min(open.expires_wall, base::WallTime{open.opened_wall.us + ttl_us}),
          .id = open.id});
    }
  }
  const auto budgets = policy_->budgets();
  if (std::ranges::none_of(budgets, PerDay)) return {};
  auto sums = ports_.approvals->Budgets(Subject(), now);
  if (!sums.ok()) return sums.error();
  std::vector<gate::BudgetAmount> amounts;
  for (const policy::Budget& budget : budgets) {
    if (!PerDay(budget)) continue;
    const auto at = sums.value().find(budget.id);
    amounts.push_back({.budget = budget.id, .amount = at == sums.value().end() ? 0.0 : at->second});
  }
  state_->CarryBudgets(amounts);
  seen_sums_ = std::move(sums.value());
  return {};
}

base::Result<bool> ProxyCore::Impl::ChargeShared(const Request& request, Now now) {
  const auto budgets = policy_->budgets();
  if (ports_.approvals == nullptr || std::ranges::none_of(budgets, PerDay)) return true;
  const core::Call call = CallOf(request);
  core::SignalMap known;
  const auto is_risk = [](const policy::Budget& budget) { return budget.kind == policy::Budget::Kind::kRisk; };
  if (std::ranges::any_of(budgets, is_risk)) known = state_->Measure(call, now);
  approvals::ApprovalStore::Sums delta;
  for (const policy::Budget& budget : budgets) {
    if (!PerDay(budget)) continue;
    const double cost = gate::CostOf(budget, EntryOf(request), call, known).value_or(0.0);
    if (cost > 0.0) delta[budget.id] += cost;
  }
  if (delta.empty()) return true;
  return ports_.approvals->Charge(Subject(), seen_sums_, delta, now);
}

Status ProxyCore::Impl::RecordBreakGlass(const Request& request, const Decision& decision, Enforcement enforcement,
                                         Now now) {
  if (!decision.break_glass) return {};
  audit::Record record = BaseRecord(audit::Kind::kBreakGlass, now);
  record.tool = request.tool;
  record.call = request.id;
  record.name = break_glass_;
  const std::string text = std::string(core::NameOf(decision.verdict)) + ", " +
                           std::string(core::IdOf(decision.reason)) + ", " + std::string(core::NameOf(enforcement));
  record.text = text;
  std::uint64_t row = 0;
  if (Status written = Append(record, false, row); !written.ok()) return written;
  if (ports_.approvals != nullptr && !break_glass_.empty()) {
    // The rows say what happened; the count in the file is for the reviewer's list.
    if (!ports_.approvals->CountBreakGlass(break_glass_).ok()) ++counters_.store_failures;
  }
  return {};
}

Status ProxyCore::ApproveRefused(std::string_view call, bool once, Now now) {
  Impl& impl = *impl_;
  const auto it = std::ranges::find_if(impl.refused_, [&](const auto& r) { return r.digest == call; });
  if (it == impl.refused_.end()) return Error(ErrorCode::kNotFound, "no such call was refused lately");
  impl.RefreshCatalogue();
  const core::Call exact{.id = {}, .server = impl.options_.server, .tool = it->tool, .arguments = it->arguments.root()};
  if (impl.ports_.approvals != nullptr) {
    const auto filed =
        impl.ports_.approvals->Answered(impl.QuestionOf(exact, impl.ScopeOf(exact), nullptr),
                                        {.granted = true,
                                         .scope = once ? approvals::Scope::kOnce : approvals::Scope::kSession,
                                         .approver = "socket",
                                         .reason = {},
                                         .ttl_us = Micros(impl.policy_->profile().grant_ttl_s),
                                         .constraint = {}},
                                        now);
    if (!filed.ok()) return filed.error();
  } else {
    impl.state_->AddGrant(exact, once, now);
  }
  audit::Record record = impl.BaseRecord(audit::Kind::kApprovalAnswered, now);
  record.tool = it->tool;
  record.actor = "socket";
  record.name = "approved";
  record.text = it->digest;
  std::uint64_t row = 0;
  (void)impl.Append(record, false, row).ok();
  impl.refused_.erase(it);
  return {};
}

}  // namespace interlock::runtime::mcp
