// discard() drops a Result on purpose and states why: for example cleanup whose failure changes
// nothing, or a notification to a client that has disconnected. tools/check_idioms refuses a Result
// that is never read.
#pragma once

#include "core/result.h"

namespace patchbay {

template <class T>
void discard(const Result<T>& /*result*/, const char* /*why*/) {}

}  // namespace patchbay
