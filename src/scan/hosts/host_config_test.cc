#include "interlock/scan/host_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "interlock/base/json.h"

namespace interlock::scan {
namespace {

using base::ErrorCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

HostConfig Parse(std::string_view text, HostSyntax syntax = HostSyntax::kJson) {
  auto config = ParseHostConfig(syntax, text);
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.error().ToString());
  return config.ok() ? std::move(config.value()) : HostConfig{};
}

TEST(HostConfig, McpServersOfBothTransports) {
  const HostConfig config = Parse(R"({
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server-files", "/srv"], "env": {"API_KEY": "sk-1", "N": 5}},
    "remote": {
      "type": "http", "url": "https://mcp.example/mcp", "headers": {"Authorization": "Bearer x"}, "disabled": true},
    "other": {"serverUrl": "https://w.example/sse"},
    "odd": "not a server",
    "none": {}
  }})");
  ASSERT_THAT(config.servers, SizeIs(3));
  EXPECT_EQ(config.servers[0].name, "files");
  EXPECT_THAT(config.servers[0].command, ElementsAre("npx", "-y", "server-files", "/srv"));
  EXPECT_THAT(config.servers[0].environment, ElementsAre(Pair("API_KEY", "sk-1"), Pair("N", "5")));
  EXPECT_EQ(config.servers[0].line, 3u);
  EXPECT_TRUE(config.servers[0].enabled);
  EXPECT_EQ(config.servers[1].url, "https://mcp.example/mcp");
  EXPECT_THAT(config.servers[1].headers, ElementsAre(Pair("Authorization", "Bearer x")));
  EXPECT_FALSE(config.servers[1].enabled);
  EXPECT_EQ(config.servers[2].url, "https://w.example/sse");
}

TEST(HostConfig, EveryHostsOwnSpelling) {
  EXPECT_EQ(Parse(R"({"servers":{"a":{"type":"stdio","command":"x"}},"inputs":[]})").servers.at(0).name, "a");
  EXPECT_EQ(Parse(R"({"mcp":{"servers":{"b":{"command":"x"}}}})").servers.at(0).name, "b");
  EXPECT_EQ(Parse(R"({"mcp.servers":{"c":{"command":"x"}}})").servers.at(0).name, "c");
  const HostConfig opencode = Parse(
      R"({"mcp":{"d":{"type":"local","command":["bun","x"],"environment":{"K":"v"},"enabled":false}},"plugin":["p@1"]})");
  EXPECT_THAT(opencode.servers.at(0).command, ElementsAre("bun", "x"));
  EXPECT_FALSE(opencode.servers.at(0).enabled);
  EXPECT_EQ(opencode.plugins.at(0).name, "p@1");
  const HostConfig claude = Parse(R"({"projects":{"/home/u/p":{"mcpServers":{"e":{"command":"x"}}}}})");
  EXPECT_EQ(claude.servers.at(0).project, "/home/u/p");
}

TEST(HostConfig, HooksInTheirThreeShapes) {
  const HostConfig config = Parse(R"({"hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "args": ["--fast"]},
                                                  {"type": "http", "url": "https://h.example/"}]}],
    "beforeShellExecution": [{"command": "./audit.sh"}],
    "pre_run_command": {"bash": "a", "powershell": "b"}},
    "enabledPlugins": {"good@market": true, "off@market": false}})");
  ASSERT_THAT(config.hooks, SizeIs(4));
  EXPECT_EQ(config.hooks[0].command, "check.sh --fast");
  EXPECT_EQ(config.hooks[0].matcher, "Bash");
  EXPECT_EQ(config.hooks[1].type, "http");
  EXPECT_EQ(config.hooks[2].event, "beforeShellExecution");
  EXPECT_EQ(config.hooks[3].command, "a | b");
  ASSERT_THAT(config.plugins, SizeIs(2));
  EXPECT_FALSE(config.plugins[1].enabled);
  const HostConfig installed = Parse(R"({"version":2,"plugins":{"p@m":[{"scope":"user","installPath":"/p/1.0"}]}})");
  EXPECT_EQ(installed.plugins.at(0).path, "/p/1.0");
}

