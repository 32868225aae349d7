#include "static/plain_flow.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "code/places.h"
#include "code/shell.h"
#include "code/vendors.h"
#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/classify.h"
#include "static/plain_deeds.h"
#include "static/plain_given.h"
#include "static/plain_peers.h"
#include "static/plain_statements.h"
#include "static/plain_words.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using plain_words::AnyOf;
using plain_words::Calls;
using plain_words::CallsItself;
using plain_words::InWord;
using std::string_view;

enum Carries : std::uint16_t {
  kNothing = 0,
  kSecret = 1,       // a file of keys, a password that was asked for
  kEnvironment = 2,  // all of it
  kFetched = 4,
  kAsked = 8,  // what a request brings, as it is
  kDecoded = 16,
  kKept = 32,     // history, settings of agents, the clipboard
  kPacked = 64,   // a long text of letters that say nothing
  kKeys = 128,    // credentials out of the environment: whose, is with them
  kFile = 256,    // a file that holds what was fetched
  kOrders = 512,  // what was fetched, and nothing of the program's own
  kGiven = 1024,  // what a tool is called with, and nobody has looked at
};

constexpr std::uint16_t kFleeting = kAsked | kDecoded | kGiven;  // of one function

class Flow {
 public:
  Flow(const FileContext& file, PlainLanguage language, FileResult& result)
      : file_(file), language_(language), result_(result) {}

  void Run() {
    bool complete = true;
    statements_ = ReadPlainStatements(file_.text(), language_, &complete);
    if (!complete) {
      result_.skipped.push_back({file_.file->path, core::SkipReason::kUnsupported, 0,
                                 "program in a language without a front end: only its beginning was read"});
    }
    FindHost();
    constexpr int kPasses = 3;  // a function hands on to one that stands before it, and that to a third
    for (int pass = 0; pass < kPasses; ++pass) {
      judges_ = pass + 1 == kPasses;
      function_.clear();
      for (const PlainStatement& one : statements_) Read(one);
    }
  }

 private:
  struct Value {
    std::uint16_t carries = kNothing;
    std::string what = {};  // the secret
    std::string from = {};  // where it was fetched
    code::Vendors vendors = {};
  };

  void FindHost() {
    for (const PlainStatement& one : statements_) {
      for (const PlainText& text : one.texts) {
        if (const std::string url = PlainFarUrl(text.text); !url.empty() && host_.empty()) host_ = url;
        if (Connects(one.code) && host_.empty()) host_ = PlainFarUrl("https://" + PlainBareHost(text.text) + "/");
      }
    }
  }

  // Net::HTTP.start("host", 443), fsockopen("ssl://host", 443), new Socket("host", 443)
  [[nodiscard]] static bool Connects(string_view code) {
    return Calls(code, {"net::http.start", "net::http.new", "tcpsocket", "sslsocket", "udpsocket", "fsockopen(",
                        "stream_socket_client(", "socket(", "tcpclient(", "socket_connect(", "inetsocketaddress("});
  }
  static void Merge(const Value& from, Value& to) {
    if (to.what.empty()) to.what = from.what;
    if (to.from.empty()) to.from = from.from;
    to.carries |= from.carries;
    to.vendors |= from.vendors;
  }

  // Files of keys by their names: "~/.ssh/id_rsa", ".ssh" beside "id_rsa".
  void Paths(const PlainStatement& one, Value& value) const {
    std::string joined;
    const auto look = [&](const std::string& path) {
      if (path.size() < 4 || path.size() > 300 || path.find("://") != std::string::npos ||
          path.find(' ') != std::string::npos) {
        return;
      }
      std::string plain = path;
      std::ranges::replace(plain, '\\', '/');
      if (plain.front() == kPlainHole || plain.front() == '/') plain.insert(0, "~");
      std::erase(plain, kPlainHole);
      if (!plain.starts_with('~') && !plain.starts_with('/')) plain.insert(0, "~/");
      const code::PathKind kind = code::KindOfPath(plain);
      const std::string lower = LowerCase(plain);
      const bool history = code::IsHistoryOfCommands(lower.substr(lower.rfind('/') + 1));
      if (kind == code::PathKind::kSecret || (kind == code::PathKind::kWeakSecret && PlainKeyStore(lower))) {
        value.carries |= kSecret;
        if (value.what.empty()) value.what = plain;
      } else if (history || AnyOf(lower, {"/.claude/projects", "/.claude.json", "claude_desktop_config.json"})) {
        value.carries |= kKept;
        if (value.what.empty()) value.what = plain;
      }
    };
    for (const PlainText& text : one.texts) {
      if (text.text.find('\n') != std::string::npos) continue;
      look(text.text);
      if (text.text.find(' ') != std::string::npos && text.text.size() < 300) {
        for (std::size_t at = 0; at < text.text.size();) {  // %w[.aws/credentials .netrc]
          const std::size_t end = std::min(text.text.find(' ', at), text.text.size());
          look(text.text.substr(at, end - at));
          at = end + 1;
        }
      }
      if (text.text.size() < 100 && joined.size() < 300) joined += (joined.empty() ? "~/" : "/") + text.text;
    }
    if (one.texts.size() > 1) look(joined);
    constexpr std::ptrdiff_t kSeveral = 2;  // one may be what is left out
    if (value.what.empty() && std::ranges::count_if(one.texts, [](const PlainText& text) {
                                return PlainMaskOfKeys(text.text);
                              }) >= kSeveral) {
      value.carries |= kSecret;
      value.what = "files of keys, by their names";
    }
  }

