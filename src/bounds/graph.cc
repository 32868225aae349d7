#include "interlock/bounds/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "graph_text.h"
#include "interlock/base/check.h"
#include "interlock/base/text.h"

namespace interlock::bounds {
namespace {

using base::Error;
using base::ErrorCode;
using base::Status;

template <std::size_t N>
std::string_view NameIn(const std::array<std::string_view, N>& names, std::size_t index) noexcept {
  INTERLOCK_CHECK(index < N, "an enumerator has a name");
  return names[index];
}

constexpr std::array<std::string_view, 2> kSides = {"benign", "attack"};
constexpr std::array<std::string_view, kViewCount> kViews = {"calls", "retrieval_to_action", "action_to_action",
                                                             "arguments", "transitions"};
constexpr std::array<std::string_view, 3> kOrigins = {"request", "result", "model"};
constexpr std::array<std::string_view, 5> kMatches = {"exact", "canonical", "format", "substring", "none"};

// Gregorian calendar: days since 1970-01-01 (algorithm: Hinnant, "chrono-compatible low-level date algorithms").
Day DayOf(int year, unsigned month, unsigned day) noexcept {
  year -= month <= 2 ? 1 : 0;
  const int era = (year >= 0 ? year : year - 399) / 400;
  const auto of_era = static_cast<unsigned>(year - era * 400);
  const unsigned of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146097 + static_cast<int>(days) - 719468;
}

struct Date {
  int year;
  unsigned month;
  unsigned day;
};

Date DateFrom(Day day) noexcept {
  const int shifted = day + 719468;
  const int era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const auto of_era = static_cast<unsigned>(shifted - era * 146097);
  const unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted_month = (5 * of_year + 2) / 153;
  const unsigned month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  return {.year = static_cast<int>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = of_year - (153 * shifted_month + 2) / 5 + 1};
}

std::optional<unsigned> Digits(std::string_view text, std::size_t at, std::size_t count) noexcept {
  unsigned value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return value;
}

}  // namespace

std::string_view NameOf(Side side) noexcept { return NameIn(kSides, static_cast<std::size_t>(side)); }
std::string_view NameOf(View view) noexcept { return NameIn(kViews, static_cast<std::size_t>(view)); }
std::string_view NameOf(OriginKind kind) noexcept { return NameIn(kOrigins, static_cast<std::size_t>(kind)); }
std::string_view NameOf(OriginMatch match) noexcept { return NameIn(kMatches, static_cast<std::size_t>(match)); }

std::optional<Side> SideFromName(std::string_view name) noexcept {
  const auto* const it = std::ranges::find(kSides, name);
  return it == kSides.end() ? std::nullopt : std::optional(static_cast<Side>(it - kSides.begin()));
}

std::optional<View> ViewFromName(std::string_view name) noexcept {
  const auto* const it = std::ranges::find(kViews, name);
  return it == kViews.end() ? std::nullopt : std::optional(static_cast<View>(it - kViews.begin()));
}

std::string DateOf(Day day) {
  if (day == kUndated) return "undated";
  const Date date = DateFrom(day);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::optional<Day> DayFromText(std::string_view text) noexcept {
  const auto year = Digits(text, 0, 4);
  const auto month = Digits(text, 5, 2);
  const auto day = Digits(text, 8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') return std::nullopt;
  if (text.size() > 10 && text[10] != 'T' && text[10] != 't' && text[10] != ' ') return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *year < 1970) return std::nullopt;
  const Day value = DayOf(static_cast<int>(*year), *month, *day);
  const Date again = DateFrom(value);  // a 31st of February is another day
  if (again.month != *month || again.day != *day) return std::nullopt;
  return value;
}

bool Tally::Add(Day day, std::uint64_t sessions, std::uint16_t halvings) {
  if (sessions == 0) return true;
  if (sessions > kMax || total() > kMax - sessions) return false;
  const auto at = std::ranges::lower_bound(parts_, std::tuple(day, halvings), {},
                                           [](const Part& part) { return std::tuple(part.day, part.halvings); });
  if (at != parts_.end() && at->day == day && at->halvings == halvings) {
    at->sessions += sessions;
  } else {
    parts_.insert(at, {.day = day, .halvings = halvings, .sessions = sessions});
  }
  return true;
}

bool Tally::Remove(Day day, std::uint64_t sessions, std::uint16_t halvings) {
  if (sessions == 0) return true;
  const auto at =
      std::ranges::find_if(parts_, [&](const Part& part) { return part.day == day && part.halvings == halvings; });
  if (at == parts_.end() || at->sessions < sessions) return false;
  at->sessions -= sessions;
  if (at->sessions == 0) parts_.erase(at);
  return true;
}

std::uint64_t Tally::total() const noexcept {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.sessions;
  return sum;
}

std::uint64_t Tally::Between(Day first, Day last) const noexcept {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) {
    if (part.day != kUndated && part.day >= first && part.day <= last) sum += part.sessions;
  }
  return sum;
}

bool IsGraphName(std::string_view name) noexcept {
  return !name.empty() && name.size() <= GraphLimits::kMaxNameBytes && base::IsValidUtf8(name);
}

std::string_view FlowFault(const Flow& flow) noexcept {
  if (!IsGraphName(flow.tool)) return "a flow needs the name of a tool, of at most 256 bytes";
  for (const std::string& tool : flow.after) {
    if (!IsGraphName(tool)) return "`after` names a tool by no name or one that is too long";
  }
  if (flow.view != View::kArguments) {
    if (!flow.argument.empty() || flow.from != OriginKind::kRequest || !flow.source.empty() ||
        flow.match != OriginMatch::kExact) {
      return "only an argument has an origin";
    }
  }
  switch (flow.view) {
    case View::kCalls:
      return flow.after.empty() ? "" : "a call alone comes after nothing";
    case View::kRetrievalToAction:
      if (flow.after.size() > GraphLimits::kMaxSet) return "too many retrievals in one set";
      for (std::size_t i = 1; i < flow.after.size(); ++i) {
        if (flow.after[i - 1] >= flow.after[i]) return "retrievals are a sorted set";
      }
      return "";
    case View::kActionToAction:
      return flow.after.size() == 1 ? "" : "one earlier action";
    case View::kTransitions:
      return flow.after.size() <= 1 ? "" : "at most one call before";
    case View::kArguments:
      break;
  }
  if (!flow.after.empty()) return "an argument comes after nothing";
  if (!IsGraphName(flow.argument) || flow.argument.front() != '/') return "`argument` is a JSON pointer";
  if ((flow.from == OriginKind::kResult) != IsGraphName(flow.source)) return "a result, and only that, has a `source`";
  if (flow.from != OriginKind::kResult && !flow.source.empty()) return "a result, and only that, has a `source`";
  if ((flow.from == OriginKind::kModel) != (flow.match == OriginMatch::kNone)) return "the model alone matches nothing";
  return "";
}

Status FunctionalityGraph::SetClass(std::string_view tool, ToolClass tool_class) {
  if (!IsGraphName(tool)) return Error(ErrorCode::kInvalidArgument, "a tool's name is empty, too long or not UTF-8");
  const auto it = tools_.find(tool);
  if (it != tools_.end()) {
    it->second = std::max(it->second, tool_class);
    return {};
  }
  if (tools_.size() >= limits_.max_tools) {
    return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tools", limits_.max_tools));
  }
  tools_.emplace(tool, tool_class);
  return {};
}

Status FunctionalityGraph::Entry(const Scope& scope, const Flow& flow, Counts*& counts) {
  auto at = scopes_.find(scope);
  if (at == scopes_.end()) {
    if (scopes_.size() >= limits_.max_scopes) {
      return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tenants and roles", limits_.max_scopes));
    }
    at = scopes_.try_emplace(scope).first;
  }
  const auto found = at->second.flows.find(flow);
  if (found != at->second.flows.end()) {
    counts = &found->second;
    return {};
  }
  if (flow_count_ >= limits_.max_flows) {
    return Error(ErrorCode::kGraphLimit, fmt::format("more than {} flows", limits_.max_flows));
  }
  for (const std::string& tool : flow.after) {
    if (!tools_.contains(tool)) {
      if (Status status = SetClass(tool, ToolClass::kAction); !status.ok()) return status;
    }
  }
  for (const std::string* tool : {&flow.tool, &flow.source}) {
    if (!tool->empty() && !tools_.contains(*tool)) {
      if (Status status = SetClass(*tool, ToolClass::kAction); !status.ok()) return status;
    }
  }
  ++flow_count_;
  counts = &at->second.flows[flow];
  return {};
}

Status FunctionalityGraph::Add(const Scope& scope, const Flow& flow, Side side, Day day, std::uint64_t sessions) {
  if (const std::string_view fault = FlowFault(flow); !fault.empty()) {
    return Error(ErrorCode::kInvalidArgument, std::string(fault));
  }
  if (sessions == 0) return {};
  if (sessions > Tally::kMax) return Error(ErrorCode::kGraphLimit, "more sessions than can be counted");
  Counts* entry = nullptr;
  if (Status status = Entry(scope, flow, entry); !status.ok()) return status;
  if (!entry->of(side).Add(day, sessions)) {
    return Error(ErrorCode::kGraphLimit, "more sessions than can be counted");
  }
  return {};
}

Status FunctionalityGraph::AddSessions(const Scope& scope, Side side, Day day, std::uint64_t sessions) {
  for (const std::string* name : {&scope.tenant, &scope.role}) {
    if (!name->empty() && !IsGraphName(*name)) {
      return Error(ErrorCode::kInvalidArgument, "a tenant or role is too long or not UTF-8");
    }
  }
  if (sessions == 0) return {};
  auto at = scopes_.find(scope);
  if (at == scopes_.end()) {
    if (scopes_.size() >= limits_.max_scopes) {
      return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tenants and roles", limits_.max_scopes));
    }
    at = scopes_.try_emplace(scope).first;
  }
  if (!at->second.sessions.of(side).Add(day, sessions)) {
    return Error(ErrorCode::kGraphLimit, "more sessions than can be counted");
  }
  return {};
}

Status FunctionalityGraph::Merge(const FunctionalityGraph& other) {
  FunctionalityGraph merged = *this;
  const auto add = [](Counts& to, const Counts& from) {
    for (const Side side : {Side::kBenign, Side::kAttack}) {
      for (const Tally::Part& part : from.of(side).parts()) {
        if (!to.of(side).Add(part.day, part.sessions, part.halvings)) return false;
      }
    }
    return true;
  };
  const Error too_many(ErrorCode::kGraphLimit, "more sessions than can be counted");
  for (const auto& [tool, tool_class] : other.tools_) {
    if (Status status = merged.SetClass(tool, tool_class); !status.ok()) return status;
  }
  for (const auto& [scope, from] : other.scopes_) {
    if (!merged.scopes_.contains(scope) && merged.scopes_.size() >= merged.limits_.max_scopes) {
      return Error(ErrorCode::kGraphLimit, fmt::format("more than {} tenants and roles", merged.limits_.max_scopes));
    }
    if (!add(merged.scopes_[scope].sessions, from.sessions)) return too_many;
    for (const auto& [flow, counts] : from.flows) {
      Counts* entry = nullptr;
      if (Status status = merged.Entry(scope, flow, entry); !status.ok()) return status;
      if (!add(*entry, counts)) return too_many;
    }
  }
  *this = std::move(merged);
  return {};
}

base::Digest FunctionalityGraph::Digest() const { return base::Sha256(ToJson()); }

}  // namespace interlock::bounds
