#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/message.h"
#include "mcp/methods.h"
#include "mcp/reply.h"
#include "mcp/stateless.h"

namespace patchbay::mcp {
namespace {

// Code::internal: nothing is wrong.
Code code_of(std::string_view text) {
  Message message;
  auto parsed = parse(text, message);
  return parsed ? Code::internal : parsed.error().code;
}

Message stateless_call(std::string& text, std::string_view meta) {
  text = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"täst","_meta":)" +
         std::string(meta) + "}}";
  Message message;
  EXPECT_TRUE(parse(text, message));
  return message;
}

TEST(Message, IsTakenApartOnce) {
  Message message;
  const std::string text =
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x__y","arguments":{"k":[1]},)"
      R"("_meta":{"progressToken":7,"traceparent":"t"}}})";
  ASSERT_TRUE(parse(text, message));
  EXPECT_EQ(message.kind, Message::Kind::request);
  EXPECT_EQ(message.id, "\"a\"");
  EXPECT_EQ(message.method, "tools/call");
  EXPECT_EQ(message.param("arguments")->raw, R"({"k":[1]})");
  EXPECT_EQ(message.param("_meta"), nullptr);
  EXPECT_EQ(message.meta_member("progressToken")->raw, "7");
}

TEST(Message, KeepsNamesThatHadEscapes) {
  const std::string text =
      R"({"jsonrpc":"2.0","id":1,"method":"tools\u002flist","params":{"n\u0061me":1,"plain":2,)"
      R"("argum\u0065nts":3,"_meta":{"progressToke\u006e":4}}})";
  Message message;
  ASSERT_TRUE(parse(text, message));
  const Message moved = std::move(message);
  EXPECT_EQ(moved.method, "tools/list");
  EXPECT_EQ(moved.param("name")->raw, "1");
  EXPECT_EQ(moved.param("plain")->raw, "2");
  EXPECT_EQ(moved.param("arguments")->raw, "3");
  EXPECT_EQ(moved.meta_member("progressToken")->raw, "4");
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"\u0061":2}})"),
            Code::invalid_request);
}

TEST(Message, IsCopiedWithAllThatItNeeds) {
  auto text = std::make_unique<std::string>(
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"n\u0061me":"x",)"
      R"("arguments":{"b":[1,2]},"_meta":{"k":1}}})");
  auto original = std::make_unique<Message>();
  ASSERT_TRUE(parse(*text, *original));
  const OwnMessage copy(*original);
  // What it was copied from may go.
  std::ranges::fill(*text, '#');
  original.reset();
  text.reset();
  EXPECT_EQ(copy.message.kind, Message::Kind::request);
  EXPECT_EQ(copy.message.id, "\"a\"");
  EXPECT_EQ(copy.message.method, "tools/call");
  ASSERT_EQ(copy.message.params.size(), 2U);
  EXPECT_EQ(copy.message.param("name")->raw, "\"x\"");
  EXPECT_EQ(copy.message.param("arguments")->raw, R"({"b":[1,2]})");
  EXPECT_TRUE(copy.message.has_meta);
  EXPECT_EQ(copy.message.meta_member("k")->raw, "1");
  EXPECT_EQ(copy.message.raw_params,
            R"({"n\u0061me":"x","arguments":{"b":[1,2]},"_meta":{"k":1}})");
  // The arguments are there once.
  EXPECT_EQ(copy.text.find("[1,2]"), copy.text.rfind("[1,2]"));
}

TEST(Message, IsCopiedFromParts) {
  Message parts;
  parts.method = "ping";
  parts.params.push_back({"key", "1"});
  const OwnMessage copy(parts);
  EXPECT_EQ(copy.message.method, "ping");
  EXPECT_EQ(copy.message.param("key")->raw, "1");
  EXPECT_TRUE(copy.message.id.empty());
  EXPECT_TRUE(copy.message.raw_params.empty());
}

TEST(Message, KindsAreDistinguished) {
  Message notification;
  ASSERT_TRUE(parse(R"({"jsonrpc":"2.0","method":"m"})", notification));
  EXPECT_EQ(notification.kind, Message::Kind::notification);
  Message response;
  ASSERT_TRUE(parse(R"({"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":1}}})", response));
  EXPECT_EQ(response.kind, Message::Kind::response);
  EXPECT_EQ(response.result, R"({"_meta":{"a":1}})");
  EXPECT_EQ(response.result_meta, R"({"a":1})");
}

