#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/eval/coverage.h"
#include "interlock/eval/splice.h"
#include "interlock/platform/file.h"
#include "planner_pipe.h"
#include "policy_files.h"
#include "trace_files.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using core::TraceSession;
using eval::CoverageTracker;
using eval::Hijack;
using eval::KnownTool;
using eval::Transition;

constexpr std::size_t kMaxSessions = 100'000;  // kept in memory, a side
constexpr std::size_t kMaxDataFile = std::size_t{16} << 20;
constexpr std::size_t kMaxOutput = std::size_t{1} << 30;

base::Status ReadSessions(const std::vector<std::string>& files, const SpliceArgs& args,
                          std::vector<TraceSession>& out) {
  for (const std::string& file : files) {
    TraceFileStats stats;
    bool full = false;
    const auto status = ForEachSession(
        file, {.systems_file = args.systems, .skip_malformed = args.skip_malformed}, stats,
        [&](TraceSession& session) {
          full = out.size() >= kMaxSessions;
          if (!full) out.push_back(std::move(session));
          return !full;
        },
        [](const Error& error) { PrintError(error); });
    if (!status.ok()) return status;
    if (full) return Error(ErrorCode::kLimitExceeded, "more than 100,000 sessions; give a part of them");
  }
  return {};
}

template <class T>
Result<T> FromFile(const std::string& file, Result<T> (*parse)(std::string_view)) {
  const auto bytes = platform::ReadFile(file, kMaxDataFile);
  if (!bytes.ok()) return bytes.error();
  Result<T> value = parse(bytes.value());
  if (!value.ok()) return value.error().Under(file);
  return value;
}

// What all sessions are made with.
struct Lists {
  std::vector<eval::Preamble> preambles = eval::DefaultPreambles();
  std::vector<eval::Carrier> carriers = eval::DefaultCarriers();
  std::vector<KnownTool> tools;
  std::vector<eval::Position> positions;
  std::vector<Hijack> hijacks;
};

Result<Lists> ReadLists(const SpliceArgs& args) {
  Lists lists;
  if (!args.preambles.empty()) {
    auto read = FromFile<std::vector<eval::Preamble>>(args.preambles, &eval::ParsePreambles);
    if (!read.ok()) return read.error();
    lists.preambles = std::move(read.value());
  }
  if (!args.carriers.empty()) {
    auto read = FromFile<std::vector<eval::Carrier>>(args.carriers, &eval::ParseCarriers);
    if (!read.ok()) return read.error();
    lists.carriers = std::move(read.value());
  }
  if (!args.tools.empty()) {
    auto read = FromFile<std::vector<KnownTool>>(args.tools, &eval::ParseKnownTools);
    if (!read.ok()) return read.error();
    lists.tools = std::move(read.value());
  }
  for (const std::string& name : args.positions) {
    const auto position = eval::PositionFrom(name);
    if (!position) return Error(ErrorCode::kUsage, "--position is begin, middle, end, field or between");
    lists.positions.push_back(*position);
  }
  if (lists.positions.empty()) {
    lists.positions = {eval::Position::kBegin, eval::Position::kMiddle, eval::Position::kEnd, eval::Position::kField,
                       eval::Position::kBetween};
  }
  if (args.hijack != "late") lists.hijacks.push_back(Hijack::kEarly);
  if (args.hijack != "early") lists.hijacks.push_back(Hijack::kLate);
  return lists;
}

