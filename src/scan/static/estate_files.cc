#include "static/estate_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "code/places.h"
#include "code/principals.h"
#include "code/vendors.h"
#include "interlock/base/find_bytes.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxRead = std::size_t{256} << 10U;  // bytes of one file
constexpr std::size_t kMostLooked = 64;                    // statements, or mirrors, of one file

RawFinding& Raise(std::vector<RawFinding>& out, const FileContext& file, std::string_view rule, base::ByteSpan bytes,
                  std::string message, double scale) {
  RawFinding& finding = out.emplace_back();
  finding.rule = rule;
  finding.file = file.index;
  finding.bytes = bytes;
  finding.message = std::move(message);
  finding.scale = scale;
  return finding;
}

// The statement of a policy around a place: from the brace that opens it to the one that closes it.
std::string_view StatementAround(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 4000;
  std::size_t begin = at;
  for (int depth = 0; begin > 0 && at - begin < kLongest; --begin) {
    const char c = text[begin - 1];
    if (c == '}') ++depth;
    if (c == '{' && depth-- == 0) break;
  }
  std::size_t end = at;
  for (int depth = 0; end < text.size() && end - at < kLongest; ++end) {
    if (text[end] == '{') ++depth;
    if (text[end] == '}' && depth-- == 0) break;
  }
  return text.substr(begin, end - begin);
}

// What stands behind a key: `"principal": {"aws": "*"}`, up to the end of its list or table. What a template fills in
// (`${account}`) is neither.
std::string_view ValueOf(std::string_view statement, std::string_view key) {
  const std::size_t at = statement.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t from = statement.find_first_not_of(" \t\r\n:", at + key.size());
  if (from == std::string_view::npos) return {};
  if (statement[from] == '"') return statement.substr(from, statement.find('"', from + 1) + 1 - from);
  int depth = 0;
  for (std::size_t i = from; i < statement.size(); ++i) {
    const char c = statement[i];
    if (c == '$' && i + 1 < statement.size() && statement[i + 1] == '{') {
      i = std::min(statement.find('}', i), statement.size() - 1);
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return statement.substr(from, i + 1 - from);
    }
  }
  return statement.substr(from);
}

bool IsEverybody(std::string_view principal) {
  return principal.find("\"*\"") != std::string_view::npos || principal == "\"*\"";
}

// s3:PutObject, sqs:*, "*": what changes something.
bool Changes(std::string_view action) {
  return SaysAny(action, {":put", ":delete", ":*\"", "\"*\"", ":write", ":update", ":create", ":send", ":invoke"});
}

// arn:aws:iam::604211873350:root, of an account whose number stands there and is nobody's in a manual.
bool NamesStranger(std::string_view principal) {
  return principal.find("arn:aws:iam::") != std::string_view::npos && code::NamesCloudAccount(principal);
}

// ... beside one that is filled in: the user's own, and somebody's who is not.
bool NamesOwn(std::string_view principal) { return SaysAny(principal, {"${", "{{", "<", "account_id", "$account"}); }

void JudgePolicy(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr std::string_view kPrincipal = "\"principal\"";
  const std::string text = LowerCase(file.text().substr(0, kMaxRead));
  if (!base::HasBytes(text, "\"statement\"")) return;
  std::size_t left = kMostLooked;
  for (std::size_t at = text.find(kPrincipal); at != std::string::npos && left > 0;
       at = text.find(kPrincipal, at + 1), --left) {
    const std::string_view statement = StatementAround(text, at);
    const std::string_view principal = ValueOf(statement, kPrincipal);
    const std::string_view action = ValueOf(statement, "\"action\"");
    if (ValueOf(statement, "\"effect\"") != "\"allow\"" || statement.find("\"condition\"") != std::string_view::npos)
      continue;
    const base::ByteSpan bytes{at, at + kPrincipal.size()};
    if (IsEverybody(principal) && Changes(action)) {
      Raise(out, file, "GRANT-002", bytes, "lets everybody change what is kept in a cloud", 1.0);
      return;
    }
    if (action.find("sts:assumerole") != std::string_view::npos && NamesStranger(principal) && NamesOwn(principal)) {
      Raise(out, file, "GRANT-002", bytes, "lets an account that stands here take a role beside the user's own", 0.9);
      return;
    }
  }
}