TEST(Message, RefusesWhatIsNoMessage) {
  EXPECT_EQ(code_of("{"), Code::parse_error);
  EXPECT_EQ(code_of("7"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"id":1,"method":"m"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"1.0","id":1,"method":"m"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":null,"method":"m"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":[1],"method":"m"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":7})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})"), Code::invalid_params);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"), Code::invalid_request);
}

TEST(Message, RefusesDuplicateAndLookAlikeKeys) {
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"m"})"), Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","Method":"n"})"),
            Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"\u0061":2}})"),
            Code::invalid_request);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{},"_meta":{}}})"),
            Code::invalid_request);
}

std::string with_params(std::size_t members, std::string_view more, bool in_meta) {
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{)";
  if (in_meta) text += R"("_meta":{)";
  for (std::size_t i = 0; i < members; ++i) text += fmt::format(R"("k{}":{},)", i, i);
  text += more;
  return text + (in_meta ? "}}}" : "}}");
}

TEST(Message, FindsARepeatedKeyAmongMany) {
  for (const bool in_meta : {false, true}) {
    for (const std::size_t members : {1U, 7U, 8U, 9U, 500U}) {
      EXPECT_EQ(code_of(with_params(members, R"("other":0)", in_meta)), Code::internal) << members;
      EXPECT_EQ(code_of(with_params(members, R"("k0":0)", in_meta)), Code::invalid_request);
      EXPECT_EQ(code_of(with_params(members, R"("\u006b0":0)", in_meta)), Code::invalid_request);
    }
  }
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":1,"_meta":{}}})"),
            Code::invalid_request);
}

TEST(Message, BoundsTheMembers) {
  for (const bool in_meta : {false, true}) {
    EXPECT_EQ(code_of(with_params(kMaxMembers - 1, R"("z":0)", in_meta)), Code::internal);
    Message message;
    const std::string text = with_params(kMaxMembers, R"("z":0)", in_meta);
    const auto refused = parse(text, message);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::invalid_request);
    EXPECT_TRUE(refused.error().message.contains("more than 1024 members"));
    EXPECT_EQ(message.id, "1") << "the error is answered under the id";
    EXPECT_LE(message.params.size() + message.meta.size(), kMaxMembers);
  }
}

TEST(Message, KeepsTheIdOfABadRequestForItsAnswer) {
  Message message;
  EXPECT_FALSE(parse(R"({"jsonrpc":"2.0","id":9,"method":7})", message));
  EXPECT_EQ(message.id, "9");
}

TEST(Forward, NamesTheTargetAndMintsTheToken) {
  Message message;
  const std::string text =
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"up__t","arguments":{"k":1},)"
      R"("_meta":{"progressToken":"mine","io.modelcontextprotocol/protocolVersion":"x","traceparent":"t"}}})";
  ASSERT_TRUE(parse(text, message));
  EXPECT_EQ(
      forward(message, {.id = "42", .target_key = "name", .target = "t"}),
      R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"t","arguments":{"k":1},)"
      R"("_meta":{"progressToken":42,"traceparent":"t"}}})");
}

TEST(Forward, ReplacesTheContextOfTheTrace) {
  const trace::SpanContext span{.trace = {1}, .span = {2}, .sampled = true};
  const trace::SentContext context(span, "a=\"b\"", "k=v");
  const std::string members =
      R"("traceparent":")" + to_traceparent(span) + R"(","tracestate":"a=\"b\"","baggage":"k=v")";
  const auto sent = [&](const std::string& params) {
    Message message;
    const std::string text =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + params + "}}";
    EXPECT_TRUE(parse(text, message));
    const std::string request = forward(message, {.id = "2", .context = &context});
    return std::string(*json::member(request, "params"));
  };
  EXPECT_EQ(sent(R"("_meta":{"a": 1 ,"traceparent":"t","baggage":"b","z":[ 2]})"),
            R"({"_meta":{"a":1,"z":[ 2],)" + members + "}}");
  EXPECT_EQ(sent(R"("x":1)"), R"({"x":1,"_meta":{)" + members + "}}");
  EXPECT_EQ(with_context(R"({"_meta":{"tracestate":"t","k":1},"y":2})", context),
            R"({"y":2,"_meta":{"k":1,)" + members + "}}");
  EXPECT_EQ(with_context(R"({"y":2})", {}), R"({"y":2})");
}

