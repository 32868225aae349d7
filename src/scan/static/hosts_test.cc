// Kinds of hosts: what counts is where a program would connect to, not what the address looks like to a reader.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "static/shell_judge.h"
#include "static/verdict.h"

namespace interlock::scan {
namespace {

TEST(Hosts, HostOfIsWhereAClientConnects) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"https://Tool.Example/Install.sh", "tool.example"},
      {"tool.example", "tool.example"},
      {"tool.example:8443/x", "tool.example"},
      {"https://tool.example.:443/", "tool.example"},
      {"https://tool.example?x=https://github.com/", "tool.example"},
      {"https://tool.example#@github.com/", "tool.example"},
      {"https://github.com@evil.example/", "evil.example"},
      {"https://github.com:443@evil.example:8080/x", "evil.example"},
      {"https://a@b@evil.example/", "evil.example"},
      {"https://evil.example/@github.com", "evil.example"},
      {"https://evil.example\\x", "evil.example"},
      {"http://[2001:DB8::1]:8080/x", "[2001:db8::1]"},
      {"http://user@[::1]/x", "[::1]"},
      {"", ""},
      {"https:///x", ""},
  };
  for (const auto& [url, host] : cases) EXPECT_EQ(HostOf(url), host) << url;
}

TEST(Hosts, AddressesInAnySpelling) {
  const std::vector<std::pair<std::string, HostKind>> cases = {
      {"http://203.0.113.7/x", HostKind::kRawAddress},
      {"203.0.113.7:8080", HostKind::kRawAddress},
      {"http://3405803783/", HostKind::kRawAddress},
      {"http://0xCB007107/", HostKind::kRawAddress},
      {"http://0xcb.0.0x71.7/", HostKind::kRawAddress},
      {"http://0313.0.0161.07/", HostKind::kRawAddress},
      {"http://203.28935/", HostKind::kRawAddress},
      {"http://user:pw@203.0.113.7/", HostKind::kRawAddress},
      {"http://[2001:db8::1]/", HostKind::kRawAddress},
      {"http://[::ffff:203.0.113.7]/", HostKind::kRawAddress},
      {"http://[fd::1]/", HostKind::kRawAddress},  // 00fd::1, not fd00::/8
      {"http://127.0.0.1:3000/mcp", HostKind::kLocal},
      {"http://127.1/", HostKind::kLocal},
      {"http://2130706433/", HostKind::kLocal},
      {"http://0x7f000001/", HostKind::kLocal},
      {"http://017700000001/", HostKind::kLocal},
      {"http://10.1.2.3/", HostKind::kLocal},
      {"http://172.16.0.1/", HostKind::kLocal},
      {"http://172.31.255.255/", HostKind::kLocal},
      {"http://172.32.0.1/", HostKind::kRawAddress},
      {"http://192.168.1.1/", HostKind::kLocal},
      {"http://[::1]:80/", HostKind::kLocal},
      {"http://[FE80::1]/", HostKind::kLocal},
      {"http://[fd12:3456::1]/", HostKind::kLocal},
      {"http://[::ffff:127.0.0.1]/", HostKind::kLocal},
      {"http://localhost:8000", HostKind::kLocal},
      {"http://printer.local/", HostKind::kLocal},
      // Not addresses.
      {"http://256.0.0.1/", HostKind::kOrdinary},
      {"http://1.2.3.4.5/", HostKind::kOrdinary},
      {"http://0x/", HostKind::kOrdinary},
      {"http://127.0.0.1.evil.example/", HostKind::kOrdinary},
      {"http://localhost.evil.example/", HostKind::kOrdinary},
      {"http://printer.local.evil.example/", HostKind::kOrdinary},
      {"3.12", HostKind::kOrdinary},
      {"1.2.3", HostKind::kOrdinary},
      {"8080", HostKind::kOrdinary},
  };
  for (const auto& [url, kind] : cases) EXPECT_EQ(KindOfHost(url), kind) << url;
}

TEST(Hosts, KnownHostsAndTheirLookAlikes) {
  const std::vector<std::pair<std::string, HostKind>> cases = {
      {"https://github.com/acme/tool", HostKind::kForge},
      {"https://GitHub.com:443/acme/tool", HostKind::kForge},
      {"https://acme.github.io/x", HostKind::kForge},
      {"https://github.com.evil.example/acme", HostKind::kOrdinary},
      {"https://evil-github.com/acme", HostKind::kOrdinary},
      {"https://evilgithub.com/acme", HostKind::kOrdinary},
      {"https://github.com@evil.example/", HostKind::kOrdinary},
      {"https://github.com\\@evil.example/", HostKind::kOrdinary},
      {"https://evil.example\\@github.com/", HostKind::kOrdinary},
      {"https://evil.example/github.com", HostKind::kOrdinary},
      {"https://evil.example/?u=https://github.com/", HostKind::kOrdinary},
      {"https://sh.rustup.rs", HostKind::kInstaller},
      {"https://sh.rustup.rs.evil.example", HostKind::kOrdinary},
      {"https://registry.npmjs.org/x", HostKind::kRegistry},
      {"https://abc.ngrok.io/x", HostKind::kTunnel},
      {"https://pastebin.com/raw/x", HostKind::kPaste},
      {"https://bit.ly/x", HostKind::kShortener},
  };
  for (const auto& [url, kind] : cases) EXPECT_EQ(KindOfHost(url), kind) << url;
}

