#include "code/tree_lowering.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace interlock::scan::code {

TreeLowering::TreeLowering(Language language, const NodeKinds& kinds, Trivia trivia, std::string_view text,
                           std::string_view parsed, std::uint32_t file, const LowerLimits& limits)
    : trivia_(trivia) {
  module_.language = language;
  module_.file = file;
  module_.text = text;
  tree_ = ParseSyntax(kinds, parsed, limits);
  module_.error_bytes = tree_.error_bytes;
  module_.complete = tree_.complete;
  module_.stop = std::string(tree_.stop);
  Function body;
  body.loc = {0, static_cast<std::uint32_t>(text.size())};
  module_.functions.push_back(std::move(body));
}

void TreeLowering::ResetExpressions() {
  exprs_.assign(tree_.nodes.size(), kNone);
  module_.exprs.reserve(tree_.nodes.size() / 2 + 16);
  module_.args.reserve(tree_.nodes.size() / 4 + 16);
}

ExprId TreeLowering::New(ExprKind kind, NodeIndex node, std::string_view text, ExprId base) {
  Expr expr;
  expr.kind = kind;
  expr.loc = LocOf(node);
  expr.text = text;
  expr.base = base;
  expr.first_arg = static_cast<std::uint32_t>(module_.args.size());
  module_.exprs.push_back(expr);
  return static_cast<ExprId>(module_.exprs.size() - 1);
}

ExprId TreeLowering::NewWithArgs(ExprKind kind, NodeIndex node, std::span<const Arg> args, std::string_view text,
                                 ExprId base) {
  const ExprId id = New(kind, node, text, base);
  module_.exprs[id].arg_count = static_cast<std::uint32_t>(args.size());
  module_.args.insert(module_.args.end(), args.begin(), args.end());
  return id;
}

ExprId TreeLowering::NewOfParts(ExprKind kind, NodeIndex node, std::string_view text) {
  scratch_.clear();
  CollectArgs(node, &scratch_);
  return NewWithArgs(kind, node, scratch_, text);
}

ExprId TreeLowering::NewOfChain(ExprKind kind, NodeIndex node) {
  scratch_.clear();
  for (NodeIndex at = node; at != kNone;) {
    const NodeIndex left = FirstPart(at);
    const NodeIndex right = left == kNone ? kNone : NextPart(left);
    if (ExprOf(right) != kNone) scratch_.push_back({ExprOf(right)});
    const bool chain = left != kNone && KindOf(left) == KindOf(node) && ExprOf(left) == kNone;
    if (!chain && ExprOf(left) != kNone) scratch_.push_back({ExprOf(left)});
    at = chain ? left : kNone;
  }
  std::ranges::reverse(scratch_);
  return NewWithArgs(kind, node, scratch_);
}

void TreeLowering::CollectArgs(NodeIndex node, std::vector<Arg>* args) const {
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (const ExprId expr = ExprOf(part); expr != kNone) args->push_back({expr});
  }
}

std::string_view TreeLowering::Own(std::string text) {
  module_.strings.push_back(std::make_unique<std::string>(std::move(text)));
  return *module_.strings.back();
}

}  // namespace interlock::scan::code
