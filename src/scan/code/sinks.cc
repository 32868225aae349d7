// What is made of a value where it leaves the program or becomes a program. Honest powers become uses; findings need a
// combination that has no good reason, or a mistake that an attacker can use.
#include "code/engine.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/sink_words.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {
using core::Permission;
using namespace sink_words;  // NOLINT: the engine room's own words

namespace {

constexpr double kSharedWay = 0.45;  // of several credentials that one function sends to the host of one of them

}  // namespace

Taint Engine::TaintOfArg(const Call& call, ExprId expr) const {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (call.args[i].value == expr) return call.taints[i];
  }
  return {};
}

// One of two keys is what the other falls back to: os.environ.get("A") or os.environ["B"].
constexpr std::size_t kNoFallback = 3;
// Of what a key ring or a vault gives, sent to a host that the settings name: how one signs in.
constexpr double kOfKeyRing = 0.4;

void Engine::JudgeSend(Call& call, const Taint& data, std::string_view host_view, const Taint& target) {
  // Of what a helper sends for its callers, whether it waits for the answer is known there.
  if (!sent_on_) NoteSent(data, std::string(host_view), data.params != 0 && SendsAside());
  if (!last_) return;
  const bool inbox = host_view.starts_with(kInboxPrefix);
  const std::string host(inbox ? host_view.substr(kInboxPrefix.size()) : host_view);
  const HostKind kind = host.empty() ? HostKind::kOrdinary : inbox ? HostKind::kTunnel : KindOfHost(host);
  if (kind == HostKind::kLocal) return JudgeSendHere(call, data, host);
  const bool fixed = !host.empty();
  const bool bad = fixed && IsBad(kind);
  Taint all = data;
  all.Join(target);
  JudgeHookSend(call, all, host);
  const std::string to = fixed ? " to " + host : std::string(" over the network");
  const bool to_model = fixed && !inbox && HostOfModels(host) && !IsStatistics(host);
  const bool own_kind = to_model && IsKeyOfModels(data.vendors);
  if (all.Has(kSecretFile | kStore)) {
    // Cloud libraries trade their own key files for tokens at their own hosts.
    // A key for a model's host lies in the key ring, or with a service that keeps keys.
    const bool models = to_model && !all.Has(kSecretFile);
    const bool own = fixed && !inbox && !bad && IsStoreOfHost(all, kSecretFile | kStore, host);
    if (!models && !own && (!fixed || inbox || !IsKnownService(host) || IsNoServicesKey(all))) {
      // A credential that is only in the options or the address may be the header where it belongs.
      const bool body = data.Has(kSecretFile | kStore) || fixed;
      Raise("EXFIL-001", call.expr, all, kSecretFile | kStore, "sends credentials read from their store" + to,
            fixed                           ? 1.0
            : body && data.Has(kSecretFile) ? 0.75
            : body                          ? kOfKeyRing
                                            : 0.2,
            inbox ? std::string() : host);
      return;
    }
  }
  if (all.Has(kWeakSecretFile) && bad) {
    Raise("EXFIL-001", call.expr, all, kWeakSecretFile, "sends a file of credentials" + to, 0.9, host);
    return;
  }
  // A service keeps what it is given, for whoever has the account: ~/.aws/credentials as a page of a notebook.
  if ((all.fresh & kWeakSecretFile) != 0 && kind == HostKind::kOrdinary && fixed &&
      !IsStoreOfHost(all, kWeakSecretFile, host) &&
      (!IsKnownService(host) || IsStoreOfOthers(all, kWeakSecretFile, host))) {
    Raise("EXFIL-001", call.expr, all, kWeakSecretFile, "sends a file of credentials" + to, HowSure(data), host);
    return;
  }
  if (JudgeRelay(call, data, host, bad)) return;
  if (all.Has(kEnvAll)) {
    Raise("EXFIL-002", call.expr, all, kEnvAll, "sends the whole environment" + to, fixed ? 1.0 : 0.75, host);
    return;
  }
  if (all.Has(kEnvSecret)) {
    const Vendors vendors = data.vendors | target.vendors;
    const std::size_t owners = vendors.count();
    const bool theirs = fixed && HostOfVendors(host, vendors);
    if (bad && !theirs && data.Has(kEnvSecret)) {
      Raise("EXFIL-003", call.expr, all, kEnvSecret, "sends a credential from the environment" + to, 1.0, host);
      return;
    }
    const Labels fresh = data.fresh | target.fresh;
    if (owners >= 2 && fixed && (fresh & kEnvSecret) != 0) {
      // Where one of them belongs, the others are likely those of other ways through shared functions.
      Raise("EXFIL-003", call.expr, all, kEnvSecret, "sends credentials of several services" + to,
            theirs || IsChosenByName(call, host) ? kSharedWay : 0.9, host);
      if (!theirs && owners >= kNoFallback) Worsen("EXFIL-003", core::Severity::kCritical);
      return;
    }
    // A credential as all that is sent: a service is asked with it in a header, or beside the question.
    if (owners == 0 && fixed && kind == HostKind::kOrdinary && (data.fresh & kEnvSecret) != 0 && SendsAlone(call)) {
      Raise("EXFIL-003", call.expr, data, kEnvSecret, "sends nothing but a credential from the environment" + to, 0.6,
            host);
      return;
    }
    if (owners == 0 && fixed && !inbox && kind == HostKind::kOrdinary && (data.fresh & kEnvSecret) != 0 &&
        SendsUnnamed(call)) {
      Raise("EXFIL-003", call.expr, data, kEnvSecret, "sends a credential from the environment under another name" + to,
            0.7, host);
      return;
    }
    // Kept in between, by a queue or an object: where it comes from is less sure, and whose body it is in is not.
    if (owners == 1 && fixed && !theirs && !own_kind && !bad && kind == HostKind::kOrdinary &&
        (fresh & kEnvSecret) == 0 && data.Has(kEnvSecret) && AskedNowhereElse(data.vendors)) {
      Raise("EXFIL-003", call.expr, data, kEnvSecret, "sends a service's credential to another's host, " + host, 0.5,
            host);
      return;
    }
    if (owners == 1 && fixed && !theirs && !own_kind && (fresh & kEnvSecret) != 0) {
      Raise("EXFIL-003", call.expr, all, kEnvSecret, "sends a service's credential to another's host, " + host, 0.6,
            host);
      return;
    }
  }
  // What a file says that a caller named: no count of visits has a use for it.
  if (fixed && IsStatistics(host) && data.Has(kFileContent) && data.Has(kToolArgument)) {
    Raise("EXFIL-007", call.expr, data, kFileContent, "sends what files hold to a service that counts visits, " + host,
          0.9, host);
    return;
  }
  if (JudgeTapped(call, all, host, kind) || JudgeMirrored(call.expr, all, host)) return;
  if (JudgeMirroredRequest(call, all, host) || (!inbox && JudgeCopied(call, host))) return;
  // A page sends its own server what is typed on it.
  if (all.Has(kKeys) && (fixed || view().is_python()) && (bad || kind == HostKind::kOrdinary)) {
    Raise("EXFIL-004", call.expr, all, kKeys, "sends the keys that are pressed" + to, fixed ? 1.0 : 0.6, host);
    Worsen("EXFIL-004", core::Severity::kCritical);
    return;
  }
  if (all.Has(kKept) && fixed && (!inbox || host == kOwnAccount) && (bad || kind == HostKind::kOrdinary) &&
      !IsKnownService(host) && !HostOfModels(host)) {
    Raise("EXFIL-004", call.expr, all, kKept, "sends what the user keeps, or has said," + to, 1.0, host);
  }
  if (all.Has(kClipboard) && (fixed || Repeats()) && (bad || kind == HostKind::kOrdinary)) {
    Raise("EXFIL-004", call.expr, all, kClipboard, "sends the clipboard, keys pressed or the screen" + to,
          fixed && (bad || Repeats()) ? 1.0 : 0.58, host);
    return;
  }
  if (bad && data.Has(kFileContent) && !data.Has(kToolArgument)) {
    Raise("EXFIL-004", call.expr, data, kFileContent, "sends the content of files" + to, ToOwnChat(call) ? 0.2 : 0.7,
          host);
    return;
  }
  if (kind == HostKind::kRawAddress && data.Has(kHostFacts)) {
    Raise("EXFIL-004", call.expr, data, kHostFacts, "reports facts about the machine" + to, 0.7, host);
  } else if (fixed && (bad || kind == HostKind::kOrdinary)) {
    JudgeReport(call, all, host);
  }
  if (sent_on_) return;
  if (SendsBesideWork(host)) {
    (void)JudgeAside(call.expr, all, host);
  } else if ((!SendsAside() || !JudgeAside(call.expr, data, host)) && !JudgeUnanswered(call, data, host)) {
    JudgeKeptAside(call.expr, data, host);
  }
}

