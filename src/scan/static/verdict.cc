// Weights and thresholds. Chosen on the tuning half of the development corpus and on registry packages
// (docs/scanner-evaluation.md); every number that decides a verdict is in this file.
#include "static/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "fmt/format.h"
#include "interlock/base/digest.h"
#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Finding;
using core::Nature;
using core::Reach;
using core::Severity;

constexpr std::array<double, 5> kSeverityWeight = {0.0, 0.1, 0.3, 0.6, 1.0};

// How much a hit counts by where it stands. Malice in a document or a test is reported and hardly counts: documents are
// read by people, tests do not run in the agent.
constexpr std::array<double, 9> kReachMalicious = {1.0, 1.0, 1.0, 0.9, 0.35, 0.25, 0.05, 0.1, 0.15};
constexpr std::array<double, 9> kReachVulnerable = {1.0, 0.8, 0.6, 0.5, 0.0, 0.0, 0.0, 0.0, 0.1};

constexpr double kSlope = 1.6;        // score = 1 - exp(-slope x evidence)
constexpr double kRepeatShare = 0.3;  // of a second hit of the same rule; none for further ones
// Incubating rules block among themselves only where two of them are strong: theft that is kept from the user, say.
constexpr double kStrong = 0.35;
// A BLOCK needs a ground that is strong by itself, or two of different kinds that nearly are; any number of weak ones
// has a person look.
constexpr double kGround = 0.45;
// Of what the classifier of orders says, .95 of a confidence; below .9 it would not reach a BLOCK alone. Of 2,816
// packages of the registries and 394 real skills and servers none is blocked by it at .9 either.
constexpr double kPlain = 0.57;
constexpr double kMostWithoutGround = 0.52;
constexpr double kMostOfIncubating = 0.5;
// Of each rule's evidence the first part is a hint, and all hints together have a bound: what every large package has a
// little of adds up to no verdict, two real findings still do.
constexpr double kHint = 0.15;
constexpr double kMostOfHints = 0.36;
// A WARN needs one finding that is worth a look by itself: any number of smaller ones is what large packages are made
// of. Words have to be plainer than deeds.
constexpr double kLook = 0.2;
constexpr double kLookOfWords = 0.3;
constexpr double kMostWithoutLook = 0.2;
// The more there is to look at, the likelier something looks like an attack by chance: with each doubling of what runs
// or is given to the agent, a look asks for more, and so does the ground of a BLOCK. A look never asks for more than a
// ground is in a small package: padding turns a BLOCK into a WARN at most, and hides nothing.
// A ground asks for much more: at the first sight of 1,400 packages that were drawn by hash, 10 of the 25 that were
// blocked, all of them honest, had over a megabyte of it, and 13 % of all have. From some 4 MB on nothing is a ground
// by itself, and two are still. (What installing runs is short, and is judged as it is.)
constexpr double kUsualVolume = 256 << 10;  // bytes
// The classifier of orders reads every paragraph and is wrong about a few in a hundred documents: what one skill holds
// is its usual volume. (2 fewer of 280 registry packages for agents' tools have a person look, and 3 fewer honest
// skills of the development corpus; no malicious item of either half.)
constexpr double kUsualOfClassifier = 32 << 10;
constexpr double kLookADoubling = 0.05;
constexpr double kGroundADoubling = 0.15;
constexpr double kTwoGroundsADoubling = 0.1;
// Of words among the code and data of a package that offers an agent nothing: programmers read them.
constexpr double kWordsOfLibrary = 0.3;
// ... and of words among data by the megabyte (transcripts, tables, catalogues): some of any such heap sound like
// orders.
constexpr std::size_t kHeap = std::size_t{512} << 10;
constexpr std::size_t kLargeHeap = std::size_t{2} << 20;
constexpr std::size_t kFilesOfHeap = 4;  // a listing alone is no heap
constexpr double kWordsOfHeap = 0.6;
constexpr double kWordsOfLargeHeap = 0.3;
constexpr double kWarnScore = 0.28;
constexpr double kBlockScore = 0.57;
constexpr double kVulnerableWarn = 0.24;  // evidence of weaknesses from which a person should look
// What neither runs in the agent nor is given to it does not condemn, however much of it there is. A person looks at a
// deed there that would be a ground by itself anywhere else: whoever builds or opens the package runs it. (Not in
// documents and tests; and words there are what guards are tested by.)
constexpr double kMostAside = 0.18;
constexpr double kGrave = 0.4;
constexpr double kDecisiveConfidence = 0.8;

