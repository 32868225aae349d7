#include "code/tree.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::scan::code {
namespace {

constexpr NodeKind kCall = 1;
constexpr NodeKind kPlus = 2;
constexpr NodeKind kBinary = 3;
constexpr NodeField kFunction = 1;

const NodeKinds& Python() {
  static const NodeKinds kinds(Grammar::kPython,
                               {{"call", kCall}, {"+", kPlus, false}, {"binary_operator", kBinary, true, false, true}},
                               {{"function", kFunction}});
  return kinds;
}

NodeKinds Bare(Grammar grammar) { return NodeKinds(grammar, {}, {}); }

// A parent before its children, children inside it.
void ExpectWellFormed(const SyntaxTree& tree, std::size_t text_bytes) {
  for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
    const SyntaxNode& node = tree.nodes[i];
    ASSERT_GT(node.next, i);
    ASSERT_LE(node.next, tree.nodes.size());
    ASSERT_LE(node.begin, node.end);
    ASSERT_LE(node.end, text_bytes);
    if (i == 0) continue;
    ASSERT_LT(node.parent, i);
    ASSERT_LE(node.next, tree.nodes[node.parent].next);
  }
}

TEST(Tree, KeepsNamedNodesAndListedTokens) {
  const std::string_view text = "f(a + b)";
  const SyntaxTree tree = ParseSyntax(Python(), text, {});
  ASSERT_TRUE(tree.complete);
  ExpectWellFormed(tree, text.size());
  NodeIndex call = 0;
  while (call < tree.nodes.size() && tree.nodes[call].kind != kCall) ++call;
  ASSERT_LT(call, tree.nodes.size());
  const NodeIndex function = tree.Child(call, kFunction);
  ASSERT_NE(function, kNone);
  EXPECT_EQ(tree.Text(function, text), "f");
  std::size_t tokens = 0;
  for (const SyntaxNode& node : tree.nodes) tokens += node.kind == kPlus ? 1U : 0U;
  EXPECT_EQ(tokens, 1U);
}

TEST(Tree, EveryGrammarReadsItsLanguage) {
  struct Case {
    Grammar grammar;
    std::string_view text;
  };
  for (const Case& c : {Case{Grammar::kPython, "import os\nprint(os.name)\n"},
                        Case{Grammar::kJavaScript, "const x = <a href='b'>t</a>; y?.z ?? 1;\n"},
                        Case{Grammar::kTypeScript, "let x: Map<string, number> = <any>y; enum E { A }\n"},
                        Case{Grammar::kTsx, "const x: JSX.Element = <a>{1 as number}</a>;\n"},
                        Case{Grammar::kBash, "for i in $(ls); do echo \"$i\" | wc -l; done\n"},
                        Case{Grammar::kGo, "package p\n\nfunc f(a []int) (n int, err error) { return a[0], nil }\n"},
                        Case{Grammar::kRust, "fn f<'a>(x: &'a str) -> Option<u8> { x.bytes().next() }\n"}}) {
    const SyntaxTree tree = ParseSyntax(Bare(c.grammar), c.text, {});
    EXPECT_TRUE(tree.complete) << c.text;
    EXPECT_EQ(tree.error_bytes, 0U) << c.text;
    EXPECT_GT(tree.nodes.size(), 5U) << c.text;
  }
}

TEST(Tree, CountsBytesThatDoNotParse) {
  const SyntaxTree tree = ParseSyntax(Python(), "x = = 3\n", {});
  EXPECT_TRUE(tree.complete);
  EXPECT_GT(tree.error_bytes, 0U);
}

TEST(Tree, StopsAtMaxBytes) {
  const SyntaxTree tree = ParseSyntax(Python(), "a = 1\nb = 2\n", {.max_bytes = 6});
  EXPECT_FALSE(tree.complete);
  EXPECT_EQ(tree.stop, "bytes");
  ExpectWellFormed(tree, 6);
}

TEST(Tree, StopsAtMaxNodes) {
  const SyntaxTree tree = ParseSyntax(Python(), "f(1, 2, 3, 4)\n", {.max_nodes = 4});
  EXPECT_FALSE(tree.complete);
  EXPECT_EQ(tree.stop, "nodes");
  ExpectWellFormed(tree, 14);
}

