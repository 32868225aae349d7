#include "fold.h"

#include "interlock/base/digits.h"
#include "utf8.h"

namespace interlock::injection {
namespace {

using base::HexValue;

class Folder {
 public:
  Folder(std::string_view in, Folded& out) : in_(in), out_(out) {
    // Nothing folds to more bytes than it has.
    out_.text.resize(in.size());
    out_.origin.resize(in.size() + 1);
    out_.upper.resize(in.size());
  }

  void Run() {
    while (at_ < in_.size()) {
      const auto c = static_cast<unsigned char>(in_[at_]);
      if (c == '\\' && at_ + 1 < in_.size()) {
        Escape();
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        Blank(at_++);
      } else if (c == '\n') {
        LineEnd(at_++);
      } else if (c < 0x80U) {
        const bool upper = c >= 'A' && c <= 'Z';
        Put(static_cast<char>(upper ? c + 32 : c), at_++, upper);
      } else {
        std::size_t next = at_;
        const char32_t code = DecodeUtf8(in_, next);
        PutCode(code, at_);
        at_ = next;
      }
    }
    out_.text.resize(size_);
    out_.upper.resize(size_);
    out_.origin.resize(size_ + 1);
    out_.origin[size_] = static_cast<std::uint32_t>(in_.size());
  }

 private:
  void Put(char c, std::size_t from, bool upper = false) {
    out_.text[size_] = c;
    out_.origin[size_] = static_cast<std::uint32_t>(from);
    out_.upper[size_] = upper ? 1 : 0;
    ++size_;
  }
  void PutCode(char32_t code, std::size_t from) {
    if (code == kBadUtf8) {  // kept as a byte that is no letter
      Put('\x1a', from);
      return;
    }
    if (code == 0xA0U || code == 0x202FU || (code >= 0x2000U && code <= 0x200AU) || code == 0x3000U) {
      Blank(from);
      return;
    }
    if (code == 0x2028U || code == 0x2029U || code == 0x85U) {
      LineEnd(from);
      return;
    }
    if (code == 0x2019U || code == 0x2018U || code == 0x2BCU) {  // the apostrophes of "don't"
      Put('\'', from);
      return;
    }
    const char32_t lower = LowerCase(code);
    char bytes[4];
    const std::size_t count = EncodeUtf8(lower, bytes);
    for (std::size_t i = 0; i < count; ++i) Put(bytes[i], from, lower != code);
  }
  [[nodiscard]] char Last(std::size_t back = 1) const { return size_ < back ? '\0' : out_.text[size_ - back]; }
  void Blank(std::size_t from) {
    if (size_ == 0 || (Last() != ' ' && Last() != '\n')) Put(' ', from);
  }
  void LineEnd(std::size_t from) {
    if (Last() == ' ') {
      out_.text[size_ - 1] = '\n';
    } else if (Last() != '\n' || Last(2) != '\n') {
      Put('\n', from);
    }
  }
  void Escape() {
    const std::size_t from = at_;
    const char next = in_[at_ + 1];
    switch (next) {
      case 'n':
      case 'r':
        LineEnd(from);
        break;
      case 't':
        Blank(from);
        break;
      case '"':
      case '/':
      case '\'':
        Put(next, from);
        break;
      case '\\': {  // an escape escaped once more reads as the same escape
        at_ += 1;
        return;
      }
      case '\n': {  // YAML: a line folded inside quotes
        at_ += 2;
        while (at_ < in_.size() && in_[at_] == ' ') ++at_;
        if (at_ < in_.size() && in_[at_] == '\\' && at_ + 1 < in_.size() && in_[at_ + 1] == ' ') ++at_;
        return;
      }
      case 'u': {
        char32_t code = 0;
        std::size_t used = 0;
        if (Unicode(at_, code, used)) {
          if (code == '\n')
            LineEnd(from);
          else if (code < 0x80U)
            Put(static_cast<char>(code >= 'A' && code <= 'Z' ? code + 32 : code), from);
          else
            PutCode(code, from);
          at_ += used;
          return;
        }
        Put('\\', from);
        at_ += 1;
        return;
      }
      default:
        Put('\\', from);
        at_ += 1;
        return;
    }
    at_ += 2;
  }
  bool Unicode(std::size_t at, char32_t& code, std::size_t& used) const {
    const auto four = [&](std::size_t begin, char32_t& value) {
      if (begin + 6 > in_.size() || in_[begin] != '\\' || in_[begin + 1] != 'u') return false;
      value = 0;
      for (std::size_t i = 2; i < 6; ++i) {
        const int digit = HexValue(in_[begin + i]);
        if (digit < 0) return false;
        value = value * 16 + static_cast<char32_t>(digit);
      }
      return true;
    };
    if (!four(at, code)) return false;
    used = 6;
    if (code >= 0xD800U && code < 0xDC00U) {
      char32_t low = 0;
      if (!four(at + 6, low) || low < 0xDC00U || low > 0xDFFFU) return false;
      code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
      used = 12;
    }
    return code < 0xD800U || code > 0xDFFFU;
  }

  std::string_view in_;
  Folded& out_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

void Fold(std::string_view text, Folded& out) { Folder(text, out).Run(); }

}  // namespace interlock::injection
