#include "interlock/runtime/mcp/proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "adapters.h"
#include "control_socket.h"
#include "interlock/base/text.h"
#include "interlock/platform/clock.h"
#include "interlock/platform/file.h"
#include "interlock/platform/process.h"
#include "interlock/platform/random.h"
#include "interlock/platform/signals.h"

namespace interlock::runtime::mcp {
namespace {

using base::Error;
using base::ErrorCode;
using base::Now;
using platform::Transfer;

constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxPolicyBytes = std::size_t{4} << 20;
constexpr std::int64_t kEndOfPipeUs = 200'000;  // from a closed pipe to "it has not ended"
constexpr std::int64_t kFlushUs = 2'000'000;    // for the client to read its last answers
constexpr std::int64_t kRejoinUs = 5'000'000;
constexpr std::size_t kMaxDrainBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxNoticeBytes = 2000;  // below PIPE_BUF: never in parts, never blocks a pipe that has room
constexpr std::uint32_t kIn = EPOLLIN;
constexpr std::uint32_t kOut = EPOLLOUT;

// Bytes on their way to a descriptor that does not block. Written at once while nothing waits.
class Outlet {
 public:
  explicit Outlet(int fd) : fd_(fd) {}
  // False: the reader is gone.
  [[nodiscard]] bool Write(std::string_view bytes) {
    if (closed_) return false;
    if (pending() == 0) {
      const auto moved = platform::WriteSome(fd_, bytes);
      if (!moved.ok() || moved.value().state == Transfer::State::kClosed) return Close();
      bytes.remove_prefix(moved.value().bytes);
      if (bytes.empty()) return true;
    }
    buffer_.append(bytes);
    return true;
  }
  [[nodiscard]] bool Flush() {
    while (!closed_ && pending() > 0) {
      const auto moved = platform::WriteSome(fd_, std::string_view(buffer_).substr(done_));
      if (!moved.ok() || moved.value().state == Transfer::State::kClosed) return Close();
      if (moved.value().state == Transfer::State::kWouldBlock) break;
      done_ += moved.value().bytes;
    }
    if (pending() == 0) {
      buffer_.clear();
      done_ = 0;
      if (buffer_.capacity() > (std::size_t{1} << 20)) buffer_.shrink_to_fit();
    } else if (done_ > buffer_.size() / 2) {
      buffer_.erase(0, done_);
      done_ = 0;
    }
    return !closed_;
  }
  [[nodiscard]] std::size_t pending() const noexcept { return buffer_.size() - done_; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  bool Close() {
    closed_ = true;
    buffer_.clear();
    done_ = 0;
    return false;
  }

 private:
  int fd_;
  std::string buffer_;
  std::size_t done_ = 0;
  bool closed_ = false;
};

// One descriptor in the epoll set, with the events it is there for. Regular files cannot be polled: always ready.
class Watch {
 public:
  Watch(int epoll, int fd) : epoll_(epoll), fd_(fd) {}
  void Want(std::uint32_t events) {
    if (fd_ < 0 || (registered_ && events == events_) || unpollable_) {
      events_ = events;
      return;
    }
    epoll_event event{};
    event.events = events;
    event.data.fd = fd_;
    if (::epoll_ctl(epoll_, registered_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd_, &event) == 0) {
      registered_ = true;
    } else if (errno == EPERM) {
      unpollable_ = true;
    }
    events_ = events;
  }
  void Drop() {
    if (registered_) (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd_, nullptr);
    registered_ = false;
    fd_ = -1;
    events_ = 0;
  }
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] bool always_ready(std::uint32_t events) const noexcept {
    return fd_ >= 0 && unpollable_ && (events_ & events) != 0;
  }

