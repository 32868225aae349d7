// Records of other formats as interlock.trace/v1: one record in, one line out. No files: the caller reads and writes.
//
//   Result<TraceFormat> format = DetectTraceFormat(record);
//   ...
//   std::string line;
//   if (Status status = ImportRecord(format.value(), record, line); !status.ok()) return status;
//
// What every importer keeps to (docs/trace.md): arguments are copied byte for byte, results have trust `unknown`,
// parallel calls become one assistant message with their results after it, and what the record knows besides the
// conversation goes into annotations. Nothing is guessed or dropped in silence: a record that would lose something is
// refused.
//
// INVARIANT: when an importer succeeds, core::ParseTraceLine reads what it appended.
//
// Errors of all importers: every JSON error (`NaN`, duplicate keys, invalid UTF-8, ... of the record, or of arguments
// that are given as JSON text), kImportShape, kLimitExceeded. `out` gets one line without line end appended, or is left
// as it was. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/core/trace.h"

namespace interlock::eval {

inline constexpr std::size_t kMaxImportBytes = std::size_t{16} << 20;  // one record

enum class TraceFormat : std::uint8_t {
  kTraceV1,    // interlock.trace/v1 itself, a line a record
  kCompact,    // compact Agent-Sentry traces, a line a record
  kChatDump,   // LangChain message dumps, a document a record
  kAgentDojo,  // AgentDojo run files, a document a record
};
[[nodiscard]] std::string_view NameOf(TraceFormat format) noexcept;  // "trace" "compact" "chat" "agentdojo"

// Tells the format of a record: a line, or a whole document. Try the first line of a file; where that is no JSON (an
// error other than kImportShape), the file is one document laid out over lines: try it whole. kImportShape: none of the
// formats.
[[nodiscard]] base::Result<TraceFormat> DetectTraceFormat(std::string_view record);

// System prompts by the key that compact traces name them with.
using SystemPrompts = std::map<std::string, std::string, std::less<>>;
// Reads a JSON object of strings.
[[nodiscard]] base::Result<SystemPrompts> ParseSystemPrompts(std::string_view json);

// Names that some records do not carry. An empty session name is made from the record: its ids, or else its digest.
struct ImportNames {
  std::string_view session = {};
  std::string_view domain = {};
};

// One line of compact Agent-Sentry traces. The call at index i has the id "c<i>". With `systems` given, a key that is
// not in it is kImportShape; without, there is no system message. Spans of injected text are annotated on their call,
// converted from code points to bytes; the record's other facts stand under `agent_sentry`.
[[nodiscard]] base::Status ImportCompactTrace(std::string_view line, const SystemPrompts& systems, std::string& out);

// Training only, as core::AnnotatedTraceReader: compact traces as sessions, one after the other with the same buffers,
// without writing the line that ImportCompactTrace makes and reading it again. Errors as of both. Sessions and views
// end with the next Read. Not thread safe.
class CompactTraceReader {
 public:
  CompactTraceReader();
  CompactTraceReader(CompactTraceReader&&) noexcept;
  CompactTraceReader& operator=(CompactTraceReader&&) noexcept;
  ~CompactTraceReader();
  // After an error session and annotations are empty.
  [[nodiscard]] base::Status Read(std::string_view line);
  // What ParseTraceLine gives of the imported line (without system prompts), but for its document, which is empty.
  [[nodiscard]] const core::TraceSession& session() const noexcept;
  // Of its annotations: the label, and the calls (by id) whose results have injected text.
  [[nodiscard]] std::string_view label() const noexcept;
  [[nodiscard]] const std::vector<std::string_view>& injected_calls() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A dump of LangChain messages (`messages`, `simulated_trace.messages` or `conversation_history`). Calls without an id
// get "call_<message>_<index>"; results without one answer the latest call that has none. Token counts and other
// metadata of single messages are left out. Members besides the messages are annotated under `chat_dump`.
[[nodiscard]] base::Status ImportChatDump(std::string_view bytes, std::string& out, const ImportNames& names = {});

// A run file of AgentDojo. A result with an `error` is marked, and shows the error where its content is empty. Members
// besides the messages are annotated under `agentdojo`.
[[nodiscard]] base::Status ImportAgentDojoRun(std::string_view bytes, std::string& out, const ImportNames& names = {});

}  // namespace interlock::eval
