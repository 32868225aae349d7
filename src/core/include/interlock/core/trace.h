// interlock.trace/v1: the record of sessions, JSON lines, one session a line. Schema: schemas/interlock.trace.v1.json.
//
// Annotations (labels, splits, oracle facts) never reach a scorer or the gate: `ParseTraceLine` drops them, and only
// `ParseAnnotatedTraceLine`, for evaluation, keeps them beside the session.
//
//   {"schema":"interlock.trace/v1","session":"s1","domain":"files","principal":"alice","messages":[
//     {"role":"system","content":"..."},{"role":"user","content":"..."},
//     {"role":"assistant","content":"...","calls":[{"id":"c1","tool":"read_file","arguments":{"path":"a"}}]},
//     {"role":"tool","call_id":"c1","content":"...","trust":"untrusted"}]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/core/verdict.h"

namespace interlock::core {

inline constexpr std::string_view kTraceSchema = "interlock.trace/v1";

enum class Role : std::uint8_t { kSystem, kUser, kAssistant, kTool };
[[nodiscard]] std::string_view NameOf(Role role) noexcept;

struct TraceCall {
  std::string_view id;
  std::string_view tool;
  base::JsonValue arguments;  // object
  base::JsonValue decision;   // what a guard said, or missing
};

struct TraceMessage {
  Role role = Role::kUser;
  std::string_view content;       // "" when absent
  std::vector<TraceCall> calls;   // assistant only
  std::string_view call_id;       // tool only
  Trust trust = Trust::kUnknown;  // tool only
  bool is_error = false;          // tool only
};

// One session. Owns its document; the views in it live as long as it does.
struct TraceSession {
  base::JsonDoc doc;
  std::string_view session;
  std::string_view domain;
  std::string_view principal;
  base::JsonValue facts = {};  // object: what the adapter vouched for, by channel; or missing
  std::vector<TraceMessage> messages;
};

struct TraceLimits {
  std::size_t max_line_bytes = std::size_t{64} << 20;
  std::uint32_t max_messages = 100'000;
  std::uint32_t max_calls = 100'000;
  std::uint32_t max_values = 4'000'000;  // JSON values in a line
};

// Reads one line. Errors: every JSON error, kTraceSchema (shape; unknown fields outside `annotations` are errors; two
// calls with one id; two results of one call), kTraceCallUnknown (a tool message whose call_id no earlier call has),
// kTraceLineTooLong, kLimitExceeded. The place of an error is its byte offset in the line. Annotations are not even in
// `doc`: where a line has some, their objects are empty there.
[[nodiscard]] base::Result<TraceSession> ParseTraceLine(std::string_view line, const TraceLimits& limits = {});

// Evaluation only: the annotations of the session and of each call, by call id, in a document of their own. The session
// is the one that ParseTraceLine gives.
struct TraceAnnotations {
  base::JsonDoc doc;                                                // owns what the views below point to
  base::JsonValue session;                                          // object or missing
  std::vector<std::pair<std::string_view, base::JsonValue>> calls;  // call id -> object
};
struct AnnotatedTrace {
  TraceSession session;
  TraceAnnotations annotations;
};
[[nodiscard]] base::Result<AnnotatedTrace> ParseAnnotatedTraceLine(std::string_view line,
                                                                   const TraceLimits& limits = {});

// Training only: the same for many lines, with the same buffers and one reading of each line instead of two. The
// session that it shows has an empty document, so that annotations cannot be reached through it; its views, and those
// of the annotations, end with the next Read. Not thread safe.
class AnnotatedTraceReader {
 public:
  explicit AnnotatedTraceReader(const TraceLimits& limits = {});
  // Errors as of ParseAnnotatedTraceLine; session and annotations are empty then.
  [[nodiscard]] base::Status Read(std::string_view line);
  [[nodiscard]] const TraceSession& session() const noexcept { return session_; }
  [[nodiscard]] const TraceAnnotations& annotations() const noexcept { return annotations_; }

 private:
  TraceLimits limits_;
  base::JsonParser parser_;
  base::JsonDoc doc_;
  TraceSession session_;
  TraceAnnotations annotations_;
};

// Writes a session as one line without line end. Used by importers and by `audit export`.
class TraceWriter {
 public:
  // Appends to `out`; call in order: Begin, then messages, then End.
  explicit TraceWriter(std::string& out);
  // `facts_json`: an object, or empty for none.
  TraceWriter& Begin(std::string_view session, std::string_view domain, std::string_view principal,
                     std::string_view facts_json = {});
  TraceWriter& System(std::string_view content);
  TraceWriter& User(std::string_view content);
  struct CallRecord {
    std::string_view id;
    std::string_view tool;
    std::string_view arguments_json = {};    // JSON object, or empty for a tool without arguments
    std::string_view decision_json = {};     // JSON or empty
    std::string_view annotations_json = {};  // JSON object or empty
  };
  TraceWriter& Assistant(std::string_view content, const std::vector<CallRecord>& calls);
  TraceWriter& Tool(std::string_view call_id, std::string_view content, Trust trust, bool is_error = false);
  TraceWriter& End(std::string_view annotations_json = {});

 private:
  base::JsonWriter writer_;
};

}  // namespace interlock::core
