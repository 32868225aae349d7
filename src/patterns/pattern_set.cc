#include "interlock/patterns/pattern_set.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "interlock/base/check.h"
#include "interlock/base/find_bytes.h"
#include "literals.h"
#include "needs.h"
#include "re2/filtered_re2.h"
#include "re2/re2.h"

namespace interlock::patterns {
namespace {

constexpr std::size_t kMinWord = 2;
constexpr std::size_t kMaxWord = 255;
constexpr std::size_t kWordBytes = 48;  // of a word that are compared
constexpr int kMinAtom = 3;
constexpr std::size_t kMaxNeeds = 4;
constexpr std::size_t kMaxAtoms = 128;     // of needs
constexpr std::size_t kMaxWordAtoms = 64;  // of words taken from the expression

re2::RE2::Options RegexOptions(std::int64_t max_memory, bool narrow = false) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(max_memory);
  if (narrow) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  return options;
}

// An automaton that is made when it is first needed. Thread safe.
class LazyRegex {
 public:
  // Always asked for the same one. nullptr: RE2 refuses it.
  const re2::RE2* Get(const std::string& regex, std::int64_t max_memory, bool narrow) const {
    std::call_once(once_, [&] {
      auto made = std::make_unique<re2::RE2>(regex, RegexOptions(max_memory, narrow));
      if (made->ok()) compiled_ = std::move(made);
    });
    return compiled_.get();
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<re2::RE2> compiled_;
};

// Bytes of the repetition `{n}`, `{n,}` or `{n,m}` at `at`; 0: it is none.
std::size_t RepetitionAt(std::string_view regex, std::size_t at) {
  std::size_t i = at + 1;
  const std::size_t digits = i;
  const auto digit = [&] { return i < regex.size() && regex[i] >= '0' && regex[i] <= '9'; };
  while (digit()) ++i;
  if (i == digits) return 0;
  if (i < regex.size() && regex[i] == ',') ++i;
  while (digit()) ++i;
  return i < regex.size() && regex[i] == '}' ? i + 1 - at : 0;
}

// `regex` with `*` for every counted repetition. As it is where it is not certain what is one.
std::string Loosened(std::string_view regex) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < regex.size();) {
    const char c = regex[i];
    std::size_t size = 1;
    if (c == '\\' && i + 1 < regex.size()) {
      const char kind = regex[i + 1];
      if (kind == 'Q') return std::string(regex);
      size = 2;
      if ((kind == 'x' || kind == 'p' || kind == 'P') && i + 2 < regex.size() && regex[i + 2] == '{') {
        const std::size_t end = regex.find('}', i);
        if (end == std::string_view::npos) return std::string(regex);
        size = end + 1 - i;
      }
    } else if (in_class) {
      if (c == '[' && regex.substr(i, 2) == "[:") {
        const std::size_t end = regex.find(":]", i);
        if (end == std::string_view::npos) return std::string(regex);
        size = end + 2 - i;
      } else if (c == ']') {
        in_class = false;
      }
    } else if (c == '[') {
      in_class = true;
      // A bracket that closes right away is one of the characters.
      if (regex.substr(i + 1, 1) == "^") ++size;
      if (regex.substr(i + size, 1) == "]") ++size;
    } else if (c == '{') {
      if (const std::size_t count = RepetitionAt(regex, i); count != 0) {
        out += '*';
        i += count;
        continue;
      }
    }
    out += regex.substr(i, size);
    i += size;
  }
  return out;
}

std::string FoldWord(std::string_view word) {
  std::string folded(word.substr(0, kWordBytes));
  for (char& c : folded) c = static_cast<char>(FoldAscii(static_cast<unsigned char>(c)));
  return folded;
}

// Some flags in the expression have an `i`.
bool MayIgnoreCase(std::string_view regex) {
  for (std::size_t at = regex.find("(?"); at != std::string_view::npos; at = regex.find("(?", at + 2)) {
    const std::string_view flags = regex.substr(at + 2);
    if (flags.substr(0, flags.find_first_of(":)")).find('i') != std::string_view::npos) return true;
  }
  return false;
}

// What is known of an expression beside itself.
struct Known {
  bool loosened = false;    // its loosened form is worth asking first
  bool holds_word = false;  // each match has one of the pattern's words inside
  std::size_t asked = 0;    // so many of the needs: of the others every window has a word anyway
  std::vector<Need> needs;  // each match has one word of each
};