// A name put together from pieces, for something dangerous.
void Engine::JudgePiecedName(const Call& call) {
  if (!last_ || call.callee.obfuscation < 2) return;
  const Role role = call.entry->role;
  const bool dangerous = role == Role::kEval || role == Role::kShell || role == Role::kSpawn ||
                         role == Role::kConnect || role == Role::kDeserialize || role == Role::kNative;
  if (dangerous) {
    Raise("OBFUSC-002", call.expr, {}, 0, "calls " + Shown(call.callee.text) + " by a name put together from pieces",
          call.callee.obfuscation >= 3 ? 1.0 : 0.9, {}, call.callee.text);
  }
}

Taint Engine::Judge(Call& call, bool* handled) {
  *handled = true;
  JudgePiecedName(call);
  switch (call.entry->role) {
    case Role::kHttp:
    case Role::kConnect:
    case Role::kSocketSend:
    case Role::kSocketReceive:
    case Role::kDns:
    case Role::kMail:
    case Role::kListen:
      return JudgeNetwork(call);
    case Role::kShell:
    case Role::kSpawn:
    case Role::kDuplicate:
    case Role::kTerminal:
      return JudgeProcess(call);
    case Role::kEval:
    case Role::kImport:
    case Role::kYaml:
    case Role::kDeserialize:
    case Role::kNative:
      return JudgeCode(call);
    case Role::kExecutableMemory:
      return JudgeExecutableMemory(call);
    case Role::kRawMemory:
      return JudgeRawMemory(call);
    case Role::kFileOpen:
    case Role::kFileRead:
    case Role::kFileWrite:
    case Role::kFileList:
      return JudgeFile(call);
    case Role::kFileDelete:
      return JudgeFileDelete(call);
    case Role::kEnvRead:
    case Role::kEnvAll:
    case Role::kEnvWrite:
      return JudgeVariable(call);
    case Role::kSecretStore:
      return JudgeSecretStore(call);
    case Role::kClipboard:
    case Role::kStdin:
    case Role::kArgv:
    case Role::kHostInfo:
      return JudgeTaken(call);
    case Role::kSql:
      return JudgeSql(call);
    case Role::kTemplate:
      return JudgeTemplate(call);
    case Role::kDecode:
      return JudgeDecode(call);
    case Role::kSanitize:
    case Role::kSafe:
    case Role::kPathCheck:
      return JudgeCheck(call);
    case Role::kAgentSpawn:
    case Role::kToolRegister:
    case Role::kMemoryRead:
    case Role::kMemoryWrite:
    case Role::kPrompt:
      return JudgeAgent(call);
    case Role::kUpload:
    case Role::kFeed:
    case Role::kModulePath:
    case Role::kWorker:
    case Role::kWasm:
    case Role::kContainer:
    case Role::kRegistry:
    case Role::kFetched:
    case Role::kRequest:
      return JudgeMachine(call);
    case Role::kUnlisted:
      break;
  }
  *handled = false;
  return {};
}

}  // namespace interlock::scan::code
