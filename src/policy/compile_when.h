// `when:` of a rule -> Condition.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "read.h"
#include "rule.h"

namespace interlock::policy {

// ${name} in policy text. Remembers which were used: only those are part of the policy's digest.
class Variables {
 public:
  void Set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  [[nodiscard]] bool Has(std::string_view name) const { return values_.contains(name); }
  // The value, or nullptr. Marks the variable as used.
  [[nodiscard]] const std::string* Use(std::string_view name);
  [[nodiscard]] std::vector<std::string_view> Names() const;
  [[nodiscard]] const std::set<std::string, std::less<>>& used() const noexcept { return used_; }

  // `text` with each ${name} replaced; `escape` makes values literal inside a glob. Nothing after a report.
  enum class Escape : std::uint8_t { kNone, kGlob };
  [[nodiscard]] std::optional<std::string> Expand(const YamlNode& at, std::string_view text, Escape escape,
                                                  Diagnostics& out);

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> used_;
};

class ConditionCompiler {
 public:
  struct Names {
    std::function<std::optional<core::LabelSet>(std::string_view)> label;
    std::vector<std::string_view> labels;  // all of them, for suggestions
    std::set<std::string, std::less<>> roles;
  };

  ConditionCompiler(Names names, Variables& variables, const PathBase& paths, Diagnostics& out)
      : names_(std::move(names)), variables_(variables), paths_(paths), out_(out) {}

  // Always an AllTest. Faults are reported; what is returned then is not used. `effect` is the rule's, for warnings.
  [[nodiscard]] Condition Compile(const YamlNode& when, core::Verdict effect);

  [[nodiscard]] bool uses_provenance() const noexcept { return uses_provenance_; }
  [[nodiscard]] bool uses_paths() const noexcept { return uses_paths_; }
  // Labels that some rule asks about.
  [[nodiscard]] core::LabelSet asked_labels() const noexcept { return asked_labels_; }

  // Also for tools' and tests' labels.
  [[nodiscard]] core::LabelSet Labels(const YamlNode& node, std::string_view what);

 private:
  [[nodiscard]] Condition All(const YamlNode& when, int depth);
  [[nodiscard]] std::vector<Condition> Children(const YamlNode& list, std::string_view what, int depth);
  [[nodiscard]] std::optional<Condition> One(std::string_view key, const YamlNode& value, int depth);
  [[nodiscard]] std::optional<Condition> Tool(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Server(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Effect(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Role(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Flow(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Path(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Arguments(const YamlNode& node);
  [[nodiscard]] std::optional<Condition> Provenance(const YamlNode& node);
  [[nodiscard]] std::vector<std::string> Strings(const YamlNode& node, std::string_view what);

  Names names_;
  Variables& variables_;
  const PathBase& paths_;
  Diagnostics& out_;
  bool uses_provenance_ = false;
  bool uses_paths_ = false;
  core::LabelSet asked_labels_ = 0;
  int conditions_ = 0;  // of the rule at hand
  core::Verdict effect_ = core::Verdict::kBlock;
  bool negated_ = false;  // below an odd number of `not`
};

// A JSON pointer whose parts may be `*`. `allow_any` also takes "*" alone.
[[nodiscard]] std::optional<ArgumentPath> CompileArgument(const ListItem& item, bool allow_any, Diagnostics& out);

// The paths of scalar-or-list `node`.
[[nodiscard]] std::vector<ArgumentPath> CompileArguments(const YamlNode& node, bool allow_any, Diagnostics& out);

}  // namespace interlock::policy
