#include <algorithm>

#include "interlock/base/digits.h"
#include "interlock/base/secret_text.h"
#include "interlock/base/text.h"
#include "session_impl.h"
#include "words.h"

namespace interlock::bounds {
namespace {

constexpr std::size_t kMaxFields = 16;
constexpr std::size_t kShortestField = 4;

// Of "https://host/path?a=b": the host, and what stands behind the question or hash mark. Empty: no link.
struct Link {
  std::string_view host;
  std::string_view fields;
};
Link LinkOf(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || scheme == 0 || scheme > 8) return {};
  std::string_view rest = text.substr(scheme + 3);
  Link link;
  link.host = rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size()));
  if (const std::size_t user = link.host.rfind('@'); user != std::string_view::npos) link.host.remove_prefix(user + 1);
  const std::size_t mark = rest.find_first_of("?#");
  if (mark != std::string_view::npos) link.fields = rest.substr(mark + 1);
  return link;
}

std::string Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? base::HexValue(text[at + 1]) : -1;
    const int low = high >= 0 ? base::HexValue(text[at + 2]) : -1;
    if (low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      at += 2;
    } else {
      out.push_back(text[at] == '+' ? ' ' : text[at]);
    }
  }
  return out;
}

// Tools whose use is that somebody else reads it.
bool SendsOut(std::string_view tool) {
  static constexpr std::string_view kVerbs[] = {"send",    "post",    "reply",    "comment",  "publish", "upload",
                                                "share",   "forward", "submit",   "mail",     "email",   "message",
                                                "notify",  "tweet",   "sms",      "text",     "page",    "webhook",
                                                "respond", "answer",  "announce", "broadcast"};
  return std::ranges::any_of(WordsOf(tool.substr(0, 256), 16), [](const std::string& word) {
    return std::ranges::find(kVerbs, word) != std::end(kVerbs);
  });
}

}  // namespace

// A place that only a result names, and data that another result holds: whoever wrote the one is told the other. A host
// that the request names, or that a call before this one went to, is no news.
bool BoundsSession::Impl::CarriesAway(const ProposedCall& call, Judgement& judgement) const {
  if (call.tool_class != ToolClass::kSink) return false;
  for (const Leaf& leaf : LeavesOf(call.arguments)) {
    const Link link = LinkOf(leaf.text);
    if (link.host.size() < kShortestField || link.fields.size() < kShortestField) continue;
    if (IsExplained(leaf.pointer, call.explained) || request.find(link.host) != std::string::npos) continue;
    const auto names_host = [&](const Seen& entry) {
      return sources.text(entry.source).find(link.host) != std::string_view::npos;
    };
    const auto first = std::ranges::find_if(seen, names_host);
    const bool visited = std::ranges::any_of(
        seen, [&](const Seen& entry) { return entry.address.find(link.host) != std::string::npos; });
    if (first == seen.end() || visited) continue;
    std::size_t count = 0;
    for (std::size_t at = 0; at < link.fields.size() && count++ < kMaxFields;) {
      const std::size_t end = std::min(link.fields.find_first_of("&;#", at), link.fields.size());
      std::string_view field = link.fields.substr(at, end - at);
      at = end + 1;
      field.remove_prefix(field.find('=') == std::string_view::npos ? 0 : field.find('=') + 1);
      const std::string value = Unescaped(field);
      if (value.size() < kShortestField || request.find(value) != std::string::npos) continue;
      const provenance::Explanation origin = sources.Explain(value, {.fuzzy = false, .derived = false});
      const Seen* from = nullptr;
      bool with_host = false;
      for (const provenance::SourceMatch& match : origin.matches) {
        const auto share = static_cast<float>(match.in_value.end - match.in_value.begin);
        if (match.source >= seen_of_source.size() || share < kGrounded * static_cast<float>(value.size())) continue;
        with_host = with_host || seen_of_source[match.source] == ~0U || names_host(seen[seen_of_source[match.source]]);
        if (seen_of_source[match.source] != ~0U) from = &seen[seen_of_source[match.source]];
      }
      if (from == nullptr || with_host) continue;
      judgement.ground = Ground::kCarriesAway;
      judgement.pointer = leaf.pointer;
      judgement.text = "takes " + base::Printable(value, 48) + " out of the result of " +
                       base::Printable(from->tool, 64) + " to " + base::Printable(link.host, 64) +
                       ", which only the result of " + base::Printable(first->tool, 64) + " names";
      return true;
    }
  }
  return false;
}

// A key or token that a result showed, in what goes to others. Files and commands of the user's own machine are the
// policy's (`redact`, paths): agents that write code carry such values from file to file all day.
bool BoundsSession::Impl::TellsSecret(const ProposedCall& call, const std::vector<LeafFacts>& facts,
                                      Judgement& judgement) const {
  for (const LeafFacts& fact : facts) {
    if (!fact.ungrounded) continue;
    base::SecretFinder secrets(fact.text, base::SecretFinder::Looks::kKnownForms);
    for (base::SecretSpan span = secrets.Next(); span.begin != span.end; span = secrets.Next()) {
      if (call.tool_class != ToolClass::kSink && !SendsOut(call.tool)) return false;
      const std::string_view secret = fact.text.substr(span.begin, span.end - span.begin);
      if (request.find(secret) != std::string::npos) continue;
      const auto shown = std::ranges::find_if(
          seen, [&](const Seen& entry) { return sources.text(entry.source).find(secret) != std::string_view::npos; });
      if (shown == seen.end()) continue;
      judgement.ground = Ground::kTellsSecret;
      judgement.pointer = fact.pointer;
      judgement.text = "a secret that the result of " + base::Printable(shown->tool, 64) +
                       " showed goes to others; your request does not name it";
      return true;
    }
  }
  return false;
}

