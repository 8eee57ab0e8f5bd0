#include "json/yaml.h"

#include <gtest/gtest.h>

namespace patchbay::json {
namespace {

TEST(Yaml, MapsAndListsAreLines) {
  EXPECT_EQ(
      to_yaml(R"({"a":1,"b":{"c":[true,null,"x"],"d":{}},"e":[ ],"no":[{"f":1,"g":[2]},[3,4]]})"),
      "\"a\": 1\n"
      "\"b\":\n"
      "  \"c\":\n"
      "    - true\n"
      "    - null\n"
      "    - \"x\"\n"
      "  \"d\": {}\n"
      "\"e\": []\n"
      "\"no\":\n"
      "  - \"f\": 1\n"
      "    \"g\":\n"
      "      - 2\n"
      "  - - 3\n"
      "    - 4\n");
}

TEST(Yaml, StringsStandInQuotes) {
  EXPECT_EQ(to_yaml(R"("a: b # c\n\"d\" \u00e4 \ud83d\ude00")"), "\"a: b # c\\n\\\"d\\\" ä 😀\"\n");
  EXPECT_EQ(to_yaml("12e3"), "12e3\n");
}

}  // namespace
}  // namespace patchbay::json
