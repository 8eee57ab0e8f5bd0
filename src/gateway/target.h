// The item that a request names: reads the name, finds the item in a catalog, and translates URIs
// between the catalog and its upstream.
//
// Functions without state; on the caller's worker.
#pragma once

#include <string_view>

#include "gateway/call/call.h"
#include "gateway/catalog/catalog.h"

namespace patchbay::gateway {

// True if a parameter of the method names an item of the catalog.
constexpr bool names_item(const mcp::Method& method) {
  return method.reach == mcp::Reach::by_name || method.reach == mcp::Reach::by_reference;
}

// Reads the name of the item or task into call.target and its kind into call.item.
// Code::invalid_params if the request has none.
Result<void> read_target(Call& call);

// The item in `catalog` that call.target names; null if there is none.
const CatalogEntry* find_item(const Catalog& catalog, const Call& call);

// The upstream's own name of the item. A URI made from a template is its own name, without the
// prefix by which the catalog distinguishes upstreams. Valid as long as the call.
std::string_view own_name(const CatalogEntry& entry, const Call& call);

// The error that the caller receives if there is no such item.
Error unknown_item(const Call& call);

// Replaces the upstream's URIs in the result of resources/read by those of the catalog, because an
// upstream's own URI would lead to another upstream.
void rename_contents(mcp::Reply& reply, const Catalog& catalog, std::string_view upstream);

}  // namespace patchbay::gateway
