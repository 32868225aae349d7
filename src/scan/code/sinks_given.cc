// Access to what is the user's, handed to somebody whose name stands in the code; shares of payments that go to such a
// one; what the user keeps, read in whole folders; and records of what was done, removed.
#include <algorithm>
#include <array>

#include "code/engine.h"
#include "code/engine_words.h"
#include "code/places.h"
#include "code/principals.h"
#include "code/shell.h"
#include "code/shell_paths.h"
#include "code/sink_words.h"
#include "static/part_set.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

namespace {

constexpr std::size_t kMostOfCall = 1'500;  // bytes of a call that are read

// Calls and addresses that give somebody a part in something.
constexpr auto kGives = std::to_array<std::string_view>({"addcollaborator",
                                                         "add_to_collaborators",
                                                         "add_collaborator",
                                                         "/collaborators/",
                                                         "deploykey",
                                                         "deploy_key",
                                                         "create_key(",
                                                         "forwardingaddress",
                                                         "forwardingemail",
                                                         "\"forward\"",
                                                         "'forward'",
                                                         "forward:",
                                                         "/delegates",
                                                         "delegates()",
                                                         "delegateemail",
                                                         "\"delegate\"",
                                                         "delegate:",
                                                         "messagerules",
                                                         "forwardto",
                                                         "redirectto",
                                                         "forwarding_",
                                                         "permissions().create",
                                                         "permissions.create",
                                                         "inviteshared",
                                                         "modify_snapshot_attribute",
                                                         "modifysnapshotattribute",
                                                         "modify_image_attribute",
                                                         "modifyimageattribute",
                                                         "modify_db_snapshot_attribute",
                                                         "update_assume_role_policy",
                                                         "updateassumerolepolicy",
                                                         "put_bucket_policy",
                                                         "putbucketpolicy",
                                                         "add_permission",
                                                         "set_iam_policy",
                                                         "setiampolicy",
                                                         "roleassignments",
                                                         "/memberships/",
                                                         "addmember",
                                                         "add_member",
                                                         "members.create",
                                                         "members().insert",
                                                         "setmembershipforuser",
                                                         "add_to_members",
                                                         "/invitations",
                                                         "createloginprofile",
                                                         "create_login_profile",
                                                         "adduser(",
                                                         "automaticallyforward",
                                                         "autoforwarding",
                                                         "acl().insert",
                                                         "acl.insert",
                                                         "/acl",
                                                         "createlink"});

bool IsMail(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && text.size() < 100 && text.find('.', at) != std::string_view::npos &&
         text.find_first_of(" \n/{}<>") == std::string_view::npos && text.find(kHole) == std::string_view::npos &&
         !IsPlaceholderName(LowerCase(text));
}

bool IsUserName(std::string_view text) {
  return text.size() >= 3 && text.size() <= 40 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             std::string_view::npos &&
         !IsPlaceholderName(LowerCase(text));
}

// cal.acl<newline>  .insert(...): a chain over several lines, in one, in small letters.
std::string Chained(std::string_view text) {
  std::string out = LowerCase(text);
  std::size_t to = 0;
  for (std::size_t from = 0; from < out.size();) {
    const std::size_t dot = std::min(out.find('.', from), out.size());
    const std::size_t size = dot - from;
    if (to != from)
      std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(from), size, out.begin() + static_cast<std::ptrdiff_t>(to));
    to += size;
    from = dot + 1;
    if (dot == out.size()) break;
    const std::string_view before = std::string_view(out).substr(0, to);
    const std::size_t last = before.find_last_not_of(" \t\r\n");
    if (last != std::string_view::npos && before.find('\n', last + 1) != std::string_view::npos) to = last + 1;
    out[to++] = '.';
  }
  out.resize(to);
  return out;
}

}  // namespace

// Letting everybody in is what the function is for, what its caller has asked for (`if (makePublic)`), or one of the
// kinds that it asks about (`type === "anyone"`).
bool Engine::Shares(ExprId call, std::string_view said) const {
  constexpr std::size_t kNear = 160;  // bytes before the call
  if (AnyOf(LowerCase(code().functions[function_].qualified),
            {"share", "public", "link", "publish", "permission", "anyone"})) {
    return true;
  }
  const std::size_t begin = code().exprs[call].loc.begin;
  const std::string before = LowerCase(code().text.substr(begin - std::min(begin, kNear), std::min(begin, kNear)));
  const std::size_t test = std::max(before.rfind("if (") + 1, before.rfind("if ") + 1);
  if (test != 0 && AnyOf(std::string_view(before).substr(test), {"public", "share", "anyone"})) return true;
  const std::size_t word = said.find("anyone");
  if (word == std::string_view::npos) return false;
  const std::size_t sign = said.find_last_not_of(" \"'`", word - std::min<std::size_t>(word, 1));
  return sign != std::string_view::npos && sign > 0 && said[sign] == '=' && said[sign - 1] == '=';
}