double At(const std::array<double, 9>& table, Reach reach) { return table[static_cast<std::size_t>(reach)]; }

std::string Shown(std::string_view text) { return base::Printable(text, 300); }

std::string NormalisedEvidence(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 400)) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return out;
}

struct Evidence {
  double best = 0.0;
  double second = 0.0;
  void Add(double weight) {
    if (weight > best) {
      second = best;
      best = weight;
    } else {
      second = std::max(second, weight);
    }
  }
  [[nodiscard]] double total() const { return best + kRepeatShare * second; }
};

constexpr std::string_view kClassifierRule = "PI-031";

// The classifier of orders names the kind of harm in its rule; its evidence is one.
std::string_view EvidenceOf(std::string_view rule) {
  constexpr std::string_view kClassifier = "PI-03";
  return rule.starts_with(kClassifier) && rule.size() == kClassifierRule.size() ? kClassifierRule : rule;
}

// Settings and commands of a host of agents: whoever opens the folder with one is given them.
bool IsOfAgentHost(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name == "opencode.json" || name == "opencode.jsonc") return true;
  for (const std::string_view folder : {".gemini/", ".opencode/", ".codex/", ".claude/", ".cursor/", ".windsurf/"}) {
    const std::size_t at = path.find(folder);
    if (at != std::string_view::npos && (at == 0 || path[at - 1] == '/')) return true;
  }
  return false;
}

// What a text says, other than how it is kept from being seen.
bool IsWords(std::string_view rule) {
  return rule.starts_with("PI-") && rule != "PI-003" && rule != "PI-005" && rule != "PI-006" && rule != "PI-009";
}

// A package that is named for injections into prompts is full of samples of them, some encoded, some hidden: a
// person looks at what its texts say, and they alone are no ground to BLOCK it.
constexpr double kMostOfSamples = kGround - 0.01;
bool IsAboutInjections(const Identity& identity) {
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return std::ranges::find(identity.words, word) != identity.words.end(); });
  };
  return has({"jailbreak", "jailbreaks", "jailbreaking", "redteam", "redteaming", "injection", "injections"});
}

// What a program or a command does, other than what is said.
bool IsDeed(const Rule& rule) { return rule.engine == Engine::kCode || rule.engine == Engine::kFlow; }

// Text that programs keep as data.
bool IsData(const FileContext& file) {
  switch (file.type) {
    case FileType::kJson:
    case FileType::kYaml:
    case FileType::kXml:
    case FileType::kHtml:
    case FileType::kMarkdown:
    case FileType::kPlainText:
    case FileType::kUnknownText:
      return file.reach == Reach::kRuntime;
    default:
      return false;
  }
}

double WordsOfData(const std::vector<FileContext>& files) {
  std::size_t bytes = 0;
  for (const FileContext& file : files) {
    if (IsData(file)) bytes += file.text().size();
  }
  if (files.size() < kFilesOfHeap || bytes < kHeap) return 1.0;
  return bytes < kLargeHeap ? kWordsOfHeap : kWordsOfLargeHeap;
}

// How often what is usual has to be doubled for this volume; no deed is found in data.
enum class Volume : std::uint8_t { kAll, kWithoutData };
double Doublings(const std::vector<FileContext>& files, double usual, Volume volume) {
  double bytes = 0.0;
  for (const FileContext& file : files) {
    if (volume == Volume::kWithoutData && IsData(file)) continue;
    if (file.reach <= Reach::kRuntime && IsText(file.type)) bytes += static_cast<double>(file.text().size());
  }
  return bytes <= usual ? 0.0 : std::log2(bytes / usual);
}

std::string SummaryOf(const ScanReport& report) {
  const auto first = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const Finding& finding) { return finding.suppressed.empty(); });
  const bool any = first != report.findings.end();
  switch (report.reason) {
    case core::ScanReason::kMalicious:
    case core::ScanReason::kVulnerable:
      if (any) return first->message;
      break;
    case core::ScanReason::kUnanalysed:
      return "parts that run or that the agent reads could not be analysed";
    case core::ScanReason::kPowerful: {
      std::string list;
      for (std::size_t i = 0; i < core::kPermissionCount; ++i) {
        if ((report.exercised & core::BitOf(static_cast<core::Permission>(i))) == 0) continue;
        if (!list.empty()) list += ", ";
        list += core::NameOf(static_cast<core::Permission>(i));
      }
      return "uses " + list;
    }
    case core::ScanReason::kNone:
      break;
  }
  return "nothing found";
}

