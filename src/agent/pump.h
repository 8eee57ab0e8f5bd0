// A Pump copies what a program writes on one pipe into an Output, as fast as it arrives. It never
// holds more than the Output does: a program may write gigabytes.
//
// Confined to the thread of its loop.
#pragma once

#include <memory>

#include "agent/output.h"
#include "agent/writer.h"
#include "net/io/source.h"

#include "async/liveness.h"

namespace patchbay::agent {

class Pump final : net::Source::Waiter, Writer::Waiting {
 public:
  // Starts at once. If the output can be busy, `slow` is the writer that makes it so; it and the
  // output outlive the pump.
  Pump(net::Fd pipe, Output& output, Writer* slow = nullptr);
  ~Pump();

  // The program has ended: reads the bytes that are still in the pipe, and none that are written
  // later. A process that has left the program's group may hold the other end open forever.
  void finish();

 private:
  void on_ready() override { carry(); }
  void on_room() override { carry(); }
  void carry();
  enum class Step { moved, empty, ended };
  Step step();
  Step discard();
  void carry_later();

  net::Source pipe_;
  Output& output_;
  Writer* const slow_;
  bool over_ = false;
  bool grown_ = false;  // The pipe has been made larger.
  const Liveness liveness_;
};

}  // namespace patchbay::agent
