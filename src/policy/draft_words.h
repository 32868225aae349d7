// What a tool's name and schema suggest, for drafts only: a person reads and corrects the outcome. Never used to
// decide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/tool.h"

namespace interlock::policy {

struct EffectGuess {
  core::SideEffect effect = core::SideEffect::kUnknown;
  std::string why;        // for a comment; holds no text of the server's but its verb
  bool destroys = false;  // deletes, drops, wipes: worth a person's look even inside the workspace
};

// Annotations first, then the verb in the name; the stricter of two that disagree.
[[nodiscard]] EffectGuess GuessEffect(const core::ToolSpec& tool);

struct ArgumentGuesses {
  std::vector<std::string> paths;         // pointers of arguments that name files or folders
  std::vector<std::string> destinations;  // URLs, addresses, recipients
};
[[nodiscard]] ArgumentGuesses GuessArguments(const core::ToolSpec& tool);

}  // namespace interlock::policy