// One choice after another, the same on every machine.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : seed_(seed) {}
  std::size_t Below(std::size_t n) {
    const std::string salt = std::to_string(next_++);
    return n == 0 ? 0 : static_cast<std::size_t>(base::SipHash({seed_, 0x73706c6963650001ULL}, salt) % n);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

class Maker {
 public:
  Maker(const SpliceArgs& args, const Lists& lists, const std::vector<TraceSession>& benign,
        const std::vector<TraceSession>& attacks)
      : args_(args), lists_(lists), benign_(benign), attacks_(attacks), choices_(args.seed) {
    for (std::size_t j = 0; j < attacks.size(); ++j) {
      const std::string_view tool = eval::FirstToolOf(attacks[j]);
      if (tool.empty()) continue;
      ++usable_attacks_;
      attacks_of_[std::string(attacks[j].domain)].push_back(j);
      by_first_[{std::string(attacks[j].domain), std::string(tool)}].push_back(j);
    }
    for (std::size_t i = 0; i < benign.size(); ++i) {
      const auto points = eval::InjectionPoints(benign[i], lists.tools);
      const std::string domain(benign[i].domain);
      if (args.point >= points.size() || attacks_of_.count(domain) == 0) continue;
      for (const Hijack hijack : lists.hijacks) {
        carriers_.push_back({i, hijack});
        const std::string tool(eval::ToolBeforeGraft(benign[i], points[args.point], hijack));
        by_seam_[{domain, tool}].push_back(carriers_.size() - 1);
      }
    }
    std::set<Transition> seams;
    for (const auto& [from, carriers] : by_seam_) {
      for (const auto& [to, unused] : by_first_) {
        if (from.first != to.first) continue;
        seams.insert({from.second, to.second});
        domains_of_[{from.second, to.second}].push_back(from.first);
      }
    }
    seams_.assign(seams.begin(), seams.end());
  }

  [[nodiscard]] std::size_t carriers() const { return carriers_.size(); }
  [[nodiscard]] std::size_t attacks() const { return usable_attacks_; }
  [[nodiscard]] std::uint64_t made() const { return made_; }

  base::Status Make(CoverageTracker& tracker, std::string& out) {
    if (usable_attacks_ == 0) return Error(ErrorCode::kSpliceNoAttack, "no attack session has both");
    if (carriers_.empty()) {
      return Error(ErrorCode::kSpliceNoPoint, "no benign session of a domain with attacks has one");
    }
    // A combination that was made already is drawn again, but not for ever: there may be no other.
    std::uint64_t tries = args_.count * 20 + 100;
    while (made_ < args_.count && tries-- > 0) {
      std::size_t carrier = choices_.Below(carriers_.size());
      const auto& same = attacks_of_.find(std::string(benign_[carriers_[carrier].session].domain))->second;
      std::size_t attack = same[choices_.Below(same.size())];
      if (args_.cover) {
        const Transition want = *tracker.Next(seams_, args_.seed + tries);
        const auto& domains = domains_of_.find(want)->second;
        const std::string& domain = domains[choices_.Below(domains.size())];
        const auto& from = by_seam_.find({domain, want.from})->second;
        const auto& to = by_first_.find({domain, want.to})->second;
        carrier = from[choices_.Below(from.size())];
        attack = to[choices_.Below(to.size())];
      }
      const eval::SpliceRecipe recipe{.preamble = lists_.preambles[choices_.Below(lists_.preambles.size())],
                                      .carrier = lists_.carriers[choices_.Below(lists_.carriers.size())],
                                      .position = lists_.positions[choices_.Below(lists_.positions.size())],
                                      .hijack = carriers_[carrier].hijack,
                                      .point = args_.point,
                                      .tools = lists_.tools};
      const auto line = eval::Splice(benign_[carriers_[carrier].session], attacks_[attack], recipe, args_.seed);
      if (!line.ok()) return line.error();
      const auto session = core::ParseTraceLine(line.value());
      if (!session.ok()) return session.error().Under("a spliced session is not readable");
      if (!names_.emplace(session.value().session).second) continue;
      tracker.Add(session.value());
      if (out.size() + line.value().size() > kMaxOutput) return Error(ErrorCode::kLimitExceeded, "more than 1 GiB");
      out += line.value();
      out += '\n';
      ++made_;
    }
    return {};
  }

 private:
  struct CarrierChoice {
    std::size_t session;
    Hijack hijack;
  };
  const SpliceArgs& args_;
  const Lists& lists_;
  const std::vector<TraceSession>& benign_;
  const std::vector<TraceSession>& attacks_;
  Choices choices_;
  std::vector<CarrierChoice> carriers_;
  // An attack works on the tools of its domain: sessions of different domains are not joined.
  using InDomain = std::pair<std::string, std::string>;  // domain, tool
  std::size_t usable_attacks_ = 0;
  std::map<std::string, std::vector<std::size_t>> attacks_of_;
  std::map<InDomain, std::vector<std::size_t>> by_seam_;   // last tool of the carrier -> carriers_
  std::map<InDomain, std::vector<std::size_t>> by_first_;  // first tool of the attack -> attacks_
  std::map<Transition, std::vector<std::string>> domains_of_;
  std::vector<Transition> seams_;
  std::set<std::string, std::less<>> names_;
  std::uint64_t made_ = 0;
};

struct Summary {
  std::uint64_t made = 0;
  std::size_t carriers = 0;
  std::size_t attacks = 0;
  std::uint64_t questions = 0;
  std::size_t missed = 0;
  std::size_t malformed = 0;
};

// To standard output, unless the sessions go there.
void Print(const SpliceArgs& args, const Summary& s, const CoverageTracker& tracker) {
  std::FILE* to = args.output.empty() || args.output == "-" ? stderr : stdout;
  if (args.format == Format::kJson) {
    std::string out;
    base::JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.splice.summary/v1").Key("made").Uint(s.made);
    w.Key("seed").Uint(args.seed).Key("carriers").Uint(s.carriers).Key("attacks").Uint(s.attacks);
    w.Key("questions").Uint(s.questions).Key("missed").Uint(s.missed).Key("malformed").Uint(s.malformed);
    w.Key("coverage").Raw(tracker.Json()).EndObject();
    std::fprintf(to, "%s\n", out.c_str());
    return;
  }
  if (args.planner.empty()) {
    std::fprintf(to, "%llu attack sessions from %zu carriers and %zu attacks\n",
                 static_cast<unsigned long long>(s.made), s.carriers, s.attacks);
  } else {
    std::fprintf(to, "%llu planned sessions from %llu questions; %zu transitions given up, %zu answers no plan\n",
                 static_cast<unsigned long long>(s.made), static_cast<unsigned long long>(s.questions), s.missed,
                 s.malformed);
  }
  if (args.cover || !args.planner.empty()) std::fprintf(to, "%s", tracker.Table().c_str());
}

int Write(const SpliceArgs& args, const std::string& lines) {
  if (args.output.empty() || args.output == "-") {
    return std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() ? kExitFine : kExitCannotRun;
  }
  if (const auto status = platform::AtomicWrite(args.output, lines, 0644); !status.ok()) {
    PrintError(status.error());
    return kExitCannotRun;
  }
  return kExitFine;
}

int Fail(const Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

int Planned(const SpliceArgs& args, const Lists& lists, CoverageTracker& tracker) {
  if (lists.tools.empty()) return Fail(Error(ErrorCode::kUsage, "--planner needs --tools"));
  auto pipe = PlannerPipe::Start(
      args.planner, std::chrono::milliseconds(static_cast<std::int64_t>(args.timeout_s * 1000)), eval::kMaxPlanBytes);
  if (!pipe.ok()) return Fail(pipe.error());
  const eval::PlanningOutcome outcome = eval::PlanSessions(
      tracker, lists.tools, {.count = args.count, .refinements = args.refinements, .seed = args.seed},
      [&](std::string_view request) { return pipe.value().Ask(request); });
  std::string lines;
  for (const std::string& line : outcome.lines) lines.append(line).push_back('\n');
  int rc = Write(args, lines);
  for (const Error& error : outcome.malformed) PrintError(error);
  Print(args,
        {.made = outcome.lines.size(),
         .questions = outcome.questions,
         .missed = outcome.missed.size(),
         .malformed = outcome.malformed.size()},
        tracker);
  if (outcome.stopped) rc = Fail(*outcome.stopped);
  return rc;
}

}  // namespace

int RunSplice(const SpliceArgs& args) {
  const auto lists = ReadLists(args);
  if (!lists.ok()) return Fail(lists.error());
  std::vector<TraceSession> benign;
  if (const auto status = ReadSessions(args.benign, args, benign); !status.ok()) return Fail(status.error());
  std::vector<std::string> names;
  for (const KnownTool& tool : lists.value().tools) names.push_back(tool.name);
  CoverageTracker tracker(names);
  for (const TraceSession& session : benign) tracker.Add(session);
  if (!args.planner.empty()) return Planned(args, lists.value(), tracker);

  if (args.benign.empty() || args.attacks.empty()) {
    return Fail(Error(ErrorCode::kUsage, "--benign and --attacks name trace files"));
  }
  std::vector<TraceSession> attacks;
  if (const auto status = ReadSessions(args.attacks, args, attacks); !status.ok()) return Fail(status.error());
  // The matrix shows what the attack set covers; what benign sessions do is no attack.
  CoverageTracker covered(names);
  Maker maker(args, lists.value(), benign, attacks);
  std::string lines;
  if (const auto status = maker.Make(covered, lines); !status.ok()) return Fail(status.error());
  const int rc = Write(args, lines);
  Print(args, {.made = maker.made(), .carriers = maker.carriers(), .attacks = maker.attacks()}, covered);
  if (maker.made() < args.count) {
    std::fprintf(stderr, "interlock: only %llu of %llu: there are no more combinations\n",
                 static_cast<unsigned long long>(maker.made()), static_cast<unsigned long long>(args.count));
  }
  return rc;
}

}  // namespace interlock::app
