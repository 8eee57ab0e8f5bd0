#include "config/fields.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay {
namespace {

using namespace std::chrono_literals;

enum class Prefix { always, conflict, never };

struct Limit {
  std::string role;
  config::Duration window = 1min;
};

struct Nothing {};

struct Common {
  std::string kind = "stdio";
};

struct Sample : Common {
  std::string command;
  int instances = 1;
  unsigned char small = 7;
  double ratio = 0.5;
  bool enabled = true;
  config::Duration timeout = 30s;
  config::Bytes body{16 << 20};
  Prefix prefix = Prefix::always;
  std::vector<std::string> args = {"default"};
  config::Dict<std::string> env;
  std::map<std::string, int> weights;
  std::optional<int> nice;
  std::optional<Limit> limit;
  std::vector<Limit> limits;
  config::Dict<config::Node> upstreams;
};

}  // namespace

template <>
inline constexpr auto config::choices<Prefix> =
    std::array{Choice{"always", Prefix::always}, Choice{"conflict", Prefix::conflict},
               Choice{"never", Prefix::never}};

template <>
const config::Fields& config::fields<Limit>() {
  static const Fields kFields = fields_of<Limit>({
      {"role", &Limit::role, "Whom it is for.", Required{}},
      {"window", &Limit::window, "How long it counts.", Range{1s, 1h}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Nothing>() {
  static const Fields kFields = fields_of<Nothing>({});
  return kFields;
}

template <>
const config::Fields& config::fields<Common>() {
  static const Fields kFields = fields_of<Common>({
      {"kind", &Common::kind, "What it is."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Sample>() {
  static const Fields kFields =
      join({inherited<Sample, Common>(),
            fields_of<Sample>({
                {"command", &Sample::command, "The program to run.", Required{}},
                {"instances", &Sample::instances, "How many copies run.", Range{1, 64}},
                {"small", &Sample::small, "A small number."},
                {"ratio", &Sample::ratio, "A share.", Range{0.0, 1.0}},
                {"enabled", &Sample::enabled, "Whether it runs."},
                {"timeout", &Sample::timeout, "How long a call may take.", Range{100ms, 1h}},
                {"body", &Sample::body, "The largest body.", Range{Bytes{1024}, Bytes{1 << 30}}},
                {"prefix", &Sample::prefix, "When names get a prefix."},
                {"args", &Sample::args, "Its arguments."},
                {"env", &Sample::env, "Its environment."},
                {"weights", &Sample::weights, "How much each counts.", Range{0, 9}},
                {"nice", &Sample::nice, "Its priority.", Range{-20, 19}},
                {"limit", &Sample::limit, "One limit."},
                {"limits", &Sample::limits, "Many limits."},
                {"upstreams", &Sample::upstreams, "Where calls go."},
            })});
  return kFields;
}

namespace {

struct SampleOutcome {
  Sample sample;
  std::vector<std::string> faults;
};

SampleOutcome read_sample(std::string_view text) {
  config::Faults faults;
  const config::Node node = config::load_text(text, "f.yaml", faults);
  SampleOutcome outcome;
  outcome.sample = config::read<Sample>(node, "f.yaml", "", faults);
  for (const auto& fault : faults) outcome.faults.push_back(to_string(fault));
  return outcome;
}

using Strings = std::vector<std::string>;

TEST(Fields, ReadsEveryKindOfMember) {
  const auto [sample, faults] = read_sample(R"(
kind: other
command: python3
instances: 4
small: 255
ratio: 1
enabled: false
timeout: 1m30s
body: 64KiB
prefix: never
args: [-u, server.py, 8080, "", true]
env: { B: two, A: 1 }
weights: { x: 3 }
nice: -5
limit: { role: reader }
limits:
  - { role: a, window: 5s }
  - { role: b }
upstreams: { calc: { kind: stdio, instances: many } }
)");
  EXPECT_EQ(faults, Strings{});
  EXPECT_EQ(sample.kind, "other");
  EXPECT_EQ(sample.command, "python3");
  EXPECT_EQ(sample.instances, 4);
  EXPECT_EQ(sample.small, 255);
  EXPECT_EQ(sample.ratio, 1.0);
  EXPECT_FALSE(sample.enabled);
  EXPECT_EQ(sample.timeout, 90s);
  EXPECT_EQ(sample.body.value, 65536u);
  EXPECT_EQ(sample.prefix, Prefix::never);
  EXPECT_EQ(sample.args, (Strings{"-u", "server.py", "8080", "", "true"}));
  EXPECT_EQ(sample.env, (config::Dict<std::string>{{"B", "two"}, {"A", "1"}}));
  EXPECT_EQ(sample.weights.at("x"), 3);
  EXPECT_EQ(sample.nice, -5);
  EXPECT_EQ(sample.limit->role, "reader");
  EXPECT_EQ(sample.limits.at(0).window, 5s);
  EXPECT_EQ(sample.limits.at(1).window, 60s);
  EXPECT_EQ(sample.upstreams.at(0).second.find("instances")->text, "many");
}

TEST(Fields, KeepsDefaultsForWhatIsAbsentOrNull) {
  const auto [sample, faults] =
      read_sample("command: x\ninstances:\nargs: ~\ntimeout: null\nlimit:\n");
  EXPECT_EQ(faults, Strings{});
  EXPECT_EQ(sample.instances, 1);
  EXPECT_EQ(sample.args, Strings{"default"});
  EXPECT_EQ(sample.timeout, 30s);
  EXPECT_FALSE(sample.limit);
}

TEST(Fields, NamesEveryFaultAtOnceInTheOrderOfLines) {
  EXPECT_EQ(
      read_sample(R"(comand: python3
instances: 0
small: 256
ratio: 1.5
enabled: yes
timeout: 30
body: 5XB
prefix: alway
args: one
weights: { x: 10 }
nice: "3"
limits:
  - { window: 2h }
  - ~
env: [1]
zzz: 1
)")
          .faults,
      (Strings{
          "f.yaml:1: comand: unknown key; did you mean \"command\"?",
          "f.yaml:1: command: is required, but not given",
          "f.yaml:2: instances: 0 is out of range 1..64",
          "f.yaml:3: small: 256 is out of range 0..255",
          "f.yaml:4: ratio: 1.5 is out of range 0..1",
          "f.yaml:5: enabled: expected true or false, not yes",
          "f.yaml:6: timeout: expected a duration such as 250ms, 30s, 1m30s, 2h or 7d, not 30",
          "f.yaml:7: body: expected a size such as 1000, 64KiB, 16MiB or 10MB, not 5XB",
          "f.yaml:8: prefix: expected one of always, conflict, never, not alway",
          "f.yaml:9: args: expected a list, not a string",
          "f.yaml:10: weights.x: 10 is out of range 0..9",
          "f.yaml:11: nice: expected a whole number, not a string in quotes",
          "f.yaml:13: limits[0].role: is required, but not given",
          "f.yaml:13: limits[0].window: 2h is out of range 1s..1h",
          "f.yaml:14: limits[1]: is empty",
          "f.yaml:14: limits[1].role: is required, but not given",
          "f.yaml:15: env: expected a map of keys and values, not a list",
          "f.yaml:16: zzz: unknown key; known are kind, command, instances, small, ratio, "
          "enabled, timeout, body, prefix, args, env, weights, nice, limit, limits, "
          "upstreams",
      }));
}

TEST(Fields, RefusesNumbersBeyondTheirType) {
  EXPECT_EQ(
      read_sample("command: x\nsmall: -1\ninstances: 99999999999999999999\nratio: .nan\n").faults,
      (Strings{
          "f.yaml:2: small: -1 is out of range 0..255",
          "f.yaml:3: instances: 99999999999999999999 is out of range 1..64",
          "f.yaml:4: ratio: expected a number, not .nan",
      }));
  EXPECT_EQ(read_sample("command: x\ninstances: 1.5\nnice: 0x10\n").faults,
            (Strings{
                "f.yaml:2: instances: expected a whole number, not 1.5",
                "f.yaml:3: nice: expected a whole number, not 0x10",
            }));
}

TEST(Fields, DoesNotTakeAnEmptyStringOrNullForARequiredOne) {
  EXPECT_EQ(read_sample("command: ''\n").faults, Strings{"f.yaml:1: command: may not be empty"});
  EXPECT_EQ(read_sample("command:\n").faults,
            Strings{"f.yaml:1: command: is required, but not given"});
  EXPECT_EQ(read_sample("").faults, Strings{"f.yaml: command: is required, but not given"});
  EXPECT_EQ(read_sample("[1]").faults,
            Strings{"f.yaml:1: expected a map of keys and values, not a list"});
}

TEST(Fields, PrefixesPathsAndLeavesIgnoredKeysAlone) {
  config::Faults faults;
  const config::Node node = config::load_text("role: x\nkind: y\nkin: z\n", "g.yaml", faults);
  constexpr std::array<std::string_view, 1> kIgnored{"kind"};
  config::read<Limit>(node, "g.yaml", "upstreams.calc", faults, kIgnored);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(to_string(faults[0]),
            "g.yaml:3: upstreams.calc.kin: unknown key; known are role, window");
}

TEST(Fields, KnowsTablesWithoutFields) {
  config::Faults faults;
  const config::Node node = config::load_text("a: 1\n", "g.yaml", faults);
  config::read<Nothing>(node, "g.yaml", "", faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(to_string(faults[0]), "g.yaml:1: a: unknown key");
}

TEST(Fields, DoesNotShowWhatCameFromOutside) {
  ::setenv("PATCHBAY_TEST_SECRET", "hunter2", 1);
  EXPECT_EQ(read_sample("command: x\ninstances: ${env:PATCHBAY_TEST_SECRET}\n").faults,
            Strings{"f.yaml:2: instances: expected a whole number, not the inserted value"});
}

TEST(Closest, FindsMisspellingsOnly) {
  constexpr std::array<std::string_view, 3> kNames{"timeout", "command", "cwd"};
  EXPECT_EQ(config::closest("timeuot", kNames), "timeout");
  EXPECT_EQ(config::closest("comand", kNames), "command");
  EXPECT_EQ(config::closest("cdw", kNames), "cwd");
  EXPECT_EQ(config::closest("url", kNames), "");
  EXPECT_EQ(config::closest("", kNames), "");
  EXPECT_EQ(config::closest(std::string(100'000, 'c'), kNames), "");
}

}  // namespace
}  // namespace patchbay