// Leaves in `filter` the expression that is asked first; nullptr: RE2 refuses it.
Known WorkOut(const std::string& regex, std::string_view loose, std::span<const std::string> words,
              const re2::RE2::Options& how, std::unique_ptr<re2::FilteredRE2>& filter) {
  Known out;
  int id = 0;
  const auto add = [&](std::string_view one) {
    filter = std::make_unique<re2::FilteredRE2>(kMinAtom);
    return filter->Add(re2::StringPiece(one.data(), one.size()), how, &id) == re2::RE2::NoError;
  };
  // What is found in any word says nothing of the expression.
  out.loosened = loose != regex && add(loose) && !re2::RE2::PartialMatch("word", filter->GetRE2(0));
  if (!out.loosened && !add(regex)) {
    filter = nullptr;
    return out;
  }
  std::vector<std::string> atoms;
  filter->Compile(&atoms);
  if (atoms.size() > kMaxAtoms) atoms.clear();
  out.needs = NeedsOf(*filter, atoms, kMaxNeeds, true);
  const auto given = [&](const Need& need) {
    return std::ranges::all_of(words, [&](const std::string& word) { return std::ranges::count(need, word) != 0; });
  };
  std::ranges::stable_sort(out.needs, {}, [&](const Need& need) { return std::pair(given(need), need.size()); });
  out.asked = static_cast<std::size_t>(std::ranges::count_if(out.needs, std::not_fn(given)));
  const auto has_word = [&](const std::string& one) {
    return std::ranges::any_of(words, [&](const std::string& word) { return one.find(word) != std::string::npos; });
  };
  const bool ignores_case = MayIgnoreCase(regex);
  out.holds_word = !ignores_case && std::ranges::any_of(out.needs, [&](const Need& need) {
    return std::ranges::all_of(need, has_word);
  });
  // Where case does not count, the kelvin sign is a k and the long s an s.
  for (Need& need : out.needs) {
    if (ignores_case && need.back() != kBeyondAscii) need.emplace_back(kBeyondAscii);
  }
  return out;
}

// As a line: words taken from the expression, two letters and a number, needs; tabs between them, bars between words.
constexpr char kField = '\t';
constexpr char kBar = '|';
constexpr std::string_view kBeyondAsWritten = "*";  // no need has a word as short as this

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = text.find(at);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string Joined(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += kBar;
    out += word == kBeyondAscii ? kBeyondAsWritten : std::string_view(word);
  }
  return out;
}

// nullopt: it is none.
std::optional<Known> KnownFrom(std::string_view line) {
  const std::vector<std::string_view> fields = Split(line, kField);
  if (fields.size() < 2 || fields[1].size() != 3) return std::nullopt;
  Known out;
  out.loosened = fields[1][0] == 'l';
  out.holds_word = fields[1][1] == 'h';
  out.asked = static_cast<std::size_t>(fields[1][2] - '0');
  for (std::size_t i = 2; i < fields.size(); ++i) {
    Need& need = out.needs.emplace_back();
    for (const std::string_view word : Split(fields[i], kBar))
      need.emplace_back(word == kBeyondAsWritten ? kBeyondAscii : word);
  }
  return out;
}

base::Error Bad(std::string message) { return base::Error(base::ErrorCode::kPatternSyntax, std::move(message)); }

struct Window {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first = 0;  // where the first word stands that it is around, ...
  std::uint32_t last = 0;   // ... and the last one ends
};

}  // namespace

struct PatternScratch::Impl {
  struct Literal {
    std::uint64_t set = 0;
    std::unique_ptr<LiteralScratch> scratch;
  };
  std::vector<Literal> literals;  // of the sets used last
  std::vector<LiteralHit> hits;
  std::vector<std::vector<Window>> windows;  // by pattern
  std::vector<std::uint32_t> touched;
  BlockGrams grams;  // of the text
  // Words of the needs of the pattern at hand that the window at hand may have, and where those of each need end.
  std::vector<const Wanted*> present;
  std::vector<std::size_t> present_ends;

