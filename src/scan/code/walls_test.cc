#include "code/walls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::scan::code {
namespace {

std::string KeyOf(const Wall* wall) { return wall == nullptr ? "" : std::string(wall->key); }

TEST(Walls, OfACommand) {
  EXPECT_EQ(KeyOf(WallOfCommand("aws", " aws iam deactivate-mfa-device --user-name admin ")), "aws-mfa");
  EXPECT_EQ(KeyOf(WallOfCommand("gh", " gh api -x delete repos/a/b/branches/main/protection ")), "forge-review");
  EXPECT_EQ(KeyOf(WallOfCommand("psql", " psql -c alter role app superuser ")), "base-master");
  EXPECT_EQ(KeyOf(WallOfCommand("psql", " psql -c alter role app nosuperuser ")), "");
  EXPECT_EQ(KeyOf(WallOfCommand("aws", " aws iam get-user ")), "");
  EXPECT_EQ(KeyOf(WallOfCommand("", " iam create-access-key ")), "");
}

TEST(Walls, OfACall) {
  for (const std::string name : {"deactivate_mfa_device", "deactivateMFADevice", "DeactivateMFADeviceCommand"}) {
    EXPECT_TRUE(MayTakeDownBy(name)) << name;
    EXPECT_EQ(KeyOf(WallOfCall(name, "username:admin")), "aws-mfa") << name;
  }
  EXPECT_EQ(KeyOf(WallOfCall("delete", "requests.delete(https://api.x/repos/a/b/branches/main/protection")),
            "forge-review");
  EXPECT_EQ(KeyOf(WallOfCall("delete", "requests.delete(https://api.x/repos/a/b/branches/main")), "");
  EXPECT_FALSE(MayTakeDownBy("getUser"));
  EXPECT_FALSE(MayTakeDownBy(std::string(4'000, 'x')));
}

TEST(Walls, OfAStatement) {
  EXPECT_EQ(KeyOf(WallOfStatement("alter table accounts disable row level security")), "base-rows");
  EXPECT_EQ(KeyOf(WallOfStatement("delete from audit_log")), "base-audit");
  EXPECT_EQ(KeyOf(WallOfStatement("delete from audit_log where day < now()")), "");
}

// Every wall can be found by its key, and whoever asks whether a name may take one down is told of all.
TEST(Walls, NamesAreComplete) {
  EXPECT_EQ(WallNamed("no such wall"), nullptr);
  for (const std::string program :
       {"aws",           "gh",      "gsutil", "gcloud",  "az",          "glab",    "curl",     "git",
        "redis-cli",     "echo",    "docker", "dockerd", "usermod",     "kubectl", "iptables", "nft",
        "sysctl",        "bcdedit", "reg",    "tccutil", "defaults",    "ln",      "find",     "journalctl",
        "wevtutil",      "apt-get", "dnf",    "ngrok",   "cloudflared", "xhost",   "vault",    "pip",
        "screencapture", "ffmpeg",  "code",   "psql",    "mysql"}) {
    EXPECT_TRUE(MayTakeDown(program)) << program;
  }
  EXPECT_FALSE(MayTakeDown("ls"));
}

}  // namespace
}  // namespace interlock::scan::code
