// Commands that mean the same, brought to one form: what is done stands in the second word.
#include <algorithm>
#include <array>

#include "code/shell_analysis.h"
#include "code/shell_internal.h"

namespace interlock::scan::code::shell {
namespace {

// Programs whose command is told by a word behind the name: git config, kubectl get. What may stand between the two
// says where and as whom (`git -C folder config`, `aws --profile p secretsmanager`), and hides nothing of what is done.
enum class Fronted : std::uint8_t { kDropped, kBehind };
struct Commanded {
  std::string_view name;
  Fronted options;                 // left out, or put behind the other words
  std::string_view value_flags;    // short options with a value
  std::string_view value_options;  // long ones, each between spaces
};
constexpr std::array<Commanded, 24> kCommanded = {{
    {"git", Fronted::kDropped, "Cc", " --git-dir --work-tree --exec-path --namespace --super-prefix "},
    {"kubectl", Fronted::kDropped, "ns", " --namespace --context --kubeconfig --cluster --user --server --token --as "},
    {"oc", Fronted::kDropped, "ns", " --namespace --context --kubeconfig --cluster --user --server --token --as "},
    {"helm", Fronted::kDropped, "n", " --namespace --kube-context --kubeconfig "},
    {"docker", Fronted::kDropped, "Hcl", " --host --context --config --log-level "},
    {"podman", Fronted::kDropped, "c", " --url --connection --identity --root --log-level "},
    {"nerdctl", Fronted::kDropped, "naH", " --namespace --address --host "},
    {"aws", Fronted::kDropped, "", " --profile --region --output --endpoint-url --query --ca-bundle "},
    {"gcloud", Fronted::kBehind, "", " --project --account --configuration --format --verbosity "},
    {"az", Fronted::kBehind, "o", " --output --query --subscription "},
    {"gh", Fronted::kBehind, "R", " --repo --hostname "},
    {"npm", Fronted::kBehind, "wC", " --prefix --workspace --registry --userconfig --loglevel "},
    {"pnpm", Fronted::kBehind, "CF", " --dir --filter --registry "},
    {"yarn", Fronted::kBehind, "", " --cwd --registry "},
    {"bun", Fronted::kBehind, "", " --cwd "},
    {"pip", Fronted::kBehind, "", " --proxy --index-url --extra-index-url --python --log --cert --trusted-host "},
    {"pip3", Fronted::kBehind, "", " --proxy --index-url --extra-index-url --python --log --cert --trusted-host "},
    {"uv", Fronted::kBehind, "", " --directory --project --config-file --cache-dir --color "},
    {"systemctl", Fronted::kBehind, "HMt", " --host --machine --root "},
    {"defaults", Fronted::kBehind, "", " -host "},
    {"security", Fronted::kBehind, "p", ""},
    {"op", Fronted::kBehind, "", " --account --config --session "},
    {"vault", Fronted::kBehind, "", " -address -namespace "},
    {"heroku", Fronted::kBehind, "a", " --app "},
}};

// "5" of `aws --cli-read-timeout 5 s3 cp`: a value, whatever the option is called.
bool MayBeVerb(std::string_view word) {
  return word.starts_with('-') || (!word.empty() && word[0] >= 'a' && word[0] <= 'z' &&
                                   word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-:") == word.npos);
}

// python3 -m pip install: what the module does.
void FrontModule(ShellCommand& command, std::string_view program) {
  if (!program.starts_with("python") || command.words[1].text != "-m") return;
  const std::string& module = command.words[2].text;
  if (module == "pip" || module == "pip3" || module == "uv" || module == "pipx")
    command.words.erase(command.words.begin(), command.words.begin() + 2);
}

// npm config --global set key value, npm set key value: one and the same.
void FrontSetting(ShellCommand& command, std::string_view program) {
  if (program != "npm" && program != "pnpm" && program != "yarn") return;
  const auto first = command.words.begin() + 1;
  if (first->text == "set") {
    ShellWord config = *first;
    config.text = "config";
    command.words.insert(first, std::move(config));
    return;
  }
  if (first->text != "config" && first->text != "c") return;
  first->text = "config";
  const auto verb =
      std::find_if(first + 1, command.words.end(), [](const ShellWord& word) { return !word.text.starts_with('-'); });
  if (verb != command.words.end()) std::rotate(first + 1, verb, command.words.end());
}

}  // namespace

void FrontVerb(ShellCommand& command) {
  if (command.words.size() < 3) return;
  FrontModule(command, ProgramOf(command));
  const std::string program = ProgramOf(command);
  const auto* const known = std::ranges::find(kCommanded, program, &Commanded::name);
  if (known == kCommanded.end()) return;
  std::size_t verb = 1;
  while (verb < command.words.size() && command.words[verb].text.starts_with('-')) {
    const std::string& text = command.words[verb].text;
    const bool value = (text.size() == 2 && known->value_flags.find(text[1]) != std::string_view::npos) ||
                       known->value_options.find(" " + text + " ") != std::string_view::npos ||
                       (verb + 1 < command.words.size() && !MayBeVerb(command.words[verb + 1].text));
    verb += value ? 2 : 1;
  }
  if (verb >= command.words.size()) return;
  const auto first = command.words.begin() + 1;
  if (known->options == Fronted::kDropped) {
    command.words.erase(first, first + static_cast<std::ptrdiff_t>(verb - 1));
  } else {
    std::rotate(first, first + static_cast<std::ptrdiff_t>(verb - 1), command.words.end());
  }
  FrontSetting(command, program);
}

// find ROOT -name PATTERN: the place of what it finds, as far as it is known; "" where nothing is.
std::string PlaceOfFound(const ShellCommand& command) {
  std::string root;
  std::string name;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    if (i == 1 && !text.starts_with('-')) root = text;
    if ((text == "-name" || text == "-iname" || text == "-path") && i + 1 < command.words.size() && name.empty())
      name = command.words[i + 1].text;
  }
  name.erase(0, name.find_first_not_of('*'));
  while (root.ends_with('/')) root.pop_back();
  if (name.empty()) return root.empty() ? std::string() : root + "/*";
  return name.starts_with('/') ? name : root + "/" + name;
}

// "/*.pem" of find / -name "*.pem": keys, wherever on the machine they lie.
bool FindsKeys(std::string_view place) {
  const std::string text = LowerCase(place);
  const bool wide = text.starts_with("~") || text.starts_with("/home") || text.starts_with("/users") ||
                    text.starts_with("/root") || text.starts_with("/etc") || text.rfind('/') == 0;
  const std::string name = BaseName(text);
  return wide && (HasOneOf(name, {"wallet", "credential", "mnemonic", "password", "secret"}) ||
                  std::ranges::any_of(std::to_array<std::string_view>(
                                          {".pem", ".key", ".p12", ".pfx", ".ppk", ".kdbx", ".jks", ".keystore"}),
                                      [&](std::string_view end) { return name.ends_with(end); }));
}

bool ListsVariables(std::string_view flag) {
  return flag.size() >= 2 && flag[0] == '-' && flag.find_first_not_of("px", 1) == std::string_view::npos;
}

}  // namespace interlock::scan::code::shell
