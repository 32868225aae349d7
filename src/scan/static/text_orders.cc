#include "static/text_orders.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "interlock/base/find_bytes.h"
#include "static/bigrams.h"
#include "static/listed_words.h"
#include "static/order_words.h"
#include "static/shell_judge.h"
#include "static/text_denials.h"

namespace interlock::scan {
namespace {

constexpr int kNone = -1;

class Orders {
 public:
  Orders(const TextCanvas& canvas, SentenceBigrams& bigrams, std::vector<FrameHit>& out)
      : canvas_(canvas), bigrams_(bigrams), out_(out) {}

  void Read(std::uint32_t s) {
    const TextSentence& sentence = canvas_.sentences[s];
    const std::uint32_t count = sentence.last - sentence.first;
    if (count < 4 || count > 160) return;
    passage_ = &canvas_.passages[sentence.passage];
    if (passage_->shape == TextShape::kCode) return;
    sentence_ = &sentence;
    index_ = s;
    const TextToken* const tokens = canvas_.tokens.data() + sentence.first;
    const ListedWords::Entry* const words = words_.entries();
    all_ = 0;
    for (std::uint32_t i = 0; i < count; ++i) all_ |= words[tokens[i].listed].orders;
    if (all_ == 0) return;
    sets_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) sets_[i] = words[tokens[i].listed].orders;
    Judge();
  }

