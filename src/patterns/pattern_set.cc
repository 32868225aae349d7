#include "interlock/patterns/pattern_set.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "expressions.h"
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

std::string FoldWord(std::string_view word) {
  std::string folded(word.substr(0, kWordBytes));
  for (char& c : folded) c = static_cast<char>(FoldAscii(static_cast<unsigned char>(c)));
  return folded;
}

// What matches of one alternative have: one word of each need. `asked`: of so many; of the others every window has a
// word anyway.
struct Branch {
  std::size_t asked = 0;
  std::vector<Need> needs;
};

// What is known of an expression beside itself.
struct Known {
  bool loosened = false;         // its loosened form is worth asking first
  bool holds_word = false;       // each match has one of the pattern's words inside
  std::vector<Branch> branches;  // of each match one, in which it is; none: nothing is known
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
  const auto given = [&](const Need& need) {
    return std::ranges::all_of(words, [&](const std::string& word) { return std::ranges::count(need, word) != 0; });
  };
  const auto branch = [&](std::vector<Need> needs) {
    // What the words that led here do not say is asked first.
    const auto has_given = [&](const Need& need) {
      return std::ranges::any_of(need, [&](const std::string& word) { return std::ranges::count(words, word) != 0; });
    };
    std::ranges::stable_sort(needs, {},
                             [&](const Need& need) { return std::tuple(given(need), has_given(need), need.size()); });
    const auto asked = static_cast<std::size_t>(std::ranges::count_if(needs, std::not_fn(given)));
    return Branch{.asked = asked, .needs = std::move(needs)};
  };
  Branch all = branch(NeedsOf(*filter, atoms, kMaxNeeds, true));
  const auto has_word = [&](const std::string& one) {
    return std::ranges::any_of(words, [&](const std::string& word) { return one.find(word) != std::string::npos; });
  };
  const bool ignores_case = MayIgnoreCase(regex);
  out.holds_word = !ignores_case && std::ranges::any_of(all.needs, [&](const Need& need) {
    return std::ranges::all_of(need, has_word);
  });
  const std::vector<std::string> alternatives = Alternatives(out.loosened ? loose : std::string_view(regex));
  for (const std::string& one : alternatives) {
    re2::FilteredRE2 alone(kMinAtom);
    if (alternatives.size() == 1 || alone.Add(one, how, &id) != re2::RE2::NoError) break;
    std::vector<std::string> own;
    alone.Compile(&own);
    if (own.size() > kMaxAtoms) own.clear();
    out.branches.push_back(branch(NeedsOf(alone, own, kMaxNeeds, true)));
    if (out.branches.back().needs.empty()) break;  // what needs nothing is anywhere
  }
  if (out.branches.size() != alternatives.size() || out.branches.back().needs.empty()) out.branches = {std::move(all)};
  if (out.branches.size() == 1 && out.branches.front().needs.empty()) out.branches.clear();
  // Where case does not count, the kelvin sign is a k and the long s an s.
  for (Branch& one : out.branches) {
    for (Need& need : one.needs) {
      if (ignores_case && need.back() != kBeyondAscii) need.emplace_back(kBeyondAscii);
    }
  }
  return out;
}

