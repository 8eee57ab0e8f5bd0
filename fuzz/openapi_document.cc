// Fuzzes the reader of OpenAPI documents, JSON and YAML, which come from outside. Each offered
// operation is a tool that a client can list, under a unique name.
#include <set>

#include "fuzz/require.h"
#include "json/read.h"
#include "upstreams/openapi/request.h"
#include "upstreams/openapi/service.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay;
  using fuzz::require;
  upstreams::OpenapiSettings settings;
  settings.limits.values = 5'000;
  settings.limits.operations = 50;
  settings.gets = upstreams::GetsAs::both;
  const auto from = net::parse_url("http://service.example/openapi.json");
  const auto service = upstreams::read_service(fuzz::text_of(data, size), "up", settings, *from);
  if (!service) {
    require(!service.error().message.empty());
    return 0;
  }
  require(service->server.origin() == from->origin());
  std::set<std::string> names;
  for (const auto& list : service->items) {
    for (const auto& item : list) require(static_cast<bool>(json::check(item.definition)));
  }
  for (const auto& tool : mcp::of(service->items, mcp::ItemKind::tool)) {
    require(!tool.key.empty() && tool.key.size() <= 80 && names.insert(tool.key).second);
    require(json::string_member(tool.definition, "name") == tool.key);
  }
  for (const auto& operation : service->operations) {
    const auto request = upstreams::make_request({"", 32768}, operation, "{}");
    if (!request) continue;
    require(request->path.starts_with('/') &&
            request->path.find_first_of(" \r\n#") == std::string::npos);
  }
  return 0;
}
