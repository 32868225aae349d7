#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "client_channel.h"
#include "interlock/platform/process.h"
#include "interlock/runtime/mcp/codec.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace interlock::runtime::mcp::internal {

namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::Result;
using base::Status;
using platform::Transfer;

constexpr std::size_t kStderrKept = 2048;
constexpr std::size_t kStderrShown = 300;
constexpr std::size_t kMaxQueuedReplies = 64;

// Ours, with what the configuration adds or replaces.
std::vector<std::string> EnvironmentOf(const ClientTarget& target) {
  std::vector<std::string> env;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    bool replaced = false;
    for (const auto& [name, value] : target.environment)
      replaced = replaced || (variable.starts_with(name) && variable.substr(name.size()).starts_with('='));
    if (!replaced) env.emplace_back(variable);
  }
  for (const auto& [name, value] : target.environment) env.push_back(name + "=" + value);
  return env;
}

class StdioChannel final : public ClientChannel {
 public:
  StdioChannel(platform::Process process, const ClientLimits& limits)
      : process_(std::move(process)),
        limits_(limits),
        framer_(limits.max_message_bytes),
        reader_({.max_line_bytes = limits.max_message_bytes, .max_depth = 256, .max_values = 1'000'000}) {}

  [[nodiscard]] Status Prepare() {
    for (const int fd : {process_.stdin_fd(), process_.stdout_fd(), process_.stderr_fd()})
      if (Status status = platform::SetNonBlocking(fd, true); !status.ok()) return status;
    return {};
  }

  Result<JsonDoc> Exchange(const ListerRequest& request, Deadline deadline) override {
    outgoing_ += request.body;
    outgoing_ += '\n';
    JsonDoc answer;
    for (;;) {
      // What has arrived is looked at before more is read.
      LineFramer::Frame frame;
      while (request.id != 0 && framer_.Next(frame)) {
        if (frame.too_long) return Error(ErrorCode::kMcpLineTooLong);
        const Result<bool> is_answer = Look(frame.line, request.id, answer);
        if (!is_answer.ok()) return is_answer.error();
        if (is_answer.value()) return answer;
      }
      if (request.id == 0 && outgoing_.empty()) return answer;
      if (closed_) return WithStderr(Error(ErrorCode::kMcpPeerClosed, "the server closed its output"));
      if (Status status = Move(deadline); !status.ok()) return status.error();
    }
  }

  void Close(Deadline deadline) override {
    process_.CloseStdin();
    const auto end = process_.WaitFor(TimeLeft(deadline));
    if (!end.ok() || !end.value().has_value()) (void)process_.Stop(std::chrono::milliseconds(500));
  }

 private:
  // Waits until something can be read or written, and does it.
  [[nodiscard]] Status Move(Deadline deadline) {
    std::array<pollfd, 3> fds = {
        pollfd{.fd = process_.stdout_fd(), .events = POLLIN, .revents = 0},
        pollfd{.fd = stderr_open_ ? process_.stderr_fd() : -1, .events = POLLIN, .revents = 0},
        pollfd{.fd = outgoing_.empty() ? -1 : process_.stdin_fd(), .events = POLLOUT, .revents = 0}};
    const auto left = TimeLeft(deadline);
    if (left.count() == 0) return WithStderr(Error(ErrorCode::kMcpTimeout));
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return platform::SystemError(errno, "wait for the server");
    if (ready <= 0) return {};
    if (fds[1].revents != 0) ReadStderr();
    if (fds[2].revents != 0) {
      const Result<Transfer> moved = platform::WriteSome(process_.stdin_fd(), outgoing_);
      if (!moved.ok() || moved.value().state == Transfer::State::kClosed) {
        if (fds[0].revents == 0) return WithStderr(Error(ErrorCode::kMcpPeerClosed, "the server closed its input"));
        outgoing_.clear();
      } else {
        outgoing_.erase(0, moved.value().bytes);
      }
    }
    if (fds[0].revents != 0) {
      const Result<Transfer> moved = platform::ReadSome(process_.stdout_fd(), framer_.Space());
      if (!moved.ok()) return moved.error();
      closed_ = moved.value().state == Transfer::State::kClosed;
      framer_.Filled(moved.value().bytes);
      received_ += moved.value().bytes;
      if (received_ > limits_.max_received_bytes)
        return Error(ErrorCode::kLimitExceeded, "the server sends without end");
    }
    return {};
  }

