// Entries of an OSV database, cut down to what tells whether one version of a package is affected.
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/scan/vulnerabilities.h"
#include "static/cvss.h"
#include "static/supply_internal.h"
#include "static/versions.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using core::Severity;

constexpr std::size_t kMaxEntryBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxEntries = 4'000'000;
constexpr std::size_t kMaxAffected = 10'000;  // of one entry
constexpr std::size_t kMaxEvents = 2'000;     // of one range
constexpr std::size_t kMaxNames = 30;         // aliases of one entry
constexpr std::size_t kMaxCwe = 20;
constexpr std::size_t kMaxText = 256;  // ids, names, versions
constexpr std::size_t kMaxSummary = 300;
// After an entry without end reading goes on at the next line; not for ever, since each try reads up to 4 MiB.
constexpr int kMaxRetries = 100;

enum class EventKind : std::uint8_t { kIntroduced, kFixed, kLastAffected, kLimit };
struct Event {
  EventKind kind = EventKind::kIntroduced;
  std::uint32_t range = 0;
  std::string version;
};

struct Entry {
  std::string id;
  std::string summary;
  std::string vector;
  std::vector<std::string> aliases;
  std::vector<std::uint32_t> cwe;
  double score = -1.0;
  Severity severity = Severity::kMedium;
  bool rated = false;  // the database says how bad it is
};

struct Affected {
  std::uint32_t entry = 0;
  std::vector<Event> events;          // by range, in the database's order
  std::vector<std::size_t> versions;  // hashes of those listed, sorted
};

bool IsPypi(std::string_view ecosystem) { return ecosystem == kPypi; }

std::optional<Version> Parse(bool pypi, std::string_view text) {
  return pypi ? Version::ParsePep440(text) : Version::ParseSemver(text);
}

std::size_t HashOf(const std::optional<Version>& parsed, std::string_view text) {
  return parsed ? std::hash<std::string>{}(parsed->Canonical()) : std::hash<std::string>{}("=" + std::string(text));
}

std::string KeyOf(std::string_view ecosystem, std::string_view name) {
  if (IsPypi(ecosystem)) return "p " + NormalPypiName(name);
  return (ecosystem == kGoModules ? "g " : ecosystem == kCrates ? "c " : "n ") + std::string(name);
}

std::optional<Severity> SeverityOfWord(std::string_view word) {
  const std::string lower = LowerCase(word.substr(0, 20));
  if (lower == "moderate") return Severity::kMedium;
  return core::SeverityFromName(lower);
}

void ReadRating(JsonValue value, Entry& entry) {
  for (const JsonValue one : value.Find("severity")) {
    const std::string_view vector = one.Find("score").string();
    const std::optional<double> score = CvssBaseScore(vector);
    if (!score || *score <= entry.score) continue;
    entry.score = *score;
    entry.vector = vector;
    if (!entry.rated) entry.severity = SeverityOfScore(*score);
  }
  if (entry.score >= 0.0) entry.rated = true;
}

// Versions as a range sees them. `low` and `high`: before and after all others.
struct Bound {
  bool low = false;
  bool high = false;
  std::optional<Version> version;
};

Bound BoundOf(bool pypi, const Event& event) {
  Bound bound;
  if (event.kind == EventKind::kIntroduced && event.version == "0") {
    bound.low = true;
  } else if (event.kind == EventKind::kLimit && event.version == "*") {
    bound.high = true;
  } else {
    bound.version = Parse(pypi, event.version);
  }
  return bound;
}

// -1, 0, 1: where `version` stands to the bound.
int Compare(const Version& version, const Bound& bound) {
  if (bound.low) return 1;
  if (bound.high) return -1;
  const auto order = version <=> *bound.version;
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Events of one range, as the OSV schema's evaluation has it. `fixed`: the first fix above the version.
bool InRange(bool pypi, const Version& version, const Event* begin, const Event* end, std::string& fixed) {
  std::vector<std::pair<const Event*, Bound>> events;
  bool limited = false;
  bool below = false;
  for (const Event* event = begin; event != end; ++event) {
    Bound bound = BoundOf(pypi, *event);
    if (event->kind == EventKind::kLimit) {
      limited = true;
      below = below || Compare(version, bound) < 0;
    } else {
      events.emplace_back(event, std::move(bound));
    }
  }
  if (limited && !below) return false;
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    if (a.second.low || b.second.low) return a.second.low && !b.second.low;
    return (*a.second.version <=> *b.second.version) < 0;
  });
  bool affected = false;
  const Event* next_fix = nullptr;
  for (const auto& [event, bound] : events) {
    const int order = Compare(version, bound);
    switch (event->kind) {
      case EventKind::kIntroduced:
        if (order >= 0) affected = true;
        break;
      case EventKind::kFixed:
        if (order >= 0) affected = false;
        if (order < 0 && next_fix == nullptr) next_fix = event;
        break;
      case EventKind::kLastAffected:
        if (order > 0) affected = false;
        break;
      case EventKind::kLimit:
        break;
    }
  }
  if (affected && next_fix != nullptr) fixed = next_fix->version;
  return affected;
}

}  // namespace

