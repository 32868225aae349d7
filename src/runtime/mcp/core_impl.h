// The proxy core's state. Private to the module: see proxy_core.h. Spread over core_client.cc (what the client sends),
// core_calls.cc (the life of a tools/call up to its forwarding), core_approvals.cc (who agrees to it, budgets,
// break-glass), core_server.cc (what the server sends), core_life.cc
// (time, ends, policy, the store and the audit record).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "approval.h"
#include "impact_clock.h"
#include "interlock/gate/gate.h"
#include "interlock/runtime/mcp/proxy_core.h"
#include "reply.h"
#include "tool_book.h"

namespace interlock::runtime::mcp {

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";

// One request of the client that has no answer yet.
struct Request {
  enum class What : std::uint8_t {
    kOther,       // its answer passes unread
    kCall,        // tools/call
    kList,        // tools/list
    kInitialize,  // the answer carries instructions and the protocol version
    kDiscover,
    kEntries,  // prompts/list, resources/list, resources/templates/list
    kContent,  // its answer is text from outside (resources/read, prompts/get, tasks, unknown methods)
  };
  enum class Stage : std::uint8_t { kNew, kWaitsForList, kWaitsForPerson, kForwarded };

  What what = What::kOther;
  Stage stage = Stage::kNew;
  bool modern = false;
  bool cancelled = false;  // by the client, or given up by us: a late answer goes nowhere
  bool list_tried = false;
  bool asked = false;           // a person was asked through the client, and has answered
  bool waited = false;          // for an answer from elsewhere, which has come or will not
  bool taken = false;           // a stored grant stands behind it
  std::uint32_t overtaken = 0;  // how often the budgets changed under its decision
  bool strip = false;           // the approval's members are taken out before forwarding
  bool approved_once = false;
  std::uint64_t order = 0;
  std::string key;
  std::string id;  // raw JSON

  // Calls and content: the message stays for the answer's sake. The rest are views into these documents.
  base::JsonDoc doc;
  base::JsonDoc rewritten;
  base::JsonValue params;
  base::JsonValue arguments;  // in the form that runs
  std::string tool;           // of a call; for content: the name its text is attributed to
  bool is_rewritten = false;
  std::size_t bytes = 0;
  base::Digest digest;  // CallDigest of the form that runs
  Carried carried;

  base::MonoTime started;
  base::MonoTime deadline;  // zero: none
  std::uint64_t row = 0;    // of the audit decision
  std::string cursor;       // lists
  ListPart part = ListPart::kTools;
  std::uint64_t epoch = 0;
  std::string elicitation;    // id of our question
  TicketScope scope;          // what was shown to the person
  std::string approval;       // id in the approvals file
  std::string approval_note;  // why an earlier one does not count
  base::MonoTime next_poll;
  base::MonoTime next_progress;
  std::uint32_t progress = 0;

  void Reset();
};

class ProxyCore::Impl {
 public:
  Impl(CoreOptions options, Ports ports, std::shared_ptr<const policy::PolicySnapshot> policy,
       std::optional<base::Error> policy_error, base::Now now);

  // core_client.cc
  void ClientLine(std::string_view line, base::Now now, bool in_batch);
  void ClientMessage(const Message& message, std::string_view line, base::Now now);
  void ClientRequest(const Message& message, std::string_view line, base::Now now);
  void ClientResponse(const Message& message, std::string_view line, base::Now now);
  void ClientNotification(const Message& message, std::string_view line, base::Now now);
  void ClientGarbage(const base::Error& error, const Message& message, base::Now now);
  void Cancel(const Message& message, std::string_view line, base::Now now);
  void DropQuestion(Request& request, std::string_view why);
  void ReplyError(std::string_view id, int code, std::string_view message, std::string_view data = {});

  // core_calls.cc
  void StartCall(Request& request, base::Now now);
  void Settle(Request& request, base::Now now);
  void Decided(Request& request, const core::Decision& decision, const core::Decision* rewrite, base::Now now);
  void Forward(Request& request, const core::Decision& decision, core::Enforcement enforcement, base::Now now);
  void Refuse(Request& request, const core::Decision& decision, core::Enforcement enforcement, base::Now now,
              std::string_view hint = {}, bool record = true);
  [[nodiscard]] bool NeedsList(const Request& request, base::Now now) const;
  void WaitForList(Request& request, base::Now now);
  void SendOwnList(base::Now now);
  void OwnListAnswer(const Message& message, base::Now now);
  void OwnListDone(bool ok, base::Now now);
  [[nodiscard]] core::Call CallOf(const Request& request) const;
  [[nodiscard]] TicketScope ScopeOf(const core::Call& call) const;
  [[nodiscard]] const policy::ToolEntry* EntryOf(const Request& request) const;
  void RefreshCatalogue();

