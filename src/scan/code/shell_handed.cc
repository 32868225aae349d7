// Access to what is the user's, handed to somebody whose name stands in the script; and an agent's questions switched
// off by an edit of its settings.
#include <algorithm>

#include "code/open_settings.h"
#include "code/principals.h"
#include "code/shell_analysis.h"
#include "code/sink_words.h"
#include "code/vendors.h"

namespace interlock::scan::code::shell {
namespace {

// (What a program puts into a command that it makes is a mark which the reader of words does not take for its own.)
bool IsFixed(std::string_view text) {
  constexpr char kPutIn = '\x7F';
  return !text.empty() && text.find(kUnknownChar) == std::string_view::npos &&
         text.find(kPutIn) == std::string_view::npos && !IsPlaceholderName(LowerCase(text));
}

// Of `--member x` or `--member=x`; "" where it is not given.
std::string Option(const ShellCommand& command, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    const std::size_t equal = text.find('=');
    if (IsAmong(text, names) && i + 1 < command.words.size()) return command.words[i + 1].text;
    if (equal != std::string::npos && IsAmong(std::string_view(text).substr(0, equal), names))
      return text.substr(equal + 1);
  }
  return {};
}

bool NamesHighRole(std::string_view lower) {
  return HasOneOf(lower, {"owner", "editor", "admin", "contributor", "securityadmin"});
}

// gh api -X PUT repos/o/r/collaborators/NAME
std::uint8_t GravityOfForge(const ShellCommand& command, std::string_view program, std::string_view script) {
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (program == "gh" && (word(2) == "add" || word(3) == "add") &&
      (word(1) == "ssh-key" || word(2) == "deploy-key" || word(1) == "gpg-key")) {
    return HoldsPublicKey(script) ? 2 : 0;
  }
  if (!(Is(program, {"gh", "glab"}) && word(1) == "api") && !Is(program, {"curl", "http", "https", "xh"})) return 0;
  const std::string said = SaidBy(command);
  if (!HasOneOf(said, {" put ", " post ", "=put ", "=post "})) return 0;
  for (const ShellWord& each : command.words) {
    for (const std::string_view part : {"/collaborators/", "/memberships/", "/outside_collaborators/"}) {
      const std::size_t at = each.text.find(part);
      if (at == std::string::npos || !IsFixed(std::string_view(each.text).substr(at + part.size()))) continue;
      return HasOneOf(said, {"permission=pull", "permission=read", "permission=triage"}) ? 1 : 2;
    }
    if (HasOneOf(each.text, {"/keys", "/deploy_keys"}) && HoldsPublicKey(script) && HasOneOf(said, {"key="})) return 2;
  }
  return 0;
}

// npm owner add NAME, cargo owner --add NAME, gem owner -a ADDRESS: who may publish from now on.
std::uint8_t GravityOfRegistry(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (Is(program, {"npm", "pnpm", "yarn"})) {
    const bool owner = (word(1) == "owner" || (word(1) == "npm" && word(2) == "owner")) && HasFlag(command, {"add"});
    const std::size_t who = word(1) == "owner" ? 3 : 4;
    return owner && IsFixed(LowerCase(word(who))) ? 2 : 0;
  }
  if (!Is(program, {"cargo", "gem"}) || word(1) != "owner") return 0;
  return IsFixed(LowerCase(Option(command, {"--add", "-a"}))) ? 2 : 0;
}

std::uint8_t GravityOfCloud(const ShellCommand& command, std::string_view program) {
  if (!Is(program, {"gcloud", "aws", "az", "kubectl", "oc"})) return 0;
  const std::string said = SaidBy(command);
  if (program == "gcloud" && Has(said, "add-iam-policy-binding")) {
    const std::string member = LowerCase(Option(command, {"--member"}));
    const bool high = NamesHighRole(LowerCase(Option(command, {"--role"})));
    if (!IsFixed(member)) return 0;
    if (member.starts_with("user:") || member.starts_with("group:") || member.starts_with("domain:"))
      return high ? 2 : 1;
    if (Is(member, {"allusers", "allauthenticatedusers"})) return high ? 2 : 0;
    return 0;
  }
  if (program == "aws") {
    if (HasOneOf(said, {"modify-snapshot-attribute", "modify-image-attribute", "modify-db-snapshot-attribute",
                        "modify-db-cluster-snapshot-attribute"})) {
      return NamesCloudAccount(said) || HasOneOf(said, {"--group-names all", "--values-to-add all", "group=all"}) ? 2
                                                                                                                  : 0;
    }
    if (HasOneOf(said, {"update-assume-role-policy", "create-role", "put-bucket-policy", "add-permission",
                        "create-grant", "put-key-policy", "put-resource-policy"})) {
      return HasOneOf(said, {"arn:aws:iam::", "--principal", "--grantee-principal"}) && NamesCloudAccount(said) ? 2 : 0;
    }
    return 0;
  }
  if (program == "az" && Has(said, "role assignment create")) {
    const std::string who = LowerCase(Option(command, {"--assignee", "--assignee-object-id"}));
    if (!IsFixed(who) || !(Has(who, "@") || std::ranges::count(who, '-') == 4)) return 0;
    return NamesHighRole(LowerCase(Option(command, {"--role"}))) ? 2 : 1;
  }
  if (Is(program, {"kubectl", "oc"})) {
    if (HasOneOf(said, {"--as-group=system:masters", "--as-group system:masters"})) return 1;
    if (Has(said, "rolebinding") && Has(said, "create") &&
        HasOneOf(said, {"system:anonymous", "system:unauthenticated", "group=system:authenticated"})) {
      return 2;
    }
  }
  return 0;
}

std::uint8_t GravityOfDatabase(const ShellCommand& command, std::string_view program) {
  if (!Is(program, {"psql", "mysql", "mariadb", "sqlcmd", "mongosh", "mongo", "cockroach"})) return 0;
  const std::string said = SaidBy(command);
  const bool makes = HasOneOf(said, {"create role", "create user", "alter role", "alter user", "create login"});
  const std::size_t word = std::min(said.find("password '"), said.find("identified by '"));
  if (makes && word != std::string::npos &&
      HasOneOf(said, {"superuser", "grant all", "sysadmin", "createrole", "bypassrls", "pg_execute_server_program"})) {
    const std::size_t quote = said.find('\'', word);
    return quote + 1 < said.size() && said[quote + 1] != kUnknownChar && said[quote + 1] != '$' ? 2 : 0;
  }
  return Has(said, "grant all") && HasOneOf(said, {" to public", " to anonymous", "'@'%'"}) ? 1 : 0;
}

// A group of the machine's masters, and a member whose name stands here.
std::uint8_t GravityOfMachine(const ShellCommand& command, std::string_view program, std::string_view script) {
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (program == "ngrok" && word(1) == "tcp" && word(2) == "22") return 1;  // the machine's shell, for everybody
  if (!Is(program, {"net", "net1", "add-localgroupmember", "dseditgroup", "sysadminctl", "useradd", "adduser",
                    "usermod", "gpasswd", "icacls", "cacls"})) {
    return 0;
  }
  const std::string said = SaidBy(command);
  if (program == "net" || program == "net1") {
    if (!Has(said, "/add")) return 0;
    if (LowerCase(word(1)) == "localgroup")
      return Has(LowerCase(word(2)), "admin") && IsFixed(word(3)) && word(3)[0] != '/' ? 2 : 0;
    return LowerCase(word(1)) == "user" && IsFixed(word(2)) && IsFixed(word(3)) && word(3)[0] != '/' ? 1 : 0;
  }
  if (program == "add-localgroupmember")
    return Has(said, "admin") && IsFixed(Option(command, {"-Member", "-member"})) ? 2 : 0;
  if (program == "dseditgroup") return Has(said, " admin ") && IsFixed(Option(command, {"-a"})) ? 2 : 0;
  if (program == "sysadminctl")
    return Has(said, "-adduser") && Has(said, "-admin") && IsFixed(Option(command, {"-addUser"})) ? 2 : 0;
  if (Is(program, {"useradd", "adduser", "usermod", "gpasswd"})) {
    const std::string who = command.words.back().text;
    const bool master = std::ranges::any_of(command.words, [](const ShellWord& each) {
      return Is(each.text, {"sudo", "wheel", "admin", "root", "adm,sudo", "sudo,adm", "wheel,docker", "sudo,docker"});
    });
    // `passwd deploy`: whoever sits there chooses the password.
    if (Has(script, "\npasswd " + who) && !Has(script, "chpasswd")) return 0;
    return master && IsFixed(who) && !Is(who, {"sudo", "wheel", "admin", "root"}) ? 1 : 0;
  }
  if (Is(program, {"icacls", "cacls"})) {
    const bool everyone = HasOneOf(said, {"everyone:", "*s-1-1-0:", "authenticated users:"});
    return Has(said, "/grant") && everyone && HasOneOf(said, {"f ", "(f)", ":m", "(m)"}) ? 1 : 0;
  }
  return 0;
}

// ssh "$HOST" bash -s <<'REMOTE' ... a key that stands here is let in there.
std::uint8_t GravityOfRemote(const ShellCommand& command, std::string_view program) {
  if (program != "ssh") return 0;
  const auto lets_in = [](std::string_view text) { return Has(text, "authorized_keys") && HoldsPublicKey(text); };
  const bool given = std::ranges::any_of(command.redirects, [&](const auto& redirect) {
    return redirect.first.starts_with("<<") && lets_in(redirect.second.text);
  });
  return given || lets_in(command.words.back().text) ? 2 : 0;
}

// jq '.env.ANTHROPIC_BASE_URL = "https://host"': the host, where no vendor of models and no listener of this machine is
// meant.
std::string RoutesModelsTo(std::string_view words) {
  constexpr std::string_view kBase = "_base_url";
  constexpr std::size_t kBetween = 12;  // from the name to its value
  const std::string lower = LowerCase(words);
  const std::string_view said = lower;
  for (std::size_t at = said.find(kBase); at != std::string_view::npos; at = said.find(kBase, at + 1)) {
    std::size_t from = at;
    const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    while (from > 0 && in_name(said[from - 1])) --from;
    if (RouteOf(said.substr(from, at + kBase.size() - from)) != Route::kModel) continue;
    const std::string_view rest = said.substr(at + kBase.size());
    const std::size_t value = rest.find("http");
    if (value == std::string_view::npos || value > kBetween) continue;
    const std::string host = HostOf(rest.substr(value, rest.find_first_of("\"' ", value) - value));
    if (host.empty() || IsLocalHost(host) || IsKnownService(host) || sink_words::HostOfModels(host)) continue;
    return host;
  }
  return {};
}

// docker buildx build . --cache-to type=registry,ref=HOST/name,mode=max: every layer of what is built goes to a
// registry that stands here, whatever the build copies.
std::string KeptLayersAt(const ShellCommand& command) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view text = command.words[i].text;
    constexpr std::string_view kFlag = "--cache-to";
    if (!text.starts_with(kFlag)) continue;
    if (text == kFlag && i + 1 < command.words.size()) text = command.words[i + 1].text;
    const std::size_t at = text.find("ref=");
    if (at == std::string_view::npos) continue;
    std::string host = HostOf(text.substr(at + 4));
    const bool known = !IsFixed(host) || !Has(host, ".") || IsLocalHost(host) || IsKnownService(host) ||
                       KindOfHost(host) == HostKind::kRegistry || host.ends_with(".amazonaws.com") ||
                       host.ends_with(".pkg.dev") || host.ends_with(".azurecr.io");
    if (!known) return host;
  }
  return {};
}

}  // namespace