struct VulnerabilityIndex::Impl {
  Counts counts;
  std::vector<Entry> entries;
  std::unordered_map<std::string, std::vector<Affected>> packages;
  base::JsonParser parser{base::JsonLimits{.max_bytes = kMaxEntryBytes, .max_depth = 64, .max_values = 500'000}};
  base::JsonDoc doc;

  void AddEntry(std::string_view text);
  void AddRanges(JsonValue ranges, bool pypi, Affected& out);
};

void VulnerabilityIndex::Impl::AddRanges(JsonValue ranges, bool pypi, Affected& out) {
  std::uint32_t index = 0;
  for (const JsonValue range : ranges) {
    const std::string_view type = range.Find("type").string();
    if (type == "GIT") continue;
    ++index;
    const std::size_t before = out.events.size();
    bool good = (type == "SEMVER" || type == "ECOSYSTEM") && range.Find("events").is_array() &&
                range.Find("events").size() <= kMaxEvents;
    bool introduced = false;
    if (good) {
      for (const JsonValue item : range.Find("events")) {
        for (auto it = item.begin(); it != item.end(); ++it) {
          Event event{.range = index, .version = std::string((*it).string().substr(0, kMaxText))};
          if (it.key() == "introduced") {
            introduced = true;
          } else if (it.key() == "fixed") {
            event.kind = EventKind::kFixed;
          } else if (it.key() == "last_affected") {
            event.kind = EventKind::kLastAffected;
          } else if (it.key() == "limit") {
            event.kind = EventKind::kLimit;
          } else {
            continue;
          }
          const Bound bound = BoundOf(pypi, event);
          good = good && (bound.low || bound.high || bound.version.has_value());
          out.events.push_back(std::move(event));
        }
      }
    }
    if (good && introduced) continue;
    ++counts.unordered;
    out.events.resize(before);
  }
}

void VulnerabilityIndex::Impl::AddEntry(std::string_view text) {
  if (entries.size() >= kMaxEntries || !parser.ParseInto(doc, text).ok()) {
    ++counts.broken;
    return;
  }
  const JsonValue root = doc.root();
  const std::string_view id = root.Find("id").string();
  const JsonValue affected = root.Find("affected");
  if (id.empty() || id.size() > kMaxText) {
    ++counts.broken;
    return;
  }
  if (root.Find("withdrawn").is_string()) {
    ++counts.others;
    return;
  }

  Entry entry{.id = base::Printable(id, kMaxText)};
  std::string_view summary = root.Find("summary").string();
  if (summary.empty()) summary = root.Find("details").string();
  entry.summary = base::Printable(summary.substr(0, std::min(summary.find('\n'), summary.size())), kMaxSummary);
  for (const JsonValue alias : root.Find("aliases")) {
    if (alias.string().empty() || alias.string().size() > kMaxText || entry.aliases.size() >= kMaxNames) continue;
    entry.aliases.emplace_back(alias.string());
  }
  const JsonValue specific = root.Find("database_specific");
  for (const JsonValue cwe : specific.Find("cwe_ids")) {
    std::string_view digits = cwe.string();
    if (!digits.starts_with("CWE-") || digits.size() < 5 || digits.size() > 9 || entry.cwe.size() >= kMaxCwe) continue;
    digits.remove_prefix(4);
    std::uint32_t number = 0;
    for (const char c : digits) number = c >= '0' && c <= '9' ? number * 10 + static_cast<std::uint32_t>(c - '0') : 0;
    if (number != 0) entry.cwe.push_back(number);
  }
  const auto index = static_cast<std::uint32_t>(entries.size());
  std::size_t kept = 0;
  for (const JsonValue one : affected) {
    const JsonValue package = one.Find("package");
    const std::string_view ecosystem = package.Find("ecosystem").string();
    const std::string_view name = package.Find("name").string();
    if ((!HasKnownNames(ecosystem) && ecosystem != kGoModules && ecosystem != kCrates) || name.empty() ||
        name.size() > kMaxText)
      continue;
    if (kept >= kMaxAffected) break;
    const bool pypi = IsPypi(ecosystem);
    Affected place{.entry = index};
    AddRanges(one.Find("ranges"), pypi, place);
    for (const JsonValue version : one.Find("versions")) {
      const std::string_view listed = version.string();
      if (!listed.empty() && listed.size() <= kMaxText) place.versions.push_back(HashOf(Parse(pypi, listed), listed));
    }
    if (place.events.empty() && place.versions.empty()) continue;
    std::sort(place.versions.begin(), place.versions.end());
    place.events.shrink_to_fit();
    place.versions.shrink_to_fit();
    packages[KeyOf(ecosystem, name)].push_back(std::move(place));
    ReadRating(one, entry);
    ++kept;
  }
  if (kept == 0) {
    // A file of something else is not to look like a database that knows of nothing.
    ++(affected.is_array() || root.Find("modified").is_string() ? counts.others : counts.broken);
    return;
  }
  ReadRating(root, entry);
  if (const auto word = SeverityOfWord(specific.Find("severity").string())) {
    entry.severity = *word;
    entry.rated = true;
  } else if (!entry.rated && entry.id.starts_with("MAL-")) {
    // The database of malicious packages: the package itself is the harm.
    entry.severity = Severity::kCritical;
    entry.rated = true;
  }
  entries.push_back(std::move(entry));
  ++counts.kept;
}

VulnerabilityIndex::VulnerabilityIndex() : impl_(std::make_unique<Impl>()) {}
VulnerabilityIndex::VulnerabilityIndex(VulnerabilityIndex&&) noexcept = default;
VulnerabilityIndex& VulnerabilityIndex::operator=(VulnerabilityIndex&&) noexcept = default;
VulnerabilityIndex::~VulnerabilityIndex() = default;

const VulnerabilityIndex::Counts& VulnerabilityIndex::counts() const noexcept { return impl_->counts; }

void VulnerabilityIndex::Add(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  int retries = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '[' || c == ',' || c == ']') {
      ++at;
      continue;
    }
    const std::size_t line = std::min(text.find('\n', at), text.size());
    if (c != '{') {
      ++impl_->counts.broken;
      at = line;
      continue;
    }
    const std::size_t limit = std::min(text.size(), at + kMaxEntryBytes + 1);
    std::size_t depth = 0;
    std::size_t end = at;
    bool in_string = false;
    for (; end < limit; ++end) {
      const char here = text[end];
      if (in_string) {
        if (here == '\\') {
          ++end;
        } else if (here == '"') {
          in_string = false;
        }
      } else if (here == '"') {
        in_string = true;
      } else if (here == '{') {
        ++depth;
      } else if (here == '}' && --depth == 0) {
        break;
      }
    }
    if (end >= limit) {
      ++impl_->counts.broken;
      if (++retries > kMaxRetries) return;
      at = line;
      continue;
    }
    impl_->AddEntry(text.substr(at, end + 1 - at));
    at = end + 1;
  }
}

