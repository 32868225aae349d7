#include "interlock/gate/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "interlock/base/text.h"
#include "interlock/bounds/session.h"
#include "interlock/injection/span_finder.h"
#include "redact.h"
#include "result_text.h"
#include "session_keys.h"

namespace interlock::gate {
namespace {

constexpr int kMaskRounds = 3;
constexpr std::size_t kShownSpan = 160;
constexpr std::string_view kIncomplete = "not everything that this session has read could be looked at";

std::shared_ptr<const bounds::BoundsModel> SharedModel() {
  static const std::shared_ptr<const bounds::BoundsModel> model = bounds::DefaultBoundsModel();
  return model;
}

std::shared_ptr<const injection::SpanFinder> SharedFinder() {
  static const auto finder = std::make_shared<const injection::SpanFinder>(injection::DefaultSpanModel());
  return finder;
}

float QuarantineThreshold(const policy::QuarantineSettings& settings) {
  static const float of_model = injection::DefaultSpanModel()->quarantine_threshold();
  return settings.threshold ? static_cast<float>(*settings.threshold) : of_model;
}

// `text` without the notices that masking leaves: our own words are nobody's evidence.
std::string WithoutNotices(std::string_view text) {
  static const std::string notice = [] {
    injection::Span all;
    all.bytes = {0, 1};
    return injection::MaskSpans("x", {all});
  }();
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find(notice, at), text.size());
    out.append(text.substr(at, next - at));
    at = std::min(next + notice.size(), text.size());
  }
  return out;
}

double Probability(double log_odds) noexcept { return 1.0 / (1.0 + std::exp(-log_odds)); }

constexpr std::string_view kEarlierText = "an earlier text";

}  // namespace

SessionState::SessionState(std::shared_ptr<const policy::PolicySnapshot> policy, SessionOptions options)
    : policy_(std::move(policy)),
      options_(std::move(options)),
      facts_(options_.key),
      values_(provenance::ValueIndexOptions{.key = options_.key}) {
  INTERLOCK_CHECK(policy_ != nullptr, "a session has a policy; without one the adapter fails closed");
  principal_ = policy_->ResolvePrincipal(options_.principal);
  used_amounts_.assign(policy_->budgets().size(), 0.0);
  own_.assign(policy_->budgets().size(), 0.0);
  StartReading();
}

SessionState::~SessionState() = default;

bool SessionState::LayerOn(core::Layer layer) const noexcept {
  return policy_->profile().layer(layer) != policy::LayerMode::kOff;
}

void SessionState::StartReading() {
  if (reading_ != nullptr || (!LayerOn(core::Layer::kBounds) && !LayerOn(core::Layer::kInjection))) return;
  if (options_.bounds_model == nullptr) options_.bounds_model = SharedModel();
  if (options_.span_finder == nullptr) options_.span_finder = SharedFinder();
  bounds::BoundsOptions options;
  options.key = options_.key;
  options.graph = options_.graph;
  options.roles = principal_.roles;
  reading_ = std::make_unique<bounds::BoundsSession>(options_.bounds_model, options_.span_finder, std::move(options));
  saw_all_ = saw_all_ && !has_seen_;
}