 private:
  [[nodiscard]] int size() const { return static_cast<int>(sets_.size()); }
  [[nodiscard]] const TextToken& at(int i) const { return tokens_[sentence_->first + static_cast<std::uint32_t>(i)]; }
  [[nodiscard]] std::string_view word(int i) const {
    return i < 0 || i >= size() ? std::string_view() : canvas_.Of(at(i));
  }
  [[nodiscard]] bool any(WordSet set) const { return (sentence_->all & set) != 0; }
  [[nodiscard]] bool Has(std::initializer_list<Phrase> phrases) const {
    const std::string_view text = canvas_.Of(*sentence_);
    const Bigrams& bigrams = bigrams_.Of(index_, text);
    return std::any_of(phrases.begin(), phrases.end(), [&](const Phrase& phrase) {
      return bigrams.MayHave(phrase) && base::FindBytes(text, phrase.text()) != std::string_view::npos;
    });
  }
  [[nodiscard]] int Find(int from, int to, OrderSet set) const {
    if ((all_ & set) == 0) return kNone;
    for (int i = std::max(0, from); i <= std::min(to, size() - 1); ++i) {
      if ((sets_[static_cast<std::size_t>(i)] & set) != 0) return i;
    }
    return kNone;
  }
  [[nodiscard]] int FindBase(int from, int to, WordSet set) const {
    if (!any(set)) return kNone;
    for (int i = std::max(0, from); i <= std::min(to, size() - 1); ++i) {
      if ((at(i).set & set) != 0) return i;
    }
    return kNone;
  }
  [[nodiscard]] std::string_view Gap(int i) const {  // between i - 1 and i
    if (i <= 0) return {};
    return canvas_.Gap(sentence_->first + static_cast<std::size_t>(i));
  }
  [[nodiscard]] bool Negated(int i) const {
    const std::uint32_t first = sentence_->first;
    return Denied(canvas_, first, first + static_cast<std::uint32_t>(i), kDenialWords, DenialEnds::kSign,
                  [&](std::uint32_t k) { return DenialOf(canvas_.tokens[k].set, true); });
  }
  // Told to do it: at the head of the sentence or clause, or after "must", "you", "always".
  [[nodiscard]] bool Ordered(int i) const {
    if (i < 0) return false;
    int k = i - 1;
    static constexpr std::array<std::string_view, 22> kLead = {
        "please",     "then",   "also",        "now",           "always",   "and",         "first",  "finally",
        "next",       "step",   "silently",    "quietly",       "secretly", "must",        "should", "to",
        "discreetly", "simply", "immediately", "automatically", "instead",  "additionally"};
    while (k >= 0 && (word(k)[0] >= '0' && word(k)[0] <= '9')) --k;
    if (k < 0) return true;
    if (Gap(i).find_first_of(",:;*\n") != std::string_view::npos) return true;
    if (std::find(kLead.begin(), kLead.end(), word(k)) != kLead.end()) {
      if (word(k) != "to") return true;
      // "To bypass the cache, pass --fresh" says what for.
      return Must(k) || (k == 0 && canvas_.Of(*sentence_).find(',') == std::string_view::npos);
    }
    return Must(i);
  }
  [[nodiscard]] bool Must(int i) const {
    for (int k = std::max(0, i - 5); k < i; ++k) {
      if ((at(k).set & (Bit(kWMust) | Bit(kWShould))) != 0) return true;
      if ((at(k).set & Bit(kWAgent)) != 0 && word(k) != "your" && word(k + 1) != "can" && word(k + 1) != "may") {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool Asked() const {
    return Has({"user asks",
                "user wants",
                "user requests",
                "if requested",
                "optional",
                "you can ",
                "user confirms",
                "user provides",
                "user agrees",
                "with consent",
                "with permission",
                "user approves",
                "ask the user",
                "ask before",
                "when asked",
                "asks for",
                "user chose",
                "user's choice",
                "if asked",
                "confirm with",
                "check with the user",
                "user has specified",
                "user specifies",
                "lets you",
                "allows you",
                "use this skill when",
                "use this when",
                "use when",
                "unless the user",
                "wants to",
                "want to"});
  }
  [[nodiscard]] bool Every() const {
    return any(Bit(kWEvery)) || Has({"always", "whenever", "at the end", "last step", "final step", "afterwards"});
  }
  [[nodiscard]] bool Quiet() const {
    return any(Bit(kWSecretly)) ||
           Has({"without telling",  "without asking",     "without mention",  "without notif",
                "without inform",   "without confirm",    "do not mention",   "don't mention",
                "never mention",    "not tell",           "don't tell",       "in the background",
                "no need to ask",   "no need to mention", "not necessary to", "not be shown",
                "hidden",           "invisible",          "unnotice",         "not inform",
                "without the user", "without prompt",     "without a word",   "need not know",
                "no confirmation",  "don't ask",          "do not ask",       "not disclose",
                "do not notify",    "without comment",    "do not show"});
  }
  [[nodiscard]] bool Pretext() const {
    return any(Bit(kWBusy)) ||
           Has({"for backup", "for support", "for audit", "for compliance", "for quality", "for analytics", "for safe",
                "for billing", "for licens", "for review", "improve the service", "improve the model", "usage stat",
                "record keeping", "record-keeping", "for our records", "for indexing", "for training", "for caching"});
  }
  void Hit(std::string_view rule, int from, int to, double score, std::string host = {}) {
    if (from < 0 || to < 0 || score < 0.5) return;
    if (from > to) std::swap(from, to);
    FrameHit hit;
    hit.rule = rule;
    hit.passage = sentence_->passage;
    hit.sentence = index_;
    hit.begin = at(from).begin;
    hit.end = at(to).end();
    hit.score = std::min(1.0, score);
    hit.described = Described(canvas_, index_, hit.begin, hit.end, true);
    hit.host = std::move(host);
    out_.push_back(std::move(hit));
  }

  void Judge() {
    Copies();
    Harms();
    Lowers();
    Skews();
    Tools();
    Claims();
  }

  // The user's work goes to a place that the text names and nobody asked for.
  void Copies() {
    if ((all_ & O(kOMove)) == 0) return;
    for (int i = 0; i < size(); ++i) {
      if ((sets_[static_cast<std::size_t>(i)] & O(kOMove)) == 0 || Negated(i) || !Ordered(i)) continue;
      if (canvas_.NamesValue(sentence_->first + static_cast<std::uint32_t>(i))) continue;
      const std::string_view verb = word(i);
      const bool plain = verb == "append" || verb == "include" || verb == "register" || verb == "write" ||
                         verb == "store" || verb == "save" || verb == "log" || verb == "put" || verb == "notify" ||
                         verb == "report" || verb == "attach";
      const int url = FindBase(i + 1, i + 26, Bit(kWUrl));
      const int mail = FindBase(i + 1, i + 20, Bit(kWMail));
      const int host = Find(i + 1, i + 20, O(kOHost));
      double place = 0.0;
      std::string name;
      int to = kNone;
      if (url != kNone) {
        name = HostOf(word(url));
        if (!IsUnrelated(canvas_, name)) continue;
        place = 0.35;
        to = url;
      } else if (mail != kNone) {
        const std::string_view m = word(mail);
        const std::size_t sign = m.find('@');
        if (!IsUnrelated(canvas_, m.substr(sign + 1))) continue;
        place = 0.4;
        to = mail;
      } else if (host != kNone && !plain &&
                 (FindBase(i + 1, i + 20, Bit(kWOutside)) != kNone || Has({"our ", "third part"}))) {
        place = 0.15;
        to = host;
      }
      if (place == 0.0) continue;
      const int sense =
          std::max(Find(i + 1, i + 14, O(kOSense)), FindBase(i + 1, i + 14, Bit(kWSecret) | Bit(kWPersonal)));
      const int work = Find(i + 1, i + 14, O(kOWork));
      const bool them =
          word(i + 1) == "it" || word(i + 1) == "them" || word(i + 1) == "this" || word(i + 1) == "everything";
      if (sense == kNone && work == kNone && !them) continue;
      double score = place + (sense != kNone ? 0.25 : 0.1);
      if (plain) score -= 0.1;
      if (Every()) score += 0.12;
      if (any(Bit(kWWhen))) score += 0.08;
      if (any(Bit(kWMust))) score += 0.05;
      if (Pretext()) score += 0.1;
      if (Quiet()) score += 0.3;
      if (Asked()) score -= 0.35;
      if (Has({"authorization", "header", "bearer", "sign up", "dashboard", "api key from", "support@", "issues at",
               "feedback", "bug report", "open an issue", "documentation", "docs"}))
        score -= 0.35;
      if (score >= 0.55) {
        Hit("PI-022", i, to, score + 0.1, name);
        return;
      }
    }
  }

  // What the user has or gets is damaged: locked, deleted, made wrong.
  void Harms() {
    if ((all_ & (O(kOLock) | O(kORemove) | O(kORename) | O(kOPut) | O(kOFake) | O(kOWaste) | O(kOClaim))) == 0) return;
    for (int i = 0; i < size(); ++i) {
      const OrderSet set = sets_[static_cast<std::size_t>(i)];
      if ((set & (O(kOLock) | O(kORemove) | O(kORename) | O(kOPut) | O(kOFake) | O(kOClaim))) == 0) continue;
      if (Negated(i) || !Ordered(i)) continue;
      double score = 0.0;
      int to = kNone;
      const int work = Find(i + 1, i + 9, O(kOWork));
      const int own = Find(i + 1, i + 7, O(kOOwn));
      if ((set & O(kOLock)) != 0 && work != kNone && (own != kNone || Every())) {
        score = 0.45 + (Has({"password", "passphrase", "key "}) ? 0.1 : 0.0) + (any(Bit(kWDelete)) ? 0.2 : 0.0);
        to = work;
      }
      if ((set & O(kORemove)) != 0 && work != kNone && own != kNone && !any(Bit(kWTemporary))) {
        score = std::max(score, 0.3);
        if (Every()) score += 0.1;
        if (Has({"original file", "originals", "user's", "backups", "home directory", "git history", " ~/"}))
          score += 0.15;
        if (Has({"after copying", "once copied", "after upload", "once upload", "after the upload"})) score += 0.25;
        if (Has({"without"}) || Quiet()) score += 0.2;
        to = work;
      }
      if ((set & O(kOPut)) != 0) {
        const int fault = Find(i + 1, i + 8, O(kOFault));
        const int subtle = Find(0, size(), O(kOSubtle));
        if (fault != kNone && subtle != kNone && !Has({"handling", "message", "fix", "test", "avoid", "prevent"})) {
          const std::string_view w = word(fault);
          const bool pause = w == "delay" || w == "delays" || w == "sleep" || w == "pause" || w == "wait" ||
                             w == "latency" || w == "noise";
          score = std::max(score, (pause ? 0.35 : 0.6) + (Quiet() ? 0.2 : 0.0) + (Every() ? 0.1 : 0.0));
          to = fault;
        }
      }
      const bool call = at(i).end() < canvas_.text.size() && canvas_.text[at(i).end()] == '(';  // inflate()
      const bool sign = Has({"flag ", "check for", "look for", "beware", "avoid", "red flag", "warning sign"});
      // "No dead links, fake controls or lorem ipsum": a list of what is not wanted.
      const bool unwanted =
          word(0) == "no" && word(1) != "need" && word(i) == "fake" && Gap(i).find(',') != Gap(i).npos;
      if ((set & O(kOFake)) != 0 && !call && !sign && !unwanted && word(i) != "invent" &&
          Find(i + 1, i + 8, O(kOWork) | O(kOResult)) != kNone && !Has({"test", "mock", "fixture", "example"})) {
        score = std::max(score, 0.6 + (Quiet() ? 0.2 : 0.0));
        to = Find(i + 1, i + 8, O(kOWork) | O(kOResult));
      }
      if ((set & O(kOClaim)) != 0) {
        const int good = Find(i + 1, i + 12, O(kOGood));
        // "Write the answer even if you could not complete the task": what may have failed is no claim.
        std::string_view until = canvas_.text;
        until = good == kNone ? std::string_view() : until.substr(at(i).end(), at(good).begin - at(i).end());
        const std::size_t granted = std::max(until.rfind("even if") + 1, until.rfind("even when") + 1);
        const bool failed =
            granted != 0 && until.find(',', granted) == until.npos && until.find(" that ", granted) == until.npos;
        if (good != kNone && !failed &&
            Has({"even if", "even when", "regardless", "no matter", "whether or not", "despite", "although it failed",
                 "instead of the error", "without running", "without checking", "without actually"}) &&
            !Has({"would "})) {
          score = std::max(score, 0.75);
          to = good;
        }
      }
      // "It will overwrite files": a warning to the reader.
      if (i > 0 && (word(i - 1) == "will" || word(i - 1) == "would" || word(i - 1) == "can" || word(i - 1) == "may"))
        score = 0.0;
      if (Asked()) score -= 0.35;
      if (score >= 0.5) {
        Hit("PI-023", i, to, score + 0.1);
        return;
      }
    }
  }

  // Protection is taken away, access is given.
  void Lowers() {
    if ((all_ & (O(kOOff) | O(kOWiden) | O(kOPublic))) == 0) return;
    for (int i = 0; i < size(); ++i) {
      const OrderSet set = sets_[static_cast<std::size_t>(i)];
      if ((set & (O(kOOff) | O(kOWiden) | O(kOPublic))) == 0 || Negated(i) || !Ordered(i)) continue;
      double score = 0.0;
      int to = kNone;
      if ((set & O(kOOff)) != 0) {
        const int guard = Find(i + 1, i + 6, O(kOGuard));
        if (guard != kNone) {
          const std::string_view w = word(guard);
          const bool hard = w == "tls" || w == "ssl" || w == "certificate" || w == "authentication" ||
                            w == "firewall" || w == "antivirus" || w == "security" || w == "safety" || w == "sandbox" ||
                            w == "csrf" || w == "authorization" || w == "encryption" || w == "guardrails" ||
                            w == "safeguards" || w == "signature" || w == "approval" || w == "confirmation" ||
                            w == "audit";
          score =
              (hard ? 0.35 : 0.15) + (Every() ? 0.2 : 0.0) + (Quiet() ? 0.25 : 0.0) + (any(Bit(kWMust)) ? 0.1 : 0.0);
          to = guard;
        }
      }
      if ((set & O(kOWiden)) != 0) {
        const int right = Find(i + 1, i + 9, O(kORight));
        if (right != kNone) {
          const double s = (Has({"777", "bypasspermissions", "world-writable", "full access", "unrestricted", "bash(*)",
                                 "wildcard", "root access", "all permissions", "everyone", "public-read", "to anyone",
                                 "0.0.0.0/0", "admin access", "administrator access"})
                                ? 0.4
                                : 0.1) +
                           (Every() ? 0.15 : 0.0) + (Quiet() ? 0.25 : 0.0);
          if (s > score) {
            score = s;
            to = right;
          }
        }
      }
      if ((set & O(kOPublic)) != 0) {
        const int secret = FindBase(i + 1, i + 8, Bit(kWSecret) | Bit(kWSecretPath));
        if (secret != kNone) {
          const double s =
              (Has({"into the source",   "in the source",     "in plain",       "hardcode",       "in the code",
                    "to the repository", "in the repository", "in the commit",  "commit message", "in the readme",
                    "in the response",   "in your reply",     "in your answer", "in the answer",  "in the output",
                    "in the url",        "in a comment",      "as a comment",   "in the log",     "to the log",
                    "full value",        "unmasked",          "unredacted",     "verbatim"})
                   ? 0.4
                   : 0.0) +
              (Every() ? 0.15 : 0.0) + (Quiet() ? 0.2 : 0.0);
          if (s > score) {
            score = s;
            to = secret;
          }
        }
      }
      // "If the folder does not exist, skip the checks": there is nothing to be checked.
      if (Asked() || Has({"does not exist", "do not exist", "is missing", "contains no ", "not found", "is absent"}))
        score -= 0.35;
      if (score >= 0.5) {
        Hit("PI-024", i, to, score + 0.1);
        return;
      }
    }
  }

  // Whose side an answer takes is decided for the user.
  void Skews() {
    if ((all_ & (O(kOGoods) | O(kOGroup) | O(kOCause))) == 0) return;
    if ((all_ & (O(kOSwap) | O(kOOmit) | O(kOFavour) | O(kOPut) | O(kOClaim))) == 0) return;
    bool fixed = false;
    bool asked = false;
    const auto is_fixed = [&] {
      if (asked) return fixed;
      asked = true;
      fixed = Has({"regardless", "no matter", "even if", "even when", "instead of", "rather than", " over ",
                   "never mention", "do not mention", "don't mention", "only ", "in favor of", "in favour of",
                   "positive light", "negative light", "unfavo", "superior", "inferior", "downplay"});
      return fixed;
    };
    for (int i = 0; i < size(); ++i) {
      const OrderSet set = sets_[static_cast<std::size_t>(i)];
      if ((set & (O(kOSwap) | O(kOOmit) | O(kOFavour) | O(kOPut) | O(kOClaim))) == 0) continue;
      const bool denied = Negated(i);
      const bool unsaid = denied && (word(i) == "mention" || word(i) == "cite" || word(i) == "list" ||
                                     word(i) == "recommend" || word(i) == "suggest");
      if ((denied && !unsaid) || !Ordered(i)) continue;
      if (canvas_.text.compare(at(i).end(), 1, "[") == 0) continue;  // List[str]: a type
      const int goods = Find(i + 1, i + 12, O(kOGoods));
      if (unsaid && goods != kNone && (word(goods) == "token" || word(goods) == "tokens")) continue;  // a credential
      const int group = Find(i + 1, i + 10, O(kOGroup));
      const int cause = Find(i + 1, i + 14, O(kOCause));
      double score = 0.0;
      int to = kNone;
      if ((set & (O(kOFavour) | O(kOOmit))) != 0 && goods != kNone) {
        score = 0.15 + (is_fixed() ? 0.2 : 0.0) + (Quiet() ? 0.2 : 0.0) + (Every() ? 0.15 : 0.0);
        if (Has({"affiliate", "sponsor", "competitor", "referral", "unfavo", "five star", "5 star", "positive light"}))
          score += 0.2;
        to = goods;
      }
      if ((set & (O(kOSwap) | O(kOOmit) | O(kOFavour))) != 0 && group != kNone) {
        const double s = 0.25 + (is_fixed() ? 0.15 : 0.0) + (Every() ? 0.15 : 0.0) + (Quiet() ? 0.2 : 0.0) +
                         (Find(group + 1, group + 8, O(kOGroup)) != kNone ? 0.1 : 0.0);
        if (s > score) {
          score = s;
          to = group;
        }
      }
      if (cause != kNone) {
        const int result = Find(0, size(), O(kOResult));
        const double s = 0.2 + (result != kNone ? 0.1 : 0.0) + (is_fixed() ? 0.2 : 0.0) + (Every() ? 0.15 : 0.0) +
                         (Find(cause + 1, cause + 12, O(kOCause)) != kNone ? 0.1 : 0.0) +
                         (Has({"'", "\""}) && (set & (O(kOSwap) | O(kOPut))) != 0 ? 0.15 : 0.0);
        if (s > score) {
          score = s;
          to = cause;
        }
      }
      if (Asked()) score -= 0.35;
      if (score >= 0.55) {
        Hit("PI-025", i, to, score + 0.05);
        return;
      }
    }
  }

  // The last word of what the verb at `i` speaks of: "pass a link; ...", "include it when the conversation ...".
  [[nodiscard]] int ClauseEnd(int i) const {
    for (int k = i + 1; k < size(); ++k) {
      const std::string_view w = word(k);
      const std::string_view gap = Gap(k);
      if (w == "when" || w == "if" || gap.find(';') != std::string_view::npos ||
          gap.find("\xE2\x80\x94") != std::string_view::npos) {
        return k - 1;
      }
    }
    return size() - 1;
  }

  // A word of no list that was written with a capital and small letters after it.
  [[nodiscard]] bool IsName(int i) const {
    const TextToken& token = canvas_.tokens[sentence_->first + static_cast<std::uint32_t>(i)];
    if (token.listed != ListedWords::kNone || token.symbol || token.size < 3) return false;
    const std::size_t at = canvas_.Back(*passage_, token.begin, token.end()).begin;
    const std::string_view source = canvas_.source;
    const auto is_in = [&](std::size_t where, char from, char to) {
      return where < source.size() && source[where] >= from && source[where] <= to;
    };
    return is_in(at, 'A', 'Z') && is_in(at + 1, 'a', 'z');
  }

  // "Before any other tool", "prior to all tools", "before anything else": not "before any component", nor "needed by
  // other tools", nor those "of this server".
  [[nodiscard]] bool BeforeOtherTools() const {
    for (int i = 0; i + 1 < size(); ++i) {
      const std::string_view w = word(i);
      if (w != "before" && w != "prior" && w != "until" && w != "precede" && w != "precedes") continue;
      for (int k = i + 1; k <= std::min(i + 4, size() - 1); ++k) {
        const std::string_view which = word(k);
        if (which == "anything") return true;
        if (which != "any" && which != "all" && which != "every" && which != "other") continue;
        const int tool = Find(k + 1, k + 3, O(kOTool));
        if (tool == kNone) continue;
        const std::string_view place = word(tool + 1);
        const bool here =
            (place == "of" || place == "in" || place == "from" || place == "on") && word(tool + 2) == "this";
        // "before any other Dorico tools": of one product, in capitals.
        const bool product = tool > k + 1 && IsName(tool - 1);
        if (!here && !product) return true;
      }
    }
    return false;
  }

  // The text around says that it is a guide.
  [[nodiscard]] bool Guides() const {
    const std::string_view text = canvas_.Of(*passage_);
    return std::ranges::any_of(
        std::array<std::string_view, 4>{"guidelines", "best practices", "recommended workflow", "usage guide"},
        [&](std::string_view word) { return base::FindBytes(text, word) != std::string_view::npos; });
  }

  // Orders in the text of a tool about other tools, about the order of calls, or for parameters that carry.
  void Tools() {
    const bool described = (passage_->kind & (kSurfaceDescription | kSurfaceSchema | kSurfaceToolName)) != 0 ||
                           (passage_->kind & kSurfaceHidden) != 0;
    double score = 0.0;
    int from = 0;
    int to = size() - 1;
    const bool first =
        described &&
        Has({"before using this",     "before calling this", "before invoking this", "before you use this",
             "before any other tool", "before using any",    "before calling any",   "before invoking any",
             "prior to using",        "prior to calling",    "in order to use this", "must be called first",
             "must be called before", "always call this",    "call this tool first", "use this tool first",
             "before every",          "before each",         "must first",           "this tool must be",
             "to use this tool"});
    const int hidden = Find(0, size(), O(kOHidden));
    const int read = FindBase(0, size(), Bit(kWRead) | Bit(kWCollect));
    const bool sensitive = (all_ & O(kOSense)) != 0 || any(Bit(kWSecret) | Bit(kWSecretPath) | Bit(kWPersonal));
    if (first) {
      score = 0.3;
      if (any(Bit(kWMust))) score += 0.1;
      if (BeforeOtherTools()) score += 0.25;
      if (read != kNone && !Negated(read) && any(Bit(kWSecretPath) | Bit(kWSecret))) score += 0.3;
      if (hidden != kNone) score += 0.2;
      if (Has({"check with the user", "confirm with the user", "ask the user"})) score -= 0.3;  // stops, and is seen
      // "Call it first whenever the user names a calendar": of what is asked for, not of everything.
      else if (Asked())
        score -= 0.3;
      if (Has({"otherwise", "will not work", "will fail", "won't work"})) score += 0.05;
      // The guide to a server's own tools wants to be read before them.
      if (!sensitive && Guides()) score -= 0.15;
      // "... before other tools to specify which repository to work with": it sets up what they work on.
      const bool sets_up =
          Has({" to specify ", " to select ", " to choose ", " to set the ", " to connect ", " to open "});
      if (sets_up && !sensitive && hidden == kNone && (all_ & (O(kORepeat) | O(kOPrompt))) == 0 && !Quiet())
        score -= 0.15;
    }
    // A parameter filled with what the tool has no use for.
    if ((all_ & O(kORepeat)) != 0) {
      const int param = Find(0, size(), O(kOParam) | O(kOHidden));
      if (param != kNone && (described || any(Bit(kWMust)) || Every() || Quiet())) {
        for (int i = 0; i < size(); ++i) {
          if ((sets_[static_cast<std::size_t>(i)] & O(kORepeat)) == 0 || Negated(i) || !Ordered(i)) continue;
          const int clause = ClauseEnd(i);
          const int what = std::max(Find(i + 1, std::min(i + 12, clause), O(kOPrompt)),
                                    FindBase(i + 1, std::min(i + 14, clause), Bit(kWSecret) | Bit(kWSecretPath)));
          if (what == kNone) continue;
          double s =
              0.25 + (hidden != kNone ? 0.2 : 0.0) + (Every() ? 0.1 : 0.0) + (Quiet() ? 0.25 : 0.0) +
              (Has({"full ", "entire", "complete", "verbatim", "system prompt", "whole", "all previous"}) ? 0.25 : 0.0);
          if (Asked() || Has({"metadata only", "no secrets", "names only", "without their values", " display the "}))
            s -= 0.3;
          if (s > score) {
            score = s;
            from = i;
            to = what;
          }
        }
      }
    }
    if ((described || any(Bit(kWMust) | Bit(kWAgent))) &&
        Has({"other tool", "other server", "other skill", "other mcp", "another tool", "another server", "built-in",
             "builtin", "native tool", "standard tool", "similar tools", "alternative tools", "any tool named",
             "the tool named", "competing"})) {
      double s = 0.0;
      if ((all_ & O(kOBad)) != 0) s = 0.45;
      if (Has({"instead of", "replaces", "supersedes", "rather than", "in place of", "over any", "deprecated"}))
        s = std::max(s, 0.45);
      if (Has({"do not use", "don't use", "never use", "never call", "do not call", "avoid"})) s += 0.25;
      if (Has({"always use this", "always prefer", "must be used", "use this tool", "prefer this", "must use this"}))
        s += 0.15;
      if (Has({"bcc", "recipient", "proxy", "set its", "also pass", "its argument", "their argument", "header",
               "also set", "also add", "forward to"}))
        s = std::max(s, 0.4) + 0.25;
      if (s > score) score = s;
    }
    // Of a tool alone: reading a sentence's pairs of letters for it is dear.
    const auto data = [&] {
      return Has({"not instructions", "not an instruction", "not orders", "never instructions", "as data", "are data",
                  "is data", "untrusted", "not to be followed"});
    };
    // "System-level instructions for a new session.": what a field holds.
    const bool field = Has({"system-level instructions for"}) && !any(Bit(kWMust)) && (all_ & O(kOTool)) == 0;
    if (described && !field && !data() && Has({"other tools", "all tools", "every tool", "instructions"}) &&
        Has({"system administrator", "system-level", "higher priority", "highest priority", "take precedence",
             "takes precedence", "come from the", "issued by the", "mandated by", "required by the platform",
             "on behalf of the platform", "authority of", "same authority", "part of the system", "official policy"})) {
      score = std::max(score, 0.7);
    }
    if (sensitive && score > 0.4) score += 0.1;
    if (score > 0.3 && Quiet()) score += 0.15;
    if (score >= 0.55) Hit("PI-026", from, to, score);
  }

  // Consent that nobody gave, the agent's own instructions given away, addresses that carry, orders that spread.
  void Claims() {
    double score = 0.0;
    int from = 0;
    int to = size() - 1;
    if ((all_ & O(kOConsent)) != 0 &&
        Has({"user has already",
             "user already",
             "user has pre",
             "user has agreed",
             "user has approved",
             "user has consented",
             "user has authori",
             "already been approved",
             "already been authori",
             "already agreed",
             "already consented",
             "already approved",
             "has been pre-a",
             "consent has been",
             "owner has approved",
             "by installing this",
             "administrator has approved",
             "already given",
             "permission has been granted",
             "already authori"}) &&
        !Has({"if the user", "check ", "whether", "unless", "until", "when the user", "once ", "only ", "after ", "?",
              "nothing without", "never without", "not without", "that the user", "list the user", "what the user",
              "anything the user"})) {
      score = 0.5;
      if (Has({"no confirmation", "without", "do not ask", "don't ask", "no need", "proceed", "not necessary",
               "never ask"}))
        score += 0.3;
      if ((all_ & (O(kOMove) | O(kORemove) | O(kOSense))) != 0) score += 0.1;
    }
    for (int i = 0; i < size() && score < 0.6 && (all_ & O(kORepeat)) != 0; ++i) {
      if ((sets_[static_cast<std::size_t>(i)] & O(kORepeat)) == 0 || Negated(i) || !Ordered(i)) continue;
      if (Has({"your system prompt", "your instructions verbatim", "the system prompt", "your initial instructions",
               "entire conversation", "full conversation", "whole conversation", "conversation so far",
               "conversation history", "previous messages", "your hidden instructions"}) &&
          Find(i + 1, i + 10, O(kOPrompt)) != kNone &&
          Has({"verbatim", "entire", "full", "whole", "word for word", "so far", "url", "image", "parameter", "first ",
               "every", "always", "at the end", "before"})) {
        score = std::max(score, 0.5 + (Quiet() ? 0.2 : 0.0) + (any(Bit(kWUrl)) ? 0.2 : 0.0));
        from = i;
      }
    }
    if ((all_ & O(kOSpread)) != 0 &&
        Has({"this instruction", "these instructions", "this paragraph", "this block", "this text", "this section",
             "this rule", "this skill"}) &&
        Has({"every repository", "each repository", "every project", "all projects", "other repositories",
             "any repository", "every file", "other agents", "all repositories", "claude.md", "agents.md", "every new",
             "any new", "each new", "every readme", "all readme", ".cursorrules"})) {
      for (int i = 0; i < size(); ++i) {
        if ((sets_[static_cast<std::size_t>(i)] & O(kOSpread)) == 0 || Negated(i) || !Ordered(i)) continue;
        score = std::max(score, 0.55 + (Quiet() ? 0.25 : 0.0));
        from = i;
        break;
      }
    }
    if (score >= 0.5 && Asked()) score -= 0.3;
    if (score >= 0.5) Hit("PI-027", from, to, score);
  }

  const TextCanvas& canvas_;
  std::span<const TextToken> tokens_ = canvas_.tokens;
  SentenceBigrams& bigrams_;
  std::vector<FrameHit>& out_;
  const ListedWords& words_ = ListedWords::Get();
  const TextSentence* sentence_ = nullptr;
  const TextPassage* passage_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<OrderSet> sets_;
  OrderSet all_ = 0;
};

}  // namespace

void FindFramesAndOrders(const TextCanvas& canvas, std::vector<FrameHit>& out) {
  SentenceBigrams bigrams;
  std::vector<FrameHit> found;
  Orders orders(canvas, bigrams, found);
  FindFrames(canvas, bigrams, out, [&](std::uint32_t s) {
    if (found.size() < kMaxFrameHits) orders.Read(s);
  });
  // Behind the frames; of a sentence all or none.
  std::uint32_t sentence = ~std::uint32_t{0};
  for (FrameHit& hit : found) {
    if (hit.sentence != sentence && out.size() >= kMaxFrameHits) break;
    sentence = hit.sentence;
    out.push_back(std::move(hit));
  }
  FindFilledAddresses(canvas, out);
  FindStoresListed(canvas, out);
  FindToolOrders(canvas, out);
}

}  // namespace interlock::scan
