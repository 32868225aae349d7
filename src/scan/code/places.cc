#include "code/places.h"

#include <algorithm>
#include <array>
#include <bit>

#include "code/credential_stores.h"
#include "code/shell_paths.h"
#include "code/vendors.h"
#include "code/world.h"
#include "interlock/base/find_bytes.h"
#include "static/part_set.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {
namespace {

std::string Lower(std::string_view text) {
  std::string out(text.substr(0, 1024));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '\\') c = '/';
  }
  return out;
}

template <std::size_t n>
bool HasAny(std::string_view text, const std::array<std::string_view, n>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return base::FindBytes(text, part) != std::string_view::npos; });
}

constexpr std::array kSecretParts = std::to_array<std::string_view>({".ssh/id_",
                                                                     ".aws/credentials",
                                                                     "/etc/shadow",
                                                                     ".gnupg/",
                                                                     "login data",
                                                                     "logins.json",
                                                                     "key4.db",
                                                                     "cookies.sqlite",
                                                                     "/wallet.dat",
                                                                     ".ethereum/keystore",
                                                                     ".config/solana/id.json",
                                                                     "exodus/exodus.wallet",
                                                                     ".electrum/wallets",
                                                                     "library/keychains",
                                                                     ".git-credentials",
                                                                     "/auth-profiles.json",
                                                                     "application_default_credentials.json",
                                                                     ".config/gcloud/credentials",
                                                                     ".azure/accesstokens",
                                                                     ".azure/msal_token_cache",
                                                                     "serviceaccount/token",
                                                                     "chrome/user data",
                                                                     "google/chrome/default",
                                                                     "/google-chrome/default",
                                                                     ".mozilla/firefox",
                                                                     "bravesoftware/brave-browser",
                                                                     ".password-store/",
                                                                     "ssh_host_",
                                                                     "/id_rsa",
                                                                     "/id_ed25519",
                                                                     "/id_ecdsa",
                                                                     "/keystore/utc--",
                                                                     "local extension settings",
                                                                     "gnome-keyring",
                                                                     "/keyrings/",
                                                                     "etc/kubernetes/admin.conf",
                                                                     "/etc/ssl/private/"});

constexpr std::array kWeakParts = std::to_array<std::string_view>({".npmrc",
                                                                   ".pypirc",
                                                                   ".netrc",
                                                                   ".docker/config.json",
                                                                   ".kube/config",
                                                                   ".bash_history",
                                                                   ".zsh_history",
                                                                   ".python_history",
                                                                   "/etc/passwd",
                                                                   ".config/gh/hosts",
                                                                   "claude_desktop_config",
                                                                   ".cursor/mcp.json",
                                                                   ".claude.json",
                                                                   ".claude/.credentials",
                                                                   ".codex/auth.json",
                                                                   ".ssh/",
                                                                   ".aws/",
                                                                   "/.ssh",
                                                                   ".env.local",
                                                                   ".env.production",
                                                                   "service-account",
                                                                   "service_account",
                                                                   ".config/gcloud",
                                                                   "telegram desktop/tdata",
                                                                   ".terraform.d/credentials",
                                                                   ".vault-token",
                                                                   ".boto",
                                                                   ".s3cfg",
                                                                   ".cargo/credentials",
                                                                   ".gem/credentials",
                                                                   ".config/op/",
                                                                   ".pgpass",
                                                                   ".my.cnf",
                                                                   ".config/hub",
                                                                   ".config/rclone/rclone.conf",
                                                                   ".claude/projects",
                                                                   ".claude/history",
                                                                   ".codex/sessions",
                                                                   ".codex/history",
                                                                   ".gemini/tmp",
                                                                   ".continue/sessions",
                                                                   "state.vscdb",
                                                                   ".local/share/opencode"});