void SessionState::SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy) {
  INTERLOCK_CHECK(policy != nullptr, "a session has a policy; without one the adapter fails closed");
  // Label bits are a policy's own numbering: what the session has seen is carried over by name.
  std::array<core::LabelSet, core::kMaxPolicyLabels> renumbered{};
  core::LabelSet labels = labels_ & ((core::LabelSet{1} << core::kFirstPolicyLabel) - 1);
  for (std::size_t i = 0; i < renumbered.size(); ++i) {
    const core::LabelSet bit = core::LabelSet{1} << (core::kFirstPolicyLabel + static_cast<int>(i));
    const std::vector<std::string_view> name = policy_->LabelNames(bit);
    if (!name.empty()) renumbered[i] = policy->LabelFromName(name.front()).value_or(0);
    if ((labels_ & bit) != 0) labels |= renumbered[i];
  }
  labels_ = labels;
  values_.Relabel(renumbered);
  // Budgets, too, are carried over by name.
  std::vector<double> amounts(policy->budgets().size(), 0.0);
  std::vector<double> own(amounts.size(), 0.0);
  for (std::size_t to = 0; to < amounts.size(); ++to) {
    const auto old = policy_->budgets();
    for (std::size_t from = 0; from < old.size() && from < used_amounts_.size(); ++from) {
      if (old[from].id != policy->budgets()[to].id || old[from].kind != policy->budgets()[to].kind) continue;
      amounts[to] = used_amounts_[from];
      own[to] = own_[from];
    }
  }
  used_amounts_ = std::move(amounts);
  own_ = std::move(own);
  policy_ = std::move(policy);
  principal_ = policy_->ResolvePrincipal(options_.principal);
  // Entries point into the rules of the policy they were built for.
  if (catalogue_ != nullptr && &catalogue_->policy() != policy_.get()) {
    catalogue_.reset();
    tool_classes_.clear();
    Watch();  // its sources were the catalogue's
  }
  StartReading();
}

void SessionState::SetCatalogue(std::shared_ptr<const policy::ToolCatalogue> catalogue, bool instructions_changed) {
  INTERLOCK_CHECK(catalogue == nullptr || &catalogue->policy() == policy_.get(),
                  "a catalogue is built for the session's policy");
  if (catalogue != catalogue_) tool_classes_.clear();
  catalogue_ = std::move(catalogue);
  instructions_changed_ = instructions_changed;
  Watch();
}

void SessionState::SetRequest(std::string_view text) {
  request_ = core::RequestState::kKnown;
  labels_ |= core::kLabelRequest;
  has_seen_ = true;
  request_text_ += text;
  request_text_ += '\n';
  if (reading_ != nullptr) reading_->SetRequest(text);
  if (IndexesValues()) {
    values_.AddText(text, core::kLabelRequest);
  } else {
    values_.MarkIncomplete();
  }
}

SessionView SessionState::View(base::Now now) const {
  SessionView view;
  view.now = now;
  view.principal = principal_.name.empty() ? nullptr : &principal_;
  view.environment = options_.environment;
  view.request = request_;
  view.labels = labels_;
  view.origins = &values_;
  view.history = this;
  view.bindings = this;
  view.break_glass = BreakGlassActive(now);
  view.used = used();
  view.grants = grants_;
  view.catalogue = catalogue_.get();
  view.instructions_changed = instructions_changed_;
  return view;
}

bounds::ToolClass SessionState::ClassOf(const policy::ToolEntry* tool) const {
  constexpr std::uint8_t kNotAsked = 0xff;
  if (tool == nullptr) return bounds::ToolClass::kAction;  // nothing is known of it
  const auto tools = catalogue_->tools();
  if (tool_classes_.size() != tools.size()) tool_classes_.assign(tools.size(), kNotAsked);
  std::uint8_t& known = tool_classes_[static_cast<std::size_t>(tool - tools.data())];
  if (known == kNotAsked) known = static_cast<std::uint8_t>(bounds::Classify(tool->spec));
  return static_cast<bounds::ToolClass>(known);
}

