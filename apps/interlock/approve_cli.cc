// The command line of `interlock approve`.
#include "approve_command.h"
#include "options.h"

namespace interlock::app {
namespace {

using Run = std::function<int()>;

CLI::App* Add(CLI::App* group, const char* name, const char* help, ApproveArgs& a, Run& run,
              int (*function)(const ApproveArgs&)) {
  auto* c = group->add_subcommand(name, help);
  c->callback([&a, &run, function] { run = [&a, function] { return function(a); }; });
  return c;
}

void AddStore(CLI::App* c, ApproveArgs& a) {
  c->add_option("--store", a.store, "approvals file; default: approvals.db in the state folder");
  AddFormat(c, a.format);
}

void AddAct(CLI::App* c, ApproveArgs& a) {
  AddStore(c, a);
  c->add_option("--audit-dir", a.audit_dir, "audit log folder; default: audit/ in the state folder");
  c->add_flag("--i-accept-no-audit", a.no_audit, "do it without an audit record");
  c->add_option("--as", a.as, "the name it is recorded under, beside the login name");
}

void AddWhom(CLI::App* c, ApproveArgs& a) {
  c->add_option("--session", a.session, "for this session");
  c->add_option("--principal", a.principal, "for sessions of this principal");
}

}  // namespace

void AddApproveCommands(CLI::App& app, Run& run) {
  static ApproveArgs a;
  auto* group = app.add_subcommand("approve", "answer calls that wait for a person; plans in advance; break-glass");
  group->require_subcommand(1);
  group->footer(
      "  interlock approve list                      what waits\n"
      "  interlock approve show a-0123456789         its exact arguments, the evidence, what would void a yes\n"
      "  interlock approve grant a-0123456789        yes, to this exact call, once\n"
      "Who can write the approvals file can approve: keep it, and this command, out of the agent's reach.\n"
      "Exit codes: 0 done, 1 it was answered already or no longer stands, 2 could not run.");
  {
    auto* c = Add(group, "list", "what waits and what is in force", a, run, RunApproveList);
    AddStore(c, a);
    AddWhom(c, a);
    c->add_option("--state", a.state, "pending | granted | denied | used | void | expired")
        ->check(CLI::IsMember({"pending", "granted", "denied", "used", "void", "expired"}));
    c->add_flag("--all", a.all, "finished ones too");
  }
  {
    auto* c = Add(group, "show", "one request, plan or break-glass window, whole", a, run, RunApproveShow);
    AddStore(c, a);
    c->add_option("id", a.id, "")->required();
  }
  {
    auto* c = Add(group, "grant", "let the call go ahead when it is repeated", a, run, RunApproveGrant);
    AddAct(c, a);
    c->add_option("id", a.id, "")->required();
    c->add_option("--scope", a.scope,
                  "once | session (this exact call, as often as it comes up) | pattern (calls within --constrain)")
        ->check(CLI::IsMember({"once", "session", "pattern"}))
        ->capture_default_str();
    c->add_option("--constrain", a.constraint, "file with a JSON Schema of the arguments; for scope pattern");
    c->add_option("--max-uses", a.max_uses, "how many calls a pattern is good for")->capture_default_str();
    c->add_option("--ttl", a.ttl, "how long it is good: 90s, 15m (the default), 2h, at most 7d");
    c->add_option("--reason", a.reason, "kept with it");
  }
  {
    auto* c = Add(group, "deny", "say no", a, run, RunApproveDeny);
    AddAct(c, a);
    c->add_option("id", a.id, "")->required();
    c->add_option("--reason", a.reason, "the agent is told");
    c->add_option("--ttl", a.ttl, "how long the same call is refused without asking again: 1h (the default), ...");
  }
  {
    auto* c =
        Add(group, "revoke", "take back a grant, a refusal, a plan or a break-glass window", a, run, RunApproveRevoke);
    AddAct(c, a);
    c->add_option("id", a.id, "")->required();
    c->add_option("--reason", a.reason, "kept with it");
  }
  {
    auto* c = Add(group, "watch", "show requests as they come", a, run, RunApproveWatch);
    AddStore(c, a);
    AddWhom(c, a);
    c->add_option("--timeout", a.timeout_s, "seconds; 0: until interrupted")->check(CLI::NonNegativeNumber);
  }
  {
    auto* c = Add(group, "plan", "approve a plan in advance: tools, bounds of their arguments, how often", a, run,
                  RunApprovePlan);
    AddAct(c, a);
    AddWhom(c, a);
    c->add_option("--tenant", a.tenant, "whose sessions, where the file serves several tenants");
    c->add_option("file", a.file, "plan (interlock.plan/v1)")->required();
    c->add_option("--ttl", a.ttl, "how long it is good: 1h (the default), ..., at most 7d");
    c->add_option("--reason", a.reason, "kept with it");
  }
  {
    auto* c = Add(group, "break-glass", "raise the thresholds that the policy's break_glass names, for a while", a, run,
                  RunBreakGlassOpen);
    AddAct(c, a);
    AddWhom(c, a);
    c->add_option("--tenant", a.tenant, "whose sessions, where the file serves several tenants");
    c->add_option("--reason", a.reason, "why: without one nothing is opened");
    c->add_option("--ttl", a.ttl, "how long: 15m (the default), ..., at most 24h and the policy's own limit");
    c->footer(
        "It lifts no rule that forbids and nothing of the injection layer. Every decision under it is recorded "
        "twice, and it is to be reviewed.\nTo end one early: interlock approve revoke ID");
    c->require_subcommand(0, 1);
    auto* list = c->add_subcommand("list", "all windows, newest first");
    AddStore(list, a);
    auto* review = c->add_subcommand("review", "say that somebody has looked at what happened under it");
    AddAct(review, a);
    review->add_option("id", a.id, "")->required();
    review->add_option("--reviewed", a.as, "who has looked at it; default: the login name");
    c->final_callback([c, list, review, &run] {
      if (list->parsed()) {
        run = [] { return RunBreakGlassList(a); };
      } else if (review->parsed()) {
        run = [] { return RunBreakGlassReview(a); };
      } else {
        run = [] { return RunBreakGlassOpen(a); };
      }
    });
  }
}

}  // namespace interlock::app
