#include "code/tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <memory>

#include "code/grammars.h"
#include "code/parse_memory.h"
#include "code/syntax_walk.h"
#include "interlock/base/check.h"

namespace interlock::scan::code {
namespace {

const TSLanguage* LanguageOf(Grammar grammar) {
  switch (grammar) {
    case Grammar::kPython:
      return tree_sitter_python();
    case Grammar::kJavaScript:
      return tree_sitter_javascript();
    case Grammar::kTypeScript:
      return tree_sitter_typescript();
    case Grammar::kTsx:
      return tree_sitter_tsx();
    case Grammar::kBash:
      return tree_sitter_bash();
    case Grammar::kGo:
      return tree_sitter_go();
    case Grammar::kRust:
      return tree_sitter_rust();
  }
  return nullptr;
}

struct ParserDeleter {
  void operator()(TSParser* parser) const noexcept { ts_parser_delete(parser); }
};
struct TreeDeleter {
  void operator()(TSTree* tree) const noexcept { ts_tree_delete(tree); }
};
using ParserPtr = std::unique_ptr<TSParser, ParserDeleter>;
using TreePtr = std::unique_ptr<TSTree, TreeDeleter>;

// Two meters, because neither alone stops every runaway error recovery. The parser calls back once every hundred of its
// operations: real code needs one call for 50 bytes or more, however dense. And it copies what it skips, again and
// again (100 KB of quotes as JavaScript: quadratic in few operations), which shows in the memory it asks for: real code
// some 20 to 90 bytes a byte, prose read as code up to 350.
constexpr std::uint32_t kBytesPerOp = 8;
constexpr std::uint32_t kOpsFloor = 100;
constexpr std::uint64_t kMemoryPerOp = 2048;
constexpr std::uint64_t kMemoryFloor = 1u << 20;
constexpr std::size_t kPieceBytes = 4096;
constexpr std::size_t kMaxPieces = 256;
// Error recovery is slowest on bytes that are no text, and there is nothing to find in them.
constexpr std::size_t kForeignFloor = 256;
constexpr std::size_t kForeignShare = 32;

struct Budget {
  std::uint32_t ops = 0;
  std::uint64_t memory = 0;
  std::uint32_t spent = 0;
};

bool Progress(TSParseState* state) {
  auto* budget = static_cast<Budget*>(state->payload);
  ++budget->spent;
  return budget->spent > budget->ops || ParseMemory::asked() > budget->memory;
}

struct Source {
  std::string_view text;
};

const char* ReadSource(void* payload, std::uint32_t byte, TSPoint /*position*/, std::uint32_t* bytes_read) {
  const auto* source = static_cast<const Source*>(payload);
  if (byte >= source->text.size()) {
    *bytes_read = 0;
    return "";
  }
  *bytes_read = static_cast<std::uint32_t>(source->text.size()) - byte;
  return source->text.data() + byte;
}

TreePtr ParseBytes(TSParser* parser, std::string_view text, std::uint32_t max_ops, std::uint32_t* spent) {
  Source source{text};
  Budget budget{.ops = max_ops, .memory = kMemoryFloor + max_ops * kMemoryPerOp};
  ParseMemory::ForgetAsked();
  const TSInput input{&source, ReadSource, TSInputEncodingUTF8, nullptr};
  TreePtr tree(ts_parser_parse_with_options(parser, nullptr, input, TSParseOptions{&budget, Progress}));
  *spent += budget.spent;
  ts_parser_reset(parser);
  return tree;
}

// Copies the nodes below a root that `kinds` keeps; those of a piece become children of nodes[0] with `offset` added.
class Flattener {
 public:
  Flattener(const NodeKinds& kinds, const LowerLimits& limits, SyntaxTree* out)
      : kinds_(kinds), limits_(limits), out_(*out) {}

