// The lists of the REST frontend: those that MCP clients get, with names of their own.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/http_token.h"
#include "frontends/rest/openapi_parts.h"
#include "frontends/rest/rest.h"
#include "frontends/synthetic_request.h"
#include "json/edit.h"
#include "json/read.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

using gateway::Catalog;
using gateway::CatalogEntry;
using mcp::ItemKind;

constexpr int kMostPages = 10'000;

// An item of a list and its catalog entry; null if the catalog has changed meanwhile.
struct Listed {
  std::string_view raw;
  const CatalogEntry* entry = nullptr;
};

Listed look_up(const Catalog& catalog, ItemKind kind, std::string_view raw) {
  const auto name = json::string_member(raw, mcp::info(kind).key).value_or("");
  return {raw, catalog.find(kind, name)};
}

// A tool as REST names it: upstream.tool.
std::string dotted(const Listed& tool) {
  if (!tool.entry) return std::string(tool.raw);
  json::Edit edit(tool.raw);
  edit.members([&](std::string_view key) {
    if (key != "name") return edit.keep();
    edit.replace(edit.take(), json::quote(tool.entry->dotted));
    return true;
  });
  return edit.result();
}

// In a map by name: upstream_tool, and only the members that a caller needs.
void add_by_name(json::Object& map, const Listed& item, ItemKind kind) {
  if (!item.entry) return;
  if (kind == ItemKind::resource) {
    map.raw(fmt::format("{}.{}", item.entry->upstream->name(), item.entry->key), item.raw);
    return;
  }
  const std::string name = identifier(item.entry->dotted);
  std::string text;
  {
    json::Object tool(text);
    tool.raw("name", json::quote(name));
    tool.raw("description", json::member(item.raw, "description").value_or("\"\""));
    tool.raw("inputSchema", json::member(item.raw, "inputSchema").value_or("{}"));
  }
  map.raw(name, text);
}

// In the list of everything: its type, and the path at which to use it.
void add_agent(std::string& list, const Listed& item, ItemKind kind) {
  const bool tool = kind == ItemKind::tool;
  const std::string& name = tool ? item.entry->dotted : item.entry->listed;
  json::Object agent(list);
  agent.raw("type", tool ? "\"tool\"" : "\"resource\"");
  agent.raw("name", tool ? json::quote(name) : json::member(item.raw, "name").value_or("\"\""));
  if (!tool) agent.raw("uri", json::quote(name));
  for (const auto* const key :
       {"title", "description", "mimeType", "inputSchema", "outputSchema"}) {
    if (const auto value = json::member(item.raw, key)) agent.raw(key, *value);
  }
  agent.raw("href", json::quote("/agents/" + net::percent_encode(name)));
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), lower_case);
  return text;
}

// The filter of a list.
struct Filter {
  std::string server;
  std::string search;
  std::string cursor;
  bool map = false;

  bool takes(const Listed& item, ItemKind kind) const {
    if (!server.empty() && (!item.entry || item.entry->upstream->name() != server)) return false;
    if (search.empty()) return true;
    const std::string name =
        item.entry && kind == ItemKind::tool ? item.entry->dotted : std::string();
    return std::ranges::any_of(
        std::array{name, json::string_member(item.raw, "name").value_or(""),
                   json::string_member(item.raw, "uri").value_or(""),
                   json::string_member(item.raw, "title").value_or(""),
                   json::string_member(item.raw, "description").value_or("")},
        [&](const std::string& text) { return lower(text).contains(search); });
  }
};

Result<Filter> read_filter(std::map<std::string, std::string> query) {
  Filter filter;
  for (auto& [key, value] : query) {
    if (key == "server") {
      filter.server = std::move(value);
    } else if (key == "q") {
      filter.search = lower(std::move(value));
    } else if (key == "cursor") {
      filter.cursor = std::move(value);
    } else if (key == "format" && (value == "map" || value == "list")) {
      filter.map = value == "map";
    } else {
      return Error{Code::invalid_params,
                   fmt::format("'{}' is none of server, q, cursor, format=list, format=map", key)};
    }
  }
  return filter;
}