  // ENV["GITHUB_TOKEN"], getenv("GITHUB_TOKEN"), System.getenv("GITHUB_TOKEN")
  static void Variables(const PlainStatement& one, Value& value) {
    if (!Calls(one.code, {"env[", "env.fetch(", "getenv(", "$_env[", "$_server[", "getenvironmentvariable("})) return;
    for (const PlainText& text : one.texts) {
      constexpr std::size_t kLongestName = 64;
      if (text.text.size() > kLongestName || !code::IsSecretName(text.text)) continue;
      value.carries |= kKeys;
      value.vendors |= code::VendorOf(text.text);
    }
  }

  [[nodiscard]] bool Fetches(const PlainStatement& one) const {
    const string_view code = one.code;
    switch (language_) {
      case PlainLanguage::kRuby:
        return Calls(code,
                     {"uri.open", "net::http.get", "open-uri", "httparty.get", "restclient.get", "faraday.get"}) ||
               (Calls(code, {"open("}) && !PlainUrlIn(one).empty());
      case PlainLanguage::kPerl:
        return (Calls(code, {"get(", "get \""}) && !PlainUrlIn(one).empty()) ||
               Calls(code, {"->get(", "decoded_content"});
      case PlainLanguage::kPhp:
        return (Calls(code, {"file_get_contents(", "fopen(", "readfile("}) && !PlainUrlIn(one).empty()) ||
               Calls(code, {"curl_exec("});
      case PlainLanguage::kLua:
        return Calls(code, {"http.request(", "https.request("});
      case PlainLanguage::kJava:
        return Calls(code, {".openstream(", "bodyhandlers.", ".getinputstream(", "jsoup.connect", "readtext("}) &&
               (!host_.empty());
      case PlainLanguage::kCSharp:
        return Calls(code, {"getstringasync(", "getbytearrayasync(", "downloadstring(", "downloaddata("});
      case PlainLanguage::kSwift:
        return Calls(code, {"contentsof:"}) && !host_.empty();
      case PlainLanguage::kR:
        return (Calls(code, {"get(", "readlines(", "source(", "url("}) && !PlainUrlIn(one).empty());
      case PlainLanguage::kVisualBasic:
        return Calls(code, {".responsetext", ".responsebody"});
      case PlainLanguage::kDart:
        return Calls(code, {"http.get(", "http.read(", ".geturl("});
      case PlainLanguage::kElixir:
        return Calls(code, {"httpoison.get", "req.get!", "tesla.get", ":httpc.request(:get"});
      case PlainLanguage::kJulia:
        return Calls(code, {"http.get(", "download("}) && !host_.empty();
      default:
        return false;
    }
  }

  [[nodiscard]] bool Sends(const PlainStatement& one) const {
    const string_view code = one.code;
    switch (language_) {
      case PlainLanguage::kRuby:
        return Calls(code, {"net::http.post", "net::http.put", "post_form", "httparty.post", "httparty.put",
                            "restclient.post", "faraday.post", "typhoeus.post", ".request(", "http.post",
                            ".body =", ".set_form", "net::smtp", "socket.write", "socket.puts", "tcpsocket"}) ||
               WritesConnection(one);
      case PlainLanguage::kPerl:
        return Calls(code, {"->post(", "->put(", "->request(", "io::socket", "post \"\"", "->datasend("});
      case PlainLanguage::kPhp:
        return Calls(code, {"curlopt_postfields", "curlopt_infile", "curlopt_httpheader", "curlopt_useragent",
                            "curlopt_cookie", "fsockopen(", "fwrite(", "mail(", "fputs(", "->post(", "->put(",
                            "->withheaders(", "http::post(", "http::put(", "http::withheaders(", "socket_write("}) ||
               (Calls(code, {"stream_context_create("}) && AnyOf(code, {"http", "\"\""}));
      case PlainLanguage::kLua:
        return Calls(code, {"http.request", "https.request", ":send(", "ltn12.source"});
      case PlainLanguage::kJava:
        return Calls(code, {"bodypublishers.", "getoutputstream(", ".write(", "requestbody.create", "torequestbody(",
                            "setbody(", ".post(", "sendmessage(", "postforobject(", "postforentity(", ".exchange(",
                            ".header(", ".addheader(", ".setheader(", "setrequestproperty("});
      case PlainLanguage::kCSharp:
        return Calls(
            code, {"postasync(", "putasync(", "uploadstring", "uploadfile", "uploaddata", "uploadvalues", "sendasync(",
                   "stringcontent(", "postasjsonasync(", "bytearraycontent(", "streamcontent(", "requestheaders.add(",
                   "headers.add(", "headers.tryadd", "getstream().write", "getstream().writeasync"});
      case PlainLanguage::kSwift:
        return Calls(code, {"httpbody", "uploadtask(", ".upload(", "httpbodystream"});
      case PlainLanguage::kR:
        return Calls(code, {"post(", "put(", "req_body_", "curl_upload"});
      case PlainLanguage::kVisualBasic:
        return Calls(code, {".send "});
      case PlainLanguage::kDart:
        return Calls(code, {"http.post(", "http.put(", ".write(", ".add(", ".body =", "sink."});
      case PlainLanguage::kElixir:
        return Calls(code, {"httpoison.post", "httpoison.put", "req.post!", "req.put!", "tesla.post", "httpc.request",
                            "gen_tcp.send", "finch.build"});
      case PlainLanguage::kJulia:
        return Calls(code, {"http.post(", "http.put(", "http.request(", "write("});
      default:
        return false;
    }
  }

