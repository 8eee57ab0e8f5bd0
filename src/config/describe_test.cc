#include "config/describe.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay {
namespace {

using namespace std::chrono_literals;

enum class Mode { fast, safe };

struct Tls {
  std::string cert;
  Mode mode = Mode::safe;
};

struct Rule {
  std::string role;
  std::vector<std::string> allow;
};

struct Root {
  std::string listen = "127.0.0.1:8080";
  config::Duration call = 90s;
  config::Bytes body{16 << 20};
  std::uint16_t workers = 1;
  double ratio = 0.25;
  bool on = true;
  std::optional<int> nice;
  Tls tls;
  std::vector<Rule> rules;
  config::Dict<std::string> labels = {{"a", "x|y"}};
  config::Dict<config::Node> upstreams;
};

struct Stdio {
  std::string kind = "stdio";
  std::string command;
  int instances = 1;
};

struct Http {
  std::string url;
};

}  // namespace

template <>
inline constexpr auto config::choices<Mode> =
    std::array{Choice{"fast", Mode::fast}, Choice{"safe", Mode::safe}};

template <>
const config::Fields& config::fields<Tls>() {
  static const Fields kFields = fields_of<Tls>({
      {"cert", &Tls::cert, "The certificate.", Required{}},
      {"mode", &Tls::mode, "How careful to be."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Rule>() {
  static const Fields kFields = fields_of<Rule>({
      {"role", &Rule::role, "Whose rule.", Required{}},
      {"allow", &Rule::allow, "What they may call."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Root>() {
  static const Fields kFields = fields_of<Root>({
      {"listen", &Root::listen, "Where to listen."},
      {"call", &Root::call, "How long a call may take.", Range{1s, 1h}},
      {"body", &Root::body, "The largest body.", Range{Bytes{1024}, Bytes{1 << 30}}},
      {"workers", &Root::workers, "How many threads.", Range{1, 256}},
      {"ratio", &Root::ratio, "A share.", Range{0.0, 1.0}},
      {"on", &Root::on, "Whether it runs."},
      {"nice", &Root::nice, "The priority."},
      {"tls", &Root::tls, "Encryption."},
      {"rules", &Root::rules, "Who may call what."},
      {"labels", &Root::labels, "Any | words."},
      {"upstreams", &Root::upstreams, "Where calls go."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Stdio>() {
  static const Fields kFields = fields_of<Stdio>({
      {"kind", &Stdio::kind, "What it is."},
      {"command", &Stdio::command, "The program to run.", Required{}},
      {"instances", &Stdio::instances, "How many copies run.", Range{1, 64}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<Http>() {
  static const Fields kFields = fields_of<Http>({
      {"url", &Http::url, "Where it is.", Required{}},
  });
  return kFields;
}

namespace {

config::Shape sample() {
  config::Shape shape = config::shape_of<Root>();
  config::attach_variants(shape, "upstreams",
                          {{"kind", "stdio", "Runs a program.", config::shape_of<Stdio>()},
                           {"kind", "http", "A remote server.", config::shape_of<Http>()}});
  return shape;
}

TEST(Describe, DescribesTypeDefaultAndBounds) {
  const config::Shape shape = sample();
  const auto line = [&](std::size_t i) {
    const config::FieldShape& field = shape.fields.at(i);
    return field.name + "; " + field.type + "; " + field.default_text + "; " + field.bounds;
  };
  EXPECT_EQ(line(0), "listen; string; 127.0.0.1:8080; ");
  EXPECT_EQ(line(1), "call; duration; 1m30s; 1s..1h");
  EXPECT_EQ(line(2), "body; bytes; 16MiB; 1KiB..1GiB");
  EXPECT_EQ(line(3), "workers; integer; 1; 1..256");
  EXPECT_EQ(line(4), "ratio; number; 0.25; 0..1");
  EXPECT_EQ(line(5), "on; boolean; true; ");
  EXPECT_EQ(line(6), "nice; integer; ; ");
  EXPECT_EQ(line(7), "tls; section; ; ");
  EXPECT_EQ(line(8), "rules; list of section; []; ");
  EXPECT_EQ(line(9), R"(labels; map of string; {"a":"x|y"}; )");
  EXPECT_EQ(line(10), "upstreams; map of section; {}; ");
  EXPECT_EQ(shape.fields.at(7).of.section.fields.at(1).type, "one of fast|safe");
  EXPECT_TRUE(shape.fields.at(7).of.section.fields.at(0).required);
}

TEST(Describe, DescribesCommonFieldsOnce) {
  config::Shape shape = config::shape_of<Root>();
  config::Shape both;
  both.fields.push_back(shape.fields.at(7));  // tls
  config::attach_variants(shape, "upstreams",
                          {{"kind", "a", "A.", both}, {"kind", "b", "B.", both}}, true);
  EXPECT_EQ(shape.fields.at(10).type, "map of section or string");
  const std::string text = config::to_markdown(shape, "Settings");
  const std::string heading = "## `upstreams.NAME.tls`";
  EXPECT_NE(text.find(heading), std::string::npos);
  EXPECT_EQ(text.find(heading), text.rfind(heading));
}

TEST(Describe, WritesAReference) {
  EXPECT_EQ(config::to_markdown(sample(), "Settings"), R"(# Settings

| key | type | default | meaning |
|---|---|---|---|
| `listen` | string | `127.0.0.1:8080` | Where to listen. |
| `call` | duration | `1m30s` | How long a call may take. (1s..1h) |
| `body` | bytes | `16MiB` | The largest body. (1KiB..1GiB) |
| `workers` | integer | `1` | How many threads. (1..256) |
| `ratio` | number | `0.25` | A share. (0..1) |
| `on` | boolean | `true` | Whether it runs. |
| `nice` | integer |  | The priority. |
| `tls` | section |  | Encryption. |
| `rules` | list of section | `[]` | Who may call what. |
| `labels` | map of string | `{"a":"x\|y"}` | Any \| words. |
| `upstreams` | map of section | `{}` | Where calls go. |

## `tls`

Encryption.

| key | type | default | meaning |
|---|---|---|---|
| `cert` | string | required | The certificate. |
| `mode` | one of fast\|safe | `safe` | How careful to be. |

## `rules[]`

Who may call what.

| key | type | default | meaning |
|---|---|---|---|
| `role` | string | required | Whose rule. |
| `allow` | list of string | `[]` | What they may call. |

## `upstreams.NAME` with `kind: stdio`

Runs a program.

| key | type | default | meaning |
|---|---|---|---|
| `kind` | string | `stdio` | What it is. |
| `command` | string | required | The program to run. |
| `instances` | integer | `1` | How many copies run. (1..64) |

## `upstreams.NAME` with `kind: http`

A remote server.

| key | type | default | meaning |
|---|---|---|---|
| `url` | string | required | Where it is. |
)");
}

TEST(Describe, WritesAJsonSchema) {
  const std::string schema = config::to_json_schema(sample(), "Settings", "https://example.test/s");
  ASSERT_TRUE(json::check(schema)) << schema;
  const auto at = [&](std::initializer_list<std::string_view> path) {
    std::string_view raw = schema;
    for (const std::string_view key : path) raw = json::member(raw, key).value_or("{}");
    return std::string(raw);
  };
  EXPECT_EQ(at({"$schema"}), R"("https://json-schema.org/draft/2020-12/schema")");
  EXPECT_EQ(at({"additionalProperties"}), "false");
  EXPECT_EQ(at({"properties", "workers", "maximum"}), "256");
  EXPECT_EQ(at({"properties", "workers", "default"}), "1");
  EXPECT_EQ(at({"properties", "call", "default"}), R"("1m30s")");
  EXPECT_EQ(at({"properties", "tls", "properties", "cert", "minLength"}), "1");
  EXPECT_EQ(at({"$defs", "upstreams-stdio", "properties", "kind", "const"}), R"("stdio")");
  EXPECT_EQ(at({"$defs", "upstreams-http", "properties", "kind", "const"}), R"("http")");
}

}  // namespace
}  // namespace patchbay