// Named arguments, fields of dictionaries and constants: who is given the part.
std::string Engine::FixedPrincipal(const Call& call, std::string_view said) {
  const std::size_t path = std::min(said.find("/collaborators/"), said.find("/memberships/"));
  for (const Arg& arg : call.args) {
    for (const std::string& text : TextsWithin(arg.value)) {
      if (IsMail(text)) return text;
      if (HoldsPublicKey(text)) return text.substr(0, 24);
      if (!Shares(call.expr, said) && SaysOneOf(text, {"anyone", "anonymous", "allUsers"}) &&
          AnyOf(said, {"permissions", "createlink", "acl"})) {
        return "everybody (" + text + ")";
      }
      if (NamesCloudAccount(text) && AnyOf(said, {"snapshot", "image", "assume", "policy", "permission"})) return text;
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
    if (!first && !SaysOneOf(fields[i].name, {"username", "user", "collaborator", "login", "member", "delegate"}))
      continue;
    const Value& known = view().Evaluate(value, function_);
    // {delegate: "keyword"}: of an editor's table of words, which class it has.
    if (known.kind == ValueKind::kText && IsUserName(known.text) && known.text != "keyword") return known.text;
  }
  return {};
}

void Engine::JudgeGrants(const Call& call) {
  static constexpr PartSet kWords(kGives);
  if (!last_ || call.args.empty()) return;
  // ApiError(422, "PUT", f"/repos/{repo}/collaborators/{name}", "no such permission"): what went wrong, and is said.
  const Expr* const callee = FunctionOf(call);
  if (callee != nullptr && (callee->text.ends_with("Error") || callee->text.ends_with("Exception"))) return;
  // attach_user_policy(PolicyArn=POLICY): put together elsewhere, it gives no less.
  for (const Arg& arg : call.args) {
    if (!SaysOneOf(arg.name, {"PolicyArn", "policy_arn", "managed_policy_arn"})) continue;
    const std::string policy = Known(arg.value);
    if (AnyOf(policy, {"AdministratorAccess", "IAMFullAccess", "PowerUserAccess"}) &&
        !Contains(code().text, std::string_view(policy).substr(policy.rfind('/') + 1))) {
      Raise("GRANT-001", call.expr, {}, 0, "gives the highest role, whose name stands in pieces", 1.2);
    }
  }
  const auto [known, added] = gives_.try_emplace(module_, false);
  if (added) {
    constexpr std::size_t kMostOfModule = std::size_t{1} << 20U;
    const std::string text = Chained(code().text.substr(0, kMostOfModule));
    known->second = kWords.AnyIn(text) || Contains(text, "/keys");
  }
  if (!known->second) return;
  const std::string said = Chained(TextAt(code().exprs[call.expr].loc).substr(0, kMostOfCall));
  if (!kWords.AnyIn(said)) {
    // api(f"repos/{repo}/keys", "-f", f"key={KEY}")
    const bool given = Contains(said, "/keys") && std::ranges::any_of(call.args, [&](const Arg& arg) {
                         return HoldsPublicKey(view().Text(arg.value, function_));
                       });
    if (given) Raise("GRANT-002", call.expr, {}, 0, "gives access to whoever holds the key that stands here");
    return;
  }
  const std::string principal = FixedPrincipal(call, said);
  if (principal.empty()) return;
  Raise("GRANT-002", call.expr, {}, 0, "gives access to somebody whose name stands here: " + Shown(principal, 60));
}

// What the fields of a dictionary say together.
void Engine::JudgeFields(ExprId dict) {
  JudgeMailCopy(dict);
  JudgeShare(dict);
  JudgeTask(dict);
  JudgeConfigured(dict);
  JudgeJob(dict);
  JudgeRouted(dict);
  JudgeDefinition(code().ArgsOf(code().exprs[dict]));
  JudgeReportHook(code().ArgsOf(code().exprs[dict]), dict);
}

// transfer_data={"destination": "acct_..."}: a share of what is paid.
void Engine::JudgeShare(ExprId dict) {
  for (const Arg& field : code().ArgsOf(code().exprs[dict])) {
    if (!SaysOneOf(field.name, {"to", "recipient", "beneficiary", "destination", "on_behalf_of", "payee", "account",
                                "stripeAccount", "stripe_account", "email_address", "merchant_id"})) {
      continue;
    }
    const Value& value = view().Evaluate(field.value, function_);
    if (value.kind != ValueKind::kText || !value.text.starts_with("acct_") || value.text.size() < 15) continue;
    Raise("DIVERT-001", field.value, {}, 0,
          "sends a share of what is paid to a fixed account: " + Shown(value.text, 40));
  }
}

// What lies at a path that is somebody's own to look into.
Taint Engine::KeptAt(std::string_view path, ExprId at) {
  std::string folder = shell::HomePath(path);
  if (!folder.starts_with("~")) return {};
  while (!folder.empty() && (folder.back() == kHole || folder.back() == '/' || folder.back() == '*')) folder.pop_back();
  std::string_view what = shell::KeptBy(folder);
  for (std::size_t slash = folder.rfind('/'); what.empty() && slash != std::string::npos && slash > 1;
       slash = folder.rfind('/')) {
    folder.resize(slash);
    what = shell::KeptBy(folder);
  }
  if (what.empty() || folder == "~") return {};
  return Source(kKept, at, "takes " + std::string(what) + ", " + Shown(path, 60));
}

// A record of what was done here, removed or emptied.
void Engine::JudgeRecord(const Call& call, const std::string& path, bool emptied) {
  if (!last_) return;
  const std::string lower = LowerCase(path);
  if (!IsRecordPath(lower)) return;
  const bool talk = AnyOf(lower, {"/.claude/", "/.codex/"});
  Raise("SH-008", call.expr, {}, 0,
        std::string(emptied ? "empties " : "removes ") + Shown(path, 60) + ", the record of what was done here",
        talk ? 0.8 : 1.2);
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
      if (AnyOf(call.callee.text, {"history.search", "bookmarks."}))
        return Source(kKept, call.expr, "takes where the user has been");
      if (call.callee.text.starts_with("readline."))
        return Source(kKept, call.expr, "takes what was typed at a prompt");
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
      return StandardInput(call.expr);
    case Role::kArgv:
      return Source(kArguments, call.expr, "reads the command line");
    default:
      if (AnyOf(call.callee.text, {"process_iter", "networkInterfaces"})) here().deeds |= kDidProcessList;
      if (AnyOf(call.callee.text, {"process_iter"}))
        return Source(kHostFacts | kKept, call.expr, "lists all processes");
      return Source(kHostFacts, call.expr, "asks the machine who it is");
  }
}