 private:
  int epoll_;
  int fd_;
  std::uint32_t events_ = 0;
  bool registered_ = false;
  bool unpollable_ = false;
};

std::string_view WordOf(NoticeLevel level) {
  switch (level) {
    case NoticeLevel::kInfo:
      return "info";
    case NoticeLevel::kWarning:
      return "warning";
    case NoticeLevel::kError:
      return "error";
  }
  return "error";
}

// A line for people. Dropped rather than waited for: a host that does not read our stderr must not stop the tools.
void Say(const ProxyOptions& options, NoticeLevel level, std::string_view name, std::string_view text) {
  if (options.quiet && level != NoticeLevel::kError) return;
  std::string line = "interlock: ";
  line += WordOf(level);
  line += ": ";
  line += name;
  line += ": ";
  line += base::Printable(text, kMaxNoticeBytes);
  line += '\n';
  pollfd ready{.fd = options.notice_fd, .events = POLLOUT, .revents = 0};
  if (::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) {
    (void)platform::WriteSome(options.notice_fd, line).ok();
  }
}

class Runner final : private Sink {
 public:
  Runner(const ProxyOptions& options, platform::Process child, platform::SignalFd signals, platform::UniqueFd epoll)
      : options_(options),
        child_(std::move(child)),
        signals_(std::move(signals)),
        epoll_(std::move(epoll)),
        server_in_(child_.TakeStdin()),
        server_out_(child_.TakeStdout()),
        to_client_(options.client_out),
        to_server_(server_in_.get()),
        from_client_(options.core.codec.max_line_bytes),
        from_server_(options.core.codec.max_line_bytes),
        watch_client_in_(epoll_.get(), options.client_in),
        watch_client_out_(epoll_.get(), options.client_out),
        watch_server_in_(epoll_.get(), server_in_.get()),
        watch_server_out_(epoll_.get(), server_out_.get()),
        watch_signals_(epoll_.get(), signals_.fd()),
        watch_child_(epoll_.get(), child_.pidfd()),
        watch_socket_(epoll_.get(), -1) {}

  int Run() {
    Prepare();
    watch_signals_.Want(kIn);
    watch_child_.Want(kIn);
    Interests();
    while (!Over()) Turn();
    if (audit_ != nullptr) audit_->Close();
    return exit_code_;
  }

 private:
  // Everything that may take a moment, after the server was started.
  void Prepare() {
    const Now now = platform::ReadNow();
    CoreOptions core = options_.core;
    if (core.server.empty()) core.server = ServerNameOf(options_.command);
    if (!options_.audit_dir.empty()) {
      audit_ = std::make_unique<LogAudit>(options_.audit_dir, options_.audit);
      if (audit_->open_error().has_value()) Notice(NoticeLevel::kError, "audit", audit_->open_error()->ToString());
    } else {
      Notice(NoticeLevel::kWarning, "no-audit", "calls are decided but not recorded");
    }
    FillRandom(core);
    if (!options_.pins_file.empty()) pins_ = std::make_unique<FilePins>(options_.pins_file, core.server);
    if (!options_.store_file.empty()) {
      store_ = std::make_unique<SqliteStore>(
          options_.store_file,
          session::SessionKey{.tenant = options_.tenant, .principal = core.principal, .name = core.session});
      session_ = core.session;
      store_joined_ = JoinStore(now, &core.fingerprint_key);
    }
    core.tenant = options_.tenant;
    core.session_named = !options_.core.session.empty();
    if (!options_.approvals_file.empty()) {
      approvals_ = std::make_unique<SqliteApprovals>(options_.approvals_file);
      if (base::Status open = approvals_->Open(now); !open.ok()) {
        Notice(NoticeLevel::kError, "approvals", open.error().ToString());
      }
    }
    std::optional<Error> policy_error;
    auto policy = LoadPolicyFile(policy_error);
    if (policy == nullptr) policy = EmptyPolicy();
    core_ = std::make_unique<ProxyCore>(std::move(core),
                                        Ports{.sink = this,
                                              .audit = audit_.get(),
                                              .store = store_.get(),
                                              .pins = pins_.get(),
                                              .approvals = approvals_.get(),
                                              .scan = options_.scan},
                                        std::move(policy), std::move(policy_error), now);
    if (!options_.request_file.empty()) ReadRequestFile(now);
    for (const auto& [channel, json] : options_.facts) {
      const base::Status added = core_->AddFact(channel, json, now);
      if (!added.ok()) Notice(NoticeLevel::kError, "fact", channel + ": " + added.error().ToString());
    }
    if (!options_.socket_path.empty()) {
      auto socket = ControlSocket::Listen(options_.socket_path);
      if (socket.ok()) {
        socket_ = std::make_unique<ControlSocket>(std::move(socket.value()));
        watch_socket_ = Watch(epoll_.get(), socket_->fd());
        watch_socket_.Want(kIn);
      } else {
        Notice(NoticeLevel::kError, "socket", socket.error().ToString());
      }
    }
    next_poll_ = {now.mono.us + options_.poll_us};
  }

