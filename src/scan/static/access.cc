#include "static/access.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "static/literals.h"
#include "static/part_set.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kHead = 600;  // bytes of a file in which it says what it is

// Roles above which there is none.
constexpr std::array kHighest =
    std::to_array<std::string_view>({"cluster-admin", "AdministratorAccess", "roles/owner", "system:masters",
                                     "roles/resourcemanager.organizationAdmin", "IAMFullAccess"});

// Calls that give a role to somebody.
constexpr std::array kGives = std::to_array<std::string_view>(
    {"create_cluster_role_binding", "create_role_binding", "createclusterrolebinding", "create_cluster_role",
     "clusterrolebinding", "attach_user_policy", "attach_role_policy", "attach-user-policy", "attach-role-policy",
     "attachuserpolicy", "attachrolepolicy", "put_user_policy", "set_iam_policy", "setiampolicy",
     "add-iam-policy-binding", "rolebindings"});

void JudgeGrants(const FileContext& file, std::string_view text, std::vector<RawFinding>& out) {
  static constexpr PartSet kWords(kGives);
  if (!kWords.AnyIn(text)) return;
  base::ByteSpan role;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    const auto names = [&](std::string_view high) {
      if (!literal.ends_with(high)) return false;
      const std::string_view before = literal.substr(0, literal.size() - high.size());
      return before.empty() || before.back() == '/' || before.back() == '=';
    };
    if (role.end == 0 && std::ranges::any_of(kHighest, names)) role = {at, at + literal.size()};
  });
  if (role.end == 0) return;
  RawFinding finding;
  finding.rule = "GRANT-001";
  finding.file = file.index;
  finding.bytes = role;
  out.push_back(std::move(finding));
}

