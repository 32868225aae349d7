// Text rules over a file: surfaces, frames, patterns, characters that are not seen, commands in code blocks.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "code/shell.h"
#include "fmt/format.h"
#include "interlock/patterns/pattern_set.h"
#include "rules_impl.h"
#include "static/bytes.h"
#include "static/classify.h"
#include "static/shell_judge.h"
#include "static/shown_code.h"
#include "static/surface.h"
#include "static/text_addressed.h"
#include "static/text_blocks.h"
#include "static/text_canvas.h"
#include "static/text_commands.h"
#include "static/text_denials.h"
#include "static/text_findings.h"
#include "static/text_frames.h"
#include "static/text_meaning.h"
#include "static/text_orders.h"
#include "static/text_snippets.h"

namespace interlock::scan {
namespace {

// Log-odds of the classifier of orders from where on a text is worth a look, and how much surer each further one makes
// (docs/models/order-classifier.md).
constexpr double kLookOdds = 1.5;
constexpr double kLookOddsHidden = 0.75;  // text that people do not see
constexpr double kLookScale = 0.42;
constexpr double kScaleAnOdd = 0.12;
constexpr double kSpokenString = 0.6;
constexpr double kMostOfWordsAlone = 0.55;  // enough to have a person look, and no ground of BLOCK
constexpr double kGlossed = 0.8;            // translated word by word
constexpr double kGlossedTool = 0.55;       // ... of a tool: "Supprime un dossier" orders and tells in the same letters
constexpr double kGivenText = 1.0;          // for rules of calm wording
// What is said to whoever judges the package is read where it stands, comments and texts of programs included.
constexpr std::string_view kToTheJudge = "PI-060";
constexpr double kReadByJudges = 0.7;
constexpr std::string_view kPassedUnread = "PI-056";
constexpr double kMostOfFindings = 0.3;
constexpr double kOfShown = 0.65;  // what text_described.cc leaves of a block of code
constexpr double kSaid = 0.15;     // of a program's text, which weighs little
constexpr std::size_t kManyPassages = 500;
constexpr double kOneOfHundreds = 0.3;

// Where a frame or pattern counts: surfaces an agent follows count in full.
double KindWeight(SurfaceSet kind) {
  if ((kind & kSurfaceHidden) != 0) return 1.25;
  if ((kind & kSurfaceDecoded) != 0) return 1.25;
  if ((kind & (kSurfaceDescription | kSurfaceInstruction | kSurfaceToolName | kSurfaceSchema)) != 0) return 1.0;
  // Programs talk to programmers; what they say to an agent is in descriptions.
  if ((kind & kSurfaceComment) != 0) return 0.25;
  if ((kind & kSurfaceString) != 0) return 0.3;
  if ((kind & kSurfaceConfig) != 0) return 0.8;
  return 1.0;
}

class Analysis : public TextFindings {
 public:
  using TextFindings::TextFindings;

  void Run() {
    CollectSurfaces(file_, surfaces_);
    canvas_ = BuildCanvas(file_, surfaces_);
    std::vector<FrameHit> frames;
    FindFramesAndOrders(canvas_, frames);
    for (const FrameHit& hit : frames) Frame(hit);
    Orders(frames);
    Patterns();
    Unseen();
    Names();
    LookAlikeCommands();
    Addresses();
    JudgeCommandsIn(*this);
    Spoken();
    Support();
    Bulk();
    if (file_.reach == core::Reach::kDocument || file_.reach == core::Reach::kRuntime) {
      const std::string_view name = BaseName(file_.file->path);
      RaiseAddressed(canvas_, name == "llms.txt" || name == "llms-full.txt", out_.findings);
    }
    if (!canvas_.complete) {
      out_.skipped.push_back(
          {file_.file->path, core::SkipReason::kParserBudget, 0, "text too long to be decoded in full"});
    }
    canvas_.GiveBack();
  }

