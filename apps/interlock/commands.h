// The subcommands: option structs filled by cli.cc, one function each. Every function returns the process's exit code:
// 0 fine, 1 something was refused or does not hold, 2 could not run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace interlock::app {

inline constexpr int kExitFine = 0;
inline constexpr int kExitRefused = 1;
inline constexpr int kExitCannotRun = 2;

enum class Format : std::uint8_t { kText, kJson };

// What every command that loads a policy takes.
struct PolicyArgs {
  std::string file;                    // "": ./interlock.yaml if there, else the empty policy of the profile
  std::string profile;                 // overrides the file's
  std::vector<std::string> variables;  // NAME=VALUE
  bool shadow = false;
};

struct ProxyArgs {
  PolicyArgs policy;
  std::string audit_dir;
  bool no_audit = false;  // spelled --i-accept-no-audit
  std::string bodies = "redacted";
  std::string session;
  std::string store;
  std::string approvals;
  bool no_approvals = false;
  double approval_wait_s = 45;
  std::string tenant;
  std::string pins;
  std::string server;
  std::string principal;
  std::string environment;
  std::string request_file;
  std::vector<std::string> facts;  // CHANNEL=FILE
  bool request_from_meta = false;
  std::string socket;
  double call_timeout_s = 0;
  std::string refuse_as = "result";
  std::uint64_t max_line_bytes = std::uint64_t{64} << 20;
  std::uint64_t max_inflight_bytes = std::uint64_t{256} << 20;
  std::uint32_t max_open_requests = 1024;
  std::string anchor_file;
  std::string graph;         // functionality graph; "": what the policy names
  std::string passport;      // "": none
  std::string passport_key;  // public key in hex that must have signed it
  std::string first_use;     // "": as the policy says
  std::vector<std::string> command;
};

struct ReplayArgs {
  PolicyArgs policy;
  std::vector<std::string> files;
  std::string tools;    // a tools/list result, for schemas and definitions
  std::string systems;  // system prompts beside compact traces
  std::string graph;    // functionality graph; "": what the policy names
  bool skip_malformed = false;
  bool calls = false;  // a line a call in text format as well
  bool quiet = false;  // summary only
  std::uint64_t repeat = 1;
  Format format = Format::kText;
};

struct PolicyInitArgs {
  std::string output;
  std::string workspace;
  std::vector<std::string> command;
};
struct PolicyCheckArgs {
  PolicyArgs policy;
  Format format = Format::kText;
};
struct PolicyExplainArgs {
  PolicyArgs policy;
  std::string tool;
  std::string arguments = "{}";
  std::string principal;
  std::string environment;
  std::vector<std::string> seen;
  std::string tools;
  Format format = Format::kText;
};
struct PolicyAcceptArgs {
  PolicyArgs policy;
  std::string pins;
  std::string server;
  std::vector<std::string> tools;
  bool all = false;
  bool list = false;
};

struct AuditArgs {
  std::string dir;
  Format format = Format::kText;
  std::string session;
  std::string tool;
  std::string verdict;
  std::string kind;
  std::string since;
  std::uint64_t limit = 0;
  bool follow = false;
  std::string export_format = "jsonl";
  std::string output;
  std::vector<std::string> anchors;
  std::string key_file;
  std::uint32_t older_than_days = 0;
  std::string new_storage = "file";
  bool all = false;
  int passphrase_fd = -1;
};

struct SpliceArgs {
  std::vector<std::string> benign;
  std::vector<std::string> attacks;
  std::string tools;      // a tools/list result
  std::string systems;    // system prompts beside compact traces
  std::string preambles;  // data files; "": those of the program
  std::string carriers;
  std::string output;
  std::uint64_t count = 100;
  std::uint64_t seed = 1;
  std::uint32_t point = 0;
  std::vector<std::string> positions;
  std::string hijack = "both";
  bool cover = false;
  bool skip_malformed = false;
  std::string planner;  // a command for sh
  double timeout_s = 60;
  std::uint32_t refinements = 3;
  Format format = Format::kText;
};

struct DoctorArgs {
  PolicyArgs policy;
  std::vector<std::string> command;
  Format format = Format::kText;
};

int RunProxyCommand(const ProxyArgs& args);
int RunReplay(const ReplayArgs& args);
int RunPolicyInit(const PolicyInitArgs& args);
int RunPolicyCheck(const PolicyCheckArgs& args);
int RunPolicyTest(const PolicyCheckArgs& args);
int RunPolicyExplain(const PolicyExplainArgs& args);
int RunPolicyAccept(const PolicyAcceptArgs& args);
int RunAuditTail(const AuditArgs& args);
int RunAuditQuery(const AuditArgs& args);
int RunAuditVerify(const AuditArgs& args);
int RunAuditExport(const AuditArgs& args);
int RunAuditPrune(const AuditArgs& args);
int RunAuditPurge(const AuditArgs& args);
int RunAuditKeyNew(const AuditArgs& args);
int RunAuditKeyShow(const AuditArgs& args);
int RunAuditKeyRotate(const AuditArgs& args);
int RunAuditKeyReseal(const AuditArgs& args);
int RunSplice(const SpliceArgs& args);
int RunDoctor(const DoctorArgs& args, const std::string& self);

// Folder for what the program keeps when nothing is named: $XDG_STATE_HOME/interlock or ~/.local/state/interlock.
[[nodiscard]] std::string StateDir();

}  // namespace interlock::app
