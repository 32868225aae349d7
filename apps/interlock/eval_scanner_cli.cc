// The command line of `interlock eval scanner`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "eval_scanner.h"
#include "interlock/eval/scanner/rewrite.h"

namespace interlock::app {

void AddEvalScannerCommand(CLI::App& group, std::function<int()>& run) {
  const auto a = std::make_shared<EvalScannerArgs>();
  auto* c = group.add_subcommand("scanner", "the scanner's static layer over labelled packages");
  c->footer(
      "  interlock eval scanner --data DIR --fixtures tests/scan-fixtures --packages PKGS --out results\n"
      "  interlock eval scanner --fixtures tests/scan-fixtures --split tune --show missed\n"
      "  interlock eval scanner --data DIR --format json > new.json; ... --compare old.json    gained and lost\n"
      "  interlock eval scanner --fixtures tests/scan-fixtures --split tune --rewrite all\n"
      "  interlock eval scanner --data DIR --export samples      then score what another scanner says about them:\n"
      "  interlock eval scanner --data DIR --results theirs.sarif\n"
      "PKGS is filled by tools/fetch-scan-packages. What is measured and what is held out: "
      "docs/scanner-evaluation.md.\n"
      "Exit codes: 0 measured, 2 could not run.");
  c->add_option("--data", a->data, "folder with corpus.jsonl.gz, or with scanner_dev/corpus.jsonl.gz");
  c->add_option("--packages", a->packages, "folder of benign packages from registries, each a folder or an archive");
  c->add_option("--fixtures", a->fixtures, "folder of own fixtures: tests/scan-fixtures");
  c->add_option("--split", a->split, "tune: what rules may be written by; held: what they are measured on; all")
      ->check(CLI::IsMember({"tune", "held", "all"}))
      ->capture_default_str();
  c->add_option("--show", a->show, "list samples with their findings: missed | false | block, by comma")
      ->delimiter(',')
      ->check(CLI::IsMember({"missed", "false", "block"}));
  c->add_flag("--counts", a->counts, "figures alone, no package named: for samples that nobody is to read")
      ->excludes("--show");
  c->add_option("--rules", a->rules, "own rule files or folders beside the shipped ones")->allow_extra_args(false);
  c->add_option(
       "--rewrite", a->rewrite,
       "rewrite what calls are given (a dictionary, a closure, ... first) in Python and JavaScript, documents in "
       "other Markdown, scripts into other folders, and score those samples: an id such as py-list, md-pre, "
       "folder-tests; all: a table of how many stay caught by which")
      ->check([](const std::string& id) {
        const auto all = eval::scanner::Rewritings();
        const bool known = id == "all" || std::ranges::find(all, id, &eval::scanner::Rewriting::id) != all.end();
        return known ? std::string() : "no such rewriting: " + id;
      });
  c->add_option("--results", a->results, "score this SARIF file of another scanner instead of scanning");
  c->add_option("--compare", a->compare, "rows of an older run (--format json): what was gained and lost");
  c->add_option("--export", a->export_to, "write the samples, a folder each, for another scanner, and stop");
  c->add_option("--features", a->features,
                "write the sentences of the samples as features for tools/train-order-classifier, and stop");
  c->add_option("--sentences", a->sentences, "with --features: labelled sentences beside the samples (JSON lines)");
  c->add_option("--out", a->out, "write report.html and rows.json into this folder");
  c->add_flag("--timing", a->timing, "measure time as well; these figures differ from run to run");
  c->add_flag("!--no-masked", a->masked, "leave out the run with the wild campaign's indicators masked");
  c->add_option("-j,--jobs", a->jobs, "threads; default: one a core")->check(CLI::Range(1, 256));
  c->add_option("--format", a->format, "text | json | html")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->capture_default_str();
  c->callback([a, &run] { run = [a] { return RunEvalScanner(*a); }; });
}

}  // namespace interlock::app
