#include "telemetry/otlp_encode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "json/read.h"

namespace patchbay::telemetry {
namespace {

// A message of protobuf, read without knowing its fields: every value of each number, in order.
struct Message {
  std::map<unsigned, std::vector<std::uint64_t>> numbers;
  std::map<unsigned, std::vector<std::string>> texts;

  static std::uint64_t varint(std::string_view& rest) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.at(0));
      rest.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }

  explicit Message(std::string_view rest) {
    while (!rest.empty()) {
      const auto tag = varint(rest);
      const auto number = static_cast<unsigned>(tag >> 3U);
      const auto type = tag & 7U;
      if (type == 0) {
        numbers[number].push_back(varint(rest));
        continue;
      }
      const std::size_t size = type == 1 ? 8 : type == 5 ? 4 : varint(rest);
      if (size > rest.size()) throw std::out_of_range("a field ends beyond its message");
      const auto bytes = rest.substr(0, size);
      rest.remove_prefix(size);
      if (type == 2) {
        texts[number].emplace_back(bytes);
      } else {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data(), size);
        numbers[number].push_back(value);
      }
    }
  }

  std::string text(unsigned number) const { return texts.at(number).at(0); }
  std::uint64_t number(unsigned number) const { return numbers.at(number).at(0); }
  Message child(unsigned number, std::size_t index = 0) const {
    return Message(texts.at(number).at(index));
  }
  std::size_t count(unsigned number) const {
    return texts.contains(number) ? texts.at(number).size() : 0;
  }
  bool has(unsigned number) const { return texts.contains(number) || numbers.contains(number); }

  // The attributes in the list of that number, as text.
  std::map<std::string, std::string> attributes(unsigned number) const {
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i < count(number); ++i) {
      const Message pair = child(number, i);
      const Message value = pair.child(2);
      all[pair.text(1)] = value.has(1) ? value.text(1)
                          : value.has(3)
                              ? std::to_string(static_cast<std::int64_t>(value.number(3)))
                              : "a real number";
    }
    return all;
  }
};