// The filtered page of a reply; `more` are raw members for a list.
std::string rendered(const mcp::Reply& page, ItemKind kind, const Filter& filter,
                     const Catalog& catalog, std::string_view more = {}) {
  const auto member = mcp::info(kind).member;
  std::string text;
  json::Object object(text);
  std::string list;
  json::each_element(json::member(page.body, member).value_or("[]"), [&](std::string_view raw) {
    const Listed item = look_up(catalog, kind, raw);
    if (!filter.takes(item, kind)) return;
    if (filter.map) return add_by_name(object, item, kind);
    if (!list.empty()) list += ',';
    list += kind == ItemKind::tool ? dotted(item) : std::string(raw);
  });
  if (!filter.map) {
    object.raw(member, fmt::format("[{}]", list));
    object.members(more);
    if (const auto next = json::member(page.body, "nextCursor")) object.raw("nextCursor", *next);
  }
  object.end();
  return text;
}

}  // namespace

Task<mcp::Reply> Rest::page(net::HttpExchange& exchange, ItemKind kind, std::string cursor) {
  SyntheticRequest request(mcp::info(kind).list, json::quote(next_id(exchange)));
  if (!cursor.empty()) request.add_text("cursor", cursor);
  RestCall running(server_, exchange, request.message(), "", nullptr);
  co_return co_await running.run();
}

Task<std::vector<std::string>> Rest::all(net::HttpExchange& exchange, ItemKind kind) {
  std::vector<std::string> items;
  std::string cursor;
  for (int i = 0; i < kMostPages; ++i) {
    auto reply = co_await page(exchange, kind, cursor);
    if (!reply) co_return reply.error();
    if (reply->is_error) {
      co_return Error{reply->why.value_or(Code::internal),
                      json::string_member(reply->body, "message").value_or("")};
    }
    json::each_element(json::member(reply->body, mcp::info(kind).member).value_or("[]"),
                       [&](std::string_view raw) { items.emplace_back(raw); });
    cursor = json::string_member(reply->body, "nextCursor").value_or("");
    if (cursor.empty()) break;
  }
  co_return items;
}

Task<RestAnswer> Rest::show_tools(net::HttpExchange& exchange, Query query) {
  auto filter = read_filter(std::move(query));
  if (!filter) co_return filter.error();
  auto reply = co_await page(exchange, ItemKind::tool, filter->cursor);
  if (!reply) co_return reply.error();
  if (reply->is_error) co_return failure_answer(Dialect::mcp, *reply, false);
  RestAnswer answer;
  answer.body = rendered(*reply, ItemKind::tool, *filter, *catalog_.current(*exchange.caller));
  co_return answer;
}

Task<RestAnswer> Rest::show_tool(net::HttpExchange& exchange, const RestPath& target) {
  auto tools = co_await all(exchange, ItemKind::tool);
  if (!tools) co_return tools.error();
  const auto catalog = catalog_.current(*exchange.caller);
  const auto* const wanted = catalog->find(ItemKind::tool, target.name);
  for (const auto& raw : *tools) {
    const Listed tool = look_up(*catalog, ItemKind::tool, raw);
    if (!wanted || tool.entry != wanted) continue;
    RestAnswer answer;
    answer.body = dotted(tool);
    co_return answer;
  }
  co_return Error{Code::not_found, fmt::format("unknown tool: {}", target.name)};
}

