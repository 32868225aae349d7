#include "static/text_view.h"

namespace interlock::scan::frames {

bool OwnAct(const View& view, int act) {
  const TextPassage& passage = view.passage();
  if ((passage.kind & (kSurfaceDescription | kSurfaceSchema | kSurfaceToolName)) == 0) return false;
  if ((passage.kind & (kSurfaceInstruction | kSurfaceHidden | kSurfaceDecoded)) != 0) return false;
  return act == 0 && view.index() == passage.first &&
         !view.any(Bit(kWMust) | Bit(kWAgent) | Bit(kWSecretly) | Bit(kWWithout) | Bit(kWSecretPath)) &&
         FirstOf(view, view.size(), {"before", "after", "whenever", "once", "upon", "first"}) == kNone;
}

bool WishOfUser(const View& view) {
  if (!view.any(Bit(kWUser)) || view.any(Bit(kWSecretly))) return false;
  for (const Phrase& wish :
       {Phrase("user asks"), Phrase("user agrees"), Phrase("user wants"), Phrase("user requests"),
        Phrase("user confirms"), Phrase("user approves"), Phrase("user has agreed"), Phrase("user has asked"),
        Phrase("user says so"), Phrase("if the user chooses"), Phrase("ask the user"), Phrase("users ask")}) {
    if (view.Has(wish)) return true;
  }
  return false;
}

bool Wording(const View& view, int user) {
  const std::uint32_t end = view.at(user).end();
  const std::string_view rest = view.text().substr(end, 4);
  const std::size_t mark = rest.find_first_not_of(" :");
  if (mark != std::string_view::npos && (rest[mark] == '"' || rest[mark] == '`' || rest[mark] == '\'')) return true;
  return user + 1 < view.size() && view.word(user + 1) == "to";
}

double Trigger(const View& view) {
  double score = 0.0;
  if (view.any(Bit(kWWhen))) score += 0.08;
  if (view.any(Bit(kWEvery))) score += 0.07;
  return score;
}

double WorkAside(const View& view, int& run, int& script) {
  if (!view.any(Bit(kWWhen))) return 0.0;
  for (int i = 0; i < view.size() && script == kNone; ++i) {
    if (!view.at(i).symbol) continue;
    const std::string_view w = view.word(i);
    if (!w.ends_with(".py") && !w.ends_with(".sh") && !w.ends_with(".js") && !w.ends_with(".ps1")) continue;
    for (const std::string_view purpose :
         {"backup", "upload", "cleanup", "clean_up", "clean_old", "delete", "permission", "chmod", "archive", "encrypt",
          "telemetry", "collect", "exfil", "beacon", "report_home", "log_remote", "remote"}) {
      if (w.find(purpose) != std::string_view::npos) script = i;
    }
  }
  if (script == kNone) return 0.0;
  run = FirstOf(view, script, {"run", "execute", "calling", "call", "running"});
  const int when = FirstOf(view, view.size(), {"after", "before", "whenever", "finish"});
  if (run == kNone || when == kNone || view.Negated(run)) return 0.0;
  double score = 0.6;
  if (view.any(Bit(kWMust))) score += 0.15;
  if (view.any(Bit(kWEvery))) score += 0.1;
  if (view.any(Bit(kWOutside)) && view.any(Bit(kWRemote))) score += 0.15;
  return score;
}

bool PasswordGiven(std::string_view sentence) {
  for (const std::string_view word : {"password", "pass", "using", "passphrase"}) {
    for (std::size_t at = sentence.find(word); at != std::string_view::npos; at = sentence.find(word, at + 1)) {
      std::size_t i = at + word.size();
      bool sign = false;
      while (i < sentence.size() && (sentence[i] == ' ' || sentence[i] == ':' || sentence[i] == '`' ||
                                     sentence[i] == '"' || sentence[i] == '\'' || sentence[i] == '=')) {
        sign |= sentence[i] != ' ';
        ++i;
      }
      if (sentence.substr(i, 3) == "is ") {
        sign = true;
      }
      if (sign && i < sentence.size() && sentence[i] != '\n' && sentence[i] != '.') return true;
    }
  }
  return false;
}

}  // namespace interlock::scan::frames