  // s = TCPSocket.new("host", 443); s.write(data)
  [[nodiscard]] bool WritesConnection(const PlainStatement& one) const {
    return std::ranges::any_of(connections_, [&](const std::string& name) {
      return Calls(one.code, {string_view(name + ".write"), string_view(name + ".puts"), string_view(name + ".print"),
                              string_view(name + " <<"), string_view(name + ".send")});
    });
  }

  // A text that is long and of no words, in the statement or by name.
  static bool IsPacked(string_view text) {
    constexpr std::size_t kShortest = 40;
    return text.size() >= kShortest && text.find(' ') == string_view::npos && text.find("://") == string_view::npos;
  }

  [[nodiscard]] bool Decodes(string_view code) const {
    return AnyOf(code, {"base64.decode64", "base64.strict_decode64", "unpack(", "unpack1(", "decode_base64(",
                        "base64_decode(", "gzinflate(", "gzuncompress(", "str_rot13(", "getdecoder(",
                        "frombase64string(", "base64encoded:", "zlib::inflate", "hex2bin(", "mime.unb64("});
  }

  // Of PHP: what a request brings.
  [[nodiscard]] bool Asked(string_view code) const {
    return language_ == PlainLanguage::kPhp &&
           !AnyOf(code, {"escapeshell", "in_array(", "intval(", "(int)", "array_key"}) &&
           AnyOf(code, {"$_get", "$_post", "$_request", "$_cookie", "php://input", "$_server[\"\"]", "getallheaders("});
  }

  void Raise(const PlainStatement& one, string_view rule, string_view message, double scale,
             const std::string& host = {}) {
    if (!judges_) return;
    const base::ByteSpan at{one.bytes.begin, std::min(one.bytes.end, one.bytes.begin + 400)};
    RawFinding& finding = AddFinding(result_.findings, file_, rule, at, base::Printable(message, 300), scale);
    finding.host = host;
  }

  // What was found last, a tool's caller brings about.
  void ReachedByTool() {
    if (file_.reach > core::Reach::kRuntime || result_.findings.empty()) return;
    result_.findings.back().has_reach = true;
    result_.findings.back().reach = core::Reach::kTool;
  }

  // The name that the statement gives a value to; "" for none.
  [[nodiscard]] std::string Target(const PlainStatement& one) const {
    const string_view code = one.code;
    if (language_ == PlainLanguage::kAppleScript) {
      if (!code.starts_with("set ") || code.find(" to ") == string_view::npos || one.names.size() < 2) return {};
      return LowerCase(one.names[1]);
    }
    std::size_t at = string_view::npos;
    if (language_ == PlainLanguage::kR) at = code.find("<-");
    for (std::size_t i = 0; at == string_view::npos && i < code.size(); ++i) {
      if (code[i] == '(' && !code.starts_with("foreach") && !code.starts_with("for") && !code.starts_with("while") &&
          !code.starts_with("if") && !code.starts_with("open(")) {
        return {};
      }
      if (code[i] != '=') continue;
      const char before = i > 0 ? code[i - 1] : ' ';
      const char after = i + 1 < code.size() ? code[i + 1] : ' ';
      if (string_view("=!<>~").find(before) != string_view::npos || after == '=' || after == '~' || after == '>') {
        ++i;
        continue;
      }
      at = i;
    }
    if (at == string_view::npos) return {};
    string_view left = code.substr(0, at);
    while (!left.empty() && string_view(" .+|&:?").find(left.back()) != string_view::npos) left.remove_suffix(1);
    if (left.ends_with(']')) left = left.substr(0, left.find('['));  // all["key"] = x
    std::size_t from = left.size();
    while (from > 0 && (IsLetter(left[from - 1]) || IsDigit(left[from - 1]) || left[from - 1] == '_')) --from;
    const string_view name = left.substr(from);
    // request.body = x: what is put into a thing, it holds.
    if (from > 1 && (left[from - 1] == '.' || left[from - 1] == '>')) {
      std::size_t end = from - 1;
      while (end > 0 && (left[end - 1] == '-' || left[end - 1] == '.')) --end;
      std::size_t begin = end;
      while (begin > 0 && (IsLetter(left[begin - 1]) || IsDigit(left[begin - 1]) || left[begin - 1] == '_')) --begin;
      return std::string(left.substr(begin, end - begin));
    }
    return std::string(name);
  }

