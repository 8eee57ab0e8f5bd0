// A StderrLog drains a child's stderr into the log, so that the child never blocks on it. The
// number of lines per second is bounded, so that a flood does not fill the disk. The last line is
// stored, because it usually states why the child has ended.
//
// Confined to the worker of the child.
#pragma once

#include <string>
#include <string_view>

#include "net/io/source.h"

namespace patchbay::upstreams {

class StderrLog final : net::Source::Waiter {
 public:
  StderrLog(net::Fd fd, std::string_view upstream, int lines_per_second);
  ~StderrLog();

  // When the child last wrote something. The beginning of time: never.
  Deadline last_output() const { return last_output_; }

  // The last line that was not blank, readable and shortened, after reading the available output.
  // Empty: none.
  std::string last_line();

 private:
  void on_ready() override;
  bool read();
  void take(std::string_view bytes);
  void line(std::string_view text);

  const std::string upstream_;
  const int lines_per_second_;
  net::Source source_;
  std::string partial_;  // A line without its end.
  Deadline second_{};    // When the current second began.
  int lines_ = 0;        // Lines logged in it.
  std::uint64_t dropped_ = 0;
  std::string last_;  // The last line that was not blank.
  Deadline last_output_{};
};

// A line of a program for a message: without escape sequences and control characters, and not too
// long.
std::string readable_line(std::string_view text);

}  // namespace patchbay::upstreams
