#include "approve_command.h"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include "interlock/base/text.h"
#include "interlock/platform/clock.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/approvals/render.h"
#include "interlock/runtime/approvals/store.h"
#include "interlock/runtime/audit/log.h"
#include "policy_files.h"

namespace interlock::app {
namespace {

namespace approvals = runtime::approvals;
namespace audit = runtime::audit;
using approvals::ApprovalStore;
using base::Error;
using base::ErrorCode;
using base::Status;

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kMinuteUs = 60 * kMicros;
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kListed = 500;
constexpr auto kWatchInterval = std::chrono::milliseconds(250);

// What was decided already is an answer, not a failure to run.
int Fail(const Error& error) {
  PrintError(error);
  return error.code() == ErrorCode::kApprovalDecided ? kExitRefused : kExitCannotRun;
}

std::string LoginName() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr || *entry->pw_name == '\0' ? "uid " + std::to_string(::geteuid()) : entry->pw_name;
}

std::string ActorOf(const ApproveArgs& args) {
  return args.as.empty() ? LoginName() : args.as + " (" + LoginName() + ")";
}

// "90s" "15m" "2h" "7d".
base::Result<std::int64_t> SpanUs(const std::string& text, std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  unsigned long long amount = 0;
  char unit = 0;
  int used = 0;
  if (std::sscanf(text.c_str(), "%7llu%c%n", &amount, &unit, &used) == 2 &&
      static_cast<std::size_t>(used) == text.size()) {
    for (const auto& [name, seconds] : {std::pair{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}}) {
      if (unit == name && amount > 0) return static_cast<std::int64_t>(amount) * seconds * kMicros;
    }
  }
  return Error(ErrorCode::kUsage, "--ttl takes a span such as 90s, 15m, 2h or 7d, not `" + text + "`");
}

base::Result<std::unique_ptr<ApprovalStore>> OpenStore(const ApproveArgs& args, bool create) {
  if (args.store.empty() && create) (void)platform::CreateDirectories(StateDir());  // opening says what is wrong
  return ApprovalStore::Open({.path = args.store.empty() ? StateDir() + "/approvals.db" : args.store,
                              .create = create,
                              .busy_timeout_ms = 5000});
}

// The audit record of a person's act; what cannot be recorded is not done.
class Witness {
 public:
  explicit Witness(const ApproveArgs& args) : actor_(ActorOf(args)) {
    if (args.no_audit) return;
    const std::string dir = args.audit_dir.empty() ? StateDir() + "/audit" : args.audit_dir;
    if (args.audit_dir.empty()) (void)platform::CreateDirectories(StateDir());
    audit::LogOptions options;
    options.producer = "interlock approve " INTERLOCK_VERSION;
    if (const char* passphrase = std::getenv("INTERLOCK_AUDIT_PASSPHRASE"); passphrase != nullptr) {
      options.passphrase = passphrase;
    }
    auto opened = audit::AuditLog::Open(dir, options);
    if (opened.ok()) {
      log_.emplace(std::move(opened.value()));
    } else {
      error_.emplace(opened.error().Under("audit log " + dir));
    }
  }
  [[nodiscard]] Status Record(audit::Record record) {
    if (error_.has_value()) return *error_;
    if (!log_.has_value()) return {};
    record.actor = actor_;
    record.time = platform::ReadNow().wall;
    return log_->AppendDurable(record);
  }
  [[nodiscard]] const std::string& actor() const noexcept { return actor_; }

