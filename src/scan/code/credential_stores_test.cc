// Where programs keep what signs their user in: the same for code and for shells.
#include "code/credential_stores.h"

#include <gtest/gtest.h>

#include "code/places.h"
#include "code/shell_paths.h"

namespace interlock::scan::code {
namespace {

struct Case {
  const char* path;
  Store store;
};

TEST(CredentialStores, AreKnownToCodeAndToShells) {
  for (const Case& c : {Case{"~/.config/chromium/default/cookies", Store::kOwn},
                        {"~/.config/filezilla/sitemanager.xml", Store::kOwn},
                        {"~/.sui/sui_config/sui.keystore", Store::kOwn},
                        {"~/documents/passwords.kdbx", Store::kOwn},
                        {"c:/users/a/appdata/roaming/microsoft/credentials/x", Store::kOwn},
                        {"~/.kaggle/kaggle.json", Store::kToken},
                        {"~/.config/containers/auth.json", Store::kToken},
                        {"~/.gemini/oauth_creds.json", Store::kToken},
                        {"~/.m2/settings.xml", Store::kToken},
                        {"~/library/messages/chat.db", Store::kTalk},
                        {"~/.config/tables/report.json", Store::kNone},
                        {"", Store::kNone}}) {
    EXPECT_EQ(StoreAt(c.path), c.store) << c.path;
    const bool credential = c.store == Store::kOwn || c.store == Store::kToken;
    EXPECT_EQ(shell::IsSecretPath(c.path), credential) << c.path;
    const PathKind kind = KindOfPath(c.path);
    EXPECT_EQ(kind == PathKind::kSecret, c.store == Store::kOwn) << c.path;
    EXPECT_EQ(kind == PathKind::kWeakSecret, c.store == Store::kToken) << c.path;
    EXPECT_EQ(!shell::KeptBy(c.path).empty(), c.store == Store::kTalk) << c.path;
  }
}

}  // namespace
}  // namespace interlock::scan::code