core::Signal SessionState::BoundsSignal(const core::Call& call, const Asked& asked) const {
  core::Signal signal;
  const policy::ToolEntry* tool = asked.tool;
  const core::SideEffect effect = tool == nullptr ? core::SideEffect::kUnknown : tool->spec.side_effect;
  const bounds::ToolClass tool_class = ClassOf(tool);
  const policy::BoundsSettings& settings = policy_->profile().bounds;
  bounds::Thresholds thresholds{.escalate = options_.bounds_model->escalate, .block = options_.bounds_model->block};
  if (settings.escalate) thresholds.escalate = static_cast<float>(*settings.escalate);
  if (settings.block) thresholds.block = static_cast<float>(*settings.block);
  if (settings.block_what_waits) thresholds.block = thresholds.escalate;
  bounds::Judgement judgement =
      reading_->Judge({.tool = call.tool,
                       .tool_class = tool_class,
                       .arguments = call.arguments,
                       .high_risk = effect == core::SideEffect::kSecurity || effect == core::SideEffect::kDeploy,
                       .explained = asked.explained,
                       .definitions = catalogue_ == nullptr ? nullptr : &catalogue_->definition_names()},
                      thresholds);
  if (!std::isfinite(judgement.score)) {
    signal.state = core::Signal::State::kError;
    signal.evidence = "the call could not be judged";
    return signal;
  }
  signal.state = core::Signal::State::kPresent;
  signal.floor = judgement.verdict;
  const bool judged = judgement.ground != bounds::Ground::kNotGated && judgement.ground != bounds::Ground::kUnexposed &&
                      judgement.ground != bounds::Ground::kExplained;
  signal.score = judged ? Probability(judgement.score) : 0.0;
  signal.evidence = std::move(judgement.text);
  signal.pointer = std::move(judgement.pointer);
  if ((judgement.complete && saw_all_) || !bounds::IsGated(tool_class)) return signal;
  // That nothing was found proves nothing then. Where the layer must speak, a person does.
  if (policy_->profile().layer(core::Layer::kBounds) == policy::LayerMode::kRequired) {
    signal.floor = core::Join(signal.floor, core::Verdict::kEscalate);
  }
  if (!signal.evidence.empty()) signal.evidence += "; ";
  signal.evidence += kIncomplete;
  return signal;
}

void SessionState::NoteScan(std::string_view source, std::string_view text, const injection::ScanResult& found) {
  constexpr std::size_t kMaxSources = 256;
  constexpr std::size_t kMaxWords = 8192;
  const policy::InjectionSettings& settings = policy_->profile().injection;
  if (settings.reach == policy::InjectionSettings::Reach::kNone) return;
  auto at = std::ranges::find(suspicions_, source, &Suspicion::source);
  if (at == suspicions_.end() && suspicions_.size() >= kMaxSources) at = suspicions_.end() - 1;
  if (at == suspicions_.end()) {
    at = suspicions_.insert(at, Suspicion{.source = std::string(source), .decayed = 0, .score = 0, .words = {}});
  }
  // What could not be looked at whole could say anything.
  const double now = found.complete ? Probability(found.max_score) : 1.0;
  at->decayed = at->decayed * settings.decay + now;
  at->score = std::max({at->score, now, std::min(1.0, at->decayed)});
  for (const injection::Span& span : found.spans) {
    if (at->words.size() > kMaxWords) break;
    at->words += text.substr(span.bytes.begin, std::min(span.bytes.end - span.bytes.begin, kMaxWords));
    at->words += '\n';
  }
}

core::SignalMap SessionState::Measure(const core::Call& call, base::Now now) const {
  Asked asked = Ask(call);
  return MeasureAsked(call, asked, now);
}

core::SignalMap SessionState::MeasureAsked(const core::Call& call, Asked& asked, base::Now now) const {
  core::SignalMap signals;
  // A malformed call is refused before anything is asked about it.
  const bool readable = !call.tool.empty() && (!call.arguments.exists() || call.arguments.is_object());
  if (reading_ != nullptr && readable && LayerOn(core::Layer::kBounds)) {
    signals[core::Layer::kBounds] = BoundsSignal(call, asked);
  }
  if (!readable) return signals;
  if (LayerOn(core::Layer::kRisk)) signals[core::Layer::kRisk] = RiskSignal(call, asked.tool, now, asked.criticality);
  if (LayerOn(core::Layer::kInjection)) signals[core::Layer::kInjection] = InjectionSignal(call, asked.tool);
  return signals;
}