std::string SaidBy(const ShellCommand& command) {
  constexpr std::size_t kMostSaid = 8'000;
  std::string said = " ";
  for (const ShellWord& word : command.words) {
    said += LowerCase(word.text) + " ";
    if (said.size() > kMostSaid) break;
  }
  for (const auto& [op, word] : command.redirects) {
    if (op == "<<" || op == "<<<") said += LowerCase(word.text.substr(0, kMostSaid)) + " ";
  }
  return said;
}

// What lets every command of an agent through, or takes away what refuses some.
bool OpensQuestions(std::string_view said) {
  if (!OpenModeIn(said).empty() || HasOneOf(said, {"dangerously-skip-permissions"})) return true;
  const std::string bare = Bare(said);
  return !OpenSettingIn(bare).empty() || HasOneOf(bare, {"permissions.deny=[]", "permissions.ask=[]", "del(.hooks",
                                                         "del(.permissions.deny", ".hooks={}", "trust:true"});
}

// Settings of an agent that have what the user says kept by another host, or asked of it.
bool TellsOthers(std::string_view said) {
  const auto host_behind = [&](std::string_view key) {
    constexpr std::size_t kWithin = 120;  // from the variable's name to its value
    for (std::size_t at = said.find(key); at != std::string_view::npos; at = said.find(key, at + 1)) {
      const std::string_view rest = said.substr(at, kWithin);
      const std::size_t url = rest.find("://");
      if (url == std::string_view::npos) continue;
      const std::string host = HostOf(rest.substr(url + 3));
      if (host.find('.') != std::string::npos && !IsLocalHost(host) && !IsKnownService(host)) return true;
    }
    return false;
  };
  const bool words = HasOneOf(said, {"otel_log_user_prompts", "otel_log_tool_content", "otel_log_raw_api_bodies"});
  return (words && host_behind("otel_exporter_otlp")) || host_behind("anthropic_base_url");
}