// pull_request_target, and a checkout of what the stranger sent: his program runs with the repository's own rights.
void JudgePipeline(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text().substr(0, kMaxRead);
  const std::size_t started = text.find("pull_request_target");
  if (started == std::string_view::npos || !base::HasBytes(text, "actions/checkout")) return;
  for (const std::string_view head : {"github.event.pull_request.head.sha", "github.event.pull_request.head.ref",
                                      "github.head_ref", "refs/pull/${{"}) {
    const std::size_t at = text.find(head);
    const std::size_t line = at == std::string_view::npos ? at : text.rfind('\n', at);
    if (line == std::string_view::npos) continue;
    if (text.substr(line, at - line).find("ref:") == std::string_view::npos) continue;
    // What is only looked at is not run.
    if (!base::HasBytes(text.substr(at), "run:")) continue;
    Raise(out, file, "VULN-010", {started, started + 19},
          "runs what strangers send with the rights and secrets of the repository", 1.4);
    return;
  }
}

// A host that is nobody's whom everybody knows, and no machine of one's own.
bool IsStranger(std::string_view host) {
  if (host.find('.') == std::string_view::npos || host.ends_with('.') ||
      host.find_first_of("${}<>") != std::string_view::npos)
    return false;
  const HostKind kind = KindOfHost(host);
  return kind != HostKind::kLocal && kind != HostKind::kForge && kind != HostKind::kRegistry &&
         !code::IsKnownService(host);
}

// backend "http" { address = "https://host/..." }: whatever is set up is described there, its secrets among it.
void JudgeState(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text().substr(0, kMaxRead);
  const std::size_t backend = text.find("backend \"http\"");
  if (backend == std::string_view::npos) return;
  const std::size_t address = text.find("address", backend);
  const std::size_t open = address == std::string_view::npos ? address : text.find('"', address);
  if (open == std::string_view::npos) return;
  const std::string url =
      LowerCase(text.substr(open + 1, std::min(text.find('"', open + 1) - open - 1, std::size_t{200})));
  const std::string host = HostOf(url);
  if (!IsStranger(host)) return;
  Raise(out, file, "SH-015", {backend, backend + 14}, "keeps the state of all that is set up with " + host, 0.9).host =
      host;
}

// NODE_TLS_REJECT_UNAUTHORIZED=0 beside HTTPS_PROXY=http://host: whoever stands between reads and changes everything.
void JudgeEnvironment(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text().substr(0, kMaxRead);
  base::ByteSpan unasked;
  std::string through;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = Trim(text.substr(at, end - at));
    const std::size_t begin = at;
    at = end + 1;
    if (line.starts_with("export ")) line = Trim(line.substr(7));
    const std::size_t equal = line.find('=');
    if (equal == std::string_view::npos || line.starts_with('#')) continue;
    const std::string_view name = Trim(line.substr(0, equal));
    std::string_view value = Trim(line.substr(equal + 1));
    while (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
    value = value.substr(0, value.find_first_of("\"' \t"));
    if (code::LeavesPeersUnasked(name, value)) unasked = {begin, end};
    if (code::RouteOf(name) != code::Route::kProxy) continue;
    const std::string host = HostOf(LowerCase(value));
    if (host.find('.') != std::string::npos && KindOfHost(host) != HostKind::kLocal) through = host;
  }
  if (unasked.end == 0 || through.empty()) return;
  Raise(out, file, "SH-008", unasked, "asks nobody for a certificate, and has everything go through " + through, 1.0)
      .host = through;
}

// The address at or behind a place, up to a blank, a quote or a semicolon.
std::string UrlBehind(std::string_view text, std::size_t at) {
  constexpr std::size_t kWithin = 300;
  const std::string_view near = text.substr(at, kWithin);
  const std::size_t scheme = near.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::size_t from = near.find_last_of(" \t\n\"'=(", scheme) + 1;  // npos + 1: the beginning
  return LowerCase(near.substr(from, near.find_first_of(" \t\r\n\"';,)}$", scheme) - from));
}

void EachLine(std::string_view text, const auto& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    use(Trim(text.substr(at, end - at)), base::ByteSpan{at, end});
    at = end + 1;
  }
}

// [url "https://host/"] insteadOf = https://github.com/: what everybody's repositories are fetched from.
void JudgeGitSettings(const FileContext& file, std::vector<RawFinding>& out) {
  std::string to;
  EachLine(file.text().substr(0, kMaxRead), [&](std::string_view line, base::ByteSpan bytes) {
    if (line.starts_with('[')) {
      const bool url = line.starts_with("[url ");
      to = url ? HostOf(UrlBehind(line, 0)) : std::string();
      return;
    }
    const std::string lower = LowerCase(line);
    if (to.empty() || !IsStranger(to) || !(lower.starts_with("insteadof") || lower.starts_with("pushinsteadof")))
      return;
    if (!SaysAny(lower, {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})) return;
    Raise(out, file, "SH-008", bytes, "has git fetch and push through " + to, 1.0).host = to;
    to.clear();
  });
}

