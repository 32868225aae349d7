// How much of a module's values is put together and remembered. What goes beyond it is not known, and said.
#include <vector>

#include "code/world.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kLittle = 64;  // bytes and items of a value whose copies need not be counted

// Bytes that a copy of it takes; counted no further than `most`.
std::size_t SizeOf(const Value& value, std::size_t most) {
  std::size_t size = sizeof(Value) + value.text.size();
  for (const std::string& key : value.keys) size += sizeof(key) + key.size();
  for (const Value& item : value.items) {
    if (size >= most) break;
    size += SizeOf(item, most - size);
  }
  return size;
}

}  // namespace

bool ModuleView::Spend(std::size_t bytes) const {
  if (bytes > text_left_) {
    starved_ = true;
    return false;
  }
  text_left_ -= bytes;
  return true;
}

// For a value that becomes part of another: all that is in it, at any depth.
bool ModuleView::SpendOn(const Value& part) const {
  constexpr std::size_t kOfItem = 64;
  if (part.items.empty()) return true;
  std::vector<const Value*> open{&part};
  std::size_t count = 0;
  while (!open.empty() && count * kOfItem <= text_left_) {
    const Value* one = open.back();
    open.pop_back();
    count += one->items.size();
    for (const Value& item : one->items) {
      if (!item.items.empty()) open.push_back(&item);
    }
  }
  return Spend(count * kOfItem);
}

bool ModuleView::MayKeep(const Value& value) const {
  if (value.text.size() + value.items.size() + value.keys.size() <= kLittle) return true;
  const std::size_t size = SizeOf(value, kept_left_ + 1);
  if (size > kept_left_) {
    starved_ = true;
    ++refused_;
    return false;
  }
  kept_left_ -= size;
  return true;
}

// A copy is made before its size is known: where too many were made for nothing, no more are; names, on which most
// hangs, the longest.
bool ModuleView::MayLook(ExprKind kind) const {
  constexpr std::uint32_t kMostRefused = 200;
  constexpr std::uint32_t kMostRefusedNames = 4000;
  return refused_ < (kind == ExprKind::kName ? kMostRefusedNames : kMostRefused) || kind == ExprKind::kString;
}

}  // namespace interlock::scan::code
