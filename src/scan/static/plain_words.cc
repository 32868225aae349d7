#include "static/plain_words.h"

namespace interlock::scan {

using plain_words::AnyOf;
using plain_words::Calls;
using plain_words::CallsItself;
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

}  // namespace interlock::scan
