// Records of the development corpus, and what its attack classes are in the taxonomy.
#define OPENSSL_API_COMPAT 10101  // as base/digest.cc: no settings of the machine are read for it
#include <openssl/sha.h>

#include <algorithm>
#include <array>

#include "import_common.h"
#include "interlock/eval/scanner/sample.h"

namespace interlock::eval::scanner {

using base::JsonDoc;
using base::JsonValue;
using base::Result;
using core::ThreatClass;

namespace {

constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;

struct ClassRow {
  std::string_view name;  // the whole attack class, or where `part`, a part of it
  ThreatClass threat;
  bool part = false;
};
// Text that orders the model about is T2, text of a tool's definition and personas T3, code or commands that act T4 to
// T6, what is fetched and run T1. Where a sample does two things, the one without which the other would not work.
constexpr std::array kClasses = std::to_array<ClassRow>({
    {"trojan_prerequisite_install", ThreatClass::kT1},
    {"obfuscated_trojan_install", ThreatClass::kT1},
    {"openclaw_compromised_like", ThreatClass::kT1},
    {"other", ThreatClass::kT1},
    {"eicar-test", ThreatClass::kT1},
    {"rug_pull", ThreatClass::kT1},
    {"warn_skill", ThreatClass::kT1},
    {"Download and Execute", ThreatClass::kT1, true},
    {"Remote Payload Execution", ThreatClass::kT1, true},
    {"mcp-config-attacks", ThreatClass::kT3},
    {"mcp_poisoned_tool", ThreatClass::kT3},
    {"roleplay", ThreatClass::kT3},
    {"ssd2_novel_phrasing", ThreatClass::kT3},
    {"tool-desc-injection", ThreatClass::kT3},
    {"tool_description_injection", ThreatClass::kT3},
    {"tool_poisoning_demo", ThreatClass::kT3},
    {"tool_shadowing", ThreatClass::kT3},
    {"encoded", ThreatClass::kT4},
    {"obfuscation", ThreatClass::kT4},
    {"string-concat", ThreatClass::kT4},
    {"reverse-shell", ThreatClass::kT4},
    {"skill-risks", ThreatClass::kT4},
    {"mcp_mismatched_skill", ThreatClass::kT4},
    {"flowise-cve-2025-59528", ThreatClass::kT4},
    {"mcpwn-cve-2026-33032", ThreatClass::kT4},
    {"multi", ThreatClass::kT4},
    {"Chmod", ThreatClass::kT4, true},
    {"Deletion", ThreatClass::kT4, true},
    {"Cleanup", ThreatClass::kT4, true},
    {"Permissions", ThreatClass::kT4, true},
    {"Password Protection", ThreatClass::kT4, true},
    {"Secure Archive", ThreatClass::kT4, true},
    {"contains-secrets", ThreatClass::kT6},
    {"data_exfiltration", ThreatClass::kT6},
    {"exfiltrator", ThreatClass::kT6},
    {"mcp-path-traversal", ThreatClass::kT6},
    {"ssd3_nl_exfiltration", ThreatClass::kT6},
    {"svg_xss_exfiltration_poc", ThreatClass::kT6},
    {"token_theft", ThreatClass::kT6},
    {"xfiltration", ThreatClass::kT6, true},
    {"Backup Instruction", ThreatClass::kT6, true},
    {"Logging Server", ThreatClass::kT6, true},
    {"Token Exposure", ThreatClass::kT6, true},
    {"Location", ThreatClass::kT6, true},
    // The rest speaks to the model.
    {"agent_hijack", ThreatClass::kT2, true},
    {"chinese-injection", ThreatClass::kT2},
    {"description-exfil", ThreatClass::kT2},
    {"malicious-hard-trigger", ThreatClass::kT2},
    {"malicious-skill", ThreatClass::kT2},
    {"injection", ThreatClass::kT2, true},
    {"ssd1_semantic_injection", ThreatClass::kT2},
    {"ssd4_narrative_deception", ThreatClass::kT2},
    {"system-prompt-attacks", ThreatClass::kT2},
    {"zero-width-hidden", ThreatClass::kT2},
    {"contextual:", ThreatClass::kT2, true},
    {"obvious:", ThreatClass::kT2, true},
});

// One of the sources numbers its attacks in the id instead: "claude_mal_A05_002".
constexpr std::array kNumbered = std::to_array<ThreatClass>({
    ThreatClass::kNone,
    ThreatClass::kT6,
    ThreatClass::kT6,
    ThreatClass::kT6,
    ThreatClass::kT1,
    ThreatClass::kT4,  // destructive commands
    ThreatClass::kT4,  // permissions of files
    ThreatClass::kT6,
    ThreatClass::kT3,
    ThreatClass::kT4,
    ThreatClass::kT4,  // mining
    ThreatClass::kT5,
    ThreatClass::kT5,
    ThreatClass::kT6,
});

bool StartsWithLetterDigit(std::string_view cluster) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA_CTX context;
  if (SHA1_Init(&context) != 1 || SHA1_Update(&context, cluster.data(), cluster.size()) != 1 ||
      SHA1_Final(digest.data(), &context) != 1)
    return true;
  return (digest[0] >> 4U) >= 10;
}

bool IsCode(std::string_view path) {
  static constexpr std::array<std::string_view, 14> kEnds = {".py", ".js",  ".ts",  ".sh",  ".mjs", ".cjs",  ".go",
                                                             ".rs", ".tsx", ".jsx", ".ps1", ".rb",  ".java", ".svg"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) {
    return path.size() > end.size() && path.substr(path.size() - end.size()) == end;
  });
}

}  // namespace