core::SignalMap SessionState::Joined(const core::Call& call, const core::SignalMap& known, Asked& asked,
                                     base::Now now) const {
  core::SignalMap out = known;
  core::SignalMap measured = MeasureAsked(call, asked, now);
  for (std::size_t i = 0; i < core::kLayerCount; ++i) {
    core::Signal& own = measured[static_cast<core::Layer>(i)];
    core::Signal& given = out[static_cast<core::Layer>(i)];
    if (own.state == core::Signal::State::kAbsent) continue;
    if (given.state == core::Signal::State::kAbsent) {
      given = std::move(own);
      continue;
    }
    // Both speak: the stricter floor, and a failure of either stays one.
    if (own.state == core::Signal::State::kError) given.state = own.state;
    given.score = std::max(given.score, own.score);
    if (own.floor > given.floor) {
      given.floor = own.floor;
      given.evidence = std::move(own.evidence);
      given.pointer = std::move(own.pointer);
    }
  }
  return out;
}

std::variant<core::Decision, NeedSignals> SessionState::Decide(const core::Call& call, const core::SignalMap& known,
                                                               base::Now now) const {
  Asked asked = Ask(call);
  const core::SignalMap joined = Joined(call, known, asked, now);
  return gate::Decide(*policy_, ViewOf(asked, now), call, joined);
}

core::Decision SessionState::DecideNow(const core::Call& call, base::Now now, core::SignalMap* measured) const {
  Asked asked = Ask(call);
  core::SignalMap signals = MeasureAsked(call, asked, now);
  core::Decision decision = gate::DecideNow(*policy_, ViewOf(asked, now), call, signals);
  if (measured != nullptr) *measured = std::move(signals);
  return decision;
}

// One reading of a result's words.
struct SessionState::Look {
  ResultText words;
  std::string cleaned;  // of a masked form: its words without our notices; what is scanned and remembered
  injection::ScanResult found;
  std::vector<injection::Span> spans;  // that a model should not read
  core::Decision decision;
  std::string note;

  [[nodiscard]] std::string_view text() const noexcept { return cleaned.empty() ? words.text() : cleaned; }
};

SessionState::Look SessionState::LookAt(const core::Call& call, const core::ToolResult& result, core::Trust trust,
                                        bool masked) const {
  static const core::SignalMap kNone;
  const policy::Profile& profile = policy_->profile();
  Look look{.words = ResultText(result), .cleaned = {}, .found = {}, .spans = {}, .decision = {}, .note = {}};
  if (masked) look.cleaned = WithoutNotices(look.words.text());
  if (trust == core::Trust::kTrusted) {
    look.decision = DecideResult(*policy_, View({}), result, kNone);
    return look;
  }
  look.found = reading_->Scan({.tool = call.tool, .text = look.text(), .arguments = call.arguments});
  core::SignalMap signals;
  if (LayerOn(core::Layer::kInjection)) {
    const float threshold = QuarantineThreshold(profile.quarantine);
    for (const injection::Span& span : look.found.spans) {
      if (!(span.score < threshold)) look.spans.push_back(span);
    }
    core::Signal& signal = signals[core::Layer::kInjection];
    signal.state = core::Signal::State::kPresent;
    signal.score = Probability(look.found.max_score);
    if (!look.found.complete) {
      signal.evidence = "it is too long to be looked at whole";
      if (profile.layer(core::Layer::kInjection) == policy::LayerMode::kRequired) {
        signal.state = core::Signal::State::kError;
      }
    }
    if (!look.spans.empty()) {
      const base::ByteSpan worst = look.spans.front().bytes;
      signal.evidence =
          "it says \"" + base::Printable(look.text().substr(worst.begin, worst.end - worst.begin), kShownSpan) + "\"";
      // A request that hands its wishes to a document: to mask them would be to refuse the user.
      if (profile.quarantine.on && !reading_->delegates()) {
        signal.floor = core::Verdict::kRewrite;
      } else {
        look.note = profile.quarantine.on ? "not masked, as the request says to do what it says: "
                                          : "not masked, as quarantine is off: ";
        look.note += signal.evidence;
      }
    }
  }
  look.decision = DecideResult(*policy_, View({}), result, signals);
  return look;
}

