// A proposed call's arguments one by one, and which of them somebody trusted explains; private to the module.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/bounds/session.h"

namespace interlock::bounds {

struct Leaf {
  std::string pointer;
  std::string_view text;  // of the document
};
// Strings and numbers, in order: the first 64, at most 16 levels down.
[[nodiscard]] std::vector<Leaf> LeavesOf(base::JsonValue arguments);

// `pointer` is one of `explained` or below one.
[[nodiscard]] bool IsExplained(std::string_view pointer, std::span<const std::string_view> explained) noexcept;
// Every value of the call is.
[[nodiscard]] bool IsExplained(const ProposedCall& call);

}  // namespace interlock::bounds
