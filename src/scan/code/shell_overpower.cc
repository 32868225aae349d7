// What takes the whole machine, its time, or another process.
#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {

// The whole machine, its time, or another process.
bool Analysis::Overpowers(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? LowerCase(command.words[i].text) : std::string(); };
  for (std::size_t i = 0; i < count; ++i) {
    if (!Has(command.words[i].text, "://")) continue;
    const std::string text = word(i);
    if (HasOneOf(text, {"stratum+tcp://", "stratum+ssl://", "stratum2+tcp://"})) {
      Emit(ShellAct::kMine, index, text, 2);
      return true;
    }
  }
  if (count > 1 && Is(program, {"xmrig", "xmr-stak", "cpuminer", "minerd", "nbminer", "t-rex", "lolminer",
                                "phoenixminer", "ethminer", "cgminer", "bfgminer", "nanominer", "teamredminer"})) {
    Emit(ShellAct::kMine, index, std::string(program), 2);
    return true;
  }
  // -o pool:port -u wallet, and how it shall hash: a worker's options, whatever its program is called.
  bool pool = false;
  bool wallet = false;
  bool hashes = false;
  for (std::size_t i = 1; i < count; ++i) {
    if (!command.words[i].text.starts_with('-')) continue;
    const std::string text = word(i);
    const std::string next = word(i + 1);
    const std::size_t port = next.rfind(':');
    pool = pool || (Is(text, {"-o", "--url"}) && port != std::string::npos && port + 4 < next.size() &&
                    next.find_first_not_of("0123456789", port + 1) == std::string::npos);
    wallet = wallet || Is(text, {"-u", "--user"}) || text.starts_with("--user=");
    hashes = hashes || text.starts_with("--donate-level") || text.starts_with("--algo") || text.starts_with("--coin") ||
             text.starts_with("--cpu-max-threads-hint") || text.starts_with("--randomx") ||
             Is(text, {"-a", "--rig-id", "--nicehash", "--cpu-max-threads-hint", "--randomx-mode"});
  }
  const bool given =
      std::ranges::any_of(command.words, [](const ShellWord& each) { return each.text == "--donate-level"; });
  if (((pool && hashes) || given) && wallet && !TransferOf(command, program).is_transfer) {
    Emit(ShellAct::kMine, index, Shown(command.words[0].text), 2);
    return true;
  }
  if (Is(program, {"docker", "podman", "nerdctl"}) && Is(word(1), {"run", "create"})) {
    bool root = false;
    bool free = false;
    bool privileged = false;
    bool processes = false;
    for (std::size_t i = 2; i < count; ++i) {
      const std::string text = word(i);
      std::string_view mount = text;
      if (mount.starts_with("-v")) mount.remove_prefix(2);
      if (mount.starts_with("--volume=")) mount.remove_prefix(9);
      if (mount.starts_with("/:/") && !mount.ends_with(":ro") && !Has(mount, ":ro,")) root = true;
      if (Has(text, "source=/,") || Has(text, "src=/,")) root = root || !Has(text, "readonly");
      free = free || text == "--privileged" || text == "--pid=host" || text == "chroot" || Has(text, "sys_admin") ||
             Has(text, "chroot /");
      if (text == "--pid" && word(i + 1) == "host") free = processes = true;
      privileged = privileged || text == "--privileged";
      processes = processes || text == "--pid=host";
    }
    if (root && free) {
      Emit(ShellAct::kTakeover, index, std::string(program) + " with the host's root folder", 2);
    } else if (privileged && processes) {
      Emit(ShellAct::kTakeover, index, std::string(program) + " with all rights over the host's processes", 1);
    } else {
      return false;
    }
    return true;
  }
  if (program == "nsenter") {
    for (std::size_t i = 1; i < count; ++i) {
      const std::string text = word(i);
      if (text == "-t1" || text == "--target=1" || ((text == "-t" || text == "--target") && word(i + 1) == "1")) {
        Emit(ShellAct::kTakeover, index, "nsenter into process 1", 2);
        return true;
      }
    }
    return false;
  }
  if (Is(program, {"useradd", "adduser", "usermod"})) {
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (Is(word(i), {"-u", "--uid"}) && word(i + 1) == "0") {
        Emit(ShellAct::kTakeover, index, std::string(program) + " with user id 0", 2);
        return true;
      }
    }
    return false;
  }
  // dd if=/proc/$pid/mem: whatever another process holds.
  for (std::size_t i = 1; i < count; ++i) {
    std::string_view path = command.words[i].text;
    if (path.starts_with("if=")) path.remove_prefix(3);
    if (!path.starts_with("/proc/") || !path.ends_with("/mem") || Has(path, "/self/")) continue;
    Emit(ShellAct::kInject, index, std::string(program) + " of /proc/.../mem", 1);
    return true;
  }
  if (program == "osascript" && Has(SaidBy(command), "make login item")) {
    Emit(ShellAct::kWriteStartup, index, "a login item", 1);
    return true;
  }
  if (Is(program, {"gdb", "lldb"})) {
    bool attached = false;
    bool calls = false;
    for (std::size_t i = 1; i < count; ++i) {
      const std::string text = word(i);
      attached = attached || text == "-p" || text.starts_with("--pid") || text.starts_with("-p=");
      calls = calls || text.starts_with("call ") || text.starts_with("print ((") || Has(text, "system(") ||
              Has(text, "dlopen(") || text.starts_with("expr ") || text.starts_with("compile code");
    }
    if (!attached || !calls) return false;
    Emit(ShellAct::kInject, index, std::string(program), 2);
    return true;
  }
  if (program == "gcore" || program == "procdump") {
    // A core file holds whatever the process holds.
    Taint core;
    core.secret = true;
    core.what = "the memory of a process";
    core.secret_loc = command.loc;
    for (std::size_t i = 1; i < count; ++i) {
      if (!Is(word(i), {"-o", "-ma"}) || i + 1 >= count) continue;
      const ShellWord& name = command.words[i + 1];
      Remember(name.text, name.variables, core);
      // It is called like this with the process's number behind it.
      if (i + 2 < count) {
        std::vector<std::string> variables = name.variables;
        variables.insert(variables.end(), command.words[i + 2].variables.begin(), command.words[i + 2].variables.end());
        Remember(name.text + "." + command.words[i + 2].text, variables, core);
      }
    }
    Emit(ShellAct::kReadSecret, index, std::string(program), 1);
    return true;
  }
  return false;
}

