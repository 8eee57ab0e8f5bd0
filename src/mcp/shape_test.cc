#include "mcp/shape.h"

#include <gtest/gtest.h>

#include "json/read.h"
#include "testing/revisions.h"

namespace patchbay::mcp {
namespace {

Reply reply_from(const std::string& result) {
  const std::string text = R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
  Message message;
  EXPECT_TRUE(parse(text, message));
  return reply_of(message);
}

std::string shaped(const std::string& result, Revision to, std::string_view method = "tools/call") {
  Reply reply = reply_from(result);
  shape_result(reply, method, to);
  EXPECT_TRUE(json::check(reply.body)) << reply.body;
  return reply.body;
}

std::string error_for(const std::string& error, Revision from, Revision to,
                      std::string_view method = "tools/call") {
  Reply reply;
  reply.is_error = true;
  reply.body = error;
  shape_error(reply, method, from, to, "file:///x");
  EXPECT_TRUE(json::check(reply.body)) << reply.body;
  return reply.body;
}

constexpr std::string_view kTool =
    R"({"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},)"
    R"("outputSchema":{"type":"object"},"annotations":{"title":"x"},"icons":[],"_meta":{"k":1},)"
    R"("execution":{"taskSupport":"optional"},"vendor":true})";

TEST(ItemFor, LeavesOutNewerMembers) {
  const auto tool = [](Revision to) { return item_for(to, ItemKind::tool, kTool); };
  EXPECT_EQ(tool(A),
            R"({"name":"t","description":"d","inputSchema":{"type":"object"},"vendor":true})");
  EXPECT_EQ(tool(B), R"({"name":"t","description":"d","inputSchema":{"type":"object"},)"
                     R"("annotations":{"title":"x"},"vendor":true})");
  EXPECT_EQ(tool(C), R"({"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},)"
                     R"("outputSchema":{"type":"object"},"annotations":{"title":"x"},)"
                     R"("_meta":{"k":1},"vendor":true})");
  EXPECT_EQ(tool(D), kTool);
  EXPECT_EQ(tool(E), R"({"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},)"
                     R"("outputSchema":{"type":"object"},"annotations":{"title":"x"},"icons":[],)"
                     R"("_meta":{"k":1},"vendor":true})");
}

TEST(ItemFor, AnOutputSchemaIsOfAnObjectUntilTheStatelessRevision) {
  for (const std::string schema : {R"({"type":"array"})", "true", R"({"type":["object"]})", "{}"}) {
    const std::string tool = R"({"name":"t","outputSchema":)" + schema + "}";
    EXPECT_EQ(item_for(C, ItemKind::tool, tool), R"({"name":"t"})");
    EXPECT_EQ(item_for(D, ItemKind::tool, tool), R"({"name":"t"})");
    EXPECT_EQ(item_for(E, ItemKind::tool, tool), tool);
  }
}

TEST(ItemFor, SchemasOfPropertiesAreObjectsUntilTheStatelessRevision) {
  const std::string tool =
      R"({"name":"t","inputSchema":{"properties":{"a":true,"b":false,"c":{"x-mcp-header":"C"}},)"
      R"("type":"object"},"outputSchema":{"properties":{"d":true},"type":"object"}})";
  EXPECT_EQ(item_for(D, ItemKind::tool, tool),
            R"({"name":"t","inputSchema":{"properties":{"a":{},"b":{"not":{}},)"
            R"("c":{"x-mcp-header":"C"}},"type":"object"},)"
            R"("outputSchema":{"properties":{"d":{}},"type":"object"}})");
  EXPECT_EQ(item_for(E, ItemKind::tool, tool), tool);
}

