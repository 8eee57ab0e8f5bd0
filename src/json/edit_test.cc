#include "json/edit.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::json {
namespace {

// The object without the members that are in `keys`.
std::string without(std::string_view text, std::string_view keys) {
  Edit edit(text);
  edit.members(
      [&](std::string_view key) { return edit.keep_if(keys.find(key) == std::string_view::npos); });
  const std::string result = edit.changed() ? edit.result() : std::string(text);
  EXPECT_TRUE(check(result)) << result;
  std::string in_place(text);
  Edit cuts(in_place);
  cuts.members(
      [&](std::string_view key) { return cuts.keep_if(keys.find(key) == std::string_view::npos); });
  if (cuts.changed()) cuts.apply_to(in_place);
  EXPECT_EQ(in_place, result);
  return result;
}

TEST(Edit, LeavesMembersOutWithTheirCommas) {
  constexpr std::string_view kText = R"({"a":1,"b":[2],"c":"3"})";
  EXPECT_EQ(without(kText, "a"), R"({"b":[2],"c":"3"})");
  EXPECT_EQ(without(kText, "b"), R"({"a":1,"c":"3"})");
  EXPECT_EQ(without(kText, "c"), R"({"a":1,"b":[2]})");
  EXPECT_EQ(without(kText, "ab"), R"({"c":"3"})");
  EXPECT_EQ(without(kText, "ac"), R"({"b":[2]})");
  EXPECT_EQ(without(kText, "bc"), R"({"a":1})");
  EXPECT_EQ(without(kText, "abc"), "{}");
  EXPECT_EQ(without(R"( { "a" : 1 , "b" : 2 } )", "a"), R"( {"b" : 2 } )");
  EXPECT_EQ(without(R"({"\u0061":1,"b":",\"a\":"})", "a"), R"({"b":",\"a\":"})");
}

TEST(Edit, CopiesNothingWhereNothingChanges) {
  const std::string text = R"({ "a" : [ { "b" : 1 } ] })";
  Edit edit(text);
  edit.members([&](std::string_view) {
    edit.elements([&] { edit.members([&](std::string_view) { return edit.keep(); }); });
    return true;
  });
  EXPECT_FALSE(edit.changed());
}

TEST(Edit, ChangesWhatIsInsideWhatStays) {
  const std::string text = R"({"x":0,"a":[{"y":1,"b":2},{"b":3}],"z":0})";
  Edit edit(text);
  edit.members([&](std::string_view key) {
    if (key != "a") return edit.drop();
    const std::size_t count = edit.elements(
        [&] { edit.members([&](std::string_view name) { return edit.keep_if(name == "b"); }); });
    EXPECT_EQ(count, 2U);
    return true;
  });
  EXPECT_EQ(edit.result(), R"({"a":[{"b":2},{"b":3}]})");
}

TEST(Edit, ForgetsChangesInsideWhatGoes) {
  const std::string text = R"({"a":{"b":1,"c":2},"d":{"b":1}})";
  Edit edit(text);
  edit.members([&](std::string_view key) {
    const auto begin = edit.mark();
    edit.members([&](std::string_view name) { return edit.keep_if(name != "b"); });
    if (key == "a") return false;
    EXPECT_EQ(edit.since(begin), R"({"b":1})");
    edit.replace_since(begin, "7");
    return true;
  });
  EXPECT_EQ(edit.result(), R"({"d":7})");
}

TEST(Edit, AddsAtTheFront) {
  const auto added = [](std::string_view text, bool keep) {
    Edit edit(text);
    const auto top = edit.members([&](std::string_view) { return edit.keep_if(keep); });
    edit.add(top, R"("n":1)");
    return edit.result();
  };
  EXPECT_EQ(added("{}", true), R"({"n":1})");
  EXPECT_EQ(added(R"({"a":2})", true), R"({"n":1,"a":2})");
  EXPECT_EQ(added(R"({"a":2,"b":3})", false), R"({"n":1})");
}

TEST(Edit, KnowsWhereThingsWent) {
  const std::string text = R"({"a":1,"b":"here","c":2})";
  Edit edit(text);
  const auto top = edit.members([&](std::string_view key) { return edit.keep_if(key != "a"); });
  edit.add(top, R"("new":0)");
  const std::size_t position = edit.moved(text.find("here"));
  EXPECT_EQ(edit.result().substr(position, 4), "here");
}

TEST(Edit, TakesOtherKindsOfValueWhole) {
  Edit edit("[1,2]");
  EXPECT_EQ(edit.members([&](std::string_view) { return edit.drop(); }).front, nullptr);
  EXPECT_FALSE(edit.changed());
  Edit broken("{\"a\":");
  broken.members([&](std::string_view) { return broken.drop(); });
  EXPECT_FALSE(broken.changed());
}

}  // namespace
}  // namespace patchbay::json
