#include "cli/waterfall.h"

#include <gtest/gtest.h>

namespace patchbay::app {
namespace {

TEST(Waterfall, BarsAreToScale) {
  const std::string text = waterfall(
      R"({"method":"tools/call","target":"fake__echo","outcome":"ok","failed":false,"took_ms":10,)"
      R"("caller":"ann","upstream":"fake","upstream_kind":"stdio","bytes_in":3,"bytes_out":4,)"
      R"("stages":[{"stage":"attempt","began_ms":5,"took_ms":5},)"
      R"({"stage":"limit","began_ms":0,"took_ms":0.001},)"
      R"({"stage":"attempt","began_ms":2.5,"took_ms":2.5,"failed":true}],"stages_dropped":2})",
      -1, {.columns = 50, .out = stdout});
  EXPECT_EQ(text,
            "tools/call fake__echo  ok  10.000 ms\n"
            "  caller ann  upstream fake (stdio)  in 3 B\n"
            "  out 4 B\n"
            "  limit             0.001 ms  #\n"
            "  attempt 2         2.500 ms       #####\n"
            "  attempt           5.000 ms            ##########\n"
            "  and 2 further stages\n");
}

TEST(Waterfall, NothingInItIsObeyedByATerminal) {
  const std::string text = waterfall(
      "{\"method\":\"m\",\"target\":\"a\\u001b[2Jb\\u202ec\\n\",\"outcome\":\"<b>\",\"took_ms\":-1,"
      "\"stages\":[{\"stage\":\"\\u0007\",\"began_ms\":1e300,\"took_ms\":1e300},"
      "{\"stage\":\"x\",\"began_ms\":-5,\"took_ms\":-9}]}",
      0, {.columns = 5, .out = stdout});
  for (const char c : text) EXPECT_TRUE(c == '\n' || c >= ' ') << text;
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::app
