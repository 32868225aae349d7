// Life of the process: parse the command line, run one command, flush. Nothing else lives here.
#include <csignal>
#include <cstdio>

#include "cli.h"

int main(int argc, char** argv) {
  // A reader that went away is an error where we write, not a reason to die unheard.
  std::signal(SIGPIPE, SIG_IGN);
  int rc = interlock::app::RunCommandLine(argc, argv);
  if (std::fflush(stdout) != 0 && rc == 0) rc = 2;
  return rc;
}