  // def send(data), function send($data), func send(_ data: Data), sub send: its name and parameters.
  bool Defines(const PlainStatement& one) {
    const string_view code = one.code;
    const bool word = Calls(code, {"def ", "function ", "func ", "sub ", "fun ", "on ", "to "});
    // static string Collect() => File.ReadAllText(path): an answer, and no body.
    const std::size_t arrow = code.find("=>");
    const bool typed = (language_ == PlainLanguage::kJava || language_ == PlainLanguage::kCSharp) &&
                       (code.ends_with('{') || code.ends_with(')') || arrow != string_view::npos) &&
                       AnyOf(code, {"static ", "public ", "private ", "void ", "async "}) &&
                       code.substr(0, arrow).find('(') != string_view::npos &&
                       code.substr(0, arrow).find('=') == string_view::npos;
    if (!word && !typed) return false;
    if (language_ == PlainLanguage::kAppleScript && !code.starts_with("on ") && !code.starts_with("to ")) return false;
    const std::size_t open = code.find('(');
    std::size_t end = open == string_view::npos ? code.find_last_not_of(" {") + 1 : open;
    while (end > 0 && code[end - 1] == ' ') --end;
    std::size_t from = end;
    while (from > 0 && (IsLetter(code[from - 1]) || IsDigit(code[from - 1]) || code[from - 1] == '_')) --from;
    function_ = std::string(code.substr(from, end - from));
    params_[function_] = open == string_view::npos ? std::vector<std::string>() : PlainParams(code.substr(open));
    return true;
  }

  void Give(const std::string& name, const Value& value) {
    constexpr std::size_t kMostHeld = 4'096;
    if (name.size() < 1 || value.carries == kNothing || held_.size() > kMostHeld) return;
    Merge(value, held_[name]);
    if ((value.carries & kFleeting) != 0) fleeting_.push_back(name);
  }

  // Parameters that some call gives what its tool was called with, and those of a tool.
  void GiveParams(bool tool) {
    const Value given{.carries = kGiven};
    const std::unordered_set<std::string>& known = given_[function_];
    for (const std::string& param : params_[function_]) {
      if (tool || known.contains(param)) Give(param, given);
    }
  }

  // if (!preg_match(..., $file)) throw ...: of what was given, the names that are looked at.
  void TakeChecks(const PlainStatement& one) {
    if (!PlainChecks(one.code)) return;
    for (const std::string& name : one.names) {
      const auto held = held_.find(LowerCase(name));
      if (held != held_.end()) held->second.carries &= static_cast<std::uint16_t>(~kGiven);
    }
  }

