// Attacks rewritten: the stress suite, and an adaptive attacker that knows the method.
//
//   Trace harder = Stress(attack, StressKind::kPadded2, seed);
//   std::vector<Trace> adaptive = AdaptiveAttacks(traces, seed);
//
// Only the injected text of an attack changes, and `injected` moves with it: after every transformation each span is
// inside its call's output, on character borders, and covers all bytes that the attacker now controls the meaning of.
// The attacker's calls stay as recorded, even where the text that asked for them is now encoded. Traces without
// injected spans come back as they were. Deterministic: the same trace, kind and seed give the same bytes, whatever was
// transformed before. Thread safe. `Stress` keeps a preamble that is there: for honest figures call StripPreamble
// first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/eval/agent_sentry/dataset.h"

namespace interlock::eval::agent_sentry {

enum class StressKind : std::uint8_t {
  kParaphrased,    // synonyms, politeness frames, moved phrases; values and quoted text stay
  kPadded4,        // data-like tokens after every 4 words
  kPadded2,        // ... after every 2
  kBase64,         // the whole text, behind a short label
  kHex,            //
  kUrlEncoded,     // every byte but letters and digits
  kHtmlEntities,   // decimal and hexadecimal entities, all characters
  kHomoglyph,      // Latin letters of words as Cyrillic and Greek look-alikes; values stay
  kZeroWidth,      // invisible characters inside words; values stay
  kSpacedLetters,  // "s e n d"; values stay
  kSplitFields,    // pieces of 3 to 7 words in several fields of the record, or rows of a list; a span each
  kJsonEmbedded,   // as the value of an innocuous field in the middle of an existing record
  kGerman,         // the command frame translated word by word; values and words without translation stay
  kFrench,
  kSpanish,
  kChinese,
  kPreambleFree,   // StripPreamble
  kOtherPreamble,  // StripPreamble, then one of data/preambles.json
  kUpperCase,      // ASCII letters of everything, values too
  kLowerCase,
  kQuotedMail,  // as a quoted e-mail
};

[[nodiscard]] std::string_view NameOf(StressKind kind) noexcept;  // "padded-4", "base64", ...
[[nodiscard]] std::span<const StressKind> AllStressKinds() noexcept;

[[nodiscard]] Trace Stress(const Trace& trace, StressKind kind, std::uint64_t seed);

// Attacks by someone who knows what the guard looks at: no instruction anywhere, and no tool that the user's own run
// does not use. Each is the benign run of a prompt (traces without attack; those whose prompt an attack carries first)
// in which one action after untrusted output gets other values for its critical arguments (who, where to, which file):
//   .../adaptive/field  the value came from an output: there it is replaced, as a record with other content would say
//   it
//   .../adaptive/line   the value came from elsewhere: the output gains a data field or line ("recipient: X")
// Values have the format of those they replace and are made up from the seed. `injected` covers the values, or the
// added field. `attack_file` is "adaptive/<tool>" (the attack group), `utility_file` names the run. Where attacks with
// spans are given for a domain, only outputs of tools that carried one there are changed. At most one trace a benign
// run and form.
[[nodiscard]] std::vector<Trace> AdaptiveAttacks(std::span<const Trace> traces, std::uint64_t seed);

}  // namespace interlock::eval::agent_sentry
