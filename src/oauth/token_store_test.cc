#include "oauth/token_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/ids.h"

namespace patchbay::oauth {
namespace {

namespace fs = std::filesystem;

class TokenStoreTest : public testing::Test {
 protected:
  TokenStoreTest() : folder_(fs::temp_directory_path() / ("tokens-" + random_hex(8))) {
    fs::create_directories(folder_);
  }
  ~TokenStoreTest() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ / "tokens.sqlite"; }
  std::unique_ptr<TokenStore> open(unsigned char seed) const {
    policy::Sealer::Key key;
    key.fill(seed);
    auto store = TokenStore::open(path(), policy::Sealer(key));
    return store ? *std::move(store) : nullptr;
  }
  std::string bytes_on_disk() const {
    std::string all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }

  const fs::path folder_;
};

TEST_F(TokenStoreTest, KeepsValuesByUpstreamPrincipalAndIssuer) {
  {
    const auto store = open(1);
    ASSERT_TRUE(store->put_token({"far", "ann", "https://as"}, "first secret value"));
    ASSERT_TRUE(store->put_token({"far", "ann", "https://as"}, "second secret value"));
    ASSERT_TRUE(store->put_token({"far", "bob", "https://as"}, "third"));
    ASSERT_TRUE(store->put_client({"far", "", "https://as"}, "client secret value"));
  }
  const auto store = open(1);
  const auto rows = store->tokens_of("far", "ann");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().value, "second secret value");
  EXPECT_EQ(rows->front().key.issuer, "https://as");
  EXPECT_EQ(store->clients_of("far")->front().value, "client secret value");
  EXPECT_TRUE(store->tokens_of("near", "ann")->empty());
  EXPECT_EQ(bytes_on_disk().find("secret value"), std::string::npos);
}

TEST_F(TokenStoreTest, WhatIsTakenOutIsGone) {
  const auto store = open(1);
  ASSERT_TRUE(store->put_token({"far", "ann", "i"}, "x"));
  ASSERT_TRUE(store->remove_token({"far", "ann", "i"}));
  EXPECT_TRUE(store->tokens_of("far", "ann")->empty());
}

TEST_F(TokenStoreTest, AnotherKeyOpensNothing) {
  ASSERT_TRUE(open(1)->put_token({"far", "ann", "i"}, "x"));
  const auto store = open(2);
  EXPECT_TRUE(store->tokens_of("far", "ann")->empty());
  EXPECT_EQ(store->unreadable(), 1U);
}

TEST_F(TokenStoreTest, ARowThatWasMovedDoesNotOpen) {
  ASSERT_TRUE(open(1)->put_token({"far", "ann", "i"}, "x"));
  auto database = sqlite::Database::open(path());
  ASSERT_TRUE(database->run("UPDATE tokens SET principal = 'bob'"));
  const auto store = open(1);
  EXPECT_TRUE(store->tokens_of("far", "bob")->empty());
  EXPECT_EQ(store->unreadable(), 1U);
}

}  // namespace
}  // namespace patchbay::oauth