  void FillRandom(CoreOptions& core) {
    std::array<std::uint8_t, 16> key{};
    auto a = platform::RandomHex(12);
    auto b = platform::RandomHex(12);
    auto s = platform::RandomHex(8);
    if (!platform::RandomBytes(core.secret).ok() || !platform::RandomBytes(key).ok() || !a.ok() || !b.ok() || !s.ok()) {
      // Without randomness ids and tickets could be guessed: nothing may run.
      broken_.emplace(ErrorCode::kIo, "the kernel gives no random numbers");
      return;
    }
    core.to_server_prefix = "interlock-" + a.value() + "-";
    core.to_client_prefix = "interlock-" + b.value() + "-";
    if (core.session.empty()) core.session = "proxy-" + s.value();
    for (std::size_t i = 0; i < key.size(); ++i) {
      core.fingerprint_key[i / 8] = (core.fingerprint_key[i / 8] << 8) | key[i];
    }
  }

  bool JoinStore(Now now, std::array<std::uint64_t, 2>* key) {
    auto joined = store_->Join(session_, now);
    if (joined.ok()) {
      *key = joined.value();
    } else {
      Notice(NoticeLevel::kError, "session-store", joined.error().ToString());
    }
    return joined.ok();
  }

  static std::shared_ptr<const policy::PolicySnapshot> EmptyPolicy() {
    auto empty = policy::LoadPolicy("version: 1\n");
    INTERLOCK_CHECK(empty.policy != nullptr, "the empty policy loads");
    return empty.policy;
  }

  std::shared_ptr<const policy::PolicySnapshot> LoadPolicyFile(std::optional<Error>& error) {
    if (broken_.has_value()) {
      error = broken_;
      return nullptr;
    }
    std::string text = "version: 1\n";
    policy::LoadOptions load = options_.load;
    if (!options_.policy_file.empty()) {
      if (auto stamp = platform::StatStamp(options_.policy_file); stamp.ok()) policy_stamp_ = stamp.value();
      auto read = platform::ReadFile(options_.policy_file, kMaxPolicyBytes);
      if (!read.ok()) {
        error.emplace(ErrorCode::kPolicySyntax, read.error().ToString());
        return nullptr;
      }
      text = std::move(read.value());
      load.file = options_.policy_file;
    }
    auto loaded = policy::LoadPolicy(text, load);
    for (const policy::Diagnostic& diagnostic : loaded.diagnostics) {
      const bool is_error = diagnostic.severity == policy::Severity::kError;
      if (is_error && !error.has_value()) error = diagnostic.error;
      Notice(is_error ? NoticeLevel::kError : NoticeLevel::kWarning, "policy", diagnostic.error.ToString());
    }
    if (loaded.policy == nullptr && !error.has_value()) error.emplace(ErrorCode::kPolicySyntax, "it does not load");
    if (loaded.policy != nullptr &&
        options_.policy_graph.value_or(std::string(loaded.policy->graph())) != loaded.policy->graph()) {
      error.emplace(ErrorCode::kPolicyReference,
                    "`graph` is another one than at the start: a new graph needs a restart");
      Notice(NoticeLevel::kError, "policy", error->ToString());
      return nullptr;
    }
    return loaded.policy;
  }

  void ReadRequestFile(Now now) {
    auto text = platform::ReadFile(options_.request_file, kMaxRequestBytes);
    if (text.ok()) {
      core_->SetRequest(text.value(), now);
    } else {
      Notice(NoticeLevel::kError, "request-file", text.error().ToString() + "; the request stays unknown");
    }
  }

  void Reload(Now now) {
    if (!options_.policy_file.empty() || broken_.has_value()) {
      std::optional<Error> error;
      auto policy = LoadPolicyFile(error);
      policy_gone_ = false;
      if (policy != nullptr) {
        core_->SetPolicy(std::move(policy), now);
      } else {
        core_->KeepPolicy(*error, now);
      }
    }
    if (pins_ != nullptr) core_->ReloadPins(now);
  }

