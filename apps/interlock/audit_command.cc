#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <thread>

#include "commands.h"
#include "interlock/platform/clock.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/audit/keys.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/audit/query.h"
#include "interlock/runtime/audit/verify.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

namespace audit = runtime::audit;

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::uint64_t kTailRows = 20;
constexpr auto kFollowInterval = std::chrono::milliseconds(200);

std::string DirOf(const AuditArgs& args) { return args.dir.empty() ? StateDir() + "/audit" : args.dir; }

int CannotRun(const base::Error& error) {
  PrintError(error);
  return kExitCannotRun;
}

// "90s" "15m" "2h" "7d" back from now, or an RFC 3339 time in UTC.
base::Result<base::WallTime> ParseSince(const std::string& text) {
  char unit = 0;
  unsigned long long amount = 0;
  int used = 0;
  if (std::sscanf(text.c_str(), "%9llu%c%n", &amount, &unit, &used) == 2 &&
      static_cast<std::size_t>(used) == text.size()) {
    std::int64_t seconds = 0;
    switch (unit) {
      case 's':
        seconds = 1;
        break;
      case 'm':
        seconds = 60;
        break;
      case 'h':
        seconds = 3600;
        break;
      case 'd':
        seconds = kDaySeconds;
        break;
      default:
        break;
    }
    if (seconds != 0)
      return base::WallTime{platform::ReadNow().wall.us - static_cast<std::int64_t>(amount) * seconds * kMicros};
  }
  std::tm tm{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &tm);
  if (end == nullptr || *end != '\0') {
    return base::Error(base::ErrorCode::kUsage,
                       "--since takes 2026-01-31T12:00:00Z or a span such as 15m, not `" + text + "`");
  }
  return base::WallTime{static_cast<std::int64_t>(::timegm(&tm)) * kMicros};
}

base::Result<audit::Filter> FilterOf(const AuditArgs& args) {
  audit::Filter filter;
  filter.session = args.session;
  filter.tool = args.tool;
  filter.limit = args.limit;
  if (!args.verdict.empty()) {
    filter.verdict = core::VerdictFromName(args.verdict);
    if (!filter.verdict.has_value())
      return base::Error(base::ErrorCode::kUsage, "unknown verdict `" + args.verdict + "`");
  }
  if (!args.kind.empty()) {
    filter.kind = audit::KindFromName(args.kind);
    if (!filter.kind.has_value()) return base::Error(base::ErrorCode::kUsage, "unknown kind `" + args.kind + "`");
  }
  if (!args.since.empty()) {
    auto since = ParseSince(args.since);
    if (!since.ok()) return since.error();
    filter.since = since.value();
  }
  return filter;
}

base::Result<std::string> Passphrase(const AuditArgs& args) {
  if (args.passphrase_fd >= 0) return audit::ReadPassphrase(args.passphrase_fd);
  const char* text = std::getenv("INTERLOCK_AUDIT_PASSPHRASE");
  return std::string(text == nullptr ? "" : text);
}

base::Result<audit::LogOptions> LogOptionsOf(const AuditArgs& args) {
  auto passphrase = Passphrase(args);
  if (!passphrase.ok()) return passphrase.error();
  audit::LogOptions options;
  options.passphrase = std::move(passphrase.value());
  options.new_key_storage = args.new_storage == "sealed" ? audit::KeyStorage::kSealed : audit::KeyStorage::kFile;
  return options;
}

bool Print(const AuditArgs& args, const audit::StoredRow& row) {
  const std::string line = args.format == Format::kJson ? audit::RenderRowJson(row) : audit::RenderRowText(row);
  return std::fwrite(line.data(), 1, line.size(), stdout) == line.size() && std::fputc('\n', stdout) != EOF;
}

}  // namespace

int RunAuditTail(const AuditArgs& args) {
  auto filter = FilterOf(args);
  if (!filter.ok()) return CannotRun(filter.error());
  auto tail = audit::Tail::Open(DirOf(args), filter.value(), args.limit == 0 ? kTailRows : args.limit);
  if (!tail.ok()) return CannotRun(tail.error());
  for (;;) {
    const auto rows = tail.value().Next();
    if (!rows.ok()) return CannotRun(rows.error());
    for (const auto& row : rows.value()) {
      if (!Print(args, row)) return kExitCannotRun;
    }
    if (!args.follow) return kExitFine;
    if (std::fflush(stdout) != 0) return kExitFine;  // the reader is gone
    std::this_thread::sleep_for(kFollowInterval);
  }
}

int RunAuditQuery(const AuditArgs& args) {
  auto filter = FilterOf(args);
  if (!filter.ok()) return CannotRun(filter.error());
  const auto status =
      audit::ForEachRow(DirOf(args), filter.value(), [&](const audit::StoredRow& row) { return Print(args, row); });
  return status.ok() ? kExitFine : CannotRun(status.error());
}

