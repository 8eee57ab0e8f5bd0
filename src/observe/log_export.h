// Log lines for an exporter: the lines that are written, as keys and values. Each thread puts them
// into its own ring, as it does for the writer (log.h), and the exporter takes them from all rings.
// While nobody collects them, they cost a line one comparison.
//
// Usable from any thread, except ExportedLines, which is a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "observe/log_level.h"

namespace patchbay::log {

// Starts to collect lines. At most `most` bytes of them, rounded down to a power of two, wait per
// thread; further lines are dropped and counted. `wake` is called, on any thread, when a ring is
// half full; it must not block. With 0 bytes collecting ends.
void collect_exported(std::size_t most, std::function<void()> wake);

// The lines of this thread are never collected. It is the exporter's thread, and exporting its own
// lines would cause further ones.
void exclude_from_export();

// Lines that were not collected in time.
std::uint64_t dropped_exported_lines();

// A collected line. Its views point into the ExportedLines.
class ExportedLine {
 public:
  std::int64_t unix_ns = 0;
  Level level = Level::info;
  std::string_view event;

  // Calls `visit(key, value)` for each key; the value is a std::string_view, std::int64_t or
  // double.
  template <class Visit>
  void each(Visit visit) const;

 private:
  friend class ExportedLines;
  std::string_view values_;
};

class ExportedLines {
 public:
  // Appends the collected lines, at most about `most` bytes. The lines of one thread are in order.
  void take(std::size_t most);

  void clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }

  // Calls `visit(line)` for each line.
  template <class Visit>
  void each(Visit visit) const;

 private:
  std::string bytes_;
};

// How a line is stored: its size, time and level, the event, then for each value its type, key and
// bytes. Numbers are as they are in memory.
namespace packed {

enum class Type : std::uint8_t { text, integer, real };

template <class Number>
Number take_number(std::string_view& bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return number;
}

template <class Size>
std::string_view take_text(std::string_view& bytes) {
  const auto size = take_number<Size>(bytes);
  const auto text = bytes.substr(0, size);
  bytes.remove_prefix(text.size());
  return text;
}

}  // namespace packed

// Stores a line while it is written. Confined to one thread, which has one.
class LinePacker {
 public:
  // Null if the lines of this thread are not collected.
  static LinePacker* of_this_thread();

  void begin(std::chrono::system_clock::time_point now, Level level, std::string_view event);
  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, std::int64_t value) { put(packed::Type::integer, key, value); }
  void add(std::string_view key, double value) { put(packed::Type::real, key, value); }
  void send();

 private:
  void put_bytes(const void* bytes, std::size_t size) {
    bytes_.append(static_cast<const char*>(bytes), size);
  }
  void put_key(packed::Type type, std::string_view key);
  template <class Number>
  void put(packed::Type type, std::string_view key, Number value) {
    put_key(type, key);
    put_bytes(&value, sizeof(value));
  }

  std::string bytes_;  // Reused for the following lines.
};

template <class Visit>
void ExportedLine::each(Visit visit) const {
  for (std::string_view rest = values_; !rest.empty();) {
    const auto type = packed::take_number<packed::Type>(rest);
    const auto key = packed::take_text<std::uint8_t>(rest);
    if (type == packed::Type::text) {
      visit(key, packed::take_text<std::uint16_t>(rest));
    } else if (type == packed::Type::integer) {
      visit(key, packed::take_number<std::int64_t>(rest));
    } else {
      visit(key, packed::take_number<double>(rest));
    }
  }
}

template <class Visit>
void ExportedLines::each(Visit visit) const {
  for (std::string_view rest = bytes_; !rest.empty();) {
    auto bytes = packed::take_text<std::uint32_t>(rest);
    ExportedLine line;
    line.unix_ns = packed::take_number<std::int64_t>(bytes);
    line.level = packed::take_number<Level>(bytes);
    line.event = packed::take_text<std::uint16_t>(bytes);
    line.values_ = bytes;
    visit(static_cast<const ExportedLine&>(line));
  }
}

}  // namespace patchbay::log