  void Poll(Now now) {
    next_poll_ = {now.mono.us + options_.poll_us};
    if (audit_ != nullptr && audit_->Recover(now.mono)) Notice(NoticeLevel::kInfo, "audit", "writable again");
    if (pins_ != nullptr && pins_->Changed()) core_->ReloadPins(now);
    if (store_ != nullptr && !store_joined_ && now.mono >= next_join_) {
      // Nothing was forwarded meanwhile, so the session can still begin under its key.
      next_join_ = {now.mono.us + kRejoinUs};
      std::array<std::uint64_t, 2> key{};
      store_joined_ = JoinStore(now, &key) && core_->JoinSession(session_, key, now).ok();
    }
    if (options_.policy_file.empty()) return;
    auto stamp = platform::StatStamp(options_.policy_file);
    if (!stamp.ok()) {
      if (!policy_gone_) core_->KeepPolicy(Error(ErrorCode::kPolicySyntax, stamp.error().ToString()), now);
      policy_gone_ = true;
      return;
    }
    if (policy_gone_ || stamp.value() != policy_stamp_) {
      policy_stamp_ = stamp.value();
      Reload(now);
    }
  }

  [[nodiscard]] bool Over() const {
    if (!finishing_) return false;
    return to_client_.pending() == 0 || to_client_.closed() || platform::ReadNow().mono >= flush_deadline_;
  }

  [[nodiscard]] int TimeoutMs(Now now) const {
    if (watch_client_in_.always_ready(kIn)) return 0;
    base::MonoTime next = next_poll_;
    if (const auto deadline = core_->NextDeadline(); deadline.has_value()) next = std::min(next, *deadline);
    if (end_of_pipe_.us != 0) next = std::min(next, end_of_pipe_);
    if (finishing_) next = std::min(next, flush_deadline_);
    if (next <= now.mono) return 0;
    return static_cast<int>(std::min<std::int64_t>((next.us - now.mono.us + 999) / 1000, 60'000));
  }

  void Turn() {
    std::array<epoll_event, 16> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), events.size(), TimeoutMs(platform::ReadNow()));
    const Now now = platform::ReadNow();
    if (watch_client_in_.always_ready(kIn)) ReadClient(now);
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const int fd = event.data.fd;
      // Descriptors that were dropped while this batch was handled match nothing: Drop sets them to -1.
      if (fd == watch_client_in_.fd()) {
        ReadClient(now);
      } else if (fd == watch_server_out_.fd()) {
        ReadServer(now);
      } else if (fd == watch_client_out_.fd()) {
        FlushClient(now);
      } else if (fd == watch_server_in_.fd()) {
        FlushServer((event.events & (EPOLLERR | EPOLLHUP)) != 0, now);
      } else if (fd == watch_child_.fd()) {
        ChildEnded(now);
      } else if (fd == watch_signals_.fd()) {
        ReadSignals(now);
      } else if (fd == watch_socket_.fd()) {
        AcceptControl();
      } else if (socket_ != nullptr && socket_->Owns(fd)) {
        (void)socket_->Serve(fd, [this, now](base::JsonValue command) { return Control(command, now); });
      }
    }
    if (end_of_pipe_.us != 0 && end_of_pipe_ <= now.mono) {
      end_of_pipe_ = {};
      core_->OnServerClosed(now);
    }
    core_->OnTick(now);
    if (now.mono >= next_poll_) Poll(now);
    Carry(now);
    Interests();
  }

  // What the core asked for, or ran into, while it was at work.
  void Carry(Now now) {
    if (client_lost_) {
      client_lost_ = false;
      ClientGone(now);
    }
    if (close_server_input_ && to_server_.pending() == 0) {
      close_server_input_ = false;
      watch_server_in_.Drop();
      (void)to_server_.Close();
      server_in_.Reset();
    }
  }