// Read by a program that an agent starts as its hook, the whole event.
Taint Engine::StandardInput(ExprId at) {
  const bool told = module_ < hooks_.size() && hooks_[module_];
  return Source(told ? kInput | kEvent : kInput, at, "reads standard input");
}

// What an agent tells its hooks: the user's words, the tool's, the answers.
bool TellsHook(std::string_view key, const Taint& from) {
  return from.Has(kInput) &&
         SaysOneOf(key, {"prompt", "tool_input", "tool_response", "transcript_path", "last_assistant_message"});
}

// event.prompt holds what was said; event.tool_name, event.cwd and their like are counts, names and places.
Taint PartOfEvent(std::string_view key, const Taint& event) {
  if (!event.Has(kEvent) || key.empty()) return event;
  static constexpr FixedWords kTalk(std::to_array<std::string_view>(
      {"prompt", "content",  "text",       "tool_input",  "toolInput", "tool_response", "toolResponse", "tool_output",
       "output", "messages", "transcript", "message",     "input",     "args",          "arguments",    "response",
       "edits",  "body",     "data",       "attachments", "command",   "result",        "new_string",   "old_string"}));
  // Of "[i]" nothing is known; "[0]" is a part like the whole.
  if (Contains(key, std::string_view(&kHole, 1)) || key.find_first_not_of("0123456789") == std::string_view::npos)
    return event;
  Taint part = event.Without(kEvent);
  if (kTalk.Has(key)) {
    part.labels |= kSaid;
    // def words(event): return event["prompt"]
    if ((event.fresh & kEvent) != 0 || event.params != 0) part.fresh |= kSaid;
  }
  return part;
}

// SC-041; what is weighed of it beside the package's pages stands in static/agent_hooks.cc.
void Engine::JudgeHookSend(const Call& call, const Taint& data, const std::string& host) {
  if (host.empty() || !data.Has(kEvent | kSaid)) return;
  Raise("SC-041", call.expr, data, kEvent | kSaid, "sends what an agent tells its hook to " + host, 1.0, host);
}

