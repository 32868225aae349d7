// Commands and programs among what a text says. Private to text*.cc.
#pragma once

#include "static/text_findings.h"

namespace interlock::scan {

// Spans and blocks of documents, what tools and errors have their reader run, command lines of servers that a host's
// settings start. Findings stand behind those that are there already, and an order to run what a command fetches takes
// the command's host.
void JudgeCommandsIn(TextFindings& text);

}  // namespace interlock::scan
