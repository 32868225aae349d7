// Names that are one slip away from a popular one. Strict on purpose: short names collide by chance, and most names
// that contain a popular one (plug-ins, ports, type packages) are honest.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/name_table.h"
#include "static/supply_internal.h"

namespace interlock::embedded {
std::string_view Find_scan_baked(std::string_view file);  // generated: cmake/Embed.cmake, bake/
std::string_view Find_scan_names(std::string_view file);  // generated: cmake/Embed.cmake
}  // namespace interlock::embedded

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxName = 80;
constexpr std::size_t kShort = 5;  // names below are never compared
// How popular a target must be, by how likely the slip is an accident of naming.
constexpr std::uint32_t kRankSure = 5000;
constexpr std::uint32_t kRankWeak = 1500;
constexpr std::uint32_t kRankClaim = 4000;
constexpr std::size_t kLongCore = 8;         // of a scope, so that nobody else comes by it
constexpr std::uint32_t kScopePackages = 4;  // popular packages that make a scope popular

// Each read when it is first asked for, and left to the end of the program.
const PopularNames& NamesOf(std::string_view ecosystem) {
  const auto load = [](std::string_view file) { return ReadBaked<PopularNames>(embedded::Find_scan_baked(file)); };
  if (ecosystem == kPypi) {
    static const PopularNames pypi = load("pypi.baked");
    return pypi;
  }
  static const PopularNames npm = load("npm.baked");
  return npm;
}

bool KeyboardNeighbours(char a, char b) {
  constexpr std::array<std::string_view, 4> kRows = {"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"};
  for (std::size_t r = 0; r < kRows.size(); ++r) {
    const std::size_t x = kRows[r].find(a);
    if (x == std::string_view::npos) continue;
    for (std::size_t s = r == 0 ? 0 : r - 1; s < std::min(r + 2, kRows.size()); ++s) {
      const std::size_t y = kRows[s].find(b);
      if (y == std::string_view::npos) continue;
      if (s == r) return x + 1 == y || y + 1 == x;
      // The next row stands half a key to the right.
      const std::size_t upper = s < r ? y : x;
      const std::size_t lower = s < r ? x : y;
      return upper == lower || upper == lower + 1;
    }
  }
  return false;
}

// Letters that are drawn alike, folded.
std::string Drawn(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view two = name.substr(i, 2);
    if (two == "rn") {
      out += 'm';
      ++i;
    } else if (two == "vv") {
      out += 'w';
      ++i;
    } else {
      const char c = name[i];
      out += c == '0' ? 'o' : c == '1' || c == 'i' ? 'l' : c == '5' ? 's' : c;
    }
  }
  return out;
}

struct Slip {
  std::string_view how;
  std::uint32_t max_rank;
  std::size_t min_length;  // of the target
};

// How `name` comes from `target` by one slip; nothing when by none that a person would not make on purpose.
std::optional<Slip> SlipBetween(std::string_view name, std::string_view target, bool pypi) {
  const std::size_t n = name.size();
  const std::size_t t = target.size();
  std::size_t i = 0;
  while (i < n && i < t && name[i] == target[i]) ++i;
  if (n == t) {
    if (i + 1 < n && name[i] == target[i + 1] && name[i + 1] == target[i] &&
        name.substr(i + 2) == target.substr(i + 2)) {
      return Slip{"two letters swapped", kRankSure, 5};
    }
    if (name.substr(i + 1) != target.substr(i + 1)) return std::nullopt;
    // Another number is another edition; a different first letter is mostly another word.
    if (IsDigit(target[i]) && IsDigit(name[i])) return std::nullopt;
    // "is-uri" and "is-url" are two words; with a digit for a letter it is no word at all.
    if (Drawn(name) == Drawn(target)) {
      const bool digit = IsDigit(name[i]) || IsDigit(target[i]);
      return Slip{"a letter replaced by one that looks like it", kRankSure, digit ? 5U : 9U};
    }
    if (i == 0) return std::nullopt;
    if (name[i] == '-' || target[i] == '-' || name[i] == '/' || target[i] == '/') return std::nullopt;
    if (IsDigit(target[i]) || IsDigit(name[i])) return std::nullopt;
    if (KeyboardNeighbours(name[i], target[i])) return Slip{"a letter replaced by its neighbour", kRankWeak, 7};
    return Slip{"a letter replaced", 500, 9};
  }
  if (n + 1 == t) {  // left out
    if (name.substr(i) != target.substr(i + 1)) return std::nullopt;
    // npm refuses new names that differ from an old one by separators only; what is there is old and mostly honest.
    if (target[i] == '-' || target[i] == '.') return Slip{"a separator left out", pypi ? kRankSure : 0, 9};
    if (IsDigit(target[i])) return std::nullopt;
    // A word without its first or last letter is mostly another word: readdir(p), schedule(r), (y)args-parser.
    if (i == 0 || i + 1 == t) return std::nullopt;
    if (target[i] == target[i - 1]) return Slip{"a doubled letter written once", kRankSure, 6};
    return Slip{"a letter left out", kRankSure, 7};
  }
  if (n == t + 1) {  // added
    if (name.substr(i + 1) != target.substr(i)) return std::nullopt;
    if (name[i] == '-' || name[i] == '.' || IsDigit(name[i])) return std::nullopt;
    if (i > 0 && name[i] == name[i - 1] && !IsDigit(name[i])) return Slip{"a letter doubled", kRankSure, 5};
    // One letter more at either end makes plurals, versions and abbreviations.
    if (i == t || i == 0) return std::nullopt;
    return Slip{"a letter added", kRankWeak, 8};
  }
  return std::nullopt;
}

