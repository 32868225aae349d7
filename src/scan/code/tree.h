// Syntax trees as flat arrays: tree-sitter parses, one cursor pass copies what a front end asked for, the tree is
// freed. Engine room; the only file that knows tree-sitter is tree.cc.
//
//   static const NodeKinds kinds(Grammar::kPython, {{"call", kCall}, {"+", kPlus, false}}, {{"function",
//   kFunctionField}}); SyntaxTree tree = ParseSyntax(kinds, text, limits); for (NodeIndex child = tree.First(i); child
//   != tree.nodes[i].next; child = tree.nodes[child].next) ...
//
// Nodes stand in pre-order, a parent before its children, so that a walk from the last to the first meets every child
// before its parent: lowering needs neither recursion nor a stack, whatever the nesting. Total on any bytes; budgets
// count parser operations and nodes, never time. Thread rule: a NodeKinds is immutable; ParseSyntax may run on many
// threads.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "code/ir.h"

namespace interlock::scan::code {

enum class Grammar : std::uint8_t { kPython, kJavaScript, kTypeScript, kTsx, kBash, kGo, kRust };

using NodeKind = std::uint16_t;
using NodeField = std::uint8_t;
using NodeIndex = std::uint32_t;
inline constexpr NodeKind kOtherNode = 0;       // a named node that no table entry names
inline constexpr NodeKind kErrorNode = 0xFFFF;  // what the grammar could not read; children as far as it could
inline constexpr NodeField kOtherField = 0;     // no field, or one that no table entry names

struct NodeName {
  std::string_view name;  // as in the grammar: "call", "+"
  NodeKind kind = kOtherNode;
  bool named = true;  // false: a token given literally in the grammar; those without an entry are left out of the tree
  bool opaque = false;  // its children are left out
  bool chain = false;   // first child of its own kind is no deeper: `a + b + c`, `a.b().c()`
};
struct FieldName {
  std::string_view name;
  NodeField field = kOtherField;
};

// From the grammar's symbols to a front end's own numbers. A name that the grammar does not have is a bug and aborts.
class NodeKinds {
 public:
  NodeKinds(Grammar grammar, std::initializer_list<NodeName> names, std::initializer_list<FieldName> fields);
  struct Entry {
    NodeKind kind = kOtherNode;
    bool keep = false;
    bool opaque = false;
    bool chain = false;
  };
  [[nodiscard]] Grammar grammar() const noexcept { return grammar_; }
  [[nodiscard]] Entry Symbol(std::uint16_t symbol) const noexcept {
    return symbol < symbols_.size() ? symbols_[symbol] : Entry{};
  }
  [[nodiscard]] NodeField Field(std::uint16_t field) const noexcept {
    return field < fields_.size() ? fields_[field] : kOtherField;
  }

 private:
  Grammar grammar_;
  std::vector<Entry> symbols_;     // by tree-sitter symbol
  std::vector<NodeField> fields_;  // by tree-sitter field id
};

struct SyntaxNode {
  NodeKind kind = kOtherNode;
  NodeField field = kOtherField;  // of the parent it stands in
  bool missing = false;           // put in by error recovery: no bytes
  std::uint32_t begin = 0;        // bytes of the text
  std::uint32_t end = 0;
  NodeIndex next = 0;  // past its last descendant
  NodeIndex parent = kNone;
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;  // [0] the root; empty: nothing was parsed
  std::uint32_t error_bytes = 0;  // under outermost ERROR nodes
  std::uint32_t parse_ops = 0;    // spent
  bool complete = true;
  std::string_view stop = {};  // "bytes" "not-text" "parse-ops" "nodes" "depth": what ended it early

  [[nodiscard]] static NodeIndex First(NodeIndex node) noexcept { return node + 1; }
  [[nodiscard]] NodeIndex End(NodeIndex node) const noexcept { return nodes[node].next; }
  // First child in that field, or kNone.
  [[nodiscard]] NodeIndex Child(NodeIndex node, NodeField field) const noexcept;
  [[nodiscard]] std::string_view Text(NodeIndex node, std::string_view text) const noexcept {
    return text.substr(nodes[node].begin, nodes[node].end - nodes[node].begin);
  }
};

// Text past `max_bytes` is not parsed, nor is what holds many bytes that no text has. A text on which the parser's
// error recovery runs away (its operations are counted) is parsed again in pieces that begin at unindented lines, each
// with its own budget: one hostile line costs its piece, not the file. Below `max_depth` nodes are left out (a
// left-leaning chain of one kind, `a + b + c`, counts once).
[[nodiscard]] SyntaxTree ParseSyntax(const NodeKinds& kinds, std::string_view text, const LowerLimits& limits);

}  // namespace interlock::scan::code
