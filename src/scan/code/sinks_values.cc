// Calls that take values in, change them or check them: the environment, stores of credentials, statements and
// templates, decoders, checks.
#include "code/engine.h"
#include "code/engine_words.h"
#include "code/sink_words.h"

namespace interlock::scan::code {

using core::Permission;
using namespace engine_words;  // NOLINT: the engine room's own words
using namespace sink_words;    // NOLINT

Taint Engine::JudgeVariable(Call& call) {
  Taint target;
  switch (call.entry->role) {
    case Role::kEnvRead: {
      const ExprId name = Argument(call, call.entry->target, &target);
      Taint result = EnvRead(name == kNone ? std::string() : view().Text(name, function_), call.expr);
      TakeNamed(target, call.expr, &result);
      JudgeNamedVariable(call, name, target);
      if (call.callee.text.ends_with(".setdefault") && name != kNone && call.args.size() > 1) {
        JudgeEnvironmentWrite(call.expr, view().Text(name, function_), call.args[1].value);
      }
      return result;
    }
    case Role::kEnvAll:
      Use(call, Permission::kEnvironmentRead, "*");
      return Source(kEnvAll, call.expr, "reads the whole environment");
    case Role::kEnvWrite: {
      const ExprId name = Argument(call, call.entry->target, &target);
      Use(call, Permission::kEnvironmentWrite, name == kNone ? std::string() : view().Text(name, function_));
      if (name != kNone)
        JudgeEnvironmentWrite(call.expr, view().Text(name, function_),
                              call.args.size() > 1 ? call.args[1].value : kNone);
      for (const Arg& arg : call.args) {
        if (!call.callee.text.ends_with(".update")) break;
        if (arg.name.empty()) {
          JudgeEnvironmentTable(call.expr, arg.value);
        } else {
          JudgeEnvironmentWrite(call.expr, arg.name, arg.value);
        }
      }
      return call.callee.text == "dotenv.config" ? Source(kWeakSecretFile, call.expr, "reads .env") : Taint();
    }
    default:
      return {};
  }
}

Taint Engine::JudgeSecretStore(const Call& call) {
  // sys._current_frames(): where threads stand, unless their variables are looked at.
  if (call.callee.text.starts_with("sys.")) {
    std::optional<bool>& frames = states_[module_].frames;
    if (!frames) frames = AnyOf(code().text, {"f_locals", "f_globals"});
    if (!*frames) return {};
  }
  if (call.callee.text.starts_with("gc.") || call.callee.text.starts_with("sys.")) {
    return Source(kStore, call.expr, "goes through all objects of the process");
  }
  Use(call, Permission::kSecretsRead, call.callee.text);
  // An extension asks the browser, which asked its user.
  if (AnyOf(call.callee.text, {"chrome.cookies", "browser.cookies"}))
    return Source(kKept, call.expr, "takes the browser's cookies");
  return OfKeyChain(call);
}

Taint Engine::JudgeSql(const Call& call) {
  Taint target;
  const ExprId statement = Argument(call, call.entry->target, &target);
  if (last_ && statement != kNone && call.all.Has(kForeign) && !KeepingIsPurpose()) {
    const std::string text = LowerCase(view().Text(statement, function_));
    if (AnyOf(text, {"insert ", "update ", "replace "}) &&
        AnyOf(text, {"memor", "instruction", "preference", "system_prompt", "facts", "checkpoint"})) {
      Raise("STATE-002", call.expr, call.all, kForeign, "keeps an answer from the network in the agent's memory");
      Worsen("STATE-002", core::Severity::kHigh);
    }
  }
  if (statement != kNone && target.Has(kToolArgument) && last_) {
    const std::string text = LowerCase(Known(statement));
    const bool written = Contains(text, std::string_view(&kHole, 1)) &&
                         AnyOf(text, {"select ", "insert ", "update ", "delete ", "drop ", "alter ", "where "});
    if (text.find_first_not_of(kHole) == std::string::npos && call.callee.text.ends_with("executescript") &&
        GuardsByWords(statement)) {
      Raise("VULN-004", call.expr, target, kToolArgument,
            "lets a statement pass by how it begins, and runs all that stand in it", 1.4);
    }
    if (written || (text.empty() && target.Has(kQueried))) {
      // A value between quotes or behind a comparison could have been bound; a name of a table could not.
      const bool value = (text.empty() && target.Has(kQuoted)) ||
                         AnyOf(text, {"'\x01", "\"\x01", "=\x01", "= \x01", "where \x01", "like \x01", "'%\x01"});
      Raise("VULN-004", call.expr, target, kToolArgument, "puts an argument into an SQL statement",
            value && target.Has(kUnchecked) ? 1.4 : 0.85);
    }
  }
  return call.receiver.Without(kEnvLabels);
}

Taint Engine::JudgeTemplate(const Call& call) {
  Taint target;
  (void)Argument(call, call.entry->target, &target);
  if (call.callee.text.find("string.Template") != std::string::npos) return call.all;
  if (target.Has(kForeign))  // also where the caller has chosen what is fetched
    Raise("VULN-002", call.expr, target, kForeign, "uses fetched words as a template; templates run code", 0.9);
  else if (target.Has(kToolArgument))
    Raise("VULN-002", call.expr, target, kToolArgument, "uses an argument as a template; templates run code", 0.6);
  return call.all;
}

// One long word: no sentence, no address.
static bool IsLetters(std::string_view text, std::size_t least) {
  return text.size() >= least && text.find_first_of(std::string(" \n:") + kHole) == std::string_view::npos;
}

Taint Engine::JudgeDecode(const Call& call) {
  Taint result = call.all;
  Taint data;
  const ExprId from = Argument(call, call.entry->target, &data);
  if (from != kNone) {
    // A constant that is decoded; short ones are icons, keys, magic bytes.
    const Value& value = view().Evaluate(from, function_);
    const bool plain_buffer = !view().is_python() && call.args.size() < 2 && AnyOf(call.callee.text, {"Buffer"});
    // Of base64 a short one will do: whoever runs it has hidden it, or has left the place for it.
    const bool letters =
        !plain_buffer && AnyOf(call.callee.text, {"b64decode", "atob", "Buffer", "a85decode", "b32decode"});
    constexpr std::size_t kLetters = 16;
    bool constant = (value.kind == ValueKind::kText && (letters || value.text.size() >= kLetters)) ||
                    (data.labels == 0 && WrapsCoded(from));
    // (code => Function(atob(code))())("..."): what the only caller gives.
    if (!constant && value.kind != ValueKind::kText && (data.labels & ~(kUnchecked | kEnvLabels)) == 0)
      constant = IsLetters(ConstantBehind(from), letters ? 8U : kLetters) ||
                 (call.callee.text == "codecs.decode" && ConstantBehind(from).size() >= kLetters);
    if (constant && !plain_buffer) {
      result.Join(Source(kDecoded, call.expr, "decodes a constant"));
    } else if (!plain_buffer && data.Has(kFileContent | kCommandOutput | kNet) && !data.Has(kToolArgument)) {
      result.Join(Source(kCodedFile, call.expr, "decodes what stands in a file"));
    } else if (!plain_buffer && OfSettings(from)) {
      result.Join(Source(kCodedFile, call.expr, "decodes what stands in a file of settings"));
    } else if (!plain_buffer && IsTableItem(from)) {
      result.Join(Source(kDecoded, call.expr, "decodes an entry of a table of constants"));
    } else if (!plain_buffer && PicksFromWords(from)) {
      result.Join(Source(kDecoded, call.expr, "decodes a word of a list"));
    }
  }
  return result;
}

Taint Engine::JudgeCheck(const Call& call) {
  if (call.entry->role == Role::kPathCheck) {
    here().deeds |= kDidPathCheck;
    Checked(call.args);
    return call.all.Without(kUnchecked | kEntryName | kBelow |
                            (call.callee.text.ends_with(".startsWith") ? kOfUser : Labels{0}));
  }
  // A number out of a picture is still a piece of what the picture hides.
  const bool number = call.callee.text == "builtins.int";
  // What a pattern finds in a text is a part of it; what a caller gives is checked by one.
  const bool found =
      call.callee.text == "re.search" || call.callee.text == "re.match" || call.callee.text == "re.fullmatch";
  const Labels stays = found    ? ~(kCaller | kArguments | kEntryName | kBelow | kPieced | kQueried | kQuoted)
                       : number ? kDecoded | kCodedFile
                       : call.callee.text.ends_with("encodeURIComponent")
                           ? kNetFixed | kNetStranger | kSecretFile | kStore | kWeakSecretFile | kEnvAll | kKept |
                                 kClipboard | kKeys | kTapped | kEncoded | kEvent | kSaid
                           : Labels{0};
  return stays != 0 ? call.all.Only(stays) : Taint();
}

}  // namespace interlock::scan::code
