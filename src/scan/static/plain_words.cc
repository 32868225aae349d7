#include "static/plain_words.h"

#include "static/shell_judge.h"

namespace interlock::scan {

using plain_words::AnyOf;
using plain_words::Calls;
using plain_words::CallsItself;
using plain_words::InWord;
using std::string_view;

bool PlainTakesEnvironment(PlainLanguage language, std::string_view code) {
  switch (language) {
    case PlainLanguage::kRuby:
      return Calls(code, {"env.to_h", "env.to_a", "env.inspect", "env.map", "env.each", "env.to_hash", "env.select"});
    case PlainLanguage::kPerl:
      return AnyOf(code, {"%env", "keys % env", "\\%env"});
    case PlainLanguage::kPhp:
      return AnyOf(code, {"getenv()", "print_r($_env", "($_env)", "$_env +", "$_env)", "$_env;"});
    case PlainLanguage::kJava:
      return AnyOf(code, {"system.getenv()", "sys.env.map", "sys.env.tolist"});
    case PlainLanguage::kCSharp:
      return AnyOf(code, {"environment.getenvironmentvariables()"});
    case PlainLanguage::kSwift:
      return code.find("processinfo.processinfo.environment") != string_view::npos &&
             code.find("environment[") == string_view::npos;
    case PlainLanguage::kR:
      return AnyOf(code, {"sys.getenv()"});
    case PlainLanguage::kElixir:
      return AnyOf(code, {"system.get_env()"});
    case PlainLanguage::kDart:
      return code.find("platform.environment") != string_view::npos &&
             code.find("platform.environment[") == string_view::npos;
    default:
      return false;
  }
}

bool PlainRuns(PlainLanguage language, std::string_view code) {
  switch (language) {
    case PlainLanguage::kRuby:
      return CallsItself(code, {"system(", "system \"", "exec(", "exec \"", "spawn(", "io.popen", "open3.", "%x", "sh(",
                                "sh \"", "inline:"}) ||
             Calls(code, {"prepare_command"});
    case PlainLanguage::kPerl:
      return CallsItself(code, {"system(", "system \"", "exec(", "exec \"", "qx", "open("});
    case PlainLanguage::kPhp:
      return CallsItself(code, {"shell_exec(", "exec(", "system(", "passthru(", "popen(", "proc_open("});
    case PlainLanguage::kLua:
      return CallsItself(code, {"os.execute(", "io.popen("});
    case PlainLanguage::kAppleScript:
      return Calls(code, {"do shell script"});
    case PlainLanguage::kJava:
      return Calls(code, {".exec(", "processbuilder(", "processbuilder \"", ".execute()", "commandline", ").!"});
    case PlainLanguage::kCSharp:
      return Calls(code, {"process.start(", "processstartinfo(", "arguments ="});
    case PlainLanguage::kSwift:
      return Calls(code, {".arguments", "launchedprocess(", "process.run("});
    case PlainLanguage::kR:
      return CallsItself(code, {"system(", "system2(", "shell("});
    case PlainLanguage::kVisualBasic:
      return Calls(code, {".run ", ".run(", ".exec(", ".exec ", "shellexecute"});
    case PlainLanguage::kDart:
      return Calls(code, {"process.run", "process.start"});
    case PlainLanguage::kElixir:
      return Calls(code, {"system.cmd", "system.shell", ":os.cmd"});
    case PlainLanguage::kJulia:
      return Calls(code, {"run("});
    default:
      return false;
  }
}

bool PlainEvaluates(PlainLanguage language, std::string_view code) {
  switch (language) {
    case PlainLanguage::kRuby:
      return CallsItself(code, {"eval(", "eval ", "erb.new(", "load(", "load \"", "load ", "instance_eval",
                                "class_eval", "module_eval", "rubyvm::instructionsequence"});
    case PlainLanguage::kPerl:
      return CallsItself(code, {"eval(", "eval $", "eval get", "eval \"", "eval decode", "eval unpack"});
    case PlainLanguage::kPhp:
      return CallsItself(code, {"eval(", "assert(", "create_function(", "include ", "include(", "include_once",
                                "require ", "require(", "require_once"});
    case PlainLanguage::kLua:
      return CallsItself(code, {"loadstring(", "load("});
    case PlainLanguage::kJava:
      return Calls(code, {"groovyshell", "scriptengine", ".eval(", "defineclass("});
    case PlainLanguage::kCSharp:
      return Calls(code, {"assembly.load(", "csharpscript.", "evaluateasync("});
    case PlainLanguage::kAppleScript:
      return Calls(code, {"run script"});
    case PlainLanguage::kR:
      return CallsItself(code, {"eval(", "source("});
    case PlainLanguage::kVisualBasic:
      return CallsItself(code, {"execute ", "execute(", "executeglobal", "eval("});
    case PlainLanguage::kElixir:
      return Calls(code, {"code.eval_string", "code.compile_string"});
    case PlainLanguage::kJulia:
      return Calls(code, {"include_string(", "eval("});
    default:
      return false;
  }
}

// "ssl://host:443": the host of it; "" for what is none.
std::string PlainBareHost(string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme != string_view::npos) text.remove_prefix(scheme + 3);
  text = text.substr(0, text.find(':'));
  const bool name = text.size() > 3 && text.find('.') != string_view::npos &&
                    std::ranges::all_of(text, [](char c) { return InWord(c) || c == '.' || c == '-'; });
  return name ? std::string(text) : std::string();
}

