// The reader. simdjson's first stage validates UTF-8, finds control characters in strings and indexes every token; the
// walk below is our own: simdjson's own second stages either round numbers (DOM) or skip what is not asked for
// (On-Demand), and neither refuses duplicate keys. The walk takes nothing on trust between two tokens: the bytes from
// the end of one to the start of the next must be white space.
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "decimal_view.h"
#include "interlock/base/digits.h"
#include "interlock/base/json.h"
#include "json_rep.h"
#include "number_scan.h"
#include "utf8_step.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace interlock::base {
namespace {

using internal::JsonNode;
using internal::JsonRep;
using internal::kPadding;

// A parser that has read a larger document than this gives its memory back.
constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;
// Up to here comparing every pair of keys beats sorting them.
constexpr std::size_t kPairwiseKeys = 16;

bool IsSpace(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

struct Frame {
  std::uint32_t node;
  std::uint32_t count;
  std::uint32_t first_key;  // in the key stack
  bool is_object;
};

// A key with its first eight bytes (zero-filled), so that most comparisons touch nothing else.
struct Key {
  std::uint64_t prefix;
  std::uint32_t size;
  std::uint32_t node;
};

struct Failure {
  ErrorCode code = ErrorCode::kJsonSyntax;
  std::size_t offset = 0;
  const char* message = "";
};

SourcePlace PlaceOf(std::string_view bytes, std::size_t offset) {
  const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
  const std::size_t line_start = before.rfind('\n');
  SourcePlace place;
  place.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  place.column =
      static_cast<std::uint32_t>(before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1);
  place.offset = offset;
  return place;
}

// What the index stage objects to, and where: it says only that something is wrong. simdjson has one such stage for
// each kind of processor, and not all object to the same things, so this is asked on every failure: the error for a
// document must not depend on the machine. `indexed` says that the stage found nothing; then a backslash outside a
// string, past which it is anyone's guess what is one, is left to the walk.
std::optional<Failure> FindScanFailure(std::string_view bytes, bool indexed) noexcept {
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  for (const char* p = begin; p != end;) {
    const std::size_t length = internal::Utf8Length(p, end);
    if (length == 0) {
      return Failure{ErrorCode::kJsonUtf8, static_cast<std::size_t>(p - begin), "invalid byte sequence"};
    }
    p += length;
  }
  const char* open = nullptr;
  for (const char* p = begin; p != end; ++p) {
    if (open == nullptr) {
      if (*p == '"') open = p;
      if (*p == '\\') {
        if (indexed) return std::nullopt;
        return Failure{ErrorCode::kJsonSyntax, static_cast<std::size_t>(p - begin), "backslash outside a string"};
      }
    } else if (static_cast<unsigned char>(*p) < 0x20) {
      return Failure{ErrorCode::kJsonString, static_cast<std::size_t>(p - begin), "control character in a string"};
    } else if (*p == '"') {
      open = nullptr;
    } else if (*p == '\\' && p + 1 != end) {
      if (static_cast<unsigned char>(p[1]) >= 0x80) {
        return Failure{ErrorCode::kJsonString, static_cast<std::size_t>(p - begin), "unknown escape"};
      }
      if (static_cast<unsigned char>(p[1]) >= 0x20) ++p;  // else the next round reports it
    }
  }
  if (open != nullptr) {
    return Failure{ErrorCode::kJsonSyntax, static_cast<std::size_t>(open - begin), "string is not closed"};
  }
  return std::nullopt;
}

// Four hexadecimal digits, or -1.
std::int32_t ReadHex4(const char* p, const char* end) noexcept {
  if (end - p < 4) return -1;
  std::int32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexValue(p[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

char* AppendUtf8(char* out, std::uint32_t c) noexcept {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
  return out;
}

// The key as people may see it in a message: hostile bytes out, length bounded.
std::string ShownKey(std::string_view key) {
  constexpr std::size_t kShown = 64;
  std::string out;
  for (const char c : key.substr(0, kShown)) out.push_back(c >= 0x20 && c < 0x7F && c != '`' ? c : '?');
  if (key.size() > kShown) out += "...";
  return out;
}

std::uint64_t Load64(const char* p) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

// Reads past the text, into the padding at worst. Only for comparing texts of one run: the value depends on the
// machine's byte order.
std::uint64_t PrefixOf(const char* text, std::uint32_t size) noexcept {
  const std::uint64_t word = Load64(text);
  if (size >= sizeof(word)) return word;
  const std::uint64_t mask = (std::uint64_t{1} << (8 * size)) - 1;
  return std::endian::native == std::endian::little ? word & mask : word & ~(~std::uint64_t{0} >> (8 * size));
}

// The first backslash of `text`, or nullptr. Most strings are short, and for those a call costs more than the search;
// reads past the text, into the padding at worst.
const char* FindBackslash(const char* text, const char* end) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHighs = 0x8080808080808080ULL;
  const char* p = text;
  for (const char* const stop = end - p < 32 ? end : p + 32; p < stop; p += sizeof(std::uint64_t)) {
    const std::uint64_t word = Load64(p) ^ (kOnes * '\\');
    if (((word - kOnes) & ~word & kHighs) != 0) break;
  }
  if (p >= end) return nullptr;
  return static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
}

// Copies `text` to `out` up to the first backslash or `end`, and moves both there. Reads and writes up to 15 bytes more
// than that: there is padding.
void CopyToBackslash(const char*& text, const char* end, char*& out) noexcept {
#ifdef __SSE2__
  constexpr unsigned kBlock = 16;
  const __m128i backslash = _mm_set1_epi8('\\');
  while (text < end) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, backslash)));
    const auto step = std::min<std::ptrdiff_t>(std::countr_zero(found | 1U << kBlock), end - text);
    text += step;
    out += step;
    if (found != 0) return;
  }
#else
  const char* const escape = FindBackslash(text, end);
  const char* const stop = escape == nullptr ? end : escape;
  out = std::copy(text, stop, out);
  text = stop;
#endif
}

