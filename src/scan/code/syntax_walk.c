#include "syntax_walk.h"

// The runtime's own, by the brackets: a header of this folder has the name of one of them.
#include <language.h>
#include <stdlib.h>
#include <subtree.h>
#include <tree.h>

typedef struct {
  const Subtree* children;
  uint32_t count;
  uint32_t index;       // of the next child
  uint32_t structural;  // ... among those that the grammar asks for
  uint32_t at;          // where the last child ended; before the first, where it begins
  uint16_t production;
  uint16_t field;  // of a hidden node: what its children without a field are in
  bool visible;
} Frame;

struct InterlockWalk {
  const TSLanguage* language;
  Frame* frames;
  uint32_t depth;
  uint32_t room;
  uint32_t structural;  // of the current child
  bool extra;
};

static uint16_t FieldIn(const TSLanguage* language, const Frame* frame, uint32_t structural, bool extra) {
  if (extra) return 0;
  const TSFieldMapEntry* entry = NULL;
  const TSFieldMapEntry* end = NULL;
  ts_language_field_map(language, frame->production, &entry, &end);
  for (; entry < end; ++entry) {
    if (!entry->inherited && entry->child_index == structural) return entry->field_id;
  }
  return frame->visible ? 0 : frame->field;
}

uint16_t interlock_walk_field(const InterlockWalk* walk) {
  return FieldIn(walk->language, &walk->frames[walk->depth - 1], walk->structural, walk->extra);
}

// `tree` has children; its first one begins at `begin`.
static bool Push(InterlockWalk* walk, Subtree tree, uint32_t begin, uint16_t field, bool visible) {
  if (walk->depth == walk->room) {
    const uint32_t room = walk->room == 0 ? 64 : walk->room * 2;
    Frame* frames = realloc(walk->frames, room * sizeof(Frame));
    if (frames == NULL) return false;
    walk->frames = frames;
    walk->room = room;
  }
  const Frame frame = {.children = ts_subtree_children(tree),
                       .count = tree.ptr->child_count,
                       .at = begin,
                       .production = tree.ptr->production_id,
                       .field = field,
                       .visible = visible};
  walk->frames[walk->depth++] = frame;
  return true;
}

bool interlock_walk(const TSTree* tree,
                    InterlockStep (*enter)(void* self, const InterlockWalk* walk, const InterlockNode* node),
                    void (*leave)(void* self), void* self) {
  InterlockWalk walk = {.language = tree->language};
  const TSLanguage* const language = tree->language;
  bool complete = true;
  if (ts_subtree_child_count(tree->root) != 0) {
    complete = Push(&walk, tree->root, ts_subtree_padding(tree->root).bytes, 0, true);
  }
  while (complete && walk.depth > 0) {
    Frame* const top = &walk.frames[walk.depth - 1];
    if (top->index == top->count) {
      --walk.depth;
      if (top->visible && walk.depth > 0) leave(self);
      continue;
    }
    const Subtree child = top->children[top->index];
    const uint32_t begin = top->at + (top->index == 0 ? 0 : ts_subtree_padding(child).bytes);
    ++top->index;
    top->at = begin + ts_subtree_size(child).bytes;
    walk.extra = ts_subtree_extra(child);
    walk.structural = top->structural;
    TSSymbol alias = 0;
    if (!walk.extra) {
      alias = ts_language_alias_at(language, top->production, top->structural);
      ++top->structural;
    }
    if (alias == 0 && !ts_subtree_visible(child)) {
      if (ts_subtree_visible_child_count(child) == 0) continue;
      const uint16_t field = FieldIn(language, top, walk.structural, walk.extra);
      complete = Push(&walk, child, begin, field, false);
      continue;
    }
    const TSSymbol symbol = ts_language_public_symbol(language, alias != 0 ? alias : ts_subtree_symbol(child));
    const InterlockNode node = {.symbol = symbol,
                                .error = symbol == ts_builtin_sym_error,
                                .missing = ts_subtree_missing(child),
                                .parent = ts_subtree_visible_child_count(child) != 0,
                                .begin = begin,
                                .end = top->at};
    const InterlockStep step = enter(self, &walk, &node);
    if (step == kInterlockStop) break;
    if (step == kInterlockSkip) continue;
    if (node.parent) {
      complete = Push(&walk, child, begin, 0, true);
    } else {
      leave(self);
    }
  }
  free(walk.frames);
  return complete;
}
