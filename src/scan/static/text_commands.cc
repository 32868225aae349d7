// Commands that a document or a tool's text has somebody run, programs that it shows, and command lines of servers.
#include "static/text_commands.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "code/shell.h"
#include "rules_impl.h"
#include "static/ascii.h"
#include "static/bare_commands.h"
#include "static/classify.h"
#include "static/listed_words.h"
#include "static/shell_judge.h"
#include "static/shown_code.h"
#include "static/shown_files.h"
#include "static/shown_writes.h"
#include "static/text_blocks.h"
#include "static/text_frames.h"
#include "static/text_orders.h"
#include "static/text_snippets.h"

namespace interlock::scan {
namespace {

constexpr double kOfExample = 0.4;                 // what is left of a command that is shown as one of its kind
constexpr double kOfForbidden = 0.3;               // ... or that nobody is to run
constexpr std::size_t kLongestCommandLine = 2000;  // of a server's; longer texts are documents
constexpr std::size_t kMaxPrograms = std::size_t{256} << 10;  // bytes of blocks read as code, of one file
constexpr std::size_t kMaxShellBlock = std::size_t{256} << 10;

// Where words of the canvas stand in what is shown, written as they are there: at the same place, but for disguises
// that were taken off before them. Asked in ascending order.
class Places {
 public:
  explicit Places(std::string_view shown) : shown_(shown) {}
  [[nodiscard]] std::size_t Of(std::string_view word, std::size_t near) {
    const auto same = [](char a, char b) { return (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b) == a; };
    std::size_t at = near + shift_;
    const std::string_view there = at <= shown_.size() ? shown_.substr(at, word.size()) : std::string_view();
    if (word != there) {
      if (std::ranges::equal(word, there, same)) return std::string_view::npos;  // "Node", "Python": no program
      if (misses_ >= kMostMisses) return std::string_view::npos;
      at = shown_.find(word, last_);
      if (at == std::string_view::npos) {
        ++misses_;
        return at;
      }
      shift_ = at > near ? at - near : 0;
    }
    last_ = at + word.size();
    return at;
  }

 private:
  static constexpr int kMostMisses = 64;  // each reads what is left of the text
  std::string_view shown_;
  std::size_t shift_ = 0;
  std::size_t last_ = 0;
  int misses_ = 0;
};

}  // namespace

class TextCommands {
 public:
  explicit TextCommands(TextFindings& text) : text_(text) {}

  // Commands that a document has somebody run, and programs it shows.
  void Blocks() {
    const bool document = text_.file_.type == FileType::kMarkdown || text_.file_.type == FileType::kPlainText ||
                          text_.file_.type == FileType::kUnknownText || text_.file_.type == FileType::kNotebook;
    if (!document) {
      Servers();
      // Run `curl ... | bash` first: what a tool says of itself, an agent follows.
      // An error's text, too: run `npm config set registry https://...`.
      for (const TextPassage& passage : text_.canvas_.passages) {
        if ((passage.kind & kSurfaceDecoded) != 0 || passage.glossed) continue;
        const TextSurface& surface = text_.surfaces_[passage.surface];
        const bool runs =
            (passage.kind & kSurfaceString) != 0 && surface.shown().find("un `") != std::string_view::npos;
        // A default or an example that is a command: what an agent gives the tool that runs it.
        if ((passage.kind & kSurfaceSchema) != 0 && surface.shown().size() <= kLongestCommandLine &&
            LooksLikeShell(surface.shown())) {
          Command(passage, surface, {surface.shown(), 0, passage.begin}, DescribedAt(passage.begin));
        }
        if (!runs && (passage.kind & kSurfaceDescription) == 0) continue;
        Spans(passage, surface, surface.shown());
        if (IsGiven(surface)) BareCommands(passage, surface, surface.shown());
      }
      return;
    }
    for (std::uint32_t p = 0; p < text_.canvas_.passages.size(); ++p) {
      const TextPassage& passage = text_.canvas_.passages[p];
      if ((passage.kind & kSurfaceDecoded) != 0 || passage.glossed) continue;
      const TextSurface& surface = text_.surfaces_[passage.surface];
      const std::string_view shown = surface.shown();
      if (passage.shape == TextShape::kCode) {
        const double described = BlockDescribed(p);
        const std::string_view as = IsProgramLanguage(surface.subject) ? FirstLine(shown) : shown;
        if (IsShellName(surface.subject) || LooksLikeShell(as)) Shell(shown, surface, 0, described);
        Snippet(p, surface, described);
        if (IsStatements(surface.subject)) Statements(shown, surface, 0, described);
        Program(p, surface, shown, described);
        Settings(p, surface, shown, described);
        Written(WriteShown(LeadOf(p), shown, surface.subject), surface, {0, shown.size()}, described);
        if (std::string path = OrdersShown(LeadOf(p), surface.subject); !path.empty())
          File(std::move(path), p, surface, shown, described, true);
        continue;
      }
      Spans(passage, surface, shown);
      BareCommands(passage, surface, shown);
    }
  }

