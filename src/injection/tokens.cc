#include "tokens.h"

#include <algorithm>

#include "interlock/injection/glossary.h"
#include "utf8.h"

namespace interlock::injection {
namespace {

constexpr std::size_t kMaxWord = 40;  // bytes; longer runs of letters are no words
constexpr std::size_t kMaxKey = 40;
constexpr std::size_t kMaxTag = 40;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsKeyByte(char c) { return IsLower(c) || IsDigit(c) || c == '_' || c == '-'; }
bool EndsChunk(char c) {
  switch (c) {
    case ' ':
    case '\n':
    case '"':
    case '(':
    case ')':
    case '{':
    case '}':
    case '[':
    case ']':
    case '<':
    case '>':
    case ',':
    case ';':
    case '|':
    case '=':
    case '`':
      return true;
    default:
      return false;
  }
}

class Tokenizer {
 public:
  Tokenizer(const Folded& folded, Tokens& out) : folded_(folded), text_(folded.text), out_(out) {
    out_.tokens.clear();
    out_.pieces.clear();
    out_.keys.clear();
    out_.tokens.reserve(text_.size() / 5);
  }

  void Run() {
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (line_start && SkipLineKey()) {
        line_start = false;
        continue;
      }
      switch (c) {
        case '\n':
          Break();
          if (at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++block_;
          ++at_;
          ++line_;
          line_start = true;
          continue;
        case '"':
          Quote();
          continue;
        case '<':
          if (TagLine()) continue;
          ++at_;
          Break();
          continue;
        case ',':
          // 'one', 'two': a list of texts as some languages print it
          if (at_ > 0 && text_[at_ - 1] == '\'' &&
              (text_.substr(at_ + 1, 1) == "'" || text_.substr(at_ + 1, 2) == " '")) {
            Break();
            ++block_;
          }
          ++at_;
          continue;
        case '|':
        case '>':
        case '{':
        case '}':
        case '[':
        case ']':
        case ';':
          ++at_;
          Break();
          if (c == '{' || c == '}' || c == '[' || c == ']') ++block_;
          continue;
        case '.':
        case '!':
        case '?':
          ++at_;
          if (at_ >= text_.size() || EndsChunk(text_[at_]) || text_[at_] == '\'') Break();
          continue;
        default:
          break;
      }
      if (c == '-' || c == '*' || c == ' ' || c == '#') {
        ++at_;
        continue;  // may still be the start of a line
      }
      line_start = false;
      if (IsLower(c) || IsDigit(c) || static_cast<unsigned char>(c) >= 0x80U) {
        Chunk();
      } else {
        ++at_;
      }
    }
    Break();
  }

 private:
  // A tag that fills its line ends the block before it (an opening one) or after it (a closing one).
  bool TagLine() {
    if (at_ > 0 && text_[at_ - 1] != '\n' && (at_ < 2 || text_[at_ - 1] != ' ' || text_[at_ - 2] != '\n')) return false;
    const bool closing = at_ + 1 < text_.size() && text_[at_ + 1] == '/';
    const std::size_t name = at_ + (closing ? 2 : 1);
    std::size_t end = name;
    while (end < text_.size() && end - name <= kMaxTag && (IsKeyByte(text_[end]) || text_[end] == ' ')) ++end;
    if (end == name || end >= text_.size() || text_[end] != '>') return false;
    if (end + 1 < text_.size() && text_[end + 1] != '\n') return false;
    Break();
    if (!closing) ++block_;
    ++at_;
    while (at_ < end) {
      if (IsLower(text_[at_])) {
        Chunk();
      } else {
        ++at_;
      }
    }
    const std::size_t pieces = out_.pieces.size();
    Break();
    if (out_.pieces.size() > pieces) (closing ? out_.pieces.back().closes : out_.pieces.back().opens) = true;
    if (closing) ++block_;
    at_ = end + 1;
    return true;
  }

