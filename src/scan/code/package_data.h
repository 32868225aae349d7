// Files of data that a package's programs read their settings from, as values: the host that stands in config.json is
// known to whoever reads config.json. Engine room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/resolve.h"

namespace interlock::scan::code {

enum class DataFormat : std::uint8_t { kJson, kYaml, kToml };

struct DataFile {
  std::string_view path;
  std::string_view text;
  DataFormat format = DataFormat::kJson;
};

// Larger files are data, not settings, and are not read: at most kMostDataBytes each, and four times as much in all.
inline constexpr std::size_t kMostDataBytes = std::size_t{1} << 18U;

// What a parser of JSON makes of a text, bounded as above; all of it is as hidden as the text was.
[[nodiscard]] Value ValueOfJson(const Value& text);

// Reads a file when it is asked for, once. Texts and numbers become texts; of lists and tables the first
// kMostDataValues are kept, at most 16 deep. What is broken, or too much, is a value of which nothing is known.
// Not for several threads at a time.
class PackageData {
 public:
  explicit PackageData(std::vector<DataFile> files);

  // What a program means by a path of which the beginning may not be known (kHole): a file below the program's own
  // folder, below the package's, or the only one whose path ends so. nullptr: none of the package.
  [[nodiscard]] const Value* Find(std::string_view folder, std::string_view path);
  [[nodiscard]] bool empty() const noexcept { return files_.empty(); }

 private:
  [[nodiscard]] const Value* Read(std::size_t index);

  std::vector<DataFile> files_;
  std::unordered_map<std::string_view, std::size_t> by_path_;
  std::unordered_map<std::size_t, Value> read_;  // references stay valid
  std::size_t bytes_left_ = 4 * kMostDataBytes;
};

}  // namespace interlock::scan::code