// An address of somebody else's, where it is known.
std::string PlainFarUrl(string_view text) {
  const std::size_t at = std::min(text.find("http://"), text.find("https://"));
  if (at == string_view::npos) return {};
  const std::size_t end = std::min(text.find_first_of(" '\"\n\t`", at), text.size());
  std::string url(text.substr(at, end - at));
  const std::string host = HostOf(url);
  if (host.empty() || host.find(kPlainHole) != std::string::npos || host.find('.') == std::string::npos) return {};
  return KindOfHost(url) == HostKind::kLocal ? std::string() : url;
}

std::string PlainUrlIn(const PlainStatement& one) {
  for (const PlainText& text : one.texts) {
    if (std::string url = PlainFarUrl(text.text); !url.empty()) return url;
  }
  return {};
}

// {".env*", "*.pem", "id_*"}
bool PlainMaskOfKeys(string_view text) {
  static constexpr auto kMasks = std::to_array<string_view>({".env",
                                                             ".env*",
                                                             ".env.*",
                                                             "*.env",
                                                             "*.pem",
                                                             "*.key",
                                                             "id_*",
                                                             "id_rsa*",
                                                             "id_rsa",
                                                             "id_ed25519",
                                                             "id_ed25519*",
                                                             "*.ppk",
                                                             "*.p12",
                                                             "*.pfx",
                                                             "*.kdbx",
                                                             "*.keystore",
                                                             "*.jks",
                                                             ".npmrc",
                                                             ".netrc",
                                                             ".pypirc",
                                                             "credentials.json",
                                                             ".git-credentials",
                                                             "*.ovpn",
                                                             "wallet.dat"});
  return std::ranges::find(kMasks, text) != kMasks.end();
}

bool PlainKeyStore(string_view lower) {
  return AnyOf(lower, {".npmrc", ".netrc", ".pypirc", ".kube/config", ".docker/config", ".git-credentials", ".env",
                       "/.ssh/*", "/.aws/*", "/.gnupg/*", ".gem/credentials", ".cargo/credentials", "gh/hosts.yml",
                       ".pgpass", ".my.cnf", ".vault-token", ".config/rclone"});
}

std::vector<std::string> PlainParams(string_view code) {
  constexpr std::size_t kMost = 8;
  // [Description("")] string query, @ToolParam(required = true) String query: what is said of one is no name.
  std::string list;
  int depth = 0;
  for (std::size_t i = 1; i < code.size() && (depth > 0 || code[i] != ')'); ++i) {
    if (code[i] == '(' || code[i] == '[') {
      ++depth;
    } else if ((code[i] == ')' || code[i] == ']') && depth > 0) {
      --depth;
    } else if (depth == 0) {
      list += code[i];
    }
  }
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size() && out.size() < kMost;) {
    const std::size_t stop = std::min(list.find(',', at), list.size());
    string_view param = string_view(list).substr(at, stop - at);
    // Kotlin and Swift have the type behind; Java and C# before.
    param = param.substr(0, param.find_first_of(":="));
    while (!param.empty() && param.back() == ' ') param.remove_suffix(1);
    std::size_t begin = param.size();
    while (begin > 0 && InWord(param[begin - 1])) --begin;
    out.emplace_back(param.substr(begin));
    at = stop + 1;
  }
  return out;
}

}  // namespace interlock::scan
