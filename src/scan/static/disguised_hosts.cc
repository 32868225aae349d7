#include "static/disguised_hosts.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "code/vendors.h"
#include "fmt/format.h"
#include "interlock/base/find_bytes.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostHosts = 32;  // of a file

bool OfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

bool InComment(std::string_view text, std::size_t at) {
  constexpr std::size_t kFar = 400;
  const std::size_t line = text.rfind('\n', at);
  std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  if (at - begin > kFar) return false;
  while (begin < at && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  const std::string_view before = text.substr(begin, at - begin);
  if (before.starts_with("//") || before.starts_with('#') || before.starts_with('*') || before.starts_with("/*"))
    return true;
  // x = 1  // see https://...; not within a text: log(" // "); fetch("https://...")
  for (const std::string_view mark : {" // ", " # "}) {
    const std::size_t comment = before.find(mark);
    if (comment == std::string_view::npos) continue;
    const std::string_view code = before.substr(0, comment);
    return std::ranges::all_of(std::string_view("\"'`"),
                               [&](char quote) { return std::ranges::count(code, quote) % 2 == 0; });
  }
  return false;
}

// https://github.com.evil.test: written to show what is meant.
bool IsSample(std::string_view host) {
  return SaysAny(host, {"evil", "attack", "malicious", "phish", "fake", "hacker", "bad-", "bad."});
}

// url.https://git.mirror.example/.insteadOf, in whatever quotes: what git fetches and sends goes there. The host; ""
// for a service's own.
std::string ReroutedTo(std::string_view text, std::size_t from, std::size_t end) {
  constexpr std::string_view kHead = "url.";
  constexpr std::size_t kFar = 20;  // of the scheme
  const std::size_t start = from > kFar ? from - kFar : 0;
  if (text.substr(start, from - start).rfind(kHead) == std::string_view::npos) return {};
  const std::string rest = LowerCase(text.substr(end, 200));
  const std::size_t stop = std::min(rest.find_first_of("\n\r="), rest.size());
  if (rest.substr(0, stop).find("insteadof") == std::string::npos) return {};
  const std::string host = LowerCase(text.substr(from, end - from));
  const HostKind kind = KindOfHost(host);
  const bool ordinary = kind == HostKind::kOrdinary || kind == HostKind::kRawAddress || kind == HostKind::kTunnel;
  return ordinary && !code::IsKnownService(host) ? host : std::string();
}

}  // namespace

void RaiseDisguisedHosts(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text();
  std::vector<std::string> seen;
  constexpr std::string_view kScheme = "://";
  for (std::size_t at = base::FindBytes(text, kScheme); at != std::string_view::npos;) {
    const std::size_t from = at + kScheme.size();
    std::size_t end = from;
    constexpr std::size_t kLongest = 253;
    while (end < text.size() && end - from < kLongest && OfName(text[end])) ++end;
    const std::string_view written = text.substr(from, end - from);
    if (const std::string host = ReroutedTo(text, from, end); !host.empty() && seen.size() < kMostHosts) {
      RawFinding finding;
      finding.rule = "SH-008";
      finding.file = file.index;
      finding.bytes = {from, end};
      finding.host = host;
      finding.message = fmt::format("has git go to {} in place of another host", host);
      out.push_back(std::move(finding));
      seen.push_back(host);
    }
    if (std::ranges::count(written, '.') >= 2) {
      const std::string host = LowerCase(written);
      const std::string_view vendor = code::DisguisedAs(host);
      if (!vendor.empty() && !IsSample(host) && std::ranges::find(seen, host) == seen.end() &&
          !(IsCode(file.type) && InComment(text, at))) {
        RawFinding finding;
        finding.rule = "SC-044";
        finding.file = file.index;
        finding.bytes = {from, end};
        finding.host = host;
        finding.message = fmt::format("{} is no host of {}: it only begins like one", host, vendor);
        out.push_back(std::move(finding));
        seen.push_back(host);
        if (seen.size() >= kMostHosts) return;
      }
    }
    const std::size_t next = base::FindBytes(text.substr(end), kScheme);
    at = next == std::string_view::npos ? next : end + next;
  }
}

}  // namespace interlock::scan
