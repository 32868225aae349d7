#include "interlock/runtime/mcp/lister.h"

#include <algorithm>
#include <array>
#include <utility>

namespace interlock::runtime::mcp {

namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;

constexpr std::string_view kModernVersion = "2026-07-28";
constexpr std::string_view kLegacyVersion = "2025-11-25";
constexpr std::int64_t kMethodNotFound = -32601;

struct ListKind {
  std::string_view method;
  std::string_view key;         // of the entries in a page, and in the listing
  std::string_view capability;  // that announces it
};
constexpr std::array kLists = {ListKind{"tools/list", "tools", "tools"}, ListKind{"prompts/list", "prompts", "prompts"},
                               ListKind{"resources/list", "resources", "resources"},
                               ListKind{"resources/templates/list", "resourceTemplates", "resources"}};

// The server's own words about an error are its text: quoted, and not at length.
Error ServerError(JsonValue error, std::string_view method) {
  constexpr std::size_t kMaxWords = 200;
  std::string message = std::string(method) + " was answered by error ";
  message += error.Find("code").is_number() ? error.Find("code").number_text() : "without a code";
  const std::string_view words = error.Find("message").string();
  if (!words.empty()) message += ": `" + std::string(words.substr(0, kMaxWords)) + "`";
  return Error(ErrorCode::kMcpFraming, std::move(message));
}

}  // namespace

ServerLister::ServerLister(Era era, const ListerLimits& limits)
    : era_(era),
      limits_(limits),
      state_(era == Era::kLegacy ? State::kInitialize : State::kDiscover),
      declared_(kLists.size(), false),
      entries_(kLists.size()) {}

std::string ServerLister::Body(std::uint64_t id, std::string_view method, std::string_view members) const {
  std::string body;
  base::JsonWriter w(body);
  w.BeginObject().Key("jsonrpc").String("2.0");
  if (id != 0) w.Key("id").Uint(id);
  std::string params;
  if (state_ == State::kDiscover || state_ == State::kDiscoverAgain || modern_) {
    params = R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + std::string(kModernVersion) +
             R"(","io.modelcontextprotocol/clientInfo":{"name":"interlock","version":"1"},)"
             R"("io.modelcontextprotocol/clientCapabilities":{}})";
  }
  if (!params.empty() && !members.empty()) params += ",";
  params += members;
  w.Key("method").String(method);
  if (id != 0 || !params.empty()) w.Key("params").Raw("{" + params + "}");
  w.EndObject();
  return body;
}

bool ServerLister::Next(ListerRequest& request) {
  request = {};
  request.restart = std::exchange(restart_, false);
  switch (state_) {
    case State::kDone:
      return false;
    case State::kDiscover:
    case State::kDiscoverAgain:
      request.id = next_id_++;
      request.method = "server/discover";
      request.body = Body(request.id, request.method, "");
      request.version = kModernVersion;
      request.modern = true;
      request.wait = era_ == Era::kAuto && state_ == State::kDiscover ? limits_.probe_wait : limits_.start_wait;
      return true;
    case State::kInitialize:
      request.id = next_id_++;
      request.method = "initialize";
      request.body = Body(request.id, request.method,
                          R"("protocolVersion":")" + std::string(kLegacyVersion) +
                              R"(","capabilities":{},"clientInfo":{"name":"interlock","version":"1"})");
      request.wait = limits_.start_wait;
      return true;
    case State::kInitialized:
      request.method = "notifications/initialized";
      request.body = Body(0, request.method, "");
      request.version = protocol_;
      request.wait = limits_.page_wait;
      state_ = State::kList;
      return true;
    case State::kList:
      request.id = next_id_++;
      request.method = kLists[list_].method;
      request.body = Body(request.id, request.method, cursor_.empty() ? "" : "\"cursor\":" + cursor_);
      request.version = protocol_;
      request.modern = modern_;
      request.wait = declared_[list_] ? limits_.page_wait : limits_.undeclared_wait;
      return true;
  }
  return false;
}

void ServerLister::Handshaken(JsonValue result, bool modern) {
  modern_ = modern;
  protocol_ = modern ? std::string(kModernVersion) : std::string(result.Find("protocolVersion").string());
  JsonValue server = result.Find("_meta").Find("io.modelcontextprotocol/serverInfo");
  if (!server.is_object()) server = result.Find("serverInfo");
  if (server.is_object()) server_ = server.raw();
  if (result.Find("instructions").is_string()) instructions_ = result.Find("instructions").raw();
  const JsonValue capabilities = result.Find("capabilities");
  if (capabilities.is_object()) capabilities_ = capabilities.raw();
  for (std::size_t i = 0; i < kLists.size(); ++i) declared_[i] = capabilities.Find(kLists[i].capability).is_object();
  bytes_ = server_.size() + instructions_.size() + capabilities_.size();
  state_ = modern ? State::kList : State::kInitialized;
}