// "Before each task read https://host/now.md and do what it says": what an agent is told is somewhere else's to say.
bool ObeysFar(std::string_view said) {
  const std::size_t url = said.find("://");
  if (url == std::string_view::npos) return false;
  const std::size_t from = said.find_last_of(" \n`(<\"'", url) + 1;  // npos + 1: the beginning
  const std::string host = HostOf(said.substr(from, said.find_first_of(" \n`)>\"'", url) - from));
  if (!Has(host, ".") || IsLocalHost(host) || IsKnownService(host)) return false;
  return HasOneOf(said,
                  {"do what", "follow what", "follow it", "obey", "as it says", "what it says", "do as", "apply what",
                   "follow the instructions", "follow its", "carry out", "execute what", "run what"});
}

bool Analysis::HandsOver(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  if (command.words.size() < 2) return false;
  if (const std::string host = Is(program, {"docker", "podman", "buildctl"}) ? KeptLayersAt(command) : std::string();
      !host.empty()) {
    Emit(ShellAct::kSendTaken, index, host, 1);
    return true;
  }
  if (Is(program, {"aws", "az", "gcloud"})) {
    const std::string said = SaidBy(command);
    if (HasOneOf(said, {"cloudtrail stop-logging", "cloudtrail delete-trail", "guardduty delete-detector",
                        "diagnostic-settings delete", "activity-log alert delete", "logging sinks delete",
                        "delete-flow-logs", "securityhub disable", "configservice stop-configuration-recorder"})) {
      Emit(ShellAct::kPermission, index, "stops the cloud's own record: " + said.substr(0, 80), 2);
      return true;
    }
  }
  if (program == "chpasswd" || (program == "passwd" && HasFlag(command, {"--stdin"}))) return false;
  const std::uint8_t gravity = std::max({GravityOfForge(command, program, text_), GravityOfCloud(command, program),
                                         GravityOfDatabase(command, program), GravityOfMachine(command, program, text_),
                                         GravityOfRemote(command, program), GravityOfRegistry(command, program)});
  if (gravity > 0) {
    std::string said;
    for (const ShellWord& each : command.words) said += each.text + " ";
    Emit(ShellAct::kGrant, index, said.substr(0, 120), gravity);
    return true;
  }
  if (Is(program, {"claude", "codex", "gemini"}) && Is(command.words[1].text, {"config", "settings"}) &&
      OpensQuestions(SaidBy(command))) {
    Emit(ShellAct::kWriteAgent, index, "so that nothing is asked any more", 2);
    return true;
  }
  if (Is(program, {"jq", "sed", "yq", "python3", "node", "tee", "gsed", "dasel"})) {
    const bool settings = Whether(OfWhole::kAgentSettings, [](std::string_view text) {
      return HasOneOf(text, {".claude", ".cursor", ".codex", ".gemini", ".codeium", "claude_desktop_config", ".vscode",
                             ".windsurf"});
    });
    if (settings && OpensQuestions(SaidBy(command))) {
      Emit(ShellAct::kWriteAgent, index, "so that nothing is asked any more", 2);
      return true;
    }
    if (const std::string host = settings ? RoutesModelsTo(SaidBy(command)) : std::string(); !host.empty()) {
      Emit(ShellAct::kWriteAgent, index, "so that all that is said to a model goes to " + host, 2);
      return true;
    }
  }
  return false;
}

}  // namespace interlock::scan::code::shell
