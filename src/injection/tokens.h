// Private. Words and pieces (sentences, lines, fields) of folded text. Numbers, keys, addresses, file names and
// punctuation are no words: what an attacker can pad with at will does not count.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fold.h"

namespace interlock::injection {

// What a token is. Numbers and addresses (e-mail, URL, file and host names, mentions) carry no words: they say only
// that one stood there, and do not part the words around them.
enum class TokenKind : std::uint8_t { kWord, kNumber, kAddress };

struct Token {
  std::uint32_t hash = 0;   // of a word; 0 for the others
  std::uint32_t sense = 0;  // of the English word that it stands for, or its own; 0: said by the word before it
  std::uint32_t begin = 0;  // of the folded text
  std::uint32_t end = 0;
  TokenKind kind = TokenKind::kWord;
  bool starts = false;   // the first word of its piece
  bool capital = false;  // written with one capital although it does not start its piece
  bool elides = false;   // has an apostrophe: an article may stand before it
};

struct Piece {
  std::uint32_t token_begin = 0;
  std::uint32_t token_end = 0;
  std::uint32_t begin = 0;  // of the folded text; from its first word to its closing mark
  std::uint32_t end = 0;
  std::uint32_t block = 0;  // paragraphs and fields, counted
  std::uint32_t line = 0;   // lines, counted
  bool opens = false;       // stands on a line of its own as an opening tag: nothing before it belongs to it
  bool closes = false;      // likewise a closing tag
};

struct Tokens {
  std::vector<Token> tokens;
  std::vector<Piece> pieces;
  std::vector<Token> keys;  // words of the names of fields; no evidence, but patterns look for them
};

[[nodiscard]] std::uint32_t HashWord(std::string_view word);

void Tokenize(const Folded& folded, Tokens& out);
// Without the glossary: every word has its own sense.
void TokenizeWords(const Folded& folded, Tokens& out);

}  // namespace interlock::injection