  void Add(const TSTree* tree, std::uint32_t offset) {
    const TSNode root = ts_tree_root_node(tree);
    const InterlockNode top{.symbol = ts_node_symbol(root),
                            .error = ts_node_is_error(root),
                            .missing = ts_node_is_missing(root),
                            .parent = ts_node_child_count(root) > 0,
                            .begin = ts_node_start_byte(root),
                            .end = ts_node_end_byte(root)};
    if (out_.nodes.empty()) {
      Push(top, 0, kOtherField, kNone, top.error ? kErrorNode : kinds_.Symbol(top.symbol).kind);
    }
    offset_ = offset;
    stack_.clear();
    stack_.push_back({.node = 0, .depth = 0, .error = top.error});
    if (top.error) CountError(top);
    const bool walked = interlock_walk(
        tree,
        [](void* self, const InterlockWalk* walk, const InterlockNode* node) {
          return static_cast<Flattener*>(self)->Enter(*walk, *node);
        },
        [](void* self) { static_cast<Flattener*>(self)->CloseTop(); }, this);
    INTERLOCK_CHECK(walked, "there is memory for a node of each level");
    while (stack_.size() > 1) CloseTop();
    out_.nodes[0].next = static_cast<NodeIndex>(out_.nodes.size());
  }

 private:
  struct Level {
    NodeIndex node = 0;
    std::uint32_t depth = 0;
    bool error = false;
  };

  InterlockStep Enter(const InterlockWalk& walk, const InterlockNode& node) {
    if (++visited_ > limits_.max_nodes) {
      out_.complete = false;
      out_.stop = "nodes";
      return kInterlockStop;
    }
    const Level parent = stack_.back();
    if (node.error && !parent.error) CountError(node);
    const NodeKinds::Entry entry =
        node.error ? NodeKinds::Entry{kErrorNode, true, false, false} : kinds_.Symbol(node.symbol);
    if (!entry.keep) return kInterlockSkip;
    const auto index = static_cast<NodeIndex>(out_.nodes.size());
    const bool chain = entry.chain && out_.nodes[parent.node].kind == entry.kind && index == parent.node + 1;
    const std::uint32_t depth = parent.depth + (chain ? 0 : 1);
    Push(node, offset_, kinds_.Field(interlock_walk_field(&walk)), parent.node, entry.kind);
    if (depth >= limits_.max_depth && node.parent) {
      out_.complete = false;
      out_.stop = "depth";
      return kInterlockSkip;
    }
    if (entry.opaque) return kInterlockSkip;
    stack_.push_back({.node = index, .depth = depth, .error = node.error || parent.error});
    return kInterlockDown;
  }

  void Push(const InterlockNode& node, std::uint32_t offset, NodeField field, NodeIndex parent, NodeKind kind) {
    out_.nodes.push_back({.kind = kind,
                          .field = field,
                          .missing = node.missing && node.begin == node.end,
                          .begin = node.begin + offset,
                          .end = node.end + offset,
                          .next = static_cast<NodeIndex>(out_.nodes.size() + 1),
                          .parent = parent});
  }

  void CloseTop() {
    out_.nodes[stack_.back().node].next = static_cast<NodeIndex>(out_.nodes.size());
    stack_.pop_back();
  }

  void CountError(const InterlockNode& node) { out_.error_bytes += node.end - node.begin; }

  const NodeKinds& kinds_;
  const LowerLimits& limits_;
  SyntaxTree& out_;
  std::vector<Level> stack_;
  std::uint32_t offset_ = 0;
  std::uint32_t visited_ = 0;
};

bool BeginsStatement(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' || c == '#' || c == '$';
}

// Begin of the piece after the one at `from`: an unindented line past kPieceBytes, or the end.
std::size_t PieceEnd(std::string_view text, std::size_t from, std::size_t piece) {
  std::size_t at = std::min(text.size(), from + piece);
  while (at < text.size()) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos || newline + 1 >= text.size()) return text.size();
    if (BeginsStatement(text[newline + 1])) return newline + 1;
    at = newline + 1;
  }
  return text.size();
}

// Bytes that no source text has: controls, and what is no UTF-8.
std::size_t ForeignBytes(std::string_view text) {
  std::size_t foreign = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      foreign += byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' ? 1U : 0U;
      ++i;
      continue;
    }
    const std::size_t want = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    std::size_t have = 0;
    while (have < want && i + 1 + have < text.size() && (static_cast<unsigned char>(text[i + 1 + have]) >> 6) == 2)
      ++have;
    const bool valid = byte >= 0xC2 && byte < 0xF5 && have == want;
    foreign += valid ? 0 : 1;
    i += valid ? 1 + want : 1;
  }
  return foreign;
}

std::uint32_t OpsFor(std::size_t bytes, const LowerLimits& limits) {
  if (limits.max_parse_ops != 0) return limits.max_parse_ops;
  return kOpsFloor + static_cast<std::uint32_t>(bytes) / kBytesPerOp;
}

}  // namespace

