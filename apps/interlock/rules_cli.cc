// The command line of `interlock rules`.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "options.h"
#include "rules_command.h"

namespace interlock::app {
namespace {

void AddCommon(CLI::App* c, RulesArgs& a) {
  c->add_option("--rules", a.rules, "own rule files or folders, beside the shipped ones (repeatable)")
      ->allow_extra_args(false);
  AddFormat(c, a.format);
}

}  // namespace

void AddRulesCommands(CLI::App& app, std::function<int()>& run) {
  auto* group = app.add_subcommand("rules", "the scanner's rules: list, explain, test");
  group->require_subcommand(1);
  {
    const auto a = std::make_shared<RulesArgs>();
    auto* c = group->add_subcommand("list", "every rule, or those that fit");
    c->add_option("--threat,--class", a->threat, "T1 to T8")
        ->check(CLI::IsMember({"T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8"}));
    c->add_option("--nature", a->nature, "malicious | vulnerable | capability | hygiene")
        ->check(CLI::IsMember({"malicious", "vulnerable", "capability", "hygiene"}));
    c->add_option("--engine", a->engine, "text | code | flow | supply | package")
        ->check(CLI::IsMember({"text", "code", "flow", "supply", "package"}));
    c->add_option("--maturity", a->maturity, "stable | incubating")->check(CLI::IsMember({"stable", "incubating"}));
    c->add_option("--severity", a->severity, "info | low | medium | high | critical")
        ->check(CLI::IsMember({"info", "low", "medium", "high", "critical"}));
    AddCommon(c, *a);
    c->callback([a, &run] { run = [a] { return RunRulesList(*a); }; });
  }
  {
    const auto a = std::make_shared<RulesArgs>();
    auto* c = group->add_subcommand("explain", "all that is known about a rule, with its examples");
    c->add_option("ID", a->ids, "rule, or threat class (T1 to T8)")->required();
    AddCommon(c, *a);
    c->callback([a, &run] { run = [a] { return RunRulesExplain(*a); }; });
  }
  {
    const auto a = std::make_shared<RulesArgs>();
    auto* c =
        group->add_subcommand("test", "scan every rule's examples: positive ones must be found, negative ones not");
    c->footer(
        "Without FILE the shipped rules and those of --rules are tested; with FILE only the rules of these files.\n"
        "Exit codes: 0 every example holds, 1 some do not, 2 could not run.");
    c->add_option("FILE", a->files, "rule files or folders");
    AddCommon(c, *a);
    c->callback([a, &run] { run = [a] { return RunRulesTest(*a); }; });
  }
}

}  // namespace interlock::app
