// Approvals that outlive the call that asked for them, the client's time-out and the guard's process.
//
//   auto store = ApprovalStore::Open({.path = "approvals.db"});
//   auto taken = store.value()->Take(subject, tool, binding, arguments, now, witness);   // a guard, on escalate
//   if (taken.kind == kNone) auto id = store.value()->Put(question, now);                // ... else it asks
//   store.value()->Decide(id, {.granted = true, .approver = "alice"}, now, witness);     // a person
//
// SQLite (WAL), one file. Who can write the file can approve: it is made 0600, and one that others could write (or that
// lies in a folder where others could replace it) is refused. Rows are checked when they are read; a row that does not
// make sense is kStoreIo and grants nothing.
//
// Time: a grant, a refusal, a break-glass window end when either clock says so; with the wall clock before their start
// they do not hold; after a restart of the machine they are over, since the monotonic clock says nothing across it.
//
// `witness` runs inside the transaction, before it is final: when it fails, nothing has happened. It is where the audit
// record is written.
//
// Not thread safe: one a thread. Any number of processes may share the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/runtime/approvals/request.h"

namespace interlock::runtime::approvals {

inline constexpr std::int64_t kSecondUs = 1'000'000;
inline constexpr std::int64_t kQuestionTtlUs = 24 * 3600 * kSecondUs;  // how long a question can be answered
inline constexpr std::int64_t kMaxGrantTtlUs = 7 * 24 * 3600 * kSecondUs;
inline constexpr std::int64_t kMaxBreakGlassTtlUs = 24 * 3600 * kSecondUs;
inline constexpr std::string_view kOpenedByPolicy = "policy";  // who opened a window that no person did
inline constexpr std::size_t kMaxPending = 64;                 // a session and server
inline constexpr std::size_t kMaxRows = 20'000;                // requests; finished ones go first, oldest first
inline constexpr std::size_t kMaxArgumentsBytes = std::size_t{256} << 10;
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;

struct StoreOptions {
  std::string path;
  bool create = true;         // false: kFileNotFound where there is none
  int busy_timeout_ms = 250;  // how long a writer of another process may hold us up before kStoreLocked
  std::string boot;           // which run of the machine; "": ask the kernel
};

using Witness = std::function<base::Status()>;

// A person's answer.
struct Ruling {
  bool granted = false;
  Scope scope = Scope::kOnce;
  std::string approver;
  std::string reason;
  std::int64_t ttl_us = 0;  // of the grant; of a refusal: how long the same call is refused unasked
  std::string constraint;   // scope pattern: JSON Schema of the arguments
  std::uint32_t max_uses = 1;
};

// What the store has for a call that waits.
struct Taken {
  enum class Kind : std::uint8_t {
    kNone,
    kGranted,  // one use of it is taken
    kDenied,   // a person has said no to this very call, and it still stands
  };
  Kind kind = Kind::kNone;
  std::string id;  // of the request or plan
  Scope scope = Scope::kOnce;
  std::string approver;
  std::string reason;
  base::WallTime given;
  base::WallTime expires_wall;
  base::MonoTime expires_mono;
  std::string constraint;  // scope pattern: the schema that the arguments fit
  struct Voided {
    std::string id;
    std::string why;
  };
  std::vector<Voided> voided;  // grants for this very call that no longer hold
  std::string near;            // a grant for this tool that covers other arguments
};

class ApprovalStore {
 public:
  // Opens or creates the file and its schema. kStoreSchema (of a newer program), kStoreUnsafe (others may write it),
  // kStoreIo, kStoreLocked, kFileNotFound.
  [[nodiscard]] static base::Result<std::unique_ptr<ApprovalStore>> Open(const StoreOptions& options);
  ~ApprovalStore();
  ApprovalStore(const ApprovalStore&) = delete;
  ApprovalStore& operator=(const ApprovalStore&) = delete;

  // --- Guards ---

