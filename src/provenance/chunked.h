// A growing array in chunks: no copying when it grows, and no more than a chunk of slack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace interlock::provenance::internal {

template <class T, std::size_t kChunk = 256>
class Chunked {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  // Not checked: places are made by push_back alone, and this is the innermost loop of every lookup.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return chunks_.data()[i / kChunk].get()->data()[i % kChunk]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return chunks_.data()[i / kChunk].get()->data()[i % kChunk];
  }
  // For loops that only read: valid until the next push_back.
  class View {
   public:
    explicit View(const Chunked& of) noexcept : chunks_(of.chunks_.data()) {}
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
      return chunks_[i / kChunk].get()->data()[i % kChunk];
    }

   private:
    const std::unique_ptr<std::array<T, kChunk>>* chunks_;
  };
  // Returns the place of the new element.
  std::uint32_t push_back(const T& value) {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    (*this)[size_] = value;
    return size_++;
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return chunks_.size() * sizeof(Chunk) + chunks_.capacity() * sizeof(void*);
  }

 private:
  static_assert((kChunk & (kChunk - 1)) == 0);
  using Chunk = std::array<T, kChunk>;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace interlock::provenance::internal