TEST(Tree, NestingEndsAtMaxDepthButChainsDoNotNest) {
  std::string nested = std::string(200, '(') + "x" + std::string(200, ')') + "\n";
  const SyntaxTree deep = ParseSyntax(Python(), nested, {.max_depth = 50});
  EXPECT_FALSE(deep.complete);
  EXPECT_EQ(deep.stop, "depth");
  std::string chain = "x = 'a'";
  for (int i = 0; i < 5000; ++i) chain += " + 'b'";
  const SyntaxTree wide = ParseSyntax(Python(), chain + "\n", {.max_depth = 50});
  EXPECT_TRUE(wide.complete);
}

TEST(Tree, HostileTextsEndInEveryGrammar) {
  std::string tokens;
  std::string noise;
  constexpr std::string_view kTokens[] = {"(", "[",  "{", "}", "'",  "\"", "`", "if ", "def ", "\n",
                                          ":", "${", "<", ">", "/*", "\\", " ", "=",   "x",    "`${"};
  std::uint32_t state = 1;
  for (int i = 0; i < 5'000; ++i) {
    state = state * 1664525U + 1013904223U;
    tokens += kTokens[(state >> 16) % std::size(kTokens)];
    noise += static_cast<char>(state >> 24);
  }
  const std::string texts[] = {std::string(40'000, '\''),
                               std::string(65'535, '('),
                               std::string(30'000, '"'),
                               std::string(30'000, '{'),
                               std::string(30'000, '`'),
                               std::string(200'000, '\n'),
                               std::string(1'000, '\0'),
                               tokens,
                               noise,
                               ""};
  for (const Grammar grammar : {Grammar::kPython, Grammar::kJavaScript, Grammar::kTypeScript, Grammar::kTsx,
                                Grammar::kBash, Grammar::kGo, Grammar::kRust}) {
    const NodeKinds kinds = Bare(grammar);
    for (const std::string& text : texts) {
      const SyntaxTree tree = ParseSyntax(kinds, text, {});
      ExpectWellFormed(tree, text.size());
      EXPECT_LE(tree.error_bytes, text.size());
    }
  }
}

TEST(Tree, BytesThatAreNoTextAreNotParsed) {
  std::string noise(20'000, '\x01');
  const SyntaxTree tree = ParseSyntax(Python(), noise, {});
  EXPECT_FALSE(tree.complete);
  EXPECT_EQ(tree.stop, "not-text");
  EXPECT_EQ(tree.error_bytes, noise.size());
  // Text in other scripts is text.
  std::string greek = "# ";
  for (int i = 0; i < 5000; ++i) greek += "\xce\xb1";
  EXPECT_TRUE(ParseSyntax(Python(), greek, {}).complete);
}

TEST(Tree, OneHostileLineCostsItsPieceOnly) {
  std::string text = "const before = require('fs');\n";
  for (int i = 0; i < 400; ++i) text += "const filler" + std::to_string(i) + " = 1;\n";
  text += std::string(60'000, '\'') + "\n";
  for (int i = 0; i < 400; ++i) text += "const padding" + std::to_string(i) + " = 1;\n";
  text += "const after = require('net');\n";
  const SyntaxTree tree = ParseSyntax(Bare(Grammar::kJavaScript), text, {});
  EXPECT_FALSE(tree.complete);
  EXPECT_EQ(tree.stop, "parse-ops");
  ExpectWellFormed(tree, text.size());
  bool before = false;
  bool after = false;
  for (NodeIndex i = 1; i < tree.nodes.size(); ++i) {
    before |= tree.Text(i, text) == "before";
    after |= tree.Text(i, text) == "after";
  }
  EXPECT_TRUE(before);
  EXPECT_TRUE(after);
}

TEST(Tree, TheOperationBudgetIsTheCallers) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "f(x)\n";
  const SyntaxTree tree = ParseSyntax(Python(), text, {.max_parse_ops = 10});
  EXPECT_FALSE(tree.complete);
  EXPECT_EQ(tree.stop, "parse-ops");
}

}  // namespace
}  // namespace interlock::scan::code
