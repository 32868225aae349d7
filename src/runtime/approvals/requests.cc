// Questions, grants and their uses.
#include <array>
#include <utility>

#include "impl.h"
#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/runtime/approvals/constraint.h"

namespace interlock::runtime::approvals {

using base::Error;
using base::ErrorCode;
using base::Now;
using base::Result;
using base::Status;

namespace {

struct StateRow {
  State state;
  std::string_view name;
};
constexpr std::array<StateRow, 6> kStates = {{{State::kPending, "pending"},
                                              {State::kGranted, "granted"},
                                              {State::kDenied, "denied"},
                                              {State::kUsed, "used"},
                                              {State::kVoid, "void"},
                                              {State::kExpired, "expired"}}};
struct ScopeRow {
  Scope scope;
  std::string_view name;
};
constexpr std::array<ScopeRow, 3> kScopes = {
    {{Scope::kOnce, "once"}, {Scope::kSession, "session"}, {Scope::kPattern, "pattern"}}};

constexpr std::string_view kColumns =
    "SELECT id, tenant, principal, session, session_name, server, tool, call, definition, policy, preconditions, "
    "arguments, arguments_bytes, evidence, explanation, asks, state, asked, scope, approver, reason, decided, uses, "
    "plan, "
    "from_wall, from_mono, to_wall, to_mono, boot FROM request ";
constexpr int kFirstSpanColumn = 24;

struct Row {
  Request request;
  Span span;
};

// SAFETY: whatever stands in the file is checked before it is believed.
Result<Row> ReadRow(const Query& query, const ApprovalStore::Impl& impl, Now now) {
  Row row;
  Request& r = row.request;
  Question& q = r.question;
  r.id = query.TextAt(0);
  if (!IsId(r.id, kRequestId)) return Damaged(r.id, "its id is none");
  const std::array<std::pair<int, std::string*>, 6> names = {{{1, &q.subject.tenant},
                                                              {2, &q.subject.principal},
                                                              {4, &q.subject.session},
                                                              {5, &q.subject.server},
                                                              {6, &q.tool},
                                                              {19, &r.approver}}};
  for (const auto& [column, to] : names) {
    *to = query.TextAt(column);
    if (Status fits = CheckText(*to, kMaxNameBytes, "a name"); !fits.ok()) return Damaged(r.id, fits.error().message());
  }
  q.subject.named = !query.TextAt(3).empty();
  if (q.subject.named && query.TextAt(3) != q.subject.session) return Damaged(r.id, "two names of one session");
  const std::array<std::pair<int, base::Digest*>, 4> digests = {
      {{7, &q.binding.call}, {8, &q.binding.definition}, {9, &q.binding.policy}, {10, &q.binding.preconditions}}};
  for (const auto& [column, to] : digests) {
    const std::string_view bytes = query.TextAt(column);
    if (bytes.size() != to->bytes.size()) return Damaged(r.id, "a digest has 32 bytes");
    std::copy(bytes.begin(), bytes.end(), to->bytes.begin());
  }
  const std::array<std::pair<int, std::string*>, 3> texts = {
      {{13, &q.evidence}, {14, &q.explanation}, {20, &r.reason}}};
  for (const auto& [column, to] : texts) {
    *to = query.TextAt(column);
    if (Status fits = CheckText(*to, kMaxTextBytes, "a text"); !fits.ok()) return Damaged(r.id, fits.error().message());
  }
  q.arguments = query.TextAt(11);
  if (q.arguments.size() > kMaxArgumentsBytes || !base::JsonDoc::Parse(q.arguments).ok()) {
    return Damaged(r.id, "its arguments are no JSON");
  }
  if (!base::JsonDoc::Parse(q.evidence).ok()) return Damaged(r.id, "its evidence is no JSON");
  q.arguments_bytes = static_cast<std::uint64_t>(query.IntAt(12));
  r.asks = static_cast<std::uint64_t>(query.IntAt(15));
  const std::int64_t state = query.IntAt(16);
  const std::int64_t scope = query.IntAt(18);
  if (state < 0 || state > 5 || scope < 0 || scope > 2) return Damaged(r.id, "no such state or scope");
  r.state = static_cast<State>(state);
  r.scope = static_cast<Scope>(scope);
  r.asked = {query.IntAt(17)};
  r.decided = {query.IntAt(21)};
  r.uses = static_cast<std::uint64_t>(query.IntAt(22));
  if (!query.IsNull(23)) {
    r.plan = query.TextAt(23);
    if (!IsId(r.plan, kPlanId)) return Damaged(r.id, "its plan's id is none");
  }
  row.span = ReadSpan(query, kFirstSpanColumn);
  r.expires = row.span.to_wall;
  if (r.state <= State::kGranted && impl.Over(row.span, now)) r.state = State::kExpired;
  if (r.state == State::kGranted && r.approver.empty()) return Damaged(r.id, "it is granted by nobody");
  return row;
}

Status SetState(sqlite3* db, std::string_view id, State state, std::string_view reason) {
  Query query(db, "UPDATE request SET state=?, reason=? WHERE id=?");
  return query.Int(static_cast<int>(state)).Text(reason).Text(id).Run("changing an approval");
}

std::string WhyVoid(const Binding& was, const Binding& is) {
  if (was.definition != is.definition) return "the tool's definition has changed since";
  if (was.policy != is.policy) return "the policy has changed since";
  if (was.preconditions != is.preconditions) return "the results that its preconditions rest on have changed since";
  return {};
}

// A duration added to `now` must stay a time.
Status CheckTtl(std::int64_t ttl_us, std::int64_t max_us) {
  if (ttl_us > 0 && ttl_us <= max_us) return {};
  return Error(ErrorCode::kInvalidArgument,
               "it lasts more than nothing and at most " + std::to_string(max_us / kSecondUs) + " seconds");
}

Status CheckQuestion(const Question& q) {
  for (const std::string* name :
       {&q.subject.tenant, &q.subject.principal, &q.subject.session, &q.subject.server, &q.tool}) {
    if (name->size() > kMaxNameBytes || !base::IsValidUtf8(*name)) {
      return Error(ErrorCode::kLimitExceeded, "a name of the call is too long to be shown");
    }
  }
  if (q.arguments.size() > kMaxArgumentsBytes) {
    return Error(ErrorCode::kLimitExceeded, "the arguments are too large to be shown to a person whole");
  }
  if (q.evidence.size() > kMaxTextBytes || q.explanation.size() > kMaxTextBytes) {
    return Error(ErrorCode::kLimitExceeded, "the evidence is too large to be kept");
  }
  return {};
}

Query& BindSubject(Query& query, const Subject& subject) {
  return query.Text(subject.tenant).Text(subject.principal).Text(subject.key()).Text(subject.server);
}
constexpr std::string_view kOfSubject = " tenant=? AND principal=? AND session=? AND server=? ";

Result<std::string> Insert(sqlite3* db, const ApprovalStore::Impl& impl, const Question& q, Now now) {
  auto id = impl.NewId(kRequestId);
  if (!id.ok()) return id.error();
  Query query(
      db,
      "INSERT INTO request (id, tenant, principal, session, server, session_name, tool, call, definition, policy, "
      "preconditions, arguments, arguments_bytes, evidence, explanation, asked, from_wall, from_mono, to_wall, "
      "to_mono, boot, asks, state, scope, approver, reason, decided, uses) "
      "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,1,0,0,'','',0,0)");
  query.Text(id.value());
  BindSubject(query, q.subject).Text(q.subject.session).Text(q.tool);
  query.Blob(q.binding.call).Blob(q.binding.definition).Blob(q.binding.policy).Blob(q.binding.preconditions);
  query.Text(q.arguments.empty() ? std::string_view("{}") : std::string_view(q.arguments));
  query.Int(static_cast<std::int64_t>(q.arguments_bytes));
  query.Text(q.evidence.empty() ? std::string_view("[]") : std::string_view(q.evidence)).Text(q.explanation);
  query.Int(now.wall.us);
  BindSpan(query, impl.From(now, kQuestionTtlUs));
  if (Status run = query.Run("filing a request"); !run.ok()) return run.error();
  return id;
}

// The newest request with this very binding that is still pending.
Result<std::optional<Row>> FindPending(sqlite3* db, const ApprovalStore::Impl& impl, const Question& q, Now now) {
  Query query(db, std::string(kColumns) + "WHERE" + std::string(kOfSubject) +
                      "AND tool=? AND call=? AND definition=? AND policy=? AND preconditions=? AND state=0 "
                      "ORDER BY seq DESC");
  BindSubject(query, q.subject).Text(q.tool);
  query.Blob(q.binding.call).Blob(q.binding.definition).Blob(q.binding.policy).Blob(q.binding.preconditions);
  while (query.Row()) {
    auto row = ReadRow(query, impl, now);
    if (!row.ok()) return row.error();
    if (row.value().request.state == State::kPending) return std::optional<Row>(std::move(row.value()));
  }
  if (Status read = query.status("looking for a request"); !read.ok()) return read.error();
  return std::optional<Row>();
}

Status WriteRuling(sqlite3* db, const ApprovalStore::Impl& impl, Request& request, const Ruling& ruling, Now now) {
  // A refusal without a time of its own stands for this question only.
  const Span span = impl.From(now, ruling.ttl_us);
  request.state = ruling.granted ? State::kGranted : State::kDenied;
  request.scope = ruling.scope;
  request.approver = ruling.approver;
  request.reason = ruling.reason;
  request.decided = now.wall;
  request.expires = span.to_wall;
  if (ruling.granted && ruling.scope == Scope::kPattern) {
    Plan plan;
    auto id = impl.NewId(kPlanId);
    if (!id.ok()) return id.error();
    plan.id = request.plan = id.value();
    plan.text.title = "calls like " + request.id;
    plan.text.server = request.question.subject.server;
    plan.text.steps.push_back({request.question.tool, ruling.constraint, ruling.max_uses});
    plan.tenant = request.question.subject.tenant;
    plan.principal = request.question.subject.principal;
    plan.session = std::string(request.question.subject.key());
    plan.approver = ruling.approver;
    plan.reason = ruling.reason;
    if (Status put = InsertPlan(db, plan, span, &request.question.binding); !put.ok()) {
      return put;
    }
  }
  Query query(db,
              "UPDATE request SET state=?, scope=?, approver=?, reason=?, decided=?, plan=?, from_wall=?, from_mono=?, "
              "to_wall=?, to_mono=?, boot=? WHERE id=? AND state=0");
  query.Int(static_cast<int>(request.state)).Int(static_cast<int>(request.scope)).Text(ruling.approver);
  query.Text(ruling.reason).Int(now.wall.us);
  if (request.plan.empty()) {
    query.Null();
  } else {
    query.Text(request.plan);
  }
  BindSpan(query, span);
  if (Status run = query.Text(request.id).Run("deciding a request"); !run.ok()) return run;
  if (sqlite3_changes(db) != 1) return Error(ErrorCode::kApprovalDecided, request.id);
  return {};
}

Status CheckRuling(const Ruling& ruling) {
  if (Trimmed(ruling.approver).empty() || ruling.approver.size() > kMaxNameBytes ||
      !base::IsValidUtf8(ruling.approver)) {
    return Error(ErrorCode::kInvalidArgument, "an answer has somebody's name");
  }
  if (ruling.reason.size() > kMaxTextBytes || !base::IsValidUtf8(ruling.reason)) {
    return Error(ErrorCode::kInvalidArgument, "the reason is too long or no UTF-8");
  }
  if (ruling.granted || ruling.ttl_us != 0) {
    if (Status fits = CheckTtl(ruling.ttl_us, kMaxGrantTtlUs); !fits.ok()) return fits;
  }
  if (!ruling.granted || ruling.scope != Scope::kPattern) {
    if (!ruling.constraint.empty()) return Error(ErrorCode::kInvalidArgument, "a constraint needs the scope pattern");
    return {};
  }
  if (ruling.max_uses < 1 || ruling.max_uses > 100'000) {
    return Error(ErrorCode::kInvalidArgument, "a pattern is good for 1 to 100000 calls");
  }
  auto bounds = CompileConstraint(ruling.constraint);
  if (!bounds.ok()) return Error(ErrorCode::kInvalidArgument, "constraint: " + bounds.error().ToString());
  return {};
}

}  // namespace

std::string_view NameOf(State state) noexcept {
  for (const StateRow& row : kStates) {
    if (row.state == state) return row.name;
  }
  return "void";
}
std::optional<State> StateFromName(std::string_view name) noexcept {
  for (const StateRow& row : kStates) {
    if (row.name == name) return row.state;
  }
  return std::nullopt;
}
std::string_view NameOf(Scope scope) noexcept {
  for (const ScopeRow& row : kScopes) {
    if (row.scope == scope) return row.name;
  }
  return "once";
}
std::optional<Scope> ScopeFromName(std::string_view name) noexcept {
  for (const ScopeRow& row : kScopes) {
    if (row.name == name) return row.scope;
  }
  return std::nullopt;
}

Result<ApprovalStore::Filed> ApprovalStore::Put(const Question& question, Now now, const Witness& witness) {
  if (Status fits = CheckQuestion(question); !fits.ok()) return fits.error();
  sqlite3* db = impl_->db;
  Transaction transaction(db);
  if (Status begun = transaction.begun("filing a request"); !begun.ok()) return begun.error();
  Filed filed;
  auto pending = FindPending(db, *impl_, question, now);
  if (!pending.ok()) return pending.error();
  if (pending.value().has_value()) {
    filed.id = pending.value()->request.id;
    Query query(db, "UPDATE request SET asks=asks+1 WHERE id=?");
    if (Status run = query.Text(filed.id).Run("filing a request"); !run.ok()) return run.error();
  } else {
    Query count(db, "SELECT count(*) FROM request WHERE" + std::string(kOfSubject) +
                        "AND state=0 AND boot=? AND to_wall>? AND to_mono>?");
    BindSubject(count, question.subject).Text(impl_->boot).Int(now.wall.us).Int(now.mono.us);
    if (!count.Row()) return count.status("counting requests").error();
    if (count.IntAt(0) >= static_cast<std::int64_t>(kMaxPending)) {
      return Error(ErrorCode::kLimitExceeded,
                   std::to_string(kMaxPending) + " requests of this session wait for an answer already");
    }
    auto id = Insert(db, *impl_, question, now);
    if (!id.ok()) return id.error();
    filed = {std::move(id.value()), true};
  }
  if (witness && filed.is_new) {
    if (Status seen = witness(); !seen.ok()) return seen.error();
  }
  if (Status done = transaction.Commit("filing a request"); !done.ok()) return done.error();
  return filed;
}

Result<Taken> ApprovalStore::Take(const Subject& subject, std::string_view tool, const Binding& binding,
                                  base::JsonValue arguments, Now now,
                                  const std::function<Status(const Taken&)>& witness) {
  constexpr std::string_view kWhat = "looking for an approval";
  sqlite3* db = impl_->db;
  Transaction transaction(db);
  if (Status begun = transaction.begun(kWhat); !begun.ok()) return begun.error();
  Taken taken;
  std::vector<Row> rows;
  {
    Query query(db, std::string(kColumns) + "WHERE" + std::string(kOfSubject) +
                        "AND tool=? AND call=? AND state IN (1,2) AND scope<>2 ORDER BY seq");
    BindSubject(query, subject).Text(tool).Blob(binding.call);
    while (query.Row()) {
      auto row = ReadRow(query, *impl_, now);
      if (!row.ok()) return row.error();
      rows.push_back(std::move(row.value()));
    }
    if (Status read = query.status(kWhat); !read.ok()) return read.error();
  }
  const Row* grant = nullptr;
  for (const Row& row : rows) {
    const Request& request = row.request;
    if (request.state == State::kExpired || !impl_->Holds(row.span, now)) continue;
    const std::string why = WhyVoid(request.question.binding, binding);
    if (request.state == State::kDenied) {
      // A no to another state of things is no answer to this one.
      if (!why.empty()) continue;
      taken.kind = Taken::Kind::kDenied;
      taken.id = request.id;
      taken.approver = request.approver;
      taken.reason = request.reason;
      continue;
    }
    if (!why.empty()) {
      if (Status voided = SetState(db, request.id, State::kVoid, why); !voided.ok()) return voided.error();
      taken.voided.push_back({request.id, why});
    } else if (grant == nullptr) {
      grant = &row;
    }
  }
  // Of a yes and a no to the same call the no counts.
  if (taken.kind == Taken::Kind::kNone && grant != nullptr) {
    const Request& request = grant->request;
    Query query(db,
                "UPDATE request SET uses=uses+1, state=CASE scope WHEN 0 THEN 3 ELSE state END WHERE id=? AND state=1");
    if (Status run = query.Text(request.id).Run(kWhat); !run.ok()) return run.error();
    if (sqlite3_changes(db) == 1) {
      taken.kind = Taken::Kind::kGranted;
      taken.id = request.id;
      taken.scope = request.scope;
      taken.approver = request.approver;
      taken.reason = request.reason;
      taken.given = grant->span.from_wall;
      taken.expires_wall = grant->span.to_wall;
      taken.expires_mono = grant->span.to_mono;
    }
  }
  if (taken.kind == Taken::Kind::kNone) {
    auto step = TakeStep(db, subject, tool, binding, arguments, now, *impl_);
    if (!step.ok()) return step.error();
    step.value().voided.insert(step.value().voided.begin(), taken.voided.begin(), taken.voided.end());
    taken = std::move(step.value());
  }
  if (taken.kind == Taken::Kind::kNone && taken.voided.empty()) {
    Query query(db, "SELECT id FROM request WHERE" + std::string(kOfSubject) +
                        "AND tool=? AND call<>? AND state=1 AND scope<>2 AND boot=? AND to_wall>? AND to_mono>? "
                        "ORDER BY seq DESC LIMIT 1");
    BindSubject(query, subject).Text(tool).Blob(binding.call).Text(impl_->boot).Int(now.wall.us).Int(now.mono.us);
    if (query.Row() && IsId(query.TextAt(0), kRequestId)) taken.near = query.TextAt(0);
    if (Status read = query.status(kWhat); !read.ok()) return read.error();
  }
  if (witness) {
    if (Status seen = witness(taken); !seen.ok()) return seen.error();
  }
  if (Status done = transaction.Commit(kWhat); !done.ok()) return done.error();
  return taken;
}

Result<std::string> ApprovalStore::Answered(const Question& question, const Ruling& ruling, Now now) {
  if (Status fits = CheckQuestion(question); !fits.ok()) return fits.error();
  if (Status fits = CheckRuling(ruling); !fits.ok()) return fits.error();
  sqlite3* db = impl_->db;
  Transaction transaction(db);
  if (Status begun = transaction.begun("recording an answer"); !begun.ok()) return begun.error();
  auto pending = FindPending(db, *impl_, question, now);
  if (!pending.ok()) return pending.error();
  Row row;
  if (pending.value().has_value()) {
    row = std::move(*pending.value());
  } else {
    auto id = Insert(db, *impl_, question, now);
    if (!id.ok()) return id.error();
    row.request.id = id.value();
    row.request.question = question;
  }
  if (Status written = WriteRuling(db, *impl_, row.request, ruling, now); !written.ok()) return written.error();
  if (Status done = transaction.Commit("recording an answer"); !done.ok()) return done.error();
  return row.request.id;
}

Result<std::vector<Request>> ApprovalStore::List(const Filter& filter, Now now) {
  Query query(impl_->db, std::string(kColumns) +
                             "WHERE (?1='' OR session_name=?1) AND (?2='' OR principal=?2) ORDER BY seq DESC LIMIT ?3");
  query.Text(filter.session).Text(filter.principal).Int(static_cast<std::int64_t>(kMaxRows) + 1);
  std::vector<Request> out;
  while (out.size() < filter.limit && query.Row()) {
    auto row = ReadRow(query, *impl_, now);
    if (!row.ok()) return row.error();
    // By the state as of now, which the column need not say yet.
    if (filter.state.has_value() && row.value().request.state != *filter.state) continue;
    out.push_back(std::move(row.value().request));
  }
  if (out.size() < filter.limit) {
    if (Status read = query.status("listing approvals"); !read.ok()) return read.error();
  }
  return out;
}

Result<Request> ApprovalStore::Get(std::string_view id, Now now) {
  Query query(impl_->db, std::string(kColumns) + "WHERE id=?");
  query.Text(id);
  if (!query.Row()) {
    if (Status read = query.status("reading an approval"); !read.ok()) return read.error();
    return Error(ErrorCode::kNotFound, "no request `" + base::Printable(id, 40) + "`");
  }
  auto row = ReadRow(query, *impl_, now);
  if (!row.ok()) return row.error();
  return std::move(row.value().request);
}

Result<Request> ApprovalStore::Decide(std::string_view id, const Ruling& ruling, Now now,
                                      const std::function<Status(const Request&)>& witness) {
  if (Status fits = CheckRuling(ruling); !fits.ok()) return fits.error();
  Transaction transaction(impl_->db);
  if (Status begun = transaction.begun("deciding a request"); !begun.ok()) return begun.error();
  auto request = Get(id, now);
  if (!request.ok()) return request.error();
  if (request.value().state != State::kPending) {
    return Error(ErrorCode::kApprovalDecided, request.value().id + " is " + std::string(NameOf(request.value().state)) +
                                                  (request.value().approver.empty() ? "" : ", by ") +
                                                  base::Printable(request.value().approver));
  }
  if (Status written = WriteRuling(impl_->db, *impl_, request.value(), ruling, now); !written.ok())
    return written.error();
  if (witness) {
    if (Status seen = witness(request.value()); !seen.ok()) return seen.error();
  }
  if (Status done = transaction.Commit("deciding a request"); !done.ok()) return done.error();
  return request;
}

Status ApprovalStore::Revoke(std::string_view id, std::string_view who, std::string_view why, Now now,
                             const Witness& witness) {
  constexpr std::string_view kWhat = "taking back an approval";
  sqlite3* db = impl_->db;
  Transaction transaction(db);
  if (Status begun = transaction.begun(kWhat); !begun.ok()) return begun;
  std::string reason = "taken back by " + std::string(who);
  if (!why.empty()) reason += ": " + std::string(why);
  if (Status fits = CheckText(reason, kMaxTextBytes, "the reason"); !fits.ok()) {
    return Error(ErrorCode::kInvalidArgument, fits.error().message());
  }
  if (IsId(id, kRequestId)) {
    auto request = Get(id, now);
    if (!request.ok()) return request.error();
    // A standing refusal can be taken back, too: the call may be asked for again.
    if (request.value().state != State::kGranted && request.value().state != State::kDenied) {
      return Error(ErrorCode::kApprovalDecided, std::string(id));
    }
    if (Status set = SetState(db, id, State::kVoid, reason); !set.ok()) return set;
    if (!request.value().plan.empty()) {
      Query query(db, "UPDATE plan SET state=4, reason=? WHERE id=? AND state=1");
      if (Status run = query.Text(reason).Text(request.value().plan).Run(kWhat); !run.ok()) return run;
    }
  } else if (IsId(id, kPlanId)) {
    Query query(db, "UPDATE plan SET state=4, reason=? WHERE id=? AND state=1");
    if (Status run = query.Text(reason).Text(id).Run(kWhat); !run.ok()) return run;
    if (sqlite3_changes(db) != 1) {
      Query exists(db, "SELECT 1 FROM plan WHERE id=?");
      exists.Text(id);
      return Error(exists.Row() ? ErrorCode::kApprovalDecided : ErrorCode::kNotFound, std::string(id));
    }
    Query requests(db, "UPDATE request SET state=4, reason=? WHERE plan=? AND state=1");
    if (Status run = requests.Text(reason).Text(id).Run(kWhat); !run.ok()) return run;
  } else if (IsId(id, kBreakGlassId)) {
    Query query(db, "UPDATE break_glass SET ended=? WHERE id=? AND ended=0 AND boot=? AND to_wall>? AND to_mono>?");
    query.Int(now.wall.us).Text(id).Text(impl_->boot).Int(now.wall.us).Int(now.mono.us);
    if (Status run = query.Run(kWhat); !run.ok()) return run;
    if (sqlite3_changes(db) != 1) {
      Query exists(db, "SELECT 1 FROM break_glass WHERE id=?");
      exists.Text(id);
      return Error(exists.Row() ? ErrorCode::kApprovalDecided : ErrorCode::kNotFound, std::string(id));
    }
    impl_->seen_version = -1;
  } else {
    return Error(ErrorCode::kNotFound, "no approval `" + base::Printable(id, 40) + "`");
  }
  if (witness) {
    if (Status seen = witness(); !seen.ok()) return seen;
  }
  return transaction.Commit(kWhat);
}

}  // namespace interlock::runtime::approvals
