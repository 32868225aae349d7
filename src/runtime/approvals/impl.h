// The store's connection and what all its parts use. Private to the module: see store.h. Spread over store.cc (file and
// schema), requests.cc (questions, grants, uses), plans.cc, break_glass.cc and budgets.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/runtime/approvals/store.h"
#include "sql.h"

namespace interlock::runtime::approvals {

// A stretch of time by both clocks, within one run of the machine.
struct Span {
  base::WallTime from_wall;
  base::MonoTime from_mono;
  base::WallTime to_wall;
  base::MonoTime to_mono;
  std::string boot;
};

struct ApprovalStore::Impl {
  sqlite3* db = nullptr;
  std::string boot;

  // Break-glass windows as last read, good while nobody else writes.
  struct Cached {
    std::string id, reason, opened_by;
    std::string tenant;
    std::optional<std::string> principal, session;
    Span span;
  };
  std::int64_t seen_version = -1;
  std::vector<Cached> windows;

  ~Impl() { sqlite3_close_v2(db); }

  [[nodiscard]] Span From(base::Now now, std::int64_t ttl_us) const {
    return {now.wall, now.mono, {now.wall.us + ttl_us}, {now.mono.us + ttl_us}, boot};
  }
  // SAFETY: either clock ends it; nothing is known across a restart of the machine.
  [[nodiscard]] bool Over(const Span& span, base::Now now) const {
    return span.boot != boot || now.wall >= span.to_wall || now.mono >= span.to_mono;
  }
  [[nodiscard]] bool Holds(const Span& span, base::Now now) const {
    return !Over(span, now) && now.wall >= span.from_wall && now.mono >= span.from_mono;
  }
  [[nodiscard]] base::Result<std::string> NewId(char kind) const;
};

inline void BindSpan(Query& query, const Span& span) {
  query.Int(span.from_wall.us).Int(span.from_mono.us).Int(span.to_wall.us).Int(span.to_mono.us).Text(span.boot);
}
[[nodiscard]] inline Span ReadSpan(const Query& query, int column) {
  return {{query.IntAt(column)},
          {query.IntAt(column + 1)},
          {query.IntAt(column + 2)},
          {query.IntAt(column + 3)},
          std::string(query.TextAt(column + 4))};
}

// Text of a row: kStoreIo when it is no UTF-8, or longer than `max`.
[[nodiscard]] base::Status CheckText(std::string_view text, std::size_t max, std::string_view what);
[[nodiscard]] base::Error Damaged(std::string_view id, std::string_view what);
// An id as NewId makes it.
[[nodiscard]] bool IsId(std::string_view id, char kind) noexcept;
[[nodiscard]] std::string_view Trimmed(std::string_view text) noexcept;

inline constexpr char kRequestId = 'a';
inline constexpr char kPlanId = 'p';
inline constexpr char kBreakGlassId = 'b';
inline constexpr std::size_t kMaxNameBytes = 1024;

// One use of a step of an approved plan, inside the caller's transaction.
[[nodiscard]] base::Result<Taken> TakeStep(sqlite3* db, const Subject& subject, std::string_view tool,
                                           const Binding& binding, base::JsonValue arguments, base::Now now,
                                           const ApprovalStore::Impl& impl);
// Inserts a plan with its steps, bound where `binding` is given. The caller has checked the texts.
[[nodiscard]] base::Status InsertPlan(sqlite3* db, const Plan& plan, const Span& span, const Binding* binding);

}  // namespace interlock::runtime::approvals
