#include "cli.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "approve_command.h"
#include "commands.h"
#include "discover_command.h"
#include "eval_command.h"
#include "graph_command.h"
#include "options.h"
#include "rules_command.h"
#include "scan_command.h"

namespace interlock::app {
namespace {

using Run = std::function<int()>;

void AddPolicy(CLI::App* command, PolicyArgs& args) {
  command->add_option("-p,--policy", args.file, "policy file; default: ./interlock.yaml, else the profile alone");
  command->add_option("--profile", args.profile, "default | strict | monitor; overrides the policy's own");
  command->add_option("--var", args.variables, "NAME=VALUE for ${NAME} in the policy (repeatable)")
      ->allow_extra_args(false);
  command->add_flag("--shadow", args.shadow, "decide and record, enforce nothing");
}

void AddCommand(CLI::App* command, std::vector<std::string>& out, bool required = true) {
  auto* option = command->add_option("command", out, "the server's command and arguments, after --");
  if (required) option->required();
}

void AddProxy(CLI::App& app, ProxyArgs& a, Run& run) {
  auto* c = app.add_subcommand("proxy",
                               "stand in front of an MCP server: decide each call, record it, pass the rest through");
  c->footer(
      "Put this where your host's configuration names the server:\n"
      "  interlock proxy --policy interlock.yaml -- npx -y some-mcp-server /srv/task\n"
      "Exit codes: 0 client closed, 2 could not run, 3 the server ended first, 128+n ended by signal n.");
  AddPolicy(c, a.policy);
  c->add_option("--audit-dir", a.audit_dir, "audit log folder; default: audit/ in the state folder");
  c->add_flag("--i-accept-no-audit", a.no_audit, "run without an audit log (shown and counted)");
  c->add_option("--bodies", a.bodies,
                "what the log keeps of arguments and results: none | redacted | original (encrypted)")
      ->check(CLI::IsMember({"none", "redacted", "original"}))
      ->capture_default_str();
  c->add_option("--anchor-file", a.anchor_file, "also append each signed checkpoint to this file (keep it elsewhere)");
  c->add_option("--session", a.session, "name of the session; proxies of one name share labels and taint");
  c->add_option("--store", a.store,
                "session store file; default: sessions.db in the state folder, used when --session is given");
  c->add_option(
      "--approvals", a.approvals,
      "approvals file, for `interlock approve`; default: approvals.db beside --store, else in the state folder");
  c->add_flag("--no-approvals", a.no_approvals, "only who can be asked through the client can approve");
  c->add_option("--approval-wait", a.approval_wait_s,
                "seconds a call of a client that shows no questions waits for `interlock approve`; 0: refused at once, "
                "to be repeated")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  c->add_option("--tenant", a.tenant, "whose sessions these are, where a store serves several tenants");
  c->add_option("--pins", a.pins,
                "file of accepted tool definitions; default: beside the policy, else in the state folder");
  c->add_option("--graph", a.graph, "functionality graph of `interlock learn`; default: the policy's `graph`");
  auto* passport =
      c->add_option("--passport", a.passport, "hold the server's tools against this passport of `interlock scan`");
  c->add_option("--passport-key", a.passport_key, "the passport must be signed by this public key (hex)")
      ->needs(passport);
  c->add_option(
       "--scan", a.first_use,
       "what the scanner's look at tools, prompts, resources and instructions holds back: off | on (what would "
       "block) | strict (what warns, too; also in profile strict); default: the policy's scan.first_use, else on")
      ->check(CLI::IsMember({"off", "on", "strict"}));
  c->add_option("--server", a.server, "name of this server in policy, pins and audit; default: from the command");
  c->add_option("--principal", a.principal, "who the agent works for (policy: principals)");
  c->add_option("--environment", a.environment, "dev, prod, ... (policy: environment)");
  c->add_option("--request-file", a.request_file, "the user's request, as text; without it the request is unknown");
  c->add_option("--fact", a.facts,
                "CHANNEL=FILE: JSON that you vouch for, such as the alert; what the policy's bindings call a fact")
      ->allow_extra_args(false);
  c->add_flag("--request-from-meta", a.request_from_meta,
              "believe _meta[\"interlock/request\"] of calls: only if the host fills it, not the model");
  c->add_option("--socket", a.socket,
                "unix socket for the host: request text, labels, approvals (one JSON object a line)");
  c->add_option("--call-timeout", a.call_timeout_s, "seconds a forwarded call may take; 0: as long as it likes")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--refuse-as", a.refuse_as,
                "how a refusal is answered: result (isError, the model reads it) | error (JSON-RPC)")
      ->check(CLI::IsMember({"result", "error"}))
      ->capture_default_str();
  c->add_option("--max-line-bytes", a.max_line_bytes, "longest message")
      ->check(CLI::Range(1024.0, 1024.0 * 1024 * 1024))
      ->capture_default_str();
  c->add_option("--max-inflight-bytes", a.max_inflight_bytes, "memory for calls held or waiting")
      ->capture_default_str();
  c->add_option("--max-open-requests", a.max_open_requests, "requests in flight")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  AddCommand(c, a.command);
  c->callback([&a, &run] { run = [&a] { return RunProxyCommand(a); }; });
}

void AddReplay(CLI::App& app, ReplayArgs& a, Run& run) {
  auto* c =
      app.add_subcommand("replay", "decide recorded sessions again: what would this policy have done, and how fast");
  c->footer(
      "FILE: interlock.trace/v1, agent_sentry compact, chat dumps or AgentDojo runs; plain, .gz or .zst; - is standard "
      "input.\n"
      "  interlock replay --policy interlock.yaml sessions.jsonl.zst --format json | tail -1\n"
      "Exit codes: 0 every session was read, 2 a malformed line (with its place) unless --skip-malformed.");
  AddPolicy(c, a.policy);
  c->add_option("files", a.files, "trace files")->required();
  c->add_option("--tools", a.tools, "a tools/list result (JSON), for schemas and definitions");
  c->add_option("--graph", a.graph, "functionality graph of `interlock learn`; default: the policy's `graph`");
  c->add_option("--systems", a.systems, "system prompts of compact traces; default: systems.json beside the file");
  c->add_flag("--skip-malformed", a.skip_malformed, "report malformed lines and go on");
  c->add_flag("--calls", a.calls, "text format: a line a call");
  c->add_flag("-q,--quiet", a.quiet, "only the summary");
  c->add_option("--repeat", a.repeat, "read the files this many times")->check(CLI::Range(1, 1000000));
  AddFormat(c, a.format);
  c->callback([&a, &run] { run = [&a] { return RunReplay(a); }; });
}

void AddSplice(CLI::App& app, SpliceArgs& a, Run& run) {
  auto* c = app.add_subcommand("splice", "make attack sessions for your agent from your own traces");
  c->footer(
      "An attack's request is put into what a benign session reads; the session then goes on as the attack does.\n"
      "  interlock splice --benign ok.jsonl --attacks bad.jsonl -o attacks.jsonl --count 500 --cover\n"
      "  interlock splice --planner ./plan.sh --tools tools.json --benign ok.jsonl -o planned.jsonl --count 50\n"
      "Formats of trace files: as in replay. What is written: docs/splicing.md.");
  c->add_option("--benign", a.benign, "trace files of sessions without attack (repeatable)")->allow_extra_args(false);
  c->add_option("--attacks", a.attacks, "trace files of sessions that do what an attacker wants (repeatable)")
      ->allow_extra_args(false);
  c->add_option("--tools", a.tools, "a tools/list result: which tools there are, and which only read");
  c->add_option("--systems", a.systems, "system prompts of compact traces; default: systems.json beside the file");
  c->add_option("-o,--output", a.output, "file; default: standard output");
  c->add_option("--count", a.count, "sessions to make")->check(CLI::Range(1, 1000000))->capture_default_str();
  c->add_option("--seed", a.seed, "the same seed and files give the same sessions")->capture_default_str();
  c->add_flag("--cover", a.cover, "prefer transitions between tools that were made least; print the matrix");
  c->add_option("--preambles", a.preambles, "file of texts in front of the instruction (interlock.preambles/v1)");
  c->add_option("--carriers", a.carriers, "file of what the payload is dressed as (interlock.carriers/v1)");
  c->add_option("--position", a.positions, "begin | middle | end | field | between (repeatable); default: all")
      ->allow_extra_args(false);
  c->add_option("--hijack", a.hijack, "early | late | both: in place of the carrier's task, or after it")
      ->check(CLI::IsMember({"early", "late", "both"}))
      ->capture_default_str();
  c->add_option("--point", a.point, "which untrusted result of a benign session carries the text, from 0")
      ->capture_default_str();
  c->add_option("--planner", a.planner, "command that plans sessions for missing transitions, one JSON line each way");
  c->add_option("--planner-timeout", a.timeout_s, "seconds for one answer")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  c->add_option("--refine", a.refinements, "more questions when a plan misses")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  c->add_flag("--skip-malformed", a.skip_malformed, "report malformed records and go on");
  AddFormat(c, a.format);
  c->callback([&a, &run] { run = [&a] { return RunSplice(a); }; });
}

struct PolicyCommands {
  PolicyInitArgs init;
  PolicyCheckArgs check;
  PolicyCheckArgs test;
  PolicyExplainArgs explain;
  PolicyAcceptArgs accept;
};

void AddPolicyCommands(CLI::App& app, PolicyCommands& p, Run& run) {
  auto* group = app.add_subcommand("policy", "draft, check, test and explain a policy; accept changed tools");
  group->require_subcommand(1);
  {
    auto* c = group->add_subcommand("init", "draft a policy from a server's tools: policy init -- CMD ARGS...");
    c->add_option("-o,--output", p.init.output, "write here (never over an existing file); default: standard output");
    c->add_option("--workspace", p.init.workspace, "folder whose paths count as inside; default: ${cwd}");
    AddCommand(c, p.init.command);
    c->callback([&p, &run] { run = [&p] { return RunPolicyInit(p.init); }; });
  }
  {
    auto* c = group->add_subcommand("check", "load a policy and show every diagnostic");
    c->add_option("file", p.check.policy.file, "policy file");
    AddPolicy(c, p.check.policy);
    AddFormat(c, p.check.format);
    c->callback([&p, &run] { run = [&p] { return RunPolicyCheck(p.check); }; });
  }
  {
    auto* c = group->add_subcommand("test", "run the policy's own tests");
    c->add_option("file", p.test.policy.file, "policy file");
    AddPolicy(c, p.test.policy);
    AddFormat(c, p.test.format);
    c->callback([&p, &run] { run = [&p] { return RunPolicyTest(p.test); }; });
  }
  {
    auto* c = group->add_subcommand("explain", "decide one call and show why");
    c->footer("  interlock policy explain write_file '{\"path\":\"/etc/x\"}' --seen untrusted");
    AddPolicy(c, p.explain.policy);
    c->add_option("tool", p.explain.tool, "tool name")->required();
    c->add_option("arguments", p.explain.arguments, "JSON object")->capture_default_str();
    c->add_option("--principal", p.explain.principal, "");
    c->add_option("--environment", p.explain.environment, "");
    c->add_option("--seen", p.explain.seen, "labels in the session (repeatable)")->allow_extra_args(false);
    c->add_option("--tools", p.explain.tools, "a tools/list result (JSON), for schemas");
    AddFormat(c, p.explain.format);
    c->callback([&p, &run] { run = [&p] { return RunPolicyExplain(p.explain); }; });
  }
  {
    auto* c = group->add_subcommand("accept", "accept tool definitions or server instructions that have changed");
    AddPolicy(c, p.accept.policy);
    c->add_option("--pins", p.accept.pins, "pins file; default as in proxy");
    c->add_option("--server", p.accept.server, "only this server");
    c->add_option("tools", p.accept.tools, "only these tools (default: --all or --list)");
    c->add_flag("--all", p.accept.all, "everything that is held");
    c->add_flag("--list", p.accept.list, "show what is held");
    c->callback([&p, &run] { run = [&p] { return RunPolicyAccept(p.accept); }; });
  }
}

void AddAuditCommand(CLI::App* group, const char* name, const char* help, AuditArgs& a, Run& run,
                     int (*function)(const AuditArgs&), const std::function<void(CLI::App*)>& more = {}) {
  auto* c = group->add_subcommand(name, help);
  c->add_option("--dir", a.dir, "audit folder; default: audit/ in the state folder");
  c->add_option("dir_", a.dir, "audit folder");
  c->add_option("--passphrase-fd", a.passphrase_fd,
                "read the key's passphrase from this descriptor (else $INTERLOCK_AUDIT_PASSPHRASE)");
  if (more) more(c);
  c->callback([&a, &run, function] { run = [&a, function] { return function(a); }; });
}

void AddFilter(CLI::App* c, AuditArgs& a) {
  c->add_option("--session", a.session, "only this session");
  c->add_option("--tool", a.tool, "only this tool");
  c->add_option("--verdict", a.verdict, "allow | rewrite | escalate | block");
  c->add_option("--kind", a.kind, "decision, outcome, session.start, ...");
  c->add_option("--since", a.since, "RFC 3339 time (2026-01-31T12:00:00Z), or a span back: 90s, 15m, 2h, 7d");
}

void AddAudit(CLI::App& app, AuditArgs& a, Run& run) {
  auto* group = app.add_subcommand("audit", "read, verify and export the audit log; its keys and retention");
  group->require_subcommand(1);
  AddAuditCommand(group, "tail", "the last rows", a, run, RunAuditTail, [&a](CLI::App* c) {
    AddFilter(c, a);
    c->add_option("-n,--limit", a.limit, "how many (default 20)");
    c->add_flag("-f,--follow", a.follow, "go on as rows come");
    AddFormat(c, a.format);
  });
  AddAuditCommand(group, "query", "rows that match", a, run, RunAuditQuery, [&a](CLI::App* c) {
    AddFilter(c, a);
    c->add_option("-n,--limit", a.limit, "at most so many");
    AddFormat(c, a.format);
  });
  AddAuditCommand(
      group, "verify", "prove that nothing was altered, removed or cut off", a, run, RunAuditVerify, [&a](CLI::App* c) {
        c->add_option("--anchor", a.anchors, "anchor file kept elsewhere (repeatable)")->allow_extra_args(false);
        c->add_option("--key", a.key_file, "file with the public key (hex) that is trusted; default: the folder's own");
        AddFormat(c, a.format);
        c->footer("Exit codes: 0 intact (an unclean end is shown), 1 broken, 2 could not check.");
      });
  AddAuditCommand(group, "export", "jsonl | trace | ocsf | tuples", a, run, RunAuditExport, [&a](CLI::App* c) {
    AddFilter(c, a);
    c->add_option("--as", a.export_format, "jsonl | trace (interlock.trace/v1) | ocsf | tuples (learning tuples)")
        ->check(CLI::IsMember({"jsonl", "trace", "ocsf", "tuples"}))
        ->capture_default_str();
    c->add_option("-o,--output", a.output, "file; default: standard output");
  });
  AddAuditCommand(group, "prune", "remove old rows, leaving signed tombstones", a, run, RunAuditPrune,
                  [&a](CLI::App* c) { c->add_option("--older-than-days", a.older_than_days, "")->required(); });
  AddAuditCommand(group, "purge-originals", "delete encrypted originals past their date", a, run, RunAuditPurge,
                  [&a](CLI::App* c) { c->add_flag("--all", a.all, "all of them"); });
  auto* key = group->add_subcommand("key", "the keys of an audit folder");
  key->require_subcommand(1);
  const auto storage = [&a](CLI::App* c) {
    c->add_option("--storage", a.new_storage, "file (mode 0600) | sealed (passphrase)")
        ->check(CLI::IsMember({"file", "sealed"}))
        ->capture_default_str();
  };
  AddAuditCommand(key, "new", "make keys", a, run, RunAuditKeyNew, storage);
  AddAuditCommand(key, "show", "print the public key, to be kept elsewhere", a, run, RunAuditKeyShow);
  AddAuditCommand(key, "rotate", "new signing key, signed by the old one", a, run, RunAuditKeyRotate, storage);
  AddAuditCommand(key, "reseal", "store the same keys another way", a, run, RunAuditKeyReseal, storage);
}

struct OtherArgs {
  ProxyArgs proxy;
  ReplayArgs replay;
  PolicyCommands policy;
  AuditArgs audit;
  DoctorArgs doctor;
  SpliceArgs splice;
};

void AddOtherCommands(CLI::App& app, OtherArgs& a, const std::string& self, Run& run) {
  AddDiscoverCommand(app, run);
  AddRulesCommands(app, run);
  AddProxy(app, a.proxy, run);
  AddReplay(app, a.replay, run);
  AddPolicyCommands(app, a.policy, run);
  AddGraphCommands(app, run);
  AddApproveCommands(app, run);
  AddAudit(app, a.audit, run);
  AddSplice(app, a.splice, run);
  AddEvalCommands(app, run);
  auto* doctor =
      app.add_subcommand("doctor", "prove that the gate blocks: a call that must be refused, through the real wiring");
  AddPolicy(doctor, a.doctor.policy);
  AddFormat(doctor, a.doctor.format);
  AddCommand(doctor, a.doctor.command);
  doctor->callback([&a, &run, self] { run = [&a, self] { return RunDoctor(a.doctor, self); }; });
  app.add_subcommand("version", "print the version")->callback([&run] {
    run = [] {
      std::puts("interlock " INTERLOCK_VERSION);
      return kExitFine;
    };
  });
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  CLI::App app(
      "interlock: a safety interlock for AI agents' tools. Decides, before anything runs, whether a tool call goes "
      "ahead,\n"
      "is rewritten into a harmless form, waits for a person, or is refused, and shows why.",
      "interlock");
  app.formatter(std::make_shared<HelpFormatter>());  // the subcommands take it over
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of every command");
  Run run;
  OtherArgs others;
  AddScanCommand(app, run);
  // A hook starts a scan for every file: what the other commands take is not put together for it.
  if (argc < 2 || std::string_view(argv[1]) != "scan") AddOtherCommands(app, others, argv[0], run);
  // Last: a subcommand takes over the footer that stands when it is added.
  app.footer(
      "First steps:\n"
      "  interlock policy init -o interlock.yaml -- CMD ARGS...   draft a policy from a server's tools\n"
      "  interlock doctor -- CMD ARGS...                          prove that the gate blocks\n"
      "  interlock proxy -- CMD ARGS...                           what your host should start instead of CMD");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int rc = app.exit(error);
    return rc == 0 ? kExitFine : kExitCannotRun;
  }
  return run ? run() : kExitCannotRun;
}

}  // namespace interlock::app
