// The form of an elicitation as in 2025-06-18: flat, and a choice is `enum` with `enumNames`. Pure.
#pragma once

#include "json/edit.h"

namespace patchbay::mcp {

// Walks over the next requestedSchema. False if it needs what that revision does not have: a
// multiple choice.
bool shape_form(json::Edit& edit);

}  // namespace patchbay::mcp