TEST(ItemFor, KnowsPromptsAndResources) {
  const std::string prompt = R"({"name":"p","title":"P","arguments":[{"name":"a","title":"A"}]})";
  EXPECT_EQ(item_for(B, ItemKind::prompt, prompt), R"({"name":"p","arguments":[{"name":"a"}]})");
  EXPECT_EQ(item_for(C, ItemKind::prompt, prompt), prompt);
  const std::string resource =
      R"({"uri":"u","name":"n","annotations":{"priority":1,"lastModified":"x"},"icons":[],"size":3})";
  EXPECT_EQ(item_for(A, ItemKind::resource, resource),
            R"({"uri":"u","name":"n","annotations":{"priority":1},"size":3})");
  EXPECT_EQ(item_for(C, ItemKind::resource_template, resource),
            R"({"uri":"u","name":"n","annotations":{"priority":1,"lastModified":"x"},"size":3})");
}

TEST(ShapeResult, TouchesNothingThatIsKnown) {
  const std::string plain = R"({ "content" : [ {"type":"text","text":"x"} ], "isError":false })";
  for (const Revision to : {A, B, C, D, E}) EXPECT_EQ(shaped(plain, to), plain);
  const std::string rich =
      R"({"content":[{"type":"resource_link","uri":"u","name":"n","icons":[],"_meta":{}},)"
      R"({"type":"audio","data":"","mimeType":"m"}],"structuredContent":{"a":1},"_meta":{"x":1}})";
  EXPECT_EQ(shaped(rich, D), rich);
  EXPECT_EQ(shaped(rich, E), rich);
}

TEST(ShapeResult, LeavesOutTheMarksOfTheStatelessRevision) {
  const std::string result =
      R"({"resultType":"complete","ttlMs":5,"cacheScope":"public","contents":[],)"
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{},"mine":1}})";
  for (const Revision to : {A, B, C, D}) {
    EXPECT_EQ(shaped(result, to, "resources/read"), R"({"contents":[],"_meta":{"mine":1}})");
  }
  EXPECT_EQ(shaped(result, E, "resources/read"), result);
  EXPECT_EQ(shaped(R"({"_meta":{"io.modelcontextprotocol/serverInfo":{}},"completion":{}})", C,
                   "completion/complete"),
            R"({"completion":{}})");
}

TEST(ShapeResult, NamesTheRelatedTaskWhereThatIsKnown) {
  const std::string result =
      R"({"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}})";
  EXPECT_EQ(shaped(result, C), R"({"content":[]})");
  EXPECT_EQ(shaped(result, D), result);
  EXPECT_EQ(shaped(result, E), R"({"content":[]})");
}

TEST(ShapeResult, RendersStructuredContentAsText) {
  const std::string text = R"([{"type":"text","text":"{\"a\":1}"}])";
  EXPECT_EQ(shaped(R"({"content":[],"structuredContent":{"a":1}})", B),
            R"({"content":)" + text + "}");
  EXPECT_EQ(shaped(R"({"structuredContent":{"a":1}})", A), R"({"content":)" + text + "}");
  EXPECT_EQ(shaped(R"({"structuredContent":{"a":1},"content":[],"isError":true})", A),
            R"({"content":)" + text + R"(,"isError":true})");
  EXPECT_EQ(shaped(R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}})", B),
            R"({"content":[{"type":"text","text":"t"}]})");
  // What is no object is new in the stateless revision.
  for (const Revision to : {C, D}) {
    EXPECT_EQ(shaped(R"({"content":[],"structuredContent":[1]})", to),
              R"({"content":[{"type":"text","text":"[1]"}]})");
    EXPECT_EQ(shaped(R"({"content":[],"structuredContent":null})", to),
              R"({"content":[{"type":"text","text":"null"}]})");
    EXPECT_EQ(shaped(R"({"content":[],"structuredContent":{}})", to),
              R"({"content":[],"structuredContent":{}})");
  }
}

