#include "transport/wire/envelope.h"

#include <gtest/gtest.h>

#include "json/read.h"
#include "transport/wire/chunks.h"
#include "transport/wire/fault.h"

namespace patchbay::wire {
namespace {

const char* const kSample = R"({
  "id": "550e8400-e29b-41d4-a716-446655440000",
  "timestamp": "2024-01-15T10:30:45.123Z",
  "source": "local-router",
  "target_namespace": "tools",
  "auth_token": "Bearer eyJ0eXAiOiJKV1Q...",
  "correlation_id": "req-12345",
  "metadata": {
    "client_version": "1.2.0",
    "retry_count": 0
  },
  "mcp_payload": {
    "jsonrpc": "2.0",
    "method": "tools/list",
    "params": {},
    "id": "mcp-req-001"
  }
})";

std::string envelope_fault(std::string_view text) {
  Envelope envelope;
  auto parsed = parse(text, envelope);
  return parsed ? "" : parsed.error().message;
}

std::string least(std::string_view more) {
  return R"({"id":"1","timestamp":"2024-01-15T10:30:45Z","source":"x")" + std::string(more) + "}";
}

TEST(WireEnvelope, ReadsTheSampleOfTheDocument) {
  Envelope envelope;
  ASSERT_TRUE(parse(kSample, envelope));
  EXPECT_EQ(envelope.id, "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(timestamp(envelope.time), "2024-01-15T10:30:45.123Z");
  EXPECT_EQ(envelope.source, "local-router");
  EXPECT_EQ(envelope.target_namespace, "tools");
  EXPECT_EQ(envelope.auth_token, "eyJ0eXAiOiJKV1Q...");
  EXPECT_EQ(envelope.correlation_id, "req-12345");
  EXPECT_EQ(json::string_member(envelope.metadata, "client_version"), "1.2.0");
  EXPECT_EQ(json::string_member(envelope.payload, "method"), "tools/list");
  EXPECT_TRUE(envelope.error.empty());
}

TEST(WireEnvelope, ReportsWhatIsWrong) {
  EXPECT_EQ(envelope_fault(R"({"timestamp":"2024-01-15T10:30:45Z","source":"x","mcp_payload":{}})"),
            "'id' is missing");
  EXPECT_EQ(envelope_fault(R"({"id":"1","source":"x","mcp_payload":{}})"),
            "'timestamp' is missing");
  EXPECT_EQ(envelope_fault(R"({"id":"1","timestamp":"2024-01-15T10:30:45Z","mcp_payload":{}})"),
            "'source' is missing");
  EXPECT_EQ(envelope_fault(least("")), "'mcp_payload' is missing");
  EXPECT_EQ(envelope_fault(least(R"(,"mcp_payload":null)")), "'mcp_payload' is missing");
  EXPECT_EQ(envelope_fault(least(R"(,"mcp_payload":[])")), "'mcp_payload' must be an object");
  EXPECT_EQ(envelope_fault(least(R"(,"mcp_payload":{},"auth_token":7)")),
            "'auth_token' must be a string");
  EXPECT_EQ(envelope_fault(least(R"(,"mcp_payload":{},"auth_token":"a","auth_token":"b")")),
            "'auth_token' is given twice");
  EXPECT_EQ(envelope_fault(least(R"(,"mcp_payload":{},"Auth_Token":"a")")),
            "'Auth_Token' must be written in lower case");
  EXPECT_EQ(envelope_fault(
                least(R"(,"mcp_payload":{},"metadata":{"chunk":{"id":"a","index":2,"total":2}})")),
            "'metadata.chunk' must have an 'id', and an 'index' below its 'total'");
  EXPECT_NE(envelope_fault(R"({"id":"1","timestamp":"yesterday","source":"x","mcp_payload":{}})")
                .find("ISO 8601"),
            std::string::npos);
  EXPECT_EQ(envelope_fault("[]"), "a wire message is a JSON object");
  EXPECT_NE(envelope_fault("{").find("invalid JSON"), std::string::npos);
  EXPECT_EQ(envelope_fault(least(R"(,"mcp_payload":{},"source2":1)")),
            "");  // Unknown fields are passed over.
  EXPECT_EQ(envelope_fault(R"({"id":")" + std::string(256, 'x') + "\"}"),
            "'id' is longer than 255 bytes");
}

TEST(WireEnvelope, TakesNumbersAsIds) {
  Envelope envelope;
  ASSERT_TRUE(parse(
      R"({"id":42,"timestamp":"2024-01-15T10:30:45+01:00","source":"x","auth_token":"raw","error":{}})",
      envelope));
  EXPECT_EQ(envelope.id, "42");
  EXPECT_EQ(envelope.auth_token, "raw");
  EXPECT_EQ(timestamp(envelope.time), "2024-01-15T09:30:45.000Z");
}

TEST(WireEnvelope, KnowsTheIdOfWhatIsWrong) {
  Envelope envelope;
  EXPECT_FALSE(parse(R"({"id":"q","timestamp":1})", envelope));
  EXPECT_EQ(envelope.id, "q");
}

TEST(WireEnvelope, ReadsTimes) {
  EXPECT_EQ(timestamp(*parse_timestamp("2024-02-29T23:59:59.9876543-00:30")),
            "2024-03-01T00:29:59.987Z");
  EXPECT_EQ(timestamp(*parse_timestamp("1969-12-31t23:59:59.5z")), "1969-12-31T23:59:59.500Z");
  for (const char* const bad :
       {"", "2024-02-30T00:00:00Z", "2024-01-15T10:30:45", "2024-01-15T24:00:00Z",
        "2024-01-15T10:30:45.Z", "2024-01-15T10:30:45.1234567890Z", "2024-01-15T10:30:45Zx",
        "9999-01-15T10:30:45Z", "2024-1-15T10:30:45Z", "2024-01-15T10:30:45+0100"}) {
    EXPECT_FALSE(parse_timestamp(bad)) << bad;
  }
}

