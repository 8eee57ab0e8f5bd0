// `patchbay chat`: goals that a person types at a prompt. They run like goals over HTTP.
//
// A ChatSession lives on the control thread. The prompt has a thread of its own, since it blocks;
// goals run on the worker.
#pragma once

#include <memory>
#include <string>

#include "app/single_session.h"
#include "async/scope.h"
#include "cli/prompt.h"
#include "frontends/goal/run.h"

namespace patchbay::app {

class ChatSession final : public SingleSession {
 public:
  Task<void> run(Context context) override;
};

}  // namespace patchbay::app
