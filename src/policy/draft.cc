#include "interlock/policy/draft.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "draft_words.h"
#include "interlock/base/text.h"
#include "patterns.h"
#include "yaml_tree.h"

namespace interlock::policy {
namespace {

constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxTools = 2000;

// A double-quoted YAML scalar in plain ASCII: whatever a server puts into a name, it stays a name.
std::string Quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c >= 0x20 && c < 0x7F) {
      out += text[i];
    } else if (c < 0x80) {
      out += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    } else {
      // Two to four bytes of valid UTF-8 (checked by the caller): one code point.
      const int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
      std::uint32_t point = c & (0x3Fu >> more);
      for (int k = 0; k < more && i + 1 < text.size(); ++k)
        point = point << 6 | (static_cast<unsigned char>(text[++i]) & 0x3Fu);
      out += "\\U";
      for (int shift = 28; shift >= 0; shift -= 4) out += kHex[point >> shift & 15u];
    }
  }
  return out + "\"";
}

// A scalar as people would write it where that is safe, else quoted.
std::string Scalar(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  };
  const bool starts_well = !text.empty() && text[0] != '-' && text[0] != '.';
  if (starts_well && text.size() < 64 && std::ranges::all_of(text, is_plain)) {
    YamlNode probe;
    probe.kind = YamlNode::Kind::kScalar;
    probe.plain = true;
    probe.text = std::string(text);
    // Also the words that older readers of YAML take for booleans.
    static const std::set<std::string_view> kWords{"y",  "n",   "yes", "no", "on", "off", "Yes", "No",
                                                   "On", "Off", "YES", "NO", "ON", "OFF", "Y",   "N"};
    if (TypeOfScalar(probe) == ScalarType::kString && !kWords.contains(text)) return std::string(text);
  }
  return Quoted(text);
}

std::string List(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + Scalar(item);
  return out + "]";
}

void AddNew(std::vector<std::string>& to, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    if (std::ranges::find(to, item) == to.end()) to.push_back(item);
  }
}

// The tools of one rule, with the arguments it looks at.
struct Group {
  std::vector<std::string> tools;  // names, glob characters escaped
  std::vector<std::string> arguments;
  void Add(const std::string& tool, const std::vector<std::string>& pointers) {
    tools.push_back(tool);
    AddNew(arguments, pointers);
  }
};

struct Example {
  std::string tool;
  std::string argument;  // a top-level name
};

struct Plan {
  std::string tool_lines;
  Group path_reads;
  Group path_changes;  // everything that is not a read, with paths
  Group path_writes;   // those that go ahead inside the workspace
  Group plain_writes;  // writes without paths
  Group destinations;
  std::vector<Example> write_examples;
  std::vector<Example> read_examples;
  std::vector<std::string> plain_reads;  // raw names, for examples
  std::vector<std::string> plain_write_examples;
  std::size_t left_out = 0;
};

Plan MakePlan(std::span<const core::ToolSpec> tools) {
  Plan plan;
  std::set<std::string, std::less<>> seen;
  for (const core::ToolSpec& tool : tools) {
    if (tool.name.empty() || tool.name.size() > kMaxName || !base::IsValidUtf8(tool.name) || seen.size() >= kMaxTools) {
      ++plan.left_out;
      continue;
    }
    if (!seen.insert(tool.name).second) continue;
    const std::string name = EscapeGlob(tool.name);
    const EffectGuess guess = GuessEffect(tool);
    const ArgumentGuesses arguments = GuessArguments(tool);
    const std::string effect(core::NameOf(guess.effect));
    plan.tool_lines += "  " + Scalar(name) + ":\n    effect: " + effect + std::string(10 - effect.size(), ' ') + "# " +
                       guess.why + "\n";
    const bool has_paths = !arguments.paths.empty();
    const bool has_simple_path = has_paths && !arguments.paths.front().ends_with("/*");
    if (guess.effect == core::SideEffect::kRead) {
      if (has_paths) {
        plan.path_reads.Add(name, arguments.paths);
      } else {
        plan.plain_reads.push_back(tool.name);
      }
      if (has_simple_path) plan.read_examples.push_back({tool.name, arguments.paths.front().substr(1)});
    } else {
      if (has_paths) plan.path_changes.Add(name, arguments.paths);
      if (guess.effect == core::SideEffect::kWrite && !guess.destroys) {
        if (has_paths) {
          plan.path_writes.Add(name, arguments.paths);
          if (arguments.paths.size() == 1 && has_simple_path)
            plan.write_examples.push_back({tool.name, arguments.paths.front().substr(1)});
        } else {
          plan.plain_writes.Add(name, {});
          plan.plain_write_examples.push_back(tool.name);
        }
      }
    }
    if (!arguments.destinations.empty()) plan.destinations.Add(name, arguments.destinations);
  }
  return plan;
}

void AppendRule(std::string& out, std::string_view comment, std::string_view id, std::string_view effect,
                const Group& group, std::string_view condition, std::string_view reason) {
  if (group.tools.empty()) return;
  out += "  # " + std::string(comment) + "\n  - id: " + std::string(id) + "\n    effect: " + std::string(effect) +
         "\n    when:\n";
  out += "      tool: " + List(group.tools) + "\n      " + std::string(condition) + "\n";
  if (!reason.empty()) out += "    reason: " + std::string(reason) + "\n";
}

