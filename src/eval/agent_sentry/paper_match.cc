#include "interlock/eval/agent_sentry/paper_match.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "interlock/base/find_bytes.h"
#include "paper_text.h"

namespace interlock::eval::agent_sentry {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

namespace {

// Strings that hold JSON that holds strings that hold JSON: deeper ones count as plain text.
constexpr int kMaxTokenNesting = 32;

bool Contains(std::string_view text, std::string_view part) {
  return base::FindBytes(text, part) != std::string_view::npos;
}

// Without the space at both ends.
std::string_view Trimmed(std::string_view padded) {
  return padded.size() < 2 ? std::string_view() : padded.substr(1, padded.size() - 2);
}

void CollectText(std::string_view text, int nesting, std::vector<std::string>& out);

void CollectValue(JsonValue value, int nesting, std::vector<std::string>& out) {
  switch (value.type()) {
    case base::JsonType::kMissing:
    case base::JsonType::kNull:
      return;
    case base::JsonType::kBool:  // a number to Python, printed as a word no lower-cased text holds
      out.emplace_back(value.AsBool().value_or(false) ? "True" : "False");
      return;
    case base::JsonType::kNumber:
      out.push_back(PythonNumber(value.number_text()));
      return;
    case base::JsonType::kString:
      CollectText(value.string(), nesting + 1, out);
      return;
    case base::JsonType::kArray:
    case base::JsonType::kObject:
      for (const JsonValue child : value) CollectValue(child, nesting, out);  // depth is JsonDoc's
      return;
  }
}

// True for texts that are certainly no JSON: a byte outside strings that JSON has only in them (None, True, words).
// Said sooner than by the reader, which looks for the place and the reason.
bool IsNoJson(std::string_view text) {
  static constexpr auto kMayStand = [] {
    std::array<bool, 256> may{};
    for (const char c : std::string_view("{}[]:,\"-+.0123456789eEtrufalsn \t\n\r"))
      may[static_cast<unsigned char>(c)] = true;
    return may;
  }();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!kMayStand[static_cast<unsigned char>(text[at])]) return true;
    if (text[at] != '"') continue;
    const std::size_t close = text.find('"', at + 1);
    if (close == std::string_view::npos) return true;                                    // not closed
    if (text.substr(at, close - at).find('\\') != std::string_view::npos) return false;  // may go on: read it
    at = close;
  }
  return false;
}

// False, and nothing is added, for a text that is no JSON, even with every ' replaced by ".
bool CollectJson(std::string_view text, int nesting, std::vector<std::string>& out) {
  const std::size_t first = text.find_first_not_of(" \t\n\r\v\f");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[') || nesting >= kMaxTokenNesting) {
    return false;
  }
  const std::size_t second = text.find_first_not_of(" \t\n\r", first + 1);
  const bool python = second != std::string_view::npos && text[second] == '\'';  // no JSON as it stands
  const bool is_none = python || IsNoJson(text);
  Result<JsonDoc> doc = is_none ? Result<JsonDoc>(JsonDoc()) : JsonDoc::Parse(text);
  if (is_none || !doc.ok()) {
    if (text.find('\'') == std::string_view::npos) return false;
    std::string quoted(text);
    std::replace(quoted.begin(), quoted.end(), '\'', '"');
    // An odd number of quotes, none of them escaped, is no JSON: an apostrophe in a word, most often.
    const bool odd = std::count(quoted.begin(), quoted.end(), '"') % 2 != 0;
    if ((odd && quoted.find('\\') == std::string::npos) || IsNoJson(quoted)) return false;
    doc = JsonDoc::Parse(quoted);
  }
  if (!doc.ok()) return false;
  CollectValue(doc.value().root(), nesting, out);
  return true;
}

void CollectText(std::string_view text, int nesting, std::vector<std::string>& out) {
  if (CollectJson(text, nesting, out)) return;
  CanonForms forms = CanonOf(text);
  out.push_back(std::move(forms.norm));
  out.emplace_back(Trimmed(forms.padded));
}

