#include "lexicon.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "words.h"

namespace interlock::bounds {
namespace {

// What it stands for, then the words, separated by spaces. Verbs stand in kVerbs, things in kThings.
struct Entry {
  std::string_view means;
  std::string_view words;
};

constexpr Entry kVerbs[] = {
    {"send", "send email mail text forward ping notify tell reply deliver submit message inform contact"},
    {"send direct message", "dm pm"},
    {"send money", "transfer pay wire remit refund reimburse settle"},
    {"delete remove", "delete erase remove purge trash wipe kick boot drop discard clear"},
    {"cancel delete", "cancel abort"},
    {"update", "update change modify edit adjust alter reset set switch replace correct"},
    {"add", "add append include insert attach"},
    {"create add", "create make generate draft compose open start set"},
    {"schedule create", "schedule plan arrange organise organize"},
    {"reschedule update", "reschedule move postpone shift"},
    {"reserve", "reserve book"},
    {"post", "post publish announce"},
    {"post upload", "upload"},
    {"invite add", "invite onboard enroll enrol"},
    {"share", "share"},
    {"read get", "read check look view show retrieve fetch get grab pull find list give provide"},
    {"search", "search find look"},
    {"get visit", "visit browse navigate go click download"},
    {"send", "sent forwarded replied"},
    {"send money", "paid transferred wired remitted"},
    {"delete remove", "deleted removed erased"},
    {"update", "updated changed modified replaced"},
    {"add", "added"},
    {"create", "created scheduled"},
    {"reserve", "booked reserved"},
    {"post", "posted published uploaded"},
    {"invite add", "invited"},
    {"execute run",
     "execute run do perform initiate use call put write save buy purchase order sign ensure rename grant"},
};

constexpr Entry kThings[] = {
    {"message", "messages dm note"},
    {"email", "mail mails e-mail"},
    {"money", "transaction payment amount funds sum cash euros dollars"},
    {"transaction", "payment transfer standing"},
    {"password", "passphrase credentials"},
    {"user", "member person people employee colleague teammate account"},
    {"channel", "room"},
    {"file", "files document doc attachment"},
    {"event", "meeting appointment invite calendar"},
    {"calendar", "meeting appointment"},
    {"webpage", "website site page url link blog"},
    {"hotel", "room stay accommodation"},
    {"restaurant", "dinner lunch table"},
    {"car rental", "vehicle auto"},
    {"info", "profile details address information"},
    {"participants", "attendees guests attendee participant"},
};

template <class Visit>
void ForWords(std::string_view list, Visit&& visit) {
  while (!list.empty()) {
    const std::size_t space = list.find(' ');
    visit(list.substr(0, space));
    if (space == std::string_view::npos) break;
    list.remove_prefix(space + 1);
  }
}

struct Tables {
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> meanings;
  std::unordered_set<std::string_view> verbs;

  Tables() {
    const auto stems_of = [](std::string_view means) {
      std::vector<std::uint32_t> stems;
      ForWords(means, [&](std::string_view word) { stems.push_back(HashOf(StemOf(word))); });
      return stems;
    };
    const auto add = [&](const Entry& entry, bool verb) {
      const std::vector<std::uint32_t> stems = stems_of(entry.means);
      ForWords(entry.words, [&](std::string_view word) {
        std::vector<std::uint32_t>& into = meanings[word];
        into.insert(into.end(), stems.begin(), stems.end());
        if (verb) verbs.insert(word);
      });
    };
    for (const Entry& entry : kVerbs) add(entry, true);
    for (const Entry& entry : kThings) add(entry, false);
  }
};

const Tables& Lexicon() {
  static const Tables tables;
  return tables;
}

}  // namespace

void AppendMeanings(const Reading& reading, std::vector<std::uint32_t>& stems) {
  stems.push_back(HashOf(StemOf(reading.meaning())));
  const auto found = Lexicon().meanings.find(reading.meaning());
  if (found != Lexicon().meanings.end()) stems.insert(stems.end(), found->second.begin(), found->second.end());
}

bool IsOrderVerb(const Reading& reading) noexcept {
  return Lexicon().verbs.contains(reading.meaning()) || reading.meaning() == "please";
}

bool IsObligation(const Reading& reading) noexcept {
  static constexpr std::string_view kWords[] = {"must", "shall", "should", "needs", "need", "required", "requested"};
  return std::find(std::begin(kWords), std::end(kWords), reading.meaning()) != std::end(kWords);
}

}  // namespace interlock::bounds
