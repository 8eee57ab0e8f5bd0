#include "frontends/rest/openapi.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "core/version.h"
#include "frontends/rest/openapi_parts.h"
#include "json/read.h"
#include "json/schema/embed.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

using gateway::CatalogEntry;
using json::Object;
using json::quote;
using mcp::ItemKind;

constexpr std::string_view kAbout =
    "Tools and resources of all upstreams. POST /api/{tool} takes the arguments and answers with "
    "the "
    "structured content of the result, or its content; GET /rcs/{uri} reads a resource. /mcp/v1 is "
    "the same in the words of MCP.";

// Of a tool without an output schema.
constexpr std::string_view kAnyResult =
    R"({"description":"The structured content of the result; without one, its content."})";

// Builds a document in which paths, operation names and schema names are unique.
class Writer {
 public:
  explicit Writer(const gateway::Catalog& catalog) : catalog_(catalog) {}

  std::string write() {
    each(ItemKind::tool, [this](const auto& entry, auto item) { add_tool(entry, item); });
    each(ItemKind::resource, [this](const auto& entry, auto item) {
      add_resource(entry, item, net::percent_encode(entry.listed), "");
    });
    each(ItemKind::resource_template, [this](const auto& entry, auto item) {
      const TemplatePath path = template_path(entry.listed);
      add_resource(entry, item, path.path, path.parameters);
    });
    std::string text;
    Object document(text);
    document.raw("openapi", "\"3.1.0\"");
    document.raw("info", fmt::format(R"({{"title":"Patchbay","version":"{}","description":{}}})",
                                     kVersion, quote(kAbout)));
    document.raw("servers", R"([{"url":"/"}])");
    document.raw("security", R"([{},{"bearer":[]}])");
    document.raw("tags", fmt::format("[{}]", tags_));
    document.raw("paths",
                 fmt::format("{{{}{}{}}}", paths_, paths_.empty() ? "" : ",", kFixedPaths));
    document.raw("components", fmt::format("{{{},\"schemas\":{{{}{}}}}}", kFixedComponents,
                                           schemas_, kFixedSchemas));
    document.end();
    return text;
  }

 private:
  void each(ItemKind kind, const std::function<void(const CatalogEntry&, std::string_view)>& add) {
    const auto& entries = catalog_.entries(kind);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].offered) continue;
      add_tag(entries[i].upstream->name());
      add(entries[i], catalog_.items(kind)[i]);
    }
  }

  void add_tag(std::string_view upstream) {
    if (!tags_seen_.insert(std::string(upstream)).second) return;
    tags_ += fmt::format(R"({}{{"name":{}}})", tags_.empty() ? "" : ",", quote(upstream));
  }

  // An unused name of letters, digits, `_` and `-`.
  std::string unique(std::string_view wanted) {
    const std::string plain = identifier(wanted);
    std::string name = plain;
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", plain, i);
    return name;
  }

  void add_path(std::string_view path, std::string_view operations) {
    if (!paths_.empty()) paths_ += ',';
    paths_ += fmt::format("{}:{{{}}}", quote(path), operations);
  }

  // The schema under its own name; references to it are rewritten.
  std::string add_schema(const std::string& name, std::string_view schema) {
    const std::string pointer = fmt::format("#/components/schemas/{}", name);
    schemas_ += fmt::format("{}:{},", quote(name),
                            json::moved_schema(schema, pointer, "urn:patchbay:" + name));
    return fmt::format(R"({{"$ref":"{}"}})", pointer);
  }

  void add_description(Object& operation, const CatalogEntry& entry, std::string_view item,
                       std::string_view name) {
    operation.raw("tags", fmt::format("[{}]", quote(entry.upstream->name())));
    operation.raw("summary", quote(json::string_member(item, "title").value_or(std::string(name))));
    if (const auto text = json::string_member(item, "description")) {
      operation.raw("description", quote(*text));
    }
  }

  void add_tool(const CatalogEntry& entry, std::string_view item) {
    const std::string path = "/api/" + net::percent_encode(entry.dotted);
    if (!taken_paths_.insert(path).second) return;
    const std::string id = unique(entry.listed);
    const auto schema_of = [&](std::string_view key) {
      const auto schema = json::member(item, key);
      return schema && schema->starts_with('{') ? *schema : std::string_view();
    };
    const auto input = schema_of("inputSchema");
    const auto output = schema_of("outputSchema");
    const std::string arguments =
        add_schema(id + ".arguments", input.empty() ? R"({"type":"object"})" : input);
    const std::string result =
        output.empty() ? std::string(kAnyResult) : add_schema(id + ".result", output);
    std::string text;
    Object operation(text);
    operation.raw("operationId", quote(id));
    add_description(operation, entry, item, entry.dotted);
    // Without a body, the arguments are an empty object; the body is required if the schema refuses
    // that.
    bool needed = false;
    json::each_element(json::member(input, "required").value_or("[]"),
                       [&](std::string_view) { needed = true; });
    operation.raw(
        "requestBody",
        fmt::format(R"({{"required":{},"content":{{"application/json":{{"schema":{}}}}}}})", needed,
                    arguments));
    operation.raw("responses", tool_responses(result));
    operation.end();
    add_path(path, "\"post\":" + text);
  }

  void add_resource(const CatalogEntry& entry, std::string_view item, const std::string& path,
                    std::string_view parameters) {
    const std::string whole = "/rcs/" + path;
    if (!taken_paths_.insert(without_names(whole)).second) return;
    const std::string id = unique("read_" + entry.listed);
    std::string operations;
    for (const bool head : {false, true}) {
      std::string text;
      Object operation(text);
      operation.raw("operationId", quote(head ? unique("look_at_" + entry.listed) : id));
      add_description(operation, entry, item,
                      json::string_member(item, "name").value_or(entry.listed));
      if (!parameters.empty()) operation.raw("parameters", parameters);
      const auto type = json::string_member(item, "mimeType").value_or("");
      operation.raw("responses", resource_responses(type, head));
      operation.end();
      operations += fmt::format("{}:{}", head ? ",\"head\"" : "\"get\"", text);
    }
    add_path(whole, operations);
  }

  const gateway::Catalog& catalog_;
  std::string tags_ = R"({"name":"gateway","description":"The catalog as a whole."})";
  std::string paths_;
  std::string schemas_;
  std::set<std::string> tags_seen_{"gateway"};
  std::set<std::string> names_{kFixedNames.begin(), kFixedNames.end()};
  std::set<std::string> taken_paths_;
};

}  // namespace

std::string openapi_document(const gateway::Catalog& catalog) { return Writer(catalog).write(); }

}  // namespace patchbay::frontends