constexpr std::array kStartupParts = std::to_array<std::string_view>({".bashrc",
                                                                      ".bash_aliases",
                                                                      ".bash_logout",
                                                                      "/.xinitrc",
                                                                      "fish/conf.d/",
                                                                      "powershell/profile.ps1",
                                                                      ".bash_profile",
                                                                      ".zshrc",
                                                                      ".zprofile",
                                                                      ".zshenv",
                                                                      "/etc/profile",
                                                                      "/etc/cron",
                                                                      "/var/spool/cron",
                                                                      "launchagents/",
                                                                      "launchdaemons/",
                                                                      "/etc/systemd/",
                                                                      ".config/systemd/user",
                                                                      ".config/autostart",
                                                                      "/etc/init.d",
                                                                      "/etc/rc.local",
                                                                      "start menu/programs/startup",
                                                                      "profile_default/startup/",
                                                                      "currentversion/run",
                                                                      ".ssh/authorized_keys",
                                                                      "/etc/ld.so.preload",
                                                                      ".git/hooks/",
                                                                      "sitecustomize.py",
                                                                      "usercustomize.py",
                                                                      "/etc/sudoers",
                                                                      ".config/fish/config.fish",
                                                                      "/hooks/pre-commit",
                                                                      "/hooks/post-commit",
                                                                      "/hooks/post-checkout",
                                                                      "/hooks/post-merge",
                                                                      "/hooks/pre-push",
                                                                      ".config/autorun",
                                                                      "/etc/update-motd.d",
                                                                      "/etc/xdg/autostart",
                                                                      ".ssh/rc",
                                                                      ".xprofile",
                                                                      ".pythonstartup",
                                                                      ".config/environment.d/",
                                                                      "/etc/environment",
                                                                      ".pam_environment",
                                                                      "/.envrc",
                                                                      ".bash_login",
                                                                      ".zlogin",
                                                                      ".vimrc",
                                                                      ".config/nvim/init",
                                                                      ".tmux.conf",
                                                                      "powershell_profile",
                                                                      "/hooks/commit-msg",
                                                                      "/hooks/post-rewrite",
                                                                      "/etc/udev/rules.d",
                                                                      "/etc/apt/apt.conf.d",
                                                                      "/etc/pam.d"});

// Programs that somebody else's hand types: one of their name in a folder of the user's own stands before the real one.
constexpr std::array kTypedNames = std::to_array<std::string_view>(
    {"sudo", "git", "ssh",    "npm",   "npx",  "node", "python", "python3", "pip", "kubectl", "docker",   "aws",
     "gh",   "su",  "claude", "codex", "curl", "gpg",  "doas",   "passwd",  "ls",  "uv",      "terraform"});
constexpr std::array kTypedFolders =
    std::to_array<std::string_view>({"/.local/bin/", "/usr/local/bin/", "~/bin/", "/.npm-global/bin/", "/usr/bin/"});

// A shell's `.profile`, and nothing whose name only begins so.
bool IsProfile(std::string_view lower) {
  constexpr std::string_view kName = "/.profile";
  const std::size_t at = lower.find(kName);
  if (at == std::string_view::npos) return false;
  const std::string_view after = lower.substr(at + kName.size());
  const auto goes_on = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return after.empty() || !goes_on(after.front());
}

bool StandsBefore(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  return HasAny(path.substr(0, slash + 1), kTypedFolders) &&
         std::find(kTypedNames.begin(), kTypedNames.end(), path.substr(slash + 1)) != kTypedNames.end();
}

constexpr std::array kAgentParts = std::to_array<std::string_view>({"claude.md",
                                                                    ".claude/settings",
                                                                    ".claude/commands",
                                                                    ".claude/hooks",
                                                                    ".claude/skills",
                                                                    ".claude/agents",
                                                                    ".claude/memory",
                                                                    "claude_desktop_config.json",
                                                                    ".cursor/mcp.json",
                                                                    ".cursor/rules",
                                                                    ".cursorrules",
                                                                    "agents.md",
                                                                    ".windsurfrules",
                                                                    ".codeium/windsurf",
                                                                    ".gemini/settings",
                                                                    "gemini.md",
                                                                    ".codex/config",
                                                                    ".vscode/mcp.json",
                                                                    "copilot-instructions.md",
                                                                    ".mcp.json",
                                                                    "soul.md",
                                                                    ".openclaw/",
                                                                    "opencode.json",
                                                                    ".claude.json",
                                                                    ".clinerules",
                                                                    "cline_mcp_settings.json",
                                                                    "claude.local.md",
                                                                    ".roo/rules",
                                                                    ".roomodes",
                                                                    ".kiro/steering",
                                                                    ".junie/guidelines",
                                                                    ".windsurf/rules",
                                                                    ".continue/config",
                                                                    ".aider.conf",
                                                                    ".codex/agents.md",
                                                                    ".codex/prompts",
                                                                    ".gemini/gemini.md",
                                                                    "memory-bank/",
                                                                    ".zed/settings.json",
                                                                    ".goosehints",
                                                                    "/memory.md"});

}  // namespace

