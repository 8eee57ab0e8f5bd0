// Times the validation of a tool's arguments against its schema, beside reading the same text.
// Prints one JSON object per case: nanoseconds of CPU of each, the best of several rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "json/read.h"
#include "json/schema/schema.h"

namespace {

using patchbay::json::Schema;

struct Case {
  std::string_view name;
  std::string_view schema;
  std::string value;
};

// What tools mostly have: strings, numbers with bounds, choices, a list and an object inside.
constexpr std::string_view kTypical = R"({
  "type": "object",
  "properties": {
    "query": { "type": "string", "minLength": 1, "maxLength": 2000, "description": "What to look for." },
    "repository": { "type": "string", "pattern": "^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$" },
    "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
    "score": { "type": "number", "minimum": 0, "maximum": 1 },
    "sort": { "type": "string", "enum": ["created", "updated", "comments", "relevance"] },
    "archived": { "type": "boolean" },
    "cursor": { "type": ["string", "null"] },
    "labels": { "type": "array", "items": { "type": "string", "minLength": 1 }, "maxItems": 50 },
    "range": {
      "type": "object",
      "properties": {
        "from": { "type": "string", "format": "date-time" },
        "to": { "type": "string", "format": "date-time" },
        "zone": { "$ref": "#/$defs/zone" }
      },
      "required": ["from"],
      "additionalProperties": false
    },
    "filters": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "field": { "type": "string" },
          "operator": { "enum": ["eq", "ne", "lt", "gt", "contains"] },
          "value": { "anyOf": [ { "type": "string" }, { "type": "number" }, { "type": "boolean" } ] }
        },
        "required": ["field", "operator", "value"],
        "additionalProperties": false
      }
    },
    "body": { "type": "string" }
  },
  "required": ["query", "repository"],
  "additionalProperties": false,
  "$defs": { "zone": { "type": "string", "minLength": 2 } }
})";

std::string typical_value() {
  std::string value =
      R"({"query":"a gateway between agents and tools","repository":"example/patchbay",)"
      R"("limit":25,"score":0.75,"sort":"updated","archived":false,"cursor":null,)"
      R"("labels":["bug","help wanted","good first issue","area/json","p1"],)"
      R"("range":{"from":"2026-01-01T00:00:00Z","to":"2026-06-30T23:59:59Z","zone":"UTC"},)"
      R"("filters":[{"field":"state","operator":"eq","value":"open"},)"
      R"({"field":"comments","operator":"gt","value":10},)"
      R"({"field":"title","operator":"contains","value":"schema"},)"
      R"({"field":"draft","operator":"ne","value":true}],"body":")";
  while (value.size() < 1022) value += "Lorem ipsum dolor sit amet. "[value.size() % 28];
  return value + "\"}";
}

constexpr int kRounds = 21;

// CPU nanoseconds of one call.
template <class Work>
double nanoseconds(Work work) {
  constexpr int kCalls = 2000;
  const std::clock_t start = std::clock();
  for (int i = 0; i < kCalls; ++i) work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 / kCalls;
}

double median(std::vector<double> figures) {
  std::ranges::nth_element(figures, figures.begin() + kRounds / 2);
  return figures[kRounds / 2];
}

// False if anything did not go as it must.
bool measure(const Case& one) {
  const auto schema = Schema::compile(one.schema);
  bool good = schema && (*schema)->validate(one.value);
  if (!good) return false;
  std::vector<double> read;
  std::vector<double> validate;
  std::vector<double> compile;
  for (int round = 0; round < kRounds; ++round) {
    read.push_back(
        nanoseconds([&] { good &= static_cast<bool>(patchbay::json::check(one.value)); }));
    validate.push_back(
        nanoseconds([&] { good &= static_cast<bool>((*schema)->validate(one.value)); }));
    compile.push_back(nanoseconds([&] { good &= static_cast<bool>(Schema::compile(one.schema)); }));
  }
  fmt::print(
      R"({{"case":"{}","bytes":{},"read_ns":{:.0f},"validate_ns":{:.0f},"compile_ns":{:.0f}}})"
      "\n",
      one.name, one.value.size(), median(read), median(validate), median(compile));
  return good;
}

}  // namespace

int main() {
  const Case cases[] = {
      {"typical arguments", kTypical, typical_value()},
      {"one string",
       R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})",
       R"({"text":")" + std::string(1012, 'x') + R"("})"},
  };
  for (const Case& one : cases) {
    if (measure(one)) continue;
    fmt::print(stderr, "{}: the value does not fit\n", one.name);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
