// Files that programs of the user's read when they start, and run what stands in them: editors, debuggers,
// interpreters, build tools. Everybody writes some; what is fetched and run from one is nobody's setting.
#pragma once

#include <string_view>

namespace interlock::scan::code {

// `path`: in small letters, with forward slashes. Total on any text.
[[nodiscard]] bool IsRcFile(std::string_view path);
// The text has something fetched, or decoded, and run, or another program's code loaded before every other.
[[nodiscard]] bool RunsFetched(std::string_view text);

}  // namespace interlock::scan::code
