#include "interlock/eval/agent_sentry/authored.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "interlock/core/trace.h"

namespace interlock::eval::agent_sentry {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;

Result<Trace> ParseAuthoredTrace(std::string_view line) {
  const Result<core::AnnotatedTrace> parsed = core::ParseAnnotatedTraceLine(line);
  if (!parsed.ok()) return parsed.error();
  const core::TraceSession& session = parsed.value().session;
  Trace out;
  out.set = kAuthoredSet;
  out.domain = session.domain;
  out.id = session.session;
  std::unordered_map<std::string_view, std::size_t> at;
  std::uint32_t turn = 0;
  for (const core::TraceMessage& message : session.messages) {
    if (message.role == core::Role::kUser) {
      if (!out.prompt.empty()) out.prompt += '\n';
      out.prompt += message.content;
    }
    if (message.role == core::Role::kTool) {
      TraceCall& call = out.calls[at.at(message.call_id)];  // the reader has checked that the call exists
      call.output = message.content;
      call.has_output = true;
    }
    if (message.role != core::Role::kAssistant || message.calls.empty()) continue;
    for (const core::TraceCall& call : message.calls) {
      at.emplace(call.id, out.calls.size());
      out.calls.push_back({.turn = turn,
                           .name = std::string(call.tool),
                           .arguments = call.arguments.exists() ? std::string(call.arguments.raw()) : "{}",
                           .output = {},
                           .has_output = false,
                           .carries_attack = false});
    }
    ++turn;
  }
  for (const auto& [id, annotations] : parsed.value().annotations.calls) {
    const auto found = at.find(id);
    if (found == at.end()) continue;
    TraceCall& call = out.calls[found->second];
    call.carries_attack = annotations.Find("attack").AsBool().value_or(false);
    out.attack = out.attack || call.carries_attack;
    for (const JsonValue range : annotations.Find("injections")) {
      const std::int64_t begin = range.Find("begin").AsInt64().value_or(-1);
      const std::int64_t end = range.Find("end").AsInt64().value_or(-1);
      if (begin < 0 || begin >= end || static_cast<std::uint64_t>(end) > call.output.size()) {
        return Error(ErrorCode::kTraceSchema, "injections of call " + std::string(id) + " lie outside its result");
      }
      out.injected.push_back({static_cast<std::uint32_t>(found->second),
                              {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)}});
    }
  }
  std::ranges::sort(out.injected, {}, [](const InjectedSpan& span) { return std::pair(span.call, span.bytes.begin); });
  out.attack_file = out.attack ? out.id : std::string();
  return out;
}

}  // namespace interlock::eval::agent_sentry
