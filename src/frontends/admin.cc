#include "frontends/admin.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/approvals.h"

namespace patchbay::frontends {

bool is_admin(const Principal& who, const gateway::CatalogView& catalog) {
  if (who.way == "none") return true;
  if (catalog.rules()) return catalog.rules()->has_role(who, policy::kAdminRole);
  return std::ranges::find(who.roles, policy::kAdminRole) != who.roles.end();
}

Error admins_only() {
  return {Code::forbidden, fmt::format("this is for the role '{}'", policy::kAdminRole)};
}

}  // namespace patchbay::frontends