  std::unique_ptr<LiteralScratch>& LiteralsOf(std::uint64_t set) {
    constexpr std::size_t kSets = 4;
    for (Literal& literal : literals) {
      if (literal.set == set) return literal.scratch;
    }
    if (literals.size() >= kSets) literals.erase(literals.begin());
    return literals.emplace_back(Literal{set, nullptr}).scratch;
  }

  // Windows are kept as a union: the order in which words are reported does not matter.
  void Add(std::uint32_t pattern, Window window) {
    std::vector<Window>& all = windows[pattern];
    if (all.empty()) touched.push_back(pattern);
    if (all.empty() || window.begin > all.back().end) {
      all.push_back(window);
      return;
    }
    const auto join = [](const Window& one, const Window& other) -> Window {
      return {std::min(one.begin, other.begin), std::max(one.end, other.end), std::min(one.first, other.first),
              std::max(one.last, other.last)};
    };
    all.back() = join(all.back(), window);
    while (all.size() > 1 && all.back().begin <= all[all.size() - 2].end) {
      all[all.size() - 2] = join(all[all.size() - 2], all.back());
      all.pop_back();
    }
  }
};

PatternScratch::PatternScratch() : impl_(std::make_unique<Impl>()) {}
PatternScratch::PatternScratch(PatternScratch&&) noexcept = default;
PatternScratch& PatternScratch::operator=(PatternScratch&&) noexcept = default;
PatternScratch::~PatternScratch() = default;

struct PatternSet::Impl {
  struct Pattern {
    std::string regex;
    std::vector<std::string> words;
    std::uint32_t reach = 0;
    bool narrow = false;  // the expression is ASCII: of a text that is, bytes are its characters
    std::string derived;  // PatternSpec::derived
    // The expression with every counted repetition unbounded: matches wherever it does, by an automaton that has no
    // counters and is many times smaller. Windows that it does not match are done.
    mutable std::string loose;  // after `once`; `regex` itself where it is not worth asking
    LazyRegex exact_narrow;
    LazyRegex exact_wide;
    LazyRegex loose_narrow;
    LazyRegex loose_wide;
    mutable std::once_flag once;
    mutable std::unique_ptr<re2::FilteredRE2> filter;  // what the needs were worked out with: loose_narrow once more
    mutable std::vector<std::vector<Wanted>> needs;
    mutable std::size_t asked = 0;
    mutable bool holds_word = false;
    mutable bool usable = false;

    // Called before the others; false: RE2 refuses the expression.
    bool Prepare(std::int64_t max_memory) const {
      std::call_once(once, [&] {
        std::optional<Known> known = KnownFrom(derived);
        usable = known.has_value();
        if (!usable || known->loosened) loose = Loosened(regex);
        if (!usable) {
          known = WorkOut(regex, loose, words, RegexOptions(max_memory, narrow), filter);
          usable = filter != nullptr;
        }
        if (!known->loosened) loose = regex;
        asked = known->asked;
        holds_word = known->holds_word;
        for (Need& need : known->needs) {
          std::vector<Wanted>& wanted = needs.emplace_back();
          for (std::string& word : need) wanted.emplace_back(std::move(word));
        }
      });
      return usable;
    }

    // The automaton for the window of the text; nullptr: no match is there.
    // `ascii`: the window is known to be.
    [[nodiscard]] const re2::RE2* For(re2::StringPiece text, Window window, bool ascii, std::int64_t max_memory) const {
      // Where a byte is a character, automata are smaller still.
      const bool wide =
          narrow && !ascii && !base::IsAscii(std::string_view(text.data() + window.begin, window.end - window.begin));
      const re2::RE2* const first = wide                ? loose_wide.Get(loose, max_memory, false)
                                    : filter != nullptr ? &filter->GetRE2(0)
                                                        : loose_narrow.Get(loose, max_memory, narrow);
      if (first == nullptr || !first->Match(text, window.begin, window.end, re2::RE2::UNANCHORED, nullptr, 0))
        return nullptr;
      if (loose == regex) return first;
      return wide ? exact_wide.Get(regex, max_memory, false) : exact_narrow.Get(regex, max_memory, narrow);
    }