// ssh -fN -R 2222:localhost:22 user@host: the machine's own shell, put on somebody else's port, in the background.
bool Analysis::OpensDoor(std::uint32_t index) {
  constexpr std::string_view kWithValue = "RLDopilFEbcmwWJSeBIQO";
  const ShellCommand& command = script_.commands[index];
  bool quiet = false;
  bool reverse = false;
  bool door = false;
  const ShellWord* to = nullptr;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    if (text.size() < 2 || text[0] != '-' || text[1] == '-') {
      if (to == nullptr) to = &command.words[i];
      continue;
    }
    for (std::size_t k = 1; k < text.size(); ++k) {
      quiet = quiet || text[k] == 'f';
      if (kWithValue.find(text[k]) == std::string_view::npos) continue;
      // The rest of the word, or the next one.
      const bool apart = k + 1 == text.size();
      const ShellWord* value = !apart                         ? &command.words[i]
                               : i + 1 < command.words.size() ? &command.words[i + 1]
                                                              : nullptr;
      reverse = reverse || text[k] == 'R';
      door = door || (text[k] == 'R' && value != nullptr && value->constant &&
                      HasOneOf(value->text, {"localhost:22", "127.0.0.1:22"}));
      i += apart ? 1U : 0U;
      break;
    }
  }
  if (!reverse) return false;
  const bool far = to != nullptr && to->constant && Has(to->text, ".");
  Emit(door && quiet && far ? ShellAct::kReverseShell : ShellAct::kListen, index, door && far ? to->text : "ssh -R", 1);
  return true;
}

}  // namespace interlock::scan::code::shell
