// The scalars of a TOML text. Engine room.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "static/yaml_values.h"

namespace interlock::scan {

// Texts, whole numbers and truths (others as ""), with their keys from the outside in ("0", "1" for elements
// of arrays); at most `most`. `bytes` is left empty. What is no TOML has none.
[[nodiscard]] std::vector<YamlValue> TomlScalarsOf(std::string_view text, std::size_t most);

}  // namespace interlock::scan