// An agent's hook reads what the agent tells it of the user's talk.
Taint Engine::HookField(ExprId id, std::string_view key) {
  if (!SaysOneOf(key, {"prompt", "tool_input", "tool_response", "transcript_path", "last_assistant_message"}))
    return {};
  Taint event = Eval(code().exprs[id].base);
  if (TellsHook(key, event)) event.Join(Source(kKept, id, "takes what an agent tells its hook of the user's talk"));
  return event.Has(kKept) ? event : Taint();
}

// meta("iam/security-credentials/" + role), of a function that asks the machine's own metadata.
bool Engine::AsksForRoleKeys(std::span<const Arg> args) {
  if (!view().words().roles) return false;
  return std::ranges::any_of(args, [&](const Arg& arg) {
    const std::string text = Known(arg.value);
    // A whole address says itself whose it is.
    const bool whole = Contains(text, "://");
    return text.size() > 8 && GivesRoleKeys(whole ? text : "http://169.254.169.254/" + text);
  });
}

// m["Bcc"] = "somebody@..."
void Engine::JudgeCopied(std::string_view key, ExprId value) {
  if (key.size() != 3 || LowerCase(key) != "bcc") return;
  const std::string& known = view().Text(value, function_);  // os.environ.get("ARCHIVE", "somebody@..."): the default
  const std::string fixed = IsMail(known) ? known : FixedAmong(value);
  if (!IsMail(fixed)) return;
  Raise("EXFIL-005", value, {}, 0, "every message is copied to a fixed address, " + Shown(fixed, 60));
}

// OWN if chance() else to: an account that a caller gave, and another in its place.
void Engine::JudgeExchanged(ExprId choice) {
  const auto args = code().ArgsOf(code().exprs[choice]);
  if (args.size() != 3 || args[0].value >= code().exprs.size()) return;
  for (std::size_t i = 1; i < 3; ++i) {
    const ExprId other = args[3 - i].value;
    if (other >= code().exprs.size() || code().exprs[other].kind != ExprKind::kName) continue;
    const std::uint32_t slot = view().SlotOf(other, function_);
    if (slot == kNone || view().slots()[slot].param == kNone) continue;
    const Value& fixed = view().Evaluate(args[i].value, function_);
    if (fixed.kind != ValueKind::kText || !IsAccount(fixed.text)) continue;
    // `to ? to : OWN` is a default.
    const std::string_view asks = TextAt(code().exprs[args[0].value].loc);
    const std::string_view name = code().exprs[other].text;
    if (Contains(asks, name) && !AnyOf(asks, {"random", "Random"})) continue;
    Raise("DIVERT-002", choice, {}, 0,
          "puts a fixed account in the place of the one that was given: " + Shown(fixed.text, 40));
    return;
  }
}

Taint Engine::OfEach(const Expr& made, const Taint& all) {
  const auto parts = code().ArgsOf(made);
  const bool table = TextAt(made.loc).starts_with('{');  // {"a": value for ...}: what comes first is a key
  if (!table && parts.size() >= 2 && parts[0].value < code().exprs.size() &&
      code().exprs[parts[0].value].kind == ExprKind::kString)
    return {};
  return all.Has(kEnvAll) && PicksItsOwn(TextAt(made.loc)) ? all.Without(kEnvAll) : all;
}

// startswith(OURS): what stands in the list decides whose they are.
bool Engine::PicksItsOwn(std::string_view text) const {
  if (!PicksOwn(text)) return false;
  for (const std::string_view call : {"startswith(", "startsWith("}) {
    for (std::size_t at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
      const std::string_view rest = text.substr(at + call.size());
      const std::string_view name = rest.substr(0, rest.find_first_of(")], .("));
      const std::uint32_t slot = name.empty() ? kNone : view().SlotByName(name, function_);
      if (slot == kNone || view().slots()[slot].count == 0) continue;
      const Binding& binding = view().bindings()[view().slots()[slot].first];
      const ExprId list = binding.value == kNone ? kNone : view().Origin(binding.value, binding.scope);
      if (list >= code().exprs.size() || code().exprs[list].kind != ExprKind::kList) continue;
      for (const Arg& item : code().ArgsOf(code().exprs[list])) {
        if (item.value >= code().exprs.size()) continue;
        const std::string_view prefix = code().exprs[item.value].text;
        if (VendorOf(prefix).any() || IsSecretName(prefix)) return false;
      }
    }
  }
  return true;
}