// A part that could not be read counts where it would run or be read by the agent.
bool Counts(const core::SkippedPart& part, const std::vector<FileContext>& files) {
  if (part.detail == core::kConstantsLeftOut) return false;
  // A sample of what breaks a parser, among the tests of it.
  const bool sample =
      part.reason == core::SkipReason::kUnsupported && std::ranges::any_of(files, [&](const FileContext& file) {
        return file.file->path == part.path && file.reach == Reach::kTest;
      });
  if (sample) return false;
  switch (part.reason) {
    case core::SkipReason::kUnsupported: {
      if (part.bytes == 0) return false;  // all of it was read, if only as text
      // A picture is a picture; something that is called a script and is none was not read.
      const FileType named = TypeOfName(part.path);
      // Its text was read, its commands and addresses too.
      if (named == FileType::kOtherSource) return false;
      // A file of settings that is no text (an encrypted `.env`) is nothing that runs or that an agent reads.
      if (named != FileType::kUnknownText) return IsText(named) && named != FileType::kXml && named != FileType::kIni;
      // No name says what it is. A compiled program is listed as one (SC-022); where the agent is told to run it, or
      // installing does, nobody knows what runs.
      return std::ranges::any_of(files, [&](const FileContext& file) {
        return file.file->path == part.path && file.reach <= Reach::kInstall;
      });
    }
    case core::SkipReason::kIgnored:
    case core::SkipReason::kLink:
    case core::SkipReason::kSpecial:
      return false;
    default:
      break;
  }
  // A smaller one would be listed among the programs that came compiled, and no more, unless the agent is told to run
  // it or installing does.
  if (part.reason == core::SkipReason::kTooLarge && part.detail == core::kCompiledProgram) {
    const FileType named = TypeOfName(part.path);
    const std::string_view name = std::string_view(part.path).substr(part.path.rfind('/') + 1);
    return (named != FileType::kUnknownText && IsText(named)) ||
           std::ranges::any_of(files, [&](const FileContext& file) {
             return (file.reach == Reach::kAgent || file.reach == Reach::kInstall) &&
                    file.text().find(name) != std::string_view::npos;
           });
  }
  // A folder, or something of a kind that an analyser would have read. Data bases and models are nobody's orders.
  if (part.path.empty() || part.path.ends_with('/')) return true;
  const FileType type = TypeOfName(part.path);
  // No name says what it is: where other people's programs lie, it is one of them.
  if (type == FileType::kUnknownText) {
    return ReachOfPath(part.path, FileType::kBinary, PackageKind::kUnknown) <= Reach::kRuntime;
  }
  return IsText(type) || type == FileType::kArchive;
}

// An archive that nothing here can open, where the agent or the package may open it.
bool IsPackedAway(const core::SkippedPart& part, const std::vector<FileContext>& files) {
  if (part.reason != core::SkipReason::kUnsupported || part.detail != NameOf(FileType::kArchive)) return false;
  return std::any_of(files.begin(), files.end(), [&](const FileContext& file) {
    return file.file->path == part.path && file.reach <= Reach::kRuntime;
  });
}

}  // namespace

namespace {

// "acme", "getacme", "acme-cdn", "acmehq"; not "termcomfort" for the word "comfort": whoever chooses a name of everyday
// words finds a host that holds one of them.
bool IsNamedFor(std::string_view part, std::string_view word) {
  static constexpr auto kAround = std::to_array<std::string_view>(
      {"",        "get",      "try",      "use",      "go",         "join", "my",     "the",   "with",   "hq",
       "app",     "apps",     "io",       "ai",       "dev",        "labs", "lab",    "cdn",   "api",    "docs",
       "inc",     "team",     "hub",      "cloud",    "mcp",        "cli",  "js",     "py",    "web",    "org",
       "corp",    "tools",    "data",     "build",    "code",       "tech", "static", "vpn",   "pay",    "bank",
       "db",      "sql",      "bot",      "chat",     "mail",       "crm",  "ml",     "llm",   "agent",  "agents",
       "group",   "co",       "net",      "studio",   "works",      "shop", "store",  "games", "health", "online",
       "systems", "platform", "security", "software", "usercontent"});
  if (part.size() < word.size()) return false;
  std::string_view rest;
  if (part.starts_with(word)) {
    rest = part.substr(word.size());
  } else if (part.ends_with(word)) {
    rest = part.substr(0, part.size() - word.size());
  } else {
    return false;
  }
  return std::ranges::find(kAround, rest) != kAround.end();
}

bool HasPartNamedFor(std::string_view place, std::string_view word) {
  while (!place.empty()) {
    const std::size_t end = std::min(place.find_first_of("./-_:"), place.size());
    if (IsNamedFor(place.substr(0, end), word)) return true;
    place.remove_prefix(std::min(end + 1, place.size()));
  }
  return false;
}

}  // namespace

