// `interlock scan`: load, scan in parallel, report, hold against a passport.
#include "scan_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>

#include "graph_command.h"
#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/platform/clock.h"
#include "interlock/platform/file.h"
#include "interlock/platform/package.h"
#include "interlock/platform/random.h"
#include "interlock/runtime/audit/keys.h"
#include "interlock/scan/passport.h"
#include "interlock/scan/report.h"
#include "live_server.h"
#include "passport_file.h"
#include "scan_cache.h"

namespace interlock::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::size_t kMaxRuleFile = std::size_t{16} << 20;

int Fail(const Error& error) {
  fmt::print(stderr, "interlock scan: {}\n", error.ToString());
  return kExitCannotRun;
}

// One line on stderr that is written over, when stderr is a terminal.
class Progress {
 public:
  explicit Progress(bool wanted) : on_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Show(const std::string& text) {
    if (!on_) return;
    fmt::print(stderr, "\r\x1b[K{}", base::Printable(text, 120));
    std::fflush(stderr);
    shown_ = true;
  }
  void Clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  bool on_;
  bool shown_ = false;
};

struct UtcTime {
  std::string date;  // 2026-01-31
  std::string time;  // RFC 3339, seconds
};

UtcTime ReadUtc() {
  const std::time_t now = static_cast<std::time_t>(platform::ReadNow().wall.us / 1'000'000);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return {fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday),
          fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                      utc.tm_hour, utc.tm_min, utc.tm_sec)};
}

// Targets, or with --each what lies directly in them, in order.
std::vector<std::string> Expand(const ScanArgs& args) {
  if (!args.each) return args.targets;
  std::vector<std::string> out;
  for (const std::string& target : args.targets) {
    std::error_code error;
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(target, error)) inside.push_back(entry.path().string());
    if (error) inside.push_back(target);
    std::sort(inside.begin(), inside.end());
    out.insert(out.end(), inside.begin(), inside.end());
  }
  return out;
}

base::Result<std::vector<core::PackageView>> LoadTargets(const ScanArgs& args, Progress& progress) {
  std::vector<core::PackageView> views;
  if (args.mcp_stdio) {
    if (args.targets.empty()) return Error(ErrorCode::kUsage, "--mcp-stdio needs the server's command after --");
    progress.Show("asking the server what it offers");
    base::Result<core::PackageView> view = ListServer({.command = args.targets});
    if (!view.ok()) return view.error().Under(args.targets.front());
    views.push_back(std::move(view.value()));
  }
  for (const std::string& url : args.mcp_urls) {
    progress.Show("asking " + url);
    base::Result<core::PackageView> view = ListServer({.url = url});
    if (!view.ok()) return view.error().Under(url);
    views.push_back(std::move(view.value()));
  }
  if (!args.mcp_stdio) {
    for (const std::string& target : Expand(args)) {
      progress.Show("reading " + target);
      base::Result<core::PackageView> view = platform::LoadPackage(target);
      if (!view.ok()) return view.error().Under(target);
      views.push_back(std::move(view.value()));
    }
  }
  return views;
}

base::Status WriteBaseline(const std::string& path, const std::vector<scan::ScanReport>& reports,
                           std::string_view date) {
  std::string out;
  base::JsonWriter w(out);
  w.BeginObject().Key("schema").String("interlock.scan-suppressions/v1").Key("suppressions").BeginArray();
  for (const scan::ScanReport& report : reports) {
    for (const core::Finding& finding : report.findings) {
      if (!finding.suppressed.empty()) continue;
      w.BeginObject().Key("rule").String(finding.rule).Key("path").String(base::Printable(finding.file, 400));
      w.Key("fingerprint").String(finding.fingerprint);
      w.Key("reason").String(date.empty() ? std::string("baseline") : fmt::format("baseline of {}", date)).EndObject();
    }
  }
  w.EndArray().EndObject();
  out += '\n';
  return platform::AtomicWrite(path, out, 0644);
}

