// What a server offers, asked for page by page: the client's side of MCP for scans, sans-IO, for both eras.
//
//   ServerLister lister(Era::kAuto, limits);
//   ListerRequest request;
//   while (lister.Next(request)) {
//     send request.body;
//     if (request.id == 0) continue;                       // a notification
//     on the response with that id: lister.OnAnswer(doc);  // whole message, result or error
//     on anything else:             lister.OnFailure(error);
//   }
//   Result<ServerListing> listing = lister.Finish();
//
// kAuto asks `server/discover` first, as hosts of today do, and falls back to `initialize` on an error or silence; a
// server that ends at the unknown method is to be started again (`restart`). Then all pages of tools, prompts,
// resources and resource templates. No tool is called. Total on any answer. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/result.h"

namespace interlock::runtime::mcp {

enum class Era : std::uint8_t { kAuto, kLegacy, kModern };

struct ListerLimits {
  std::uint32_t max_pages = 1000;                             // of all lists
  std::uint32_t max_entries = 20'000;                         // of all lists
  std::uint64_t max_listing_bytes = std::uint64_t{32} << 20;  // of the listing that comes out
  std::chrono::milliseconds probe_wait{5000};                 // for the first answer, before the other era is tried
  std::chrono::milliseconds start_wait{45'000};               // for the handshake: servers install themselves first
  std::chrono::milliseconds page_wait{15'000};                // for one page
  std::chrono::milliseconds undeclared_wait{3000};            // for a list that the server does not say it has
};

struct ListerRequest {
  std::uint64_t id = 0;               // 0: a notification, nothing comes back
  std::string method;                 // for the header of the modern era
  std::string body;                   // the message, one line without its end
  std::string version;                // for the header MCP-Protocol-Version; "": none before it is agreed
  std::chrono::milliseconds wait{0};  // how long to wait for the answer
  bool modern = false;                // of the stateless era: no session id
  bool restart = false;               // start the server anew before this is sent
};

// A list that is not whole, and why.
struct ListProblem {
  std::string list;  // "tools" "prompts" "resources" "resourceTemplates"
  base::Error error;
};

struct ServerListing {
  std::string json;      // interlock.mcp-listing/v1, see core/package.h
  std::string protocol;  // version agreed
  bool modern = false;
  std::uint32_t entries = 0;
  std::vector<ListProblem> problems;
};

class ServerLister {
 public:
  explicit ServerLister(Era era, const ListerLimits& limits = {});

  // The next message to send, or false when there is none. Only after the last one was answered or failed.
  [[nodiscard]] bool Next(ListerRequest& request);
  void OnAnswer(const base::JsonDoc& doc);
  // kMcpPeerClosed ends the listing (but not the probe of kAuto); others end the list they belong to.
  void OnFailure(const base::Error& error);

  // Once Next said false. The error of the handshake when there was no agreement.
  [[nodiscard]] base::Result<ServerListing> Finish();

 private:
  enum class State : std::uint8_t { kDiscover, kInitialize, kDiscoverAgain, kInitialized, kList, kDone };

  void Handshaken(base::JsonValue result, bool modern);
  void OnPage(base::JsonValue result);
  void NextList();
  void Problem(base::Error error);
  [[nodiscard]] std::string Body(std::uint64_t id, std::string_view method, std::string_view members) const;

  Era era_;
  ListerLimits limits_;
  State state_;
  bool modern_ = false;
  bool restart_ = false;
  std::uint64_t next_id_ = 1;
  std::string protocol_;
  std::string server_ = {};        // raw JSON
  std::string instructions_ = {};  // raw JSON
  std::string capabilities_ = {};  // raw JSON
  std::vector<bool> declared_;
  std::size_t list_ = 0;
  std::string cursor_;                // raw JSON; "": the first page
  std::vector<std::string> entries_;  // raw JSON of each list, comma separated
  std::uint32_t pages_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<ListProblem> problems_;
  std::vector<base::Error> failure_;  // of the handshake: at most one
};

}  // namespace interlock::runtime::mcp
