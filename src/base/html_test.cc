#include "interlock/base/html.h"

#include <gtest/gtest.h>

namespace interlock::base {
namespace {

TEST(Html, LeavesNothingThatOpensATagOrEndsAnAttribute) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" title='y'>&amp;"), "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;");
}

TEST(Html, ShowsWhatTurnsTextAround) {
  const std::string shown = EscapeHtml(
      "a\xE2\x80\xAE"
      "b\x01");
  EXPECT_EQ(shown.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_EQ(shown.find('\x01'), std::string::npos);
}

TEST(Html, ReadsNoMoreThanItIsTold) { EXPECT_EQ(EscapeHtml("<<<<", 1).find("&lt;&lt;"), std::string::npos); }

}  // namespace
}  // namespace interlock::base
