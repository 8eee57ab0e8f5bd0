#include "upstreams/openapi/service.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "json/read.h"
#include "upstreams/openapi/request.h"
#include "upstreams/openapi/resources.h"

namespace patchbay::upstreams {
namespace {

const std::string kHead = R"({"openapi":"3.0.3","servers":[{"url":"http://h:81/v1/"}],)";

OpenapiSettings settings() {
  OpenapiSettings made;
  made.document = "doc.json";
  return made;
}

// Of a document with these members.
OpenapiService service_of(const std::string& members, const OpenapiSettings& with = settings()) {
  auto service = read_service(kHead + members + "}", "up", with, std::nullopt);
  EXPECT_TRUE(service) << service.error().message;
  return service ? *std::move(service) : OpenapiService();
}

std::vector<std::string> names(const OpenapiService& service,
                               mcp::ItemKind kind = mcp::ItemKind::tool) {
  std::vector<std::string> all;
  for (const auto& item : mcp::of(service.items, kind)) all.push_back(item.key);
  return all;
}

std::string definition(const OpenapiService& service, std::string_view name) {
  const auto& tools = mcp::of(service.items, mcp::ItemKind::tool);
  const auto found = std::ranges::find(tools, name, &mcp::Item::key);
  return found == tools.end() ? "" : found->definition;
}

// The request line, header lines and body of a call.
std::string sent(const OpenapiService& service, std::string_view tool, std::string_view arguments) {
  const auto& operation = service.operations[service.tools.find(tool)->second];
  auto request = make_request({"", 1000}, operation, arguments);
  if (!request) return "refused: " + request.error().message;
  return operation.method + " " + request->path + "\n" + request->fields + request->body;
}

using Names = std::vector<std::string>;

TEST(OpenapiService, NamesToolsByIdOrByMethodAndPath) {
  const auto service =
      service_of(R"("paths":{"/pets":{"get":{"operationId":"list pets!"},"post":{}},)"
                 R"("/pets/{id}":{"parameters":[{"name":"id","in":"path"}],"get":{},)"
                 R"("put":{"operationId":"list.pets"}}})");
  EXPECT_EQ(names(service), (Names{"list_pets", "post_pets", "get_pets_id", "list_pets_2"}));
}

TEST(OpenapiService, SelectsByTagPatternAndMethod) {
  const std::string paths = R"("paths":{"/a":{"get":{"operationId":"getA","tags":["x"]},)"
                            R"("delete":{"operationId":"dropA","tags":["y"],"deprecated":true}},)"
                            R"("/b":{"get":{"operationId":"getB","tags":["y","z"]}}})";
  auto some = settings();
  some.select.tags = {"y*"};
  EXPECT_EQ(names(service_of(paths, some)), (Names{"dropA", "getB"}));
  some.select.deprecated = false;
  EXPECT_EQ(names(service_of(paths, some)), (Names{"getB"}));
  some = settings();
  some.select.operations = {"GET /a*", "drop?"};
  EXPECT_EQ(names(service_of(paths, some)), (Names{"getA", "dropA"}));
  some = settings();
  some.select.methods = {"DELETE"};
  EXPECT_EQ(names(service_of(paths, some)), (Names{"dropA"}));
  some = settings();
  some.limits.operations = 1;
  const auto one = service_of(paths, some);
  EXPECT_EQ(names(one), (Names{"getA"}));
  EXPECT_EQ(one.problems.size(), 1U);
}

TEST(OpenapiService, PutsParametersOfThePathBehindThoseOfTheOperation) {
  const auto service = service_of(
      R"("paths":{"/p/{id}":{"parameters":[{"name":"id","in":"path","schema":{"type":"string"}},)"
      R"({"name":"q","in":"query","required":true}],)"
      R"("get":{"operationId":"g","parameters":[{"name":"q","in":"query"},)"
      R"({"name":"id","in":"query"},{"name":"id","in":"header"}]}}})");
  EXPECT_EQ(sent(service, "g", R"({"id":"1","id_query":2,"id_header":3})"),
            "GET /v1/p/1?id=2\nAccept: */*\r\nid: 3\r\n");
  EXPECT_EQ(sent(service, "g", R"({"q":1})"), "refused: the argument 'id' is required");
  EXPECT_EQ(sent(service, "g", R"({"id":1,"r":1})"), "refused: there is no argument 'r'");
  const std::string defined = definition(service, "g");
  const auto schema = json::member(defined, "inputSchema");
  EXPECT_EQ(*json::member(*schema, "required"), R"(["id"])");
  EXPECT_EQ(*json::member(*schema, "additionalProperties"), "false");
}

TEST(OpenapiService, LeavesHeadersThatAreTheGatewaysToIt) {
  auto with = settings();
  with.headers = {{"X-Team", "a"}};
  const auto service =
      service_of(R"("paths":{"/p":{"get":{"operationId":"g","parameters":[)"
                 R"({"name":"Host","in":"header"},{"name":"content-length","in":"header"},)"
                 R"({"name":"x-team","in":"header"},{"name":"Cookie","in":"header"},)"
                 R"({"name":"X-Own","in":"header"}]}}})",
                 with);
  EXPECT_EQ(sent(service, "g", R"({"X-Own":"a"})"), "GET /v1/p\nAccept: */*\r\nX-Own: a\r\n");
  EXPECT_EQ(sent(service, "g", R"({"Host":"a"})"), "refused: there is no argument 'Host'");
}

TEST(OpenapiService, LeavesOutWhatItCannotCall) {
  const auto service = service_of(
      R"("paths":{"/a/{id}":{"get":{}},"/b?c":{"get":{}},"d":{"get":{}},"/e/{":{"get":{}},)"
      R"("/f":{"get":{"parameters":[{"$ref":"other.json#/p"}]}},)"
      R"("/g":{"get":{"parameters":[{"name":"a b","in":"header"}]}},)"
      R"("/h":{"get":{"servers":[{"url":"http://elsewhere/"}]}},"/ok":{"get":{}}})");
  EXPECT_EQ(names(service), (Names{"get_ok"}));
  EXPECT_EQ(service.problems.size(), 7U);
}

TEST(OpenapiService, SendsCredentialsOnlyWhereTheyAreAskedFor) {
  auto with = settings();
  with.credentials = {{"key", "k 1"}, {"jar", "j"}, {"basic", "u:p"}, {"token", "t"}, {"no", "x"}};
  const auto service = service_of(
      R"("components":{"securitySchemes":{"key":{"type":"apiKey","in":"query","name":"api_key"},)"
      R"("jar":{"type":"apiKey","in":"cookie","name":"sid"},)"
      R"("head":{"type":"apiKey","in":"header","name":"X-Key"},)"
      R"("basic":{"type":"http","scheme":"Basic"},"token":{"type":"oauth2"}}},)"
      R"("security":[{"token":[]}],"paths":{"/d":{"get":{"operationId":"default"}},)"
      R"("/n":{"get":{"operationId":"none","security":[]}},)"
      R"("/k":{"get":{"operationId":"both","security":[{"head":[]},{"key":[],"jar":[]}],)"
      R"("parameters":[{"name":"api_key","in":"query"},{"name":"c","in":"cookie"}]}},)"
      R"("/b":{"get":{"operationId":"basic","security":[{"basic":[]}]}},)"
      R"("/h":{"get":{"operationId":"unmet","security":[{"head":[]}]}}})",
      with);
  const std::string accept = "Accept: */*\r\n";
  EXPECT_EQ(sent(service, "default", "{}"), "GET /v1/d\nAuthorization: Bearer t\r\n" + accept);
  EXPECT_EQ(sent(service, "none", "{}"), "GET /v1/n\n" + accept);
  EXPECT_EQ(sent(service, "both", R"({"c":"1"})"),
            "GET /v1/k?api_key=k%201\n" + accept + "Cookie: c=1; sid=j\r\n");
  EXPECT_EQ(sent(service, "both", R"({"api_key":"mine"})"),
            "refused: there is no argument 'api_key'");
  EXPECT_EQ(sent(service, "basic", "{}"), "GET /v1/b\nAuthorization: Basic dTpw\r\n" + accept);
  EXPECT_EQ(sent(service, "unmet", "{}"), "GET /v1/h\n" + accept);
  EXPECT_EQ(service.problems.size(), 2U);  // About `no` and about `head`.
}

TEST(OpenapiService, ChoosesTheBodyThatSuitsBest) {
  const auto service = service_of(
      R"("paths":{"/p":{"post":{"operationId":"p","requestBody":{"required":true,"content":{)"
      R"("text/plain":{},"application/json":{"schema":{"type":"object"}}}}},)"
      R"("put":{"operationId":"f","requestBody":{"content":{"application/x-www-form-urlencoded":)"
      R"({"schema":{"properties":{"a":{},"l":{}}},"encoding":{"l":{"explode":false}}}}}},)"
      R"("patch":{"operationId":"t","requestBody":{"content":{"text/plain":{}}}},)"
      R"("delete":{"operationId":"b","requestBody":{"content":{"image/png":{}}}}}})");
  EXPECT_EQ(sent(service, "p", R"({"body":{"a": 1}})"),
            "POST /v1/p\nAccept: */*\r\nContent-Type: application/json\r\n{\"a\": 1}");
  EXPECT_EQ(sent(service, "p", "{}"), "refused: the argument 'body' is required");
  EXPECT_EQ(sent(service, "f", R"({"body":{"a":"x&y","l":[1,2],"o":{"b":1}}})"),
            "PUT /v1/p\nAccept: */*\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            "a=x%26y&l=1,2&o=%7B%22b%22%3A1%7D");
  EXPECT_EQ(sent(service, "t", R"({"body":"a\nb"})"),
            "PATCH /v1/p\nAccept: */*\r\nContent-Type: text/plain\r\na\nb");
  EXPECT_EQ(sent(service, "b", R"({"body":"QUI="})"),
            "DELETE /v1/p\nAccept: */*\r\nContent-Type: image/png\r\nAB");
  EXPECT_EQ(sent(service, "b", R"({"body":"A"})"),
            "refused: the argument 'body' must be base64, with its padding");
}

TEST(OpenapiService, WritesPartsThatNothingEscapes) {
  const auto service = service_of(
      R"("paths":{"/p":{"post":{"operationId":"p","requestBody":{"content":{"multipart/form-data":)"
      R"({"schema":{"properties":{"file":{"type":"string","format":"binary"},"note":{}}}}}}}}})");
  const auto text = sent(service, "p", R"({"body":{"file":"QUI=","no\"\r\nte":"a","n":{"x":1}}})");
  EXPECT_NE(text.find("name=\"file\"; filename=\"file\"\r\nContent-Type: "
                      "application/octet-stream\r\n\r\nAB\r\n"),
            std::string::npos);
  EXPECT_NE(text.find("name=\"no%22%0D%0Ate\"\r\n\r\na\r\n"), std::string::npos);
  EXPECT_NE(text.find("name=\"n\"\r\nContent-Type: application/json\r\n\r\n{\"x\":1}\r\n"),
            std::string::npos);
}

TEST(OpenapiService, RefusesPathsThatArgumentsWouldChange) {
  const auto service = service_of(
      R"("paths":{"/a/{x}/{y}.{z}":{"parameters":[{"name":"x","in":"path","style":"label"},)"
      R"({"name":"y","in":"path"},{"name":"z","in":"path"}],"get":{"operationId":"g"}}})");
  EXPECT_EQ(sent(service, "g", R"({"x":"a","y":"b","z":"c"})").substr(0, 17), "GET /v1/a/.a/b.c\n");
  for (const auto* const arguments :
       {R"({"x":"","y":"b","z":"c"})", R"({"x":"a","y":"","z":"c"})",
        R"({"x":".","y":"b","z":"c"})", R"({"x":"a","y":"..","z":"c"})",
        R"({"x":"a","y":"b","z":"/../../etc"})"}) {
    EXPECT_TRUE(sent(service, "g", arguments).starts_with("refused: ")) << arguments;
  }
  EXPECT_TRUE(sent(service, "g", R"({"x":")" + std::string(2000, 'a') + R"(","y":"b","z":"c"})")
                  .starts_with("refused: the arguments make a request of more than 1000 bytes"));
}

TEST(OpenapiService, FindsTheServer) {
  const auto origin = [](const std::string& servers, const OpenapiSettings& with,
                         std::optional<std::string> from) {
    std::optional<net::Url> url;
    if (from) url = *net::parse_url(*from);
    auto service =
        read_service(R"({"openapi":"3.1.0","servers":)" + servers + "}", "up", with, url);
    return service ? service->server.text() : "refused: " + service.error().message;
  };
  const auto plain = settings();
  EXPECT_EQ(origin(R"([{"url":"https://h/v2/"}])", plain, {}), "https://h/v2");
  EXPECT_EQ(origin(R"([{"url":"/v2"}])", plain, "http://d:1/x/openapi.json"), "http://d:1/v2");
  EXPECT_EQ(origin("[]", plain, "http://d:1/x/openapi.json"), "http://d:1");
  EXPECT_TRUE(origin(R"([{"url":"/v2"}])", plain, {}).starts_with("refused: "));
  // A document that was fetched does not send its readers elsewhere.
  EXPECT_TRUE(origin(R"([{"url":"http://evil/"}])", plain, "http://d/o").starts_with("refused: "));
  auto given = plain;
  given.server = "http://other:5/api/";
  EXPECT_EQ(origin(R"([{"url":"http://evil/"}])", given, "http://d/o"), "http://other:5/api");

  const std::string variables =
      R"([{"url":"https://{host}.h/{v}","variables":{"host":{"default":"eu","enum":["eu","us"]},)"
      R"("v":{"default":"v1"}}}])";
  EXPECT_EQ(origin(variables, plain, {}), "https://eu.h/v1");
  given = plain;
  given.variables = {{"host", "us"}};
  EXPECT_EQ(origin(variables, given, {}), "https://us.h/v1");
  given.variables = {{"host", "evil.example/"}};
  EXPECT_TRUE(origin(variables, given, {}).starts_with("refused: "));
}

TEST(OpenapiService, DescribesResultsThatAreAlwaysObjects) {
  const auto service = service_of(
      R"("components":{"schemas":{"Pet":{"type":"object","properties":{"n":{"type":"string"},)"
      R"("kin":{"$ref":"#/components/schemas/Pet"}}}}},"paths":{)"
      R"("/o":{"get":{"operationId":"o","responses":{"200":{"content":{"application/json":)"
      R"({"schema":{"$ref":"#/components/schemas/Pet"}}}},"404":{}}}},)"
      R"("/l":{"get":{"operationId":"l","responses":{"200":{"content":{"application/json":)"
      R"({"schema":{"type":"array"}}}}}}},)"
      R"("/m":{"put":{"operationId":"m","responses":{"200":{"content":{"application/json":)"
      R"({"schema":{"type":"object"}}}},"204":{}}}}})");
  const std::string one = definition(service, "o");
  const auto output = json::member(one, "outputSchema");
  ASSERT_TRUE(output);
  EXPECT_EQ(*json::string_member(*output, "type"), "object");
  EXPECT_EQ(*json::string_member(*output, "$ref"), "#/$defs/Pet");
  EXPECT_FALSE(json::member(definition(service, "l"), "outputSchema"));
  EXPECT_FALSE(json::member(definition(service, "m"), "outputSchema"));
  const std::string put = definition(service, "m");
  const auto hints = json::member(put, "annotations");
  EXPECT_EQ(*hints, R"({"readOnlyHint":false,"idempotentHint":true})");
}

TEST(OpenapiService, OffersGetsAsResources) {
  auto with = settings();
  with.gets = GetsAs::resources;
  const auto service = service_of(
      R"("paths":{"/pets":{"get":{"operationId":"list","parameters":[{"name":"n","in":"query"},)"
      R"({"name":"l","in":"query","schema":{"type":"array"}}]}},)"
      R"("/pets/{id}":{"get":{"operationId":"one","parameters":[{"name":"id","in":"path"}]}},)"
      R"("/pets/mine":{"get":{"operationId":"mine"},"post":{"operationId":"add"}},)"
      R"("/h":{"get":{"operationId":"head",)"
      R"("parameters":[{"name":"h","in":"header","required":true}]}}})",
      with);
  EXPECT_EQ(names(service), (Names{"add", "head"}));
  EXPECT_EQ(names(service, mcp::ItemKind::resource), (Names{"openapi://up/pets/mine"}));
  EXPECT_EQ(names(service, mcp::ItemKind::resource_template),
            (Names{"openapi://up/pets{?n}", "openapi://up/pets/{id}"}));
  const auto arguments = [&](std::size_t number, std::string_view uri) {
    auto given = arguments_of_uri(service.operations[number], "up", uri);
    if (!given) return "refused: " + given.error().message;
    return given->value_or("no");
  };
  EXPECT_EQ(arguments(0, "openapi://up/pets"), "{}");
  EXPECT_EQ(arguments(0, "openapi://up/pets?n=5"), R"({"n":"5"})");
  EXPECT_EQ(arguments(0, "openapi://up/pets?z=5"), "refused: the resource has no parameter 'z'");
  EXPECT_EQ(arguments(1, "openapi://up/pets/a%2Fb"), R"({"id":"a/b"})");
  for (const auto* const other : {"openapi://up/pets/", "openapi://up/pets/a/b", "openapi://up/pet",
                                  "openapi://other/pets/a", "http://up/pets/a"}) {
    EXPECT_EQ(arguments(1, other), "no") << other;
  }
}

TEST(OpenapiService, ReportsSchemasThatItCannotDescribe) {
  auto with = settings();
  with.limits.schema = config::Bytes{1024};
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += (i ? ",\"p" : "\"p") + std::to_string(i) + "\":{}";
  const auto service =
      service_of(R"("paths":{"/p":{"post":{"operationId":"p","requestBody":{"content":{)"
                 R"("application/json":{"schema":{"properties":{)" +
                     wide + "}}}}}}}}",
                 with);
  EXPECT_EQ(service.problems.size(), 1U);
  EXPECT_LT(definition(service, "p").size(), 500U);
  EXPECT_EQ(sent(service, "p", R"({"body":{"p1":1}})").substr(0, 11), "POST /v1/p\n");
}

}  // namespace
}  // namespace patchbay::upstreams
