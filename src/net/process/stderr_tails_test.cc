#include "net/process/stderr_tails.h"

#include <gtest/gtest.h>

namespace patchbay::upstreams {
namespace {

std::vector<std::string> texts(const StderrTails& tails, std::string_view upstream) {
  std::vector<std::string> all;
  for (const auto& line : tails.of(upstream)) all.push_back(line.text);
  return all;
}

TEST(StderrTails, StoresTheLastLinesOfEachUpstream) {
  StderrTails tails;
  tails.set_max_lines(2);
  for (const char* const text : {"1", "2", "3"}) tails.add("a", text);
  tails.add("b", "4");
  EXPECT_EQ(texts(tails, "a"), (std::vector<std::string>{"2", "3"}));
  EXPECT_EQ(texts(tails, "b"), std::vector<std::string>{"4"});
  EXPECT_TRUE(texts(tails, "c").empty());
}

TEST(StderrTails, ALowerBoundDropsTheOldest) {
  StderrTails tails;
  for (const char* const text : {"1", "2", "3"}) tails.add("a", text);
  tails.set_max_lines(1);
  EXPECT_EQ(texts(tails, "a"), std::vector<std::string>{"3"});
  tails.set_max_lines(0);
  tails.add("a", "4");
  EXPECT_TRUE(texts(tails, "a").empty());
}

}  // namespace
}  // namespace patchbay::upstreams
