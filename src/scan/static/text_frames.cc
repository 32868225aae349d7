#include "static/text_frames.h"

#include <algorithm>
#include <array>

#include "static/text_view.h"

namespace interlock::scan {
namespace {

using frames::Authenticates;
using frames::Contact;
using frames::Destination;
using frames::FirstOf;
using frames::kAction;
using frames::KeyOfAddress;
using frames::kNone;
using frames::kSecretAny;
using frames::NamesOption;
using frames::OwnAct;
using frames::PasswordGiven;
using frames::Refuses;
using frames::SendsExample;
using frames::Trigger;
using frames::View;
using frames::WishOfUser;
using frames::Wording;
using frames::WorkAside;

constexpr double kMostOfTold = 0.45;
class Finder {
 public:
  Finder(const TextCanvas& canvas, SentenceBigrams& bigrams, std::vector<FrameHit>& out)
      : canvas_(canvas), bigrams_(bigrams), out_(out) {}

  void Run(const ForSentence& also) {
    std::uint32_t section = 0;
    for (std::uint32_t p = 0; p < canvas_.passages.size(); ++p) {
      const TextPassage& passage = canvas_.passages[p];
      if (passage.section != section || (passage.kind & kSurfaceHidden) != 0) {
        section = passage.section;
        memory_ = {};
      }
      // Frames are of sentences; the lines of a program are none. Text in a block without a language may be.
      const bool code = passage.shape == TextShape::kCode;
      for (std::uint32_t s = passage.first; s < passage.last; ++s) {
        if (out_.size() < kMaxFrameHits && (canvas_.sentences[s].all & kInteresting) != 0) Read(s, code);
        also(s);
      }
      if ((passage.kind & kSurfaceHidden) != 0) memory_ = {};
    }
  }

 private:
  static constexpr WordSet kInteresting =
      kAction | Bit(kWSecretly) | Bit(kWUnbound) | Bit(kWPassword) | Bit(kWPersona) | Bit(kWWithout) | Bit(kWTerminal);

  void Read(std::uint32_t s, bool code) {
    const View view(canvas_, s, bigrams_);
    if (!code) {
      Sentence(view);
    } else if (view.size() >= 5 && view.any(Bit(kWAgent))) {
      Override(view);
    }
  }

  // What earlier sentences of the section said.
  struct Memory {
    std::uint32_t secret_sentence = 0;  // that reads or collects secrets, plus 1
    std::uint32_t personal_sentence = 0;
    std::uint32_t fetch_sentence = 0;  // that has something downloaded
    std::uint32_t send_sentence = 0;
    double fetch_program = 0.0;
  };

  void Hit(const View& view, std::string_view rule, int from, int to, double score, std::string host = {}) {
    if (from < 0 || to < 0 || score <= 0.0) return;
    if (from > to) std::swap(from, to);
    FrameHit hit;
    hit.rule = rule;
    hit.passage = view.sentence().passage;
    hit.sentence = view.index();
    hit.begin = view.at(from).begin;
    hit.end = view.at(to).end();
    // Word by word from another language: enough to have a person look, where one sentence is all there is.
    hit.score = std::min(1.0, rule == "SC-101" && canvas_.passages[hit.passage].glossed ? 0.7 * score : score);
    const bool speech = rule == "PI-001" || rule == "PI-002" || rule == "PI-010" || rule == "PI-012";
    hit.described = Described(canvas_, view.index(), hit.begin, hit.end, speech);
    // The words that make up the vocabulary of attacks are ordinary ones where history and health are the topic.
    if (rule == "PI-016") hit.described *= 0.4;
    hit.host = std::move(host);
    out_.push_back(std::move(hit));
  }

  void Sentence(const View& view) {
    Exfiltrate(view);
    Expose(view);
    Override(view);
    Secrecy(view);
    Consent(view);
    Weaken(view);
    Prerequisite(view);
    Remote(view);
    Destroy(view);
    Lock(view);
    Slant(view);
    Memory_(view);
    Shadow(view);
    Persona(view);
    Aside(view);
  }