 private:
  std::string actor_;
  std::optional<audit::AuditLog> log_;
  std::optional<Error> error_;
};

template <class T>
void Print(const ApproveArgs& args, const T& what, base::WallTime now) {
  std::printf("%s\n", (args.format == Format::kJson ? approvals::ToJson(what) : approvals::Line(what, now)).c_str());
}

std::optional<std::string> OrNobody(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

bool Concerns(const ApproveArgs& args, const std::optional<std::string>& principal,
              const std::optional<std::string>& session) {
  return (args.principal.empty() || !principal.has_value() || *principal == args.principal) &&
         (args.session.empty() || !session.has_value() || *session == args.session);
}

int Decide(const ApproveArgs& args, const approvals::Ruling& ruling, Witness& witness) {
  auto store = OpenStore(args, false);
  if (!store.ok()) return Fail(store.error());
  const base::Now now = platform::ReadNow();
  auto decided = store.value()->Decide(args.id, ruling, now, [&](const approvals::Request& request) {
    audit::Record record;
    record.kind = audit::Kind::kApprovalAnswered;
    record.session = request.question.subject.session;
    record.principal = request.question.subject.principal;
    record.server = request.question.subject.server;
    record.tool = request.question.tool;
    record.policy = request.question.binding.policy;
    record.definition = request.question.binding.definition;
    record.name = ruling.granted ? "approved" : "declined";
    const std::string text = request.id + ", scope " + std::string(NameOf(ruling.scope)) +
                             (ruling.reason.empty() ? "" : ": ") + ruling.reason;
    record.text = text;
    return witness.Record(record);
  });
  if (!decided.ok()) return Fail(decided.error());
  if (args.format == Format::kJson) {
    std::printf("%s\n", approvals::ToJson(decided.value()).c_str());
  } else {
    std::fputs(approvals::Describe(decided.value(), now.wall).c_str(), stdout);
  }
  return kExitFine;
}

}  // namespace

int RunApproveList(const ApproveArgs& args) {
  auto store = OpenStore(args, false);
  if (!store.ok()) {
    if (store.error().code() != ErrorCode::kFileNotFound) return Fail(store.error());
    if (args.format == Format::kText) std::puts("nothing waits: no guard has asked yet");
    return kExitFine;
  }
  const base::Now now = platform::ReadNow();
  ApprovalStore::Filter filter{.session = args.session, .principal = args.principal, .limit = kListed};
  if (!args.state.empty()) filter.state = approvals::StateFromName(args.state);
  const auto requests = store.value()->List(filter, now);
  if (!requests.ok()) return Fail(requests.error());
  const auto plans = store.value()->Plans(now);
  if (!plans.ok()) return Fail(plans.error());
  const auto windows = store.value()->BreakGlasses(now);
  if (!windows.ok()) return Fail(windows.error());
  std::size_t shown = 0;
  const auto wanted = [&](approvals::State state) {
    return args.all || filter.state.has_value() || state == approvals::State::kPending ||
           state == approvals::State::kGranted;
  };
  for (const approvals::Request& request : requests.value()) {
    if (!wanted(request.state)) continue;
    Print(args, request, now.wall);
    ++shown;
  }
  for (const approvals::Plan& plan : plans.value()) {
    if (!wanted(plan.state) || !Concerns(args, plan.principal, plan.session)) continue;
    if (filter.state.has_value() && plan.state != *filter.state) continue;
    Print(args, plan, now.wall);
    ++shown;
  }
  std::size_t unreviewed = 0;
  for (const approvals::BreakGlass& window : windows.value()) {
    if (!window.active && window.reviewed_by.empty()) ++unreviewed;
    if (!window.active && !window.reviewed_by.empty() && !args.all) continue;
    Print(args, window, now.wall);
    ++shown;
  }
  if (args.format == Format::kText && shown == 0) std::puts("nothing waits and nothing is in force");
  if (unreviewed > 0) {
    std::fprintf(stderr,
                 "interlock: %zu break-glass window%s nobody has reviewed; look at `interlock audit query --kind "
                 "break-glass`, then `interlock approve break-glass review ID`\n",
                 unreviewed, unreviewed == 1 ? "" : "s");
  }
  return kExitFine;
}

int RunApproveShow(const ApproveArgs& args) {
  auto store = OpenStore(args, false);
  if (!store.ok()) return Fail(store.error());
  const base::Now now = platform::ReadNow();
  const auto show = [&](const auto& what) {
    const std::string text =
        args.format == Format::kJson ? approvals::ToJson(what) + "\n" : approvals::Describe(what, now.wall);
    std::fputs(text.c_str(), stdout);
    return kExitFine;
  };
  if (args.id.starts_with("p-")) {
    const auto plans = store.value()->Plans(now);
    if (!plans.ok()) return Fail(plans.error());
    for (const approvals::Plan& plan : plans.value()) {
      if (plan.id == args.id) return show(plan);
    }
  }
  if (args.id.starts_with("b-")) {
    const auto windows = store.value()->BreakGlasses(now);
    if (!windows.ok()) return Fail(windows.error());
    for (const approvals::BreakGlass& window : windows.value()) {
      if (window.id != args.id) continue;
      Print(args, window, now.wall);
      return kExitFine;
    }
  }
  const auto request = store.value()->Get(args.id, now);
  if (!request.ok()) return Fail(request.error());
  return show(request.value());
}

int RunApproveGrant(const ApproveArgs& args) {
  const auto ttl = SpanUs(args.ttl, 15 * kMinuteUs);
  if (!ttl.ok()) return Fail(ttl.error());
  Witness witness(args);
  approvals::Ruling ruling{.granted = true,
                           .scope = approvals::ScopeFromName(args.scope).value_or(approvals::Scope::kOnce),
                           .approver = witness.actor(),
                           .reason = args.reason,
                           .ttl_us = ttl.value(),
                           .constraint = {},
                           .max_uses = args.max_uses};
  if ((ruling.scope == approvals::Scope::kPattern) == args.constraint.empty()) {
    return Fail(Error(ErrorCode::kUsage, "scope pattern and --constrain go together"));
  }
  if (!args.constraint.empty()) {
    auto text = platform::ReadFile(args.constraint, kMaxFileBytes);
    if (!text.ok()) return Fail(text.error());
    ruling.constraint = std::move(text.value());
  }
  return Decide(args, ruling, witness);
}

int RunApproveDeny(const ApproveArgs& args) {
  const auto ttl = SpanUs(args.ttl, 60 * kMinuteUs);
  if (!ttl.ok()) return Fail(ttl.error());
  Witness witness(args);
  return Decide(
      args,
      {.granted = false, .approver = witness.actor(), .reason = args.reason, .ttl_us = ttl.value(), .constraint = {}},
      witness);
}

int RunApproveRevoke(const ApproveArgs& args) {
  auto store = OpenStore(args, false);
  if (!store.ok()) return Fail(store.error());
  Witness witness(args);
  const Status revoked =
      store.value()->Revoke(args.id, witness.actor(), args.reason, platform::ReadNow(), [&]() -> Status {
        audit::Record record;
        record.kind = args.id.starts_with("b-") ? audit::Kind::kBreakGlass : audit::Kind::kApprovalVoid;
        record.name = args.id;
        const std::string text = args.reason.empty() ? "taken back" : "taken back: " + args.reason;
        record.text = text;
        return witness.Record(record);
      });
  if (!revoked.ok()) return Fail(revoked.error());
  std::printf("%s is taken back\n", base::Printable(args.id).c_str());
  return kExitFine;
}

int RunApproveWatch(const ApproveArgs& args) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(args.timeout_s));
  std::unique_ptr<ApprovalStore> store;
  std::set<std::string> shown;
  for (;;) {
    if (store == nullptr) {
      auto opened = OpenStore(args, true);
      if (!opened.ok()) return Fail(opened.error());
      store = std::move(opened.value());
    }
    const base::Now now = platform::ReadNow();
    const auto pending = store->List(
        {.state = approvals::State::kPending, .session = args.session, .principal = args.principal, .limit = kListed},
        now);
    if (!pending.ok()) return Fail(pending.error());
    for (auto request = pending.value().rbegin(); request != pending.value().rend(); ++request) {
      if (!shown.insert(request->id).second) continue;
      const std::string text =
          args.format == Format::kJson ? approvals::ToJson(*request) + "\n" : approvals::Describe(*request, now.wall);
      if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) != 0) return kExitFine;  // the reader is gone
    }
    if (args.timeout_s > 0 && Clock::now() >= end) return kExitFine;
    std::this_thread::sleep_for(kWatchInterval);
  }
}

