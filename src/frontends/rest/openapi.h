// The OpenAPI 3.1 description of the REST frontend over one catalog: every tool with its schemas,
// every resource and template, and the forms of the answers.
//
// Pure; any thread.
#pragma once

#include <string>

#include "gateway/catalog/catalog.h"

namespace patchbay::frontends {

// Raw JSON.
std::string openapi_document(const gateway::Catalog& catalog);

}  // namespace patchbay::frontends
