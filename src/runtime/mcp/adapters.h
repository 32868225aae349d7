// The real ports: audit log, session store, pins file. Private to the module. Each starts even when what it stands for
// cannot be opened: it then answers every call with the error and tries again from time to time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "interlock/platform/file.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/mcp/ports.h"
#include "interlock/runtime/session/store.h"

namespace interlock::runtime::mcp {

class LogAudit final : public AuditPort {
 public:
  LogAudit(std::string dir, audit::LogOptions options);
  [[nodiscard]] base::Status Append(const audit::Record& record, bool durable, std::uint64_t& row) override;
  // Opens or reopens what failed, at most every few seconds. True when the log came back.
  [[nodiscard]] bool Recover(base::MonoTime now);
  void Close();
  [[nodiscard]] const std::optional<base::Error>& open_error() const noexcept { return open_error_; }

 private:
  void TryOpen();
  std::string dir_;
  audit::LogOptions options_;
  std::optional<audit::AuditLog> log_;
  std::optional<base::Error> open_error_;
  base::MonoTime next_try_;
};

class SqliteStore final : public SessionStorePort {
 public:
  SqliteStore(std::string path, session::SessionKey key);
  // The fingerprint key the session's guards share. An error leaves the port failing until Rejoin works.
  [[nodiscard]] base::Result<std::array<std::uint64_t, 2>> Join(const std::string& session, base::Now now);
  [[nodiscard]] base::Status Poll(session::Update& news) override;
  [[nodiscard]] base::Status Publish(const session::SessionStore::Publication& publication, base::Now now) override;

 private:
  std::string path_;
  session::SessionKey key_;
  std::unique_ptr<session::SessionStore> store_;
  std::optional<base::Error> error_;
  std::uint64_t version_ = 0;
};

// The approvals file. Opened when it is first needed, and again, from time to time, when that failed: the file may be
// put right while calls that need it are refused.
class SqliteApprovals final : public ApprovalsPort {
 public:
  explicit SqliteApprovals(std::string path) : path_(std::move(path)) {}
  // Opens it now, so that what is wrong is said at the start.
  [[nodiscard]] base::Status Open(base::Now now);

  [[nodiscard]] base::Result<approvals::ApprovalStore::Filed> Put(const approvals::Question& question,
                                                                  base::Now now) override;
  [[nodiscard]] base::Result<approvals::Taken> Take(
      const approvals::Subject& subject, std::string_view tool, const approvals::Binding& binding,
      base::JsonValue arguments, base::Now now,
      const std::function<base::Status(const approvals::Taken&)>& witness) override;
  [[nodiscard]] base::Result<approvals::Request> Get(std::string_view id, base::Now now) override;
  [[nodiscard]] base::Result<std::string> Answered(const approvals::Question& question, const approvals::Ruling& ruling,
                                                   base::Now now) override;
  [[nodiscard]] base::Result<std::optional<approvals::ApprovalStore::Window>> BreakGlass(
      const approvals::Subject& subject, base::Now now) override;
  [[nodiscard]] base::Result<std::optional<std::string>> OpenByPolicy(
      const approvals::Subject& subject, std::string_view reason, std::int64_t ttl_us, base::Now now,
      const std::function<base::Status(std::string_view id)>& witness) override;
  [[nodiscard]] base::Status EndByPolicy(std::string_view id, std::string_view why, base::Now now,
                                         const std::function<base::Status()>& witness) override;
  [[nodiscard]] base::Status CountBreakGlass(std::string_view id) override;
  [[nodiscard]] base::Result<approvals::ApprovalStore::Sums> Budgets(const approvals::Subject& subject,
                                                                     base::Now now) override;
  [[nodiscard]] base::Result<bool> Charge(const approvals::Subject& subject, const approvals::ApprovalStore::Sums& seen,
                                          const approvals::ApprovalStore::Sums& delta, base::Now now) override;

 private:
  std::string path_;
  std::unique_ptr<approvals::ApprovalStore> store_;
  std::optional<base::Error> error_;
  base::MonoTime next_try_;
};

class FilePins final : public PinsPort {
 public:
  FilePins(std::string path, std::string server) : path_(std::move(path)), server_(std::move(server)) {}
  [[nodiscard]] base::Result<policy::Pins> Load() override;
  [[nodiscard]] base::Result<policy::Pins> Add(const policy::Pins& additions) override;
  // Keeps our server's part of PATH.held, which `interlock policy accept` offers.
  void Held(const policy::Pins& changed) override;
  [[nodiscard]] bool Changed() override;

 private:
  [[nodiscard]] base::Result<policy::Pins> Read();
  std::string path_;
  std::string server_;
  std::optional<platform::FileStamp> stamp_;
};

}  // namespace interlock::runtime::mcp