  void Read(const PlainStatement& one) {
    constexpr std::size_t kPlainAsk = 60;  // bytes of code
    if (Defines(one)) {
      // Another function's `$c` is another.
      for (const std::string& name : fleeting_) held_[name].carries &= static_cast<std::uint16_t>(~kFleeting);
      fleeting_.clear();
      GiveParams(std::exchange(tool_, false) || PlainOpensTool(language_, one.code));
      // def key = File.read(path); string Key() => File.ReadAllText(path)
      const std::size_t answer = std::min(one.code.find("=>"), one.code.find(") = "));
      if (answer == std::string::npos) return;
      opened_.clear();
    }
    const string_view code = one.code;
    tool_ = tool_ || PlainOpensTool(language_, code);
    TakeChecks(one);
    Value value;
    bool calls_own = false;
    for (const std::string& name : one.names) {
      const auto held = held_.find(LowerCase(name));
      if (held != held_.end()) Merge(held->second, value);
      calls_own = calls_own || params_.contains(LowerCase(name));
    }
    Value own;
    Paths(one, own);
    if (AnyOf(code, {"exist", "file?", "is_file", "isfile", "stat(", "mkdir", "chmod"}) &&
        !AnyOf(code, {"read", "contents", "slurp"}) && Target(one).empty()) {
      own = {};  // whether it is there
    }
    if (PlainTakesEnvironment(language_, code)) own.carries |= kEnvironment;
    Variables(one, own);
    if (language_ == PlainLanguage::kAppleScript && Calls(code, {"with hidden answer", "hidden answer true"})) {
      own.carries |= kSecret;
      own.what = "a password that a dialog asks for";
    }
    if (AnyOf(code, {"the clipboard", "systemclipboard", "nspasteboard.general", "clipboard.gettext"})) {
      own.carries |= kKept;
      if (own.what.empty()) own.what = "the clipboard";
    }
    if (Asked(code)) own.carries |= kAsked;
    if (PlainTakesCall(one)) own.carries |= kGiven;
    if (Fetches(one)) {
      own.carries |= kFetched | kOrders;
      own.from = PlainUrlIn(one).empty() ? host_ : PlainUrlIn(one);
    }
    Merge(own, value);
    if (std::ranges::any_of(one.texts, [](const PlainText& text) { return IsPacked(text.text); }))
      value.carries |= kPacked;
    if (Decodes(code) && (value.carries & kPacked) != 0) value.carries |= kDecoded;
    if (PlainEscapes(one)) value.carries &= static_cast<std::uint16_t>(~kGiven);
    TakeFiles(one, &value);
    JudgeRun(one, value);
    JudgeFiles(one, value);
    JudgeSend(one, value);
    JudgeEvaluated(one, value);
    // $c = $_POST["c"]: as it is; what is made of it further on may be checked.
    const bool plain = one.code.size() <= kPlainAsk && !Target(one).empty();
    if (!plain || (own.carries & kAsked) == 0) value.carries &= static_cast<std::uint16_t>(~kAsked);
    if (!plain || !Decodes(code)) value.carries &= static_cast<std::uint16_t>(~kDecoded);
    // t = JSON.parse(answer)["run"]: still what the other end says; "convert " + answer is the program's own.
    if (SaysOwn(one)) value.carries &= static_cast<std::uint16_t>(~kOrders);
    const Value handed = value;  // to functions of the program
    // string[] masks = { "...", "..." }: braces part the list from its name.
    std::string target = Target(one);
    if (target.empty() && !one.texts.empty() && one.code.find_first_not_of("\", }") == std::string::npos)
      target = list_;
    list_ = code.ends_with("= {") || code.ends_with("=") || code.ends_with("[] {") ? target : std::string();
    if (!PlainOnlyJoins(code) && (own.carries & kGiven) == 0) value.carries &= static_cast<std::uint16_t>(~kGiven);
    // Where it goes on to.
    Give(target, value);
    if (code.starts_with("for") || code.starts_with("while") || code.find("|") != string_view::npos ||
        Calls(code, {"open("})) {
      for (const std::string& name : one.names) Loop(one, LowerCase(name), value);
    }
    if (Calls(code, {".append(", ".push(", ".add(", ".put(", "<<", ".concat(", ".insert(", "table.insert("}) &&
        !one.names.empty()) {
      Give(LowerCase(one.names[0]), value);
    }
    // Where the last thing said is the answer, any may be the last.
    const bool last = language_ == PlainLanguage::kRuby || language_ == PlainLanguage::kElixir ||
                      language_ == PlainLanguage::kJulia || language_ == PlainLanguage::kR ||
                      code.find("=>") != string_view::npos;
    // File.write(path, answer.body): what is read from there later.
    if ((own.carries & kFetched) != 0 || (value.carries & kFetched) != 0) {
      if (Calls(code, {"file.write(", "io.write(", "file_put_contents(", "files.write(", "files.writestring("})) {
        Value kept = value;
        kept.carries &= kFetched;
        for (const std::string& name : one.names) {
          if (name.size() >= 4 && name.front() >= 'a' && name.front() <= 'z' && !held_.contains(LowerCase(name)) &&
              name != "write")
            Give(LowerCase(name), kept);
        }
      }
    }
    if (!function_.empty() && (last || Calls(code, {"return "}))) Give(function_, value);
    // reader = new StreamReader(client.GetStream()): it reads what the connection says.
    const bool connects = Connects(code) || (AnyOf(code, {"streamreader(", "inputstream", "new scanner("}) &&
                                             std::ranges::any_of(one.names, [&](const std::string& name) {
                                               return connections_.contains(LowerCase(name));
                                             }));
    if (const std::string connection = connects ? LowerCase(Target(one)) : std::string(); !connection.empty())
      connections_.insert(connection);
    if (calls_own && handed.carries != kNothing) {
      for (const std::string& name : one.names) {
        const auto found = params_.find(LowerCase(name));
        if (found == params_.end()) continue;
        for (const std::string& param : found->second) Give(param, value);
        if ((handed.carries & kGiven) != 0) given_[found->first].insert(found->second.begin(), found->second.end());
      }
    }
  }

  // Names that a loop or `open` fills: not those that carry by themselves.
  void Loop(const PlainStatement& one, const std::string& name, const Value& value) {
    static constexpr std::array<string_view, 16> kWords = {"for",  "foreach", "in",  "each",  "do",     "my",
                                                           "open", "while",   "as",  "pairs", "ipairs", "end",
                                                           "file", "map",     "let", "var"};
    if (std::ranges::find(kWords, name) != kWords.end() || held_.contains(name)) return;
    // |f|, as $f, for f in: what stands by itself, and is called nowhere here.
    const std::size_t at = one.code.find(name);
    const std::size_t end = at == std::string::npos ? at : at + name.size();
    const bool called = end < one.code.size() && (one.code[end] == '(' || one.code[end] == '.' || one.code[end] == ':');
    if (!called) Give(name, value);
  }