  // `key:` at the start of a line (YAML, headers). A field of its own begins after it.
  bool SkipLineKey() {
    std::size_t end = at_;
    while (end < text_.size() && end - at_ < kMaxKey && IsKeyByte(text_[end])) ++end;
    if (end == at_ || end >= text_.size() || text_[end] != ':') return false;
    if (end + 1 < text_.size() && text_[end + 1] != ' ' && text_[end + 1] != '\n') return false;
    Break();
    ++block_;
    AddKey(at_, end);
    at_ = end + 1;
    return true;
  }

  void Quote() {
    // "key":
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ <= kMaxKey && IsKeyByte(text_[end])) ++end;
    if (end > at_ + 1 && end < text_.size() && text_[end] == '"') {
      std::size_t colon = end + 1;
      while (colon < text_.size() && text_[colon] == ' ') ++colon;
      if (colon < text_.size() && text_[colon] == ':') {
        Break();
        ++block_;
        AddKey(at_ + 1, end);
        at_ = colon + 1;
        return;
      }
    }
    std::size_t before = at_;
    while (before > 0 && text_[before - 1] == ' ') --before;
    std::size_t after = at_ + 1;
    while (after < text_.size() && text_[after] == ' ') ++after;
    const auto structural = [](char c) {
      return c == ':' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n';
    };
    ++at_;
    if (before == 0 || after >= text_.size() || structural(text_[before - 1]) || structural(text_[after])) {
      Break();
      ++block_;
    }
  }

  void Chunk() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    bool address = false;
    std::size_t dots = 0;
    std::size_t last_dot = 0;
    bool plain = true;  // letters and dots only
    while (end < text_.size() && !EndsChunk(text_[end])) {
      const char c = text_[end];
      if (c == '@') address = true;
      if (c == ':' && end + 2 < text_.size() && text_[end + 1] == '/' && text_[end + 2] == '/') address = true;
      if (c == '.' && end + 1 < text_.size() && !EndsChunk(text_[end + 1]) && text_[end + 1] != '.') {
        ++dots;
        last_dot = end;
      } else if (!IsLower(c) && c != '-' && c != '_' && !IsDigit(c)) {
        if (c != '.' && c != ':' && c != '?' && c != '!' && c != '\'') plain = false;
      }
      ++end;
    }
    if (text_.substr(begin, 4) == "www.") address = true;
    if (dots >= 1 && plain && !address) {
      // name.ext, host.tld: one dot before a short last part
      std::size_t tail = last_dot + 1;
      while (tail < end && (IsLower(text_[tail]) || IsDigit(text_[tail]))) ++tail;
      const std::size_t length = tail - last_dot - 1;
      if (dots <= 2 && length >= 2 && length <= 5 && folded_.upper[last_dot + 1] == 0) address = true;
    }
    if (address) {
      AddTyped(TokenKind::kAddress, begin, end);
      at_ = end;
      last_end_ = end;
      // what ends a sentence after an address still ends it
      while (at_ > begin && (text_[at_ - 1] == '.' || text_[at_ - 1] == '!' || text_[at_ - 1] == '?')) --at_;
      if (at_ == begin) at_ = end;
      return;
    }
    Words(begin, end);
  }

  // Splits [begin, end) at everything that is no letter; stops after the mark that ends a sentence.
  void Words(std::size_t begin, std::size_t end) {
    std::size_t at = begin;
    while (at < end) {
      const auto c = static_cast<unsigned char>(text_[at]);
      if (c < 0x80U) {
        if (!IsLower(text_[at]) && !IsDigit(text_[at])) {
          if ((c == '.' || c == '!' || c == '?') && at + 1 >= end) break;  // Run sees it
          ++at;
          continue;
        }
      } else {
        std::size_t next = at;
        const char32_t code = DecodeUtf8(text_, next);
        if (code == kBadUtf8 || IsForeignPunctuation(code)) {
          at = next;
          if (code == 0x3002U || code == 0xFF01U || code == 0xFF1FU) Break();  // 。！？
          continue;
        }
        if (IsIdeograph(code)) {
          Add(at, next);
          at = next;
          continue;
        }
      }
      const std::size_t from = at;
      bool digits = false;
      while (at < end) {
        const auto byte = static_cast<unsigned char>(text_[at]);
        if (byte < 0x80U) {
          if (IsDigit(text_[at]))
            digits = true;
          else if (text_[at] == '\'' && at + 1 < end && at > from && IsLetterAt(at + 1)) {
          } else if (!IsLower(text_[at])) {
            break;
          }
          ++at;
        } else {
          std::size_t next = at;
          const char32_t code = DecodeUtf8(text_, next);
          if (code == kBadUtf8 || IsForeignPunctuation(code) || IsIdeograph(code)) break;
          at = next;
        }
      }
      last_end_ = at;
      if (digits) {
        AddTyped(TokenKind::kNumber, from, at);
      } else if (at - from <= kMaxWord) {
        Add(from, at);
      }
    }
    at_ = std::max(at, begin + 1);
  }
  [[nodiscard]] bool IsLetterAt(std::size_t at) const {
    return IsLower(text_[at]) || static_cast<unsigned char>(text_[at]) >= 0x80U;
  }

