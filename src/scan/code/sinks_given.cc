// Access to what is the user's, handed to somebody whose name stands in the code; shares of payments that go to such a
// one; what the user keeps, read in whole folders; and records of what was done, removed.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/shell_paths.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostOfCall = 1'500;  // bytes of a call that are read

// Calls and addresses that give somebody a part in something.
constexpr auto kGives = std::to_array<std::string_view>(
    {"addcollaborator", "add_to_collaborators", "add_collaborator", "/collaborators/", "deploykey", "deploy_key",
     "create_key(", "forwardingaddress", "forwardingemail", "\"forward\"", "'forward'", "forward:", "/delegates",
     "delegates()", "delegateemail", "\"delegate\"", "delegate:", "messagerules", "forwardto", "redirectto",
     "forwarding_", "permissions().create", "permissions.create", "inviteshared", "modify_snapshot_attribute",
     "modifysnapshotattribute", "modify_image_attribute", "modifyimageattribute", "modify_db_snapshot_attribute",
     "update_assume_role_policy", "updateassumerolepolicy", "put_bucket_policy", "putbucketpolicy", "add_permission",
     "set_iam_policy", "setiampolicy", "roleassignments", "/memberships/", "addmember", "add_member",
     "members.create", "members().insert", "setmembershipforuser", "add_to_members", "/invitations",
     "createloginprofile", "create_login_profile", "adduser(", "automaticallyforward"});

bool IsPlaceholder(std::string_view lower) {
  return AnyOf(lower, {"example.com", "example.org", "your", "<", "user@", "you@", "xxx", "placeholder", "test@",
                       "foo@", "jane", "alice", "bob@", "noreply"});
}

bool IsMail(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && text.size() < 100 && text.find('.', at) != std::string_view::npos &&
         text.find_first_of(" \n/{}<>") == std::string_view::npos && text.find(kHole) == std::string_view::npos &&
         !IsPlaceholder(LowerCase(text));
}

bool IsPublicKey(std::string_view text) {
  return text.starts_with("ssh-ed25519 AAAA") || text.starts_with("ssh-rsa AAAA") || text.starts_with("ecdsa-sha2-");
}

// Twelve digits, alone or in the name of a role, other than those of manuals.
bool IsAccountNumber(std::string_view text) {
  std::string_view digits = text;
  if (const std::size_t at = text.find("arn:aws:iam::"); at != std::string_view::npos) digits = text.substr(at + 13, 12);
  return digits.size() == 12 && digits.find_first_not_of("0123456789") == std::string_view::npos &&
         !SaysOneOf(digits, {"123456789012", "111122223333", "000000000000", "111111111111", "444455556666"});
}

bool IsUserName(std::string_view text) {
  return text.size() >= 3 && text.size() <= 40 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             std::string_view::npos &&
         !IsPlaceholder(LowerCase(text));
}

}  // namespace

// Named arguments, fields of dictionaries and constants: who is given the part.
std::string Engine::FixedPrincipal(const Call& call, std::string_view said) {
  const std::size_t path = std::min(said.find("/collaborators/"), said.find("/memberships/"));
  for (const Arg& arg : call.args) {
    for (const std::string& text : TextsWithin(arg.value)) {
      if (IsMail(text)) return text;
      if (IsPublicKey(text)) return text.substr(0, 24);
      if (IsAccountNumber(text) && AnyOf(said, {"snapshot", "image", "assume", "policy", "permission"})) return text;
      const std::size_t at = std::min(text.find("/collaborators/"), text.find("/memberships/"));
      if (path != std::string_view::npos && at != std::string::npos && AnyOf(said, {"put", "post"})) {
        const std::string name = text.substr(text.find('/', at + 1) + 1);
        if (IsUserName(name)) return name;
      }
    }
  }
  std::vector<Arg> fields(call.args.begin(), call.args.end());
  for (std::size_t i = 0; i < fields.size() && i < 64; ++i) {
    const ExprId value = fields[i].value;
    if (value >= code().exprs.size()) continue;
    const Expr& shape = code().exprs[value];
    if (shape.kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(shape)) fields.push_back(field);
      continue;
    }
    const bool first = i == 0 && AnyOf(said, {"collaborator", "add_to_members"}) && fields[i].name.empty();
    if (!first && !SaysOneOf(fields[i].name, {"username", "user", "collaborator", "login", "member", "delegate"})) continue;
    const Value& known = view().Evaluate(value, function_);
    if (known.kind == ValueKind::kText && IsUserName(known.text)) return known.text;
  }
  return {};
}

void Engine::JudgeGrants(const Call& call) {
  if (!last_ || call.args.empty()) return;
  std::string said = LowerCase(TextAt(code().exprs[call.expr].loc).substr(0, kMostOfCall));
  if (said.find("_address") == std::string::npos && !AnyOf(said, {"(", "="})) return;
  const bool gives = std::ranges::any_of(kGives, [&](std::string_view word) { return Contains(said, word); });
  if (!gives) return;
  // The call itself, and not one around it.
  const std::string principal = FixedPrincipal(call, said);
  if (principal.empty()) return;
  Raise("GRANT-002", call.expr, {}, 0, "gives access to somebody whose name stands here: " + Shown(principal, 60));
}

