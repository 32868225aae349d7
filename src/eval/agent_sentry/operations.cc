#include "operations.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "../import_common.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "interlock/base/seeded_random.h"

namespace interlock::embedded {
std::string_view Find_eval_data(std::string_view file);
}

namespace interlock::eval::agent_sentry {

using base::JsonDoc;
using base::JsonValue;
using base::Result;

namespace {

constexpr std::size_t kOrders = 2400;
constexpr std::size_t kFacts = 4000;
constexpr std::uint64_t kSeed = 7;
constexpr std::size_t kTries = 8;  // draws for each text asked for: most draws are new

struct Act {
  std::string verb;
  std::string done;
  std::string doing;
  std::string noun;
  std::vector<std::string> of;
  std::vector<std::string> tails;
};

// Whole sentences of another language; `{thing}` is one of its things.
struct Language {
  std::vector<std::string> things;
  std::vector<std::string> orders;
  std::vector<std::string> facts;
};

struct Lists {
  std::map<std::string, std::vector<std::string>, std::less<>> things;
  std::vector<Act> acts;
  std::vector<std::string> orders;
  std::vector<std::string> facts;
  std::vector<Language> languages;
};

std::vector<std::string> Strings(JsonValue array) {
  std::vector<std::string> out;
  for (const JsonValue entry : array) out.emplace_back(entry.string());
  return out;
}

Result<Lists> ReadLists(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.operations/v1") return ShapeError(root, "not a list of operations");
  Lists lists;
  const JsonValue things = root.Find("things");
  for (auto it = things.begin(); it != things.end(); ++it) lists.things[std::string(it.key())] = Strings(*it);
  for (const JsonValue item : root.Find("acts")) {
    Act act{.verb = std::string(item.Find("verb").string()),
            .done = std::string(item.Find("done").string()),
            .doing = std::string(item.Find("doing").string()),
            .noun = std::string(item.Find("noun").string()),
            .of = Strings(item.Find("of")),
            .tails = Strings(item.Find("tails"))};
    if (act.verb.empty() || act.done.empty() || act.doing.empty() || act.noun.empty() || act.tails.empty()) {
      return ShapeError(item, "an act without one of its forms");
    }
    for (const std::string& kind : act.of) {
      const auto known = lists.things.find(kind);
      if (known == lists.things.end() || known->second.empty()) return ShapeError(item, "a kind without things");
    }
    if (act.of.empty()) return ShapeError(item, "an act on nothing");
    lists.acts.push_back(std::move(act));
  }
  for (const JsonValue item : root.Find("languages")) {
    Language language{.things = Strings(item.Find("things")),
                      .orders = Strings(item.Find("orders")),
                      .facts = Strings(item.Find("facts"))};
    if (language.things.empty()) return ShapeError(item, "a language without things");
    lists.languages.push_back(std::move(language));
  }
  lists.orders = Strings(root.Find("orders"));
  lists.facts = Strings(root.Find("facts"));
  if (lists.acts.empty() || lists.orders.empty() || lists.facts.empty()) return ShapeError(root, "a list is empty");
  return lists;
}

const std::string& OneOf(const std::vector<std::string>& from, base::SeededRandom& random) {
  return from[random.Below(from.size())];
}

// "the login api" as a name in a call: login_api.
std::string AsName(std::string_view words) {
  if (words.starts_with("the ")) words.remove_prefix(4);
  std::string out;
  for (const char c : words) out.push_back(c == ' ' || c == '-' ? '_' : c);
  return out;
}

// "redis, the ingress, port 22 ...": things of any kind.
std::string Listed(const Lists& lists, base::SeededRandom& random) {
  std::string out;
  for (std::size_t left = random.Between(8, 40); left > 0; --left) {
    auto kind = lists.things.begin();
    std::advance(kind, static_cast<std::ptrdiff_t>(random.Below(lists.things.size())));
    std::string name = AsName(OneOf(kind->second, random));
    if (random.OneIn(2)) std::replace(name.begin(), name.end(), '_', '-');
    out += (out.empty() ? "" : ", ") + name;
    if (random.OneIn(3)) out += " (1." + std::to_string(random.Below(9)) + "-2, automatic)";
  }
  return out;
}

std::string Fill(const Lists& lists, std::string_view form, const Act& act, const std::string& object,
                 const std::string& tail, base::SeededRandom& random) {
  std::string out;
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t open = form.find('{', at);
    const std::size_t close = open == std::string_view::npos ? open : form.find('}', open);
    if (close == std::string_view::npos) {
      out += form.substr(at);
      break;
    }
    out += form.substr(at, open - at);
    const std::string_view slot = form.substr(open + 1, close - open - 1);
    at = close + 1;
    if (slot == "verb") {
      out += act.verb;
    } else if (slot == "done") {
      out += act.done;
    } else if (slot == "doing") {
      out += act.doing;
    } else if (slot == "noun") {
      out += act.noun;
    } else if (slot == "object") {
      out += object;
    } else if (slot == "list") {
      out += Listed(lists, random);
    } else if (slot == "tail") {
      out += tail;
    } else if (slot == "call") {
      static constexpr std::string_view kShapes[] = {"(target=", "(name=", "({\"name\": ", "(\""};
      const std::size_t shape = random.Below(std::size(kShapes));
      const bool quoted = shape >= 2;
      out += AsName(act.verb + " " + act.of.front());
      out += kShapes[shape];
      if (quoted && shape == 2) out += '"';
      out += AsName(object);
      if (quoted) out += '"';
      if (shape == 2) out += '}';
      if (random.OneIn(2) && shape < 2) out += ", force=true";
      out += ')';
    } else {
      // No slot: JSON of its own, whose braces stay.
      out += '{';
      at = open + 1;
    }
  }
  if (random.OneIn(2) && !out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::vector<std::string> Make(const Lists& lists, const std::vector<std::string>& forms, std::size_t count,
                              base::SeededRandom& random) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (std::size_t n = 0; out.size() < count && n < count * kTries; ++n) {
    const Act& act = lists.acts[random.Below(lists.acts.size())];
    const std::string& object = OneOf(lists.things.find(OneOf(act.of, random))->second, random);
    std::string text = Fill(lists, forms[n % forms.size()], act, object, OneOf(act.tails, random), random);
    if (seen.insert(text).second) out.push_back(std::move(text));
  }
  return out;
}

// Every sentence of the other languages with every thing.
void AddLanguages(const Lists& lists, std::vector<std::string> Language::* forms, std::vector<std::string>& out) {
  constexpr std::string_view kSlot = "{thing}";
  for (const Language& language : lists.languages) {
    for (const std::string& form : language.*forms) {
      for (const std::string& thing : language.things) {
        std::string text = form;
        if (const std::size_t at = text.find(kSlot); at != std::string::npos) text.replace(at, kSlot.size(), thing);
        out.push_back(std::move(text));
      }
    }
  }
}

}  // namespace

Result<OperationsTexts> MakeOperationsTexts(std::string_view json, std::size_t orders, std::size_t facts,
                                            std::uint64_t seed) {
  const Result<Lists> lists = ReadLists(json);
  if (!lists.ok()) return lists.error();
  base::SeededRandom random(seed);
  OperationsTexts texts;
  texts.orders = Make(lists.value(), lists.value().orders, orders, random);
  texts.facts = Make(lists.value(), lists.value().facts, facts, random);
  AddLanguages(lists.value(), &Language::orders, texts.orders);
  AddLanguages(lists.value(), &Language::facts, texts.facts);
  return texts;
}

const OperationsTexts& EmbeddedOperationsTexts() {
  static const OperationsTexts texts = [] {
    Result<OperationsTexts> made =
        MakeOperationsTexts(embedded::Find_eval_data("operations.json"), kOrders, kFacts, kSeed);
    INTERLOCK_CHECK(made.ok(), "the embedded lists are loaded by a test");
    return std::move(made.value());
  }();
  return texts;
}

}  // namespace interlock::eval::agent_sentry