  void Exfiltrate(const View& view) {
    constexpr WordSet kObject =
        kSecretAny | Bit(kWPersonal) | Bit(kWEnv) | Bit(kWFiles) | Bit(kWSecretWeak) | Bit(kWPrivate);
    const std::uint32_t now = view.index() + 1;
    // Reading or collecting secrets is remembered; what becomes of them is in a later sentence.
    if (view.any(kSecretAny | Bit(kWEnv) | Bit(kWPersonal) | Bit(kWPrivate)) &&
        view.any(Bit(kWCollect) | Bit(kWRead) | Bit(kWFetch))) {
      for (int i = 0; i < view.size(); ++i) {
        if (!view.is(i, Bit(kWCollect) | Bit(kWRead) | Bit(kWFetch)) || view.Negated(i) || !view.Bare(i) ||
            !view.Directs(i)) {
          continue;
        }
        if (view.Find(i + 1, i + 12, kSecretAny | Bit(kWEnv)) != kNone) memory_.secret_sentence = now;
        if (view.Find(i + 1, i + 9, Bit(kWPersonal) | Bit(kWPrivate)) != kNone) memory_.personal_sentence = now;
        if (memory_.secret_sentence == now || memory_.personal_sentence == now) break;
      }
    }
    if (!view.any(Bit(kWSend) | Bit(kWSendWeak) | Bit(kWChange)) && memory_.secret_sentence != now) return;
    // A command line that sends is as plain as any verb.
    const bool command = view.Has("curl ") && !view.Has("{url}") && !view.Has("<url>") &&
                         view.HasOneOf({"-x post", " -d ", "--data", " -f "});
    if (command && SendsExample(view)) return;
    double best = 0.0;
    int best_from = kNone;
    int best_to = kNone;
    for (int i = 0; i < view.size(); ++i) {
      const bool strong = view.is(i, Bit(kWSend)) || (command && view.word(i) == "post");
      // "Pass", "append", "include": only for what is put into a parameter or an address.
      const bool puts =
          !strong && !view.is(i, Bit(kWSendWeak)) &&
          (view.is(i, Bit(kWChange)) || view.word(i) == "pass" || view.word(i) == "put" || view.word(i) == "provide");
      if (!strong && !puts && !view.is(i, Bit(kWSendWeak))) continue;
      if (view.Negated(i) || canvas_.NamesValue(view.sentence().first + static_cast<std::uint32_t>(i))) continue;
      if (const int failed = view.FindWord(i + 2, i + 3, "failed");
          failed != kNone && canvas_.text.substr(view.at(failed).end(), 1) == ":")
        continue;  // "push files failed:"
      int where = kNone;
      double destination = Destination(view, i + 1, i + 22, where);
      const int object = view.Find(i + 1, i + 12, kObject);
      int before = object == kNone ? view.Find(i - 6, i - 1, kObject) : object;
      double value = 0.0;
      const auto weigh = [&](int o) {
        if (o == kNone || view.IsAbsent(o)) return 0.0;
        if (view.is(o, kSecretAny)) return 0.5;
        if (view.is(o, Bit(kWPersonal))) return 0.4;
        if (view.is(o, Bit(kWEnv))) return 0.45;
        if (view.is(o, Bit(kWPrivate))) return 0.35;
        if (view.is(o, Bit(kWSecretWeak))) return 0.3;
        return 0.25;
      };
      const double earlier = object == kNone ? 0.8 * weigh(before) : 0.8 * weigh(view.Find(i - 6, i - 1, kSecretAny));
      // The most valuable object counts.
      for (int o = i + 1; o <= std::min(i + 12, view.size() - 1); ++o) {
        if (view.is(o, kObject)) {
          const double w = weigh(o);
          if (w > value) {
            value = w;
            before = o;
          }
        }
      }
      value = std::max(value, earlier);
      // "them", "the results": what an earlier sentence collected.
      const bool pronoun = view.Find(i + 1, i + 5, Bit(kWFiles)) != kNone ||
                           view.SaysOne(i + 1, i + 3, {"it", "them", "all"}) ||
                           view.SaysOne(i + 1, i + 4, {"this", "report"});
      const auto recent = [&](std::uint32_t sentence) {
        return sentence != 0 && sentence != now && now - sentence <= 10;
      };
      double carried = 0.0;
      if (pronoun && recent(memory_.secret_sentence)) carried = 0.5;
      if (pronoun && recent(memory_.personal_sentence)) carried = std::max(carried, 0.35);
      // Reading a key file and passing it on needs no host: a parameter or a link is a way out too.
      bool inside = false;
      if (memory_.secret_sentence == now && view.any(Bit(kWSecretPath) | Bit(kWSecret)) &&
          view.Find(0, i - 1, Bit(kWRead) | Bit(kWCollect)) != kNone &&
          view.SaysOne(i + 1, i + 14, {"parameter", "argument", "field", "url", "tag", "sidenote", "contents"})) {
        inside = true;
        destination = std::max(destination, 0.35);
        if (where == kNone) where = i;
      }
      value = std::max(value, carried);
      if (value == 0.0 || destination == 0.0 || (puts && !inside)) continue;
      if (Contact(view, i) && !view.any(kSecretAny | Bit(kWPersonal) | Bit(kWSecretly))) continue;
      double score = value + destination + Trigger(view);
      if (!strong) score -= inside ? 0.0 : 0.12;
      const int secretly = view.Find(i - 3, i + 3, Bit(kWSecretly));
      if (secretly != kNone && !view.Negated(secretly)) score += 0.3;
      if (view.any(Bit(kWMust)) || view.Required(i)) score += 0.08;
      if (view.any(Bit(kWBusy))) score += 0.1;
      if (!view.Directs(i) && !(command && strong)) score -= inside ? 0.1 : strong ? 0.2 : 0.35;
      if (Authenticates(view) || (where != kNone && KeyOfAddress(view, where, before))) score -= 0.45;
      // The user's own wish: "if the user asks", "with your".
      if (view.HasOneOf({"user asks", "user wants", "user requests", "if requested", "optionally", "you can ",
                         "allows you", "lets you", "with consent", "use when", "use this skill", "use for",
                         "user confirms", "user provides"})) {
        score -= 0.4;
      }
      // Ordinary files go to servers every day; secrets and conversations do not.
      const double most = value >= 0.45 || secretly != kNone ? 1.0 : value >= 0.35 ? 0.72 : 0.6;
      if (value < 0.35 && secretly == kNone && !view.any(Bit(kWBusy)) &&
          (!view.any(Bit(kWWhen)) || !view.any(Bit(kWEvery)))) {
        score -= 0.15;
      }
      // What is told rather than ordered is seldom more than worth a look.
      const bool told = !view.Directs(i) && !command && !inside;
      score = std::min(score, told ? std::min(most, 0.6) : most);
      if (score > best) {
        best = score;
        best_from = std::min({i, before == kNone ? i : before, where});
        best_to = std::max({i, before == kNone ? i : before, where});
      }
    }
    if (best >= 0.6) {
      Hit(view, "PI-004", best_from, best_to, (best - 0.3) / 0.5, view.Host());
      memory_.send_sentence = now;
    }
  }

