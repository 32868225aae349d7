// Command lines that stand in files which are no scripts: units of services, entries of menus and of a registry,
// provisioners, timetables, programs in languages that nobody follows. Engine room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

inline constexpr std::size_t kMostBytesOfCommands = std::size_t{1} << 20U;  // of a file

// Only what has hardly an innocent reading is reported: secrets that are sent, what is fetched or decoded and run, a
// shell for somebody else. A line is looked at where it names a program that such commands need; at most 400 lines, and
// 1 MiB, of a file. Formulas of a table that start a program, or send its cells, count too.
void JudgeCommandLines(const FileContext& file, FileResult& result);

// The same of settings (JSON, TOML): values of keys whose values are run, and of tables that hold commands. At most 400
// values.
void JudgeCommandValues(const FileContext& file, FileResult& result);

// What both ask. What of a line may be a command, quotes and entities undone;
[[nodiscard]] std::vector<std::string> CommandsOfLine(std::string_view line);
// and what one of them does: reported where it has hardly an innocent reading.
void JudgeCommand(const FileContext& file, base::ByteSpan place, std::string_view command, FileResult& result);

}  // namespace interlock::scan
