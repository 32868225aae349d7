// Shared by the gate's tests: a policy and a catalogue from text.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "interlock/base/json.h"
#include "interlock/core/tool.h"
#include "interlock/gate/gate.h"
#include "interlock/policy/load.h"

namespace interlock::gate {

inline std::shared_ptr<const policy::PolicySnapshot> MustLoad(std::string_view yaml, policy::LoadOptions options = {}) {
  auto loaded = policy::LoadPolicy(yaml, options);
  for (const auto& d : loaded.diagnostics) {
    if (d.severity == policy::Severity::kError) ADD_FAILURE() << d.ToString();
  }
  return loaded.policy;
}

inline base::JsonDoc MustParse(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  EXPECT_TRUE(doc.ok()) << json;
  return doc.ok() ? std::move(doc.value()) : base::JsonDoc();
}

// `tools_json`: an array as in a tools/list result.
inline std::shared_ptr<const policy::ToolCatalogue> MustCatalogue(std::shared_ptr<const policy::PolicySnapshot> policy,
                                                                  std::string_view tools_json,
                                                                  policy::PinState pin = policy::PinState::kMatches) {
  const base::JsonDoc doc = MustParse(tools_json);
  std::vector<policy::ToolCatalogue::Listed> listed;
  for (const auto tool : doc.root()) {
    auto spec = core::ToolSpecFromMcp(tool, "");
    EXPECT_TRUE(spec.ok());
    if (spec.ok()) listed.push_back({std::move(spec.value()), pin});
  }
  return policy::ToolCatalogue::Build(std::move(policy), std::move(listed));
}

}  // namespace interlock::gate
