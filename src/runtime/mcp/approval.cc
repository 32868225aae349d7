#include "approval.h"

#include <sodium.h>

#include <cstring>
#include <utility>

namespace interlock::runtime::mcp {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::JsonWriter;

constexpr std::string_view kPrefix = "interlock.v1.";
constexpr std::size_t kMaxOutstanding = 1024;
constexpr std::size_t kMaxCarried = std::size_t{256} << 10;
constexpr std::size_t kMacBytes = 32;

void AppendU64(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xff);
}

void AppendDigest(std::string& out, const base::Digest& digest) {
  out.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
}

// Reads a payload front to back; `ok` turns false when it ends too early.
struct Reader {
  std::string_view rest;
  bool ok = true;

  std::string_view Take(std::size_t n) {
    if (rest.size() < n) {
      ok = false;
      return {};
    }
    const std::string_view out = rest.substr(0, n);
    rest.remove_prefix(n);
    return out;
  }
  std::uint64_t U64() {
    std::uint64_t value = 0;
    for (const char c : Take(8)) value = (value << 8) | static_cast<unsigned char>(c);
    return value;
  }
  base::Digest Digest() {
    base::Digest digest;
    const std::string_view bytes = Take(digest.bytes.size());
    if (ok) std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
    return digest;
  }
};

Error Refused(std::string_view why) { return Error(ErrorCode::kInvalidArgument, std::string(why)); }

}  // namespace

std::string ApprovalParams(std::string_view message, bool with_mode) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject();
  if (with_mode) w.Key("mode").String("form");
  w.Key("message").String(message);
  w.Key("requestedSchema").BeginObject().Key("type").String("object").Key("properties").BeginObject();
  w.Key("decision").BeginObject();
  w.Key("type").String("string");
  w.Key("title").String("Decision");
  w.Key("description")
      .String("once: this exact call, now. session: this exact call, as often as it comes up, for a while. deny: no");
  w.Key("enum").BeginArray().String("once").String("session").String("deny").EndArray();
  w.EndObject().EndObject();
  w.Key("required").BeginArray().String("decision").EndArray();
  w.EndObject().EndObject();
  return out;
}

Answer ReadAnswer(JsonValue elicit_result) {
  if (elicit_result.Find("action").string() != "accept") return Answer::kDeclined;
  const std::string_view decision = elicit_result.Find("content").Find("decision").string();
  if (decision == "once") return Answer::kOnce;
  if (decision == "session") return Answer::kSession;
  return Answer::kDeclined;
}

std::string TicketDesk::Mac(std::string_view payload) const {
  std::string mac(kMacBytes, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(mac.data()), mac.size(),
                     reinterpret_cast<const unsigned char*>(payload.data()), payload.size(), secret_.data(),
                     secret_.size());
  return mac;
}

base::Result<std::string> TicketDesk::Issue(const TicketScope& scope, const Carried& carried, base::Now now,
                                            std::int64_t ttl_us) {
  if (carried.request_state.size() + carried.input_responses.size() > kMaxCarried) {
    return Error(ErrorCode::kLimitExceeded, "the request's own state is too large to carry through an approval");
  }
  const std::uint64_t nonce = next_nonce_++;
  std::string payload;
  AppendU64(payload, nonce);
  AppendDigest(payload, scope.call);
  AppendDigest(payload, scope.policy);
  AppendDigest(payload, scope.definition);
  AppendDigest(payload, scope.preconditions);
  AppendDigest(payload, base::Sha256(scope.principal));
  AppendU64(payload, static_cast<std::uint64_t>(now.wall.us));
  AppendU64(payload, static_cast<std::uint64_t>(now.wall.us + ttl_us));
  AppendU64(payload, static_cast<std::uint64_t>(now.mono.us + ttl_us));
  AppendU64(payload, carried.request_state.size());
  payload += carried.request_state;
  payload += carried.input_responses;
  payload += Mac(payload);

  std::erase_if(outstanding_, [&](const auto& entry) { return entry.second <= now.mono; });
  if (outstanding_.size() >= kMaxOutstanding) outstanding_.erase(outstanding_.begin());
  outstanding_[nonce] = base::MonoTime{now.mono.us + ttl_us};

  std::string encoded(sodium_base64_encoded_len(payload.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING), '\0');
  sodium_bin2base64(encoded.data(), encoded.size(), reinterpret_cast<const unsigned char*>(payload.data()),
                    payload.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  encoded.pop_back();  // the NUL that sodium writes
  return std::string(kPrefix) + encoded;
}

bool TicketDesk::LooksLikeTicket(std::string_view state) noexcept { return state.starts_with(kPrefix); }

base::Result<Carried> TicketDesk::Redeem(std::string_view ticket, const TicketScope& scope, base::Now now) {
  if (!LooksLikeTicket(ticket) || ticket.size() > 2 * kMaxCarried + 1024) return Refused("it is not one of ours");
  ticket.remove_prefix(kPrefix.size());
  std::string payload(ticket.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(payload.data()), payload.size(), ticket.data(), ticket.size(),
                        nullptr, &size, nullptr, sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
      size < kMacBytes) {
    return Refused("it is damaged");
  }
  payload.resize(size);
  const std::string_view body = std::string_view(payload).substr(0, size - kMacBytes);
  const std::string mac = Mac(body);
  if (sodium_memcmp(mac.data(), payload.data() + body.size(), kMacBytes) != 0) return Refused("it is not one of ours");

  Reader reader{body};
  const std::uint64_t nonce = reader.U64();
  if (outstanding_.erase(nonce) == 0) return Refused("it was used already, or too many were asked for since");
  const base::Digest call = reader.Digest();
  const base::Digest policy = reader.Digest();
  const base::Digest definition = reader.Digest();
  const base::Digest preconditions = reader.Digest();
  const base::Digest principal = reader.Digest();
  const auto given_wall = static_cast<std::int64_t>(reader.U64());
  const auto expires_wall = static_cast<std::int64_t>(reader.U64());
  const auto expires_mono = static_cast<std::int64_t>(reader.U64());
  const std::uint64_t state_bytes = reader.U64();
  Carried carried;
  carried.request_state = std::string(reader.Take(state_bytes));
  carried.input_responses = std::string(reader.rest);
  INTERLOCK_CHECK(reader.ok, "what carries our MAC was written by Issue");
  if (now.mono.us >= expires_mono || now.wall.us >= expires_wall || now.wall.us < given_wall) {
    return Refused("it has expired");
  }
  if (call != scope.call) return Refused("the call is not the one that was shown");
  if (policy != scope.policy) return Refused("the policy has changed since");
  if (definition != scope.definition) return Refused("the tool's definition has changed since");
  if (preconditions != scope.preconditions) return Refused("what its preconditions rest on has changed since");
  if (principal != base::Sha256(scope.principal)) return Refused("it belongs to somebody else");
  return carried;
}

}  // namespace interlock::runtime::mcp