// Calls `use` with every name one slip away from `name` that is in `ranks`.
template <class Use>
void ForEachNear(const NameTable& ranks, std::string_view name, Use use) {
  std::string candidate;
  const auto look = [&] {
    if (const auto at = ranks.find(candidate)) use(at->first, at->second);
  };
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  for (std::size_t i = 0; i < name.size(); ++i) {
    candidate.assign(name).erase(i, 1);
    look();
    if (i + 1 < name.size() && name[i] != name[i + 1]) {
      candidate.assign(name);
      std::swap(candidate[i], candidate[i + 1]);
      look();
    }
    for (const char c : kLetters) {
      candidate.assign(name);
      candidate[i] = c;
      if (c != name[i]) look();
    }
  }
  for (std::size_t i = 0; i <= name.size(); ++i) {
    for (const char c : kLetters) {
      candidate.assign(name).insert(i, 1, c);
      look();
    }
  }
}

std::optional<NameLikeness> Nearest(const NameTable& ranks, std::string_view name, bool pypi) {
  std::optional<NameLikeness> best;
  ForEachNear(ranks, name, [&](std::string_view target, std::uint32_t rank) {
    const std::optional<Slip> slip = SlipBetween(name, target, pypi);
    if (!slip || rank > slip->max_rank || target.size() < slip->min_length) return;
    if (best && best->rank <= rank) return;
    best = NameLikeness{NameLikeness::Kind::kEdit, std::string(target), rank, std::string(slip->how)};
  });
  return best;
}

// One letter more, less, other, or two swapped.
bool IsOneEdit(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > 1 || a == b) return false;
  std::size_t i = 0;
  while (i < a.size() && a[i] == b[i]) ++i;
  if (a.size() < b.size()) return a.substr(i) == b.substr(i + 1);
  if (a.substr(i + 1) == b.substr(i + 1)) return true;
  return i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] && a.substr(i + 2) == b.substr(i + 2);
}

std::string WithoutSeparators(std::string_view scope) {
  std::string out(scope);
  std::erase_if(out, [](char c) { return c == '-' || c == '_'; });
  return out;
}

// What is left of a scope without separators, and without words that anybody may add: "@lang-chain" and
// "@langchain-tools" are one to the eye.
std::string CoreOfScope(std::string_view scope) {
  // Not "community", "labs", "plugins": scopes beside another are called so, and are honest.
  constexpr auto kAdded = std::to_array<std::string_view>(
      {"servers", "server", "official", "sdk",      "tools",   "team", "hq",  "inc",  "org", "dev",
       "js",      "io",     "app",      "packages", "package", "pkg",  "npm", "core", "ai",  "api"});
  if (scope.starts_with('@')) scope.remove_prefix(1);
  std::vector<std::string_view> words;
  for (std::string_view rest = scope; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("-_"), rest.size());
    if (end > 0) words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  while (words.size() > 1 && std::ranges::find(kAdded, words.back()) != kAdded.end()) words.pop_back();
  std::string core;
  for (std::string_view word : words) {
    // "storybooks" and "storybook".
    if (word.size() > kShort && word.ends_with('s') && !word.ends_with("ss")) word.remove_suffix(1);
    core += word;
  }
  return core;
}

