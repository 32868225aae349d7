// Little-endian numbers of model files; private to the module.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::bounds {

inline void PutU32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>((value >> shift) & 0xFFU));
}
inline void PutFloat(std::string& out, float value) { PutU32(out, std::bit_cast<std::uint32_t>(value)); }

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool Expect(std::string_view magic) {
    if (rest_.substr(0, magic.size()) != magic) return ok_ = false;
    rest_.remove_prefix(magic.size());
    return ok_;
  }
  std::uint32_t U32() {
    if (rest_.size() < 4) {
      ok_ = false;
      return 0;
    }
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(4);
    return value;
  }
  float Float() { return std::bit_cast<float>(U32()); }
  std::string_view Bytes(std::size_t count) {
    if (rest_.size() < count) {
      ok_ = false;
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace interlock::bounds
