#include "code/credential_stores.h"

#include <array>

#include "static/part_set.h"

namespace interlock::scan::code {
namespace {

// Parts of paths that no other program has, so that they need no anchor. What places.cc and shell_paths.cc have known
// from the beginning stands there.
constexpr std::array kOwn = std::to_array<std::string_view>({".config/chromium/",
                                                             "/chromium/default",
                                                             "microsoft-edge/default",
                                                             "microsoft/edge/user data",
                                                             "/vivaldi/default",
                                                             ".config/opera/",
                                                             "opera software/opera",
                                                             "brave-browser/default",
                                                             "arc/user data/",
                                                             "cookies.binarycookies",
                                                             "signal/config.json",
                                                             "signal/sql/",
                                                             "telegramdesktop/tdata",
                                                             ".purple/accounts.xml",
                                                             "discord/local storage",
                                                             "slack/local storage",
                                                             "slack/cookies",
                                                             "teams/cookies",
                                                             "filezilla/sitemanager.xml",
                                                             "filezilla/recentservers.xml",
                                                             "atomic/local storage",
                                                             "ledger live/app.json",
                                                             "monero/wallets",
                                                             ".sui/sui_config",
                                                             ".near-credentials",
                                                             ".foundry/keystores",
                                                             ".brownie/accounts",
                                                             "zcash/wallet",
                                                             "admin.macaroon",
                                                             "bitwarden/data.json",
                                                             ".kdbx",
                                                             "authy desktop/local storage",
                                                             "1password/data/",
                                                             ".config/1password",
                                                             "microsoft/credentials/",
                                                             "microsoft/protect/",
                                                             "system32/config/sam",
                                                             "/etc/gshadow",
                                                             ".aws/sso/cache",
                                                             ".aws/cli/cache",
                                                             "gcloud/credentials.db",
                                                             "gcloud/application_default_credentials",
                                                             "sops/age/keys.txt",
                                                             ".oci/oci_api_key",
                                                             "credentials-config.json",
                                                             "/.remmina/",
                                                             "/remmina/"});

constexpr std::array kToken = std::to_array<std::string_view>({".config/doctl/",
                                                               "/.oci/config",
                                                               ".aliyun/config.json",
                                                               "/.fly/config.yml",
                                                               "netlify/config.json",
                                                               "com.vercel.cli/auth.json",
                                                               ".railway/config.json",
                                                               ".supabase/access-token",
                                                               ".config/stripe/config.toml",
                                                               ".snowflake/connections.toml",
                                                               "/.databrickscfg",
                                                               ".kaggle/kaggle.json",
                                                               "huggingface/token",
                                                               "ngrok/ngrok.yml",
                                                               ".wrangler/config",
                                                               ".expo/state.json",
                                                               "composer/auth.json",
                                                               "nuget/nuget.config",
                                                               ".m2/settings.xml",
                                                               ".gradle/gradle.properties",
                                                               "/.bundle/config",
                                                               "pip/pip.conf",
                                                               "/.yarnrc.yml",
                                                               "containers/auth.json",
                                                               "/.terraformrc",
                                                               "/.mylogin.cnf",
                                                               ".gemini/oauth_creds.json",
                                                               ".qwen/oauth_creds.json",
                                                               "goose/secrets.yaml",
                                                               "opencode/auth.json",
                                                               "io.datasette.llm/keys.json",
                                                               "openai/auth.json",
                                                               ".cline/data/secrets.json",
                                                               "github-copilot/hosts.json",
                                                               "github-copilot/apps.json",
                                                               "glab-cli/config.yml",
                                                               ".config/tea/config.yml",
                                                               ".circleci/cli.yml",
                                                               "heroku/config.json",
                                                               "/.subversion/auth",
                                                               "/.minikube/client.key",
                                                               "/.msmtprc",
                                                               "/.mbsyncrc",
                                                               "/.offlineimaprc",
                                                               "/mutt/muttrc",
                                                               "/neomutt/muttrc",
                                                               "weechat/irc.conf",
                                                               "/.age/key",
                                                               "keystore.properties",
                                                               "/key.properties",
                                                               "signing.properties"});

constexpr std::array kTalk = std::to_array<std::string_view>(
    {"library/messages", "library/mail", "application support/addressbook", "group.com.apple.notes",
     "library/calendars", ".thunderbird", ".local/share/evolution", "zoom/data/zoomus.db", ".aider.chat.history",
     "mailstore.hdb", "stickynotes"});

}  // namespace

Store StoreAt(std::string_view path) {
  static constexpr PartSet kOwnSet(kOwn);
  static constexpr PartSet kTokenSet(kToken);
  static constexpr PartSet kTalkSet(kTalk);
  if (path.size() < 6) return Store::kNone;
  if (kOwnSet.AnyIn(path)) return Store::kOwn;
  if (kTokenSet.AnyIn(path)) return Store::kToken;
  return kTalkSet.AnyIn(path) ? Store::kTalk : Store::kNone;
}

}  // namespace interlock::scan::code
