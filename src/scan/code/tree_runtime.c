// tree-sitter's runtime as one translation unit, with those of its functions replaced that cost the most for what this
// project does: parse a text once, on one thread, from one piece of memory. What each does is what the runtime's own
// does (tree_runtime_test.cc); the version is pinned (cmake/TreeSitter.cmake).
//
//   reference counts          not atomic: a tree does not leave its thread, nor the scope that it was parsed in
//   ts_language_lookup        small parse states are lists that are searched: the last answers are kept
//   ts_lexer__advance, start  a byte of ASCII in a text that lies in one piece (grammar_lexing.h has it inline)
//   ts_stack_push, pop_count  without clearing a node of 240 bytes, and straight down where the stack has one way
//   ts_stack_renumber_version the last version takes another's place without a move
//   ts_subtree_release        only the last owner has anything to do
//   ts_subtree_summarize_children  sums are kept in registers, not in the node
//
// A function is replaced by giving the runtime's own another name where it is defined.

// atomic.h
#define TREE_SITTER_ATOMIC_H_
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
static inline size_t atomic_load(const volatile size_t* p) { return *p; }
static inline uint32_t atomic_inc(volatile uint32_t* p) { return ++*(uint32_t*)p; }
static inline uint32_t atomic_dec(volatile uint32_t* p) { return --*(uint32_t*)p; }

#include <alloc.c>

#define ts_language_lookup ts_language_search
#define ts_language_has_actions ts_language_has_actions_searched
#include <language.h>
#undef ts_language_lookup
#undef ts_language_has_actions

// By grammar, state and symbol. What two share a place the later one has.
#define kKnownBits 12
typedef struct {
  uint64_t keys[1 << kKnownBits];
  uint16_t values[1 << kKnownBits];
} KnownActions;
static _Thread_local KnownActions known_actions;

static inline uint16_t ts_language_lookup(const TSLanguage* self, TSStateId state, TSSymbol symbol) {
  if (state < self->large_state_count) return self->parse_table[state * self->symbol_count + symbol];
  // No two grammars lie 4 GiB apart in one program, and none at address 0.
  const uint64_t key = (uint64_t)(uintptr_t)self << 32 | (uint64_t)state << 16 | symbol;
  const uint32_t mixed = ((uint32_t)state * 0x9E3779B1u) ^ ((uint32_t)symbol * 0x85EBCA77u);
  const uint32_t at = mixed >> (32 - kKnownBits);
  if (known_actions.keys[at] == key) return known_actions.values[at];
  const uint16_t value = ts_language_search(self, state, symbol);
  known_actions.keys[at] = key;
  known_actions.values[at] = value;
  return value;
}
static inline bool ts_language_has_actions(const TSLanguage* self, TSStateId state, TSSymbol symbol) {
  return ts_language_lookup(self, state, symbol) != 0;
}

#include <get_changed_ranges.c>
#include <language.c>

#define ts_lexer_init ts_lexer_init_plain
#define ts_lexer_start ts_lexer_start_plain
#include <lexer.c>
#undef ts_lexer_init
#undef ts_lexer_start

#include "grammar_lexing.h"

#define SAME_PLACE(ours, theirs) \
  _Static_assert(offsetof(InterlockLexer, ours) == offsetof(Lexer, theirs), "grammar_lexing.h knows the lexer")
SAME_PLACE(lookahead, data.lookahead);
SAME_PLACE(at, current_position.bytes);
SAME_PLACE(row, current_position.extent.row);
SAME_PLACE(column, current_position.extent.column);
SAME_PLACE(token_start, token_start_position);
SAME_PLACE(token_end, token_end_position);
SAME_PLACE(chunk, chunk);
SAME_PLACE(range, current_included_range_index);
SAME_PLACE(chunk_start, chunk_start);
SAME_PLACE(chunk_size, chunk_size);
SAME_PLACE(lookahead_size, lookahead_size);
SAME_PLACE(column_value, column_data.value);
SAME_PLACE(column_valid, column_data.valid);
_Static_assert(sizeof(InterlockPlace) == sizeof(Length), "grammar_lexing.h knows the lexer");

static void AdvanceByte(TSLexer* lexer, bool skip) {
  if (!interlock_advance_byte((InterlockLexer*)lexer, skip)) ts_lexer__advance(lexer, skip);
}

void ts_lexer_init(Lexer* self) {
  ts_lexer_init_plain(self);
  self->data.advance = AdvanceByte;
}

