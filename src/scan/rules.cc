#include "interlock/scan/rules.h"

#include <algorithm>
#include <map>

#include "interlock/base/check.h"
#include "interlock/base/digest.h"
#include "interlock/base/text.h"
#include "rules_impl.h"
#include "rules_read.h"

namespace interlock::embedded {
std::string_view Find_scan_rules(std::string_view file);  // generated: cmake/Embed.cmake
std::string_view Name_scan_rules(std::size_t i);
std::string_view Digest_scan_rules(std::size_t i);
std::string_view Find_scan_needs(std::string_view file);
}  // namespace interlock::embedded

namespace interlock::scan {
namespace {

constexpr std::int64_t kRegexMemory = std::int64_t{4} << 20;
constexpr std::size_t kKeySize = 16;

// Other data (taxonomy, catalogue) lies in the same folder; rule files say that they are.
// Their digests, in hex, were taken when the program was built.
std::vector<RuleFile> Shipped(std::vector<std::string>& digests) {
  std::vector<RuleFile> files;
  for (std::size_t i = 0; !embedded::Name_scan_rules(i).empty(); ++i) {
    const std::string_view name = embedded::Name_scan_rules(i);
    const std::string_view bytes = embedded::Find_scan_rules(name);
    if (bytes.substr(0, 200).find(kRulesSchema) == std::string_view::npos) continue;
    files.push_back({"rules/scan/" + std::string(name), std::string(bytes)});
    digests.emplace_back(embedded::Digest_scan_rules(i));
  }
  return files;
}

// What stands for a pattern in rules_needs.txt: of other words, or another expression, another one.
std::string KeyOf(const Rule::Pattern& pattern) {
  std::string all = pattern.regex;
  for (const std::string& word : pattern.words) {
    all += '\0';
    all += word;
  }
  std::uint64_t hash = base::SipHash({0, 0}, all);  // of one's own making: nobody gains by two that are alike
  std::string key(kKeySize, '0');
  for (auto digit = key.rbegin(); digit != key.rend(); ++digit, hash >>= 4U) *digit = "0123456789abcdef"[hash & 15U];
  return key;
}

// Lines of a key, a tab, and what PatternSet::Derive() gave.
std::map<std::string_view, std::string_view> ReadNeeds() {
  std::map<std::string_view, std::string_view> out;
  std::string_view text = embedded::Find_scan_needs("rules_needs.txt");
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() > kKeySize && line[kKeySize] == '\t')
      out.emplace(line.substr(0, kKeySize), line.substr(kKeySize + 1));
  }
  return out;
}

void FillTaxonomy(Rule& rule) {
  for (const ThreatInfo& threat : Threats()) {
    if (threat.threat != rule.threat) continue;
    if (rule.stride.empty()) rule.stride = threat.stride;
    if (rule.owasp.empty()) rule.owasp = threat.owasp;
    if (rule.atlas.empty()) rule.atlas = threat.atlas;
  }
}