  // Reading one side stops while what it fills is full: the kernel's pipe then slows the writer down.
  void Interests() {
    const bool client_full = to_client_.pending() > options_.high_water_bytes;
    const bool server_full = to_server_.pending() > options_.high_water_bytes;
    if (watch_client_in_.fd() >= 0) watch_client_in_.Want(server_full || client_full || finishing_ ? 0u : kIn);
    // Not `server_full`: a server that waits for us to read what it says would never come to read what we say.
    if (watch_server_out_.fd() >= 0) watch_server_out_.Want(client_full ? 0u : kIn);
    if (to_client_.pending() > 0) {
      watch_client_out_.Want(kOut);
    } else {
      Unwatch(watch_client_out_, options_.client_out);
    }
    if (watch_server_in_.fd() >= 0) watch_server_in_.Want(to_server_.pending() > 0 ? kOut : 0u);
  }

  // A descriptor that is not written to is not in the set: a hung-up one would wake us for ever.
  void Unwatch(Watch& watch, int fd) {
    watch.Drop();
    watch = Watch(epoll_.get(), fd);
  }

  void ReadClient(Now now) {
    const auto moved = platform::ReadSome(options_.client_in, from_client_.Space());
    if (!moved.ok() || moved.value().state == Transfer::State::kClosed) {
      watch_client_in_.Drop();
      if (from_client_.unfinished() > 0) {
        Notice(NoticeLevel::kWarning, "client-closed", "the client closed in the middle of a message; it was dropped");
      }
      core_->OnClientClosed(now);
      return;
    }
    if (moved.value().state == Transfer::State::kWouldBlock) return;
    from_client_.Filled(moved.value().bytes);
    LineFramer::Frame frame;
    while (from_client_.Next(frame)) {
      if (frame.too_long) {
        core_->OnClientOversized(frame.bytes, now);
      } else {
        core_->OnClientLine(frame.line, now);
      }
    }
  }

  // False at the end of the pipe or when there is nothing more to read now.
  bool ReadServerOnce(Now now, std::size_t& bytes) {
    const auto moved = platform::ReadSome(server_out_.get(), from_server_.Space());
    if (!moved.ok() || moved.value().state == Transfer::State::kClosed) {
      watch_server_out_.Drop();
      server_out_.Reset();
      return false;
    }
    if (moved.value().state == Transfer::State::kWouldBlock) return false;
    bytes += moved.value().bytes;
    from_server_.Filled(moved.value().bytes);
    LineFramer::Frame frame;
    while (from_server_.Next(frame)) {
      if (frame.too_long) {
        core_->OnServerOversized(frame.bytes, now);
      } else {
        core_->OnServerLine(frame.line, now);
      }
    }
    return true;
  }

  void ReadServer(Now now) {
    std::size_t bytes = 0;
    (void)ReadServerOnce(now, bytes);
    if (!server_out_.valid()) ExpectEnd(now);
  }

  // A closed pipe is mostly the first sign of the server's end; its exit status is worth a moment's wait.
  void ExpectEnd(Now now) {
    if (end_of_pipe_.us == 0) end_of_pipe_ = {now.mono.us + kEndOfPipeUs};
  }

  void ChildEnded(Now now) {
    auto status = child_.TryWait();
    if (!status.ok() || !status.value().has_value()) {
      if (status.ok()) return;
      Notice(NoticeLevel::kError, "server", status.error().ToString());
    }
    watch_child_.Drop();
    end_of_pipe_ = {};
    // What it wrote before it ended is still in the pipe.
    std::size_t bytes = 0;
    if (server_out_.valid() && platform::SetNonBlocking(server_out_.get(), true).ok()) {
      while (bytes < kMaxDrainBytes && ReadServerOnce(now, bytes)) {
      }
    }
    watch_server_out_.Drop();
    watch_server_in_.Drop();
    (void)to_server_.Close();
    std::string how = "how is not known";
    if (status.ok()) {
      const platform::ExitStatus& end = *status.value();
      how = (end.signaled ? "signal " : "exit code ") + std::to_string(end.code);
    }
    core_->OnServerExit(how, now);
  }

  void FlushClient(Now now) {
    if (to_client_.Flush()) return;
    ClientGone(now);
  }

  void FlushServer(bool reader_gone, Now now) {
    if (!reader_gone && to_server_.Flush()) return;
    (void)to_server_.Close();
    watch_server_in_.Drop();
    ExpectEnd(now);
  }

  void ClientGone(Now now) {
    watch_client_in_.Drop();
    core_->OnClientClosed(now);
  }

