#include "interlock/scan/rules.h"

#include <algorithm>
#include <map>

#include "interlock/base/check.h"
#include "interlock/base/digest.h"
#include "interlock/base/text.h"
#include "rules_baked.h"
#include "rules_impl.h"
#include "rules_read.h"

namespace interlock::embedded {
std::string_view Find_scan_baked(std::string_view file);  // generated: cmake/Embed.cmake, bake/
}  // namespace interlock::embedded

namespace interlock::scan {
namespace {

constexpr std::int64_t kRegexMemory = std::int64_t{4} << 20;

// What the build left out, since only who tests or explains rules reads any.
void AddExamples(std::vector<BakedRules::OfFile>& rules) {
  RuleDiagnostics diagnostics;
  std::vector<ReadRule> read;
  for (const RuleFile& file : ShippedRuleFiles()) ReadRuleFile(file, {.check = false}, diagnostics, read);
  INTERLOCK_CHECK(diagnostics.empty(), "the shipped rules were read when the program was built");
  for (ReadRule& one : read) {
    const auto at = std::ranges::lower_bound(rules, one.rule.id, {}, [](const auto& known) { return known.rule.id; });
    at->rule.positive = std::move(one.rule.positive);
    at->rule.negative = std::move(one.rule.negative);
  }
}

// One's own files on top of rules by id: each is added, or takes the place of one. `replace`: of those before, even
// where it does not say so.
base::Status AddOwn(std::span<const RuleFile> files, bool replace, BakedRules& to) {
  RuleDiagnostics diagnostics;
  std::vector<ReadRule> read;
  for (const RuleFile& file : files) ReadRuleFile(file, {}, diagnostics, read);
  const std::size_t before = to.files.size();
  std::map<std::string, BakedRules::OfFile> by_id;
  for (BakedRules::OfFile& rule : to.rules) by_id.emplace(rule.rule.id, std::move(rule));
  for (const RuleFile& file : files)
    to.files.push_back({file.name, file.bytes.size(), base::Sha256(file.bytes).ToHex()});
  for (ReadRule& rule : read) {
    const auto at = by_id.find(rule.rule.id);
    if (at != by_id.end() && !rule.replaces && !(replace && at->second.file < before)) {
      diagnostics.SetFile(rule.file);
      diagnostics.Add(base::ErrorCode::kRuleFormat, rule.offset,
                      "rule `" + base::Printable(rule.rule.id, 80) + "` stands in " + to.files[at->second.file].name +
                          " already; to take its place say \"replaces\": true");
      continue;
    }
    FillTaxonomy(rule.rule);
    const auto file = static_cast<std::uint32_t>(before + static_cast<std::size_t>(rule.file - files.data()));
    std::string id = rule.rule.id;
    by_id.insert_or_assign(std::move(id), BakedRules::OfFile{.rule = std::move(rule.rule), .file = file});
  }
  if (!diagnostics.empty()) return diagnostics.ToError();
  to.rules.clear();
  for (auto& [id, rule] : by_id) to.rules.push_back(std::move(rule));
  to.version = VersionOf(to.files);
  return {};
}

base::Result<std::unique_ptr<RuleSet::Impl>> Compile(BakedRules from, std::string_view literals) {
  auto impl = std::make_unique<RuleSet::Impl>();
  impl->version = std::move(from.version);
  std::vector<patterns::PatternSpec> specs;
  impl->rules.reserve(from.rules.size());  // patterns point into it
  for (BakedRules::OfFile& one : from.rules) {
    const Rule& rule = impl->rules.emplace_back(std::move(one.rule));
    for (std::size_t i = 0; i < rule.patterns.size(); ++i) {
      const Rule::Pattern& pattern = rule.patterns[i];
      auto text = std::make_unique<RuleSet::Impl::TextPattern>();
      text->rule = &rule;
      text->pattern = &pattern;
      text->near.Set(pattern.near);
      text->unless.Set(pattern.unless);
      impl->text_patterns.push_back(std::move(text));
      // Of one's own it is worked out when it is first needed.
      specs.push_back({.regex = pattern.regex,
                       .words = pattern.words,
                       .derived = i < one.derived.size() ? std::string_view(one.derived[i]) : std::string_view()});
    }
  }
  if (!specs.empty()) {
    auto compiled = patterns::PatternSet::Compile(specs, {.check = false, .literals = literals});
    if (!compiled.ok()) return compiled.error();
    impl->text.emplace(std::move(compiled.value()));
  }
  return impl;
}

}  // namespace

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

RuleSet::RuleSet() : impl_(std::make_unique<Impl>()) {}
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;
RuleSet::~RuleSet() = default;

base::Result<RuleSet> RuleSet::Of(BakedRules rules, std::span<const RuleFile> own, const RuleLoading& how) {
  if (!own.empty() || rules.files.empty()) {
    if (const base::Status added = AddOwn(own, how.replace, rules); !added.ok()) return added.error();
  }
  auto impl = Compile(std::move(rules), how.literals);
  if (!impl.ok()) return impl.error();
  RuleSet set;
  set.impl_ = std::move(impl.value());
  return set;
}

base::Result<RuleSet> RuleSet::Load(std::span<const RuleFile> files) { return Of({}, files, {}); }

base::Result<RuleSet> RuleSet::LoadWithBuiltin(std::span<const RuleFile> own, const RuleLoading& how) {
  auto shipped = ReadBaked<BakedRules>(embedded::Find_scan_baked("rules.baked"));
  if (how.examples) AddExamples(shipped.rules);
  return Of(std::move(shipped), own, how);
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
