// links: base patterns
// Both literal matchers give the same hits, whatever the words and the text: lines of words, a blank line, the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/check.h"
#include "interlock/patterns/pattern_set.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace patterns = interlock::patterns;
  constexpr std::string_view kRegexes[] = {R"(\w+)", R"([^\n]{2,9})", "(?i)a.c", R"(\b[a-f0-9]{4}\b)"};
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t blank = input.find("\n\n");
  const std::string_view head = input.substr(0, blank);
  const std::string_view text = blank == std::string_view::npos ? input : input.substr(blank + 2);

  std::vector<patterns::PatternSpec> specs;
  std::size_t at = 0;
  while (at < head.size() && specs.size() < 32) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    patterns::PatternSpec spec;
    spec.regex = kRegexes[specs.size() % std::size(kRegexes)];
    spec.reach = static_cast<std::uint32_t>(specs.size()) * 3;
    if (end - at >= 2 && end - at <= 255) spec.words.emplace_back(head.substr(at, end - at));
    specs.push_back(spec);
    at = end + 1;
  }

  std::vector<patterns::PatternHit> hits[2];
  patterns::PatternOutcome outcomes[2];
  for (int i = 0; i < 2; ++i) {
    patterns::PatternOptions options;
    options.backend = i == 0 ? patterns::PatternBackend::kPortable : patterns::PatternBackend::kAuto;
    const auto set = patterns::PatternSet::Compile(specs, options);
    INTERLOCK_CHECK(set.ok(), "these expressions are fine");
    patterns::PatternScratch scratch;
    outcomes[i] = set.value().Scan(text, scratch, hits[i]);
  }
  INTERLOCK_CHECK(hits[0] == hits[1], "both matchers agree");
  INTERLOCK_CHECK(outcomes[0].looked == outcomes[1].looked, "and look at the same");
  for (const patterns::PatternHit& hit : hits[0]) {
    INTERLOCK_CHECK(hit.pattern < specs.size() && hit.bytes.begin < hit.bytes.end && hit.bytes.end <= text.size(),
                    "a hit lies inside the text");
  }
  return 0;
}
