#include "interlock/base/glob.h"

#include <algorithm>
#include <array>
#include <utility>

namespace interlock::base {
namespace {

constexpr std::size_t kMaxPatternBytes = 4096;
constexpr std::size_t kMaxAlternatives = 64;
// All alternatives together; 64 copies of a long tail would otherwise multiply.
constexpr std::size_t kMaxAtoms = std::size_t{64} << 10;
constexpr std::size_t kMaxAtomsInOne = kMaxPatternBytes;

// Reads one character and moves `at` past it. A byte that is not part of valid UTF-8 is a character of its own, above
// all code points, so that it never equals a real one.
char32_t NextChar(std::string_view text, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t value = lead & (0xFFU >> (length + 1));
  const bool lead_ok = lead >= 0xC2 && lead <= 0xF4 && at + length <= text.size();
  bool ok = lead_ok;
  for (std::size_t i = 1; ok && i < length; ++i) {
    ok = (byte(at + i) & 0xC0U) == 0x80;
    value = (value << 6) | (byte(at + i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (!ok || value < kLeast[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    ++at;
    return 0x110000U + lead;
  }
  at += length;
  return value;
}

Error Bad(const char* what, std::size_t at) {
  return Error(ErrorCode::kInvalidArgument, what, {.column = static_cast<std::uint32_t>(at + 1), .offset = at});
}

}  // namespace

class GlobCompiler {
 public:
  using Atom = Glob::Atom;
  using Program = Glob::Program;

  explicit GlobCompiler(std::string_view pattern) : pattern_(pattern), done_(1) {}

  Status Run() {
    while (at_ < pattern_.size()) {
      if (Status s = Piece(); !s.ok()) return s;
    }
    if (in_brace_) return Bad("unclosed brace in glob", brace_at_);
    return {};
  }

  std::vector<Program> TakePrograms() { return std::move(done_); }
  [[nodiscard]] bool special() const { return special_; }

 private:
  Status Piece() {
    const std::size_t begin = at_;
    const char32_t c = NextChar(pattern_, at_);
    switch (c) {
      case U'\\':
        if (at_ == pattern_.size()) return Bad("backslash at the end of a glob", begin);
        return Append({.kind = Atom::Kind::kChar, .value = NextChar(pattern_, at_)});
      case U'?':
        special_ = true;
        return Append({.kind = Atom::Kind::kAnyChar});
      case U'*': {
        special_ = true;
        const bool twice = at_ < pattern_.size() && pattern_[at_] == '*';
        while (at_ < pattern_.size() && pattern_[at_] == '*') ++at_;
        return Append({.kind = twice ? Atom::Kind::kDoubleStar : Atom::Kind::kStar});
      }
      case U'[':
        return Set(begin);
      case U'{':
        if (in_brace_) return Bad("nested brace in glob", begin);
        special_ = in_brace_ = true;
        brace_at_ = begin;
        branches_.assign(1, {});
        return {};
      case U',':
        if (!in_brace_) return Append({.kind = Atom::Kind::kChar, .value = c});
        branches_.emplace_back();
        if (branches_.size() > kMaxAlternatives) return Bad("more than 64 alternatives in glob", begin);
        return {};
      case U'}':
        if (!in_brace_) return Append({.kind = Atom::Kind::kChar, .value = c});
        return CloseBrace(begin);
      default:
        return Append({.kind = Atom::Kind::kChar, .value = c});
    }
  }

  Status Set(std::size_t begin) {
    special_ = true;
    Glob::CharSet set;
    if (at_ < pattern_.size() && pattern_[at_] == '!') {
      set.negated = true;
      ++at_;
    } else if (at_ < pattern_.size() && pattern_[at_] == '^') {
      return Bad("a negated set is written [!...]; escape a literal ^", at_);
    }
    while (true) {
      if (at_ >= pattern_.size()) return Bad("unclosed set in glob", begin);
      if (pattern_[at_] == ']') break;
      char32_t low = 0;
      if (!SetChar(low)) return Bad("unclosed set in glob", begin);
      char32_t high = low;
      if (at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']') {
        ++at_;
        if (!SetChar(high)) return Bad("unclosed set in glob", begin);
        if (high < low) return Bad("range out of order in glob", begin);
      }
      set.ranges.emplace_back(low, high);
    }
    ++at_;
    if (set.ranges.empty()) return Bad("empty set in glob", begin);
    return Append({.kind = Atom::Kind::kSet}, &set);
  }

  bool SetChar(char32_t& out) {
    out = NextChar(pattern_, at_);
    if (out != U'\\') return true;
    if (at_ >= pattern_.size()) return false;
    out = NextChar(pattern_, at_);
    return true;
  }

  Status Append(Atom atom, const Glob::CharSet* set = nullptr) {
    if (in_brace_) return AppendTo(branches_.back(), atom, set);
    for (Program& program : done_) {
      if (Status s = AppendTo(program, atom, set); !s.ok()) return s;
    }
    return {};
  }

  Status AppendTo(Program& program, Atom atom, const Glob::CharSet* set) {
    if (++atoms_ > kMaxAtoms) return Bad("glob has too many alternatives for its length", at_);
    if (set != nullptr) {
      atom.value = static_cast<char32_t>(program.sets.size());
      program.sets.push_back(*set);
    }
    program.atoms.push_back(atom);
    return {};
  }

  Status CloseBrace(std::size_t at) {
    in_brace_ = false;
    if (done_.size() * branches_.size() > kMaxAlternatives) return Bad("more than 64 alternatives in glob", at);
    std::vector<Program> product;
    for (const Program& head : done_) {
      for (const Program& branch : branches_) {
        Program joined = head;
        for (Atom atom : branch.atoms) {
          const Glob::CharSet* set = atom.kind == Atom::Kind::kSet ? &branch.sets[atom.value] : nullptr;
          if (Status s = AppendTo(joined, atom, set); !s.ok()) return s;
        }
        product.push_back(std::move(joined));
      }
    }
    done_ = std::move(product);
    return {};
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool special_ = false;
  bool in_brace_ = false;
  std::size_t brace_at_ = 0;
  std::size_t atoms_ = 0;
  std::vector<Program> done_;
  std::vector<Program> branches_;
};

Result<Glob> Glob::Compile(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) return Error(ErrorCode::kInvalidArgument, "glob is longer than 4096 bytes");
  GlobCompiler compiler(pattern);
  if (Status s = compiler.Run(); !s.ok()) return s.error();
  Glob glob;
  glob.pattern_ = pattern;
  glob.alternatives_ = compiler.TakePrograms();
  glob.is_literal_ = !compiler.special();
  if (glob.is_literal_) {
    for (std::size_t at = 0; at < pattern.size(); ++at) {
      if (pattern[at] == '\\') ++at;
      glob.literal_.push_back(pattern[at]);
    }
  }
  return glob;
}

bool Glob::Matches(std::string_view text) const noexcept {
  if (is_literal_) return text == literal_;
  return std::ranges::any_of(alternatives_, [text](const Program& p) { return MatchProgram(p, text); });
}

// Breadth-first over the set of pattern positions that the text read so far can have led to. Each character costs at
// most one visit a position: no backtracking, whatever the pattern.
bool Glob::MatchProgram(const Program& program, std::string_view text) noexcept {
  const auto& atoms = program.atoms;
  std::size_t at = 0;
  std::size_t start = 0;
  // Most globs begin with plain characters: settle those first.
  while (start < atoms.size() && atoms[start].kind == Atom::Kind::kChar) {
    if (at >= text.size() || NextChar(text, at) != atoms[start].value) return false;
    ++start;
  }
  // Then those it ends with. A byte of ASCII is a character wherever it stands.
  for (std::size_t last = atoms.size(), left = text.size() - at; last > start; --last, --left) {
    const Atom& atom = atoms[last - 1];
    if (atom.kind != Atom::Kind::kChar || atom.value >= 0x80) break;
    if (left == 0 || static_cast<unsigned char>(text[at + left - 1]) != atom.value) return false;
  }
  // Cleared below, as far as they are used.
  __attribute__((uninitialized)) std::array<std::uint64_t, kMaxAtomsInOne / 64 + 1> now;   // NOLINT
  __attribute__((uninitialized)) std::array<std::uint64_t, kMaxAtomsInOne / 64 + 1> next;  // NOLINT
  const std::size_t words = atoms.size() / 64 + 1;
  const auto add = [&atoms](auto& states, std::size_t i) {
    states[i / 64] |= std::uint64_t{1} << (i % 64);
    while (i < atoms.size() && (atoms[i].kind == Atom::Kind::kStar || atoms[i].kind == Atom::Kind::kDoubleStar)) {
      ++i;
      states[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  };
  std::fill_n(now.begin(), words, 0);
  add(now, start);
  while (at < text.size()) {
    const char32_t c = NextChar(text, at);
    std::fill_n(next.begin(), words, 0);
    std::uint64_t alive = 0;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t bits = now[w]; bits != 0; bits &= bits - 1) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        if (i == atoms.size()) continue;  // matched before the text ended
        const Atom& atom = atoms[i];
        std::size_t to = i + 1;
        bool take = false;
        switch (atom.kind) {
          case Atom::Kind::kChar:
            take = c == atom.value;
            break;
          case Atom::Kind::kAnyChar:
            take = c != U'/';
            break;
          case Atom::Kind::kStar:
            take = c != U'/';
            to = i;
            break;
          case Atom::Kind::kDoubleStar:
            take = true;
            to = i;
            break;
          case Atom::Kind::kSet:
            take = c != U'/' && program.sets[atom.value].Has(c);
            break;
        }
        if (take) add(next, to);
      }
    }
    for (std::size_t w = 0; w < words; ++w) alive |= next[w];
    if (alive == 0) return false;
    std::copy_n(next.begin(), words, now.begin());
  }
  return ((now[atoms.size() / 64] >> (atoms.size() % 64)) & 1) != 0;
}

bool Glob::CharSet::Has(char32_t c) const noexcept {
  const bool inside = std::ranges::any_of(ranges, [c](const auto& r) { return r.first <= c && c <= r.second; });
  return inside != negated;
}

Result<std::string> CanonicalPath(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return Error(ErrorCode::kInvalidArgument, "path holds a NUL byte");
  const bool absolute = path.starts_with('/');
  std::string out = absolute ? "/" : "";
  std::size_t floor = out.size();  // nothing before this may be removed by ".."
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (out.size() > floor) {
        const std::size_t cut = out.rfind('/');
        out.resize(cut == std::string::npos || cut < floor ? floor : cut);
        continue;
      }
      if (absolute) continue;
      out += out.empty() ? ".." : "/..";
      floor = out.size();
      continue;
    }
    if (!out.empty() && !out.ends_with('/')) out += '/';
    out += part;
  }
  if (out.empty()) out = ".";
  return out;
}

}  // namespace interlock::base
