#include "static/plain_given.h"

#include <algorithm>
#include <array>

#include "static/plain_words.h"

namespace interlock::scan {

using plain_words::AnyOf;
using plain_words::Calls;
using plain_words::CallsItself;
using plain_words::InWord;
using std::string_view;

bool PlainTakesCall(const PlainStatement& one) {
  if (AnyOf(one.code, {"params.arguments", "params?.arguments", "params->arguments", "params!.arguments"})) return true;
  bool params = false;
  bool arguments = false;
  for (const PlainText& text : one.texts) {
    params = params || text.text == "params";
    arguments = arguments || text.text == "arguments";
  }
  // request[:params][:arguments]
  return (params && arguments) || (AnyOf(one.code, {":params"}) && AnyOf(one.code, {":arguments"}));
}

bool PlainOpensTool(PlainLanguage language, string_view code) {
  switch (language) {
    case PlainLanguage::kCSharp:
      return AnyOf(code, {"[mcpservertool(", "[mcpservertool]", "[mcpservertool,", "[kernelfunction"});
    case PlainLanguage::kJava:
      return AnyOf(code, {"@tool(", "@mcptool"}) || code.ends_with("@tool");
    case PlainLanguage::kPhp:
      return AnyOf(code, {"#[mcptool"});
    default:
      return false;
  }
}

bool PlainFillsShell(PlainLanguage language, const PlainStatement& one) {
  const bool hole = std::ranges::any_of(
      one.texts, [](const PlainText& text) { return text.text.find(kPlainHole) != std::string::npos; });
  const bool joins = hole || AnyOf(one.code, {"\"\" .", "\"\".", ". \"\"", "\"\" +", "+ \"\"", "\"\"+", "\"\" ..",
                                              ".. \"\"", "\"\" <>", "sprintf(", "format("});
  switch (language) {
    case PlainLanguage::kPhp:
    case PlainLanguage::kLua:
    case PlainLanguage::kR:
      return joins && PlainRuns(language, one.code);
    case PlainLanguage::kRuby:
    case PlainLanguage::kPerl: {
      const bool ticks = std::ranges::any_of(one.texts, [](const PlainText& text) {
        return text.runs && text.text.find(kPlainHole) != std::string::npos;
      });
      // system("convert", file) starts the program itself.
      const bool words = AnyOf(one.code, {"\"\","}) && !AnyOf(one.code, {"capture2", "capture3", "popen"});
      return ticks || (joins && !words && PlainRuns(language, one.code));
    }
    case PlainLanguage::kElixir:
      return joins && Calls(one.code, {"system.shell", ":os.cmd"});
    default: {
      static constexpr std::array<string_view, 8> kShells = {"sh",  "bash",    "/bin/sh",    "/bin/bash",
                                                             "cmd", "cmd.exe", "powershell", "powershell.exe"};
      const bool shell = std::ranges::any_of(
          one.texts, [](const PlainText& text) { return std::ranges::find(kShells, text.text) != kShells.end(); });
      return shell && joins && PlainRuns(language, one.code);
    }
  }
}

bool PlainEscapes(const PlainStatement& one) {
  if (AnyOf(one.code, {"escapeshell", "shellescape", "shellwords.escape", "shelljoin", "quotemeta(", "intval(", "(int)",
                       "to_i", "basename(", "file.basename", "int.parse", "parseint(", "shell_escape", "shquote("})) {
    return true;
  }
  // `grep #{Shellwords.escape(pattern)}`: what is put into a text stands among the names.
  return std::ranges::any_of(one.names, [](const std::string& name) {
    return name == "Shellwords" || name == "shellescape" || name == "to_i" || name == "escapeshellarg";
  });
}

bool PlainChecks(string_view code) {
  const bool tests = Calls(code, {"if ", "if(", "unless ", "guard ", "assert"}) || AnyOf(code, {"?? throw", "or die"});
  return tests &&
         (AnyOf(code, {"preg_match", "in_array(", "=~", ".match", "matches(", "ismatch(", "include?", "is_numeric",
                       "ctype_", "array_key_exists", "isset(", "contains(", "allowed", "is_int", "filter_var"}));
}

bool PlainOnlyJoins(string_view code) {
  static constexpr auto kJoins = std::to_array<string_view>(
      {"sprintf",   "implode",     "join",     "trim",  "strtolower", "json_decode", "format", "concat",
       "tostring",  "string",      "str",      "array", "if",         "switch",      "return", "match",
       "strip",     "to_s",        "fetch",    "dig",   "get",        "parse",       "strval", "list",
       "getstring", "getproperty", "asstring", "chomp", "downcase",   "lc"});
  for (std::size_t at = code.find('('); at != string_view::npos; at = code.find('(', at + 1)) {
    std::size_t from = at;
    while (from > 0 && InWord(code[from - 1])) --from;
    const string_view word = code.substr(from, at - from);
    if (!word.empty() && std::ranges::find(kJoins, word) == kJoins.end()) return false;
  }
  return true;
}

}  // namespace interlock::scan
