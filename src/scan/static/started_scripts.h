// Programs under names that say nothing of it: `bash .claude/style.txt`, `python3 assets/setup.dat`. Engine room.
#pragma once

#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// A text that a document, a hook, a manifest or a script has an interpreter run is read as that interpreter's program,
// and as the text that it is (FileContext::started).
// The first word behind the interpreter that is no option, in at most 400 texts and 256 KiB of each; a program given in
// the line itself (-c, -e, -m) is none.
void FindStartedScripts(std::vector<FileContext>& files);

// A text that code gives to what runs code, in the same line: `exec(open("notes.txt").read())`,
// `eval(readFileSync("LICENSE"))`, `require("./core")`, which is JavaScript whatever its name ends in. It is read as
// that language's program, and as the text that it is, and stands where that code does. At most 400 programs and
// 256 KiB of each.
void FindEvaluatedTexts(std::vector<FileContext>& files);

}  // namespace interlock::scan
