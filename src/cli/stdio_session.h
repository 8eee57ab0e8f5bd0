// `patchbay stdio`: one MCP client on stdin and stdout.
//
// Lives on the control thread.
#pragma once

#include "app/single_session.h"

namespace patchbay::app {

class StdioSession final : public SingleSession {
 public:
  Task<void> run(Context context) override;
  std::chrono::nanoseconds list_timeout(const Settings& settings) const override {
    return settings.limits.stdio_start;
  }
};

}  // namespace patchbay::app