  // core_approvals.cc
  void Escalate(Request& request, const core::Decision& decision, base::Now now);
  // False: it is settled, refused, or a stored grant let it go ahead. True: somebody is to be asked.
  [[nodiscard]] bool ConsultStore(Request& request, const core::Decision& decision, base::Now now);
  void WaitForStore(Request& request, const core::Decision& decision, base::Now now);
  void PollStore(Request& request, base::Now now);
  void NobodyAnswered(Request& request, base::Now now);
  void AskByElicitation(Request& request, const core::Decision& decision, base::Now now);
  void AskByInputRequired(Request& request, const core::Decision& decision, base::Now now);
  void RecordQuestion(const Request& request, std::string_view whom, std::string_view question, base::Now now);
  void Answered(Request& request, Answer answer, base::Now now);
  // Files the answer of a person who was asked through the client. False: the request was refused.
  [[nodiscard]] bool FileAnswer(Request& request, const TicketScope& scope, Answer answer, base::Now now);
  [[nodiscard]] bool RedeemTicket(Request& request, base::Now now);
  [[nodiscard]] std::string QuestionText(const Request& request, const core::Decision& decision) const;
  [[nodiscard]] std::string StoreHint(const Request& request) const;
  [[nodiscard]] approvals::Subject Subject() const;
  [[nodiscard]] approvals::Question QuestionOf(const core::Call& call, const TicketScope& scope,
                                               const core::Decision* decision) const;
  [[nodiscard]] base::Status RecordTaken(const Request& request, const approvals::Taken& taken, base::Now now);
  void AddStoredGrant(const Request& request, const approvals::Taken& taken, base::Now now);
  void RememberRefused(const Request& request);
  // Opens break-glass where the policy says so by itself: the impact that was told is over its thresholds.
  void OpenIfDue(base::Now now);
  // The impact is over: so is what was opened for it.
  void EndIfOpened(base::Now now);
  // What the file says of this principal's day and of break-glass, before a decision.
  [[nodiscard]] base::Status ReadShared(base::Now now);
  // Takes what the call costs out of the day's budgets. False: they have changed since the decision.
  [[nodiscard]] base::Result<bool> ChargeShared(const Request& request, base::Now now);
  // The second row of a decision under break-glass.
  [[nodiscard]] base::Status RecordBreakGlass(const Request& request, const core::Decision& decision,
                                              core::Enforcement enforcement, base::Now now);

  // core_server.cc
  void ServerLine(std::string_view line, base::Now now, bool in_batch);
  void ServerMessage(const Message& message, std::string_view line, base::Now now);
  void ServerResponse(const Message& message, std::string_view line, base::Now now);
  void CallAnswer(Request& request, const Message& message, std::string_view line, base::Now now);
  void ContentAnswer(Request& request, const Message& message, std::string_view line, base::Now now);
  void ListAnswer(Request& request, const Message& message, std::string_view line, base::Now now);
  void EntriesAnswer(Request& request, const Message& message, std::string_view line, base::Now now);
  // The answer without the entries of `list` that the page does not keep.
  void SendKept(const Message& message, std::string_view list, const ToolBook::Page& page);
  // A prompt or resource whose entry was held back.
  [[nodiscard]] bool RefusesContent(Request& request, std::string_view method, base::Now now);
  void GreetingAnswer(Request& request, const Message& message, std::string_view line, base::Now now);
  void ServerGarbage(std::string_view name, std::string_view text, bool may_be_answer, base::Now now);
  void RememberTask(const Request& request, base::JsonValue result);
  // Judges text from the server, puts labels and values into the session and the store. Nothing: it may pass, in the
  // form of `view.masked` where that is not empty.
  enum class Words : std::uint8_t { kResult, kError, kGuidance };
  [[nodiscard]] std::optional<core::Decision> Feed(const core::Call& call, base::JsonValue payload, Words words,
                                                   gate::SessionState::ResultView& view, base::Now now);
  // Passes what Feed let through: the line as it is, or with its `payload` in the masked form.
  void SendFed(std::string_view line, base::JsonValue payload, std::string_view tool,
               const gate::SessionState::ResultView& view, base::Now now);

  // core_life.cc
  void Tick(base::Now now);
  void ClientClosed(base::Now now);
  void ServerClosed(base::Now now);
  void ServerExit(std::string_view how, base::Now now);
  void Signal(int number, base::Now now);
  void BeginStop(int exit_code, base::Now now);
  void AnswerAllOpen(std::string_view why, base::Now now);
  void GiveUp(Request& request, std::string_view why, audit::CallStatus status, base::Now now);
  void SetPolicy(std::shared_ptr<const policy::PolicySnapshot> policy, base::Now now);
  void ReloadPins(base::Now now);
  void ListMayDiffer();
  void TakeLabelNames();
  void TakeFirstUse();
  [[nodiscard]] base::Status SyncStore(base::Now now);     // take in what others published
  [[nodiscard]] base::Status PublishStore(base::Now now);  // publish what is new here
  [[nodiscard]] bool AnythingPending() const noexcept {
    return !pending_blobs_.empty() || !pending_requests_.empty() || !pending_facts_.empty();
  }
  [[nodiscard]] base::Status TakeFact(std::string_view channel, std::string_view json);
  void RecordEvents(const std::vector<ToolBook::Event>& events, base::Now now);
  void AuditNotice(std::string_view name, std::string_view text, base::Now now, std::uint64_t count = 0);
  [[nodiscard]] audit::Record BaseRecord(audit::Kind kind, base::Now now) const;
  [[nodiscard]] audit::Record DecisionRecord(const Request& request, const core::Decision& decision,
                                             core::Enforcement enforcement, base::Now now);
  [[nodiscard]] base::Status Append(const audit::Record& record, bool durable, std::uint64_t& row);
  void AppendOutcome(const Request& request, audit::CallStatus status, base::JsonValue result,
                     const gate::SessionState::ResultView* view, base::Now now);
  [[nodiscard]] std::span<const std::string_view> LabelNames(core::LabelSet labels) const;
  // Says it for the 1st, 2nd, 4th, 8th ... time only.
  void SayRarely(std::uint64_t count, NoticeLevel level, std::string_view name, std::string_view text, base::Now now);

