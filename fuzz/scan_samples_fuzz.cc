// links: eval
// Labelled packages, rows of older runs and SARIF of other scanners: no crash, and what is read can be described.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interlock/eval/scanner/mask.h"
#include "interlock/eval/scanner/measure.h"
#include "interlock/eval/scanner/sample.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace interlock::eval::scanner;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<ScanSample> samples;
  if (auto fixture = ParseScanFixture(bytes); fixture.ok()) samples = std::move(fixture.value());
  if (auto record = ParseCorpusRecord(bytes); record.ok()) samples.push_back(std::move(record.value()));
  std::vector<const ScanSample*> all;
  for (const ScanSample& sample : samples) {
    all.push_back(&sample);
    static_cast<void>(Describe({.sample = sample, .outcome = {}}));
  }
  const IndicatorMask mask = IndicatorMask::Derive(all, {});
  for (const ScanSample& sample : samples) static_cast<void>(mask.Apply(sample));
  static_cast<void>(ReadOldVerdicts(bytes));
  const std::vector<std::string> names = {"corpus__a", "b"};
  static_cast<void>(ReadSarif(bytes, names));
  return 0;
}
