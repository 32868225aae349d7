// What a session knows for the checks of the gate itself: history, facts, risk, the reach of injections, grants,
// budgets, break-glass.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "checks.h"
#include "interlock/base/text.h"
#include "interlock/bounds/session.h"
#include "interlock/gate/session.h"
#include "interlock/risk/rho.h"
#include "session_keys.h"

namespace interlock::gate {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::size_t kMaxFacts = 64;
constexpr std::size_t kMaxFactBytes = 65'536;
constexpr std::size_t kMaxTargets = 65'536;
constexpr std::size_t kShown = 160;
constexpr int kMaxDepth = 64;

bool IsWordByte(unsigned char c) noexcept { return std::isalnum(c) != 0 || c == '_' || c == '-' || c >= 0x80; }

// `word` stands in `text` on its own: "10" is not in "100", "a" not in "a.b" or "a@b".
bool StandsAlone(std::string_view text, std::string_view word) noexcept {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto joins = [](unsigned char c) { return c == '.' || c == '@' || c == '/' || c == ':' || c == '+'; };
    const bool left =
        at > 0 && (IsWordByte(byte(at - 1)) || (at > 1 && joins(byte(at - 1)) && IsWordByte(byte(at - 2))));
    const bool right = end < text.size() && (IsWordByte(byte(end)) ||
                                             (end + 1 < text.size() && joins(byte(end)) && IsWordByte(byte(end + 1))));
    if (!left && !right) return true;
  }
  return false;
}

// Whether the arguments are already what the tool's dry run would make of them: then nothing is changed by the call.
bool IsDryRun(const core::ToolSpec& spec, const core::Call& call) {
  if (spec.dry_run_patch.empty()) return false;
  const auto patch = base::JsonDoc::Parse(spec.dry_run_patch);
  if (!patch.ok() || !patch.value().root().is_object() || patch.value().root().size() == 0) return false;
  const base::JsonValue root = patch.value().root();
  for (auto it = root.begin(); it != root.end(); ++it) {
    const base::JsonValue mine = call.arguments.Find(it.key());
    if ((*it).is_null() ? mine.exists() : !mine.exists() || base::CanonicalJson(mine) != base::CanonicalJson(*it)) {
      return false;
    }
  }
  return true;
}

// Calls `say` with every string below `value`; false from `say` ends it.
template <class Say>
bool EachString(base::JsonValue value, int depth, Say&& say) {
  if (value.is_string()) return say(value.string());
  if (depth > kMaxDepth) return true;
  for (const base::JsonValue child : value) {
    if (!EachString(child, depth + 1, say)) return false;
  }
  return true;
}

}  // namespace

bool SessionState::IndexesValues() const noexcept {
  return policy_->uses_provenance() || policy_->profile().untrusted_value != core::Verdict::kAllow;
}

void SessionState::Watch() {
  watched_.clear();
  facts_.Forget();
  if (catalogue_ == nullptr) return;
  const auto asks = [this](const core::Precondition& pre) {
    auto& pointers = watched_[pre.tool].pointers;
    if (std::ranges::find(pointers, pre.same_argument) == pointers.end()) pointers.push_back(pre.same_argument);
  };
  for (const policy::ToolEntry& entry : catalogue_->tools()) {
    std::ranges::for_each(entry.spec.preconditions, asks);
    for (const core::Unlock& unlock : entry.spec.unlocks) std::ranges::for_each(unlock.evidence, asks);
    for (const core::RoleBinding& binding : entry.spec.bindings) {
      for (const core::BindingSource& source : binding.from) {
        facts_.Know(source);
        if (source.kind == core::BindingSource::Kind::kResult) watched_[source.name].sources.push_back(&source);
        if (source.kind != core::BindingSource::Kind::kFact) continue;
        for (const auto& [channel, fact] : given_facts_) {
          if (channel == source.name) facts_.Add(source, {}, fact.root(), true);
        }
      }
    }
  }
}

