// interlock_scan_bake FOLDER: what the build makes of the scanner's data. Wrong data stops the build with what is
// wrong.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bake/bake.h"
#include "code/catalogue.h"

namespace interlock::embedded {
std::string_view Find_scan_rules(std::string_view file);    // generated: cmake/Embed.cmake
std::string_view Find_scan_meaning(std::string_view file);  // generated: cmake/Embed.cmake
std::string_view Find_scan_popular(std::string_view file);  // generated: cmake/Embed.cmake
}  // namespace interlock::embedded

namespace interlock::scan {
namespace {

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}

  void Write(const std::string& name, const auto& data) {
    BakedWriter out;
    data.Write(out);
    Write(name, out);
  }
  void Write(const std::string& name, const BakedWriter& out) {
    std::ofstream file(path_ / name, std::ios::binary | std::ios::trunc);
    file << out.bytes();
    good_ = good_ && file.flush().good();
  }
  [[nodiscard]] bool good() const noexcept { return good_; }

 private:
  std::filesystem::path path_;
  bool good_ = true;
};

int Fail(const base::Error& error) {
  std::cerr << "interlock_scan_bake: " << error.ToString() << '\n';
  return 1;
}

int Bake(const char* path) {
  Folder folder(path);
  const base::Result<BakedRules> rules = RulesFromJson();
  if (!rules.ok()) return Fail(rules.error());
  folder.Write("rules.baked", rules.value());
  for (const std::string language : {"python", "javascript", "go", "rust"}) {
    const auto parsed = code::Catalogue::Parse(embedded::Find_scan_rules("catalogue/" + language + ".json"));
    if (!parsed.ok()) return Fail(parsed.error());
    folder.Write(language + ".baked", parsed.value());
  }
  const MeaningLexicon lexicon = LexiconFromJson(embedded::Find_scan_meaning("lexicon.json"));
  folder.Write("lexicon.baked", lexicon);
  folder.Write("model.baked", ModelFromJson(lexicon, embedded::Find_scan_meaning("frames.json"),
                                            embedded::Find_scan_meaning("weights.json")));
  BakedWriter words;
  BakeWords(embedded::Find_scan_meaning("words.txt"), words);
  folder.Write("words.baked", words);
  for (const std::string ecosystem : {"npm", "pypi"}) {
    BakedWriter names;
    BakeNames(embedded::Find_scan_popular(ecosystem + ".txt"), names);
    folder.Write(ecosystem + ".baked", names);
  }
  if (folder.good()) return 0;
  std::cerr << "interlock_scan_bake: cannot write to " << path << '\n';
  return 1;
}

}  // namespace
}  // namespace interlock::scan

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: interlock_scan_bake FOLDER\n";
    return 2;
  }
  return interlock::scan::Bake(argv[1]);
}