// Masks `form` until what remains passes. False: it does not, and `out.decision` says that it is withheld.
bool SessionState::Mask(const core::Call& call, core::ToolResult& form, Look look, ResultView& out,
                        base::JsonDoc& masked) {
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  for (int round = 0; round < kMaskRounds; ++round) {
    out.masked = look.words.Masked(look.spans);
    if (form.payload.exists()) {
      auto doc = base::JsonDoc::Parse(out.masked);
      if (!doc.ok()) break;
      masked = std::move(doc.value());
      form.payload = masked.root();
    } else {
      form.text = out.masked;
    }
    const base::JsonValue structured = form.payload.Find("structuredContent");
    if (tool != nullptr && tool->output_schema.has_value() && structured.exists() && !form.is_error &&
        !tool->output_schema->Validate(structured).valid()) {
      break;  // a notice does not fit where the span stood
    }
    look = LookAt(call, form, out.trust, true);
    if (look.decision.verdict == core::Verdict::kAllow) {
      Remember(call, look, out.trust);
      return true;
    }
    if (look.decision.verdict != core::Verdict::kRewrite) {
      out.decision = std::move(look.decision);
      out.masked.clear();
      return false;
    }
    look = LookAt(call, form, out.trust, false);  // where in the form as it stands
    if (look.spans.empty()) break;
  }
  out.masked.clear();
  out.decision.verdict = core::Verdict::kBlock;
  out.decision.rewritten_result = false;
  for (core::Evidence& evidence : out.decision.evidence) {
    if (evidence.layer == core::Layer::kInjection) evidence.verdict = core::Verdict::kBlock;
  }
  return false;
}

void SessionState::Remember(const core::Call& call, const Look& look, core::Trust trust) {
  const bool trusted = trust == core::Trust::kTrusted;
  (void)reading_->OnResult({.tool = call.tool,
                            .text = look.text(),
                            .arguments = call.arguments,
                            .trusted = trusted,
                            .scan = trusted ? nullptr : &look.found});
  if (!trusted) NoteScan(call.tool, look.text(), look.found);
}

core::ToolResult SessionState::Read(const core::Call& call, const core::ToolResult& result, ResultView& out,
                                    base::JsonDoc& masked) {
  static const core::SignalMap kNone;
  has_seen_ = true;
  if (reading_ == nullptr || result.guidance) {
    out.decision = DecideResult(*policy_, View({}), result, kNone);
    return result;
  }
  Look look = LookAt(call, result, out.trust, false);
  out.decision = look.decision;
  out.note = look.note;
  const bool as_it_is = options_.as_recorded || look.decision.shadow || look.decision.verdict == core::Verdict::kAllow;
  if (as_it_is) {
    Remember(call, look, out.trust);
    return result;
  }
  core::ToolResult form = result;
  if (out.decision.verdict == core::Verdict::kRewrite) {
    if (Mask(call, form, std::move(look), out, masked)) return form;
  }
  return result;  // withheld: bounds has not read it; labels and values are kept all the same
}

// `form` becomes the result without its secrets, held by `clean` or by the answer.
Redaction SessionState::WithoutSecrets(core::ToolResult& form, base::JsonDoc& clean) {
  Redaction secrets = form.payload.exists() ? RedactSecrets(form.payload) : RedactText(form.text.value_or(""));
  if (secrets.count == 0) return secrets;
  if (!form.payload.exists()) {
    redacted_text_ = secrets.json;
    form.text = redacted_text_;
    return secrets;
  }
  auto doc = base::JsonDoc::Parse(secrets.json);
  INTERLOCK_CHECK(doc.ok(), "a JSON value with other strings in it is JSON");
  clean = std::move(doc.value());
  form.payload = clean.root();
  return secrets;
}

