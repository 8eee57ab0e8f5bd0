// The public test suite of JSON Schema, where it is at hand: all that is required of the two
// drafts, and what is optional but for the list below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "json/read.h"
#include "json/schema/schema.h"

namespace patchbay::json {
namespace {

namespace fs = std::filesystem;

// Optional tests that are left out: the end of the file's path, a part of the description of the
// group or of the test, and why.
struct LeftOut {
  std::string_view file;
  std::string_view description;
  std::string_view reason;
};
constexpr LeftOut kLeftOut[] = {
    {"optional/content.json", "", "contentEncoding and contentMediaType only describe"},
    {"format/idn-hostname.json", "", "the tables of IDNA are not there; the format is not checked"},
    {"format/hostname.json", "A-label (punycode)", "the tables of IDNA are not there"},
};

struct Suite {
  std::string name;
  Draft draft;
};

class SchemaSuite : public testing::TestWithParam<Suite> {};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The schemas that the suite serves at localhost:1234.
struct Remotes {
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<SchemaDocument> documents;

  explicit Remotes(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      const std::string name = fs::relative(entry.path(), folder).generic_string();
      texts.emplace_back("http://localhost:1234/" + name, read_file(entry.path()));
    }
    for (const auto& [uri, text] : texts) documents.push_back({uri, text});
  }
};

bool is_left_out(const std::string& path, std::string_view group, std::string_view test) {
  return std::ranges::any_of(kLeftOut, [&](const LeftOut& one) {
    return path.ends_with(one.file) && (group.find(one.description) != std::string_view::npos ||
                                        test.find(one.description) != std::string_view::npos);
  });
}

struct Tally {
  int passed = 0;
  int left_out = 0;
};

void run_file(const fs::path& path, const SchemaOptions& options, Tally& tally) {
  const std::string text = read_file(path);
  each_element(text, [&](std::string_view group) {
    const std::string about = *string_member(group, "description");
    const auto schema = Schema::compile(*member(group, "schema"), options);
    each_element(*member(group, "tests"), [&](std::string_view test) {
      const std::string detail = *string_member(test, "description");
      if (is_left_out(path.string(), about, detail)) {
        ++tally.left_out;
        return;
      }
      const std::string name = path.string() + ": " + about + ": " + detail;
      if (!schema) {
        ADD_FAILURE() << name << ": " << schema.error().message;
        return;
      }
      const auto valid = (*schema)->validate(*member(test, "data"));
      EXPECT_EQ(static_cast<bool>(valid), *as_bool(*member(test, "valid")))
          << name << ": " << (valid ? "" : valid.error().message);
      if (!valid) EXPECT_EQ(valid.error().code, Code::invalid_params) << name;
      ++tally.passed;
    });
  });
}

TEST_P(SchemaSuite, Agrees) {
  const char* const given = std::getenv("PATCHBAY_SCHEMA_SUITE");
  const fs::path root = given ? given : "../shared/suites/json-schema";
  const fs::path folder = root / "tests" / GetParam().name;
  if (!fs::is_directory(folder)) {
    std::cout << "left out: the public JSON Schema suite is not at " << folder << "\n";
    return;
  }
  const Remotes remotes(root / "remotes");
  Tally required;
  Tally optional;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string path = entry.path().generic_string();
    SchemaOptions options{.default_draft = GetParam().draft, .documents = remotes.documents};
    options.formats = path.find("/optional/format/") != std::string::npos;
    run_file(path, options, path.find("/optional/") == std::string::npos ? required : optional);
  }
  EXPECT_GT(required.passed, 800);
  EXPECT_EQ(required.left_out, 0);
  std::cout << GetParam().name << ": " << required.passed << " required and " << optional.passed
            << " optional tests ran, " << optional.left_out
            << " optional ones have a reason not to\n";
}

INSTANTIATE_TEST_SUITE_P(Public, SchemaSuite,
                         testing::Values(Suite{"draft2020-12", Draft::draft_2020_12},
                                         Suite{"draft7", Draft::draft_07}),
                         [](const auto& suite) {
                           return suite.param.name == "draft7" ? "draft_07" : "draft_2020_12";
                         });

}  // namespace
}  // namespace patchbay::json