// The tokens of a text: by size, then bytes; and all of them in one text, a line feed around each, so that one search
// finds whether any holds something.
class TokenSet {
 public:
  // Of a text that is no JSON. The set keeps views: both forms must outlive it.
  TokenSet(std::string_view norm, std::string_view canon) : plain_(true) {
    if (!norm.empty()) tokens_.push_back(norm);
    if (!canon.empty() && canon != norm) tokens_.push_back(canon);
  }
  explicit TokenSet(std::vector<std::string> tokens) {
    std::sort(tokens.begin(), tokens.end(), Shorter);
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    std::size_t size = 1;
    for (const std::string& token : tokens) size += token.size() + 1;
    joined_.reserve(size);
    joined_.push_back('\n');
    tokens_.reserve(tokens.size());
    for (const std::string& token : tokens) {
      if (token.empty()) continue;
      // All of them fit into what is reserved, so views of what is there stay good.
      tokens_.push_back(std::string_view(joined_.data() + joined_.size(), token.size()));
      joined_.append(token).push_back('\n');
    }
  }
  TokenSet(const TokenSet&) = delete;
  TokenSet& operator=(const TokenSet&) = delete;
  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] std::string_view at(std::size_t i) const { return tokens_[i]; }
  // The first token of at least `size` bytes.
  [[nodiscard]] std::size_t FirstOfSize(std::size_t size) const {
    const auto it =
        std::partition_point(tokens_.begin(), tokens_.end(), [&](std::string_view one) { return one.size() < size; });
    return static_cast<std::size_t>(it - tokens_.begin());
  }
  [[nodiscard]] bool Holds(std::string_view token) const {
    for (std::size_t i = FirstOfSize(token.size()); i < size() && at(i).size() == token.size(); ++i) {
      if (at(i) == token) return true;
    }
    return false;
  }
  // What has to be searched for a token that holds `part`: all, or of a plain text the one of its two forms that can.
  [[nodiscard]] std::string_view SearchedFor(std::string_view part) const {
    if (!plain_) return joined_;
    if (part.find_first_of(".-+") != std::string_view::npos || tokens_.empty())
      return {};  // a number as Python prints it
    return part.find(' ') == std::string_view::npos ? at(0) : at(tokens_.size() - 1);
  }
  [[nodiscard]] std::size_t bytes() const { return joined_.capacity() + tokens_.capacity() * sizeof(std::string_view); }

 private:
  static bool Shorter(const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
  bool plain_ = false;
  std::string joined_;
  std::vector<std::string_view> tokens_;
};

constexpr std::size_t kGramSpace = std::size_t{36} * 36 * 36;

using GramSet = std::bitset<kGramSpace>;

// Calls `use` with each character 3-gram of `norm` in turn.
template <class Use>
void ForEachGram(std::string_view norm, Use&& use) {
  unsigned id = 0;
  for (std::size_t i = 0; i < norm.size(); ++i) {
    const char c = norm[i];
    id = id % (36 * 36) * 36 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (i >= 2) use(static_cast<std::uint16_t>(id));
  }
}

// Whether the edit distance is at most 2. Only cells within 2 of the diagonal can matter.
bool WithinTwoEdits(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  constexpr int kFar = 3;
  std::array<int, 5> row{kFar, kFar, 0, 1, 2};  // row[k]: column i + k - 2
  const auto columns = static_cast<std::ptrdiff_t>(b.size());
  for (std::ptrdiff_t i = 1; i <= static_cast<std::ptrdiff_t>(a.size()); ++i) {
    std::array<int, 5> next{kFar, kFar, kFar, kFar, kFar};
    int best = kFar;
    for (std::ptrdiff_t k = 0; k < 5; ++k) {
      const std::ptrdiff_t j = i + k - 2;
      if (j < 0 || j > columns) continue;
      const auto at = static_cast<std::size_t>(k);
      int cost = j == 0 ? static_cast<int>(i) : kFar;
      if (j > 0) {
        const bool same = a[static_cast<std::size_t>(i - 1)] == b[static_cast<std::size_t>(j - 1)];
        cost = row[at] + (same ? 0 : 1);
        if (k > 0) cost = std::min(cost, next[at - 1] + 1);
      }
      if (k < 4) cost = std::min(cost, row[at + 1] + 1);
      next[at] = std::min(cost, kFar);
      best = std::min(best, next[at]);
    }
    if (best >= kFar) return false;
    row = next;
  }
  const std::ptrdiff_t last = columns - static_cast<std::ptrdiff_t>(a.size()) + 2;
  return last >= 0 && last < 5 && row[static_cast<std::size_t>(last)] <= 2;
}

bool CloseNumbers(double x, double y) {
  if (std::abs(x - y) < 0.001 || std::abs(x - y) <= 10) return true;
  const double ratio = x / y;
  if (0.8 <= ratio && ratio <= 1.2) return true;
  for (const double factor : {0.5, 2.0, 0.1, 1.1, 0.9, 1.15, 1.2, 0.25}) {
    if (std::abs(x - y * factor) < 0.01) return true;
  }
  return std::abs(x - y / 3) < 0.1;
}

}  // namespace

