// `interlock approve`: what people say to calls that wait.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "commands.h"

namespace interlock::app {

struct ApproveArgs {
  std::string store;  // "": approvals.db in the state folder
  std::string audit_dir;
  bool no_audit = false;
  std::string as;  // "": the user's login name
  Format format = Format::kText;
  std::string id;
  std::string file;
  std::string state;
  bool all = false;
  std::string session;
  std::string principal;
  std::string tenant;
  std::string scope = "once";
  std::string constraint;
  std::uint32_t max_uses = 1;
  std::string ttl;
  std::string reason;
  double timeout_s = 0;  // watch: 0: until interrupted
};

int RunApproveList(const ApproveArgs& args);
int RunApproveShow(const ApproveArgs& args);
int RunApproveGrant(const ApproveArgs& args);
int RunApproveDeny(const ApproveArgs& args);
int RunApproveRevoke(const ApproveArgs& args);
int RunApproveWatch(const ApproveArgs& args);
int RunApprovePlan(const ApproveArgs& args);
int RunBreakGlassOpen(const ApproveArgs& args);
int RunBreakGlassList(const ApproveArgs& args);
int RunBreakGlassReview(const ApproveArgs& args);

// Adds the command; its arguments live as long as the program.
void AddApproveCommands(CLI::App& app, std::function<int()>& run);

}  // namespace interlock::app