void ts_lexer_start(Lexer* self) {
  const uint32_t in_chunk = self->current_position.bytes - self->chunk_start;
  if (self->lookahead_size == 0 && self->current_position.bytes != 0 && in_chunk < self->chunk_size &&
      (unsigned char)self->chunk[in_chunk] < 0x80) {
    self->data.lookahead = self->chunk[in_chunk];
    self->lookahead_size = 1;
  }
  ts_lexer_start_plain(self);
}

#include <node.c>

#define ts_subtree_release ts_subtree_release_counted
#define ts_subtree_summarize_children ts_subtree_summarize_in_place
void ts_subtree_release(SubtreePool* pool, Subtree self);
void ts_subtree_summarize_children(MutableSubtree self, const TSLanguage* language);
#include <subtree.c>
#undef ts_subtree_release
#undef ts_subtree_summarize_children

void ts_subtree_release(SubtreePool* pool, Subtree self) {
  if (self.data.is_inline) return;
  if (self.ptr->ref_count > 1) {
    --*(uint32_t*)&self.ptr->ref_count;
    return;
  }
  ts_subtree_release_counted(pool, self);
}

// A node's own fields are written once, behind its children.
void ts_subtree_summarize_children(MutableSubtree self, const TSLanguage* language) {
  SubtreeHeapData* const node = self.ptr;
  // Errors are rare, and more is asked of them.
  if (node->child_count == 0 || node->symbol == ts_builtin_sym_error || node->symbol == ts_builtin_sym_error_repeat) {
    ts_subtree_summarize_in_place(self, language);
    return;
  }
  const TSSymbol* const aliases = ts_language_alias_sequence(language, node->production_id);
  const Subtree* const children = ts_subtree_children(self);
  const uint32_t count = node->child_count;
  const Length padding = ts_subtree_padding(children[0]);
  Length size = length_zero();
  uint32_t named_children = 0, visible_children = 0, descendants = 0;
  uint32_t error_cost = 0, lookahead_end = 0, structural = 0;
  int32_t precedence = 0;
  bool external = false, external_change = false, by_column = false, broken = false;
  // Only what stands in the node's first row hangs on its column.
  uint32_t rows_before = node->size.extent.row;
  for (uint32_t i = 0; i < count; ++i) {
    const Subtree child = children[i];
    const bool extra = ts_subtree_extra(child);
    if (rows_before == 0 && ts_subtree_depends_on_column(child)) by_column = true;
    if (i == 0) {
      size = ts_subtree_size(child);
    } else {
      size = length_add(size, ts_subtree_total_size(child));
    }
    rows_before = size.extent.row;
    const uint32_t child_end = padding.bytes + size.bytes + ts_subtree_lookahead_bytes(child);
    if (child_end > lookahead_end) lookahead_end = child_end;
    const TSSymbol alias = aliases != NULL && !extra && ts_subtree_symbol(child) != 0 ? aliases[structural] : 0;
    uint32_t inner_visible = 0, inner_named = 0;
    if (!child.data.is_inline) {
      const SubtreeHeapData* const inner = child.ptr;
      if (ts_subtree_has_external_scanner_state_change(child)) external_change = true;
      if (ts_subtree_has_external_tokens(child)) external = true;
      if (inner->symbol != ts_builtin_sym_error_repeat) error_cost += ts_subtree_error_cost(child);
      if (inner->symbol == ts_builtin_sym_error) broken = true;
      if (inner->child_count > 0) {
        precedence += inner->dynamic_precedence;
        descendants += inner->visible_descendant_count;
        inner_visible = inner->visible_child_count;
        inner_named = inner->named_child_count;
      }
    } else {
      error_cost += ts_subtree_error_cost(child);
    }
    if (alias != 0) {
      ++descendants;
      ++visible_children;
      if (ts_language_symbol_metadata(language, alias).named) ++named_children;
    } else if (ts_subtree_visible(child)) {
      ++descendants;
      ++visible_children;
      if (ts_subtree_named(child)) ++named_children;
    } else {
      visible_children += inner_visible;
      named_children += inner_named;
    }
    if (!extra) ++structural;
  }
  const Subtree first = children[0];
  const Subtree last = children[count - 1];
  node->padding = padding;
  node->size = size;
  node->named_child_count = named_children;
  node->visible_child_count = visible_children;
  node->visible_descendant_count = descendants;
  node->error_cost = error_cost;
  node->dynamic_precedence = precedence;
  node->has_external_tokens = external;
  node->has_external_scanner_state_change = external_change;
  node->depends_on_column = by_column;
  node->lookahead_bytes = lookahead_end - size.bytes - padding.bytes;
  node->first_leaf.symbol = ts_subtree_leaf_symbol(first);
  node->first_leaf.parse_state = ts_subtree_leaf_parse_state(first);
  if (broken) node->parse_state = TS_TREE_STATE_NONE;
  if (broken || ts_subtree_fragile_left(first)) node->fragile_left = true;
  if (broken || ts_subtree_fragile_right(last)) node->fragile_right = true;
  uint32_t depth = 0;
  if (count >= 2 && !node->visible && !node->named && ts_subtree_symbol(first) == node->symbol) {
    const uint32_t left = ts_subtree_repeat_depth(first), right = ts_subtree_repeat_depth(last);
    depth = (left > right ? left : right) + 1;
  }
  node->repeat_depth = (uint16_t)depth;
}

