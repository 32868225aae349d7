// Python's pickles, read without loading them: which functions a file calls when a program loads it, and with what.
// Models, caches and indexes are kept in them: protocols 0 to 5 by themselves, behind the header of a NumPy array, as
// `data.pkl` of what PyTorch saves (an archive, opened by the platform). Engine room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "static/analysis.h"

namespace interlock::scan {

// A function or class that the pickle names, `posix.system`, and has called: the texts among what it is given, as far
// as they are written there, each of at most 400 bytes.
struct PickleCall {
  std::string function;
  std::vector<std::string> texts;
  std::size_t at = 0;  // offset of the opcode that calls it
};

struct Pickle {
  std::vector<PickleCall> calls;  // in order, at most 256 of different functions or texts
  std::size_t end = 0;            // how far it was read
  bool complete = false;          // to its STOP
};

// Where in the bytes of a file of this name a pickle begins; npos where none does.
[[nodiscard]] std::size_t FindPickle(std::string_view path, std::string_view bytes);
// Linear in the bytes; keeps at most 200,000 values, and of what comes after them the names of functions alone.
[[nodiscard]] Pickle ReadPickle(std::string_view bytes);

// Raises SC-043 over a file that holds a pickle which runs something while it is loaded, and says how much was read.
void JudgePickle(const FileContext& file, FileResult& out);

}  // namespace interlock::scan
