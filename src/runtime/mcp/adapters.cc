#include "adapters.h"

#include <chrono>
#include <thread>
#include <utility>

#include "tool_book.h"

namespace interlock::runtime::mcp {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::int64_t kRetryUs = 5'000'000;
constexpr std::int64_t kIdleSessionUs = std::int64_t{7} * 24 * 3600 * 1'000'000;
constexpr std::size_t kMaxPinsBytes = std::size_t{16} << 20;
constexpr int kLockTries = 40;
constexpr auto kLockPause = std::chrono::milliseconds(5);

std::optional<platform::FileStamp> StampOf(const std::string& path) {
  auto stamp = platform::StatStamp(path);
  if (!stamp.ok()) return std::nullopt;
  return stamp.value();
}

}  // namespace

LogAudit::LogAudit(std::string dir, audit::LogOptions options) : dir_(std::move(dir)), options_(std::move(options)) {
  TryOpen();
}

void LogAudit::TryOpen() {
  auto opened = audit::AuditLog::Open(dir_, options_);
  if (opened.ok()) {
    log_.emplace(std::move(opened.value()));
    open_error_.reset();
  } else {
    open_error_.emplace(opened.error().Under("audit log " + dir_));
  }
}

base::Status LogAudit::Append(const audit::Record& record, bool durable, std::uint64_t& row) {
  if (!log_.has_value()) return Error(ErrorCode::kAuditWrite, open_error_->ToString());
  return durable ? log_->AppendDurable(record, &row) : log_->Append(record, &row);
}

bool LogAudit::Recover(base::MonoTime now) {
  const bool failed = !log_.has_value() || log_->stats().failed;
  if (!failed || now < next_try_) return false;
  next_try_ = {now.us + kRetryUs};
  if (!log_.has_value()) {
    TryOpen();
    return log_.has_value();
  }
  return log_->Reopen().ok();
}

void LogAudit::Close() {
  if (log_.has_value()) (void)log_->Close().ok();
}

SqliteStore::SqliteStore(std::string path, session::SessionKey key) : path_(std::move(path)), key_(std::move(key)) {}

base::Result<std::array<std::uint64_t, 2>> SqliteStore::Join(const std::string& session, base::Now now) {
  key_.name = session;
  version_ = 0;
  if (store_ == nullptr) {
    auto opened = session::SessionStore::Open({.path = path_});
    if (!opened.ok()) {
      error_.emplace(opened.error());
      return opened.error();
    }
    store_ = std::move(opened.value());
    (void)store_->PruneIdle({now.wall.us - kIdleSessionUs}).ok();  // housekeeping: a failure shows in the next use
  }
  auto joined = store_->Join(key_, now);
  if (joined.ok()) {
    error_.reset();
  } else {
    error_.emplace(joined.error());
  }
  return joined;
}

base::Status SqliteStore::Poll(session::Update& news) {
  if (error_.has_value()) return *error_;
  if (base::Status polled = store_->Poll(version_, news); !polled.ok()) return polled;
  if (!news.empty) version_ = news.version;
  return {};
}

base::Status SqliteStore::Publish(const session::SessionStore::Publication& publication, base::Now now) {
  if (error_.has_value()) return *error_;
  return store_->Publish(publication, now);
}

base::Status SqliteApprovals::Open(base::Now now) {
  if (store_ != nullptr) return {};
  if (error_.has_value() && now.mono < next_try_) return *error_;
  next_try_ = {now.mono.us + kRetryUs};
  auto opened = approvals::ApprovalStore::Open({.path = path_});
  if (!opened.ok()) {
    error_.emplace(opened.error());
    return opened.error();
  }
  error_.reset();
  store_ = std::move(opened.value());
  (void)store_->Sweep(now).ok();  // housekeeping: a failure shows in the next use
  return {};
}

base::Result<approvals::ApprovalStore::Filed> SqliteApprovals::Put(const approvals::Question& question, base::Now now) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->Put(question, now);
}

base::Result<approvals::Taken> SqliteApprovals::Take(
    const approvals::Subject& subject, std::string_view tool, const approvals::Binding& binding,
    base::JsonValue arguments, base::Now now, const std::function<base::Status(const approvals::Taken&)>& witness) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->Take(subject, tool, binding, arguments, now, witness);
}

base::Result<approvals::Request> SqliteApprovals::Get(std::string_view id, base::Now now) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->Get(id, now);
}

base::Result<std::string> SqliteApprovals::Answered(const approvals::Question& question,
                                                    const approvals::Ruling& ruling, base::Now now) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->Answered(question, ruling, now);
}

base::Result<std::optional<approvals::ApprovalStore::Window>> SqliteApprovals::BreakGlass(
    const approvals::Subject& subject, base::Now now) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->ActiveBreakGlass(subject, now);
}

