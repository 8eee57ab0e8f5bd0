// Who may use the pages below /control: callers with the role `admin`, and those whom nothing asks
// who they are.
#pragma once

#include "core/principal.h"
#include "gateway/catalog_view.h"

namespace patchbay::frontends {

bool is_admin(const gateway::CatalogView& catalog, const Principal& who);

}  // namespace patchbay::frontends
