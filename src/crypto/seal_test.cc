#include "crypto/seal.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "core/base64.h"

namespace patchbay::policy {
namespace {

const Sealer kSealer(Sealer::Key{1, 2, 3});

TEST(Seal, OpensWhatItMade) {
  for (const std::string& plain :
       {std::string(), std::string("a"), std::string(100'000, 'x'), std::string("\0\xFF\n", 3)}) {
    const std::string sealed = kSealer.seal(plain, "for ann");
    const auto opened = kSealer.open(sealed, "for ann");
    ASSERT_TRUE(opened);
    EXPECT_EQ(*opened, plain);
  }
}

TEST(Seal, HidesTheText) {
  const std::string plain = "a text that is long enough not to come up by chance";
  const auto raw = base64url_decode(kSealer.seal(plain, ""));
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->find(plain.substr(0, 8)), std::string::npos);
}

TEST(Seal, AnEmptyContextIsAContextToo) {
  const std::string sealed = kSealer.seal("text", "");
  EXPECT_TRUE(kSealer.open(sealed, ""));
  EXPECT_FALSE(kSealer.open(sealed, "x"));
}

TEST(Seal, RefusesWhatWasChangedAnywhere) {
  const std::string sealed = kSealer.seal("some text", "for ann");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(kSealer.open(changed, "for ann")) << i;
    EXPECT_FALSE(kSealer.open(sealed.substr(0, i), "for ann")) << i;
  }
  EXPECT_FALSE(kSealer.open(sealed + "A", "for ann"));
  EXPECT_FALSE(kSealer.open("=" + sealed, "for ann"));
}

TEST(Seal, RefusesAnotherContextAndAnotherKeyAlike) {
  const std::string sealed = kSealer.seal("some text", "for ann");
  const Sealer other(Sealer::Key{9});
  const auto context = kSealer.open(sealed, "for bob");
  const auto key = other.open(sealed, "for ann");
  const auto rubbish = kSealer.open("rubbish", "for ann");
  for (const auto* const refused : {&context, &key, &rubbish}) {
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().code, Code::invalid_params);
    EXPECT_EQ(refused->error().message, "was not made here, or has been changed");
  }
}

// The key as given is the key that is used: two nodes with one key understand each other.
TEST(Seal, OpensATokenMadeElsewhere) {
  // Key 00 01 … 1f, nonce 0c × 12, made by another program.
  Sealer::Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(i);
  const auto opened =
      Sealer(key).open("DAwMDAwMDAwMDAwMmdJ_nH58BhymgFgupOcpUQnaPiGOmALeaw9OQagd", "context");
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, "made elsewhere");
}

TEST(Seal, MarksAreTheSameEachTimeAndOnlyForTheirText) {
  const std::string mark = kSealer.mark("text");
  EXPECT_EQ(mark, kSealer.mark("text"));
  EXPECT_EQ(mark.size(), 16);
  EXPECT_TRUE(kSealer.is_mark(mark, "text"));
  EXPECT_FALSE(kSealer.is_mark(mark, "texT"));
  EXPECT_FALSE(kSealer.is_mark("", "text"));
  EXPECT_FALSE(kSealer.is_mark(mark + "A", "text"));
  EXPECT_FALSE(Sealer(Sealer::Key{7}).is_mark(mark, "text"));
}

TEST(Seal, RandomKeysDiffer) {
  const auto one = Sealer::random();
  const auto two = Sealer::random();
  ASSERT_TRUE(one && two);
  EXPECT_FALSE(two->open(one->seal("text", ""), ""));
  EXPECT_TRUE(one->open(one->seal("text", ""), ""));
}

TEST(Seal, WorksOnManyThreadsAndNeverRepeatsANonce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<std::vector<std::string>> sealed(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : sealed) {
      threads.emplace_back([&mine] {
        for (int i = 0; i < kEach; ++i) mine.push_back(kSealer.seal(std::to_string(i), "c"));
      });
    }
  }
  std::set<std::string> nonces;
  for (const auto& mine : sealed) {
    for (int i = 0; i < kEach; ++i) {
      EXPECT_EQ(*kSealer.open(mine[static_cast<std::size_t>(i)], "c"), std::to_string(i));
      nonces.insert(base64url_decode(mine[static_cast<std::size_t>(i)])->substr(0, 12));
    }
  }
  EXPECT_EQ(nonces.size(), kThreads * kEach);
}

}  // namespace
}  // namespace patchbay::policy
