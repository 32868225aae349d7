// The command line of `interlock learn` and `interlock graph`.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "graph_command.h"
#include "options.h"

namespace interlock::app {
namespace {

using Run = std::function<int()>;

void AddClasses(CLI::App* command, bounds::GraphPolicy& policy) {
  command->add_option("--min-support", policy.min_support, "sessions below which a flow counts as novel")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--purity", policy.purity, "share of one side that makes a flow that side's")
      ->check(CLI::Range(0.501, 1.0))
      ->capture_default_str();
  command->add_flag("--by-rate", policy.by_rate, "compare shares of each side's sessions, not counts");
}

void AddLearn(CLI::App& app, Run& run) {
  const auto a = std::make_shared<LearnArgs>();
  auto* c = app.add_subcommand("learn", "learn a functionality graph: what the agent's calls look like");
  c->footer(
      "TRACES as in replay. A session counts for the side that --label, a review or its own annotation `label` gives;\n"
      "a session without a side is counted and left out.\n"
      "  interlock learn benign.jsonl.zst --label benign -o b.graph.json\n"
      "  interlock learn --update g.json --reviews reviews.jsonl new.jsonl -o g2.json --diff d.json\n"
      "Exit codes: 0 learned, 2 could not run (nothing is written then).");
  c->add_option("traces", a->files, "trace files")->required();
  c->add_option("-o,--output", a->output, "graph file; default: standard output");
  c->add_option("--label", a->label, "side of every session: benign | attack")
      ->check(CLI::IsMember({"benign", "attack"}));
  c->add_option("--reviews", a->reviews, "review file (interlock.review/v1 lines): sides by session");
  c->add_option("--tools", a->tools, "tool classes, or a tools/list result (repeatable)")->allow_extra_args(false);
  c->add_option("-p,--policy", a->policy.file, "policy file: its roles, and the side effects it states");
  c->add_option("--profile", a->policy.profile, "");
  c->add_option("--var", a->policy.variables, "NAME=VALUE (repeatable)")->allow_extra_args(false);
  c->add_option("--role-key", a->role_key, "also count by: none | principal | role (of the policy) | domain")
      ->check(CLI::IsMember({"none", "principal", "role", "domain"}))
      ->capture_default_str();
  auto* tenant = c->add_option("--tenant", a->tenant, "also count for this tenant");
  c->add_flag("--tenant-by-domain", a->tenant_by_domain, "also count by the session's domain as its tenant")
      ->excludes(tenant);
  c->add_option("--as-of", a->as_of, "date (2026-01-31) of sessions that carry none, and of an update");
  c->add_option("-j,--jobs", a->jobs, "threads")->check(CLI::Range(1, 256))->capture_default_str();
  auto* update =
      c->add_option("--update", a->update, "add reviewed sessions to this graph; settle and fade (needs --as-of)");
  c->add_option("--diff", a->diff, "write what the update changed, to be applied or reverted")->needs(update);
  c->add_option("--review-list", a->review_list, "write the sessions that wait for a review")->needs(update);
  bounds::UpdatePolicy& u = a->update_policy;
  const auto confidence = CLI::Range(0.000001, 1.0);
  c->add_option("--min-confidence", u.min_confidence, "of a person's review")->check(confidence)->capture_default_str();
  c->add_option("--min-outcome-confidence", u.min_outcome_confidence, "of a verified outcome")
      ->check(confidence)
      ->capture_default_str();
  c->add_option("--promote-sessions", u.promote_sessions,
                "an ambiguous flow is settled by so many sessions of one side")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  c->add_option("--promote-days", u.promote_days, "... within so many days, with none of the other")
      ->check(CLI::Range(1, 36500))
      ->capture_default_str();
  c->add_flag("--keep-undated", a->keep_undated, "evidence without a date is never settled over");
  c->add_option("--benign-half-life", u.benign_half_life_days, "days in which counts halve; 0: never")
      ->check(CLI::Range(0, 36500))
      ->capture_default_str();
  c->add_option("--attack-half-life", u.attack_half_life_days, "days in which counts halve; 0: never")
      ->check(CLI::Range(0, 36500))
      ->capture_default_str();
  c->add_flag("--skip-malformed", a->skip_malformed, "report malformed records and go on");
  AddFormat(c, a->format);
  c->callback([a, &run] { run = [a] { return RunLearn(*a); }; });
}

struct Subcommand {
  const char* name;
  const char* help;
  int (*run)(const GraphArgs&);
  void (*options)(CLI::App*, GraphArgs&);
};

constexpr Subcommand kSubcommands[] = {
    {"show", "the flows of a graph, with counts and classes", RunGraphShow,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graph", a.files, "graph file")->required()->expected(1);
       c->add_option("--view", a.view, "calls | retrieval_to_action | action_to_action | arguments | transitions")
           ->check(CLI::IsMember({"calls", "retrieval_to_action", "action_to_action", "arguments", "transitions"}));
       c->add_option("--tool", a.tool, "only flows of this tool");
       c->add_option("--class", a.flow_class, "benign | novel | ambiguous | attack")
           ->check(CLI::IsMember({"benign", "novel", "ambiguous", "attack"}));
       c->add_option("-n,--limit", a.limit, "at most so many flows a view; 0: all");
       AddClasses(c, a.policy);
       AddFormat(c, a.format);
     }},
    {"diff", "what changed from one graph to another, as a diff that merge applies and reverts", RunGraphDiff,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graphs", a.files, "two graph files: before, after")->required()->expected(2);
       c->add_option("-o,--output", a.output, "file for the diff as JSON; default: --format decides what is printed");
       AddClasses(c, a.policy);
       AddFormat(c, a.format);
       c->footer("Exit codes: 0 the same, 1 different, 2 could not run.");
     }},
    {"merge", "add graphs up, or apply or revert a diff", RunGraphMerge,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graphs", a.files, "graph files")->required();
       c->add_option("-o,--output", a.output, "file; default: standard output");
       auto* apply = c->add_option("--apply", a.apply, "diff to apply to the one graph given");
       c->add_option("--revert", a.revert, "diff to take back from the one graph given")->excludes(apply);
     }},
    {"explain", "which class a call or each call of a session has, why, and what was seen instead", RunGraphExplain,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graph", a.files, "graph file")->required()->expected(1);
       auto* tool = c->add_option("--tool", a.tool, "the call in question");
       c->add_option("--after", a.after, "calls that ran before it, in order: a,b,c")->delimiter(',')->needs(tool);
       auto* session = c->add_option("--session", a.session, "trace file: every call of it")->excludes(tool);
       c->add_option("--name", a.session_name, "only the session of this name")->needs(session);
       c->add_option("--tenant", a.tenant, "ask this tenant's flows first");
       c->add_option("--role", a.roles, "ask this role's flows first (repeatable)")->allow_extra_args(false);
       AddClasses(c, a.policy);
       AddFormat(c, a.format);
     }},
    {"propose", "a policy drawn from a graph, to be read and edited", RunGraphPropose,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graph", a.files, "graph file")->required()->expected(1);
       c->add_option("-o,--output", a.output, "file; default: standard output");
       AddClasses(c, a.policy);
     }},
    {"import", "read a published graph; each of its flows counts one undated session", RunGraphImport,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graph", a.files, "file of the published layout")->required()->expected(1);
       c->add_option("-o,--output", a.output, "file; default: standard output");
       c->add_option("--format", a.graph_format, "agent-sentry")
           ->check(CLI::IsMember({"agent-sentry"}))
           ->capture_default_str();
     }},
    {"export", "write a graph in a published layout; counts, days and match kinds are left out", RunGraphExport,
     [](CLI::App* c, GraphArgs& a) {
       c->add_option("graph", a.files, "graph file")->required()->expected(1);
       c->add_option("-o,--output", a.output, "file; default: standard output");
       c->add_option("--format", a.graph_format, "agent-sentry")
           ->check(CLI::IsMember({"agent-sentry"}))
           ->capture_default_str();
     }},
};

}  // namespace

void AddGraphCommands(CLI::App& app, Run& run) {
  AddLearn(app, run);
  auto* group = app.add_subcommand("graph", "show, compare, merge and explain functionality graphs");
  group->require_subcommand(1);
  for (const Subcommand& subcommand : kSubcommands) {
    const auto args = std::make_shared<GraphArgs>();
    auto* c = group->add_subcommand(subcommand.name, subcommand.help);
    subcommand.options(c, *args);
    c->callback([args, &run, &subcommand] { run = [args, &subcommand] { return subcommand.run(*args); }; });
  }
}

}  // namespace interlock::app