base::Status WritePassport(const ScanArgs& args, const scan::ScanReport& report, const UtcTime& now) {
  std::string passport = scan::MakePassport(
      report, {.version = INTERLOCK_VERSION, .created = args.reproducible ? std::string{} : now.time});
  if (!args.sign_dir.empty()) {
    std::string passphrase;
    if (args.passphrase_fd >= 0) {
      base::Result<std::string> read = runtime::audit::ReadPassphrase(args.passphrase_fd);
      if (!read.ok()) return read.error();
      passphrase = std::move(read.value());
    }
    const base::Result<runtime::audit::Keys> keys = runtime::audit::LoadKeys(args.sign_dir, passphrase);
    if (!keys.ok()) return keys.error();
    const base::Result<std::string> message = scan::PassportMessage(passport);
    if (!message.ok()) return message.error();
    base::Result<std::string> signed_passport = scan::WithSignature(
        passport, keys.value().public_key().ToHex(), runtime::audit::SignMessage(keys.value(), message.value()));
    if (!signed_passport.ok()) return signed_passport.error();
    passport = std::move(signed_passport.value());
  }
  return platform::AtomicWrite(args.passport, passport, 0644);
}

std::string_view NameOf(scan::ChangeKind kind) {
  switch (kind) {
    case scan::ChangeKind::kAdded:
      return "new";
    case scan::ChangeKind::kRemoved:
      return "gone";
    case scan::ChangeKind::kChanged:
      return "changed";
  }
  return "";
}

int VerifyPassport(const ScanArgs& args, const scan::ScanReport& report) {
  const base::Result<std::string> passport = platform::ReadFile(args.verify, kMaxPassportBytes);
  if (!passport.ok()) return Fail(passport.error());
  const base::Result<std::string> signature = CheckPassportSignature(passport.value(), args.public_key);
  if (!signature.ok()) return Fail(signature.error().Under(args.verify));
  const base::Result<scan::PassportDiff> diff = scan::ComparePassport(passport.value(), report);
  if (!diff.ok()) return Fail(diff.error().Under(args.verify));
  std::string out;
  if (args.format == ScanFormat::kJson) {
    base::JsonWriter w(out);
    w.BeginObject().Key("schema").String("interlock.passport-diff/v1").Key("target").String(report.target);
    w.Key("same").Bool(diff.value().same()).Key("rules_changed").Bool(diff.value().rules_changed);
    w.Key("signature").String(signature.value()).Key("changes").BeginArray();
    for (const scan::PassportChange& change : diff.value().changes) {
      w.BeginObject().Key("change").String(NameOf(change.kind)).Key("what").String(change.what);
      w.Key("name").String(change.name).Key("before").String(change.before).Key("after").String(change.after);
      w.Key("grave").Bool(change.grave).EndObject();
    }
    w.EndArray().EndObject();
    out += '\n';
  } else {
    out += fmt::format("{}  {}: passport {}\n", diff.value().same() ? "SAME" : "CHANGED",
                       base::Printable(report.target, 200), signature.value());
    for (const scan::PassportChange& change : diff.value().changes) {
      out += fmt::format(
          "  {} {:<8} {:<11} {}{}\n", change.grave ? "!" : " ", NameOf(change.kind), change.what,
          base::Printable(change.what == "finding" ? change.before + change.after : change.name, 160),
          change.what == "verdict" ? fmt::format("  {} -> {}", change.before, change.after) : std::string{});
    }
    if (diff.value().rules_changed)
      out += "  (scanned with other rules than the passport: new findings may be new rules')\n";
  }
  if (const base::Status written = WriteOutput(args.output, out); !written.ok()) return Fail(written.error());
  return diff.value().same() ? kExitFine : kExitRefused;
}

std::string RandomUuid() {
  std::array<std::uint8_t, 16> bytes{};
  if (!platform::RandomBytes(bytes).ok()) return {};
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", bytes[i]);
  }
  return out;
}

