#include "gateway/call/session_digests.h"

#include <gtest/gtest.h>

#include "crypto/sha256.h"

namespace patchbay::gateway {
namespace {

TEST(SessionDigests, AreThoseOfTheIdHoweverManyThereAre) {
  SessionDigests digests;
  EXPECT_EQ(digests.digest_of(""), "");
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2'000; ++i) {
      const std::string id = "session-" + std::to_string(i);
      EXPECT_EQ(digests.digest_of(id), policy::sha256(id).substr(0, 16));
      EXPECT_EQ(digests.digest_of(id), policy::sha256(id).substr(0, 16));
    }
  }
}

}  // namespace
}  // namespace patchbay::gateway
