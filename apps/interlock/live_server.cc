#include "live_server.h"

#include "interlock/runtime/mcp/client.h"
#include "interlock/scan/host_config.h"

namespace interlock::app {

base::Result<core::PackageView> ListServer(const LiveTarget& target) {
  runtime::mcp::ClientTarget to;
  to.command = target.command;
  to.url = target.url;
  to.headers = target.headers;
  to.environment = target.environment;
  to.cwd = target.cwd;
  if (target.command.empty() == target.url.empty())
    return base::Error(base::ErrorCode::kUsage, "a live server is either a command or a URL");
  auto listing = runtime::mcp::ListServer(to, {.total = target.timeout});
  if (!listing.ok()) return listing.error();
  core::PackageView view;
  view.target = target.url.empty() ? scan::PrintableCommand(target.command) : scan::PrintableUrl(target.url);
  view.total_bytes = listing.value().json.size();
  view.files.push_back({.path = std::string(core::kMcpListingPath), .bytes = std::move(listing.value().json)});
  for (const auto& problem : listing.value().problems) {
    const bool limit = problem.error.code() == base::ErrorCode::kLimitExceeded ||
                       problem.error.code() == base::ErrorCode::kMcpTimeout ||
                       problem.error.code() == base::ErrorCode::kMcpLineTooLong;
    view.skipped.push_back({.path = std::string(core::kMcpListingPath) + "#" + problem.list,
                            .reason = limit ? core::SkipReason::kBudget : core::SkipReason::kDamaged,
                            .detail = problem.error.ToString()});
  }
  return view;
}

}  // namespace interlock::app
