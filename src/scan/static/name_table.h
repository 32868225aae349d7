// Names of packages with a number each, as the build wrote them (bake/names.cc); asked where they lie. Engine room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "static/baked.h"
#include "static/text_lexicon.h"

namespace interlock::scan {

class NameTable {
 public:
  struct Entry {
    std::uint32_t begin = 0;  // of the name in the text
    std::uint32_t size = 0;
    std::uint32_t number = 0;
  };
  using Named = std::pair<std::string_view, std::uint32_t>;

  // `text`: what the entries lie in; lives as long, like the reader's bytes.
  NameTable(std::string_view text, BakedReader& in)
      : text_(text), entries_(in.GetAll<Entry>()), slots_(in.GetAll<std::uint32_t>()) {}

  // The place of a name in slots, a power of two of them, is where its hash says, or the next free one after it.
  [[nodiscard]] std::optional<Named> find(std::string_view name) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = HashWord(name) & mask; slots_[at] != 0; at = (at + 1) & mask) {
      const Named one = Of(entries_[slots_[at] - 1]);
      if (one.first == name) return one;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool contains(std::string_view name) const noexcept { return find(name).has_value(); }
  // 0: not there.
  [[nodiscard]] std::uint32_t at(std::string_view name) const noexcept {
    const std::optional<Named> found = find(name);
    return found ? found->second : 0;
  }
  // In the order of their first place.
  template <class Use>
  void Each(Use use) const {
    for (const Entry& entry : entries_) {
      const auto [name, number] = Of(entry);
      use(name, number);
    }
  }

 private:
  [[nodiscard]] Named Of(const Entry& entry) const noexcept {
    return {text_.substr(entry.begin, entry.size), entry.number};
  }

  std::string_view text_;
  std::span<const Entry> entries_;
  std::span<const std::uint32_t> slots_;  // entries, plus 1
};

// Popular packages of one ecosystem.
struct PopularNames {
  explicit PopularNames(BakedReader& in) : text(in.GetText()), ranks(text, in), scopes(text, in) {}
  std::string_view text;
  NameTable ranks;
  NameTable scopes;  // "@types" -> how many popular packages
};

}  // namespace interlock::scan