TEST(Forward, SendsWhatTheRevisionKnows) {
  Message message;
  const std::string text =
      R"({"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{)"
      R"("ref":{"type":"ref/prompt","name":"up__p","title":"P"},"context":{},"task":{},)"
      R"("inputResponses":{},"requestState":"s","vendor":1}})";
  ASSERT_TRUE(parse(text, message));
  const auto params = [&](Revision to) {
    const std::string sent =
        forward(message, {.id = "2", .target_key = "ref", .target = "p", .to = to});
    return std::string(*json::member(sent, "params"));
  };
  EXPECT_EQ(params(Revision::v2025_03_26),
            R"({"ref":{"type":"ref/prompt","name":"p"},"vendor":1})");
  EXPECT_EQ(params(Revision::v2025_06_18),
            R"({"ref":{"type":"ref/prompt","name":"p","title":"P"},"context":{},"vendor":1})");
  EXPECT_EQ(params(Revision::v2025_11_25),
            R"({"ref":{"type":"ref/prompt","name":"p","title":"P"},"context":{},"vendor":1})");
  EXPECT_EQ(params(Revision::v2026_07_28),
            R"({"ref":{"type":"ref/prompt","name":"p","title":"P"},"context":{},)"
            R"("inputResponses":{},"requestState":"s","vendor":1,"_meta":{)"
            R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientCapabilities":{},)"
            R"("io.modelcontextprotocol/clientInfo":)" +
                client_info() + "}}");
}

TEST(Forward, ReplacesTheEnvelopeOfTheClient) {
  std::string text;
  const Message message = stateless_call(
      text, R"({"traceparent":"t","io.modelcontextprotocol/clientCapabilities":{"roots":{}},)"
            R"("io.modelcontextprotocol/clientInfo":{"name":"c"}})");
  EXPECT_EQ(
      forward(message,
              {.id = "2", .target_key = "name", .target = "x", .to = kNewest, .log_level = "info"}),
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{},)"
      R"("io.modelcontextprotocol/clientInfo":{"name":"c"},)"
      R"("io.modelcontextprotocol/logLevel":"info","traceparent":"t"}}})");
}

TEST(Reply, IsMadeStatelessBySplicing) {
  const auto stateless = [](std::string result) {
    Message message;
    const std::string text = R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
    EXPECT_TRUE(parse(text, message));
    Reply reply = reply_of(message);
    make_stateless(reply, R"({"name":"p"})");
    EXPECT_TRUE(json::check(reply.body)) << reply.body;
    return reply.body;
  };
  EXPECT_EQ(
      stateless("{}"),
      R"({"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"p"}}})");
  EXPECT_EQ(
      stateless(R"({"a":1,"_meta":{"x":2}})"),
      R"({"resultType":"complete","a":1,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"p"},"x":2}})");
  EXPECT_EQ(stateless(R"({"_meta":{},"resultType":"task"})"),
            R"({"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"p"}},"resultType":"task"})");
  EXPECT_EQ(stateless(R"({"_meta":7})"), R"({"resultType":"complete","_meta":7})");
}

TEST(Reply, WritesErrorsInOneForm) {
  const Reply reply = error_reply({Code::timeout, "too \"late\""});
  EXPECT_EQ(response("7", reply),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"too \"late\"",)"
            R"("data":{"reason":"timeout"}}})");
}

TEST(Methods, ExistPerRevision) {
  EXPECT_NE(find_method("ping", Revision::v2025_06_18), nullptr);
  EXPECT_EQ(find_method("ping", Revision::v2026_07_28), nullptr);
  EXPECT_EQ(find_method("server/discover", Revision::v2025_11_25), nullptr);
  EXPECT_EQ(negotiate("2024-11-05"), Revision::v2024_11_05);
  EXPECT_EQ(negotiate("1999-01-01"), kNewestSessionBased);
  EXPECT_EQ(negotiate("2026-07-28"), kNewestSessionBased);
}

