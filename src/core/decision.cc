#include "interlock/core/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "interlock/base/text.h"

namespace interlock::core {
namespace {

// What is told must stay readable in a terminal and cheap in a model's context, whatever a hostile call holds.
constexpr std::size_t kMaxShownEvidence = 4;
constexpr std::size_t kMaxShownRules = 8;
constexpr std::size_t kMaxNameBytes = 120;
constexpr std::size_t kMaxTextBytes = 400;

// `value` in backticks: nothing in it can end the quotation, break the line or steer the terminal.
std::string Quoted(std::string_view value) {
  std::string printable = base::Printable(value, kMaxNameBytes);
  std::replace(printable.begin(), printable.end(), '`', '\'');
  return fmt::format("`{}`", printable);
}

bool IsAboutResult(const Decision& decision) {
  return decision.rewritten_result || decision.reason == Reason::kResultSuspicious ||
         decision.reason == Reason::kResultMalformed;
}

// Refused because of the state of the guard or the server, not because of what the call is.
bool IsCircumstance(Reason reason) {
  switch (reason) {
    case Reason::kLayerMissing:
    case Reason::kPolicyUnavailable:
    case Reason::kAuditUnavailable:
    case Reason::kStoreUnavailable:
    case Reason::kOverloaded:
    case Reason::kUpstreamGone:
    case Reason::kInternalError:
      return true;
    default:
      return false;
  }
}

std::string_view WhatWasDone(const Decision& decision) {
  const bool shadow = decision.shadow;
  if (IsAboutResult(decision)) {
    switch (decision.verdict) {
      case Verdict::kAllow:
        return "passed the result of the call";
      case Verdict::kRewrite:
        return shadow ? "would have masked parts of the result of the call" : "masked parts of the result of the call";
      case Verdict::kEscalate:
      case Verdict::kBlock:
        return shadow ? "would have withheld the result of the call" : "withheld the result of the call";
    }
  }
  switch (decision.verdict) {
    case Verdict::kAllow:
      return "allowed the call";
    case Verdict::kRewrite:
      return shadow ? "would have changed the arguments of the call" : "changed the arguments of the call";
    case Verdict::kEscalate:
      return shadow ? "would have asked a person about the call" : "needs a person's approval for the call";
    case Verdict::kBlock:
      break;
  }
  return shadow ? "would have blocked the call" : "blocked the call";
}

// What follows for the reader, above all so that a model does not try the same call again and again.
std::string_view WhatFollows(const Decision& decision) {
  if (decision.verdict == Verdict::kAllow) return "";
  if (decision.shadow) return " Shadow mode: nothing was enforced.";
  if (IsAboutResult(decision)) {
    return decision.verdict == Verdict::kRewrite ? " The call itself ran."
                                                 : " The call itself ran; do not repeat it to get at its result.";
  }
  switch (decision.verdict) {
    case Verdict::kRewrite:
      return " It runs in the changed form only.";
    case Verdict::kEscalate:
      return " It does not run without that approval.";
    default:
      break;
  }
  if (IsCircumstance(decision.reason)) {
    return " It did not run. This is no judgement of the call itself: it can be tried again later.";
  }
  return " It did not run. The same call will be refused again: take another way, or ask the user.";
}

void AppendEvidence(std::string& out, const Evidence& evidence) {
  if (!evidence.rule.empty() || !evidence.pointer.empty()) {
    std::string where;
    if (!evidence.rule.empty()) where = fmt::format("rule {}", Quoted(evidence.rule));
    if (!evidence.pointer.empty()) {
      fmt::format_to(std::back_inserter(where), "{}argument {}", where.empty() ? "" : ", ", Quoted(evidence.pointer));
    }
    fmt::format_to(std::back_inserter(out), " ({})", where);
  }
  if (!evidence.text.empty()) {
    fmt::format_to(std::back_inserter(out), ": {}", base::Printable(evidence.text, kMaxTextBytes));
  }
}

}  // namespace

std::string Decision::Explain(std::string_view tool) const {
  std::string out = fmt::format("Interlock {} {}: {}", WhatWasDone(*this), Quoted(tool), TextOf(reason));
  // The first evidence for the decision's own reason belongs to the first sentence; the others follow as their own.
  // An allow has the reason "a rule allows it" and the rule as its evidence.
  const auto leads = [&](const Evidence& item) { return item.reason == reason || reason == Reason::kNone; };
  const auto leading = std::find_if(evidence.begin(), evidence.end(), leads);
  if (leading != evidence.end()) AppendEvidence(out, *leading);
  if (!out.ends_with('.')) out += '.';

  // What is milder than the verdict did not make it (rules that allowed, the default that a block overtook): the record
  // has it, the reader does not need it.
  const auto counts = [&](const Evidence& item) { return item.verdict >= verdict; };
  const auto worth = static_cast<std::size_t>(std::count_if(evidence.begin(), evidence.end(), counts));
  std::size_t shown = leading == evidence.end() || !counts(*leading) ? 0 : 1;
  for (auto item = evidence.begin(); item != evidence.end() && shown < kMaxShownEvidence; ++item) {
    if (item == leading || !counts(*item)) continue;
    fmt::format_to(std::back_inserter(out), " Also, {}", TextOf(item->reason));
    AppendEvidence(out, *item);
    if (!out.ends_with('.')) out += '.';
    ++shown;
  }
  if (worth > shown) {
    fmt::format_to(std::back_inserter(out), " {} more reasons are in the record.", worth - shown);
  }

  if (!errored_rules.empty()) {
    out += " Rules that could not be evaluated:";
    for (std::size_t i = 0; i < errored_rules.size() && i < kMaxShownRules; ++i) {
      fmt::format_to(std::back_inserter(out), "{} {}", i == 0 ? "" : ",", Quoted(errored_rules[i]));
    }
    if (errored_rules.size() > kMaxShownRules) {
      fmt::format_to(std::back_inserter(out), " and {} more", errored_rules.size() - kMaxShownRules);
    }
    out += '.';
  }
  out += WhatFollows(*this);
  return out;
}

}  // namespace interlock::core