NodeKinds::NodeKinds(Grammar grammar, std::initializer_list<NodeName> names, std::initializer_list<FieldName> fields)
    : grammar_(grammar) {
  const TSLanguage* language = LanguageOf(grammar);
  symbols_.resize(ts_language_symbol_count(language));
  std::vector<bool> used(names.size());
  for (std::size_t symbol = 0; symbol < symbols_.size(); ++symbol) {
    const auto id = static_cast<TSSymbol>(symbol);
    const TSSymbolType type = ts_language_symbol_type(language, id);
    if (type == TSSymbolTypeAuxiliary) continue;
    const bool named = type == TSSymbolTypeRegular;
    symbols_[symbol].keep = named;
    const std::string_view name = ts_language_symbol_name(language, id);
    std::size_t i = 0;
    for (const NodeName& entry : names) {
      if (entry.named == named && entry.name == name) {
        symbols_[symbol] = {entry.kind, true, entry.opaque, entry.chain};
        used[i] = true;
      }
      ++i;
    }
  }
  INTERLOCK_CHECK(std::find(used.begin(), used.end(), false) == used.end(), "the grammar has every node named");
  fields_.resize(ts_language_field_count(language) + 1);
  for (const FieldName& entry : fields) {
    const TSFieldId id =
        ts_language_field_id_for_name(language, entry.name.data(), static_cast<std::uint32_t>(entry.name.size()));
    INTERLOCK_CHECK(id != 0 && id < fields_.size(), "the grammar has every field named");
    fields_[id] = entry.field;
  }
}

NodeIndex SyntaxTree::Child(NodeIndex node, NodeField field) const noexcept {
  const NodeIndex end = nodes[node].next;
  for (NodeIndex child = node + 1; child < end; child = nodes[child].next) {
    if (nodes[child].field == field) return child;
  }
  return kNone;
}

SyntaxTree ParseSyntax(const NodeKinds& kinds, std::string_view text, const LowerLimits& limits) {
  SyntaxTree tree;
  if (text.size() > limits.max_bytes) {
    text = text.substr(0, limits.max_bytes);
    tree.complete = false;
    tree.stop = "bytes";
  }
  if (ForeignBytes(text) > kForeignFloor + text.size() / kForeignShare) {
    tree.complete = false;
    tree.stop = "not-text";
    tree.error_bytes = static_cast<std::uint32_t>(text.size());
    return tree;
  }
  [[maybe_unused]] static const bool counted = [] {
    ts_set_allocator(ParseMemory::Allocate, ParseMemory::Zeroed, ParseMemory::Resize, ParseMemory::Free);
    return true;
  }();
  const ParseMemory memory;
  const ParserPtr parser(ts_parser_new());
  INTERLOCK_CHECK(ts_parser_set_language(parser.get(), LanguageOf(kinds.grammar())), "runtime and grammars are pinned");
  tree.nodes.reserve(text.size() / 6 + 16);
  Flattener flattener(kinds, limits, &tree);
  if (TreePtr whole = ParseBytes(parser.get(), text, OpsFor(text.size(), limits), &tree.parse_ops)) {
    flattener.Add(whole.get(), 0);
    if (ParseMemory::LetsGoAtOnce()) static_cast<void>(whole.release());
    return tree;
  }
  tree.complete = false;
  tree.stop = "parse-ops";
  const std::size_t piece = std::max(kPieceBytes, text.size() / kMaxPieces);
  // All pieces together may cost as much again as the whole did.
  std::uint64_t left = OpsFor(text.size(), limits);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = PieceEnd(text, from, piece);
    const std::string_view part = text.substr(from, end - from);
    if (part.size() < text.size() && left > 0) {
      const std::uint32_t ops = OpsFor(part.size(), limits);
      const TreePtr some = ParseBytes(parser.get(), part, ops, &tree.parse_ops);
      left -= std::min<std::uint64_t>(left, ParseMemory::asked() / kMemoryPerOp);
      if (some != nullptr) {
        flattener.Add(some.get(), static_cast<std::uint32_t>(from));
        from = end;
        continue;
      }
    }
    tree.error_bytes += static_cast<std::uint32_t>(part.size());
    from = end;
  }
  if (!tree.nodes.empty()) {
    tree.nodes[0].begin = 0;
    tree.nodes[0].end = static_cast<std::uint32_t>(text.size());
  }
  return tree;
}

}  // namespace interlock::scan::code
