// What a person's agreement covers, and until what changes.
#include <algorithm>
#include <optional>
#include <string>

#include "checks.h"

namespace interlock::gate {
namespace {

using base::JsonValue;

// SAFETY: both clocks must agree that the grant is alive. The wall clock alone could be set back to revive it, the
// monotonic one alone says nothing after a restart; a wall clock that stands before the grant was given voids it.
bool IsAlive(const Grant& grant, const SessionView& session, const base::Digest& definition,
             const base::Digest& policy) {
  return grant.definition == definition && grant.policy == policy && session.now.mono < grant.expires_mono &&
         session.now.wall < grant.expires_wall && session.now.wall >= grant.given_wall;
}

bool FitsPattern(const Grant& grant, const core::Call& call) {
  return grant.uses_left > 0 && grant.tool == call.tool && grant.arguments != nullptr &&
         grant.arguments->Validate(call.arguments.exists() ? call.arguments : EmptyObject().root()).valid();
}

}  // namespace

base::Digest CallDigest(const core::Call& call) {
  base::Sha256Hasher hasher;
  // Length-prefixed, so that no two (server, tool) pairs share a preimage.
  const auto prefix = [&hasher](std::string_view part) {
    hasher.Update(std::to_string(part.size())).Update(":").Update(part);
  };
  prefix(call.server);
  prefix(call.tool);
  hasher.Update(base::CanonicalJson(call.arguments.exists() ? call.arguments : EmptyObject().root()));
  return hasher.Finish();
}

base::Digest PreconditionDigest(const SessionView& session, const core::Call& call) {
  const policy::ToolEntry* tool = session.catalogue == nullptr ? nullptr : session.catalogue->Find(call.tool);
  if (tool == nullptr || tool->spec.preconditions.empty()) return {};
  base::Sha256Hasher hasher;
  for (const core::Precondition& pre : tool->spec.preconditions) {
    const JsonValue value = call.arguments.FindPointer(pre.same_argument);
    const auto newest = session.history == nullptr || (!pre.same_argument.empty() && !value.exists())
                            ? std::nullopt
                            : session.history->Newest(pre.tool, pre.same_argument, value);
    hasher.Update(newest ? std::to_string(newest->result) : "none").Update(";");
  }
  return hasher.Finish();
}

bool Covers(const Grant& grant, const policy::PolicySnapshot& policy, const SessionView& session,
            const core::Call& call) {
  SessionView view = session;
  view.grants = {&grant, 1};
  const policy::ToolEntry* tool = session.catalogue == nullptr ? nullptr : session.catalogue->Find(call.tool);
  return AnyGrantHolds(policy, view, call, tool);
}

bool AnyGrantHolds(const policy::PolicySnapshot& policy, const SessionView& session, const core::Call& call,
                   const policy::ToolEntry* tool) {
  if (session.grants.empty()) return false;
  const base::Digest digest = CallDigest(call);
  const base::Digest preconditions = PreconditionDigest(session, call);
  const base::Digest definition = tool == nullptr ? base::Digest{} : tool->spec.definition;
  return std::any_of(session.grants.begin(), session.grants.end(), [&](const Grant& grant) {
    if (!IsAlive(grant, session, definition, policy.digest())) return false;
    return grant.scope == GrantScope::kPattern ? FitsPattern(grant, call)
                                               : grant.call == digest && grant.preconditions == preconditions;
  });
}

}  // namespace interlock::gate
