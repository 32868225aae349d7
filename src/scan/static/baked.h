// Data of the scanner's own that was read when the program was built (bake/), so that no start reads it again: numbers
// and texts one after another, arrays as they lie in memory. Written and read by programs of one build, so it is
// trusted: what does not fit is a bug. Of one machine's byte order. Engine room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "interlock/base/check.h"

namespace interlock::scan {

// Without holes between its fields: what is written is the same in every build.
template <class T>
concept Bakeable = std::has_unique_object_representations_v<T> || std::is_same_v<T, double>;

inline constexpr std::size_t kBakedAlignment = 16;

class BakedWriter {
 public:
  template <Bakeable T>
  void Put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <Bakeable T>
  void PutAll(const std::vector<T>& values) {
    Put(std::uint64_t{values.size()});
    bytes_.resize((bytes_.size() + kBakedAlignment - 1) / kBakedAlignment * kBakedAlignment);
    if (!values.empty()) bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void PutText(std::string_view text) {
    Put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void PutTexts(const std::vector<std::string>& texts) {
    Put(std::uint64_t{texts.size()});
    for (const std::string& text : texts) PutText(text);
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

class BakedReader {
 public:
  // What it hands out lies in `bytes`.
  explicit BakedReader(std::string_view bytes) : bytes_(bytes) {
    INTERLOCK_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % kBakedAlignment == 0, "baked data is aligned");
  }

  template <Bakeable T>
  [[nodiscard]] T Get() {
    T value;
    std::memcpy(&value, Take(sizeof value), sizeof value);
    return value;
  }
  template <Bakeable T>
  [[nodiscard]] std::span<const T> GetAll() {
    const auto count = Get<std::uint64_t>();
    at_ = (at_ + kBakedAlignment - 1) / kBakedAlignment * kBakedAlignment;
    static_assert(alignof(T) <= kBakedAlignment);
    return {reinterpret_cast<const T*>(Take(count * sizeof(T))), count};
  }
  template <Bakeable T>
  [[nodiscard]] std::vector<T> GetVector() {
    const std::span<const T> all = GetAll<T>();
    return {all.begin(), all.end()};
  }
  [[nodiscard]] std::string_view GetText() {
    const auto size = Get<std::uint64_t>();
    return {Take(size), size};
  }
  [[nodiscard]] std::vector<std::string> GetTexts() {
    std::vector<std::string> texts(Get<std::uint64_t>());
    for (std::string& text : texts) text = GetText();
    return texts;
  }
  [[nodiscard]] bool done() const noexcept { return at_ == bytes_.size(); }

 private:
  const char* Take(std::size_t size) {
    INTERLOCK_CHECK(at_ <= bytes_.size() && size <= bytes_.size() - at_, "baked data is whole");
    const char* const at = bytes_.data() + at_;
    at_ += size;
    return at;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

// All of `bytes`, which outlive what is made of them.
template <class T>
[[nodiscard]] T ReadBaked(std::string_view bytes) {
  BakedReader in(bytes);
  T data(in);
  INTERLOCK_CHECK(in.done(), "what was baked is what is read");
  return data;
}

}  // namespace interlock::scan
