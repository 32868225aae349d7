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

// A function or class that the pickle has called, or one that no data has a reason to name, `posix.system`, wherever it
// is named: the texts among what it is given, as far as they are written there, each of at most 400 bytes.
struct PickleCall {
  std::string function;
  std::vector<std::string> texts;
  std::size_t at = 0;  // offset of the opcode that calls it
};

struct Pickle {
  std::vector<PickleCall> calls;  // in order, of different functions or texts; at most 256 that do no harm, 512 in all
  std::size_t end = 0;            // how far it was read
  bool complete = false;          // to its STOP
  bool forgot = false;            // more values than are remembered by number: a name may have been missed
};

// Where in the bytes of a file of this name a pickle begins; npos where none does.
[[nodiscard]] std::size_t FindPickle(std::string_view path, std::string_view bytes);
// Linear in the bytes; keeps at most 200,000 values, and of what comes after them the names of functions alone.
[[nodiscard]] Pickle ReadPickle(std::string_view bytes);

// Raises SC-043 over a file that holds a pickle which runs something while it is loaded, and says how much was read.
void JudgePickle(const FileContext& file, FileResult& out);

}  // namespace interlock::scan
