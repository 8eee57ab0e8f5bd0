// `patchbay stdio`: one MCP client on stdin and stdout.
//
// Lives on the control thread.
#pragma once

#include "app/single_session.h"

namespace patchbay::app {

class StdioSession final : public SingleSession {
 public:
  Task<void> run(Context context) override;
};

}  // namespace patchbay::app