  // Command lines of the servers that a host's configuration starts.
  void Servers() {
    if (text_.file_.type != FileType::kJson && text_.file_.type != FileType::kToml &&
        text_.file_.type != FileType::kYaml)
      return;
    if (text_.file_.text().find("mcpServers") == std::string_view::npos &&
        text_.file_.text().find("mcp_servers") == std::string_view::npos)
      return;
    for (std::uint32_t p = 0; p < text_.canvas_.passages.size(); ++p) {
      const TextPassage& passage = text_.canvas_.passages[p];
      if ((passage.kind & kSurfaceConfig) == 0 || passage.end - passage.begin > kLongestCommandLine) continue;
      const TextSurface& surface = text_.surfaces_[passage.surface];
      if ((passage.kind & kSurfaceDecoded) == 0 && !passage.glossed) Snippet(p, surface, 0.0, "mcp");
    }
  }

  // Code spans and one-line commands in prose.
  void Spans(const TextPassage& passage, const TextSurface& surface, std::string_view shown) {
    std::size_t at = shown.find('`');
    const bool may_start = at != std::string_view::npos && MayNameStarted(shown);
    while (at != std::string_view::npos) {
      std::size_t begin = at;
      while (begin < shown.size() && shown[begin] == '`') ++begin;
      const std::size_t end = shown.find('`', begin);
      if (end == std::string_view::npos) break;
      std::string_view span = shown.substr(begin, end - begin);
      // Where packages are to come from, without the command that it belongs to.
      std::string_view added;
      if (span.starts_with("--registry ") || span.starts_with("--registry=")) added = "npm install ";
      if (span.starts_with("--index-url") || span.starts_with("--extra-index-url")) added = "pip install ";
      const std::string whole = added.empty() ? std::string() : std::string(added).append(span);
      if (!added.empty()) span = whole;
      if (const std::string write =
              !may_start ? std::string() : WriteSaid(LineAround(shown, at, end), shown.substr(begin, end - begin));
          !write.empty()) {
        Written(write, surface, {begin, end},
                DescribedAt(static_cast<std::uint32_t>(std::min<std::size_t>(passage.begin + begin, passage.end))));
      }
      const bool statement = OpensStatement(span);
      if (span.size() >= 8 && span.find(' ') != std::string_view::npos &&
          (statement || LooksLikeShell(span) || span.find("| bash") != std::string_view::npos ||
           span.find("| sh") != std::string_view::npos)) {
        const auto where = static_cast<std::uint32_t>(std::min<std::size_t>(passage.begin + begin, passage.end));
        double described = DescribedAt(where);
        if (Explained(shown, at, end)) described = 1.0 - (1.0 - described) * 0.5;
        if (IsGivenAsExample(shown, at)) described = 1.0 - (1.0 - described) * kOfExample;
        Command(passage, surface, {span, begin - std::min(begin, added.size()), where}, described);
      }
      at = shown.find('`', end + 1);
    }
  }

  // A command in a sentence, `from` which byte of its surface and where on the canvas.
  struct Said {
    std::string_view text;
    std::size_t from = 0;
    std::uint32_t where = 0;
  };

