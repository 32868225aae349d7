#include "static/text_snippets.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "interlock/base/find_bytes.h"
#include "static/bigrams.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kMaxBlock = std::size_t{64} << 10;

// Searches in a block and its parts.
class Finder {
 public:
  explicit Finder(std::string_view block) { bigrams_.Read(block); }
  // First place of any of the words in `text`, a part of the block.
  [[nodiscard]] std::size_t FindAny(std::string_view text, std::initializer_list<std::string_view> words) const {
    std::size_t best = kNowhere;
    for (const std::string_view word : words) {
      if (bigrams_.MayHave(word)) best = std::min(best, base::FindBytes(text, word));
    }
    return best;
  }
  [[nodiscard]] std::size_t Find(std::string_view text, std::string_view word) const { return FindAny(text, {word}); }

 private:
  Bigrams bigrams_;
};

std::size_t LineEnd(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

std::string FirstHost(std::string_view text, std::size_t from) {
  std::size_t at = text.find("://", from);
  if (at == kNowhere) at = text.find("://");
  if (at == kNowhere) return {};
  while (at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z') --at;
  std::size_t end = at;
  while (end < text.size() && std::string_view(" \n\"'`)>,").find(text[end]) == kNowhere) ++end;
  return HostOf(text.substr(at, end - at));
}

// Behind the sign of a comment: nothing that is read.
bool InComment(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? kNowhere : text.rfind('\n', at - 1);
  const std::string_view line =
      text.substr(before == kNowhere ? 0 : before + 1, at - (before == kNowhere ? 0 : before + 1));
  const std::size_t hash = line.find("# ");
  const std::size_t slashes = line.find("// ");
  const auto apart = [&](std::size_t sign) {
    return sign == 0 || (sign != kNowhere && (line[sign - 1] == ' ' || line[sign - 1] == '\t'));
  };
  return apart(hash) || apart(slashes);
}

bool NamesSecret(const Finder& find, std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, std::min<std::size_t>(80, LineEnd(text, at) - at));
  return find.FindAny(near, {"key", "token", "secret", "password", "passwd", "credential"}) != kNowhere;
}

std::size_t FindSecret(const Finder& find, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = find.FindAny(text.substr(at), {"os.environ", "os.getenv(", "process.env."});
    if (next == kNowhere) return kNowhere;
    if (NamesSecret(find, text, at + next)) return at + next;
    at += next + 8;
  }
  return kNowhere;
}

// "ACME_API_KEY" goes to api.acme.example, whose key it is; so does every other secret of the block.
bool OwnKeys(const Finder& find, std::string_view text, std::string_view host) {
  constexpr std::size_t kShortest = 4;  // of a name that is nobody else's
  const std::size_t last = host.rfind('.');
  if (last == kNowhere || last == 0) return false;
  const std::size_t before = host.rfind('.', last - 1);
  const std::string_view name =
      host.substr(before == kNowhere ? 0 : before + 1, last - (before == kNowhere ? 0 : before + 1));
  if (name.size() < kShortest) return false;
  std::size_t seen = 0;
  for (std::size_t at = FindSecret(find, text); at != kNowhere; ++seen) {
    const std::string_view named = text.substr(at, std::min<std::size_t>(80, LineEnd(text, at) - at));
    if (named.find(name) == kNowhere) return false;
    const std::size_t rest = at + 8;
    const std::size_t next = FindSecret(find, text.substr(rest));
    at = next == kNowhere ? kNowhere : rest + next;
  }
  return seen > 0;
}

