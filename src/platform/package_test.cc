#include "interlock/platform/package.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "archive_for_test.h"
#include "interlock/platform/file.h"
#include "temp_dir_for_test.h"

namespace interlock::platform {
namespace {

using base::ErrorCode;
using core::PackageView;
using core::SkipReason;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void Write(const std::string& path, std::string_view bytes) {
  const std::size_t slash = path.rfind('/');
  ASSERT_TRUE(CreateDirectories(path.substr(0, slash)).ok());
  std::ofstream(path, std::ios::binary) << bytes;
}

PackageView Load(const std::string& path, const PackageLimits& limits = {}) {
  auto view = LoadPackage(path, limits);
  EXPECT_TRUE(view.ok()) << (view.ok() ? "" : view.error().ToString());
  return view.ok() ? std::move(view.value()) : PackageView{};
}

std::vector<std::string> Paths(const PackageView& view) {
  std::vector<std::string> paths;
  for (const auto& file : view.files) paths.push_back(file.path);
  return paths;
}

// "reason path" of each.
std::vector<std::string> Skipped(const PackageView& view) {
  std::vector<std::string> out;
  for (const auto& part : view.skipped) out.push_back(std::string(NameOf(part.reason)) + " " + part.path);
  return out;
}

std::string BytesOf(const PackageView& view, std::string_view path) {
  const auto* file = view.Find(path);
  return file == nullptr ? "<missing>" : file->bytes;
}

TEST(Package, FolderBecomesSortedFiles) {
  const TempDir dir;
  Write(dir.File("scripts/run.sh"), "#!/bin/sh\n");
  Write(dir.File("SKILL.md"), "---\nname: x\n---\n");
  Write(dir.File("empty"), "");
  ::chmod(dir.File("scripts/run.sh").c_str(), 0755);
  const PackageView view = Load(dir.path());
  EXPECT_EQ(view.target, dir.path());
  EXPECT_THAT(Paths(view), ElementsAre("SKILL.md", "empty", "scripts/run.sh"));
  EXPECT_FALSE(view.Find("SKILL.md")->executable);
  EXPECT_TRUE(view.Find("scripts/run.sh")->executable);
  EXPECT_THAT(view.skipped, IsEmpty());
  EXPECT_EQ(view.total_bytes, 26u);
}

TEST(Package, SingleFileIsAPackage) {
  const TempDir dir;
  Write(dir.File("server.py"), "print(1)\n");
  const PackageView view = Load(dir.File("server.py"));
  EXPECT_THAT(Paths(view), ElementsAre("server.py"));
}

TEST(Package, TargetThatCannotBeReadIsAnError) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir.File("pipe").c_str(), 0600), 0);
  EXPECT_EQ(LoadPackage(dir.File("none")).error().code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(LoadPackage(dir.File("pipe")).error().code(), ErrorCode::kFileType);
  EXPECT_EQ(LoadPackage("/dev/null").error().code(), ErrorCode::kFileType);
  EXPECT_EQ(LoadPackage("").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(LoadPackage(std::string("a\0b", 3)).error().code(), ErrorCode::kInvalidArgument);
}

TEST(Package, LinksInsideAreReadAndAllOthersNamed) {
  const TempDir outside;
  Write(outside.File("secret"), "secret");
  const TempDir dir;
  Write(dir.File("a/real.md"), "real");
  ASSERT_EQ(::symlink("a/real.md", dir.File("inside.md").c_str()), 0);
  ASSERT_EQ(::symlink("../a/real.md", dir.File("a/round.md").c_str()), 0);
  ASSERT_EQ(::symlink(outside.File("secret").c_str(), dir.File("absolute").c_str()), 0);
  ASSERT_EQ(::symlink("../../../../../../etc/passwd", dir.File("a/climbs").c_str()), 0);
  ASSERT_EQ(::symlink("a", dir.File("folder").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", dir.File("dangling").c_str()), 0);
  ASSERT_EQ(::symlink("loop", dir.File("loop").c_str()), 0);
  const PackageView view = Load(dir.path());
  EXPECT_THAT(Paths(view), ElementsAre("a/real.md", "a/round.md", "inside.md"));
  EXPECT_EQ(BytesOf(view, "inside.md"), "real");
  EXPECT_THAT(Skipped(view),
              ElementsAre("link a/climbs", "link absolute", "link dangling", "link folder", "link loop"));
  EXPECT_EQ(view.skipped[0].detail, "-> ../../../../../../etc/passwd");
}

TEST(Package, NothingButRegularFilesIsOpened) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo(dir.File("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("pipe", dir.File("to-pipe").c_str()), 0);
  Write(dir.File(".git/config"), "[core]");
  Write(dir.File("sub/.git"), "gitdir: elsewhere");
  const PackageView view = Load(dir.path());
  EXPECT_THAT(view.files, IsEmpty());
  EXPECT_THAT(Skipped(view), ElementsAre("ignored .git/", "special pipe", "ignored sub/.git", "link to-pipe"));
}

TEST(Package, OneFileOverTheLimitIsNamed) {
  const TempDir dir;
  Write(dir.File("big"), std::string(101, 'x'));
  Write(dir.File("fits"), std::string(100, 'x'));
  const PackageView view = Load(dir.path(), {.max_file_bytes = 100});
  EXPECT_THAT(Paths(view), ElementsAre("fits"));
  ASSERT_THAT(Skipped(view), ElementsAre("too-large big"));
  EXPECT_EQ(view.skipped[0].bytes, 101u);
  EXPECT_EQ(view.total_bytes, 201u);
}

TEST(Package, OfALargeFileItIsSaidWhetherItIsAProgram) {
  const TempDir dir;
  Write(dir.File("program"), std::string("\x7f"
                                         "ELF") +
                                 std::string(200, '\0'));
  Write(dir.File("text"), std::string(200, 'x'));
  const PackageView view = Load(dir.path(), {.max_file_bytes = 100});
  ASSERT_THAT(Skipped(view), ElementsAre("too-large program", "too-large text"));
  EXPECT_EQ(view.skipped[0].detail, core::kCompiledProgram);
  EXPECT_EQ(view.skipped[1].detail, "");
}

TEST(Package, BudgetGoesToTheTopAndToWhatSaysWhatItIs) {
  const TempDir dir;
  for (const char* name : {"a", "b", "c", "SKILL.md", "sub/d", "node_modules/x/e"}) Write(dir.File(name), "12345");
  const PackageView view = Load(dir.path(), {.max_total_bytes = 22});
  EXPECT_THAT(Paths(view), ElementsAre("SKILL.md", "a", "b", "c"));
  EXPECT_THAT(Skipped(view), ElementsAre("budget node_modules/x/e", "budget sub/d"));
  EXPECT_EQ(view.total_bytes, 30u);
  const PackageView files = Load(dir.path(), {.max_files = 5});
  EXPECT_THAT(Paths(files), ElementsAre("SKILL.md", "a", "b", "c", "sub/d"));
}

TEST(Package, DeepFoldersEnd) {
  const TempDir dir;
  Write(dir.File("1/2/3/4/f"), "x");
  Write(dir.File("1/2/f"), "x");
  const PackageView view = Load(dir.path(), {.max_depth = 2});
  EXPECT_THAT(Paths(view), ElementsAre("1/2/f"));
  EXPECT_THAT(Skipped(view), ElementsAre("too-deep 1/2/3/"));
}

TEST(Package, ManySkippedPartsAreCountedByFolder) {
  const TempDir dir;
  for (int i = 0; i < 200; ++i) Write(dir.File("many/" + std::to_string(1000 + i)), "x");
  const PackageView view = Load(dir.path(), {.max_files = 1});
  EXPECT_THAT(view.files, SizeIs(1));
  std::uint64_t counted = 0;
  std::uint64_t bytes = 0;
  for (const auto& part : view.skipped) {
    counted += part.path.ends_with('/') ? std::stoull(part.detail) : 1;
    bytes += part.bytes;
  }
  EXPECT_LT(view.skipped.size(), 60u);
  EXPECT_EQ(counted, 199u);
  EXPECT_EQ(bytes, 199u);
}

TEST(Package, EntriesBeyondTheLimitAreNotListed) {
  const TempDir dir;
  for (int i = 0; i < 50; ++i) Write(dir.File(std::to_string(1000 + i)), "x");
  const PackageView view = Load(dir.path(), {.max_entries = 10});
  EXPECT_THAT(view.files, SizeIs(10));
  EXPECT_THAT(Skipped(view), ElementsAre("budget ./"));
}

TEST(Package, ProgressIsReported) {
  const TempDir dir;
  for (int i = 0; i < 1001; ++i) Write(dir.File(std::to_string(i)), "");
  std::uint64_t seen = 0;
  const auto view = LoadPackage(dir.path(), {}, [&](const PackageProgress& progress) { seen = progress.entries; });
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(seen, 1000u);
}

class PackageFormats : public ::testing::TestWithParam<TestFormat> {};

TEST_P(PackageFormats, MembersAreTheFiles) {
  const TempDir dir;
  Write(dir.File("data.bin"), MakeArchive(GetParam(), {{"SKILL.md", "skill"},
                                                       {"./scripts/run.sh", "run", "", "", AE_IFREG, 0755},
                                                       {"docs/", "", "", "", AE_IFDIR},
                                                       {"docs/zażółć.md", "text"}}));
  const PackageView view = Load(dir.File("data.bin"));
  EXPECT_THAT(Paths(view), ElementsAre("SKILL.md", "docs/zażółć.md", "scripts/run.sh"));
  EXPECT_EQ(BytesOf(view, "docs/zażółć.md"), "text");
  EXPECT_TRUE(view.Find("scripts/run.sh")->executable);
  EXPECT_THAT(view.skipped, IsEmpty());
}

TEST_P(PackageFormats, CutAnywhereItEndsAndSaysSo) {
  const std::string whole = MakeArchive(GetParam(), {{"a/one.py", std::string(3000, 'x')}, {"a/two.py", "print()"}});
  const std::size_t step = std::max<std::size_t>(1, whole.size() / 60);
  for (std::size_t size = 0; size < whole.size(); size += step) {
    const PackageView view = LoadPackageBytes("x.bin", std::string_view(whole).substr(0, size));
    EXPECT_TRUE(!view.files.empty() || !view.skipped.empty()) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackageFormats,
                         ::testing::Values(TestFormat::kZip, TestFormat::kTar, TestFormat::kTarGzip,
                                           TestFormat::kTarBzip2, TestFormat::kTarXz, TestFormat::kTarZstd));

TEST(PackageArchive, OneFolderAroundEverythingIsLeftOut) {
  const auto npm = MakeArchive(TestFormat::kTarGzip, {{"package/package.json", "{}"}, {"package/index.js", "1"}});
  EXPECT_THAT(Paths(LoadPackageBytes("x-1.0.0.tgz", npm)), ElementsAre("index.js", "package.json"));
  const auto wheel = MakeArchive(TestFormat::kZip, {{"x/__init__.py", ""}, {"x-1.dist-info/METADATA", "Name: x"}});
  EXPECT_THAT(Paths(LoadPackageBytes("x-1-py3-none-any.whl", wheel)),
              ElementsAre("x-1.dist-info/METADATA", "x/__init__.py"));
  const auto module = MakeArchive(TestFormat::kZip, {{"x/__init__.py", ""}, {"x/y.py", ""}});
  EXPECT_THAT(Paths(LoadPackageBytes("x.zip", module)), ElementsAre("x/__init__.py", "x/y.py"));
  const auto skill =
      MakeArchive(TestFormat::kZip, {{"s/SKILL.md", "x"}, {"__MACOSX/s/._SKILL.md", "y"}, {"s/link", "", "/etc"}});
  const PackageView view = LoadPackageBytes("s.skill", skill);
  EXPECT_THAT(Paths(view), ElementsAre("SKILL.md", "__MACOSX/s/._SKILL.md"));
  EXPECT_THAT(Skipped(view), ElementsAre("link link"));
}

TEST(PackageArchive, MembersThatWouldLeaveThePackageAreNamed) {
  const std::vector<TestMember> members = {{"../up", "1"}, {"a/../../up", "2"}, {"/etc/cron.d/x", "3"}, {"ok", "4"}};
  for (const TestFormat format : {TestFormat::kZip, TestFormat::kTar}) {
    const PackageView view = LoadPackageBytes("x", MakeArchive(format, members));
    EXPECT_THAT(Paths(view), ElementsAre("ok"));
    EXPECT_THAT(Skipped(view), ElementsAre("unsafe-path ../up", "unsafe-path /etc/cron.d/x", "unsafe-path a/../../up"));
  }
  const PackageView windows = LoadPackageBytes(
      "x", MakeArchive(TestFormat::kZip, {{"..\\up", "1"}, {"C:\\x", "2"}, {"a\\b", "3"}, {"c", "4"}}));
  EXPECT_THAT(Paths(windows), ElementsAre("a/b", "c"));
  EXPECT_THAT(Skipped(windows), ElementsAre("unsafe-path ../up", "unsafe-path C:/x"));
}

TEST(PackageArchive, LinksAndSpecialMembersAreNamed) {
  const PackageView view =
      LoadPackageBytes("x.tar", MakeArchive(TestFormat::kTar, {{"file", "1"},
                                                               {"soft", "", "/etc/passwd"},
                                                               {"hard", "", "", "file"},
                                                               {"fifo", "", "", "", AE_IFIFO},
                                                               {"device", "", "", "", AE_IFCHR},
                                                               {".git/hooks/post-checkout", "x"}}));
  EXPECT_THAT(Paths(view), ElementsAre("file"));
  EXPECT_THAT(Skipped(view), ElementsAre("ignored .git/hooks/post-checkout", "special device", "special fifo",
                                         "link hard", "link soft"));
}

TEST(PackageArchive, LastMemberOfAPathCountsAndTheOtherIsNamed) {
  for (const TestFormat format : {TestFormat::kZip, TestFormat::kTarGzip}) {
    const PackageView view =
        LoadPackageBytes("x", MakeArchive(format, {{"setup.py", "first"}, {"a", "1"}, {"./setup.py", "second"}}));
    EXPECT_EQ(BytesOf(view, "setup.py"), "second");
    EXPECT_THAT(Skipped(view), ElementsAre("unsafe-path setup.py"));
    EXPECT_EQ(view.total_bytes, 12u);
  }
}

TEST(PackageArchive, NameCutByANulByteIsNamed) {
  std::string bytes = MakeArchive(TestFormat::kZip, {{"good.pyX.txt", "1"}});
  for (std::size_t at = bytes.find("good.pyX"); at != std::string::npos; at = bytes.find("good.pyX", at))
    bytes[at + 7] = '\0';
  const PackageView view = LoadPackageBytes("x.zip", bytes);
  EXPECT_THAT(Paths(view), ElementsAre("good.py"));
  EXPECT_THAT(Skipped(view), ElementsAre("unsafe-path good.py"));
}

TEST(PackageArchive, EncryptedMembersAreDamaged) {
  const PackageView view = LoadPackageBytes("x.zip", MakeArchive(TestFormat::kZip, {{"secret.py", "print()"}}, "word"));
  ASSERT_THAT(Skipped(view), ElementsAre("damaged secret.py"));
  EXPECT_EQ(view.skipped[0].detail, "encrypted");
}

TEST(PackageArchive, ArchivesInsideAreOpenedToTheDepthAllowed) {
  std::string bytes = MakeArchive(TestFormat::kZip, {{"deepest.md", "d"}});
  for (const char* name : {"four.zip", "three.tgz", "two.zip", "one.tgz"})
    bytes = MakeArchive(std::string_view(name).ends_with("zip") ? TestFormat::kZip : TestFormat::kTarGzip,
                        {{name, bytes}, {"f", "x"}});
  const TempDir dir;
  Write(dir.File("assets/outer.dat"), bytes);
  const PackageView view = Load(dir.path());
  EXPECT_NE(view.Find("assets/outer.dat"), nullptr);
  EXPECT_NE(view.Find("assets/outer.dat!/f"), nullptr);
  EXPECT_NE(view.Find("assets/outer.dat!/one.tgz!/two.zip!/f"), nullptr);
  EXPECT_THAT(Skipped(view), ElementsAre("too-deep assets/outer.dat!/one.tgz!/two.zip!/three.tgz"));
  EXPECT_EQ(Load(dir.path(), {.max_archive_depth = 0}).files.size(), 1u);
}

TEST(PackageArchive, ZipBehindOtherBytesIsFound) {
  const std::string zip = MakeArchive(TestFormat::kZip, {{"__main__.py", "print()"}, {"x.py", "1"}});
  const TempDir dir;
  Write(dir.File("app.pyz"), "#!/usr/bin/env python3\n" + zip);
  Write(dir.File("logo.png"), "\x89PNG\r\n" + std::string(2000, 'p') + zip);
  Write(dir.File("text.md"), "PK\5\6 is how a zip ends, they say");
  const PackageView view = Load(dir.path());
  EXPECT_THAT(Paths(view), ElementsAre("app.pyz", "app.pyz!/__main__.py", "app.pyz!/x.py", "logo.png",
                                       "logo.png!/__main__.py", "logo.png!/x.py", "text.md"));
  EXPECT_THAT(view.skipped, IsEmpty());
}

TEST(PackageArchive, MemberDoesNotReplaceAFileFromElsewhere) {
  const TempDir dir;
  Write(dir.File("x.zip!/a"), "file");
  Write(dir.File("x.zip"), MakeArchive(TestFormat::kZip, {{"a", "member"}}));
  const PackageView view = Load(dir.path());
  EXPECT_EQ(BytesOf(view, "x.zip!/a"), "file");
  EXPECT_THAT(Skipped(view), ElementsAre("unsafe-path x.zip!/a"));
}

TEST(PackageArchive, SingleCompressedFileIsOpened) {
  const auto bytes = MakeArchive(TestFormat::kGzip, {{"any", "import os\n"}});
  const PackageView view = LoadPackageBytes("payload.py.gz", bytes);
  EXPECT_THAT(Paths(view), ElementsAre("payload.py"));
  EXPECT_EQ(BytesOf(view, "payload.py"), "import os\n");
}

TEST(PackageArchive, NothingHidesBehindZeros) {
  const std::string payload = std::string(2048, '\0') + "import os\n";
  const PackageView single = LoadPackageBytes("x.bin.gz", MakeArchive(TestFormat::kGzip, {{"any", payload}}));
  EXPECT_TRUE(BytesOf(single, "x.bin") == payload);
  // A second tar after the end mark of the first.
  const PackageView twice = LoadPackageBytes(
      "x.tar", MakeArchive(TestFormat::kTar, {{"a", "1"}}) + MakeArchive(TestFormat::kTar, {{"b", "2"}}));
  EXPECT_THAT(Paths(twice), ElementsAre("a", "b"));
}

TEST(PackageArchive, BombsEndAtTheRatio) {
  const std::string zeros(std::size_t{3} << 20, '\0');
  const PackageLimits limits{.max_ratio = 50, .ratio_floor_bytes = std::uint64_t{1} << 20};
  for (const TestFormat format : {TestFormat::kZip, TestFormat::kTarGzip, TestFormat::kTarZstd, TestFormat::kTarXz}) {
    const PackageView view = LoadPackageBytes("x", MakeArchive(format, {{"a", zeros}, {"b", zeros}}), limits);
    EXPECT_THAT(Skipped(view), ElementsAre("bomb ./"));
  }
}

TEST(PackageArchive, MembersOverTheLimitAreNamedWithoutBeingKept) {
  const std::string large(5000, 'x');
  for (const TestFormat format : {TestFormat::kZip, TestFormat::kTar, TestFormat::kTarGzip}) {
    const PackageView view = LoadPackageBytes(
        "x", MakeArchive(format, {{"large", large}, {"small", "1"}, {"small2", "2"}}), {.max_file_bytes = 4000});
    EXPECT_THAT(Paths(view), ElementsAre("small", "small2"));
    EXPECT_THAT(Skipped(view), ElementsAre("too-large large"));
  }
}

TEST(PackageArchive, AllThatIsUnpackedIsBounded) {
  std::vector<TestMember> members;
  for (int i = 0; i < 100; ++i) members.push_back({"f" + std::to_string(i), std::string(2000, 'x')});
  const auto bytes = MakeArchive(TestFormat::kTarGzip, members);
  const PackageView view =
      LoadPackageBytes("x", bytes, {.max_unpacked_bytes = 20'000, .ratio_floor_bytes = std::uint64_t{1} << 30});
  EXPECT_LE(view.files.size(), 10u);
  EXPECT_THAT(Skipped(view), ElementsAre("budget ./"));
}

TEST(PackageArchive, ZipOfTooManyMembersIsNotOpened) {
  std::vector<TestMember> members;
  for (int i = 0; i < 30; ++i) members.push_back({"f" + std::to_string(i), ""});
  const PackageView view = LoadPackageBytes("x", MakeArchive(TestFormat::kZip, members), {.max_files = 10});
  EXPECT_THAT(Skipped(view), ElementsAre("budget ./"));
}

TEST(PackageArchive, WrongChecksumIsNamedAndTheBytesAreStillRead) {
  const std::string content = "import os\nprint('the checksum does not fit this text')\n";
  std::string bytes = MakeArchive(TestFormat::kZip, {{"a.py", content}});
  // The directory's copy of the checksum is the one that readers go by.
  const std::size_t directory = bytes.rfind("PK\1\2");
  ASSERT_NE(directory, std::string::npos);
  bytes[directory + 16] = static_cast<char>(bytes[directory + 16] ^ 0x55);
  const PackageView view = LoadPackageBytes("x.zip", bytes);
  EXPECT_EQ(BytesOf(view, "a.py"), content);
  EXPECT_THAT(Skipped(view), ElementsAre("damaged a.py"));
}

}  // namespace
}  // namespace interlock::platform
