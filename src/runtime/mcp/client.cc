#include "interlock/runtime/mcp/client.h"

#include <utility>

#include "client_channel.h"

namespace interlock::runtime::mcp {

base::Result<ServerListing> ListServer(const ClientTarget& target, const ClientLimits& limits) {
  using base::Error;
  using base::ErrorCode;
  if (target.command.empty() == target.url.empty())
    return Error(ErrorCode::kInvalidArgument, "a server is a command or a URL");
  const internal::Deadline end = std::chrono::steady_clock::now() + limits.total;
  auto channel =
      target.url.empty() ? internal::OpenStdioChannel(target, limits) : internal::OpenHttpChannel(target, limits);
  if (!channel.ok()) return channel.error();
  ServerLister lister(target.era, limits.lister);
  ListerRequest request;
  while (lister.Next(request)) {
    if (request.restart && target.url.empty()) {
      channel.value()->Close(std::chrono::steady_clock::now());
      channel = internal::OpenStdioChannel(target, limits);
      if (!channel.ok()) return channel.error();
    }
    const internal::Deadline now = std::chrono::steady_clock::now();
    if (now >= end) {
      lister.OnFailure(Error(ErrorCode::kMcpTimeout, "no time left for " + request.method));
      continue;
    }
    const auto answer = channel.value()->Exchange(request, std::min(end, now + request.wait));
    if (answer.ok()) {
      if (request.id != 0) lister.OnAnswer(answer.value());
    } else if (request.id != 0) {
      lister.OnFailure(answer.error().Under(request.method));
    }
  }
  auto listing = lister.Finish();
  const auto grace = std::chrono::milliseconds(listing.ok() ? 1500 : 200);
  channel.value()->Close(std::min(end, std::chrono::steady_clock::now() + grace));
  return listing;
}

}  // namespace interlock::runtime::mcp
