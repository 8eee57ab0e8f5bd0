// Decides who is an admin: callers with the role `admin`, and local callers if no authentication is
// configured.
//
// Confined to the worker of the catalog.
#pragma once

#include "core/principal.h"
#include "core/result.h"
#include "gateway/catalog/view.h"

namespace patchbay::frontends {

bool is_admin(const Principal& caller, const gateway::CatalogView& catalog);

// The error for all other callers.
Error admins_only();

}  // namespace patchbay::frontends
