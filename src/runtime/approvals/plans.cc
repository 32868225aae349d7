// Approved, constrained plans: what a person allows in advance, step by step, within bounds.
#include <memory>
#include <utility>

#include "impl.h"
#include "interlock/base/text.h"
#include "interlock/runtime/approvals/constraint.h"

namespace interlock::runtime::approvals {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Now;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxPlanBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxSteps = 64;
constexpr std::size_t kMaxPlans = 1000;
constexpr std::int64_t kMaxUses = 100'000;
constexpr std::string_view kWhat = "reading plans";

Error Wrong(std::string_view what) { return Error(ErrorCode::kInvalidArgument, std::string(what)); }

Result<base::Digest> DigestAt(const Query& query, int column, std::string_view id) {
  base::Digest digest;
  const std::string_view bytes = query.TextAt(column);
  if (bytes.size() != digest.bytes.size()) return Damaged(id, "a digest has 32 bytes");
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

std::optional<std::string> TextOrNull(const Query& query, int column) {
  if (query.IsNull(column)) return std::nullopt;
  return std::string(query.TextAt(column));
}

Query& BindOptional(Query& query, const std::optional<std::string>& text) {
  return text.has_value() ? query.Text(*text) : query.Null();
}

// One step that could cover a call, as the file says it.
struct Candidate {
  std::string plan;
  std::int64_t place = 0;
  std::string schema;
  std::string approver;
  std::string reason;
  std::optional<base::Digest> policy;
  std::optional<base::Digest> definition;
  std::optional<base::Digest> preconditions;
  Span span;
};

Result<std::vector<Candidate>> Candidates(sqlite3* db, const Subject& subject, std::string_view tool) {
  Query query(db,
              "SELECT plan.id, step.place, step.arguments, plan.approver, plan.reason, plan.policy, step.definition, "
              "step.preconditions, from_wall, from_mono, to_wall, to_mono, boot "
              "FROM step JOIN plan ON plan.id=step.plan WHERE step.tool=? AND step.uses_left>0 AND plan.state=1 AND "
              "plan.tenant=? AND (plan.principal IS NULL OR plan.principal=?) AND (plan.session IS NULL OR "
              "plan.session=?) AND plan.server IN ('', ?) ORDER BY plan.rowid, step.place");
  query.Text(tool).Text(subject.tenant).Text(subject.principal).Text(subject.key()).Text(subject.server);
  std::vector<Candidate> out;
  while (query.Row()) {
    Candidate c;
    c.plan = query.TextAt(0);
    if (!IsId(c.plan, kPlanId)) return Damaged(c.plan, "its id is none");
    c.place = query.IntAt(1);
    c.schema = query.TextAt(2);
    c.approver = query.TextAt(3);
    c.reason = query.TextAt(4);
    if (c.approver.empty() || !CheckText(c.approver, kMaxNameBytes, "a name").ok() ||
        !CheckText(c.reason, kMaxTextBytes, "a text").ok()) {
      return Damaged(c.plan, "it is approved by nobody, or its texts are none");
    }
    int column = 5;
    for (auto* to : {&c.policy, &c.definition, &c.preconditions}) {
      if (!query.IsNull(column)) {
        auto digest = DigestAt(query, column, c.plan);
        if (!digest.ok()) return digest.error();
        *to = digest.value();
      }
      ++column;
    }
    c.span = ReadSpan(query, column);
    out.push_back(std::move(c));
  }
  if (Status read = query.status(kWhat); !read.ok()) return read.error();
  return out;
}

std::string WhyVoid(const Candidate& c, const Binding& is) {
  if (c.definition.has_value() && *c.definition != is.definition) return "the tool's definition has changed since";
  if (c.policy.has_value() && *c.policy != is.policy) return "the policy has changed since";
  if (c.preconditions.has_value() && *c.preconditions != is.preconditions) {
    return "the results that its preconditions rest on have changed since";
  }
  return {};
}

}  // namespace

Result<policy::JsonSchema> CompileConstraint(std::string_view text) {
  if (text.size() > kMaxArgumentsBytes) return Error(ErrorCode::kLimitExceeded, "the constraint is too large");
  auto doc = base::JsonDoc::Parse(text);
  if (!doc.ok()) return doc.error();
  if (!doc.value().root().is_object() || !doc.value().root().Find("properties").is_object()) {
    return Wrong("a constraint is a JSON Schema with `properties`: what it does not name is refused");
  }
  return policy::JsonSchema::Compile(doc.value().root(), {.strict_objects = true, .assert_formats = true});
}

Result<PlanText> ParsePlan(std::string_view bytes) {
  auto doc = base::JsonDoc::Parse(bytes, {.max_bytes = kMaxPlanBytes});
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.plan/v1") return Wrong("`schema` is not interlock.plan/v1");
  PlanText plan;
  for (auto it = root.begin(); it != root.end(); ++it) {
    const std::string_view key = it.key();
    if (key == "schema" || key == "steps") continue;
    if (key != "title" && key != "server") return Wrong("unknown member `" + base::Printable(key) + "`");
    if (!(*it).is_string() || (*it).string().size() > kMaxNameBytes)
      return Wrong("`title` and `server` are short texts");
    (key == "title" ? plan.title : plan.server) = (*it).string();
  }
  const JsonValue steps = root.Find("steps");
  if (!steps.is_array() || steps.size() == 0) return Wrong("`steps` is a list of at least one step");
  if (steps.size() > kMaxSteps) return Error(ErrorCode::kLimitExceeded, "a plan has at most 64 steps");
  for (const JsonValue value : steps) {
    const std::string at = "step " + std::to_string(plan.steps.size() + 1) + ": ";
    PlanStep step;
    if (!value.is_object()) return Wrong(at + "it is an object");
    for (auto it = value.begin(); it != value.end(); ++it) {
      const std::string_view key = it.key();
      if (key == "tool") {
        step.tool = (*it).string();
      } else if (key == "arguments") {
        step.arguments = (*it).raw();
      } else if (key == "max_uses") {
        const auto uses = (*it).AsInt64();
        if (!uses.has_value() || *uses < 1 || *uses > kMaxUses) return Wrong(at + "`max_uses` is 1 to 100000");
        step.max_uses = static_cast<std::uint32_t>(*uses);
      } else {
        return Wrong(at + "unknown member `" + base::Printable(key) + "`");
      }
    }
    if (step.tool.empty() || step.tool.size() > kMaxNameBytes) return Wrong(at + "`tool` is a tool's name");
    if (auto fits = CompileConstraint(step.arguments.empty() ? std::string_view("null") : step.arguments); !fits.ok()) {
      return fits.error().Under(at + "`arguments`");
    }
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

Status InsertPlan(sqlite3* db, const Plan& plan, const Span& span, const Binding* binding) {
  constexpr std::string_view kInsert = "registering a plan";
  {
    Query count(db, "SELECT count(*) FROM plan WHERE state=1");
    if (!count.Row()) return count.status(kInsert);
    if (count.IntAt(0) >= static_cast<std::int64_t>(kMaxPlans)) {
      return Error(ErrorCode::kLimitExceeded, "too many plans are in force");
    }
  }
  Query query(db,
              "INSERT INTO plan (id, tenant, server, title, approver, reason, principal, session, policy, from_wall, "
              "from_mono, to_wall, to_mono, boot, state) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,1)");
  query.Text(plan.id)
      .Text(plan.tenant)
      .Text(plan.text.server)
      .Text(plan.text.title)
      .Text(plan.approver)
      .Text(plan.reason);
  BindOptional(query, plan.principal);
  BindOptional(query, plan.session);
  if (binding == nullptr) {
    query.Null();
  } else {
    query.Blob(binding->policy);
  }
  BindSpan(query, span);
  if (Status run = query.Run(kInsert); !run.ok()) return run;
  std::int64_t place = 0;
  for (const PlanStep& step : plan.text.steps) {
    Query add(db,
              "INSERT INTO step (plan, place, tool, arguments, max_uses, uses_left, definition, preconditions) VALUES "
              "(?,?,?,?,?,?,?,?)");
    add.Text(plan.id).Int(place++).Text(step.tool).Text(step.arguments).Int(step.max_uses).Int(step.max_uses);
    if (binding == nullptr) {
      add.Null().Null();
    } else {
      add.Blob(binding->definition).Blob(binding->preconditions);
    }
    if (Status run = add.Run(kInsert); !run.ok()) return run;
  }
  return {};
}

Result<Taken> TakeStep(sqlite3* db, const Subject& subject, std::string_view tool, const Binding& binding,
                       JsonValue arguments, Now now, const ApprovalStore::Impl& impl) {
  Taken taken;
  auto candidates = Candidates(db, subject, tool);
  if (!candidates.ok()) return candidates.error();
  static const base::JsonDoc kNoArguments = [] {
    auto doc = base::JsonDoc::Parse("{}");
    INTERLOCK_CHECK(doc.ok(), "an empty object is JSON");
    return std::move(doc.value());
  }();
  for (const Candidate& c : candidates.value()) {
    if (!impl.Holds(c.span, now)) continue;
    auto schema = CompileConstraint(c.schema);
    if (!schema.ok()) return Damaged(c.plan, "a step's bounds do not compile");
    if (!schema.value().Validate(arguments.exists() ? arguments : kNoArguments.root()).valid()) continue;
    if (const std::string why = WhyVoid(c, binding); !why.empty()) {
      // One changed step means the plan was made for another state of things.
      Query query(db, "UPDATE plan SET state=4, reason=? WHERE id=? AND state=1");
      if (Status run = query.Text(why).Text(c.plan).Run(kWhat); !run.ok()) return run.error();
      if (sqlite3_changes(db) == 1) {
        Query requests(db, "UPDATE request SET state=4, reason=? WHERE plan=? AND state=1");
        if (Status run = requests.Text(why).Text(c.plan).Run(kWhat); !run.ok()) return run.error();
        taken.voided.push_back({c.plan, why});
      }
      continue;
    }
    Query query(db,
                "UPDATE step SET uses_left=uses_left-1, definition=ifnull(definition,?) WHERE plan=? AND place=? AND "
                "uses_left>0 AND (SELECT state FROM plan WHERE id=step.plan)=1");
    query.Blob(binding.definition).Text(c.plan).Int(c.place);
    if (Status run = query.Run(kWhat); !run.ok()) return run.error();
    if (sqlite3_changes(db) != 1) continue;
    Query bind(db, "UPDATE plan SET policy=ifnull(policy,?) WHERE id=?");
    if (Status run = bind.Blob(binding.policy).Text(c.plan).Run(kWhat); !run.ok()) return run.error();
    Query count(db, "UPDATE request SET uses=uses+1 WHERE plan=?");
    if (Status run = count.Text(c.plan).Run(kWhat); !run.ok()) return run.error();
    taken.kind = Taken::Kind::kGranted;
    taken.id = c.plan;
    taken.scope = Scope::kPattern;
    taken.approver = c.approver;
    taken.reason = c.reason;
    taken.given = c.span.from_wall;
    taken.expires_wall = c.span.to_wall;
    taken.expires_mono = c.span.to_mono;
    taken.constraint = c.schema;
    return taken;
  }
  return taken;
}

Result<std::string> ApprovalStore::AddPlan(const Plan& plan, std::int64_t ttl_us, Now now,
                                           const std::function<Status(std::string_view)>& witness) {
  if (ttl_us <= 0 || ttl_us > kMaxGrantTtlUs) return Wrong("a plan lasts more than nothing and at most 7 days");
  if (Trimmed(plan.approver).empty()) return Wrong("a plan is approved by somebody");
  if (!plan.principal.has_value() && !plan.session.has_value()) return Wrong("a plan is for a session or a principal");
  for (const std::string& text : {plan.tenant, plan.principal.value_or(""), plan.session.value_or(""), plan.approver,
                                  plan.reason, plan.text.title, plan.text.server}) {
    if (!CheckText(text, kMaxNameBytes, "a text").ok()) return Wrong("a name or the reason is too long or no UTF-8");
  }
  if (plan.text.steps.empty() || plan.text.steps.size() > kMaxSteps) return Wrong("a plan has 1 to 64 steps");
  for (const PlanStep& step : plan.text.steps) {
    if (auto fits = CompileConstraint(step.arguments); !fits.ok()) return fits.error();
    if (step.tool.empty() || step.max_uses < 1 || step.max_uses > kMaxUses)
      return Wrong("a step names a tool and a count");
  }
  Transaction transaction(impl_->db);
  if (Status begun = transaction.begun("registering a plan"); !begun.ok()) return begun.error();
  Plan copy = plan;
  auto id = impl_->NewId(kPlanId);
  if (!id.ok()) return id.error();
  copy.id = id.value();
  if (Status put = InsertPlan(impl_->db, copy, impl_->From(now, ttl_us), nullptr); !put.ok()) return put.error();
  if (witness) {
    if (Status seen = witness(copy.id); !seen.ok()) return seen.error();
  }
  if (Status done = transaction.Commit("registering a plan"); !done.ok()) return done.error();
  return id;
}

Result<std::vector<Plan>> ApprovalStore::Plans(Now now) {
  Query query(impl_->db,
              "SELECT id, server, title, state, approver, reason, principal, session, from_wall, from_mono, to_wall, "
              "to_mono, boot, tenant FROM plan ORDER BY rowid DESC LIMIT 1000");
  std::vector<Plan> out;
  while (query.Row()) {
    Plan plan;
    plan.id = query.TextAt(0);
    if (!IsId(plan.id, kPlanId)) return Damaged(plan.id, "its id is none");
    plan.text.server = query.TextAt(1);
    plan.text.title = query.TextAt(2);
    const std::int64_t state = query.IntAt(3);
    if (state < 0 || state > 5) return Damaged(plan.id, "no such state");
    plan.state = static_cast<State>(state);
    plan.approver = query.TextAt(4);
    plan.reason = query.TextAt(5);
    plan.principal = TextOrNull(query, 6);
    plan.session = TextOrNull(query, 7);
    for (const std::string_view text : {std::string_view(plan.text.server), std::string_view(plan.text.title),
                                        std::string_view(plan.approver), std::string_view(plan.reason)}) {
      if (Status fits = CheckText(text, kMaxTextBytes, "a text"); !fits.ok())
        return Damaged(plan.id, "its texts are none");
    }
    const Span span = ReadSpan(query, 8);
    plan.tenant = query.TextAt(13);
    if (!CheckText(plan.tenant, kMaxNameBytes, "a name").ok()) return Damaged(plan.id, "its tenant is none");
    plan.decided = span.from_wall;
    plan.expires = span.to_wall;
    if (plan.state <= State::kGranted && impl_->Over(span, now)) plan.state = State::kExpired;
    Query steps(impl_->db, "SELECT tool, arguments, max_uses, uses_left FROM step WHERE plan=? ORDER BY place");
    steps.Text(plan.id);
    while (steps.Row()) {
      if (!CheckText(steps.TextAt(0), kMaxNameBytes, "a name").ok() || !base::JsonDoc::Parse(steps.TextAt(1)).ok()) {
        return Damaged(plan.id, "a step names no tool or no bounds");
      }
      plan.text.steps.push_back(
          {std::string(steps.TextAt(0)), std::string(steps.TextAt(1)), static_cast<std::uint32_t>(steps.IntAt(2))});
      plan.uses_left.push_back(static_cast<std::uint32_t>(steps.IntAt(3)));
    }
    if (Status read = steps.status(kWhat); !read.ok()) return read.error();
    out.push_back(std::move(plan));
  }
  if (Status read = query.status(kWhat); !read.ok()) return read.error();
  return out;
}

}  // namespace interlock::runtime::approvals
