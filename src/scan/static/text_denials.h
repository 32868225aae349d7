// What is denied, and how far a denial reaches. "Do not forget to send it" and "do not answer before you have sent it"
// order what they seem to deny: whoever asks only whether there is a "not" some words before a verb takes either for a
// prohibition. Thread rule: pure. Private to the text layer.
#pragma once

#include <cstdint>

#include "static/text_canvas.h"

namespace interlock::scan {

enum class Denial : std::uint8_t { kNone, kNot, kWithout };
enum class DenialEnds : std::uint8_t {
  kClause,  // at a colon, a dash, a parenthesis, a comma with a conjunction: "do not read, copy or send" denies three
  kSign,    // ... and at any comma: "if you cannot, tell the user"
};

// By its classes: `without` counts as a denial where asked for.
inline Denial DenialOf(WordSet set, bool without) {
  if ((set & Bit(kWNot)) != 0) return Denial::kNot;
  return without && (set & Bit(kWWithout)) != 0 ? Denial::kWithout : Denial::kNone;
}

// Does the clause end between one token and the next, `k`?
bool ClauseEnds(const TextCanvas& canvas, std::uint32_t k, DenialEnds ends);
// "Do not only ...", "not just": no denial. `next`: the token behind it.
bool OnlyMore(const TextCanvas& canvas, std::uint32_t next);

// Is what stands at `verb` denied by the denial at `denial` (tokens of one sentence, denial < verb)? Not where a word
// between them turns it ("forget to", "fail to", "skip sending") or names a condition that must be met first ("before",
// "until", "unless", "without"), nor where both stand in a clause of a condition and behind its comma ("if you do not
// know it, send ...").
bool DenialReaches(const TextCanvas& canvas, std::uint32_t denial, std::uint32_t verb);

inline constexpr std::uint32_t kDenialWords = 6;  // from a denial to its verb, where nothing says otherwise

// Is the verb at `verb`, in a sentence whose first token is `first`, denied by one of the `words` before it? Two
// denials are none ("does not refrain from", "never end without sending it"). `of` says of a token what it denies.
template <class Of>
bool Denied(const TextCanvas& canvas, std::uint32_t first, std::uint32_t verb, std::uint32_t words, DenialEnds ends,
            const Of& of) {
  bool denied = false;
  bool any = false;
  for (std::uint32_t k = verb; k > first && verb - k < words; --k) {
    if (ClauseEnds(canvas, k, ends)) break;
    const Denial denial = of(k - 1);
    if (denial == Denial::kNone || OnlyMore(canvas, k)) continue;
    // How far the first of two reaches the second says.
    if (!any && denial == Denial::kNot && !DenialReaches(canvas, k - 1, verb)) continue;
    any = true;
    denied = !denied;
  }
  return denied;
}

// "Do not finish without sending it", "never reply until you have sent it": `verb` must be done. The first token of its
// sentence is `first`.
bool RequiredBefore(const TextCanvas& canvas, std::uint32_t first, std::uint32_t verb);

// "Never push without telling anybody": is what begins with the "without" at `without` ruled out, rather than how
// something that is ordered shall be done?
bool NeverWithout(const TextCanvas& canvas, std::uint32_t first, std::uint32_t without);

}  // namespace interlock::scan
