#include <algorithm>

#include "interlock/base/text.h"
#include "session_impl.h"

namespace interlock::bounds {
namespace {

constexpr std::size_t kShortestAccount = 8;
constexpr std::size_t kLongestAccount = 40;
constexpr std::size_t kLeastDigits = 6;
constexpr std::size_t kRecord = 512;         // bytes around a field that are read as its record
constexpr std::size_t kMaxOccurrences = 32;  // of a field in one result

bool IsAlnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWordByte(char c) { return IsAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80U; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// An account number without its blanks and hyphens, in capitals; empty: it is none. Dates and amounts are not.
std::string AccountOf(std::string_view text) {
  if (text.size() > kLongestAccount) return {};
  std::string out;
  std::size_t digits = 0;
  std::size_t hyphens = 0;
  for (const char c : text) {
    if (c == ' ') continue;
    if (c == '-') {
      ++hyphens;
      continue;
    }
    if (!IsAlnum(c)) return {};
    digits += c >= '0' && c <= '9' ? 1U : 0U;
    out.push_back(Upper(c));
  }
  const bool date = hyphens == 2 && digits == 8 && out.size() == 8;
  if (date || out.size() < kShortestAccount || digits < kLeastDigits) return {};
  return out;
}

// Where `word` stands in `text` as a word of its own, from `at` on.
std::size_t FindWord(std::string_view text, std::string_view word, std::size_t at) {
  for (at = text.find(word, at); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsWordByte(text[at - 1])) && (end == text.size() || !IsWordByte(text[end]))) return at;
  }
  return std::string_view::npos;
}

// The value of the field whose name ends at `at`: `"name": "value"`, `name: value`, `name=value`. Empty: no field.
std::string_view FieldValue(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) ++at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at >= text.size() || (text[at] != ':' && text[at] != '=')) return {};
  ++at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '"' || text[at] == '\'')) ++at;
  const std::size_t end = std::min(text.find_first_of("\"',;\n\r}]<", at), text.size());
  std::string_view value = text.substr(at, end - at);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  return value;
}

// Says which one is meant: with a digit, or long. Days, times and amounts are shared by things that have nothing else
// in common.
bool Identifies(std::string_view text) {
  if (text.size() < 3 || text.size() > kLongValue) return false;
  std::size_t digits = 0;
  std::size_t letters = 0;
  std::size_t strokes = 0;
  std::size_t points = 0;
  for (const char c : text) {
    digits += c >= '0' && c <= '9' ? 1U : 0U;
    letters += IsWordByte(c) && !(c >= '0' && c <= '9') ? 1U : 0U;
    strokes += c == '-' || c == '/' ? 1U : 0U;
    points += c == '.' || c == ',' || c == ':' ? 1U : 0U;
  }
  const bool day = letters <= 2 && strokes == 2 && digits >= 6;
  const bool amount = letters == 0 && points > 0;
  return !day && !amount && (digits > 0 || text.size() >= 8);
}

}  // namespace

// The record of the very thing that the call names says another account than the call: what an invoice with a false
// account looks like beside the register.
bool BoundsSession::Impl::Contradicted(const std::vector<LeafFacts>& facts, Judgement& judgement) const {
  for (const LeafFacts& fact : facts) {
    if (!fact.ungrounded) continue;
    const std::string account = AccountOf(fact.text);
    if (account.empty()) continue;
    const std::string_view name = std::string_view(fact.pointer).substr(fact.pointer.rfind('/') + 1);
    if (name.size() < 2) continue;
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
      if (sources.info(source).kind != provenance::SourceKind::kResult) continue;
      const std::string_view text = sources.text(source);
      if (text.find(fact.text) != std::string_view::npos) continue;  // it has both
      std::size_t count = 0;
      for (std::size_t at = FindWord(text, name, 0); at != std::string_view::npos && count++ < kMaxOccurrences;
           at = FindWord(text, name, at + name.size())) {
        const std::string_view value = FieldValue(text, at + name.size());
        const std::string other = AccountOf(value);
        if (other.empty() || other == account) continue;
        const std::size_t from = at > kRecord ? at - kRecord : 0;
        const std::string_view record = text.substr(from, at + kRecord - from);
        const auto same = std::ranges::find_if(facts, [&](const LeafFacts& leaf) {
          return &leaf != &fact && Identifies(leaf.text) && FindWord(record, leaf.text, 0) != std::string_view::npos;
        });
        if (same == facts.end()) continue;
        judgement.ground = Ground::kContradicted;
        judgement.pointer = fact.pointer;
        judgement.text = fact.pointer.substr(1) + " " + base::Printable(fact.text, 48);
        if (fact.seen != nullptr) judgement.text += " appears in the result of " + base::Printable(fact.seen->tool, 64);
        judgement.text +=
            "; the record of " + base::Printable(same->text, 48) + " that was read says " + base::Printable(value, 48);
        return true;
      }
    }
  }
  return false;
}

}  // namespace interlock::bounds
