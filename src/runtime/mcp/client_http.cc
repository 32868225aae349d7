#include <curl/curl.h>
#include <strings.h>

#include <optional>
#include <string>

#include "client_channel.h"
#include "interlock/platform/shared_library.h"
#include "interlock/runtime/mcp/codec.h"
#include "interlock/runtime/mcp/sse.h"

namespace interlock::runtime::mcp::internal {

namespace {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::Result;

constexpr std::size_t kMaxHeaderBytes = std::size_t{128} << 10;
constexpr std::size_t kMaxSessionId = 1024;

// libcurl's functions that are used here: it is loaded with the first server over HTTP, and brings 25 libraries with
// it.
struct Functions {
  decltype(::curl_easy_cleanup)* easy_cleanup = nullptr;
  decltype(::curl_easy_getinfo)* easy_getinfo = nullptr;
  decltype(::curl_easy_init)* easy_init = nullptr;
  decltype(::curl_easy_perform)* easy_perform = nullptr;
  decltype(::curl_easy_reset)* easy_reset = nullptr;
  decltype(::curl_easy_setopt)* easy_setopt = nullptr;
  decltype(::curl_easy_strerror)* easy_strerror = nullptr;
  decltype(::curl_global_init)* global_init = nullptr;
  decltype(::curl_slist_append)* slist_append = nullptr;
  decltype(::curl_slist_free_all)* slist_free_all = nullptr;