bool IsKeptAside(std::string_view lower) {
  const std::size_t base = lower.rfind('/');
  if (base == std::string_view::npos || base == 0) return false;
  const std::size_t above = lower.rfind('/', base - 1);
  const std::string_view folder = lower.substr(above + 1, base - above - 1);
  if (lower.ends_with(".log") || lower.ends_with(".pid") || lower.ends_with(".lock")) return true;
  return (folder.ends_with("cache") || folder == "logs") && lower.find("plugin") == std::string_view::npos;
}

bool IsHistoryOfCommands(std::string_view name) {
  return (name.starts_with('.') && name.ends_with("_history") && name.size() > 9) || name == "fish_history" ||
         name == "consolehost_history.txt";
}

bool LiesBesideSecrets(std::string_view path) {
  const std::string name = Lower(path.substr(path.rfind('/') + 1));
  return std::ranges::any_of(
      std::to_array<std::string_view>({"history", "bookmarks", "preferences", "favicons", "top sites"}),
      [&](std::string_view one) { return name == one; });
}

std::string_view RegisteredName(std::string_view host) {
  const std::size_t top = host.rfind('.');
  if (top == std::string_view::npos) return {};
  const std::size_t dot = host.substr(0, top).rfind('.');
  const std::size_t first = dot == std::string_view::npos ? 0 : dot + 1;
  return host.substr(first, top - first);
}

PathKind KindOfPath(std::string_view path) {
  static constexpr PartSet kSecret(kSecretParts);
  static constexpr PartSet kStartup(kStartupParts);
  static constexpr PartSet kWeak(kWeakParts);
  static constexpr PartSet kAgent(kAgentParts);
  if (path.size() < 3 || path.size() > 1024) return PathKind::kPlain;
  const std::string lower = Lower(path);
  if (lower.find('\n') != std::string::npos) return PathKind::kPlain;
  if (lower.ends_with("/bookmarks") || lower.ends_with("/preferences")) return PathKind::kPlain;
  const Store store = StoreAt(lower);
  const bool secret = store == Store::kOwn || kSecret.AnyIn(lower);
  // Where somebody has been is nobody else's, and no key.
  if (secret && LiesBesideSecrets(lower)) return PathKind::kWeakSecret;
  if (secret && !lower.ends_with(".pub")) return PathKind::kSecret;
  // Every file of the folder, one after another: the keys are among them.
  if (lower.size() > 6 && lower.back() == kHole && lower.compare(lower.size() - 6, 5, ".ssh/") == 0)
    return PathKind::kSecret;
  // The environment of another process.
  if (lower.starts_with("/proc/") && lower.ends_with("/environ") && !lower.starts_with("/proc/self")) {
    return PathKind::kSecret;
  }
  if (lower == "/proc/self/environ") return PathKind::kWeakSecret;
  if (kStartup.AnyIn(lower) || IsProfile(lower) || StandsBefore(lower)) return PathKind::kStartup;
  if (store == Store::kToken || kWeak.AnyIn(lower) ||
      IsHistoryOfCommands(std::string_view(lower).substr(lower.rfind('/') + 1)))
    return PathKind::kWeakSecret;
  // ".env" + an ending: one that is not known, or one of several (which stand behind it, with blanks between).
  std::string_view file = std::string_view(lower).substr(0, lower.find(' '));
  if (file.ends_with(kHole)) file.remove_suffix(1);
  if (file == ".env" || file.ends_with("/.env") || file.ends_with("/.env.")) return PathKind::kWeakSecret;
  if (kAgent.AnyIn(lower)) return IsKeptAside(lower) ? PathKind::kPlain : PathKind::kAgent;
  if (lower.starts_with("/tmp/") || lower.starts_with("/var/tmp/") || lower.starts_with("/dev/shm/") ||
      lower.find("/appdata/local/temp/") != std::string::npos) {
    return PathKind::kTemporary;
  }
  return PathKind::kPlain;
}