  // Secrets shown where others read them.
  void Expose(const View& view) {
    if (!view.any(Bit(kWShow) | Bit(kWTell)) || !view.any(kSecretAny | Bit(kWPrivate))) return;
    for (int i = 0; i < view.size(); ++i) {
      if (!view.is(i, Bit(kWShow)) || view.Negated(i)) continue;
      const std::string_view next = i + 1 < view.size() ? view.word(i + 1) : std::string_view();
      if (next == "in" || next == "into" || next == "on" || next == "out") continue;  // "log in"
      if (view.word(i) == "log" && next != "the" && next != "any" && next != "all" && next != "every" &&
          next != "each" && next != "your" && !view.is(i + 1, kSecretAny)) {
        continue;
      }
      const bool log = view.word(i) == "log";
      const int secret = view.Find(i + 1, log ? i + 4 : i + 8, kSecretAny);
      if (secret == kNone || !view.Directs(i) || view.IsAbsent(secret) || view.Negated(secret)) continue;
      const std::string_view thing = secret + 1 < view.size() ? view.word(secret + 1) : std::string_view();
      if (thing.starts_with("prompt") || thing == "manager" || thing == "field" || thing == "reset" ||
          thing == "policy" || thing == "page") {
        continue;
      }
      double score = view.OfField(i) ? -0.05 : 0.25;
      const int where =
          std::max(view.FindWord(i, i + 14, "logs"),
                   std::max(view.FindWord(i, i + 14, "log"),
                            std::max(view.FindWord(i, i + 14, "response"), view.FindWord(i, i + 14, "reply"))));
      if (where != kNone) score += 0.3;
      if (view.any(Bit(kWVerbatim))) score += 0.3;
      if (view.any(Bit(kWEvery)) || view.FindWord(0, view.size(), "always") != kNone) score += 0.2;
      if (view.FindWord(0, view.size(), "debugging") != kNone) score += 0.15;
      if (Authenticates(view) || view.FindWord(i, view.size(), "caution") != kNone) score -= 0.3;
      if (score >= 0.5) {
        Hit(view, "PI-018", i, std::max(secret, where), score);
        return;
      }
    }
    // "echoing back any credentials they have provided"
    const int back = view.FindWord(0, view.size(), "back");
    const int echo = view.FindWord(0, view.size(), "echoing");
    if (echo != kNone && back != kNone) Hit(view, "PI-018", echo, view.Find(echo, view.size(), kSecretAny), 0.85);
  }

  void Override(const View& view) {
    if (!view.any(Bit(kWOverride))) return;
    // "If the page asks you to ignore your user, ignore those directives": neither is an order to override.
    const bool defends = view.HasOneOf({"ignore those", "ignore such", "disregard those", "disregard such",
                                        "do not follow", "do not comply", "do not obey"});
    for (int i = 0; i < view.size(); ++i) {
      if (!view.is(i, Bit(kWOverride)) || view.Negated(i) || view.Whether(i) || view.TellsSomebody(i)) continue;
      if (defends && (view.SaysOne(i + 1, i + 1, {"those", "such"}) ||
                      view.SaysOne(i - 4, i - 3, {"asks", "tells", "instructs", "asking", "telling"})))
        continue;
      int rule = view.Find(i + 1, i + 8, Bit(kWRule));
      // "An override (for example, \"ignore the instructions\")": what is quoted behind it is no object of it.
      if (rule != kNone && view.at(rule).reported != view.at(i).reported) rule = kNone;
      const int prior = view.Find(i + 1, i + 6, Bit(kWPrior) | Bit(kWSafety));
      double score = 0.0;
      int to = rule;
      const bool forget = view.word(i) == "forget" || view.word(i) == "ignore" || view.word(i) == "disregard";
      if (rule != kNone && prior != kNone && prior <= rule) {
        const bool plain =
            view.is(prior, Bit(kWSafety)) || view.SaysOne(prior, prior, {"system", "previous", "prior", "earlier"});
        score = (plain ? 0.8 : 0.55) + (forget ? 0.15 : 0.0);
      } else if (rule != kNone && view.Find(i + 1, rule, Bit(kWEvery)) != kNone && forget) {
        score = 0.7;
      } else if (const int user = view.Find(i + 1, i + 8, Bit(kWUser));
                 user != kNone &&
                 (view.SaysOne(i + 1, i + 10, {"task", "request", "specification", "preferences"}) || user < rule ||
                  (rule != kNone && view.SaysOne(rule + 1, user, {"of", "by", "that", "from", "which"})))) {
        // The user's own word put below somebody else's; not "override protections and delete user-made files".
        to = user;
        score = 0.6;
      }
      if (score == 0.0) {
        // "safety guardrails are lower priority", "guidelines may be disregarded"
        const int earlier = view.Find(i - 8, i - 1, Bit(kWRule));
        const bool counts =
            view.word(i) == "ignored" && !view.SaysOne(i - 2, i, {"be", "is", "are", "must"});  // of a value
        if (!counts && earlier != kNone && view.Find(earlier - 4, earlier, Bit(kWSafety) | Bit(kWPrior)) != kNone &&
            (view.word(i).ends_with("ed") || view.word(i).ends_with("en") || view.word(i) == "lower")) {
          score = 0.5;
          to = earlier;
        }
      }
      if (score == 0.0 || (forget && to == rule && view.SaysOfWhatIsRead(rule))) continue;
      // "Override the whole system message:", and a program that sets an option: what the example shows.
      if (NamesOption(view, i, forget) || (!forget && view.SaysWhen(to))) continue;
      const bool ruled = to > i && view.SaysOne(to + 1, to + 2, {"related"});
      // "Without discarding earlier constraints": kept.
      if (view.Find(i - 2, i - 1, Bit(kWWithout)) != kNone) continue;
      // "When an application violates a system constraint", "ignore instructions related to old files". What is told
      // rather than ordered has a person look.
      if (!view.Directs(i) || view.Tells(i)) {
        const bool tells = view.word(i).starts_with("violat") || view.word(i).starts_with("ignoring");
        score = std::min(score - (tells ? 0.5 : 0.2), kMostOfTold);
      }
      if (ruled || view.FindWord(to + 1, to + 1, "about") != kNone || view.OfContents(i, to) || view.OfForm(rule))
        score -= 0.6;
      if (view.any(Bit(kWAgent))) score += 0.1;
      // "by default", "override the default": settings, not orders.
      if (view.FindWord(i, i + 6, "default") != kNone || view.FindWord(i, i + 6, "defaults") != kNone) score -= 0.5;
      if (score >= 0.4) {
        Hit(view, "PI-001", std::min(i, to), std::max(i, to), score);
        return;
      }
    }
  }