TEST(ShapeResult, TurnsContentIntoTextWhereItIsNotKnown) {
  const std::string link =
      R"({"content":[{"type":"resource_link","uri":"file:///x","name":"x","description":"The x",)"
      R"("icons":[],"annotations":{"audience":["user"],"lastModified":"t"}}]})";
  const std::string as_text = R"({"content":[{"type":"text","text":"x: file:///x\nThe x",)"
                              R"("annotations":{"audience":["user"]}}]})";
  EXPECT_EQ(shaped(link, A), as_text);
  EXPECT_EQ(shaped(link, B), as_text);
  EXPECT_EQ(shaped(link, C),
            R"({"content":[{"type":"resource_link","uri":"file:///x","name":"x",)"
            R"("description":"The x","annotations":{"audience":["user"],"lastModified":"t"}}]})");
  const std::string audio =
      R"({"content":[{"mimeType":"audio/wav","data":"AAAA","type":"audio"}]})";
  EXPECT_EQ(shaped(audio, A),
            R"({"content":[{"type":"text","text":)"
            R"("[audio of type audio/wav left out: revision 2024-11-05 has none]"}]})");
  EXPECT_EQ(shaped(audio, B), audio);
}

TEST(ShapeResult, LeavesMetaOutOfBlocks) {
  const std::string result =
      R"({"content":[{"type":"resource","resource":{"uri":"u","text":"t","_meta":{"a":1}},)"
      R"("_meta":{"b":2}}],"_meta":{"c":3}})";
  EXPECT_EQ(
      shaped(result, B),
      R"({"content":[{"type":"resource","resource":{"uri":"u","text":"t"}}],"_meta":{"c":3}})");
  EXPECT_EQ(shaped(result, C), result);
  EXPECT_EQ(shaped(R"({"contents":[{"uri":"u","_meta":{},"text":"t"}]})", B, "resources/read"),
            R"({"contents":[{"uri":"u","text":"t"}]})");
  EXPECT_EQ(
      shaped(R"({"messages":[{"role":"user","content":{"type":"text","text":"t","_meta":{}}}]})", A,
             "prompts/get"),
      R"({"messages":[{"role":"user","content":{"type":"text","text":"t"}}]})");
}

TEST(ShapeResult, KeepsTrackOfMeta) {
  Reply reply = reply_from(
      R"({"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/x":1,"mine":2}})");
  shape_result(reply, "tools/call", D);
  EXPECT_EQ(reply.type, ResultType::none);
  EXPECT_EQ(reply.body.substr(reply.meta_at, reply.meta_size), R"({"mine":2})");
  Reply gone = reply_from(R"({"_meta":{"io.modelcontextprotocol/x":1},"content":[]})");
  shape_result(gone, "tools/call", D);
  EXPECT_EQ(gone.meta_size, 0U);
}

TEST(ShapeResult, DoesNotPassOffAnythingElseAsComplete) {
  Reply reply = reply_from(R"({"resultType":"input_required","requestState":"s"})");
  shape_result(reply, "tools/call", D);
  EXPECT_TRUE(reply.is_error);
  EXPECT_EQ(reply.why, Code::upstream_failed);
  Reply stored = reply_from(R"({"resultType":"task","taskId":"t"})");
  shape_result(stored, "tools/call", E);
  EXPECT_FALSE(stored.is_error);
}

TEST(ShapeResult, TrustsAScannedReplyLikeAParsedOne) {
  const std::string body =
      R"({"_meta":{"io.modelcontextprotocol/x":1},"resultType":"complete","structuredContent":7})";
  Reply reply = scanned_reply(body);
  const Reply parsed = reply_from(body);
  EXPECT_EQ(reply.meta_at, parsed.meta_at);
  EXPECT_EQ(reply.meta_size, parsed.meta_size);
  EXPECT_TRUE(reply.is_loose && parsed.is_loose);
  EXPECT_EQ(reply.type, parsed.type);
  EXPECT_NE(reply.type, ResultType::none);
  EXPECT_FALSE(reply.has_hints || parsed.has_hints);
}