  void ReadSignals(Now now) {
    for (;;) {
      auto number = signals_.Read();
      if (!number.ok() || !number.value().has_value()) return;
      if (*number.value() == SIGHUP) {
        Reload(now);
      } else {
        core_->OnSignal(*number.value(), now);
      }
    }
  }

  void AcceptControl() {
    const int fd = socket_->Accept();
    if (fd < 0) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }

  std::string Control(base::JsonValue command, Now now) {
    const std::string ok = R"({"ok":true})";
    const auto error = [](std::string_view text) {
      std::string out;
      base::JsonWriter(out).BeginObject().Key("error").String(text).EndObject();
      return out;
    };
    if (const auto text = command.Find("request"); text.is_string()) {
      core_->SetRequest(text.string(), now);
      return ok;
    }
    if (const auto fact = command.Find("fact"); fact.is_object()) {
      const base::Status added = core_->AddFact(fact.Find("channel").string(), fact.Find("value").raw(), now);
      return added.ok() ? ok : error(added.error().ToString());
    }
    if (const auto impact = command.Find("impact"); impact.exists()) {
      const base::Status told = core_->SetImpact(impact, now);
      return told.ok() ? ok : error(told.error().ToString());
    }
    if (const auto labels = command.Find("labels"); labels.is_array()) {
      for (const auto label : labels) {
        if (!core_->AddLabel(label.string(), now)) return error("the policy has no such label");
      }
      return ok;
    }
    if (const auto digest = command.Find("approve"); digest.is_string()) {
      const bool once = command.Find("scope").string() != "session";
      const base::Status approved = core_->ApproveRefused(digest.string(), once, now);
      return approved.ok() ? ok : error(approved.error().ToString());
    }
    if (const auto name = command.Find("session"); name.is_string())
      return ControlSession(name.string(), now, ok, error);
    if (command.Find("status").exists()) {
      const Counters& c = core_->counters();
      std::string out;
      base::JsonWriter w(out);
      w.BeginObject().Key("calls").Uint(c.calls).Key("forwarded").Uint(c.forwarded).Key("refused").Uint(c.refused);
      w.Key("shadowed").Uint(c.shadowed).Key("escalated").Uint(c.escalated).Key("withheld").Uint(c.withheld);
      w.Key("masked").Uint(c.masked);
      w.Key("open").Uint(core_->open_requests()).Key("client_garbage").Uint(c.client_garbage);
      w.Key("server_garbage").Uint(c.server_garbage).Key("audit_failures").Uint(c.audit_failures);
      w.Key("store_failures").Uint(c.store_failures).Key("stale_policy").Uint(c.stale_policy).EndObject();
      return out;
    }
    return error("unknown command");
  }

  template <class ErrorAnswer>
  std::string ControlSession(std::string_view name, Now now, const std::string& ok, const ErrorAnswer& error) {
    if (store_ == nullptr) return error("no session store is in use");
    if (name == session_) return ok;
    auto key = store_->Join(std::string(name), now);
    if (!key.ok()) return error(key.error().ToString());
    if (base::Status joined = core_->JoinSession(std::string(name), key.value(), now); !joined.ok()) {
      (void)store_->Join(session_, now).ok();
      return error(joined.error().ToString());
    }
    session_ = name;
    return ok;
  }

  // Sink.
  void ToClient(std::string_view line) override {
    if (!to_client_.closed() && !to_client_.Write(line)) client_lost_ = true;
  }
  void ToServer(std::string_view line) override {
    if (!to_server_.closed() && !to_server_.Write(line)) ExpectEnd(platform::ReadNow());
  }
  void Notice(NoticeLevel level, std::string_view name, std::string_view text) override {
    Say(options_, level, name, text);
  }
  void CloseServerInput() override { close_server_input_ = true; }
  void SignalServer(ServerSignal signal) override {
    (void)child_.SignalGroup(signal == ServerSignal::kKill ? SIGKILL : SIGTERM).ok();
  }
  void Finish(int exit_code) override {
    finishing_ = true;
    exit_code_ = exit_code;
    flush_deadline_ = {platform::ReadNow().mono.us + kFlushUs};
  }

