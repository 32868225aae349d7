// The runtime's replaced functions do what its own do: a text that is handed over character by character is stepped
// through by the runtime's own lexer, one that lies in one piece by ours; the trees are the same.
#include <gtest/gtest.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "code/grammars.h"
#include "code/parse_memory.h"

namespace interlock::scan::code {
namespace {

struct Input {
  std::string_view text;
  bool whole = true;
};

const char* Read(void* payload, std::uint32_t byte, TSPoint /*position*/, std::uint32_t* size) {
  const auto& input = *static_cast<const Input*>(payload);
  const std::string_view rest = input.text.substr(std::min<std::size_t>(byte, input.text.size()));
  std::size_t length = rest.size();
  if (!input.whole && !rest.empty()) {
    length = 1;
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) >> 6U) == 2) ++length;
  }
  *size = static_cast<std::uint32_t>(length);
  return rest.data();
}

void Describe(TSNode node, int depth, std::string* out) {
  const TSPoint begin = ts_node_start_point(node);
  const TSPoint end = ts_node_end_point(node);
  *out += std::string(static_cast<std::size_t>(depth), ' ') + ts_node_type(node) + " " +
          std::to_string(ts_node_start_byte(node)) + "-" + std::to_string(ts_node_end_byte(node)) + " " +
          std::to_string(begin.row) + ":" + std::to_string(begin.column) + "-" + std::to_string(end.row) + ":" +
          std::to_string(end.column) + (ts_node_is_missing(node) ? " missing\n" : "\n");
  for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) Describe(ts_node_child(node, i), depth + 1, out);
}

std::string TreeOf(const TSLanguage* language, std::string_view text, bool whole) {
  ts_set_allocator(ParseMemory::Allocate, ParseMemory::Zeroed, ParseMemory::Resize, ParseMemory::Free);
  const ParseMemory scope;
  TSParser* const parser = ts_parser_new();
  EXPECT_TRUE(ts_parser_set_language(parser, language));
  Input input{text, whole};
  TSTree* const tree = ts_parser_parse(parser, nullptr, TSInput{&input, Read, TSInputEncodingUTF8, nullptr});
  std::string out;
  if (tree != nullptr) {
    Describe(ts_tree_root_node(tree), 0, &out);
    ts_tree_delete(tree);
  }
  ts_parser_delete(parser);
  return out;
}

TEST(TreeRuntime, StepsThroughATextAsTheRuntimesOwnLexerDoes) {
  struct Case {
    const TSLanguage* language;
    std::string_view text;
  };
  constexpr std::string_view kZeros("a = 1\0\0;\nb()", 12);
  for (const Case& c : {
           Case{tree_sitter_python(),
                "\xEF\xBB\xBF# -*- é -*-\r\nif \xE5\x90\x8D == 'ü':\n\tprint(f\"{x!r:>{w}} \\\n\")\n"},
           Case{tree_sitter_python(),
                "def f(a, *b, **c):\n    '''text\n    more'''\n    return [i for i in b if i]\n\nclass"},
           Case{tree_sitter_python(),
                "match = 1\nmatch x:\n  case [a, b] | {'k': v}: pass\nprint(match, type, await_)\n"},
           Case{tree_sitter_javascript(),
                "const a = `t${b + `${c}`}u`, r = /[/]x/gi;\nlabel: for (;;) break label\nx\n++y"},
           Case{tree_sitter_javascript(),
                "(a, b) => ({ a, [b]: async function* () { yield* \xF0\x9F\x98\x80 } });\xC2\xA0"
                "z"},
           Case{tree_sitter_javascript(), "a < b > (c); (x) => y; ({x} = z); {{{ ]]] function ("},
           Case{tree_sitter_javascript(), kZeros},
           Case{tree_sitter_javascript(), "var s = \"\xFF\xFE broken \xC3\";\n'open"},
           Case{tree_sitter_typescript(),
                "declare module 'x' { export type T<A> = A extends infer B ? B[] : never }\n<T>f<U>(v!);"},
           Case{tree_sitter_tsx(), "const v = <A.B c={d} e='f'>t &amp; {...g}<i/></A.B> as unknown;\n"},
           Case{tree_sitter_bash(),
                "x=$(cat <<EOF\n$y ${z:-w}\nEOF\n)\nfor i in {1..3}; do echo \"$i\" | tee >(wc -l); done"},
           Case{tree_sitter_bash(), ""},
       }) {
    const std::string tree = TreeOf(c.language, c.text, true);
    EXPECT_FALSE(tree.empty()) << c.text;
    EXPECT_EQ(tree, TreeOf(c.language, c.text, false)) << c.text;
  }
}

// A small state's actions are kept by grammar, state and symbol: another grammar in between changes none of them.
TEST(TreeRuntime, GrammarsInTurnReadWhatEachReadsAlone) {
  const std::string_view text = "a.b(c, [d, {e: f}]);\n";
  const std::string alone = TreeOf(tree_sitter_javascript(), text, true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(TreeOf(tree_sitter_typescript(), text, true), alone);
    (void)TreeOf(tree_sitter_python(), "a.b(c, [d, {e: f}])\n", true);
    (void)TreeOf(tree_sitter_bash(), text, true);
    EXPECT_EQ(TreeOf(tree_sitter_javascript(), text, true), alone);
  }
}

}  // namespace
}  // namespace interlock::scan::code
