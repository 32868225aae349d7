// Suppressions: by file, and inline where one's own code is scanned. Every one needs a reason and may expire.
#include <algorithm>
#include <string>
#include <string_view>

#include "interlock/base/glob.h"
#include "static/ascii.h"
#include "static/verdict.h"

namespace interlock::scan {
namespace {

constexpr std::string_view kMarker = "interlock-ignore:";

std::string_view LineAt(std::string_view text, std::size_t offset) {
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', offset);
  return text.substr(begin, (end == std::string_view::npos ? text.size() : end) - begin);
}

bool InForce(std::string_view until, std::string_view today) {
  return until.empty() || today.empty() || today <= until;
}

// "interlock-ignore: RULE reason words until 2027-01-31": the reason, or "" where the line holds none for `rule`.
std::string InlineReason(std::string_view line, std::string_view rule, std::string_view today) {
  const std::size_t at = line.find(kMarker);
  if (at == std::string_view::npos) return {};
  std::string_view rest = Trim(line.substr(at + kMarker.size()));
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos || rest.substr(0, space) != rule) return {};
  rest = Trim(rest.substr(space));
  for (const std::string_view close : {"-->", "*/"}) {
    if (rest.ends_with(close)) rest = Trim(rest.substr(0, rest.size() - close.size()));
  }
  constexpr std::size_t kDate = 10;
  if (const std::size_t until = rest.rfind("until ");
      until != std::string_view::npos && rest.size() - until == 6 + kDate) {
    if (!InForce(rest.substr(until + 6), today)) return {};
    rest = Trim(rest.substr(0, until));
  }
  return std::string(rest);
}

struct Active {
  const Suppression* suppression;
  base::Glob rule;
  base::Glob path;
};

}  // namespace

void ApplySuppressions(const VerdictInput& input, std::vector<core::Finding>& findings) {
  const ScanOptions& options = *input.options;
  std::vector<Active> active;
  for (const Suppression& suppression : options.suppressions) {
    if (suppression.reason.empty() || !InForce(suppression.until, options.today)) continue;
    base::Result<base::Glob> rule = base::Glob::Compile(suppression.rule.empty() ? "**" : suppression.rule);
    base::Result<base::Glob> path = base::Glob::Compile(suppression.path.empty() ? "**" : suppression.path);
    // One that cannot be read suppresses nothing.
    if (rule.ok() && path.ok()) active.push_back({&suppression, std::move(rule.value()), std::move(path.value())});
  }
  for (core::Finding& finding : findings) {
    for (const Active& one : active) {
      if (!one.suppression->fingerprint.empty() && one.suppression->fingerprint != finding.fingerprint) continue;
      if (!one.rule.Matches(finding.rule) || !one.path.Matches(finding.file)) continue;
      finding.suppressed = one.suppression->reason;
      break;
    }
    if (!finding.suppressed.empty() || !options.inline_suppressions || finding.line == 0) continue;
    const auto file = std::find_if(input.files->begin(), input.files->end(),
                                   [&](const FileContext& context) { return context.file->path == finding.file; });
    if (file == input.files->end()) continue;
    const std::string_view text = file->text();
    const std::string_view line = LineAt(text, finding.begin);
    finding.suppressed = InlineReason(line, finding.rule, options.today);
    const auto start = static_cast<std::size_t>(line.data() - text.data());
    if (finding.suppressed.empty() && start > 0) {
      finding.suppressed = InlineReason(LineAt(text, start - 1), finding.rule, options.today);
    }
  }
}

}  // namespace interlock::scan