// One walk over the index of one document. On failure `failure` is set and the document is of no use.
class Walker {
 public:
  Walker(JsonRep& rep, const simdjson::internal::dom_parser_implementation& scan, const JsonLimits& limits,
         std::vector<Frame>& frames, std::vector<Key>& keys)
      : rep_(rep),
        source_(rep.source.data.get()),
        size_(rep.source_size),
        next_(scan.structural_indexes.get()),
        last_(next_ + scan.n_structural_indexes),
        nodes_(rep.nodes.data.get()),
        limits_(limits),
        frames_(frames),
        keys_(keys) {}

  bool Run() {
    for (;;) {
      if (!ReadValue()) return false;
      if (opened_) continue;
      // A value has ended: so may the containers around it.
      for (;;) {
        if (frames_.empty()) return Finish();
        Frame& top = frames_.back();
        if (!Next()) return false;
        const char c = Here();
        token_end_ = at_ + 1;
        if (c == ',') {
          if (top.is_object && !ReadKey()) return false;
          break;
        }
        if (c != (top.is_object ? '}' : ']')) {
          return Fail(ErrorCode::kJsonSyntax, top.is_object ? "expected `,` or `}`" : "expected `,` or `]`");
        }
        if (!Close()) return false;
      }
    }
  }

  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint32_t duplicate_key() const noexcept { return duplicate_key_; }

 private:
  bool FailAt(std::size_t offset, ErrorCode code, const char* message) noexcept {
    failure_ = {code, offset, message};
    return false;
  }
  bool Fail(ErrorCode code, const char* message) noexcept {
    return at_ >= size_ ? FailAt(size_, ErrorCode::kJsonSyntax, "unexpected end") : FailAt(at_, code, message);
  }

  // The padding after the document holds NUL, which no token starts with.
  [[nodiscard]] char Here() const noexcept { return source_[at_]; }

