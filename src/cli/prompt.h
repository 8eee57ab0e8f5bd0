// A Prompt reads lines that a person types: with editing and history on a terminal, plainly from a
// pipe. It waits, so it has a thread of its own.
//
// read() on one thread; interrupt() on any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/io/fd.h"

namespace patchbay::app {

class Prompt {
 public:
  // Of a line longer than `most` bytes the rest is dropped.
  Prompt(std::string text, std::size_t most);
  ~Prompt();

  bool on_terminal() const { return editor_ != nullptr; }

  // The next line without its end; nothing at the end of the input or when interrupted.
  std::optional<std::string> read();

  // Ends a read() that waits, and every later one.
  void interrupt();

  // What has been read, oldest first; the last lines of it.
  const std::vector<std::string>& history() const { return history_; }

 private:
  struct Editor;

  std::optional<std::string> read_plain();
  std::optional<std::string> read_edited();
  // The next byte, or nothing.
  std::optional<char> next_byte();

  const std::string text_;
  const std::size_t most_;
  const net::Fd wakeup_;
  std::vector<std::string> history_;
  std::unique_ptr<Editor> editor_;
};

}  // namespace patchbay::app
