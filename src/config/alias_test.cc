#include <gtest/gtest.h>

#include "config/describe.h"
#include "config/digest.h"
#include "config/load.h"
#include "json/read.h"

namespace patchbay {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

struct Row {
  config::Bytes max_size{1024};
};

struct Backoff {
  config::Duration max_interval = 30s;
};

struct Renamed {
  std::string command;
  config::Duration call_timeout = 30s;
  int max_calls = 10;
  std::optional<Backoff> backoff;
  std::vector<Row> rows;
  config::Dict<Row> named;
};

}  // namespace

template <>
const config::Fields& config::fields<Row>() {
  static const Fields kFields = fields_of<Row>({
      {"max_size", &Row::max_size, "The largest size.", Alias{"most"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Backoff>() {
  static const Fields kFields = fields_of<Backoff>({
      {"max_interval", &Backoff::max_interval, "The longest wait.", Alias{"most"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Renamed>() {
  static const Fields kFields = fields_of<Renamed>({
      {"command", &Renamed::command, "The program to run.", Required{}, Alias{"program"}},
      {"call_timeout", &Renamed::call_timeout, "Maximum duration of a call.", Range{1s, 1h},
       Alias{"call"}},
      {"max_calls", &Renamed::max_calls, "Maximum number of calls.", Alias{"simultaneous"}},
      {"backoff", &Renamed::backoff, "Waiting times.", Alias{"pause"}},
      {"rows", &Renamed::rows, "A list."},
      {"named", &Renamed::named, "A map."},
  });
  return kFields;
}

namespace {

struct RenamedOutcome {
  Renamed settings;
  Strings faults;
  Strings notes;
};

Strings lines_of(const config::Faults& faults) {
  Strings lines;
  for (const auto& fault : faults) lines.push_back(to_string(fault));
  return lines;
}

RenamedOutcome read_renamed(std::string_view text) {
  config::Faults faults;
  config::Faults notes;
  const config::Node node = config::load_text(text, "f.yaml", faults);
  auto settings = config::read<Renamed>(node, "f.yaml", "", faults, {}, &notes);
  return {std::move(settings), lines_of(faults), lines_of(notes)};
}

TEST(Alias, OldKeysAreReadAndNamedWithTheirLine) {
  const auto [settings, faults, notes] = read_renamed(R"(program: python3
call: 5s
max_calls: 3
pause: { most: 1m }
rows: [{ most: 2KiB }, { max_size: 3KiB }]
named:
  a:
    most: 4KiB
)");
  EXPECT_EQ(faults, Strings{});
  EXPECT_EQ(notes, (Strings{
                       "f.yaml:1: program is now called command",
                       "f.yaml:2: call is now called call_timeout",
                       "f.yaml:4: pause is now called backoff",
                       "f.yaml:4: pause.most is now called pause.max_interval",
                       "f.yaml:5: rows[0].most is now called rows[0].max_size",
                       "f.yaml:8: named.a.most is now called named.a.max_size",
                   }));
  EXPECT_EQ(settings.command, "python3");
  EXPECT_EQ(settings.call_timeout, 5s);
  EXPECT_EQ(settings.max_calls, 3);
  EXPECT_EQ(settings.backoff->max_interval, 60s);
  EXPECT_EQ(settings.rows.at(0).max_size.value, 2048u);
  EXPECT_EQ(settings.rows.at(1).max_size.value, 3072u);
  EXPECT_EQ(settings.named.at(0).second.max_size.value, 4096u);
}

TEST(Alias, BothKeysAreAFaultThatNamesBoth) {
  const auto [settings, faults, notes] = read_renamed("command: x\ncall_timeout: 5s\ncall: 6s\n");
  EXPECT_EQ(faults,
            Strings{"f.yaml:3: call: is the old name of call_timeout, which line 2 gives too; "
                    "remove one"});
  EXPECT_EQ(notes, Strings{});
  EXPECT_EQ(settings.call_timeout, 5s);
}

TEST(Alias, FaultsNameTheKeyAsItWasWritten) {
  EXPECT_EQ(read_renamed("command: x\ncall: 5h\n").faults,
            Strings{"f.yaml:2: call: 5h is out of range 1s..1h"});
  EXPECT_EQ(read_renamed("command: x\ncall_timeout: 5h\n").faults,
            Strings{"f.yaml:2: call_timeout: 5h is out of range 1s..1h"});
  EXPECT_EQ(read_renamed("program: ''\n").faults, Strings{"f.yaml:1: program: may not be empty"});
  EXPECT_EQ(
      read_renamed("pause: { most: soon }\ncommand: x\n").faults,
      Strings{"f.yaml:1: pause.most: expected a duration such as 250ms, 30s, 1m30s, 2h or 7d, "
              "not soon"});
}

TEST(Alias, MisspellingsOfEitherKeyLeadToTheCurrentOne) {
  EXPECT_EQ(read_renamed("command: x\nmax_cals: 1\n").faults,
            Strings{"f.yaml:2: max_cals: unknown key; did you mean \"max_calls\"?"});
  EXPECT_EQ(read_renamed("command: x\nsimultanous: 1\n").faults,
            Strings{"f.yaml:2: simultanous: unknown key; did you mean \"max_calls\"?"});
  EXPECT_EQ(read_renamed("command: x\nzzz: 1\n").faults,
            Strings{"f.yaml:2: zzz: unknown key; known are command, call_timeout, max_calls, "
                    "backoff, rows, named"});
}

TEST(Alias, TheDigestDoesNotDependOnTheSpelling) {
  const auto digest = [](std::string_view text) {
    config::Faults faults;
    config::Faults notes;
    const std::string file = "f.yaml";
    config::Node node = config::load_text(text, file, faults);
    config::apply_aliases(config::fields<Renamed>(), node, {file, "", faults}, notes);
    return config::digest(node);
  };
  EXPECT_EQ(digest("call: 5s\nrows: [{ most: 1KiB }]\n"),
            digest("call_timeout: 5s\nrows: [{ max_size: 1KiB }]\n"));
  EXPECT_NE(digest("call: 5s\n"), digest("call_timeout: 6s\n"));
}

TEST(Alias, TheReferenceMentionsTheOldKey) {
  const std::string text = config::to_markdown(config::shape_of<Renamed>(), "Settings");
  EXPECT_TRUE(
      text.contains("| `call_timeout` | duration | `30s` | Maximum duration of a call. "
                    "(1s..1h) Old name: `call`. |"))
      << text;
  EXPECT_FALSE(text.contains("| `call` |")) << text;
}

TEST(Alias, TheSchemaMarksTheOldKeyDeprecated) {
  const std::string schema = config::to_json_schema(config::shape_of<Renamed>(), "Settings", "");
  ASSERT_TRUE(json::check(schema)) << schema;
  const auto at = [&](std::initializer_list<std::string_view> path) {
    std::string_view raw = schema;
    for (const std::string_view key : path) raw = json::member(raw, key).value_or("{}");
    return std::string(raw);
  };
  EXPECT_EQ(at({"properties", "call", "deprecated"}), "true");
  EXPECT_EQ(at({"properties", "call", "description"}), R"("Now called `call_timeout`.")");
  EXPECT_EQ(at({"properties", "call", "pattern"}), at({"properties", "call_timeout", "pattern"}));
  EXPECT_EQ(at({"properties", "call_timeout", "deprecated"}), "{}");
  EXPECT_EQ(at({"properties", "pause", "properties", "most", "deprecated"}), "true");
  // It may be given under the old key.
  EXPECT_EQ(at({"required"}), "{}");
}

}  // namespace
}  // namespace patchbay
