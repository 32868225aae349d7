#include "json_schema_pattern.h"

#include <re2/re2.h>

#include <array>
#include <optional>
#include <utility>

#include "interlock/base/digits.h"

namespace interlock::policy::schema {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr std::size_t kMaxPatternBytes = 4096;
constexpr int kMaxGroups = 64;  // open at once
// RE2 keeps the program and the DFA cache within this, for each pattern.
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 20;

// ECMA white space and line ends, and everything else, as class items.
constexpr std::string_view kSpace =
    "\\t-\\r\\x20\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
constexpr std::string_view kNotSpace =
    "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"
    "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
constexpr std::string_view kDot = "[^\\n\\r\\x{2028}\\x{2029}]";
constexpr std::string_view kAnything = "[\\x00-\\x{10ffff}]";
constexpr std::string_view kNoChar = "[^\\x00-\\x{10ffff}]";

// General categories by all their ECMA names. Cn, C and LC are left out: RE2 has no unassigned code points, so its C is
// not ECMA's C.
struct Category {
  std::string_view shorter;
  std::string_view longer;
};
constexpr std::array kCategories = std::to_array<Category>({
    {"L", "Letter"},
    {"Lu", "Uppercase_Letter"},
    {"Ll", "Lowercase_Letter"},
    {"Lt", "Titlecase_Letter"},
    {"Lm", "Modifier_Letter"},
    {"Lo", "Other_Letter"},
    {"M", "Mark"},
    {"M", "Combining_Mark"},
    {"Mn", "Nonspacing_Mark"},
    {"Mc", "Spacing_Mark"},
    {"Me", "Enclosing_Mark"},
    {"N", "Number"},
    {"Nd", "Decimal_Number"},
    {"Nd", "digit"},
    {"Nl", "Letter_Number"},
    {"No", "Other_Number"},
    {"P", "Punctuation"},
    {"P", "punct"},
    {"Pc", "Connector_Punctuation"},
    {"Pd", "Dash_Punctuation"},
    {"Ps", "Open_Punctuation"},
    {"Pe", "Close_Punctuation"},
    {"Pi", "Initial_Punctuation"},
    {"Pf", "Final_Punctuation"},
    {"Po", "Other_Punctuation"},
    {"S", "Symbol"},
    {"Sm", "Math_Symbol"},
    {"Sc", "Currency_Symbol"},
    {"Sk", "Modifier_Symbol"},
    {"So", "Other_Symbol"},
    {"Z", "Separator"},
    {"Zs", "Space_Separator"},
    {"Zl", "Line_Separator"},
    {"Zp", "Paragraph_Separator"},
    {"Cc", "Control"},
    {"Cc", "cntrl"},
    {"Cf", "Format"},
    {"Co", "Private_Use"},
});

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
using base::HexValue;

// One member of a class, or one atom: a code point, or ready-made class items such as `0-9`.
struct Item {
  std::optional<char32_t> point;
  std::string set;       // items that stand inside [...]
  bool negated = false;  // only for property sets, which RE2 can negate by itself
};

class Translator {
 public:
  explicit Translator(std::string_view in) : in_(in) {}

  Result<std::string> Run() {
    while (at_ < in_.size()) {
      if (Status s = Term(); !s.ok()) return s.error();
    }
    if (groups_ != 0) return Bad("unclosed group");
    return std::move(out_);
  }

 private:
  enum class Last : unsigned char { kNothing, kAssertion, kAtom };