std::string Render(const ScanArgs& args, const std::vector<scan::ScanReport>& reports, const scan::RuleSet& rules,
                   const UtcTime& now) {
  switch (args.format) {
    case ScanFormat::kJson:
      return scan::JsonReport(reports, rules, INTERLOCK_VERSION);
    case ScanFormat::kSarif:
      return scan::SarifReport(reports, rules, INTERLOCK_VERSION);
    case ScanFormat::kHtml:
      return scan::HtmlReport(reports, rules, INTERLOCK_VERSION);
    case ScanFormat::kCycloneDx:
      return scan::CycloneDxReport(reports, INTERLOCK_VERSION, args.reproducible ? std::string{} : RandomUuid(),
                                   args.reproducible ? std::string{} : now.time);
    case ScanFormat::kText:
      break;
  }
  scan::TextReportOptions options;
  options.colour =
      args.colour && args.output.empty() && isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  options.all = args.all;
  return scan::TextReport(reports, rules, options);
}

int ExitOf(const ScanArgs& args, const std::vector<scan::ScanReport>& reports) {
  if (args.fail_on == "never") return kExitFine;
  const auto bar = args.fail_on == "warn" ? core::ScanVerdict::kWarn : core::ScanVerdict::kBlock;
  const bool over = std::any_of(reports.begin(), reports.end(),
                                [&](const scan::ScanReport& report) { return report.verdict >= bar; });
  return over ? kExitRefused : kExitFine;
}

}  // namespace

scan::ScanReport ScanPackage(const core::PackageView& view, const scan::ScanOptions& options,
                             platform::Workers& workers) {
  constexpr std::size_t kLittle = std::size_t{64} << 10U;  // bytes for which threads cost more than they save
  std::size_t bytes = 0;
  for (const core::PackageFile& file : view.files) bytes += file.bytes.size();
  if (bytes < kLittle) return scan::Scan(view, options);
  return scan::Scan(view, options, [&](std::size_t count, const std::function<void(std::size_t)>& piece) {
    workers.ForEach(count, piece);
  });
}

base::Result<std::vector<scan::RuleFile>> ReadRuleFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      names.push_back(path);
      continue;
    }
    const std::size_t first = names.size();
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      if (entry.path().extension() == ".json") names.push_back(entry.path().string());
    }
    if (error) return base::Error(base::ErrorCode::kIo, error.message()).Under(path);
    std::sort(names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
  }
  std::vector<scan::RuleFile> files;
  for (const std::string& name : names) {
    base::Result<std::string> bytes = platform::ReadFile(name, kMaxRuleFile);
    if (!bytes.ok()) return bytes.error().Under(name);
    files.push_back({name, std::move(bytes.value())});
  }
  return files;
}

base::Result<scan::RuleSet> LoadRules(const std::vector<std::string>& paths, const scan::RuleLoading& how) {
  const base::Result<std::vector<scan::RuleFile>> files = ReadRuleFiles(paths);
  if (!files.ok()) return files.error();
  return scan::RuleSet::LoadWithBuiltin(files.value(), how);
}

base::Result<std::vector<scan::Suppression>> ReadSuppressions(const std::string& path) {
  const base::Result<std::string> bytes = platform::ReadFile(path, kMaxRuleFile);
  if (!bytes.ok()) return bytes.error().Under(path);
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(bytes.value());
  if (!doc.ok()) return doc.error().Under(path);
  const base::JsonValue root = doc.value().root();
  const auto wrong = [&](const std::string& what) { return Error(ErrorCode::kScanBaseline, what).Under(path); };
  if (root.Find("schema").string() != "interlock.scan-suppressions/v1") {
    return wrong("`schema` is not `interlock.scan-suppressions/v1`");
  }
  std::vector<scan::Suppression> out;
  const base::JsonValue list = root.Find("suppressions");
  if (!list.is_array()) return wrong("`suppressions` is not a list");
  for (auto it = list.begin(); it != list.end(); ++it) {
    scan::Suppression one;
    const base::JsonValue entry = *it;
    for (auto field = entry.begin(); field != entry.end(); ++field) {
      const std::string_view key = field.key();
      const std::string value((*field).string());
      if (value.empty()) return wrong(fmt::format("entry {}: `{}` is empty or no string", out.size() + 1, key));
      if (key == "rule") {
        one.rule = value;
      } else if (key == "path") {
        one.path = value;
      } else if (key == "fingerprint") {
        one.fingerprint = value;
      } else if (key == "reason") {
        one.reason = value;
      } else if (key == "until") {
        one.until = value;
      } else {
        return wrong(fmt::format("entry {}: `{}` is not known", out.size() + 1, key));
      }
    }
    if (one.reason.empty()) return wrong(fmt::format("entry {}: no reason", out.size() + 1));
    if (one.rule.empty() && one.path.empty() && one.fingerprint.empty()) {
      return wrong(fmt::format("entry {}: suppresses everything", out.size() + 1));
    }
    out.push_back(std::move(one));
  }
  return out;
}

