// The command line of `interlock eval`.
#include <CLI/CLI.hpp>
#include <memory>

#include "eval_command.h"
#include "eval_gate.h"
#include "eval_oep.h"
#include "eval_scanner.h"
#include "eval_spans.h"
#include "options.h"

namespace interlock::app {

void AddEvalCommands(CLI::App& app, std::function<int()>& run) {
  auto* group = app.add_subcommand("eval", "published evaluations: as published, reproduced, corrected, and ours");
  group->require_subcommand(1);
  const auto a = std::make_shared<EvalArgs>();
  auto* c = group->add_subcommand("agent-sentry", "bounds: the paper's tables and figures beside ours");
  c->footer(
      "DIR holds bench.jsonl.zst, ad_run1.jsonl.zst, train_samples.json.zst and tools/, or a folder agent_sentry with\n"
      "them. The data is not part of Interlock.\n"
      "  interlock eval agent-sentry --data DIR --out results     results/report.html, results/rows.json\n"
      "  interlock eval agent-sentry --data DIR --only paper --format json\n"
      "What is measured and how: docs/evaluation.md. Exit codes: 0 measured, 2 could not run.");
  c->add_option("--data", a->data, "folder of the data set; default: $INTERLOCK_DATA");
  c->add_option("--out", a->out, "write report.html and rows.json into this folder");
  c->add_option("--weights", a->weights,
                "train the weights that the program embeds, write them to this folder, and stop");
  c->add_option("--ordinary", a->ordinary,
                "teach the span finder ordinary documents too: two of three README.md below this folder, in order");
  c->add_option("--authored", a->authored,
                "teach sessions of other domains too: *.jsonl in this folder (src/eval/data/authored)");
  c->add_option("--seed", a->seed, "of folds, shuffles and resampling; the same seed gives the same bytes")
      ->capture_default_str();
  auto* quick = c->add_flag("--quick", a->quick, "fewer shuffles, resamplings and folds: a look, not a result");
  c->add_flag("--full", a->full, "everything (the default)")->excludes(quick);
  c->add_option("--only", a->only, "sections, by comma: paper,grouped,cross,stress,adaptive,curves; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember({"paper", "grouped", "cross", "stress", "adaptive", "curves"}));
  c->add_option("-j,--jobs", a->jobs, "threads; the figures do not depend on it")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  AddFormat(c, a->format);
  c->callback([a, &run] { run = [a] { return RunEvalAgentSentry(*a); }; });
  AddEvalScannerCommand(*group, run);
  AddEvalSpansCommand(*group, run);
  AddEvalOepCommand(*group, run);
  AddEvalGateCommand(*group, run);
}

}  // namespace interlock::app
