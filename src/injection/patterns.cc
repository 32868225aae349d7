#include "patterns.h"

#include <algorithm>
#include <bitset>
#include <unordered_map>

#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "re2/re2.h"

namespace interlock::embedded {
std::string_view Find_injection_rules(std::string_view file);  // generated: cmake/Embed.cmake
}

namespace interlock::injection {
namespace {

constexpr std::string_view kFiles[] = {"override.json", "markers.json", "agent-orders.json",
                                       "secrecy.json",  "fields.json",  "multilingual.json"};
constexpr std::size_t kBefore = 160;  // bytes around a word of `any` that its pattern may use
constexpr std::size_t kAfter = 320;
constexpr std::size_t kMaxHits = 16;  // of one rule
constexpr std::int64_t kMaxMemory = std::int64_t{4} << 20;

base::Error Bad(std::string_view id, std::string_view what) {
  return base::Error(base::ErrorCode::kInvalidArgument, "rule `" + std::string(id) + "`: " + std::string(what));
}

bool ReadStrings(base::JsonValue value, std::vector<std::string>& out) {
  if (!value.is_array() || value.size() == 0) return false;
  for (const base::JsonValue item : value) {
    if (!item.is_string() || item.string().empty()) return false;
    out.emplace_back(item.string());
  }
  return true;
}

}  // namespace

struct PatternSet::Impl {
  std::vector<PatternRule> rules;
  std::vector<std::unique_ptr<re2::RE2>> patterns;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> triggers;  // word -> rules
  std::bitset<1U << 14U> maybe;  // low bits of the words: most words of a text start no pattern
};

PatternSet::PatternSet() : impl_(std::make_unique<Impl>()) {}
PatternSet::~PatternSet() = default;

const std::vector<PatternRule>& PatternSet::rules() const noexcept { return impl_->rules; }

base::Result<std::shared_ptr<const PatternSet>> PatternSet::Parse(const std::vector<std::string_view>& files) {
  std::shared_ptr<PatternSet> set(new PatternSet());
  for (const std::string_view file : files) {
    auto doc = base::JsonDoc::Parse(file);
    if (!doc.ok()) return doc.error();
    const base::JsonValue root = doc.value().root();
    if (root.Find("schema").string() != "interlock.injection-rules/v1") return Bad("", "not a rule file of version 1");
    for (const base::JsonValue item : root.Find("rules")) {
      PatternRule rule;
      rule.id = std::string(item.Find("id").string());
      rule.description = std::string(item.Find("description").string());
      rule.pattern = std::string(item.Find("pattern").string());
      rule.call = item.Find("call").AsBool().value_or(false);
      rule.once = item.Find("once").AsBool().value_or(false);
      const std::string_view evidence = item.Find("evidence").string();
      rule.evidence = evidence == "strong" ? 16.0F : evidence == "medium" ? 6.0F : evidence == "weak" ? 3.0F : 0.0F;
      if (rule.id.empty() || rule.description.empty()) return Bad(rule.id, "no id or description");
      if (rule.evidence == 0.0F) return Bad(rule.id, "`evidence` is neither weak, medium nor strong");
      if (!ReadStrings(item.Find("any"), rule.any) || !ReadStrings(item.Find("positive"), rule.positive) ||
          !ReadStrings(item.Find("negative"), rule.negative)) {
        return Bad(rule.id, "`any`, `positive` and `negative` must be lists of texts");
      }
      for (const PatternRule& other : set->impl_->rules) {
        if (other.id == rule.id) return Bad(rule.id, "stands there twice");
      }
      re2::RE2::Options options;
      options.set_log_errors(false);
      options.set_never_capture(true);
      options.set_max_mem(kMaxMemory);
      auto pattern = std::make_unique<re2::RE2>(rule.pattern, options);
      if (!pattern->ok()) return Bad(rule.id, pattern->error());
      const auto index = static_cast<std::uint32_t>(set->impl_->rules.size());
      for (const std::string& word : rule.any) {
        set->impl_->maybe.set(HashWord(word) % set->impl_->maybe.size());
        std::vector<std::uint32_t>& same = set->impl_->triggers[HashWord(word)];
        if (same.empty() || same.back() != index) same.push_back(index);
      }
      set->impl_->patterns.push_back(std::move(pattern));
      set->impl_->rules.push_back(std::move(rule));
    }
  }
  return std::shared_ptr<const PatternSet>(std::move(set));
}

const PatternSet& PatternSet::Default() {
  static const std::shared_ptr<const PatternSet> set = [] {
    std::vector<std::string_view> files;
    for (const std::string_view file : kFiles) files.push_back(embedded::Find_injection_rules(file));
    auto parsed = Parse(files);
    INTERLOCK_CHECK(parsed.ok(), "the embedded rules are loaded by a test");
    return parsed.value();
  }();
  return *set;
}

bool PatternSet::Match(const Folded& folded, const Tokens& tokens, std::size_t max_bytes,
                       std::vector<PatternHit>& out) const {
  struct Trigger {
    std::uint32_t rule;
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::vector<Trigger> found;
  const auto look = [&](const Token& token) {
    if (!impl_->maybe.test(token.hash % impl_->maybe.size())) return;
    const auto at = impl_->triggers.find(token.hash);
    if (at == impl_->triggers.end()) return;
    for (const std::uint32_t rule : at->second) found.push_back({rule, token.begin, token.end});
  };
  for (const Token& token : tokens.tokens) {
    if (token.kind == TokenKind::kWord) look(token);
  }
  for (const Token& key : tokens.keys) look(key);
  std::sort(found.begin(), found.end(),
            [](const Trigger& a, const Trigger& b) { return a.rule != b.rule ? a.rule < b.rule : a.begin < b.begin; });
  const std::string_view text = folded.text;
  const re2::StringPiece whole(text.data(), text.size());
  std::size_t spent = 0;
  for (std::size_t i = 0; i < found.size();) {
    const std::uint32_t rule = found[i].rule;
    std::size_t hits = 0;
    std::size_t from = 0;
    while (i < found.size() && found[i].rule == rule) {
      std::size_t begin = std::max(from, found[i].begin > kBefore ? found[i].begin - kBefore : 0);
      std::size_t end = std::min<std::size_t>(text.size(), found[i].end + kAfter);
      ++i;
      while (i < found.size() && found[i].rule == rule && found[i].begin <= end + kBefore) {
        end = std::min<std::size_t>(text.size(), found[i].end + kAfter);
        ++i;
      }
      from = end;
      while (hits < kMaxHits && begin < end) {
        spent += end - begin;
        if (spent > max_bytes) return false;
        re2::StringPiece match;
        if (!impl_->patterns[rule]->Match(whole, begin, end, re2::RE2::UNANCHORED, &match, 1)) break;
        const auto at = static_cast<std::size_t>(match.data() - text.data());
        if (match.empty()) break;
        out.push_back(
            {&impl_->rules[rule], static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + match.size())});
        ++hits;
        begin = at + match.size();
      }
    }
  }
  return true;
}

}  // namespace interlock::injection