  [[nodiscard]] std::unique_ptr<gate::SessionState> NewState() const;
  [[nodiscard]] Request& OpenRequest(const Message& message, std::string key);
  void Close(Request& request);
  void Arm(base::MonoTime at);
  void SendClient(std::string_view line) { ports_.sink->ToClient(line); }
  void SendServer(std::string_view line) { ports_.sink->ToServer(line); }

 private:
  friend class ProxyCore;

  CoreOptions options_;
  Ports ports_;
  std::shared_ptr<const policy::PolicySnapshot> policy_;
  std::optional<base::Error> policy_error_;
  std::unique_ptr<gate::SessionState> state_;
  std::vector<std::pair<std::string, base::JsonDoc>> facts_;    // by channel, for a session that is joined later
  std::vector<std::string> own_requests_;                       // given here, not by the store
  std::vector<std::pair<std::string, std::string>> greetings_;  // method, instructions
  bool has_content_ = false;  // something of the session cannot be moved to another name
  Counters counters_;

  MessageReader client_reader_;
  MessageReader server_reader_;
  base::JsonDoc client_doc_;
  base::JsonDoc server_doc_;
  std::string scratch_;
  std::string line_scratch_;

  std::unordered_map<std::string, std::unique_ptr<Request>> open_;
  std::vector<std::unique_ptr<Request>> free_;
  std::uint64_t next_order_ = 1;
  std::size_t inflight_bytes_ = 0;
  std::map<std::string, std::string, std::less<>> questions_;  // id of our elicitation -> key of the request

  ToolBook book_;
  TicketDesk desk_;
  std::deque<std::pair<std::string, std::string>>
      continuations_;                                   // server's requestState digest, call digest: approved
  std::unordered_map<std::string, std::string> tasks_;  // task id -> tool
  std::deque<std::string> task_order_;
  struct RefusedCall {
    std::string digest;
    std::string tool;
    base::JsonDoc arguments;
  };
  std::deque<RefusedCall> refused_;

  // What the approvals file says, as of the decision that is being made.
  approvals::ApprovalStore::Sums seen_sums_;
  bool sums_read_ = false;
  std::string break_glass_;  // id of the window that is open; empty: none
  ImpactClock impact_;
  std::string opened_by_us_;  // id of the window that we opened for this impact
  bool due_told_ = false;     // that it would have been opened, and why it was not

  // What is known of the peers.
  bool client_elicits_ = false;  // legacy: said in initialize
  std::string protocol_;         // legacy: the negotiated version
  bool initialized_ = false;
  bool server_lists_tools_ = true;  // until a greeting says otherwise
  bool server_notifies_lists_ = false;

  // Our own tools/list.
  struct OwnList {
    bool active = false;
    bool wanted = false;  // somebody waits, but the handshake is not over
    std::string id;
    std::string modern_version;  // empty: legacy
    std::string cursor;
    std::size_t pages = 0;
    std::uint64_t epoch = 0;
    base::MonoTime deadline;
    base::MonoTime not_before;  // after a failure
  } own_list_;
  std::uint64_t next_own_id_ = 1;

  // Ends.
  bool client_gone_ = false;
  bool server_gone_ = false;
  bool stopping_ = false;
  bool finished_ = false;
  int exit_code_ = kExitOk;
  enum class StopStep : std::uint8_t { kNone, kInputClosed, kTerminated, kKilled } stop_step_ = StopStep::kNone;
  base::MonoTime stop_deadline_;

  // The store.
  core::LabelSet published_labels_ = 0;
  std::vector<std::string> pending_blobs_;
  std::vector<std::string> pending_requests_;
  std::vector<std::pair<std::string, std::string>> pending_facts_;
  std::deque<base::Digest> own_blobs_;  // published, not polled yet
  std::string empty_delta_;
  bool store_overrun_ = false;
  session::Update news_;
  std::vector<std::string> policy_label_names_;

  std::uint64_t next_step_ = 0;
  base::MonoTime next_deadline_{INT64_MAX};
  mutable core::LabelSet cached_labels_ = 0;
  mutable bool labels_cached_ = false;
  mutable std::vector<std::string_view> label_names_;
};

}  // namespace interlock::runtime::mcp
