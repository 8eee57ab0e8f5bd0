// A StderrLog drains a child's stderr into the log, so that the child never blocks on it. The
// number of lines per second is bounded, so that a flood does not fill the disk.
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

 private:
  void on_ready() override;
  void take(std::string_view bytes);
  void line(std::string_view text);

  const std::string upstream_;
  const int lines_per_second_;
  net::Source source_;
  std::string partial_;  // A line without its end.
  Deadline second_{};    // When the current second began.
  int lines_ = 0;        // Logged in it.
  std::uint64_t dropped_ = 0;
};

}  // namespace patchbay::upstreams