  // How far what stands there is told, forbidden or refused.
  [[nodiscard]] double DescribedAt(std::uint32_t where) const {
    const std::uint32_t sentence = text_.canvas_.SentenceAt(where);
    double described = Described(text_.canvas_, sentence, where, where, false);
    if (Narrated(text_.canvas_, sentence, where)) described = 1.0 - (1.0 - described) * 0.35;
    if (ForbiddenBefore(text_.canvas_, sentence, where) || RefusedBehind(text_.canvas_, sentence, where))
      described = 1.0 - (1.0 - described) * kOfForbidden;
    return described;
  }

  void Command(const TextPassage& passage, const TextSurface& surface, const Said& said, double described) {
    // Around a command backticks are its notation, not a quotation.
    described = std::min(described, 0.93);
    if (OpensStatement(said.text)) {
      Statements(said.text, surface, said.from, described);
    } else {
      Shell(said.text, surface, said.from, described);
    }
    std::vector<SnippetHit> hits;
    JudgeSnippet(LowerCase(said.text), "sh", hits);
    for (SnippetHit& hit : hits) {
      RawFinding finding = text_.Make(hit.rule, passage, said.where, said.where);
      finding.bytes = surface.Back(said.from + hit.bytes.begin, said.from + hit.bytes.end);
      finding.scale = hit.score;
      finding.described = described;
      finding.host = std::move(hit.host);
      text_.Push(std::move(finding), text_.canvas_.PassageAt(passage.begin));
    }
  }

  // Commands that stand in a sentence without marks of code.
  void BareCommands(const TextPassage& passage, const TextSurface& surface, std::string_view shown) {
    if (!passage.programs) return;
    std::size_t from = 0;  // behind the last command
    Places places(shown);
    for (std::uint32_t t = FirstToken(passage); t < LastToken(passage); ++t) {
      const TextToken& token = text_.canvas_.tokens[t];
      if (!ListedWords::Get()[token.listed].program) continue;
      const std::size_t at = places.Of(text_.canvas_.Of(token), token.begin - passage.begin);
      if (at == std::string_view::npos || at < from) continue;
      // A span of code that begins with it was judged as one.
      const std::size_t closed = at > 0 && shown[at - 1] == '`' ? shown.find('`', at) : std::string_view::npos;
      if (closed != std::string_view::npos) {
        from = closed;
        continue;
      }
      const BareCommand command = BareCommandAt(shown, at);
      if (command.text.empty()) continue;
      from = command.begin + command.text.size();
      // Marks around it are its notation, as backticks are.
      const bool quoted = at > 0 && (shown[at - 1] == '"' || shown[at - 1] == '\'') && token.begin > passage.begin;
      const std::uint32_t where = token.begin - (quoted ? 1U : 0U);
      Command(passage, surface, {command.text, command.begin, where}, DescribedAt(where));
    }
  }

  [[nodiscard]] std::uint32_t FirstToken(const TextPassage& passage) const {
    return passage.last > passage.first ? text_.canvas_.sentences[passage.first].first : 0;
  }
  [[nodiscard]] std::uint32_t LastToken(const TextPassage& passage) const {
    return passage.last > passage.first ? text_.canvas_.sentences[passage.last - 1].last : 0;
  }

  static bool IsStatements(std::string_view lang) {
    return lang == "sql" || lang == "psql" || lang == "pgsql" || lang == "postgres" || lang == "postgresql" ||
           lang == "mysql";
  }

  // Whoever may do what, and where rows go: a span that begins so is a statement.
  static bool OpensStatement(std::string_view span) {
    const std::string lower = LowerCase(span.substr(0, 16));
    return lower.starts_with("create role ") || lower.starts_with("create user ") || lower.starts_with("alter role ") ||
           lower.starts_with("alter user ") || lower.starts_with("grant all ") || lower.starts_with("copy ") ||
           lower.starts_with("drop database ");
  }

  // Statements of a data base, as its client is given them.
  void Statements(std::string_view text, const TextSurface& surface, std::size_t from, double described) {
    if (text.size() > kMaxShellBlock) return;
    Written(ScriptOfStatements(text), surface, {from, from + text.size()}, described);
  }

