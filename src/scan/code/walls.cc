#include "code/walls.h"

#include <algorithm>
#include <array>

#include "interlock/base/find_bytes.h"
#include "static/part_set.h"

namespace interlock::scan::code {
namespace {

using Words = std::span<const std::string_view>;

template <std::size_t n>
consteval std::array<std::string_view, n> List(const std::string_view (&words)[n]) {
  return std::to_array(words);
}

// What packages say that are about it.
constexpr auto kOfKeys = List({"access key", "access_key", "iam", "rotate key", "rotate credential", "key rotation"});
constexpr auto kOfPolicies = List({"iam", "terraform", "cloudformation", "role assignment", "rbac", "pulumi"});
constexpr auto kOfPorts = List({"security group", "security_group", "ingress", "firewall", "ec2"});
constexpr auto kOfBuckets = List({"bucket", "s3", "website hosting", "static site", "public-read", "object storage"});
constexpr auto kOfVersions = List({"versioning", "lifecycle", "retention"});
constexpr auto kOfMfa = List({"mfa", "multi-factor", "two-factor", "2fa"});
constexpr auto kOfReview =
    List({"protection", "protected", "ruleset", "branch rule", "repository settings", "repo settings", "governance"});
constexpr auto kOfApproval =
    List({"approv", "auto-merge", "automerge", "auto merge", "submit review", "submit_review"});
constexpr auto kOfVisibility =
    List({"visibility", "make public", "private repo", "public repo", "repository settings", "repo settings"});
constexpr auto kOfForgeKeys = List({"ssh key", "ssh-key", "deploy key", "deploy-key", "signing key", "gpg key"});
constexpr auto kOfMasters =
    List({"superuser", "super user", "database role", "privilege", "user management", "role management"});
constexpr auto kOfRows = List({"row level", "row-level", "rls"});
constexpr auto kOfTriggers = List({"trigger", "bulk load", "restore", "migrat", "constraint", "replica"});
constexpr auto kOfAudit = List({"retention", "prune", "purge", "cleanup", "clean up", "clean-up", "older than"});
constexpr auto kOfDocker = List({"docker", "container", "podman"});
constexpr auto kOfCluster = List({"kubernetes", "kubectl", "k8s", "rbac", "cluster"});
constexpr auto kOfFirewall = List({"firewall", "iptables", "nftables", "ufw", "network rule", "netfilter"});
constexpr auto kOfKernel =
    List({"sysctl", "kernel", "ptrace", "debugger", "fuzz", "sanitizer", "reverse engineer", "perf record", "strace"});
constexpr auto kOfBoot = List({"bcdedit", "boot", "driver", "test sign", "testsigning"});
constexpr auto kOfAccessControl = List({"uac", "user account control", "registry", "group policy"});
constexpr auto kOfMacRights = List({"tcc", "privacy permission", "accessibility permission", "screen recording perm"});
constexpr auto kOfQuarantine = List({"quarantine", "gatekeeper", "notariz", "unsigned"});
constexpr auto kOfHistory = List({"history", "bash_history"});
constexpr auto kOfRedis = List({"redis", "valkey"});
constexpr auto kOfPostgres = List({"pg_hba", "postgres", "postgresql"});
constexpr auto kOfPackages = List({"apt-get", "apt repository", "apt mirror", "dnf", "yum", "deb repository", "rpm"});
constexpr auto kOfHooks = List({"webhook"});
constexpr auto kOfTunnels = List({"tunnel", "ngrok", "cloudflare", "localtunnel", "public url"});
constexpr auto kOfDisplay = List({"xhost", "x11", "xvfb", "display server", "vnc"});
constexpr auto kOfBrowser = List({"browser", "chrome", "chromium", "devtools", "cdp", "puppeteer", "playwright"});
constexpr auto kOfVault = List({"vault", "hashicorp"});
constexpr auto kOfSigning = List({"gpg", "signing", "signature", "signed commit"});
constexpr auto kOfTrustedHosts = List({"trusted-host", "trusted host", "proxy", "mirror", "internal index", "devpi"});
constexpr auto kOfSsh = List({"ssh", "sftp", "rsync", "known_hosts", "ansible", "remote host"});
constexpr auto kOfScreen =
    List({"screen", "capture", "visual", "desktop", "gui", "vision", "ocr", "computer use", "simulator"});
constexpr auto kOfSound = List({"recording", "record audio", "audio", "microphone", "voice", "speech", "transcri",
                                "dictat", "camera", "video", "webcam", "sound"});
constexpr auto kOfEditor = List({"workspace trust", "workspace-trust", "devcontainer"});

// ... of what they keep.
constexpr auto kOfAmazon =
    List({"aws", "ec2", "snapshot", "bucket", "amazon", "s3", "dynamodb", "cloudformation", "rds"});
constexpr auto kOfGoogle = List({"gcloud", "google cloud", "gcp", "gsutil", "gcs"});
constexpr auto kOfAzure = List({"azure"});
constexpr auto kOfInfrastructure = List({"terraform", "pulumi", "infrastructure", "opentofu"});
constexpr auto kOfHosting = List({"heroku", "fly.io", "flyctl", "vercel", "netlify", "railway", "deploy"});
constexpr auto kOfHelm = List({"helm", "kubernetes", "kubectl", "k8s", "cluster"});
constexpr auto kOfBases = List({"database", "postgres", "mysql", "mariadb", "sqlite", "mongo", "schema", "sql"});
constexpr auto kOfCaches = List({"redis", "valkey", "cache"});
constexpr auto kOfSearch = List({"elasticsearch", "opensearch", "index"});
constexpr auto kOfQueues = List({"kafka", "topic", "queue"});
constexpr auto kOfForge = List({"git", "github", "gitlab", "repository", "release"});
constexpr auto kOfNpm = List({"unpublish", "deprecat", "publish"});
constexpr auto kOfDisks =
    List({"disk", "partition", "filesystem", "file system", "storage", "volume", "zfs", "btrfs", "lvm"});
constexpr auto kOfBackups = List({"backup", "snapshot", "restic", "borg", "rclone", "sync"});
constexpr auto kOfAccounts = List({"user account", "useradd", "userdel", "user management", "offboard", "provision"});
constexpr auto kOfLoad = List({"stress", "load test", "benchmark", "stress-ng", "burn"});
constexpr auto kOfCron = List({"cron", "schedul"});
constexpr auto kOfGpg = List({"gpg", "gnupg", "pgp", "keyring"});
constexpr auto kOfPower = List({"shut down", "shutdown", "reboot", "power", "restart"});

constexpr auto kWalls = std::to_array<Wall>({
    {"aws-key", "makes a key of a cloud's user", kOfKeys, 0.9},
    {"aws-policy", "gives a cloud's user every right", kOfPolicies, 1.0},
    {"aws-port", "opens machines of a cloud to everybody", kOfPorts, 1.0},
    {"aws-bucket", "lets everybody read what is kept in a cloud", kOfBuckets, 1.0},
    {"aws-versions", "has a cloud keep no older versions", kOfVersions, 0.9},
    {"aws-trust", "lets anybody take a role of a cloud", kOfPolicies, 1.1},
    {"aws-mfa", "takes the second key from a cloud's user", kOfMfa, 1.1},
    {"forge-review", "takes down what keeps a branch from being written unseen", kOfReview, 1.1},
    {"forge-approval", "approves a change by itself and merges it", kOfApproval, 0.9},
    {"forge-public", "makes a repository public", kOfVisibility, 1.0},
    {"forge-key", "adds a key that opens repositories", kOfForgeKeys, 0.9},
    {"forge-hook", "has a forge tell a fixed place what is done in a repository", kOfHooks, 0.9},
    {"registry-mfa", "lets packages be published without a second key", kOfMfa, 1.0},
    {"alerts", "has nobody told of what guards see", {}, 1.0},
    {"base-master", "makes a master of a data base", kOfMasters, 0.9},
    {"base-rows", "takes down what keeps rows of a data base apart", kOfRows, 0.9},
    {"base-triggers", "switches off the triggers of a data base", kOfTriggers, 0.8},
    {"base-audit", "empties a data base's record of who did what", kOfAudit, 1.0},
    {"docker-socket", "gives a container the machine's own containers", kOfDocker, 0.9},
    {"docker-open", "lets everybody on the network start containers", {}, 1.1},
    {"docker-group", "gives an account all containers, and so the machine", kOfDocker, 0.9},
    {"cluster-everybody", "makes masters of a cluster of all that runs there without an account of its own", {}, 1.3},
    {"cluster-master", "makes a master of a cluster", kOfCluster, 1.0},
    {"firewall", "takes down the machine's firewall", kOfFirewall, 1.0},
    {"kernel", "loosens the kernel's own protections", kOfKernel, 0.9},
    {"boot", "has Windows start what nobody signed", kOfBoot, 1.1},
    {"uac", "switches off what asks before a program becomes master, or what watches it", kOfAccessControl, 1.1},
    {"mac-rights", "forgets whom the user let see screen, files and keys", kOfMacRights, 0.9},
    {"mac-quarantine", "has the system ask nothing of what was fetched", kOfQuarantine, 1.0},
    {"history", "has the shell keep no record", kOfHistory, 1.0},
    {"logs", "empties the machine's records", {}, 1.1},
    {"redis-open", "opens a data base to the network", kOfRedis, 0.9},
    {"postgres-open", "lets everybody into a data base without a password", kOfPostgres, 1.0},
    {"unsigned", "installs packages that nobody signed", kOfPackages, 0.9},
    {"tunnel", "opens a port of this machine to the whole network", kOfTunnels, 0.9},
    {"display", "lets everybody watch and use the screen", kOfDisplay, 0.9},
    {"browser-open", "lets the whole network steer the browser", kOfBrowser, 1.0},
    {"vault-root", "makes a key to everything a vault keeps", kOfVault, 1.0},
    {"signing", "has no commit signed any more", kOfSigning, 0.7},
    {"trusted-host", "takes packages from a host without asking whose it is", kOfTrustedHosts, 0.8},
    {"ssh-hosts", "has SSH ask nobody whose machine answers", kOfSsh, 0.9},
    {"screen", "takes a picture of the screen", kOfScreen, 0.9},
    {"sound", "records what is said or shown", kOfSound, 1.0},
    {"editor-trust", "has an editor trust whatever it opens", kOfEditor, 1.0},
    {"ruin-amazon", "destroys what is kept in a cloud", kOfAmazon, 1.0, true},
    {"ruin-google", "destroys what is kept in a cloud", kOfGoogle, 1.0, true},
    {"ruin-azure", "destroys what is kept in a cloud", kOfAzure, 1.0, true},
    {"ruin-infrastructure", "destroys all that was set up", kOfInfrastructure, 1.0, true},
    {"ruin-hosting", "destroys a program that others use", kOfHosting, 1.0, true},
    {"ruin-cluster", "destroys what runs in a cluster", kOfHelm, 1.0, true},
    {"ruin-docker", "destroys what containers keep", kOfDocker, 0.9, true},
    {"ruin-base", "destroys a data base", kOfBases, 1.0, true},
    {"ruin-cache", "destroys all that a data base keeps", kOfCaches, 1.0, true},
    {"ruin-search", "destroys every index", kOfSearch, 1.0, true},
    {"ruin-queue", "destroys every topic", kOfQueues, 1.0, true},
    {"ruin-forge", "destroys what a repository keeps", kOfForge, 1.0, true},
    {"ruin-package", "takes a package from all who use it", kOfNpm, 1.0, true},
    {"ruin-disk", "destroys a file system", kOfDisks, 1.1, true},
    {"ruin-backup", "destroys copies that somebody would restore from", kOfBackups, 1.0, true},
    {"ruin-account", "locks somebody out", kOfAccounts, 1.0, true},
    {"ruin-load", "keeps the machine busy with nothing", kOfLoad, 0.9, true},
    {"ruin-cron", "removes all that is scheduled", kOfCron, 0.9, true},
    {"ruin-gpg", "deletes secret keys", kOfGpg, 1.0, true},
    {"ruin-power", "turns the machine off", kOfPower, 0.9, true},
    {"ruin-session", "ends everything that the user runs", {}, 1.0, true},
    {"ruin-rights", "takes the user's own files from the user", {}, 1.1, true},
});

enum class Form : std::uint8_t { kCommand, kCall, kStatement };

// What has to be said, each of several by one of its ways.
struct Row {
  Form form;
  std::string_view names;  // programs, or calls in lower case without underscores; with a blank around each
  std::array<std::string_view, 3> needs;  // ways stand between bars; "": nothing
  std::string_view never;                 // what of it means no harm
  std::string_view wall;
};

// clang-format off
constexpr auto kRows = std::to_array<Row>({
    // Clouds
    {Form::kCommand, " aws ", {" iam create-access-key "}, "", "aws-key"},
    {Form::kCommand, " aws ", {" iam put-user-policy | iam put-role-policy | iam create-policy ", "\"action\":\"*\"|\"action\": \"*\"", "\"resource\":\"*\"|\"resource\": \"*\""}, "", "aws-policy"},
    {Form::kCommand, " aws ", {" iam attach-user-policy | iam attach-role-policy | iam attach-group-policy ", "/administratoraccess|/iamfullaccess|/poweruseraccess"}, "", "aws-policy"},
    {Form::kCommand, " aws ", {" authorize-security-group-ingress ", "0.0.0.0/0|::/0"}, " --port 443 | --port 80 ", "aws-port"},
    {Form::kCommand, " aws ", {" put-bucket-acl | put-object-acl ", " public-read | public-read-write "}, "", "aws-bucket"},
    {Form::kCommand, " aws ", {" delete-public-access-block "}, "", "aws-bucket"},
    {Form::kCommand, " aws ", {" put-bucket-versioning ", "status=suspended"}, "", "aws-versions"},
    {Form::kCommand, " aws ", {" update-assume-role-policy | iam create-role ", "\"aws\":\"*\"|\"aws\": \"*\"|\"principal\":\"*\"|\"principal\": \"*\""}, "", "aws-trust"},
    {Form::kCommand, " aws ", {" deactivate-mfa-device | delete-virtual-mfa-device "}, "", "aws-mfa"},
    {Form::kCommand, " gsutil ", {" iam ch ", "allusers:|allauthenticatedusers:"}, " -d ", "aws-bucket"},
    {Form::kCommand, " gcloud ", {" firewall-rules create ", "--source-ranges=0.0.0.0/0|--source-ranges 0.0.0.0/0"}, "tcp:443|tcp:80", "aws-port"},
    {Form::kCommand, " az ", {" role assignment create ", "--role owner|--role=owner"}, "", "aws-policy"},
    // Forges
    {Form::kCommand, " gh ", {" repo edit ", "--visibility public|--visibility=public"}, "", "forge-public"},
    {Form::kCommand, " gh glab curl http xh ", {"/protection|/protected_branches|/rulesets/", " delete "}, "", "forge-review"},
    {Form::kCommand, " gh ", {" pr merge ", " --admin "}, "", "forge-review"},
    {Form::kCommand, " gh glab ", {" pr review | mr approve ", " --approve | -a | mr approve "}, "", "forge-approval"},
    {Form::kCommand, " gh glab ", {" ssh-key add | deploy-key add | gpg-key add "}, "", "forge-key"},
    {Form::kCommand, " git ", {" config ", " --global | --system ", " commit.gpgsign false "}, "", "signing"},
    {Form::kCommand, " npm pnpm ", {" access set mfa=none | access 2fa-not-required "}, "", "registry-mfa"},
    {Form::kCommand, " amtool ", {" silence add ", "audit|falco|auth|intrus|security"}, "", "alerts"},
    // Data bases
    {Form::kCommand, " redis-cli ", {" config set protected-mode no "}, "", "redis-open"},
    {Form::kCommand, " echo printf tee cat sed ", {"pg_hba.conf", " trust"}, "", "postgres-open"},
    // Machines
    {Form::kCommand, " docker podman nerdctl ", {" run | create ", "/var/run/docker.sock:"}, "docker.sock:ro", "docker-socket"},
    {Form::kCommand, " dockerd ", {" tcp://0.0.0.0|=tcp://0.0.0.0"}, "--tlsverify", "docker-open"},
    {Form::kCommand, " usermod gpasswd adduser ", {" docker "}, "", "docker-group"},
    {Form::kCommand, " kubectl oc ", {" create clusterrolebinding ", "=cluster-admin | cluster-admin ", ":default |=system:serviceaccounts |=system:authenticated |=system:unauthenticated |=system:anonymous "}, "", "cluster-everybody"},
    {Form::kCommand, " kubectl oc ", {" create clusterrolebinding ", "=cluster-admin | cluster-admin "}, "", "cluster-master"},
    {Form::kCommand, " iptables ip6tables ", {" -p input accept | -p forward accept "}, "", "firewall"},
    {Form::kCommand, " nft ", {" flush ruleset "}, "", "firewall"},
    {Form::kCommand, " firewall-cmd ", {"--set-default-zone=trusted|--panic-off"}, "", "firewall"},
    {Form::kCommand, " sysctl ", {"kernel.yama.ptrace_scope=0|kernel.randomize_va_space=0|kernel.kptr_restrict=0|kernel.dmesg_restrict=0|kernel.unprivileged_bpf_disabled=0"}, "", "kernel"},
    {Form::kCommand, " bcdedit ", {" testsigning on | nointegritychecks on | recoveryenabled no | bootstatuspolicy ignoreallfailures "}, "", "boot"},
    {Form::kCommand, " reg ", {" add ", " enablelua | consentpromptbehavioradmin | promptonsecuredesktop | disableantispyware | disablerealtimemonitoring | disablebehaviormonitoring | enablefirewall | disabletaskmgr | disableregistrytools "}, "", "uac"},
    {Form::kCommand, " set-itemproperty new-itemproperty ", {" enablelua | consentpromptbehavioradmin | promptonsecuredesktop | disableantispyware | disablerealtimemonitoring | enablefirewall "}, "", "uac"},
    {Form::kCommand, " tccutil ", {" reset "}, "", "mac-rights"},
    {Form::kCommand, " defaults ", {" lsquarantine ", " no | false | 0 "}, "", "mac-quarantine"},
    {Form::kCommand, " ln ", {" /dev/null ", "_history "}, "", "history"},
    {Form::kCommand, " find ", {" /var/log ", " -delete | truncate | shred | rm "}, " -mtime ", "logs"},
    {Form::kCommand, " journalctl ", {"--vacuum-time=1s|--vacuum-time=0|--vacuum-size=1"}, "--vacuum-size=1g|--vacuum-size=10", "logs"},
    {Form::kCommand, " wevtutil ", {" cl | clear-log "}, "", "logs"},
    {Form::kCommand, " apt apt-get aptitude ", {" --allow-unauthenticated | --force-yes | --no-gpg-check "}, "", "unsigned"},
    {Form::kCommand, " dnf yum zypper ", {" --nogpgcheck | --no-gpg-checks "}, "", "unsigned"},
    {Form::kCommand, " echo printf tee cat ", {"[trusted=yes]", "http://"}, "file:", "unsigned"},
    {Form::kCommand, " ngrok ", {" http | tcp | tls "}, "", "tunnel"},
    {Form::kCommand, " cloudflared ", {" --url "}, "", "tunnel"},
    {Form::kCommand, " lt localtunnel bore ", {" --port | local "}, "", "tunnel"},
    {Form::kCommand, " xhost ", {" + "}, "", "display"},
    {Form::kCommand, " google-chrome chrome chromium chromium-browser ", {"--remote-debugging-address=0.0.0.0"}, "", "browser-open"},
    {Form::kCommand, " vault ", {" token create ", "-policy=root|-policy root"}, "", "vault-root"},
    {Form::kCommand, " pip pip3 ", {" config set ", "trusted-host"}, "", "trusted-host"},
    {Form::kCommand, " echo printf tee cat ", {"stricthostkeychecking no|stricthostkeychecking=no", ".ssh/config|ssh_config"}, "", "ssh-hosts"},
    {Form::kCommand, " screencapture scrot gnome-screenshot grim ", {" "}, "", "screen"},
    {Form::kCommand, " ffmpeg ", {" avfoundation | dshow | pulse | alsa | x11grab | gdigrab "}, "", "sound"},
    {Form::kCommand, " arecord rec parecord ", {" "}, "", "sound"},
    {Form::kCommand, " code cursor code-insiders windsurf ", {"--disable-workspace-trust"}, "", "editor-trust"},
    // Estates
    {Form::kCommand, " aws ", {" s3 rb ", "--force"}, "", "ruin-amazon"},
    {Form::kCommand, " aws ", {" s3 rm ", "--recursive"}, "", "ruin-amazon"},
    {Form::kCommand, " aws ", {" delete-db-instance | delete-db-cluster | terminate-instances | delete-snapshot | schedule-key-deletion | delete-table | delete-stack | delete-bucket | delete-file-system | delete-cluster | delete-volume "}, "", "ruin-amazon"},
    {Form::kCommand, " gcloud ", {" projects delete | instances delete | clusters delete | databases delete | snapshots delete | disks delete ", " -q | --quiet "}, "", "ruin-google"},
    {Form::kCommand, " gsutil ", {" rm | rb ", " -r | -rf | gs://"}, "", "ruin-google"},
    {Form::kCommand, " az ", {" delete ", " --yes | -y "}, "", "ruin-azure"},
    {Form::kCommand, " terraform tofu pulumi terragrunt ", {" destroy ", "-auto-approve|--yes| -y "}, "", "ruin-infrastructure"},
    {Form::kCommand, " heroku ", {" apps:destroy | pg:reset "}, "", "ruin-hosting"},
    {Form::kCommand, " fly flyctl ", {" destroy ", " -y | --yes "}, "", "ruin-hosting"},
    {Form::kCommand, " vercel netlify railway ", {" remove | sites:delete | down ", " --yes | -y | --force | -f "}, "", "ruin-hosting"},
    {Form::kCommand, " kubectl oc ", {" delete ", " --all | --all-namespaces | -a "}, "", "ruin-cluster"},
    {Form::kCommand, " helm ", {" uninstall | delete "}, "", "ruin-cluster"},
    {Form::kCommand, " docker podman ", {" volume rm | volume prune | system prune ", " -f | -af | --force | --volumes | volume rm "}, "", "ruin-docker"},
    {Form::kCommand, " mongosh mongo ", {"dropdatabase()"}, "", "ruin-base"},
    {Form::kCommand, " dropdb ", {" "}, "", "ruin-base"},
    {Form::kCommand, " redis-cli ", {" flushall | flushdb "}, "", "ruin-cache"},
    {Form::kCommand, " curl http https xh ", {" delete ", ":9200/_all|:9200/*"}, "", "ruin-search"},
    {Form::kCommand, " kafka-topics kafka-topics.sh ", {" --delete ", ".*"}, "", "ruin-queue"},
    {Form::kCommand, " gh ", {" repo delete | release delete "}, "", "ruin-forge"},
    {Form::kCommand, " git ", {" push ", " --delete | --mirror "}, "", "ruin-forge"},
    {Form::kCommand, " git ", {" filter-branch | filter-repo ", " --all | --force "}, "", "ruin-forge"},
    {Form::kCommand, " git ", {" reflog expire ", "--expire=now"}, "", "ruin-forge"},
    {Form::kCommand, " git ", {" clean ", " -fdx | -ffdx | -fxd | -xdf | -dfx "}, "", "ruin-forge"},
    {Form::kCommand, " npm pnpm ", {" unpublish "}, "", "ruin-package"},
    {Form::kCommand, " zpool ", {" destroy "}, "", "ruin-disk"},
    {Form::kCommand, " zfs ", {" destroy ", " -r "}, "", "ruin-disk"},
    {Form::kCommand, " lvremove vgremove ", {" -f | -y | --force | -ff "}, "", "ruin-disk"},
    {Form::kCommand, " blkdiscard parted sgdisk sfdisk ", {"/dev/"}, "", "ruin-disk"},
    {Form::kCommand, " cryptsetup ", {" luksformat | lukserase | erase "}, "", "ruin-disk"},
    {Form::kCommand, " diskutil ", {" erasedisk | erasevolume | apfs deletevolume "}, "", "ruin-disk"},
    {Form::kCommand, " format format.com ", {" c: | d: ", " /y | /q "}, "", "ruin-disk"},
    {Form::kCommand, " cipher cipher.exe ", {" /w:"}, "", "ruin-disk"},
    {Form::kCommand, " btrfs ", {" subvolume delete "}, "", "ruin-backup"},
    {Form::kCommand, " borg ", {" delete ", " --force | --cache-only "}, "", "ruin-backup"},
    {Form::kCommand, " rclone ", {" purge "}, "", "ruin-backup"},
    {Form::kCommand, " userdel deluser ", {" -r | --remove | --remove-home | -rf "}, "", "ruin-account"},
    {Form::kCommand, " passwd ", {" -l root | -d root | --lock root "}, "", "ruin-account"},
    {Form::kCommand, " stress stress-ng ", {" --cpu | -c "}, "", "ruin-load"},
    {Form::kCommand, " crontab ", {" -r "}, "", "ruin-cron"},
    {Form::kCommand, " gpg gpg2 ", {" --delete-secret-key"}, "", "ruin-gpg"},
    {Form::kCommand, " shutdown poweroff halt ", {" "}, " -c ", "ruin-power"},
    {Form::kCommand, " kill ", {" -1 "}, "", "ruin-session"},
    {Form::kCommand, " pkill killall ", {" -u "}, "", "ruin-session"},
    {Form::kCommand, " chmod ", {" -r ", " 000 | 0000 | a-rwx ", " ~ | ~/ | / | $home | /home "}, "", "ruin-rights"},
    {Form::kCommand, " chown ", {" -r ", " nobody | nobody:nogroup ", " ~ | ~/ | / | $home | /home "}, "", "ruin-rights"},
    // Calls of libraries
    {Form::kCall, " createaccesskey ", {"(username=|{username:|iam"}, "", "aws-key"},
    {Form::kCall, " putuserpolicy putrolepolicy createpolicy createpolicyversion ", {"action:*|action:[*]", "resource:*|resource:[*]"}, "", "aws-policy"},
    {Form::kCall, " attachuserpolicy attachrolepolicy attachgrouppolicy ", {"/administratoraccess|/iamfullaccess|/poweruseraccess"}, "", "aws-policy"},
    {Form::kCall, " authorizesecuritygroupingress ", {"0.0.0.0/0|::/0"}, "fromport=443|fromport:443|fromport=80|fromport:80", "aws-port"},
    {Form::kCall, " putbucketacl putobjectacl ", {"public-read"}, "", "aws-bucket"},
    {Form::kCall, " deletepublicaccessblock deletebucketpublicaccessblock ", {}, "", "aws-bucket"},
    {Form::kCall, " putbucketversioning ", {"suspended"}, "", "aws-versions"},
    {Form::kCall, " updateassumerolepolicy createrole ", {"aws:*|principal:*"}, "", "aws-trust"},
    {Form::kCall, " deactivatemfadevice deletevirtualmfadevice ", {}, "", "aws-mfa"},
    {Form::kCall, " createclusterrolebinding ", {"cluster-admin"}, "", "cluster-master"},
    {Form::kCall, " deletebranchprotection removebranchprotection removeprotection deleterepositoryruleset ", {}, "", "forge-review"},
    {Form::kCall, " fetch request delete del ", {"/protection|/protected_branches/|/rulesets/", "delete"}, "", "forge-review"},
    {Form::kCall, " createreview createpullrequestreview submitreview ", {"event=approve|event:approve"}, "", "forge-approval"},
    {Form::kCall, " update edit patch fetch request ", {"/repos/|repos.update|get_repo|.getrepo|repo.edit|repository.edit", "private=false|private:false|visibility:public|visibility=public"}, "", "forge-public"},
    {Form::kCall, " createwebhook createhook ", {"url:https://|url=https://|,https://"}, "", "forge-hook"},
    {Form::kCall, " post fetch request ", {"/repos/", "/hooks", "url:https://"}, "", "forge-hook"},
    {Form::kCall, " setvalueex setvalue regsetvalueexw regsetkeyvaluew ", {"enablelua|consentpromptbehavioradmin|promptonsecuredesktop|disableantispyware|disablerealtimemonitoring|disabletaskmgr"}, "", "uac"},
    {Form::kCall, " terminateinstances deletedbinstance deletedbcluster schedulekeydeletion ", {}, "", "ruin-amazon"},
    {Form::kCall, " deletesnapshot deletestack deletebucket ", {"snapshotid|stackname|bucket:|bucket="}, "", "ruin-amazon"},
    {Form::kCall, " dropdatabase ", {}, "", "ruin-base"},
    {Form::kCall, " flushall ", {}, "", "ruin-cache"},
    // Statements
    {Form::kStatement, "", {"drop database |drop schema "}, "if exists temp|{", "ruin-base"},
    {Form::kStatement, "", {"alter role |alter user |create role |create user ", " superuser| bypassrls"}, "nosuperuser", "base-master"},
    {Form::kStatement, "", {"disable row level security|row_security = off|row_security=off|no force row level security"}, "", "base-rows"},
    {Form::kStatement, "", {"disable trigger all|disable trigger user|session_replication_role = replica|session_replication_role = 'replica'|session_replication_role='replica'"}, "", "base-triggers"},
    {Form::kStatement, "", {"delete from audit|truncate audit|truncate table audit|drop table audit|drop table if exists audit|delete from access_log|delete from security_log|delete from activity_log"}, " where ", "base-audit"},
});
// clang-format on

// All names of the rows above, for one look at each; sinks and shells ask these first.
constexpr auto kPrograms = std::to_array<std::string_view>({"adduser",
                                                            "amtool",
                                                            "apt",
                                                            "apt-get",
                                                            "aptitude",
                                                            "arecord",
                                                            "aws",
                                                            "az",
                                                            "bcdedit",
                                                            "blkdiscard",
                                                            "bore",
                                                            "borg",
                                                            "btrfs",
                                                            "cat",
                                                            "chmod",
                                                            "chown",
                                                            "chrome",
                                                            "chromium",
                                                            "chromium-browser",
                                                            "cipher",
                                                            "cipher.exe",
                                                            "cloudflared",
                                                            "cockroach",
                                                            "code",
                                                            "code-insiders",
                                                            "crontab",
                                                            "cryptsetup",
                                                            "curl",
                                                            "cursor",
                                                            "defaults",
                                                            "deluser",
                                                            "diskutil",
                                                            "dnf",
                                                            "docker",
                                                            "dockerd",
                                                            "dropdb",
                                                            "echo",
                                                            "ffmpeg",
                                                            "find",
                                                            "firewall-cmd",
                                                            "fly",
                                                            "flyctl",
                                                            "format",
                                                            "format.com",
                                                            "gcloud",
                                                            "gh",
                                                            "git",
                                                            "glab",
                                                            "gnome-screenshot",
                                                            "google-chrome",
                                                            "gpasswd",
                                                            "gpg",
                                                            "gpg2",
                                                            "grim",
                                                            "gsutil",
                                                            "halt",
                                                            "helm",
                                                            "heroku",
                                                            "http",
                                                            "https",
                                                            "ip6tables",
                                                            "iptables",
                                                            "journalctl",
                                                            "kafka-topics",
                                                            "kafka-topics.sh",
                                                            "kill",
                                                            "killall",
                                                            "kubectl",
                                                            "ln",
                                                            "localtunnel",
                                                            "lt",
                                                            "lvremove",
                                                            "mariadb",
                                                            "mongo",
                                                            "mongosh",
                                                            "mysql",
                                                            "nerdctl",
                                                            "netlify",
                                                            "new-itemproperty",
                                                            "nft",
                                                            "ngrok",
                                                            "npm",
                                                            "oc",
                                                            "parecord",
                                                            "parted",
                                                            "passwd",
                                                            "pip",
                                                            "pip3",
                                                            "pkill",
                                                            "pnpm",
                                                            "podman",
                                                            "poweroff",
                                                            "printf",
                                                            "psql",
                                                            "pulumi",
                                                            "railway",
                                                            "rclone",
                                                            "rec",
                                                            "redis-cli",
                                                            "reg",
                                                            "screencapture",
                                                            "scrot",
                                                            "sed",
                                                            "set-itemproperty",
                                                            "sfdisk",
                                                            "sgdisk",
                                                            "shutdown",
                                                            "sqlcmd",
                                                            "sqlite3",
                                                            "stress",
                                                            "stress-ng",
                                                            "sysctl",
                                                            "tccutil",
                                                            "tee",
                                                            "terraform",
                                                            "terragrunt",
                                                            "tofu",
                                                            "userdel",
                                                            "usermod",
                                                            "vault",
                                                            "vercel",
                                                            "vgremove",
                                                            "wevtutil",
                                                            "windsurf",
                                                            "xh",
                                                            "xhost",
                                                            "yum",
                                                            "zfs",
                                                            "zpool",
                                                            "zypper"});
constexpr auto kCalls = std::to_array<std::string_view>({"attachgrouppolicy",
                                                         "attachrolepolicy",
                                                         "attachuserpolicy",
                                                         "authorizesecuritygroupingress",
                                                         "createaccesskey",
                                                         "createclusterrolebinding",
                                                         "createhook",
                                                         "createpolicy",
                                                         "createpolicyversion",
                                                         "createpullrequestreview",
                                                         "createreview",
                                                         "createrole",
                                                         "createwebhook",
                                                         "deactivatemfadevice",
                                                         "del",
                                                         "delete",
                                                         "deletebranchprotection",
                                                         "deletebucket",
                                                         "deletebucketpublicaccessblock",
                                                         "deletedbcluster",
                                                         "deletedbinstance",
                                                         "deletepublicaccessblock",
                                                         "deleterepositoryruleset",
                                                         "deletesnapshot",
                                                         "deletestack",
                                                         "deletevirtualmfadevice",
                                                         "dropdatabase",
                                                         "edit",
                                                         "fetch",
                                                         "flushall",
                                                         "patch",
                                                         "post",
                                                         "putbucketacl",
                                                         "putbucketversioning",
                                                         "putobjectacl",
                                                         "putrolepolicy",
                                                         "putuserpolicy",
                                                         "regsetkeyvaluew",
                                                         "regsetvalueexw",
                                                         "removebranchprotection",
                                                         "removeprotection",
                                                         "request",
                                                         "schedulekeydeletion",
                                                         "setvalue",
                                                         "setvalueex",
                                                         "submitreview",
                                                         "terminateinstances",
                                                         "update",
                                                         "updateassumerolepolicy"});

constexpr std::size_t kLongestName = 40;

// deactivate_mfa_device, deactivateMFADevice and DeactivateMFADeviceCommand are "deactivatemfadevice".
class CallName {
 public:
  explicit CallName(std::string_view last) {
    if (last.size() > kLongestName) return;
    for (const char c : last) {
      if (c != '_') letters_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    constexpr std::string_view kCommand = "command";
    if (text().ends_with(kCommand)) size_ -= kCommand.size();
  }
  [[nodiscard]] std::string_view text() const { return {letters_.data(), size_}; }

 private:
  std::array<char, kLongestName> letters_{};
  std::size_t size_ = 0;
};

bool Names(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    if (at > 0 && names[at - 1] == ' ' && at + name.size() < names.size() && names[at + name.size()] == ' ')
      return true;
  }
  return false;
}

// One of several ways stands in the text.
bool SaysWay(std::string_view said, std::string_view ways) {
  while (!ways.empty()) {
    const std::size_t bar = ways.find('|');
    if (base::HasBytes(said, ways.substr(0, bar))) return true;
    if (bar == std::string_view::npos) return false;
    ways.remove_prefix(bar + 1);
  }
  return false;
}

const Wall* Look(Form form, std::string_view name, std::string_view said) {
  for (const Row& row : kRows) {
    if (row.form != form || (!name.empty() && !Names(row.names, name))) continue;
    const bool all =
        std::ranges::all_of(row.needs, [&](std::string_view ways) { return ways.empty() || SaysWay(said, ways); });
    if (all && (row.never.empty() || !SaysWay(said, row.never))) return WallNamed(row.wall);
  }
  return nullptr;
}

}  // namespace

const Wall* WallNamed(std::string_view key) {
  const auto found = std::ranges::find(kWalls, key, &Wall::key);
  return found == kWalls.end() ? nullptr : &*found;
}

const Wall* WallOfCommand(std::string_view program, std::string_view said) {
  if (program.empty()) return nullptr;
  if (const Wall* const wall = Look(Form::kCommand, program, said); wall != nullptr) return wall;
  const bool speaks = Names(" psql mysql mariadb sqlcmd cockroach sqlite3 ", program);
  return speaks ? WallOfStatement(said) : nullptr;
}

bool MayTakeDown(std::string_view program) {
  static constexpr FixedWords kNames(kPrograms);
  return kNames.Has(program);
}

bool MayTakeDownBy(std::string_view last) {
  static constexpr FixedWords kNames(kCalls);
  return kNames.Has(CallName(last).text());
}

const Wall* WallOfCall(std::string_view last, std::string_view said) {
  return Look(Form::kCall, CallName(last).text(), said);
}

const Wall* WallOfStatement(std::string_view said) { return Look(Form::kStatement, {}, said); }

}  // namespace interlock::scan::code