  // Files that hold what was fetched, by the paths that stand in the code; and what another machine says on a line.
  void TakeFiles(const PlainStatement& one, Value* value) {
    const std::string path = PlainPath(one);
    const bool writes = WritesFile(one.code) || (Calls(one.code, {"copy("}) && !PlainUrlIn(one).empty());
    if (writes && (value->carries & kFetched) != 0) {
      Value file;
      file.carries = kFile;
      file.from = value->from.empty() ? host_ : value->from;
      if (!path.empty()) files_[path] = file;
      for (const std::string& name : one.names) {
        const std::string lower = LowerCase(name);
        if (lower.size() >= 2 && name[0] >= 'a' && name[0] <= 'z' && !held_.contains(lower) &&
            one.code.find(lower + "(") == std::string::npos && one.code.find("." + lower) == std::string::npos)
          Give(lower, file);
      }
      value->carries |= kFile;
    } else if (!path.empty()) {
      if (const auto file = files_.find(path); file != files_.end()) Merge(file->second, *value);
    }
    const bool hears = std::ranges::any_of(connections_, [&](const std::string& name) {
      return Calls(one.code, {string_view(name + ".gets"), string_view(name + ".readline")}) ||
             one.code.find("fgets($" + name) != string_view::npos ||
             one.code.find("fgets(" + name) != string_view::npos;
    });
    if (!hears) return;
    value->carries |= kAsked;
    for (const std::string& name : one.names) {
      if (!connections_.contains(LowerCase(name)) && name.size() < 16) Give(LowerCase(name), *value);
    }
  }

  // As the shell's line that does the same.
  void JudgeLine(const PlainStatement& one, const std::string& line) {
    constexpr std::size_t kLongestLine = 8'000;
    if (!judges_ || line.size() > kLongestLine) return;
    const code::ShellScript script = code::ParseShell(line);
    ShellContext context;
    context.file = file_.index;
    context.whole = {one.bytes.begin, std::min(one.bytes.end, one.bytes.begin + 400)};
    context.place = ShellPlace::kCodeString;
    JudgeShell(code::AnalyzeShellScript(script, line), context, result_.findings, nullptr);
  }

  void JudgeFiles(const PlainStatement& one, const Value& value) {
    const string_view code = one.code;
    const std::string path = PlainPath(one);
    if (WritesFile(code) && !path.empty()) JudgeLine(one, WriteLine(path, ContentOf(one)));
    if (WritesOn(code) && !opened_.empty() && !one.texts.empty()) JudgeLine(one, WriteLine(opened_, ContentOf(one)));
    if (OpensToWrite(one)) opened_ = path;
    if (RemovesAll(code) && (path == "~" || path.starts_with("~/") || path == "/")) JudgeLine(one, "rm -rf " + path);
    if (SetsRegistry(code)) {
      std::string line = "reg add";
      for (const PlainText& text : one.texts) line += " " + code::ShellQuoted(text.text);
      JudgeLine(one, line);
    }
    if (!judges_) return;
    const std::string host = HostOf(value.from.empty() ? PlainUrlIn(one) : value.from);
    if (UnpacksObjects(code) && (value.carries & kFetched) != 0) {
      Raise(one, "VULN-006", fmt::format("unpacks objects that {} sends", host.empty() ? "a host" : host),
            value.from.starts_with("http://") ? 1.4 : 1.0);  // whoever is on the way sends them as well
      if (!result_.findings.empty()) result_.findings.back().severity = core::Severity::kHigh;
    }
    if (UnpacksObjects(code) && (value.carries & kGiven) != 0) {
      Raise(one, "VULN-006", "unpacks objects that a caller sends", 1.0);
      ReachedByTool();
      if (!result_.findings.empty()) result_.findings.back().severity = core::Severity::kHigh;
    }
    if (judges_ && JoinsMember(code) && UnpacksUnasked(file_.text(), one.bytes.begin)) {
      Raise(one, "VULN-003", "writes members of an archive to where their names say", 1.6);
      if (!result_.findings.empty()) result_.findings.back().severity = core::Severity::kHigh;
    }
    if (ReadsEntities(code, file_.text())) {
      Raise(one, "VULN-011", "reads XML together with what its entities name", 1.0);
      if (file_.text().find("McpServerTool") != string_view::npos) ReachedByTool();
      if (!result_.findings.empty()) result_.findings.back().severity = core::Severity::kHigh;
    }
    if (LoadsClasses(code) && !PlainUrlIn(one).empty())
      Raise(one, "RCE-001", fmt::format("loads classes from {}", HostOf(PlainUrlIn(one))), 1.0,
            HostOf(PlainUrlIn(one)));
    if (Calls(code, {"lookup("}) && std::ranges::any_of(one.texts, [](const PlainText& text) {
          return text.text.starts_with("ldap://") || text.text.starts_with("rmi://");
        })) {
      Raise(one, "RCE-001", "loads an object that another machine names", 1.0);
    }
    const bool shell = std::ranges::any_of(one.texts, [](const PlainText& text) {
      return text.text == "/bin/sh" || text.text == "/bin/bash" || text.text == "cmd.exe" ||
             text.text.find("<&3") != std::string::npos;
    });
    if (shell && !connections_.empty() && PlainRuns(language_, code))
      Raise(one, "RCE-002", "gives a shell's input or output to a connection", 1.0, HostOf(host_));
  }