  // "- `command`: what it does": an entry of a list, not a step.
  static bool Explained(std::string_view shown, std::size_t open, std::size_t close) {
    if (shown.substr(0, open).find_first_not_of(" \t*_-0123456789.)|") != std::string_view::npos) return false;
    const std::size_t next = shown.find_first_not_of("`*_ ", close);
    if (next == std::string_view::npos || shown.size() - next < 12) return false;
    return shown[next] == ':' || shown[next] == '|' || shown.substr(next, 2) == "- " ||
           shown.substr(next, 3) == "\xE2\x80\x94" || shown.substr(next, 3) == "\xE2\x80\x93";
  }

  static std::string_view LineAround(std::string_view shown, std::size_t open, std::size_t close) {
    const std::size_t before = open == 0 ? std::string_view::npos : shown.rfind('\n', open - 1);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    return shown.substr(first, std::min(shown.find('\n', close), shown.size()) - first);
  }

  // The text before a block; "" where another block stands there.
  [[nodiscard]] std::string_view LeadOf(std::uint32_t p) const {
    if (p == 0 || text_.canvas_.passages[p - 1].shape == TextShape::kCode) return {};
    return text_.surfaces_[text_.canvas_.passages[p - 1].surface].shown();
  }

  // A command that words stand for; what it is found to do is told of `bytes` of the surface.
  void Written(const std::string& command, const TextSurface& surface, base::ByteSpan bytes, double described) {
    if (command.empty()) return;
    const std::vector<code::ShellUse> acts = code::AnalyzeShellScript(code::ParseShell(command), command);
    if (acts.empty()) return;
    ShellContext context;
    context.file = text_.file_.index;
    context.whole = surface.Back(bytes.begin, bytes.end);
    context.place = ShellPlace::kInstruction;
    context.described = std::min(described, 0.93);
    Judge(acts, context);
  }

  static bool IsGiven(const TextSurface& surface) {
    return (surface.kind & (kSurfaceDescription | kSurfaceSchema)) != 0;
  }

  static bool OnlyNamed(const code::ShellUse& act) {
    using code::ShellAct;
    return act.act != ShellAct::kFetchAndRun && act.act != ShellAct::kDecodeAndRun &&
           act.act != ShellAct::kReverseShell && act.act != ShellAct::kSendSecret && act.act != ShellAct::kSendTaken &&
           act.act != ShellAct::kGrant && act.act != ShellAct::kMine;
  }

  void Shell(std::string_view text, const TextSurface& surface, std::size_t from, double described) {
    if (text.size() > kMaxShellBlock) return;
    // Prompts are no part of a command.
    std::string clean(text);
    for (std::size_t i = 0; i + 1 < clean.size(); ++i) {
      if ((i == 0 || clean[i - 1] == '\n') && clean[i] == '$' && clean[i + 1] == ' ') clean[i] = ' ';
    }
    BlankPlaceholders(&clean);
    // Nor are the fences of a block that is indented: they would read as commands whose output is run.
    for (std::size_t at = clean.find("```"); at != std::string::npos; at = clean.find("```", at)) {
      const std::size_t line = at == 0 ? std::string::npos : clean.rfind('\n', at - 1);
      const std::size_t first = line == std::string::npos ? 0 : line + 1;
      const std::size_t end = std::min(clean.find('\n', at), clean.size());
      if (clean.find_first_not_of(" \t", first) == at) {
        std::fill(clean.begin() + static_cast<std::ptrdiff_t>(at), clean.begin() + static_cast<std::ptrdiff_t>(end),
                  ' ');
      }
      at = end;
    }
    const code::ShellScript script = code::ParseShell(clean);
    std::vector<code::ShellUse> acts = code::AnalyzeShellScript(script, clean);
    // Of a description: what it names to be deleted or opened may as well be what it forbids.
    // Whoever reads an error installs what is missing by himself; other people's hosts for all that is installed, and
    // protections that are taken down, he does not need.
    if (text_.file_.type != FileType::kMarkdown &&
        (surface.kind & (kSurfaceDescription | kSurfaceSchema | kSurfaceString)) != 0) {
      std::erase_if(acts, [&](const code::ShellUse& act) {
        return IsGiven(surface) ? OnlyNamed(act) : act.act != code::ShellAct::kPermission;
      });
    }
    if (acts.empty()) return;
    ShellContext context;
    context.file = text_.file_.index;
    std::vector<std::uint32_t> map;
    if (!surface.map.empty()) {
      map.assign(surface.map.begin() + static_cast<std::ptrdiff_t>(from),
                 surface.map.begin() + static_cast<std::ptrdiff_t>(std::min(from + text.size(), surface.map.size())));
      context.map = &map;
    } else if (surface.owned.empty()) {
      context.offset = static_cast<std::uint32_t>(surface.bytes.begin + from);
    } else {
      context.whole = surface.bytes;
    }
    context.place = ShellPlace::kInstruction;
    context.described = described;
    Judge(acts, context);
  }

