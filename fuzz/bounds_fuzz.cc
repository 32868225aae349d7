// links: base core policy provenance injection bounds
// A session fed by hostile text: request, results and arguments from the input. Checks that judging never crashes, is
// the same twice, never says allow with words, and that a call nothing untrusted was seen before is never stopped.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/bounds/session.h"

namespace {

using interlock::base::JsonDoc;
using interlock::bounds::BoundsModel;
using interlock::bounds::BoundsSession;
using interlock::bounds::Judgement;

std::string_view Take(std::string_view& rest) {
  const std::size_t cut = rest.find('\x1F');
  const std::string_view part = rest.substr(0, cut);
  rest.remove_prefix(cut == std::string_view::npos ? rest.size() : cut + 1);
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  (void)BoundsModel::Parse(rest);
  static const auto finder =
      std::make_shared<interlock::injection::SpanFinder>(interlock::injection::DefaultSpanModel());
  BoundsSession session(interlock::bounds::DefaultBoundsModel(), finder, {});
  const std::string_view request = Take(rest);
  const std::string_view tool = Take(rest);
  const std::string_view arguments = Take(rest);
  if (!request.empty()) session.SetRequest(request);
  auto doc = JsonDoc::Parse(arguments);
  const JsonDoc empty;
  const interlock::bounds::ProposedCall call{.tool = tool, .arguments = doc.ok() ? doc.value().root() : empty.root()};
  if (session.Judge(call).verdict != interlock::core::Verdict::kAllow) std::abort();
  for (int i = 0; i < 4 && !rest.empty(); ++i) {
    const std::string_view text = Take(rest);
    // The same words as another tool's definition, and the call as a visit.
    interlock::core::ToolSpec other;
    other.name = "other";
    other.description = std::string(text);
    other.input_schema = std::string(text);
    const interlock::core::ToolSpec* const tools[] = {&other};
    const interlock::policy::DefinitionNames names(tools);
    interlock::bounds::ProposedCall visit = call;
    visit.tool_class = interlock::bounds::ToolClass::kSink;
    visit.definitions = &names;
    const Judgement visited = session.Judge(visit);
    if (visited.verdict == interlock::core::Verdict::kAllow && !visited.text.empty()) std::abort();
    (void)session.OnResult({.tool = tool, .text = text, .arguments = call.arguments});
    (void)session.Judge(visit);
    const Judgement first = session.Judge(call);
    const Judgement again = session.Judge(call);
    if (first.verdict != again.verdict || first.text != again.text) std::abort();
    if (first.verdict == interlock::core::Verdict::kAllow && !first.text.empty()) std::abort();
    session.OnCall(call);
  }
  return 0;
}