bool Engine::GiveConstants(std::span<const std::pair<std::uint32_t, Value>> functions) {
  const auto gives = [&](const std::pair<std::uint32_t, Value>& one) {
    const Value& function = one.second;
    if (function.kind != ValueKind::kFunction || function.module != module_) return false;
    if (function.index >= code().functions.size()) return false;
    const Function& shape = code().functions[function.index];
    std::size_t returns = 0;
    for (const Stmt& stmt : shape.body) {
      if (stmt.kind != StmtKind::kReturn) return false;
      ++returns;
      if (stmt.value >= code().exprs.size() || code().exprs[stmt.value].kind != ExprKind::kString) return false;
    }
    return returns == 1;
  };
  return !functions.empty() && std::ranges::all_of(functions, gives);
}

// Functions of this file that write out a table and give it back: of what they are given, what they put into it.
bool Engine::GiveRecords(std::span<const std::pair<std::uint32_t, Value>> functions) const {
  const auto writes = [&](const std::pair<std::uint32_t, Value>& given) {
    if (given.second.module != module_ || given.second.index >= code().functions.size()) return false;
    const Function& shape = code().functions[given.second.index];
    // `arguments`, `this`: what it is given by other ways than its parameters.
    if (shape.params.empty() || AnyOf(TextAt(shape.loc), {"arguments", "this."})) return false;
    std::size_t returns = 0;
    for (const Stmt& stmt : shape.body) {
      if (stmt.kind != StmtKind::kReturn) continue;
      ++returns;
      if (stmt.value >= code().exprs.size() || code().exprs[stmt.value].kind != ExprKind::kDict) return false;
    }
    return returns > 0;
  };
  return !functions.empty() && std::ranges::all_of(functions, writes);
}

Taint OneOfAll(const Taint& all, std::string_view key) {
  // With what `.env` adds to it; a key or a store that was put in stays.
  Taint one = all.Without(kEnvAll | kWeakSecretFile | kFileContent);
  const Labels label = IsSecretName(key) ? kEnvSecret : kEnvPlain;
  one.labels |= label;
  one.fresh |= label;
  one.vendors |= VendorOf(key);
  return one;
}

// const { TOKEN } = process.env, { prompt } = event, { messages } of what a tool is given: what a field is.
Taint Engine::FieldOf(std::string_view name, ExprId target, const Taint& whole, int depth) {
  // const { body, ...rest } = options: what options carry; no variable of the environment is called so.
  const bool payload = !whole.Has(kForeign) &&
                       SaysOneOf(name, {"body", "data", "json", "payload", "content", "properties", "extra", "fields"});
  if (whole.Has(kEnvAll) && !payload && !HoldsWhole(name)) return EnvRead(name, target);
  Taint part = whole;
  if (NarrowToVariable(name, &part)) return part;
  if (name == "messages" && depth == 0 && IsToolExtra()) {
    part.Join(Source(kKept, target, "takes all that has been said to the agent"));
  } else if (whole.Has(kRequest) && IsCredentialHeader(name)) {
    part.Join(Source(kTapped, target, "takes the credentials of whoever asks"));
  } else if (TellsHook(name, whole)) {
    part.Join(Source(kKept, target, "takes what an agent tells its hook of the user's talk"));
  }
  return PartOfEvent(name, part);
}

// What is run is decoded in the very place where it is made.
bool Engine::DecodesHere(ExprId command) const {
  const ExprId origin = view().Origin(command, function_);
  if (origin >= code().exprs.size()) return false;
  return AnyOf(TextAt(code().exprs[origin].loc).substr(0, 400),
               {"fromhex(", "b64decode(", "unhexlify(", "Buffer.from(", "atob(", "b32decode(", "a85decode("});
}

// url.searchParams, of a variable.
bool Engine::IsQueryOf(ExprId expr) const {
  if (expr >= code().exprs.size()) return false;
  const Expr& part = code().exprs[expr];
  return part.kind == ExprKind::kMember && part.text == "searchParams" && part.base < code().exprs.size() &&
         code().exprs[part.base].kind == ExprKind::kName;
}

// execute: async (input, { messages }) => ...: of the AI SDK, a tool that asks for the conversation.
bool Engine::IsToolExtra() const {
  return !view().is_python() && IsEntry() && code().functions[function_].params.size() >= 2;
}