 private:
  void Frame(const FrameHit& hit) {
    const TextPassage& passage = canvas_.passages[hit.passage];
    const TextSentence& sentence = canvas_.sentences[hit.sentence];
    // What one reads is the sentence, as far as it is not endless.
    std::uint32_t begin = sentence.begin;
    std::uint32_t end = sentence.end;
    if (end - begin > 400) {
      begin = hit.begin;
      end = hit.end;
    }
    RawFinding finding = Make(hit.rule, passage, begin, end);
    finding.scale = hit.score * KindWeight(passage.kind);
    finding.described = hit.described;
    finding.host = hit.host;
    finding.concrete = IsConcrete(sentence);
    finding.scale *= WeightOfFirstStep(finding, file_.text());
    Push(std::move(finding), hit.passage);
  }

  static bool IsConcrete(const TextSentence& sentence) {
    return (sentence.all & (Bit(kWUrl) | Bit(kWSecretPath))) != 0;
  }

  // A tool's text that speaks to nobody of nothing in particular.
  [[nodiscard]] bool TellsWhatItDoes(const TextPassage& passage, const Meaning& meaning) const {
    constexpr SurfaceSet kTool = kSurfaceDescription | kSurfaceSchema | kSurfaceToolName;
    constexpr WordSet kPlain = Bit(kWMust) | Bit(kWAgent) | Bit(kWSecretly) | Bit(kWUrl) | Bit(kWSecretPath);
    return (passage.kind & kTool) != 0 && (canvas_.sentences[meaning.sentence].all & kPlain) == 0;
  }

  // What the classes of a sentence's words add up to; one finding a sentence, where no frame says as much already.
  void Orders(const std::vector<FrameHit>& frames) {
    static constexpr std::array<std::string_view, 9> kRules = {"",       "PI-031", "PI-032", "PI-033", "PI-034",
                                                               "PI-034", "PI-036", "PI-037", "PI-034"};
    std::vector<Meaning> meanings;
    FindMeanings(canvas_, std::min(kLookOdds, kLookOddsHidden), meanings);
    // What frames say of each passage at most.
    std::vector<double> said(meanings.empty() ? 0 : canvas_.passages.size(), -1.0);
    for (std::size_t i = 0; i < frames.size() && !said.empty(); ++i) {
      const FrameHit& hit = frames[i];
      if (rules_.Find(hit.rule) == nullptr) continue;
      double& most = said[hit.passage];
      most = std::max(most, hit.score * (1.0 - hit.described) * KindWeight(canvas_.passages[hit.passage].kind));
    }
    for (const Meaning& meaning : meanings) {
      const TextPassage& passage = canvas_.passages[meaning.passage];
      const bool hidden = (passage.kind & (kSurfaceHidden | kSurfaceDecoded)) != 0;
      const double least = hidden ? kLookOddsHidden : kLookOdds;
      if (meaning.score < least) continue;
      double scale = kLookScale + kScaleAnOdd * (meaning.score - least);
      // An error text or a resource that speaks to the assistant is read by it, and so is a comment that turns to it.
      const bool spoken = ((passage.kind & kSurfaceString) != 0 && (meaning.spoken || meaning.addressed)) ||
                          ((passage.kind & kSurfaceComment) != 0 && meaning.addressed);
      // Words alone refuse nothing.
      if (meaning.words_alone) scale = std::min(scale, kMostOfWordsAlone);
      scale = std::min(scale, 1.0) * (spoken ? kSpokenString : std::min(1.0, KindWeight(passage.kind)));
      if (passage.glossed && !passage.joined) scale *= TellsWhatItDoes(passage, meaning) ? kGlossedTool : kGlossed;
      // What describes was weighed by the classifier; it speaks of all sentences that stand together.
      if (said[meaning.passage] >= scale) continue;
      const TextSentence& sentence = canvas_.sentences[meaning.sentence];
      const bool endless = sentence.end - sentence.begin > 400;
      RawFinding finding = Make(kRules[meaning.threat], passage, endless ? meaning.begin : sentence.begin,
                                endless ? std::min(meaning.end, meaning.begin + 400) : sentence.end);
      finding.scale = scale;
      if (const Rule* rule = rules_.Find(finding.rule); rule != nullptr) {
        finding.message = fmt::format("{}: {}", rule->title, meaning.why);
      }
      Push(std::move(finding), meaning.passage);
    }
  }