  // Moves to the next token; only white space may lie in between.
  bool Next() noexcept {
    at_ = next_ == last_ ? static_cast<std::uint32_t>(size_) : *next_++;
    for (std::uint32_t i = token_end_; i < at_; ++i) {
      if (!IsSpace(source_[i])) {
        at_ = i;
        return Fail(ErrorCode::kJsonSyntax, "unexpected character");
      }
    }
    return true;
  }

  // Reads one scalar or opens one container (`opened_`: its first child is to be read next).
  bool ReadValue() {
    opened_ = false;
    if (!Next()) return false;
    if (values_ == limits_.max_values && at_ < size_) {
      return Fail(ErrorCode::kJsonValues, "more values than the limit");
    }
    ++values_;
    if (!frames_.empty()) ++frames_.back().count;
    switch (Here()) {
      case '{':
        return Open(true);
      case '[':
        return Open(false);
      case '"':
        return ReadString();
      case 't':
        return ReadLiteral("true", JsonType::kBool);
      case 'f':
        return ReadLiteral("false", JsonType::kBool);
      case 'n':
        return ReadLiteral("null", JsonType::kNull);
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        return ReadNumber();
      case '+':
      case '.':
        return Fail(ErrorCode::kJsonNumber, "a number starts with a digit or `-`");
      case '\xEF':
        return Fail(ErrorCode::kJsonSyntax, "expected a value (byte order mark?)");
      default:
        return Fail(ErrorCode::kJsonSyntax, "expected a value");
    }
  }

  bool Open(bool is_object) {
    if (frames_.size() >= limits_.max_depth) return Fail(ErrorCode::kJsonDepth, "nested deeper than the limit");
    frames_.push_back({.node = node_count_,
                       .count = 0,
                       .first_key = static_cast<std::uint32_t>(keys_.size()),
                       .is_object = is_object});
    nodes_[node_count_++].begin = at_;
    token_end_ = at_ + 1;
    // `{}` and `[]` have no first child.
    const char close = is_object ? '}' : ']';
    if (next_ != last_ && source_[*next_] == close) {
      if (!Next()) return false;
      token_end_ = at_ + 1;
      return Close();
    }
    opened_ = true;
    return !is_object || ReadKey();
  }

  bool Close() {
    const Frame top = frames_.back();
    JsonNode& node = nodes_[top.node];
    node.end = token_end_;
    node.link = node_count_;
    node.tag = JsonNode::Tag(top.is_object ? JsonType::kObject : JsonType::kArray, top.count);
    frames_.pop_back();
    if (top.is_object) {
      if (top.count > 1 && HasDuplicate(top.first_key)) return false;
      keys_.resize(top.first_key);
    }
    return true;
  }

  bool ReadKey() {
    if (!Next()) return false;
    if (Here() != '"') return Fail(ErrorCode::kJsonSyntax, "expected a key in quotes");
    if (!ReadString()) return false;
    const JsonNode& node = nodes_[node_count_ - 1];
    const std::uint32_t size = node.count();
    keys_.push_back({.prefix = PrefixOf(rep_.Text(node).data(), size), .size = size, .node = node_count_ - 1});
    if (!Next()) return false;
    if (Here() != ':') return Fail(ErrorCode::kJsonSyntax, "expected `:`");
    token_end_ = at_ + 1;
    return true;
  }

  bool ReadLiteral(std::string_view text, JsonType type) {
    if (std::memcmp(source_ + at_, text.data(), text.size()) != 0) {
      return Fail(ErrorCode::kJsonSyntax, "unknown literal");
    }
    token_end_ = at_ + static_cast<std::uint32_t>(text.size());
    nodes_[node_count_++] = {.begin = at_, .end = token_end_, .link = 0, .tag = JsonNode::Tag(type)};
    return true;
  }