ThreatClass ThreatOfAttackClass(std::string_view attack_class, std::string_view id) {
  for (const ClassRow& row : kClasses) {
    if (row.part ? attack_class.find(row.name) != std::string_view::npos : attack_class == row.name) return row.threat;
  }
  if (!attack_class.empty()) return ThreatClass::kNone;
  const std::size_t mark = id.find("_A");
  if (mark != std::string_view::npos && mark + 4 <= id.size()) {
    const auto digit = [&](std::size_t at) { return static_cast<std::size_t>(id[at]) - '0'; };
    const std::size_t number = digit(mark + 2) * 10 + digit(mark + 3);
    if (digit(mark + 2) < 10 && digit(mark + 3) < 10 && number < kNumbered.size()) return kNumbered[number];
  }
  return ThreatClass::kT2;
}

Result<ScanSample> ParseCorpusRecord(std::string_view line) {
  auto parsed = JsonDoc::Parse(line, {.max_bytes = kMaxRecordBytes, .max_depth = 8, .max_values = 1'000'000});
  if (!parsed.ok()) return parsed.error();
  const JsonValue root = parsed.value().root();
  ScanSample sample;
  sample.set = "corpus";
  sample.id = std::string(root.Find("id").string());
  if (sample.id.empty() || !root.Find("files").is_object()) return ShapeError(root, "a record needs `id` and `files`");
  const std::string_view label = root.Find("label").string();
  if (label == "malicious") {
    sample.label = SampleLabel::kMalicious;
    sample.at_least = core::ScanVerdict::kWarn;
  } else if (label == "vulnerable") {
    sample.label = SampleLabel::kVulnerable;
    sample.at_least = core::ScanVerdict::kWarn;
    sample.at_most = core::ScanVerdict::kWarn;
  } else if (label == "benign") {
    sample.at_most = core::ScanVerdict::kSafe;
  } else {
    return ShapeError(root.Find("label"), "a label this reader does not know");
  }
  sample.kind = std::string(root.Find("kind").string());
  sample.tier = std::string(root.Find("tier").string());
  sample.technique = std::string(root.Find("attack_class").string());
  sample.cluster = std::string(root.Find("cluster").string());
  sample.held = StartsWithLetterDigit(sample.cluster);
  const std::string_view hard = root.Find("hard_negative").string();
  sample.hard_negative = hard == "2" ? 2 : hard == "1" ? 1 : 0;
  if (sample.label != SampleLabel::kBenign) sample.threat = ThreatOfAttackClass(sample.technique, sample.id);
  // In the constructed ones the order stands in the text, except where the name says that a script carries it.
  const bool in_text = sample.tier == "constructed" && sample.technique.find("(Script)") == std::string::npos;
  for (const JsonValue path : root.Find("omitted")) {
    sample.code_left_out = sample.code_left_out || (!in_text && IsCode(path.string()));
  }
  sample.view.target = sample.id;
  const JsonValue files = root.Find("files");
  for (auto member = files.begin(); member != files.end(); ++member) {
    if (!(*member).is_string()) return ShapeError(*member, "a file is no text");
    sample.view.files.push_back(
        {.path = std::string(member.key()), .bytes = std::string((*member).string()), .executable = false});
    sample.view.total_bytes += (*member).string().size();
  }
  std::sort(sample.view.files.begin(), sample.view.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return sample;
}

}  // namespace interlock::eval::scanner
