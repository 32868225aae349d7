// The walk over a tree says of every node what the library's own cursor says.
#include "code/syntax_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "code/grammars.h"
#include "code/parse_memory.h"

namespace interlock::scan::code {
namespace {

// What the scanner's parses take: the library has one allocator for the whole program.
struct Memory {
  Memory() { ts_set_allocator(ParseMemory::Allocate, ParseMemory::Zeroed, ParseMemory::Resize, ParseMemory::Free); }
  ParseMemory scope;
};

// symbol, field, begin, end, error, missing, has children, depth
using Seen = std::tuple<std::uint16_t, std::uint16_t, std::uint32_t, std::uint32_t, bool, bool, bool, int>;

std::vector<Seen> ByCursor(const TSTree* tree) {
  std::vector<Seen> out;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  int depth = 0;
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    out.emplace_back(ts_node_symbol(node), ts_tree_cursor_current_field_id(&cursor), ts_node_start_byte(node),
                     ts_node_end_byte(node), ts_node_is_error(node), ts_node_is_missing(node),
                     ts_node_child_count(node) > 0, depth);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      ++depth;
      continue;
    }
    more = ts_tree_cursor_goto_next_sibling(&cursor);
    while (!more && depth > 0) {
      ts_tree_cursor_goto_parent(&cursor);
      --depth;
      more = ts_tree_cursor_goto_next_sibling(&cursor);
    }
  }
  ts_tree_cursor_delete(&cursor);
  return out;
}

struct Walker {
  std::vector<Seen> seen;
  int depth = 0;
  int left = 0;
};

Walker ByWalk(const TSTree* tree) {
  Walker walker;
  EXPECT_TRUE(interlock_walk(
      tree,
      [](void* self, const InterlockWalk* walk, const InterlockNode* node) {
        auto& to = *static_cast<Walker*>(self);
        to.seen.emplace_back(node->symbol, interlock_walk_field(walk), node->begin, node->end, node->error,
                             node->missing, node->parent, to.depth++);
        return kInterlockDown;
      },
      [](void* self) {
        auto& to = *static_cast<Walker*>(self);
        --to.depth;
        ++to.left;
      },
      &walker));
  return walker;
}

void Compare(const TSLanguage* language, std::string_view text) {
  TSParser* const parser = ts_parser_new();
  ASSERT_TRUE(ts_parser_set_language(parser, language));
  TSTree* const tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
  const Walker walker = ByWalk(tree);
  EXPECT_THAT(walker.seen, testing::ElementsAreArray(ByCursor(tree))) << text;
  EXPECT_EQ(walker.left, static_cast<int>(walker.seen.size()));
  EXPECT_EQ(walker.depth, 0);
  ts_tree_delete(tree);
  ts_parser_delete(parser);
}

TEST(SyntaxWalk, SaysWhatTheCursorSays) {
  const Memory memory;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(INTERLOCK_TESTDATA)) {
    const std::string ext = entry.path().extension().string();
    const TSLanguage* language = nullptr;
    if (ext == ".py") language = tree_sitter_python();
    if (ext == ".js") language = tree_sitter_javascript();
    if (ext == ".ts" || ext == ".tsx") language = tree_sitter_tsx();
    if (ext == ".sh") language = tree_sitter_bash();
    if (language == nullptr) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    const std::string whole = text.str().substr(0, 2000);
    // Cut off anywhere it is full of errors and of tokens that recovery puts in.
    for (std::size_t size : {whole.size(), whole.size() * 2 / 3, whole.size() / 3, std::size_t{7}, std::size_t{0}}) {
      Compare(language, std::string_view(whole).substr(0, size));
    }
    ++files;
  }
  EXPECT_GT(files, 10U);
}

TEST(SyntaxWalk, StopsWhereItIsTold) {
  const Memory memory;
  TSParser* const parser = ts_parser_new();
  ASSERT_TRUE(ts_parser_set_language(parser, tree_sitter_python()));
  const std::string_view text = "f(a)\ng(b)\n";
  TSTree* const tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
  int seen = 0;
  EXPECT_TRUE(interlock_walk(
      tree,
      [](void* self, const InterlockWalk*, const InterlockNode*) {
        return ++*static_cast<int*>(self) == 3 ? kInterlockStop : kInterlockDown;
      },
      [](void*) {}, &seen));
  EXPECT_EQ(seen, 3);
  ts_tree_delete(tree);
  ts_parser_delete(parser);
}

}  // namespace
}  // namespace interlock::scan::code
