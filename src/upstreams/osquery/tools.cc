#include "upstreams/osquery/tools.h"

#include <fmt/format.h>

#include "json/text.h"

namespace patchbay::osquery {
namespace {

// The schema names `sql`; older clients send `query`, which is accepted as well.
constexpr std::string_view kQueryProperties =
    R"("sql":{"type":"string","description":"SQL query to execute"},)"
    R"("query":{"type":"string","description":"The same as sql, for clients that call it so"},)"
    R"("format":{"type":"string","enum":["json","text"],"default":"json",)"
    R"("description":"json: an array of rows; text: lines of name: value"})";

void add(mcp::ItemLists& items, std::string_view name, std::string_view description,
         std::string_view properties, std::string_view required) {
  std::string schema = fmt::format(R"({{"type":"object","properties":{{{}}})", properties);
  if (!required.empty()) schema += fmt::format(R"(,"required":["{}"])", required);
  schema += '}';
  mcp::of(items, mcp::ItemKind::tool)
      .push_back(
          {std::string(name), fmt::format(R"({{"name":"{}","description":"{}","inputSchema":{}}})",
                                          name, description, schema)});
}

std::string template_property(const Settings& settings) {
  std::string names;
  for (const auto& [name, sql] : settings.templates) {
    names += (names.empty() ? "" : ",") + json::quote(name);
  }
  return fmt::format(
      R"(,"template":{{"type":"string","enum":[{}],"description":"A query that is ready"}})",
      names);
}

}  // namespace

mcp::ItemLists tool_items(const Settings& settings) {
  mcp::ItemLists items;
  const bool more = settings.extra_tools;
  const bool templates = more && !settings.templates.empty();
  std::string properties(kQueryProperties);
  if (templates) properties += template_property(settings);
  // A template variable stands for the SQL.
  add(items, kQueryTool, "Execute an osquery SQL query", properties, templates ? "" : "sql");
  if (!more) return items;
  add(items, kListTool, "List the tables that can be queried", "", "");
  add(items, kDescribeTool, "Show the columns of a table and their types",
      R"("table":{"type":"string","description":"Name of the table"})", "table");
  add(items, kProcessesTool, "List running processes", R"("limit":{"type":"integer","default":10})",
      "");
  return items;
}

}  // namespace patchbay::osquery