struct PaperSide::Parts {
  std::string text;
  std::string raw;                 // of an argument in a cache: its key there
  std::size_t counted = 0;         // of the cache's bytes
  std::optional<TokenSet> tokens;  // of an argument that is no string: made at once
  std::array<std::optional<std::vector<std::string>>, kFormatKinds> formats;
  std::optional<std::vector<double>> numbers;
  std::optional<CanonForms> canon;
  std::optional<std::vector<std::uint16_t>> grams;  // as an argument; fewer than two: the rule is silent
  std::unique_ptr<GramSet> gram_set;                // as a source

  const TokenSet& Tokens() {
    if (tokens) return *tokens;
    std::vector<std::string> collected;
    if (CollectJson(text, 0, collected)) {
      tokens.emplace(std::move(collected));
    } else {
      tokens.emplace(Canons().norm, Trimmed(Canons().padded));
    }
    return *tokens;
  }
  const std::vector<std::string>& Formats(std::size_t kind) {
    if (!formats[kind]) formats[kind] = FindFormats(static_cast<FormatKind>(kind), text);
    return *formats[kind];
  }
  const std::vector<double>& Numbers() {
    if (!numbers) numbers = FindNumbers(text);
    return *numbers;
  }
  const CanonForms& Canons() {
    if (!canon) canon = CanonOf(text);
    return *canon;
  }
  const std::vector<std::uint16_t>& Grams() {
    if (!grams) {
      grams.emplace();
      ForEachGram(Canons().norm, [&](std::uint16_t gram) { grams->push_back(gram); });
      std::sort(grams->begin(), grams->end());
      grams->erase(std::unique(grams->begin(), grams->end()), grams->end());
    }
    return *grams;
  }
  const GramSet& GramsAsSource() {
    if (gram_set == nullptr) {
      gram_set = std::make_unique<GramSet>();
      ForEachGram(Canons().norm, [&](std::uint16_t gram) { gram_set->set(gram); });
    }
    return *gram_set;
  }
  [[nodiscard]] std::size_t Bytes() const {
    std::size_t sum = sizeof(Parts) + text.capacity() + raw.capacity() + (tokens ? tokens->bytes() : 0);
    for (const auto& found : formats) {
      if (!found) continue;
      for (const std::string& one : *found) sum += sizeof(one) + one.capacity();
    }
    if (numbers) sum += numbers->capacity() * sizeof(double);
    if (canon) sum += canon->padded.capacity() + canon->norm.capacity();
    return sum + (grams ? 2 * grams->capacity() : 0) + (gram_set == nullptr ? 0 : sizeof(GramSet));
  }
};

PaperSide::PaperSide(std::string text) : parts_(std::make_unique<Parts>()) { parts_->text = std::move(text); }
PaperSide::PaperSide(JsonValue value) : parts_(std::make_unique<Parts>()) {
  if (value.is_string()) {
    parts_->text = std::string(value.string());
    return;
  }
  if (!value.is_null()) parts_->text = PythonDumps(value);
  std::vector<std::string> collected;
  CollectValue(value, 0, collected);
  parts_->tokens.emplace(std::move(collected));
}
PaperSide::PaperSide(PaperSide&&) noexcept = default;
PaperSide& PaperSide::operator=(PaperSide&&) noexcept = default;
PaperSide::~PaperSide() = default;

const std::string& PaperSide::text() const noexcept { return parts_->text; }
std::size_t PaperSide::bytes() const noexcept { return parts_->Bytes(); }

// One pair. `steps_` counts down; a rule that finds it used up gives no answer.
class PairMatch {
 public:
  PairMatch(PaperSide& argument, PaperSide& source, std::uint64_t max_steps)
      : arg_(*argument.parts_), src_(*source.parts_), steps_(max_steps) {}

  PairAnswer Run() {
    using Rule = bool (PairMatch::*)();
    struct Named {
      PaperRule rule;
      Rule test;
    };
    constexpr std::array<Named, 6> kRules{{{PaperRule::kFormat, &PairMatch::Format},
                                           {PaperRule::kToken, &PairMatch::Token},
                                           {PaperRule::kNumber, &PairMatch::Number},
                                           {PaperRule::kWords, &PairMatch::Words},
                                           {PaperRule::kEdit, &PairMatch::Edit},
                                           {PaperRule::kGrams, &PairMatch::Grams}}};
    for (const Named& named : kRules) {
      const bool hit = (this->*named.test)();
      if (capped_) return {PaperRule::kNone, true};
      if (hit) return {named.rule, false};
    }
    return {};
  }

