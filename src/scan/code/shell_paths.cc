#include "code/shell_paths.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "code/credential_stores.h"
#include "code/places.h"
#include "code/shell_internal.h"
#include "code/vendors.h"
#include "interlock/base/find_bytes.h"
#include "static/part_set.h"

namespace interlock::scan::code::shell {
namespace {

bool Has(std::string_view text, std::string_view part) { return base::FindBytes(text, part) != std::string_view::npos; }

// Lower case, forward slashes, without trailing ones; "/home/x/" and "/root/" become "~/".
std::string Normal(std::string_view path) {
  std::string out = LowerCase(path.substr(0, 1024));
  std::ranges::replace(out, '\\', '/');
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  for (std::string_view home : {"/home/", "/users/", "c:/users/"}) {
    if (!out.starts_with(home)) continue;
    std::size_t slash = out.find('/', home.size());
    if (slash != std::string::npos) out = "~" + out.substr(slash);
  }
  if (out.starts_with("/root/")) out = "~" + out.substr(5);
  return out;
}

constexpr std::array<std::string_view, 41> kSecretParts = {"/.ssh/id_",
                                                           " login data",
                                                           "network/cookies",
                                                           "/.aws/credentials",
                                                           "/.gnupg",
                                                           "/.netrc",
                                                           "/.npmrc",
                                                           "/.pypirc",
                                                           "/.docker/config.json",
                                                           "/.kube/config",
                                                           "/.config/gcloud",
                                                           "/.azure",
                                                           "/.git-credentials",
                                                           "/.config/gh/hosts",
                                                           "/etc/shadow",
                                                           "/etc/gshadow",
                                                           "/.vault-token",
                                                           "/.cargo/credentials",
                                                           "/library/keychains",
                                                           "login.keychain",
                                                           "/login data",
                                                           "/.bash_history",
                                                           "/.zsh_history",
                                                           "wallet.dat",
                                                           "/.ethereum/keystore",
                                                           "kubernetes.io/serviceaccount",
                                                           "/.config/solana/id.json",
                                                           "/.electrum/wallets",
                                                           "/exodus/exodus.wallet",
                                                           "/.claude/.credentials",
                                                           "/.codex/auth.json",
                                                           "/.config/github-copilot",
                                                           "/.terraform.d/credentials",
                                                           "/.password-store",
                                                           "/.local/share/keyrings",
                                                           "/.mozilla/firefox",
                                                           "/google-chrome/default",
                                                           "/google/chrome/",
                                                           "/bravesoftware/",
                                                           "/metamask",
                                                           "/.pgpass"};

constexpr std::array<std::string_view, 29> kStartupParts = {"/etc/profile",
                                                            "/fish/conf.d/",
                                                            "/powershell/profile.ps1",
                                                            "/.git-templates/hooks",
                                                            "sitecustomize.py",
                                                            "/etc/rc.local",
                                                            "/etc/cron",
                                                            "/var/spool/cron",
                                                            "/etc/systemd/system",
                                                            "/.config/systemd/user",
                                                            "/library/launchagents",
                                                            "/library/launchdaemons",
                                                            "authorized_keys",
                                                            "/.config/autostart",
                                                            ".git/hooks",
                                                            "/.ssh/rc",
                                                            "/etc/ld.so.preload",
                                                            "/etc/init.d",
                                                            "/start menu/programs/startup",
                                                            "/etc/bash.bashrc",
                                                            "/etc/zsh",
                                                            "/lib/systemd/system",
                                                            "/etc/environment",
                                                            "/powershell/profile.ps1",
                                                            "/etc/update-motd.d",
                                                            "/etc/xdg/autostart",
                                                            "/.config/fish/config.fish",
                                                            "microsoft.powershell_profile",
                                                            "/etc/inittab"};

constexpr std::array<std::string_view, 12> kStartupNames = {".bashrc",      ".zshrc",   ".profile",    ".bash_profile",
                                                            ".zprofile",    ".zshenv",  ".bash_login", ".zlogin",
                                                            ".bash_logout", ".xinitrc", ".xprofile",   ".bash_aliases"};

constexpr std::array<std::string_view, 16> kAgentParts = {"/.claude/",
                                                          "/.cursor/",
                                                          "/.codex/",
                                                          "/.gemini/",
                                                          "/.windsurf/",
                                                          "/.codeium/",
                                                          "/.continue/",
                                                          "/.openclaw/",
                                                          "/.clawdbot/",
                                                          "/.config/opencode",
                                                          "/.vscode/mcp.json",
                                                          "/.copilot/",
                                                          "/.github/copilot-instructions",
                                                          "claude_desktop_config",
                                                          "/.roo/",
                                                          "/.agents/"};
constexpr std::array<std::string_view, 18> kAgentNames = {"claude.md",
                                                          "claude.local.md",
                                                          "agents.md",
                                                          "gemini.md",
                                                          ".cursorrules",
                                                          ".windsurfrules",
                                                          "mcp.json",
                                                          ".mcp.json",
                                                          "memory.md",
                                                          "soul.md",
                                                          "copilot-instructions.md",
                                                          ".clinerules",
                                                          ".claude.json",
                                                          "mcp_config.json",
                                                          "mcp_settings.json",
                                                          ".claude",
                                                          ".cursor",
                                                          "opencode.json"};

bool IsAddress(std::string_view host) {
  return !host.empty() && (host[0] == '[' || (host.find_first_not_of("0123456789.") == std::string_view::npos &&
                                              std::ranges::count(host, '.') == 3));
}

}  // namespace

std::string HomePath(std::string_view path) { return Normal(path); }

bool IsStoreOf(std::string_view path, std::string_view host) {
  path = path.substr(0, path.find(kSplitChar));
  std::string store = Normal(path);
  if (!store.starts_with("~/.")) return false;
  store.erase(0, 3);
  if (store.starts_with("config/")) store.erase(0, 7);
  store.erase(std::min(store.find('/'), store.size()));
  // What git asks the forges with.
  if (store == "git-credentials")
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"},
        [&](std::string_view forge) {
          return host == forge ||
                 (host.ends_with(forge) && host.size() > forge.size() && host[host.size() - forge.size() - 1] == '.');
        });
  for (const std::string_view end : {".d", "rc", ".json", ".toml"}) {
    if (store.ends_with(end)) store.erase(store.size() - end.size());
  }
  store = VendorName(store);
  const std::string_view name = RegisteredName(host);
  if (name.empty() || IsAddress(host)) return false;
  constexpr std::size_t kShortest = 3;
  return store.size() >= kShortest && LowerCase(name) == store;
}