void AppendTest(std::string& out, std::string_view name, const Example& example, std::string_view path,
                std::string_view verdict, std::string_view rule) {
  out += "  - name: " + std::string(name) + "\n    call: {tool: " + Quoted(example.tool) + ", arguments: {" +
         Quoted(example.argument) + ": " + Quoted(path) + "}}\n    want: {verdict: " + std::string(verdict);
  if (!rule.empty()) out += ", rule: " + std::string(rule);
  out += "}\n";
}

std::string PathCondition(const Group& group, std::string_view side) {
  return "path: {argument: " + List(group.arguments) + ", " + std::string(side) + ": [\"${workspace}/**\"]}";
}

}  // namespace

std::string DraftPolicy(std::span<const core::ToolSpec> tools, const DraftOptions& options) {
  const Plan plan = MakePlan(tools);
  std::string out;
  out += "# A first policy for: " +
         (options.server_command.empty() ? "this server" : base::Printable(options.server_command, 300)) + "\n";
  out += "# Drafted from what the server says of its own tools. Read it, correct it, then run:\n";
  out += "#   interlock policy check    finds mistakes      interlock policy test    runs the tests below\n";
  if (plan.left_out > 0)
    out += "# Left out, for their names or their number: " + std::to_string(plan.left_out) + " tools.\n";
  out += "version: 1\nprofile: default\n\n";
  out += "variables:\n  workspace: " + Quoted(options.workspace.empty() ? "${cwd}" : options.workspace) +
         "  # paths below this folder count as inside\n\n";
  out +=
      "# What each tool does to the world: read, write, deploy, security, or unknown. What it answers counts as "
      "untrusted\n";
  out += "# unless you add `result: trusted`.\n";
  out += plan.tool_lines.empty() ? "tools: {}\n\n" : "tools:\n" + plan.tool_lines + "\n";

  std::string rules;
  AppendRule(rules, "Nothing is changed outside the workspace.", "changes-stay-inside", "block", plan.path_changes,
             PathCondition(plan.path_changes, "outside"), "this tool may only change files inside the workspace");
  AppendRule(rules, "Files inside it may be written without asking; what deletes still asks.", "writes-inside", "allow",
             plan.path_writes, PathCondition(plan.path_writes, "inside"), "");
  AppendRule(rules, "Reading elsewhere is for a person to decide: keys and passwords live there.", "reads-outside-ask",
             "escalate", plan.path_reads, PathCondition(plan.path_reads, "outside"),
             "this file is outside the workspace");
  AppendRule(rules, "Other writes go ahead as long as the session has seen nothing that a stranger could have written.",
             "writes-before-untrusted", "allow", plan.plain_writes, "flow: {not_seen: untrusted}", "");
  AppendRule(rules, "An address that came out of a tool's answer and not from you may be an attacker's.",
             "addresses-from-answers", "escalate", plan.destinations,
             "provenance: {argument: " + List(plan.destinations.arguments) + ", from: untrusted, not_from: request}",
             "this address came from data that a stranger could have written");
  out += "# The strictest rule that matches decides; where none matches, `defaults` do.\n";
  out += rules.empty() ? "rules: []\n\n" : "rules:\n" + rules + "\n";

  out += "# When no rule speaks: allow, escalate (a person is asked) or block.\n";
  out += "defaults: {read: allow, write: escalate, deploy: escalate, security: block, unknown: escalate}\n\n";
  out += "# More changes than this in one session wait for a person.\n";
  out += "budgets:\n  - {id: writes, effect: write, max_calls: 500}\n";

  std::string tests;
  if (!plan.write_examples.empty()) {
    AppendTest(tests, "nothing is written outside the workspace", plan.write_examples.front(),
               "/not/in/the/workspace.txt", "block", "changes-stay-inside");
    AppendTest(tests, "files inside the workspace may be written", plan.write_examples.front(),
               "${workspace}/notes.txt", "allow", "writes-inside");
  }
  if (!plan.read_examples.empty()) {
    AppendTest(tests, "reading outside the workspace asks", plan.read_examples.front(), "/not/in/the/workspace.txt",
               "escalate", "reads-outside-ask");
  }
  if (!plan.plain_write_examples.empty()) {
    const std::string call = "    call: {tool: " + Quoted(plan.plain_write_examples.front()) + "}\n";
    tests += "  - name: a write goes ahead before anything untrusted was seen\n" + call +
             "    want: {verdict: allow, rule: writes-before-untrusted}\n";
    tests +=
        "  - name: and asks afterwards\n" + call + "    session: {seen: [untrusted]}\n    want: {verdict: escalate}\n";
  } else if (tests.empty() && !plan.plain_reads.empty()) {
    tests += "  - name: reading is allowed\n    call: {tool: " + Quoted(plan.plain_reads.front()) +
             "}\n    want: {verdict: allow}\n";
  }
  tests +=
      "  - name: a tool that nobody knows asks\n    call: {tool: a-tool-that-nobody-knows}\n    want: {verdict: "
      "escalate}\n";
  out += "\ntests:\n" + tests;
  return out;
}

}  // namespace interlock::policy