int RunApprovePlan(const ApproveArgs& args) {
  const auto ttl = SpanUs(args.ttl, 60 * kMinuteUs);
  if (!ttl.ok()) return Fail(ttl.error());
  const auto text = platform::ReadFile(args.file, kMaxFileBytes);
  if (!text.ok()) return Fail(text.error());
  auto parsed = approvals::ParsePlan(text.value());
  if (!parsed.ok()) return Fail(parsed.error().Under(args.file));
  auto store = OpenStore(args, true);
  if (!store.ok()) return Fail(store.error());
  Witness witness(args);
  approvals::Plan plan;
  plan.text = std::move(parsed.value());
  plan.tenant = args.tenant;
  plan.principal = OrNobody(args.principal);
  plan.session = OrNobody(args.session);
  plan.approver = witness.actor();
  plan.reason = args.reason;
  const auto id = store.value()->AddPlan(plan, ttl.value(), platform::ReadNow(), [&](std::string_view plan_id) {
    audit::Record record;
    record.kind = audit::Kind::kApprovalAnswered;
    record.session = args.session;
    record.principal = args.principal;
    record.server = plan.text.server;
    record.name = "approved";
    record.definition = base::Sha256(text.value());
    const std::string what = std::string(plan_id) + ", a plan of " + std::to_string(plan.text.steps.size()) + " steps" +
                             (args.reason.empty() ? "" : ": ") + args.reason;
    record.text = what;
    return witness.Record(record);
  });
  if (!id.ok()) return Fail(id.error());
  ApproveArgs show = args;
  show.id = id.value();
  return RunApproveShow(show);
}