// CREATE USER ... IDENTIFIED BY 'known', GRANT ALL ... WITH GRANT OPTION: an account of a data base that its author
// knows.
void JudgeAccounts(const FileContext& file, std::string_view text, std::vector<RawFinding>& out) {
  if (!base::HasBytes(text, "grant all")) return;
  base::ByteSpan made;
  base::ByteSpan given;
  ForEachLiteral(file, [&](std::size_t at, std::string_view literal) {
    if (literal.size() < 20 || literal.size() > 2'000) return;
    const std::string lower = LowerCase(literal);
    if (lower.find("create user") == std::string::npos && lower.find("create role") == std::string::npos &&
        lower.find("grant all") == std::string::npos && lower.find("create login") == std::string::npos) {
      return;
    }
    const std::size_t word = std::min({lower.find("identified by '"), lower.find("password '"),
                                       lower.find("password = '"), lower.find("password='")});
    if (word != std::string::npos) {
      const std::size_t quote = lower.find('\'', word);
      const char first = quote + 1 < lower.size() ? lower[quote + 1] : '%';
      if (first != '{' && first != '$' && first != '%' && first != ':' && first != '\'' && first != '"' &&
          made.end == 0)
        made = {at, at + literal.size()};
    }
    const bool all = lower.find("grant all") != std::string::npos &&
                     (lower.find("*.*") != std::string::npos || lower.find(" to public") != std::string::npos ||
                      lower.find("with grant option") != std::string::npos);
    if (all && given.end == 0 && lower.find('{') == std::string::npos) given = {at, at + literal.size()};
  });
  if (given.end == 0 || (made.end == 0 && file.text().substr(given.begin, given.end - given.begin).find("PUBLIC") ==
                                              std::string_view::npos))
    return;
  AddFinding(out, file, "GRANT-002", made.end != 0 ? made : given,
             made.end != 0 ? "makes an account of a data base whose password stands here, with all rights"
                           : "gives everybody all rights to a data base",
             0.9);
}

// What programs and their authors call the letting in of others, where that is what they are for.
bool IsForAccess(std::string_view purpose) {
  return SaysAny(purpose, {"user management", "provision", "migration", "admin", "bootstrap", "permission", "privilege",
                           "access control", "role management", "rbac", "grant", "schema management", "terraform",
                           " iam", "iam-", "role binding", "rolebinding", "test database"});
}

// Words that statements begin with which let somebody in, or take a wall away.
constexpr auto kStatements =
    std::to_array<std::string_view>({"grant ", "create role ", "create user ", "create login ", "alter role ",
                                     "alter user ", "alter server role ", "row_security", "row level security"});

// A statement from its first word to its end; of a note, nothing.
std::string_view StatementAt(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 400;
  const std::string_view before = text.substr(at - std::min(at, kLongest), std::min(at, kLongest));
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1: all of it
  const std::size_t first = line.find_first_not_of(" \t\"'`");
  if (first != std::string_view::npos && (line.substr(first, 2) == "--" || line[first] == '#' || line[first] == '*' ||
                                          line.substr(first, 2) == "//" || line.substr(first, 2) == "/*")) {
    return {};
  }
  if (at > 0 && (IsLetter(text[at - 1]) || text[at - 1] == '_' || text[at - 1] == '-')) return {};
  const std::string_view rest = text.substr(at, kLongest);
  return rest.substr(0, rest.find_first_of(";\"`"));
}

// Statements of a data base that let everybody in, make somebody its master or take down what keeps rows apart, in a
// package that says it only reads: which of its files holds them is no matter.
void JudgeStatements(const FileContext& file, std::string_view text, std::vector<RawFinding>& out) {
  const auto any = [](std::string_view statement, std::initializer_list<std::string_view> words) {
    return SaysAny(statement, words);
  };
  for (const std::string_view word : kStatements) {
    for (std::size_t at = base::FindBytes(text, word); at != std::string_view::npos;
         at = base::FindBytes(text, word, at + word.size())) {
      const std::string_view said = StatementAt(text, at);
      const base::ByteSpan bytes{at, at + std::max(said.size(), word.size())};
      if (said.empty()) continue;
      if (word == "grant ") {
        const bool everybody = any(said, {" to public", "@'%'", " to anonymous", " to guest"});
        if (!everybody || !any(said, {" on ", "all privileges"}) || said.find('{') != std::string_view::npos) continue;
        AddFinding(out, file, "GRANT-002", bytes, "says that it only reads, and gives everybody rights to a data base",
                   1.0);
        break;
      }
      if (word.starts_with("row")) {
        const std::string_view before = text.substr(at > 40 ? at - 40 : 0, std::min<std::size_t>(at, 40));
        const bool off = word == "row_security" ? any(said, {"= off", "=off", "to off"}) : before.ends_with("disable ");
        if (!off || said.size() > 120) continue;
        AddFinding(out, file, "DECL-001", bytes, "says that it only reads, and takes down what keeps rows apart", 1.2)
            .severity = core::Severity::kHigh;
        break;
      }
      const bool master = any(said, {" superuser", " bypassrls", " sysadmin", " replication"}) &&
                          !any(said, {" nosuperuser", " nobypassrls", "{"});
      if (!master) continue;
      AddFinding(out, file, "GRANT-001", bytes, "says that it only reads, and makes a master of a data base", 1.0);
      break;
    }
  }
}

// Calls that say who may come to what is kept in a cloud, and what they say where that is everybody.
constexpr auto kPolicies = std::to_array<std::string_view>(
    {"putbucketpolicy", "put_bucket_policy", "putbucketacl", "put_bucket_acl", "putobjectacl", "put_object_acl",
     "deletepublicaccessblock", "delete_public_access_block", "putqueueattributes", "addpermission", "add_permission",
     "putresourcepolicy", "put_resource_policy", "put_key_policy", "putkeypolicy", "setiampolicy", "set_iam_policy"});

// principal: "*", "Principal": {"AWS": "*"}, acl: "public-read-write", allUsers. npos: nobody, or somebody.
std::size_t EverybodyIn(std::string_view text) {
  constexpr std::string_view kSigns = " \t\r\n\"'`:={[";
  for (std::size_t at = base::FindBytes(text, "principal"); at != std::string_view::npos;
       at = base::FindBytes(text, "principal", at + 9)) {
    std::size_t next = text.find_first_not_of(kSigns, at + 9);
    if (next != std::string_view::npos && text.substr(next).starts_with("aws"))
      next = text.find_first_not_of(kSigns, next + 3);
    if (next != std::string_view::npos && next > at + 9 && text[next] == '*' && next + 1 < text.size() &&
        std::string_view("\"'`").find(text[next + 1]) != std::string_view::npos) {
      return at;
    }
  }
  constexpr std::string_view kAll = "allusers";
  const auto letter = [&](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  std::size_t all = base::FindBytes(text, kAll);
  while (all != std::string_view::npos && (letter(all - 1) || letter(all + kAll.size())))  // "DropAllUsersFromDatabase"
    all = base::FindBytes(text, kAll, all + 1);
  return std::min(base::FindBytes(text, "public-read-write"), all);
}

void JudgePolicies(const FileContext& file, const AccessPurpose& purpose, std::string_view text,
                   std::vector<RawFinding>& out) {
  static constexpr PartSet kWords(kPolicies);
  if (!kWords.AnyIn(text)) return;
  if (SaysAny(purpose.says, {"public", "website", "web site", "hosting", "static site", "publish", "policy", "policies",
                             "deploy", "cloudformation", "infrastructure"})) {
    return;
  }
  const std::size_t everybody = EverybodyIn(text);
  if (everybody == std::string_view::npos) return;
  AddFinding(out, file, "GRANT-002", {everybody, std::min(everybody + 30, text.size())},
             "lets everybody come to what is kept in a cloud", purpose.only_reads ? 1.1 : 0.9);
}

// "Only looks at your files", and a login that asks for the right to change all of them.
void JudgeScopes(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr auto kWide = std::to_array<std::string_view>(
      {"Files.ReadWrite.All", "Sites.FullControl.All", "Mail.ReadWrite", "Mail.Send", "MailboxSettings.ReadWrite",
       "Directory.AccessAsUser.All", "Directory.ReadWrite.All", "User.ReadWrite.All", "delete_repo", "admin:org",
       "admin:repo_hook", "gmail.modify", "gmail.settings.sharing", "chat:write.customize", "admin.users:write"});
  const base::ByteSpan wide = FirstLiteral(file, [&](std::string_view literal) {
    if (literal.size() > 120) return false;
    const std::string_view last = literal.substr(literal.rfind('/') + 1);
    const bool full =
        literal.find("/auth/") != std::string_view::npos &&
        (last == "drive" || last == "calendar" || last == "gmail.modify" || last == "gmail.settings.sharing" ||
         last == "spreadsheets" || last == "documents" || last == "contacts");
    return full || literal == "https://mail.google.com/" || std::ranges::find(kWide, literal) != kWide.end();
  });
  if (wide.end == 0) return;
  AddFinding(out, file, "DECL-004", wide,
             "says that it only reads, and asks for the right to change everything: " +
                 std::string(file.text().substr(wide.begin, wide.end - wide.begin)),
             1.0);
}

}  // namespace

bool SaysOnlyReads(std::string_view said) {
  return SaysAny(said, {"read-only", "read only", "view only", "view-only", "only reads", "only read.", "only look",
                        "never modif", "never chang", "not modify"});
}

void JudgeAccess(const FileContext& file, const AccessPurpose& purpose, std::string_view text,
                 std::vector<RawFinding>& out) {
  static constexpr PartSet kWords(kStatements);
  if (!IsForAccess(purpose.says)) {
    if (purpose.only_reads && kWords.AnyIn(text)) JudgeStatements(file, text, out);
    if (IsCode(file.type)) {
      JudgeGrants(file, text, out);
      JudgeAccounts(file, text, out);
      JudgePolicies(file, purpose, text, out);
    }
  }
  if (!IsCode(file.type)) return;
  if (purpose.only_reads || SaysOnlyReads(text.substr(0, kHead))) JudgeScopes(file, out);
}

}  // namespace interlock::scan
