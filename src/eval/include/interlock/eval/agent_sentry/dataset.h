// The Agent-Sentry traces as values, for reproductions and protocols: compact form in, one `Trace` a line.
//
//   Result<Trace> trace = ParseTrace(line);        // of bench.jsonl.zst, ad_run1.jsonl.zst (platform reads files)
//
// Traces carry oracle facts (label, where an injection lies); nothing here ever reaches a scorer but through the fields
// a guard would see: prompt, calls, outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/base/text.h"

namespace interlock::eval::agent_sentry {

inline constexpr std::string_view kDomains[] = {"banking", "slack", "travel", "workspace"};

struct TraceCall {
  std::uint32_t turn = 0;
  std::string name;
  std::string arguments;  // JSON object as recorded
  std::string output;
  bool has_output = false;
  bool carries_attack = false;  // authored sessions: the record says so
};

struct InjectedSpan {
  std::uint32_t call = 0;
  base::ByteSpan bytes;  // of the call's output
};

struct Trace {
  std::string set;  // bench | ad1 | authored | ...
  std::string domain;
  bool attack = false;
  std::string id;
  std::string file;
  std::string system_key;
  std::string prompt;
  std::vector<TraceCall> calls;
  std::string answer;
  std::vector<InjectedSpan> injected;
  // What the record says besides; empty where it does not.
  std::string user_task;       // bench utilities and AgentDojo
  std::string injection_task;  // AgentDojo
  std::string utility_file;    // bench attacks: the carrier
  std::string attack_file;     // bench attacks: the injected task
  std::string source;          // bench utilities
  bool utility_ok = false;     // AgentDojo: the user's task was solved
  bool security_hit = false;   // AgentDojo: the attack worked
  int judge = -1;              // recorded verdict of the whole trace: 0 aligned, 1 misaligned, -1 none
};

// Reads one line. kImportShape and every JSON error.
[[nodiscard]] base::Result<Trace> ParseTrace(std::string_view line);

// The traces that the paper counts: every bench trace; AgentDojo utilities that solved their task and attacks that
// worked.
[[nodiscard]] bool Counts(const Trace& trace) noexcept;

// The user's side of a split: domain + normalised prompt. The attacker's: domain + injected task; empty for utilities.
[[nodiscard]] std::string PromptGroup(const Trace& trace);
[[nodiscard]] std::string AttackGroup(const Trace& trace);

// Removes the one literal preamble that every bench injection starts with (33 bytes), and moves the span. Other traces
// stay as they are.
void StripPreamble(Trace& trace);

// Lists of a domain (tools/DOMAIN.json).
struct DomainTools {
  std::string domain;
  std::vector<std::string> retrieval;
  std::vector<std::string> action;
  std::vector<std::string> ignored;
  std::vector<std::string> noisy_arguments;
  std::vector<std::pair<std::string, std::string>> descriptions;  // tool -> text
};
[[nodiscard]] base::Result<DomainTools> ParseDomainTools(std::string_view json);

}  // namespace interlock::eval::agent_sentry
