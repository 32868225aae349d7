// What the programs that move data over the network are told to do. Private to shell*.cc.
#pragma once

#include <string>
#include <vector>

#include "code/shell_internal.h"

namespace interlock::scan::code::shell {

struct Transfer {
  bool is_transfer = false;
  std::vector<const ShellWord*> urls;
  std::vector<std::string> outputs;  // files written; empty and to_stdout: the output
  bool to_stdout = false;
  bool sends = false;                     // data goes out, or a method that writes
  std::vector<const ShellWord*> data;     // operands with what is sent
  std::vector<std::string> data_files;    // files sent
  bool data_stdin = false;                // its input is sent
  std::vector<const ShellWord*> headers;  // and credentials
  bool runs = false;                      // what is fetched is run by the same command (mshta URL)
};
[[nodiscard]] Transfer TransferOf(const ShellCommand& command, std::string_view program);

}  // namespace interlock::scan::code::shell
