#include "upstreams/caller_templates.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

using Texts = config::Dict<std::string>;

Principal ann() {
  Principal caller;
  caller.id = "jwt https://as ann";
  caller.name = "ann";
  caller.auth_method = AuthMethod::jwt;
  caller.claims =
      R"({"email":"ann@x.example","n":7,"org":{"unit":"a"},"x.y":"dotted","bad":"a\nb"})";
  return caller;
}

TEST(CallerTextsTest, FillInTheCaller) {
  const auto texts = CallerTemplates::parse({{"A", "${caller.name} <${caller.claims.email}>"},
                                             {"B", "${caller.claims.org.unit}${caller.claims.n}"},
                                             {"C", "${caller.claims.x.y}"},
                                             {"D", "plain $ {caller.name}"}});
  ASSERT_TRUE(texts);
  EXPECT_TRUE(texts->depend());
  const Texts wanted{
      {"A", "ann <ann@x.example>"}, {"B", "a7"}, {"C", "dotted"}, {"D", "plain $ {caller.name}"}};
  EXPECT_EQ(*texts->fill(ann()), wanted);
}

TEST(CallerTextsTest, TheAuthMethodHasItsFormerNameToo) {
  const auto texts = CallerTemplates::parse({{"A", "${caller.auth_method} ${caller.way}"}});
  const Texts wanted{{"A", "jwt jwt"}};
  EXPECT_EQ(*texts->fill(ann()), wanted);
}

TEST(CallerTextsTest, DistinguishCallers) {
  const auto texts = CallerTemplates::parse({{"A", "${caller.claims.email}"}});
  Principal moved = ann();
  moved.claims = R"({"email":"other@x.example"})";
  EXPECT_NE(*texts->mark(ann()), *texts->mark(moved));
  EXPECT_EQ(*CallerTemplates::parse({{"A", "x"}})->mark(ann()), "");
}

TEST(CallerTextsTest, WhatIsNotKnownIsRefused) {
  for (const auto* const text :
       {"${caller.claims.absent}", "${caller.claims.org}", "${caller.claims.bad}"}) {
    const auto filled = CallerTemplates::parse({{"A", text}})->fill(ann());
    ASSERT_FALSE(filled) << text;
    EXPECT_EQ(filled.error().code, Code::forbidden);
  }
}

TEST(CallerTextsTest, TheGatewayItselfGoesWithout) {
  const auto texts = CallerTemplates::parse(
      {{"A", "${caller.claims.email}"}, {"B", "${caller.name}"}, {"C", "c"}});
  const Texts wanted{{"B", "local"}, {"C", "c"}};
  EXPECT_EQ(*texts->fill(Principal()), wanted);
}

TEST(CallerTextsTest, MistakesAreFound) {
  for (const auto* const text :
       {"${caller.nam}", "${caller.}", "${caller.claims.}", "${caller.name", "${caller.roles}"}) {
    EXPECT_FALSE(CallerTemplates::parse({{"A", text}})) << text;
  }
}

}  // namespace
}  // namespace patchbay::upstreams