// What is decoded was left out: "...", "<payload>".
bool Elided(std::string_view call) {
  const std::size_t quote = call.find_first_of("\"'");
  if (quote == kNowhere) return false;
  const std::size_t close = call.find(call[quote], quote + 1);
  if (close == kNowhere || close == quote + 1) return false;
  const std::string_view given = call.substr(quote + 1, close - quote - 1);
  if (given.front() == '<' || given.front() == '[') return true;
  return std::ranges::none_of(given, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

// TOKEN=$(cat <token file>) && curl -H "Authorization: Bearer $TOKEN" -d '{...}': one signs in with what is read, and
// nothing else is read.
bool SignsIn(std::string_view line, std::size_t curl) {
  const std::string_view before = line.substr(0, curl);
  const std::size_t read = before.find("=$(cat ");
  if (read == kNowhere || before.find("cat ", read + 7) != kNowhere || before.find("echo ") != kNowhere ||
      before.find("env") != kNowhere || before.find("base64") != kNowhere) {
    return false;
  }
  const std::size_t from = before.find_last_of(" \t;&(", read) + 1;
  const std::string name(before.substr(from, read - from));
  const std::string_view rest = line.substr(curl);
  if (name.empty() || rest.find("$(") != kNowhere || rest.find('`') != kNowhere || rest.find('@') != kNowhere)
    return false;
  std::size_t used = 0;
  for (std::size_t at = rest.find('$'); at != kNowhere; at = rest.find('$', at + 1)) {
    std::string_view variable = rest.substr(at + 1);
    if (variable.starts_with('{')) variable.remove_prefix(1);
    if (!variable.starts_with(name)) return false;  // whatever that holds
    const std::string_view head = rest.substr(0, at);
    if (!head.ends_with("authorization: bearer ") && !head.ends_with("authorization: token ") &&
        !head.ends_with("x-api-key: ")) {
      return false;
    }
    ++used;
  }
  return used > 0;
}

// Lines of a shell, where it is their meeting on one line that tells.
void Commands(const Finder& find, std::string_view text, std::vector<SnippetHit>& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = LineEnd(text, at);
    const std::string_view line = text.substr(at, end - at);
    const auto hit = [&](std::string_view rule, double score, std::string host = {}) {
      out.push_back({rule, {at, end}, score, std::move(host)});
    };
    const std::size_t curl = find.Find(line, "curl ");
    if (curl != kNowhere &&
        find.FindAny(line, {"@-", "--data", " -d ", "-x post", "--upload-file", " -f "}) != kNowhere) {
      const std::string_view before = line.substr(0, curl);
      if (SignsIn(line, curl)) {
        at = end + 1;
        continue;
      }
      if (find.FindAny(before, {"echo ", "env |", "env|", "printenv", "cat "}) != kNowhere &&
          find.FindAny(before, {"| base64", "|base64", "credential", "secret", "password", "${env", "token", "_key"}) !=
              kNowhere) {
        hit("EX-101", 0.95, FirstHost(line, 0));
      }
    }
    const std::size_t shell =
        find.FindAny(line, {" -e /bin/", " -e bash", " -e sh", " -c /bin/", " --exec /bin/", " --sh-exec"});
    if (shell != kNowhere && find.FindAny(line, {"nc ", "ncat ", "netcat "}) < shell) hit("SH-003", 1.0);
    // The name space of a picture is an address, too.
    const bool address = find.Find(line, "ahr0c") != kNowhere && find.Find(line, "data:image/") == kNowhere;
    if (address && find.Find(line, "base64") != kNowhere) hit("OBFUSC-101", 0.7);
    const std::size_t remove = find.Find(line, "rm -rf ");
    if (remove != kNowhere && line.find("/var/log", remove) != kNowhere) hit("PI-017", 0.7);
    const std::size_t open =
        find.FindAny(line, {"chmod 777 ", "chmod -r 777 ", "chmod a+rwx ", "chmod -r a+rwx ", "chmod 0777 "});
    if (open != kNowhere && std::min(line.find('#'), line.size()) >= open) hit("PI-019", 1.0);
    at = end + 1;
  }
}

}  // namespace