double as_real(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// A call as it is exported, whose parts the tests change.
struct SampleCall : trace::CallRecord {
  std::vector<trace::StageTime> times;
  trace::ExportedCall more = {};
};

SampleCall sample_call() {
  SampleCall call;
  call.context = {
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {1, 1, 1, 1, 1, 1, 1, 1}, true};
  call.parent = {2, 2, 2, 2, 2, 2, 2, 2};
  call.link = {{9, 9}, {8, 8}, false};
  call.began_unix_ns = 1'700'000'000'000'000'000;
  call.took_ns = 5'000;
  call.frontend = "mcp-http";
  call.revision = "2025-11-25";
  call.outcome = "tool_error";
  call.failed = true;
  call.method = "tools/call";
  call.target = "fake__add";
  call.tool = "fake.add";
  call.upstream = "fake";
  call.upstream_kind = "stdio";
  call.caller = "ann";
  call.caller_id = "u-1";
  call.from = "127.0.0.1";
  call.request_id = "\"id-7\"";
  call.bytes_in = 100;
  call.bytes_out = 200;
  call.more.tracestate = "vendor=1";
  call.dropped_stages = 3;
  call.times = {{trace::Stage::authenticate, false, 0, {}, -500, 400},
                {trace::Stage::attempt, true, 0, {3, 3, 3, 3, 3, 3, 3, 3}, 1'000, 3'000}};
  return call;
}

std::size_t encode(Encoding encoding, const Resource& resource, SampleCall call,
                   OtlpBuffer& buffer) {
  call.stages = call.times;
  call.more.call.store(call);
  return encode_calls(encoding, resource, {&call.more, 1}, buffer);
}

Resource sample_resource() {
  Resource resource;
  resource.texts = {{"service.name", "test"}};
  resource.process_id = 42;
  return resource;
}

// The scope of a request, with its data.
Message scope_of(const OtlpBuffer& buffer) { return Message(buffer.view()).child(1).child(2); }

TEST(OtlpTraces, ACallIsAServerSpanWithASpanForEachStage) {
  const auto call = sample_call();
  OtlpBuffer buffer;
  EXPECT_EQ(encode(Encoding::protobuf, sample_resource(), call, buffer), 1U);
  const Message of_resource = Message(buffer.view()).child(1);
  const auto resource = of_resource.child(1).attributes(1);
  EXPECT_EQ(resource.at("service.name"), "test");
  EXPECT_EQ(resource.at("process.pid"), "42");
  const Message scope = scope_of(buffer);
  EXPECT_EQ(scope.child(1).text(1), "patchbay");
  ASSERT_EQ(scope.count(2), 3U);

  const Message server = scope.child(2, 0);
  EXPECT_EQ(server.text(1), std::string(call.context.trace.begin(), call.context.trace.end()));
  EXPECT_EQ(server.text(2), std::string(8, 1));
  EXPECT_EQ(server.text(3), "vendor=1");
  EXPECT_EQ(server.text(4), std::string(8, 2));
  EXPECT_EQ(server.text(5), "tools/call fake__add");
  EXPECT_EQ(server.number(6), 2U);                                 // SERVER
  EXPECT_EQ(server.number(7), 1'700'000'000'000'000'000U - 500U);  // Authentication included.
  EXPECT_EQ(server.number(8), 1'700'000'000'000'005'000U);
  EXPECT_EQ(server.number(16), 0x301U);  // Sampled; the parent is remote.
  EXPECT_EQ(server.child(15).number(3), 2U);
  EXPECT_EQ(server.child(15).text(2), "tool_error");
  EXPECT_EQ(server.child(13).text(1).substr(0, 2), std::string(2, 9));
  const auto attributes = server.attributes(9);
  EXPECT_EQ(attributes.at("mcp.method.name"), "tools/call");
  EXPECT_EQ(attributes.at("gen_ai.tool.name"), "fake__add");
  EXPECT_EQ(attributes.at("gen_ai.operation.name"), "execute_tool");
  EXPECT_EQ(attributes.at("mcp.protocol.version"), "2025-11-25");
  EXPECT_EQ(attributes.at("jsonrpc.request.id"), "id-7");
  EXPECT_EQ(attributes.at("error.type"), "tool_error");
  EXPECT_EQ(attributes.at("network.transport"), "tcp");
  EXPECT_EQ(attributes.at("patchbay.upstream.name"), "fake");
  EXPECT_EQ(attributes.at("patchbay.request.size"), "100");
  EXPECT_EQ(attributes.at("patchbay.dropped_stages"), "3");
  EXPECT_FALSE(attributes.contains("gen_ai.tool.call.arguments"));

  const Message authenticate = scope.child(2, 1);
  EXPECT_EQ(authenticate.text(4), std::string(8, 1));
  EXPECT_EQ(authenticate.text(5), "authenticate");
  EXPECT_EQ(authenticate.number(6), 1U);  // INTERNAL
  EXPECT_NE(authenticate.text(2), std::string(8, 0));
  EXPECT_FALSE(authenticate.has(15));

  const Message attempt = scope.child(2, 2);
  EXPECT_EQ(attempt.text(2), std::string(8, 3));  // As the upstream has seen it.
  EXPECT_EQ(attempt.number(6), 3U);               // CLIENT
  EXPECT_EQ(attempt.number(16), 0x101U);
  EXPECT_EQ(attempt.attributes(9).at("network.transport"), "pipe");
  EXPECT_EQ(attempt.child(15).number(3), 2U);
}

TEST(OtlpTraces, ARequestOfHttpIsNamedAsItsConventionsHaveIt) {
  auto call = sample_call();
  call.upstream_kind = "openapi";
  call.more.received = {.method = "POST", .to = "/api/pets"};
  call.more.sent = {.method = "GET", .to = "/v1/pets/{id}", .server = "pets.test", .port = 8443};
  call.times[1].http_status = 503;
  OtlpBuffer buffer;
  encode(Encoding::protobuf, sample_resource(), call, buffer);
  const auto server = scope_of(buffer).child(2, 0).attributes(9);
  EXPECT_EQ(server.at("http.request.method"), "POST");
  EXPECT_EQ(server.at("url.path"), "/api/pets");
  const Message attempt = scope_of(buffer).child(2, 2);
  EXPECT_EQ(attempt.text(5), "GET /v1/pets/{id}");
  const auto attributes = attempt.attributes(9);
  EXPECT_EQ(attributes.at("http.request.method"), "GET");
  EXPECT_EQ(attributes.at("url.template"), "/v1/pets/{id}");
  EXPECT_EQ(attributes.at("http.response.status_code"), "503");
  EXPECT_EQ(attributes.at("error.type"), "503");
  EXPECT_EQ(attributes.at("server.address"), "pets.test");
  EXPECT_EQ(attributes.at("server.port"), "8443");
  EXPECT_FALSE(attributes.contains("mcp.method.name"));
}

TEST(OtlpTraces, RecordsOnABusAreNamedAsTheirConventionsHaveIt) {
  auto call = sample_call();
  call.frontend = "bus";
  call.upstream_kind = "kafka";
  call.more.received = {.to = "tools.requests"};
  call.more.sent = {.to = "work.requests", .conversation = "c-1"};
  OtlpBuffer buffer;
  encode(Encoding::protobuf, sample_resource(), call, buffer);
  const auto server = scope_of(buffer).child(2, 0).attributes(9);
  EXPECT_EQ(server.at("messaging.system"), "kafka");
  EXPECT_EQ(server.at("messaging.operation.type"), "process");
  EXPECT_EQ(server.at("messaging.destination.name"), "tools.requests");
  EXPECT_EQ(server.at("messaging.message.conversation_id"), "id-7");
  const Message attempt = scope_of(buffer).child(2, 2);
  EXPECT_EQ(attempt.text(5), "send work.requests");
  const auto attributes = attempt.attributes(9);
  EXPECT_EQ(attributes.at("messaging.operation.type"), "send");
  EXPECT_EQ(attributes.at("messaging.destination.name"), "work.requests");
  EXPECT_EQ(attributes.at("messaging.message.conversation_id"), "c-1");
}

TEST(OtlpTraces, AnAttributeOfTheSettingsReplacesOurs) {
  Settings settings;
  settings.resource = {{"process.pid", "none"}, {"service.name", "other"}};
  const auto call = sample_call();
  OtlpBuffer buffer;
  encode(Encoding::protobuf, make_resource(settings, "i"), call, buffer);
  const Message resource = Message(buffer.view()).child(1).child(1);
  const auto attributes = resource.attributes(1);
  EXPECT_EQ(attributes.at("process.pid"), "none");
  EXPECT_EQ(attributes.at("service.name"), "other");
  EXPECT_EQ(resource.count(1), attributes.size()) << "each name once";
}

TEST(OtlpTraces, AQuestionIsBelowTheSpanThatAsks) {
  auto call = sample_call();
  call.times.push_back({trace::Stage::ask, false, 0, {4, 4, 4, 4, 4, 4, 4, 4}, 2'000, 500, {5}});
  OtlpBuffer buffer;
  encode(Encoding::protobuf, sample_resource(), call, buffer);
  const Message ask = scope_of(buffer).child(2, 3);
  EXPECT_EQ(ask.text(5), "ask");
  EXPECT_EQ(ask.number(6), 3U);  // CLIENT
  EXPECT_EQ(ask.text(4), std::string("\5\0\0\0\0\0\0\0", 8));
}

TEST(OtlpTraces, WhatClientsInventIsNoNameOfASpan) {
  auto call = sample_call();
  call.upstream = "";
  OtlpBuffer buffer;
  encode(Encoding::protobuf, sample_resource(), call, buffer);
  EXPECT_EQ(scope_of(buffer).child(2, 0).text(5), "tools/call");
}

// One text that is not UTF-8 would cost the whole request.
TEST(OtlpTraces, TextsAreUtf8) {
  auto call = sample_call();
  call.target = "bad\xFFname";
  OtlpBuffer buffer;
  encode(Encoding::protobuf, sample_resource(), call, buffer);
  EXPECT_EQ(scope_of(buffer).child(2, 0).attributes(9).at("gen_ai.tool.name"),
            "bad\xEF\xBF\xBDname");
}

TEST(OtlpTraces, LongTextsGetLongSizes) {
  auto call = sample_call();
  call.more.arguments = std::string(70'000, 'x');
  OtlpBuffer buffer;
  encode(Encoding::protobuf, sample_resource(), call, buffer);
  EXPECT_EQ(scope_of(buffer).child(2, 0).attributes(9).at("gen_ai.tool.call.arguments").size(),
            70'000U);
}

TEST(OtlpTraces, JsonHasHexIdsAndNumbersAsText) {
  auto call = sample_call();
  call.link = {};
  call.times.clear();
  OtlpBuffer buffer;
  encode(Encoding::json, sample_resource(), call, buffer);
  const std::string all(buffer.view());
  ASSERT_TRUE(json::check(all)) << all;
  const std::string begin =
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":)"
      R"("test"}},{"key":"process.pid","value":{"intValue":"42"}}]},"scopeSpans":[{"scope":{"name":)"
      R"("patchbay","version":")" PATCHBAY_VERSION
      R"("},"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0101010101010101",)"
      R"("traceState":"vendor=1","parentSpanId":"0202020202020202","name":"tools/call fake__add",)"
      R"("kind":2,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000000005000",)"
      R"("attributes":[{"key":"mcp.method.name","value":{"stringValue":"tools/call"}},)";
  EXPECT_EQ(all.substr(0, begin.size()), begin);
  const std::string end = R"(],"status":{"message":"tool_error","code":2},"flags":769}]}]}]})";
  EXPECT_EQ(all.substr(all.size() - end.size()), end);
}

metrics::Snapshot sample_metrics() {
  metrics::Series buckets{.labels = R"(tool="a\"b")"};
  buckets.buckets = {
      {0.5, 1, {}},
      {1.0, 2, metrics::Exemplar{std::string(32, 'a'), std::string(16, 'b'), 0.7, 5}},
      {std::numeric_limits<double>::infinity(), 4, {}}};
  buckets.count = 7;
  buckets.sum = 12.5;
  metrics::Snapshot snapshot;
  snapshot.began_unix_seconds = 100;
  snapshot.families = {{"calls_total", "Calls.", metrics::Type::counter, {{"", 3}}},
                       {"size_bytes", "Size.", metrics::Type::gauge, {{"", -1.5}}},
                       {"took_seconds", "Time.", metrics::Type::histogram, {buckets}}};
  return snapshot;
}

TEST(OtlpMetrics, HaveTheTypesOfTheFamilies) {
  OtlpBuffer buffer;
  const auto items = encode_metrics(Encoding::protobuf, sample_resource(), sample_metrics(),
                                    200'000'000'000, buffer);
  EXPECT_EQ(items, 3U);
  const Message scope = scope_of(buffer);
  ASSERT_EQ(scope.count(2), 3U);
  const Message counter = scope.child(2, 0);
  EXPECT_EQ(counter.text(1), "calls_total");
  EXPECT_EQ(counter.text(2), "Calls.");
  EXPECT_EQ(counter.child(7).number(2), 2U);  // Cumulative
  EXPECT_EQ(counter.child(7).number(3), 1U);  // Monotonic
  const Message point = counter.child(7).child(1);
  EXPECT_EQ(point.number(2), 100'000'000'000U);
  EXPECT_EQ(point.number(3), 200'000'000'000U);
  EXPECT_EQ(point.number(6), 3U);

  const Message gauge = scope.child(2, 1);
  EXPECT_EQ(gauge.text(3), "By");
  EXPECT_EQ(as_real(gauge.child(5).child(1).number(4)), -1.5);

  const Message histogram = scope.child(2, 2);
  EXPECT_EQ(histogram.text(3), "s");
  const Message buckets = histogram.child(9).child(1);
  EXPECT_EQ(buckets.number(4), 7U);
  EXPECT_EQ(as_real(buckets.number(5)), 12.5);
  EXPECT_EQ(buckets.text(6).size(), 3 * sizeof(std::uint64_t));
  EXPECT_EQ(buckets.text(7).size(), 2 * sizeof(double));
  EXPECT_EQ(buckets.child(8).text(5), std::string(16, '\xAA'));
  EXPECT_EQ(buckets.child(8).text(4), std::string(8, '\xBB'));
  EXPECT_EQ(buckets.attributes(9).at("tool"), "a\"b");
}

TEST(OtlpMetrics, AreJsonToo) {
  OtlpBuffer buffer;
  encode_metrics(Encoding::json, sample_resource(), sample_metrics(), 200'000'000'000, buffer);
  const std::string all(buffer.view());
  ASSERT_TRUE(json::check(all)) << all;
  EXPECT_NE(all.find(R"("sum":{"dataPoints":[{"startTimeUnixNano":"100000000000",)"
                     R"("timeUnixNano":"200000000000","asInt":"3","attributes":[]}],)"
                     R"("aggregationTemporality":2,"isMonotonic":true})"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find(R"("bucketCounts":["1","2","4"],"explicitBounds":[0.5,1])"), std::string::npos)
      << all;
}

TEST(OtlpLogs, LinesHaveTheirKeysAndTheTraceOfTheirCall) {
  log::collect_exported(4096, nullptr);
  const std::string trace_id(32, 'b');
  log::LinePacker* const packer = log::LinePacker::of_this_thread();
  ASSERT_NE(packer, nullptr);
  packer->begin(std::chrono::system_clock::time_point(std::chrono::seconds(7)), log::Level::warn,
                "upstream down");
  packer->add("upstream", "fake");
  packer->add("tools", std::int64_t{3});
  packer->add("ms", 1.5);
  packer->add("trace", trace_id);
  packer->add("span", std::string(16, 'c'));
  packer->send();
  log::ExportedLines lines;
  lines.take(1 << 20);
  OtlpBuffer buffer;
  EXPECT_EQ(encode_lines(Encoding::protobuf, sample_resource(), lines, buffer), 1U);
  const Message line = scope_of(buffer).child(2);
  EXPECT_EQ(line.number(1), 7'000'000'000U);
  EXPECT_EQ(line.number(2), 13U);
  EXPECT_EQ(line.text(3), "WARN");
  EXPECT_EQ(line.child(5).text(1), "upstream down");
  EXPECT_EQ(line.text(9), std::string(16, '\xBB'));
  EXPECT_EQ(line.text(10), std::string(8, '\xCC'));
  const auto attributes = line.attributes(6);
  EXPECT_EQ(attributes.size(), 3U);
  EXPECT_EQ(attributes.at("upstream"), "fake");
  EXPECT_EQ(attributes.at("tools"), "3");
  log::collect_exported(0, nullptr);
  EXPECT_EQ(log::LinePacker::of_this_thread(), nullptr);
}

TEST(OtlpLogs, LinesBeyondTheBoundAreCounted) {
  log::collect_exported(1024, nullptr);
  const auto before = log::dropped_exported_lines();
  for (int i = 0; i < 100; ++i) {
    log::LinePacker* const packer = log::LinePacker::of_this_thread();
    packer->begin({}, log::Level::info, "a line that takes some of the ring");
    packer->send();
  }
  log::ExportedLines lines;
  lines.take(1 << 20);
  std::uint64_t taken = 0;
  lines.each([&](const log::ExportedLine&) { ++taken; });
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(taken + log::dropped_exported_lines() - before, 100U);
  log::collect_exported(0, nullptr);
}

}  // namespace
}  // namespace patchbay::telemetry