bool IsOwnHost(std::string_view url, const Identity& identity) {
  // Anybody may put any word into a path: what counts there is whose account at a forge it is, and which repository.
  std::string place = HostOf(url);
  if (place.find('\\') != std::string::npos) return false;
  if (KindOfHost(url) == HostKind::kForge) {
    const std::string lower = LowerCase(url);
    if (const std::size_t at = lower.find(place); at != std::string::npos) {
      const std::string path = lower.substr(at + place.size());
      const std::size_t end = std::min(path.find_first_of("?#"), path.size());
      const std::size_t owner = std::min(path.find('/', 1), end);
      place += path.substr(0, std::min(path.find('/', std::min(owner + 1, end)), end));
    }
  }
  return std::any_of(identity.words.begin(), identity.words.end(),
                     [&](const std::string& word) { return HasPartNamedFor(place, word); });
}

double ContextConfidence(const Rule& rule, const RawFinding& raw, Reach reach, const Identity& identity, bool strict) {
  double confidence = rule.confidence * raw.scale * (1.0 - std::clamp(raw.described, 0.0, 1.0));
  if (!raw.host.empty() && rule.nature == Nature::kMalicious) {
    const HostKind kind = KindOfHost(raw.host);
    switch (kind) {
      case HostKind::kRawAddress:
      case HostKind::kPaste:
      case HostKind::kTunnel:
      case HostKind::kShortener:
        // A package that is named for the chat to which it writes, with the user's own bot.
        confidence *= rule.id == "SH-009" && IsOwnHost(raw.host, identity) ? 0.25 : 1.25;
        break;
      case HostKind::kInstaller:
      case HostKind::kRegistry:
        // A widely known installer or a registry is how software comes; it is listed among the permissions. That a
        // package installs more software while it is installed, nobody has asked for.
        confidence *=
            rule.threat == core::ThreatClass::kT6 || (rule.id == "SH-001" && reach == Reach::kInstall) ? 0.6 : 0.0;
        break;
      case HostKind::kLocal:
        confidence *= 0.3;
        break;
      case HostKind::kForge:
      case HostKind::kOrdinary:
        // Code from its own maker is what a package is; the user's secrets are not its maker's.
        // A document that says how to install is read by somebody; what a script of an agent does is not.
        if (IsOwnHost(raw.host, identity)) {
          const bool unseen = !raw.told && reach <= Reach::kRuntime;
          // Of SH-009 the ground is that nobody answers for the host: its maker does.
          const bool secrets = rule.threat == core::ThreatClass::kT6 && rule.id != "SH-009";
          confidence *= secrets ? 0.9 : unseen && rule.id != "SH-009" ? 0.6 : 0.25;
        }
        break;
    }
  }
  if (!strict) {
    if (rule.nature == Nature::kMalicious) confidence *= At(kReachMalicious, reach);
    if (rule.nature == Nature::kVulnerable) confidence *= At(kReachVulnerable, reach);
  }
  return std::clamp(confidence, 0.0, 1.0);
}

namespace {

// What only the weighing asks of a finding.
struct Marks {
  bool listed_only = false;
  bool concrete = false;   // RawFinding::concrete: says which file, or where to
  double set_aside = 0.0;  // confidence of the same hit where it stands aside
  double aside = 0.0;      // weight of a deed aside, wherever it stood: nothing for what is not to be looked at
};

// Raw findings become findings: their confidence where they stand, their place in the file, one for what is the same.
class Placing {
 public:
  // Findings are added to `findings`, which is empty.
  Placing(const VerdictInput& input, PackageKind kind, std::vector<Finding>& findings)
      : files_(*input.files),
        input_(input),
        kind_(kind),
        words_of_data_(WordsOfData(files_)),
        about_injections_(IsAboutInjections(input.identity)),
        findings_(findings) {}

