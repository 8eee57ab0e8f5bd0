// discard() drops a Result on purpose, and says why: cleanup whose failure changes nothing, a
// notification to a client that has gone. tools/check_idioms refuses a Result that is never read.
#pragma once

#include "core/result.h"

namespace patchbay {

template <class T>
void discard(const Result<T>& /*result*/, const char* /*why*/) {}

}  // namespace patchbay