  // Whether the line is the response that is waited for.
  [[nodiscard]] Result<bool> Look(std::string_view line, std::uint64_t id, JsonDoc& doc) {
    // What servers print by mistake is passed over without a look: it may be very much.
    if (!line.starts_with('{') && !line.starts_with(' ') && !line.starts_with('[')) return false;
    Message message;
    const Status read = reader_.Read(line, doc, message);
    // A server's stray line is none of ours, but what looks like a message and is not must not pass for silence.
    if (!read.ok()) {
      const bool is_ours = doc.root().Find("id").AsInt64() == static_cast<std::int64_t>(id);
      if (is_ours || (line.starts_with("{") && read.error().code() != ErrorCode::kMcpFraming)) return read.error();
      return false;
    }
    if (message.kind == MessageKind::kRequest) {
      Answer(message);
      return false;
    }
    return (message.kind == MessageKind::kResult || message.kind == MessageKind::kError) &&
           message.id.AsInt64() == static_cast<std::int64_t>(id);
  }

  void Answer(const Message& message) {
    if (++replies_ > kMaxQueuedReplies) return;
    base::JsonWriter w(outgoing_);
    w.BeginObject().Key("jsonrpc").String("2.0").Key("id").Raw(message.id.raw());
    if (message.method == "ping") {
      w.Key("result").Raw("{}");
    } else {
      w.Key("error").Raw(R"({"code":-32601,"message":"not offered"})");
    }
    w.EndObject();
    outgoing_ += '\n';
  }

  void ReadStderr() {
    std::array<char, 4096> buffer;
    const Result<Transfer> moved = platform::ReadSome(process_.stderr_fd(), buffer);
    if (!moved.ok() || moved.value().state == Transfer::State::kClosed) {
      stderr_open_ = false;
      return;
    }
    received_ += moved.value().bytes;
    stderr_.append(buffer.data(), moved.value().bytes);
    if (stderr_.size() > kStderrKept) stderr_.erase(0, stderr_.size() - kStderrKept);
  }

  // The last words of a server that did not start tell why. Printable ones only: they go to a terminal.
  [[nodiscard]] Error WithStderr(const Error& error) {
    if (stderr_open_) ReadStderr();
    std::string words;
    for (const char c : stderr_) words += c >= ' ' && c <= '~' ? c : ' ';
    while (words.ends_with(' ')) words.pop_back();
    if (words.size() > kStderrShown) words.erase(0, words.size() - kStderrShown);
    if (words.empty()) return error;
    return Error(error.code(),
                 error.message() + (error.message().empty() ? "" : ": ") + "its last words: `" + words + "`");
  }

  platform::Process process_;
  ClientLimits limits_;
  LineFramer framer_;
  MessageReader reader_;
  std::string outgoing_;
  std::string stderr_;
  std::uint64_t received_ = 0;
  std::size_t replies_ = 0;
  bool closed_ = false;
  bool stderr_open_ = true;
};

}  // namespace

Result<std::unique_ptr<ClientChannel>> OpenStdioChannel(const ClientTarget& target, const ClientLimits& limits) {
  auto process = platform::Spawn({.argv = target.command,
                                  .env = EnvironmentOf(target),
                                  .cwd = target.cwd,
                                  .stdin_mode = platform::Stdio::kPipe,
                                  .stdout_mode = platform::Stdio::kPipe,
                                  .stderr_mode = platform::Stdio::kPipe});
  if (!process.ok()) return process.error();
  auto channel = std::make_unique<StdioChannel>(std::move(process.value()), limits);
  if (const Status status = channel->Prepare(); !status.ok()) return status.error();
  return std::unique_ptr<ClientChannel>(std::move(channel));
}

}  // namespace interlock::runtime::mcp::internal