  bool ReadNumber() {
    const char* const end = internal::ScanNumber(source_ + at_, source_ + size_);
    if (end == nullptr) return Fail(ErrorCode::kJsonNumber, "malformed number");
    const char after = *end;
    if ((after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z') || after == '.' || after == '+' ||
        after == '-' || after == '_') {
      return Fail(ErrorCode::kJsonNumber, "malformed number");
    }
    token_end_ = static_cast<std::uint32_t>(end - source_);
    // Only a text of some length can have an exponent near the bound.
    if (const std::uint32_t length = token_end_ - at_; length >= internal::kMaxExponentDigits) {
      if (!internal::ParseDecimal({source_ + at_, length})) {
        return Fail(ErrorCode::kJsonNumber, "exponent out of range");
      }
    }
    nodes_[node_count_++] = {.begin = at_, .end = token_end_, .link = 0, .tag = JsonNode::Tag(JsonType::kNumber)};
    return true;
  }

  bool ReadString() {
    // Nothing inside a string is indexed, so the closing quote is the last byte before the next token, white space
    // aside.
    std::uint32_t close = next_ == last_ ? static_cast<std::uint32_t>(size_) : *next_;
    do {
      --close;
    } while (IsSpace(source_[close]));
    if (close <= at_ || source_[close] != '"') {
      at_ = std::max(at_, close);
      return Fail(ErrorCode::kJsonSyntax, "unexpected character");
    }
    token_end_ = close + 1;
    JsonNode& node = nodes_[node_count_++];
    node.begin = at_;
    node.end = token_end_;
    const char* const text = source_ + at_ + 1;
    const char* const end = source_ + close;
    const auto length = static_cast<std::size_t>(end - text);
    if (FindBackslash(text, end) == nullptr) [[likely]] {
      node.link = at_ + 1;
      node.tag = JsonNode::Tag(JsonType::kString, static_cast<std::uint32_t>(length));
      return true;
    }
    return Unescape(node, text, end);
  }

  bool Unescape(JsonNode& node, const char* text, const char* end) {
    // Text never grows by unescaping, so the document's size bounds all of it and the arena never moves.
    static_assert(kPadding >= 16);  // CopyToBackslash
    if (arena_ == nullptr) {
      rep_.arena.Reserve(size_ + kPadding);
      arena_ = rep_.arena.data.get();
    }
    char* const begin = arena_ + arena_size_;
    char* out = begin;
    for (CopyToBackslash(text, end, out); text < end; CopyToBackslash(text, end, out)) {
      const char* const escape = text;
      if (!UnescapeOne(text, end, out)) {
        return FailAt(static_cast<std::size_t>(escape - source_), ErrorCode::kJsonString,
                      "unknown escape or unpaired surrogate");
      }
    }
    const auto length = static_cast<std::uint32_t>(out - begin);
    node.link = static_cast<std::uint32_t>(arena_size_);
    node.tag = JsonNode::Tag(JsonType::kString, length) | JsonNode::kInArena;
    arena_size_ += length;
    return true;
  }

  static bool UnescapeOne(const char*& p, const char* end, char*& out) noexcept {
    if (end - p < 2) return false;
    const char kind = p[1];
    p += 2;
    switch (kind) {
      case '"':
      case '\\':
      case '/':
        *out++ = kind;
        return true;
      case 'b':
        *out++ = '\b';
        return true;
      case 'f':
        *out++ = '\f';
        return true;
      case 'n':
        *out++ = '\n';
        return true;
      case 'r':
        *out++ = '\r';
        return true;
      case 't':
        *out++ = '\t';
        return true;
      case 'u':
        break;
      default:
        return false;
    }
    const std::int32_t unit = ReadHex4(p, end);
    if (unit < 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) return false;
    p += 4;
    auto code_point = static_cast<std::uint32_t>(unit);
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return false;
      const std::int32_t low = ReadHex4(p + 2, end);
      if (low < 0xDC00 || low > 0xDFFF) return false;
      p += 6;
      code_point = 0x10000U + ((code_point - 0xD800U) << 10U) + (static_cast<std::uint32_t>(low) - 0xDC00U);
    }
    out = AppendUtf8(out, code_point);
    return true;
  }

