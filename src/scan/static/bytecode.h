// Compiled Python, read without running it: header, and every string that its code names or holds. Engine room.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace interlock::scan {

struct Bytecode {
  std::uint16_t magic = 0;
  int minor = 0;  // Python 3.minor; 0: not one of 3.8 to 3.14
  bool hash_based = false;
  bool checked = true;  // the interpreter compares it with its source before it runs it
  std::uint32_t source_mtime = 0;
  std::uint32_t source_size = 0;          // of the source, when not hash_based
  std::vector<std::string_view> strings;  // names, constants, docstrings; into the bytes that were read
  bool complete = false;                  // read to the end of the code object
};

// Bounded: depth 100, two million objects, linear in the bytes.
[[nodiscard]] Bytecode ReadBytecode(std::string_view bytes);

}  // namespace interlock::scan
