#include <algorithm>

#include "interlock/base/text.h"
#include "session_impl.h"

namespace interlock::bounds {

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
  }
  return "unknown";
}

}  // namespace interlock::bounds