// As Derive() writes it: words taken from the expression, two letters, branches with a digit and their needs. Fields,
// branches and words begin or end with bytes that no expression of sense has.
constexpr char kField = '\x01';
constexpr char kBranch = '\x02';
constexpr char kBar = '\x03';
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
  struct Branch {
    std::size_t end = 0;  // of its needs in `present_ends`
    std::size_t asked = 0;
    std::size_t number = 0;  // among the pattern's
  };
  std::vector<Branch> branches;      // that the window may match by
  std::vector<std::size_t> numbers;  // ... the part of it that was asked last

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
    bool inside = false;  // ... says that each match has one of the words inside
    // The expression with every counted repetition unbounded: matches wherever it does, by an automaton that has no
    // counters and is many times smaller. Windows that it does not match are done.
    mutable std::string loose;  // after `once`; `regex` itself where it is not worth asking
    LazyRegex exact_narrow;
    LazyRegex exact_wide;
    LazyRegex loose_narrow;
    LazyRegex loose_wide;
    mutable std::once_flag once;
    mutable std::unique_ptr<re2::FilteredRE2> filter;  // what the needs were worked out with: loose_narrow once more
    // Words of all needs, where those of each need end, and where the needs of each branch do.
    mutable std::vector<Wanted> wanted;
    mutable std::vector<std::size_t> need_ends;
    mutable std::vector<PatternScratch::Impl::Branch> branches;
    // Of several branches each, loosened: a part that has the words of few is asked about these alone, which are
    // smaller.
    mutable std::vector<std::string> alternatives;
    mutable std::deque<LazyRegex> alternative_regexes;
    mutable std::vector<::interlock::patterns::Branch>
        worked_out;  // what `wanted` points into, unless that is `derived`
    mutable bool holds_word = false;
    mutable bool usable = false;

    // Called before the others; false: RE2 refuses the expression.
    bool Prepare(std::int64_t max_memory) const {
      std::call_once(once, [&] {
        bool loosened = false;
        usable = ReadDerived(&loosened);
        if (!usable || loosened) loose = Loosened(regex);
        if (!usable) {
          Known known = WorkOut(regex, loose, words, RegexOptions(max_memory, narrow), filter);
          usable = filter != nullptr;
          loosened = known.loosened;
          holds_word = known.holds_word;
          worked_out = std::move(known.branches);
          for (const ::interlock::patterns::Branch& branch : worked_out) {
            for (const Need& need : branch.needs) {
              for (const std::string& word : need) wanted.emplace_back(word);
              need_ends.push_back(wanted.size());
            }
            branches.push_back({.end = need_ends.size(), .asked = branch.asked, .number = branches.size()});
          }
        }
        if (!loosened) loose = regex;
        if (branches.size() > 1) {
          alternatives = Alternatives(loose);
          alternative_regexes.resize(alternatives.size());
        }
      });
      return usable;
    }

    // False: `derived` is no line that Derive() wrote.
    bool ReadDerived(bool* loosened) const {
      std::string_view line = derived;
      const auto next = [&line](char at) {
        const std::size_t end = std::min(line.find(at), line.size());
        const std::string_view part = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return part;
      };
      if (line.find(kField) == std::string_view::npos) return false;
      (void)next(kField);  // words taken from the expression
      const std::string_view flags = next(kField);
      if (flags.size() != 2) return false;
      *loosened = flags[0] == 'l';
      holds_word = inside;
      wanted.reserve(static_cast<std::size_t>(std::ranges::count(line, kBar) + std::ranges::count(line, kField)) + 1);
      while (!line.empty()) {
        std::string_view need = next(kField);
        if (need.size() == 2 && need[0] == kBranch) {
          branches.push_back(
              {.end = need_ends.size(), .asked = static_cast<std::size_t>(need[1] - '0'), .number = branches.size()});
          continue;
        }
        while (!need.empty()) {
          const std::string_view word = need.substr(0, need.find(kBar));
          need.remove_prefix(std::min(word.size() + 1, need.size()));
          wanted.emplace_back(word == kBeyondAsWritten ? kBeyondAscii : word);
        }
        need_ends.push_back(wanted.size());
        if (!branches.empty()) branches.back().end = need_ends.size();
      }
      return true;
    }

    // The automaton for the window of the text; nullptr: no match is there.
    // `ascii`: the window is known to be. `numbers`: of the branches by which it may match; none: any.
    [[nodiscard]] const re2::RE2* For(re2::StringPiece text, Window window, bool ascii, std::int64_t max_memory,
                                      std::span<const std::size_t> numbers) const {
      constexpr std::size_t kFew = 4;
      const auto matches = [&](const re2::RE2* one) {
        return one != nullptr && one->Match(text, window.begin, window.end, re2::RE2::UNANCHORED, nullptr, 0);
      };
      // Where a byte is a character, automata are smaller still.
      const bool wide =
          narrow && !ascii && !base::IsAscii(std::string_view(text.data() + window.begin, window.end - window.begin));
      if (!wide && !alternatives.empty() && !numbers.empty() && numbers.size() <= kFew) {
        const auto by = [&](std::size_t i) {
          return matches(alternative_regexes[i].Get(alternatives[i], max_memory, narrow));
        };
        if (std::ranges::none_of(numbers, by)) return nullptr;
        return exact_narrow.Get(regex, max_memory, narrow);
      }
      const re2::RE2* const first = wide                ? loose_wide.Get(loose, max_memory, false)
                                    : filter != nullptr ? &filter->GetRE2(0)
                                                        : loose_narrow.Get(loose, max_memory, narrow);
      if (!matches(first)) return nullptr;
      if (loose == regex) return first;
      return wide ? exact_wide.Get(regex, max_memory, false) : exact_narrow.Get(regex, max_memory, narrow);
    }

    // Whether the window may have a match, by what its blocks have. Leaves in `own` by which branches, and which of
    // their words it may have.
    [[nodiscard]] bool MayMatch(Window window, PatternScratch::Impl& own) const {
      own.present.clear();
      own.present_ends.clear();
      own.branches.clear();
      if (branches.empty()) return true;
      own.grams.Look(window.begin, window.end);
      std::size_t need = 0;
      for (const PatternScratch::Impl::Branch& branch : branches) {
        const std::size_t before = own.present.size();
        const std::size_t before_needs = own.present_ends.size();
        bool met = true;
        for (; met && need < branch.end; ++need) {
          const std::size_t had = own.present.size();
          for (std::size_t i = need == 0 ? 0 : need_ends[need - 1]; i < need_ends[need]; ++i) {
            if (own.grams.MayHave(wanted[i])) own.present.push_back(&wanted[i]);
          }
          met = own.present.size() != had;
          own.present_ends.push_back(own.present.size());
        }
        need = branch.end;
        if (met) {
          own.branches.push_back({.end = own.present_ends.size(), .asked = branch.asked, .number = branch.number});
        } else {
          own.present.resize(before);
          own.present_ends.resize(before_needs);
        }
      }
      return !own.branches.empty();
    }

    // ... a part of that window, by its words. `whole`: it is all of it.
    [[nodiscard]] bool MayMatch(std::string_view part, bool whole, PatternScratch::Impl& own) const {
      own.numbers.clear();
      std::size_t need = 0;
      for (const PatternScratch::Impl::Branch& branch : own.branches) {
        const std::size_t last = whole ? std::min(need + branch.asked, branch.end) : branch.end;
        bool met = true;
        for (; met && need < last; ++need) {
          const auto begin =
              own.present.begin() + static_cast<std::ptrdiff_t>(need == 0 ? 0 : own.present_ends[need - 1]);
          const auto end = own.present.begin() + static_cast<std::ptrdiff_t>(own.present_ends[need]);
          met = std::any_of(begin, end, [part](const Wanted* one) { return one->IsIn(part); });
        }
        if (met) own.numbers.push_back(branch.number);
        need = branch.end;
      }
      return own.branches.empty() || !own.numbers.empty();
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
  // ... in a window or a part of it, by what MayMatch() left; false when there were as many hits as are wanted.
  bool Search(std::uint32_t index, std::string_view text, Window window, bool ascii, const PatternScratch::Impl& own,
              std::uint32_t& hits, PatternOutcome& outcome, std::vector<PatternHit>& out) const;
};