    // Whether the window may have a match, by what its blocks have. Leaves in `own` which words it may have.
    [[nodiscard]] bool MayMatch(Window window, PatternScratch::Impl& own) const {
      own.present.clear();
      own.present_ends.clear();
      if (needs.empty()) return true;
      own.grams.Look(window.begin, window.end);
      for (std::size_t i = 0; i < needs.size(); ++i) {
        const std::size_t before = own.present.size();
        for (const Wanted& wanted : needs[i]) {
          if (own.grams.MayHave(wanted)) own.present.push_back(&wanted);
        }
        if (own.present.size() == before) return false;
        own.present_ends.push_back(own.present.size());
      }
      return true;
    }

    // ... a part of that window, by its words.
    [[nodiscard]] bool MayMatch(std::string_view part, std::size_t most_needs, const PatternScratch::Impl& own) const {
      std::size_t at = 0;
      for (std::size_t i = 0; i < std::min(most_needs, own.present_ends.size()); ++i) {
        const std::size_t end = own.present_ends[i];
        while (at < end && !own.present[at]->IsIn(part)) ++at;
        if (at == end) return false;
        at = end;
      }
      return true;
    }
  };

  PatternOptions options;
  std::uint64_t serial = 0;  // tells sets apart in a scratch
  PatternBackend backend = PatternBackend::kPortable;
  std::vector<std::unique_ptr<Pattern>> patterns;
  std::vector<std::uint32_t> always;              // patterns without words
  std::vector<std::string> words;                 // all, folded, each once
  std::vector<std::vector<std::uint32_t>> users;  // patterns of each word
  std::unique_ptr<LiteralMatcher> literals;       // nullptr without words

  // Searches one pattern in its windows; false when the limit is used up.
  bool Confirm(std::uint32_t index, std::string_view text, std::span<const std::uint32_t> borders, std::uint64_t limit,
               PatternScratch::Impl& own, PatternOutcome& outcome, std::vector<PatternHit>& out) const;
  // ... in a window or a part of it; false when there were as many hits as are wanted.
  bool Search(std::uint32_t index, std::string_view text, Window window, bool ascii, std::uint32_t& hits,
              PatternOutcome& outcome, std::vector<PatternHit>& out) const;
};

