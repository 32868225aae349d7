// rules/scan/names to the tables that NameTable asks.
#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bake/bake.h"
#include "static/name_table.h"

namespace interlock::scan {
namespace {

class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}

  // The number of a name that lies in the text; 0 if it is new.
  std::uint32_t& operator[](std::string_view name) {
    const auto [at, is_new] = places_.try_emplace(name, entries_.size());
    if (is_new) {
      entries_.push_back({.begin = static_cast<std::uint32_t>(name.data() - text_.data()),
                          .size = static_cast<std::uint32_t>(name.size())});
    }
    return entries_[at->second].number;
  }

  void Write(BakedWriter& out) const {
    std::vector<std::uint32_t> slots(std::bit_ceil(std::max<std::size_t>(entries_.size() * 2, 64)));
    const std::size_t mask = slots.size() - 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = HashWord(text_.substr(entries_[i].begin, entries_[i].size)) & mask;
      while (slots[at] != 0) at = (at + 1) & mask;
      slots[at] = static_cast<std::uint32_t>(i + 1);
    }
    out.PutAll(entries_);
    out.PutAll(slots);
  }

 private:
  std::string_view text_;
  std::vector<NameTable::Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace

void BakeNames(std::string_view text, BakedWriter& out) {
  Numbers ranks(text);
  Numbers scopes(text);
  std::uint32_t rank = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view name = text.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    ++rank;
    // Who stands there twice is as popular as the first time.
    if (std::uint32_t& known = ranks[name]; known == 0) known = rank;
    if (name.front() == '@') ++scopes[name.substr(0, name.find('/'))];
  }
  out.PutText(text);
  ranks.Write(out);
  scopes.Write(out);
}

}  // namespace interlock::scan
