// Variables that tell installers where to fetch from, wherever they are set: ENV of a container file, export of a
// script, an .env file, the environment of a service.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "interlock/base/find_bytes.h"
#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/shell_judge.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

enum class Asked : std::uint8_t { kOnly, kBeside, kUnchecked };

struct Variable {
  std::string_view name;
  Asked asked;
};
constexpr std::array<Variable, 12> kVariables = {{{"PIP_INDEX_URL", Asked::kOnly},
                                                  {"PIP_EXTRA_INDEX_URL", Asked::kBeside},
                                                  {"PIP_TRUSTED_HOST", Asked::kUnchecked},
                                                  {"UV_INDEX_URL", Asked::kOnly},
                                                  {"UV_DEFAULT_INDEX", Asked::kOnly},
                                                  {"UV_EXTRA_INDEX_URL", Asked::kBeside},
                                                  {"UV_INSECURE_HOST", Asked::kUnchecked},
                                                  {"NPM_CONFIG_REGISTRY", Asked::kOnly},
                                                  {"npm_config_registry", Asked::kOnly},
                                                  {"YARN_NPM_REGISTRY_SERVER", Asked::kOnly},
                                                  {"GOPROXY", Asked::kOnly},
                                                  {"GOINSECURE", Asked::kUnchecked}}};

bool IsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

constexpr std::size_t kMostOfLine = 400;  // looked at on either side

// The line up to `at`, as far as it is near.
std::string_view LineBefore(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at - std::min(at, kMostOfLine), std::min(at, kMostOfLine));
  return near.substr(near.rfind('\n') + 1);
}

// What stands behind a name: `=value`, ` value` (ENV of old), `: value`, in quotes or not.
std::string_view ValueBehind(std::string_view text, std::size_t at) {
  const std::size_t start = text.find_first_not_of(" \t=:\"'", at);
  if (start == std::string_view::npos || start == at || text.substr(at, start - at).find('\n') != text.npos) return {};
  const std::string_view value = text.substr(start, kMostOfLine);
  return value.substr(0, value.find_first_of(" \t\r\n\"'\\,;}"));
}

// `deb [trusted=yes] http://...`: packages that nobody has signed, from whoever answers.
void ReadUnsigned(Sheet& sheet) {
  const std::string_view text = sheet.text();
  constexpr std::string_view kMark = "[trusted=yes]";
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    const std::string_view rest = Trim(text.substr(at + kMark.size(), kMostOfLine));
    if (!rest.starts_with("http://")) continue;
    const std::string host = HostOf(LowerCase(rest.substr(0, rest.find_first_of(" \t\r\n\"'`"))));
    if (host.empty() || KindOfHost(host) == HostKind::kLocal) continue;
    sheet.Raise("SC-012", {at, at + kMark.size()}, "packages of " + host + " are installed unsigned", host).severity =
        core::Severity::kHigh;
    return;  // one is enough to look
  }
}

// GONOSUMDB=*, GOFLAGS=-insecure: nobody compares what a proxy of modules sends with what everybody else is sent.
bool SwitchesSumsOff(std::string_view text) {
  for (const std::string_view name : {"GONOSUMDB", "GONOSUMCHECK", "GOFLAGS", "GOSUMDB"}) {
    for (std::size_t at = base::FindBytes(text, name); at != std::string_view::npos;) {
      const std::size_t end = at + name.size();
      const std::string_view rest = text.substr(end, kMostOfLine);
      const std::string_view line = rest.substr(0, rest.find('\n'));
      const std::string_view value = ValueBehind(text, end);
      if (name == "GOFLAGS" ? line.find("-insecure") != std::string_view::npos
                            : value == "*" || value == "1" || value == "off") {
        return true;
      }
      const std::size_t next = base::FindBytes(text.substr(end), name);
      at = next == std::string_view::npos ? next : end + next;
    }
  }
  return false;
}

}  // namespace

void ReadIndexVariables(Sheet& sheet) {
  const std::string_view text = sheet.text();
  std::optional<bool> uncompared;  // once asked
  ReadUnsigned(sheet);
  for (const Variable& variable : kVariables) {
    for (std::size_t at = base::FindBytes(text, variable.name); at != std::string_view::npos;) {
      const std::size_t end = at + variable.name.size();
      const bool whole = (at == 0 || !IsWord(text[at - 1])) && (end >= text.size() || !IsWord(text[end]));
      const std::string_view line = LineBefore(text, at);
      const std::size_t first = line.find_first_not_of(" \t");
      const bool comment = first != std::string_view::npos && line[first] == '#';
      // In a document only what a command line sets.
      const bool set = end < text.size() && (sheet.type() != FileType::kMarkdown || text[end] == '=');
      const std::string_view value = whole && !comment && set ? ValueBehind(text, end) : std::string_view();
      const base::ByteSpan bytes{at, end + 1 + value.size()};
      if (!value.empty() && value.front() != '$') {
        if (variable.asked == Asked::kUnchecked) {
          sheet.Unchecked(value, bytes, variable.name);
        } else {
          constexpr double kUncompared = 1.8;
          const bool modules = variable.name == "GOPROXY";
          if (modules && !uncompared) uncompared = SwitchesSumsOff(text);
          sheet.Index(value, bytes, variable.asked == Asked::kOnly, modules && *uncompared ? kUncompared : 1.0);
        }
      }
      const std::size_t next = base::FindBytes(text.substr(end), variable.name);
      at = next == std::string_view::npos ? next : end + next;
    }
  }
}

}  // namespace interlock::scan