  // Files the question, or finds the same one still pending. kLimitExceeded when too many wait or it is too large to be
  // shown whole.
  struct Filed {
    std::string id;
    bool is_new = false;
  };
  [[nodiscard]] base::Result<Filed> Put(const Question& question, base::Now now, const Witness& witness = {});
  // Takes one use of what covers this call, if anything does: a once-grant is used up, whoever else tries at the same
  // time. Grants for the same call that were given for another definition, policy or state of the preconditions become
  // void. `witness` sees the answer before it is final.
  [[nodiscard]] base::Result<Taken> Take(const Subject& subject, std::string_view tool, const Binding& binding,
                                         base::JsonValue arguments, base::Now now,
                                         const std::function<base::Status(const Taken&)>& witness = {});
  // The answer of a person who was asked otherwise (by the client, over the session socket): the pending request with
  // this binding is decided, or one is filed that is. kApprovalDecided when somebody answered otherwise in the
  // meantime.
  [[nodiscard]] base::Result<std::string> Answered(const Question& question, const Ruling& ruling, base::Now now);

  // --- People ---

  struct Filter {
    std::optional<State> state;
    std::string session;    // "": any
    std::string principal;  // "": any
    std::size_t limit = 200;
  };
  // Newest first.
  [[nodiscard]] base::Result<std::vector<Request>> List(const Filter& filter, base::Now now);
  [[nodiscard]] base::Result<Request> Get(std::string_view id, base::Now now);  // kNotFound
  // kNotFound, kApprovalDecided (answered, void or expired already), kInvalidArgument. `witness` sees the request as it
  // will be.
  [[nodiscard]] base::Result<Request> Decide(std::string_view id, const Ruling& ruling, base::Now now,
                                             const std::function<base::Status(const Request&)>& witness = {});
  // Takes back a grant, a plan or a break-glass window that is still good. kNotFound, kApprovalDecided.
  [[nodiscard]] base::Status Revoke(std::string_view id, std::string_view who, std::string_view why, base::Now now,
                                    const Witness& witness = {});

  // Registers an approved plan; `plan.id` is ignored. Returns its id. A step's tool definition and the policy are bound
  // by its first use.
  [[nodiscard]] base::Result<std::string> AddPlan(const Plan& plan, std::int64_t ttl_us, base::Now now,
                                                  const std::function<base::Status(std::string_view id)>& witness = {});
  [[nodiscard]] base::Result<std::vector<Plan>> Plans(base::Now now);

  // --- Break-glass ---

  // kInvalidArgument without a reason, without an end, or over kMaxBreakGlassTtlUs. Only reason, opened_by, tenant,
  // principal and session are read.
  [[nodiscard]] base::Result<std::string> OpenBreakGlass(
      const BreakGlass& window, std::int64_t ttl_us, base::Now now,
      const std::function<base::Status(std::string_view id)>& witness = {});
  // The policy's own opening, when it is told of an impact over its thresholds: for this principal's session only.
  // Nothing: one that the policy opened for them is open, or is over and nobody has reviewed it.
  [[nodiscard]] base::Result<std::optional<std::string>> OpenByPolicy(
      const Subject& subject, std::string_view reason, std::int64_t ttl_us, base::Now now,
      const std::function<base::Status(std::string_view id)>& witness = {});
  [[nodiscard]] base::Result<std::vector<BreakGlass>> BreakGlasses(base::Now now);
  // kApprovalDecided when it was reviewed already, kInvalidArgument while it is open or without a name.
  [[nodiscard]] base::Status ReviewBreakGlass(std::string_view id, std::string_view reviewer, base::Now now,
                                              const Witness& witness = {});
  // The window that is open for this subject, if any; the one that ends last. Cheap when nobody has written since.
  struct Window {
    std::string id;
    std::string reason;
    base::WallTime opened_wall;
    base::MonoTime opened_mono;
    base::WallTime expires_wall;
    base::MonoTime expires_mono;
  };
  [[nodiscard]] base::Result<std::optional<Window>> ActiveBreakGlass(const Subject& subject, base::Now now);
  [[nodiscard]] base::Status CountBreakGlass(std::string_view id);  // one more decision under it

  // --- Budgets of a principal and day (UTC) ---

  using Sums = std::map<std::string, double, std::less<>>;
  [[nodiscard]] base::Result<Sums> Budgets(std::string_view tenant, std::string_view principal, base::Now now);
  // Adds `delta` if the sums are still `seen`: what was decided on is what is counted. False: another guard has added
  // meanwhile; read again and decide again.
  [[nodiscard]] base::Result<bool> Charge(std::string_view tenant, std::string_view principal, const Sums& seen,
                                          const Sums& delta, base::Now now);

  // Marks what is over as expired and removes what was finished 30 days ago. Open does it once.
  [[nodiscard]] base::Status Sweep(base::Now now);

  struct Impl;

 private:
  explicit ApprovalStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::runtime::approvals
