// How libFuzzer changes the inputs of targets that read programs (`// mutates: tokens`): every other time by tokens, so
// that most inputs still parse, and as it does otherwise the rest of the time. Linked in a fuzz build only.
#include "token_mutator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

std::size_t Put(std::string_view text, std::uint8_t* data, std::size_t max_size) {
  const std::size_t size = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), size);
  return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  if ((seed & 1U) == 0 || size == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  return Put(interlock::tests::TokenMutator(seed).Mutant(text, text), data, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2, std::uint8_t* out,
                                                 std::size_t max_size, unsigned int seed) {
  const std::string_view one(reinterpret_cast<const char*>(data1), size1);
  const std::string_view other(reinterpret_cast<const char*>(data2), size2);
  return Put(interlock::tests::TokenMutator(seed).Mutant(one, other), out, max_size);
}