  // nullptr: it is not installed, or is another one than this was built with.
  static const Functions* Load() {
    static const std::optional<Functions> loaded = [] {
      Functions all;
      const platform::SharedLibrary library(INTERLOCK_LIBCURL);
      const bool complete =
          library.Take("curl_easy_cleanup", all.easy_cleanup) && library.Take("curl_easy_getinfo", all.easy_getinfo) &&
          library.Take("curl_easy_init", all.easy_init) && library.Take("curl_easy_perform", all.easy_perform) &&
          library.Take("curl_easy_reset", all.easy_reset) && library.Take("curl_easy_setopt", all.easy_setopt) &&
          library.Take("curl_easy_strerror", all.easy_strerror) && library.Take("curl_global_init", all.global_init) &&
          library.Take("curl_slist_append", all.slist_append) &&
          library.Take("curl_slist_free_all", all.slist_free_all) && all.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
      return complete ? std::optional(all) : std::nullopt;
    }();
    return loaded ? &*loaded : nullptr;
  }
};

// Asked only by a channel, which there is none of without them.
const Functions& Lib() { return *Functions::Load(); }

struct EasyCloser {
  void operator()(CURL* easy) const noexcept { Lib().easy_cleanup(easy); }
};
struct ListCloser {
  void operator()(curl_slist* list) const noexcept { Lib().slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListCloser>;

void Append(HeaderList& list, const std::string& line) {
  curl_slist* longer = Lib().slist_append(list.get(), line.c_str());
  if (longer == nullptr) return;
  (void)list.release();
  list.reset(longer);
}

bool IsHeaderText(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// One exchange's incoming side.
struct Incoming {
  Incoming(std::uint64_t id, const ClientLimits& limits, std::uint64_t& received)
      : wanted(id),
        max_message_bytes(limits.max_message_bytes),
        max_received_bytes(limits.max_received_bytes),
        total(received),
        events(limits.max_message_bytes),
        reader({.max_line_bytes = limits.max_message_bytes, .max_depth = 256, .max_values = 1'000'000}) {}

  std::uint64_t wanted;
  std::size_t max_message_bytes;
  std::uint64_t max_received_bytes;
  std::uint64_t& total;
  SseParser events;
  MessageReader reader;
  std::string body;
  std::string content_type;
  std::string session;
  std::size_t header_bytes = 0;
  bool answered = false;
  JsonDoc answer;
  std::vector<Error> problem;  // at most one

  [[nodiscard]] bool is_stream() const { return content_type.starts_with("text/event-stream"); }

  // False: nothing more is wanted.
  bool Take(std::string_view bytes) {
    total += bytes.size();
    if (total > max_received_bytes) return Fail(Error(ErrorCode::kLimitExceeded, "the server sends without end"));
    if (is_stream()) {
      const bool more = events.Push(bytes, [&](std::string_view data) { return Look(data); });
      if (events.too_long()) return Fail(Error(ErrorCode::kMcpLineTooLong));
      return more;
    }
    if (bytes.size() > max_message_bytes - std::min(max_message_bytes, body.size()))
      return Fail(Error(ErrorCode::kMcpLineTooLong));
    body += bytes;
    return true;
  }

  // A message; false when it is the one that is waited for, or unreadable.
  bool Look(std::string_view data) {
    // Streams that can be resumed begin with an event that says nothing.
    if (is_stream() && IsBlank(data)) return true;
    Message message;
    // The reader takes lines; JSON over HTTP may be laid out over many.
    auto parsed = JsonDoc::Parse(data, {.max_bytes = max_message_bytes, .max_depth = 256, .max_values = 1'000'000});
    if (!parsed.ok()) return Fail(parsed.error());
    if (const base::Status status = Classify(parsed.value().root(), reader.limits(), message); !status.ok())
      return Fail(status.error());
    const bool response = message.kind == MessageKind::kResult || message.kind == MessageKind::kError;
    const bool ours = message.id.AsInt64() == static_cast<std::int64_t>(wanted) ||
                      (message.kind == MessageKind::kError && !is_stream() && !message.id.exists()) ||
                      (message.kind == MessageKind::kError && !is_stream() && message.id.is_null());
    if (!response || !ours) return true;
    answer = std::move(parsed.value());
    answered = true;
    return false;
  }

  bool Fail(Error error) {
    if (problem.empty()) problem.push_back(std::move(error));
    return false;
  }
};

std::size_t OnBody(char* bytes, std::size_t size, std::size_t count, void* user) {
  auto& incoming = *static_cast<Incoming*>(user);
  return incoming.Take({bytes, size * count}) ? size * count : CURL_WRITEFUNC_ERROR;
}

std::size_t OnHeader(char* bytes, std::size_t size, std::size_t count, void* user) {
  auto& incoming = *static_cast<Incoming*>(user);
  std::string_view line(bytes, size * count);
  incoming.header_bytes += line.size();
  incoming.total += line.size();
  if (incoming.header_bytes > kMaxHeaderBytes) {
    (void)incoming.Fail(Error(ErrorCode::kLimitExceeded, "too many response headers"));
    return 0;
  }
  while (line.ends_with('\n') || line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    const auto is = [&](std::string_view name) {
      return colon == name.size() && ::strncasecmp(line.data(), name.data(), colon) == 0;
    };
    if (is("content-type")) {
      incoming.content_type.clear();
      for (const char c : value) incoming.content_type += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    if (is("mcp-session-id") && value.size() <= kMaxSessionId && IsHeaderText(value)) incoming.session = value;
  }
  return size * count;
}

class HttpChannel final : public ClientChannel {
 public:
  HttpChannel(const ClientTarget& target, const ClientLimits& limits) : target_(target), limits_(limits) {
    easy_.reset(Lib().easy_init());
  }

  [[nodiscard]] bool usable() const { return easy_ != nullptr; }

  Result<JsonDoc> Exchange(const ListerRequest& request, Deadline deadline) override {
    Incoming incoming(request.id, limits_, received_);
    HeaderList headers;
    Append(headers, "Content-Type: application/json");
    Append(headers, "Accept: application/json, text/event-stream");
    Append(headers, "Expect:");
    if (!request.version.empty()) Append(headers, "MCP-Protocol-Version: " + request.version);
    if (request.modern) Append(headers, "Mcp-Method: " + request.method);
    if (!request.modern && !session_.empty()) Append(headers, "Mcp-Session-Id: " + session_);
    for (const auto& [name, value] : target_.headers) Append(headers, name + ": " + value);
    CURL* easy = Prepare(incoming, headers, deadline);
    Lib().easy_setopt(easy, CURLOPT_POST, 1L);
    Lib().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    Lib().easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    const CURLcode rc = Lib().easy_perform(easy);
    long status = 0;
    Lib().easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (request.method == "initialize" && !incoming.session.empty()) session_ = incoming.session;
    if (!incoming.problem.empty()) return incoming.problem.front();
    if (!incoming.answered && rc != CURLE_OK) return TransportError(rc);
    if (incoming.answered) return std::move(incoming.answer);
    if (status >= 300 && status < 400)
      return Error(ErrorCode::kMcpHttp, "redirected with status " + std::to_string(status) + ", which is refused");
    if (request.id == 0) {
      if (status >= 200 && status < 300) return JsonDoc();
      return Error(ErrorCode::kMcpHttp, "status " + std::to_string(status));
    }
    const bool is_json = incoming.content_type.starts_with("application/json");
    if (is_json && !incoming.body.empty()) {
      const bool more = incoming.Look(incoming.body);
      if (incoming.answered) return std::move(incoming.answer);
      // An error page may well be JSON that is no message.
      if (!more && !incoming.problem.empty() && status < 300) return incoming.problem.front();
    }
    if (status < 200 || status >= 300) return Error(ErrorCode::kMcpHttp, "status " + std::to_string(status));
    if (incoming.is_stream()) return Error(ErrorCode::kMcpHttp, "the stream ended without the answer");
    return Error(ErrorCode::kMcpHttp, "an answer that is neither JSON nor an event stream");
  }

  void Close(Deadline deadline) override {
    if (session_.empty()) return;
    Incoming incoming(0, limits_, received_);
    HeaderList headers;
    Append(headers, "Mcp-Session-Id: " + session_);
    for (const auto& [name, value] : target_.headers) Append(headers, name + ": " + value);
    CURL* easy = Prepare(incoming, headers, deadline);
    Lib().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    (void)Lib().easy_perform(easy);  // servers may refuse; the session ends without it as well
  }

 private:
  [[nodiscard]] CURL* Prepare(Incoming& incoming, const HeaderList& headers, Deadline deadline) {
    CURL* easy = easy_.get();
    Lib().easy_reset(easy);  // keeps the connection
    const long left = static_cast<long>(std::max<std::chrono::milliseconds::rep>(1, TimeLeft(deadline).count()));
    Lib().easy_setopt(easy, CURLOPT_URL, target_.url.c_str());
    Lib().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    Lib().easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    Lib().easy_setopt(easy, CURLOPT_PROXY, "");
    Lib().easy_setopt(easy, CURLOPT_NOPROXY, "*");
    Lib().easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    Lib().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    Lib().easy_setopt(easy, CURLOPT_TIMEOUT_MS, left);
    Lib().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, std::min(left, 10'000L));
    Lib().easy_setopt(easy, CURLOPT_USERAGENT, "interlock");
    Lib().easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
    Lib().easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnBody);
    Lib().easy_setopt(easy, CURLOPT_WRITEDATA, &incoming);
    Lib().easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
    Lib().easy_setopt(easy, CURLOPT_HEADERDATA, &incoming);
    return easy;
  }

  [[nodiscard]] static Error TransportError(CURLcode rc) {
    const std::string words = Lib().easy_strerror(rc);
    switch (rc) {
      case CURLE_OPERATION_TIMEDOUT:
        return Error(ErrorCode::kMcpTimeout, words);
      case CURLE_COULDNT_CONNECT:
      case CURLE_COULDNT_RESOLVE_HOST:
        return Error(ErrorCode::kMcpPeerClosed, words);
      default:
        return Error(ErrorCode::kMcpHttp, words);
    }
  }

  ClientTarget target_;
  ClientLimits limits_;
  std::unique_ptr<CURL, EasyCloser> easy_;
  std::string session_;
  std::uint64_t received_ = 0;
};

}  // namespace

Result<std::unique_ptr<ClientChannel>> OpenHttpChannel(const ClientTarget& target, const ClientLimits& limits) {
  for (const auto& [name, value] : target.headers)
    if (name.empty() || !IsHeaderText(name) || !IsHeaderText(value) || name.find(':') != std::string::npos)
      return Error(ErrorCode::kInvalidArgument, "a header that is none");
  if (target.url.find('\0') != std::string::npos) return Error(ErrorCode::kInvalidArgument, "URL holds a NUL byte");
  if (Functions::Load() == nullptr) return Error(ErrorCode::kMcpHttp, "libcurl is not installed, or does not start");
  auto channel = std::make_unique<HttpChannel>(target, limits);
  if (!channel->usable()) return Error(ErrorCode::kMcpHttp, "libcurl does not start");
  return std::unique_ptr<ClientChannel>(std::move(channel));
}

}  // namespace interlock::runtime::mcp::internal
