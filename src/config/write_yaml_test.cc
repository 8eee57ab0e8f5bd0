#include "config/write_yaml.h"

#include <gtest/gtest.h>

#include "config/digest.h"
#include "config/load.h"

namespace patchbay::config {
namespace {

Node load(const std::string& text, const std::string& name) {
  Faults faults;
  Node root = load_text(text, name, faults);
  for (const auto& fault : faults) ADD_FAILURE() << to_string(fault) << "\n" << text;
  return root;
}

TEST(WriteYaml, ReadsBackAsTheSame) {
  const std::string json = R"JSON({
    "plain": "word", "path": "/usr/bin/x-1.0", "empty": "", "number": 5, "text": "5", "yes": true,
    "truth": "true", "No": "no", "tilde": "~", "null": null, "colon": "a: b", "hash": "a #b",
    "quote": "say \"hi\" it's", "line": "a\nb\tc", "dash": "-v", "star": "*x", "unicode": "☃\u0001",
    "dollar": "$HOME", "space": " a ", "list": ["-c", "print(1, 2)", ["deep"], {"k": "v"}, 1.5],
    "nothing": {}, "none": [], "map": {"with space": {"deeper": "x", "b": false}}
  })JSON";
  const Node first = load(json, "a.json");
  const std::string yaml = to_yaml(first);
  EXPECT_EQ(digest(load(yaml, "a.yaml")), digest(first)) << yaml;
}

TEST(WriteYaml, IsMadeForPeople) {
  const std::string json = R"({"upstreams": {"calc": {"kind": "stdio", "args": ["a.py", "-v"]}}})";
  EXPECT_EQ(to_yaml(load(json, "a.json")),
            "upstreams:\n  calc:\n    kind: stdio\n    args: [a.py, \"-v\"]\n");
}

}  // namespace
}  // namespace patchbay::config
