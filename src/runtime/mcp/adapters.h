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
