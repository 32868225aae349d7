#include "static/shown_writes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "code/shell_paths.h"

namespace interlock::scan {
namespace {

TEST(ShownWrites, TheCheapLookMissesNoPlaceThatStartsByItself) {
  for (const std::string_view path :
       {"~/.bashrc", "~/.zshenv", "~/.profile", "~/.bash_login", "~/.zlogin", "~/.xinitrc", "~/.ssh/rc",
        "~/.ssh/authorized_keys", "/etc/cron.d/x", "/etc/ld.so.preload", "~/.config/autostart/x.desktop",
        "~/.config/systemd/user/x.service", "~/Library/LaunchAgents/x.plist", ".git/hooks/post-commit",
        "~/.config/fish/config.fish", "sitecustomize.py", "/lib/systemd/system/x.service"}) {
    EXPECT_TRUE(code::shell::IsStartupPath(path)) << path;
    EXPECT_TRUE(MayNameStarted(path)) << path;
  }
  EXPECT_FALSE(MayNameStarted("Sort the rows by date."));
}

TEST(ShownWrites, SaysWhatIsWrittenAndWhere) {
  const std::string line = "Append `alias sudo=x y` to the user's `~/.bashrc`.";
  const std::string_view span = std::string_view(line).substr(8, 14);
  EXPECT_EQ(WriteSaid(line, span), "printf '%s\\n' 'alias sudo=x y' >> ~/.bashrc");
  EXPECT_EQ(WriteSaid("Look at `alias sudo=x y` in `~/.bashrc`.", "alias sudo=x y"), "");
  EXPECT_EQ(WriteShown("Füge dies in ~/.zshrc ein:", "a b", ""), "printf '%s\\n' 'a b' >> ~/.zshrc");
  EXPECT_EQ(WriteShown("Add this to ~/.zshrc:", "echo a >> ~/.zshrc", "sh"), "");
  EXPECT_EQ(OrdersShown("次を `CLAUDE.md` に追加：", ""), "CLAUDE.md");
}

}  // namespace
}  // namespace interlock::scan