int RunScan(const ScanArgs& args) {
  if (args.targets.empty() && args.mcp_urls.empty()) {
    return Fail(Error(ErrorCode::kUsage, "nothing to scan: name a target, --mcp-stdio or --mcp-http"));
  }
  std::optional<DirectoryCache> cache;
  if (!args.cache.empty()) {
    base::Result<DirectoryCache> opened = DirectoryCache::Open(args.cache);
    if (!opened.ok()) return Fail(opened.error());
    cache.emplace(std::move(opened.value()));
  }
  platform::Workers workers(args.jobs);
  // To the end of the program, which has no need to take every expression apart.
  static auto& loaded = *new std::optional<base::Result<scan::RuleSet>>;
  workers.ForEach(2, [&](std::size_t i) {
    if (i == 0) {
      loaded.emplace(cache ? LoadRules(args.rules, *cache) : LoadRules(args.rules));
    } else if (workers.threads() > 1) {
      scan::ReadWordLists();
    }
  });
  const base::Result<scan::RuleSet>& rules = *loaded;
  if (!rules.ok()) return Fail(rules.error());
  const UtcTime now = ReadUtc();
  scan::ScanOptions options;
  if (cache) {
    options.cache = &*cache;
    options.cache_salt = cache->salt();
  }
  options.rules = &rules.value();
  options.today = now.date;
  options.inline_suppressions = args.inline_suppressions;
  options.strict = args.profile == "strict";
  std::optional<scan::VulnerabilityIndex> known;
  if (!args.osv.empty()) {
    base::Result<scan::VulnerabilityIndex> read = ReadOsv(args.osv);
    if (!read.ok()) return Fail(read.error());
    known.emplace(std::move(read.value()));
    options.vulnerabilities = &*known;
  }
  std::vector<std::string> suppression_files = args.suppressions;
  if (!args.baseline.empty()) suppression_files.push_back(args.baseline);
  for (const std::string& path : suppression_files) {
    base::Result<std::vector<scan::Suppression>> read = ReadSuppressions(path);
    if (!read.ok()) return Fail(read.error());
    std::move(read.value().begin(), read.value().end(), std::back_inserter(options.suppressions));
  }

  Progress progress(args.progress);
  const base::Result<std::vector<core::PackageView>> views = LoadTargets(args, progress);
  if (!views.ok()) {
    progress.Clear();
    return Fail(views.error());
  }
  std::vector<scan::ScanReport> reports;
  reports.reserve(views.value().size());
  for (const core::PackageView& view : views.value()) {
    progress.Show(fmt::format("scanning {} of {}: {}", reports.size() + 1, views.value().size(), view.target));
    reports.push_back(ScanPackage(view, options, workers));
  }
  progress.Clear();
  if ((!args.verify.empty() || !args.passport.empty()) && reports.size() != 1) {
    return Fail(Error(ErrorCode::kUsage, "a passport is of one target"));
  }
  if (!args.passport.empty()) {
    if (const base::Status written = WritePassport(args, reports.front(), now); !written.ok())
      return Fail(written.error());
  }
  if (!args.write_baseline.empty()) {
    const base::Status written =
        WriteBaseline(args.write_baseline, reports, args.reproducible ? std::string{} : now.date);
    if (!written.ok()) return Fail(written.error());
  }
  if (!args.verify.empty()) return VerifyPassport(args, reports.front());
  if (const base::Status written = WriteOutput(args.output, Render(args, reports, rules.value(), now)); !written.ok()) {
    return Fail(written.error());
  }
  return ExitOf(args, reports);
}

}  // namespace interlock::app