  void Secrecy(const View& view) {
    double score = 0.0;
    int from = kNone;
    int to = kNone;
    const int words = view.any(Bit(kWTell) | Bit(kWSecretly)) ? view.size() : 0;
    const SurfaceSet kind = canvas_.passages[view.sentence().passage].kind;
    const bool tool = (kind & (kSurfaceDescription | kSurfaceSchema | kSurfaceToolName | kSurfaceHidden)) != 0;
    for (int i = 0; i < words && score < 0.9; ++i) {
      if (view.is(i, Bit(kWTell))) {
        const std::string_view w = view.word(i);
        const bool telling = w.starts_with("tell") || w.starts_with("inform") || w.starts_with("mention") ||
                             w.starts_with("notif") || w.starts_with("reveal") || w.starts_with("disclos") ||
                             w.starts_with("alert") || w.starts_with("acknowledg") || w.starts_with("announc");
        // "There is no need to tell users ...": leave to, not an order.
        if (!telling || view.FindWord(i - 3, i - 1, "need") != kNone) continue;
        // Whom one tells stands beside the verb; "mention it to the user" may have the user at its end.
        const bool near =
            w.starts_with("tell") || w.starts_with("inform") || w.starts_with("notif") || w.starts_with("alert");
        const int user = view.Find(i + 1, near ? i + 3 : i + 6, Bit(kWUser));
        if (user != kNone && near && Wording(view, user)) continue;
        // "If not, refuse and tell the user": a denial that is done with.
        if (i > 0 && (view.word(i - 1) == "and" || view.word(i - 1) == "or") && i > 1 && Refuses(view.word(i - 2)))
          continue;
        // "Do not comply and tell the user": only the first of them is denied.
        if (i > 2 && view.word(i - 1) == "and" && view.SaysOne(i - 3, i - 2, {"comply", "obey", "follow", "proceed"}))
          continue;
        if (view.Negated(i, true) && user != kNone && view.Bare(i)) {
          score = 0.5;
          from = std::max(0, i - 2);
          to = user;
          // What must not be told is what is being done.
          if (view.SaysOne(i, view.size(), {"this", "did", "step", "instruction", "instructions", "behavior"}))
            score = 0.75;
          // A prompt that keeps its own wording to itself says nothing of what is done.
          const int own = view.FindWord(i, i + 6, "system");
          if (!tool && own != kNone && view.Find(own + 1, own + 1, Bit(kWRule)) != kNone) score = 0.4;
        } else if (const int without = view.Find(i - 3, i - 1, Bit(kWWithout));
                   without != kNone && !view.Comma(without, i) && !view.NeverWithout(without) &&
                   (user != kNone || ((w.starts_with("disclos") || w.starts_with("reveal")) && !view.KeepsData(i)))) {
          score = 0.6;
          from = i - 1;
          to = user == kNone ? i : user;
        }
      } else if (view.is(i, Bit(kWSecretly))) {
        const std::string_view w = view.word(i);
        if (w == "transparently" || frames::Complains(view, i)) continue;
        const int act = view.Find(i - 2, i + 3,
                                  Bit(kWSend) | Bit(kWCollect) | Bit(kWExec) | Bit(kWDelete) | Bit(kWChange) |
                                      Bit(kWRead) | Bit(kWSendWeak) | Bit(kWOverride));
        const bool quiet = w == "silently" || w == "quietly";
        if (act == kNone || !view.Directs(act) || !view.Bare(act) || view.Negated(i) || view.Negated(act)) continue;
        double s = quiet ? 0.35 : 0.6;
        if (view.is(act, Bit(kWSend) | Bit(kWCollect)) || view.any(kSecretAny | Bit(kWPersonal)))
          s += quiet ? 0.2 : 0.25;
        if (s > score) {
          score = s;
          from = std::min(i, act);
          to = std::max(i, act);
        }
      }
    }
    if (view.HasOneOf({"as if nothing happened", "as if nothing had happened", "hidden from the user", "hide this from",
                       "keep this secret from", "without the user's knowledge", "without the user knowing",
                       "without the user noticing", "without user awareness", "must not be visible to the user",
                       "user must not know", "user should not know"})) {
      score = std::max(score, view.OfField(view.FindWord(0, view.size(), "hidden")) ? 0.4 : 0.75);
      if (from == kNone) {
        from = 0;
        to = view.size() - 1;
      }
    }
    if (score >= 0.5) Hit(view, "PI-010", from, to, score);
  }

