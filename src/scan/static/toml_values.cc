#include "static/toml_values.h"

#include <string>
#include <utility>

#include "static/toml_library.h"

namespace interlock::scan {
namespace {

struct Walk {
  std::vector<YamlValue> out;
  std::vector<std::string> path;
  std::size_t most = 0;

  // As deep as the parser's own limit on nesting.
  void Take(const toml::node& node) {
    if (out.size() >= most) return;
    if (const toml::table* table = node.as_table()) {
      for (const auto& [key, value] : *table) {
        path.emplace_back(key.str());
        Take(value);
        path.pop_back();
      }
    } else if (const toml::array* array = node.as_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        path.push_back(std::to_string(i));
        Take((*array)[i]);
        path.pop_back();
      }
    } else {
      YamlValue value;
      value.path = path;
      if (const auto* text = node.as_string()) {
        value.text = text->get();
      } else if (const auto* number = node.as_integer()) {
        value.text = std::to_string(number->get());
      } else if (const auto* truth = node.as_boolean()) {
        value.text = truth->get() ? "true" : "false";
      }
      out.push_back(std::move(value));
    }
  }
};

}  // namespace

std::vector<YamlValue> TomlScalarsOf(std::string_view text, std::size_t most) {
  Walk walk;
  walk.most = most;
  try {
    walk.Take(toml::parse(text));
  } catch (const std::exception&) {
    return {};  // no TOML: no program gets anything from it either
  }
  return std::move(walk.out);
}

}  // namespace interlock::scan