bool PatternSet::Impl::Search(std::uint32_t index, std::string_view text, Window window, bool ascii,
                              const PatternScratch::Impl& own, std::uint32_t& hits, PatternOutcome& outcome,
                              std::vector<PatternHit>& out) const {
  const re2::StringPiece whole(text.data(), text.size());
  const re2::RE2* const regex = patterns[index]->For(whole, window, ascii, options.max_memory, own.numbers);
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
    if (pattern.branches.empty() && !borders.empty() &&
        pattern.For({text.data(), text.size()}, window, false, options.max_memory, {}) == nullptr) {
      continue;
    }
    const bool ascii = !apart && !pattern.branches.empty() && own.grams.AreAscii();
    auto border = std::ranges::upper_bound(borders, window.begin);
    for (std::uint32_t begin = window.begin; begin < window.end;) {
      const std::uint32_t end = border == borders.end() ? window.end : std::min(*border++, window.end);
      const bool whole = begin == window.begin && end == window.end;
      if ((!apart || pattern.MayMatch(Window{begin, end}, own)) &&
          pattern.MayMatch(text.substr(begin, end - begin), whole, own) &&
          !Search(index, text, {begin, end}, ascii, own, hits, outcome, out)) {
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
    return std::ranges::none_of(word, [](char c) { return c == kField || c == kBranch || c == kBar; });
  };
  std::string out = Joined(taken) + kField + (known.loosened ? 'l' : '-') + (known.holds_word ? 'h' : '-');
  if (!std::ranges::all_of(taken, sayable)) return {};
  for (const Branch& branch : known.branches) {
    out += {kField, kBranch, static_cast<char>('0' + branch.asked)};
    for (const Need& need : branch.needs) {
      if (!std::ranges::all_of(need, sayable)) return {};
      out += kField + Joined(need);
    }
  }
  return out;
}

base::Result<PatternSet> PatternSet::Compile(std::span<const PatternSpec> specs, const PatternOptions& options) {
  static std::atomic<std::uint64_t> serials{0};
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->options.literals = {};
  impl->serial = ++serials;
  std::unordered_map<std::string, std::uint32_t> ids;
  ids.reserve(specs.size() * 8);
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
    const std::size_t flags = spec.derived.find(kField);
    pattern->inside = flags != std::string_view::npos && spec.derived.substr(flags + 2, 1) == "h";
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
  std::size_t part = 0;  // the first border behind where the word begins
  for (const LiteralHit& hit : own.hits) {
    const auto end = hit.begin + static_cast<std::uint32_t>(impl_->words[hit.word].size());
    while (part < borders.size() && borders[part] <= hit.begin) ++part;
    while (part > 0 && borders[part - 1] > hit.begin) --part;
    for (const std::uint32_t user : impl_->users[hit.word]) {
      const Impl::Pattern& pattern = *impl_->patterns[user];
      const std::uint32_t reach = pattern.reach;
      Window window = {hit.begin > reach ? hit.begin - reach : 0, size - end > reach ? end + reach : size, hit.begin,
                       end};
      // A match that has the word in it lies between the borders around it.
      if (pattern.inside) {
        if (part > 0) window.begin = std::max(window.begin, borders[part - 1]);
        if (part < borders.size() && borders[part] >= end) window.end = std::min(window.end, borders[part]);
      }
      own.Add(user, window);
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