  void Patterns() {
    const RuleSet::Impl& impl = rules_.impl();
    if (!impl.text || impl.text_patterns.empty()) return;
    static thread_local patterns::PatternScratch scratch;
    std::vector<patterns::PatternHit> hits;
    const patterns::PatternOutcome outcome = impl.text->Scan(canvas_.text, scratch, hits, canvas_.Borders());
    if (!outcome.complete) {
      out_.skipped.push_back({file_.file->path, core::SkipReason::kParserBudget, 0, "text rules: too much to confirm"});
    }
    for (const patterns::PatternHit& hit : hits) {
      const RuleSet::Impl::TextPattern& pattern = *impl.text_patterns[hit.pattern];
      const auto begin = static_cast<std::uint32_t>(hit.bytes.begin);
      const auto end = static_cast<std::uint32_t>(hit.bytes.end);
      const std::uint32_t index = canvas_.PassageAt(begin);
      const TextPassage& passage = canvas_.passages[index];
      if (begin >= passage.end || end > passage.end + 1) continue;  // over the border of two passages
      if ((pattern.rule->surfaces & passage.kind) == 0) continue;
      const std::uint32_t at = canvas_.SentenceAt(begin);
      const TextSentence& sentence = canvas_.sentences[at];
      if (const re2::RE2* unless = pattern.unless.get(); unless != nullptr) {
        const std::string_view around = canvas_.SentenceAround(begin, end);
        if (re2::RE2::PartialMatch(re2::StringPiece(around.data(), around.size()), *unless)) continue;
      }
      if (const re2::RE2* near = pattern.near.get(); near != nullptr) {
        const std::uint32_t window = pattern.pattern->window;
        const bool across = pattern.pattern->across;
        const std::uint32_t from = std::max(across ? 0 : passage.begin, begin > window ? begin - window : 0);
        const auto last = across ? static_cast<std::uint32_t>(canvas_.text.size()) : passage.end;
        const std::uint32_t to = std::min(last, end + window);
        const std::string_view before(canvas_.text.data() + from, begin - from);
        const std::string_view after(canvas_.text.data() + end, to > end ? to - end : 0);
        if (!re2::RE2::PartialMatch(re2::StringPiece(before.data(), before.size()), *near) &&
            !re2::RE2::PartialMatch(re2::StringPiece(after.data(), after.size()), *near)) {
          continue;
        }
      }
      RawFinding finding = Make(pattern.rule->id, passage, begin, std::min(end, passage.end));
      const double kind = IsCalm(finding.rule) && IsGivenText(file_, canvas_, passage) ? kGivenText : 0.0;
      const double judged = finding.rule == kToTheJudge ? kReadByJudges : 0.0;
      finding.scale = pattern.pattern->weight * std::max({kind, judged, KindWeight(passage.kind)});
      // Around an account, an address, a command or a setting backticks are a notation.
      const bool notation =
          IsDeed(finding.rule) || (IsCalm(finding.rule) && begin > sentence.begin && canvas_.text[begin - 1] == '`');
      finding.described = notation ? Described(canvas_, at, sentence.begin, sentence.begin)
                                   : Described(canvas_, at, begin, std::min(end, passage.end));
      // A prompt that is shown is given all the same.
      if (IsCalm(finding.rule) && IsShownProse(file_, passage, surfaces_[passage.surface]))
        finding.described = 1.0 - (1.0 - finding.described) / kOfShown;
      // "No findings" is what such an order is about, no talk about attacks.
      const bool verdict = finding.rule == kPassedUnread || finding.rule == kToTheJudge;
      if (verdict && !canvas_.Reported(begin) && !passage.quoted)
        finding.described = std::min(finding.described, kMostOfFindings);
      // The name of a parameter says what is wanted and nothing else.
      const bool named = finding.rule == "PI-040" || finding.rule == "PI-061";
      if ((finding.rule != "PI-010" && !IsCalm(finding.rule) && DeniedBefore(sentence, begin)) ||
          (!named && OpensToolText(passage, at, begin)))
        finding.described = std::max(finding.described, 0.75);
      finding.concrete = IsConcrete(sentence);
      Push(std::move(finding), index);
    }
  }

  // Rules of calm wording and of deeds by their names (rules/scan/text/calm.json, deeds.json).
  static bool IsCalm(std::string_view rule) { return rule.starts_with("PI-05") || IsDeed(rule); }
  static bool IsDeed(std::string_view rule) { return rule >= "PI-062" && rule <= "PI-069" && rule != "PI-067"; }