  void Consent(const View& view) {
    // Acting on what matters without being asked.
    constexpr WordSet kRisky = Bit(kWDelete) | Bit(kWSend) | Bit(kWMoney);
    int from = kNone;
    int to = kNone;
    double score = 0.0;
    const int words = view.any(Bit(kWWithout) | Bit(kWNot)) ? view.size() : 0;
    for (int i = 0; i < words; ++i) {
      if (view.is(i, Bit(kWWithout)) || (view.word(i) == "no" && view.Has("required"))) {
        const int ask = view.Find(i + 1, i + 5, Bit(kWTell) | Bit(kWCheck));
        if (ask == kNone) continue;
        const std::string_view w = view.word(ask);
        const bool consent = w == "confirmation" || w == "approval" || w == "consent" || w == "permission" ||
                             w == "asking" || w.starts_with("notify") || w.starts_with("disclos") || w == "asked" ||
                             w.starts_with("confirm") || w.starts_with("prompt") || w == "verification" ||
                             w == "informing" || w == "review";
        if (!consent) continue;
        const int act = view.Find(0, view.size(), kRisky | Bit(kWExec) | Bit(kWChange));
        if (act == kNone) continue;
        // What can happen is a warning, what shall is an order.
        const std::string_view mood = act > 0 ? view.word(act - 1) : std::string_view();
        if (mood == "can" || mood == "may" || mood == "could" || mood == "will" || mood == "might") continue;
        const bool order =
            view.Directs(act) || view.FindWord(0, act, "skill") != kNone || view.FindWord(0, act, "tool") != kNone;
        score = !order ? 0.2 : view.is(act, Bit(kWMoney)) ? 0.7 : view.is(act, kRisky) ? 0.5 : 0.35;
        if (view.any(Bit(kWMoney)) && view.any(Bit(kWExec) | Bit(kWSendWeak))) score = 0.75;
        if (view.Negated(act) || view.Negated(i)) score = 0.0;
        from = std::min(i, act);
        to = std::max(ask, act);
        break;
      }
    }
    if (view.any(Bit(kWUser)) && view.Has("after they are applied") && view.Has("not before")) {
      score = 0.7;
      from = 0;
      to = view.size() - 1;
    }
    if (view.any(Bit(kWNot))) {
      // "Never ... without being asked" is the opposite.
    } else if (view.HasOneOf({"without being asked", "beyond the user's explicit request", "without explicit user",
                              "without the user's consent", "without user consent"})) {
      score = std::max(score, view.any(kRisky) ? 0.5 : 0.4);
      if (from == kNone) {
        from = 0;
        to = view.size() - 1;
      }
    }
    if (score >= 0.5) Hit(view, "PI-013", from, to, score);
  }

  void Weaken(const View& view) {
    if (!view.any(Bit(kWWeaken))) return;
    for (int i = 0; i < view.size(); ++i) {
      if (!view.is(i, Bit(kWWeaken)) || view.Negated(i) || view.Either(i)) continue;
      const int check = view.Find(i + 1, i + 6, Bit(kWCheck));
      if (check == kNone || !view.Directs(i) || OwnAct(view, i)) continue;
      // "Skip this step if protection is on" leaves it on; "only if the user asks" is the user's wish.
      if (FirstOf(view, check, {"if", "unless", "when", "where", "because", "since"}, i + 1) != kNone) continue;
      if (WishOfUser(view) || view.OfBots(i, check)) continue;
      double score = 0.0;
      for (const std::string_view strong :
           {"antivirus", "gatekeeper", "defender", "protection", "edr", "selinux", "smartscreen"}) {
        if (view.FindWord(i, i + 7, strong) != kNone) score = 0.6;
      }
      if (view.FindWord(i, check, "security") != kNone || view.FindWord(i, check, "endpoint") != kNone) score += 0.3;
      if (score > 0.0 && view.any(Bit(kWWhen))) score += 0.05;
      if (score >= 0.3) {
        Hit(view, "PI-014", i, check, score);
        return;
      }
    }
  }

