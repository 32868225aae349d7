// How far a denial reaches. "Do not forget to send it" and "do not answer before you have sent it" order what they seem
// to deny: whoever asks only whether there is a "not" some words before a verb takes either for a prohibition. Thread
// rule: pure. Private to the text layer.
#pragma once

#include <cstdint>

#include "static/text_canvas.h"

namespace interlock::scan {

// Is what stands at `verb` denied by the denial at `denial` (tokens of one sentence, denial < verb)? Not where a word
// between them turns it ("forget to", "fail to", "skip sending") or names a condition that must be met first ("before",
// "until", "unless", "without"), nor where both stand in a clause of a condition and behind its comma ("if you do not
// know it, send ...").
bool DenialReaches(const TextCanvas& canvas, std::uint32_t denial, std::uint32_t verb);

// "Do not finish without sending it", "never reply until you have sent it": `verb` must be done. The first token of its
// sentence is `first`.
bool RequiredBefore(const TextCanvas& canvas, std::uint32_t first, std::uint32_t verb);

// "Never push without telling anybody": is what begins with the "without" at `without` ruled out, rather than how
// something that is ordered shall be done?
bool NeverWithout(const TextCanvas& canvas, std::uint32_t first, std::uint32_t without);

}  // namespace interlock::scan