int RunBreakGlassOpen(const ApproveArgs& args) {
  const auto ttl = SpanUs(args.ttl, 15 * kMinuteUs);
  if (!ttl.ok()) return Fail(ttl.error());
  auto store = OpenStore(args, true);
  if (!store.ok()) return Fail(store.error());
  Witness witness(args);
  approvals::BreakGlass window;
  window.tenant = args.tenant;
  window.principal = OrNobody(args.principal);
  window.session = OrNobody(args.session);
  window.reason = args.reason;
  window.opened_by = witness.actor();
  const auto id = store.value()->OpenBreakGlass(window, ttl.value(), platform::ReadNow(), [&](std::string_view opened) {
    audit::Record record;
    record.kind = audit::Kind::kBreakGlass;
    record.session = args.session;
    record.principal = args.principal;
    record.name = opened;
    const std::string text = "opened for " + std::to_string(ttl.value() / kMicros) + " s: " + args.reason;
    record.text = text;
    return witness.Record(record);
  });
  if (!id.ok()) return Fail(id.error());
  return RunBreakGlassList(args);
}

int RunBreakGlassList(const ApproveArgs& args) {
  auto store = OpenStore(args, false);
  if (!store.ok()) {
    if (store.error().code() != ErrorCode::kFileNotFound) return Fail(store.error());
    return kExitFine;
  }
  const base::Now now = platform::ReadNow();
  const auto windows = store.value()->BreakGlasses(now);
  if (!windows.ok()) return Fail(windows.error());
  for (const approvals::BreakGlass& window : windows.value()) Print(args, window, now.wall);
  return kExitFine;
}

int RunBreakGlassReview(const ApproveArgs& args) {
  auto store = OpenStore(args, false);
  if (!store.ok()) return Fail(store.error());
  Witness witness(args);
  const Status reviewed =
      store.value()->ReviewBreakGlass(args.id, witness.actor(), platform::ReadNow(), [&]() -> Status {
        audit::Record record;
        record.kind = audit::Kind::kBreakGlass;
        record.name = args.id;
        record.text = "reviewed";
        return witness.Record(record);
      });
  if (!reviewed.ok()) return Fail(reviewed.error());
  std::printf("%s is reviewed by %s\n", base::Printable(args.id).c_str(), base::Printable(witness.actor()).c_str());
  return kExitFine;
}

}  // namespace interlock::app
