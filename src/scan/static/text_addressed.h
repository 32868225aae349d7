// Which parts of a document speak to agents. A read-me and a change log are read by people; what stands in one under
// "For AI assistants", or begins with "Agents: ...", is there for whoever reads it to act.
#pragma once

#include <vector>

#include "static/analysis.h"
#include "static/text_canvas.h"

namespace interlock::scan {

[[nodiscard]] bool SpeaksToAgents(const TextCanvas& canvas, const TextPassage& passage);
// A text of many words among the strings of a program is a prompt or a page, and no message to a programmer; the notes
// in a table are read by whoever uses it, and a comment that speaks to agents by them.
[[nodiscard]] bool IsGivenText(const FileContext& file, const TextCanvas& canvas, const TextPassage& passage);
// A block of words in instructions: "Use this prompt: ...".
[[nodiscard]] bool IsShownProse(const FileContext& file, const TextPassage& passage, const TextSurface& surface);
// What is found in such parts counts as what an agent is given. What the classifier of orders says (PI-03.) stays where
// it was: it was taught by what packages give to agents, and read-me files have a tone of their own.
// `whole`: the file is written for agents from end to end (llms.txt).
void RaiseAddressed(const TextCanvas& canvas, bool whole, std::vector<RawFinding>& findings);

// "Must be called before any other tool", of the tool that opens the session: a server's own order of work.
[[nodiscard]] double WeightOfFirstStep(const RawFinding& finding, std::string_view text);

}  // namespace interlock::scan
