// Every file by itself: secrets in text, programs in a package of sources, files that pretend to be something else.
#include <algorithm>
#include <array>
#include <cmath>

#include "fmt/format.h"
#include "interlock/base/check.h"
#include "interlock/base/text.h"
#include "interlock/patterns/pattern_set.h"
#include "static/classify.h"
#include "static/notebook.h"
#include "static/pickle.h"
#include "static/supply.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxSecretText = std::size_t{8} << 20;
constexpr std::size_t kMaxSecrets = 20;  // of one file

struct SecretKind {
  std::string_view what;
  std::string_view regex;
  std::string_view word;
  double min_entropy;  // bits a character of the random part
};
// Tokens that their issuer made recognisable. Only those: a scanner that guesses at "password = ..." is switched off.
constexpr std::array kSecrets = {
    SecretKind{"GitHub token", R"(\bgh[pousr]_[A-Za-z0-9]{36}\b)", "gh", 3.2},
    SecretKind{"GitHub token", R"(\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b)", "github_pat_", 3.5},
    SecretKind{"GitLab token", R"(\bglpat-[A-Za-z0-9_-]{20}\b)", "glpat-", 3.0},
    SecretKind{"AWS access key", R"(\b(?:AKIA|ASIA)[A-Z2-7]{16}\b)", "A", 2.8},
    SecretKind{"Slack token", R"(\bxox[abpsr]-[0-9]{9,13}-[0-9]{9,13}-[A-Za-z0-9-]{20,}\b)", "xox", 2.8},
    SecretKind{"Slack webhook", R"(https://hooks\.slack\.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24})",
               "hooks.slack.com", 3.0},
    SecretKind{"Stripe key", R"(\b[sr]k_live_[A-Za-z0-9]{24,99}\b)", "k_live_", 3.2},
    SecretKind{"Google API key", R"(\bAIza[0-9A-Za-z_-]{35}\b)", "aiza", 3.2},
    SecretKind{"OpenAI key", R"(\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,80}T3BlbkFJ[A-Za-z0-9_-]{20,80}\b)",
               "t3blbkfj", 3.2},
    SecretKind{"Anthropic key", R"(\bsk-ant-(?:api|admin)[0-9]{2}-[A-Za-z0-9_-]{80,110}\b)", "sk-ant-", 3.5},
    SecretKind{"Hugging Face token", R"(\bhf_[A-Za-z]{34}\b)", "hf_", 3.2},
    SecretKind{"npm token", R"(\bnpm_[A-Za-z0-9]{36}\b)", "npm_", 3.2},
    SecretKind{"PyPI token", R"(\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}\b)", "pypi-ageichlwas5vcmc", 3.2},
    SecretKind{"SendGrid key", R"(\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b)", "sg.", 3.5},
    SecretKind{"Telegram bot token", R"(\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b)", ":aa", 3.5},
    SecretKind{"Discord webhook",
               R"(https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,80})",
               "/api/webhooks/", 3.5},
    SecretKind{"private key",
               R"(-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{100})",
               "private key-----", 0.0},
};

const patterns::PatternSet& SecretPatterns() {
  static const patterns::PatternSet set = [] {
    std::vector<patterns::PatternSpec> specs;
    for (const SecretKind& kind : kSecrets) {
      patterns::PatternSpec spec{.regex = std::string(kind.regex), .words = {}, .reach = 400};
      if (kind.word == "gh")
        spec.words = {"ghp_", "gho_", "ghu_", "ghs_", "ghr_"};
      else if (kind.word == "A")
        spec.words = {"AKIA", "ASIA"};
      else
        spec.words = {std::string(kind.word)};
      specs.push_back(std::move(spec));
    }
    auto made = patterns::PatternSet::Compile(specs, {.max_hits = 8, .check = false});
    INTERLOCK_CHECK(made.ok(), "a test compiles them");
    return std::move(made.value());
  }();
  return set;
}