Task<RestAnswer> Rest::show_resources(net::HttpExchange& exchange, Query query) {
  auto filter = read_filter(std::move(query));
  if (!filter) co_return filter.error();
  auto reply = co_await page(exchange, ItemKind::resource, filter->cursor);
  if (!reply) co_return reply.error();
  if (reply->is_error) co_return failure_answer(Dialect::mcp, *reply, false);
  std::string templates;
  if (filter->cursor.empty() && !filter->map) {
    auto found = co_await all(exchange, ItemKind::resource_template);
    if (!found) co_return found.error();
    for (const auto& raw : *found) {
      const Listed item =
          look_up(*catalog_.current(*exchange.caller), ItemKind::resource_template, raw);
      if (filter->takes(item, ItemKind::resource_template)) {
        templates += (templates.empty() ? "" : ",") + raw;
      }
    }
    templates = fmt::format("\"resourceTemplates\":[{}]", templates);
  }
  RestAnswer answer;
  answer.body =
      rendered(*reply, ItemKind::resource, *filter, *catalog_.current(*exchange.caller), templates);
  co_return answer;
}

// Tools first, then resources, each with its path.
Task<RestAnswer> Rest::show_agents(net::HttpExchange& exchange, Query query) {
  auto filter = read_filter(std::move(query));
  if (filter && (filter->map || !filter->cursor.empty())) {
    filter = Error{Code::invalid_params, "this list takes only server and q"};
  }
  if (!filter) co_return filter.error();
  std::string list;
  for (const auto kind : {ItemKind::tool, ItemKind::resource}) {
    auto items = co_await all(exchange, kind);
    if (!items) co_return items.error();
    const auto catalog = catalog_.current(*exchange.caller);
    for (const auto& raw : *items) {
      const Listed item = look_up(*catalog, kind, raw);
      if (!item.entry || !filter->takes(item, kind)) continue;
      if (!list.empty()) list += ',';
      add_agent(list, item, kind);
    }
  }
  RestAnswer answer;
  answer.body = fmt::format("[{}]", list);
  co_return answer;
}

Task<std::string> Rest::uri_of(std::string name, Caller caller) {
  auto synced = co_await catalog_.wait_synced(*caller, server_.deadline());
  if (!synced) co_return synced.error();
  const Catalog& catalog = **synced;
  if (catalog.find_resource(name)) co_return name;
  const auto& entries = catalog.entries(ItemKind::resource);
  const std::string* named = nullptr;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CatalogEntry& entry = entries[i];
    const std::string_view upstream = entry.upstream->name();
    const bool behind = name.size() > upstream.size() && name.starts_with(upstream) &&
                        (name[upstream.size()] == '.' || name[upstream.size()] == '/');
    const auto rest = std::string_view(name).substr(behind ? upstream.size() + 1 : 0);
    if (behind && rest == entry.key) co_return entry.listed;
    if (json::string_member(catalog.items(ItemKind::resource)[i], "name") != rest) continue;
    if (named) co_return name;  // Two have that name, so neither is chosen.
    named = &entry.listed;
  }
  co_return named ? *named : name;
}

Task<RestAnswer> Rest::show_health(const net::HttpExchange& exchange) {
  const auto catalog = catalog_.current(*exchange.caller);
  auto servers = operations_.upstreams();
  // Servers of which the caller may use nothing are left out.
  std::erase_if(servers, [&](const UpstreamLine& line) {
    return catalog->access() && !catalog->find_upstream(line.name);
  });
  const auto is_up = [](const UpstreamLine& line) { return line.state.up; };
  const auto up = std::ranges::count_if(servers, is_up);
  const bool none = !servers.empty() && up == 0;
  const bool all_up = up == static_cast<std::ptrdiff_t>(servers.size());
  std::string states;
  for (const auto& line : servers) states += (states.empty() ? "" : ",") + upstream_json(line);
  RestAnswer answer;
  answer.status = none ? 503 : 200;
  answer.body = fmt::format(
      R"({{"status":"{}","service":"Patchbay","servers":{},"tools":{},"resources":{},"states":[{}]}})",
      all_up ? "UP"
      : none ? "DOWN"
             : "DEGRADED",
      servers.size(), catalog->size(ItemKind::tool), catalog->size(ItemKind::resource), states);
  co_return answer;
}

}  // namespace patchbay::frontends