// `digests`: of the first files, which are the shipped ones: a test has tried their expressions.
base::Result<std::unique_ptr<RuleSet::Impl>> Build(std::span<const RuleFile> files,
                                                   std::span<const std::string> digests, const RuleLoading& how) {
  const std::size_t tried = digests.size();
  RuleDiagnostics diagnostics;
  std::vector<ReadRule> read;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ReadRuleFile(files[i], {.check = i >= tried, .examples = i >= tried || how.examples}, diagnostics, read);
  }

  std::map<std::string, ReadRule> by_id;
  base::Sha256Hasher hasher;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::uint64_t sizes[] = {files[i].name.size(), files[i].bytes.size()};
    hasher.Update(std::string_view(reinterpret_cast<const char*>(sizes), sizeof sizes)).Update(files[i].name);
    hasher.Update(i < tried ? digests[i] : base::Sha256(files[i].bytes).ToHex());
  }
  for (ReadRule& rule : read) {
    const auto at = by_id.find(rule.rule.id);
    if (at == by_id.end()) {
      FillTaxonomy(rule.rule);
      const std::string id = rule.rule.id;
      by_id.emplace(id, std::move(rule));
      continue;
    }
    if (!rule.replaces &&
        !(how.replace && rule.file >= files.data() + tried && at->second.file < files.data() + tried)) {
      diagnostics.SetFile(rule.file);
      diagnostics.Add(base::ErrorCode::kRuleFormat, rule.offset,
                      "rule `" + base::Printable(rule.rule.id, 80) + "` stands in " + at->second.file->name +
                          " already; to take its place say \"replaces\": true");
      continue;
    }
    FillTaxonomy(rule.rule);
    at->second = std::move(rule);
  }
  if (!diagnostics.empty()) return diagnostics.ToError();

  auto impl = std::make_unique<RuleSet::Impl>();
  impl->version = hasher.Finish().ToHex().substr(0, 16);
  for (auto& [id, rule] : by_id) impl->rules.push_back(std::move(rule.rule));
  std::vector<patterns::PatternSpec> specs;
  // A user's own expressions are not among them, and are worked out when they are first needed.
  const std::map<std::string_view, std::string_view> needs = ReadNeeds();
  for (const Rule& rule : impl->rules) {
    for (const Rule::Pattern& pattern : rule.patterns) {
      auto text = std::make_unique<RuleSet::Impl::TextPattern>();
      text->rule = &rule;
      text->pattern = &pattern;
      text->near.Set(pattern.near);
      text->unless.Set(pattern.unless);
      impl->text_patterns.push_back(std::move(text));
      const auto known = needs.find(KeyOf(pattern));
      specs.push_back({.regex = pattern.regex,
                       .words = pattern.words,
                       .derived = known == needs.end() ? std::string_view() : known->second});
    }
  }
  if (!specs.empty()) {
    auto compiled = patterns::PatternSet::Compile(specs, {.check = false, .literals = how.literals});
    if (!compiled.ok()) return compiled.error();
    impl->text.emplace(std::move(compiled.value()));
  }
  return impl;
}

}  // namespace

std::string WriteNeeds(const RuleSet& rules) {
  std::string out;
  for (const Rule& rule : rules.rules()) {
    for (const Rule::Pattern& pattern : rule.patterns) {
      const std::string derived = patterns::PatternSet::Derive({.regex = pattern.regex, .words = pattern.words});
      if (!derived.empty()) out += KeyOf(pattern) + '\t' + derived + '\n';
    }
  }
  return out;
}

const re2::RE2* LazyRegex::get() const {
  if (regex_.empty()) return nullptr;
  std::call_once(once_, [&] {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(kRegexMemory);
    compiled_ = std::make_unique<re2::RE2>(regex_, options);
    INTERLOCK_CHECK(compiled_->ok(), "expressions are tried before they are used");
  });
  return compiled_.get();
}

std::span<const ThreatInfo> Threats() {
  static const std::vector<ThreatInfo> threats = ReadTaxonomy(embedded::Find_scan_rules("taxonomy.json"));
  return threats;
}

RuleSet::RuleSet() : impl_(std::make_unique<Impl>()) {}
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;
RuleSet::~RuleSet() = default;

base::Result<RuleSet> RuleSet::Load(std::span<const RuleFile> files) {
  auto impl = Build(files, {}, {});
  if (!impl.ok()) return impl.error();
  RuleSet set;
  set.impl_ = std::move(impl.value());
  return set;
}

base::Result<RuleSet> RuleSet::LoadWithBuiltin(std::span<const RuleFile> own, const RuleLoading& how) {
  std::vector<std::string> digests;
  std::vector<RuleFile> files = Shipped(digests);
  files.insert(files.end(), own.begin(), own.end());
  auto impl = Build(files, digests, how);
  if (!impl.ok()) return impl.error();
  RuleSet set;
  set.impl_ = std::move(impl.value());
  return set;
}

const RuleSet& RuleSet::Builtin() {
  static const RuleSet set = [] {
    auto loaded = LoadWithBuiltin({});
    INTERLOCK_CHECK(loaded.ok(), "the shipped rules are loaded by a test");
    return std::move(loaded.value());
  }();
  return set;
}

std::span<const Rule> RuleSet::rules() const noexcept { return impl_->rules; }

const Rule* RuleSet::Find(std::string_view id) const noexcept {
  const auto at = std::lower_bound(impl_->rules.begin(), impl_->rules.end(), id,
                                   [](const Rule& rule, std::string_view key) { return rule.id < key; });
  return at != impl_->rules.end() && at->id == id ? &*at : nullptr;
}

std::string RuleSet::SerializeLiterals() const {
  return impl_->text.has_value() ? impl_->text->SerializeLiterals() : std::string();
}

const std::string& RuleSet::version() const noexcept { return impl_->version; }

}  // namespace interlock::scan
