// Where the samples of `interlock eval scanner` come from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <sstream>

#include "eval_scanner.h"
#include "interlock/platform/file.h"
#include "interlock/platform/package.h"

namespace interlock::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using eval::scanner::SampleLabel;
using eval::scanner::ScanSample;

constexpr std::size_t kMaxFixture = std::size_t{64} << 20;
constexpr std::size_t kMaxList = std::size_t{1} << 20;

Result<std::vector<fs::path>> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failure;
  for (auto it = fs::directory_iterator(folder, failure); !failure && it != fs::directory_iterator();
       it.increment(failure)) {
    out.push_back(it->path());
  }
  if (failure) return Error(ErrorCode::kFileNotFound, "cannot read this folder", {.file = folder.string()});
  std::sort(out.begin(), out.end());
  return out;
}

base::Status AddCorpus(const std::string& folder, std::vector<ScanSample>& out) {
  std::string path = folder + "/corpus.jsonl.gz";
  if (!platform::StatStamp(path).ok()) path = folder + "/scanner_dev/corpus.jsonl.gz";
  platform::PackageLimits limits;
  limits.max_file_bytes = std::uint64_t{1} << 30;
  const Result<core::PackageView> view = platform::LoadPackage(path, limits);
  if (!view.ok()) return view.error().Under(path);
  if (view.value().files.size() != 1) return Error(ErrorCode::kFileType, "not one compressed file", {.file = path});
  const std::string_view text = view.value().files.front().bytes;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    if (end > begin) {
      auto sample = eval::scanner::ParseCorpusRecord(text.substr(begin, end - begin));
      if (!sample.ok()) return sample.error().Under(fmt::format("{}:{}", path, number));
      out.push_back(std::move(sample.value()));
    }
    begin = end + 1;
  }
  return {};
}

base::Status AddFixtures(const std::string& folder, std::vector<ScanSample>& out) {
  const auto classes = EntriesOf(folder);
  if (!classes.ok()) return classes.error();
  const std::size_t before = out.size();
  for (const fs::path& one : classes.value()) {
    if (!fs::is_directory(one)) continue;
    const auto files = EntriesOf(one);
    if (!files.ok()) return files.error();
    for (const fs::path& file : files.value()) {
      if (file.extension() != ".json") continue;
      const auto bytes = platform::ReadFile(file.string(), kMaxFixture);
      if (!bytes.ok()) return bytes.error();
      auto samples = eval::scanner::ParseScanFixture(bytes.value());
      if (!samples.ok()) return samples.error().Under(file.string());
      for (ScanSample& sample : samples.value()) {
        OpenArchives(sample.view);
        out.push_back(std::move(sample));
      }
    }
  }
  if (out.size() == before) return Error(ErrorCode::kFileNotFound, "no fixtures in this folder", {.file = folder});
  return {};
}

ScanSample PackageAt(const fs::path& path, const std::string& kind, bool held) {
  ScanSample sample;
  sample.set = "packages";
  sample.id = path.parent_path().filename().string() + "/" + path.filename().string();
  sample.kind = kind;
  sample.tier = "registry";
  sample.cluster = sample.id;
  sample.held = held;
  sample.hard_negative = kind == "security" ? 2 : 0;
  sample.at_most = core::ScanVerdict::kSafe;
  sample.path = path.string();
  return sample;
}

// By the list that tools/fetch-scan-packages leaves there, else everything that lies in the folder.
base::Status AddPackages(const std::string& folder, std::vector<ScanSample>& out) {
  const auto list = platform::ReadFile(folder + "/packages.txt", kMaxList);
  if (!list.ok()) {
    const auto entries = EntriesOf(folder);
    if (!entries.ok()) return entries.error();
    for (const fs::path& entry : entries.value()) out.push_back(PackageAt(entry, "package", false));
    return {};
  }
  const bool held = list.value().rfind("# held\n", 0) == 0;
  std::istringstream lines(list.value());
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string registry;
    std::string kind;
    std::string name;
    std::string version;
    words >> registry >> kind >> name >> version;
    if (name.rfind('@', 0) == 0) name.erase(0, 1);
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/')) name.replace(at, 1, "__");
    const fs::path path = fs::path(folder) / registry / fmt::format("{}-{}", name, version);
    if (fs::is_directory(path)) out.push_back(PackageAt(path, kind, held));
  }
  return {};
}

}  // namespace

void OpenArchives(core::PackageView& view) {
  static constexpr std::array<std::string_view, 7> kEnds = {".zip", ".tgz", ".tar", ".gz", ".whl", ".skill", ".mcpb"};
  std::vector<core::PackageFile> found;
  for (const core::PackageFile& file : view.files) {
    const bool archive = std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) {
      return file.path.size() > end.size() && file.path.compare(file.path.size() - end.size(), end.size(), end) == 0;
    });
    if (!archive) continue;
    core::PackageView inside = platform::LoadPackageBytes(file.path, file.bytes);
    for (core::PackageFile& member : inside.files) {
      member.path = file.path + "!/" + member.path;
      found.push_back(std::move(member));
    }
  }
  if (found.empty()) return;
  view.files.insert(view.files.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  std::sort(view.files.begin(), view.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
}

Result<std::vector<ScanSample>> LoadScanSamples(const EvalScannerArgs& args) {
  std::vector<ScanSample> out;
  if (!args.data.empty()) {
    if (auto status = AddCorpus(args.data, out); !status.ok()) return status.error();
  }
  if (!args.fixtures.empty()) {
    if (auto status = AddFixtures(args.fixtures, out); !status.ok()) return status.error();
  }
  if (!args.packages.empty()) {
    if (auto status = AddPackages(args.packages, out); !status.ok()) return status.error();
  }
  if (args.split != "all") {
    const bool held = args.split == "held";
    std::erase_if(out, [&](const ScanSample& sample) { return sample.held != held; });
  }
  if (out.empty())
    return Error(ErrorCode::kInvalidArgument, "nothing to measure: name --data, --fixtures or --packages");
  return out;
}

}  // namespace interlock::app