TEST(ShapeError, AMissingResourceHasTwoCodes) {
  const std::string old_one = R"({"code":-32002,"message":"none"})";
  EXPECT_EQ(error_for(old_one, D, E, "resources/read"),
            R"({"data":{"uri":"file:///x"},"code":-32602,"message":"none"})");
  EXPECT_EQ(error_for(old_one, A, D, "resources/read"), old_one);
  EXPECT_EQ(error_for(old_one, D, E, "tools/call"), old_one);
  const std::string new_one = R"({"code":-32602,"message":"none","data":{"uri":"u"}})";
  EXPECT_EQ(error_for(new_one, E, B, "resources/read"),
            R"({"code":-32002,"message":"none","data":{"uri":"u"}})");
  EXPECT_EQ(error_for(new_one, E, E, "resources/read"), new_one);
  EXPECT_EQ(error_for(new_one, D, B, "resources/read"), new_one);
  const std::string wrong = R"({"code":-32602,"message":"wrong"})";
  EXPECT_EQ(error_for(wrong, E, B, "resources/read"), wrong);
}

std::string code_for(int code, Revision from, Revision to) {
  const std::string error = R"({"code":)" + std::to_string(code) + R"(,"message":"m","data":{}})";
  const std::string shaped = error_for(error, from, to);
  return std::string(*json::member(shaped, "code"));
}

TEST(ShapeError, ReservedCodesAreOnlyForRevisionsThatDefineThem) {
  for (const int code : {-32020, -32022}) {
    for (const Revision to : {A, D, E}) EXPECT_EQ(code_for(code, E, to), "-32603");
    EXPECT_EQ(code_for(code, C, E), "-32603") << "a server's own code is not the protocol's";
    EXPECT_EQ(code_for(code, C, D), std::to_string(code));
  }
  EXPECT_EQ(code_for(-32021, E, E), "-32021");
  EXPECT_EQ(code_for(-32021, E, C), "-32603");
  EXPECT_EQ(code_for(-32021, C, E), "-32603");
  EXPECT_EQ(code_for(-32042, D, D), "-32042");
  EXPECT_EQ(code_for(-32042, D, C), "-32603");
  EXPECT_EQ(code_for(-32042, D, E), "-32603");
  EXPECT_EQ(code_for(-32042, B, D), "-32603");
  EXPECT_EQ(code_for(-32042, B, A), "-32042");
  EXPECT_EQ(code_for(-32050, D, E), "-32603");
  EXPECT_EQ(code_for(-32601, D, E), "-32601");
  EXPECT_EQ(code_for(-32000, E, A), "-32000");
}

TEST(ShapeError, ReportsTheOutcome) {
  EXPECT_EQ(error_for(R"({"code":-32021,"message":"sampling","data":{"x":1}})", E, D),
            R"({"code":-32603,"message":"the tool needs a capability that this client does not )"
            R"(have: sampling","data":{"x":1}})");
}

TEST(ShapeError, LeavesTheGatewaysOwnErrorsAlone) {
  Reply reply = error_reply({Code::missing_capability, "no"});
  const std::string before = reply.body;
  shape_error(reply, "tools/call", D, E, "");
  EXPECT_EQ(reply.body, before);
}

TEST(NoticeFor, LeavesOutNewerMembers) {
  const std::string progress = R"({"progressToken":1,"progress":2,"message":"m",)"
                               R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}})";
  EXPECT_EQ(notice_for(A, "notifications/progress", progress),
            R"({"progressToken":1,"progress":2})");
  EXPECT_EQ(notice_for(B, "notifications/progress", progress),
            R"({"progressToken":1,"progress":2,"message":"m"})");
  EXPECT_EQ(notice_for(E, "notifications/progress", progress), progress);
  EXPECT_EQ(notice_for(A, "notifications/message", R"({"message":"m"})"), R"({"message":"m"})");
  EXPECT_EQ(notice_for(A, "notifications/tools/list_changed", ""), "");
}

}  // namespace
}  // namespace patchbay::mcp