#define ts_stack_push ts_stack_push_cleared
#define ts_stack_renumber_version ts_stack_renumber_version_moving
#define ts_stack_pop_count ts_stack_pop_count_every_way
#include <stack.c>
#undef ts_stack_push
#undef ts_stack_renumber_version
#undef ts_stack_pop_count

void ts_stack_push(Stack* self, StackVersion version, Subtree subtree, bool pending, TSStateId state) {
  StackHead* const head = array_get(&self->heads, version);
  StackNode* const before = head->node;
  StackNode* const node = self->node_pool.size > 0 ? array_pop(&self->node_pool) : ts_malloc(sizeof(StackNode));
  // Links beyond the count are not read.
  node->state = state;
  node->position = before->position;
  node->links[0] = (StackLink){.node = before, .subtree = subtree, .is_pending = pending};
  node->link_count = 1;
  node->ref_count = 1;
  node->error_cost = before->error_cost;
  node->node_count = before->node_count;
  node->dynamic_precedence = before->dynamic_precedence;
  if (subtree.ptr) {
    node->error_cost += ts_subtree_error_cost(subtree);
    node->position = length_add(node->position, ts_subtree_total_size(subtree));
    node->node_count += stack__subtree_node_count(subtree);
    node->dynamic_precedence += ts_subtree_dynamic_precedence(subtree);
  } else {
    head->node_count_at_last_error = node->node_count;
  }
  head->node = node;
}

StackSliceArray ts_stack_pop_count(Stack* self, StackVersion version, uint32_t count) {
  uint32_t size = 0;
  uint32_t left = count;
  StackNode* node = array_get(&self->heads, version)->node;
  for (; left > 0; node = node->links[0].node) {
    if (node->link_count != 1 || !node->links[0].subtree.ptr) {
      return ts_stack_pop_count_every_way(self, version, count);
    }
    ++size;
    if (!ts_subtree_extra(node->links[0].subtree)) --left;
  }
  // Room for the node that these become the children of, as there.
  SubtreeArray subtrees = array_new();
  const uint32_t room = size > count ? size : count;
  array_reserve(&subtrees, (uint32_t)ts_subtree_alloc_size(room) / sizeof(Subtree));
  subtrees.size = size;
  const StackNode* from = array_get(&self->heads, version)->node;
  for (uint32_t i = size; i > 0; --i, from = from->links[0].node) {
    const Subtree subtree = from->links[0].subtree;
    subtrees.contents[i - 1] = subtree;
    if (!subtree.data.is_inline) ++*(uint32_t*)&subtree.ptr->ref_count;
  }
  array_clear(&self->slices);
  array_push(&self->slices, ((StackSlice){subtrees, ts_stack__add_version(self, version, node)}));
  return self->slices;
}

void ts_stack_renumber_version(Stack* self, StackVersion v1, StackVersion v2) {
  if (v1 == v2 || (uint32_t)v1 + 1 != self->heads.size) {
    ts_stack_renumber_version_moving(self, v1, v2);
    return;
  }
  // The last one takes the other's place: nothing behind it moves.
  StackHead* const source = array_get(&self->heads, v1);
  StackHead* const target = array_get(&self->heads, v2);
  if (target->summary && !source->summary) {
    source->summary = target->summary;
    target->summary = NULL;
  }
  stack_head_delete(target, &self->node_pool, self->subtree_pool);
  *target = *source;
  --self->heads.size;
}

#include <parser.c>
#include <query.c>
#include <tree.c>
#include <tree_cursor.c>
#include <wasm_store.c>