 private:
  // False, and the pair is over, when the steps are used up.
  bool Take(std::uint64_t steps) {
    if (steps > steps_) {
      capped_ = true;
      return false;
    }
    steps_ -= steps;
    return true;
  }

  bool Format() {
    for (std::size_t kind = 0; kind < kFormatKinds; ++kind) {
      const std::vector<std::string>& mine = arg_.Formats(kind);
      if (mine.empty()) continue;
      const std::vector<std::string>& theirs = src_.Formats(kind);
      for (const std::string& one : mine) {
        if (std::binary_search(theirs.begin(), theirs.end(), one)) return true;
      }
    }
    return false;
  }

  bool Token() {
    const TokenSet& mine = arg_.Tokens();
    const TokenSet& theirs = src_.Tokens();
    const std::size_t long_enough = theirs.FirstOfSize(4);
    for (std::size_t i = mine.FirstOfSize(2); i < mine.size(); ++i) {
      const std::string_view token = mine.at(i);
      if (token.size() < 4) {
        if (!Take(16) || theirs.Holds(token)) return !capped_;
        continue;
      }
      const std::string_view searched = theirs.SearchedFor(token);
      if (!Take(searched.size()) || Contains(searched, token)) return !capped_;
      for (std::size_t j = long_enough; j < theirs.size(); ++j) {
        const std::string_view part = theirs.at(j);
        if (part.size() > token.size()) break;
        if (!Take(token.size()) || Contains(token, part)) return !capped_;
      }
    }
    return false;
  }

  bool Number() {
    const std::vector<double>& mine = arg_.Numbers();
    if (mine.empty()) return false;
    const std::vector<double>& theirs = src_.Numbers();
    if (!Take(std::uint64_t{mine.size()} * theirs.size())) return false;
    for (const double x : mine) {
      for (const double y : theirs) {
        if (x == y) return true;
        if (x != 0 && y != 0 && CloseNumbers(x, y)) return true;
      }
    }
    return false;
  }

  bool Words() {
    const std::string& mine = arg_.Canons().padded;
    std::size_t words = 0;
    for (std::size_t at = 0; at + 1 < mine.size();) {
      const std::size_t end = mine.find(' ', at + 1);
      if (end - at > 2) {  // two characters or more between the spaces
        const std::string& theirs = src_.Canons().padded;
        if (!Take(theirs.size()) || !Contains(theirs, std::string_view(mine).substr(at, end + 1 - at))) return false;
        if (words == 0 || std::string_view(mine).substr(at, end + 1 - at) != first_word_) ++words;
        if (words == 1) first_word_ = std::string_view(mine).substr(at, end + 1 - at);
      }
      at = end;
    }
    return words >= 2;
  }

  bool Edit() {
    const TokenSet& mine = arg_.Tokens();
    const TokenSet& theirs = src_.Tokens();
    for (std::size_t i = mine.FirstOfSize(5); i < mine.size(); ++i) {
      const std::string_view token = mine.at(i);
      const std::size_t least = std::max<std::size_t>(5, token.size() - 2);
      for (std::size_t j = theirs.FirstOfSize(least); j < theirs.size(); ++j) {
        const std::string_view other = theirs.at(j);
        if (other.size() > token.size() + 2) break;
        if (!Take(5 * token.size()) || WithinTwoEdits(token, other)) return !capped_;
      }
    }
    return false;
  }

  bool Grams() {
    const std::vector<std::uint16_t>& mine = arg_.Grams();
    if (mine.size() < 2) return false;
    const GramSet& theirs = src_.GramsAsSource();
    // At least half of them; more than half missing is said as soon as it is so.
    std::size_t missing = 0;
    for (const std::uint16_t gram : mine) {
      missing += theirs[gram] ? 0U : 1U;
      if (2 * missing > mine.size()) return false;
    }
    return true;
  }

  PaperSide::Parts& arg_;
  PaperSide::Parts& src_;
  std::uint64_t steps_;
  std::string_view first_word_;
  bool capped_ = false;
};

PairAnswer MatchPair(PaperSide& argument, PaperSide& source, std::uint64_t max_steps) {
  return PairMatch(argument, source, max_steps).Run();
}

