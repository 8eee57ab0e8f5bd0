// An EventStream is a sequence of server messages to one client, stored for a while so that a
// client whose connection broke can get the missed ones. It outlives the connection that reads it.
//
// Lives on the worker that made it; its reader may be on another.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "async/executor.h"

namespace patchbay::gateway {

// The kind of an event for its reader. An answer, or an event that a client wants repeated, waits
// for a slow reader; a notification may be dropped.
enum class EventKind : std::uint8_t { notification, answer };

// The destination of events: the open connection of a client. Shared, since the stream and the
// connection end in either order.
class EventSink {
 public:
  explicit EventSink(Executor& owner) : owner_(owner) {}
  virtual ~EventSink() = default;

  Executor& owner() { return owner_; }

  // Called on the sink's own worker.
  virtual void on_event(std::string_view frame, EventKind kind) = 0;
  virtual void on_end() = 0;

 private:
  Executor& owner_;
};

// One server-sent event. Line breaks in `data` become spaces, since in JSON they are only white
// space.
std::string event_frame(std::string_view id, std::string_view data,
                        std::string_view name = "message");

class EventStream {
 public:
  // `total` counts the bytes stored by all streams of the worker.
  EventStream(std::string prefix, std::string session, std::size_t keep_bytes, std::size_t& total)
      : prefix_(std::move(prefix)),
        session_(std::move(session)),
        keep_bytes_(keep_bytes),
        total_(total) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() { total_ -= bytes_; }

  std::uint64_t number = 0;                                // Part of the ids of its events.
  const std::string& session() const { return session_; }  // The id of its owner.

  // Adds an event and sends it to the reader, if there is one. Empty data only marks a position
  // from which to resume.
  void append(std::string_view data, EventKind kind = EventKind::notification);

  // Nothing follows; the reader is notified after the events that it was sent.
  void end();

  // Sends everything after event number `after` to `sink`, and later events as they come. An
  // earlier reader ends.
  void attach(std::shared_ptr<EventSink> sink, std::uint64_t after);

  // Notified when somebody begins to read the stream, or ceases to; an end of the stream is no
  // change. `notify` may be empty.
  void watch_reader(std::function<void(bool reads)> notify) { notify_reader_ = std::move(notify); }

  // Forgets `sink` if it is the reader.
  void detach(const EventSink* sink);

  bool ended() const { return ended_; }
  std::uint64_t last() const { return next_ - 1; }

 private:
  struct Event {
    std::uint64_t number;
    std::string frame;
  };

  void send(std::string_view frame, EventKind kind);
  void finish(const std::shared_ptr<EventSink>& sink);

  const std::string prefix_;
  const std::string session_;
  const std::size_t keep_bytes_;
  std::size_t& total_;
  std::vector<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 1;
  bool ended_ = false;
  std::shared_ptr<EventSink> sink_;
  std::function<void(bool)> notify_reader_;
};

struct ReplayLimits {
  std::size_t stream = 1 << 20;  // Bytes stored of one stream...
  std::size_t total = 64 << 20;  // ...and of all streams of a worker that have ended.
  std::chrono::nanoseconds time = std::chrono::minutes(1);  // How long after the end.
};

// The streams of one worker, found again by event ids of the form worker.stream.event.
class EventStreams {
 public:
  // The numbers of streams follow `first`, so that ids of another process are not taken for ids of
  // this one.
  EventStreams(int worker, const ReplayLimits& limits, std::uint64_t first = 0)
      : worker_(worker), limits_(limits), first_(first) {}

  // A number that a process may give its streams to follow.
  static std::uint64_t first_of(std::uint64_t run) { return (run & 0xFF'FFFF) << kRunShift; }
  // Whether a stream of that number, of any worker, is of this process.
  bool is_ours(std::uint64_t number) const { return number >> kRunShift == first_ >> kRunShift; }

  void set_limits(const ReplayLimits& limits) { limits_ = limits; }

  std::shared_ptr<EventStream> create(const std::string& session);
  std::shared_ptr<EventStream> find(std::uint64_t number) const;

  // Ends the stream and stores it for a while, unless too much is stored already.
  void close(EventStream& stream);

  // Removes ended streams whose time has passed.
  void sweep(Deadline now);

 private:
  struct Ended {
    std::uint64_t number;
    Deadline expires;
  };

  static constexpr unsigned kRunShift = 32;  // The number of streams of one process is smaller.

  const int worker_;
  ReplayLimits limits_;
  const std::uint64_t first_;
  std::size_t total_ = 0;
  std::uint64_t next_ = first_ + 1;
  std::unordered_map<std::uint64_t, std::shared_ptr<EventStream>> streams_;
  std::deque<Ended> ended_;  // Oldest first.
};

struct EventId {
  int worker = 0;
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};
std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace patchbay::gateway