  [[nodiscard]] bool SameRest(const Key& a, const Key& b) const noexcept {
    constexpr std::size_t kPrefix = sizeof(a.prefix);
    return a.size <= kPrefix || std::memcmp(rep_.Text(nodes_[a.node]).data() + kPrefix,
                                            rep_.Text(nodes_[b.node]).data() + kPrefix, a.size - kPrefix) == 0;
  }

  // Sorting bounds the work whatever the keys are: there is no hash that hostile keys could make collide.
  bool HasDuplicate(std::uint32_t first_key) {
    Key* const begin = keys_.data() + first_key;
    Key* const end = keys_.data() + keys_.size();
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t found = kNone;
    if (static_cast<std::size_t>(end - begin) <= kPairwiseKeys) {
      for (const Key* b = begin + 1; b != end && found == kNone; ++b) {
        for (const Key* a = begin; a != b; ++a) {
          if (a->prefix == b->prefix && a->size == b->size && SameRest(*a, *b)) found = b->node;
        }
      }
    } else {
      std::sort(begin, end, [this](const Key& a, const Key& b) {
        if (a.prefix != b.prefix) return a.prefix < b.prefix;
        if (a.size != b.size) return a.size < b.size;
        constexpr std::size_t kPrefix = sizeof(a.prefix);
        if (a.size > kPrefix) {
          const int order = std::memcmp(rep_.Text(nodes_[a.node]).data() + kPrefix,
                                        rep_.Text(nodes_[b.node]).data() + kPrefix, a.size - kPrefix);
          if (order != 0) return order < 0;
        }
        return a.node < b.node;
      });
      for (const Key* b = begin + 1; b < end; ++b) {
        const Key& a = *(b - 1);
        if (a.prefix == b->prefix && a.size == b->size && SameRest(a, *b)) found = std::min(found, b->node);
      }
    }
    if (found == kNone) return false;
    duplicate_key_ = found;
    FailAt(nodes_[found].begin, ErrorCode::kJsonDuplicateKey, "");
    return true;
  }

  bool Finish() noexcept {
    if (next_ != last_) return FailAt(*next_, ErrorCode::kJsonTrailing, "expected nothing more");
    for (std::size_t i = token_end_; i < size_; ++i) {
      if (!IsSpace(source_[i])) return FailAt(i, ErrorCode::kJsonTrailing, "expected nothing more");
    }
    rep_.node_count = node_count_;
    return true;
  }

  JsonRep& rep_;
  const char* source_;
  std::size_t size_;
  const std::uint32_t* next_;
  const std::uint32_t* last_;
  JsonNode* nodes_;
  const JsonLimits& limits_;
  std::vector<Frame>& frames_;
  std::vector<Key>& keys_;
  std::uint32_t at_ = 0;         // start of the token in hand
  std::uint32_t token_end_ = 0;  // end of the last token
  std::uint32_t node_count_ = 0;
  std::uint32_t values_ = 0;
  std::uint32_t duplicate_key_ = 0;
  bool opened_ = false;
  char* arena_ = nullptr;
  std::size_t arena_size_ = 0;
  Failure failure_;
};

}  // namespace

struct JsonParser::Impl {
  JsonLimits limits;
  std::unique_ptr<simdjson::internal::dom_parser_implementation> scan;
  std::size_t scan_capacity = 0;
  std::vector<Frame> frames;
  std::vector<Key> keys;

  bool ReserveScan(std::size_t size) {
    if (scan != nullptr && size <= scan_capacity) return true;
    const std::size_t capacity = std::max<std::size_t>(size + size / 4, 4096);
    scan_capacity = 0;
    if (scan == nullptr) {
      // Depth 1: the second stage, which needs more, is not used.
      if (simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, scan) !=
          simdjson::SUCCESS) {
        return false;
      }
    } else if (scan->set_capacity(capacity) != simdjson::SUCCESS) {
      return false;
    }
    scan_capacity = capacity;
    return true;
  }

  void ReleaseLarge() {
    if (scan_capacity <= kKeptCapacity) return;
    scan.reset();
    scan_capacity = 0;
    keys.clear();
    keys.shrink_to_fit();
  }

  Status Parse(JsonRep& rep, std::string_view bytes);
};

