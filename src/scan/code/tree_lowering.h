// What the front ends that lower a syntax tree share: the module under construction, look-ups in the flat tree, and the
// making of expressions. A front end derives from it and adds its own passes. Thread rule: one object, one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/ir.h"
#include "code/tree.h"

namespace interlock::scan::code {

class TreeLowering {
 protected:
  // Nodes that walks over parts step over; a language with one such kind names it twice.
  struct Trivia {
    NodeKind comment = kOtherNode;
    NodeKind continuation = kOtherNode;
  };
  // Parses. `text` must outlive the module.
  TreeLowering(Language language, const NodeKinds& kinds, Trivia trivia, std::string_view text, std::uint32_t file,
               const LowerLimits& limits)
      : TreeLowering(language, kinds, trivia, text, text, file, limits) {}
  // `parsed`: what the grammar is given in place of `text`, byte for byte beside it.
  TreeLowering(Language language, const NodeKinds& kinds, Trivia trivia, std::string_view text, std::string_view parsed,
               std::uint32_t file, const LowerLimits& limits);
  ~TreeLowering() = default;

  // Room for the pass over expressions: no node has one yet.
  void ResetExpressions();
  ExprId New(ExprKind kind, NodeIndex node, std::string_view text = {}, ExprId base = kNone);
  ExprId NewWithArgs(ExprKind kind, NodeIndex node, std::span<const Arg> args, std::string_view text = {},
                     ExprId base = kNone);
  // ... of its children's expressions.
  ExprId NewOfParts(ExprKind kind, NodeIndex node, std::string_view text = {});
  // ... of a whole chain a + b + c, asked for at its topmost node: nodes of the same kind on the left spine that have
  // no expression of their own are part of it.
  ExprId NewOfChain(ExprKind kind, NodeIndex node);
  // Every child's expression, once.
  void CollectArgs(NodeIndex node, std::vector<Arg>* args) const;
  // Text that is not in the file, kept as long as the module.
  std::string_view Own(std::string text);

  // Of kNone: nothing. What a grammar promises, a tree with errors in it does not keep: above the root is no class.
  [[nodiscard]] NodeKind KindOf(NodeIndex node) const { return IsNode(node) ? tree_.nodes[node].kind : NodeKind{}; }
  [[nodiscard]] NodeField FieldOf(NodeIndex node) const { return tree_.nodes[node].field; }
  [[nodiscard]] NodeIndex ParentOf(NodeIndex node) const { return IsNode(node) ? tree_.nodes[node].parent : kNone; }
  [[nodiscard]] std::string_view TextOf(NodeIndex node) const { return tree_.Text(node, module_.text); }
  [[nodiscard]] ExprId ExprOf(NodeIndex node) const { return node == kNone ? kNone : exprs_[node]; }
  [[nodiscard]] Loc LocOf(NodeIndex node) const { return {tree_.nodes[node].begin, tree_.nodes[node].end}; }
  // Children without trivia; a walk over FirstPart, NextPart ends with kNone.
  [[nodiscard]] NodeIndex FirstPart(NodeIndex node) const {
    return IsNode(node) ? SkipTrivia(node + 1, tree_.End(node)) : kNone;
  }
  [[nodiscard]] NodeIndex NextPart(NodeIndex node) const {
    return SkipTrivia(tree_.nodes[node].next, tree_.End(tree_.nodes[node].parent));
  }
  [[nodiscard]] NodeIndex PartWith(NodeIndex node, NodeField field) const {
    return IsNode(node) ? tree_.Child(node, field) : kNone;
  }
  [[nodiscard]] bool IsNode(NodeIndex node) const { return node < tree_.nodes.size(); }

  Module module_;
  SyntaxTree tree_;
  std::vector<ExprId> exprs_;           // by node
  std::vector<std::uint32_t> numbers_;  // by node: FuncId or ClassId of definitions
  std::vector<Arg> scratch_;

 private:
  [[nodiscard]] NodeIndex SkipTrivia(NodeIndex node, NodeIndex end) const {
    while (node < end && (KindOf(node) == trivia_.comment || KindOf(node) == trivia_.continuation)) {
      node = tree_.nodes[node].next;
    }
    return node < end ? node : kNone;
  }

  Trivia trivia_;
};

}  // namespace interlock::scan::code
