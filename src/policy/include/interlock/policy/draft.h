// `interlock policy init`: drafts a policy from a server's tools and their annotations, so that the first run is not a
// wall of refusals. The draft is YAML with comments, made to be read and edited; it loads without diagnostics.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "interlock/core/tool.h"

namespace interlock::policy {

struct DraftOptions {
  std::string server_command;  // for the heading comment
  std::string workspace;       // the folder whose paths count as inside; "" = ${cwd}
};

[[nodiscard]] std::string DraftPolicy(std::span<const core::ToolSpec> tools, const DraftOptions& options);

}  // namespace interlock::policy