bool IsSecretPath(std::string_view raw) {
  static constexpr PartSet kSecret(kSecretParts);
  std::string path = Normal(raw);
  // Any file of a folder, or any whose name begins so.
  while (path.size() > 1 && (path.back() == '\x01' || path.back() == '*')) path.pop_back();
  if (path.ends_with('/')) path += '*';
  if (path.ends_with(".pub") || path.ends_with("known_hosts") || path.ends_with(".example") ||
      path.ends_with(".sample") || path.ends_with(".template") || path.ends_with(".dist")) {
    return false;
  }
  const Store store = StoreAt(path);
  if (store == Store::kOwn || store == Store::kToken || kSecret.AnyIn(path)) return !LiesBesideSecrets(path);
  if (path.starts_with(".ssh/id_") || path == ".ssh" || path.ends_with("/.ssh") || path.ends_with("/.ssh/*") ||
      path.ends_with("/.aws") || path == ".aws" || path.ends_with("/.kube") || path.ends_with("/.kube/*") ||
      path.ends_with("/.gnupg") || path.ends_with("/.aws/*") || path.ends_with("/.config/solana") ||
      path.ends_with("/.config/solana/*") || path.ends_with("/.bitcoin") || path.ends_with("/.ethereum") ||
      path.ends_with("/.electrum") || path.ends_with("/.foundry/keystores") || path.ends_with("/.sui/sui_config") ||
      path.ends_with("/.near-credentials")) {
    return true;
  }
  std::string base = BaseName(path);
  if (base == ".env" || base == ".env*" || (base.starts_with(".env.") && base.size() < 24)) return true;
  if (base == "id_rsa" || base == "id_ed25519" || base == "id_ecdsa" || base == "id_dsa" || base == ".netrc" ||
      base == ".git-credentials" || base == ".pgpass" || base == ".npmrc" || base == ".pypirc") {
    return true;
  }
  if (path.starts_with("/proc/") && path.ends_with("/environ")) return true;
  if (IsHistoryOfCommands(base)) return true;
  return base == "cookies.sqlite" || base == "logins.json" || base == "key4.db";
}

