#include <algorithm>
#include <array>
#include <utility>

#include "core_impl.h"

namespace interlock::runtime::mcp {

using base::JsonValue;
using base::Now;
using core::Decision;
using Stage = Request::Stage;
using What = Request::What;

namespace {

constexpr std::size_t kMaxTasks = 1024;
constexpr std::size_t kMaxContinuations = 256;

// A decision about the result speaks of results already; one about our own state speaks as if nothing had run.
std::string WithheldText(const Decision& decision, std::string_view tool) {
  if (decision.reason == core::Reason::kResultSuspicious || decision.reason == core::Reason::kResultMalformed) {
    return decision.Explain(tool);
  }
  std::string text = "Interlock withheld the result of " + QuotedTool(tool) + ": ";
  text += core::TextOf(decision.reason);
  return text + ". The call itself has run.";
}

}  // namespace

void ProxyCore::Impl::ServerLine(std::string_view line, Now now, bool in_batch) {
  if (server_gone_ || finished_ || IsBlank(line)) return;
  if (!line.ends_with('\n')) {
    line_scratch_.assign(line);
    line_scratch_ += '\n';
    line = line_scratch_;
  }
  ++counters_.server_lines;
  Message message;
  const base::Status read = server_reader_.Read(line, server_doc_, message);
  if (!read.ok()) {
    // Log lines on the wrong stream are common and harmless; a broken message may be the answer somebody waits for.
    ServerGarbage("server-garbage", read.error().ToString(), line.front() == '{', now);
    return;
  }
  if (message.kind != MessageKind::kBatch) {
    ServerMessage(message, line, now);
    return;
  }
  if (in_batch || protocol_ != "2025-03-26") {
    ServerGarbage("server-garbage", "batches are not part of this protocol version", true, now);
    return;
  }
  std::vector<std::string> members;
  members.reserve(message.root.size());
  for (const JsonValue member : message.root) members.push_back(std::string(member.raw()) + '\n');
  for (const std::string& member : members) ServerLine(member, now, true);
}

void ProxyCore::Impl::ServerGarbage(std::string_view name, std::string_view text, bool may_be_answer, Now now) {
  ++counters_.server_garbage;
  SayRarely(counters_.server_garbage, NoticeLevel::kWarning, name, text, now);
  if (!may_be_answer) return;
  // With one request open it can be nobody else's answer; with several it is not known whose, and they wait on.
  Request* only = nullptr;
  for (const auto& [key, request] : open_) {
    if (request->stage != Stage::kForwarded || request->cancelled) continue;
    if (only != nullptr) return;
    only = request.get();
  }
  if (only != nullptr) GiveUp(*only, "the server's answer could not be read", audit::CallStatus::kError, now);
}

void ProxyCore::Impl::ServerMessage(const Message& message, std::string_view line, Now now) {
  switch (message.kind) {
    case MessageKind::kRequest:
      if (message.id.string().starts_with(options_.to_client_prefix)) {
        ServerGarbage("server-garbage", "a request with an id of ours", false, now);
        return;
      }
      SendClient(line);
      return;
    case MessageKind::kNotification:
      if (message.method == "notifications/tools/list_changed") {
        book_.MarkStale();
      } else if (message.method.starts_with("notifications/tasks")) {
        // May carry what the task brought back.
        const auto task = tasks_.find(std::string(message.params.Find("taskId").string()));
        const std::string tool = task == tasks_.end() ? std::string(message.method) : task->second;
        gate::SessionState::ResultView view;
        const core::Call call{.id = {}, .server = options_.server, .tool = tool, .arguments = {}};
        if (message.params.exists()) {
          if (Feed(call, message.params, Words::kResult, view, now).has_value()) {
            AuditNotice("withheld", "a task notification was withheld", now);
            return;
          }
          SendFed(line, message.params, tool, view, now);
          return;
        }
      }
      SendClient(line);
      return;
    case MessageKind::kResult:
    case MessageKind::kError:
      ServerResponse(message, line, now);
      return;
    case MessageKind::kBatch:
      return;
  }
}

void ProxyCore::Impl::ServerResponse(const Message& message, std::string_view line, Now now) {
  if (message.id.string().starts_with(options_.to_server_prefix)) {
    if (own_list_.active && message.id.string() == own_list_.id) OwnListAnswer(message, now);
    return;  // a late answer to a list we gave up on
  }
  if (!message.id.exists() || message.id.is_null()) {
    SendClient(line);  // the server could not read something: an error that answers no request
    return;
  }
  const auto it = open_.find(IdKey(message.id));
  if (it == open_.end() || it->second->stage != Stage::kForwarded) {
    ++counters_.unmatched_responses;
    SayRarely(counters_.unmatched_responses, NoticeLevel::kWarning, "unmatched-response",
              "a response to no open request was dropped", now);
    return;
  }
  Request& request = *it->second;
  if (request.cancelled) {
    if (request.what == What::kCall) {
      AppendOutcome(request, message.kind == MessageKind::kError ? audit::CallStatus::kError : audit::CallStatus::kOk,
                    message.result, nullptr, now);
    }
    Close(request);
    return;
  }
  switch (request.what) {
    case What::kOther:
      SendClient(line);
      Close(request);
      return;
    case What::kCall:
      CallAnswer(request, message, line, now);
      return;
    case What::kContent:
      ContentAnswer(request, message, line, now);
      return;
    case What::kList:
      ListAnswer(request, message, line, now);
      // A client that lists before (or without) saying that it is initialized: its own list is as good as ours.
      if (own_list_.wanted && !own_list_.active && book_.fresh()) OwnListDone(true, now);
      return;
    case What::kEntries:
      EntriesAnswer(request, message, line, now);
      return;
    case What::kInitialize:
    case What::kDiscover:
      GreetingAnswer(request, message, line, now);
      return;
  }
}

std::optional<Decision> ProxyCore::Impl::Feed(const core::Call& call, JsonValue payload, Words words,
                                              gate::SessionState::ResultView& view, Now now) {
  has_content_ = true;
  view = state_->OnResult(call, {.tool = call.tool,
                                 .payload = payload,
                                 .is_error = words == Words::kError,
                                 .guidance = words == Words::kGuidance});
  if (!view.note.empty()) AuditNotice("result-noted", QuotedTool(call.tool) + ": " + view.note, now);
  // SAFETY: the other guards of this session know of the labels before the agent can act on the text.
  if (base::Status published = PublishStore(now); !published.ok()) {
    ++counters_.store_failures;
    return gate::FailClosed(core::Reason::kStoreUnavailable, published.error().ToString());
  }
  if (view.decision.verdict == core::Verdict::kAllow || view.decision.shadow) return std::nullopt;
  if (view.decision.verdict == core::Verdict::kRewrite && !view.masked.empty()) return std::nullopt;
  return view.decision;
}

void ProxyCore::Impl::SendFed(std::string_view line, JsonValue payload, std::string_view tool,
                              const gate::SessionState::ResultView& view, Now now) {
  if (view.masked.empty()) {
    SendClient(line);
    return;
  }
  ++counters_.masked;
  AuditNotice("masked", view.decision.Explain(tool), now);
  SendClient(ReplaceValue(server_doc_.bytes(), payload, view.masked));
}

void ProxyCore::Impl::CallAnswer(Request& request, const Message& message, std::string_view line, Now now) {
  const bool rpc_error = message.kind == MessageKind::kError;
  const JsonValue payload = rpc_error ? message.error : message.result;
  const bool is_error = rpc_error || message.result.Find("isError").AsBool().value_or(false);
  gate::SessionState::ResultView view;
  const std::optional<Decision> withheld =
      Feed(CallOf(request), payload, is_error ? Words::kError : Words::kResult, view, now);
  audit::CallStatus status = is_error ? audit::CallStatus::kError : audit::CallStatus::kOk;
  if (withheld.has_value()) {
    status = audit::CallStatus::kWithheld;
    ++counters_.withheld;
    scratch_.clear();
    AppendToolError(scratch_, request.id, request.modern, WithheldText(*withheld, request.tool),
                    DecisionJson(*withheld, gate::CallDigest(CallOf(request)), policy_->digest()));
    SendClient(scratch_);
  } else {
    const std::string_view type = message.result.Find("resultType").string();
    const JsonValue state = message.result.Find("requestState");
    if (request.approved_once && type == "input_required" && state.is_string()) {
      if (continuations_.size() >= kMaxContinuations) continuations_.pop_front();
      continuations_.emplace_back(base::Sha256(state.string()).ToHex(), gate::CallDigest(CallOf(request)).ToHex());
    }
    if (type == "task" || message.result.Find("task").exists()) RememberTask(request, message.result);
    SendFed(line, payload, request.tool, view, now);
  }
  // Nothing waits for this record: the decision is on the log already, and the agent has its answer the sooner.
  AppendOutcome(request, status, payload, &view, now);
  Close(request);
}

void ProxyCore::Impl::RememberTask(const Request& request, JsonValue result) {
  JsonValue id = result.Find("task").Find("taskId");
  if (!id.is_string()) id = result.Find("taskId");
  if (!id.is_string()) return;
  std::string key(id.string());
  if (!tasks_.emplace(key, request.tool).second) return;  // the first owner of an id keeps it
  task_order_.push_back(std::move(key));
  if (task_order_.size() > kMaxTasks) {
    tasks_.erase(task_order_.front());
    task_order_.pop_front();
  }
}

void ProxyCore::Impl::ContentAnswer(Request& request, const Message& message, std::string_view line, Now now) {
  const bool rpc_error = message.kind == MessageKind::kError;
  gate::SessionState::ResultView view;
  const JsonValue payload = rpc_error ? message.error : message.result;
  // A prompt template is chosen by the user to guide the agent.
  const Words words = rpc_error ? Words::kError : request.tool == "prompts/get" ? Words::kGuidance : Words::kResult;
  const std::optional<Decision> withheld = Feed(CallOf(request), payload, words, view, now);
  if (withheld.has_value()) {
    ++counters_.withheld;
    const std::string text = WithheldText(*withheld, request.tool);
    AuditNotice("withheld", text, now);
    ReplyError(request.id, kErrorWithheld, text,
               "{\"interlock/decision\":" + DecisionJson(*withheld, {}, policy_->digest()) + "}");
  } else {
    SendFed(line, payload, request.tool, view, now);
  }
  Close(request);
}

void ProxyCore::Impl::ListAnswer(Request& request, const Message& message, std::string_view line, Now now) {
  static constexpr std::array<std::string_view, 2> kNames = {"tools", "nextCursor"};
  if (message.kind == MessageKind::kError) {
    SendClient(line);
    Close(request);
    return;
  }
  const JsonValue tools = message.result.Find("tools");
  if (!tools.is_array() || HasCaseVariant(message.result, kNames)) {
    AuditNotice("tools-list-malformed", "a tools/list result was withheld: it has no one array of tools", now);
    ReplyError(request.id, kErrorWithheld, "interlock: the server's tool list is malformed");
    Close(request);
    return;
  }
  const ToolBook::Page page =
      book_.TakePage(tools, request.cursor, message.result.Find("nextCursor").string(), request.epoch, *policy_);
  RecordEvents(page.events, now);
  if (!page.left_out || policy_->profile().shadow) {
    SendClient(line);
    Close(request);
    return;
  }
  SendKept(message, "tools", page);
  Close(request);
}

void ProxyCore::Impl::EntriesAnswer(Request& request, const Message& message, std::string_view line, Now now) {
  const JsonValue entries = message.result.Find(NameOf(request.part));
  if (message.kind == MessageKind::kError || !entries.is_array()) {
    SendClient(line);
    Close(request);
    return;
  }
  const ToolBook::Page page = book_.TakeEntries(request.part, entries);
  RecordEvents(page.events, now);
  if (!page.left_out || policy_->profile().shadow) {
    SendClient(line);
  } else {
    SendKept(message, NameOf(request.part), page);
  }
  Close(request);
}

void ProxyCore::Impl::SendKept(const Message& message, std::string_view list, const ToolBook::Page& page) {
  std::string result;
  base::JsonWriter w(result);
  w.BeginObject();
  for (auto it = message.result.begin(); it != message.result.end(); ++it) {
    w.Key(it.key());
    if (it.key() == list) {
      w.BeginArray();
      std::size_t position = 0;
      for (const JsonValue entry : *it) {
        if (page.keep[position++]) w.Raw(entry.raw());
      }
      w.EndArray();
    } else if (it.key() == "cacheScope" && (*it).string() == "public") {
      w.String("private");  // what is left out depends on who asks
    } else {
      w.Raw((*it).raw());
    }
  }
  w.EndObject();
  SendClient(ReplaceValue(server_doc_.bytes(), message.result, result));
}

void ProxyCore::Impl::GreetingAnswer(Request& request, const Message& message, std::string_view line, Now now) {
  if (message.kind == MessageKind::kError || !message.result.is_object()) {
    SendClient(line);
    Close(request);
    return;
  }
  const JsonValue result = message.result;
  if (request.what == What::kInitialize) {
    protocol_ = result.Find("protocolVersion").string();
    server_notifies_lists_ = result.Find("capabilities").Find("tools").Find("listChanged").AsBool().value_or(false);
  }
  if (result.Find("capabilities").is_object()) {
    server_lists_tools_ = result.Find("capabilities").Find("tools").exists();
  }
  const JsonValue instructions = result.Find("instructions");
  std::vector<ToolBook::Event> events;
  const bool changed = book_.TakeInstructions(instructions, events);
  RecordEvents(events, now);
  RefreshCatalogue();
  const bool hold_back = changed && instructions.exists() && !policy_->profile().shadow;
  if (instructions.exists() && !hold_back && options_.instructions_are_results) {
    gate::SessionState::ResultView view;
    const core::Call call{.id = request.id,
                          .server = options_.server,
                          .tool = request.what == What::kInitialize ? "initialize" : "server/discover",
                          .arguments = {}};
    const bool had_content = has_content_;
    const auto withheld = Feed(call, instructions, Words::kGuidance, view, now);
    has_content_ = had_content;  // can be given to a session joined later
    greetings_.emplace_back(call.tool, instructions.string());
    if (greetings_.size() > 2) greetings_.erase(greetings_.begin());
    if (withheld.has_value()) {
      // Without the store nothing can be called anyway; the connection itself may stand, so that the host sees why.
      AuditNotice("instructions-unshared", withheld->Explain(call.tool), now);
    }
  }
  if (!hold_back) {
    SendClient(line);
    Close(request);
    return;
  }
  const std::string edited = EditObject(result, {.drop_a = "instructions",
                                                 .drop_b = {},
                                                 .replace = result.Find("cacheScope").exists() ? "cacheScope" : "",
                                                 .replacement = "\"private\"",
                                                 .add_missing = false});
  SendClient(ReplaceValue(server_doc_.bytes(), result, edited));
  Close(request);
}

}  // namespace interlock::runtime::mcp