// authorized_key: {user: root, key: https://host/ops.keys}: whoever answers there may come in.
void JudgeKeysFetched(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr std::size_t kNear = 400;
  const std::string_view text = file.text().substr(0, kMaxRead);
  for (std::size_t at = base::FindBytes(text, "authorized_key:"); at != std::string_view::npos;
       at = base::FindBytes(text, "authorized_key:", at + 1)) {
    const std::string_view task = text.substr(at, kNear);
    const std::size_t key = task.find("key: http", 15);
    if (key == std::string_view::npos) continue;
    const std::string host = HostOf(UrlBehind(task, key + 5));
    if (!IsStranger(host)) continue;
    Raise(out, file, "GRANT-002", {at + key, at + key + 5}, "lets in whoever " + host + " names", 1.2).host = host;
    return;
  }
}

// identifiers = ["arn:aws:iam::604211873350:root"], and AdministratorAccess.
void JudgeRoles(const FileContext& file, std::vector<RawFinding>& out) {
  constexpr std::string_view kAccounts = "arn:aws:iam::";
  constexpr std::size_t kDigits = 12;
  const std::string_view text = file.text().substr(0, kMaxRead);
  if (!base::HasBytes(text, ":policy/AdministratorAccess") || !SaysAny(text, {"sts:AssumeRole", "assume_role"})) return;
  for (std::size_t at = text.find(kAccounts); at != std::string_view::npos; at = text.find(kAccounts, at + 1)) {
    const std::string_view number = text.substr(at + kAccounts.size(), kDigits);
    if (number.size() < kDigits || number.find_first_not_of("0123456789") != std::string_view::npos) continue;
    Raise(out, file, "GRANT-002", {at, at + kAccounts.size() + kDigits},
          "gives an account that stands here every right", 1.2);
    return;
  }
}

// mirror /copy; location = /copy { proxy_pass https://host; }, and scripts that are put into every page.
void JudgeWebServer(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view text = file.text().substr(0, kMaxRead);
  std::size_t left = kMostLooked;
  EachLine(text, [&](std::string_view line, base::ByteSpan bytes) {
    if (line.starts_with("mirror /") && left > 0) {
      --left;
      const std::string_view to = line.substr(7, line.find_first_of(" ;", 7) - 7);
      for (std::size_t at = text.find("location"); at != std::string_view::npos; at = text.find("location", at + 8)) {
        const std::string_view head = text.substr(at, text.substr(at).find('{'));
        if (head.find(to) == std::string_view::npos) continue;
        const std::string_view body = text.substr(at + head.size(), text.substr(at + head.size()).find('}'));
        const std::size_t pass = body.find("proxy_pass");
        const std::string host = pass == std::string_view::npos ? std::string() : HostOf(UrlBehind(body, pass));
        if (!IsStranger(host)) continue;
        Raise(out, file, "SH-015", bytes, "sends what visitors send to " + host + " as well", 1.1).host = host;
        break;
      }
    }
    const std::size_t script = line.starts_with("sub_filter") ? line.find("<script") : std::string_view::npos;
    const std::size_t source = script == std::string_view::npos ? script : line.find("src=", script);
    if (source == std::string_view::npos) return;
    std::string_view url = line.substr(source + 4);
    while (!url.empty() && std::string_view("\"'\\").find(url.front()) != std::string_view::npos) url.remove_prefix(1);
    const std::string address =
        (url.starts_with("//") ? "https:" : "") + std::string(url.substr(0, url.find_first_of("\"' >")));
    const std::string host = HostOf(LowerCase(address));
    if (!IsStranger(host)) return;
    Raise(out, file, "TAMPER-001", bytes, "puts a program of " + host + " into every page", 0.8).host = host;
  });
}

}  // namespace

void JudgeEstateFile(const FileContext& file, std::vector<RawFinding>& out) {
  const std::string_view name = BaseName(file.file->path);
  if (file.type == FileType::kJson) JudgePolicy(file, out);
  if (file.type == FileType::kYaml) JudgePipeline(file, out);
  if (file.type == FileType::kIni && (name.starts_with(".env") || name.ends_with(".env"))) JudgeEnvironment(file, out);
  if (file.type == FileType::kYaml) JudgeKeysFetched(file, out);
  if (name.ends_with(".tf")) {
    JudgeState(file, out);
    JudgeRoles(file, out);
  }
  if (name.ends_with("gitconfig") || file.file->path.ends_with(".git/config")) JudgeGitSettings(file, out);
  if (name.ends_with(".conf") && base::HasBytes(file.text().substr(0, kMaxRead), "location")) JudgeWebServer(file, out);
}

}  // namespace interlock::scan