// A forge's installers are known by owner: the owner must be one, not look like one.
TEST(Hosts, ANameServiceIsNotTheNamesBelowIt) {
  EXPECT_EQ(KindOfHost("https://www.duckdns.org/update?domains=home"), HostKind::kOrdinary);
  EXPECT_EQ(KindOfHost("https://home.duckdns.org/update"), HostKind::kTunnel);
}

TEST(Hosts, KnownPathsOnlyUnderTheirOwnHost) {
  const std::vector<std::pair<std::string, HostKind>> cases = {
      {"https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh", HostKind::kInstaller},
      {"https://raw.githubusercontent.com/x/../Homebrew/install.sh", HostKind::kInstaller},
      {"https://raw.githubusercontent.com/homebrew-evil/install.sh", HostKind::kForge},
      {"https://raw.githubusercontent.com/evil/homebrew/install.sh", HostKind::kForge},
      {"https://raw.githubusercontent.com/homebrew/../evil/install.sh", HostKind::kForge},
      {"https://raw.githubusercontent.com/homebrew/%2E%2e/evil/install.sh", HostKind::kForge},
      {"https://evil.example/raw.githubusercontent.com/homebrew/install.sh", HostKind::kOrdinary},
      {"https://evil.example/?x=/raw.githubusercontent.com/homebrew/", HostKind::kOrdinary},
      {"https://raw.githubusercontent.com.evil.example/homebrew/install.sh", HostKind::kOrdinary},
      {"https://raw.githubusercontent.com@evil.example/homebrew/install.sh", HostKind::kOrdinary},
      {"https://discord.com/api/webhooks/1/x", HostKind::kTunnel},
      {"https://ptb.discord.com/api//./webhooks/1/x", HostKind::kTunnel},
      {"https://discord.com/channels/1", HostKind::kOrdinary},
  };
  for (const auto& [url, kind] : cases) EXPECT_EQ(KindOfHost(url), kind) << url;
}

TEST(Hosts, WhatStandsForAHostIsNone) {
  for (const char* stands : {"https://[removed]/x", "http://<your-host>/x.sh", "https://.../x", "[redacted]",
                             "https://xxx/a", "http://\xE2\x80\xA6/a"}) {
    EXPECT_TRUE(IsPlaceholderHost(stands)) << stands;
  }
  for (const char* host : {"https://[2001:db8::1]/x", "https://removed.example/x", "https://x.example/...", "",
                           "https:///x", "http://203.0.113.4/<name>",
                           // a part of somebody's host, what stands before one, and a name that can be had
                           "https://<your-id>.tool.example/x", "https://[id].tool.example/x",
                           "https://<x>@tool.example/", "https://[x]@tool.example/", "https://xx.xxx/a"}) {
    EXPECT_FALSE(IsPlaceholderHost(host)) << host;
  }
}

TEST(Hosts, OwnHostsAreToldByHostAndForgeAccountOnly) {
  const Identity identity{{"acme", "widget"}};
  for (const char* own :
       {"https://get.acme.example/x", "acme.example", "https://github.com/acme/other/x.sh",
        "https://raw.githubusercontent.com/maker/widget/main/x.sh", "https://GitHub.com/Acme/x",
        "https://acme.github.io", "https://getacme.example", "https://x.acme-cdn.example", "https://acmehq.example"}) {
    EXPECT_TRUE(IsOwnHost(own, identity)) << own;
  }
  for (const char* other :
       {"https://evil.example/acme/install.sh", "https://evil.example/?acme", "https://acme.example@evil.example/",
        "https://acme.example\\@evil.example/", "https://github.com/evil/x/acme.sh", "https://github.com/evil/x?acme",
        "https://github.com/evil#acme", "https://termwidget.example", "https://acmefast.example", ""}) {
    EXPECT_FALSE(IsOwnHost(other, identity)) << other;
  }
  EXPECT_FALSE(IsOwnHost("https://acme.example", Identity{}));
}

}  // namespace
}  // namespace interlock::scan
