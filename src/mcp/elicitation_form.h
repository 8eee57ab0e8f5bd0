// The form of an elicitation, as 2025-06-18 knows it: flat, and a choice is `enum` with
// `enumNames`. Pure.
#pragma once

#include "json/edit.h"

namespace patchbay::mcp {

// Goes over the requestedSchema that comes next. False if it asks for what that revision cannot
// say: a choice of several values.
bool shape_form(json::Edit& edit);

}  // namespace patchbay::mcp