  void JudgeSend(const PlainStatement& one, const Value& value) {
    constexpr std::uint16_t kPrivate = kSecret | kEnvironment | kKept | kKeys;
    if (!judges_ || (value.carries & kPrivate) == 0) return;
    std::string url = PlainUrlIn(one);
    bool sends = Sends(one) || EndsOpen(one);
    // An address that is asked with it.
    if (!sends && (value.carries & kFetched) != 0 && Fetches(one)) {
      sends = std::ranges::any_of(one.texts, [](const PlainText& text) {
        return text.text.find("://") != std::string::npos && text.text.find(kPlainHole) != std::string::npos;
      });
    }
    if (!sends) return;
    if (url.empty()) url = host_;
    const std::string host = HostOf(url);
    if (host.empty() || code::IsKnownService(host)) return;
    Told(one, value, host);
  }

  // get("https://host/in?d=" + data)
  static bool EndsOpen(const PlainStatement& one) {
    const bool joins = AnyOf(one.code, {"\"\" +", "\"\" .", "\"\" <>", "\"\"+", "\"\"."});
    return joins && std::ranges::any_of(one.texts, [](const PlainText& text) {
             return text.text.find("://") != std::string::npos && !text.text.empty() &&
                    string_view("=?/&").find(text.text.back()) != string_view::npos;
           });
  }

  void Told(const PlainStatement& one, const Value& value, const std::string& host) {
    if ((value.carries & kSecret) != 0) {
      Raise(one, "EXFIL-001", fmt::format("sends {} to {}", value.what, host), 1.0, host);
    } else if ((value.carries & kEnvironment) != 0) {
      Raise(one, "EXFIL-002", fmt::format("sends the whole environment to {}", host), 1.0, host);
    } else if ((value.carries & kKept) != 0) {
      Raise(one, "EXFIL-004", fmt::format("sends {} to {}", value.what, host), 0.8, host);
    } else if (value.vendors.count() >= 2 && !code::HostOfVendors(host, value.vendors)) {
      Raise(one, "EXFIL-003", fmt::format("sends credentials of several services to {}", host), 0.9, host);
    } else if (value.vendors.count() == 1 && !code::HostOfVendors(host, value.vendors) &&
               KindOfHost(host) != HostKind::kLocal) {
      Raise(one, "EXFIL-003", fmt::format("shows a service's credential to another's host, {}", host), 0.7, host);
    }
  }

  // Words of its own, beside an address, a key or the name of a shell.
  static bool SaysOwn(const PlainStatement& one) {
    constexpr std::size_t kLongestKey = 20;
    return std::ranges::any_of(one.texts, [](const PlainText& text) {
      const string_view said = text.text;
      const bool shell = said.starts_with("/c") || said.starts_with("-c") || said.ends_with("sh") ||
                         said.ends_with("cmd.exe") || said.starts_with("-Command");
      return said.find("://") == string_view::npos && !shell &&
             (said.size() > kLongestKey || said.find_first_of(" %") != string_view::npos);
    });
  }

  // ProcessBuilder("dot", "-Tsvg", file): a program of the machine is given what was fetched, and runs none of it.
  static bool ReadsWithOwn(const PlainStatement& one) {
    static constexpr auto kStarters = std::to_array<string_view>(
        {"sh",        "bash",     "zsh",      "cmd",     "powershell", "pwsh",  "python",    "python3", "node", "perl",
         "ruby",      "php",      "java",     "chmod",   "sudo",       "nohup", "start",     "open",    "env",  "exec",
         "osascript", "rundll32", "regsvr32", "msiexec", "dpkg",       "rpm",   "installer", "setsid",  "wine", "mono",
         "dotnet",    "pip",      "npm",      "gem",     "make",       "r",     "w"});
    const auto first =
        std::ranges::find_if(one.texts, [](const PlainText& text) { return !text.text.empty() && !text.runs; });
    if (first == one.texts.end() || first->text.size() < 2) return false;
    return std::ranges::all_of(first->text, [](char c) { return InWord(c) || c == '-'; }) &&
           std::ranges::find(kStarters, string_view(first->text)) == kStarters.end();
  }