  // A program from elsewhere that must run first, an archive with a password, a command to paste.
  void Prerequisite(const View& view) {
    const std::uint32_t now = view.index() + 1;
    const bool recent = memory_.fetch_sentence != 0 && now - memory_.fetch_sentence <= 6;
    if (!recent && !view.any(Bit(kWFetch)) && !(view.any(Bit(kWUrl)) && view.any(Bit(kWExec)))) return;
    const int fetch = view.Find(0, view.size(), Bit(kWFetch));
    const int program = view.Find(0, view.size(), Bit(kWProgram));
    const bool url_program = [&] {
      for (int i = 0; i < view.size(); ++i) {
        if (view.is(i, Bit(kWUrl)) && view.is(i, Bit(kWProgram))) return true;
      }
      return false;
    }();
    // The archive or program itself, not just the word "setup".
    const bool concrete = url_program || [&] {
      for (int i = 0; i < view.size(); ++i) {
        const std::string_view w = view.word(i);
        if (w == "executable" || w == "zip" || w == "exe" || w == "archive" || w == "installer" ||
            ((view.at(i).set & Bit(kWProgram)) != 0 && w.find('.') != std::string_view::npos)) {
          return true;
        }
      }
      return false;
    }();
    if (fetch != kNone && concrete && !view.Negated(fetch)) {
      memory_.fetch_sentence = now;
      memory_.fetch_program = url_program ? 0.3 : 0.15;
    }
    const bool got = (fetch != kNone && concrete) || recent;
    double score = 0.0;
    int from = kNone;
    int to = kNone;
    int password = view.Find(0, view.size(), Bit(kWPassword));
    if (password != kNone && view.word(password) == "pass" && view.at(password).end() < canvas_.text.size() &&
        canvas_.text[view.at(password).end()] == ' ') {
      password = kNone;
    }
    const int extract = view.Find(0, view.size(), Bit(kWExtract));
    if (got && ((password != kNone && (extract != kNone || concrete)) ||
                (extract != kNone && view.FindWord(extract, extract + 2, "using") != kNone))) {
      // Scanners cannot look into an archive whose password is printed beside it.
      const bool literal = PasswordGiven(canvas_.Of(view.sentence()));
      score = literal ? 0.95 : 0.45;
      from = std::min(password == kNone ? extract : password,
                      fetch == kNone ? (extract == kNone ? password : extract) : fetch);
      to = std::max(password, std::max(extract, fetch));
    }
    const int run = view.Find(0, view.size(), Bit(kWExec));
    // "Before you run the code, download the data": something else is run.
    const bool else_run = run != kNone && fetch > run && view.FindWord(run - 4, run + 4, "before") != kNone;
    if (got && !else_run && run != kNone && concrete && !view.Negated(run)) {
      double s = 0.2 + memory_.fetch_program;
      const bool before =
          view.HasOneOf({"before using", "before starting", "before proceeding", "before you", "before running",
                         "before the skill", "must be running", "before continuing", "to function"});
      if (before) s += 0.35;
      if (view.any(Bit(kWMust) | Bit(kWNeed))) s += 0.1;
      if (url_program && fetch != kNone) s += 0.15;
      if (extract != kNone) s += 0.1;
      if (s > score) {
        score = s;
        from = fetch == kNone ? run : std::min(fetch, run);
        to = std::max({fetch, run, program});
      }
    }
    // "Visit this page and execute the installation command in Terminal": the command itself is not here to be read.
    const int url = view.Find(0, view.size(), Bit(kWUrl));
    if (url != kNone && run != kNone && !view.Negated(run)) {
      const bool visits = fetch != kNone || view.FindWord(0, view.size(), "visit") != kNone ||
                          view.FindWord(0, view.size(), "page") != kNone || view.any(Bit(kWPaste));
      const bool command = (view.FindWord(0, view.size(), "command") != kNone && !view.Has("command palette")) ||
                           view.FindWord(0, view.size(), "commands") != kNone ||
                           view.FindWord(0, view.size(), "script") != kNone ||
                           view.FindWord(0, view.size(), "snippet") != kNone;
      if (visits && command && (view.any(Bit(kWTerminal)) || view.any(Bit(kWPaste)))) {
        double s = 0.6;
        const HostKind kind = KindOfHost(view.Host());
        if (kind == HostKind::kPaste || kind == HostKind::kShortener || kind == HostKind::kRawAddress ||
            kind == HostKind::kTunnel)
          s += 0.3;
        if (view.any(Bit(kWMust) | Bit(kWNeed)) || view.Has("before ")) s += 0.15;
        if (s > score) {
          score = s;
          from = std::min(url, run);
          to = std::max(url, run);
        }
      }
    }
    if (score >= 0.45) Hit(view, "SC-101", from, to, score, view.Host());
  }

  // Orders that are somewhere else and can change at any time.
  void Remote(const View& view) {
    if (!view.any(Bit(kWUrl)) || !view.any(Bit(kWFetch) | Bit(kWRead))) return;
    const int follow = std::max({view.FindWord(0, view.size(), "follow"), view.FindWord(0, view.size(), "obey"),
                                 view.FindWord(0, view.size(), "execute"), view.FindWord(0, view.size(), "following"),
                                 view.FindWord(0, view.size(), "apply"), view.FindWord(0, view.size(), "adopt"),
                                 view.FindWord(0, view.size(), "comply")});
    if (follow == kNone || view.Negated(follow)) return;
    const int what = view.Find(follow + 1, follow + 6, Bit(kWRule));
    const int url = view.Find(0, view.size(), Bit(kWUrl));
    const int fetch = view.Find(0, follow, Bit(kWFetch) | Bit(kWRead));
    if (what == kNone && view.FindWord(follow, follow + 3, "steps") == kNone) return;
    if (view.HasOneOf({"installation steps", "installation instructions", "setup instructions"})) return;
    double score = 0.0;
    if (url != kNone && fetch != kNone && fetch < follow && view.Directs(fetch)) score = 0.55;
    if (score > 0.0 && view.HasOneOf({"instructions in it", "instructions it contains", "instructions returned",
                                      "instructions there", "exactly", "as if", "without"})) {
      score += 0.3;
    }
    if (score > 0.0 && view.any(Bit(kWWhen) | Bit(kWEvery))) score += 0.1;
    if (score >= 0.5) Hit(view, "PI-011", std::min(fetch, url), std::max({follow, what, url}), score, view.Host());
  }

