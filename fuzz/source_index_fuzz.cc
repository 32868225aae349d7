// links: base core policy provenance
// Lines up to an empty one: texts that were seen, the first as the request. Rest: a value, and the same as JSON.
// Every match must lie in its source and in the value; an exact one must quote it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/provenance/source_index.h"

namespace core = interlock::core;
using interlock::provenance::Explanation;
using interlock::provenance::MatchKind;
using interlock::provenance::SourceIndex;
using interlock::provenance::SourceKind;
using interlock::provenance::SourceMatch;

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Check(const SourceIndex& index, std::string_view value, const Explanation& e) {
  Require(e.matches.size() <= SourceIndex::kMaxMatches);
  Require(e.covered >= e.by_request && e.covered >= e.by_results && e.covered <= 1.0F && e.by_request >= 0.0F);
  std::uint32_t last = 0;
  for (const SourceMatch& match : e.matches) {
    Require(match.source < index.size() && match.source >= last);
    last = match.source;
    const std::string_view text = index.text(match.source);
    Require(match.strength > 0.0F && match.strength <= 1.0F);
    Require(match.in_source.begin < match.in_source.end && match.in_source.end <= text.size());
    Require(match.in_value.begin < match.in_value.end && match.in_value.end <= value.size());
    if (match.kind == MatchKind::kExact) {
      Require(text.substr(match.in_source.begin, match.in_source.end - match.in_source.begin) ==
              value.substr(match.in_value.begin, match.in_value.end - match.in_value.begin));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  SourceIndex index({.key = {1, 2}, .max_bytes = 1 << 16, .max_source_bytes = 1 << 14});
  std::uint32_t turn = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.empty()) break;
    const SourceKind kind = turn == 0 ? SourceKind::kRequest : SourceKind::kResult;
    index.Add({.kind = kind, .call = turn, .turn = turn, .labels = core::LabelSet{1} << (turn % 4)}, line);
    ++turn;
    Check(index, line, index.Explain(line));
  }
  Check(index, rest, index.Explain(rest));
  Check(index, rest, index.Explain(rest, {.before_turn = turn / 2}));
  const auto doc = interlock::base::JsonDoc::Parse(rest);
  if (doc.ok()) (void)index.Explain(doc.value().root());
  return 0;
}
