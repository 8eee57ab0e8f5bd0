// Tests of which names belong to which upstream.
#include "gateway/catalog/qualified_names.h"

#include <gtest/gtest.h>

namespace patchbay::gateway {
namespace {

TEST(QualifiedNames, BelongToTheUpstreamThatTheyBeginWith) {
  const QualifiedNames names({"files", "evil"}, "::");
  for (const auto* const name : {"files.read", "files__read", "files_read", "files::read"}) {
    EXPECT_TRUE(names.may_have_name("files", name)) << name;
    EXPECT_FALSE(names.may_have_name("evil", name)) << name;
  }
  for (const auto* const name : {"read", "files", "filesread", "profiles.read", "other.read", ""}) {
    EXPECT_TRUE(names.may_have_name("evil", name)) << name;
  }
}

TEST(QualifiedNames, TheLongerNameCounts) {
  const QualifiedNames names({"a", "a_b"}, "__");
  EXPECT_TRUE(names.may_have_name("a_b", "a_b_c"));
  EXPECT_FALSE(names.may_have_name("a", "a_b_c"));
  EXPECT_TRUE(names.may_have_name("a", "a__b_c"));
  EXPECT_TRUE(names.may_have_name("a", "a_c"));
}

TEST(QualifiedNames, OfUris) {
  const QualifiedNames names({"files", "evil"}, "__");
  EXPECT_FALSE(names.may_have_uri("evil", "files+file:///x"));
  EXPECT_TRUE(names.may_have_uri("files", "files+file:///x"));
  EXPECT_TRUE(names.may_have_uri("evil", "files.x"));
}

}  // namespace
}  // namespace patchbay::gateway