double EntropyOf(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const std::size_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

// Documentation keys and stand-ins.
bool IsStandIn(std::string_view token) {
  const std::string lower = LowerCase(token);
  constexpr std::array<std::string_view, 16> kWords = {
      "example", "xxxx", "your",  "placeholder", "1234567", "abcdef", "dummy", "fake",
      "sample",  "test", "redac", "000000",      "aaaaaa",  "secret", "token", "****"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// "...?X-Amz-Credential=" before it.
bool SignsAddress(std::string_view before) {
  return before.ends_with("Credential=") || before.ends_with("AWSAccessKeyId=");
}

// GitHub's and npm's tokens end in a checksum: CRC-32 of what stands before it, in base 62.
bool HasChecksum(std::string_view token) {
  const std::size_t prefix = token.find('_') + 1;
  if (token.size() != prefix + 36) return true;
  std::uint32_t crc = 0xffffffffU;
  for (const char c : token.substr(prefix, 30)) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  crc = ~crc;
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string expected(6, '0');
  for (std::size_t i = 6; i-- > 0; crc /= 62) expected[i] = kDigits[crc % 62];
  return token.substr(prefix + 30) == expected;
}

std::string Masked(std::string_view token) {
  const std::size_t shown = token.find("PRIVATE KEY") != std::string_view::npos
                                ? token.find("-----", 5) + 5
                                : std::min<std::size_t>(8, token.size() / 4);
  return std::string(token.substr(0, shown)) + fmt::format("...({} characters)", token.size());
}

void FindSecrets(const FileContext& file, FileResult& out) {
  if (file.reach == core::Reach::kTest || file.reach == core::Reach::kExample || file.reach == core::Reach::kVendored)
    return;
  const std::string_view text = file.text();
  if (text.size() > kMaxSecretText) return;
  thread_local patterns::PatternScratch scratch;
  std::vector<patterns::PatternHit> hits;
  SecretPatterns().Scan(text, scratch, hits);
  std::size_t found = 0;
  for (const patterns::PatternHit& hit : hits) {
    if (found >= kMaxSecrets) return;
    const SecretKind& kind = kSecrets[hit.pattern];
    const std::string_view token = text.substr(hit.bytes.begin, hit.bytes.end - hit.bytes.begin);
    const bool key_block = kind.what == "private key";
    if (IsStandIn(token) || EntropyOf(token) < kind.min_entropy) continue;
    // An address that was signed for a while names the key, and holds nothing that it could be used with.
    if (kind.what == "AWS access key" && SignsAddress(text.substr(0, hit.bytes.begin))) continue;
    if ((kind.what == "GitHub token" && token.substr(0, 2) == "gh" && token[3] == '_' && !HasChecksum(token)) ||
        (kind.what == "npm token" && !HasChecksum(token))) {
      continue;
    }
    ++found;
    RawFinding finding;
    finding.rule = key_block ? "SC-021" : "SC-020";
    finding.file = file.index;
    finding.bytes = hit.bytes;
    finding.message =
        fmt::format("{} in the package: whoever has the package has it", key_block ? "a private key" : kind.what);
    finding.evidence = Masked(token);
    finding.subject = kind.what;
    // It names a client, which shows it to everybody; what it may do is bounded on the other side.
    if (kind.what == "Google API key") finding.severity = core::Severity::kMedium;
    out.findings.push_back(std::move(finding));
  }
}

bool IsProgram(FileType type) {
  return type == FileType::kElf || type == FileType::kPe || type == FileType::kMachO || type == FileType::kWasm ||
         type == FileType::kPyc;
}

// Types that a host or a reader takes for harmless.
bool IsHarmless(FileType type) {
  return type == FileType::kImage || type == FileType::kFont || type == FileType::kMedia || type == FileType::kPdf ||
         type == FileType::kOffice || type == FileType::kMarkdown || type == FileType::kPlainText ||
         type == FileType::kJson || type == FileType::kYaml || type == FileType::kToml || type == FileType::kIni;
}

void Add(const FileContext& file, FileResult& out, std::string_view rule, std::string message,
         base::ByteSpan bytes = {}) {
  RawFinding finding;
  finding.rule = rule;
  finding.file = file.index;
  finding.bytes = bytes;
  finding.message = std::move(message);
  finding.evidence = base::Printable(file.file->path, 200);
  finding.subject = NameOf(file.type);
  out.findings.push_back(std::move(finding));
}

bool EndsWithAny(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

// Several words that only programs have; pages and pointers to large files have none of them.
bool SpeaksCode(std::string_view text) {
  constexpr std::size_t kHead = 65'536;
  constexpr int kSeveral = 2;
  text = text.substr(0, kHead);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '<' || text[first] == '%') return false;
  int found = 0;
  for (const std::string_view word :
       {"require(",    "child_process", "eval(", "fetch(",        "process.",  "module.exports", "globalThis",
        "Buffer.from", "fromCharCode",  "atob(", "=> {",          "function(", "function (",     "import os",
        "import sys",  "subprocess",    "exec(", "import base64", "urllib",    "def ",           "os.system",
        "curl ",       "| bash",        "| sh",  "iex",           "powershell"}) {
    found += text.find(word) != std::string_view::npos ? 1 : 0;
  }
  return found >= kSeveral;
}

void FindDisguise(const FileContext& file, FileResult& out) {
  const std::string_view text = file.text();
  const std::string base = LowerCase(BaseName(file.file->path));
  const bool program = IsProgram(file.type) && file.type != FileType::kPyc;
  if (IsHarmless(file.claimed) && program) {
    Add(file, out, "SC-023", fmt::format("is a program ({}) under the name of something harmless", NameOf(file.type)));
    return;
  }
  // A script under a picture's name: text, with an interpreter's line or commands on top.
  const bool binary_name = file.claimed == FileType::kImage || file.claimed == FileType::kFont ||
                           file.claimed == FileType::kMedia || file.claimed == FileType::kPdf;
  if (binary_name && text.starts_with("#!")) {
    Add(file, out, "SC-023", "is a script under the name of something harmless",
        {0, std::min(text.find('\n'), text.size())});
    return;
  }
  // ... or a program in plain text, which only the name keeps from being read as one.
  if (binary_name && IsText(file.type) && SpeaksCode(text)) {
    Add(file, out, "SC-023", "is a program under the name of something harmless",
        {0, std::min(text.find('\n'), text.size())});
    return;
  }
  // "report.pdf.exe": the last part is what runs, the one before is what people see.
  if (EndsWithAny(base, {".exe", ".scr", ".bat", ".cmd", ".com", ".vbs", ".ps1", ".lnk", ".hta", ".pif", ".js.exe"})) {
    const std::string_view stem = std::string_view(base).substr(0, base.rfind('.'));
    if (EndsWithAny(stem, {".pdf", ".txt", ".doc", ".docx", ".xls", ".xlsx", ".jpg", ".jpeg", ".png", ".gif", ".mp3",
                           ".mp4", ".zip"})) {
      Add(file, out, "SC-024", "runs, though it is named like a document");
      return;
    }
  }
  if (program) {
    const bool plain = file.type == FileType::kWasm || EndsWithAny(base, {".node", ".so", ".dylib", ".dll", ".pyd"}) ||
                       base.find(".so.") != std::string::npos;
    RawFinding finding;
    Add(file, out, "SC-022",
        fmt::format("a compiled program ({}) that nobody can read lies in the package", NameOf(file.type)));
    // Native modules are built with their package; a bare program beside scripts is rarer.
    out.findings.back().scale = plain ? 0.5 : 1.0;
  }
}

}  // namespace

void AnalyzeArtifacts(const FileContext& file, FileResult& out) {
  if (file.text().empty()) return;
  FindDisguise(file, out);
  if (IsText(file.type)) {
    FindSecrets(file, out);
    FindWrittenSecrets(file, out);
    if (file.type == FileType::kNotebook) AnalyzeNotebook(file, out);
  } else if (IsProgram(file.type)) {
    // Read as far as its kind; bytecode is read whole by AnalyzeBytecode.
    out.analysed = file.type == FileType::kPyc ? file.text().size() : 0;
  }
  JudgePickle(file, out);
}

}  // namespace interlock::scan
