// The project's own fixtures: interlock.scan-fixture/v1.
#include <algorithm>
#include <array>
#include <optional>

#include "import_common.h"
#include "interlock/base/digest.h"
#include "interlock/eval/scanner/sample.h"

namespace interlock::eval::scanner {

using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::Result;

namespace {

constexpr std::size_t kMaxFixtureBytes = std::size_t{64} << 20;

std::optional<std::string> FromBase64(std::string_view text) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') {
      if (text.substr(i).find_first_not_of('=') != std::string_view::npos || text.size() - i > 2) return std::nullopt;
      break;
    }
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFFFU;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xFFU));
    }
  }
  return out;
}

bool IsPlainPath(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\\') != std::string_view::npos ||
      path.find('\0') != std::string_view::npos) {
    return false;
  }
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

// A file: text, an array of lines, or {"base64": ...}.
Result<std::string> FileBytes(JsonValue value) {
  if (value.is_string()) return std::string(value.string());
  if (value.is_array()) {
    std::string out;
    bool first = true;
    for (const JsonValue line : value) {
      if (!line.is_string()) return ShapeError(line, "a line of a file is no text");
      if (!first) out.push_back('\n');
      first = false;
      out += line.string();
    }
    return out;
  }
  if (value.is_object() && value.size() == 1 && value.Find("base64").is_string()) {
    if (auto bytes = FromBase64(value.Find("base64").string())) return std::move(*bytes);
  }
  return ShapeError(value, "a file is text, lines, or {\"base64\": ...}");
}

Result<core::PackageView> FilesOf(JsonValue object, const std::string& target) {
  if (!object.is_object() || object.size() == 0) return ShapeError(object, "a half of a fixture has no files");
  core::PackageView view{.target = target, .files = {}, .skipped = {}, .total_bytes = 0};
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (!IsPlainPath(member.key())) return ShapeError(*member, "not a relative path");
    Result<std::string> bytes = FileBytes(*member);
    if (!bytes.ok()) return bytes.error();
    view.total_bytes += bytes.value().size();
    const bool script = bytes.value().rfind("#!", 0) == 0;
    view.files.push_back({.path = std::string(member.key()), .bytes = std::move(bytes.value()), .executable = script});
  }
  std::sort(view.files.begin(), view.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return view;
}

struct Bounds {
  core::ScanVerdict at_least;
  core::ScanVerdict at_most;
  bool semantic_only;
};
std::optional<Bounds> BoundsOf(std::string_view expected) {
  using core::ScanVerdict;
  if (expected == "BLOCK") return Bounds{ScanVerdict::kBlock, ScanVerdict::kBlock, false};
  if (expected == "WARN+") return Bounds{ScanVerdict::kWarn, ScanVerdict::kBlock, false};
  if (expected == "WARN") return Bounds{ScanVerdict::kWarn, ScanVerdict::kWarn, false};
  if (expected == "SAFE (semantic only)") return Bounds{ScanVerdict::kSafe, ScanVerdict::kBlock, true};
  if (expected == "SAFE|WARN") return Bounds{ScanVerdict::kSafe, ScanVerdict::kWarn, false};
  if (expected == "SAFE") return Bounds{ScanVerdict::kSafe, ScanVerdict::kSafe, false};
  return std::nullopt;
}

// How the agent meets it, from the files: fixtures do not say, so that a scanner cannot be told either.
std::string KindOf(const core::PackageView& view) {
  const auto has = [&](auto matches) { return std::any_of(view.files.begin(), view.files.end(), matches); };
  const auto ends = [](std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  };
  if (has([&](const auto& file) { return ends(file.path, "SKILL.md"); })) return "skill";
  if (has([&](const auto& file) { return file.path == core::kMcpListingPath; })) return "mcp-listing";
  if (has([&](const auto& file) { return file.bytes.find("langchain") != std::string::npos; })) return "langchain-tool";
  if (has([&](const auto& file) {
        return file.bytes.find("FastMCP") != std::string::npos || file.bytes.find("McpServer") != std::string::npos ||
               file.bytes.find("modelcontextprotocol") != std::string::npos;
      })) {
    return "mcp-server";
  }
  if (has([&](const auto& file) { return ends(file.path, ".py") || ends(file.path, ".js"); })) return "code";
  return "file";
}

}  // namespace

std::string_view NameOf(SampleLabel label) noexcept {
  switch (label) {
    case SampleLabel::kMalicious:
      return "malicious";
    case SampleLabel::kVulnerable:
      return "vulnerable";
    case SampleLabel::kBenign:
      break;
  }
  return "benign";
}

bool FixtureIsHeld(std::string_view id) { return base::Sha256("v6:" + std::string(id)).bytes[0] % 3 == 0; }

Result<std::vector<ScanSample>> ParseScanFixture(std::string_view bytes) {
  auto parsed = JsonDoc::Parse(bytes, {.max_bytes = kMaxFixtureBytes, .max_depth = 8, .max_values = 1'000'000});
  if (!parsed.ok()) return parsed.error();
  const JsonValue root = parsed.value().root();
  if (root.Find("schema").string() != "interlock.scan-fixture/v1") return ShapeError(root, "not a scan fixture");
  const std::string_view id = root.Find("id").string();
  if (id.empty()) return ShapeError(root, "a fixture has no id");
  ScanSample sample;
  sample.set = "fixtures";
  sample.tier = "own";
  sample.cluster = std::string(id);
  sample.technique = std::string(root.Find("technique").string());
  sample.held = FixtureIsHeld(id);
  if (root.Find("split").string() != (sample.held ? "held" : "tune")) {
    return ShapeError(root.Find("split"), "the split is not the one that the id gives");
  }
  const std::string_view label = root.Find("label").string();
  const bool hard_negative = label == "hard-negative";
  if (!hard_negative) {
    const auto threat = core::ThreatClassFromName(root.Find("threat").string());
    if (!threat || *threat == core::ThreatClass::kNone) return ShapeError(root.Find("threat"), "no threat class");
    sample.threat = *threat;
  }
  std::vector<ScanSample> out;
  const auto add = [&](std::string_view half, SampleLabel what) -> base::Status {
    const auto bounds = BoundsOf(root.Find("expect").Find(half).string());
    if (!bounds) return ShapeError(root.Find("expect"), "an expected verdict is missing or unknown");
    ScanSample one = sample;
    one.id = std::string(id) + "/" + std::string(half);
    one.label = what;
    one.at_least = bounds->at_least;
    one.at_most = bounds->at_most;
    one.semantic_only = bounds->semantic_only;
    auto view = FilesOf(root.Find(half), one.id);
    if (!view.ok()) return view.error();
    one.view = std::move(view.value());
    one.kind = KindOf(one.view);
    if (what == SampleLabel::kBenign) {
      one.threat = core::ThreatClass::kNone;
      one.twin = !hard_negative;
      one.hard_negative = hard_negative ? 1 : 0;
    }
    out.push_back(std::move(one));
    return {};
  };
  if (label == "malicious" || label == "vulnerable") {
    const SampleLabel what = label == "malicious" ? SampleLabel::kMalicious : SampleLabel::kVulnerable;
    if (auto status = add(label, what); !status.ok()) return status.error();
  } else if (!hard_negative) {
    return ShapeError(root.Find("label"), "a label this reader does not know");
  }
  if (auto status = add("clean", SampleLabel::kBenign); !status.ok()) return status.error();
  return out;
}

}  // namespace interlock::eval::scanner
