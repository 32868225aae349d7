#include "static/plain_deeds.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::scan {
namespace {

TEST(UnpacksUnasked, WhatAnotherMethodAsksExcusesNothing) {
  const std::string unpacks =
      "void unpack(ZipInputStream in, File to) throws IOException {\n"
      "  for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry())\n"
      "    copy(in, new File(to, entry.getName()));\n}\n";
  const std::size_t at = unpacks.find("copy(");
  EXPECT_TRUE(UnpacksUnasked(unpacks, at));
  const std::string far(3'000, '\n');
  EXPECT_TRUE(UnpacksUnasked(unpacks + far + "boolean isHttp(String s) { return s.startsWith(\"http\"); }\n", at));
  EXPECT_TRUE(UnpacksUnasked("if (s.startsWith(\"http\")) {}\n" + far + unpacks, far.size() + 30 + at));
}

TEST(UnpacksUnasked, WhatIsAskedBesideTheJoinExcusesIt) {
  const std::string unpacks =
      "void unpack(ZipInputStream in, File to) throws IOException {\n"
      "  ZipEntry entry = in.getNextEntry();\n"
      "  File out = new File(to, entry.getName());\n"
      "  if (!out.getCanonicalPath().startsWith(to.getCanonicalPath())) throw new IOException();\n}\n";
  EXPECT_FALSE(UnpacksUnasked(unpacks, unpacks.find("File out")));
}

TEST(UnpacksUnasked, PlacesAtTheEndsAreNoCrash) {
  EXPECT_FALSE(UnpacksUnasked("", 0));
  EXPECT_TRUE(UnpacksUnasked("ZipEntry", 8));
}

}  // namespace
}  // namespace interlock::scan
