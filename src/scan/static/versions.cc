#include "static/versions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxVersion = 256;

bool IsSeparator(char c) { return c == '.' || c == '-' || c == '_'; }
bool AllDigits(std::string_view text) { return std::all_of(text.begin(), text.end(), IsDigit); }

std::string Number(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return std::string(digits);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  void Set(std::string_view rest) { rest_ = rest; }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void TakeSeparator() {
    if (!rest_.empty() && IsSeparator(rest_.front())) rest_.remove_prefix(1);
  }
  std::string_view Digits() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsDigit);
    const std::string_view digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(digits.size());
    return digits;
  }
  // A separator if any, one of `words` (longest first), then a number, which counts as 0 where it is missing.
  template <std::size_t N>
  bool Marker(const std::array<std::pair<std::string_view, std::string_view>, N>& words, std::string& name,
              std::string& number) {
    const std::string_view before = rest_;
    TakeSeparator();
    for (const auto& [word, canonical] : words) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      name = canonical;
      const std::string_view after = rest_;
      TakeSeparator();
      const std::string_view digits = Digits();
      if (digits.empty()) rest_ = after;
      number = digits.empty() ? "0" : Number(digits);
      return true;
    }
    rest_ = before;
    return false;
  }

 private:
  std::string_view rest_;
};

using Words = std::pair<std::string_view, std::string_view>;
constexpr std::array<Words, 8> kPre = {Words{"preview", "rc"}, {"alpha", "a"}, {"beta", "b"}, {"pre", "rc"},
                                       {"rc", "rc"},           {"a", "a"},     {"b", "b"},    {"c", "rc"}};
constexpr std::array<Words, 3> kPost = {Words{"post", ""}, {"rev", ""}, {"r", ""}};
constexpr std::array<Words, 1> kDev = {Words{"dev", ""}};

constexpr int kLowest = 0;
constexpr int kWord = 1;
constexpr int kNumber = 2;
constexpr int kHighest = 3;

}  // namespace

std::strong_ordering Version::Part::operator<=>(const Part& other) const {
  if (rank != other.rank) return rank <=> other.rank;
  if (number && text.size() != other.text.size()) return text.size() <=> other.text.size();
  return text.compare(other.text) <=> 0;
}

std::optional<Version> Version::ParsePep440(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMaxVersion) return std::nullopt;
  const std::string lower = LowerCase(text);
  Reader reader(lower);
  Version version;
  const auto number = [](std::string digits) { return Part{kNumber, std::move(digits), true}; };

  reader.Take('v');
  std::string_view digits = reader.Digits();
  if (digits.empty()) return std::nullopt;
  std::string epoch = "0";
  if (reader.Take('!')) {
    epoch = Number(digits);
    digits = reader.Digits();
    if (digits.empty()) return std::nullopt;
  }
  version.head_.push_back(number(std::move(epoch)));
  version.release_.push_back(number(Number(digits)));
  while (reader.rest().size() > 1 && reader.rest()[0] == '.' && IsDigit(reader.rest()[1])) {
    reader.Take('.');
    version.release_.push_back(number(Number(reader.Digits())));
  }
  while (version.release_.size() > 1 && version.release_.back().text == "0") version.release_.pop_back();

  std::string name;
  std::string count;
  const bool pre = reader.Marker(kPre, name, count);
  Part pre_name{kHighest};
  Part pre_count{kLowest};
  if (pre) {
    pre_name = {kWord, name};
    pre_count = number(count);
  }
  Part post{kLowest};
  if (reader.rest().size() > 1 && reader.rest()[0] == '-' && IsDigit(reader.rest()[1])) {
    reader.Take('-');
    post = number(Number(reader.Digits()));
  } else if (reader.Marker(kPost, name, count)) {
    post = number(count);
  }
  Part dev{kHighest};
  if (reader.Marker(kDev, name, count)) {
    dev = number(count);
    // 1.0.dev1 comes before 1.0a1, and 1.0.post1.dev1 before 1.0.post1.
    if (!pre && post.rank == kLowest) pre_name.rank = kLowest;
  }
  version.suffix_ = {std::move(pre_name), std::move(pre_count), std::move(post), std::move(dev)};
  if (reader.Take('+')) {
    std::string_view rest = reader.rest();
    if (rest.empty()) return std::nullopt;
    while (true) {
      const auto end = static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), IsSeparator) - rest.begin());
      const std::string_view part = rest.substr(0, end);
      const bool plain = std::all_of(part.begin(), part.end(), [](char c) { return IsDigit(c) || IsLetter(c); });
      if (part.empty() || !plain) return std::nullopt;
      version.local_.push_back(AllDigits(part) ? number(Number(part)) : Part{kWord, std::string(part)});
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
    reader.Set({});
  }
  if (!reader.done()) return std::nullopt;
  return version;
}

std::optional<Version> Version::ParseSemver(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() > kMaxVersion) return std::nullopt;
  if (text.starts_with('=')) text.remove_prefix(1);
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::size_t build = text.find('+');
  if (build == text.size() - 1) return std::nullopt;
  Reader reader(text.substr(0, build));
  Version version;
  for (int part = 0; part < 3; ++part) {
    if (part > 0 && !reader.Take('.')) break;
    const std::string_view digits = reader.Digits();
    if (digits.empty()) return std::nullopt;
    version.release_.push_back({kNumber, Number(digits), true});
  }
  while (version.release_.size() < 3) version.release_.push_back({kNumber, "0", true});
  if (reader.Take('-')) {
    std::string_view rest = reader.rest();
    while (true) {
      const std::size_t end = std::min(rest.find('.'), rest.size());
      const std::string_view part = rest.substr(0, end);
      const bool plain =
          std::all_of(part.begin(), part.end(), [](char c) { return IsDigit(c) || IsLetter(c) || c == '-'; });
      if (part.empty() || !plain) return std::nullopt;
      // Numbers come before words: the other way round than in PEP 440.
      const bool digits = AllDigits(part);
      version.suffix_.push_back({digits ? kLowest : kWord, digits ? Number(part) : std::string(part), digits});
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
  } else {
    if (!reader.done()) return std::nullopt;
    version.suffix_.push_back({kHighest});
  }
  return version;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  const auto compare = [](const std::vector<Part>& a, const std::vector<Part>& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (const auto order = a[i] <=> b[i]; order != 0) return order;
    }
    return a.size() <=> b.size();
  };
  if (const auto order = compare(head_, other.head_); order != 0) return order;
  if (const auto order = compare(release_, other.release_); order != 0) return order;
  if (const auto order = compare(suffix_, other.suffix_); order != 0) return order;
  return compare(local_, other.local_);
}

std::string Version::Canonical() const {
  std::string out;
  for (const std::vector<Part>* list : {&head_, &release_, &suffix_, &local_}) {
    for (const Part& part : *list) {
      out += static_cast<char>('0' + part.rank);
      out += part.text;
      out += '.';
    }
    out += '/';
  }
  return out;
}

}  // namespace interlock::scan