Status JsonParser::Impl::Parse(JsonRep& rep, std::string_view bytes) {
  rep.node_count = 0;
  rep.source_size = 0;
  if (bytes.size() > limits.max_bytes) {
    return Error(ErrorCode::kJsonSize, "document is longer than " + std::to_string(limits.max_bytes) + " bytes");
  }
  if (bytes.empty()) return Error(ErrorCode::kJsonEmpty, "no bytes", {.line = 1, .column = 1});
  rep.source.Reserve(bytes.size() + kPadding);
  std::memcpy(rep.source.data.get(), bytes.data(), bytes.size());
  std::memset(rep.source.data.get() + bytes.size(), 0, kPadding);
  rep.source_size = bytes.size();
  if (!ReserveScan(bytes.size())) return Error(ErrorCode::kInternal, "out of memory for the JSON index");

  const auto fail = [&rep](const Failure& failure, std::string message) {
    SourcePlace place = PlaceOf(rep.Bytes(), failure.offset);
    rep.source_size = 0;
    return Error(failure.code, std::move(message), std::move(place));
  };
  const simdjson::error_code scanned = scan->stage1(reinterpret_cast<const std::uint8_t*>(rep.source.data.get()),
                                                    bytes.size(), simdjson::stage1_mode::regular);
  if (scanned == simdjson::EMPTY) return fail({ErrorCode::kJsonEmpty, bytes.size(), ""}, "only white space");
  if (scanned != simdjson::SUCCESS) {
    const Failure failure =
        FindScanFailure(rep.Bytes(), false).value_or(Failure{ErrorCode::kJsonSyntax, bytes.size(), "unexpected end"});
    return fail(failure, failure.message);
  }

  // A node starts at an indexed token, and there are at most a key and a value for each value counted.
  rep.nodes.Reserve(std::min<std::size_t>(scan->n_structural_indexes, std::size_t{limits.max_values} * 2 + 2));
  frames.clear();
  keys.clear();
  Walker walker(rep, *scan, limits, frames, keys);
  if (!walker.Run()) {
    const Failure failure = FindScanFailure(rep.Bytes(), true).value_or(walker.failure());
    if (failure.code != ErrorCode::kJsonDuplicateKey) return fail(failure, failure.message);
    const std::string key = ShownKey(rep.Text(rep.nodes.data[walker.duplicate_key()]));
    return fail(failure, "key `" + key + "` occurs twice");
  }
  return {};
}

JsonParser::JsonParser(JsonLimits limits) : impl_(std::make_unique<Impl>()) {
  limits.max_bytes = std::min(limits.max_bytes, internal::kMaxDocumentBytes);
  limits.max_depth = std::min(limits.max_depth, internal::kMaxDepth);
  limits.max_values = std::min(limits.max_values, static_cast<std::uint32_t>(internal::kMaxDocumentBytes));
  impl_->limits = limits;
  impl_->frames.reserve(limits.max_depth);
}

JsonParser::JsonParser(JsonParser&&) noexcept = default;
JsonParser& JsonParser::operator=(JsonParser&&) noexcept = default;
JsonParser::~JsonParser() = default;

Status JsonParser::ParseInto(JsonDoc& doc, std::string_view bytes) {
  if (doc.rep_ == nullptr) doc.rep_ = std::make_unique<JsonRep>();
  Status status = impl_->Parse(*doc.rep_, bytes);
  impl_->ReleaseLarge();
  return status;
}

Result<JsonDoc> JsonDoc::Parse(std::string_view bytes, const JsonLimits& limits) {
  JsonDoc doc;
  Status status = JsonParser(limits).ParseInto(doc, bytes);
  if (!status.ok()) return status.error();
  return doc;
}

}  // namespace interlock::base