// Cores of the popular scopes, each with the scope of the most packages.
const std::unordered_map<std::string, std::string_view>& CoresOfScopes() {
  static const auto cores = [] {
    std::unordered_map<std::string, std::string_view> made;
    const PopularNames& names = NamesOf(kNpm);
    names.scopes.Each([&](std::string_view scope, std::uint32_t packages) {
      std::string_view& best = made[CoreOfScope(scope)];
      const std::uint32_t most = best.empty() ? 0 : names.scopes.at(best);
      if (packages > most || (packages == most && scope < best)) best = scope;
    });
    return made;
  }();
  return cores;
}

std::string SkeletonOf(std::string_view name) {
  const auto folded = base::Normalize(name, {.skeleton = true, .fold_case = true});
  return folded.ok() ? folded.value().text() : std::string();
}

// Skeletons of the popular names: a plain "m" has that of "rn", so both sides are compared by skeleton.
const std::unordered_map<std::string, std::string_view>& SkeletonsOf(std::string_view ecosystem) {
  const auto load = [](std::string_view which) {
    std::unordered_map<std::string, std::string_view> skeletons;
    NamesOf(which).ranks.Each([&](std::string_view name, std::uint32_t rank) {
      if (rank <= kRankSure) skeletons.emplace(SkeletonOf(name), name);
    });
    return skeletons;
  };
  static const auto pypi = load(kPypi);
  static const auto npm = load(kNpm);
  return ecosystem == kPypi ? pypi : npm;
}

std::optional<NameLikeness> Homoglyph(std::string_view ecosystem, std::string_view name) {
  if (std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return std::nullopt;
  }
  const auto& skeletons = SkeletonsOf(ecosystem);
  const auto at = skeletons.find(SkeletonOf(name));
  if (at == skeletons.end()) return std::nullopt;
  return NameLikeness{NameLikeness::Kind::kHomoglyph, std::string(at->second), RankOf(ecosystem, at->second),
                      "letters of another script"};
}

// "types-node": a popular scope and its package, written as one name of nobody's scope.
std::optional<NameLikeness> Flattened(std::string_view name) {
  constexpr std::uint32_t kRankFlat = 2500;
  static const auto flat = [] {
    std::unordered_map<std::string, std::string_view> made;
    const PopularNames& names = NamesOf(kNpm);
    names.ranks.Each([&](std::string_view full, std::uint32_t rank) {
      if (full.front() != '@' || rank > kRankFlat || names.scopes.at(full.substr(0, full.find('/'))) < kScopePackages)
        return;
      std::string plain(full.substr(1));
      std::replace(plain.begin(), plain.end(), '/', '-');
      made.emplace(std::move(plain), full);
    });
    return made;
  }();
  const auto at = name.size() >= kLongCore ? flat.find(std::string(name)) : flat.end();
  if (at == flat.end()) return std::nullopt;
  return NameLikeness{NameLikeness::Kind::kEdit, std::string(at->second), kRankSure, "its scope written into the name"};
}

// "openai-official-sdk": a popular name with a claim to be the true one.
std::optional<NameLikeness> Claim(const PopularNames& names, std::string_view name) {
  constexpr std::array<std::string_view, 5> kClaims = {"official", "genuine", "verified", "original", "authentic"};
  std::vector<std::string_view> words;
  std::string_view rest = name;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("-_./"), rest.size());
    if (end > 0) words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const bool claims = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(kClaims.begin(), kClaims.end(), word) != kClaims.end();
  });
  if (!claims || name.front() == '@') return std::nullopt;
  for (const std::string_view word : words) {
    const auto at = names.ranks.find(word);
    if (word.size() < kShort || !at || at->second > kRankClaim) continue;
    return NameLikeness{NameLikeness::Kind::kClaim, std::string(word), at->second, "claims to be the true one"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NameLikeness> LooksLikeAction(std::string_view name) {
  struct Known {
    std::unordered_map<std::string_view, std::vector<std::string_view>> names;  // by owner
  };
  static const Known known = [] {
    Known made;
    std::string_view text = embedded::Find_scan_names("actions.txt");
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::size_t slash = line.find('/');
      if (slash != std::string_view::npos) made.names[line.substr(0, slash)].push_back(line.substr(slash + 1));
    }
    return made;
  }();
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.size() > kMaxName) return std::nullopt;
  const std::string_view owner = name.substr(0, slash);
  const std::string_view action = name.substr(slash + 1);
  // Below a known owner nobody else publishes: a slip there finds nothing at all.
  if (known.names.contains(owner) || owner.size() < kShort) return std::nullopt;
  for (const auto& [target, actions] : known.names) {
    if (target.size() < kShort || !IsOneEdit(owner, target)) continue;
    for (const std::string_view one : actions) {
      if (one != action && !(one.size() >= kShort && IsOneEdit(action, one))) continue;
      return NameLikeness{NameLikeness::Kind::kScope, std::string(target) + "/" + std::string(one), 1,
                          "its owner's name"};
    }
  }
  return std::nullopt;
}

