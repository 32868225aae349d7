// Verbs that German and Dutch write in two parts, the second at the end of the clause: "lade die Datei herunter", "voer
// het uit". Thread rule: pure. Private to text_gloss.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace interlock::scan {

struct PartedVerb {
  std::string_view english;  // empty: none
  std::size_t particle = 0;  // which of the words is its second part
};

// A verb that may have a second part: asked of every word, before its clause is cut.
[[nodiscard]] bool MayPart(std::string_view word);

// `words`: of one clause, in lower case, the first one a verb perhaps. The particle ends the clause, or stands before a
// word that begins another.
[[nodiscard]] PartedVerb PartedVerbOf(std::span<const std::string_view> words);

}  // namespace interlock::scan
