#include "frontends/admin/admin.h"

#include <fmt/format.h>

#include "policy/rules/approvals.h"

namespace patchbay::frontends {

bool is_admin(const Principal& caller, const gateway::CatalogView& catalog) {
  return catalog.is_admin(caller);
}

Error admins_only() {
  return {Code::forbidden, fmt::format("this is for the role '{}'", policy::kAdminRole)};
}

}  // namespace patchbay::frontends