  // What the text of a tool opens with is what the tool does, where it speaks to nobody.
  [[nodiscard]] bool OpensToolText(const TextPassage& passage, std::uint32_t at, std::uint32_t begin) const {
    constexpr SurfaceSet kTool = kSurfaceDescription | kSurfaceSchema | kSurfaceToolName;
    constexpr SurfaceSet kOther = kSurfaceInstruction | kSurfaceHidden | kSurfaceDecoded;
    const TextSentence& sentence = canvas_.sentences[at];
    return (passage.kind & kTool) != 0 && (passage.kind & kOther) == 0 && at == passage.first &&
           begin == sentence.begin &&
           (sentence.all & (Bit(kWMust) | Bit(kWAgent) | Bit(kWSecretly) | Bit(kWWithout) | Bit(kWOverride))) == 0;
  }

  // "Do not ..." shortly before the match.
  [[nodiscard]] bool DeniedBefore(const TextSentence& sentence, std::uint32_t begin) const {
    constexpr std::uint32_t kWords = 7;
    if (sentence.last == sentence.first) return false;
    std::uint32_t at = sentence.last - 1;
    while (at > sentence.first && canvas_.tokens[at - 1].begin >= begin) --at;
    return Denied(canvas_, sentence.first, at, kWords, DenialEnds::kClause,
                  [&](std::uint32_t k) { return DenialOf(canvas_.tokens[k].set, false); });
  }

  // What letters that nobody sees spell is no program.
  static bool SaysNothing(std::string_view spelled) {
    return !spelled.empty() && spelled.find_first_of("(){};=<>$\\") == std::string_view::npos &&
           spelled.find("://") == std::string_view::npos;
  }

  void Unseen() {
    // Samples, in a program that looks for such: no agent reads them. An order among them is found as one.
    constexpr SurfaceSet kRead = kSurfaceDescription | kSurfaceSchema | kSurfaceToolName | kSurfaceInstruction;
    const bool samples =
        !canvas_.unseen.empty() && IsCode(file_.type) &&
        std::ranges::none_of(canvas_.passages, [](const TextPassage& passage) { return (passage.kind & kRead) != 0; });
    for (const UnseenText& unseen : canvas_.unseen) {
      // One and the same, however often, is no data; what a program prints may end with it.
      if (IsCode(file_.type) && unseen.uniform && unseen.kind == UnseenText::Kind::kRun) continue;
      RawFinding finding;
      finding.rule = "PI-003";
      finding.file = file_.index;
      finding.bytes = unseen.bytes;
      finding.decoded = unseen.decoded;
      finding.scale = samples && SaysNothing(unseen.decoded) ? 0.5 : 1.0;
      switch (unseen.kind) {
        case UnseenText::Kind::kTags:
          finding.message = fmt::format("{} invisible tag characters spell text", unseen.count);
          break;
        case UnseenText::Kind::kSelectors:
          finding.message = fmt::format("{} variation selectors in a row carry data", unseen.count);
          break;
        case UnseenText::Kind::kRun:
          finding.message = fmt::format("{} invisible characters in a row can carry data", unseen.count);
          finding.scale = unseen.count >= 8 ? 0.8 : 0.5;
          break;
        case UnseenText::Kind::kBidi:
          finding.message = "direction overrides in text that needs none show it in another order than it is read";
          finding.scale = 0.7;
          break;
        case UnseenText::Kind::kInWord:
          // Copied text carries a stray one now and then.
          finding.message = fmt::format("{} words are split by invisible characters", unseen.count);
          finding.scale = unseen.count >= 8 ? 0.6 : unseen.count >= 3 ? 0.35 : 0.1;
          break;
      }
      finding.evidence = fmt::format("{} invisible characters", unseen.count);
      if (rules_.Find(finding.rule) != nullptr) {
        out_.findings.push_back(std::move(finding));
      }
    }
  }

