// Every visible node of a tree of tree-sitter's, parents before their children, with what a cursor would say of it. The
// library's cursor works out a node's place among its siblings, its rows and its columns with every step; a walk over
// all nodes needs none of it and costs a fifth. Reads the structures behind the library's interface: the version is
// pinned (cmake/TreeSitter.cmake), and the walk is tested against the cursor.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <tree_sitter/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint16_t symbol;  // as ts_node_symbol() has it
  bool error;
  bool missing;
  bool parent;     // has visible children
  uint32_t begin;  // bytes
  uint32_t end;
} InterlockNode;

typedef enum { kInterlockSkip, kInterlockDown, kInterlockStop } InterlockStep;

typedef struct InterlockWalk InterlockWalk;

// The field that the node of the current call of `enter` is in; 0: none.
uint16_t interlock_walk_field(const InterlockWalk* walk);

// Calls `enter` for every visible node below the root whose parent it went down to, and `leave` after the children of
// those. False: no memory.
bool interlock_walk(const TSTree* tree,
                    InterlockStep (*enter)(void* self, const InterlockWalk* walk, const InterlockNode* node),
                    void (*leave)(void* self), void* self);

#ifdef __cplusplus
}
#endif
