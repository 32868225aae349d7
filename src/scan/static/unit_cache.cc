#include "static/unit_cache.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "interlock/base/digest.h"

namespace interlock::embedded {
std::string_view Find_scan_rules(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::scan {
namespace {

constexpr std::string_view kFormat = "interlock.scan-cache/v6\n";
constexpr std::size_t kMaxItems = 100'000;  // of any list

// Length before everything that has one; numbers as eight bytes, least first.
class Writer {
 public:
  Writer() : out_(kFormat) {}
  void Number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>(value >> (8 * i) & 0xFFU);
  }
  void Real(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    Number(bits);
  }
  void Text(std::string_view text) {
    Number(text.size());
    out_ += text;
  }
  [[nodiscard]] std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes), ok_(bytes.starts_with(kFormat)) {
    if (ok_) rest_.remove_prefix(kFormat.size());
  }
  std::uint64_t Number() {
    if (rest_.size() < 8) ok_ = false;
    if (!ok_) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(8);
    return value;
  }
  // At most `limit`.
  std::uint64_t Bounded(std::uint64_t limit) {
    const std::uint64_t value = Number();
    if (value > limit) ok_ = false;
    return ok_ ? value : 0;
  }
  double Real() {
    const std::uint64_t bits = Number();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) ok_ = false;
    return ok_ ? value : 0.0;
  }
  std::string Text() {
    const std::uint64_t size = Number();
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return {};
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  std::size_t Items() { return Bounded(kMaxItems); }
  void Refuse() { ok_ = false; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_;
};

void Put(Writer& w, const RawFinding& finding) {
  w.Text(finding.rule);
  w.Number(finding.file);
  w.Number(finding.bytes.begin);
  w.Number(finding.bytes.end);
  w.Real(finding.scale);
  w.Text(finding.message);
  w.Text(finding.evidence);
  w.Text(finding.decoded);
  w.Text(finding.subject);
  w.Number(finding.flow.size());
  for (const RawFlowStep& step : finding.flow) {
    w.Number(step.file);
    w.Number(step.offset);
    w.Text(step.text);
  }
  w.Number(finding.has_reach ? 1 : 0);
  w.Number(static_cast<std::uint64_t>(finding.reach));
  w.Real(finding.described);
  w.Text(finding.host);
  w.Number(finding.told ? 1 : 0);
  w.Number(finding.concrete ? 1 : 0);
  w.Number(finding.severity ? 1 + static_cast<std::uint64_t>(*finding.severity) : 0);
  w.Number(finding.listed_only ? 1 : 0);
}

// `files`: as many as the package has; `only`: the one file that a unit may speak of, which may have another number
// now.
RawFinding GetFinding(Reader& r, const RuleSet& rules, std::size_t files, const FileContext* only) {
  RawFinding finding;
  const std::string id = r.Text();
  const Rule* rule = rules.Find(id);
  if (rule == nullptr) {
    r.Refuse();
    return finding;
  }
  finding.rule = rule->id;
  const auto file_number = [&]() -> std::uint32_t {
    const auto number = static_cast<std::uint32_t>(r.Bounded(0xFFFFFFFFU));
    if (only == nullptr && number >= files) r.Refuse();
    return only != nullptr ? only->index : number;
  };
  finding.file = file_number();
  finding.bytes.begin = r.Number();
  finding.bytes.end = r.Number();
  if (finding.bytes.end < finding.bytes.begin) r.Refuse();
  if (only != nullptr && finding.bytes.end > only->text().size()) r.Refuse();
  finding.scale = r.Real();
  finding.message = r.Text();
  finding.evidence = r.Text();
  finding.decoded = r.Text();
  finding.subject = r.Text();
  const std::size_t steps = r.Items();
  for (std::size_t i = 0; i < steps && r.ok(); ++i) {
    RawFlowStep step;
    step.file = file_number();
    step.offset = static_cast<std::uint32_t>(r.Bounded(0xFFFFFFFFU));
    step.text = r.Text();
    finding.flow.push_back(std::move(step));
  }
  finding.has_reach = r.Bounded(1) != 0;
  finding.reach = static_cast<core::Reach>(r.Bounded(static_cast<std::uint64_t>(core::Reach::kVendored)));
  finding.described = r.Real();
  finding.host = r.Text();
  finding.told = r.Bounded(1) != 0;
  finding.concrete = r.Bounded(1) != 0;
  if (const std::uint64_t severity = r.Bounded(1 + static_cast<std::uint64_t>(core::Severity::kCritical));
      severity != 0) {
    finding.severity = static_cast<core::Severity>(severity - 1);
  }
  finding.listed_only = r.Bounded(1) != 0;
  return finding;
}

void Put(Writer& w, const code::CapabilityUse& use) {
  w.Number(static_cast<std::uint64_t>(use.permission));
  w.Number(use.file);
  w.Number(use.loc.begin);
  w.Number(use.loc.end);
  w.Text(use.callee);
  w.Text(use.detail);
  w.Number(use.obfuscation);
  w.Number(use.entries.size());
  for (const std::uint32_t entry : use.entries) w.Number(entry);
  w.Number(use.import_time ? 1 : 0);
}

code::CapabilityUse GetUse(Reader& r, std::size_t files, std::size_t entries, const FileContext* only) {
  code::CapabilityUse use;
  use.permission = static_cast<core::Permission>(r.Bounded(core::kPermissionCount - 1));
  use.file = static_cast<std::uint32_t>(r.Bounded(0xFFFFFFFFU));
  if (only != nullptr) use.file = only->index;
  if (use.file >= files) r.Refuse();
  use.loc.begin = static_cast<std::uint32_t>(r.Bounded(0xFFFFFFFFU));
  use.loc.end = static_cast<std::uint32_t>(r.Bounded(0xFFFFFFFFU));
  use.callee = r.Text();
  use.detail = r.Text();
  use.obfuscation = static_cast<std::uint8_t>(r.Bounded(255));
  const std::size_t count = r.Items();
  for (std::size_t i = 0; i < count && r.ok(); ++i) {
    const std::uint64_t entry = r.Number();
    if (entry >= entries) r.Refuse();
    use.entries.push_back(static_cast<std::uint32_t>(entry));
  }
  use.import_time = r.Bounded(1) != 0;
  return use;
}

void Put(Writer& w, const std::vector<core::SkippedPart>& parts) {
  w.Number(parts.size());
  for (const core::SkippedPart& part : parts) {
    w.Text(part.path);
    w.Number(static_cast<std::uint64_t>(part.reason));
    w.Number(part.bytes);
    w.Text(part.detail);
  }
}

void Get(Reader& r, std::vector<core::SkippedPart>& parts) {
  const std::size_t count = r.Items();
  for (std::size_t i = 0; i < count && r.ok(); ++i) {
    core::SkippedPart part;
    part.path = r.Text();
    part.reason = static_cast<core::SkipReason>(r.Bounded(static_cast<std::uint64_t>(core::SkipReason::kParserBudget)));
    part.bytes = r.Number();
    part.detail = r.Text();
    parts.push_back(std::move(part));
  }
}

// Everything beside the text that decides what analysers say.
void AddEngine(base::Sha256Hasher& hasher, const ScanOptions& options, const RuleSet& rules) {
  hasher.Update(kFormat).Update(options.cache_salt).Update("\n").Update(rules.version()).Update("\n");
  for (const std::string_view file : {"catalogue/python.json", "catalogue/javascript.json"}) {
    hasher.Update(embedded::Find_scan_rules(file));
  }
  const std::array<std::uint64_t, 2> budgets = {options.max_parse_steps, options.max_code_bytes};
  hasher.Update(std::string_view(reinterpret_cast<const char*>(budgets.data()), sizeof budgets));
}

}  // namespace

std::string UnitKey(const FileContext& file, std::string_view sha256, const ScanOptions& options,
                    const RuleSet& rules) {
  base::Sha256Hasher hasher;
  AddEngine(hasher, options, rules);
  hasher.Update("unit\n").Update(sha256).Update("\n").Update(file.file->path).Update("\n");
  const char kinds[] = {static_cast<char>(file.type), static_cast<char>(file.claimed), static_cast<char>(file.started),
                        static_cast<char>(file.reach), file.file->executable ? '1' : '0'};
  hasher.Update(std::string_view(kinds, sizeof kinds));
  return hasher.Finish().ToHex();
}

std::string EncodeUnit(const FileResult& result, const std::vector<code::CapabilityUse>& uses) {
  Writer w;
  w.Number(result.analysed);
  w.Number(result.findings.size());
  for (const RawFinding& finding : result.findings) Put(w, finding);
  Put(w, result.skipped);
  w.Number(uses.size());
  for (const code::CapabilityUse& use : uses) Put(w, use);
  return w.Take();
}

bool DecodeUnit(std::string_view bytes, const FileContext& file, const RuleSet& rules, KeptUnit& out) {
  Reader r(bytes);
  out.result.analysed = r.Bounded(file.text().size());
  const std::size_t findings = r.Items();
  for (std::size_t i = 0; i < findings && r.ok(); ++i) out.result.findings.push_back(GetFinding(r, rules, 0, &file));
  Get(r, out.result.skipped);
  const std::size_t uses = r.Items();
  for (std::size_t i = 0; i < uses && r.ok(); ++i) {
    out.uses.push_back(GetUse(r, std::size_t{file.index} + 1, 0, &file));
  }
  return r.done();
}

std::string CodeKey(const core::PackageView& view, const std::vector<std::string>& sha256, const ScanOptions& options,
                    const RuleSet& rules) {
  base::Sha256Hasher hasher;
  AddEngine(hasher, options, rules);
  hasher.Update("code\n");
  for (std::size_t i = 0; i < view.files.size() && i < sha256.size(); ++i) {
    const std::uint64_t size = view.files[i].path.size();
    hasher.Update(std::string_view(reinterpret_cast<const char*>(&size), sizeof size));
    hasher.Update(view.files[i].path).Update(sha256[i]).Update(view.files[i].executable ? "1" : "0");
  }
  return hasher.Finish().ToHex();
}

std::string EncodeCode(const code::CodeFacts& facts, const std::vector<core::SkippedPart>& skipped) {
  Writer w;
  w.Number(facts.entries.size());
  for (const code::EntryPoint& entry : facts.entries) {
    w.Text(entry.name);
    w.Text(entry.kind);
    w.Number(entry.module);
    w.Number(entry.file);
    w.Number(entry.function);
    w.Text(entry.description);
    w.Number(entry.loc.begin);
    w.Number(entry.loc.end);
    w.Number(entry.declared);
    w.Number((entry.declares ? 1U : 0U) | (entry.read_only ? 2U : 0U));
  }
  w.Number(facts.uses.size());
  for (const code::CapabilityUse& use : facts.uses) Put(w, use);
  w.Number(facts.findings.size());
  for (const RawFinding& finding : facts.findings) Put(w, finding);
  w.Number(facts.given.size());
  for (const std::string& path : facts.given) w.Text(path);
  w.Number(facts.handed.size());
  for (const code::HandedOut& handed : facts.handed) {
    w.Number(static_cast<std::uint64_t>(handed.what));
    w.Number(handed.file);
    w.Number(handed.loc.begin);
    w.Number(handed.loc.end);
    w.Text(handed.line);
  }
  w.Number(facts.lifted.size());
  for (const std::uint32_t file : facts.lifted) w.Number(file);
  Put(w, skipped);
  return w.Take();
}

bool DecodeCode(std::string_view bytes, const std::vector<FileContext>& files, const RuleSet& rules,
                code::CodeFacts& out, std::vector<core::SkippedPart>& skipped) {
  Reader r(bytes);
  constexpr std::uint64_t kAny32 = 0xFFFFFFFFU;
  const std::size_t entries = r.Items();
  for (std::size_t i = 0; i < entries && r.ok(); ++i) {
    code::EntryPoint entry;
    entry.name = r.Text();
    entry.kind = r.Text();
    entry.module = static_cast<std::uint32_t>(r.Bounded(kAny32));
    entry.file = static_cast<std::uint32_t>(r.Bounded(kAny32));
    if (entry.file >= files.size()) r.Refuse();
    entry.function = static_cast<std::uint32_t>(r.Bounded(kAny32));
    entry.description = r.Text();
    entry.loc.begin = static_cast<std::uint32_t>(r.Bounded(kAny32));
    entry.loc.end = static_cast<std::uint32_t>(r.Bounded(kAny32));
    entry.declared = static_cast<core::PermissionSet>(r.Bounded(std::numeric_limits<core::PermissionSet>::max()));
    const std::uint64_t flags = r.Bounded(3);
    entry.declares = (flags & 1U) != 0;
    entry.read_only = (flags & 2U) != 0;
    out.entries.push_back(std::move(entry));
  }
  const std::size_t uses = r.Items();
  for (std::size_t i = 0; i < uses && r.ok(); ++i) {
    out.uses.push_back(GetUse(r, files.size(), out.entries.size(), nullptr));
  }
  const std::size_t findings = r.Items();
  for (std::size_t i = 0; i < findings && r.ok(); ++i) {
    out.findings.push_back(GetFinding(r, rules, files.size(), nullptr));
  }
  const std::size_t given = r.Items();
  for (std::size_t i = 0; i < given && r.ok(); ++i) out.given.push_back(r.Text());
  const std::size_t handed = r.Items();
  for (std::size_t i = 0; i < handed && r.ok(); ++i) {
    code::HandedOut one;
    one.what = static_cast<code::HandedOut::What>(r.Bounded(static_cast<std::uint64_t>(code::HandedOut::What::kKept)));
    one.file = static_cast<std::uint32_t>(r.Bounded(kAny32));
    if (one.file >= files.size()) r.Refuse();
    one.loc.begin = static_cast<std::uint32_t>(r.Bounded(kAny32));
    one.loc.end = static_cast<std::uint32_t>(r.Bounded(kAny32));
    one.line = r.Text();
    out.handed.push_back(std::move(one));
  }
  const std::size_t lifted = r.Items();
  for (std::size_t i = 0; i < lifted && r.ok(); ++i)
    out.lifted.push_back(static_cast<std::uint32_t>(r.Bounded(files.empty() ? 0 : files.size() - 1)));
  Get(r, skipped);
  return r.done();
}

}  // namespace interlock::scan