  Error Bad(const char* what) const {
    return Error(ErrorCode::kSchemaPattern, std::string(what) + " at byte " + std::to_string(at_) + " of the pattern");
  }
  bool Next(char c) const { return at_ < in_.size() && in_[at_] == c; }
  bool Take(std::string_view text) {
    if (!in_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }

  Status Term() {
    const char c = in_[at_];
    switch (c) {
      case '^':
        return Assertion("\\A");
      case '$':
        return Assertion("\\z");
      case '(':
        return OpenGroup();
      case ')':
        if (groups_ == 0) return Bad("unmatched )");
        --groups_;
        ++at_;
        return Atom(")");
      case '|':
        ++at_;
        out_ += '|';
        last_ = Last::kNothing;
        return {};
      case '.':
        ++at_;
        return Atom(kDot);
      case '[':
        return Class();
      case '*':
      case '+':
      case '?':
        ++at_;
        return Quantifier(std::string_view(&c, 1));
      case '{':
        return Brace();
      case '\\':
        return Escape();
      default:
        return Literal();
    }
  }

  Status Assertion(std::string_view text) {
    ++at_;
    out_ += text;
    last_ = Last::kAssertion;
    return {};
  }

  Status Atom(std::string_view text) {
    out_ += text;
    last_ = Last::kAtom;
    return {};
  }

  Status OpenGroup() {
    ++at_;
    if (Take("?")) {
      if (Take("<")) {
        if (Next('=') || Next('!')) return Bad("look-behind");
        const std::size_t close = in_.find('>', at_);
        if (close == std::string_view::npos || close == at_) return Bad("unclosed group name");
        for (; at_ < close; ++at_) {
          const char c = in_[at_];
          if (!IsAlpha(c) && !IsDigit(c) && c != '_' && c != '$') return Bad("group name");
        }
        ++at_;
      } else if (!Take(":")) {
        return Bad("look-ahead or inline flags");
      }
    }
    if (++groups_ > kMaxGroups) return Bad("groups nested too deeply");
    out_ += "(?:";
    last_ = Last::kNothing;
    return {};
  }

  Status Quantifier(std::string_view text) {
    if (last_ != Last::kAtom) return Bad("nothing to repeat");
    out_ += text;
    Take("?");  // lazy or not makes no difference to whether there is a match
    last_ = Last::kNothing;
    return {};
  }

  Status Brace() {
    std::size_t end = at_ + 1;
    const auto digits = [&] {
      const std::size_t from = end;
      while (end < in_.size() && IsDigit(in_[end])) ++end;
      return end > from;
    };
    bool ok = digits();
    if (ok && end < in_.size() && in_[end] == ',') {
      ++end;
      digits();
    }
    ok = ok && end < in_.size() && in_[end] == '}';
    if (!ok) return Literal();  // as annex B has it for this and for closing brackets on their own
    const std::string_view text = in_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    return Quantifier(text);
  }

  Status Literal() {
    Item item;
    if (Status s = Point(item); !s.ok()) return s;
    std::string text;
    AppendPoint(text, *item.point);
    return Atom(text);
  }

  // One code point of the (valid UTF-8) pattern.
  Status Point(Item& item) {
    const auto lead = static_cast<unsigned char>(in_[at_]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead >= 0x80 && (lead < 0xC2 || at_ + length > in_.size())) return Bad("invalid UTF-8");
    char32_t value = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (static_cast<unsigned char>(in_[at_ + i]) & 0x3FU);
    at_ += length;
    item.point = value;
    return {};
  }

  static void AppendPoint(std::string& out, char32_t value) {
    if (value < 0x80 && (IsAlpha(static_cast<char>(value)) || IsDigit(static_cast<char>(value)))) {
      out.push_back(static_cast<char>(value));
      return;
    }
    constexpr char kHex[] = "0123456789abcdef";
    out += "\\x{";
    int shift = 20;
    while (shift > 0 && (value >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) out.push_back(kHex[(value >> shift) & 0xF]);
    out += '}';
  }

  Status Escape() {
    if (in_.substr(at_).starts_with("\\b")) {
      at_ += 1;
      return Assertion("\\b");
    }
    if (in_.substr(at_).starts_with("\\B")) {
      at_ += 1;
      return Assertion("\\B");
    }
    Item item;
    if (Status s = ClassEscape(item, false); !s.ok()) return s;
    std::string text;
    if (item.point) {
      AppendPoint(text, *item.point);
    } else {
      text = (item.negated ? "[^" : "[") + item.set + "]";
    }
    return Atom(text);
  }

  Status Hex(std::size_t digits, char32_t& value) {
    if (at_ + digits > in_.size()) return Bad("incomplete escape");
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int h = HexValue(in_[at_ + i]);
      if (h < 0) return Bad("incomplete escape");
      value = (value << 4) | static_cast<char32_t>(h);
    }
    at_ += digits;
    return {};
  }

  Status UnicodeEscape(char32_t& value) {
    if (Take("{")) {
      const std::size_t close = in_.find('}', at_);
      if (close == std::string_view::npos || close == at_ || close - at_ > 6) return Bad("incomplete escape");
      if (Status s = Hex(close - at_, value); !s.ok()) return s;
      ++at_;
    } else {
      if (Status s = Hex(4, value); !s.ok()) return s;
      if (value >= 0xD800 && value <= 0xDBFF && Take("\\u")) {
        char32_t low = 0;
        if (Status s = Hex(4, low); !s.ok()) return s;
        if (low < 0xDC00 || low > 0xDFFF) return Bad("unpaired surrogate");
        value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
      }
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return Bad("not a code point");
    return {};
  }

  Status Property(Item& item, bool negated) {
    if (!Take("{")) return Bad("property without braces");
    const std::size_t close = in_.find('}', at_);
    if (close == std::string_view::npos) return Bad("unclosed property");
    std::string_view name = in_.substr(at_, close - at_);
    const auto value_of = [&name](std::string_view prefix) {
      if (!name.starts_with(prefix)) return false;
      name.remove_prefix(prefix.size());
      return true;
    };
    std::string known;
    if (value_of("Script=") || value_of("sc=")) {
      for (const char c : name) {
        if (!IsAlpha(c) && c != '_') return Bad("unknown property");
      }
      // RE2 knows scripts by their long names, which do not clash with the one- and two-letter categories.
      if (name.size() <= 2) return Bad("unknown property");
      known = name;
    } else if (!name.starts_with("gc=") && name == "Any") {
      item.set = "\\x00-\\x{10ffff}";
      item.negated = negated;
      at_ = close + 1;
      return {};
    } else if (name == "ASCII") {
      item.set = negated ? "\\x{80}-\\x{10ffff}" : "\\x00-\\x7f";
      at_ = close + 1;
      return {};
    } else {
      if (!value_of("General_Category=")) value_of("gc=");
      for (const Category& c : kCategories) {
        if (name == c.shorter || name == c.longer) known = c.shorter;
      }
      if (known.empty()) return Bad("unknown property");
    }
    item.set = (negated ? "\\P{" : "\\p{") + known + "}";
    at_ = close + 1;
    return {};
  }

  // After a backslash, inside and outside of classes.
  Status ClassEscape(Item& item, bool in_class) {
    ++at_;
    if (at_ >= in_.size()) return Bad("backslash at the end");
    const char c = in_[at_];
    char32_t value = 0;
    switch (c) {
      case 'd':
        item.set = "0-9";
        break;
      case 'D':
        item.set = "\\x00-\\x2f\\x3a-\\x{10ffff}";
        break;
      case 'w':
        item.set = "0-9A-Za-z_";
        break;
      case 'W':
        item.set = "\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x{10ffff}";
        break;
      case 's':
        item.set = kSpace;
        break;
      case 'S':
        item.set = kNotSpace;
        break;
      case 't':
        item.point = U'\t';
        break;
      case 'n':
        item.point = U'\n';
        break;
      case 'v':
        item.point = U'\v';
        break;
      case 'f':
        item.point = U'\f';
        break;
      case 'r':
        item.point = U'\r';
        break;
      case 'b':
        if (!in_class) return Bad("unknown escape");
        item.point = U'\b';
        break;
      case 'c':
        ++at_;
        if (at_ >= in_.size() || !IsAlpha(in_[at_])) return Bad("control escape");
        item.point = static_cast<char32_t>(in_[at_]) & 0x1FU;
        break;
      case '0':
        if (at_ + 1 < in_.size() && IsDigit(in_[at_ + 1])) return Bad("octal escape");
        item.point = U'\0';
        break;
      case 'x':
        ++at_;
        if (Status s = Hex(2, value); !s.ok()) return s;
        item.point = value;
        return {};
      case 'u':
        ++at_;
        if (Status s = UnicodeEscape(value); !s.ok()) return s;
        item.point = value;
        return {};
      case 'p':
      case 'P':
        ++at_;
        return Property(item, c == 'P');
      default:
        if (IsDigit(c) || c == 'k') return Bad("back-reference");
        if (IsAlpha(c)) return Bad("unknown escape");
        return Point(item);
    }
    ++at_;
    return {};
  }

  Status ClassItem(Item& item) {
    if (in_[at_] == '\\') return ClassEscape(item, true);
    return Point(item);
  }

  static void AppendItem(std::string& out, const Item& item) {
    if (item.point) {
      AppendPoint(out, *item.point);
    } else if (!item.negated) {
      out += item.set;
    }  // a negated item is \P{Any} alone: it adds nothing
  }

  Status Class() {
    ++at_;
    const bool negated = Take("^");
    std::string items;
    while (!Next(']')) {
      if (at_ >= in_.size()) return Bad("unclosed class");
      Item low;
      if (Status s = ClassItem(low); !s.ok()) return s;
      const bool range = Next('-') && at_ + 1 < in_.size() && in_[at_ + 1] != ']';
      if (!range) {
        AppendItem(items, low);
        continue;
      }
      ++at_;
      Item high;
      if (Status s = ClassItem(high); !s.ok()) return s;
      if (low.point && high.point) {
        if (*high.point < *low.point) return Bad("range out of order");
        AppendPoint(items, *low.point);
        items += '-';
        AppendPoint(items, *high.point);
      } else {
        // "[\w-.]": no range can start or end at a set, so the dash stands for itself (ECMA-262, annex B).
        AppendItem(items, low);
        items += "\\-";
        AppendItem(items, high);
      }
    }
    ++at_;
    if (items.empty()) return Atom(negated ? kAnything : kNoChar);
    return Atom((negated ? "[^" : "[") + items + "]");
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
  int groups_ = 0;
  Last last_ = Last::kNothing;
};

}  // namespace

Result<std::string> TranslatePattern(std::string_view ecma) {
  if (ecma.size() > kMaxPatternBytes) return Error(ErrorCode::kSchemaPattern, "pattern is longer than 4096 bytes");
  return Translator(ecma).Run();
}

Pattern::Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::Compile(std::string_view ecma) {
  const Result<std::string> translated = TranslatePattern(ecma);
  if (!translated.ok()) return translated.error();
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_longest_match(false);
  options.set_max_mem(kMaxMemory);
  Pattern out;
  out.re_ = std::make_unique<re2::RE2>(translated.value(), options);
  if (!out.re_->ok()) return Error(ErrorCode::kSchemaPattern, "RE2: " + out.re_->error());
  out.weight_ = 16 + static_cast<std::uint64_t>(out.re_->ProgramSize());
  return out;
}

bool Pattern::Matches(std::string_view text) const {
  return re_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

}  // namespace interlock::policy::schema