  void Add(RawFinding& hit) {
    const Rule* rule = input_.rules->Find(hit.rule);
    if (rule == nullptr || hit.file >= files_.size()) return;
    const FileContext& file = files_[hit.file];
    const Reach reach = hit.has_reach ? hit.reach : file.reach;
    // Where it stands makes it count less; only what says nothing anywhere is dropped.
    const double anywhere = ContextConfidence(*rule, hit, reach, input_.identity, true);
    if (anywhere < 0.02) return;
    double confidence =
        ContextConfidence(*rule, hit, reach, input_.identity, input_.options->strict) * ShareOfWords(hit, file, reach);
    if (about_injections_ && rule->id.starts_with("PI-")) confidence = std::min(confidence, kMostOfSamples);
    const std::string_view text = file.text();
    const std::size_t begin = std::min(hit.bytes.begin, text.size());
    const std::size_t end = std::clamp(hit.bytes.end, begin, text.size());
    std::string evidence = Shown(hit.evidence.empty() ? text.substr(begin, std::min<std::size_t>(end - begin, 400))
                                                      : std::string_view(hit.evidence));
    auto key = std::make_tuple(rule->id, file.file->path, NormalisedEvidence(evidence) + "\n" + hit.subject);
    if (const auto it = seen_.find(key); it != seen_.end()) {
      Repeat(it->second, hit, *rule, reach, confidence);
      marks_[it->second].aside = std::max(marks_[it->second].aside, GravityAside(*rule, hit, reach, anywhere));
      return;
    }
    seen_.emplace(std::move(key), findings_.size());
    marks_.push_back({hit.listed_only, hit.concrete, reach > Reach::kRuntime ? confidence : 0.0,
                      GravityAside(*rule, hit, reach, anywhere)});
    Finding& finding = findings_.emplace_back();
    finding.rule = rule->id;
    finding.threat = rule->threat;
    finding.severity = hit.severity.value_or(rule->severity);
    finding.confidence = confidence;
    finding.nature = rule->nature;
    finding.reach = reach;
    finding.file = file.file->path;
    finding.begin = begin;
    finding.end = end;
    if (end > begin) PutPlace(hit.file, finding);
    finding.message = hit.message.empty() ? rule->title : std::move(hit.message);
    finding.evidence = std::move(evidence);
    finding.decoded = Shown(hit.decoded);
    finding.subject = std::move(hit.subject);
    for (RawFlowStep& step : hit.flow) {
      if (step.file >= files_.size()) continue;
      const LineIndex::Place at =
          LinesOf(step.file).At(std::min<std::size_t>(step.offset, files_[step.file].text().size()));
      finding.flow.push_back({files_[step.file].file->path, at.line, at.utf16_column, Shown(step.text)});
    }
  }

  // Beside the findings.
  [[nodiscard]] const std::vector<Marks>& marks() const { return marks_; }

  // Once all are there. Fingerprints tell what is the same in two places apart by their order.
  void PutFingerprints() {
    std::map<std::pair<std::string, std::string>, std::uint32_t> ordinals;
    for (Finding& finding : findings_) {
      const std::string basis = finding.rule + "\n" + finding.file + "\n" + NormalisedEvidence(finding.evidence);
      const std::uint32_t ordinal = ordinals[{basis, finding.subject}]++;
      finding.fingerprint =
          base::Sha256(fmt::format("{}\n{}\n{}", basis, finding.subject, ordinal)).ToHex().substr(0, 32);
    }
  }

 private:
  [[nodiscard]] double ShareOfWords(const RawFinding& hit, const FileContext& file, Reach reach) const {
    if (input_.options->strict || !IsWords(hit.rule)) return 1.0;
    if (kind_ == PackageKind::kCode && reach == Reach::kRuntime && !IsOfAgentHost(file.file->path))
      return kWordsOfLibrary;
    return !hit.has_reach && IsData(file) ? words_of_data_ : 1.0;
  }

  // What of a deed that stands aside is worth a look: where to is known, or nobody else is asked.
  [[nodiscard]] double GravityAside(const Rule& rule, const RawFinding& hit, Reach reach, double anywhere) const {
    if (!IsDeed(rule) || reach <= Reach::kDocument) return 0.0;
    const bool named = hit.host.find('.') != std::string::npos && !IsPlaceholderHost(hit.host);
    if (!named && (reach != Reach::kBuild || !hit.host.empty())) return 0.0;
    // examples/malicious-skill: what a course or a scanner shows.
    if (reach == Reach::kExample && ShowsAttacks(LowerCase(files_[hit.file].file->path))) return 0.0;
    // Tests play attacks; what every run of the tests begins with plays none.
    if (reach == Reach::kTest && BaseName(files_[hit.file].file->path) != "conftest.py") return 0.0;
    return kSeverityWeight[static_cast<std::size_t>(hit.severity.value_or(rule.severity))] * anywhere;
  }