void BlankPlaceholders(std::string* command) {
  constexpr std::size_t kLongest = 40;
  const auto named = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == ' ' || c == '.';
  };
  std::string& text = *command;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const char first = at + 1 < text.size() ? text[at + 1] : ' ';
    if (before == '<' || !named(first) || first == ' ' || first == '-' || first == '.') continue;
    const std::size_t end = text.find('>', at + 1);
    if (end == std::string::npos || end - at > kLongest || text[end - 1] == ' ') continue;
    if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     text.begin() + static_cast<std::ptrdiff_t>(end), named)) {
      continue;
    }
    for (std::size_t i = at; i <= end; ++i) {
      if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
            (text[i] >= '0' && text[i] <= '9')))
        text[i] = '_';
    }
  }
}

void JudgeSnippet(std::string_view text, std::string_view lang, std::vector<SnippetHit>& out) {
  if (text.size() < 10 || text.size() > kMaxBlock) return;
  if (lang == "json" || lang == "yaml" || lang == "toml" || lang == "diff" || lang == "mermaid" || lang == "html")
    return;

  const Finder find(text);
  const std::size_t send =
      find.FindAny(text, {"requests.post(", "requests.put(", "httpx.post(", "urlopen(", "axios.post(", "session.post(",
                          ".sendall(", "smtplib.", "requests.get(f\"http", "fetch(", "http.request(", "socket.send"});
  // The whole environment, or files of keys, and something that sends.
  const std::size_t whole =
      find.FindAny(text, {"dict(os.environ)", "os.environ.copy()", "os.environ.items()", "json.dumps(os.environ",
                          "json.stringify(process.env)", "data=os.environ", "json=os.environ", "...process.env",
                          "str(os.environ)", "dict(**os.environ)"});
  std::size_t files = send == kNowhere ? kNowhere : 0;
  while (files != kNowhere) {
    const std::size_t next = find.FindAny(
        text.substr(files), {".ssh/id_", ".aws/credentials", "/etc/shadow", ".git-credentials", ".netrc", "login data",
                             "/etc/passwd", ".gnupg", "wallet.dat", "keychain-db", ".kube/config"});
    files = next == kNowhere ? kNowhere : files + next;
    if (files == kNowhere || !InComment(text, files)) break;
    files = LineEnd(text, files);
  }
  if (send != kNowhere && (whole != kNowhere || files != kNowhere)) {
    const std::size_t source = std::min(whole, files);
    out.push_back({"EX-101",
                   {std::min(source, send), LineEnd(text, std::max(source == kNowhere ? send : source, send))},
                   1.0,
                   FirstHost(text, send)});
  } else if (send != kNowhere) {
    // One secret, put into what is sent rather than into a header or the address of the service it belongs to.
    const std::size_t body = find.FindAny(text, {"json=", "data=", "body:", "files=", "\"exif\"", ".sendall("});
    const bool header = find.FindAny(text, {"authorization", "bearer", "x-api-key", "auth=", "headers",
                                            "?key=", "&key=", "?api_key=", "?apikey="}) != kNowhere;
    const bool encoded = find.FindAny(text, {"b64encode(", "btoa(", ".hex()"}) != kNowhere;
    const std::size_t at = FindSecret(find, text);
    if (at != kNowhere && body != kNowhere && !header && !OwnKeys(find, text, FirstHost(text, send))) {
      out.push_back({"EX-101",
                     {std::min(at, send), LineEnd(text, std::max(at, send))},
                     encoded ? 0.9 : 0.55,
                     FirstHost(text, send)});
    }
  } else {
    // Secrets gathered in one place and written out, for no service.
    const std::size_t at = FindSecret(find, text);
    if (at != kNowhere && find.FindAny(text, {"secrets = {", "credentials = {", "creds = {"}) != kNowhere &&
        find.FindAny(text, {"json.dumps(", "json.stringify(", "b64encode("}) != kNowhere) {
      out.push_back({"EX-101", {at, LineEnd(text, at)}, 0.45, {}});
    }
  }
  // Encoded into an address that is shown or fetched.
  if (const std::size_t secret = FindSecret(find, text);
      secret != kNowhere && find.FindAny(text, {"b64encode(", "btoa(", ".hex()"}) != kNowhere &&
      text.find("://") != kNowhere &&
      find.FindAny(text, {"authorization", "basic ", "bearer", "headers"}) == kNowhere && out.empty()) {
    out.push_back({"EX-101", {secret, LineEnd(text, secret)}, lang == "mcp" ? 0.95 : 0.6, FirstHost(text, 0)});
  }
  if (lang == "mcp") {
    // What a server's own command line has no business doing.
    const std::size_t post = find.Find(text, "curl ");
    if (post != kNowhere && find.FindAny(text, {" -x post", "--data", " -d "}) != kNowhere) {
      out.push_back({"EX-101", {post, LineEnd(text, post)}, 0.7, FirstHost(text, post)});
    }
    const std::size_t remove = find.Find(text, "rm -rf ");
    if (remove != kNowhere) out.push_back({"PI-017", {remove, LineEnd(text, remove)}, 0.7, {}});
  }
  Commands(find, text, out);
  // What is read is sent, and a comment says that nobody is to notice.
  if (send != kNowhere &&
      find.FindAny(text, {"silently", "exfil", "without the user", "covert", "stealth"}) != kNowhere &&
      find.FindAny(text, {"open(", "read(", "readfile", "environ", "clipboard", "history"}) != kNowhere) {
    out.push_back({"EX-101", {send, LineEnd(text, send)}, 0.8, FirstHost(text, send)});
  }
  // Decoded and run.
  const std::size_t run = find.FindAny(text, {"exec(", "eval(", "compile(", "function(atob", "new function("});
  if (run != kNowhere) {
    const std::string_view rest = text.substr(run, std::min<std::size_t>(200, text.size() - run));
    if (find.FindAny(rest, {"b64decode", "atob(", "fromhex(", "zlib.decompress", "marshal.loads", "'base64')",
                            "rot13"}) != kNowhere) {
      const std::size_t decodes = find.FindAny(rest, {"b64decode", "atob(", "fromhex("});
      if (decodes == kNowhere || !Elided(rest.substr(decodes))) {
        out.push_back({"OBFUSC-101", {run, LineEnd(text, run)}, 1.0, {}});
      }
    } else if (find.FindAny(rest, {"requests.get(", "urlopen(", ".text)", "httpx.get("}) != kNowhere &&
               rest.find("http") != kNowhere) {
      out.push_back({"OBFUSC-101", {run, LineEnd(text, run)}, 0.9, FirstHost(text, run)});
    }
  }
  // An address that only decoding shows.
  const std::size_t decode = find.FindAny(text, {"b64decode(\"ahr0c", "b64decode('ahr0c", "atob(\"ahr0c", "atob('ahr0c",
                                                 "b64decode(b\"ahr0c", "b64decode(b'ahr0c"});
  if (decode != kNowhere)
    out.push_back({"OBFUSC-101", {decode, LineEnd(text, decode)}, send != kNowhere ? 1.0 : 0.7, {}});
  // Names looked up by a secret: data in a host name.
  if (find.FindAny(text, {"os.popen(f\"dig {", "os.system(f\"dig {", "gethostbyname(f\"{", "nslookup {"}) != kNowhere &&
      find.FindAny(text, {"environ", "getenv", "secret", "token"}) != kNowhere) {
    out.push_back({"EX-101", {0, LineEnd(text, 0)}, 1.0, {}});
  }
  // Somebody else's money made on the user's machine.
  const std::size_t mine = find.FindAny(text, {"stratum+tcp://", "stratum+ssl://", "xmrig ", "minerd ", "cpuminer"});
  if (mine != kNowhere) out.push_back({"EX-102", {mine, LineEnd(text, mine)}, 0.9, {}});
  // A shell for somebody else, in Python.
  const std::size_t dup = find.Find(text, "os.dup2(");
  if (dup != kNowhere && text.find("socket") != kNowhere)
    out.push_back({"OBFUSC-101", {dup, LineEnd(text, dup)}, 1.0, {}});
}

}  // namespace interlock::scan