bool NamesLoot(std::string_view text) {
  if (text.size() < 24 || text.size() > 20'000) return false;
  const std::string lower = LowerCase(text);
  int kinds = 0;
  for (const auto& group :
       {std::initializer_list<std::string_view>{"wallet", "keystore", "metamask", "mnemonic", "seed phrase"},
        {"id_rsa", "id_ed25519", ".ssh", "ssh key", "private key"},
        {".env", "api key", "token", "credential", "secret"},
        {"keychain", "browser", "cookies", "password"}}) {
    kinds += std::ranges::any_of(group, [&](std::string_view word) { return Has(lower, word); }) ? 1 : 0;
  }
  return kinds >= 2;
}

bool IsStartupPath(std::string_view raw) {
  static constexpr PartSet kStartup(kStartupParts);
  std::string path = Normal(raw);
  std::string base = BaseName(path);
  // authorized_keys.txt: what was found of them, written down somewhere.
  if (base.starts_with("authorized_keys.")) return false;
  if (kStartup.AnyIn(path)) return !path.ends_with(".sample");
  return base.starts_with('.') && IsShellStartup(base);
}

bool IsShellStartup(std::string_view name) {
  return std::ranges::any_of(kStartupNames, [&](std::string_view one) { return name == one || name == one.substr(1); });
}

bool IsAgentPath(std::string_view raw) {
  static constexpr PartSet kAgent(kAgentParts);
  std::string path = Normal(raw);
  std::string base = BaseName(path);
  if (std::ranges::find(kAgentNames, base) != kAgentNames.end()) return true;
  // What is written down beside the settings is none.
  if (base.ends_with(".jsonl") || base.ends_with(".log") || base.ends_with(".csv")) return false;
  std::string rooted = path.empty() || path[0] == '/' || path[0] == '~' ? path : "/" + path;
  return kAgent.AnyIn(rooted) && !IsKeptAside(rooted);
}

std::string SedReplacement(std::string_view script) {
  if (script.size() < 4 || script[0] != 's') return {};
  const char mark = script[1];
  const std::size_t middle = script.find(mark, 2);
  const std::size_t end = middle == std::string_view::npos ? middle : script.find(mark, middle + 1);
  if (end == std::string_view::npos) return {};
  return std::string(script.substr(middle + 1, end - middle - 1));
}

std::uint8_t StartupGravity(std::string_view raw, std::string_view content, bool known) {
  std::string path = Normal(raw);
  if (Has(path, "authorized_keys") || Has(path, "ld.so.preload")) return 2;
  std::string text;
  text.reserve(content.size());
  for (std::size_t i = 0; i < content.size(); ++i) {
    const bool line = content.substr(i, 2) == "\\n";  // printf '\nexport A=b\n'
    text += line ? '\n' : static_cast<char>(std::tolower(static_cast<unsigned char>(content[i])));
    i += line ? 1U : 0U;
  }
  // source <(curl -s https://host/completion.bash); a word in a comment completes nothing.
  bool completes = false;
  for (std::size_t at = text.find("completion"); at != std::string::npos && !completes;
       at = text.find("completion", at + 1)) {
    const std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at);
    completes = text.find(" #", begin) > at && text[begin] != '#';
  }
  const bool fetches = Has(text, "curl ") || Has(text, "wget ");
  if (Has(text, "base64 ") || Has(text, "/dev/tcp/") || Has(text, " nc ") || Has(text, "ld_preload=") ||
      Has(text, "shutdown ") || Has(text, "rm -rf ~") || Has(text, "prompt_command=") || Has(text, "alias sudo=") ||
      Has(text, "alias ssh=") || Has(text, "alias git=") || Has(text, "sudo()") || (fetches && !completes)) {
    return 2;
  }
  // PowerShell's way to say the same.
  if ((Has(text, "iex") || Has(text, "invoke-expression")) &&
      (Has(text, "iwr ") || Has(text, "irm ") || Has(text, "invoke-webrequest") || Has(text, "invoke-restmethod") ||
       Has(text, "downloadstring")) &&
      !completes) {
    return 2;
  }
  // What other programs send goes elsewhere from now on.
  for (const std::string_view name :
       {"anthropic_base_url=", "openai_base_url=", "openai_api_base=", "https_proxy=", "http_proxy=", "all_proxy=",
        "pip_index_url=", "npm_config_registry=", "uv_index_url="}) {
    const std::size_t at = text.find(name);
    if (at == std::string::npos) continue;
    const std::string_view value = std::string_view(text).substr(at + name.size(), 120);
    const std::size_t scheme = value.find("://");
    if (scheme == std::string_view::npos || scheme > 12) continue;
    const std::string host = HostOf(value.substr(value.find_first_not_of("\"'")));
    if (Has(host, ".") && !IsLocalHost(host) && !IsKnownService(host)) {
      return 2;
    }
  }
  if (!known) return 1;
  // Shell start-up files get search paths, aliases and tools' own initialisation every day.
  std::size_t line = 0;
  while (line < text.size()) {
    std::size_t end = std::min(text.find('\n', line), text.size());
    std::string_view view = std::string_view(text).substr(line, end - line);
    line = end + 1;
    std::size_t first = view.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    view.remove_prefix(first);
    bool plain = view[0] == '#' || view[0] == '[' || view == "fi";
    for (std::string_view head : {"export ", "alias ", "source ", ". ", "eval \"$(", "autoload ", "compinit",
                                  "path=", "fpath", "if ", "setopt ", "plugins=", "set -gx ", "fish_add_path", "#"}) {
      plain |= view.starts_with(head);
    }
    if (!plain) return 1;
  }
  for (std::string_view shell_file : {"rc", "profile", "zshenv", "config.fish", ".bash_aliases"}) {
    if (path.ends_with(shell_file)) return 0;
  }
  return 1;
}

