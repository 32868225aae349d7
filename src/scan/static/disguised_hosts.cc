#include "static/disguised_hosts.h"

#include <algorithm>
#include <array>
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

// url.https://git.mirror.example/.insteadOf, in whatever quotes: what git fetches and sends goes to `host`, and not to
// where the user says.
bool IsRerouted(std::string_view text, std::size_t from, std::size_t end, std::string_view host) {
  constexpr std::string_view kHead = "url.";
  constexpr std::size_t kFar = 20;  // of the scheme
  const std::size_t start = from > kFar ? from - kFar : 0;
  if (text.substr(start, from - start).rfind(kHead) == std::string_view::npos) return false;
  const std::string rest = LowerCase(text.substr(end, 200));
  const std::size_t stop = std::min(rest.find_first_of("\n\r="), rest.size());
  if (rest.substr(0, stop).find("insteadof") == std::string::npos) return false;
  const HostKind kind = KindOfHost(host);
  return (kind == HostKind::kOrdinary || kind == HostKind::kRawAddress || kind == HostKind::kTunnel) &&
         !code::IsKnownService(host);
}

}  // namespace

void RaiseDisguisedHosts(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text();
  std::vector<std::string> seen;
  const auto raise = [&](std::string_view rule, base::ByteSpan bytes, const std::string& host, std::string message) {
    RawFinding finding;
    finding.rule = rule;
    finding.file = file.index;
    finding.bytes = bytes;
    finding.host = host;
    finding.message = std::move(message);
    out.push_back(std::move(finding));
    seen.push_back(host);
  };
  const auto raise_disguised = [&](base::ByteSpan bytes, const std::string& host, std::string_view vendor) {
    raise("SC-044", bytes, host, fmt::format("{} is no host of {}: it only begins like one", host, vendor));
  };
  constexpr std::string_view kScheme = "://";
  constexpr std::size_t kLongest = 300;
  std::size_t end = 0;
  for (std::size_t at = base::FindBytes(text, kScheme); at != std::string_view::npos && seen.size() < kMostHosts;) {
    const std::size_t from = at + kScheme.size();
    const std::string_view rest = text.substr(from, kLongest);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \"'`\r\n\t<>)"));
    end = from + authority.size();
    if (authority.find('.') != std::string_view::npos) {
      const std::string host = HostOf(authority);
      const std::string_view vendor = code::DisguisedAs(host);
      if (std::ranges::find(seen, host) != seen.end()) {
        // said
      } else if (IsRerouted(text, from, end, host)) {
        raise("SH-008", {from, end}, host, fmt::format("has git go to {} in place of another host", host));
      } else if (!vendor.empty() && !IsSample(host) && !(IsCode(file.type) && InComment(text, at))) {
        raise_disguised({from, end}, host, vendor);
      }
    }
    const std::size_t next = base::FindBytes(text.substr(end), kScheme);
    at = next == std::string_view::npos ? next : end + next;
  }
  constexpr auto kEnds = std::to_array<std::string_view>({".com.", ".org.", ".net."});
  // Few files have such a name: they are asked once before their texts are looked at.
  if (!IsCode(file.type) ||
      std::ranges::none_of(kEnds, [&](std::string_view one) { return base::HasBytes(text, one); }))
    return;
  // ("https", "api.openai.com.edge.example", "v1"): the name alone, put together elsewhere.
  ForEachLiteral(file, [&](std::size_t place, std::string_view literal) {
    constexpr std::size_t kLongestHost = 100;
    constexpr std::string_view kOfHosts = "abcdefghijklmnopqrstuvwxyz0123456789.-";
    if (literal.size() > kLongestHost || seen.size() >= kMostHosts ||
        literal.find_first_not_of(kOfHosts) != std::string_view::npos || IsSample(literal))
      return;
    const std::string_view vendor = code::DisguisedAs(literal);
    if (vendor.empty() || std::ranges::find(seen, literal) != seen.end()) return;
    raise_disguised({place, place + literal.size()}, std::string(literal), vendor);
  });
}

}  // namespace interlock::scan