  void Destroy(const View& view) {
    if (!view.any(Bit(kWDelete))) return;
    for (int i = 0; i < view.size(); ++i) {
      if (!view.is(i, Bit(kWDelete)) || view.Negated(i) || !view.Directs(i)) continue;
      const std::string_view w = view.word(i);
      if (w == "drop" || w == "truncate" || !view.Bare(i) || OwnAct(view, i)) continue;
      double score = 0.0;
      int to = kNone;
      const int files = view.Find(i + 1, i + 8, Bit(kWFiles));
      const bool all = view.Find(i + 1, i + 5, Bit(kWEvery)) != kNone;
      const int old = view.Find(i + 1, i + 6, Bit(kWOldVersion));
      const bool temporary = view.any(Bit(kWTemporary));
      if (temporary) continue;
      if (old != kNone && files != kNone && all) {
        score = 0.65;
        to = files;
      } else if (view.FindWord(i + 1, i + 3, "them") != kNone && view.FindWord(0, i, "older") != kNone) {
        score = 0.6;
        to = i + 1;
      } else if (old != kNone && files != kNone && view.word(old) == "original") {
        score = 0.5;
        to = files;
      } else if (files != kNone && all && view.HasOneOf({"user's", "home directory", " ~/"})) {
        score = 0.7;
        to = files;
      }
      if (score == 0.0) continue;
      if (view.any(Bit(kWWhen))) score += 0.1;
      if (view.any(Bit(kWMust))) score += 0.1;
      if (score >= 0.6) {
        Hit(view, "PI-017", i, to, score);
        return;
      }
    }
  }

  // Locks the user's own files with a password that somebody else chose.
  void Lock(const View& view) {
    if (!view.any(Bit(kWPassword))) return;
    const int password = view.Find(0, view.size(), Bit(kWPassword));
    const int guarded = view.FindWord(0, view.size(), "password-protected");
    if (password == kNone && guarded == kNone) return;
    const int verb = [&] {
      for (int i = 0; i < view.size(); ++i) {
        const std::string_view w = view.word(i);
        if (w == "lock" || w == "encrypt" || w == "protect" || w == "archive" || w == "distributed" || w == "zip" ||
            w == "create")
          return i;
      }
      return kNone;
    }();
    if (verb == kNone || view.Negated(verb)) return;
    double score = 0.0;
    if (guarded != kNone && view.any(Bit(kWFiles)) && view.any(Bit(kWEvery)) && view.any(Bit(kWMust) | Bit(kWShould)))
      score = 0.5;
    if (password != kNone && view.Directs(verb) && view.any(Bit(kWFiles)) &&
        view.HasOneOf({"password `", "password '", "password \""})) {
      score = 0.6;
    }
    if (score > 0.0 && (view.any(Bit(kWWhen)) || view.any(Bit(kWDelete)))) score += 0.15;
    if (score >= 0.5)
      Hit(view, "PI-017", std::min(verb, std::max(password, guarded)), std::max({verb, password, guarded}), score);
  }

  // What the user gets is bent: whose view it carries is not theirs.
  void Slant(const View& view) {
    const int topics = view.Count(Bit(kWTopic) | Bit(kWPeople));
    if (topics < 2 && !(topics == 1 && view.any(Bit(kWPeople)))) return;
    for (int i = 0; i < view.size(); ++i) {
      const bool slants =
          view.is(i, Bit(kWSlant)) && (view.word(i) != "flag" || view.Has(" as ") || view.Has("form of"));
      const bool changes = view.is(i, Bit(kWChange) | Bit(kWDelete));
      const bool ensured = slants && view.any(Bit(kWMust)) && view.word(i).ends_with("s");
      if ((!slants && !changes) || view.Negated(i) || (!ensured && (!view.Bare(i) || !view.Directs(i)))) continue;
      const int topic = view.Find(i + 1, i + 14, Bit(kWTopic) | Bit(kWPeople));
      if (topic == kNone) continue;
      double score = 0.15 * std::min(topics, 4);
      if (slants) score += 0.15;
      if (view.HasOneOf({"rather than", " over ", " as '", " as \"", " instead of ", "versus"})) {
        score += 0.2;
      }
      if (view.any(Bit(kWEvery) | Bit(kWWhen)) || view.FindWord(0, view.size(), "always") != kNone) score += 0.1;
      // Words put into the text: 'some quoted phrase'.
      if (changes && (view.Has("'") || view.Has("\"")) && view.HasOneOf({"phrase", "term", "words", "paragraph"})) {
        score += 0.3;
      }
      if (slants && (view.Has("form of") || view.Has("content"))) score += 0.1;
      if (score >= 0.5) {
        Hit(view, "PI-016", i, topic, score);
        return;
      }
    }
  }

