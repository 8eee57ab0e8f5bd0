// Reads a stream of server-sent events from pieces of text as they arrive. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::transport {

struct Event {
  std::string type;  // Empty: a message.
  std::string data;
};

class EventReader {
 public:
  // `most` bounds the size of one event.
  explicit EventReader(std::size_t most) : most_(most) {}

  // Takes the next piece. Code::too_large if an event exceeds the bound.
  Result<void> feed(std::string_view bytes);

  // The next complete event; false if there is none yet.
  bool next(Event& event);

  // The id of the last event that had one, from which to continue after a break.
  const std::string& last_id() const { return last_id_; }
  // How long to wait before reconnecting, if the server has sent it.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

  // Drops a partial event after a break.
  void restart();

 private:
  std::optional<std::string_view> next_line();
  void take_line(std::string_view line);
  void forget_event();

  const std::size_t most_;
  std::string buffer_;
  std::size_t used_ = 0;      // Of the buffer: lines that were read.
  std::size_t searched_ = 0;  // The buffer has no line end before this offset.
  bool begun_ = false;        // The first bytes of the stream have arrived.
  Event event_;               // As far as it has been read.
  bool has_data_ = false;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace patchbay::transport
