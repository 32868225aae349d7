// `interlock eval scanner`: loads labelled packages, scans them, prints what was right and what was not.
#include "eval_scanner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <thread>

#include "commands.h"
#include "eval_scanner_features.h"
#include "interlock/eval/report.h"
#include "interlock/eval/scanner/mask.h"
#include "interlock/eval/scanner/measure.h"
#include "interlock/eval/scanner/rewrite.h"
#include "interlock/platform/file.h"
#include "interlock/platform/package.h"
#include "interlock/scan/scanner.h"
#include "policy_files.h"
#include "scan_command.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using eval::scanner::Measured;
using eval::scanner::SampleLabel;
using eval::scanner::ScanOutcome;
using eval::scanner::ScanSample;

constexpr std::size_t kMaxRows = std::size_t{200} << 20;
constexpr std::size_t kFindingsKept = 40;
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

bool IsCode(std::string_view path) {
  static constexpr std::array<std::string_view, 8> kEnds = {".py", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".sh"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) {
    return path.size() > end.size() && path.substr(path.size() - end.size()) == end;
  });
}

// Processor time of this thread: what a scan costs, whatever else the machine does.
double ThreadSeconds() {
  timespec now{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
  constexpr double kNano = 1e-9;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kNano;
}

ScanOutcome Judge(const core::PackageView& view, const scan::ScanOptions& options) {
  const double begin = ThreadSeconds();
  scan::ScanReport report = scan::Scan(view, options);
  ScanOutcome out;
  out.seconds = ThreadSeconds() - begin;
  out.verdict = report.verdict;
  out.reason = report.reason;
  out.score = report.score;
  out.summary = std::move(report.summary);
  out.findings = std::move(report.findings);
  std::erase_if(out.findings, [](const core::Finding& finding) { return !finding.suppressed.empty(); });
  if (out.findings.size() > kFindingsKept) out.findings.resize(kFindingsKept);
  for (const core::PackageFile& file : view.files) {
    out.bytes += file.bytes.size();
    if (IsCode(file.path)) out.code_bytes += file.bytes.size();
  }
  return out;
}

// Scans each sample, `jobs` at a time; a package that lies on disk is loaded, scanned and dropped. The first that
// cannot be loaded is the error.
Result<std::vector<Measured>> ScanAll(std::vector<ScanSample> samples, const scan::ScanOptions& options,
                                      std::uint32_t jobs) {
  std::vector<Measured> out(samples.size());
  std::vector<std::optional<Error>> failures(samples.size());
  std::atomic<std::size_t> next = 0;
  const bool shown = ::isatty(STDERR_FILENO) == 1;
  const auto work = [&] {
    for (std::size_t i = next++; i < samples.size(); i = next++) {
      ScanSample& sample = samples[i];
      if (!sample.path.empty()) {
        Result<core::PackageView> view = platform::LoadPackage(sample.path);
        if (!view.ok()) {
          failures[i] = view.error().Under(sample.id);
          continue;
        }
        out[i].outcome = Judge(view.value(), options);
      } else {
        out[i].outcome = Judge(sample.view, options);
      }
      out[i].sample = std::move(sample);
      constexpr std::size_t kStep = 50;
      if (shown && i % kStep == 0) fmt::print(stderr, "\r\x1b[Keval scanner: {} of {}", i, samples.size());
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (shown) fmt::print(stderr, "\r\x1b[K");
  for (const std::optional<Error>& failure : failures) {
    if (failure) return *failure;
  }
  return out;
}

// Packages that lie on disk once more, one after the other, each with all threads: what somebody who scans one waits.
Status MeasureWall(std::vector<Measured>& measured, const scan::ScanOptions& options, std::uint32_t jobs) {
  platform::Workers workers(jobs);
  for (Measured& one : measured) {
    if (one.sample.path.empty()) continue;
    const Result<core::PackageView> view = platform::LoadPackage(one.sample.path);
    if (!view.ok()) return view.error().Under(one.sample.id);
    const auto begin = std::chrono::steady_clock::now();
    (void)ScanPackage(view.value(), options, workers);
    one.outcome.wall = Seconds(begin);
  }
  return {};
}

// The wild malicious samples once more, without the campaign's own strings.
Result<std::vector<eval::EvalRow>> Masked(const std::vector<Measured>& measured, const scan::ScanOptions& options,
                                          std::uint32_t jobs, std::string& fact) {
  std::vector<const ScanSample*> wild;
  std::vector<const ScanSample*> benign;
  std::vector<Measured> before;
  for (const Measured& one : measured) {
    if (one.sample.set != "corpus") continue;
    if (one.sample.label == SampleLabel::kBenign) benign.push_back(&one.sample);
    if (one.sample.label == SampleLabel::kMalicious && one.sample.tier == "wild") {
      wild.push_back(&one.sample);
      before.push_back(one);
    }
  }
  if (wild.empty()) return std::vector<eval::EvalRow>{};
  const auto mask = eval::scanner::IndicatorMask::Derive(wild, benign);
  fact = fmt::format("{} strings of {} wild packages", mask.replacements().size(), wild.size());
  std::vector<ScanSample> samples;
  samples.reserve(wild.size());
  for (const ScanSample* sample : wild) samples.push_back(mask.Apply(*sample));
  const auto after = ScanAll(std::move(samples), options, jobs);
  if (!after.ok()) return after.error();
  return eval::scanner::MaskedRows(before, after.value());
}

// Samples with code of that rewriting's language, rewritten.
std::vector<ScanSample> RewrittenBy(const std::vector<const ScanSample*>& samples,
                                    const eval::scanner::Rewriting& how) {
  std::vector<ScanSample> out;
  for (const ScanSample* sample : samples) {
    std::uint32_t places = 0;
    ScanSample one = eval::scanner::Apply(*sample, how, places);
    if (places != 0) out.push_back(std::move(one));
  }
  return out;
}

// What was right, rewritten in each way.
Result<std::vector<eval::EvalRow>> Rewritten(const std::vector<Measured>& measured, const scan::ScanOptions& options,
                                             std::uint32_t jobs) {
  std::vector<const ScanSample*> right;
  for (const Measured& one : measured) {
    const bool wrong = eval::scanner::IsMissed(one) || eval::scanner::IsFalseAlarm(one);
    if (one.sample.set == "fixtures" && !wrong) right.push_back(&one.sample);
  }
  std::vector<eval::EvalRow> rows;
  for (const eval::scanner::Rewriting& how : eval::scanner::Rewritings()) {
    const auto after = ScanAll(RewrittenBy(right, how), options, jobs);
    if (!after.ok()) return after.error();
    const auto more = eval::scanner::RewrittenRows(how.id, after.value());
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

Status Export(const std::vector<ScanSample>& samples, const std::string& folder) {
  for (const ScanSample& sample : samples) {
    const std::string root = folder + "/" + eval::scanner::ExportName(sample);
    if (!sample.path.empty()) {
      std::error_code failure;
      std::filesystem::create_directories(folder, failure);
      std::filesystem::copy(sample.path, root,
                            std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_symlinks |
                                std::filesystem::copy_options::skip_existing,
                            failure);
      if (failure) return Error(ErrorCode::kIo, "cannot copy this package", {.file = sample.path});
      continue;
    }
    for (const core::PackageFile& file : sample.view.files) {
      if (file.path.find("!/") != std::string::npos) continue;  // the archive itself is there
      const std::string path = root + "/" + file.path;
      const std::string parent = std::filesystem::path(path).parent_path().string();
      if (Status status = platform::CreateDirectories(parent, kFolderMode); !status.ok()) return status;
      if (Status status = platform::AtomicWrite(path, file.bytes, kFileMode); !status.ok()) return status;
    }
  }
  return {};
}

Result<std::vector<Measured>> FromSarif(std::vector<ScanSample> samples, const std::string& path) {
  const auto bytes = platform::ReadFile(path, kMaxRows);
  if (!bytes.ok()) return bytes.error();
  std::vector<std::string> names;
  for (const ScanSample& sample : samples) names.push_back(eval::scanner::ExportName(sample));
  auto outcomes = eval::scanner::ReadSarif(bytes.value(), names);
  if (!outcomes.ok()) return outcomes.error().Under(path);
  std::vector<Measured> out;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    out.push_back({.sample = std::move(samples[i]), .outcome = std::move(outcomes.value()[names[i]])});
  }
  return out;
}

std::string CommandOf(const EvalScannerArgs& args) {
  std::string out = "interlock eval scanner";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {} '{}'", name, value);
  };
  add("--data", args.data);
  add("--packages", args.packages);
  add("--fixtures", args.fixtures);
  add("--results", args.results);
  for (const std::string& rules : args.rules) add("--rules", rules);
  if (args.split != "all") out += " --split " + args.split;
  add("--rewrite", args.rewrite);
  if (args.timing) out += " --timing";
  return out;
}

std::string Listed(const EvalScannerArgs& args, const std::vector<Measured>& measured) {
  std::string out;
  const auto list = [&](const char* title, const auto& wanted) {
    std::string part;
    std::size_t count = 0;
    for (const Measured& one : measured) {
      if (!wanted(one)) continue;
      ++count;
      part += eval::scanner::Describe(one);
    }
    out += fmt::format("\n== {} ({}) ==\n{}", title, count, part);
  };
  const auto show = [&](std::string_view what) {
    return std::find(args.show.begin(), args.show.end(), what) != args.show.end();
  };
  if (args.counts) return out;
  // Each of these is to be read by a person: printed unless nobody is to read the samples.
  list("Benign packages that are BLOCKed", [](const Measured& one) {
    return one.sample.label == SampleLabel::kBenign && one.outcome.verdict == core::ScanVerdict::kBlock;
  });
  if (show("false")) {
    list("Other false alarms", [](const Measured& one) {
      return eval::scanner::IsFalseAlarm(one) &&
             !(one.sample.label == SampleLabel::kBenign && one.outcome.verdict == core::ScanVerdict::kBlock);
    });
  }
  if (show("missed")) list("Missed", [](const Measured& one) { return eval::scanner::IsMissed(one); });
  if (show("block")) {
    list("Blocked", [](const Measured& one) { return one.outcome.verdict == core::ScanVerdict::kBlock; });
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Facts(const std::vector<Measured>& measured) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* set : {"corpus", "fixtures", "packages"}) {
    std::size_t count = 0;
    std::size_t malicious = 0;
    std::size_t held = 0;
    for (const Measured& one : measured) {
      if (one.sample.set != set) continue;
      ++count;
      malicious += one.sample.label == SampleLabel::kMalicious ? 1 : 0;
      held += one.sample.held ? 1 : 0;
    }
    if (count != 0) out.emplace_back(set, fmt::format("{} samples, {} malicious, {} held", count, malicious, held));
  }
  return out;
}

int Fail(const Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

}  // namespace

int RunEvalScanner(const EvalScannerArgs& args) {
  auto samples = LoadScanSamples(args);
  if (!samples.ok()) return Fail(samples.error());
  if (!args.rewrite.empty() && args.rewrite != "all") {
    std::vector<const ScanSample*> all;
    for (const ScanSample& sample : samples.value()) all.push_back(&sample);
    const auto how = std::ranges::find(eval::scanner::Rewritings(), args.rewrite, &eval::scanner::Rewriting::id);
    samples = RewrittenBy(all, *how);
  }
  if (!args.export_to.empty()) {
    const Status status = Export(samples.value(), args.export_to);
    return status.ok() ? kExitFine : Fail(status.error());
  }
  if (!args.features.empty()) {
    if (!args.sentences.empty()) {
      auto sentences = LoadSentences(args.sentences);
      if (!sentences.ok()) return Fail(sentences.error());
      std::move(sentences.value().begin(), sentences.value().end(), std::back_inserter(samples.value()));
    }
    const Status status = WriteFeatures(samples.value(), args.features);
    return status.ok() ? kExitFine : Fail(status.error());
  }
  const Result<scan::RuleSet> rules = LoadRules(args.rules);
  if (!rules.ok()) return Fail(rules.error());
  scan::ScanOptions options;
  options.rules = &rules.value();
  const std::uint32_t jobs = args.jobs != 0 ? args.jobs : std::max(1U, std::thread::hardware_concurrency());
  const auto begin = std::chrono::steady_clock::now();
  auto measured = args.results.empty() ? ScanAll(std::move(samples.value()), options, jobs)
                                       : FromSarif(std::move(samples.value()), args.results);
  if (!measured.ok()) return Fail(measured.error());
  const double seconds = Seconds(begin);
  if (args.timing && args.results.empty()) {
    const Status timed = MeasureWall(measured.value(), options, jobs);
    if (!timed.ok()) return Fail(timed.error());
  }

  const std::string data = !args.data.empty() ? args.data : !args.fixtures.empty() ? args.fixtures : args.packages;
  eval::EvalReport report{.eval = "scanner",
                          .command = CommandOf(args),
                          .data = data,
                          .seed = 0,
                          .facts = Facts(measured.value()),
                          .rows = {}};
  const bool timing = args.timing && args.results.empty();
  report.rows = eval::scanner::ScannerRows(measured.value(), {.timing = timing, .seconds = seconds, .items = false});
  if (args.masked && args.results.empty()) {
    std::string fact;
    auto masked = Masked(measured.value(), options, jobs, fact);
    if (!masked.ok()) return Fail(masked.error());
    if (!fact.empty()) report.facts.emplace_back("masked", fact);
    report.rows.insert(report.rows.end(), masked.value().begin(), masked.value().end());
  }
  if (args.rewrite == "all" && args.results.empty()) {
    auto rewritten = Rewritten(measured.value(), options, jobs);
    if (!rewritten.ok()) return Fail(rewritten.error());
    report.rows.insert(report.rows.end(), rewritten.value().begin(), rewritten.value().end());
  }
  const eval::ReportLayout layout = eval::scanner::ScannerLayout();
  eval::EvalReport full = report;  // with a row a sample: for machines, too long for people
  {
    auto items = eval::scanner::ScannerRows(measured.value(), {.timing = false, .seconds = 0, .items = true});
    std::erase_if(items, [](const eval::EvalRow& row) { return row.table != "items"; });
    full.rows.insert(full.rows.end(), items.begin(), items.end());
  }
  if (!args.out.empty()) {
    Status status = platform::CreateDirectories(args.out, kFolderMode);
    if (status.ok()) status = platform::AtomicWrite(args.out + "/rows.json", eval::ReportJson(full), kFileMode);
    if (status.ok()) {
      status = platform::AtomicWrite(args.out + "/report.html", eval::ReportHtml(report, layout), kFileMode);
    }
    if (!status.ok()) return Fail(status.error());
  }
  std::string out;
  if (args.format == "json") {
    out = eval::ReportJson(full);
  } else if (args.format == "html") {
    out = eval::ReportHtml(report, layout);
  } else {
    out = eval::ReportText(report, layout) + Listed(args, measured.value());
  }
  if (!args.compare.empty()) {
    const auto bytes = platform::ReadFile(args.compare, kMaxRows);
    if (!bytes.ok()) return Fail(bytes.error());
    const auto old = eval::scanner::ReadOldVerdicts(bytes.value());
    if (!old.ok()) return Fail(old.error().Under(args.compare));
    const std::string text = eval::scanner::CompareText(old.value(), measured.value());
    // Rows stay readable for machines: what changed goes where people look.
    if (args.format == "text") {
      out += text;
    } else {
      std::fwrite(text.data(), 1, text.size(), stderr);
    }
  }
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? kExitFine : kExitCannotRun;
}

}  // namespace interlock::app
