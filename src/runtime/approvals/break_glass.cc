// Break-glass windows: opened by a person with a reason, over by themselves, reviewed afterwards.
#include <algorithm>
#include <utility>

#include "impl.h"
#include "interlock/base/text.h"

namespace interlock::runtime::approvals {

using base::Error;
using base::ErrorCode;
using base::Now;
using base::Result;
using base::Status;

namespace {

constexpr std::string_view kWhat = "break-glass";
constexpr std::size_t kMaxOpen = 100;
constexpr std::string_view kColumns =
    "SELECT id, tenant, principal, session, reason, opened_by, ended, decisions, reviewed_by, reviewed, from_wall, "
    "from_mono, to_wall, to_mono, boot FROM break_glass ";

struct Row {
  BreakGlass window;
  Span span;
};

Result<Row> ReadRow(const Query& query, const ApprovalStore::Impl& impl, Now now) {
  Row row;
  BreakGlass& w = row.window;
  w.id = query.TextAt(0);
  if (!IsId(w.id, kBreakGlassId)) return Damaged(w.id, "its id is none");
  w.tenant = query.TextAt(1);
  if (!query.IsNull(2)) w.principal = std::string(query.TextAt(2));
  if (!query.IsNull(3)) w.session = std::string(query.TextAt(3));
  w.reason = query.TextAt(4);
  w.opened_by = query.TextAt(5);
  w.reviewed_by = query.TextAt(8);
  for (const std::string_view text : {std::string_view(w.tenant), std::string_view(w.reason),
                                      std::string_view(w.opened_by), std::string_view(w.reviewed_by)}) {
    if (!CheckText(text, kMaxTextBytes, "a text").ok()) return Damaged(w.id, "its texts are none");
  }
  if (Trimmed(w.reason).empty() || Trimmed(w.opened_by).empty())
    return Damaged(w.id, "nobody opened it, or for no reason");
  if (!w.principal.has_value() && !w.session.has_value()) return Damaged(w.id, "it is for everybody");
  w.ended = {query.IntAt(6)};
  w.decisions = static_cast<std::uint64_t>(query.IntAt(7));
  w.reviewed = {query.IntAt(9)};
  row.span = ReadSpan(query, 10);
  if (row.span.to_wall.us - row.span.from_wall.us > kMaxBreakGlassTtlUs ||
      row.span.to_mono.us - row.span.from_mono.us > kMaxBreakGlassTtlUs) {
    return Damaged(w.id, "it is open for longer than it can be");
  }
  w.opened = row.span.from_wall;
  w.expires = row.span.to_wall;
  w.active = w.ended.us == 0 && impl.Holds(row.span, now);
  return row;
}

// Inside the caller's transaction; the caller has checked the texts.
Result<std::string> Insert(const BreakGlass& window, std::int64_t ttl_us, Now now, const ApprovalStore::Impl& impl) {
  {
    Query count(impl.db, "SELECT count(*) FROM break_glass WHERE ended=0 AND boot=? AND to_wall>?");
    count.Text(impl.boot).Int(now.wall.us);
    if (!count.Row()) return count.status(kWhat).error();
    if (count.IntAt(0) >= static_cast<std::int64_t>(kMaxOpen)) {
      return Error(ErrorCode::kLimitExceeded, "too many windows are open");
    }
  }
  auto id = impl.NewId(kBreakGlassId);
  if (!id.ok()) return id.error();
  Query query(
      impl.db,
      "INSERT INTO break_glass (id, tenant, reason, opened_by, principal, session, from_wall, from_mono, "
      "to_wall, to_mono, boot, ended, decisions, reviewed_by, reviewed) VALUES (?,?,?,?,?,?,?,?,?,?,?,0,0,'',0)");
  query.Text(id.value()).Text(window.tenant).Text(Trimmed(window.reason)).Text(window.opened_by);
  for (const auto* who : {&window.principal, &window.session}) {
    if (who->has_value()) {
      query.Text(**who);
    } else {
      query.Null();
    }
  }
  BindSpan(query, impl.From(now, ttl_us));
  if (Status run = query.Run(kWhat); !run.ok()) return run.error();
  return id;
}

}  // namespace

Result<std::string> ApprovalStore::OpenBreakGlass(const BreakGlass& window, std::int64_t ttl_us, Now now,
                                                  const std::function<Status(std::string_view)>& witness) {
  const auto wrong = [](std::string_view what) { return Error(ErrorCode::kInvalidArgument, std::string(what)); };
  if (Trimmed(window.reason).empty()) return wrong("break-glass needs a reason");
  if (Trimmed(window.opened_by).empty()) return wrong("break-glass is opened by somebody");
  if (!window.principal.has_value() && !window.session.has_value()) {
    return wrong("break-glass is for a session or a principal");
  }
  if (ttl_us <= 0 || ttl_us > kMaxBreakGlassTtlUs)
    return wrong("break-glass lasts more than nothing and at most 24 hours");
  for (const std::string& text :
       {window.tenant, window.principal.value_or(""), window.session.value_or(""), window.reason, window.opened_by}) {
    if (!CheckText(text, kMaxNameBytes, "a text").ok()) return wrong("a name or the reason is too long or no UTF-8");
  }
  Transaction transaction(impl_->db);
  if (Status begun = transaction.begun(kWhat); !begun.ok()) return begun.error();
  auto id = Insert(window, ttl_us, now, *impl_);
  if (!id.ok()) return id.error();
  if (witness) {
    if (Status seen = witness(id.value()); !seen.ok()) return seen.error();
  }
  if (Status done = transaction.Commit(kWhat); !done.ok()) return done.error();
  impl_->seen_version = -1;
  return id;
}

Result<std::optional<std::string>> ApprovalStore::OpenByPolicy(const Subject& subject, std::string_view reason,
                                                               std::int64_t ttl_us, Now now,
                                                               const std::function<Status(std::string_view)>& witness) {
  if (Status checked = CheckText(reason, kMaxNameBytes, "a reason"); !checked.ok()) return checked.error();
  Transaction transaction(impl_->db);
  if (Status begun = transaction.begun(kWhat); !begun.ok()) return begun.error();
  {
    // Of a session whose name is made up, the principal's: a restart of its guard is no new incident.
    Query query(impl_->db,
                "SELECT count(*) FROM break_glass WHERE opened_by=? AND reviewed_by='' AND tenant=? AND principal=? "
                "AND (?=0 OR session=?)");
    query.Text(kOpenedByPolicy).Text(subject.tenant).Text(subject.principal);
    query.Int(subject.named ? 1 : 0).Text(subject.session);
    if (!query.Row()) return query.status(kWhat).error();
    if (query.IntAt(0) > 0) return std::optional<std::string>();
  }
  BreakGlass window;
  window.tenant = subject.tenant;
  window.principal = subject.principal;
  window.session = subject.session;
  window.reason = std::string(reason);
  window.opened_by = std::string(kOpenedByPolicy);
  auto id = Insert(window, std::clamp<std::int64_t>(ttl_us, 1, kMaxBreakGlassTtlUs), now, *impl_);
  if (!id.ok()) return id.error();
  if (witness) {
    if (Status seen = witness(id.value()); !seen.ok()) return seen.error();
  }
  if (Status done = transaction.Commit(kWhat); !done.ok()) return done.error();
  impl_->seen_version = -1;
  return std::optional<std::string>(std::move(id.value()));
}

Result<std::vector<BreakGlass>> ApprovalStore::BreakGlasses(Now now) {
  Query query(impl_->db, std::string(kColumns) + "ORDER BY rowid DESC LIMIT 1000");
  std::vector<BreakGlass> out;
  while (query.Row()) {
    auto row = ReadRow(query, *impl_, now);
    if (!row.ok()) return row.error();
    out.push_back(std::move(row.value().window));
  }
  if (Status read = query.status(kWhat); !read.ok()) return read.error();
  return out;
}

Status ApprovalStore::ReviewBreakGlass(std::string_view id, std::string_view reviewer, Now now,
                                       const Witness& witness) {
  if (Trimmed(reviewer).empty() || !CheckText(reviewer, kMaxNameBytes, "a name").ok()) {
    return Error(ErrorCode::kInvalidArgument, "a review has somebody's name");
  }
  Transaction transaction(impl_->db);
  if (Status begun = transaction.begun(kWhat); !begun.ok()) return begun;
  {
    Query query(impl_->db, std::string(kColumns) + "WHERE id=?");
    query.Text(id);
    if (!query.Row()) {
      if (Status read = query.status(kWhat); !read.ok()) return read;
      return Error(ErrorCode::kNotFound, "no break-glass window `" + base::Printable(id, 40) + "`");
    }
    auto row = ReadRow(query, *impl_, now);
    if (!row.ok()) return row.error();
    if (!row.value().window.reviewed_by.empty()) {
      return Error(ErrorCode::kApprovalDecided,
                   "it was reviewed by " + base::Printable(row.value().window.reviewed_by));
    }
    if (row.value().window.active) {
      return Error(ErrorCode::kInvalidArgument, "it is still open: what happens under it is not over");
    }
  }
  Query query(impl_->db, "UPDATE break_glass SET reviewed_by=?, reviewed=? WHERE id=?");
  if (Status run = query.Text(reviewer).Int(now.wall.us).Text(id).Run(kWhat); !run.ok()) return run;
  if (witness) {
    if (Status seen = witness(); !seen.ok()) return seen;
  }
  return transaction.Commit(kWhat);
}

Result<std::optional<ApprovalStore::Window>> ApprovalStore::ActiveBreakGlass(const Subject& subject, Now now) {
  std::int64_t version = 0;
  {
    Query query(impl_->db, "PRAGMA data_version");
    if (!query.Row()) return query.status(kWhat).error();
    version = query.IntAt(0);
  }
  if (version != impl_->seen_version) {
    Query query(impl_->db, std::string(kColumns) + "WHERE ended=0 AND boot=?");
    query.Text(impl_->boot);
    std::vector<Impl::Cached> windows;
    while (query.Row()) {
      auto row = ReadRow(query, *impl_, now);
      if (!row.ok()) return row.error();
      windows.push_back({std::move(row.value().window.id), std::move(row.value().window.reason),
                         std::move(row.value().window.opened_by), std::move(row.value().window.tenant),
                         std::move(row.value().window.principal), std::move(row.value().window.session),
                         std::move(row.value().span)});
    }
    if (Status read = query.status(kWhat); !read.ok()) return read.error();
    impl_->windows = std::move(windows);
    impl_->seen_version = version;
  }
  const Impl::Cached* best = nullptr;
  for (const Impl::Cached& c : impl_->windows) {
    if (c.tenant != subject.tenant || !impl_->Holds(c.span, now)) continue;
    if (c.principal.has_value() && *c.principal != subject.principal) continue;
    // A made-up name was never told to anybody who could have meant it; its own guard knows it.
    if (c.session.has_value() && !subject.named && c.opened_by != kOpenedByPolicy) continue;
    if (c.session.has_value() && *c.session != subject.session) continue;
    if (best == nullptr || best->span.to_mono < c.span.to_mono) best = &c;
  }
  if (best == nullptr) return std::optional<Window>();
  return std::optional<Window>(Window{best->id, best->reason, best->span.from_wall, best->span.from_mono,
                                      best->span.to_wall, best->span.to_mono});
}

Status ApprovalStore::CountBreakGlass(std::string_view id) {
  Query query(impl_->db, "UPDATE break_glass SET decisions=decisions+1 WHERE id=?");
  return query.Text(id).Run(kWhat);
}

}  // namespace interlock::runtime::approvals