base::Status SessionState::AddFact(std::string_view channel, base::JsonValue value) {
  if (!value.exists() || value.raw().size() > kMaxFactBytes) {
    return base::Error(base::ErrorCode::kLimitExceeded, "a fact is a JSON value of at most 64 KiB");
  }
  const auto same = [&](const auto& fact) { return fact.first == channel; };
  auto at = std::ranges::find_if(given_facts_, same);
  if (at == given_facts_.end() && given_facts_.size() >= kMaxFacts) {
    return base::Error(base::ErrorCode::kLimitExceeded, "at most 64 channels of facts");
  }
  auto doc = base::JsonDoc::Parse(value.raw());
  if (!doc.ok()) return doc.error();
  if (at == given_facts_.end()) {
    at = given_facts_.emplace(at, std::string(channel), std::move(doc.value()));
  } else {
    at->second = std::move(doc.value());
  }
  if (catalogue_ == nullptr) return {};
  const base::JsonValue root = at->second.root();
  for (const policy::ToolEntry& entry : catalogue_->tools()) {
    for (const core::RoleBinding& binding : entry.spec.bindings) {
      for (const core::BindingSource& source : binding.from) {
        if (source.kind != core::BindingSource::Kind::kFact || source.name != channel) continue;
        facts_.Add(source, {}, root, true);
      }
    }
  }
  return {};
}

void SessionState::RememberFacts(const core::Call& call, const core::ToolResult& read, core::Trust trust,
                                 std::uint64_t fingerprint) {
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  if (tool != nullptr && tool->spec.side_effect == core::SideEffect::kRead) {
    (void)EachString(call.arguments, 0, [&](std::string_view text) {
      if (looked_at_.size() < kMaxTargets) looked_at_.insert_or_assign(base::SipHash(options_.key, text), step_);
      return true;
    });
  }
  const auto watched = watched_.find(std::string(call.tool));
  if (watched == watched_.end()) return;
  for (const std::string& pointer : watched->second.pointers) {
    const base::JsonValue value = call.arguments.FindPointer(pointer);
    if (!pointer.empty() && !value.exists()) continue;
    const std::uint64_t key = FactKey(options_.key, call.tool, pointer, value, key_scratch_);
    if (history_.size() < options_.max_history || history_.contains(key)) {
      history_.insert_or_assign(key, Event{.result = fingerprint, .step = step_});
    }
  }
  if (watched->second.sources.empty()) return;
  // Where the answer's data is: structured, or a text that is JSON.
  base::JsonValue document = read.payload.Find("structuredContent");
  auto parsed = base::JsonDoc();
  if (!document.exists()) {
    std::string_view text = read.text.value_or(std::string_view());
    if (read.payload.exists()) {
      for (const base::JsonValue block : read.payload.Find("content")) {
        if (block.Find("type").string() == "text") {
          text = block.Find("text").string();
          break;
        }
      }
      if (text.empty()) document = read.payload;
    }
    if (!text.empty()) {
      auto doc = base::JsonDoc::Parse(text);
      if (!doc.ok()) return;  // words are no source
      parsed = std::move(doc.value());
      document = parsed.root();
    }
  }
  for (const core::BindingSource* source : watched->second.sources) {
    facts_.Add(*source, call.arguments, document, trust == core::Trust::kTrusted);
  }
}

