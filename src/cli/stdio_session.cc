#include "cli/stdio_session.h"

#include <unistd.h>

#include "core/discard.h"
#include "frontends/mcp/stdio.h"

namespace patchbay::app {

Task<void> StdioSession::run(Context context) {
  auto talk = [this, &context]() -> Task<void> {
    transport::LineLimits limits;
    limits.write_timeout = context.settings.limits.write_time;
    frontends::McpStdio frontend(context.worker.server(), net::Fd(::dup(STDIN_FILENO)),
                                 net::Fd(::dup(STDOUT_FILENO)), limits);
    auto running = frontend.run(context.settings.stop.grace);
    auto served = co_await serve_with(context, frontend, std::move(running));
    discard(served, "the client has left; why does not matter");
    co_return ok();
  };
  co_return co_await hop<void>(context.worker.loop(), talk);
}

}  // namespace patchbay::app