  void AddKey(std::size_t begin, std::size_t end) {
    while (begin < end) {
      std::size_t stop = begin;
      while (stop < end && IsLower(text_[stop])) ++stop;
      if (stop > begin) {
        Token key;
        key.hash = HashWord(text_.substr(begin, stop - begin));
        key.begin = static_cast<std::uint32_t>(begin);
        key.end = static_cast<std::uint32_t>(stop);
        out_.keys.push_back(key);
      }
      begin = stop + 1;
    }
  }

  void AddTyped(TokenKind kind, std::size_t begin, std::size_t end) {
    if (words_ == 0) return;  // nothing before it that it could belong to
    Token token;
    token.begin = static_cast<std::uint32_t>(begin);
    token.end = static_cast<std::uint32_t>(end);
    token.kind = kind;
    out_.tokens.push_back(token);
  }

  void Add(std::size_t begin, std::size_t end) {
    Token token;
    const std::string_view word = text_.substr(begin, end - begin);
    token.hash = HashWord(word);
    token.sense = token.hash;
    token.elides = word.find('\'') != std::string_view::npos;
    token.begin = static_cast<std::uint32_t>(begin);
    token.end = static_cast<std::uint32_t>(end);
    token.starts = out_.tokens.size() == piece_first_;
    token.capital = !token.starts && folded_.upper[begin] != 0 && (begin + 1 >= end || folded_.upper[begin + 1] == 0);
    out_.tokens.push_back(token);
    ++words_;
    last_end_ = end;
  }

  // Ends the piece at the current position, if it has a word.
  void Break() {
    const std::size_t count = out_.tokens.size();
    if (count > piece_first_) {
      Piece piece;
      piece.token_begin = static_cast<std::uint32_t>(piece_first_);
      piece.token_end = static_cast<std::uint32_t>(count);
      piece.begin = out_.tokens[piece_first_].begin;
      piece.end = static_cast<std::uint32_t>(std::max<std::size_t>(last_end_, out_.tokens.back().end));
      const bool mark = at_ > piece.end && (text_[at_ - 1] == '.' || text_[at_ - 1] == '!' || text_[at_ - 1] == '?');
      if (mark) piece.end = static_cast<std::uint32_t>(at_);
      piece.block = block_;
      piece.line = line_;
      out_.pieces.push_back(piece);
    }
    piece_first_ = count;
    words_ = 0;
  }

  const Folded& folded_;
  std::string_view text_;
  Tokens& out_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;
  std::size_t piece_first_ = 0;
  std::size_t words_ = 0;  // of the open piece
  std::uint32_t block_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace

std::uint32_t HashWord(std::string_view word) {
  std::uint32_t hash = 2166136261U;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  hash ^= hash >> 15U;
  hash *= 0x2C1B3C6DU;
  return hash ^ (hash >> 13U);
}

void TokenizeWords(const Folded& folded, Tokens& out) { Tokenizer(folded, out).Run(); }

void Tokenize(const Folded& folded, Tokens& out) {
  TokenizeWords(folded, out);
  Glossary::Default().Apply(folded.text, out);
}

}  // namespace interlock::injection
