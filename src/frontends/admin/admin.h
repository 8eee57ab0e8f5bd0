// Who may do what is for admins: callers with the role `admin`, and those whom nothing asks who
// they are.
//
// Confined to the worker of the catalog.
#pragma once

#include "core/principal.h"
#include "core/result.h"
#include "gateway/catalog/view.h"

namespace patchbay::frontends {

bool is_admin(const Principal& who, const gateway::CatalogView& catalog);

// What everyone else is told.
Error admins_only();

}  // namespace patchbay::frontends
