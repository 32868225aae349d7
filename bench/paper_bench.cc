// links: base core eval platform own-main
// Matching of the published method over the bench traces: `paper_bench FOLDER [--every N] [--rounds N]`.
// CPU time a trace: cold, with nothing prepared before the pass, and warm, with everything. tools/paper-speed runs it
// beside the plain Python version. Its own main: it needs the data set, which is not part of the project.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "interlock/eval/agent_sentry/paper_match.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"

namespace interlock::eval::agent_sentry {
namespace {

double CpuMicros() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Input {
  std::map<std::string, PaperTools> tools;
  std::vector<Trace> traces;
};

base::Status Read(const std::string& folder, std::size_t every, Input& input) {
  for (const std::string_view domain : kDomains) {
    const auto json = platform::ReadFile(folder + "/tools/" + std::string(domain) + ".json", 1 << 22);
    if (!json.ok()) return json.error();
    const auto tools = ParseDomainTools(json.value());
    if (!tools.ok()) return tools.error();
    input.tools.emplace(std::string(domain), PaperTools(tools.value()));
  }
  std::size_t number = 0;
  return platform::ForEachLine(folder + "/bench.jsonl.zst", std::size_t{16} << 20,
                               [&](const base::Line& line) -> base::Status {
                                 if (number++ % every != 0) return {};
                                 auto trace = ParseTrace(line.text);
                                 if (!trace.ok()) return trace.error();
                                 input.traces.push_back(std::move(trace.value()));
                                 return {};
                               });
}

// Microseconds a trace.
double Pass(PaperMatcher& matcher, const Input& input, std::size_t& nodes) {
  nodes = 0;
  const double start = CpuMicros();
  for (const Trace& trace : input.traces) {
    const auto found = matcher.Provenance(trace, input.tools.at(trace.domain));
    if (found.ok()) nodes += found.value().size();
  }
  return (CpuMicros() - start) / static_cast<double>(input.traces.size());
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Run(int argc, char** argv) {
  std::size_t every = 1;
  std::size_t rounds = 5;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const auto value = static_cast<std::size_t>(std::max(1L, std::strtol(argv[i + 1], nullptr, 10)));
    if (option == "--every") every = value;
    if (option == "--rounds") rounds = value;
  }
  Input input;
  if (argc < 2) {
    std::fprintf(stderr, "paper_bench FOLDER [--every N] [--rounds N]\n");
    return 2;
  }
  if (const base::Status status = Read(argv[1], every, input); !status.ok() || input.traces.empty()) {
    std::fprintf(stderr, "%s\n", status.ok() ? "no traces" : status.error().ToString().c_str());
    return 2;
  }
  std::vector<double> cold;
  std::vector<double> warm;
  std::size_t nodes = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    PaperMatcher matcher;
    cold.push_back(Pass(matcher, input, nodes));
    warm.push_back(Pass(matcher, input, nodes));
  }
  std::printf(R"({"traces": %zu, "nodes": %zu, "cold_us_per_trace": %.2f, "warm_us_per_trace": %.2f})"
              "\n",
              input.traces.size(), nodes, Median(cold), Median(warm));
  return 0;
}

}  // namespace
}  // namespace interlock::eval::agent_sentry

int main(int argc, char** argv) { return interlock::eval::agent_sentry::Run(argc, argv); }