void ServerLister::OnAnswer(const base::JsonDoc& doc) {
  const JsonValue result = doc.root().Find("result");
  const JsonValue error = doc.root().Find("error");
  switch (state_) {
    case State::kDone:
    case State::kInitialized:
      return;
    case State::kDiscover:
    case State::kDiscoverAgain:
      // A proxy's or a careless server's answer to anything is no agreement.
      if (result.Find("capabilities").is_object() || result.Find("supportedVersions").is_array())
        return Handshaken(result, true);
      return OnFailure(error.exists() ? ServerError(error, "server/discover")
                                      : Error(ErrorCode::kMcpFraming, "server/discover has no capabilities"));
    case State::kInitialize:
      if (result.Find("protocolVersion").is_string()) return Handshaken(result, false);
      if (failure_.empty())
        failure_.push_back(error.exists() ? ServerError(error, "initialize")
                                          : Error(ErrorCode::kMcpFraming, "initialize has no protocolVersion"));
      // The probe may have been too early for a server that was still starting.
      state_ = era_ == Era::kAuto ? State::kDiscoverAgain : State::kDone;
      return;
    case State::kList:
      if (result.is_object()) return OnPage(result);
      if (error.Find("code").AsInt64() == kMethodNotFound && (!declared_[list_] || list_ + 1 == kLists.size()))
        return NextList();
      return OnFailure(error.exists() ? ServerError(error, kLists[list_].method)
                                      : Error(ErrorCode::kMcpFraming, "neither result nor error"));
  }
}

void ServerLister::OnFailure(const Error& error) {
  const bool closed = error.code() == ErrorCode::kMcpPeerClosed;
  switch (state_) {
    case State::kDone:
    case State::kInitialized:
      return;
    case State::kDiscover:
      if (era_ == Era::kAuto) {
        restart_ = closed;
        state_ = State::kInitialize;
        return;
      }
      [[fallthrough]];
    case State::kInitialize:
    case State::kDiscoverAgain:
      if (failure_.empty()) failure_.push_back(error);
      state_ = State::kDone;
      return;
    case State::kList:
      if (closed) {
        for (; list_ < kLists.size(); ++list_)
          if (declared_[list_]) Problem(error);
        state_ = State::kDone;
        return;
      }
      if (declared_[list_] || !cursor_.empty()) Problem(error);
      return NextList();
  }
}

void ServerLister::Problem(Error error) {
  problems_.push_back({.list = std::string(kLists[list_].key), .error = std::move(error)});
}

void ServerLister::NextList() {
  cursor_.clear();
  if (++list_ == kLists.size()) state_ = State::kDone;
}

void ServerLister::OnPage(JsonValue result) {
  const JsonValue entries = result.Find(kLists[list_].key);
  if (!entries.is_array()) {
    Problem(Error(ErrorCode::kMcpFraming, "no array of " + std::string(kLists[list_].key)));
    return NextList();
  }
  for (const JsonValue entry : entries) {
    const std::string_view raw = entry.raw();
    if (count_ >= limits_.max_entries ||
        raw.size() > limits_.max_listing_bytes - std::min(bytes_, limits_.max_listing_bytes)) {
      Problem(Error(ErrorCode::kLimitExceeded, count_ >= limits_.max_entries ? "too many entries" : "too many bytes"));
      return NextList();
    }
    std::string& into = entries_[list_];
    if (!into.empty()) into += ',';
    into += raw;
    ++count_;
    bytes_ += raw.size() + 1;
  }
  const JsonValue cursor = result.Find("nextCursor");
  if (!cursor.is_string()) return NextList();
  if (++pages_ >= limits_.max_pages) {
    Problem(Error(ErrorCode::kLimitExceeded, "too many pages"));
    return NextList();
  }
  if (cursor.raw() == cursor_) {
    Problem(Error(ErrorCode::kMcpFraming, "the next page is the same page"));
    return NextList();
  }
  cursor_ = cursor.raw();
}

base::Result<ServerListing> ServerLister::Finish() {
  if (protocol_.empty() && !failure_.empty()) return failure_.front();
  if (protocol_.empty()) return Error(ErrorCode::kMcpFraming, "no agreement on a protocol version");
  ServerListing listing;
  listing.protocol = protocol_;
  listing.modern = modern_;
  listing.entries = count_;
  listing.problems = std::move(problems_);
  base::JsonWriter w(listing.json);
  w.BeginObject().Key("schema").String("interlock.mcp-listing/v1");
  w.Key("server").Raw(server_.empty() ? "{}" : server_);
  w.Key("protocolVersion").String(protocol_);
  if (!instructions_.empty()) w.Key("instructions").Raw(instructions_);
  w.Key("capabilities").Raw(capabilities_.empty() ? "{}" : capabilities_);
  for (std::size_t i = 0; i < kLists.size(); ++i) w.Key(kLists[i].key).Raw("[" + entries_[i] + "]");
  w.EndObject();
  listing.json += '\n';
  return listing;
}

}  // namespace interlock::runtime::mcp
