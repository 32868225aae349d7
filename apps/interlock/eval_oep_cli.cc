// The command line of `interlock eval oep`.
#include <CLI/CLI.hpp>
#include <memory>

#include "eval_oep.h"

namespace interlock::app {

void AddEvalOepCommand(CLI::App& group, std::function<int()>& run) {
  const auto a = std::make_shared<EvalOepArgs>();
  auto* c = group.add_subcommand("oep", "incidents, attacks and the gate: GIRA's tables beside ours");
  c->footer(
      "  interlock eval oep                                    the paper's 2,250 runs, and ours\n"
      "  interlock eval oep --suite extended --format html > report.html\n"
      "  interlock eval oep --agents interlock --traces runs.jsonl; interlock replay --policy P runs.jsonl\n"
      "  interlock eval oep --planner-cmd ./planner --record transcript.jsonl --seeds 1\n"
      "  interlock eval oep --data incidents/mine.json --data suites/mine.json --suite mine\n"
      "What is simulated and how: docs/oep.md. Exit codes: 0 measured, 2 could not run.");
  c->add_option("--suite", a->suite, "paper | extended | heldout, or one of your own")->capture_default_str();
  c->add_option("--seeds", a->seeds, "how many")->check(CLI::Range(1, 10'000))->capture_default_str();
  c->add_option("--seed", a->seed, "the first of them")->capture_default_str();
  c->add_option("-j,--threads", a->threads, "default: one a core; the figures do not depend on it")
      ->check(CLI::Range(1, 256));
  c->add_option("--agents", a->agents, "only these, by comma")->delimiter(',');
  c->add_option("--data", a->data,
                "a data file of your own: incidents/X.json, attacks/X.json, suites/X.json, "
                "agents.json, policies/X.yaml; its path from that folder on is its name");
  c->add_option("--planner-cmd", a->planner, "instead of the scripted planner: a command, one JSON line in, one out");
  c->add_option("--planner-timeout", a->planner_timeout, "seconds an answer may take")->capture_default_str();
  c->add_option("--planner-replay", a->replay, "instead of the scripted planner: a transcript");
  c->add_option("--record", a->record, "write what the planner answered as a transcript");
  c->add_option("--traces", a->traces, "write every run as a line of interlock.trace/v1");
  c->add_option("--out", a->out, "write report.html and rows.json into this folder");
  c->add_flag("!--no-sweeps", a->sweeps, "leave out the frontiers over rho_max and eta");
  c->add_option("--format", a->format, "text | json | html")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  c->callback([a, &run] { run = [a] { return RunEvalOep(*a); }; });
}

}  // namespace interlock::app