PaperTools::PaperTools(const DomainTools& tools)
    : retrieval_(tools.retrieval.begin(), tools.retrieval.end()),
      action_(tools.action.begin(), tools.action.end()),
      ignored_(tools.ignored.begin(), tools.ignored.end()),
      noisy_(tools.noisy_arguments.begin(), tools.noisy_arguments.end()) {}

struct PaperMatcher::Impl {
  explicit Impl(std::size_t max) : max_bytes(max) {}

  // Keys point into what they map to: the text of a source, the raw JSON of an argument.
  using Cache = std::unordered_map<std::string_view, PaperSide>;

  PaperSide& Source(const std::string& text) {
    auto found = sources.find(text);
    if (found == sources.end()) {
      PaperSide side(text);
      const std::string_view own = side.parts_->text;
      found = sources.emplace(own, std::move(side)).first;
    }
    used.push_back(&found->second);
    return found->second;
  }
  PaperSide& Argument(JsonValue value) {
    auto found = arguments.find(value.raw());
    if (found == arguments.end()) {
      PaperSide side(value);
      side.parts_->raw = std::string(value.raw());
      const std::string_view own = side.parts_->raw;
      found = arguments.emplace(own, std::move(side)).first;
    }
    used.push_back(&found->second);
    return found->second;
  }
  // Between traces only: a trace holds references, and parts are made while it is matched.
  void Trim() {
    constexpr std::size_t kMapNode = 64;
    for (const PaperSide* side : used) {
      const std::size_t now = side->bytes() + kMapNode;
      bytes += now - side->parts_->counted;
      side->parts_->counted = now;
    }
    used.clear();
    if (bytes <= max_bytes) return;
    sources.clear();
    arguments.clear();
    bytes = 0;
  }

  std::size_t max_bytes;
  std::size_t bytes = 0;
  std::vector<const PaperSide*> used;  // by the latest trace
  std::uint64_t capped = 0;
  Cache sources;
  Cache arguments;
  base::JsonParser parser;
  JsonDoc doc;
};

PaperMatcher::PaperMatcher(std::size_t max_bytes) : impl_(std::make_unique<Impl>(max_bytes)) {}
PaperMatcher::PaperMatcher(PaperMatcher&&) noexcept = default;
PaperMatcher& PaperMatcher::operator=(PaperMatcher&&) noexcept = default;
PaperMatcher::~PaperMatcher() = default;

Result<std::vector<ArgumentNode>> PaperMatcher::Provenance(const Trace& trace, const PaperTools& tools) {
  Impl& impl = *impl_;
  impl.Trim();
  struct Source {
    std::int32_t id;
    PaperSide* side;
  };
  std::vector<Source> sources;
  sources.push_back({kFromPrompt, &impl.Source(trace.prompt)});
  std::vector<ArgumentNode> nodes;
  for (std::size_t index = 0; index < trace.calls.size(); ++index) {
    const TraceCall& call = trace.calls[index];
    if (!tools.ignored(call.name)) {
      if (base::Status parsed = impl.parser.ParseInto(impl.doc, call.arguments); !parsed.ok()) return parsed.error();
      const JsonValue arguments = impl.doc.root();
      for (auto it = arguments.begin(); it != arguments.end(); ++it) {
        std::string name(it.key());
        if (tools.noisy(name)) continue;
        PaperSide& argument = impl.Argument(*it);
        ArgumentNode node{.call = static_cast<std::uint32_t>(index), .argument = std::move(name), .sources = {}};
        for (const Source& source : sources) {
          const PairAnswer answer = MatchPair(argument, *source.side);
          impl.capped += answer.capped ? 1 : 0;
          if (answer.rule != PaperRule::kNone) node.sources.push_back(source.id);
        }
        nodes.push_back(std::move(node));
      }
    }
    if (!call.output.empty() && tools.retrieval(call.name)) {
      sources.push_back({static_cast<std::int32_t>(index), &impl.Source(call.output)});
    }
  }
  return nodes;
}

std::uint64_t PaperMatcher::capped_pairs() const noexcept { return impl_->capped; }
std::size_t PaperMatcher::cached_bytes() const noexcept { return impl_->bytes; }

std::string_view SourceName(const Trace& trace, std::int32_t source) {
  return source == kFromPrompt ? kPromptSource : std::string_view(trace.calls[static_cast<std::size_t>(source)].name);
}

}  // namespace interlock::eval::agent_sentry
