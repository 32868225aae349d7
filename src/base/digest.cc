#include "interlock/base/digest.h"

// The functions of 1.1, which 3 keeps: the same code, without looking an algorithm up. That look-up reads the settings
// of the machine and sets up every other algorithm: a sixth of what a small scan takes, and a file that a caller's
// environment names (OPENSSL_CONF) and that may load anybody's library.
#define OPENSSL_API_COMPAT 10101
#include <openssl/sha.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "interlock/base/check.h"
#include "interlock/base/decimal.h"
#include "interlock/base/digits.h"

namespace interlock::base {
namespace {

SHA256_CTX* Context(Sha256Hasher::State& state) noexcept {
  static_assert(sizeof(SHA256_CTX) <= sizeof(Sha256Hasher::State) &&
                alignof(SHA256_CTX) <= alignof(Sha256Hasher::State));
  return reinterpret_cast<SHA256_CTX*>(state.bytes.data());
}

// Order of UTF-16 code units on UTF-8 text. It is byte order, except that code points past U+FFFF (lead bytes F0..F4)
// are spelled with surrogates, which come before U+E000..U+FFFF (lead bytes EE and EF).
bool LessUtf16(std::string_view a, std::string_view b) noexcept {
  const std::size_t common = std::min(a.size(), b.size());
  const auto [x, y] = std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), b.begin());
  if (static_cast<std::size_t>(x - a.begin()) == common) return a.size() < b.size();
  const auto rank = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xEE || byte == 0xEF ? byte + 0x10 : static_cast<int>(byte);
  };
  return rank(*x) < rank(*y);
}

struct Member {
  std::string_view key;
  JsonValue value;
};

// An open container: members still to write are pool[next, end) of an object, [it, last) of an array.
struct Open {
  bool is_object;
  bool first = true;
  std::size_t begin = 0;
  std::size_t next = 0;
  std::size_t end = 0;
  JsonValue::Iterator it;
  JsonValue::Iterator last;
};

// Without recursion: how deep a document is nested is the sender's choice.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::string& out) : out_(out) {}

  void Write(JsonValue root) {
    Begin(root);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.is_object ? top.next == top.end : top.it == top.last) {
        out_.push_back(top.is_object ? '}' : ']');
        if (top.is_object) pool_.resize(top.begin);
        open_.pop_back();
        continue;
      }
      if (!top.first) out_.push_back(',');
      top.first = false;
      JsonValue child;
      if (top.is_object) {
        const Member& member = pool_[top.next++];
        AppendJsonString(out_, member.key);
        out_.push_back(':');
        child = member.value;
      } else {
        child = *top.it;
        ++top.it;
      }
      Begin(child);
    }
  }

 private:
  void Begin(JsonValue value) {
    switch (value.type()) {
      case JsonType::kString:
        AppendJsonString(out_, value.string());
        return;
      case JsonType::kNumber:
        out_ += NormalizeNumber(value.number_text());
        return;
      case JsonType::kBool:
        out_ += value.raw();
        return;
      case JsonType::kNull:
        out_ += "null";
        return;
      case JsonType::kMissing:  // only as the root; no text, so that "absent" and `null` have different digests
        return;
      case JsonType::kArray:
        out_.push_back('[');
        open_.push_back({.is_object = false, .it = value.begin(), .last = value.end()});
        return;
      case JsonType::kObject:
        break;
    }
    out_.push_back('{');
    const std::size_t begin = pool_.size();
    for (auto it = value.begin(); it != value.end(); ++it) pool_.push_back({it.key(), *it});
    std::sort(pool_.begin() + static_cast<std::ptrdiff_t>(begin), pool_.end(),
              [](const Member& a, const Member& b) { return LessUtf16(a.key, b.key); });
    open_.push_back({.is_object = true, .begin = begin, .next = begin, .end = pool_.size(), .it = {}, .last = {}});
  }

  std::string& out_;
  std::vector<Open> open_;
  std::vector<Member> pool_;
};

}  // namespace

std::string Digest::ToHex() const {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    out.push_back(kHex[byte >> 4U]);
    out.push_back(kHex[byte & 15U]);
  }
  return out;
}

std::optional<Digest> Digest::FromHex(std::string_view hex) {
  Digest out;
  if (hex.size() != 2 * out.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < out.bytes.size(); ++i) {
    const int high = HexValue(hex[2 * i]);
    const int low = HexValue(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return out;
}

Sha256Hasher::Sha256Hasher() {
  INTERLOCK_CHECK(SHA256_Init(::new (state_.bytes.data()) SHA256_CTX) == 1, "hashing memory cannot fail");
}

Sha256Hasher& Sha256Hasher::Update(std::string_view bytes) {
  INTERLOCK_CHECK(SHA256_Update(Context(state_), bytes.data(), bytes.size()) == 1, "hashing memory cannot fail");
  return *this;
}

Digest Sha256Hasher::Finish() {
  Digest out;
  INTERLOCK_CHECK(SHA256_Final(out.bytes.data(), Context(state_)) == 1 && SHA256_Init(Context(state_)) == 1,
                  "hashing memory cannot fail");
  return out;
}

Digest Sha256(std::string_view bytes) { return Sha256Hasher().Update(bytes).Finish(); }

void AppendCanonicalJson(std::string& out, JsonValue value) {
  if (value.is_string()) return AppendJsonString(out, value.string());
  CanonicalWriter(out).Write(value);
}

std::string CanonicalJson(JsonValue value) {
  std::string out;
  AppendCanonicalJson(out, value);
  return out;
}

Digest DigestOf(JsonValue value) { return Sha256(CanonicalJson(value)); }

std::uint64_t SipHash(const std::array<std::uint64_t, 2>& key, std::string_view bytes) noexcept {
  std::uint64_t v0 = key[0] ^ 0x736f6d6570736575ULL;
  std::uint64_t v1 = key[1] ^ 0x646f72616e646f6dULL;
  std::uint64_t v2 = key[0] ^ 0x6c7967656e657261ULL;
  std::uint64_t v3 = key[1] ^ 0x7465646279746573ULL;
  const auto round = [&] {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  };
  const auto absorb = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  // Little-endian, whatever the machine: fingerprints may be stored.
  const auto load = [&bytes](std::size_t at, std::size_t count) {
    std::uint64_t word = 0;
    if (count > 0) std::memcpy(&word, bytes.data() + at, count);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
  };
  const std::size_t whole = bytes.size() & ~std::size_t{7};
  for (std::size_t at = 0; at < whole; at += 8) absorb(load(at, 8));
  absorb(load(whole, bytes.size() - whole) | (static_cast<std::uint64_t>(bytes.size()) << 56U));
  v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace interlock::base
