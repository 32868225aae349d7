#include "diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "interlock/base/text.h"

namespace interlock::policy {
namespace {

constexpr std::size_t kSnippetWidth = 110;
constexpr std::size_t kMaxWord = 64;

// Edit distance, transpositions included, on short words.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::string Snippet(std::string_view text, std::uint32_t line, std::uint32_t column) {
  if (line == 0) return {};
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  std::string_view row = text.substr(begin, text.substr(begin).find('\n'));
  if (row.ends_with('\r')) row.remove_suffix(1);
  std::size_t at = std::min<std::size_t>(column == 0 ? 0 : column - 1, row.size());
  if (row.size() > kSnippetWidth) {
    std::size_t from = at > kSnippetWidth / 2 ? at - kSnippetWidth / 2 : 0;
    while (from > 0 && IsContinuation(row[from])) --from;
    std::size_t to = std::min(row.size(), from + kSnippetWidth);
    while (to < row.size() && IsContinuation(row[to])) ++to;
    row = row.substr(from, to - from);
    at -= from;
  }
  std::string shown(row);
  std::ranges::replace(shown, '\t', ' ');
  const std::string before = base::Printable(std::string_view(shown).substr(0, at), kSnippetWidth * 12);
  const std::string prefix = std::to_string(line) + " | ";
  const auto width = static_cast<std::size_t>(std::ranges::count_if(before, [](char c) { return !IsContinuation(c); }));
  return prefix + base::Printable(shown, kSnippetWidth * 12) + "\n" + std::string(prefix.size() - 2, ' ') + "| " +
         std::string(width, ' ') + "^";
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kMaxWord) return {};
  std::size_t best =
      std::min(std::max<std::size_t>(1, word.size() / 3) + 1, word.size());  // one letter is like any other
  std::string_view found;
  for (std::string_view candidate : known) {
    if (candidate.size() > kMaxWord) continue;
    const std::size_t distance = Distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found.empty() ? std::string() : " (did you mean " + Quote(found) + "?)";
}

std::string Quote(std::string_view text) { return "`" + base::Printable(text, 80) + "`"; }

std::string Diagnostic::ToString() const {
  std::string out = severity == Severity::kWarning ? "warning: " + error.ToString() : error.ToString();
  if (!snippet.empty()) out += "\n" + snippet;
  return out;
}

void Diagnostics::Error(const base::Error& error) {
  ++errors_;
  if (kept_.size() >= kMaxKept) return;
  kept_.push_back({Severity::kError, error, Snippet(text_, error.place().line, error.place().column)});
}

void Diagnostics::Add(Severity severity, base::ErrorCode code, std::uint32_t line, std::uint32_t column,
                      std::string message) {
  if (severity == Severity::kError) ++errors_;
  if (kept_.size() >= kMaxKept) return;
  kept_.push_back({severity,
                   base::Error(code, std::move(message), {.file = std::string(file_), .line = line, .column = column}),
                   Snippet(text_, line, column)});
}

std::vector<Diagnostic> Diagnostics::Take() {
  std::ranges::stable_sort(kept_, {}, [](const Diagnostic& d) {
    return std::tuple(d.error.place().line, d.error.place().column, d.severity);
  });
  return std::move(kept_);
}

}  // namespace interlock::policy
