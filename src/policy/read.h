// Typed reading of YAML nodes: each function reports what is wrong and returns nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnostics.h"
#include "yaml_tree.h"

namespace interlock::policy {

// Whether `node` is a map all of whose keys are in `known`. `what` names it in messages ("a rule"). Unknown keys are
// reported but leave the map readable, so that the rest of it is checked too.
[[nodiscard]] bool CheckMap(const YamlNode& node, std::string_view what, std::span<const std::string_view> known,
                            Diagnostics& out);
// The value of a key that must be there, or null after a report.
[[nodiscard]] const YamlNode* Require(const YamlNode& map, std::string_view key, std::string_view what,
                                      Diagnostics& out);

[[nodiscard]] std::optional<std::string_view> ReadString(const YamlNode& node, std::string_view what, Diagnostics& out);
[[nodiscard]] std::optional<bool> ReadBool(const YamlNode& node, std::string_view what, Diagnostics& out);
[[nodiscard]] std::optional<std::uint64_t> ReadUint(const YamlNode& node, std::string_view what, std::uint64_t max,
                                                    Diagnostics& out);
[[nodiscard]] std::optional<double> ReadDouble(const YamlNode& node, std::string_view what, double min, double max,
                                               Diagnostics& out);

// One item of a scalar-or-list, with its node for places.
struct ListItem {
  std::string_view text;
  const YamlNode* node;
};
// A string or a list of at least one. Faulty items are reported and left out.
[[nodiscard]] std::vector<ListItem> ReadList(const YamlNode& node, std::string_view what, Diagnostics& out);

// The value of one of `names`, or nothing after a report that suggests the nearest one.
template <class T>
using NameTable = std::span<const std::pair<std::string_view, T>>;
template <class T>
[[nodiscard]] std::optional<T> ReadEnum(const YamlNode& node, std::string_view what, NameTable<T> names,
                                        Diagnostics& out) {
  const auto text = ReadString(node, what, out);
  if (!text) return std::nullopt;
  std::vector<std::string_view> known;
  for (const auto& [name, value] : names) {
    if (name == *text) return value;
    known.push_back(name);
  }
  std::string message = std::string(what) + " must be one of";
  for (std::string_view name : known) message += " " + Quote(name);
  out.Error(base::ErrorCode::kPolicyValue, node, message + ", not " + Quote(*text) + DidYouMean(*text, known));
  return std::nullopt;
}

// Names that people give (rules, labels, roles): a letter or digit, then letters, digits and ". _ -", at most 64.
[[nodiscard]] bool IsName(std::string_view text) noexcept;

// `node` as JSON, losslessly: plain scalars by YAML's core schema, numbers by their text, quoted scalars as strings.
// Numbers in notations that JSON lacks are reported, never guessed. `places`, if not null, receives where in the text
// each node's value begins (a comma may stand before it), ascending.
using JsonPlaces = std::vector<std::pair<std::size_t, const YamlNode*>>;
[[nodiscard]] std::optional<std::string> ToJson(const YamlNode& node, Diagnostics& out, JsonPlaces* places = nullptr);

}  // namespace interlock::policy