// unit.write_text(UNIT), and what UNIT says.
bool Engine::GivenHarm(const Call& call) {
  for (const Arg& arg : call.args) {
    std::string text = Known(arg.value);
    if (text.size() < 12 || text.size() > 8'000) continue;
    if (AnyOf(text, {"NOPASSWD: ALL", "NOPASSWD:ALL", "alias sudo=", "pam_permit.so"})) return true;
    std::replace(text.begin(), text.end(), kHole, '_');
    if ((AnyOf(text, {"curl ", "wget "}) && AnyOf(text, {"| sh", "|sh", "| bash", "|bash", "| python", "| node"})) ||
        AnyOf(text, {"/dev/tcp/", "DownloadString(", "base64 -d |", "base64 -d|", "base64 --decode |"})) {
      return true;
    }
  }
  return false;
}

// config.update("chat.tools.autoApprove", true): an editor's agent asks no more; and the cloud's own record is stopped.
void Engine::JudgeSettingsCall(const Call& call, std::string_view last) {
  if (SaysOneOf(last, {"update", "set"}) && call.args.size() >= 2) {
    const auto judge = [&](std::string_view key, ExprId given) {
      const std::string_view value = TextAt(code().exprs[given].loc).substr(0, 60);
      const bool opens =
          (key.starts_with("chat.tools.") && key.ends_with("utoApprove") && !value.starts_with("false")) ||
          (key == "security.workspace.trust.enabled" && value == "false") ||
          (key == "extensions.verifySignature" && value == "false");
      if (opens) {
        Raise("PERSIST-003", call.expr, {}, 0,
              "sets " + Shown(key, 60) + ", so that nothing is asked and checked any more", 0.9);
      }
      return opens;
    };
    // for (const [key, value] of Object.entries(DEFAULTS)) await config.update(key, value)
    const ExprId table = view().Text(call.args[0].value, function_).empty() ? TableOfLoop(call.args[0].value) : kNone;
    const ExprId made = table < code().exprs.size() ? view().Origin(table, function_) : kNone;
    if (made < code().exprs.size() && code().exprs[made].kind == ExprKind::kDict) {
      for (const Arg& field : code().ArgsOf(code().exprs[made])) {
        if (field.value < code().exprs.size() && judge(field.name, field.value)) return;
      }
    } else {
      judge(view().Text(call.args[0].value, function_), call.args[1].value);
    }
    return;
  }
  if (last == "addConfig" && call.args.size() >= 2) {
    const std::string key = LowerCase(view().Text(call.args[0].value, function_));
    const bool everywhere = Contains(TextAt(code().exprs[call.expr].loc).substr(0, 200), "global");
    if (everywhere && SaysOneOf(key, {"core.hookspath", "core.sshcommand", "core.fsmonitor", "init.templatedir"})) {
      Raise("PERSIST-001", call.expr, {}, 0, "has git run programs of its own in every repository, by " + key);
      if (WritesRunner() || WritesHarm() || Contains(code().text, "curl "))
        Worsen("PERSIST-001", core::Severity::kCritical);
    }
    return;
  }
  if (!SaysOneOf(last,
                 {"stop_logging", "delete_trail", "delete_detector", "StopLoggingCommand", "DeleteTrailCommand",
                  "DeleteDetectorCommand", "delete_flow_logs", "disable_security_hub", "delete", "delete_sink"})) {
    return;
  }
  const std::string said = LowerCase(TextAt(code().exprs[call.expr].loc).substr(0, 200));
  if (last == "delete" &&
      !AnyOf(said, {"diagnostic_settings.delete", "diagnosticsettings.delete", "activity_log_alerts.delete"}))
    return;
  Raise("SH-008", call.expr, {}, 0, "stops the cloud's own record of what is done", 1.2);
}

// execute("DROP TABLE notes"), execute_command("FLUSHALL"): all that a store of data holds.
static bool OrdersToEmpty(std::string_view last, std::string_view text) {
  if (!SaysOneOf(last, {"execute", "executescript", "execute_command", "executemany", "query", "exec", "run", "command",
                        "raw", "sendCommand", "call"})) {
    return false;
  }
  const std::string said = LowerCase(text.substr(0, 300));
  return AnyOf(said, {"flushall", "flushdb", "drop database", "drop schema", "drop table", "truncate table"}) ||
         (Contains(said, "delete from ") && !Contains(said, " where "));
}

// From a day on that stands in the code, tables are dropped.
void Engine::JudgeDropped(const Call& call, std::string_view last) {
  if (!SaysOneOf(last, {"drop", "dropDatabase", "drop_database", "drop_collection", "dropCollection", "drop_all",
                        "flushall", "flushAll", "flushdb", "flushDb", "deleteMany", "delete_many"}) &&
      !OrdersToEmpty(last, TextAt(code().exprs[call.expr].loc))) {
    return;
  }
  if (last.starts_with("delete") && !AnyOf(TextAt(code().exprs[call.expr].loc).substr(0, 120), {"({})", "( {} )"}))
    return;
  const auto dated = [](const Condition& condition) { return condition.dated; };
  if (!std::ranges::any_of(conditions_, dated) && !std::ranges::any_of(guards_, dated)) return;
  Raise("TRIGGER-001", call.expr, {}, 0, "drops all data from a day on that stands in the code");
  Worsen("TRIGGER-001", core::Severity::kCritical);
}

// TOKENS[token.upper()], beside `token` itself: an account is looked up by the short name that somebody gave in its
// place. One that was given is in no such table.
static bool LooksUpName(const ModuleView& view, FuncId function, const Expr& item, std::span<const ExprId> ways) {
  constexpr std::size_t kLongestName = 12;
  const Module& code = view.module();
  if (item.arg_count != 1 || item.base >= code.exprs.size()) return false;
  const auto made_of = [&](ExprId id) {
    const ExprId made = view.Origin(id, function);
    return made < code.exprs.size() ? &code.exprs[made] : nullptr;
  };
  const Expr* key = made_of(code.ArgsOf(item)[0].value);
  ExprId name = code.ArgsOf(item)[0].value;
  if (key != nullptr && key->kind == ExprKind::kCall && key->arg_count == 0 && key->base < code.exprs.size() &&
      SaysOneOf(code.exprs[key->base].text, {"upper", "lower", "strip", "toUpperCase", "toLowerCase", "trim"}))
    name = code.exprs[key->base].base;
  const std::uint32_t slot =
      name < code.exprs.size() && code.exprs[name].kind == ExprKind::kName ? view.SlotOf(name, function) : kNone;
  const Expr* table = made_of(item.base);
  const auto same = [&](ExprId way) {
    return way < code.exprs.size() && code.exprs[way].kind == ExprKind::kName && view.SlotOf(way, function) == slot;
  };
  return slot != kNone && view.slots()[slot].param != kNone && view.slots()[slot].scope == function &&
         std::ranges::any_of(ways, same) && table != nullptr && table->kind == ExprKind::kDict &&
         std::ranges::all_of(code.ArgsOf(*table), [](const Arg& row) {
           return !row.name.empty() && row.name.size() <= kLongestName && !IsAccount(std::string(row.name));
         });
}

// pay(to): one way gives back `to`, another an account that stands in the code, by itself or in a table.
void Engine::JudgeReturned() {
  if (!last_ || function_ == kModuleBody) return;
  std::vector<ExprId> ways;
  for (const Stmt& stmt : code().functions[function_].body) {
    if (stmt.kind != StmtKind::kReturn || stmt.value >= code().exprs.size()) continue;
    const Expr& value = code().exprs[stmt.value];
    const auto args = code().ArgsOf(value);
    // large ? OURS : to
    if (value.kind == ExprKind::kChoice) {
      for (const Arg& arg : args.size() == 3 ? args.subspan(1) : args) ways.push_back(arg.value);
    } else {
      // checksum(ACCOUNT)
      ways.push_back(value.kind == ExprKind::kCall && args.size() == 1 ? args[0].value : stmt.value);
    }
  }
  const auto is_given = [&](ExprId way) {
    if (way >= code().exprs.size() || code().exprs[way].kind != ExprKind::kName) return false;
    const std::uint32_t slot = view().SlotOf(way, function_);
    return slot != kNone && view().slots()[slot].param != kNone && view().slots()[slot].scope == function_;
  };
  if (!std::ranges::any_of(ways, is_given)) return;
  for (const ExprId way : ways) {
    if (way >= code().exprs.size()) continue;
    bool account = IsAccount(view().Text(way, function_));
    if (!account && code().exprs[way].kind == ExprKind::kIndex &&
        !LooksUpName(view(), function_, code().exprs[way], ways)) {
      const std::vector<std::string> texts = TextsWithin(code().exprs[way].base);
      account = !texts.empty() && std::ranges::all_of(texts, [](const std::string& one) { return IsAccount(one); });
    }
    if (!account) continue;
    Raise("DIVERT-002", way, {}, 0, "gives back a fixed account in the place of the one that was given");
    return;
  }
}

// node -e "fetch(url).then(r => r.text()).then(eval)"
static bool RunsOthersProgram(const std::string& line) {
  constexpr std::size_t kLongest = 4'000;
  if (line.size() > kLongest) return false;
  const ShellScript script = ParseShell(line);
  return std::ranges::any_of(AnalyzeShellScript(script, line), [](const ShellUse& use) {
    return use.act == ShellAct::kFetchAndRun || use.act == ShellAct::kReverseShell ||
           use.act == ShellAct::kDecodeAndRun || use.act == ShellAct::kSendSecret;
  });
}

// "curl -s -d @- https://host", "python3 -c '...urlopen(\"https://host\", sys.stdin...)'": what it is told goes there.
static std::string SendsInputTo(const std::string& line) {
  if (line.size() > 4'000 || !AnyOf(line, {"@-", "stdin", "$(cat", "-T -", "| nc "})) return {};
  const std::size_t at = line.find("http");
  const std::string host = at == std::string::npos ? std::string() : HostOf(line.substr(at, 300));
  return host.empty() || KindOfHost(host) == HostKind::kLocal ? std::string() : host;
}

// {command: "curl ... | node -", runOptions: {runOn: "folderOpen"}}: a task that runs when the folder is opened.
// {"type": "command", "command": "curl -d @- https://host"}: a hook, that is told what the user says.
void Engine::JudgeTask(ExprId dict) {
  const auto fields = code().ArgsOf(code().exprs[dict]);
  const auto field = [&](std::string_view name) {
    const auto found = std::ranges::find_if(fields, [&](const Arg& arg) { return arg.name == name; });
    return found == fields.end() ? kNone : found->value;
  };
  const ExprId options = field("runOptions");
  const ExprId command = field("command");
  const ExprId type = field("type");
  if (type < code().exprs.size() && command < code().exprs.size() && code().exprs[type].text == "command" &&
      view().words().agents) {
    if (const std::string host = SendsInputTo(Known(command)); !host.empty()) {
      Raise("PERSIST-002", dict, {}, 0, "has agents send what their hooks are told to " + host, 1.3, host);
      Worsen("PERSIST-002", core::Severity::kCritical);
    }
    return;
  }
  if (options >= code().exprs.size() || command >= code().exprs.size()) return;
  if (!Contains(TextAt(code().exprs[options].loc), "folderOpen")) return;
  const std::string text = Known(command);
  if (!RunsOthersProgram(text)) return;
  Raise("PERSIST-001", dict, {}, 0, "has an editor run a fetched program each time that the folder is opened");
  Worsen("PERSIST-001", core::Severity::kCritical);
}

// original("https://host", {method: "POST", body}), original.call(this, {url: "https://host", data}): whatever it is
// called, it is given what `fetch` and its like are.
void Engine::JudgeLikeFetch(Call& call) {
  if (view().is_python() || call.entry != nullptr || call.args.empty() || call.args.size() > 2) return;
  const ExprId options = call.args.back().value;
  if (options >= code().exprs.size() || code().exprs[options].kind != ExprKind::kDict) return;
  std::string url = call.args.size() == 2 ? Known(call.args[0].value) : std::string();
  const bool inside = !url.starts_with("http");
  ExprId sent = kNone;
  for (const Arg& field : code().ArgsOf(code().exprs[options])) {
    if (field.name == "body" || (inside && field.name == "data")) sent = field.value;
    if (inside && field.name == "url") url = Known(field.value);
  }
  if (sent == kNone || (!url.starts_with("https://") && !url.starts_with("http://"))) return;
  if (const std::string host = KnownHost(url); !host.empty()) JudgeSend(call, Eval(sent), host, {});
}

// ssh.execCommand("systemctl stop auditd; ..."): commands that stand here, for another machine.
void Engine::JudgeRemoteCommand(const Call& call, std::string_view last) {
  if (!SaysOneOf(
          last, {"execCommand", "exec_command", "executeCommand", "send_command", "run_command", "runCommand", "sudo"}))
    return;
  for (const Arg& arg : call.args) {
    const std::string line = Known(arg.value);
    if (line.size() < 8 || line.size() > 2'000 || Contains(line, std::string_view(&kHole, 1))) continue;
    std::vector<ShellUse> acts = AnalyzeShellScript(ParseShell(line), line);
    std::erase_if(acts, [](const ShellUse& act) { return act.gravity < 2; });
    ShellContext context;
    context.file = code().file;
    context.whole = {code().exprs[arg.value].loc.begin, code().exprs[arg.value].loc.end};
    std::vector<RawFinding> findings;
    JudgeShell(acts, context, findings, nullptr);
    TakeOver(findings, line);
  }
}

// sh("security", "dump-keychain"), of a wrapper around programs that print secrets.
Taint Engine::OfRunner(const Call& call) {
  if (call.args.empty() || call.args[0].value >= code().exprs.size()) return {};
  if (code().exprs[call.args[0].value].kind != ExprKind::kString ||
      !SaysOneOf(code().exprs[call.args[0].value].text,
                 {"security", "secret-tool", "gh", "gcloud", "aws", "op", "pass", "bw", "vault", "cmdkey", "az"})) {
    return {};
  }
  std::string line;
  for (const Arg& arg : call.args) line += (line.empty() ? "" : " ") + Known(arg.value);
  return OutputOf(call, line);
}

}  // namespace interlock::scan::code