std::optional<std::string> LooksLikeOwner(std::string_view owner) {
  if (owner.size() < kLongCore || owner.size() > kMaxName) return std::nullopt;
  const PopularNames& names = NamesOf(kNpm);
  const std::string scope = "@" + LowerCase(owner);
  if (names.scopes.contains(scope)) return std::nullopt;
  std::optional<std::string> best;
  ForEachNear(names.scopes, scope, [&](std::string_view target, std::uint32_t packages) {
    const std::optional<Slip> slip = SlipBetween(scope, target, false);
    if (slip && slip->max_rank > 0 && target.size() > kLongCore && packages + 1 >= kScopePackages)
      best = std::string(target.substr(1));
  });
  return best;
}

bool IsOtherOwner(std::string_view owner, std::string_view target) {
  if (owner == target || owner.size() < kShort || target.size() < kShort) return false;
  return IsOneEdit(owner, target) || CoreOfScope(owner) == CoreOfScope(target) ||
         (owner.starts_with(target) && (owner.substr(target.size()) == "-go" || owner.substr(target.size()) == "-rs"));
}

std::uint32_t RankOf(std::string_view ecosystem, std::string_view name) { return NamesOf(ecosystem).ranks.at(name); }

bool IsSlipOf(std::string_view ecosystem, std::string_view name, std::string_view target) {
  if (name == target) return false;
  const std::optional<Slip> slip = SlipBetween(name, target, ecosystem == kPypi);
  return slip.has_value() && slip->max_rank > 0 && target.size() >= slip->min_length;
}

std::optional<NameLikeness> LooksLike(std::string_view ecosystem, std::string_view raw) {
  if (raw.size() < kShort || raw.size() > kMaxName) return std::nullopt;
  const std::string name = ecosystem == kPypi ? NormalPypiName(raw) : LowerCase(raw);
  const PopularNames& names = NamesOf(ecosystem);
  if (names.ranks.contains(name)) return std::nullopt;
  if (std::optional<NameLikeness> found = Homoglyph(ecosystem, name)) return found;
  if (name.front() != '@') {
    if (std::optional<NameLikeness> found = Nearest(names.ranks, name, ecosystem == kPypi)) {
      // A scope's package is not reached by a slip from a plain name.
      if (found->target.front() != '@') return found;
    }
    if (ecosystem != kPypi) {
      if (std::optional<NameLikeness> found = Flattened(name)) return found;
    }
    return Claim(names, name);
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string scope = name.substr(0, slash);
  if (!names.scopes.contains(scope) && scope.size() > kShort) {
    // Another scope with the very package that a popular scope has.
    std::optional<NameLikeness> best;
    ForEachNear(names.scopes, scope, [&](std::string_view target, std::uint32_t packages) {
      const std::optional<Slip> slip = SlipBetween(scope, target, false);
      if (!slip || target.size() < std::max<std::size_t>(slip->min_length, 6)) return;
      const std::string whole = std::string(target) + name.substr(slash);
      const std::uint32_t rank = RankOf(kNpm, whole);
      if (rank == 0 && packages < kScopePackages * 3) return;
      if (rank == 0 && slip->max_rank < kRankSure) return;
      best = NameLikeness{NameLikeness::Kind::kScope, rank != 0 ? whole : std::string(target), rank,
                          "scope: " + std::string(slip->how)};
    });
    if (best) return best;
    // The same to the eye, and it has the very package that the popular one has.
    const std::string core = CoreOfScope(scope);
    const auto at = core.size() > kShort ? CoresOfScopes().find(core) : CoresOfScopes().end();
    if (at == CoresOfScopes().end() || at->second == scope) return std::nullopt;
    const std::string whole = std::string(at->second) + name.substr(slash);
    const std::uint32_t rank = RankOf(kNpm, whole);
    if (rank == 0) {
      // No word added, only separators: no two scopes that many use differ by them.
      if (core.size() < kLongCore || WithoutSeparators(scope) != WithoutSeparators(at->second) ||
          names.scopes.at(at->second) + 1 < kScopePackages) {
        return std::nullopt;
      }
      return NameLikeness{NameLikeness::Kind::kScope, std::string(at->second), kRankSure, "scope: other separators"};
    }
    return NameLikeness{NameLikeness::Kind::kScope, whole, kRankSure, "scope: other words around it"};
  }
  return std::nullopt;  // within a known scope only its owner publishes
}

}  // namespace interlock::scan