int RunAuditVerify(const AuditArgs& args) {
  audit::VerifyOptions options;
  options.anchor_files = args.anchors;
  if (!args.key_file.empty()) {
    const auto text = platform::ReadFile(args.key_file, 4096);
    if (!text.ok()) return CannotRun(text.error());
    options.key = audit::PublicKey::FromHex(text.value());
    if (!options.key.has_value())
      return CannotRun(base::Error(base::ErrorCode::kAuditKey, "`" + args.key_file + "` holds no public key in hex"));
  }
  const auto report = audit::Verify(DirOf(args), options);
  if (!report.ok()) return CannotRun(report.error());
  const std::string text = args.format == Format::kJson ? audit::RenderVerifyJson(report.value()) + "\n"
                                                        : audit::RenderVerifyText(report.value());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return report.value().outcome == audit::VerifyReport::Outcome::kBroken ? kExitRefused : kExitFine;
}

int RunAuditExport(const AuditArgs& args) {
  auto filter = FilterOf(args);
  if (!filter.ok()) return CannotRun(filter.error());
  const auto format = audit::ExportFormatFromName(args.export_format);
  if (!format.has_value())
    return CannotRun(base::Error(base::ErrorCode::kUsage, "unknown format `" + args.export_format + "`"));
  std::FILE* out = args.output.empty() ? stdout : std::fopen(args.output.c_str(), "wxe");
  if (out == nullptr)
    return CannotRun(base::Error(base::ErrorCode::kIo, "cannot create `" + args.output + "` (it must not exist)"));
  bool written = true;
  const auto status = audit::Export(DirOf(args), *format, filter.value(), [&](std::string_view line) {
    written = std::fwrite(line.data(), 1, line.size(), out) == line.size() && std::fputc('\n', out) != EOF;
    return written;
  });
  if (out != stdout && std::fclose(out) != 0) written = false;
  if (!status.ok()) return CannotRun(status.error());
  if (!written) return CannotRun(base::Error(base::ErrorCode::kIo, "the export could not be written whole"));
  return kExitFine;
}

int RunAuditPrune(const AuditArgs& args) {
  auto options = LogOptionsOf(args);
  if (!options.ok()) return CannotRun(options.error());
  const base::WallTime cutoff{platform::ReadNow().wall.us - std::int64_t{args.older_than_days} * kDaySeconds * kMicros};
  const auto report = audit::Prune(DirOf(args), cutoff, options.value());
  if (!report.ok()) return CannotRun(report.error());
  std::printf("removed %llu rows of %llu chains and %llu originals; signed tombstones keep the chains verifiable\n",
              static_cast<unsigned long long>(report.value().rows),
              static_cast<unsigned long long>(report.value().chains),
              static_cast<unsigned long long>(report.value().originals));
  return kExitFine;
}

int RunAuditPurge(const AuditArgs& args) {
  const auto purged = audit::PurgeOriginals(DirOf(args), platform::ReadNow().wall, args.all);
  if (!purged.ok()) return CannotRun(purged.error());
  std::printf("deleted %llu originals\n", static_cast<unsigned long long>(purged.value()));
  return kExitFine;
}

int RunAuditKeyNew(const AuditArgs& args) {
  auto options = LogOptionsOf(args);
  if (!options.ok()) return CannotRun(options.error());
  const auto key = audit::CreateKeys(DirOf(args), options.value().new_key_storage, options.value().passphrase);
  if (!key.ok()) return CannotRun(key.error());
  std::printf("%s\n", key.value().ToHex().c_str());
  return kExitFine;
}

int RunAuditKeyShow(const AuditArgs& args) {
  const auto key = audit::ReadPublicKey(DirOf(args));
  if (!key.ok()) return CannotRun(key.error());
  std::printf("%s\n", key.value().ToHex().c_str());
  return kExitFine;
}

int RunAuditKeyRotate(const AuditArgs& args) {
  auto options = LogOptionsOf(args);
  if (!options.ok()) return CannotRun(options.error());
  const auto key = audit::RotateSigningKey(DirOf(args), options.value());
  if (!key.ok()) return CannotRun(key.error());
  std::printf("%s\n", key.value().ToHex().c_str());
  return kExitFine;
}

int RunAuditKeyReseal(const AuditArgs& args) {
  auto passphrase = Passphrase(args);
  if (!passphrase.ok()) return CannotRun(passphrase.error());
  const bool sealed = args.new_storage == "sealed";
  const char* fresh = std::getenv("INTERLOCK_AUDIT_NEW_PASSPHRASE");
  if (sealed && (fresh == nullptr || *fresh == '\0')) {
    return CannotRun(
        base::Error(base::ErrorCode::kUsage, "the new passphrase is read from $INTERLOCK_AUDIT_NEW_PASSPHRASE"));
  }
  const auto status =
      audit::ResealKeys(DirOf(args), passphrase.value(), sealed ? audit::KeyStorage::kSealed : audit::KeyStorage::kFile,
                        sealed ? fresh : "");
  return status.ok() ? kExitFine : CannotRun(status.error());
}

}  // namespace interlock::app
