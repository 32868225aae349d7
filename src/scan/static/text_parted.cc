#include "static/text_parted.h"

#include <algorithm>
#include <array>

namespace interlock::scan {
namespace {

struct Row {
  std::string_view stems;  // with blanks around each
  std::string_view particles;
  std::string_view english;
};

constexpr std::array<Row, 19> kRows = {{
    {" lade lädt laden lad ladet laedt ", " herunter runter ", "download"},
    {" lade lädt laden lad ladet laedt ", " hoch ", "upload"},
    {" führe führt führ fuehre fuehrt ", " aus ", "execute"},
    {" schalte schaltet schalt stelle stell ", " ab aus ", "disable"},
    {" schalte schaltet schalt stelle stell ", " ein an ", "enable"},
    {" leite leitet gib gebt reiche schicke sende ", " weiter ", "forward"},
    {" schicke sende schick ", " ab mit zu ", "send"},
    {" richte richtet ", " ein ", "create"},
    {" füge fügt fuege trage tragt setze ", " ein hinzu ", "add"},
    {" hänge hängt haenge ", " an ", "append"},
    {" lies lest lese ", " aus vor ", "read"},
    {" rufe ruft ruf hole hol ", " ab ", "fetch"},
    {" gib gebt ", " aus ", "print"},
    {" lege legt ", " an ", "create"},
    {" voer voert ", " uit ", "execute"},
    {" stuur stuurt ", " door ", "forward"},
    {" zet schakel ", " uit ", "disable"},
    {" voeg ", " toe ", "add"},
    {" haal ", " op ", "fetch"},
}};

bool Among(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    if (at > 0 && list[at - 1] == ' ' && at + word.size() < list.size() && list[at + word.size()] == ' ') return true;
  }
  return false;
}

bool OpensClause(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords = {"und",    "oder", "aber", "ohne", "bevor",  "damit",
                                                              "sobald", "wenn", "en",   "of",   "zonder", "voordat"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

bool MayPart(std::string_view word) {
  constexpr std::size_t kLongest = 9;  // bytes of a stem
  return !word.empty() && word.size() <= kLongest &&
         std::ranges::any_of(kRows, [&](const Row& row) { return Among(row.stems, word); });
}

PartedVerb PartedVerbOf(std::span<const std::string_view> words) {
  constexpr std::size_t kFarthest = 14;  // words
  if (words.empty() || !MayPart(words[0])) return {};
  const auto opens = [&](const Row& row) { return Among(row.stems, words[0]); };
  for (std::size_t k = 1; k < std::min(words.size(), kFarthest); ++k) {
    const bool ends = k + 1 == words.size() || OpensClause(words[k + 1]);
    if (ends) {
      const auto row =
          std::ranges::find_if(kRows, [&](const Row& one) { return opens(one) && Among(one.particles, words[k]); });
      if (row != kRows.end()) return {row->english, k};
    }
    if (OpensClause(words[k]) && words[k] != "ohne" && words[k] != "zonder") return {};
  }
  return {};
}

}  // namespace interlock::scan
