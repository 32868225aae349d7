// Attack traces made from a user's own traces: a benign session reads something, an attacker's text stands in it, and
// the session goes on as the attacker's does.
//
//   Result<std::string> line = Splice(benign, attack, {.preamble = DefaultPreambles()[2],
//                                                      .position = Position::kField}, seed);
//
// What is made says so in its annotations: label "attack", the byte spans of the injected text on the call whose result
// holds it, and under `splice` where everything came from. Deterministic. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/base/text.h"
#include "interlock/core/trace.h"

namespace interlock::eval {

// Text in front of the instruction (and after it): what tries to make an agent obey.
struct Preamble {
  std::string id;
  std::string text;
  std::string after;
};

// What the payload is dressed as.
enum class Escape : std::uint8_t { kNone, kJson, kOneLine };
struct Carrier {
  std::string id;
  std::string before;
  std::string line_prefix;  // in front of every line of the payload
  std::string after;
  Escape escape = Escape::kNone;
};

// Files of schema interlock.preambles/v1 and interlock.carriers/v1. kImportShape and every JSON error.
[[nodiscard]] base::Result<std::vector<Preamble>> ParsePreambles(std::string_view json);
[[nodiscard]] base::Result<std::vector<Carrier>> ParseCarriers(std::string_view json);
// The lists that come with the program: "none" is the first preamble, "plain" the first carrier.
[[nodiscard]] const std::vector<Preamble>& DefaultPreambles();
[[nodiscard]] const std::vector<Carrier>& DefaultCarriers();

// Where in the carrier's result the payload stands.
enum class Position : std::uint8_t {
  kBegin,
  kMiddle,   // at the line end nearest the middle; a JSON document is torn apart there, as a careless attacker does it
  kEnd,      // as published: content, then preamble and instruction
  kField,    // value of a new field of a record in the middle, JSON or YAML; a document stays a document
  kBetween,  // a record of its own between two records (JSON array), paragraphs or lines
};
enum class Hijack : std::uint8_t {
  kEarly,  // the attack replaces what the carrier would have done after the result
  kLate,   // the carrier finishes its task first
};
[[nodiscard]] std::string_view NameOf(Position position) noexcept;  // "begin" "middle" "end" "field" "between"
[[nodiscard]] std::string_view NameOf(Hijack hijack) noexcept;      // "early" "late"
[[nodiscard]] std::optional<Position> PositionFrom(std::string_view name) noexcept;

// Tools of an agent, as far as the splicer wants to know them.
struct KnownTool {
  std::string name;
  std::string description;
  bool retrieval = false;  // reads; its results may carry injected text
};
// A tools/list result, its `tools` array, or an array of names. `annotations.readOnlyHint` says whether a tool is a
// retrieval; without it, its name does (get, read, search, ...). kImportShape and every JSON error; at most 10,000
// tools.
[[nodiscard]] base::Result<std::vector<KnownTool>> ParseKnownTools(std::string_view json);
[[nodiscard]] bool LooksLikeRetrieval(std::string_view tool);  // by its name

// Results of a session that can carry injected text: not an error, not marked trusted, and of a retrieval, as `tools`
// has it (a tool that is not listed: by its name). Indices into `messages`, in order.
[[nodiscard]] std::vector<std::size_t> InjectionPoints(const core::TraceSession& benign,
                                                       const std::vector<KnownTool>& tools = {});

// The tool called last before the attack goes on, for an injection at `message`; "" where there is none. With the first
// tool of an attack it is the transition that splicing adds.
[[nodiscard]] std::string_view ToolBeforeGraft(const core::TraceSession& benign, std::size_t message, Hijack hijack);
[[nodiscard]] std::string_view FirstToolOf(const core::TraceSession& attack);  // "": no attack, as in Splice

struct SpliceRecipe {
  std::string session;  // name of the session to make; "": made from the parts
  Preamble preamble = {.id = "none", .text = {}, .after = {}};
  Carrier carrier = {.id = "plain", .before = {}, .line_prefix = {}, .after = {}, .escape = Escape::kNone};
  Position position = Position::kEnd;
  Hijack hijack = Hijack::kEarly;
  std::uint32_t point = 0;  // which of InjectionPoints
  std::vector<KnownTool> tools = {};
};

// One line of interlock.trace/v1, without line end; core::ParseTraceLine reads it. Its instruction is the attack
// session's request (the last user message before its first call), its continuation what follows there. Calls of the
// attack get other ids where they would clash; recorded decisions are left out, they were made in other sessions.
// kSpliceNoPoint: no such injection point; kSpliceNoAttack: no request, or no call after it; kTraceLineTooLong.
[[nodiscard]] base::Result<std::string> Splice(const core::TraceSession& benign, const core::TraceSession& attack,
                                               const SpliceRecipe& recipe, std::uint64_t seed);

}  // namespace interlock::eval
