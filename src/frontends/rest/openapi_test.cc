#include "frontends/rest/openapi.h"

#include <gtest/gtest.h>

#include "frontends/rest/openapi_parts.h"
#include "json/read.h"
#include "testing/fake_upstream.h"

namespace patchbay::frontends {
namespace {

using mcp::ItemKind;

TEST(OpenApi, ATemplateIsAPathWithParameters) {
  const auto path = template_path("test://item/{id}{?q,r*}");
  EXPECT_EQ(path.path, "test%3A%2F%2Fitem%2F{id}{q_r}");
  EXPECT_TRUE(json::check(path.parameters));
  EXPECT_EQ(template_path("a{x}b{x}{}").path, "a{x}b{x_}{value}");
  EXPECT_EQ(template_path("a{x").path, "a");
  EXPECT_EQ(without_names("/rcs/a{x}b{y}"), "/rcs/a{}b{}");
}

TEST(OpenApi, EverythingOfACatalogIsThere) {
  mcp::ItemLists items;
  mcp::of(items, ItemKind::tool) = {
      {"add",
       R"({"name":"add","inputSchema":{"type":"object","$defs":{"n":{}},"properties":{"a":{"$ref":"#/$defs/n"}}},"outputSchema":{"type":"object"}})"},
      {"list_tools", R"({"name":"list_tools","inputSchema":7})"}};
  mcp::of(items, ItemKind::resource) = {{"t://a b", R"({"uri":"t://a b","name":"a"})"}};
  mcp::of(items, ItemKind::resource_template) = {
      {"t://{x}", R"({"uriTemplate":"t://{x}","name":"one"})"},
      {"t://{y}", R"({"uriTemplate":"t://{y}","name":"the same"})"}};
  const auto upstream = std::make_shared<testing::FakeUpstream>("up");
  const gateway::Catalog catalog({{upstream, items}}, {});
  const std::string text = openapi_document(catalog);
  ASSERT_TRUE(json::check(text)) << text;
  const auto paths = *json::member(text, "paths");
  for (const auto* const path : {"/api/up.add", "/api/up.list_tools", "/rcs/t%3A%2F%2Fa%20b",
                                 "/rcs/t%3A%2F%2F{x}", "/mcp/v1/tools"}) {
    EXPECT_TRUE(json::member(paths, path)) << path;
  }
  EXPECT_FALSE(json::member(paths, "/rcs/t%3A%2F%2F{y}"));
  EXPECT_TRUE(text.contains(R"("$ref":"#/components/schemas/up__add.arguments/$defs/n")"));
}

TEST(OpenApi, ABodyIsRequiredWhereAnArgumentIs) {
  mcp::ItemLists items;
  mcp::of(items, ItemKind::tool) = {
      {"must", R"({"name":"must","inputSchema":{"type":"object","required":["a"]}})"},
      {"may", R"({"name":"may","inputSchema":{"type":"object","required":[]}})"},
      {"none", R"({"name":"none"})"}};
  const auto upstream = std::make_shared<testing::FakeUpstream>("up");
  const std::string text = openapi_document(gateway::Catalog({{upstream, items}}, {}));
  const auto required = [&](const std::string& tool) {
    const auto path = *json::member(*json::member(text, "paths"), "/api/up." + tool);
    return *json::member(*json::member(*json::member(path, "post"), "requestBody"), "required");
  };
  EXPECT_EQ(required("must"), "true");
  EXPECT_EQ(required("may"), "false");
  EXPECT_EQ(required("none"), "false");
}

TEST(OpenApi, AnEmptyCatalogHasADocumentToo) {
  const gateway::Catalog catalog({}, {});
  EXPECT_TRUE(json::check(openapi_document(catalog)));
}

}  // namespace
}  // namespace patchbay::frontends
