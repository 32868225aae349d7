#include "rules_baked.h"

#include "interlock/base/digest.h"

namespace interlock::scan {
namespace {

void PutRule(BakedWriter& out, const Rule& rule) {
  out.PutText(rule.id);
  out.PutText(rule.title);
  out.Put(rule.threat);
  out.Put(rule.severity);
  out.Put(rule.confidence);
  out.Put(rule.nature);
  out.Put(rule.maturity);
  out.Put(rule.engine);
  out.PutText(rule.rationale);
  out.PutText(rule.remedy);
  out.PutTexts(rule.stride);
  out.PutTexts(rule.owasp);
  out.PutTexts(rule.atlas);
  out.PutTexts(rule.cwe);
  out.Put(rule.decisive);
  out.Put(rule.surfaces);
  out.Put(std::uint64_t{rule.patterns.size()});
  for (const Rule::Pattern& pattern : rule.patterns) {
    out.PutText(pattern.regex);
    out.PutTexts(pattern.words);
    out.PutText(pattern.near);
    out.Put(pattern.window);
    out.Put(pattern.across);
    out.PutText(pattern.unless);
    out.Put(pattern.weight);
  }
}

Rule GetRule(BakedReader& in) {
  Rule rule;
  rule.id = in.GetText();
  rule.title = in.GetText();
  rule.threat = in.Get<core::ThreatClass>();
  rule.severity = in.Get<core::Severity>();
  rule.confidence = in.Get<double>();
  rule.nature = in.Get<core::Nature>();
  rule.maturity = in.Get<Maturity>();
  rule.engine = in.Get<Engine>();
  rule.rationale = in.GetText();
  rule.remedy = in.GetText();
  rule.stride = in.GetTexts();
  rule.owasp = in.GetTexts();
  rule.atlas = in.GetTexts();
  rule.cwe = in.GetTexts();
  rule.decisive = in.Get<bool>();
  rule.surfaces = in.Get<SurfaceSet>();
  rule.patterns.resize(in.Get<std::uint64_t>());
  for (Rule::Pattern& pattern : rule.patterns) {
    pattern.regex = in.GetText();
    pattern.words = in.GetTexts();
    pattern.near = in.GetText();
    pattern.window = in.Get<std::uint32_t>();
    pattern.across = in.Get<bool>();
    pattern.unless = in.GetText();
    pattern.weight = in.Get<double>();
  }
  return rule;
}

}  // namespace

void BakedRules::Write(BakedWriter& out) const {
  out.PutText(version);
  out.Put(std::uint64_t{files.size()});
  for (const File& file : files) {
    out.PutText(file.name);
    out.Put(file.size);
    out.PutText(file.digest);
  }
  out.Put(std::uint64_t{rules.size()});
  for (const OfFile& one : rules) {
    PutRule(out, one.rule);
    out.Put(one.file);
    out.PutTexts(one.derived);
  }
}

BakedRules::BakedRules(BakedReader& in) : version(in.GetText()), files(in.Get<std::uint64_t>()) {
  for (File& file : files) {
    file.name = in.GetText();
    file.size = in.Get<std::uint64_t>();
    file.digest = in.GetText();
  }
  rules.resize(in.Get<std::uint64_t>());
  for (OfFile& one : rules) {
    one.rule = GetRule(in);
    one.file = in.Get<std::uint32_t>();
    one.derived = in.GetTexts();
  }
}

std::string VersionOf(const std::vector<BakedRules::File>& files) {
  base::Sha256Hasher hasher;
  for (const BakedRules::File& file : files) {
    const std::uint64_t sizes[] = {file.name.size(), file.size};
    hasher.Update(std::string_view(reinterpret_cast<const char*>(sizes), sizeof sizes)).Update(file.name);
    hasher.Update(file.digest);
  }
  return hasher.Finish().ToHex().substr(0, 16);
}

}  // namespace interlock::scan