  void Repeat(std::size_t at, const RawFinding& hit, const Rule& rule, Reach reach, double confidence) {
    Finding& finding = findings_[at];
    Marks& earlier = marks_[at];
    ++finding.repeats;
    finding.confidence = std::max(finding.confidence, confidence);
    finding.severity = std::max(finding.severity, hit.severity.value_or(rule.severity));
    finding.reach = std::min(finding.reach, reach);
    // What stands aside goes on counting there when the same is found where it runs.
    if (reach > Reach::kRuntime) earlier.set_aside = std::max(earlier.set_aside, confidence);
    earlier.listed_only = earlier.listed_only && hit.listed_only;
    earlier.concrete = earlier.concrete || hit.concrete;
  }

  const LineIndex& LinesOf(std::uint32_t file) {
    auto it = lines_.find(file);
    if (it == lines_.end()) it = lines_.emplace(file, LineIndex(files_[file].text())).first;
    return it->second;
  }

  void PutPlace(std::uint32_t file, Finding& finding) {
    const LineIndex& index = LinesOf(file);
    const LineIndex::Place from = index.At(finding.begin);
    const LineIndex::Place to = index.At(finding.end);
    finding.line = from.line;
    finding.column = from.column;
    finding.end_line = to.line;
    finding.end_column = to.column;
    finding.utf16_column = from.utf16_column;
    finding.utf16_end_column = to.utf16_column;
  }

  const std::vector<FileContext>& files_;
  const VerdictInput& input_;
  const PackageKind kind_;
  const double words_of_data_;
  const bool about_injections_;
  std::vector<Finding>& findings_;
  std::vector<Marks> marks_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> seen_;  // rule, file, evidence -> finding
  std::unordered_map<std::uint32_t, LineIndex> lines_;
};

// The evidence of a package by rules, and what it comes to.
class Scale {
 public:
  explicit Scale(const VerdictInput& input)
      : rules_(*input.rules),
        strict_(input.options->strict),
        doublings_(strict_ ? 0.0 : Doublings(*input.files, kUsualVolume, Volume::kAll)),
        doublings_of_code_(strict_ ? 0.0 : Doublings(*input.files, kUsualVolume, Volume::kWithoutData)),
        more_(kLookADoubling * doublings_),
        more_classified_(strict_ ? 0.0 : kLookADoubling * Doublings(*input.files, kUsualOfClassifier, Volume::kAll)) {}

  // The finding stays where it is until the verdict is read.
  void Put(const Finding& finding, const Marks& marks) {
    if (!finding.suppressed.empty() || (marks.listed_only && !strict_)) return;
    const double severity = kSeverityWeight[static_cast<std::size_t>(finding.severity)];
    if (finding.nature == Nature::kVulnerable) vulnerable_[finding.rule].Add(severity * finding.confidence);
    if (finding.nature == Nature::kMalicious) PutMalicious(finding, marks, severity);
  }

  // Once all is on the scale: score, verdict and reason, as far as evidence tells them.
  void Read(ScanReport& report) {
    for (const auto& [key, weight] : told_)
      (std::get<0>(key) ? malicious_ : aside_)[EvidenceOf(std::get<1>(key))].Add(weight);
    told_.clear();
    // Two of different kinds that together are a ground are worth a look at any size.
    look_ =
        look_ || std::ranges::count_if(malicious_, [](const auto& entry) { return entry.second.best >= kStrong; }) > 1;
    // What the classifier of orders says has a person look; unless it is as plain as can be, it neither blocks by
    // itself nor tips the scale to it.
    double evidence = Corroborated()
                          ? Weigh(Orders::kCorroborated)
                          : std::max(Weigh(Orders::kLeftOut), std::min(Weigh(Orders::kAlone), kMostOfIncubating));
    if (!look_) evidence = std::min(evidence, kMostWithoutLook);
    double weakness = 0.0;
    for (const auto& [rule, sum] : vulnerable_) weakness += sum.total();
    report.score = 1.0 - std::exp(-kSlope * evidence);
    if (decisive_) report.score = std::max(report.score, 0.9);
    if (grave_) report.score = std::max(report.score, kWarnScore);
    if (report.score >= kBlockScore) {
      report.verdict = core::ScanVerdict::kBlock;
      report.reason = core::ScanReason::kMalicious;
    } else if (report.score >= kWarnScore) {
      report.verdict = core::ScanVerdict::kWarn;
      report.reason = core::ScanReason::kMalicious;
    } else if (weakness >= std::min(kVulnerableWarn + more_, kGround)) {
      report.verdict = core::ScanVerdict::kWarn;
      report.reason = core::ScanReason::kVulnerable;
    }
  }

