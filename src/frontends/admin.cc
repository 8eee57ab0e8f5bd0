#include "frontends/admin.h"

#include <algorithm>

namespace patchbay::frontends {

bool is_admin(const gateway::CatalogView& catalog, const Principal& who) {
  if (who.way == "none") return true;
  if (catalog.rules()) return catalog.rules()->has_role(who, policy::kAdminRole);
  return std::ranges::find(who.roles, policy::kAdminRole) != who.roles.end();
}

}  // namespace patchbay::frontends
