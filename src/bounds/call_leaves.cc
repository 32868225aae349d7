#include "call_leaves.h"

#include <algorithm>

#include "pointer_step.h"

namespace interlock::bounds {

using base::JsonValue;

namespace {

constexpr std::size_t kMaxLeaves = 64;
constexpr std::size_t kMaxDepth = 16;

// `pointer` is that of `value`, and is so again afterwards.
void Leaves(JsonValue value, std::string& pointer, std::size_t depth, std::vector<Leaf>& out) {
  if (out.size() >= kMaxLeaves || depth > kMaxDepth) return;
  const std::size_t size = pointer.size();
  if (value.is_string()) {
    out.push_back({pointer, value.string()});
  } else if (value.is_number()) {
    out.push_back({pointer, value.number_text()});
  } else if (value.is_array()) {
    std::size_t i = 0;
    for (const JsonValue item : value) {
      pointer += "/" + std::to_string(i++);
      Leaves(item, pointer, depth + 1, out);
      pointer.resize(size);
    }
  } else if (value.is_object()) {
    for (auto member = value.begin(), end = value.end(); member != end; ++member) {
      AppendPointerStep(pointer, member.key());
      Leaves(*member, pointer, depth + 1, out);
      pointer.resize(size);
    }
  }
}

// Every value below `value`, truth values and empty lists among them, is an explained argument's.
bool AllExplained(JsonValue value, std::string& pointer, std::size_t depth,
                  std::span<const std::string_view> explained) {
  if (IsExplained(pointer, explained)) return true;
  const bool branches = (value.is_object() || value.is_array()) && value.size() > 0;
  if (!branches || depth > kMaxDepth) return false;
  const std::size_t size = pointer.size();
  std::size_t index = 0;
  for (auto child = value.begin(), end = value.end(); child != end; ++child) {
    AppendPointerStep(pointer, value.is_object() ? child.key() : std::to_string(index++));
    if (!AllExplained(*child, pointer, depth + 1, explained)) return false;
    pointer.resize(size);
  }
  return true;
}

}  // namespace

std::vector<Leaf> LeavesOf(JsonValue arguments) {
  std::vector<Leaf> leaves;
  leaves.reserve(std::min(arguments.size(), kMaxLeaves));
  std::string pointer;
  Leaves(arguments, pointer, 0, leaves);
  return leaves;
}

bool IsExplained(std::string_view pointer, std::span<const std::string_view> explained) noexcept {
  return std::ranges::any_of(explained, [&](std::string_view at) {
    return pointer.starts_with(at) && (pointer.size() == at.size() || pointer[at.size()] == '/');
  });
}

bool IsExplained(const ProposedCall& call) {
  std::string pointer;
  return !call.explained.empty() && AllExplained(call.arguments, pointer, 0, call.explained);
}

}  // namespace interlock::bounds