 private:
  using ByRule = std::map<std::string_view, Evidence>;
  // The weight of a rule's heaviest finding, less what this volume asks for.
  struct Ground {
    double alone = 0.0;
    double beside = 0.0;
  };

  void PutMalicious(const Finding& finding, const Marks& marks, double severity) {
    const double weight = severity * finding.confidence;
    const bool counts = strict_ || finding.reach <= Reach::kRuntime;
    if (finding.evidence.empty()) {
      (counts ? malicious_ : aside_)[EvidenceOf(finding.rule)].Add(weight);
    } else {
      double& heaviest = told_[{counts, finding.rule, NormalisedEvidence(finding.evidence)}];
      heaviest = std::max(heaviest, weight);
    }
    const Rule* rule = rules_.Find(finding.rule);
    // Also where the same was found in the open since, said so that it hardly counts there.
    grave_ = grave_ || (!strict_ && marks.aside >= kGrave + more_);
    if (finding.reach <= Reach::kRuntime && marks.set_aside > 0.0 && !strict_)
      aside_[EvidenceOf(finding.rule)].Add(severity * marks.set_aside);
    const bool classified = EvidenceOf(rule->id) == kClassifierRule;
    const double least =
        (rule->engine == Engine::kText && !strict_ ? kLookOfWords : kLook) + (classified ? more_classified_ : more_);
    look_ = look_ || (counts && weight >= std::min(least, kGround));
    if (counts) PutGround(*rule, finding.reach, weight);
    const bool grave = weight >= kGround && finding.severity == Severity::kCritical;
    if (counts && grave && marks.concrete) concrete_.insert(rule->id);
    if (rule->decisive && finding.confidence >= kDecisiveConfidence && finding.reach <= Reach::kRuntime) {
      const double asked = finding.reach == Reach::kInstall ? 0.0 : kLookADoubling * DoublingsFor(*rule);
      (finding.confidence >= kDecisiveConfidence + asked ? decisive_ : grave_) = true;
    }
  }

  // Data hides no deed.
  [[nodiscard]] double DoublingsFor(const Rule& rule) const { return IsDeed(rule) ? doublings_of_code_ : doublings_; }

  void PutGround(const Rule& rule, Reach reach, double weight) {
    const bool installs = reach == Reach::kInstall;
    const double doublings = DoublingsFor(rule);
    Ground& ground = grounds_[EvidenceOf(rule.id)];
    ground.alone = std::max(ground.alone, weight - doublings * (installs ? kLookADoubling : kGroundADoubling));
    ground.beside = std::max(ground.beside, weight - doublings * (installs ? kLookADoubling : kTwoGroundsADoubling));
  }

  // One that is strong by itself, or two of different kinds that nearly are.
  [[nodiscard]] bool HasGround(bool without_classifier) const {
    std::size_t beside = 0;
    for (const auto& [rule, ground] : grounds_) {
      if (without_classifier && rule == kClassifierRule) continue;
      if (ground.alone >= kGround) return true;
      if (ground.beside >= kStrong) ++beside;
    }
    return beside > 1;
  }

  [[nodiscard]] bool Incubates(std::string_view rule) const {
    const Rule* known = rules_.Find(rule);
    if (rule == kClassifierRule) return true;
    return known != nullptr && known->maturity == Maturity::kIncubating && !concrete_.contains(rule);
  }

  // The classifier of orders is sure, and so is another rule; or no honest text that was ever measured is as plain.
  // (Sure of two texts it may be in an honest package that is full of words about agents.)
  [[nodiscard]] bool Corroborated() const {
    const auto orders = malicious_.find(kClassifierRule);
    if (orders == malicious_.end() || orders->second.best < kGround + more_classified_) return false;
    if (orders->second.best >= kPlain + more_classified_) return true;
    return std::ranges::any_of(malicious_, [&](const auto& entry) {
      return entry.first != kClassifierRule && entry.second.best >= kStrong + more_;
    });
  }

  // How what the classifier of orders says is weighed.
  enum class Orders : std::uint8_t { kLeftOut, kAlone, kCorroborated };