base::Result<std::optional<std::string>> SqliteApprovals::OpenByPolicy(
    const approvals::Subject& subject, std::string_view reason, std::int64_t ttl_us, base::Now now,
    const std::function<base::Status(std::string_view id)>& witness) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->OpenByPolicy(subject, reason, ttl_us, now, witness);
}

base::Status SqliteApprovals::EndByPolicy(std::string_view id, std::string_view why, base::Now now,
                                          const std::function<base::Status()>& witness) {
  if (base::Status open = Open(now); !open.ok()) return open;
  return store_->Revoke(id, approvals::kOpenedByPolicy, why, now, witness);
}

base::Status SqliteApprovals::CountBreakGlass(std::string_view id) {
  if (store_ == nullptr) return Error(ErrorCode::kStoreIo, "the approvals file is not open");
  return store_->CountBreakGlass(id);
}

base::Result<approvals::ApprovalStore::Sums> SqliteApprovals::Budgets(const approvals::Subject& subject,
                                                                      base::Now now) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->Budgets(subject.tenant, subject.principal, now);
}

base::Result<bool> SqliteApprovals::Charge(const approvals::Subject& subject,
                                           const approvals::ApprovalStore::Sums& seen,
                                           const approvals::ApprovalStore::Sums& delta, base::Now now) {
  if (base::Status open = Open(now); !open.ok()) return open.error();
  return store_->Charge(subject.tenant, subject.principal, seen, delta, now);
}

base::Result<policy::Pins> FilePins::Read() {
  stamp_ = StampOf(path_);
  auto bytes = platform::ReadFile(path_, kMaxPinsBytes);
  if (!bytes.ok()) {
    if (bytes.error().code() == ErrorCode::kFileNotFound) return policy::Pins{};
    return Error(ErrorCode::kPolicyPins, bytes.error().ToString());
  }
  auto pins = policy::Pins::Parse(bytes.value());
  if (!pins.ok()) return pins.error().Under(path_);
  return pins;
}

base::Result<policy::Pins> FilePins::Load() { return Read(); }

base::Result<policy::Pins> FilePins::Add(const policy::Pins& additions) {
  // Several proxies pin into one file: read, add, write, with nobody in between. The wait is short and only on first
  // use.
  std::optional<platform::FileLock> lock;
  for (int i = 0; i < kLockTries && !lock.has_value(); ++i) {
    auto taken = platform::FileLock::TryAcquire(path_ + ".lock");
    if (taken.ok()) {
      lock.emplace(std::move(taken.value()));
    } else if (taken.error().code() != ErrorCode::kFileLocked) {
      return taken.error();
    } else {
      std::this_thread::sleep_for(kLockPause);
    }
  }
  if (!lock.has_value()) return Error(ErrorCode::kFileLocked, path_ + ".lock");
  auto pins = Read();
  if (!pins.ok()) return pins.error();
  for (const auto& [server, more] : additions.servers()) {
    if (more.instructions.has_value() &&
        pins.value().CheckInstructions(server, *more.instructions) == policy::Pins::Answer::kFirstUse) {
      pins.value().PinInstructions(server, *more.instructions);
    }
    for (const auto& [tool, digest] : more.tools) {
      if (pins.value().CheckTool(server, tool, digest) == policy::Pins::Answer::kFirstUse) {
        pins.value().PinTool(server, tool, digest);
      }
    }
  }
  if (base::Status written = platform::AtomicWrite(path_, pins.value().ToJson()); !written.ok()) return written.error();
  stamp_ = StampOf(path_);
  return pins;
}

void FilePins::Held(const policy::Pins& changed) {
  // Only an offer: what is held stays held whether or not the file can be written.
  const std::string path = path_ + ".held";
  policy::Pins all;
  const auto take = [&all](const std::string& server, const policy::ServerPins& pins) {
    if (pins.instructions.has_value()) all.PinInstructions(server, *pins.instructions);
    for (const auto& [tool, digest] : pins.tools) all.PinTool(server, tool, digest);
  };
  if (const auto bytes = platform::ReadFile(path, kMaxPinsBytes); bytes.ok()) {
    if (const auto others = policy::Pins::Parse(bytes.value()); others.ok()) {
      for (const auto& [server, pins] : others.value().servers()) {
        if (server != server_ && server != server_ + std::string(kAcceptedSuffix)) take(server, pins);
      }
    }
  }
  for (const auto& [server, pins] : changed.servers()) take(server, pins);
  if (all.servers().empty()) {
    (void)platform::RemoveFile(path).ok();
  } else {
    (void)platform::AtomicWrite(path, all.ToJson()).ok();
  }
}

bool FilePins::Changed() { return StampOf(path_) != stamp_; }

}  // namespace interlock::runtime::mcp