TEST(HostConfig, CommentsAndTrailingCommasLeaveOffsetsAlone) {
  const std::string_view text =
      "\xef\xbb\xbf{ // first\n \"a\": \"// no, \\\" /* not */\", /* two\n lines */ \"b\": [1, 2, /* x */ ], }\n";
  const std::string stripped = StripJsonComments(text);
  EXPECT_EQ(stripped.size(), text.size());
  const auto doc = base::JsonDoc::Parse(stripped);
  ASSERT_TRUE(doc.ok()) << doc.error().ToString();
  EXPECT_EQ(doc.value().root().Find("a").string(), "// no, \" /* not */");
  EXPECT_EQ(doc.value().root().Find("b").size(), 2u);
  EXPECT_EQ(Parse("{\n// c\n\"mcpServers\":\n{\"x\":\n{\"command\":\"y\",},},}").servers.at(0).line, 5u);
}

TEST(HostConfig, WhatIsBrokenIsSaid) {
  const auto code = [](std::string_view text, HostSyntax syntax = HostSyntax::kJson) {
    const auto config = ParseHostConfig(syntax, text);
    return config.ok() ? ErrorCode::kInternal : config.error().code();
  };
  EXPECT_EQ(code(R"({"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}})"), ErrorCode::kJsonDuplicateKey);
  EXPECT_EQ(code("{\"a\": /* no end"), ErrorCode::kJsonSyntax);
  EXPECT_EQ(code(std::string(200, '[') + std::string(200, ']')), ErrorCode::kJsonDepth);
  EXPECT_EQ(code("a = \"no end", HostSyntax::kToml), ErrorCode::kJsonSyntax);
  EXPECT_EQ(code("a = 1\na = 2", HostSyntax::kToml), ErrorCode::kJsonDuplicateKey);
  EXPECT_EQ(code("a = " + std::string(100, '[') + std::string(100, ']'), HostSyntax::kToml), ErrorCode::kJsonDepth);
  EXPECT_EQ(ParseHostConfig(HostSyntax::kToml, "\n\nb = \n").error().place().line, 3u);
}

TEST(HostConfig, TomlOfCodex) {
  const HostConfig config = Parse(R"(model = "x" # comment
approval.policy = 'never'

[mcp_servers.docs]
command = "npx"
args = [
  "-y",  # yes
  'docs-server',
]
env = { "API_KEY" = "v\u0061lue", PLAIN = 'a' }
startup_timeout_sec = 10.5

[mcp_servers."with space"]
url = "https://c.example/mcp"
enabled = false
[mcp_servers."with space".http_headers]
X-Token = """
secret"""

[[hooks.PreToolUse]]
matcher = "shell"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "check"
)",
                                  HostSyntax::kToml);
  ASSERT_THAT(config.servers, SizeIs(2));
  EXPECT_THAT(config.servers[0].command, ElementsAre("npx", "-y", "docs-server"));
  EXPECT_THAT(config.servers[0].environment, ElementsAre(Pair("API_KEY", "value"), Pair("PLAIN", "a")));
  EXPECT_EQ(config.servers[0].line, 4u);
  EXPECT_EQ(config.servers[1].url, "https://c.example/mcp");
  EXPECT_FALSE(config.servers[1].enabled);
  EXPECT_THAT(config.servers[1].headers, ElementsAre(Pair("X-Token", "secret")));
  ASSERT_THAT(config.hooks, SizeIs(1));
  EXPECT_EQ(config.hooks[0].matcher, "shell");
}

TEST(HostConfig, SecretsAreNeverPrinted) {
  EXPECT_EQ(PrintableCommand({"npx", "server", "--api-key", "hunter2", "--port", "80"}),
            "npx server --api-key *** --port 80");
  EXPECT_EQ(PrintableCommand({"docker", "run", "-e", "GITHUB_TOKEN=abc", "image"}),
            "docker run -e GITHUB_TOKEN=*** image");
  EXPECT_EQ(PrintableCommand({"x", "ghp_0123456789abcdefghij", "--header", "Authorization:", "Bearer-x"}),
            "x *** --header Authorization: ***");
  EXPECT_EQ(PrintableCommand({"npx", "mcp-remote", "https://u:p@h.example/a?key=v&b#f"}),
            "npx mcp-remote https://***@h.example/a?key=***&b");
  EXPECT_EQ(PrintableCommand({"sh", "-c", "TOKEN=abc run --password x"}), "sh -c 'TOKEN=*** run --password ***'");
  EXPECT_EQ(PrintableUrl("https://h.example/s/0123456789abcdef0123456789abcdef/mcp"), "https://h.example/s/***/mcp");
  EXPECT_EQ(PrintableUrl("https://h.example/mcp"), "https://h.example/mcp");
  EXPECT_EQ(PrintableCommand({"uvx", "mcp-server-fetch", "--from", "git+https://g.example/r"}),
            "uvx mcp-server-fetch --from git+https://g.example/r");
}

}  // namespace
}  // namespace interlock::scan
