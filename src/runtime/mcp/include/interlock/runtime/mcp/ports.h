// What the proxy's state machine needs from outside. Real ones are in proxy.cc and its adapters, scripted ones in
// tests.
//
// Every call returns before the core goes on: when AuditPort::Append says OK, the record survives the process being
// killed; when SessionStorePort::Publish says OK, the session's other guards can see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/result.h"
#include "interlock/policy/pins.h"
#include "interlock/runtime/approvals/store.h"
#include "interlock/runtime/audit/record.h"
#include "interlock/runtime/session/store.h"

namespace interlock::runtime::mcp {

class AuditPort {
 public:
  virtual ~AuditPort() = default;
  // `durable`: wait for the disk as well. `row` receives the row's number.
  [[nodiscard]] virtual base::Status Append(const audit::Record& record, bool durable, std::uint64_t& row) = 0;
};

// The shared half of a session. The port keeps track of what it has handed out already.
class SessionStorePort {
 public:
  virtual ~SessionStorePort() = default;
  // What the session's other guards have published since the last call.
  [[nodiscard]] virtual base::Status Poll(session::Update& news) = 0;
  [[nodiscard]] virtual base::Status Publish(const session::SessionStore::Publication& publication, base::Now now) = 0;
};

// What people allow, kept outside of this process (approvals::ApprovalStore says what each call does).
class ApprovalsPort {
 public:
  virtual ~ApprovalsPort() = default;
  [[nodiscard]] virtual base::Result<approvals::ApprovalStore::Filed> Put(const approvals::Question& question,
                                                                          base::Now now) = 0;
  [[nodiscard]] virtual base::Result<approvals::Taken> Take(
      const approvals::Subject& subject, std::string_view tool, const approvals::Binding& binding,
      base::JsonValue arguments, base::Now now,
      const std::function<base::Status(const approvals::Taken&)>& witness) = 0;
  [[nodiscard]] virtual base::Result<approvals::Request> Get(std::string_view id, base::Now now) = 0;
  [[nodiscard]] virtual base::Result<std::string> Answered(const approvals::Question& question,
                                                           const approvals::Ruling& ruling, base::Now now) = 0;
  [[nodiscard]] virtual base::Result<std::optional<approvals::ApprovalStore::Window>> BreakGlass(
      const approvals::Subject& subject, base::Now now) = 0;
  [[nodiscard]] virtual base::Result<std::optional<std::string>> OpenByPolicy(
      const approvals::Subject& subject, std::string_view reason, std::int64_t ttl_us, base::Now now,
      const std::function<base::Status(std::string_view id)>& witness) = 0;
  [[nodiscard]] virtual base::Status EndByPolicy(std::string_view id, std::string_view why, base::Now now,
                                                 const std::function<base::Status()>& witness) = 0;
  [[nodiscard]] virtual base::Status CountBreakGlass(std::string_view id) = 0;
  [[nodiscard]] virtual base::Result<approvals::ApprovalStore::Sums> Budgets(const approvals::Subject& subject,
                                                                             base::Now now) = 0;
  [[nodiscard]] virtual base::Result<bool> Charge(const approvals::Subject& subject,
                                                  const approvals::ApprovalStore::Sums& seen,
                                                  const approvals::ApprovalStore::Sums& delta, base::Now now) = 0;
};

class PinsPort {
 public:
  virtual ~PinsPort() = default;
  // Everything pinned; empty when there is no file yet.
  [[nodiscard]] virtual base::Result<policy::Pins> Load() = 0;
  // Adds what is not pinned yet (what is stays as it is) and returns the result.
  [[nodiscard]] virtual base::Result<policy::Pins> Add(const policy::Pins& additions) = 0;
  // Definitions that are held because they differ from the pinned ones, for `interlock policy accept` to offer.
  virtual void Held(const policy::Pins& changed) = 0;
  // Whether somebody else has changed the pins since Load or Add.
  [[nodiscard]] virtual bool Changed() = 0;
};

// The parts of what a server says of itself.
enum class ListPart : std::uint8_t { kTools, kPrompts, kResources, kResourceTemplates, kInstructions };
[[nodiscard]] std::string_view NameOf(ListPart part) noexcept;  // the member's name: "tools" "resourceTemplates" ...

// What the scanner says about one entry of a list.
struct Look {
  enum class Level : std::uint8_t { kPass, kWarn, kBlock } level = Level::kPass;
  std::string rule;      // id of the worst finding's rule; may be shown to a model
  std::string evidence;  // one printable line for people; quotes the entry
};

class ScanPort {
 public:
  virtual ~ScanPort() = default;
  // Looks at entries of one list (raw JSON each) as their reader would; for kInstructions one JSON string. One answer
  // for each entry. There is no failing: what could not be looked at is kWarn.
  [[nodiscard]] virtual std::vector<Look> LookAt(ListPart part, const std::vector<std::string_view>& entries) = 0;
};

enum class NoticeLevel : std::uint8_t { kInfo, kWarning, kError };

enum class ServerSignal : std::uint8_t { kTerminate, kKill };

// Where the core's actions go. Lines end with '\n'; views are valid for the call only.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void ToClient(std::string_view line) = 0;
  virtual void ToServer(std::string_view line) = 0;
  virtual void Notice(NoticeLevel level, std::string_view name, std::string_view text) = 0;
  virtual void CloseServerInput() = 0;
  virtual void SignalServer(ServerSignal signal) = 0;
  // Nothing more will come: flush what the client is still to read and end with this code.
  virtual void Finish(int exit_code) = 0;
};

}  // namespace interlock::runtime::mcp
