// Log lines with stable keys. Each thread puts its lines into a ring of its own, without a lock and
// without waiting; one thread writes them to stderr. When nobody reads stderr, lines are dropped
// and counted, and calls continue.
//
//   log::Line(log::Level::info, "upstream up").add("upstream", name).add("tools", count);
//
// Usable from any thread between start() and stop().
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "observe/log_level.h"

namespace patchbay::log {

class LinePacker;
class LineText;

enum class Format : std::uint8_t { text, json };

// Starts to write to descriptor `fd`. Called once, before the first line. If it is the journal of
// systemd, lines of text begin with their priority, `<6>`, which the journal removes.
void start(Level level, Format format, int fd = 2);
void configure(Level level, Format format);

// Writes the remaining lines, for at most a second, and ends the writing thread.
void stop();

// Whether messages between the gateway and programs are logged, at debug. They may contain secrets,
// so this is a separate setting.
void log_messages(bool on);
bool messages_logged();

bool enabled(Level level);
std::uint64_t dropped_lines();

// Text from outside as the event of a line: truncated, and without line breaks.
std::string plain_event(std::string_view text);

// One line, sent by the destructor. Values are quoted or escaped as needed: they cannot begin a new
// line or another key.
class Line {
 public:
  Line(Level level, std::string_view event)
      : Line(level, event, std::chrono::system_clock::time_point::min()) {}
  // The same for an event at a time that the caller has read from the clock already.
  Line(Level level, std::string_view event, std::chrono::system_clock::time_point time);
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line();

  // An empty value is left out.
  Line& add(std::string_view key, std::string_view value);
  Line& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  Line& add(std::string_view key, std::int64_t value);
  Line& add(std::string_view key, std::uint64_t value);
  Line& add(std::string_view key, int value) { return add(key, std::int64_t{value}); }
  Line& add_ms(std::string_view key, double milliseconds);

 private:
  // A key, and a value that needs no escaping.
  void put(std::string_view name, std::string_view value);
  void put_quoted(std::string_view value);

  const bool enabled_;
  const bool json_;
  LineText& text_;        // The thread's own; lines do not nest.
  LinePacker* exported_;  // The same line for the exporter; null: nobody collects it.
};

}  // namespace patchbay::log
