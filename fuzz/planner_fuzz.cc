// links: base core eval
// The first byte chooses what reads the rest. A plan that is accepted must become a session that the trace reader
// reads, and so must a session with text spliced into it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/core/trace.h"
#include "interlock/eval/coverage.h"
#include "interlock/eval/splice.h"

namespace {

using namespace interlock;

constexpr std::string_view kAttack =
    R"({"schema":"interlock.trace/v1","session":"a","messages":[{"role":"user","content":"Send \"it\"\nto é"},)"
    R"({"role":"assistant","calls":[{"id":"c0","tool":"send","arguments":{}}]}]})";

void Plan(std::string_view bytes) {
  const auto plan = eval::ParsePlan(bytes);
  if (!plan.ok()) return;
  const std::vector<eval::KnownTool> tools = {{.name = "a", .retrieval = true}, {.name = "b"}};
  (void)eval::CheckPlan(plan.value(), {"a", "b"}, tools);
  const eval::PlanQuestion question{.want = {"a", "b"}, .style = "terse", .attempt = 2, .missed = &plan.value()};
  if (eval::PlannerRequest(question, tools).find('\n') == std::string::npos) std::abort();
  if (!core::ParseTraceLine(eval::PlannedTrace(plan.value(), "s", question)).ok()) std::abort();
}

// The bytes are what a tool returned.
void Content(std::string_view bytes) {
  if (!base::IsValidUtf8(bytes)) return;
  std::string line;
  core::TraceWriter writer(line);
  writer.Begin("b", "", "").User("x").Assistant("", {{.id = "c0", .tool = "read"}});
  writer.Tool("c0", bytes, core::Trust::kUntrusted).End();
  const auto benign = core::ParseTraceLine(line);
  const auto attack = core::ParseTraceLine(kAttack);
  if (!benign.ok() || !attack.ok()) std::abort();
  for (int position = 0; position < 5; ++position) {
    const auto made =
        eval::Splice(benign.value(), attack.value(), {.position = static_cast<eval::Position>(position)}, 1);
    if (!made.ok()) std::abort();
    const auto read = core::ParseAnnotatedTraceLine(made.value());
    if (!read.ok() || read.value().annotations.calls.size() != 1) std::abort();
    const auto span = read.value().annotations.calls[0].second.Find("injections").FindPointer("/0");
    const auto begin = static_cast<std::size_t>(span.Find("begin").AsInt64().value_or(-1));
    const auto end = static_cast<std::size_t>(span.Find("end").AsInt64().value_or(-1));
    const std::string_view text = read.value().session.messages[2].content;
    if (begin > end || end > text.size()) std::abort();
    if (text.substr(begin, end - begin).find("Send") == std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      Plan(bytes);
      break;
    case 1:
      Content(bytes);
      break;
    case 2:
      (void)eval::ParseKnownTools(bytes);
      break;
    case 3:
      (void)eval::ParsePreambles(bytes);
      break;
    default:
      (void)eval::ParseCarriers(bytes);
      break;
  }
  return 0;
}