  const ProxyOptions& options_;
  platform::Process child_;
  platform::SignalFd signals_;
  platform::UniqueFd epoll_;
  platform::UniqueFd server_in_;
  platform::UniqueFd server_out_;
  Outlet to_client_;
  Outlet to_server_;
  LineFramer from_client_;
  LineFramer from_server_;
  Watch watch_client_in_;
  Watch watch_client_out_;
  Watch watch_server_in_;
  Watch watch_server_out_;
  Watch watch_signals_;
  Watch watch_child_;
  Watch watch_socket_;
  std::unique_ptr<LogAudit> audit_;
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<FilePins> pins_;
  std::unique_ptr<SqliteApprovals> approvals_;
  std::unique_ptr<ControlSocket> socket_;
  std::unique_ptr<ProxyCore> core_;
  std::string session_;  // as the store knows it
  bool store_joined_ = false;
  std::optional<Error> broken_;
  std::optional<platform::FileStamp> policy_stamp_;
  bool policy_gone_ = false;
  base::MonoTime next_poll_;
  base::MonoTime next_join_;
  base::MonoTime end_of_pipe_;  // zero: no pipe of the server has closed
  base::MonoTime flush_deadline_;
  bool close_server_input_ = false;
  bool client_lost_ = false;
  bool finishing_ = false;
  int exit_code_ = kExitOk;
};

}  // namespace

std::string ServerNameOf(const std::vector<std::string>& command) {
  // The first word that names something: launchers and their options say nothing about the server.
  std::string_view word;
  for (const std::string& argument : command) {
    std::string_view candidate = argument;
    if (candidate.starts_with('-') || candidate.empty()) continue;
    if (const auto slash = candidate.rfind('/'); slash != std::string_view::npos) candidate.remove_prefix(slash + 1);
    static constexpr std::array<std::string_view, 14> kLaunchers = {
        "npx", "node", "bun", "bunx", "deno", "uv", "uvx", "pipx", "python", "python3", "sh", "bash", "env", "run"};
    word = candidate;
    if (std::find(kLaunchers.begin(), kLaunchers.end(), candidate) == kLaunchers.end()) break;
  }
  if (const auto at = word.find('@'); at != std::string_view::npos && at > 0) word = word.substr(0, at);
  for (const std::string_view extension : {".js", ".mjs", ".cjs", ".ts", ".py", ".sh"}) {
    if (word.ends_with(extension) && word.size() > extension.size()) word.remove_suffix(extension.size());
  }
  return std::string(word.empty() ? std::string_view("server") : word);
}

int RunProxy(const ProxyOptions& options) {
  if (options.command.empty() || options.core.codec.max_line_bytes == 0 || options.core.max_open_requests == 0) {
    Say(options, NoticeLevel::kError, "options", "a command, and limits above zero, are needed");
    return kExitCannotRun;
  }
  platform::IgnoreSigpipe();
  // A file that may grow no further is an error of that write (and refuses calls), not the end of the guard.
  std::signal(SIGXFSZ, SIG_IGN);
  auto signals = platform::SignalFd::Block({SIGTERM, SIGINT, SIGHUP});
  if (!signals.ok()) {
    Say(options, NoticeLevel::kError, "signals", signals.error().ToString());
    return kExitCannotRun;
  }
  auto child = platform::Spawn({.argv = options.command,
                                .env = std::nullopt,
                                .cwd = options.server_cwd,
                                .stdin_mode = platform::Stdio::kPipe,
                                .stdout_mode = platform::Stdio::kPipe});
  if (!child.ok()) {
    Say(options, NoticeLevel::kError, "server", child.error().ToString());
    return kExitCannotRun;
  }
  platform::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  const int old_flags = ::fcntl(options.client_out, F_GETFL);
  if (!epoll.valid() || old_flags < 0 || !platform::SetNonBlocking(options.client_out, true).ok() ||
      !platform::SetNonBlocking(child.value().stdin_fd(), true).ok()) {
    Say(options, NoticeLevel::kError, "descriptors", "standard input or output cannot be used");
    return kExitCannotRun;
  }
  int exit_code = kExitOk;
  {
    Runner runner(options, std::move(child.value()), std::move(signals.value()), std::move(epoll));
    exit_code = runner.Run();
  }
  (void)::fcntl(options.client_out, F_SETFL, old_flags);  // others may share what we write to
  return exit_code;
}

}  // namespace interlock::runtime::mcp
