// audit with a target: the records that a running gateway has in its audit database.
//
// The main thread of a command.
#pragma once

#include "cli/commands.h"

namespace patchbay::app {

int find_audit_of_gateway(const AuditOptions& options, const ClientOptions& connection);

}  // namespace patchbay::app