  // Orders left behind for later sessions, or for other skills.
  void Memory_(const View& view) {
    if (!view.any(Bit(kWMemory))) return;
    for (int i = 0; i < view.size(); ++i) {
      if (!view.is(i, Bit(kWChange) | Bit(kWShow) | Bit(kWSend) | Bit(kWSendWeak)) && view.word(i) != "store" &&
          view.word(i) != "copy")
        continue;
      if (view.Negated(i) || !view.Directs(i) || !view.Bare(i) || OwnAct(view, i)) continue;
      const int memory = view.Find(i + 1, i + 14, Bit(kWMemory));
      if (memory == kNone || WishOfUser(view)) continue;
      double score = 0.2;
      if (view.any(Bit(kWForever))) score += 0.15;
      if (view.Find(i, view.size(), Bit(kWRule)) != kNone) score += 0.1;
      if (view.any(Bit(kWSecretly)) || view.any(Bit(kWWithout))) score += 0.3;
      if (view.HasOneOf({"all other skills", "every skill", "other agents", "all skills"})) score += 0.3;
      if (view.any(kSecretAny)) score += 0.25;
      if ((view.passage().kind & kSurfaceHidden) != 0) score += 0.3;
      if (score >= 0.55) {
        Hit(view, "PI-015", i, memory, score);
        return;
      }
    }
  }

  // A tool's text that gives orders about other tools.
  void Shadow(const View& view) {
    if (!view.any(Bit(kWTool))) return;
    const bool other = view.HasOneOf({"any other tool", "other tools", "other servers", "all other skills",
                                      "other skills", "built-in", "original tool", "instead of the original",
                                      "before any tool", "any other skill", "before using any"});
    if (!other) return;
    double score = 0.0;
    int from = 0;
    if (view.HasOneOf({"instead of the original", "replaces the built-in", "replaces the original",
                       "never use the original", "overrides the built-in"})) {
      score = 0.55;
    } else if (view.HasOneOf({"before using any other", "before calling any other", "before any other tool"}) &&
               !view.HasOneOf({"need not", "not need"}) && view.any(Bit(kWMust) | Bit(kWShould))) {
      score = 0.35;
    } else if (view.HasOneOf({"do not use", "never use", "ignore"}) && view.Has("other ") &&
               view.any(Bit(kWAgent) | Bit(kWMust) | Bit(kWNot))) {
      score = 0.3;
    }
    if (score > 0.0 && (view.any(kSecretAny | Bit(kWPersonal)) || view.any(Bit(kWSecretly)))) score += 0.3;
    if (score > 0.0 && view.any(Bit(kWMust))) score += 0.15;
    if (score >= 0.5) Hit(view, "PI-012", from, view.size() - 1, score);
  }

  void Aside(const View& view) {
    int run = kNone;
    int script = kNone;
    if (const double score = WorkAside(view, run, script); score > 0.0) Hit(view, "PI-020", run, script, score);
  }

  void Persona(const View& view) {
    double score = 0.0;
    int from = kNone;
    int to = kNone;
    const int unbound = view.Find(0, view.size(), Bit(kWUnbound));
    const bool you = view.any(Bit(kWAgent));
    const bool role =
        you && (view.any(Bit(kWPersona)) || view.HasOneOf({"you are now", "pretend", "act as", "behave as"}));
    if (unbound != kNone && role && view.word(unbound) != "unlimited" && !view.SetsDevice()) {
      score = view.Has("you are now") ? 0.85 : 0.65;
      from = std::max(0, std::min(view.Find(0, view.size(), Bit(kWAgent) | Bit(kWPersona)), unbound));
      to = unbound;
    }
    const int words = you && view.any(Bit(kWRule)) ? view.size() : 0;
    for (int i = 0; i < words && score < 0.6; ++i) {
      if (!view.is(i, Bit(kWWithout)) && view.word(i) != "no") continue;
      const int rule = view.Find(i + 1, i + 5, Bit(kWRule));
      if (rule == kNone) continue;
      const bool moral =
          view.Find(i + 1, rule, Bit(kWSafety)) != kNone || view.Find(i + 1, i + 2, Bit(kWEvery)) != kNone;
      if ((role || view.Has("respond") || view.Has("answer")) && you && moral) {
        score = 0.6;
        from = i;
        to = rule;
      }
    }
    if (view.Has("break character") && view.HasOneOf({"never", "fail", "do not"})) {
      score = std::max(score, 0.4);
      from = from == kNone ? 0 : from;
      to = to == kNone ? view.size() - 1 : to;
    }
    if (you &&
        view.HasOneOf({"setting aside its own", "set aside your own", "set aside its own", "setting aside your"})) {
      score = std::max(score, 0.6);
      from = from == kNone ? 0 : from;
      to = to == kNone ? view.size() - 1 : to;
    }
    if (score >= 0.5) Hit(view, "PI-002", from, to, score);
  }

  const TextCanvas& canvas_;
  SentenceBigrams& bigrams_;
  std::vector<FrameHit>& out_;
  Memory memory_;
};

}  // namespace

void FindFrames(const TextCanvas& canvas, SentenceBigrams& bigrams, std::vector<FrameHit>& out,
                const ForSentence& also) {
  Finder(canvas, bigrams, out).Run(also);
}

}  // namespace interlock::scan
