// What keeps an estate safe whoever runs on it: records, rights, second keys and review of clouds, forges, data bases
// and machines; and the commands, calls and statements by which a program takes them down, or the estate with them.
// Each is somebody's honest work, so each knows the words by which a package that is about it says so
// (static/undisclosed.h). Engine room.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace interlock::scan::code {

struct Wall {
  std::string_view key;   // "aws-mfa": kept with findings
  std::string_view what;  // completes "it ...": "switches off the second key of a cloud's user"
  // Words of which a package that is about this uses one, in lower case: "mfa". Empty: no package is about this.
  std::span<const std::string_view> told;
  double scale = 1.0;
  bool ruins = false;  // DESTROY-002: an estate is destroyed; else GRANT-003: what keeps one safe is taken down
};

// nullptr: none has that key.
[[nodiscard]] const Wall* WallNamed(std::string_view key);
// Whether some command of this program, or some call whose name ends in this, takes a wall down: all others need not be
// asked below.
[[nodiscard]] bool MayTakeDown(std::string_view program);
[[nodiscard]] bool MayTakeDownBy(std::string_view last);
// A command: its program, and all its words in lower case with a blank around each (SaidBy), targets of redirections
// among them. nullptr: takes down nothing.
[[nodiscard]] const Wall* WallOfCommand(std::string_view program, std::string_view said);
// A call: the last word of its name, and what it is given, in lower case without blanks and quotes (Bare).
// `boto3.client("iam").deactivate_mfa_device`, `new DeactivateMFADeviceCommand` and `iam.deactivateMFADevice` are one.
[[nodiscard]] const Wall* WallOfCall(std::string_view last, std::string_view said);
// A statement of a data base, in lower case.
[[nodiscard]] const Wall* WallOfStatement(std::string_view said);

}  // namespace interlock::scan::code
