// The memory behind a JsonDoc. Private to `base`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "interlock/base/json.h"

namespace interlock::base::internal {

// Offsets and counts share words with a few tag bits, which bounds a document whatever its limits say.
inline constexpr std::size_t kMaxDocumentBytes = (std::size_t{1} << 28) - 1;
inline constexpr std::uint32_t kMaxDepth = 1000;

// Readers may look this far past the end of the source and of the text arena.
inline constexpr std::size_t kPadding = 64;

// Nodes lie in document order; an object's child is two nodes, key then value, and a key is a string node.
struct JsonNode {
  std::uint32_t begin;  // the value's bytes are source[begin, end)
  std::uint32_t end;
  std::uint32_t link;  // container: the node after its last descendant; string: where its unescaped text starts
  std::uint32_t tag;   // bits 0-2 JsonType, bit 3 text lies in the arena, bits 4-31 text bytes, elements or members

  static constexpr std::uint32_t kInArena = 8;

  [[nodiscard]] JsonType type() const noexcept { return static_cast<JsonType>(tag & 7U); }
  [[nodiscard]] std::uint32_t count() const noexcept { return tag >> 4U; }
  [[nodiscard]] bool in_arena() const noexcept { return (tag & kInArena) != 0; }
  [[nodiscard]] bool is_container() const noexcept { return type() == JsonType::kArray || type() == JsonType::kObject; }
  static constexpr std::uint32_t Tag(JsonType type, std::uint32_t count = 0) noexcept {
    return static_cast<std::uint32_t>(type) | (count << 4U);
  }
};
static_assert(sizeof(JsonNode) == 16);

// A growing buffer whose content is not kept when it grows and is never zeroed.
template <class T>
struct Scratch {
  std::unique_ptr<T[]> data;
  std::size_t capacity = 0;

  void Reserve(std::size_t wanted) {
    if (wanted <= capacity) return;
    data.reset();
    capacity = 0;
    const std::size_t rounded = wanted + wanted / 4;
    data = std::make_unique_for_overwrite<T[]>(rounded);
    capacity = rounded;
  }
};

// INVARIANT: once parsed, nothing in here moves or changes; `node_count` is 0 exactly when the last parse failed.
struct JsonRep {
  Scratch<char> source;  // the document, then padding
  std::size_t source_size = 0;
  Scratch<JsonNode> nodes;
  std::uint32_t node_count = 0;
  Scratch<char> arena;  // text of strings that have escapes

  [[nodiscard]] std::string_view Bytes() const noexcept { return {source.data.get(), source_size}; }
  [[nodiscard]] std::string_view Text(const JsonNode& node) const noexcept {
    return {(node.in_arena() ? arena.data.get() : source.data.get()) + node.link, node.count()};
  }
  // The node after `index` and all below it.
  [[nodiscard]] std::uint32_t After(std::uint32_t index) const noexcept {
    const JsonNode& node = nodes.data[index];
    return node.is_container() ? node.link : index + 1;
  }
};

}  // namespace interlock::base::internal
