// A small MCP server inside the test binary: started with INTERLOCK_TEST_SERVER in its environment, the binary is the
// server and not the tests. What it does is told by tool names, so that one server shows every way to misbehave.
#pragma once

namespace interlock::runtime::mcp {
inline constexpr char kTestServerVariable[] = "INTERLOCK_TEST_SERVER";
}  // namespace interlock::runtime::mcp
