// Command lines that stand in files which are no scripts: units of services, entries of menus and of a registry,
// provisioners, timetables, programs in languages that nobody follows. Engine room.
#pragma once

#include "static/analysis.h"

namespace interlock::scan {

// Only what has hardly an innocent reading is reported: secrets that are sent, what is fetched or decoded and run, a
// shell for somebody else. A line is looked at where it names a program that such commands need; at most 400 lines, and
// 1 MiB, of a file. Formulas of a table that start a program, or send its cells, count too.
void JudgeCommandLines(const FileContext& file, FileResult& result);

}  // namespace interlock::scan