constexpr std::string_view kEnvelope =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

TEST(Stateless, HeadersCarryAnyText) {
  const auto coded = [](std::string_view value) {
    const std::string header = encode_header(value);
    EXPECT_EQ(decode_header(header), value);
    return header;
  };
  for (const auto* const plain : {"", "x", "a b", "file:///x?y=~", "=?base64?=", "?="}) {
    EXPECT_EQ(coded(plain), plain);
  }
  EXPECT_EQ(coded("t\xC3\xA4st"), "=?base64?dMOkc3Q=?=");
  EXPECT_EQ(coded(" x"), "=?base64?IHg=?=");
  EXPECT_EQ(coded("x "), "=?base64?eCA=?=");
  EXPECT_EQ(coded("a\r\nb: c"), "=?base64?YQ0KYjogYw==?=");
  EXPECT_EQ(coded("a\tb"), "=?base64?YQli?=");
  EXPECT_EQ(coded("=?base64?eA==?="), "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
  EXPECT_EQ(decode_header("=?BASE64?eA==?="), "=?BASE64?eA==?=") << "the marker is in lower case";
}

TEST(Stateless, DistinguishesStatelessRequests) {
  std::string text;
  EXPECT_EQ(**claimed_revision(stateless_call(text, kEnvelope)), Revision::v2026_07_28);
  EXPECT_FALSE(claimed_revision(stateless_call(text, "{}"))->has_value());
  const auto unknown = claimed_revision(
      stateless_call(text, R"({"io.modelcontextprotocol/protocolVersion":"2099-01-01"})"));
  EXPECT_EQ(unknown.error().code, Code::unsupported_version);
  EXPECT_EQ(unknown.error().data, R"({"supported":["2026-07-28"],"requested":"2099-01-01"})");
}

TEST(Stateless, RequiresMatchingHeaders) {
  std::string text;
  const Message message = stateless_call(text, kEnvelope);
  const auto* const method = find_method("tools/call", kNewest);
  const auto code = [&](const MirrorHeaders& headers) {
    auto checked = check_headers(message, method, headers);
    return checked ? Code::internal : checked.error().code;
  };
  EXPECT_EQ(code({"2026-07-28", "tools/call", "=?base64?dMOkc3Q=?="}), Code::internal);
  EXPECT_EQ(code({"2026-07-28", "tools/call", "test"}), Code::header_mismatch);
  EXPECT_EQ(code({"2026-07-28", "tools/list", "=?base64?dMOkc3Q=?="}), Code::header_mismatch);
  EXPECT_EQ(code({std::nullopt, "tools/call", "x"}), Code::header_mismatch);
  EXPECT_EQ(code({"2026-07-28", "tools/call", std::nullopt}), Code::header_mismatch);
  EXPECT_EQ(decode_header("=?base64?!!!!?="), std::nullopt);
}

TEST(Reply, TakesTheMemoryOfALargeMessage) {
  const std::string result = R"({"content":[],"_meta":{"a":1}})";
  const std::string padding(100'000, ' ');
  std::string text = R"({"jsonrpc":"2.0","id":7,"result":)" + result + padding + "}";
  const char* const memory = text.data();
  Message message;
  ASSERT_TRUE(parse(text, message));
  const Reply copied = reply_of(message);
  const Reply taken = reply_of(message, text);
  EXPECT_EQ(taken.body, result);
  EXPECT_EQ(static_cast<const void*>(taken.body.data()), memory);
  EXPECT_EQ(taken.body, copied.body);
  EXPECT_EQ(taken.meta_at, copied.meta_at);
  EXPECT_EQ(taken.meta_size, copied.meta_size);
  EXPECT_FALSE(taken.is_error);
}

TEST(Reply, TakesTheMemoryOfAnError) {
  std::string text = R"({"error":{"code":-32000,"message":"no"},"id":7,"jsonrpc":"2.0"})";
  Message message;
  ASSERT_TRUE(parse(text, message));
  const Reply taken = reply_of(message, text);
  EXPECT_TRUE(taken.is_error);
  EXPECT_EQ(taken.body, R"({"code":-32000,"message":"no"})");
}

}  // namespace
}  // namespace patchbay::mcp
