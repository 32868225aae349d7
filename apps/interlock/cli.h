// The command line: options to structs (commands.h), then dispatch.
#pragma once

namespace interlock::app {
int RunCommandLine(int argc, char** argv);
}  // namespace interlock::app
