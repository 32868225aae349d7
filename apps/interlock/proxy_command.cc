#include <cstdlib>

#include "commands.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/mcp/proxy.h"
#include "passport_file.h"
#include "policy_files.h"
#include "scan_guard.h"

namespace interlock::app {
namespace {

namespace mcp = runtime::mcp;
namespace audit = runtime::audit;

constexpr double kMicrosPerSecond = 1e6;

audit::Bodies BodiesFromName(const std::string& name) {
  if (name == "none") return audit::Bodies::kNone;
  return name == "original" ? audit::Bodies::kEncryptedOriginal : audit::Bodies::kRedacted;
}

mcp::FirstUseScan FirstUseFromName(const std::string& name) {
  if (name == "off") return mcp::FirstUseScan::kOff;
  return name == "strict" ? mcp::FirstUseScan::kStrict : mcp::FirstUseScan::kOn;
}

}  // namespace

int RunProxyCommand(const ProxyArgs& args) {
  auto load = PolicyLoadOptions(args.policy);
  if (!load.ok()) {
    PrintError(load.error());
    return kExitCannotRun;
  }
  mcp::ProxyOptions options;
  options.command = args.command;
  options.load = std::move(load.value());
  options.policy_file = PolicyPath(args.policy);
  // A policy that does not load fails closed later, call by call; a graph that was asked for has to be there first.
  std::string named;
  if (args.graph.empty() && !options.policy_file.empty()) {
    if (const auto file = ReadPolicy(args.policy); file.ok() && file.value().loaded.policy != nullptr)
      named = file.value().loaded.policy->graph();
  }
  auto graph = GraphFor(args.graph, options.policy_file, named);
  if (!graph.ok()) {
    PrintError(graph.error());
    return kExitCannotRun;
  }
  options.core.graph = std::move(graph.value().index);
  options.core.graph_digest = std::move(graph.value().digest);
  if (args.graph.empty()) options.policy_graph = std::move(named);
  if (!args.passport.empty()) {
    auto passport = ReadPassportTools(args.passport, args.passport_key);
    if (!passport.ok()) {
      PrintError(passport.error());
      return kExitCannotRun;
    }
    options.core.passport = std::move(passport.value());
  }
  ScanGuard scan_guard;
  options.core.first_use = FirstUseFromName(args.first_use);
  options.core.first_use_fixed = !args.first_use.empty();
  if (options.core.first_use != mcp::FirstUseScan::kOff) scan_guard.Warm();
  if (options.core.first_use != mcp::FirstUseScan::kOff) options.scan = &scan_guard;
  options.pins_file = PinsPath(args.pins, options.policy_file);
  const bool uses_state_dir = (args.audit_dir.empty() && !args.no_audit) || args.store.empty() ||
                              (args.approvals.empty() && !args.no_approvals) ||
                              options.pins_file.starts_with(StateDir());
  if (uses_state_dir)
    (void)platform::CreateDirectories(StateDir());  // what needs it says so itself when it cannot be used
  if (!args.no_audit) options.audit_dir = args.audit_dir.empty() ? StateDir() + "/audit" : args.audit_dir;
  options.audit.bodies = BodiesFromName(args.bodies);
  options.audit.anchor_file = args.anchor_file;
  options.audit.producer = "interlock proxy " INTERLOCK_VERSION;
  if (const char* passphrase = std::getenv("INTERLOCK_AUDIT_PASSPHRASE"); passphrase != nullptr)
    options.audit.passphrase = passphrase;
  // Without a name nobody else could join the session: nothing to share.
  if (!args.session.empty()) options.store_file = args.store.empty() ? StateDir() + "/sessions.db" : args.store;
  if (!args.no_approvals) {
    // Beside the session store where that is named: the two belong together.
    const auto slash = args.store.rfind('/');
    const std::string folder = args.store.empty()           ? StateDir() + "/"
                               : slash == std::string::npos ? std::string()
                                                            : args.store.substr(0, slash + 1);
    options.approvals_file = args.approvals.empty() ? folder + "approvals.db" : args.approvals;
    if (options.approvals_file != StateDir() + "/approvals.db")
      options.core.approve_flags = " --store " + options.approvals_file;
  }
  options.core.approval_wait_us = static_cast<std::int64_t>(args.approval_wait_s * kMicrosPerSecond);
  options.tenant = args.tenant;
  options.request_file = args.request_file;
  for (const std::string& fact : args.facts) {
    constexpr std::size_t kMaxFact = 65'536;
    const std::size_t cut = fact.find('=');
    const auto json =
        cut == std::string::npos
            ? base::Result<std::string>(base::Error(base::ErrorCode::kUsage, "--fact is CHANNEL=FILE, not " + fact))
            : platform::ReadFile(fact.substr(cut + 1), kMaxFact);
    if (!json.ok()) {
      PrintError(json.error());
      return kExitCannotRun;
    }
    options.facts.emplace_back(fact.substr(0, cut), json.value());
  }
  options.socket_path = args.socket;
  options.core.server = args.server;
  options.core.session = args.session;
  options.core.principal = args.principal;
  options.core.environment = args.environment;
  options.core.request_from_meta = args.request_from_meta;
  options.core.refuse_as = args.refuse_as == "error" ? mcp::RefuseAs::kJsonRpcError : mcp::RefuseAs::kToolResult;
  options.core.call_timeout_us = static_cast<std::int64_t>(args.call_timeout_s * kMicrosPerSecond);
  options.core.codec.max_line_bytes = args.max_line_bytes;
  options.core.max_inflight_bytes = args.max_inflight_bytes;
  options.core.max_open_requests = args.max_open_requests;
  return mcp::RunProxy(options);
}

}  // namespace interlock::app
