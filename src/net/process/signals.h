// Signals as events to wait for. The signals are blocked in every thread, so they arrive only here.
//
// block_signals() before the first thread is started; Signals on the control thread.
#pragma once

#include <functional>
#include <initializer_list>

#include "net/io/source.h"

namespace patchbay::net {

// Blocks SIGTERM, SIGINT, SIGHUP and those in `more` for this thread and those it starts; ignores
// SIGPIPE.
void block_signals(std::initializer_list<int> more = {});

class Signals final : Source::Waiter {
 public:
  explicit Signals(std::function<void(int)> notify, std::initializer_list<int> more = {});
  ~Signals() { source_.forget(*this); }

 private:
  void on_ready() override;

  Source source_;
  std::function<void(int)> notify_;
};

}  // namespace patchbay::net
