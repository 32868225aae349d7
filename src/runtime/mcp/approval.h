// Asking a person through the client: the form, the answer, and the ticket (`requestState`) that ties a modern client's
// retry to the exact call that was shown. Private to the module; sans-IO.
//
// A ticket is good once, in this process, until it expires on either clock, for one call digest, one policy, one tool
// definition and one principal. It is MACed, so that a client (or whoever writes through it) cannot make one; what the
// original request itself carried for the server (its requestState, its inputResponses) travels inside.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/base/clock.h"
#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/base/result.h"

namespace interlock::runtime::mcp {

inline constexpr std::string_view kApprovalKey = "interlock.approval";

enum class Answer : std::uint8_t { kOnce, kSession, kDeclined };

// What a person is asked, as params of elicitation/create. `with_mode` adds `mode: "form"` (2025-11-25 and later).
[[nodiscard]] std::string ApprovalParams(std::string_view message, bool with_mode);
// An ElicitResult. Anything but a clear yes is a no.
[[nodiscard]] Answer ReadAnswer(base::JsonValue elicit_result);

// What a ticket is good for.
struct TicketScope {
  base::Digest call;
  base::Digest policy;
  base::Digest definition;
  base::Digest preconditions;  // of the results that the tool's preconditions rest on
  std::string principal;
};

// What the original request carried for the server, raw JSON, empty when nothing.
struct Carried {
  std::string request_state;
  std::string input_responses;
};

class TicketDesk {
 public:
  explicit TicketDesk(const std::array<std::uint8_t, 32>& secret) : secret_(secret) {}

  // kLimitExceeded when `carried` is too large to travel.
  [[nodiscard]] base::Result<std::string> Issue(const TicketScope& scope, const Carried& carried, base::Now now,
                                                std::int64_t ttl_us);
  [[nodiscard]] static bool LooksLikeTicket(std::string_view state) noexcept;
  // Takes the ticket out of use, whatever the answer. kInvalidArgument with what is wrong about it.
  [[nodiscard]] base::Result<Carried> Redeem(std::string_view ticket, const TicketScope& scope, base::Now now);

  [[nodiscard]] std::size_t outstanding() const noexcept { return outstanding_.size(); }

 private:
  [[nodiscard]] std::string Mac(std::string_view payload) const;

  std::array<std::uint8_t, 32> secret_;
  std::uint64_t next_nonce_ = 1;
  std::map<std::uint64_t, base::MonoTime> outstanding_;  // by nonce, ascending: the oldest goes first when full
};

}  // namespace interlock::runtime::mcp