Telling TellingOf(std::string_view text) {
  switch (KindOfPath(text)) {
    case PathKind::kSecret:
      return Telling::kSecret;
    case PathKind::kWeakSecret:
    case PathKind::kStartup:
    case PathKind::kAgent:
      return Telling::kWatched;
    default:
      break;
  }
  if (text.find("://") != std::string_view::npos) {
    const std::string host = shell::HostOf(text);
    if (host.empty() || shell::IsLocalHost(host)) return Telling::kPlace;
    return IsKnownService(host) ? Telling::kService : Telling::kStranger;
  }
  return text.find_first_of("/.~ ") != std::string_view::npos ? Telling::kPlace : Telling::kWord;
}

bool GivesRoleKeys(std::string_view url) {
  constexpr auto kMetadata = std::to_array<std::string_view>(
      {"169.254.169.254", "metadata.google.internal", "169.254.170.2", "100.100.100.200"});
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"security-credentials", "/token", "identity/oauth2", "service-accounts", "/v2/credentials"});
  return HasAny(url, kMetadata) && HasAny(url, kKeys) && url.find("api/token") == std::string_view::npos;
}

bool IsRecordPath(std::string_view lower) {
  constexpr auto kRecords = std::to_array<std::string_view>(
      {".bash_history", ".zsh_history", ".python_history", ".node_repl_history", "/var/log/auth", "/var/log/secure",
       "/var/log/wtmp", "/var/log/btmp", "/var/log/lastlog", "/var/log/audit", "consolehost_history"});
  if (HasAny(lower, kRecords)) return true;
  for (const std::string_view talk : {"/.claude/projects", "/.codex/sessions", "/.claude/history.jsonl"}) {
    const std::size_t at = lower.find(talk);
    if (at == std::string_view::npos) continue;
    // One conversation is its owner's to remove; below a pattern it is all of them.
    std::string_view rest = lower.substr(at + talk.size());
    while (rest.starts_with('/')) {
      rest.remove_prefix(1);
      const std::string_view name = rest.substr(0, rest.find('/'));
      if (!name.empty() && name.find('*') == std::string_view::npos && name.find(kHole) == std::string_view::npos)
        break;
      rest.remove_prefix(name.size());
    }
    if (rest.empty()) return true;
  }
  return false;
}

bool IsChatAddress(std::string_view before, std::string_view key) {
  return before.ends_with("/bot") || key == "chat_id" || key == "message_thread_id" || key == "reply_to_message_id";
}

bool IsCompared(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kSpace = " \t";
  if (begin > text.size() || end > text.size()) return false;
  const std::string_view before = text.substr(0, begin);
  const std::size_t last = before.find_last_not_of(kSpace);
  if (last != std::string_view::npos) {
    const std::string_view until = before.substr(0, last + 1);
    const bool spaced = until.size() < before.size();
    if (until.ends_with("==") || until.ends_with("!=") || (spaced && until.ends_with("case"))) return true;
  }
  std::string_view after = text.substr(end);
  after.remove_prefix(std::min(after.find_first_not_of(kSpace), after.size()));
  return after.starts_with("==") || after.starts_with("!=");
}

std::string HostOfFarModule(std::string_view module) {
  if (!module.starts_with("https://") && !module.starts_with("http://")) return {};
  std::string host = HostOf(module);
  const HostKind kind = KindOfHost(host);
  const bool publishes =
      std::ranges::any_of(std::to_array<std::string_view>({"deno.land", "esm.sh", "jsr.io", "unpkg.com", "jsdelivr.net",
                                                           "skypack.dev", "esm.run", "jspm.dev", "jspm.io",
                                                           "cdnjs.cloudflare.com", "googleapis.com", "gstatic.com"}),
                          [&](std::string_view one) { return IsHostOrBelow(host, one); });
  const bool anybody = kind == HostKind::kOrdinary || kind == HostKind::kRawAddress || kind == HostKind::kTunnel ||
                       kind == HostKind::kPaste;
  return publishes || !anybody ? std::string() : host;
}

bool LeavesPeersUnasked(std::string_view variable, std::string_view value) {
  if (variable == "NODE_TLS_REJECT_UNAUTHORIZED" || variable == "PYTHONHTTPSVERIFY") return value == "0";
  return variable == "GIT_SSL_NO_VERIFY" && (value == "1" || value == "true");
}

}  // namespace interlock::scan::code
