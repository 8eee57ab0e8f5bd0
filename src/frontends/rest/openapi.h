// The OpenAPI 3.1 description of the REST front end over one catalog: every tool with its schemas,
// every resource and template, and what the answers look like. Pure; any thread.
#pragma once

#include <string>

#include "gateway/catalog/catalog.h"

namespace patchbay::frontends {

// Raw JSON.
std::string openapi_document(const gateway::Catalog& catalog);

}  // namespace patchbay::frontends