  void JudgeRun(const PlainStatement& one, Value& value) {
    const bool runs = PlainRuns(language_, one.code);
    const bool ticks = std::ranges::any_of(one.texts, [](const PlainText& text) { return text.runs; });
    if (!runs && !ticks) return;
    if (judges_ && (value.carries & kGiven) != 0 && PlainFillsShell(language_, one)) {
      Raise(one, "VULN-001", "puts an argument into a shell command", 1.0);
      ReachedByTool();
    }
    if (judges_ && (value.carries & kAsked) != 0) Raise(one, "RCE-003", "runs whatever command a request brings", 0.9);
    if (judges_ && (value.carries & kFile) != 0 && !WritesFile(one.code) && !ReadsWithOwn(one)) {
      Raise(one, "RCE-001", fmt::format("runs a program that it fetches from {}", HostOf(value.from)), 0.8,
            HostOf(value.from));
    }
    // system(answer), ProcessBuilder("sh", "-c", answer); system("convert", answer) runs a program of its own.
    const bool own_program = std::ranges::any_of(one.texts, [](const PlainText& text) {
      const string_view said = text.text;
      static constexpr auto kShells = std::to_array<string_view>(
          {"sh", "bash", "/bin/sh", "/bin/bash", "-c", "/c", "/c ", "cmd", "cmd.exe", "-Command ", "r"});
      return !said.empty() && said.find("://") == string_view::npos &&
             std::ranges::find(kShells, said) == kShells.end();
    });
    if (judges_ && runs && (value.carries & (kOrders | kAsked)) == kOrders && !own_program) {
      Raise(one, "RCE-001", fmt::format("runs as commands what it fetches from {}", HostOf(value.from)), 0.9,
            HostOf(value.from));
    }
    std::string line;
    for (const PlainText& text : one.texts) {
      if (!runs && !text.runs) continue;
      if (line == "shell") line.clear();  // provision "shell", inline: "..."
      if (!line.empty()) line += ' ';
      if (line.empty() && text.text == "-c") line = "sh ";
      // ["sh", "-c", "curl ... | sh"]
      if (line.ends_with("-c ") && text.text.find(' ') != std::string::npos) {
        line += code::ShellQuoted(text.text);
      } else {
        line += text.text;
      }
    }
    if (line.size() < 4 || line.size() > 8'000) return;
    // Process.Start("powershell", "-c iex (iwr ...)")
    for (const string_view program : {"powershell ", "pwsh ", "powershell.exe "}) {
      const std::size_t given = line.starts_with(program) ? line.find("-c") : std::string::npos;
      const std::size_t blank = given == std::string::npos ? given : line.find(' ', given);
      if (blank == std::string::npos) continue;
      line = "powershell -Command " + code::ShellQuoted(string_view(line).substr(blank + 1));
      break;
    }
    const code::ShellScript script = code::ParseShell(line);
    const std::vector<code::ShellUse> acts = code::AnalyzeShellScript(script, line);
    for (const code::ShellUse& act : acts) {
      if (act.act == code::ShellAct::kReadSecret) {
        value.carries |= kSecret;
        if (value.what.empty()) value.what = act.detail;
      }
      if (act.act == code::ShellAct::kReadEnvironment) value.carries |= kEnvironment;
    }
    if (code::PrintsSecret(line)) {
      value.carries |= kSecret;
      if (value.what.empty()) value.what = "what a store of credentials holds";
    }
    if (!judges_) return;
    ShellContext context;
    context.file = file_.index;
    context.whole = {one.bytes.begin, std::min(one.bytes.end, one.bytes.begin + 400)};
    context.place = ShellPlace::kCodeString;
    JudgeShell(acts, context, result_.findings, nullptr);
    // curl -d with what is put into the text.
    const std::string url = PlainFarUrl(line);
    const bool uploads = AnyOf(line, {"curl", "wget", "nc ", "ncat"}) &&
                         AnyOf(line, {" -d", " --data", " -F", " -T", " --form", " --post", " --upload", "?"});
    if (url.empty() || !uploads || code::IsKnownService(HostOf(url))) return;
    Told(one, value, HostOf(url));
  }

  void JudgeEvaluated(const PlainStatement& one, const Value& value) {
    // assert(is_string($x)) only tests.
    if (!judges_ || !PlainEvaluates(language_, one.code) || one.code.find("assert(is_") != string_view::npos) return;
    if ((value.carries & kAsked) != 0) {
      Raise(one, "RCE-003", "runs as code what a request brings", 1.0);
    } else if ((value.carries & (kFetched | kFile)) != 0) {
      Raise(one, "RCE-001", fmt::format("runs code that it fetches from {}", HostOf(value.from)), 1.0,
            HostOf(value.from));
    } else if ((value.carries & kDecoded) != 0) {
      Raise(one, "OBFUSC-001", "runs code that it has decoded", 1.0);
    }
  }

  const FileContext& file_;
  PlainLanguage language_;
  FileResult& result_;
  std::vector<PlainStatement> statements_;
  std::string host_;  // the first address of somebody else's in the file
  std::unordered_map<std::string, Value> held_;
  std::unordered_set<std::string> connections_;                       // names
  std::unordered_map<std::string, Value> files_;                      // by path: what was written there
  std::string opened_;                                                // the path that was opened to be written last
  std::vector<std::string> fleeting_;                                 // names of what goes no farther than its function
  std::unordered_map<std::string, std::vector<std::string>> params_;  // by function
  std::string function_;  // whose body is being read, as far as that can be told
  std::unordered_map<std::string, std::unordered_set<std::string>> given_;  // parameters, by function
  std::string list_;                                                        // whose elements come next
  bool tool_ = false;                                                       // the next function is a tool
  bool judges_ = false;
};

}  // namespace

void JudgePlainProgram(const FileContext& file, FileResult& result) {
  if (file.type != FileType::kOtherSource) return;
  const PlainLanguage language = PlainLanguageOf(file.file->path);
  if (language == PlainLanguage::kNone) return;
  Flow(file, language, result).Run();
  JudgePlainPeers(file, language, result);
}

}  // namespace interlock::scan