  void Judge(const std::vector<code::ShellUse>& acts, const ShellContext& context) {
    const std::size_t before = text_.out_.findings.size();
    JudgeShell(acts, context, text_.out_.findings, nullptr);
    const auto added = text_.out_.findings.begin() + static_cast<std::ptrdiff_t>(before);
    text_.out_.findings.erase(
        std::remove_if(added, text_.out_.findings.end(), [&](const RawFinding& one) { return !text_.Admits(one); }),
        text_.out_.findings.end());
    for (std::size_t i = before; i < text_.out_.findings.size(); ++i) {
      text_.marks_.push_back({i, 0, static_cast<std::uint32_t>(text_.canvas_.passages.size())});
    }
  }

  // "Do not run:", "Never:"; not "if the third does not:".
  [[nodiscard]] bool Forbids(const TextSentence& sentence) const {
    constexpr std::uint32_t kFirst = 3;  // words
    for (std::uint32_t t = sentence.first; t < std::min(sentence.last, sentence.first + kFirst); ++t) {
      if ((text_.canvas_.tokens[t].set & Bit(kWNot)) != 0) return true;
    }
    return false;
  }

  // A code block shows an attack where its section or the words before it speak of attacks.
  [[nodiscard]] double BlockDescribed(std::uint32_t p) const {
    double out = 0.0;
    const auto add = [&](double part) { out = 1.0 - (1.0 - out) * (1.0 - part); };
    const TextPassage& passage = text_.canvas_.passages[p];
    const WordSet title = text_.canvas_.sections[passage.section].title;
    if ((title & Bit(kWDescribe)) != 0) add(0.5);
    if ((title & Bit(kWNot)) != 0) add(0.3);
    for (std::uint32_t back = p; back > 0 && p - back < 2;) {
      --back;
      const TextPassage& lead = text_.canvas_.passages[back];
      if (lead.section != passage.section || lead.shape == TextShape::kCode) break;
      for (std::uint32_t s = lead.first; s < lead.last; ++s) {
        const WordSet said = text_.canvas_.sentences[s].all;
        if ((said & Bit(kWDescribe)) != 0) {
          add(0.35);
          break;
        }
        if (s + 1 == lead.last && (said & Bit(kWNot)) != 0 && Forbids(text_.canvas_.sentences[s])) add(0.25);
      }
      if (back + 1 == p && lead.last > lead.first && Narrated(text_.canvas_, lead.last - 1, lead.end)) add(0.65);
    }
    for (std::uint32_t s = passage.first; s < passage.last; ++s) {
      if ((text_.canvas_.sentences[s].all & Bit(kWDescribe)) != 0) {
        add(0.25);
        break;
      }
    }
    const double about = text_.canvas_.SecurityAt(p);
    if (about > 0.08) add(0.35);
    if (about > 0.16) add(0.4);
    return std::min(out, 0.95);
  }

  void Snippet(std::uint32_t p, const TextSurface& surface, double described, std::string_view lang = {}) {
    const TextPassage& passage = text_.canvas_.passages[p];
    std::vector<SnippetHit> hits;
    JudgeSnippet(std::string_view(text_.canvas_.text).substr(passage.begin, passage.end - passage.begin),
                 lang.empty() ? std::string_view(surface.subject) : lang, hits);
    for (SnippetHit& hit : hits) {
      RawFinding finding = text_.Make(hit.rule, passage, passage.begin + static_cast<std::uint32_t>(hit.bytes.begin),
                                      passage.begin + static_cast<std::uint32_t>(hit.bytes.end));
      finding.scale = hit.score;
      finding.described = described;
      finding.host = std::move(hit.host);
      text_.Push(std::move(finding), p);
    }
  }

