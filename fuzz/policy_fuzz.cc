// links: base core policy
// A policy as text. If it loads, a few calls are asked of every rule: candidates must cover every rule that can match,
// and asking why must not change the answer. The YAML reader must not crash or leak an exception on anything.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/load.h"

namespace policy = interlock::policy;
namespace core = interlock::core;

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

class AllUntrusted final : public policy::OriginLookup {
 public:
  [[nodiscard]] Answer OriginsOf(std::string_view /*text*/) const override {
    return {.labels = core::kLabelUntrusted, .complete = true};
  }
};

constexpr std::string_view kArguments =
    R"({"path":"/srv/task/../x","paths":["a","~/b",7,{"c":"file:///d"}],"to":"bob@evil.test","n":1e3,"service":"pay"})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  policy::LoadOptions options;
  options.variables = {{"cwd", "/srv/task"}, {"home", "/home/ann"}};
  options.max_bytes = 1 << 16;
  const policy::LoadedPolicy loaded = policy::LoadPolicy(text, options);
  for (const policy::Diagnostic& d : loaded.diagnostics) (void)d.ToString();
  const bool has_error = std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                     [](const auto& d) { return d.severity == policy::Severity::kError; });
  Require((loaded.policy == nullptr) == has_error);
  (void)policy::LoadProfile(text, "profile.yaml");
  if (loaded.policy == nullptr) return 0;

  const auto doc = interlock::base::JsonDoc::Parse(kArguments);
  Require(doc.ok());
  const AllUntrusted origins;
  const core::Principal alice = loaded.policy->ResolvePrincipal("alice");
  for (const std::string_view tool : {"write_file", "a/b", "x"}) {
    const core::Call call{.id = "1", .server = "s", .tool = tool, .arguments = doc.value().root()};
    const policy::MatchContext context{
        .principal = &alice, .environment = "prod", .session_labels = core::kLabelUntrusted, .origins = &origins};
    const std::vector<std::uint32_t> candidates =
        loaded.policy->CandidatesFor("s", tool, loaded.policy->StatedEffect(tool));
    Require(std::is_sorted(candidates.begin(), candidates.end()));
    for (std::uint32_t i = 0; i < loaded.policy->rule_count(); ++i) {
      policy::PolicySnapshot::Why why;
      const policy::Match match = loaded.policy->Evaluate(i, call, nullptr, context, nullptr);
      Require(loaded.policy->Evaluate(i, call, nullptr, context, &why) == match);
      Require(match == policy::Match::kNo || std::binary_search(candidates.begin(), candidates.end(), i));
    }
  }
  for (const core::ToolSpec& spec : loaded.policy->NamedTools()) (void)loaded.policy->Overlay(spec);
  return 0;
}
