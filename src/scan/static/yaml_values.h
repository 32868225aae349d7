// The scalars of a YAML text and where they stand. Engine room; the only file of this module that knows yaml-cpp is
// yaml_values.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/text.h"

namespace interlock::scan {

struct YamlValue {
  std::vector<std::string> path;  // keys from the outside in; "0", "1" for elements of sequences
  std::string text;               // quotes undone, lines of a block kept apart
  base::ByteSpan bytes;

  // The path's key at `depth`; "" beyond its end.
  [[nodiscard]] std::string_view at(std::size_t depth) const noexcept {
    return depth < path.size() ? std::string_view(path[depth]) : std::string_view();
  }
  [[nodiscard]] std::string_view last() const noexcept {
    return path.empty() ? std::string_view() : std::string_view(path.back());
  }
};

struct YamlReading {
  std::vector<YamlValue> values;
  std::string stop;  // why it was not read to its end, and the line; what stands before that is in `values`
};

// Linear in the text's first half MiB. Documents follow one another; tags say nothing; an alias stands for the scalar
// that its anchor names, one of a list or a map for nothing (what it repeats was read where it stands); empty values
// are left out.
[[nodiscard]] YamlReading ReadYaml(std::string_view text);

}  // namespace interlock::scan