TEST(WireEnvelope, WritesWhatItReads) {
  const WallTime time = *parse_timestamp("2024-01-15T10:30:45.890Z");
  EXPECT_EQ(write({.correlation_id = "req-001", .id = "resp-001", .time = time}, R"({"a":1})"),
            R"({"id":"resp-001","timestamp":"2024-01-15T10:30:45.890Z","source":"gateway",)"
            R"("correlation_id":"req-001","mcp_payload":{"a":1}})");
  const std::string text = write({.source = kRouter,
                                  .target_namespace = "sys\"tem",
                                  .auth_token = "t",
                                  .metadata = R"({"k":1})"},
                                 "{}");
  Envelope back;
  ASSERT_TRUE(parse(text, back));
  EXPECT_EQ(back.target_namespace, "sys\"tem");
  EXPECT_EQ(back.auth_token, "t");
  EXPECT_NE(text.find("\"Bearer t\""), std::string::npos);
  EXPECT_EQ(back.metadata, R"({"k":1})");
  EXPECT_EQ(back.payload, "{}");
}

TEST(WireEnvelope, FindsTheNamespace) {
  EXPECT_EQ(namespace_of("initialize"), "system");
  EXPECT_EQ(namespace_of("tools/list"), "system");
  EXPECT_EQ(namespace_of("docker.run"), "docker");
  EXPECT_EQ(namespace_of("resources/list"), "default");
  EXPECT_EQ(namespace_of("ping"), "default");
  EXPECT_EQ(namespace_of(".x"), "default");
  EXPECT_EQ(namespace_of(""), "default");
}

TEST(WireFault, HasTheCodesOfTheDocument) {
  const auto name = [](Code code) { return info(fault_code(code)).name; };
  EXPECT_EQ(name(Code::parse_error), "INVALID_REQUEST");
  EXPECT_EQ(name(Code::unauthenticated), "UNAUTHORIZED");
  EXPECT_EQ(name(Code::forbidden), "FORBIDDEN");
  EXPECT_EQ(name(Code::not_found), "NOT_FOUND");
  EXPECT_EQ(name(Code::rate_limited), "RATE_LIMIT_EXCEEDED");
  EXPECT_EQ(name(Code::internal), "INTERNAL_ERROR");
  EXPECT_EQ(name(Code::unavailable), "SERVICE_UNAVAILABLE");
  EXPECT_EQ(info(FaultCode::rate_limit_exceeded).http, 429);
  EXPECT_EQ(fault_object({Code::rate_limited, "slow down"}, R"({"limit":100})"),
            R"({"code":"RATE_LIMIT_EXCEEDED","message":"slow down","details":{"limit":100}})");
}

TEST(WireFault, ReadsThreeForms) {
  const Error whole = parse_fault(
      R"({"id":"e","error":{"code":"RATE_LIMIT_EXCEEDED","message":"m","details":{"limit":1}}})");
  EXPECT_EQ(whole.code, Code::rate_limited);
  EXPECT_EQ(whole.message, "m");
  EXPECT_EQ(whole.data, R"({"limit":1})");
  EXPECT_EQ(parse_fault(R"({"code":"AUTH_FORBIDDEN","message":"no"})").code, Code::forbidden);
  EXPECT_EQ(parse_fault("Unauthorized").message, "Unauthorized");
  EXPECT_EQ(parse_fault("{").code, Code::upstream_failed);
}

TEST(WireChunks, ComeTogether) {
  const std::string payload = R"({"text":")" + std::string(1000, 'a') + "äöü€\\n\"}";
  for (const std::size_t piece : {4u, 5u, 7u, 100u, 5000u}) {
    ChunkReader reader({});
    std::string memory;
    std::optional<Envelope> whole;
    const auto pieces = cut({.correlation_id = "c", .metadata = R"({"k":1})"}, payload, piece);
    for (const auto& text : pieces) {
      EXPECT_FALSE(whole);
      Envelope envelope;
      ASSERT_TRUE(parse(text, envelope));
      ASSERT_TRUE(envelope.chunk);
      auto added = reader.add(envelope, memory);
      ASSERT_TRUE(added) << added.error().message;
      whole = *added;
    }
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->payload, payload);
    EXPECT_EQ(whole->correlation_id, "c");
    EXPECT_EQ(reader.held(), 0u);
  }
}

TEST(WireChunks, HaveBounds) {
  ChunkReader reader({.message = 100, .open = 2});
  std::string memory;
  const auto add = [&](const char* id, std::uint32_t index, std::uint32_t total,
                       const std::string& part) {
    const std::string payload = R"({"part":)" + json::quote(part) + "}";
    Envelope piece;
    piece.payload = payload;
    piece.chunk = ChunkMark{id, index, total};
    auto added = reader.add(piece, memory);
    return added ? "" : std::string(patchbay::info(added.error().code).name);
  };
  EXPECT_EQ(add("a", 1, 2, "x"), "invalid_request");
  EXPECT_EQ(add("a", 0, 3, std::string(60, 'x')), "");
  EXPECT_EQ(add("b", 0, 2, "x"), "");
  EXPECT_EQ(add("c", 0, 2, "x"), "overloaded");
  EXPECT_EQ(add("b", 0, 2, "x"), "invalid_request");  // Out of order: dropped.
  EXPECT_EQ(add("a", 1, 3, std::string(60, 'x')), "too_large");
  EXPECT_EQ(reader.held(), 0u);
}

}  // namespace
}  // namespace patchbay::wire