  // All evidence of malice.
  [[nodiscard]] double Weigh(Orders orders) const {
    const auto left_out = [&](std::string_view rule) { return rule == kClassifierRule && orders == Orders::kLeftOut; };
    const auto strong = std::ranges::count_if(malicious_, [&](const auto& entry) {
      return entry.first != kClassifierRule && Incubates(entry.first) && entry.second.total() >= kStrong;
    });
    const bool bounded = strong < 2 && orders != Orders::kCorroborated;
    double evidence = 0.0;
    double hints = 0.0;
    double incubating = 0.0;
    for (const auto& [rule, sum] : malicious_) {
      if (left_out(rule)) continue;
      double weight = sum.total();
      if (bounded && Incubates(rule)) {
        weight = std::min(weight, kMostOfIncubating - incubating);
        incubating += weight;
      }
      // A large package has a little of everything: hints are pooled, and the pool has a bound.
      hints += std::min(weight, kHint);
      evidence += std::max(weight - kHint, 0.0);
    }
    evidence += std::min(hints, kMostOfHints);
    double beside = 0.0;
    for (const auto& [rule, sum] : aside_) {
      if (!left_out(rule)) beside += sum.total();
    }
    beside = std::min(beside, kMostAside);
    if (!HasGround(orders == Orders::kLeftOut)) evidence = std::min(evidence, kMostWithoutGround - beside);
    return evidence + beside;
  }

  const RuleSet& rules_;
  const bool strict_;
  const double doublings_;  // of the usual volume
  const double doublings_of_code_;
  const double more_;             // that a look asks for in a package of this volume
  const double more_classified_;  // ... of what the classifier of orders says
  ByRule malicious_;
  ByRule aside_;  // in documents, examples, tests, CI, vendored code
  ByRule vulnerable_;
  std::map<std::string_view, Ground> grounds_;
  // The same text in a copy of the file (built twice, kept beside its source) is no second case: the heaviest counts.
  std::map<std::tuple<bool, std::string_view, std::string>, double> told_;
  std::set<std::string_view> concrete_;  // rules of orders that say which file, or where to
  bool decisive_ = false;
  bool grave_ = false;  // a person looks, whatever else there is
  bool look_ = false;
};

void Rank(std::vector<Finding>& findings) {
  const auto rank = [](const Finding& finding) {
    const double nature = finding.nature == Nature::kMalicious    ? 3.0
                          : finding.nature == Nature::kVulnerable ? 1.5
                                                                  : 0.2;
    return nature * kSeverityWeight[static_cast<std::size_t>(finding.severity)] * finding.confidence;
  };
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    if (a.suppressed.empty() != b.suppressed.empty()) return a.suppressed.empty();
    const double ra = rank(a);
    const double rb = rank(b);
    if (ra != rb) return ra > rb;
    return std::tie(a.file, a.begin, a.rule) < std::tie(b.file, b.begin, b.rule);
  });
}

bool Unanalysed(const ScanReport& report, const std::vector<FileContext>& files) {
  if (report.coverage.bytes > 0 && report.coverage.analysed == 0) return true;
  return std::ranges::any_of(report.coverage.skipped, [&](const core::SkippedPart& part) {
    return Counts(part, files) || IsPackedAway(part, files);
  });
}

}  // namespace

void Judge(std::vector<RawFinding> raw, const VerdictInput& input, ScanReport& report) {
  std::vector<Finding>& findings = report.findings;
  Placing placing(input, report.kind, findings);
  for (RawFinding& hit : raw) placing.Add(hit);
  placing.PutFingerprints();
  ApplySuppressions(input, findings);

  Scale scale(input);
  for (std::size_t i = 0; i < findings.size(); ++i) scale.Put(findings[i], placing.marks()[i]);
  scale.Read(report);
  if (report.verdict == core::ScanVerdict::kSafe) {
    if (Unanalysed(report, *input.files)) {
      report.verdict = core::ScanVerdict::kWarn;
      report.reason = core::ScanReason::kUnanalysed;
    } else if (report.exercised != 0) {
      report.reason = core::ScanReason::kPowerful;
    }
  }

  Rank(findings);
  if (findings.size() > input.options->max_findings) {
    report.coverage.skipped.push_back({"", core::SkipReason::kBudget, 0,
                                       fmt::format("{} further findings of lower weight are not listed",
                                                   findings.size() - input.options->max_findings)});
    findings.resize(input.options->max_findings);
  }
  report.summary = SummaryOf(report);
}

}  // namespace interlock::scan