std::optional<HistoryLookup::Seen> SessionState::Newest(std::string_view tool, std::string_view pointer,
                                                        base::JsonValue value) const {
  const auto at = history_.find(FactKey(options_.key, tool, pointer, value, key_scratch_));
  if (at == history_.end()) return std::nullopt;
  return Seen{.result = at->second.result,
              .age = static_cast<std::uint32_t>(std::min<std::uint64_t>(step_ - at->second.step, 0xffff'ffff))};
}

BindingLookup::Answer SessionState::Names(const core::BindingSource& source, const core::Call& call,
                                          base::JsonValue value) const {
  if (source.kind != core::BindingSource::Kind::kRequest) return facts_.Names(source, call, value);
  if (request_ != core::RequestState::kKnown) return Answer::kNoSource;
  const std::string_view text = value.is_string() ? value.string() : value.raw();
  return StandsAlone(request_text_, text) ? Answer::kVouches : Answer::kOther;
}

SessionState::Asked SessionState::Ask(const core::Call& call) const {
  Asked asked{.tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool),
              .bound = {},
              .explained = {},
              .criticality = {}};
  if (asked.tool == nullptr || !LayerOn(core::Layer::kProvenance)) return asked;
  bound_.clear();
  explained_.clear();
  for (const core::RoleBinding& binding : asked.tool->spec.bindings) {
    bound_.push_back(StateOf(binding, this, call));
    if (bound_.back().vouched) explained_.emplace_back(binding.argument);
  }
  asked.bound = bound_;
  asked.explained = explained_;
  return asked;
}

SessionView SessionState::ViewOf(const Asked& asked, base::Now now) const {
  SessionView view = View(now);
  view.criticality = asked.criticality;
  if (asked.tool != nullptr && LayerOn(core::Layer::kProvenance)) view.bound = asked.bound;
  return view;
}

core::Signal SessionState::RiskSignal(const core::Call& call, const policy::ToolEntry* tool, base::Now now,
                                      std::optional<double>& criticality) const {
  const risk::RhoWeights& weights = risk::DefaultRhoWeights();
  risk::RhoInputs inputs = risk::InputsOf(tool == nullptr ? nullptr : &tool->spec, call, weights);
  if (tool != nullptr) criticality = inputs.criticality;
  if (inputs.has_target) {
    std::uint64_t oldest = 0;
    bool all_seen = true;
    (void)EachString(call.arguments.FindPointer(tool->spec.target), 0, [&](std::string_view text) {
      const auto at = looked_at_.find(base::SipHash(options_.key, text));
      all_seen = at != looked_at_.end();
      if (all_seen) oldest = std::max(oldest, step_ - at->second);
      return all_seen;
    });
    if (all_seen) inputs.age = static_cast<std::uint32_t>(std::min<std::uint64_t>(oldest, 0xffff'ffff));
  }
  const risk::Rho rho = risk::ComputeRho(inputs, weights);
  core::Signal signal;
  signal.state = core::Signal::State::kPresent;
  signal.score = rho.value;
  double max_risk = policy_->profile().max_risk;
  if (const policy::BreakGlass* glass = policy_->break_glass(); glass != nullptr && BreakGlassActive(now)) {
    max_risk = std::min(1.0, max_risk + glass->raise_max_risk);
  }
  if (rho.value <= max_risk) return signal;
  if (tool != nullptr && IsDryRun(tool->spec, call)) {
    signal.score = 0.0;
    return signal;
  }
  // The gate asks a person where the tool has no dry run.
  signal.floor = core::Verdict::kRewrite;
  signal.evidence = "its risk is " + rho.Explain();
  return signal;
}

core::Signal SessionState::InjectionSignal(const core::Call& call, const policy::ToolEntry* tool) const {
  using Reach = policy::InjectionSettings::Reach;
  const policy::InjectionSettings& settings = policy_->profile().injection;
  core::Signal signal;
  if (settings.reach == Reach::kNone) return signal;
  signal.state = core::Signal::State::kPresent;
  if (tool != nullptr && tool->spec.side_effect == core::SideEffect::kRead) return signal;
  for (const Suspicion& suspicion : suspicions_) {
    if (suspicion.score <= signal.score) continue;
    if (settings.reach == Reach::kAction) {
      constexpr std::size_t kShortest = 4;
      bool reaches = suspicion.words.find(call.tool) != std::string::npos;
      (void)EachString(call.arguments, 0, [&](std::string_view text) {
        reaches = reaches || (text.size() >= kShortest && suspicion.words.find(text) != std::string::npos);
        return !reaches;
      });
      if (!reaches) continue;
    }
    signal.score = suspicion.score;
    if (suspicion.score <= settings.eta) continue;
    signal.floor = core::Verdict::kEscalate;
    signal.evidence =
        "`" + base::Printable(suspicion.source) + "` says \"" + base::Printable(suspicion.words, kShown) + "\"";
  }
  return signal;
}

Choice SessionState::Choose(std::span<const Proposal> proposals, base::Now now) const {
  std::vector<core::SignalMap> signals;
  signals.reserve(proposals.size());
  for (const Proposal& proposal : proposals) signals.push_back(Measure(proposal.call, now));
  return gate::Choose(*policy_, View(now), proposals, signals);
}

void SessionState::Commit(const core::Call& call, base::Now now, const core::Decision* decision) {
  const Asked asked = Ask(call);
  const policy::ToolEntry* tool = asked.tool;
  const core::SideEffect effect = tool == nullptr ? core::SideEffect::kUnknown : tool->spec.side_effect;
  const auto budgets = policy_->budgets();
  core::SignalMap known;
  std::optional<double> criticality;
  const auto is_risk = [](const policy::Budget& budget) { return budget.kind == policy::Budget::Kind::kRisk; };
  if (std::ranges::any_of(budgets, is_risk)) known[core::Layer::kRisk] = RiskSignal(call, tool, now, criticality);
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    const double cost = CostOf(budgets[i], tool, call, known, criticality).value_or(0.0);
    used_amounts_[i] += cost;
    own_[i] += cost;
  }
  ++used_calls_[static_cast<std::size_t>(effect)];
  ++step_;
  has_seen_ = true;
  if (reading_ != nullptr) {
    reading_->OnCall(
        {.tool = call.tool, .tool_class = ClassOf(tool), .arguments = call.arguments, .explained = asked.explained});
  }
  if (grants_.empty()) return;
  const base::Digest digest = CallDigest(call);
  bool needs_use = decision == nullptr || decision->reason == core::Reason::kApproved;
  const SessionView view = View(now);
  for (Grant& grant : grants_) {
    if (!needs_use || grant.scope != GrantScope::kPattern || !Covers(grant, *policy_, view, call)) continue;
    --grant.uses_left;
    needs_use = false;
  }
  std::erase_if(grants_, [&](const Grant& grant) {
    return (grant.scope == GrantScope::kOnce && grant.call == digest) || grant.expires_mono <= now.mono ||
           (grant.scope == GrantScope::kPattern && grant.uses_left == 0);
  });
}

base::Digest SessionState::PreconditionDigest(const core::Call& call) const {
  return gate::PreconditionDigest(View({}), call);
}

Grant SessionState::MakeGrant(const core::Call& call, GrantScope scope, base::Now now) const {
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  const std::int64_t ttl_us = std::int64_t{policy_->profile().grant_ttl_s} * kMicrosPerSecond;
  return Grant{.call = CallDigest(call),
               .definition = tool == nullptr ? base::Digest{} : tool->spec.definition,
               .policy = policy_->digest(),
               .preconditions = PreconditionDigest(call),
               .expires_mono = {now.mono.us + ttl_us},
               .given_wall = now.wall,
               .expires_wall = {now.wall.us + ttl_us},
               .scope = scope,
               .tool = std::string(call.tool)};
}

void SessionState::AddGrant(Grant grant) {
  if (grants_.size() >= options_.max_grants) grants_.erase(grants_.begin());
  grants_.push_back(std::move(grant));
}

void SessionState::AddGrant(const core::Call& call, bool once, base::Now now) {
  AddGrant(MakeGrant(call, once ? GrantScope::kOnce : GrantScope::kSession, now));
}

const Grant* SessionState::CoveringGrant(const core::Call& call, base::Now now) const {
  const SessionView view = View(now);
  const auto at = std::ranges::find_if(grants_, [&](const Grant& g) { return Covers(g, *policy_, view, call); });
  return at == grants_.end() ? nullptr : &*at;
}

bool SessionState::BreakGlassActive(base::Now now) const noexcept {
  return opening_.has_value() && policy_->break_glass() != nullptr && now.mono < opening_->until_mono &&
         now.wall < opening_->until_wall && now.wall >= opening_->given_wall;
}

std::vector<BudgetAmount> SessionState::TakeBudgetDelta() {
  std::vector<BudgetAmount> out;
  const auto budgets = policy_->budgets();
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    if (budgets[i].per != policy::Budget::Per::kPrincipalDay || own_[i] == 0.0) continue;
    out.push_back({.budget = budgets[i].id, .amount = own_[i]});
    own_[i] = 0.0;
  }
  return out;
}

void SessionState::CarryBudgets(std::span<const BudgetAmount> amounts) {
  const auto budgets = policy_->budgets();
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    if (budgets[i].per != policy::Budget::Per::kPrincipalDay) continue;
    for (const BudgetAmount& carried : amounts) {
      if (carried.budget == budgets[i].id) used_amounts_[i] = carried.amount + own_[i];
    }
  }
}

}  // namespace interlock::gate