std::uint8_t DeleteGravity(std::string_view raw) {
  if (raw.empty()) return 0;  // a variable set empty at first, filled later
  std::string path = Normal(raw);
  while (path.ends_with("/*")) path.resize(path.size() - 2);
  if (path.empty() || path == "/" || path == "~" || path == "c:" || path == "/*" || path == "c:/") return 2;
  for (std::string_view root :
       {"/etc", "/usr", "/var", "/home", "/users", "/bin", "/lib", "/boot", "/root", "/opt", "/system", "/var/log",
        "/var/log/audit", "/library", "c:/windows", "c:/users", "/sbin", "/dev"}) {
    if (path == root) return 2;
  }
  if (path.starts_with("/dev/sd") || path.starts_with("/dev/nvme") || path.starts_with("/dev/disk")) return 2;
  for (const std::string_view kept :
       {"~/documents", "~/desktop", "~/.ssh", "~/downloads", "~/pictures", "~/music", "~/movies", "~/videos",
        "~/projects", "~/repos", "~/workspace", "~/.thunderbird", "~/library/mail", "~/.mozilla",
        "~/.config/google-chrome", "~/.ethereum", "~/.bitcoin", "~/library/messages"}) {
    if (path == kept) return 2;
  }
  if (IsSecretPath(path)) {
    return path.ends_with(".env") || path.find('/') == std::string::npos ? 0 : 2;
  }
  return 0;
}

std::string HostOf(std::string_view url) {
  std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  std::size_t user = url.find('@');
  if (user != std::string_view::npos) url.remove_prefix(user + 1);
  if (!url.starts_with('[')) url = url.substr(0, url.find(':'));
  return LowerCase(url.substr(0, 256));
}

bool IsLocalHost(std::string_view host) {
  return host == "localhost" || host.starts_with("127.") || host == "0.0.0.0" || host == "[::1]" ||
         host == "host.docker.internal" || host.ends_with(".local") || host.ends_with(".localhost") ||
         host.starts_with("192.168.") || host.starts_with("10.") || host == "169.254.169.254";
}

std::uint8_t FetchGravity(std::string_view url) {
  std::string host = HostOf(url);
  if (IsLocalHost(host)) return 0;
  if (IsAddress(host)) return 2;
  return url.starts_with("http://") || url.starts_with("ftp://") ? 2 : 1;
}

bool LooksLikeUrl(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("ftp://") ||
         text.starts_with("ftps://") || text.starts_with("HTTP");
}

std::string SocketTarget(std::string_view path) {
  constexpr std::size_t kDevice = 9;  // "/dev/tcp/"
  const std::size_t at = std::min(path.find("/dev/tcp/"), path.find("/dev/udp/"));
  return at == std::string_view::npos ? std::string() : std::string(path.substr(at + kDevice));
}

bool GoesToHandle(std::string_view op, std::string_view target) {
  return op == ">&" && target.size() == 1 && target[0] >= '3' && target[0] <= '9';
}

}  // namespace interlock::scan::code::shell
