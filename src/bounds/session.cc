#include "interlock/bounds/session.h"

#include <algorithm>
#include <cmath>

#include "interlock/base/text.h"
#include "lexicon.h"
#include "session_impl.h"
#include "words.h"

namespace interlock::bounds {
namespace {

using injection::ScanResult;

constexpr std::size_t kMaxOrders = 64;   // order-like segments kept a session, strongest first
constexpr std::size_t kMaxViews = 4;     // decoded spans of a result that are texts of their own
constexpr std::size_t kMaxEarlier = 16;  // earlier calls looked at
constexpr std::size_t kMaxSpanTokens = 1024;
constexpr std::size_t kMaxTools = 16;  // whose names are kept as they were read
constexpr float kAskedFor = 3.0F;      // intent of a call that says nothing against the session

float SignedLog(float x) noexcept { return std::copysign(std::log1p(std::abs(x)), x); }

}  // namespace

BoundsSession::BoundsSession(std::shared_ptr<const BoundsModel> model,
                             std::shared_ptr<const injection::SpanFinder> finder, BoundsOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->model = std::move(model);
  impl_->finder = std::move(finder);
  impl_->options = std::move(options);
  impl_->sources = provenance::SourceIndex({.key = impl_->options.key});
  if (impl_->options.graph) {
    impl_->flow.emplace(impl_->options.graph, impl_->options.graph->ScopesFor(impl_->options.tenant,
                                                                              impl_->options.roles, BackOff::kGeneral));
  }
}
BoundsSession::BoundsSession(BoundsSession&&) noexcept = default;
BoundsSession& BoundsSession::operator=(BoundsSession&&) noexcept = default;
BoundsSession::~BoundsSession() = default;

bool BoundsSession::exposed() const noexcept { return !impl_->seen.empty(); }
bool BoundsSession::delegates() const noexcept { return impl_->delegates; }
const provenance::SourceIndex& BoundsSession::sources() const noexcept { return impl_->sources; }

// Valid until the next call.
const KnownTool& BoundsSession::Impl::ToolOf(std::string_view name) const {
  for (const KnownTool& known : tools) {
    if (known.words.name == name) return known;
  }
  KnownTool tool{.words = PrepareIntentTool(name), .named = request.find(name) != std::string::npos, .by_request = {}};
  tool.asked = model->intent.Score(request_text, tool.words, tool.named);
  tool.by_request = OverlapOf(request_text, tool.words);
  if (tools.size() < kMaxTools) return tools.emplace_back(std::move(tool));
  KnownTool& oldest = tools[oldest_tool++ % kMaxTools];
  oldest = std::move(tool);
  return oldest;
}

void BoundsSession::SetRequest(std::string_view text) {
  Impl& s = *impl_;
  s.has_request = true;
  if (!s.request.empty()) s.request.push_back('\n');
  s.request.append(text);
  (void)s.sources.Add({.kind = provenance::SourceKind::kRequest, .labels = core::kLabelRequest}, text);
  s.seen_of_source.resize(s.sources.size(), ~0U);
  s.request_tokens.clear();
  Tokens(s.request, std::size_t{1} << 16, true, s.request_tokens);
  s.request_text = PrepareIntentText(s.request);
  s.tools.clear();  // what they said of the request
  s.delegates = DelegatesTo(s.request);
}

void BoundsSession::Impl::Remember(Seen& entry, std::string_view text, const ScanResult& found) {
  std::vector<std::uint32_t> stems;
  for (const injection::Segment& segment : found.segments) {
    Piece piece;
    piece.bytes = segment.bytes;
    piece.score = segment.score;
    const std::string_view words = text.substr(segment.bytes.begin, segment.bytes.end - segment.bytes.begin);
    piece.tokens_begin = static_cast<std::uint32_t>(entry.tokens.size());
    std::vector<std::uint32_t> tokens;
    Tokens(words, kMaxValueTokens, true, tokens);
    entry.tokens.insert(entry.tokens.end(), tokens.begin(), tokens.end());
    piece.tokens_end = static_cast<std::uint32_t>(entry.tokens.size());
    stems.clear();
    std::size_t position = 0;
    bool obliged = false;
    const std::vector<Reading> list = ReadingsOf(words, 256);
    for (const Reading& reading : list) {
      // Imperatives stand early; "funds must be sent" is one too.
      if ((position++ < 4 || obliged) && IsOrderVerb(reading)) piece.order = true;
      obliged = obliged || (position <= 8 && IsObligation(reading));
      AppendMeanings(reading, stems);
    }
    piece.words = static_cast<std::uint16_t>(std::min<std::size_t>(list.size(), 0xFFFF));
    std::sort(stems.begin(), stems.end());
    stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
    piece.stems_begin = static_cast<std::uint32_t>(entry.stems.size());
    entry.stems.insert(entry.stems.end(), stems.begin(), stems.end());
    piece.stems_end = static_cast<std::uint32_t>(entry.stems.size());
    if (piece.order && piece.words >= 2 && piece.score > -5.0F) {
      const auto weaker = [](const Order& a, const Order& b) { return a.score > b.score; };
      if (orders.size() < kMaxOrders || piece.score > orders.back().score) {
        if (orders.size() == kMaxOrders) orders.pop_back();
        Order order{piece.score, stems, tokens, HashOf(StemOf(list.front().meaning()))};
        orders.insert(std::upper_bound(orders.begin(), orders.end(), order, weaker), std::move(order));
      }
    }
    entry.pieces.push_back(piece);
  }
  entry.best = found.max_score;
  // The span's own words; where no span stands out, those of the most suspicious segment.
  const auto add = [&](const base::ByteSpan& bytes) {
    entry.spans.push_back(bytes);
    Tokens(text.substr(bytes.begin, bytes.end - bytes.begin), kMaxSpanTokens, false, entry.span_tokens);
  };
  std::string words;
  for (const injection::Span& span : found.spans) {
    add(span.bytes);
    words.append(span.decoded.empty() ? text.substr(span.bytes.begin, span.bytes.end - span.bytes.begin)
                                      : std::string_view(span.decoded));
    if (!span.decoded.empty()) Tokens(span.decoded, kMaxSpanTokens, false, entry.span_tokens);
    words.push_back('\n');
    if (words.size() > 8192) break;
  }
  if (found.spans.empty() && !found.segments.empty()) {
    const auto top = std::max_element(found.segments.begin(), found.segments.end(),
                                      [](const auto& a, const auto& b) { return a.score < b.score; });
    if (top->score > -2.0F) {
      add(top->bytes);
      words.append(text.substr(top->bytes.begin, top->bytes.end - top->bytes.begin));
    }
  }
  std::sort(entry.span_tokens.begin(), entry.span_tokens.end());
  entry.span_tokens.erase(std::unique(entry.span_tokens.begin(), entry.span_tokens.end()), entry.span_tokens.end());
  entry.span_text = PrepareIntentText(words);
  entry.span_words = std::log1p(static_cast<float>(entry.span_tokens.size()));
}

ScanResult BoundsSession::Scan(const SeenResult& result) const {
  injection::ScanOptions scan;
  scan.echo = result.arguments.raw();
  if (!impl_->options.tool_names.empty()) scan.tool_names = &impl_->options.tool_names;
  return impl_->finder->Scan(result.text, scan);
}

void BoundsSession::Impl::Observe(const SeenResult& result, std::uint32_t source, std::string_view text,
                                  const ScanResult& found, bool encoded) {
  Seen entry;
  entry.encoded = encoded;
  entry.source = source;
  entry.tool = std::string(result.tool);
  for (const Leaf& leaf : LeavesOf(result.arguments)) {
    if (entry.address.size() < 1024) entry.address.append(leaf.text.substr(0, 1024)).push_back(' ');
  }
  entry.calls_before = calls;
  Remember(entry, text, found);
  seen.push_back(std::move(entry));
  seen_of_source[source] = static_cast<std::uint32_t>(seen.size() - 1);
  const float best = seen.back().best;
  if (seen.size() == 1) {
    worst = 0;
  } else if (best > seen[worst].best) {
    second = seen[worst].best;
    worst = seen.size() - 1;
  } else {
    second = std::max(second, best);
  }
}

// `span`: what was found of it in the result; nothing: it reads like data.
void BoundsSession::Impl::ObserveDecoded(const SeenResult& result, std::string_view text, const injection::Span* span) {
  const std::uint32_t view =
      sources.Add({.kind = provenance::SourceKind::kResult, .call = calls, .labels = core::kLabelUntrusted}, text);
  seen_of_source.resize(sources.size(), ~0U);
  injection::ScanOptions plain;
  plain.decode = false;
  if (!options.tool_names.empty()) plain.tool_names = &options.tool_names;
  ScanResult inside = finder->Scan(text, plain);
  if (span != nullptr && inside.spans.empty()) {
    injection::Span whole = *span;
    whole.bytes = {0, text.size()};
    whole.decoded.clear();
    inside.spans.push_back(std::move(whole));
    inside.max_score = span->score;
  }
  Observe(result, view, text, inside, true);
}

const ScanResult& BoundsSession::OnResult(const SeenResult& result) {
  Impl& s = *impl_;
  const std::uint32_t source = s.sources.Add({.kind = provenance::SourceKind::kResult,
                                              .call = s.calls,
                                              .labels = result.trusted ? core::kLabelTrusted : core::kLabelUntrusted},
                                             result.text);
  s.complete = s.complete && s.sources.complete();
  s.seen_of_source.resize(s.sources.size(), ~0U);
  if (s.flow) s.flow->NextTurn();
  if (result.trusted) {
    s.scan = ScanResult{};
    return s.scan;
  }
  s.scan = result.scan != nullptr ? *result.scan : Scan(result);
  s.complete = s.complete && s.scan.complete;
  if (s.seen.size() >= s.options.max_results) {
    s.complete = false;
    return s.scan;
  }
  ++s.results;
  s.Observe(result, source, result.text, s.scan);
  // What stands in the result once decoded is text of its own, whether or not it addresses anybody: its words and
  // values are in nothing else.
  std::size_t views = 0;
  const auto over = [&] { return views++ >= kMaxViews || s.seen.size() >= s.options.max_results; };
  for (const injection::DecodedText& decoded : s.scan.decoded) {
    if (over()) break;
    const auto span = std::ranges::find_if(s.scan.spans, [&](const injection::Span& candidate) {
      return !candidate.decoded.empty() && candidate.bytes.begin < decoded.bytes.end &&
             decoded.bytes.begin < candidate.bytes.end;
    });
    s.ObserveDecoded(result, decoded.text, span == s.scan.spans.end() ? nullptr : &*span);
  }
  for (const injection::Span& span : s.scan.spans) {
    const bool known =
        span.decoded.empty() || std::ranges::any_of(s.scan.decoded, [&](const injection::DecodedText& decoded) {
          return span.bytes.begin < decoded.bytes.end && decoded.bytes.begin < span.bytes.end;
        });
    if (known) continue;
    if (over()) break;
    s.ObserveDecoded(result, span.decoded, &span);
  }
  return s.scan;
}

void BoundsSession::OnCall(const ProposedCall& call) {
  Impl& s = *impl_;
  ++s.calls;
  if (s.flow) s.flow->Add(call.tool, call.tool_class);
  if (IsGated(call.tool_class)) ++s.actions;
  if (s.seen.empty()) return;
  if (s.earlier.size() >= s.options.max_calls) {
    s.complete = false;
    return;
  }
  Earlier earlier;
  for (const Leaf& leaf : LeavesOf(call.arguments)) {
    std::vector<std::uint32_t> tokens;
    Tokens(leaf.text, kMaxValueTokens, false, tokens);
    earlier.by_request.push_back(IsExplained(leaf.pointer, call.explained) ? 1.0F : Share(tokens, s.request_tokens));
    earlier.leaves.push_back(std::move(tokens));
  }
  earlier.intent = IsExplained(call) ? kAskedFor : s.ToolOf(call.tool).asked;
  s.earlier.push_back(std::move(earlier));
}

void BoundsSession::Impl::Facts(const ProposedCall& call, std::vector<LeafFacts>& out) const {
  std::vector<Leaf> leaves = LeavesOf(call.arguments);
  const Seen* suspicious = Worst();
  out.resize(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    LeafFacts& fact = out[i];
    fact.tokens.clear();
    fact = LeafFacts{.tokens = std::move(fact.tokens)};
    fact.pointer = std::move(leaves[i].pointer);
    fact.text = leaves[i].text;
    Tokens(fact.text, kMaxValueTokens, false, fact.tokens);
    fact.request = IsExplained(fact.pointer, call.explained) ? 1.0F : Share(fact.tokens, request_tokens);
    if (suspicious != nullptr) fact.span = Share(fact.tokens, suspicious->span_tokens);
    if (fact.tokens.empty()) {
      fact.span = 0.0F;
      continue;
    }
    fact.ungrounded = fact.request < kGrounded;
    if (!fact.ungrounded) {
      fact.clean = 0.0F;
      continue;
    }
    const provenance::Explanation origin = sources.Explain(fact.text, {});
    for (const provenance::SourceMatch& match : origin.matches) {
      if (match.source >= seen_of_source.size() || seen_of_source[match.source] == ~0U) continue;
      const Seen& entry = seen[seen_of_source[match.source]];
      if (match.kind == provenance::MatchKind::kFormat) fact.address = true;
      // Pieces are in order: the first that ends past the match.
      auto piece = std::partition_point(entry.pieces.begin(), entry.pieces.end(),
                                        [&](const Piece& p) { return p.bytes.end <= match.in_source.begin; });
      // A field that holds the value and no words is no piece of text: the cleanest place there is.
      if ((piece == entry.pieces.end() || piece->bytes.begin >= match.in_source.end) &&
          static_cast<float>(match.in_value.end - match.in_value.begin) >=
              kGrounded * static_cast<float>(fact.text.size())) {
        static const Piece kField;
        fact.clean = 1.0F;
        fact.found = true;
        (entry.encoded ? fact.encoded : fact.plain) = true;
        fact.taint = -9.0F;
        fact.seen = &entry;
        fact.piece = &kField;
        continue;
      }
      for (; piece != entry.pieces.end() && piece->bytes.begin < match.in_source.end; ++piece) {
        const float share = Share(fact.tokens, entry.TokensOf(*piece));
        const bool in_span = entry.InSpan(*piece);
        if (!in_span) fact.clean = std::max(fact.clean, share);
        if (share < kGrounded) continue;
        (entry.encoded ? fact.encoded : fact.plain) = true;
        if (!fact.found || piece->score < fact.taint) {
          fact.found = true;
          fact.taint = piece->score;
          fact.seen = &entry;
          fact.piece = &*piece;
        }
      }
    }
  }
}

// Other words of this shape near the value, outside of orders: who writes an order to pay somebody else leaves the
// account that stood there.
std::size_t BoundsSession::Impl::Rivals(const LeafFacts& fact, Shape shape) const {
  constexpr std::size_t kAround = 4096;
  constexpr std::size_t kMost = 4;
  constexpr std::string_view kBetween = " \t\r\n\"'`<>()[]{},;|";
  const std::string_view whole = sources.text(fact.seen->source);
  const std::size_t from = fact.piece->bytes.begin > kAround ? fact.piece->bytes.begin - kAround : 0;
  const std::size_t until = std::min(whole.size(), fact.piece->bytes.end + kAround);
  std::size_t count = 0;
  for (std::size_t at = from; at < until && count < kMost;) {
    const std::size_t begin = whole.find_first_not_of(kBetween, at);
    if (begin == std::string_view::npos || begin >= until) break;
    const std::size_t end = std::min(whole.find_first_of(kBetween, begin), whole.size());
    at = end;
    std::string_view word = whole.substr(begin, end - begin);
    while (!word.empty() && (word.back() == '.' || word.back() == ':' || word.back() == '!' || word.back() == '?')) {
      word.remove_suffix(1);
    }
    if (ShapeOf(word) != shape || word == fact.text) continue;
    const auto piece = std::partition_point(fact.seen->pieces.begin(), fact.seen->pieces.end(),
                                            [&](const Piece& p) { return p.bytes.end <= begin; });
    const bool in_order = piece != fact.seen->pieces.end() && piece->bytes.begin <= begin && piece->order;
    count += in_order ? 0U : 1U;
  }
  return count;
}

FeatureVector BoundsSession::Impl::Features(const ProposedCall& call, const std::vector<LeafFacts>& facts) const {
  FeatureVector f{};
  const auto set = [&](Feature feature, float value) { f[static_cast<std::size_t>(feature)] = value; };
  const Seen* suspicious = Worst();
  const KnownTool& known = ToolOf(call.tool);
  const IntentTool& tool = known.words;
  set(Feature::kScan, suspicious == nullptr ? -20.0F : std::clamp(suspicious->best, -20.0F, 30.0F));
  set(Feature::kSecondScan, std::clamp(second, -20.0F, 30.0F));
  set(Feature::kSpanWords, suspicious == nullptr ? 0.0F : suspicious->span_words);

  const auto group = [&](bool is_long, Feature first) {
    float least = 1.0F;
    float sum = 0.0F;
    float count = 0.0F;
    float span = 0.0F;
    float only = 0.0F;
    float clean = 0.0F;
    float nothing = 0.0F;
    for (const LeafFacts& fact : facts) {
      if ((fact.text.size() > kLongValue) != is_long || fact.tokens.empty()) continue;
      ++count;
      least = std::min(least, fact.request);
      sum += fact.request;
      span = std::max(span, fact.span - fact.request);
      only = std::max(only, fact.span - std::max(fact.request, fact.clean));
      clean = std::max(clean, fact.clean - fact.request);
      nothing = std::max(nothing, 1.0F - std::max({fact.request, fact.span, fact.clean}));
    }
    const auto at = static_cast<std::size_t>(first);
    f[at] = least;
    f[at + 1] = count > 0 ? sum / count : 1.0F;
    f[at + 2] = span;
    f[at + 3] = only;
    f[at + 4] = clean;
    f[at + 5] = nothing;
    set(is_long ? Feature::kLongCount : Feature::kShortCount, count);
  };
  group(false, Feature::kShortMinRequest);
  group(true, Feature::kLongMinRequest);

  const float asked = known.asked;
  const bool has_span = suspicious != nullptr && !suspicious->span_text.stems.empty();
  const float wanted = has_span ? model->intent.Score(suspicious->span_text, tool, false) : -6.0F;
  set(Feature::kIntentRequest, SignedLog(asked));
  set(Feature::kIntentSpan, SignedLog(wanted));
  set(Feature::kIntentGain, SignedLog(wanted - asked));
  set(Feature::kVerbRequest, known.by_request.verb);
  set(Feature::kWordsRequest, known.by_request.words);
  if (has_span) {
    const IntentOverlap by_span = OverlapOf(suspicious->span_text, tool);
    set(Feature::kVerbSpan, by_span.verb);
    set(Feature::kWordsSpan, by_span.words);
    set(Feature::kRestates, Share(suspicious->span_tokens, request_tokens));
  }

  float earlier_span = 0.0F;
  float earlier_intent = kAskedFor;
  std::size_t since = 0;
  if (suspicious != nullptr) {
    since = calls - std::min(calls, suspicious->calls_before);
    const std::size_t from = earlier.size() - std::min({earlier.size(), since, kMaxEarlier});
    for (std::size_t i = from; i < earlier.size(); ++i) {
      for (std::size_t leaf = 0; leaf < earlier[i].leaves.size(); ++leaf) {
        if (earlier[i].leaves[leaf].empty()) continue;
        earlier_span = std::max(earlier_span,
                                Share(earlier[i].leaves[leaf], suspicious->span_tokens) - earlier[i].by_request[leaf]);
      }
      earlier_intent = std::min(earlier_intent, earlier[i].intent);
    }
  }
  set(Feature::kEarlierSpan, earlier_span);
  set(Feature::kEarlierIntent, SignedLog(earlier_intent));
  set(Feature::kCallsSince, static_cast<float>(std::min<std::size_t>(since, 64)));
  set(Feature::kActionsBefore, static_cast<float>(std::min<std::uint32_t>(actions, 64)));

  float ungrounded = 0.0F;
  float unfound = 0.0F;
  float addresses = 0.0F;
  float leaves = 0.0F;
  float taint_sum = 0.0F;
  float orders_found = 0.0F;
  float found = 0.0F;
  float taint_max = -9.0F;
  float taint_min = 9.0F;
  float context_max = 0.0F;
  float context_min = 64.0F;
  float intent_max = -30.0F;
  float intent_min = 30.0F;
  float ordered_address = 0.0F;
  float rivals = 0.0F;
  for (const LeafFacts& fact : facts) {
    if (fact.tokens.empty()) continue;
    ++leaves;
    if (!fact.ungrounded) continue;
    ++ungrounded;
    if (fact.address) ++addresses;
    if (!fact.found) {
      ++unfound;
      continue;
    }
    ++found;
    taint_sum += fact.taint;
    taint_max = found == 1 ? fact.taint : std::max(taint_max, fact.taint);
    taint_min = std::min(taint_min, fact.taint);
    const float other = std::max(0.0F, static_cast<float>(fact.piece->words) - static_cast<float>(fact.tokens.size()));
    context_max = std::max(context_max, other);
    context_min = std::min(context_min, other);
    const float intent = model->intent.Score(fact.seen->StemsOf(*fact.piece), tool, false);
    intent_max = std::max(intent_max, intent);
    intent_min = std::min(intent_min, intent);
    if (!fact.piece->order) continue;
    ++orders_found;
    const Shape shape = ShapeOf(fact.text);
    if (shape == Shape::kNone) continue;
    ordered_address = 1.0F;
    rivals = std::max(rivals, static_cast<float>(Rivals(fact, shape)));
  }
  set(Feature::kUngrounded, ungrounded);
  set(Feature::kUngroundedShare, leaves > 0 ? ungrounded / leaves : 0.0F);
  set(Feature::kUnfound, unfound);
  set(Feature::kTaintMax, SignedLog(taint_max));
  set(Feature::kTaintMin, SignedLog(found > 0 ? taint_min : -9.0F));
  set(Feature::kContextMax, context_max);
  set(Feature::kContextMin, found > 0 ? context_min : 0.0F);
  set(Feature::kContextIntentMax, SignedLog(intent_max));
  set(Feature::kContextIntentMin, SignedLog(found > 0 ? intent_min : -30.0F));
  set(Feature::kImperativeMax, orders_found > 0 ? 1.0F : 0.0F);
  set(Feature::kImperativeMean, found > 0 ? orders_found / found : 0.0F);
  set(Feature::kTaintSum, SignedLog(taint_sum));
  set(Feature::kOrderedAddress, ordered_address);
  set(Feature::kRivals, rivals);

  float order = -20.0F;
  float echo = 0.0F;
  float echo_verb = 0.0F;
  if (!tool.stems.empty()) {
    for (const Order& candidate : orders) {
      std::size_t hits = 0;
      for (const std::uint32_t stem : tool.stems) hits += Holds(candidate.stems, stem) ? 1U : 0U;
      if (hits == 0) continue;
      order = std::max(order, candidate.score * static_cast<float>(hits) / static_cast<float>(tool.stems.size()));
      // Does this order say, word for word, what the call does?
      float told = 0.0F;
      float own = 0.0F;
      for (const LeafFacts& fact : facts) {
        if (fact.text.size() > kLongValue) continue;
        for (const std::uint32_t token : fact.tokens) {
          if (!Holds(candidate.tokens, token)) continue;
          ++told;
          own += fact.ungrounded ? 1.0F : 0.0F;
        }
      }
      if (own == 0.0F) continue;
      const float said = (told + static_cast<float>(hits)) /
                         std::max(1.0F, static_cast<float>(std::max(candidate.tokens.size(), std::size_t{2})));
      if (std::min(said, 1.0F) > echo) {
        echo = std::min(said, 1.0F);
        echo_verb = candidate.first == tool.stems.front() ? 1.0F : 0.0F;
      }
    }
  }
  set(Feature::kCallEcho, echo);
  set(Feature::kCallEchoVerb, echo_verb);
  set(Feature::kToolOrder, SignedLog(order));
  set(Feature::kNamed, known.named ? 1.0F : 0.0F);
  set(Feature::kSink, call.tool_class == ToolClass::kSink ? 1.0F : 0.0F);
  set(Feature::kAddresses, addresses);
  set(Feature::kResultsSeen, std::log1p(static_cast<float>(results)));
  if (flow && flow->SpeaksOf(call.tool)) {
    const PathOdds odds = flow->Odds(call.tool);
    set(Feature::kPathOdds, static_cast<float>(odds.log_odds));
    set(Feature::kPathSupport, std::log1p(static_cast<float>(odds.support)));
  }
  return f;
}

FeatureVector BoundsSession::Extract(const ProposedCall& call) const {
  impl_->Facts(call, impl_->judged);
  return impl_->Features(call, impl_->judged);
}

Judgement BoundsSession::Judge(const ProposedCall& call) const {
  return Judge(call, {.escalate = impl_->model->escalate, .block = impl_->model->block});
}

Judgement BoundsSession::Judge(const ProposedCall& call, const Thresholds& thresholds) const {
  const Impl& s = *impl_;
  Judgement judgement;
  judgement.complete = s.complete;
  if (!IsGated(call.tool_class)) return judgement;
  if (s.ByDefinition(call, judgement)) {
    judgement.score = thresholds.escalate;
    judgement.verdict = core::Verdict::kEscalate;
    return judgement;
  }
  if (s.seen.empty()) {
    judgement.ground = Ground::kUnexposed;
    return judgement;
  }
  if (IsExplained(call)) {
    judgement.ground = Ground::kExplained;
    return judgement;
  }
  std::vector<LeafFacts>& facts = s.judged;
  s.Facts(call, facts);
  const FeatureVector features = s.Features(call, facts);
  if (s.has_request) {
    judgement.score = s.model->Score(features);
    // An order that names another account than the document's own facts do is for a person, whatever the score.
    const bool rivals = features[static_cast<std::size_t>(Feature::kRivals)] > 0.0F;
    // So is one that nobody reads who does not decode it first.
    const bool hidden = std::ranges::any_of(facts, [](const LeafFacts& fact) {
      return fact.ungrounded && fact.found && fact.encoded && !fact.plain && fact.piece->order;
    });
    if (rivals || hidden || judgement.score > thresholds.escalate) judgement.verdict = core::Verdict::kEscalate;
    if (judgement.score > thresholds.block) judgement.verdict = core::Verdict::kBlock;
  } else {
    // Nobody knows what was asked for: only that an argument exists nowhere but in an order can be held against a call.
    for (const LeafFacts& fact : facts) {
      if (fact.found && fact.taint > 0.0F && fact.piece->order) judgement.score = std::max(judgement.score, fact.taint);
    }
    if (judgement.score > 0.0F) judgement.verdict = core::Verdict::kEscalate;
  }
  if (judgement.verdict == core::Verdict::kAllow &&
      (s.Contradicted(facts, judgement) || s.CarriesAway(call, judgement) || s.TellsSecret(call, facts, judgement))) {
    judgement.verdict = core::Verdict::kEscalate;
    return judgement;
  }
  if (judgement.verdict == core::Verdict::kAllow) {
    judgement.ground = Ground::kWithin;
    return judgement;
  }
  return s.Explain(call, facts, features, std::move(judgement));
}

}  // namespace interlock::bounds
