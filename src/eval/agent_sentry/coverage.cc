#include "interlock/eval/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "interlock/base/json.h"
#include "splice_text.h"

namespace interlock::eval {

using base::JsonWriter;

namespace {

constexpr std::string_view kOthers = "*";

std::vector<std::string> PathOf(const core::TraceSession& session) {
  std::vector<std::string> path;
  for (const core::TraceMessage& message : session.messages) {
    for (const core::TraceCall& call : message.calls) path.emplace_back(call.tool);
  }
  return path;
}

}  // namespace

CoverageTracker::CoverageTracker(const std::vector<std::string>& tools) {
  for (const std::string& tool : tools) (void)IndexOf(tool);
}

std::size_t CoverageTracker::IndexOf(std::string_view tool) {
  if (const auto it = index_.find(tool); it != index_.end()) return it->second;
  // The last row is everything else.
  if (names_.size() + 1 >= kMaxTools && tool != kOthers) return IndexOf(kOthers);
  names_.emplace_back(tool);
  index_.emplace(tool, names_.size() - 1);
  return names_.size() - 1;
}

void CoverageTracker::Add(const core::TraceSession& session) { AddPath(PathOf(session)); }

void CoverageTracker::AddPath(std::span<const std::string> tools) {
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::size_t to = IndexOf(tools[i]);
    if (i > 0) ++counts_[{IndexOf(tools[i - 1]), to}];
  }
}

std::uint64_t CoverageTracker::Count(const Transition& transition) const {
  const auto from = index_.find(transition.from);
  const auto to = index_.find(transition.to);
  if (from == index_.end() || to == index_.end()) return 0;
  const auto it = counts_.find({from->second, to->second});
  return it == counts_.end() ? 0 : it->second;
}

std::optional<Transition> CoverageTracker::Next(std::uint64_t seed) const {
  std::vector<Transition> all;
  for (const std::string& from : names_) {
    for (const std::string& to : names_) {
      if (from != kOthers && to != kOthers) all.push_back({from, to});
    }
  }
  return Next(all, seed);
}

std::optional<Transition> CoverageTracker::Next(std::span<const Transition> among, std::uint64_t seed) const {
  if (among.empty()) return std::nullopt;
  Dice dice(seed, "coverage");
  std::vector<std::size_t> never;
  std::vector<std::uint64_t> until;  // running sums of weights
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < among.size(); ++i) {
    const std::uint64_t count = Count(among[i]);
    if (count == 0) {
      never.push_back(i);
    } else {
      // Integers, so that every machine draws the same; at most 250,000 transitions of at most 2^32 each.
      sum += std::max<std::uint64_t>(1, (std::uint64_t{1} << 32U) / count);
    }
    until.push_back(sum);
  }
  if (!never.empty()) return among[dice.Pick(never)];
  const std::uint64_t drawn = dice.Next() % sum;
  const auto it = std::upper_bound(until.begin(), until.end(), drawn);
  return among[static_cast<std::size_t>(it - until.begin())];
}

std::string CoverageTracker::Table() const {
  std::string out;
  std::size_t width = 4;
  for (const std::string& name : names_)
    width = std::max(width, std::min<std::size_t>(base::Printable(name, 40).size(), 40));
  out += fmt::format("{:>3} {:<{}}", "", "from \\ to", width);
  for (std::size_t to = 0; to < names_.size(); ++to) out += fmt::format(" {:>5}", to + 1);
  out += '\n';
  for (std::size_t from = 0; from < names_.size(); ++from) {
    out += fmt::format("{:>3} {:<{}}", from + 1, base::Printable(names_[from], 40), width);
    for (std::size_t to = 0; to < names_.size(); ++to) {
      const auto it = counts_.find({from, to});
      out += it == counts_.end() ? fmt::format(" {:>5}", ".") : fmt::format(" {:>5}", it->second);
    }
    out += '\n';
  }
  out += fmt::format("{} of {} transitions seen\n", counts_.size(), names_.size() * names_.size());
  return out;
}

std::string CoverageTracker::Json() const {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("schema").String("interlock.coverage/v1").Key("tools").BeginArray();
  for (const std::string& name : names_) w.String(name);
  w.EndArray().Key("counts").BeginArray();
  for (std::size_t from = 0; from < names_.size(); ++from) {
    w.BeginArray();
    for (std::size_t to = 0; to < names_.size(); ++to) {
      const auto it = counts_.find({from, to});
      w.Uint(it == counts_.end() ? 0 : it->second);
    }
    w.EndArray();
  }
  w.EndArray().EndObject();
  return out;
}

}  // namespace interlock::eval
