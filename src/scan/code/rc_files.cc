#include "code/rc_files.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "interlock/base/find_bytes.h"
#include "static/ascii.h"
#include "static/part_set.h"

namespace interlock::scan::code {
namespace {

constexpr std::array kRcFiles = std::to_array<std::string_view>({"/.emacs",
                                                                 "/emacs/init.el",
                                                                 "/.screenrc",
                                                                 "/.vimrc",
                                                                 "/.vim/",
                                                                 "/nvim/",
                                                                 "/.tmux.conf",
                                                                 "/.pdbrc",
                                                                 "/.pythonrc",
                                                                 "/.jupyter/jupyter_",
                                                                 "profile_default/startup/",
                                                                 "/.rprofile",
                                                                 "/.irbrc",
                                                                 "/.gdbinit",
                                                                 "/.lldbinit",
                                                                 "/.inputrc",
                                                                 "direnvrc",
                                                                 "/.envrc",
                                                                 "/.gradle/init",
                                                                 "/.cargo/config",
                                                                 "/share/applications/",
                                                                 "/plasma-workspace/env",
                                                                 "/nautilus/scripts",
                                                                 "networkmanager/dispatcher.d",
                                                                 "/.aws/config",
                                                                 "/.kube/config",
                                                                 "code/user/tasks.json",
                                                                 "/.mailcap",
                                                                 "/.gitconfig",
                                                                 "/git/config",
                                                                 "/.ssh/config",
                                                                 "/.claude/settings",
                                                                 "/.cursor/mcp.json",
                                                                 "/.codex/config.toml",
                                                                 "/.gemini/settings.json",
                                                                 "/opencode.json",
                                                                 "/.config/systemd/",
                                                                 "/environment.d/",
                                                                 "/.pam_environment",
                                                                 "/etc/udev/rules.d",
                                                                 "/etc/apt/apt.conf.d"});

bool HasAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return base::FindBytes(text, part) != std::string_view::npos; });
}

}  // namespace

bool IsRcFile(std::string_view path) {
  static constexpr PartSet kFiles(kRcFiles);
  return kFiles.AnyIn(path);
}

bool RunsFetched(std::string_view text) {
  constexpr std::size_t kMostText = std::size_t{64} << 10;
  const std::string lower = LowerCase(text.substr(0, kMostText));
  if (HasAny(lower, {"/dev/tcp/", "ld_preload=", "dyld_insert_libraries="})) return true;
  const bool comes = HasAny(lower, {"curl ", "wget ", "iwr ", "irm ", "invoke-webrequest", "invoke-restmethod",
                                    "downloadstring", "urlopen", "requests.get(", "base64 -d", "base64 --decode"});
  return comes && HasAny(lower, {"| sh", "|sh", "| bash", "|bash", "| zsh", "| python", "iex", "eval ", "exec(",
                                 "sh -c \"$(", "bash -c \"$(", "source <(", "bash <("});
}

}  // namespace interlock::scan::code
