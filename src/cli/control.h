// The control API and the pages for operators of a running gateway, for commands.
//
// Confined to the thread of its loop.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "async/task.h"
#include "cli/commands.h"
#include "net/http/client/pool.h"
#include "transport/http_channel.h"

namespace patchbay::app {

class Control {
 public:
  Control(const transport::HttpTarget& target, double seconds);

  // The body of a successful answer. A missing object is Code::not_found.
  Task<std::string> ask(std::string_view method, std::string path);

  // The same for a page that has content also when it answers 503.
  Task<std::string> read_page(std::string path);

 private:
  struct Answer {
    int status = 0;
    std::string body;
  };
  Task<Answer> exchange(std::string_view method, std::string path);

  const std::string fields_;
  const std::chrono::milliseconds timeout_;
  net::HttpPool pool_;
};

// Runs `work` with the gateway at `server` until it is done; yields the exit code, and prints an
// error. `interrupted` is the exit code if a signal ends it before.
int run_control(const std::string& server, const ClientOptions& options,
                const std::function<Task<int>(Control&)>& work, int interrupted = kExitFailed);

}  // namespace patchbay::app
