// The OpenAPI 3.1 description of the REST face over one catalog: every tool with its schemas, every
// resource and template, and what the answers look like. Pure; any thread.
#pragma once

#include <string>

#include "gateway/catalog.h"

namespace patchbay::frontends {

// Raw JSON.
std::string openapi_document(const gateway::Catalog& catalog);

// A schema that stands at `place` of a document (a JSON pointer with its `#`) instead of alone:
// references into itself lead there.
std::string relocated_schema(std::string_view schema, std::string_view place);

}  // namespace patchbay::frontends
