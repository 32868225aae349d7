// Findings and uses: what is kept of what the engine sees, with the history that led to it.
#include <algorithm>

#include "code/engine.h"
#include "code/places.h"
#include "code/sink_words.h"

namespace interlock::scan::code {
using core::Permission;
using namespace sink_words;  // NOLINT: the engine room's own words

void Engine::Raise(std::string_view rule, ExprId at, const Taint& taint, Labels because, std::string message,
                   double scale, std::string host, std::string decoded) {
  if (at >= code().exprs.size()) return;
  Raise(rule, code().exprs[at].loc, taint, because, std::move(message), scale, std::move(host), std::move(decoded));
}

void Engine::Raise(std::string_view rule, Loc loc, const Taint& taint, Labels because, std::string message,
                   double scale, std::string host, std::string decoded) {
  if (!last_) return;
  std::uint64_t key = 1469598103934665603ULL;
  for (const char c : rule) key = (key ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  key = (key ^ module_) * 1099511628211ULL;
  key = (key ^ loc.begin) * 1099511628211ULL;
  if (!seen_.insert(key).second || hits_.size() >= 20'000) return;
  Hit hit;
  hit.module = module_;
  hit.function = function_;
  hit.finding.rule = rule;
  hit.finding.file = code().file;
  hit.finding.bytes = {loc.begin, loc.end};
  hit.finding.scale = scale;
  hit.finding.message = std::move(message);
  hit.finding.host = std::move(host);
  hit.finding.decoded = decoded.substr(0, 2000);
  if (because != 0) {
    // The history of the worst label, oldest step first.
    for (Labels bit = 1; bit != 0 && bit <= because; bit <<= 1U) {
      if ((because & bit) == 0 || !taint.Has(bit)) continue;
      std::uint32_t at = taint.trail[static_cast<std::size_t>(TrailOf(bit))];
      for (int i = 0; at != 0 && i < 12; ++i) {
        const Step& step = trail_[at - 1];
        hit.finding.flow.insert(hit.finding.flow.begin(),
                                RawFlowStep{states_[step.module].view->module().file, step.offset, step.text});
        at = step.before;
      }
      break;
    }
    // Labels are joined over all callers of a function: a way through many calls may be nobody's way.
    const auto steps = [&](std::string_view kind) {
      return std::ranges::count_if(hit.finding.flow,
                                   [&](const RawFlowStep& step) { return step.text.starts_with(kind); });
    };
    // What came back out of a call is this caller's, though whose credentials it may be is not: two of these are as
    // doubtful as one.
    const bool secrets = rule == "EXFIL-003";
    const bool one_owner = secrets && taint.vendors.count() < 2;
    // The same helper again and again (base64 of base64) is one way.
    std::ptrdiff_t through = 0;
    for (auto step = hit.finding.flow.begin(); step != hit.finding.flow.end(); ++step) {
      const bool again = std::any_of(hit.finding.flow.begin(), step,
                                     [&](const RawFlowStep& before) { return before.text == step->text; });
      through += step->text.starts_with("through `") && !again ? 1 : 0;
    }
    const auto calls = steps("passed to `") + (one_owner ? 0 : (through + 1) / 2);
    // What came over a socket, and a history that begins with a program's output: nothing shows the way of the former.
    const bool others = because == kSocketData && !hit.finding.flow.empty() &&
                        hit.finding.flow.front().text == "output of a command" && calls > 0;
    if (others) hit.finding.scale = std::min(hit.finding.scale, 0.3);
    // Exactly followed is the last call alone: what came a longer way to it, came by many callers as well.
    const bool exact = exact_ && calls < 3;
    if (!exact && calls >= (secrets ? 1 : 3)) hit.finding.scale = std::min(hit.finding.scale, calls >= 6 ? 0.12 : 0.3);
    // An answer of a tool that some file or variable goes into by several helpers: which one, nothing says.
    const bool some =
        rule == "EXFIL-008" && !hit.finding.flow.empty() &&
        (hit.finding.flow.front().text == "reads a file" || hit.finding.flow.front().text == "reads the environment");
    if (some && calls >= 2) hit.finding.scale = std::min(hit.finding.scale, 0.3);
    hit.finding.flow.push_back(RawFlowStep{code().file, loc.begin, hit.finding.message});
  }
  hits_.push_back(std::move(hit));
}

void Engine::Worsen(std::string_view rule, core::Severity severity) {
  if (!last_ || hits_.empty() || hits_.back().finding.rule != rule || hits_.back().module != module_) return;
  hits_.back().finding.severity = severity;
}

void Engine::Use(const Call& call, Permission permission, std::string detail, bool chosen, bool shell) {
  if (!last_ || call.expr >= code().exprs.size()) return;
  const std::uint64_t key =
      (std::uint64_t{module_} << 40U) ^ (std::uint64_t{call.expr} << 6U) ^ static_cast<unsigned>(permission);
  if (!used_.insert(key).second || uses_.size() >= 50'000) return;
  UseAt at;
  at.module = module_;
  at.function = function_;
  at.role = call.entry != nullptr ? call.entry->role : Role::kUnlisted;
  at.chosen = chosen;
  at.shell = shell;
  at.use.permission = permission;
  at.use.file = code().file;
  at.use.loc = code().exprs[call.expr].loc;
  at.use.callee = call.callee.text;
  at.use.obfuscation = call.callee.obfuscation;
  at.use.detail = Shown(detail, 200);
  uses_.push_back(std::move(at));
}

}  // namespace interlock::scan::code
