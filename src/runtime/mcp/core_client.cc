#include <algorithm>
#include <array>
#include <utility>

#include "core_impl.h"

namespace interlock::runtime::mcp {

using base::ErrorCode;
using base::JsonValue;
using base::Now;
using Stage = Request::Stage;
using What = Request::What;

namespace {

// Methods whose answers carry no text that an agent would act on; everything else that we do not know is text from
// outside.
bool IsPlumbing(std::string_view method) {
  static constexpr std::array<std::string_view, 7> kPlumbing = {
      "ping",         "logging/setLevel",    "resources/subscribe", "resources/unsubscribe", "completion/complete",
      "tasks/cancel", "subscriptions/listen"};
  return method.ends_with("/list") || std::find(kPlumbing.begin(), kPlumbing.end(), method) != kPlumbing.end();
}

std::optional<ListPart> PartOf(std::string_view method) {
  if (method == "prompts/list") return ListPart::kPrompts;
  if (method == "resources/list") return ListPart::kResources;
  if (method == "resources/templates/list") return ListPart::kResourceTemplates;
  return std::nullopt;
}

What WhatIs(std::string_view method) {
  if (method == "tools/call") return What::kCall;
  if (method == "tools/list") return What::kList;
  if (method == "initialize") return What::kInitialize;
  if (method == "server/discover") return What::kDiscover;
  if (PartOf(method).has_value()) return What::kEntries;
  return IsPlumbing(method) ? What::kOther : What::kContent;
}

// `{}` means forms, as it did before there was anything else; later clients name what they can show.
bool CanShowForms(JsonValue capabilities) {
  const JsonValue elicitation = capabilities.Find("elicitation");
  return elicitation.is_object() && (elicitation.size() == 0 || elicitation.Find("form").exists());
}

}  // namespace

void Request::Reset() {
  what = What::kOther;
  stage = Stage::kNew;
  modern = cancelled = list_tried = asked = waited = taken = strip = approved_once = is_rewritten = false;
  order = 0;
  key.clear();
  id.clear();
  params = {};
  arguments = {};
  tool.clear();
  bytes = 0;
  digest = {};
  carried = {};
  started = deadline = next_progress = {};
  row = 0;
  cursor.clear();
  epoch = 0;
  elicitation.clear();
  scope = {};
  next_poll = {};
  approval.clear();
  approval_note.clear();
  overtaken = 0;
  progress = 0;
}

void ProxyCore::Impl::ReplyError(std::string_view id, int code, std::string_view message, std::string_view data) {
  scratch_.clear();
  AppendError(scratch_, id, code, message, data);
  SendClient(scratch_);
}

void ProxyCore::Impl::ClientLine(std::string_view line, Now now, bool in_batch) {
  if (client_gone_ || finished_ || IsBlank(line)) return;
  if (!line.ends_with('\n')) {
    line_scratch_.assign(line);
    line_scratch_ += '\n';
    line = line_scratch_;
  }
  ++counters_.client_lines;
  Message message;
  const base::Status read = client_reader_.Read(line, client_doc_, message);
  if (!read.ok()) {
    ClientGarbage(read.error(), message, now);
    return;
  }
  if (message.kind != MessageKind::kBatch) {
    ClientMessage(message, line, now);
    return;
  }
  // Batches exist in one revision only. Its members go on one by one, each with its own bytes: a peer must take single
  // messages anyway, and each is decided by itself.
  if (in_batch || protocol_ != "2025-03-26") {
    ClientGarbage(base::Error(ErrorCode::kMcpBatch, "batches are not part of this protocol version"), message, now);
    return;
  }
  std::vector<std::string> members;
  members.reserve(message.root.size());
  for (const JsonValue member : message.root) members.push_back(std::string(member.raw()) + '\n');
  for (const std::string& member : members) ClientLine(member, now, true);
}

void ProxyCore::Impl::ClientGarbage(const base::Error& error, const Message& message, Now now) {
  ++counters_.client_garbage;
  SayRarely(counters_.client_garbage, NoticeLevel::kWarning, "client-garbage", error.ToString(), now);
  if (message.result.exists() || message.error.exists()) return;  // a broken response is nobody's question
  const bool has_id =
      (message.id.is_string() || message.id.is_number()) && message.id.raw().size() <= options_.codec.max_id_bytes;
  const bool is_json = error.code() == ErrorCode::kMcpFraming || error.code() == ErrorCode::kMcpBatch;
  ReplyError(has_id ? message.id.raw() : std::string_view{}, is_json ? -32600 : -32700,
             "interlock: " + error.ToString());
}

void ProxyCore::Impl::ClientMessage(const Message& message, std::string_view line, Now now) {
  switch (message.kind) {
    case MessageKind::kRequest:
      ClientRequest(message, line, now);
      return;
    case MessageKind::kNotification:
      ClientNotification(message, line, now);
      return;
    case MessageKind::kResult:
    case MessageKind::kError:
      ClientResponse(message, line, now);
      return;
    case MessageKind::kBatch:
      return;
  }
}

void ProxyCore::Impl::ClientResponse(const Message& message, std::string_view line, Now now) {
  const std::string_view id = message.id.string();
  if (!id.starts_with(options_.to_client_prefix)) {
    if (!server_gone_) SendServer(line);
    return;
  }
  const auto question = questions_.find(id);
  if (question == questions_.end()) return;  // answered, cancelled or timed out before
  const auto open = open_.find(question->second);
  questions_.erase(question);
  INTERLOCK_CHECK(open != open_.end(), "a question is dropped with its request");
  Request& request = *open->second;
  request.elicitation.clear();
  // An error means that the client cannot ask after all: nobody agreed.
  Answered(request, message.kind == MessageKind::kResult ? ReadAnswer(message.result) : Answer::kDeclined, now);
}

void ProxyCore::Impl::ClientNotification(const Message& message, std::string_view line, Now now) {
  if (message.method == "tools/call") {
    // Some servers run a call whether or not it wants an answer.
    ++counters_.calls_without_id;
    SayRarely(counters_.calls_without_id, NoticeLevel::kWarning, "call-without-id",
              "a tools/call without an id was dropped", now);
    return;
  }
  if (server_gone_) return;
  if (message.method == "notifications/cancelled") {
    Cancel(message, line, now);
    return;
  }
  SendServer(line);
  if (message.method == "notifications/initialized") {
    initialized_ = true;
    if (own_list_.wanted && !own_list_.active) SendOwnList(now);
  }
}

void ProxyCore::Impl::DropQuestion(Request& request, std::string_view why) {
  if (request.elicitation.empty()) return;
  questions_.erase(request.elicitation);
  scratch_.clear();
  base::JsonWriter w(scratch_);
  w.BeginObject().Key("jsonrpc").String("2.0").Key("method").String("notifications/cancelled").Key("params");
  w.BeginObject().Key("requestId").String(request.elicitation).Key("reason").String(why).EndObject().EndObject();
  scratch_ += '\n';
  SendClient(scratch_);
  request.elicitation.clear();
}

void ProxyCore::Impl::Cancel(const Message& message, std::string_view line, Now now) {
  const auto it = open_.find(IdKey(message.params.Find("requestId")));
  if (it == open_.end()) {
    SendServer(line);
    return;
  }
  Request& request = *it->second;
  if (request.stage == Stage::kForwarded) {
    request.cancelled = true;
    request.deadline = {};
    SendServer(line);
    return;
  }
  // The server has never heard of it, and the protocol wants no answer to a cancelled request.
  DropQuestion(request, "the call was cancelled");
  audit::Record record = BaseRecord(audit::Kind::kNotice, now);
  record.tool = request.tool;
  record.call = request.id;
  record.name = "cancelled";
  record.text = "cancelled by the client while it waited";
  std::uint64_t row = 0;
  (void)Append(record, false, row).ok();
  Close(request);
}

Request& ProxyCore::Impl::OpenRequest(const Message& message, std::string key) {
  std::unique_ptr<Request> request;
  if (free_.empty()) {
    request = std::make_unique<Request>();
  } else {
    request = std::move(free_.back());
    free_.pop_back();
  }
  request->order = next_order_++;
  request->key = key;
  request->id.assign(message.id.raw());
  Request& out = *request;
  open_.emplace(std::move(key), std::move(request));
  return out;
}

void ProxyCore::Impl::Close(Request& request) {
  constexpr std::size_t kKeepFree = 16;
  constexpr std::size_t kKeepBytes = std::size_t{64} << 10;
  const auto it = open_.find(request.key);
  INTERLOCK_CHECK(it != open_.end(), "an open request is in the table");
  std::unique_ptr<Request> owned = std::move(it->second);
  open_.erase(it);
  inflight_bytes_ -= owned->bytes;
  if (!owned->elicitation.empty()) questions_.erase(owned->elicitation);
  if (free_.size() >= kKeepFree || owned->bytes > kKeepBytes) return;
  owned->Reset();
  free_.push_back(std::move(owned));
}

void ProxyCore::Impl::ClientRequest(const Message& message, std::string_view line, Now now) {
  const What what = WhatIs(message.method);
  if (server_gone_ || stopping_) {
    ReplyError(message.id.raw(), kErrorUpstreamGone, "interlock: the server has ended");
    return;
  }
  std::string key = IdKey(message.id);
  if (open_.contains(key) || message.id.string().starts_with(options_.to_server_prefix)) {
    ++counters_.client_garbage;
    SayRarely(counters_.client_garbage, NoticeLevel::kWarning, "duplicate-id", "a request id was used twice", now);
    ReplyError(message.id.raw(), -32600, "interlock: a request with this id is open already");
    return;
  }
  const bool keeps_message = what == What::kCall || what == What::kContent;
  const std::size_t cost = keeps_message ? line.size() * 4 : 0;  // the text and its parsed form
  if (open_.size() >= options_.max_open_requests) {
    // An abandoned request must not hold a place for ever.
    auto oldest = open_.end();
    for (auto it = open_.begin(); it != open_.end(); ++it) {
      if (it->second->cancelled && (oldest == open_.end() || it->second->order < oldest->second->order)) oldest = it;
    }
    if (oldest != open_.end()) Close(*oldest->second);
  }
  const bool overloaded = open_.size() >= options_.max_open_requests || cost > options_.max_inflight_bytes ||
                          inflight_bytes_ > options_.max_inflight_bytes - cost;
  Request& request = OpenRequest(message, std::move(key));
  request.what = what;
  request.started = now.mono;
  const JsonValue meta = message.params.Find("_meta");
  request.modern = meta.Find(kMetaVersion).is_string();
  if (overloaded) {
    if (what == What::kCall) {
      request.tool = message.params.Find("name").string();
      ++counters_.calls;
      Refuse(request, gate::FailClosed(core::Reason::kOverloaded, "too much is in flight already; try again later"),
             core::Enforcement::kFailed, now);
    } else {
      ReplyError(request.id, kErrorOverloaded, "interlock: too much is in flight already; try again later");
      Close(request);
    }
    return;
  }
  switch (what) {
    case What::kCall:
      request.bytes = cost;
      inflight_bytes_ += cost;
      request.params = message.params;
      std::swap(request.doc, client_doc_);
      StartCall(request, now);
      return;
    case What::kContent: {
      request.bytes = cost;
      inflight_bytes_ += cost;
      request.params = message.params;
      request.arguments = message.params;
      request.tool = message.method;
      if (message.method.starts_with("tasks/")) {
        // What a task brings back is its tool's answer.
        const auto task = tasks_.find(std::string(message.params.Find("taskId").string()));
        if (task != tasks_.end()) {
          request.tool = task->second;
          request.arguments = {};
        }
      }
      std::swap(request.doc, client_doc_);
      if (RefusesContent(request, message.method, now)) return;
      break;
    }
    case What::kEntries:
      request.part = PartOf(message.method).value_or(ListPart::kPrompts);
      break;
    case What::kList:
      request.cursor = message.params.Find("cursor").string();
      request.epoch = book_.epoch();
      break;
    case What::kInitialize:
      client_elicits_ = CanShowForms(message.params.Find("capabilities"));
      break;
    case What::kDiscover:
    case What::kOther:
      break;
  }
  request.stage = Stage::kForwarded;
  SendServer(what == What::kContent ? request.doc.bytes() : line);
}

bool ProxyCore::Impl::RefusesContent(Request& request, std::string_view method, Now now) {
  const bool prompt = method == "prompts/get";
  if (!prompt && method != "resources/read") return false;
  const std::string_view name = request.params.Find(prompt ? "name" : "uri").string();
  if (!book_.Withholds(prompt ? ListPart::kPrompts : ListPart::kResources, name)) return false;
  const std::string text = "interlock: the scanner holds back what " + QuotedTool(name) + " says of itself";
  AuditNotice("scan-refused", text, now);
  if (policy_->profile().shadow) return false;
  ++counters_.withheld;
  ReplyError(request.id, kErrorRefused, text);
  Close(request);
  return true;
}

}  // namespace interlock::runtime::mcp
