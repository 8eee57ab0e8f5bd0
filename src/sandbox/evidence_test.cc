#include "sandbox/evidence.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

TEST(SandboxEvidence, VerdictsOnServers) {
  sandbox::Usage usage;
  EXPECT_EQ(verdict_on({0, false}, usage), "exit");
  EXPECT_EQ(verdict_on({3, false}, usage), "exit");
  EXPECT_EQ(verdict_on({9, true}, usage), "signal");
  EXPECT_EQ(verdict_on({137, false}, usage), "signal");  // As a shell reports it.
  usage.pids_refused = 1;
  EXPECT_EQ(verdict_on({1, false}, usage), "pids");
  usage.out_of_memory = 1;
  EXPECT_EQ(verdict_on({137, false}, usage), "memory");
  // Its child reached the limit, and it continued.
  EXPECT_EQ(verdict_on({0, false}, usage), "exit");
}

}  // namespace
}  // namespace patchbay::upstreams