// transfer_data={"destination": "acct_..."}: a share of what is paid.
void Engine::JudgeShare(ExprId dict) {
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    if (!SaysOneOf(field.name, {"destination", "on_behalf_of", "payee", "account", "stripeAccount", "stripe_account",
                                "email_address", "merchant_id"})) {
      continue;
    }
    const Value& value = view().Evaluate(field.value, function_);
    if (value.kind != ValueKind::kText || !value.text.starts_with("acct_") || value.text.size() < 15) continue;
    Raise("DIVERT-001", field.value, {}, 0, "sends a share of what is paid to a fixed account: " + Shown(value.text, 40));
  }
}

// What lies at a path that is somebody's own to look into.
Taint Engine::KeptAt(std::string_view path, ExprId at) {
  if (!path.starts_with("~")) return {};
  std::string folder(path);
  while (!folder.empty() && (folder.back() == kHole || folder.back() == '/' || folder.back() == '*')) folder.pop_back();
  std::string_view what = shell::KeptBy(folder);
  for (std::size_t slash = folder.rfind('/'); what.empty() && slash != std::string::npos && slash > 1; slash = folder.rfind('/')) {
    folder.resize(slash);
    what = shell::KeptBy(folder);
  }
  if (what.empty() || folder == "~") return {};
  return Source(kKept, at, "takes " + std::string(what) + ", " + Shown(path, 60));
}

// What an agent tells its hooks: the user's words, the tool's, the answers.
bool Engine::TellsHook(std::string_view key, const Taint& from) {
  return from.Has(kInput) && SaysOneOf(key, {"prompt", "tool_input", "tool_response", "transcript_path", "last_assistant_message"});
}

namespace {

bool IsRecord(std::string_view lower) {
  return AnyOf(lower, {".bash_history", ".zsh_history", ".python_history", ".node_repl_history", "/var/log/auth", "/var/log/secure",
                       "/var/log/wtmp", "/var/log/btmp", "/var/log/lastlog", "/var/log/audit", "consolehost_history"});
}

}  // namespace

// A record of what was done here, removed or emptied.
void Engine::JudgeRecord(const Call& call, const std::string& path, bool emptied) {
  if (!last_) return;
  std::string lower = LowerCase(path);
  // .claude/projects: what the agent and its user have said, all of it.
  const bool all = lower.ends_with("/.claude/projects") || lower.ends_with("/.codex/sessions") ||
                   lower.ends_with("/.claude/history.jsonl") || lower.ends_with("/.claude/projects/" + std::string(1, kHole));
  if (!IsRecord(lower) && !all) return;
  Raise("SH-008", call.expr, {}, 0,
        std::string(emptied ? "empties " : "removes ") + Shown(path, 60) + ", the record of what was done here", all ? 0.8 : 1.2);
}

// What a program sees and is told: the clipboard, keys, screen and sound; its own input and command line; its machine.
Taint Engine::JudgeTaken(Call& call) {
  switch (call.entry->role) {
    case Role::kClipboard:
      if (AnyOf(LowerCase(call.callee.text), {"keyboard", "iohook", "keylog"})) {
        return Source(kClipboard | kKeys, call.expr, "watches the keys that are pressed");
      }
      if (AnyOf(call.callee.text, {"sounddevice", "pyaudio", "VideoCapture", "Microphone", "record", "webcam"})) {
        return Source(kKept, call.expr, "records what microphone or camera hear and see");
      }
      for (const Arg& arg : call.args) {
        // grab(output="/tmp/s.png")
        const std::string text = Known(arg.value);
        if (text.size() > 4 && Contains(text, ".") && kept_paths_.size() < 64)
          kept_paths_.try_emplace(text, Source(kClipboard, call.expr, "takes a picture of the screen"));
      }
      return Source(kClipboard, call.expr, "watches the clipboard, keys, screen, microphone or camera");
    case Role::kStdin:
      for (const Arg& arg : call.args) {
        // The password of the machine is asked by nobody but the machine.
        const std::string prompt = LowerCase(view().Text(arg.value, function_));
        if (AnyOf(prompt, {"[sudo]", "password for ", "keychain password", "login password", "windows password"})) {
          return Source(kStore, call.expr, "asks for the password of the machine");
        }
      }
      return Source(kInput, call.expr, "reads standard input");
    case Role::kArgv:
      return Source(kArguments, call.expr, "reads the command line");
    default:
      if (AnyOf(call.callee.text, {"process_iter", "networkInterfaces"})) here().deeds |= kDidProcessList;
      if (AnyOf(call.callee.text, {"process_iter"})) return Source(kHostFacts | kKept, call.expr, "lists all processes");
      return Source(kHostFacts, call.expr, "asks the machine who it is");
  }
}

// An agent's hook reads what the agent tells it of the user's talk.
Taint Engine::HookField(ExprId id, std::string_view key) {
  if (!SaysOneOf(key, {"prompt", "tool_input", "tool_response", "transcript_path", "last_assistant_message"})) return {};
  Taint event = Eval(code().exprs[id].base);
  if (TellsHook(key, event)) event.Join(Source(kKept, id, "takes what an agent tells its hook of the user's talk"));
  return event.Has(kKept) ? event : Taint();
}

}  // namespace interlock::scan::code