  // A name of Latin letters with one of another script among them.
  void Names() {
    for (std::uint32_t p = 0; p < canvas_.passages.size(); ++p) {
      const TextPassage& passage = canvas_.passages[p];
      if ((passage.kind & kSurfaceToolName) == 0 || (passage.kind & kSurfaceDecoded) != 0 || passage.glossed) continue;
      const std::string_view shown = surfaces_[passage.surface].shown();
      const std::string_view folded = std::string_view(canvas_.text).substr(passage.begin, passage.end - passage.begin);
      const auto wide = [](char c) { return (c & 0x80) != 0; };
      const auto before = std::count_if(shown.begin(), shown.end(), wide);
      const auto after = std::count_if(folded.begin(), folded.end(), wide);
      // Typographic quotes and dashes fold too; a letter that looks alike stands inside a word.
      if (before == 0 || after == before || shown.size() > 80) continue;
      if (!HasLookAlike(shown)) continue;
      RawFinding finding = Make("PI-006", passage, passage.begin, passage.end);
      finding.decoded = std::string(folded);
      Push(std::move(finding), p);
    }
  }

  // "сurl" with another script's first letter: a command that reads as one and is none, or a host that is another's.
  void LookAlikeCommands() {
    for (std::uint32_t p = 0; p < canvas_.passages.size(); ++p) {
      const TextPassage& passage = canvas_.passages[p];
      if ((passage.kind & (kSurfaceToolName | kSurfaceDecoded)) != 0 || passage.glossed || passage.map.empty())
        continue;
      if (!HasLookAlike(surfaces_[passage.surface].shown())) continue;
      for (std::uint32_t s = passage.first; s < passage.last; ++s) {
        const TextSentence& sentence = canvas_.sentences[s];
        for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
          const TextToken& token = canvas_.tokens[t];
          if (!IsProgramName(canvas_.Of(token))) continue;
          // A letter that was folded took more bytes in the file than here.
          const base::ByteSpan bytes = canvas_.Back(passage, token.begin, token.end());
          if (bytes.end - bytes.begin <= token.size) continue;
          if (!HasLookAlike(file_.text().substr(bytes.begin, bytes.end - bytes.begin))) continue;
          RawFinding finding = Make("PI-006", passage, token.begin, token.end());
          finding.decoded = std::string(canvas_.Of(token));
          finding.message = "a word of another script looks like `" + finding.decoded + "`";
          Push(std::move(finding), p);
          break;
        }
      }
    }
  }

  // Cyrillic or Greek bytes next to an ASCII letter.
  static bool HasLookAlike(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (std::size_t i = NextWide(text, 0); i + 1 < text.size(); i = NextWide(text, i + 1)) {
      const auto lead = static_cast<unsigned char>(text[i]);
      if (lead < 0xCD || lead > 0xD4) continue;
      if ((i > 0 && letter(text[i - 1])) || (i + 2 < text.size() && letter(text[i + 2]))) return true;
    }
    return false;
  }

  // An address that only decoding shows, where nothing else is encoded.
  void Addresses() {
    if (IsCode(file_.type) && file_.type != FileType::kShell) return;
    for (std::uint32_t p = 0; p < canvas_.passages.size(); ++p) {
      const TextPassage& passage = canvas_.passages[p];
      if ((passage.kind & kSurfaceDecoded) == 0 || passage.end - passage.begin > 300) continue;
      const std::string_view text = std::string_view(canvas_.text).substr(passage.begin, passage.end - passage.begin);
      if (!text.starts_with("http://") && !text.starts_with("https://")) continue;
      RawFinding finding = Make("OBFUSC-101", passage, passage.begin, passage.end);
      finding.message = "An address is encoded";
      finding.scale = 0.6;
      finding.host = HostOf(text);
      if (!InAddress(finding.bytes.begin)) Push(std::move(finding), p);
    }
  }

  // `https://login.example/start?back=aHR0c...`: addresses hand addresses on in this form, and only who is asked reads
  // it.
  [[nodiscard]] bool InAddress(std::size_t at) const {
    const std::string_view text = file_.text();
    at = std::min(at, text.size());
    const std::size_t far = at > 2000 ? at - 2000 : 0;
    std::size_t begin = at;
    while (begin > far && static_cast<unsigned char>(text[begin - 1]) > ' ' &&
           std::string_view("\"'`<>()").find(text[begin - 1]) == std::string_view::npos)
      --begin;
    const std::string_view before = text.substr(begin, at - begin);
    return before.find("://") != std::string_view::npos && before.find('?') != std::string_view::npos &&
           before.ends_with('=');
  }

