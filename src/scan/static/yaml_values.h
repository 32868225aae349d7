// The scalars of a YAML text and where they stand: as much of the language as people write by hand into settings of
// pipelines, containers and environments. Engine room.
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

// Linear in the text's first half MiB; what is no YAML gives what its lines look like. Anchors and tags are text,
// documents follow one another.
[[nodiscard]] std::vector<YamlValue> YamlValuesOf(std::string_view text);

}  // namespace interlock::scan
