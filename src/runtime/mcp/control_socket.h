// The session socket: a unix socket (0600, same user only) on which the host tells the proxy what MCP cannot carry.
// Private to the module. One JSON object a line in, one out:
//
//   {"request": "Summarise the report"}      the user's words
//   {"fact": {"channel": "alert", "value": {...}}}   what the policy's bindings call a fact
//   {"impact": {"severity": "SEV1", "rate": 0.4, "for_s": 120}}   how bad the incident is; null: it is over
//   {"labels": ["private"]}                  labels the session has earned elsewhere
//   {"session": "task-17"}                   before the first call: join this session
//   {"approve": "<call digest>", "scope": "once" | "session"}   a call that was refused because nobody could be asked
//   {"status": true}                         counters
//
// Whoever can open the socket can approve: keep it out of reach of the agent's own tools.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/platform/fd.h"
#include "interlock/runtime/mcp/codec.h"

namespace interlock::runtime::mcp {

class ControlSocket {
 public:
  using Handler = std::function<std::string(base::JsonValue)>;  // the answer's JSON, without line end

  // kIo when the path is taken by a living process or cannot be bound. A dead socket is replaced.
  [[nodiscard]] static base::Result<ControlSocket> Listen(const std::string& path);
  ControlSocket(ControlSocket&& other) noexcept;
  ControlSocket& operator=(ControlSocket&&) = delete;
  ~ControlSocket();  // removes the socket file

  [[nodiscard]] int fd() const noexcept { return listener_.get(); }
  // Takes one connection; the descriptor to watch, or -1.
  [[nodiscard]] int Accept();
  // Serves what has come in. False: the connection is over and closed.
  [[nodiscard]] bool Serve(int fd, const Handler& handler);
  [[nodiscard]] bool Owns(int fd) const;

 private:
  ControlSocket(platform::UniqueFd listener, std::string path)
      : listener_(std::move(listener)), path_(std::move(path)) {}
  struct Peer {
    platform::UniqueFd fd;
    LineFramer framer;
  };
  platform::UniqueFd listener_;
  std::string path_;
  std::vector<Peer> peers_;
};

}  // namespace interlock::runtime::mcp
