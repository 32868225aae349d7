// Where the builders of other languages fetch from, whose manifests are programs or have no parser here: Ruby, Java,
// .NET, Swift, C++, and git itself. Only what is not encrypted is told (SC-001): whoever is on the way may replace what
// is built and run.
#include <algorithm>
#include <array>
#include <string_view>

#include "interlock/base/text.h"
#include "static/ascii.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

// How a manifest says where something comes from.
struct Builder {
  std::string_view file;                 // the whole name, or its end where it begins with a dot
  std::array<std::string_view, 4> keys;  // before the address, on its line
  std::string_view block = {};           // opened before it, and
  std::string_view block_end = {};       // not closed since
};
constexpr std::size_t kLongestUrl = 2000;
constexpr std::size_t kNearKey = 200;     // bytes before an address in which its key is looked for
constexpr std::size_t kNearBlock = 1200;  // bytes before an address in which its block is looked for

constexpr auto kBuilders = std::to_array<Builder>({
    {"gemfile", {"source", "git:", "git=>", ":git"}},
    {".gemspec", {"git:", "git=>"}},
    {"podfile", {"source", ":git", ":http", ":podspec"}},
    {".podspec", {":git", ":http"}},
    {"build.gradle", {"url", "uri("}, "maven", "}"},
    {"build.gradle.kts", {"url", "uri("}, "maven", "}"},
    {"settings.gradle", {"url", "uri("}, "maven", "}"},
    {"settings.gradle.kts", {"url", "uri("}, "maven", "}"},
    {"build.sbt", {"resolvers", "at\""}},
    {"pom.xml", {"<url>"}, "<repository>", "</repository>"},
    {"pom.xml", {"<url>"}, "<pluginRepository>", "</pluginRepository>"},
    {"settings.xml", {"<url>"}, "<repository>", "</repository>"},
    {"settings.xml", {"<url>"}, "<mirror>", "</mirror>"},
    {"nuget.config", {"value="}, "<packageSources>", "</packageSources>"},
    {".gitmodules", {"url="}},
    {"package.swift", {".package(url:", "url:"}},
    {"mix.exs", {"git:"}},
    {"cmakelists.txt", {"git_repository", "url"}, "FetchContent_Declare", ")"},
    {"cmakelists.txt", {"git_repository", "url"}, "ExternalProject_Add", ")"},
    {"flake.nix", {"url="}},
});

// Without blanks, in small letters.
std::string Dense(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool StandsInBlock(std::string_view text, std::size_t at, const Builder& builder) {
  if (builder.block.empty()) return true;
  const std::size_t from = at - std::min(at, kNearBlock);
  const std::string_view before = text.substr(from, at - from);
  const std::size_t open = before.rfind(builder.block);
  return open != std::string_view::npos && before.find(builder.block_end, open + 1) == std::string_view::npos;
}

bool IsComment(std::string_view line) {
  const std::string_view body = Trim(line);
  return body.starts_with('#') || body.starts_with("//") || body.starts_with("<!--") || body.starts_with("--");
}

}  // namespace

void ReadBuildSources(Sheet& sheet, std::string_view base) {
  const std::string_view text = sheet.text();
  constexpr std::size_t kMostSources = 200;
  constexpr std::size_t kMostLooked = 5000;
  std::size_t told = 0;
  std::size_t looked = 0;
  for (const Builder& builder : kBuilders) {
    const bool ending = builder.file.starts_with('.') && builder.file != ".gitmodules";
    if (ending ? !base.ends_with(builder.file) : base != builder.file) continue;
    for (const std::string_view scheme : {"http://", "git://", "ftp://"}) {
      for (std::size_t at = text.find(scheme); at != std::string_view::npos && told < kMostSources;
           at = text.find(scheme, at + scheme.size())) {
        if (++looked > kMostLooked) return sheet.Dropped("more addresses than are looked at");
        // The line as far as it is near: a file of one long line costs no more than others.
        const std::size_t from = at - std::min(at, kNearKey);
        const std::string_view near = text.substr(from, at - from);
        const std::string_view line = near.substr(near.rfind('\n') + 1);
        const std::string dense = Dense(line) + "http";
        const bool said = std::ranges::any_of(
            builder.keys, [&](std::string_view key) { return !key.empty() && dense.find(key) != std::string::npos; });
        if (!said || IsComment(line) || !StandsInBlock(text, at, builder)) continue;
        const std::string_view behind = text.substr(at, kLongestUrl);
        const std::string_view url = behind.substr(0, behind.find_first_of(" \t\r\n\"'<>),;"));
        sheet.Source(url, {at, at + url.size()}, base::Printable(url, 120));
        ++told;
      }
    }
  }
}

}  // namespace interlock::scan