// What passes is the clean form; what is withheld or masked further stays so.
void SessionState::SayRedacted(const Redaction& secrets, ResultView& out) {
  out.decision.evidence.push_back(core::Evidence{
      .layer = core::Layer::kPolicy,
      .reason = core::Reason::kSecret,
      .verdict = core::Verdict::kRewrite,
      .rule = {},
      .pointer = secrets.pointer,
      .text = std::to_string(secrets.count) + (secrets.count == 1 ? " secret is" : " secrets are") + " taken out"});
  if (out.decision.verdict != core::Verdict::kAllow) return;
  out.decision.verdict = core::Verdict::kRewrite;
  out.decision.reason = core::Reason::kSecret;
  out.decision.rewritten_result = true;
  out.masked = secrets.json;
}

SessionState::ResultView SessionState::OnResult(const core::Call& call, const core::ToolResult& result,
                                                std::optional<core::Trust> trust_override) {
  ResultView out;
  const policy::ToolEntry* tool = catalogue_ == nullptr ? nullptr : catalogue_->Find(call.tool);
  out.trust = tool == nullptr ? core::Trust::kUntrusted : tool->spec.result_trust;
  // A trace may state that a result was untrusted; it cannot make a result trusted that the policy does not trust.
  if (trust_override == core::Trust::kUntrusted) out.trust = core::Trust::kUntrusted;
  base::JsonDoc masked;
  base::JsonDoc clean;
  Redaction secrets;
  core::ToolResult given = result;
  if (policy_->profile().redact.results && !result.guidance && !options_.as_recorded) {
    secrets = WithoutSecrets(given, clean);
    out.redacted = secrets.count;
  }
  const core::ToolResult read = Read(call, given, out, masked);
  if (secrets.count > 0) SayRedacted(secrets, out);
  out.labels = out.trust == core::Trust::kTrusted ? core::kLabelTrusted : core::kLabelUntrusted;
  if (tool != nullptr) out.labels |= tool->spec.result_labels;
  labels_ |= out.labels;
  if (IndexesValues()) {
    if (read.payload.exists()) values_.AddJson(read.payload, out.labels);
    if (read.text.has_value()) values_.AddText(*read.text, out.labels);
  } else {
    values_.MarkIncomplete();
  }
  // What was withheld has told the session nothing.
  if (!result.is_error && !(out.decision.verdict == core::Verdict::kBlock && !out.decision.shadow)) {
    RememberFacts(call, read, out.trust, FingerprintOf(result));
  }
  return out;
}

void SessionState::AddSeenText(std::string_view text, core::LabelSet labels) {
  labels_ |= labels;
  has_seen_ = true;
  if (reading_ != nullptr) {
    const bool trusted = (labels & core::kLabelTrusted) != 0 && (labels & core::kLabelUntrusted) == 0;
    const injection::ScanResult& found =
        reading_->OnResult({.tool = kEarlierText, .text = text, .arguments = {}, .trusted = trusted});
    if (!trusted) NoteScan(kEarlierText, text, found);
  }
  if (IndexesValues()) {
    values_.AddText(text, labels);
  } else {
    values_.MarkIncomplete();
  }
}

void SessionState::MergeLabels(core::LabelSet labels) {
  // Whoever has seen it, it was not shown here.
  if ((labels & ~labels_ & core::kLabelUntrusted) != 0) saw_all_ = false;
  labels_ |= labels;
}

base::Status SessionState::MergeValues(std::string_view blob) {
  saw_all_ = false;
  return values_.MergeDelta(blob);
}

base::Status SessionState::MergeValues(std::string_view blob, std::span<const std::string> label_names) {
  saw_all_ = false;
  std::vector<core::LabelSet> bits;
  bits.reserve(label_names.size());
  for (const std::string& name : label_names) bits.push_back(policy_->LabelFromName(name).value_or(0));
  return values_.MergeDelta(blob, bits);
}

std::string SessionState::TakeValueDelta() { return values_.TakeDelta(); }

}  // namespace interlock::gate