bool PatternSet::Impl::Search(std::uint32_t index, std::string_view text, Window window, bool ascii,
                              std::uint32_t& hits, PatternOutcome& outcome, std::vector<PatternHit>& out) const {
  const re2::StringPiece whole(text.data(), text.size());
  const re2::RE2* const regex = patterns[index]->For(whole, window, ascii, options.max_memory);
  if (regex == nullptr) return true;
  std::size_t from = window.begin;
  while (from < window.end) {
    re2::StringPiece match;
    if (!regex->Match(whole, from, window.end, re2::RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    if (match.empty()) {
      from = begin + 1;
      outcome.looked += 1;
      continue;
    }
    if (hits == options.max_hits) {
      outcome.capped = true;
      return false;
    }
    ++hits;
    from = begin + match.size();
    out.push_back({index, {begin, from}});
  }
  return true;
}

bool PatternSet::Impl::Confirm(std::uint32_t index, std::string_view text, std::span<const std::uint32_t> borders,
                               std::uint64_t limit, PatternScratch::Impl& own, PatternOutcome& outcome,
                               std::vector<PatternHit>& out) const {
  const Pattern& pattern = *patterns[index];
  if (!pattern.Prepare(options.max_memory)) return true;  // only with check = false, which promises that it compiles
  std::uint32_t hits = 0;
  for (Window window : own.windows[index]) {
    if (outcome.looked + (window.end - window.begin) > limit) return false;
    outcome.looked += window.end - window.begin;
    // A match that has a word in it lies between the borders around the words.
    if (pattern.holds_word) {
      const auto behind = std::ranges::upper_bound(borders, window.first);
      if (behind != borders.begin()) window.begin = std::max(window.begin, *std::prev(behind));
      const auto next = std::lower_bound(behind, borders.end(), window.last);
      if (next != borders.end()) window.end = std::min(window.end, *next);
    }
    // Parts of the window between borders; of most the needs say that nothing is there. Of a long window its blocks say
    // little, and each part is asked by itself.
    const bool apart = !borders.empty() && window.end - window.begin > BlockGrams::kMostBytes;
    if (!apart && !pattern.MayMatch(window, own)) continue;
    // Without needs every part would be asked: most windows have no match as a whole, and so none in a part.
    if (pattern.needs.empty() && !borders.empty() &&
        pattern.For({text.data(), text.size()}, window, false, options.max_memory) == nullptr) {
      continue;
    }
    const bool ascii = !apart && !pattern.needs.empty() && own.grams.AreAscii();
    auto border = std::ranges::upper_bound(borders, window.begin);
    for (std::uint32_t begin = window.begin; begin < window.end;) {
      const std::uint32_t end = border == borders.end() ? window.end : std::min(*border++, window.end);
      const bool whole = begin == window.begin && end == window.end;
      if ((!apart || pattern.MayMatch(Window{begin, end}, own)) &&
          pattern.MayMatch(text.substr(begin, end - begin), whole ? pattern.asked : pattern.needs.size(), own) &&
          !Search(index, text, {begin, end}, ascii, hits, outcome, out)) {
        return true;
      }
      begin = end;
    }
  }
  return true;
}

PatternSet::PatternSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

base::Status PatternSet::Check(const PatternSpec& spec, const PatternOptions& options) {
  for (const std::string& word : spec.words) {
    if (word.size() < kMinWord || word.size() > kMaxWord) {
      return Bad("word `" + base::Printable(word, 80) + "` has fewer than 2 or more than 255 bytes");
    }
  }
  const re2::RE2 regex(spec.regex, RegexOptions(options.max_memory));
  if (!regex.ok()) return Bad("expression: " + regex.error());
  if (re2::RE2::FullMatch("", regex)) return Bad("expression matches the empty text");
  return {};
}

std::vector<std::string> PatternSet::WordsOf(std::string_view regex) {
  re2::FilteredRE2 filter(kMinAtom);
  int id = 0;
  if (filter.Add(re2::StringPiece(regex.data(), regex.size()), RegexOptions(std::int64_t{8} << 20), &id) !=
      re2::RE2::NoError) {
    return {};
  }
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  if (atoms.size() > kMaxWordAtoms) return {};
  std::vector<Need> needs = NeedsOf(filter, atoms, 1, false);
  return needs.empty() ? std::vector<std::string>() : std::move(needs.front());
}

std::string PatternSet::Derive(const PatternSpec& spec, const PatternOptions& options) {
  const std::vector<std::string> taken = spec.words.empty() ? WordsOf(spec.regex) : std::vector<std::string>();
  std::vector<std::string> words;
  for (const std::string& word : spec.words.empty() ? taken : spec.words) words.push_back(FoldWord(word));
  std::unique_ptr<re2::FilteredRE2> filter;
  const Known known = WorkOut(spec.regex, Loosened(spec.regex), words,
                              RegexOptions(options.max_memory, base::IsAscii(spec.regex)), filter);
  if (filter == nullptr) return {};
  const auto sayable = [](const std::string& word) {
    return std::ranges::none_of(word, [](char c) { return c == kBar || (c >= 0 && c < ' '); });
  };
  std::string out = Joined(taken) + kField + (known.loosened ? 'l' : '-') + (known.holds_word ? 'h' : '-') +
                    static_cast<char>('0' + known.asked);
  if (!std::ranges::all_of(taken, sayable)) return {};
  for (const Need& need : known.needs) {
    if (!std::ranges::all_of(need, sayable)) return {};
    out += kField + Joined(need);
  }
  return out;
}

base::Result<PatternSet> PatternSet::Compile(std::span<const PatternSpec> specs, const PatternOptions& options) {
  static std::atomic<std::uint64_t> serials{0};
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->options.literals = {};
  impl->serial = ++serials;
  std::map<std::string, std::uint32_t> ids;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const PatternSpec& spec = specs[i];
    if (options.check) {
      const base::Status status = Check(spec, options);
      if (!status.ok()) return base::Error(status.error().code(), status.error().message(), {.offset = i});
    }
    auto pattern = std::make_unique<Impl::Pattern>();
    pattern->regex = spec.regex;
    pattern->reach = spec.reach;
    pattern->narrow = base::IsAscii(spec.regex);
    for (const std::string& word : spec.words) pattern->words.push_back(FoldWord(word));
    pattern->derived = spec.derived;
    if (spec.words.empty() && !spec.derived.empty()) {
      const std::string_view taken = spec.derived.substr(0, spec.derived.find(kField));
      if (!taken.empty()) {
        for (const std::string_view word : Split(taken, kBar)) pattern->words.push_back(FoldWord(word));
      }
    } else if (spec.words.empty()) {
      for (const std::string& word : WordsOf(spec.regex)) pattern->words.push_back(FoldWord(word));
    }
    const auto index = static_cast<std::uint32_t>(i);
    if (pattern->words.empty()) impl->always.push_back(index);
    for (const std::string& word : pattern->words) {
      const auto [at, is_new] = ids.try_emplace(word, static_cast<std::uint32_t>(impl->words.size()));
      if (is_new) {
        impl->words.push_back(word);
        impl->users.emplace_back();
      }
      std::vector<std::uint32_t>& users = impl->users[at->second];
      if (users.empty() || users.back() != index) users.push_back(index);
    }
    impl->patterns.push_back(std::move(pattern));
  }
  if (options.backend == PatternBackend::kVectorscan && !impl->words.empty()) {
    impl->literals = MakeVectorscanMatcher(impl->words, options.literals);
  }
  if (options.backend == PatternBackend::kAuto && !impl->words.empty() && HaveVectorscan()) {
    impl->literals = KeptVectorscanMatcher(impl->words, options.literals);
    if (impl->literals == nullptr) impl->literals = MakeTieredMatcher(impl->words);
    impl->backend = PatternBackend::kVectorscan;
  }
  if (options.backend == PatternBackend::kVectorscan) {
    if (impl->literals == nullptr && !(impl->words.empty() && HaveVectorscan())) {
      return base::Error(base::ErrorCode::kPatternBackend);
    }
    impl->backend = PatternBackend::kVectorscan;
  }
  if (impl->literals == nullptr && !impl->words.empty()) impl->literals = MakePortableMatcher(impl->words);
  return PatternSet(std::move(impl));
}

PatternOutcome PatternSet::Scan(std::string_view text, PatternScratch& scratch, std::vector<PatternHit>& out,
                                std::span<const std::uint32_t> borders) const {
  PatternOutcome outcome;
  if (text.empty()) return outcome;
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    outcome.complete = false;
    return outcome;
  }
  PatternScratch::Impl& own = *scratch.impl_;
  if (own.windows.size() < impl_->patterns.size()) own.windows.resize(impl_->patterns.size());
  own.hits.clear();
  own.touched.clear();
  own.grams.Open(text);
  const auto size = static_cast<std::uint32_t>(text.size());
  if (impl_->literals != nullptr && !impl_->literals->Find(text, own.LiteralsOf(impl_->serial), own.hits)) {
    outcome.complete = false;
  }
  for (const LiteralHit& hit : own.hits) {
    const auto end = hit.begin + static_cast<std::uint32_t>(impl_->words[hit.word].size());
    for (const std::uint32_t user : impl_->users[hit.word]) {
      const std::uint32_t reach = impl_->patterns[user]->reach;
      own.Add(user,
              {hit.begin > reach ? hit.begin - reach : 0, size - end > reach ? end + reach : size, hit.begin, end});
    }
  }
  for (const std::uint32_t pattern : impl_->always) own.Add(pattern, {0, size, 0, size});
  std::sort(own.touched.begin(), own.touched.end());
  outcome.candidates = static_cast<std::uint32_t>(own.touched.size());
  const std::uint64_t limit = impl_->options.confirm_floor + std::uint64_t{impl_->options.confirm_factor} * text.size();
  for (const std::uint32_t pattern : own.touched) {
    if (!impl_->Confirm(pattern, text, borders, limit, own, outcome, out)) outcome.complete = false;
    own.windows[pattern].clear();
  }
  return outcome;
}

std::size_t PatternSet::size() const noexcept { return impl_->patterns.size(); }
PatternBackend PatternSet::backend() const noexcept { return impl_->backend; }
bool PatternSet::always_runs(std::size_t pattern) const noexcept { return impl_->patterns[pattern]->words.empty(); }
std::span<const std::string> PatternSet::words(std::size_t pattern) const noexcept {
  return impl_->patterns[pattern]->words;
}
std::string PatternSet::SerializeLiterals() const {
  return impl_->literals == nullptr ? std::string() : impl_->literals->Serialize();
}

}  // namespace interlock::patterns