  // A program's text that hides what it orders and is after credentials, or waives rules, is meant for whoever reads
  // its output: no message to a programmer says two such things.
  void Spoken() {
    const auto counts = [&](const Mark& mark) {
      if (mark.passage >= canvas_.passages.size()) return false;
      const SurfaceSet kind = canvas_.passages[mark.passage].kind;
      const RawFinding& finding = out_.findings[mark.finding];
      return (kind & kSurfaceString) != 0 && KindWeight(kind) < kSpokenString && finding.rule.starts_with("PI-") &&
             finding.scale * (1.0 - finding.described) >= kSaid;
    };
    std::vector<std::uint32_t> hushed;  // passages
    for (const Mark& mark : marks_) {
      if (out_.findings[mark.finding].rule == "PI-010" && counts(mark)) hushed.push_back(mark.passage);
    }
    std::ranges::sort(hushed);
    for (const Mark& mark : marks_) {
      RawFinding& order = out_.findings[mark.finding];
      if (order.rule == "PI-010" || !std::ranges::binary_search(hushed, mark.passage) || !counts(mark)) continue;
      order.scale = std::max(order.scale, kSpokenString);
    }
  }

  // One order alone may be a slip of the tongue; hidden, or beside another one, it is not.
  void Support() {
    for (const Mark& mark : marks_) {
      if (mark.passage >= canvas_.passages.size()) continue;
      RawFinding& finding = out_.findings[mark.finding];
      const Rule* rule = rules_.Find(finding.rule);
      if (rule == nullptr || rule->nature != core::Nature::kMalicious) continue;
      std::size_t others = 0;
      for (const Mark& other : marks_) {
        if (other.finding == mark.finding || other.passage >= canvas_.passages.size()) continue;
        const RawFinding& beside = out_.findings[other.finding];
        if (beside.rule != finding.rule && other.section == mark.section && beside.scale * (1 - beside.described) > 0.3)
          ++others;
        if (others >= 2) break;
      }
      if (others > 0) finding.scale = std::min(1.4, finding.scale * (1.0 + 0.2 * static_cast<double>(others)));
      if (marks_.size() > 400) break;
    }
    // Text that people do not see and that gives orders.
    for (std::size_t i = 0, n = marks_.size(); i < n; ++i) {
      const Mark mark = marks_[i];
      if (mark.passage >= canvas_.passages.size()) continue;
      const TextPassage& passage = canvas_.passages[mark.passage];
      if ((passage.kind & (kSurfaceHidden | kSurfaceDecoded)) == 0) continue;
      const RawFinding& source = out_.findings[mark.finding];
      const Rule* rule = rules_.Find(source.rule);
      if (rule == nullptr || rule->nature != core::Nature::kMalicious || source.rule == "PI-009" ||
          source.rule == "PI-005")
        continue;
      const bool decoded = (passage.kind & kSurfaceDecoded) != 0 && (passage.kind & kSurfaceHidden) == 0;
      RawFinding hidden = Make(decoded ? "PI-005" : "PI-009", passage, passage.begin, passage.end);
      hidden.scale = std::min(1.0, source.scale * (1.0 - source.described));
      if (hidden.scale >= 0.25) Push(std::move(hidden), mark.passage);
    }
  }

  // Among hundreds of texts that programs keep as data, a few sound like orders.
  void Bulk() {
    if (file_.reach != core::Reach::kRuntime || canvas_.passages.size() < kManyPassages) return;
    constexpr SurfaceSet kGiven = kSurfaceDescription | kSurfaceInstruction | kSurfaceToolName | kSurfaceSchema |
                                  kSurfaceHidden | kSurfaceDecoded;
    for (const Mark& mark : marks_) {
      if (mark.passage >= canvas_.passages.size()) continue;
      if ((canvas_.passages[mark.passage].kind & kGiven) == 0) out_.findings[mark.finding].scale *= kOneOfHundreds;
    }
  }
};

}  // namespace

void AnalyzeText(const FileContext& file, const RuleSet& rules, FileResult& out) {
  if (!IsText(file.type) || file.text().empty()) return;
  Analysis(file, rules, out).Run();
  out.analysed = file.text().size();
}

}  // namespace interlock::scan
