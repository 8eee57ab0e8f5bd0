#include "app/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "app/configuration.h"

namespace patchbay::app {
namespace {

template <class Rows>
void expect_unique_names(const Rows& rows) {
  std::set<std::string_view> names;
  for (const auto& row : rows) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(Registry, RowsOfFrontendsAreCompleteAndUnique) {
  expect_unique_names(frontend_kinds());
  for (const auto& kind : frontend_kinds()) {
    EXPECT_TRUE(kind.make) << kind.name;
    EXPECT_TRUE(kind.update) << kind.name;
  }
}

TEST(Registry, RowsOfUpstreamsAreCompleteAndUnique) {
  expect_unique_names(upstream_kinds());
  for (const auto& kind : upstream_kinds()) {
    EXPECT_TRUE(kind.shape) << kind.name;
    EXPECT_TRUE(kind.read) << kind.name;
    EXPECT_EQ(find_upstream_kind(kind.name), &kind);
  }
}

TEST(Registry, OnlyTheWireHasAListenerOfItsOwn) {
  Configuration configuration;
  configuration.settings.wire.emplace().tcp = "127.0.0.1:0";
  for (const auto& kind : frontend_kinds()) {
    const auto listener = kind.listener ? kind.listener(configuration) : std::nullopt;
    EXPECT_EQ(listener.has_value(), kind.name == "wire") << kind.name;
    if (!listener) continue;
    EXPECT_EQ(listener->address, "127.0.0.1:0");
    EXPECT_EQ(listener->scheme, "tcp");
    EXPECT_FALSE(listener->tls);
  }
}

}  // namespace
}  // namespace patchbay::app