  // A block read as a program. Of what it is found to do there and what its words let suppose the surer one is told.
  void Program(std::uint32_t p, const TextSurface& surface, std::string_view shown, double described) {
    if (programs_ + shown.size() > kMaxPrograms || !MayHarm(shown, surface.subject)) return;
    programs_ += shown.size();
    std::vector<RawFinding> found;
    JudgeShownCode(shown, surface.subject, text_.file_.index, text_.rules_, found);
    if (found.empty()) return;
    const auto sureness = [&](const RawFinding& finding) {
      const Rule* rule = text_.rules_.Find(finding.rule);
      return rule == nullptr ? 0.0 : rule->confidence * finding.scale * (1.0 - finding.described);
    };
    double proven = 0.0;
    for (RawFinding& finding : found) {
      finding.bytes = surface.Back(finding.bytes.begin, finding.bytes.end);
      for (RawFlowStep& step : finding.flow)
        step.offset = static_cast<std::uint32_t>(surface.Back(step.offset, step.offset + 1).begin);
      finding.described = std::max(finding.described, described);
      proven = std::max(proven, sureness(finding));
    }
    std::vector<std::size_t> words;  // findings by the words of this block
    for (const TextFindings::Mark& mark : text_.marks_) {
      const std::string_view rule = text_.out_.findings[mark.finding].rule;
      if (mark.passage == p && (rule == "EX-101" || rule == "OBFUSC-101")) words.push_back(mark.finding);
    }
    if (std::ranges::any_of(words, [&](std::size_t i) { return sureness(text_.out_.findings[i]) > proven; })) return;
    for (const std::size_t i : words) text_.out_.findings[i].scale = 0.0;
    for (RawFinding& finding : found) text_.Push(std::move(finding), p);
  }

  // A block read as the file of settings that it becomes, in what an agent is given to follow.
  void Settings(std::uint32_t p, const TextSurface& surface, std::string_view shown, double described) {
    // What a read-me shows, people set up, for themselves: a client's servers with their folders of keys.
    const bool given =
        text_.file_.reach <= core::Reach::kAgent && !LowerCase(BaseName(text_.file_.file->path)).starts_with("readme");
    if (!given) return;
    std::string path = PathOfShown(surface.subject, shown, LeadOf(p));
    if (!path.empty()) File(std::move(path), p, surface, shown, described, false);
  }

  void File(std::string path, std::uint32_t p, const TextSurface& surface, std::string_view shown, double described,
            bool orders) {
    constexpr std::size_t kMostBlocks = 32;  // of one document
    if (settings_ >= kMostBlocks) return;
    ++settings_;
    std::vector<RawFinding> found;
    JudgeShownFile(std::move(path), shown, text_.file_.index, text_.rules_, found, orders);
    for (RawFinding& finding : found) {
      finding.bytes = surface.Back(finding.bytes.begin, finding.bytes.end);
      finding.described = std::max(finding.described, described);
      text_.Push(std::move(finding), p);
    }
  }

  // An order to run what a command fetches is as good as the host that the command names.
  void Hosts() {
    for (RawFinding& order : text_.out_.findings) {
      if (order.rule != "PI-031" || !order.host.empty()) continue;
      const auto command = std::ranges::find_if(text_.out_.findings, [&](const RawFinding& one) {
        return one.rule == "SH-001" && one.bytes.begin >= order.bytes.begin && one.bytes.end <= order.bytes.end;
      });
      if (command == text_.out_.findings.end()) continue;
      order.host = command->host;
      order.told = command->told;
    }
  }

 private:
  TextFindings& text_;
  std::size_t programs_ = 0;  // bytes of blocks read as code
  std::size_t settings_ = 0;  // blocks read as files of settings
};

void JudgeCommandsIn(TextFindings& text) {
  TextCommands commands(text);
  commands.Blocks();
  commands.Hosts();
}

}  // namespace interlock::scan
