// links: base core scan
// A database of anybody's bytes: reading ends, every look-up ends, and what it says is within bounds. The first line
// names a package and a version ("npm acme 1.0.0"), the rest is the database.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../src/scan/static/cvss.h"
#include "../src/scan/static/versions.h"
#include "interlock/base/check.h"
#include "interlock/scan/vulnerabilities.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace scan = interlock::scan;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos || line > 600) return 0;
  const std::string_view asked = input.substr(0, line);
  const std::size_t first = asked.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : asked.find(' ', first + 1);
  if (second == std::string_view::npos) return 0;
  const std::string_view name = asked.substr(first + 1, second - first - 1);
  const std::string_view version = asked.substr(second + 1);

  scan::VulnerabilityIndex index;
  index.Add(input.substr(line + 1));
  for (const std::string_view ecosystem : {"PyPI", "npm"}) {
    for (const scan::KnownVulnerability& known : index.Lookup(ecosystem, name, version)) {
      INTERLOCK_CHECK(!known.id.empty() && known.summary.size() <= 310, "an entry has an id and a short summary");
      INTERLOCK_CHECK(known.score <= 10.0, "a score is within its scale");
    }
  }
  for (const auto parse : {&scan::Version::ParsePep440, &scan::Version::ParseSemver}) {
    const auto a = parse(name);
    const auto b = parse(version);
    if (!a || !b) continue;
    INTERLOCK_CHECK((*a <=> *b) == (0 <=> (*b <=> *a)), "the order is the same from both sides");
    INTERLOCK_CHECK((*a == *b) == (a->Canonical() == b->Canonical()), "equal versions have one spelling");
  }
  (void)scan::CvssBaseScore(version);
  return 0;
}
