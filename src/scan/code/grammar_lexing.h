// How the lexers of the grammars step through a text: read in front of each generated parser (cmake/TreeSitter.cmake),
// whose macros it replaces. A generated lexer asks the runtime by a pointer for every byte: what comes next, whether
// that is the end, whether a token may end here. Next is nearly always a byte of ASCII, which is read here; anything
// else goes to the runtime as before. Nobody here sets ranges or a logger.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t bytes, row, column;
} InterlockPlace;

// The runtime's lexer as far as it is needed; tree_runtime.c asserts that it is this one.
typedef struct {
  int32_t lookahead;
  uint16_t result_symbol;
  void* functions[6];
  uint32_t at, row, column;
  InterlockPlace token_start, token_end;
  void* ranges;
  const char* chunk;
  struct {
    void* payload;
    void* read;
    int encoding;
    void* decode;
  } input;
  struct {
    void* payload;
    void* log;
  } logger;
  uint32_t range_count;
  uint32_t range;
  uint32_t chunk_start;
  uint32_t chunk_size;
  uint32_t lookahead_size;
  bool did_get_column;
  uint32_t column_value;
  bool column_valid;
} InterlockLexer;

// False: not from a byte of ASCII to another, nothing has been done.
static inline bool interlock_advance_byte(InterlockLexer* lexer, bool skip) {
  const uint32_t next = lexer->at + 1 - lexer->chunk_start;
  if (lexer->lookahead_size != 1 || next >= lexer->chunk_size) return false;
  const unsigned char byte = (unsigned char)lexer->chunk[next];
  if (byte >= 0x80) return false;
  if (lexer->lookahead == '\n') {
    ++lexer->row;
    lexer->column = 0;
    lexer->column_valid = true;
    lexer->column_value = 0;
  } else {
    ++lexer->column;
    if (lexer->column_valid) ++lexer->column_value;
  }
  ++lexer->at;
  if (skip) lexer->token_start = (InterlockPlace){lexer->at, lexer->row, lexer->column};
  lexer->lookahead = byte;
  return true;
}

#ifdef INTERLOCK_GRAMMAR
#include <tree_sitter/parser.h>

#undef START_LEXER
#define START_LEXER()                                                                     \
  bool result = false;                                                                    \
  bool skip = false;                                                                      \
  bool eof = false;                                                                       \
  int32_t lookahead;                                                                      \
  goto start;                                                                             \
  next_state:                                                                             \
  if (!interlock_advance_byte((InterlockLexer*)lexer, skip)) lexer->advance(lexer, skip); \
  start:                                                                                  \
  skip = false;                                                                           \
  lookahead = lexer->lookahead;

// `eof = lexer->eof(lexer)`: at the end there is nothing ahead.
#define eof(lexer) lookahead == 0 && (lexer)->eof(lexer)

#undef ACCEPT_TOKEN
#define ACCEPT_TOKEN(symbol_value)     \
  result = true;                       \
  lexer->result_symbol = symbol_value; \
  interlock_mark_end(lexer);

static inline void interlock_mark_end(TSLexer* lexer) {
  InterlockLexer* const own = (InterlockLexer*)lexer;
  if (own->range == 0) {
    own->token_end = (InterlockPlace){own->at, own->row, own->column};
  } else {
    lexer->mark_end(lexer);
  }
}

// The ranges are sorted, and those of ASCII are few.
static inline bool interlock_set_contains(const TSCharacterRange* ranges, uint32_t count, int32_t lookahead) {
  if (lookahead < 0x80) {
    for (uint32_t i = 0; i < count && ranges[i].start <= lookahead; ++i) {
      if (lookahead <= ranges[i].end) return true;
    }
    return false;
  }
  return set_contains((TSCharacterRange*)ranges, count, lookahead);
}
#define set_contains interlock_set_contains
#endif
