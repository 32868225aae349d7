// Budgets of a principal and day: sums that all guards of the file share.
#include <cmath>

#include "impl.h"

namespace interlock::runtime::approvals {

using base::Error;
using base::ErrorCode;
using base::Now;
using base::Result;
using base::Status;

namespace {

constexpr std::string_view kWhat = "counting a budget";
constexpr std::int64_t kDayUs = 24 * 3600 * kSecondUs;

// Days since 1970, rounded down.
std::int64_t DayOf(Now now) {
  const std::int64_t day = now.wall.us / kDayUs;
  return now.wall.us % kDayUs < 0 ? day - 1 : day;
}

Result<ApprovalStore::Sums> Read(sqlite3* db, std::string_view tenant, std::string_view principal, std::int64_t day) {
  Query query(db, "SELECT budget, sum FROM budget WHERE tenant=? AND principal=? AND day=?");
  query.Text(tenant).Text(principal).Int(day);
  ApprovalStore::Sums sums;
  while (query.Row()) {
    const std::string_view name = query.TextAt(0);
    if (!CheckText(name, kMaxNameBytes, "a name").ok() || !std::isfinite(query.RealAt(1)) || query.RealAt(1) < 0) {
      return Damaged("budget", "its name or its sum is none");
    }
    sums.emplace(name, query.RealAt(1));
  }
  if (Status read = query.status(kWhat); !read.ok()) return read.error();
  return sums;
}

}  // namespace

Result<ApprovalStore::Sums> ApprovalStore::Budgets(std::string_view tenant, std::string_view principal, Now now) {
  return Read(impl_->db, tenant, principal, DayOf(now));
}

Result<bool> ApprovalStore::Charge(std::string_view tenant, std::string_view principal, const Sums& seen,
                                   const Sums& delta, Now now) {
  for (const auto& [name, amount] : delta) {
    if (name.size() > kMaxNameBytes || !std::isfinite(amount) || amount < 0) {
      return Error(ErrorCode::kInvalidArgument, "what a budget counts is a number, and never less than nothing");
    }
  }
  Transaction transaction(impl_->db);
  if (Status begun = transaction.begun(kWhat); !begun.ok()) return begun.error();
  auto sums = Read(impl_->db, tenant, principal, DayOf(now));
  if (!sums.ok()) return sums.error();
  for (const auto& [name, amount] : delta) {
    const auto was = seen.find(name);
    const auto is = sums.value().find(name);
    if ((was == seen.end() ? 0.0 : was->second) != (is == sums.value().end() ? 0.0 : is->second)) return false;
  }
  for (const auto& [name, amount] : delta) {
    Query query(impl_->db,
                "INSERT INTO budget (tenant, principal, day, budget, sum) VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET "
                "sum=sum+excluded.sum");
    query.Text(tenant).Text(principal).Int(DayOf(now)).Text(name).Real(amount);
    if (Status run = query.Run(kWhat); !run.ok()) return run.error();
  }
  if (Status done = transaction.Commit(kWhat); !done.ok()) return done.error();
  return true;
}

}  // namespace interlock::runtime::approvals
