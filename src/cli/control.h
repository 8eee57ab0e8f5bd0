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
#include "transport/event_reader.h"
#include "transport/http_channel.h"

namespace patchbay::app {

class Control {
 public:
  Control(const transport::HttpTarget& target, double seconds);

  // The body of a successful answer. A missing object is Code::not_found.
  Task<std::string> ask(std::string_view method, std::string path);

  // A page of the control API, which is JSON. The error states that the gateway has no control API
  // if it is an older one.
  Task<std::string> read_json(std::string path);

  // Reads a stream of events until it ends. `last_id` is the position from which to continue.
  using OnEvent = std::function<void(const transport::Event& event)>;
  Task<void> read_events(std::string path, std::string last_id, OnEvent on_event);

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
