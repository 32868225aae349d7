// `interlock eval scanner`: the scanner over labelled packages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interlock/base/result.h"
#include "interlock/eval/scanner/sample.h"

namespace CLI {
class App;
}

namespace interlock::app {

struct EvalScannerArgs {
  std::string data;      // folder with corpus.jsonl.gz (or scanner_dev in it); "": none
  std::string packages;  // folder of registry packages; "": none
  std::string fixtures;  // folder of own fixtures; "": none
  std::string split = "all";
  std::vector<std::string> show;  // missed, false, block
  bool counts = false;            // figures alone: no sample is named in the text
  std::vector<std::string> rules;
  std::string rewrite;    // a rewriting's id, or "all": see eval/scanner/rewrite.h; "": none
  std::string results;    // SARIF of another scanner; then nothing is scanned
  std::string compare;    // rows of an older run
  std::string export_to;  // write the samples there and stop
  std::string features;   // write what the classifier of orders is trained on there and stop
  std::string sentences;  // labelled sentences beside the samples, for `features`
  std::string out;
  std::string format = "text";
  std::uint32_t jobs = 0;  // 0: one a core
  bool timing = false;
  bool masked = true;
};

int RunEvalScanner(const EvalScannerArgs& args);
void AddEvalScannerCommand(CLI::App& group, std::function<int()>& run);

// What `args` name, in a fixed order, filtered by split. Views of packages are not loaded (ScanSample::path).
[[nodiscard]] base::Result<std::vector<eval::scanner::ScanSample>> LoadScanSamples(const EvalScannerArgs& args);
// Archives among the files of a view that was not read from a folder: their members beside them.
void OpenArchives(core::PackageView& view);

}  // namespace interlock::app