// The session's texts may hold the value as well: then it has a source that was to be read.
bool BoundsSession::Impl::ByDefinition(const ProposedCall& call, Judgement& judgement) const {
  if (call.definitions == nullptr || call.definitions->empty()) return false;
  for (const Leaf& leaf : LeavesOf(call.arguments)) {
    const std::string_view argument = std::string_view(leaf.pointer).substr(leaf.pointer.rfind('/') + 1);
    const std::string* by = call.definitions->NamedBy(call.tool, argument, leaf.text);
    if (by == nullptr || IsExplained(leaf.pointer, call.explained)) continue;
    if (sources.Explain(leaf.text, {.fuzzy = false, .derived = false}).covered >= kGrounded) continue;
    judgement.ground = Ground::kDefinition;
    judgement.pointer = leaf.pointer;
    judgement.text = (leaf.pointer.empty() ? "the argument" : leaf.pointer.substr(1)) + " " +
                     base::Printable(leaf.text, 48) + " appears only in the definition of the tool " +
                     base::Printable(*by, 64);
    if (has_request) judgement.text += "; your request does not name it";
    return true;
  }
  return false;
}

Judgement BoundsSession::Impl::Explain(const ProposedCall& call, const std::vector<LeafFacts>& facts,
                                       const FeatureVector& features, Judgement judgement) const {
  const Seen* suspicious = Worst();
  // The argument that most hangs on the suspicious text.
  const LeafFacts* main = nullptr;
  float weight = 0.0F;
  for (const LeafFacts& fact : facts) {
    if (!fact.ungrounded) continue;
    const float mine = std::max(0.0F, fact.span - fact.request) + (fact.found && fact.taint > 0.0F ? 1.0F : 0.0F) +
                       (fact.text.size() <= kLongValue ? 0.25F : 0.0F);
    if (main == nullptr || mine > weight) {
      main = &fact;
      weight = mine;
    }
  }
  const float asked = features[static_cast<std::size_t>(Feature::kIntentRequest)];
  const bool tainted = main != nullptr && (main->span > main->request || (main->found && main->taint > 0.0F));
  std::string text;
  if (main != nullptr) {
    judgement.pointer = main->pointer;
    const std::string name = main->pointer.empty() ? "the argument" : main->pointer.substr(1);
    text = name + " " + base::Printable(main->text, 48);
    const Seen* from = main->seen != nullptr ? main->seen : (main->span > 0.0F ? suspicious : nullptr);
    if (from != nullptr) {
      text += main->clean < kGrounded ? " appears only in the result of " : " appears in the result of ";
      text += base::Printable(from->tool, 64);
      if (main->encoded && !main->plain) text += ", where it stands encoded";
      if (tainted) text += ", inside text that addresses you";
    } else {
      text += " appears in nothing the agent has seen";
    }
    if (has_request) text += "; your request does not name it";
  }
  if (has_request && asked < 0.0F) {
    if (!text.empty()) text += "; ";
    text += "your request does not ask for " + base::Printable(call.tool, 64);
  }
  if (suspicious != nullptr && suspicious->best > 0.0F && !suspicious->spans.empty()) {
    const std::string_view source = sources.text(suspicious->source);
    const base::ByteSpan span = suspicious->spans.front();
    if (span.begin < source.size()) {
      text += text.empty() ? "" : "; ";
      text += "the result of " + base::Printable(suspicious->tool, 64) + " says \"" +
              base::Printable(source.substr(span.begin, span.end - span.begin), 120) + "\"";
    }
  }
  if (flow) {
    const FlowReading path = flow->ControlFlow(call.tool);
    text += text.empty() ? "" : "; ";
    if (path.flow == FlowClass::kNovel) {
      text += "no learned session has taken this step";
    } else {
      text += "learned sessions that took this step: " + std::to_string(path.benign) + " benign, " +
              std::to_string(path.attack) + (path.attack == 1 ? " attack" : " attacks");
    }
  }
  if (tainted) {
    judgement.ground = Ground::kTaint;
  } else if (asked < 0.0F) {
    judgement.ground = Ground::kUnasked;
  } else {
    judgement.ground =
        features[static_cast<std::size_t>(Feature::kPathOdds)] > 1.0F ? Ground::kPath : Ground::kCombined;
  }
  // Delegation: the document's orders are the user's own as far as the request names the document.
  if (delegates && judgement.verdict == core::Verdict::kBlock && !call.high_risk) {
    const Seen* from = main != nullptr && main->seen != nullptr ? main->seen : suspicious;
    std::vector<std::uint32_t> address;
    if (from != nullptr) Tokens(from->address, kMaxValueTokens, false, address);
    if (from != nullptr && Share(address, request_tokens) >= kGrounded) {
      judgement.verdict = core::Verdict::kEscalate;
      judgement.ground = Ground::kDelegated;
      text += "; your request says to do what it says";
    }
  }
  judgement.text = std::move(text);
  return judgement;
}

std::string_view NameOf(Ground ground) noexcept {
  switch (ground) {
    case Ground::kNotGated:
      return "not-gated";
    case Ground::kUnexposed:
      return "unexposed";
    case Ground::kWithin:
      return "within";
    case Ground::kTaint:
      return "taint";
    case Ground::kUnasked:
      return "unasked";
    case Ground::kPath:
      return "path";
    case Ground::kCombined:
      return "combined";
    case Ground::kDelegated:
      return "delegated";
    case Ground::kExplained:
      return "explained";
    case Ground::kDefinition:
      return "definition";
    case Ground::kCarriesAway:
      return "carries-away";
    case Ground::kTellsSecret:
      return "tells-secret";
    case Ground::kContradicted:
      return "contradicted";
  }
  return "unknown";
}

}  // namespace interlock::bounds
