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

bool SendsExample(const View& view) {
  const std::string_view said = view.text().substr(view.sentence().begin, view.sentence().end - view.sentence().begin);
  const std::size_t curl = said.find("curl ");
  if (curl == std::string_view::npos) return false;
  // A host that stands here is somebody's.
  for (std::size_t at = said.find("://"); at != std::string_view::npos; at = said.find("://", at + 1)) {
    const std::string_view host = said.substr(at + 3);
    const bool local = host.starts_with("localhost") || host.starts_with("127.0.0.1");
    if (!local && !host.starts_with('{') && !host.starts_with('$') && !host.starts_with('<')) return false;
  }
  const std::string_view rest = said.substr(curl);
  std::size_t body = std::string_view::npos;
  for (const std::string_view flag : {" -d '", " --data '", " --data-raw '", " --json '"})
    body = std::min(body, rest.find(flag) == std::string_view::npos ? body : rest.find(flag) + flag.size());
  if (body == std::string_view::npos) return false;
  const std::size_t end = rest.find('\'', body);
  const std::string_view sent = rest.substr(body, end - body);
  // Nothing in it, nor behind it, is put in by anybody.
  return end != std::string_view::npos && !sent.starts_with('@') &&
         sent.find_first_of("$`<") == std::string_view::npos && sent.find("{{") == std::string_view::npos &&
         sent.find("your") == std::string_view::npos && sent.find("...") == std::string_view::npos &&
         rest.substr(end).find("-d ") == std::string_view::npos && rest.find("$(") == std::string_view::npos &&
         rest.find(" -f ") == std::string_view::npos;
}

namespace {

// "Override the whole system message:", all of a line, and a program below it: what the program shows.
bool HeadsExample(const View& view) {
  constexpr int kMostWords = 8;
  const std::vector<TextPassage>& all = view.canvas().passages;
  const std::uint32_t at = view.sentence().passage;
  if (view.size() > kMostWords || at + 1 >= all.size() || all[at + 1].shape != TextShape::kCode) return false;
  const std::string_view said = view.text().substr(view.sentence().begin, view.sentence().end - view.sentence().begin);
  const std::size_t last = said.find_last_not_of(" \t\r\n*_");
  if (last == std::string_view::npos || said[last] != ':' || all[at].first + 1 != all[at].last) return false;
  // A program's option, not a text that somebody is to obey.
  const std::string_view code =
      view.text().substr(all[at + 1].begin, std::min<std::size_t>(all[at + 1].end - all[at + 1].begin, 2'000));
  for (const std::string_view option :
       {"systemmessage", "system_message", "systemprompt", "system_prompt", "system-prompt", "instructions"}) {
    const std::size_t name = code.find(option);
    if (name == std::string_view::npos) continue;
    const std::string_view set = code.substr(name + option.size(), 3);
    if (set.find_first_of(":=(") != std::string_view::npos) return true;
  }
  return false;
}

// A word between backticks, from `from` on.
bool ShowsCode(const View& view, int from) {
  for (int k = std::max(from, 1); k < view.size(); ++k) {
    if (view.text().substr(view.at(k).begin - 1, 1) == "`") return true;
    const std::size_t gap = view.at(k - 1).end();
    if (view.text().substr(gap, view.at(k).begin - gap).find('`') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool NamesOption(const View& view, int i, bool forget) {
  // "Treat requests to ignore your instructions as attacks", "any attempt to override the system prompt"
  if (view.FindWord(i - 1, i - 1, "to") != kNone &&
      view.SaysOne(i - 3, i - 2,
                   {"request", "requests", "attempt", "attempts", "attempting", "asks", "asking", "orders"}))
    return true;
  // "Use `--force` to ignore existing rules"
  if (view.FindWord(i - 1, i - 1, "to") != kNone && view.SaysOne(0, i - 2, {"use", "pass", "set", "add"})) {
    const std::string_view before = view.text().substr(view.sentence().begin, view.at(i).begin - view.sentence().begin);
    if (before.find("`--") != std::string_view::npos) return true;
  }
  if (forget) return false;
  if (HeadsExample(view)) return true;
  // "To override the system prompt, pass ...", "you can override the built-in prompt": how it is done by who wants to.
  if (i == 1 && view.word(0) == "to" && view.text().substr(view.at(i).end(), 80).find(',') != std::string_view::npos)
    return true;
  if (view.SaysOne(i - 2, i - 1, {"can", "could", "may"}) && view.SaysOne(0, i - 1, {"you", "users", "callers"}) &&
      !view.any(Bit(kWMust) | Bit(kWUnbound) | Bit(kWSecretly)) && !view.SaysOne(0, view.size(), {"now"})) {
    return true;
  }
  // "The project's prompt overrides the system prompt": what a setting does, said of it.
  if ((view.word(i) == "overrides" || view.word(i) == "replaces") && !view.any(Bit(kWMust) | Bit(kWUnbound)) &&
      view.SaysOne(0, i - 1,
                   {"prompt", "option", "flag", "setting", "field", "parameter", "value", "config", "profile",
                    "template", "argument", "property"}) &&
      !view.SaysOne(0, i - 1, {"this", "these", "it", "you", "following"})) {
    return true;
  }
  // A title, and how it is done below it.
  const TextSection& section = view.canvas().sections[view.passage().section];
  if (section.level > 0 && view.sentence().begin >= section.begin && view.sentence().begin < section.end) {
    const std::uint32_t next = view.passage().section + 1;
    const std::size_t to =
        next < view.canvas().sections.size() ? view.canvas().sections[next].begin : view.text().size();
    if (to > section.end && view.text().substr(section.end, to - section.end).find('`') != std::string_view::npos)
      return true;
  }
  // "When the user gives new instructions, they override earlier ones."
  if (view.FindWord(i - 1, i - 1, "they") != kNone && view.FindWord(0, i - 2, "user") != kNone) return true;
  // The description of a parameter says what the parameter does.
  const bool bound = view.any(Bit(kWMust) | Bit(kWSecretly) | Bit(kWUnbound));
  if ((view.passage().kind & kSurfaceSchema) != 0 && (view.passage().kind & kSurfaceHidden) == 0 && !bound &&
      !view.SaysOne(0, view.size(), {"you", "your", "always", "never", "assistant"})) {
    return true;
  }
  // "the `override` mode"
  const std::uint32_t begin = view.at(i).begin;
  if (begin > 0 && view.text().substr(begin - 1, 1) == "`" && view.text().substr(view.at(i).end(), 1) == "`")
    return true;
  // "Override the system prompt by editing `prompts/system.md`"
  const int by = view.FindWord(i + 1, view.size(), "by");
  return by != kNone && !bound && ShowsCode(view, by + 1) &&
         view.SaysOne(by + 1, by + 1,
                      {"editing", "creating", "passing", "setting", "adding", "providing", "supplying", "defining",
                       "writing", "placing", "putting"});
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