std::vector<KnownVulnerability> VulnerabilityIndex::Lookup(std::string_view ecosystem, std::string_view name,
                                                           std::string_view version) const {
  if (version.empty() || version.size() > kMaxText || name.size() > kMaxText) return {};
  const auto found = impl_->packages.find(KeyOf(ecosystem, name));
  if (found == impl_->packages.end()) return {};
  const bool pypi = IsPypi(ecosystem);
  const std::optional<Version> parsed = Parse(pypi, version);
  const std::size_t hash = HashOf(parsed, version);

  struct Hit {
    const Entry* entry = nullptr;
    std::string fixed;
  };
  std::vector<Hit> hits;
  for (const Affected& affected : found->second) {
    Hit hit{.entry = &impl_->entries[affected.entry]};
    bool is = std::binary_search(affected.versions.begin(), affected.versions.end(), hash);
    const Event* const last = affected.events.data() + affected.events.size();
    for (const Event* begin = affected.events.data(); begin != last && parsed;) {
      const Event* end = std::find_if(begin, last, [&](const Event& event) { return event.range != begin->range; });
      is = InRange(pypi, *parsed, begin, end, hit.fixed) || is;
      begin = end;
    }
    if (is) hits.push_back(std::move(hit));
  }
  // The same weakness often stands in several databases: the entry that says how bad it is speaks for all.
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    if (a.entry->rated != b.entry->rated) return a.entry->rated;
    if (a.entry->severity != b.entry->severity) return a.entry->severity > b.entry->severity;
    if (a.entry->score != b.entry->score) return a.entry->score > b.entry->score;
    return a.entry->id < b.entry->id;
  });
  std::vector<KnownVulnerability> out;
  std::unordered_map<std::string_view, std::size_t> seen;  // id or alias -> place in `out`
  for (const Hit& hit : hits) {
    const Entry& entry = *hit.entry;
    auto known = seen.find(entry.id);
    for (const std::string& alias : entry.aliases) {
      if (known == seen.end()) known = seen.find(alias);
    }
    const std::size_t place = known == seen.end() ? out.size() : known->second;
    seen.emplace(entry.id, place);
    for (const std::string& alias : entry.aliases) seen.emplace(alias, place);
    if (place < out.size()) {
      if (out[place].fixed.empty()) out[place].fixed = base::Printable(hit.fixed, kMaxText);
      continue;
    }
    KnownVulnerability one;
    one.id = entry.id;
    one.summary = entry.summary;
    one.severity = entry.severity;
    one.score = entry.score;
    one.vector = entry.vector;
    one.cwe = entry.cwe;
    one.fixed = base::Printable(hit.fixed, kMaxText);
    one.ecosystem = ecosystem;
    one.name = name;
    one.version = version;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace interlock::scan
