// The compiler behind LoadPolicy: a tree in, a snapshot's insides out. One object for one document.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile_when.h"
#include "interlock/policy/load.h"
#include "snapshot_impl.h"

namespace interlock::policy {

class PolicyCompiler {
 public:
  PolicyCompiler(std::string_view text, const LoadOptions& options, Diagnostics& out);

  void Compile(const YamlNode& root);
  // Only when nothing was wrong.
  [[nodiscard]] std::shared_ptr<const PolicySnapshot> TakeSnapshot();
  [[nodiscard]] std::vector<PolicyTestCase> TakeTests() { return std::move(tests_); }

 private:
  // Sections, in the order in which they depend on each other.
  void Version(const YamlNode& root);
  void ProfileAndDefaults(const YamlNode& root);
  void PrincipalSection(const YamlNode& node);
  void GraphSection(const YamlNode& node);
  void VariableSection(const YamlNode* node);
  void LabelSection(const YamlNode& node);
  void ToolSection(const YamlNode& node);
  void RuleSection(const YamlNode& node);
  void BudgetSection(const YamlNode& node);
  void TestSection(const YamlNode& node);

  void OneTool(const YamlNode& key, const YamlNode& node);
  [[nodiscard]] std::vector<core::Criticality> Critical(const YamlNode& node);
  [[nodiscard]] std::vector<core::Precondition> Requires(const YamlNode& node, std::string_view what);
  [[nodiscard]] std::string OneArgument(const YamlNode& node, std::string_view what);  // a JSON pointer without `*`
  // compile_gate.cc
  void BreakGlassSection(const YamlNode& node);
  void AutonomySection(const YamlNode& node);
  void OneBudget(const YamlNode& node);
  [[nodiscard]] std::vector<core::RoleBinding> Bindings(const YamlNode& node);
  [[nodiscard]] std::optional<core::BindingSource> Source(const YamlNode& node);
  [[nodiscard]] std::vector<core::BindingSource::Where> Wheres(const YamlNode& node);
  void OneRule(const YamlNode& node);
  void OneTest(const YamlNode& node);
  [[nodiscard]] bool ExpandStrings(YamlNode& node);
  [[nodiscard]] std::string TestArguments(const YamlNode& map);
  void TestSession(const YamlNode& node, PolicyTestCase& test);
  void TestWant(const YamlNode& node, PolicyTestCase& test);
  // A merge patch: a map, as JSON text.
  [[nodiscard]] std::optional<std::string> Patch(const YamlNode& node, std::string_view what);

  void CheckLabels();
  void CheckReachable();
  [[nodiscard]] std::optional<core::LabelSet> LabelBit(std::string_view name) const;
  [[nodiscard]] base::Digest DigestOfAll() const;

  std::string_view text_;
  std::string_view profile_text_;
  const LoadOptions& options_;
  Diagnostics& out_;
  std::unique_ptr<PolicySnapshot::Impl> impl_;
  Variables variables_;
  std::unique_ptr<ConditionCompiler> conditions_;
  std::vector<const YamlNode*> label_nodes_;  // beside impl_->labels
  std::vector<const YamlNode*> rule_nodes_;   // beside impl_->rules
  std::set<std::string, std::less<>> rule_ids_;
  std::set<std::string, std::less<>> budget_ids_;
  core::LabelSet given_labels_ = 0;  // labels that some tool's results carry
  std::vector<PolicyTestCase> tests_;
};

}  // namespace interlock::policy
