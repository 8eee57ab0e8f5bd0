// Who is an admin: callers with the role `admin`, and local callers where no authentication is
// configured.
//
// Confined to the worker of the catalog.
#pragma once

#include "core/principal.h"
#include "core/result.h"
#include "gateway/catalog/view.h"

namespace patchbay::frontends {

bool is_admin(const Principal& caller, const gateway::CatalogView& catalog);

// The error for everyone else.
Error admins_only();

}  // namespace patchbay::frontends
